/* SPDX-License-Identifier: MIT
 *
 * The program: its commands, their help, and the exit status.
 */
#include "base/text.h"
#include "bytes/guard.h"
#include "cli/command.h"
#include "cli/show.h"
#include "perfcheck.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The first is meant when none is named. */
static const struct pc_command commands[] = {
    { "check", "CAPTURE...", 1, 0, 0,
      PC_LIMIT_OPTIONS | PC_OPT(FORMAT_CHECK) | PC_OPT(FAIL_ON) | PC_OPT(MAX_PER_ID) | PC_OPT(FOR_CHECK) |
          PC_OPT(DISABLE) | PC_OPT(SEVERITY) | PC_OPT(VERBOSE) | PC_OPT(QUIET),
      "say whether captures are valid, and what is wrong where",
      "Exit status: 0 no finding at or above --fail-on, 1 at least one, 2 the work could not be done.\n",
      pc_command_check },
    { "info", "CAPTURE", 1, 1, 0, PC_LIMIT_OPTIONS | PC_OPT(FORMAT_INFO), "describe a capture in one screen",
      "", pc_command_info },
    { "dump", "CAPTURE", 1, 1, 0, PC_LIMIT_OPTIONS | PC_OPT(FORMAT_DUMP),
      "print every header, attr, feature and record, field by field",
      "Prints offset, name, value and meaning of every field. Findings are lines with ! after their field.\n"
      "Exit status: 0 also for a damaged capture, 1 the input is no capture, 2 it could not be read.\n",
      pc_command_dump },
    { "rewrite", "CAPTURE OUTPUT", 2, 2, 1, PC_COPY_OPTIONS | PC_OPT(TO) | PC_OPT(FORCE_FILE),
      "write a canonical copy, converted as asked",
      "OUTPUT appears whole or not at all; - is standard output, for a pipe.\n"
      "Exit status: 0 written and verified, 1 refused, 2 the work could not be done.\n",
      pc_command_rewrite },
    { "split", "CAPTURE_DIR OUTPUT_DIR", 2, 2, 1, PC_COPY_OPTIONS | PC_OPT(FORCE_DIRECTORY),
      "make one file of a directory capture, with each kcore_dir beside it",
      "Writes OUTPUT_DIR/perf.data, one file with all records, and each kcore_dir beside it.\n"
      "OUTPUT_DIR appears whole or not at all.\n"
      "Exit status: 0 written and verified, 1 refused, 2 the work could not be done.\n",
      pc_command_split },
    { "join", "CAPTURE KCORE_DIR... OUTPUT_DIR", 2, 0, 1, PC_COPY_OPTIONS | PC_OPT(FORCE_DIRECTORY),
      "make a directory capture of a capture and its kcore_dirs",
      "Writes a directory capture: the records in OUTPUT_DIR/data, and each kcore_dir or kcore_dir__PID.\n"
      "OUTPUT_DIR appears whole or not at all.\n"
      "Exit status: 0 written and verified, 1 refused, 2 the work could not be done.\n",
      pc_command_join },
    { "digest", "CAPTURE...", 1, 0, 0, PC_LIMIT_OPTIONS,
      "print a hash of the content, the same in any byte order and container", "", pc_command_digest },
    { "diff", "A B", 2, 2, 0, PC_LIMIT_OPTIONS, "show what differs in the content of two captures",
      "Prints the first differences in content by path: value in A | value in B.\n"
      "Exit status: 0 the same content, 1 different, 2 a capture could not be read or has errors.\n",
      pc_command_diff },
    { "explain", "[ID|NAME]...", 0, 0, INT_MAX, 0, "explain findings; all of them when none is named", "",
      pc_command_explain },
};

/* Commands that a later version brings (CONTRACT.md section 9). */
static const char *const later[] = { "report" };

static void print_usage(FILE *out)
{
    fputs("usage: perfcheck [check] [OPTION]... CAPTURE...\n"
          "       perfcheck COMMAND [OPTION]... OPERAND...\n\n",
          out);
    for (size_t i = 0; i < PC_COUNT_OF(commands); i++) {
        const struct pc_command *c = &commands[i];
        int n = fprintf(out, "  %s %s", c->name, c->operands);
        if (n > 32)
            n = fprintf(out, "\n") - 1;
        fprintf(out, "%*s  %s\n", 32 - n, "", c->summary);
    }
    fputs("\nCAPTURE is a file, a directory, a FIFO or - for standard input.\n"
          "`perfcheck COMMAND --help` shows the options of a command; --version shows the version.\n",
          out);
}

static void print_help(FILE *out, const struct pc_command *c)
{
    fprintf(out, "usage: perfcheck %s %s%s\n", c == commands ? "[check]" : c->name,
            c->options ? "[OPTION]... " : "", c->operands);
    fputs(c->options ? "\n" : "", out);
    pc_arguments_help(out, c->options);
    if (*c->about)
        fprintf(out, "\n%s", c->about);
}

/* Everything that was printed must have arrived. */
static int finish(enum pc_status status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "perfcheck: cannot write: %s\n", pc_text_error(errno));
        return PC_STATUS_TROUBLE;
    }
    return (int)status;
}

/* Whether there are as many operands as the command takes; reports it when not. */
static bool has_operands(const struct pc_command *c, char **operand, int nr)
{
    char what[128];
    if (nr >= c->least && (nr <= c->most || c->most == 0))
        return true;
    snprintf(what, sizeof(what), "%s takes %s%s", c->name, c->operands, nr < c->least ? "" : ", not also");
    pc_usage_error(nr == 0 ? "no capture given" : what, nr < c->least ? NULL : operand[c->most]);
    return false;
}

/* False, after reporting it, when standard output is one of the captures or is inside one. */
static bool is_output_free(char **operand, int nr)
{
    for (int i = 0; i < nr; i++) {
        bool is_stdin = strcmp(operand[i], "-") == 0;
        int fd = is_stdin ? STDIN_FILENO : open(operand[i], O_PATH | O_CLOEXEC);
        const struct pc_inputs input = { &fd, 1 };
        int error = pc_guard_file(STDOUT_FILENO, &input);
        if (fd >= 0 && !is_stdin)
            close(fd);
        if (error != PC_IS_INPUT)
            continue; /* reading it will report what else is wrong */
        fputs("perfcheck: standard output: cannot be written: it is the input ", stderr);
        pc_print_escaped(stderr, operand[i]);
        fputs(", or lies in it; inputs are never written\n", stderr);
        return false;
    }
    return true;
}

static enum pc_status run_with(const struct pc_command *c, struct pc_arguments *arguments, int argc,
                               char **argv)
{
    int first = pc_arguments_read(arguments, c->options, argc, argv);
    if (first < 0)
        return PC_STATUS_TROUBLE;
    if (arguments->help)
        print_help(stdout, c);
    if (arguments->version)
        printf("perfcheck %s\n", perfcheck_version());
    if (arguments->help || arguments->version)
        return PC_STATUS_GOOD;
    if (!has_operands(c, argv + first, argc - first))
        return PC_STATUS_TROUBLE;
    if (!is_output_free(argv + first, argc - first - c->unread))
        return PC_STATUS_TROUBLE;
    return c->run(arguments, argv + first, argc - first);
}

/* argv[0] is not looked at. */
static int run(const struct pc_command *c, int argc, char **argv)
{
    static char program[] = "perfcheck";
    static struct pc_arguments arguments; /* large */
    argv[0] = program;                    /* in the messages of getopt */
    enum pc_status status = run_with(c, &arguments, argc, argv);
    pc_arguments_clear(&arguments);
    return finish(status);
}

/* A standard descriptor that the caller has closed must not become that of a file: reading from it or writing
 * to it stays an error. */
static bool keep_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    if (!keep_standard_descriptors())
        return PC_STATUS_TROUBLE;
    signal(SIGXFSZ, SIG_IGN); /* a full quota is an error of the write, which is reported */
    if (argc < 2) {
        print_usage(stderr);
        return PC_STATUS_TROUBLE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_usage(stdout);
        return finish(PC_STATUS_GOOD);
    }
    for (size_t i = 0; i < PC_COUNT_OF(commands); i++) {
        if (strcmp(name, commands[i].name) == 0)
            return run(&commands[i], argc - 1, argv + 1);
    }
    for (size_t i = 0; i < PC_COUNT_OF(later); i++) {
        if (strcmp(name, later[i]) != 0)
            continue;
        pc_usage_error("not in this version:", name);
        return PC_STATUS_TROUBLE;
    }
    return run(&commands[0], argc, argv);
}

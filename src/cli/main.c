/* SPDX-License-Identifier: MIT
 *
 * The program: its commands, their help, and the exit status.
 */
#include "base/text.h"
#include "bytes/guard.h"
#include "cli/command.h"
#include "cli/confine.h"
#include "cli/opener.h"
#include "cli/option_table.h"
#include "cli/show.h"
#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first is meant when none is named. */
static const struct pc_command commands[] = {
    { "check", "CAPTURE...", 1, 0, 0, true, NULL, "say whether captures are valid",
      "Without a CAPTURE it checks perf.data in the current directory.\n"
      "Exit status: 0 no finding at or above --fail-on, 1 at least one, 2 the work\n"
      "could not be done.\n",
      pc_command_check },
    { "info", "CAPTURE...", 1, 0, 0, true, "reading", "describe captures, each on one screen", "",
      pc_command_info },
    { "report", "CAPTURE...", 1, 0, 0, true, "reading", "write a page about captures, for a browser",
      "The page needs nothing but itself. It appears whole or not at all.\n"
      "Exit status: 0 also for a damaged capture, 1 an input is not a capture, 2 one\n"
      "could not be read, or the page could not be written.\n",
      pc_command_report },
    { "dump", "CAPTURE...", 1, 0, 0, true, "reading", "print all of a capture, field by field",
      "Prints offset, name, value and meaning of every field. Findings are lines with !\n"
      "after their record.\n"
      "Exit status: 0 also for a damaged capture, 1 the input is not a capture, 2 it\n"
      "could not be read.\n",
      pc_command_dump },
    { "tables", "CAPTURE...", 1, 0, 0, true, "reading", "print records as rows of CSV, JSON or SQL",
      "records: a row for each record, in time order. types: how many records\n"
      "and bytes there are of each type. processes: mappings, fork, exit, samples and\n"
      "period of each task. results: samples and period by event, command and binary,\n"
      "with --symbols also by function. digests: what `digest` prints.\n"
      "The first line of CSV names the columns.\n"
      "sql: statements for sqlite3, DuckDB or psql; they replace the rows that the same\n"
      "digest has there. Pipe them to sqlite3 -bail -cmd '.timeout 60000' captures.db,\n"
      "or what follows an error (of a database that is locked) is still carried out.\n"
      "DIR appears whole or not at all.\n"
      "Exit status: 0 also for a damaged capture, 1 the input is not a capture, 2 it\n"
      "could not be read.\n",
      pc_command_tables },
    { "rewrite", "CAPTURE OUTPUT", 2, 2, 1, false, NULL, "write a canonical copy, converted as asked",
      "OUTPUT appears whole or not at all; - is standard output, for a pipe.\n"
      "Exit status: 0 written and verified, 1 refused, 2 the work could not be done.\n",
      pc_command_rewrite },
    { "split", "CAPTURE_DIR OUTPUT_DIR", 2, 2, 1, false, NULL, "make a file of a directory, kcores beside it",
      "Writes OUTPUT_DIR/perf.data, one file with all records, and each kcore_dir\n"
      "beside it.\n"
      "OUTPUT_DIR appears whole or not at all.\n"
      "Exit status: 0 written and verified, 1 refused, 2 the work could not be done.\n",
      pc_command_split },
    { "join", "CAPTURE KCORE_DIR... OUTPUT_DIR", 2, 0, 1, false, NULL,
      "make a directory of a capture and kcores",
      "Writes a directory capture: the records in OUTPUT_DIR/data, and each kcore_dir\n"
      "or kcore_dir__PID.\n"
      "OUTPUT_DIR appears whole or not at all.\n"
      "Exit status: 0 written and verified, 1 refused, 2 the work could not be done.\n",
      pc_command_join },
    { "digest", "CAPTURE...", 1, 0, 0, true, NULL, "print a hash of the content",
      "The hash is the same in any byte order and container.\n"
      "Exit status: 0 all were read (and match), 1 with --check: one does not match, 2\n"
      "one was not read.\n",
      pc_command_digest },
    { "diff", "A B", 2, 2, 0, false, NULL, "show what differs in the content",
      "Prints the first differences in content by path: value in A | value in B.\n"
      "Exit status: 0 the same content, 1 different, 2 a capture could not be read\n"
      "or has errors.\n",
      pc_command_diff },
    { "explain", "[FINDING|MESSAGE]...", 0, 0, INT_MAX, false, NULL,
      "explain findings, and messages of other tools",
      "FINDING is an id (PC0802, 802), a name, a part of a name, or a class\n"
      "(class:unsafe). MESSAGE is what perf, quipper, hotspot, linux-perf-data, go-perf\n"
      "or perf2bolt prints about a capture. The name of a profile (sched) shows what it\n"
      "demands. Without an argument, all findings are explained.\n",
      pc_command_explain },
};

/* The command that a word is probably meant to be; NULL: none. */
static const char *command_like(const char *word)
{
    const char *like = NULL;
    for (size_t i = 0; i < PC_COUNT_OF(commands); i++)
        pc_text_suggest(word, commands[i].name, &like);
    return like;
}

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
          "Without arguments perfcheck checks perf.data in the current directory.\n"
          "`perfcheck help COMMAND` shows the options of a command, --version the version.\n",
          out);
}

static void print_help(FILE *out, const struct pc_command *c)
{
    fprintf(out, "usage: perfcheck %s [OPTION]... %s\n\n", c == commands ? "[check]" : c->name, c->operands);
    pc_arguments_help(out, c->name);
    if (*c->about)
        fprintf(out, "\n%s", c->about);
}

/* Everything that was printed must have arrived. error: why a part of it did not, if a command met that. */
static int finish(enum pc_status status, int error)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "perfcheck: cannot write: %s\n", pc_text_error(error != 0 ? error : errno));
        return PC_STATUS_TROUBLE;
    }
    return (int)status;
}

/* Whether there are as many operands as the command takes; reports it when not. */
static bool has_operands(const struct pc_command *c, const struct pc_arguments *arguments, char **operand,
                         int nr)
{
    char what[128];
    if (nr >= c->least && (nr <= c->most || c->most == 0))
        return true;
    snprintf(what, sizeof(what), "%s takes %s%s", c->name, c->operands, nr < c->least ? "" : ", not also");
    pc_usage_error(arguments, nr == 0 ? "no capture given" : what, nr < c->least ? NULL : operand[c->most]);
    return false;
}

/* False, after reporting it, when standard output is one of the captures or is inside one. The last operands,
 * so many as `unread`, are none. */
static bool is_output_free(char **operand, int nr, int unread)
{
    struct stat st;
    bool is_file = fstat(STDOUT_FILENO, &st) == 0 && S_ISREG(st.st_mode);
    for (int i = 0; is_file && i < nr && nr - i > unread; i++) {
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

#ifdef PC_CONFINE
static void tell_live(const char *path, uint64_t size)
{
    const struct pc_printer printer = { .err = stderr };
    pc_print_live_file(&printer, path, size);
}

/* Valgrind makes code in the process, and opens files. It is preloaded. */
static bool is_under_valgrind(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    return preloaded && strstr(preloaded, "/vgpreload_");
}

/* The file or directory that the command writes; NULL: none. */
static const char *output_of(const struct pc_command *c, const struct pc_arguments *arguments, char **operand,
                             int nr)
{
    if (c->unread != 0)
        return operand[nr - 1];
    return arguments->write_baseline ? arguments->baseline_path : arguments->output;
}

/* Nothing was opened yet, but a policy and a baseline. What the operands mean is known. */
static void give_up_rights(const struct pc_command *c, const struct pc_arguments *arguments, char **operand,
                           int nr)
{
    const struct pc_task task = { .input = operand,
                                  .nr = nr - c->unread,
                                  .header = pc_arguments_value(arguments, "header-from"),
                                  .binaries = arguments->symbols,
                                  .any_input = arguments->compare,
                                  .output = { output_of(c, arguments, operand, nr),
                                              pc_arguments_value(arguments, "keep-partial"),
                                              pc_arguments_value(arguments, "symbols-out") },
                                  .parts = pc_arguments_value(arguments, "rotate") != NULL,
                                  .tell_live = tell_live };
    pc_opener_start(&task);
}
#endif

/* Runs the command for the operands. */
static enum pc_status run_for(const struct pc_command *c, struct pc_arguments *arguments, char **operand,
                              int nr)
{
    if (!is_output_free(operand, nr, c->unread))
        return PC_STATUS_TROUBLE;
    if (!arguments->no_progress && !arguments->printer.quiet && isatty(STDERR_FILENO)) {
        arguments->progress = (struct pc_progress_line){ .out = stderr, .doing = c->doing };
        perfcheck_on_progress(arguments->pc, pc_progress_line_tell, &arguments->progress);
    }
#ifdef PC_CONFINE
    if (c->unread <= nr && !is_under_valgrind())
        give_up_rights(c, arguments, operand, nr);
#endif
    enum pc_status status = c->run(arguments, operand, nr);
    pc_opener_stop();
    return status;
}

/* On standard error, before a walk that may take long. */
static void say_walk(const char *directory)
{
    fputs("perfcheck: ", stderr);
    pc_print_escaped(stderr, directory);
    fputs(" is no capture; looking for the captures in it\n", stderr);
}

/* On standard error: which files of directories are left out. */
static void say_what_is_left_out(const struct pc_captures *captures)
{
    if (captures->passed_over != 0) {
        const bool one = captures->passed_over == 1;
        fprintf(stderr, "perfcheck: %zu %s: ", captures->passed_over,
                one ? "file is left out, as it does not look like a capture or is a link"
                    : "files are left out, as they do not look like captures or are links");
        pc_print_escaped(stderr, captures->first_passed_over);
        fputs(one ? "; name it to read it\n" : ", ...; name one to read it\n", stderr);
    }
}

/* The same for all captures that the operands mean. */
static enum pc_status run_for_many(const struct pc_command *c, struct pc_arguments *arguments, char **operand,
                                   int nr)
{
    struct pc_captures *captures = &arguments->captures;
    captures->on_walk = arguments->printer.quiet ? NULL : say_walk;
    if (!pc_captures_collect(captures, operand, nr)) {
        pc_print_about(stderr, "cannot open ", captures->where ? captures->where : "the captures",
                       captures->wrong, NULL);
        return PC_STATUS_TROUBLE;
    }
    if (captures->nr > INT_MAX || captures->nr == 0) {
        pc_usage_error(arguments, "no capture given", NULL);
        return PC_STATUS_TROUBLE;
    }
    if (!arguments->printer.quiet)
        say_what_is_left_out(captures);
    return run_for(c, arguments, captures->path, (int)captures->nr);
}

static bool is_verbose(const char *word)
{
    return strcmp(word, "-v") == 0 || strcmp(word, "--verbose") == 0;
}

/* verbose: also what holds a process that parses, by trying it in this one. */
static void print_version(bool verbose)
{
    printf("perfcheck %s\n", perfcheck_version());
    if (!verbose)
        return;
#ifdef PC_CONFINE
    int active = pc_confine(-1, 0);
#else
    int active = 0;
#endif
    printf("confined by:%s%s%s%s\n", active & PC_NO_NEW_PRIVS ? " no_new_privs" : "",
           active & PC_LANDLOCK ? " landlock" : "", active & PC_SECCOMP ? " seccomp" : "",
           active == 0 ? " nothing" : "");
}

static enum pc_status run_with(const struct pc_command *c, struct pc_arguments *arguments, int argc,
                               char **argv)
{
    static char fallback[] = "perf.data", *fallbacks[] = { fallback };
    int first = pc_arguments_read(arguments, c->name, argc, argv);
    if (first < 0)
        return PC_STATUS_TROUBLE;
    if (arguments->help)
        print_help(stdout, c);
    if (arguments->version)
        print_version(arguments->printer.notes || (first < argc && is_verbose(argv[first])));
    if (arguments->help || arguments->version)
        return PC_STATUS_GOOD;
    if (arguments->show_policy) {
        pc_arguments_show(stdout, arguments);
        return PC_STATUS_GOOD;
    }
    char **operand = argv + first;
    int nr = argc - first;
    bool listed = arguments->captures.list;
    if (nr == 0 && c == commands && !listed) {
        operand = fallbacks;
        nr = 1;
    }
    if (!listed && !has_operands(c, arguments, operand, nr))
        return PC_STATUS_TROUBLE;
    if (c->run == pc_command_rewrite && nr != 0 && strcmp(operand[0], "-") == 0)
        pc_hold_signals();
    return c->many ? run_for_many(c, arguments, operand, nr) : run_for(c, arguments, operand, nr);
}

/* argv[0] is not looked at. */
static int run(const struct pc_command *c, int argc, char **argv)
{
    static char program[] = "perfcheck";
    static struct pc_arguments arguments; /* large */
    argv[0] = program;                    /* in the messages of getopt */
    enum pc_status status = run_with(c, &arguments, argc, argv);
    const int error = arguments.printer.error;
    pc_arguments_clear(&arguments);
    return finish(status, error);
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

/* Whether a word that names no command is no file either, but looks like a command. */
static bool is_unknown_command(const char *name)
{
    return *name != '-' && !strchr(name, '/') && access(name, F_OK) != 0 && command_like(name);
}

static enum pc_status no_such_command(const char *name)
{
    const char *like = command_like(name);
    fputs("perfcheck: no command ", stderr);
    pc_print_escaped(stderr, name);
    if (like)
        fprintf(stderr, "; did you mean '%s'?\n", like);
    else
        fputs("; 'perfcheck --help' lists them\n", stderr);
    return PC_STATUS_TROUBLE;
}

/* Says what an operand is not that was meant as a command, before it cannot be opened. */
static void note_neither(const char *name)
{
    if (*name && name[strspn(name, "abcdefghijklmnopqrstuvwxyz-")] == 0 && *name != '-' &&
        access(name, F_OK) != 0)
        fprintf(stderr, "perfcheck: %s is no command; 'perfcheck --help' lists them\n", name);
}

/* option: the one that is asked about, as --NAME; NULL: all. */
static enum pc_status help(const struct pc_command *c, const char *option)
{
    const struct pc_arguments arguments = { .command = c->name, .place = "" };
    if (!option)
        print_help(stdout, c);
    if (!option || (strncmp(option, "--", 2) == 0 && pc_arguments_help_one(stdout, c->name, option + 2)))
        return PC_STATUS_GOOD;
    const char *like = strncmp(option, "--", 2) == 0 ? pc_option_like(c->name, option + 2) : NULL;
    char meant[64];
    snprintf(meant, sizeof(meant), "--%s", like ? like : "");
    pc_usage_error_like(&arguments, "the command has no option", option, like ? meant : NULL);
    return PC_STATUS_TROUBLE;
}

int main(int argc, char **argv)
{
    if (!keep_standard_descriptors())
        return PC_STATUS_TROUBLE;
    signal(SIGXFSZ, SIG_IGN); /* a full quota is an error of the write, which is reported */
    const char *name = argc < 2 ? "" : argv[1];
    if (argc < 2 && access("perf.data", F_OK) != 0) {
        const char *why = pc_text_error(errno);
        print_usage(stderr);
        fprintf(stderr, "perfcheck: no capture given, and cannot open perf.data: %s\n", why);
        return PC_STATUS_TROUBLE;
    }
    bool is_help = strcmp(name, "help") == 0;
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
        (is_help && (argc == 2 || strcmp(argv[2], "help") == 0))) {
        print_usage(stdout);
        return finish(PC_STATUS_GOOD, 0);
    }
    if (is_help)
        name = argv[2];
    for (size_t i = 0; i < PC_COUNT_OF(commands); i++) {
        if (strcmp(name, commands[i].name) != 0)
            continue;
        if (!is_help)
            return run(&commands[i], argc - 1, argv + 1);
        return finish(help(&commands[i], argc > 3 ? argv[3] : NULL), 0);
    }
    if (is_help || is_unknown_command(name))
        return finish(no_such_command(name), 0);
    if (argc > 2)
        note_neither(name);
    return run(&commands[0], argc, argv);
}

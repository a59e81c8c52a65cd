/* SPDX-License-Identifier: MIT
 *
 * Options and exit status, nothing else.
 */
#include "write/bundle.h"
#include "cli/diff.h"
#include "cli/dump.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "write/rewrite.h"
#include "cli/show.h"
#include "cli/signals.h"
#include "lib/options.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERSION "0.1.0"

enum exit_status { STATUS_GOOD = 0, STATUS_FINDINGS = 1, STATUS_TROUBLE = 2 };

static const char usage_text[] =
    "usage: perfcheck [check] [OPTION]... CAPTURE...   say whether captures are valid, and what is wrong "
    "where\n"
    "       perfcheck info [--format=text|json] CAPTURE  what it is, in one screen\n"
    "       perfcheck dump [--format=text|jsonl] CAPTURE every header, attr, feature and record, field by "
    "field\n"
    "       perfcheck rewrite [OPTION]... CAPTURE OUTPUT  write a canonical copy, converted as asked\n"
    "       perfcheck split [OPTION]... CAPTURE_DIR OUTPUT_DIR  a directory capture as one file, each "
    "kcore_dir "
    "beside it\n"
    "       perfcheck join [OPTION]... CAPTURE KCORE_DIR... OUTPUT_DIR  the reverse\n"
    "       perfcheck digest CAPTURE...                  content digest, whatever byte order, container, "
    "padding\n"
    "       perfcheck diff A B                           what differs in content\n"
    "       perfcheck explain [ID|NAME]...               what a finding means; all of them without one\n"
    "\n"
    "CAPTURE is a file, a directory, a FIFO or - for standard input.\n"
    "`perfcheck COMMAND --help` shows the options of a command; --version shows the version.\n";

#define COMMON_OPTIONS                                                                                       \
    "  --no-progress             show none on a terminal\n"                                                  \
    "  --max-memory=SIZE         limit of memory (54M); K, M and G are known\n"                              \
    "  --max-spool=SIZE          limit of what is stored of a file-mode capture on a pipe (16G)\n"           \
    "  --max-inflated=SIZE       limit of what comes out of compressed records (64G)\n"

static const char check_text[] =
    "usage: perfcheck [check] [OPTION]... CAPTURE...\n"
    "\n"
    "  --format=text|json|jsonl  how findings are printed (text)\n"
    "  --fail-on=error|warning|note\n"
    "                            least severity that makes the exit status 1 (error)\n"
    "  --max-per-id=N            findings shown for each id (20)\n"
    "  --for=perf-X.Y            also report, as errors, what that perf cannot read: 5.10, 6.1, 6.12 or 7.2\n"
    "  --disable=ID,...          findings to leave out\n"
    "  --severity=ID=LEVEL,...   findings to take as error, warning or note\n" COMMON_OPTIONS
    "  -v, --verbose             text: show notes too\n"
    "  -q, --quiet               print nothing\n"
    "\n"
    "Exit status: 0 no finding at or above --fail-on, 1 at least one, 2 the work could not be done.\n";

static const char info_text[] =
    "usage: perfcheck info [--format=text|json] [--max-memory=SIZE] [--max-spool=SIZE]\n"
    "                      [--max-inflated=SIZE] [--no-progress] CAPTURE\n";

static const char dump_text[] =
    "usage: perfcheck dump [--format=text|jsonl] [--max-memory=SIZE] [--max-spool=SIZE]\n"
    "                      [--max-inflated=SIZE] [--no-progress] CAPTURE\n"
    "\n"
    "Prints offset, name, value and meaning of every field, and what is wrong in its place (a line with !).\n"
    "\n"
    "Exit status: 0 also for a damaged capture, 1 the input is no capture, 2 it could not be read.\n";

#define ORDER_OPTION                                                                                         \
    "  --byte-order=keep|little|big|native|swap\n"                                                           \
    "                            byte order of all of it (keep)\n"

#define COPY_OPTIONS                                                                                         \
    "  --for=perf-X.Y            write what that perf reads: 5.10, 6.1, 6.12 or 7.2\n"                       \
    "  --compress[=LEVEL]        compress records, by level 1 to 22 (1)\n"                                   \
    "  --decompress              open compressed records; with neither, what is compressed stays so\n"       \
    "  --drop=KIND[:NAME],...    leave out what cannot be carried over, as a refusal names it\n"

#define VERIFY_OPTION "  --no-verify               do not read again what was written\n"

static const char rewrite_text[] =
    "usage: perfcheck rewrite [OPTION]... CAPTURE OUTPUT\n"
    "\n" ORDER_OPTION "  --to=keep|file|pipe|directory\n"
    "                            the container (keep)\n" COPY_OPTIONS
    "  --force                   replace OUTPUT when it exists\n" VERIFY_OPTION COMMON_OPTIONS "\n"
    "OUTPUT appears whole or not at all; - is standard output, for a pipe.\n"
    "Exit status: 0 written and verified, 1 refused, 2 the work could not be done.\n";

#define BUNDLE_OPTIONS                                                                                       \
    "\n" ORDER_OPTION COPY_OPTIONS                                                                           \
    "  --force                   replace OUTPUT_DIR when it holds nothing but a capture\n" VERIFY_OPTION     \
        COMMON_OPTIONS "\n"                                                                                  \
    "OUTPUT_DIR appears whole or not at all.\n"                                                              \
    "Exit status: 0 written and verified, 1 refused, 2 the work could not be done.\n"

static const char split_text[] =
    "usage: perfcheck split [OPTION]... CAPTURE_DIR OUTPUT_DIR\n"
    "\n"
    "Writes OUTPUT_DIR/perf.data, one file with all records, and each kcore_dir beside it.\n" BUNDLE_OPTIONS;

static const char join_text[] = "usage: perfcheck join [OPTION]... CAPTURE KCORE_DIR... OUTPUT_DIR\n"
                                "\n"
                                "Writes a directory capture: the records in OUTPUT_DIR/data, and each "
                                "kcore_dir or kcore_dir__PID.\n" BUNDLE_OPTIONS;

static const char digest_text[] = "usage: perfcheck digest [--max-memory=SIZE] [--max-spool=SIZE] "
                                  "[--max-inflated=SIZE] [--no-progress] CAPTURE...\n";

static const char diff_text[] =
    "usage: perfcheck diff [--max-memory=SIZE] [--max-spool=SIZE] [--max-inflated=SIZE]\n"
    "                      [--no-progress] A B\n"
    "\n"
    "Prints the first differences in content by path: value in A | value in B.\n"
    "\n"
    "Exit status: 0 the same content, 1 different, 2 a capture could not be read or has errors.\n";

static const char explain_text[] = "usage: perfcheck explain [ID|NAME]...\n";

enum command {
    COMMAND_CHECK,
    COMMAND_INFO,
    COMMAND_DUMP,
    COMMAND_REWRITE,
    COMMAND_SPLIT,
    COMMAND_JOIN,
    COMMAND_DIGEST,
    COMMAND_DIFF
};

struct options {
    struct pc_printer printer;
    struct pc_options chosen;
    enum pc_severity fail_on;
    enum command command;
    bool no_progress;
    struct pc_progress_line progress;
};

static int usage_error(const char *what, const char *value)
{
    fprintf(stderr, "perfcheck: %s%s", what, value ? " " : "");
    if (value)
        pc_print_escaped(stderr, value);
    fputs(" (try 'perfcheck --help')\n", stderr);
    return STATUS_TROUBLE;
}

/* Everything that was printed must have arrived. */
static int finish(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "perfcheck: cannot write: %s\n", pc_text_error(errno));
        return STATUS_TROUBLE;
    }
    return status;
}

static const char *const formats[] = { "text", "json", "jsonl", NULL };

static bool parse_format(struct options *o, const char *text)
{
    /* info is about one capture: no lines of them; a dump is too long for one object. */
    static const enum pc_format unknown[] = {
        [COMMAND_INFO] = PC_FORMAT_JSONL, [COMMAND_DUMP] = PC_FORMAT_JSON
    };
    int format = pc_option_value(text, formats);
    if (format < 0 || (o->command != COMMAND_CHECK && format == (int)unknown[o->command]))
        return false;
    o->printer.format = (enum pc_format)format;
    return true;
}

enum option_key {
    OPT_FORMAT = 256,
    OPT_FAIL_ON,
    OPT_OF_LIBRARY, /* pc_options_set knows it by its name */
    OPT_NO_PROGRESS,
    OPT_HELP,
    OPT_VERSION
};

static const struct option check_options[] = {
    { "format", required_argument, NULL, OPT_FORMAT },
    { "no-progress", no_argument, NULL, OPT_NO_PROGRESS },
    { "max-memory", required_argument, NULL, OPT_OF_LIBRARY },
    { "max-spool", required_argument, NULL, OPT_OF_LIBRARY },
    { "max-inflated", required_argument, NULL, OPT_OF_LIBRARY },
    { "help", no_argument, NULL, OPT_HELP },
    { "version", no_argument, NULL, OPT_VERSION },
    { "fail-on", required_argument, NULL, OPT_FAIL_ON },
    { "max-per-id", required_argument, NULL, OPT_OF_LIBRARY },
    { "for", required_argument, NULL, OPT_OF_LIBRARY },
    { "disable", required_argument, NULL, OPT_OF_LIBRARY },
    { "severity", required_argument, NULL, OPT_OF_LIBRARY },
    { "verbose", no_argument, NULL, 'v' },
    { "quiet", no_argument, NULL, 'q' },
    { NULL, 0, NULL, 0 },
};

static const struct option look_options[] = {
    { "format", required_argument, NULL, OPT_FORMAT },
    { "no-progress", no_argument, NULL, OPT_NO_PROGRESS },
    { "max-memory", required_argument, NULL, OPT_OF_LIBRARY },
    { "max-spool", required_argument, NULL, OPT_OF_LIBRARY },
    { "max-inflated", required_argument, NULL, OPT_OF_LIBRARY },
    { "help", no_argument, NULL, OPT_HELP },
    { "version", no_argument, NULL, OPT_VERSION },
    { NULL, 0, NULL, 0 },
};

/* split and join take them from the second on: they say themselves which container. */
static const struct option rewrite_options[] = {
    { "to", required_argument, NULL, OPT_OF_LIBRARY },
    { "byte-order", required_argument, NULL, OPT_OF_LIBRARY },
    { "for", required_argument, NULL, OPT_OF_LIBRARY },
    { "compress", optional_argument, NULL, OPT_OF_LIBRARY },
    { "decompress", no_argument, NULL, OPT_OF_LIBRARY },
    { "drop", required_argument, NULL, OPT_OF_LIBRARY },
    { "force", no_argument, NULL, OPT_OF_LIBRARY },
    { "no-verify", no_argument, NULL, OPT_OF_LIBRARY },
    { "no-progress", no_argument, NULL, OPT_NO_PROGRESS },
    { "max-memory", required_argument, NULL, OPT_OF_LIBRARY },
    { "max-spool", required_argument, NULL, OPT_OF_LIBRARY },
    { "max-inflated", required_argument, NULL, OPT_OF_LIBRARY },
    { "help", no_argument, NULL, OPT_HELP },
    { "version", no_argument, NULL, OPT_VERSION },
    { NULL, 0, NULL, 0 },
};

/* One option; -1: go on, else the exit status. */
static int take_option(struct options *o, int key, const char *name)
{
    static const char *const help[] = { check_text, info_text, dump_text,   rewrite_text,
                                        split_text, join_text, digest_text, diff_text };
    struct pc_buffer why;
    int value;
    switch (key) {
    case OPT_FORMAT:
        return parse_format(o, optarg) ? -1 : usage_error("unknown format", optarg);
    case OPT_FAIL_ON:
        value = pc_option_value(optarg, pc_severity_names);
        if (value < 0)
            return usage_error("unknown severity", optarg);
        o->fail_on = (enum pc_severity)value;
        return -1;
    case OPT_OF_LIBRARY:
        return pc_options_set(&o->chosen, name, optarg, &why) ? -1 : usage_error(why.text, NULL);
    case OPT_NO_PROGRESS:
        o->no_progress = true;
        return -1;
    case 'v':
        o->printer.notes = true;
        return -1;
    case 'q':
        o->printer.quiet = true;
        return -1;
    case OPT_HELP:
        fputs(help[o->command], stdout);
        return finish(STATUS_GOOD);
    case OPT_VERSION:
        puts("perfcheck " VERSION);
        return finish(STATUS_GOOD);
    default:
        return STATUS_TROUBLE;
    }
}

/* Progress is for somebody who watches, and not among lines that are shown there. */
static void begin_progress(struct options *o)
{
    bool shows = o->command == COMMAND_DUMP && isatty(STDOUT_FILENO);
    if (o->no_progress || o->printer.quiet || shows || !isatty(STDERR_FILENO))
        return;
    pc_progress_line_init(&o->progress, stderr);
    o->printer.progress = &o->progress.progress;
}

/* info and dump end well also on a damaged capture. */
static int status_of_look(const struct pc_scan *scan)
{
    return scan->report.unreadable ? STATUS_TROUBLE : scan->recognised ? STATUS_GOOD : STATUS_FINDINGS;
}

static int status_of_check(const struct options *o, const struct pc_scan *scan)
{
    if (pc_scan_verdict(scan) == PC_UNREADABLE)
        return STATUS_TROUBLE;
    for (int severity = PC_ERROR; severity >= (int)o->fail_on; severity--) {
        if (scan->report.by_severity[severity] != 0)
            return STATUS_FINDINGS;
    }
    return scan->recognised ? STATUS_GOOD : STATUS_FINDINGS;
}

static int scan_one(struct options *o, const char *path)
{
    static struct pc_scan scan; /* large, and one at a time */
    pc_scan_init(&scan, &o->chosen.policy, &o->chosen.limits);
    scan.progress = o->printer.progress;
    pc_progress_begin(scan.progress, o->command == COMMAND_CHECK ? "checking" : "reading");
    if (o->command == COMMAND_DUMP) {
        pc_dump_path(&o->printer, path, &scan);
    } else {
        pc_scan_path(&scan, path);
        if (o->command == COMMAND_INFO)
            pc_print_info(&o->printer, path, &scan);
        else
            pc_print_check(&o->printer, path, &scan);
    }
    pc_progress_end(scan.progress);
    int status = o->command == COMMAND_CHECK ? status_of_check(o, &scan) : status_of_look(&scan);
    pc_scan_clear(&scan);
    return status;
}

/* check, info and dump. */
static int scan_command(struct options *o, int nr, char **captures)
{
    bool check = o->command == COMMAND_CHECK;
    int status = STATUS_GOOD;
    if (!check && nr > 1)
        return usage_error(o->command == COMMAND_INFO ? "info takes one capture, not also"
                                                      : "dump takes one capture, not also",
                           captures[1]);
    o->printer.notes |= o->fail_on == PC_NOTE;
    const char *no_colour = getenv("NO_COLOR");
    o->printer.colour = isatty(STDOUT_FILENO) && !(no_colour && *no_colour);
    if (check)
        pc_print_begin(&o->printer);
    for (int i = 0; i < nr; i++) {
        int one = scan_one(o, captures[i]);
        status = one > status ? one : status;
    }
    if (check)
        pc_print_end(&o->printer);
    return finish(status);
}

static int print_digest(const struct options *o, const char *path)
{
    struct pc_sum sum;
    if (pc_digest_path(&o->chosen.rewrite, path, &sum) != PC_WRITTEN)
        return STATUS_TROUBLE;
    fputs("pc1:", stdout);
    for (size_t i = 0; i < sizeof(sum.bytes); i++)
        printf("%02x", sum.bytes[i]);
    fputs("  ", stdout);
    pc_print_escaped(stdout, path);
    putchar('\n');
    return STATUS_GOOD;
}

/* The operands of rewrite, split and join. */
static int write_copy(const struct options *o, char **operand, int nr)
{
    const struct pc_rewrite *r = &o->chosen.rewrite;
    pc_catch_signals();
    if (o->command == COMMAND_JOIN) {
        if (nr < 2)
            return usage_error("join wants CAPTURE, KCORE_DIR... and OUTPUT_DIR", NULL);
        return (int)pc_bundle_join(r, operand[0], operand + 1, (size_t)nr - 2, operand[nr - 1]);
    }
    if (nr < 2)
        return usage_error(o->command == COMMAND_SPLIT ? "split wants CAPTURE_DIR and OUTPUT_DIR"
                                                       : "rewrite wants CAPTURE and OUTPUT",
                           NULL);
    if (nr > 2)
        return usage_error(o->command == COMMAND_SPLIT ? "split takes one capture and one output, not also"
                                                       : "rewrite takes one capture and one output, not also",
                           operand[2]);
    if (o->command == COMMAND_SPLIT)
        return (int)pc_bundle_split(r, operand[0], operand[1]);
    if (r->to == PC_TO_DIRECTORY || (r->to == PC_TO_KEEP && pc_bundle_is_directory(operand[0])))
        return (int)pc_bundle_join(r, operand[0], NULL, 0, operand[1]);
    return (int)pc_rewrite_path(r, operand[0], operand[1]);
}

/* The others that read captures. */
static int content_command(struct options *o, int nr, char **operand)
{
    int status = STATUS_GOOD;
    o->chosen.rewrite.limits = o->chosen.limits;
    o->chosen.rewrite.tell = pc_print_tell(&o->printer);
    o->chosen.rewrite.progress = o->printer.progress;
    if (o->command != COMMAND_DIGEST && o->command != COMMAND_DIFF)
        return write_copy(o, operand, nr);
    if (o->command == COMMAND_DIFF) {
        if (nr != 2)
            return usage_error("diff wants two captures", NULL);
        return finish((int)pc_diff_paths(&o->printer, &o->chosen.limits, operand[0], operand[1]));
    }
    for (int i = 0; i < nr; i++) {
        int one = print_digest(o, operand[i]);
        status = one > status ? one : status;
    }
    return finish(status);
}

/* A command that reads captures: its options, then its operands. */
static int run(int argc, char **argv, enum command command)
{
    static const struct option *const known[] = {
        [COMMAND_CHECK] = check_options,       [COMMAND_INFO] = look_options,
        [COMMAND_DUMP] = look_options,         [COMMAND_REWRITE] = rewrite_options,
        [COMMAND_SPLIT] = rewrite_options + 1, [COMMAND_JOIN] = rewrite_options + 1,
        [COMMAND_DIGEST] = look_options + 1,   [COMMAND_DIFF] = look_options + 1,
    };
    static char program[] = "perfcheck";
    static struct options o; /* large, and one at a time */
    memset(&o, 0, sizeof(o));
    int key, index = 0, status = -1;
    o.fail_on = PC_ERROR;
    o.command = command;
    pc_options_init(&o.chosen);
    argv[0] = program; /* in the messages of getopt */
    o.printer.out = stdout;
    o.printer.err = stderr;
    while (status < 0 && (key = getopt_long(argc, argv, command == COMMAND_CHECK ? "vq" : "", known[command],
                                            &index)) != -1)
        status = take_option(&o, key, known[command][index].name);
    if (status < 0) {
        begin_progress(&o);
        if (optind == argc)
            status = usage_error("no capture given", NULL);
        else if (command <= COMMAND_DUMP)
            status = scan_command(&o, argc - optind, argv + optind);
        else
            status = content_command(&o, argc - optind, argv + optind);
    }
    pc_options_clear(&o.chosen);
    return status;
}

static int explain_command(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        fputs(explain_text, stdout);
        return finish(STATUS_GOOD);
    }
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        puts("perfcheck " VERSION);
        return finish(STATUS_GOOD);
    }
    for (int i = 1; i < argc; i++) {
        if (pc_diag_find(argv[i]) == PC_NO_DIAG)
            return usage_error("unknown finding", argv[i]);
    }
    for (int i = 1; i < argc; i++) {
        if (i > 1)
            putchar('\n');
        pc_print_explanation(stdout, pc_diag_find(argv[i]));
    }
    for (int id = 1; argc == 1 && id < PC_DIAG_COUNT; id++) {
        if (id > 1)
            putchar('\n');
        pc_print_explanation(stdout, (enum pc_diag)id);
    }
    return finish(STATUS_GOOD);
}

/* Commands that a later version brings (CONTRACT.md section 9). */
static bool is_later_command(const char *name)
{
    static const char *const later[] = { "report" };
    for (size_t i = 0; i < PC_COUNT_OF(later); i++) {
        if (strcmp(name, later[i]) == 0)
            return true;
    }
    return false;
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
        return STATUS_TROUBLE;
    signal(SIGXFSZ, SIG_IGN); /* a full quota is an error of the write, which is said */
    const char *command = argc > 1 ? argv[1] : "--help";
    if (argc < 2) {
        fputs(usage_text, stderr);
        return STATUS_TROUBLE;
    }
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0 || strcmp(command, "help") == 0) {
        fputs(usage_text, stdout);
        return finish(STATUS_GOOD);
    }
    if (strcmp(command, "info") == 0)
        return run(argc - 1, argv + 1, COMMAND_INFO);
    if (strcmp(command, "dump") == 0)
        return run(argc - 1, argv + 1, COMMAND_DUMP);
    if (strcmp(command, "explain") == 0)
        return explain_command(argc - 1, argv + 1);
    if (strcmp(command, "check") == 0)
        return run(argc - 1, argv + 1, COMMAND_CHECK);
    if (strcmp(command, "rewrite") == 0)
        return run(argc - 1, argv + 1, COMMAND_REWRITE);
    if (strcmp(command, "split") == 0)
        return run(argc - 1, argv + 1, COMMAND_SPLIT);
    if (strcmp(command, "join") == 0)
        return run(argc - 1, argv + 1, COMMAND_JOIN);
    if (strcmp(command, "digest") == 0)
        return run(argc - 1, argv + 1, COMMAND_DIGEST);
    if (strcmp(command, "diff") == 0)
        return run(argc - 1, argv + 1, COMMAND_DIFF);
    if (is_later_command(command))
        return usage_error("not in this version:", command);
    return run(argc, argv, COMMAND_CHECK);
}

/* SPDX-License-Identifier: MIT */
#include "cli/option_table.h"

#include "base/text.h"
#include "cli/show.h"

#include <stdlib.h>
#include <string.h>

void pc_usage_error_like(const struct pc_arguments *a, const char *what, const char *value, const char *like)
{
    fputs("perfcheck: ", stderr);
    pc_print_escaped(stderr, a->place);
    fprintf(stderr, "%s%s", what, value ? " " : "");
    if (value)
        pc_print_escaped(stderr, *value ? value : "''");
    if (like)
        fprintf(stderr, "; did you mean %s?", like);
    if (*a->place)
        fputc('\n', stderr);
    else
        fprintf(stderr, " ('perfcheck help %s' shows the usage)\n", a->command);
}

/* The library names options as its callers do, 'rotate' or 'salvage', at the beginning of what it says. On
 * the command line they are --rotate or --salvage. */
static void put_dashes(char *text)
{
    char *end;
    while (text && *text == '\'' && (end = strchr(text + 1, '\'')) != NULL) {
        memmove(text + 2, text + 1, (size_t)(end - text) - 1);
        text[0] = text[1] = '-';
        text = strncmp(end + 1, " or ", 4) == 0 ? end + 5 : NULL;
    }
}

void pc_usage_error(const struct pc_arguments *a, const char *what, const char *value)
{
    pc_usage_error_like(a, what, value, NULL);
}

void pc_library_error(const struct pc_arguments *a, const perfcheck_t *pc)
{
    char *text = strdup(perfcheck_error(pc));
    put_dashes(text);
    pc_usage_error(a, text ? text : perfcheck_error(pc), NULL);
    free(text);
}

bool pc_no_memory(void)
{
    fputs("perfcheck: no memory\n", stderr);
    return false;
}

/* --- options of the program --- */

/* Whether the argument may be this word; reports it when not. */
static bool is_taken(const struct pc_arguments *a, const struct pc_option_row *row, const char *word)
{
    char what[128], words[64], *rest = words;
    const char *like = NULL;
    snprintf(what, sizeof(what), "--%s takes %s, not", row->name, row->argument);
    snprintf(words, sizeof(words), "%s", row->argument);
    bool taken = pc_text_has_word(row->argument, word);
    for (char *one; !taken && (one = strsep(&rest, "|")) != NULL;)
        pc_text_suggest(word, one, &like);
    if (!taken)
        pc_usage_error_like(a, what, word, like);
    return taken;
}

static const struct {
    const char *name;
    bool keeps_controls; /* it has escapes of its own for them */
} formats[PC_FORMATS] = {
    [PC_FORMAT_TEXT] = { "text", false },         [PC_FORMAT_JSON] = { "json", true },
    [PC_FORMAT_JSONL] = { "jsonl", true },        [PC_FORMAT_GITHUB] = { "github", false },
    [PC_FORMAT_GITLAB] = { "gitlab", true },      [PC_FORMAT_JUNIT] = { "junit", false },
    [PC_FORMAT_MARKDOWN] = { "markdown", false }, [PC_FORMAT_SARIF] = { "sarif", true },
};

bool pc_format_keeps_controls(enum pc_format format)
{
    return formats[format].keeps_controls;
}

static bool take_format(struct pc_arguments *a, const struct pc_option_row *row, const char *value)
{
    if (!is_taken(a, row, value))
        return false;
    a->printer.format = 0;
    while (strcmp(formats[a->printer.format].name, value) != 0)
        a->printer.format++;
    perfcheck_keep_controls(a->pc, formats[a->printer.format].keeps_controls);
    return true;
}

static bool take_fail_on(struct pc_arguments *a, const struct pc_option_row *row, const char *value)
{
    if (!is_taken(a, row, value))
        return false;
    a->fail_on = PERFCHECK_NOTE;
    while (strcmp(pc_severity_name(a->fail_on), value) != 0)
        a->fail_on++;
    return true;
}

static bool take_color(struct pc_arguments *a, const struct pc_option_row *row, const char *value)
{
    if (!is_taken(a, row, value))
        return false;
    a->colour = strcmp(value, "auto") == 0     ? PC_COLOUR_AUTO
                : strcmp(value, "always") == 0 ? PC_COLOUR_ALWAYS
                                               : PC_COLOUR_NEVER;
    return true;
}

static bool take_jobs(struct pc_arguments *a, const struct pc_option_row *row, const char *value)
{
    (void)row;
    char *end;
    long n = strtol(value, &end, 10);
    bool taken = *value >= '0' && *value <= '9' && *end == 0 && n >= 1 && n <= PC_JOBS_MAX;
    if (!taken)
        pc_usage_error(a, "--jobs takes a number from 1 to 256, not", value);
    a->jobs = taken ? (int)n : 1;
    return taken;
}

/* Each that is given counts. */
static bool take_profile(struct pc_arguments *a, const struct pc_option_row *row, const char *value)
{
    char *names = strdup(value), *rest = names, *name;
    bool good = names || pc_no_memory();
    while (good && (name = strsep(&rest, ",")) != NULL) {
        const struct pc_profile *profile = pc_profile_find(name);
        if (profile)
            a->has_profile[profile - pc_profile_at(0)] = true;
        good = is_taken(a, row, name);
    }
    free(names);
    return good;
}

static bool take_text(struct pc_arguments *a, const struct pc_option_row *row, const char *value)
{
    *(const char **)(void *)((char *)a + row->member) = value;
    return !strchr(row->argument, '|') || is_taken(a, row, value);
}

/* Of two files the first would be left out silently. */
static bool take_once(struct pc_arguments *a, const struct pc_option_row *row, const char *value)
{
    char what[64];
    if (!*(const char **)(void *)((char *)a + row->member))
        return take_text(a, row, value);
    snprintf(what, sizeof(what), "--%s takes one %s, not also", row->name, row->argument);
    pc_usage_error(a, what, value);
    return false;
}

static bool take_flag(struct pc_arguments *a, const struct pc_option_row *row, const char *value)
{
    (void)value;
    *(bool *)((char *)a + row->member) = true;
    return true;
}

static bool take_by_library(struct pc_arguments *a, const struct pc_option_row *row, const char *value)
{
    perfcheck_t *pc[] = { a->pc, a->other };
    for (size_t i = 0; i < PC_COUNT_OF(pc); i++) {
        if (perfcheck_set(pc[i], row->name, value) == PERFCHECK_OK)
            continue;
        pc_library_error(a, pc[i]);
        return false;
    }
    if (*perfcheck_error(a->pc))
        snprintf(a->note, sizeof(a->note), "%s", perfcheck_error(a->pc));
    put_dashes(*perfcheck_error(a->pc) ? a->note : NULL);
    return true;
}

/* --- the table --- */

#define MEMBER(member) offsetof(struct pc_arguments, member)

static const char readers[] = "check|info|report|dump|tables|rewrite|split|join|digest|diff",
                  copiers[] = "rewrite|split|join", many[] = "check|info|report|dump|tables|digest",
                  checkers[] = "check|report";

/* In the order in which --help shows them. */
const struct pc_option_row pc_option_rows[] = {
    { "format", "check", "text|json|jsonl|github|gitlab|junit|markdown|sarif",
      .help = "how findings are printed (text)", .take = take_format },
    { "format", "info", "text|json", .help = "how the description is printed (text)", .take = take_format },
    { "plot", "info", NULL, .help = "text: also draw samples over time, by CPU", .take = take_flag,
      .member = MEMBER(plot) },
    { "format", "dump", "text|jsonl", .help = "how fields are printed (text)", .take = take_format },
    { "table", "tables", "records|types|processes|results|digests",
      .help = "which rows (records; with -o or sql all)", .take = take_text, .member = MEMBER(table) },
    { "format", "tables", "csv|jsonl|sql", .help = "how rows are printed (csv)", .take = take_text,
      .member = MEMBER(table_format) },
    { "format", "rewrite", "text|json", .help = "json: also print what was written (text)",
      .take = take_format },
    { "format", "explain", "text|json", .help = "how findings are explained (text)", .take = take_format },
    { "all", "explain", NULL, .help = "explain all findings", .take = take_flag, .member = MEMBER(all) },
    { "fail-on", "check", "error|warning|note", .help = "least severity that makes the exit status 1 (error)",
      .take = take_fail_on },
    { "output", "report", "FILE", .help = "the page; - is standard output", .letter = 'o', .take = take_text,
      .member = MEMBER(output) },
    { "output", "tables", "DIR",
      .help = "write all tables into DIR, which is made, as\nNAME.csv or NAME.jsonl", .letter = 'o',
      .take = take_text, .member = MEMBER(output) },
    { "symbols", "tables", "DIR",
      .help = "results by function and source file of binaries\nin DIR that have the build ids",
      .take = take_text, .member = MEMBER(symbols) },
    { "force", "tables", NULL, .help = "replace DIR if it holds only such files", .take = take_flag,
      .member = MEMBER(force) },
    { "force", "report", NULL, .help = "replace FILE when it exists", .take = take_flag,
      .member = MEMBER(force) },
    { "max-per-id", checkers, "N", .help = "findings shown for each id (20)" },
    { "for", checkers, "perf-X.Y",
      .help = "also report what that perf cannot read, as errors:\n5.10, 6.1, 6.12, 7.2, all, or "
              "simpleperf;\nanother X.Y counts as the one before it" },
    { "disable", checkers, "ID,...", .help = "findings to ignore" },
    { "severity", checkers, "ID=LEVEL,...", .help = "findings to report as error, warning or note" },
    { "byte-order", copiers, "keep|little|big|native|swap", .help = "byte order of the copy (keep)" },
    { "to", "rewrite", "keep|file|pipe|directory", .help = "container of the copy (keep)" },
    { "for", copiers, "perf-X.Y",
      .help = "write what that perf reads:\n5.10, 6.1, 6.12, 7.2, or all;\nanother X.Y counts as the one "
              "before it" },
    { "compress", copiers, "[LEVEL]", .help = "compress records, level 1 to 22 (1)" },
    { "decompress", copiers, NULL,
      .help = "decompress records; without either option they\nstay as they are" },
    { "drop", copiers, "KIND[:NAME],...", .help = "leave out what a refusal names" },
    { "force", "rewrite", NULL, .help = "replace OUTPUT when it exists" },
    { "force", "split|join", NULL, .help = "replace OUTPUT_DIR if it holds only a capture" },
    { "no-verify", copiers, NULL, .help = "do not read the output again" },
    { "salvage", "rewrite", NULL, .help = "copy what is sound of a damaged capture, and list\nthe rest" },
    { "header-from", "rewrite", "FILE",
      .help = "with --salvage: take a header that was never\nwritten from FILE, of the same recording" },
    { "keep-partial", "rewrite", "FILE",
      .help = "keep the bytes of a stream in FILE when OUTPUT\ndoes not get all of them" },
    { "symbols-out", "rewrite", "FILE",
      .help = "write the symbols that simpleperf recorded into\nFILE, as text: perf does not read them" },
    { "rotate", "rewrite", "SIZE|TIME",
      .help = "write OUTPUT.0, OUTPUT.1, ...: a new one after\nSIZE (K, M, G) or TIME (s, m, h, d)" },
    { "require", checkers, "DEMAND,...",
      .help = "errors if there are no samples, callchains,\nbranch-stacks, timestamps, cpu, build-ids,\n"
              "header:FEATURE, event:NAME or arch:NAME" },
    { "min-samples", checkers, "N", .help = "an error if there are fewer samples" },
    { "max-lost", checkers, "N|P%", .help = "an error if more samples or records were lost" },
    { "max-size", checkers, "SIZE", .help = "an error if the capture has more bytes" },
    { "policy", checkers, "FILE",
      .help = "options from FILE; else from perfcheck.toml of\nthis directory or the nearest above",
      .take = take_once, .member = MEMBER(policy_path) },
    { "no-policy", checkers, NULL, .help = "do not look for perfcheck.toml; FILE counts", .take = take_flag,
      .member = MEMBER(no_policy) },
    { "show-policy", "check", NULL,
      .help = "print which options count and where they stand,\nand check nothing", .take = take_flag,
      .member = MEMBER(show_policy) },
    { "profile", checkers, "flamegraph|autofdo|bolt|sched|archive|strict",
      .help = "demand what a use of captures needs; 'perfcheck\nexplain NAME' tells what",
      .take = take_profile },
    { "baseline", checkers, "FILE", .help = "do not report findings that FILE has accepted",
      .take = take_text, .member = MEMBER(baseline_path) },
    { "write-baseline", "check", NULL, .help = "write FILE of --baseline: accept what is found now",
      .take = take_flag, .member = MEMBER(write_baseline) },
    { "force", "check", NULL, .help = "let --write-baseline replace any other file", .take = take_flag,
      .member = MEMBER(force) },
    { "only", "check", "valid|invalid|unreadable", .help = "print only captures with this verdict",
      .take = take_text, .member = MEMBER(only) },
    { "jobs", "check", "N", .help = "check N captures at once (1)", .letter = 'j', .take = take_jobs },
    { "recursive", many, NULL, .help = "search directories for captures,\nwithout a note about each",
      .letter = 'r', .take = take_flag, .member = MEMBER(captures.recursive) },
    { "files0-from", many, "FILE",
      .help = "also read names of captures from FILE (-: standard\ninput), a NUL after each",
      .take = take_once, .member = MEMBER(captures.list) },
    { "check", "digest", NULL, .help = "CAPTUREs are lists that digest printed: compare", .take = take_flag,
      .member = MEMBER(compare) },
    { "color", "check", "auto|always|never", .help = "colour severities (auto: on a terminal)",
      .take = take_color },
    { "no-progress", readers, NULL, .help = "show no progress on a terminal", .take = take_flag,
      .member = MEMBER(no_progress) },
    { "max-memory", readers, "SIZE", .help = "memory limit (54M); SIZE may end with K, M or G" },
    { "max-spool", readers, "SIZE",
      .help = "limit of temporary storage for a file-mode capture\nfrom a pipe (16G)" },
    { "threads", readers, "N", .help = "threads; all but one read ahead (number of CPUs)" },
    { "max-inflated", readers, "SIZE", .help = "limit of the content of compressed records (64G)" },
    { "all", "check", NULL, .help = "text: show each finding on a line of its own", .take = take_flag,
      .member = MEMBER(printer.all) },
    { "verbose", "check", NULL, .help = "text: show notes too", .letter = 'v', .take = take_flag,
      .member = MEMBER(printer.notes) },
    { "quiet", "digest", NULL, .help = "with --check: do not print what matches", .letter = 'q',
      .take = take_flag, .member = MEMBER(printer.quiet) },
    { "quiet", copiers, NULL, .help = "do not say what was written", .letter = 'q', .take = take_flag,
      .member = MEMBER(printer.quiet) },
    { "quiet", "check", NULL, .help = "print nothing", .letter = 'q', .take = take_flag,
      .member = MEMBER(printer.quiet) },
};

const size_t pc_nr_options = PC_COUNT_OF(pc_option_rows);
static_assert(PC_COUNT_OF(pc_option_rows) <= PC_OPTIONS_MAX, "room for each");

const struct pc_option_row pc_common_rows[PC_COMMON_OPTIONS] = {
    [PC_OPTION_HELP] = { "help", NULL, NULL, .help = "print the usage and the options" },
    [PC_OPTION_VERSION] = { "version", NULL, NULL, .help = "print the version" },
};

const struct pc_option_row *pc_option_named(const char *command, const char *name)
{
    for (size_t i = 0; i < PC_COUNT_OF(pc_option_rows); i++) {
        if (strcmp(pc_option_rows[i].name, name) == 0 &&
            pc_text_has_word(pc_option_rows[i].commands, command))
            return &pc_option_rows[i];
    }
    return NULL;
}

/* Makes room for one more option. */
static bool reserve(struct pc_arguments *a)
{
    size_t room = a->room == 0 ? 32 : 2 * a->room;
    if (a->nr_taken < a->room)
        return true;
    struct pc_taken_option *more = reallocarray(a->taken, room, sizeof(*more));
    if (!more)
        return pc_no_memory();
    a->taken = more;
    a->room = room;
    return true;
}

bool pc_option_take(struct pc_arguments *a, const struct pc_option_row *row, const char *value)
{
    if (!reserve(a) || !(row->take ? row->take : take_by_library)(a, row, value))
        return false;
    a->taken[a->nr_taken++] = (struct pc_taken_option){ row, value, a->reading, a->line, a->source == 1 };
    return true;
}

/* A line or two, of at most 80 columns. */
static void print_row(FILE *out, const struct pc_option_row *row)
{
    const int column = 28;
    int n =
        row->letter ? fprintf(out, "  -%c, --%s", row->letter, row->name) : fprintf(out, "  --%s", row->name);
    if (row->argument && row->argument[0] == '[')
        n += fprintf(out, "[=%s", row->argument + 1);
    else if (row->argument)
        n += fprintf(out, "=%s", row->argument);
    if (n >= column)
        n = fprintf(out, "\n") - 1;
    for (const char *line = row->help; line; n = 0) {
        size_t len = strcspn(line, "\n");
        fprintf(out, "%*s%.*s\n", column - n, "", (int)len, line);
        line = line[len] ? line + len + 1 : NULL;
    }
}

void pc_arguments_help(FILE *out, const char *command)
{
    for (size_t i = 0; i < PC_COUNT_OF(pc_option_rows); i++) {
        if (pc_text_has_word(pc_option_rows[i].commands, command))
            print_row(out, &pc_option_rows[i]);
    }
    for (size_t i = 0; i < PC_COMMON_OPTIONS; i++)
        print_row(out, &pc_common_rows[i]);
}

bool pc_arguments_help_one(FILE *out, const char *command, const char *name)
{
    const struct pc_option_row *row = pc_option_named(command, name);
    for (size_t i = 0; !row && i < PC_COMMON_OPTIONS; i++)
        row = strcmp(pc_common_rows[i].name, name) == 0 ? &pc_common_rows[i] : NULL;
    if (!row)
        return false;
    print_row(out, row);
    if (strcmp(name, "require") != 0)
        return true;
    perfcheck_t *pc = perfcheck_new();
    const perfcheck_entry_t *demand;
    for (size_t i = 0; (demand = perfcheck_entry(pc, PERFCHECK_DEMANDS, i)) != NULL; i++)
        fprintf(out, "%s    %s\n", i == 0 ? "\n" : "", demand->name);
    perfcheck_free(pc);
    return true;
}

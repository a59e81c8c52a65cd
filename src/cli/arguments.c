/* SPDX-License-Identifier: MIT
 *
 * The table of options, and how a command line is read by it.
 */
#include "cli/arguments.h"

#include "base/text.h"
#include "cli/show.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *name;
    const char *commands; /* that have it: words with | between them */
    const char *argument; /* NULL: none; "[...]": optional; words with | are all that it may be */
    const char *help;
    char letter; /* 0: there is no short form */
    /* NULL: the library knows the option by its name. */
    bool (*take)(struct pc_arguments *arguments, const struct row *row, const char *value);
    size_t member; /* what take_flag and take_text set: its place in the arguments */
};

/* like: what was probably meant; NULL: nobody knows. */
static void usage_error(const struct pc_arguments *a, const char *what, const char *value, const char *like)
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
    usage_error(a, what, value, NULL);
}

void pc_library_error(const struct pc_arguments *a, const perfcheck_t *pc)
{
    char *text = strdup(perfcheck_error(pc));
    put_dashes(text);
    pc_usage_error(a, text ? text : perfcheck_error(pc), NULL);
    free(text);
}

/* --- options of the program --- */

/* Whether the argument may be this word; reports it when not. */
static bool is_taken(const struct pc_arguments *a, const struct row *row, const char *word)
{
    char what[128], words[64], *rest = words;
    const char *like = NULL;
    snprintf(what, sizeof(what), "--%s takes %s, not", row->name, row->argument);
    snprintf(words, sizeof(words), "%s", row->argument);
    bool taken = pc_text_has_word(row->argument, word);
    for (char *one; !taken && (one = strsep(&rest, "|")) != NULL;)
        pc_text_suggest(word, one, &like);
    if (!taken)
        usage_error(a, what, word, like);
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

static bool take_format(struct pc_arguments *a, const struct row *row, const char *value)
{
    if (!is_taken(a, row, value))
        return false;
    a->printer.format = 0;
    while (strcmp(formats[a->printer.format].name, value) != 0)
        a->printer.format++;
    perfcheck_keep_controls(a->pc, formats[a->printer.format].keeps_controls);
    return true;
}

static bool take_fail_on(struct pc_arguments *a, const struct row *row, const char *value)
{
    if (!is_taken(a, row, value))
        return false;
    a->fail_on = PERFCHECK_NOTE;
    while (strcmp(pc_severity_name(a->fail_on), value) != 0)
        a->fail_on++;
    return true;
}

static bool take_color(struct pc_arguments *a, const struct row *row, const char *value)
{
    if (!is_taken(a, row, value))
        return false;
    a->colour = strcmp(value, "auto") == 0     ? PC_COLOUR_AUTO
                : strcmp(value, "always") == 0 ? PC_COLOUR_ALWAYS
                                               : PC_COLOUR_NEVER;
    return true;
}

static bool take_jobs(struct pc_arguments *a, const struct row *row, const char *value)
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

static bool take_text(struct pc_arguments *a, const struct row *row, const char *value)
{
    *(const char **)(void *)((char *)a + row->member) = value;
    return !strchr(row->argument, '|') || is_taken(a, row, value);
}

static bool take_flag(struct pc_arguments *a, const struct row *row, const char *value)
{
    (void)value;
    *(bool *)((char *)a + row->member) = true;
    return true;
}

static bool take_by_library(struct pc_arguments *a, const struct row *row, const char *value)
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
    a->set[a->nr_set++] = row->name;
    a->set[a->nr_set++] = value;
    return true;
}

/* --- the table --- */

#define MEMBER(member) offsetof(struct pc_arguments, member)

static const char readers[] = "check|info|report|dump|tables|rewrite|split|join|digest|diff",
                  copiers[] = "rewrite|split|join", many[] = "check|info|report|dump|tables|digest",
                  checkers[] = "check|report";

/* In the order in which --help shows them. */
static const struct row rows[] = {
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
    { "force", "tables", NULL, .help = "replace DIR when it holds such files alone", .take = take_flag,
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
    { "force", "split|join", NULL, .help = "replace OUTPUT_DIR when it is a capture alone" },
    { "no-verify", copiers, NULL, .help = "do not read the output again" },
    { "salvage", "rewrite", NULL, .help = "copy what is sound of a damaged capture, and list\nthe rest" },
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
      .take = take_text, .member = MEMBER(policy_path) },
    { "no-policy", checkers, NULL, .help = "do not look for perfcheck.toml", .take = take_flag,
      .member = MEMBER(no_policy) },
    { "profile", checkers, "flamegraph|autofdo|bolt|sched|archive|strict",
      .help = "demand what a use of captures needs; 'perfcheck\nexplain NAME' tells what", .take = take_text,
      .member = MEMBER(profile_name) },
    { "baseline", checkers, "FILE", .help = "do not report findings that FILE has accepted",
      .take = take_text, .member = MEMBER(baseline_path) },
    { "write-baseline", "check", NULL, .help = "write FILE of --baseline: accept what is found now",
      .take = take_flag, .member = MEMBER(write_baseline) },
    { "only", "check", "valid|invalid|unreadable", .help = "print only captures with this verdict",
      .take = take_text, .member = MEMBER(only) },
    { "jobs", "check", "N", .help = "check N captures at once (1)", .letter = 'j', .take = take_jobs },
    { "recursive", many, NULL,
      .help = "take the captures in directories,\nwithout a note that they are walked", .letter = 'r',
      .take = take_flag, .member = MEMBER(captures.recursive) },
    { "files0-from", many, "FILE",
      .help = "also read names of captures from FILE (-: standard\ninput), a NUL after each",
      .take = take_text, .member = MEMBER(captures.list) },
    { "check", "digest", NULL, .help = "CAPTUREs are lists that digest printed: compare", .take = take_flag,
      .member = MEMBER(compare) },
    { "color", "check", "auto|always|never", .help = "colour severities (auto: on a terminal)",
      .take = take_color },
    { "no-progress", readers, NULL, .help = "show no progress on a terminal", .take = take_flag,
      .member = MEMBER(no_progress) },
    { "max-memory", readers, "SIZE", .help = "memory limit (54M); SIZE may end with K, M or G" },
    { "max-spool", readers, "SIZE",
      .help = "limit of temporary storage for a file-mode capture\nfrom a pipe (16G)" },
    { "max-inflated", readers, "SIZE", .help = "limit of the content of compressed records (64G)" },
    { "all", "check", NULL, .help = "text: show all findings that follow from another one", .take = take_flag,
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

size_t pc_arguments_help(FILE *out, const char *command)
{
    const int column = 28;
    size_t nr = 0;
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        const struct row *row = &rows[i];
        int n = 0;
        if (!pc_text_has_word(row->commands, command))
            continue;
        nr++;
        if (!out)
            continue;
        n += row->letter ? fprintf(out, "  -%c, --%s", row->letter, row->name)
                         : fprintf(out, "  --%s", row->name);
        if (row->argument && row->argument[0] == '[')
            n += fprintf(out, "[=%s", row->argument + 1);
        else if (row->argument)
            n += fprintf(out, "=%s", row->argument);
        if (n >= column)
            n = fprintf(out, "\n") - 1;
        for (const char *line = row->help; line; n = 0) { /* at most 80 columns */
            size_t len = strcspn(line, "\n");
            fprintf(out, "%*s%.*s\n", column - n, "", (int)len, line);
            line = line[len] ? line + len + 1 : NULL;
        }
    }
    return nr;
}

/* --- the command line --- */

/* Values of getopt's options that are not in the table; those of the table follow. */
enum { HELP = 256, VERSION, FIRST_ROW };

/* The table in the form that getopt needs. */
static void make_getopt_tables(const char *command, struct option *longs, char *shorts)
{
    *shorts++ = ':'; /* a missing argument is told from an unknown option */
    *longs++ = (struct option){ "help", no_argument, NULL, HELP };
    *longs++ = (struct option){ "version", no_argument, NULL, VERSION };
    for (int i = 0; i < (int)PC_COUNT_OF(rows); i++) {
        const struct row *row = &rows[i];
        if (!pc_text_has_word(row->commands, command))
            continue;
        int argument = !row->argument            ? no_argument
                       : row->argument[0] == '[' ? optional_argument
                                                 : required_argument;
        *longs++ = (struct option){ row->name, argument, NULL, FIRST_ROW + i };
        if (row->letter)
            *shorts++ = row->letter;
        if (row->letter && row->argument)
            *shorts++ = ':';
    }
    *longs = (struct option){ 0 };
    *shorts = 0;
}

/* The row of a value of getopt; NULL: none. */
static const struct row *row_of(const char *command, int key)
{
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        bool is_letter =
            rows[i].letter && key == rows[i].letter && pc_text_has_word(rows[i].commands, command);
        if (is_letter || key == FIRST_ROW + (int)i)
            return &rows[i];
    }
    return NULL;
}

/* The option of the command that a word is probably meant to be; NULL: none. */
static const char *option_like(const char *command, const char *word)
{
    const char *like = NULL;
    pc_text_suggest(word, "help", &like); /* all commands have these */
    pc_text_suggest(word, "version", &like);
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        if (pc_text_has_word(rows[i].commands, command))
            pc_text_suggest(word, rows[i].name, &like);
    }
    return like;
}

/* Reports what getopt did not take. missing: the argument of an option that it knows. */
static void report_unknown(const struct pc_arguments *a, const char *word, bool missing)
{
    char text[128];
    const struct row *row = row_of(a->command, optopt);
    if (row) {
        snprintf(text, sizeof(text), missing ? "--%s needs %s" : "--%s takes no argument", row->name,
                 missing ? row->argument : "");
        pc_usage_error(a, text, NULL);
        return;
    }
    if (optopt != 0) {
        snprintf(text, sizeof(text), "%s has no option -%c", a->command, optopt);
        pc_usage_error(a, text, NULL);
        return;
    }
    snprintf(text, sizeof(text), "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *like = option_like(a->command, text);
    char shown[PC_ESCAPED_MAX(sizeof(text))], what[sizeof(shown) + 128];
    perfcheck_escape(text, 0, shown, sizeof(shown));
    snprintf(what, sizeof(what), "%s has no option --%s%s%s%s", a->command, shown,
             like ? "; did you mean --" : "", like ? like : "", like ? "?" : "");
    pc_usage_error(a, what, NULL);
}

/* --- the policy --- */

/* Options that a policy may have: they say what is good, not what is checked or how it is shown. */
static const char policies[] =
    "fail-on|max-per-id|for|disable|severity|require|min-samples|max-lost|max-size|profile|baseline",
                  lists[] = "disable|severity|require"; /* these add to those of the command line */

static_assert(PC_COUNT_OF(rows) <= PC_OPTIONS_MAX, "room for each");

static const struct row *row_named(const char *command, const char *name)
{
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        if (strcmp(rows[i].name, name) == 0 && pc_text_has_word(rows[i].commands, command))
            return &rows[i];
    }
    return NULL;
}

/* The key is none, or belongs elsewhere. */
static bool refuse_key(const struct pc_arguments *a, const char *key)
{
    char words[sizeof(policies)], what[sizeof(policies) + 32], *rest = words, *one;
    const char *like = NULL;
    snprintf(what, sizeof(what), "a policy takes %s, not", policies);
    memcpy(words, policies, sizeof(words));
    while ((one = strsep(&rest, "|")) != NULL)
        pc_text_suggest(key, one, &like);
    usage_error(a, like ? "a policy has no key" : what, key, like);
    return false;
}

/* An option that stands elsewhere than on the command line, which wins. */
static bool take_default(struct pc_arguments *a, const char *name, const char *value)
{
    const struct row *row = row_named(a->command, name);
    if (!row || (a->given[row - rows] && !pc_text_has_word(lists, name)))
        return true;
    a->given[row - rows] = true;
    return (row->take ? row->take : take_by_library)(a, row, value);
}

/* The baseline of a policy, which is from its own folder. */
static bool take_baseline(struct pc_arguments *a, const char *name)
{
    char *path = pc_policy_beside(&a->policy, name);
    if (path)
        a->pair[a->nr_pairs++] = path;
    bool taken = path && take_default(a, "baseline", path);
    if (taken && a->baseline_path == path)
        memcpy(a->baseline_place, a->place, sizeof(a->place));
    return taken;
}

/* A key of a policy or profile, as if it were an option of the command line. */
static bool take_key(void *ctx, unsigned line, const char *table, const char *key,
                     const struct pc_toml_value *value)
{
    struct pc_arguments *a = ctx;
    char *pair = NULL;
    bool of_severity = strcmp(table, "severity") == 0;
    pc_policy_place(a->profile.path ? &a->profile : &a->policy, line, a->place, sizeof(a->place));
    if (!of_severity && (*table || !key)) {
        usage_error(a, "the table of a policy is [severity], not", table, NULL);
        return false;
    }
    if (!key)
        return true;
    const char *name = *table ? table : key, *text = value->text;
    bool is_list = pc_text_has_word(lists, name);
    if (!pc_text_has_word(policies, name))
        return refuse_key(a, name);
    if ((strcmp(name, "severity") == 0) != of_severity) {
        usage_error(a, "severities stand in a table, [severity], one line each: ID = \"error\"", NULL, NULL);
        return false;
    }
    if (value->kind == PC_TOML_ARRAY && !is_list) {
        usage_error(a, "one value, not an array, is what a policy has for", key, NULL);
        return false;
    }
    if (value->kind == PC_TOML_ARRAY && value->elements == 0 && !of_severity)
        return true; /* nothing is demanded */
    if (of_severity && asprintf(&pair, "%s=%s", key, text) < 0)
        return false;
    if (of_severity)
        text = a->pair[a->nr_pairs++] = pair;
    if (strcmp(name, "baseline") != 0)
        return take_default(a, name, text);
    if (value->kind == PC_TOML_TEXT && *text)
        return take_baseline(a, text);
    usage_error(a, "--baseline takes the name of a file in quotes, not", text, NULL);
    return false;
}

/* A word of PERFCHECK_OPTS. An option that only other commands have is nothing to this one. */
static bool take_word(struct pc_arguments *a, char *word)
{
    const struct row *row = NULL;
    const char *like = NULL;
    char *value = strchr(word, '=');
    if (value)
        *value++ = 0;
    for (size_t i = 0; !row && strncmp(word, "--", 2) == 0 && i < PC_COUNT_OF(rows); i++) {
        pc_text_suggest(word + 2, rows[i].name, &like);
        row = strcmp(word + 2, rows[i].name) == 0 ? &rows[i] : NULL;
    }
    if (row && (row->argument ? value || row->argument[0] == '[' : !value))
        return take_default(a, row->name, value);
    usage_error(a, row ? "an argument is missing, or too many, for" : "no command has an option", word,
                row ? NULL : like);
    return false;
}

static bool read_environment(struct pc_arguments *a)
{
    const char *options = getenv("PERFCHECK_OPTS");
    bool good = true;
    a->environment = options ? strdup(options) : NULL;
    snprintf(a->place, sizeof(a->place), "PERFCHECK_OPTS: ");
    for (char *rest = a->environment, *word; good && (word = strsep(&rest, " \t\n")) != NULL;)
        good = *word == 0 || take_word(a, word);
    *a->place = 0;
    return good;
}

/* Reads the policy and the profile of a command that has them. */
static bool read_policy(struct pc_arguments *a)
{
    if (!row_named(a->command, "policy"))
        return true;
    bool good = (a->no_policy || pc_policy_read(&a->policy, a->policy_path, take_key, a)) &&
                (!a->profile_name || pc_profile_read(&a->profile, a->profile_name, take_key, a));
    *a->place = 0;
    return good;
}

static bool read_baseline(struct pc_arguments *a)
{
    if (a->baseline_path && !a->write_baseline)
        return pc_baseline_read(&a->baseline, a->baseline_place, a->baseline_path, a->pc);
    if (a->write_baseline && !a->baseline_path)
        pc_usage_error(a, "--write-baseline needs --baseline=FILE", NULL);
    return a->baseline_path || !a->write_baseline;
}

int pc_arguments_read(struct pc_arguments *a, const char *command, int argc, char **argv)
{
    struct option longs[PC_COUNT_OF(rows) + 3];
    char shorts[2 * PC_COUNT_OF(rows) + 2];
    int key;
    *a = (struct pc_arguments){ .fail_on = PERFCHECK_ERROR, .printer = { .out = stdout, .err = stderr } };
    a->command = command;
    a->pc = perfcheck_new();
    a->other = perfcheck_new();
    a->jobs = 1;
    const char *more = getenv("PERFCHECK_OPTS");
    a->set = calloc(2 * ((size_t)argc + (size_t)2 * PC_TOML_KEYS_MAX + (more ? strlen(more) : 0)),
                    sizeof(*a->set));
    if (!a->pc || !a->other || !a->set) {
        fputs("perfcheck: no memory\n", stderr);
        return -1;
    }
    make_getopt_tables(command, longs, shorts);
    opterr = 0;
    while ((key = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        a->help = key == HELP;
        a->version = key == VERSION;
        if (a->help || a->version)
            return optind;
        const struct row *row = row_of(command, key);
        if (!row)
            report_unknown(a, argv[optind - 1], key == ':');
        if (!row || !(row->take ? row->take : take_by_library)(a, row, optarg))
            return -1;
        a->given[row - rows] = true;
    }
    if (!read_environment(a) || !read_policy(a) || !read_baseline(a))
        return -1;
    if (*a->note && !a->printer.quiet)
        fprintf(stderr, "perfcheck: %s\n", a->note);
    pc_print_listen(&a->printer, a->pc);
    return optind;
}

const char *pc_arguments_value(const struct pc_arguments *a, const char *option)
{
    for (size_t i = a->nr_set; i >= 2; i -= 2) {
        if (strcmp(a->set[i - 2], option) == 0)
            return a->set[i - 1] ? a->set[i - 1] : "";
    }
    return NULL;
}

perfcheck_t *pc_arguments_new_handle(const struct pc_arguments *a)
{
    perfcheck_t *pc = perfcheck_new();
    bool good = pc != NULL;
    for (size_t i = 0; good && i < a->nr_set; i += 2)
        good = perfcheck_set(pc, a->set[i], a->set[i + 1]) == PERFCHECK_OK;
    if (good) {
        perfcheck_keep_controls(pc, formats[a->printer.format].keeps_controls);
        return pc;
    }
    perfcheck_free(pc);
    return NULL;
}

void pc_arguments_clear(struct pc_arguments *a)
{
    free(a->set);
    while (a->nr_pairs > 0)
        free(a->pair[--a->nr_pairs]);
    free(a->environment);
    pc_policy_clear(&a->policy);
    pc_policy_clear(&a->profile);
    pc_baseline_clear(&a->baseline);
    perfcheck_free(a->pc);
    perfcheck_free(a->other);
    pc_captures_clear(&a->captures);
}

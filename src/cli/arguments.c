/* SPDX-License-Identifier: MIT
 *
 * The table of options, and how a command line is read by it.
 */
#include "cli/arguments.h"

#include "cli/show.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *name;
    char letter;          /* 0: there is no short form */
    const char *argument; /* NULL: none; "[...]": optional; words with | are all that it may be */
    const char *help;
    bool (*take)(struct pc_arguments *arguments, const struct row *row, const char *value);
    size_t flag; /* what take_flag sets: its place in the arguments */
};

void pc_usage_error(const char *what, const char *value)
{
    fprintf(stderr, "perfcheck: %s%s", what, value ? " " : "");
    if (value)
        pc_print_escaped(stderr, value);
    fputs(" (try 'perfcheck --help')\n", stderr);
}

/* --- options of the program --- */

/* Whether a list of words with | between them has this one; reports it when not. */
static bool has_word(const struct row *row, const char *word)
{
    char what[128];
    size_t len = strlen(word);
    for (const char *list = row->argument; list; list = strchr(list, '|') ? strchr(list, '|') + 1 : NULL) {
        if (strncmp(list, word, len) == 0 && (list[len] == '|' || list[len] == 0))
            return true;
    }
    snprintf(what, sizeof(what), "--%s takes %s, not", row->name, row->argument);
    pc_usage_error(what, word);
    return false;
}

static bool take_format(struct pc_arguments *a, const struct row *row, const char *value)
{
    static const char *const formats[] = { "text", "json", "jsonl", NULL };
    if (!has_word(row, value))
        return false;
    a->printer.format = (enum pc_format)pc_option_value(value, formats);
    return true;
}

static bool take_fail_on(struct pc_arguments *a, const struct row *row, const char *value)
{
    if (!has_word(row, value))
        return false;
    a->fail_on = (enum pc_severity)pc_option_value(value, pc_severity_names);
    return true;
}

static bool take_flag(struct pc_arguments *a, const struct row *row, const char *value)
{
    (void)value;
    *(bool *)((char *)a + row->flag) = true;
    return true;
}

/* The library knows the option by its name. */
static bool take_by_library(struct pc_arguments *a, const struct row *row, const char *value)
{
    struct pc_buffer why;
    if (pc_options_set(&a->chosen, row->name, value, &why))
        return true;
    pc_usage_error(why.text, NULL);
    return false;
}

/* --- the table --- */

#define FLAG(member) offsetof(struct pc_arguments, member)

static const struct row rows[PC_OPTIONS] = {
    [PC_OPT_FORMAT_CHECK] = { "format", 0, "text|json|jsonl", "how findings are printed (text)", take_format,
                              0 },
    [PC_OPT_FORMAT_INFO] = { "format", 0, "text|json", "how the description is printed (text)", take_format,
                             0 },
    [PC_OPT_FORMAT_DUMP] = { "format", 0, "text|jsonl", "how fields are printed (text)", take_format, 0 },
    [PC_OPT_FAIL_ON] = { "fail-on", 0, "error|warning|note",
                         "least severity that makes the exit status 1 (error)", take_fail_on, 0 },
    [PC_OPT_MAX_PER_ID] = { "max-per-id", 0, "N", "findings shown for each id (20)", take_by_library, 0 },
    [PC_OPT_FOR_CHECK] = { "for", 0, "perf-X.Y",
                           "also report, as errors, what that perf cannot read: 5.10, 6.1, 6.12 or 7.2",
                           take_by_library, 0 },
    [PC_OPT_DISABLE] = { "disable", 0, "ID,...", "findings to ignore", take_by_library, 0 },
    [PC_OPT_SEVERITY] = { "severity", 0, "ID=LEVEL,...", "findings to report as error, warning or note",
                          take_by_library, 0 },
    [PC_OPT_BYTE_ORDER] = { "byte-order", 0, "keep|little|big|native|swap", "byte order of the copy (keep)",
                            take_by_library, 0 },
    [PC_OPT_TO] = { "to", 0, "keep|file|pipe|directory", "container of the copy (keep)", take_by_library, 0 },
    [PC_OPT_FOR_COPY] = { "for", 0, "perf-X.Y", "write what that perf reads: 5.10, 6.1, 6.12 or 7.2",
                          take_by_library, 0 },
    [PC_OPT_COMPRESS] = { "compress", 0, "[LEVEL]", "compress records, level 1 to 22 (1)", take_by_library,
                          0 },
    [PC_OPT_DECOMPRESS] = { "decompress", 0, NULL,
                            "decompress records; without either option they stay as they are",
                            take_by_library, 0 },
    [PC_OPT_DROP] = { "drop", 0, "KIND[:NAME],...", "leave out what cannot be copied, as a refusal names it",
                      take_by_library, 0 },
    [PC_OPT_FORCE_FILE] = { "force", 0, NULL, "replace OUTPUT when it exists", take_by_library, 0 },
    [PC_OPT_FORCE_DIRECTORY] = { "force", 0, NULL,
                                 "replace OUTPUT_DIR when it contains nothing but a capture", take_by_library,
                                 0 },
    [PC_OPT_NO_VERIFY] = { "no-verify", 0, NULL, "do not read the output again", take_by_library, 0 },
    [PC_OPT_NO_PROGRESS] = { "no-progress", 0, NULL, "show no progress on a terminal", take_flag,
                             FLAG(no_progress) },
    [PC_OPT_MAX_MEMORY] = { "max-memory", 0, "SIZE", "memory limit (54M); SIZE may end with K, M or G",
                            take_by_library, 0 },
    [PC_OPT_MAX_SPOOL] = { "max-spool", 0, "SIZE",
                           "limit of temporary storage for a file-mode capture from a pipe (16G)",
                           take_by_library, 0 },
    [PC_OPT_MAX_INFLATED] = { "max-inflated", 0, "SIZE", "limit of the content of compressed records (64G)",
                              take_by_library, 0 },
    [PC_OPT_VERBOSE] = { "verbose", 'v', NULL, "text: show notes too", take_flag, FLAG(printer.notes) },
    [PC_OPT_QUIET] = { "quiet", 'q', NULL, "print nothing", take_flag, FLAG(printer.quiet) },
};

void pc_arguments_help(FILE *out, uint32_t allowed)
{
    const int column = 28;
    for (size_t i = 0; i < PC_OPTIONS; i++) {
        const struct row *row = &rows[i];
        int n = 0;
        if (!(allowed >> i & 1))
            continue;
        n += row->letter ? fprintf(out, "  -%c, --%s", row->letter, row->name)
                         : fprintf(out, "  --%s", row->name);
        if (row->argument && row->argument[0] == '[')
            n += fprintf(out, "[=%s", row->argument + 1);
        else if (row->argument)
            n += fprintf(out, "=%s", row->argument);
        if (n >= column)
            n = fprintf(out, "\n") - 1;
        fprintf(out, "%*s%s\n", column - n, "", row->help);
    }
}

/* --- the command line --- */

/* Values of getopt's options that are not in the table; those of the table follow. */
enum { HELP = 256, VERSION, FIRST_ROW };

/* The table in the form that getopt needs. */
static void make_getopt_tables(uint32_t allowed, struct option *longs, char *shorts)
{
    *longs++ = (struct option){ "help", no_argument, NULL, HELP };
    *longs++ = (struct option){ "version", no_argument, NULL, VERSION };
    for (int i = 0; i < PC_OPTIONS; i++) {
        const struct row *row = &rows[i];
        if (!(allowed >> i & 1))
            continue;
        int argument = !row->argument            ? no_argument
                       : row->argument[0] == '[' ? optional_argument
                                                 : required_argument;
        *longs++ = (struct option){ row->name, argument, NULL, FIRST_ROW + i };
        if (row->letter)
            *shorts++ = row->letter;
    }
    *longs = (struct option){ 0 };
    *shorts = 0;
}

static const struct row *row_of(int key)
{
    for (size_t i = 0; i < PC_OPTIONS; i++) {
        if (key == FIRST_ROW + (int)i || (rows[i].letter && key == rows[i].letter))
            return &rows[i];
    }
    return NULL;
}

int pc_arguments_read(struct pc_arguments *a, uint32_t allowed, int argc, char **argv)
{
    struct option longs[PC_OPTIONS + 3];
    char shorts[PC_OPTIONS + 1];
    int key;
    *a = (struct pc_arguments){ .fail_on = PC_ERROR, .printer = { .out = stdout, .err = stderr } };
    pc_options_init(&a->chosen);
    make_getopt_tables(allowed, longs, shorts);
    while ((key = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        a->help = key == HELP;
        a->version = key == VERSION;
        if (a->help || a->version)
            return optind;
        const struct row *row = row_of(key); /* NULL: getopt has reported it */
        if (!row || !row->take(a, row, optarg))
            return -1;
    }
    struct pc_rewrite *rewrite = &a->chosen.rewrite;
    rewrite->limits = a->chosen.limits;
    rewrite->tell = pc_print_tell(&a->printer);
    return optind;
}

void pc_arguments_clear(struct pc_arguments *a)
{
    pc_options_clear(&a->chosen);
}

/* SPDX-License-Identifier: MIT
 *
 * How the options of a command line, of the environment and of policies are read by their table.
 */
#include "cli/arguments.h"

#include "base/text.h"
#include "cli/option_table.h"
#include "cli/show.h"

#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the command line --- */

/* Values of getopt's options that are not in the table; those of the table follow. */
enum { FIRST_COMMON = 256, FIRST_ROW = FIRST_COMMON + PC_COMMON_OPTIONS };

/* The table in the form that getopt needs. */
static void make_getopt_tables(const char *command, struct option *longs, char *shorts)
{
    *shorts++ = ':'; /* a missing argument is told from an unknown option */
    for (int i = 0; i < PC_COMMON_OPTIONS; i++)
        *longs++ = (struct option){ pc_common_rows[i].name, no_argument, NULL, FIRST_COMMON + i };
    for (int i = 0; i < (int)pc_nr_options; i++) {
        const struct pc_option_row *row = &pc_option_rows[i];
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
static const struct pc_option_row *row_of(const char *command, int key)
{
    for (size_t i = 0; i < pc_nr_options; i++) {
        bool is_letter = pc_option_rows[i].letter && key == pc_option_rows[i].letter &&
                         pc_text_has_word(pc_option_rows[i].commands, command);
        if (is_letter || key == FIRST_ROW + (int)i)
            return &pc_option_rows[i];
    }
    return NULL;
}

const char *pc_option_like(const char *command, const char *word)
{
    const char *like = NULL;
    for (size_t i = 0; i < PC_COMMON_OPTIONS; i++)
        pc_text_suggest(word, pc_common_rows[i].name, &like);
    for (size_t i = 0; i < pc_nr_options; i++) {
        if (pc_text_has_word(pc_option_rows[i].commands, command))
            pc_text_suggest(word, pc_option_rows[i].name, &like);
    }
    return like;
}

/* Reports what getopt did not take. missing: the argument of an option that it knows. */
static void report_unknown(const struct pc_arguments *a, const char *word, bool missing)
{
    char text[128];
    const struct pc_option_row *row = row_of(a->command, optopt);
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
    const char *like = pc_option_like(a->command, text);
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
                  lists[] = "disable|severity|require|profile"; /* these add to those of the command line */

/* The key is none, or belongs elsewhere. */
static bool refuse_key(const struct pc_arguments *a, const char *key)
{
    char words[sizeof(policies)], what[sizeof(policies) + 32], *rest = words, *one;
    const char *like = NULL;
    snprintf(what, sizeof(what), "a policy takes %s, not", policies);
    memcpy(words, policies, sizeof(words));
    while ((one = strsep(&rest, "|")) != NULL)
        pc_text_suggest(key, one, &like);
    pc_usage_error_like(a, like ? "a policy has no key" : what, key, like);
    return false;
}

/* The key is one of a policy. */
static bool refuse_use(const struct pc_arguments *a, const char *key, const char *why)
{
    char what[96];
    snprintf(what, sizeof(what), "%s %s", key, why);
    pc_usage_error(a, what, NULL);
    return false;
}

/* An option that stands elsewhere than on the command line, which wins. */
static bool take_default(struct pc_arguments *a, const char *name, const char *value)
{
    const struct pc_option_row *row = pc_option_named(a->command, name);
    unsigned char *given = row ? &a->given[row - pc_option_rows] : NULL;
    if (pc_text_has_word("show-policy|write-baseline", name)) { /* what is meant for one run */
        pc_usage_error(a, "only the command line takes", name);
        return false;
    }
    if (!row || (*given != 0 && *given != a->source + 1 && !pc_text_has_word(lists, name)))
        return true;
    *given = (unsigned char)(a->source + 1);
    return pc_option_take(a, row, value);
}

/* The baseline of a policy, which is from its own folder. */
static bool take_baseline(struct pc_arguments *a, const char *name)
{
    char *path = pc_policy_beside(&a->policy, name);
    if (!path)
        return pc_no_memory();
    a->pair[a->nr_pairs++] = path;
    bool taken = take_default(a, "baseline", path);
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
    pc_policy_place(a->reading, line, a->place, sizeof(a->place));
    a->line = line;
    if (!of_severity && (*table || !key)) {
        pc_usage_error(a, "the table of a policy is [severity], not", table);
        return false;
    }
    if (!key)
        return true;
    const char *name = *table ? table : key, *text = value->text;
    bool is_list = pc_text_has_word(lists, name);
    if (!pc_text_has_word(policies, name))
        return refuse_key(a, name);
    if ((strcmp(name, "severity") == 0) != of_severity) {
        pc_usage_error(a, "severities stand in a table, [severity], one line each: ID = \"error\"", NULL);
        return false;
    }
    if (of_severity && pc_text_has_word(policies, key) && strcmp(key, "severity") != 0)
        return refuse_use(a, key, "belongs above the table [severity]");
    if ((value->kind == PC_TOML_ARRAY || value->in_array) && (!is_list || of_severity))
        return refuse_use(a, of_severity ? "a severity" : key, "is one value, not an array");
    if (value->kind == PC_TOML_ARRAY)
        return true; /* nothing is demanded */
    if (of_severity && asprintf(&pair, "%s=%s", key, text) < 0)
        return pc_no_memory();
    if (of_severity)
        text = a->pair[a->nr_pairs++] = pair;
    if (strcmp(name, "baseline") != 0)
        return take_default(a, name, text);
    if (value->kind == PC_TOML_TEXT && *text)
        return take_baseline(a, text);
    pc_usage_error(a, "--baseline takes the name of a file in quotes, not", text);
    return false;
}

/* The row of an option by a letter: of the command, or else of any that has it; NULL: none has. */
static const struct pc_option_row *row_of_letter(const char *command, char letter)
{
    const struct pc_option_row *row = row_of(command, (unsigned char)letter);
    for (size_t i = 0; !row && i < pc_nr_options; i++)
        row = pc_option_rows[i].letter == letter ? &pc_option_rows[i] : NULL;
    return row;
}

static bool needs_value(const struct pc_option_row *row)
{
    return row->argument && row->argument[0] != '[';
}

static bool refuse_quote(const struct pc_arguments *a)
{
    pc_usage_error(a, "a quote has no end", NULL);
    return false;
}

/* An option of PERFCHECK_OPTS with what may follow it. One that only other commands have is nothing to this
 * one. */
static bool take_option(struct pc_arguments *a, const struct pc_option_row *row, const char *value)
{
    if (row->argument ? value || row->argument[0] == '[' : !value)
        return take_default(a, row->name, value);
    char what[96];
    snprintf(what, sizeof(what), "an argument is missing, or too many, for --%s", row->name);
    pc_usage_error(a, what, NULL);
    return false;
}

/* The next word of PERFCHECK_OPTS, without quotes and what they are for: blanks in it. NULL: there is none.
 * False: a quote has no end. */
static bool next_word(char **rest, char **word)
{
    char *from = *rest + strspn(*rest, " \t\n"), *to = from, quote = 0;
    *word = *from ? from : NULL;
    for (; *from && (quote || !strchr(" \t\n", *from)); from++) {
        if (quote ? *from == quote : *from == '"' || *from == '\'')
            quote = (char)(quote ? 0 : *from);
        else
            *to++ = *from;
    }
    *rest = from + (*from != 0);
    *to = 0;
    return !quote;
}

/* "-q", "-qj4", "-j" and then "4" */
static bool take_letters(struct pc_arguments *a, const char *letters, char **rest)
{
    for (; *letters; letters++) {
        const struct pc_option_row *row = row_of_letter(a->command, *letters);
        if (!row) {
            pc_usage_error(a, "no command has such an option:", letters);
            return false;
        }
        if (needs_value(row) && !letters[1]) {
            char *value;
            return next_word(rest, &value) ? take_option(a, row, value) : refuse_quote(a);
        }
        if (row->argument)
            return take_option(a, row, letters[1] ? letters + 1 : NULL);
        if (!take_option(a, row, NULL))
            return false;
    }
    return true;
}

/* A word of PERFCHECK_OPTS, and the one after it if that is its value. */
static bool take_word(struct pc_arguments *a, char *word, char **rest)
{
    const struct pc_option_row *row = NULL;
    const char *like = NULL;
    if (word[0] == '-' && word[1] != '-' && word[1] != 0)
        return take_letters(a, word + 1, rest);
    char *value = strchr(word, '=');
    if (value)
        *value++ = 0;
    for (size_t i = 0; !row && strncmp(word, "--", 2) == 0 && i < pc_nr_options; i++) {
        pc_text_suggest(word + 2, pc_option_rows[i].name, &like);
        row = strcmp(word + 2, pc_option_rows[i].name) == 0 ? &pc_option_rows[i] : NULL;
    }
    if (row && needs_value(row) && !value && !next_word(rest, &value))
        return refuse_quote(a);
    if (row)
        return take_option(a, row, value);
    pc_usage_error_like(a, "no command has an option", word, like);
    return false;
}

static bool read_environment(struct pc_arguments *a)
{
    const char *options = getenv("PERFCHECK_OPTS");
    bool good = true;
    a->environment = options ? strdup(options) : NULL;
    if (options && !a->environment)
        return pc_no_memory();
    snprintf(a->place, sizeof(a->place), "PERFCHECK_OPTS: ");
    a->source = 1;
    for (char *rest = a->environment, *word; good && rest;) {
        good = next_word(&rest, &word) || refuse_quote(a);
        if (!word)
            break;
        good = good && take_word(a, word, &rest);
    }
    *a->place = 0;
    return good;
}

/* Reads the policy and the profile of a command that has them. */
static bool read_policy(struct pc_arguments *a)
{
    if (!pc_option_named(a->command, "policy"))
        return true;
    a->reading = &a->policy;
    a->source = 2;
    bool named = a->policy_path || !a->no_policy; /* or may be found */
    bool good = !named || pc_policy_read(&a->policy, a->policy_path, take_key, a);
    for (size_t i = PC_PROFILES; good && i-- > 0;) {
        a->reading = &a->profile[i];
        a->source++;
        good = !a->has_profile[i] || pc_profile_read(&a->profile[i], pc_profile_at(i), take_key, a);
    }
    *a->place = 0;
    return good;
}

static bool read_baseline(struct pc_arguments *a)
{
    if (a->baseline_path && !a->write_baseline)
        return pc_baseline_read(&a->baseline, a->baseline_place, a->baseline_path, a->pc);
    if (a->write_baseline && !a->baseline_path)
        pc_usage_error(a, "--write-baseline needs --baseline=FILE", NULL);
    if (a->write_baseline && a->baseline_path && !pc_baseline_locate(&a->baseline, a->baseline_path)) {
        pc_print_about(stderr, "cannot write ", a->baseline_path, pc_text_error(errno), NULL);
        return false;
    }
    if (a->write_baseline && a->baseline_path)
        pc_baseline_look(&a->baseline, a->baseline_path);
    return a->baseline_path || !a->write_baseline;
}

/* A capture that is read alone may have a second thread, if there are CPUs. */
static void set_threads(struct pc_arguments *a)
{
    cpu_set_t cpus;
    char number[16];
    if (a->jobs > 1 || pc_arguments_value(a, "threads") || sched_getaffinity(0, sizeof(cpus), &cpus) != 0)
        return;
    snprintf(number, sizeof(number), "%d", CPU_COUNT(&cpus));
    perfcheck_set(a->pc, "threads", number);
    perfcheck_set(a->other, "threads", number);
}

int pc_arguments_read(struct pc_arguments *a, const char *command, int argc, char **argv)
{
    struct option longs[PC_OPTIONS_MAX + PC_COMMON_OPTIONS + 1];
    char shorts[2 * PC_OPTIONS_MAX + 2];
    int key;
    *a = (struct pc_arguments){ .fail_on = PERFCHECK_ERROR, .printer = { .out = stdout, .err = stderr } };
    a->command = command;
    a->pc = perfcheck_new();
    a->other = perfcheck_new();
    a->jobs = 1;
    if (!a->pc || !a->other) {
        pc_no_memory();
        return -1;
    }
    make_getopt_tables(command, longs, shorts);
    opterr = 0;
    while ((key = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        a->help = key == FIRST_COMMON + PC_OPTION_HELP;
        a->version = key == FIRST_COMMON + PC_OPTION_VERSION;
        if (a->help || a->version)
            return optind;
        const struct pc_option_row *row = row_of(command, key);
        if (!row)
            report_unknown(a, argv[optind - 1], key == ':');
        if (!row || !pc_option_take(a, row, optarg))
            return -1;
        a->given[row - pc_option_rows] = 1;
    }
    if (!read_environment(a) || !read_policy(a) || !read_baseline(a))
        return -1;
    set_threads(a);
    if (*a->note && !a->printer.quiet)
        fprintf(stderr, "perfcheck: %s\n", a->note);
    pc_print_listen(&a->printer, a->pc);
    return optind;
}

const char *pc_arguments_value(const struct pc_arguments *a, const char *option)
{
    for (size_t i = a->nr_taken; i-- > 0;) {
        const struct pc_taken_option *one = &a->taken[i];
        if (!one->row->take && strcmp(one->row->name, option) == 0)
            return one->value ? one->value : "";
    }
    return NULL;
}

perfcheck_t *pc_arguments_new_handle(const struct pc_arguments *a)
{
    perfcheck_t *pc = perfcheck_new();
    bool good = pc != NULL;
    for (size_t i = 0; good && i < a->nr_taken; i++)
        good = a->taken[i].row->take ||
               perfcheck_set(pc, a->taken[i].row->name, a->taken[i].value) == PERFCHECK_OK;
    if (good) {
        perfcheck_keep_controls(pc, pc_format_keeps_controls(a->printer.format));
        return pc;
    }
    perfcheck_free(pc);
    return NULL;
}

static void show_option(FILE *out, const struct pc_taken_option *one)
{
    char place[300] = "command line: ";
    if (one->file)
        pc_policy_place(one->file, one->line, place, sizeof(place));
    pc_print_escaped(out, one->of_environment ? "PERFCHECK_OPTS: " : place);
    fprintf(out, "--%s%s", one->row->name, one->value ? "=" : "");
    pc_print_escaped(out, one->value ? one->value : "");
    fputc('\n', out);
}

void pc_arguments_show(FILE *out, const struct pc_arguments *a)
{
    fputs(a->policy.path ? "policy: " : "no policy", out);
    pc_print_escaped(out, a->policy.path ? a->policy.path : "");
    fputc('\n', out);
    for (size_t i = 0; i < a->nr_taken; i++) {
        const struct pc_option_row *row = a->taken[i].row;
        bool replaced = strcmp(row->name, "show-policy") == 0;
        for (size_t later = i + 1; later < a->nr_taken && !pc_text_has_word(lists, row->name); later++)
            replaced |= a->taken[later].row == row;
        if (!replaced)
            show_option(out, &a->taken[i]);
    }
    pc_baseline_show(&a->baseline, out);
}

void pc_arguments_clear(struct pc_arguments *a)
{
    free(a->taken);
    while (a->nr_pairs > 0)
        free(a->pair[--a->nr_pairs]);
    free(a->environment);
    pc_policy_clear(&a->policy);
    for (size_t i = 0; i < PC_PROFILES; i++)
        pc_policy_clear(&a->profile[i]);
    pc_baseline_clear(&a->baseline);
    perfcheck_free(a->pc);
    perfcheck_free(a->other);
    pc_captures_clear(&a->captures);
}

/* SPDX-License-Identifier: MIT
 *
 * The command `explain`: what findings mean, and messages of other tools.
 */
#include "base/text.h"
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/policy.h"
#include "cli/show.h"

#include <ctype.h>
#include <string.h>

static const char class_prefix[] = "class:", class_unsafe[] = "class:unsafe";

struct explain {
    perfcheck_t *pc;
    FILE *out;
    enum pc_format format;
    struct pc_json array; /* of JSON */
    size_t printed;
};

static bool is_json(const struct explain *e)
{
    return e->format == PC_FORMAT_JSON;
}

/* --- one finding or message --- */

/* Prints a heading and a text, indented by 4 columns, in lines of at most 96. */
static void print_paragraph(FILE *out, const char *heading, const char *text)
{
    size_t column = (size_t)fprintf(out, "   %s", heading);
    for (const char *word = text; *word;) {
        size_t n = strcspn(word, " ");
        if (column + 1 + n > 96) {
            fputs("\n   ", out);
            column = 3;
        }
        column += (size_t)fprintf(out, " %.*s", (int)n, word);
        word += n;
        word += *word == ' ';
    }
    fputs("\n", out);
}

static void print_explanation(FILE *out, const perfcheck_finding_t *f)
{
    fprintf(out, "%s %s (%s%s%s)\n    %s\n\n", f->id, f->name, pc_severity_name(f->severity),
            *f->class_name ? ", " : "", f->class_name, f->message);
    print_paragraph(out, "", f->explanation);
    if (*f->harm) {
        char seen[512];
        snprintf(seen, sizeof(seen), "%s (%s)%s%s.", f->harms, f->harmed_commands, *f->cve ? "; " : "",
                 f->cve);
        print_paragraph(out, " Unsafe:", f->harm);
        print_paragraph(out, " Seen in", seen);
    }
    if (*f->next)
        print_paragraph(out, " Next:", f->next);
    if (*f->not_read_by)
        fprintf(out, "    Not read by %s.\n", f->not_read_by);
}

static void print_finding(struct explain *e, const perfcheck_finding_t *f)
{
    if (is_json(e))
        pc_json_explanation(&e->array, f);
    else if (e->printed != 0)
        fputs("\n", e->out);
    if (!is_json(e))
        print_explanation(e->out, f);
    e->printed++;
}

static void print_message(struct explain *e, const struct pc_message *m)
{
    if (is_json(e)) {
        struct pc_json object = pc_json_open_in(&e->array, NULL, '{', true);
        pc_json_text(&object, "tool", m->tool);
        pc_json_text(&object, "message", m->text);
        pc_json_text(&object, "explanation", m->meaning);
        pc_json_text(&object, "next", m->next);
        pc_json_list(&object, "findings", m->findings, "");
        pc_json_close(&object);
    } else {
        fprintf(e->out, "%s%s: \"%s\"\n\n", e->printed != 0 ? "\n" : "", m->tool, m->text);
        print_paragraph(e->out, "", m->meaning);
        print_paragraph(e->out, " Next:", m->next);
        if (*m->findings)
            print_paragraph(e->out, " See:", m->findings);
    }
    e->printed++;
}

static void print_profile(struct explain *e, const struct pc_profile *profile)
{
    if (is_json(e)) {
        struct pc_json object = pc_json_open_in(&e->array, NULL, '{', true);
        pc_json_text(&object, "profile", profile->name);
        pc_json_text(&object, "explanation", profile->about);
        pc_json_text(&object, "policy", profile->keys);
        pc_json_close(&object);
    } else {
        fprintf(e->out, "%s--profile=%s\n\n", e->printed != 0 ? "\n" : "", profile->name);
        print_paragraph(e->out, "", profile->about);
        fputs("\n    As a policy:\n", e->out);
        for (const char *line = profile->keys; *line; line += strcspn(line, "\n") + 1)
            fprintf(e->out, "        %.*s\n", (int)strcspn(line, "\n"), line);
    }
    e->printed++;
}

/* --- which ones a word means --- */

struct wanted {
    const char *typed;
    char name[64]; /* id or name in their usual form; "": it is longer */
};

/* PC0802 for pc0802, 802, 0802 and 0x802; other words in small letters. */
static struct wanted wanted(const char *typed)
{
    struct wanted w = { .typed = typed };
    bool prefix = tolower((unsigned char)typed[0]) == 'p' && tolower((unsigned char)typed[1]) == 'c';
    bool hex = !prefix && typed[0] == '0' && tolower((unsigned char)typed[1]) == 'x';
    const char *digits = typed + (prefix || hex ? 2 : 0);
    size_t len = strlen(digits);
    if (len != 0 && len <= 4 && strspn(digits, "0123456789") == len)
        snprintf(w.name, sizeof(w.name), "PC%.*s%s", (int)(4 - len), "000", digits);
    else if (strlen(typed) < sizeof(w.name))
        for (len = 0; typed[len]; len++)
            w.name[len] = (char)tolower((unsigned char)typed[len]);
    return w;
}

static const perfcheck_finding_t *numbered(struct explain *e, size_t number)
{
    return perfcheck_explain(e->pc, NULL, number);
}

/* The class that a word names, with or without the prefix; NULL: none. */
static const char *class_of(const struct wanted *w)
{
    size_t prefix = strlen(class_prefix);
    bool bare = strcmp(w->name, class_unsafe + prefix) == 0;
    return bare ? w->name : strncmp(w->name, class_prefix, prefix) == 0 ? w->name + prefix : NULL;
}

/* Whether the finding is of the class that the word names, or has the word as a part of its name. */
static bool is_meant(const perfcheck_finding_t *f, const struct wanted *w)
{
    const char *class = class_of(w);
    if (class)
        return *f->class_name && strcmp(f->class_name, class) == 0;
    return strlen(w->name) >= 3 && strstr(f->name, w->name);
}

static size_t count_meant(struct explain *e, const struct wanted *w)
{
    const perfcheck_finding_t *f;
    size_t nr = 0;
    for (size_t i = 0; (f = numbered(e, i)) != NULL; i++)
        nr += is_meant(f, w);
    return nr;
}

/* Explains all findings of a class; lists those whose names have a part in common. */
static void print_meant(struct explain *e, const struct wanted *w)
{
    bool list = !is_json(e) && !class_of(w) && count_meant(e, w) > 1;
    const perfcheck_finding_t *f;
    if (list && e->printed != 0)
        fputs("\n", e->out);
    for (size_t i = 0; (f = numbered(e, i)) != NULL; i++) {
        if (!is_meant(f, w))
            continue;
        if (list)
            fprintf(e->out, "%s %s (%s): %s\n", f->id, f->name, pc_severity_name(f->severity), f->message);
        else
            print_finding(e, f);
    }
    e->printed += list;
}

static bool is_known(struct explain *e, const char *word)
{
    struct wanted w = wanted(word);
    return pc_profile_find(word) || perfcheck_explain(e->pc, w.name, 0) || count_meant(e, &w) != 0 ||
           pc_message_find(word);
}

static void print_known(struct explain *e, const char *word)
{
    struct wanted w = wanted(word);
    const perfcheck_finding_t *f = perfcheck_explain(e->pc, w.name, 0);
    const struct pc_profile *profile = pc_profile_find(word);
    if (profile)
        print_profile(e, profile);
    if (f)
        print_finding(e, f);
    else if (!profile && count_meant(e, &w) != 0)
        print_meant(e, &w);
    else if (!profile)
        print_message(e, pc_message_find(word));
}

static void report_unknown(struct explain *e, const char *word)
{
    struct wanted w = wanted(word);
    const char *best = NULL;
    const perfcheck_finding_t *f;
    for (size_t i = 0; (f = numbered(e, i)) != NULL; i++) {
        pc_text_suggest(w.name, f->id, &best); /* ids and names live forever */
        pc_text_suggest(w.name, f->name, &best);
    }
    pc_text_suggest(w.name, class_unsafe + strlen(class_prefix), &best);
    pc_text_suggest(w.name, class_unsafe, &best);
    for (size_t i = 0; i < PC_PROFILES; i++)
        pc_text_suggest(w.name, pc_profile_at(i)->name, &best);
    if (!best) {
        pc_print_about(stderr, "unknown finding or message ", word,
                       "'perfcheck explain --all' lists all findings", NULL);
        return;
    }
    fputs("perfcheck: unknown finding or message ", stderr);
    pc_print_escaped(stderr, word);
    fprintf(stderr, "; did you mean '%s'?\n", best);
}

/* The words of a message that has no quotes around it, as one text. */
static bool join(char **operand, int nr, char *text, size_t size)
{
    size_t len = 0;
    for (int i = 0; i < nr && len < size; i++)
        len += (size_t)snprintf(text + len, size - len, "%s%s", i == 0 ? "" : " ", operand[i]);
    return len < size;
}

/* --- the command --- */

static void print(struct explain *e, char **operand, int nr, const struct pc_message *joined)
{
    const perfcheck_finding_t *f;
    if (is_json(e))
        e->array = pc_json_open(e->out, '[', false);
    for (size_t i = 0; nr == 0 && (f = numbered(e, i)) != NULL; i++)
        print_finding(e, f);
    if (joined)
        print_message(e, joined);
    for (int i = 0; i < nr && !joined; i++)
        print_known(e, operand[i]);
    if (!is_json(e))
        return;
    pc_json_close(&e->array);
    fputs("\n", e->out);
}

enum pc_status pc_command_explain(struct pc_arguments *a, char **operand, int nr)
{
    struct explain e = { .pc = a->pc, .out = a->printer.out, .format = a->printer.format };
    const struct pc_message *joined = NULL;
    char text[1024];
    int known = 0;
    if (a->all)
        nr = 0;
    while (known < nr && is_known(&e, operand[known]))
        known++;
    if (known < nr && join(operand, nr, text, sizeof(text)))
        joined = pc_message_find(text);
    if (known < nr && !joined) {
        report_unknown(&e, operand[known]);
        return PC_STATUS_TROUBLE;
    }
    print(&e, operand, nr, joined);
    return PC_STATUS_GOOD;
}

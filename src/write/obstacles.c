/* SPDX-License-Identifier: MIT */
#include "write/obstacles.h"
#include "write/edits.h"

#include "check/scan.h"

#include <stdio.h>
#include <string.h>

/* Adds a word to a list, unless it is in it. */
static void add_word(char *list, size_t size, const char *word, const char *between)
{
    size_t n = strlen(list);
    if (!strstr(list, word))
        snprintf(list + n, size - n, "%s%s", n != 0 ? between : "", word);
}

/* Whether the perf that the copy is for would read a copy in this form. What is only a finding for it was not
 * mended when it is still in a copy. */
static bool would_read(const struct pc_obstacles *o, const struct pc_copy_form *form)
{
    const struct pc_report *report = &o->scan->report;
    for (enum pc_diag id = PC_D_FOR_FINDING; pc_diag_is_for_reader(id); id++) {
        bool cured = id != PC_D_FOR_FINDING && pc_copy_cures(id, form);
        if (pc_pipe_brings(id, form, o->scan) & form->reader)
            return false;
        if (report->by_id[id] != 0 && pc_report_severity(report, id) == PC_ERROR && !cured)
            return false;
    }
    return true;
}

/* Those of the versions that the copy is for which would not read it, even if it were for each of them alone.
 */
static const char *who_refuses(const struct pc_obstacles *o)
{
    const struct pc_report *report = &o->scan->report;
    const unsigned reader = o->how->reader; /* once: gcc 12 takes the address of a second one for its value */
    struct pc_copy_form alone = *o->form;
    unsigned who = 0;
    alone.reader = PC_BY_NONE; /* not for several */
    for (enum pc_diag id = PC_D_FOR_FINDING; pc_diag_is_for_reader(id); id++) {
        if (pc_report_severity(report, id) == PC_ERROR)
            who |= report->not_read[id];
        who |= pc_pipe_brings(id, &alone, o->scan);
    }
    for (size_t i = 0; i < report->nr; i++) {
        const struct pc_finding *f = &report->finding[i];
        if (f->repeats != PC_NO_DIAG)
            who |= pc_diag_info(f->repeats)->rejected_by;
    }
    who &= reader;
    return pc_version_name((enum pc_versions)(who != 0 ? who : reader));
}

/* The options with which the perf that the copy is for would read it, the fewest that there are, in words;
 * false: none. */
static bool find_options(const struct pc_obstacles *o, char *words, size_t size)
{
    enum { PIPE = 1, BIG = 2, PACKED = 4, ALL = 7 };
    words[0] = 0;
    for (unsigned most = 1; most <= 2 && words[0] == 0; most++) {
        for (unsigned change = PIPE; change < ALL; change++) {
            struct pc_copy_form form = *o->form;
            char one[64] = "";
            bool is_none = ((change & BIG) && !form.big) || ((change & PACKED) && !form.packed);
            form.pipe ^= (change & PIPE) != 0;
            form.big &= !(change & BIG);
            form.packed &= !(change & PACKED);
            unsigned nr = (change & 1) + (change >> 1 & 1) + (change >> 2 & 1);
            if (is_none || nr != most || !would_read(o, &form))
                continue;
            if (change & PIPE)
                add_word(one, sizeof(one), form.pipe ? "--to=pipe" : "--to=file", " and ");
            if (change & BIG)
                add_word(one, sizeof(one), "--byte-order=little", " and ");
            if (change & PACKED)
                add_word(one, sizeof(one), "--decompress", " and ");
            add_word(words, size, one, ", or ");
        }
    }
    return words[0] != 0;
}

/* The option that accepts all that cannot be carried over; false: some of it has none. */
static bool find_drops(const struct pc_obstacles *o, char *words, size_t size)
{
    const struct pc_report *report = &o->scan->report;
    words[0] = 0;
    for (size_t i = 0; i < report->nr; i++) {
        const struct pc_finding *f = &report->finding[i];
        if (f->severity != PC_ERROR || !pc_diag_is_for_copy(f->id))
            continue;
        const struct pc_value *name = &f->expected;
        char one[PC_VALUE_MAX + 1];
        if (!strstr(pc_diag_info(f->id)->message, "--drop={e}"))
            return false;
        if (name->kind == PC_V_BYTES)
            snprintf(one, sizeof(one), "%.*s", (int)name->len, (const char *)name->bytes);
        else
            snprintf(one, sizeof(one), "%s", name->text ? name->text : "");
        add_word(words, size, one, ",");
    }
    return words[0] != 0;
}

/* The options to give next: of those in words the first that do. drops: what --drop has to name. */
static void say_next(const struct pc_obstacles *o, const char *path, const char *drops, const char *words)
{
    char options[640] = "";
    size_t n = 0, len = strcspn(words, ",");
    if (drops[0])
        n = (size_t)snprintf(options, sizeof(options), "--drop=%s%s", drops, words[0] ? " " : "");
    for (size_t i = 0; i < len && n < sizeof(options) - 1; i++) {
        static const char and[] = "and ";
        if (strncmp(words + i, and, strlen(and)) == 0)
            i += strlen(and);
        options[n++] = words[i];
    }
    options[n] = 0;
    pc_rewrite_say(o->how, path, PC_SAY_NEXT, options);
}

/* That no option accepts it, and what explains the first such error. */
static void say_no_option(const struct pc_obstacles *o, const char *path, bool for_copy)
{
    const struct pc_report *report = &o->scan->report;
    pc_rewrite_say(o->how, path, "refused", "no option accepts that");
    for (size_t i = 0; i < report->nr; i++) {
        const struct pc_finding *f = &report->finding[i];
        bool is_meant = for_copy ? pc_diag_is_for_copy(f->id) : pc_diag_is_for_reader(f->id);
        char command[64];
        if (f->severity != PC_ERROR || !is_meant)
            continue;
        snprintf(command, sizeof(command), "perfcheck explain %s",
                 f->repeats != PC_NO_DIAG ? f->seen.text : pc_diag_info(f->id)->id);
        pc_rewrite_say(o->how, path, PC_SAY_NEXT, command);
        break;
    }
}

/* What cannot be carried over, and what the perf that the copy is for would not read, with all options that
 * accept it, or that there is none. */
void pc_obstacles_say(const struct pc_obstacles *o, const char *path)
{
    char what[128], words[384] = "", options[160] = "", all[640];
    const char *reader = who_refuses(o);
    bool carried = !o->refused, read = !o->unread && would_read(o, o->form);
    if (!carried)
        pc_rewrite_say(o->how, path, "refused", "not all of it can be carried over");
    if (!read)
        pc_rewrite_say(o->how, path, "refused: it would not be read by", reader);
    bool has_drops = carried || find_drops(o, words, sizeof(words));
    if (!has_drops || (!read && !find_options(o, options, sizeof(options)))) {
        say_no_option(o, path, !has_drops);
        return;
    }
    if (o->how->reader == PC_BY_NONE)
        return;
    if (read)
        snprintf(what, sizeof(what), "it would be written with");
    else
        snprintf(what, sizeof(what), "%s read%s the copy with", reader,
                 pc_is_for_several(o->form) ? "" : "s");
    snprintf(all, sizeof(all), "%s%s%s%s", words[0] ? "--drop=" : "", words,
             words[0] && options[0] ? " and " : "", options);
    pc_rewrite_say(o->how, path, what, all);
    say_next(o, path, words, options);
}

/* Why it would not be read: each finding once. No place: the copy goes away. */
void pc_obstacles_say_copy(const struct pc_obstacles *o, const char *output)
{
    const struct pc_report *report = &o->scan->report;
    char why[512] = "", one[160], options[160];
    for (size_t i = 0; i < report->nr; i++) {
        const struct pc_finding *f = &report->finding[i];
        if (f->severity != PC_ERROR || !pc_diag_is_for_reader(f->id))
            continue;
        snprintf(one, sizeof(one), "%s %s", pc_diag_info(f->id)->id,
                 f->repeats != PC_NO_DIAG ? f->seen.text : pc_diag_info(f->id)->name);
        add_word(why, sizeof(why), one, ", ");
    }
    pc_rewrite_say(o->how, output, "not written: it would not be read by", who_refuses(o));
    pc_rewrite_say(o->how, output, "because of", why);
    if (!find_options(o, options, sizeof(options))) {
        say_no_option(o, output, false);
        return;
    }
    pc_rewrite_say(o->how, output, "it would be with", options);
    say_next(o, output, "", options);
}

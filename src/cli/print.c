/* SPDX-License-Identifier: MIT
 *
 * Findings, verdicts and messages as text for people.
 */
#include "cli/print.h"
#include "cli/forms.h"
#include "cli/show.h"

#include <inttypes.h>
#include <string.h>

/* So many findings that follow from the cause are shown. */
#define RELATED_SHOWN 3

enum pc_status pc_status_shown(perfcheck_t *pc)
{
    if (perfcheck_verdict(pc) == PERFCHECK_UNREADABLE)
        return PC_STATUS_TROUBLE;
    return perfcheck_summary(pc)->recognised ? PC_STATUS_GOOD : PC_STATUS_FINDINGS;
}

static void print_coloured(const struct pc_printer *p, perfcheck_severity_t severity)
{
    static const char *const colours[] = { "\033[36m", "\033[33m", "\033[31m" };
    if (p->colour)
        fprintf(p->out, "%s%s\033[0m: ", colours[severity], pc_severity_name(severity));
    else
        fprintf(p->out, "%s: ", pc_severity_name(severity));
}

/* times: so often, as findings with the same message are one line; more: others of the id were not kept. */
static void print_findings_of(const struct pc_printer *p, const char *path, const perfcheck_finding_t *f,
                              uint64_t times, uint64_t more)
{
    if (f->is_related)
        fputs("    ", p->out);
    pc_print_escaped(p->out, path);
    fprintf(p->out, "%s%s:", *f->member ? "/" : "", f->member);
    pc_print_offset(p->out, f);
    fputs(": ", p->out);
    print_coloured(p, f->severity);
    char message[PC_HINT_MAX];
    if (pc_hint_in_message(f, path, message))
        pc_print_escaped(p->out, message);
    else
        pc_print_message(p->out, f->message);
    fprintf(p->out, " [%s %s]", f->id, f->name);
    if (times > 1)
        fprintf(p->out, ", %" PRIu64 " times", times);
    if (more != 0)
        fprintf(p->out, ", and %" PRIu64 " more of %s", more, f->id);
    fputc('\n', p->out);
}

static void print_finding(const struct pc_printer *p, const char *path, const perfcheck_finding_t *f)
{
    print_findings_of(p, path, f, 1, 0);
}

FILE *pc_print_err(const struct pc_printer *p)
{
    fflush(p->out);
    return p->err;
}

/* Says so if the input, or a member of it, could not be opened: no finding, whose id would explain nothing.
 */
static bool print_not_opened(const struct pc_printer *p, const char *path, const perfcheck_finding_t *why)
{
    if (!why || strcmp(why->name, "open-failed") != 0)
        return false;
    fputs("perfcheck: cannot open ", pc_print_err(p));
    pc_print_escaped(p->err, path);
    fprintf(p->err, "%s%s: %s\n", *why->member ? "/" : "", why->member, why->seen);
    return true;
}

void pc_print_why(const struct pc_printer *p, const char *path, const perfcheck_finding_t *why)
{
    struct pc_printer to_err = *p;
    to_err.out = pc_print_err(p);
    if (!print_not_opened(p, path, why))
        print_finding(&to_err, path, why);
}

bool pc_print_no_capture(const struct pc_printer *p, const char *path, perfcheck_t *pc)
{
    struct pc_printer to_err = *p;
    if (perfcheck_summary(pc)->recognised)
        return false;
    const perfcheck_finding_t *why = perfcheck_finding(pc, 0);
    to_err.out = pc_print_err(p);
    if (why)
        pc_print_why(p, path, why);
    else /* the user wanted no findings, or there was no memory for one */
        pc_print_verdict(&to_err, path, pc);
    return true;
}

/* Whether findings of an id follow from the cause. */
static bool is_related(perfcheck_t *pc, const char *id)
{
    const perfcheck_finding_t *f;
    for (size_t i = 0; (f = perfcheck_finding(pc, i)) != NULL && (f->is_cause || f->is_related); i++) {
        if (f->is_related && strcmp(f->id, id) == 0)
            return true;
    }
    return false;
}

/* A rewrite does already what a finding advises. */
static bool is_shown(const struct pc_printer *p, const perfcheck_finding_t *f, perfcheck_severity_t least)
{
    return f->severity >= least || f->about_copy == 1 || (f->about_copy == 2 && !p->folds);
}

/* --- equal findings in one line --- */

/* Findings that say the same. */
struct folded {
    size_t first, nr;  /* the number of the first one, and how many were kept */
    bool all;          /* all of the id that were kept say this ... */
    uint64_t not_kept; /* ... and there are so many more, which were not compared */
};

/* Whether findings equal to number i are one line: in a rewrite those about the copy, or the perf that it is
 * for; in a check those about that perf, unless all are wanted, or so many that comparing them takes long. */
static bool may_fold(const struct pc_printer *p, perfcheck_t *pc, size_t i)
{
    const size_t many = 4096;
    bool each = p->all || perfcheck_finding(pc, many) != NULL;
    const perfcheck_finding_t *f = perfcheck_finding(pc, i);
    return p->folds ? f->is_for_reader || f->about_copy : f->is_for_reader && !each;
}

/* The findings that say the same as number i. */
static struct folded fold(perfcheck_t *pc, size_t i)
{
    struct folded same = { .all = true };
    char id[16], seen[256], expected[256];
    const perfcheck_finding_t *f = perfcheck_finding(pc, i);
    const perfcheck_entry_t *e;
    snprintf(id, sizeof(id), "%s", f->id);
    snprintf(seen, sizeof(seen), "%s", f->seen);
    snprintf(expected, sizeof(expected), "%s", f->expected);
    for (i = 0; (f = perfcheck_finding(pc, i)) != NULL; i++) {
        if (strcmp(f->id, id) != 0)
            continue;
        if (strcmp(f->seen, seen) != 0 || strcmp(f->expected, expected) != 0)
            same.all = false;
        else if (same.nr++ == 0)
            same.first = i;
    }
    for (i = 0; (e = perfcheck_entry(pc, PERFCHECK_SUPPRESSED, i)) != NULL; i++) {
        if (strcmp(e->name, id) == 0)
            same.not_kept = e->number;
    }
    return same;
}

/* A finding, if it is not in the line of another one. */
static void print_folded(const struct pc_printer *p, const char *path, perfcheck_t *pc, size_t i)
{
    struct folded same = { .first = i, .nr = 1 };
    if (may_fold(p, pc, i))
        same = fold(pc, i);
    if (same.first == i)
        print_findings_of(p, path, perfcheck_finding(pc, i), same.nr, same.all ? same.not_kept : 0);
}

/* Whether the line of the findings of an id counts those, too, that were not kept. */
static bool are_all_folded(const struct pc_printer *p, perfcheck_t *pc, const char *id)
{
    const perfcheck_finding_t *f;
    for (size_t i = 0; (f = perfcheck_finding(pc, i)) != NULL; i++) {
        if (strcmp(f->id, id) == 0)
            return may_fold(p, pc, i) && fold(pc, i).all;
    }
    return false;
}

/* How many findings were not kept, of ids with at least this severity. Without a line for each id that
 * follows from the cause, unless all are wanted: returns how many these are. */
static uint64_t print_suppressed(const struct pc_printer *p, const char *path, perfcheck_t *pc,
                                 perfcheck_severity_t least, bool related)
{
    const perfcheck_entry_t *e;
    uint64_t folded = 0;
    for (size_t i = 0; (e = perfcheck_entry(pc, PERFCHECK_SUPPRESSED, i)) != NULL; i++) {
        const char *id = e->name, *name = e->text; /* these live forever */
        uint64_t number = e->number;
        bool follows = !p->all && is_related(pc, id);
        const perfcheck_finding_t *f = perfcheck_explain(pc, id, 0);
        if (follows != related || !is_shown(p, f, least) || are_all_folded(p, pc, id))
            continue;
        folded += number;
        if (follows)
            continue;
        pc_print_escaped(p->out, path);
        fprintf(p->out, ": %" PRIu64 " more of %s %s\n", number, id, name);
    }
    return folded;
}

/* Findings that follow from the cause, from number i on: the first few, unless all are wanted. Returns the
 * number of the one after them. */
static size_t print_related(const struct pc_printer *p, const char *path, perfcheck_t *pc, size_t i,
                            perfcheck_severity_t least)
{
    const perfcheck_finding_t *f;
    uint64_t shown = 0, more = 0;
    for (; (f = perfcheck_finding(pc, i)) != NULL && f->is_related; i++) {
        if (!is_shown(p, f, least))
            continue;
        if (p->all || shown++ < RELATED_SHOWN)
            print_finding(p, path, f);
        else
            more++;
    }
    more += print_suppressed(p, path, pc, least, true);
    if (more != 0)
        fprintf(p->out, "    and %" PRIu64 " more that follow%s from it; --all shows them\n", more,
                more == 1 ? "s" : "");
    return i;
}

void pc_print_verdict(const struct pc_printer *p, const char *path, perfcheck_t *pc)
{
    static const char *const verdicts[] = { "valid", "INVALID", "unreadable" };
    static const char *const colours[] = { "\033[32m", "\033[31m", "\033[31m" };
    const perfcheck_summary_t *sum = perfcheck_summary(pc);
    perfcheck_verdict_t verdict = perfcheck_verdict(pc);
    uint64_t errors = perfcheck_count(pc, PERFCHECK_ERROR), warnings = perfcheck_count(pc, PERFCHECK_WARNING);
    uint64_t notes = perfcheck_count(pc, PERFCHECK_NOTE);
    pc_print_escaped(p->out, path);
    fprintf(p->out, ": %s%s%s: ", p->colour ? colours[verdict] : "", verdicts[verdict],
            p->colour ? "\033[0m" : "");
    fprintf(p->out, "%" PRIu64 " error%s, %" PRIu64 " warning%s", errors, pc_plural(errors), warnings,
            pc_plural(warnings));
    if (notes != 0)
        fprintf(p->out, ", %" PRIu64 " note%s", notes, pc_plural(notes));
    pc_print_accepted(p->out, pc);
    if (!sum->recognised) {
        fputs(verdict == PERFCHECK_INVALID ? " (not recognised as a capture)\n" : " (nothing was checked)\n",
              p->out);
        return;
    }
    fprintf(p->out, " (%s, %s-endian, %" PRIu64 " record%s", sum->container, pc_order_name(sum), sum->records,
            pc_plural(sum->records));
    bool samples = sum->lost_samples >= sum->lost_events; /* as the rule about them: check/flow_losses.c */
    uint64_t lost = samples ? sum->lost_samples : sum->lost_events;
    if (lost != 0)
        fprintf(p->out, ", %" PRIu64 " %s%s lost", lost, samples ? "sample" : "record", pc_plural(lost));
    fputs(")\n", p->out);
}

static void print_findings(const struct pc_printer *p, const char *path, perfcheck_t *pc,
                           perfcheck_severity_t least)
{
    const perfcheck_finding_t *f;
    size_t i = 0;
    while ((f = perfcheck_finding(pc, i)) != NULL) {
        bool is_cause = f->is_cause;
        if (is_shown(p, f, least))
            print_folded(p, path, pc, i);
        i = is_cause ? print_related(p, path, pc, i + 1, least) : i + 1;
    }
    print_suppressed(p, path, pc, least, false);
}

bool pc_print_findings(const struct pc_printer *printer, const char *path, perfcheck_t *pc,
                       perfcheck_severity_t least)
{
    struct pc_printer to_err = *printer;
    to_err.out = pc_print_err(printer);
    if (pc_print_no_capture(printer, path, pc))
        return false;
    print_findings(&to_err, path, pc, least);
    return true;
}

/* --- rewrites --- */

static void on_message(void *ctx, const char *about, const char *what, const char *why)
{
    pc_print_about(((const struct pc_printer *)ctx)->err, "", about, what, why);
}

static void on_report(void *ctx, perfcheck_t *pc, const char *path)
{
    struct pc_printer folding = *(const struct pc_printer *)ctx;
    folding.folds = true;
    pc_print_findings(&folding, path, pc, PERFCHECK_ERROR);
}

void pc_print_listen(struct pc_printer *printer, perfcheck_t *pc)
{
    perfcheck_on_message(pc, on_message, printer);
    perfcheck_on_report(pc, on_report, printer);
}

/* --- checks --- */

static void print_hint(const struct pc_printer *p, const char *path, perfcheck_t *pc)
{
    struct pc_hint hint;
    if (!pc_hint(pc, path, &hint))
        return;
    pc_print_escaped(p->out, path);
    fputs(": next: ", p->out);
    pc_print_escaped(p->out, hint.command);
    if (hint.saves != 0)
        fprintf(p->out, " # saves %" PRIu64 " record%s", hint.saves, pc_plural(hint.saves));
    fputc('\n', p->out);
}

void pc_print_begin(struct pc_printer *p)
{
    const struct pc_form *form = pc_form(p->format);
    if (form && !p->quiet)
        form->begin(p);
    if (p->format == PC_FORMAT_JSON && !p->quiet)
        fputc('[', p->out);
}

void pc_print_end(struct pc_printer *p)
{
    const struct pc_form *form = pc_form(p->format);
    if (form && !p->quiet)
        form->end(p);
    if (p->format == PC_FORMAT_JSON && !p->quiet)
        fputs("]\n", p->out);
}

void pc_print_check(struct pc_printer *p, const char *path, perfcheck_t *pc)
{
    const struct pc_form *form = pc_form(p->format);
    if (p->quiet)
        return;
    if (form) {
        form->capture(p, path, pc);
        return;
    }
    if (p->format == PC_FORMAT_TEXT) {
        bool opened = !print_not_opened(p, path, perfcheck_finding(pc, 0));
        if (opened)
            print_findings(p, path, pc, p->notes ? PERFCHECK_NOTE : PERFCHECK_WARNING);
        pc_print_verdict(p, path, pc);
        if (opened)
            print_hint(p, path, pc);
        fflush(p->out);
        return;
    }
    if (p->format == PC_FORMAT_JSON && p->printed++ != 0)
        fputs(",\n", p->out);
    pc_print_json(p->out, path, pc, false);
    if (p->format == PC_FORMAT_JSONL) {
        fputc('\n', p->out);
        fflush(p->out);
    }
}

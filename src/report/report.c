/* SPDX-License-Identifier: MIT
 *
 * The report: what the policy makes of findings.
 */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

uint64_t pc_report_count(const struct pc_report *report, const enum pc_diag *ids, size_t n)
{
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += report->found[ids[i]];
    return count;
}

uint64_t pc_report_found(const struct pc_report *report, enum pc_diag id)
{
    return report->found[id];
}

uint64_t pc_report_errors(const struct pc_report *report)
{
    return report->errors;
}

bool pc_report_has_feature_error(const struct pc_report *report)
{
    return report->nr_early_features != 0;
}

bool pc_report_is_unreadable(const struct pc_report *report)
{
    return report->unreadable;
}

/* So many findings of an id are kept: by default, whatever the user's cap when the work could not be done,
 * and in place of others where there is no more room. */
#define FEW 20

void pc_policy_init(struct pc_policy *policy)
{
    *policy = (struct pc_policy){ .max_per_id = FEW };
}

static bool make_room(struct pc_report *report)
{
    return pc_grow(report->mem, &report->finding, &report->cap, report->nr + 1, sizeof(*report->finding));
}

void pc_report_init(struct pc_report *report, struct pc_mem *mem, const struct pc_policy *policy)
{
    *report = (struct pc_report){ .mem = mem, .policy = policy };
    make_room(report); /* so that a report of reaching the limit of memory has room */
}

void pc_report_clear(struct pc_report *report)
{
    pc_free(report->mem, report->finding, report->cap * sizeof(*report->finding));
    pc_free(report->mem, report->aside, report->cap_aside * sizeof(*report->aside));
    report->finding = report->aside = NULL;
    report->nr = report->cap = report->nr_aside = report->cap_aside = 0;
}

enum pc_severity pc_report_severity(const struct pc_report *report, enum pc_diag id)
{
    uint8_t own = report->policy->severity[id];
    return own && !pc_diag_is_unreadable(id) ? (enum pc_severity)(own - 1) : pc_diag_info(id)->severity;
}

/* Findings that the work could not be done are shown whatever the user's cap, up to a limit of their own. */
static uint64_t cap_of(const struct pc_report *report, enum pc_diag id)
{
    return pc_diag_is_unreadable(id) ? FEW : report->policy->max_per_id;
}

/* Its offset in its stream, or that of the compressed record that contains it. */
static uint64_t outer_offset(const struct pc_finding *f)
{
    return f->where.inside ? f->where.wrapper_offset : f->offset;
}

/* Remembers the first errors of a stream, those that are not kept included. Those of features, which are read
 * first, leave room for the others. A copy mends records whose size wrapped, so that they are no damage. */
static void keep_early(struct pc_report *report, const struct pc_finding *f)
{
    enum pc_diag id = f->id;
    bool in_feature = f->place == PC_IN_FEATURE;
    size_t kept = in_feature ? report->nr_early_features : report->nr_early - report->nr_early_features;
    if (kept == PC_EARLY_MAX || pc_diag_is_unreadable(id) || id == PC_D_COMPRESSED2_WRAPPED)
        return;
    if (report->nr_early == 0)
        report->early_stream = f->where.stream;
    if (report->early_stream != f->where.stream)
        return;
    report->nr_early_features += in_feature;
    report->early[report->nr_early++] =
        (struct pc_early){ id, f->place, f->number, outer_offset(f), f->where.inside };
}

/* The finding as it is kept or passed on. */
static struct pc_finding judged(const struct pc_finding *finding, enum pc_severity severity)
{
    struct pc_finding f = *finding;
    f.severity = severity;
    f.role = PC_ALONE;
    return f;
}

/* An accepted finding, of which the list may lack what there is no memory for: it is counted by its id. */
static void set_aside(struct pc_report *report, const struct pc_finding *finding)
{
    if (report->on_finding || report->found[finding->id] > cap_of(report, finding->id) ||
        !pc_grow(report->mem, &report->aside, &report->cap_aside, report->nr_aside + 1,
                 sizeof(*report->aside)))
        return;
    report->aside[report->nr_aside++] = judged(finding, pc_report_severity(report, finding->id));
}

/* The id of which the most findings are kept. */
static enum pc_diag fullest(const struct pc_report *report)
{
    enum pc_diag most = PC_NO_DIAG;
    for (enum pc_diag id = PC_NO_DIAG; id < PC_DIAG_COUNT; id++)
        most = report->kept[id] > report->kept[most] ? id : most;
    return most;
}

/* Makes room for one of the first findings of an id where there is no more: in place of the newest one of the
 * id that has the most, and at least two more. That the work could not be done takes the place of any. */
static bool replace_one(struct pc_report *report, enum pc_diag id)
{
    const enum pc_diag most = fullest(report);
    const uint64_t kept = report->kept[id];
    if (kept >= FEW || report->nr == 0 || (report->kept[most] <= kept + 1 && !pc_diag_is_unreadable(id)))
        return false;
    size_t i = report->nr - 1;
    while (report->finding[i].id != most || report->finding[i].rank + 1 != report->kept[most])
        i--;
    report->kept[most]--;
    report->finding[i] = report->finding[--report->nr];
    return true;
}

void pc_report_keep(struct pc_report *report, const struct pc_finding *finding)
{
    enum pc_diag id = finding->id;
    if (report->kept[id] >= cap_of(report, id) || (!make_room(report) && !replace_one(report, id)))
        return;
    report->finding[report->nr] = judged(finding, finding->severity);
    report->finding[report->nr++].rank = (uint32_t)report->kept[id]++;
}

static void add_one(struct pc_report *report, const struct pc_finding *finding)
{
    enum pc_diag id = finding->id;
    const struct pc_policy *policy = report->policy;
    bool unreadable = pc_diag_is_unreadable(id);

    report->found[id]++;
    if (pc_diag_is_damage(id)) {
        report->errors++;
        keep_early(report, finding);
    }
    /* No policy hides that the work could not be done. */
    bool accepted = report->found[id] <= policy->accepted[id];
    if (accepted && !policy->disabled[id] && !unreadable)
        set_aside(report, finding);
    if ((policy->disabled[id] || accepted) && !unreadable)
        return;
    enum pc_severity severity = pc_report_severity(report, id);
    report->unreadable |= unreadable;
    report->by_severity[severity]++;
    report->by_id[id]++;
    const struct pc_finding taken = judged(finding, severity);
    if (report->note)
        report->note(report->noter, &taken);
    if (report->on_finding)
        report->on_finding(report->ctx, &taken);
    else if (report->by_id[id] == report->kept[id] + 1) /* none after one that was not kept, or made room */
        pc_report_keep(report, &taken);
}

void pc_report_add(struct pc_report *report, const struct pc_finding *finding)
{
    const struct pc_policy *policy = report->policy;
    enum pc_diag id = finding->id;
    report->not_read[id] |= (uint8_t)(pc_diag_info(id)->rejected_by & finding->reader);
    if (finding->reader != PC_BY_NONE && !(policy->reader & finding->reader))
        return;
    add_one(report, finding);
    if (!(pc_diag_info(id)->rejected_by & policy->reader) || policy->disabled[id] ||
        pc_diag_info(id)->severity == PC_ERROR)
        return;
    struct pc_finding companion = *finding;
    companion.id = PC_D_FOR_FINDING;
    companion.repeats = id;
    companion.seen = pc_text_value(pc_diag_info(id)->name);
    companion.expected = pc_text_value(pc_version_name(pc_diag_info(id)->rejected_by & policy->reader));
    add_one(report, &companion);
}

/* Whether it only says that a feature is missing. */
static bool misses_feature(enum pc_diag id)
{
    return id == PC_D_TRACEPOINT_WITHOUT_DATA || id == PC_D_COMPRESSED_UNANNOUNCED;
}

void pc_report_attach(struct pc_report *report, enum pc_diag cause, struct pc_reach reach)
{
    size_t first = 0;
    while (first < report->nr && report->finding[first].id != cause)
        first++;
    if (first == report->nr)
        return; /* disabled, or there was no room for it */
    report->finding[first].role = PC_CAUSE;
    uint32_t stream = report->finding[first].where.stream;
    for (size_t i = 0; i < report->nr; i++) {
        struct pc_finding *f = &report->finding[i];
        uint64_t offset = outer_offset(f);
        bool here = f->where.stream == stream && offset >= reach.from && offset < reach.to;
        bool may = !pc_diag_is_unreadable(f->id) && !pc_diag_is_for_reader(f->id); /* follow from it */
        if (i != first && may &&
            (here || reach.all || f->place == PC_IN_HEADER || f->place == PC_AT_END ||
             (reach.features && (f->place == PC_IN_FEATURE || misses_feature(f->id)))))
            f->role = PC_RELATED;
    }
}

static int compare_places(const struct pc_finding *x, const struct pc_finding *y)
{
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->where.stream != y->where.stream)
        return x->where.stream < y->where.stream ? -1 : 1;
    if (outer_offset(x) != outer_offset(y))
        return outer_offset(x) < outer_offset(y) ? -1 : 1;
    if (x->where.inside != y->where.inside)
        return x->where.inside ? 1 : -1;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    if (x->id != y->id)
        return strcmp(pc_diag_info(x->id)->id, pc_diag_info(y->id)->id);
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct pc_finding *x = a, *y = b;
    if (x->role != y->role)
        return x->role < y->role ? -1 : 1;
    if (x->severity != y->severity)
        return x->severity > y->severity ? -1 : 1;
    return compare_places(x, y);
}

void pc_report_sort(struct pc_report *report)
{
    if (report->nr > 1)
        qsort(report->finding, report->nr, sizeof(*report->finding), compare);
    if (report->nr_aside > 1)
        qsort(report->aside, report->nr_aside, sizeof(*report->aside), compare);
}

uint64_t pc_report_suppressed(const struct pc_report *report, enum pc_diag id)
{
    return report->on_finding && report->kept[id] == 0 ? 0 : report->by_id[id] - report->kept[id];
}

enum pc_reading pc_report_reading(const struct pc_report *report, enum pc_diag id, enum pc_versions version)
{
    const struct pc_diag_info *info = pc_diag_info(id);
    const struct pc_unsafe_info *harm = pc_diag_unsafe(id);
    if (pc_diag_is_for_reader(id))
        return report->not_read[id] & version ? PC_REFUSES : PC_READS;
    if (report->found[id] == 0 || pc_diag_area(id) == PC_AREA_DEMANDS)
        return PC_READS;
    if (harm && (harm->versions & version))
        return PC_IS_HARMED;
    /* Of an error whose row names no version none was measured: it is one for all. */
    bool for_all = info->severity == PC_ERROR && info->rejected_by == PC_BY_NONE && !harm;
    return for_all || (info->rejected_by & version) ? PC_REFUSES : PC_READS;
}

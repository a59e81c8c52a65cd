/* SPDX-License-Identifier: MIT
 *
 * The rows of diag.def, and the report that collects findings.
 */
#include "report/diag.h"

#include <stdlib.h>
#include <string.h>

static const struct pc_diag_info rows[PC_DIAG_COUNT] = {
#define D(symbol, id, name, severity, refused, message, explanation)                                         \
    [PC_D_##symbol] = { "PC" #id, name, PC_##severity, PC_BY_##refused, message, explanation },
#include "report/diag.def"
#undef D
};

const struct pc_diag_info *pc_diag_info(enum pc_diag id)
{
    assert(id > PC_NO_DIAG && id < PC_DIAG_COUNT);
    return &rows[id];
}

enum pc_diag pc_diag_find(const char *id_or_name)
{
    for (int i = 1; i < PC_DIAG_COUNT; i++) {
        if (strcmp(rows[i].id, id_or_name) == 0 || strcmp(rows[i].name, id_or_name) == 0)
            return (enum pc_diag)i;
    }
    return PC_NO_DIAG;
}

static const struct {
    enum pc_versions version;
    const char *option, *name;
} versions[] = {
    { PC_BY_5_10, "perf-5.10", "perf 5.10" },
    { PC_BY_6_1, "perf-6.1", "perf 6.1" },
    { PC_BY_6_12, "perf-6.12", "perf 6.12" },
    { PC_BY_7_2, "perf-7.2", "perf 7.2" },
};

const char *pc_version_name(enum pc_versions version)
{
    size_t i = 0;
    while (versions[i].version != version)
        i++;
    return versions[i].name;
}

enum pc_versions pc_version_find(const char *name)
{
    for (size_t i = 0; i < PC_COUNT_OF(versions); i++) {
        if (strcmp(versions[i].option, name) == 0)
            return versions[i].version;
    }
    return PC_BY_NONE;
}

bool pc_diag_is_unreadable(enum pc_diag id)
{
    const char *row = pc_diag_info(id)->id; /* "PC0003" */
    return row[2] == '0' && row[3] == '0';
}

bool pc_diag_is_for_reader(enum pc_diag id)
{
    const char *row = pc_diag_info(id)->id;
    return row[2] == '1' && row[3] == '1';
}

struct pc_value pc_bytes_value(struct pc_span bytes)
{
    struct pc_value v = { .kind = PC_V_BYTES };
    v.len = (uint8_t)(bytes.len < PC_VALUE_MAX ? bytes.len : PC_VALUE_MAX);
    if (v.len != 0)
        memcpy(v.bytes, bytes.ptr, v.len);
    return v;
}

void pc_policy_init(struct pc_policy *policy)
{
    *policy = (struct pc_policy){ .max_per_id = 20 };
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
    report->finding = NULL;
    report->nr = report->cap = 0;
}

enum pc_severity pc_report_severity(const struct pc_report *report, enum pc_diag id)
{
    uint8_t own = report->policy->severity[id];
    return own && !pc_diag_is_unreadable(id) ? (enum pc_severity)(own - 1) : rows[id].severity;
}

/* Findings that the work could not be done are shown whatever the user's cap, up to a limit of their own. */
static uint64_t cap_of(const struct pc_report *report, enum pc_diag id)
{
    return pc_diag_is_unreadable(id) ? 20 : report->policy->max_per_id;
}

static void add_one(struct pc_report *report, const struct pc_finding *finding)
{
    enum pc_diag id = finding->id;
    const struct pc_policy *policy = report->policy;
    bool unreadable = pc_diag_is_unreadable(id);

    /* No policy hides that the work could not be done. */
    if (policy->disabled[id] && !unreadable)
        return;
    enum pc_severity severity = pc_report_severity(report, id);
    report->unreadable |= unreadable;
    report->by_severity[severity]++;
    uint64_t before = report->by_id[id]++;
    if (report->take) {
        struct pc_finding taken = *finding;
        taken.severity = severity;
        taken.where = report->where;
        report->take(report->taker, &taken);
        return;
    }
    if (before >= cap_of(report, id))
        return;
    if (!make_room(report)) {
        /* Counted, but not kept: the report is incomplete, and its last finding is replaced by one that says
         * so. */
        report->unreadable = true;
        if (report->by_id[PC_D_OUT_OF_MEMORY] == 0) {
            report->by_id[PC_D_OUT_OF_MEMORY] = 1;
            report->by_severity[PC_ERROR]++;
        }
        if (report->nr != 0)
            report->finding[report->nr - 1] = (struct pc_finding){
                .id = PC_D_OUT_OF_MEMORY,
                .severity = PC_ERROR,
                .place = PC_AT_END,
                .expected = pc_text_value("findings were kept"),
            };
        return;
    }
    report->finding[report->nr] = *finding;
    report->finding[report->nr].severity = severity;
    report->finding[report->nr].where = report->where;
    report->nr++;
}

void pc_report_add(struct pc_report *report, const struct pc_finding *finding)
{
    const struct pc_policy *policy = report->policy;
    enum pc_diag id = finding->id;
    add_one(report, finding);
    if (!(rows[id].refused & policy->reader) || policy->disabled[id] ||
        pc_report_severity(report, id) == PC_ERROR)
        return;
    struct pc_finding companion = *finding;
    companion.id = PC_D_FOR_FINDING;
    companion.seen = pc_text_value(rows[id].name);
    companion.expected = pc_text_value(pc_version_name(policy->reader));
    add_one(report, &companion);
}

void pc_report_add_at(struct pc_report *report, const struct pc_finding *finding, struct pc_where where)
{
    struct pc_where here = report->where;
    report->where = where;
    pc_report_add(report, finding);
    report->where = here;
}

/* Its offset in its stream, or that of the compressed record that contains it. */
static uint64_t outer_offset(const struct pc_finding *f)
{
    return f->where.inside ? f->where.wrapper_offset : f->offset;
}

static int compare(const void *a, const void *b)
{
    const struct pc_finding *x = a, *y = b;
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
        return strcmp(rows[x->id].id, rows[y->id].id);
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return 0;
}

void pc_report_sort(struct pc_report *report)
{
    if (report->nr > 1)
        qsort(report->finding, report->nr, sizeof(*report->finding), compare);
}

uint64_t pc_report_suppressed(const struct pc_report *report, enum pc_diag id)
{
    uint64_t all = report->by_id[id], cap = cap_of(report, id);
    return all <= cap ? 0 : all - cap;
}

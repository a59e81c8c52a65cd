/* SPDX-License-Identifier: MIT
 *
 * Part of a perfcheck that reports which uses of finding ids it reached: linked instead of what --wrap names
 * (see the Makefile), in a build with -finstrument-functions. tests/corpus/uses reads what it appends to the
 * file PERFCHECK_USES, a line each:
 *
 * `raised ID SUBJECT KIND ROW ADDRESS...`: a finding, the record or feature, and the call stack. KIND is
 * "bad" or "odd" when the row of a table that is looked at does not fit or breaks its rule, else "-".
 *
 * `visited ROW`: a row of a table checked a field that fits.
 *
 * `about SUBJECT`: this record or feature was checked.
 *
 * `entered ADDRESS`: this function was entered.
 *
 * With PERFCHECK_USES_ROWS, all rows that name findings: `row ID KIND ROW`.
 */
#include "check/check.h"
#include "report/report.h"
#include "format/tables.h"

#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN        __attribute__((no_instrument_function))
#define ROWS_MAX     8192
#define BY_FIELD     (4 * ROWS_MAX)
#define ADDRESS_MAX  65536
#define FRAMES_MAX   32
#define RAISED_MAX   100
#define SEVERAL      SIZE_MAX
#define VISITORS_MAX 16
#define NOTED_MAX    16

extern const char __executable_start[];

static struct row {
    const struct pc_field *field;
    char name[120];
    size_t above; /* the row that holds it; SEVERAL: more than one does */
    bool visited;
} rows[ROWS_MAX];
static size_t nr_rows;
static struct row *by_field[BY_FIELD];
static const void *entered[ADDRESS_MAX];
static const char *subjects[256];
static const struct pc_leaf *current; /* what is looked at */

/* Walks and their visitors. */
static struct {
    const struct pc_walk *walk;
    pc_visit *visit;
} visitors[VISITORS_MAX];

/* Where a finding comes from. */
static struct source {
    const struct pc_finding *finding; /* reported later */
    const char *kind, *row;
    void *frames[FRAMES_MAX];
    int nr;
} noted[NOTED_MAX];
static size_t nr_noted;
static FILE *out;

/* The position of the row of a field in by_field, present or not. */
PLAIN static struct row **place_of(const struct pc_field *field)
{
    size_t at = ((uintptr_t)field >> 3) % BY_FIELD;
    while (by_field[at] && by_field[at]->field != field)
        at = (at + 1) % BY_FIELD;
    return &by_field[at];
}

PLAIN static struct row *row_of(const struct pc_field *field)
{
    return *place_of(field);
}

/* How many rows there are of this name, for different layouts: NAME, NAME'2, NAME'3. */
PLAIN static unsigned same_name(const char *name)
{
    unsigned same = 0;
    size_t len = strlen(name);
    for (size_t i = 0; i < nr_rows; i++) {
        const char *end = rows[i].name + len;
        same += strncmp(rows[i].name, name, len) == 0 &&
                (*end == 0 || (*end == '\'' && end[1 + strspn(end + 1, "0123456789")] == 0));
    }
    return same;
}

/* Names the rows of a table, and of those below it, by where they are first found. */
PLAIN static void add_table(const struct pc_field *table, const char *path, size_t above)
{
    unsigned unnamed = 0;
    for (const struct pc_field *field = table; field && field->kind != PC_END; field++) {
        struct row *row = row_of(field);
        if (row && row->above != above)
            row->above = SEVERAL;
        if (row || nr_rows == ROWS_MAX)
            continue;
        row = &rows[nr_rows];
        *row = (struct row){ .field = field, .above = above };
        char name[sizeof(row->name) - 4];
        if (field->name)
            snprintf(name, sizeof(name), "%.60s.%.50s", path, field->name);
        else
            snprintf(name, sizeof(name), "%.60s.#%u", path, unnamed++);
        unsigned same = same_name(name);
        if (same != 0)
            snprintf(row->name, sizeof(row->name), "%s'%u", name, (same + 1) % 100);
        else
            memcpy(row->name, name, sizeof(name));
        nr_rows++;
        *place_of(field) = row;
        if (field->sub)
            add_table(field->sub, row->name, (size_t)(row - rows));
    }
}

PLAIN static void say_rows(void)
{
    for (size_t i = 0; i < nr_rows; i++) {
        const struct pc_field *field = rows[i].field;
        if (field->shape_diag)
            fprintf(out, "row PC%s bad %s\n", pc_diag_info((enum pc_diag)field->shape_diag)->id + 2,
                    rows[i].name);
        if (field->rule_diag)
            fprintf(out, "row PC%s odd %s\n", pc_diag_info((enum pc_diag)field->rule_diag)->id + 2,
                    rows[i].name);
        if (field->other_diag)
            fprintf(out, "row PC%s odd %s\n", pc_diag_info((enum pc_diag)field->other_diag)->id + 2,
                    rows[i].name);
        if (field->twice_diag)
            fprintf(out, "row PC%s twice %s\n", pc_diag_info((enum pc_diag)field->twice_diag)->id + 2,
                    rows[i].name);
    }
    for (uint64_t bit = 0; bit < PC_FEATURES; bit++) {
        const struct pc_feature_info *info = pc_feature_info(bit);
        if (info && info->short_diag)
            fprintf(out, "row PC%s short %s\n", pc_diag_info((enum pc_diag)info->short_diag)->id + 2,
                    info->name);
    }
    for (uint32_t type = 0; type < 256; type++) {
        const struct pc_record_info *info = pc_record_info(type);
        if (info && info->short_diag)
            fprintf(out, "row PC%s short %s\n", pc_diag_info((enum pc_diag)info->short_diag)->id + 2,
                    info->name);
        if (info && info->count_diag)
            fprintf(out, "row PC%s count %s\n", pc_diag_info((enum pc_diag)info->count_diag)->id + 2,
                    info->name);
        if (info && info->excess_diag)
            fprintf(out, "row PC%s excess %s\n", pc_diag_info((enum pc_diag)info->excess_diag)->id + 2,
                    info->name);
    }
}

PLAIN __attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("PERFCHECK_USES");
    out = path ? fopen(path, "a") : NULL;
    for (uint32_t type = 0; type < 256; type++) {
        const struct pc_record_info *info = pc_record_info(type);
        if (info)
            add_table(info->fields, info->name, SEVERAL);
    }
    add_table(pc_sample_id, "sample_id", SEVERAL);
    add_table(pc_read_values, "read_values", SEVERAL);
    for (uint64_t bit = 0; bit < 256; bit++) {
        const struct pc_feature_info *info = pc_feature_info(bit);
        if (info)
            add_table(info->fields, info->name, SEVERAL);
    }
    add_table(pc_build_ids_old, "BUILD_ID", SEVERAL);
    add_table(pc_attr_fields, "attr", SEVERAL);
    add_table(pc_file_header, "header", SEVERAL);
    add_table(pc_event_type, "event_type", SEVERAL);
    add_table(pc_section, "section", SEVERAL);
    add_table(pc_record_header, "record", SEVERAL);
    if (out && getenv("PERFCHECK_USES_ROWS"))
        say_rows();
}

PLAIN __attribute__((destructor)) static void end(void)
{
    for (size_t i = 0; out && i < nr_rows; i++) {
        if (rows[i].visited)
            fprintf(out, "visited %s\n", rows[i].name);
    }
    for (size_t i = 0; out && i < PC_COUNT_OF(subjects) && subjects[i]; i++)
        fprintf(out, "about %s\n", subjects[i]);
    for (size_t i = 0; out && i < ADDRESS_MAX; i++) {
        if (entered[i])
            fprintf(out, "entered %tx\n", (const char *)entered[i] - __executable_start);
    }
    if (out)
        fclose(out);
}

PLAIN void __cyg_profile_func_enter(void *function, void *site);
PLAIN void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    size_t at = ((uintptr_t)function >> 2) % ADDRESS_MAX;
    while (entered[at] && entered[at] != function)
        at = (at + 1) % ADDRESS_MAX;
    entered[at] = function;
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function;
    (void)site;
}

PLAIN static void note_subject(const char *subject)
{
    for (size_t i = 0; subject && i < PC_COUNT_OF(subjects); i++) {
        if (subjects[i] && strcmp(subjects[i], subject) != 0)
            continue;
        subjects[i] = subject;
        return;
    }
}

/* The row and those that hold it, as far as there is only one. */
PLAIN static void note_visit(const struct pc_field *field)
{
    for (struct row *row = row_of(field); row; row = row->above == SEVERAL ? NULL : &rows[row->above])
        row->visited = true;
}

PLAIN static struct source source_here(void)
{
    struct source here = { .kind = "-", .row = "-" };
    const struct row *row = current ? row_of(current->field) : NULL;
    if (row && current->fault != PC_SOUND)
        here.kind = "bad";
    else if (row && !pc_leaf_ok(current))
        here.kind = "odd";
    if (row)
        here.row = row->name;
    here.nr = backtrace(here.frames, FRAMES_MAX);
    return here;
}

PLAIN static void say_raised(const struct pc_finding *finding, enum pc_diag id, const struct source *source)
{
    fprintf(out, "raised %s %s %s %s", pc_diag_info(id)->id, finding->subject ? finding->subject : "-",
            source->kind, source->row);
    for (int i = 1; i < source->nr; i++) /* return addresses: the call is before */
        fprintf(out, " %tx", (const char *)source->frames[i] - 1 - __executable_start);
    fputc('\n', out);
}

PLAIN static void note_finding(const struct pc_finding *finding)
{
    static unsigned said;
    if (!out || said++ >= RAISED_MAX)
        return;
    struct source here = source_here();
    for (size_t i = 0; i < nr_noted; i++) {
        if (noted[i].finding == finding)
            here = noted[i];
    }
    say_raised(finding, finding->id, &here);
}

PLAIN void __real_pc_report_add(struct pc_report *report, const struct pc_finding *finding);
PLAIN void __wrap_pc_report_add(struct pc_report *report, const struct pc_finding *finding);
PLAIN void __real_pc_walk_init(struct pc_walk *walk, const struct pc_layout *layout, struct pc_cursor *c,
                               pc_visit *visit, void *ctx);
PLAIN void __wrap_pc_walk_init(struct pc_walk *walk, const struct pc_layout *layout, struct pc_cursor *c,
                               pc_visit *visit, void *ctx);
PLAIN void __real_pc_check_kernel_record(struct pc_judge *judge, const struct pc_item *item,
                                         const struct pc_record_info *info);
PLAIN void __wrap_pc_check_kernel_record(struct pc_judge *judge, const struct pc_item *item,
                                         const struct pc_record_info *info);
PLAIN void __real_pc_check_user_record(struct pc_judge *judge, const struct pc_item *item,
                                       const struct pc_record_info *info);
PLAIN void __wrap_pc_check_user_record(struct pc_judge *judge, const struct pc_item *item,
                                       const struct pc_record_info *info);
PLAIN void __real_pc_check_feature(struct pc_judge *judge, uint64_t bit, struct pc_cursor payload,
                                   bool in_record);
PLAIN void __wrap_pc_check_feature(struct pc_judge *judge, uint64_t bit, struct pc_cursor payload,
                                   bool in_record);
PLAIN bool __wrap_pc_plan_run(const struct pc_plan *plan, struct pc_span record, uint64_t *slot,
                              size_t *slot_at);

/* diag.c itself adds the findings that come with another one: their caller is the function that adds
 * findings. */
PLAIN static void note_companion(const struct pc_report *report, const struct pc_finding *finding,
                                 uint64_t before)
{
    struct source there = { .kind = "-", .row = "-", .nr = 2 };
    void (*add)(struct pc_report *, const struct pc_finding *) = __real_pc_report_add;
    memcpy(&there.frames[1], &add, sizeof(add));
    there.frames[1] = (char *)there.frames[1] + 1;
    if (out && report->by_id[PC_D_FOR_FINDING] != before)
        say_raised(finding, PC_D_FOR_FINDING, &there);
}

void __wrap_pc_report_add(struct pc_report *report, const struct pc_finding *finding)
{
    uint64_t before = report->by_id[PC_D_FOR_FINDING];
    note_finding(finding);
    __real_pc_report_add(report, finding);
    note_companion(report, finding, before);
}

PLAIN static bool seen_visit(void *ctx, const struct pc_leaf *leaf)
{
    const struct pc_leaf *outer = current;
    size_t i = 0;
    while (visitors[i].walk != leaf->walk)
        i++;
    if (leaf->fault == PC_SOUND)
        note_visit(leaf->field);
    current = leaf;
    bool on = visitors[i].visit(ctx, leaf);
    current = outer;
    return on;
}

/* Each visitor gets its leaves through seen_visit. A walk may begin at the address of one that ended. */
void __wrap_pc_walk_init(struct pc_walk *walk, const struct pc_layout *layout, struct pc_cursor *c,
                         pc_visit *visit, void *ctx)
{
    static size_t next;
    size_t i = 0;
    while (i < VISITORS_MAX && visitors[i].walk != walk)
        i++;
    if (i == VISITORS_MAX)
        i = next++ % VISITORS_MAX;
    visitors[i].walk = walk;
    visitors[i].visit = visit;
    __real_pc_walk_init(walk, layout, c, visit ? seen_visit : NULL, ctx);
}

void __wrap_pc_check_kernel_record(struct pc_judge *judge, const struct pc_item *item,
                                   const struct pc_record_info *info)
{
    note_subject(info->name);
    __real_pc_check_kernel_record(judge, item, info);
}

void __wrap_pc_check_user_record(struct pc_judge *judge, const struct pc_item *item,
                                 const struct pc_record_info *info)
{
    note_subject(info->name);
    __real_pc_check_user_record(judge, item, info);
}

void __wrap_pc_check_feature(struct pc_judge *judge, uint64_t bit, struct pc_cursor payload, bool in_record)
{
    note_subject(judge->at.subject);
    __real_pc_check_feature(judge, bit, payload, in_record);
}

/* No plan ever says that a record is sound: each is walked, and its rows are seen. */
bool __wrap_pc_plan_run(const struct pc_plan *plan, struct pc_span record, uint64_t *slot, size_t *slot_at)
{
    (void)plan;
    (void)record;
    (void)slot;
    (void)slot_at;
    return false;
}

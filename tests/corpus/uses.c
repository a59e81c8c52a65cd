/* SPDX-License-Identifier: MIT
 *
 * Part of a perfcheck that says which uses of finding ids it came by: linked instead of what --wrap names
 * (see the Makefile), in a build with -finstrument-functions. tests/corpus/uses reads what it appends to the
 * file PERFCHECK_USES:
 *
 *   raised ID SUBJECT ROW ADDRESS...   a finding: the record or feature, the row of a table ("-": code), the
 * call stack visited ROW                        a row of a table looked at a field about SUBJECT something of
 * this record or feature was looked at entered ADDRESS                    a function was
 *
 * With PERFCHECK_USES_ROWS, all rows that name findings: row ID "bad" or "odd" ROW.
 */
#include "check.h"
#include "format.h"

#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN       __attribute__((no_instrument_function))
#define ROWS_MAX    8192
#define ADDRESS_MAX 65536
#define FRAMES_MAX  32
#define RAISED_MAX  100

extern const char __executable_start[];

static struct row {
    const struct pc_field *field;
    char name[120];
    bool visited;
} rows[ROWS_MAX];
static size_t nr_rows;
static const void *entered[ADDRESS_MAX];
static const char *subjects[256];
static const struct pc_field *current; /* the row whose leaf is checked */
static FILE *out;

PLAIN static struct row *row_of(const struct pc_field *field)
{
    for (size_t i = 0; i < nr_rows; i++) {
        if (rows[i].field == field)
            return &rows[i];
    }
    return NULL;
}

/* Names the rows of a table, and of those below it, by where they are first found. */
PLAIN static void add_table(const struct pc_field *table, const char *path)
{
    unsigned unnamed = 0;
    for (const struct pc_field *field = table; field && field->kind != PC_END; field++) {
        if (row_of(field) || nr_rows == ROWS_MAX)
            continue;
        struct row *row = &rows[nr_rows++];
        row->field = field;
        if (field->name)
            snprintf(row->name, sizeof(row->name), "%.60s.%.50s", path, field->name);
        else
            snprintf(row->name, sizeof(row->name), "%.60s.#%u", path, unnamed++);
        /* Rows of one name for different layouts. */
        unsigned same = 1;
        for (size_t i = 0; i + 1 < nr_rows; i++)
            same += strncmp(rows[i].name, row->name, strlen(row->name)) == 0 &&
                    strchr("'", rows[i].name[strlen(row->name)]);
        if (same > 1)
            snprintf(row->name + strlen(row->name), 8, "'%u", same % 100);
        if (field->sub)
            add_table(field->sub, row->name);
    }
}

PLAIN static void say_rows(void)
{
    for (size_t i = 0; i < nr_rows; i++) {
        const struct pc_field *field = rows[i].field;
        if (field->bad)
            fprintf(out, "row PC%s bad %s\n", pc_diag_info((enum pc_diag)field->bad)->id + 2, rows[i].name);
        if (field->odd)
            fprintf(out, "row PC%s odd %s\n", pc_diag_info((enum pc_diag)field->odd)->id + 2, rows[i].name);
    }
    for (uint32_t type = 0; type < 256; type++) {
        const struct pc_record_info *info = pc_record_info(type);
        if (info && info->bad_short)
            fprintf(out, "row PC%s short %s\n", pc_diag_info((enum pc_diag)info->bad_short)->id + 2,
                    info->name);
        if (info && info->bad_count)
            fprintf(out, "row PC%s count %s\n", pc_diag_info((enum pc_diag)info->bad_count)->id + 2,
                    info->name);
        if (info && info->excess)
            fprintf(out, "row PC%s excess %s\n", pc_diag_info((enum pc_diag)info->excess)->id + 2,
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
            add_table(info->fields, info->name);
    }
    add_table(pc_sample_id, "sample_id");
    add_table(pc_read_values, "read_values");
    for (uint64_t bit = 0; bit < 256; bit++) {
        const struct pc_feature_info *info = pc_feature_info(bit);
        if (info)
            add_table(info->fields, info->name);
    }
    add_table(pc_build_ids_old, "build_ids_old");
    add_table(pc_attr_fields, "attr");
    add_table(pc_file_header, "header");
    add_table(pc_event_type, "event_type");
    add_table(pc_section, "section");
    add_table(pc_record_header, "record");
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

PLAIN static void note_leaf(const struct pc_check *check, const struct pc_leaf *leaf)
{
    struct row *row = row_of(leaf->field);
    if (row)
        row->visited = true;
    note_subject(check->at.subject);
    current = leaf->field;
}

PLAIN static void note_finding(const struct pc_finding *finding)
{
    void *frames[FRAMES_MAX];
    const struct row *row = current ? row_of(current) : NULL;
    static unsigned said;
    if (!out || said++ >= RAISED_MAX)
        return;
    fprintf(out, "raised %s %s %s", pc_diag_info(finding->id)->id, finding->subject ? finding->subject : "-",
            row ? row->name : "-");
    int nr = backtrace(frames, FRAMES_MAX);
    for (int i = 1; i < nr; i++) /* return addresses: the call is before */
        fprintf(out, " %tx", (const char *)frames[i] - 1 - __executable_start);
    fputc('\n', out);
}

PLAIN bool __real_pc_check_leaf(struct pc_check *check, const struct pc_leaf *leaf);
PLAIN bool __wrap_pc_check_leaf(struct pc_check *check, const struct pc_leaf *leaf);
PLAIN bool __wrap_pc_check_visit(void *ctx, const struct pc_leaf *leaf);
PLAIN void __real_pc_report_add(struct pc_report *report, const struct pc_finding *finding);
PLAIN void __wrap_pc_report_add(struct pc_report *report, const struct pc_finding *finding);
PLAIN void __real_pc_report_add_at(struct pc_report *report, const struct pc_finding *finding,
                                   struct pc_where where);
PLAIN void __wrap_pc_report_add_at(struct pc_report *report, const struct pc_finding *finding,
                                   struct pc_where where);
PLAIN bool __wrap_pc_plan_run(const struct pc_plan *plan, struct pc_span record, uint64_t *slot,
                              size_t *slot_at);

bool __wrap_pc_check_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    note_leaf(check, leaf);
    bool sound = __real_pc_check_leaf(check, leaf);
    current = NULL;
    return sound;
}

bool __wrap_pc_check_visit(void *ctx, const struct pc_leaf *leaf)
{
    return __wrap_pc_check_leaf(ctx, leaf);
}

void __wrap_pc_report_add(struct pc_report *report, const struct pc_finding *finding)
{
    note_finding(finding);
    __real_pc_report_add(report, finding);
}

void __wrap_pc_report_add_at(struct pc_report *report, const struct pc_finding *finding,
                             struct pc_where where)
{
    note_finding(finding);
    __real_pc_report_add_at(report, finding, where);
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

/* SPDX-License-Identifier: MIT */
#include "check/cause.h"

/* Errors that are causes themselves: what follows them in the capture follows from them. */
static const enum pc_diag causes[] = {
    PC_D_WRAPPED,      PC_D_FOREIGN,         PC_D_ARCHIVED,
    PC_D_CAPTURE_LATE, PC_D_SECOND_CAPTURE,  PC_D_BEGINS_ZERO,
    PC_D_HEADER_LOST,  PC_D_INPUT_EMPTY,     PC_D_INPUT_SHORT,
    PC_D_HEADER_CUT,   PC_D_HEADER_SIZE,     PC_D_HEADER_RECORDS,
    PC_D_UNFINISHED,   PC_D_SHRANK,          PC_D_DATA_INSIDE_RECORD,
    PC_D_STREAM_CUT,   PC_D_PAYLOAD_CUT,     PC_D_ZSTD_BEGINS_INSIDE,
    PC_D_FEATURE_BITS, PC_D_RECORD_SWALLOWS,
};

/* Whether errors come before one, outside of the record that it is about. */
static bool is_first(const struct pc_report *report, const struct pc_early *e)
{
    return e->id != PC_D_RECORD_SWALLOWS || report->early[0].offset >= e->offset;
}

/* A cause that the reader or the check has reported. */
static bool find_reported(const struct pc_scan *scan, enum pc_diag *id, struct pc_reach *reach)
{
    const struct pc_report *report = &scan->report;
    for (size_t i = 0; i < PC_COUNT_OF(causes); i++) {
        for (size_t k = 0; k < report->nr_early; k++) {
            const struct pc_early *e = &report->early[k];
            if (e->id != causes[i] || !is_first(report, e))
                continue;
            *id = e->id;
            reach->from = e->place == PC_IN_HEADER ? 0 : e->offset;
            if (e->id == PC_D_RECORD_SWALLOWS) /* of that record alone */
                reach->to = scan->reader.damage.offset;
            if (e->id == PC_D_FEATURE_BITS) { /* no bytes but those of features */
                reach->from = UINT64_MAX;
                reach->features = true;
            }
            return true;
        }
    }
    return false;
}

/* A cause that only the whole tells. */
static bool is_derived(struct pc_scan *scan, struct pc_cause *cause)
{
    const struct pc_report *report = &scan->report;
    if (report->unreadable || report->found[PC_D_DATA_INSIDE_RECORD] != 0 ||
        report->found[PC_D_SECOND_CAPTURE] != 0 ||
        (scan->capture.is_directory && !pc_reader_return(&scan->reader, report->early_stream)))
        return false;
    if (report->found[PC_D_HEADER_72] != 0 && pc_cause_in_start(scan, cause))
        return true;
    if (report->found[PC_D_FEATURE_BITS] != 0)
        return false;
    bool has_magic = scan->recognised || report->found[PC_D_HEADER_SIZE] != 0;
    if (pc_cause_in_writer(scan, cause) || (has_magic && pc_cause_in_transfer(scan, cause)) ||
        pc_cause_in_shift(scan, cause) || pc_cause_in_layout(scan, cause))
        return true;
    return scan->recognised && !scan->capture.unfinished &&
           (pc_cause_in_block(scan, cause) || pc_cause_in_records(scan, cause) ||
            pc_cause_in_table(scan, cause));
}

/* The first word of the header, or header of a record, that is damaged; NULL: there is none. */
static const struct pc_early *find_word(const struct pc_scan *scan)
{
    for (size_t i = 0; i < scan->report.nr_early; i++) {
        const struct pc_early *e = &scan->report.early[i];
        if ((e->place == PC_IN_HEADER && e->id != PC_D_SECTIONS_OVERLAP) ||
            (e->place == PC_IN_RECORD && !e->inside && scan->reader.damage.any))
            return e;
    }
    return NULL;
}

/* PC1418, which perf inject is to blame for, explains no damage elsewhere in a file. If there is some, that
 * damage is the cause. */
static void prefer_damage(struct pc_scan *scan, enum pc_diag *id, struct pc_reach *reach)
{
    struct pc_cause damage = { .reach = { .to = UINT64_MAX } };
    const struct pc_early *word;
    if (scan->capture.is_pipe)
        return;
    if (pc_cause_in_block(scan, &damage) || pc_cause_in_records(scan, &damage)) {
        damage.finding.where = scan->reader.streams.where;
        pc_report_add(&scan->report, &damage.finding);
        *id = damage.finding.id;
        *reach = damage.reach;
    } else if ((word = find_word(scan))) {
        *id = word->id;
        *reach = (struct pc_reach){ .from = word->offset, .to = word->offset + 1 };
    }
}

void pc_cause_find(struct pc_scan *scan)
{
    struct pc_cause cause = { .reach = { .to = UINT64_MAX } };
    enum pc_diag id = PC_NO_DIAG;
    if (scan->report.nr_early == 0)
        return;
    bool found = is_derived(scan, &cause);
    if (found) {
        id = cause.finding.id;
        if (id == PC_D_BYTES_ADDED)
            pc_cause_say_late_records(scan, &cause);
        cause.finding.where = scan->reader.streams.where;
        pc_report_add(&scan->report, &cause.finding);
        if (id == PC_D_INJECT_BUILD_IDS)
            prefer_damage(scan, &id, &cause.reach);
    } else {
        found = find_reported(scan, &id, &cause.reach);
    }
    if (found)
        pc_report_attach(&scan->report, id, cause.reach);
}

/* SPDX-License-Identifier: MIT
 *
 * Causes that a released perf makes itself: what perf inject wrote in a wrong place.
 */
#include "check/cause.h"

/* Defect D2 of FORMAT.md 12.5: ids and attrs over the build ids, which are the only feature. */
static bool is_over_build_ids(struct pc_scan *scan, struct pc_cause *cause)
{
    const struct pc_capture *capture = &scan->capture;
    unsigned char table[PC_SECTION_SIZE];
    if (!pc_bit(capture->features, PC_BUILD_ID) || pc_count_features(capture->features) != 1)
        return false;
    uint64_t at = pc_add_saturated(pc_header_get(capture, PC_HEAD_DATA_OFFSET),
                                   pc_header_get(capture, PC_HEAD_DATA_SIZE));
    uint64_t attrs = pc_header_get(capture, PC_HEAD_ATTRS_OFFSET);
    if (pc_reader_look(&scan->reader, at, table, sizeof(table)) != sizeof(table))
        return false;
    uint64_t section = pc_load(table, 8, capture->order), size = pc_load(table + 8, 8, capture->order);
    if (section != at + PC_SECTION_SIZE || attrs < section || attrs - section >= size ||
        pc_add_saturated(section, size) > scan->reader.in->size) /* a file that was cut too */
        return false;
    const struct pc_context feature = pc_feature_context(PC_BUILD_ID, (struct pc_where){ 0 }, section);
    cause->finding = pc_finding_in(&feature, PC_D_INJECT_BUILD_IDS, 0, size);
    cause->finding.seen = cause->finding.expected = pc_none;
    cause->reach.from = section;
    cause->reach.features = true;
    return true;
}

/* Defect D28: perf writes records from a buffer of 4096 bytes, but the trace data at once. */
static bool is_trace_data_early(const struct pc_scan *scan, struct pc_cause *cause)
{
    const uint64_t buffer = 4096;
    const struct pc_damage *damage = &scan->reader.damage;
    if (!damage->any ||
        (damage->trace != PC_PIPE_HEADER_SIZE && damage->trace != PC_PIPE_HEADER_SIZE + buffer))
        return false;
    const struct pc_context here = { .place = PC_AT_END, .offset = damage->trace };
    cause->finding = pc_finding_in(&here, PC_D_INJECT_TRACE_DATA, 0, 0);
    cause->finding.seen = cause->finding.expected = pc_none;
    cause->reach.all = true;
    return true;
}

bool pc_cause_in_writer(struct pc_scan *scan, struct pc_cause *cause)
{
    if (!scan->recognised || scan->report.early_stream != 0)
        return false;
    if (scan->capture.is_pipe)
        return is_trace_data_early(scan, cause);
    return scan->reader.in->kind == PC_INPUT_FILE && is_over_build_ids(scan, cause);
}

/* SPDX-License-Identifier: MIT
 *
 * What is sound, but not for the version of perf that --for names, by what came before, and at the end: each
 * rule here was measured with the real programs (tests/interop).
 */
#include "check/flow_rule.h"
#include "check/versions.h"

#include <stdio.h>
#include <string.h>

struct versions {
    struct pc_context spe_without_clock; /* an AUXTRACE_INFO of Arm SPE before any TIME_CONV */
    bool kernel_from_zero;               /* a mapping of the kernel begins at 0 */
    bool kernel_mapped;                  /* ... or anywhere */
    struct pc_context contention;        /* the first sample that perf lock counts */
    bool overrun;                        /* a reader writes past the end of the last record, which is ... */
    struct pc_where overrun_in;          /* ... here */
};

/* About bytes of the current structure, for those versions asked for that its row names. */
static void say(struct pc_flow *flow, enum pc_diag id, size_t at, uint64_t length, struct pc_value seen)
{
    pc_flow_say_for(flow, id, pc_diag_info(id)->rejected_by, at, length, seen);
}

/* session.c: perf_event__read_swap swaps a READ as if it had all values. If it has fewer, the header of the
 * next record is swapped too. In a pipe each record has its own buffer. */
static void check_overrun(struct pc_flow *flow, const struct versions *own, const struct pc_where *where)
{
    if (own->overrun && where->stream == own->overrun_in.stream && where->inside == own->overrun_in.inside &&
        (!where->inside || where->wrapper == own->overrun_in.wrapper))
        say(flow, PC_D_FOR_ORDER_READ, 0, PC_RECORD_HEADER_SIZE, pc_none);
}

/* builtin-lock.c: report_lock_contention_begin_event loads the mapping of the kernel at the first such
 * sample. */
static void note_contention(struct pc_flow *flow, struct versions *own, const struct pc_facts *record)
{
    const struct pc_attr *attr = &flow->capture->attr[record->attr];
    if (!own->contention.subject && pc_attr_get(attr, PC_ATTR_TYPE) == PC_TYPE_TRACEPOINT && attr->name &&
        strcmp(attr->name, "lock:contention_begin") == 0)
        own->contention = flow->at;
}

/* perf 6.12 cuts modules out of the kernel that begins at 0, and does not find what is left of it (maps.c:
 * maps__by_address_index). */
static void check_mapping(struct pc_flow *flow, struct versions *own, const struct pc_facts *record)
{
    const uint64_t addr = record->slot[PC_REC_ADDR];
    own->kernel_mapped |= record->maps_kernel;
    if ((record->item->misc & PC_MISC_CPUMODE) != PC_MODE_KERNEL)
        return;
    if (addr == 0)
        own->kernel_from_zero = true;
    else if (own->kernel_from_zero)
        say(flow, PC_D_FOR_KERNEL_MAP, record->slot_at[PC_REC_ADDR], 8, pc_hex_value(addr));
}

/* Whether a READ has all values that there were when 5.10 came. */
static bool has_all_values(const struct pc_item *item)
{
    const uint64_t all =
        PC_LAYOUT_READ_SINGLE | PC_LAYOUT_READ(PC_READ_ENABLED | PC_READ_RUNNING | PC_READ_ID);
    return item->bytes.len >= PC_RECORD_HEADER_SIZE + pc_table_size(pc_record_info(PC_READ)->fields, all);
}

/* header.c: perf_event__process_id_index stops at an id that no event has. The ids of the one event of a file
 * are behind the room for its attr, where perf does not look if the attr is smaller. */
static void check_id_index(struct pc_flow *flow)
{
    const struct pc_capture *capture = flow->capture;
    const struct pc_context here = flow->at;
    if (capture->is_pipe || capture->nr_attrs != 1 || flow->sum.by_type[PC_ID_INDEX] != 1)
        return;
    const uint64_t size = pc_attr_get(&capture->attr[0], PC_ATTR_SIZE);
    flow->at = (struct pc_context){ .place = PC_IN_ATTR, .offset = capture->attr[0].offset };
    if (pc_attr_size(size) + PC_SECTION_SIZE < pc_header_get(capture, PC_HEAD_ATTR_SIZE))
        say(flow, PC_D_FOR_ATTR_ROOM, PC_ATTR_SIZE_AT, 4, pc_uint_value(size));
    flow->at = here;
}

static void each_record(struct pc_flow *flow, void *state, const struct pc_facts *record)
{
    const struct pc_item *item = record->item;
    struct versions *own = state;
    const struct pc_capture *capture = flow->capture;
    const bool big = capture->order == PC_BIG;
    check_overrun(flow, own, &item->where);
    /* session.c of 5.10 has no perf_session__process_dir_events. */
    if (item->where.stream != own->overrun_in.stream)
        say(flow, PC_D_FOR_DIRECTORY, 0, item->bytes.len, pc_none);
    if (item->type == PC_SAMPLE && capture->is_pipe && flow->nr_samples == 1)
        say(flow, PC_D_FOR_PIPE_SAMPLE, 0, item->bytes.len, pc_none);
    /* Such records came to the reader unswapped until session.c: perf_event__swap_ops got a row for them. */
    if (item->type == PC_HEADER_FEATURE && big && flow->sum.by_type[PC_HEADER_FEATURE] == 1)
        say(flow, PC_D_FOR_ORDER_FEATURE, 0, item->bytes.len, pc_none);
    /* Nor does it read a feature that inject has left among the records of a file. */
    if ((item->type == PC_COMPRESSED || item->type == PC_COMPRESSED2) && flow->sum.compressed == 1 &&
        (capture->is_pipe || (capture->mmap_len != 0 && !pc_bit(capture->features, PC_COMPRESSED_FEATURE))))
        say(flow, PC_D_FOR_COMPRESSED_PIPE, 0, item->bytes.len, pc_none);
    if (item->type == PC_AUXTRACE_INFO && item->bytes.len >= pc_item_info(item)->min &&
        record->slot[PC_REC_TYPE] == PC_TRACE_ARM_SPE && flow->sum.by_type[PC_TIME_CONV] == 0)
        own->spe_without_clock = flow->at;
    /* evlist.c: evlist__event2evsel; earlier versions stop at the record itself. */
    if (item->type == PC_EVENT_ID && record->slot_at[PC_REC_IDX] != 0 && capture->nr_attrs > 1)
        say(flow, PC_D_FOR_EVENT_ID, 0, item->bytes.len, pc_none);
    if (item->type == PC_ID_INDEX)
        check_id_index(flow);
    if (record->sound && (item->type == PC_MMAP || item->type == PC_MMAP2))
        check_mapping(flow, own, record);
    if (record->sound && item->type == PC_SAMPLE)
        note_contention(flow, own, record);
    own->overrun = item->type == PC_READ && big && !capture->is_pipe && !has_all_values(item);
    own->overrun_in = item->where;
}

/* --- all attrs, when they are known --- */

static void say_attr(struct pc_flow *flow, enum pc_versions versions, enum pc_diag id, uint64_t number,
                     unsigned slot, struct pc_value seen)
{
    flow->at = (struct pc_context){ .place = PC_IN_ATTR,
                                    .number = number,
                                    .offset = flow->capture->attr[number].offset };
    pc_flow_say_for(flow, id, pc_diag_info(id)->rejected_by & versions, pc_row_at(pc_attr_fields, slot), 8,
                    seen);
}

/* Flags by name; more than a value has room for, as a number. */
static struct pc_value flags_value(uint64_t flags)
{
    char names[256];
    pc_attr_flag_names(flags, names, sizeof(names));
    size_t len = strlen(names);
    bool fits = len != 0 && len <= PC_VALUE_MAX;
    return fits ? pc_bytes_value((struct pc_span){ (const unsigned char *)names, len }) : pc_hex_value(flags);
}

/* Bits that came later; most of them add fields to samples. */
static void check_bits(struct pc_flow *flow, enum pc_versions version, uint64_t number)
{
    const struct pc_attr *attr = &flow->capture->attr[number];
    const struct pc_version_knows *reader = pc_version_knows(version);
    uint64_t type = pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE), known = ((uint64_t)1 << PC_S_BITS) - 1;
    uint64_t newer = type & known & ~reader->sample_type;
    const uint64_t forced = PC_S_RAW | PC_S_TIME | PC_S_CPU | PC_S_PERIOD;
    uint64_t event_type = pc_attr_get(attr, PC_ATTR_TYPE);
    if (event_type == PC_TYPE_TRACEPOINT && flow->capture->by_simpleperf &&
        !pc_bit(flow->capture->seen, PC_TRACING_DATA))
        say_attr(flow, version, PC_D_FOR_TRACEPOINT, number, PC_ATTR_TYPE, pc_none);
    if (event_type >= PC_TYPES_5_10 && event_type != PC_TYPE_SYNTH)
        say_attr(flow, version, PC_D_FOR_EVENT_TYPE, number, PC_ATTR_TYPE, pc_uint_value(event_type));
    if (newer)
        say_attr(flow, version, PC_D_FOR_SAMPLE_TYPE, number, PC_ATTR_SAMPLE_TYPE, pc_hex_value(newer));
    newer = pc_attr_get(attr, PC_ATTR_READ_FORMAT) & PC_READ_LOST & ~reader->read_format;
    if (newer && (type & PC_S_READ))
        say_attr(flow, version, PC_D_FOR_READ_FORMAT, number, PC_ATTR_READ_FORMAT, pc_hex_value(newer));
    newer = pc_attr_get(attr, PC_ATTR_FLAGS) & (PC_FLAG(40) - 1) & ~reader->flags;
    if (newer)
        say_attr(flow, version, PC_D_FOR_ATTR_FLAGS, number, PC_ATTR_FLAGS, flags_value(newer));
    newer = pc_attr_get(attr, PC_ATTR_BRANCH_TYPE) & (PC_FLAG(PC_BRANCH_BITS) - 1) & ~reader->branch_type;
    if (!pc_capture_has_names(flow->capture)) /* header.c: check_attr of EVENT_DESC */
        newer &= PC_BRANCH_COUNTERS;
    if ((type & PC_S_BRANCH_STACK) && newer)
        say_attr(flow, version, PC_D_FOR_BRANCH_TYPE, number, PC_ATTR_BRANCH_TYPE, pc_hex_value(newer));
    if (pc_attr_get(attr, PC_ATTR_TYPE) == PC_TYPE_SOFTWARE &&
        pc_attr_get(attr, PC_ATTR_CONFIG) == PC_SOFTWARE_BPF_OUTPUT && (type & forced) != forced)
        say_attr(flow, version, PC_D_FOR_BPF_OUTPUT, number, PC_ATTR_SAMPLE_TYPE, pc_hex_value(type));
}

/* perf script wants to show a symbol for each event but tracepoints. It looks at the first event of each
 * type, but for dummies since 6.1; in a pipe at that of the types below 6 alone, if it samples
 * (tools/perf/builtin-script.c: perf_session__check_output_opt, process_attr, evsel__check_attr). */
static void check_addresses(struct pc_flow *flow, enum pc_versions version)
{
    const struct pc_capture *capture = flow->capture;
    const uint64_t types = 63;
    uint64_t looked_at = 0;
    if (pc_bit(capture->features, PC_STAT_FEATURE))
        return;
    for (uint64_t i = 0; i < capture->nr_attrs; i++) {
        const struct pc_attr *attr = &capture->attr[i];
        uint64_t type = pc_attr_get(attr, PC_ATTR_TYPE), samples = pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE);
        bool is_dummy = type == PC_TYPE_SOFTWARE && pc_attr_get(attr, PC_ATTR_CONFIG) == PC_SOFTWARE_DUMMY;
        uint64_t bit = (uint64_t)1 << (type < types ? type : types);
        bool is_first = !(looked_at & bit);
        if (capture->is_pipe && type >= PC_TYPE_DYNAMIC && type != PC_TYPE_SYNTH)
            continue;
        is_dummy &= version != PC_BY_5_10;
        if (!is_dummy || capture->is_pipe)
            looked_at |= bit;
        if (!is_first || is_dummy || (capture->is_pipe && samples == 0))
            continue;
        if (type != PC_TYPE_TRACEPOINT && !(samples & (PC_S_IP | PC_S_ADDR)))
            say_attr(flow, version, PC_D_FOR_NO_ADDRESS, i, PC_ATTR_SAMPLE_TYPE, pc_hex_value(samples));
    }
}

/* evlist.c: evlist__find_dup_event_from_prev. perf report --stats does not take the names of a pipe from
 * EVENT_DESC. */
static void check_counters(struct pc_flow *flow)
{
    uint64_t counters = 0, last = 0;
    bool nameless = false, branches = false;
    for (uint64_t i = 0; i < flow->capture->nr_attrs; i++) {
        const struct pc_attr *attr = &flow->capture->attr[i];
        branches |= (pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) & PC_S_BRANCH_STACK) != 0;
        if (!(pc_attr_get(attr, PC_ATTR_BRANCH_TYPE) & PC_BRANCH_COUNTERS))
            continue;
        nameless |= !attr->name || (flow->capture->is_pipe && !attr->updated);
        last = i;
        counters++;
    }
    if (counters > 1 && nameless && branches && flow->nr_samples != 0)
        say_attr(flow, PC_BY_ALL, PC_D_FOR_COUNTER_NAMES, last, PC_ATTR_BRANCH_TYPE,
                 pc_hex_value(PC_BRANCH_COUNTERS));
}

/* header.c: do_write_feat takes what writes a feature from a table, without a look at its end. What follows
 * the table depends on the program: 6.1 and 6.12 die of the first number behind it, others of later ones. */
static void check_features(struct pc_flow *flow, enum pc_versions version)
{
    uint64_t bit = pc_version_knows(version)->feature + 1u;
    while (bit < PC_FEATURE_BITS && !pc_bit(flow->capture->features, bit))
        bit++;
    if (bit < PC_FEATURE_BITS)
        pc_flow_say_for(flow, PC_D_FOR_INJECT_FEATURE, version, 0, PC_FEATURE_BITS / 8, pc_uint_value(bit));
}

/* builtin-report.c of 5.10: cmd_report. Trace data name the tracepoints. */
static bool lacks_names(const struct pc_capture *capture)
{
    bool some = false;
    for (uint64_t i = 0; i < capture->nr_attrs; i++)
        some |= pc_attr_get(&capture->attr[i], PC_ATTR_TYPE) != PC_TYPE_TRACEPOINT;
    return some && !pc_bit(capture->features, PC_EVENT_DESC);
}

static void check_header(struct pc_flow *flow, bool branches)
{
    const struct pc_capture *capture = flow->capture;
    flow->at =
        (struct pc_context){ .place = PC_IN_HEADER, .offset = pc_row_at(pc_file_header, PC_HEAD_FEATURES) };
    if (pc_bit(capture->features, PC_BRANCH_STACK) && !pc_bit(capture->features, PC_STAT_FEATURE) &&
        !branches)
        say(flow, PC_D_FOR_BRANCH_FEATURE, 0, PC_FEATURE_BITS / 8, pc_none);
    if (capture->order == PC_BIG && pc_count_features(capture->features) == 0)
        say(flow, PC_D_FOR_ORDER_NO_FEATURES, 0, PC_FEATURE_BITS / 8, pc_none);
    if (pc_report_found(flow->report, PC_D_HOSTNAME_CLEAR) != 0)
        say(flow, PC_D_FOR_ORDER_HOSTNAME, 0, PC_FEATURE_BITS / 8, pc_none);
    if (lacks_names(capture))
        pc_flow_say_for(flow, PC_D_FOR_EVENT_NAMES, PC_BY_5_10, 0, PC_FEATURE_BITS / 8, pc_none);
    const enum pc_versions asked = flow->asked & PC_BY_ALL;
    for (enum pc_versions version = pc_version_next(asked, PC_BY_NONE); version != PC_BY_NONE;
         version = pc_version_next(asked, version))
        check_features(flow, version);
}

static void judge_versions(struct pc_flow *flow, void *state)
{
    const struct versions *own = state;
    const struct pc_capture *capture = flow->capture;
    const enum pc_versions asked = flow->asked & PC_BY_ALL;
    bool branches = false;
    for (uint64_t i = 0; i < capture->nr_attrs; i++)
        branches |= (pc_attr_get(&capture->attr[i], PC_ATTR_SAMPLE_TYPE) & PC_S_BRANCH_STACK) != 0;
    for (enum pc_versions version = pc_version_next(asked, PC_BY_NONE); version != PC_BY_NONE;
         version = pc_version_next(asked, version)) {
        for (uint64_t i = 0; i < capture->nr_attrs; i++)
            check_bits(flow, version, i);
        check_addresses(flow, version);
    }
    check_counters(flow);
    flow->at = own->spe_without_clock;
    if (flow->at.subject && flow->has_times)
        say(flow, PC_D_FOR_SPE_CLOCK, 0, PC_RECORD_HEADER_SIZE, pc_none);
    flow->at = own->contention;
    if (flow->at.subject && !own->kernel_mapped)
        pc_flow_say_for(flow, PC_D_FOR_LOCK_KERNEL, PC_BY_FROM_6_12, 0, PC_RECORD_HEADER_SIZE, pc_none);
    if (!capture->is_pipe && !capture->unfinished)
        check_header(flow, branches);
}

const struct pc_flow_rule pc_flow_rule_versions = {
    .size = sizeof(struct versions),
    .readers = PC_BY_ALL,
    .each = each_record,
    .end = judge_versions,
};

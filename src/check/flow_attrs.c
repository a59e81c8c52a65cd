/* SPDX-License-Identifier: MIT
 *
 * All attrs together (tools/perf/util/evlist.c: evlist__valid_sample_type, evlist__valid_sample_id_all).
 */
#include "check/flow_rule.h"

/* Whether perf itself counts all events; these have no ids. */
static bool all_own(const struct pc_capture *capture)
{
    size_t own = 0;
    for (size_t i = 0; i < capture->nr_attrs; i++)
        own += pc_type_is_own(pc_attr_get(&capture->attr[i], PC_ATTR_TYPE));
    return own == capture->nr_attrs;
}

static void say_no_ids(struct pc_flow *flow)
{
    const struct pc_capture *capture = flow->capture;
    struct pc_context attr = { .place = PC_IN_ATTR, .offset = capture->attr[0].offset, .name = "ids.size" };
    if (!capture->is_pipe)
        attr.offset += pc_header_get(capture, PC_HEAD_ATTR_SIZE) - 8;
    pc_report_say(flow->report, &attr, PC_D_IDS_MISSING, 0, 8, pc_none, pc_none);
}

/* counts: all that the capture has of the event are counts in a pipe, for which perf needs no format. */
static void check_tracepoint(struct pc_flow *flow, uint64_t number, bool counts)
{
    const struct pc_capture *capture = flow->capture;
    const struct pc_attr *attr = &capture->attr[number];
    uint64_t config = pc_attr_get(attr, PC_ATTR_CONFIG);
    if (pc_attr_get(attr, PC_ATTR_TYPE) != PC_TYPE_TRACEPOINT || capture->unfinished ||
        capture->tracing_damaged)
        return;
    const bool seen = pc_bit(capture->seen, PC_TRACING_DATA) || capture->nr_tracing != 0;
    if (!seen && pc_bit(capture->features, PC_TRACING_DATA))
        return; /* it was there, and its loss was reported */
    if (!seen && capture->by_simpleperf)
        return; /* which has no use for them */
    if (!seen && counts)
        return;
    if (!seen)
        pc_flow_say_attr(flow, PC_D_TRACEPOINT_WITHOUT_DATA, number, PC_ATTR_TYPE, pc_none, pc_none);
    else if (!pc_capture_has_tracepoint(capture, config))
        pc_flow_say_attr(flow, PC_D_TRACEPOINT_UNDESCRIBED, number, PC_ATTR_CONFIG, pc_uint_value(config),
                         pc_none);
}

/* Whether the capture is one of perf stat. */
static bool is_stat(const struct pc_flow *flow)
{
    const uint64_t *records = flow->sum.by_type;
    return flow->capture->is_pipe ? (records[PC_STAT] | records[PC_STAT_CONFIG] | records[PC_STAT_ROUND]) != 0
                                  : pc_bit(flow->capture->features, PC_STAT_FEATURE);
}

bool pc_flow_counts_only(const struct pc_flow *flow)
{
    return flow->capture->is_pipe && is_stat(flow) && flow->sum.by_type[PC_SAMPLE] == 0;
}

static const struct pc_sample_layout *layout_of(const struct pc_capture *capture, uint64_t number)
{
    return capture->layout[capture->attr[number].layout];
}

static bool has_trailers(const struct pc_capture *capture, uint64_t number)
{
    return pc_attr_get(&capture->attr[number], PC_ATTR_FLAGS) & PC_FLAG_SAMPLE_ID_ALL;
}

/* Whether sample_id_all is in most attrs: in the first, where half of them have it. */
static bool most_have_trailers(const struct pc_capture *capture)
{
    uint64_t with = 0;
    for (uint64_t i = 0; i < capture->nr_attrs; i++)
        with += has_trailers(capture, i);
    uint64_t without = capture->nr_attrs - with;
    return with != without ? with > without : capture->nr_attrs != 0 && has_trailers(capture, 0);
}

/* Words from the ends of records to their ids, and -1: there is none. */
#define ID_WORDS    6
#define TRAILER_IDS 5

/* Which attr has the ids of its records where the most attrs have theirs; the first one of those. */
static uint64_t find_common(const struct pc_capture *capture)
{
    uint64_t times[ID_WORDS][TRAILER_IDS] = { { 0 } }, common = 0, most = 0;
    for (uint64_t i = 0; i < capture->nr_attrs; i++) {
        const struct pc_sample_layout *own = layout_of(capture, i);
        assert(own->id_word + 1 < ID_WORDS && own->trailer_id + 1 < TRAILER_IDS);
        times[own->id_word + 1][own->trailer_id + 1]++;
    }
    for (uint64_t i = 0; i < capture->nr_attrs; i++) {
        const struct pc_sample_layout *own = layout_of(capture, i);
        uint64_t n = own->id_word < 0 ? 0 : times[own->id_word + 1][own->trailer_id + 1];
        if (n > most) {
            most = n;
            common = i;
        }
    }
    return common;
}

static void say_odd(struct pc_flow *flow, uint64_t number)
{
    uint64_t type = pc_attr_get(&flow->capture->attr[number], PC_ATTR_SAMPLE_TYPE);
    pc_flow_say_attr(flow, PC_D_NO_COMMON_ID, number, PC_ATTR_SAMPLE_TYPE, pc_hex_value(type), pc_none);
}

/* Several attrs have no common place for ids: says so of those that differ from most, or of the last one when
 * none has ids. */
static void say_no_common(struct pc_flow *flow)
{
    const struct pc_capture *capture = flow->capture;
    const struct pc_sample_layout *common = layout_of(capture, find_common(capture));
    bool said = false;
    for (uint64_t i = 0; i < capture->nr_attrs; i++) {
        const struct pc_sample_layout *own = layout_of(capture, i);
        if (own->id_word == common->id_word && own->trailer_id == common->trailer_id)
            continue;
        say_odd(flow, i);
        said = true;
    }
    if (!said)
        say_odd(flow, capture->nr_attrs - 1);
}

static void judge_attrs(struct pc_flow *flow, void *own)
{
    (void)own;
    const struct pc_capture *capture = flow->capture;
    /* perf stat compares nothing, since no sample has to be credited: evlist__valid_sample_type's callers. */
    bool stat = is_stat(flow), most = most_have_trailers(capture);

    for (uint64_t i = 0; i < capture->nr_attrs; i++) {
        const struct pc_attr *attr = &capture->attr[i];
        uint64_t type = pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE), read = pc_attr_get(attr, PC_ATTR_READ_FORMAT);
        check_tracepoint(flow, i, pc_flow_counts_only(flow));
        if (!stat && has_trailers(capture, i) != most)
            pc_flow_say_attr(flow, PC_D_SAMPLE_ID_ALL_DIFFERS, i, PC_ATTR_FLAGS, pc_uint_value(!most),
                             pc_uint_value(most));
        /* But samples beside the counts are read as in any capture (evsel__parse_sample). */
        if ((!stat || flow->read_without_id) && (type & PC_S_READ) && !(read & PC_READ_ID))
            pc_flow_say_attr(flow, i == 0 && !stat ? PC_D_READ_WITHOUT_ID_FIRST : PC_D_READ_WITHOUT_ID, i,
                             PC_ATTR_READ_FORMAT, pc_hex_value(read), pc_none);
    }
    if (capture->nr_attrs < 2)
        return;
    if (!stat && (capture->common.id_pos < 0 || capture->common.is_pos < 0))
        say_no_common(flow);
    if (capture->nr_ids == 0 && !capture->ids_missing && !all_own(capture))
        say_no_ids(flow);
}

static void check_late(struct pc_flow *flow, void *own, const struct pc_facts *record)
{
    (void)own;
    if (flow->nr_samples + flow->sum.by_type[PC_EVENT_UPDATE] != 0)
        pc_flow_say(flow, PC_D_ATTR_LATE, 0, record->item->bytes.len, pc_none, pc_none);
}

const struct pc_flow_rule pc_flow_rule_attrs = {
    .types = (const uint16_t[]){ PC_HEADER_ATTR, 0 },
    .record = check_late,
    .end = judge_attrs,
};

/* SPDX-License-Identifier: MIT
 *
 * Times: their order, and the range that SAMPLE_TIME gives (FORMAT.md 9.1; 10, rows 293 and 294).
 */
#include "check/flow_rule.h"

struct times {
    bool has_init, waits; /* for the first time after it */
    uint64_t init;        /* newest time before FINISHED_INIT */
    bool has_range;
    struct pc_context range_in; /* SAMPLE_TIME ... */
    size_t range_at;            /* ... and where its first time is */
    uint64_t first, last;
};

static void note_range(struct pc_flow *flow, void *own, const struct pc_leaf *leaf)
{
    struct times *times = own;
    if (leaf->field->save == PC_SAMPLE_TIME_FIRST) {
        times->range_in = flow->at;
        times->range_at = leaf->at;
        times->first = leaf->value;
        times->has_range = false;
    } else if (leaf->field->save == PC_SAMPLE_TIME_LAST) {
        times->last = leaf->value;
        times->has_range = true;
    }
}

/* The first record with a time after FINISHED_INIT. */
static void check_after_init(struct pc_flow *flow, struct times *times, const struct pc_facts *record)
{
    uint64_t time = record->slot[PC_SLOT_TIME];
    const uint64_t mask = record->layout ? record->layout->layout.mask : 0;
    bool has_times = record->item->type == PC_SAMPLE || (mask & PC_LAYOUT_SAMPLE_ID);
    if (!has_times || !(mask & PC_S_TIME) || time == 0 || time == UINT64_MAX)
        return;
    times->waits = false;
    pc_flow_watch(flow, PC_FLOW_times, false);
    if (time < times->init && pc_flow_in_order(flow))
        pc_flow_say_slot(flow, record, PC_D_TIME_BEFORE_INIT, PC_SLOT_TIME, pc_uint_value(time),
                         pc_uint_value(times->init));
}

/* FINISHED_ROUND promises that all records older than the newest of the round before have come:
 * FORMAT.md 9.1, tools/perf/util/ordered-events.c. */
static void record_time(struct pc_flow *flow, void *own, const struct pc_facts *record)
{
    struct times *times = own;
    if (flow->late && !(flow->capture->flags & PC_FLAG_WRITE_BACKWARD))
        pc_flow_say_slot(flow, record, PC_D_TIME_ORDER, PC_SLOT_TIME,
                         pc_uint_value(record->slot[PC_SLOT_TIME]), pc_uint_value(flow->times.released));
    if (record->item->type == PC_FINISHED_INIT && times->has_init) {
        pc_flow_say(flow, PC_D_FINISHED_INIT_TWICE, 0, record->item->bytes.len, pc_none, pc_none);
    } else if (record->item->type == PC_FINISHED_INIT) {
        times->has_init = times->waits = true;
        times->init = flow->times.newest;
        pc_flow_watch(flow, PC_FLOW_times, true);
    } else if (times->waits) {
        check_after_init(flow, times, record);
    }
}

static void judge_range(struct pc_flow *flow, void *own)
{
    const struct times *times = own;
    uint64_t first = times->first, last = times->last;
    uint64_t seen_first = flow->sum.first_time, seen_last = flow->sum.last_time;
    if (!times->has_range || !flow->sum.has_time || first > last || last == 0 || first == UINT64_MAX)
        return; /* unknown, or reported otherwise */
    bool outside = seen_first < first || seen_last > last;
    if (!outside && seen_first == first && seen_last == last)
        return;
    bool early = outside ? seen_first < first : seen_first > first;
    flow->at = times->range_in;
    flow->at.name = early ? "first" : "last";
    pc_flow_say(flow, outside ? PC_D_SAMPLE_TIME_OUTSIDE : PC_D_SAMPLE_TIME_WIDER,
                times->range_at + (early ? 0 : 8), 8, pc_uint_value(early ? first : last),
                pc_uint_value(early ? seen_first : seen_last));
}

const struct pc_flow_rule pc_flow_rule_times = {
    .size = sizeof(struct times),
    .types = (const uint16_t[]){ PC_FINISHED_INIT, 0 },
    .late = true,
    .fields = (const uint16_t[]){ PC_FACTS_OF_FEATURE(PC_SAMPLE_TIME), 0 },
    .field = note_range,
    .needs_all = true,
    .record = record_time,
    .end = judge_range,
};

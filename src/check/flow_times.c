/* SPDX-License-Identifier: MIT
 *
 * Times: their order, and the range that SAMPLE_TIME gives (FORMAT.md 9.1; 10, rows 293 and 294).
 */
#include "check/flow_rule.h"

struct times {
    bool has_init;
    uint64_t init; /* newest time before FINISHED_INIT */
    bool has_range;
    struct pc_context range_in; /* SAMPLE_TIME ... */
    size_t range_at;            /* ... and where its first time is */
    uint64_t first, last;
};

static const struct pc_value none;

void pc_flow_sample_time(struct pc_flow *flow, const struct pc_context *at, uint64_t first, uint64_t last,
                         size_t from)
{
    struct times *times = pc_flow_own(flow, PC_FLOW_times, sizeof(*times));
    if (!times)
        return;
    times->has_range = true;
    times->range_in = *at;
    times->range_at = from;
    times->first = first;
    times->last = last;
}

/* FINISHED_ROUND promises that all records older than the newest of the round before have come:
 * FORMAT.md 9.1, tools/perf/util/ordered-events.c. */
void pc_flow_say_time_order(struct pc_flow *flow, const struct pc_sound_record *record)
{
    uint64_t flags = pc_attr_get(&flow->capture->attr[record->attr], PC_ATTR_FLAGS);
    if (flow->backward || (flags & PC_FLAG_WRITE_BACKWARD))
        return;
    pc_flow_begin(flow, record->item);
    pc_flow_say_slot(flow, record, PC_D_TIME_ORDER, PC_SLOT_TIME, "time", 8,
                     pc_uint_value(record->slot[PC_SLOT_TIME]), pc_uint_value(flow->times.released));
}

/* The first record with a time after FINISHED_INIT. */
static void check_after_init(struct pc_flow *flow, const struct times *times,
                             const struct pc_sound_record *record)
{
    uint64_t time = record->slot[PC_SLOT_TIME];
    const uint64_t mask = record->layout ? record->layout->layout.mask : 0;
    bool has_times = record->item->type == PC_SAMPLE || (mask & PC_LAYOUT_SAMPLE_ID);
    if (!has_times || !(mask & PC_S_TIME) || time == 0 || time == UINT64_MAX)
        return;
    pc_flow_watch(flow, PC_FLOW_times, false);
    if (time < times->init && pc_flow_in_order(flow))
        pc_flow_say_slot(flow, record, PC_D_TIME_BEFORE_INIT, PC_SLOT_TIME, "time", 8, pc_uint_value(time),
                         pc_uint_value(times->init));
}

static void record_time(struct pc_flow *flow, void *own, const struct pc_sound_record *record)
{
    struct times *times = own;
    struct pc_flow_times *seen = &flow->times;
    switch (record->item->type) {
    case PC_FINISHED_ROUND:
        flow->rounds++;
        seen->released = seen->next_release;
        seen->next_release = seen->newest;
        break;
    case PC_FINISHED_INIT:
        if (times->has_init) {
            pc_flow_say(flow, PC_D_FINISHED_INIT_TWICE, 0, record->item->bytes.len, NULL, none, none);
            break;
        }
        times->has_init = true;
        times->init = seen->newest;
        pc_flow_watch(flow, PC_FLOW_times, true);
        break;
    default:
        check_after_init(flow, times, record);
        break;
    }
}

static void judge_range(struct pc_flow *flow, void *own)
{
    const struct times *times = own;
    const struct pc_flow_times *seen = &flow->times;
    uint64_t first = times->first, last = times->last;
    if (!times->has_range || !seen->has_samples || first > last || last == 0 || first == UINT64_MAX)
        return; /* unknown, or reported otherwise */
    bool outside = seen->first < first || seen->last > last;
    if (!outside && seen->first == first && seen->last == last)
        return;
    bool early = outside ? seen->first < first : seen->first > first;
    flow->at = times->range_in;
    pc_flow_say(flow, outside ? PC_D_SAMPLE_TIME_OUTSIDE : PC_D_SAMPLE_TIME_WIDER,
                times->range_at + (early ? 0 : 8), 8, early ? "first" : "last",
                pc_uint_value(early ? first : last), pc_uint_value(early ? seen->first : seen->last));
}

const struct pc_flow_rule pc_flow_rule_times = {
    .size = sizeof(struct times),
    .types = (const uint8_t[]){ PC_FINISHED_ROUND, PC_FINISHED_INIT, 0 },
    .needs_all = true,
    .record = record_time,
    .end = judge_range,
};

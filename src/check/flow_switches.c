/* SPDX-License-Identifier: MIT
 *
 * Two states that alternate: THROTTLE and UNTHROTTLE, switching in and out (FORMAT.md 10, rows 112 and 291).
 */
#include "check/flow_rule.h"

struct switches {
    struct pc_set throttle; /* by stream id */
    struct pc_set task;     /* by CPU, attr and tid */
};

enum { THROTTLE_BITS = 12, TASK_BITS = 13 };

/* Moves the entry of a key into a state; true when it was in it before and nothing got lost between. */
static bool stays(struct pc_flow *flow, struct pc_set *table, unsigned bits, uint64_t key, bool state)
{
    struct pc_entry *entry = pc_flow_add(flow, table, bits, key);
    if (!entry)
        return false;
    uint64_t now = (pc_flow_losses(flow) + 1) << 1 | state, before = entry->extra;
    entry->extra = now;
    return before == now;
}

static void check_throttle(struct pc_flow *flow, struct switches *own, const struct pc_facts *record)
{
    uint64_t stream = record->slot[PC_REC_STREAM];
    bool on = record->item->type == PC_THROTTLE;
    if (stays(flow, &own->throttle, THROTTLE_BITS, stream, on))
        pc_flow_say_slot(flow, record, PC_D_THROTTLE_TWICE, PC_REC_STREAM, pc_uint_value(stream), pc_none);
}

/* On one CPU, records of one event (and, for SWITCH, of one task) alternate between in and out. */
static void check_switch(struct pc_flow *flow, struct switches *own, const struct pc_facts *record)
{
    const struct pc_item *item = record->item;
    bool wide = item->type == PC_SWITCH_CPU_WIDE, out = item->misc & PC_MISC_SWITCH_OUT;
    uint64_t mask = record->layout->layout.mask, attr = record->attr;
    uint64_t cpu = record->slot[PC_SLOT_CPU], tid = wide ? UINT32_MAX : record->slot[PC_SLOT_TID];
    const uint64_t needed = PC_S_CPU | (wide ? 0 : PC_S_TID);
    if (!(mask & PC_LAYOUT_SAMPLE_ID) || (mask & needed) != needed || cpu >= 1u << 20 || attr >= 1u << 12)
        return;
    if (stays(flow, &own->task, TASK_BITS, cpu << 44 | attr << 32 | tid, !out) && !out)
        pc_flow_say(flow, PC_D_SWITCH_IN_TWICE, PC_RECORD_MISC_AT, 2, pc_hex_value(item->misc), pc_none);
}

static void record_switch(struct pc_flow *flow, void *own, const struct pc_facts *record)
{
    uint32_t type = record->item->type;
    if (!pc_flow_in_order(flow))
        return;
    if (type == PC_THROTTLE || type == PC_UNTHROTTLE)
        check_throttle(flow, own, record);
    else
        check_switch(flow, own, record);
}

static void clear_switches(struct pc_flow *flow, void *own)
{
    struct switches *switches = own;
    pc_set_clear(flow->mem, &switches->throttle);
    pc_set_clear(flow->mem, &switches->task);
}

const struct pc_flow_rule pc_flow_rule_switches = {
    .size = sizeof(struct switches),
    .types = (const uint16_t[]){ PC_THROTTLE, PC_UNTHROTTLE, PC_SWITCH, PC_SWITCH_CPU_WIDE, 0 },
    .record = record_switch,
    .clear = clear_switches,
};

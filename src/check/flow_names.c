/* SPDX-License-Identifier: MIT
 *
 * Names are UTF-8, or perf script dies when it hands them to a script in Python:
 * tools/perf/util/scripting-engines/trace-event-python.c. perf record reads names of events as ASCII, and the
 * kernel makes such names of its symbols; it takes any bytes for names of tasks and files, so these are for
 * --for.
 */
#include "check/flow_rule.h"
#include "base/text.h"

/* The text of a record of the kernel, which is its only one. */
static void judge_record(struct pc_flow *flow, void *own, const struct pc_facts *record)
{
    (void)own;
    const size_t at = record->slot_at[PC_REC_NAME], len = (size_t)record->slot[PC_REC_NAME];
    struct pc_span name = pc_part(record->item->bytes, at, len);
    if (pc_text_is_utf8(name))
        return;
    if (record->item->type == PC_KSYMBOL)
        pc_flow_say(flow, PC_D_SYMBOL_NAME_TEXT, at, len, pc_bytes_value(name), pc_none);
    else if (flow->asked & PC_BY_ALL)
        pc_flow_say_for(flow, PC_D_FOR_NAME_TEXT, PC_BY_ALL, at, len, pc_bytes_value(name));
}

static void judge_event(struct pc_flow *flow, void *own, const struct pc_leaf *leaf)
{
    (void)own;
    const size_t head = leaf->field->kind == PC_HSTR ? 4 : 0;
    bool is_name = flow->of == PC_EVENT_UPDATE
                       ? leaf->field->kind == PC_CSTR && leaf->walk->slot[PC_REC_TYPE] == PC_UPDATE_NAME
                       : leaf->field->save == PC_EVENT_DESC_NAME;
    if (!is_name)
        return;
    struct pc_span name = pc_part(leaf->raw, head, (size_t)leaf->value);
    if (!pc_text_is_utf8(name))
        pc_flow_say_leaf(flow, PC_D_EVENT_NAME_TEXT, leaf, pc_bytes_value(name), pc_none);
}

const struct pc_flow_rule pc_flow_rule_names = {
    .types = (const uint16_t[]){ PC_COMM, PC_MMAP, PC_MMAP2, PC_KSYMBOL, 0 },
    .record = judge_record,
    .fields = (const uint16_t[]){ PC_EVENT_UPDATE, PC_FACTS_OF_FEATURE(PC_EVENT_DESC), 0 },
    .field = judge_event,
};

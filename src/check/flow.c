/* SPDX-License-Identifier: MIT
 *
 * Passes records to the rules between records.
 */
#include "check/flow_rule.h"

#include <string.h>

#define ROW(name) [PC_FLOW_##name] = &pc_flow_rule_##name,
static const struct pc_flow_rule *const rules[PC_NR_FLOW_RULES] = { PC_FLOW_RULES(ROW) };
#undef ROW

void pc_flow_init(struct pc_flow *flow, struct pc_mem *mem, struct pc_report *report,
                  const struct pc_capture *capture)
{
    static_assert(PC_NR_FLOW_RULES <= PC_FLOW_RULES_MAX, "room for each");
    memset(flow, 0, sizeof(*flow));
    flow->mem = mem;
    flow->report = report;
    flow->capture = capture;
    for (unsigned i = 0; i < PC_NR_FLOW_RULES; i++) {
        for (const uint8_t *type = rules[i]->types; *type; type++)
            flow->wants[*type] |= 1u << i;
    }
}

void pc_flow_clear(struct pc_flow *flow)
{
    for (unsigned i = 0; i < PC_NR_FLOW_RULES; i++) {
        if (flow->own[i] && rules[i]->clear)
            rules[i]->clear(flow, flow->own[i]);
        pc_free(flow->mem, flow->own[i], rules[i]->size);
        flow->own[i] = NULL;
    }
}

void pc_flow_attr(struct pc_flow *flow, uint64_t flags)
{
    flow->backward |= (flags & PC_FLAG_WRITE_BACKWARD) != 0;
    flow->defers |= (flags & PC_FLAG_DEFER_OUTPUT) != 0;
}

void pc_flow_stream(struct pc_flow *flow, uint32_t stream)
{
    flow->several |= stream != 0;
    flow->rounds = 0;
    flow->times.newest = flow->times.released = flow->times.next_release = 0;
}

void pc_flow_record(struct pc_flow *flow, const struct pc_sound_record *record)
{
    uint32_t wanted = flow->wants[record->item->type] | flow->watching;
    if (wanted != 0)
        pc_flow_begin(flow, record->item);
    for (; wanted != 0; wanted &= wanted - 1) {
        unsigned i = (unsigned)__builtin_ctz(wanted);
        void *own = pc_flow_own(flow, (enum pc_flow_index)i, rules[i]->size);
        if (own)
            rules[i]->record(flow, own, record);
    }
}

static void note_seen(struct pc_flow *flow, const struct pc_item *item, const struct pc_sample_layout *layout)
{
    enum pc_order order = flow->capture->order;
    if (layout->ip_at != 0 && (item->misc & PC_MISC_CPUMODE) == PC_MODE_USER) {
        uint64_t page = pc_load(item->bytes.ptr + layout->ip_at, 8, order) / PC_PAGE;
        flow->recent_page[page % PC_COUNT_OF(flow->recent_page)] = page;
    }
    if (layout->tid_at != 0) {
        uint32_t tid = (uint32_t)pc_load(item->bytes.ptr + layout->tid_at, 4, order);
        flow->recent_tid[tid % PC_COUNT_OF(flow->recent_tid)] = tid;
    }
}

void pc_flow_sample(struct pc_flow *flow, const struct pc_sound_record *record)
{
    const struct pc_item *item = record->item;
    const struct pc_sample_layout *layout = record->layout;
    if (pc_flow_may_skip(flow))
        flow->skip = PC_SAMPLES_SKIPPED;
    if (flow->capture->order == PC_LITTLE
            ? pc_flow_seen_lately(flow, item->bytes.ptr, item->misc, layout, PC_LITTLE)
            : pc_flow_seen_lately(flow, item->bytes.ptr, item->misc, layout, PC_BIG))
        return;
    note_seen(flow, item, layout);
    pc_flow_record(flow, record);
}

static void end_rules(struct pc_flow *flow, bool need_all)
{
    for (unsigned i = 0; i < PC_NR_FLOW_RULES; i++) {
        if (flow->own[i] && rules[i]->end && rules[i]->needs_all == need_all)
            rules[i]->end(flow, flow->own[i]);
    }
}

void pc_flow_end(struct pc_flow *flow, const struct pc_context *at)
{
    flow->at = *at;
    end_rules(flow, false);
    if (flow->no_memory)
        pc_flow_say_limit(flow, "records", 0);
    else if (pc_flow_is_complete(flow))
        end_rules(flow, true);
}

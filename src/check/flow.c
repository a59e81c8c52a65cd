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
        for (const uint8_t *type = rules[i]->types; type && *type; type++)
            flow->wants[*type] |= 1u << i;
        for (const uint16_t *of = rules[i]->fields; of && *of; of++)
            flow->wants_fields[*of] |= 1u << i;
        flow->wants_late |= rules[i]->late ? 1u << i : 0;
        flow->for_versions |= rules[i]->for_versions ? 1u << i : 0;
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

void pc_flow_stream(struct pc_flow *flow, uint32_t stream)
{
    flow->stream = stream;
    flow->several |= stream != 0;
    flow->rounds = 0;
    flow->times.newest = flow->times.released = flow->times.next_release = 0;
}

void pc_flow_count(struct pc_flow *flow, uint32_t type, const struct pc_record_info *info)
{
    struct pc_summary *sum = &flow->sum;
    if (info && (info->flags & PC_HOLDS_RECORDS)) {
        sum->compressed++;
        return;
    }
    sum->total++;
    if (info) {
        sum->by_type[type]++;
        return;
    }
    for (size_t i = 0; i < sum->nr_unknown; i++) {
        if (sum->unknown[i].type == type) {
            sum->unknown[i].count++;
            return;
        }
    }
    if (sum->nr_unknown == PC_UNKNOWN_TYPES)
        sum->unknown_rest++;
    else
        sum->unknown[sum->nr_unknown++] = (struct pc_unknown_type){ type, 1 };
}

/* The state of a rule, if any; NULL: there is no memory for it. */
static void *state_of(struct pc_flow *flow, unsigned rule)
{
    return rules[rule]->size == 0 ? flow : pc_flow_own(flow, (enum pc_flow_index)rule, rules[rule]->size);
}

/* One of the rules in a set, which is taken out of it, and its state. */
static void *next_rule(struct pc_flow *flow, uint32_t *set, unsigned *rule)
{
    *rule = (unsigned)__builtin_ctz(*set);
    *set &= *set - 1;
    return state_of(flow, *rule);
}

/* Hands a record to these rules, and a late one to those that want all of these. */
static void hand_on(struct pc_flow *flow, const struct pc_sound_record *record, uint32_t wanted)
{
    unsigned rule;
    wanted |= record->late ? flow->wants_late : 0;
    if (pc_flow_asked(flow) == PC_BY_NONE)
        wanted &= ~flow->for_versions;
    if (wanted != 0)
        flow->at = pc_item_context(record->item);
    while (wanted != 0) {
        void *own = next_rule(flow, &wanted, &rule);
        if (own && rules[rule]->record)
            rules[rule]->record(flow, own, record);
    }
}

void pc_flow_record(struct pc_flow *flow, const struct pc_sound_record *record)
{
    struct pc_flow_times *times = &flow->times;
    if (record->item->type == PC_FINISHED_ROUND) {
        flow->rounds++;
        times->released = times->next_release;
        times->next_release = times->newest;
    }
    hand_on(flow, record, flow->wants[record->item->type] | flow->watching);
}

void pc_flow_came(struct pc_flow *flow, const struct pc_item *item)
{
    unsigned rule;
    uint32_t wanted = flow->wants[item->type];
    if (wanted != 0)
        flow->at = pc_item_context(item);
    while (wanted != 0) {
        void *own = next_rule(flow, &wanted, &rule);
        if (own && rules[rule]->came)
            rules[rule]->came(flow, own, item);
    }
}

void pc_flow_each(struct pc_flow *flow, const struct pc_context *at, const struct pc_sound_record *record)
{
    unsigned rule;
    uint32_t wanted = flow->for_versions;
    flow->at = *at;
    while (wanted != 0) {
        void *own = next_rule(flow, &wanted, &rule);
        if (own)
            rules[rule]->each(flow, own, record);
    }
}

void pc_flow_field(struct pc_flow *flow, const struct pc_context *at, unsigned of, const struct pc_leaf *leaf)
{
    unsigned rule;
    uint32_t wanted = flow->wants_fields[of];
    if (wanted == 0)
        return;
    flow->at = *at;
    flow->of = of;
    while (wanted != 0) {
        void *own = next_rule(flow, &wanted, &rule);
        if (own)
            rules[rule]->field(flow, own, leaf);
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

void pc_flow_sample(struct pc_flow *flow, const struct pc_sound_record *record, bool wanted)
{
    const struct pc_item *item = record->item;
    const struct pc_sample_layout *layout = record->layout;
    if (wanted && pc_flow_may_skip(flow))
        flow->skip = PC_SAMPLES_SKIPPED;
    wanted = wanted && !(flow->capture->order == PC_LITTLE
                             ? pc_flow_seen_lately(flow, item->bytes.ptr, item->misc, layout, PC_LITTLE)
                             : pc_flow_seen_lately(flow, item->bytes.ptr, item->misc, layout, PC_BIG));
    if (wanted)
        note_seen(flow, item, layout);
    if (wanted || record->late)
        hand_on(flow, record, wanted ? flow->wants[PC_SAMPLE] | flow->watching : 0);
}

static void end_rules(struct pc_flow *flow, const struct pc_item *end, bool need_all)
{
    for (unsigned i = 0; i < PC_NR_FLOW_RULES; i++) {
        if ((rules[i]->size != 0 && !flow->own[i]) || !rules[i]->end || rules[i]->needs_all != need_all)
            continue;
        flow->at = pc_item_context(end);
        rules[i]->end(flow, flow->own[i]);
    }
}

void pc_flow_end(struct pc_flow *flow, const struct pc_item *end)
{
    flow->sum.size = end->offset;
    if (pc_flow_asked(flow) != PC_BY_NONE)
        pc_flow_own(flow, PC_FLOW_versions, rules[PC_FLOW_versions]->size);
    end_rules(flow, end, false);
    flow->at = pc_item_context(end);
    if (flow->no_memory)
        pc_flow_say_limit(flow, "records", 0);
    else if (pc_flow_is_complete(flow))
        end_rules(flow, end, true);
}

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
        for (const uint16_t *type = rules[i]->types; type && *type; type++) {
            flow->wants[pc_type_index(*type)] |= rules[i]->record ? 1u << i : 0;
            flow->wants_came[pc_type_index(*type)] |= rules[i]->came ? 1u << i : 0;
        }
        flow->rule_states[i] = rules[i]->size == 0 ? flow : NULL;
        for (const uint16_t *of = rules[i]->fields; of && *of; of++)
            flow->wants_fields[*of] |= 1u << i;
        flow->wants_late |= rules[i]->late ? 1u << i : 0;
    }
}

void pc_flow_ask(struct pc_flow *flow, enum pc_versions asked)
{
    flow->asked = asked;
    flow->for_readers = 0;
    for (unsigned i = 0; i < PC_NR_FLOW_RULES; i++)
        flow->for_readers |= rules[i]->readers & asked ? 1u << i : 0;
}

void pc_flow_clear(struct pc_flow *flow)
{
    for (unsigned i = 0; i < PC_NR_FLOW_RULES; i++) {
        if (rules[i]->size == 0 || !flow->rule_states[i])
            continue;
        if (rules[i]->clear)
            rules[i]->clear(flow, flow->rule_states[i]);
        pc_free(flow->mem, flow->rule_states[i], rules[i]->size);
        flow->rule_states[i] = NULL;
    }
}

static __attribute__((noinline)) void begin_stream(struct pc_flow *flow, uint32_t stream)
{
    flow->stream = stream;
    flow->several |= stream != 0;
    flow->rounds = 0;
    flow->times.newest = flow->times.released = flow->times.next_release = 0;
}

static inline void count_record(struct pc_flow *flow, uint32_t type, const struct pc_record_info *info)
{
    struct pc_summary *sum = &flow->sum;
    if (info && (info->flags & PC_HOLDS_RECORDS)) {
        sum->compressed++;
        return;
    }
    sum->total++;
    if (info) {
        sum->by_type[pc_type_index(type)]++;
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

/* The state of a rule, made when it is first asked for; NULL: there is no memory for that. */
static inline void *own_of(struct pc_flow *flow, unsigned rule)
{
    if (!flow->rule_states[rule])
        flow->rule_states[rule] = pc_alloc(flow->mem, rules[rule]->size);
    flow->no_memory |= !flow->rule_states[rule];
    return flow->rule_states[rule];
}

/* One of the rules in a set, which is taken out of it, and its state; NULL: there is no memory for that. */
static inline void *next_rule(struct pc_flow *flow, uint32_t *set, unsigned *rule)
{
    *rule = (unsigned)__builtin_ctz(*set);
    *set &= *set - 1;
    return own_of(flow, *rule);
}

/* Hands a record to these rules, and a late one to those that want all of these. */
static void hand_on(struct pc_flow *flow, const struct pc_facts *record, uint32_t wanted)
{
    unsigned rule;
    wanted |= flow->late ? flow->wants_late : 0;
    if (wanted != 0)
        flow->at = *record->at;
    while (wanted != 0) {
        void *own = next_rule(flow, &wanted, &rule);
        if (own)
            rules[rule]->record(flow, own, record);
    }
}

/* A user record, whose fields may be sound or not. */
static __attribute__((noinline)) void hand_on_came(struct pc_flow *flow, const struct pc_facts *facts,
                                                   uint32_t wanted)
{
    unsigned rule;
    flow->at = *facts->at;
    while (wanted != 0) {
        void *own = next_rule(flow, &wanted, &rule);
        if (own)
            rules[rule]->came(flow, own, facts->item);
    }
}

/* A record, sound or not, when readers are asked for; NULL: the end, at which their rules have states. */
static __attribute__((noinline)) void hand_on_each(struct pc_flow *flow, const struct pc_facts *facts)
{
    unsigned rule;
    uint32_t wanted = flow->for_readers;
    if (facts)
        flow->at = *facts->at;
    while (wanted != 0) {
        void *own = next_rule(flow, &wanted, &rule);
        if (own && facts)
            rules[rule]->each(flow, own, facts);
    }
}

void pc_flow_field(struct pc_flow *flow, const struct pc_facts *facts, const struct pc_leaf *leaf)
{
    unsigned rule;
    uint32_t wanted = flow->wants_fields[facts->of];
    flow->at = *facts->at;
    flow->of = facts->of;
    while (wanted != 0) {
        void *own = next_rule(flow, &wanted, &rule);
        if (own)
            rules[rule]->field(flow, own, leaf);
    }
}

static __attribute__((noinline)) void note_seen(struct pc_flow *flow, const struct pc_item *item,
                                                const struct pc_sample_layout *layout)
{
    enum pc_order order = flow->capture->order;
    if (layout->ip_at != 0 && (item->misc & PC_MISC_CPUMODE) == PC_MODE_USER) {
        uint64_t page = pc_load(item->bytes.ptr + layout->ip_at, 8, order) / PC_PAGE;
        flow->seen.page[page % PC_SEEN_PAGES] = page;
    }
    if (layout->tid_at != 0) {
        uint32_t tid = (uint32_t)pc_load(item->bytes.ptr + layout->tid_at, 4, order);
        flow->seen.tid[tid % PC_SEEN_TIDS] = tid;
    }
}

/* Whether only some samples will be looked at once there are many. */
static bool may_skip(const struct pc_flow *flow)
{
    return flow->skip == 0 && !(flow->capture->flags & PC_FLAG_DEFER_OUTPUT) && flow->watching == 0;
}

/* A sound sample: handed on unless it is one of very many, or its task and page were seen. */
PC_INLINE void take_sample(struct pc_flow *flow, const struct pc_facts *facts)
{
    const struct pc_item *item = facts->item;
    const struct pc_sample_layout *layout = facts->layout;
    bool wanted = (++flow->nr_samples & flow->skip) == 0;
    if (wanted && flow->nr_samples >= PC_SAMPLES_MANY && may_skip(flow))
        flow->skip = PC_SAMPLES_SKIPPED;
    wanted = wanted && (flow->watching != 0 ||
                        !(flow->capture->order == PC_LITTLE
                              ? pc_seen_sample(&flow->seen, item->bytes.ptr, item->misc, layout, PC_LITTLE)
                              : pc_seen_sample(&flow->seen, item->bytes.ptr, item->misc, layout, PC_BIG)));
    if (wanted)
        note_seen(flow, item, layout);
    if (wanted || flow->late)
        hand_on(flow, facts, wanted ? flow->wants[PC_SAMPLE] | flow->watching : 0);
    if (layout->layout.mask & PC_S_READ)
        flow->read_without_id |= !(layout->layout.mask & PC_LAYOUT_READ(PC_READ_ID));
}

/* Of a record or a sample. */
PC_INLINE void take_time(struct pc_flow *flow, uint64_t time, bool sample)
{
    struct pc_summary *sum = &flow->sum;
    struct pc_flow_times *times = &flow->times;
    flow->has_times = true;
    if (time == 0 || time == UINT64_MAX)
        return;
    if (sample) {
        if (!sum->has_time || time < sum->first_time)
            sum->first_time = time;
        if (!sum->has_time || time > sum->last_time)
            sum->last_time = time;
        sum->has_time = true;
    }
    if (time > times->newest)
        times->newest = time;
    flow->late = time < times->released;
}

static __attribute__((noinline)) void take_cpu(struct pc_flow *flow, const struct pc_facts *facts,
                                               bool sample)
{
    uint64_t cpu = facts->slot[PC_SLOT_CPU];
    struct pc_flow_cpu *largest = &flow->cpu[sample ? PC_CPU_OF_SAMPLE : PC_CPU_OF_RECORD];
    if (cpu == UINT32_MAX || (largest->known && cpu <= largest->value))
        return;
    struct pc_finding f = pc_finding_in(facts->at, sample ? PC_D_SAMPLE_CPU_BEYOND : PC_D_CPU_BEYOND,
                                        facts->slot_at[PC_SLOT_CPU], 4);
    pc_finding_name(&f, "cpu");
    *largest = (struct pc_flow_cpu){ true, cpu, f };
}

static __attribute__((noinline)) void take_losses(struct pc_flow *flow, const struct pc_facts *facts)
{
    struct pc_summary *sum = &flow->sum;
    const uint64_t lost = facts->slot[PC_REC_LOST];
    if (facts->item->type == PC_LOST)
        sum->lost_events = pc_add_saturated(sum->lost_events, lost);
    else if (!(facts->item->misc &
               PC_MISC_LOST_BPF)) /* what a filter drops, as it was told to, is not lost */
        sum->lost_samples = pc_add_saturated(sum->lost_samples, lost);
}

/* A sound record of the kernel. */
PC_INLINE void take_kernel(struct pc_flow *flow, const struct pc_facts *facts)
{
    const uint64_t mask = facts->layout->layout.mask;
    const uint32_t type = facts->item->type;
    const bool sample = type == PC_SAMPLE;
    if (sample || (mask & PC_LAYOUT_SAMPLE_ID)) {
        if (mask & PC_S_TIME)
            take_time(flow, facts->slot[PC_SLOT_TIME], sample);
        if ((mask & PC_S_CPU) && flow->capture->nr_cpus == 0)
            take_cpu(flow, facts, sample);
    }
    if (sample) {
        take_sample(flow, facts);
        return;
    }
    hand_on(flow, facts, flow->wants[type] | flow->watching);
    if (type == PC_LOST || type == PC_LOST_SAMPLES)
        take_losses(flow, facts);
}

/* A sound user record. */
static void take_user(struct pc_flow *flow, const struct pc_facts *facts)
{
    struct pc_flow_times *times = &flow->times;
    if (facts->item->type == PC_FINISHED_ROUND) {
        flow->rounds++;
        times->released = times->next_release;
        times->next_release = times->newest;
    }
    hand_on(flow, facts, flow->wants[pc_type_index(facts->item->type)] | flow->watching);
}

static void end_rules(struct pc_flow *flow, const struct pc_item *end, bool need_all)
{
    for (unsigned i = 0; i < PC_NR_FLOW_RULES; i++) {
        void *own = rules[i]->always ? own_of(flow, i) : flow->rule_states[i];
        if (!own || !rules[i]->end || rules[i]->needs_all != need_all)
            continue;
        flow->at = pc_item_context(end);
        rules[i]->end(flow, own);
    }
}

static __attribute__((noinline)) void take_end(struct pc_flow *flow, const struct pc_item *end)
{
    flow->sum.size = end->offset;
    hand_on_each(flow, NULL);
    end_rules(flow, end, false);
    flow->at = pc_item_context(end);
    if (flow->no_memory)
        pc_flow_say_at_end(flow, PC_D_OUT_OF_MEMORY, end->offset, 0, pc_none,
                           pc_text_value("records were compared"));
    else if (pc_flow_is_complete(flow))
        end_rules(flow, end, true);
}

/* A user record, sound or not, or one of the kernel that is not. */
static __attribute__((noinline)) void take_other(struct pc_flow *flow, const struct pc_facts *facts)
{
    const struct pc_item *item = facts->item;
    if (facts->came && flow->wants_came[pc_type_index(item->type)] != 0)
        hand_on_came(flow, facts, flow->wants_came[pc_type_index(item->type)]);
    if (facts->sound)
        take_user(flow, facts);
}

PC_INLINE void take_record(struct pc_flow *flow, const struct pc_facts *facts)
{
    const struct pc_item *item = facts->item;
    flow->late = false;
    if (item->where.stream != flow->stream)
        begin_stream(flow, item->where.stream);
    if (!item->is_joined) /* its pieces were counted */
        count_record(flow, item->type, facts->info);
    if (facts->sound && pc_is_kernel_type(item->type))
        take_kernel(flow, facts);
    else
        take_other(flow, facts);
    if (flow->asked != PC_BY_NONE)
        hand_on_each(flow, facts);
}

static void take_payload(struct pc_flow *flow, const struct pc_item *item)
{
    for (unsigned i = 0; item->type == PC_AUXTRACE && i < PC_NR_FLOW_RULES; i++) {
        if (rules[i]->payload && flow->rule_states[i])
            rules[i]->payload(flow, flow->rule_states[i], item);
    }
}

void pc_flow_facts(struct pc_flow *flow, const struct pc_facts *facts)
{
    if (facts->item->kind == PC_ITEM_RECORD)
        take_record(flow, facts);
    else if (facts->item->kind == PC_ITEM_PAYLOAD)
        take_payload(flow, facts->item);
    else if (facts->item->kind == PC_ITEM_END)
        take_end(flow, facts->item);
}

void pc_flow_finding(struct pc_flow *flow, const struct pc_finding *finding)
{
    static const struct {
        enum pc_diag id, after;
    } consequences[] = {
        { PC_D_RECORD_BEFORE_ATTR, PC_D_RECORD_BEFORE_ATTR },
        { PC_D_ATTRS_NEEDED, PC_D_ATTRS_NEEDED },
        { PC_D_NRCPUS_NEEDED, PC_D_NRCPUS_VALUE }, /* a value that cannot be used was reported */
    };
    for (size_t i = 0; i < PC_COUNT_OF(consequences); i++) {
        if (finding->id == consequences[i].id && pc_report_found(flow->report, consequences[i].after) != 0)
            return;
    }
    pc_report_add(flow->report, finding);
}

bool pc_flow_hints(const struct pc_flow *flow, struct pc_hints *hints)
{
    const struct pc_flow_cpu *largest = &flow->cpu[PC_CPU_OF_SAMPLE];
    *hints = (struct pc_hints){ .nr_samples = flow->nr_samples,
                                .skip = flow->skip,
                                .many = may_skip(flow) ? PC_SAMPLES_MANY : UINT64_MAX,
                                .released = flow->times.released,
                                .cpus = flow->capture->nr_cpus != 0 ? flow->capture->nr_cpus
                                        : largest->known            ? largest->value + 1
                                                                    : 0,
                                .read_without_id = flow->read_without_id };
    /* For versions of perf the first sample, and the order of bytes in each, are looked at. */
    return flow->watching == 0 &&
           (flow->asked == PC_BY_NONE || (flow->nr_samples != 0 && flow->capture->order == PC_LITTLE));
}

void pc_flow_run(struct pc_flow *flow, const struct pc_run *run)
{
    struct pc_summary *sum = &flow->sum;
    flow->nr_samples += run->nr;
    sum->total += run->nr;
    sum->by_type[PC_SAMPLE] += run->nr;
    if (run->oldest > run->newest)
        return;
    if (!sum->has_time || run->oldest < sum->first_time)
        sum->first_time = run->oldest;
    if (!sum->has_time || run->newest > sum->last_time)
        sum->last_time = run->newest;
    sum->has_time = flow->has_times = true;
    if (run->newest > flow->times.newest)
        flow->times.newest = run->newest;
}

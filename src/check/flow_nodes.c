/* SPDX-License-Identifier: MIT
 *
 * The CPU of each sample is in a NUMA node, as perf c2c report expects it: tools/perf/builtin-c2c.c:
 * process_sample_event. A CPU that went offline before perf record wrote the nodes is in none.
 */
#include "check/flow_rule.h"

#define READERS PC_BY_UP_TO_6_12

struct nodes {
    uint64_t nr_cpus; /* in nodes */
    uint64_t has[PC_CPU_MAX / 64 + 1];
};

static void add_cpus(struct nodes *own, uint64_t cpu, uint64_t last)
{
    for (; cpu <= last && cpu <= PC_CPU_MAX; cpu++) {
        own->nr_cpus += !pc_bit(own->has, cpu);
        pc_set_bit(own->has, cpu);
    }
}

/* A list of CPUs, which is sound (field.h: pc_is_cpu_list). */
static void add_list(struct nodes *own, struct pc_span list)
{
    const size_t len = pc_first_zero(list);
    uint64_t number = 0, first = 0;
    bool range = false, digit = false;
    for (size_t i = 0; i <= len; i++) {
        const unsigned char c = i < len ? list.ptr[i] : ',';
        const bool ends = digit && c != '-';
        digit = c >= '0' && c <= '9';
        if (digit) {
            number = 10 * number + (c - '0');
            continue;
        }
        if (ends)
            add_cpus(own, range ? first : number, number);
        range = c == '-';
        first = number;
        number = 0;
    }
}

/* Samples are looked at only when a CPU is in no node. */
static void take_node(struct pc_flow *flow, void *state, const struct pc_leaf *leaf)
{
    struct nodes *own = state;
    if (leaf->field->rule != PC_RULE_CPU_LIST || !(flow->asked & READERS))
        return;
    add_list(own, pc_part(leaf->raw, 4, leaf->raw.len - 4));
    pc_flow_watch(flow, PC_FLOW_nodes, flow->capture->nr_cpus == 0 || own->nr_cpus < flow->capture->nr_cpus);
}

/* perf takes a sample without a CPU for one of CPU 0. */
static void take_sample(struct pc_flow *flow, void *state, const struct pc_facts *record)
{
    const struct nodes *own = state;
    if (record->item->type != PC_SAMPLE)
        return;
    uint64_t cpu = record->layout->layout.mask & PC_S_CPU ? record->slot[PC_SLOT_CPU] : UINT32_MAX;
    if (cpu == UINT32_MAX)
        cpu = 0;
    if (cpu > PC_CPU_MAX || pc_bit(own->has, cpu))
        return;
    pc_flow_say_for(flow, PC_D_FOR_NO_NODE, READERS, 0, record->item->bytes.len, pc_none);
    pc_flow_watch(flow, PC_FLOW_nodes, false);
}

const struct pc_flow_rule pc_flow_rule_nodes = {
    .size = sizeof(struct nodes),
    .record = take_sample,
    .fields = (const uint16_t[]){ PC_FACTS_OF_FEATURE(PC_NUMA_TOPOLOGY), 0 },
    .field = take_node,
};

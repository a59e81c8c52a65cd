/* SPDX-License-Identifier: MIT
 *
 * CPUs of records are below NRCPUS, also when that comes later; then the largest is compared with it.
 */
#include "check/flow_rule.h"

static void note(struct pc_flow *flow, struct pc_flow_cpu *largest, uint64_t cpu, enum pc_diag id,
                 const struct pc_leaf *leaf)
{
    if (flow->capture->nr_cpus == 0 && !(largest->known && cpu <= largest->value))
        *largest = (struct pc_flow_cpu){ true, cpu, pc_leaf_finding(&flow->at, id, leaf, pc_none, pc_none) };
}

/* perf stat report takes the CPUs of maps as indices into those of CPU_TOPOLOGY: env.c: perf_env__get_core.
 */
static void take_map(struct pc_flow *flow, const struct pc_leaf *leaf)
{
    const uint64_t nr = flow->capture->nr_cpus;
    struct pc_cpus cpus;
    if (!pc_cpus_of_leaf(leaf, &cpus) || (!cpus.is_range && cpus.bits == 0))
        return;
    uint64_t cpu = cpus.is_range
                       ? cpus.last
                       : cpus.word * PC_CPU_WORD + PC_CPU_WORD - 1 - (uint64_t)__builtin_clzll(cpus.bits);
    if (cpu > PC_CPU_MAX && leaf->walk->slot[PC_REC_MAP] != PC_MAP_MASK) /* any, or PC_D_CPU_MAP_VALUE */
        return;
    note(flow, &flow->cpu[PC_CPU_OF_MAP], cpu, PC_D_MAP_CPU_BEYOND, leaf);
    if (nr != 0 && cpu >= nr)
        pc_flow_say_leaf(flow, PC_D_MAP_CPU_BEYOND, leaf, pc_uint_value(cpu), pc_uint_value(nr));
}

static void take_field(struct pc_flow *flow, void *own, const struct pc_leaf *leaf)
{
    (void)own;
    if (flow->of != PC_ID_INDEX)
        take_map(flow, leaf);
    else if (leaf->field->save == PC_SLOT_CPU && leaf->value != UINT64_MAX)
        note(flow, &flow->cpu[PC_CPU_OF_INDEX], leaf->value, PC_D_ID_INDEX_CPU, leaf);
}

static void say(struct pc_flow *flow, struct pc_flow_cpu *largest, uint64_t expected)
{
    largest->finding.seen = pc_uint_value(largest->value);
    largest->finding.expected = pc_uint_value(expected);
    pc_report_add(flow->report, &largest->finding);
}

static void compare(struct pc_flow *flow, void *own)
{
    const uint64_t most = 4096; /* CPUs that perf sched has room for: builtin-sched.c: MAX_CPUS */
    const uint64_t nr = flow->capture->nr_cpus;
    struct pc_flow_cpu *sample = &flow->cpu[PC_CPU_OF_SAMPLE];
    (void)own;
    for (unsigned i = 0; i < PC_COUNT_OF(flow->cpu); i++) {
        if (nr != 0 && flow->cpu[i].known && flow->cpu[i].value >= nr)
            say(flow, &flow->cpu[i], nr);
    }
    if (nr == 0 && sample->known && sample->value >= most) {
        sample->finding.id = PC_D_SAMPLE_CPU_LARGE;
        say(flow, sample, most - 1);
    }
}

const struct pc_flow_rule pc_flow_rule_cpus = {
    .fields = (const uint16_t[]){ PC_ID_INDEX, PC_CPU_MAP, PC_EVENT_UPDATE, 0 },
    .field = take_field,
    .end = compare,
};

/* SPDX-License-Identifier: MIT
 *
 * CPUs of records are below NRCPUS, also when that comes later; then the largest is compared with it.
 */
#include "check/flow_rule.h"

static void note_index(struct pc_flow *flow, void *own, const struct pc_leaf *leaf)
{
    struct pc_flow_cpu *largest = &flow->cpu[PC_CPU_OF_INDEX];
    (void)own;
    if (leaf->field->save != PC_SLOT_CPU || leaf->value == UINT64_MAX || flow->capture->nr_cpus != 0 ||
        (largest->known && leaf->value <= largest->value))
        return;
    *largest = (struct pc_flow_cpu){ true, leaf->value,
                                     pc_leaf_finding(&flow->at, PC_D_ID_INDEX_CPU, leaf, pc_none, pc_none) };
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
    .fields = (const uint16_t[]){ PC_ID_INDEX, 0 },
    .field = note_index,
    .end = compare,
};

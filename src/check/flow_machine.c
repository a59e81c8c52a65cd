/* SPDX-License-Identifier: MIT
 *
 * A machine has one number of CPUs, as arrays of perf have that many elements: header.c:
 * process_cpu_topology.
 */
#include "check/flow_rule.h"

struct machine {
    bool known;
    uint64_t available;
};

static void take_number(struct pc_flow *flow, void *state, const struct pc_leaf *leaf)
{
    struct machine *own = state;
    if (leaf->field->save != PC_NRCPUS_AVAILABLE)
        return;
    if (own->known && leaf->value != own->available)
        pc_flow_say_leaf(flow, PC_D_NRCPUS_DIFFERS, leaf, pc_uint_value(leaf->value),
                         pc_uint_value(own->available));
    else
        *own = (struct machine){ true, leaf->value };
}

const struct pc_flow_rule pc_flow_rule_machine = {
    .size = sizeof(struct machine),
    .fields = (const uint16_t[]){ PC_FACTS_OF_FEATURE(PC_NRCPUS), 0 },
    .field = take_number,
};

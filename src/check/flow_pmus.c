/* SPDX-License-Identifier: MIT
 *
 * PMU_MAPPINGS names the PMUs of HYBRID_TOPOLOGY, and has the types of attrs.
 */
#include "bytes/hash.h"
#include "check/flow_rule.h"

struct pmus {
    struct pc_keys types, names; /* names: their hashes, sorted up to .. */
    size_t sorted;               /* .. so many of them */
};

static uint64_t hash_string(const struct pc_leaf *leaf)
{
    return pc_hash_of(0, pc_part(leaf->raw, 4, (size_t)leaf->value));
}

static bool has_name(struct pmus *own, const struct pc_leaf *leaf)
{
    if (own->sorted != own->names.nr)
        pc_keys_sort(&own->names);
    own->sorted = own->names.nr;
    return pc_keys_find(&own->names, hash_string(leaf));
}

static void note_pmu(struct pc_flow *flow, void *state, const struct pc_leaf *leaf)
{
    struct pmus *own = state;
    const unsigned slot = leaf->field->save;
    if (flow->of == PC_FACTS_OF_FEATURE(PC_PMU_MAPPINGS)) {
        if (slot == PC_PMU_TYPE)
            pc_flow_key(flow, &own->types, leaf->value, flow->at.offset + leaf->at);
        if (slot == PC_PMU_NAME)
            pc_flow_key(flow, &own->names, hash_string(leaf), 0);
        return;
    }
    if (slot == PC_HYBRID_NAME && pc_bit(flow->capture->seen, PC_PMU_MAPPINGS) && !own->names.full &&
        !has_name(own, leaf))
        pc_flow_say_leaf(flow, PC_D_HYBRID_NAME, leaf, pc_leaf_text(leaf), pc_none);
}

static void judge_types(struct pc_flow *flow, void *state)
{
    struct pmus *own = state;
    const struct pc_capture *capture = flow->capture;
    pc_keys_sort(&own->types);
    for (size_t i = 0; i < capture->nr_attrs && own->types.nr != 0; i++) {
        uint64_t type = pc_attr_get(&capture->attr[i], PC_ATTR_TYPE);
        if (type >= PC_TYPE_DYNAMIC && type != PC_TYPE_SYNTH && !pc_type_is_own(type) &&
            !pc_keys_find(&own->types, type))
            pc_flow_say_attr(flow, PC_D_PMU_UNMAPPED, i, PC_ATTR_TYPE, pc_uint_value(type), pc_none);
    }
}

static void clear_pmus(struct pc_flow *flow, void *state)
{
    struct pmus *own = state;
    pc_keys_clear(flow->mem, &own->types);
    pc_keys_clear(flow->mem, &own->names);
}

const struct pc_flow_rule pc_flow_rule_pmus = {
    .size = sizeof(struct pmus),
    .fields = (const uint16_t[]){ PC_FACTS_OF_FEATURE(PC_PMU_MAPPINGS),
                                  PC_FACTS_OF_FEATURE(PC_HYBRID_TOPOLOGY), 0 },
    .field = note_pmu,
    .end = judge_types,
    .clear = clear_pmus,
};

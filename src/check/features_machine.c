/* SPDX-License-Identifier: MIT
 *
 * Rules about features that describe the machine: CPUs, memory, PMUs.
 */
#include "check/features.h"

static void domain_leaf(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    if (leaf->field->save == PC_DOMAIN_CPU) {
        if (leaf->value >= judge->capture->nr_cpus)
            pc_check_say_leaf(judge, PC_D_DOMAIN_VALUE, leaf, pc_uint_value(leaf->value),
                              pc_text_value("an available CPU"));
        judge->in.domains = 0;
    }
    if (leaf->field->save != PC_DOMAIN_NUMBER)
        return;
    if (leaf->value < 64) {
        if (judge->in.domains >> leaf->value & 1)
            pc_check_say_leaf(judge, PC_D_DOMAIN_VALUE, leaf, pc_uint_value(leaf->value),
                              pc_text_value("once only"));
        judge->in.domains |= (uint64_t)1 << leaf->value;
    }
    if (leaf->value >= leaf->walk->slot[PC_DOMAINS_MAX])
        pc_check_say_leaf(judge, PC_D_DOMAIN_VALUE, leaf, pc_uint_value(leaf->value),
                          pc_text_value("less than max_sched_domains"));
}

static void mem_topology_leaf(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    uint64_t size_bits = leaf->walk->slot[PC_MEMORY_SIZE_BITS];
    if (leaf->field->save == PC_MEMORY_WORDS && leaf->value != size_bits) {
        pc_check_say_beside(judge, PC_D_MEM_TOPOLOGY_BITS, leaf, leaf->walk->slot_at[PC_MEMORY_SIZE_BITS], 8,
                            "size_bits", pc_uint_value(size_bits), pc_uint_value(leaf->value));
    }
    if (leaf->walk->depth == 2 && !leaf->field->name && pc_leaf_index(leaf, 1) == size_bits / 64 &&
        leaf->value >> (size_bits % 64) != 0)
        pc_check_say_leaf(judge, PC_D_MEM_TOPOLOGY_TAIL, leaf, pc_hex_value(leaf->value), pc_none);
}

/* header.c: process_cpu_topology */
static void socket_leaf(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    const char *arch = judge->capture->text[PC_ARCH];
    bool is_free = arch && (strncmp(arch, "s390", 4) == 0 || strncmp(arch, "aarch64", 7) == 0);
    if (leaf->value != UINT32_MAX && leaf->value > judge->capture->nr_cpus && !is_free)
        pc_check_for_leaf(judge, PC_D_FOR_SOCKET_ID, leaf);
}

/* builtin-c2c.c: setup_nodes has an array of NRCPUS. A node may have memory alone. */
static void node_leaf(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    uint64_t nr = judge->capture->nr_cpus;
    if (leaf->field->rule != PC_RULE_CPU_LIST)
        return;
    judge->in.has_cpus |= leaf->raw.len > 4 && leaf->raw.ptr[4] != 0;
    if (nr != 0 && pc_leaf_ok(leaf) && pc_cpu_list_last(leaf) >= nr)
        pc_check_say_leaf(judge, PC_D_NUMA_CPU, leaf, pc_leaf_text(leaf), pc_uint_value(nr));
}

void pc_check_machine_leaf(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    unsigned slot = leaf->field->save;
    uint64_t branches;
    switch (judge->in.feature) {
    case PC_CPU_TOPOLOGY:
        if (slot == PC_TOPOLOGY_SOCKET)
            socket_leaf(judge, leaf);
        break;
    case PC_CPU_PMU_CAPS:
        if (pc_cap_branches(leaf, &branches) && branches == UINT64_MAX)
            pc_check_say_leaf(judge, PC_D_CAP_BRANCHES, leaf, pc_leaf_text(leaf),
                              pc_uint_value(PC_BRANCHES_MAX));
        break;
    case PC_MEM_TOPOLOGY:
        mem_topology_leaf(judge, leaf);
        break;
    case PC_CPU_DOMAIN_INFO:
        domain_leaf(judge, leaf);
        break;
    case PC_NUMA_TOPOLOGY:
        node_leaf(judge, leaf);
        break;
    default:
        break;
    }
}

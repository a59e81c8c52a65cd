/* SPDX-License-Identifier: MIT
 *
 * Rules about features that describe the machine: CPUs, memory, PMUs.
 */
#include "check/features.h"

static const struct pc_value none;

static void domain_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    if (leaf->field->save == PC_DOMAIN_CPU) {
        if (leaf->value >= check->capture->nr_cpus)
            pc_check_say_leaf(check, PC_D_DOMAIN_VALUE, leaf, pc_uint_value(leaf->value),
                              pc_text_value("an available CPU"));
        check->in.domains = 0;
    }
    if (leaf->field->save != PC_DOMAIN_NUMBER)
        return;
    if (leaf->value < 64) {
        if (check->in.domains >> leaf->value & 1)
            pc_check_say_leaf(check, PC_D_DOMAIN_VALUE, leaf, pc_uint_value(leaf->value),
                              pc_text_value("once only"));
        check->in.domains |= (uint64_t)1 << leaf->value;
    }
    if (leaf->value >= leaf->walk->slot[PC_DOMAINS_MAX])
        pc_check_say_leaf(check, PC_D_DOMAIN_VALUE, leaf, pc_uint_value(leaf->value),
                          pc_text_value("less than max_sched_domains"));
}

static void mem_topology_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    uint64_t size_bits = leaf->walk->slot[PC_MEMORY_SIZE_BITS];
    if (leaf->field->save == PC_MEMORY_WORDS && leaf->value != size_bits) {
        pc_check_say_beside(check, PC_D_MEM_TOPOLOGY_BITS, leaf, leaf->walk->slot_at[PC_MEMORY_SIZE_BITS], 8,
                            "size_bits", pc_uint_value(size_bits), pc_uint_value(leaf->value));
    }
    if (leaf->walk->depth == 2 && !leaf->field->name && index_at(leaf, 1) == size_bits / 64 &&
        leaf->value >> (size_bits % 64) != 0)
        pc_check_say_leaf(check, PC_D_MEM_TOPOLOGY_TAIL, leaf, pc_hex_value(leaf->value), none);
}

/* FNV-1a. */
static uint64_t hash_string(const struct pc_leaf *leaf)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 4; i < 4 + leaf->value; i++)
        hash = (hash ^ leaf->raw.ptr[i]) * 0x100000001b3;
    return hash;
}

/* header.c: process_cpu_topology */
static void socket_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    const char *arch = check->capture->text[PC_ARCH];
    bool is_free = arch && (strncmp(arch, "s390", 4) == 0 || strncmp(arch, "aarch64", 7) == 0);
    if (leaf->value != UINT32_MAX && leaf->value > check->capture->nr_cpus && !is_free)
        pc_check_for_leaf(check, PC_D_FOR_SOCKET_ID, leaf);
}

void pc_check_machine_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    unsigned slot = leaf->field->save;
    switch (check->in.feature) {
    case PC_CPU_TOPOLOGY:
        if (slot == PC_TOPOLOGY_SOCKET)
            socket_leaf(check, leaf);
        break;
    case PC_PMU_MAPPINGS:
        if (slot == PC_PMU_TYPE)
            pc_keys_add(check, &check->features.pmus, leaf->value, offset_of(check, leaf));
        if (slot == PC_PMU_NAME)
            pc_keys_add(check, &check->features.pmu_names, hash_string(leaf), 0);
        break;
    case PC_HYBRID_TOPOLOGY:
        if (slot == PC_HYBRID_NAME && pc_bit(check->capture->seen, PC_PMU_MAPPINGS) &&
            !check->features.pmu_names.full && !pc_keys_find(&check->features.pmu_names, hash_string(leaf)))
            pc_check_say_leaf(check, PC_D_HYBRID_NAME, leaf, pc_leaf_text(leaf), none);
        break;
    case PC_MEM_TOPOLOGY:
        mem_topology_leaf(check, leaf);
        break;
    case PC_CPU_DOMAIN_INFO:
        domain_leaf(check, leaf);
        break;
    default:
        break;
    }
}

void pc_check_pmus_end(struct pc_check *check)
{
    const struct pc_capture *capture = check->capture;
    if (!pc_bit(capture->seen, PC_PMU_MAPPINGS))
        return;
    pc_keys_sort(&check->features.pmus);
    for (size_t i = 0; i < capture->nr_attrs; i++) {
        uint64_t type = pc_attr_get(&capture->attr[i], PC_ATTR_TYPE);
        if (type >= PC_TYPE_DYNAMIC && type != PC_TYPE_SYNTH && !pc_type_is_own(type) &&
            check->features.pmus.nr != 0 && !pc_keys_find(&check->features.pmus, type))
            pc_check_say_attr(check, PC_D_PMU_UNMAPPED, i, PC_ATTR_TYPE, pc_uint_value(type), none);
    }
}

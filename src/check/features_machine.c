/* SPDX-License-Identifier: MIT
 *
 * Rules about features that describe the machine: CPUs, memory, PMUs.
 */
#include "check/features.h"

static const struct pc_value none;

/* "0-3,8": digits, single commas and dashes, as lib/bitmap.c: bitmap_print_list writes it, no range that ends
 * before it begins (tools/lib/perf/cpumap.c: perf_cpu_map__new refuses it); may be empty. */
static bool is_cpu_list(struct pc_span text)
{
    size_t len = pc_first_zero(text), digits = 0;
    uint64_t number = 0, first = 0;
    bool range = false;
    while (len > 0 && text.ptr[len - 1] == '\n') /* sysfs text keeps its line end */
        len--;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = text.ptr[i];
        if (c >= '0' && c <= '9') {
            if (number >= (uint64_t)1 << 30)
                return false;
            number = 10 * number + (c - '0');
            digits++;
            continue;
        }
        if (digits == 0 || (c != ',' && c != '-') || (range && (c == '-' || number < first)))
            return false;
        range = c == '-';
        first = number;
        number = digits = 0;
    }
    if (range && digits != 0 && number < first)
        return false;
    return digits != 0 || text.len == 0 || text.ptr[0] == 0; /* a line end alone is no list */
}

static void domain_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    uint64_t max = leaf->walk->slot[PC_FEAT_A];
    if (is(leaf, "cpu") && leaf->value >= check->capture->nr_cpus)
        pc_check_say_leaf(check, PC_D_DOMAIN_VALUE, leaf, pc_uint_value(leaf->value),
                          pc_text_value("an available CPU"));
    if (is(leaf, "cpu")) {
        pc_keys_add(check, &check->keys, leaf->value, offset_of(check, leaf));
        check->at.domains = 0;
    }
    if (is(leaf, "domain") && leaf->value < 64) {
        if (check->at.domains >> leaf->value & 1)
            pc_check_say_leaf(check, PC_D_DOMAIN_VALUE, leaf, pc_uint_value(leaf->value),
                              pc_text_value("once only"));
        check->at.domains |= (uint64_t)1 << leaf->value;
    }
    if (is(leaf, "domain") && leaf->value >= max)
        pc_check_say_leaf(check, PC_D_DOMAIN_VALUE, leaf, pc_uint_value(leaf->value),
                          pc_text_value("less than max_sched_domains"));
}

static void mem_topology_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    uint64_t size_bits = leaf->walk->slot[PC_FEAT_A];
    if (is(leaf, "bitmap_bits") && leaf->value != size_bits) {
        pc_check_say_beside(check, PC_D_MEM_TOPOLOGY_BITS, leaf, leaf->walk->slot_at[PC_FEAT_A], 8,
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

static bool begins_with(struct pc_span text, const char *start)
{
    return text.len >= strlen(start) && memcmp(text.ptr, start, strlen(start)) == 0;
}

/* header.c: process_cpu_topology */
static void socket_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    if (leaf->value != UINT32_MAX && leaf->value > check->capture->nr_cpus && !check->sockets_are_free)
        pc_check_for_leaf(check, PC_D_FOR_SOCKET_ID, leaf);
}

void pc_check_machine_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    switch (check->at.feature) {
    case PC_ARCH:
        check->sockets_are_free = begins_with(text_of(leaf), "s390") || begins_with(text_of(leaf), "aarch64");
        break;
    case PC_CPU_TOPOLOGY:
        if (is(leaf, "socket_id"))
            socket_leaf(check, leaf);
        if (leaf->field->kind == PC_HSTR && !is_cpu_list(text_of(leaf)))
            pc_check_say_leaf(check, PC_D_CPU_LIST, leaf, shown_text(leaf), none);
        break;
    case PC_NUMA_TOPOLOGY:
        if (is(leaf, "node"))
            pc_keys_add(check, &check->keys, leaf->value, offset_of(check, leaf));
        if (is(leaf, "cpus") && !is_cpu_list(text_of(leaf)))
            pc_check_say_leaf(check, PC_D_NUMA_CPU_LIST, leaf, shown_text(leaf), none);
        break;
    case PC_PMU_MAPPINGS:
        if (is(leaf, "type")) {
            pc_keys_add(check, &check->keys, leaf->value, offset_of(check, leaf));
            pc_keys_add(check, &check->pmus, leaf->value, offset_of(check, leaf));
        }
        if (is(leaf, "name"))
            pc_keys_add(check, &check->pmu_names, hash_string(leaf), 0);
        break;
    case PC_HYBRID_TOPOLOGY:
        if (is(leaf, "pmu_name") && pc_bit(check->capture->seen, PC_PMU_MAPPINGS) && !check->pmu_names.full &&
            !pc_keys_find(&check->pmu_names, hash_string(leaf)))
            pc_check_say_leaf(check, PC_D_HYBRID_NAME, leaf, shown_text(leaf), none);
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
    struct pc_finding f = { .id = PC_D_PMU_UNMAPPED, .place = PC_IN_ATTR, .length = 4 };
    if (!pc_bit(capture->seen, PC_PMU_MAPPINGS))
        return;
    pc_keys_sort(&check->pmus);
    for (size_t i = 0; i < capture->nr_attrs; i++) {
        uint64_t type = pc_attr_get(&capture->attr[i], PC_ATTR_TYPE);
        if (type < PC_TYPE_DYNAMIC || type == 0x80000000 || check->pmus.nr == 0 ||
            pc_keys_find(&check->pmus, type))
            continue;
        f.number = i;
        f.offset = capture->attr[i].offset;
        pc_finding_name(&f, "type");
        f.seen = pc_uint_value(type);
        pc_report_add(check->report, &f);
    }
}

/* SPDX-License-Identifier: MIT
 *
 * Faults that are sound, except for one version of perf that --for names. Most captures have a place for
 * them already, so only --for is added. The others are changed. The rows of diag.def have the versions.
 */
#include "faults_map.h"

#include "check/check.h"

#include <string.h>

/* --- places --- */

static uint64_t attr_value(uint32_t n, unsigned slot, unsigned width)
{
    size_t size = (size_t)fuzz_load(fuzz_attr_at(n) + PC_ATTR_SIZE_AT, 4);
    size_t at = pc_row_at(pc_attr_fields, slot);
    return at + width <= size ? fuzz_load(fuzz_attr_at(n) + at, width) : 0;
}

static bool in_attr(uint32_t n, unsigned slot)
{
    return fuzz_expect(PC_IN_ATTR, fuzz_attr_at(n) + pc_row_at(pc_attr_fields, slot));
}

static bool in_record(const struct part *p, size_t at)
{
    return fuzz_expect(PC_IN_RECORD, p->at + at);
}

static const struct part *feature_record(uint64_t bit)
{
    for (size_t i = 0; i < fuzz_map.nr_parts; i++) {
        const struct part *p = &fuzz_map.part[i];
        if (fuzz_is_record(p, PC_HEADER_FEATURE) && fuzz_load(p->at + 8, 8) == bit)
            return p;
    }
    return NULL;
}

/* --- attrs --- */

static bool newer_size(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    (void)fault;
    if (fuzz_map.pipe || fuzz_map.attr_size <= reader->attr_size)
        return false;
    return fuzz_expect(PC_IN_ATTR, fuzz_attr_at(0) + PC_ATTR_SIZE_AT);
}

/* A byte that the reader does not know is not zero. */
static bool newer_part(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    const struct part *p = fuzz_attr(0);
    size_t at = PC_RECORD_HEADER_SIZE + reader->attr_size;
    (void)fault;
    if (!fuzz_map.pipe || attr_value(0, PC_ATTR_SIZE, 4) <= reader->attr_size)
        return false;
    fuzz_map.f->bytes[p->at + at] = 1;
    return in_record(p, at);
}

/* Bits of a member that the reader does not know, in one attr. */
static bool newer_bits(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    for (uint32_t n = 0; n < fuzz_map.nr_attrs; n++) {
        uint64_t type = fuzz_map.sample_type[n], known = PC_FLAG(PC_S_BITS) - 1, newer = 0;
        unsigned slot = PC_ATTR_SAMPLE_TYPE;
        switch (fault->id) {
        case PC_D_FOR_SAMPLE_TYPE:
            newer = type & known & ~reader->sample_type;
            break;
        case PC_D_FOR_READ_FORMAT:
            slot = PC_ATTR_READ_FORMAT;
            newer = type & PC_S_READ ? attr_value(n, slot, 8) & PC_READ_LOST & ~reader->read_format : 0;
            break;
        case PC_D_FOR_ATTR_FLAGS:
            slot = PC_ATTR_FLAGS;
            newer = PC_FLAG(39) & ~reader->flags; /* DEFER_OUTPUT */
            break;
        default: /* PC_D_FOR_BRANCH_TYPE */
            slot = PC_ATTR_BRANCH_TYPE;
            newer = type & PC_S_BRANCH_STACK ? attr_value(n, slot, 8) & PC_BRANCH_COUNTERS : 0;
            break;
        }
        if (newer == 0)
            continue;
        if (fault->id == PC_D_FOR_ATTR_FLAGS) {
            size_t at = fuzz_attr_at(n) + pc_row_at(pc_attr_fields, slot);
            uint64_t flag = fuzz_map.order == PC_BIG ? PC_FLAG(63 - 39) : newer; /* bit-fields: FORMAT.md */
            fuzz_store(at, 8, fuzz_load(at, 8) | flag);
        }
        return in_attr(n, slot);
    }
    return false;
}

static bool other_type(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    uint32_t n = fuzz_map.f->choice[1] % fuzz_map.nr_attrs;
    (void)reader;
    (void)fault;
    fuzz_store(fuzz_attr_at(n) + pc_row_at(pc_attr_fields, PC_ATTR_TYPE), 4, 7 + fuzz_map.f->choice[2]);
    return in_attr(n, PC_ATTR_TYPE);
}

static bool bpf_output(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    const uint64_t event = 10, forced = PC_S_RAW | PC_S_TIME | PC_S_CPU | PC_S_PERIOD;
    uint32_t n = fuzz_map.f->choice[1] % fuzz_map.nr_attrs;
    (void)reader;
    (void)fault;
    if (attr_value(n, PC_ATTR_TYPE, 4) != PC_TYPE_SOFTWARE || (fuzz_map.sample_type[n] & forced) == forced)
        return false;
    fuzz_store(fuzz_attr_at(n) + pc_row_at(pc_attr_fields, PC_ATTR_CONFIG), 8, event);
    return in_attr(n, PC_ATTR_SAMPLE_TYPE);
}

/* The first event, which perf script looks at; in a pipe not if it is of another PMU, or a dummy. */
static bool no_address(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    const uint64_t dummy = 9;
    uint64_t type = attr_value(0, PC_ATTR_TYPE, 4);
    bool is_dummy = type == PC_TYPE_SOFTWARE && attr_value(0, PC_ATTR_CONFIG, 8) == dummy;
    (void)reader;
    (void)fault;
    return !(fuzz_map.pipe && (type >= PC_TYPE_DYNAMIC || is_dummy)) && !fuzz_map.stat &&
           !fuzz_has_feature(PC_STAT_FEATURE) && !fuzz_map.is_tracepoint[0] &&
           !(fuzz_map.sample_type[0] & (PC_S_IP | PC_S_ADDR)) && in_attr(0, PC_ATTR_SAMPLE_TYPE);
}

static bool counters(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    uint32_t nr = 0, last = 0;
    bool branches = false;
    (void)reader;
    (void)fault;
    for (uint32_t n = 0; n < fuzz_map.nr_attrs; n++) {
        branches |= fuzz_map.sample_type[n] & PC_S_BRANCH_STACK;
        if (attr_value(n, PC_ATTR_BRANCH_TYPE, 8) & PC_BRANCH_COUNTERS) {
            last = n;
            nr++;
        }
    }
    if (nr < 2 || !branches || !fuzz_first(IN_RECORD, PC_SAMPLE) || fuzz_has_feature(PC_EVENT_DESC) ||
        fuzz_first(IN_RECORD, PC_EVENT_UPDATE) || fuzz_first(IN_RECORD, PC_HEADER_EVENT_TYPE))
        return false;
    return in_attr(last, PC_ATTR_BRANCH_TYPE);
}

static bool ids_in_wrong_order(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    const struct part *p = fuzz_attr(0);
    (void)fault;
    uint64_t size = attr_value(0, PC_ATTR_SIZE, 4);
    return fuzz_map.pipe && fuzz_map.order == PC_BIG && size < reader->attr_size &&
           in_record(p, PC_RECORD_HEADER_SIZE + (size_t)size);
}

/* attr.size is 8 less than the room for the attr, and the offset of the ids is not a multiple of 8. */
static bool ids_for_size(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    size_t at = fuzz_attr_at(0);
    (void)reader;
    (void)fault;
    if (fuzz_map.pipe || fuzz_map.attr_size <= PC_ATTR_SIZE_MIN)
        return false;
    fuzz_store(at + PC_ATTR_SIZE_AT, 4, fuzz_map.attr_size - 8);
    fuzz_store(at + fuzz_map.attr_size, 8, fuzz_load(at + fuzz_map.attr_size, 8) + 4);
    return fuzz_expect(PC_IN_ATTR, at + fuzz_map.attr_size);
}

/* --- the container --- */

static bool in_bitmap(void)
{
    return fuzz_expect(PC_IN_HEADER, PC_FILE_HEADER_OLD);
}

static bool no_features(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    (void)reader;
    (void)fault;
    if (fuzz_map.pipe || fuzz_map.order != PC_BIG)
        return false;
    memset(fuzz_map.f->bytes + PC_FILE_HEADER_OLD, 0, PC_FEATURE_BITS / 8);
    fuzz_map.f->len = fuzz_map.data_end;
    return in_bitmap();
}

/* Events that sample branches stop doing so. */
static bool no_branches(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    (void)reader;
    (void)fault;
    if (fuzz_map.pipe || !fuzz_has_feature(PC_BRANCH_STACK) || fuzz_has_feature(PC_STAT_FEATURE))
        return false;
    for (uint32_t n = 0; n < fuzz_map.nr_attrs; n++) {
        size_t at = fuzz_attr_at(n) + pc_row_at(pc_attr_fields, PC_ATTR_SAMPLE_TYPE);
        fuzz_store(at, 8, fuzz_load(at, 8) & ~PC_S_BRANCH_STACK);
    }
    return in_bitmap();
}

/* The end of perf 5.10. */
static bool old_end_mark(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    uint64_t bit = pc_version_knows(PC_BY_5_10)->feature + 1u;
    const struct part *p = fuzz_map.part;
    (void)fault;
    if (!fuzz_map.pipe || reader->version == PC_BY_7_2 || reader->feature < bit)
        return false;
    for (; p != fuzz_map.part + fuzz_map.nr_parts; p++) {
        const struct pc_feature_info *info = pc_feature_info(fuzz_load(p->at + 8, 8));
        if (fuzz_is_record(p, PC_HEADER_FEATURE) && p->size == 16 &&
            !(info && (info->flags & PC_ONLY_A_MARK)))
            break;
    }
    if (p == fuzz_map.part + fuzz_map.nr_parts)
        return false;
    fuzz_store(p->at + 8, 8, bit);
    return in_record(p, 8);
}

/* The order of perf 4.14 to 4.16. */
static bool groups_first(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    static unsigned char copy[PC_RECORD_SIZE_MAX + 1];
    const struct part *p = feature_record(PC_GROUP_DESC);
    (void)reader;
    (void)fault;
    if (!p || p->size < 24)
        return false;
    memcpy(copy, fuzz_map.f->bytes + p->at, p->size);
    memmove(fuzz_map.f->bytes + PC_PIPE_HEADER_SIZE + p->size, fuzz_map.f->bytes + PC_PIPE_HEADER_SIZE,
            p->at - PC_PIPE_HEADER_SIZE);
    memcpy(fuzz_map.f->bytes + PC_PIPE_HEADER_SIZE, copy, p->size);
    return fuzz_expect(PC_IN_RECORD, PC_PIPE_HEADER_SIZE);
}

/* --- features of files --- */

/* A member of the feature `number` that is `operand` or more. If there is none, one is set. */
static bool feature_member(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    const struct part *p = fuzz_first(IN_FEATURE, fault->number);
    struct fuzz_wanted w = { .name = fault->field };
    (void)reader;
    if (!fuzz_find_leaf(p, &w) || (fault->id == PC_D_FOR_ORDER_AUX_ACTION && fuzz_map.order != PC_BIG) ||
        (fault->id == PC_D_FOR_BPF_INFO && fuzz_map.order != PC_LITTLE))
        return false;
    fuzz_store(w.at, 4, fault->operand);
    return fuzz_expect(PC_IN_FEATURE, w.at);
}

/* --- records --- */

static bool newer_record(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    bool kernel = fault->id == PC_D_FOR_KERNEL_TYPE;
    for (size_t i = 0; i < fuzz_map.nr_parts; i++) {
        const struct part *p = &fuzz_map.part[i];
        if (p->kind == IN_RECORD && pc_is_kernel_type(p->number) == kernel &&
            p->number > (kernel ? reader->kernel_type : reader->user_type))
            return in_record(p, 0);
    }
    return false;
}

/* The first record of type `number`, in a pipe or in the other byte order. */
static bool first_record(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    const struct part *p = fuzz_first(IN_RECORD, fault->number);
    (void)reader;
    return p && (fault->op == PC_BIG ? fuzz_map.order == PC_BIG : fuzz_map.pipe) && in_record(p, 0);
}

/* The first record of this type with this number in its `slot`; the number is set if necessary. */
static bool slot_of_record(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    const struct part *p = fuzz_first(IN_RECORD, fault->number);
    struct fuzz_wanted w = { .slot = fault->slot };
    uint64_t value = fault->operand;
    if (!fuzz_find_leaf(p, &w) || (fault->op == PC_BIG && fuzz_map.order != PC_BIG))
        return false;
    if (fault->id == PC_D_FOR_AUXTRACE_TYPE && value <= reader->auxtrace)
        return false;
    fuzz_store(w.at, (unsigned)fault->needs, value);
    return in_record(p, w.at - p->at);
}

/* The CPUs of an event. */
static bool update_of_cpus(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    (void)reader;
    (void)fault;
    for (size_t i = 0; i < fuzz_map.nr_parts && fuzz_map.order == PC_BIG; i++) {
        struct fuzz_wanted w = { .slot = PC_REC_MAP };
        if (fuzz_is_record(&fuzz_map.part[i], PC_EVENT_UPDATE) && fuzz_find_leaf(&fuzz_map.part[i], &w))
            return in_record(&fuzz_map.part[i], w.at - fuzz_map.part[i].at);
    }
    return false;
}

static bool symbol_of_several(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    return fuzz_map.nr_attrs > 1 && first_record(reader, fault);
}

/* The record after a READ that does not have all values. */
static bool behind_read(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    const size_t all = 48;
    (void)reader;
    (void)fault;
    for (size_t i = 0; i + 1 < fuzz_map.nr_parts && fuzz_map.order == PC_BIG && !fuzz_map.pipe; i++) {
        const struct part *p = &fuzz_map.part[i];
        if (fuzz_is_record(p, PC_READ) && p->size < all && p[1].kind == IN_RECORD)
            return in_record(p + 1, 0);
    }
    return false;
}

static bool trailer_of_switch(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    const struct part *p = fuzz_first(IN_RECORD, PC_SWITCH);
    (void)reader;
    (void)fault;
    return fuzz_map.order == PC_BIG && p && p->size > PC_RECORD_HEADER_SIZE &&
           in_record(p, PC_RECORD_HEADER_SIZE);
}

/* Its pid and tid become different. */
static bool halves(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    struct fuzz_wanted w = { .slot = PC_REC_SAMPLE_TID };
    (void)reader;
    (void)fault;
    for (size_t i = 0; i < fuzz_map.nr_parts && fuzz_map.pipe && fuzz_map.order == PC_BIG; i++) {
        const struct part *p = &fuzz_map.part[i];
        if (!fuzz_is_record(p, PC_SAMPLE) || !fuzz_find_leaf(p, &w))
            continue;
        fuzz_store(w.at, 4, w.value + 1);
        return in_record(p, w.at - 4 - p->at);
    }
    return false;
}

/* The first entry of a call chain becomes the user marker. */
static bool user_chain(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    (void)reader;
    (void)fault;
    for (size_t i = 0; i < fuzz_map.nr_parts; i++) {
        const struct part *p = &fuzz_map.part[i];
        struct fuzz_wanted w = { .slot = PC_REC_CHAIN, .least = 1 };
        if (!fuzz_is_record(p, PC_SAMPLE) || (fuzz_map.sample_type[p->attr] & PC_S_BRANCH_STACK) ||
            !(fuzz_map.sample_type[p->attr] & PC_S_CALLCHAIN) ||
            !(attr_value(p->attr, PC_ATTR_BRANCH_TYPE, 8) & PC_BRANCH_CALL_STACK) || !fuzz_find_leaf(p, &w))
            continue;
        fuzz_store(w.at + 8, 8, PC_CONTEXT_USER);
        return in_record(p, w.at + 8 - p->at);
    }
    return false;
}

/* The kernel leaves out hw_idx if there are no branches: FORMAT.md. The branch counters are removed too. */
static bool no_hw_idx(const struct pc_version_knows *reader, const struct fuzz_fault *fault)
{
    (void)reader;
    (void)fault;
    for (size_t i = 0; i < fuzz_map.nr_parts; i++) {
        const struct part *p = &fuzz_map.part[i];
        struct fuzz_wanted w = { .name = "branch_nr" }, idx = { .name = "branch_hw_idx" };
        if (!fuzz_is_record(p, PC_SAMPLE) || !fuzz_find_leaf(p, &w) || !fuzz_find_leaf(p, &idx))
            continue;
        bool counted = attr_value(p->attr, PC_ATTR_BRANCH_TYPE, 8) & PC_BRANCH_COUNTERS;
        size_t gone = 8 + (size_t)w.value * (counted ? 32 : 24);
        fuzz_store(w.at, 8, 0);
        return fuzz_resize(p, idx.at, gone, 0) && in_record(p, 0);
    }
    return false;
}

/* --- the list --- */

#define FOR(what, which, how, ...)      ROW(what, which, .reader = how, __VA_ARGS__)
#define FIRST(what, which, type, where) FOR(what, which, first_record, .number = type, .op = where)
#define MEMBER(what, which, bit, member, value)                                                              \
    FOR(what, which, feature_member, .number = bit, .field = member, .operand = value)
#define SLOT(what, which, type, which_slot, width, value, where)                                             \
    FOR(what, which, slot_of_record, .number = type, .slot = which_slot, .needs = width, .operand = value,   \
        .op = where)

static const struct fuzz_fault faults[] = {
    FOR("an attr longer than its reader's", FOR_ATTR_SIZE, newer_size, ),
    FOR("something where its reader's attr ends", FOR_ATTR_CUT, newer_part, ),
    FOR("newer bits of sample_type", FOR_SAMPLE_TYPE, newer_bits, ),
    FOR("newer bits of read_format", FOR_READ_FORMAT, newer_bits, ),
    FOR("newer bits of branch_sample_type", FOR_BRANCH_TYPE, newer_bits, ),
    FOR("newer flags", FOR_ATTR_FLAGS, newer_bits, ),
    FOR("an event of a PMU of its own", FOR_EVENT_TYPE, other_type, ),
    FOR("bpf-output with less than it forces", FOR_BPF_OUTPUT, bpf_output, ),
    FOR("no address", FOR_NO_ADDRESS, no_address, ),
    FOR("counters of events without a name", FOR_COUNTER_NAMES, counters, ),
    FOR("ids after a shorter attr", FOR_ORDER_ATTR_IDS, ids_in_wrong_order, ),
    FOR("ids a word after the attr", FOR_ATTR_IDS, ids_for_size, ),
    FOR("no features at all", FOR_ORDER_NO_FEATURES, no_features, ),
    FOR("no branches but their feature", FOR_BRANCH_FEATURE, no_branches, ),
    FOR("the end mark of an older perf", FOR_END_MARK, old_end_mark, ),
    FOR("groups in front of their attrs", FOR_GROUP_BEFORE_ATTR, groups_first, ),
    MEMBER("aux_action", FOR_AUX_ACTION, PC_EVENT_DESC, "aux_action", 1),
    MEMBER("aux_action of the other order", FOR_ORDER_AUX_ACTION, PC_EVENT_DESC, "aux_action", 1),
    MEMBER("a high socket_id", FOR_SOCKET_ID, PC_CPU_TOPOLOGY, "socket_id", 1000),
    MEMBER("bpf_prog_info of a kernel after 5.10", FOR_BPF_INFO, PC_BPF_PROG_INFO, "info_len", 216),
    FOR("a newer record of the kernel", FOR_KERNEL_TYPE, newer_record, ),
    FOR("a newer record of perf", FOR_USER_TYPE, newer_record, ),
    FIRST("trace data in a pipe", FOR_TRACING_DATA, PC_HEADER_TRACING_DATA, 0),
    FIRST("a sample in a pipe", FOR_PIPE_SAMPLE, PC_SAMPLE, 0),
    FIRST("a compressed record in a pipe", FOR_COMPRESSED_PIPE, PC_COMPRESSED2, 0),
    FIRST("STAT_CONFIG of the other order", FOR_ORDER_STAT, PC_STAT_CONFIG, PC_BIG),
    FOR("EVENT_UPDATE of the other order", FOR_ORDER_UPDATE, update_of_cpus, ),
    FOR("KSYMBOL of the other order", FOR_ORDER_BPF, symbol_of_several, .number = PC_KSYMBOL, .op = PC_BIG),
    FOR("BPF_EVENT of the other order", FOR_ORDER_BPF, symbol_of_several, .number = PC_BPF_EVENT,
        .op = PC_BIG),
    SLOT("a newer trace", FOR_AUXTRACE_TYPE, PC_AUXTRACE_INFO, PC_REC_TYPE, 4, 7, 0),
    SLOT("Intel PT of the other order", FOR_ORDER_INTEL_PT, PC_AUXTRACE_INFO, PC_REC_TYPE, 4, 1, PC_BIG),
    SLOT("a CPU map of a range", FOR_CPU_RANGE, PC_CPU_MAP, PC_REC_MAP, 2, 2, 0),
    SLOT("a CPU that is no index", FOR_STAT_INDEX, PC_STAT, PC_SLOT_CPU, 4, 60000, 0),
    FOR("a READ of the other order", FOR_ORDER_READ, behind_read, ),
    FOR("a SWITCH of the other order", FOR_ORDER_SWITCH, trailer_of_switch, ),
    FOR("halves of the other order", FOR_ORDER_PIPE, halves, ),
    FOR("a chain in user space", FOR_CALL_STACK, user_chain, ),
    FOR("no hw_idx", FOR_HW_INDEX, no_hw_idx, ),
};

const struct fuzz_faults fuzz_for_faults = { faults, PC_COUNT_OF(faults) };

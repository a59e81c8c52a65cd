/* SPDX-License-Identifier: MIT
 *
 * attr.c: the table of an attr, and the layout that it gives its records.
 */
#include "format/attr.h"
#include "format/rows.h"

#include <stdio.h>

const struct pc_name pc_sample_type_names[] = {
    { PC_S_IP, "IP" },
    { PC_S_TID, "TID" },
    { PC_S_TIME, "TIME" },
    { PC_S_ADDR, "ADDR" },
    { PC_S_READ, "READ" },
    { PC_S_CALLCHAIN, "CALLCHAIN" },
    { PC_S_ID, "ID" },
    { PC_S_CPU, "CPU" },
    { PC_S_PERIOD, "PERIOD" },
    { PC_S_STREAM_ID, "STREAM_ID" },
    { PC_S_RAW, "RAW" },
    { PC_S_BRANCH_STACK, "BRANCH_STACK" },
    { PC_S_REGS_USER, "REGS_USER" },
    { PC_S_STACK_USER, "STACK_USER" },
    { PC_S_WEIGHT, "WEIGHT" },
    { PC_S_DATA_SRC, "DATA_SRC" },
    { PC_S_IDENTIFIER, "IDENTIFIER" },
    { PC_S_TRANSACTION, "TRANSACTION" },
    { PC_S_REGS_INTR, "REGS_INTR" },
    { PC_S_PHYS_ADDR, "PHYS_ADDR" },
    { PC_S_AUX, "AUX" },
    { PC_S_CGROUP, "CGROUP" },
    { PC_S_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" },
    { PC_S_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" },
    { PC_S_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
    { 0, NULL },
};

static const struct pc_name read_format_names[] = {
    { PC_READ_ENABLED, "TOTAL_TIME_ENABLED" },
    { PC_READ_RUNNING, "TOTAL_TIME_RUNNING" },
    { PC_READ_ID, "ID" },
    { PC_READ_GROUP, "GROUP" },
    { PC_READ_LOST, "LOST" },
    { 0, NULL },
};

static const struct pc_name branch_type_names[] = {
    { PC_FLAG(0), "USER" },
    { PC_FLAG(1), "KERNEL" },
    { PC_FLAG(2), "HV" },
    { PC_FLAG(3), "ANY" },
    { PC_FLAG(4), "ANY_CALL" },
    { PC_FLAG(5), "ANY_RETURN" },
    { PC_FLAG(6), "IND_CALL" },
    { PC_FLAG(7), "ABORT_TX" },
    { PC_FLAG(8), "IN_TX" },
    { PC_FLAG(9), "NO_TX" },
    { PC_FLAG(10), "COND" },
    { PC_FLAG(11), "CALL_STACK" },
    { PC_FLAG(12), "IND_JUMP" },
    { PC_FLAG(13), "CALL" },
    { PC_FLAG(14), "NO_FLAGS" },
    { PC_FLAG(15), "NO_CYCLES" },
    { PC_FLAG(16), "TYPE_SAVE" },
    { PC_BRANCH_HW_INDEX, "HW_INDEX" },
    { PC_FLAG(18), "PRIV_SAVE" },
    { PC_BRANCH_COUNTERS, "COUNTERS" },
    { 0, NULL },
};

const struct pc_name pc_attr_type_names[] = {
    { PC_TYPE_HARDWARE, "HARDWARE" }, { PC_TYPE_SOFTWARE, "SOFTWARE" }, { PC_TYPE_TRACEPOINT, "TRACEPOINT" },
    { PC_TYPE_CACHE, "HW_CACHE" },    { PC_TYPE_RAW, "RAW" },           { PC_TYPE_BREAKPOINT, "BREAKPOINT" },
    { PC_TYPE_SYNTH, "SYNTH" },       { PC_TYPE_OWN_LAST, "TOOL" },     { 0, NULL },
};

static const struct pc_bits attr_flags[] = {
    { "disabled", 0, 1 },
    { "inherit", 1, 1 },
    { "pinned", 2, 1 },
    { "exclusive", 3, 1 },
    { "exclude_user", 4, 1 },
    { "exclude_kernel", 5, 1 },
    { "exclude_hv", 6, 1 },
    { "exclude_idle", 7, 1 },
    { "mmap", 8, 1 },
    { "comm", 9, 1 },
    { "freq", 10, 1 },
    { "inherit_stat", 11, 1 },
    { "enable_on_exec", 12, 1 },
    { "task", 13, 1 },
    { "watermark", 14, 1 },
    { "precise_ip", 15, 2 },
    { "mmap_data", 17, 1 },
    { "sample_id_all", 18, 1 },
    { "exclude_host", 19, 1 },
    { "exclude_guest", 20, 1 },
    { "exclude_callchain_kernel", 21, 1 },
    { "exclude_callchain_user", 22, 1 },
    { "mmap2", 23, 1 },
    { "comm_exec", 24, 1 },
    { "use_clockid", 25, 1 },
    { "context_switch", 26, 1 },
    { "write_backward", 27, 1 },
    { "namespaces", 28, 1 },
    { "ksymbol", 29, 1 },
    { "bpf_event", 30, 1 },
    { "aux_output", 31, 1 },
    { "cgroup", 32, 1 },
    { "text_poke", 33, 1 },
    { "build_id", 34, 1 },
    { "inherit_thread", 35, 1 },
    { "remove_on_exec", 36, 1 },
    { "sigtrap", 37, 1 },
    { "defer_callchain", 38, 1 },
    { "defer_output", 39, 1 },
    { "reserved", 40, 24 },
    { NULL, 0, 0 },
};

static const struct pc_bits aux_action[] = {
    { "aux_start_paused", 0, 1 }, { "aux_pause", 1, 1 }, { "aux_resume", 2, 1 },
    { "reserved", 3, 29 },        { NULL, 0, 0 },
};

/* The kernel numbers its PMUs from 0. */
static const struct pc_case type_cases[] = { CASES(0, 65535, PC_DYNAMIC(0)),
                                             CASE(PC_TYPE_SYNTH, PC_DYNAMIC(0)),
                                             CASES(PC_TYPE_OWN_FIRST, PC_TYPE_OWN_LAST, PC_DYNAMIC(0)),
                                             END_OF_CASES };

/* Later revisions appended members, so that the attr may end before any of the optional rows. */
const struct pc_field pc_attr_fields[] = {
    U32(type, .save = PC_ATTR_TYPE, .names = pc_attr_type_names, .cases = type_cases,
        RULE(CASE, 0, ATTR_TYPE_IMPOSSIBLE)),
    U32(size, .save = PC_ATTR_SIZE, .flags = PC_ATTR_BYTES),
    X64(config, .save = PC_ATTR_CONFIG),
    U64(sample_period, .save = PC_ATTR_PERIOD),
    X64(sample_type, .save = PC_ATTR_SAMPLE_TYPE, .names = pc_sample_type_names, .flags = PC_NAMES_OF_BITS,
        RULE(MASK, ((uint64_t)1 << PC_S_BITS) - 1, SAMPLE_TYPE_UNKNOWN), OTHER_DIAG(EVENT_DESC_UNKNOWN)),
    X64(read_format, .save = PC_ATTR_READ_FORMAT, .names = read_format_names, .flags = PC_NAMES_OF_BITS),
    PC_ROW("flags", PC_BITS, .width = 8, .save = PC_ATTR_FLAGS, .bits = attr_flags,
           RULE(MASK, ((uint64_t)1 << 40) - 1, ATTR_RESERVED), OTHER_DIAG(EVENT_DESC_UNKNOWN)),
    U32(wakeup_events),
    U32(bp_type),
    X64(config1),
    X64(config2, .flags = PC_OPTIONAL),
    X64(branch_sample_type, .flags = PC_OPTIONAL | PC_NAMES_OF_BITS, .save = PC_ATTR_BRANCH_TYPE,
        .names = branch_type_names),
    X64(sample_regs_user, .flags = PC_OPTIONAL, .save = PC_ATTR_REGS_USER),
    U32(sample_stack_user, .flags = PC_OPTIONAL, .save = PC_ATTR_STACK_USER),
    S32(clockid, .flags = PC_OPTIONAL, .save = PC_ATTR_CLOCKID),
    X64(sample_regs_intr, .flags = PC_OPTIONAL, .save = PC_ATTR_REGS_INTR),
    U32(aux_watermark, .flags = PC_OPTIONAL),
    U16(sample_max_stack, .flags = PC_OPTIONAL),
    ZERO(reserved_2, 2, ATTR_RESERVED, .flags = PC_OPTIONAL, OTHER_DIAG(EVENT_DESC_UNKNOWN)),
    U32(aux_sample_size, .flags = PC_OPTIONAL),
    PC_ROW("aux_action", PC_BITS, .width = 4, .save = PC_ATTR_AUX_ACTION, .bits = aux_action,
           .flags = PC_OPTIONAL, RULE(MASK, 7, ATTR_RESERVED), OTHER_DIAG(EVENT_DESC_UNKNOWN)),
    X64(sig_data, .flags = PC_OPTIONAL),
    X64(config3, .flags = PC_OPTIONAL),
    X64(config4, .flags = PC_OPTIONAL),
    PC_ROW("newer", PC_REST, .flags = PC_UNKNOWN),
    END,
};

uint64_t pc_attr_size_holding(uint64_t bytes)
{
    static const uint8_t known[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, PC_ATTR_SIZE_KNOWN };
    for (size_t i = 0; i < PC_COUNT_OF(known); i++) {
        if (bytes <= known[i])
            return known[i];
    }
    return 0;
}

bool pc_attr_size_known(uint64_t size)
{
    return size == pc_attr_size_holding(size);
}

struct pc_layout pc_attr_layout(const uint64_t *slot)
{
    uint64_t sample_type = slot[PC_ATTR_SAMPLE_TYPE] & (((uint64_t)1 << PC_S_BITS) - 1);
    uint64_t read_format = slot[PC_ATTR_READ_FORMAT] & (((uint64_t)1 << PC_READ_BITS) - 1);
    struct pc_layout layout = { .mask = sample_type | PC_LAYOUT_READ(read_format) };

    if (!(read_format & PC_READ_GROUP))
        layout.mask |= PC_LAYOUT_READ_SINGLE;
    if (slot[PC_ATTR_FLAGS] & PC_FLAG_SAMPLE_ID_ALL)
        layout.mask |= PC_LAYOUT_SAMPLE_ID;
    if (sample_type & PC_S_BRANCH_STACK) {
        if (slot[PC_ATTR_BRANCH_TYPE] & PC_BRANCH_HW_INDEX)
            layout.mask |= PC_LAYOUT_HW_INDEX;
        if (slot[PC_ATTR_BRANCH_TYPE] & PC_BRANCH_COUNTERS)
            layout.mask |= PC_LAYOUT_COUNTERS;
    }
    /* What no field asks for makes no layout of its own. */
    if ((sample_type & PC_S_CALLCHAIN) && (slot[PC_ATTR_FLAGS] & PC_FLAG_DEFER_CHAIN))
        layout.mask |= PC_LAYOUT_DEFER;
    if (sample_type & PC_S_REGS_USER)
        layout.slot[PC_SLOT_NR_REGS_USER] = (uint64_t)__builtin_popcountll(slot[PC_ATTR_REGS_USER]);
    if (sample_type & PC_S_REGS_INTR)
        layout.slot[PC_SLOT_NR_REGS_INTR] = (uint64_t)__builtin_popcountll(slot[PC_ATTR_REGS_INTR]);
    return layout;
}

void pc_attr_flag_names(uint64_t flags, char *to, size_t size)
{
    size_t len = 0;
    *to = 0;
    for (const struct pc_bits *m = attr_flags; m->name && len < size; m++) {
        if (m->width == 1 && (flags & PC_FLAG(m->at)))
            len += (size_t)snprintf(to + len, size - len, "%s%s", len == 0 ? "" : ", ", m->name);
    }
}

bool pc_attr_walk(struct pc_span attr, enum pc_order order, uint64_t *slot)
{
    struct pc_cursor c = pc_cursor(attr, order), inner;
    struct pc_walk walk;
    uint64_t size;
    if (!pc_peek(&c, PC_ATTR_SIZE_AT, 4, &size) || attr.len < PC_ATTR_SIZE_MIN)
        return false;
    size = pc_attr_size(size) & ~(uint64_t)7; /* a cut member is none */
    if (!pc_narrow(&c, size < attr.len ? size : attr.len, &inner))
        return false;
    bool sound = pc_read_table(&walk, pc_attr_fields, inner);
    for (unsigned i = 0; i < PC_SLOTS; i++)
        slot[i] = walk.slot[i];
    return sound;
}

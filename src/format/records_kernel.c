/* SPDX-License-Identifier: MIT
 *
 * records_kernel.c: the records of the kernel as tables. Layouts: include/uapi/linux/perf_event.h (comments
 * of enum perf_event_type) and kernel/events/core.c: perf_output_sample. To add a type: its fields, then its
 * row at the end.
 */
#include "format/records.h"
#include "format/rows.h"

static const struct pc_field u64_element[] = { PC_ROW(NULL, PC_UINT, .width = 8), END };

/* --- what several records share --- */

const struct pc_field pc_sample_id[] = {
    U32(pid, .when = PC_S_TID),
    U32(tid, .when = PC_S_TID, .save = PC_SLOT_TID),
    U64(time, .when = PC_S_TIME, .save = PC_SLOT_TIME),
    U64(id, .when = PC_S_ID, .save = PC_SLOT_ID),
    U64(stream_id, .when = PC_S_STREAM_ID),
    U32(cpu, .when = PC_S_CPU, .save = PC_SLOT_CPU),
    ZERO(cpu_reserved, 4, SAMPLE_ID_RESERVED, .when = PC_S_CPU),
    U64(identifier, .when = PC_S_IDENTIFIER, .save = PC_SLOT_IDENTIFIER),
    END,
};

static const struct pc_field read_value[] = {
    U64(value),
    U64(id, .when = PC_LAYOUT_READ(PC_READ_ID)),
    U64(lost, .when = PC_LAYOUT_READ(PC_READ_LOST)),
    END,
};

static const struct pc_field read_single[] = {
    U64(value),
    U64(time_enabled, .when = PC_LAYOUT_READ(PC_READ_ENABLED)),
    U64(time_running, .when = PC_LAYOUT_READ(PC_READ_RUNNING)),
    U64(id, .when = PC_LAYOUT_READ(PC_READ_ID)),
    U64(lost, .when = PC_LAYOUT_READ(PC_READ_LOST)),
    END,
};

static const struct pc_field read_group[] = {
    U64(nr, .save = PC_SLOT_A),
    U64(time_enabled, .when = PC_LAYOUT_READ(PC_READ_ENABLED)),
    U64(time_running, .when = PC_LAYOUT_READ(PC_READ_RUNNING)),
    REPEAT(values, PC_SLOT_A, read_value),
    END,
};

const struct pc_field pc_read_values[] = {
    SUB(NULL, read_single, .when = PC_LAYOUT_READ_SINGLE),
    SUB(NULL, read_group, .when = PC_LAYOUT_READ(PC_READ_GROUP)),
    END,
};

/* --- kernel records --- */

static const struct pc_name prot_names[] = { { 1, "READ" }, { 2, "WRITE" }, { 4, "EXEC" }, { 0, NULL } };
static const struct pc_name map_names[] = { { 1, "SHARED" }, { 2, "PRIVATE" }, { 0, NULL } };
static const struct pc_name aux_flag_names[] = {
    { 1, "TRUNCATED" }, { 2, "OVERWRITE" }, { 4, "PARTIAL" }, { 8, "COLLISION" }, { 0, NULL }
};
static const struct pc_name ksym_type_names[] = {
    { PC_KSYMBOL_UNKNOWN, "UNKNOWN" }, { PC_KSYMBOL_BPF, "BPF" }, { PC_KSYMBOL_OOL, "OOL" }, { 0, NULL }
};
static const struct pc_name ksym_flag_names[] = { { PC_KSYMBOL_UNREGISTER, "UNREGISTER" }, { 0, NULL } };
static const struct pc_name bpf_event_names[] = {
    { 0, "UNKNOWN" }, { 1, "PROG_LOAD" }, { 2, "PROG_UNLOAD" }, { 0, NULL }
};
/* enum perf_callchain_context; the rule is pc_rule_ok's. */
static const struct pc_name context_names[] = {
    { (uint64_t)-32, "HV" },           { PC_CONTEXT_KERNEL, "KERNEL" },
    { PC_CONTEXT_USER, "USER" },       { PC_CONTEXT_USER_DEFERRED, "USER_DEFERRED" },
    { (uint64_t)-2048, "GUEST" },      { (uint64_t)-2176, "GUEST_KERNEL" },
    { (uint64_t)-2560, "GUEST_USER" }, { 0, NULL },
};
static const struct pc_name abi_names[] = { { 0, "NONE" }, { 1, "ABI_32" }, { 2, "ABI_64" }, { 0, NULL } };

static const struct pc_field mmap_fields[] = {
    U32(pid),
    U32(tid),
    X64(addr, .save = PC_REC_ADDR),
    X64(len, .save = PC_REC_LEN),
    X64(pgoff, .save = PC_REC_PGOFF),
    CSTR(filename, SHAPE_DIAG(MMAP_UNTERMINATED), RULE(MAX, 4096, NAME_LONG), .save = PC_REC_NAME),
    END,
};

static const struct pc_field lost_fields[] = {
    U64(id),
    U64(lost, .save = PC_REC_LOST, RULE(NONZERO, 0, LOST_ZERO)),
    END,
};

static const struct pc_field comm_fields[] = {
    U32(pid),
    U32(tid, .save = PC_REC_TID),
    CSTR(comm, SHAPE_DIAG(COMM_UNTERMINATED), RULE(MAX, 15, COMM_LONG), .flags = PC_MAY_BE_EMPTY,
         .save = PC_REC_NAME),
    END,
};

static const struct pc_field task_fields[] = {
    U32(pid),
    U32(ppid, .save = PC_REC_PPID),
    U32(tid, .save = PC_REC_TID),
    U32(ptid, .save = PC_REC_PTID),
    U64(time, .save = PC_REC_START),
    END,
};

static const struct pc_field throttle_fields[] = { U64(time), U64(id), U64(stream_id, .save = PC_REC_STREAM),
                                                   END };

static const struct pc_field read_fields[] = { U32(pid), U32(tid), SUB(NULL, pc_read_values), END };

static const struct pc_field mmap2_fields[] = {
    U32(pid),
    U32(tid),
    X64(addr, .save = PC_REC_ADDR),
    X64(len, .save = PC_REC_LEN),
    X64(pgoff, .save = PC_REC_PGOFF),
    U32(maj, .when = PC_LAYOUT_INODE),
    U32(min, .when = PC_LAYOUT_INODE),
    U64(ino, .when = PC_LAYOUT_INODE),
    U64(ino_generation, .when = PC_LAYOUT_INODE),
    U8(build_id_size, .when = PC_LAYOUT_BUILD_ID, .save = PC_REC_BUILD_ID_SIZE,
       RULE(MAX, PC_BUILD_ID_MAX, MMAP2_BUILD_ID_SIZE), OTHER_DIAG(MMAP2_LEAKED)),
    PC_ROW("reserved", PC_BYTES, .arg = 3, .when = PC_LAYOUT_BUILD_ID, .rule = PC_RULE_ZEROS,
           .rule_diag = PC_D_MMAP2_BUILD_ID_TAIL),
    PC_ROW("build_id", PC_BYTES, .arg = PC_BUILD_ID_MAX, .when = PC_LAYOUT_BUILD_ID, .save = PC_REC_BUILD_ID,
           .used = PC_REC_BUILD_ID_SIZE),
    U32(prot, .when = PC_LAYOUT_PROT, .show = PC_AS_HEX, .names = prot_names, .flags = PC_NAMES_OF_BITS),
    U32(flags, .when = PC_LAYOUT_PROT, .show = PC_AS_HEX, .names = map_names, .flags = PC_NAMES_OF_BITS),
    CSTR(filename, SHAPE_DIAG(MMAP_UNTERMINATED), RULE(MAX, 4096, NAME_LONG), .save = PC_REC_NAME),
    END,
};

static const struct pc_field aux_fields[] = {
    X64(aux_offset, .save = PC_REC_ADDR),
    X64(aux_size, .save = PC_REC_LEN),
    X64(flags, RULE(MASK, 0xff0f, AUX_FLAGS), .names = aux_flag_names, .flags = PC_NAMES_OF_BITS,
        .save = PC_REC_FLAGS),
    END,
};

static const struct pc_field pid_tid_fields[] = { U32(pid), U32(tid), END };

static const struct pc_field lost_samples_fields[] = {
    U64(lost, .save = PC_REC_LOST, RULE(NONZERO, 0, LOST_ZERO)),
    END,
};

static const struct pc_field no_fields[] = { END };

static const struct pc_field switch_cpu_wide_fields[] = { U32(next_prev_pid), U32(next_prev_tid), END };

static const struct pc_field namespace_entry[] = { U64(dev), U64(inode), END };
static const struct pc_field namespaces_fields[] = {
    U32(pid),
    U32(tid),
    U64(nr, .save = PC_SLOT_A, RULE(IS, 7, NAMESPACES_COUNT)),
    REPEAT(namespaces, PC_SLOT_A, namespace_entry, SHAPE_DIAG(NAMESPACES_NR)),
    END,
};

static const struct pc_field ksymbol_fields[] = {
    X64(addr, .save = PC_REC_ADDR),
    U32(len),
    U16(ksym_type, RULE(MAX, PC_KSYMBOL_OOL, KSYMBOL_TYPE), .names = ksym_type_names, .save = PC_REC_TYPE),
    U16(flags, RULE(MASK, PC_KSYMBOL_UNREGISTER, KSYMBOL_TYPE), .names = ksym_flag_names,
        .flags = PC_NAMES_OF_BITS, .save = PC_REC_FLAGS),
    CSTR(name, SHAPE_DIAG(KSYMBOL_UNTERMINATED), RULE(MAX, 511, NAME_LONG),
         .flags = PC_MAY_BE_EMPTY | PC_MAY_GROW, .save = PC_REC_NAME),
    END,
};

static const struct pc_field bpf_event_fields[] = {
    U16(type, RULE(MAX, 2, BPF_EVENT_TYPE), .names = bpf_event_names),
    U16(flags),
    U32(id, RULE(MAX, INT32_MAX, BPF_EVENT_ID)),
    PC_ROW("tag", PC_BYTES, .arg = 8),
    END,
};

static const struct pc_field cgroup_fields[] = {
    U64(id),
    CSTR(path, SHAPE_DIAG(CGROUP_UNTERMINATED), RULE(MAX, 4096, NAME_LONG), .flags = PC_MAY_BE_EMPTY),
    END,
};

static const struct pc_field text_poke_fields[] = {
    X64(addr),
    U16(old_len, .save = PC_SLOT_A),
    U16(new_len, .save = PC_SLOT_B),
    PC_ROW("old_bytes", PC_BYTES, .count = PC_SLOT_A, SHAPE_DIAG(TEXT_POKE_LEN)),
    PC_ROW("new_bytes", PC_BYTES, .count = PC_SLOT_B, SHAPE_DIAG(TEXT_POKE_LEN)),
    PC_ROW("padding", PC_PAD, .rule = PC_RULE_ZEROS, .rule_diag = PC_D_TEXT_POKE_PADDING),
    END,
};

static const struct pc_field aux_output_hw_id_fields[] = { X64(hw_id), END };

static const struct pc_field deferred_entry[] = {
    PC_ROW(NULL, PC_UINT, .width = 8, .show = PC_AS_HEX, .names = context_names), END
};
static const struct pc_field callchain_deferred_fields[] = {
    U64(cookie, .save = PC_REC_COOKIE),
    U64(nr, .save = PC_SLOT_A),
    REPEAT(ips, PC_SLOT_A, deferred_entry, SHAPE_DIAG(DEFERRED_NR)),
    END,
};

/* --- PERF_RECORD_SAMPLE: kernel/events/core.c: perf_output_sample --- */

#define HAS_REGS_USER PC_DYNAMIC(0)
#define HAS_STACK     PC_DYNAMIC(1)
#define HAS_REGS_INTR PC_DYNAMIC(2)

static const struct pc_case regs_user_cases[] = { CASES(1, UINT64_MAX, HAS_REGS_USER), END_OF_CASES };
static const struct pc_case stack_cases[] = { CASES(1, UINT64_MAX, HAS_STACK), END_OF_CASES };
static const struct pc_case regs_intr_cases[] = { CASES(1, UINT64_MAX, HAS_REGS_INTR), END_OF_CASES };

static const struct pc_field chain_entry[] = {
    PC_ROW(NULL, PC_UINT, .width = 8, .show = PC_AS_HEX, .rule = PC_RULE_CHAIN,
           .rule_diag = PC_D_CALLCHAIN_MARKER, OTHER_DIAG(CALLCHAIN_DEFERRED), .names = context_names),
    END,
};

static const struct pc_bits branch_flags[] = {
    { "mispred", 0, 1 }, { "predicted", 1, 1 },  { "in_tx", 2, 1 }, { "abort", 3, 1 },
    { "cycles", 4, 16 }, { "type", 20, 4 },      { "spec", 24, 2 }, { "new_type", 26, 4 },
    { "priv", 30, 3 },   { "reserved", 33, 31 }, { NULL, 0, 0 },
};

static const struct pc_field branch_entry[] = {
    X64(from),
    X64(to),
    PC_ROW("flags", PC_BITS, .width = 8, .bits = branch_flags,
           RULE(BRANCH, ((uint64_t)1 << 33) - 1, BRANCH_RESERVED), OTHER_DIAG(BRANCH_PREDICTION)),
    END,
};

/* union perf_mem_data_src: its members are declared so that the integer is the same in both orders. */
static const struct pc_bits data_src_bits[] = {
    { "op", 0, 5 },       { "lvl", 5, 14 },       { "snoop", 19, 5 },  { "lock", 24, 2 }, { "dtlb", 26, 7 },
    { "lvl_num", 33, 4 }, { "remote", 37, 1 },    { "snoopx", 38, 2 }, { "blk", 40, 3 },  { "hops", 43, 3 },
    { "region", 46, 5 },  { "reserved", 51, 13 }, { NULL, 0, 0 },
};
static const struct pc_bits transaction_bits[] = {
    { "elision", 0, 1 },
    { "transaction", 1, 1 },
    { "sync", 2, 1 },
    { "async", 3, 1 },
    { "retry", 4, 1 },
    { "conflict", 5, 1 },
    { "capacity_write", 6, 1 },
    { "capacity_read", 7, 1 },
    { "reserved", 8, 24 },
    { "abort_code", 32, 32 },
    { NULL, 0, 0 },
};

static const struct pc_field sample_fields[] = {
    U64(identifier, .when = PC_S_IDENTIFIER, .save = PC_SLOT_IDENTIFIER),
    X64(ip, .when = PC_S_IP, .save = PC_REC_IP),
    U32(pid, .when = PC_S_TID),
    U32(tid, .when = PC_S_TID, .save = PC_REC_SAMPLE_TID),
    U64(time, .when = PC_S_TIME, .save = PC_SLOT_TIME),
    X64(addr, .when = PC_S_ADDR),
    U64(id, .when = PC_S_ID, .save = PC_SLOT_ID),
    U64(stream_id, .when = PC_S_STREAM_ID),
    U32(cpu, .when = PC_S_CPU, .save = PC_SLOT_CPU),
    ZERO(cpu_reserved, 4, SAMPLE_ID_RESERVED, .when = PC_S_CPU),
    U64(period, .when = PC_S_PERIOD, RULE(NONZERO, 0, PERIOD_ZERO)),
    SUB("read", pc_read_values, .when = PC_S_READ),
    U64(callchain_nr, .when = PC_S_CALLCHAIN, .save = PC_REC_CHAIN),
    REPEAT(callchain, PC_REC_CHAIN, chain_entry, .when = PC_S_CALLCHAIN, SHAPE_DIAG(CALLCHAIN_NR)),
    U32(raw_size, .when = PC_S_RAW, .save = PC_SLOT_A, RULE(MOD8, 4, RAW_UNALIGNED)),
    PC_ROW("raw", PC_BYTES, .when = PC_S_RAW, .count = PC_SLOT_A, SHAPE_DIAG(RAW_SIZE), .save = PC_REC_RAW),
    U64(branch_nr, .when = PC_S_BRANCH_STACK, .save = PC_REC_NR),
    U64(branch_hw_idx, .when = PC_LAYOUT_HW_INDEX),
    REPEAT(branch, PC_REC_NR, branch_entry, .when = PC_S_BRANCH_STACK, SHAPE_DIAG(BRANCH_NR)),
    REPEAT(branch_counters, PC_REC_NR, u64_element, .when = PC_LAYOUT_COUNTERS, SHAPE_DIAG(BRANCH_NR)),
    U64(regs_user_abi, .when = PC_S_REGS_USER, .cases = regs_user_cases, RULE(MAX, 2, REGS_ABI),
        .names = abi_names),
    REPEAT(regs_user, PC_SLOT_NR_REGS_USER, u64_element, .when = HAS_REGS_USER, SHAPE_DIAG(REGS_CUT)),
    U64(stack_user_size, .when = PC_S_STACK_USER, .save = PC_SLOT_A, .cases = stack_cases,
        RULE(MOD8, 0, STACK_UNALIGNED)),
    PC_ROW("stack_user", PC_BYTES, .when = HAS_STACK, .count = PC_SLOT_A, SHAPE_DIAG(STACK_CUT)),
    U64(stack_user_dyn_size, .when = HAS_STACK, RULE(MAX_SLOT, PC_SLOT_A, STACK_DYN), SHAPE_DIAG(STACK_CUT)),
    X64(weight, .when = PC_S_WEIGHT | PC_S_WEIGHT_STRUCT),
    X64(data_src, .when = PC_S_DATA_SRC, RULE(DATA_SRC, ((uint64_t)1 << 51) - 1, DATA_SRC_RESERVED),
        OTHER_DIAG(DATA_SRC_LEVELS), .bits = data_src_bits),
    X64(transaction, .when = PC_S_TRANSACTION, RULE(MASK, 0xffffffff000000ff, TRANSACTION_RESERVED),
        .bits = transaction_bits),
    U64(regs_intr_abi, .when = PC_S_REGS_INTR, .cases = regs_intr_cases, RULE(MAX, 2, REGS_ABI),
        .names = abi_names),
    REPEAT(regs_intr, PC_SLOT_NR_REGS_INTR, u64_element, .when = HAS_REGS_INTR, SHAPE_DIAG(REGS_CUT)),
    X64(phys_addr, .when = PC_S_PHYS_ADDR),
    U64(cgroup, .when = PC_S_CGROUP),
    U64(data_page_size, .when = PC_S_DATA_PAGE_SIZE, RULE(POWER_2, 0, PAGE_SIZE)),
    U64(code_page_size, .when = PC_S_CODE_PAGE_SIZE, RULE(POWER_2, 0, PAGE_SIZE)),
    U64(aux_size, .when = PC_S_AUX, .save = PC_SLOT_A),
    PC_ROW("aux", PC_BYTES, .when = PC_S_AUX, .count = PC_SLOT_A, SHAPE_DIAG(SAMPLE_AUX_SIZE)),
    END,
};

/* --- the rows --- */

const struct pc_name pc_cpumode_names[] = {
    { PC_MODE_UNKNOWN, "UNKNOWN" },
    { PC_MODE_KERNEL, "KERNEL" },
    { PC_MODE_USER, "USER" },
    { PC_MODE_HYPERVISOR, "HYPERVISOR" },
    { PC_MODE_GUEST_KERNEL, "GUEST_KERNEL" },
    { PC_MODE_GUEST_USER, "GUEST_USER" },
    { 0, NULL },
};
static const struct pc_name mmap_misc[] = { { PC_MISC_MMAP_DATA, "MMAP_DATA" },
                                            { PC_MISC_MMAP_BUILD_ID, "MMAP_BUILD_ID" },
                                            { 0, NULL } };
static const struct pc_name mmap2_misc[] = { { PC_MISC_MAPS_CUT, "PROC_MAP_PARSE_TIMEOUT" },
                                             { PC_MISC_MMAP_DATA, "MMAP_DATA" },
                                             { PC_MISC_MMAP_BUILD_ID, "MMAP_BUILD_ID" },
                                             { 0, NULL } };
static const struct pc_name comm_misc[] = { { PC_MISC_COMM_EXEC, "COMM_EXEC" }, { 0, NULL } };
static const struct pc_name fork_misc[] = { { PC_MISC_FORK_EXEC, "FORK_EXEC" }, { 0, NULL } };
static const struct pc_name sample_misc[] = { { PC_MISC_EXACT_IP, "EXACT_IP" }, { 0, NULL } };
static const struct pc_name lost_samples_misc[] = { { PC_MISC_LOST_BPF, "LOST_SAMPLES_BPF" }, { 0, NULL } };
static const struct pc_name switch_misc[] = { { PC_MISC_SWITCH_OUT, "SWITCH_OUT" },
                                              { PC_MISC_SWITCH_PREEMPT, "SWITCH_OUT_PREEMPT" },
                                              { 0, NULL } };

/* KERNEL(TYPE, fields, least size, further members): the row of PC_TYPE. */
#define KERNEL(type, ...) [PC_##type] = RECORD(type, __VA_ARGS__)
#define MODE              PC_MISC_CPUMODE

const struct pc_record_info pc_kernel_records[PC_USER_TYPES] = {
    KERNEL(MMAP, mmap_fields, 41, .misc = PC_MISC_MMAP_DATA | PC_MISC_MMAP_BUILD_ID | MODE,
           .misc_names = mmap_misc, .flags = PC_HAS_CPUMODE | PC_SYNTHESIZED | PC_LASTING),
    KERNEL(LOST, lost_fields, 24),
    KERNEL(COMM, comm_fields, 17, .misc = PC_MISC_COMM_EXEC, .misc_names = comm_misc,
           .flags = PC_SYNTHESIZED | PC_LASTING),
    KERNEL(EXIT, task_fields, 32, .flags = PC_LASTING),
    KERNEL(THROTTLE, throttle_fields, 32),
    KERNEL(UNTHROTTLE, throttle_fields, 32),
    KERNEL(FORK, task_fields, 32, .misc = PC_MISC_FORK_EXEC, .misc_names = fork_misc,
           .flags = PC_SYNTHESIZED | PC_LASTING),
    KERNEL(READ, read_fields, 24, .short_diag = PC_D_READ_LAYOUT, .count_diag = PC_D_READ_NR,
           .excess_diag = PC_D_READ_EXCESS),
    KERNEL(SAMPLE, sample_fields, 8, .misc = PC_MISC_EXACT_IP | MODE, .misc_names = sample_misc,
           .flags = PC_HAS_CPUMODE | PC_NEEDS_MODE, .short_diag = PC_D_SAMPLE_FIELD_CUT,
           .count_diag = PC_D_SAMPLE_READ, .excess_diag = PC_D_SAMPLE_EXCESS),
    KERNEL(MMAP2, mmap2_fields, 73,
           .misc = PC_MISC_MAPS_CUT | PC_MISC_MMAP_DATA | PC_MISC_MMAP_BUILD_ID | MODE,
           .misc_names = mmap2_misc, .flags = PC_HAS_CPUMODE | PC_SYNTHESIZED | PC_LASTING),
    KERNEL(AUX, aux_fields, 32),
    KERNEL(ITRACE_START, pid_tid_fields, 16),
    KERNEL(LOST_SAMPLES, lost_samples_fields, 16, .misc = PC_MISC_LOST_BPF, .misc_names = lost_samples_misc),
    KERNEL(SWITCH, no_fields, 8, .misc = PC_MISC_SWITCH_OUT | PC_MISC_SWITCH_PREEMPT,
           .misc_names = switch_misc),
    KERNEL(SWITCH_CPU_WIDE, switch_cpu_wide_fields, 16, .misc = PC_MISC_SWITCH_OUT | PC_MISC_SWITCH_PREEMPT,
           .misc_names = switch_misc),
    KERNEL(NAMESPACES, namespaces_fields, 24, .flags = PC_SYNTHESIZED | PC_LASTING),
    KERNEL(KSYMBOL, ksymbol_fields, 25, .flags = PC_SYNTHESIZED | PC_LASTING),
    KERNEL(BPF_EVENT, bpf_event_fields, 24, .flags = PC_SYNTHESIZED | PC_LASTING,
           .excess_diag = PC_D_RECORD_GROWN),
    KERNEL(CGROUP, cgroup_fields, 17, .flags = PC_SYNTHESIZED | PC_LASTING),
    KERNEL(TEXT_POKE, text_poke_fields, 24, .misc = MODE, .flags = PC_HAS_CPUMODE | PC_LASTING),
    KERNEL(AUX_OUTPUT_HW_ID, aux_output_hw_id_fields, 16),
    KERNEL(CALLCHAIN_DEFERRED, callchain_deferred_fields, 24, .misc = MODE, .flags = PC_HAS_CPUMODE),
};

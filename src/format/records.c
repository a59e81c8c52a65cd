/* SPDX-License-Identifier: MIT
 *
 * Every PERF_RECORD_* as a table. Layouts: include/uapi/linux/perf_event.h (comments of enum
 * perf_event_type) and kernel/events/core.c: perf_output_sample for the kernel's, tools/lib/perf/include/
 * perf/event.h for those of the perf tool. To add a type: its fields, then its row at the end.
 */
#include "format/rows.h"
#include "format/tables.h"

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

/* tools/lib/perf/include/perf/event.h: struct perf_record_cpu_map_data */
#define MAP_CPUS   PC_DYNAMIC(0)
#define MAP_MASK   PC_DYNAMIC(1)
#define MAP_RANGE  PC_DYNAMIC(2)
#define MAP_MASK_4 PC_DYNAMIC(3)
#define MAP_MASK_8 PC_DYNAMIC(4)

static const struct pc_case map_cases[] = {
    { 0, 0, MAP_CPUS }, { 1, 1, MAP_MASK }, { 2, 2, MAP_RANGE }, { 0, 0, 0 }
};
static const struct pc_case long_size_cases[] = { { 4, 4, MAP_MASK_4 }, { 8, 8, MAP_MASK_8 }, { 0, 0, 0 } };
static const struct pc_field map_cpu[] = { PC_ROW(NULL, PC_UINT, .width = 2), END };
static const struct pc_field map_mask_4[] = { PC_ROW(NULL, PC_UINT, .width = 4, .show = PC_AS_HEX), END };
static const struct pc_field map_mask_8[] = { PC_ROW(NULL, PC_UINT, .width = 8, .show = PC_AS_HEX), END };

static const struct pc_field map_list[] = {
    U16(nr, .save = PC_REC_MAP_NR),
    REPEAT(cpu, PC_REC_MAP_NR, map_cpu, SHAPE_DIAG(CPU_MAP_NR)),
    END,
};
static const struct pc_field map_mask[] = {
    U16(nr, .save = PC_SLOT_A),
    U16(long_size, .save = PC_REC_MAP_WORD, .cases = long_size_cases, RULE(CASE, 0, CPU_MAP_LONG_SIZE)),
    REPEAT(mask, PC_SLOT_A, map_mask_4, .when = MAP_MASK_4, SHAPE_DIAG(CPU_MAP_NR)),
    PC_ROW("pad", PC_BYTES, .arg = 4, .when = MAP_MASK_8, .rule = PC_RULE_ZEROS,
           .rule_diag = PC_D_CPU_MAP_PADDING),
    REPEAT(mask, PC_SLOT_A, map_mask_8, .when = MAP_MASK_8, SHAPE_DIAG(CPU_MAP_NR)),
    END,
};
static const struct pc_field map_range[] = {
    U8(any_cpu, .save = PC_REC_MAP_ANY, RULE(MAX, 1, CPU_MAP_VALUE)),
    ZERO(pad, 1, RESERVED),
    U16(start_cpu, .save = PC_REC_START, RULE(MAX, 32766, CPU_MAP_VALUE)),
    U16(end_cpu, .save = PC_REC_LEN, RULE(MAX, 32766, CPU_MAP_VALUE)),
    END,
};
static const struct pc_name map_type_names[] = {
    { 0, "CPUS" }, { 1, "MASK" }, { 2, "RANGE_CPUS" }, { 0, NULL }
};
static const struct pc_field cpu_map_data[] = {
    U16(type, .cases = map_cases, .save = PC_REC_MAP, RULE(MAX, 2, CPU_MAP_TYPE),
        SHAPE_DIAG(EVENT_UPDATE_CUT), .names = map_type_names),
    SUB(NULL, map_list, .when = MAP_CPUS),
    SUB(NULL, map_mask, .when = MAP_MASK),
    SUB(NULL, map_range, .when = MAP_RANGE),
    PC_ROW("padding", PC_REST, .when = MAP_CPUS | MAP_RANGE | MAP_MASK_4 | MAP_MASK_8, .rule = PC_RULE_ZEROS,
           .rule_diag = PC_D_CPU_MAP_PADDING, .save = PC_REC_RAW),
    PC_ROW("unknown", PC_REST, .flags = PC_UNKNOWN),
    END,
};

/* --- kernel records --- */

static const struct pc_name prot_names[] = { { 1, "READ" }, { 2, "WRITE" }, { 4, "EXEC" }, { 0, NULL } };
static const struct pc_name map_names[] = { { 1, "SHARED" }, { 2, "PRIVATE" }, { 0, NULL } };
static const struct pc_name aux_flag_names[] = {
    { 1, "TRUNCATED" }, { 2, "OVERWRITE" }, { 4, "PARTIAL" }, { 8, "COLLISION" }, { 0, NULL }
};
static const struct pc_name ksym_type_names[] = { { 0, "UNKNOWN" }, { 1, "BPF" }, { 2, "OOL" }, { 0, NULL } };
static const struct pc_name ksym_flag_names[] = { { 1, "UNREGISTER" }, { 0, NULL } };
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
    X64(pgoff),
    CSTR(filename, SHAPE_DIAG(MMAP_UNTERMINATED), RULE(MAX, 4096, NAME_LONG)),
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
    CSTR(comm, SHAPE_DIAG(COMM_UNTERMINATED), RULE(MAX, 15, NAME_LONG), .flags = PC_MAY_BE_EMPTY),
    END,
};

static const struct pc_field task_fields[] = {
    U32(pid),  U32(ppid, .save = PC_REC_PPID),  U32(tid, .save = PC_REC_TID),
    U32(ptid), U64(time, .save = PC_REC_START), END,
};

static const struct pc_field throttle_fields[] = { U64(time), U64(id), U64(stream_id, .save = PC_REC_STREAM),
                                                   END };

static const struct pc_field read_fields[] = { U32(pid), U32(tid), SUB(NULL, pc_read_values), END };

static const struct pc_field mmap2_fields[] = {
    U32(pid),
    U32(tid),
    X64(addr, .save = PC_REC_ADDR),
    X64(len, .save = PC_REC_LEN),
    X64(pgoff),
    U32(maj, .when = PC_LAYOUT_INODE),
    U32(min, .when = PC_LAYOUT_INODE),
    U64(ino, .when = PC_LAYOUT_INODE),
    U64(ino_generation, .when = PC_LAYOUT_INODE),
    U8(build_id_size, .when = PC_LAYOUT_BUILD_ID, .save = PC_REC_BUILD_ID_SIZE,
       RULE(MAX, 20, MMAP2_BUILD_ID_SIZE)),
    PC_ROW("reserved", PC_BYTES, .arg = 3, .when = PC_LAYOUT_BUILD_ID, .rule = PC_RULE_ZEROS,
           .rule_diag = PC_D_MMAP2_BUILD_ID_TAIL),
    PC_ROW("build_id", PC_BYTES, .arg = 20, .when = PC_LAYOUT_BUILD_ID, .used = PC_REC_BUILD_ID_SIZE),
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
    U16(ksym_type, RULE(MAX, 2, KSYMBOL_TYPE), .names = ksym_type_names, .save = PC_REC_TYPE),
    U16(flags, RULE(MASK, 1, KSYMBOL_TYPE), .names = ksym_flag_names, .flags = PC_NAMES_OF_BITS,
        .save = PC_REC_FLAGS),
    CSTR(name, SHAPE_DIAG(KSYMBOL_UNTERMINATED), RULE(MAX, 511, NAME_LONG),
         .flags = PC_MAY_BE_EMPTY | PC_MAY_GROW),
    END,
};

static const struct pc_field bpf_event_fields[] = {
    U16(type, RULE(MAX, 2, BPF_EVENT_TYPE), .names = bpf_event_names),
    U16(flags),
    U32(id),
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

static const struct pc_case regs_user_cases[] = { { 1, UINT64_MAX, HAS_REGS_USER }, { 0, 0, 0 } };
static const struct pc_case stack_cases[] = { { 1, UINT64_MAX, HAS_STACK }, { 0, 0, 0 } };
static const struct pc_case regs_intr_cases[] = { { 1, UINT64_MAX, HAS_REGS_INTR }, { 0, 0, 0 } };

static const struct pc_field chain_entry[] = {
    PC_ROW(NULL, PC_UINT, .width = 8, .show = PC_AS_HEX, .rule = PC_RULE_CHAIN,
           .rule_diag = PC_D_CALLCHAIN_MARKER, .names = context_names),
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
           RULE(BRANCH, ((uint64_t)1 << 33) - 1, BRANCH_RESERVED)),
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
    X64(data_src, .when = PC_S_DATA_SRC, RULE(MASK, ((uint64_t)1 << 51) - 1, DATA_SRC_RESERVED),
        .bits = data_src_bits),
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

/* --- user records --- */

/* check_header_attr judges the sizes. */
static const struct pc_field header_attr_fields[] = {
    PC_ROW("attr.size", PC_PEEK, .arg = PC_ATTR_SIZE_AT, .width = 4, .save = PC_SLOT_A,
           .as = PC_AS_ATTR_SIZE),
    PC_ROW("attr", PC_FRAME, .count = PC_SLOT_A, .sub = pc_attr_fields),
    PC_ROW("ids", PC_UNTIL_END, .sub = u64_element),
    END,
};

/* Old perfs wrote the name without counting its NUL, so it may end with the record. */
static const struct pc_field header_event_type_fields[] = { U64(event_id), PC_ROW("name", PC_REST), END };

static const struct pc_field header_tracing_data_fields[] = {
    U32(size, .save = PC_REC_SIZE),
    ZERO(pad, 4, RESERVED, .flags = PC_OPTIONAL),
    END,
};

static const struct pc_field header_build_id_fields[] = {
    S32(pid),
    PC_ROW("build_id", PC_BYTES, .arg = 20, .save = PC_REC_BUILD_ID),
    U8(build_id_size, .save = PC_REC_BUILD_ID_SIZE),
    PC_ROW("reserved", PC_BYTES, .arg = 3, .rule = PC_RULE_ZEROS, .rule_diag = PC_D_RESERVED),
    PC_ROW("filename", PC_ZSTR, SHAPE_DIAG(BUILD_ID_UNTERMINATED), .save = PC_REC_NAME),
    PC_ROW("padding", PC_REST), /* and, from perf inject, a sample_id */
    END,
};

static const struct pc_field id_index_entry[] = {
    U64(id, .save = PC_SLOT_ID),
    U64(idx, .save = PC_REC_IDX),
    U64(cpu, .show = PC_AS_SIGNED, .save = PC_SLOT_CPU),
    U64(tid, .show = PC_AS_SIGNED, .save = PC_REC_TID),
    END,
};
static const struct pc_field id_index_guest[] = { U64(machine_pid), U64(vcpu), END };
static const struct pc_field id_index_fields[] = {
    U64(nr, .save = PC_SLOT_A),
    REPEAT(entries, PC_SLOT_A, id_index_entry, SHAPE_DIAG(ID_INDEX_NR)),
    REPEAT(guests, PC_SLOT_A, id_index_guest, .flags = PC_IF_FITS),
    END,
};

/* The words behind type and reserved: tools/perf/util/{intel-pt,intel-bts,cs-etm,arm-spe}.h. Each decoder
 * asks for a number of them; later revisions appended more. */
#define TRACE_PT  PC_DYNAMIC(0)
#define TRACE_BTS PC_DYNAMIC(1)
#define TRACE_ETM PC_DYNAMIC(2)
#define TRACE_SPE PC_DYNAMIC(3)
#define TRACE_ONE PC_DYNAMIC(4)
#define ETM_V1    PC_DYNAMIC(5)
#define SPE_V2    PC_DYNAMIC(6)
#define SPE_V1    PC_DYNAMIC(7)
static const struct pc_case trace_cases[] = {
    { 1, 1, TRACE_PT },           { 2, 2, TRACE_BTS }, { 3, 3, TRACE_ETM },
    { 4, 4, TRACE_SPE | SPE_V1 }, { 6, 7, TRACE_ONE }, { 0, 0, 0 },
};
#define WORD(n) U64(n, SHAPE_DIAG(AUXTRACE_INFO_SHORT))
#define MORE(n) U64(n, .flags = PC_OPTIONAL)
static const struct pc_field trace_pt[] = {
    WORD(pmu_type),
    WORD(time_shift),
    WORD(time_mult),
    WORD(time_zero),
    WORD(cap_user_time_zero),
    WORD(tsc_bit),
    WORD(noretcomp_bit),
    WORD(have_sched_switch),
    WORD(snapshot_mode),
    WORD(per_cpu_mmaps),
    MORE(mtc_bit),
    MORE(mtc_freq_bits),
    MORE(tsc_ctc_n),
    MORE(tsc_ctc_d),
    MORE(cyc_bit),
    MORE(max_nonturbo_ratio),
    U64(filter_str_len, .flags = PC_OPTIONAL, .save = PC_SLOT_A, .as = PC_AS_TEXT),
    PC_ROW("filter", PC_TEXT, .count = PC_SLOT_A, SHAPE_DIAG(AUXTRACE_FILTER), RULE(NUL, 0, AUXTRACE_FILTER)),
    MORE(event_trace),
    END,
};
static const struct pc_field trace_bts[] = {
    WORD(pmu_type),
    WORD(time_shift),
    WORD(time_mult),
    WORD(time_zero),
    WORD(cap_user_time_zero),
    WORD(snapshot_mode),
    END,
};
static const struct pc_field trace_etm_cpu[] = {
    WORD(magic),
    WORD(cpu),
    U64(nr_params, .save = PC_SLOT_B, SHAPE_DIAG(AUXTRACE_INFO_SHORT)),
    REPEAT(params, PC_SLOT_B, u64_element, SHAPE_DIAG(AUXTRACE_INFO_SHORT)),
    END,
};
static const struct pc_case etm_cases[] = { { 1, UINT64_MAX, ETM_V1 }, { 0, 0, 0 } };
static const struct pc_field trace_etm[] = {
    U64(header_version, .cases = etm_cases, SHAPE_DIAG(AUXTRACE_INFO_SHORT)),
    U64(pmu_type_and_nr_cpus, .save = PC_SLOT_A, .as = PC_AS_LOW32, SHAPE_DIAG(AUXTRACE_INFO_SHORT)),
    WORD(snapshot),
    REPEAT(cpus, PC_SLOT_A, trace_etm_cpu, .when = ETM_V1, SHAPE_DIAG(AUXTRACE_INFO_SHORT)),
    END,
};
/* The first version is not one of its words. perf 7.2 tells it by its size of two words: arm-spe.c:
 * arm_spe__alloc_metadata. */
static const struct pc_case spe_third_word[] = { { 0, UINT64_MAX, SPE_V2 }, { 1, 0, SPE_V1 }, { 0, 0, 0 } };
static const struct pc_field trace_spe_v1[] = { WORD(pmu_type), WORD(per_cpu_mmaps), END };
static const struct pc_field trace_spe_v2[] = {
    U64(header_version),
    U64(header_size),
    U64(pmu_type),
    U64(nr_cpus, .save = PC_SLOT_A, SHAPE_DIAG(AUXTRACE_INFO_SHORT)),
    REPEAT(cpus, PC_SLOT_A, trace_etm_cpu, SHAPE_DIAG(AUXTRACE_INFO_SHORT)),
    END,
};
static const struct pc_field trace_spe[] = {
    PC_ROW("pmu_type", PC_PEEK, .width = 8, .arg = 16, .cases = spe_third_word, .flags = PC_IF_FITS),
    SUB(NULL, trace_spe_v1, .when = SPE_V1),
    SUB(NULL, trace_spe_v2, .when = SPE_V2),
    END,
};
static const struct pc_field trace_one[] = { WORD(pmu_type), END };
static const struct pc_name trace_names[] = {
    { 1, "INTEL_PT" },    { 2, "INTEL_BTS" }, { 3, "CS_ETM" },  { 4, "ARM_SPE" },
    { 5, "S390_CPUMSF" }, { 6, "HISI_PTT" },  { 7, "VPA_DTL" }, { 0, NULL },
};
static const struct pc_field auxtrace_info_fields[] = {
    U32(type, .cases = trace_cases, .save = PC_REC_TYPE, .names = trace_names),
    ZERO(reserved, 4, RESERVED),
    SUB("priv", trace_pt, .when = TRACE_PT),
    SUB("priv", trace_bts, .when = TRACE_BTS),
    SUB("priv", trace_etm, .when = TRACE_ETM),
    SUB("priv", trace_spe, .when = TRACE_SPE),
    SUB("priv", trace_one, .when = TRACE_ONE),
    PC_ROW("more", PC_UNTIL_END, .sub = u64_element),
    END,
};

static const struct pc_field auxtrace_fields[] = {
    U64(size, .save = PC_REC_SIZE),
    X64(offset),
    X64(reference),
    U32(idx, .save = PC_REC_IDX),
    U32(tid, .save = PC_REC_TID),
    U32(cpu, .save = PC_SLOT_CPU),
    ZERO(reserved, 4, RESERVED),
    END,
};

#define ERROR_FMT_0 PC_DYNAMIC(0)
#define ERROR_FMT_1 PC_DYNAMIC(1)
#define ERROR_FMT_2 PC_DYNAMIC(2)
static const struct pc_case error_cases[] = {
    { 0, 0, ERROR_FMT_0 }, { 1, 1, ERROR_FMT_1 }, { 2, UINT64_MAX, ERROR_FMT_2 }, { 0, 0, 0 }
};
static const struct pc_field auxtrace_error_fields[] = {
    U32(type),
    U32(code),
    U32(cpu),
    U32(pid),
    U32(tid),
    U32(fmt, .cases = error_cases, .save = PC_REC_TYPE, RULE(MAX, 2, AUXTRACE_ERROR_FMT)),
    X64(ip),
    U64(time, .when = ERROR_FMT_1 | ERROR_FMT_2),
    CSTR(msg, .when = ERROR_FMT_0 | ERROR_FMT_1, .flags = PC_UNPADDED | PC_MAY_BE_EMPTY,
         SHAPE_DIAG(AUXTRACE_ERROR_MSG)),
    PC_ROW("msg", PC_TEXT, .arg = 64, .when = ERROR_FMT_2, SHAPE_DIAG(AUXTRACE_ERROR_SHORT),
           .rule = PC_RULE_NUL, .rule_diag = PC_D_AUXTRACE_ERROR_MSG),
    U32(machine_pid, .when = ERROR_FMT_2, SHAPE_DIAG(AUXTRACE_ERROR_SHORT)),
    U32(vcpu, .when = ERROR_FMT_2, SHAPE_DIAG(AUXTRACE_ERROR_SHORT)),
    END,
};

static const struct pc_field thread_map_entry[] = {
    U64(pid, .show = PC_AS_SIGNED),
    PC_ROW("comm", PC_TEXT, .arg = 16, .rule = PC_RULE_NUL, .rule_diag = PC_D_THREAD_MAP_COMM),
    END,
};
static const struct pc_field thread_map_fields[] = {
    U64(nr, .save = PC_REC_NR),
    REPEAT(entries, PC_REC_NR, thread_map_entry, SHAPE_DIAG(THREAD_MAP_NR)),
    END,
};

static const struct pc_field cpu_map_fields[] = { SUB(NULL, cpu_map_data), END };

static const struct pc_name stat_tag_names[] = {
    { 0, "AGGR_MODE" }, { 1, "INTERVAL" }, { 2, "SCALE" }, { 3, "AGGR_LEVEL" }, { 0, NULL }
};
static const struct pc_field stat_config_entry[] = {
    U64(tag, RULE(MAX, 3, STAT_CONFIG_TAG), .twice_diag = PC_D_STAT_CONFIG_TWICE, .names = stat_tag_names),
    U64(val),
    END,
};
static const struct pc_field stat_config_fields[] = {
    U64(nr, .save = PC_SLOT_A),
    REPEAT(entries, PC_SLOT_A, stat_config_entry, SHAPE_DIAG(STAT_CONFIG_NR)),
    END,
};

static const struct pc_field stat_fields[] = {
    U64(id, .save = PC_SLOT_ID),
    U32(cpu, .save = PC_SLOT_CPU),
    U32(thread, .save = PC_REC_THREAD),
    U64(val),
    U64(ena),
    U64(run),
    END,
};

static const struct pc_name stat_round_names[] = { { 0, "INTERVAL" }, { 1, "FINAL" }, { 0, NULL } };
static const struct pc_field stat_round_fields[] = {
    U64(type, RULE(MAX, 1, STAT_ROUND_TYPE), .names = stat_round_names), U64(time), END
};

#define UPDATE_TEXT  PC_DYNAMIC(5)
#define UPDATE_SCALE PC_DYNAMIC(6)
#define UPDATE_CPUS  PC_DYNAMIC(7)
static const struct pc_case update_cases[] = {
    { 0, 0, UPDATE_TEXT }, { 1, 1, UPDATE_SCALE }, { 2, 2, UPDATE_TEXT }, { 3, 3, UPDATE_CPUS }, { 0, 0, 0 },
};
static const struct pc_name update_names[] = {
    { 0, "UNIT" }, { 1, "SCALE" }, { 2, "NAME" }, { 3, "CPUS" }, { 0, NULL }
};
static const struct pc_field event_update_fields[] = {
    U64(type, .cases = update_cases, .save = PC_REC_TYPE, RULE(MAX, 3, EVENT_UPDATE_TYPE),
        .names = update_names),
    U64(id, .save = PC_SLOT_ID),
    CSTR(text, .when = UPDATE_TEXT, .flags = PC_UNPADDED | PC_MAY_BE_EMPTY, SHAPE_DIAG(EVENT_UPDATE_TEXT)),
    U64(scale, .when = UPDATE_SCALE, .show = PC_AS_DOUBLE, SHAPE_DIAG(EVENT_UPDATE_CUT),
        RULE(FINITE, 0, EVENT_UPDATE_SCALE)),
    PC_ROW("padding", PC_REST, .when = UPDATE_SCALE, .rule = PC_RULE_ZEROS,
           .rule_diag = PC_D_USER_TEXT_PADDING),
    SUB("cpus", cpu_map_data, .when = UPDATE_CPUS),
    PC_ROW("unknown", PC_REST, .flags = PC_UNKNOWN),
    END,
};

static const struct pc_field time_conv_fields[] = {
    U64(time_shift, RULE(MAX, 63, TIME_CONV_VALUE)),
    U64(time_mult, .save = PC_REC_SHIFT),
    U64(time_zero),
    U64(time_cycles, .flags = PC_OPTIONAL),
    X64(time_mask, .flags = PC_OPTIONAL),
    U8(cap_user_time_zero, .flags = PC_OPTIONAL, .save = PC_REC_START, RULE(MAX, 1, TIME_CONV_VALUE)),
    U8(cap_user_time_short, .flags = PC_OPTIONAL, RULE(MAX, 1, TIME_CONV_VALUE)),
    PC_ROW("reserved", PC_BYTES, .arg = 6, .flags = PC_OPTIONAL, .rule = PC_RULE_ZEROS,
           .rule_diag = PC_D_RESERVED),
    END,
};

/* The payload behind the id is that of the feature; see features.c. */
static const struct pc_field header_feature_fields[] = { U64(feat_id, .save = PC_REC_FEATURE), END };

static const struct pc_field compressed_fields[] = { PC_ROW("data", PC_REST, .save = PC_REC_RAW), END };

static const struct pc_field compressed2_fields[] = {
    U64(data_size, .save = PC_SLOT_A),
    PC_ROW("data", PC_BYTES, .count = PC_SLOT_A, .save = PC_REC_RAW, SHAPE_DIAG(COMPRESSED2_SIZE)),
    PC_ROW("padding", PC_REST),
    END,
};

static const struct pc_field size_wrapped_fields[] = {
    U64(data_size, .save = PC_SLOT_A),
    PC_ROW("data", PC_REST, .save = PC_REC_RAW),
    END,
};

static const struct pc_field bpf_metadata_entry[] = {
    PC_ROW("key", PC_TEXT, .arg = 64, .rule = PC_RULE_NUL, .rule_diag = PC_D_BPF_METADATA_TEXT),
    PC_ROW("value", PC_TEXT, .arg = 256, .rule = PC_RULE_NUL, .rule_diag = PC_D_BPF_METADATA_TEXT),
    END,
};
static const struct pc_field bpf_metadata_fields[] = {
    PC_ROW("prog_name", PC_TEXT, .arg = 512, .rule = PC_RULE_NUL, .rule_diag = PC_D_BPF_METADATA_TEXT),
    U64(nr_entries, .save = PC_SLOT_A),
    REPEAT(entries, PC_SLOT_A, bpf_metadata_entry, SHAPE_DIAG(BPF_METADATA_NR)),
    PC_ROW("id_area", PC_REST, .save = PC_REC_LEN, .rule = PC_RULE_ZEROS,
           .rule_diag = PC_D_USER_TEXT_PADDING),
    END,
};

/* include/linux/sched/topology.h counters as /proc/schedstat shows them, versions 15 to 17 */
#define SCHED_15 PC_DYNAMIC(0)
#define SCHED_16 PC_DYNAMIC(1)
#define SCHED_17 PC_DYNAMIC(2)
static const struct pc_case sched_cases[] = {
    { 15, 15, SCHED_15 }, { 16, 16, SCHED_16 }, { 17, 17, SCHED_17 }, { 0, 0, 0 }
};
static const struct pc_field schedstat_cpu_fields[] = {
    U64(timestamp),
    U32(cpu),
    U16(version, .cases = sched_cases, RULE(CASE, 0, SCHEDSTAT_VERSION)),
    ZERO(pad, 2, RESERVED),
    U32(yld_count),
    U32(array_exp),
    U32(sched_count),
    U32(sched_goidle),
    U32(ttwu_count),
    U32(ttwu_local),
    U64(rq_cpu_time),
    U64(run_delay),
    U64(pcount),
    END,
};
static const struct pc_field balance_8[] = {
    U32(count),   U32(balanced), U32(failed), U32(imbalance), U32(gained), U32(hot_gained),
    U32(nobusyq), U32(nobusyg),  END,
};
static const struct pc_field balance_11[] = {
    U32(count),          U32(balanced),       U32(failed),           U32(imbalance_load),
    U32(imbalance_util), U32(imbalance_task), U32(imbalance_misfit), U32(gained),
    U32(hot_gained),     U32(nobusyq),        U32(nobusyg),          END,
};
static const struct pc_field active_balance[] = { U32(count), U32(failed), U32(pushed), END };
static const struct pc_field other_balance[] = { U32(count), U32(balanced), U32(pushed), END };
static const struct pc_field wake_ups[] = { U32(wake_remote), U32(move_affine), U32(move_balance), END };
static const struct pc_field schedstat_domain_fields[] = {
    U64(timestamp),
    U32(cpu),
    U16(version, .cases = sched_cases, RULE(CASE, 0, SCHEDSTAT_VERSION)),
    U16(domain),
    SUB("idle", balance_8, .when = SCHED_15),
    SUB("busy", balance_8, .when = SCHED_15 | SCHED_16),
    SUB("idle", balance_8, .when = SCHED_16),
    SUB("newidle", balance_8, .when = SCHED_15 | SCHED_16),
    SUB("busy", balance_11, .when = SCHED_17),
    SUB("idle", balance_11, .when = SCHED_17),
    SUB("newidle", balance_11, .when = SCHED_17),
    SUB("alb", active_balance, .when = SCHED_15 | SCHED_16 | SCHED_17),
    SUB("sbe", other_balance, .when = SCHED_15 | SCHED_16 | SCHED_17),
    SUB("sbf", other_balance, .when = SCHED_15 | SCHED_16 | SCHED_17),
    SUB("ttwu", wake_ups, .when = SCHED_15 | SCHED_16 | SCHED_17),
    /* The record has room for the largest version. */
    PC_ROW("padding", PC_REST, .when = SCHED_15 | SCHED_16 | SCHED_17, .flags = PC_PADDING),
    PC_ROW("unknown", PC_REST, .flags = PC_UNKNOWN),
    END,
};

/* --- the rows --- */

#define MODE PC_MISC_CPUMODE

const struct pc_name pc_cpumode_names[] = {
    { 0, "UNKNOWN" },      { 1, "KERNEL" },     { 2, "USER" }, { 3, "HYPERVISOR" },
    { 4, "GUEST_KERNEL" }, { 5, "GUEST_USER" }, { 0, NULL },
};
static const struct pc_name mmap_misc[] = { { 0x2000, "MMAP_DATA" },
                                            { PC_MISC_MMAP_BUILD_ID, "MMAP_BUILD_ID" },
                                            { 0, NULL } };
static const struct pc_name mmap2_misc[] = { { 0x1000, "PROC_MAP_PARSE_TIMEOUT" },
                                             { 0x2000, "MMAP_DATA" },
                                             { PC_MISC_MMAP_BUILD_ID, "MMAP_BUILD_ID" },
                                             { 0, NULL } };
static const struct pc_name comm_misc[] = { { 0x2000, "COMM_EXEC" }, { 0, NULL } };
static const struct pc_name fork_misc[] = { { 0x2000, "FORK_EXEC" }, { 0, NULL } };
static const struct pc_name sample_misc[] = { { PC_MISC_EXACT_IP, "EXACT_IP" }, { 0, NULL } };
static const struct pc_name lost_samples_misc[] = { { 0x8000, "LOST_SAMPLES_BPF" }, { 0, NULL } };
static const struct pc_name switch_misc[] = { { PC_MISC_SWITCH_OUT, "SWITCH_OUT" },
                                              { PC_MISC_SWITCH_PREEMPT, "SWITCH_OUT_PREEMPT" },
                                              { 0, NULL } };
static const struct pc_name build_id_misc[] = { { PC_MISC_BUILD_ID_SIZE, "BUILD_ID_SIZE" }, { 0, NULL } };

/* KERNEL(TYPE, fields, least size, further members): the row of PC_TYPE. USER: the same. */
#define INFO(type, table, least, ...)                                                                        \
    {                                                                                                        \
        .name = #type, .fields = table, .min = least, __VA_ARGS__                                            \
    }
#define KERNEL(type, ...) [PC_##type] = INFO(type, __VA_ARGS__)
#define USER(type, ...)   [PC_##type - PC_USER_TYPES] = INFO(type, __VA_ARGS__)

static const struct pc_record_info kernel_rows[] = {
    KERNEL(MMAP, mmap_fields, 41, .misc = 0x2000 | 0x4000 | MODE, .misc_names = mmap_misc,
           .flags = PC_HAS_CPUMODE | PC_SYNTHESIZED),
    KERNEL(LOST, lost_fields, 24),
    KERNEL(COMM, comm_fields, 17, .misc = 0x2000, .misc_names = comm_misc, .flags = PC_SYNTHESIZED),
    KERNEL(EXIT, task_fields, 32),
    KERNEL(THROTTLE, throttle_fields, 32),
    KERNEL(UNTHROTTLE, throttle_fields, 32),
    KERNEL(FORK, task_fields, 32, .misc = 0x2000, .misc_names = fork_misc, .flags = PC_SYNTHESIZED),
    KERNEL(READ, read_fields, 24, .short_diag = PC_D_READ_LAYOUT, .count_diag = PC_D_READ_NR,
           .excess_diag = PC_D_READ_EXCESS),
    KERNEL(SAMPLE, sample_fields, 8, .misc = PC_MISC_EXACT_IP | MODE, .misc_names = sample_misc,
           .flags = PC_HAS_CPUMODE | PC_NEEDS_MODE, .short_diag = PC_D_SAMPLE_FIELD_CUT,
           .count_diag = PC_D_SAMPLE_READ, .excess_diag = PC_D_SAMPLE_EXCESS),
    KERNEL(MMAP2, mmap2_fields, 73, .misc = 0x1000 | 0x2000 | PC_MISC_MMAP_BUILD_ID | MODE,
           .misc_names = mmap2_misc, .flags = PC_HAS_CPUMODE | PC_SYNTHESIZED),
    KERNEL(AUX, aux_fields, 32),
    KERNEL(ITRACE_START, pid_tid_fields, 16),
    KERNEL(LOST_SAMPLES, lost_samples_fields, 16, .misc = 0x8000, .misc_names = lost_samples_misc),
    KERNEL(SWITCH, no_fields, 8, .misc = 0x6000, .misc_names = switch_misc),
    KERNEL(SWITCH_CPU_WIDE, switch_cpu_wide_fields, 16, .misc = 0x6000, .misc_names = switch_misc),
    KERNEL(NAMESPACES, namespaces_fields, 24, .flags = PC_SYNTHESIZED),
    KERNEL(KSYMBOL, ksymbol_fields, 25, .flags = PC_SYNTHESIZED),
    KERNEL(BPF_EVENT, bpf_event_fields, 24, .flags = PC_SYNTHESIZED, .excess_diag = PC_D_RECORD_GROWN),
    KERNEL(CGROUP, cgroup_fields, 17, .flags = PC_SYNTHESIZED),
    KERNEL(TEXT_POKE, text_poke_fields, 24, .misc = MODE, .flags = PC_HAS_CPUMODE),
    KERNEL(AUX_OUTPUT_HW_ID, aux_output_hw_id_fields, 16),
    KERNEL(CALLCHAIN_DEFERRED, callchain_deferred_fields, 24, .misc = MODE, .flags = PC_HAS_CPUMODE),
};

static const struct pc_record_info user_rows[] = {
    USER(HEADER_ATTR, header_attr_fields, 72, .misc = 0xffff, .flags = PC_OF_CONTAINER),
    USER(HEADER_EVENT_TYPE, header_event_type_fields, 16, .misc = 0xffff,
         .flags = PC_HEADER_ONLY_IN_PIPE | PC_OF_CONTAINER),
    USER(HEADER_TRACING_DATA, header_tracing_data_fields, 12, .misc = 0xffff,
         .flags = PC_ANY_SIZE | PC_HEADER_ONLY_IN_PIPE | PC_OF_CONTAINER | PC_HAS_PAYLOAD),
    USER(HEADER_BUILD_ID, header_build_id_fields, 36, .misc = 0x8000 | MODE, .misc_names = build_id_misc,
         .flags = PC_HEADER_ONLY_IN_PIPE | PC_OF_CONTAINER),
    USER(FINISHED_ROUND, no_fields, 8, .flags = PC_ENDS_SETUP, .excess_diag = PC_D_FINISHED_SIZE),
    USER(ID_INDEX, id_index_fields, 16, .excess_diag = PC_D_ID_INDEX_SIZE),
    USER(AUXTRACE_INFO, auxtrace_info_fields, 16, .flags = PC_OF_AUX_TRACE),
    USER(AUXTRACE, auxtrace_fields, 48, .flags = PC_OF_AUX_TRACE | PC_HAS_PAYLOAD),
    USER(AUXTRACE_ERROR, auxtrace_error_fields, 49),
    USER(THREAD_MAP, thread_map_fields, 16),
    USER(CPU_MAP, cpu_map_fields, 16),
    USER(STAT_CONFIG, stat_config_fields, 16, .flags = PC_OF_STAT),
    USER(STAT, stat_fields, 48, .flags = PC_OF_STAT),
    USER(STAT_ROUND, stat_round_fields, 24, .flags = PC_OF_STAT),
    USER(EVENT_UPDATE, event_update_fields, 24),
    USER(TIME_CONV, time_conv_fields, 32, .excess_diag = PC_D_TIME_CONV_SIZE),
    USER(HEADER_FEATURE, header_feature_fields, 16,
         .flags = PC_ANY_SIZE | PC_HEADER_ONLY_IN_PIPE | PC_OF_CONTAINER),
    USER(COMPRESSED, compressed_fields, 8, .flags = PC_ANY_SIZE | PC_OF_CONTAINER | PC_HOLDS_RECORDS),
    USER(FINISHED_INIT, no_fields, 8, .flags = PC_ENDS_SETUP, .excess_diag = PC_D_FINISHED_SIZE),
    USER(COMPRESSED2, compressed2_fields, 16, .flags = PC_OF_CONTAINER | PC_HOLDS_RECORDS),
    USER(BPF_METADATA, bpf_metadata_fields, 528),
    USER(SCHEDSTAT_CPU, schedstat_cpu_fields, 24, .short_diag = PC_D_SCHEDSTAT_CUT),
    USER(SCHEDSTAT_DOMAIN, schedstat_domain_fields, 24, .short_diag = PC_D_SCHEDSTAT_CUT),
};

const struct pc_record_info pc_size_wrapped_info = { .name = "COMPRESSED2",
                                                     .fields = size_wrapped_fields,
                                                     .min = 16,
                                                     .flags =
                                                         PC_ANY_SIZE | PC_OF_CONTAINER | PC_HOLDS_RECORDS };

const struct pc_record_info *pc_record_info(uint32_t type)
{
    static_assert(PC_COUNT_OF(kernel_rows) <= PC_USER_TYPES &&
                      PC_COUNT_OF(user_rows) <= PC_TYPES - PC_USER_TYPES,
                  "counters and plans have room for every type");
    const struct pc_record_info *info = NULL;
    if (type < PC_COUNT_OF(kernel_rows))
        info = &kernel_rows[type];
    else if (type >= PC_USER_TYPES && type - PC_USER_TYPES < PC_COUNT_OF(user_rows))
        info = &user_rows[type - PC_USER_TYPES];
    return info && info->name ? info : NULL;
}

struct pc_layout pc_record_layout(const struct pc_layout *attr, uint32_t type, uint16_t misc, bool mmap2_old)
{
    struct pc_layout layout = { 0 };
    if (attr && pc_is_kernel_type(type))
        layout = *attr;
    if (type == PC_SAMPLE)
        layout.mask &= ~PC_LAYOUT_SAMPLE_ID;
    if (type == PC_MMAP2) {
        layout.mask |= misc & PC_MISC_MMAP_BUILD_ID ? PC_LAYOUT_BUILD_ID : PC_LAYOUT_INODE;
        if (!mmap2_old || (misc & PC_MISC_MMAP_BUILD_ID)) /* which no kernel before 5.12 wrote */
            layout.mask |= PC_LAYOUT_PROT;
    }
    return layout;
}

bool pc_walk_record(struct pc_walk *walk, const struct pc_record_info *info, size_t *excess)
{
    struct pc_cursor *record = walk->c, body;
    size_t trailer = pc_sample_id_size(walk->mask);
    static const struct pc_field tail[] = { SUB("sample_id", pc_sample_id), END };

    *excess = 0;
    if (trailer > pc_left(record))
        return false;
    pc_narrow(record, pc_left(record) - trailer, &body);
    walk->c = &body;
    bool sound = pc_walk_table(walk, info->fields);
    walk->c = record;
    if (!sound)
        return false;
    *excess = pc_left(&body);
    record->pos = body.in.len;
    return trailer == 0 || pc_walk_table(walk, tail);
}

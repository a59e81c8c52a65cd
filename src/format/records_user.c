/* SPDX-License-Identifier: MIT
 *
 * records_user.c: the records that perf makes up, as tables. Layouts: tools/lib/perf/include/perf/event.h. To
 * add a type: its fields, then its row at the end.
 */
#include "format/attr.h"
#include "format/records.h"
#include "format/rows.h"

static const struct pc_field u64_element[] = { PC_ROW(NULL, PC_UINT, .width = 8), END };
static const struct pc_field no_fields[] = { END };

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
    PC_ROW("build_id", PC_BYTES, .arg = PC_BUILD_ID_MAX, .save = PC_REC_BUILD_ID),
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

/* The words after type and reserved: tools/perf/util/{intel-pt,intel-bts,cs-etm,arm-spe}.h. Each decoder
 * asks for a number of them; later revisions appended more. */
#define TRACE_PT  PC_DYNAMIC(0)
#define TRACE_BTS PC_DYNAMIC(1)
#define TRACE_ETM PC_DYNAMIC(2)
#define TRACE_SPE PC_DYNAMIC(3)
#define TRACE_ONE PC_DYNAMIC(4)
#define ETM_V1    PC_DYNAMIC(5)
#define SPE_V2    PC_DYNAMIC(6)
#define SPE_V1    PC_DYNAMIC(7)
#define ETM_CPU   PC_DYNAMIC(8)
static const struct pc_case trace_cases[] = {
    CASE(PC_TRACE_INTEL_PT, TRACE_PT),
    CASE(PC_TRACE_INTEL_BTS, TRACE_BTS),
    CASE(PC_TRACE_CS_ETM, TRACE_ETM),
    CASE(PC_TRACE_ARM_SPE, TRACE_SPE | SPE_V1),
    CASES(PC_TRACE_HISI_PTT, PC_TRACE_VPA_DTL, TRACE_ONE),
    END_OF_CASES,
};
#define WORD(n) U64(n, SHAPE_DIAG(AUXTRACE_INFO_SHORT))
#define COUNTED SHAPE_DIAG(AUXTRACE_INFO_SHORT), .flags = PC_TOLD_IN_BYTES
#define MORE(n) U64(n, .flags = PC_OPTIONAL)
static const struct pc_field trace_pt[] = {
    U64(pmu_type, SHAPE_DIAG(AUXTRACE_INFO_SHORT), .save = PC_REC_TRACE_PMU),
    U64(time_shift, SHAPE_DIAG(AUXTRACE_INFO_SHORT), .save = PC_REC_TICKS),
    U64(time_mult, SHAPE_DIAG(AUXTRACE_INFO_SHORT), .save = PC_REC_SHIFT),
    WORD(time_zero),
    U64(cap_user_time_zero, SHAPE_DIAG(AUXTRACE_INFO_SHORT), .save = PC_REC_START),
    U64(tsc_bit, SHAPE_DIAG(AUXTRACE_INFO_SHORT), .save = PC_REC_TSC_BIT),
    WORD(noretcomp_bit),
    WORD(have_sched_switch),
    WORD(snapshot_mode),
    WORD(per_cpu_mmaps),
    MORE(mtc_bit),
    MORE(mtc_freq_bits),
    MORE(tsc_ctc_n),
    MORE(tsc_ctc_d),
    MORE(cyc_bit),
    U64(max_nonturbo_ratio, .flags = PC_OPTIONAL, .save = PC_REC_RATIO),
    U64(filter_str_len, .flags = PC_OPTIONAL, .save = PC_SLOT_A, .as = PC_AS_TEXT),
    PC_ROW("filter", PC_TEXT, .count = PC_SLOT_A, SHAPE_DIAG(AUXTRACE_FILTER), RULE(NUL, 0, AUXTRACE_FILTER)),
    MORE(event_trace),
    END,
};
static const struct pc_field trace_bts[] = {
    WORD(pmu_type),
    WORD(time_shift),
    U64(time_mult, SHAPE_DIAG(AUXTRACE_INFO_SHORT), .save = PC_REC_SHIFT),
    WORD(time_zero),
    U64(cap_user_time_zero, SHAPE_DIAG(AUXTRACE_INFO_SHORT), .save = PC_REC_START),
    WORD(snapshot_mode),
    END,
};
static const struct pc_field trace_cpu[] = {
    U64(cpu, SHAPE_DIAG(AUXTRACE_INFO_SHORT), RULE(MAX, PC_CPU_MAX, AUXTRACE_CPU)),
    U64(nr_params, .save = PC_SLOT_B, SHAPE_DIAG(AUXTRACE_INFO_SHORT)),
    REPEAT(params, PC_SLOT_B, u64_element, COUNTED),
    END,
};
static const struct pc_case etm_cases[] = { CASES(1, UINT64_MAX, ETM_V1), END_OF_CASES };
static const struct pc_case etm_magics[] = {
    CASE(PC_ETM_V4, ETM_CPU),
    CASE(PC_ETM_V3, ETM_CPU),
    CASE(PC_ETM_ETE, ETM_CPU),
    END_OF_CASES,
};
static const struct pc_field trace_etm_cpu[] = {
    X64(magic, .save = PC_REC_ETM_MAGIC, .cases = etm_magics, SHAPE_DIAG(AUXTRACE_INFO_SHORT),
        RULE(CASE, 0, AUXTRACE_ETM)),
    SUB(NULL, trace_cpu),
    END,
};
static const struct pc_field trace_etm[] = {
    U64(header_version, .cases = etm_cases, .save = PC_REC_ETM_VERSION, SHAPE_DIAG(AUXTRACE_INFO_SHORT),
        RULE(MAX, 1, AUXTRACE_ETM)),
    U64(pmu_type_and_nr_cpus, .save = PC_SLOT_A, .as = PC_AS_LOW32, SHAPE_DIAG(AUXTRACE_INFO_SHORT)),
    WORD(snapshot),
    REPEAT(cpus, PC_SLOT_A, trace_etm_cpu, .when = ETM_V1, COUNTED),
    PC_ROW("more", PC_PEEK, .width = 8, .when = ETM_V1, .save = PC_REC_ETM_MORE, .flags = PC_IF_FITS),
    END,
};
/* The first version is not one of its words. perf 7.2 tells it by its size of two words: arm-spe.c:
 * arm_spe__alloc_metadata. */
static const struct pc_case spe_third_word[] = { CASES(0, UINT64_MAX, SPE_V2), CASES(1, 0, SPE_V1),
                                                 END_OF_CASES };
static const struct pc_field trace_spe_cpu[] = { X64(magic, SHAPE_DIAG(AUXTRACE_INFO_SHORT)),
                                                 SUB(NULL, trace_cpu), END };
static const struct pc_field trace_spe_v1[] = { WORD(pmu_type), WORD(per_cpu_mmaps), END };
static const struct pc_field trace_spe_v2[] = {
    U64(header_version),
    U64(header_size, RULE(IS, 4, AUXTRACE_HEADER_SIZE)),
    U64(pmu_type),
    U64(nr_cpus, .save = PC_SLOT_A, SHAPE_DIAG(AUXTRACE_INFO_SHORT)),
    REPEAT(cpus, PC_SLOT_A, trace_spe_cpu, COUNTED),
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
    { PC_TRACE_INTEL_PT, "INTEL_PT" },       { PC_TRACE_INTEL_BTS, "INTEL_BTS" },
    { PC_TRACE_CS_ETM, "CS_ETM" },           { PC_TRACE_ARM_SPE, "ARM_SPE" },
    { PC_TRACE_S390_CPUMSF, "S390_CPUMSF" }, { PC_TRACE_HISI_PTT, "HISI_PTT" },
    { PC_TRACE_VPA_DTL, "VPA_DTL" },         { 0, NULL },
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
    X64(offset, .save = PC_REC_TRACE_AT),
    X64(reference, .save = PC_REC_REFERENCE),
    U32(idx, .save = PC_REC_IDX, RULE(MAX, 1048575, AUXTRACE_IDX)),
    U32(tid, .save = PC_REC_TID),
    U32(cpu, .save = PC_SLOT_CPU),
    ZERO(reserved, 4, RESERVED),
    END,
};

#define ERROR_FMT_0 PC_DYNAMIC(0)
#define ERROR_FMT_1 PC_DYNAMIC(1)
#define ERROR_FMT_2 PC_DYNAMIC(2)
static const struct pc_case error_cases[] = { CASE(0, ERROR_FMT_0), CASE(1, ERROR_FMT_1),
                                              CASES(2, UINT64_MAX, ERROR_FMT_2), END_OF_CASES };
#define OF_FORMAT_2 .when = ERROR_FMT_2, SHAPE_DIAG(AUXTRACE_ERROR_SHORT), .flags = PC_ABOUT_SIZE
static const struct pc_field auxtrace_error_fields[] = {
    U32(type, RULE(MAX, INT32_MAX, AUXTRACE_ERROR_TYPE)),
    U32(code),
    U32(cpu),
    U32(pid),
    U32(tid),
    U32(fmt, .cases = error_cases, .save = PC_REC_TYPE, RULE(MAX, 2, AUXTRACE_ERROR_FMT)),
    X64(ip),
    U64(time, .when = ERROR_FMT_1 | ERROR_FMT_2),
    CSTR(msg, .when = ERROR_FMT_0 | ERROR_FMT_1, .flags = PC_UNPADDED | PC_MAY_BE_EMPTY,
         SHAPE_DIAG(AUXTRACE_ERROR_MSG)),
    PC_ROW("msg", PC_TEXT, .arg = 64, OF_FORMAT_2, .rule = PC_RULE_NUL, .rule_diag = PC_D_AUXTRACE_ERROR_MSG),
    U32(machine_pid, OF_FORMAT_2),
    U32(vcpu, OF_FORMAT_2),
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

/* tools/lib/perf/include/perf/event.h: struct perf_record_cpu_map_data */
#define MAP_CPUS   PC_DYNAMIC(0)
#define MAP_MASK   PC_DYNAMIC(1)
#define MAP_RANGE  PC_DYNAMIC(2)
#define MAP_MASK_4 PC_DYNAMIC(3)
#define MAP_MASK_8 PC_DYNAMIC(4)

static const struct pc_case map_cases[] = { CASE(PC_MAP_CPUS, MAP_CPUS), CASE(PC_MAP_MASK, MAP_MASK),
                                            CASE(PC_MAP_RANGE, MAP_RANGE), END_OF_CASES };
static const struct pc_case long_size_cases[] = { CASE(4, MAP_MASK_4), CASE(8, MAP_MASK_8), END_OF_CASES };
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
    U8(any_cpu, .save = PC_REC_MAP_ANY, RULE(MAX, 1, CPU_MAP_ANY)),
    ZERO(pad, 1, RESERVED),
    U16(start_cpu, .save = PC_REC_START, RULE(MAX, PC_CPU_MAX, CPU_MAP_VALUE)),
    U16(end_cpu, .save = PC_REC_LEN, RULE(MAX, PC_CPU_MAX, CPU_MAP_VALUE)),
    END,
};
static const struct pc_name map_type_names[] = {
    { PC_MAP_CPUS, "CPUS" }, { PC_MAP_MASK, "MASK" }, { PC_MAP_RANGE, "RANGE_CPUS" }, { 0, NULL }
};
static const struct pc_field cpu_map_data[] = {
    U16(type, .cases = map_cases, .save = PC_REC_MAP, RULE(MAX, PC_MAP_RANGE, CPU_MAP_TYPE),
        SHAPE_DIAG(EVENT_UPDATE_CUT), .names = map_type_names),
    SUB(NULL, map_list, .when = MAP_CPUS),
    SUB(NULL, map_mask, .when = MAP_MASK),
    SUB(NULL, map_range, .when = MAP_RANGE),
    PC_ROW("padding", PC_REST, .when = MAP_CPUS | MAP_RANGE | MAP_MASK_4 | MAP_MASK_8, .rule = PC_RULE_ZEROS,
           .rule_diag = PC_D_CPU_MAP_PADDING, .save = PC_REC_RAW),
    PC_ROW("unknown", PC_REST, .flags = PC_UNKNOWN),
    END,
};

static const struct pc_field cpu_map_fields[] = { SUB(NULL, cpu_map_data), END };

static const struct pc_name stat_tag_names[] = {
    { 0, "AGGR_MODE" }, { 1, "INTERVAL" }, { PC_STAT_SCALE, "SCALE" }, { PC_STAT_AGGR_LEVEL, "AGGR_LEVEL" },
    { 0, NULL },
};
static const struct pc_field stat_config_entry[] = {
    U64(tag, .save = PC_REC_TYPE, RULE(MAX, PC_STAT_AGGR_LEVEL, STAT_CONFIG_TAG),
        .twice_diag = PC_D_STAT_CONFIG_TWICE, .names = stat_tag_names),
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
    U64(ena, .save = PC_REC_ENABLED),
    U64(run, .save = PC_REC_RUNNING, RULE(MAX_SLOT, PC_REC_ENABLED, STAT_RUN)),
    END,
};

static const struct pc_name stat_round_names[] = { { 0, "INTERVAL" }, { 1, "FINAL" }, { 0, NULL } };
static const struct pc_field stat_round_fields[] = {
    U64(type, RULE(MAX, 1, STAT_ROUND_TYPE), .names = stat_round_names),
    U64(time, RULE(NONZERO, 0, STAT_ROUND_TIME)),
    END,
};

#define UPDATE_TEXT  PC_DYNAMIC(5)
#define UPDATE_SCALE PC_DYNAMIC(6)
#define UPDATE_CPUS  PC_DYNAMIC(7)
static const struct pc_case update_cases[] = {
    CASE(PC_UPDATE_UNIT, UPDATE_TEXT),
    CASE(PC_UPDATE_SCALE, UPDATE_SCALE),
    CASE(PC_UPDATE_NAME, UPDATE_TEXT),
    CASE(PC_UPDATE_CPUS, UPDATE_CPUS),
    END_OF_CASES,
};
static const struct pc_name update_names[] = { { PC_UPDATE_UNIT, "UNIT" },
                                               { PC_UPDATE_SCALE, "SCALE" },
                                               { PC_UPDATE_NAME, "NAME" },
                                               { PC_UPDATE_CPUS, "CPUS" },
                                               { 0, NULL } };
static const struct pc_field event_update_fields[] = {
    U64(type, .cases = update_cases, .save = PC_REC_TYPE, RULE(MAX, PC_UPDATE_CPUS, EVENT_UPDATE_TYPE),
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

/* The payload after the id is that of the feature; see features.c. */
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
static const struct pc_case sched_cases[] = { CASE(15, SCHED_15), CASE(16, SCHED_16), CASE(17, SCHED_17),
                                              END_OF_CASES };
static const struct pc_field schedstat_cpu_fields[] = {
    U64(timestamp),
    U32(cpu, .save = PC_SLOT_CPU),
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

static const struct pc_name build_id_misc[] = { { PC_MISC_BUILD_ID_SIZE, "BUILD_ID_SIZE" }, { 0, NULL } };

/* USER(TYPE, fields, least size, further members): the row of PC_TYPE. */
#define USER(type, ...) [PC_##type - PC_USER_TYPES] = RECORD(type, __VA_ARGS__)
#define MODE            PC_MISC_CPUMODE

const struct pc_record_info pc_user_records[PC_TYPES - PC_USER_TYPES] = {
    USER(HEADER_ATTR, header_attr_fields, 72, .misc = 0xffff, .flags = PC_OF_CONTAINER | PC_MENDED),
    USER(HEADER_EVENT_TYPE, header_event_type_fields, 16, .misc = 0xffff,
         .flags = PC_HEADER_ONLY_IN_PIPE | PC_OF_CONTAINER),
    USER(HEADER_TRACING_DATA, header_tracing_data_fields, 12, .misc = 0xffff,
         .flags = PC_ANY_SIZE | PC_HEADER_ONLY_IN_PIPE | PC_OF_CONTAINER | PC_HAS_PAYLOAD | PC_MENDED),
    USER(HEADER_BUILD_ID, header_build_id_fields, 36, .misc = PC_MISC_BUILD_ID_SIZE | MODE,
         .misc_names = build_id_misc, .flags = PC_HEADER_ONLY_IN_PIPE | PC_OF_CONTAINER),
    USER(FINISHED_ROUND, no_fields, 8, .flags = PC_ENDS_SETUP | PC_SIZE_AS_A_WHOLE,
         .excess_diag = PC_D_FINISHED_SIZE),
    USER(ID_INDEX, id_index_fields, 16, .flags = PC_LASTING, .excess_diag = PC_D_ID_INDEX_SIZE),
    USER(AUXTRACE_INFO, auxtrace_info_fields, 16, .flags = PC_OF_AUX_TRACE),
    USER(AUXTRACE, auxtrace_fields, 48, .flags = PC_OF_AUX_TRACE | PC_HAS_PAYLOAD | PC_MENDED),
    USER(AUXTRACE_ERROR, auxtrace_error_fields, 49),
    USER(THREAD_MAP, thread_map_fields, 16, .flags = PC_LASTING | PC_MENDED),
    USER(CPU_MAP, cpu_map_fields, 16, .flags = PC_LASTING | PC_MENDED),
    USER(STAT_CONFIG, stat_config_fields, 16, .flags = PC_OF_STAT | PC_LASTING | PC_MENDED),
    USER(STAT, stat_fields, 48, .flags = PC_OF_STAT),
    USER(STAT_ROUND, stat_round_fields, 24, .flags = PC_OF_STAT),
    USER(EVENT_UPDATE, event_update_fields, 24, .flags = PC_LASTING),
    USER(TIME_CONV, time_conv_fields, 32, .flags = PC_LASTING | PC_SIZE_AS_A_WHOLE,
         .excess_diag = PC_D_TIME_CONV_SIZE),
    USER(HEADER_FEATURE, header_feature_fields, 16,
         .flags = PC_ANY_SIZE | PC_HEADER_ONLY_IN_PIPE | PC_OF_CONTAINER),
    USER(COMPRESSED, compressed_fields, 8,
         .flags = PC_ANY_SIZE | PC_OF_CONTAINER | PC_HOLDS_RECORDS | PC_MENDED),
    USER(FINISHED_INIT, no_fields, 8, .flags = PC_ENDS_SETUP | PC_LASTING | PC_SIZE_AS_A_WHOLE,
         .excess_diag = PC_D_FINISHED_SIZE),
    USER(COMPRESSED2, compressed2_fields, 16, .flags = PC_OF_CONTAINER | PC_HOLDS_RECORDS | PC_MENDED),
    USER(BPF_METADATA, bpf_metadata_fields, 528, .flags = PC_LASTING),
    USER(SCHEDSTAT_CPU, schedstat_cpu_fields, 24, .short_diag = PC_D_SCHEDSTAT_CUT),
    USER(SCHEDSTAT_DOMAIN, schedstat_domain_fields, 24, .short_diag = PC_D_SCHEDSTAT_CUT),
};

const struct pc_record_info pc_size_wrapped_info = { .name = "COMPRESSED2",
                                                     .fields = size_wrapped_fields,
                                                     .min = 16,
                                                     .flags =
                                                         PC_ANY_SIZE | PC_OF_CONTAINER | PC_HOLDS_RECORDS };

/* SPDX-License-Identifier: MIT
 *
 * features.c: every feature as a table: tools/perf/util/header.c, the write_* and process_* function of each.
 */
#include "format/header.h"
#include "format/features.h"
#include "base/text.h"
#include "format/records.h"
#include "format/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct pc_field u32_element[] = { PC_ROW(NULL, PC_UINT, .width = 4), END };
static const struct pc_field u64_element[] = { PC_ROW(NULL, PC_UINT, .width = 8, .show = PC_AS_HEX), END };
static const struct pc_field string_element[] = { PC_ROW(NULL, PC_HSTR), END };

static const struct pc_field one_string[] = { HSTR(value), END };
static const struct pc_field nothing[] = { END };

/* tools/perf/util/trace-event-info.c: tracing_data_header, record_header_files ... */
#define HAS_CMDLINES PC_DYNAMIC(0)
static const struct pc_case tracing_version[] = { CASES(6, UINT64_MAX, HAS_CMDLINES), END_OF_CASES };
static const struct pc_field tracing_format[] = {
    U64(size, .save = PC_SLOT_A),
    PC_ROW("format", PC_TEXT, .count = PC_SLOT_A, .save = PC_TRACING_FORMAT),
    END,
};
static const struct pc_field tracing_system[] = {
    PC_ROW("name", PC_ZSTR, .save = PC_TRACING_SYSTEM),
    U32(nr_events, .save = PC_SLOT_C),
    REPEAT(events, PC_SLOT_C, tracing_format),
    END,
};
#define LIMIT(what, most) RULE(what, most, FEATURE_LIMIT), .flags = PC_ENDS_WALK
#define LITERAL(n, s)     PC_ROW(n, PC_LITERAL, .text = (s), .arg = sizeof(s) - 1, SHAPE_DIAG(TRACING_MAGIC))
static const struct pc_field tracing_data[] = {
    LITERAL("magic", "\x17\x08\x44"),
    LITERAL("name", "tracing"),
    PC_ROW("version", PC_ZSTR, .cases = tracing_version, .save = PC_TRACING_VERSION),
    PC_ROW("big_endian", PC_ORDER, .width = 1, RULE(MAX, 1, TRACING_MAGIC), .save = PC_TRACING_ORDER),
    U8(long_size, .save = PC_TRACING_LONG_SIZE),
    U32(page_size, .save = PC_TRACING_PAGE_SIZE, RULE(NONZERO, 0, TRACING_MAGIC)),
    LITERAL("header_page.name", "header_page\0"),
    /* trace-event-read.c: do_read takes 0 bytes for a failure; header_event is skipped instead. */
    U64(header_page_size, .save = PC_SLOT_A, RULE(NONZERO, 0, TRACING_MAGIC)),
    PC_ROW("header_page", PC_TEXT, .count = PC_SLOT_A, .save = PC_TRACING_HEADER_PAGE),
    LITERAL("header_event.name", "header_event\0"),
    U64(header_event_size, .save = PC_SLOT_A),
    PC_ROW("header_event", PC_TEXT, .count = PC_SLOT_A),
    U32(nr_ftrace, .save = PC_SLOT_B),
    REPEAT(ftrace, PC_SLOT_B, tracing_format),
    U32(nr_systems, .save = PC_TRACING_SYSTEMS),
    REPEAT(systems, PC_TRACING_SYSTEMS, tracing_system),
    U32(kallsyms_size, .save = PC_SLOT_A),
    PC_ROW("kallsyms", PC_TEXT, .count = PC_SLOT_A),
    U32(printk_size, .save = PC_SLOT_A),
    PC_ROW("printk", PC_TEXT, .count = PC_SLOT_A, .save = PC_TRACING_PRINTK),
    U64(cmdlines_size, .when = HAS_CMDLINES, .save = PC_SLOT_A),
    PC_ROW("cmdlines", PC_TEXT, .when = HAS_CMDLINES, .count = PC_SLOT_A),
    END,
};

#define OF_ENTRY SHAPE_DIAG(BUILD_ID_ENTRY), .flags = PC_ABOUT_SIZE

/* tools/perf/util/build-id.c: write_buildid; entries are records of their own kind */
static const struct pc_field build_id_body[] = {
    S32(pid, OF_ENTRY, .save = PC_BUILD_ID_PID),
    PC_ROW("build_id", PC_BYTES, .arg = PC_BUILD_ID_MAX, OF_ENTRY, .save = PC_BUILD_ID_BYTES),
    U8(build_id_size, OF_ENTRY, .save = PC_BUILD_ID_LEN),
    PC_ROW("reserved", PC_BYTES, .arg = 3, OF_ENTRY, .rule = PC_RULE_ZEROS, .rule_diag = PC_D_RESERVED),
    CSTR(filename, .flags = PC_UNPADDED | PC_MAY_BE_EMPTY | PC_PADDED_8, SHAPE_DIAG(BUILD_ID_UNTERMINATED),
         RULE(MAX, 4095, BUILD_ID_ENTRY), .save = PC_BUILD_ID_NAME),
    END,
};
static const struct pc_bits build_id_misc[] = {
    { "cpumode", 0, 3 }, { "reserved", 3, 12 }, { "BUILD_ID_SIZE", 15, 1 }, { NULL, 0, 0 }
};
static const struct pc_field build_id_entry[] = {
    U32(type, SHAPE_DIAG(BUILD_ID_ENTRY), .save = PC_BUILD_ID_TYPE,
        .flags = PC_PADDING | PC_ABOUT_SIZE), /* writers differ, and no reader uses it */
    U16(misc, OF_ENTRY, .save = PC_BUILD_ID_MISC, .show = PC_AS_HEX, .bits = build_id_misc,
        RULE(MASK, PC_MISC_BUILD_ID_SIZE | PC_MISC_CPUMODE, MISC_UNDEFINED)),
    U16(size, .save = PC_SLOT_A, OF_ENTRY),
    PC_ROW(NULL, PC_FRAME, .count = PC_SLOT_A, .arg = PC_RECORD_HEADER_SIZE, .sub = build_id_body, OF_ENTRY),
    END,
};
static const struct pc_field build_ids[] = { PC_ROW("entries", PC_UNTIL_END, .sub = build_id_entry), END };

static const struct pc_field build_id_old_body[] = {
    PC_ROW("build_id", PC_BYTES, .arg = 24, OF_ENTRY),
    CSTR(filename, .save = PC_BUILD_ID_OLD_NAME, .flags = PC_UNPADDED | PC_MAY_BE_EMPTY | PC_PADDED_8,
         SHAPE_DIAG(BUILD_ID_UNTERMINATED)),
    END,
};
static const struct pc_field build_id_old_entry[] = {
    U32(type, SHAPE_DIAG(BUILD_ID_ENTRY), .flags = PC_PADDING | PC_ABOUT_SIZE),
    U16(misc, OF_ENTRY),
    U16(size, .save = PC_SLOT_A, OF_ENTRY),
    PC_ROW(NULL, PC_FRAME, .count = PC_SLOT_A, .arg = PC_RECORD_HEADER_SIZE, .sub = build_id_old_body,
           OF_ENTRY),
    END,
};
const struct pc_field pc_build_ids_old[] = { PC_ROW("entries", PC_UNTIL_END, .sub = build_id_old_entry),
                                             END };

size_t pc_build_id_at(unsigned slot)
{
    return pc_row_at(build_id_entry, slot);
}

size_t pc_build_id_name_at(bool old)
{
    return old ? pc_row_at(build_id_old_entry, PC_BUILD_ID_OLD_NAME) : pc_build_id_at(PC_BUILD_ID_NAME);
}

/* tools/perf/util/header.c: perf_header__read_build_ids_abi_quirk */
bool pc_build_ids_are_old(struct pc_span section)
{
    static const char lost[] = "nel.kallsyms]";
    const size_t at = pc_build_id_name_at(false);
    return section.len >= at + sizeof(lost) - 1 && memcmp(section.ptr + at, lost, sizeof(lost) - 1) == 0;
}

static const struct pc_field nrcpus[] = {
    U32(available, .save = PC_NRCPUS_AVAILABLE, RULE(MAX, 1 << 20, NRCPUS_VALUE)),
    U32(online, .save = PC_NRCPUS_ONLINE, RULE(MAX_SLOT, PC_NRCPUS_AVAILABLE, NRCPUS_VALUE)),
    END,
};

static const struct pc_field total_mem[] = { U64(kilobytes), END };

static const struct pc_field cmdline[] = {
    U32(nr, .save = PC_SLOT_A, LIMIT(MAX, 1048576)),
    REPEAT(args, PC_SLOT_A, string_element),
    END,
};

static const struct pc_field event_desc_attr[] = {
    PC_ROW("size", PC_PEEK, .arg = PC_ATTR_SIZE_AT, .width = 4, .save = PC_SLOT_C, .as = PC_AS_ATTR_SIZE),
    PC_ROW(NULL, PC_FRAME, .count = PC_SLOT_C, .sub = pc_attr_fields, SHAPE_DIAG(EVENT_DESC_SIZE)),
    END,
};
static const struct pc_field event_desc_entry[] = {
    PC_ROW("attr", PC_FRAME, .count = PC_SLOT_B, .sub = event_desc_attr),
    U32(nr_ids, .save = PC_EVENT_DESC_NR_IDS),
    HSTR(name, .save = PC_EVENT_DESC_NAME),
    REPEAT(ids, PC_EVENT_DESC_NR_IDS, u64_element),
    END,
};
const struct pc_field pc_event_desc[] = {
    U32(nr, .save = PC_EVENT_DESC_NR),
    U32(attr_size, .save = PC_SLOT_B, .flags = PC_ATTR_BYTES),
    REPEAT(events, PC_EVENT_DESC_NR, event_desc_entry),
    END,
};

static const struct pc_field cpu_list_element[] = { PC_ROW(NULL, PC_HSTR, RULE(CPU_LIST, 0, CPU_LIST)), END };
static const struct pc_field core_entry[] = { U32(core_id), U32(socket_id, .save = PC_TOPOLOGY_SOCKET), END };
static const struct pc_field cpu_dies[] = {
    U32(nr_dies, .save = PC_SLOT_B, LIMIT(MAX_SLOT, PC_SLOT_NR_CPUS)),
    REPEAT(dies, PC_SLOT_B, cpu_list_element),
    REPEAT(die_ids, PC_SLOT_NR_CPUS, u32_element),
    END,
};
static const struct pc_field cpu_topology[] = {
    U32(nr_cores, .save = PC_SLOT_A, LIMIT(MAX_SLOT, PC_SLOT_NR_CPUS)),
    REPEAT(cores, PC_SLOT_A, cpu_list_element),
    U32(nr_threads, .save = PC_SLOT_A, LIMIT(MAX_SLOT, PC_SLOT_NR_CPUS)),
    REPEAT(threads, PC_SLOT_A, cpu_list_element),
    REPEAT(cpus, PC_SLOT_NR_CPUS, core_entry, .flags = PC_OPTIONAL),
    PC_ROW(NULL, PC_SUB, .sub = cpu_dies, .flags = PC_OPTIONAL),
    END,
};

static const struct pc_field numa_node[] = {
    U32(node, .twice_diag = PC_D_NUMA_NODE),
    U64(mem_total, .save = PC_NUMA_TOTAL),
    U64(mem_free, RULE(MAX_SLOT, PC_NUMA_TOTAL, NUMA_MEMORY)),
    HSTR(cpus, RULE(CPU_LIST, 0, NUMA_CPU_LIST)),
    END,
};
static const struct pc_field numa_topology[] = {
    U32(nr, .save = PC_SLOT_A, LIMIT(MAX, 4096)),
    REPEAT(nodes, PC_SLOT_A, numa_node),
    END,
};

static const struct pc_field pmu_mapping[] = { U32(type, .save = PC_PMU_TYPE, .twice_diag = PC_D_PMU_TWICE),
                                               HSTR(name, .save = PC_PMU_NAME), END };
static const struct pc_field pmu_mappings[] = {
    U32(nr, .save = PC_SLOT_A, LIMIT(MAX, 4096)),
    REPEAT(pmus, PC_SLOT_A, pmu_mapping),
    END,
};

static const struct pc_field group_entry[] = {
    HSTR(name),
    U32(leader_idx, .save = PC_GROUP_LEADER),
    U32(nr_members, .save = PC_GROUP_MEMBERS),
    END,
};
static const struct pc_field group_desc[] = {
    U32(nr, .save = PC_GROUP_NR, LIMIT(MAX, 32768)),
    REPEAT(groups, PC_GROUP_NR, group_entry),
    END,
};

static const struct pc_field index_entry[] = { X64(file_offset, .save = PC_INDEX_OFFSET),
                                               U64(sz, .save = PC_INDEX_SIZE), END };
static const struct pc_field auxtrace_index[] = {
    U64(nr, .save = PC_SLOT_A),
    REPEAT(entries, PC_SLOT_A, index_entry),
    END,
};

/* simpleperf writes entries alone. In those of perf, the first word that is an offset is where they have the
 * size of an entry. */
static const struct pc_field auxtrace_entries[] = { PC_ROW("entries", PC_UNTIL_END, .sub = index_entry),
                                                    END };
static bool has_entries_alone(struct pc_span content)
{
    const uint64_t size = pc_record_info(PC_AUXTRACE)->min;
    const size_t at = pc_row_at(index_entry, PC_INDEX_SIZE);
    return content.len != 0 && content.len % PC_SECTION_SIZE == 0 &&
           (pc_load(content.ptr + at, 8, PC_LITTLE) == size || pc_load(content.ptr + at, 8, PC_BIG) == size);
}

static const struct pc_field cache_entry[] = {
    U32(level), U32(line_size), U32(sets), U32(ways), HSTR(type), HSTR(size), HSTR(map), END,
};
static const struct pc_field cache[] = {
    U32(version, RULE(IS, 1, FEATURE_VERSION)),
    U32(nr, .save = PC_SLOT_A, LIMIT(MAX, 32768)),
    REPEAT(caches, PC_SLOT_A, cache_entry),
    END,
};

static const struct pc_field sample_time[] = { U64(first, .save = PC_SAMPLE_TIME_FIRST),
                                               U64(last, .save = PC_SAMPLE_TIME_LAST), END };

static const struct pc_field mem_node[] = {
    U64(node, RULE(MAX, 1023, MEM_TOPOLOGY_NODE)), /* the kernel has at most 1 << 10: NODES_SHIFT */
    U64(size_bits, .save = PC_MEMORY_SIZE_BITS),
    U64(bitmap_bits, .save = PC_MEMORY_WORDS, .as = PC_AS_WORDS, LIMIT(MAX, INT32_MAX)),
    REPEAT(bitmap, PC_MEMORY_WORDS, u64_element),
    END,
};
static const struct pc_field mem_topology[] = {
    U64(version, RULE(IS, 1, FEATURE_VERSION)),
    U64(block_size),
    U64(nr, .save = PC_SLOT_A, LIMIT(MAX, 4096)),
    REPEAT(nodes, PC_SLOT_A, mem_node),
    END,
};

static const struct pc_field clockid[] = { U64(resolution_ns), END };

static const struct pc_field dir_format[] = { U64(version, .save = PC_DIR_FORMAT_VERSION), END };

/* include/uapi/linux/bpf.h: struct bpf_prog_info; pointers are offsets into the data after it */
static const struct pc_bits gpl_bits[] = { { "gpl_compatible", 0, 1 },
                                           { "reserved", 1, 31 },
                                           { NULL, 0, 0 } };
#define INFO_32(n) U32(n, .flags = PC_OPTIONAL)
#define INFO_64(n) X64(n, .flags = PC_OPTIONAL)
/* Where an array begins in the data, how many elements it has, and how many bytes each of them has when that
 * is not always the same. */
#define POINTER(n, array) X64(n, .flags = PC_OPTIONAL, .save = PC_BPF_POINTER, .arg = PC_BPF_##array)
#define COUNT(n, array)   U32(n, .flags = PC_OPTIONAL, .save = PC_BPF_COUNT, .arg = PC_BPF_##array)
#define ELEMENT(n, array) U32(n, .flags = PC_OPTIONAL, .save = PC_BPF_ELEMENT, .arg = PC_BPF_##array)
static const struct pc_field bpf_prog_info[] = {
    INFO_32(type),
    U32(id, .flags = PC_OPTIONAL, .twice_diag = PC_D_BPF_TWICE),
    PC_ROW("tag", PC_BYTES, .arg = 8, .flags = PC_OPTIONAL),
    COUNT(jited_prog_len, JITED_INSNS),
    COUNT(xlated_prog_len, XLATED_INSNS),
    POINTER(jited_prog_insns, JITED_INSNS),
    POINTER(xlated_prog_insns, XLATED_INSNS),
    INFO_64(load_time),
    INFO_32(created_by_uid),
    COUNT(nr_map_ids, MAP_IDS),
    POINTER(map_ids, MAP_IDS),
    PC_ROW("name", PC_TEXT, .arg = 16, .flags = PC_OPTIONAL),
    INFO_32(ifindex),
    PC_ROW("flags", PC_BITS, .width = 4, .bits = gpl_bits, .flags = PC_OPTIONAL),
    INFO_64(netns_dev),
    INFO_64(netns_ino),
    COUNT(nr_jited_ksyms, JITED_KSYMS),
    COUNT(nr_jited_func_lens, JITED_FUNC_LENS),
    POINTER(jited_ksyms, JITED_KSYMS),
    POINTER(jited_func_lens, JITED_FUNC_LENS),
    U32(btf_id, .flags = PC_OPTIONAL, .save = PC_BPF_BTF_ID),
    ELEMENT(func_info_rec_size, FUNC_INFO),
    POINTER(func_info, FUNC_INFO),
    COUNT(nr_func_info, FUNC_INFO),
    COUNT(nr_line_info, LINE_INFO),
    POINTER(line_info, LINE_INFO),
    POINTER(jited_line_info, JITED_LINE_INFO),
    COUNT(nr_jited_line_info, JITED_LINE_INFO),
    ELEMENT(line_info_rec_size, LINE_INFO),
    ELEMENT(jited_line_info_rec_size, JITED_LINE_INFO),
    COUNT(nr_prog_tags, PROG_TAGS),
    POINTER(prog_tags, PROG_TAGS),
    INFO_64(run_time_ns),
    INFO_64(run_cnt),
    INFO_64(recursion_misses),
    INFO_32(verified_insns),
    INFO_32(attach_btf_obj_id),
    INFO_32(attach_btf_id),
    PC_ROW("newer", PC_REST, .flags = PC_UNKNOWN),
    END,
};
/* tools/perf/util/bpf-utils.c: bpf_prog_info_array_desc */
const struct pc_bpf_array pc_bpf_arrays[PC_BPF_ARRAYS] = {
    [PC_BPF_JITED_INSNS] = { "jited_insns", 1, 1 },
    [PC_BPF_XLATED_INSNS] = { "xlated_insns", 1, 1 },
    [PC_BPF_MAP_IDS] = { "map_ids", 4, 4 },
    [PC_BPF_JITED_KSYMS] = { "jited_ksyms", 8, 8 },
    [PC_BPF_JITED_FUNC_LENS] = { "jited_func_lens", 4, 4 },
    [PC_BPF_FUNC_INFO] = { "func_info", 0, 4 },
    [PC_BPF_LINE_INFO] = { "line_info", 0, 4 },
    [PC_BPF_JITED_LINE_INFO] = { "jited_line_info", 0, 8 },
    [PC_BPF_PROG_TAGS] = { "prog_tags", 8, 1 },
};

static bool see_bpf_place(void *ctx, const struct pc_leaf *leaf)
{
    unsigned slot = leaf->field->save;
    if (leaf->fault != PC_SOUND || (slot != PC_BPF_POINTER && slot != PC_BPF_COUNT && slot != PC_BPF_ELEMENT))
        return true;
    struct pc_bpf_place *place = (struct pc_bpf_place *)ctx + leaf->field->arg;
    place->told++;
    if (slot == PC_BPF_POINTER) {
        place->at = leaf->at;
        place->start = leaf->value;
    } else if (slot == PC_BPF_COUNT) {
        place->count = leaf->value;
    } else {
        place->element = leaf->value;
    }
    return true;
}

void pc_bpf_find_arrays(struct pc_span info, enum pc_order order, struct pc_bpf_place *places)
{
    struct pc_cursor c = pc_cursor(info, order);
    struct pc_walk walk;
    for (size_t i = 0; i < PC_BPF_ARRAYS; i++)
        places[i] =
            (struct pc_bpf_place){ .element = pc_bpf_arrays[i].size, .told = pc_bpf_arrays[i].size != 0 };
    pc_walk_init(&walk, NULL, &c, see_bpf_place, places);
    pc_walk_table(&walk, bpf_prog_info);
}

static const struct pc_field bpf_prog_entry[] = {
    U32(info_len, .save = PC_BPF_INFO_LEN, RULE(MAX, 232, BPF_INFO_LEN)),
    U32(data_len, .save = PC_BPF_DATA_LEN, RULE(MOD8, 0, BPF_DATA_LEN)),
    X64(arrays, .save = PC_BPF_ARRAYS_THERE, RULE(MASK, 0x1ff, BPF_ARRAYS)),
    PC_ROW("info", PC_FRAME, .count = PC_BPF_INFO_LEN, .sub = bpf_prog_info),
    PC_ROW("data", PC_BYTES, .count = PC_BPF_DATA_LEN, .save = PC_BPF_DATA),
    END,
};
static const struct pc_field bpf_prog_infos[] = {
    U32(nr, .save = PC_SLOT_A, LIMIT(MAX, 131072)),
    REPEAT(programs, PC_SLOT_A, bpf_prog_entry),
    END,
};
static const struct pc_field btf_entry[] = {
    U32(id, .twice_diag = PC_D_BPF_TWICE, .save = PC_BTF_ID),
    U32(data_size, .save = PC_SLOT_B),
    PC_ROW("data", PC_BYTES, .count = PC_SLOT_B, .save = PC_BTF_DATA),
    END,
};
static const struct pc_field bpf_btf[] = {
    U32(nr, .save = PC_SLOT_A, LIMIT(MAX, 131072)),
    REPEAT(btf, PC_SLOT_A, btf_entry),
    END,
};

static const struct pc_name compression_names[] = { { 0, "NONE" },
                                                    { PC_COMPRESSION_ZSTD, "ZSTD" },
                                                    { 0, NULL } };
const struct pc_field pc_compression[] = {
    U32(version, RULE(MAX, 0, COMPRESSED_VERSION)), /* not IS 0, which would mean padding */
    U32(type, .save = PC_COMPRESSED_TYPE, .names = compression_names),
    U32(level, .save = PC_COMPRESSED_LEVEL),
    U32(ratio, .save = PC_COMPRESSED_RATIO),
    U32(mmap_len, .save = PC_COMPRESSED_MMAP_LEN),
    END,
};

static const struct pc_field cap_entry[] = { HSTR(name, .save = PC_CAP_NAME),
                                             HSTR(value, .save = PC_CAP_VALUE), END };
static const struct pc_field cpu_pmu_caps[] = {
    U32(nr_caps, .save = PC_SLOT_A, LIMIT(MAX, 512)),
    REPEAT(caps, PC_SLOT_A, cap_entry),
    END,
};

/* header.c: __process_pmu_caps, which takes any text for a number: atoi. */
bool pc_cap_branches(const struct pc_leaf *leaf, uint64_t *branches)
{
    static const char name[] = "branches";
    const struct pc_walk *walk = leaf->walk;
    struct pc_span in = walk->c->in, text = pc_part(leaf->raw, 4, leaf->raw.len - 4);
    size_t at = walk->slot_at[PC_CAP_NAME] + 4, len = pc_first_zero(text);
    if (leaf->field->save != PC_CAP_VALUE || leaf->at - at < sizeof(name) ||
        memcmp(in.ptr + at, name, sizeof(name)) != 0)
        return false;
    *branches = len == 0 ? UINT64_MAX : 0;
    for (size_t i = 0; i < len && *branches <= PC_BRANCHES_MAX; i++) {
        const unsigned char c = text.ptr[i];
        *branches = c >= '0' && c <= '9' ? 10 * *branches + (c - '0') : UINT64_MAX;
    }
    *branches = *branches <= PC_BRANCHES_MAX ? *branches : UINT64_MAX;
    return true;
}

static const struct pc_field clock_data[] = {
    U32(version, RULE(IS, 1, FEATURE_VERSION)),
    U32(clockid, .save = PC_CLOCK_DATA_CLOCKID),
    U64(wall_clock_ns),
    U64(clockid_time_ns, .save = PC_CLOCK_DATA_TIME),
    END,
};

static const struct pc_field hybrid_entry[] = { HSTR(pmu_name, .save = PC_HYBRID_NAME), HSTR(cpus), END };
static const struct pc_field hybrid_topology[] = {
    U32(nr, .save = PC_SLOT_A, LIMIT(MAX, 4096)),
    REPEAT(pmus, PC_SLOT_A, hybrid_entry),
    END,
};

static const struct pc_field pmu_caps_entry[] = {
    U32(nr_caps, .save = PC_SLOT_B, LIMIT(MAX, 512)),
    REPEAT(caps, PC_SLOT_B, cap_entry),
    HSTR(pmu_name),
    END,
};
static const struct pc_field pmu_caps[] = {
    U32(nr, .save = PC_SLOT_A, LIMIT(MAX, 4096)),
    REPEAT(pmus, PC_SLOT_A, pmu_caps_entry),
    END,
};

#define HAS_DOMAIN_NAME PC_DYNAMIC(0)
static const struct pc_case domain_version[] = { CASES(17, UINT64_MAX, HAS_DOMAIN_NAME), END_OF_CASES };
static const struct pc_field domain_entry[] = {
    U32(domain, .save = PC_DOMAIN_NUMBER),
    HSTR(name, .when = HAS_DOMAIN_NAME),
    HSTR(cpumask),
    HSTR(cpulist),
    END,
};
static const struct pc_field domain_cpu[] = {
    U32(cpu, .save = PC_DOMAIN_CPU, .twice_diag = PC_D_DOMAIN_VALUE),
    U32(nr_domains, .save = PC_SLOT_A, RULE(MAX_SLOT, PC_DOMAINS_MAX, DOMAIN_VALUE)),
    REPEAT(domains, PC_SLOT_A, domain_entry),
    END,
};
static const struct pc_field cpu_domain_info[] = {
    U32(schedstat_version, .cases = domain_version),
    U32(max_sched_domains, .save = PC_DOMAINS_MAX, RULE(MAX, 64, DOMAIN_VALUE)),
    REPEAT(cpus, PC_SLOT_NR_ONLINE, domain_cpu),
    END,
};

static const struct pc_field e_machine[] = { U32(e_machine, RULE(MAX, 0xffff, E_MACHINE), .save = PC_MACHINE),
                                             U32(e_flags), END };
static const struct pc_field cln_size[] = {
    U32(bytes, RULE(POWER_2, UINT32_MAX, CLN_SIZE)),
    END,
};

/* FEATURE(BIT, fields, further members): the row of PC_BIT. */
#define FEATURE(bit, table, ...) [PC_##bit] = { .name = #bit, .fields = table, __VA_ARGS__ }

static const struct pc_feature_info rows[PC_FEATURES] = {
    FEATURE(TRACING_DATA, tracing_data, .flags = PC_NEEDS_FILE | PC_LEARNED, .short_diag = PC_D_TRACING_CUT),
    FEATURE(BUILD_ID, build_ids, .flags = PC_NEEDS_FILE),
    FEATURE(HOSTNAME, one_string, .flags = PC_SENT_IN_PIPE | PC_ONE_STRING | PC_LEARNED),
    FEATURE(OSRELEASE, one_string, .flags = PC_SENT_IN_PIPE | PC_ONE_STRING | PC_LEARNED),
    FEATURE(VERSION, one_string, .flags = PC_SENT_IN_PIPE | PC_ONE_STRING | PC_LEARNED),
    FEATURE(ARCH, one_string, .flags = PC_SENT_IN_PIPE | PC_ONE_STRING | PC_LEARNED),
    FEATURE(NRCPUS, nrcpus, .flags = PC_SENT_IN_PIPE | PC_LEARNED),
    FEATURE(CPUDESC, one_string, .flags = PC_SENT_IN_PIPE | PC_ONE_STRING | PC_LEARNED),
    FEATURE(CPUID, one_string, .flags = PC_SENT_IN_PIPE | PC_ONE_STRING | PC_LEARNED),
    FEATURE(TOTAL_MEM, total_mem, .flags = PC_SENT_IN_PIPE),
    FEATURE(CMDLINE, cmdline, .flags = PC_SENT_IN_PIPE | PC_LEARNED),
    FEATURE(EVENT_DESC, pc_event_desc, .flags = PC_SENT_IN_PIPE | PC_LEARNED),
    FEATURE(CPU_TOPOLOGY, cpu_topology, .flags = PC_SENT_IN_PIPE | PC_NEEDS_NRCPUS),
    FEATURE(NUMA_TOPOLOGY, numa_topology, .flags = PC_SENT_IN_PIPE),
    FEATURE(BRANCH_STACK, nothing, .flags = PC_ONLY_A_MARK | PC_DERIVED),
    FEATURE(PMU_MAPPINGS, pmu_mappings, .flags = PC_SENT_IN_PIPE),
    FEATURE(GROUP_DESC, group_desc, .flags = PC_SENT_IN_PIPE),
    [PC_AUXTRACE_INDEX] = { .name = "AUXTRACE",
                            .fields = auxtrace_index,
                            .flags = PC_NEEDS_FILE | PC_DERIVED },
    [PC_STAT_FEATURE] = { .name = "STAT", .fields = nothing, .flags = PC_ONLY_A_MARK | PC_DERIVED },
    FEATURE(CACHE, cache),
    FEATURE(SAMPLE_TIME, sample_time, .flags = PC_SENT_IN_PIPE),
    FEATURE(MEM_TOPOLOGY, mem_topology, .flags = PC_SENT_IN_PIPE),
    FEATURE(CLOCKID, clockid, .flags = PC_SENT_IN_PIPE),
    FEATURE(DIR_FORMAT, dir_format, .flags = PC_DERIVED | PC_LEARNED),
    FEATURE(BPF_PROG_INFO, bpf_prog_infos, .flags = PC_SENT_IN_PIPE),
    FEATURE(BPF_BTF, bpf_btf, .flags = PC_SENT_IN_PIPE),
    [PC_COMPRESSED_FEATURE] = { .name = "COMPRESSED",
                                .fields = pc_compression,
                                .flags = PC_SENT_IN_PIPE | PC_DERIVED | PC_LEARNED },
    FEATURE(CPU_PMU_CAPS, cpu_pmu_caps, .flags = PC_SENT_IN_PIPE | PC_LEARNED),
    FEATURE(CLOCK_DATA, clock_data, .flags = PC_SENT_IN_PIPE),
    FEATURE(HYBRID_TOPOLOGY, hybrid_topology),
    FEATURE(PMU_CAPS, pmu_caps, .flags = PC_SENT_IN_PIPE),
    FEATURE(CPU_DOMAIN_INFO, cpu_domain_info, .flags = PC_SENT_IN_PIPE | PC_NEEDS_ONLINE),
    FEATURE(E_MACHINE, e_machine, .flags = PC_SENT_IN_PIPE),
    FEATURE(CLN_SIZE, cln_size, .flags = PC_SENT_IN_PIPE),
};

const struct pc_feature_info *pc_feature_info(uint64_t bit)
{
    if (bit > 0 && bit < PC_FEATURES)
        return &rows[bit];
    if (pc_is_android_feature(bit))
        return &pc_android_features[bit - PC_ANDROID_FEATURES];
    return NULL;
}

const char *pc_feature_name(uint64_t bit, char number[PC_NUMBER_NAME])
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    snprintf(number, PC_NUMBER_NAME, "BIT_%" PRIu64, bit);
    return info ? info->name : number;
}

const char *pc_feature_like(const char *word)
{
    const char *like = NULL;
    for (uint64_t bit = 0; bit < PC_ANDROID_FEATURES_END; bit++) {
        const struct pc_feature_info *info = pc_feature_info(bit);
        if (info && info->name)
            pc_text_suggest(word, info->name, &like);
    }
    return like;
}

const struct pc_field *pc_feature_fields(uint64_t bit, struct pc_span content)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    if (bit == PC_BUILD_ID && pc_build_ids_are_old(content))
        return pc_build_ids_old;
    if (bit == PC_AUXTRACE_INDEX && has_entries_alone(content))
        return auxtrace_entries;
    return info ? info->fields : NULL;
}

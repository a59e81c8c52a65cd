/* SPDX-License-Identifier: MIT
 *
 * features.c: the header features.
 */
#include "native.h"

struct build_id_entry {
    struct perf_event_header header;
    s32 pid;
    u8 id[20], size, reserved[3];
};

static void put_build_id(u32 type, u16 mode, s32 pid, u8 size, const char *name)
{
    struct build_id_entry entry = { .pid = pid, .size = size };
    size_t at = out->len;
    for (unsigned i = 0; i < (size ? size : 20); i++)
        entry.id[i] = (u8)(0xe1 + i);
    entry.header.type = type;
    entry.header.misc = (u16)(mode | (size ? 0x8000 : 0));
    put(&entry, sizeof(entry));
    put_string(name, 8);
    if (type) /* a record: whole words from its start too */
        pad(at, 8);
    entry.header.size = (u16)(out->len - at);
    memcpy(out->bytes + at, &entry, sizeof(entry));
}

struct cache_level {
    u32 level, line_size, sets, ways;
};
struct bpf_program { /* what comes before an info */
    u32 info_len, data_len;
    u64 arrays;
};
struct bpf_arrays {
    u64 lead; /* so that no array lies at 0 */
    u8 jited[12], xlated[12];
    u32 map_ids[3];
    u32 func_lens[2];
    u32 unused;
    u64 ksyms[2];
    struct {
        u32 insn_off, type_id;
    } func_info[2];
    struct {
        u32 insn_off, file_name_off, line_off, line_col;
    } line_info[2];
    u64 jited_line_info[2];
    u8 tags[2][8];
};

static void put_bpf_program(unsigned k, u64 arrays)
{
    struct bpf_prog_info info = { .type = D32(k),
                                  .id = D32(k + 1),
                                  .tag = { 1, 2, 3, 4, 5, 6, 7, 8 },
                                  .load_time = D64(k + 2),
                                  .created_by_uid = D32(k + 3),
                                  .name = "program",
                                  .ifindex = D32(k + 4),
                                  .gpl_compatible = k % 2,
                                  .netns_dev = D64(k + 5),
                                  .netns_ino = D64(k + 6),
                                  .btf_id = D32(k + 7),
                                  .run_time_ns = D64(k + 8),
                                  .run_cnt = D64(k + 9),
                                  .recursion_misses = D64(k + 10),
                                  .verified_insns = D32(k + 11),
                                  .attach_btf_obj_id = D32(k + 12),
                                  .attach_btf_id = D32(k + 13) };
    struct bpf_arrays array = { 0 };

#define ARRAY(bit, at, nr, member, ...)                                                                      \
    if (arrays & 1u << (bit)) {                                                                              \
        static const struct bpf_arrays values = { .member = __VA_ARGS__ };                                   \
        memcpy(&array.member, &values.member, sizeof(array.member));                                         \
        info.at = offsetof(struct bpf_arrays, member);                                                       \
        info.nr = COUNT(array.member);                                                                       \
    }
    ARRAY(0, jited_prog_insns, jited_prog_len, jited, { 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22 })
    ARRAY(1, xlated_prog_insns, xlated_prog_len, xlated, { 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42 })
    ARRAY(2, map_ids, nr_map_ids, map_ids, { D32(0x81), D32(0x82), D32(0x83) })
    ARRAY(3, jited_ksyms, nr_jited_ksyms, ksyms, { D64(0x84), D64(0x85) })
    ARRAY(4, jited_func_lens, nr_jited_func_lens, func_lens, { D32(0x86), D32(0x87) })
    ARRAY(5, func_info, nr_func_info, func_info, { { D32(0x88), D32(0x89) }, { D32(0x8a), D32(0x8b) } })
    ARRAY(6, line_info, nr_line_info, line_info,
          { { D32(0x8c), D32(0x8d), D32(0x8e), D32(0x8f) }, { D32(0x90), D32(0x91), D32(0x92), D32(0x93) } })
    ARRAY(7, jited_line_info, nr_jited_line_info, jited_line_info, { D64(0x94), D64(0x95) })
    ARRAY(8, prog_tags, nr_prog_tags, tags, { { 1, 2, 3, 4, 5, 6, 7, 8 }, { 9, 10, 11, 12, 13, 14, 15, 16 } })
    info.func_info_rec_size = arrays & 1 << 5 ? sizeof(*array.func_info) : 0;
    info.line_info_rec_size = arrays & 1 << 6 ? sizeof(*array.line_info) : 0;
    info.jited_line_info_rec_size = arrays & 1 << 7 ? sizeof(*array.jited_line_info) : 0;
    PUT(bpf_program, sizeof(info), arrays ? sizeof(array) : 0, arrays);
    put(&info, sizeof(info));
    if (arrays)
        put(&array, sizeof(array));
}

static void put_strings(unsigned bit)
{
    static const char *const texts[] = { "box-one", "7.2.13", "7.2", "x86_64" };
    begin_feature(bit);
    put_hstr(texts[bit - F_HOSTNAME]);
}

/* What lies in 63, 64 and 65 characters is padded differently. */
#define CHARS_63 "123456789012345678901234567890123456789012345678901234567890123"

static void put_domains(u32 version)
{
    begin_feature(F_CPU_DOMAIN_INFO);
    PUT(two, version, 0x21);
    for (u32 cpu = 0; cpu < 2; cpu++) { /* those online */
        PUT(two, cpu + 1, 2);
        for (u32 domain = 0; domain < 2; domain++) {
            put32(0x1f + domain);
            if (version >= 17)
                put_hstr(domain ? "MC" : "SMT");
            put_hstr("7");
            put_hstr("0-2");
        }
    }
}

static void put_features(void)
{
    static const u64 mem_1[] = { D64(0x41), 0x0000000102030405 },
                     mem_2[] = { D64(0x42) | (u64)1 << 63, D64(0x43), 1 };

    for (unsigned bit = F_HOSTNAME; bit <= F_ARCH; bit++)
        put_strings(bit);
    begin_feature(F_NRCPUS);
    PUT(two, 3, 2);
    begin_feature(F_CPUDESC);
    put_hstr(CHARS_63);
    begin_feature(F_CPUID);
    put_hstr(CHARS_63 "4");
    begin_feature(F_TOTAL_MEM);
    put64(D64(0x11));
    begin_feature(F_CMDLINE);
    put32(4);
    put_hstr("/usr/bin/perf");
    put_hstr("record");
    put_hstr("");
    put_hstr(CHARS_63 "45");
    put_event_desc();
    begin_feature(F_CPU_TOPOLOGY);
    put32(1);
    put_hstr("0-2");
    put32(2);
    put_hstr("0-1");
    put_hstr("2");
    put32s(6, 0x12); /* core_id and socket_id of each */
    put32(2);
    put_hstr("0");
    put_hstr("1-2");
    put32s(3, 0x18); /* die_id */
    begin_feature(F_NUMA_TOPOLOGY);
    put32(2);
    for (unsigned i = 0; i < 2; i++) {
        put32(D32(0x21 + i));
        put64(D64(0x33 + i));
        put64(D64(0x23 + i));
        put_hstr(i ? "2" : "0-1");
    }
    begin_feature(F_PMU_MAPPINGS);
    put32(3);
    put32(1);
    put_hstr("software");
    put32(D32(0x24));
    put_hstr("cpu_core");
    put32(D32(0x25));
    put_hstr("cpu_atom");
    begin_feature(F_GROUP_DESC);
    put32(1);
    put_hstr("{anon_group}");
    PUT(two, 1, 2);
    begin_feature(F_SAMPLE_TIME);
    put64(TIME(1));
    put64(TIME(2));
    begin_feature(F_MEM_TOPOLOGY);
    put64(1);
    put64(D64(0x26));
    put64(2);
    put64(0x102); /* nodes are less than 1024 */
    put64(103);
    put64(103);
    PUT_ALL(mem_1);
    put64(0x203);
    put64(0x81);
    put64(0x81);
    PUT_ALL(mem_2);
    begin_feature(F_CLOCKID);
    put64(D64(0x29));
    begin_feature(F_CPU_PMU_CAPS);
    put32(2);
    put_hstr("branches");
    put_hstr("32");
    put_hstr("max_precise");
    put_hstr("3");
    begin_feature(F_CLOCK_DATA);
    PUT(two, 1, 11);
    put64s(2, 0x2a);
    begin_feature(F_PMU_CAPS);
    put32(2);
    put32(1);
    put_hstr("branches");
    put_hstr("32");
    put_hstr("cpu_core");
    put32(2);
    put_hstr("branches");
    put_hstr("16");
    put_hstr("pmu_name");
    put_hstr("some");
    put_hstr("cpu_atom");
    put_domains(17);
    begin_feature(F_E_MACHINE);
    PUT(two, 0x16, D32(0x2d));
    begin_feature(F_CLN_SIZE);
    put32(0x100);
    out = &data;
}

/* The features that cannot travel in a pipe. */
static void put_file_features(void)
{
    begin_feature(F_BUILD_ID);
    put_build_id(0, 1, -1, 20, "[kernel.kallsyms]");
    put_build_id(0, 2, -1, 16, "/usr/bin/seven7");
    put_build_id(0, 5, (s32)D32(0x21), 20, "/usr/bin/eight-8");
    begin_feature(F_BRANCH_STACK);
    begin_feature(F_CACHE);
    PUT(two, 1, 2);
    for (unsigned i = 0; i < 2; i++) {
        PUT(cache_level, D32(0x21 + i), D32(0x22 + i), D32(0x23 + i), D32(0x24 + i));
        put_hstr(i ? "Unified" : "Data");
        put_hstr(i ? "12288K" : "48K");
        put_hstr("0-2");
    }
    begin_feature(F_HYBRID_TOPOLOGY);
    put32(2);
    put_hstr("cpu_core");
    put_hstr("0-1");
    put_hstr("cpu_atom");
    put_hstr("2");
    out = &data;
}

void make_features(unsigned unused)
{
    (void)unused;
    for (unsigned i = 0; i < 3; i++) {
        struct attr attr = sampling(S_IDENTIFIER | S_IP | S_TID | S_TIME | S_BRANCH_STACK);
        attr.use_clockid = 1;
        attr.clockid = 11;
        add_attr(attr, false);
    }
    few_branches();
    put_features();
    if (!is_pipe)
        put_file_features();
    sample(0, TIME(1), FULL);
    sample(1, TIME(2), EMPTY);
}

void make_features_pipe(unsigned unused)
{
    is_pipe = true;
    make_features(unused);
}

void make_bpf(unsigned unused)
{
    (void)unused;
    /* BTF tells its own order; what it holds is bytes here. */
    static const u8 btf[] = {
        0x9f, 0xeb, 1, 0, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0
    };

    add_attr(sampling(S_IP), true);
    common_features();
    begin_feature(F_BPF_PROG_INFO);
    put32(is_pipe ? 3 : 12);
    for (unsigned i = 0; !is_pipe && i < 9; i++)
        put_bpf_program(0x41 + i, 1u << i);
    put_bpf_program(0x51, 0x1ff);
    put_bpf_program(0x52, 0x1fd);
    put_bpf_program(0x53, 0);
    begin_feature(F_BPF_BTF);
    put32(2);
    PUT(two, D32(0x31), sizeof(btf)); /* odd */
    PUT_ALL(btf);
    PUT(two, D32(0x32), sizeof(btf));
    PUT_ALL(btf);
    out = &data;
    sample(0, 0, FULL);
}

void make_bpf_pipe(unsigned unused)
{
    is_pipe = true;
    make_bpf(unused);
}

void make_domains(unsigned schedstat_version)
{
    add_attr(sampling(S_IP), true);
    common_features();
    feature[F_NRCPUS].len = 0;
    begin_feature(F_NRCPUS);
    PUT(two, 3, 2);
    put_domains(schedstat_version);
    out = &data;
    sample(0, 0, FULL);
}

void make_build_id_pipe(unsigned unused)
{
    (void)unused;
    is_pipe = true;
    add_attr(sampling(S_IDENTIFIER | S_TIME), false);
    common_features();
    put_build_id(67, 1, -1, 20, "[kernel.kallsyms]");
    put_build_id(67, 2, (s32)D32(0x21), 16, "/usr/bin/one");
    comm_record(0);
}

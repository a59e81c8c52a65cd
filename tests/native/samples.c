/* SPDX-License-Identifier: MIT
 *
 * samples.c: samples of all layouts, their branches and registers.
 */
#include "native.h"

static struct perf_branch_entry branches[64];
static u64 nr_branches;
const void *raw;
u32 raw_size;

/* One for each bit of the flags, and some with all members. */
static void make_branches(void)
{
    nr_branches = 0;
    memset(branches, 0, sizeof(branches));
#define BRANCH(...)                                                                                          \
    branches[nr_branches] = (struct perf_branch_entry){ .from = D64((unsigned)nr_branches + 1),              \
                                                        .to = D64((unsigned)nr_branches + 0x51),             \
                                                        __VA_ARGS__ };                                       \
    nr_branches++
    BRANCH(.mispred = 1);
    BRANCH(.predicted = 1);
    BRANCH(.in_tx = 1);
    BRANCH(.abort = 1);
    for (unsigned i = 0; i < 16; i++) {
        BRANCH(.cycles = 1u << i);
    }
    for (unsigned i = 0; i < 4; i++) {
        BRANCH(.type = 1u << i);
    }
    for (unsigned i = 0; i < 2; i++) {
        BRANCH(.spec = 1u << i);
    }
    for (unsigned i = 0; i < 3; i++) { /* perf has 8 new types */
        BRANCH(.type = 15, .new_type = 1u << i);
    }
    for (unsigned i = 0; i < 3; i++) {
        BRANCH(.priv = 1u << i);
    }
    BRANCH(.mispred = 1, .in_tx = 1, .cycles = 0x1234, .type = 15, .spec = 2, .new_type = 6, .priv = 3);
    BRANCH(.predicted = 1, .abort = 1, .cycles = 0xfedc, .type = 6, .spec = 1, .new_type = 0, .priv = 1);
    BRANCH(.predicted = 1, .cycles = 0xffff, .type = 15, .spec = 3, .new_type = 7, .priv = 7);
}

void few_branches(void)
{
    make_branches();
    memmove(branches, branches + nr_branches - 3, 2 * sizeof(*branches));
    nr_branches = 2;
}

/* union perf_mem_data_src of Linux 7.2, which declares its members for each order */
union data_src {
    u64 val;
    struct {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        u64 op : 5, lvl : 14, snoop : 5, lock : 2, dtlb : 7, lvl_num : 4, remote : 1, snoopx : 2, blk : 3,
            hops : 3, region : 5, rsvd : 13;
#else
        u64 rsvd : 13, region : 5, hops : 3, blk : 3, snoopx : 2, remote : 1, lvl_num : 4, dtlb : 7, lock : 2,
            snoop : 5, lvl : 14, op : 5;
#endif
    } m;
};

static unsigned ones(u64 mask)
{
    unsigned n = 0;
    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

static void put_chain(const struct attr *attr, enum shape shape)
{
    u64 chain[] = { (u64)-128, D64(0x61), D64(0x62), (u64)-512, D64(0x63), (u64)-640, D64(0x64) };
    u64 nr = shape == FULL ? COUNT(chain) : 0;
    if (nr && !attr->defer_callchain)
        nr -= 2;
    put64(nr);
    put(chain, nr * 8);
}

static void put_branches(const struct attr *attr, enum shape shape)
{
    u64 nr = shape == FULL ? nr_branches : 0;
    put64(nr);
    if ((attr->branch_sample_type & BRANCH_HW_INDEX) && shape != EMPTY_NO_HW)
        put64(D64(0x65));
    put(branches, nr * sizeof(*branches));
    for (u64 i = 0; (attr->branch_sample_type & BRANCH_COUNTERS) && i < nr; i++)
        put64(D64((unsigned)i + 0x81));
}

static void put_regs(u64 mask, enum shape shape, unsigned k)
{
    put64(shape == FULL ? 1 + k % 2 : 0); /* the abi */
    if (shape == FULL)
        put64s(ones(mask), k);
}

void sample(size_t number, u64 time, enum shape shape)
{
    static const unsigned char opaque[12] = { 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6,
                                              0xa7, 0xa8, 0xa9, 0xaa, 0xab, 0xac };
    const struct attr *attr = &attrs[number].attr;
    u64 type = attr->sample_type, id = ID(number);

    begin(9, 2 | (attr->precise_ip ? 0x4000 : 0));
    if (type & S_IDENTIFIER)
        put64(id);
    if (type & S_IP)
        put64(D64(0x71));
    if (type & S_TID)
        PUT(two, D32(0x21), D32(0x25));
    if (type & S_TIME)
        put64(time);
    if (type & S_ADDR)
        put64(D64(0x72));
    if (type & S_ID)
        put64(id);
    if (type & S_STREAM_ID)
        put64(D64(0x73));
    if (type & S_CPU)
        PUT(two, CPU, 0);
    if (type & S_PERIOD)
        put64(D64(0x74));
    if (type & S_READ)
        put_read(attr->read_format, id);
    if (type & S_CALLCHAIN)
        put_chain(attr, shape);
    if (type & S_RAW) {
        put32(raw ? raw_size : sizeof(opaque));
        put(raw ? raw : opaque, raw ? raw_size : sizeof(opaque));
    }
    if (type & S_BRANCH_STACK)
        put_branches(attr, shape);
    if (type & S_REGS_USER)
        put_regs(attr->sample_regs_user, shape, 0x91);
    if (type & S_STACK_USER) {
        put64(shape == FULL ? 0x108 : 0);
        if (shape == FULL) {
            put_bytes(0x108, 0xb1);
            put64(0x102); /* dyn_size */
        }
    }
    if (type & S_WEIGHT)
        put64(D64(0x75));
    if (type & S_WEIGHT_STRUCT) {
        union perf_sample_weight weight;
        weight.var1_dw = D32(0x76);
        weight.var2_w = D16(0x7a);
        weight.var3_w = D16(0x7c);
        put(&weight, sizeof(weight));
    }
    if (type & S_DATA_SRC) {
        union data_src src = { .m = { .op = 0x12,
                                      .lvl = 0x1234,
                                      .snoop = 0x15,
                                      .lock = 2,
                                      .dtlb = 0x43,
                                      .lvl_num = 9,
                                      .remote = 1,
                                      .snoopx = 1,
                                      .blk = 5,
                                      .hops = 3,
                                      .region = 0x16 } };
        put(&src, sizeof(src));
    }
    if (type & S_TRANSACTION)
        put64((u64)D32(0x77) << 32 | 0x5a);
    if (type & S_REGS_INTR)
        put_regs(attr->sample_regs_intr, shape, 0xa2);
    if (type & S_PHYS_ADDR)
        put64(D64(0x78));
    if (type & S_CGROUP)
        put64(D64(0x79));
    if (type & S_DATA_PAGE_SIZE)
        put64(0x200000);
    if (type & S_CODE_PAGE_SIZE)
        put64(0x1000);
    if (type & S_AUX) {
        put64(shape == FULL ? 0x18 : 0);
        if (shape == FULL)
            put_bytes(0x18, 0xd1);
    }
    end();
}

struct attr sampling(u64 sample_type)
{
    struct attr attr = {
        .type = 1, .size = VER9, .config = 10, .sample_period = D64(1), .sample_type = sample_type
    };
    if (sample_type & S_READ)
        attr.read_format = R_ENABLED | R_RUNNING | R_ID | R_LOST;
    if (sample_type & S_BRANCH_STACK)
        attr.branch_sample_type = 0x50009; /* USER, ANY, TYPE_SAVE, PRIV_SAVE */
    if (sample_type & S_REGS_USER)
        attr.sample_regs_user = 0x0102030405060708;
    if (sample_type & S_REGS_INTR)
        attr.sample_regs_intr = 0x0807060504030201;
    if (sample_type & S_STACK_USER)
        attr.sample_stack_user = 0x1028;
    if (sample_type & S_AUX)
        attr.aux_sample_size = D32(2);
    return attr;
}

void common_features(void)
{
    begin_feature(F_HOSTNAME);
    put_hstr("native");
    begin_feature(F_NRCPUS);
    PUT(two, NR_CPUS, 0x0607);
    for (size_t i = 0; i < nr_attrs; i++)
        if ((attrs[i].attr.sample_type & S_BRANCH_STACK) && !is_pipe)
            begin_feature(F_BRANCH_STACK);
    out = &data;
}

/* perf takes the number and the width of counters from here, and does not test that it is there. */
static void branch_counters(void)
{
    begin_feature(F_CPU_PMU_CAPS);
    put32(2);
    put_hstr("branch_counter_nr");
    put_hstr("4");
    put_hstr("branch_counter_width");
    put_hstr("2");
    out = &data;
}

void comm_record(size_t number)
{
    begin(3, 0);
    PUT(two, D32(0x14), D32(0x18));
    put_string("comm", 8);
    trailer(&attrs[number].attr, ID(number), TIME(number));
    end();
}

void make_alone(unsigned bit)
{
    add_attr(sampling((u64)1 << bit), bit != 4 && bit != 6 && bit != 16);
    few_branches();
    common_features();
    sample(0, TIME(1), FULL);
    sample(0, TIME(2), EMPTY);
}

void make_bits(unsigned unused)
{
    (void)unused;
    for (unsigned bit = 0; bit < SAMPLE_BITS; bit++)
        add_attr(sampling((u64)1 << bit | S_IDENTIFIER), false);
    few_branches();
    common_features();
    for (size_t i = 0; i < nr_attrs; i++)
        sample(i, TIME(i), FULL);
}

void make_all(unsigned unused)
{
    (void)unused;
    u64 all = ((u64)1 << SAMPLE_BITS) - 1;
    struct attr *attr = add_attr(sampling(all & ~(u64)S_WEIGHT_STRUCT), false);
    attr->precise_ip = 2;
    attr->branch_sample_type |= BRANCH_HW_INDEX;
    attr->defer_callchain = 1;
    attr = add_attr(sampling(all & ~(u64)S_WEIGHT), false);
    attr->read_format |= R_GROUP;
    attr = add_attr(sampling(all & ~(u64)S_WEIGHT), false);
    attr->precise_ip = 1;
    attr->branch_sample_type |= BRANCH_HW_INDEX | BRANCH_COUNTERS;
    for (size_t i = 0; i < nr_attrs; i++)
        attrs[i].attr.sample_id_all = 1;
    few_branches();
    common_features();
    branch_counters();
    for (size_t i = 0; i < nr_attrs; i++) {
        sample(i, TIME(3 * i + 1), FULL);
        sample(i, TIME(3 * i + 2), EMPTY);
        comm_record(i);
    }
}

void make_branch(unsigned kind)
{
    struct attr attr = sampling(S_IP | S_TID | S_BRANCH_STACK | S_IDENTIFIER | S_PERIOD);
    attr.branch_sample_type |= kind;
    add_attr(attr, false);
    make_branches();
    common_features();
    if (kind & BRANCH_COUNTERS)
        branch_counters();
    sample(0, 0, FULL);
    sample(0, 0, EMPTY);
}

void make_branch_no_hw_idx(unsigned kind)
{
    make_branch(kind);
    sample(0, 0, EMPTY_NO_HW);
}

void make_read_records(unsigned unused)
{
    (void)unused;
    for (unsigned format = 0; format < 32; format++) {
        struct attr *attr = add_attr(sampling(S_IDENTIFIER | S_TIME | S_CPU), false);
        attr->size = 64;
        attr->read_format = format;
        attr->inherit_stat = 1;
        attr->sample_id_all = 1;
    }
    common_features();
    for (size_t i = 0; i < nr_attrs; i++) {
        begin(8, 0);
        PUT(two, D32(0x1a), D32(0x1e));
        put_read(attrs[i].attr.read_format, ID(i));
        trailer(&attrs[i].attr, ID(i), TIME(i));
        end();
    }
}

void make_kernel(unsigned with)
{
    struct attr attr = sampling(S_TID | S_TIME | S_ID | S_STREAM_ID | S_CPU | S_IDENTIFIER | S_CALLCHAIN);
    attr.sample_id_all = with > 0;
    attr.read_format = R_ENABLED | R_RUNNING | R_ID | R_LOST;
    attr.defer_callchain = attr.defer_output = 1;
    add_attr(attr, false);
    attr.read_format |= R_GROUP;
    if (with)
        add_attr(attr, false);
    common_features();
    begin(82, 0); /* FINISHED_INIT */
    end();
    kernel_records(0);
    if (with)
        kernel_records(1);
    for (size_t i = 0; i < nr_attrs; i++) {
        sample(i, TIME(0x300 + i), FULL);
        begin(22, 2); /* CALLCHAIN_DEFERRED of the sample's cookie */
        put64(D64(0x64));
        put64(4);
        put64((u64)-512);
        put64s(3, 0x66);
        trailer(&attrs[i].attr, ID(i), TIME(0x310 + i));
        end();
    }
    begin(68, 0); /* FINISHED_ROUND */
    end();
}

void make_mmap2_old(unsigned all)
{
    struct attr attr = sampling(S_TID | S_TIME | S_ID);
    attr.size = 96;
    attr.sample_id_all = all & 1;
    add_attr(attr, false);
    common_features();
    for (unsigned i = 0; i < 3; i++) {
        static const char *const names[] = { "/usr/lib64/libold.so", "/usr/bin/name-of-25-letters",
                                             "//anon" };
        begin(10, 2);
        put_mapping(0x1b + i);
        PUT(inode, D32(0x1c + i), D32(0x20 + i), D64(0x24 + i), D64(0x2c + i));
        put_string(names[i], 8);
        trailer(&attrs[0].attr, ID(0), TIME(i));
        end();
    }
}

void make_trailers(unsigned unused)
{
    (void)unused;
    static const u32 bits[] = { S_TID, S_TIME, S_ID, S_STREAM_ID, S_CPU };
    for (unsigned set = 32; set-- > 0;) {
        u64 type = S_IDENTIFIER;
        for (unsigned i = 0; i < COUNT(bits); i++)
            type |= set >> i & 1 ? bits[i] : 0;
        struct attr attr = sampling(type);
        attr.size = 64;
        attr.sample_id_all = 1;
        add_attr(attr, false);
    }
    common_features();
    for (size_t i = 0; i < nr_attrs; i++) {
        comm_record(i);
        text_poke(&attrs[i].attr, ID(i), TIME(i), 3, 4);
    }
}

void make_trailer(unsigned members)
{
    struct attr attr = sampling(members);
    attr.sample_id_all = 1;
    attr.read_format = R_ID;
    add_attr(attr, !(members & S_ID));
    common_features();
    if (members & S_ID) {
        kernel_records(0);
    } else {
        comm_record(0);
        text_poke(&attrs[0].attr, 0, TIME(1), 3, 4);
    }
}

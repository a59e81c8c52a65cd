/* SPDX-License-Identifier: MIT
 *
 * user.c: records of perf itself.
 */
#include "native.h"

struct id_entry {
    u64 id, idx, cpu, tid;
};
struct guest {
    u64 machine_pid, vcpu;
};

void put_id_index(bool guests)
{
    begin(69, 0);
    put64(nr_attrs * 2);
    for (size_t i = 0; i < nr_attrs * 2; i++)
        PUT(id_entry, attrs[i / 2].ids[i % 2], 0x0102 + i, i ? CPU + i : (u64)-1, D32(0x21 + (unsigned)i));
    for (size_t i = 0; guests && i < nr_attrs * 2; i++)
        PUT(guest, D64(0x51 + (unsigned)i), D64(0x61 + (unsigned)i));
    end();
}

struct cpu_list {
    u16 type, nr, cpu[5];
};
struct cpu_mask4 {
    u16 type, nr, long_size;
    u32 mask[17];
} __attribute__((packed));
struct cpu_mask8 {
    u16 type, nr, long_size;
    u8 pad[4];
    u64 mask[9];
} __attribute__((packed));
struct cpu_range {
    u16 type;
    u8 any_cpu, pad;
    u16 start, end;
};

static void put_cpu_map(enum map map)
{
    if (map == CPUS) {
        PUT(cpu_list, 0, 5, { CPU, CPU + 1, 0x0405, 0x0306, 0xffff });
    } else if (map == MASK4) {
        struct cpu_mask4 mask = { .type = 1, .nr = COUNT(mask.mask), .long_size = 4 };
        for (unsigned i = 0; i < COUNT(mask.mask); i++)
            mask.mask[i] = D32(0x11 + i);
        mask.mask[CPU / 32] |= 3u << CPU % 32;
        put(&mask, sizeof(mask));
    } else if (map == MASK8) {
        struct cpu_mask8 mask = { .type = 1, .nr = COUNT(mask.mask), .long_size = 8 };
        for (unsigned i = 0; i < COUNT(mask.mask); i++)
            mask.mask[i] = D64(0x21 + i);
        mask.mask[CPU / 64] |= (u64)3 << CPU % 64;
        put(&mask, sizeof(mask));
    } else {
        PUT(cpu_range, .type = 2, .any_cpu = 1, .start = 0x0102, .end = 0x0405);
    }
}

static void put_updates(void)
{
    static const double scale = 1.2345678901234567e-89;
    begin(78, 0);
    put64(0); /* unit */
    put64(ID(0));
    put_string("msec", 8);
    put_zeros(16);
    end();
    begin(78, 0);
    put64(1); /* scale */
    put64(ID(0) + 1);
    put(&scale, sizeof(scale));
    put_zeros(16);
    end();
    begin(78, 0);
    put64(2); /* name */
    put64(ID(0));
    put_string("a-name-of-24-characters!", 8);
    put_zeros(16);
    end();
    for (enum map map = CPUS; map <= RANGE; map++) {
        begin(78, 0);
        put64(3); /* cpus */
        put64(ID(0));
        put_cpu_map(map);
        end();
    }
}

struct stat_value {
    u64 id;
    u32 cpu, thread;
    u64 val, ena, run;
};

#define THREADS 0x0104

static void put_stat(enum map map)
{
    has_feature[F_STAT] = !is_pipe;
    begin(73, 0); /* THREAD_MAP: so many that an index has two bytes */
    put64(map == CPUS ? THREADS : 2);
    for (unsigned i = 0; i < (map == CPUS ? THREADS : 2); i++) {
        put64(i == 1 ? (u64)-1 : ((u64)1 << 40) + D32(0x21) + i);
        put_text(i == 1 ? "" : "thread", 16);
    }
    end();
    begin(74, 0); /* CPU_MAP */
    put_cpu_map(map);
    end();
    begin(75, 0); /* STAT_CONFIG */
    put64(4);
    for (unsigned tag = 0; tag < 4; tag++) {
        put64(tag);
        put64(D64(0x31 + tag));
    }
    end();
    for (unsigned i = 0; i < 2; i++) {
        begin(76, 0); /* STAT */
        PUT(stat_value, ID(0) + i, CPU + i, map == CPUS ? 0x0102 : 1, D64(0x41), D64(0x43), D64(0x42));
        end();
        begin(77, 0); /* STAT_ROUND */
        put64(i);
        put64(D64(0x44 + i));
        end();
    }
}

void make_stat(unsigned map)
{
    struct attr attr = sampling(S_IDENTIFIER);
    attr.read_format = R_ENABLED | R_RUNNING;
    add_attr(attr, false);
    common_features();
    put_updates();
    put_stat((enum map)map);
}

void make_read_samples(unsigned stat)
{
    struct attr attr = sampling(S_READ | S_IDENTIFIER | S_TID);
    attr.size = 64;
    for (attr.read_format = 0; attr.read_format < 32; attr.read_format++)
        if (attr.read_format & R_ID) /* samples without it cannot be read */
            add_attr(attr, false);
    common_features();
    if (stat)
        put_stat(RANGE);
    for (size_t i = 0; i < nr_attrs; i++)
        sample(i, 0, FULL);
}

void make_stat_pipe(unsigned map)
{
    is_pipe = true;
    make_stat(map);
}

struct time_conv {
    u64 shift, mult, zero, cycles, mask;
    u8 cap_zero, cap_short, reserved[6];
};

static void put_bpf_metadata(const struct attr *attr)
{
    static const u32 bits[] = { S_TID, S_TIME, S_ID, S_STREAM_ID, S_CPU, S_IDENTIFIER };
    begin(84, 0);
    put_text("program", 512);
    put64(2);
    for (unsigned i = 0; i < 2; i++) {
        put_text(i ? "key-two" : "key", 64);
        put_text("value", 256);
    }
    for (unsigned i = 0; attr->sample_id_all && i < COUNT(bits); i++)
        put_zeros(attr->sample_type & bits[i] ? 8 : 0);
    end();
}

static void put_error(u32 fmt)
{
    begin(72, 0); /* AUXTRACE_ERROR */
    put32s(5, 0x11);
    put32(fmt);
    put64(D64(0x21));
    if (fmt)
        put64(D64(0x22));
    if (fmt == 1)
        put_string("a message", 8);
    else
        put_text("another message", 64);
    if (fmt == 2)
        PUT(two, D32(0x23), D32(0x27));
    end();
}

void make_user(unsigned all)
{
    struct attr attr = sampling(S_IDENTIFIER | S_TID | S_TIME | S_CPU | S_ID | S_STREAM_ID);
    struct time_conv conv = { 0x23, D64(0x12), D64(0x13), D64(0x14), D64(0x15), 1, 1, { 0 } };
    attr.sample_id_all = all & 1;
    add_attr(attr, false);
    add_attr(attr, false);
    common_features();
    begin(79, 0); /* TIME_CONV as it was */
    put(&conv, offsetof(struct time_conv, cycles));
    end();
    conv.shift = 0x31;
    conv.cap_short = 0;
    begin(79, 0); /* and as it is */
    put(&conv, sizeof(conv));
    end();
    conv.cap_zero = 0;
    conv.cap_short = 1;
    begin(79, 0);
    put(&conv, sizeof(conv));
    end();
    put_id_index(false);
    put_id_index(true);
    put_updates();
    put_bpf_metadata(&attrs[0].attr);
    for (u32 fmt = 0; fmt <= 2; fmt++)
        put_error(fmt);
    begin(82, 0); /* FINISHED_INIT */
    end();
    comm_record(0);
    begin(68, 0); /* FINISHED_ROUND */
    end();
}

struct schedstat {
    u64 timestamp;
    u32 cpu;
    u16 version, domain;
};

void make_schedstat(unsigned unused)
{
    (void)unused;
    attr_size = VER9;
    common_features();
    for (u16 version = 15; version <= 17; version++) {
        begin(85, 0); /* SCHEDSTAT_CPU */
        PUT(schedstat, D64(0x11), CPU, version, 0);
        put32s(6, 0x21);
        put64s(3, 0x31);
        end();
        begin(86, 0); /* SCHEDSTAT_DOMAIN */
        PUT(schedstat, D64(0x12), CPU + 1, version, D16(0x13));
        put32s(version < 17 ? 36 : 45, 0x41);
        put_zeros(version < 17 ? 36 + 4 : 4);
        end();
    }
}

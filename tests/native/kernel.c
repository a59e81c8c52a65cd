/* SPDX-License-Identifier: MIT
 *
 * kernel.c: one of each record of the kernel's, but samples.
 */
#include "native.h"

void trailer(const struct attr *attr, u64 id, u64 time)
{
    u64 type = attr->sample_type;
    if (!attr->sample_id_all)
        return;
    if (type & S_TID)
        PUT(two, D32(0x21), D32(0x25));
    if (type & S_TIME)
        put64(time);
    if (type & S_ID)
        put64(id);
    if (type & S_STREAM_ID)
        put64(D64(0x31));
    if (type & S_CPU)
        PUT(two, CPU, 0);
    if (type & S_IDENTIFIER)
        put64(id);
}

void put_read(u64 format, u64 id)
{
    if (format & R_GROUP)
        put64(2);
    else
        put64(D64(0x41));
    if (format & R_ENABLED)
        put64(D64(0x42));
    if (format & R_RUNNING)
        put64(D64(0x43));
    for (unsigned i = 0; i < (format & R_GROUP ? 2 : 1); i++) {
        if (format & R_GROUP)
            put64(D64(0x44 + i));
        if (format & R_ID)
            put64(id + i);
        if (format & R_LOST)
            put64(D64(0x46 + i));
    }
}

struct mapping {
    u32 pid, tid;
    u64 addr, len, pgoff;
};
struct build_id_of_mapping {
    u8 size, reserved[3], id[20];
};
struct protection {
    u32 prot, flags;
};
struct task {
    u32 pid, ppid, tid, ptid;
    u64 time;
};
struct throttle {
    u64 time, id, stream_id;
};
struct ksymbol {
    u64 addr;
    u32 len;
    u16 type, flags;
};
struct bpf_event {
    u16 type, flags;
    u32 id;
    u8 tag[8];
};
struct text_poke {
    u64 addr;
    u16 old_len, new_len;
} __attribute__((packed)); /* the bytes begin right after the lengths */
struct namespace_link {
    u64 dev, inode;
};

#define ADDR(k) (D64(k) & ~(u64)0xfff)

void put_mapping(unsigned k)
{
    PUT(mapping, D32(k), D32(k + 4), ADDR(k + 8), 0x01020304000, D64(k + 0x10) & ~(u64)0xfff);
}

void text_poke(const struct attr *attr, u64 id, u64 time, u16 old_len, u16 new_len)
{
    begin(20, 1);
    PUT(text_poke, D64(0x51), old_len, new_len);
    put_bytes((size_t)old_len + new_len, 0xc1);
    pad(record_at, 8);
    trailer(attr, id, time);
    end();
}

void kernel_records(size_t number)
{
    const struct attr *attr = &attrs[number].attr;
    u64 id = ID(number), time = TIME(0x10 + 0x100 * number);
#define DONE(...)                                                                                            \
    do {                                                                                                     \
        __VA_ARGS__;                                                                                         \
        trailer(attr, id, time++);                                                                           \
        end();                                                                                               \
    } while (0)

    begin(1, 2 | 0x2000); /* MMAP, MMAP_DATA */
    put_mapping(0x11);
    DONE(put_string("/lib/seven77", 8));
    begin(1, 1);
    put_mapping(0x12);
    DONE(put_string("fifteen-letters", 8)); /* and the NUL is the last of two words */
    begin(2, 0);                            /* LOST */
    DONE(put64(id), put64(D64(0x13)));
    begin(3, 0x2000); /* COMM, COMM_EXEC */
    PUT(two, D32(0x14), D32(0x18));
    DONE(put_string("comm", 8));
    begin(7, 0x2000); /* FORK, FORK_EXEC */
    DONE(PUT(task, TASK(0x15), TASK(0x19), TASK(0x1d), TASK(0x21), D64(0x25)));
    begin(4, 0); /* EXIT */
    DONE(PUT(task, TASK(0x16), TASK(0x1a), TASK(0x1e), TASK(0x22), D64(0x26)));
    begin(5, 0); /* THROTTLE */
    DONE(PUT(throttle, D64(0x17), id, D64(0x18)));
    begin(6, 0); /* UNTHROTTLE */
    DONE(PUT(throttle, D64(0x19), id, D64(0x18)));
    begin(8, 0); /* READ */
    PUT(two, D32(0x1a), D32(0x1e));
    DONE(put_read(attr->read_format, id));
    begin(10, 2 | 0x1000); /* MMAP2 of an inode, PROC_MAP_PARSE_TIMEOUT */
    put_mapping(0x1b);
    PUT(inode, D32(0x1c), D32(0x20), D64(0x24), D64(0x2c));
    PUT(protection, 5, 0x00042002);
    DONE(put_string("/usr/lib/libseven.so", 8));
    begin(10, 2 | 0x2000); /* MMAP2 as perf inject --jit makes it: prot is the mode of a file */
    put_mapping(0x1d);
    PUT(inode, D32(0x1e), D32(0x22), D64(0x26), D64(0x2e));
    PUT(protection, 0x81a4, 0x01020102);
    DONE(put_string("/tmp/jitted-1-2.so", 8));
    begin(10, 2 | 0x4000); /* MMAP2 with a build id */
    put_mapping(0x1f);
    PUT(build_id_of_mapping, .size = 20,
        .id = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 });
    PUT(protection, 7, 0x00040001);
    DONE(put_string("/usr/bin/id-20", 8));
    begin(10, 2 | 0x4000); /* a shorter one */
    put_mapping(0x20);
    PUT(build_id_of_mapping, .size = 16,
        .id = { 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36 });
    PUT(protection, 3, 0x00062002);
    DONE(put_string("/usr/bin/id-16", 8));
    begin(11, 0); /* AUX */
    DONE(PUT(aux, D64(0x21), D64(0x22), 0x1305));
    begin(12, 0); /* ITRACE_START */
    DONE(PUT(two, D32(0x23), D32(0x27)));
    begin(13, 0x8000); /* LOST_SAMPLES, LOST_SAMPLES_BPF */
    DONE(put64(D64(0x24)));
    begin(14, 0x6000); /* SWITCH, SWITCH_OUT and _PREEMPT */
    DONE((void)0);
    begin(15, 0x2000); /* SWITCH_CPU_WIDE, SWITCH_OUT */
    DONE(PUT(two, D32(0x25), D32(0x29)));
    begin(16, 0); /* NAMESPACES */
    PUT(two, D32(0x26), D32(0x2a));
    put64(7);
    for (unsigned i = 0; i < 7; i++)
        PUT(namespace_link, D64(0x31 + i), D64(0x41 + i));
    DONE((void)0);
    for (u16 unregister = 0; unregister < 2; unregister++) {
        begin(17, 0); /* KSYMBOL */
        PUT(ksymbol, D64(0x27), D32(0x28), 1 + unregister, unregister);
        DONE(put_string("bpf_prog_0102030405060708_one", 8));
    }
    for (u16 type = 1; type <= 2; type++) {
        begin(18, 0); /* BPF_EVENT */
        DONE(PUT(bpf_event, type, D16(0x29), D32(0x2a), { 1, 2, 3, 4, 5, 6, 7, 8 }));
    }
    begin(19, 0); /* CGROUP */
    put64(D64(0x2b));
    DONE(put_string("/system.slice/one", 8));
    text_poke(attr, id, time++, 5, 3);
    text_poke(attr, id, time++, 1, 0x0102); /* both bytes of a length */
    text_poke(attr, id, time++, 0x0103, 2);
    text_poke(attr, id, time++, 7, 5); /* 4 + 12: no padding */
    begin(21, 0);                      /* AUX_OUTPUT_HW_ID */
    DONE(put64(D64(0x2c)));
}

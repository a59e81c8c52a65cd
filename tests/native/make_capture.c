/* SPDX-License-Identifier: MIT
 *
 * make_capture NAME FILE | all DIR | list: perf.data captures in the byte order of the machine that this is
 * compiled for, by structures, bit-fields and integers of the compiler. One compiled for x86-64 and one for
 * s390x make the same content in both orders, without any knowledge of how to swap it, so that they prove
 * what swaps it. It shares nothing with src/ for the same reason.
 *
 * The captures are canonical: a rewrite changes nothing, a rewrite to the other order makes the other file.
 * No byte of an integer is zero where its rules allow that, and no two are the same (D64 ...): a value that
 * is swapped in another width, or not at all, becomes another value.
 *
 * Layouts: include/uapi/linux/perf_event.h and bpf.h where the installed ones know them, else as declared
 * here, from the format reference. Compiled with -Wpadded: a hole would hold what happens to lie there.
 */
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;

/* Consecutive bytes from k on: D32(0x11) is 0x11121314. k: at most 0xf8. */
#define D16(k) ((u16)(0x0101u * (k) + 0x0001u))
#define D32(k) ((u32)(0x01010101u * (k) + 0x00010203u))
#define D64(k) ((u64)0x0101010101010101u * (k) + 0x0001020304050607u)

#define ID(n)    D64((n) + 1) /* of attr n; the next number is its too */
#define CPU      0x0203u      /* below NR_CPUS, of two bytes */
#define NR_CPUS  0x0708u
#define TIME(n)  (0x0102030405060700u + (n))
#define COUNT(x) (sizeof(x) / sizeof(*(x)))

/* --- bytes --- */

struct buffer {
    unsigned char *bytes;
    size_t len, cap;
};

static struct buffer *out;

static void put(const void *bytes, size_t len)
{
    if (out->len + len > out->cap) {
        out->cap = (out->len + len) * 2;
        out->bytes = realloc(out->bytes, out->cap);
        if (!out->bytes)
            abort();
    }
    memcpy(out->bytes + out->len, bytes, len);
    out->len += len;
}

#define PUT(s, ...) put(&(struct s){ __VA_ARGS__ }, sizeof(struct s))
#define PUT_ALL(a)  put((a), sizeof(a))

static void put8(u8 v)
{
    put(&v, sizeof(v));
}

static void put32(u32 v)
{
    put(&v, sizeof(v));
}

static void put64(u64 v)
{
    put(&v, sizeof(v));
}

/* k: of the first; the others go on from there. */
static void put32s(unsigned n, unsigned k)
{
    for (unsigned i = 0; i < n; i++)
        put32(D32(k + i));
}

static void put64s(unsigned n, unsigned k)
{
    for (unsigned i = 0; i < n; i++)
        put64(D64(k + i));
}

static void put_bytes(size_t n, unsigned k)
{
    for (size_t i = 0; i < n; i++)
        put8((u8)(k + i));
}

static void put_zeros(size_t n)
{
    while (n--)
        put8(0);
}

static void pad(size_t start, size_t unit)
{
    put_zeros((unit - (out->len - start) % unit) % unit);
}

/* With its NUL and zeros up to a multiple of the unit. */
static void put_string(const char *text, size_t unit)
{
    size_t start = out->len;
    put(text, strlen(text) + 1);
    pad(start, unit);
}

static void put_text(const char *text, size_t room)
{
    put(text, strlen(text));
    put_zeros(room - strlen(text));
}

/* A string of a header feature. */
static void put_hstr(const char *text)
{
    put32((u32)((strlen(text) + 64) / 64 * 64));
    put_string(text, 64);
}

/* --- a capture as it grows --- */

/* struct perf_event_attr of Linux 7.2 */
struct attr {
    u32 type;
    u32 size;
    u64 config;
    u64 sample_period;
    u64 sample_type;
    u64 read_format;
    u64 disabled : 1, inherit : 1, pinned : 1, exclusive : 1, exclude_user : 1, exclude_kernel : 1,
        exclude_hv : 1, exclude_idle : 1, mmap : 1, comm : 1, freq : 1, inherit_stat : 1, enable_on_exec : 1,
        task : 1, watermark : 1, precise_ip : 2, mmap_data : 1, sample_id_all : 1, exclude_host : 1,
        exclude_guest : 1, exclude_callchain_kernel : 1, exclude_callchain_user : 1, mmap2 : 1, comm_exec : 1,
        use_clockid : 1, context_switch : 1, write_backward : 1, namespaces : 1, ksymbol : 1, bpf_event : 1,
        aux_output : 1, cgroup : 1, text_poke : 1, build_id : 1, inherit_thread : 1, remove_on_exec : 1,
        sigtrap : 1, defer_callchain : 1, defer_output : 1, reserved_1 : 24;
    u32 wakeup_events;
    u32 bp_type;
    u64 config1;
    u64 config2;
    u64 branch_sample_type;
    u64 sample_regs_user;
    u32 sample_stack_user;
    s32 clockid;
    u64 sample_regs_intr;
    u32 aux_watermark;
    u16 sample_max_stack;
    u16 reserved_2;
    u32 aux_sample_size;
    u32 aux_start_paused : 1, aux_pause : 1, aux_resume : 1, reserved_3 : 29;
    u64 sig_data;
    u64 config3;
    u64 config4;
};

#define VER9 144

enum {
    S_IP = 1 << 0,
    S_TID = 1 << 1,
    S_TIME = 1 << 2,
    S_ADDR = 1 << 3,
    S_READ = 1 << 4,
    S_CALLCHAIN = 1 << 5,
    S_ID = 1 << 6,
    S_CPU = 1 << 7,
    S_PERIOD = 1 << 8,
    S_STREAM_ID = 1 << 9,
    S_RAW = 1 << 10,
    S_BRANCH_STACK = 1 << 11,
    S_REGS_USER = 1 << 12,
    S_STACK_USER = 1 << 13,
    S_WEIGHT = 1 << 14,
    S_DATA_SRC = 1 << 15,
    S_IDENTIFIER = 1 << 16,
    S_TRANSACTION = 1 << 17,
    S_REGS_INTR = 1 << 18,
    S_PHYS_ADDR = 1 << 19,
    S_AUX = 1 << 20,
    S_CGROUP = 1 << 21,
    S_DATA_PAGE_SIZE = 1 << 22,
    S_CODE_PAGE_SIZE = 1 << 23,
    S_WEIGHT_STRUCT = 1 << 24,
};
#define SAMPLE_BITS 25
enum { R_ENABLED = 1, R_RUNNING = 2, R_ID = 4, R_GROUP = 8, R_LOST = 16 };
#define BRANCH_HW_INDEX (1u << 17)
#define BRANCH_COUNTERS (1u << 19)

enum {
    F_TRACING_DATA = 1,
    F_BUILD_ID,
    F_HOSTNAME,
    F_OSRELEASE,
    F_VERSION,
    F_ARCH,
    F_NRCPUS,
    F_CPUDESC,
    F_CPUID,
    F_TOTAL_MEM,
    F_CMDLINE,
    F_EVENT_DESC,
    F_CPU_TOPOLOGY,
    F_NUMA_TOPOLOGY,
    F_BRANCH_STACK,
    F_PMU_MAPPINGS,
    F_GROUP_DESC,
    F_AUXTRACE,
    F_STAT,
    F_CACHE,
    F_SAMPLE_TIME,
    F_MEM_TOPOLOGY,
    F_CLOCKID,
    F_DIR_FORMAT,
    F_BPF_PROG_INFO,
    F_BPF_BTF,
    F_COMPRESSED,
    F_CPU_PMU_CAPS,
    F_CLOCK_DATA,
    F_HYBRID_TOPOLOGY,
    F_PMU_CAPS,
    F_CPU_DOMAIN_INFO,
    F_E_MACHINE,
    F_CLN_SIZE,
    F_END
};

static bool is_pipe;
static struct {
    struct attr attr;
    u64 ids[2];
    size_t nr_ids;
} attrs[64];
static size_t nr_attrs;
static u32 attr_size; /* of a capture without attrs */
static struct buffer data, feature[F_END], whole;
static bool has_feature[F_END];

/* Each has two ids, or none where `lone`. Returns it; no pointer is kept over the next one. */
static struct attr *add_attr(struct attr attr, bool lone)
{
    attrs[nr_attrs].attr = attr;
    attrs[nr_attrs].nr_ids = lone ? 0 : 2;
    attrs[nr_attrs].ids[0] = ID(nr_attrs);
    attrs[nr_attrs].ids[1] = ID(nr_attrs) + 1;
    return &attrs[nr_attrs++].attr;
}

static void begin_feature(unsigned bit)
{
    out = &feature[bit];
    has_feature[bit] = true;
}

static size_t record_at;
static struct perf_event_header record_header;

static void begin(u32 type, u16 misc)
{
    record_at = out->len;
    record_header = (struct perf_event_header){ .type = type, .misc = misc };
    put(&record_header, sizeof(record_header));
}

static void end_unaligned(void)
{
    record_header.size = (u16)(out->len - record_at);
    memcpy(out->bytes + record_at, &record_header, sizeof(record_header));
}

static void end(void)
{
    pad(record_at, 8);
    end_unaligned();
}

/* Where in the file the data will lie. All attrs must be there. */
static u64 data_offset(void)
{
    u64 at = 104;
    for (size_t i = 0; i < nr_attrs; i++)
        at += attrs[i].nr_ids * 8 + attrs[i].attr.size + 16;
    return at;
}

struct section {
    u64 offset, size;
};
struct file_header {
    u64 magic, size, attr_size;
    struct section attrs, data, event_types;
    u64 features[4];
};
struct pipe_header {
    u64 magic, size;
};
#define MAGIC 0x32454c4946524550u /* as an integer: its bytes tell the order */

static void write_file(void)
{
    u32 size = nr_attrs ? attrs[0].attr.size : attr_size;
    u64 ids = 104, at = ids, after;
    struct file_header header = { .magic = MAGIC, .size = sizeof(header), .attr_size = size + 16 };

    for (size_t i = 0; i < nr_attrs; i++)
        at += attrs[i].nr_ids * 8;
    header.attrs = (struct section){ at, nr_attrs * (size + 16) };
    header.data = (struct section){ data_offset(), data.len };
    after = header.data.offset + header.data.size;
    for (unsigned bit = 0; bit < F_END; bit++) {
        if (has_feature[bit]) {
            header.features[bit / 64] |= (u64)1 << bit % 64;
            after += sizeof(struct section);
        }
    }
    put(&header, sizeof(header));
    for (size_t i = 0; i < nr_attrs; i++)
        put(attrs[i].ids, attrs[i].nr_ids * 8);
    for (size_t i = 0; i < nr_attrs; i++) {
        put(&attrs[i].attr, size);
        PUT(section, ids, attrs[i].nr_ids * 8);
        ids += attrs[i].nr_ids * 8;
    }
    put(data.bytes, data.len);
    for (unsigned bit = 0; bit < F_END; bit++) {
        if (has_feature[bit]) {
            PUT(section, after, feature[bit].len);
            after += feature[bit].len;
        }
    }
    for (unsigned bit = 0; bit < F_END; bit++)
        put(feature[bit].bytes, feature[bit].len);
}

/* That of 6.1 and 6.12, or of 7.2. */
static u64 end_mark(void)
{
    unsigned highest = 0;
    for (unsigned bit = 2; bit < F_END; bit++)
        highest = has_feature[bit] ? bit : highest;
    return attrs[0].attr.size <= 136 && highest < 32 ? 32 : F_END;
}

static void write_pipe(void)
{
    PUT(pipe_header, MAGIC, 16);
    for (size_t i = 0; i < nr_attrs; i++) {
        begin(64, 0);
        put(&attrs[i].attr, attrs[i].attr.size);
        put(attrs[i].ids, attrs[i].nr_ids * 8);
        end();
    }
    for (unsigned bit = 2; bit < F_END; bit++) {
        if (has_feature[bit]) {
            begin(80, 0);
            put64(bit);
            put(feature[bit].bytes, feature[bit].len);
            end_unaligned();
        }
    }
    begin(80, 0); /* the end mark */
    put64(end_mark());
    end();
    if (has_feature[F_TRACING_DATA]) {
        size_t len = (feature[F_TRACING_DATA].len + 7) / 8 * 8;
        begin(66, 0);
        put32((u32)len);
        end_unaligned();
        put(feature[F_TRACING_DATA].bytes, feature[F_TRACING_DATA].len);
        put_zeros(len - feature[F_TRACING_DATA].len);
    }
    put(data.bytes, data.len);
}

/* --- records of the kernel --- */

struct two {
    u32 first, second;
};

static void trailer(const struct attr *attr, u64 id, u64 time)
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

static void put_read(u64 format, u64 id)
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
struct inode {
    u32 maj, min;
    u64 ino, generation;
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
struct aux {
    u64 offset, size, flags;
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

static void put_mapping(unsigned k)
{
    PUT(mapping, D32(k), D32(k + 4), ADDR(k + 8), 0x01020304000, D64(k + 0x10) & ~(u64)0xfff);
}

static void text_poke(const struct attr *attr, u64 id, u64 time, u16 old_len, u16 new_len)
{
    begin(20, 1);
    PUT(text_poke, D64(0x51), old_len, new_len);
    put_bytes((size_t)old_len + new_len, 0xc1);
    pad(record_at, 8);
    trailer(attr, id, time);
    end();
}

/* Every type that is no sample. */
static void kernel_records(size_t number)
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
    DONE(PUT(task, D32(0x15), D32(0x19), D32(0x1d), D32(0x21), D64(0x25)));
    begin(4, 0); /* EXIT */
    DONE(PUT(task, D32(0x16), D32(0x1a), D32(0x1e), D32(0x22), D64(0x26)));
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

/* --- samples --- */

static struct perf_branch_entry branches[64];
static u64 nr_branches;
static const void *raw; /* the payload of the next samples; NULL: bytes that nothing describes */
static u32 raw_size;

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
    for (unsigned i = 0; i < 4; i++) {
        BRANCH(.type = 15, .new_type = 1u << i);
    }
    for (unsigned i = 0; i < 3; i++) {
        BRANCH(.priv = 1u << i);
    }
    BRANCH(.mispred = 1, .in_tx = 1, .cycles = 0x1234, .type = 15, .spec = 2, .new_type = 6, .priv = 3);
    BRANCH(.predicted = 1, .abort = 1, .cycles = 0xfedc, .type = 6, .spec = 1, .new_type = 0, .priv = 1);
    BRANCH(.predicted = 1, .cycles = 0xffff, .type = 15, .spec = 3, .new_type = 15, .priv = 7);
}

static void few_branches(void)
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

enum shape {
    FULL,
    EMPTY,       /* every count and abi is 0 */
    EMPTY_NO_HW, /* and there is no hw_idx: the event had no branch data at all */
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

static void sample(size_t number, u64 time, enum shape shape)
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

/* A type that does not ask for anything else: software, bpf-output. */
static struct attr sampling(u64 sample_type)
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

/* The features that every perf writes; without HOSTNAME perf drops all others in a file of another byte
 * order. */
static void common_features(void)
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

static void comm_record(size_t number)
{
    begin(3, 0);
    PUT(two, D32(0x14), D32(0x18));
    put_string("comm", 8);
    trailer(&attrs[number].attr, ID(number), TIME(number));
    end();
}

/* The only bit of the only attr. */
static void make_alone(unsigned bit)
{
    add_attr(sampling((u64)1 << bit), bit != 4 && bit != 6 && bit != 16);
    few_branches();
    common_features();
    sample(0, TIME(1), FULL);
    sample(0, TIME(2), EMPTY);
}

/* Each bit beside IDENTIFIER, all in one capture. */
static void make_bits(unsigned unused)
{
    (void)unused;
    for (unsigned bit = 0; bit < SAMPLE_BITS; bit++)
        add_attr(sampling((u64)1 << bit | S_IDENTIFIER), false);
    few_branches();
    common_features();
    for (size_t i = 0; i < nr_attrs; i++)
        sample(i, TIME(i), FULL);
}

/* All bits that can stand together. */
static void make_all(unsigned unused)
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

/* Counters are of one event at most: perf 7.2 dies of two. */
static void make_branch(unsigned kind)
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

static void make_branch_no_hw_idx(unsigned kind)
{
    make_branch(kind);
    sample(0, 0, EMPTY_NO_HW);
}

/* Every read_format; no id is needed among the values of a record. */
static void make_read_records(unsigned unused)
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

static void make_kernel(unsigned with)
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

/* The first MMAP2, of kernels 3.12 to 3.15: without prot and flags. */
static void make_mmap2_old(unsigned all)
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

/* Every set of members beside IDENTIFIER. The first is the largest: perf looks there for the size. */
static void make_trailers(unsigned unused)
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

/* Trailers without IDENTIFIER. */
static void make_trailer(unsigned members)
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

/* --- attrs --- */

static void put_event_desc(void)
{
    begin_feature(F_EVENT_DESC);
    PUT(two, (u32)nr_attrs, attrs[0].attr.size);
    for (size_t i = 0; i < nr_attrs; i++) {
        char name[32];
        snprintf(name, sizeof(name), "event-%u", (unsigned)i);
        put(&attrs[i].attr, attrs[i].attr.size);
        put32((u32)attrs[i].nr_ids);
        put_hstr(name);
        put(attrs[i].ids, attrs[i].nr_ids * 8);
    }
    out = &data;
}

/* Every member; what lies after the size is not written. */
static struct attr full_attr(u32 size, unsigned k)
{
    return (struct attr){
        .type = D32(k + 1),
        .size = size,
        .config = D64(k + 2),
        .sample_period = D64(k + 3),
        .sample_type = 0x00a1c187, /* nothing that needs another member */
        .read_format = R_ENABLED | R_ID | R_LOST,
        .disabled = 1,
        .pinned = 1,
        .exclude_kernel = 1,
        .mmap = 1,
        .comm = 1,
        .task = 1,
        .precise_ip = 2,
        .exclude_guest = 1,
        .mmap2 = 1,
        .comm_exec = 1,
        .ksymbol = 1,
        .aux_output = 1,
        .build_id = 1,
        .wakeup_events = D32(k + 4),
        .bp_type = D32(k + 5),
        .config1 = D64(k + 6),
        .config2 = D64(k + 7),
        .branch_sample_type = D64(k + 8),
        .sample_regs_user = D64(k + 9),
        .sample_stack_user = D32(k + 10),
        .clockid = (s32)D32(k + 11),
        .sample_regs_intr = D64(k + 12),
        .aux_watermark = D32(k + 13),
        .sample_max_stack = D16(k + 14),
        .aux_sample_size = D32(k + 15),
        .aux_start_paused = k % 2,
        .aux_pause = 1 - k % 2,
        .aux_resume = k % 2,
        .sig_data = D64(k + 16),
        .config3 = D64(k + 17),
        .config4 = D64(k + 18),
    };
}

static void make_attr(unsigned size)
{
    add_attr(full_attr(size, 0x10), false);
    add_attr(full_attr(size, 0x31), false)->clockid = -0x01020304;
    common_features();
    put_event_desc();
    comm_record(0);
}

static void make_attr_pipe(unsigned size)
{
    is_pipe = true;
    make_attr(size);
}

/* Each flag alone, with what it needs. */
static void make_flags(unsigned all)
{
    struct attr attr;
#define FLAG(...)                                                                                            \
    attr = (struct attr){ .type = 1,                                                                         \
                          .size = 64,                                                                        \
                          .config = 9,                                                                       \
                          .sample_type = S_IDENTIFIER,                                                       \
                          .sample_id_all = all & 1,                                                          \
                          __VA_ARGS__ };                                                                     \
    add_attr(attr, false)
    FLAG(.sample_period = D64(1));
    FLAG(.disabled = 1);
    FLAG(.inherit = 1);
    FLAG(.pinned = 1);
    FLAG(.exclusive = 1);
    FLAG(.exclude_user = 1);
    FLAG(.exclude_kernel = 1);
    FLAG(.exclude_hv = 1);
    FLAG(.exclude_idle = 1);
    FLAG(.mmap = 1);
    FLAG(.comm = 1);
    FLAG(.freq = 1, .sample_period = D64(2));
    FLAG(.inherit_stat = 1);
    FLAG(.enable_on_exec = 1);
    FLAG(.task = 1);
    FLAG(.watermark = 1, .wakeup_events = D32(3));
    FLAG(.precise_ip = 1);
    FLAG(.precise_ip = 2);
    FLAG(.precise_ip = 3);
    FLAG(.mmap_data = 1);
    FLAG(.exclude_host = 1);
    FLAG(.exclude_guest = 1);
    FLAG(.exclude_callchain_kernel = 1);
    FLAG(.exclude_callchain_user = 1);
    FLAG(.mmap2 = 1);
    FLAG(.comm_exec = 1);
    FLAG(.use_clockid = 1);
    FLAG(.context_switch = 1);
    FLAG(.write_backward = 1);
    FLAG(.namespaces = 1);
    FLAG(.ksymbol = 1);
    FLAG(.bpf_event = 1);
    FLAG(.aux_output = 1);
    FLAG(.cgroup = 1);
    FLAG(.text_poke = 1);
    FLAG(.build_id = 1);
    FLAG(.inherit = 1, .inherit_thread = 1);
    FLAG(.remove_on_exec = 1);
    FLAG(.remove_on_exec = 1, .sigtrap = 1);
    FLAG(.defer_output = 1);
    FLAG(.defer_callchain = 1, .sample_type = S_IDENTIFIER | S_CALLCHAIN);
    common_features();
    comm_record(0);
}

/* Members that need a flag or another attr size, and groups of AUX events. */
static void make_members(unsigned unused)
{
    (void)unused;
    struct attr base = sampling(S_IDENTIFIER | S_TIME);
    struct attr *attr = add_attr(base, false);
    attr->use_clockid = 1;
    attr->clockid = 11;
    attr = add_attr(base, false);
    attr->aux_start_paused = 1;
    add_attr(base, false)->aux_pause = 1;
    add_attr(base, false)->aux_resume = 1;
    attr = add_attr(base, false);
    attr->aux_start_paused = attr->aux_pause = attr->aux_resume = 1;
    attr = add_attr(base, false);
    attr->sigtrap = attr->remove_on_exec = 1;
    attr->sig_data = D64(0x41);
    attr = add_attr(base, false);
    attr->type = 5; /* a breakpoint */
    attr->bp_type = 3;
    attr->config1 = D64(0x42);
    attr->config2 = 8;
    common_features();
    begin_feature(F_CLOCK_DATA);
    PUT(two, 1, 11);
    put64s(2, 0x43);
    begin_feature(F_CLOCKID);
    put64(D64(0x46));
    put_event_desc();
    comm_record(0);
}

/* --- user records --- */

struct id_entry {
    u64 id, idx, cpu, tid;
};
struct guest {
    u64 machine_pid, vcpu;
};

static void put_id_index(bool guests)
{
    begin(69, 0);
    put64(nr_attrs * 2);
    for (size_t i = 0; i < nr_attrs * 2; i++)
        PUT(id_entry, attrs[i / 2].ids[i % 2], 0x0102 + i, i ? CPU + i : (u64)-1, D32(0x21 + (unsigned)i));
    for (size_t i = 0; guests && i < nr_attrs * 2; i++)
        PUT(guest, D64(0x51 + (unsigned)i), D64(0x61 + (unsigned)i));
    end();
}

/* cpu_map_data: kinds CPUS, MASK of 4 and of 8 bytes, RANGE_CPUS. All hold CPU and CPU + 1. */
enum map { CPUS, MASK4, MASK8, RANGE };

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
        PUT(stat_value, ID(0) + i, CPU + i, map == CPUS ? 0x0102 : 1, D64(0x41), D64(0x42), D64(0x43));
        end();
        begin(77, 0); /* STAT_ROUND */
        put64(i);
        put64(D64(0x44 + i));
        end();
    }
}

static void make_stat(unsigned map)
{
    struct attr attr = sampling(S_IDENTIFIER);
    attr.read_format = R_ENABLED | R_RUNNING;
    add_attr(attr, false);
    common_features();
    put_updates();
    put_stat((enum map)map);
}

/* Samples need an id among their values, but not beside STAT records: there perf looks for no event. */
static void make_read_samples(unsigned stat)
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

static void make_stat_pipe(unsigned map)
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

static void make_user(unsigned all)
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

/* perf sched stats record: no attr at all. */
static void make_schedstat(unsigned unused)
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

/* --- AUX area traces --- */

enum decoder {
    PT_FILTER = 0x101,
    PT_LONG = 0x201,
    PT_MIN = 1,
    BTS = 2,
    ETM = 3,
    ETM_V0 = 0x103,
    SPE = 4,
    SPE_V2 = 0x104,
    CPUMSF = 5,
    PTT = 6,
    VPA = 7
};

struct auxtrace {
    u64 size, offset, reference;
    u32 idx, tid, cpu, reserved;
};

static void put_trace_cpus(unsigned nr_params)
{
    for (unsigned i = 0; i < 2; i++) {
        put64(D64(0x31 + i)); /* magic */
        put64(CPU + i);
        put64(nr_params + i);
        put64s(nr_params + i, 0x41 + 0x10 * i);
    }
}

static void put_trace_info(enum decoder decoder)
{
    begin(70, 0);
    PUT(two, decoder & 0xff, 0);
    switch (decoder) {
    case PT_MIN:
        put64s(10, 0x11);
        break;
    case PT_FILTER:
        put64s(16, 0x11);
        put64(24); /* of the text, without its NUL and its padding */
        put_string("filter main @ /usr/bin/a", 1);
        pad(record_at, 8);
        put64(D64(0x31)); /* event_trace */
        break;
    case PT_LONG:
        put64s(16, 0x11);
        put64(0);
        put64(D64(0x32));
        break;
    case BTS:
        put64s(6, 0x11);
        break;
    case ETM:
        put64(1);
        put64((u64)D32(0x11) << 32 | 2); /* PMU type and number of CPUs in one word */
        put64(D64(0x12));
        put_trace_cpus(5);
        break;
    case ETM_V0: /* the words of the CPUs are only words */
        put64(0);
        put64((u64)D32(0x11) << 32 | 2);
        put64(D64(0x12));
        put64s(9, 0x21);
        break;
    case SPE:
        put64s(2, 0x11);
        break;
    case SPE_V2:
        put64(2);
        put64(4);
        put64(D64(0x11));
        put64(2);
        put_trace_cpus(4);
        break;
    case CPUMSF:
        break;
    case PTT:
    case VPA:
        put64(D64(0x11));
        break;
    }
    end();
}

static void make_aux(unsigned decoder)
{
    u64 places[2];
    struct attr attr = sampling(S_IDENTIFIER | S_TID | S_TIME | S_CPU);
    attr.sample_id_all = 1;
    attr.aux_watermark = D32(0x11);
    add_attr(attr, false);
    common_features();
    put_id_index(false);
    put_trace_info((enum decoder)decoder);
    for (unsigned i = 0; i < 2; i++) {
        begin(11, 0); /* AUX */
        PUT(aux, 0x18 * i, 0x18, 0);
        trailer(&attrs[0].attr, ID(0), TIME(i));
        end();
        places[i] = data_offset() + data.len;
        begin(71, 0); /* AUXTRACE, and the trace after it */
        PUT(auxtrace, 0x18, 0x18 * i + ((u64)1 << 40), D64(0x22), 0x0102 + i, D32(0x21 + i),
            i ? CPU + i : (u32)-1, 0);
        end();
        put_bytes(0x18, 0xd1);
    }
    if (!is_pipe) {
        begin_feature(F_AUXTRACE);
        put64(2);
        for (unsigned i = 0; i < 2; i++) {
            put64(places[i]);
            put64(48);
        }
    }
}

static void make_aux_pipe(unsigned decoder)
{
    is_pipe = true;
    make_aux(decoder);
}

/* --- tracepoints: the texts say what the structures are --- */

#define COMMON                                                                                               \
    u16 common_type;                                                                                         \
    u8 common_flags;                                                                                         \
    u8 common_preempt;                                                                                       \
    s32 common_pid

struct tp_scalars {
    COMMON;
    u64 a;
    int64_t b;
    unsigned long c;
    void *d;
    u64 m;
    u32 e;
    s32 f;
    u32 n;
    u16 g;
    int16_t h;
    u8 i;
    int8_t j;
    bool k;
    char l;
} __attribute__((packed));
struct tp_arrays {
    COMMON;
    u16 a[3];
    u8 mac[6];
    u32 b[2];
    u64 c[2];
    unsigned long d[2];
    char comm[16];
    u32 e[3];
    u16 f[2];
    int16_t g[2];
    u8 h[4];
} __attribute__((packed));
struct tp_dynamic {
    COMMON;
    u32 name;    /* __data_loc char[] */
    u32 words;   /* __data_loc u16[] */
    u32 longs;   /* __data_loc unsigned long[] */
    u32 none;    /* __data_loc u32[], empty */
    u32 bytes;   /* __data_loc u8[] */
    u32 rel;     /* __rel_loc u32[] */
    u32 relname; /* __rel_loc char[] */
    u32 last;
    char name_[6];
    u16 words_[3];
    u64 longs_[2];
    u8 bytes_[5];
    u32 rel_[2];
    char relname_[4];
    u8 tail[7]; /* undescribed */
} __attribute__((packed));
struct tp_function {
    COMMON;
    unsigned long ip;
    unsigned long parent;
    unsigned long args[3];
    u32 tail; /* no whole element */
} __attribute__((packed));

#define TP_FUNCTION 1
#define TP_SCALARS  0x0102
#define TP_ARRAYS   0x0203
#define TP_DYNAMIC  0x0304

struct tp_field {
    const char *declaration;
    size_t offset, size, is_signed;
};
#define F(s, member, text, sign)                                                                             \
    {                                                                                                        \
        text, offsetof(struct s, member), sizeof(((struct s *)0)->member), sign                              \
    }

static const struct tp_field common_fields[] = {
    F(tp_scalars, common_type, "unsigned short common_type", 0),
    F(tp_scalars, common_flags, "unsigned char common_flags", 0),
    F(tp_scalars, common_preempt, "unsigned char common_preempt_count", 0),
    F(tp_scalars, common_pid, "int common_pid", 1),
};
static const struct tp_field scalar_fields[] = {
    F(tp_scalars, a, "u64 a", 0),
    F(tp_scalars, b, "long long b", 1),
    F(tp_scalars, c, "unsigned long c", 0),
    F(tp_scalars, d, "const char *const * d", 0),
    F(tp_scalars, m, "size_t m", 0),
    F(tp_scalars, e, "gfp_t e", 0),
    F(tp_scalars, f, "pid_t f", 1),
    F(tp_scalars, n, "enum thing n", 0),
    F(tp_scalars, g, "umode_t g", 0),
    F(tp_scalars, h, "short h", 1),
    F(tp_scalars, i, "u8 i", 0),
    F(tp_scalars, j, "s8 j", 1),
    F(tp_scalars, k, "bool k", 0),
    F(tp_scalars, l, "char l", 1),
};
static const struct tp_field array_fields[] = {
    F(tp_arrays, a, "u16 a[3]", 0),           F(tp_arrays, mac, "unsigned char mac[6]", 0),
    F(tp_arrays, b, "__u32 b[2]", 0),         F(tp_arrays, c, "u64 c[2]", 0),
    F(tp_arrays, d, "unsigned long d[2]", 0), F(tp_arrays, comm, "char comm[16]", 1),
    F(tp_arrays, e, "int e[NR_THINGS]", 1),   F(tp_arrays, f, "unsigned short f[THING_LEN + 1]", 0),
    F(tp_arrays, g, "s16 g[2]", 1),           F(tp_arrays, h, "u8 h[4]", 0),
};
static const struct tp_field dynamic_fields[] = {
    F(tp_dynamic, name, "__data_loc char[] name", 1),
    F(tp_dynamic, words, "__data_loc u16[] words", 0),
    F(tp_dynamic, longs, "__data_loc unsigned long[] longs", 0),
    F(tp_dynamic, none, "__data_loc u32[] none", 0),
    F(tp_dynamic, bytes, "__data_loc u8[] bytes", 0),
    F(tp_dynamic, rel, "__rel_loc u32[] rel", 0),
    F(tp_dynamic, relname, "__rel_loc char[] relname", 1),
    F(tp_dynamic, last, "unsigned int last", 0),
};
static const struct tp_field function_fields[] = {
    F(tp_function, ip, "unsigned long ip", 0),
    F(tp_function, parent, "unsigned long parent_ip", 0),
    { "unsigned long args[]", offsetof(struct tp_function, args), 0, 0 },
};

static size_t put_fields(char *text, size_t room, const struct tp_field *field, size_t n)
{
    size_t len = 0;
    for (; n--; field++)
        len += (size_t)snprintf(text + len, room - len, "\tfield:%s;\toffset:%zu;\tsize:%zu;\tsigned:%zu;\n",
                                field->declaration, field->offset, field->size, field->is_signed);
    return len;
}

static void put_format(const char *name, unsigned id, const struct tp_field *field, size_t n,
                       const char *print)
{
    char text[4096];
    size_t len = (size_t)snprintf(text, sizeof(text), "name: %s\nID: %u\nformat:\n", name, id);
    len += put_fields(text + len, sizeof(text) - len, common_fields, COUNT(common_fields));
    text[len++] = '\n';
    len += put_fields(text + len, sizeof(text) - len, field, n);
    len += (size_t)snprintf(text + len, sizeof(text) - len, "\nprint fmt: %s\n", print);
    put64(len);
    put(text, len);
}

static void put_sized(const char *text)
{
    put64(strlen(text));
    put(text, strlen(text));
}

static void put_tracing_data(unsigned version)
{
    static const u8 magic[] = { 0x17, 0x08, 0x44 };
    static const char printk[] = "0xffffffff82000000 : \"demo\"\n", kallsyms[] = "ffffffff81000000 T _text\n";
    begin_feature(F_TRACING_DATA);
    PUT_ALL(magic);
    put(version < 6 ? "tracing0.5" : "tracing0.6", 11);
    put8(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    put8(sizeof(long));
    put32(0x10000); /* the page size */
    put("header_page", 12);
    put_sized("\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
              "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
              "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
              "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n");
    put("header_event", 13);
    put_sized("# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray      "
              " :   32 bits\n");
    put32(1); /* formats of ftrace */
    put_format("function", TP_FUNCTION, function_fields, COUNT(function_fields),
               "\" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip");
    put32(2); /* systems */
    put_string("native", 1);
    put32(2);
    put_format("scalars", TP_SCALARS, scalar_fields, COUNT(scalar_fields), "\"a=%llu f=%d\", REC->a, REC->f");
    put_format("arrays", TP_ARRAYS, array_fields, COUNT(array_fields), "\"comm=%s\", REC->comm");
    put_string("dynamic", 1);
    put32(1);
    put_format("dynamic", TP_DYNAMIC, dynamic_fields, COUNT(dynamic_fields),
               "\"name=%s last=%u\", __get_str(name), REC->last");
    put32(sizeof(kallsyms) - 1);
    put(kallsyms, sizeof(kallsyms) - 1);
    put32(sizeof(printk) - 1);
    put(printk, sizeof(printk) - 1);
    if (version >= 6)
        put_sized("74565 one\n"); /* saved_cmdlines */
    out = &data;
}

#define LOC(s, member)       (u32)(sizeof(((struct s *)0)->member) << 16 | offsetof(struct s, member))
#define REL(s, word, member) (u32)(LOC(s, member) - offsetof(struct s, word) - 4)
#define SAMPLE_OF(number, payload)                                                                           \
    raw = &(payload);                                                                                        \
    raw_size = sizeof(payload);                                                                              \
    sample((number), TIME(number), FULL)

static void make_tracepoints(unsigned version)
{
    static const u64 events[] = { TP_SCALARS, TP_ARRAYS, TP_DYNAMIC, TP_FUNCTION };
    for (size_t i = 0; i < COUNT(events); i++) {
        struct attr *attr =
            add_attr(sampling(S_IDENTIFIER | S_IP | S_TID | S_TIME | S_CPU | S_PERIOD | S_RAW), false);
        attr->type = 2;
        attr->config = events[i];
    }
    common_features();
    put_tracing_data(version);
    struct tp_scalars scalars = {
        .common_type = TP_SCALARS,
        .common_flags = 0x11,
        .common_preempt = 0x12,
        .common_pid = (s32)D32(0x13),
        .a = D64(0x21),
        .b = -(int64_t)D64(0x22),
        .c = D64(0x23),
        .d = (void *)(uintptr_t)D64(0x24),
        .e = D32(0x25),
        .f = -(s32)D32(0x26),
        .g = D16(0x27),
        .h = -0x0102,
        .i = 0x28,
        .j = -3,
        .k = true,
        .l = 'l',
        .m = D64(0x29),
        .n = D32(0x2a),
    };
    struct tp_arrays arrays = {
        .common_type = TP_ARRAYS,
        .common_flags = 0x11,
        .common_preempt = 0x12,
        .common_pid = (s32)D32(0x13),
        .a = { D16(0x31), D16(0x32), D16(0x33) },
        .mac = { 1, 2, 3, 4, 5, 6 },
        .b = { D32(0x34), D32(0x35) },
        .c = { D64(0x36), D64(0x37) },
        .d = { D64(0x38), D64(0x39) },
        .comm = "fourteen-chars",
        .e = { D32(0x3a), D32(0x3b), D32(0x3c) },
        .f = { D16(0x3d), D16(0x3e) },
        .g = { -0x0102, 0x0304 },
        .h = { 7, 8, 9, 10 },
    };
    struct tp_dynamic dynamic = {
        .common_type = TP_DYNAMIC,
        .common_flags = 0x11,
        .common_preempt = 0x12,
        .common_pid = (s32)D32(0x13),
        .name = LOC(tp_dynamic, name_),
        .words = LOC(tp_dynamic, words_),
        .longs = LOC(tp_dynamic, longs_),
        .none = (u32)offsetof(struct tp_dynamic, bytes_),
        .bytes = LOC(tp_dynamic, bytes_),
        .rel = REL(tp_dynamic, rel, rel_),
        .relname = REL(tp_dynamic, relname, relname_),
        .last = D32(0x41),
        .name_ = "named",
        .words_ = { D16(0x42), D16(0x43), D16(0x44) },
        .longs_ = { D64(0x45), D64(0x46) },
        .bytes_ = { 1, 2, 3, 4, 5 },
        .rel_ = { D32(0x47), D32(0x48) },
        .relname_ = "rel",
        .tail = { 0 },
    };
    struct tp_function function = {
        .common_type = TP_FUNCTION,
        .common_flags = 0x11,
        .common_preempt = 0x12,
        .common_pid = (s32)D32(0x13),
        .ip = D64(0x51),
        .parent = D64(0x52),
        .args = { D64(0x53), D64(0x54), D64(0x55) },
        .tail = 0,
    };
    SAMPLE_OF(0, scalars);
    SAMPLE_OF(1, arrays);
    SAMPLE_OF(2, dynamic);
    SAMPLE_OF(3, function);
}

static void make_tracepoints_pipe(unsigned version)
{
    is_pipe = true;
    make_tracepoints(version);
}

_Static_assert(sizeof(struct tp_scalars) % 8 == 4, "a payload and its size are whole words");
_Static_assert(sizeof(struct tp_arrays) % 8 == 4, "a payload and its size are whole words");
_Static_assert(sizeof(struct tp_dynamic) % 8 == 4, "a payload and its size are whole words");
_Static_assert(sizeof(struct tp_function) % 8 == 4, "a payload and its size are whole words");

/* --- features --- */

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
    put64(D64(0x27));
    put64(103);
    put64(103);
    PUT_ALL(mem_1);
    put64(D64(0x28));
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

static void make_features(unsigned unused)
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

static void make_features_pipe(unsigned unused)
{
    is_pipe = true;
    make_features(unused);
}

static void make_bpf(unsigned unused)
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

static void make_bpf_pipe(unsigned unused)
{
    is_pipe = true;
    make_bpf(unused);
}

/* Before version 17 the domains have no names. */
static void make_domains(unsigned schedstat_version)
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

/* As perf inject -b writes them; the sample_id after it has no place in a canonical copy. */
static void make_build_id_pipe(unsigned unused)
{
    (void)unused;
    is_pipe = true;
    add_attr(sampling(S_IDENTIFIER | S_TIME), false);
    common_features();
    put_build_id(67, 1, -1, 20, "[kernel.kallsyms]");
    put_build_id(67, 2, (s32)D32(0x21), 16, "/usr/bin/one");
    comm_record(0);
}

/* --- all of them --- */

struct capture {
    const char *name;
    void (*make)(unsigned);
    size_t value;
};

#define ALONE(n, bit)                                                                                        \
    {                                                                                                        \
        "alone-" n, make_alone, bit                                                                          \
    }

static const struct capture captures[] = {
    { "attr-64", make_attr, 64 },
    { "attr-72", make_attr, 72 },
    { "attr-80", make_attr, 80 },
    { "attr-96", make_attr, 96 },
    { "attr-104", make_attr, 104 },
    { "attr-112", make_attr, 112 },
    { "attr-120", make_attr, 120 },
    { "attr-128", make_attr, 128 },
    { "attr-136", make_attr, 136 },
    { "attr-144", make_attr, VER9 },
    { "attr-pipe", make_attr_pipe, VER9 },
    { "attr-pipe-80", make_attr_pipe, 80 },
    { "attr-flags", make_flags, 0 },
    { "attr-flags-all", make_flags, 1 },
    { "attr-members", make_members, 0 },
    { "kernel", make_kernel, 1 },
    { "kernel-bare", make_kernel, 0 },
    { "mmap2-old", make_mmap2_old, 1 },
    { "trailers", make_trailers, 0 },
    { "trailer-id", make_trailer, S_ID },
    { "trailer-id-all", make_trailer, S_ID | S_TID | S_TIME | S_STREAM_ID | S_CPU },
    { "trailer-tid", make_trailer, S_TID },
    { "trailer-time", make_trailer, S_TIME },
    { "trailer-stream-id", make_trailer, S_STREAM_ID },
    { "trailer-cpu", make_trailer, S_CPU },
    ALONE("ip", 0),
    ALONE("tid", 1),
    ALONE("time", 2),
    ALONE("addr", 3),
    ALONE("read", 4),
    ALONE("callchain", 5),
    ALONE("id", 6),
    ALONE("cpu", 7),
    ALONE("period", 8),
    ALONE("stream-id", 9),
    ALONE("raw", 10),
    ALONE("branch-stack", 11),
    ALONE("regs-user", 12),
    ALONE("stack-user", 13),
    ALONE("weight", 14),
    ALONE("data-src", 15),
    ALONE("identifier", 16),
    ALONE("transaction", 17),
    ALONE("regs-intr", 18),
    ALONE("phys-addr", 19),
    ALONE("aux", 20),
    ALONE("cgroup", 21),
    ALONE("data-page-size", 22),
    ALONE("code-page-size", 23),
    ALONE("weight-struct", 24),
    { "sample-bits", make_bits, 0 },
    { "sample-all", make_all, 0 },
    { "branch", make_branch, 0 },
    { "branch-hw-index", make_branch, BRANCH_HW_INDEX },
    { "branch-counters", make_branch, BRANCH_COUNTERS },
    { "branch-both", make_branch, BRANCH_HW_INDEX | BRANCH_COUNTERS },
    { "branch-no-hw-index", make_branch_no_hw_idx, BRANCH_HW_INDEX },
    { "read-samples", make_read_samples, 0 },
    { "read-samples-stat", make_read_samples, 1 },
    { "read-records", make_read_records, 0 },
    { "tracepoints", make_tracepoints, 6 },
    { "tracepoints-pipe", make_tracepoints_pipe, 5 },
    { "user", make_user, 1 },
    { "user-bare", make_user, 0 },
    { "stat-cpus", make_stat, CPUS },
    { "stat-mask4", make_stat, MASK4 },
    { "stat-mask8", make_stat, MASK8 },
    { "stat-range", make_stat, RANGE },
    { "stat-pipe", make_stat_pipe, RANGE },
    { "schedstat", make_schedstat, 0 },
    { "aux-pt-filter", make_aux, PT_FILTER },
    { "aux-pt-long", make_aux, PT_LONG },
    { "aux-pt-min", make_aux, PT_MIN },
    { "aux-bts", make_aux, BTS },
    { "aux-coresight", make_aux, ETM },
    { "aux-coresight-v0", make_aux, ETM_V0 },
    { "aux-spe", make_aux, SPE },
    { "aux-spe-v2", make_aux, SPE_V2 },
    { "aux-cpumsf", make_aux, CPUMSF },
    { "aux-hisi-ptt", make_aux, PTT },
    { "aux-vpa-dtl", make_aux, VPA },
    { "aux-pipe", make_aux_pipe, PT_FILTER },
    { "features", make_features, 0 },
    { "bpf", make_bpf, 0 },
    { "bpf-pipe", make_bpf_pipe, 0 },
    { "feature-domains-16", make_domains, 16 },
    { "features-pipe", make_features_pipe, 0 },
    { "build-id-pipe", make_build_id_pipe, 0 },
};

static bool make(const struct capture *capture, const char *path)
{
    is_pipe = false;
    nr_attrs = 0;
    raw = NULL;
    data.len = whole.len = 0;
    for (unsigned bit = 0; bit < F_END; bit++) {
        has_feature[bit] = false;
        feature[bit].len = 0;
    }
    out = &data;
    capture->make((unsigned)capture->value);
    out = &whole;
    if (is_pipe)
        write_pipe();
    else
        write_file();
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(whole.bytes, 1, whole.len, file) == whole.len;
    if ((file && fclose(file) != 0) || !good) {
        perror(path);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    bool good = argc == 3 || (argc == 2 && strcmp(argv[1], "list") == 0), found = argc == 2;
    bool all = argc == 3 && strcmp(argv[1], "all") == 0;

    _Static_assert(sizeof(struct attr) == VER9, "struct perf_event_attr of 7.2");
    _Static_assert(sizeof(struct bpf_prog_info) == 232, "struct bpf_prog_info");
    _Static_assert(sizeof(struct file_header) == 104, "struct perf_file_header");
    _Static_assert(sizeof(struct perf_branch_entry) == 24, "struct perf_branch_entry");
    for (size_t i = 0; good && i < COUNT(captures); i++) {
        char path[4096];
        if (argc == 2) {
            puts(captures[i].name);
        } else if (all || strcmp(argv[1], captures[i].name) == 0) {
            snprintf(path, sizeof(path), all ? "%s/%s.data" : "%s", argv[2], captures[i].name);
            good = make(&captures[i], path);
            found = true;
        }
    }
    if (!good || !found)
        fprintf(stderr, "usage: make_capture NAME FILE | all DIR | list\n");
    return !good || !found;
}

/* SPDX-License-Identifier: MIT
 *
 * native.h: what the files of make_capture share: bytes, a capture as it grows, and the parts that
 * several captures have.
 *
 * Layouts: include/uapi/linux/perf_event.h and bpf.h where the installed ones know them, else as declared
 * here, from the format reference.
 */
#ifndef NATIVE_H
#define NATIVE_H

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

#define ID(n)    D64((n) + 1) /* of attr n, which also has the next number */
#define CPU      0x0203u      /* below NR_CPUS, of two bytes */
#define NR_CPUS  0x0708u
#define TIME(n)  (0x0102030405060700u + (n))
#define TASK(k)  (D32(k) & 0x3fffffu) /* PID_MAX_LIMIT is 2^22 */
#define COUNT(x) (sizeof(x) / sizeof(*(x)))

/* --- bytes --- */

struct buffer {
    unsigned char *bytes;
    size_t len, cap;
};

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

/* --- a capture as it grows: capture.c --- */

extern struct buffer *out; /* where the functions below put bytes: data, a feature, or the whole capture */
extern bool is_pipe;
extern struct event {
    struct attr attr;
    u64 ids[2];
    size_t nr_ids;
} attrs[64];
extern size_t nr_attrs;
extern u32 attr_size; /* of a capture without attrs */
extern struct buffer data, feature[F_END], whole;
extern bool has_feature[F_END];
extern size_t record_at; /* offset in `out` of the current record */

#define PUT(s, ...) put(&(struct s){ __VA_ARGS__ }, sizeof(struct s))
#define PUT_ALL(a)  put((a), sizeof(a))

void put(const void *bytes, size_t len);
void put8(u8 v);
void put32(u32 v);
void put64(u64 v);
/* n numbers: D32(k), D32(k + 1) and so on. */
void put32s(unsigned n, unsigned k);
void put64s(unsigned n, unsigned k);
void put_bytes(size_t n, unsigned k);
void put_zeros(size_t n);
void pad(size_t start, size_t unit);
/* With its NUL and zeros up to a multiple of the unit. */
void put_string(const char *text, size_t unit);
void put_text(const char *text, size_t room);
/* A string of a header feature. */
void put_hstr(const char *text);
/* Each has two ids, or none where `lone`. Returns it; no pointer is kept over the next one. */
struct attr *add_attr(struct attr attr, bool lone);
void begin_feature(unsigned bit);
void begin(u32 type, u16 misc);
void end(void);
/* Where in the file the data will lie. All attrs must be there. */
u64 data_offset(void);
void write_file(void);
void write_pipe(void);

/* --- parts of captures --- */

struct two {
    u32 first, second;
};
struct inode {
    u32 maj, min;
    u64 ino, generation;
}; /* of MMAP2 */
struct aux {
    u64 offset, size, flags;
}; /* the record AUX */

enum shape {
    FULL,
    EMPTY,       /* every count and abi is 0 */
    EMPTY_NO_HW, /* and there is no hw_idx: the event had no branch data at all */
};

extern const void *raw; /* the payload of the next samples; NULL: bytes that nothing describes */
extern u32 raw_size;

void trailer(const struct attr *attr, u64 id, u64 time);
void put_read(u64 format, u64 id);
void put_mapping(unsigned k);
void text_poke(const struct attr *attr, u64 id, u64 time, u16 old_len, u16 new_len);
/* Every type that is no sample. */
void kernel_records(size_t number);

void few_branches(void);
void sample(size_t number, u64 time, enum shape shape);
/* A type that does not ask for anything else: software, bpf-output. */
struct attr sampling(u64 sample_type);
/* The features that every perf writes; without HOSTNAME perf drops all others in a file of another byte
 * order. */
void common_features(void);
void comm_record(size_t number);

void put_event_desc(void);

void put_id_index(bool guests);

/* --- makers of whole captures --- */

/* cpu_map_data: kinds CPUS, MASK of 4 and of 8 bytes, RANGE_CPUS. All hold CPU and CPU + 1. */
enum map { CPUS, MASK4, MASK8, RANGE };

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

/* The only bit of the only attr. */
void make_alone(unsigned bit);
/* Each bit beside IDENTIFIER, all in one capture. */
void make_bits(unsigned unused);
/* All bits that may be set together. */
void make_all(unsigned unused);
/* Counters are of one event at most: perf 7.2 dies of two. */
void make_branch(unsigned kind);
void make_branch_no_hw_idx(unsigned kind);
/* Every read_format; no id is needed among the values of a record. */
void make_read_records(unsigned unused);
void make_kernel(unsigned with);
/* The first MMAP2, of kernels 3.12 to 3.15: without prot and flags. */
void make_mmap2_old(unsigned all);
/* Every set of members beside IDENTIFIER. The first is the largest: perf looks there for the size. */
void make_trailers(unsigned unused);
/* Trailers without IDENTIFIER. */
void make_trailer(unsigned members);
void make_attr(unsigned size);
void make_attr_pipe(unsigned size);
/* Each flag alone, with what it needs. */
void make_flags(unsigned all);
/* Members that need a flag or another attr size, and groups of AUX events. */
void make_members(unsigned unused);
void make_stat(unsigned map);
/* Samples need an id among their values, but not beside STAT records: there perf looks for no event. */
void make_read_samples(unsigned stat);
void make_stat_pipe(unsigned map);
void make_user(unsigned all);
/* perf sched stats record: no attr at all. */
void make_schedstat(unsigned unused);
void make_aux(unsigned decoder);
void make_aux_pipe(unsigned decoder);
void make_tracepoints(unsigned version);
void make_tracepoints_pipe(unsigned version);
void make_features(unsigned unused);
void make_features_pipe(unsigned unused);
void make_bpf(unsigned unused);
void make_bpf_pipe(unsigned unused);
/* Before version 17 the domains have no names. */
void make_domains(unsigned schedstat_version);
/* As perf inject -b writes them; the sample_id after it has no place in a canonical copy. */
void make_build_id_pipe(unsigned unused);

#endif

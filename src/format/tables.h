/* SPDX-License-Identifier: MIT
 *
 * tables.h: what the tables know. Look-up of headers, attrs, records and features by number and
 * name, and the layout of the records of an attr. The tables themselves stand in header.c, attr.c,
 * records.c and features.c; a new record type is one row (and its fields) in records.c.
 */
#ifndef PC_FORMAT_H
#define PC_FORMAT_H

#include "base/base.h"
#include "format/field.h"

/* --- header.c: tools/perf/util/header.h: struct perf_file_header, perf_pipe_file_header --- */

/* Slots after a walk of pc_file_header. */
enum {
    PC_HEAD_SIZE = PC_SLOT_F0,
    PC_HEAD_ATTR_SIZE,
    PC_HEAD_ATTRS_OFFSET,
    PC_HEAD_ATTRS_SIZE,
    PC_HEAD_DATA_OFFSET,
    PC_HEAD_DATA_SIZE,
    PC_HEAD_TYPES_OFFSET,
    PC_HEAD_TYPES_SIZE,
    PC_HEAD_FEATURES, /* only its position */
};

#define PC_MAGIC_LITTLE     "PERFILE2"
#define PC_MAGIC_BIG        "2ELIFREP"
#define PC_MAGIC_1          "PERFFILE" /* version 1, in either order */
#define PC_PIPE_HEADER_SIZE 16
#define PC_FILE_HEADER_SIZE 104
#define PC_FILE_HEADER_OLD  72 /* without the feature bitmap */
#define PC_EVENT_TYPE_SIZE  72
#define PC_FEATURE_BITS     256
#define PC_SECTION_SIZE     16 /* offset and size */

/* Whether a capture begins with these 8 bytes. */
bool pc_is_magic(const unsigned char *eight);

extern const struct pc_field pc_file_header[];   /* 72 or 104 bytes */
extern const struct pc_field pc_event_type[];    /* an entry of the event_types section */
extern const struct pc_field pc_section[];       /* slots F0 offset, F0 + 1 size */
extern const struct pc_field pc_record_header[]; /* slots F0 type, F0 + 1 misc, F0 + 2 size */

/* --- attr.c: include/uapi/linux/perf_event.h: struct perf_event_attr --- */

/* Slots after a walk of pc_attr_fields. */
enum {
    PC_ATTR_TYPE = PC_SLOT_F0,
    PC_ATTR_SIZE,
    PC_ATTR_CONFIG,
    PC_ATTR_PERIOD,
    PC_ATTR_SAMPLE_TYPE,
    PC_ATTR_READ_FORMAT,
    PC_ATTR_FLAGS, /* as on a little-endian machine */
    PC_ATTR_BRANCH_TYPE,
    PC_ATTR_REGS_USER,
    PC_ATTR_STACK_USER,
    PC_ATTR_CLOCKID,
    PC_ATTR_REGS_INTR,
    PC_ATTR_AUX_ACTION, /* the model keeps those before */
    PC_ATTR_SLOTS_END,
};

#define PC_ATTR_SIZE_MIN   64
#define PC_ATTR_SIZE_KNOWN 144
#define PC_ATTR_SIZE_AT    4 /* attr.size: how long the attr is must be known before it is walked */

extern const struct pc_field pc_attr_fields[];

enum pc_attr_type { PC_TYPE_SOFTWARE = 1, PC_TYPE_TRACEPOINT = 2, PC_TYPE_RAW = 4, PC_TYPE_DYNAMIC = 6 };

#define PC_FLAG(bit)           ((uint64_t)1 << (bit))
#define PC_FLAG_INHERIT        PC_FLAG(1)
#define PC_FLAG_FREQ           PC_FLAG(10)
#define PC_FLAG_ENABLE_ON_EXEC PC_FLAG(12)
#define PC_FLAG_PRECISE_IP     (PC_FLAG(15) | PC_FLAG(16))
#define PC_FLAG_SAMPLE_ID_ALL  PC_FLAG(18)
#define PC_FLAG_USE_CLOCKID    PC_FLAG(25)
#define PC_FLAG_WRITE_BACKWARD PC_FLAG(27)
#define PC_FLAG_BUILD_ID       PC_FLAG(34)
#define PC_FLAG_INHERIT_THREAD PC_FLAG(35)
#define PC_FLAG_REMOVE_ON_EXEC PC_FLAG(36)
#define PC_FLAG_SIGTRAP        PC_FLAG(37)
#define PC_FLAG_DEFER_CHAIN    PC_FLAG(38)
#define PC_FLAG_DEFER_OUTPUT   PC_FLAG(39)

/* include/uapi/linux/perf_event.h: enum perf_event_sample_format */
#define PC_S_IP             PC_FLAG(0)
#define PC_S_TID            PC_FLAG(1)
#define PC_S_TIME           PC_FLAG(2)
#define PC_S_ADDR           PC_FLAG(3)
#define PC_S_READ           PC_FLAG(4)
#define PC_S_CALLCHAIN      PC_FLAG(5)
#define PC_S_ID             PC_FLAG(6)
#define PC_S_CPU            PC_FLAG(7)
#define PC_S_PERIOD         PC_FLAG(8)
#define PC_S_STREAM_ID      PC_FLAG(9)
#define PC_S_RAW            PC_FLAG(10)
#define PC_S_BRANCH_STACK   PC_FLAG(11)
#define PC_S_REGS_USER      PC_FLAG(12)
#define PC_S_STACK_USER     PC_FLAG(13)
#define PC_S_WEIGHT         PC_FLAG(14)
#define PC_S_DATA_SRC       PC_FLAG(15)
#define PC_S_IDENTIFIER     PC_FLAG(16)
#define PC_S_TRANSACTION    PC_FLAG(17)
#define PC_S_REGS_INTR      PC_FLAG(18)
#define PC_S_PHYS_ADDR      PC_FLAG(19)
#define PC_S_AUX            PC_FLAG(20)
#define PC_S_CGROUP         PC_FLAG(21)
#define PC_S_DATA_PAGE_SIZE PC_FLAG(22)
#define PC_S_CODE_PAGE_SIZE PC_FLAG(23)
#define PC_S_WEIGHT_STRUCT  PC_FLAG(24)
#define PC_S_BITS           25

#define PC_READ_ENABLED 1
#define PC_READ_RUNNING 2
#define PC_READ_ID      4
#define PC_READ_GROUP   8
#define PC_READ_LOST    16
#define PC_READ_BITS    5

#define PC_BRANCH_BITS       20
#define PC_BRANCH_CALL_STACK PC_FLAG(11)
#define PC_BRANCH_HW_INDEX   PC_FLAG(17)
#define PC_BRANCH_PRIV_SAVE  PC_FLAG(18)
#define PC_BRANCH_COUNTERS   PC_FLAG(19)

extern const struct pc_name pc_sample_type_names[]; /* value: bit mask; name NULL ends it */
extern const struct pc_name pc_attr_type_names[];

/* The smallest size of an attr of a released perf that has so many bytes; 0: none has. */
uint64_t pc_attr_size_holding(uint64_t bytes);

/* Whether attrs of a released perf have this size. */
bool pc_attr_size_known(uint64_t size);

/* Fills PC_SLOTS slots from an attr in at least as many bytes as it has (more are left alone). False when
 * there are fewer than the smallest attr has, or a member is cut. */
bool pc_attr_walk(struct pc_span attr, enum pc_order order, uint64_t *slot);

/* The layout of records of an attr, from the slots of its walk. */
struct pc_layout pc_attr_layout(const uint64_t *slot);

/* Bytes of the sample_id trailer that this layout gives. */
unsigned pc_sample_id_size(uint64_t mask);

/* --- records.c: include/uapi/linux/perf_event.h: enum perf_event_type;
 *     tools/lib/perf/include/perf/event.h: enum perf_user_event_type --- */

enum pc_type {
    PC_MMAP = 1,
    PC_LOST,
    PC_COMM,
    PC_EXIT,
    PC_THROTTLE,
    PC_UNTHROTTLE,
    PC_FORK,
    PC_READ,
    PC_SAMPLE,
    PC_MMAP2,
    PC_AUX,
    PC_ITRACE_START,
    PC_LOST_SAMPLES,
    PC_SWITCH,
    PC_SWITCH_CPU_WIDE,
    PC_NAMESPACES,
    PC_KSYMBOL,
    PC_BPF_EVENT,
    PC_CGROUP,
    PC_TEXT_POKE,
    PC_AUX_OUTPUT_HW_ID,
    PC_CALLCHAIN_DEFERRED,
    PC_USER_TYPES = 64, /* the first that perf makes up; those before are the kernel's */
    PC_HEADER_ATTR = PC_USER_TYPES,
    PC_HEADER_EVENT_TYPE,
    PC_HEADER_TRACING_DATA,
    PC_HEADER_BUILD_ID,
    PC_FINISHED_ROUND,
    PC_ID_INDEX,
    PC_AUXTRACE_INFO,
    PC_AUXTRACE,
    PC_AUXTRACE_ERROR,
    PC_THREAD_MAP,
    PC_CPU_MAP,
    PC_STAT_CONFIG,
    PC_STAT,
    PC_STAT_ROUND,
    PC_EVENT_UPDATE,
    PC_TIME_CONV,
    PC_HEADER_FEATURE,
    PC_COMPRESSED,
    PC_FINISHED_INIT,
    PC_COMPRESSED2,
    PC_BPF_METADATA,
    PC_SCHEDSTAT_CPU,
    PC_SCHEDSTAT_DOMAIN,
    PC_TYPES = 256 /* more than there are; a row in records.c is all that a type needs */
};

#define PC_RECORD_HEADER_SIZE 8
#define PC_RECORD_SIZE_MAX    65535
#define PC_TYPE_END           65536 /* far beyond all types that there are */
#define PC_MMAP2_PROT         64    /* where prot stands in MMAP2 */

#define PC_MISC_CPUMODE        0x7
#define PC_MISC_EXACT_IP       0x4000
#define PC_MISC_MMAP_BUILD_ID  0x4000
#define PC_MISC_SWITCH_OUT     0x2000
#define PC_MISC_SWITCH_PREEMPT 0x4000
#define PC_MISC_BUILD_ID_SIZE  0x8000
#define PC_MISC_MAPS_CUT       0x1000 /* MMAP2: reading the maps of the process was given up */
#define PC_MISC_LOST_BPF       0x8000 /* LOST_SAMPLES: dropped by a filter */

#define PC_AUX_OVERWRITE 2 /* AUX: flags */

enum pc_record_flags {
    PC_ANY_SIZE = 1,    /* the size need not be a multiple of 8 */
    PC_HAS_CPUMODE = 2, /* misc holds a cpumode */
    PC_HEADER_ONLY_IN_PIPE = 4,
    PC_NEEDS_MODE = 16,    /* cpumode 0 is no sound value */
    PC_OF_CONTAINER = 32,  /* a copy makes it anew, or makes attrs and features of it */
    PC_HOLDS_RECORDS = 64, /* compressed */
    PC_HAS_PAYLOAD = 128,  /* bytes follow that its size does not count: PC_REC_SIZE */
    PC_SYNTHESIZED = 256,  /* perf record also writes it itself, about what ran before */
    PC_ENDS_SETUP = 512,   /* a user record that comes after all synthesized ones */
    PC_OF_STAT = 1024,     /* perf stat record writes it */
    PC_OF_AUX_TRACE = 2048,
};

struct pc_record_info {
    const char *name; /* without prefix: "MMAP2" */
    const struct pc_field *fields;
    uint16_t min;  /* least size; tools/perf/util/session.c: perf_event__min_size */
    uint16_t misc; /* bits that may be set */
    uint16_t flags;
    uint16_t short_diag, count_diag,
        excess_diag;                  /* findings of rows without their own; 0: the general ones */
    const struct pc_name *misc_names; /* of the bits of misc that are no cpumode; NULL: none */
};

extern const struct pc_name pc_cpumode_names[];

/* The row of a type, or NULL when the type is unknown. */
const struct pc_record_info *pc_record_info(uint32_t type);

/* COMPRESSED2 with wrong sizes, in bytes that end where the record does. */
extern const struct pc_record_info pc_size_wrapped_info;

/* Whether the row of the type has one of these flags. */
static inline bool pc_record_is(uint32_t type, unsigned flags)
{
    const struct pc_record_info *info = pc_record_info(type);
    return info && (info->flags & flags);
}

static inline bool pc_is_kernel_type(uint32_t type)
{
    return type < PC_USER_TYPES;
}

/* The layout of one record: that of its attr (NULL: none) and what type and misc add to it. mmap2_old: the
 * capture has the MMAP2 records of kernel 3.12. */
struct pc_layout pc_record_layout(const struct pc_layout *attr, uint32_t type, uint16_t misc, bool mmap2_old);

/* Walks a record: its fields behind the header, then its sample_id when the layout has one. The walk's
 * cursor spans the record. *excess: bytes between the fields and the trailer. */
bool pc_walk_record(struct pc_walk *walk, const struct pc_record_info *info, size_t *excess);

extern const struct pc_field pc_sample_id[];

/* The values of READ, in a SAMPLE behind its fields of one word. */
extern const struct pc_field pc_read_values[];

/* Slots after a walk of a user record: what rules across records need of it. */
enum {
    PC_REC_F0 = PC_SLOT_F0,  /* first named below */
    PC_REC_SIZE = PC_REC_F0, /* AUXTRACE, HEADER_TRACING_DATA: bytes behind the record */
    PC_REC_ADDR,             /* MMAP*: addr; AUX: offset */
    PC_REC_LEN,              /* MMAP*: len; AUX: size */
    PC_REC_LOST,             /* LOST, LOST_SAMPLES */
    PC_REC_TYPE,             /* EVENT_UPDATE, AUXTRACE_INFO, AUXTRACE_ERROR: type or fmt */
    PC_REC_FEATURE,          /* HEADER_FEATURE: feat_id */
    PC_REC_THREAD,           /* STAT: thread */
    PC_REC_NR,               /* THREAD_MAP: entries; SAMPLE: branches */
    PC_REC_START,            /* CPU_MAP range */
    PC_REC_RAW,              /* SAMPLE: the raw bytes; COMPRESSED: the zstd stream; CPU map: its padding */
    PC_REC_BUILD_ID_SIZE,    /* MMAP2, HEADER_BUILD_ID */
    PC_REC_SHIFT,            /* TIME_CONV: time_mult */
    PC_REC_MAP,              /* CPU map: its encoding */
    PC_REC_TID,              /* COMM, FORK, EXIT, ID_INDEX, AUXTRACE */
    PC_REC_NAME,             /* MMAP2, HEADER_BUILD_ID: length of the file name */
    PC_REC_FLAGS,            /* AUX, KSYMBOL */
    PC_REC_IP,               /* SAMPLE, like the next two: pc_sample_layout keeps their places */
    PC_REC_SAMPLE_TID,
    PC_REC_CHAIN, /* entries of the call chain */
    /* Records that need one of these have none of the others. */
    PC_REC_PPID = PC_REC_SIZE,      /* FORK, EXIT */
    PC_REC_STREAM = PC_REC_SIZE,    /* THROTTLE: stream_id */
    PC_REC_COOKIE = PC_REC_SIZE,    /* CALLCHAIN_DEFERRED */
    PC_REC_IDX = PC_REC_NR,         /* ID_INDEX, AUXTRACE */
    PC_REC_BUILD_ID = PC_REC_FLAGS, /* HEADER_BUILD_ID: the bytes */
    PC_REC_MAP_NR = PC_REC_NR,      /* CPU map: CPUs, or words of the mask */
    PC_REC_MAP_WORD = PC_REC_SHIFT, /* CPU map: bytes of a word */
    PC_REC_MAP_ANY = PC_REC_FLAGS,  /* CPU map range: any_cpu */
};

/* --- features.c: tools/perf/util/header.h: enum perf_header_feature --- */

enum pc_feature {
    PC_TRACING_DATA = 1,
    PC_BUILD_ID,
    PC_HOSTNAME,
    PC_OSRELEASE,
    PC_VERSION,
    PC_ARCH,
    PC_NRCPUS,
    PC_CPUDESC,
    PC_CPUID,
    PC_TOTAL_MEM,
    PC_CMDLINE,
    PC_EVENT_DESC,
    PC_CPU_TOPOLOGY,
    PC_NUMA_TOPOLOGY,
    PC_BRANCH_STACK,
    PC_PMU_MAPPINGS,
    PC_GROUP_DESC,
    PC_AUXTRACE_INDEX,
    PC_STAT_FEATURE,
    PC_CACHE,
    PC_SAMPLE_TIME,
    PC_MEM_TOPOLOGY,
    PC_CLOCKID,
    PC_DIR_FORMAT,
    PC_BPF_PROG_INFO,
    PC_BPF_BTF,
    PC_COMPRESSED_FEATURE,
    PC_CPU_PMU_CAPS,
    PC_CLOCK_DATA,
    PC_HYBRID_TOPOLOGY,
    PC_PMU_CAPS,
    PC_CPU_DOMAIN_INFO,
    PC_E_MACHINE,
    PC_CLN_SIZE,
    PC_FEATURES,
    PC_ANDROID_FIRST = 128,
    PC_ANDROID_LAST = 132,
};

enum pc_feature_flags {
    PC_SENT_IN_PIPE = 1,  /* perf sends it as HEADER_FEATURE */
    PC_NEEDS_NRCPUS = 2,  /* it has lists of as many entries as there are CPUs: NRCPUS comes before it */
    PC_ONLY_A_MARK = 4,   /* has no content */
    PC_ONE_STRING = 8,    /* a single string */
    PC_NEEDS_FILE = 16,   /* its reader uses file offsets: no HEADER_FEATURE */
    PC_NEEDS_ONLINE = 32, /* as PC_NEEDS_NRCPUS, with the CPUs that are online */
    PC_DERIVED = 64,      /* describes the container or follows from the rest: a copy makes it anew */
    PC_LEARNED = 128,     /* the capture model keeps something of it */
};

struct pc_feature_info {
    const char *name;              /* "HOSTNAME" */
    const struct pc_field *fields; /* NULL: content not known */
    uint16_t flags;                /* enum pc_feature_flags */
    uint16_t short_diag;           /* finding of rows that do not fit; 0: the general one */
};

/* The row of a bit, or NULL when it is unknown. Android's bits have a name and no fields. */
const struct pc_feature_info *pc_feature_info(uint64_t bit);

/* Whether the row of the bit has one of these flags. */
static inline bool pc_feature_is(uint64_t bit, unsigned flags)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    return info && (info->flags & flags);
}

/* Build ids as perf 2.6.33 wrote them; pc_build_ids_are_old tells them apart, by what stands in the first
 * name. */
#define PC_BUILD_ID_OLD_NAME 32
#define PC_BUILD_ID_OLD_TOLD 36
extern const struct pc_field pc_build_ids_old[];
bool pc_build_ids_are_old(struct pc_span section);

/* The table of this content of a feature; NULL: not known. */
const struct pc_field *pc_feature_fields(uint64_t bit, struct pc_span content);

/* Arrays after the info of a BPF program, by the bit of `arrays`. */
enum pc_bpf_array_bit {
    PC_BPF_JITED_INSNS,
    PC_BPF_XLATED_INSNS,
    PC_BPF_MAP_IDS,
    PC_BPF_JITED_KSYMS,
    PC_BPF_JITED_FUNC_LENS,
    PC_BPF_FUNC_INFO,
    PC_BPF_LINE_INFO,
    PC_BPF_JITED_LINE_INFO,
    PC_BPF_PROG_TAGS,
    PC_BPF_ARRAYS,
};
struct pc_bpf_array {
    const char *name;
    uint8_t size; /* bytes of an element; 0: the info says it */
    uint8_t word; /* bytes of the integers that elements are made of; 1: bytes, which have no order */
};
extern const struct pc_bpf_array pc_bpf_arrays[PC_BPF_ARRAYS];

/* What the info says of an array. */
struct pc_bpf_place {
    size_t at;                      /* of the pointer in the info */
    uint64_t start, count, element; /* offset in the data, elements, bytes of one */
    bool has_start, has_count, has_element;
};

/* Whether the info is long enough to say all of that. */
static inline bool pc_bpf_is_told(const struct pc_bpf_place *place)
{
    return place->has_start && place->has_count && place->has_element;
}

/* Fills places[PC_BPF_ARRAYS] from a struct bpf_prog_info (include/uapi/linux/bpf.h). */
void pc_bpf_find_arrays(struct pc_span info, enum pc_order order, struct pc_bpf_place *places);

#define PC_COMPRESSION_ZSTD 1 /* COMPRESSED: type */

/* Slots after a walk of a feature; rules know its rows by them. Each feature counts from F0. */
enum {
    PC_TRACING_ORDER = PC_SLOT_F0,
    PC_TRACING_LONG_SIZE,
    PC_TRACING_HEADER_PAGE,
    PC_TRACING_PRINTK,
    PC_TRACING_FORMAT,

    PC_BUILD_ID_MISC = PC_SLOT_F0,
    PC_BUILD_ID_PID,
    PC_BUILD_ID_BYTES,
    PC_BUILD_ID_LEN,
    PC_BUILD_ID_NAME,

    PC_NRCPUS_AVAILABLE = PC_SLOT_F0,
    PC_NRCPUS_ONLINE,

    PC_EVENT_DESC_NR = PC_ATTR_SLOTS_END, /* it holds attrs */
    PC_EVENT_DESC_NR_IDS,
    PC_EVENT_DESC_NAME,

    PC_TOPOLOGY_SOCKET = PC_SLOT_F0,
    PC_NUMA_TOTAL = PC_SLOT_F0,

    PC_PMU_TYPE = PC_SLOT_F0,
    PC_PMU_NAME,

    PC_GROUP_NR = PC_SLOT_F0,
    PC_GROUP_LEADER,
    PC_GROUP_MEMBERS,

    PC_INDEX_OFFSET = PC_SLOT_F0,
    PC_INDEX_SIZE,

    PC_SAMPLE_TIME_FIRST = PC_SLOT_F0,
    PC_SAMPLE_TIME_LAST,

    PC_MEMORY_SIZE_BITS = PC_SLOT_F0,
    PC_MEMORY_WORDS, /* of the bitmap */

    PC_DIR_FORMAT_VERSION = PC_SLOT_F0,

    PC_BPF_INFO_LEN = PC_SLOT_F0,
    PC_BPF_DATA_LEN,
    PC_BPF_ARRAYS_THERE, /* bits of pc_bpf_arrays */
    PC_BPF_DATA,
    PC_BPF_POINTER,
    PC_BPF_COUNT,
    PC_BPF_ELEMENT,

    PC_COMPRESSED_TYPE = PC_SLOT_F0,
    PC_COMPRESSED_LEVEL,
    PC_COMPRESSED_MMAP_LEN,

    PC_CLOCK_DATA_CLOCKID = PC_SLOT_F0,
    PC_HYBRID_NAME = PC_SLOT_F0,

    PC_DOMAINS_MAX = PC_SLOT_F0,
    PC_DOMAIN_CPU,
    PC_DOMAIN_NUMBER,
};

#endif

/* SPDX-License-Identifier: MIT
 *
 * records.h: record types. The kernel's are in records_kernel.c (include/uapi/linux/perf_event.h: enum
 * perf_event_type), those of perf in records_user.c (tools/lib/perf/include/perf/event.h: enum
 * perf_user_event_type), those of Android's simpleperf in records_android.c (system/extras/simpleperf:
 * record.h: enum user_record_type).
 */
#ifndef PC_RECORDS_H
#define PC_RECORDS_H

#include "format/attr.h"
#include "format/field.h"

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
    PC_TYPES = 128,           /* more than there are; a row in records.c is all that a type needs */
    PC_ANDROID_TYPES = 32768, /* simpleperf's own; this one is never written */
    PC_KERNEL_SYMBOL,
    PC_DSO,
    PC_SYMBOL,
    PC_SPLIT,
    PC_SPLIT_END,
    PC_EVENT_ID,
    PC_CALLCHAIN,
    PC_UNWINDING_RESULT,
    PC_ANDROID_TRACING_DATA,
    PC_DEBUG,
    PC_ANDROID_TYPES_END
};

/* Numbers of types in arrays: as they are below PC_TYPES, then those of simpleperf. */
#define PC_TYPE_ROWS (PC_TYPES + PC_ANDROID_TYPES_END - PC_ANDROID_TYPES)

static inline bool pc_is_android_type(uint32_t type)
{
    return type >= PC_ANDROID_TYPES && type < PC_ANDROID_TYPES_END;
}

/* Whether an unknown type may be one of a later simpleperf: sizes of its records need not be multiples of 8.
 */
static inline bool pc_is_later_android_type(uint32_t type)
{
    return type >= PC_ANDROID_TYPES_END && type < PC_ANDROID_TYPES + PC_TYPES;
}

/* Whether the type is far above all that the kernel, perf and simpleperf have: each numbers its own upwards,
 * so none of them gets it soon. */
static inline bool pc_is_impossible_type(uint32_t type)
{
    return type >= PC_TYPES && !pc_is_android_type(type) && !pc_is_later_android_type(type);
}

/* Whether the header of a record has, where that of others has misc, the high half of its size. */
static inline bool pc_has_size_high(const unsigned char *record, enum pc_order order)
{
    return pc_is_android_type((uint32_t)pc_load(record, 4, order));
}

/* The number of a type in arrays; 0, which is no type, when it has none. */
static inline uint32_t pc_type_index(uint32_t type)
{
    if (pc_is_android_type(type))
        return PC_TYPES + type - PC_ANDROID_TYPES;
    return type < PC_TYPES ? type : 0;
}

/* The reverse. */
static inline uint32_t pc_type_at(uint32_t index)
{
    return index < PC_TYPES ? index : PC_ANDROID_TYPES + index - PC_TYPES;
}

#define PC_RECORD_HEADER_SIZE 8
#define PC_RECORD_SIZE_MAX    65535
#define PC_MMAP2_PROT         64                          /* offset of prot in MMAP2 */
#define PC_FEATURE_HEAD       (PC_RECORD_HEADER_SIZE + 8) /* HEADER_FEATURE: its content follows */

/* A cursor on what follows the header of a record; positions count from the record's first byte. */
static inline struct pc_cursor pc_record_body(struct pc_span record, enum pc_order order)
{
    return (struct pc_cursor){ .in = record, .pos = PC_RECORD_HEADER_SIZE, .order = order };
}

/* A record of simpleperf that holds trace data, joined or not: a cursor on them, whose positions count from
 * the record's first byte. False: it is none, or has no room for them. */
bool pc_trace_in_record(struct pc_span record, enum pc_order order, struct pc_cursor *trace);

#define PC_MISC_CPUMODE        0x7
#define PC_MISC_EXACT_IP       0x4000
#define PC_MISC_MMAP_DATA      0x2000
#define PC_MISC_MMAP_BUILD_ID  0x4000
#define PC_MISC_COMM_EXEC      0x2000
#define PC_MISC_FORK_EXEC      0x2000
#define PC_MISC_SWITCH_OUT     0x2000
#define PC_MISC_SWITCH_PREEMPT 0x4000
#define PC_MISC_BUILD_ID_SIZE  0x8000
#define PC_MISC_MAPS_CUT       0x1000 /* MMAP2: reading the maps of the process was given up */
#define PC_MISC_LOST_BPF       0x8000 /* LOST_SAMPLES: dropped by a filter */

/* The cpumode: include/uapi/linux/perf_event.h, PERF_RECORD_MISC_*. */
enum pc_cpumode {
    PC_MODE_UNKNOWN,
    PC_MODE_KERNEL,
    PC_MODE_USER,
    PC_MODE_HYPERVISOR,
    PC_MODE_GUEST_KERNEL,
    PC_MODE_GUEST_USER
};

/* Of the host or of a guest. */
static inline bool pc_is_of_kernel(unsigned misc)
{
    unsigned mode = misc & PC_MISC_CPUMODE;
    return mode == PC_MODE_KERNEL || mode == PC_MODE_GUEST_KERNEL;
}

static inline bool pc_is_of_user(unsigned misc)
{
    unsigned mode = misc & PC_MISC_CPUMODE;
    return mode == PC_MODE_USER || mode == PC_MODE_GUEST_USER;
}

static inline bool pc_is_of_host(unsigned misc)
{
    unsigned mode = misc & PC_MISC_CPUMODE;
    return mode == PC_MODE_KERNEL || mode == PC_MODE_USER;
}

#define PC_AUX_OVERWRITE 2 /* AUX: flags */

#define PC_BUILD_ID_MAX 20 /* bytes of a build id, in records and in HEADER_BUILD_ID */

/* Whether an MMAP2 with a build id has all of it, and zeros follow up to prot. */
bool pc_build_id_is_plain(struct pc_span mmap2);

enum pc_record_flags {
    PC_ANY_SIZE = 1,    /* the size need not be a multiple of 8 */
    PC_HAS_CPUMODE = 2, /* misc holds a cpumode */
    PC_HEADER_ONLY_IN_PIPE = 4,
    PC_SIZE_AS_A_WHOLE = 8, /* a size that is too large is reported, not what is too much */
    PC_NEEDS_MODE = 16,     /* cpumode 0 is no sound value */
    PC_OF_CONTAINER = 32,   /* a copy makes it anew, or makes attrs and features of it */
    PC_HOLDS_RECORDS = 64,  /* compressed */
    PC_HAS_PAYLOAD = 128,   /* bytes follow that its size does not count: PC_REC_SIZE */
    PC_SYNTHESIZED = 256,   /* perf record also writes it itself, about what ran before */
    PC_ENDS_SETUP = 512,    /* a user record that comes after all synthesized ones */
    PC_OF_STAT = 1024,      /* perf stat record writes it */
    PC_OF_AUX_TRACE = 2048,
    PC_LASTING = 4096,    /* what it says holds for all later records, which mean less without it */
    PC_KEEPS_SIZE = 8192, /* a copy does not pad it to a multiple of 8 */
    PC_MENDED = 16384,    /* later bytes cannot be read without it: it is read although its size is wrong */
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
extern const struct pc_name pc_android_file_names[]; /* types of files with symbols: DSO, FILE, FILE2 */

/* By type; rows without a name are of unknown types. */
extern const struct pc_record_info pc_kernel_records[PC_USER_TYPES];
extern const struct pc_record_info pc_user_records[PC_TYPES - PC_USER_TYPES]; /* from PC_USER_TYPES on */
extern const struct pc_record_info pc_android_records[PC_ANDROID_TYPES_END - PC_ANDROID_TYPES];

/* The row of a type, or NULL when the type is unknown. */
const struct pc_record_info *pc_record_info(uint32_t type);

/* "SAMPLE"; of a type without a row "TYPE_90", which is written to `number`. */
const char *pc_type_name(uint32_t type, char number[PC_NUMBER_NAME]);

/* The type that a word is, or is probably a mistake for; NULL: none. */
const char *pc_type_like(const char *word);

/* COMPRESSED2 with wrong sizes, in bytes that end where the record does. */
extern const struct pc_record_info pc_size_wrapped_info;

/* Whether the row of the type has one of these flags. */
static inline bool pc_record_is(uint32_t type, unsigned flags)
{
    const struct pc_record_info *info = pc_record_info(type);
    return info && (info->flags & flags);
}

/* How many bytes a record takes in the stream: its own, which are these, and those that follow it and that
 * its size does not count. False: the field that tells is not there, or they would be too many. */
bool pc_record_step(struct pc_span record, enum pc_order order, uint64_t *step);

static inline bool pc_is_kernel_type(uint32_t type)
{
    return type < PC_USER_TYPES;
}

/* How many bytes of a record of simpleperf of this size have a meaning: all but those that fill it up at its
 * end. info: of its type, or NULL; `begin`: what is there of it. UINT64_MAX: these bytes do not tell. */
uint64_t pc_meaning_of(const struct pc_record_info *info, struct pc_span begin, uint64_t size);

/* The row of such a record, or of its trailer, that saves into this slot. */
const struct pc_field *pc_record_row(const struct pc_record_info *info, unsigned slot);

/* The layout of one record: that of its attr (NULL: none) and what type and misc add to it. mmap2_old: the
 * capture has the MMAP2 records of kernel 3.12. */
struct pc_layout pc_record_layout(const struct pc_layout *attr, uint32_t type, uint16_t misc, bool mmap2_old);

/* Walks a record: its fields after the header, then its sample_id when the layout has one. The walk's
 * cursor spans the record. *excess: bytes between the fields and the trailer. */
bool pc_walk_record(struct pc_walk *walk, const struct pc_record_info *info, size_t *excess);

extern const struct pc_field pc_sample_id[];
extern const struct pc_field pc_record_trailer[]; /* it, under its name */

/* Bytes of the sample_id trailer that this layout gives. */
unsigned pc_sample_id_size(uint64_t mask);

/* The values of READ, in a SAMPLE after its fields of one word. */
extern const struct pc_field pc_read_values[];

/* Terms of STAT_CONFIG: the last one up to Linux 6.4, and the last of all. */
enum pc_stat_config { PC_STAT_SCALE = 2, PC_STAT_AGGR_LEVEL = 3 };

/* CPU maps, in CPU_MAP and EVENT_UPDATE: tools/lib/perf/include/perf/event.h: PERF_CPU_MAP__*. */
enum pc_map_type { PC_MAP_CPUS, PC_MAP_MASK, PC_MAP_RANGE };
#define PC_CPU_ANY UINT16_MAX /* in a list; in STAT and AUXTRACE it is UINT32_MAX */
#define PC_CPU_MAX 32766      /* perf takes no larger number for that of a CPU: cpumap.c */
/* EVENT_UPDATE: PERF_EVENT_UPDATE__* there. */
enum pc_update_type { PC_UPDATE_UNIT, PC_UPDATE_SCALE, PC_UPDATE_NAME, PC_UPDATE_CPUS };
/* AUXTRACE_INFO: tools/perf/util/auxtrace.h: enum auxtrace_type. */
enum pc_trace_type {
    PC_TRACE_INTEL_PT = 1,
    PC_TRACE_INTEL_BTS,
    PC_TRACE_CS_ETM,
    PC_TRACE_ARM_SPE,
    PC_TRACE_S390_CPUMSF,
    PC_TRACE_HISI_PTT,
    PC_TRACE_VPA_DTL,
    PC_TRACE_LAST = PC_TRACE_VPA_DTL
};
/* Magic numbers of the CPUs of CoreSight: tools/perf/util/cs-etm.h. */
#define PC_ETM_V3  0x3030303030303030
#define PC_ETM_V4  0x4040404040404040
#define PC_ETM_ETE 0x5050505050505050
/* KSYMBOL: include/uapi/linux/perf_event.h: enum perf_record_ksymbol_type, and a flag. */
enum pc_ksymbol_type { PC_KSYMBOL_UNKNOWN, PC_KSYMBOL_BPF, PC_KSYMBOL_OOL };
#define PC_KSYMBOL_UNREGISTER 1

/* Slots after a walk of a user record: what rules across records need of it. */
enum {
    PC_REC_SIZE = PC_SLOT_F0, /* AUXTRACE, HEADER_TRACING_DATA: bytes after the record */
    PC_REC_ADDR,              /* MMAP*: addr; AUX: offset */
    PC_REC_LEN,               /* MMAP*: len; AUX: size */
    PC_REC_LOST,              /* LOST, LOST_SAMPLES */
    PC_REC_TYPE,              /* of a record: type, fmt or tag; KERNEL_SYMBOL: is_last */
    PC_REC_FEATURE,           /* HEADER_FEATURE: feat_id */
    PC_REC_THREAD,            /* STAT: thread */
    PC_REC_NR,                /* THREAD_MAP: entries; SAMPLE: branches */
    PC_REC_START,             /* CPU_MAP range */
    PC_REC_RAW,               /* SAMPLE: the raw bytes; COMPRESSED: the zstd stream; CPU map: its padding */
    PC_REC_BUILD_ID_SIZE,     /* MMAP2, HEADER_BUILD_ID */
    PC_REC_SHIFT,             /* TIME_CONV, AUXTRACE_INFO: time_mult */
    PC_REC_MAP,               /* CPU map: its encoding */
    PC_REC_TID,               /* COMM, FORK, EXIT, ID_INDEX, AUXTRACE */
    PC_REC_NAME,              /* COMM, MMAP*, HEADER_BUILD_ID: length of the name */
    PC_REC_FLAGS,             /* AUX, KSYMBOL */
    PC_REC_IP,                /* SAMPLE, like the next two: pc_sample_layout keeps their places */
    PC_REC_SAMPLE_TID,
    PC_REC_CHAIN, /* entries of the call chain */
    /* Records that need one of these have none of the others. */
    PC_REC_PGOFF = PC_REC_LOST, /* MMAP* */
    PC_REC_PPID = PC_REC_SIZE,  /* FORK, EXIT, like the next one */
    PC_REC_PTID = PC_REC_ADDR,
    PC_REC_STREAM = PC_REC_SIZE,       /* THROTTLE: stream_id */
    PC_REC_COOKIE = PC_REC_SIZE,       /* CALLCHAIN_DEFERRED */
    PC_REC_ENABLED = PC_REC_LEN,       /* STAT: ena */
    PC_REC_RUNNING = PC_REC_SIZE,      /* STAT: run */
    PC_REC_IDX = PC_REC_NR,            /* ID_INDEX, AUXTRACE, EVENT_ID; DSO, SYMBOL: dso_id */
    PC_REC_BUILD_ID = PC_REC_FLAGS,    /* MMAP2, HEADER_BUILD_ID: the bytes */
    PC_REC_MAP_NR = PC_REC_NR,         /* CPU map: CPUs, or words of the mask */
    PC_REC_TEXT = PC_REC_NAME,         /* DSO, SYMBOL, DEBUG: the text */
    PC_REC_MAP_WORD = PC_REC_SHIFT,    /* CPU map: bytes of a word */
    PC_REC_MAP_ANY = PC_REC_FLAGS,     /* CPU map range: any_cpu */
    PC_REC_TICKS = PC_REC_FLAGS,       /* AUXTRACE_INFO of Intel PT, like the next ones: time_shift */
    PC_REC_RATIO = PC_REC_NR,          /* max_nonturbo_ratio */
    PC_REC_TRACE_PMU = PC_REC_ADDR,    /* pmu_type */
    PC_REC_TSC_BIT = PC_REC_LEN,       /* tsc_bit */
    PC_REC_REFERENCE = PC_REC_ADDR,    /* AUXTRACE: reference */
    PC_REC_TRACE_AT = PC_REC_FLAGS,    /* AUXTRACE: offset */
    PC_REC_ETM_VERSION = PC_REC_FLAGS, /* AUXTRACE_INFO of CoreSight, like the next ones: header_version */
    PC_REC_ETM_MAGIC = PC_REC_ADDR,    /* of a CPU */
    PC_REC_ETM_MORE = PC_REC_LEN,      /* the word after all CPUs, if there is one */
};

#endif

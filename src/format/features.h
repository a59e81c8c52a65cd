/* SPDX-License-Identifier: MIT
 *
 * features.h: features, the sections after the data or HEADER_FEATURE records: tools/perf/util/header.h,
 * enum perf_header_feature. Those of Android's simpleperf: system/extras/simpleperf: record_file.h.
 */
#ifndef PC_FEATURES_H
#define PC_FEATURES_H

#include "format/attr.h"
#include "format/field.h"

/* With which trace data begin: the first two rows of their table. */
#define PC_TRACING_MAGIC                                                                                     \
    "\x17\x08\x44"                                                                                           \
    "tracing"
#define PC_TRACING_MAGIC_SIZE (sizeof(PC_TRACING_MAGIC) - 1)

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
    PC_ANDROID_FEATURES = 128,
    PC_FILE = PC_ANDROID_FEATURES,
    PC_META_INFO,
    PC_DEBUG_UNWIND,
    PC_DEBUG_UNWIND_FILE,
    PC_FILE2,
    PC_ETM_BRANCH_LIST,
    PC_INIT_MAP,
    PC_ANDROID_FEATURES_END
};

/* perf numbers features upwards; this and higher ones are none that it will have soon. */
#define PC_FEATURES_BEYOND 64

enum pc_feature_flags {
    PC_SENT_IN_PIPE = 1,  /* perf sends it as HEADER_FEATURE */
    PC_NEEDS_NRCPUS = 2,  /* it has lists of as many entries as there are CPUs: NRCPUS comes before it */
    PC_ONLY_A_MARK = 4,   /* has no content */
    PC_ONE_STRING = 8,    /* a single string */
    PC_NEEDS_FILE = 16,   /* its reader uses file offsets: no HEADER_FEATURE */
    PC_NEEDS_ONLINE = 32, /* as PC_NEEDS_NRCPUS, with the CPUs that are online */
    PC_DERIVED = 64,      /* describes the container or follows from the rest: a copy makes it anew */
    PC_LEARNED = 128,     /* the capture model keeps something of it */
    PC_ANY_LENGTH = 256,  /* bytes without a meaning: they need not be held at once */
};

struct pc_feature_info {
    const char *name;              /* "HOSTNAME" */
    const struct pc_field *fields; /* NULL: content not known */
    uint16_t flags;                /* enum pc_feature_flags */
    uint16_t short_diag;           /* finding of rows that do not fit; 0: the general one */
};

/* By bit; in features_android.c. */
extern const struct pc_feature_info pc_android_features[PC_ANDROID_FEATURES_END - PC_ANDROID_FEATURES];

static inline bool pc_is_android_feature(uint64_t bit)
{
    return bit >= PC_ANDROID_FEATURES && bit < PC_ANDROID_FEATURES_END;
}

/* Whether no writer gives a feature this number. */
static inline bool pc_is_beyond_features(uint64_t bit, bool by_simpleperf)
{
    return bit >= PC_FEATURES_BEYOND && !by_simpleperf;
}

/* The row of a bit, or NULL when it is unknown. */
const struct pc_feature_info *pc_feature_info(uint64_t bit);

/* "HOSTNAME"; of a bit without a row "BIT_90", which is written to `number`. */
const char *pc_feature_name(uint64_t bit, char number[PC_NUMBER_NAME]);

/* The name for which the word is probably a mistake; NULL: nobody knows. */
const char *pc_feature_like(const char *word);

/* Whether the row of the bit has one of these flags. */
static inline bool pc_feature_is(uint64_t bit, unsigned flags)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    return info && (info->flags & flags);
}

/* Tables of what copies make anew: EVENT_DESC, whose attr_size is in PC_SLOT_B, and COMPRESSED. */
extern const struct pc_field pc_event_desc[], pc_compression[];

/* Build ids as perf 2.6.33 wrote them; pc_build_ids_are_old tells them apart, by what is in the first name
 * where the names of later perfs begin. */
extern const struct pc_field pc_build_ids_old[];
bool pc_build_ids_are_old(struct pc_span section);
/* Where the row that saves this slot is in an entry of the new one. */
size_t pc_build_id_at(unsigned slot);
/* Where the name begins in an entry of either layout. */
size_t pc_build_id_name_at(bool old);

/* CPU_PMU_CAPS: branches that a stack of the CPU holds, if this leaf, the value of a capability, says so; at
 * most PC_BRANCHES_MAX, UINT64_MAX: it is no such number. False: the leaf is about something else. */
#define PC_BRANCHES_MAX 1024
bool pc_cap_branches(const struct pc_leaf *leaf, uint64_t *branches);

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
    uint8_t size; /* bytes of an element; 0: the info has it */
    uint8_t word; /* bytes of the integers that elements are made of; 1: bytes, which have no order */
};
extern const struct pc_bpf_array pc_bpf_arrays[PC_BPF_ARRAYS];

/* The place and size of an array, by the info. */
struct pc_bpf_place {
    size_t at;                      /* of the pointer in the info */
    uint64_t start, count, element; /* offset in the data, elements, bytes of one */
    unsigned told;                  /* how many of these three the info is long enough to say */
};

/* Whether the info says all of that. */
static inline bool pc_bpf_is_told(const struct pc_bpf_place *place)
{
    return place->told == 3;
}

/* Whether an array of which all is said lies in so many bytes of data. */
static inline bool pc_bpf_fits(const struct pc_bpf_place *place, size_t len)
{
    uint64_t bytes, end;
    return pc_mul(place->count, place->element, &bytes) && pc_add(place->start, bytes, &end) && end <= len;
}

#define PC_BPF_INFO_5_10 208 /* bytes of it that perf 5.10 knows */

/* Fills places[PC_BPF_ARRAYS] from a struct bpf_prog_info (include/uapi/linux/bpf.h). */
void pc_bpf_find_arrays(struct pc_span info, enum pc_order order, struct pc_bpf_place *places);

#define PC_COMPRESSION_ZSTD 1 /* COMPRESSED: type */

/* Slots after a walk of a feature; rules know its rows by them. Each feature counts from F0. */
enum {
    PC_TRACING_ORDER = PC_SLOT_F0,
    PC_TRACING_LONG_SIZE,
    PC_TRACING_PAGE_SIZE,
    PC_TRACING_HEADER_PAGE,
    PC_TRACING_PRINTK,
    PC_TRACING_FORMAT,
    PC_TRACING_VERSION,
    PC_TRACING_SYSTEMS,
    PC_TRACING_SYSTEM,

    PC_BUILD_ID_TYPE = PC_SLOT_F0,
    PC_BUILD_ID_MISC,
    PC_BUILD_ID_PID,
    PC_BUILD_ID_BYTES,
    PC_BUILD_ID_LEN,
    PC_BUILD_ID_NAME,
    PC_BUILD_ID_OLD_NAME,

    PC_NRCPUS_AVAILABLE = PC_SLOT_F0,
    PC_NRCPUS_ONLINE,

    PC_EVENT_DESC_NR = PC_ATTR_SLOTS_END, /* it holds attrs */
    PC_EVENT_DESC_NR_IDS,
    PC_EVENT_DESC_NAME,
    PC_EVENT_DESC_IDS, /* of no row: for those who make one */

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
    PC_BPF_BTF_ID,

    PC_BTF_ID = PC_SLOT_F0,
    PC_BTF_DATA,

    PC_COMPRESSED_TYPE = PC_SLOT_F0,
    PC_COMPRESSED_LEVEL,
    PC_COMPRESSED_RATIO,
    PC_COMPRESSED_MMAP_LEN,

    PC_CLOCK_DATA_CLOCKID = PC_SLOT_F0,
    PC_CLOCK_DATA_TIME,
    PC_HYBRID_NAME = PC_SLOT_F0,
    PC_CAP_NAME = PC_SLOT_F0,
    PC_CAP_VALUE,

    PC_META_KEY = PC_SLOT_F0,
    PC_META_VALUE,

    PC_FILE_PATH = PC_SLOT_F0, /* FILE and FILE2, like those up to PC_FILE_SYMBOL */
    PC_FILE_TYPE,
    PC_FILE_MIN_VADDR,
    PC_FILE_ADDR, /* of a symbol */
    PC_FILE_LEN,
    PC_FILE_SYMBOL,
    PC_FILE_KIND, /* FILE2: the number of the message that its type adds; 0: there is none */

    PC_MACHINE = PC_SLOT_F0,
    PC_UNWIND_SIZE = PC_SLOT_F0,
    PC_BRANCH_LIST_MAGIC = PC_SLOT_F0,
    PC_BRANCH_LIST_BITS, /* bytes with one for each branch */
    PC_BRANCH_LIST_NR,   /* branches */

    PC_DOMAINS_MAX = PC_SLOT_F0,
    PC_DOMAIN_CPU,
    PC_DOMAIN_NUMBER,
};

#endif

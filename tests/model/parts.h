/* SPDX-License-Identifier: MIT
 *
 * parts.h: what the files of the second reader share.
 */
#ifndef MODEL_PARTS_H
#define MODEL_PARTS_H

#include "model.h"

#include <zstd.h>

#define MEMORY_LIMIT  ((size_t)256 << 20)
#define CONTENT_LIMIT ((size_t)64 << 20)
#define FAULT_LIMIT   4096 /* after them, the first of each condition */
#define CONDITIONS    1256
#define FEATURES_END  135     /* 128 to 134 are those of simpleperf */
#define NO_CPU        0xffffu /* "any CPU" of a CPU map */

struct attr {
    uint32_t type, size;
    uint64_t config, period, sample_type, read_format, flags, branch_type, regs_user, regs_intr;
    uint32_t stack;
    size_t ids;
};

struct id_slot {
    uint64_t id;
    uint32_t attr;
    bool used;
};

struct mark { /* where the output of one compressed record begins */
    size_t start;
    uint64_t number;
};

struct member {
    const char *name;
    const unsigned char *bytes;
    size_t len;
    unsigned char *content;
    size_t content_len, content_cap, walked;
    struct mark *marks;
    size_t mark_count, mark_cap, mark_now;
    ZSTD_DStream *zstd;
    bool zstd_broken, content_broken;
};

struct section {
    uint64_t start, end;
    int kind;
};

enum {
    SECTION_HEADER,
    SECTION_ATTRS,
    SECTION_IDS,
    SECTION_DATA,
    SECTION_TYPES,
    SECTION_TABLE,
    SECTION_FEATURE
};

struct model {
    struct member *members;
    size_t member_count;
    bool big, pipe, limit, rejected, directory, unfinished;
    bool damaged; /* records after broken framing were not seen */
    int version;
    size_t memory;

    struct model_fault *faults;
    bool said[CONDITIONS], warned[CONDITIONS];
    size_t fault_count, fault_cap;
    struct model_part *parts;
    size_t part_count, part_cap;
    struct model_leaf *leaves;
    size_t leaf_count, leaf_cap;
    bool part_open;

    struct attr *attrs;
    size_t attr_count, attr_cap;
    int id_place, id_back; /* id_position and id_position_back of all attrs; -1: not the same */
    struct id_slot *ids;
    size_t id_count, id_cap;
    bool tracing_big;      /* order of the payloads of tracepoints */
    uint64_t *tracepoints; /* ids of the formats in the tracing data */
    size_t tracepoint_count, tracepoint_cap;
    struct section *sections;
    size_t section_count, section_cap;
    struct section *auxtraces; /* AUXTRACE records in the first member */
    size_t auxtrace_count, auxtrace_cap;
    struct section *traced; /* traces of simpleperf, kind: the CPU */
    size_t traced_count, traced_cap;
    uint64_t *auxtrace_index; /* pairs: offset, size */
    size_t auxtrace_index_count, auxtrace_index_cap;
    uint64_t auxtrace_index_at;
    struct section *groups; /* start: leader, end: members, of GROUP_DESC */
    size_t group_count, group_cap;
    uint64_t groups_at;

    uint64_t records;
    unsigned char features[32]; /* bit n: byte n / 8, bit n % 8 */
    bool knows_cpus;            /* an NRCPUS came, ... */
    uint32_t first_cpus;        /* ... the first, with this number */
    bool by_simpleperf, has_nrcpus, nrcpus_bad, has_tracing_data, tracing_data_bad, has_auxtrace_info, is_pt,
        is_etm, has_header_feature, pt_has_tsc, has_attr_fault;
    uint32_t available, online;
    size_t cpu_at, id_at, identifier_at; /* of the current record of the kernel */
    struct model_fault
        early_cpu_row[3];  /* row 94 or 420, if NRCPUS after samples (1), maps (2) or others says ... */
    uint32_t early_cpu[3]; /* ... less than so many CPUs */
    uint64_t last_feature; /* pipe: one more than the highest feature so far */
    bool has_compressed, compressed_seen, said_compressed;
    bool compressed_bad,
        compressed_zeros; /* one of them has a bad mmap_len; the last has nothing but zeros */
    uint32_t compressed_type, compressed_mmap_len;
    uint64_t compressed_at;
    bool said_no_attr;
    bool defer_output, has_dir_format, data_outside, stat_seen, init_seen, trace_seen,
        features_seen[FEATURES_END], packed[2];
    bool has_thread_map, bad_thread_map, has_cpu_map, bad_cpu_map, has_stat_config, has_schedstat;
    uint64_t stat_threads;
    unsigned char stat_cpus[(NO_CPU + 1) / 8]; /* a bit for each CPU of the CPU map */
    size_t raw_at, raw_size, strange_read; /* of the current sample; where its first unknown id is; 0: none */
    bool sampled, sampled_without_id;      /* there is a SAMPLE; one has READ without FORMAT_ID */
    uint64_t dir_version;
    bool has_cpuid, cpuid_is_x86, arch_is_x86; /* what CPUID says, and ARCH; cpuid_at: where the text is */
    uint32_t e_machine;
    struct model_fault cpuid_at;
    uint64_t unwind_bytes; /* DEBUG_UNWIND: sizes of its files */
    struct section *lines; /* start: type, end: config, kind: is CoreSight, of events in META_INFO */
    size_t line_count, line_cap;
    bool has_lines, lines_bad;
    bool unwind_damaged;
    unsigned char *split; /* pieces of a record of simpleperf */
    size_t split_size, split_cap;
    uint64_t *dsos; /* ids of files that have symbols */
    size_t dso_count, dso_cap;
    int old_mmap2;       /* -1 not decided, 0, 1 */
    size_t no_clock_at;  /* time_mult of the last TIME_CONV, if its lower half is 0 */
    uint64_t time, lost; /* of the current record: when it was sampled, how many it says are lost */
    struct model_sums sums;
};

struct cursor {
    struct model *m;
    const unsigned char *base;
    size_t pos, end;
    size_t origin; /* pos of what is shown as offset 0; wraps */
    uint32_t member, source;
    int64_t wrapper;
    unsigned condition; /* what it means when bytes are missing */
    bool big, quiet, cut;
};

#define HSTR_LEAST (4 + 1) /* its length, of which 0 is wrong */

#define SAMPLE_IP           ((uint64_t)1 << 0)
#define SAMPLE_TID          ((uint64_t)1 << 1)
#define SAMPLE_TIME         ((uint64_t)1 << 2)
#define SAMPLE_ADDR         ((uint64_t)1 << 3)
#define SAMPLE_READ         ((uint64_t)1 << 4)
#define SAMPLE_CALLCHAIN    ((uint64_t)1 << 5)
#define SAMPLE_ID           ((uint64_t)1 << 6)
#define SAMPLE_CPU          ((uint64_t)1 << 7)
#define SAMPLE_PERIOD       ((uint64_t)1 << 8)
#define SAMPLE_STREAM_ID    ((uint64_t)1 << 9)
#define SAMPLE_RAW          ((uint64_t)1 << 10)
#define SAMPLE_BRANCH_STACK ((uint64_t)1 << 11)
#define SAMPLE_REGS_USER    ((uint64_t)1 << 12)
#define SAMPLE_STACK_USER   ((uint64_t)1 << 13)
#define SAMPLE_WEIGHT       ((uint64_t)1 << 14)
#define SAMPLE_DATA_SRC     ((uint64_t)1 << 15)
#define SAMPLE_IDENTIFIER   ((uint64_t)1 << 16)
#define SAMPLE_TRANSACTION  ((uint64_t)1 << 17)
#define SAMPLE_REGS_INTR    ((uint64_t)1 << 18)
#define SAMPLE_PHYS_ADDR    ((uint64_t)1 << 19)
#define SAMPLE_AUX          ((uint64_t)1 << 20)
#define SAMPLE_CGROUP       ((uint64_t)1 << 21)
#define SAMPLE_DATA_PAGE    ((uint64_t)1 << 22)
#define SAMPLE_CODE_PAGE    ((uint64_t)1 << 23)
#define SAMPLE_WEIGHT_PAIR  ((uint64_t)1 << 24)
#define SAMPLE_KNOWN        (((uint64_t)1 << 25) - 1)

#define READ_ENABLED 1u
#define READ_RUNNING 2u
#define READ_ID      4u
#define READ_GROUP   8u
#define READ_LOST    16u

#define BRANCH_HW_INDEX    ((uint64_t)1 << 17)
#define BRANCH_COUNTERS    ((uint64_t)1 << 19)
#define FLAG_SAMPLE_ID_ALL ((uint64_t)1 << 18)
#define FLAG_DEFER_CHAIN   ((uint64_t)1 << 38)

/* cursor.c: memory with a limit, reports, and bytes read one field after the other. */
bool md_grow(struct model *m, void **array, size_t *cap, size_t count, size_t width);
void md_fault_at(struct model *m, unsigned condition, uint32_t member, int64_t wrapper, uint64_t offset);
void md_fault(struct cursor *c, unsigned condition, size_t pos);
/* A row that is a warning; only whether there is one is kept. */
void md_warn(struct cursor *c, unsigned condition);
bool md_is_any_set(const unsigned char *p, size_t n);
void md_open_part(struct model *m, struct model_part part);
void md_close_part(struct model *m);
uint64_t md_number_at(const unsigned char *p, unsigned width, bool big);
size_t md_left(const struct cursor *c);
bool md_need(struct cursor *c, uint64_t size);
/* After the first missing byte of a part nothing more is read from it and every number is 0. */
uint64_t md_unsigned(struct cursor *c, unsigned width);
uint8_t md_u8(struct cursor *c);
uint16_t md_u16(struct cursor *c);
uint32_t md_u32(struct cursor *c);
uint64_t md_u64(struct cursor *c);
int64_t md_signed(struct cursor *c, unsigned width);
void md_bytes(struct cursor *c, uint64_t size, enum model_leaf_kind kind);
/* All that is left, if anything is. */
void md_rest(struct cursor *c);
size_t md_length_to_nul(const struct cursor *c, size_t size);
uint64_t md_align8(uint64_t x);
/* count entries of at least width bytes each can still be there */
bool md_fits(struct cursor *c, uint64_t count, uint64_t width);
void md_hstr(struct cursor *c);

/* Of the text that began there and was read: whether it is UTF-8; whether it can name a machine. */
void md_judge_utf8(struct cursor *c, size_t from, unsigned condition);
void md_judge_name(struct cursor *c, size_t from, unsigned condition); /* ... with a warning */
void md_judge_machine(struct cursor *c, size_t from, unsigned condition);
/* A CPUID (bit 9) or ARCH (6) that began there and was read, and at the end both together. */
void md_note_machine(struct cursor *c, unsigned bit, size_t from);
void md_judge_cpuid(struct model *m);
uint64_t md_bit_word(struct cursor *c, unsigned width, uint64_t (*normal)(uint64_t word, bool big));
uint64_t md_attr_bits(uint64_t word, bool big);
uint64_t md_aux_action_bits(uint64_t word, bool big);
uint64_t md_branch_bits(uint64_t word, bool big);
uint64_t md_bpf_bits(uint64_t word, bool big);

/* attrs.c: attrs, their ids, and what all attrs of a capture must have in common. */
size_t md_id_place(const struct model *m, uint64_t id);
const struct id_slot *md_find_id(const struct model *m, uint64_t id);
/* The first attr with an id keeps it. Returns whether another one has it. */
bool md_add_id(struct model *m, uint64_t id, uint32_t attr);
void md_give_id(struct model *m, uint64_t id, uint32_t attr); /* whichever attr had it before */
/* Whether records may name this id. With one attr every id is that of the attr. */
bool md_id_resolves(const struct model *m, uint64_t id);
unsigned md_ones(uint64_t v);
/* The fields of an attr of `size` bytes, which takes `room` bytes. */
struct attr md_attr_fields(struct cursor *c, uint64_t size, uint64_t room);
/* size: what the attr occupies, 0 counted as 64 */
void md_judge_attr(struct cursor *c, const struct attr *a, uint64_t size, size_t start);
unsigned md_trailer_size(const struct attr *a);
bool md_has_bit(const struct model *m, unsigned bit);
/* What attrs must have in common. `at` is reported when there is no better place. */
void md_judge_attrs(struct model *m, uint64_t at);
void md_add_attr(struct model *m, struct attr a);

/* tracing.c: tracing data: formats of tracepoints. */
/* Leaves c after what was understood. */
void md_tracing_data(struct cursor *c);

/* features.c: the content of features. */
/* Groups from number `first` on, of a GROUP_DESC whose content begins at `at`. */
void md_judge_groups(struct model *m, size_t first, uint64_t at);
/* The content of a feature; `bit` decides. c->end is its end. */
void md_feature(struct cursor *c, unsigned bit);

/* android.c: what simpleperf makes up. The type of a record: 66 in its old form is 32777. False: the type is
 * none of its own. */
uint32_t md_type(const unsigned char *head, bool big);
bool md_android_record(struct cursor *c, uint32_t type, uint16_t size, size_t start);
void md_android_feature(struct cursor *c, unsigned bit);

/* trailer.c: which attr governs a record, and the trailer that sample_id_all adds. */
/* Whether samples of all attrs have the same fields; `read`: READ records too. */
bool md_is_one_layout(const struct model *m, bool read);
/* A record that needs an attr: one word about it when there is none. */
bool md_attr_there(struct cursor *c, size_t start);
/* Of a record that is no sample. NULL when it cannot be known; c is then told, unless attrs have no common
 * place for ids (4.2), which is reported. */
const struct attr *md_attr_of_trailer(struct cursor *c, size_t start, bool read);
void md_trailer(struct cursor *c, const struct attr *a);
/* Ids and CPU of a record of the kernel that could be read. */
void md_judge_ids_and_cpu(struct cursor *c, const struct attr *a, bool sample);
/* After the last field: excess bytes, then the trailer, which ends with the record. */
void md_finish(struct cursor *c, const struct attr *a);
/* A string that takes all up to the trailer. grows: the kernel may have added trailers of other recordings.
 */
void md_string_and_finish(struct cursor *c, const struct attr *a, bool grows);
/* Until `finish`, the fields end where the trailer begins. Returns what `widen` needs. */
size_t md_narrow(struct cursor *c, const struct attr *a);
void md_read_values(struct cursor *c, const struct attr *a);
/* The number before an array, whose own condition is about the array. */
uint64_t md_count_of(struct cursor *c, unsigned width);
void md_many_u64(struct cursor *c, uint64_t nr);

/* samples.c: SAMPLE records. */
void md_sample(struct cursor *c, size_t start);

/* records.c: records other than SAMPLE. */
/* A record whole in base[pos, pos + size). Returns how many bytes after it belong to it. */
uint64_t md_record(struct cursor *c, uint32_t type, uint16_t misc, uint16_t size);

/* streams.c: records one after the other: in a file, a member of a directory, and in compressed content. */
struct cursor md_cursor_of(struct model *m, uint32_t member, size_t pos, size_t end);
/* The payload of HEADER_TRACING_DATA: trace data, then zeros up to the size. */
void md_payload(struct model *m, uint32_t member, uint32_t type, uint64_t number, size_t record_pos,
                size_t pos, size_t size);
void md_walk(struct model *m, uint32_t member, size_t pos, size_t end);

/* file.c: a capture with a file header: sections, attrs, features. */
/* What can be reported only at the end. */
void md_judge_end(struct model *m);
void md_read_file(struct model *m, uint64_t header_size);

/* Whether a capture begins at a place: a magic and the size of a header. */
bool md_begins_capture(const unsigned char *p, uint64_t left);

#endif

/* SPDX-License-Identifier: MIT
 *
 * capture.h: what is remembered while a capture passes: header, attrs, the map from ids to
 * attrs, layouts of records and their plans, the formats of tracepoints, and the few features that explain
 * records. Its size depends on the number of attrs, ids and formats, never on the number of records.
 */
#ifndef PC_CAPTURE_H
#define PC_CAPTURE_H

#include "base/base.h"
#include "base/mem.h"
#include "base/set.h"
#include "base/tree.h"
#include "format/tables.h"
#include "format/tracepoint.h"
#include "read/cpus.h"
#include "read/item.h"
#include "read/layouts.h"
#include "report/diag.h"

#define PC_NO_ATTR   UINT32_MAX
#define PC_ATTRS_MAX 65536
#define PC_ATTR_IDS_MAX                                                                                      \
    ((uint64_t)1 << 24) /* of one attr: tools/perf/util/header.c: perf_session__read_header */
#define PC_IDS_HELD_MAX         ((uint64_t)1 << 20)
#define PC_TRACEPOINT_BYTES_MAX ((uint64_t)32 << 20)
#define PC_NAME_MAX             512
#define PC_NAMES_EARLY_MAX      ((uint64_t)1 << 20) /* bytes of names whose attr has not come */
#define PC_TEXT_MAX             4096
#define PC_EVENT_LINES_MAX      ((uint64_t)1 << 20)

struct pc_attr {
    uint64_t value[PC_ATTR_REGS_INTR - PC_ATTR_TYPE + 1];
    uint64_t offset;     /* of the attr in the stream */
    uint64_t ids_offset; /* file mode */
    uint64_t nr_ids;
    uint32_t layout; /* index */
    uint32_t format; /* index of its tracepoint; PC_NO_ATTR: it is of another type */
    char *name;      /* NULL: not known */
    uint64_t name_size;
    bool updated;                  /* an EVENT_UPDATE names it */
    bool has_cpus;                 /* ... or has a map of its CPUs */
    const struct pc_cpu_map *cpus; /* NULL: none, or there are too many */
};

static inline uint64_t pc_attr_get(const struct pc_attr *attr, unsigned slot)
{
    return attr->value[slot - PC_ATTR_TYPE];
}

/* What attrs have in common. */
struct pc_common {
    uint32_t nr, first; /* how many they are; the first of them, which readers take records without id for */
    int id_pos;         /* u64 index of the id in a SAMPLE from its first field; -1: no common place */
    int is_pos;         /* ... in other records from their end, 1 is the last; -1: no common place */
    bool same_layout;   /* all have one layout */
    bool same_shown;    /* ... but for what only READ records show of it */
};

struct pc_section_range {
    uint64_t offset, size;
};

/* The event that an EVENT_UPDATE applies to. */
struct pc_update {
    uint32_t event; /* an attr; PC_NO_ATTR: none is known */
    bool early;     /* no attr has its id, and there is one attr at most, which does not settle it */
};

/* Which attr governs a record, by FORMAT.md 4.2 (tools/perf/util/evlist.c: evlist__event2evsel). */
enum pc_choice {
    PC_CHOSEN,
    PC_CHOICE_NO_ATTRS,
    PC_CHOICE_NO_POSITION, /* several attrs without a common place for ids */
    PC_CHOICE_SHORT,       /* the record ends before its id */
    PC_CHOICE_UNKNOWN,     /* the id belongs to no attr */
};
struct pc_chosen {
    enum pc_choice choice;
    uint32_t attr;
    uint64_t id;
    size_t id_at; /* position of the id in the record; 0: no id was looked at */
};

struct pc_capture {
    struct pc_mem *mem;
    enum pc_order order;
    bool is_pipe;
    bool is_directory;           /* the header is that of its member `data` */
    uint64_t dir_version;        /* DIR_FORMAT; 0: data.N are no part of it */
    uint64_t mmap_len;           /* COMPRESSED: most bytes that a compressed record holds; 0: not known */
    uint64_t compression, level; /* ... its type and level */
    unsigned version;
    bool unfinished;       /* the header was never finished: no features, data up to the end */
    bool attrs_damaged;    /* attrs could not be read, which was reported */
    bool ids_missing;      /* the same of ids of an attr */
    bool tracing_damaged;  /* the same of TRACING_DATA */
    size_t nr_without_ids; /* attrs */
    bool lists_id_zero;    /* an attr has the id 0, which is not in the map */
    uint64_t header[PC_HEAD_FEATURES - PC_HEAD_SIZE + 1];
    uint64_t features[PC_FEATURE_BITS / 64]; /* as the header has them */
    uint64_t seen[PC_FEATURE_BITS / 64];     /* features that came, from header or records */

    bool by_simpleperf;    /* something came that only simpleperf makes up */
    uint64_t unwind_bytes; /* DEBUG_UNWIND: of all files that it lists ... */
    bool unwind_damaged;   /* ... unless they could not be read */

    uint64_t next_feature;    /* of a pipe: the bit after the last feature that came */
    uint64_t repeated;        /* HEADER_FEATURE records of features that came before */
    bool has_header_features; /* such records ... */
    bool features_ended;      /* ... and their end mark */

    struct pc_attr *attr;
    size_t nr_attrs, cap_attrs;
    struct pc_early_name { /* names of EVENT_DESC that came before their attrs, by index */
        char *text;
        uint64_t size;
    } * early;
    size_t nr_early, cap_early;
    uint64_t early_bytes;
    struct pc_sample_layout **layout;
    size_t nr_layouts, cap_layouts;
    size_t least_sample;      /* no sample of any of these layouts is shorter */
    struct pc_tree ids;       /* with the attr of each */
    struct pc_tree first_ids; /* those that a record gave to another attr, with the first of them */
    uint64_t flags;           /* of all attrs together */
    uint64_t nr_ids;          /* number of all ids, also of those that did not fit */
    struct pc_common common;  /* of all attrs that were not lost ... */
    struct pc_common before;  /* ... and without the last one */
    bool counters;            /* an attr has branch counters */
    bool no_plans;            /* test hook: records are only walked */

    /* Strings of features, CMDLINE joined; of META_INFO the writer; NULL: not there. */
    char *text[PC_ANDROID_FEATURES_END];
    uint64_t text_size[PC_ANDROID_FEATURES_END];
    char *event_lines; /* META_INFO of simpleperf: names of events; NULL: there are none */
    uint64_t event_lines_size;
    uint64_t nr_cpus, nr_online; /* NRCPUS; 0: not known */
    uint64_t branches;           /* CPU_PMU_CAPS: most in a stack; 0: not known */
    struct pc_cpu_maps cpu_maps;
    int mmap2_old;           /* 1 old layout, 0 not; -1: no record has shown it */
    struct pc_update update; /* the last EVENT_UPDATE */
    bool has_updated_names;  /* an EVENT_UPDATE has a name */

    struct pc_tree tracepoint_ids; /* of attrs and of TRACING_DATA, with their index in `tracepoint` */
    struct pc_tracepoint_state {
        struct pc_tracepoint *format; /* NULL: none is known, or its text is damaged */
        bool is_described;            /* in TRACING_DATA */
    } * tracepoint;
    size_t nr_tracepoints, cap_tracepoints;
    uint64_t nr_described, tracepoint_bytes;
    bool has_trace_info, has_trace_data; /* AUXTRACE_INFO and HEADER_TRACING_DATA records came */
    uint32_t nr_tracing;                 /* TRACING_DATA so far; a later one replaces formats of an earlier */
    enum pc_order tracing_order;         /* of the integers in payloads */
    bool tracing_kept;                   /* they are in a record of simpleperf, which no copy swaps */
    bool tracepoints_full;               /* some did not fit */
    bool no_memory;                      /* for a name or a text */
    struct pc_tp_draft *tp_draft;        /* for reading texts */
};

/* The order of the integers in payloads of tracepoints; and that which they have in a copy. */
static inline enum pc_order pc_payload_order(const struct pc_capture *capture)
{
    return capture->nr_tracing != 0 ? capture->tracing_order : capture->order;
}

static inline enum pc_order pc_payload_order_in(const struct pc_capture *capture, enum pc_order copy)
{
    return capture->tracing_kept ? capture->tracing_order : copy;
}

static inline uint64_t pc_header_get(const struct pc_capture *capture, unsigned slot)
{
    return capture->header[slot - PC_HEAD_SIZE];
}

/* Whether the attrs of a file begin after its data: perf inject writes those of a pipe there. */
static inline bool pc_attrs_are_behind(const struct pc_capture *capture)
{
    return !capture->is_pipe &&
           pc_header_get(capture, PC_HEAD_ATTRS_OFFSET) > pc_header_get(capture, PC_HEAD_DATA_OFFSET);
}

static inline bool pc_bit(const uint64_t *bitmap, uint64_t bit)
{
    return bitmap[bit / 64] >> bit % 64 & 1;
}

/* Of a bitmap of features: how many there are. */
static inline uint64_t pc_count_features(const uint64_t *bitmap)
{
    uint64_t nr = 0;
    for (unsigned i = 0; i < PC_FEATURE_BITS / 64; i++)
        nr += (uint64_t)__builtin_popcountll(bitmap[i]);
    return nr;
}

/* The feature of an entry of the table; entries count from 0. There must be more features than that. */
static inline uint64_t pc_nth_feature(const uint64_t *bitmap, uint64_t entry)
{
    uint64_t bit = 0;
    while (!pc_bit(bitmap, bit) || entry-- != 0)
        bit++;
    return bit;
}

/* Whether a file has features of simpleperf. */
bool pc_has_android_features(const uint64_t *bitmap);

/* Whether the last section of a file of `size` bytes may end there: with the file, or, of simpleperf, before
 * bytes that belong to none. */
static inline bool pc_may_end_sections(const uint64_t *bitmap, uint64_t end, uint64_t size)
{
    return end == size || (end < size && pc_has_android_features(bitmap));
}

/* Whether sections from `first` to `end` may be those of a table of nr entries at this place: they begin
 * right behind it, or behind room for a few more entries. */
static inline bool pc_may_be_sections(const uint64_t *bitmap, uint64_t table, uint64_t nr, uint64_t first,
                                      uint64_t end, uint64_t size)
{
    const uint64_t room = first - table - nr * PC_SECTION_SIZE;
    return room <= PC_TABLE_GAP_MAX && room % PC_SECTION_SIZE == 0 && pc_may_end_sections(bitmap, end, size);
}

/* How many entries the table in these bytes has, which are at this place of a file, and no more than `most`:
 * so many have sections that may be its own. 0: fewer than show a table. */
uint64_t pc_count_table(const uint64_t *bitmap, const unsigned char *raw, uint64_t most, enum pc_order order,
                        uint64_t table, uint64_t size);

/* Whether the header has one bit too many: of nr entries of a table here, the last one is empty and the
 * others are whole, and the last feature has content. */
bool pc_is_one_unwritten(const uint64_t *bitmap, const unsigned char *raw, uint64_t nr, enum pc_order order,
                         uint64_t table, uint64_t size);

static inline void pc_set_bit(uint64_t *bitmap, uint64_t bit)
{
    bitmap[bit / 64] |= (uint64_t)1 << bit % 64;
}

void pc_capture_init(struct pc_capture *capture, struct pc_mem *mem);
void pc_capture_clear(struct pc_capture *capture);

/* Whether perf misreads a file with an attr that is shorter than the room in its entry. It looks for the ids
 * where the attr ends, and for the next attr after them: there may be no other attr, and no values in samples
 * that are credited by id. */
bool pc_perf_misses_ids(const struct pc_capture *capture, const uint64_t *slot);

/* Whether such an attr is sound: perf reads it, or simpleperf wrote it, which looks where the entry ends. */
bool pc_attr_ends_early(const struct pc_capture *capture, struct pc_span room);

/* Remembers an attr from the slots of its walk; its index, or PC_NO_ATTR when there is no memory or no room.
 */
uint32_t pc_capture_add_attr(struct pc_capture *capture, const uint64_t *slot, uint64_t offset);

/* The attr that was added last is damaged, and the copy does not have it: it does not tell where records have
 * their id. They still may be its. */
void pc_capture_lose_attr(struct pc_capture *capture);

/* The attr that readers take records for that have no id. There is one. */
static inline const struct pc_attr *pc_capture_first(const struct pc_capture *capture)
{
    return &capture->attr[capture->common.first];
}

enum pc_id_outcome { PC_ID_ADDED, PC_ID_ZERO, PC_ID_AGAIN, PC_ID_OTHERS, PC_ID_FULL };

/* False after ids or attrs could not be read, which was reported. */
static inline bool pc_capture_knows_all_ids(const struct pc_capture *capture)
{
    return !capture->attrs_damaged && !capture->ids_missing;
}

/* Whether EVENT_DESC or an EVENT_UPDATE names events. */
static inline bool pc_capture_has_names(const struct pc_capture *capture)
{
    return pc_bit(capture->seen, PC_EVENT_DESC) || capture->has_updated_names;
}

/* Whether simpleperf alone makes up records of the type, or a later version of it may. */
static inline bool pc_capture_has_android_type(const struct pc_capture *capture, uint32_t type)
{
    return pc_is_android_type(type) || (capture->by_simpleperf && pc_is_later_android_type(type));
}

/* Connects an id with an attr. *other: the attr that has it already (PC_ID_OTHERS). */
enum pc_id_outcome pc_capture_add_id(struct pc_capture *capture, uint64_t id, uint32_t attr, uint32_t *other);

/* The same in a record, from which on the id is that of this attr, whichever had it before. */
enum pc_id_outcome pc_capture_give_id(struct pc_capture *capture, uint64_t id, uint32_t attr);

/* The attr of an id, or PC_NO_ATTR. */
uint32_t pc_capture_attr_of(const struct pc_capture *capture, uint64_t id);

/* Names an attr; text is copied, cut at PC_NAME_MAX. A later name replaces an earlier one. The attr may be
 * the one that comes next, or after: its name waits for it (perf 4.16 sends features before attrs), up to a
 * bound. */
void pc_capture_name(struct pc_capture *capture, uint32_t attr, struct pc_span text);

/* The index of the tracepoint with this id, which has one from now on; PC_NO_ATTR: no room. */
uint32_t pc_capture_tracepoint(struct pc_capture *capture, uint64_t id);

/* Whether TRACING_DATA describes the tracepoint with this id. */
bool pc_capture_has_tracepoint(const struct pc_capture *capture, uint64_t id);

/* The format of the payloads of an attr of type tracepoint; NULL: none is known, or its text is damaged. */
const struct pc_tracepoint *pc_capture_format(const struct pc_capture *capture, uint32_t attr);

/* Stores what a feature has: strings, NRCPUS, names of EVENT_DESC, tracepoints of TRACING_DATA. The payload
 * begins at the position of the cursor. */
void pc_capture_feature(struct pc_capture *capture, uint64_t bit, struct pc_cursor payload);

/* Forgets what such a feature said of the container: the copy does not have it. */
void pc_capture_forget_feature(struct pc_capture *capture, uint64_t bit);

/* Stores that a HEADER_FEATURE came, and whether it has no content. */
enum pc_news pc_capture_count_feature(struct pc_capture *capture, uint64_t bit, bool is_empty);

/* The event that perf takes an id of EVENT_UPDATE or STAT for; PC_NO_ATTR: none. */
uint32_t pc_capture_event_of(const struct pc_capture *capture, uint64_t id);

/* Stores what a user record has: the name of an event from EVENT_UPDATE, the maps of perf stat. */
void pc_capture_record(struct pc_capture *capture, uint32_t type, struct pc_span record);
/* The body of an EVENT_ID of simpleperf. */
void pc_capture_ids(struct pc_capture *capture, struct pc_cursor body);

/* Whether the numbers of CPUs are known, when the content of the feature has lists of that length. */
bool pc_capture_can_walk(const struct pc_capture *capture, uint64_t bit);

/* What a feature's walk has to know: the numbers of CPUs. */
struct pc_layout pc_capture_feature_layout(const struct pc_capture *capture);

/* The attr of a record; the same, when there may be none or several. */
struct pc_chosen pc_capture_choose_any(const struct pc_capture *capture, uint32_t type,
                                       struct pc_span record);
static inline struct pc_chosen pc_capture_choose(const struct pc_capture *capture, uint32_t type,
                                                 struct pc_span record)
{
    if (capture->nr_attrs == 1)
        return (struct pc_chosen){ .choice = PC_CHOSEN, .attr = capture->common.first };
    return pc_capture_choose_any(capture, type, record);
}

/* The attr of a record, if it is in `lost`, a set by number: its entry, or NULL. An id that no attr has may
 * be of any that is lost: then the first entry. */
void *pc_capture_lost_attr(const struct pc_capture *capture, struct pc_set *lost, uint32_t type,
                           struct pc_span record);

/* Whether this MMAP2 record has the layout of kernel 3.12, without prot and flags: 1 yes, 0 no, -1 it does
 * not show it. capture->mmap2_old is what the first one showed that did. */
int pc_mmap2_is_old(uint16_t misc, struct pc_span record);

/* The layout of a kernel record: that of its attr, or one that the kernel may write instead and that fits. */
struct pc_fitting {
    struct pc_layout layout;
    bool other_layout;          /* hw_idx left out, or counters added */
    const struct pc_plan *plan; /* of the other layout; may be NULL */
    uint32_t attr; /* whose it is: not the given one when another attr of the same event fits (defect D6) */
    uint64_t work; /* leaves walked */
};
struct pc_fitting pc_capture_fit(const struct pc_capture *capture, uint32_t attr, uint32_t type,
                                 uint16_t misc, struct pc_span record);

/* The layout of any record that pc_record_info knows, and its attr, or PC_NO_ATTR. False: its fields are
 * not known. */
bool pc_capture_layout(const struct pc_capture *capture, uint32_t type, uint16_t misc, struct pc_span record,
                       struct pc_layout *layout, uint32_t *attr);

#endif

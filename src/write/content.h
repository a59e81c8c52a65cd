/* SPDX-License-Identifier: MIT
 *
 * content.h: what a capture holds, apart from the container that it comes in. Header records are
 * folded into attrs and features wherever they are; compressed records are opened; what is left is the
 * stream of records in canonical bytes. The check runs along, so that at the end its report shows whether
 * the capture was sound, and what could not be carried over (area 13).
 *
 * The digest (CONTRACT.md section 5) is made on the way: XXH3-128 of the sums of attrs, features and records.
 */
#ifndef PC_CONTENT_H
#define PC_CONTENT_H

#include "base/base.h"
#include "base/set.h"
#include "write/convert.h"
#include "write/marks.h"
#include "check/proof.h"
#include "check/tally.h"
#include "check/derived.h"
#include "write/edits.h"
#include "check/scan.h"
#include "check/witness.h"
#include "bytes/sink.h"
#include "read/event_name.h"

/* Losses that the user agreed to: "record:TYPE_90", "feature:CACHE", "payload:sched:sched_switch". */
struct pc_drops {
    char *const *name;
    size_t nr;
};

/* Room for the name of a loss: "payload:" and an event, or what pc_content_name_feature and the like give. */
#define PC_LOSS_NAME_MAX 128

/* What was left out of the content, by name. */
struct pc_loss {
    char name[PC_LOSS_NAME_MAX];
    uint64_t count, offset; /* how often, and where first ... */
    uint64_t packed_in;     /* ... or, if not 0, in the content of the compressed record there */
};
#define PC_LOSSES_MAX 256

/* Bytes of a feature in the store. */
struct pc_piece {
    uint64_t bit, offset, size;
};

struct pc_content_attr {
    size_t at, len;     /* in `attr_bytes`, as the capture has it */
    size_t ids, nr_ids; /* in `ids` */
    size_t more_ids;    /* of them, those that joined: see pc_edit_join_ids */
    uint64_t offset;    /* in the capture */
};

/* What an event was called by perf before 3.12. */
struct pc_event_name {
    uint64_t event_id;
    unsigned char name[PC_LINE_NAME]; /* with a NUL */
};

/* All that the digest is made of; and whose each EVENT_UPDATE is, and how all events are called in the end.
 * These are a part of it only where they do not follow from the rest: an attr came after
 * an EVENT_UPDATE that may be about it. */
struct pc_parts {
    struct pc_marks attrs, records;
    struct pc_marks updates, names;
    uint64_t present[PC_FEATURE_BITS / 64]; /* features with content */
    struct pc_sum feature[PC_FEATURE_BITS]; /* of their little-endian bytes */
    uint64_t choices;       /* layouts of records, or what they are read as: see notes_choices */
    bool attr_after_update; /* an attr came after such an EVENT_UPDATE: in a copy it may be another's */
};

struct pc_salvage;

struct pc_content {
    struct pc_scan *scan;
    struct pc_mem *mem;
    const struct pc_drops *drops;
    struct pc_salvage *salvage;            /* leaves out what is damaged; NULL: copies all or nothing */
    const struct pc_version_knows *reader; /* who has to read the copy; NULL: anybody */
    struct pc_edits edits;                 /* ... for which it is edited */
    struct pc_symbols *symbols;            /* sees what simpleperf knows of symbols; may be NULL */
    struct pc_convert own, little; /* to the wanted order, which may be set until the first record; for the
                                      digest */
    bool may_be_cut; /* it may end inside a record, whose part is left out: see pc_content_cut */
    bool in_batches; /* records may be handed out many at once: pc_content_next ... */
    bool may_pack;   /* ... unless the capture is compressed: then each is packed by itself */
    bool stores;     /* features are kept in the store, in the wanted order */
    bool as_written; /* attrs and records count as the bytes of the copy; else as those of the digest */
    bool no_sum;     /* records count for nothing: who reads them has no use for their sum */
    struct pc_witness *witness; /* sees attrs and features; may be NULL */
    struct pc_tally *tally;     /* sees all that comes; may be NULL */
    struct pc_proof *proof;     /* the same, and what of it a salvage leaves out; NULL: there is none */
    struct pc_derived *derived; /* this is the copy, which was read again; else NULL */
    bool notes_choices;         /* of the copy: it is to have parts.choices, as what is copied has them */
    struct pc_plain plain[2];   /* records before and after their conversion */
    char wrong[64];             /* what conversion or an edit made wrong; else empty */
    bool no_trace;              /* the reader has no decoder for the AUX traces */

    /* Attrs and features so far; all of them at the end. */
    unsigned char *attr_bytes;
    unsigned char *attr_room; /* for one that is converted */
    size_t attr_len, attr_cap;
    struct pc_content_attr *attr;
    size_t nr_attrs, cap_attrs;
    uint64_t *ids;
    size_t nr_ids, cap_ids;
    uint64_t attr_size;             /* of the largest attr */
    struct pc_parts parts;          /* so far, but for attrs and names: see pc_content_parts */
    uint64_t size[PC_FEATURE_BITS]; /* bytes of them in the wanted order, but for EVENT_DESC; see
                                       pc_content_size */
    struct pc_sink store;
    const struct pc_sink *beside; /* where the store's file goes; may be NULL */
    struct pc_piece *piece;
    size_t nr_pieces, cap_pieces;
    unsigned char *event_desc; /* as the capture has it: its attrs get the size of all */
    size_t event_desc_len;
    uint64_t section_bytes; /* of features so far, those that share bytes counted each */
    uint64_t changes;       /* of attrs and features */
    bool has_records;       /* some were handed out */
    uint64_t late_attr;     /* the first attr after them; PC_NO_INDEX: none */

    struct pc_hash feature, build_ids;
    bool early_update;            /* an EVENT_UPDATE came before the attr of its id: see struct pc_update */
    bool trace_rest;              /* bytes follow the trace data */
    bool build_ids_old;           /* in the layout of perf 2.6.33, all of them as one */
    struct pc_set seen_build_ids; /* sums of the entries so far */
    bool made_build_ids;          /* from MMAP2, as the feature was lost */
    bool looked_for_formats, made_formats; /* of tracepoints, which were lost: see pc_fold_formats */
    bool has_event_lines;        /* names of events that META_INFO of simpleperf has are for EVENT_DESC */
    struct pc_event_name *types; /* HEADER_EVENT_TYPE, or the event_types section */
    size_t nr_types, cap_types;
    unsigned char *blanked;  /* a sample whose payload was left out */
    unsigned char *run;      /* samples of the other order; PC_CONVERT_RECORD bytes */
    struct pc_shape *shapes; /* ... and what they are compared by */

    bool has_stat, has_auxtrace; /* records that features follow from ... */
    bool has_branches;           /* ... and an attr with branch stacks */
    uint32_t compressed;         /* the first type of records that held others; 0: none did */
    uint64_t refusals;           /* findings of area 13 that are errors */
    struct pc_item unknown;      /* the record before, when its type is unknown; else of size 0 */
    struct {
        bool handed_out;
        uint64_t bytes;   /* of the last AUXTRACE, and of those after it ... */
        uint64_t records; /* ... and parts.records before it */
        struct pc_hash hash;
    } payload;
    bool uncovered; /* a payload was kept that trace data might describe which come later */
    uint64_t reported_payloads[PC_ATTRS_MAX / 64]; /* attrs: that their payloads were kept as they are */
    struct pc_loss loss[PC_LOSSES_MAX];
    size_t nr_losses;
    uint64_t more_losses;     /* that had no room there */
    uint64_t left_for_reader; /* records without which the copy is made, since its perf does not know them */
    bool ended;
};

enum pc_content_kind { PC_CONTENT_RECORD, PC_CONTENT_PAYLOAD, PC_CONTENT_END };

struct pc_content_item {
    enum pc_content_kind kind;
    uint32_t type;
    struct pc_span bytes;  /* canonical, in the wanted order; valid until the next item */
    struct pc_item source; /* as the reader has it; of many records, the last one */
    struct pc_run run;     /* of records that were handed out many at once; else its nr is 0 */
};

/* Reads what scan->in has; the scan was just made. drops may be NULL. stores: the features are wanted. */
void pc_content_init(struct pc_content *content, struct pc_scan *scan, enum pc_order to, bool stores,
                     const struct pc_drops *drops);
void pc_content_clear(struct pc_content *content);

/* Reads the header, whose order is then known. False: it is no capture. */
bool pc_content_open(struct pc_content *content);

/* The next record, bytes after a record, or the end; with in_batches also many sound records that lie one
 * after the other, as one: of type SAMPLE if all are samples; else of a type that perf does not make up
 * itself, if one of them is. Once the capture is known to be damaged, or something cannot be carried over,
 * only the end comes. */
void pc_content_next(struct pc_content *content, struct pc_content_item *item);

/* The same of samples that another content has handed out, which is of the same capture and was in the same
 * state. False: the reader does not have these bytes, or they are not handed out as they are. */
bool pc_content_follow(struct pc_content *content, struct pc_span samples, const struct pc_run *run,
                       struct pc_content_item *item);

/* The bytes of a record in which the stream ends, when it may; 0: it does not. */
uint64_t pc_content_cut(const struct pc_content *content);

/* The stream ended in the bytes after the AUXTRACE that was handed out last, and may. Then it does not count,
 * and the caller takes it back, too. Asked once, after the end. */
bool pc_content_take_back(struct pc_content *content);

/* Findings about what the perf that has to read the copy would not read in it. */
uint64_t pc_content_obstacles(const struct pc_content *content);

/* How often what has this name, as in struct pc_loss, was left out. */
uint64_t pc_content_losses(const struct pc_content *content, const char *name);

/* Errors of the capture: neither those that only prevent a copy, nor those that a copy mends. */
uint64_t pc_content_damage(const struct pc_content *content);

/* Whether an error of this id is one of those. */
bool pc_content_is_damage(enum pc_diag id);

/* True when all was read and nothing prevents that it is written. */
bool pc_content_is_whole(const struct pc_content *content);

/* What the digest is made of, and the digest; the content was read to its end. */
const struct pc_parts *pc_content_parts(struct pc_content *content);
struct pc_sum pc_content_digest(struct pc_content *content);

/* Whether the content, which was read to its end, differs from `wanted`, and where, by the numbers of the
 * capture of `wanted`. The digest does not cover where rounds end, what readers make of the events, and that
 * attrs precede the records. left_out: something that may have named events. */
#define PC_PLACE_MAX 160
bool pc_content_differs(const struct pc_parts *wanted, struct pc_content *content, bool left_out,
                        char place[PC_PLACE_MAX]);

/* An attr in the wanted order: content->own.attr_size bytes, which are there until the next one is asked for.
 */
struct pc_span pc_content_attr(struct pc_content *content, size_t i);

/* A feature that came is left out; another may be made for it. */
void pc_content_drop(struct pc_content *content, uint64_t bit);

/* The bytes of a feature that is present, in the wanted order, in pieces. False: I/O or memory, which is in
 * the report or in store.error. */
bool pc_content_feature(struct pc_content *content, uint64_t bit, pc_take_bytes *take, void *ctx);

/* The bytes that it has; 0 also when there is no memory to know it. */
uint64_t pc_content_size(struct pc_content *content, uint64_t bit);

/* "feature:CACHE", "record:TYPE_90": the option that accepts the loss of a feature, or of records of a type.
 */
void pc_content_name_feature(uint64_t bit, char *name, size_t size);
void pc_content_name_record(uint32_t type, char *name, size_t size);

/* Something cannot be carried over, and which option would accept that: the finding is completed with
 * `option` ("feature:CACHE"; NULL: none) and added. True when the user agreed to the loss, which is then
 * counted. */
bool pc_content_refuse(struct pc_content *content, struct pc_finding *finding, const char *option);
/* The same of bytes in a structure, `at` bytes into it. */
bool pc_content_refuse_in(struct pc_content *content, const struct pc_context *structure, enum pc_diag id,
                          uint64_t at, uint64_t len, struct pc_value seen, const char *option);

/* There was no memory for a copy, which is reported once. */
void pc_content_no_memory(struct pc_content *content);

/* The attr size of the copy. */
uint64_t pc_content_attr_size(const struct pc_content *content);

#endif

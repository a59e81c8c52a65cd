/* SPDX-License-Identifier: MIT
 *
 * judge.h: judges the items of a capture, each by itself. Rules of one field are named in the tables and
 * applied by leaf.c; attrs.c and features*.c have the rules of attrs and features, kernel.c and user.c those
 * of records, versions.c those about what versions of perf read, and judge.c what holds for all records.
 * Rules between records are in flow.h. State is bounded for any input.
 */
#ifndef PC_CHECK_JUDGE_H
#define PC_CHECK_JUDGE_H

#include "base/base.h"
#include "check/facts.h"
#include "check/keys.h"
#include "check/run.h"
#include "check/versions.h"
#include "read/capture.h"
#include "report/diag.h"
#include "read/reader.h"

struct pc_judge {
    /* What it is given. */
    struct pc_mem *mem;
    const struct pc_capture *capture;
    enum pc_versions asked;  /* versions of perf for which it judges ... */
    enum pc_versions reader; /* ... and those of them whose findings will be taken */
    const uint32_t *wanted;  /* not 0: the fields of this structure (facts.of) are shown */
    /* What it yields: findings and fields as they come, and then the facts. */
    pc_on_finding *on_finding;
    pc_take_field *show;
    void *ctx;
    struct pc_facts facts;
    uint64_t work; /* leaves looked at and plans followed */

    /* All else is scratch, of the current item. */
    struct pc_context at;            /* the structure */
    enum pc_versions version;        /* one of those asked for, while its rules are applied */
    uint64_t errors;                 /* found so far */
    bool shows;                      /* its fields */
    uint16_t short_diag, count_diag; /* of its fields that name no other finding */
    uint64_t size_at;                /* of a payload: offset of the word that holds its size */

    /* The current feature. */
    struct pc_feature_state {
        uint64_t feature; /* bit, when the content is that of a feature */
        uint64_t domains; /* CPU_DOMAIN_INFO: those of this CPU */
        bool no_draft;    /* TRACING_DATA: there is no memory to read format texts */
        bool has_cpus;    /* NUMA_TOPOLOGY: a node has CPUs */
    } in;

    /* The current record. */
    struct {
        uint64_t cpus; /* of its map ... */
        bool known;    /* ... and whether its encoding is known */
    } map;
    struct pc_judged own; /* they are here, when they are not in the item */
    struct pc_keys keys;
    const struct pc_field *unique; /* whose values `keys` holds */
    struct pc_tp_draft *draft;     /* for reading format texts */
    struct pc_recent_id {          /* run.c: ids that were looked up, by their low bits; 0: none */
        uint64_t id;
        uint32_t attr;
    } recent_id[64];
};

/* wanted, on_finding, show and ctx are to be set. */
void pc_judge_init(struct pc_judge *judge, struct pc_mem *mem, const struct pc_capture *capture);
void pc_judge_clear(struct pc_judge *judge);

/* A sound field of the structure. */
static inline void pc_judge_show(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    if (judge->shows)
        judge->show(judge->ctx, &judge->facts, leaf);
}

/* From here on fields are those of this structure. */
static inline void pc_judge_begin(struct pc_judge *judge, unsigned of)
{
    judge->facts.of = of;
    judge->shows = judge->wanted[of] != 0;
}

/* Judges an item, by the item, the capture model and the versions asked for alone. */
const struct pc_facts *pc_judge_item(struct pc_judge *judge, const struct pc_item *item);

/* Judges the samples at the beginning of `ahead` as pc_judge_item would, but for no version, up to the first
 * that is not plainly sound, or that a rule between records wants to see. seen: not asked when hints->many is
 * 0. run.c */
struct pc_run pc_judge_run(struct pc_judge *judge, struct pc_span ahead, const struct pc_hints *hints,
                           const struct pc_seen *seen);

/* The attr of a sample that passed there. */
uint32_t pc_judge_attr(const struct pc_judge *judge, struct pc_span sample);

/* --- among the files of this module --- */

void pc_judge_add(struct pc_judge *judge, const struct pc_finding *finding);
/* A finding in the current structure, `at` bytes into it. */
void pc_check_say(struct pc_judge *judge, enum pc_diag id, size_t at, uint64_t length, struct pc_value seen,
                  struct pc_value expected);
/* The same, about a member of this name. */
void pc_check_say_member(struct pc_judge *judge, enum pc_diag id, size_t at, uint64_t length,
                         const char *name, struct pc_value seen, struct pc_value expected);
/* The same, about a leaf of a walk. */
void pc_check_say_leaf(struct pc_judge *judge, enum pc_diag id, const struct pc_leaf *leaf,
                       struct pc_value seen, struct pc_value expected);
/* The same, about a slot of the current record. */
void pc_check_say_slot(struct pc_judge *judge, enum pc_diag id, unsigned slot, struct pc_value seen,
                       struct pc_value expected);
/* About bytes after the last field, `at` bytes into the record. */
void pc_check_say_excess(struct pc_judge *judge, const struct pc_item *item,
                         const struct pc_record_info *info, size_t excess, size_t at);

/* About another member of the array element that the leaf belongs to. */
void pc_check_say_beside(struct pc_judge *judge, enum pc_diag id, const struct pc_leaf *leaf, size_t at,
                         uint64_t length, const char *name, struct pc_value seen, struct pc_value expected);
/* Judges one leaf by its row. False when it is faulty. */
bool pc_check_leaf(struct pc_judge *judge, const struct pc_leaf *leaf);
/* Whether an id is one of an attr, or may be; 0 is one only if an attr lists it. */
bool pc_check_knows_id(const struct pc_judge *judge, uint64_t value);
/* Reports an id in a user record, `at` bytes into it, that is not. */
void pc_check_user_id(struct pc_judge *judge, enum pc_diag id, uint64_t value, size_t at);
/* Collects a number; those that came twice are then reported under an id. */
void pc_check_key(struct pc_judge *judge, uint64_t value, uint64_t offset);
void pc_check_duplicates(struct pc_judge *judge, enum pc_diag id, uint64_t width);
/* Reports values that came twice in rows with a twice_diag since the last call. */
void pc_check_twice(struct pc_judge *judge);
/* The visitor that does only that; ctx is the check. */
bool pc_check_visit(void *ctx, const struct pc_leaf *leaf);

/* An attr in the current structure, from `at`, with room for so many bytes. */
void pc_check_attr(struct pc_judge *judge, struct pc_span attr, size_t at, bool in_pipe);
/* The payload of a feature from the cursor's position; in_record: it is in a HEADER_FEATURE. */
void pc_check_feature(struct pc_judge *judge, uint64_t bit, struct pc_cursor payload, bool in_record);
/* The context of a walk of a record, for visitors. */
struct pc_search {
    struct pc_judge *judge;
    struct pc_span record;
    size_t body_end; /* where the trailer begins */
};

/* The payload of a tracepoint in a sound sample of this attr, whose slots are those of `check`. False: it has
 * a defect, which is reported with `say`. */
bool pc_check_raw(struct pc_judge *judge, struct pc_span record, uint32_t attr, bool say);
/* Whether the CPU has room for the branches of a sound sample. False: it has not, which is reported with
 * `say`. */
bool pc_check_branches(struct pc_judge *judge, const struct pc_attr *attr, bool say);

void pc_check_kernel_record(struct pc_judge *judge, const struct pc_item *item,
                            const struct pc_record_info *info);
void pc_check_user_record(struct pc_judge *judge, const struct pc_item *item,
                          const struct pc_record_info *info);

/* Reports what the versions asked for cannot read of the item. */
void pc_check_for(struct pc_judge *judge, const struct pc_item *item);
/* The same about a sound record of the kernel, whose slots are those of `check`. */
void pc_check_for_kernel(struct pc_judge *judge, const struct pc_item *item, uint32_t attr,
                         const struct pc_sample_layout *samples);
/* The same about a sample that leaves hw_idx out. */
void pc_check_for_no_hw_idx(struct pc_judge *judge, const struct pc_item *item);
/* Bytes of the current structure that the version asked for does not read. */
void pc_check_for_bytes(struct pc_judge *judge, enum pc_diag id, size_t at, size_t len);
/* A leaf of a feature that the version asked for does not read. */
void pc_check_for_leaf(struct pc_judge *judge, enum pc_diag id, const struct pc_leaf *leaf);

/* --- compression.c --- */

/* The feature COMPRESSED, after its walk. */
void pc_check_compression(struct pc_judge *judge, struct pc_span payload, const struct pc_walk *walk);
/* A sound compressed record itself; the reader checks its content. */
void pc_check_compressed_record(struct pc_judge *judge, const struct pc_item *item);

#endif

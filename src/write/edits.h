/* SPDX-License-Identifier: MIT
 *
 * edits.h: what a copy for an older perf has otherwise than its original. What that perf does not know has an
 * older form, or tells nothing that it could show: each row says which of both, and why.
 */
#ifndef PC_EDITS_H
#define PC_EDITS_H

#include "base/base.h"
#include "base/tree.h"
#include "read/item.h"

enum pc_edit {
    PC_EDIT_MARK,
    PC_EDIT_BPF,
    PC_EDIT_STATS,
    PC_EDIT_HW_ID,
    PC_EDIT_RANGE,
    PC_EDIT_STAT,
    PC_EDIT_CONFIG,
    PC_EDIT_BUILD_ID,
    PC_EDIT_FLAGS,
    PC_EDIT_MEMBERS,
    PC_EDIT_AUX_ACTION,
    PC_EDIT_TYPE,
    PC_EDIT_SAMPLE,
    PC_EDIT_WEIGHT,
    PC_EDIT_LOST,
    PC_EDIT_COUNTERS,
    PC_EDIT_BRANCH,
    PC_EDIT_DEFERRED,
    PC_EDIT_BPF_INFO,
    PC_EDIT_BTF,
    PC_EDIT_TRACE,
    PC_EDIT_FEATURE,
    PC_EDIT_PACKED,
    PC_EDIT_ANDROID,
    PC_EDIT_ANDROID_FEATURE,
    PC_EDIT_ANDROID_SYMBOLS,
    PC_EDIT_ANDROID_MAPS,
    PC_EDIT_ANDROID_TRACE,
    PC_EDIT_ANDROID_NAMES,
    PC_EDIT_ANDROID_NAME_CUT,
    PC_EDIT_ANDROID_FORMATS,
    PC_EDIT_ANDROID_IDS,
    PC_EDITS
};

struct pc_edit_row {
    const char *what;  /* in a message, after "edited: " */
    const char *since; /* after "new "; "": no perf has it */
    const char *why;   /* why nothing is lost that the older perf would show */
};

extern const struct pc_edit_row pc_edit_rows[PC_EDITS];

/* What was edited so far, and what the edits of later items need to know. */
struct pc_edits {
    uint64_t count[PC_EDITS], first[PC_EDITS]; /* how often; the offset in the capture where first ... */
    uint64_t packed_in[PC_EDITS]; /* ... or, if not 0, in the content of the compressed record there */
    uint64_t flags;               /* of attrs, which were cleared */
    bool of_samples;              /* an attr gives its samples something to edit */
    bool no_trace;                /* AUX traces are left out */
    bool unpacks;                 /* compressed records are decompressed */
    unsigned char *record;        /* PC_CONVERT_RECORD bytes */
    unsigned char *item;
    size_t item_size;
    struct pc_tree ids;   /* of all attrs, then those of EVENT_ID: each id with its attr ... */
    size_t own_ids;       /* ... so many of the attrs ... */
    bool knows_ids;       /* ... which are in it */
    struct pc_span moved; /* trace data of a record that was left out, for the feature; taken by who asked */
};

struct pc_attr;
struct pc_capture;
struct pc_content;
struct pc_scan;
struct pc_version_knows;

void pc_edits_clear(struct pc_content *content);

/* The next three only when the copy is for a perf: content->reader. */

/* An attr, a feature, or a record that carries one: makes it what the copy has to hold, still in the order of
 * the capture. Its bytes are then valid until the next one. */
void pc_edit_item(struct pc_content *content, struct pc_item *item);

/* Whether a perf does not know records of this type, and no edit leaves them out: then the option "drop" has
 * to name them. If no version knows them, a perf that skips such records needs none. */
bool pc_edit_needs_drop(const struct pc_version_knows *reader, uint32_t type);

/* Whether the perf that the copy is for has no use for the record, or the bytes after one. */
bool pc_edit_leaves_out(struct pc_content *content, const struct pc_item *item);

/* A record that was converted. False: it is refused. */
bool pc_edit_record(struct pc_content *content, const struct pc_item *item, struct pc_span *bytes);

/* As pc_edit_item: the content of a feature that was made. */
struct pc_span pc_edit_feature(struct pc_content *content, uint64_t bit, struct pc_span bytes,
                               uint64_t offset);

/* Compressed records of a capture stay compressed unless this says that they must not, for that perf. */
bool pc_edit_unpacks(struct pc_content *content);

/* A feature that this perf does not know, or that only simpleperf makes up: it is left out of the copy. */
bool pc_edit_drops_feature(struct pc_content *content, uint64_t bit, uint64_t offset);

/* An edit was made at this offset. */
void pc_edit_note(struct pc_content *content, enum pc_edit edit, uint64_t offset);

/* Whether a perf that does not know E_MACHINE takes CPUID for one of x86, which it is not: ARCH alone is left
 * to tell. */
bool pc_edit_misreads_cpuid(const struct pc_capture *capture);

/* Whether anything was edited so far. */
bool pc_edit_any(const struct pc_content *content);

/* Whether the copy, which was written, lacks the feature for that reason. */
bool pc_edit_lacks(const struct pc_content *content, uint64_t bit);

/* Whether an event of a PMU cannot become a raw one: it has no name, or AUX traces are found by its type. */
bool pc_edit_keeps_type(const struct pc_attr *attr, bool is_named, bool has_auxtrace);

/* All was read: refuses what turned out to be needed. */
void pc_edit_end(struct pc_content *content);

/* Those parts of the above that are about simpleperf: a record that only it makes up; the end. */
void pc_edit_android_record(struct pc_content *content, const struct pc_item *item);
void pc_edit_android_end(struct pc_content *content);

/* An EVENT_ID: whether it has ids that are new; and before the end they join those of the attrs. */
bool pc_edit_takes_ids(struct pc_content *content, const struct pc_item *item);
void pc_edit_join_ids(struct pc_content *content);

#endif

/* SPDX-License-Identifier: MIT
 *
 * item.h: the items that a capture consists of, which the reader hands on to those who judge, show or copy
 * them, and what findings about them have in common.
 */
#ifndef PC_ITEM_H
#define PC_ITEM_H

#include "base/base.h"
#include "format/tables.h"
#include "report/diag.h"

enum pc_item_kind {
    PC_ITEM_HEADER,  /* the file or pipe header */
    PC_ITEM_ATTR,    /* an entry of the attr section (file mode) */
    PC_ITEM_FEATURE, /* a feature section (file mode); number is the bit */
    PC_ITEM_RECORD,
    PC_ITEM_PAYLOAD, /* bytes after the record of the last item: all of TRACING_DATA, chunks of AUXTRACE */
    PC_ITEM_END,
};

/* What a record was news of, by those before it. */
enum pc_news {
    PC_NO_NEWS,
    PC_SHOWS_LAYOUT,      /* the first MMAP2 that shows how those of the capture are laid out */
    PC_ENDS_FEATURES,     /* HEADER_FEATURE without content, whose id none of the features had */
    PC_REPEATS_FEATURE,   /* one that came before */
    PC_REPEATS_RECORD,    /* one of which a capture has one */
    PC_REPEATS_TOO_OFTEN, /* the same, when so many did that they are not looked at any more */
};

/* What its plan has found in a sound record of the kernel. */
struct pc_judged {
    uint32_t attr; /* whose record it is */
    uint64_t slot[PC_SLOTS];
    size_t slot_at[PC_SLOTS];
};

struct pc_item {
    enum pc_item_kind kind;
    uint32_t type;         /* record, payload */
    uint16_t misc;         /* record */
    bool size_wrapped;     /* record: its sizes are wrong, and `bytes` are what belongs to it */
    size_t unused;         /* SPLIT: bytes at its end that fill up the record whose piece it is */
    bool is_joined;        /* record: it came in pieces, and is little-endian in any capture */
    enum pc_news news;     /* record */
    struct pc_span bytes;  /* valid until the next item */
    struct pc_where where; /* the stream ... */
    uint64_t offset;       /* ... and in it the first byte */
    uint64_t number;       /* attr index, feature bit or record number */
    uint64_t size;         /* feature, payload: bytes in the stream, be they in `bytes` or not */
    uint64_t entry;        /* feature: offset of its entry in the feature table; payload: of its size */
    /* Record: the reader has judged it by its plan, so nobody need do it again. Valid until the next item;
     * NULL: it is to be judged. */
    const struct pc_judged *judged;
    /* SPLIT_END: the record of simpleperf whose pieces came before, as if it was there. Valid until the next
     * item; NULL: they are none. */
    const struct pc_item *joined;
};

/* The row of its type, or NULL when the type is unknown. */
static inline const struct pc_record_info *pc_item_info(const struct pc_item *record)
{
    return record->size_wrapped ? &pc_size_wrapped_info : pc_record_info(record->type);
}

/* Whether the content of a feature is in `bytes`, perhaps as it was edited; else it is read where it is. */
static inline bool pc_item_is_held(const struct pc_item *feature)
{
    return feature->bytes.len != 0 || feature->size == 0;
}

/* The record, or the one that it ends. */
static inline const struct pc_item *pc_item_whole(const struct pc_item *record)
{
    return record->joined ? record->joined : record;
}

/* The byte order of a record in a capture of this order. */
static inline enum pc_order pc_item_order(const struct pc_item *record, enum pc_order order)
{
    return record->is_joined ? PC_LITTLE : order;
}

/* The trace data in it, or in the one that it ends: pc_trace_in_record. */
bool pc_item_trace(const struct pc_item *record, enum pc_order order, struct pc_cursor *trace);

/* A record, or the feature in a section or record, as findings are about it. */
struct pc_context pc_record_context(uint32_t type, uint64_t number, struct pc_where where, uint64_t offset);
struct pc_context pc_feature_context(uint64_t bit, struct pc_where where, uint64_t offset);

/* The same of any item; a payload counts as its record. */
struct pc_context pc_item_context(const struct pc_item *item);

/* Whether a finding is about this item, or about one that comes later: the reader compares all sections
 * before it shows the first. */
bool pc_item_has(const struct pc_item *item, const struct pc_finding *finding);
bool pc_item_is_before(const struct pc_item *item, const struct pc_finding *finding);

/* A finding about a leaf of a walk of the structure; the text of a PC_HSTR up to its NUL, as it shows it. */
struct pc_finding pc_leaf_finding(const struct pc_context *structure, enum pc_diag id,
                                  const struct pc_leaf *leaf, struct pc_value seen, struct pc_value expected);
struct pc_value pc_leaf_text(const struct pc_leaf *leaf);

#endif

/* SPDX-License-Identifier: MIT
 *
 * witness.h: what a capture holds, as sums of plain forms (plain.h), which are the same in any container and
 * byte order. One sees what is copied, another one the copy; neither knows what the writer did.
 */
#ifndef PC_WITNESS_H
#define PC_WITNESS_H

#include "base/base.h"
#include "base/set.h"
#include "base/tree.h"
#include "check/plain.h"
#include "read/reader.h"

struct pc_witness {
    struct pc_mem *mem;
    struct pc_plain plain;
    struct pc_hash attrs; /* with their ids */
    struct pc_hash bare;  /* without */
    struct pc_tree given; /* with joins_ids: ids that EVENT_ID gave to attrs, and which attr got each */
    size_t ids_of_attrs;  /* the first ids of the capture, which attrs have themselves */
    uint64_t ids[2];      /* sums over each id and its attr, of both kinds */
    uint64_t nr_attrs;
    uint64_t present[PC_FEATURE_BITS / 64];
    struct pc_sum feature[PC_FEATURE_BITS]; /* of what came first */
    uint64_t differs[PC_FEATURE_BITS / 64]; /* features of which another content came later */
    struct pc_set build_ids;                /* sums of the entries of BUILD_ID, each once, in their order */
    uint64_t attr_size, event_size; /* of the largest attr; of those in EVENT_DESC; 0: there is none */
    struct pc_hash events, names;   /* what EVENT_DESC repeats of the attrs; and the names that it has ... */
    struct pc_hash known, types;    /* ... those of the attrs, and those of HEADER_EVENT_TYPE */
    struct pc_set lines;            /* sums of those of META_INFO of simpleperf, which name events ... */
    bool no_line;                   /* ... and a name in EVENT_DESC that it has not */
    uint64_t made[PC_FEATURE_BITS / 64];   /* features that were made from the rest */
    uint64_t unread[PC_FEATURE_BITS / 64]; /* set by others: features that cannot be read as they were */
    bool moves_build_ids;                  /* set by others: entries of BUILD_ID are made of mappings */
    bool joins_ids;                        /* set by others: ids of EVENT_ID become those of attrs ... */
    bool joined_ids;                       /* ... and an EVENT_ID came */
    uint32_t packed;                       /* the first type of records that hold others; 0: none came ... */
    bool recording;                        /* ... something was recorded ... */
    bool plain_first;                      /* ... and was not in such a record, before the first of them */
    uint64_t skipped; /* bytes that became no item; cleared by others, where the loss is told */
    bool no_memory;
    enum pc_order order;
    bool unknown;  /* bytes that no version explains were not zero */
    bool not_zero; /* bytes that mean nothing were not zero, attrs have several sizes, or a feature came twice
                    */
};

void pc_witness_init(struct pc_witness *witness, struct pc_mem *mem);
void pc_witness_clear(struct pc_witness *witness);

/* Sees an attr, a feature, or a record that carries one. */
void pc_witness_item(struct pc_witness *witness, struct pc_reader *reader, const struct pc_item *item);

/* Whether records of the kernel still tell it something. */
static inline bool pc_witness_asks(const struct pc_witness *witness)
{
    return witness->moves_build_ids || (!witness->packed && !witness->plain_first);
}

/* The same of content that was made. What it repeats is then compared in the copy. instead: of what was seen,
 * which had no place in the copy. */
void pc_witness_made(struct pc_witness *witness, const struct pc_capture *capture, uint64_t bit,
                     struct pc_span content, bool instead);

/* How often a feature was left out of the copy, or an entry of BUILD_ID; UINT64_MAX: any number. */
typedef uint64_t pc_left_out(const void *ctx, uint64_t bit);

/* What the copy has otherwise. */
enum pc_unlike { PC_ALIKE, PC_UNLIKE_ATTRS, PC_UNLIKE_FEATURE, PC_UNLIKE_ZEROS, PC_UNLIKE_SKIPPED };
enum pc_unlike pc_witness_compare(struct pc_witness *original, struct pc_witness *copy, pc_left_out *left_out,
                                  const void *ctx, uint64_t *bit);

/* Whether a feature that came again with another content was not left out then; which one. */
bool pc_witness_lacks_second(const struct pc_witness *original, pc_left_out *left_out, const void *ctx,
                             uint64_t *bit);

/* Whether both have the same in a feature, or neither has it. */
bool pc_witness_same_feature(const struct pc_witness *a, const struct pc_witness *b, uint64_t bit);

#endif

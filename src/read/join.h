/* SPDX-License-Identifier: MIT
 *
 * join.h: the record of simpleperf that its SPLIT records are the pieces of (FORMAT.md 16.3). It is
 * little-endian in any capture.
 */
#ifndef PC_JOIN_H
#define PC_JOIN_H

#include "base/mem.h"
#include "read/item.h"

/* Which records are pieces of one: they follow each other up to its end. Zeroed, none came. */
struct pc_pieces {
    bool open;            /* pieces came, but not their end; other records may have come */
    uint64_t have, whole; /* bytes of the pieces, and of the record that they are, as its header says */
    unsigned char head[PC_RECORD_HEADER_SIZE];
    uint64_t number, offset; /* of the first one, and where it is: */
    struct pc_where where;
    uint64_t next, end, wrapper; /* number of the record after the last one, and its offset in this record */
};

static inline bool pc_is_piece(uint32_t type)
{
    return type == PC_SPLIT || type == PC_SPLIT_END;
}

/* Whether records of a type may come in pieces: those of simpleperf itself. */
static inline bool pc_may_be_split(uint32_t type)
{
    return type > PC_ANDROID_TYPES && !pc_is_piece(type);
}

/* Sees each record. True: it belongs to those that are open. Else it is the first one, if it is a piece. */
bool pc_pieces_note(struct pc_pieces *pieces, const struct pc_item *record);

/* Whether a finding that pieces are not all there, about the next record or the end, is about these. Else it
 * is about that record, which is an end without pieces. */
bool pc_pieces_are_of(const struct pc_pieces *pieces, const struct pc_finding *finding);

/* How many records before the one with this number, or the end, are pieces of a record that is not all there.
 */
static inline uint64_t pc_pieces_count(const struct pc_pieces *pieces, uint64_t number)
{
    return pieces->open && number == pieces->next ? number - pieces->number : 0;
}

/* Zeroed, it has no piece. */
struct pc_join {
    struct pc_pieces pieces;
    unsigned char *bytes;
    size_t len, room;
    uint64_t meaning;      /* bytes of the record, but for those that fill it up; UINT64_MAX: not known yet */
    size_t unused;         /* after SPLIT: bytes of it that do */
    struct pc_item record; /* after SPLIT_END: what the pieces are; no bytes: no record */
    uint64_t too_large;    /* after SPLIT_END: bytes of a record that is not held; 0: none */
};

void pc_join_clear(struct pc_mem *mem, struct pc_join *join);

/* A record that may be one of them. A record over `most` bytes is not held. False: no memory. */
bool pc_join_record(struct pc_mem *mem, struct pc_join *join, const struct pc_item *item, uint64_t most);

#endif

/* SPDX-License-Identifier: MIT
 *
 * join.h: the record of simpleperf that its SPLIT records are the pieces of (FORMAT.md 16.3). It is
 * little-endian in any capture.
 */
#ifndef PC_JOIN_H
#define PC_JOIN_H

#include "read/item.h"

/* Zeroed, it has no piece. */
struct pc_join {
    unsigned char *bytes;
    size_t len, room;
    uint64_t next; /* number of the record that follows the last piece: another one ends what there is */
    struct pc_span
        record; /* after SPLIT_END: what the pieces are; empty: no record. Valid until the next one */
};

void pc_join_clear(struct pc_mem *mem, struct pc_join *join);

/* A record that may be one of them. Pieces over `most` bytes are none. False: no memory. */
bool pc_join_record(struct pc_mem *mem, struct pc_join *join, const struct pc_item *item, uint64_t most);

#endif

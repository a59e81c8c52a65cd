/* SPDX-License-Identifier: MIT
 *
 * buckets.h: sums over a range of which nobody knows the end before all of it has come: times, offsets. All
 * buckets are equally wide, a power of two. When a value is too far away they become twice as wide, as often
 * as needed.
 */
#ifndef PC_BUCKETS_H
#define PC_BUCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PC_BUCKETS_MAX 512

struct pc_buckets {
    uint64_t *cell;       /* of the caller: `nr` for each column; a bucket is at its number modulo nr */
    size_t nr, columns;   /* nr: a power of two; columns: may grow, the cells of new ones are 0 */
    unsigned shift;       /* a bucket is 2^shift wide; value >> shift is its number */
    uint64_t first, last; /* the numbers of the outermost ones in use */
    bool any;
};

/* Zeroes the cells of the columns. shift: the least width. */
void pc_buckets_init(struct pc_buckets *b, uint64_t *cell, size_t nr, size_t columns, unsigned shift);

/* Makes the buckets wide enough for a value, too. */
void pc_buckets_reach(struct pc_buckets *b, uint64_t value);

/* Adds to the bucket of a value. */
static inline void pc_buckets_add(struct pc_buckets *b, size_t column, uint64_t value, uint64_t amount)
{
    uint64_t n = value >> b->shift;
    if (!b->any || n < b->first || n > b->last) {
        pc_buckets_reach(b, value);
        n = value >> b->shift;
    }
    b->cell[column * b->nr + (n & (b->nr - 1))] += amount;
}

/* Adds 1 for each value from one up to, but without, another one. */
void pc_buckets_add_range(struct pc_buckets *b, size_t column, uint64_t from, uint64_t to);

/* What the bucket with this number has; 0 where there is none. */
uint64_t pc_buckets_get(const struct pc_buckets *b, size_t column, uint64_t number);

#endif

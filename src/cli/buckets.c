/* SPDX-License-Identifier: MIT */
#include "cli/buckets.h"

#include <assert.h>
#include <string.h>

void pc_buckets_init(struct pc_buckets *b, uint64_t *cell, size_t nr, size_t columns, unsigned shift)
{
    assert(nr <= PC_BUCKETS_MAX && (nr & (nr - 1)) == 0);
    *b = (struct pc_buckets){ .cell = cell, .nr = nr, .columns = columns, .shift = shift };
    memset(cell, 0, columns * nr * sizeof(*cell));
}

/* The cells of unused buckets stay 0. */
static void widen(struct pc_buckets *b)
{
    uint64_t wide[PC_BUCKETS_MAX];
    for (size_t column = 0; column < b->columns; column++) {
        uint64_t *cell = b->cell + column * b->nr;
        memset(wide, 0, b->nr * sizeof(*wide));
        for (uint64_t i = 0; i <= b->last - b->first; i++)
            wide[((b->first + i) >> 1) % b->nr] += cell[(b->first + i) % b->nr];
        memcpy(cell, wide, b->nr * sizeof(*wide));
    }
    b->first >>= 1;
    b->last >>= 1;
    b->shift++;
}

void pc_buckets_reach(struct pc_buckets *b, uint64_t value)
{
    uint64_t n = value >> b->shift;
    if (!b->any) {
        b->first = b->last = n;
        b->any = true;
    }
    while (n < b->first ? b->last - n >= b->nr : n - b->first >= b->nr) {
        widen(b);
        n >>= 1;
    }
    if (n < b->first)
        b->first = n;
    if (n > b->last)
        b->last = n;
}

void pc_buckets_add_range(struct pc_buckets *b, size_t column, uint64_t from, uint64_t to)
{
    if (from >= to)
        return;
    pc_buckets_reach(b, from);
    pc_buckets_reach(b, to - 1);
    uint64_t width = (uint64_t)1 << b->shift;
    while (from < to) {
        uint64_t left = width - (from & (width - 1));
        if (left > to - from)
            left = to - from;
        b->cell[column * b->nr + (from >> b->shift) % b->nr] += left;
        from += left;
    }
}

uint64_t pc_buckets_get(const struct pc_buckets *b, size_t column, uint64_t number)
{
    if (!b->any || number < b->first || number > b->last)
        return 0;
    return b->cell[column * b->nr + number % b->nr];
}

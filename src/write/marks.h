/* SPDX-License-Identifier: MIT
 *
 * marks.h: the hash of a sequence, with hashes of its beginnings. Two sequences are compared by
 * their hashes alone, and still the place is known where they begin to differ.
 */
#ifndef PC_MARKS_H
#define PC_MARKS_H

#include "base/base.h"
#include "bytes/hash.h"

/* mark[i] is what came before thing number i * every. There are as many marks as there is room for, so in a
 * long sequence a difference is known to lie among a few things. */
#define PC_MARKS_MAX 1024
struct pc_marks {
    struct pc_hash hash;
    uint64_t count, every; /* every: a power of two */
    struct pc_mark {
        uint64_t sum, number; /* number: of the thing in the capture */
    } mark[PC_MARKS_MAX];
};

void pc_marks_begin(struct pc_marks *marks);

/* Another thing follows, whose bytes then go into marks->hash. Where there is no room for a mark, every other
 * one goes. */
void pc_marks_put(struct pc_marks *marks, uint64_t number);

/* So many things from here on have no mark; pc_marks_pass passes as many or fewer. */
static inline uint64_t pc_marks_ahead(const struct pc_marks *marks)
{
    return -marks->count & (marks->every - 1);
}

static inline void pc_marks_pass(struct pc_marks *marks, uint64_t nr)
{
    marks->count += nr;
}

/* Before the first thing: only the hash is asked for, so that it alone has a mark. */
static inline void pc_marks_only_hash(struct pc_marks *marks)
{
    marks->every = (uint64_t)1 << 50;
}

/* Where two sequences begin to differ: a range of numbers in the capture of the first one. *from is
 * PC_NO_INDEX when that is after its last thing, *to when the range goes to the end. False: they are the
 * same. */
bool pc_marks_part(const struct pc_marks *a, const struct pc_marks *b, uint64_t *from, uint64_t *to);

#endif

/* SPDX-License-Identifier: MIT */
#include "write/marks.h"

#include "bytes/cursor.h"
#include "report/diag.h"

void pc_marks_begin(struct pc_marks *m)
{
    pc_hash_init(&m->hash);
    m->count = 0;
    m->every = 1;
}

static uint64_t short_sum(const struct pc_hash *hash)
{
    struct pc_sum sum = pc_hash_sum(hash);
    return pc_load(sum.bytes, 8, PC_BIG);
}

void pc_marks_put(struct pc_marks *m, uint64_t number)
{
    if (m->count == PC_MARKS_MAX * m->every) {
        for (size_t i = 0; i < PC_MARKS_MAX / 2; i++)
            m->mark[i] = m->mark[2 * i];
        m->every *= 2;
    }
    if (m->count % m->every == 0)
        m->mark[m->count / m->every] = (struct pc_mark){ short_sum(&m->hash), number };
    m->count++;
}

/* What came before the thing at `at`, which is 0 or a multiple of `every`, or after the last one. */
static uint64_t sum_before(const struct pc_marks *m, uint64_t at)
{
    return at < m->count ? m->mark[at / m->every].sum : short_sum(&m->hash);
}

bool pc_marks_part(const struct pc_marks *a, const struct pc_marks *b, uint64_t *from, uint64_t *to)
{
    struct pc_sum left = pc_hash_sum(&a->hash), right = pc_hash_sum(&b->hash);
    uint64_t every = a->every > b->every ? a->every : b->every, same = 0, at = 0;
    if (a->count == b->count && pc_sum_equal(&left, &right))
        return false;
    while (at <= a->count && at <= b->count && sum_before(a, at) == sum_before(b, at)) {
        same = at;
        at += every;
    }
    *from = same < a->count ? a->mark[same / a->every].number : PC_NO_INDEX;
    *to = at < a->count ? a->mark[at / a->every].number : PC_NO_INDEX;
    return true;
}

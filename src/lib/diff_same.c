/* SPDX-License-Identifier: MIT
 *
 * Two files with the same bytes. While all bytes so far are the same, both are in the same state: then
 * samples that were judged for one of them need not be judged again for the other one.
 */
#include "lib/diff.h"

#include <string.h>

#define LEAST ((size_t)4 << 10) /* bytes of samples for which that is worth while */

/* Whether the bytes of both files are the same from one offset up to another. */
static bool are_same(struct pc_diff *d, uint64_t from, uint64_t to)
{
    struct pc_input in[2] = { d->side[0].scan->in, d->side[1].scan->in };
    for (size_t n; from < to; from += n) {
        n = to - from < PC_DIFF_BLOCK ? (size_t)(to - from) : PC_DIFF_BLOCK;
        for (unsigned k = 0; k < 2; k++) {
            if (pc_input_read_at(&in[k], from, d->same.block[k], n) != n)
                return false;
        }
        if (memcmp(d->same.block[0], d->same.block[1], n) != 0)
            return false;
    }
    return true;
}

/* Whether both handles judge alike. What becomes of findings is for each of them; these samples have none. */
static bool ask_alike(const struct pc_options *a, const struct pc_options *b)
{
    return a->policy.reader == b->policy.reader && a->policy.noted == b->policy.noted &&
           memcmp(&a->limits, &b->limits, sizeof(a->limits)) == 0;
}

/* Whether the files can be the same. */
static bool may_be_same(struct pc_diff *d)
{
    const struct pc_scan *a = d->side[0].scan, *b = d->side[1].scan;
    return a->in.kind == PC_INPUT_FILE && b->in.kind == PC_INPUT_FILE && a->in.size == b->in.size &&
           a->capture.order == PC_LITTLE && ask_alike(&d->side[0].pc->options, &d->side[1].pc->options) &&
           are_same(d, a->reader.outer.end, a->in.size);
}

/* Whether all bytes before `end` are the same, and those after the records. */
static bool is_same_until(struct pc_diff *d, uint64_t end)
{
    if (!d->same.tried)
        d->same.holds = may_be_same(d);
    d->same.tried = true;
    d->same.holds = d->same.holds && are_same(d, d->same.until, end);
    d->same.until = end;
    return d->same.holds;
}

bool pc_diff_follow(struct pc_diff *d)
{
    const struct pc_diff_side *a = &d->side[0];
    struct pc_diff_side *b = &d->side[1];
    const struct pc_item *first = &a->item.source;
    const struct pc_run *run = &a->item.run;
    const struct pc_reader *reader = &b->scan->reader;
    if (a->item.kind != PC_CONTENT_RECORD || a->item.type != PC_SAMPLE || run->bytes < LEAST ||
        a->nr_records + 1 != run->nr || (d->same.tried && !d->same.holds) || first->where.inside ||
        reader->w != &reader->outer || pc_reader_offset(reader) != first->offset ||
        reader->records != first->number || !is_same_until(d, first->offset))
        return false;
    d->same.holds =
        pc_content_follow(&b->content, (struct pc_span){ first->bytes.ptr, run->bytes }, run, &b->item);
    d->same.until += d->same.holds ? run->bytes : 0;
    return d->same.holds;
}

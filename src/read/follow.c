/* SPDX-License-Identifier: MIT
 *
 * Whether records follow each other from a place on, as far as their headers and the first one tell.
 */
#include "read/follow.h"
#include "bytes/cursor.h"
#include "read/fits.h"
#include "read/parts.h"
#include "read/plausible.h"
#include "read/window.h"

static bool plausible_chain(struct pc_reader *r, size_t at, size_t have)
{
    uint64_t step = 0;
    /* No more than that: how many bytes happen to be in the window must not matter. */
    have = have < at + PC_LOOK_AHEAD ? have : at + PC_LOOK_AHEAD;
    r->undecided = false;
    for (unsigned i = 0; i < PC_CHAIN; i++) {
        if (pc_reader_offset(r) + at == r->w->end)
            return i > 0;
        bool known = have - at >= PC_RECORD_HEADER_SIZE;
        if (known && !pc_plausible_step_at(r, at, have, &step))
            return false;
        if (r->w->end == UINT64_MAX && r->w == &r->inner && (!known || step > have - at)) {
            r->undecided = true; /* the next compressed record has more */
            return i > 0;
        }
        if (!known)
            return false;
        if (step > have - at)
            return i > 0 && pc_reader_offset(r) + have < r->w->end; /* after the window: enough was seen */
        at += (size_t)step;
    }
    return true;
}

bool pc_records_begin(struct pc_reader *r, size_t at, size_t have)
{
    if (!plausible_chain(r, at, have))
        return false;
    struct pc_span record = { r->w->bytes + r->w->at + at, 0 };
    if (have - at < PC_RECORD_HEADER_SIZE || r->capture->nr_attrs == 0)
        return true;
    struct pc_record_head head = pc_load_head(record.ptr, r->capture->order);
    record.len = head.size;
    if ((!pc_is_kernel_type(head.type) && !pc_is_android_type(head.type)) || record.len > have - at)
        return true;
    return pc_reader_may_fit(r, record);
}

bool pc_records_follow(struct pc_reader *r, size_t at)
{
    uint64_t step = 0;
    for (unsigned i = 0; i < PC_CHAIN; i++) {
        size_t have = pc_reader_available(r, at + PC_RECORD_HEAD);
        if (at > have)
            return false;
        if (have - at < PC_RECORD_HEADER_SIZE) /* no more is there, or will be */
            return i > 0 || (r->w->end != UINT64_MAX && pc_reader_offset(r) + have == r->w->end &&
                             (have == at || !pc_reader_ends_whole(r)));
        if (!pc_plausible_step_at(r, at, have, &step))
            return false;
        if (step > PC_LOOK_AHEAD - at || step > pc_reader_available(r, at + (size_t)step) - at)
            return true; /* a payload may be larger than any window: enough was seen */
        at += (size_t)step;
    }
    return true;
}

bool pc_records_lead(struct pc_reader *r, size_t at, size_t end)
{
    uint64_t step = 0;
    while (at < end) {
        if (!pc_reader_may_walk(r, PC_RECORD_HEADER_SIZE))
            return true;
        if (!pc_plausible_step_at(r, at, end, &step) || step > end - at)
            return false;
        at += (size_t)step;
    }
    return true;
}

/* SPDX-License-Identifier: MIT */
#include "write/repair_moved.h"
#include "bytes/cursor.h"
#include "read/plausible.h"
#include "write/repair_records.h"

#include <string.h>

/* The records of all events, one behind the other: `size` bytes. NULL: no memory. */
static unsigned char *make_records(struct pc_desc *e, uint64_t size)
{
    unsigned char *records = pc_alloc_buffer(&e->s->mem, size), *to = records;
    e->s->no_memory |= !records;
    for (size_t i = 0; records && i < e->nr; i++) {
        const struct pc_desc_event *event = &e->event[i];
        const size_t nr_ids = (size_t)event->nr_ids;
        pc_repair_store_head(e, i, to);
        to += PC_RECORD_HEADER_SIZE;
        memcpy(to, e->bytes + event->attr_at, (size_t)e->attr_size);
        to += e->attr_size;
        memcpy(to, e->bytes + event->ids_at, 8 * nr_ids);
        to += 8 * nr_ids;
    }
    return records;
}

/* Marks the places in these bytes from which headers lead to their end. */
static void mark_leading(const struct pc_desc *e, struct pc_span bytes, unsigned char *leads)
{
    memset(leads, 0, bytes.len);
    for (size_t left = PC_RECORD_HEADER_SIZE; left <= bytes.len; left++) {
        const size_t at = bytes.len - left, size = pc_load_head(bytes.ptr + at, e->order).size;
        leads[at] =
            pc_may_follow(bytes.ptr + at, e->order) && (size == left || (size < left && leads[at + size]));
    }
}

/* How many bytes two have in common, from their first on, or up to their last. */
static size_t count_common(struct pc_span a, struct pc_span b, bool last)
{
    const size_t most = a.len < b.len ? a.len : b.len;
    size_t n = 0;
    while (n < most && (last ? a.ptr[a.len - 1 - n] == b.ptr[b.len - 1 - n] : a.ptr[n] == b.ptr[n]))
        n++;
    return n;
}

static size_t difference(size_t a, size_t b)
{
    return a > b ? a - b : b - a;
}

/* The place among these bytes behind the records of the attrs, if bytes were lost or inserted at one place of
 * them: all before and behind it is what they have. Of several, the one with the fewest such bytes. 0: there
 * is none, or records lead on from the first byte. */
static size_t find_moved(struct pc_span records, struct pc_span file, const unsigned char *leads)
{
    const size_t begin = count_common(records, file, false);
    size_t found = 0, left = 8 * (records.len + file.len); /* work, in bytes */
    for (size_t at = 1; at < file.len && !leads[0] && begin < records.len; at++) {
        const size_t least = at < records.len ? at : records.len;
        if (!leads[at] || at == records.len ||
            (found != 0 && difference(at, records.len) >= difference(found, records.len)))
            continue;
        const size_t end = count_common(records, (struct pc_span){ file.ptr, at }, true);
        found = begin + end >= least ? at : found;
        if (end >= left)
            break;
        left -= end;
    }
    return found;
}

bool pc_desc_shift_records(struct pc_desc *e, uint64_t size)
{
    const uint64_t n = e->at - PC_FEATURE_HEAD - PC_PIPE_HEADER_SIZE;
    if (n == 0)
        return false;
    unsigned char *records = make_records(e, size), *bytes = pc_alloc_buffer(&e->s->mem, 2 * n);
    size_t end = 0, same = 0;
    e->s->no_memory |= !bytes;
    if (records && bytes && pc_input_read_at(&e->in, PC_PIPE_HEADER_SIZE, bytes, (size_t)n) == n) {
        const struct pc_span all = { records, (size_t)size }, file = { bytes, (size_t)n };
        mark_leading(e, file, bytes + n);
        end = find_moved(all, file, bytes + n);
        same = count_common(all, (struct pc_span){ bytes, end }, false);
    }
    pc_free(&e->s->mem, records, size);
    pc_free(&e->s->mem, bytes, 2 * n);
    if (end == 0)
        return false;
    const uint64_t at = PC_PIPE_HEADER_SIZE + same, lost = size > end ? size - end : 0,
                   added = end > size ? end - size : 0;
    pc_input_shift(&e->s->in, at, lost, added);
    pc_input_shift(&e->in, at, lost, added);
    return true;
}

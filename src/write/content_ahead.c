/* SPDX-License-Identifier: MIT
 *
 * Samples that are plainly sound, many at once.
 */
#include "check/batch.h"
#include "bytes/cursor.h"
#include "write/content_parts.h"

/* Samples that are plainly sound, many at once: of a copy, or when they are the same in it. False: there are
 * none. */
static bool pass(struct pc_content *c, struct pc_content_item *out)
{
    struct pc_scan *scan = c->scan;
    struct pc_marks *marks = &c->parts.records;
    struct pc_span ahead = pc_reader_ahead(&scan->reader);
    struct pc_run passed = pc_check_pass(&scan->check, ahead, scan->reader.streams.where.stream);
    size_t from = 0;
    if (passed.nr == 0)
        return false;
    uint64_t number = scan->reader.records;
    for (size_t at = 0; at < passed.bytes; at += pc_load_head(ahead.ptr + at, scan->capture.order).size) {
        if (marks->count % marks->every == 0) {
            pc_hash_put(&marks->hash, ahead.ptr + from, at - from);
            from = at;
        }
        pc_marks_put(marks, number++);
    }
    pc_hash_put(&marks->hash, ahead.ptr + from, passed.bytes - from);
    c->has_records = true;
    c->unknown.bytes.len = 0;
    pc_reader_pass(&scan->reader, passed.nr, passed.bytes, passed.last_size, &out->source);
    pc_check_passed(&scan->check, &out->source);
    if (c->derived)
        pc_derived_records(c->derived, &out->source.where, passed.bytes);
    out->kind = PC_CONTENT_RECORD;
    out->type = PC_SAMPLE;
    out->bytes = pc_part(ahead, 0, passed.bytes);
    return true;
}

/* Whether sound samples need no look at each. */
static bool may_pass(const struct pc_content *c)
{
    const struct pc_capture *capture = &c->scan->capture;
    bool same = c->in_batches && !c->may_be_cut && capture->mmap_len == 0 && !c->reader &&
                capture->order == c->own.to &&
                pc_payload_order(capture) == pc_payload_order_in(capture, c->own.to);
    return (c->derived || same) && c->scan->recognised && !c->salvage && c->refusals == 0 &&
           !pc_content_is_damaged(c) && !pc_content_notes_choices(c);
}

bool pc_content_ahead(struct pc_content *c, struct pc_content_item *out)
{
    return may_pass(c) && pass(c, out);
}

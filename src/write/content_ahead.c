/* SPDX-License-Identifier: MIT
 *
 * Samples that are plainly sound, many at once: as they are, or converted.
 */
#include "check/batch.h"
#include "check/witness_record.h"
#include "bytes/cursor.h"
#include "write/content_parts.h"

#include <string.h>

/* Whether the copy has sound samples as they are. */
static bool stays(const struct pc_content *c)
{
    const struct pc_capture *capture = &c->scan->capture;
    return capture->order == c->own.to &&
           pc_payload_order(capture) == pc_payload_order_in(capture, c->own.to);
}

/* Whether samples can be converted many at once: each that comes has a simple plan, and counts by its bytes
 * in the copy. */
static bool may_convert(const struct pc_content *c)
{
    const struct pc_capture *capture = &c->scan->capture;
    const size_t few = 64;
    if (capture->order == c->own.to || !(c->as_written || c->own.to == PC_LITTLE) || capture->nr_attrs > few)
        return false;
    for (size_t i = 0; i < capture->nr_attrs; i++) {
        const struct pc_sample_layout *layout = capture->layout[capture->attr[i].layout];
        if (layout->plan[PC_SAMPLE] && !layout->simple)
            return false;
    }
    return true;
}

/* Whether sound samples need no look at each. */
static bool may_pass(const struct pc_content *c)
{
    const struct pc_capture *capture = &c->scan->capture;
    bool alike = c->in_batches && !(c->may_pack && capture->mmap_len != 0) && !c->may_be_cut && !c->reader &&
                 (stays(c) || may_convert(c));
    return (c->derived || alike) && c->scan->recognised && !c->salvage && c->refusals == 0 &&
           !pc_content_is_damaged(c) && !(c->derived && pc_content_notes_choices(c));
}

/* Room for converted samples. False: there is none; then each is an item. */
static bool make_room(struct pc_content *c)
{
    if (!c->run)
        c->run = pc_alloc_buffer(c->mem, PC_CONVERT_RECORD);
    if (!c->shapes)
        c->shapes = pc_alloc(c->mem, PC_SHAPES * sizeof(*c->shapes));
    return c->run && c->shapes;
}

/* Converts samples, the first of which has this number; what it gives is of the same size. */
static void convert(struct pc_content *c, struct pc_span samples, uint64_t number)
{
    const enum pc_order from = c->scan->capture.order;
    bool notes = pc_content_notes_choices(c);
    struct pc_item sample = { .kind = PC_ITEM_RECORD, .type = PC_SAMPLE, .number = number };
    bool same = true;
    for (size_t at = 0; at < samples.len && same; at += sample.bytes.len) {
        struct pc_record_head head = pc_load_head(samples.ptr + at, from);
        struct pc_span made;
        sample.misc = head.misc;
        sample.bytes = pc_part(samples, at, head.size);
        c->own.by_plan = true;
        same = pc_convert_record(&c->own, &sample, &made) == PC_CONVERTED && made.len == head.size;
        c->own.by_plan = false;
        if (notes)
            pc_content_note_choice(c, &sample);
        if (same)
            memcpy(c->run + at, made.ptr, made.len);
        sample.number++;
    }
    bool checked = c->stores && !c->own.lenient;
    sample.number = number;
    if (!same ||
        (checked && !pc_witness_samples(c->shapes, c->plain, &c->scan->capture, samples, c->run, c->own.to)))
        pc_content_set_wrong(c, &sample);
}

/* Counts samples, which begin at these bytes of the copy; their sizes are in the capture. */
static void count(struct pc_content *c, struct pc_span samples, uint64_t nr, const unsigned char *made,
                  uint64_t number)
{
    struct pc_marks *marks = &c->parts.records;
    const enum pc_order order = c->scan->capture.order;
    const uint64_t end = number + nr;
    size_t from = 0, at = 0;
    for (uint64_t next; next = number + pc_marks_ahead(marks), next < end; number = next + 1) {
        pc_marks_pass(marks, next - number);
        for (; number != next; number++)
            at += pc_load_head(samples.ptr + at, order).size;
        pc_hash_put(&marks->hash, made + from, at - from);
        from = at;
        pc_marks_put(marks, next);
        at += pc_load_head(samples.ptr + at, order).size;
    }
    pc_marks_pass(marks, end - number);
    pc_hash_put(&marks->hash, made + from, samples.len - from);
}

/* Samples that were passed become an item; made: what they are in the copy. */
static void hand_out(struct pc_content *c, const struct pc_run *passed, struct pc_span samples,
                     struct pc_span made, struct pc_content_item *out)
{
    struct pc_scan *scan = c->scan;
    c->has_records = true;
    if (!c->no_sum)
        count(c, samples, passed->nr, made.ptr, scan->reader.records);
    c->unknown.bytes.len = 0;
    pc_reader_pass(&scan->reader, passed->nr, passed->bytes, passed->last_size, &out->source);
    pc_check_passed(&scan->check, &out->source);
    if (c->derived)
        pc_derived_records(c->derived, &out->source.where, passed->bytes);
    out->kind = PC_CONTENT_RECORD;
    out->type = PC_SAMPLE;
    out->bytes = made;
    out->run = *passed;
}

bool pc_content_ahead(struct pc_content *c, struct pc_content_item *out)
{
    struct pc_scan *scan = c->scan;
    struct pc_span ahead = pc_reader_ahead(&scan->reader);
    if (ahead.len < PC_RECORD_HEADER_SIZE || pc_load_head(ahead.ptr, scan->capture.order).type != PC_SAMPLE ||
        !may_pass(c))
        return false;
    bool converts = !c->derived && !stays(c);
    if (converts && !make_room(c))
        return false;
    if (converts && ahead.len > PC_CONVERT_RECORD)
        ahead.len = PC_CONVERT_RECORD;
    struct pc_run passed = pc_scan_pass(scan, ahead);
    if (passed.nr == 0)
        return false;
    struct pc_span samples = pc_part(ahead, 0, passed.bytes), made = samples;
    if (converts) {
        convert(c, samples, scan->reader.records);
        made.ptr = c->run;
    }
    hand_out(c, &passed, samples, made, out);
    return true;
}

bool pc_content_follow(struct pc_content *c, struct pc_span samples, const struct pc_run *run,
                       struct pc_content_item *out)
{
    struct pc_span ahead = pc_reader_ahead(&c->scan->reader);
    if (ahead.len < run->bytes || c->derived || !stays(c) || !may_pass(c) ||
        memcmp(ahead.ptr, samples.ptr, run->bytes) != 0)
        return false;
    samples.ptr = ahead.ptr;
    pc_flow_run(&c->scan->check.flow, run); /* another check, in the same state, has passed them */
    hand_out(c, run, samples, samples, out);
    return true;
}

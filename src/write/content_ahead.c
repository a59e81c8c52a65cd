/* SPDX-License-Identifier: MIT
 *
 * Records that are plainly sound, many at once: samples as they are, or converted; others as they are.
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

/* Records that were passed become an item, the first of which has this number; made: what they are in the
 * copy. The source of the item is the last one. */
static void hand_out(struct pc_content *c, const struct pc_run *passed, struct pc_span records,
                     uint64_t number, struct pc_span made, struct pc_content_item *out)
{
    c->has_records = true;
    if (!c->no_sum)
        count(c, records, passed->nr, made.ptr, number);
    c->unknown.bytes.len = 0;
    if (c->derived)
        pc_derived_records(c->derived, &out->source.where, passed->bytes);
    out->kind = PC_CONTENT_RECORD;
    out->bytes = made;
    out->run = *passed;
}

static void hand_out_samples(struct pc_content *c, const struct pc_run *passed, struct pc_span samples,
                             struct pc_span made, struct pc_content_item *out)
{
    struct pc_scan *scan = c->scan;
    const uint64_t number = scan->reader.records;
    pc_reader_pass(&scan->reader, passed->nr, passed->bytes, passed->last_size, &out->source);
    pc_check_passed(&scan->check, &out->source);
    hand_out(c, passed, samples, number, made, out);
    out->type = PC_SAMPLE;
}

static bool take_samples(struct pc_content *c, struct pc_span ahead, struct pc_content_item *out)
{
    struct pc_scan *scan = c->scan;
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
    hand_out_samples(c, &passed, samples, made, out);
    return true;
}

/* --- other records --- */

/* Whether the next record needs no look but the check, if its plan finds it sound. */
static bool may_take(const struct pc_content *c, struct pc_span ahead)
{
    const struct pc_capture *capture = &c->scan->capture;
    if (ahead.len < PC_RECORD_HEADER_SIZE)
        return false;
    const struct pc_record_head head = pc_load_head(ahead.ptr, capture->order);
    return pc_is_kernel_type(head.type) && head.type != PC_SAMPLE && head.size <= ahead.len &&
           (head.type != PC_MMAP2 || capture->mmap2_old >= 0) &&
           (c->derived || pc_convert_keeps(&c->own, head.type, head.misc, pc_part(ahead, 0, head.size)));
}

/* After a record that is not handed out: *item becomes the one before, which ends here, again. */
static void step_back(struct pc_item *item, struct pc_span record, enum pc_order order)
{
    const struct pc_record_head head = pc_load_head(record.ptr, order);
    item->type = head.type;
    item->misc = head.misc;
    item->bytes = record;
    item->offset -= record.len;
    item->number--;
    item->judged = NULL;
    item->news = PC_NO_NEWS;
}

/* Takes as many as the reader has. False: there is none to hand out. */
static bool take_records(struct pc_content *c, struct pc_span ahead, struct pc_content_item *out)
{
    const uint64_t number = c->scan->reader.records, *errors = &c->scan->report.by_severity[PC_ERROR],
                   before = *errors;
    struct pc_item *item = &out->source;
    struct pc_run run = { 0 };
    if (c->reader || c->tally || c->symbols || !(c->derived || stays(c)))
        return false;
    while (may_take(c, pc_part(ahead, run.bytes, ahead.len - run.bytes)) && pc_scan_take(c->scan, item)) {
        if (*errors != before && pc_content_is_damaged(c)) { /* it is only looked at */
            if (run.nr != 0)
                step_back(item, pc_part(ahead, run.bytes - run.last_size, run.last_size),
                          c->scan->capture.order);
            break;
        }
        assert(c->scan->check.judge.facts.by_plan);
        if (c->witness && pc_witness_asks(c->witness))
            pc_witness_item(c->witness, &c->scan->reader, item);
        if (run.nr == 0 || pc_record_is(out->type, PC_SYNTHESIZED))
            out->type = item->type;
        run.nr++;
        run.last_size = item->bytes.len;
        run.bytes += run.last_size;
    }
    if (run.nr == 0)
        return false;
    const struct pc_span records = pc_part(ahead, 0, run.bytes);
    hand_out(c, &run, records, number, records, out);
    return true;
}

bool pc_content_ahead(struct pc_content *c, struct pc_content_item *out)
{
    const struct pc_span ahead = pc_reader_ahead(&c->scan->reader);
    if (ahead.len < PC_RECORD_HEADER_SIZE)
        return false;
    const uint32_t type = pc_load_head(ahead.ptr, c->scan->capture.order).type;
    if (!pc_is_kernel_type(type) || !may_pass(c))
        return false;
    return type == PC_SAMPLE ? take_samples(c, ahead, out) : take_records(c, ahead, out);
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
    hand_out_samples(c, run, samples, samples, out);
    return true;
}

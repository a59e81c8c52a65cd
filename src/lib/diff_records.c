/* SPDX-License-Identifier: MIT
 *
 * What differs in the records of two captures, which are read side by side. They differ when the bytes of the
 * digest do, or their plain forms, which see what conversion does.
 */
#include "lib/diff.h"

#include "bytes/cursor.h"

#include <inttypes.h>
#include <string.h>

/* Walks the record as its capture has it: its fields have the offsets of the canonical record, but
 * not the bytes in the payload of a tracepoint, which is one field. */
static bool find_in_record(struct pc_diff *d, unsigned side, size_t at)
{
    struct pc_diff_side *s = &d->side[side];
    const struct pc_item *item = &s->item.source;
    struct pc_diff_search search = pc_diff_begin_search(d, side, item, at);
    if (s->item.bytes.len == item->bytes.len)
        search.bytes = s->item.bytes;
    struct pc_layout layout;
    struct pc_walk walk;
    uint32_t attr;
    size_t excess;
    const struct pc_record_info *info = pc_record_info(item->type);
    if (!info || !pc_capture_layout(&s->scan->capture, item->type, item->misc, item->bytes, &layout, &attr))
        return false;
    struct pc_cursor c = pc_record_body(item->bytes, s->scan->capture.order);
    pc_walk_init(&walk, &layout, &c, pc_diff_find_leaf, &search);
    pc_walk_record(&walk, info, &excess);
    return search.found;
}

static struct pc_span body_of(const struct pc_diff_side *s)
{
    return pc_part(s->item.bytes, PC_RECORD_HEADER_SIZE, s->item.bytes.len - PC_RECORD_HEADER_SIZE);
}

static void diff_record(struct pc_diff *d)
{
    struct pc_diff_side *a = &d->side[0], *b = &d->side[1];
    const size_t misc_at = PC_RECORD_MISC_AT;
    pc_diff_begin(d);
    pc_put_format(&d->path, "records[%" PRIu64 "]", a->item.source.number);
    if (a->item.type != b->item.type) {
        pc_put(&d->value[0], pc_type_name(a->item.type, d->number));
        pc_put(&d->value[1], pc_type_name(b->item.type, d->number));
        pc_diff_end(d);
        return;
    }
    pc_put(&d->path, ".");
    pc_put(&d->path, pc_type_name(a->item.type, d->number));
    struct pc_span left = body_of(a), right = body_of(b);
    size_t at = PC_RECORD_HEADER_SIZE + pc_diff_first(left, right);
    bool size = left.len != right.len && (at == a->item.bytes.len || at == b->item.bytes.len);
    if (a->item.source.misc != b->item.source.misc) {
        pc_put(&d->path, ".misc");
        pc_put_format(&d->value[0], "0x%" PRIx64, pc_load(a->item.bytes.ptr + misc_at, 2, PC_LITTLE));
        pc_put_format(&d->value[1], "0x%" PRIx64, pc_load(b->item.bytes.ptr + misc_at, 2, PC_LITTLE));
    } else if (size || !find_in_record(d, 0, at)) {
        pc_put(&d->path, size ? ".size" : ".bytes");
        pc_diff_put_numbers(d, size ? a->item.bytes.len : at, size ? b->item.bytes.len : at);
    } else if (!find_in_record(d, 1, at)) {
        pc_put(&d->value[1], "(not there)");
    }
    pc_diff_end(d);
}

/* Takes the first of the records that came together. */
static void take_first(struct pc_diff_side *s)
{
    struct pc_item *source = &s->item.source;
    const struct pc_record_head head = pc_load_head(s->sources.ptr, s->scan->capture.order);
    source->number = s->records_end - s->nr_records--;
    source->offset = s->sources_end - s->sources.len;
    s->item.bytes = pc_part(s->records, 0, head.size);
    source->bytes = pc_part(s->sources, 0, head.size);
    source->misc = head.misc;
    source->type = s->item.type = head.type;
    s->records = pc_part(s->records, head.size, s->records.len - head.size);
    s->sources = pc_part(s->sources, head.size, s->sources.len - head.size);
}

/* The item is many records; its source is the last one. The conversion of samples is compared with what it
 * was made of, as that of one record is; others are as they were. */
static void begin_records(struct pc_diff_side *s, struct pc_diff *d)
{
    struct pc_item *last = &s->item.source;
    struct pc_capture *capture = &s->scan->capture;
    s->records = s->item.bytes;
    s->sources = (struct pc_span){ last->bytes.ptr + last->bytes.len - s->records.len, s->records.len };
    s->is_proved = capture->order == PC_LITTLE || pc_witness_samples(s->content.shapes, d->plain, capture,
                                                                     s->sources, s->records.ptr, PC_LITTLE);
    s->nr_records = s->item.run.nr;
    s->records_end = last->number + 1;
    s->sources_end = last->offset + last->bytes.len;
    take_first(s);
}

/* The next record or payload that counts, of a side that has no current one. */
static void advance(struct pc_diff *d, struct pc_diff_side *s)
{
    if (s->left.len != 0)
        return;
    if (s->records.len != 0) {
        s->number++;
        take_first(s);
        return;
    }
    do {
        if (s->item.kind == PC_CONTENT_RECORD && s->item.type != PC_FINISHED_ROUND)
            s->number++;
        if (s == &d->side[0] || !pc_diff_follow(d))
            pc_content_next(&s->content, &s->item);
    } while (s->item.kind == PC_CONTENT_RECORD && s->item.type == PC_FINISHED_ROUND);
    if (s->item.kind == PC_CONTENT_PAYLOAD)
        s->left = s->item.bytes;
    else if (s->item.kind == PC_CONTENT_RECORD && s->item.run.nr != 0)
        begin_records(s, d);
}

/* Payloads arrive in pieces, which may be cut differently on the two sides. */
static void diff_payload(struct pc_diff *d)
{
    struct pc_diff_side *a = &d->side[0], *b = &d->side[1];
    size_t n = a->left.len < b->left.len ? a->left.len : b->left.len;
    struct pc_span left = pc_part(a->left, 0, n), right = pc_part(b->left, 0, n);
    if (!pc_diff_is_equal(left, right)) {
        size_t at = pc_diff_first(left, right),
               some = n - at < PC_DIFF_BYTES_MAX ? n - at : PC_DIFF_BYTES_MAX;
        struct pc_shown *shown = pc_diff_begin_search(d, 0, &a->item.source, 0).shown;
        pc_diff_begin(d);
        pc_put_format(&d->path, "records[%" PRIu64 "].data+0x%" PRIx64, a->item.source.number,
                      a->item.source.offset + (a->item.bytes.len - a->left.len) + at);
        pc_show_bytes(shown, pc_part(left, at, some), some, "");
        pc_put(&d->value[0], shown->value.text);
        pc_show_bytes(shown, pc_part(right, at, some), some, "");
        pc_put(&d->value[1], shown->value.text);
        pc_diff_end(d);
    }
    a->left = pc_part(a->left, n, a->left.len - n);
    b->left = pc_part(b->left, n, b->left.len - n);
}

/* Whether records of one side mean the same as those of the other one if their bytes are equal. */
static bool read_alike(const struct pc_diff *d)
{
    const struct pc_capture *a = &d->side[0].scan->capture, *b = &d->side[1].scan->capture;
    if (a->order == PC_LITTLE && b->order == PC_LITTLE)
        return true;
    return a->common.same_layout && b->common.same_layout &&
           memcmp(&a->layout[a->attr[a->common.first].layout]->layout,
                  &b->layout[b->attr[b->common.first].layout]->layout, sizeof(struct pc_layout)) == 0;
}

/* The last of the first `nr` records becomes the current one, of which only counts from now on that it is no
 * FINISHED_ROUND. */
static void pass_records(struct pc_diff_side *s, uint64_t nr, size_t bytes)
{
    s->number += nr;
    s->nr_records -= nr;
    s->records = pc_part(s->records, bytes, s->records.len - bytes);
    s->sources = pc_part(s->sources, bytes, s->sources.len - bytes);
}

/* Passes over records that are the same on both sides, many at once. */
static void skip_same(struct pc_diff *d)
{
    struct pc_diff_side *a = &d->side[0], *b = &d->side[1];
    const size_t most = a->records.len < b->records.len ? a->records.len : b->records.len;
    const struct pc_span left = pc_part(a->records, 0, most), right = pc_part(b->records, 0, most);
    if (most == 0 || !a->is_proved || !b->is_proved || !read_alike(d))
        return;
    if (pc_diff_is_equal(left, right)) {
        const uint64_t nr = a->records.len == most ? a->nr_records : b->nr_records;
        pass_records(a, nr, most);
        pass_records(b, nr, most);
        return;
    }
    const size_t same = pc_diff_first(left, right);
    for (size_t at = 0; at + PC_RECORD_HEADER_SIZE <= same;) {
        at += pc_load_head(left.ptr + at, PC_LITTLE).size;
        for (unsigned k = 0; k < 2 && at <= same; k++)
            advance(d, &d->side[k]);
    }
}

static void drain(struct pc_diff *d, struct pc_diff_side *s)
{
    while (s->item.kind != PC_CONTENT_END) {
        s->left.len = 0;
        advance(d, s);
    }
}

perfcheck_t *pc_diff_stopped(const struct pc_diff *d)
{
    for (unsigned k = 0; k < 2; k++) {
        if (d->side[k].pc->progress.stopped)
            return d->side[k].pc;
    }
    return NULL;
}

void pc_diff_records(struct pc_diff *d)
{
    struct pc_diff_side *a = &d->side[0], *b = &d->side[1];
    for (;;) {
        skip_same(d);
        advance(d, a);
        advance(d, b);
        if (a->item.kind == PC_CONTENT_END || b->item.kind == PC_CONTENT_END || pc_diff_stopped(d))
            break;
        if (a->item.kind == PC_CONTENT_PAYLOAD && b->item.kind == PC_CONTENT_PAYLOAD) {
            diff_payload(d);
        } else if (a->item.kind != b->item.kind) {
            a->left.len = b->left.len = 0;
            if (a->item.kind == PC_CONTENT_RECORD || b->item.kind == PC_CONTENT_RECORD)
                diff_record(d);
        } else if (!pc_diff_is_equal(a->item.bytes, b->item.bytes) ||
                   !pc_witness_same(d->plain, &a->scan->capture, &a->item.source, &b->scan->capture,
                                    &b->item.source)) {
            diff_record(d);
        }
    }
    if (pc_diff_stopped(d)) /* both end at once */
        a->scan->progress = b->scan->progress = &pc_diff_stopped(d)->progress;
    drain(d, a);
    drain(d, b);
    if (a->number != b->number) {
        pc_diff_begin(d);
        pc_put(&d->path, "records");
        pc_diff_put_numbers(d, a->number, b->number);
        pc_diff_end(d);
    }
}

/* SPDX-License-Identifier: MIT */
#include "lib/fields.h"
#include "write/convert.h"
#include "format/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct pc_step *outer_of(const struct pc_fields *f)
{
    return f->outer.name ? &f->outer : NULL;
}

static void start_name(struct pc_fields *f)
{
    pc_buffer_init(&f->name);
    if (f->outer.name)
        pc_put_steps(&f->name, &f->outer, 1);
}

/* Hands on what f->name, f->value and f->number say, `at` bytes into the span. */
static bool show(struct pc_fields *f, size_t at, uint64_t size, struct pc_span bytes)
{
    f->offset = f->base + at;
    f->size = size;
    f->bytes = bytes;
    f->stopped = !f->take(f->ctx, f) || f->wanted;
    return !f->stopped;
}

/* Bytes that no table explains; all: how many there are. */
static void show_bytes(struct pc_fields *f, size_t at, struct pc_span bytes, uint64_t all, const char *name,
                       const char *meaning)
{
    if (f->stopped || (f->wanted && !pc_path_is(f->wanted, outer_of(f), NULL, 0, name)))
        return;
    start_name(f);
    pc_put(&f->name, name);
    pc_show_bytes(&f->value, bytes, all, meaning);
    f->is_number = false;
    f->number = 0;
    show(f, at, all, bytes);
}

/* Shows what the walk left out, up to `end`. */
static void show_left(struct pc_fields *f, struct pc_span span, size_t end)
{
    if (end <= f->seen || f->stopped)
        return;
    char meaning[64];
    struct pc_span left = pc_part(span, f->seen, end - f->seen);
    bool padding = left.len < 8 && pc_first_nonzero(left) == left.len;
    snprintf(meaning, sizeof(meaning), "not understood: %zu bytes", left.len);
    show_bytes(f, f->seen, left, left.len, padding ? "padding" : "rest", padding ? "" : meaning);
    f->seen = end;
}

static void put_name(struct pc_fields *f, const struct pc_leaf *leaf)
{
    const struct pc_field *field = leaf->field;
    const struct pc_walk *walk = leaf->walk;
    start_name(f);
    if (f->name.len != 0 && walk->depth != 0)
        pc_put(&f->name, ".");
    pc_put_steps(&f->name, walk->path, walk->depth);
    if (field->name) {
        pc_put(&f->name, f->name.len != 0 ? "." : "");
        pc_put(&f->name, field->name);
    }
}

static void show_content(struct pc_fields *f, uint64_t bit, struct pc_span span, size_t at);

/* Trace data in a record, field by field, and what fills it up. */
static bool show_trace(struct pc_fields *f, const struct pc_leaf *leaf)
{
    const struct pc_span in = leaf->walk->c->in;
    const size_t used = (size_t)leaf->walk->slot[leaf->field->used], end = leaf->at + used;
    show_content(f, PC_TRACING_DATA, pc_part(in, 0, end), leaf->at);
    if (used < leaf->raw.len)
        show_bytes(f, end, pc_part(in, end, leaf->raw.len - used), leaf->raw.len - used, "padding", "");
    f->seen = leaf->at + leaf->raw.len;
    return !f->stopped;
}

static bool visit(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_fields *f = ctx;
    const struct pc_field *field = leaf->field;
    const struct pc_walk *walk = leaf->walk;
    if (leaf->fault != PC_SOUND || f->stopped)
        return false;
    /* Between the fields of a record and its sample_id. */
    show_left(f, walk->c->in, leaf->at);
    f->seen = leaf->at + leaf->raw.len;
    if (f->stopped)
        return false;
    if (f->value.info == pc_record_info(PC_ANDROID_TRACING_DATA) && field->save == PC_REC_RAW)
        return show_trace(f, leaf);
    if (f->wanted &&
        (leaf->is_array || !pc_path_is(f->wanted, outer_of(f), walk->path, walk->depth, field->name)))
        return true;
    f->is_number = pc_is_number(field) || field->kind == PC_VARINT || field->kind == PC_HEAD;
    f->number = f->is_number ? pc_signed_value(field, leaf->value) : 0;
    if (!f->wanted)
        put_name(f, leaf);
    if (!f->bare)
        pc_show_leaf(&f->value, leaf);
    return show(f, leaf->at, leaf->raw.len, leaf->raw);
}

/* Arrays are passed over as a whole when no field in them is wanted. */
static void begin_walk(struct pc_fields *f, struct pc_walk *walk, const struct pc_layout *layout,
                       struct pc_cursor *c)
{
    pc_walk_init(walk, layout, c, visit, f);
    walk->bulk = f->wanted && !strchr(f->wanted, '[');
}

/* Walks a table from a place in the span, which ends at `end`. Nothing is said of what is left. */
static void walk_table(struct pc_fields *f, struct pc_span span, size_t at, size_t end,
                       const struct pc_field *table, const struct pc_layout *layout)
{
    struct pc_cursor c = { .in = pc_part(span, 0, end), .pos = at, .order = f->scan->capture.order };
    struct pc_walk walk;
    if (f->in_joined)
        c.order = PC_LITTLE;
    f->seen = at;
    begin_walk(f, &walk, layout, &c);
    pc_walk_table(&walk, table);
}

/* A structure that the reader did not show, from its place in the file. False: it is not there. */
static bool walk_at(struct pc_fields *f, uint64_t offset, size_t size, const struct pc_field *table)
{
    unsigned char bytes[PC_EVENT_TYPE_SIZE];
    uint64_t before = f->base;
    assert(size <= sizeof(bytes));
    if (pc_reader_look(&f->scan->reader, offset, bytes, size) != size)
        return false;
    f->base = offset;
    walk_table(f, (struct pc_span){ bytes, size }, 0, size, table, NULL);
    f->base = before;
    return true;
}

static void show_header(struct pc_fields *f)
{
    const struct pc_capture *capture = &f->scan->capture;
    struct pc_span bytes = f->value.item->bytes;
    if (!capture->is_pipe && pc_header_get(capture, PC_HEAD_SIZE) == PC_FILE_HEADER_OLD)
        bytes.len = PC_FILE_HEADER_OLD; /* no bitmap: the next section is there */
    walk_table(f, bytes, 0, bytes.len, pc_file_header, NULL);
    show_left(f, bytes, bytes.len);
    if (capture->is_pipe)
        return;
    /* Names of events, as perf before 3.12 wrote them. */
    uint64_t offset = pc_header_get(capture, PC_HEAD_TYPES_OFFSET), end;
    uint64_t size = pc_header_get(capture, PC_HEAD_TYPES_SIZE);
    if (!pc_add(offset, size, &end) || end > f->scan->reader.in->size)
        return;
    for (uint64_t i = 0; i < size / PC_EVENT_TYPE_SIZE; i++) {
        f->outer = (struct pc_step){ "event_types", i };
        if (!walk_at(f, offset + i * PC_EVENT_TYPE_SIZE, PC_EVENT_TYPE_SIZE, pc_event_type))
            break;
    }
    f->outer.name = NULL;
}

/* The ids of an attr, which stand elsewhere in the file. */
static void show_ids(struct pc_fields *f, uint64_t offset, uint64_t nr)
{
    static const struct pc_field id[] = { PC_ROW(NULL, PC_UINT, .width = 8), END };
    unsigned char chunk[4096];
    for (uint64_t i = 0; i < nr;) {
        size_t n = nr - i < sizeof(chunk) / 8 ? (size_t)(nr - i) * 8 : sizeof(chunk);
        if (pc_reader_look(&f->scan->reader, offset + 8 * i, chunk, n) != n)
            return;
        f->base = offset + 8 * i;
        for (size_t at = 0; at < n; at += 8) {
            f->outer = (struct pc_step){ "ids", i++ };
            walk_table(f, (struct pc_span){ chunk, n }, at, at + 8, id, NULL);
        }
    }
}

static void show_attr(struct pc_fields *f)
{
    const struct pc_capture *capture = &f->scan->capture;
    struct pc_span bytes = f->value.item->bytes;
    size_t len = bytes.len - PC_SECTION_SIZE, own = pc_attr_whole(pc_part(bytes, 0, len), capture->order).len;
    if (own < PC_ATTR_SIZE_MIN)
        own = len;
    walk_table(f, bytes, 0, own, pc_attr_fields, NULL);
    show_left(f, bytes, own);
    /* An entry may have room for a larger attr than this one. */
    const struct pc_span room = pc_part(bytes, own, len - own);
    if (room.len != 0 && !f->stopped && pc_first_nonzero(room) == room.len) {
        show_bytes(f, own, room, room.len, "padding", "");
        f->seen = len;
    }
    show_left(f, bytes, len);
    f->outer = (struct pc_step){ "ids", PC_NO_INDEX };
    walk_table(f, bytes, len, bytes.len, pc_section, NULL);
    /* Those that the reader took; of one that it could not take it said so. */
    const struct pc_attr *attr = capture->nr_attrs ? &capture->attr[capture->nr_attrs - 1] : NULL;
    if (attr && attr->offset == f->value.item->offset)
        show_ids(f, attr->ids_offset, attr->nr_ids);
    f->outer.name = NULL;
}

/* The content of a feature from a place in the span to its end. */
static void show_content(struct pc_fields *f, uint64_t bit, struct pc_span span, size_t at)
{
    const struct pc_capture *capture = &f->scan->capture;
    const struct pc_field *fields = pc_feature_fields(bit, pc_part(span, at, span.len - at));
    struct pc_layout layout = pc_capture_feature_layout(capture);
    f->seen = at;
    if (fields && pc_capture_can_walk(capture, bit))
        walk_table(f, span, at, span.len, fields, &layout);
    show_left(f, span, span.len);
}

/* Slots of the feature table that were reserved and not used follow the last one. */
static void show_unused(struct pc_fields *f, uint64_t end)
{
    const struct pc_file_state *file = &f->scan->reader.file;
    for (uint64_t i = 0; end == file->unused_at && i < file->unused / PC_SECTION_SIZE; i++) {
        f->outer = (struct pc_step){ "unused", i };
        walk_at(f, end + i * PC_SECTION_SIZE, PC_SECTION_SIZE, pc_section);
    }
}

static void show_feature(struct pc_fields *f)
{
    const struct pc_item *item = f->value.item;
    unsigned char some[PC_BYTES_SHOWN];
    f->outer = (struct pc_step){ "section", PC_NO_INDEX };
    walk_at(f, item->entry, PC_SECTION_SIZE, pc_section);
    show_unused(f, item->entry + PC_SECTION_SIZE);
    f->outer.name = NULL;
    if (item->bytes.len != 0) {
        show_content(f, item->number, item->bytes, 0);
    } else if (item->size != 0) {
        size_t n = item->size < sizeof(some) ? (size_t)item->size : sizeof(some);
        n = pc_reader_look(&f->scan->reader, item->offset, some, n);
        const bool known = pc_feature_is(item->number, PC_ANY_LENGTH);
        show_bytes(f, 0, (struct pc_span){ some, n }, item->size,
                   known ? pc_feature_info(item->number)->fields->name : "content",
                   known ? "" : "not understood");
    }
}

/* The record whose pieces came before. The places of its fields are those in it. */
static void show_joined(struct pc_fields *f)
{
    const struct pc_span record = f->value.item->joined->bytes;
    const struct pc_record_info *own = f->value.info;
    const uint64_t base = f->base;
    f->outer = (struct pc_step){ "record", PC_NO_INDEX };
    f->base = 0;
    f->in_joined = true;
    f->value.info = pc_record_info(pc_load_head(record.ptr, PC_LITTLE).type);
    f->value.in_head = true; /* of which the type alone is as in others */
    walk_table(f, record, 0, PC_RECORD_MISC_AT, pc_android_header, NULL);
    f->value.in_head = false;
    walk_table(f, record, PC_RECORD_MISC_AT, PC_RECORD_HEADER_SIZE, pc_android_header + 1, NULL);
    if (f->value.info && !f->stopped)
        walk_table(f, record, PC_RECORD_HEADER_SIZE, record.len, f->value.info->fields, NULL);
    show_left(f, record, record.len);
    f->value.info = own;
    f->in_joined = false;
    f->base = base;
    f->outer.name = NULL;
}

static void show_record(struct pc_fields *f)
{
    struct pc_span record = f->value.item->bytes;
    enum pc_order order = f->scan->capture.order;
    bool own = pc_has_size_high(record.ptr, order);
    f->value.in_head = true;
    walk_table(f, record, 0, PC_RECORD_HEADER_SIZE, own ? pc_android_header : pc_record_header, NULL);
    f->value.in_head = false;
    if (f->value.info && f->known) {
        struct pc_cursor c = pc_record_body(record, order);
        struct pc_walk walk;
        size_t excess;
        begin_walk(f, &walk, &f->layout, &c);
        pc_walk_record(&walk, f->value.info, &excess);
    }
    if (f->value.info && f->value.item->type == PC_HEADER_FEATURE && f->seen < record.len &&
        f->seen == PC_FEATURE_HEAD)
        show_content(f, pc_load(record.ptr + PC_RECORD_HEADER_SIZE, 8, order), record, f->seen);
    show_left(f, record, record.len);
    if (f->value.item->joined && !f->stopped)
        show_joined(f);
}

static void show_payload(struct pc_fields *f)
{
    const struct pc_item *item = f->value.item;
    if (item->type == PC_HEADER_TRACING_DATA && item->bytes.len != 0)
        show_content(f, PC_TRACING_DATA, item->bytes, 0);
    else
        show_bytes(f, 0, item->bytes, item->size, "data", "");
}

void pc_fields_skipped(struct pc_fields *f, uint64_t offset, uint64_t length)
{
    size_t n = length < sizeof(f->some) ? (size_t)length : sizeof(f->some);
    n = pc_reader_look(&f->scan->reader, offset, f->some, n);
    f->base = offset;
    f->stopped = false;
    if (n != 0)
        show_bytes(f, 0, (struct pc_span){ f->some, n }, length, "skipped", "");
}

const char *pc_item_name(const struct pc_capture *capture, const struct pc_item *item,
                         char number[PC_NUMBER_NAME])
{
    const struct pc_record_info *info;
    switch (item->kind) {
    case PC_ITEM_HEADER:
        return capture->is_pipe ? "pipe" : "file";
    case PC_ITEM_FEATURE:
        return pc_feature_name(item->number, number);
    case PC_ITEM_RECORD:
        return pc_type_name(item->type, number);
    case PC_ITEM_PAYLOAD:
        info = pc_item_info(item);
        return info ? info->name : NULL;
    case PC_ITEM_ATTR:
    case PC_ITEM_END:
        break;
    }
    return NULL;
}

/* pc_capture_layout of a record that its plan has found sound. */
static bool layout_of_sound(struct pc_fields *f, const struct pc_item *item)
{
    const struct pc_capture *capture = &f->scan->capture;
    const struct pc_attr *attr = &capture->attr[f->attr];
    f->layout = pc_record_layout(&capture->layout[attr->layout]->layout, item->type, item->misc,
                                 capture->mmap2_old == 1);
    return item->type != PC_SAMPLE || pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) >> PC_S_BITS == 0;
}

void pc_fields_begin(struct pc_fields *f, const struct pc_item *item)
{
    bool typed = item->kind == PC_ITEM_RECORD || item->kind == PC_ITEM_PAYLOAD;
    f->value.item = item;
    f->value.info = typed ? pc_item_info(item) : NULL;
    f->value.capture = &f->scan->capture;
    f->item_name = pc_item_name(f->value.capture, item, f->item_number);
    f->base = item->offset;
    f->seen = 0;
    f->stopped = false;
    f->known = true;
    f->attr = pc_scan_attr(f->scan, item);
    if (f->attr != PC_NO_ATTR)
        f->known = layout_of_sound(f, item);
    else if (item->kind == PC_ITEM_RECORD)
        f->known =
            pc_capture_layout(&f->scan->capture, item->type, item->misc, item->bytes, &f->layout, &f->attr);
}

void pc_fields_walk(struct pc_fields *f)
{
    switch (f->value.item->kind) {
    case PC_ITEM_HEADER:
        show_header(f);
        break;
    case PC_ITEM_ATTR:
        show_attr(f);
        break;
    case PC_ITEM_FEATURE:
        show_feature(f);
        break;
    case PC_ITEM_RECORD:
        show_record(f);
        break;
    case PC_ITEM_PAYLOAD:
        show_payload(f);
        break;
    case PC_ITEM_END:
        break;
    }
}

/* SPDX-License-Identifier: MIT
 *
 * The public interface: what differs in the content of two captures, by path. Both are read side by side, so
 * that no records are kept. They differ when the bytes of the digest do, or their plain forms, which see what
 * conversion does.
 */
#include "lib/handle.h"

#include "base/text.h"
#include "bytes/cursor.h"
#include "check/witness_record.h"
#include "write/content.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define BYTES_MAX ((size_t)8)

struct side {
    struct pc_content content;
    struct pc_witness witness; /* of its features */
    perfcheck_t *pc;
    struct pc_scan *scan;
    uint64_t number;     /* records before the current one */
    struct pc_span left; /* of the current payload */
    struct pc_content_item item;
    bool no_memory; /* for a feature */
};

struct diff {
    struct side side[2];
    struct pc_plain plain[2]; /* of the records, or attrs, that are compared */
    perfcheck_on_difference_t *callback;
    void *ctx;
    perfcheck_kind_t kind; /* of what is compared now */
    uint64_t differences;
    struct pc_buffer path, value[2];
    char number[PC_NUMBER_NAME]; /* of a type or a bit without a name */
    struct pc_shown found;       /* of the current search */
};

/* --- where in a structure --- */

/* The leaf that holds the byte at `at`. */
struct search {
    struct diff *d;
    unsigned side;
    const struct pc_item *item;
    size_t at;
    bool found;
    struct pc_shown *shown;
};

static bool find_leaf(void *ctx, const struct pc_leaf *leaf)
{
    struct search *s = ctx;
    struct pc_buffer *path = &s->d->path, *value = &s->d->value[s->side];
    bool bytes = leaf->field->kind == PC_BYTES || leaf->field->kind == PC_REST;
    if (leaf->fault != PC_SOUND)
        return false;
    if (s->at >= leaf->at + leaf->raw.len)
        return true;
    s->found = true;
    if (s->side == 0) {
        if (leaf->walk->depth != 0) {
            pc_put(path, ".");
            pc_put_steps(path, leaf->walk->path, leaf->walk->depth);
        }
        if (leaf->field->name) {
            pc_put(path, ".");
            pc_put(path, leaf->field->name);
        }
    }
    size_t from = s->at > leaf->at && bytes ? s->at - leaf->at : 0;
    if (bytes && s->side == 0)
        pc_put_format(path, "+0x%zx", from);
    if (bytes) {
        struct pc_span some = pc_part(leaf->raw, from, leaf->raw.len - from);
        some.len = some.len < BYTES_MAX ? some.len : BYTES_MAX;
        pc_show_bytes(s->shown, some, some.len, "");
    } else {
        pc_show_leaf(s->shown, leaf);
    }
    pc_put(value, s->shown->value.text);
    return false;
}

/* One at a time. */
static struct search new_search(struct diff *d, unsigned side, const struct pc_item *item, size_t at)
{
    d->found.capture = &d->side[side].scan->capture;
    d->found.item = item;
    return (struct search){ .d = d, .side = side, .item = item, .at = at, .shown = &d->found };
}

/* --- one difference --- */

static void begin(struct diff *d)
{
    pc_buffer_init(&d->path);
    pc_buffer_init(&d->value[0]);
    pc_buffer_init(&d->value[1]);
}

static void end(struct diff *d)
{
    d->differences++;
    if (d->callback)
        d->callback(d->ctx, d->kind, d->path.text, d->value[0].text, d->value[1].text);
}

static void put_numbers(struct diff *d, uint64_t a, uint64_t b)
{
    pc_put_format(&d->value[0], "%" PRIu64, a);
    pc_put_format(&d->value[1], "%" PRIu64, b);
}

/* The first byte in which they differ; the length of the shorter one when there is none. */
static size_t first_difference(struct pc_span a, struct pc_span b)
{
    size_t n = a.len < b.len ? a.len : b.len, i = 0;
    while (i < n && a.ptr[i] == b.ptr[i])
        i++;
    return i;
}

static bool is_equal(struct pc_span a, struct pc_span b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* --- records --- */

/* Walks the record as its capture has it: its fields have the offsets of the canonical record. */
static bool find_in_record(struct diff *d, unsigned side, size_t at)
{
    struct side *s = &d->side[side];
    const struct pc_item *item = &s->item.source;
    struct search search = new_search(d, side, item, at);
    struct pc_layout layout;
    struct pc_walk walk;
    uint32_t attr;
    size_t excess;
    const struct pc_record_info *info = pc_record_info(item->type);
    if (!info || !pc_capture_layout(&s->scan->capture, item->type, item->misc, item->bytes, &layout, &attr))
        return false;
    struct pc_cursor c = pc_record_body(item->bytes, s->scan->capture.order);
    pc_walk_init(&walk, &layout, &c, find_leaf, &search);
    pc_walk_record(&walk, info, &excess);
    return search.found;
}

static struct pc_span body_of(const struct side *s)
{
    return pc_part(s->item.bytes, PC_RECORD_HEADER_SIZE, s->item.bytes.len - PC_RECORD_HEADER_SIZE);
}

static void diff_record(struct diff *d)
{
    struct side *a = &d->side[0], *b = &d->side[1];
    const size_t misc_at = PC_RECORD_MISC_AT;
    begin(d);
    pc_put_format(&d->path, "records[%" PRIu64 "]", a->item.source.number);
    if (a->item.type != b->item.type) {
        pc_put(&d->value[0], pc_type_name(a->item.type, d->number));
        pc_put(&d->value[1], pc_type_name(b->item.type, d->number));
        end(d);
        return;
    }
    pc_put(&d->path, ".");
    pc_put(&d->path, pc_type_name(a->item.type, d->number));
    struct pc_span left = body_of(a), right = body_of(b);
    size_t at = PC_RECORD_HEADER_SIZE + first_difference(left, right);
    bool size = left.len != right.len && (at == a->item.bytes.len || at == b->item.bytes.len);
    if (a->item.source.misc != b->item.source.misc) {
        pc_put(&d->path, ".misc");
        pc_put_format(&d->value[0], "0x%" PRIx64, pc_load(a->item.bytes.ptr + misc_at, 2, PC_LITTLE));
        pc_put_format(&d->value[1], "0x%" PRIx64, pc_load(b->item.bytes.ptr + misc_at, 2, PC_LITTLE));
    } else if (size || !find_in_record(d, 0, at)) {
        pc_put(&d->path, size ? ".size" : ".bytes");
        put_numbers(d, size ? a->item.bytes.len : at, size ? b->item.bytes.len : at);
    } else if (!find_in_record(d, 1, at)) {
        pc_put(&d->value[1], "(not there)");
    }
    end(d);
}

/* The next record or payload that counts, of a side that has no current one. */
static void advance(struct side *s)
{
    if (s->left.len != 0)
        return;
    do {
        if (s->item.kind == PC_CONTENT_RECORD && s->item.type != PC_FINISHED_ROUND)
            s->number++;
        pc_content_next(&s->content, &s->item);
    } while (s->item.kind == PC_CONTENT_RECORD && s->item.type == PC_FINISHED_ROUND);
    if (s->item.kind == PC_CONTENT_PAYLOAD)
        s->left = s->item.bytes;
}

/* Payloads arrive in pieces, which may be cut differently on the two sides. */
static void diff_payload(struct diff *d)
{
    struct side *a = &d->side[0], *b = &d->side[1];
    size_t n = a->left.len < b->left.len ? a->left.len : b->left.len;
    struct pc_span left = pc_part(a->left, 0, n), right = pc_part(b->left, 0, n);
    if (!is_equal(left, right)) {
        size_t at = first_difference(left, right), some = n - at < BYTES_MAX ? n - at : BYTES_MAX;
        struct pc_shown *shown = new_search(d, 0, &a->item.source, 0).shown;
        begin(d);
        pc_put_format(&d->path, "records[%" PRIu64 "].data+0x%" PRIx64, a->item.source.number,
                      a->item.source.offset + (a->item.bytes.len - a->left.len) + at);
        pc_show_bytes(shown, pc_part(left, at, some), some, "");
        pc_put(&d->value[0], shown->value.text);
        pc_show_bytes(shown, pc_part(right, at, some), some, "");
        pc_put(&d->value[1], shown->value.text);
        end(d);
    }
    a->left = pc_part(a->left, n, a->left.len - n);
    b->left = pc_part(b->left, n, b->left.len - n);
}

static void drain(struct side *s)
{
    while (s->item.kind != PC_CONTENT_END) {
        s->left.len = 0;
        advance(s);
    }
}

/* The side whose callback wants no more; NULL: neither does. */
static perfcheck_t *stopped_side(const struct diff *d)
{
    for (unsigned k = 0; k < 2; k++) {
        if (d->side[k].pc->progress.stopped)
            return d->side[k].pc;
    }
    return NULL;
}

static void diff_records(struct diff *d)
{
    struct side *a = &d->side[0], *b = &d->side[1];
    for (;;) {
        advance(a);
        advance(b);
        if (a->item.kind == PC_CONTENT_END || b->item.kind == PC_CONTENT_END || stopped_side(d))
            break;
        if (a->item.kind == PC_CONTENT_PAYLOAD && b->item.kind == PC_CONTENT_PAYLOAD) {
            diff_payload(d);
        } else if (a->item.kind != b->item.kind) {
            a->left.len = b->left.len = 0;
            if (a->item.kind == PC_CONTENT_RECORD || b->item.kind == PC_CONTENT_RECORD)
                diff_record(d);
        } else if (!is_equal(a->item.bytes, b->item.bytes) ||
                   !pc_witness_same(d->plain, &a->scan->capture, &a->item.source, &b->scan->capture,
                                    &b->item.source)) {
            diff_record(d);
        }
    }
    if (stopped_side(d)) /* both end at once */
        a->scan->progress = b->scan->progress = &stopped_side(d)->progress;
    drain(a);
    drain(b);
    if (a->number != b->number) {
        begin(d);
        pc_put(&d->path, "records");
        put_numbers(d, a->number, b->number);
        end(d);
    }
}

/* --- attrs --- */

static bool is_same_attr(struct diff *d, size_t i)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct pc_content *c = &d->side[k].content;
        struct pc_span attr = { c->attr_bytes + c->attr[i].at, c->attr[i].len };
        pc_plain_begin(&d->plain[k]);
        pc_plain_attr(&d->plain[k], attr, c->scan->capture.order);
    }
    return pc_plain_equal(&d->plain[0], &d->plain[1]);
}

static void diff_attr(struct diff *d, size_t i)
{
    struct pc_span attr[2];
    for (unsigned k = 0; k < 2; k++)
        attr[k] = pc_content_attr(&d->side[k].content, i);
    if (is_equal(attr[0], attr[1]) && is_same_attr(d, i))
        return;
    begin(d);
    pc_put_format(&d->path, "attrs[%zu]", i);
    for (unsigned k = 0; k < 2; k++) {
        struct pc_item item = { .kind = PC_ITEM_ATTR };
        struct search s = new_search(d, k, &item, first_difference(attr[0], attr[1]));
        struct pc_cursor c = pc_cursor(attr[k], PC_LITTLE);
        struct pc_walk walk;
        pc_walk_init(&walk, NULL, &c, find_leaf, &s);
        pc_walk_table(&walk, pc_attr_fields);
    }
    end(d);
}

static void diff_ids(struct diff *d, size_t i)
{
    const struct pc_content *a = &d->side[0].content, *b = &d->side[1].content;
    const struct pc_content_attr *left = &a->attr[i], *right = &b->attr[i];
    begin(d);
    if (left->nr_ids != right->nr_ids) {
        pc_put_format(&d->path, "attrs[%zu].ids", i);
        put_numbers(d, left->nr_ids, right->nr_ids);
        end(d);
        return;
    }
    for (size_t k = 0; k < left->nr_ids; k++) {
        if (a->ids[left->ids + k] == b->ids[right->ids + k])
            continue;
        pc_put_format(&d->path, "attrs[%zu].ids[%zu]", i, k);
        put_numbers(d, a->ids[left->ids + k], b->ids[right->ids + k]);
        end(d);
        return;
    }
}

static const char *name_of(const struct side *s, size_t i)
{
    const char *name = i < s->scan->capture.nr_attrs ? s->scan->capture.attr[i].name : NULL;
    return name ? name : "none";
}

/* Records about events that readers did not know yet. */
static void diff_events(struct diff *d)
{
    struct pc_content *a = &d->side[0].content, *b = &d->side[1].content;
    bool late[2] = { a->parts.attr_after_update, b->parts.attr_after_update };
    if (!late[0] && !late[1])
        return;
    const struct pc_parts *left = pc_content_parts(a), *right = pc_content_parts(b);
    uint64_t from, to;
    if (late[0] == late[1] && !pc_marks_part(&left->updates, &right->updates, &from, &to) &&
        !pc_marks_part(&left->names, &right->names, &from, &to))
        return;
    begin(d);
    pc_put(&d->path, "attrs");
    for (unsigned k = 0; k < 2; k++)
        pc_put(&d->value[k], late[k] ? "after records with their ids" : "before all records");
    end(d);
    for (size_t i = 0; i < a->nr_attrs && i < b->nr_attrs; i++) {
        if (strcmp(name_of(&d->side[0], i), name_of(&d->side[1], i)) == 0)
            continue;
        begin(d);
        pc_put_format(&d->path, "attrs[%zu].name", i);
        for (unsigned k = 0; k < 2; k++)
            pc_put_escaped(&d->value[k], name_of(&d->side[k], i), false);
        end(d);
    }
}

static void diff_attrs(struct diff *d)
{
    struct pc_content *a = &d->side[0].content, *b = &d->side[1].content;
    uint64_t size = a->attr_size > b->attr_size ? a->attr_size : b->attr_size;
    a->own.attr_size = b->own.attr_size = size > PC_ATTR_SIZE_KNOWN ? size : PC_ATTR_SIZE_KNOWN;
    for (size_t i = 0; i < a->nr_attrs && i < b->nr_attrs; i++) {
        diff_attr(d, i);
        diff_ids(d, i);
    }
    if (a->nr_attrs != b->nr_attrs) {
        begin(d);
        pc_put(&d->path, "attrs");
        put_numbers(d, a->nr_attrs, b->nr_attrs);
        end(d);
    }
    diff_events(d);
}

/* --- features --- */

struct collected {
    unsigned char *bytes;
    size_t len, cap;
};

static void collect(void *ctx, const unsigned char *bytes, size_t n)
{
    struct collected *c = ctx;
    if (n > c->cap - c->len)
        n = c->cap - c->len;
    memcpy(c->bytes + c->len, bytes, n);
    c->len += n;
}

/* The bytes of a feature; false: there is no memory for them. */
static bool load_feature(struct side *s, uint64_t bit, struct collected *c)
{
    uint64_t size = pc_content_size(&s->content, bit);
    *c = (struct collected){ 0 };
    if (size == 0)
        return false;
    c->bytes = pc_alloc(&s->scan->mem, size);
    c->cap = c->bytes ? (size_t)size : 0;
    bool loaded = c->bytes && pc_content_feature(&s->content, bit, collect, c) && c->len == size;
    s->no_memory |= !loaded;
    return loaded;
}

static void find_in_feature(struct diff *d, unsigned side, uint64_t bit, struct pc_span bytes, size_t at)
{
    const struct pc_capture *capture = &d->side[side].scan->capture;
    const struct pc_field *fields = pc_feature_fields(bit, bytes);
    struct pc_layout layout = pc_capture_feature_layout(capture);
    struct pc_item item = { .kind = PC_ITEM_FEATURE, .number = bit };
    struct search s = new_search(d, side, &item, at);
    struct pc_cursor c = pc_cursor(bytes, PC_LITTLE);
    struct pc_walk walk;
    if (fields && pc_capture_can_walk(capture, bit)) {
        pc_walk_init(&walk, &layout, &c, find_leaf, &s);
        pc_walk_table(&walk, fields);
    }
    if (!s.found)
        pc_put_format(&d->value[side], "%zu bytes", bytes.len);
}

static void diff_feature(struct diff *d, uint64_t bit)
{
    struct collected c[2];
    bool there[2], loaded = true;
    begin(d);
    pc_put(&d->path, "features.");
    pc_put(&d->path, pc_feature_name(bit, d->number));
    for (unsigned k = 0; k < 2; k++) {
        there[k] = pc_bit(d->side[k].content.parts.present, bit);
        c[k] = (struct collected){ 0 };
    }
    if (!there[0] || !there[1]) {
        for (unsigned k = 0; k < 2; k++)
            pc_put(&d->value[k], there[k] ? "there" : "not there");
    } else {
        for (unsigned k = 0; k < 2; k++)
            loaded &= load_feature(&d->side[k], bit, &c[k]);
        struct pc_span a = { c[0].bytes, c[0].len }, b = { c[1].bytes, c[1].len };
        for (unsigned k = 0; k < 2 && loaded; k++)
            find_in_feature(d, k, bit, k ? b : a, first_difference(a, b));
    }
    for (unsigned k = 0; k < 2; k++)
        pc_free(&d->side[k].scan->mem, c[k].bytes, c[k].cap);
    end(d);
}

static void diff_features(struct diff *d)
{
    const struct pc_content *a = &d->side[0].content, *b = &d->side[1].content;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        bool there = pc_bit(a->parts.present, bit);
        if (there != pc_bit(b->parts.present, bit) ||
            (there && !pc_sum_equal(&a->parts.feature[bit], &b->parts.feature[bit])) ||
            !pc_witness_same_feature(&d->side[0].witness, &d->side[1].witness, bit))
            diff_feature(d, bit);
    }
}

/* --- both --- */

static void begin_side(struct side *s, perfcheck_t *pc)
{
    s->pc = pc;
    s->scan = &pc->scan;
    s->item = (struct pc_content_item){ .kind = PC_CONTENT_PAYLOAD };
    pc_content_init(&s->content, s->scan, PC_LITTLE, true, NULL);
    s->content.own.lenient = true;
    pc_witness_init(&s->witness, &s->scan->mem);
    s->content.witness = &s->witness;
}

/* The capture is at its end: PERFCHECK_OK when it could be compared. */
static perfcheck_status_t end_side(struct side *s)
{
    perfcheck_t *pc = s->pc;
    pc->stage = PC_HANDLE_ENDED;
    if (pc_content_is_whole(&s->content))
        return pc_handle_good(pc);
    return s->scan->report.unreadable ? pc_handle_fail(pc, PERFCHECK_IO, "the capture cannot be read")
                                      : pc_handle_fail(pc, PERFCHECK_REFUSED, "the capture has errors");
}

static perfcheck_status_t diff(struct diff *d, perfcheck_t *a, perfcheck_t *b)
{
    begin_side(&d->side[0], a);
    begin_side(&d->side[1], b);
    b->scan.progress = NULL; /* it keeps up with the other one */
    pc_progress_begin(a->scan.progress, "comparing");
    d->kind = PERFCHECK_RECORD;
    pc_plain_init(&d->plain[0], &a->scan.mem);
    pc_plain_init(&d->plain[1], &b->scan.mem);
    diff_records(d);
    perfcheck_status_t status = end_side(&d->side[0]), other = end_side(&d->side[1]);
    status = other < status ? other : status;
    perfcheck_t *stopped = stopped_side(d);
    if (stopped) {
        pc_handle_good(a);
        pc_handle_good(b);
        status = pc_handle_fail(stopped, PERFCHECK_STOPPED, PC_HANDLE_STOPPED);
    }
    if (status == PERFCHECK_OK) {
        d->kind = PERFCHECK_ATTR;
        diff_attrs(d);
        d->kind = PERFCHECK_FEATURE;
        diff_features(d);
        for (unsigned k = 0; k < 2; k++)
            d->side[k].no_memory |= d->plain[k].no_memory || d->side[k].witness.no_memory;
        if (d->side[0].no_memory || d->side[1].no_memory)
            status = pc_handle_fail(a, PERFCHECK_NO_MEMORY, pc_text_error(ENOMEM));
        struct pc_sum one = pc_content_digest(&d->side[0].content),
                      two = pc_content_digest(&d->side[1].content);
        assert(d->differences != 0 || pc_sum_equal(&one, &two));
    }
    for (unsigned k = 0; k < 2; k++) {
        pc_plain_clear(&d->plain[k]);
        pc_witness_clear(&d->side[k].witness);
        pc_content_clear(&d->side[k].content);
    }
    return status;
}

perfcheck_status_t perfcheck_diff(perfcheck_t *a, perfcheck_t *b, perfcheck_on_difference_t *callback,
                                  void *ctx)
{
    struct pc_mem mem;
    if (!a || !b)
        return PERFCHECK_MISUSE;
    if (a == b || a->stage != PC_HANDLE_OPEN || b->stage != PC_HANDLE_OPEN)
        return pc_handle_fail(a, PERFCHECK_MISUSE, "two captures are needed, of which nothing was read");
    pc_mem_init(&mem, sizeof(struct diff));
    struct diff *d = pc_alloc(&mem, sizeof(*d));
    if (!d)
        return pc_handle_fail(a, PERFCHECK_NO_MEMORY, pc_text_error(ENOMEM));
    d->callback = callback;
    d->ctx = ctx;
    perfcheck_status_t status = diff(d, a, b);
    pc_free(&mem, d, sizeof(*d));
    return status;
}

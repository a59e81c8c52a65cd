/* SPDX-License-Identifier: MIT
 *
 * The public interface: what differs in the content of two captures, by path. Both are read side by side, so
 * that no records are kept. They differ when the bytes of the digest do, or their plain forms, which see what
 * conversion does.
 */
#include "lib/diff.h"

#include "base/text.h"
#include "bytes/cursor.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* --- attrs --- */

static bool is_same_attr(struct pc_diff *d, size_t i)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct pc_content *c = &d->side[k].content;
        struct pc_span attr = { c->attr_bytes + c->attr[i].at, c->attr[i].len };
        pc_plain_begin(&d->plain[k]);
        pc_plain_attr(&d->plain[k], attr, c->scan->capture.order);
    }
    return pc_plain_equal(&d->plain[0], &d->plain[1]);
}

static void diff_attr(struct pc_diff *d, size_t i)
{
    struct pc_span attr[2];
    for (unsigned k = 0; k < 2; k++)
        attr[k] = pc_content_attr(&d->side[k].content, i);
    if (pc_diff_is_equal(attr[0], attr[1]) && is_same_attr(d, i))
        return;
    pc_diff_begin(d);
    pc_put_format(&d->path, "attrs[%zu]", i);
    for (unsigned k = 0; k < 2; k++) {
        struct pc_item item = { .kind = PC_ITEM_ATTR };
        struct pc_diff_search s = pc_diff_begin_search(d, k, &item, pc_diff_first(attr[0], attr[1]));
        struct pc_cursor c = pc_cursor(attr[k], PC_LITTLE);
        struct pc_walk walk;
        pc_walk_init(&walk, NULL, &c, pc_diff_find_leaf, &s);
        pc_walk_table(&walk, pc_attr_fields);
    }
    pc_diff_end(d);
}

static void diff_ids(struct pc_diff *d, size_t i)
{
    const struct pc_content *a = &d->side[0].content, *b = &d->side[1].content;
    const struct pc_content_attr *left = &a->attr[i], *right = &b->attr[i];
    pc_diff_begin(d);
    if (left->nr_ids != right->nr_ids) {
        pc_put_format(&d->path, "attrs[%zu].ids", i);
        pc_diff_put_numbers(d, left->nr_ids, right->nr_ids);
        pc_diff_end(d);
        return;
    }
    for (size_t k = 0; k < left->nr_ids; k++) {
        if (a->ids[left->ids + k] == b->ids[right->ids + k])
            continue;
        pc_put_format(&d->path, "attrs[%zu].ids[%zu]", i, k);
        pc_diff_put_numbers(d, a->ids[left->ids + k], b->ids[right->ids + k]);
        pc_diff_end(d);
        return;
    }
}

static const char *name_of(const struct pc_diff_side *s, size_t i)
{
    const char *name = i < s->scan->capture.nr_attrs ? s->scan->capture.attr[i].name : NULL;
    return name ? name : "none";
}

/* Records about events that readers did not know yet. */
static void diff_events(struct pc_diff *d)
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
    pc_diff_begin(d);
    pc_put(&d->path, "attrs");
    for (unsigned k = 0; k < 2; k++)
        pc_put(&d->value[k], late[k] ? "after records with their ids" : "before all records");
    pc_diff_end(d);
    for (size_t i = 0; i < a->nr_attrs && i < b->nr_attrs; i++) {
        if (strcmp(name_of(&d->side[0], i), name_of(&d->side[1], i)) == 0)
            continue;
        pc_diff_begin(d);
        pc_put_format(&d->path, "attrs[%zu].name", i);
        for (unsigned k = 0; k < 2; k++)
            pc_put_escaped(&d->value[k], name_of(&d->side[k], i), false);
        pc_diff_end(d);
    }
}

static void diff_attrs(struct pc_diff *d)
{
    struct pc_content *a = &d->side[0].content, *b = &d->side[1].content;
    uint64_t size = a->attr_size > b->attr_size ? a->attr_size : b->attr_size;
    a->own.attr_size = b->own.attr_size = size > PC_ATTR_SIZE_KNOWN ? size : PC_ATTR_SIZE_KNOWN;
    for (size_t i = 0; i < a->nr_attrs && i < b->nr_attrs; i++) {
        diff_attr(d, i);
        diff_ids(d, i);
    }
    if (a->nr_attrs != b->nr_attrs) {
        pc_diff_begin(d);
        pc_put(&d->path, "attrs");
        pc_diff_put_numbers(d, a->nr_attrs, b->nr_attrs);
        pc_diff_end(d);
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
static bool load_feature(struct pc_diff_side *s, uint64_t bit, struct collected *c)
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

static void find_in_feature(struct pc_diff *d, unsigned side, uint64_t bit, struct pc_span bytes, size_t at)
{
    const struct pc_capture *capture = &d->side[side].scan->capture;
    const struct pc_field *fields = pc_feature_fields(bit, bytes);
    struct pc_layout layout = pc_capture_feature_layout(capture);
    struct pc_item item = { .kind = PC_ITEM_FEATURE, .number = bit };
    struct pc_diff_search s = pc_diff_begin_search(d, side, &item, at);
    struct pc_cursor c = pc_cursor(bytes, PC_LITTLE);
    struct pc_walk walk;
    if (fields && pc_capture_can_walk(capture, bit)) {
        pc_walk_init(&walk, &layout, &c, pc_diff_find_leaf, &s);
        pc_walk_table(&walk, fields);
    }
    if (!s.found)
        pc_put_format(&d->value[side], "%zu bytes", bytes.len);
}

static void diff_feature(struct pc_diff *d, uint64_t bit)
{
    struct collected c[2];
    bool there[2], loaded = true;
    pc_diff_begin(d);
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
            find_in_feature(d, k, bit, k ? b : a, pc_diff_first(a, b));
    }
    for (unsigned k = 0; k < 2; k++)
        pc_free(&d->side[k].scan->mem, c[k].bytes, c[k].cap);
    pc_diff_end(d);
}

static void diff_features(struct pc_diff *d)
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

static void begin_side(struct pc_diff_side *s, perfcheck_t *pc)
{
    s->pc = pc;
    s->scan = &pc->scan;
    s->item = (struct pc_content_item){ .kind = PC_CONTENT_PAYLOAD };
    pc_content_init(&s->content, s->scan, PC_LITTLE, true, NULL);
    s->content.own.lenient = s->content.in_batches = s->content.no_sum = true;
    pc_witness_init(&s->witness, &s->scan->mem);
    s->content.witness = &s->witness;
}

/* The capture is at its end: PERFCHECK_OK when it could be compared. */
static perfcheck_status_t end_side(struct pc_diff_side *s)
{
    perfcheck_t *pc = s->pc;
    pc->stage = PC_HANDLE_ENDED;
    if (pc_content_is_whole(&s->content))
        return pc_handle_good(pc);
    return s->scan->report.unreadable ? pc_handle_fail(pc, PERFCHECK_IO, "the capture cannot be read")
                                      : pc_handle_fail(pc, PERFCHECK_REFUSED, "the capture has errors");
}

static perfcheck_status_t diff(struct pc_diff *d, perfcheck_t *a, perfcheck_t *b)
{
    begin_side(&d->side[0], a);
    begin_side(&d->side[1], b);
    b->scan.progress = NULL; /* it keeps up with the other one */
    pc_progress_begin(a->scan.progress, "comparing");
    d->kind = PERFCHECK_RECORD;
    pc_plain_init(&d->plain[0], &a->scan.mem);
    pc_plain_init(&d->plain[1], &b->scan.mem);
    pc_diff_records(d);
    perfcheck_status_t status = end_side(&d->side[0]), other = end_side(&d->side[1]);
    status = other < status ? other : status;
    perfcheck_t *stopped = pc_diff_stopped(d);
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
    pc_mem_init(&mem, sizeof(struct pc_diff) + PC_MEM_LINE);
    struct pc_diff *d = pc_alloc_line(&mem, sizeof(*d));
    if (!d)
        return pc_handle_fail(a, PERFCHECK_NO_MEMORY, pc_text_error(ENOMEM));
    d->callback = callback;
    d->ctx = ctx;
    perfcheck_status_t status = diff(d, a, b);
    pc_free_line(&mem, d, sizeof(*d));
    return status;
}

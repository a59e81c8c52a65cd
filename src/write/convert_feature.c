/* SPDX-License-Identifier: MIT
 *
 * Canonical features. Strings may change their size, so the bytes are appended to an output.
 */
#include "format/payload.h"
#include "write/convert.h"
#include "write/convert_leaf.h"

#include <string.h>

/* So many bytes of a feature are collected before they are handed over. */
#define FEATURE_ROOM ((size_t)64 << 10)
/* tools/perf/util/header.c: NAME_ALIGN */
#define NAME_ALIGN ((uint64_t)64)

/* A feature that is converted. */
struct feature {
    struct pc_convert *c;
    uint64_t bit;
    pc_take_bytes *take;
    void *ctx;
    size_t len;     /* bytes of c->out that were not taken yet */
    size_t covered; /* of the content: up to here leaves were shown */
    unsigned depth;
    size_t frame[PC_PATH_MAX]; /* where the open frames begin in c->out */
    size_t slot_out[PC_SLOTS]; /* where the words of slots are in c->out, plus 1; 0: nowhere */
    uint8_t slot_width[PC_SLOTS];
};

static void hand_over(struct feature *f)
{
    struct pc_convert *c = f->c;
    if (f->len != 0)
        f->take(f->ctx, c->out, f->len);
    f->len = 0;
    memset(f->slot_out, 0, sizeof(f->slot_out));
}

/* n more bytes of `out`; NULL: no memory. */
static unsigned char *more(struct feature *f, uint64_t n)
{
    struct pc_convert *c = f->c;
    if (f->depth == 0 && f->len >= FEATURE_ROOM)
        hand_over(f);
    if (n > c->cap - f->len) {
        uint64_t wanted = 2 * (f->len + n);
        wanted = wanted < 2 * FEATURE_ROOM ? 2 * FEATURE_ROOM : wanted;
        unsigned char *moved = pc_resize(c->mem, c->out, c->cap, wanted);
        if (!moved) {
            pc_convert_stop(c, PC_CONVERT_NO_MEMORY, 0, 0, NULL);
            return NULL;
        }
        c->out = moved;
        c->cap = (size_t)wanted;
    }
    unsigned char *p = c->out + f->len;
    f->len += (size_t)n;
    return p;
}

/* A string with room of its own choice: `head` bytes in front of it, then text, NUL, and zeros to a multiple,
 * or to the most that its row allows. */
static bool put_string(struct feature *f, const struct pc_leaf *leaf, size_t head, uint64_t align)
{
    struct pc_convert *c = f->c;
    const struct pc_field *field = leaf->field;
    uint64_t room = (leaf->value / align + 1) * align;
    if (field->rule == PC_RULE_MAX && room > field->arg && !c->for_digest)
        room = field->arg;
    unsigned char *p = more(f, head + room);
    if (!p)
        return false;
    memset(p, 0, (size_t)(head + room));
    if (head != 0)
        pc_store(p, (unsigned)head, room, c->to);
    if (leaf->value != 0)
        memcpy(p + head, leaf->raw.ptr + head, (size_t)leaf->value);
    return true;
}

/* The data of a BPF program, whose arrays its info describes. */
static bool put_bpf_data(struct feature *f, const struct pc_leaf *leaf, unsigned char *to)
{
    struct pc_convert *c = f->c;
    const struct pc_walk *walk = leaf->walk;
    size_t info_len = (size_t)walk->slot[PC_BPF_INFO_LEN];
    struct pc_span info = pc_part(walk->c->in, leaf->at - info_len, info_len);
    if (pc_convert_same_order(c) ||
        pc_bpf_data_swap(info, walk->slot[PC_BPF_ARRAYS_THERE], c->capture->order, to, leaf->raw.len))
        return true;
    return c->lenient ||
           pc_convert_stop(c, PC_CONVERT_UNKNOWN, leaf->at, leaf->raw.len,
                           "arrays of a BPF program that lie outside its data or on each other");
}

/* Text of any length needs no copy. */
static bool is_large(const struct feature *f, const struct pc_leaf *leaf)
{
    return f->depth == 0 && leaf->raw.len > FEATURE_ROOM && pc_convert_content_of(leaf) == leaf->raw.len &&
           leaf->field->kind == PC_TEXT;
}

static bool feature_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct feature *f = ctx;
    struct pc_convert *c = f->c;
    const struct pc_field *field = leaf->field;
    if (leaf->fault != PC_SOUND)
        return pc_convert_stop(c, PC_CONVERT_DAMAGED, leaf->at, leaf->raw.len, "its fields do not fit");
    f->covered = leaf->at + leaf->raw.len;
    if (field->kind == PC_HSTR)
        return put_string(f, leaf, 4, NAME_ALIGN);
    if (field->flags & PC_PADDED_8)
        return put_string(f, leaf, 0, 8);
    if ((field->flags & PC_UNKNOWN) && f->bit == PC_EVENT_DESC && f->depth == 1) {
        /* After an attr, in the room that all of them have: it belongs to no attr. */
        size_t first = pc_first_nonzero(leaf->raw);
        return first == leaf->raw.len || c->lenient ||
               pc_convert_stop(c, PC_CONVERT_UNKNOWN, leaf->at + first, leaf->raw.len - first,
                               "bytes after an attr");
    }
    if ((field->flags & PC_UNKNOWN) && !pc_convert_may_keep(c, leaf->raw, leaf->at))
        return false;
    if (is_large(f, leaf)) {
        hand_over(f);
        f->take(f->ctx, leaf->raw.ptr, leaf->raw.len);
        return true;
    }
    unsigned char *p = more(f, leaf->raw.len);
    if (!p)
        return false;
    if (leaf->raw.len != 0)
        memcpy(p, leaf->raw.ptr, leaf->raw.len);
    pc_convert_store_leaf(c, leaf, p);
    if (field->save && !(field->flags & PC_ATTR_BYTES)) {
        f->slot_out[field->save] = (size_t)(p - c->out) + 1;
        f->slot_width[field->save] = field->width;
    }
    if (f->bit == PC_BPF_PROG_INFO && field->save == PC_BPF_DATA)
        return put_bpf_data(f, leaf, p);
    return true;
}

static bool enter_frame(void *ctx, const struct pc_leaf *whole)
{
    struct feature *f = ctx;
    (void)whole;
    assert(f->depth < PC_PATH_MAX);
    f->frame[f->depth++] = f->len;
    return true;
}

/* An attr gets the size of all of them, less what is zero and unknown; else the frame says how long it
 * became. */
static bool leave_frame(void *ctx, const struct pc_leaf *whole)
{
    struct feature *f = ctx;
    struct pc_convert *c = f->c;
    const struct pc_field *field = whole->field;
    size_t start = f->frame[--f->depth], len = f->len - start;
    if (field->sub == pc_attr_fields) {
        uint64_t wanted = c->attr_size;
        if (c->for_digest) {
            while (len > PC_ATTR_SIZE_KNOWN && c->out[start + len - 1] == 0)
                len--;
            wanted = pc_align8(len > PC_ATTR_SIZE_KNOWN ? len : PC_ATTR_SIZE_KNOWN);
        }
        if (len > wanted) {
            struct pc_span cut = { c->out + start + wanted, (size_t)(len - wanted) };
            if (pc_first_nonzero(cut) != cut.len)
                return pc_convert_stop(c, PC_CONVERT_UNKNOWN, whole->at, whole->raw.len,
                                       "members that are set");
            len = (size_t)wanted;
        }
        f->len = start + len;
        unsigned char *p = more(f, wanted - len);
        if (p)
            memset(p, 0, (size_t)(wanted - len));
        return p != NULL;
    }
    size_t at = field->count ? f->slot_out[field->count] : 0;
    if (at != 0 && len != whole->raw.len)
        pc_store(c->out + at - 1, f->slot_width[field->count], len + field->arg, c->to);
    return true;
}

/* Content that is not walked: what follows the table, or all of it. */
static void put_rest(struct feature *f, struct pc_span content)
{
    struct pc_convert *c = f->c;
    struct pc_span rest = pc_part(content, f->covered, content.len - f->covered);
    bool padding = rest.len < 8 && pc_first_nonzero(rest) == rest.len && f->covered != 0;
    if (rest.len == 0 || padding || !pc_convert_may_keep(c, rest, f->covered))
        return;
    hand_over(f);
    f->take(f->ctx, rest.ptr, rest.len);
    c->rest = rest.len;
}

enum pc_outcome pc_convert_feature(struct pc_convert *c, uint64_t bit, struct pc_span content,
                                   pc_take_bytes *take, void *ctx)
{
    const struct pc_field *fields = pc_feature_fields(bit, content);
    struct pc_layout layout = pc_capture_feature_layout(c->capture);
    struct pc_cursor in = pc_cursor(content, c->capture->order);
    struct feature f = { .c = c, .bit = bit, .take = take, .ctx = ctx };
    struct pc_walk walk;
    c->rest = 0;
    c->outcome = PC_CONVERTED;
    if (fields && content.len != 0 && pc_capture_can_walk(c->capture, bit)) {
        pc_walk_init(&walk, &layout, &in, feature_visit, &f);
        walk.bulk = true;
        walk.enter = enter_frame;
        walk.leave = leave_frame;
        pc_walk_table(&walk, fields);
    }
    if (c->outcome == PC_CONVERTED)
        put_rest(&f, content);
    if (c->outcome == PC_CONVERTED)
        hand_over(&f);
    return c->outcome;
}

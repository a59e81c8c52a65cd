/* SPDX-License-Identifier: MIT */
#include "check/plain.h"

#include "bytes/cursor.h"

#include <string.h>

#define ROOM ((size_t)64 << 10)

void pc_plain_init(struct pc_plain *p, struct pc_mem *mem)
{
    *p = (struct pc_plain){ .mem = mem };
}

void pc_plain_clear(struct pc_plain *p)
{
    pc_free(p->mem, p->bytes, p->bytes ? ROOM : 0);
    p->bytes = NULL;
}

void pc_plain_begin(struct pc_plain *p)
{
    if (!p->bytes && !(p->bytes = pc_alloc_buffer(p->mem, ROOM)))
        p->no_memory = true;
    p->len = 0;
    p->hashed = p->zeros = p->attr_size = 0;
    p->not_zero = p->unknown = false;
}

static void hash_all(struct pc_plain *p)
{
    if (p->hashed == 0)
        pc_hash_init(&p->hash);
    pc_hash_put(&p->hash, p->bytes, p->len);
    p->hashed += p->len;
    p->len = 0;
}

static unsigned char *room_for(struct pc_plain *p, size_t n)
{
    if (n > ROOM - p->len)
        hash_all(p);
    unsigned char *to = p->bytes + p->len;
    p->len += n;
    return to;
}

void pc_plain_bytes(struct pc_plain *p, const unsigned char *bytes, size_t n)
{
    while (n != 0 && !p->no_memory) {
        size_t some = n < ROOM ? n : ROOM;
        memcpy(room_for(p, some), bytes, some);
        bytes += some;
        n -= some;
    }
}

void pc_plain_uint(struct pc_plain *p, uint64_t value)
{
    if (!p->no_memory)
        pc_store(room_for(p, 8), 8, value, PC_LITTLE);
}

static void put_counted(struct pc_plain *p, struct pc_span bytes)
{
    pc_plain_uint(p, bytes.len);
    pc_plain_bytes(p, bytes.ptr, bytes.len);
}

/* Integers of one width, each by itself. */
static void put_array(struct pc_plain *p, struct pc_span bytes, unsigned width, enum pc_order order)
{
    for (size_t at = 0; at + width <= bytes.len && !p->no_memory; at += width)
        pc_store(room_for(p, width), width, pc_load(bytes.ptr + at, width, order), PC_LITTLE);
}

/* Bytes of an attr, of which the zeros at its end do not count. */
static void put_of_attr(struct pc_plain *p, const unsigned char *bytes, size_t n)
{
    static const unsigned char zero;
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == 0) {
            p->zeros++;
            continue;
        }
        for (; p->zeros != 0; p->zeros--)
            pc_plain_bytes(p, &zero, 1);
        pc_plain_bytes(p, bytes + i, 1);
    }
}

bool pc_plain_equal(struct pc_plain *a, struct pc_plain *b)
{
    if (a->no_memory || b->no_memory)
        return false;
    if (a->hashed == 0 && b->hashed == 0)
        return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
    struct pc_sum left = pc_plain_sum(a), right = pc_plain_sum(b);
    return pc_sum_equal(&left, &right);
}

struct pc_sum pc_plain_sum(struct pc_plain *p)
{
    if (!p->no_memory)
        hash_all(p);
    return pc_hash_sum(&p->hash);
}

/* --- leaves --- */

struct plain_walk {
    struct pc_plain *p;
    const struct pc_tracepoint *format; /* of a payload; NULL: nothing describes it */
    enum pc_order payload;
    bool in_attr;
    bool sizes_follow; /* frames say how long they are by words of their own */
    uint64_t bit;      /* of a feature */
    bool grows;        /* zeros between the fields and the trailer have no place: see PC_D_RECORD_GROWN */
    bool fault;
    size_t covered; /* up to here leaves were shown */
};

static void expect_zeros(struct pc_plain *p, struct pc_span bytes)
{
    p->not_zero |= pc_first_nonzero(bytes) != bytes.len;
}

/* The room of a string of a feature: the next multiple that has a NUL too, or the most that its row allows.
 */
static void expect_room(struct pc_plain *p, const struct pc_field *field, uint64_t room, uint64_t len,
                        uint64_t align)
{
    uint64_t wanted = (len / align + 1) * align;
    if (field->rule == PC_RULE_MAX && wanted > field->arg)
        wanted = field->arg;
    p->not_zero |= room != wanted;
}

/* Text up to its NUL, and what fills its room. */
static void put_text(struct pc_plain *p, struct pc_span area, size_t len)
{
    put_counted(p, pc_part(area, 0, len));
    expect_zeros(p, pc_part(area, len, area.len - len));
}

size_t pc_plain_string_end(const struct pc_leaf *leaf)
{
    size_t len = leaf->raw.len, end = (size_t)pc_align8(leaf->value + 1);
    return (leaf->field->flags & PC_UNPADDED) || len % 8 != 0 || end > len ? len : end;
}

/* Bytes that no table explains, unless they are zeros. */
static void put_rest(struct pc_plain *p, struct pc_span bytes)
{
    if (pc_first_nonzero(bytes) != bytes.len) {
        p->unknown = true;
        put_counted(p, bytes);
    }
}

/* The same behind the padding of a string, or behind the fields: a canonical record has no zeros there. */
static void put_surplus(struct pc_plain *p, struct pc_span bytes)
{
    p->not_zero |= bytes.len != 0 && pc_first_nonzero(bytes) == bytes.len;
    put_rest(p, bytes);
}

/* The elements of each field by themselves; other bytes as they are. */
static void put_payload(struct plain_walk *w, struct pc_span raw)
{
    struct pc_plain *p = w->p;
    const struct pc_tracepoint *format = w->format;
    if (format->end > raw.len || raw.len > ROOM || p->no_memory) {
        put_counted(p, raw);
        return;
    }
    pc_plain_uint(p, raw.len);
    unsigned char *to = room_for(p, raw.len);
    memcpy(to, raw.ptr, raw.len);
    for (uint32_t i = 0; i < format->nr_fields; i++) {
        const struct pc_tp_field *f = &format->field[i];
        size_t from = f->offset, end = f->cls == PC_TP_FLEXIBLE ? raw.len : from + f->size;
        bool words = f->cls == PC_TP_DATA_LOC || f->cls == PC_TP_REL_LOC;
        unsigned width = words ? 4 : f->cls == PC_TP_TEXT || f->element == 0 ? 1 : f->element;
        for (; from + width <= end; from += width) {
            uint64_t word = pc_load(raw.ptr + from, width, w->payload);
            pc_store(to + from, width, word, PC_LITTLE);
            size_t data = (size_t)(word & 0xffff) + (f->cls == PC_TP_REL_LOC ? from + 4 : 0);
            size_t data_end = data + (size_t)(word >> 16 & 0xffff);
            for (; words && f->element > 1 && data + f->element <= data_end && data_end <= raw.len;
                 data += f->element)
                pc_store(to + data, f->element, pc_load(raw.ptr + data, f->element, w->payload), PC_LITTLE);
        }
    }
}

/* Where the next array begins at or after `at`; NULL: there is none. */
static const struct pc_bpf_place *next_array(const struct pc_bpf_place *places, uint64_t there, uint64_t at)
{
    const struct pc_bpf_place *next = NULL;
    for (size_t i = 0; i < PC_BPF_ARRAYS; i++) {
        bool is_one = (there >> i & 1) && pc_bpf_is_told(&places[i]) && pc_bpf_arrays[i].word > 1 &&
                      places[i].start >= at && places[i].count != 0;
        if (is_one && (!next || places[i].start < next->start))
            next = &places[i];
    }
    return next;
}

/* The data of a BPF program: its arrays of integers are where its info says. */
static void put_bpf_data(struct pc_plain *p, const struct pc_leaf *leaf)
{
    const struct pc_walk *walk = leaf->walk;
    struct pc_bpf_place places[PC_BPF_ARRAYS];
    size_t info_len = (size_t)walk->slot[PC_BPF_INFO_LEN], at = 0;
    pc_bpf_find_arrays(pc_part(walk->c->in, leaf->at - info_len, info_len), walk->c->order, places);
    pc_plain_uint(p, leaf->raw.len);
    while (at < leaf->raw.len) {
        const struct pc_bpf_place *next = next_array(places, walk->slot[PC_BPF_ARRAYS_THERE], at);
        size_t left = leaf->raw.len - at;
        size_t before = next && next->start - at < left ? (size_t)next->start - at : left;
        pc_plain_bytes(p, leaf->raw.ptr + at, before);
        at += before;
        if (!next || at == leaf->raw.len)
            break;
        left -= before;
        uint64_t size = 0;
        bool fits = pc_mul(next->count, next->element, &size) && size <= left && size != 0;
        unsigned word = pc_bpf_arrays[next - places].word;
        if (!fits || size % word != 0) {
            pc_plain_bytes(p, leaf->raw.ptr + at, left);
            break;
        }
        put_array(p, pc_part(leaf->raw, at, (size_t)size), word, walk->c->order);
        at += (size_t)size;
    }
}

/* Whether the number is that of the bytes in a frame, which has what counts. */
static bool is_size_of_frame(const struct pc_field *number)
{
    const struct pc_field *row = number + 1;
    while (row->kind != PC_END && !(row->kind == PC_FRAME && row->count == number->save))
        row++;
    return number->save && row->kind != PC_END;
}

/* How long attrs are is chosen by writers, too. */
static void note_attr_size(struct pc_plain *p, uint64_t size)
{
    p->not_zero |= p->attr_size != 0 && p->attr_size != size;
    if (p->attr_size == 0)
        p->attr_size = size;
}

static void put_number(struct plain_walk *w, const struct pc_leaf *leaf)
{
    const struct pc_field *field = leaf->field;
    if (leaf->is_array)
        put_array(w->p, leaf->raw, field->width, leaf->walk->c->order);
    else if (field->flags & PC_ATTR_BYTES)
        note_attr_size(w->p, pc_attr_size(leaf->value));
    else if (w->sizes_follow && is_size_of_frame(field))
        return; /* which writers choose, and readers go by */
    else if (w->in_attr)
        put_of_attr(
            w->p,
            (const unsigned char[]){ (unsigned char)leaf->value, (unsigned char)(leaf->value >> 8),
                                     (unsigned char)(leaf->value >> 16), (unsigned char)(leaf->value >> 24),
                                     (unsigned char)(leaf->value >> 32), (unsigned char)(leaf->value >> 40),
                                     (unsigned char)(leaf->value >> 48), (unsigned char)(leaf->value >> 56) },
            8);
    else
        pc_plain_uint(w->p, leaf->value);
}

static void put_leaf(struct plain_walk *w, const struct pc_leaf *leaf)
{
    struct pc_plain *p = w->p;
    const struct pc_field *field = leaf->field;
    size_t end;
    p->unknown |= (field->flags & PC_UNKNOWN) && pc_first_nonzero(leaf->raw) != leaf->raw.len;
    if (pc_is_padding(field)) {
        expect_zeros(p, leaf->raw);
        return;
    }
    switch ((enum pc_kind)field->kind) {
    case PC_UINT:
    case PC_BITS:
        put_number(w, leaf);
        return;
    case PC_ORDER: /* said by the one who walks */
        return;
    case PC_HSTR: /* tools/perf/util/header.c: NAME_ALIGN */
        expect_room(p, field, leaf->raw.len - 4, leaf->value, 64);
        put_text(p, pc_part(leaf->raw, 4, leaf->raw.len - 4), (size_t)leaf->value);
        return;
    case PC_CSTR:
        end = leaf->raw.len;
        if (w->sizes_follow)
            expect_room(p, field, leaf->raw.len, leaf->value, 8);
        else
            end = pc_plain_string_end(leaf);
        put_text(p, pc_part(leaf->raw, 0, end), (size_t)leaf->value);
        put_surplus(p, pc_part(leaf->raw, end, leaf->raw.len - end));
        return;
    case PC_TEXT:
        put_text(p, leaf->raw,
                 field->rule == PC_RULE_NUL || !field->count ? (size_t)leaf->value : leaf->raw.len);
        return;
    default:
        break;
    }
    size_t used = field->used && leaf->walk->slot[field->used] < leaf->raw.len
                      ? (size_t)leaf->walk->slot[field->used]
                      : leaf->raw.len;
    if (w->in_attr)
        put_of_attr(p, leaf->raw.ptr, leaf->raw.len);
    else if (w->format && field->save == PC_REC_RAW)
        put_payload(w, leaf->raw);
    else
        put_text(p, leaf->raw, field->kind == PC_ZSTR ? (size_t)leaf->value : used);
}

static bool see(void *ctx, const struct pc_leaf *leaf)
{
    struct plain_walk *w = ctx;
    if (leaf->fault != PC_SOUND) {
        w->fault = true;
        return false;
    }
    if (leaf->field->kind == PC_ORDER)
        w->p->not_zero |= leaf->value != (w->payload == PC_BIG);
    w->covered = leaf->at + leaf->raw.len;
    put_leaf(w, leaf);
    return true;
}

/* --- attrs --- */

static void end_attr(struct plain_walk *w)
{
    if (!w->in_attr)
        return;
    w->in_attr = false;
    w->p->zeros = 0;
    pc_plain_uint(w->p, UINT64_MAX); /* the attr ends */
}

void pc_plain_attr(struct pc_plain *p, struct pc_span attr, enum pc_order order)
{
    struct plain_walk w = { .p = p, .in_attr = true };
    struct pc_cursor c = pc_cursor(attr, order);
    struct pc_walk walk;
    uint64_t size = 0;
    if (pc_peek(&c, PC_ATTR_SIZE_AT, 4, &size) && pc_attr_size(size) < attr.len)
        c.in.len = (size_t)pc_attr_size(size);
    pc_walk_init(&walk, NULL, &c, see, &w);
    pc_walk_table(&walk, pc_attr_fields);
    end_attr(&w);
}

/* --- records --- */

/* What lies between the fields: nothing that counts, or bytes that no table explains. */
static void put_gap(const struct plain_walk *w, struct pc_span record, size_t from, size_t to)
{
    struct pc_span gap = pc_part(record, from, to > from ? to - from : 0);
    if (w->grows && gap.len % 8 == 0)
        put_surplus(w->p, gap);
    else
        put_rest(w->p, gap);
}

static bool see_of_record(void *ctx, const struct pc_leaf *leaf)
{
    struct plain_walk *w = ctx;
    if (leaf->fault == PC_SOUND)
        put_gap(w, leaf->walk->c->in, w->covered, leaf->at);
    return see(w, leaf);
}

void pc_plain_record(struct pc_plain *p, struct pc_capture *capture, const struct pc_layout *layout,
                     uint32_t attr, struct pc_span record, enum pc_order order, enum pc_order payload)
{
    struct plain_walk w = { .p = p, .payload = payload };
    struct pc_record_head head = pc_load_head(record.ptr, order);
    const struct pc_record_info *info = pc_record_info(head.type);
    struct pc_cursor c = pc_record_body(record, order);
    struct pc_walk walk;
    size_t excess;
    pc_plain_uint(p, head.type);
    pc_plain_uint(p, head.misc);
    w.covered = PC_RECORD_HEADER_SIZE;
    w.grows = info && info->excess_diag == PC_D_RECORD_GROWN;
    if (head.type == PC_SAMPLE && attr != PC_NO_ATTR &&
        pc_attr_get(&capture->attr[attr], PC_ATTR_TYPE) == PC_TYPE_TRACEPOINT)
        w.format = pc_capture_format(capture, attr);
    size_t before = p->len;
    uint64_t hashed = p->hashed;
    if (layout && info) {
        pc_walk_init(&walk, layout, &c, see_of_record, &w);
        walk.bulk = true;
        if (pc_walk_record(&walk, info, &excess) && !w.fault) {
            put_gap(&w, record, w.covered, record.len);
            return;
        }
    }
    /* Readers make of it what they can: all its bytes count, but for zeros that fill it to a multiple of 8.
     */
    if (p->hashed == hashed)
        p->len = before;
    p->not_zero = false;
    size_t len = record.len;
    while (len > PC_RECORD_HEADER_SIZE && record.ptr[len - 1] == 0)
        len--;
    p->unknown |= len > PC_RECORD_HEADER_SIZE;
    pc_plain_uint(p, pc_align8(record.len));
    pc_plain_bytes(p, record.ptr + PC_RECORD_HEADER_SIZE, len - PC_RECORD_HEADER_SIZE);
}

/* --- features --- */

static bool enter_frame(void *ctx, const struct pc_leaf *whole)
{
    struct plain_walk *w = ctx;
    if (whole->field->sub == pc_attr_fields)
        w->in_attr = true;
    return true;
}

static bool see_of_feature(void *ctx, const struct pc_leaf *leaf)
{
    struct plain_walk *w = ctx;
    if (!leaf->walk->framed) /* what follows an attr in the room that all have belongs to it */
        end_attr(w);
    if (w->bit != PC_BPF_PROG_INFO || leaf->field->save != PC_BPF_DATA || leaf->fault != PC_SOUND)
        return see(w, leaf);
    w->covered = leaf->at + leaf->raw.len;
    put_bpf_data(w->p, leaf);
    return true;
}

void pc_plain_feature(struct pc_plain *p, const struct pc_capture *capture, uint64_t bit,
                      struct pc_span content)
{
    struct plain_walk w = { .p = p, .sizes_follow = true, .payload = capture->order, .bit = bit };
    const struct pc_field *fields = pc_feature_fields(bit, content);
    struct pc_layout layout = pc_capture_feature_layout(capture);
    struct pc_cursor c = pc_cursor(content, capture->order);
    struct pc_walk walk;
    if (fields && content.len != 0 && pc_capture_can_walk(capture, bit)) {
        pc_walk_init(&walk, &layout, &c, see_of_feature, &w);
        walk.bulk = true;
        walk.enter = enter_frame;
        pc_walk_table(&walk, fields);
        end_attr(&w);
    }
    struct pc_span rest = pc_part(content, w.covered, content.len - w.covered);
    bool padding = rest.len < 8 && pc_first_nonzero(rest) == rest.len && w.covered != 0;
    p->unknown |= pc_first_nonzero(rest) != rest.len;
    if (!padding)
        put_counted(p, rest);
    else /* that of a pipe fills trace data to a multiple of 8 */
        p->not_zero |= rest.len != 0 && !(bit == PC_TRACING_DATA && capture->is_pipe);
}

/* What follows the name, a sample_id from perf inject, has no place in an entry. */
static bool see_of_build_id(void *ctx, const struct pc_leaf *leaf)
{
    struct plain_walk *w = ctx;
    if (leaf->field->kind != PC_REST)
        return see(ctx, leaf);
    expect_zeros(w->p, leaf->raw);
    return true;
}

void pc_plain_build_id(struct pc_plain *p, struct pc_span record, enum pc_order order)
{
    struct plain_walk w = { .p = p, .payload = order };
    struct pc_record_head head = pc_load_head(record.ptr, order);
    struct pc_cursor c = pc_record_body(record, order);
    struct pc_walk walk;
    pc_plain_uint(p, head.misc);
    pc_walk_init(&walk, NULL, &c, see_of_build_id, &w);
    if (!pc_walk_table(&walk, pc_record_info(head.type)->fields))
        return;
    /* The name has the room that it has in an entry; the record is padded to 8 after that. */
    uint64_t name = walk.slot_at[PC_REC_NAME], len = walk.slot[PC_REC_NAME];
    p->not_zero |= record.len != pc_align8(name + pc_align8(len + 1));
}

void pc_plain_mapping(struct pc_plain *p, unsigned misc, struct pc_span id, struct pc_span name)
{
    unsigned char bytes[PC_BUILD_ID_MAX] = { 0 };
    memcpy(bytes, id.ptr, id.len);
    pc_plain_uint(p, misc);
    pc_plain_uint(p, UINT32_MAX); /* of no process */
    put_counted(p, (struct pc_span){ bytes, sizeof(bytes) });
    pc_plain_uint(p, id.len);
    put_counted(p, name);
}

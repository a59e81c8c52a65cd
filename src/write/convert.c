/* SPDX-License-Identifier: MIT */
#include "write/convert.h"

#include "format/payload.h"

#include <string.h>

/* So many bytes of a feature are collected before they are handed over. */
#define FEATURE_ROOM ((size_t)64 << 10)
/* tools/perf/util/header.c: NAME_ALIGN */
#define NAME_ALIGN ((uint64_t)64)

void pc_convert_init(struct pc_convert *convert, struct pc_capture *capture, enum pc_order to)
{
    *convert = (struct pc_convert){ .mem = capture->mem, .capture = capture, .to = to };
}

void pc_convert_clear(struct pc_convert *convert)
{
    pc_free(convert->mem, convert->record, convert->record ? PC_CONVERT_RECORD : 0);
    pc_free(convert->mem, convert->out, convert->cap);
    convert->record = convert->out = NULL;
    convert->cap = 0;
}

static bool same_order(const struct pc_convert *c)
{
    return c->capture->order == c->to;
}

/* Ends the conversion. */
static bool stop(struct pc_convert *c, enum pc_outcome outcome, size_t at, size_t len, const char *reason)
{
    c->outcome = outcome;
    c->refusal = (struct pc_refusal){ .at = at, .len = len, .reason = reason };
    return false;
}

/* Bytes that nobody understands: zeros mean the same in both orders. */
static bool may_keep(struct pc_convert *c, struct pc_span bytes, size_t at)
{
    size_t first = pc_first_nonzero(bytes);
    if (same_order(c) || c->lenient || first == bytes.len)
        return true;
    return stop(c, PC_CONVERT_UNKNOWN, at + first, bytes.len - first, "bytes that no known version explains");
}

/* --- leaves --- */

/* How many of the leaf's bytes are content; those behind become zero. Not for strings with a length. */
static size_t content_of(const struct pc_leaf *leaf)
{
    const struct pc_field *field = leaf->field;
    if (pc_is_padding(field))
        return 0;
    if (field->kind == PC_CSTR || (field->kind == PC_TEXT && (field->rule == PC_RULE_NUL || !field->count)))
        return (size_t)leaf->value;
    if (field->used && leaf->walk->slot[field->used] < leaf->raw.len)
        return (size_t)leaf->walk->slot[field->used];
    return leaf->raw.len;
}

/* The canonical bytes of a leaf whose size stays, which the caller has copied to `to`. */
static void store_leaf(struct pc_convert *c, const struct pc_leaf *leaf, unsigned char *to)
{
    const struct pc_field *field = leaf->field;
    uint64_t value = leaf->value;
    switch (field->kind) {
    case PC_UINT:
        if (leaf->is_array) {
            if (leaf->walk->c->order != c->to)
                pc_swap(to, to, leaf->raw.len, field->width);
            return;
        }
        if (field->flags & PC_ATTR_BYTES)
            value = c->for_digest ? 0 : c->attr_size;
        pc_store(to, field->width, pc_is_padding(field) ? 0 : value, c->to);
        return;
    case PC_BITS:
        pc_store(to, field->width, pc_bits_word(field, value, c->to), c->to);
        return;
    case PC_ORDER:
        to[0] = c->to == PC_BIG;
        return;
    default:
        break;
    }
    size_t content = content_of(leaf);
    if (content < leaf->raw.len)
        memset(to + content, 0, leaf->raw.len - content);
}

/* --- attrs --- */

struct attr_walk {
    struct pc_convert *c;
    unsigned char *out;
};

static bool attr_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct attr_walk *a = ctx;
    if (leaf->fault != PC_SOUND)
        return stop(a->c, PC_CONVERT_DAMAGED, leaf->at, leaf->raw.len, "its fields do not fit");
    if ((leaf->field->flags & PC_UNKNOWN) && !may_keep(a->c, leaf->raw, leaf->at))
        return false;
    memcpy(a->out + leaf->at, leaf->raw.ptr, leaf->raw.len);
    store_leaf(a->c, leaf, a->out + leaf->at);
    return true;
}

struct pc_span pc_attr_whole(struct pc_span attr, enum pc_order order)
{
    struct pc_cursor c = pc_cursor(attr, order);
    uint64_t size = 0;
    if (pc_peek(&c, PC_ATTR_SIZE_AT, 4, &size) && size == 0)
        size = PC_ATTR_SIZE_MIN;
    return pc_part(attr, 0, size < attr.len ? (size_t)size : attr.len);
}

uint64_t pc_attr_needs(struct pc_span attr, enum pc_order order)
{
    struct pc_span whole = pc_attr_whole(attr, order);
    while (whole.len > PC_ATTR_SIZE_KNOWN && whole.ptr[whole.len - 1] == 0)
        whole.len--;
    return pc_align8(whole.len);
}

enum pc_outcome pc_convert_attr(struct pc_convert *c, struct pc_span attr, unsigned char *out)
{
    struct pc_span whole = pc_attr_whole(attr, c->capture->order);
    struct pc_cursor in = pc_cursor(whole, c->capture->order);
    struct attr_walk a = { c, out };
    struct pc_walk walk;
    c->outcome = PC_CONVERTED;
    memset(out, 0, (size_t)c->attr_size);
    if (whole.len > c->attr_size) /* zeros behind the known members, or behind those that a reader knows */
        in.in.len = (size_t)c->attr_size;
    pc_walk_init(&walk, NULL, &in, attr_visit, &a);
    pc_walk_table(&walk, pc_attr_fields);
    return c->outcome;
}

/* --- records: sizes stay, so that leaves are changed in a copy --- */

/* Between a string, or the last field, and the trailer is padding to 8 and nothing else; `used` bytes are
 * that. More zeros have no place in a canonical record. Other bytes were left there, the real trailer among
 * them (PC_D_RECORD_GROWN), and nobody knows where: they stay as they are. */
static bool pass_surplus(struct pc_convert *c, struct pc_span area, size_t at, size_t used)
{
    struct pc_span surplus = pc_part(area, used, area.len - used);
    if (pc_first_nonzero(surplus) == surplus.len) {
        c->surplus_at = at + used;
        c->surplus = surplus.len;
        return true;
    }
    memcpy(c->record + at + used, surplus.ptr, surplus.len);
    return may_keep(c, surplus, at + used);
}

/* Bytes between the leaves that were shown and this place. */
static bool pass_gap(struct pc_convert *c, struct pc_span record, size_t end)
{
    size_t start = c->covered;
    if (c->grows && end > start && (end - start) % 8 == 0)
        return pass_surplus(c, pc_part(record, start, end - start), start, 0);
    return end <= start || may_keep(c, pc_part(record, start, end - start), start);
}

static bool record_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_convert *c = ctx;
    if (leaf->fault != PC_SOUND)
        return stop(c, PC_CONVERT_DAMAGED, leaf->at, leaf->raw.len, "its fields do not fit");
    if (!pass_gap(c, leaf->walk->c->in, leaf->at))
        return false;
    if ((leaf->field->flags & PC_UNKNOWN) && !may_keep(c, leaf->raw, leaf->at))
        return false;
    store_leaf(c, leaf, c->record + leaf->at);
    c->covered = leaf->at + leaf->raw.len;
    if (leaf->field->kind == PC_CSTR && !(leaf->field->flags & PC_UNPADDED) && leaf->raw.len % 8 == 0)
        return pass_surplus(c, leaf->raw, leaf->at, (size_t)pc_align8(leaf->value + 1));
    return true;
}

/* The payload of a tracepoint, when its order changes: that of the trace data, which are converted too. */
static void convert_payload(struct pc_convert *c, const struct pc_item *item, const struct pc_walk *walk,
                            uint32_t attr)
{
    struct pc_capture *capture = c->capture;
    enum pc_order from = capture->nr_tracing != 0 ? capture->tracing_order : capture->order;
    size_t at = walk->slot_at[PC_REC_RAW];
    if (at == 0)
        return;
    struct pc_span raw = pc_part(item->bytes, at, (size_t)walk->slot[PC_REC_RAW]);
    bool traced = pc_attr_get(&capture->attr[attr], PC_ATTR_TYPE) == PC_TYPE_TRACEPOINT;
    const struct pc_tracepoint *format = traced ? pc_capture_format(capture, attr) : NULL;
    uint32_t field = 0;
    if (pc_first_nonzero(raw) == raw.len || (traced ? from : capture->order) == c->to)
        return; /* none, or one that was left out; or nothing changes */
    if (!format) {
        c->uncovered = true;
        return;
    }
    const char *reason = pc_payload_refusal(format, raw, from, &field);
    if (reason && c->lenient)
        return;
    if (reason) {
        stop(c, PC_CONVERT_PAYLOAD, at, raw.len, reason);
        c->refusal.attr = attr;
        c->refusal.field = field;
        return;
    }
    pc_payload_swap(format, c->record + at, raw.len, from);
}

/* Whether a record that its plan finds sound is canonical as it is: nothing reserved is set, strings end in
 * zeros. */
static bool plan_says_all(const struct pc_convert *c, const struct pc_item *item)
{
    const struct pc_capture *capture = c->capture;
    return same_order(c) && item->bytes.len % 8 == 0 &&
           !(item->type == PC_MMAP2 && (item->misc & PC_MISC_MMAP_BUILD_ID)) &&
           !(item->type == PC_SAMPLE && capture->nr_tracing != 0 && capture->tracing_order != c->to);
}

static bool is_canonical(struct pc_convert *c, const struct pc_item *item, uint32_t attr)
{
    struct pc_capture *capture = c->capture;
    uint64_t slot[PC_SLOTS];
    size_t slot_at[PC_SLOTS];
    if (!plan_says_all(c, item))
        return false;
    struct pc_sample_layout *samples = capture->layout[capture->attr[attr].layout];
    const struct pc_plan *plan = pc_capture_plan(capture, samples, item->type, item->misc);
    return plan && pc_plan_run(plan, item->bytes, slot, slot_at);
}

static bool is_of_container(uint32_t type)
{
    return (type >= PC_HEADER_ATTR && type <= PC_HEADER_BUILD_ID) || type == PC_HEADER_FEATURE ||
           type == PC_COMPRESSED || type == PC_COMPRESSED2;
}

/* The layout of a record. False: nobody knows what is in it. */
static bool find_layout(struct pc_convert *c, const struct pc_item *item, struct pc_layout *layout,
                        uint32_t *attr)
{
    struct pc_capture *capture = c->capture;
    *attr = PC_NO_ATTR;
    if (!pc_record_info(item->type) || is_of_container(item->type))
        return false;
    *layout = pc_record_layout(NULL, item->type, item->misc, capture->mmap2_old == 1);
    if (!pc_is_kernel_type(item->type))
        return true;
    struct pc_chosen chosen = pc_capture_choose(capture, item->type, item->bytes);
    if (chosen.choice != PC_CHOSEN)
        return item->type != PC_SAMPLE; /* the fields of others depend on no attr; what follows is a gap */
    *attr = chosen.attr;
    return item->type != PC_SAMPLE ||
           pc_attr_get(&capture->attr[*attr], PC_ATTR_SAMPLE_TYPE) >> PC_S_BITS == 0;
}

/* That of its attr, or another layout that fits. */
static void fit_layout(struct pc_convert *c, const struct pc_item *item, struct pc_layout *layout,
                       uint32_t *attr)
{
    if (*attr == PC_NO_ATTR)
        return;
    struct pc_fitting fit = pc_capture_fit(c->capture, *attr, item->type, item->misc, item->bytes);
    *layout = fit.layout;
    *attr = fit.attr;
    /* Without room for a trailer there may still be the fields. */
    if (pc_sample_id_size(layout->mask) > item->bytes.len - PC_RECORD_HEADER_SIZE)
        layout->mask &= ~PC_LAYOUT_SAMPLE_ID;
}

bool pc_convert_layout(struct pc_convert *c, const struct pc_item *item, struct pc_layout *layout,
                       uint32_t *attr)
{
    if (!find_layout(c, item, layout, attr))
        return false;
    fit_layout(c, item, layout, attr);
    return true;
}

static bool walk_record(struct pc_convert *c, const struct pc_item *item, struct pc_layout layout,
                        uint32_t attr)
{
    struct pc_cursor in = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = c->capture->order };
    struct pc_walk walk;
    size_t excess;
    fit_layout(c, item, &layout, &attr);
    c->covered = PC_RECORD_HEADER_SIZE;
    c->surplus = 0;
    c->grows = pc_record_info(item->type)->excess_diag == PC_D_RECORD_GROWN;
    pc_walk_init(&walk, &layout, &in, record_visit, c);
    walk.bulk = true;
    if (!pc_walk_record(&walk, pc_record_info(item->type), &excess)) {
        assert(c->outcome != PC_CONVERTED); /* the visitor saw what does not fit */
        return false;
    }
    if (!pass_gap(c, item->bytes, item->bytes.len))
        return false;
    if (item->type == PC_SAMPLE && attr != PC_NO_ATTR)
        convert_payload(c, item, &walk, attr);
    return c->outcome == PC_CONVERTED;
}

/* --- samples of integers, without a walk for each --- */

static bool fixed_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_fixed *f = ctx;
    const struct pc_field *field = leaf->field;
    bool padding = pc_is_padding(field);
    f->usable = leaf->fault == PC_SOUND && field->kind == PC_UINT && f->nr < PC_FIXED_MAX &&
                (field->width == 8 || field->width == 4) && (!padding || field->width == 4);
    if (!f->usable)
        return false;
    if (field->save == PC_REC_CHAIN)
        f->chain = f->nr;
    f->width[f->nr++] = padding ? 0 : field->width;
    return true;
}

/* A sample of zeros shows the integers; layouts with other parts of varying length are left to the walk. */
static void find_fixed(const struct pc_sample_layout *samples, struct pc_fixed *f)
{
    static const unsigned char zeros[1024];
    const uint64_t varying =
        PC_S_RAW | PC_S_BRANCH_STACK | PC_S_REGS_USER | PC_S_REGS_INTR | PC_S_STACK_USER | PC_S_AUX;
    uint64_t mask = samples->layout.mask;
    struct pc_layout layout = pc_record_layout(&samples->layout, PC_SAMPLE, 0, false);
    struct pc_cursor in = pc_cursor((struct pc_span){ zeros, sizeof(zeros) }, PC_LITTLE);
    struct pc_walk walk;
    *f = (struct pc_fixed){ .known = true, .chain = PC_FIXED_MAX };
    if ((mask & varying) || ((mask & PC_S_READ) && (mask & PC_LAYOUT_READ(PC_READ_GROUP))))
        return;
    in.pos = PC_RECORD_HEADER_SIZE;
    pc_walk_init(&walk, &layout, &in, fixed_visit, f);
    pc_walk_table(&walk, pc_record_info(PC_SAMPLE)->fields);
}

/* A sample that its plan found sound. False: it is not of that kind. */
static bool convert_fixed(struct pc_convert *c, const struct pc_item *item)
{
    struct pc_capture *capture = c->capture;
    struct pc_chosen chosen = pc_capture_choose(capture, item->type, item->bytes);
    uint32_t index = chosen.choice == PC_CHOSEN ? capture->attr[chosen.attr].layout : PC_FIXED_LAYOUTS;
    if (index >= PC_FIXED_LAYOUTS)
        return false;
    struct pc_fixed *f = &c->fixed[index];
    if (!f->known)
        find_fixed(capture->layout[index], f);
    if (!f->usable)
        return false;
    const unsigned char *from = item->bytes.ptr;
    unsigned char *to = c->record;
    size_t at = PC_RECORD_HEADER_SIZE;
    for (unsigned i = 0; i < f->nr; i++) {
        if (f->width[i] == 8)
            pc_swap(to + at, from + at, 8, 8);
        else if (f->width[i] == 4)
            pc_swap(to + at, from + at, 4, 4);
        else
            memset(to + at, 0, 4);
        at += f->width[i] == 8 ? 8 : 4;
        if (i == f->chain) {
            size_t chain = 8 * (size_t)pc_load(from + at - 8, 8, capture->order);
            pc_swap(to + at, from + at, chain, 8);
            at += chain;
        }
    }
    assert(at == item->bytes.len); /* the plan has seen to that */
    return true;
}

static size_t drop_surplus(struct pc_convert *c, size_t size)
{
    size_t from = c->surplus_at + c->surplus;
    if (c->surplus == 0)
        return size;
    memmove(c->record + c->surplus_at, c->record + from, size - from);
    return size - c->surplus;
}

static enum pc_outcome store_head(struct pc_convert *c, const struct pc_item *item, size_t size,
                                  struct pc_span *out)
{
    pc_store(c->record, 4, item->type, c->to);
    pc_store(c->record + 4, 2, item->misc, c->to);
    pc_store(c->record + 6, 2, size, c->to);
    *out = (struct pc_span){ c->record, size };
    return c->outcome;
}

enum pc_outcome pc_convert_record(struct pc_convert *c, const struct pc_item *item, struct pc_span *out)
{
    struct pc_layout layout;
    uint32_t attr;
    c->outcome = PC_CONVERTED;
    c->uncovered = false;
    if (c->by_plan && plan_says_all(c, item)) {
        *out = item->bytes;
        return PC_CONVERTED;
    }
    if (!c->record && !(c->record = pc_alloc(c->mem, PC_CONVERT_RECORD)))
        return PC_CONVERT_NO_MEMORY;
    size_t size = (size_t)pc_align8(item->bytes.len);
    if (c->by_plan && item->type == PC_SAMPLE && !same_order(c) && convert_fixed(c, item))
        return store_head(c, item, size, out);
    bool known = find_layout(c, item, &layout, &attr);
    if (attr != PC_NO_ATTR && known && is_canonical(c, item, attr)) {
        *out = item->bytes;
        return PC_CONVERTED;
    }
    memcpy(c->record, item->bytes.ptr, item->bytes.len);
    memset(c->record + item->bytes.len, 0, size - item->bytes.len);
    if (size > PC_RECORD_SIZE_MAX) {
        stop(c, PC_CONVERT_UNKNOWN, 6, 2, "no room for the padding to a multiple of 8");
        return c->outcome;
    }
    if (!known && !same_order(c) && !c->lenient)
        stop(c, PC_CONVERT_UNKNOWN, 0, item->bytes.len, "a record that no known version explains");
    else if (known && walk_record(c, item, layout, attr))
        size = drop_surplus(c, size);
    if (c->outcome == PC_CONVERT_DAMAGED && (same_order(c) || c->lenient)) {
        /* Readers make of it what they can; so it stays as it is. */
        memcpy(c->record, item->bytes.ptr, item->bytes.len);
        c->outcome = PC_CONVERTED;
    }
    return store_head(c, item, size, out);
}

/* --- features: strings get other sizes, so that bytes are appended --- */

static void hand_over(struct pc_convert *c)
{
    if (c->len != 0)
        c->take(c->taker, c->out, c->len);
    c->len = 0;
    memset(c->slot_out, 0, sizeof(c->slot_out));
}

/* n more bytes of `out`; NULL: no memory. */
static unsigned char *more(struct pc_convert *c, uint64_t n)
{
    if (c->depth == 0 && c->len >= FEATURE_ROOM)
        hand_over(c);
    if (n > c->cap - c->len) {
        uint64_t wanted = 2 * (c->len + n);
        wanted = wanted < 2 * FEATURE_ROOM ? 2 * FEATURE_ROOM : wanted;
        unsigned char *moved = pc_resize(c->mem, c->out, c->cap, wanted);
        if (!moved) {
            stop(c, PC_CONVERT_NO_MEMORY, 0, 0, NULL);
            return NULL;
        }
        c->out = moved;
        c->cap = (size_t)wanted;
    }
    unsigned char *p = c->out + c->len;
    c->len += (size_t)n;
    return p;
}

/* A string with room of its own choice: `head` bytes in front of it, then text, NUL, and zeros to a multiple,
 * or to the most that its row allows. */
static bool put_string(struct pc_convert *c, const struct pc_leaf *leaf, size_t head, uint64_t align)
{
    const struct pc_field *field = leaf->field;
    uint64_t room = (leaf->value / align + 1) * align;
    if (field->rule == PC_RULE_MAX && room > field->arg && !c->for_digest)
        room = field->arg;
    unsigned char *p = more(c, head + room);
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
static bool put_bpf_data(struct pc_convert *c, const struct pc_leaf *leaf, unsigned char *to)
{
    const struct pc_walk *walk = leaf->walk;
    size_t info_len = (size_t)walk->slot[PC_BPF_INFO_LEN];
    struct pc_span info = pc_part(walk->c->in, leaf->at - info_len, info_len);
    if (same_order(c) ||
        pc_bpf_data_swap(info, walk->slot[PC_BPF_ARRAYS_THERE], c->capture->order, to, leaf->raw.len))
        return true;
    return c->lenient || stop(c, PC_CONVERT_UNKNOWN, leaf->at, leaf->raw.len,
                              "arrays of a BPF program that lie outside its data or on each other");
}

/* Text of any length needs no copy. */
static bool is_large(const struct pc_convert *c, const struct pc_leaf *leaf)
{
    return c->depth == 0 && leaf->raw.len > FEATURE_ROOM && content_of(leaf) == leaf->raw.len &&
           leaf->field->kind == PC_TEXT;
}

static bool feature_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_convert *c = ctx;
    const struct pc_field *field = leaf->field;
    if (leaf->fault != PC_SOUND)
        return stop(c, PC_CONVERT_DAMAGED, leaf->at, leaf->raw.len, "its fields do not fit");
    c->covered = leaf->at + leaf->raw.len;
    if (field->kind == PC_HSTR)
        return put_string(c, leaf, 4, NAME_ALIGN);
    if (field->flags & PC_PADDED_8)
        return put_string(c, leaf, 0, 8);
    if ((field->flags & PC_UNKNOWN) && c->bit == PC_EVENT_DESC && c->depth == 1) {
        /* Behind an attr, in the room that all of them have: there is nobody to whom this belongs. */
        size_t first = pc_first_nonzero(leaf->raw);
        return first == leaf->raw.len || c->lenient ||
               stop(c, PC_CONVERT_UNKNOWN, leaf->at + first, leaf->raw.len - first, "bytes behind an attr");
    }
    if ((field->flags & PC_UNKNOWN) && !may_keep(c, leaf->raw, leaf->at))
        return false;
    if (is_large(c, leaf)) {
        hand_over(c);
        c->take(c->taker, leaf->raw.ptr, leaf->raw.len);
        return true;
    }
    unsigned char *p = more(c, leaf->raw.len);
    if (!p)
        return false;
    if (leaf->raw.len != 0)
        memcpy(p, leaf->raw.ptr, leaf->raw.len);
    store_leaf(c, leaf, p);
    if (field->save && !(field->flags & PC_ATTR_BYTES)) {
        c->slot_out[field->save] = (size_t)(p - c->out) + 1;
        c->slot_width[field->save] = field->width;
    }
    if (c->bit == PC_BPF_PROG_INFO && field->save == PC_BPF_DATA)
        return put_bpf_data(c, leaf, p);
    return true;
}

static bool enter_frame(void *ctx, const struct pc_leaf *whole)
{
    struct pc_convert *c = ctx;
    (void)whole;
    assert(c->depth < PC_PATH_MAX);
    c->frame[c->depth++] = c->len;
    return true;
}

/* An attr gets the size of all of them, less what is zero and unknown; else the frame says how long it
 * became. */
static bool leave_frame(void *ctx, const struct pc_leaf *whole)
{
    struct pc_convert *c = ctx;
    const struct pc_field *field = whole->field;
    size_t start = c->frame[--c->depth], len = c->len - start;
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
                return stop(c, PC_CONVERT_UNKNOWN, whole->at, whole->raw.len, "members that are set");
            len = (size_t)wanted;
        }
        c->len = start + len;
        unsigned char *p = more(c, wanted - len);
        if (p)
            memset(p, 0, (size_t)(wanted - len));
        return p != NULL;
    }
    size_t at = field->count ? c->slot_out[field->count] : 0;
    if (at != 0 && len != whole->raw.len)
        pc_store(c->out + at - 1, c->slot_width[field->count], len + field->arg, c->to);
    return true;
}

/* Content that is not walked: what stands behind the table, or all of it. */
static void put_rest(struct pc_convert *c, struct pc_span content)
{
    struct pc_span rest = pc_part(content, c->covered, content.len - c->covered);
    bool padding = rest.len < 8 && pc_first_nonzero(rest) == rest.len && c->covered != 0;
    if (rest.len == 0 || padding || !may_keep(c, rest, c->covered))
        return;
    hand_over(c);
    c->take(c->taker, rest.ptr, rest.len);
    c->rest = rest.len;
}

enum pc_outcome pc_convert_feature(struct pc_convert *c, uint64_t bit, struct pc_span content,
                                   pc_take_bytes *take, void *ctx)
{
    const struct pc_field *fields = pc_feature_fields(bit, content);
    struct pc_layout layout = pc_capture_feature_layout(c->capture);
    struct pc_cursor in = pc_cursor(content, c->capture->order);
    struct pc_walk walk;
    c->take = take;
    c->taker = ctx;
    c->len = c->depth = 0;
    c->covered = 0;
    c->bit = bit;
    c->rest = 0;
    c->outcome = PC_CONVERTED;
    memset(c->slot_out, 0, sizeof(c->slot_out));
    if (fields && content.len != 0 && pc_capture_can_walk(c->capture, bit)) {
        pc_walk_init(&walk, &layout, &in, feature_visit, c);
        walk.bulk = true;
        walk.enter = enter_frame;
        walk.leave = leave_frame;
        pc_walk_table(&walk, fields);
    }
    if (c->outcome == PC_CONVERTED)
        put_rest(c, content);
    if (c->outcome == PC_CONVERTED)
        hand_over(c);
    c->len = 0;
    return c->outcome;
}

/* SPDX-License-Identifier: MIT */
#include "check/witness_record.h"

#include "bytes/cursor.h"

#include <string.h>

struct beside {
    struct pc_span made;
    enum pc_order to;
    const struct pc_tracepoint *format; /* of the payload; NULL: nothing describes it */
    enum pc_order payload, copied;      /* its order before, and in the copy */
    size_t covered;                     /* up to here leaves were shown */
    struct pc_shape *shape;             /* gets the leaves; NULL: nobody asks */
    bool same;
};

static bool is_zero(struct pc_span bytes)
{
    return pc_first_nonzero(bytes) == bytes.len;
}

PC_INLINE bool same_words(const unsigned char *a, const unsigned char *b, size_t n, const unsigned width,
                          enum pc_order from, enum pc_order to)
{
    uint64_t differ = 0;
    if (from == PC_LITTLE && to == PC_BIG) {
        for (size_t at = 0; at + width <= n; at += width)
            differ |= pc_load(a + at, width, PC_LITTLE) ^ pc_load(b + at, width, PC_BIG);
    } else {
        for (size_t at = 0; at + width <= n; at += width)
            differ |= pc_load(a + at, width, from) ^ pc_load(b + at, width, to);
    }
    return differ == 0;
}

/* Integers of one width in two orders. */
static bool same_array(const unsigned char *a, const unsigned char *b, size_t n, unsigned width,
                       enum pc_order from, enum pc_order to)
{
    switch (from == to ? 1 : width) {
    case 8:
        return same_words(a, b, n, 8, from, to);
    case 4:
        return same_words(a, b, n, 4, from, to);
    case 2:
        return same_words(a, b, n, 2, from, to);
    default:
        return n == 0 || memcmp(a, b, n) == 0;
    }
}

/* Whether a leaf has the same content in the canonical record, where it is at the same place. */
static bool same_leaf(const struct beside *b, const struct pc_leaf *leaf)
{
    const struct pc_field *field = leaf->field;
    const unsigned char *made = b->made.ptr + leaf->at;
    size_t len = leaf->raw.len, used = len, end = len;
    enum pc_order from = leaf->walk->c->order;
    if (pc_is_padding(field))
        return is_zero((struct pc_span){ made, len });
    switch ((enum pc_kind)field->kind) {
    case PC_UINT:
        if (leaf->is_array)
            return same_array(leaf->raw.ptr, made, len, field->width, from, b->to);
        return pc_load(made, field->width, b->to) == leaf->value;
    case PC_BITS:
        return pc_bits_value(field, pc_load(made, field->width, b->to), b->to) == leaf->value;
    case PC_CSTR:
        used = (size_t)leaf->value;
        end = pc_plain_string_end(leaf);
        break;
    case PC_TEXT:
        used = field->rule != PC_RULE_NUL && field->count ? len : (size_t)leaf->value;
        break;
    default:
        if (field->used && leaf->walk->slot[field->used] < len)
            used = (size_t)leaf->walk->slot[field->used];
        break;
    }
    return (used == 0 || memcmp(leaf->raw.ptr, made, used) == 0) &&
           is_zero((struct pc_span){ made + used, end - used }) &&
           (end == len || (from == b->to && !is_zero((struct pc_span){ made + end, len - end }) &&
                           memcmp(leaf->raw.ptr + end, made + end, len - end) == 0));
}

/* Field by field; what lies between and behind them is the same in both orders. False also when data that a
 * field points to is of words: the plain form has them. */
static bool same_payload(const struct beside *b, struct pc_span raw, const unsigned char *made)
{
    const struct pc_tracepoint *format = b->format;
    size_t at = 0;
    for (uint32_t i = 0; i < format->nr_fields && format->end <= raw.len; i++) {
        const struct pc_tp_field *f = &format->field[i];
        bool words = f->cls == PC_TP_DATA_LOC || f->cls == PC_TP_REL_LOC;
        size_t end = f->cls == PC_TP_FLEXIBLE ? raw.len : (size_t)f->offset + f->size;
        unsigned width = words ? 4 : f->cls == PC_TP_TEXT ? 1 : f->element;
        if (f->offset < at || (words && f->element > 1))
            return false;
        if (f->cls == PC_TP_FLEXIBLE && width > 1)
            end -= (end - f->offset) % width;
        if ((f->offset != at && memcmp(raw.ptr + at, made + at, f->offset - at) != 0) ||
            !same_array(raw.ptr + f->offset, made + f->offset, end - f->offset, width, b->payload, b->copied))
            return false;
        at = end;
    }
    return at == raw.len || memcmp(raw.ptr + at, made + at, raw.len - at) == 0;
}

/* Adds a leaf; what is no integer or padding has no place in a shape. */
static void add_leaf(struct pc_shape *shape, const struct pc_leaf *leaf)
{
    bool padding = pc_is_padding(leaf->field);
    uint8_t width = padding ? 0 : leaf->field->width;
    if (leaf->raw.len == 0 || shape->nr > PC_SHAPE_STEPS)
        return;
    if (shape->nr != 0 && shape->step[shape->nr - 1].width == width) {
        shape->step[shape->nr - 1].n += (uint32_t)leaf->raw.len;
        return;
    }
    bool fits = (padding || leaf->field->kind == PC_UINT) && shape->nr < PC_SHAPE_STEPS;
    if (fits) {
        shape->step[shape->nr].width = width;
        shape->step[shape->nr].n = (uint32_t)leaf->raw.len;
    }
    shape->nr = fits ? shape->nr + 1 : PC_SHAPE_STEPS + 1;
}

static bool see_beside(void *ctx, const struct pc_leaf *leaf)
{
    struct beside *b = ctx;
    if (b->shape)
        add_leaf(b->shape, leaf);
    bool payload = b->format && leaf->field->save == PC_REC_RAW;
    bool known = !(leaf->field->flags & PC_UNKNOWN) || leaf->walk->c->order == b->to;
    b->same = known && leaf->fault == PC_SOUND && leaf->at == b->covered &&
              (payload ? same_payload(b, leaf->raw, b->made.ptr + leaf->at) : same_leaf(b, leaf));
    b->covered = leaf->at + leaf->raw.len;
    return b->same;
}

/* Whether the record has the content of the other one, leaf by leaf at the same places. False: it has not, or
 * its places are others. */
static bool is_same_beside(struct pc_capture *capture, const struct pc_layout *layout, uint32_t attr,
                           const struct pc_item *record, struct pc_span made, enum pc_order to,
                           struct pc_shape *shape)
{
    struct beside b = { .made = made,
                        .to = to,
                        .shape = shape,
                        .payload = pc_payload_order(capture),
                        .copied = pc_payload_order_in(capture, to),
                        .covered = PC_RECORD_HEADER_SIZE };
    struct pc_record_head head = pc_load_head(made.ptr, to);
    const struct pc_record_info *info = pc_record_info(record->type);
    struct pc_cursor c = pc_record_body(record->bytes, capture->order);
    struct pc_walk walk;
    size_t excess;
    if (head.type != record->type || head.misc != record->misc || made.len != record->bytes.len || !info)
        return false;
    if (record->type == PC_SAMPLE && attr != PC_NO_ATTR &&
        pc_attr_get(&capture->attr[attr], PC_ATTR_TYPE) == PC_TYPE_TRACEPOINT)
        b.format = pc_capture_format(capture, attr);
    pc_walk_init(&walk, layout, &c, see_beside, &b);
    walk.bulk = true;
    return pc_walk_record(&walk, info, &excess) && b.same && b.covered == made.len;
}

/* The layout of a record. by_plan: that of its attr is known to fit. */
static bool find_layout(struct pc_capture *capture, const struct pc_item *record, bool by_plan,
                        struct pc_layout *layout, uint32_t *attr)
{
    if (!pc_record_info(record->type))
        return false;
    if (by_plan && pc_is_kernel_type(record->type)) {
        struct pc_chosen chosen = pc_capture_choose(capture, record->type, record->bytes);
        *attr = chosen.attr;
        if (chosen.choice == PC_CHOSEN) {
            *layout = pc_record_layout(&capture->layout[capture->attr[*attr].layout]->layout, record->type,
                                       record->misc, capture->mmap2_old == 1);
            return true;
        }
    }
    return pc_capture_layout(capture, record->type, record->misc, record->bytes, layout, attr);
}

/* Whether a record that its plan found sound has nothing to be changed: plans see reserved bits, and bytes
 * after a NUL, but not those after a build id. */
static bool is_canonical(const struct pc_capture *capture, const struct pc_item *record, enum pc_order to)
{
    bool swapped = record->type == PC_SAMPLE && pc_payload_order(capture) != pc_payload_order_in(capture, to);
    bool has_id = record->type == PC_MMAP2 && (record->misc & PC_MISC_MMAP_BUILD_ID);
    return capture->order == to && record->bytes.len % 8 == 0 &&
           !(has_id && !pc_build_id_is_plain(record->bytes)) && !swapped;
}

bool pc_witness_record(struct pc_plain plain[2], struct pc_capture *capture, const struct pc_item *record,
                       bool by_plan, struct pc_span made, enum pc_order to)
{
    struct pc_span own = record->bytes;
    struct pc_layout layout;
    uint32_t attr = PC_NO_ATTR;
    const size_t unused = record->unused;
    if (by_plan && is_canonical(capture, record, to) && made.len == own.len &&
        (made.ptr == own.ptr || memcmp(made.ptr, own.ptr, own.len) == 0))
        return true;
    if ((made.len % 8 != 0 && !pc_record_is(record->type, PC_KEEPS_SIZE)) ||
        pc_load_head(made.ptr, to).size != made.len)
        return false;
    if (unused != 0 && (made.len != own.len || !is_zero(pc_part(made, made.len - unused, unused))))
        return false;
    bool known = find_layout(capture, record, by_plan, &layout, &attr);
    const enum pc_order payload = pc_payload_order(capture), copied = pc_payload_order_in(capture, to);
    if (known && is_same_beside(capture, &layout, attr, record, made, to, NULL))
        return true;
    pc_plain_begin(&plain[0]);
    pc_plain_begin(&plain[1]);
    pc_plain_record(&plain[0], capture, known ? &layout : NULL, attr, pc_part(own, 0, own.len - unused),
                    capture->order, payload);
    pc_plain_record(&plain[1], capture, known ? &layout : NULL, attr, pc_part(made, 0, made.len - unused), to,
                    copied);
    bool odd = plain[1].unknown && capture->order != to;
    return pc_plain_equal(&plain[0], &plain[1]) && !plain[1].not_zero && !odd;
}

/* The bytes after the header of a sample. */
static bool has_shape(const struct pc_shape *shape, const unsigned char *sample, const unsigned char *made,
                      enum pc_order from, enum pc_order to)
{
    size_t at = PC_RECORD_HEADER_SIZE;
    for (size_t i = 0; i < shape->nr; i++) {
        size_t n = shape->step[i].n;
        unsigned width = shape->step[i].width;
        if (width == 0 ? !is_zero((struct pc_span){ made + at, n })
                       : !same_array(sample + at, made + at, n, width, from, to))
            return false;
        at += n;
    }
    return true;
}

static bool is_same_sample(struct pc_shape *shapes, struct pc_plain plain[2], struct pc_capture *capture,
                           const struct pc_item *sample, const unsigned char *made, enum pc_order to)
{
    struct pc_chosen chosen = pc_capture_choose(capture, PC_SAMPLE, sample->bytes);
    struct pc_span own = { made, sample->bytes.len };
    if (chosen.choice != PC_CHOSEN)
        return pc_witness_record(plain, capture, sample, false, own, to);
    uint32_t index = capture->attr[chosen.attr].layout;
    const struct pc_sample_layout *layout = capture->layout[index];
    struct pc_shape *shape = &shapes[(own.len / 8 + index) % PC_SHAPES];
    if (shape->layout == layout && shape->size == own.len)
        return has_shape(shape, sample->bytes.ptr, made, capture->order, to);
    struct pc_layout own_layout = pc_record_layout(&layout->layout, PC_SAMPLE, sample->misc, false);
    *shape = (struct pc_shape){ .nr = 0 };
    bool same =
        is_same_beside(capture, &own_layout, chosen.attr, sample, own, to, layout->simple ? shape : NULL);
    if (same && layout->simple && shape->nr <= PC_SHAPE_STEPS) {
        shape->layout = layout;
        shape->size = own.len;
    }
    return same || pc_witness_record(plain, capture, sample, true, own, to);
}

bool pc_witness_samples(struct pc_shape *shapes, struct pc_plain plain[2], struct pc_capture *capture,
                        struct pc_span samples, const unsigned char *made, enum pc_order to)
{
    size_t at = 0;
    while (at < samples.len) {
        struct pc_record_head head = pc_load_head(samples.ptr + at, capture->order),
                              copied = pc_load_head(made + at, to);
        struct pc_item sample = { .kind = PC_ITEM_RECORD,
                                  .type = head.type,
                                  .misc = head.misc,
                                  .bytes = pc_part(samples, at, head.size) };
        if (copied.type != head.type || copied.misc != head.misc || copied.size != head.size ||
            !is_same_sample(shapes, plain, capture, &sample, made + at, to))
            return false;
        at += head.size;
    }
    return true;
}

static void put_record(struct pc_plain *plain, struct pc_capture *capture, const struct pc_item *record)
{
    struct pc_layout layout;
    uint32_t attr = PC_NO_ATTR;
    bool known = find_layout(capture, record, false, &layout, &attr);
    pc_plain_begin(plain);
    pc_plain_record(plain, capture, known ? &layout : NULL, attr,
                    pc_part(record->bytes, 0, record->bytes.len - record->unused), capture->order,
                    pc_payload_order(capture));
}

bool pc_witness_same(struct pc_plain plain[2], struct pc_capture *a, const struct pc_item *left,
                     struct pc_capture *b, const struct pc_item *right)
{
    if (a->order == b->order && left->bytes.len == right->bytes.len &&
        memcmp(left->bytes.ptr, right->bytes.ptr, left->bytes.len) == 0)
        return true;
    put_record(&plain[0], a, left);
    put_record(&plain[1], b, right);
    return pc_plain_equal(&plain[0], &plain[1]);
}

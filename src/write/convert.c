/* SPDX-License-Identifier: MIT */
#include "write/convert.h"
#include "write/convert_leaf.h"

#include <string.h>

void pc_convert_init(struct pc_convert *convert, const struct pc_capture *capture, enum pc_order to)
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

/* --- leaves --- */

bool pc_convert_same_order(const struct pc_convert *c)
{
    return c->capture->order == c->to;
}

bool pc_convert_stop(struct pc_convert *c, enum pc_outcome outcome, size_t at, size_t len, const char *reason)
{
    c->outcome = outcome;
    c->refusal = (struct pc_refusal){ .at = at, .len = len, .reason = reason };
    return false;
}

bool pc_convert_may_keep(struct pc_convert *c, struct pc_span bytes, size_t at)
{
    size_t first = pc_first_nonzero(bytes);
    if (pc_convert_same_order(c) || c->lenient || first == bytes.len)
        return true;
    return pc_convert_stop(c, PC_CONVERT_UNKNOWN, at + first, bytes.len - first,
                           "bytes that no known version explains");
}

size_t pc_convert_content_of(const struct pc_leaf *leaf)
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

void pc_convert_store_leaf(struct pc_convert *c, const struct pc_leaf *leaf, unsigned char *to)
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
    size_t content = pc_convert_content_of(leaf);
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
        return pc_convert_stop(a->c, PC_CONVERT_DAMAGED, leaf->at, leaf->raw.len, "its fields do not fit");
    if ((leaf->field->flags & PC_UNKNOWN) && !pc_convert_may_keep(a->c, leaf->raw, leaf->at))
        return false;
    memcpy(a->out + leaf->at, leaf->raw.ptr, leaf->raw.len);
    pc_convert_store_leaf(a->c, leaf, a->out + leaf->at);
    return true;
}

struct pc_span pc_attr_whole(struct pc_span attr, enum pc_order order)
{
    struct pc_cursor c = pc_cursor(attr, order);
    uint64_t size = 0;
    if (pc_peek(&c, PC_ATTR_SIZE_AT, 4, &size))
        size = pc_attr_size(size);
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
    if (whole.len > c->attr_size) /* zeros after the known members, or after those that a reader knows */
        in.in.len = (size_t)c->attr_size;
    pc_walk_init(&walk, NULL, &in, attr_visit, &a);
    pc_walk_table(&walk, pc_attr_fields);
    return c->outcome;
}

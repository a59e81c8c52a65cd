/* SPDX-License-Identifier: MIT
 *
 * walk.c: walks a table over bytes, row by row.
 */
#include "format/field.h"
#include "format/rows.h"

#include <assert.h>
#include <string.h>

static bool walk_number(struct pc_walk *walk, const struct pc_field *field)
{
    struct pc_cursor *c = walk->c;
    struct pc_leaf leaf = { .field = field, .at = c->pos, .walk = walk };
    if (!pc_take(c, field->width, &leaf.raw))
        return pc_walk_fail(walk, field, PC_FAULT_SHORT, 0, field->width);
    leaf.value = pc_load(leaf.raw.ptr, field->width, c->order);
    if (field->kind == PC_BITS)
        leaf.value = pc_bits_value(field, leaf.value, c->order);
    if (field->kind == PC_ORDER && leaf.value <= 1)
        c->order = leaf.value ? PC_BIG : PC_LITTLE;
    pc_walk_keep(walk, field, leaf.at, leaf.value);
    return pc_walk_show(walk, &leaf);
}

/* 6 from "0.6" on, else 0: no row asks for more. "6" and ".6" are such too. */
static uint64_t version_number(struct pc_span text)
{
    const unsigned char *p = text.ptr;
    bool whole = false;
    for (; *p >= '0' && *p <= '9'; p++)
        whole |= *p != '0';
    return whole || (*p == '.' && p[1] >= '6' && p[1] <= '9') ? 6 : 0;
}

static bool walk_bytes(struct pc_walk *walk, const struct pc_field *field)
{
    struct pc_cursor *c = walk->c;
    struct pc_leaf leaf = { .field = field, .at = c->pos, .walk = walk };
    uint64_t n = 0;
    switch (field->kind) {
    case PC_ZSTR:
        if (!pc_take_string(c, &leaf.raw))
            return pc_walk_fail(walk, field, PC_FAULT_NO_NUL, pc_left(c), 0);
        leaf.value = leaf.raw.len - 1;
        pc_walk_keep(walk, field, leaf.at, field->cases ? version_number(leaf.raw) : leaf.value);
        return pc_walk_show(walk, &leaf);
    case PC_HSTR:
        if (!pc_peek(c, 0, 4, &n))
            return pc_walk_fail(walk, field, PC_FAULT_SHORT, 0, 4);
        if (n == 0 || n > pc_left(c) - 4)
            return pc_walk_fail(walk, field, PC_FAULT_COUNT, n, pc_left(c) - 4);
        n += 4;
        break;
    case PC_PAD:
        n = pc_align8(c->pos) - c->pos;
        break;
    case PC_LITERAL:
        n = field->arg;
        break;
    case PC_REST:
    case PC_CSTR:
        n = pc_left(c);
        break;
    default:
        n = field->count ? walk->slot[field->count] : field->arg;
        break;
    }
    if (field->kind == PC_CSTR && pc_first_zero(pc_part(c->in, c->pos, pc_left(c))) == pc_left(c))
        return pc_walk_fail(walk, field, PC_FAULT_NO_NUL, pc_left(c), 0);
    if (!pc_take(c, n, &leaf.raw))
        return pc_walk_fail(walk, field, PC_FAULT_SHORT, 0, n);
    if (field->kind == PC_LITERAL && memcmp(leaf.raw.ptr, field->text, leaf.raw.len) != 0) {
        leaf.fault = PC_FAULT_TEXT;
        pc_walk_show(walk, &leaf);
        return false;
    }
    if (field->kind == PC_CSTR || field->kind == PC_TEXT)
        leaf.value = pc_first_zero(leaf.raw);
    else if (field->kind == PC_HSTR)
        leaf.value = pc_first_zero(pc_part(leaf.raw, 4, leaf.raw.len - 4));
    else
        leaf.value = leaf.raw.len;
    pc_walk_keep(walk, field, leaf.at, leaf.value);
    /* Nothing left over and no padding are no leaves. */
    return (n == 0 && (field->kind == PC_REST || field->kind == PC_PAD)) || pc_walk_show(walk, &leaf);
}

/* The table over and over: nr times, or until the frame ends when nr is PC_NO_INDEX. */
static bool walk_repeat(struct pc_walk *walk, const struct pc_field *field, uint64_t nr)
{
    uint64_t outer = walk->nr;
    struct pc_step *step = pc_walk_push(walk, field);
    bool sound = true;
    walk->nr = nr;
    for (uint64_t i = 0; sound && (nr == PC_NO_INDEX ? pc_left(walk->c) != 0 : i < nr); i++) {
        size_t before = walk->c->pos;
        step->index = i;
        sound = pc_walk_table(walk, field->sub);
        /* An element takes at least pc_least_size bytes, so that a count is always paid for by input. */
        assert(!sound || walk->c->pos > before);
    }
    walk->depth--;
    walk->nr = outer;
    return sound;
}

/* One integer that nothing else depends on. */
static bool is_plain(const struct pc_field *table)
{
    return table->kind == PC_UINT && table[1].kind == PC_END && !table->when && !table->save && !table->cases;
}

/* All elements of an array at once. */
static bool walk_plain(struct pc_walk *walk, const struct pc_field *element, uint64_t nr)
{
    struct pc_leaf leaf = {
        .field = element, .at = walk->c->pos, .value = nr, .is_array = true, .walk = walk
    };
    if (!pc_take(walk->c, nr * element->width, &leaf.raw))
        return pc_walk_fail(walk, element, PC_FAULT_SHORT, nr, element->width);
    return pc_walk_show(walk, &leaf);
}

static bool walk_array(struct pc_walk *walk, const struct pc_field *field)
{
    if (field->kind == PC_UNTIL_END)
        return walk_repeat(walk, field, PC_NO_INDEX);
    uint64_t nr = walk->slot[field->count];
    uint64_t least = pc_least_size(field->sub, walk->mask);
    assert(least != 0); /* an element has a row that is always there */
    uint64_t most = pc_left(walk->c) / least;
    if (nr > most && (field->flags & PC_IF_FITS))
        return true;
    if (nr > most)
        return pc_walk_fail(walk, field, PC_FAULT_COUNT, nr, most);
    if (walk->bulk && is_plain(field->sub) && nr != 0)
        return walk_plain(walk, field->sub, nr);
    return walk_repeat(walk, field, nr);
}

static bool walk_frame(struct pc_walk *walk, const struct pc_field *field)
{
    struct pc_cursor *outer = walk->c, inner;
    uint64_t len = walk->slot[field->count];
    if (len < field->arg)
        return pc_walk_fail(walk, field, PC_FAULT_COUNT, len, field->arg);
    len -= field->arg;
    if (!pc_narrow(outer, len, &inner))
        return pc_walk_fail(walk, field, PC_FAULT_SHORT, walk->slot[field->count], len);
    static const struct pc_field rest[] = { PC_ROW("rest", PC_REST, .flags = PC_UNKNOWN), END };
    struct pc_leaf whole = { .field = field, .at = outer->pos, .value = len, .walk = walk };
    whole.raw = pc_part(outer->in, outer->pos, (size_t)len);
    if (walk->enter && !walk->enter(walk->ctx, &whole))
        return false;
    walk->c = &inner;
    bool framed = walk->framed;
    walk->framed = true;
    if (field->name)
        pc_walk_push(walk, field);
    bool sound = pc_walk_table(walk, field->sub) && pc_walk_table(walk, rest);
    walk->framed = framed;
    if (field->name)
        walk->depth--;
    walk->c = outer;
    outer->pos = inner.pos;
    return sound && (!walk->leave || walk->leave(walk->ctx, &whole));
}

static bool walk_sub(struct pc_walk *walk, const struct pc_field *field)
{
    if (!field->name)
        return pc_walk_table(walk, field->sub);
    pc_walk_push(walk, field);
    bool sound = pc_walk_table(walk, field->sub);
    walk->depth--;
    return sound;
}

static bool walk_row(struct pc_walk *walk, const struct pc_field *field)
{
    uint64_t value;
    switch ((enum pc_kind)field->kind) {
    case PC_UINT:
    case PC_BITS:
    case PC_ORDER:
        return walk_number(walk, field);
    case PC_REPEAT:
    case PC_UNTIL_END:
        return walk_array(walk, field);
    case PC_SUB:
        return walk_sub(walk, field);
    case PC_FRAME:
        return walk_frame(walk, field);
    case PC_MESSAGE:
        return pc_walk_message(walk, field);
    case PC_PEEK:
        if ((field->flags & PC_IF_WORDS) && (pc_left(walk->c) + walk->missing) % 8 != 0)
            return true;
        if (!pc_peek(walk->c, field->arg, field->width, &value))
            return (field->flags & PC_IF_FITS) ||
                   pc_walk_fail(walk, field, PC_FAULT_SHORT, 0, field->arg + field->width);
        pc_walk_keep(walk, field, walk->c->pos + (size_t)field->arg, value);
        return true;
    default:
        return walk_bytes(walk, field);
    }
}

/* A revision of the structure may end anywhere. */
static bool is_cut(const struct pc_field *field, size_t left)
{
    return (field->flags & PC_OPTIONAL) && left < (field->width ? field->width : field->arg);
}

bool pc_walk_table(struct pc_walk *walk, const struct pc_field *table)
{
    for (const struct pc_field *field = table; field->kind != PC_END; field++) {
        if (!pc_present(field, walk->mask))
            continue;
        if ((field->flags & PC_OPTIONAL) && pc_left(walk->c) == 0)
            continue;
        if (walk->framed && is_cut(field, pc_left(walk->c)))
            break; /* the rest of the frame */
        if (!walk_row(walk, field))
            return false;
    }
    return true;
}

bool pc_read_table(struct pc_walk *walk, const struct pc_field *table, struct pc_cursor c)
{
    pc_walk_init(walk, NULL, &c, NULL, NULL);
    walk->bulk = true;
    bool sound = pc_walk_table(walk, table);
    walk->c = NULL;
    return sound;
}

/* SPDX-License-Identifier: MIT
 *
 * message.c: messages of protobuf, as tables of their fields (protobuf.dev: "Encoding"). A field is a head,
 * which has its number and how long its value is, and the value. A field without a row is shown as bytes, as
 * readers skip it. What is not there is 0.
 */
#include "format/field.h"
#include "format/rows.h"

#define ROWS_MAX   16  /* fields of a message */
#define GROUPS_MAX 100 /* one in another, which readers skip */

/* How long a value is, in the lower bits of a head. A group has fields, up to an end of its number. */
enum form { AS_VARINT = 0, AS_8_BYTES = 1, AS_BYTES = 2, AS_GROUP = 3, AS_GROUP_END = 4, AS_4_BYTES = 5 };
#define FORM_BITS 3

static bool take_varint(struct pc_cursor *c, uint64_t *value)
{
    const unsigned bytes_max = 10;
    struct pc_span byte;
    *value = 0;
    for (unsigned i = 0; i < bytes_max && pc_take(c, 1, &byte); i++) {
        *value |= (uint64_t)(byte.ptr[0] & 0x7f) << 7 * i;
        if (byte.ptr[0] < 0x80)
            return true;
    }
    return false;
}

/* A field at the cursor. */
struct part {
    uint64_t number, value; /* value: of a varint; else the bytes of content */
    enum form form;
    size_t at;
};

static bool take_key(struct pc_cursor *c, struct part *part)
{
    const uint64_t number_max = ((uint64_t)1 << 29) - 1;
    uint64_t key;
    part->at = c->pos;
    if (!take_varint(c, &key))
        return false;
    part->number = key >> FORM_BITS;
    part->form = (enum form)(key & ((1u << FORM_BITS) - 1));
    return part->number != 0 && part->number <= number_max;
}

/* A varint, or how long the content is, which is there. */
static bool take_value(struct pc_cursor *c, struct part *part)
{
    switch (part->form) {
    case AS_VARINT:
        return take_varint(c, &part->value);
    case AS_BYTES:
        return take_varint(c, &part->value) && part->value <= pc_left(c);
    case AS_8_BYTES:
        part->value = 8;
        break;
    case AS_4_BYTES:
        part->value = 4;
        break;
    default:
        return false;
    }
    return part->value <= pc_left(c);
}

/* Passes the fields of a group and its end. False: it has none, or is no group. */
static bool skip_group(struct pc_cursor *c, uint64_t number)
{
    uint64_t open[GROUPS_MAX] = { number };
    size_t depth = 1;
    struct part inner;
    struct pc_span content;
    while (depth != 0) {
        if (!take_key(c, &inner))
            return false;
        if (inner.form == AS_GROUP) {
            if (depth == GROUPS_MAX)
                return false;
            open[depth++] = inner.number;
        } else if (inner.form == AS_GROUP_END) {
            if (inner.number != open[--depth])
                return false;
        } else if (!take_value(c, &inner) ||
                   (inner.form != AS_VARINT && !pc_take(c, inner.value, &content))) {
            return false;
        }
    }
    return true;
}

/* Takes the head, and a varint; content is left to the caller. */
static bool take_head(struct pc_cursor *c, struct part *part)
{
    struct pc_cursor end;
    if (!take_key(c, part) || (part->form != AS_GROUP && !take_value(c, part)))
        return false;
    if (part->form == AS_GROUP) {
        end = *c;
        if (!skip_group(&end, part->number))
            return false;
        part->value = end.pos - c->pos;
    }
    return true;
}

/* Writers may pack numbers or not; readers take both. */
static bool has_form(const struct pc_field *row, enum form form)
{
    if (row->kind == PC_PACKED && form == AS_VARINT)
        return true;
    return form == (row->kind == PC_VARINT ? AS_VARINT : AS_BYTES);
}

static const struct pc_field *row_of(const struct pc_field *rows, const struct part *part)
{
    for (const struct pc_field *row = rows; row->kind != PC_END; row++) {
        if (row->number == part->number && has_form(row, part->form))
            return row;
    }
    return NULL;
}

/* Shows the bytes from the head of a field to the cursor. */
static bool show(struct pc_walk *walk, const struct pc_field *row, const struct part *part)
{
    struct pc_cursor *c = walk->c;
    struct pc_leaf leaf = { .field = row, .at = part->at, .value = part->value, .walk = walk };
    leaf.raw = pc_part(c->in, part->at, c->pos - part->at);
    pc_walk_keep(walk, row, part->at, part->value);
    return pc_walk_show(walk, &leaf);
}

/* Walks the fields `rows`. `message`: the outermost message, which a fault is about. */
static bool walk_fields(struct pc_walk *walk, const struct pc_field *message, const struct pc_field *rows);

static const struct pc_field number_row = PC_ROW(NULL, PC_VARINT);

/* `nr` of this row came before. */
static bool walk_numbers(struct pc_walk *walk, const struct pc_field *message, struct pc_step *step,
                         uint64_t *nr)
{
    struct part part = { .form = AS_VARINT };
    while (pc_left(walk->c) != 0) {
        step->index = (*nr)++;
        part.at = walk->c->pos;
        if (!take_varint(walk->c, &part.value)) {
            walk->c->pos = part.at;
            return pc_walk_fail(walk, message, PC_FAULT_MESSAGE, 0, 0);
        }
        if (!show(walk, &number_row, &part))
            return false;
    }
    return true;
}

static bool walk_unpacked(struct pc_walk *walk, const struct pc_field *row, const struct part *part,
                          uint64_t *nr)
{
    pc_walk_push(walk, row)->index = (*nr)++;
    bool sound = show(walk, &number_row, part);
    walk->depth--;
    return sound;
}

/* A message, or numbers, in a message: its head, then what it has. */
static bool walk_inner(struct pc_walk *walk, const struct pc_field *message, const struct pc_field *row,
                       const struct part *part, uint64_t *nr)
{
    static const struct pc_field head = PC_ROW("size", PC_HEAD);
    struct pc_cursor *outer = walk->c, inner;
    struct pc_step *step = pc_walk_push(walk, row);
    step->index = row->kind == PC_REPEAT ? *nr : PC_NO_INDEX;
    bool sound = show(walk, &head, part) && pc_narrow(outer, part->value, &inner);
    pc_walk_keep(walk, row, part->at, part->number);
    if (sound) {
        walk->c = &inner;
        sound = row->kind == PC_PACKED ? walk_numbers(walk, message, step, nr)
                                       : walk_fields(walk, message, row->sub);
        walk->c = outer;
        outer->pos = inner.pos;
    }
    walk->depth--;
    return sound;
}

static bool walk_part(struct pc_walk *walk, const struct pc_field *message, const struct pc_field *row,
                      const struct part *part, uint64_t *nr)
{
    static const struct pc_field unknown = PC_ROW("unknown", PC_BLOB);
    struct part skipped = *part;
    struct pc_span content;
    if (row && row->kind == PC_PACKED && part->form == AS_VARINT)
        return walk_unpacked(walk, row, part, nr);
    if (row && (row->kind == PC_SUB || row->kind == PC_REPEAT || row->kind == PC_PACKED))
        return walk_inner(walk, message, row, part, nr);
    if (part->form != AS_VARINT)
        pc_take(walk->c, part->value, &content);
    skipped.value = walk->c->pos - part->at;
    return show(walk, row ? row : &unknown, row ? part : &skipped);
}

static bool walk_fields(struct pc_walk *walk, const struct pc_field *message, const struct pc_field *rows)
{
    uint64_t seen[ROWS_MAX] = { 0 }, none = 0;
    struct part part;
    for (const struct pc_field *row = rows; row->kind != PC_END; row++) {
        assert(row - rows < ROWS_MAX);
        if (row->cases || row->save)
            pc_walk_keep(walk, row, walk->c->pos, 0);
    }
    while (pc_left(walk->c) != 0) {
        size_t at = walk->c->pos;
        if (!take_head(walk->c, &part)) {
            walk->c->pos = at;
            return pc_walk_fail(walk, message, PC_FAULT_MESSAGE, 0, 0);
        }
        const struct pc_field *row = row_of(rows, &part);
        if (!walk_part(walk, message, row, &part, row ? &seen[row - rows] : &none))
            return false;
        for (const struct pc_field *other = rows; row && row->when != 0 && other->kind != PC_END; other++)
            seen[other - rows] *= other->when == 0; /* of these the last one is there */
        if (row && row->kind != PC_PACKED)          /* its numbers are counted */
            seen[row - rows]++;
    }
    for (const struct pc_field *row = rows; row->kind != PC_END; row++) {
        if ((row->when & walk->mask) != 0 && seen[row - rows] == 0)
            return pc_walk_fail(walk, row, PC_FAULT_MESSAGE, 0, 0);
    }
    return true;
}

bool pc_walk_message(struct pc_walk *walk, const struct pc_field *message)
{
    return walk_fields(walk, message, message->sub);
}

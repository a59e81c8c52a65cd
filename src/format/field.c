/* SPDX-License-Identifier: MIT
 *
 * field.c: rules of rows, and what all kinds of rows need of a walk.
 */
#include "format/field.h"
#include "format/rows.h"

#include <string.h>

uint64_t pc_leaf_index(const struct pc_leaf *leaf, unsigned depth)
{
    return leaf->walk->depth > depth ? leaf->walk->path[depth].index : PC_NO_INDEX;
}

void pc_walk_init(struct pc_walk *walk, const struct pc_layout *layout, struct pc_cursor *c, pc_visit *visit,
                  void *ctx)
{
    memset(walk, 0, sizeof(*walk));
    walk->c = c;
    walk->visit = visit;
    walk->ctx = ctx;
    if (layout) {
        walk->mask = layout->mask;
        memcpy(walk->slot, layout->slot, sizeof(layout->slot));
    }
}

uint64_t pc_select(const struct pc_field *field, uint64_t mask, uint64_t value)
{
    uint64_t chosen = 0;
    for (const struct pc_case *one = field->cases; one->bits != 0; one++) {
        mask &= ~one->bits;
        if (value >= one->lo && value <= one->hi)
            chosen |= one->bits;
    }
    return mask | chosen;
}

bool pc_row_size(const struct pc_field *row, size_t *size)
{
    bool number = pc_is_number(row);
    bool bytes = row->kind == PC_BYTES || row->kind == PC_TEXT || row->kind == PC_LITERAL;
    *size = number ? row->width : bytes && row->count == 0 ? (size_t)row->arg : 0;
    return number || (bytes && row->count == 0) || row->kind == PC_PEEK;
}

/* The row that saves into the slot; else that where the search ended. */
static const struct pc_field *search_row(const struct pc_field *row, uint64_t mask, unsigned slot, size_t *at)
{
    for (; row->kind != PC_END && (!pc_present(row, mask) || row->save != slot); row++) {
        size_t size;
        if (!pc_present(row, mask))
            continue;
        if (row->kind == PC_SUB || row->kind == PC_FRAME) {
            const struct pc_field *inner = search_row(row->sub, mask, slot, at);
            if (inner->kind != PC_END || row->kind == PC_FRAME)
                return inner;
        } else if (pc_row_size(row, &size)) {
            *at += size;
        } else {
            return row;
        }
    }
    return row;
}

const struct pc_field *pc_find_row(const struct pc_field *table, uint64_t mask, unsigned slot, size_t *at)
{
    *at = 0;
    const struct pc_field *row = search_row(table, mask, slot, at);
    return row->kind != PC_END && row->save == slot ? row : NULL;
}

size_t pc_row_at(const struct pc_field *table, unsigned slot)
{
    size_t at;
    const struct pc_field *row = pc_find_row(table, 0, slot, &at);
    assert(row);
    (void)row;
    return at;
}

static uint64_t least_of_row(const struct pc_field *field, uint64_t mask)
{
    switch ((enum pc_kind)field->kind) {
    case PC_UINT:
    case PC_BITS:
    case PC_ORDER:
        return field->width;
    case PC_BYTES:
    case PC_TEXT:
    case PC_LITERAL:
        return field->count ? 0 : field->arg;
    case PC_CSTR:
    case PC_ZSTR:
        return 1;
    case PC_HSTR:
        return 4 + 1;
    case PC_SUB:
    case PC_FRAME:
        return pc_least_size(field->sub, mask);
    default:
        return 0;
    }
}

uint64_t pc_least_size(const struct pc_field *table, uint64_t mask)
{
    const uint64_t selected = ~(PC_DYNAMIC(0) - 1);
    uint64_t size = 0;
    for (const struct pc_field *field = table; field->kind != PC_END; field++) {
        if (!(field->flags & PC_OPTIONAL) && !(field->when & selected) && pc_present(field, mask))
            size += least_of_row(field, mask);
    }
    return size;
}

/* The place of a member in the word when it was read in its own order. */
static unsigned member_shift(const struct pc_field *field, const struct pc_bits *member, enum pc_order order)
{
    return order == PC_LITTLE ? member->at : field->width * 8u - member->at - member->width;
}

static uint64_t member_ones(const struct pc_bits *member)
{
    return member->width == 64 ? UINT64_MAX : ((uint64_t)1 << member->width) - 1;
}

uint64_t pc_bits_value(const struct pc_field *field, uint64_t word, enum pc_order order)
{
    if (order == PC_LITTLE)
        return word;
    uint64_t value = 0;
    for (const struct pc_bits *m = field->bits; m->name; m++)
        value |= (word >> member_shift(field, m, order) & member_ones(m)) << m->at;
    return value;
}

uint64_t pc_bits_word(const struct pc_field *field, uint64_t value, enum pc_order order)
{
    if (order == PC_LITTLE)
        return value;
    uint64_t word = 0;
    for (const struct pc_bits *m = field->bits; m->name; m++)
        word |= (value >> m->at & member_ones(m)) << member_shift(field, m, order);
    return word;
}

bool pc_is_padding(const struct pc_field *field)
{
    return (field->flags & PC_PADDING) || field->kind == PC_PAD || field->rule == PC_RULE_ZEROS ||
           (field->kind == PC_UINT && field->rule == PC_RULE_IS && field->arg == 0);
}

/* Markers of call chains are the values that their row has names for. */
static bool is_chain_marker(const struct pc_field *field, uint64_t value)
{
    const struct pc_name *marker = field->names;
    while (marker->name && marker->value != value)
        marker++;
    return marker->name != NULL;
}

/* An entry below the markers, or a marker; USER_DEFERRED only as the last but one, and when asked for. */
static bool chain_ok(const struct pc_field *field, uint64_t value, const struct pc_position *where)
{
    if (value < PC_CONTEXT_MAX)
        return true;
    if ((where->mask & PC_LAYOUT_DEFER) && where->index + 1 == where->nr &&
        where->before == PC_CONTEXT_USER_DEFERRED)
        return true; /* the cookie after the marker, which is no address */
    if (value == PC_CONTEXT_USER_DEFERRED)
        return (where->mask & PC_LAYOUT_DEFER) && where->nr >= 2 && where->index == where->nr - 2;
    return is_chain_marker(field, value);
}

static bool case_ok(const struct pc_field *field, uint64_t value)
{
    for (const struct pc_case *one = field->cases; one->bits != 0; one++) {
        if (value >= one->lo && value <= one->hi)
            return true;
    }
    return false;
}

size_t pc_levels_text(uint64_t data_src)
{
    /* From bit 5 on, as perf names them. It names hits and misses elsewhere. */
    static const char *const names[] = { "N/A",
                                         "",
                                         "",
                                         "L1",
                                         "LFB/MAB",
                                         "L2",
                                         "L3",
                                         "Local RAM",
                                         "Remote RAM (1 hop)",
                                         "Remote RAM (2 hops)",
                                         "Remote Cache (1 hop)",
                                         "Remote Cache (2 hops)",
                                         "I/O",
                                         "Uncached" };
    const uint64_t levels = data_src >> 5 & ((1U << PC_COUNT_OF(names)) - 1);
    size_t size = 0;
    for (size_t i = 0; levels >> i != 0; i++) {
        if ((levels >> i & 1) != 0 && names[i][0] != 0)
            size += strlen(names[i]) + (size != 0 ? strlen(" or ") : 0);
    }
    return size;
}

bool pc_rule_ok(const struct pc_field *field, uint64_t value, const struct pc_position *where)
{
    switch ((enum pc_rule)field->rule) {
    case PC_RULE_NONE:
        return true;
    case PC_RULE_MASK:
        return (value & ~field->arg) == 0;
    case PC_RULE_MAX:
        return value <= field->arg;
    case PC_RULE_IS:
        return value == field->arg;
    case PC_RULE_NONZERO:
        return value != 0;
    case PC_RULE_POWER_2:
        return (value & (value - 1)) == 0 || (field->arg != 0 && value == field->arg);
    case PC_RULE_FINITE:
        return (value >> 52 & 0x7ff) != 0x7ff;
    case PC_RULE_BRANCH:
        return (value & ~field->arg) == 0 && (value & 3) != 3 && pc_branch_new_type(value) < PC_BRANCH_NEW;
    case PC_RULE_DATA_SRC:
        return (value & ~field->arg) == 0 && pc_levels_text(value) <= PC_LEVELS_TEXT_MAX;
    case PC_RULE_CHAIN:
        return chain_ok(field, value, where);
    case PC_RULE_PAGES:
        return value != 0 && value % field->arg == 0;
    case PC_RULE_MOD8:
        return value % 8 == field->arg;
    case PC_RULE_MAX_SLOT:
        return value <= where->slot[field->arg];
    case PC_RULE_CASE:
        return case_ok(field, value);
    case PC_RULE_ZEROS:
    case PC_RULE_NUL:
    case PC_RULE_CPU_LIST:
        break;
    }
    return true;
}

/* Whether text up to its NUL is a list of CPUs as lib/bitmap.c: bitmap_print_list writes it: "0-3,8". It may
 * be empty and end with line ends. No range ends before it begins (tools/lib/perf/cpumap.c:
 * perf_cpu_map__new refuses it). */
static bool is_cpu_list(struct pc_span text)
{
    size_t len = pc_first_zero(text), digits = 0;
    uint64_t number = 0, first = 0;
    bool range = false;
    while (len > 0 && text.ptr[len - 1] == '\n') /* sysfs text keeps its line end */
        len--;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = text.ptr[i];
        if (c >= '0' && c <= '9') {
            if (number >= (uint64_t)1 << 30)
                return false;
            number = 10 * number + (c - '0');
            digits++;
            continue;
        }
        if (digits == 0 || (c != ',' && c != '-') || (range && (c == '-' || number < first)))
            return false;
        range = c == '-';
        first = number;
        number = digits = 0;
    }
    if (range && number < first)
        return false;
    return digits != 0 || text.len == 0 || text.ptr[0] == 0; /* a line end alone is no list */
}

uint64_t pc_cpu_list_last(const struct pc_leaf *leaf)
{
    uint64_t number = 0, last = 0;
    for (size_t i = 4; i < leaf->raw.len && leaf->raw.ptr[i] != 0; i++) {
        const unsigned char c = leaf->raw.ptr[i];
        number = c >= '0' && c <= '9' ? 10 * number + (c - '0') : 0;
        last = number > last ? number : last;
    }
    return last;
}

bool pc_leaf_ok(const struct pc_leaf *leaf)
{
    const struct pc_walk *walk = leaf->walk;
    if (leaf->field->rule == PC_RULE_ZEROS)
        return pc_first_nonzero(leaf->raw) == leaf->raw.len;
    if (leaf->field->rule == PC_RULE_NUL)
        return leaf->raw.len == 0 || leaf->value < leaf->raw.len;
    if (leaf->field->rule == PC_RULE_CPU_LIST)
        return is_cpu_list(pc_part(leaf->raw, 4, leaf->raw.len - 4));
    struct pc_position where = {
        .index = walk->depth ? walk->path[walk->depth - 1].index : PC_NO_INDEX,
        .nr = walk->nr,
        .mask = walk->mask,
        .slot = walk->slot,
        .before = leaf->field->rule == PC_RULE_CHAIN && leaf->at >= 8 && walk->depth &&
                          walk->path[walk->depth - 1].index > 0
                      ? pc_load(walk->c->in.ptr + leaf->at - 8, 8, walk->c->order)
                      : 0,
    };
    return pc_rule_ok(leaf->field, leaf->value, &where);
}

bool pc_walk_show(struct pc_walk *walk, const struct pc_leaf *leaf)
{
    walk->work++;
    return !walk->visit || walk->visit(walk->ctx, leaf);
}

/* Shows that the row does not fit, and ends the walk. */
bool pc_walk_fail(struct pc_walk *walk, const struct pc_field *field, enum pc_fault fault, uint64_t value,
                  uint64_t need)
{
    struct pc_cursor *c = walk->c;
    struct pc_leaf leaf = { .field = field, .fault = fault, .value = value, .need = need, .walk = walk };
    leaf.at = c->pos;
    leaf.raw = pc_part(c->in, c->pos, pc_left(c));
    if (field->count && walk->slot_width[field->count] != 0) {
        /* The finding is about the count, which is the value seen. */
        leaf.left = leaf.raw.len;
        leaf.at = walk->slot_at[field->count];
        leaf.raw = pc_part(c->in, leaf.at, walk->slot_width[field->count]);
    } else {
        leaf.left = leaf.raw.len;
    }
    pc_walk_show(walk, &leaf);
    return false;
}

/* A number of bytes rounded up to a power of two. */
static uint64_t as_room(uint64_t value, uint64_t unit)
{
    return value > UINT64_MAX - unit ? UINT64_MAX : (value + unit - 1) & ~(unit - 1);
}

static uint64_t as_count(const struct pc_field *field, uint64_t value)
{
    switch ((enum pc_as)field->as) {
    case PC_AS_IS:
        break;
    case PC_AS_LOW32:
        return value & UINT32_MAX;
    case PC_AS_WORDS:
        return value / 64 + (value % 64 != 0);
    case PC_AS_ATTR_SIZE:
        return value == 0 ? 64 : value;
    case PC_AS_TEXT:
        return value == 0 ? 0 : value > UINT64_MAX - 8 ? UINT64_MAX : pc_align8(value + 1);
    case PC_AS_ROOM_8:
        return as_room(value, 8);
    case PC_AS_ROOM_64:
        return as_room(value, 64);
    case PC_AS_ONES:
        return (uint64_t)__builtin_popcountll(value);
    }
    return value;
}

void pc_walk_keep(struct pc_walk *walk, const struct pc_field *field, size_t at, uint64_t value)
{
    if (field->save) {
        walk->slot[field->save] = as_count(field, value);
        walk->slot_at[field->save] = at;
        walk->slot_width[field->save] = field->width;
    }
    if (field->cases)
        walk->mask = pc_select(field, walk->mask, value);
}

struct pc_step *pc_walk_push(struct pc_walk *walk, const struct pc_field *field)
{
    struct pc_step *step = &walk->path[walk->depth];
    assert(walk->depth < PC_PATH_MAX);
    *step = (struct pc_step){ field->name, PC_NO_INDEX };
    walk->depth++;
    return step;
}

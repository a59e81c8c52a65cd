/* SPDX-License-Identifier: MIT
 *
 * Causes that the sections of the features tell, while their table is where the header says: one entry is
 * wrong, the file was cut, or bytes came or went in a feature.
 */
#include "check/cause_features.h"

#define CHUNK 8192

/* A feature of a few numbers has no more bytes. */
#define NUMBERS 16

struct pc_entry pc_entry_of(const struct pc_file_layout *l, const unsigned char *table, uint64_t slot)
{
    const unsigned char *p = table + slot * PC_SECTION_SIZE;
    uint64_t offset = pc_load(p, 8, l->order);
    return (struct pc_entry){ offset, pc_add_saturated(offset, pc_load(p + 8, 8, l->order)) };
}

bool pc_may_follow_table(const struct pc_file_layout *l, uint64_t table, uint64_t first)
{
    uint64_t slots = (first - table) / PC_SECTION_SIZE;
    return first > table && (first - table) % PC_SECTION_SIZE == 0 && slots >= l->slots &&
           slots <= PC_FEATURE_BITS;
}

void pc_cause_say_cut(const struct pc_file_layout *l, struct pc_cause *cause, enum pc_diag id, uint64_t end)
{
    const struct pc_context here = { .place = PC_AT_END, .offset = l->size };
    cause->finding = pc_finding_in(&here, id, 0, 0);
    cause->finding.seen = pc_uint_value(end - l->size);
    const struct pc_reader *reader = &l->scan->reader;
    const uint64_t pieces = pc_pieces_count(&reader->join.pieces, reader->records);
    cause->finding.expected = pc_uint_value(l->scan->check.flow.sum.total - pieces);
}

/* The first error of a feature, but for those that say that its section is missing; NULL: there is none. */
static const struct pc_early *damaged_feature(const struct pc_file_layout *l)
{
    const struct pc_report *report = &l->scan->report;
    for (size_t i = 0; i < report->nr_early; i++) {
        const struct pc_early *e = &report->early[i];
        if (e->place == PC_IN_FEATURE && e->id != PC_D_FEATURE_OUTSIDE)
            return e;
    }
    return NULL;
}

static bool has_error(const struct pc_file_layout *l, uint64_t bit)
{
    const struct pc_report *report = &l->scan->report;
    for (size_t i = 0; i < report->nr_early; i++) {
        if (report->early[i].place == PC_IN_FEATURE && report->early[i].number == bit)
            return true;
    }
    return false;
}

/* Whether all entries of the table but one follow each other up to the end of the file, with room for it. */
static bool fits_without(const struct pc_file_layout *l, const unsigned char *table, uint64_t slot)
{
    uint64_t least = l->table + l->slots * PC_SECTION_SIZE, expected = least;
    for (uint64_t i = 0; i < l->slots; i++) {
        struct pc_entry e = pc_entry_of(l, table, i);
        if (i == slot) {
            expected = i + 1 < l->slots ? pc_entry_of(l, table, i + 1).offset : l->size;
            if (expected < least)
                return false;
            continue;
        }
        if (i == 0 ? !pc_may_follow_table(l, l->table, e.offset) : e.offset != expected)
            return false;
        expected = least = e.end;
    }
    return expected == l->size;
}

/* One entry of the table is wrong, and all others fit. */
static bool is_entry(const struct pc_file_layout *l, struct pc_cause *cause, const unsigned char *table)
{
    uint64_t wrong = 0;
    while (wrong < l->slots && !fits_without(l, table, wrong))
        wrong++;
    if (wrong == l->slots)
        return false;
    const uint64_t bit = pc_nth_feature(l->scan->capture.features, wrong);
    struct pc_entry e = pc_entry_of(l, table, wrong);
    bool is_cut =
        wrong + 1 == l->slots && e.offset <= l->size && e.end > l->size && e.end - l->size < l->size;
    if (is_cut || !has_error(l, bit))
        return false;
    const struct pc_context entry =
        pc_feature_context(bit, (struct pc_where){ 0 }, l->table + wrong * PC_SECTION_SIZE);
    cause->finding = pc_finding_in(&entry, PC_D_FEATURE_ENTRY, 0, PC_SECTION_SIZE);
    cause->finding.seen = cause->finding.expected = pc_none;
    cause->reach.from = l->table;
    return true;
}

/* The last feature in the file that has texts or counts, and so is longer than numbers alone: its bit, and
 * its section.
 */
static uint64_t last_long(const struct pc_file_layout *l, const unsigned char *table, struct pc_entry *e)
{
    const uint64_t least = 64;
    uint64_t slot = 0, last = 0;
    *e = (struct pc_entry){ 0, 0 };
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (!pc_bit(l->scan->capture.features, bit))
            continue;
        const struct pc_entry next = pc_entry_of(l, table, slot++);
        if (next.end - next.offset < least || next.offset < e->offset)
            continue;
        *e = next;
        last = bit;
    }
    return last;
}

/* What the numbers of a feature show. */
struct numbers {
    bool sound, limited; /* limited: one of them is not 0, as a rule of its row says, or may not be large */
};

static bool judge_number(void *ctx, const struct pc_leaf *leaf)
{
    struct numbers *n = ctx;
    n->sound &= leaf->fault == PC_SOUND && pc_leaf_ok(leaf);
    n->limited |= leaf->field->rule != PC_RULE_NONE && leaf->value != 0;
    return n->sound;
}

/* Whether bytes were lost in a feature, or came in, and not at the end: such a feature is there `moved` bytes
 * earlier, modulo 2^64. *at: its place. */
static bool has_moved_end(const struct pc_file_layout *l, const unsigned char *table, uint64_t moved,
                          uint64_t *at)
{
    unsigned char content[CHUNK];
    struct numbers n = { .sound = true };
    struct pc_entry e;
    struct pc_walk walk;
    uint64_t bit = last_long(l, table, &e), size = e.end - e.offset;
    if (bit == 0 || size > sizeof(content) ||
        pc_reader_look(&l->scan->reader, e.offset - moved, content, (size_t)size) != size)
        return false;
    const struct pc_span bytes = { content, (size_t)size };
    const struct pc_field *fields = pc_feature_fields(bit, bytes);
    struct pc_cursor c = pc_cursor(bytes, l->order);
    pc_walk_init(&walk, NULL, &c, judge_number, &n);
    *at = e.offset - moved;
    return fields && pc_walk_table(&walk, fields) && n.sound && c.pos == size &&
           pc_first_nonzero(bytes) != size;
}

/* Whether a feature of numbers is `moved` bytes before its place. */
static bool has_numbers(const struct pc_file_layout *l, const unsigned char *table, uint64_t slot,
                        uint64_t moved)
{
    unsigned char content[NUMBERS];
    const struct pc_entry e = pc_entry_of(l, table, slot);
    const struct pc_span bytes = { content, (size_t)(e.end - e.offset) };
    const uint64_t bit = pc_nth_feature(l->scan->capture.features, slot);
    struct pc_cursor c = pc_cursor(bytes, l->order);
    struct numbers n = { .sound = true };
    struct pc_walk walk;
    if (e.end - e.offset > sizeof(content) || !pc_feature_fields(bit, bytes) ||
        pc_reader_look(&l->scan->reader, e.offset - moved, content, bytes.len) != bytes.len)
        return false;
    pc_walk_init(&walk, NULL, &c, judge_number, &n);
    return pc_walk_table(&walk, pc_feature_fields(bit, bytes)) && n.sound && n.limited && c.pos == bytes.len;
}

/* Whether a few bytes were lost before the last two features, which are short and of numbers: they are there
 * `moved` bytes earlier, and the first is not in its place. *at: where. */
static bool has_moved_numbers(const struct pc_file_layout *l, const unsigned char *table, uint64_t moved,
                              uint64_t *at)
{
    const uint64_t few = 16;
    if (l->slots < 3 || moved > few || has_numbers(l, table, l->slots - 2, 0) ||
        !has_numbers(l, table, l->slots - 2, moved) || !has_numbers(l, table, l->slots - 1, moved))
        return false;
    *at = pc_entry_of(l, table, l->slots - 2).offset - moved;
    return true;
}

/* Keeps where the row begins that does not fit. */
static bool keep_fault(void *ctx, const struct pc_leaf *leaf)
{
    uint64_t *at = ctx;
    if (leaf->fault != PC_SOUND)
        *at = leaf->at;
    return true;
}

/* The feature in which the file ends: whether what is there of its content is too much for its section, or
 * ends by itself, so that bytes were lost in it. *at: where that shows. */
static bool is_shorter_inside(const struct pc_file_layout *l, const unsigned char *table, uint64_t *at)
{
    const struct pc_capture *capture = &l->scan->capture;
    unsigned char content[CHUNK] = { 0 };
    uint64_t slot = 0, fault = l->size;
    struct pc_entry e = pc_entry_of(l, table, 0);
    while (slot + 1 < l->slots && e.end <= l->size)
        e = pc_entry_of(l, table, ++slot);
    if (e.offset >= l->size || e.end - e.offset > sizeof(content))
        return false;
    const struct pc_span bytes = { content, (size_t)(e.end - e.offset) };
    const uint64_t bit = pc_nth_feature(l->scan->capture.features, slot);
    const struct pc_field *fields = pc_feature_fields(bit, bytes);
    size_t got = pc_reader_look(&l->scan->reader, e.offset, content, (size_t)(l->size - e.offset));
    const struct pc_layout layout = pc_capture_feature_layout(capture);
    struct pc_cursor c = pc_cursor(bytes, l->order);
    struct pc_walk walk;
    if (!fields || !pc_capture_can_walk(capture, bit))
        return false;
    pc_walk_init(&walk, &layout, &c, keep_fault, &fault);
    bool whole = pc_walk_table(&walk, fields);
    *at = e.offset + (whole ? c.pos : fault);
    return whole ? c.pos < got : fault + sizeof(uint64_t) <= got; /* the number is there that is too large */
}

bool pc_cause_in_features(const struct pc_file_layout *l, struct pc_cause *cause)
{
    unsigned char table[PC_TABLE_MAX];
    size_t len = (size_t)l->slots * PC_SECTION_SIZE;
    uint64_t first, end, place = UINT64_MAX;
    if (pc_reader_look(&l->scan->reader, l->table, table, len) != len)
        return false;
    const bool follow = pc_sections_follow(table, l->slots, l->order, &first, &end) &&
                        pc_may_follow_table(l, l->table, first);
    /* The last entry ends before the file; it is right if the sections have moved. */
    const bool added = follow && end < l->size && has_moved_end(l, table, end - l->size, &place);
    if (!added && is_entry(l, cause, table))
        return true;
    if (!follow)
        return false;
    const struct pc_early *damaged = damaged_feature(l);
    const uint64_t moved = end - l->size;
    uint64_t at = damaged ? damaged->offset : UINT64_MAX;
    bool lost = end > l->size, shows = damaged && lost;
    if (!shows && end != l->size)
        shows = added || has_moved_end(l, table, moved, &place) ||
                (lost && (is_shorter_inside(l, table, &place) || has_moved_numbers(l, table, moved, &place)));
    at = place < at ? place : at;
    if (shows)
        pc_cause_say_moved(cause, at, moved);
    else if (lost)
        pc_cause_say_cut(l, cause, PC_D_CUT_FEATURES, end);
    return shows || lost;
}

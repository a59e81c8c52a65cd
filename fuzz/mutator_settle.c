/* SPDX-License-Identifier: MIT
 *
 * mutator_settle.c: keeps a capture consistent: adjusts offsets and sizes when bytes are inserted or
 * removed, makes the least content of a table, adds features with bit and entry, and corrects sizes and
 * offsets that are out of range.
 */
#include "mutator_parts.h"

#include <string.h>

unsigned char mut_spare[FUZZ_INPUT_MAX];

/* --- room --- */

/* The bytes after `at` are about to move. If the capture is kept consistent, adjusts offsets and the size of
 * the data. */
static void shift(struct subject *s, size_t at, size_t more, size_t less)
{
    for (size_t i = 0; i < s->nr_words; i++) {
        size_t place = s->offset_word[i];
        uint64_t value = mut_load(s, place, 8);
        if (s->fix && value >= at && !(at == s->data && place == s->data_word))
            mut_store(s, place, 8, value + more - less);
        s->offset_word[i] += place >= at ? more - less : 0;
    }
    if (s->fix && s->size_word != 0 && at >= s->data && at <= s->data_end)
        mut_store(s, s->size_word, 8, mut_load(s, s->size_word, 8) + more - less);
    s->data_end += at < s->data_end ? more - less : 0;
}

bool mut_insert(struct subject *s, size_t at, size_t n)
{
    if (at > s->len || n > s->max - s->len)
        return false;
    shift(s, at, n, 0);
    memmove(s->bytes + at + n, s->bytes + at, s->len - at);
    memset(s->bytes + at, 0, n);
    s->len += n;
    return true;
}

void mut_cut(struct subject *s, size_t at, size_t n)
{
    if (at > s->len || n > s->len - at)
        return;
    shift(s, at, 0, n);
    memmove(s->bytes + at, s->bytes + at + n, s->len - at - n);
    s->len -= n;
}

bool mut_insert_bytes(struct subject *s, size_t at, const unsigned char *bytes, size_t n)
{
    if (!mut_insert(s, at, n))
        return false;
    memcpy(s->bytes + at, bytes, n);
    return true;
}

void mut_copy_bytes(struct subject *s, size_t from, size_t n, size_t to, bool moved)
{
    if (n > sizeof(mut_spare))
        return;
    memcpy(mut_spare, s->bytes + from, n);
    if (moved) {
        to -= to > from ? n : 0;
        mut_cut(s, from, n);
    }
    mut_insert_bytes(s, to, mut_spare, n);
}

/* --- the least content --- */

/* The fewest zeros that a table accepts, and other values where it needs them. */
struct least {
    unsigned char *bytes;
    size_t len, room;
    bool again; /* something changed, so later parts may change too */
};

/* A value that keeps the rule of its row; 0: none is known. */
static uint64_t least_value(const struct pc_field *field)
{
    switch ((enum pc_rule)field->rule) {
    case PC_RULE_NONZERO:
        return 1;
    case PC_RULE_IS:
    case PC_RULE_PAGES:
    case PC_RULE_MOD8:
        return field->arg;
    case PC_RULE_CASE:
        return field->cases->lo;
    default:
        return 0;
    }
}

static bool settle_least(void *ctx, const struct pc_leaf *leaf)
{
    const size_t string = 64; /* tools/perf/util/header.c: NAME_ALIGN */
    const struct pc_field *field = leaf->field;
    const struct pc_cursor *c = leaf->walk->c;
    struct least *l = ctx;
    l->again = true;
    if (leaf->fault == PC_FAULT_SHORT) {
        l->len = (size_t)pc_add_saturated(c->pos, leaf->need);
    } else if (leaf->fault == PC_FAULT_NO_NUL) {
        l->len = (size_t)pc_align8(l->len + 1);
    } else if (leaf->fault == PC_FAULT_COUNT && field->kind == PC_HSTR) {
        pc_store(l->bytes + c->pos, 4, string, c->order);
        l->len = c->pos + 4 + string;
    } else if (leaf->fault == PC_FAULT_TEXT) {
        memcpy(l->bytes + leaf->at, field->text, leaf->raw.len);
    } else if (leaf->fault == PC_SOUND && field->kind == PC_UINT && !pc_leaf_ok(leaf) &&
               leaf->value != least_value(field)) {
        pc_store(l->bytes + leaf->at, field->width, least_value(field), c->order);
    } else {
        l->again = false;
        return leaf->fault == PC_SOUND;
    }
    return false;
}

size_t mut_least_content(const struct pc_field *table, const struct pc_layout *layout, enum pc_order order,
                         unsigned char *bytes, size_t room)
{
    struct least l = { .bytes = bytes, .room = room };
    struct pc_walk walk;
    for (unsigned tries = 0; tries < 64 && l.len <= room; tries++) {
        struct pc_cursor c = pc_cursor((struct pc_span){ bytes, l.len }, order);
        pc_walk_init(&walk, layout, &c, settle_least, &l);
        if (pc_walk_table(&walk, table))
            return c.pos;
        if (!l.again)
            break;
    }
    return SIZE_MAX;
}

/* --- features that are added or removed --- */

/* Adds an entry before those of higher bits, for content at the end of the file. */
static bool add_to_file(struct subject *s, unsigned bit, const unsigned char *content, size_t n)
{
    size_t entry = mut_entry_of(s, bit), word = s->bitmap + bit / 64 * 8;
    if (s->bitmap == 0 || n > s->max - s->len || PC_SECTION_SIZE > s->max - s->len - n)
        return false;
    uint64_t data_size = mut_load(s, s->size_word, 8);
    if (!mut_insert(s, entry, PC_SECTION_SIZE))
        return false;
    mut_store(s, s->size_word, 8, data_size); /* the table is no part of the data */
    mut_store(s, word, 8, mut_load(s, word, 8) | PC_FLAG(bit % 64));
    mut_store(s, entry, 8, s->len);
    mut_store(s, entry + 8, 8, n);
    memcpy(s->bytes + s->len, content, n);
    s->len += n;
    return true;
}

/* The place of a new feature in a pipe: after the attrs and the features of lower bits. */
static size_t place_in_pipe(const struct subject *s, unsigned bit)
{
    size_t place = s->data;
    for (size_t i = 0; i < s->nr_records; i++) {
        struct feature f;
        bool is_feature = mut_feature_of_record(s, i, &f);
        if (is_feature ? f.bit > bit : mut_load(s, s->record[i], 4) != PC_HEADER_ATTR)
            break;
        place = s->record[i] + mut_size_of(s, i);
    }
    return place;
}

static bool add_to_pipe(struct subject *s, unsigned bit, const unsigned char *content, size_t n)
{
    const size_t head = PC_RECORD_HEADER_SIZE + 8;
    size_t at = place_in_pipe(s, bit), size = (size_t)pc_align8(head + n);
    if (size > PC_RECORD_SIZE_MAX || !mut_insert(s, at, size))
        return false;
    mut_store(s, at, 4, PC_HEADER_FEATURE);
    mut_store(s, at + 6, 2, size);
    mut_store(s, at + PC_RECORD_HEADER_SIZE, 8, bit);
    memcpy(s->bytes + at + head, content, n);
    return true;
}

bool mut_add_feature(struct subject *s, unsigned bit, const unsigned char *content, size_t n)
{
    bool added = s->pipe ? add_to_pipe(s, bit, content, n) : add_to_file(s, bit, content, n);
    if (added)
        mut_look(s);
    return added;
}

void mut_drop_feature(struct subject *s, const struct feature *f)
{
    const size_t head = PC_RECORD_HEADER_SIZE + 8;
    if (f->entry == 0) {
        mut_cut(s, f->at - head, f->len + head);
        return;
    }
    size_t word = s->bitmap + f->bit / 64 * 8;
    uint64_t data_size = mut_load(s, s->size_word, 8);
    mut_cut(s, f->entry, PC_SECTION_SIZE);
    mut_store(s, s->size_word, 8, data_size); /* the table is no part of the data */
    mut_store(s, word, 8, mut_load(s, word, 8) & ~PC_FLAG(f->bit % 64));
}

/* --- correct sizes without a change of length --- */

/* Makes a section end inside the file. The word after `word` has its size. */
static void settle_section(struct subject *s, size_t word)
{
    uint64_t at = mut_load(s, word, 8), size = mut_load(s, word + 8, 8);
    if (at > s->len)
        mut_store(s, word, 8, at = s->data_end);
    if (size > s->len - at)
        mut_store(s, word + 8, 8, s->len - at);
}

void mut_settle(uint8_t *data, size_t size)
{
    struct subject s = mut_subject_of(data, size, size, 1);
    uint64_t sum = size;
    for (size_t i = 0; i < size; i++)
        sum = sum * 31 + data[i];
    if (sum % 8 == 0) /* damaged parts are searched too */
        return;
    s.len -= mut_options(&s);
    mut_look(&s);
    for (size_t i = 0; i < s.nr_words; i++)
        settle_section(&s, s.offset_word[i]);
    mut_look(&s); /* the entries may have been among the records */
    size_t at = s.known ? s.data : s.len, last = s.nr_records - 1;
    if (s.nr_records != 0)
        at = s.record[last] + mut_size_of(&s, last) +
             mut_payload_of(&s, s.record[last], mut_size_of(&s, last));
    /* Makes the first record with a wrong size end where the data end. */
    size_t left = s.known && at < s.data_end ? s.data_end - at : 0;
    if (left >= PC_RECORD_HEADER_SIZE && s.nr_records < RECORDS)
        mut_store(&s, at + 6, 2, left <= PC_RECORD_SIZE_MAX ? left : PC_RECORD_HEADER_SIZE);
}

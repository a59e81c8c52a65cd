/* SPDX-License-Identifier: MIT */
#include "mutator.h"
#include "build_capture.h"
#include "harness.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cursor.h"
#include "format.h"
#include "inflate.h"

#define RECORDS 512
#define WORDS   512

/* What is taken out, or will come in. */
static unsigned char spare[FUZZ_INPUT_MAX];

/* A capture that is being changed. */
struct subject {
    unsigned char *bytes;
    size_t len, max;
    uint64_t random;
    bool fix; /* sizes and offsets follow what is changed; 7 times in 8 */
    /* What was found. */
    enum pc_order order;
    bool known, pipe;
    size_t data, data_end;                          /* where records stand */
    size_t attrs, attr_entry, nr_attrs, attrs_word; /* the word that says how many bytes they have */
    size_t size_word; /* place of the word that says how long the data are; 0: none */
    size_t bitmap;    /* place; 0: none */
    size_t record[RECORDS], nr_records;
    size_t offset_word[WORDS], nr_words; /* places of words that hold offsets; behind each a size */
    size_t data_word;                    /* the one of them that says where the data begin; 0: none */
    struct pc_layout layout;             /* of the first attr */
};

static uint64_t pick(struct subject *s, uint64_t below)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return below == 0 ? 0 : (s->random >> 16) % below;
}

static uint64_t load(const struct subject *s, size_t at, unsigned width)
{
    return at <= s->len && width <= s->len - at ? pc_load(s->bytes + at, width, s->order) : 0;
}

static void store(struct subject *s, size_t at, unsigned width, uint64_t value)
{
    if (at <= s->len && width <= s->len - at)
        pc_store(s->bytes + at, width, value, s->order);
}

/* --- what stands where --- */

static void add_word(struct subject *s, size_t at)
{
    if (at + 8 <= s->len && s->nr_words < WORDS)
        s->offset_word[s->nr_words++] = at;
}

static size_t bounded(const struct subject *s, uint64_t at)
{
    return at < s->len ? (size_t)at : s->len;
}

static struct pc_span part(const struct subject *s, size_t at, size_t n)
{
    return pc_part((struct pc_span){ s->bytes, s->len }, at, n);
}

static void find_attrs(struct subject *s, const struct pc_walk *head)
{
    s->attrs = bounded(s, head->slot[PC_HEAD_ATTRS_OFFSET]);
    s->attrs_word = head->slot_at[PC_HEAD_ATTRS_SIZE];
    s->attr_entry = (size_t)(head->slot[PC_HEAD_ATTR_SIZE] & 0xffff);
    size_t room = s->len - s->attrs, size = (size_t)(head->slot[PC_HEAD_ATTRS_SIZE] & 0xfffff);
    if (s->attr_entry < PC_ATTR_SIZE_MIN + PC_SECTION_SIZE)
        return;
    s->nr_attrs = (size < room ? size : room) / s->attr_entry;
    for (size_t i = 0; i < s->nr_attrs; i++)
        add_word(s, s->attrs + (i + 1) * s->attr_entry - PC_SECTION_SIZE);
}

/* A feature: a section of a file, or what is in a record of a pipe. */
struct feature {
    unsigned bit;
    size_t entry; /* in the table of a file; 0: none */
    size_t at, len;
};

static bool has_bit(const struct subject *s, unsigned bit)
{
    return s->bitmap != 0 && (load(s, s->bitmap + bit / 64 * 8, 8) >> bit % 64 & 1);
}

static struct feature feature_of_entry(const struct subject *s, unsigned bit, size_t entry)
{
    struct feature f = { .bit = bit, .entry = entry, .at = bounded(s, load(s, entry, 8)) };
    f.len = bounded(s, load(s, entry + 8, 8));
    f.len = f.len < s->len - f.at ? f.len : s->len - f.at;
    return f;
}

/* Words of the index of AUX data, which say where records are. */
static bool add_index_word(void *ctx, const struct pc_leaf *leaf)
{
    struct subject *s = ctx;
    if (leaf->fault == PC_SOUND && leaf->field->save == PC_FEAT_A)
        add_word(s, (size_t)(leaf->raw.ptr - s->bytes));
    return leaf->fault == PC_SOUND && s->nr_words < WORDS;
}

static void find_index(struct subject *s, size_t entry)
{
    struct feature f = feature_of_entry(s, PC_AUXTRACE_INDEX, entry);
    struct pc_cursor c = pc_cursor(part(s, f.at, f.len), s->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, add_index_word, s);
    pc_walk_table(&walk, pc_feature_info(PC_AUXTRACE_INDEX)->fields);
}

static void find_file(struct subject *s)
{
    struct pc_cursor c = pc_cursor((struct pc_span){ s->bytes, s->len }, s->order);
    struct pc_walk head;
    pc_walk_init(&head, NULL, &c, NULL, NULL);
    if (!pc_walk_table(&head, pc_file_header))
        return;
    s->known = true;
    s->data = bounded(s, head.slot[PC_HEAD_DATA_OFFSET]);
    s->data_end = bounded(s, pc_add_saturated(s->data, head.slot[PC_HEAD_DATA_SIZE]));
    s->size_word = head.slot_at[PC_HEAD_DATA_SIZE];
    s->bitmap = head.slot_at[PC_HEAD_FEATURES];
    add_word(s, head.slot_at[PC_HEAD_ATTRS_OFFSET]);
    s->data_word = head.slot_at[PC_HEAD_DATA_OFFSET];
    add_word(s, s->data_word);
    add_word(s, head.slot_at[PC_HEAD_TYPES_OFFSET]);
    find_attrs(s, &head);
    size_t entry = s->data_end, index = 0;
    for (unsigned bit = 0; s->bitmap != 0 && bit < PC_FEATURE_BITS; bit++) {
        if (!has_bit(s, bit))
            continue;
        if (bit == PC_AUXTRACE_INDEX)
            index = entry;
        add_word(s, entry);
        entry += PC_SECTION_SIZE;
    }
    if (index != 0)
        find_index(s, index);
}

static size_t size_of(const struct subject *s, size_t record)
{
    return (size_t)load(s, s->record[record] + 6, 2);
}

/* The first attr: an entry of the file, or in a record of a pipe, with what is behind it there. */
static void find_layout(struct subject *s)
{
    struct pc_span first = { NULL, 0 };
    uint64_t slot[PC_SLOTS];
    size_t i = 0;
    while (s->pipe && i < s->nr_records && load(s, s->record[i], 4) != PC_HEADER_ATTR)
        i++;
    if (s->nr_attrs != 0)
        first = part(s, s->attrs, s->attr_entry - PC_SECTION_SIZE);
    else if (s->pipe && i < s->nr_records)
        first = part(s, s->record[i] + PC_RECORD_HEADER_SIZE, size_of(s, i) - PC_RECORD_HEADER_SIZE);
    if (first.len >= PC_ATTR_SIZE_MIN && pc_attr_walk(first, s->order, slot))
        s->layout = pc_attr_layout(slot);
}

/* The bytes behind a record that belong to it. */
static size_t payload_of(const struct subject *s, size_t at, size_t size)
{
    uint32_t type = (uint32_t)load(s, at, 4);
    if (type != PC_AUXTRACE && type != PC_HEADER_TRACING_DATA)
        return 0;
    struct pc_cursor c = { .in = part(s, at, size), .pos = PC_RECORD_HEADER_SIZE, .order = s->order };
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    if (!pc_walk_table(&walk, pc_record_info(type)->fields))
        return 0;
    size_t left = s->data_end - at - size;
    return walk.slot[PC_REC_SIZE] < left ? (size_t)walk.slot[PC_REC_SIZE] : left;
}

static void look(struct subject *s)
{
    static const uint64_t magic = 0x32454c4946524550; /* PERFILE2 */
    s->nr_records = s->nr_words = s->nr_attrs = 0;
    s->known = s->pipe = false;
    s->size_word = s->data_word = s->bitmap = 0;
    s->layout = (struct pc_layout){ 0 };
    if (s->len < PC_PIPE_HEADER_SIZE)
        return;
    s->order = pc_load(s->bytes, 8, PC_BIG) == magic ? PC_BIG : PC_LITTLE;
    if (load(s, 8, 8) == PC_PIPE_HEADER_SIZE) {
        s->known = s->pipe = true;
        s->data = PC_PIPE_HEADER_SIZE;
        s->data_end = s->len;
    } else {
        find_file(s);
    }
    for (size_t at = s->data, size; s->known && at + PC_RECORD_HEADER_SIZE <= s->data_end; at += size) {
        size = (size_t)load(s, at + 6, 2);
        if (size < PC_RECORD_HEADER_SIZE || size > s->data_end - at || s->nr_records == RECORDS)
            break;
        s->record[s->nr_records++] = at;
        at += payload_of(s, at, size);
    }
    find_layout(s);
}

/* --- room --- */

/* What stands behind `at` is about to move. When the capture is kept consistent, offsets become others, and
 * the data longer or shorter. */
static void shift(struct subject *s, size_t at, size_t more, size_t less)
{
    for (size_t i = 0; i < s->nr_words; i++) {
        size_t place = s->offset_word[i];
        uint64_t value = load(s, place, 8);
        if (s->fix && value >= at && !(at == s->data && place == s->data_word))
            store(s, place, 8, value + more - less);
        s->offset_word[i] += place >= at ? more - less : 0;
    }
    if (s->fix && s->size_word != 0 && at >= s->data && at <= s->data_end)
        store(s, s->size_word, 8, load(s, s->size_word, 8) + more - less);
    s->data_end += at < s->data_end ? more - less : 0;
}

/* n bytes of zeros at a place; false: there is no room. */
static bool insert(struct subject *s, size_t at, size_t n)
{
    if (at > s->len || n > s->max - s->len)
        return false;
    shift(s, at, n, 0);
    memmove(s->bytes + at + n, s->bytes + at, s->len - at);
    memset(s->bytes + at, 0, n);
    s->len += n;
    return true;
}

static void cut(struct subject *s, size_t at, size_t n)
{
    if (at > s->len || n > s->len - at)
        return;
    shift(s, at, 0, n);
    memmove(s->bytes + at, s->bytes + at + n, s->len - at - n);
    s->len -= n;
}

static bool insert_bytes(struct subject *s, size_t at, const unsigned char *bytes, size_t n)
{
    if (!insert(s, at, n))
        return false;
    memcpy(s->bytes + at, bytes, n);
    return true;
}

/* --- the least content --- */

/* Zeros, and as few of them as a table takes, but where it wants something else. */
struct least {
    unsigned char *bytes;
    size_t len, room;
    bool again; /* something became another: what is behind it may do so too */
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

/* How many bytes these are, in zeros; SIZE_MAX: there is no such content, or no room for it. */
static size_t least_content(const struct pc_field *table, const struct pc_layout *layout, enum pc_order order,
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

/* --- attrs --- */

/* An attr and its ids: an entry of a file and a section, or a record of a pipe. */
struct event {
    size_t at, len;
    size_t ids, ids_len;
    size_t entry;  /* of the section of ids; 0: none */
    size_t record; /* 0: none */
};
#define EVENTS 64

static struct event event_of_entry(const struct subject *s, size_t n)
{
    struct event e = { .at = s->attrs + n * s->attr_entry, .len = s->attr_entry - PC_SECTION_SIZE };
    e.entry = e.at + e.len;
    e.ids = bounded(s, load(s, e.entry, 8));
    e.ids_len = bounded(s, load(s, e.entry + 8, 8));
    e.ids_len = e.ids_len < s->len - e.ids ? e.ids_len : s->len - e.ids;
    return e;
}

static struct event event_of_record(const struct subject *s, size_t i)
{
    size_t size = size_of(s, i), left = size - PC_RECORD_HEADER_SIZE;
    struct pc_cursor c = { .in = part(s, s->record[i], size), .pos = PC_RECORD_HEADER_SIZE };
    struct pc_walk walk;
    c.order = s->order;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    pc_walk_table(&walk, pc_record_info(PC_HEADER_ATTR)->fields);
    struct event e = { .record = s->record[i], .at = s->record[i] + PC_RECORD_HEADER_SIZE };
    e.len = walk.slot[PC_SLOT_A] < left ? (size_t)walk.slot[PC_SLOT_A] : left;
    e.ids = e.at + e.len;
    e.ids_len = left - e.len;
    return e;
}

/* The first ones; returns how many. */
static size_t find_events(const struct subject *s, struct event events[EVENTS])
{
    size_t nr = 0;
    for (; nr < s->nr_attrs && nr < EVENTS; nr++)
        events[nr] = event_of_entry(s, nr);
    for (size_t i = 0; s->pipe && i < s->nr_records && nr < EVENTS; i++) {
        if (load(s, s->record[i], 4) == PC_HEADER_ATTR)
            events[nr++] = event_of_record(s, i);
    }
    return nr;
}

static bool choose_event(struct subject *s, struct event *e)
{
    struct event events[EVENTS];
    size_t nr = find_events(s, events);
    if (nr != 0)
        *e = events[pick(s, nr)];
    return nr != 0;
}

/* --- leaves --- */

/* One of all leaves of a walk, each as likely as another. */
struct choice {
    struct subject *s;
    uint64_t seen;
    struct pc_leaf leaf;
};

static bool choose(void *ctx, const struct pc_leaf *leaf)
{
    struct choice *c = ctx;
    if (leaf->raw.len != 0 && pick(c->s, ++c->seen) == 0)
        c->leaf = *leaf;
    return true;
}

static uint64_t boundary(struct subject *s, unsigned width, uint64_t old)
{
    const uint64_t ones = width == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * width) - 1;
    const uint64_t values[] = { 0,        1,       ones,    ones >> 1, (ones >> 1) + 1,
                                ones - 7, old + 1, old - 1, old + 8,   old - 8,
                                old * 2,  old ^ 1, s->len,  s->data,   s->data_end,
                                2,        7,       8,       63,        4096,
                                65535 };
    if (pick(s, 3) == 0)
        return (old ^ (uint64_t)1 << pick(s, 8 * width)) & ones;
    return values[pick(s, PC_COUNT_OF(values))] & ones;
}

/* Changes one leaf of a table over n bytes. */
static void change_leaf(struct subject *s, const struct pc_field *table, const struct pc_record_info *info,
                        const struct pc_layout *layout, size_t at, size_t n)
{
    struct choice c = { .s = s };
    struct pc_cursor cursor = { .in = part(s, at, n),
                                .pos = info ? PC_RECORD_HEADER_SIZE : 0,
                                .order = s->order };
    struct pc_walk walk;
    size_t excess;
    pc_walk_init(&walk, layout, &cursor, choose, &c);
    if (info)
        pc_walk_record(&walk, info, &excess);
    else
        pc_walk_table(&walk, table);
    if (c.seen == 0)
        return;
    unsigned width = c.leaf.field->width;
    size_t place = at + c.leaf.at;
    if (width == 1 || width == 2 || width == 4 || width == 8)
        store(s, place, width, boundary(s, width, load(s, place, width)));
    else
        s->bytes[place + pick(s, c.leaf.raw.len)] = (unsigned char)(pick(s, 4) ? pick(s, 256) : 0);
}

static void change_record_leaf(struct subject *s)
{
    size_t i = (size_t)pick(s, s->nr_records), size = size_of(s, i);
    uint32_t type = (uint32_t)load(s, s->record[i], 4);
    const struct pc_record_info *info = pc_record_info(type);
    if (!info)
        return;
    struct pc_layout layout = pc_record_layout(pc_is_kernel_type(type) ? &s->layout : NULL, type,
                                               (uint16_t)load(s, s->record[i] + 4, 2), false);
    change_leaf(s, NULL, info, &layout, s->record[i], size);
}

static void change_attr_leaf(struct subject *s)
{
    struct event e;
    if (choose_event(s, &e))
        change_leaf(s, pc_attr_fields, NULL, NULL, e.at, e.len);
}

static void change_header_leaf(struct subject *s)
{
    if (s->pipe)
        store(s, 8 * (size_t)pick(s, 2), 8, boundary(s, 8, 16));
    else
        change_leaf(s, pc_file_header, NULL, NULL, 0,
                    s->len < PC_FILE_HEADER_SIZE ? s->len : PC_FILE_HEADER_SIZE);
}

static bool feature_of_record(const struct subject *s, size_t i, struct feature *f)
{
    const size_t head = PC_RECORD_HEADER_SIZE + 8;
    if (load(s, s->record[i], 4) != PC_HEADER_FEATURE || size_of(s, i) < head)
        return false;
    uint64_t bit = load(s, s->record[i] + PC_RECORD_HEADER_SIZE, 8);
    *f = (struct feature){ .bit = bit < UINT32_MAX ? (unsigned)bit : UINT32_MAX,
                           .at = s->record[i] + head,
                           .len = size_of(s, i) - head };
    return true;
}

/* Where the entry of a bit is in the table of a file, or would be. */
static size_t entry_of(const struct subject *s, unsigned bit)
{
    size_t entry = s->data_end;
    for (unsigned before = 0; before < bit; before++)
        entry += has_bit(s, before) ? PC_SECTION_SIZE : 0;
    return entry;
}

static bool find_feature(const struct subject *s, unsigned bit, struct feature *f)
{
    if (has_bit(s, bit)) {
        *f = feature_of_entry(s, bit, entry_of(s, bit));
        return true;
    }
    for (size_t i = 0; s->pipe && i < s->nr_records; i++) {
        if (feature_of_record(s, i, f) && f->bit == bit)
            return true;
    }
    return false;
}

static bool choose_feature(struct subject *s, struct feature *chosen)
{
    uint64_t seen = 0;
    size_t entry = s->data_end;
    struct feature f;
    for (unsigned bit = 0; s->bitmap != 0 && bit < PC_FEATURE_BITS; bit++) {
        if (!has_bit(s, bit))
            continue;
        f = feature_of_entry(s, bit, entry);
        if (pick(s, ++seen) == 0)
            *chosen = f;
        entry += PC_SECTION_SIZE;
    }
    for (size_t i = 0; s->pipe && i < s->nr_records; i++) {
        if (feature_of_record(s, i, &f) && pick(s, ++seen) == 0)
            *chosen = f;
    }
    return seen != 0;
}

/* Some features have as many elements as another one says. */
static struct pc_layout feature_layout(const struct subject *s)
{
    struct pc_layout layout = { .slot = { [PC_SLOT_NR_CPUS] = 4, [PC_SLOT_NR_ONLINE] = 4 } };
    struct feature f;
    if (!find_feature(s, PC_NRCPUS, &f))
        return layout;
    struct pc_cursor c = pc_cursor(part(s, f.at, f.len), s->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    if (pc_walk_table(&walk, pc_feature_info(PC_NRCPUS)->fields)) {
        layout.slot[PC_SLOT_NR_CPUS] = walk.slot[PC_FEAT_A];
        layout.slot[PC_SLOT_NR_ONLINE] = walk.slot[PC_FEAT_B];
    }
    return layout;
}

static void change_feature_leaf(struct subject *s)
{
    struct feature f;
    struct pc_layout layout = feature_layout(s);
    if (!choose_feature(s, &f) || !pc_feature_info(f.bit))
        return;
    const struct pc_field *table = pc_feature_fields(f.bit, part(s, f.at, f.len));
    if (table)
        change_leaf(s, table, NULL, &layout, f.at, f.len);
}

/* --- features that come and go --- */

/* An entry more, in front of those of higher bits, for content at the end of the file. */
static bool add_to_file(struct subject *s, unsigned bit, const unsigned char *content, size_t n)
{
    size_t entry = entry_of(s, bit), word = s->bitmap + bit / 64 * 8;
    if (s->bitmap == 0 || n > s->max - s->len || PC_SECTION_SIZE > s->max - s->len - n)
        return false;
    uint64_t data_size = load(s, s->size_word, 8);
    if (!insert(s, entry, PC_SECTION_SIZE))
        return false;
    store(s, s->size_word, 8, data_size); /* the table is no part of the data */
    store(s, word, 8, load(s, word, 8) | PC_FLAG(bit % 64));
    store(s, entry, 8, s->len);
    store(s, entry + 8, 8, n);
    memcpy(s->bytes + s->len, content, n);
    s->len += n;
    return true;
}

/* Where a feature goes in a pipe: behind the attrs, which come first, and the features of lower bits. */
static size_t place_in_pipe(const struct subject *s, unsigned bit)
{
    size_t place = s->data;
    for (size_t i = 0; i < s->nr_records; i++) {
        struct feature f;
        bool is_feature = feature_of_record(s, i, &f);
        if (is_feature ? f.bit > bit : load(s, s->record[i], 4) != PC_HEADER_ATTR)
            break;
        place = s->record[i] + size_of(s, i);
    }
    return place;
}

static bool add_to_pipe(struct subject *s, unsigned bit, const unsigned char *content, size_t n)
{
    const size_t head = PC_RECORD_HEADER_SIZE + 8;
    size_t at = place_in_pipe(s, bit), size = (size_t)pc_align8(head + n);
    if (size > PC_RECORD_SIZE_MAX || !insert(s, at, size))
        return false;
    store(s, at, 4, PC_HEADER_FEATURE);
    store(s, at + 6, 2, size);
    store(s, at + PC_RECORD_HEADER_SIZE, 8, bit);
    memcpy(s->bytes + at + head, content, n);
    return true;
}

static bool add_feature(struct subject *s, unsigned bit, const unsigned char *content, size_t n)
{
    bool added = s->pipe ? add_to_pipe(s, bit, content, n) : add_to_file(s, bit, content, n);
    if (added)
        look(s);
    return added;
}

static void drop_feature(struct subject *s, const struct feature *f)
{
    const size_t head = PC_RECORD_HEADER_SIZE + 8;
    if (f->entry == 0) {
        cut(s, f->at - head, f->len + head);
        return;
    }
    size_t word = s->bitmap + f->bit / 64 * 8;
    uint64_t data_size = load(s, s->size_word, 8);
    cut(s, f->entry, PC_SECTION_SIZE);
    store(s, s->size_word, 8, data_size); /* the table is no part of the data */
    store(s, word, 8, load(s, word, 8) & ~PC_FLAG(f->bit % 64));
}

/* The feature without which nobody reads compressed records, unless it is there. */
static void announce_compression(struct subject *s)
{
    const struct pc_field *table = pc_feature_info(PC_COMPRESSED_FEATURE)->fields;
    const uint64_t level = 1, room = (uint64_t)1 << 19; /* what perf record has for the content of one */
    unsigned char content[64] = { 0 };
    size_t n = least_content(table, NULL, s->order, content, sizeof(content));
    struct feature f;
    if (n > sizeof(content))
        return;
    bool there = find_feature(s, PC_COMPRESSED_FEATURE, &f);
    struct pc_cursor c = pc_cursor(there ? part(s, f.at, f.len) : (struct pc_span){ content, n }, s->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    if (!pc_walk_table(&walk, table) || walk.slot[PC_FEAT_A] != 0)
        return;
    pc_store(content + walk.slot_at[PC_FEAT_A], walk.slot_width[PC_FEAT_A], room, s->order);
    pc_store(content + walk.slot_at[PC_FEAT_B], walk.slot_width[PC_FEAT_B], PC_COMPRESSION_ZSTD, s->order);
    pc_store(content + walk.slot_at[PC_FEAT_C], walk.slot_width[PC_FEAT_C], level, s->order);
    if (there)
        memcpy(s->bytes + f.at, content, n);
    else
        add_feature(s, PC_COMPRESSED_FEATURE, content, n);
}

/* --- records --- */

static void resize_record(struct subject *s)
{
    size_t i = (size_t)pick(s, s->nr_records), size = size_of(s, i), n = 8 * (1 + (size_t)pick(s, 4));
    bool grow = pick(s, 2);
    if (grow && size + n <= PC_RECORD_SIZE_MAX && insert(s, s->record[i] + size, n))
        store(s, s->record[i] + 6, 2, size + n);
    else if (!grow && size >= PC_RECORD_HEADER_SIZE + n) {
        cut(s, s->record[i] + size - n, n);
        store(s, s->record[i] + 6, 2, size - n);
    }
}

static void change_size(struct subject *s)
{
    size_t i = (size_t)pick(s, s->nr_records);
    store(s, s->record[i] + 6, 2, boundary(s, 2, size_of(s, i)));
}

static void change_type(struct subject *s)
{
    uint32_t type = (uint32_t)pick(s, PC_TYPES);
    for (unsigned tries = 0; tries < 8 && !pc_record_info(type); tries++)
        type = (uint32_t)pick(s, pick(s, 2) ? 32 : 96);
    store(s, s->record[pick(s, s->nr_records)], 4, type);
}

/* A record, with the bytes behind it that belong to it when all is kept consistent. */
static size_t whole_of(const struct subject *s, size_t record)
{
    size_t size = size_of(s, record);
    return size + (s->fix ? payload_of(s, s->record[record], size) : 0);
}

static void delete_record(struct subject *s)
{
    size_t i = (size_t)pick(s, s->nr_records);
    cut(s, s->record[i], whole_of(s, i));
}

/* A copy of n bytes at another place; moved: where they were they go. */
static void copy_bytes(struct subject *s, size_t from, size_t n, size_t to, bool moved)
{
    if (n > sizeof(spare))
        return;
    memcpy(spare, s->bytes + from, n);
    if (moved) {
        to -= to > from ? n : 0;
        cut(s, from, n);
    }
    insert_bytes(s, to, spare, n);
}

/* A copy of a record at the begin of another. */
static void copy_record(struct subject *s, bool moved)
{
    size_t i = (size_t)pick(s, s->nr_records);
    copy_bytes(s, s->record[i], whole_of(s, i), s->record[pick(s, s->nr_records)], moved);
}

static void duplicate_record(struct subject *s)
{
    copy_record(s, false);
}

static void move_record(struct subject *s)
{
    copy_record(s, true);
}

/* Whether perf has records like this one in compressed ones: those that describe the capture, and those with
 * bytes behind them, are outside. */
static bool may_be_wrapped(const struct subject *s, size_t i)
{
    uint32_t type = (uint32_t)load(s, s->record[i], 4);
    const struct pc_record_info *info = pc_record_info(type);
    return type != PC_HEADER_ATTR && type != PC_AUXTRACE && type != PC_COMPRESSED && type != PC_COMPRESSED2 &&
           !(info && (info->flags & PC_HEADER_ONLY_IN_PIPE));
}

/* A run of records becomes the stored block of a zstd frame in a COMPRESSED2 record. */
static void wrap_records(struct subject *s)
{
    if (s->fix)
        announce_compression(s);
    size_t first = (size_t)pick(s, s->nr_records), last;
    for (size_t i = 0; s->fix && i < s->nr_records && !may_be_wrapped(s, first); i++)
        first = first + 1 < s->nr_records ? first + 1 : 0;
    if (s->nr_records == 0 || (s->fix && !may_be_wrapped(s, first)))
        return;
    last = first + (size_t)pick(s, s->nr_records - first);
    for (size_t i = first + 1; s->fix && i <= last; i++)
        last = may_be_wrapped(s, i) ? last : i - 1;
    size_t start = s->record[first], n = s->record[last] + size_of(s, last) - start;
    /* type, misc, size; data_size; magic, descriptor without content size, window, block header (last, raw)
     */
    unsigned char head[PC_RECORD_HEADER_SIZE + 8 + 6 + 3];
    size_t whole = sizeof(head) + n, padded = (size_t)pc_align8(whole);
    if (padded > PC_RECORD_SIZE_MAX || s->max - s->len < padded - n)
        return;
    pc_store(head, 4, PC_COMPRESSED2, s->order);
    pc_store(head + 4, 2, 0, s->order);
    pc_store(head + 6, 2, padded, s->order);
    pc_store(head + 8, 8, 6 + 3 + n, s->order);
    pc_store(head + 16, 4, 0xfd2fb528, PC_LITTLE);
    /* Mostly the smallest window that holds the block: a decoder asks for as much memory, whatever comes. */
    unsigned log = 10;
    while ((size_t)1 << log < n)
        log++;
    head[20] = 0;
    head[21] = pick(s, 8) ? (unsigned char)((log - 10) << 3) : 0x48;
    size_t block = n << 3 | 1;
    for (unsigned i = 0; i < 3; i++)
        head[22 + i] = (unsigned char)(block >> 8 * i);
    insert(s, start + n, padded - whole);
    insert_bytes(s, start, head, sizeof(head));
}

/* The reverse, of any frame that is in one record. */
static void unwrap_record(struct subject *s)
{
    const struct pc_record_info *info = NULL;
    uint64_t seen = 0;
    size_t at = 0, size = 0, got;
    for (size_t i = 0; i < s->nr_records; i++) {
        uint32_t type = (uint32_t)load(s, s->record[i], 4);
        if ((type == PC_COMPRESSED || type == PC_COMPRESSED2) && pick(s, ++seen) == 0) {
            at = s->record[i];
            size = size_of(s, i);
            info = pc_record_info(type);
        }
    }
    if (!info)
        return;
    struct pc_cursor c = { .in = part(s, at, size), .pos = PC_RECORD_HEADER_SIZE, .order = s->order };
    struct pc_inflate inflate;
    struct pc_walk walk;
    struct pc_mem mem;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    if (!pc_walk_table(&walk, info->fields) || walk.slot_at[PC_REC_RAW] == 0)
        return;
    struct pc_span packed = part(s, at + walk.slot_at[PC_REC_RAW], (size_t)walk.slot[PC_REC_RAW]);
    pc_mem_init(&mem, PC_INFLATE_MEMORY);
    pc_inflate_init(&inflate, &mem);
    enum pc_inflate_outcome outcome = pc_inflate(&inflate, &packed, spare, sizeof(spare), &got);
    pc_inflate_clear(&inflate);
    if (outcome != PC_INFLATE_GOOD || got == 0 || got > s->max - (s->len - size))
        return;
    cut(s, at, size);
    insert_bytes(s, at, spare, got);
}

/* --- attrs and samples --- */

/* A table in two: the rows in front of the field of a sample bit, and its own. */
struct split {
    struct pc_field before[96], own[16];
};

static bool split_table(const struct pc_field *table, uint64_t bit, struct split *out)
{
    const uint64_t bits = PC_FLAG(PC_S_BITS) - 1;
    size_t before = 0, own = 0;
    bool mine = false;
    for (const struct pc_field *row = table; row->kind != PC_END; row++) {
        if (row->when & bits) /* others are parts of the field in front of them */
            mine = row->when & bit;
        if (before + 1 >= PC_COUNT_OF(out->before) || own + 1 >= PC_COUNT_OF(out->own))
            return false;
        if (mine)
            out->own[own++] = *row;
        else if (own == 0)
            out->before[before++] = *row;
    }
    out->before[before] = out->own[own] = (struct pc_field){ .kind = PC_END };
    return own != 0;
}

/* All attrs, so that records can be credited to them. */
struct events {
    struct subject *s;
    struct event event[EVENTS];
    size_t nr;
    uint64_t id[EVENTS]; /* the first of each */
    struct pc_layout layout[EVENTS];
};

/* A bit of sample_type that changes. */
struct flip {
    struct events all;
    uint64_t bit;
    size_t type_at; /* where in an attr the word is */
    struct pc_layout to[EVENTS];
    bool changes[EVENTS]; /* the attr */
    struct split sample, trailer;
    bool of_trailer; /* it has such a field */
};

/* False: there are none, or one is none. */
static bool find_layouts(struct events *all, struct subject *s)
{
    uint64_t slot[PC_SLOTS];
    all->s = s;
    all->nr = find_events(s, all->event);
    for (size_t i = 0; i < all->nr; i++) {
        const struct event *e = &all->event[i];
        if (!pc_attr_walk(part(s, e->at, e->len), s->order, slot))
            return false;
        all->layout[i] = pc_attr_layout(slot);
        all->id[i] = e->ids_len >= 8 ? load(s, e->ids, 8) : 0;
    }
    return all->nr != 0;
}

/* The attr that an id belongs to; the first when it belongs to none. */
static size_t event_of_id(const struct events *all, uint64_t id)
{
    for (size_t i = 0; i < all->nr && id != 0; i++) {
        for (size_t k = 0; k + 8 <= all->event[i].ids_len; k += 8) {
            if (load(all->s, all->event[i].ids + k, 8) == id)
                return i;
        }
    }
    return 0;
}

/* The bytes of the trailer of a record of this attr; 0: it has none. */
static size_t trailer_of(const struct events *all, size_t event, size_t record)
{
    uint32_t type = (uint32_t)load(all->s, all->s->record[record], 4);
    if (!pc_is_kernel_type(type) || type == PC_SAMPLE)
        return 0;
    size_t size = pc_sample_id_size(pc_record_layout(&all->layout[event], type, 0, false).mask);
    return size <= size_of(all->s, record) - PC_RECORD_HEADER_SIZE ? size : 0;
}

/* Ids stand in the same place of all samples, and of all trailers. */
static size_t event_of(const struct events *all, size_t record)
{
    const struct subject *s = all->s;
    size_t trailer = trailer_of(all, 0, record), size = size_of(s, record);
    bool is_sample = load(s, s->record[record], 4) == PC_SAMPLE;
    if (all->nr == 1 || (!is_sample && trailer == 0))
        return 0;
    struct pc_cursor c = { .in = part(s, s->record[record], size), .order = s->order };
    struct pc_walk walk;
    c.pos = is_sample ? PC_RECORD_HEADER_SIZE : size - trailer;
    pc_walk_init(&walk, &all->layout[0], &c, NULL, NULL);
    pc_walk_table(&walk, is_sample ? pc_record_info(PC_SAMPLE)->fields : pc_sample_id);
    return event_of_id(all, walk.slot[walk.slot_width[PC_SLOT_IDENTIFIER] ? PC_SLOT_IDENTIFIER : PC_SLOT_ID]);
}

/* The field comes into a record, with the least content; or goes. */
static void flip_field(struct flip *f, size_t event, size_t record)
{
    struct subject *s = f->all.s;
    size_t at = s->record[record], size = size_of(s, record);
    bool is_sample = load(s, at, 4) == PC_SAMPLE;
    /* What was found may be so no more, where offsets stand among records. */
    if (size < PC_RECORD_HEADER_SIZE || at > s->len || size > s->len - at)
        return;
    size_t trailer = trailer_of(&f->all, event, record);
    if (!is_sample && (trailer == 0 || !f->of_trailer))
        return;
    const struct split *split = is_sample ? &f->sample : &f->trailer;
    struct pc_cursor c = { .in = part(s, at, size), .order = s->order };
    struct pc_walk walk;
    c.pos = is_sample ? PC_RECORD_HEADER_SIZE : size - trailer;
    pc_walk_init(&walk, &f->all.layout[event], &c, NULL, NULL);
    if (!pc_walk_table(&walk, split->before))
        return;
    size_t start = c.pos;
    bool was = pc_present(split->own, f->all.layout[event].mask),
         is = pc_present(split->own, f->to[event].mask);
    if (was && !is && pc_walk_table(&walk, split->own)) {
        cut(s, at + start, c.pos - start);
        store(s, at + 6, 2, size - (c.pos - start));
    }
    unsigned char content[128] = { 0 };
    size_t n =
        was || !is ? SIZE_MAX : least_content(split->own, &f->to[event], s->order, content, sizeof(content));
    if (n > sizeof(content) || size + n > PC_RECORD_SIZE_MAX)
        return;
    if (split->own->save == PC_SLOT_ID || split->own->save == PC_SLOT_IDENTIFIER)
        pc_store(content, 8, f->all.id[event], s->order);
    if (insert_bytes(s, at + start, content, n))
        store(s, at + 6, 2, size + n);
}

/* Which attrs change: one, or mostly all that are like it, as ids must stand in the same places. */
static bool plan_flip(struct flip *f, struct subject *s)
{
    uint64_t slot[PC_SLOTS];
    if (!find_layouts(&f->all, s))
        return false;
    size_t chosen = (size_t)pick(s, f->all.nr);
    bool all = s->fix && pick(s, 4) != 0;
    const struct event *e = &f->all.event[chosen];
    struct pc_cursor c = pc_cursor(part(s, e->at, e->len), s->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    pc_walk_table(&walk, pc_attr_fields);
    f->type_at = walk.slot_at[PC_ATTR_SAMPLE_TYPE];
    f->bit = PC_FLAG(pick(s, PC_S_BITS));
    for (size_t i = 0; i < f->all.nr; i++) {
        e = &f->all.event[i];
        pc_attr_walk(part(s, e->at, e->len), s->order, slot);
        uint64_t differ = slot[PC_ATTR_SAMPLE_TYPE] ^ walk.slot[PC_ATTR_SAMPLE_TYPE];
        f->changes[i] = i == chosen || (all && !(differ & f->bit));
        slot[PC_ATTR_SAMPLE_TYPE] ^= f->changes[i] ? f->bit : 0;
        f->to[i] = pc_attr_layout(slot);
    }
    return f->type_at != 0;
}

/* A bit of sample_type changes, and with it, when all is kept consistent, every sample and trailer. */
static void flip_sample_bit(struct subject *s)
{
    static struct flip f; /* large */
    static unsigned char event[RECORDS];
    if (!plan_flip(&f, s))
        return;
    bool records = s->fix && split_table(pc_record_info(PC_SAMPLE)->fields, f.bit, &f.sample);
    f.of_trailer = split_table(pc_sample_id, f.bit, &f.trailer);
    for (size_t i = 0; records && i < s->nr_records; i++)
        event[i] = (unsigned char)event_of(&f.all, i);
    /* From the last: those in front stay where they are. */
    for (size_t i = s->nr_records; records && i-- > 0;) {
        if (f.changes[event[i]])
            flip_field(&f, event[i], i);
    }
    look(s);
    size_t nr = find_events(s, f.all.event);
    for (size_t i = 0; i < f.all.nr && i < nr; i++) {
        size_t word = f.all.event[i].at + f.type_at;
        store(s, word, 8, load(s, word, 8) ^ (f.changes[i] ? f.bit : 0));
    }
}

/* Ids that nobody has. */
static void new_ids(struct subject *s, unsigned char *to, size_t n)
{
    uint64_t id = PC_FLAG(40) + pick(s, PC_FLAG(40));
    for (size_t k = 0; k + 8 <= n; k += 8)
        pc_store(to + k, 8, id++, s->order);
}

/* Whether a record has an id of these. */
struct ids {
    struct pc_span ids;
    enum pc_order order;
    bool found;
};

static bool find_id(void *ctx, const struct pc_leaf *leaf)
{
    struct ids *i = ctx;
    bool is_id = leaf->field->save == PC_SLOT_ID || leaf->field->save == PC_SLOT_IDENTIFIER;
    for (size_t k = 0; is_id && k + 8 <= i->ids.len; k += 8)
        i->found |= pc_load(i->ids.ptr + k, 8, i->order) == leaf->value;
    return !i->found && leaf->fault == PC_SOUND;
}

static bool is_of_event(const struct events *all, size_t event, size_t record)
{
    const struct subject *s = all->s;
    const struct event *e = &all->event[event];
    uint32_t type = (uint32_t)load(s, s->record[record], 4);
    const struct pc_record_info *info = pc_record_info(type);
    if (pc_is_kernel_type(type))
        return event_of(all, record) == event;
    struct ids ids = { .ids = part(s, e->ids, e->ids_len), .order = s->order };
    struct pc_cursor c = { .in = part(s, s->record[record], size_of(s, record)), .order = s->order };
    struct pc_walk walk;
    c.pos = PC_RECORD_HEADER_SIZE;
    pc_walk_init(&walk, NULL, &c, find_id, &ids);
    if (info)
        pc_walk_table(&walk, info->fields);
    return ids.found;
}

/* The records of an attr go, and what says how attrs are grouped. */
static void drop_records(struct events *all, size_t event)
{
    static size_t n[RECORDS]; /* before anything moves: offsets may stand among records */
    struct subject *s = all->s;
    struct feature f;
    for (size_t i = 0; i < s->nr_records; i++)
        n[i] = is_of_event(all, event, i) ? whole_of(s, i) : 0;
    for (size_t i = s->nr_records; i-- > 0;)
        cut(s, s->record[i], n[i]);
    look(s);
    if (find_feature(s, PC_GROUP_DESC, &f)) {
        drop_feature(s, &f);
        look(s);
    }
}

/* An attr goes, of a file or a pipe. */
static void drop_attr(struct subject *s, const struct event *e)
{
    if (e->entry == 0) {
        cut(s, e->record, PC_RECORD_HEADER_SIZE + e->len + e->ids_len);
        return;
    }
    cut(s, e->at, s->attr_entry);
    store(s, s->attrs_word - 8, 8, s->attrs); /* the section begins where it did */
    store(s, s->attrs_word, 8, load(s, s->attrs_word, 8) - s->attr_entry);
}

/* A copy of an attr, the last but one or the last; its ids, which are new, stand at the end of the file. */
static void repeat_entry(struct subject *s, const struct event *e)
{
    unsigned char copy[4096], ids[4 * 8];
    size_t n = e->ids_len < sizeof(ids) ? e->ids_len : sizeof(ids), size = s->attr_entry;
    size_t at = s->attrs + (s->fix ? s->nr_attrs - 1 : 0) * size;
    if (size > sizeof(copy) || s->max - s->len < size + n)
        return;
    memcpy(copy, s->bytes + e->at, size);
    if (!insert_bytes(s, at, copy, size))
        return;
    if (s->fix && pick(s, 4) != 0) { /* it changes places with the one that was the last */
        memcpy(s->bytes + at, s->bytes + at + size, size);
        memcpy(s->bytes + at + size, copy, size);
        at += size;
    }
    store(s, s->attrs_word - 8, 8, s->attrs);
    store(s, s->attrs_word, 8, load(s, s->attrs_word, 8) + size);
    if (!s->fix)
        return;
    new_ids(s, ids, n);
    store(s, at + size - PC_SECTION_SIZE, 8, s->len);
    store(s, at + size - PC_SECTION_SIZE + 8, 8, n);
    memcpy(s->bytes + s->len, ids, n);
    s->len += n;
}

/* In a pipe, in front of the original or behind the last. */
static void repeat_record(struct subject *s, const struct event *e, const struct event *last)
{
    size_t size = PC_RECORD_HEADER_SIZE + e->len + e->ids_len;
    size_t end = last->record + PC_RECORD_HEADER_SIZE + last->len + last->ids_len;
    memcpy(spare, s->bytes + e->record, size);
    if (s->fix)
        new_ids(s, spare + (e->ids - e->record), e->ids_len);
    insert_bytes(s, s->fix && pick(s, 4) ? end : e->record, spare, size);
}

/* An attr more, or one less. When all is kept consistent, it has ids of its own or its records go. */
static void repeat_attr(struct subject *s)
{
    static struct events all; /* large */
    if (!find_layouts(&all, s))
        return;
    size_t chosen = (size_t)pick(s, all.nr);
    const struct event *e = &all.event[chosen];
    if (pick(s, 2) || (s->fix && all.nr == 1)) {
        if (e->entry != 0)
            repeat_entry(s, e);
        else
            repeat_record(s, e, &all.event[all.nr - 1]);
        return;
    }
    if (s->fix) {
        drop_records(&all, chosen);
        all.nr = find_events(s, all.event);
    }
    if (chosen < all.nr)
        drop_attr(s, e);
}

/* One id more, which is new, that of another or none; or the last one goes. */
static void change_ids(struct subject *s)
{
    struct event e;
    if (!choose_event(s, &e))
        return;
    const unsigned width = e.entry != 0 ? 8 : 2;
    size_t end = e.ids + e.ids_len, word = e.entry != 0 ? e.entry + 8 : e.record + 6;
    uint64_t start = load(s, e.entry, 8), size = load(s, word, width), id = end < 8 ? 0 : load(s, end - 8, 8);
    bool more = pick(s, 2), behind = word >= end;
    if (more && (size + 8 > PC_RECORD_SIZE_MAX || !insert(s, end, 8)))
        return;
    if (!more && (size < 8 || e.ids_len < 8))
        return;
    if (more)
        store(s, end, 8, pick(s, 4) ? id + 1 + pick(s, 64) : pick(s, 2) * id);
    else
        cut(s, end - 8, 8);
    if (behind)
        word = more ? word + 8 : word - 8;
    if (e.entry != 0) /* the first of them stays where it is */
        store(s, word - 8, 8, start);
    store(s, word, width, more ? size + 8 : size - 8);
}

/* --- sections and features --- */

/* The entry of a section says something else: near 2^64, nothing, or where another one is. */
static void change_section(struct subject *s)
{
    if (s->nr_words == 0)
        return;
    size_t word = s->offset_word[pick(s, s->nr_words)], other = s->offset_word[pick(s, s->nr_words)];
    word += 8 * (size_t)pick(s, 2);
    store(s, word, 8, pick(s, 4) ? boundary(s, 8, load(s, word, 8)) : load(s, other, 8));
}

/* A section stands at the end of the file; where it stood nothing is, or it is still there. In a pipe its
 * record goes to the front or the end. */
static void move_section(struct subject *s)
{
    struct feature f;
    if (!choose_feature(s, &f))
        return;
    if (s->pipe) {
        const size_t head = PC_RECORD_HEADER_SIZE + 8;
        copy_bytes(s, f.at - head, f.len + head, pick(s, 2) ? s->data : s->data_end, true);
        return;
    }
    if (f.len == 0 || f.len > s->max - s->len)
        return;
    size_t end = s->len;
    s->len += f.len;
    memcpy(s->bytes + end, s->bytes + f.at, f.len);
    store(s, f.entry, 8, end);
    if (pick(s, 2))
        cut(s, f.at, f.len);
}

/* A bit changes and nothing else; in a pipe, which feature a record says that it holds. */
static void flip_bit_alone(struct subject *s, unsigned bit)
{
    struct feature f;
    size_t word = s->bitmap + bit / 64 * 8;
    if (!s->pipe)
        store(s, word, 8, load(s, word, 8) ^ PC_FLAG(bit % 64));
    else if (choose_feature(s, &f))
        store(s, f.at - 8, 8, bit);
}

/* A feature goes, or one comes: mostly with the least content that it can have. */
static void flip_feature(struct subject *s)
{
    unsigned char content[4096] = { 0 };
    unsigned bit = (unsigned)pick(s, pick(s, 8) ? PC_FEATURES : PC_FEATURE_BITS);
    struct feature f;
    if (!s->pipe && s->bitmap == 0)
        return;
    if (!s->fix) {
        flip_bit_alone(s, bit);
        return;
    }
    if (find_feature(s, bit, &f)) {
        drop_feature(s, &f);
        return;
    }
    struct pc_layout layout = feature_layout(s);
    const struct pc_field *table = pc_feature_fields(bit, (struct pc_span){ content, 0 });
    size_t n =
        table ? least_content(table, &layout, s->order, content, sizeof(content)) : (size_t)pick(s, 64);
    if (n > sizeof(content) || pick(s, 8) == 0)
        n = (size_t)pick(s, 64);
    add_feature(s, bit, content, n);
}

/* --- all of it --- */

static void replace(struct subject *s, const struct pc_rewrite *how)
{
    struct fuzz_bytes copy;
    pc_limits_init(&fuzz_limits);
    pc_policy_init(&fuzz_policy);
    if (fuzz_rewrite(*how, (struct pc_span){ s->bytes, s->len }, &copy) != PC_WRITTEN)
        return;
    if (copy.len <= s->max) {
        memcpy(s->bytes, copy.bytes, copy.len);
        s->len = copy.len;
    }
    free(copy.bytes);
}

static void swap_order(struct subject *s)
{
    if (s->fix)
        replace(s, &(struct pc_rewrite){ .order = PC_ORDER_SWAP });
    else
        pc_store(s->bytes, 8, pc_load(s->bytes, 8, PC_BIG), PC_LITTLE);
}

/* What is in it goes along, or the header only says so. */
static void swap_container(struct subject *s)
{
    if (s->fix)
        replace(s, &(struct pc_rewrite){ .to = s->pipe ? PC_TO_FILE : PC_TO_PIPE });
    else
        store(s, 8, 8, s->pipe ? PC_FILE_HEADER_SIZE : PC_PIPE_HEADER_SIZE);
}

static void swap_record_order(struct subject *s)
{
    size_t i = (size_t)pick(s, s->nr_records), at = s->record[i], size = size_of(s, i);
    enum pc_order other = s->order == PC_BIG ? PC_LITTLE : PC_BIG;
    pc_store(s->bytes + at, 4, load(s, at, 4), other);
    for (size_t k = 4; k < 8; k += 2)
        pc_store(s->bytes + at + k, 2, load(s, at + k, 2), other);
    for (size_t k = 8; k + 8 <= size; k += 8)
        pc_store(s->bytes + at + k, 8, load(s, at + k, 8), other);
}

/* The options of harnesses: see harness.h. */
static void change_options(struct subject *s)
{
    const size_t trailer = strlen(FUZZ_MARK) + FUZZ_OPTIONS;
    bool there = s->len >= trailer && memcmp(s->bytes + s->len - trailer, FUZZ_MARK, strlen(FUZZ_MARK)) == 0;
    if (!there && s->max - s->len < trailer)
        return;
    if (!there) {
        memcpy(s->bytes + s->len, FUZZ_MARK, strlen(FUZZ_MARK));
        memset(s->bytes + s->len + strlen(FUZZ_MARK), 0, FUZZ_OPTIONS);
        s->len += trailer;
    }
    for (uint64_t n = 1 + pick(s, FUZZ_OPTIONS); n > 0; n--)
        s->bytes[s->len - 1 - pick(s, FUZZ_OPTIONS)] = (unsigned char)pick(s, 256);
}

/* Options are not part of the capture while that is changed. */
static size_t take_options(const struct subject *s)
{
    const size_t trailer = strlen(FUZZ_MARK) + FUZZ_OPTIONS;
    return s->len >= trailer && memcmp(s->bytes + s->len - trailer, FUZZ_MARK, strlen(FUZZ_MARK)) == 0
               ? trailer
               : 0;
}

/* --- all operations --- */

static const struct operation {
    const char *name;
    void (*change)(struct subject *);
    unsigned weight;                         /* how often, among others */
    enum { ANY, OF_RECORDS, OF_FILES } what; /* there must be some; it must be one */
} operations[] = {
    { "header leaf", change_header_leaf, 4, ANY },
    { "attr leaf", change_attr_leaf, 4, ANY },
    { "feature leaf", change_feature_leaf, 4, ANY },
    { "section entry", change_section, 4, OF_FILES },
    { "section moved", move_section, 2, ANY },
    { "feature bit", flip_feature, 4, ANY },
    { "attr more or less", repeat_attr, 4, ANY },
    { "ids", change_ids, 4, ANY },
    { "sample bit", flip_sample_bit, 4, ANY },
    { "record leaf", change_record_leaf, 24, OF_RECORDS },
    { "record resized", resize_record, 8, OF_RECORDS },
    { "record size", change_size, 8, OF_RECORDS },
    { "record type", change_type, 8, OF_RECORDS },
    { "record deleted", delete_record, 8, OF_RECORDS },
    { "record duplicated", duplicate_record, 8, OF_RECORDS },
    { "record moved", move_record, 8, OF_RECORDS },
    { "records wrapped", wrap_records, 6, OF_RECORDS },
    { "record unwrapped", unwrap_record, 4, OF_RECORDS },
    { "record in the other order", swap_record_order, 8, OF_RECORDS },
    /* The rewriter takes longer than a harness. */
    { "other byte order", swap_order, 1, ANY },
    { "other container", swap_container, 1, ANY },
};

static bool applies(const struct subject *s, const struct operation *op)
{
    return op->what == OF_RECORDS ? s->nr_records != 0 : op->what != OF_FILES || !s->pipe;
}

static const struct operation *choose_operation(struct subject *s)
{
    unsigned all = 0, n = 0;
    for (size_t i = 0; i < PC_COUNT_OF(operations); i++)
        all += applies(s, &operations[i]) ? operations[i].weight : 0;
    for (unsigned left = (unsigned)pick(s, all);; n++) {
        if (!applies(s, &operations[n]))
            continue;
        if (left < operations[n].weight)
            return &operations[n];
        left -= operations[n].weight;
    }
}

/* op: NULL, one that is chosen. */
static void mutate_capture(struct subject *s, const struct operation *op)
{
    look(s);
    if (s->known && (!op || applies(s, op)))
        (op ? op : choose_operation(s))->change(s);
}

static struct subject subject_of(uint8_t *data, size_t size, size_t max_size, uint64_t seed)
{
    struct subject s = {
        .bytes = data, .len = size, .max = max_size, .random = seed * 2654435761u + 88172645463325252u
    };
    s.fix = pick(&s, 8) != 0;
    return s;
}

/* --- what is being changed --- */

/* The mutator calls the library, and where that ends the process the engine has nothing to keep: it is
 * between two inputs. The file that $FUZZ_MUTATING names has seed, size and bytes of what is at hand
 * meanwhile, in fuzz_mutate, fuzz_cross (what is changed only) or fuzz_settle (which has no seed). */
#define NOTE_ROOM ((size_t)1 << 16)
struct note {
    uint64_t seed, size; /* 0: nothing is at hand */
    uint8_t bytes[NOTE_ROOM];
};

static struct note *open_note(void)
{
    const char *path = getenv("FUZZ_MUTATING");
    int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    void *page = fd >= 0 && ftruncate(fd, sizeof(struct note)) == 0
                     ? mmap(NULL, sizeof(struct note), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                     : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    return page == MAP_FAILED ? NULL : page;
}

static void note(const uint8_t *data, size_t size, uint64_t seed)
{
    static struct note *at_hand;
    static bool asked;
    if (!asked)
        at_hand = open_note();
    asked = true;
    if (!at_hand)
        return;
    size = size < NOTE_ROOM ? size : NOTE_ROOM;
    memcpy(at_hand->bytes, data, size);
    at_hand->seed = seed;
    at_hand->size = size;
}

/* A sound capture that the generator makes of a few random bytes, instead of what is there. */
static size_t begin_anew(struct subject *s)
{
    unsigned char plan[192];
    size_t len = 0;
    pc_limits_init(&fuzz_limits);
    for (size_t n = 8 + (size_t)pick(s, sizeof(plan) - 8); n != 0 && len == 0; n /= 2) {
        struct fuzz_built built;
        for (size_t i = 0; i < n; i++)
            plan[i] = (unsigned char)pick(s, 256);
        fuzz_build((struct pc_span){ plan, n }, &built);
        if (built.bytes && built.len <= s->max) {
            len = built.len;
            memcpy(s->bytes, built.bytes, len);
        }
        fuzz_built_free(&built);
    }
    return len;
}

static size_t mutate(uint8_t *data, size_t size, size_t max_size, uint64_t seed, fuzz_raw_mutation *raw)
{
    unsigned char options[sizeof(FUZZ_MARK) - 1 + FUZZ_OPTIONS];
    struct subject s = subject_of(data, size, max_size, seed);
    look(&s);
    if (pick(&s, s.known ? 512 : 32) == 0) {
        size_t len = begin_anew(&s);
        if (len != 0)
            return len;
    }
    if (!s.known || pick(&s, 8) == 0)
        return raw(data, size, max_size);
    if (pick(&s, 16) == 0) {
        change_options(&s);
        return s.len;
    }
    size_t trailer = take_options(&s);
    s.len -= trailer;
    s.max -= trailer;
    memcpy(options, s.bytes + s.len, trailer);
    for (uint64_t n = 1 + pick(&s, 3); n > 0; n--)
        mutate_capture(&s, NULL);
    memcpy(s.bytes + s.len, options, trailer);
    return s.len + trailer;
}

size_t fuzz_mutate(uint8_t *data, size_t size, size_t max_size, uint64_t seed, fuzz_raw_mutation *raw)
{
    note(data, size, seed);
    size = mutate(data, size, max_size, seed, raw);
    note(data, 0, seed);
    return size;
}

unsigned fuzz_operations(void)
{
    return PC_COUNT_OF(operations);
}

const char *fuzz_operation_name(unsigned n)
{
    return operations[n].name;
}

unsigned fuzz_chosen(bool pipe, bool records, uint64_t seed)
{
    struct subject s = subject_of(NULL, 0, 0, seed);
    s.pipe = pipe;
    s.nr_records = records;
    return (unsigned)(choose_operation(&s) - operations);
}

size_t fuzz_operate(unsigned n, uint8_t *data, size_t size, size_t max_size, uint64_t seed)
{
    struct subject s = subject_of(data, size, max_size, seed);
    s.fix = true;
    mutate_capture(&s, &operations[n]);
    return s.len;
}

/* --- sizes made consistent, without a change of length --- */

/* A section of which the word behind `word` says the size ends in the file. */
static void settle_section(struct subject *s, size_t word)
{
    uint64_t at = load(s, word, 8), size = load(s, word + 8, 8);
    if (at > s->len)
        store(s, word, 8, at = s->data_end);
    if (size > s->len - at)
        store(s, word + 8, 8, s->len - at);
}

static void settle(uint8_t *data, size_t size)
{
    struct subject s = subject_of(data, size, size, 1);
    uint64_t sum = size;
    for (size_t i = 0; i < size; i++)
        sum = sum * 31 + data[i];
    if (sum % 8 == 0) /* what is broken is looked at too */
        return;
    s.len -= take_options(&s);
    look(&s);
    for (size_t i = 0; i < s.nr_words; i++)
        settle_section(&s, s.offset_word[i]);
    look(&s); /* the entries may have stood among records */
    size_t at = s.known ? s.data : s.len, last = s.nr_records - 1;
    if (s.nr_records != 0)
        at = s.record[last] + size_of(&s, last) + payload_of(&s, s.record[last], size_of(&s, last));
    /* The first record that leads nowhere ends where the data do. */
    size_t left = s.known && at < s.data_end ? s.data_end - at : 0;
    if (left >= PC_RECORD_HEADER_SIZE && s.nr_records < RECORDS)
        store(&s, at + 6, 2, left <= PC_RECORD_SIZE_MAX ? left : PC_RECORD_HEADER_SIZE);
}

void fuzz_settle(uint8_t *data, size_t size)
{
    note(data, size, 0);
    settle(data, size);
    note(data, 0, 0);
}

static size_t cross(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size, uint8_t *out,
                    size_t max_size, uint64_t seed)
{
    static unsigned char theirs[FUZZ_INPUT_MAX];
    size = size < max_size ? size : max_size;
    memcpy(out, data, size);
    struct subject s = subject_of(out, size, max_size, seed);
    if (other_size > sizeof(theirs))
        return size;
    memcpy(theirs, other, other_size);
    struct subject from = subject_of(theirs, other_size, other_size, seed + 1);
    look(&s);
    look(&from);
    if (!s.known || s.nr_records == 0 || from.nr_records == 0)
        return size;
    size_t first = (size_t)pick(&s, from.nr_records),
           last = first + (size_t)pick(&s, from.nr_records - first);
    size_t start = from.record[first], n = from.record[last] + size_of(&from, last) - start;
    insert_bytes(&s, s.record[pick(&s, s.nr_records)], theirs + start, n);
    return s.len;
}

size_t fuzz_cross(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size, uint8_t *out,
                  size_t max_size, uint64_t seed)
{
    note(data, size, seed);
    size = cross(data, size, other, other_size, out, max_size, seed);
    note(data, 0, seed);
    return size;
}

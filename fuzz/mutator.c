/* SPDX-License-Identifier: MIT */
#include "mutator.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "cursor.h"
#include "format.h"

#define RECORDS 512
#define WORDS   512

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
    size_t offset_word[WORDS], nr_words; /* places of words that hold offsets */
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
    add_word(s, head.slot_at[PC_HEAD_DATA_OFFSET]);
    add_word(s, head.slot_at[PC_HEAD_TYPES_OFFSET]);
    find_attrs(s, &head);
    size_t entry = s->data_end;
    for (unsigned bit = 0; s->bitmap != 0 && bit < PC_FEATURE_BITS; bit++) {
        if (load(s, s->bitmap + bit / 64 * 8, 8) >> bit % 64 & 1) {
            add_word(s, entry);
            entry += PC_SECTION_SIZE;
        }
    }
}

static void find_layout(struct subject *s)
{
    uint64_t slot[PC_SLOTS];
    struct pc_span attr = { NULL, 0 };
    if (s->nr_attrs != 0)
        attr = pc_part((struct pc_span){ s->bytes, s->len }, s->attrs, s->attr_entry - PC_SECTION_SIZE);
    else if (s->pipe && s->nr_records != 0 && load(s, s->record[0], 4) == PC_HEADER_ATTR)
        attr = pc_part((struct pc_span){ s->bytes, s->len }, s->record[0] + 8, s->len - s->record[0] - 8);
    if (attr.len >= PC_ATTR_SIZE_MIN && pc_attr_walk(attr, s->order, slot))
        s->layout = pc_attr_layout(slot);
}

static void look(struct subject *s)
{
    static const uint64_t magic = 0x32454c4946524550; /* PERFILE2 */
    s->nr_records = s->nr_words = s->nr_attrs = 0;
    s->known = s->pipe = false;
    s->size_word = s->bitmap = 0;
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
    }
    find_layout(s);
}

static size_t size_of(const struct subject *s, size_t record)
{
    return (size_t)load(s, s->record[record] + 6, 2);
}

/* --- room --- */

/* Offsets behind `at` become others, and the data longer or shorter, when the capture is kept consistent. */
static void shift(struct subject *s, size_t at, size_t more, size_t less)
{
    if (!s->fix || !s->known)
        return;
    for (size_t i = 0; i < s->nr_words; i++) {
        size_t place = s->offset_word[i];
        uint64_t value = load(s, place, 8);
        if (value >= at && !(value == s->data && at == s->data))
            store(s, place, 8, value + more - less);
    }
    if (s->size_word != 0 && at >= s->data && at <= s->data_end)
        store(s, s->size_word, 8, load(s, s->size_word, 8) + more - less);
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
    struct pc_span in = pc_part((struct pc_span){ s->bytes, s->len }, at, n);
    struct pc_cursor cursor = { .in = in, .pos = info ? PC_RECORD_HEADER_SIZE : 0, .order = s->order };
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
    if (s->nr_attrs != 0)
        change_leaf(s, pc_attr_fields, NULL, NULL, s->attrs + (size_t)pick(s, s->nr_attrs) * s->attr_entry,
                    s->attr_entry - PC_SECTION_SIZE);
}

static void change_header_leaf(struct subject *s)
{
    if (s->pipe)
        store(s, 8 * (size_t)pick(s, 2), 8, boundary(s, 8, 16));
    else
        change_leaf(s, pc_file_header, NULL, NULL, 0,
                    s->len < PC_FILE_HEADER_SIZE ? s->len : PC_FILE_HEADER_SIZE);
}

/* The place of a feature's entry and its bit; false: there is none. */
static bool choose_feature(struct subject *s, size_t *entry, unsigned *bit)
{
    uint64_t seen = 0;
    size_t at = s->data_end;
    for (unsigned b = 0; s->bitmap != 0 && b < PC_FEATURE_BITS; b++) {
        if (!(load(s, s->bitmap + b / 64 * 8, 8) >> b % 64 & 1))
            continue;
        if (pick(s, ++seen) == 0) {
            *entry = at;
            *bit = b;
        }
        at += PC_SECTION_SIZE;
    }
    return seen != 0;
}

static void change_feature_leaf(struct subject *s)
{
    size_t entry;
    unsigned bit;
    struct pc_layout layout = { .slot = { [PC_SLOT_NR_CPUS] = 4, [PC_SLOT_NR_ONLINE] = 4 } };
    if (!choose_feature(s, &entry, &bit) || !pc_feature_info(bit))
        return;
    size_t at = bounded(s, load(s, entry, 8)), n = bounded(s, load(s, entry + 8, 8));
    n = n < s->len - at ? n : s->len - at;
    const struct pc_field *table =
        pc_feature_fields(bit, pc_part((struct pc_span){ s->bytes, s->len }, at, n));
    if (table)
        change_leaf(s, table, NULL, &layout, at, n);
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

static void delete_record(struct subject *s)
{
    size_t i = (size_t)pick(s, s->nr_records);
    cut(s, s->record[i], size_of(s, i));
}

/* A copy of a record at the begin of another; moved: the original goes. */
static void copy_record(struct subject *s, bool moved)
{
    unsigned char copy[PC_RECORD_SIZE_MAX];
    size_t i = (size_t)pick(s, s->nr_records), size = size_of(s, i), to = s->record[pick(s, s->nr_records)];
    memcpy(copy, s->bytes + s->record[i], size);
    if (moved) {
        to -= to > s->record[i] ? size : 0;
        cut(s, s->record[i], size);
    }
    insert_bytes(s, to, copy, size);
}

static void duplicate_record(struct subject *s)
{
    copy_record(s, false);
}

static void move_record(struct subject *s)
{
    copy_record(s, true);
}

/* A run of records becomes the stored block of a zstd frame in a COMPRESSED2 record. */
static void wrap_records(struct subject *s)
{
    size_t first = (size_t)pick(s, s->nr_records), last = first + (size_t)pick(s, s->nr_records - first);
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

/* --- attrs and samples --- */

/* The place in a sample where a field of one word stands, or would. */
struct search {
    const struct pc_field *table;
    uint64_t bit;
    size_t at;
    bool found, passed;
};

static bool find_field(void *ctx, const struct pc_leaf *leaf)
{
    struct search *f = ctx;
    if (leaf->fault != PC_SOUND || f->passed)
        return false;
    f->at = leaf->at;
    f->found = leaf->field->when == f->bit;
    /* Rows of the sample's own table stand in the order of its fields. */
    for (const struct pc_field *row = f->table; row->kind != PC_END; row++) {
        if (row->when == f->bit)
            f->passed = leaf->field >= row;
        if (row->when == f->bit)
            break;
    }
    return !f->found && !f->passed;
}

/* A bit of sample_type changes, and with it, when all is kept consistent, every sample. */
static void flip_sample_bit(struct subject *s)
{
    static const uint64_t words = PC_S_IP | PC_S_TID | PC_S_TIME | PC_S_ADDR | PC_S_ID | PC_S_STREAM_ID |
                                  PC_S_CPU | PC_S_PERIOD | PC_S_IDENTIFIER | PC_S_DATA_SRC |
                                  PC_S_TRANSACTION | PC_S_PHYS_ADDR | PC_S_CGROUP | PC_S_DATA_PAGE_SIZE |
                                  PC_S_CODE_PAGE_SIZE | PC_S_WEIGHT;
    const struct pc_record_info *sample = pc_record_info(PC_SAMPLE);
    struct pc_cursor c;
    struct pc_walk walk;
    if (s->nr_attrs == 0)
        return;
    c = pc_cursor(pc_part((struct pc_span){ s->bytes, s->len }, s->attrs, s->attr_entry - PC_SECTION_SIZE),
                  s->order);
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    pc_walk_table(&walk, pc_attr_fields);
    uint64_t bit = PC_FLAG(pick(s, PC_S_BITS)), type = walk.slot[PC_ATTR_SAMPLE_TYPE];
    size_t place = s->attrs + walk.slot_at[PC_ATTR_SAMPLE_TYPE];
    for (size_t i = s->nr_records; s->fix && (bit & words) && i-- > 0;) {
        size_t size = size_of(s, i);
        struct search f = { .table = sample->fields, .bit = bit };
        struct pc_layout layout = pc_record_layout(&s->layout, PC_SAMPLE, 0, false);
        if (load(s, s->record[i], 4) != PC_SAMPLE)
            continue;
        c = pc_cursor(pc_part((struct pc_span){ s->bytes, s->len }, s->record[i], size), s->order);
        c.pos = PC_RECORD_HEADER_SIZE;
        pc_walk_init(&walk, &layout, &c, find_field, &f);
        pc_walk_table(&walk, sample->fields);
        if ((type & bit) && f.found && size >= 16) {
            cut(s, s->record[i] + f.at, 8);
            store(s, s->record[i] + 6, 2, size - 8);
        } else if (!(type & bit) && size + 8 <= PC_RECORD_SIZE_MAX) {
            if (insert(s, s->record[i] + (f.passed ? f.at : size), 8))
                store(s, s->record[i] + 6, 2, size + 8);
        }
        look(s);
    }
    store(s, place, 8, type ^ bit);
}

static void repeat_attr(struct subject *s)
{
    unsigned char copy[4096];
    if (s->nr_attrs == 0 || s->attr_entry > sizeof(copy))
        return;
    size_t at = s->attrs + (size_t)pick(s, s->nr_attrs) * s->attr_entry,
           end = s->attrs + s->nr_attrs * s->attr_entry;
    memcpy(copy, s->bytes + at, s->attr_entry);
    bool more = pick(s, 2);
    if (more && !insert_bytes(s, end, copy, s->attr_entry))
        return;
    if (!more)
        cut(s, at, s->attr_entry);
    store(s, s->attrs_word, 8, load(s, s->attrs_word, 8) + (more ? s->attr_entry : -s->attr_entry));
}

/* --- features --- */

static void change_section(struct subject *s)
{
    size_t entry;
    unsigned bit;
    if (!choose_feature(s, &entry, &bit))
        return;
    size_t word = entry + 8 * (size_t)pick(s, 2);
    store(s, word, 8, pick(s, 4) ? boundary(s, 8, load(s, word, 8)) : s->offset_word[pick(s, s->nr_words)]);
}

/* A bit goes, with its entry or without; or comes, with an entry for content that is there. */
static void flip_feature(struct subject *s)
{
    size_t entry = s->data_end;
    unsigned bit = (unsigned)pick(s, pick(s, 8) ? PC_FEATURES : PC_FEATURE_BITS);
    if (s->bitmap == 0)
        return;
    for (unsigned b = 0; b < bit; b++)
        entry += load(s, s->bitmap + b / 64 * 8, 8) >> b % 64 & 1 ? PC_SECTION_SIZE : 0;
    size_t word = s->bitmap + bit / 64 * 8;
    uint64_t bits = load(s, word, 8), mask = PC_FLAG(bit % 64);
    size_t data_size = (size_t)load(s, s->size_word, 8);
    bool both = s->fix;
    store(s, word, 8, bits ^ mask);
    if (!both)
        return;
    if (bits & mask) {
        cut(s, entry, PC_SECTION_SIZE);
    } else if (insert(s, entry, PC_SECTION_SIZE)) {
        store(s, entry, 8, s->data_end);
        store(s, entry + 8, 8, pick(s, 64));
    }
    store(s, s->size_word, 8, data_size); /* the table is no part of the data */
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

static void swap_container(struct subject *s)
{
    replace(s, &(struct pc_rewrite){ .to = s->pipe ? PC_TO_FILE : PC_TO_PIPE });
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

static void mutate_capture(struct subject *s)
{
    static void (*const anywhere[])(
        struct subject *) = { change_header_leaf, change_attr_leaf, change_feature_leaf, change_section,
                              flip_feature,       repeat_attr,      flip_sample_bit };
    static void (*const records[])(
        struct subject *) = { change_record_leaf, change_record_leaf, change_record_leaf, resize_record,
                              change_size,        change_type,        delete_record,      duplicate_record,
                              move_record,        wrap_records,       swap_record_order };
    for (uint64_t n = 1 + pick(s, 3); n > 0; n--) {
        look(s);
        if (!s->known)
            return;
        if (pick(s, 64) == 0) { /* the rewriter takes longer than a harness */
            pick(s, 2) ? swap_order(s) : swap_container(s);
            continue;
        }
        size_t which =
            (size_t)pick(s, PC_COUNT_OF(anywhere) + (s->nr_records ? 2 * PC_COUNT_OF(records) : 0));
        if (which < PC_COUNT_OF(anywhere))
            anywhere[which](s);
        else
            records[(which - PC_COUNT_OF(anywhere)) % PC_COUNT_OF(records)](s);
    }
}

static struct subject subject_of(uint8_t *data, size_t size, size_t max_size, uint64_t seed)
{
    struct subject s = {
        .bytes = data, .len = size, .max = max_size, .random = seed * 2654435761u + 88172645463325252u
    };
    s.fix = pick(&s, 8) != 0;
    return s;
}

size_t fuzz_mutate(uint8_t *data, size_t size, size_t max_size, uint64_t seed, fuzz_raw_mutation *raw)
{
    unsigned char options[sizeof(FUZZ_MARK) - 1 + FUZZ_OPTIONS];
    struct subject s = subject_of(data, size, max_size, seed);
    look(&s);
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
    mutate_capture(&s);
    memcpy(s.bytes + s.len, options, trailer);
    return s.len + trailer;
}

size_t fuzz_cross(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size, uint8_t *out,
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

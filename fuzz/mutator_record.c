/* SPDX-License-Identifier: MIT
 *
 * mutator_record.c: operations on records, and on one leaf of any structure.
 */
#include "mutator_parts.h"

#include <string.h>

#include "bytes/inflate.h"

/* --- leaves --- */

/* Chooses one of all leaves of a walk with equal probability. */
struct choice {
    struct subject *s;
    uint64_t seen;
    struct pc_leaf leaf;
};

static bool choose(void *ctx, const struct pc_leaf *leaf)
{
    struct choice *c = ctx;
    if (leaf->raw.len != 0 && mut_pick(c->s, ++c->seen) == 0)
        c->leaf = *leaf;
    return true;
}

uint64_t mut_boundary(struct subject *s, unsigned width, uint64_t old)
{
    const uint64_t ones = width == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * width) - 1;
    const uint64_t values[] = { 0,        1,       ones,    ones >> 1, (ones >> 1) + 1,
                                ones - 7, old + 1, old - 1, old + 8,   old - 8,
                                old * 2,  old ^ 1, s->len,  s->data,   s->data_end,
                                2,        7,       8,       63,        4096,
                                65535 };
    if (mut_pick(s, 3) == 0)
        return (old ^ (uint64_t)1 << mut_pick(s, 8 * width)) & ones;
    return values[mut_pick(s, PC_COUNT_OF(values))] & ones;
}

/* Changes one leaf of a table over n bytes. */
static void change_leaf(struct subject *s, const struct pc_field *table, const struct pc_record_info *info,
                        const struct pc_layout *layout, size_t at, size_t n)
{
    struct choice c = { .s = s };
    struct pc_cursor cursor = { .in = mut_part(s, at, n),
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
        mut_store(s, place, width, mut_boundary(s, width, mut_load(s, place, width)));
    else
        s->bytes[place + mut_pick(s, c.leaf.raw.len)] =
            (unsigned char)(mut_pick(s, 4) ? mut_pick(s, 256) : 0);
}

void mut_change_record_leaf(struct subject *s)
{
    size_t i = (size_t)mut_pick(s, s->nr_records), size = mut_size_of(s, i);
    uint32_t type = (uint32_t)mut_load(s, s->record[i], 4);
    const struct pc_record_info *info = pc_record_info(type);
    if (!info)
        return;
    struct pc_layout layout = pc_record_layout(pc_is_kernel_type(type) ? &s->layout : NULL, type,
                                               (uint16_t)mut_load(s, s->record[i] + 4, 2), false);
    change_leaf(s, NULL, info, &layout, s->record[i], size);
}

void mut_change_attr_leaf(struct subject *s)
{
    struct event e;
    if (mut_choose_event(s, &e))
        change_leaf(s, pc_attr_fields, NULL, NULL, e.at, e.len);
}

void mut_change_header_leaf(struct subject *s)
{
    if (s->pipe)
        mut_store(s, 8 * (size_t)mut_pick(s, 2), 8, mut_boundary(s, 8, 16));
    else
        change_leaf(s, pc_file_header, NULL, NULL, 0,
                    s->len < PC_FILE_HEADER_SIZE ? s->len : PC_FILE_HEADER_SIZE);
}

void mut_change_feature_leaf(struct subject *s)
{
    struct feature f;
    struct pc_layout layout = mut_feature_layout(s);
    if (!mut_choose_feature(s, &f) || !pc_feature_info(f.bit))
        return;
    const struct pc_field *table = pc_feature_fields(f.bit, mut_part(s, f.at, f.len));
    if (table)
        change_leaf(s, table, NULL, &layout, f.at, f.len);
}

/* --- records --- */

void mut_resize_record(struct subject *s)
{
    size_t i = (size_t)mut_pick(s, s->nr_records), size = mut_size_of(s, i),
           n = 8 * (1 + (size_t)mut_pick(s, 4));
    bool grow = mut_pick(s, 2);
    if (grow && size + n <= PC_RECORD_SIZE_MAX && mut_insert(s, s->record[i] + size, n))
        mut_store(s, s->record[i] + 6, 2, size + n);
    else if (!grow && size >= PC_RECORD_HEADER_SIZE + n) {
        mut_cut(s, s->record[i] + size - n, n);
        mut_store(s, s->record[i] + 6, 2, size - n);
    }
}

void mut_change_size(struct subject *s)
{
    size_t i = (size_t)mut_pick(s, s->nr_records);
    mut_store(s, s->record[i] + 6, 2, mut_boundary(s, 2, mut_size_of(s, i)));
}

void mut_change_type(struct subject *s)
{
    uint32_t type = (uint32_t)mut_pick(s, PC_TYPES);
    for (unsigned tries = 0; tries < 8 && !pc_record_info(type); tries++)
        type = (uint32_t)mut_pick(s, mut_pick(s, 2) ? 32 : 96);
    mut_store(s, s->record[mut_pick(s, s->nr_records)], 4, type);
}

void mut_delete_record(struct subject *s)
{
    size_t i = (size_t)mut_pick(s, s->nr_records);
    mut_cut(s, s->record[i], mut_whole_of(s, i));
}

/* Copies a record to the beginning of another. */
static void copy_record(struct subject *s, bool moved)
{
    size_t i = (size_t)mut_pick(s, s->nr_records);
    mut_copy_bytes(s, s->record[i], mut_whole_of(s, i), s->record[mut_pick(s, s->nr_records)], moved);
}

void mut_duplicate_record(struct subject *s)
{
    copy_record(s, false);
}

void mut_move_record(struct subject *s)
{
    copy_record(s, true);
}

void mut_swap_record_order(struct subject *s)
{
    size_t i = (size_t)mut_pick(s, s->nr_records), at = s->record[i], size = mut_size_of(s, i);
    enum pc_order other = s->order == PC_BIG ? PC_LITTLE : PC_BIG;
    pc_store(s->bytes + at, 4, mut_load(s, at, 4), other);
    for (size_t k = 4; k < 8; k += 2)
        pc_store(s->bytes + at + k, 2, mut_load(s, at + k, 2), other);
    for (size_t k = 8; k + 8 <= size; k += 8)
        pc_store(s->bytes + at + k, 8, mut_load(s, at + k, 8), other);
}

/* --- compressed records --- */

/* Adds the feature that readers of compressed records need, unless it is present. */
static void announce_compression(struct subject *s)
{
    const struct pc_field *table = pc_feature_info(PC_COMPRESSED_FEATURE)->fields;
    const uint64_t level = 1, room = (uint64_t)1 << 19; /* the limit of perf record for the content of one */
    unsigned char content[64] = { 0 };
    size_t n = mut_least_content(table, NULL, s->order, content, sizeof(content));
    struct feature f;
    if (n > sizeof(content))
        return;
    bool there = mut_find_feature(s, PC_COMPRESSED_FEATURE, &f);
    struct pc_cursor c =
        pc_cursor(there ? mut_part(s, f.at, f.len) : (struct pc_span){ content, n }, s->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    if (!pc_walk_table(&walk, table) || walk.slot[PC_COMPRESSED_MMAP_LEN] != 0)
        return;
    pc_store(content + walk.slot_at[PC_COMPRESSED_MMAP_LEN], walk.slot_width[PC_COMPRESSED_MMAP_LEN], room,
             s->order);
    pc_store(content + walk.slot_at[PC_COMPRESSED_TYPE], walk.slot_width[PC_COMPRESSED_TYPE],
             PC_COMPRESSION_ZSTD, s->order);
    pc_store(content + walk.slot_at[PC_COMPRESSED_LEVEL], walk.slot_width[PC_COMPRESSED_LEVEL], level,
             s->order);
    if (there)
        memcpy(s->bytes + f.at, content, n);
    else
        mut_add_feature(s, PC_COMPRESSED_FEATURE, content, n);
}

/* Whether perf compresses records like this one. Those that describe the capture, and those with a payload,
 * stay outside. */
static bool may_be_wrapped(const struct subject *s, size_t i)
{
    uint32_t type = (uint32_t)mut_load(s, s->record[i], 4);
    const struct pc_record_info *info = pc_record_info(type);
    return type != PC_HEADER_ATTR && type != PC_AUXTRACE && type != PC_COMPRESSED && type != PC_COMPRESSED2 &&
           !(info && (info->flags & PC_HEADER_ONLY_IN_PIPE));
}

/* Makes a run of records the stored block of a zstd frame in a COMPRESSED2 record. */
void mut_wrap_records(struct subject *s)
{
    if (s->fix)
        announce_compression(s);
    size_t first = (size_t)mut_pick(s, s->nr_records), last;
    for (size_t i = 0; s->fix && i < s->nr_records && !may_be_wrapped(s, first); i++)
        first = first + 1 < s->nr_records ? first + 1 : 0;
    if (s->nr_records == 0 || (s->fix && !may_be_wrapped(s, first)))
        return;
    last = first + (size_t)mut_pick(s, s->nr_records - first);
    for (size_t i = first + 1; s->fix && i <= last; i++)
        last = may_be_wrapped(s, i) ? last : i - 1;
    size_t start = s->record[first], n = s->record[last] + mut_size_of(s, last) - start;
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
    /* Mostly the smallest window that holds the block, because the decoder allocates it. */
    unsigned log = 10;
    while ((size_t)1 << log < n)
        log++;
    head[20] = 0;
    head[21] = mut_pick(s, 8) ? (unsigned char)((log - 10) << 3) : 0x48;
    size_t block = n << 3 | 1;
    for (unsigned i = 0; i < 3; i++)
        head[22 + i] = (unsigned char)(block >> 8 * i);
    mut_insert(s, start + n, padded - whole);
    mut_insert_bytes(s, start, head, sizeof(head));
}

/* The reverse, for any frame that is in one record. */
void mut_unwrap_record(struct subject *s)
{
    const struct pc_record_info *info = NULL;
    uint64_t seen = 0;
    size_t at = 0, size = 0, got;
    for (size_t i = 0; i < s->nr_records; i++) {
        uint32_t type = (uint32_t)mut_load(s, s->record[i], 4);
        if ((type == PC_COMPRESSED || type == PC_COMPRESSED2) && mut_pick(s, ++seen) == 0) {
            at = s->record[i];
            size = mut_size_of(s, i);
            info = pc_record_info(type);
        }
    }
    if (!info)
        return;
    struct pc_cursor c = { .in = mut_part(s, at, size), .pos = PC_RECORD_HEADER_SIZE, .order = s->order };
    struct pc_inflate inflate;
    struct pc_walk walk;
    struct pc_mem mem;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    if (!pc_walk_table(&walk, info->fields) || walk.slot_at[PC_REC_RAW] == 0)
        return;
    struct pc_span packed = mut_part(s, at + walk.slot_at[PC_REC_RAW], (size_t)walk.slot[PC_REC_RAW]);
    pc_mem_init(&mem, PC_INFLATE_MEMORY);
    pc_inflate_init(&inflate, &mem);
    enum pc_inflate_outcome outcome = pc_inflate(&inflate, &packed, mut_spare, sizeof(mut_spare), &got);
    pc_inflate_clear(&inflate);
    if (outcome != PC_INFLATE_GOOD || got == 0 || got > s->max - (s->len - size))
        return;
    mut_cut(s, at, size);
    mut_insert_bytes(s, at, mut_spare, got);
}

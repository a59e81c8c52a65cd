/* SPDX-License-Identifier: MIT
 *
 * The bytes of one section, and the table that says where those of features are.
 */
#include "read/parts.h"

/* Entries of a feature table that some writers leave unused. */
#define ROOM_MAX 16
/* A table that was moved is looked for so many bytes around. */
#define MOVED_MAX 8192

bool pc_reader_section_room(struct pc_reader *r, uint64_t offset, uint64_t size)
{
    if (size > r->limits->section) {
        pc_reader_say(r, PC_D_SECTION_TOO_LARGE, PC_AT_END, offset, size, pc_uint_value(size),
                      pc_uint_value(r->limits->section));
        return false;
    }
    if (size > r->file.section_cap) {
        pc_free(r->mem, r->file.section, r->file.section_cap);
        r->file.section_cap = 0;
        r->file.section = pc_alloc(r->mem, size);
        if (!r->file.section) {
            pc_reader_say_out_of_memory(r, "a section was read");
            return false;
        }
        r->file.section_cap = size;
    }
    return true;
}

bool pc_reader_read_section(struct pc_reader *r, uint64_t offset, uint64_t size)
{
    if (!pc_reader_section_room(r, offset, size))
        return false;
    size_t got = pc_input_read_at(r->in, offset, r->file.section, (size_t)size);
    if (got != size)
        pc_reader_say_short_read(r, offset + got);
    return got == size;
}

void pc_load_section(struct pc_span raw, enum pc_order order, uint64_t *offset, uint64_t *size)
{
    struct pc_walk walk;
    pc_read_table(&walk, pc_section, pc_cursor(raw, order));
    *offset = walk.slot[PC_SLOT_F0];
    *size = walk.slot[PC_SLOT_F0 + 1];
}

/* Reads the feature table, whose slots are asked for one by one. */
static void read_table(struct pc_reader *r)
{
    size_t size = (size_t)pc_count_features(r->capture->features) * PC_SECTION_SIZE;
    r->file.table_size = pc_input_read_at(r->in, r->outer.end, r->file.table, size);
}

uint64_t pc_reader_count_entries(struct pc_reader *r, uint64_t slots)
{
    uint64_t start = r->outer.end, nr = 0, end = 0, offset, size;
    size_t got = pc_input_read_at(r->in, start, r->file.table, sizeof(r->file.table));
    if (got >= slots * PC_SECTION_SIZE && pc_is_one_unwritten(r->capture->features, r->file.table, slots,
                                                              r->capture->order, start, r->in->size))
        return slots - 1;
    for (size_t at = 0; at + PC_SECTION_SIZE <= got; at += PC_SECTION_SIZE) {
        pc_load_section((struct pc_span){ r->file.table + at, PC_SECTION_SIZE }, r->capture->order, &offset,
                        &size);
        if (nr == 0)
            end = offset;
        if (offset != end || offset < start + at + PC_SECTION_SIZE || !pc_add(offset, size, &end))
            break;
        nr += size != 0 || nr < slots || end != r->in->size; /* that of one that was not written is empty */
    }
    if (nr != 0)
        pc_load_section((struct pc_span){ r->file.table, PC_SECTION_SIZE }, r->capture->order, &offset,
                        &size);
    uint64_t room = nr != 0 ? (offset - start) / PC_SECTION_SIZE : 0; /* in front of the first section */
    bool fits = nr != 0 && end == r->in->size && room >= nr && room - nr <= ROOM_MAX;
    return fits && (nr > slots || room < slots) ? nr : slots;
}

/* Whether the table here is that of sections which follow each other behind it up to the end of the file, if
 * so many bytes are added to their offsets. */
static bool is_table(struct pc_reader *r, uint64_t at, uint64_t slots, uint64_t moved)
{
    unsigned char table[PC_TABLE_MAX];
    const size_t size = (size_t)slots * PC_SECTION_SIZE;
    uint64_t first, end;
    return pc_input_read_at(r->in, at, table, size) == size &&
           pc_sections_follow(table, slots, r->capture->order, &first, &end) &&
           pc_may_be_sections(r->capture->features, at, slots, first + moved, end + moved, r->in->size);
}

bool pc_reader_has_table(struct pc_reader *r, uint64_t at)
{
    const uint64_t slots = pc_count_features(r->capture->features);
    return slots != 0 && is_table(r, at, slots, 0);
}

uint64_t pc_reader_find_moved(struct pc_reader *r, uint64_t data, uint64_t end)
{
    const uint64_t slots = pc_count_features(r->capture->features), first = end + slots * PC_SECTION_SIZE;
    const size_t need = (size_t)PC_TABLE_FEW * PC_SECTION_SIZE;
    uint64_t at = data > end || end - data < MOVED_MAX ? data : end - MOVED_MAX;
    uint64_t looked = 0;
    unsigned char bytes[1024];
    if (slots < PC_TABLE_FEW || is_table(r, end, slots, 0))
        return 0;
    for (size_t have = sizeof(bytes); have == sizeof(bytes) && at < end + MOVED_MAX; at += have - need + 1) {
        have = pc_input_read_at(r->in, at, bytes, sizeof(bytes));
        for (size_t i = 0; i + need <= have; i++) {
            const uint64_t moved = at + i - end;
            if (!pc_begins_sections(bytes + i, slots, r->capture->order, first, r->in->size - moved) ||
                looked > r->in->size)
                continue;
            if (is_table(r, at + i, slots, moved))
                return moved;
            looked += slots * PC_SECTION_SIZE;
        }
    }
    return 0;
}

bool pc_reader_table_slot(struct pc_reader *r, uint64_t slot, uint64_t *offset, uint64_t *size)
{
    uint64_t at = slot * PC_SECTION_SIZE;
    if (r->file.table_size == 0)
        read_table(r);
    if (at + PC_SECTION_SIZE > r->file.table_size) {
        pc_reader_say_short_read(r, r->outer.end + at);
        return false;
    }
    pc_load_section((struct pc_span){ r->file.table + (size_t)at, PC_SECTION_SIZE }, r->capture->order,
                    offset, size);
    *offset += r->file.moved;
    return true;
}

bool pc_reader_next_feature(struct pc_reader *r, struct pc_item *item)
{
    uint64_t offset, size, end;
    while (r->file.bit < PC_FEATURE_BITS) {
        uint64_t bit = r->file.bit++;
        if (!pc_bit(r->capture->features, bit))
            continue;
        uint64_t entry = r->outer.end + r->file.index * PC_SECTION_SIZE;
        if (!pc_reader_table_slot(r, r->file.index++, &offset, &size))
            return false;
        /* What lies outside was reported; unknown features are not read. */
        if (bit == 0 || !pc_add(offset, size, &end) || end > r->in->size)
            continue;
        pc_set_bit(pc_reader_learn(r)->seen, bit);
        const struct pc_feature_info *info = pc_feature_info(bit);
        bool held = !pc_feature_is(bit, PC_ANY_LENGTH) || size <= r->limits->section;
        bool content = info && info->fields && size != 0 && held;
        if (content && !pc_reader_read_section(r, offset, size))
            continue;
        *item = (struct pc_item){ .kind = PC_ITEM_FEATURE,
                                  .offset = offset,
                                  .number = bit,
                                  .size = size,
                                  .entry = entry,
                                  .bytes = { r->file.section, content ? (size_t)size : 0 } };
        if (info && info->fields)
            pc_capture_feature(pc_reader_learn(r), bit, pc_cursor(item->bytes, r->capture->order));
        return true;
    }
    return false;
}

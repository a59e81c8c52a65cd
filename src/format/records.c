/* SPDX-License-Identifier: MIT
 *
 * records.c: the row of a record type, the layout of a record, and the walk of one.
 */
#include "format/records.h"
#include "base/text.h"
#include "format/header.h"
#include "format/rows.h"

#include <inttypes.h>
#include <stdio.h>

const struct pc_record_info *pc_record_info(uint32_t type)
{
    const struct pc_record_info *info = NULL;
    if (pc_is_kernel_type(type))
        info = &pc_kernel_records[type];
    else if (type < PC_TYPES)
        info = &pc_user_records[type - PC_USER_TYPES];
    else if (pc_is_android_type(type))
        info = &pc_android_records[type - PC_ANDROID_TYPES];
    return info && info->name ? info : NULL;
}

const char *pc_type_name(uint32_t type, char number[PC_NUMBER_NAME])
{
    const struct pc_record_info *info = pc_record_info(type);
    if (!info)
        snprintf(number, PC_NUMBER_NAME, "TYPE_%" PRIu32, type);
    return info ? info->name : number;
}

const char *pc_type_like(const char *word)
{
    const char *like = NULL;
    for (uint32_t i = 0; i < PC_TYPE_ROWS; i++) {
        const struct pc_record_info *info = pc_record_info(pc_type_at(i));
        if (info)
            pc_text_suggest(word, info->name, &like);
    }
    return like;
}

static const struct pc_field *row_with(const struct pc_field *row, unsigned slot)
{
    while (row->kind != PC_END && row->save != slot)
        row++;
    return row->kind != PC_END ? row : NULL;
}

const struct pc_field *pc_record_row(const struct pc_record_info *info, unsigned slot)
{
    const struct pc_field *row = row_with(info->fields, slot);
    return row ? row : row_with(pc_sample_id, slot);
}

struct pc_layout pc_record_layout(const struct pc_layout *attr, uint32_t type, uint16_t misc, bool mmap2_old)
{
    struct pc_layout layout = { 0 };
    if (attr && pc_is_kernel_type(type))
        layout = *attr;
    if (type == PC_SAMPLE)
        layout.mask &= ~PC_LAYOUT_SAMPLE_ID;
    if (type == PC_MMAP2) {
        layout.mask |= misc & PC_MISC_MMAP_BUILD_ID ? PC_LAYOUT_BUILD_ID : PC_LAYOUT_INODE;
        if (!mmap2_old || (misc & PC_MISC_MMAP_BUILD_ID)) /* which no kernel before 5.12 wrote */
            layout.mask |= PC_LAYOUT_PROT;
    }
    return layout;
}

bool pc_build_id_is_plain(struct pc_span mmap2)
{
    const size_t at = PC_MMAP2_PROT - PC_BUILD_ID_MAX;
    if (mmap2.len < PC_MMAP2_PROT || mmap2.ptr[at - 4] > PC_BUILD_ID_MAX)
        return false;
    const size_t size = mmap2.ptr[at - 4];
    const struct pc_span rest = pc_part(mmap2, at + size, PC_BUILD_ID_MAX - size);
    return pc_first_nonzero(rest) == rest.len;
}

bool pc_record_step(struct pc_span record, enum pc_order order, uint64_t *step)
{
    const uint32_t type = pc_load_head(record.ptr, order).type;
    struct pc_walk walk;
    *step = record.len;
    if (!pc_record_is(type, PC_HAS_PAYLOAD))
        return true;
    return pc_read_table(&walk, pc_record_info(type)->fields, pc_record_body(record, order)) &&
           pc_add(*step, walk.slot[PC_REC_SIZE], step);
}

unsigned pc_sample_id_size(uint64_t mask)
{
    size_t size;
    if (!(mask & PC_LAYOUT_SAMPLE_ID))
        return 0;
    pc_find_row(pc_sample_id, mask, PC_SLOTS, &size);
    return (unsigned)size;
}

const struct pc_field pc_record_trailer[] = { SUB("sample_id", pc_sample_id, .when = PC_LAYOUT_SAMPLE_ID),
                                              END };

bool pc_walk_record(struct pc_walk *walk, const struct pc_record_info *info, size_t *excess)
{
    struct pc_cursor *record = walk->c, body;
    size_t trailer = pc_sample_id_size(walk->mask);

    *excess = 0;
    if (trailer > pc_left(record))
        return false;
    pc_narrow(record, pc_left(record) - trailer, &body);
    walk->c = &body;
    bool sound = pc_walk_table(walk, info->fields);
    walk->c = record;
    if (!sound)
        return false;
    *excess = pc_left(&body);
    record->pos = body.in.len;
    return trailer == 0 || pc_walk_table(walk, pc_record_trailer);
}

/* SPDX-License-Identifier: MIT
 *
 * Rules of compressed records and of the feature that announces them.
 */
#include "check/judge.h"
#include "bytes/deflate.h"

/* Five zeros are what perf stat record writes; otherwise the words must make sense. */
void pc_check_compression(struct pc_judge *judge, struct pc_span payload, const struct pc_walk *walk)
{
    size_t start = walk->slot_at[PC_COMPRESSED_TYPE] - pc_row_at(pc_compression, PC_COMPRESSED_TYPE);
    if (pc_first_nonzero(payload) == payload.len) {
        pc_check_say(judge, PC_D_COMPRESSED_EMPTY, start, payload.len, pc_none, pc_none);
        return;
    }
    uint64_t level = walk->slot[PC_COMPRESSED_LEVEL];
    if (level == 0 || level > PC_DEFLATE_LEVELS)
        pc_check_say(judge, PC_D_COMPRESSED_LEVEL, walk->slot_at[PC_COMPRESSED_LEVEL], 4,
                     pc_uint_value(level), pc_uint_value(PC_DEFLATE_LEVELS));
    uint64_t len = walk->slot[PC_COMPRESSED_MMAP_LEN];
    if (len < 4096 || len % 4096 != 0)
        pc_check_say(judge, PC_D_COMPRESSED_MMAP_LEN, walk->slot_at[PC_COMPRESSED_MMAP_LEN], 4,
                     pc_uint_value(len), pc_none);
}

/* Disks lose blocks of this size, or several. */
#define BLOCK 512

/* zstd has an own form for a repeated byte, and so leaves no such block. */
static void check_lost_block(struct pc_judge *judge, const struct pc_item *item, size_t data, size_t data_end)
{
    size_t first = data + (size_t)(-(item->offset + data) % BLOCK);
    while (first + BLOCK <= data_end && pc_first_nonzero(pc_part(item->bytes, first, BLOCK)) != BLOCK)
        first += BLOCK;
    size_t end = first;
    while (end + BLOCK <= data_end && pc_first_nonzero(pc_part(item->bytes, end, BLOCK)) == BLOCK)
        end += BLOCK;
    if (end != first)
        pc_check_say(judge, PC_D_COMPRESSED_ZEROS, first, end - first, pc_uint_value(end - first), pc_none);
}

/* Checks a compressed record itself; the reader checks its content. */
void pc_check_compressed_record(struct pc_judge *judge, const struct pc_item *item)
{
    bool second = item->type == PC_COMPRESSED2;
    size_t size = item->bytes.len, data = (size_t)judge->facts.slot[PC_REC_RAW];
    size_t data_end = judge->facts.slot_at[PC_REC_RAW] + data;

    if (data == 0)
        pc_check_say(judge, second ? PC_D_COMPRESSED2_EMPTY : PC_D_COMPRESSED_NO_DATA,
                     second ? PC_RECORD_HEADER_SIZE : PC_RECORD_SIZE_AT, second ? 8 : 2,
                     pc_uint_value(second ? 0 : size), pc_none);
    check_lost_block(judge, item, data_end - data, data_end < size ? data_end : size);
    if (!second || item->size_wrapped)
        return;
    struct pc_span padding = pc_part(item->bytes, data_end, size - data_end);
    const bool is_zero = pc_first_nonzero(padding) == padding.len;
    if (size != pc_align8(data_end) && !is_zero)
        pc_check_say(judge, PC_D_COMPRESSED2_LEFT, data_end, padding.len, pc_uint_value(padding.len),
                     pc_none);
    else if (size != pc_align8(data_end))
        pc_check_say(judge, PC_D_COMPRESSED2_EXCESS, PC_RECORD_SIZE_AT, 2, pc_uint_value(size),
                     pc_uint_value(pc_align8(data_end)));
    else if (!is_zero)
        pc_check_say(judge, PC_D_COMPRESSED2_PADDING, data_end, padding.len, pc_none, pc_none);
}

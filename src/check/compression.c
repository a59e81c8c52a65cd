/* SPDX-License-Identifier: MIT
 *
 * Rules of compressed records and of the feature that announces them.
 */
#include "check/check.h"

static const struct pc_value none;

/* Five zeros are what perf stat record writes; otherwise the words must make sense. */
void pc_check_compression(struct pc_check *check, struct pc_span payload, const struct pc_walk *walk)
{
    size_t start = walk->slot_at[PC_COMPRESSED_MMAP_LEN] - 16; /* mmap_len is the fifth word */
    check->compression.at = check->at.offset + start;
    check->compression.promised = true;
    if (pc_first_nonzero(payload) == payload.len) {
        pc_check_say(check, PC_D_COMPRESSED_EMPTY, start, payload.len, none, none);
        check->compression.promised = false; /* nothing was promised */
        return;
    }
    const unsigned zstd = 1, highest = 22;
    uint64_t type = walk->slot[PC_COMPRESSED_TYPE], level = walk->slot[PC_COMPRESSED_LEVEL];
    if (type != zstd) {
        check->compression.type =
            pc_check_finding(check, PC_D_COMPRESSED_TYPE, walk->slot_at[PC_COMPRESSED_TYPE], 4);
        pc_finding_name(&check->compression.type, "type");
        check->compression.type.seen = pc_uint_value(type);
        check->compression.type.expected = pc_uint_value(zstd);
    }
    if (level == 0 || level > highest)
        pc_check_say(check, PC_D_COMPRESSED_LEVEL, walk->slot_at[PC_COMPRESSED_LEVEL], 4,
                     pc_uint_value(level), pc_uint_value(highest));
    uint64_t len = walk->slot[PC_COMPRESSED_MMAP_LEN];
    if (len < 4096 || len % 4096 != 0)
        pc_check_say(check, PC_D_COMPRESSED_MMAP_LEN, walk->slot_at[PC_COMPRESSED_MMAP_LEN], 4,
                     pc_uint_value(len), none);
}

/* A record as the capture's compression has it; the reader judges its content. */
void pc_check_compressed_record(struct pc_check *check, const struct pc_item *item)
{
    const struct pc_capture *capture = check->capture;
    bool second = item->type == PC_COMPRESSED2;
    size_t size = item->bytes.len, data = (size_t)check->slot[PC_REC_RAW];
    size_t data_end = check->slot_at[PC_REC_RAW] + data;

    /* A feature that could not be read was reported. */
    bool lost = pc_bit(capture->features, PC_COMPRESSED_FEATURE) && !check->compression.promised &&
                check->compression.at == 0;
    if (capture->mmap_len == 0 && !capture->unfinished && !lost && !check->compression.said_none) {
        check->compression.said_none = true;
        pc_check_say(check, PC_D_COMPRESSED_UNANNOUNCED, 0, size, none, none);
    }
    if (check->compression.type.id) {
        pc_report_add_at(check->report, &check->compression.type, (struct pc_where){ 0 });
        check->compression.type.id = PC_NO_DIAG;
    }
    if (check->compression.wrappers[second]++ == 0 && check->compression.wrappers[!second] != 0)
        pc_check_say(check, PC_D_COMPRESSED_MIXED, 0, 4, none, none);
    if (data == 0)
        pc_check_say(check, second ? PC_D_COMPRESSED2_EMPTY : PC_D_COMPRESSED_NO_DATA,
                     second ? PC_RECORD_HEADER_SIZE : 6, second ? 8 : 2, pc_uint_value(second ? 0 : size),
                     none);
    if (!second || item->size_wrapped)
        return;
    struct pc_span padding = pc_part(item->bytes, data_end, size - data_end);
    if (size != pc_align8(data_end))
        pc_check_say(check, PC_D_COMPRESSED2_EXCESS, PC_RECORD_SIZE_AT, 2, pc_uint_value(size),
                     pc_uint_value(pc_align8(data_end)));
    else if (pc_first_nonzero(padding) != padding.len)
        pc_check_say(check, PC_D_COMPRESSED2_PADDING, data_end, padding.len, none, none);
}

void pc_check_compression_end(struct pc_check *check)
{
    const struct pc_context end = { .place = PC_AT_END, .offset = check->compression.at };
    if (check->compression.promised && check->sum.compressed == 0)
        pc_report_say(check->report, &end, PC_D_COMPRESSED_UNUSED, 0, 0, NULL, none, none);
}

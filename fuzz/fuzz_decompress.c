/* SPDX-License-Identifier: MIT
 *
 * decompress: what comes out of compressed records is bounded; opened, a capture has the same records, in the
 * same sequence, and none that is compressed; opening again changes nothing; compressing it and opening that
 * gives the same bytes.
 */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

static struct pc_scan scan;

static struct pc_summary sum_of(struct pc_span capture)
{
    fuzz_scan(&scan, capture, PC_INPUT_FILE);
    struct pc_summary sum = scan.check.sum;
    PC_CLAIM(sum.compressed_out <= fuzz_limits.inflated + 1);
    PC_CLAIM(sum.compressed_in <= capture.len);
    PC_CLAIM(sum.compressed != 0 || sum.compressed_out == 0);
    fuzz_scan_end(&scan);
    /* Of what an end is made, and what headers become. */
    sum.by_type[PC_FINISHED_ROUND] = 0;
    return sum;
}

/* Of what a copy makes attrs and features, and of what it leaves out. */
static bool is_of_container(uint32_t type)
{
    return type == PC_FINISHED_ROUND || type == PC_COMPRESSED || type == PC_COMPRESSED2 ||
           type == PC_HEADER_FEATURE || (type >= PC_HEADER_ATTR && type <= PC_HEADER_BUILD_ID);
}

/* What a copy keeps of a leaf: numbers, and text up to its NUL. */
static bool put_leaf(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_hash *h = ctx;
    enum pc_kind kind = leaf->field->kind;
    if (pc_is_padding(leaf->field) || leaf->fault != PC_SOUND)
        return leaf->fault == PC_SOUND;
    if (kind == PC_UINT || kind == PC_BITS || kind == PC_CSTR)
        pc_hash_put_uint(h, leaf->value);
    if (kind == PC_CSTR)
        pc_hash_put(h, leaf->raw.ptr, (size_t)leaf->value);
    return true;
}

static void put_fields(struct pc_hash *h, const struct pc_item *item)
{
    struct pc_capture *capture = &scan.capture;
    struct pc_cursor c = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = capture->order };
    struct pc_layout layout;
    struct pc_walk walk;
    uint32_t attr;
    size_t excess;
    if (!pc_capture_layout(capture, item->type, item->misc, item->bytes, &layout, &attr))
        return;
    pc_walk_init(&walk, &layout, &c, put_leaf, h);
    pc_walk_record(&walk, pc_item_info(item), &excess);
}

/* All records one after the other, and the bytes behind some. */
static struct pc_sum sequence_of(struct pc_span capture)
{
    struct pc_hash h;
    struct pc_item item;
    pc_hash_init(&h);
    pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
    pc_input_memory(&scan.in, capture, PC_INPUT_FILE);
    while (pc_reader_next(&scan.reader, &item)) {
        if (item.kind == PC_ITEM_PAYLOAD && item.type == PC_AUXTRACE)
            pc_hash_put(&h, item.bytes.ptr, item.bytes.len);
        if (item.kind != PC_ITEM_RECORD || is_of_container(item.type))
            continue;
        pc_hash_put_uint(&h, item.type);
        pc_hash_put_uint(&h, item.misc);
        if (pc_item_info(&item))
            put_fields(&h, &item);
    }
    fuzz_scan_end(&scan);
    return pc_hash_sum(&h);
}

static bool same_facts(const struct pc_summary *a, const struct pc_summary *b)
{
    return a->lost_events == b->lost_events && a->lost_samples == b->lost_samples &&
           a->first_time == b->first_time && a->last_time == b->last_time;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    struct fuzz_bytes open, again, packed;
    const struct pc_rewrite none = { .compression = PC_COMPRESSION_NONE };
    struct pc_rewrite pack = { .compression = PC_COMPRESSION_LEVEL };
    if (!fuzz_case(&c, data, size))
        return 0;
    pack.level = 1 + (int)fuzz_bits(&c, 0, 2);
    uint64_t limit = fuzz_limits.inflated;
    if (fuzz_bits(&c, 2, 2) == 1) { /* one that small captures reach */
        fuzz_limits.inflated = (uint64_t)1 << fuzz_bits(&c, 4, 4);
        sum_of(c.capture);
        fuzz_limits.inflated = limit;
    }
    struct pc_summary before = sum_of(c.capture);
    if (fuzz_rewrite(none, c.capture, &open) != PC_WRITTEN)
        return 0;
    struct pc_summary after = sum_of(fuzz_span(&open));
    PC_CLAIM(after.compressed == 0 && after.by_type[PC_COMPRESSED] + after.by_type[PC_COMPRESSED2] == 0);
    PC_CLAIM(memcmp(before.by_type, after.by_type, PC_USER_TYPES * sizeof(before.by_type[0])) == 0);
    PC_CLAIM(same_facts(&before, &after));
    struct pc_sum packed_sequence = sequence_of(c.capture), sequence = sequence_of(fuzz_span(&open));
    PC_CLAIM(pc_sum_equal(&packed_sequence, &sequence));
    PC_CLAIM(fuzz_rewrite(none, fuzz_span(&open), &again) == PC_WRITTEN && fuzz_same(&open, &again));
    free(again.bytes);
    if (fuzz_rewrite(pack, fuzz_span(&open), &packed) == PC_WRITTEN) {
        PC_CLAIM(fuzz_rewrite(none, fuzz_span(&packed), &again) == PC_WRITTEN && fuzz_same(&open, &again));
        free(again.bytes);
        free(packed.bytes);
    }
    free(open.bytes);
    return 0;
}

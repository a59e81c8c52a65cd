/* SPDX-License-Identifier: MIT
 *
 * decompress: what comes out of compressed records is bounded. A decompressed capture has the same records
 * in the same sequence, and no compressed record. Decompressing it again changes nothing. Compressing and
 * decompressing it gives the same bytes.
 */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

static struct pc_scan scan;

static struct pc_summary sum_of(struct pc_span capture)
{
    fuzz_scan(&scan, capture, PC_INPUT_FILE);
    struct pc_summary sum = scan.check.flow.sum;
    PC_CLAIM(sum.compressed_out <= fuzz_limits.inflated + 1);
    PC_CLAIM(sum.compressed_in <= capture.len);
    PC_CLAIM(sum.compressed != 0 || sum.compressed_out == 0);
    fuzz_scan_end(&scan);
    /* Of what an end is made, and what headers become. */
    sum.by_type[PC_FINISHED_ROUND] = 0;
    return sum;
}

static bool same_facts(const struct pc_summary *a, const struct pc_summary *b)
{
    return a->lost_events == b->lost_events && a->lost_samples == b->lost_samples &&
           a->has_time == b->has_time && a->first_time == b->first_time && a->last_time == b->last_time;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    const struct fuzz_but but = { 0 };
    struct fuzz_bytes open, again, packed;
    const struct pc_rewrite none = { .compression = PC_COMPRESSION_NONE };
    struct pc_rewrite pack = { .compression = PC_COMPRESSION_LEVEL };
    if (!fuzz_case(&c, data, size))
        return 0;
    pack.level = 1 + (int)fuzz_bits(&c, 0, 2);
    uint64_t limit = fuzz_limits.inflated;
    if (fuzz_bits(&c, 2, 2) == 1) { /* a size that small captures reach */
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
    PC_CLAIM(fuzz_same_sequence(c.capture, fuzz_span(&open), but));
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

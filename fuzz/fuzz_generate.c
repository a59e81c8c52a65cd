/* SPDX-License-Identifier: MIT
 *
 * generate: what build_capture.c makes of any bytes is accepted without error or warning, is its own
 * canonical copy, comes back from the other byte order and the other container, and has one digest in all
 * forms.
 */
#include "build_capture.h"
#include "harness.h"

#include <stdlib.h>

static struct pc_scan scan;

static void claim_sound(struct pc_span capture, const struct fuzz_built *built)
{
    fuzz_scan(&scan, capture, built->pipe ? PC_INPUT_STREAM : PC_INPUT_FILE);
    for (size_t i = 0; i < scan.report.nr; i++)
        PC_CLAIM_OF(scan.report.finding[i].id, scan.report.finding[i].severity == PC_NOTE);
    PC_CLAIM(pc_scan_verdict(&scan) == PC_VALID);
    PC_CLAIM(scan.capture.is_pipe == built->pipe && scan.capture.order == built->order);
    fuzz_scan_end(&scan);
}

/* There and back. */
static void claim_way(struct pc_rewrite there, struct pc_rewrite back, const struct fuzz_bytes *own)
{
    struct fuzz_bytes other, again;
    struct pc_sum before, after;
    PC_CLAIM(fuzz_rewrite(there, fuzz_span(own), &other) == PC_WRITTEN);
    PC_CLAIM(fuzz_digest(fuzz_span(own), &before) && fuzz_digest(fuzz_span(&other), &after));
    PC_CLAIM(pc_sum_equal(&before, &after));
    PC_CLAIM(fuzz_rewrite(back, fuzz_span(&other), &again) == PC_WRITTEN);
    PC_CLAIM(fuzz_same(own, &again));
    free(other.bytes);
    free(again.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    struct fuzz_built built;
    if (!fuzz_case(&c, data, size) || c.capture.len > 1200)
        return 0;
    fuzz_build(c.capture, &built);
    struct fuzz_bytes own = { built.bytes, built.len }, copy;
    const struct pc_rewrite keep = { .order = PC_ORDER_KEEP }, swap = { .order = PC_ORDER_SWAP },
                            open = { .compression = PC_COMPRESSION_NONE },
                            pack = { .compression = PC_COMPRESSION_LEVEL, .level = 1 },
                            same = { .to = built.pipe ? PC_TO_PIPE : PC_TO_FILE },
                            other = { .to = built.pipe ? PC_TO_FILE : PC_TO_PIPE };
    claim_sound(fuzz_span(&own), &built);
    PC_CLAIM(fuzz_rewrite(keep, fuzz_span(&own), &copy) == PC_WRITTEN && fuzz_same(&own, &copy));
    free(copy.bytes);
    /* The three ways make six copies and six digests: of a larger capture one, which the length chooses. */
    bool small = c.capture.len < 128;
    if (small || c.capture.len % 3 == 0)
        claim_way(swap, swap, &own);
    if (small || c.capture.len % 3 == 1)
        claim_way(other, same, &own);
    if (small || c.capture.len % 3 == 2)
        claim_way(pack, open, &own);
    free(own.bytes);
    return 0;
}

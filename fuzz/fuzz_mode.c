/* SPDX-License-Identifier: MIT
 *
 * mode: from a file to a pipe and back is the canonical file, from a pipe to a file and back the canonical
 * pipe, with one digest all the way and no finding that is new (harness.c: may_be_new). What the other
 * container cannot carry is refused, and with --drop the copy lacks that only.
 */
#include "harness.h"

#include <stdlib.h>

static bool is_pipe(const struct fuzz_bytes *b)
{
    return b->len >= 16 && pc_load(b->bytes + 8, 8, PC_LITTLE) + pc_load(b->bytes + 8, 8, PC_BIG) ==
                               PC_PIPE_HEADER_SIZE + ((uint64_t)PC_PIPE_HEADER_SIZE << 56);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    struct fuzz_bytes own, other, back;
    struct pc_sum sum, there;
    static struct fuzz_found found;
    if (!fuzz_case(&c, data, size))
        return 0;
    struct pc_rewrite how = { .compression =
                                  fuzz_bits(&c, 0, 1) ? PC_COMPRESSION_KEEP : PC_COMPRESSION_NONE };
    if (fuzz_rewrite(how, c.capture, &own) != PC_WRITTEN)
        return 0;
    how.to = is_pipe(&own) ? PC_TO_FILE : PC_TO_PIPE;
    enum pc_rewritten result = fuzz_rewrite(how, fuzz_span(&own), &other);
    PC_CLAIM(result != PC_TROUBLE);
    if (result == PC_WRITTEN) {
        PC_CLAIM(is_pipe(&other) != is_pipe(&own));
        PC_CLAIM(fuzz_digest(fuzz_span(&own), &sum) && fuzz_digest(fuzz_span(&other), &there));
        PC_CLAIM(pc_sum_equal(&sum, &there));
        struct pc_sum sequence = fuzz_sequence(fuzz_span(&own), false),
                      other_sequence = fuzz_sequence(fuzz_span(&other), false);
        PC_CLAIM(pc_sum_equal(&sequence, &other_sequence));
        how.to = is_pipe(&own) ? PC_TO_PIPE : PC_TO_FILE;
        PC_CLAIM(fuzz_rewrite(how, fuzz_span(&other), &back) == PC_WRITTEN);
        PC_CLAIM(fuzz_same(&own, &back));
        fuzz_find(fuzz_span(&own), &found);
        fuzz_claim_copy(&found, fuzz_span(&other));
        free(other.bytes);
        free(back.bytes);
    }
    free(own.bytes);
    return 0;
}

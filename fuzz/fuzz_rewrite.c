/* SPDX-License-Identifier: MIT
 *
 * rewrite: a sound capture is written, or the refusal names the reason; an unsound one is never written,
 * except with the errors that a copy mends or keeps (content.c: no_damage). The copy has the same content,
 * and for two independent readers the same sequence of records, unless it is for a perf, which reads it. It
 * has no new finding (write/novel.c). The copy of a copy is equal to the copy.
 */
#include "harness.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum pc_versions readers[] = { PC_BY_NONE, PC_BY_NONE, PC_BY_NONE, PC_BY_NONE,
                                                PC_BY_5_10, PC_BY_6_1,  PC_BY_6_12, PC_BY_7_2 };
    static struct fuzz_found before, after;
    struct fuzz_case c;
    struct fuzz_bytes copy, again;
    struct pc_sum own, its;
    if (!fuzz_case(&c, data, size))
        return 0;
    struct pc_rewrite how = fuzz_how(&c);
    how.reader = readers[fuzz_bits(&c, 8, 3)];
    fuzz_find(c.capture, &before);
    bool whole = fuzz_digest(c.capture, &own);
    enum pc_rewritten result = fuzz_rewrite(how, c.capture, &copy);
    PC_CLAIM(fuzz_can_be_copy(&before) || !whole || before.by_id[PC_D_COMPRESSED2_WRAPPED] != 0 ||
             before.by_id[PC_D_DATA_EMPTY] != 0);
    PC_CLAIM(before.verdict != PC_VALID || result != PC_TROUBLE);
    PC_CLAIM(whole || result != PC_WRITTEN);
    if (result != PC_WRITTEN)
        return 0;
    before.edited = how.reader != PC_BY_NONE;
    fuzz_claim_copy(&before, fuzz_span(&copy));
    fuzz_policy.reader = how.reader;
    fuzz_find(fuzz_span(&copy), &after);
    fuzz_policy.reader = PC_BY_NONE;
    PC_CLAIM(fuzz_can_be_copy(&after));
    const struct fuzz_but but = { .payloads = how.order != PC_ORDER_KEEP };
    if (how.reader == PC_BY_NONE) { /* else it may be edited (write/edits.c) */
        PC_CLAIM(fuzz_digest(fuzz_span(&copy), &its) && pc_sum_equal(&own, &its));
        PC_CLAIM(fuzz_same_sequence(c.capture, fuzz_span(&copy), but));
    }
    /* The swap of a swap is another copy. */
    how.order = how.order == PC_ORDER_SWAP ? PC_ORDER_KEEP : how.order;
    PC_CLAIM(fuzz_rewrite(how, fuzz_span(&copy), &again) == PC_WRITTEN);
    PC_CLAIM(fuzz_same(&copy, &again));
    free(copy.bytes);
    free(again.bytes);
    return 0;
}

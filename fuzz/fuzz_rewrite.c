/* SPDX-License-Identifier: MIT
 *
 * rewrite: a sound capture is written, or what stands in the way is named; an unsound one never is. The copy
 * has the same content and no finding that its original has not; and the copy of a copy is the copy.
 */
#include "harness.h"

#include <stdlib.h>

static struct pc_scan scan;

static enum pc_verdict check(struct pc_span capture, uint64_t found[PC_DIAG_COUNT])
{
    fuzz_scan(&scan, capture, PC_INPUT_FILE);
    enum pc_verdict verdict = pc_scan_verdict(&scan);
    for (int id = 0; id < PC_DIAG_COUNT; id++)
        found[id] = scan.report.by_id[id];
    fuzz_scan_end(&scan);
    return verdict;
}

/* Captures of version 1 have no feature that readers of the other order look for; a note may be about what
 * only the other container has; a feature that is not known is that in a section and in a record. */
static bool may_be_new(int id, const uint64_t *before, const struct pc_rewrite *how)
{
    if (id == PC_D_FEATURE_UNKNOWN || id == PC_D_FEATURE_UNKNOWN_RECORD)
        return before[PC_D_FEATURE_UNKNOWN] + before[PC_D_FEATURE_UNKNOWN_RECORD] != 0;
    /* Rules about one container only: the bitmap of a file, the section of build ids, which records may add
     * to. */
    return id == PC_D_HOSTNAME_CLEAR || id == PC_D_BUILD_ID_TWICE ||
           (how->to != PC_TO_KEEP && pc_diag_info((enum pc_diag)id)->severity == PC_NOTE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum pc_versions readers[] = { PC_BY_NONE, PC_BY_NONE, PC_BY_NONE, PC_BY_NONE,
                                                PC_BY_5_10, PC_BY_6_1,  PC_BY_6_12, PC_BY_7_2 };
    uint64_t before[PC_DIAG_COUNT], after[PC_DIAG_COUNT];
    struct fuzz_case c;
    struct fuzz_bytes copy, again;
    struct pc_sum own, its;
    if (!fuzz_case(&c, data, size))
        return 0;
    struct pc_rewrite how = { .order = (enum pc_order_choice)(fuzz_bits(&c, 0, 3) % 5),
                              .to = (enum pc_container_choice)(fuzz_bits(&c, 3, 2) % 3),
                              .compression = (enum pc_compression)(fuzz_bits(&c, 5, 2) % 3),
                              .level = 1 };
    how.reader = readers[fuzz_bits(&c, 8, 3)];
    enum pc_verdict verdict = check(c.capture, before);
    bool whole = fuzz_digest(c.capture, &own);
    enum pc_rewritten result = fuzz_rewrite(how, c.capture, &copy);
    PC_CLAIM(verdict == PC_VALID || !whole || before[PC_D_COMPRESSED2_WRAPPED] != 0); /* which copies mend */
    PC_CLAIM(verdict != PC_VALID || result != PC_TROUBLE);
    PC_CLAIM(whole || result != PC_WRITTEN);
    if (result != PC_WRITTEN)
        return 0;
    PC_CLAIM(check(fuzz_span(&copy), after) == PC_VALID);
    for (int id = 1; id < PC_DIAG_COUNT; id++)
        PC_CLAIM_OF((enum pc_diag)id, after[id] == 0 || before[id] != 0 || may_be_new(id, before, &how));
    PC_CLAIM(fuzz_digest(fuzz_span(&copy), &its) && pc_sum_equal(&own, &its));
    /* The swap of a swap is another copy. */
    how.order = how.order == PC_ORDER_SWAP ? PC_ORDER_KEEP : how.order;
    PC_CLAIM(fuzz_rewrite(how, fuzz_span(&copy), &again) == PC_WRITTEN);
    PC_CLAIM(fuzz_same(&copy, &again));
    free(copy.bytes);
    free(again.bytes);
    return 0;
}

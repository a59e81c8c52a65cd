/* SPDX-License-Identifier: MIT
 *
 * salvage: any bytes give a copy without errors, or a reason why nothing can be saved. The copy of a sound
 * capture is the one that a plain rewrite makes; but bytes after the last field of a record, or after the end
 * of its text, may be records, which a wrong size hides, and a zstd stream with a lost block is left out. The
 * copy of a copy is equal to the copy, and lacks nothing.
 */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

/* One salvage in memory; free(copy->bytes). What it tells goes to `told`. */
struct salvaged {
    struct fuzz_bytes copy;
    char *told;
    size_t told_len;
};

static int take(void *ctx, const void *bytes, size_t n)
{
    struct fuzz_bytes *copy = ctx;
    unsigned char *more = realloc(copy->bytes, copy->len + n);
    FUZZ_MUST(more);
    memcpy(more + copy->len, bytes, n);
    *copy = (struct fuzz_bytes){ more, copy->len + n };
    return 0;
}

static enum pc_rewritten salvage(struct pc_rewrite how, struct pc_span capture, struct salvaged *s)
{
    struct pc_input in;
    *s = (struct salvaged){ 0 };
    FILE *out = open_memstream(&s->told, &s->told_len);
    FUZZ_MUST(out);
    how.callbacks = fuzz_callbacks(out);
    how.limits = fuzz_limits;
    how.salvage = true;
    how.take = take;
    how.take_ctx = &s->copy;
    pc_input_memory(&in, capture, PC_INPUT_FILE);
    enum pc_rewritten result = pc_rewrite_capture(&how, &in, "in", NULL);
    fclose(out);
    fuzz_callbacks(NULL);
    return result;
}

static void release(struct salvaged *s)
{
    free(s->copy.bytes);
    free(s->told);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_found before, after;
    struct fuzz_case c;
    struct salvaged first, again;
    struct fuzz_bytes plain;
    if (!fuzz_case(&c, data, size))
        return 0;
    struct pc_rewrite how = fuzz_how(&c);
    fuzz_find(c.capture, &before);
    enum pc_rewritten result = salvage(how, c.capture, &first);
    PC_CLAIM(result == PC_WRITTEN || first.told_len != 0);
    if (before.verdict == PC_VALID && before.by_id[PC_D_RECORD_EXCESS] == 0 &&
        before.by_id[PC_D_STRING_PADDING] == 0 && before.by_id[PC_D_COMPRESSED_ZEROS] == 0 &&
        fuzz_rewrite(how, c.capture, &plain) == PC_WRITTEN) {
        const bool empty = strstr(first.told, "nothing can be saved") != NULL,
                   zeros = strstr(first.told, pc_diag_info(PC_D_ZEROED)->id) != NULL; /* a feature's */
        PC_CLAIM(empty || zeros || fuzz_same(&plain, &first.copy));
        free(plain.bytes);
    }
    if (result == PC_WRITTEN) {
        fuzz_find(fuzz_span(&first.copy), &after);
        PC_CLAIM(fuzz_can_be_copy(&after));
        /* The swap of a swap is another copy. */
        how.order = how.order == PC_ORDER_SWAP ? PC_ORDER_KEEP : how.order;
        salvage(how, fuzz_span(&first.copy), &again);
        PC_CLAIM(fuzz_same(&first.copy, &again.copy));
        PC_CLAIM(strstr(again.told, "left out: no record"));
        release(&again);
    }
    release(&first);
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * generate: a capture of build_capture.c has no error and no warning but that much was lost, and is its own
 * canonical copy. (A compressed one, a directory, or one with HEADER_EVENT_TYPE has a canonical copy of the
 * same content.) A policy changes no finding but as it says. The capture survives the other byte order and
 * the other container, and has one digest in all forms.
 */
#include "build_capture.h"
#include "scan_whole.h"
#include "write/bundle.h"
#include "fuzz/folder.h"

#include <stdio.h>
#include <stdlib.h>

static struct pc_scan scan;

static void claim_sound(const struct fuzz_built *built)
{
    for (size_t i = 0; i < scan.report.nr; i++) {
        enum pc_diag id = scan.report.finding[i].id;
        PC_CLAIM_OF(id, scan.report.finding[i].severity == PC_NOTE || id == PC_D_LOST_MANY ||
                            id == PC_D_LOST_SAMPLES_MANY);
    }
    PC_CLAIM(pc_scan_verdict(&scan) == PC_VALID);
    PC_CLAIM(scan.capture.is_pipe == built->pipe && scan.capture.order == built->order &&
             scan.capture.is_directory == built->directory &&
             (scan.check.flow.sum.compressed != 0) <= built->compressed);
    fuzz_scan_end(&scan);
}

static enum pc_input_kind kind_of(const struct fuzz_built *built)
{
    return built->pipe ? PC_INPUT_STREAM : PC_INPUT_FILE;
}

static struct fuzz_bytes written(struct pc_rewrite how, const struct fuzz_bytes *own)
{
    struct fuzz_bytes copy;
    PC_CLAIM(fuzz_rewrite(how, fuzz_span(own), &copy) == PC_WRITTEN);
    return copy;
}

static struct pc_sum digest_of(const struct fuzz_bytes *own)
{
    struct pc_sum sum = { 0 };
    PC_CLAIM(fuzz_digest(fuzz_span(own), &sum));
    return sum;
}

static void claim_content(const struct pc_sum *before, const struct fuzz_bytes *copy)
{
    struct pc_sum after = digest_of(copy);
    PC_CLAIM(pc_sum_equal(before, &after));
}

/* There and back. `before`: its digest. */
static void claim_way(struct pc_rewrite there, struct pc_rewrite back, const struct fuzz_bytes *own,
                      const struct pc_sum *before)
{
    struct fuzz_bytes other = written(there, own);
    claim_content(before, &other);
    struct fuzz_bytes again = written(back, &other);
    PC_CLAIM(fuzz_same(own, &again));
    free(other.bytes);
    free(again.bytes);
}

/* The members make a sound directory. split makes a file of them, which without compression is the canonical
 * copy. */
static struct fuzz_bytes copy_of_directory(const struct fuzz_built *built)
{
    struct pc_rewrite how = { .callbacks = fuzz_callbacks(NULL), .compression = PC_COMPRESSION_NONE };
    char tree[128], split[128];
    fuzz_folder();
    for (unsigned i = 0; i < built->nr_members; i++) {
        snprintf(tree, sizeof(tree), "tree/%s", built->member[i].name);
        fuzz_folder_put(tree, (struct pc_span){ built->member[i].bytes, built->member[i].len });
    }
    snprintf(tree, sizeof(tree), "%s/tree", fuzz_folder_path());
    snprintf(split, sizeof(split), "%s/split", fuzz_folder_path());
    pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
    pc_scan_path(&scan, tree);
    claim_sound(built);
    how.limits = fuzz_limits;
    PC_CLAIM(pc_bundle_split(&how, NULL, tree, split) == PC_WRITTEN);
    struct fuzz_bytes copy = fuzz_folder_get("split/perf.data");
    FUZZ_MUST(copy.bytes);
    return copy;
}

/* The canonical copy of a file or pipe without compression is the capture itself. */
static struct fuzz_bytes copy_of(struct fuzz_built *built)
{
    const struct pc_rewrite keep = { .order = PC_ORDER_KEEP }, open = { .compression = PC_COMPRESSION_NONE };
    const struct fuzz_bytes own = { built->bytes, built->len };
    fuzz_scan(&scan, fuzz_span(&own), kind_of(built));
    claim_sound(built);
    if (built->canonical) {
        built->bytes = NULL;
        return own;
    }
    struct pc_sum before = digest_of(&own);
    struct fuzz_bytes copy = written(keep, &own);
    claim_content(&before, &copy);
    if (built->compressed) {
        free(copy.bytes);
        copy = written(open, &own);
        claim_content(&before, &copy);
    }
    return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    struct fuzz_built built;
    if (!fuzz_case(&c, data, size) || c.capture.len > 1200)
        return 0;
    /* Directories need a file system, and compression takes long: only the smallest captures have them, and
     * one of four. */
    bool small = c.capture.len < 24;
    if (small || c.capture.len % 4 == 0)
        fuzz_build(c.capture, &built);
    else
        fuzz_build_plain(c.capture, &built);
    struct fuzz_bytes own = built.directory ? copy_of_directory(&built) : copy_of(&built);
    const struct pc_rewrite keep = { .order = PC_ORDER_KEEP }, swap = { .order = PC_ORDER_SWAP },
                            open = { .compression = PC_COMPRESSION_NONE },
                            pack = { .compression = PC_COMPRESSION_LEVEL, .level = 1 },
                            same = { .to = built.pipe ? PC_TO_PIPE : PC_TO_FILE },
                            other = { .to = built.pipe ? PC_TO_FILE : PC_TO_PIPE };
    struct fuzz_bytes copy = written(keep, &own);
    PC_CLAIM(fuzz_same(&own, &copy));
    free(copy.bytes);
    /* Each way makes two copies. The length chooses one of the three ways. */
    const struct fuzz_case made = { .capture = fuzz_span(&own) };
    if (c.capture.len % 4 == 1)
        fuzz_claim_policy(&made, kind_of(&built));
    struct pc_sum before = digest_of(&own);
    if (small || c.capture.len % 3 == 0)
        claim_way(swap, swap, &own, &before);
    if (small || c.capture.len % 3 == 1)
        claim_way(other, same, &own, &before);
    if (small || c.capture.len % 3 == 2)
        claim_way(pack, open, &own, &before);
    free(own.bytes);
    fuzz_built_free(&built);
    return 0;
}

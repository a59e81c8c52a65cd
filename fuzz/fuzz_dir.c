/* SPDX-License-Identifier: MIT
 *
 * dir: a directory of members. The input is their contents, each behind a line "//@NAME"; what stands before
 * the first is `data`. Findings name members that there are; nothing is written but the outputs; and what was
 * split and joined splits into the same.
 */
#include "bundle.h"
#include "fuzz/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pc_scan scan;

static struct pc_sum report_of(const char *path)
{
    pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
    pc_scan_path(&scan, path);
    for (size_t i = 0; i < scan.report.nr; i++) {
        const struct pc_finding *f = &scan.report.finding[i];
        PC_CLAIM(f->where.stream == 0 || f->where.member);
        PC_CLAIM(!f->where.member || fuzz_folder_is_name(f->where.member));
    }
    struct pc_sum sum = fuzz_report(&scan);
    fuzz_scan_end(&scan);
    return sum;
}

static const char *in_folder(char path[128], const char *name)
{
    snprintf(path, 128, "%s/%s", fuzz_folder_path(), name);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    char tree[128], split[128], file[128], kcore[128], join[128], again[128];
    char *kcores[] = { kcore };
    struct pc_printer printer = { .format = PC_FORMAT_TEXT };
    struct pc_rewrite how = { .printer = &printer };
    if (!fuzz_case(&c, data, size))
        return 0;
    fuzz_folder();
    fuzz_folder_put_tree("tree", c.capture);
    how.limits = fuzz_limits;
    how.order = (enum pc_order_choice)(fuzz_bits(&c, 0, 2));
    how.no_verify = fuzz_bits(&c, 2, 1);
    struct pc_sum one = report_of(in_folder(tree, "tree")), two = report_of(tree);
    PC_CLAIM(pc_sum_equal(&one, &two));
    printer.out = printer.err = fopen("/dev/null", "w");
    enum pc_rewritten result = pc_bundle_split(&how, tree, in_folder(split, "split"));
    PC_CLAIM(fuzz_folder_entries() == 1u + (result == PC_WRITTEN));
    if (result == PC_WRITTEN) {
        in_folder(file, "split/perf.data");
        struct fuzz_bytes first = fuzz_folder_get("split/perf.data");
        PC_CLAIM(first.bytes != NULL);
        bool has_kcore = pc_bundle_is_directory(in_folder(kcore, "split/kcore_dir"));
        how.order = PC_ORDER_KEEP;
        result = pc_bundle_join(&how, file, kcores, has_kcore, in_folder(join, "join"));
        PC_CLAIM(result == PC_WRITTEN && fuzz_folder_entries() == 3);
        PC_CLAIM(pc_bundle_split(&how, join, in_folder(again, "again")) == PC_WRITTEN);
        struct fuzz_bytes second = fuzz_folder_get("again/perf.data");
        PC_CLAIM(second.bytes && fuzz_same(&first, &second));
        free(first.bytes);
        free(second.bytes);
    }
    fclose(printer.out);
    return 0;
}

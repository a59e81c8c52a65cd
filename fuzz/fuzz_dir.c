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

#define MEMBERS 16
#define MARK    "//@"

static struct pc_scan scan;

/* Names as a capture has them, and others; none leads out of the directory. */
static bool is_name(const char *name)
{
    return *name && name[0] != '/' && !strstr(name, "//") && !strstr(name, "./") &&
           name[strlen(name) - 1] != '.' && name[strlen(name) - 1] != '/' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_./") == strlen(name);
}

/* Writes the members; returns how many entries the tree has at most. */
static void put_tree(struct pc_span in)
{
    char name[64] = "tree/data";
    size_t start = 0, members = 0;
    for (size_t at = 0; at <= in.len && members < MEMBERS; at++) {
        bool mark = at + strlen(MARK) < in.len && memcmp(in.ptr + at, MARK, strlen(MARK)) == 0;
        if (!mark && at != in.len)
            continue;
        if (at > start || members == 0) {
            fuzz_folder_put(name, pc_part(in, start, at - start));
            members++;
        }
        size_t len = at + 3 < in.len ? pc_first_zero(pc_part(in, at + 3, in.len - at - 3)) : 0;
        const unsigned char *end = mark ? memchr(in.ptr + at + 3, '\n', len) : NULL;
        size_t length = end ? (size_t)(end - in.ptr) - at - 3 : 0;
        char wanted[48] = { 0 };
        if (!end || length >= sizeof(wanted))
            continue;
        memcpy(wanted, in.ptr + at + 3, length);
        if (!is_name(wanted))
            continue;
        snprintf(name, sizeof(name), "tree/%s", wanted);
        start = at + 3 + length + 1;
        at = start - 1;
    }
}

static struct pc_sum report_of(const char *path)
{
    pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
    pc_scan_path(&scan, path);
    for (size_t i = 0; i < scan.report.nr; i++) {
        const struct pc_finding *f = &scan.report.finding[i];
        PC_CLAIM(f->where.stream == 0 || f->where.member);
        PC_CLAIM(!f->where.member || is_name(f->where.member));
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
    put_tree(c.capture);
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

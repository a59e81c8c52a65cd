/* SPDX-License-Identifier: MIT
 *
 * dir: a directory of members. folder.h describes the input. Findings name existing members. Only the
 * outputs are written. split, join and split give the same files, and each kcore_dir is the same byte for
 * byte. No link is followed: files outside make no difference and do not change, and a directory with a link
 * as a member is not valid. All descriptors are closed at the end.
 */
#include "write/bundle.h"
#include "scan_whole.h"
#include "fuzz/folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH   128
#define KCORES 16 /* as many members as a tree has */

static struct pc_scan scan;

static bool has_link(const char *folder, bool streams);

static struct pc_sum report_of(const char *path)
{
    pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
    pc_scan_path(&scan, path);
    for (size_t i = 0; i < scan.report.nr; i++) {
        const struct pc_finding *f = &scan.report.finding[i];
        PC_CLAIM(f->where.stream == 0 || f->where.member);
        PC_CLAIM(!f->where.member || fuzz_folder_is_name(f->where.member));
    }
    PC_CLAIM(pc_scan_verdict(&scan) != PC_VALID || !has_link("tree", scan.capture.dir_version == 1));
    struct pc_sum sum = fuzz_report(&scan);
    fuzz_scan_end(&scan);
    return sum;
}

static const char *in_folder(char path[PATH], const char *name)
{
    int len = snprintf(path, PATH, "%s/%s", fuzz_folder_path(), name);
    FUZZ_MUST(len > 0 && len < PATH);
    return path;
}

/* --- kcore_dirs --- */

/* kcore_dir, and kcore_dir__PID of a guest. */
static bool is_kcore(const char *name)
{
    static const char guest[] = "kcore_dir__";
    if (strncmp(name, guest, strlen(guest)) != 0)
        return strcmp(name, "kcore_dir") == 0;
    const char *pid = name + strlen(guest);
    return strspn(pid, "0123456789") == strlen(pid) && *pid && (*pid != '0' || !pid[1]) &&
           atoll(pid) <= INT32_MAX;
}

static bool is_kcore_file(const char *name)
{
    return strcmp(name, "kcore") == 0 || strcmp(name, "kallsyms") == 0 || strcmp(name, "modules") == 0;
}

/* Whether a member is a link. Streams are no members if the header does not mention them. */
static bool has_link(const char *folder, bool streams)
{
    char path[PATH], name[3 * PATH];
    bool inner = strchr(folder, '/') != NULL, found = false;
    DIR *dir = opendir(in_folder(path, folder));
    FUZZ_MUST(dir != NULL);
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        snprintf(name, sizeof(name), "%s/%s", folder, e->d_name);
        bool member = inner ? is_kcore_file(e->d_name)
                            : strcmp(e->d_name, "data") == 0 || is_kcore(e->d_name) ||
                                  (streams && strncmp(e->d_name, "data.", 5) == 0);
        found |= member && (e->d_type == DT_LNK ||
                            (e->d_type == DT_DIR && is_kcore(e->d_name) && has_link(name, streams)));
    }
    closedir(dir);
    return found;
}

static uint64_t sum_of(const char *name, const struct fuzz_bytes *file)
{
    uint64_t value;
    struct pc_hash h;
    pc_hash_init(&h);
    pc_hash_put(&h, name, strlen(name) + 1);
    pc_hash_put_uint(&h, file->bytes ? file->len : UINT64_MAX);
    pc_hash_put(&h, file->bytes, file->len);
    struct pc_sum sum = pc_hash_sum(&h);
    memcpy(&value, sum.bytes, sizeof(value));
    return value;
}

/* Names and bytes of all entries of a folder, in any order. of_tree: of the directory of the input, without
 * entries that are no part of the capture; else without the records. */
static uint64_t kcores_of(const char *folder, bool of_tree)
{
    char path[PATH], name[3 * PATH];
    uint64_t sum = 0;
    DIR *dir = opendir(in_folder(path, folder));
    FUZZ_MUST(dir != NULL);
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        bool inner = strchr(folder, '/') != NULL, records = !inner && !of_tree && strstr(e->d_name, "data");
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || records ||
            (of_tree && !(inner ? is_kcore_file(e->d_name) : is_kcore(e->d_name))))
            continue;
        snprintf(name, sizeof(name), "%s/%s", folder, e->d_name);
        bool is_directory = fuzz_folder_is_directory(name);
        struct fuzz_bytes file = is_directory ? (struct fuzz_bytes){ NULL, 0 } : fuzz_folder_get(name);
        sum += sum_of(strchr(name, '/'), &file);
        if (is_directory && !inner)
            sum += kcores_of(name, of_tree);
        free(file.bytes);
    }
    closedir(dir);
    return sum;
}

/* The paths of the parts after a split. Returns how many. */
static size_t list_kcores(char path[KCORES][PATH], char *kcores[KCORES])
{
    char split[PATH], name[3 * PATH];
    size_t nr = 0;
    DIR *dir = opendir(in_folder(split, "split"));
    FUZZ_MUST(dir != NULL);
    for (const struct dirent *e = readdir(dir); e && nr < KCORES; e = readdir(dir)) {
        if (!is_kcore(e->d_name))
            continue;
        snprintf(name, sizeof(name), "split/%s", e->d_name);
        in_folder(path[nr], name);
        kcores[nr] = path[nr];
        nr++;
    }
    closedir(dir);
    return nr;
}

/* Whether join gets a file and a kcore_dir that is a link. */
static bool joins_link(const struct pc_rewrite *how, const char *file)
{
    char path[PATH], join[PATH], *kcore[1] = { path };
    fuzz_folder_put_link("kcore_dir");
    in_folder(path, "kcore_dir");
    return pc_bundle_join(how, NULL, file, kcore, 1, in_folder(join, "linked")) == PC_WRITTEN;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    char tree[PATH], split[PATH], file[PATH], kcore[KCORES][PATH], join[PATH], again[PATH];
    char *kcores[KCORES];
    struct pc_rewrite how = { .callbacks = fuzz_callbacks(NULL) };
    if (!fuzz_case(&c, data, size))
        return 0;
    fuzz_folder();
    uint64_t descriptors = fuzz_folder_descriptors();
    bool out = fuzz_folder_put_tree("tree", c.capture);
    how.limits = fuzz_limits;
    how.order = (enum pc_order_choice)(fuzz_bits(&c, 0, 2));
    how.no_verify = fuzz_bits(&c, 2, 1);
    how.force = fuzz_bits(&c, 3, 1);
    if (how.force && fuzz_bits(&c, 4, 1)) {
        fuzz_folder_put_link("split");
        out = true;
    } else if (how.force) {
        fuzz_folder_put_tree("split", c.capture); /* the directory that is replaced is the same one */
    }
    if (out)
        fuzz_folder_outside(0);
    struct pc_sum one = report_of(in_folder(tree, "tree"));
    if (out)
        fuzz_folder_outside(1);
    struct pc_sum two = report_of(tree);
    PC_CLAIM(pc_sum_equal(&one, &two));
    enum pc_rewritten result = pc_bundle_split(&how, NULL, tree, in_folder(split, "split"));
    PC_CLAIM(fuzz_folder_entries() == 1u + (how.force || result == PC_WRITTEN));
    PC_CLAIM(!out || fuzz_folder_outside_stays(1));
    if (result == PC_WRITTEN) {
        in_folder(file, "split/perf.data");
        struct fuzz_bytes first = fuzz_folder_get("split/perf.data");
        PC_CLAIM(first.bytes != NULL);
        uint64_t kept = kcores_of("tree", true);
        PC_CLAIM(kcores_of("split", false) == kept);
        how.order = PC_ORDER_KEEP;
        size_t nr_kcores = list_kcores(kcore, kcores);
        result = pc_bundle_join(&how, NULL, file, kcores, nr_kcores, in_folder(join, "join"));
        PC_CLAIM(result == PC_WRITTEN && fuzz_folder_entries() == 3);
        PC_CLAIM(pc_bundle_split(&how, NULL, join, in_folder(again, "again")) == PC_WRITTEN);
        PC_CLAIM(kcores_of("join", false) == kept && kcores_of("again", false) == kept);
        struct fuzz_bytes second = fuzz_folder_get("again/perf.data");
        PC_CLAIM(second.bytes && fuzz_same(&first, &second));
        PC_CLAIM(!out || !joins_link(&how, file));
        free(first.bytes);
        free(second.bytes);
    }
    PC_CLAIM(fuzz_folder_descriptors() == descriptors);
    return 0;
}

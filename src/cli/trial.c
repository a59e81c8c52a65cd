/* SPDX-License-Identifier: MIT */
#include "cli/trial.h"
#include "bytes/names.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* Bytes of the capture, and of what its compressed records hold. */
static uint64_t count_bytes(perfcheck_t *pc)
{
    const perfcheck_summary_t *sum = perfcheck_summary(pc);
    return sum->size + sum->compressed_out;
}

bool pc_trial_can(perfcheck_t *pc, const char *path)
{
    const uint64_t most = (uint64_t)16 << 20; /* bytes: larger ones have more than one record that is sound */
    struct stat st;
    return count_bytes(pc) <= most && strcmp(path, "-") != 0 && pc_name_stat(AT_FDCWD, path, &st, 0) == 0 &&
           (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

static int take_nothing(void *ctx, const void *bytes, size_t size)
{
    (void)ctx;
    (void)bytes;
    (void)size;
    return 0;
}

/* How far a trial may go: it reads the capture so often. */
struct trial {
    uint64_t most, readings;
};

static int count_readings(void *ctx, const char *doing, uint64_t done, uint64_t total)
{
    struct trial *trial = ctx;
    (void)total;
    trial->readings += doing && done == 0;
    return trial->readings > trial->most;
}

uint64_t pc_trial(perfcheck_t *pc, const char *path, uint64_t errors, bool *mends)
{
    *mends = false;
    const uint64_t bytes = count_bytes(pc);
    const bool pipe = strcmp(perfcheck_summary(pc)->container, "pipe") == 0;
    const uint64_t least = 4, all = (uint64_t)4 << 20, each = 256; /* of errors, in bytes */
    struct trial limit = { .most = (least * bytes + all) / (bytes + each * errors + 1) };
    perfcheck_t *trial = limit.most < least ? NULL : perfcheck_new();
    uint64_t nr = PC_TRIAL_NOT_KNOWN;
    if (trial && perfcheck_set(trial, "salvage", NULL) == PERFCHECK_OK &&
        (pipe || perfcheck_set(trial, "decompress", NULL) == PERFCHECK_OK) && /* which is faster */
        perfcheck_on_progress(trial, count_readings, &limit) == PERFCHECK_OK &&
        perfcheck_open_path(trial, path) == PERFCHECK_OK) {
        const perfcheck_status_t status = perfcheck_rewrite_to(trial, take_nothing, NULL);
        const perfcheck_salvage_t *copy = perfcheck_salvaged(trial);
        const bool is_whole = limit.readings <= limit.most;
        if (is_whole && status == PERFCHECK_REFUSED)
            nr = 0;
        if (is_whole && copy && copy->saved != 0) {
            nr = copy->saved;
            *mends = copy->losses != 0;
        }
    }
    perfcheck_free(trial);
    return nr;
}

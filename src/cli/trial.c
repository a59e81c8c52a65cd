/* SPDX-License-Identifier: MIT */
#include "cli/trial.h"
#include "bytes/names.h"

#include <fcntl.h>
#include <string.h>

/* Bytes of the capture, and of what its compressed records hold. */
static uint64_t count_bytes(perfcheck_t *pc)
{
    const perfcheck_summary_t *sum = perfcheck_summary(pc);
    return sum->size + sum->compressed_out;
}

bool pc_trial_is_possible(perfcheck_t *pc, const char *path)
{
    const uint64_t most = (uint64_t)16 << 20; /* bytes: larger ones have more than one record that is sound */
    struct stat st;
    return count_bytes(pc) <= most && strcmp(path, "-") != 0 && pc_name_stat(AT_FDCWD, path, &st, 0) == 0 &&
           (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

/* A unit is what it costs to read a sound byte, about. In a check a sample costs no more than its bytes. A
 * place is one that was looked at to find a record. */
enum cost { CHECK_OTHER = 80, COPY_SAMPLE = 70, COPY_OTHER = 120, EACH_ERROR = 100, EACH_PLACE = 3 };

uint64_t pc_trial_affords(perfcheck_t *pc)
{
    const uint64_t times = 9, slack = (uint64_t)1 << 20, least = 2; /* readings; fewer are no trial */
    const perfcheck_summary_t *sum = perfcheck_summary(pc);
    const uint64_t size = count_bytes(pc), samples = sum->samples, others = sum->records - samples;
    const uint64_t errors = perfcheck_count(pc, PERFCHECK_ERROR);
    const uint64_t damage = EACH_ERROR * errors + EACH_PLACE * sum->searched;
    const uint64_t all = times * size + slack, checked = size + CHECK_OTHER * others + damage;
    const uint64_t reading = size + COPY_SAMPLE * samples + COPY_OTHER * others + damage;
    if (all <= checked || (all - checked) / least < reading)
        return 0;
    return (uint64_t)((double)(all - checked) / (double)reading * (double)size);
}

struct readings {
    uint64_t size;       /* of the capture, and of what its compressed records hold: what one reading reads */
    uint64_t most, read; /* by readings that are over ... */
    uint64_t done;       /* ... and by the current one */
    bool stopped;
};

static int count_read(void *ctx, const char *doing, uint64_t done, uint64_t total)
{
    struct readings *readings = ctx;
    if (total != 0) /* what is decompressed counts as well */
        done = (uint64_t)((double)done / (double)total * (double)readings->size);
    if (!doing || done < readings->done)
        readings->read += readings->done;
    readings->done = doing ? done : 0;
    readings->stopped |= readings->read + readings->done > readings->most;
    return readings->stopped;
}

static int take_nothing(void *ctx, const void *bytes, size_t size)
{
    (void)ctx;
    (void)bytes;
    (void)size;
    return 0;
}

struct pc_trial pc_trial_run(perfcheck_t *pc, const char *path, uint64_t most)
{
    struct pc_trial answer = { .saves = PC_TRIAL_NOT_KNOWN };
    struct readings readings = { .size = count_bytes(pc), .most = most };
    const char *container = perfcheck_summary(pc)->container; /* "": a pipe, too, may have lost its magic */
    const bool pipe = !*container || strcmp(container, "pipe") == 0;
    perfcheck_t *trial = most == 0 ? NULL : perfcheck_new();
    if (trial && perfcheck_set(trial, "salvage", NULL) == PERFCHECK_OK &&
        (pipe || perfcheck_set(trial, "decompress", NULL) == PERFCHECK_OK) && /* which is faster */
        perfcheck_on_progress(trial, count_read, &readings) == PERFCHECK_OK &&
        perfcheck_open_path(trial, path) == PERFCHECK_OK) {
        const perfcheck_status_t status = perfcheck_rewrite_to(trial, take_nothing, NULL);
        const perfcheck_salvage_t *copy = perfcheck_salvaged(trial);
        if (!readings.stopped && status == PERFCHECK_REFUSED)
            answer.saves = 0;
        if (!readings.stopped && copy && copy->saved != 0)
            answer = (struct pc_trial){ .saves = copy->saved, .mends = copy->losses != 0 };
    }
    perfcheck_free(trial);
    return answer;
}

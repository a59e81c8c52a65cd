/* SPDX-License-Identifier: MIT
 *
 * Judges samples in threads, before their turn. A thread knows the samples' numbers if all before them are
 * sound, and so which of them rules between records want to see: these are judged alone.
 */
#include "check/workers.h"

#define RUNS_MAX 1024               /* of a block: two for each 64 samples */
#define RUN_MAX  ((size_t)16 << 10) /* bytes of a run, as it is taken only whole */

/* Samples that a thread has found sound. */
struct worker_run {
    uint64_t offset; /* in the stream */
    uint64_t number; /* samples before it */
    struct pc_run run;
    bool for_rules; /* those between records want to see it: a single one */
};

struct pc_worker_results {
    struct pc_judge judge[PC_AHEAD_THREADS];
    struct pc_hints hints; /* of when it began, but nr_samples and released, which are asked in turn */
    struct worker_block {
        size_t nr, next; /* runs, and the next that may be asked for */
        struct worker_run run[RUNS_MAX];
    } block[PC_AHEAD_BLOCKS];
};

/* Adds the samples at the beginning of these bytes; returns how many bytes they are. */
static size_t add_run(struct worker_block *to, struct pc_judge *judge, const struct pc_hints *hints,
                      struct pc_span bytes, uint64_t offset, bool for_rules)
{
    struct pc_run run = pc_judge_run(judge, bytes, hints, NULL);
    if (run.nr != 0)
        to->run[to->nr++] = (struct worker_run){ offset, hints->nr_samples, run, for_rules };
    return run.bytes;
}

static void judge_block(void *ctx, const struct pc_block *block)
{
    struct pc_worker_results *results = ctx;
    struct pc_judge *judge = &results->judge[block->thread];
    struct worker_block *to = &results->block[block->place];
    struct pc_hints hints = results->hints;
    size_t at = 0;
    to->nr = to->next = 0;
    hints.nr_samples = block->samples;
    while (to->nr + 2 <= RUNS_MAX) {
        size_t n = block->bytes.len - at;
        struct pc_span left = pc_part(block->bytes, at, n < RUN_MAX ? n : RUN_MAX);
        size_t passed = add_run(to, judge, &hints, left, block->offset + at, false);
        if (passed != 0) {
            hints.nr_samples += to->run[to->nr - 1].run.nr;
            at += passed;
            continue;
        }
        left.len = n;
        uint64_t step = pc_ahead_step(left, judge->capture->order);
        if (step == 0 || step > n)
            return;
        bool is_sample = pc_load_head(left.ptr, judge->capture->order).type == PC_SAMPLE;
        if (is_sample) {
            left.len = (size_t)step;
            struct pc_hints each = hints;
            each.skip = UINT64_MAX;
            add_run(to, judge, &each, left, block->offset + at, true);
        }
        hints.nr_samples += is_sample;
        at += (size_t)step;
    }
}

void pc_workers_init(struct pc_workers *workers, struct pc_ahead *ahead)
{
    *workers = (struct pc_workers){ .ahead = ahead };
    pc_mem_init(&workers->mem, sizeof(*workers->results));
}

/* Has threads judge from now on, if there are several, and it makes sense. */
static void begin(struct pc_workers *workers, const struct pc_check *check, const struct pc_hints *hints)
{
    if (check->flow.skip == 0 || !pc_ahead_may_judge(workers->ahead))
        return;
    if (!workers->results)
        workers->results = pc_alloc(&workers->mem, sizeof(*workers->results));
    struct pc_worker_results *results = workers->results;
    if (!results)
        return;
    results->hints = *hints;
    results->hints.released = 0;
    results->hints.many = 0; /* of none is it known that rules have seen its like */
    for (unsigned i = 0; i < workers->ahead->nr; i++) {
        pc_judge_init(&results->judge[i], NULL, check->judge.capture);
        results->judge[i].asked = check->judge.asked;
    }
    pc_ahead_judge(workers->ahead, judge_block, results);
}

void pc_workers_clear(struct pc_workers *workers)
{
    pc_free(&workers->mem, workers->results, sizeof(*workers->results));
    workers->results = NULL;
    assert(workers->mem.used == 0);
}

/* The first run that begins at or after an offset; NULL: there is none in its block. */
static const struct worker_run *run_after(struct worker_block *block, uint64_t offset)
{
    while (block->next < block->nr && block->run[block->next].offset < offset)
        block->next++;
    return block->next < block->nr ? &block->run[block->next] : NULL;
}

static void join(struct pc_run *all, const struct pc_run *run)
{
    all->oldest = all->nr == 0 || run->oldest < all->oldest ? run->oldest : all->oldest;
    all->newest = run->newest > all->newest ? run->newest : all->newest;
    all->last_size = run->last_size;
    all->bytes += run->bytes;
    all->nr += run->nr;
}

/* Whether the rules between records want none of these samples, which come next. */
static bool may_pass(struct pc_check *check, const struct worker_run *run, struct pc_span bytes,
                     const struct pc_hints *hints)
{
    if (run->for_rules)
        return pc_judge_run(&check->judge, bytes, hints, &check->flow.seen).nr != 0;
    return run->run.oldest >= hints->released;
}

struct pc_run pc_workers_run(struct pc_workers *workers, struct pc_check *check, uint64_t offset,
                             struct pc_span *records, const struct pc_hints *hints)
{
    struct pc_run all = { .oldest = UINT64_MAX };
    struct pc_hints here = *hints;
    unsigned place;
    uint64_t added;
    if (!pc_ahead_judges(workers->ahead))
        begin(workers, check, hints);
    pc_ahead_resume(workers->ahead, offset, hints->nr_samples);
    while (all.bytes < records->len && pc_ahead_judged(workers->ahead, offset + all.bytes, &place, &added)) {
        const struct worker_run *run = run_after(&workers->results->block[place], offset + all.bytes);
        struct pc_span left = pc_part(*records, all.bytes, records->len - all.bytes);
        if (!run || run->offset != offset + all.bytes || run->run.bytes > left.len) {
            if (run && run->offset != offset && run->offset - offset < records->len)
                records->len = (size_t)(run->offset - offset);
            break;
        }
        here.nr_samples = hints->nr_samples + all.nr;
        if (run->number != here.nr_samples) {
            pc_ahead_add(workers->ahead, here.nr_samples - run->number + added);
            break;
        }
        left.len = run->run.bytes;
        if (!may_pass(check, run, left, &here))
            break;
        join(&all, &run->run);
    }
    workers->taken += all.nr;
    return all;
}

/* SPDX-License-Identifier: MIT
 *
 * workers.h: samples that threads judge before their turn, when a capture has so many that the rules between
 * records see only some of them. Threads judge by copies of the judge, which know no rule between records:
 * what these would object to is asked in turn.
 */
#ifndef PC_CHECK_WORKERS_H
#define PC_CHECK_WORKERS_H

#include "check/check.h"
#include "read/ahead.h"

struct pc_workers {
    struct pc_mem mem; /* a budget of its own, so that what fits elsewhere does not depend on threads */
    struct pc_ahead *ahead;
    uint64_t taken;                    /* samples that were not judged again */
    struct pc_worker_results *results; /* NULL: nothing was yet */
};

void pc_workers_init(struct pc_workers *workers, struct pc_ahead *ahead);

/* Frees what it has; the threads have ended. */
void pc_workers_clear(struct pc_workers *workers);

/* Samples at the beginning of *records, whose first byte has this offset in the stream, that threads have
 * judged, as pc_judge_run would find them. If there are none, call that for *records, which is cut where the
 * next run of the threads begins. Has threads judge from now on, if none does, there are several, and it
 * makes sense. */
struct pc_run pc_workers_run(struct pc_workers *workers, struct pc_check *check, uint64_t offset,
                             struct pc_span *records, const struct pc_hints *hints);

#endif

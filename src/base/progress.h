/* SPDX-License-Identifier: MIT
 *
 * progress.h: tells the caller how far long work is. What becomes of it is the caller's business.
 */
#ifndef PC_BASE_PROGRESS_H
#define PC_BASE_PROGRESS_H

#include "base/base.h"

/* Told often, by the thread that works. doing: what is done, "checking"; NULL: the work is over. done: bytes;
 * 0: the work begins. total: bytes of all of it, 0 when that is not known. */
typedef void pc_tell_progress(void *ctx, const char *doing, uint64_t done, uint64_t total);

struct pc_progress {
    pc_tell_progress *tell;
    void *ctx;
    const char *doing; /* set by pc_progress_begin */
};

/* Without a progress (NULL) these do nothing. A piece of work begins. */
static inline void pc_progress_begin(struct pc_progress *progress, const char *doing)
{
    if (!progress)
        return;
    progress->doing = doing;
    progress->tell(progress->ctx, doing, 0, 0);
}

/* So many bytes of it are done; total is 0 when that is not known. */
static inline void pc_progress_show(struct pc_progress *progress, uint64_t done, uint64_t total)
{
    if (progress && progress->doing && done != 0)
        progress->tell(progress->ctx, progress->doing, done, total);
}

/* It is over; may be said again. */
static inline void pc_progress_end(struct pc_progress *progress)
{
    if (!progress || !progress->doing)
        return;
    progress->doing = NULL;
    progress->tell(progress->ctx, NULL, 0, 0);
}

#endif

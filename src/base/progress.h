/* SPDX-License-Identifier: MIT
 *
 * progress.h: tells the caller how far long work is. What becomes of it is the caller's business.
 */
#ifndef PC_BASE_PROGRESS_H
#define PC_BASE_PROGRESS_H

#include "base/base.h"

/* Called often, by the working thread. doing: the work, such as "checking"; NULL: it is over. done: bytes; 0:
 * the work begins. total: bytes of the whole work, or 0 if unknown. */
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

/* The work is over. May be called again. */
static inline void pc_progress_end(struct pc_progress *progress)
{
    if (!progress || !progress->doing)
        return;
    progress->doing = NULL;
    progress->tell(progress->ctx, NULL, 0, 0);
}

#endif

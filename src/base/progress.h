/* SPDX-License-Identifier: MIT
 *
 * progress.h: tells the caller how far long work is, and hears from it that the work should stop. What
 * becomes of it is the caller's business.
 */
#ifndef PC_BASE_PROGRESS_H
#define PC_BASE_PROGRESS_H

#include "base/base.h"

/* Called often, by the working thread. doing: the work, such as "checking"; NULL: it is over. done: bytes; 0:
 * the work begins. total: bytes of the whole work, or 0 if unknown. Returns 0, or anything else to stop the
 * work. */
typedef int pc_tell_progress(void *ctx, const char *doing, uint64_t done, uint64_t total);

struct pc_progress {
    pc_tell_progress *tell; /* NULL: nobody is told */
    void *ctx;
    const char *doing; /* set by pc_progress_begin */
    bool stopped;      /* the work is to end as soon as it can, as if reading failed */
};

static inline bool pc_progress_stopped(const struct pc_progress *progress)
{
    return progress && progress->stopped;
}

static inline void pc_progress_tell(struct pc_progress *progress, uint64_t done, uint64_t total)
{
    if (progress->tell && progress->tell(progress->ctx, progress->doing, done, total) != 0)
        progress->stopped |= progress->doing != NULL;
}

/* Without a progress (NULL) these do nothing. A piece of work begins. */
static inline void pc_progress_begin(struct pc_progress *progress, const char *doing)
{
    if (!progress)
        return;
    progress->doing = doing;
    pc_progress_tell(progress, 0, 0);
}

/* So many bytes of it are done; total is 0 when that is not known. */
static inline void pc_progress_show(struct pc_progress *progress, uint64_t done, uint64_t total)
{
    if (progress && progress->doing && done != 0)
        pc_progress_tell(progress, done, total);
}

/* The work is over. May be called again. */
static inline void pc_progress_end(struct pc_progress *progress)
{
    if (!progress || !progress->doing)
        return;
    progress->doing = NULL;
    pc_progress_tell(progress, 0, 0);
}

#endif

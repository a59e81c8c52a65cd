/* SPDX-License-Identifier: MIT
 *
 * progress.h: one line on a terminal about long work, which is gone when the work is done. Nothing
 * is shown of the first half second, and nothing where there is no terminal.
 */
#ifndef PC_PROGRESS_H
#define PC_PROGRESS_H

#include <stdio.h>
#include <time.h>

#include "base/base.h"

struct pc_progress {
    FILE *out;         /* a terminal */
    const char *doing; /* "checking" */
    struct timespec start, last;
    bool begun, shown;
};

/* Without a progress (NULL) these do nothing. Another piece of work begins. */
void pc_progress_begin(struct pc_progress *progress, const char *doing);

/* So many bytes of it are done; total is 0 when nobody knows. To be called often. */
void pc_progress_show(struct pc_progress *progress, uint64_t done, uint64_t total);

/* Takes the line away: before anything else is printed. */
void pc_progress_end(struct pc_progress *progress);

/* The line. elapsed: seconds. */
#define PC_PROGRESS_LINE 96
void pc_progress_line(char line[PC_PROGRESS_LINE], const char *doing, uint64_t done, uint64_t total,
                      double elapsed);

#endif

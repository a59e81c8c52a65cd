/* SPDX-License-Identifier: MIT
 *
 * progress.h: one line on a terminal that shows the progress of long work and disappears when the work is
 * done. Nothing is shown in the first half second.
 */
#ifndef PC_CLI_PROGRESS_H
#define PC_CLI_PROGRESS_H

#include <stdio.h>
#include <time.h>

#include "base/progress.h"

struct pc_progress_line {
    struct pc_progress progress; /* for the code that does the work */
    FILE *out;                   /* a terminal */
    struct timespec start, last;
    bool begun, shown;
};

/* The line must not move in memory afterwards. */
void pc_progress_line_init(struct pc_progress_line *line, FILE *out);

/* The text of it. elapsed: seconds. */
#define PC_PROGRESS_TEXT 96
void pc_progress_text(char text[PC_PROGRESS_TEXT], const char *doing, uint64_t done, uint64_t total,
                      double elapsed);

#endif

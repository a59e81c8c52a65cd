/* SPDX-License-Identifier: MIT
 *
 * progress.h: one line on a terminal about long work, which is gone when the work is done. Nothing
 * is shown of the first half second, and nothing where there is no terminal.
 */
#ifndef PC_CLI_PROGRESS_H
#define PC_CLI_PROGRESS_H

#include <stdio.h>
#include <time.h>

#include "base/progress.h"

struct pc_progress_line {
    struct pc_progress progress; /* for those who work */
    FILE *out;                   /* a terminal */
    struct timespec start, last;
    bool begun, shown;
};

/* The line must stay where it is. */
void pc_progress_line_init(struct pc_progress_line *line, FILE *out);

/* The text of it. elapsed: seconds. */
#define PC_PROGRESS_TEXT 96
void pc_progress_text(char text[PC_PROGRESS_TEXT], const char *doing, uint64_t done, uint64_t total,
                      double elapsed);

#endif

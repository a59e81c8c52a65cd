/* SPDX-License-Identifier: MIT
 *
 * progress.h: one line on a terminal that shows the progress of long work and disappears when the work is
 * done. Nothing is shown in the first half second, of the first one of several captures.
 */
#ifndef PC_CLI_PROGRESS_H
#define PC_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

struct pc_progress_line {
    FILE *out;         /* a terminal */
    const char *doing; /* what is shown as being done; NULL: what the library says */
    int number, of;    /* of several captures, the one that is read; 0: there is one */
    struct timespec first, start, last;
    bool begun, shown;
};

/* The callback for perfcheck_on_progress, which stops nothing; ctx is the line. */
int pc_progress_line_tell(void *ctx, const char *doing, uint64_t done, uint64_t total);

/* The text of it. elapsed: seconds. */
#define PC_PROGRESS_TEXT 96
void pc_progress_text(char text[PC_PROGRESS_TEXT], const char *doing, uint64_t done, uint64_t total,
                      double elapsed);

#endif

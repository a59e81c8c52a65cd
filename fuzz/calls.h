/* SPDX-License-Identifier: MIT
 *
 * calls.h: what src asks of the system may fail. The linker leads these calls (Makefile: CALLS) through here,
 * in the programs that want it; while nothing is chosen they are the system's.
 */
#ifndef PC_FUZZ_CALLS_H
#define PC_FUZZ_CALLS_H

#include <stdbool.h>

enum calls_how {
    CALLS_FAIL,      /* an error that no second try mends */
    CALLS_INTERRUPT, /* EINTR, of those that are tried again */
    CALLS_SHORT,     /* one byte is read or written, of however many */
    CALLS_NOTHING,   /* none, without an error */
};

/* From now on call number `nr` (1 is the first; 0: none) of those that `how` is about goes wrong once. old:
 * the system knows neither renameat2 nor copy_file_range, holes, or files without names. */
void calls_begin(enum calls_how how, unsigned long nr, bool old);

/* Standard error is a terminal, and each look at the clock takes half a second. */
void calls_terminal(void);

/* All is as it was. Returns how many calls there were. */
unsigned long calls_end(void);

#endif

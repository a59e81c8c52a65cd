/* SPDX-License-Identifier: MIT
 *
 * calls.h: makes system calls of src fail. In programs that want it, the linker redirects these calls
 * (Makefile: CALLS) to functions here. They call the system, unless a failure was chosen.
 */
#ifndef PC_FUZZ_CALLS_H
#define PC_FUZZ_CALLS_H

#include <stdbool.h>

enum calls_how {
    CALLS_FAIL,      /* an error that stays */
    CALLS_INTERRUPT, /* EINTR, of calls that are tried again */
    CALLS_SHORT,     /* a call reads or writes one byte */
    CALLS_NOTHING,   /* none, without an error */
};

/* From now on call number `nr` (1 is the first; 0: none) of those that `how` is about fails once. old: the
 * system has no renameat2, copy_file_range, holes, or files without names. */
void calls_begin(enum calls_how how, unsigned long nr, bool old);

/* Standard error is a terminal, and each call of the clock takes half a second. */
void calls_terminal(void);

/* Ends all failures. Returns how many calls there were. */
unsigned long calls_end(void);

#endif

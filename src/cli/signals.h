/* SPDX-License-Identifier: MIT
 *
 * signals.h: a signal that ends the program leaves no temporary file.
 */
#ifndef PC_SIGNALS_H
#define PC_SIGNALS_H

#include "perfcheck.h"

/* From now on a signal that would end the program removes temporary files first, and then ends it: also the
 * signal of a full stack. Signals that are ignored or have a handler are left alone. */
void pc_catch_signals(void);

/* SIGINT, SIGTERM and SIGHUP wait from now on until pc_release_signals: who reads a stream tells then what to
 * do. */
void pc_hold_signals(void);
void pc_release_signals(void);

/* For a rewrite of a stream: the first SIGINT waits for its end, the first SIGTERM or SIGHUP ends it with
 * what has arrived; the next of these ends the program. */
void pc_catch_signals_of_stream(perfcheck_t *pc);

/* The first of these that came; 0: none. */
int pc_stream_ended_by(void);

#endif

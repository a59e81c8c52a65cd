/* SPDX-License-Identifier: MIT
 *
 * signals.h: a signal that ends the program leaves no temporary file.
 */
#ifndef PC_SIGNALS_H
#define PC_SIGNALS_H

/* From now on a signal that would end the program removes temporary files first, and then ends it: also the
 * signal of a full stack. Signals that are ignored or have a handler are left alone. */
void pc_catch_signals(void);

#endif

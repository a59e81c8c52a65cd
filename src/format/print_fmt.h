/* SPDX-License-Identifier: MIT
 *
 * print_fmt.h: the last line of a tracepoint's format text, a printf format and C expressions for
 * its arguments. It is not needed to read a payload, but perf up to 6.1 complains, hangs or dies of a damaged
 * one, so it is checked as far as those parse it. Nothing is evaluated. No recursion: brackets stand on a
 * bounded stack.
 */
#ifndef PC_PRINT_FMT_H
#define PC_PRINT_FMT_H

#include "format/tracepoint.h"

#define PC_PRINT_FMT_DEPTH 256

/* Checks the text after "print fmt: " in the text of a draft that was read. False: *fault says what is
 * wrong (BAD_PRINT) or what perf cannot evaluate (UNPRINTABLE) or hold (LIMIT); when nothing is, which
 * function some versions do not know (NEW_PRINT). Fields of the draft are marked that perf computes with. */
bool pc_print_fmt_check(struct pc_tp_draft *draft, struct pc_tp_fault *fault);

#endif

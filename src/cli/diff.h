/* SPDX-License-Identifier: MIT
 *
 * diff.h: what differs in the content of two captures, by path. Both are read side by side,
 * so that no records are kept.
 */
#ifndef PC_DIFF_H
#define PC_DIFF_H

#include "cli/print.h"
#include "read/reader.h"

enum pc_difference { PC_SAME, PC_DIFFERENT, PC_NOT_COMPARED };

/* Prints the first differences to the printer's `out`, or why the captures cannot be compared. */
enum pc_difference pc_diff_paths(struct pc_printer *printer, const struct pc_limits *limits, const char *a,
                                 const char *b);

#endif

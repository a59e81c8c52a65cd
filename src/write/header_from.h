/* SPDX-License-Identifier: MIT
 *
 * header_from.h: the header that a recording did not get, from another file of the same recording. A file
 * that perf record --switch-output begins has zeros there until it ends (tools/perf/util/data.c:
 * perf_data__switch); a killed perf leaves them. All files of the recording have the same attrs and ids.
 */
#ifndef PC_HEADER_FROM_H
#define PC_HEADER_FROM_H

#include "bytes/input.h"
#include "write/rewrite.h"

/* Has the file `in` read as if it began with all that is before the data of how->header_from; where the data
 * end and which features there are, it keeps. What it has there must be zero, or the same. It is then a
 * temporary file of how->limits.spool bytes at most. Returns PC_WRITTEN, also when there is nothing to do, or
 * what the work ends with, after saying why. */
enum pc_rewritten pc_header_take(const struct pc_rewrite *how, struct pc_input *in, struct pc_mem *mem,
                                 const char *input, const char *output);

#endif

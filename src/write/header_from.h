/* SPDX-License-Identifier: MIT
 *
 * header_from.h: the header that a recording did not get, from another file of the same recording. A file
 * that perf record --switch-output begins has zeros there until it ends (tools/perf/util/data.c:
 * perf_data__switch); a killed perf leaves them. All files of the recording have the same attrs and ids.
 */
#ifndef PC_HEADER_FROM_H
#define PC_HEADER_FROM_H

#include "write/rewrite_job.h"

/* Opens how->header_from. False, after saying why: it cannot be opened. If there is none, file->fd is -1. */
bool pc_header_open(struct pc_input *file, const struct pc_rewrite *how);

/* Has the file `in` read as if it began with all that is before the data of job->header; where its data end
 * and which features it has, it keeps. What else it has there must be zero, or the same, and what is taken
 * must be sound. It is then a temporary file of limits.spool bytes at most, and job->headless is what it was.
 * False, after saying why: the work ends with *result. */
bool pc_header_take(struct pc_job *job, struct pc_input *in, struct pc_mem *mem, const char *input,
                    enum pc_rewritten *result);

#endif

/* SPDX-License-Identifier: MIT
 *
 * copy.h: a copy of a file, holes as holes; whether two files are the same.
 */
#ifndef PC_COPY_H
#define PC_COPY_H

#include "base/mem.h"
#include "base/progress.h"

/* Copies an open regular file into an open directory under a name that is not there, with the permission bits
 * of the file at most, and flushes it to the disk. progress: NULL: none is shown. Returns 0 or an errno;
 * ESTALE: the file changed meanwhile. */
int pc_copy_file(struct pc_mem *mem, struct pc_progress *progress, int from, int directory, const char *name);

/* Whether an open copy has the bytes of the open file. What is a hole in both is not read: it may be larger
 * than any disk. Returns 0 or an errno; ESTALE: they differ. */
int pc_copy_compare(struct pc_mem *mem, struct pc_progress *progress, int copied, int from);

#endif

/* SPDX-License-Identifier: MIT
 *
 * copy.h: a copy of a file, holes as holes, read again and compared.
 */
#ifndef PC_COPY_H
#define PC_COPY_H

#include "base/mem.h"
#include "base/progress.h"

/* Copies an open regular file into an open directory under a name that is not there, with the permission bits
 * of the file at most, and flushes it to the disk. verify: both are then read again and compared. progress:
 * NULL: none is shown. Returns 0 or an errno; ESTALE: they differ. */
int pc_copy_file(struct pc_mem *mem, struct pc_progress *progress, int from, int directory, const char *name,
                 bool verify);

#endif

/* SPDX-License-Identifier: MIT
 *
 * guard.h: refuses an output that is an input, is inside one, or contains one. Code that makes an output asks
 * here first.
 */
#ifndef PC_GUARD_H
#define PC_GUARD_H

#include "base/base.h"

/* Open files and directories that are never written. */
struct pc_inputs {
    const int *fd; /* below 0: memory, which no file can be */
    size_t nr;
};

/* Returned in place of an errno: an input would be written. EBUSY is the error of a mount point. */
#define PC_IS_INPUT (1 << 16)

/* Returned instead of an errno if the output is a device, FIFO or socket, or a link to one or to a standard
 * stream. */
#define PC_NOT_REGULAR (PC_IS_INPUT + 1)

/* Returned instead of an errno if the output has replaced an older one, but its folder could not be flushed
 * to the disk. */
#define PC_NOT_FLUSHED (PC_IS_INPUT + 2)

/* Whether a file or directory of that name may be made in an open folder, or replaced there: 0, PC_IS_INPUT,
 * or the errno of what could not be looked at. A link to an input counts as that. inputs: NULL: there are
 * none. */
int pc_guard_name(int folder, const char *name, const struct pc_inputs *inputs);

/* The same for a file that is open already. */
int pc_guard_file(int fd, const struct pc_inputs *inputs);

#endif

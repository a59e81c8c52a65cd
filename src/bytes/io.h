/* SPDX-License-Identifier: MIT
 *
 * io.h: system calls on files that signals interrupt, or that do less than they were asked to. All return 0
 * or an errno.
 */
#ifndef PC_IO_H
#define PC_IO_H

#include <fcntl.h>

#include "base/base.h"

/* Opens a directory, to list it or to open something in it. Follows no link. */
#define PC_OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* Instead of an errno: the file ended before all bytes were read. */
#define PC_IO_CUT (-1)

/* Where pc_io_write writes to a descriptor that has no offsets. */
#define PC_IO_STREAM UINT64_MAX

/* Reads n bytes from an offset. */
int pc_io_read(int fd, uint64_t at, unsigned char *to, size_t n);

/* Writes n bytes to an offset, or PC_IO_STREAM. */
int pc_io_write(int fd, uint64_t at, const unsigned char *from, size_t n);

int pc_io_set_length(int fd, uint64_t length);

/* Flushes a file to the disk. */
int pc_io_sync(int fd);

/* The same for a directory; file systems where directories need no flush are no error. */
int pc_io_sync_directory(int fd);

#endif

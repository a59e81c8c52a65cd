/* SPDX-License-Identifier: MIT
 *
 * Repeats system calls until they have done all of their work.
 */
#include "bytes/io.h"

#include <errno.h>
#include <unistd.h>

/* Of a call that failed. One that gives none must not pass for success, and is not repeated for ever. */
static int last_error(void)
{
    return errno ? errno : EIO;
}

int pc_io_read(int fd, uint64_t at, unsigned char *to, size_t n)
{
    while (n > 0) {
        ssize_t got = pread(fd, to, n, (off_t)at);
        if (got > 0) {
            at += (uint64_t)got;
            to += got;
            n -= (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            return got == 0 ? PC_IO_CUT : last_error();
        }
    }
    return 0;
}

int pc_io_write(int fd, uint64_t at, const unsigned char *from, size_t n)
{
    while (n > 0) {
        ssize_t got = at == PC_IO_STREAM ? write(fd, from, n) : pwrite(fd, from, n, (off_t)at);
        if (got > 0) {
            at += at == PC_IO_STREAM ? 0 : (uint64_t)got;
            from += got;
            n -= (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            return got == 0 ? EIO : last_error();
        }
    }
    return 0;
}

int pc_io_set_length(int fd, uint64_t length)
{
    while (ftruncate(fd, (off_t)length) != 0) {
        if (errno != EINTR)
            return last_error();
    }
    return 0;
}

int pc_io_sync(int fd)
{
    while (fsync(fd) != 0) {
        if (errno != EINTR)
            return last_error();
    }
    return 0;
}

int pc_io_sync_directory(int fd)
{
    int error = pc_io_sync(fd);
    return error == EINVAL ? 0 : error;
}

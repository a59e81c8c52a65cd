/* SPDX-License-Identifier: MIT */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* owns: closing the input closes the descriptor, and so does an error. */
static int adopt(struct pc_input *in, int fd, bool owns)
{
    struct stat st;

    *in = (struct pc_input){ .fd = fd, .owns_fd = owns };
    if (fstat(in->fd, &st) != 0) {
        int error = errno;
        pc_input_close(in);
        return error;
    }
    if (S_ISDIR(st.st_mode)) {
        in->kind = PC_INPUT_DIRECTORY;
        return 0;
    }
    off_t here = lseek(in->fd, 0, SEEK_CUR);
    off_t end = here < 0 || !(S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)) ? -1 : lseek(in->fd, 0, SEEK_END);
    if (end < 0) {
        in->kind = PC_INPUT_STREAM;
        return 0;
    }
    in->kind = PC_INPUT_FILE;
    in->base = (uint64_t)here;
    in->size = end > here ? (uint64_t)(end - here) : 0;
    return 0;
}

int pc_input_adopt(struct pc_input *in, int fd)
{
    return adopt(in, fd, true);
}

int pc_input_open(struct pc_input *in, const char *path)
{
    bool is_stdin = strcmp(path, "-") == 0;
    *in = (struct pc_input){ .fd = -1 };
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return fd < 0 ? errno : adopt(in, fd, !is_stdin);
}

void pc_input_memory(struct pc_input *in, struct pc_span bytes, enum pc_input_kind kind)
{
    *in = (struct pc_input){ .kind = kind, .fd = -1, .memory = bytes };
    if (kind == PC_INPUT_FILE)
        in->size = bytes.len;
}

void pc_input_close(struct pc_input *in)
{
    if (in->owns_fd)
        close(in->fd);
    in->fd = -1;
    in->owns_fd = false;
}

/* One read of the descriptor or of memory, at most n bytes. */
static ssize_t read_some(struct pc_input *in, uint64_t offset, unsigned char *to, size_t n)
{
    if (in->at_most != 0 && n > in->at_most)
        n = in->at_most;
    if (in->fail_at != 0 && offset + n > in->fail_at) {
        errno = EIO;
        return -1;
    }
    if (in->fd < 0) {
        if (offset >= in->memory.len)
            return 0;
        size_t left = in->memory.len - (size_t)offset;
        n = n < left ? n : left;
        memcpy(to, in->memory.ptr + (size_t)offset, n);
        return (ssize_t)n;
    }
    if (in->kind == PC_INPUT_FILE) {
        if (offset > (uint64_t)INT64_MAX - in->base)
            return 0;
        return pread(in->fd, to, n, (off_t)(in->base + offset));
    }
    return read(in->fd, to, n);
}

static size_t read_from(struct pc_input *in, uint64_t offset, unsigned char *to, size_t least, size_t n)
{
    size_t got = 0;
    while (got < least && in->error == 0) {
        ssize_t r = read_some(in, offset + got, to + got, n - got);
        if (r > 0)
            got += (size_t)r;
        else if (r == 0)
            break;
        else if (errno != EINTR)
            in->error = errno;
    }
    in->bytes_read += got;
    return got;
}

size_t pc_input_read_at(struct pc_input *in, uint64_t offset, unsigned char *to, size_t n)
{
    return read_from(in, offset, to, n, n);
}

size_t pc_input_read(struct pc_input *in, unsigned char *to, size_t least, size_t n)
{
    size_t got = read_from(in, in->pos, to, least, n);
    in->pos += got;
    return got;
}

static int temporary_file(void)
{
    const char *dir = getenv("TMPDIR");
    if (!dir || !*dir)
        dir = "/tmp";
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    char path[4096];
    int n = snprintf(path, sizeof(path), "%s/perfcheck-XXXXXX", dir);
    if (n < 0 || (size_t)n >= sizeof(path))
        return -1;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static bool write_all(int fd, const unsigned char *from, size_t n)
{
    while (n > 0) {
        ssize_t w = write(fd, from, n);
        if (w < 0 && errno == EINTR)
            continue;
        if (w < 0)
            return false;
        from += w;
        n -= (size_t)w;
    }
    return true;
}

int pc_input_spool(struct pc_input *in, struct pc_span head, uint64_t max)
{
    unsigned char chunk[65536];
    uint64_t size = head.len;
    int error = 0, fd;

    if (in->fd < 0) { /* memory can be read anywhere already */
        in->kind = PC_INPUT_FILE;
        in->size = in->memory.len;
        return 0;
    }
    fd = temporary_file();
    if (fd < 0)
        return errno;
    if (!write_all(fd, head.ptr, head.len))
        error = errno == EFBIG ? ENOSPC : errno;
    while (error == 0) {
        size_t n = pc_input_read(in, chunk, 1, sizeof(chunk));
        size += n;
        if (in->error)
            error = in->error;
        else if (n == 0)
            break;
        else if (size > max)
            error = EFBIG;
        else if (!write_all(fd, chunk, n))
            error = errno == EFBIG ? ENOSPC : errno; /* EFBIG is for our own limit */
    }
    if (error) {
        close(fd);
        return error;
    }
    pc_input_close(in);
    in->fd = fd;
    in->owns_fd = true;
    in->kind = PC_INPUT_FILE;
    in->size = size;
    in->base = in->pos = 0;
    return 0;
}

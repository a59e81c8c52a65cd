/* SPDX-License-Identifier: MIT
 *
 * Copies a file, holes as holes, and compares two files.
 */
#include "bytes/copy.h"

#include "bytes/io.h"
#include "bytes/names.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK ((size_t)256 << 10)

/* The next bytes that are not a hole: [*data, *end). False: there are none. */
static bool find_data(int fd, uint64_t at, uint64_t size, uint64_t *data, uint64_t *end)
{
    off_t found = lseek(fd, (off_t)at, SEEK_DATA);
    if (found < 0 && errno == ENXIO)
        return false;
    *data = found < 0 ? at : (uint64_t)found; /* the file system does not tell holes */
    found = found < 0 ? -1 : lseek(fd, found, SEEK_HOLE);
    *end = found < 0 || (uint64_t)found > size ? size : (uint64_t)found;
    return *data < *end;
}

/* Reads n bytes; fewer are an error. */
static int read_all(int fd, uint64_t at, unsigned char *to, size_t n)
{
    int error = pc_io_read(fd, at, to, n);
    return error == PC_IO_CUT ? ESTALE : error; /* another process made the file shorter */
}

/* A file that is copied. */
struct copy {
    int to, from;
    uint64_t size;
    unsigned char *chunk; /* CHUNK bytes */
    struct pc_progress *progress;
};

/* Copies the bytes [at, end) by the system where it can, which shares blocks where the file system can. */
static int copy_range(const struct copy *c, uint64_t at, uint64_t end)
{
    const uint64_t most = 64U << 20; /* then that is shown */
    while (at < end) {
        pc_progress_show(c->progress, at, c->size);
        if (pc_progress_stopped(c->progress))
            return ECANCELED;
        off_t in = (off_t)at, out = (off_t)at;
        size_t part = (size_t)(end - at < most ? end - at : most);
        ssize_t got = copy_file_range(c->from, &in, c->to, &out, part, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) /* reading or writing will find the error */
            break;
        at += (uint64_t)got;
    }
    while (at < end) {
        size_t part = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
        pc_progress_show(c->progress, at, c->size);
        if (pc_progress_stopped(c->progress))
            return ECANCELED;
        int error = read_all(c->from, at, c->chunk, part);
        if (error == 0)
            error = pc_io_write(c->to, at, c->chunk, part);
        if (error != 0)
            return error;
        at += part;
    }
    return 0;
}

static int copy_data(const struct copy *c)
{
    uint64_t data, end;
    int error = pc_io_set_length(c->to, c->size);
    for (uint64_t at = 0; at < c->size && error == 0 && find_data(c->from, at, c->size, &data, &end);
         at = end)
        error = copy_range(c, data, end);
    return error;
}

/* The first byte from `at` on that is not in a hole; the size of the file when there is none. */
static uint64_t next_data(int fd, uint64_t at, uint64_t size)
{
    uint64_t data, end;
    return find_data(fd, at, size, &data, &end) ? data : size;
}

/* Whether both files hold the same bytes: 0, ESTALE or an errno. */
static int compare(const struct copy *c)
{
    unsigned char *copied = c->chunk, *wanted = c->chunk + CHUNK / 2;
    int error = 0;
    for (uint64_t at = 0, n = 0; error == 0; at += n) {
        uint64_t to = next_data(c->to, at, c->size), from = next_data(c->from, at, c->size);
        at = to < from ? to : from;
        n = c->size - at < CHUNK / 2 ? c->size - at : CHUNK / 2;
        if (n == 0)
            break;
        pc_progress_show(c->progress, at, c->size);
        if (pc_progress_stopped(c->progress))
            return ECANCELED;
        error = read_all(c->to, at, copied, (size_t)n);
        if (error == 0)
            error = read_all(c->from, at, wanted, (size_t)n);
        if (error == 0 && memcmp(copied, wanted, (size_t)n) != 0)
            error = ESTALE;
    }
    return error;
}

int pc_copy_compare(struct pc_mem *mem, struct pc_progress *progress, int copied, int from)
{
    struct stat a, b;
    if (fstat(copied, &a) != 0 || fstat(from, &b) != 0)
        return errno;
    if (a.st_size != b.st_size)
        return ESTALE;
    struct copy c = { .to = copied, .from = from, .size = (uint64_t)b.st_size, .progress = progress };
    c.chunk = pc_alloc(mem, CHUNK);
    if (!c.chunk)
        return ENOMEM;
    pc_progress_begin(c.progress, "verifying");
    int error = compare(&c);
    pc_progress_end(c.progress);
    pc_free(mem, c.chunk, CHUNK);
    return error;
}

int pc_copy_file(struct pc_mem *mem, struct pc_progress *progress, int from, int directory, const char *name)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    struct stat st;
    if (fstat(from, &st) != 0)
        return errno;
    if (!S_ISREG(st.st_mode))
        return EINVAL;
    struct copy c = { .from = from, .size = (uint64_t)st.st_size, .progress = progress };
    c.chunk = pc_alloc(mem, CHUNK);
    if (!c.chunk)
        return ENOMEM;
    pc_progress_begin(c.progress, name);
    c.to = pc_name_create(directory, name, flags, st.st_mode & 0777);
    int error = c.to < 0 ? errno : 0;
    if (error == 0)
        error = copy_data(&c);
    if (error == 0)
        error = pc_io_sync(c.to);
    if (c.to >= 0 && close(c.to) != 0 && error == 0)
        error = errno;
    pc_progress_end(c.progress);
    pc_free(mem, c.chunk, CHUNK);
    return error;
}

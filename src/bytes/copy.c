/* SPDX-License-Identifier: MIT
 *
 * Copies a file, holes as holes, and compares the copy with it.
 */
#include "bytes/copy.h"

#include "bytes/hash.h"
#include "bytes/io.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK ((size_t)256 << 10)
#define BLOCK ((size_t)4096)

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

/* Reads n bytes, of which all must be there. */
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
        off_t in = (off_t)at, out = (off_t)at;
        size_t part = (size_t)(end - at < most ? end - at : most);
        ssize_t got = copy_file_range(c->from, &in, c->to, &out, part, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) /* reading and writing will find what is wrong */
            break;
        at += (uint64_t)got;
    }
    while (at < end) {
        size_t part = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
        pc_progress_show(c->progress, at, c->size);
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

static bool is_zero(const unsigned char *bytes, size_t n)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0;
}

/* The sum of the blocks that are not all zeros, and of where they are: the same however much of the zeros is
 * a hole, and found without reading the holes, which may be larger than any disk. */
static int sum_up(const struct copy *c, int fd, struct pc_sum *sum)
{
    const uint64_t size = c->size;
    struct pc_hash hash;
    uint64_t data, end;
    int error = 0;
    pc_hash_init(&hash);
    for (uint64_t at = 0; at < size && error == 0 && find_data(fd, at, size, &data, &end);) {
        uint64_t start = data - data % BLOCK;
        at = start > at ? start : at; /* on the same grid, whatever the file system's is */
        end = end > size - size % BLOCK ? size : (end + BLOCK - 1) / BLOCK * BLOCK;
        while (at < end && error == 0) {
            size_t n = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
            pc_progress_show(c->progress, at, c->size);
            error = read_all(fd, at, c->chunk, n);
            for (size_t i = 0; i < n && error == 0; i += BLOCK) {
                size_t block = n - i < BLOCK ? n - i : BLOCK;
                if (is_zero(c->chunk + i, block))
                    continue;
                pc_hash_put_uint(&hash, at + i);
                pc_hash_put(&hash, c->chunk + i, block);
            }
            at += n;
        }
    }
    *sum = pc_hash_sum(&hash);
    return error;
}

static int compare(const struct copy *c)
{
    struct stat a, b;
    struct pc_sum sum, wanted;
    if (fstat(c->to, &a) != 0 || fstat(c->from, &b) != 0)
        return errno;
    if ((uint64_t)a.st_size != c->size || (uint64_t)b.st_size != c->size)
        return ESTALE;
    int error = sum_up(c, c->to, &sum);
    if (error == 0)
        error = sum_up(c, c->from, &wanted);
    return error != 0 ? error : pc_sum_equal(&sum, &wanted) ? 0 : ESTALE;
}

int pc_copy_file(struct pc_mem *mem, struct pc_progress *progress, int from, int directory, const char *name,
                 bool verify)
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
    c.to = openat(directory, name, flags, st.st_mode & 0777);
    int error = c.to < 0 ? errno : 0;
    if (error == 0)
        error = copy_data(&c);
    if (error == 0)
        error = pc_io_sync(c.to);
    if (error == 0 && verify)
        error = compare(&c);
    if (c.to >= 0 && close(c.to) != 0 && error == 0)
        error = errno;
    pc_progress_end(c.progress);
    pc_free(mem, c.chunk, CHUNK);
    return error;
}

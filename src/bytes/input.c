/* SPDX-License-Identifier: MIT
 *
 * Reads a file, a stream or memory, and makes a file of a stream.
 */
#include "bytes/input.h"
#include "bytes/cursor.h"
#include "bytes/names.h"
#include "bytes/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK ((size_t)64 << 10)

int pc_input_adopt(struct pc_input *in, int fd, bool owns)
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

int pc_input_open(struct pc_input *in, const char *path)
{
    bool is_stdin = strcmp(path, "-") == 0;
    *in = (struct pc_input){ .fd = -1 };
    int fd = is_stdin ? STDIN_FILENO : pc_name_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return fd < 0 ? errno : pc_input_adopt(in, fd, !is_stdin);
}

void pc_input_memory(struct pc_input *in, struct pc_span bytes, enum pc_input_kind kind)
{
    *in = (struct pc_input){ .kind = kind, .fd = -1, .memory = bytes };
    if (kind == PC_INPUT_FILE)
        in->size = bytes.len;
}

int pc_input_as_stream(struct pc_input *in)
{
    if (lseek(in->fd, (off_t)in->base, SEEK_SET) < 0)
        return errno;
    in->kind = PC_INPUT_STREAM;
    in->size = in->base = 0;
    return 0;
}

void pc_input_close(struct pc_input *in)
{
    if (in->owns_fd)
        close(in->fd);
    in->fd = -1;
    in->owns_fd = false;
}

/* Waits for bytes of a stream, or its end. False: it ends with what has arrived, and all of that was read. No
 * signal comes between the look at `ended` and the wait. */
static bool wait_for_bytes(const struct pc_input *in)
{
    static const struct timespec now = { 0 };
    struct pollfd stream = { .fd = in->fd, .events = POLLIN };
    sigset_t all, before;
    int ready;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    do {
        ready = ppoll(&stream, 1, *in->ended ? &now : NULL, &before);
    } while (ready < 0 && errno == EINTR);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ready != 0;
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
        const uint64_t last = (uint64_t)INT64_MAX - in->base; /* no file goes on behind it */
        if (offset > last)
            return 0;
        n = n < last - offset ? n : (size_t)(last - offset);
        return pread(in->fd, to, n, (off_t)(in->base + offset));
    }
    return in->ended && !wait_for_bytes(in) ? 0 : read(in->fd, to, n);
}

static int compare_patches(const void *a, const void *b)
{
    const struct pc_patch *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void pc_patches_sort(struct pc_patch *patch, size_t nr)
{
    if (nr > 1)
        qsort(patch, nr, sizeof(*patch), compare_patches);
}

void pc_input_shift(struct pc_input *in, uint64_t at, uint64_t zeros, uint64_t left_out)
{
    in->size += zeros - in->filled + in->left_out - left_out;
    in->shift_at = at;
    in->filled = zeros;
    in->left_out = left_out;
}

void pc_input_begin(struct pc_input *in, uint64_t before)
{
    if (in->fd < 0)
        in->memory = pc_part(in->memory, (size_t)before, in->memory.len - (size_t)before);
    in->base += before;
    in->size -= before;
    in->before = before;
}

uint64_t pc_input_place(const struct pc_input *in, uint64_t offset)
{
    uint64_t place = offset;
    if (offset >= in->shift_at)
        place = offset - in->shift_at < in->filled ? in->shift_at : offset - in->filled + in->left_out;
    return in->before + place;
}

/* The same as read_some, of a file with zeros for what was lost, or without what was inserted. */
static ssize_t read_shifted(struct pc_input *in, uint64_t offset, unsigned char *to, size_t n)
{
    uint64_t left = offset < in->shift_at ? in->shift_at - offset : in->filled - (offset - in->shift_at);
    if (offset > INT64_MAX) /* no file goes on behind it */
        return 0;
    if (offset >= in->shift_at && offset - in->shift_at >= in->filled)
        return read_some(in, offset - in->filled + in->left_out, to, n);
    n = n < left ? n : (size_t)left;
    if (offset < in->shift_at)
        return read_some(in, offset, to, n);
    memset(to, 0, n);
    return (ssize_t)n;
}

/* What was read of a file from some place, with the patches that are there. */
static void apply_patches(const struct pc_input *in, uint64_t offset, unsigned char *bytes, size_t n)
{
    size_t at = pc_lower_bound(in->patch, in->nr_patches, sizeof(*in->patch),
                               offsetof(struct pc_patch, offset), offset);
    while (at > 0 && in->patch[at - 1].offset + in->patch[at - 1].len > offset)
        at--; /* it begins before the place and ends after it */
    for (; at < in->nr_patches && in->patch[at].offset < offset + n; at++) {
        const struct pc_patch *patch = &in->patch[at];
        for (unsigned i = 0; i < patch->len; i++) {
            if (patch->offset + i >= offset && patch->offset + i < offset + n)
                bytes[patch->offset + i - offset] = patch->bytes[i];
        }
    }
}

static size_t read_from(struct pc_input *in, uint64_t offset, unsigned char *to, size_t least, size_t n)
{
    size_t got = 0;
    while (got < least && in->error == 0) {
        ssize_t r = pc_input_is_shifted(in) ? read_shifted(in, offset + got, to + got, n - got)
                                            : read_some(in, offset + got, to + got, n - got);
        if (r > 0)
            got += (size_t)r;
        else if (r == 0)
            break;
        else if (errno != EINTR)
            in->error = errno ? errno : EIO; /* none: a call that fails must not be repeated for ever */
    }
    if (in->nr_patches != 0)
        apply_patches(in, offset, to, got);
    if (in->tee && in->kind == PC_INPUT_STREAM)
        pc_sink_put(in->tee, to, got);
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

uint64_t pc_input_pass_hole(const struct pc_input *in, uint64_t at)
{
    if (in->kind != PC_INPUT_FILE || at >= in->size)
        return at;
    if (pc_input_is_shifted(in)) /* holes are not looked for then; the zeros alone are passed */
        return at >= in->shift_at && at - in->shift_at < in->filled ? in->shift_at + in->filled : at;
    off_t data = lseek(in->fd, (off_t)(in->base + at), SEEK_DATA);
    if (data < 0)
        return errno == ENXIO ? in->size : at; /* a hole to the end; or holes are not known */
    uint64_t next = (uint64_t)data - in->base;
    return next < in->size ? next : in->size;
}

int pc_input_spool(struct pc_input *in, struct pc_mem *mem, struct pc_span head, uint64_t max)
{
    if (in->fd >= 0)
        return pc_input_store(in, mem, head, max);
    in->kind = PC_INPUT_FILE; /* memory can be read anywhere already */
    in->size = in->memory.len;
    return 0;
}

int pc_input_store(struct pc_input *in, struct pc_mem *mem, struct pc_span head, uint64_t max)
{
    struct pc_sink sink;
    unsigned char *chunk = pc_alloc_buffer(mem, CHUNK);
    int error = chunk ? pc_sink_scratch(&sink, mem, NULL) : ENOMEM;
    if (error) {
        pc_free(mem, chunk, CHUNK);
        return error;
    }
    pc_sink_put(&sink, head.ptr, head.len);
    while (error == 0 && sink.error == 0) {
        size_t n = pc_input_read(in, chunk, 1, CHUNK);
        if (in->error)
            error = in->error;
        else if (n == 0)
            break;
        else if (sink.size + n > max)
            error = EFBIG;
        else
            pc_sink_put(&sink, chunk, n);
    }
    pc_free(mem, chunk, CHUNK);
    int fd = error == 0 && pc_sink_flush(&sink) == 0 ? fcntl(sink.target.fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (error == 0 && fd < 0)
        error = sink.error == 0       ? errno
                : sink.error == EFBIG ? ENOSPC
                                      : sink.error; /* EFBIG is for our own limit */
    if (error == 0) {
        pc_input_close(in);
        in->fd = fd;
        in->owns_fd = true;
        in->kind = PC_INPUT_FILE;
        in->size = sink.size;
        in->base = in->pos = 0;
    }
    pc_sink_discard(&sink);
    return error;
}

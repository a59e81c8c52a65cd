/* SPDX-License-Identifier: MIT
 *
 * Writes bytes through a buffer and, when there are many, by a thread of its own.
 */
#include "bytes/sink.h"
#include "bytes/io.h"
#include "bytes/names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(struct pc_sink *sink, int error)
{
    if (sink->error == 0)
        sink->error = error;
    return sink->error;
}

/* Whether a link leads to a device, FIFO or socket, or to a standard stream, as /dev/stdout does. */
static bool leads_to_stream(const struct pc_sink *sink)
{
    struct stat st, stream;
    if (pc_name_stat(sink->target.folder, sink->target.name, &st, 0) != 0)
        return false;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fstat(fd, &stream) == 0 && stream.st_dev == st.st_dev && stream.st_ino == st.st_ino)
            return true;
    }
    return !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Whether the target may be made as things are: 0 or an errno. */
static int may_appear(const struct pc_sink *sink, bool *is_there)
{
    struct stat st;
    *is_there = pc_name_stat(sink->target.folder, sink->target.name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (!*is_there)
        return errno == ENOENT ? 0 : errno;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    if (S_ISLNK(st.st_mode) ? leads_to_stream(sink) : !S_ISREG(st.st_mode))
        return PC_NOT_REGULAR;
    return sink->replace ? 0 : EEXIST;
}

/* Makes the file of a scratch sink. */
static int make_scratch(struct pc_sink *sink)
{
    return sink->target.folder < 0 ? -sink->target.folder : pc_target_make_nameless(&sink->target);
}

/* All that left the buffer is in the file, or there is an error. Returns it, or 0. */
static int settle(struct pc_sink *sink)
{
    if (sink->works)
        pc_worker_wait(&sink->worker);
    if (sink->leaving_error)
        fail(sink, sink->leaving_error);
    sink->leaving_error = 0;
    return sink->error;
}

/* Gives back all that the sink holds; its error stays. */
static void release(struct pc_sink *sink)
{
    settle(sink);
    if (sink->works)
        pc_worker_stop(&sink->worker);
    sink->works = false;
    pc_target_close(&sink->target);
    pc_free(sink->mem, sink->buffer, PC_SINK_BUFFER);
    pc_free(sink->mem, sink->leaving, PC_SINK_BUFFER);
    sink->buffer = sink->leaving = NULL;
    sink->held = 0;
}

/* error: why the folder could not be opened, or 0. */
static int create(struct pc_sink *sink, int error, mode_t mode)
{
    bool is_there;
    if (error == 0)
        error = may_appear(sink, &is_there);
    if (error == 0 && !(sink->buffer = pc_alloc_buffer(sink->mem, PC_SINK_BUFFER)))
        error = ENOMEM;
    if (error == 0)
        error = pc_target_make(&sink->target, mode & 0777);
    if (error != 0) {
        sink->error = error;
        release(sink);
    }
    return error;
}

int pc_sink_create(struct pc_sink *sink, struct pc_mem *mem, const char *path, bool replace, mode_t mode,
                   const struct pc_inputs *inputs)
{
    *sink = (struct pc_sink){ .mem = mem, .target = PC_TARGET_CLOSED, .replace = replace };
    return create(sink, pc_target_open(&sink->target, path, false, inputs), mode);
}

int pc_sink_create_at(struct pc_sink *sink, struct pc_mem *mem, int folder, const char *name, mode_t mode)
{
    *sink = (struct pc_sink){ .mem = mem, .target = PC_TARGET_CLOSED };
    assert(strlen(name) < sizeof(sink->target.name));
    memcpy(sink->target.name, name, strlen(name) + 1);
    sink->target.folder = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    return create(sink, sink->target.folder < 0 ? errno : 0, mode);
}

static int open_temporary_folder(void)
{
    const char *tmpdir = secure_getenv("TMPDIR");
    return pc_name_open(AT_FDCWD, tmpdir && *tmpdir ? tmpdir : "/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int pc_sink_scratch(struct pc_sink *sink, struct pc_mem *mem, const struct pc_sink *other)
{
    *sink = (struct pc_sink){ .mem = mem, .target = PC_TARGET_CLOSED, .scratch = true };
    sink->buffer = pc_alloc_buffer(mem, PC_SINK_BUFFER);
    if (!sink->buffer)
        return sink->error = ENOMEM;
    /* Opened now: later the process may not be allowed to. */
    if (!other)
        sink->target.folder = open_temporary_folder();
    else if (other->target.folder >= 0)
        sink->target.folder = fcntl(other->target.folder, F_DUPFD_CLOEXEC, 0);
    else
        errno = -other->target.folder;
    if (sink->target.folder < 0)
        sink->target.folder = -errno;
    return 0;
}

int pc_sink_stream(struct pc_sink *sink, struct pc_mem *mem, int fd)
{
    int error = pc_sink_scratch(sink, mem, NULL); /* for the folder of files beside it */
    if (error != 0)
        return error;
    sink->scratch = false;
    sink->stream = true;
    sink->target.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (sink->target.fd < 0) {
        sink->error = errno;
        release(sink);
    }
    return sink->error;
}

/* --- bytes --- */

/* How many of n bytes the next write at an offset takes; 0: a test makes it fail. */
static size_t room(const struct pc_sink *sink, uint64_t offset, size_t n)
{
    if (sink->at_most != 0 && n > sink->at_most)
        n = sink->at_most;
    if (sink->fail_at != 0 && offset + n >= sink->fail_at)
        n = offset + 1 < sink->fail_at ? (size_t)(sink->fail_at - 1 - offset) : 0;
    return n;
}

/* Returns 0 or an errno. */
static int write_bytes(const struct pc_sink *sink, uint64_t offset, const unsigned char *bytes, size_t n)
{
    while (n > 0) {
        size_t part = room(sink, offset, n);
        int error = part == 0
                        ? ENOSPC
                        : pc_io_write(sink->target.fd, sink->stream ? PC_IO_STREAM : offset, bytes, part);
        if (error != 0)
            return error;
        offset += part;
        bytes += part;
        n -= part;
    }
    return 0;
}

/* Starts write-back of what was written so far. Whether it succeeds is known from fsync at the end. */
static void start_writeback(struct pc_sink *sink, uint64_t written)
{
    if (sink->scratch || sink->stream || written - sink->started < PC_SINK_WRITEBACK)
        return;
    (void)sync_file_range(sink->target.fd, (off_t)sink->started, (off_t)(written - sink->started),
                          SYNC_FILE_RANGE_WRITE);
    sink->started = written;
}

static void write_leaving(void *ctx)
{
    struct pc_sink *sink = ctx;
    sink->leaving_error = write_bytes(sink, sink->leaving_at, sink->leaving, sink->leaving_n);
    if (sink->leaving_error == 0)
        start_writeback(sink, sink->leaving_at + sink->leaving_n);
}

static void write_file(struct pc_sink *sink, uint64_t offset, const unsigned char *bytes, size_t n)
{
    if (settle(sink) != 0)
        return;
    sink->stored = false;
    int error = write_bytes(sink, offset, bytes, n);
    if (error != 0)
        fail(sink, error);
}

static bool read_file(struct pc_sink *sink, uint64_t offset, unsigned char *to, size_t n)
{
    if (settle(sink) != 0)
        return false;
    int error = pc_io_read(sink->target.fd, offset, to, n);
    if (error != 0)
        fail(sink, error == PC_IO_CUT ? EIO : error); /* another process made the file shorter */
    return error == 0;
}

int pc_sink_flush(struct pc_sink *sink)
{
    settle(sink);
    if (sink->error == 0 && sink->target.fd < 0)
        sink->error = sink->scratch ? make_scratch(sink) : EBADF;
    if (sink->error == 0 && sink->held != 0)
        write_file(sink, sink->size - sink->held, sink->buffer, sink->held);
    if (sink->error == 0) {
        sink->held = 0;
        start_writeback(sink, sink->size);
    }
    return sink->error;
}

/* Whether there is a thread to write, and a second buffer. */
static bool has_worker(struct pc_sink *sink)
{
    if (sink->asked || sink->scratch || sink->target.fd < 0)
        return sink->works;
    sink->asked = true;
    sink->leaving = pc_alloc_buffer(sink->mem, PC_SINK_BUFFER);
    sink->works = sink->leaving && pc_worker_start(&sink->worker);
    return sink->works;
}

/* The buffer is full, and has to be empty. Returns 0 or an errno. */
static int hand_over(struct pc_sink *sink)
{
    if (!has_worker(sink))
        return pc_sink_flush(sink);
    if (settle(sink) != 0)
        return sink->error;
    unsigned char *full = sink->buffer;
    sink->buffer = sink->leaving;
    sink->leaving = full;
    sink->leaving_at = sink->size - sink->held;
    sink->leaving_n = sink->held;
    sink->held = 0;
    sink->stored = false;
    pc_worker_give(&sink->worker, write_leaving, sink);
    return 0;
}

/* Whether the sink is in order and can have n bytes more. */
static bool can_grow(struct pc_sink *sink, uint64_t n)
{
    if (sink->error == 0 && !sink->buffer)
        fail(sink, EBADF);
    if (sink->error == 0 && (sink->size > INT64_MAX || n > INT64_MAX - sink->size))
        fail(sink, EFBIG);
    return sink->error == 0;
}

/* Whether the sink is in order and has these bytes. */
static bool has(const struct pc_sink *sink, uint64_t offset, uint64_t n)
{
    return sink->error == 0 && sink->buffer && offset <= sink->size && n <= sink->size - offset;
}

void pc_sink_put(struct pc_sink *sink, const void *bytes, size_t n)
{
    const unsigned char *from = bytes;
    if (!can_grow(sink, n))
        return;
    while (n > 0) {
        if (sink->held == PC_SINK_BUFFER && hand_over(sink) != 0)
            return;
        size_t part = PC_SINK_BUFFER - sink->held;
        if (sink->held == 0 && n >= PC_SINK_BUFFER && sink->target.fd >= 0) { /* a copy would gain nothing */
            write_file(sink, sink->size, from, part);
            if (sink->error != 0)
                return;
        } else {
            part = n < part ? n : part;
            memcpy(sink->buffer + sink->held, from, part);
            sink->held += part;
        }
        sink->size += part;
        from += part;
        n -= part;
    }
}

void pc_sink_put_at(struct pc_sink *sink, uint64_t offset, const void *bytes, size_t n)
{
    const unsigned char *from = bytes;
    if (!has(sink, offset, n)) {
        fail(sink, EINVAL);
        return;
    }
    uint64_t written = sink->size - sink->held;
    if (offset < written && n > 0) {
        if (sink->stream) {
            fail(sink, ESPIPE);
            return;
        }
        size_t part = n < written - offset ? n : (size_t)(written - offset);
        write_file(sink, offset, from, part);
        offset += part;
        from += part;
        n -= part;
    }
    if (n > 0)
        memcpy(sink->buffer + (size_t)(offset - written), from, n);
}

bool pc_sink_get(struct pc_sink *sink, uint64_t offset, void *to, size_t n)
{
    unsigned char *at = to;
    if (!has(sink, offset, n))
        return false;
    uint64_t written = sink->size - sink->held;
    if (offset < written && n > 0) {
        size_t part = n < written - offset ? n : (size_t)(written - offset);
        if (sink->stream)
            fail(sink, ESPIPE);
        if (sink->stream || !read_file(sink, offset, at, part))
            return false;
        offset += part;
        at += part;
        n -= part;
    }
    if (n > 0)
        memcpy(at, sink->buffer + (size_t)(offset - written), n);
    return true;
}

static void set_length(struct pc_sink *sink, uint64_t length)
{
    if (settle(sink) != 0)
        return;
    sink->stored = false;
    if (length > 0 && room(sink, length - 1, 1) == 0) {
        fail(sink, ENOSPC);
        return;
    }
    int error = pc_io_set_length(sink->target.fd, length);
    if (error != 0)
        fail(sink, error);
}

/* The same in the file, by way of the buffer, which is empty. The end that is written to goes first, so that
 * nothing is written over before it was read. */
static void move_in_file(struct pc_sink *sink, uint64_t from, uint64_t to, uint64_t n)
{
    for (uint64_t done = 0; done < n && sink->error == 0;) {
        size_t part = n - done < PC_SINK_BUFFER ? (size_t)(n - done) : PC_SINK_BUFFER;
        uint64_t skip = to > from ? n - done - part : done;
        if (read_file(sink, from + skip, sink->buffer, part))
            write_file(sink, to + skip, sink->buffer, part);
        done += part;
    }
    if (sink->error == 0 && (n == 0 || to < from))
        set_length(sink, to + n);
}

void pc_sink_move(struct pc_sink *sink, uint64_t from, uint64_t to)
{
    if (!has(sink, from, 0)) {
        fail(sink, EINVAL);
        return;
    }
    if (to == from || (to > from && !can_grow(sink, to - from)))
        return;
    uint64_t n = sink->size - from;
    if (sink->held == sink->size && to + n <= PC_SINK_BUFFER) {
        memmove(sink->buffer + (size_t)to, sink->buffer + (size_t)from, (size_t)n);
        if (to > sink->size)
            memset(sink->buffer + sink->held, 0, (size_t)(to - sink->size));
        sink->held = (size_t)(to + n);
    } else if (sink->stream) {
        fail(sink, ESPIPE);
    } else if (pc_sink_flush(sink) == 0) {
        move_in_file(sink, from, to, n);
    }
    if (sink->error == 0)
        sink->size = to + n;
}

/* --- the end --- */

/* Flushes the file. Some systems report failed writes when a file is closed; closing a second descriptor asks
 * them, and the first keeps the inode from being given to another file before the rename. */
static int store(struct pc_sink *sink)
{
    int error = pc_io_sync(sink->target.fd);
    if (error != 0)
        return error;
    int copy = fcntl(sink->target.fd, F_DUPFD_CLOEXEC, 0);
    return copy < 0 || close(copy) != 0 ? errno : 0;
}

int pc_sink_store(struct pc_sink *sink)
{
    if (pc_sink_flush(sink) == 0 && !sink->stored && !sink->stream) {
        sink->error = store(sink);
        sink->stored = sink->error == 0;
    }
    return sink->error;
}

static int rename_over(void *ctx, bool *is_there)
{
    struct pc_sink *sink = ctx;
    int error = may_appear(sink, is_there); /* rename would take the place of a device too */
    if (error == 0 && pc_name_rename(sink->target.folder, sink->target.temporary, sink->target.name, 0) != 0)
        error = errno;
    return error;
}

int pc_sink_commit(struct pc_sink *sink)
{
    if (sink->error == 0 && (!sink->buffer || sink->scratch))
        sink->error = sink->scratch ? EINVAL : EBADF;
    if (pc_sink_store(sink) == 0 && !sink->stream)
        sink->error = pc_target_appear(&sink->target, sink->replace ? rename_over : NULL, sink);
    pc_sink_discard(sink);
    return sink->error;
}

void pc_sink_discard(struct pc_sink *sink)
{
    if (!sink->buffer)
        return;
    release(sink);
}

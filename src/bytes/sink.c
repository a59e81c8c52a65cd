/* SPDX-License-Identifier: MIT */
#include "bytes/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
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

/* --- the file and its name --- */

/* A new file of a random name beside the target. */
static int open_new(struct pc_sink *sink, mode_t mode)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    for (int tries = 0; sink->fd < 0 && tries < 100; tries++) {
        int error = pc_temporary_name(sink->target, sink->temporary);
        if (error != 0)
            return error;
        sink->fd = openat(sink->folder, sink->temporary, flags, mode);
        if (sink->fd < 0 && errno != EEXIST && errno != EINTR)
            return errno;
    }
    struct stat st;
    if (sink->fd < 0)
        return errno;
    if (fstat(sink->fd, &st) != 0) {
        int error = errno;
        unlinkat(sink->folder, sink->temporary, 0); /* made this moment under a name that nobody guesses */
        return error;
    }
    sink->device = st.st_dev;
    sink->inode = st.st_ino;
    return 0;
}

static int make_temporary(struct pc_sink *sink, mode_t mode)
{
    sigset_t before;
    struct pc_temporary *slot = pc_temporary_take();
    if (!slot)
        return EMFILE;
    pc_temporary_block_signals(&before);
    int error = open_new(sink, mode);
    if (error == 0) {
        pc_temporary_note(slot, sink->folder, -1, sink->temporary, sink->device, sink->inode);
        sink->slot = slot;
    } else {
        pc_temporary_release(slot);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* Makes the file of a scratch sink. */
static int make_scratch(struct pc_sink *sink)
{
    sigset_t before;
    if (sink->folder < 0)
        return -sink->folder;
    sink->fd = openat(sink->folder, ".", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (sink->fd >= 0)
        return 0;
    /* Not every file system has files without a name. What else may be wrong, this says too. */
    pc_temporary_block_signals(&before);
    int error = open_new(sink, 0600);
    if (error == 0 && unlinkat(sink->folder, sink->temporary, 0) != 0)
        error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

int pc_sink_open_folder(const char *path, char target[PC_SINK_NAME], int *fd)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char folder[PATH_MAX] = ".";
    if (!*path)
        return ENOENT;
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return EISDIR;
    if (strlen(name) >= PC_SINK_NAME)
        return ENAMETOOLONG;
    memcpy(target, name, strlen(name) + 1);
    if (slash) {
        size_t len = slash == path ? 1 : (size_t)(slash - path); /* the root keeps its slash */
        if (len >= sizeof(folder))
            return ENAMETOOLONG;
        memcpy(folder, path, len);
        folder[len] = '\0';
    }
    /* Not O_PATH, which cannot be flushed. */
    *fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *fd < 0 ? errno : 0;
}

/* Whether the target may be made as things are: 0 or an errno. */
static int may_appear(const struct pc_sink *sink, bool *is_there)
{
    struct stat st;
    *is_there = fstatat(sink->folder, sink->target, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (!*is_there)
        return errno == ENOENT ? 0 : errno;
    if (!sink->replace)
        return EEXIST;
    return S_ISREG(st.st_mode) || S_ISLNK(st.st_mode) ? 0 : EINVAL;
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
    if (sink->slot)
        pc_temporary_release(sink->slot);
    if (sink->fd >= 0)
        close(sink->fd);
    if (sink->folder >= 0)
        close(sink->folder);
    pc_free(sink->mem, sink->buffer, PC_SINK_BUFFER);
    pc_free(sink->mem, sink->leaving, PC_SINK_BUFFER);
    sink->slot = NULL;
    sink->fd = -1;
    sink->folder = -EBADF;
    sink->buffer = sink->leaving = NULL;
    sink->held = 0;
}

/* The folder is open, or `error` says why not. */
static int create(struct pc_sink *sink, int error, mode_t mode)
{
    bool is_there;
    if (error == 0)
        error = may_appear(sink, &is_there);
    if (error == 0 && !(sink->buffer = pc_alloc_buffer(sink->mem, PC_SINK_BUFFER)))
        error = ENOMEM;
    if (error == 0)
        error = make_temporary(sink, mode & 0777);
    if (error != 0) {
        sink->error = error;
        release(sink);
    }
    return error;
}

int pc_sink_create(struct pc_sink *sink, struct pc_mem *mem, const char *path, bool replace, mode_t mode,
                   const struct pc_inputs *inputs)
{
    *sink = (struct pc_sink){ .mem = mem, .fd = -1, .folder = -EBADF, .replace = replace };
    int error = pc_sink_open_folder(path, sink->target, &sink->folder);
    if (error == 0)
        error = pc_guard_name(sink->folder, sink->target, inputs);
    return create(sink, error, mode);
}

int pc_sink_create_at(struct pc_sink *sink, struct pc_mem *mem, int folder, const char *name, mode_t mode)
{
    *sink = (struct pc_sink){ .mem = mem, .fd = -1, .folder = -EBADF };
    assert(strlen(name) < sizeof(sink->target));
    memcpy(sink->target, name, strlen(name) + 1);
    sink->folder = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    return create(sink, sink->folder < 0 ? errno : 0, mode);
}

static int open_temporary_folder(void)
{
    const char *tmpdir = secure_getenv("TMPDIR");
    return open(tmpdir && *tmpdir ? tmpdir : "/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int pc_sink_scratch(struct pc_sink *sink, struct pc_mem *mem, const struct pc_sink *other)
{
    *sink = (struct pc_sink){ .mem = mem, .fd = -1, .folder = -EBADF, .scratch = true };
    sink->buffer = pc_alloc_buffer(mem, PC_SINK_BUFFER);
    if (!sink->buffer)
        return sink->error = ENOMEM;
    /* Opened now: later the process may not be allowed to. */
    if (!other)
        sink->folder = open_temporary_folder();
    else if (other->folder >= 0)
        sink->folder = fcntl(other->folder, F_DUPFD_CLOEXEC, 0);
    else
        errno = -other->folder;
    if (sink->folder < 0)
        sink->folder = -errno;
    return 0;
}

int pc_sink_stream(struct pc_sink *sink, struct pc_mem *mem, int fd)
{
    *sink = (struct pc_sink){ .mem = mem, .fd = -1, .folder = -EBADF, .stream = true };
    sink->buffer = pc_alloc_buffer(mem, PC_SINK_BUFFER);
    if (!sink->buffer)
        return sink->error = ENOMEM;
    sink->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (sink->fd < 0) {
        sink->error = errno;
        release(sink);
        return sink->error;
    }
    sink->folder = open_temporary_folder();
    if (sink->folder < 0)
        sink->folder = -errno;
    return 0;
}

/* --- bytes --- */

/* How many of n bytes the next write at an offset takes; 0: the test wants it to fail. */
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
        ssize_t got = part == 0      ? (errno = ENOSPC, -1)
                      : sink->stream ? write(sink->fd, bytes, part)
                                     : pwrite(sink->fd, bytes, part, (off_t)offset);
        if (got > 0) {
            offset += (uint64_t)got;
            bytes += got;
            n -= (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            return got == 0 ? EIO : errno;
        }
    }
    return 0;
}

/* The disk begins with what is there while the rest is made; whether it does is seen by fsync in the end. */
static void start_writeback(struct pc_sink *sink, uint64_t written)
{
    if (sink->scratch || sink->stream || written - sink->started < PC_SINK_WRITEBACK)
        return;
    (void)sync_file_range(sink->fd, (off_t)sink->started, (off_t)(written - sink->started),
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
    int error = write_bytes(sink, offset, bytes, n);
    if (error != 0)
        fail(sink, error);
}

static bool read_file(struct pc_sink *sink, uint64_t offset, unsigned char *to, size_t n)
{
    if (settle(sink) != 0)
        return false;
    while (n > 0) {
        ssize_t got = pread(sink->fd, to, n, (off_t)offset);
        if (got > 0) {
            offset += (uint64_t)got;
            to += got;
            n -= (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            fail(sink, got == 0 ? EIO : errno); /* 0: somebody made the file shorter */
            return false;
        }
    }
    return true;
}

int pc_sink_flush(struct pc_sink *sink)
{
    settle(sink);
    if (sink->error == 0 && sink->fd < 0)
        sink->error = sink->scratch ? make_scratch(sink) : EBADF;
    if (sink->error == 0)
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
    if (sink->asked || sink->scratch || sink->fd < 0)
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
        if (sink->held == 0 && n >= PC_SINK_BUFFER && sink->fd >= 0) { /* nothing is gained by a copy */
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
    if (length > 0 && room(sink, length - 1, 1) == 0) {
        fail(sink, ENOSPC);
        return;
    }
    while (ftruncate(sink->fd, (off_t)length) != 0) {
        if (errno != EINTR) {
            fail(sink, errno);
            return;
        }
    }
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

/* Has the system copy bytes from file to file; returns how many, which may be none: not all kernels and file
 * systems can. */
static uint64_t copy_in_system(struct pc_sink *sink, const struct pc_sink *from, uint64_t offset, uint64_t n)
{
    uint64_t done = 0;
    if (pc_sink_flush(sink) != 0)
        return 0;
    while (done < n) {
        off_t in = (off_t)(offset + done), out = (off_t)sink->size;
        size_t part = room(sink, sink->size, n - done < (1U << 30) ? (size_t)(n - done) : 1U << 30);
        ssize_t got = part == 0 ? 0 : copy_file_range(from->fd, &in, sink->fd, &out, part, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) /* whatever it is, reading and writing will tell */
            break;
        done += (uint64_t)got;
        sink->size += (uint64_t)got;
    }
    return done;
}

void pc_sink_append(struct pc_sink *sink, struct pc_sink *from, uint64_t offset, uint64_t size)
{
    if (from->error != 0)
        fail(sink, from->error);
    else if (sink == from || !has(from, offset, size))
        fail(sink, EINVAL);
    if (!can_grow(sink, size))
        return;
    uint64_t written = from->size - from->held;
    uint64_t left = offset < written ? (size < written - offset ? size : written - offset) : 0;
    uint64_t end = offset + size;
    if (left >= PC_SINK_BUFFER && !sink->stream) {
        uint64_t done = copy_in_system(sink, from, offset, left);
        offset += done;
        left -= done;
    }
    while (left > 0 && sink->error == 0) {
        if (sink->held == PC_SINK_BUFFER && pc_sink_flush(sink) != 0)
            return;
        size_t part = PC_SINK_BUFFER - sink->held;
        part = left < part ? (size_t)left : part;
        if (!read_file(from, offset, sink->buffer + sink->held, part)) {
            fail(sink, from->error);
            return;
        }
        sink->held += part;
        sink->size += part;
        offset += part;
        left -= part;
    }
    if (offset < end)
        pc_sink_put(sink, from->buffer + (size_t)(offset - written), (size_t)(end - offset));
}

/* --- the end --- */

static int sync_to_disk(int fd)
{
    while (fsync(fd) != 0) {
        if (errno != EINTR)
            return errno;
    }
    return 0;
}

/* Flushes the file. Some systems report failed writes when a file is closed; closing a second descriptor asks
 * them, and the first keeps the inode from being given to another file before the rename. */
static int store(struct pc_sink *sink)
{
    int error = sync_to_disk(sink->fd);
    if (error != 0)
        return error;
    int copy = fcntl(sink->fd, F_DUPFD_CLOEXEC, 0);
    return copy < 0 || close(copy) != 0 ? errno : 0;
}

static void remove_target(struct pc_sink *sink)
{
    if (pc_temporary_is_ours(sink->folder, sink->target, sink->device, sink->inode) == 0)
        unlinkat(sink->folder, sink->target, 0);
}

/* Gives the file the name of the target unless that is taken. */
static int rename_new(struct pc_sink *sink)
{
    int folder = sink->folder;
    if (renameat2(folder, sink->temporary, folder, sink->target, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != ENOSYS && errno != EINVAL && errno != EOPNOTSUPP)
        return errno;
    /* The kernel or the file system cannot; a link takes no name that is taken either. */
    if (linkat(folder, sink->temporary, folder, sink->target, 0) != 0)
        return errno;
    if (unlinkat(folder, sink->temporary, 0) == 0)
        return 0;
    int error = errno;
    remove_target(sink);
    return error;
}

static int rename_over(struct pc_sink *sink, bool *is_there)
{
    int error = may_appear(sink, is_there); /* rename would take the place of a device too */
    if (error == 0 && renameat(sink->folder, sink->temporary, sink->folder, sink->target) != 0)
        error = errno;
    return error;
}

static int appear(struct pc_sink *sink)
{
    bool was_there = false;
    int error = pc_temporary_is_ours(sink->folder, sink->temporary, sink->device, sink->inode);
    if (error == 0)
        error = sink->replace ? rename_over(sink, &was_there) : rename_new(sink);
    if (error != 0)
        return error;
    error = sync_to_disk(sink->folder);
    if (error == EINVAL) /* a file system whose folders need no flush, or have none */
        error = 0;
    if (error != 0 && !was_there)
        remove_target(sink);
    return error;
}

int pc_sink_commit(struct pc_sink *sink)
{
    if (sink->error == 0 && (!sink->buffer || sink->scratch))
        sink->error = sink->scratch ? EINVAL : EBADF;
    if (pc_sink_flush(sink) == 0 && !sink->stream) {
        sink->error = store(sink);
        if (sink->error == 0)
            sink->error = appear(sink);
    }
    pc_sink_discard(sink);
    return sink->error;
}

void pc_sink_discard(struct pc_sink *sink)
{
    if (!sink->buffer)
        return;
    if (sink->slot)
        pc_temporary_remove(sink->slot);
    release(sink);
}

/* SPDX-License-Identifier: MIT */
#include "fuzz/calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static struct {
    _Atomic bool on;
    bool old, terminal;
    enum calls_how how;
    unsigned long wanted;
    atomic_ulong calls;
    long ticks;
} state;

void calls_begin(enum calls_how how, unsigned long nr, bool old)
{
    state.how = how;
    state.wanted = nr;
    state.old = old;
    state.calls = 0;
    state.on = true;
}

void calls_terminal(void)
{
    state.terminal = true;
    state.ticks = 0;
}

unsigned long calls_end(void)
{
    state.on = state.terminal = state.old = false;
    return state.calls;
}

/* For a breakpoint: called before the claim that fails. */
__attribute__((noinline)) static void went_wrong(void)
{
    __asm__ volatile("");
}
static bool is_next(void)
{
    bool next = state.on && atomic_fetch_add(&state.calls, 1) + 1 == state.wanted;
    if (next)
        went_wrong();
    return next;
}

/* Whether this call fails; errno is set. */
static bool fails(int error)
{
    if (!state.on || state.how != CALLS_FAIL || !is_next())
        return false;
    errno = error;
    return true;
}

/* The same for a call that is tried again after an interrupt. */
static bool stops(int error)
{
    if (state.how == CALLS_INTERRUPT && state.on && is_next()) {
        errno = EINTR;
        return true;
    }
    return fails(error);
}

/* How many of n bytes are moved; -1: it fails. */
static ssize_t moves(size_t n, int error)
{
    if (stops(error))
        return -1;
    if (state.on && n > 1 && (state.how == CALLS_SHORT || state.how == CALLS_NOTHING) && is_next())
        return state.how == CALLS_SHORT;
    return (ssize_t)n;
}

static bool is_unknown(int error)
{
    if (!state.on || !state.old)
        return false;
    errno = error;
    return true;
}

/* The linker calls __wrap_NAME where NAME is called, and NAME where __real_NAME is. */
#define WRAP(type, name, parameters)                                                                         \
    type __real_##name parameters;                                                                           \
    type __wrap_##name parameters;                                                                           \
    type __wrap_##name parameters

#define WRAP_FAILING(type, name, parameters, arguments, bad, error)                                          \
    WRAP(type, name, parameters)                                                                             \
    {                                                                                                        \
        return fails(error) ? (bad) : __real_##name arguments;                                               \
    }

WRAP_FAILING(void *, malloc, (size_t n), (n), NULL, ENOMEM)
WRAP_FAILING(void *, calloc, (size_t nr, size_t n), (nr, n), NULL, ENOMEM)
WRAP_FAILING(int, fstat64, (int fd, struct stat *st), (fd, st), -1, EIO)
WRAP_FAILING(int, stat64, (const char *path, struct stat *st), (path, st), -1, EACCES)
WRAP_FAILING(int, fstatat64, (int fd, const char *name, struct stat *st, int flags), (fd, name, st, flags),
             -1, EACCES)
WRAP_FAILING(int, mkdirat, (int fd, const char *name, mode_t mode), (fd, name, mode), -1, EDQUOT)
WRAP_FAILING(int, renameat, (int from, const char *a, int to, const char *b), (from, a, to, b), -1, EACCES)
WRAP_FAILING(int, linkat, (int from, const char *a, int to, const char *b, int flags),
             (from, a, to, b, flags), -1, EPERM)
WRAP_FAILING(DIR *, fdopendir, (int fd), (fd), NULL, ENOMEM)
WRAP_FAILING(struct dirent *, readdir64, (DIR * stream), (stream), NULL, EIO)
WRAP_FAILING(ssize_t, getrandom, (void *to, size_t n, unsigned flags), (to, n, flags), -1, ENOSYS)
WRAP_FAILING(int, pthread_mutex_init, (pthread_mutex_t * lock, const pthread_mutexattr_t *how), (lock, how),
             ENOMEM, ENOMEM)
WRAP_FAILING(int, pthread_cond_init, (pthread_cond_t * cond, const pthread_condattr_t *how), (cond, how),
             ENOMEM, ENOMEM)
WRAP_FAILING(int, pthread_create,
             (pthread_t * thread, const pthread_attr_t *how, void *(*run)(void *), void *ctx),
             (thread, how, run, ctx), EAGAIN, EAGAIN)

WRAP(int, open64, (const char *path, int flags, ...))
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if ((flags & O_TMPFILE) == O_TMPFILE && is_unknown(EOPNOTSUPP))
        return -1;
    return fails(EMFILE) ? -1 : __real_open64(path, flags, mode);
}

WRAP(int, openat64, (int fd, const char *path, int flags, ...))
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if ((flags & O_TMPFILE) == O_TMPFILE && is_unknown(EOPNOTSUPP))
        return -1;
    return fails(EMFILE) ? -1 : __real_openat64(fd, path, flags, mode);
}

/* src calls it with numbers only. */
WRAP(int, fcntl64, (int fd, int what, ...))
{
    va_list rest;
    va_start(rest, what);
    int value = va_arg(rest, int);
    va_end(rest);
    return what == F_DUPFD_CLOEXEC && fails(EMFILE) ? -1 : __real_fcntl64(fd, what, value);
}

/* It does not fail for a regular file. */
WRAP(off_t, lseek64, (int fd, off_t at, int whence))
{
    if ((whence == SEEK_DATA || whence == SEEK_HOLE) && is_unknown(EINVAL))
        return -1;
    return __real_lseek64(fd, at, whence);
}

WRAP(int, fsync, (int fd))
{
    return stops(EIO) ? -1 : __real_fsync(fd);
}

WRAP(int, ftruncate64, (int fd, off_t size))
{
    return stops(EFBIG) ? -1 : __real_ftruncate64(fd, size);
}

WRAP(int, renameat2, (int from, const char *a, int to, const char *b, unsigned flags))
{
    return is_unknown(ENOSYS) || fails(EACCES) ? -1 : __real_renameat2(from, a, to, b, flags);
}

/* ENOTSUPP of the kernel, which some file systems return. The C library has no text for it. */
#define KERNEL_ENOTSUPP 524

/* A stream ends with 0 bytes. */
WRAP(ssize_t, read, (int fd, void *to, size_t n))
{
    ssize_t part = state.how == CALLS_NOTHING ? (ssize_t)n : moves(n, KERNEL_ENOTSUPP);
    return part < 0 || (part == 0 && n != 0) ? part : __real_read(fd, to, (size_t)part);
}

WRAP(ssize_t, pread64, (int fd, void *to, size_t n, off_t at))
{
    ssize_t part = moves(n, KERNEL_ENOTSUPP);
    return part < 0 || (part == 0 && n != 0) ? part : __real_pread64(fd, to, (size_t)part, at);
}

WRAP(ssize_t, write, (int fd, const void *from, size_t n))
{
    ssize_t part = moves(n, ENOSPC);
    return part < 0 || (part == 0 && n != 0) ? part : __real_write(fd, from, (size_t)part);
}

WRAP(ssize_t, pwrite64, (int fd, const void *from, size_t n, off_t at))
{
    ssize_t part = moves(n, KERNEL_ENOTSUPP);
    return part < 0 || (part == 0 && n != 0) ? part : __real_pwrite64(fd, from, (size_t)part, at);
}

WRAP(ssize_t, copy_file_range, (int from, off_t *in, int to, off_t *out, size_t n, unsigned flags))
{
    ssize_t part = is_unknown(ENOSYS) ? -1 : moves(n, EXDEV);
    return part < 0 || (part == 0 && n != 0) ? part
                                             : __real_copy_file_range(from, in, to, out, (size_t)part, flags);
}

WRAP(int, isatty, (int fd))
{
    return state.terminal ? fd == STDERR_FILENO : __real_isatty(fd);
}

WRAP(int, clock_gettime, (clockid_t clock, struct timespec *now))
{
    if (!state.terminal)
        return __real_clock_gettime(clock, now);
    *now = (struct timespec){ .tv_sec = state.ticks / 2, .tv_nsec = state.ticks % 2 * 500000000 };
    state.ticks++;
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * System calls for tests of sinks, and a folder for each test.
 */
#include "sink_bench.h"

#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/syscall.h>

struct system sys;

static bool hit(enum calls call, bool can_wait)
{
    if (can_wait && sys.interruptions > 0) {
        sys.interruptions--;
        errno = EINTR;
        return true;
    }
    if (sys.every & BIT(call)) {
        errno = sys.error;
        return true;
    }
    if (!(sys.watched & BIT(call)) || ++sys.count != sys.hit)
        return false;
    if (sys.before)
        kill(getpid(), sys.before);
    errno = sys.error;
    return sys.error != 0;
}

static void after_call(enum calls call)
{
    int before = errno;
    if ((sys.watched & BIT(call)) && sys.count == sys.hit && sys.after)
        kill(getpid(), sys.after);
    errno = before;
}

#define CALL(type, call, can_wait, ...)                                                                      \
    do {                                                                                                     \
        if (hit(call, can_wait))                                                                             \
            return -1;                                                                                       \
        type result = (type)syscall(__VA_ARGS__);                                                            \
        after_call(call);                                                                                    \
        return result;                                                                                       \
    } while (0)

int openat(int dir, const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list args;
        va_start(args, flags);
        sys.asked = mode = va_arg(args, mode_t);
        va_end(args);
    }
    if (sys.old_kernel && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EISDIR;
        return -1;
    }
    CALL(int, CALL_OPEN, flags &O_CREAT, SYS_openat, dir, path, flags, mode);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
    if (sys.takes_nothing)
        return 0;
    CALL(ssize_t, CALL_WRITE, true, SYS_pwrite64, fd, bytes, n, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*work)(void *), void *ctx)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    void *symbol = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&real, &symbol, sizeof(real));
    sys.threads++;
    return sys.no_threads ? EAGAIN : real(thread, attr, work, ctx);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    if (sys.takes_nothing)
        return 0;
    CALL(ssize_t, CALL_WRITE, true, SYS_write, fd, bytes, n);
}

ssize_t pread(int fd, void *bytes, size_t n, off_t offset)
{
    CALL(ssize_t, CALL_READ, true, SYS_pread64, fd, bytes, n, offset);
}

int fsync(int fd)
{
    CALL(int, CALL_FSYNC, true, SYS_fsync, fd);
}

int ftruncate(int fd, off_t length)
{
    CALL(int, CALL_TRUNCATE, true, SYS_ftruncate, fd, length);
}

int flock(int fd, int how)
{
    char link[64], path[256];
    if (sys.taken > 0) {
        sys.taken--;
        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        ssize_t n = readlink(link, path, sizeof(path) - 1);
        assert_true(n > 0);
        path[n] = 0;
        assert_int_equal(remove(path), 0);
        errno = EWOULDBLOCK;
        return -1;
    }
    return (int)syscall(SYS_flock, fd, how);
}

static void make_strange_file(int dir)
{
    if (sys.appears) {
        int fd = (int)syscall(SYS_openat, dir, sys.appears, O_WRONLY | O_CREAT, 0600);
        assert_int_equal(write(fd, "theirs", 6), 6);
        syscall(SYS_close, fd);
    }
}

int renameat(int from, const char *old, int to, const char *new)
{
    make_strange_file(to);
    CALL(int, CALL_RENAME, false, SYS_renameat2, from, old, to, new, 0);
}

int renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
    make_strange_file(to);
    if (sys.old_kernel) {
        errno = sys.old_error;
        return -1;
    }
    CALL(int, CALL_RENAME, false, SYS_renameat2, from, old, to, new, flags);
}

int linkat(int from, const char *old, int to, const char *new, int flags)
{
    CALL(int, CALL_LINK, false, SYS_linkat, from, old, to, new, flags);
}

int unlinkat(int dir, const char *path, int flags)
{
    CALL(int, CALL_UNLINK, false, SYS_unlinkat, dir, path, flags);
}

int close(int fd)
{
    bool fails = hit(CALL_CLOSE, false);
    int error = errno, result = (int)syscall(SYS_close, fd); /* is closed even when it says that it failed */
    after_call(CALL_CLOSE);
    if (fails)
        errno = error;
    return fails ? -1 : result;
}

ssize_t getrandom(void *to, size_t n, unsigned flags)
{
    if (sys.guessed > 0) {
        sys.guessed--;
        memset(to, 0, n);
        return (ssize_t)n;
    }
    CALL(ssize_t, CALL_RANDOM, false, SYS_getrandom, to, n, flags);
}

int fstatat(int dir, const char *path, struct stat *st, int flags)
{
    /* The library has no second name for it, and each machine its own call. */
    if (hit(CALL_STAT, false))
        return -1;
    struct statx x;
    if (syscall(SYS_statx, dir, path, flags, STATX_BASIC_STATS, &x) != 0) {
        after_call(CALL_STAT);
        return -1;
    }
    *st = (struct stat){ .st_dev = (dev_t)x.stx_dev_major << 32 | x.stx_dev_minor,
                         .st_ino = x.stx_ino,
                         .st_mode = x.stx_mode,
                         .st_nlink = x.stx_nlink,
                         .st_uid = x.stx_uid,
                         .st_gid = x.stx_gid,
                         .st_size = (off_t)x.stx_size };
    after_call(CALL_STAT);
    return 0;
}

int fstat(int fd, struct stat *st)
{
    return fstatat(fd, "", st, AT_EMPTY_PATH);
}

/* --- a folder for each test --- */

char folder[64];
struct pc_mem mem;

int enter_folder(void **state)
{
    (void)state;
    memset(&sys, 0, sizeof(sys));
    pc_mem_init(&mem, (uint64_t)64 << 20);
    umask(022);
    strcpy(folder, "/tmp/test_sink-XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

int leave_folder(void **state)
{
    (void)state;
    memset(&sys, 0, sizeof(sys));
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return chdir("/") == 0 && system(command) == 0 && mem.used == 0 ? 0 : -1;
}

unsigned entries_of(const char *path)
{
    DIR *dir = opendir(path);
    unsigned n = 0;
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 2; /* . and .. */
}

unsigned open_descriptors(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

void make_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

bool file_is(const char *path, const void *bytes, size_t n)
{
    struct stat st;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &st) != 0 || (size_t)st.st_size != n) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    unsigned char *got = malloc(n + 1);
    bool same = got && syscall(SYS_pread64, fd, got, n, 0) == (long)n && memcmp(got, bytes, n) == 0;
    free(got);
    close(fd);
    return same;
}

mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW), 0);
    return st.st_mode & 07777;
}

void put_text(struct pc_sink *sink, const char *text)
{
    pc_sink_put(sink, text, strlen(text));
}

int write_whole(const char *path, bool replace, mode_t mode, const char *text)
{
    struct pc_sink sink;
    if (pc_sink_create(&sink, &mem, path, replace, mode, NULL) == 0)
        put_text(&sink, text);
    int error = sink.error;
    int said = pc_sink_commit(&sink);
    assert_true(error == 0 || said == error);
    assert_null(sink.buffer);
    return said;
}

unsigned char pattern[MODEL], model[2 * MODEL], back[2 * MODEL];

void fill_pattern(void)
{
    uint32_t x = 1;
    for (size_t i = 0; i < sizeof(pattern); i++) {
        x = x * 1664525 + 1013904223;
        pattern[i] = (unsigned char)(x >> 24);
    }
}

/* --- a program that does everything --- */

int everything(bool replace, bool large, uint64_t fail_at, size_t at_most)
{
    struct pc_sink sink, scratch;
    size_t size = large ? PC_SINK_BUFFER + 4000 : 100;
    int error = pc_sink_create(&sink, &mem, "out", replace, 0600, NULL);
    if (error != 0) {
        pc_sink_discard(&sink);
        return error;
    }
    sink.fail_at = fail_at;
    sink.at_most = at_most;
    if (pc_sink_scratch(&scratch, &mem, &sink) != 0) {
        error = scratch.error;
        pc_sink_discard(&sink);
        pc_sink_discard(&scratch);
        return error;
    }
    pc_sink_put(&scratch, pattern, size);
    pc_sink_put(&sink, pattern, 200);
    pc_sink_flush(&sink);
    pc_sink_move(&sink, 100, 110);
    if (pc_sink_get(&scratch, 0, back, size))
        pc_sink_put(&sink, back, size);
    else
        sink.error = sink.error ? sink.error : scratch.error;
    pc_sink_put_at(&sink, 50, "fifty", 5);
    pc_sink_put(&sink, pattern, 20);
    pc_sink_move(&sink, 20, 10);
    pc_sink_discard(&scratch);
    return pc_sink_commit(&sink);
}

size_t expect_everything(bool large)
{
    size_t size = large ? PC_SINK_BUFFER + 4000 : 100;
    memcpy(model, pattern, 200);
    memmove(model + 110, model + 100, 100);
    memcpy(model + 210, pattern, size);
    memcpy(model + 50, "fifty", 5);
    memcpy(model + 210 + size, pattern, 20);
    memmove(model + 10, model + 20, 210 + size);
    return 220 + size;
}

bool is_new(bool had_old, size_t size)
{
    bool there = access("out", F_OK) == 0, whole = there && file_is("out", model, size);
    assert_int_equal(entries_of("."), there);
    if (!whole && had_old)
        assert_true(HAS("out", "old"));
    else if (!whole)
        assert_false(there);
    return whole;
}

void begin(bool had_old)
{
    unlink("out");
    if (had_old)
        make_file("out", "old");
}

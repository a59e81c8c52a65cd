/* SPDX-License-Identifier: MIT
 *
 * The functions of the system that sink.c calls are defined here once more, in front of those of the library:
 * each call can be made to fail, to be refused as an old kernel refuses it, or to be the moment of a signal.
 */
#include "bytes/sink.h"
#include "cli/signals.h"
#include "pc_test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

/* --- the system --- */

enum calls {
    CALL_OPEN,
    CALL_STAT,
    CALL_WRITE,
    CALL_READ,
    CALL_FSYNC,
    CALL_TRUNCATE,
    CALL_RENAME,
    CALL_LINK,
    CALL_UNLINK,
    CALL_CLOSE,
    CALL_RANDOM
};
#define BIT(call) (1U << (call))

static struct {
    unsigned watched; /* which calls count; 0: none */
    unsigned count;
    unsigned hit;        /* which of them is hit, from 1; 0: none */
    unsigned every;      /* which calls fail each time */
    int error;           /* ... with this; 0: they are not hit by an error but by: */
    int before, after;   /* signals */
    bool old_kernel;     /* no renameat2 with flags, no O_TMPFILE */
    int old_error;       /* what it says then */
    int interruptions;   /* this many calls end with EINTR first */
    mode_t asked;        /* mode of the last file made */
    int guessed;         /* this many random numbers are zeros first */
    bool no_threads;     /* none can be made */
    int threads;         /* that were asked for */
    bool takes_nothing;  /* a write is neither done nor an error */
    const char *appears; /* a file that somebody makes just before the rename */
} sys;

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

static void behind(enum calls call)
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
        behind(call);                                                                                        \
        return result;                                                                                       \
    } while (0)

int openat(int folder, const char *path, int flags, ...)
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
    CALL(int, CALL_OPEN, flags &O_CREAT, SYS_openat, folder, path, flags, mode);
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

static void somebody_comes(int folder)
{
    if (sys.appears) {
        int fd = (int)syscall(SYS_openat, folder, sys.appears, O_WRONLY | O_CREAT, 0600);
        assert_int_equal(write(fd, "theirs", 6), 6);
        syscall(SYS_close, fd);
    }
}

int renameat(int from, const char *old, int to, const char *new)
{
    somebody_comes(to);
    CALL(int, CALL_RENAME, false, SYS_renameat2, from, old, to, new, 0);
}

int renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
    somebody_comes(to);
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

int unlinkat(int folder, const char *path, int flags)
{
    CALL(int, CALL_UNLINK, false, SYS_unlinkat, folder, path, flags);
}

int close(int fd)
{
    bool fails = hit(CALL_CLOSE, false);
    int error = errno, result = (int)syscall(SYS_close, fd); /* is closed even when it says that it failed */
    behind(CALL_CLOSE);
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

int fstatat(int folder, const char *path, struct stat *st, int flags)
{
    /* The library has no second name for it, and each machine its own call. */
    if (hit(CALL_STAT, false))
        return -1;
    struct statx x;
    if (syscall(SYS_statx, folder, path, flags, STATX_BASIC_STATS, &x) != 0) {
        behind(CALL_STAT);
        return -1;
    }
    *st = (struct stat){ .st_dev = (dev_t)x.stx_dev_major << 32 | x.stx_dev_minor,
                         .st_ino = x.stx_ino,
                         .st_mode = x.stx_mode,
                         .st_nlink = x.stx_nlink,
                         .st_size = (off_t)x.stx_size };
    behind(CALL_STAT);
    return 0;
}

int fstat(int fd, struct stat *st)
{
    return fstatat(fd, "", st, AT_EMPTY_PATH);
}

/* --- a folder for each test --- */

static char folder[64];
static struct pc_mem mem;

static int enter_folder(void **state)
{
    (void)state;
    memset(&sys, 0, sizeof(sys));
    pc_mem_init(&mem, (uint64_t)64 << 20);
    umask(022);
    strcpy(folder, "/tmp/test_sink-XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    memset(&sys, 0, sizeof(sys));
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return chdir("/") == 0 && system(command) == 0 && mem.used == 0 ? 0 : -1;
}

static unsigned entries_of(const char *path)
{
    DIR *dir = opendir(path);
    unsigned n = 0;
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 2; /* . and .. */
}

static unsigned open_descriptors(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void make_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

static bool file_is(const char *path, const void *bytes, size_t n)
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

#define HAS(path, text) file_is(path, text, strlen(text))

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW), 0);
    return st.st_mode & 07777;
}

static void put_text(struct pc_sink *sink, const char *text)
{
    pc_sink_put(sink, text, strlen(text));
}

/* Creates, writes and commits; what was the matter. */
static int write_whole(const char *path, bool replace, mode_t mode, const char *text)
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

/* Bytes that differ from place to place, and a plain copy of what a sink should hold. */
#define MODEL (3 * PC_SINK_BUFFER)
static unsigned char pattern[MODEL], model[2 * MODEL], back[2 * MODEL];

static void fill_pattern(void)
{
    uint32_t x = 1;
    for (size_t i = 0; i < sizeof(pattern); i++) {
        x = x * 1664525 + 1013904223;
        pattern[i] = (unsigned char)(x >> 24);
    }
}

/* --- the target --- */

static void a_target_appears_whole_at_the_commit(void **state)
{
    (void)state;
    struct pc_sink sink;
    unsigned before = open_descriptors();
    assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0644, NULL), 0);
    put_text(&sink, "hello ");
    assert_int_equal(pc_sink_flush(&sink), 0);
    assert_int_not_equal(access("out", F_OK), 0);
    assert_int_equal(entries_of("."), 1);
    assert_int_equal(strncmp(sink.target.temporary, ".out.perfcheck-", 15), 0);
    assert_int_equal(strlen(sink.target.temporary), 21);
    assert_true(file_is(sink.target.temporary, "hello ", 6));
    assert_int_equal(fcntl(sink.target.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(fcntl(sink.target.folder, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    put_text(&sink, "world");
    assert_int_equal(sink.size, 11);
    assert_int_equal(pc_sink_commit(&sink), 0);
    assert_true(HAS("out", "hello world"));
    assert_int_equal(entries_of("."), 1);
    assert_int_equal(open_descriptors(), before);
    assert_int_equal(mem.used, 0);
    pc_sink_discard(&sink);
    assert_true(HAS("out", "hello world"));
    put_text(&sink, "more");
    assert_int_not_equal(pc_sink_commit(&sink), 0);
    assert_true(HAS("out", "hello world"));
}

static void a_discarded_target_never_was(void **state)
{
    (void)state;
    struct pc_sink sink;
    unsigned before = open_descriptors();
    assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0644, NULL), 0);
    pc_sink_put(&sink, pattern, sizeof(pattern));
    pc_sink_discard(&sink);
    pc_sink_discard(&sink);
    assert_int_equal(sink.error, 0);
    assert_int_not_equal(pc_sink_commit(&sink), 0);
    assert_int_equal(entries_of("."), 0);
    assert_int_equal(open_descriptors(), before);
    assert_int_equal(mem.used, 0);
}

static void a_target_lies_where_its_path_says(void **state)
{
    (void)state;
    char whole[128];
    assert_int_equal(mkdir("sub", 0700), 0);
    assert_int_equal(symlink("sub", "link"), 0);
    assert_int_equal(write_whole("sub/one", false, 0600, "1"), 0);
    assert_int_equal(write_whole("link/two", false, 0600, "2"), 0); /* a folder may be a link */
    assert_int_equal(write_whole("sub//three", false, 0600, "3"), 0);
    snprintf(whole, sizeof(whole), "%s/sub/../four", folder);
    assert_int_equal(write_whole(whole, false, 0600, "4"), 0);
    assert_true(HAS("sub/one", "1") && HAS("sub/two", "2") && HAS("sub/three", "3") && HAS("four", "4"));
    assert_int_equal(entries_of("sub"), 3);
}

static void a_path_that_names_no_file_is_an_error(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int error;
    } bad[] = {
        { "", ENOENT },     { "/", EISDIR },       { "sub/", EISDIR },  { "new/", EISDIR },
        { ".", EISDIR },    { "..", EISDIR },      { "sub/.", EISDIR }, { "sub/..", EISDIR },
        { "no/x", ENOENT }, { "file/x", ENOTDIR }, { "sub", EEXIST },   { "loop/x", ELOOP },
        { "/tmp", EEXIST }, { "sock/x", ENOTDIR },
    };
    assert_int_equal(mkdir("sub", 0700), 0);
    assert_int_equal(symlink("loop", "loop"), 0);
    make_file("file", "x");
    assert_int_equal(mknod("sock", S_IFSOCK | 0600, 0), 0); /* is not even opened */
    unsigned before = open_descriptors();
    for (size_t i = 0; i < PC_COUNT_OF(bad); i++) {
        struct pc_sink sink;
        assert_int_equal(pc_sink_create(&sink, &mem, bad[i].path, false, 0600, NULL), bad[i].error);
        assert_int_equal(sink.error, bad[i].error);
        put_text(&sink, "nothing");
        assert_int_equal(pc_sink_commit(&sink), bad[i].error);
        pc_sink_discard(&sink);
    }
    static char far[5000];
    memset(far, 'x', 4990);
    for (size_t i = 99; i < 4990; i += 100)
        far[i] = '/';
    assert_int_equal(write_whole(far, false, 0600, "x"), ENAMETOOLONG);
    assert_int_equal(open_descriptors(), before);
    assert_int_equal(entries_of("."), 4);
    assert_int_equal(entries_of("sub"), 0);
}

static void a_long_name_has_a_short_temporary_one(void **state)
{
    (void)state;
    char name[300];
    struct pc_sink sink;
    memset(name, 'n', sizeof(name));
    name[256] = '\0';
    assert_int_equal(write_whole(name, false, 0600, "x"), ENAMETOOLONG);
    name[255] = '\0';
    assert_int_equal(write_whole(name, false, 0600, "long"), 0);
    assert_true(HAS(name, "long"));
    assert_int_equal(entries_of("."), 1);
    /* 63 letters and then characters of three bytes: the cut is after the 63. */
    for (size_t i = 63; i + 3 < 255; i += 3)
        memcpy(name + i, "\xe2\x82\xac", 4);
    assert_int_equal(pc_sink_create(&sink, &mem, name, false, 0600, NULL), 0);
    assert_int_equal(strncmp(sink.target.temporary + 1 + 63, ".perfcheck-", 11), 0);
    assert_int_equal(pc_sink_commit(&sink), 0);
    assert_int_equal(access(name, F_OK), 0);
    assert_int_equal(entries_of("."), 2);
}

static void permission_bits_are_at_most_those_asked_for(void **state)
{
    (void)state;
    static const struct {
        mode_t mask, mode, got;
    } bits[] = {
        { 022, 0644, 0644 }, { 022, 0666, 0644 },    { 027, 0666, 0640 }, { 0, 0666, 0666 },
        { 077, 0755, 0700 }, { 022, 0400, 0400 },    { 0, 07777, 0777 },  { 0, 0, 0 },
        { 0777, 0600, 0 },   { 022, 0100600, 0600 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(bits); i++) {
        struct pc_sink sink;
        umask(bits[i].mask);
        assert_int_equal(pc_sink_create(&sink, &mem, "out", true, bits[i].mode, NULL), 0);
        assert_int_equal(mode_of(sink.target.temporary), bits[i].got);
        assert_int_equal(sys.asked & ~(bits[i].mode & 0777), 0);
        pc_sink_put(&sink, pattern, PC_SINK_BUFFER + 1); /* also where it may not be opened for writing */
        assert_int_equal(mode_of(sink.target.temporary), bits[i].got);
        unsigned char byte;
        assert_true(pc_sink_get(&sink, 5, &byte, 1));
        assert_int_equal(byte, pattern[5]);
        assert_int_equal(pc_sink_commit(&sink), 0);
        assert_int_equal(mode_of("out"), bits[i].got);
    }
}

/* --- what is there already --- */

static void an_existing_target_is_kept(void **state)
{
    (void)state;
    make_file("out", "old");
    make_file("other", "other");
    assert_int_equal(symlink("other", "link"), 0);
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(mkdir("sub", 0700), 0);
    static const char *const names[] = { "out", "link", "dangling", "fifo", "sub", "/dev/null" };
    for (size_t i = 0; i < PC_COUNT_OF(names); i++)
        assert_int_equal(write_whole(names[i], false, 0600, "new"), EEXIST);
    assert_true(HAS("out", "old") && HAS("other", "other"));
    assert_int_equal(access("nowhere", F_OK), -1);
    assert_int_equal(entries_of("."), 6);
}

static void with_replace_a_file_or_a_link_itself_is_replaced(void **state)
{
    (void)state;
    struct stat st;
    make_file("out", "old and longer");
    make_file("other", "other");
    assert_int_equal(link("out", "second"), 0);
    assert_int_equal(symlink("other", "link"), 0);
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    static const char *const names[] = { "out", "link", "dangling", "fresh" };
    for (size_t i = 0; i < PC_COUNT_OF(names); i++) {
        assert_int_equal(write_whole(names[i], true, 0600, "new"), 0);
        assert_true(HAS(names[i], "new"));
        assert_int_equal(lstat(names[i], &st), 0);
        assert_true(S_ISREG(st.st_mode));
    }
    assert_true(HAS("other", "other") && HAS("second", "old and longer"));
    assert_int_equal(access("nowhere", F_OK), -1);
    assert_int_equal(entries_of("."), 6);
}

static void with_replace_nothing_else_is(void **state)
{
    (void)state;
    struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "socket" };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(mkdir("sub", 0700), 0);
    static const char *const names[] = { "socket", "fifo", "sub", "/dev/null", "/dev/zero" };
    for (size_t i = 0; i < PC_COUNT_OF(names); i++)
        assert_int_equal(write_whole(names[i], true, 0600, "new"), EINVAL);
    assert_int_equal(entries_of("."), 3);
    struct stat st;
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(lstat("fifo", &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
}

/* A target that comes between create and commit. */
static void what_comes_meanwhile_is_left_alone(void **state)
{
    (void)state;
    static const int refusals[] = { 0, ENOSYS, EINVAL, EOPNOTSUPP };
    struct pc_sink sink;
    for (size_t i = 0; i < PC_COUNT_OF(refusals); i++) {
        sys.old_kernel = refusals[i] != 0;
        sys.old_error = refusals[i];
        assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
        put_text(&sink, "ours");
        sys.appears = "out"; /* at the last moment */
        assert_int_equal(pc_sink_commit(&sink), EEXIST);
        sys.appears = NULL;
        assert_true(HAS("out", "theirs"));
        assert_int_equal(entries_of("."), 1);
        assert_int_equal(unlink("out"), 0);

        assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
        assert_int_equal(symlink("nowhere", "out"), 0);
        assert_int_equal(pc_sink_commit(&sink), EEXIST);
        assert_int_equal(entries_of("."), 1);
        assert_int_equal(unlink("out"), 0);

        assert_int_equal(write_whole("out", false, 0600, "alone"), 0); /* and without it, it works */
        assert_true(HAS("out", "alone"));
        assert_int_equal(entries_of("."), 1);
        assert_int_equal(unlink("out"), 0);
    }
    sys.old_kernel = false;
    /* With replace: another file is replaced, anything else is not. */
    assert_int_equal(pc_sink_create(&sink, &mem, "out", true, 0600, NULL), 0);
    put_text(&sink, "ours");
    make_file("out", "theirs");
    assert_int_equal(pc_sink_commit(&sink), 0);
    assert_true(HAS("out", "ours"));
    assert_int_equal(pc_sink_create(&sink, &mem, "out", true, 0600, NULL), 0);
    assert_int_equal(unlink("out"), 0);
    assert_int_equal(mkfifo("out", 0600), 0);
    assert_int_equal(pc_sink_commit(&sink), EINVAL);
    assert_int_equal(entries_of("."), 1);
}

static void a_strangers_file_is_never_removed_or_renamed(void **state)
{
    (void)state;
    char name[256];
    struct pc_sink sink;
    for (int way = 0; way < 3; way++) {
        assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
        put_text(&sink, "ours");
        assert_int_equal(pc_sink_flush(&sink), 0);
        strcpy(name, sink.target.temporary);
        assert_int_equal(unlink(name), 0);
        make_file(name, "theirs");
        if (way == 0)
            assert_int_equal(pc_sink_commit(&sink), ESTALE);
        if (way == 1)
            pc_temporary_remove_all();
        pc_sink_discard(&sink);
        assert_true(HAS(name, "theirs"));
        assert_int_equal(entries_of("."), 1);
        assert_int_equal(unlink(name), 0);
    }
    assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
    assert_int_equal(unlink(sink.target.temporary), 0);
    assert_int_equal(pc_sink_commit(&sink), ENOENT);
    assert_int_equal(entries_of("."), 0);
    /* A link to the file is not the file. */
    assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
    assert_int_equal(rename(sink.target.temporary, "aside"), 0);
    assert_int_equal(symlink("aside", sink.target.temporary), 0);
    assert_int_equal(pc_sink_commit(&sink), ESTALE);
    assert_int_equal(entries_of("."), 2);
}

/* Somebody guessed the temporary name and put a file, or a link, there. */
static void a_name_that_was_guessed_is_not_used(void **state)
{
    (void)state;
    make_file("victim", "theirs");
    for (int way = 0; way < 3; way++) {
        if (way == 0)
            make_file(".out.perfcheck-aaaaaa", "trap");
        else
            assert_int_equal(symlink(way == 1 ? "victim" : "nowhere", ".out.perfcheck-aaaaaa"), 0);
        sys.guessed = 2;
        assert_int_equal(write_whole("out", true, 0600, "ours"), 0);
        assert_int_equal(sys.guessed, 0);
        assert_true(HAS("out", "ours") && HAS("victim", "theirs"));
        assert_int_equal(entries_of("."), 3);
        assert_int_equal(unlink(".out.perfcheck-aaaaaa"), 0);
    }
}

static void a_folder_may_be_moved_or_vanish(void **state)
{
    (void)state;
    struct pc_sink sink;
    assert_int_equal(mkdir("sub", 0700), 0);
    assert_int_equal(pc_sink_create(&sink, &mem, "sub/out", false, 0600, NULL), 0);
    assert_int_equal(rename("sub", "moved"), 0);
    put_text(&sink, "x");
    assert_int_equal(pc_sink_commit(&sink), 0);
    assert_true(HAS("moved/out", "x"));
    assert_int_equal(unlink("moved/out"), 0);

    assert_int_equal(pc_sink_create(&sink, &mem, "moved/out", false, 0600, NULL), 0);
    assert_int_equal(unlinkat(sink.target.folder, sink.target.temporary, 0), 0);
    assert_int_equal(rmdir("moved"), 0);
    put_text(&sink, "x");
    assert_int_equal(pc_sink_commit(&sink), ENOENT);
    assert_int_equal(entries_of("."), 0);

    assert_int_equal(mkdir("sub", 0700), 0);
    assert_int_equal(pc_sink_create(&sink, &mem, "sub/out", true, 0600, NULL), 0);
    struct pc_sink scratch;
    assert_int_equal(pc_sink_scratch(&scratch, &mem, &sink), 0);
    pc_sink_discard(&sink);
    assert_int_equal(rmdir("sub"), 0);
    int error = pc_sink_flush(&scratch);
    assert_true(error == ENOENT || error == 0); /* tmpfs makes files without a name even there */
    pc_sink_discard(&scratch);
}

static void there_is_a_limit_of_targets_at_once(void **state)
{
    (void)state;
    struct pc_sink sink[PC_TEMPORARIES_MAX + 1];
    char name[16];
    for (unsigned i = 0; i <= PC_TEMPORARIES_MAX; i++) {
        snprintf(name, sizeof(name), "out%u", i);
        assert_int_equal(pc_sink_create(&sink[i], &mem, name, false, 0600, NULL),
                         i < PC_TEMPORARIES_MAX ? 0 : EMFILE);
    }
    assert_int_equal(entries_of("."), PC_TEMPORARIES_MAX);
    pc_sink_discard(&sink[3]);
    assert_int_equal(pc_sink_create(&sink[3], &mem, "again", false, 0600, NULL), 0);
    pc_temporary_remove_all();
    assert_int_equal(entries_of("."), 0);
    for (unsigned i = 0; i < PC_TEMPORARIES_MAX; i++)
        assert_int_equal(pc_sink_commit(&sink[i]), ENOENT);
}

/* --- bytes --- */

static void check_content(struct pc_sink *sink, size_t size)
{
    assert_int_equal(sink->error, 0);
    assert_int_equal(sink->size, size);
    memset(back, 0xee, sizeof(back));
    assert_true(pc_sink_get(sink, 0, back, size));
    assert_memory_equal(back, model, size);
    assert_false(pc_sink_get(sink, size, back, 1));
    assert_false(pc_sink_get(sink, UINT64_MAX, back, 2));
    assert_false(pc_sink_get(sink, 0, back, size + 1));
    assert_true(pc_sink_get(sink, size, back, 0));
    assert_int_equal(sink->error, 0);
}

/* Sizes around those of the buffer, in pieces of all kinds, into targets and scratch files. */
static void what_was_put_comes_back(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0,
                                    1,
                                    PC_SINK_BUFFER - 1,
                                    PC_SINK_BUFFER,
                                    PC_SINK_BUFFER + 1,
                                    2 * PC_SINK_BUFFER,
                                    2 * PC_SINK_BUFFER + 100 };
    static const size_t pieces[] = {
        997, 65536, PC_SINK_BUFFER - 1, PC_SINK_BUFFER, PC_SINK_BUFFER + 7, MODEL
    };
    memcpy(model, pattern, MODEL);
    for (size_t s = 0; s < PC_COUNT_OF(sizes); s++) {
        for (size_t p = 0; p < PC_COUNT_OF(pieces); p++) {
            for (int scratch = 0; scratch < 2; scratch++) {
                struct pc_sink sink;
                assert_int_equal(scratch ? pc_sink_scratch(&sink, &mem, NULL)
                                         : pc_sink_create(&sink, &mem, "out", true, 0600, NULL),
                                 0);
                if (s % 2)
                    sink.at_most = 100003;
                for (size_t at = 0; at < sizes[s]; at += pieces[p])
                    pc_sink_put(&sink, pattern + at, sizes[s] - at < pieces[p] ? sizes[s] - at : pieces[p]);
                check_content(&sink, sizes[s]);
                assert_int_equal(pc_sink_flush(&sink), 0);
                assert_int_equal(sink.held, 0);
                check_content(&sink, sizes[s]);
                assert_int_equal(syscall(SYS_pread64, sink.target.fd, back, sizeof(back), 0), sizes[s]);
                assert_memory_equal(back, pattern, sizes[s]);
                if (scratch) {
                    pc_sink_discard(&sink);
                } else {
                    assert_int_equal(pc_sink_commit(&sink), 0);
                    assert_true(file_is("out", pattern, sizes[s]));
                }
            }
        }
    }
}

static void bytes_can_be_written_over(void **state)
{
    (void)state;
    struct pc_sink sink;
    const size_t size = PC_SINK_BUFFER + 1000;
    assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
    memcpy(model, pattern, size);
    pc_sink_put(&sink, pattern, 1000);
    pc_sink_put(&sink, pattern + 1000, PC_SINK_BUFFER - 1000);
    pc_sink_put(&sink, pattern + PC_SINK_BUFFER, 1000);
    assert_int_equal(sink.held, 1000);
    /* In the file, over both parts, in the buffer, at the end, everything, nothing. */
    static const size_t at[] = { 0, 500, PC_SINK_BUFFER - 10, PC_SINK_BUFFER, PC_SINK_BUFFER + 990, 0, 7 };
    static const size_t len[] = { 1, 100, 20, 1, 10, PC_SINK_BUFFER + 1000, 0 };
    for (size_t i = 0; i < PC_COUNT_OF(at); i++) {
        memcpy(model + at[i], pattern + 12345 * i + 1, len[i]);
        pc_sink_put_at(&sink, at[i], pattern + 12345 * i + 1, len[i]);
        check_content(&sink, size);
    }
    assert_int_equal(pc_sink_commit(&sink), 0);
    assert_true(file_is("out", model, size));
    assert_int_equal(pc_sink_create(&sink, &mem, "out", true, 0600, NULL), 0);
    pc_sink_put(&sink, "abc", 3);
    pc_sink_put_at(&sink, 2, "xy", 2);
    assert_int_equal(pc_sink_commit(&sink), EINVAL);
    assert_int_equal(pc_sink_create(&sink, &mem, "out", true, 0600, NULL), 0);
    pc_sink_put_at(&sink, 1, "", 0);
    assert_int_equal(pc_sink_commit(&sink), EINVAL);
    assert_true(file_is("out", model, size));
}

static void bytes_move_up_and_down(void **state)
{
    (void)state;
    const size_t big = 2 * PC_SINK_BUFFER + 300, buffer = PC_SINK_BUFFER;
    const struct {
        size_t size, from, to;
    } moves[] = {
        { 10, 3, 5 },           { 10, 3, 3 },        { 10, 5, 3 },     { 10, 3, 20 },
        { 10, 10, 15 },         { 10, 10, 4 },       { 10, 0, 1 },     { 0, 0, 5 },
        { 0, 0, big },          { 10, 10, big },     { 10, 0, big },   { buffer, 0, 1 },
        { buffer, 1, 0 },       { big, 0, 1 },       { big, 1, 0 },    { big, 0, buffer + 1 },
        { big, buffer + 1, 0 }, { big, 17, big },    { big, big, 17 }, { big, 100, big + 50 },
        { big, big, big + 9 },  { big, big - 5, 3 }, { big, 104, 96 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(moves); i++) {
        for (int way = 0; way < 4; way++) {
            struct pc_sink sink;
            size_t size = moves[i].size, from = moves[i].from, to = moves[i].to, n = size - from;
            assert_int_equal(way & 1 ? pc_sink_scratch(&sink, &mem, NULL)
                                     : pc_sink_create(&sink, &mem, "out", false, 0600, NULL),
                             0);
            sink.at_most = way & 2 ? 65537 : 0;
            pc_sink_put(&sink, pattern, size);
            memset(model, 0, sizeof(model));
            memcpy(model, pattern, size);
            memcpy(model + to, pattern + from, n);
            memset(model + to + n, 0, sizeof(model) - to - n);
            pc_sink_move(&sink, from, to);
            check_content(&sink, to + n);
            if ((way & 1) && to + n <= PC_SINK_BUFFER && size <= PC_SINK_BUFFER && size + to < PC_SINK_BUFFER)
                assert_int_equal(sink.target.fd, -1);
            pc_sink_put(&sink, "the end", 7);
            memcpy(model + to + n, "the end", 7);
            check_content(&sink, to + n + 7);
            assert_int_equal(pc_sink_flush(&sink), 0);
            struct stat st;
            assert_int_equal(fstat(sink.target.fd, &st), 0);
            assert_int_equal(st.st_size, to + n + 7);
            pc_sink_discard(&sink);
        }
    }
    /* Zeros come where the buffer has leftovers. */
    struct pc_sink sink;
    assert_int_equal(pc_sink_scratch(&sink, &mem, NULL), 0);
    pc_sink_put(&sink, pattern, 1000);
    pc_sink_move(&sink, 500, 0);
    pc_sink_move(&sink, 400, 900);
    memset(model, 0, 1000);
    memcpy(model, pattern + 500, 500);
    memcpy(model + 900, pattern + 900, 100);
    check_content(&sink, 1000);
    pc_sink_discard(&sink);
    assert_int_equal(pc_sink_scratch(&sink, &mem, NULL), 0);
    pc_sink_put(&sink, "abc", 3);
    pc_sink_move(&sink, 4, 0);
    assert_int_equal(sink.error, EINVAL);
    pc_sink_discard(&sink);
    assert_int_equal(pc_sink_scratch(&sink, &mem, NULL), 0);
    pc_sink_put(&sink, "abc", 3);
    pc_sink_move(&sink, 0, UINT64_MAX - 1);
    assert_int_equal(sink.error, EFBIG);
    pc_sink_discard(&sink);
}

/* --- scratch files --- */

static void a_small_scratch_file_is_none(void **state)
{
    (void)state;
    struct pc_sink sink, scratch, second;
    assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
    assert_int_equal(pc_sink_scratch(&scratch, &mem, &sink), 0);
    assert_int_equal(pc_sink_scratch(&second, &mem, &scratch), 0);
    sys.error = EACCES;
    sys.every = BIT(CALL_OPEN) | BIT(CALL_WRITE) | BIT(CALL_READ);
    pc_sink_put(&scratch, pattern, PC_SINK_BUFFER);
    pc_sink_put_at(&scratch, 10, "abc", 3);
    memcpy(model, pattern, PC_SINK_BUFFER);
    memcpy(model + 10, "abc", 3);
    check_content(&scratch, PC_SINK_BUFFER);
    assert_true(pc_sink_get(&scratch, 10, back, 5));
    pc_sink_put(&second, back, 5);
    memcpy(model, model + 10, 5);
    check_content(&second, 5);
    assert_int_equal(scratch.target.fd, -1);
    pc_sink_put(&scratch, "x", 1); /* one byte too many */
    assert_int_equal(scratch.error, EACCES);
    assert_false(pc_sink_get(&scratch, 0, back, 1));
    sys.every = 0;
    pc_sink_put(&second, pattern, PC_SINK_BUFFER);
    assert_true(second.target.fd >= 0);
    memcpy(model + 5, pattern, PC_SINK_BUFFER);
    check_content(&second, PC_SINK_BUFFER + 5);
    assert_int_equal(entries_of("."), 1);
    assert_int_equal(pc_sink_commit(&second), EINVAL);
    pc_sink_discard(&scratch);
    pc_sink_discard(&sink);
    assert_int_equal(entries_of("."), 0);
}

static void a_scratch_file_has_no_name(void **state)
{
    (void)state;
    if (access("/proc/self/fd", F_OK) != 0)
        lacks("no /proc");
    for (int old = 0; old < 2; old++) {
        struct pc_sink sink;
        struct stat st;
        sys.old_kernel = old;
        umask(0);
        setenv("TMPDIR", folder, 1);
        assert_int_equal(pc_sink_scratch(&sink, &mem, NULL), 0);
        unsetenv("TMPDIR");
        pc_sink_put(&sink, pattern, MODEL);
        assert_int_equal(sink.error, 0);
        assert_int_equal(entries_of("."), 0);
        assert_int_equal(fstat(sink.target.fd, &st), 0);
        assert_int_equal(st.st_nlink, 0);
        assert_int_equal(st.st_mode & 07777, 0600);
        char link[64], name[256] = { 0 };
        snprintf(link, sizeof(link), "/proc/self/fd/%d", sink.target.fd);
        assert_true(readlink(link, name, sizeof(name) - 1) > 0);
        assert_int_equal(strncmp(name, folder, strlen(folder)), 0);
        memcpy(model, pattern, MODEL);
        check_content(&sink, MODEL);
        pc_sink_discard(&sink);
        assert_int_equal(mem.used, 0);
    }
}

/* A target of more than a buffer is written by another thread where there can be one and its buffer; what
 * becomes of it is the same. */
static void a_thread_writes_unless_there_is_none(void **state)
{
    (void)state;
    enum { THREAD, NO_THREAD, NO_MEMORY, WAYS };
    const size_t n = 1500 * 500; /* nearly three buffers */
    for (int way = 0; way < WAYS; way++) {
        for (int fails = 0; fails < 2; fails++) {
            struct pc_sink sink;
            sys.no_threads = way == NO_THREAD;
            sys.threads = 0;
            assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
            mem.calls = 0;
            mem.fail_at = way == NO_MEMORY ? 1 : 0;
            sink.fail_at = fails ? PC_SINK_BUFFER + 10 : 0;
            for (size_t at = 0; at < n; at += 500)
                pc_sink_put(&sink, pattern + at % 100000, 500);
            mem.fail_at = 0;
            pc_sink_put_at(&sink, 77, "abc", 3); /* which left long ago */
            for (size_t at = 0; at < n; at += 500)
                memcpy(model + at, pattern + at % 100000, 500);
            memcpy(model + 77, "abc", 3);
            if (!fails)
                check_content(&sink, n);
            assert_int_equal(sink.works, way == THREAD);
            assert_int_equal(sys.threads, way != NO_MEMORY);
            assert_int_equal(pc_sink_commit(&sink), fails ? ENOSPC : 0);
            assert_int_equal(entries_of("."), !fails);
            if (!fails) {
                assert_true(file_is("out", model, n));
                assert_int_equal(unlink("out"), 0);
            }
            assert_int_equal(mem.used, 0);
        }
    }
}

static void a_stream_has_no_way_back(void **state)
{
    (void)state;
    enum { PUT_AT, MOVE, GET, WAYS };
    for (int way = 0; way <= WAYS; way++) {
        struct pc_sink sink, beside;
        int fd = openat(AT_FDCWD, "stream", O_RDWR | O_CREAT | O_APPEND | O_TRUNC, 0600);
        assert_int_equal(syscall(SYS_write, fd, "old", 3), 3);
        assert_int_equal(pc_sink_stream(&sink, &mem, fd), 0);
        setenv("TMPDIR", "/nonexistent/folder", 1);
        assert_int_equal(pc_sink_scratch(&beside, &mem, &sink), 0);
        unsetenv("TMPDIR");
        /* What is in the buffer still can be changed. */
        pc_sink_put(&sink, pattern, PC_SINK_BUFFER - 6);
        pc_sink_put_at(&sink, 10, "abc", 3);
        pc_sink_move(&sink, 20, 26);
        pc_sink_put_at(&sink, 20, "abcdef", 6);
        memcpy(model, "old", 3);
        memcpy(model + 3, pattern, 20);
        memcpy(model + 13, "abc", 3);
        memcpy(model + 23, "abcdef", 6);
        memcpy(model + 29, pattern + 20, PC_SINK_BUFFER - 26);
        assert_int_equal(sink.error, 0);
        assert_int_equal(sink.size, PC_SINK_BUFFER);
        /* More than the buffer, partly from another one. */
        sys.interruptions = 1;
        pc_sink_put(&beside, pattern, 2 * PC_SINK_BUFFER);
        assert_true(pc_sink_get(&beside, 0, back, 2 * PC_SINK_BUFFER));
        pc_sink_put(&sink, back, 2 * PC_SINK_BUFFER);
        memcpy(model + 3 + PC_SINK_BUFFER, pattern, 2 * PC_SINK_BUFFER);
        assert_int_equal(pc_sink_flush(&sink), 0);
        assert_true(file_is("stream", model, 3 + 3 * PC_SINK_BUFFER));
        if (way == PUT_AT)
            pc_sink_put_at(&sink, 5, "x", 1);
        else if (way == MOVE)
            pc_sink_move(&sink, 5, 4);
        else if (way == GET)
            assert_false(pc_sink_get(&sink, 0, back, 1));
        else
            pc_sink_put(&sink, "end", 3);
        memcpy(model + 3 + 3 * PC_SINK_BUFFER, "end", 3);
        assert_int_equal(pc_sink_commit(&sink), way == WAYS ? 0 : ESPIPE);
        assert_true(file_is("stream", model, 3 + 3 * PC_SINK_BUFFER + (way == WAYS ? 3 : 0)));
        assert_int_equal(fcntl(fd, F_GETFD), 0); /* which stays the caller's */
        close(fd);
        pc_sink_discard(&beside);
        assert_int_equal(mem.used, 0);
        assert_int_equal(unlink("stream"), 0);
    }
    struct pc_sink sink;
    assert_int_equal(pc_sink_stream(&sink, &mem, -1), EBADF);
    assert_int_equal(mem.used, 0);
}

static void a_missing_folder_matters_when_it_is_needed(void **state)
{
    (void)state;
    struct pc_sink sink;
    setenv("TMPDIR", "/nonexistent/folder", 1);
    assert_int_equal(pc_sink_scratch(&sink, &mem, NULL), 0);
    unsetenv("TMPDIR");
    pc_sink_put(&sink, "abc", 3);
    memcpy(model, "abc", 3);
    check_content(&sink, 3);
    struct pc_sink second;
    assert_int_equal(pc_sink_scratch(&second, &mem, &sink), 0);
    pc_sink_put(&second, pattern, MODEL);
    assert_int_equal(second.error, ENOENT);
    assert_int_equal(pc_sink_flush(&sink), ENOENT);
    pc_sink_discard(&sink);
    pc_sink_discard(&second);
    setenv("TMPDIR", "", 1);
    assert_int_equal(pc_sink_scratch(&sink, &mem, NULL), 0);
    unsetenv("TMPDIR");
    assert_int_equal(pc_sink_flush(&sink), 0);
    pc_sink_discard(&sink);
}

/* --- what can go wrong --- */

/* A short program of everything: 320 bytes, or with more than a buffer. Returns what the commit says. */
static int everything(bool replace, bool large, uint64_t fail_at, size_t at_most)
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

static size_t expect_everything(bool large)
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

/* The old target or the new one, and nothing else; which one it is. */
static bool is_new(bool had_old, size_t size)
{
    bool there = access("out", F_OK) == 0, whole = there && file_is("out", model, size);
    assert_int_equal(entries_of("."), there);
    if (!whole && had_old)
        assert_true(HAS("out", "old"));
    else if (!whole)
        assert_false(there);
    return whole;
}

static void begin(bool had_old)
{
    unlink("out");
    if (had_old)
        make_file("out", "old");
}

static void every_offset_can_fail(void **state)
{
    (void)state;
    const size_t size = expect_everything(false);
    for (uint64_t at = 1; at <= size + 11; at++) { /* it is 10 bytes longer before it moves down */
        for (int way = 0; way < 4; way++) {
            bool replace = way & 1, good = at > size + 10;
            begin(replace);
            int error = everything(replace, false, at, way & 2 ? 13 : 0);
            assert_int_equal(error, good ? 0 : ENOSPC);
            assert_int_equal(is_new(replace, size), good);
            assert_int_equal(mem.used, 0);
        }
    }
}

static void every_offset_can_fail_in_a_large_file(void **state)
{
    (void)state;
    const size_t size = expect_everything(true);
    for (uint64_t at = 1; at <= size + 11; at += at < size - 10 ? 9973 : 1) {
        for (int old = 0; old < 2; old++) {
            sys.old_kernel = old;
            sys.old_error = ENOSYS;
            begin(false);
            int error = everything(false, true, at, 0);
            assert_int_equal(error, at > size + 10 ? 0 : ENOSPC);
            assert_int_equal(is_new(false, size), at > size + 10);
        }
    }
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    const size_t size = expect_everything(true);
    unsigned before = open_descriptors();
    for (uint64_t k = 1;; k++) {
        mem.calls = 0;
        mem.fail_at = k;
        begin(true);
        int error = everything(true, true, 0, 0);
        mem.fail_at = 0;
        assert_int_equal(mem.used, 0);
        assert_int_equal(open_descriptors(), before);
        assert_int_equal(is_new(true, size), error == 0);
        if (mem.calls < k) {
            assert_int_equal(error, 0);
            assert_true(k > 2);
            return;
        }
        assert_int_equal(error, ENOMEM);
    }
}

/* Each call of the system once, on new and old kernels, with and without an old target. */
static void every_call_can_fail(void **state)
{
    (void)state;
    const size_t size = expect_everything(true);
    unsigned before = open_descriptors(), ran = 0;
    for (int way = 0; way < 4; way++) {
        bool replace = way & 1, over = false;
        for (unsigned k = 1; !over; k++) {
            begin(replace);
            memset(&sys, 0, sizeof(sys));
            sys.old_kernel = way & 2;
            sys.old_error = EINVAL;
            sys.error = EIO;
            sys.hit = k;
            sys.watched = ~BIT(CALL_UNLINK);
            int error = everything(replace, true, 0, 0);
            over = sys.count < k;
            memset(&sys, 0, sizeof(sys));
            bool new = is_new(replace, size);
            if (error == 0)
                assert_true(new);
            else if (!replace)
                assert_false(new);
            if (over)
                assert_int_equal(error, 0);
            assert_int_equal(open_descriptors(), before);
            assert_int_equal(mem.used, 0);
            ran++;
        }
    }
    assert_true(ran > 60);
}

static void what_cannot_be_flushed_is_no_target(void **state)
{
    (void)state;
    for (int replace = 0; replace < 2; replace++) {
        for (unsigned k = 1; k <= 3; k++) { /* the file, the folder, none */
            begin(replace);
            sys.watched = BIT(CALL_FSYNC);
            sys.error = EIO;
            sys.count = 0;
            sys.hit = k;
            assert_int_equal(write_whole("out", replace, 0600, "new"), k < 3 ? EIO : 0);
            assert_int_equal(sys.count, k == 1 ? 1 : 2);
            sys.watched = 0;
            if (k == 3 || (k == 2 && replace)) /* the old one cannot come back, but the new one is whole */
                assert_true(HAS("out", "new"));
            else if (replace)
                assert_true(HAS("out", "old"));
            assert_int_equal(entries_of("."), replace || k == 3);
        }
    }
    /* What may replace, but did not, can go again. */
    begin(false);
    sys.watched = BIT(CALL_FSYNC);
    sys.error = EIO;
    sys.count = 0;
    sys.hit = 2;
    assert_int_equal(write_whole("out", true, 0600, "new"), EIO);
    sys.watched = 0;
    assert_int_equal(entries_of("."), 0);
    assert_int_equal(write_whole("out", true, 0600, "new"), 0);
    /* A folder that knows no flush is no error; a file would be. */
    sys.watched = BIT(CALL_FSYNC);
    sys.error = EINVAL;
    for (unsigned k = 1; k <= 2; k++) {
        sys.count = 0;
        sys.hit = k;
        assert_int_equal(write_whole("out", true, 0600, "newer"), k == 1 ? EINVAL : 0);
    }
    assert_true(HAS("out", "newer"));
    /* The close that is asked before the rename. */
    sys.watched = BIT(CALL_CLOSE);
    sys.error = EDQUOT;
    sys.count = 0;
    sys.hit = 1;
    assert_int_equal(write_whole("out", true, 0600, "newest"), EDQUOT);
    sys.watched = 0;
    assert_true(HAS("out", "newer"));
    assert_int_equal(entries_of("."), 1);
    /* A link was made but the temporary name cannot go: then the target is not there either. */
    begin(false);
    sys.old_kernel = true;
    sys.old_error = EINVAL;
    sys.watched = BIT(CALL_UNLINK);
    sys.error = EIO;
    sys.count = 0;
    assert_int_equal(write_whole("out", false, 0600, "new"), EIO);
    assert_int_equal(entries_of("."), 0);
    sys.every = BIT(CALL_LINK); /* no links at all */
    sys.error = EPERM;
    assert_int_equal(write_whole("out", false, 0600, "new"), EPERM);
    assert_int_equal(entries_of("."), 0);
}

static void large_put(struct pc_sink *sink)
{
    pc_sink_put(sink, pattern, MODEL);
}

static void put_over_file(struct pc_sink *sink)
{
    pc_sink_put_at(sink, 5, "abc", 3);
}

static void get_from_file(struct pc_sink *sink)
{
    unsigned char byte;
    assert_false(pc_sink_get(sink, 5, &byte, 1));
}

static void move_up(struct pc_sink *sink)
{
    pc_sink_move(sink, 100, 200);
}

static void move_down(struct pc_sink *sink)
{
    pc_sink_move(sink, 200, 100);
}

static void move_the_end(struct pc_sink *sink)
{
    pc_sink_move(sink, sink->size, sink->size + PC_SINK_BUFFER);
}

static void flush(struct pc_sink *sink)
{
    pc_sink_flush(sink);
}

static void an_error_sticks_wherever_it_came_from(void **state)
{
    (void)state;
    static const struct {
        void (*step)(struct pc_sink *);
        unsigned every; /* 0: writes take nothing */
        bool flushed;
    } steps[] = {
        { large_put, BIT(CALL_WRITE), false },
        { large_put, BIT(CALL_WRITE), true },
        { large_put, 0, true },
        { put_over_file, BIT(CALL_WRITE), false },
        { put_over_file, 0, false },
        { get_from_file, BIT(CALL_READ), false },
        { move_up, BIT(CALL_READ), false },
        { move_up, BIT(CALL_WRITE), false },
        { move_up, BIT(CALL_WRITE), true },
        { move_down, BIT(CALL_READ), true },
        { move_down, BIT(CALL_WRITE), true },
        { move_down, BIT(CALL_TRUNCATE), true },
        { move_the_end, BIT(CALL_TRUNCATE), true },
        { flush, BIT(CALL_WRITE), false },
        { flush, 0, false },
    };
    for (size_t i = 0; i < PC_COUNT_OF(steps); i++) {
        struct pc_sink sink;
        unsigned char byte;
        assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
        pc_sink_put(&sink, pattern, PC_SINK_BUFFER);
        pc_sink_put(&sink, pattern, 10);
        if (steps[i].flushed)
            assert_int_equal(pc_sink_flush(&sink), 0);
        assert_int_equal(sink.error, 0);
        sys.every = steps[i].every;
        sys.error = EIO;
        sys.takes_nothing = steps[i].every == 0;
        steps[i].step(&sink);
        sys.every = 0;
        sys.takes_nothing = false;
        assert_int_equal(sink.error, EIO);
        put_text(&sink, "more");
        pc_sink_put_at(&sink, UINT64_MAX, "x", 1);
        pc_sink_move(&sink, UINT64_MAX, 0);
        assert_false(pc_sink_get(&sink, 0, &byte, 1));
        assert_int_equal(pc_sink_flush(&sink), EIO);
        assert_int_equal(pc_sink_commit(&sink), EIO);
        assert_int_equal(entries_of("."), 0);
    }
    /* The test hook reaches lengths too. */
    struct pc_sink sink;
    assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
    sink.fail_at = PC_SINK_BUFFER + 1;
    pc_sink_move(&sink, 0, PC_SINK_BUFFER + 1);
    assert_int_equal(pc_sink_commit(&sink), ENOSPC);
    /* A scratch file that would keep a name is none. */
    sys.old_kernel = true;
    sys.every = BIT(CALL_UNLINK);
    setenv("TMPDIR", folder, 1);
    assert_int_equal(pc_sink_scratch(&sink, &mem, NULL), 0);
    unsetenv("TMPDIR");
    assert_int_equal(pc_sink_flush(&sink), EIO);
    sys.every = 0;
    pc_sink_discard(&sink);
}

static void interruptions_are_no_errors(void **state)
{
    (void)state;
    const size_t size = expect_everything(true);
    for (int old = 0; old < 2; old++) {
        begin(false);
        sys.old_kernel = old;
        sys.old_error = ENOSYS;
        struct pc_sink sink;
        sys.interruptions = 3;
        assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
        assert_int_equal(sys.interruptions, 0);
        for (size_t at = 0; at < size; at += 50000) {
            sys.interruptions = 3;
            pc_sink_put(&sink, pattern + at, 50000);
        }
        sys.interruptions = 3;
        pc_sink_move(&sink, 0, 0);
        pc_sink_move(&sink, 100, 0);
        sys.interruptions = 3;
        assert_int_equal(pc_sink_commit(&sink), 0);
        assert_int_equal(sys.interruptions, 0);
        assert_true(file_is("out", pattern + 100, (size + 49999) / 50000 * 50000 - 100));
    }
}

static void names_are_tried_until_one_is_free(void **state)
{
    (void)state;
    sys.watched = BIT(CALL_OPEN);
    sys.error = EEXIST;
    sys.hit = 1;
    assert_int_equal(write_whole("out", false, 0600, "x"), 0);
    assert_int_equal(sys.count, 2);
    sys.watched = 0;
    sys.every = BIT(CALL_OPEN); /* but not forever */
    assert_int_equal(write_whole("out2", false, 0600, "x"), EEXIST);
    sys.every = BIT(CALL_RANDOM);
    sys.error = ENOSYS;
    assert_int_equal(write_whole("out2", false, 0600, "x"), ENOSYS);
    sys.every = 0;
    assert_int_equal(entries_of("."), 1);
}

/* --- in a child --- */

/* Runs it in a child, which ends with what it returns; the status. */
static int in_child(int (*run)(const void *), const void *ctx)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit no_core = { 0, 0 };
        setrlimit(RLIMIT_CORE, &no_core);
        _exit(run(ctx));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static int fill_disk(const void *ctx)
{
    const size_t *limit = ctx;
    struct rlimit small = { *limit, *limit };
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &small) != 0)
        return 250;
    return everything(true, true, 0, 0);
}

static void a_full_disk_leaves_the_old_target(void **state)
{
    (void)state;
    const size_t size = expect_everything(true);
    const rlim_t limits[] = { 0, 1, 200, 210, PC_SINK_BUFFER, size - 1, size + 10, RLIM_INFINITY };
    for (size_t i = 0; i < PC_COUNT_OF(limits); i++) {
        bool good = limits[i] >= size + 10;
        begin(true);
        int status = in_child(fill_disk, &limits[i]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), good ? 0 : EFBIG);
        assert_int_equal(is_new(true, size), good);
    }
}

struct moment {
    int number;
    unsigned at;
    bool after, replace, old;
};

static int die_at_moment(const void *ctx)
{
    const struct moment *m = ctx;
    pc_catch_signals();
    memset(&sys, 0, sizeof(sys));
    sys.old_kernel = m->old;
    sys.old_error = EINVAL;
    sys.watched = ~0U;
    sys.hit = m->at;
    *(m->after ? &sys.after : &sys.before) = m->number;
    int error = everything(m->replace, true, 0, 0);
    return error != 0 ? 1 : sys.count < sys.hit ? 0 : 2;
}

/* A signal before and after each call of the system that is made from the first to the last. */
static void a_signal_at_any_moment_leaves_nothing(void **state)
{
    (void)state;
    const size_t size = expect_everything(true);
    for (int way = 0; way < 8; way++) {
        struct moment m = { SIGTERM, 1, way & 1, way & 2, way & 4 };
        unsigned old_left = 0, new_left = 0;
        for (;; m.at++) {
            begin(m.replace);
            int status = in_child(die_at_moment, &m);
            bool new = is_new(m.replace, size);
            if (WIFEXITED(status)) {
                assert_int_equal(WEXITSTATUS(status), 0);
                assert_true(new);
                break;
            }
            assert_int_equal(WTERMSIG(status), SIGTERM);
            new ? new_left++ : old_left++;
        }
        assert_true(old_left > 10 && new_left > 2);
    }
}

static int wait_for_signal(const void *ctx)
{
    const int *number = ctx;
    struct pc_sink first, second, third;
    pc_catch_signals();
    if (pc_sink_create(&first, &mem, "out", true, 0600, NULL) != 0 ||
        pc_sink_create(&second, &mem, "sub/out", false, 0600, NULL) != 0 ||
        pc_sink_scratch(&third, &mem, NULL) != 0)
        return 1;
    pc_sink_put(&first, pattern, MODEL);
    pc_sink_put(&third, pattern, MODEL);
    kill(getpid(), *number);
    return pc_sink_commit(&first) == 0 && pc_sink_commit(&second) == 0 ? 0 : 1;
}

static void signals_remove_all_and_kill_as_before(void **state)
{
    (void)state;
    static const int numbers[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGPIPE, SIGALRM,
                                   SIGUSR1, SIGUSR2, SIGXCPU, SIGABRT, SIGCHLD };
    assert_int_equal(mkdir("sub", 0700), 0);
    for (size_t i = 0; i < PC_COUNT_OF(numbers); i++) {
        make_file("out", "old");
        int status = in_child(wait_for_signal, &numbers[i]);
        if (numbers[i] == SIGCHLD) { /* does not kill */
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
            assert_true(file_is("out", pattern, MODEL));
            break;
        }
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), numbers[i]);
        assert_true(HAS("out", "old"));
        assert_int_equal(entries_of("."), 2);
        assert_int_equal(entries_of("sub"), 0);
    }
}

/* Goes on until the stack is full. */
static __attribute__((noinline)) unsigned fill_stack(unsigned more)
{
    volatile unsigned char frame[1024];
    frame[more % sizeof(frame)] = (unsigned char)more;
    return more == 0 ? 0 : fill_stack(more - 1) + frame[(more + 1) % sizeof(frame)];
}

/* What a defect of the program does. */
static void do_wrong(int number)
{
    const struct rlimit small = { 256 << 10, 256 << 10 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int fd = open("short", O_RDWR | O_CREAT, 0600);
    unlink("short");
    if (number == SIGSEGV) {
        setrlimit(RLIMIT_STACK, &small);
        fill_stack(UINT32_MAX);
    } else if (number == SIGBUS) { /* the mapped file has no byte */
        *(volatile unsigned char *)mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) = 1;
    } else if (number == SIGABRT) {
        abort();
    } else {
        raise(number);
    }
}

static int make_and_do_wrong(const void *ctx)
{
    const int *number = ctx;
    struct pc_sink first, second;
    signal(*number, SIG_DFL); /* which cmocka has handled */
    pc_catch_signals();
    if (pc_sink_create(&first, &mem, "out", true, 0600, NULL) != 0 ||
        pc_sink_create(&second, &mem, "sub/out", false, 0600, NULL) != 0)
        return 1;
    pc_sink_put(&first, pattern, MODEL);
    do_wrong(*number);
    return 0;
}

static void what_ends_by_a_defect_leaves_nothing(void **state)
{
    (void)state;
    static const int numbers[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGSYS, SIGTRAP };
    assert_int_equal(mkdir("sub", 0700), 0);
    make_file("out", "old");
    for (size_t i = 0; i < PC_COUNT_OF(numbers); i++) {
        int status = in_child(make_and_do_wrong, &numbers[i]);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), numbers[i]);
        assert_true(HAS("out", "old"));
        assert_int_equal(entries_of("."), 2);
        assert_int_equal(entries_of("sub"), 0);
    }
}

static volatile sig_atomic_t handled;

static void count_signal(int number)
{
    (void)number;
    handled++;
}

static int with_own_wishes(const void *ctx)
{
    static const int hang_up = SIGHUP, user = SIGUSR1;
    (void)ctx;
    signal(hang_up, SIG_IGN); /* as nohup does */
    signal(user, count_signal);
    if (wait_for_signal(&hang_up) != 0)
        return 1;
    unlink("sub/out");
    return wait_for_signal(&user) == 0 && handled == 1 ? 0 : 2;
}

static void ignored_and_handled_signals_stay_so(void **state)
{
    (void)state;
    assert_int_equal(mkdir("sub", 0700), 0);
    int status = in_child(with_own_wishes, NULL);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(file_is("out", pattern, MODEL));
    assert_int_equal(entries_of("sub"), 1);
}

static int discard_keeps_errno(const void *ctx)
{
    struct pc_sink sink;
    (void)ctx;
    if (pc_sink_create(&sink, &mem, "out", false, 0600, NULL) != 0)
        return 1;
    errno = EXDEV;
    pc_temporary_remove_all();
    pc_temporary_remove_all(); /* has nothing left to find */
    return errno == EXDEV ? 0 : 2;
}

static void a_handler_changes_no_errno(void **state)
{
    (void)state;
    assert_int_equal(in_child(discard_keeps_errno, NULL), 0);
    assert_int_equal(entries_of("."), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

static int set_up(void **state)
{
    (void)state;
    fill_pattern();
    return 0;
}

static const struct CMUnitTest tests[] = {
    TEST(a_target_appears_whole_at_the_commit),
    TEST(a_discarded_target_never_was),
    TEST(a_target_lies_where_its_path_says),
    TEST(a_path_that_names_no_file_is_an_error),
    TEST(a_long_name_has_a_short_temporary_one),
    TEST(permission_bits_are_at_most_those_asked_for),
    TEST(an_existing_target_is_kept),
    TEST(with_replace_a_file_or_a_link_itself_is_replaced),
    TEST(with_replace_nothing_else_is),
    TEST(what_comes_meanwhile_is_left_alone),
    TEST(a_strangers_file_is_never_removed_or_renamed),
    TEST(a_name_that_was_guessed_is_not_used),
    TEST(a_folder_may_be_moved_or_vanish),
    TEST(there_is_a_limit_of_targets_at_once),
    TEST(what_was_put_comes_back),
    TEST(bytes_can_be_written_over),
    TEST(bytes_move_up_and_down),
    TEST(a_small_scratch_file_is_none),
    TEST(a_scratch_file_has_no_name),
    TEST(a_thread_writes_unless_there_is_none),
    TEST(a_stream_has_no_way_back),
    TEST(a_missing_folder_matters_when_it_is_needed),
    TEST(every_offset_can_fail),
    TEST(every_offset_can_fail_in_a_large_file),
    TEST(every_allocation_can_fail),
    TEST(every_call_can_fail),
    TEST(what_cannot_be_flushed_is_no_target),
    TEST(an_error_sticks_wherever_it_came_from),
    TEST(interruptions_are_no_errors),
    TEST(names_are_tried_until_one_is_free),
    TEST(a_full_disk_leaves_the_old_target),
    TEST(a_signal_at_any_moment_leaves_nothing),
    TEST(signals_remove_all_and_kill_as_before),
    TEST(what_ends_by_a_defect_leaves_nothing),
    TEST(ignored_and_handled_signals_stay_so),
    TEST(a_handler_changes_no_errno),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, NULL };

/* SPDX-License-Identifier: MIT
 *
 * The functions of the system that folder.c calls are defined here once more, before those of the
 * library: each call can be made to fail, to be refused as an old kernel refuses it, or to be the moment of a
 * signal. Whatever happens, the target is whole or as it was, and nothing else is there.
 */
#include "bytes/copy.h"
#include "bytes/folder.h"
#include "cli/signals.h"
#include "pc_test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* --- the system --- */

static struct {
    bool counts;
    unsigned count, hit; /* the call that is hit, from 1; 0: none */
    int error;           /* by an error ... */
    int number;          /* ... or a signal */
    int interruptions;   /* this many calls end with EINTR first */
    bool old_kernel;     /* no flags of renameat2, no copy_file_range, no holes */
    const char *appears; /* a directory that another process makes just before the rename */
    const char *goes;    /* a name that the new directory gets just before the rename */
    size_t copied;       /* by copy_file_range */
    bool moves;          /* a block of a file that is flushed changes places with zeros */
    int longer;          /* a file that grows before it is flushed; -1: none */
} sys = { .longer = -1 };

static bool hit(void)
{
    if (!sys.counts || ++sys.count != sys.hit)
        return false;
    if (sys.number)
        raise(sys.number);
    errno = sys.error;
    return sys.error != 0;
}

static bool is_interrupted(void)
{
    if (sys.interruptions == 0)
        return false;
    sys.interruptions--;
    errno = EINTR;
    return true;
}

#define CALL(type, ...)                                                                                      \
    do {                                                                                                     \
        if (hit())                                                                                           \
            return -1;                                                                                       \
        return (type)syscall(__VA_ARGS__);                                                                   \
    } while (0)

int openat(int folder, const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list args;
        va_start(args, flags);
        mode = va_arg(args, mode_t);
        va_end(args);
        CALL(int, SYS_openat, folder, path, flags, mode);
    }
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    CALL(int, SYS_mkdirat, folder, path, mode);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
    if (is_interrupted())
        return -1;
    CALL(ssize_t, SYS_pwrite64, fd, bytes, n, offset);
}

ssize_t pread(int fd, void *bytes, size_t n, off_t offset)
{
    if (is_interrupted())
        return -1;
    CALL(ssize_t, SYS_pread64, fd, bytes, n, offset);
}

int fsync(int fd)
{
    if (is_interrupted())
        return -1;
    if (sys.longer >= 0)
        assert_int_equal(syscall(SYS_ftruncate, sys.longer, 300000), 0);
    sys.longer = -1;
    if (sys.moves) {
        unsigned char block[2 * 4096];
        assert_int_equal(syscall(SYS_pread64, fd, block, 4096, 4096), 4096);
        memset(block + 4096, 0, 4096);
        assert_int_equal(syscall(SYS_pwrite64, fd, block + 4096, 4096, 4096), 4096);
        assert_int_equal(syscall(SYS_pwrite64, fd, block, 4096, 8192), 4096);
    }
    sys.moves = false;
    CALL(int, SYS_fsync, fd);
}

int ftruncate(int fd, off_t length)
{
    if (is_interrupted())
        return -1;
    CALL(int, SYS_ftruncate, fd, length);
}

off_t lseek(int fd, off_t offset, int whence)
{
    if (sys.old_kernel && (whence == SEEK_DATA || whence == SEEK_HOLE)) {
        errno = EINVAL;
        return -1;
    }
    return (off_t)syscall(SYS_lseek, fd, offset, whence);
}

static void somebody_comes(int folder, const char *old)
{
    if (sys.appears)
        assert_int_equal(syscall(SYS_mkdirat, folder, sys.appears, 0700), 0);
    if (sys.goes)
        assert_int_equal(syscall(SYS_renameat2, folder, old, folder, sys.goes, 0), 0);
    sys.appears = sys.goes = NULL;
}

int renameat(int from, const char *old, int to, const char *new)
{
    CALL(int, SYS_renameat2, from, old, to, new, 0);
}

int renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
    somebody_comes(to, old);
    if (sys.old_kernel) {
        errno = EINVAL;
        return -1;
    }
    CALL(int, SYS_renameat2, from, old, to, new, flags);
}

int close(int fd)
{
    bool fails = hit();
    int error = errno, result = (int)syscall(SYS_close, fd); /* is closed even when it says that it failed */
    if (fails)
        errno = error;
    return fails ? -1 : result;
}

ssize_t copy_file_range(int from, off_t *in, int to, off_t *out, size_t n, unsigned flags)
{
    if (sys.old_kernel) {
        errno = ENOSYS;
        return -1;
    }
    if (is_interrupted() || hit())
        return -1;
    ssize_t result = (ssize_t)syscall(SYS_copy_file_range, from, in, to, out, n, flags);
    sys.copied += result > 0 ? (size_t)result : 0;
    return result;
}

/* --- a place for each test --- */

static char place[64];
static struct pc_mem mem;
static int source; /* a file to copy */
static unsigned char bytes[200000];

static int enter(void **state)
{
    (void)state;
    strcpy(place, "/tmp/test_folder-XXXXXX");
    assert_non_null(mkdtemp(place));
    assert_int_equal(chdir(place), 0);
    memset(&sys, 0, sizeof(sys));
    sys.longer = -1;
    pc_mem_init(&mem, 1 << 20);
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * 7 + i / 251);
    memset(bytes + 8192, 0, 65536);
    source = open("source", O_RDWR | O_CREAT, 0640);
    assert_int_equal(write(source, bytes, sizeof(bytes)), sizeof(bytes));
    return 0;
}

static int leave(void **state)
{
    char command[100];
    (void)state;
    sys.counts = false;
    close(source);
    assert_int_equal(mem.used, 0);
    snprintf(command, sizeof(command), "cd / && rm -r %s", place);
    return system(command); /* NOLINT(cert-env33-c): a name of ours */
}

/* The number of entries of a directory; -1: no such directory. */
static int entries(const char *path)
{
    struct dirent *entry;
    int n = 0;
    DIR *stream = opendir(path);
    if (!stream)
        return -1;
    while ((entry = readdir(stream)))
        n += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    closedir(stream);
    return n;
}

static bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static bool is_copy(const char *path)
{
    static unsigned char read_back[sizeof(bytes) + 1];
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, read_back, sizeof(read_back));
    close(fd);
    return n == (ssize_t)sizeof(bytes) && memcmp(bytes, read_back, sizeof(bytes)) == 0;
}

/* Old: an older capture, whose parts are empty files. */
static void make_old(void)
{
    static const char *const names[] = { "out/data", "out/data.0", "out/perf.data", "out/kcore_dir/kcore" };
    assert_int_equal(mkdir("out", 0700), 0);
    assert_int_equal(mkdir("out/kcore_dir", 0700), 0);
    for (size_t i = 0; i < PC_COUNT_OF(names); i++)
        close(open(names[i], O_WRONLY | O_CREAT, 0600));
}

static bool is_old(void)
{
    return entries("out") == 4 && entries("out/kcore_dir") == 1 && exists("out/data.0");
}

static bool is_new(void)
{
    return entries("out") == 2 && entries("out/kcore_dir") == 1 && is_copy("out/perf.data") &&
           is_copy("out/kcore_dir/kcore");
}

/* Makes "out": a file, and a directory with one. Returns 0 or an errno. */
static int make(bool replace)
{
    struct pc_folder f;
    int error = pc_folder_create(&f, &mem, "out", replace, &(struct pc_inputs){ &source, 1 });
    if (error)
        return error;
    error = pc_copy_file(&mem, NULL, source, f.target.fd, "perf.data");
    int fd = error ? -1 : pc_folder_make(&f, "kcore_dir");
    if (error == 0 && fd < 0)
        error = -fd;
    if (error == 0)
        error = pc_copy_file(&mem, NULL, source, fd, "kcore");
    int end = fd >= 0 ? pc_folder_finish(fd) : 0;
    error = error ? error : end;
    if (error)
        pc_folder_discard(&f);
    else
        error = pc_folder_commit(&f);
    assert_true(f.target.fd < 0 && f.target.folder < 0 && !f.left_behind);
    return error;
}

/* --- tests --- */

static void a_directory_appears_with_what_was_put_into_it(void **state)
{
    struct stat st;
    (void)state;
    assert_int_equal(make(false), 0);
    assert_true(is_new() && entries(".") == 2 && sys.copied != 0);
    assert_int_equal(stat("out", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(make(false), EEXIST);
    assert_int_equal(make(true), 0);
    assert_true(is_new() && entries(".") == 2);
}

static void calls_that_are_interrupted_go_on(void **state)
{
    (void)state;
    for (int old_kernel = 0; old_kernel < 2; old_kernel++) {
        sys.old_kernel = old_kernel;
        sys.interruptions = 3;
        assert_int_equal(make(false), 0);
        assert_true(is_new());
        assert_int_equal(rename("out", old_kernel ? "second" : "first"), 0);
    }
}

static void an_old_kernel_can_make_new_ones_only(void **state)
{
    (void)state;
    sys.old_kernel = true;
    assert_int_equal(make(true), 0);
    assert_true(is_new() && entries(".") == 2 && sys.copied == 0);
    assert_int_equal(make(true), EINVAL);
    assert_true(is_new() && entries(".") == 2);
}

static void a_target_that_appears_is_kept(void **state)
{
    (void)state;
    for (int old_kernel = 0; old_kernel < 2; old_kernel++) {
        sys.old_kernel = old_kernel;
        sys.appears = "out";
        assert_int_equal(make(false), EEXIST);
        assert_true(entries("out") == 0 && entries(".") == 2);
        assert_int_equal(rmdir("out"), 0);
    }
}

static void a_directory_that_was_moved_away_is_not_taken_for_another(void **state)
{
    (void)state;
    sys.goes = "stolen";
    assert_int_equal(make(false), ENOENT);
    assert_true(!exists("out") && entries("stolen") == 2);
}

/* Each call fails once. */
static void an_error_leaves_what_was_there(void **state)
{
    static const int errors[] = { EIO, ENOSPC };
    (void)state;
    for (unsigned run = 0; run < 11; run++) {
        bool old = run & 1, replace = old || run >= 8; /* or there is nothing to replace */
        unsigned failures = 0;
        if (old)
            make_old();
        for (unsigned i = 1;; i++) {
            sys.old_kernel = !old && (run & 2);
            sys.error = errors[run / 4 % 2];
            sys.count = 0;
            sys.hit = i;
            sys.counts = true;
            int error = make(replace);
            sys.counts = false;
            bool succeeded = error == 0;
            if (sys.count < i) { /* there are no more calls */
                assert_true(succeeded);
                break;
            }
            failures += !succeeded;
            if (succeeded)
                assert_true(is_new());
            else
                assert_int_equal(error, old && is_new() ? PC_NOT_FLUSHED : sys.error);
            /* only when the parent cannot be flushed, an old one is gone for good */
            assert_true(succeeded || (old ? is_old() || is_new() : !exists("out")));
            assert_int_equal(entries("."), succeeded || old ? 2 : 1);
            if (exists("out") && !is_old()) {
                assert_int_equal(system("rm -r out"), 0); /* NOLINT(cert-env33-c) */
                if (old)
                    make_old();
            }
        }
        assert_true(failures > 8);
        assert_int_equal(system("rm -r out"), 0); /* NOLINT(cert-env33-c) */
    }
}

/* Each call is the moment of a signal. */
static void a_signal_leaves_what_was_there_or_what_is_new(void **state)
{
    (void)state;
    for (int replace = 0; replace < 2; replace++) {
        unsigned killed = 0;
        for (unsigned i = 1;; i++) {
            if (replace)
                make_old();
            pid_t child = fork();
            assert_true(child >= 0);
            if (child == 0) {
                pc_catch_signals();
                sys.hit = i;
                sys.number = SIGTERM;
                sys.counts = true;
                _exit(make(replace) != 0);
            }
            int status;
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(is_new() || (replace ? is_old() : !exists("out")));
            assert_int_equal(entries("."), 1 + exists("out"));
            if (exists("out"))
                assert_int_equal(system("rm -r out"), 0); /* NOLINT(cert-env33-c) */
            if (WIFEXITED(status)) {
                assert_int_equal(WEXITSTATUS(status), 0);
                break;
            }
            assert_int_equal(WTERMSIG(status), SIGTERM);
            killed++;
        }
        assert_true(killed > 10);
    }
}

static int copy_and_compare(int folder, const char *name)
{
    int error = pc_copy_file(&mem, NULL, source, folder, name);
    int fd = error ? -1 : openat(folder, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error ? error : errno;
    error = pc_copy_compare(&mem, NULL, fd, source);
    close(fd);
    return error;
}

static void a_file_that_changes_is_noticed(void **state)
{
    struct pc_folder f;
    (void)state;
    assert_int_equal(pc_folder_create(&f, &mem, "out", false, NULL), 0);
    sys.longer = source;
    assert_int_equal(copy_and_compare(f.target.fd, "kcore"), ESTALE);
    assert_int_equal(ftruncate(source, sizeof(bytes)), 0);
    sys.moves = true;
    assert_int_equal(copy_and_compare(f.target.fd, "modules"), ESTALE);
    pc_folder_discard(&f);
    pc_folder_discard(&f); /* does nothing */
    assert_int_equal(entries("."), 1);
}

static void zeros_and_holes_are_the_same_content(void **state)
{
    struct pc_folder f;
    (void)state;
    /* a hole, zeros that are stored, a hole at the end, and a size that is no multiple of a block */
    assert_int_equal(fallocate(source, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 8192, 65536), 0);
    assert_int_equal(pc_folder_create(&f, &mem, "out", false, NULL), 0);
    assert_int_equal(copy_and_compare(f.target.fd, "one"), 0);
    sys.old_kernel = true; /* the copy has no hole */
    assert_int_equal(copy_and_compare(f.target.fd, "two"), 0);
    sys.old_kernel = false;
    assert_int_equal(ftruncate(source, 5000001), 0);
    assert_int_equal(copy_and_compare(f.target.fd, "three"), 0);
    assert_int_equal(pc_folder_commit(&f), 0);
    struct stat one, two, three;
    assert_int_equal(stat("out/one", &one) | stat("out/two", &two) | stat("out/three", &three), 0);
    assert_true(is_copy("out/one") && is_copy("out/two"));
    assert_true(one.st_blocks < two.st_blocks && three.st_size == 5000001 && three.st_blocks < 1000);
    assert_int_equal(one.st_mode & 0777 & ~0640U, 0);
}

/* A name that is taken is no reason to give up; a disk that is full is. */
static void an_error_of_the_system_is_not_tried_away(void **state)
{
    struct pc_folder f;
    (void)state;
    sys.error = ENOSPC;
    sys.count = 0;
    sys.hit = 1;
    sys.counts = true;
    assert_int_equal(pc_folder_create(&f, &mem, "out", false, NULL), ENOSPC);
    sys.counts = false;
    assert_int_equal(entries("."), 1);
}

/* A directory is there when it was flushed and closed: calls 1 and 2. */
static void a_directory_that_cannot_be_finished_is_said(void **state)
{
    struct pc_folder f;
    (void)state;
    assert_int_equal(pc_folder_create(&f, &mem, "out", false, NULL), 0);
    sys.error = EIO;
    for (unsigned i = 1; i <= 3; i++) {
        char name[] = "kcore_dir__0";
        name[sizeof(name) - 2] = (char)('0' + i);
        int fd = pc_folder_make(&f, name);
        assert_true(fd >= 0);
        sys.count = 0;
        sys.hit = i;
        sys.counts = true;
        assert_int_equal(pc_folder_finish(fd), i < 3 ? EIO : 0);
        sys.counts = false;
        assert_int_equal(sys.count, 2);
    }
    pc_folder_discard(&f);
}

/* It is made, but there is no descriptor for it. */
static void a_directory_that_cannot_be_opened_is_said(void **state)
{
    struct pc_folder f;
    struct rlimit before;
    (void)state;
    assert_int_equal(pc_folder_create(&f, &mem, "out", false, NULL), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int next = dup(0);
    close(next);
    struct rlimit none = { .rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    int fd = pc_folder_make(&f, "kcore_dir");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(fd, -EMFILE);
    pc_folder_discard(&f);
}

static void no_descriptor_stays_open(void **state)
{
    (void)state;
    int before = entries("/proc/self/fd");
    assert_int_equal(make(false), 0);
    assert_int_equal(make(true), 0);
    assert_int_equal(make(false), EEXIST);
    assert_int_equal(entries("/proc/self/fd"), before);
}

static void paths_and_descriptors_are_looked_at(void **state)
{
    struct pc_folder f, second;
    char longest[PATH_MAX + 2];
    int directory = open(".", O_RDONLY | O_DIRECTORY);
    (void)state;
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = 0;
    assert_int_equal(pc_folder_create(&f, &mem, longest, false, NULL), ENAMETOOLONG);
    assert_int_equal(pc_folder_create(&f, &mem, "", false, NULL), ENOENT);
    assert_int_equal(pc_folder_create(&f, &mem, "/", false, NULL), EISDIR);
    assert_int_equal(pc_folder_create(&f, &mem, "missing/out", false, NULL), ENOENT);
    assert_int_equal(pc_folder_create(&f, &mem, "out", false, &(struct pc_inputs){ &directory, 1 }),
                     PC_IS_INPUT);
    assert_int_equal(pc_folder_create(&f, &mem, "source", true, NULL), ENOTDIR);
    assert_int_equal(pc_folder_create(&f, &mem, "out///", false, NULL), 0);
    assert_int_equal(pc_folder_create(&second, &mem, "other", false, NULL), 0);
    assert_int_equal(pc_copy_file(&mem, NULL, directory, f.target.fd, "x"), EINVAL);
    assert_int_equal(pc_copy_file(&mem, NULL, -1, f.target.fd, "x"), EBADF);
    mem.limit = 1000;
    assert_int_equal(pc_copy_file(&mem, NULL, source, f.target.fd, "x"), ENOMEM);
    pc_folder_discard(&second);
    pc_folder_discard(&f);
    close(directory);
    assert_int_equal(entries("."), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

/* "out" again, as a directory of files with names of the caller. */
static int make_named(void)
{
    static const char *const names[] = { "one.csv", "two.csv", NULL };
    struct pc_folder f;
    int error = pc_folder_create_of(&f, &mem, "out", true, names);
    for (size_t i = 0; i < 2 && error == 0; i++)
        error = pc_copy_file(&mem, NULL, source, f.target.fd, names[i]);
    if (error == 0)
        error = pc_folder_commit(&f);
    else
        pc_folder_discard(&f);
    return error;
}

static void a_directory_replaces_one_of_its_kind_alone(void **state)
{
    (void)state;
    const mode_t mask = umask(026);
    struct stat st;
    assert_int_equal(make_named(), 0);
    assert_int_equal(make_named(), 0);
    umask(mask);
    assert_int_equal(stat("out", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0751);
    assert_true(entries("out") == 2 && entries(".") == 2 && is_copy("out/one.csv") && is_copy("out/two.csv"));
    assert_int_equal(make(true), ENOTEMPTY);
    assert_int_equal(unlink("out/one.csv"), 0);
    assert_int_equal(make(true), ENOTEMPTY);
    assert_int_equal(make_named(), 0); /* it had one of them */
    close(open("out/three.csv", O_WRONLY | O_CREAT, 0600));
    assert_int_equal(make_named(), ENOTEMPTY);
    assert_int_equal(rename("out/three.csv", "out/data"), 0);
    assert_int_equal(make_named(), ENOTEMPTY);
    assert_int_equal(rename("out/one.csv", "out/perf.data"), 0);
    assert_int_equal(make_named(), ENOTEMPTY);
    assert_true(entries("out") == 3);
}

static const struct CMUnitTest tests[] = {
    TEST(a_directory_appears_with_what_was_put_into_it),
    TEST(calls_that_are_interrupted_go_on),
    TEST(an_old_kernel_can_make_new_ones_only),
    TEST(a_target_that_appears_is_kept),
    TEST(a_directory_that_was_moved_away_is_not_taken_for_another),
    TEST(an_error_leaves_what_was_there),
    TEST(a_signal_leaves_what_was_there_or_what_is_new),
    TEST(a_file_that_changes_is_noticed),
    TEST(zeros_and_holes_are_the_same_content),
    TEST(an_error_of_the_system_is_not_tried_away),
    TEST(a_directory_that_cannot_be_finished_is_said),
    TEST(a_directory_that_cannot_be_opened_is_said),
    TEST(no_descriptor_stays_open),
    TEST(paths_and_descriptors_are_looked_at),
    TEST(a_directory_replaces_one_of_its_kind_alone),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

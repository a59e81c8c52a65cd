/* SPDX-License-Identifier: MIT
 *
 * Temporary files go when a signal or a defect ends the program.
 */
#include "sink_bench.h"
#include "bytes/folder.h"
#include "cli/signals.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* --- in a child --- */

/* Runs it in a child process, which exits with its result; returns the status. */
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

/* --- what a process left that SIGKILL ended --- */

static int die_while_writing(const void *ctx)
{
    struct pc_sink sink;
    struct pc_folder made;
    const char *directory = ctx;
    if (directory && (pc_folder_create(&made, &mem, directory, false, NULL) != 0 ||
                      pc_sink_create_at(&sink, &mem, made.target.fd, "data", 0600) != 0 ||
                      pc_folder_make(&made, "kcore_dir") < 0))
        return 1;
    if (!directory && pc_sink_create(&sink, &mem, "out", false, 0400, NULL) != 0)
        return 1;
    put_text(&sink, "half");
    return kill(getpid(), SIGKILL);
}

static void leave(const char *directory)
{
    unsigned before = entries_of(".");
    assert_true(WIFSIGNALED(in_child(die_while_writing, directory)));
    assert_int_equal(entries_of("."), before + 1);
}

static void the_next_run_removes_what_was_left(void **state)
{
    (void)state;
    struct pc_folder made;
    leave(NULL);
    assert_int_equal(write_whole("other", false, 0600, "x"), 0);
    assert_int_equal(entries_of("."), 2);
    assert_int_equal(write_whole("out", false, 0600, "x"), 0);
    assert_int_equal(entries_of("."), 2);
    leave("dir");
    assert_int_equal(pc_folder_create(&made, &mem, "dir/", false, NULL), 0);
    assert_int_equal(entries_of("."), 3);
    pc_folder_discard(&made);
    assert_int_equal(entries_of("."), 2);
}

static void what_a_process_still_writes_is_not_removed(void **state)
{
    (void)state;
    struct pc_sink first;
    struct pc_folder second;
    assert_int_equal(pc_sink_create(&first, &mem, "out", false, 0600, NULL), 0);
    put_text(&first, "first");
    assert_int_equal(write_whole("out", false, 0600, "x"), 0);
    assert_int_equal(unlink("out"), 0);
    assert_int_equal(pc_sink_commit(&first), 0);
    assert_true(HAS("out", "first"));
    assert_int_equal(pc_folder_create(&second, &mem, "dir", true, NULL), 0);
    assert_int_equal(write_whole("dir", false, 0600, "x"), 0);
    assert_int_equal(unlink("dir"), 0);
    assert_int_equal(pc_folder_commit(&second), 0);
    assert_int_equal(entries_of("."), 2);
}

/* Names that are nearly those of temporary files, and what a target is never made of. */
static void nothing_else_is_removed(void **state)
{
    (void)state;
    static const char *const near[] = { ".out.perfcheck-abcde",  ".out.perfcheck-abcdefg",
                                        ".out.perfcheck-abcde1", ".out.perfcheck-ABCDEF",
                                        "out.perfcheck-abcdef",  ".ou.perfcheck-abcdef",
                                        ".out2.perfcheck-abcdef" };
    for (size_t i = 0; i < PC_COUNT_OF(near); i++)
        make_file(near[i], "x");
    assert_int_equal(symlink("nowhere", ".out.perfcheck-linked"), 0);
    assert_int_equal(mkfifo(".out.perfcheck-fififi", 0600), 0);
    assert_int_equal(write_whole("out", false, 0600, "x"), 0);
    assert_int_equal(entries_of("."), PC_COUNT_OF(near) + 3);
}

/* It may be an old directory that was to be replaced, in which somebody else put a file meanwhile. */
static void of_a_directory_only_a_capture_is_removed(void **state)
{
    (void)state;
    static const char *const parts[] = { "d/data",
                                         "d/data.3",
                                         "d/perf.data",
                                         "d/.data.perfcheck-abcdef",
                                         "d/kcore_dir/kcore",
                                         "d/kcore_dir/.kcore.perfcheck-abcdef" };
    for (int way = 0; way < 4; way++) {
        assert_int_equal(mkdir("d", 0700), 0);
        assert_int_equal(mkdir("d/kcore_dir", 0700), 0);
        for (size_t i = 0; i < PC_COUNT_OF(parts); i++)
            make_file(parts[i], "x");
        const char *more = way == 1 ? "d/notes" : way == 2 ? "d/kcore_dir/data" : "d/kcore";
        if (way != 0)
            make_file(more, "x");
        assert_int_equal(rename("d", ".out.perfcheck-abcdef"), 0);
        assert_int_equal(write_whole("out", true, 0600, "x"), 0);
        assert_int_equal(entries_of("."), way == 0 ? 1 : 2);
        if (way == 0)
            continue;
        assert_int_equal(rename(".out.perfcheck-abcdef", "d"), 0);
        assert_int_equal(entries_of("d"), 1);
        assert_true(HAS(more, "x"));
        assert_int_equal(unlink(more), 0);
        if (way == 2)
            assert_int_equal(rmdir("d/kcore_dir"), 0);
        assert_int_equal(rmdir("d"), 0);
    }
}

static void a_lock_of_another_process_is_seen(void **state)
{
    (void)state;
    make_file("theirs", "x");
    int first = open("theirs", O_RDONLY), second = open("theirs", O_RDONLY);
    assert_int_equal(flock(first, LOCK_EX), 0);
    assert_int_equal(pc_temporary_lock(second), EEXIST);
    close(first);
    assert_int_equal(pc_temporary_lock(second), 0);
    close(second);
    assert_int_equal(pc_temporary_lock(-1), 0); /* cannot be locked */
    sys.taken = 3;
    assert_int_equal(write_whole("out", false, 0600, "x"), 0);
    assert_int_equal(sys.taken, 0);
    assert_int_equal(entries_of("."), 2);
}

/* Descriptor 0 is free, so that the directory in it is opened as 0. */
static int empty_without_stdin(const void *ctx)
{
    (void)ctx;
    if (mkdir("full", 0700) != 0 || mkdir("full/kcore_dir", 0700) != 0)
        return 1;
    int file = open("full/kcore_dir/kcore", O_WRONLY | O_CREAT, 0600);
    int full = open("full", O_RDONLY | O_DIRECTORY);
    if (file < 0 || full <= 0 || close(file) != 0)
        return 2;
    close(STDIN_FILENO);
    pc_temporary_empty(full);
    if (fcntl(STDIN_FILENO, F_GETFD) >= 0)
        return 3; /* it stayed open */
    return rmdir("full") == 0 ? 0 : 4;
}

static void a_directory_is_emptied_by_any_descriptor(void **state)
{
    (void)state;
    assert_int_equal(in_child(empty_without_stdin, NULL), 0);
    assert_int_equal(entries_of("."), 0);
}

static int set_up(void **state)
{
    (void)state;
    fill_pattern();
    return 0;
}

static const struct CMUnitTest tests[] = {
    TEST(a_full_disk_leaves_the_old_target),
    TEST(a_signal_at_any_moment_leaves_nothing),
    TEST(signals_remove_all_and_kill_as_before),
    TEST(what_ends_by_a_defect_leaves_nothing),
    TEST(ignored_and_handled_signals_stay_so),
    TEST(a_handler_changes_no_errno),
    TEST(the_next_run_removes_what_was_left),
    TEST(what_a_process_still_writes_is_not_removed),
    TEST(nothing_else_is_removed),
    TEST(of_a_directory_only_a_capture_is_removed),
    TEST(a_lock_of_another_process_is_seen),
    TEST(a_directory_is_emptied_by_any_descriptor),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, NULL };

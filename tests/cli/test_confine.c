/* SPDX-License-Identifier: MIT
 *
 * What a process that gave up its rights cannot do, and what the opener does not do for it. Each trial is in
 * a process of its own.
 */
#include "cli/apart.h"
#include "cli/confine.h"
#include "cli/opener.h"
#include "pc_test.h"
#include "scratch.h"

#include "bytes/names.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifdef PC_CONFINE

static int active; /* what holds the process */
static unsigned keeps;

/* The exit status of a trial in another process that was confined. task: it has an opener too; NULL: none.
 * -1: a signal ended it. */
static int try_in_child(int (*trial)(void), const struct pc_task *task)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (task && !pc_opener_start(task))
            _exit(99);
        if (!task)
            active = pc_confine(-1, keeps);
        int result = trial();
        pc_opener_stop();
        _exit(result);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int report_rights(void)
{
    return active;
}

/* --- what the kernel does not do --- */

static int try_open(void)
{
    return open("/dev/null", O_RDONLY) < 0;
}

static int try_open_to_write(void)
{
    return open("/dev/null", O_WRONLY) < 0;
}

static int try_openat2(void)
{
    const uint64_t how[3] = { O_RDONLY, 0, 0 };
    return syscall(SYS_openat2, AT_FDCWD, "/dev/null", how, sizeof(how)) < 0;
}

static int try_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM, 0) < 0 && socket(AF_INET, SOCK_STREAM, 0) < 0;
}

static int try_execve(void)
{
    char *const arguments[] = { NULL };
    execve("/bin/true", arguments, arguments);
    return 1;
}

static int try_ptrace(void)
{
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0;
}

static int try_fork(void)
{
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
    if (child == 0)
        _exit(0);
    return child < 0 && fork() < 0;
}

/* With PC_KEEPS_COPIES. */
static bool can_open_device(void *ctx)
{
    (void)ctx;
    return open("/dev/null", O_RDONLY) >= 0 || fork() < 0;
}

static bool do_nothing(void *ctx)
{
    return ctx == NULL;
}

static int try_copies(void)
{
    return !pc_apart_run(can_open_device, NULL, 60, UINT64_MAX) &&
           pc_apart_run(do_nothing, NULL, 60, UINT64_MAX) && kill(getppid(), 0) < 0 &&
           syscall(SYS_clone, SIGCHLD | CLONE_FILES, NULL, NULL, NULL, 0) < 0 &&
           prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0;
}

static int try_code(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *own = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return own != MAP_FAILED && mprotect(own, page, PROT_READ | PROT_EXEC) < 0 &&
           mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}

static int try_signals(void)
{
    return kill(getppid(), 0) < 0 && syscall(SYS_tgkill, getppid(), getppid(), 0) < 0;
}

static int try_names(void)
{
    return unlink("/nothing") < 0 && errno != ENOENT && rename("/nothing", "/nowhere") < 0 &&
           errno != ENOENT && mkdir("/nothing/nowhere", 0700) < 0 && errno != ENOENT &&
           symlink("x", "/nothing/nowhere") < 0 && errno != ENOENT;
}

static int try_messages(void)
{
    struct msghdr message = { .msg_iovlen = 0 };
    return syscall(SYS_sendmsg, STDOUT_FILENO, &message, 0) < 0 && errno == ENOSYS;
}

static void *nothing(void *ctx)
{
    return ctx;
}

/* All that the work needs. */
static int try_work(void)
{
    pthread_t thread;
    char byte;
    int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    char *large = malloc((size_t)8 << 20);
    bool good = fd >= 0 && large && close(fd) == 0 && pthread_create(&thread, NULL, nothing, &byte) == 0;
    if (!good || pthread_join(thread, NULL) != 0 || isatty(-1))
        return 0;
    memset(large, 1, (size_t)8 << 20);
    large = realloc(large, (size_t)32 << 20);
    free(large);
    return large != NULL && raise(0) == 0;
}

static void a_confined_process_cannot_open_connect_run_trace_or_make_code(void **state)
{
    static const struct {
        const char *name;
        int (*trial)(void);
    } rows[] = {
        { "open", try_open },        { "open to write", try_open_to_write },
        { "openat2", try_openat2 },  { "socket", try_socket },
        { "execve", try_execve },    { "ptrace", try_ptrace },
        { "fork", try_fork },        { "mprotect", try_code },
        { "kill", try_signals },     { "unlink", try_names },
        { "sendmsg", try_messages }, { "work", try_work },
    };
    (void)state;
    if (!(try_in_child(report_rights, NULL) & PC_SECCOMP))
        lacks("no seccomp");
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        int refused = try_in_child(rows[i].trial, NULL);
        if (refused != 1)
            fail_msg("%s: %d", rows[i].name, refused);
    }
    keeps = PC_KEEPS_COPIES;
    assert_int_equal(try_in_child(try_copies, NULL), 1);
    keeps = 0;
}

/* --- what the opener does --- */

static char input[SCRATCH_PATH], directory[SCRATCH_PATH], secret[SCRATCH_PATH], output[SCRATCH_PATH],
    inside[SCRATCH_PATH], link_in[SCRATCH_PATH];

static const int to_read = O_RDONLY | O_CLOEXEC | O_NOCTTY, to_list = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
                 to_make = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

static bool is_refused(int result)
{
    return result < 0 && errno == EACCES;
}

static bool can_open(int at, const char *name, int flags)
{
    int fd = pc_name_open(at, name, flags);
    return fd >= 0 && close(fd) == 0;
}

static int ask_for_inputs(void)
{
    struct stat st;
    char byte = 0;
    int fd = pc_name_open(AT_FDCWD, input, to_read);
    return fd >= 0 && read(fd, &byte, 1) == 1 && byte == 'i' && write(fd, &byte, 1) < 0 &&
           can_open(AT_FDCWD, directory, to_read) && pc_name_stat(AT_FDCWD, input, &st, 0) == 0 &&
           st.st_size == 5 && is_refused(pc_name_open(AT_FDCWD, secret, to_read)) &&
           is_refused(pc_name_stat(AT_FDCWD, secret, &st, 0)) &&
           is_refused(pc_name_open(AT_FDCWD, "/etc/passwd", to_read)) &&
           is_refused(pc_name_open(AT_FDCWD, input, O_RDWR)) &&
           is_refused(pc_name_open(AT_FDCWD, input, O_RDONLY | O_TRUNC)) &&
           is_refused(pc_name_open(AT_FDCWD, input, O_RDONLY | O_CREAT));
}

static int ask_for_members(void)
{
    struct stat st;
    int fd = pc_name_open(AT_FDCWD, directory, to_read), up = pc_name_open(fd, "..", O_PATH | O_DIRECTORY);
    return can_open(fd, ".", to_list) && can_open(fd, "data", to_read | O_NOFOLLOW) && up >= 0 &&
           fstat(up, &st) == 0 && can_open(up, "..", O_PATH | O_DIRECTORY) &&
           is_refused(pc_name_open(up, "secret", to_read | O_NOFOLLOW)) &&
           is_refused(pc_name_open(up, ".", to_list)) && is_refused(pc_name_open(fd, "..", to_list)) &&
           is_refused(pc_name_open(fd, "../secret", to_read | O_NOFOLLOW)) &&
           is_refused(pc_name_open(fd, "", to_read | O_NOFOLLOW)) &&
           is_refused(pc_name_open(fd, "link", to_read)) && !can_open(fd, "link", to_read | O_NOFOLLOW) &&
           is_refused(pc_name_create(fd, "new", to_make, 0600)) &&
           is_refused(pc_name_make_directory(fd, "new", 0700)) && is_refused(pc_name_remove(fd, "data", 0)) &&
           is_refused(pc_name_rename(fd, "data", "old", 0)) && is_refused(pc_name_link(fd, "data", "old")) &&
           pc_name_open(-1, "data", to_read) < 0 && errno == EBADF;
}

static int ask_for_outputs(void)
{
    static const char temporary[] = ".out.perfcheck-abcdef";
    struct stat st;
    int folder = pc_name_open(AT_FDCWD, scratch, to_list);
    int fd = pc_name_create(folder, temporary, to_make, 0600);
    bool good =
        fd >= 0 && write(fd, "x", 1) == 1 && ftruncate(fd, 10) == 0 && fsync(fd) == 0 && fsync(folder) == 0;
    good = good && is_refused(pc_name_create(folder, "other", to_make, 0600)) &&
           is_refused(pc_name_create(folder, temporary, to_make & ~O_EXCL, 0600)) &&
           is_refused(pc_name_rename(folder, temporary, "other", 0)) &&
           is_refused(pc_name_rename(folder, "secret", "out", 0)) &&
           is_refused(pc_name_link(folder, "secret", "out")) &&
           is_refused(pc_name_remove(folder, "secret", 0)) &&
           is_refused(pc_name_open(folder, "secret", to_read | O_NOFOLLOW)) &&
           is_refused(pc_name_stat(folder, "secret", &st, 0)) && can_open(folder, ".", to_list) &&
           can_open(folder, ".", O_PATH | O_DIRECTORY);
    return good && pc_name_rename(folder, temporary, "out", 0) == 0 &&
           pc_name_stat(folder, "out", &st, 0) == 0 && st.st_size == 10 &&
           pc_name_remove(folder, "out", 0) == 0;
}

static int ask_for_directories(void)
{
    int folder = pc_name_open(AT_FDCWD, scratch, to_list), made, sub;
    if (pc_name_make_directory(folder, "out", 0700) != 0)
        return 0;
    made = pc_name_open(folder, "out", to_list | O_NOFOLLOW);
    if (pc_name_make_directory(made, "sub", 0700) != 0)
        return 0;
    sub = pc_name_open(made, "sub", to_list | O_NOFOLLOW);
    return close(pc_name_create(sub, "any", to_make, 0600)) == 0 && pc_name_remove(sub, "any", 0) == 0 &&
           is_refused(pc_name_open(sub, "..", to_list)) &&
           is_refused(pc_name_remove(sub, "../../secret", 0)) &&
           pc_name_remove(made, "sub", AT_REMOVEDIR) == 0 && pc_name_remove(folder, "out", AT_REMOVEDIR) == 0;
}

static int ask_for_nothing_to_write(void)
{
    return is_refused(pc_name_open(AT_FDCWD, scratch, to_list));
}

static void put(char path[SCRATCH_PATH], const char *name, const char *text)
{
    scratch_path(path, name);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fputs(text, to);
    fclose(to);
}

static void the_opener_opens_inputs_and_makes_outputs_and_nothing_else(void **state)
{
    char *inputs[] = { input, directory };
    struct pc_task task = { .input = inputs, .nr = 2 };
    (void)state;
    put(input, "in", "input");
    put(secret, "secret", "secret");
    scratch_path(output, "out");
    scratch_path(directory, "dir");
    assert_int_equal(mkdir(directory, 0700), 0);
    put(inside, "dir/data", "data");
    scratch_path(link_in, "dir/link");
    assert_int_equal(symlink("../secret", link_in), 0);
    int inputs_only = try_in_child(ask_for_inputs, &task), members = try_in_child(ask_for_members, &task),
        none = try_in_child(ask_for_nothing_to_write, &task);
    task.output[0] = output;
    int outputs = try_in_child(ask_for_outputs, &task),
        directories = try_in_child(ask_for_directories, &task),
        members_too = try_in_child(ask_for_members, &task);
    unlink(inside);
    unlink(link_in);
    assert_int_equal(inputs_only, 1);
    assert_int_equal(members, 1);
    assert_int_equal(none, 1);
    assert_int_equal(outputs, 1);
    assert_int_equal(directories, 1);
    assert_int_equal(members_too, 1);
}

#else

static void a_confined_process_cannot_open_connect_run_trace_or_make_code(void **state)
{
    (void)state;
    lacks("this build keeps its rights");
}

static void the_opener_opens_inputs_and_makes_outputs_and_nothing_else(void **state)
{
    (void)state;
    lacks("this build keeps its rights");
}

#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_confined_process_cannot_open_connect_run_trace_or_make_code),
    cmocka_unit_test(the_opener_opens_inputs_and_makes_outputs_and_nothing_else),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, scratch_tear_down };

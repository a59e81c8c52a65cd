/* SPDX-License-Identifier: MIT
 *
 * A library for LD_PRELOAD that makes calls of the C library fail in perfcheck: each call of a run in a run
 * of its own. tests/test_injection drives it.
 *
 * lseek is left alone: it does not fail for a regular file.
 *
 * The program is loaded once. Instead of main a loop waits for commands on descriptor INJECT_FD: for each one
 * a child runs main, in which one call fails, does less than it was asked to, or is preceded by a signal. The
 * file INJECT_SHARED has what the child did. Its standard streams are INJECT_IN (the bytes of this file
 * arrive through a pipe; may be absent), INJECT_OUT and INJECT_ERR.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

/* The calls, and the kind of each: M memory, D data of files, N names and descriptors, O others. */
/* clang-format off */
#define CALLS(X) \
    X(malloc, M) X(calloc, M) X(realloc, M) X(read, D) X(pread64, D) X(write, D) X(pwrite64, D) \
    X(fsync, D) X(ftruncate64, D) X(copy_file_range, D) X(open64, N) X(openat64, N) X(renameat, N) \
    X(renameat2, N) X(linkat, N) X(mkdirat, N) X(fcntl64, N) X(opendir, N) X(fdopendir, N) \
    X(fopen64, N) X(getrandom, N) X(unlinkat, O) X(close, O) X(fstat64, O) X(stat64, O) \
    X(fstatat64, O) X(access, O) X(readdir64, O) X(getdents64, O) X(getline, O) X(getdelim, O) \
    X(fflush, O) X(fclose, O) X(ppoll, O) X(flock, O) X(sync_file_range, O) X(open_memstream, O) \
    X(asprintf, O) X(pthread_create, O) X(pthread_mutex_init, O) X(pthread_cond_init, O)
/* clang-format on */

#define CALL(name, kind) CALL_##name,
enum call { CALLS(CALL) NR_CALLS };
#define TEXT(name, kind) #name " " #kind "\n"
static const char names[] = CALLS(TEXT);

enum how { COUNT, FAIL, FAIL_FROM, SHORT, SIGNAL };

struct command {
    uint32_t how, nr; /* nr: which of these calls, from 1; with threads the order of others differs */
    uint32_t value;   /* an errno, or a signal */
    char kind;        /* FAIL_FROM: calls of this kind ... */
    uint8_t call;     /* ... else this call */
    uint8_t unused[2];
};

#define CALLS_MAX  (1 << 17)
#define FRAMES_MAX 32

static struct shared {
    _Atomic uint32_t calls;
    uint32_t hit;         /* a call was hit */
    uint32_t ended;       /* main returned: */
    uint32_t blocks, fds; /* allocated by the program, and open, at the end */
    uint32_t nr_frames;
    uint64_t
        frame[FRAMES_MAX]; /* where the call that was hit comes from: return addresses, the innermost first */
    uint8_t call[CALLS_MAX]; /* what each call was */
} * shared;

static _Atomic bool on;
static struct command command;
static uintptr_t program, program_end;
static int (*real_main)(int, char **, char **);

/* --- where a call comes from --- */

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *ctx)
{
    uintptr_t at = _Unwind_GetIP(context);
    (void)ctx;
    if (at >= program && at < program_end && shared->nr_frames < FRAMES_MAX)
        shared->frame[shared->nr_frames++] = at - program;
    return _URC_NO_REASON;
}

static int find_program(struct dl_phdr_info *info, size_t size, void *ctx)
{
    (void)size, (void)ctx;
    program = info->dlpi_addr;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t end = program + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && end > program_end)
            program_end = end;
    }
    return 1; /* the first one is the program */
}

/* --- whether a call is hit --- */

static char kind_of(enum call call)
{
#define KIND(name, kind) #kind[0],
    static const char kinds[] = { CALLS(KIND) };
    return kinds[call];
}

/* Whether this call fails; errno is set. *n: bytes to move; NULL: none. */
static bool hits(enum call call, int usual, size_t *n)
{
    if (!on)
        return false;
    static _Atomic uint32_t met;
    uint32_t nr = atomic_fetch_add(&shared->calls, 1) + 1;
    if (nr <= CALLS_MAX)
        shared->call[nr - 1] = (uint8_t)call;
    const bool from = command.how == FAIL_FROM;
    if (from ? kind_of(call) != command.kind : call != command.call)
        return false;
    nr = atomic_fetch_add(&met, 1) + 1;
    const bool meant = from ? nr >= command.nr : nr == command.nr;
    if (command.how == COUNT || !meant)
        return false;
    if (command.how == SHORT && (!n || *n < 2))
        return false;
    if (!shared->hit) {
        shared->hit = 1;
        _Unwind_Backtrace(add_frame, NULL);
    }
    if (command.how == SHORT)
        *n = 1;
    if (command.how == SIGNAL)
        kill(getpid(), (int)command.value);
    errno = command.how == FAIL ? (int)command.value : usual;
    return command.how == FAIL || from;
}

/* --- memory, and whether the program gives all of it back --- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

#define SLOTS (1 << 18)
/* INJECT_OLD: a kernel without this call, or without a flag of it. */
static bool is_old;

static bool lacks(bool what, int error)
{
    if (on && is_old && what)
        errno = error;
    return on && is_old && what;
}

static void **blocks; /* a hash table of those that the program itself allocated */
static atomic_flag lock = ATOMIC_FLAG_INIT;

static size_t slot_of(const void *block)
{
    return (size_t)(((uintptr_t)block >> 4) * 0x9e3779b97f4a7c15u >> 46);
}

static void note_block(void *block, const void *caller)
{
    if (!on || !block || (uintptr_t)caller < program || (uintptr_t)caller >= program_end)
        return;
    while (atomic_flag_test_and_set(&lock))
        continue;
    size_t at = slot_of(block);
    while (blocks[at] && blocks[at] != (void *)1)
        at = (at + 1) % SLOTS;
    blocks[at] = block;
    shared->blocks++;
    atomic_flag_clear(&lock);
}

static void forget_block(const void *block)
{
    if (!on || !block)
        return;
    while (atomic_flag_test_and_set(&lock))
        continue;
    for (size_t at = slot_of(block); blocks[at]; at = (at + 1) % SLOTS) {
        if (blocks[at] == block) {
            blocks[at] = (void *)1;
            shared->blocks--;
            break;
        }
    }
    atomic_flag_clear(&lock);
}

void *malloc(size_t n)
{
    void *block = hits(CALL_malloc, ENOMEM, NULL) ? NULL : __libc_malloc(n);
    note_block(block, __builtin_return_address(0));
    return block;
}

void *calloc(size_t nr, size_t n)
{
    void *block = hits(CALL_calloc, ENOMEM, NULL) ? NULL : __libc_calloc(nr, n);
    note_block(block, __builtin_return_address(0));
    return block;
}

void *realloc(void *block, size_t n)
{
    return hits(CALL_realloc, ENOMEM, NULL) ? NULL : __libc_realloc(block, n);
}

void free(void *block)
{
    forget_block(block);
    __libc_free(block);
}

/* --- the other calls --- */

#define REAL(name) real_##name
#define WRAP(type, name, parameters, arguments, bad, error)                                                  \
    static type(*real_##name) parameters;                                                                    \
    type name parameters                                                                                     \
    {                                                                                                        \
        return hits(CALL_##name, error, NULL) ? (bad) : REAL(name) arguments;                                \
    }
#define WRAP_MOVING(name, parameters, arguments, error)                                                      \
    static ssize_t(*real_##name) parameters;                                                                 \
    ssize_t name parameters                                                                                  \
    {                                                                                                        \
        return hits(CALL_##name, error, &n) ? -1 : REAL(name) arguments;                                     \
    }
/* What it closes is closed in any case. */
#define WRAP_CLOSING(type, name, of)                                                                         \
    static type (*real_##name)(of);                                                                          \
    type name(of it)                                                                                         \
    {                                                                                                        \
        bool fails = hits(CALL_##name, EIO, NULL);                                                           \
        int error = errno;                                                                                   \
        type result = REAL(name)(it);                                                                        \
        errno = fails ? error : errno;                                                                       \
        return fails ? -1 : result;                                                                          \
    }

WRAP_MOVING(read, (int fd, void *to, size_t n), (fd, to, n), EIO)
WRAP_MOVING(pread64, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at), EIO)
WRAP_MOVING(write, (int fd, const void *from, size_t n), (fd, from, n), ENOSPC)
WRAP_MOVING(pwrite64, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at), ENOSPC)
static ssize_t (*real_copy_file_range)(int, off64_t *, int, off64_t *, size_t, unsigned);
ssize_t copy_file_range(int a, off64_t *in, int b, off64_t *out, size_t n, unsigned flags)
{
    return lacks(true, ENOSYS) || hits(CALL_copy_file_range, EIO, &n)
               ? -1
               : real_copy_file_range(a, in, b, out, n, flags);
}

WRAP(int, fsync, (int fd), (fd), -1, EIO)
WRAP(int, ftruncate64, (int fd, off64_t size), (fd, size), -1, EFBIG)
WRAP(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), -1, EACCES)
static int (*real_renameat2)(int, const char *, int, const char *, unsigned);
int renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
    return lacks(flags != 0, EINVAL) || hits(CALL_renameat2, EACCES, NULL)
               ? -1
               : real_renameat2(a, from, b, to, flags);
}

WRAP(int, linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags), -1,
     EPERM)
WRAP(int, mkdirat, (int fd, const char *name, mode_t mode), (fd, name, mode), -1, EDQUOT)
WRAP(int, unlinkat, (int fd, const char *name, int flags), (fd, name, flags), -1, EACCES)
WRAP(DIR *, fdopendir, (int fd), (fd), NULL, ENOMEM)
WRAP(FILE *, fopen64, (const char *name, const char *how), (name, how), NULL, EMFILE)
WRAP(ssize_t, getrandom, (void *to, size_t n, unsigned flags), (to, n, flags), -1, ENOSYS)
WRAP(int, fstat64, (int fd, struct stat64 *st), (fd, st), -1, EIO)
WRAP(int, stat64, (const char *name, struct stat64 *st), (name, st), -1, EACCES)
WRAP(int, fstatat64, (int fd, const char *name, struct stat64 *st, int flags), (fd, name, st, flags), -1,
     EACCES)
WRAP(int, access, (const char *name, int how), (name, how), -1, EACCES)
WRAP(struct dirent64 *, readdir64, (DIR * stream), (stream), NULL, EIO)
WRAP(ssize_t, getdents64, (int fd, void *to, size_t n), (fd, to, n), -1, EIO)
WRAP(ssize_t, getline, (char **line, size_t *n, FILE *from), (line, n, from), -1, EIO)
WRAP(ssize_t, getdelim, (char **line, size_t *n, int end, FILE *from), (line, n, end, from), -1, EIO)
WRAP(int, fflush, (FILE * to), (to), EOF, ENOSPC)
WRAP(int, ppoll, (struct pollfd * fds, nfds_t nr, const struct timespec *time, const sigset_t *signals),
     (fds, nr, time, signals), -1, ENOMEM)
WRAP(int, flock, (int fd, int how), (fd, how), -1, ENOLCK)
WRAP(int, sync_file_range, (int fd, off64_t at, off64_t n, unsigned flags), (fd, at, n, flags), -1, EIO)
WRAP(FILE *, open_memstream, (char **to, size_t *n), (to, n), NULL, ENOMEM)
WRAP(int, pthread_create, (pthread_t * thread, const pthread_attr_t *how, void *(*run)(void *), void *ctx),
     (thread, how, run, ctx), errno, EAGAIN)
WRAP(int, pthread_mutex_init, (pthread_mutex_t * mutex, const pthread_mutexattr_t *how), (mutex, how), errno,
     ENOMEM)
WRAP(int, pthread_cond_init, (pthread_cond_t * cond, const pthread_condattr_t *how), (cond, how), errno,
     ENOMEM)
WRAP_CLOSING(int, close, int)
WRAP_CLOSING(int, fclose, FILE *)

static DIR *(*real_opendir)(const char *);

/* INJECT_PROC instead of /proc: the same processes in each run. */
DIR *opendir(const char *name)
{
    return hits(CALL_opendir, EMFILE, NULL)
               ? NULL
               : real_opendir(strcmp(name, "/proc") == 0 ? getenv("INJECT_PROC") : name);
}

static int (*real_open64)(const char *, int, ...), (*real_openat64)(int, const char *, int, ...);
static int (*real_fcntl64)(int, int, ...), (*real_vasprintf)(char **, const char *, va_list);

#define REST(type, value, last)                                                                              \
    va_list rest;                                                                                            \
    va_start(rest, last);                                                                                    \
    type value = va_arg(rest, type);                                                                         \
    va_end(rest)

int open64(const char *name, int flags, ...)
{
    REST(mode_t, mode, flags);
    return hits(CALL_open64, EMFILE, NULL) ? -1 : real_open64(name, flags, mode);
}

int openat64(int fd, const char *name, int flags, ...)
{
    REST(mode_t, mode, flags);
    if (lacks((flags & O_TMPFILE) == O_TMPFILE, EOPNOTSUPP))
        return -1;
    return hits(CALL_openat64, EMFILE, NULL) ? -1 : real_openat64(fd, name, flags, mode);
}

int fcntl64(int fd, int what, ...)
{
    REST(long, value, what);
    return what == F_DUPFD_CLOEXEC && hits(CALL_fcntl64, EMFILE, NULL) ? -1 : real_fcntl64(fd, what, value);
}

int asprintf(char **to, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    int n = hits(CALL_asprintf, ENOMEM, NULL) ? -1 : real_vasprintf(to, format, rest);
    va_end(rest);
    return n;
}

static void find(const char *name, void *pointer)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol)
        abort();
    memcpy(pointer, &symbol, sizeof(symbol));
}

static void find_all(void)
{
    static void *real_malloc, *real_calloc, *real_realloc, *real_asprintf;
#define FIND(name, kind) find(#name, &real_##name);
    CALLS(FIND)
    find("vasprintf", &real_vasprintf);
}

/* --- the loop --- */

static unsigned descriptors(void)
{
    unsigned nr = 0;
    for (int fd = 0; fd < 64; fd++)
        nr += real_fcntl64(fd, F_GETFD) >= 0;
    return nr;
}

static unsigned descriptors_before;

static void end(void)
{
    on = false;
    shared->fds = descriptors() - descriptors_before;
    shared->ended = 1;
}

static void must(bool ok)
{
    if (!ok) {
        perror("tests/injection");
        _exit(99);
    }
}

static void set_stream(int fd, const char *path)
{
    int new = real_open64(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    must(new >= 0 && dup2(new, fd) == fd &&real_close(new) == 0);
}

static char *input;
static size_t input_size;

static void read_input(const char *path)
{
    struct stat64 st;
    if (!path)
        return;
    int fd = real_open64(path, O_RDONLY);
    must(fd >= 0 && real_fstat64(fd, &st) == 0);
    input_size = (size_t)st.st_size;
    input = __libc_malloc(input_size + 1);
    must(input && real_read(fd, input, input_size) == (ssize_t)input_size);
    real_close(fd);
}

static void set_input(void)
{
    int fds[2];
    if (!input)
        return;
    must(pipe(fds) == 0 && fcntl(fds[1], F_SETPIPE_SZ, (long)input_size + 1) >= 0);
    must(real_write(fds[1], input, input_size) == (ssize_t)input_size);
    must(real_close(fds[1]) == 0 && dup2(fds[0], 0) == 0 && real_close(fds[0]) == 0);
}

static int run(int control, int argc, char **argv, char **environment)
{
    real_close(control);
    set_input();
    set_stream(1, getenv("INJECT_OUT"));
    set_stream(2, getenv("INJECT_ERR"));
    descriptors_before = descriptors();
    must(atexit(end) == 0);
    on = true;
    return real_main(argc, argv, environment);
}

static int serve(int argc, char **argv, char **environment)
{
    int control = atoi(getenv("INJECT_FD")), file, status;
    find_all();
    dl_iterate_phdr(find_program, NULL);
    file = real_open64(getenv("INJECT_SHARED"), O_RDWR);
    must(file >= 0);
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    blocks = mmap(NULL, SLOTS * sizeof(*blocks), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(shared != MAP_FAILED && blocks != MAP_FAILED && real_close(file) == 0);
    read_input(getenv("INJECT_IN"));
    is_old = getenv("INJECT_OLD") != NULL;
    must(real_write(control, names, sizeof(names) - 1) == (ssize_t)sizeof(names) - 1);
    while (real_read(control, &command, sizeof(command)) == (ssize_t)sizeof(command)) {
        memset(shared, 0, offsetof(struct shared, call));
        pid_t child = fork();
        must(child >= 0);
        if (child == 0)
            return run(control, argc, argv, environment);
        must(waitpid(child, &status, 0) == child);
        must(real_write(control, &status, sizeof(status)) == (ssize_t)sizeof(status));
    }
    _exit(0);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
                 void *);
    find("__libc_start_main", &start);
    real_main = main;
    return start(serve, argc, argv, init, fini, rtld_fini, stack_end);
}

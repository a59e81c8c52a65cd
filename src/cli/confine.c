/* SPDX-License-Identifier: MIT
 *
 * Gives up rights by no_new_privs, Landlock and seccomp. The filter is a list of system calls, written here
 * as the kernel's own instructions: so every build has it, also for other machines and with static libraries.
 */
#include "cli/confine.h"

#ifdef PC_CONFINE

#include "base/base.h"

#include <errno.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif

/* --- Landlock --- */

/* No file can be opened, made, removed or run: no rule allows it. */
static bool forbid_files(void)
{
#ifdef LANDLOCK_CREATE_RULESET_VERSION
    static const int rights[] = { 0, 13, 14, 15, 15, 16 }; /* of each version of Landlock, from 1 on */
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version <= 0)
        return false;
    int nr = rights[version < (long)PC_COUNT_OF(rights) ? version : (long)PC_COUNT_OF(rights) - 1];
    struct landlock_ruleset_attr attr = { .handled_access_fs = (UINT64_C(1) << nr) - 1 };
    long rules = syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr.handled_access_fs), 0);
    if (rules < 0)
        return false;
    bool done = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close((int)rules);
    return done;
#else
    return false;
#endif
}

/* --- seccomp --- */

#if defined(__x86_64__) && !defined(__ILP32__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define MACHINE AUDIT_ARCH_I386
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define MACHINE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define MACHINE AUDIT_ARCH_RISCV64
#endif

#ifdef MACHINE

/* A system call, which is allowed when these bits of the low half of one argument have this value. */
struct allowed {
    uint32_t call;
    unsigned argument;
    uint32_t bits, value;
};

#define ALLOW(call)                                                                                          \
    {                                                                                                        \
        SYS_##call, 0, 0, 0                                                                                  \
    }

/* The calls that read and write come first. Some exist on some machines only. */
static const struct allowed any[] = {
    ALLOW(read),
    ALLOW(pread64),
    ALLOW(write),
    ALLOW(pwrite64),
    ALLOW(readv),
    ALLOW(writev),
    ALLOW(lseek),
    ALLOW(futex),
    ALLOW(close),
    ALLOW(fstat),
#ifdef SYS__llseek
    ALLOW(_llseek),
#endif
#ifdef SYS_futex_time64
    ALLOW(futex_time64),
#endif
#ifdef SYS_fstat64
    ALLOW(fstat64),
#endif
/* fstat of some C libraries; what they tell of other files is no more than a name and a size */
#ifdef SYS_newfstatat
    ALLOW(newfstatat),
#endif
#ifdef SYS_fstatat64
    ALLOW(fstatat64),
#endif
#ifdef SYS_stat /* of some C libraries, as the next one */
    ALLOW(stat),
#endif
#ifdef SYS_lstat
    ALLOW(lstat),
#endif
#ifdef SYS_statx
    ALLOW(statx),
#endif
    ALLOW(fcntl),
#ifdef SYS_fcntl64
    ALLOW(fcntl64),
#endif
    ALLOW(flock),
    ALLOW(fsync),
    ALLOW(ftruncate),
#ifdef SYS_ftruncate64
    ALLOW(ftruncate64),
#endif
#ifdef SYS_sync_file_range
    ALLOW(sync_file_range),
#endif
    ALLOW(copy_file_range),
    ALLOW(getdents64),
    ALLOW(brk),
    ALLOW(munmap),
    ALLOW(mremap),
    ALLOW(madvise),
    ALLOW(rt_sigaction),
    ALLOW(rt_sigprocmask),
    ALLOW(rt_sigreturn),
#ifdef SYS_sigreturn
    ALLOW(sigreturn),
#endif
    ALLOW(sigaltstack),
    ALLOW(ppoll),
#ifdef SYS_ppoll_time64
    ALLOW(ppoll_time64),
#endif
#ifdef SYS_poll
    ALLOW(poll),
#endif
    ALLOW(restart_syscall),
    ALLOW(clock_gettime),
#ifdef SYS_clock_gettime64
    ALLOW(clock_gettime64),
#endif
    ALLOW(getrandom),
    ALLOW(getpid),
    ALLOW(gettid),
    ALLOW(geteuid),
#ifdef SYS_geteuid32
    ALLOW(geteuid32),
#endif
    ALLOW(sched_yield),
    ALLOW(sysinfo), /* asked by qsort */
    ALLOW(sched_getaffinity),
    ALLOW(set_robust_list),
#ifdef SYS_rseq
    ALLOW(rseq),
#endif
    ALLOW(wait4),
    ALLOW(exit),
    ALLOW(exit_group),
/* memory that is no code */
#ifdef SYS_mmap2
    { SYS_mmap2, 2, PROT_EXEC, 0 },
#else
    { SYS_mmap, 2, PROT_EXEC, 0 },
#endif
    { SYS_mprotect, 2, PROT_EXEC, 0 },
    /* threads, but no processes. The flags of clone3 cannot be seen: the C library takes clone instead. */
    { SYS_clone, 0, CLONE_THREAD, CLONE_THREAD },
    /* whether it is a terminal, and how wide */
    { SYS_ioctl, 1, UINT32_MAX, TCGETS },
    { SYS_ioctl, 1, UINT32_MAX, TIOCGWINSZ },
};

static const struct allowed named[] = {
    ALLOW(openat),   ALLOW(mkdirat), ALLOW(unlinkat), ALLOW(linkat), ALLOW(renameat2),
#ifdef SYS_open
    ALLOW(open), /* of some C libraries */
#endif
#ifdef SYS_renameat
    ALLOW(renameat),
#endif
#ifdef SYS_openat2
    ALLOW(openat2),
#endif
};

/* A process that shares nothing with this one, what bounds it, and that it ends with this one. */
static const struct allowed copies[] = {
    { SYS_clone, 0, ~(uint32_t)(CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID), SIGCHLD },
#ifdef SYS_fork
    ALLOW(fork), /* of some C libraries */
#endif
    { SYS_prlimit64, 0, UINT32_MAX, 0 },
#ifdef SYS_getrlimit
    ALLOW(getrlimit),
    ALLOW(setrlimit),
#endif
    { SYS_prctl, 0, UINT32_MAX, PR_SET_PDEATHSIG },
};

#define LINES (4 + 6 * (PC_COUNT_OF(any) + PC_COUNT_OF(named) + PC_COUNT_OF(copies) + 4) + 1)

struct filter {
    struct sock_filter line[LINES];
    unsigned short nr;
};

static void add_line(struct filter *f, uint16_t code, uint8_t otherwise, uint32_t operand)
{
    assert(f->nr < LINES);
    f->line[f->nr++] = (struct sock_filter){ .code = code, .jf = otherwise, .k = operand };
}

static void allow(struct filter *f, const struct allowed *a)
{
    const uint16_t load = BPF_LD | BPF_W | BPF_ABS, equal = BPF_JMP | BPF_JEQ | BPF_K, end = BPF_RET | BPF_K;
    if (a->bits == 0) {
        add_line(f, equal, 1, a->call);
        add_line(f, end, 0, SECCOMP_RET_ALLOW);
        return;
    }
    add_line(f, equal, 5, a->call);
    add_line(f, load, 0, (uint32_t)(offsetof(struct seccomp_data, args) + a->argument * sizeof(uint64_t)));
    add_line(f, BPF_ALU | BPF_AND | BPF_K, 0, a->bits);
    add_line(f, equal, 1, a->value);
    add_line(f, end, 0, SECCOMP_RET_ALLOW);
    add_line(f, load, 0, offsetof(struct seccomp_data, nr)); /* another row may have the call too */
}

static void allow_all(struct filter *f, const struct allowed *a, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        allow(f, &a[i]);
}

static bool filter_calls(int socket, unsigned keeps)
{
    const uint16_t load = BPF_LD | BPF_W | BPF_ABS, equal = BPF_JMP | BPF_JEQ | BPF_K, end = BPF_RET | BPF_K;
    const struct allowed of_process[] = {
        { SYS_tgkill, 0, UINT32_MAX, (uint32_t)getpid() }, /* raise */
        { SYS_tkill, 0, UINT32_MAX, (uint32_t)getpid() },  /* the same in another C library */
        { SYS_sendmsg, 0, UINT32_MAX, (uint32_t)socket },
        { SYS_recvmsg, 0, UINT32_MAX, (uint32_t)socket },
    };
    struct filter f = { .nr = 0 };
    add_line(&f, load, 0, offsetof(struct seccomp_data, arch));
    add_line(&f, equal, 0, MACHINE);
    f.line[f.nr - 1].jt = 1;
    add_line(&f, end, 0, SECCOMP_RET_ERRNO | ENOSYS); /* the calls of another machine, as int 0x80 */
    add_line(&f, load, 0, offsetof(struct seccomp_data, nr));
    allow_all(&f, any, PC_COUNT_OF(any));
    allow_all(&f, of_process, socket < 0 ? 2 : PC_COUNT_OF(of_process));
    if (keeps & PC_KEEPS_NAMES)
        allow_all(&f, named, PC_COUNT_OF(named));
    if (keeps & PC_KEEPS_COPIES)
        allow_all(&f, copies, PC_COUNT_OF(copies));
    add_line(&f, end, 0, SECCOMP_RET_ERRNO | ENOSYS);
    const struct sock_fprog program = { .len = f.nr, .filter = f.line };
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#else

static bool filter_calls(int socket, unsigned keeps)
{
    (void)socket;
    (void)keeps;
    return false;
}

#endif

/* Before glibc gives memory of a thread back, it opens a file of /proc that tells how. */
static void keep_memory(void)
{
#ifdef M_TRIM_THRESHOLD
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

int pc_confine(int socket, unsigned keeps)
{
    keep_memory();
    /* Without it neither of the others is allowed. */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return 0;
    int active = PC_NO_NEW_PRIVS;
    if (!(keeps & PC_KEEPS_NAMES) && forbid_files())
        active |= PC_LANDLOCK;
    if (filter_calls(socket, keeps))
        active |= PC_SECCOMP;
    return active;
}

#else /* this build keeps its rights */

int pc_confine(int socket, unsigned keeps)
{
    (void)socket;
    (void)keeps;
    return 0;
}

#endif

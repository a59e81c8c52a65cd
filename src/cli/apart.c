/* SPDX-License-Identifier: MIT */
#include "cli/apart.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void *pc_apart_share(size_t size)
{
    void *shared =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return shared == MAP_FAILED ? NULL : shared;
}

void pc_apart_unshare(void *shared, size_t size)
{
    if (shared)
        munmap(shared, size);
}

static void lower(struct rlimit *limits, uint64_t most)
{
    if (limits->rlim_max == RLIM_INFINITY || limits->rlim_max > most)
        limits->rlim_max = (rlim_t)most;
    limits->rlim_cur = limits->rlim_max;
}

/* Builds for sanitizers have their shadow in the address space. */
static bool limit(unsigned seconds, uint64_t memory)
{
    struct rlimit time, space;
    const struct rlimit no_core = { 0, 0 };
    if (getrlimit(RLIMIT_CPU, &time) != 0 || getrlimit(RLIMIT_AS, &space) != 0)
        return false;
    lower(&time, seconds);
    lower(&space, memory);
#ifdef PC_CONFINE
    if (setrlimit(RLIMIT_AS, &space) != 0)
        return false;
#endif
    return setrlimit(RLIMIT_CPU, &time) == 0 && setrlimit(RLIMIT_CORE, &no_core) == 0;
}

/* The copy: handlers of signals are for the process that it is a copy of. */
static _Noreturn void be_copy(bool (*work)(void *), void *ctx, unsigned seconds, uint64_t memory)
{
    struct sigaction action = { .sa_handler = SIG_DFL };
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        sigaction(i, &action, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(limit(seconds, memory) && work(ctx) ? 0 : 1);
}

bool pc_apart_run(bool (*work)(void *ctx), void *ctx, unsigned seconds, uint64_t memory)
{
    sigset_t all, before;
    int status = -1;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t copy = fork();
    if (copy == 0)
        be_copy(work, ctx, seconds, memory);
    sigprocmask(SIG_SETMASK, &before, NULL);
    while (copy > 0 && waitpid(copy, &status, 0) < 0) {
        if (errno != EINTR)
            return false;
    }
    return copy > 0 && status == 0;
}

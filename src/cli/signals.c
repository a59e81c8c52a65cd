/* SPDX-License-Identifier: MIT
 *
 * Removes temporary files when a signal ends the program; ends a stream with what has arrived.
 */
#include "cli/signals.h"
#include "base/base.h"
#include "perfcheck.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void remove_and_die(int number)
{
    struct sigaction action = { .sa_handler = SIG_DFL };
    perfcheck_remove_temporaries();
    sigaction(number, &action, NULL);
    raise(number); /* blocked until the handler returns */
}

static const int ends_stream[] = { SIGINT, SIGTERM, SIGHUP };
static perfcheck_t *stream_handle;
static volatile sig_atomic_t ended_by;

/* The first time the copy gets what has arrived. Ctrl-C goes to the writer too, which sends the rest and ends
 * the stream. */
static void end_stream(int number)
{
    static const char text[] =
        "perfcheck: waiting for the end of the stream (again: ends at once, and writes nothing)\n";
    int before = errno;
    if (ended_by != 0) {
        remove_and_die(number);
        return;
    }
    ended_by = number;
    if (number != SIGINT || write(STDERR_FILENO, text, sizeof(text) - 1) < 0) /* nobody can be told */
        perfcheck_end_input(stream_handle);
    errno = before;
}

void pc_catch_signals_of_stream(perfcheck_t *pc)
{
    struct sigaction action = { .sa_handler = end_stream, .sa_flags = SA_ONSTACK | SA_RESTART }, old;
    stream_handle = pc;
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < PC_COUNT_OF(ends_stream); i++) {
        if (sigaction(ends_stream[i], NULL, &old) == 0 && old.sa_handler == remove_and_die)
            sigaction(ends_stream[i], &action, NULL);
    }
}

static void mask_signals_of_stream(int how)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < PC_COUNT_OF(ends_stream); i++)
        sigaddset(&set, ends_stream[i]);
    sigprocmask(how, &set, NULL);
}

void pc_hold_signals(void)
{
    mask_signals_of_stream(SIG_BLOCK);
}

void pc_release_signals(void)
{
    mask_signals_of_stream(SIG_UNBLOCK);
}

int pc_stream_ended_by(void)
{
    return ended_by;
}

void pc_catch_signals(void)
{
    static const int deadly[] = { SIGHUP,    SIGINT,  SIGQUIT, SIGPIPE, SIGALRM,   SIGTERM, SIGUSR1,
                                  SIGUSR2,   SIGXCPU, SIGABRT, SIGBUS,  SIGFPE,    SIGILL,  SIGSEGV,
                                  SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,  SIGSTKFLT, SIGSYS,  SIGTRAP };
    /* A stack that is full cannot take the handler too. A sanitizer may have made another one already. */
    static unsigned char stack[64 << 10];
    stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) }, before;
    struct sigaction action = { .sa_handler = remove_and_die, .sa_flags = SA_ONSTACK }, old;
    if (sigaltstack(NULL, &before) == 0 && (before.ss_flags & SS_DISABLE))
        sigaltstack(&own, NULL);
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < PC_COUNT_OF(deadly); i++) {
        if (sigaction(deadly[i], NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL)
            sigaction(deadly[i], &action, NULL);
    }
}

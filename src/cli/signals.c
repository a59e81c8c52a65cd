/* SPDX-License-Identifier: MIT
 *
 * Removes temporary files when a signal ends the program; ends a stream with what has arrived.
 */
#include "cli/signals.h"
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

static const int ending[] = { SIGINT, SIGTERM, SIGHUP }; /* a stream */
static perfcheck_t *reader;                              /* of it */
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
        perfcheck_end_input(reader);
    errno = before;
}

void pc_catch_signals_of_stream(perfcheck_t *pc)
{
    struct sigaction action = { .sa_handler = end_stream, .sa_flags = SA_ONSTACK | SA_RESTART }, old;
    reader = pc;
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++) {
        if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler == remove_and_die)
            sigaction(ending[i], &action, NULL);
    }
}

static void mask_signals(int how)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
        sigaddset(&set, ending[i]);
    sigprocmask(how, &set, NULL);
}

void pc_hold_signals(void)
{
    mask_signals(SIG_BLOCK);
}

void pc_release_signals(void)
{
    mask_signals(SIG_UNBLOCK);
}

int pc_stream_ended_by(void)
{
    return ended_by;
}

void pc_catch_signals(void)
{
    static const int deadly[] = { SIGHUP,  SIGINT,  SIGQUIT,   SIGPIPE, SIGALRM, SIGTERM, SIGUSR1,   SIGUSR2,
                                  SIGXCPU, SIGABRT, SIGBUS,    SIGFPE,  SIGILL,  SIGSEGV, SIGVTALRM, SIGPROF,
                                  SIGIO,   SIGPWR,  SIGSTKFLT, SIGSYS,  SIGTRAP, 0 };
    /* A stack that is full cannot take the handler too. A sanitizer may have made another one already. */
    static unsigned char stack[64 << 10];
    stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) }, before;
    struct sigaction action = { .sa_handler = remove_and_die, .sa_flags = SA_ONSTACK }, old;
    if (sigaltstack(NULL, &before) == 0 && (before.ss_flags & SS_DISABLE))
        sigaltstack(&own, NULL);
    sigfillset(&action.sa_mask);
    for (size_t i = 0; deadly[i] != 0; i++) {
        if (sigaction(deadly[i], NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL)
            sigaction(deadly[i], &action, NULL);
    }
}

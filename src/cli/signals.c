/* SPDX-License-Identifier: MIT
 *
 * Removes temporary files when a signal ends the program.
 */
#include "cli/signals.h"
#include "perfcheck.h"

#include <signal.h>
#include <stddef.h>

static void remove_and_die(int number)
{
    struct sigaction action = { .sa_handler = SIG_DFL };
    perfcheck_remove_temporaries();
    sigaction(number, &action, NULL);
    raise(number); /* blocked until the handler returns */
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

/* SPDX-License-Identifier: MIT
 *
 * The thread that does one job at a time.
 */
#include "base/worker.h"
#include "pc_test.h"

#include <signal.h>

/* What jobs see and leave; no lock: the worker hands it on. */
struct log {
    unsigned nr, seen[64];
    pthread_t thread;
    sigset_t blocked;
};

struct job {
    struct log *log;
    unsigned number;
};

static void note(void *ctx)
{
    struct job *job = ctx;
    job->log->seen[job->log->nr++] = job->number;
}

static void note_thread(void *ctx)
{
    struct log *log = ctx;
    log->thread = pthread_self();
    pthread_sigmask(SIG_SETMASK, NULL, &log->blocked);
}

static void jobs_are_done_in_order(void **state)
{
    (void)state;
    struct pc_worker worker;
    struct log log = { .nr = 0 };
    struct job jobs[64];
    assert_true(pc_worker_start(&worker));
    for (unsigned i = 0; i < PC_COUNT_OF(jobs); i++) {
        jobs[i] = (struct job){ &log, 100 + i };
        pc_worker_give(&worker, note, &jobs[i]); /* waits for the one before */
    }
    pc_worker_wait(&worker);
    assert_int_equal(log.nr, 64);
    for (unsigned i = 0; i < PC_COUNT_OF(jobs); i++)
        assert_int_equal(log.seen[i], 100 + i);
    pc_worker_stop(&worker);
}

static void a_worker_without_a_job_can_be_waited_for_and_stopped(void **state)
{
    (void)state;
    struct pc_worker worker;
    assert_true(pc_worker_start(&worker));
    pc_worker_wait(&worker);
    pc_worker_wait(&worker);
    pc_worker_stop(&worker);
}

static void stopping_finishes_the_last_job(void **state)
{
    (void)state;
    struct pc_worker worker;
    struct log log = { .nr = 0 };
    struct job job = { &log, 7 };
    assert_true(pc_worker_start(&worker));
    pc_worker_give(&worker, note, &job);
    pc_worker_stop(&worker);
    assert_int_equal(log.nr, 1);
    assert_int_equal(log.seen[0], 7);
}

static void signals_go_to_the_thread_that_started_it(void **state)
{
    (void)state;
    struct pc_worker worker;
    struct log log;
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    assert_true(pc_worker_start(&worker));
    pc_worker_give(&worker, note_thread, &log);
    pc_worker_wait(&worker);
    assert_false(pthread_equal(log.thread, pthread_self()));
    assert_true(sigismember(&log.blocked, SIGINT) && sigismember(&log.blocked, SIGTERM));
    assert_false(sigismember(&log.blocked, SIGPIPE));
    pc_worker_stop(&worker);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(jobs_are_done_in_order),
    cmocka_unit_test(a_worker_without_a_job_can_be_waited_for_and_stopped),
    cmocka_unit_test(stopping_finishes_the_last_job),
    cmocka_unit_test(signals_go_to_the_thread_that_started_it),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

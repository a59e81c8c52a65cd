/* SPDX-License-Identifier: MIT
 *
 * The thread that does one job at a time.
 */
#include "base/worker.h"
#include "pc_test.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

/* The functions below stand in front of those of the system. They count what was made and not destroyed. A
 * mutex refuses a thread that unlocks it and did not lock it: a worker without the lock misses that it is to
 * end. */
static int mutexes, conditions, refused;
static bool no_condition, no_thread;

#define REAL(function, name)                                                                                 \
    do {                                                                                                     \
        void *symbol = dlsym(RTLD_NEXT, name);                                                               \
        memcpy(&(function), &symbol, sizeof(function));                                                      \
    } while (0)

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
    int (*real)(pthread_mutex_t *, const pthread_mutexattr_t *);
    pthread_mutexattr_t strict;
    (void)attr;
    REAL(real, "pthread_mutex_init");
    pthread_mutexattr_init(&strict);
    pthread_mutexattr_settype(&strict, PTHREAD_MUTEX_ERRORCHECK);
    int error = real(mutex, &strict);
    pthread_mutexattr_destroy(&strict);
    mutexes += error == 0;
    return error;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    int (*real)(pthread_mutex_t *);
    REAL(real, "pthread_mutex_unlock");
    int error = real(mutex);
    if (error != 0)
        __atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
    return error;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    int (*real)(pthread_mutex_t *);
    REAL(real, "pthread_mutex_destroy");
    mutexes--;
    return real(mutex);
}

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attr)
{
    int (*real)(pthread_cond_t *, const pthread_condattr_t *);
    if (no_condition)
        return ENOMEM;
    REAL(real, "pthread_cond_init");
    int error = real(condition, attr);
    conditions += error == 0;
    return error;
}

int pthread_cond_destroy(pthread_cond_t *condition)
{
    int (*real)(pthread_cond_t *);
    REAL(real, "pthread_cond_destroy");
    conditions--;
    return real(condition);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *ctx)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (no_thread)
        return EAGAIN;
    REAL(real, "pthread_create");
    return real(thread, attr, run, ctx);
}

/* The end of each test. */
static int expect_nothing_left(void **state)
{
    (void)state;
    return mutexes == 0 && conditions == 0 && refused == 0 ? 0 : -1;
}

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

static void without_a_thread_there_is_no_worker(void **state)
{
    (void)state;
    struct pc_worker worker;
    no_thread = true;
    bool started = pc_worker_start(&worker);
    no_thread = false;
    assert_false(started);
    assert_true(mutexes == 0 && conditions == 0);
}

static void without_a_condition_there_is_no_worker(void **state)
{
    (void)state;
    struct pc_worker worker;
    no_condition = true;
    bool started = pc_worker_start(&worker);
    no_condition = false;
    assert_false(started);
    assert_int_equal(mutexes, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(jobs_are_done_in_order, expect_nothing_left),
    cmocka_unit_test_teardown(a_worker_without_a_job_can_be_waited_for_and_stopped, expect_nothing_left),
    cmocka_unit_test_teardown(stopping_finishes_the_last_job, expect_nothing_left),
    cmocka_unit_test_teardown(signals_go_to_the_thread_that_started_it, expect_nothing_left),
    cmocka_unit_test_teardown(without_a_thread_there_is_no_worker, expect_nothing_left),
    cmocka_unit_test_teardown(without_a_condition_there_is_no_worker, expect_nothing_left),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

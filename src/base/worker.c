/* SPDX-License-Identifier: MIT
 *
 * A thread that does one job at a time for its owner.
 */
#include "base/worker.h"

#include <signal.h>

#define STACK ((size_t)1 << 20) /* most functions take a few hundred bytes, none more than 24 KiB */

static void *work(void *ctx)
{
    struct pc_worker *w = ctx;
    pthread_mutex_lock(&w->lock);
    while (!w->ends) {
        if (!w->job) {
            pthread_cond_wait(&w->change, &w->lock);
            continue;
        }
        pthread_mutex_unlock(&w->lock);
        w->job(w->ctx);
        pthread_mutex_lock(&w->lock);
        w->job = NULL;
        pthread_cond_broadcast(&w->change);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* With a small stack, as the room that a limit on memory leaves should not depend on the number of threads.
 */
static int start(struct pc_worker *w)
{
    pthread_attr_t attr;
    int error = pthread_attr_init(&attr);
    if (error)
        return error;
    error = pthread_attr_setstacksize(&attr, STACK);
    if (!error)
        error = pthread_create(&w->thread, &attr, work, w);
    pthread_attr_destroy(&attr);
    return error;
}

bool pc_worker_start(struct pc_worker *w)
{
    sigset_t others, before;
    *w = (struct pc_worker){ .job = NULL };
    if (pthread_mutex_init(&w->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&w->change, NULL) != 0) {
        pthread_mutex_destroy(&w->lock);
        return false;
    }
    sigfillset(&others); /* which are for the thread that began the work */
    sigdelset(&others, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &others, &before);
    int error = start(w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0)
        return true;
    pthread_cond_destroy(&w->change);
    pthread_mutex_destroy(&w->lock);
    return false;
}

void pc_worker_give(struct pc_worker *w, void (*job)(void *ctx), void *ctx)
{
    pc_worker_wait(w);
    pthread_mutex_lock(&w->lock);
    w->job = job;
    w->ctx = ctx;
    pthread_cond_broadcast(&w->change);
    pthread_mutex_unlock(&w->lock);
}

void pc_worker_wait(struct pc_worker *w)
{
    pthread_mutex_lock(&w->lock);
    while (w->job)
        pthread_cond_wait(&w->change, &w->lock);
    pthread_mutex_unlock(&w->lock);
}

void pc_worker_stop(struct pc_worker *w)
{
    pc_worker_wait(w);
    pthread_mutex_lock(&w->lock);
    w->ends = true;
    pthread_cond_broadcast(&w->change);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->change);
    pthread_mutex_destroy(&w->lock);
}

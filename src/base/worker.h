/* SPDX-License-Identifier: MIT
 *
 * worker.h: a thread that does one job at a time while its owner continues. It blocks all signals but
 * SIGPIPE.
 */
#ifndef PC_WORKER_H
#define PC_WORKER_H

#include <pthread.h>
#include <stdbool.h>

struct pc_worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t change;
    void (*job)(void *ctx); /* NULL: there is none */
    void *ctx;
    bool ends;
};

/* Starts the thread. False: the system cannot start one. */
bool pc_worker_start(struct pc_worker *worker);

/* Waits until the previous job is done, then starts this one. */
void pc_worker_give(struct pc_worker *worker, void (*job)(void *ctx), void *ctx);

/* Waits until the job is done. What it wrote can then be read. */
void pc_worker_wait(struct pc_worker *worker);

/* Waits until the job is done, then ends the thread. */
void pc_worker_stop(struct pc_worker *worker);

#endif

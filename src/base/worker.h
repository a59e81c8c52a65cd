/* SPDX-License-Identifier: MIT
 *
 * worker.h: a thread that does one job at a time for another one, which goes on meanwhile. It takes
 * no signals but SIGPIPE.
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

/* False: there can be no thread. */
bool pc_worker_start(struct pc_worker *worker);

/* Hands over a job; the one before is done. */
void pc_worker_give(struct pc_worker *worker, void (*job)(void *ctx), void *ctx);

/* Waits until the job is done; what it wrote can be read then. */
void pc_worker_wait(struct pc_worker *worker);

/* Waits, and ends the thread. */
void pc_worker_stop(struct pc_worker *worker);

#endif

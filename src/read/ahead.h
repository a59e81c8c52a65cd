/* SPDX-License-Identifier: MIT
 *
 * ahead.h: a thread that reads a large file ahead of its records. The bytes of the window are where the
 * thread has put them, so that none is copied again but a few where the ring of buffers begins anew. The
 * window shows as many at once as without the thread, so that the thread changes nothing that is found.
 */
#ifndef PC_AHEAD_H
#define PC_AHEAD_H

#include <pthread.h>

#include "base/mem.h"
#include "base/worker.h"
#include "bytes/input.h"

struct pc_window;

struct pc_ahead {
    bool works;
    bool tried; /* it was started in this stream, or could not be. A hole that is passed ends it for good */
    struct pc_mem mem;
    struct pc_worker worker;
    struct pc_input in;   /* of the thread; its errors are met again by who reads without it */
    unsigned char *own;   /* the bytes of the window when there is no thread */
    unsigned char *bytes; /* room for a window, then the ring */
    uint64_t lap;         /* offset of what the first byte of the ring holds */
    uint64_t start, end;  /* offsets of what is read */
    /* What both threads know, under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t change;
    uint64_t made;   /* bytes before this offset are there, ... */
    uint64_t freed;  /* ... and those before this one are no longer needed */
    uint64_t wanted; /* the owner waits for those before this one; 0: it does not */
    bool full;       /* the thread waits for room */
    bool stop;       /* nothing more is needed */
    bool over;       /* nothing more comes */
};

/* Starts to read this file from the end of the window to `end`; ahead->works: there is memory and a thread.
 */
void pc_ahead_start(struct pc_ahead *ahead, struct pc_window *window, const struct pc_input *in,
                    uint64_t end);

/* Makes the next n bytes follow those of the window, whose bytes may move. False: reading failed. */
bool pc_ahead_take(struct pc_ahead *ahead, struct pc_window *window, size_t n);

/* Ends the thread, if there is one. The window is in its own bytes again. */
void pc_ahead_end(struct pc_ahead *ahead, struct pc_window *window);

#endif

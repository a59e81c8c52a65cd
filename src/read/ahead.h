/* SPDX-License-Identifier: MIT
 *
 * ahead.h: threads that read a large file ahead of its records. The bytes of the window are where the threads
 * have put them, so that none is copied again but a few where the ring of buffers begins anew. The window
 * shows as many at once as without threads, so that they change nothing that is found.
 *
 * Each thread takes the next block of the file, reads it, finds where records begin in it, and hands it to a
 * function of the owner, which may judge them before their turn. Where records begin is followed from block
 * to block by their headers alone. Damage ends that. No block is judged then, until the owner tells where a
 * record begins behind it.
 */
#ifndef PC_AHEAD_H
#define PC_AHEAD_H

#include <pthread.h>

#include "base/mem.h"
#include "base/worker.h"
#include "bytes/cursor.h"
#include "bytes/input.h"

#define PC_AHEAD_THREADS 8                      /* the most that help */
#define PC_AHEAD_BLOCKS  (PC_AHEAD_THREADS + 3) /* in the ring, for so many threads */

struct pc_window;
struct pc_ahead;

/* The records that begin in a block. */
struct pc_block {
    struct pc_span bytes; /* from the first of them to the end of the block, where the last may have only its
                             beginning */
    uint64_t offset;      /* of the first of them in the stream */
    uint64_t samples;     /* SAMPLE records before it, counted from anywhere */
    unsigned thread;      /* which has it, from 0 on ... */
    unsigned place;       /* ... and its place in the ring */
};

typedef void pc_judge_block(void *ctx, const struct pc_block *block);

struct pc_ahead {
    bool works;
    bool tried; /* it was started in this stream, or could not be. A hole that is passed ends it for the
                   stream */
    /* What does not change while it works. */
    struct pc_mem mem;
    enum pc_order order;
    unsigned nr; /* of threads, ... */
    struct pc_ahead_thread {
        struct pc_worker worker;
        struct pc_input in; /* its errors are met again by who reads without it */
        struct pc_ahead *of;
        unsigned number;
    } thread[PC_AHEAD_THREADS];
    unsigned char *own;   /* the bytes of the window when there is no thread */
    unsigned char *bytes; /* room for a window, then the ring ... */
    size_t ring;          /* ... of so many bytes */
    uint64_t start, end;  /* offsets of what is read */
    /* The owner's. */
    uint64_t lap;      /* offset of what the first byte of the ring holds */
    unsigned pauses;   /* of judging */
    uint64_t followed; /* the owner itself followed records up to this offset */
    /* What all threads know, under the lock. The owner alone writes `added`, `judge` and `ctx`. */
    pthread_mutex_t lock;
    pthread_cond_t change; /* the owner waits for it */
    pthread_cond_t room;   /* threads wait for it, with no block, ... */
    pthread_cond_t turn;   /* ... and with one, until records are followed up to it */
    uint64_t taken;        /* blocks before this offset are taken by a thread, ... */
    uint64_t made;         /* ... the bytes before this one are there, ... */
    uint64_t freed;        /* ... and those before this one are no longer needed */
    uint64_t awaited;      /* the owner waits for those before this one; 0: it does not */
    unsigned waiting;      /* threads that wait for room, ... */
    unsigned running;      /* ... and those that have not ended */
    bool stop;             /* nothing more is needed */
    bool failed;           /* a read failed */
    uint64_t framed;       /* records are followed up to this offset ... */
    uint64_t next;         /* ... and the next one begins here; UINT64_MAX: nobody knows */
    uint64_t samples;      /* SAMPLE records before it, as counted here, ... */
    uint64_t added;        /* ... and what the owner adds to that, as it counts sound ones only */
    pc_judge_block *judge; /* NULL: no records are judged */
    void *ctx;
    unsigned judging; /* threads that judge */
    struct pc_ahead_block {
        bool is_made, is_judged;
        bool is_lost; /* at its end nobody knew where the next record begins */
        uint64_t offset, added;
    } block[PC_AHEAD_BLOCKS];
};

/* Starts up to so many threads that read this file from the end of the window to `end`; ahead->works: there
 * is memory and a thread. A record begins at the current place of the window. */
void pc_ahead_start(struct pc_ahead *ahead, uint64_t threads, struct pc_window *window,
                    const struct pc_input *in, uint64_t end, enum pc_order order);

/* Makes the next n bytes follow those of the window, whose bytes may move. False: reading failed. */
bool pc_ahead_take(struct pc_ahead *ahead, struct pc_window *window, size_t n);

/* Ends the threads, if there are any. The window is in its own bytes again. */
void pc_ahead_end(struct pc_ahead *ahead, struct pc_window *window);

/* Whether threads can judge: there are several, and they were not paused too often. */
bool pc_ahead_may_judge(const struct pc_ahead *ahead);

/* From now on they call this for blocks. */
void pc_ahead_judge(struct pc_ahead *ahead, pc_judge_block *judge, void *ctx);

/* From now on no thread judges, and what they judged is forgotten: for before the model changes. Waits for
 * those that are judging. */
void pc_ahead_pause(struct pc_ahead *ahead);

static inline bool pc_ahead_judges(const struct pc_ahead *ahead)
{
    return ahead->works && ahead->judge;
}

/* A record begins at this offset, at which the window shows a byte, and so many sound samples are before it.
 * If the threads do not know where records begin, the owner follows them up to the bytes that no thread has
 * looked at, each byte once. */
void pc_ahead_resume(struct pc_ahead *ahead, uint64_t offset, uint64_t samples);

/* Whether the block with this offset was judged, at which the window shows a byte; its place in the ring, and
 * what was added to its samples. */
bool pc_ahead_judged(const struct pc_ahead *ahead, uint64_t offset, unsigned *place, uint64_t *added);

/* What is to be added to the samples of blocks from now on. */
void pc_ahead_add(struct pc_ahead *ahead, uint64_t added);

/* How many bytes the record at the beginning of these takes in the stream. 0: it looks like none, or what
 * tells is not all there. */
uint64_t pc_ahead_step(struct pc_span bytes, enum pc_order order);

#endif

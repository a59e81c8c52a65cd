/* SPDX-License-Identifier: MIT
 *
 * A thread that reads a large file ahead of its records. It has its own budget of memory, so that what fits
 * into the one of the reader does not depend on it.
 */
#include "read/ahead.h"
#include "read/window.h"

#include <string.h>

#define BLOCK     PC_WINDOW /* bytes of one read */
#define RING      (4 * BLOCK)
#define RING_WAKE (RING / 2) /* waking a thread costs as much as reading 100 KiB */

static unsigned char *ring_of(const struct pc_ahead *a)
{
    return a->bytes + PC_WINDOW;
}

/* Until all is read, the owner wants no more, or reading fails. */
static void read_all(void *ctx)
{
    struct pc_ahead *a = ctx;
    pthread_mutex_lock(&a->lock);
    while (!a->stop && a->made != a->end) {
        a->full = a->made + BLOCK > a->freed + RING;
        if (a->full) {
            pthread_cond_wait(&a->change, &a->lock);
            continue;
        }
        uint64_t at = a->made, n = a->end - at < BLOCK ? a->end - at : BLOCK;
        pthread_mutex_unlock(&a->lock);
        size_t got = pc_input_read_at(&a->in, at, ring_of(a) + (at - a->start) % RING, (size_t)n);
        pthread_mutex_lock(&a->lock);
        if (got != n)
            break;
        a->made += n;
        if (a->wanted != 0 && a->made >= a->wanted)
            pthread_cond_signal(&a->change);
    }
    a->over = true;
    pthread_cond_signal(&a->change);
    pthread_mutex_unlock(&a->lock);
}

static bool start_thread(struct pc_ahead *a)
{
    if (pthread_mutex_init(&a->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&a->change, NULL) == 0) {
        if (pc_worker_start(&a->worker))
            return true;
        pthread_cond_destroy(&a->change);
    }
    pthread_mutex_destroy(&a->lock);
    return false;
}

void pc_ahead_start(struct pc_ahead *a, struct pc_window *w, const struct pc_input *in, uint64_t end)
{
    const uint64_t next = w->offset + w->len;
    *a = (struct pc_ahead){
        .tried = true, .in = *in, .own = w->bytes, .lap = next, .start = next, .end = end
    };
    a->made = a->freed = next;
    pc_mem_init(&a->mem, PC_WINDOW + RING);
    a->bytes = pc_alloc_buffer(&a->mem, PC_WINDOW + RING);
    if (!a->bytes)
        return;
    if (!start_thread(a)) {
        pc_free(&a->mem, a->bytes, PC_WINDOW + RING);
        return;
    }
    a->works = true;
    memcpy(ring_of(a) - w->len, w->bytes, w->len);
    w->bytes = ring_of(a) - w->len;
    pc_worker_give(&a->worker, read_all, a);
}

/* Tells what of the window is still needed, and waits until the bytes before an offset are there. */
static bool wait_for(struct pc_ahead *a, uint64_t kept, uint64_t end)
{
    pthread_mutex_lock(&a->lock);
    a->freed = kept > a->lap ? kept : a->lap;
    if (a->full && a->freed + RING - a->made >= RING_WAKE)
        pthread_cond_signal(&a->change);
    a->wanted = end;
    while (a->made < end && !a->over)
        pthread_cond_wait(&a->change, &a->lock);
    a->wanted = 0;
    bool there = a->made >= end;
    pthread_mutex_unlock(&a->lock);
    return there;
}

bool pc_ahead_take(struct pc_ahead *a, struct pc_window *w, size_t n)
{
    const uint64_t end = w->offset + w->len + n;
    if (!wait_for(a, w->offset, end))
        return false;
    if (end - a->lap <= RING)
        return true;
    size_t left = (size_t)(a->lap + RING - w->offset);
    assert(left <= PC_WINDOW);
    memmove(ring_of(a) - left, w->bytes, left);
    w->bytes = ring_of(a) - left;
    a->lap += RING;
    return true;
}

void pc_ahead_end(struct pc_ahead *a, struct pc_window *w)
{
    if (!a->works)
        return;
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_cond_signal(&a->change);
    pthread_mutex_unlock(&a->lock);
    pc_worker_stop(&a->worker);
    pthread_cond_destroy(&a->change);
    pthread_mutex_destroy(&a->lock);
    memcpy(a->own, w->bytes, w->len);
    w->bytes = a->own;
    pc_free(&a->mem, a->bytes, PC_WINDOW + RING);
    a->works = false;
}

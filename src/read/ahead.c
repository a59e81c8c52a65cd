/* SPDX-License-Identifier: MIT
 *
 * Threads that read a large file ahead of its records. They have their own budget of memory, so that what
 * fits into the one of the reader does not depend on them.
 */
#include "read/ahead.h"
#include "format/tables.h"
#include "read/plausible.h"
#include "read/window.h"

#include <string.h>

#define BLOCK       PC_WINDOW   /* bytes of one read */
#define SPARE       3           /* blocks of the ring beside one for each thread */
#define WAKE        (2 * BLOCK) /* room for which threads are woken: that costs as much as reading 100 KiB */
#define FOR_ANOTHER ((uint64_t)2 << 20) /* bytes for which one more thread is worth its start */
#define PAUSES_MAX  64

static unsigned char *ring_of(const struct pc_ahead *a)
{
    return a->bytes + PC_WINDOW;
}

static size_t room_of(const struct pc_ahead *a)
{
    return PC_WINDOW + a->ring;
}

/* The block at an offset, and its place in the ring. */
static unsigned place_of(const struct pc_ahead *a, uint64_t offset)
{
    return (unsigned)((offset - a->start) % a->ring / BLOCK);
}

/* The same as pc_ahead_step, of a record that is not the kernel's. */
static __attribute__((noinline)) uint64_t step_of_user(struct pc_span bytes, enum pc_order order)
{
    const struct pc_record_head head = pc_load_head(bytes.ptr, order);
    uint64_t step = head.size;
    if (!pc_may_follow(bytes.ptr, order))
        return 0;
    if (!pc_record_is(head.type, PC_HAS_PAYLOAD))
        return step;
    return step <= bytes.len && pc_record_step(pc_part(bytes, 0, head.size), order, &step) ? step : 0;
}

PC_INLINE uint64_t step_of(struct pc_span bytes, enum pc_order order)
{
    if (bytes.len < PC_RECORD_HEADER_SIZE)
        return 0;
    const struct pc_record_head head = pc_load_head(bytes.ptr, order);
    if (!pc_is_kernel_type(head.type))
        return step_of_user(bytes, order);
    return head.size % 8 == 0 ? head.size : 0;
}

uint64_t pc_ahead_step(struct pc_span bytes, enum pc_order order)
{
    return step_of(bytes, order);
}

/* Where records are followed, and how many of them are samples. */
struct trail {
    uint64_t offset, samples;
};

/* Follows records to the end of these bytes, the first of which has this offset. False: something is at the
 * place that looks like none. */
static bool follow(struct trail *trail, struct pc_span bytes, uint64_t offset, enum pc_order order)
{
    const uint64_t end = offset + bytes.len;
    while (trail->offset < end) {
        const size_t at = (size_t)(trail->offset - offset);
        const struct pc_span left = pc_part(bytes, at, bytes.len - at);
        const uint64_t step = step_of(left, order);
        if (step == 0 || step > UINT64_MAX / 2 - end)
            return false;
        trail->samples += pc_load_head(left.ptr, order).type == PC_SAMPLE;
        trail->offset += step;
    }
    return true;
}

/* What a thread does with a block. */
struct task {
    struct pc_block block;
    bool is_read, is_lost;
    pc_judge_block *judge; /* NULL: nothing is judged */
    void *ctx;
    uint64_t added;
};

/* Finds where records begin in a block, when this is done for all before it. */
static void frame(struct pc_ahead *a, struct task *task)
{
    struct pc_block *block = &task->block;
    const uint64_t offset = block->offset;
    pthread_mutex_lock(&a->lock);
    while (a->framed != offset && !a->stop)
        pthread_cond_wait(&a->turn, &a->lock);
    const uint64_t first = a->stop || !task->is_read ? UINT64_MAX : a->next;
    struct trail trail = { first, a->samples };
    const uint64_t before = trail.samples;
    if (first != UINT64_MAX) { /* else the owner may set it until the lock is given back */
        pthread_mutex_unlock(&a->lock);
        if (!follow(&trail, block->bytes, offset, a->order))
            trail.offset = UINT64_MAX;
        pthread_mutex_lock(&a->lock);
    }
    a->framed = offset + block->bytes.len;
    a->next = trail.offset;
    a->samples = trail.samples;
    task->added = a->added;
    task->is_lost = trail.offset == UINT64_MAX;
    task->judge = first != UINT64_MAX && first - offset < block->bytes.len ? a->judge : NULL;
    task->ctx = a->ctx;
    a->judging += task->judge != NULL;
    pthread_cond_broadcast(&a->turn);
    pthread_mutex_unlock(&a->lock);
    block->samples = before + task->added;
    if (task->judge) {
        block->offset = first;
        block->bytes =
            pc_part(block->bytes, (size_t)(first - offset), (size_t)(offset + block->bytes.len - first));
    }
}

/* The next block, when there is room for it. False: there is none. */
static bool take_block(struct pc_ahead *a, struct pc_block *block)
{
    while (!a->stop && !a->failed && a->taken != a->end) {
        if (a->taken + BLOCK <= a->freed + a->ring) {
            block->offset = a->taken;
            block->place = place_of(a, a->taken);
            block->bytes.ptr = ring_of(a) + (size_t)block->place * BLOCK;
            block->bytes.len = a->end - a->taken < BLOCK ? (size_t)(a->end - a->taken) : BLOCK;
            a->taken += block->bytes.len;
            return true;
        }
        a->waiting++;
        pthread_cond_wait(&a->room, &a->lock);
        a->waiting--;
    }
    return false;
}

/* A block that was taken from this offset is there. */
static void hand_over(struct pc_ahead *a, const struct task *task, uint64_t offset)
{
    a->block[task->block.place] = (struct pc_ahead_block){ .is_made = true,
                                                           .is_judged = task->judge,
                                                           .is_lost = task->is_lost,
                                                           .offset = offset,
                                                           .added = task->added };
    for (unsigned place = task->block.place;
         a->made != a->taken && a->block[place].is_made && a->block[place].offset == a->made;
         place = place_of(a, a->made))
        a->made += a->end - a->made < BLOCK ? a->end - a->made : BLOCK;
    if (a->awaited != 0 && a->made >= a->awaited)
        pthread_cond_signal(&a->change);
}

/* Until all is read, the owner wants no more, or reading fails. */
static void read_all(void *ctx)
{
    struct pc_ahead_thread *t = ctx;
    struct pc_ahead *a = t->of;
    struct task task = { .block.thread = t->number };
    pthread_mutex_lock(&a->lock);
    while (take_block(a, &task.block)) {
        const uint64_t offset = task.block.offset;
        const size_t n = task.block.bytes.len;
        unsigned char *to = ring_of(a) + (size_t)task.block.place * BLOCK;
        pthread_mutex_unlock(&a->lock);
        task.is_read = pc_input_read_at(&t->in, offset, to, n) == n;
        task.judge = NULL;
        task.is_lost = false;
        if (a->nr > 1)
            frame(a, &task);
        if (task.judge)
            task.judge(task.ctx, &task.block);
        pthread_mutex_lock(&a->lock);
        a->judging -= task.judge != NULL;
        a->failed |= !task.is_read;
        if (task.is_read)
            hand_over(a, &task, offset);
        if (task.judge && a->judging == 0)
            pthread_cond_signal(&a->change);
    }
    a->running--;
    pthread_cond_signal(&a->change);
    pthread_cond_broadcast(&a->room);
    pthread_mutex_unlock(&a->lock);
}

#define CONDITIONS 3
static void list_conditions(struct pc_ahead *a, pthread_cond_t *conditions[CONDITIONS])
{
    conditions[0] = &a->change;
    conditions[1] = &a->room;
    conditions[2] = &a->turn;
}

/* Ends the first `nr` of them, and the lock. */
static void end_conditions(struct pc_ahead *a, unsigned nr)
{
    pthread_cond_t *conditions[CONDITIONS];
    list_conditions(a, conditions);
    while (nr > 0)
        pthread_cond_destroy(conditions[--nr]);
    pthread_mutex_destroy(&a->lock);
}

static bool make_conditions(struct pc_ahead *a)
{
    pthread_cond_t *conditions[CONDITIONS];
    list_conditions(a, conditions);
    if (pthread_mutex_init(&a->lock, NULL) != 0)
        return false;
    for (unsigned i = 0; i < CONDITIONS; i++) {
        if (pthread_cond_init(conditions[i], NULL) != 0) {
            end_conditions(a, i);
            return false;
        }
    }
    return true;
}

/* Starts the threads, or fewer when the system has no more. */
static void start_threads(struct pc_ahead *a, const struct pc_input *in)
{
    const unsigned nr = a->nr;
    for (a->nr = 0; a->nr < nr; a->nr++) {
        struct pc_ahead_thread *t = &a->thread[a->nr];
        t->in = *in;
        t->of = a;
        t->number = a->nr;
        if (!pc_worker_start(&t->worker))
            break;
    }
    a->running = a->nr;
    a->works = a->nr != 0;
}

void pc_ahead_start(struct pc_ahead *a, uint64_t threads, struct pc_window *w, const struct pc_input *in,
                    uint64_t end, enum pc_order order)
{
    const uint64_t next = w->offset + w->len, for_all = (end - next) / FOR_ANOTHER + 1;
    *a = (struct pc_ahead){ .tried = true, .order = order, .own = w->bytes, .start = next, .end = end };
    a->lap = a->taken = a->made = a->freed = a->framed = next;
    threads = threads < PC_AHEAD_THREADS ? threads : PC_AHEAD_THREADS;
    a->nr = (unsigned)(for_all < threads ? for_all : threads);
    a->ring = (a->nr + SPARE) * BLOCK;
    pc_mem_init(&a->mem, room_of(a) + sizeof(a->thread));
    a->bytes = pc_alloc_buffer(&a->mem, room_of(a));
    if (!a->bytes)
        return;
    if (make_conditions(a)) {
        struct trail trail = { .offset = w->offset + w->at };
        bool follows = follow(&trail, (struct pc_span){ w->bytes, w->len }, w->offset, order);
        a->next = follows ? trail.offset : UINT64_MAX;
        a->samples = trail.samples;
        start_threads(a, in);
        if (!a->works)
            end_conditions(a, CONDITIONS);
    }
    if (!a->works) {
        pc_free(&a->mem, a->bytes, room_of(a));
        return;
    }
    memcpy(ring_of(a) - w->len, w->bytes, w->len);
    w->bytes = ring_of(a) - w->len;
    for (unsigned i = 0; i < a->nr; i++)
        pc_worker_give(&a->thread[i].worker, read_all, &a->thread[i]);
}

/* Tells what of the window is still needed, and waits until the bytes before an offset are there. */
static bool wait_for(struct pc_ahead *a, uint64_t kept, uint64_t end)
{
    pthread_mutex_lock(&a->lock);
    a->freed = kept > a->start ? kept : a->start;
    if (a->waiting != 0 && a->freed + a->ring - a->taken >= WAKE)
        pthread_cond_broadcast(&a->room);
    a->awaited = end;
    while (a->made < end && !a->failed && a->running != 0)
        pthread_cond_wait(&a->change, &a->lock);
    a->awaited = 0;
    bool there = a->made >= end;
    pthread_mutex_unlock(&a->lock);
    return there;
}

bool pc_ahead_take(struct pc_ahead *a, struct pc_window *w, size_t n)
{
    const uint64_t end = w->offset + w->len + n;
    if (!wait_for(a, w->offset, end))
        return false;
    if (end - a->lap <= a->ring)
        return true;
    size_t left = (size_t)(a->lap + a->ring - w->offset);
    assert(left <= PC_WINDOW);
    memmove(ring_of(a) - left, w->bytes, left);
    w->bytes = ring_of(a) - left;
    a->lap += a->ring;
    return true;
}

void pc_ahead_end(struct pc_ahead *a, struct pc_window *w)
{
    if (!a->works)
        return;
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_cond_broadcast(&a->room);
    pthread_cond_broadcast(&a->turn);
    pthread_mutex_unlock(&a->lock);
    for (unsigned i = 0; i < a->nr; i++)
        pc_worker_stop(&a->thread[i].worker);
    end_conditions(a, CONDITIONS);
    memcpy(a->own, w->bytes, w->len);
    w->bytes = a->own;
    pc_free(&a->mem, a->bytes, room_of(a));
    a->works = false;
    a->judge = NULL;
}

/* --- judging before its turn --- */

bool pc_ahead_may_judge(const struct pc_ahead *a)
{
    return a->works && a->nr > 1 && a->pauses < PAUSES_MAX;
}

void pc_ahead_judge(struct pc_ahead *a, pc_judge_block *judge, void *ctx)
{
    assert(pc_ahead_may_judge(a));
    pthread_mutex_lock(&a->lock);
    a->judge = judge;
    a->ctx = ctx;
    pthread_mutex_unlock(&a->lock);
}

void pc_ahead_pause(struct pc_ahead *a)
{
    if (!pc_ahead_judges(a))
        return;
    pthread_mutex_lock(&a->lock);
    a->judge = NULL;
    a->pauses++;
    while (a->judging != 0)
        pthread_cond_wait(&a->change, &a->lock);
    for (unsigned i = 0; i < PC_AHEAD_BLOCKS; i++)
        a->block[i].is_judged = false;
    pthread_mutex_unlock(&a->lock);
}

bool pc_ahead_judged(const struct pc_ahead *a, uint64_t offset, unsigned *place, uint64_t *added)
{
    if (!pc_ahead_judges(a) || offset < a->start)
        return false;
    *place = place_of(a, offset);
    const struct pc_ahead_block *block = &a->block[*place];
    *added = block->added;
    return block->is_judged && offset - block->offset < BLOCK;
}

void pc_ahead_add(struct pc_ahead *a, uint64_t added)
{
    if (a->added == added)
        return;
    pthread_mutex_lock(&a->lock);
    a->added = added;
    pthread_mutex_unlock(&a->lock);
}

/* Follows records of the ring up to an offset. */
static bool follow_ring(const struct pc_ahead *a, struct trail *trail, uint64_t end)
{
    while (trail->offset < end) {
        const uint64_t into = (trail->offset - a->start) % BLOCK, block = trail->offset - into;
        const size_t n = end - block < BLOCK ? (size_t)(end - block) : BLOCK;
        const struct pc_span bytes = { ring_of(a) + (size_t)place_of(a, block) * BLOCK, n };
        if (!follow(trail, bytes, block, a->order))
            return false;
    }
    return true;
}

void pc_ahead_resume(struct pc_ahead *a, uint64_t offset, uint64_t samples)
{
    struct trail trail = { offset, samples };
    if (!pc_ahead_judges(a) || offset < a->start || offset < a->followed ||
        !a->block[place_of(a, offset)].is_lost)
        return;
    bool follows = true;
    pthread_mutex_lock(&a->lock);
    while (a->next == UINT64_MAX && a->framed > a->followed && follows) {
        const uint64_t end = a->framed;
        pthread_mutex_unlock(&a->lock);
        follows = follow_ring(a, &trail, end);
        a->followed = follows ? end : trail.offset + 1;
        pthread_mutex_lock(&a->lock);
        if (follows && a->framed == end) {
            a->next = trail.offset;
            a->samples = trail.samples - a->added;
        }
    }
    a->followed = follows ? a->framed : a->followed;
    pthread_mutex_unlock(&a->lock);
}

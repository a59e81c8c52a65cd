/* SPDX-License-Identifier: MIT
 *
 * Keeps large blocks for the next input. AddressSanitizer maps each of them and its shadow anew, which
 * takes longer than most inputs. The unused part of a block is poisoned. The block that was freed first is
 * used first.
 */
#include <assert.h>
#include <sanitizer/asan_interface.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The size from which on AddressSanitizer maps each block by itself, and how many blocks are kept. */
enum { LARGE = 128 << 10, STEP = 64 << 10, KEPT = 12 };

static struct block {
    void *bytes;
    size_t room, size; /* there, and asked for */
    uint64_t since;    /* when it was freed, as a number in sequence; 0: in use */
} blocks[KEPT];

void *__real_malloc(size_t n);
void *__real_calloc(size_t nr, size_t n);
void *__real_realloc(void *bytes, size_t n);
void __real_free(void *bytes);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t nr, size_t n);
void *__wrap_realloc(void *bytes, size_t n);
void __wrap_free(void *bytes);

static struct block *block_of(const void *bytes)
{
    for (size_t i = 0; bytes && i < KEPT; i++) {
        if (blocks[i].bytes == bytes)
            return &blocks[i];
    }
    return NULL;
}

/* The free block that was freed first, of those with room for n bytes but not for four times as many, or of
 * all. */
static struct block *first_unused(size_t n, bool any)
{
    struct block *found = NULL;
    for (size_t i = 0; i < KEPT; i++) {
        struct block *b = &blocks[i];
        bool fits = b->room >= n && b->room / 4 <= n;
        if (b->bytes && b->since != 0 && (any || fits) && (!found || b->since < found->since))
            found = b;
    }
    return found;
}

/* A slot for one more block, or NULL: all are in use. */
static struct block *place(void)
{
    for (size_t i = 0; i < KEPT; i++) {
        if (!blocks[i].bytes)
            return &blocks[i];
    }
    struct block *b = first_unused(0, true);
    if (b) {
        ASAN_UNPOISON_MEMORY_REGION(b->bytes, b->room);
        __real_free(b->bytes);
        *b = (struct block){ 0 };
    }
    return b;
}

void *__wrap_malloc(size_t n)
{
    if (n <= LARGE || n > SIZE_MAX - STEP)
        return __real_malloc(n);
    struct block *b = first_unused(n, false);
    if (!b && (b = place())) {
        b->room = (n + STEP - 1) / STEP * STEP;
        b->bytes = __real_malloc(b->room);
        if (b->bytes)
            ASAN_POISON_MEMORY_REGION(b->bytes, b->room);
    }
    if (!b)
        return __real_malloc(n);
    b->since = 0;
    b->size = n;
    if (b->bytes)
        ASAN_UNPOISON_MEMORY_REGION(b->bytes, n);
    return b->bytes;
}

void *__wrap_calloc(size_t nr, size_t n)
{
    if (n == 0 || nr > SIZE_MAX / n || nr * n <= LARGE)
        return __real_calloc(nr, n);
    void *bytes = __wrap_malloc(nr * n);
    if (bytes)
        memset(bytes, 0, nr * n);
    return bytes;
}

void *__wrap_realloc(void *bytes, size_t n)
{
    assert(!block_of(bytes)); /* no caller does that */
    return __real_realloc(bytes, n);
}

void __wrap_free(void *bytes)
{
    static uint64_t given_back;
    struct block *b = block_of(bytes);
    if (!b) {
        __real_free(bytes);
        return;
    }
    assert(b->since == 0); /* given back twice */
    b->since = ++given_back;
    ASAN_POISON_MEMORY_REGION(b->bytes, b->size);
}

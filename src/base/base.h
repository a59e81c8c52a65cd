/* SPDX-License-Identifier: MIT
 *
 * base.h: what every file may use: a span of bytes, the two byte orders, and arithmetic on values from a
 * capture that reports an overflow.
 */
#ifndef PC_BASE_H
#define PC_BASE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes that the holder of the span does not own. */
struct pc_span {
    const unsigned char *ptr;
    size_t len;
};

enum pc_order { PC_LITTLE, PC_BIG };

/* For functions that are faster with constant arguments, a byte order for example. A build that measures
 * coverage defines it as `static inline`, so that a branch counts once and not at each call. */
#ifndef PC_INLINE
#define PC_INLINE static inline __attribute__((always_inline))
#endif

#define PC_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static_assert(sizeof(size_t) <= sizeof(uint64_t), "lengths from a capture fit in 64 bits");

/* *sum = a + b, or false when that does not fit 64 bits. */
static inline bool pc_add(uint64_t a, uint64_t b, uint64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

/* *product = a * b, or false when that does not fit 64 bits. */
static inline bool pc_mul(uint64_t a, uint64_t b, uint64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

/* a + b, or the largest value when that does not fit: for sums that are only shown. */
static inline uint64_t pc_add_saturated(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* How many of nr elements of an array come before a value. size: bytes of an element; member: where its
 * uint64_t lies by which the array is in ascending order. */
static inline size_t pc_lower_bound(const void *array, size_t nr, size_t size, size_t member, uint64_t value)
{
    size_t low = 0, high = nr;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t here;
        memcpy(&here, (const unsigned char *)array + middle * size + member, sizeof(here));
        if (here < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* x rounded up to a multiple of 8; x is a length in memory, so it cannot overflow. */
static inline uint64_t pc_align8(uint64_t x)
{
    assert(x <= UINT64_MAX - 7);
    return (x + 7) & ~(uint64_t)7;
}

#endif

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

/* x rounded up to a multiple of 8; x is a length in memory, so it cannot overflow. */
static inline uint64_t pc_align8(uint64_t x)
{
    assert(x <= UINT64_MAX - 7);
    return (x + 7) & ~(uint64_t)7;
}

#endif

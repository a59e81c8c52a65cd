/* SPDX-License-Identifier: MIT
 *
 * cursor.h: the only pointer arithmetic on input bytes. A cursor is a span, a position in it
 * and a byte order. Every function takes exactly what it was asked for or leaves the cursor alone.
 *
 * Positions count from the start of the span, also in a narrowed cursor, so that a position in a record
 * is an offset from the record's first byte however deep the structure is.
 */
#ifndef PC_CURSOR_H
#define PC_CURSOR_H

#include "base/base.h"

#include <string.h>

struct pc_cursor {
    struct pc_span in;
    size_t pos;
    enum pc_order order;
};

/* An integer of 1, 2, 4 or 8 bytes in the given order. The caller has checked that the bytes are there.
 * It is assembled from single bytes, so that the byte order of the host does not matter; compilers make one
 * load (and one byte swap) of it. */
PC_INLINE uint64_t pc_load(const unsigned char *p, unsigned width, enum pc_order order)
{
    bool big = order == PC_BIG;
    switch (width) {
    case 1:
        return p[0];
    case 2:
        return big ? (uint64_t)p[0] << 8 | p[1] : (uint64_t)p[1] << 8 | p[0];
    case 4:
        return big ? (uint64_t)p[0] << 24 | (uint64_t)p[1] << 16 | (uint64_t)p[2] << 8 | p[3]
                   : (uint64_t)p[3] << 24 | (uint64_t)p[2] << 16 | (uint64_t)p[1] << 8 | p[0];
    default:
        assert(width == 8);
        return big ? (uint64_t)p[0] << 56 | (uint64_t)p[1] << 48 | (uint64_t)p[2] << 40 |
                         (uint64_t)p[3] << 32 | (uint64_t)p[4] << 24 | (uint64_t)p[5] << 16 |
                         (uint64_t)p[6] << 8 | p[7]
                   : (uint64_t)p[7] << 56 | (uint64_t)p[6] << 48 | (uint64_t)p[5] << 40 |
                         (uint64_t)p[4] << 32 | (uint64_t)p[3] << 24 | (uint64_t)p[2] << 16 |
                         (uint64_t)p[1] << 8 | p[0];
    }
}

/* Stores an integer of 1, 2, 4 or 8 bytes; the reverse of pc_load. Byte by byte for the same reason, and not
 * in a loop, of which compilers would make no single store. */
PC_INLINE void pc_store(unsigned char *p, unsigned width, uint64_t value, enum pc_order order)
{
    bool big = order == PC_BIG;
    switch (width) {
    case 1:
        p[0] = (unsigned char)value;
        break;
    case 2:
        p[big] = (unsigned char)value;
        p[!big] = (unsigned char)(value >> 8);
        break;
    case 4:
        if (big) {
            p[0] = (unsigned char)(value >> 24);
            p[1] = (unsigned char)(value >> 16);
            p[2] = (unsigned char)(value >> 8);
            p[3] = (unsigned char)value;
        } else {
            p[0] = (unsigned char)value;
            p[1] = (unsigned char)(value >> 8);
            p[2] = (unsigned char)(value >> 16);
            p[3] = (unsigned char)(value >> 24);
        }
        break;
    default:
        assert(width == 8);
        if (big) {
            p[0] = (unsigned char)(value >> 56);
            p[1] = (unsigned char)(value >> 48);
            p[2] = (unsigned char)(value >> 40);
            p[3] = (unsigned char)(value >> 32);
            p[4] = (unsigned char)(value >> 24);
            p[5] = (unsigned char)(value >> 16);
            p[6] = (unsigned char)(value >> 8);
            p[7] = (unsigned char)value;
        } else {
            p[0] = (unsigned char)value;
            p[1] = (unsigned char)(value >> 8);
            p[2] = (unsigned char)(value >> 16);
            p[3] = (unsigned char)(value >> 24);
            p[4] = (unsigned char)(value >> 32);
            p[5] = (unsigned char)(value >> 40);
            p[6] = (unsigned char)(value >> 48);
            p[7] = (unsigned char)(value >> 56);
        }
        break;
    }
}

/* Copies n bytes, each whole integer of this width (any other than 2, 4, 8: bytes) in the other order; what
 * is left of them stays as it is. to and from are the same, or apart. */
static inline void pc_swap(unsigned char *to, const unsigned char *from, size_t n, unsigned width)
{
    size_t i = 0;
    switch (width) {
    case 2:
        for (; n - i >= 2; i += 2)
            pc_store(to + i, 2, pc_load(from + i, 2, PC_LITTLE), PC_BIG);
        break;
    case 4:
        for (; n - i >= 4; i += 4)
            pc_store(to + i, 4, pc_load(from + i, 4, PC_LITTLE), PC_BIG);
        break;
    case 8:
        for (; n - i >= 8; i += 8)
            pc_store(to + i, 8, pc_load(from + i, 8, PC_LITTLE), PC_BIG);
        break;
    default:
        break;
    }
    if (to != from && i != n)
        memcpy(to + i, from + i, n - i);
}

/* A cursor at the start of the span. */
struct pc_cursor pc_cursor(struct pc_span in, enum pc_order order);

/* Bytes between the position and the end. */
static inline size_t pc_left(const struct pc_cursor *c)
{
    return c->in.len - c->pos;
}

/* Takes exactly n bytes, or takes nothing and returns false. */
bool pc_take(struct pc_cursor *c, uint64_t n, struct pc_span *out);

/* Takes an integer of width bytes (1, 2, 4, 8), or takes nothing and returns false. */
bool pc_uint(struct pc_cursor *c, unsigned width, uint64_t *out);

/* Reads the integer `ahead` bytes after the position and takes nothing; false when it is not there. */
bool pc_peek(const struct pc_cursor *c, uint64_t ahead, unsigned width, uint64_t *out);

/* *sub = a cursor on the next n bytes, positions as in c; false when there are fewer. c is not moved. */
bool pc_narrow(const struct pc_cursor *c, uint64_t n, struct pc_cursor *sub);

/* Takes bytes up to and including the next NUL; false (and nothing taken) when there is none. */
bool pc_take_string(struct pc_cursor *c, struct pc_span *out);

/* n bytes of s from offset at; the caller has checked that they are there. */
struct pc_span pc_part(struct pc_span s, size_t at, size_t n);

/* The position of the first byte that is not zero, or s.len. */
size_t pc_first_nonzero(struct pc_span s);

/* The position of the first byte that is zero, or s.len. */
size_t pc_first_zero(struct pc_span s);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Takes bytes, integers and strings from a span, or nothing.
 */
#include "bytes/cursor.h"

#include <string.h>

struct pc_cursor pc_cursor(struct pc_span in, enum pc_order order)
{
    return (struct pc_cursor){ .in = in, .order = order };
}

bool pc_take(struct pc_cursor *c, uint64_t n, struct pc_span *out)
{
    if (n > pc_left(c))
        return false;
    *out = (struct pc_span){ c->in.ptr + c->pos, (size_t)n };
    c->pos += (size_t)n;
    return true;
}

bool pc_uint(struct pc_cursor *c, unsigned width, uint64_t *out)
{
    if (width > pc_left(c))
        return false;
    *out = pc_load(c->in.ptr + c->pos, width, c->order);
    c->pos += width;
    return true;
}

bool pc_peek(const struct pc_cursor *c, uint64_t ahead, unsigned width, uint64_t *out)
{
    size_t left = pc_left(c);
    if (ahead > left || width > left - (size_t)ahead)
        return false;
    *out = pc_load(c->in.ptr + c->pos + (size_t)ahead, width, c->order);
    return true;
}

bool pc_narrow(const struct pc_cursor *c, uint64_t n, struct pc_cursor *sub)
{
    if (n > pc_left(c))
        return false;
    *sub = *c;
    sub->in.len = c->pos + (size_t)n;
    return true;
}

bool pc_take_string(struct pc_cursor *c, struct pc_span *out)
{
    size_t left = pc_left(c);
    size_t len = pc_first_zero(pc_part(c->in, c->pos, left));
    return pc_take(c, (uint64_t)len + 1, out); /* which has no room for a NUL after the end */
}

struct pc_span pc_part(struct pc_span s, size_t at, size_t n)
{
    assert(at <= s.len && n <= s.len - at);
    return (struct pc_span){ n == 0 ? s.ptr : s.ptr + at, n };
}

size_t pc_first_nonzero(struct pc_span s)
{
    size_t i = 0;
    while (i < s.len && s.ptr[i] == 0)
        i++;
    return i;
}

size_t pc_first_zero(struct pc_span s)
{
    if (s.len == 0)
        return 0;
    const unsigned char *nul = memchr(s.ptr, 0, s.len);
    return nul ? (size_t)(nul - s.ptr) : s.len;
}

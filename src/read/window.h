/* SPDX-License-Identifier: MIT
 *
 * window.h: the bytes of the stream from the current place on, and what to say when they are not there.
 */
#ifndef PC_WINDOW_H
#define PC_WINDOW_H

#include "bytes/cursor.h"
#include "read/state.h"

/* One window holds the largest record and enough after it to recognise records after damage. */
#define PC_WINDOW ((size_t)512 << 10)
/* Bytes read, or decompressed, at once: what stays in a second-level cache. */
#define PC_FILL ((size_t)256 << 10)

/* Makes room for n bytes at the current place of the window. What it moves is at most a few times
 * what was consumed since it moved bytes the last time. */
void pc_reader_make_room(struct pc_reader *r, size_t n);

/* Makes at least n bytes available at the current place, when there are that many; returns how many there
 * are. Pointers into the window are invalid after it. */
size_t pc_reader_refill(struct pc_reader *r, size_t n);
static inline size_t pc_reader_available(struct pc_reader *r, size_t n)
{
    size_t have = r->w->len - r->w->at;
    return have >= n ? have : pc_reader_refill(r, n);
}

/* The stream of a position in the current window; *offset is the position in that stream. */
void pc_reader_where_inside(const struct pc_reader *r, uint64_t pos, struct pc_where *where,
                            uint64_t *offset);
static inline void pc_reader_where(const struct pc_reader *r, uint64_t pos, struct pc_where *where,
                                   uint64_t *offset)
{
    *where = r->streams.where;
    *offset = pos;
    if (r->w == &r->inner)
        pc_reader_where_inside(r, pos, where, offset);
}
/* The record at the current place of the window; type 0: not known. */
struct pc_context pc_reader_context(const struct pc_reader *r, uint32_t type, uint64_t number);

/* These bytes become no item. */
void pc_reader_skip(struct pc_reader *r, uint64_t offset, uint64_t n);

/* Reports something about so many bytes of the stream. */
void pc_reader_say(struct pc_reader *r, enum pc_diag id, enum pc_place place, uint64_t offset,
                   uint64_t length, struct pc_value seen, struct pc_value expected);

void pc_reader_say_out_of_memory(struct pc_reader *r, const char *doing);

/* A read delivered less than it must: an error of the system, or the file became shorter. */
void pc_reader_say_short_read(struct pc_reader *r, uint64_t offset);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The window of the reader: the bytes of the stream from the current place on, and what to say when they are
 * not there.
 */
#include "read/window.h"
#include "base/text.h"

#include <string.h>

/* Offsets in decompressed bytes count from the compressed record that they came from. */
static const struct pc_boundary *boundary_of(const struct pc_reader *r, uint64_t pos)
{
    size_t i = r->packed.nr_boundaries;
    while (i > 1 && r->packed.boundary[i - 1].start > pos)
        i--;
    return &r->packed.boundary[i - 1];
}

void pc_reader_where_inside(const struct pc_reader *r, uint64_t pos, struct pc_where *where, uint64_t *offset)
{
    const struct pc_boundary *b = boundary_of(r, pos);
    where->inside = true;
    where->wrapper = b->number;
    where->wrapper_offset = b->offset;
    *offset -= b->start;
}

struct pc_context pc_reader_context(const struct pc_reader *r, uint32_t type, uint64_t number)
{
    uint64_t offset;
    struct pc_where where;
    pc_reader_where(r, pc_reader_offset(r), &where, &offset);
    return pc_record_context(type, number, where, offset);
}

void pc_reader_say(struct pc_reader *r, enum pc_diag id, enum pc_place place, uint64_t offset,
                   uint64_t length, struct pc_value seen, struct pc_value expected)
{
    uint64_t here;
    struct pc_context at = { .place = place, .offset = offset };
    pc_reader_where(r, pc_reader_offset(r), &at.where, &here);
    pc_report_say(r->report, &at, id, 0, length, seen, expected);
}

void pc_reader_say_out_of_memory(struct pc_reader *r, const char *doing)
{
    pc_reader_say(r, PC_D_OUT_OF_MEMORY, PC_AT_END, pc_reader_offset(r), 0, pc_none, pc_text_value(doing));
}

void pc_reader_say_short_read(struct pc_reader *r, uint64_t offset)
{
    if (r->in->error)
        pc_reader_say(r, PC_D_READ_FAILED, PC_AT_END, offset, 0, pc_text_value(pc_text_error(r->in->error)),
                      pc_none);
    else
        pc_reader_say(r, PC_D_SHRANK, PC_AT_END, offset, 0, pc_hex_value(offset), pc_hex_value(r->in->size));
}

void pc_reader_make_room(struct pc_reader *r, size_t n)
{
    struct pc_window *w = r->w;
    /* The record before stays: its size may turn out to be wrong. */
    size_t keep = w->last_size <= w->at ? w->last_size : 0, left = keep + w->len - w->at;
    size_t gone = w->at - keep;
    if (gone == 0 || (gone < left && w->room - w->at >= n))
        return;
    if (w == &r->outer && r->ahead.works)
        w->bytes += gone;
    else
        memmove(w->bytes, w->bytes + gone, left);
    r->moved += left;
    w->offset += gone;
    w->at -= gone;
    w->len -= gone;
}

/* Bytes of a file, behind those of the window. */
static size_t read_file(struct pc_reader *r, uint64_t offset, size_t n)
{
    struct pc_window *w = r->w;
    if (!r->ahead.tried && w->end - offset >= r->limits->ahead && w->room == PC_WINDOW)
        pc_ahead_start(&r->ahead, r->limits->threads, w, r->in, w->end, r->capture->order);
    if (r->ahead.works && pc_ahead_take(&r->ahead, w, n)) {
        r->in->bytes_read += n;
        return n;
    }
    pc_ahead_end(&r->ahead, w);
    return pc_input_read_at(r->in, offset, w->bytes + w->len, n);
}

size_t pc_reader_refill(struct pc_reader *r, size_t n)
{
    struct pc_window *w = r->w;
    if (w->fill)
        return w->fill(r, n);
    size_t have = w->len - w->at, got;
    uint64_t next = w->offset + w->len;
    if (next >= w->end)
        return have;
    pc_reader_make_room(r, n);
    size_t full = w->at + n <= PC_FILL && PC_FILL < w->room ? PC_FILL : w->room, room = full - w->len;
    if (w->end - next < room)
        room = (size_t)(w->end - next);
    if (r->in->kind == PC_INPUT_STREAM) {
        size_t least = n - have < room ? n - have : room; /* the next bytes may come in a while */
        got = pc_input_read(r->in, w->bytes + w->len, least, room);
        if (r->in->error)
            pc_reader_say_short_read(r, next + got);
        if (r->signs.bytes < PC_SIGNS_MAX)
            pc_signs_add(&r->signs, (struct pc_span){ w->bytes + w->len, got }, PC_SIGNS_MAX);
        if (got < least)
            w->end = next + got; /* the end of the stream */
    } else {
        got = read_file(r, next, room);
        if (got < room) {
            pc_reader_say_short_read(r, next + got);
            w->end = next + got;
            w->cut = true;
        }
    }
    w->len += got;
    if (w->offset + w->len == w->end)
        pc_ahead_end(&r->ahead, w);
    return have + got;
}

void pc_reader_skip(struct pc_reader *r, uint64_t offset, uint64_t n)
{
    struct pc_skipped *run = &r->skipped_run;
    if (r->skipped == 0)
        r->skipped_at = offset;
    if (n != 0 && (run->of != r->w || run->end != offset || run->before + run->size != r->skipped)) {
        *run = (struct pc_skipped){ .of = r->w, .before = r->skipped };
        pc_reader_where(r, offset, &run->where, &run->offset);
    }
    r->skipped += n;
    run->size += n;
    run->end = n != 0 ? offset + n : run->end;
}

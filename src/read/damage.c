/* SPDX-License-Identifier: MIT
 *
 * What is remembered of the first damage of a capture, for those who look for its cause.
 */
#include "read/parts.h"
#include "read/plausible.h"

#include <string.h>

/* Remembers lines of text in these bytes, the first of which has this offset, if they begin at the damage,
 * which is `here`, or before it. */
static void keep_text(struct pc_damage *damage, struct pc_span bytes, size_t here, uint64_t offset)
{
    size_t at, end;
    if (!pc_signs_find_lines(bytes, here, &at, &end))
        return;
    damage->text = offset + at;
    damage->text_end = offset + end;
    for (size_t i = 0; i < PC_VALUE_MAX && bytes.ptr[at + i] != '\n'; i++)
        damage->line[i] = bytes.ptr[at + i];
}

/* Where the magic of trace data is in these bytes, the first of which has this offset; 0: nowhere. */
static uint64_t find_trace(struct pc_span bytes, uint64_t offset)
{
    static const char magic[] = PC_TRACING_MAGIC;
    const size_t len = PC_TRACING_MAGIC_SIZE;
    for (size_t at = 0; at + len <= bytes.len; at++) {
        const unsigned char *next = memchr(bytes.ptr + at, magic[0], bytes.len - len + 1 - at);
        if (!next)
            break;
        at = (size_t)(next - bytes.ptr);
        if (memcmp(next, magic, len) == 0)
            return offset + at;
    }
    return 0;
}

/* So many records in a row after damage show that it ended. */
#define CHAIN 4

/* Counts the line feeds of the place up to `to` in the window, each once: records may claim the same bytes.
 * More than a grid of 8 bytes can tell apart need not be known. */
static void count_feeds(struct pc_damage *damage, const struct pc_window *w, size_t from, size_t to)
{
    if (w->offset + from < damage->counted)
        from = damage->counted - w->offset < to ? (size_t)(damage->counted - w->offset) : to;
    while (from < to && damage->feeds < 7) {
        const unsigned char *next = memchr(w->bytes + from, '\n', to - from);
        if (!next)
            break;
        damage->feeds++;
        from = (size_t)(next - w->bytes) + 1;
    }
    if (w->offset + to > damage->counted)
        damage->counted = w->offset + to;
}

/* Remembers that there is damage here, in a record that begins at `from` in the window and ends at `to`: in
 * the place of the last one, unless whole records are between. When carriage returns before line feeds were
 * left out of a place, the next records are off the grid of 8 bytes by as many. */
static void keep_place(struct pc_reader *r, size_t from, size_t to)
{
    struct pc_damage *damage = &r->damage;
    const uint64_t at = r->w->offset + from, lost = pc_damage_feeds(damage, at);
    if (damage->places == 0 || r->records > damage->record + CHAIN) {
        damage->feed_places += lost != 0;
        damage->missing += lost;
        damage->second = damage->places == 1 ? pc_reader_offset(r) : damage->second;
        damage->places++;
        damage->grid = at;
        damage->feeds = damage->counted = 0;
    }
    damage->record = r->records;
    count_feeds(damage, r->w, from + PC_RECORD_HEADER_SIZE, to); /* a type may have the value */
}

bool pc_reader_keep_damage(struct pc_reader *r, enum pc_diag id)
{
    struct pc_window *w = r->w;
    if (w != &r->outer)
        return false;
    size_t have = pc_reader_available(r, PC_LOOK_AHEAD + 1), here = w->at, from = here, to = here;
    size_t least = w->last_size <= w->at ? w->at - w->last_size : w->at;
    have = have < PC_LOOK_AHEAD ? have : PC_LOOK_AHEAD; /* how many are there must not matter */
    struct pc_record_head head = { 0 };
    if (have >= PC_RECORD_HEADER_SIZE)
        head = pc_load_head(w->bytes + here, r->capture->order);
    bool swallows = id == PC_D_RECORD_SWALLOWS; /* the record itself, not the one before */
    size_t first = swallows ? here : least,
           last = swallows ? here + (head.size < have ? head.size : have) : here;
    if (r->damage.any) {
        if (r->damage.stream == r->streams.where.stream)
            keep_place(r, first, last);
        return false;
    }
    /* Zeros may begin inside the header. */
    if (have >= PC_RECORD_HEADER_SIZE) {
        from = here + PC_RECORD_HEADER_SIZE;
        while (from > here && w->bytes[from - 1] == 0)
            from--;
        to = from;
    }
    while (from > least && w->bytes[from - 1] == 0)
        from--;
    while (to < w->at + have && w->bytes[to] == 0)
        to++;
    r->damage = (struct pc_damage){ .any = true,
                                    .stream = r->streams.where.stream,
                                    .id = id,
                                    .before = w->offset + least,
                                    .offset = pc_reader_offset(r),
                                    .zeros = w->offset + from,
                                    .zeros_end = w->offset + to,
                                    .head = head };
    keep_place(r, first, last);
    const struct pc_span around = { w->bytes + least, w->at + have - least };
    keep_text(&r->damage, around, w->at - least, w->offset + least);
    r->damage.trace = find_trace(around, w->offset + least);
    return true;
}

void pc_reader_keep_swallowed(struct pc_reader *r, uint64_t swallowed)
{
    struct pc_damage *damage = &r->damage;
    uint64_t size = pc_reader_offset(r) - damage->before;
    damage->swallowed = swallowed;
    if (size < PC_RECORD_HEADER_SIZE || size > r->w->at)
        return;
    const struct pc_span record = { r->w->bytes + r->w->at - size, (size_t)size };
    const struct pc_record_head head = pc_load_head(record.ptr, r->capture->order);
    const struct pc_record_info *info = pc_record_info(head.type);
    if (info && size < info->min) { /* the next record begins in it: it is none */
        damage->offset = damage->before;
        damage->end = pc_reader_offset(r);
        damage->head = head;
        damage->swallowed = 0;
        return;
    }
    damage->off_grid = size % 8 != 0 && (pc_record_is(head.type, PC_ANY_SIZE) ||
                                         pc_unaligned_writer(head.type, record, r->capture->order));
}

void pc_reader_say_cut(struct pc_reader *r, uint32_t type, uint64_t number, uint64_t offset, uint64_t n)
{
    const struct pc_context from = pc_record_context(type, number, r->streams.where, offset);
    pc_report_say(r->report, &from, PC_D_RECORD_CUT, 0, n, pc_uint_value(n), pc_none);
}

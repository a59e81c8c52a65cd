/* SPDX-License-Identifier: MIT
 *
 * What compressed records hold: one zstd stream for each stream of records, whose pieces are opened into a
 * window of their own (tools/perf/util/tool.c: perf_session__process_compressed_event). A record may begin in
 * one piece and end in a later one.
 */
#include "read/parts.h"
#include "read/plausible.h"

#include <string.h>

/* Smaller captures never meet the limit of the ratio: FORMAT.md 7.3; stack dumps that hardly differ come to
 * some 1,600. */
#define RATIO_MAX  5000
#define RATIO_FROM ((uint64_t)64 << 20)

/* --- where in which content --- */

void pc_reader_leave_content(struct pc_reader *r)
{
    r->w = &r->outer;
}

static void add_boundary(struct pc_reader *r, const struct pc_item *item)
{
    const struct pc_window *w = &r->inner;
    uint64_t lowest = w->offset + w->at - (w->last_size <= w->at ? w->last_size : 0);
    size_t unused = 0;
    while (unused + 1 < r->packed.nr_boundaries && r->packed.boundary[unused + 1].start <= lowest)
        unused++;
    r->packed.nr_boundaries -= unused;
    memmove(r->packed.boundary, r->packed.boundary + unused,
            r->packed.nr_boundaries * sizeof(r->packed.boundary[0]));
    /* Hundreds of tiny pieces of one record: offsets count on from the last one that is known. */
    if (r->packed.nr_boundaries < PC_BOUNDARIES)
        r->packed.boundary[r->packed.nr_boundaries++] =
            (struct pc_boundary){ w->offset + w->len, item->number, item->offset };
}

/* --- the content of the current compressed record --- */

/* Reports something about the current compressed record, not its content. */
static void say(struct pc_reader *r, enum pc_diag id, struct pc_value seen, struct pc_value expected)
{
    const struct pc_context packed = pc_item_context(&r->packed.record);
    pc_report_say(r->report, &packed, id, 0, r->packed.record.bytes.len, seen, expected);
}

/* Nothing more can come out of the stream, or shall. What did come out is still read: a look ahead may be
 * what meets the end of it. */
static void give_up(struct pc_reader *r, enum pc_content_state state)
{
    r->packed.state = state;
    r->packed.left.len = 0;
    pc_inflate_restart(&r->packed.inflate);
}

/* The rest of what came out of a stream that was given up is the beginning of a record that has no end. */
static void drop_rest(struct pc_reader *r)
{
    r->inner.at = r->inner.len;
    r->inner.last_size = 0;
    r->inner.doubtful = false;
}

/* What was to come out of the current record is not all there. */
static void lose_content(struct pc_reader *r)
{
    r->packed.broken = r->packed.record;
    r->packed.nr_broken++;
    give_up(r, PC_CONTENT_LOST);
}

/* Nothing comes out of a record because of damage before it, which was reported. */
static void note_lost(struct pc_reader *r, const struct pc_item *item)
{
    if (r->packed.nr_lost++ == 0)
        r->packed.lost = *item;
    r->packed.lost_end = item->offset + item->bytes.len;
}

/* No more of them follow. */
static void say_lost(struct pc_reader *r)
{
    const struct pc_item *lost = &r->packed.lost;
    const struct pc_context first = pc_item_context(lost);
    if (r->packed.nr_lost != 0)
        pc_report_say(r->report, &first, PC_D_CONTENT_LOST, 0, r->packed.lost_end - lost->offset,
                      pc_uint_value(r->packed.nr_lost), pc_none);
    r->packed.nr_lost = 0;
}

static void say_outcome(struct pc_reader *r, enum pc_inflate_outcome outcome)
{
    bool inside = !r->packed.begins_with_frame && r->packed.inflate.frames <= 1 && r->packed.stream_out == 0;
    switch (outcome) {
    case PC_INFLATE_GOOD:
        return;
    case PC_INFLATE_BAD:
        if (r->packed.missed) /* a part of the stream, which was reported */
            note_lost(r, &r->packed.record);
        else
            say(r, inside ? PC_D_ZSTD_BEGINS_INSIDE : PC_D_ZSTD_DAMAGED,
                pc_text_value(r->packed.inflate.error), pc_none);
        lose_content(r);
        return;
    case PC_INFLATE_WINDOW:
        say(r, PC_D_LIMIT_WINDOW, pc_none, pc_uint_value((uint64_t)1 << (PC_INFLATE_WINDOW_LOG - 20)));
        break;
    case PC_INFLATE_NO_MEMORY:
        pc_reader_say_out_of_memory(r, "compressed records were opened");
        break;
    }
    give_up(r, PC_CONTENT_STOPPED);
}

/* The bytes that are left in the content are the beginning of a record, and no more of it comes. */
static void say_cut(struct pc_reader *r)
{
    const struct pc_window *w = r->w;
    const struct pc_context begun = pc_reader_context(r, 0, r->records);
    if (w->len != w->at)
        pc_report_say(r->report, &begun, PC_D_CONTENT_CUT, 0, w->len - w->at, pc_uint_value(w->len - w->at),
                      pc_none);
}

/* Whether so many bytes out of so few are a bomb, which ends the reading of compressed content. */
static bool is_bomb(struct pc_reader *r, uint64_t out, uint64_t in)
{
    if (out / RATIO_MAX <= in)
        return false;
    say(r, PC_D_LIMIT_RATIO, pc_uint_value(out), pc_uint_value(in));
    give_up(r, PC_CONTENT_STOPPED);
    return true;
}

/* Whether the bytes that just came keep the limits; so must those that came before damage, of which there may
 * be some in every frame. */
static void check_limits(struct pc_reader *r)
{
    uint64_t most = r->capture->mmap_len;
    bool too_long = r->packed.state == PC_CONTENT_SOUND && most != 0 && r->packed.out > most;
    if (too_long && is_bomb(r, r->packed.out, r->packed.record.bytes.len - r->packed.left.len))
        return;
    if (too_long) {
        /* perf has room for that much: what is more does not come out. */
        uint64_t more = r->packed.out - most;
        r->inner.len -= more < r->inner.len - r->inner.at ? (size_t)more : r->inner.len - r->inner.at;
        say(r, PC_D_CONTENT_TOO_LONG, pc_none, pc_uint_value(most));
        lose_content(r);
    }
    if (r->packed.bytes_out > r->limits->inflated) {
        say(r, PC_D_LIMIT_INFLATED, pc_none, pc_uint_value(r->limits->inflated));
        give_up(r, PC_CONTENT_STOPPED);
    } else if (r->packed.bytes_out > RATIO_FROM) {
        is_bomb(r, r->packed.bytes_out, r->packed.bytes_in);
    }
}

/* Up to 6.12, perf puts what comes out of a second frame of a record in the wrong place
 * (tools/perf/util/zstd.c: zstd_decompress_stream). */
static void say_frame(struct pc_reader *r, enum pc_inflate_outcome outcome)
{
    const uint64_t at = r->packed.frame_at;
    if (outcome != PC_INFLATE_GOOD || at == 0 || r->packed.frame_again)
        return;
    r->packed.frame_again = r->packed.out > at;
    if (r->packed.frame_again)
        say(r, PC_D_ZSTD_FRAME_AGAIN, pc_uint_value(at), pc_none);
    else if (r->packed.done)
        say(r, PC_D_ZSTD_FRAME_EMPTY, pc_uint_value(at), pc_none);
}

static size_t unpack(struct pc_reader *r, size_t n)
{
    struct pc_window *w = &r->inner;
    if (!r->packed.done && r->packed.state == PC_CONTENT_SOUND)
        pc_reader_make_room(r, n);
    while (!r->packed.done && r->packed.state == PC_CONTENT_SOUND && w->len - w->at < n && w->len < w->room) {
        size_t room = w->room - w->len, before = r->packed.left.len, got;
        room = room < PC_FILL ? room : PC_FILL;
        uint64_t most = r->limits->inflated,
                 left = most > r->packed.bytes_out ? most - r->packed.bytes_out : 0;
        room = left < room ? (size_t)left + 1 : room; /* one byte shows that there is more */
        if (r->packed.inflate.between && before != 0 && r->packed.frame_at == 0)
            r->packed.frame_at = r->packed.out;
        enum pc_inflate_outcome outcome =
            pc_inflate(&r->packed.inflate, &r->packed.left, w->bytes + w->len, room, &got);
        r->packed.bytes_in += before - r->packed.left.len;
        r->packed.out += got;
        r->packed.stream_out += got;
        r->packed.bytes_out += got;
        w->len += got;
        r->packed.done = got < room && r->packed.left.len == 0;
        say_frame(r, outcome);
        say_outcome(r, outcome);
        if (r->packed.state != PC_CONTENT_STOPPED)
            check_limits(r);
    }
    return w->len - w->at;
}

/* --- records with wrong sizes --- */

/* Up to 7.1, perf takes all records that it made of one read of a ring for one (tools/perf/builtin-record.c:
 * record__pushfn). The first gets a data_size that counts all that follow, and the size of it all, padded,
 * modulo 65536; the others keep the size that they were made with and never had a data_size. The padding is
 * lost: its length wraps as well, and the write fails. As zstd fills one record before the next is begun, all
 * of them are known: each but the last has as many bytes as a size can say. */
#define PUSH_RECORD PC_RECORD_SIZE_MAX
/* A larger ring than this is no ring: the buffer that takes what comes out of it is as large. */
#define PUSH_MAX ((uint64_t)1 << 32)

/* Whether a record of a push is `at` bytes after the current place: the one with `left` bytes to come.
 */
static bool is_in_push(struct pc_reader *r, size_t at, uint64_t left)
{
    size_t size = left < PUSH_RECORD ? (size_t)left : PUSH_RECORD, needed = at + PC_RECORD_HEADER_SIZE;
    if (r->w->end - pc_reader_offset(r) < needed || pc_reader_available(r, needed) < needed)
        return false;
    struct pc_record_head head = pc_load_head(r->w->bytes + r->w->at + at, r->capture->order);
    return head.type == PC_COMPRESSED2 && head.misc == 0 && head.size == size &&
           size > pc_size_wrapped_info.min;
}

/* The bytes of the push that begins at the current place; 0: none does. */
static uint64_t push_begins(struct pc_reader *r)
{
    const size_t fixed = pc_size_wrapped_info.min;
    r->work++;
    if (pc_reader_available(r, fixed) < fixed)
        return 0;
    const enum pc_order order = r->capture->order;
    struct pc_span record = { r->w->bytes + r->w->at, fixed };
    struct pc_record_head head = pc_load_head(record.ptr, order);
    struct pc_walk walk;
    uint64_t all, most = r->capture->mmap_len != 0 ? r->capture->mmap_len : PUSH_MAX;
    if (head.type != PC_COMPRESSED2 || head.misc != 0 ||
        !pc_read_table(&walk, pc_size_wrapped_info.fields, pc_record_body(record, order)) ||
        !pc_add(fixed, walk.slot[PC_SLOT_A], &all) || all > most)
        return 0;
    uint64_t padded = pc_align8(all);
    if (padded <= PUSH_RECORD || head.size != (padded & UINT16_MAX))
        return 0;
    /* One bit of data_size makes this of a sound record, but not what follows. */
    return all <= PUSH_RECORD || is_in_push(r, PUSH_RECORD, all - PUSH_RECORD) ? all : 0;
}

/* About the record that begins at the current place of the stream. */
static void say_here(struct pc_reader *r, enum pc_diag id, size_t at, uint64_t length, struct pc_value seen,
                     struct pc_value expected)
{
    const struct pc_context here =
        pc_record_context(PC_COMPRESSED2, r->records, r->streams.where, pc_reader_offset(r));
    pc_report_say(r->report, &here, id, at, length, seen, expected);
}

static void say_push_cut(struct pc_reader *r)
{
    if (!r->outer.cut)
        say_here(r, PC_D_COMPRESSED2_LOST, 0, 0, pc_uint_value(r->packed.push_left), pc_none);
    r->packed.push_left = 0;
    pc_reader_miss_content(r);
}

size_t pc_reader_size_wrapped(struct pc_reader *r)
{
    if (r->packed.push_left != 0 && !is_in_push(r, 0, r->packed.push_left))
        say_push_cut(r);
    if (r->packed.push_left == 0) {
        r->packed.push_left = push_begins(r);
        if (r->packed.push_left == 0)
            return 0;
        say_here(r, PC_D_COMPRESSED2_WRAPPED, PC_RECORD_SIZE_AT, 2,
                 pc_uint_value(pc_align8(r->packed.push_left) & UINT16_MAX),
                 pc_uint_value(pc_align8(r->packed.push_left)));
    }
    size_t size = r->packed.push_left < PUSH_RECORD ? (size_t)r->packed.push_left : PUSH_RECORD;
    r->packed.push_left -= size;
    return size;
}

/* The bytes of the zstd stream in a compressed record; false when its size is wrong, which the check reports.
 */
static bool find_packed(struct pc_reader *r, const struct pc_item *item, struct pc_span *packed)
{
    struct pc_cursor body = pc_record_body(item->bytes, r->capture->order);
    struct pc_walk walk;
    if (!pc_read_table(&walk, pc_item_info(item)->fields, body) || walk.slot_at[PC_REC_RAW] == 0)
        return false;
    *packed = pc_part(item->bytes, walk.slot_at[PC_REC_RAW], (size_t)walk.slot[PC_REC_RAW]);
    r->packed.lacks =
        !item->size_wrapped && pc_align8(walk.slot_at[PC_REC_RAW] + packed->len) < item->bytes.len;
    return true;
}

void pc_reader_open_content(struct pc_reader *r, const struct pc_item *item)
{
    struct pc_window *w = &r->inner;
    if (r->packed.state == PC_CONTENT_STOPPED)
        return;
    if (!find_packed(r, item, &r->packed.left)) {
        if (item->bytes.len > PC_RECORD_HEADER_SIZE) {
            give_up(r, PC_CONTENT_LOST);
            drop_rest(r);
        }
        return;
    }
    if (!w->bytes) {
        w->room = PC_WINDOW;
        w->bytes = pc_alloc_buffer(r->mem, w->room);
        if (!w->bytes) {
            pc_reader_say_out_of_memory(r, "compressed records were opened");
            r->packed.state = PC_CONTENT_STOPPED;
            return;
        }
        r->mem->limit = pc_add_saturated(r->mem->limit, PC_INFLATE_MEMORY);
        w->end = UINT64_MAX;
        w->fill = unpack;
    }
    bool is_frame = pc_inflate_is_frame(r->packed.left);
    if (r->packed.state == PC_CONTENT_LOST && !is_frame) {
        note_lost(r, item);
        return;
    }
    say_lost(r);
    if (r->packed.inflate.frames == 0)
        r->packed.begins_with_frame = is_frame;
    r->packed.state = PC_CONTENT_SOUND;
    r->packed.record = *item;
    r->packed.is_frame = is_frame;
    r->packed.done = r->packed.none = r->packed.left.len == 0;
    r->packed.out = r->packed.frame_at = 0;
    r->packed.frame_again = false;
    add_boundary(r, item);
    r->w = w;
    r->stage = PC_READ_CONTENT;
}

void pc_reader_meet_nested(struct pc_reader *r)
{
    if (++r->packed.nested <= PC_NESTED_MAX || r->packed.state != PC_CONTENT_SOUND)
        return;
    lose_content(r);
    drop_rest(r);
}

void pc_reader_close_content(struct pc_reader *r)
{
    bool more = r->packed.push_left != 0; /* what the writer took for one record ends later */
    bool sound = r->packed.state == PC_CONTENT_SOUND;
    bool nothing = sound && r->packed.out == 0 && !r->packed.none && !more;
    if (nothing)
        say(r, PC_D_CONTENT_NONE, pc_none, pc_none);
    if (sound && r->packed.lacks) {
        pc_reader_skip(r, pc_reader_offset(r), r->inner.len - r->inner.at);
        say_cut(r);
    }
    if ((nothing && !r->packed.is_frame) || (sound && r->packed.lacks))
        lose_content(r); /* what comes later in the stream may repeat what did not come out */
    r->packed.left.len = 0;
    if (r->packed.state != PC_CONTENT_SOUND)
        drop_rest(r);
    pc_reader_leave_content(r);
    r->stage = PC_READ_DATA;
}

/* No more is read of the content: notes whether the bytes that are left are the beginning of a record. */
static void note_rest(struct pc_reader *r)
{
    const struct pc_window *w = &r->inner;
    uint64_t size;
    if (w->len - w->at >= PC_RECORD_HEADER_SIZE && !pc_plausible_header(r, w->bytes + w->at, &size))
        r->packed.odd = r->packed.record.number + 1;
}

void pc_reader_miss_content(struct pc_reader *r)
{
    r->packed.missed = true;
    if (r->packed.state != PC_CONTENT_SOUND || r->packed.inflate.frames == 0)
        return;
    note_rest(r);
    give_up(r, PC_CONTENT_LOST);
    drop_rest(r);
}

/* They are fewer than a compressed record has, and begin where the last one ends, with a block of zstd: so it
 * lost none. */
bool pc_reader_misses_nothing(struct pc_reader *r, uint64_t at, uint64_t skipped)
{
    const struct pc_item *last = &r->packed.record;
    const bool ends = r->packed.state == PC_CONTENT_SOUND && r->packed.inflate.frames != 0 &&
                      r->packed.inflate.at_block && last->offset + last->bytes.len == at;
    const bool misses = !ends || skipped >= (uint64_t)pc_record_info(last->type)->min + PC_INFLATE_BLOCK_MIN;
    r->packed.ended = ends ? last->number + 1 : r->packed.ended;
    r->packed.passed = misses ? r->packed.passed : last->number + 1;
    return !misses;
}

void pc_reader_end_content(struct pc_reader *r)
{
    struct pc_window *w = &r->inner;
    if (r->packed.push_left != 0)
        say_push_cut(r);
    say_lost(r);
    struct pc_window *const outer = r->w;
    r->w = w;
    pc_reader_skip(r, w->offset + w->at, w->len - w->at);
    r->w = outer;
    note_rest(r);
    if (w->len != w->at && r->packed.state == PC_CONTENT_SOUND && !r->outer.cut && !r->packed.missed) {
        r->w = w;
        say_cut(r);
        pc_reader_leave_content(r);
    }
    /* The next stream, of a directory, begins afresh. */
    if (r->packed.state == PC_CONTENT_LOST)
        r->packed.state = PC_CONTENT_SOUND;
    w->offset = w->at = w->len = w->last_size = 0;
    w->doubtful = false;
    w->end = UINT64_MAX;
    r->packed.nr_boundaries = 0;
    r->packed.stream_out = 0;
    r->packed.missed = false;
    r->packed.inflate.frames = 0;
    pc_inflate_restart(&r->packed.inflate);
}

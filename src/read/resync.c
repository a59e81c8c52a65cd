/* SPDX-License-Identifier: MIT
 *
 * Where the next record begins after damage: at the next place from which plausible headers lead on.
 */
#include "read/resync.h"
#include "bytes/inflate.h"
#include "read/extent.h"
#include "read/fits.h"
#include "read/follow.h"
#include "read/parts.h"
#include "read/plausible.h"

#include <string.h>

/* The next place from `at` on, before `end`, that may be a type. */
static size_t next_type(struct pc_reader *r, size_t at, size_t end, size_t have)
{
    const unsigned char *p = r->w->bytes + r->w->at;
    const enum pc_order order = r->capture->order;
    size_t start = at, last = have < sizeof(uint32_t) ? 0 : have - sizeof(uint32_t) + 1;
    last = last < end ? last : end;
    while (at < last && !pc_may_be_type(p + at, order))
        at++;
    r->work += at - start;
    return at;
}

/* Leaves out a hole of the file after the current place. In zeros no record begins, but the first bytes of
 * one may be some. */
static void pass_hole(struct pc_reader *r)
{
    struct pc_window *w = r->w;
    uint64_t here = pc_reader_offset(r);
    uint64_t data = w == &r->outer ? pc_input_pass_hole(r->in, here) : here;
    data = data < w->end ? data : w->end;
    if (data - here <= PC_WINDOW)
        return;
    pc_ahead_end(&r->ahead, w);
    w->offset = data - PC_RECORD_HEADER_SIZE;
    w->at = w->len = w->last_size = 0;
}

/* Whether records are looked for in more bytes. A few bytes of a compressed record may hold any number: so
 * many times as many as the stream has are enough for a capture with some damage. */
static bool may_search(const struct pc_reader *r)
{
    const uint64_t times = 32, slack = (uint64_t)16 << 20;
    return r->w != &r->inner || r->packed.searched / times <= r->packed.bytes_in + slack / times;
}

/* After damage: moves to the next place where records can be recognised, not before `at`. Returns the bytes
 * skipped; everything that is left when there is no such place. The content of a compressed record may end
 * before that can be said of a place: it stays in doubt. */
static uint64_t resynchronise(struct pc_reader *r, size_t at)
{
    uint64_t start = pc_reader_offset(r);
    for (;; at = 0) {
        size_t have = pc_reader_available(r, PC_LOOK_AHEAD + 1); /* one more tells whether the stream ends */
        size_t end = have <= PC_LOOK_AHEAD ? have : have - PC_LOOK_AHEAD;
        const size_t from = at;
        const bool may = may_search(r);
        at = may ? next_type(r, at, end, have) : end;
        r->undecided = false;
        while (at < end && !pc_records_begin(r, at, have) && !r->undecided)
            at = next_type(r, at + 1, end, have);
        r->w->doubtful = r->undecided;
        r->packed.searched += may && r->w == &r->inner && at > from ? at - from : 0;
        r->w->at += at < have ? at : have;
        if (at < end || have <= PC_LOOK_AHEAD) {
            pc_reader_skip(r, start, pc_reader_offset(r) - start);
            return pc_reader_offset(r) - start;
        }
        pass_hole(r);
    }
}

/* As resynchronise, when the current record reaches past the end of the data, and its content does not say
 * whether it is cut or its size is wrong. Only records that lead up to the very end say the latter, the last
 * of which may be cut; what a cut record holds may look like one. *leads: whether it holds one or more that
 * do. whole: the data are not cut, so that the last one is whole, and one is enough. */
static uint64_t resynchronise_tail(struct pc_reader *r, bool whole, bool *leads)
{
    const unsigned char enough = whole ? 2 : 1 + PC_CHAIN;
    size_t have = r->w->len - r->w->at, best = have;
    assert(have <= PC_RECORD_SIZE_MAX);
    /* 1 + the number of records in a row from here to the end, up to PC_CHAIN; 0: they do not lead there. */
    unsigned char *chain = pc_alloc(r->mem, have + 1);
    if (!chain)
        pc_reader_say_out_of_memory(r, "records were looked for");
    size_t last = have < PC_RECORD_HEADER_SIZE ? have : have - PC_RECORD_HEADER_SIZE + 1;
    for (size_t at = last; chain && at <= have; at++)
        chain[at] = !whole || at == have; /* less than a header is left, or nothing */
    for (size_t at = last; chain && at-- > 1;) {
        uint64_t step;
        if (!pc_plausible_step_at(r, at, have, &step) ||
            !pc_reader_may_follow(r, (struct pc_span){ r->w->bytes + r->w->at + at, have - at }, at))
            continue;
        unsigned char rest = step > have - at ? 0 : chain[at + (size_t)step];
        if (step > have - at)
            chain[at] = !whole;
        else if (rest != 0)
            chain[at] = rest < 1 + PC_CHAIN ? rest + 1 : 1 + PC_CHAIN;
        *leads |= chain[at] > 1 && at >= PC_RECORD_HEADER_SIZE;
        if (chain[at] >= enough)
            best = at;
    }
    pc_free(r->mem, chain, have + 1);
    pc_reader_skip(r, pc_reader_offset(r), best);
    r->w->at += best;
    return best;
}

/* Whether a place from which records follow each other is too weak a sign: its header is in part behind the
 * last record, of `size` bytes, and it is the only one, which may be cut. */
static bool is_doubtful(struct pc_reader *r, size_t at, size_t size, size_t have)
{
    uint64_t step;
    return !pc_reader_ends_whole(r) && at + PC_RECORD_HEADER_SIZE > size &&
           pc_plausible_step_at(r, at, have, &step) && pc_reader_offset(r) + at + step >= r->w->end;
}

/* Whether the bytes before the current place, so many of which were skipped, are one record that holds no
 * others, with a wrong size. */
static bool skipped_plain_record(struct pc_reader *r, uint64_t skipped)
{
    struct pc_window *w = r->w;
    if (skipped < PC_RECORD_HEADER_SIZE || skipped > w->at || skipped > PC_RECORD_SIZE_MAX)
        return false;
    struct pc_span record = { w->bytes + w->at - skipped, (size_t)skipped };
    uint32_t type = pc_load_head(record.ptr, r->capture->order).type;
    bool has_layout = !pc_is_kernel_type(type) || r->capture->nr_attrs != 0;
    return has_layout && pc_record_info(type) && !pc_record_is(type, PC_HOLDS_RECORDS) &&
           pc_reader_fits(r, record);
}

static void say_swallows(struct pc_reader *r, const struct pc_context *record, size_t size, size_t end)
{
    pc_report_say(r->report, record, PC_D_RECORD_SWALLOWS, 0, PC_RECORD_HEADER_SIZE, pc_uint_value(size),
                  pc_uint_value(end));
}

/* Nothing begins where the last record ended. When records follow each other from a place inside it, its size
 * was wrong: reports it, and goes on there. */
static bool rewind_into_last(struct pc_reader *r)
{
    if (r->w->last_size == 0)
        return false;
    size_t ahead = pc_reader_available(r, PC_LOOK_AHEAD + 1);
    size_t size = r->w->last_size, end = r->w->at, have = ahead + size;
    if (r->w->at < size)
        return false; /* no longer in the window */
    r->w->at -= size;
    struct pc_record_head head = pc_load_head(r->w->bytes + r->w->at, r->capture->order);
    /* Of a header with a known type at least the type is right; it may lack bytes of the rest. */
    for (size_t at = pc_record_info(head.type) ? sizeof(head.type) : 1; at < size; at++) {
        if (!pc_records_begin(r, at, have) || is_doubtful(r, at, size, have))
            continue;
        const struct pc_context last = pc_reader_context(r, head.type, r->records - 1);
        say_swallows(r, &last, size, at);
        r->w->at += at;
        r->w->last_size = 0;
        if (pc_record_is(head.type, PC_HOLDS_RECORDS))
            pc_reader_miss_content(r);
        return true;
    }
    r->w->at = end;
    r->w->last_size = 0;
    return false;
}

/* Whether the bytes at the current place are the header of a record, as far as they are there. */
static bool is_header(const struct pc_reader *r)
{
    const struct pc_window *w = r->w;
    if (w->len - w->at < PC_RECORD_HEADER_SIZE)
        return true;
    struct pc_record_head head = pc_load_head(w->bytes + w->at, r->capture->order);
    const struct pc_record_info *info = pc_record_info(head.type);
    return info && (head.misc & ~(unsigned)info->misc) == 0;
}

static void say_skipped(struct pc_reader *r, const struct pc_context *from, uint64_t skipped)
{
    pc_report_say(r->report, from, PC_D_RESYNC, 0, skipped, pc_uint_value(skipped), pc_none);
}

/* Passes bytes that become no item. */
static uint64_t skip(struct pc_reader *r, size_t n)
{
    pc_reader_skip(r, pc_reader_offset(r), n);
    r->w->at += n;
    return n;
}

/* Where a COMPRESSED ends that has only a part of a block of zstd: with a block, if records go on there and
 * not where its size says; 0: nowhere. The size may be none. */
static size_t find_block_end(struct pc_reader *r, const struct pc_record_head *head)
{
    const size_t least = pc_record_info(head->type)->min;
    const size_t size = head->size > least ? head->size : least;
    size_t at = 0, block = 0, packed = size - least;
    struct pc_span content = { r->w->bytes + r->w->at + least, packed };
    if (r->w != &r->outer || (packed != 0 && pc_inflate_ends_block(content, packed, &block)))
        return 0;
    while (pc_reader_may_walk(r, PC_RECORD_HEAD)) {
        size_t have = pc_reader_available(r, least + at + PC_RECORD_HEAD);
        content = (struct pc_span){ r->w->bytes + r->w->at + least, have - least };
        if (at > content.len || !pc_inflate_pass(content, &at) || least + at > PC_RECORD_SIZE_MAX)
            return 0;
        if (at != packed && pc_records_follow(r, least + at))
            return pc_records_follow(r, size) ? 0 : least + at;
    }
    return 0;
}

/* What the content of the record at the current place says of its end. The end is known only when records go
 * on there. tail: the record reaches past the end. */
static struct pc_extent find_extent(struct pc_reader *r, bool tail)
{
    struct pc_extent extent = { PC_OPAQUE, 0 };
    size_t have = pc_reader_available(r, PC_RECORD_SIZE_MAX);
    have = have < PC_RECORD_SIZE_MAX ? have : PC_RECORD_SIZE_MAX; /* how many there are must not matter */
    if (have < PC_RECORD_HEADER_SIZE)
        return extent;
    const struct pc_span bytes = { r->w->bytes + r->w->at, have };
    const struct pc_record_head head = pc_load_head(bytes.ptr, r->capture->order);
    extent = pc_reader_search_extent(r, bytes);
    if (!tail && head.type == PC_COMPRESSED)
        extent = (struct pc_extent){ PC_CONTRARY, find_block_end(r, &head) };
    const bool opaque = tail && extent.agreement == PC_OPAQUE;
    if (opaque && !pc_record_is(head.type, PC_HAS_PAYLOAD))
        extent = pc_reader_open_extent(r, bytes);
    else if (opaque)
        extent.end = pc_reader_find_payload(r, bytes);
    if (tail && extent.end == 0 && pc_breaks_grid(&head) && !pc_may_be_unaligned(head.type))
        extent.agreement = PC_CONTRARY; /* no writer cut a record of that size */
    if (opaque)
        return extent;
    if (extent.end != 0 && !pc_records_follow(r, extent.end))
        extent.end = 0;
    return extent;
}

/* Skips the record at the current place, which is cut, or of which the header is wrong. */
static uint64_t skip_record(struct pc_reader *r, struct pc_extent extent, bool tail, bool *leads)
{
    if (extent.end != 0)
        return skip(r, extent.end);
    if (!tail || extent.agreement == PC_CONTRARY)
        return resynchronise(r, 1);
    const bool whole = pc_reader_ends_whole(r);
    if (extent.agreement == PC_AGREES && !whole)
        return skip(r, r->w->len - r->w->at);
    return resynchronise_tail(r, whole, leads);
}

/* Whether the end of the data, or of the stream, is in the way. */
static bool is_tail(enum pc_diag id)
{
    return id == PC_D_STREAM_CUT || id == PC_D_RECORD_CROSSES_END || id == PC_D_DATA_LEFTOVER;
}

/* Whether the last record, which is in the window, is as its table says. */
static bool is_last_sound(struct pc_reader *r)
{
    const struct pc_window *w = r->w;
    if (w->last_size < PC_RECORD_HEADER_SIZE || w->last_size > w->at)
        return true;
    const struct pc_span record = { w->bytes + w->at - w->last_size, w->last_size };
    uint32_t type = pc_load_head(record.ptr, r->capture->order).type;
    return !pc_record_info(type) || (pc_is_kernel_type(type) && r->capture->nr_attrs == 0) ||
           pc_reader_fits(r, record);
}

/* Whether a record begins at the current place of which only the size is wrong, or that is cut. */
static bool begins_record(struct pc_reader *r, bool tail, struct pc_extent extent)
{
    const struct pc_window *w = r->w;
    uint64_t size;
    if (w->len - w->at < PC_RECORD_HEADER_SIZE)
        return false;
    return (extent.end != 0 && is_last_sound(r)) ||
           (tail && extent.agreement != PC_CONTRARY && pc_plausible_header(r, w->bytes + w->at, &size));
}

bool pc_reader_go_back(struct pc_reader *r, enum pc_diag id)
{
    const struct pc_damage damage = r->damage;
    const size_t last_size = r->w->last_size;
    bool kept = pc_reader_keep_damage(r, id);
    uint64_t at = pc_reader_offset(r);
    if (!begins_record(r, is_tail(id), find_extent(r, is_tail(id))) && rewind_into_last(r)) {
        if (kept)
            pc_reader_keep_swallowed(r, at - pc_reader_offset(r));
        return true;
    }
    r->damage = damage;
    r->w->last_size = last_size;
    return false;
}

void pc_reader_leave_out(struct pc_reader *r, uint32_t type, size_t size)
{
    const struct pc_context record = pc_reader_context(r, type, r->records);
    say_skipped(r, &record, skip(r, size));
    r->w->last_size = 0;
    r->records++;
}

/* Whether the record at the current place, which ends there by its content, is read with that size. Without
 * its config or a map all of perf stat would be lost: these count when all their values are known. */
static bool is_mended(struct pc_reader *r, uint32_t type, size_t end)
{
    const struct pc_span record = { r->w->bytes + r->w->at, end };
    return end != 0 && pc_record_is(type, PC_MENDED) &&
           (!pc_record_is(type, PC_LASTING) || pc_reader_is_known(r, record));
}

/* Reports that, of a record whose size is none. */
static size_t mend_size(struct pc_reader *r, const struct pc_finding *f, bool kept, size_t end)
{
    struct pc_finding mended = *f;
    if (f->id == PC_D_STREAM_CUT)
        mended.id = PC_D_RECORD_CROSSES_END;
    if (kept) {
        r->damage.end = pc_reader_offset(r) + end;
        r->damage.mended = true;
    }
    pc_report_add(r->report, &mended);
    return end;
}

size_t pc_reader_damaged(struct pc_reader *r, enum pc_diag id, uint32_t type, uint64_t seen,
                         uint64_t expected)
{
    if (pc_reader_go_back(r, id))
        return 0;
    bool kept = pc_reader_keep_damage(r, id), tail = is_tail(id);
    uint64_t at = pc_reader_offset(r), size, before = r->skipped;
    const struct pc_extent extent = find_extent(r, tail);
    bool has_head = r->w->len - r->w->at >= PC_RECORD_HEADER_SIZE;
    r->w->last_size = 0;
    r->packed.push_left = 0;
    const struct pc_context record = pc_reader_context(r, type, r->records);
    struct pc_finding f = pc_finding_in(&record, id, 0, PC_RECORD_HEADER_SIZE);
    f.seen = pc_uint_value(seen);
    if (expected != 0)
        f.expected = pc_uint_value(expected);
    if (!has_head && id == PC_D_STREAM_CUT)
        f.seen = pc_text_value("unknown");
    if (is_mended(r, type, extent.end))
        return mend_size(r, &f, kept, extent.end);
    bool first = r->records == 0 && !r->capture->is_pipe && r->streams.where.stream == 0;
    uint64_t whole = has_head ? pc_load_head(r->w->bytes + r->w->at, r->capture->order).size : 0;
    bool leads = tail && !is_header(r);
    bool damaged = has_head && (!tail || extent.agreement == PC_CONTRARY) &&
                   (is_header(r) || !(r->w->open || r->ends_cut));
    uint64_t skipped = skip_record(r, extent, tail, &leads);
    r->unsure_end |= leads;
    bool found = r->w->at < r->w->len;
    if (kept && found)
        r->damage.end = pc_reader_offset(r);
    if (tail && !found)
        f.length = skipped;
    if (tail && !found && type == PC_HEADER_ATTR)
        pc_reader_learn(r)->attrs_damaged = true; /* the attr is in the part that is missing */
    if (first && found && pc_plausible_header(r, r->w->bytes + r->w->at, &size) &&
        pc_load_head(r->w->bytes + r->w->at, r->capture->order).type == PC_HEADER_FEATURE)
        f.id = PC_D_DATA_INSIDE_RECORD;
    if (pc_is_impossible_type(type) && skipped == whole && id != PC_D_RECORD_SIZE) { /* the size is right */
        f.id = PC_D_TYPE_IMPOSSIBLE;
        f.seen = pc_uint_value(type);
        f.length = 4;
    }
    if (id == PC_D_STREAM_CUT && (found || damaged))
        f.id = PC_D_RECORD_CROSSES_END;
    if (r->w == &r->outer && pc_diag_info(f.id)->severity == PC_ERROR && !skipped_plain_record(r, skipped) &&
        !pc_reader_misses_nothing(r, at, skipped))
        pc_reader_miss_content(r);
    if ((r->w->cut || (r->w == &r->outer && r->ends_cut)) && !found && !damaged) {
        if (tail && r->w->cut)
            r->skipped = before; /* what is there of a record that is cut, which is known */
        pc_reader_say_cut(r, type, r->records, at, skipped);
        return 0;
    }
    pc_report_add(r->report, &f);
    if (found || skipped > f.length)
        say_skipped(r, &record, skipped);
    r->records++;
    return 0;
}

/* Whether another piece, or the end of them, follows a piece of a split record. Then its size is right, and
 * SPLIT_END tells when the pieces have more than one record. */
static bool goes_on_as_piece(struct pc_reader *r, size_t size)
{
    struct pc_record_head next;
    if (pc_reader_available(r, size + PC_RECORD_HEADER_SIZE) < size + PC_RECORD_HEADER_SIZE)
        return false;
    next = pc_load_head(r->w->bytes + r->w->at + size, r->capture->order);
    return next.type == PC_SPLIT || (next.type == PC_SPLIT_END && next.size == PC_RECORD_HEADER_SIZE);
}

/* Whether records in the one at the current place may be none of its content. That of a sample is any bytes,
 * as is that of a type which nobody knows: only damage to the header, or right before it, tells. */
static bool may_swallow(struct pc_reader *r, struct pc_span record, uint32_t type)
{
    const struct pc_window *w = r->w;
    if (type == PC_SAMPLE)
        return pc_capture_choose(r->capture, type, record).choice == PC_CHOICE_UNKNOWN;
    if (pc_record_info(type) || type == 0 || pc_is_impossible_type(type))
        return true;
    if (w->last_size < PC_RECORD_HEADER_SIZE || w->last_size > w->at)
        return false;
    const struct pc_span last = { w->bytes + w->at - w->last_size, w->last_size };
    return pc_is_kernel_type(pc_load_head(last.ptr, r->capture->order).type) &&
           pc_reader_search_extent(r, last).agreement == PC_CONTRARY;
}

/* Where a HEADER_ATTR ends with its ids, and records go on, as they do not where its size says; 0: nowhere.
 * Of one more word, a number below 256 may also be what is left of a record that is nothing but a header. */
static size_t find_ids_end(struct pc_reader *r, const struct pc_record_head *head)
{
    if (head->type != PC_HEADER_ATTR || pc_records_follow(r, head->size))
        return 0;
    const size_t have = pc_reader_available(r, PC_RECORD_SIZE_MAX);
    const struct pc_span bytes = { r->w->bytes + r->w->at,
                                   have < PC_RECORD_SIZE_MAX ? have : PC_RECORD_SIZE_MAX };
    const size_t end = pc_reader_ids_end(r, bytes);
    if (end == head->size || !pc_reader_may_walk(r, end) || !pc_records_follow(r, end))
        return 0;
    const bool is_one = end == head->size + sizeof(uint64_t);
    return is_one && pc_load(bytes.ptr + head->size, 8, r->capture->order) <= UINT8_MAX ? 0 : end;
}

/* Where the content of the record at the current place, all of which is there, ends instead of where its size
 * says, and records go on; 0: nowhere. */
static size_t find_other_end(struct pc_reader *r, const struct pc_record_head *head)
{
    const bool is_piece = head->type == PC_SPLIT && goes_on_as_piece(r, head->size);
    const struct pc_span record = { r->w->bytes + r->w->at, head->size };
    if (pc_record_is(head->type, PC_HAS_PAYLOAD))
        return pc_reader_find_payload(r, record);
    const size_t ids = find_ids_end(r, head);
    if (ids != 0)
        return ids;
    const bool may = !is_piece && may_swallow(r, record, head->type);
    const size_t swallowed = may ? pc_reader_find_swallowed(r, record) : 0;
    if (swallowed == 0 && head->type == PC_COMPRESSED)
        return find_block_end(r, head);
    size_t end; /* those bytes are there already */
    if (pc_reader_fills(r, record, &end) && swallowed == 0)
        return 0;
    if (swallowed != 0)
        return end != 0 && end < swallowed && pc_records_follow(r, end) ? end : swallowed;
    if (end == 0 || end >= head->size)
        end = find_extent(r, false).end;
    else if (!pc_records_follow(r, end))
        end = 0;
    if (end == 0 && head->type != PC_SAMPLE && pc_is_kernel_type(head->type))
        return pc_reader_find_off_grid(r, (struct pc_span){ r->w->bytes + r->w->at, head->size });
    if (end <= head->size)
        return end == head->size ? 0 : end;
    /* Bytes that follow a record which lacks some of its fields may look like them, whole records among them.
     * A sample may hold such ones: those behind it lead to where its content would end. */
    const bool may_hold = head->type == PC_SAMPLE;
    if (pc_records_follow(r, head->size) && (!may_hold || pc_records_lead(r, head->size, end)))
        return 0;
    const struct pc_span all = { r->w->bytes + r->w->at, end };
    const size_t nearer = pc_reader_find_off_grid(r, all);
    return nearer != 0 && nearer < head->size && (!may_hold || pc_records_lead(r, nearer, end)) ? nearer
                                                                                                : end;
}

bool pc_reader_wrong_size(struct pc_reader *r, const struct pc_record_head *head, size_t *size)
{
    size_t end = find_other_end(r, head);
    if (end == 0)
        return false;
    end = pc_reader_find_in_header(r, head->type, end);
    *size = end;
    const struct pc_context here_now = pc_reader_context(r, head->type, r->records);
    if (pc_reader_keep_damage(r, PC_D_RECORD_SWALLOWS))
        r->damage.end = pc_reader_offset(r) + end;
    if (pc_is_impossible_type(head->type))
        pc_report_say(r->report, &here_now, PC_D_TYPE_IMPOSSIBLE, 0, 4, pc_uint_value(head->type), pc_none);
    else
        say_swallows(r, &here_now, head->size, end);
    if (is_mended(r, head->type, end))
        return false;
    pc_reader_leave_out(r, head->type, end);
    return true;
}

void pc_reader_skip_doubtful(struct pc_reader *r)
{
    const struct pc_context from = pc_reader_context(r, 0, r->records - 1);
    bool outer = r->w == &r->outer;
    uint64_t skipped = resynchronise(r, 0);
    if (outer)
        pc_reader_miss_content(r);
    if (skipped != 0)
        say_skipped(r, &from, skipped);
}

bool pc_reader_resume_content(struct pc_reader *r)
{
    struct pc_window *w = &r->inner;
    size_t left = w->len - w->at, start = w->at;
    if (w->doubtful && r->packed.state == PC_CONTENT_SOUND) {
        r->w = w;
        w->end = w->offset + w->len;
        pc_reader_skip_doubtful(r);
        r->packed.none = r->packed.done = true;
        r->stage = PC_READ_CONTENT;
        return true;
    }
    if (left < PC_RECORD_HEADER_SIZE || r->packed.state != PC_CONTENT_SOUND || r->packed.missed)
        return false;
    r->w = w;
    w->end = w->offset + w->len;
    struct pc_record_head head = pc_load_head(w->bytes + w->at, r->capture->order);
    const struct pc_context cut = pc_reader_context(r, head.type, r->records);
    const struct pc_extent extent = find_extent(r, true);
    uint64_t skipped = r->skipped, size = left;
    bool leads = false;
    if (!r->outer.cut || extent.agreement == PC_CONTRARY)
        size = skip_record(r, extent, true, &leads);
    if (size == left) {
        w->at = start;
        r->skipped = skipped; /* those who end the content count them */
        pc_reader_leave_content(r);
        return false;
    }
    say_swallows(r, &cut, head.size, (size_t)size);
    say_skipped(r, &cut, size);
    r->records++;
    w->last_size = 0;
    r->packed.none = r->packed.done = true;
    r->stage = PC_READ_CONTENT;
    return true;
}

/* Whether a record that a writer may have written begins at a place. */
static bool may_begin(struct pc_reader *r, size_t at, size_t have)
{
    const unsigned char *p = r->w->bytes + r->w->at + at;
    if (pc_reader_offset(r) + at == r->w->end)
        return true;
    if (have < at + PC_RECORD_HEADER_SIZE)
        return pc_reader_offset(r) + have < r->w->end; /* not in the window: no reason to doubt */
    return pc_may_follow(p, r->capture->order);
}

/* Whether records follow each other from a place on. After a size that breaks the grid, or a number that no
 * type ever was, one more header says too little. */
static bool leads_on(struct pc_reader *r, size_t at)
{
    size_t have = pc_reader_available(r, at + PC_LOOK_AHEAD + 1);
    return pc_reader_offset(r) + at == r->w->end || (pc_records_begin(r, at, have) && !r->undecided);
}

/* Whether bytes of the last record, which lacks others, and of the one here are whole records together. */
static bool overlaps_last(struct pc_reader *r, const struct pc_record_head *head)
{
    const struct pc_window *w = r->w;
    return w->last_size >= PC_RECORD_HEADER_SIZE && w->last_size <= w->at && head->size <= w->len - w->at &&
           pc_reader_overlaps(r,
                              (struct pc_span){ w->bytes + w->at - w->last_size, w->last_size + head->size },
                              w->last_size);
}

enum pc_diag pc_reader_doubtful_size(struct pc_reader *r, const struct pc_record_head *head, size_t have)
{
    const struct pc_record_info *info = pc_record_info(head->type);
    bool unaligned = pc_breaks_grid(head);
    enum pc_diag unknown = pc_is_kernel_type(head->type) ? PC_D_TYPE_KERNEL_UNKNOWN : PC_D_TYPE_AND_SIZE;
    uint64_t size;
    struct pc_span record = { r->w->bytes + r->w->at, head->size };
    if (info && (!unaligned || pc_unaligned_writer(head->type, record, r->capture->order)))
        return PC_NO_DIAG;
    have = pc_reader_available(r, (size_t)head->size + PC_RECORD_HEADER_SIZE);
    if (!info && overlaps_last(r, head))
        return unknown;
    bool follows = may_begin(r, head->size, have);
    if (unaligned && follows && have >= (size_t)head->size + PC_RECORD_HEADER_SIZE)
        follows = pc_plausible_header(r, r->w->bytes + r->w->at + head->size, &size);
    if (follows && ((!unaligned && !pc_is_impossible_type(head->type)) || leads_on(r, head->size)))
        return PC_NO_DIAG;
    if (unaligned)
        return PC_D_RECORD_UNALIGNED;
    return unknown;
}

/* SPDX-License-Identifier: MIT */
#include "reader_parts.h"
#include "text.h"

#include <string.h>

void pc_limits_init(struct pc_limits *limits)
{
    /* 64 MiB for the process, less what the program itself, its libraries and the report need. */
    *limits = (struct pc_limits){ .memory = (uint64_t)54 << 20,
                                  .section = (uint64_t)32 << 20,
                                  .spool = (uint64_t)16 << 30,
                                  .inflated = (uint64_t)64 << 30 };
}

void pc_reader_init(struct pc_reader *reader, struct pc_input *in, struct pc_mem *mem,
                    struct pc_report *report, struct pc_capture *capture, const struct pc_limits *limits)
{
    *reader =
        (struct pc_reader){ .mem = mem, .in = in, .report = report, .capture = capture, .limits = limits };
    reader->outer.end = UINT64_MAX;
    reader->w = &reader->outer;
    reader->given = in;
    reader->member.fd = -1;
    pc_inflate_init(&reader->inflate, mem);
    pc_directory_init(&reader->directory, mem);
}

void pc_reader_clear(struct pc_reader *reader)
{
    pc_inflate_clear(&reader->inflate);
    pc_directory_clear(&reader->directory);
    pc_input_close(&reader->member);
    pc_free(reader->mem, reader->outer.bytes, reader->outer.room);
    pc_free(reader->mem, reader->inner.bytes, reader->inner.room);
    pc_free(reader->mem, reader->section, reader->section_cap);
    pc_free(reader->mem, reader->range, reader->cap_ranges * sizeof(*reader->range));
    reader->outer.bytes = reader->inner.bytes = reader->section = NULL;
    reader->range = NULL;
}

uint64_t pc_reader_offset(const struct pc_reader *reader)
{
    return reader->w->offset + reader->w->at;
}

/* --- saying what is wrong --- */

struct pc_finding pc_reader_finding(enum pc_diag id, enum pc_place place, uint64_t offset, uint64_t length)
{
    return (struct pc_finding){ .id = id, .place = place, .offset = offset, .length = length };
}

void pc_reader_say_out_of_memory(struct pc_reader *r, const char *doing)
{
    struct pc_finding f = pc_reader_finding(PC_D_OUT_OF_MEMORY, PC_AT_END, pc_reader_offset(r), 0);
    f.expected = pc_text_value(doing);
    pc_report_add(r->report, &f);
}

/* A read delivered less than it must: an error of the system, or the file became shorter. */
void pc_reader_say_short_read(struct pc_reader *r, uint64_t offset)
{
    struct pc_finding f = pc_reader_finding(PC_D_SHRANK, PC_AT_END, offset, 0);
    if (r->in->error) {
        f.id = PC_D_READ_FAILED;
        f.seen = pc_text_value(pc_text_error(r->in->error));
    } else {
        f.seen = pc_hex_value(offset);
        f.expected = pc_hex_value(r->in->size);
    }
    pc_report_add(r->report, &f);
}

static bool is_plausible(const struct pc_record_head *head, const struct pc_record_info *info)
{
    return head->size >= info->min && (head->misc & ~(unsigned)info->misc) == 0 &&
           ((info->flags & PC_ANY_SIZE) || head->size % 8 == 0);
}

/* Whether these bytes can be the header of a record that a writer wrote. */
bool pc_plausible_header(const struct pc_reader *r, const unsigned char *p, uint64_t *size)
{
    struct pc_record_head head = pc_load_head(p, r->capture->order);
    const struct pc_record_info *info = pc_record_info(head.type);
    *size = head.size;
    return info && is_plausible(&head, info);
}

/* Unknown types count when they look like a record: newer kernels and other tools have types of their own. */
bool pc_may_follow(const unsigned char *header, enum pc_order order)
{
    struct pc_record_head head = pc_load_head(header, order);
    const struct pc_record_info *info = pc_record_info(head.type);
    if (info)
        return is_plausible(&head, info);
    return head.type > 0 && head.type < PC_TYPE_END && head.size >= PC_RECORD_HEADER_SIZE &&
           head.size % 8 == 0;
}

/* About bytes `at` behind the place in the window at hand. */
static struct pc_finding record_finding(struct pc_reader *r, enum pc_diag id, size_t at, uint64_t length)
{
    return pc_reader_finding(id, PC_IN_RECORD, pc_reader_place(r, pc_reader_offset(r) + at), length);
}

/* --- records --- */

void pc_reader_make_room(struct pc_reader *r, size_t n)
{
    struct pc_window *w = r->w;
    /* The record before stays: its size may turn out to be wrong. */
    size_t keep = w->last_size <= w->at ? w->last_size : 0, left = keep + w->len - w->at;
    size_t gone = w->at - keep;
    if (gone == 0 || (gone < left && w->room - w->at >= n))
        return;
    memmove(w->bytes, w->bytes + gone, left);
    r->work += left;
    w->offset += gone;
    w->at -= gone;
    w->len -= gone;
}

/* Reads more into the window, so that n bytes are there when the input has them. */
static __attribute__((noinline)) size_t refill(struct pc_reader *r, size_t n)
{
    struct pc_window *w = r->w;
    if (w == &r->inner)
        return pc_reader_unpack(r, n);
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
        if (got < least)
            w->end = next + got; /* the end of the stream */
    } else {
        got = pc_input_read_at(r->in, next, w->bytes + w->len, room);
        if (got < room) {
            pc_reader_say_short_read(r, next + got);
            w->end = next + got;
            w->cut = true;
        }
    }
    w->len += got;
    return have + got;
}

static inline size_t available(struct pc_reader *r, size_t n)
{
    size_t have = r->w->len - r->w->at;
    return have >= n ? have : refill(r, n);
}

size_t pc_reader_available(struct pc_reader *r, size_t n)
{
    return available(r, n);
}

/* How many headers in a row must be plausible for a place to count as the start of a record, and the bytes
 * that are looked at to tell. */
#define CHAIN      3
#define LOOK_AHEAD ((size_t)(CHAIN + 1) * (PC_RECORD_SIZE_MAX + 1))

/* Whether four bytes are a number that a record type can have. Nearly all bytes of what is skipped are told
 * from a record here. */
static inline bool may_be_type(const unsigned char *p, enum pc_order order)
{
    static_assert(PC_TYPES <= 256, "a type is one byte, and three of zeros");
    size_t low = order == PC_LITTLE ? 0 : 3, high = order == PC_LITTLE ? 1 : 0;
    return p[low] != 0 && (p[high] | p[high + 1] | p[high + 2]) == 0;
}

/* The bytes that a plausible record takes in the stream, those behind it included. */
static bool plausible_step(struct pc_reader *r, size_t at, size_t have, uint64_t *step)
{
    const unsigned char *p = r->w->bytes + r->w->at + at;
    r->work++;
    if (have - at < PC_RECORD_HEADER_SIZE || !may_be_type(p, r->capture->order) ||
        !pc_plausible_header(r, p, step))
        return false;
    uint32_t type = pc_load_head(p, r->capture->order).type;
    if (type != PC_AUXTRACE && type != PC_HEADER_TRACING_DATA)
        return true;
    if (*step > have - at)
        return false;
    struct pc_cursor c = { .in = { p, (size_t)*step },
                           .pos = PC_RECORD_HEADER_SIZE,
                           .order = r->capture->order };
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    return pc_walk_table(&walk, pc_record_info(type)->fields) && pc_add(*step, walk.slot[PC_REC_SIZE], step);
}

static bool plausible_chain(struct pc_reader *r, size_t at, size_t have)
{
    uint64_t step = 0;
    /* No more than that: how many bytes happen to be in the window must not matter. */
    have = have < at + LOOK_AHEAD ? have : at + LOOK_AHEAD;
    r->undecided = false;
    for (unsigned i = 0; i < CHAIN; i++) {
        if (pc_reader_offset(r) + at == r->w->end)
            return i > 0;
        bool known = have - at >= PC_RECORD_HEADER_SIZE;
        if (known && !plausible_step(r, at, have, &step))
            return false;
        if (r->w->end == UINT64_MAX && r->w == &r->inner && (!known || step > have - at)) {
            r->undecided = true; /* the next compressed record has more */
            return i > 0;
        }
        if (!known)
            return false;
        if (step > have - at)
            return i > 0 && pc_reader_offset(r) + have < r->w->end; /* behind the window: enough was seen */
        at += (size_t)step;
    }
    return true;
}

void pc_reader_skip(struct pc_reader *r, uint64_t offset, uint64_t n)
{
    if (r->skipped == 0)
        r->skipped_at = offset;
    r->skipped += n;
}

/* The next place from `at` on, before `end`, that may_be_type. */
static size_t next_type(struct pc_reader *r, size_t at, size_t end, size_t have)
{
    const unsigned char *p = r->w->bytes + r->w->at;
    const enum pc_order order = r->capture->order;
    size_t start = at, last = have < sizeof(uint32_t) ? 0 : have - sizeof(uint32_t) + 1;
    last = last < end ? last : end;
    while (at < last && !may_be_type(p + at, order))
        at++;
    r->work += at - start;
    return at;
}

/* Leaves out a hole of the file behind the current place. In zeros no record begins, but the first bytes of
 * one may be some. */
static void pass_hole(struct pc_reader *r)
{
    struct pc_window *w = r->w;
    uint64_t here = pc_reader_offset(r);
    uint64_t data = w == &r->outer ? pc_input_pass_hole(r->in, here) : here;
    data = data < w->end ? data : w->end;
    if (data - here <= PC_WINDOW)
        return;
    w->offset = data - PC_RECORD_HEADER_SIZE;
    w->at = w->len = w->last_size = 0;
}

/* After damage: moves to the next place where records can be recognised, not before `at`. Returns the bytes
 * skipped; everything that is left when there is no such place. The content of a compressed record may end
 * before that can be said of a place: it stays in doubt. */
static uint64_t resynchronise(struct pc_reader *r, size_t at)
{
    uint64_t start = pc_reader_offset(r);
    for (;; at = 0) {
        size_t have = available(r, LOOK_AHEAD + 1); /* one more tells whether the stream ends */
        size_t end = have <= LOOK_AHEAD ? have : have - LOOK_AHEAD;
        at = next_type(r, at, end, have);
        r->undecided = false;
        while (at < end && !plausible_chain(r, at, have) && !r->undecided)
            at = next_type(r, at + 1, end, have);
        r->w->doubtful = r->undecided;
        r->w->at += at < have ? at : have;
        if (at < end || have <= LOOK_AHEAD) {
            pc_reader_skip(r, start, pc_reader_offset(r) - start);
            return pc_reader_offset(r) - start;
        }
        pass_hole(r);
    }
}

/* The same when the record at hand reaches past the end of the data: it is cut, or its size is wrong. Only
 * records that lead to the very end say the latter; what a cut record holds may look like one. */
static uint64_t resynchronise_tail(struct pc_reader *r)
{
    size_t have = r->w->len - r->w->at, best = have;
    assert(have <= PC_RECORD_SIZE_MAX);
    unsigned char *chain =
        pc_alloc(r->mem, have + 1); /* records in a row from here to the end, up to CHAIN */
    if (!chain)
        pc_reader_say_out_of_memory(r, "records were looked for");
    for (size_t at = have; chain && at-- > 1;) {
        uint64_t step;
        if (!plausible_step(r, at, have, &step) || step > have - at)
            continue;
        size_t next = at + (size_t)step;
        if (next != have && chain[next] == 0)
            continue;
        chain[at] = chain[next] < CHAIN ? chain[next] + 1 : CHAIN;
        if (chain[at] == CHAIN)
            best = at;
    }
    pc_free(r->mem, chain, have + 1);
    pc_reader_skip(r, pc_reader_offset(r), best);
    r->w->at += best;
    return best;
}

/* Nothing begins where the last record ended. When records follow each other from a place inside it, its size
 * was wrong: says so, and goes on there. */
static bool rewind_into_last(struct pc_reader *r)
{
    if (r->w->last_size == 0)
        return false;
    size_t ahead = available(r, LOOK_AHEAD + 1);
    size_t size = r->w->last_size, end = r->w->at, have = ahead + size;
    if (r->w->at < size)
        return false; /* no longer in the window */
    r->w->at -= size;
    for (size_t at = PC_RECORD_HEADER_SIZE; at + PC_RECORD_HEADER_SIZE <= size; at += 8) {
        if (!plausible_chain(r, at, have))
            continue;
        struct pc_finding f = record_finding(r, PC_D_RECORD_SWALLOWS, 6, 2);
        f.number = r->records - 1;
        const struct pc_record_info *info =
            pc_record_info(pc_load_head(r->w->bytes + r->w->at, r->capture->order).type);
        f.subject = info ? info->name : NULL;
        f.seen = pc_uint_value(size);
        f.expected = pc_uint_value(at);
        pc_report_add(r->report, &f);
        r->w->at += at;
        r->w->last_size = 0;
        return true;
    }
    r->w->at = end;
    r->w->last_size = 0;
    return false;
}

/* The record header at the current place is wrong; says so and moves on. expected: 0 when no number says it.
 */
static void damaged(struct pc_reader *r, enum pc_diag id, uint32_t type, uint64_t seen, uint64_t expected)
{
    if (rewind_into_last(r))
        return;
    r->push_left = 0;
    const struct pc_record_info *info = pc_record_info(type);
    struct pc_finding f = record_finding(r, id, 0, PC_RECORD_HEADER_SIZE);
    f.number = r->records;
    f.subject = info ? info->name : NULL;
    f.seen = pc_uint_value(seen);
    if (expected != 0)
        f.expected = pc_uint_value(expected);
    if (r->w->len - r->w->at < PC_RECORD_HEADER_SIZE) { /* not even a header is left */
        f.length = r->w->len - r->w->at;
        if (id == PC_D_STREAM_CUT)
            f.seen = pc_text_value("unknown");
    }
    bool first = r->records == 0 && !r->capture->is_pipe && r->stream == 0;
    bool tail = id == PC_D_STREAM_CUT || id == PC_D_RECORD_CROSSES_END || id == PC_D_DATA_LEFTOVER;
    uint64_t whole = r->w->len - r->w->at < PC_RECORD_HEADER_SIZE
                         ? 0
                         : pc_load_head(r->w->bytes + r->w->at, r->capture->order).size;
    uint64_t size, skipped = tail ? resynchronise_tail(r) : resynchronise(r, 1);
    bool found = r->w->at < r->w->len;
    if (tail && !found && type == PC_HEADER_ATTR)
        r->capture->attrs_damaged = true; /* the attr is in the part that is missing */
    if (first && found && pc_plausible_header(r, r->w->bytes + r->w->at, &size) &&
        pc_load_head(r->w->bytes + r->w->at, r->capture->order).type == PC_HEADER_FEATURE)
        f.id = PC_D_DATA_INSIDE_RECORD;
    if (id == PC_D_TYPE_USER_UNKNOWN && skipped != whole)
        f.id = PC_D_TYPE_AND_SIZE; /* no reader goes on where this one does */
    r->missed_content |= r->w == &r->outer && pc_diag_info(f.id)->severity == PC_ERROR;
    if (r->w->cut && !found)
        return; /* where the records end is not known, and this is not one */
    pc_report_add(r->report, &f);
    if (found || (!tail && skipped > PC_RECORD_HEADER_SIZE)) {
        struct pc_finding skip = pc_reader_finding(PC_D_RESYNC, PC_IN_RECORD, f.offset, skipped);
        skip.number = r->records;
        skip.seen = pc_uint_value(skipped);
        pc_report_add(r->report, &skip);
    }
    r->records++;
}

/* The bytes that follow the record in the stream, outside its size. */
static void expect_payload(struct pc_reader *r, const struct pc_item *item)
{
    struct pc_cursor c = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = r->capture->order };
    const struct pc_record_info *info = pc_record_info(item->type);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    if (!pc_walk_table(&walk, info->fields))
        return; /* too short, which the check says */
    uint64_t size = walk.slot[PC_REC_SIZE];
    bool trace = item->type == PC_AUXTRACE;
    struct pc_finding f =
        pc_reader_finding(PC_NO_DIAG, PC_IN_RECORD, item->offset + walk.slot_at[PC_REC_SIZE], trace ? 8 : 4);
    f.number = item->number;
    f.subject = info->name;
    pc_finding_name(&f, "size");
    f.seen = pc_uint_value(size);
    if (size >> 63) {
        f.id = PC_D_AUXTRACE_HUGE;
        pc_report_add(r->report, &f);
        r->w->doubtful = true; /* where the next record begins is not known */
        return;
    }
    if (size % 8 != 0) {
        f.id = trace ? PC_D_AUXTRACE_UNALIGNED : PC_D_TRACING_DATA_UNALIGNED;
        pc_report_add(r->report, &f);
    }
    uint64_t here = item->offset + item->bytes.len;
    if (r->w->end != UINT64_MAX && size > r->w->end - here) {
        /* A stream's end is not known yet, unless it was seen already. */
        f.id = r->capture->is_pipe ? PC_D_PAYLOAD_CUT : PC_D_AUXTRACE_BEYOND;
        f.expected = pc_uint_value(r->w->end - here);
        if (!r->w->cut)
            pc_report_add(r->report, &f);
        size = r->w->end - here;
        r->w->cut = true;
        r->capture->tracing_damaged |= !trace;
    }
    r->payload_size = walk.slot[PC_REC_SIZE];
    r->payload_size_at = f.offset;
    r->payload_left = size;
    r->w->last_size = 0;
    r->payload_type = item->type;
    if (size != 0)
        r->stage = PC_READ_PAYLOAD;
}

/* HEADER_ATTR brings an attr, as the attr section of a file does. */
static void take_header_attr(struct pc_reader *r, const struct pc_item *item)
{
    struct pc_capture *capture = r->capture;
    struct pc_cursor c = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = capture->order };
    uint64_t slot[PC_SLOTS], size;

    if (!pc_peek(&c, PC_ATTR_SIZE_AT, 4, &size))
        return;
    size = size == 0 ? PC_ATTR_SIZE_MIN : size;
    struct pc_span attr;
    if (size % 8 != 0 || !pc_take(&c, size, &attr) || !pc_attr_walk(attr, capture->order, slot)) {
        capture->attrs_damaged = true;
        return;
    }
    uint32_t number = pc_capture_add_attr(capture, slot, item->offset + PC_RECORD_HEADER_SIZE);
    if (number == PC_NO_ATTR) {
        bool said = capture->attrs_damaged;
        capture->attrs_damaged = true;
        if (capture->nr_attrs < PC_ATTRS_MAX) {
            pc_reader_say_out_of_memory(r, "attrs were read");
        } else if (!said) {
            struct pc_finding f =
                pc_reader_finding(PC_D_LIMIT_STATE, PC_AT_END, item->offset, item->bytes.len);
            pc_finding_name(&f, "attrs");
            f.expected = pc_uint_value(PC_ATTRS_MAX);
            pc_report_add(r->report, &f);
        }
        return;
    }
    uint64_t id;
    for (uint64_t i = 0; pc_uint(&c, 8, &id); i++) {
        uint32_t other = 0;
        enum pc_id_outcome outcome = pc_capture_add_id(capture, id, number, &other);
        pc_reader_say_id(r, outcome, number, i, id, other, item->offset + c.pos - 8, item);
        if (outcome == PC_ID_FULL)
            break;
    }
}

/* What user records bring into the model, before anyone sees them. */
static void take_user_record(struct pc_reader *r, const struct pc_item *item)
{
    struct pc_capture *capture = r->capture;
    struct pc_cursor c = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = capture->order };
    uint64_t bit;
    switch (item->type) {
    case PC_HEADER_ATTR:
        if (capture->is_pipe)
            take_header_attr(r, item);
        break;
    case PC_HEADER_FEATURE:
        /* Without a payload it is the end mark, whose number may be that of a newer feature. */
        if (pc_uint(&c, 8, &bit) && bit < PC_FEATURE_BITS && pc_left(&c) != 0)
            pc_capture_feature(capture, bit, c);
        break;
    case PC_EVENT_UPDATE:
        pc_capture_record(capture, item->type, item->bytes);
        break;
    case PC_AUXTRACE:
    case PC_HEADER_TRACING_DATA:
        if (r->w == &r->outer) /* else there is no telling where the payload is */
            expect_payload(r, item);
        break;
    case PC_COMPRESSED:
    case PC_COMPRESSED2:
        if (r->w == &r->outer)
            pc_reader_open_content(r, item);
        break;
    default:
        break;
    }
}

/* Where the next record begins is not known: goes on where one can be recognised. */
static void skip_doubtful(struct pc_reader *r)
{
    struct pc_finding f = record_finding(r, PC_D_RESYNC, 0, 0);
    r->missed_content |= r->w == &r->outer;
    f.number = r->records - 1;
    f.length = resynchronise(r, 0);
    f.seen = pc_uint_value(f.length);
    if (f.length != 0)
        pc_report_add(r->report, &f);
}

/* The content of compressed records ended inside a record. When other records lead from a place in it to the
 * very end, its size is wrong: says so, and goes on there. */
static bool resume_content(struct pc_reader *r)
{
    struct pc_window *w = &r->inner;
    size_t left = w->len - w->at, start = w->at;
    if (w->doubtful && r->content == PC_CONTENT_SOUND) {
        r->w = w;
        w->end = w->offset + w->len;
        skip_doubtful(r);
        r->packed_none = r->packed_done = true;
        r->stage = PC_READ_CONTENT;
        return true;
    }
    if (left < PC_RECORD_HEADER_SIZE || r->content != PC_CONTENT_SOUND || r->outer.cut || r->missed_content)
        return false;
    r->w = w;
    struct pc_record_head head = pc_load_head(w->bytes + w->at, r->capture->order);
    const struct pc_record_info *info = pc_record_info(head.type);
    struct pc_finding f = record_finding(r, PC_D_RECORD_SWALLOWS, 6, 2);
    f.number = r->records;
    f.subject = info ? info->name : NULL;
    f.seen = pc_uint_value(head.size);
    uint64_t skipped = r->skipped;
    f.expected = pc_uint_value(resynchronise_tail(r));
    if (w->at == w->len) {
        w->at = start;
        r->skipped = skipped; /* those who end the content count them */
        pc_reader_leave_content(r);
        return false;
    }
    pc_report_add(r->report, &f);
    r->records++;
    w->last_size = 0;
    r->packed_none = r->packed_done = true;
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

/* Whether records follow each other from a place on; of a number that no type ever was, one more header says
 * too little. */
static bool leads_on(struct pc_reader *r, size_t at)
{
    size_t have = available(r, at + LOOK_AHEAD + 1);
    return pc_reader_offset(r) + at == r->w->end || (plausible_chain(r, at, have) && !r->undecided);
}

/* A map of CPUs as long as cpu_map_data__alloc of perf 4.5 to 4.20 made it: no padding, but in CPU_MAP room
 * for the type twice and 2 bytes that fill its struct up to a multiple of 4 (tools/perf/util/event.c). */
static bool is_unpadded_map(uint32_t type, struct pc_cursor record)
{
    const uint64_t range = 2;
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &record, NULL, NULL);
    return pc_walk_table(&walk, pc_record_info(type)->fields) && walk.slot_at[PC_REC_RAW] != 0 &&
           walk.slot[PC_REC_MAP] != range && walk.slot[PC_REC_RAW] == (type == PC_CPU_MAP ? 4 : 0);
}

const char *pc_unaligned_writer(uint32_t type, struct pc_span record, enum pc_order order)
{
    struct pc_cursor c = { .in = record, .pos = PC_RECORD_HEADER_SIZE, .order = order };
    if (type == PC_HEADER_BUILD_ID && record.len % 8 == 4)
        return "perf inject -b up to 6.1";
    if ((type == PC_CPU_MAP || type == PC_EVENT_UPDATE) && is_unpadded_map(type, c))
        return "perf up to 4.20";
    return NULL;
}

/* A size that breaks the grid, or that of an unknown type, is followed only when it leads to another record.
 * Else the record is damage: returns what to call it, or PC_NO_DIAG when there is no doubt. */
static enum pc_diag doubtful_size(struct pc_reader *r, const struct pc_record_head *head, size_t have)
{
    const struct pc_record_info *info = pc_record_info(head->type);
    bool unaligned = head->size % 8 != 0 && !(info && (info->flags & PC_ANY_SIZE));
    uint64_t size;
    struct pc_span record = { r->w->bytes + r->w->at, head->size };
    if (info && (!unaligned || pc_unaligned_writer(head->type, record, r->capture->order)))
        return PC_NO_DIAG;
    have = available(r, (size_t)head->size + PC_RECORD_HEADER_SIZE);
    bool follows = may_begin(r, head->size, have);
    if (unaligned && follows && have >= (size_t)head->size + PC_RECORD_HEADER_SIZE)
        follows = pc_plausible_header(r, r->w->bytes + r->w->at + head->size, &size);
    if (follows && (head->type < PC_TYPE_END || leads_on(r, head->size)))
        return PC_NO_DIAG;
    if (unaligned)
        return PC_D_RECORD_UNALIGNED;
    return pc_is_kernel_type(head->type) ? PC_D_TYPE_KERNEL_UNKNOWN : PC_D_TYPE_USER_UNKNOWN;
}

static bool next_record(struct pc_reader *r, struct pc_item *item)
{
    bool inside = r->w == &r->inner;
    for (;;) {
        size_t have = available(r, PC_RECORD_HEADER_SIZE);
        if (have == 0 || (have < PC_RECORD_HEADER_SIZE && (r->w->cut || inside)))
            return false; /* the rest of a record may be in the next compressed one */
        if (have < PC_RECORD_HEADER_SIZE) {
            bool pipe = r->capture->is_pipe;
            damaged(r, pipe ? PC_D_STREAM_CUT : PC_D_DATA_LEFTOVER, 0, have,
                    pipe ? have : PC_RECORD_HEADER_SIZE);
            continue;
        }
        struct pc_record_head head = pc_load_head(r->w->bytes + r->w->at, r->capture->order);
        uint32_t type = head.type;
        size_t size = head.size, missized = 0;
        if (r->w->doubtful) {
            skip_doubtful(r);
            if (r->w->doubtful)
                return false;
            continue;
        }
        if (!inside && (type == PC_COMPRESSED2 || r->push_left != 0)) {
            missized = pc_reader_missized(r);
            size = missized != 0 ? missized : size;
            have = r->w->len - r->w->at;
        }
        if (size < PC_RECORD_HEADER_SIZE) {
            damaged(r, PC_D_RECORD_SIZE, type, size, PC_RECORD_HEADER_SIZE);
            continue;
        }
        if (size > have) {
            have = available(r, size);
            if (size > have) {
                if (r->w->cut || inside)
                    return false;
                damaged(r, r->capture->is_pipe ? PC_D_STREAM_CUT : PC_D_RECORD_CROSSES_END, type, size, have);
                continue;
            }
        }
        enum pc_diag doubt = missized != 0 ? PC_NO_DIAG : doubtful_size(r, &head, have);
        if (doubt) {
            damaged(r, doubt, type, doubt == PC_D_RECORD_UNALIGNED ? size : type, 0);
            continue;
        }
        item->kind = PC_ITEM_RECORD;
        item->type = type;
        item->misc = head.misc;
        item->missized = missized != 0;
        item->bytes = (struct pc_span){ r->w->bytes + r->w->at, size }; /* a look ahead may have moved them */
        item->offset = pc_reader_offset(r);
        if (inside)
            item->offset = pc_reader_place(r, item->offset);
        item->number = r->records++;
        r->w->at += size;
        r->w->last_size = missized != 0 ? 0 : size;
        if (!pc_is_kernel_type(type))
            take_user_record(r, item);
        return true;
    }
}

/* Makes r->section hold need bytes, of which got are there, of a payload of size bytes. Of what a stream only
 * promises no more than four times as much as came gets memory. False: there is none. */
static bool payload_room(struct pc_reader *r, uint64_t got, uint64_t need, uint64_t size)
{
    if (need <= r->section_cap)
        return true;
    uint64_t room = r->w->end != UINT64_MAX ? size : PC_WINDOW / 16;
    while (room < need)
        room *= 4;
    room = room < size ? room : size;
    room = room < r->limits->section ? room : r->limits->section;
    if (got == 0) {
        pc_free(r->mem, r->section, r->section_cap);
        r->section = NULL;
        r->section_cap = 0;
    }
    unsigned char *section = pc_resize(r->mem, r->section, r->section_cap, room);
    if (!section)
        return false;
    r->section = section;
    r->section_cap = room;
    return true;
}

/* The input ended inside the payload. */
static void say_payload_cut(struct pc_reader *r, uint64_t missing)
{
    bool trace = r->payload_type == PC_AUXTRACE;
    struct pc_finding f =
        pc_reader_finding(PC_D_PAYLOAD_CUT, PC_IN_RECORD, r->payload_size_at, trace ? 8 : 4);
    f.number = r->records - 1;
    f.subject = pc_record_info(r->payload_type)->name;
    pc_finding_name(&f, "size");
    f.seen = pc_uint_value(r->payload_size);
    f.expected = pc_uint_value(r->payload_size - missing);
    pc_report_add(r->report, &f);
    r->capture->tracing_damaged |= !trace;
}

/* AUX trace in chunks. */
static bool next_chunk(struct pc_reader *r, struct pc_item *item)
{
    size_t have = available(r, 1);
    if (have == 0)
        return false;
    size_t n = r->payload_left < have ? (size_t)r->payload_left : have;
    item->bytes = (struct pc_span){ r->w->bytes + r->w->at, n };
    item->size = n;
    r->w->at += n;
    r->payload_left -= n;
    return true;
}

/* TRACING_DATA as a whole; without bytes when it is too large to be held, or cut. */
static bool next_tracing_data(struct pc_reader *r, struct pc_item *item)
{
    const uint64_t limit = r->limits->section, size = r->payload_left;
    bool held = !r->capture->tracing_damaged && (r->w->end == UINT64_MAX || size <= limit);
    uint64_t got = 0;
    for (size_t have = 1; got < size && have != 0;) {
        have = available(r, 1);
        size_t n = size - got < have ? (size_t)(size - got) : have;
        held = held && n <= limit - got && payload_room(r, got, got + n, size);
        if (held && n != 0)
            memcpy(r->section + got, r->w->bytes + r->w->at, n);
        r->w->at += n;
        r->payload_left -= n;
        got += n;
    }
    /* What is not there is neither too large nor wants memory. */
    if (got > limit)
        pc_reader_section_room(r, item->offset, got);
    item->size = got;
    item->bytes = (struct pc_span){ r->w->bytes, 0 };
    if (got < size)
        return false;
    if (held) {
        item->bytes = (struct pc_span){ r->section, (size_t)size };
        pc_set_bit(r->capture->seen, PC_TRACING_DATA);
        pc_capture_feature(r->capture, PC_TRACING_DATA, pc_cursor(item->bytes, r->capture->order));
    } else if (got <= limit && !r->capture->tracing_damaged) {
        pc_reader_say_out_of_memory(r, "a section was read");
    }
    return true;
}

/* False: nothing is left. */
static bool next_payload(struct pc_reader *r, struct pc_item *item)
{
    *item = (struct pc_item){ .kind = PC_ITEM_PAYLOAD,
                              .type = r->payload_type,
                              .offset = pc_reader_offset(r),
                              .number = r->records - 1 };
    if (r->payload_type == PC_AUXTRACE ? next_chunk(r, item) : next_tracing_data(r, item))
        return true;
    if (!r->w->cut)
        say_payload_cut(r, r->payload_left);
    r->w->cut = true;
    r->payload_left = 0;
    return false;
}

/* --- items in their order --- */

static bool end(struct pc_reader *r, struct pc_item *item)
{
    r->stage = PC_READ_OVER;
    pc_reader_check_kcore(r);
    r->report->where = (struct pc_where){ 0 };
    *item = (struct pc_item){ .kind = PC_ITEM_END, .offset = pc_reader_offset(r) };
    return true;
}

bool pc_reader_next(struct pc_reader *r, struct pc_item *item)
{
    for (;;) {
        switch (r->stage) {
        case PC_READ_DATA:
        case PC_READ_CONTENT:
            if (next_record(r, item))
                return true;
            if (r->stage == PC_READ_CONTENT) {
                pc_reader_close_content(r);
                break;
            }
            if (resume_content(r))
                break;
            pc_reader_end_content(r);
            if (!pc_reader_next_stream(r))
                return end(r, item);
            break;
        case PC_READ_PAYLOAD:
            if (r->payload_left != 0 && next_payload(r, item))
                return true;
            r->stage = PC_READ_DATA;
            break;
        case PC_READ_START:
            return pc_reader_open_capture(r, item);
        case PC_READ_ATTRS:
            if (pc_reader_next_attr(r, item))
                return true;
            pc_reader_check_ranges(r);
            r->nr_ranges = 0;
            r->index = 0;
            r->stage = PC_READ_FEATURES;
            break;
        case PC_READ_FEATURES:
            if (pc_reader_next_feature(r, item))
                return true;
            /* Sections of a file whose attrs cannot be read were not compared yet. */
            pc_reader_check_ranges(r);
            r->stage = PC_READ_DATA;
            break;
        case PC_READ_OVER:
            return false;
        }
    }
}

/* SPDX-License-Identifier: MIT
 *
 * Bytes that follow a record outside of its size: AUX trace, and trace data in a pipe.
 */
#include "read/extent.h"
#include "read/follow.h"
#include "read/parts.h"
#include "read/plausible.h"

#include <string.h>

/* How many bytes the trace data at the current place are, of which the record says `size`: if that leads to
 * no record, they end where records follow each other, which no such texts look like. */
static uint64_t find_trace_end(struct pc_reader *r, uint64_t size)
{
    const size_t most = size < PC_LOOK_AHEAD ? (size_t)size : PC_LOOK_AHEAD;
    size_t have = pc_reader_available(r, most + PC_RECORD_HEADER_SIZE);
    const unsigned char *bytes = r->w->bytes + r->w->at;
    bool leads = have == size ||
                 (size + PC_RECORD_HEADER_SIZE <= have && pc_may_follow(bytes + size, r->capture->order));
    if (leads || r->w != &r->outer)
        return size;
    have = have < most ? have : most;
    size_t end = pc_reader_find_records(r, (struct pc_span){ bytes, have });
    return end == have ? size : end;
}

/* The same; a wrong size is reported, which this finding is about. */
static uint64_t mend_size(struct pc_reader *r, struct pc_item *item, struct pc_finding f)
{
    uint64_t end = find_trace_end(r, f.seen.n);
    item->bytes.ptr = r->w->bytes + r->w->at - item->bytes.len; /* a look ahead may have moved it */
    if (end != f.seen.n) {
        f.id = PC_D_RECORD_SWALLOWS;
        f.expected = pc_uint_value(end);
        pc_report_add(r->report, &f);
    }
    return end;
}

void pc_reader_expect_payload(struct pc_reader *r, struct pc_item *item)
{
    struct pc_cursor body = pc_record_body(item->bytes, r->capture->order);
    struct pc_walk walk;
    r->payload = (struct pc_payload_state){ .type = item->type };
    if (!pc_read_table(&walk, pc_record_info(item->type)->fields, body))
        return; /* too short, which the check reports */
    bool trace = item->type == PC_AUXTRACE;
    const struct pc_context about = pc_item_context(item);
    struct pc_finding f = pc_finding_in(&about, PC_NO_DIAG, walk.slot_at[PC_REC_SIZE], trace ? 8 : 4);
    uint64_t size = walk.slot[PC_REC_SIZE];
    pc_finding_name(&f, "size");
    f.seen = pc_uint_value(size);
    if (!trace)
        size = mend_size(r, item, f);
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
    r->payload.size = size;
    uint64_t here = item->offset + item->bytes.len;
    if (r->w->end != UINT64_MAX && size > r->w->end - here) {
        /* A stream's end is not known yet, unless it was seen already. */
        f.id = r->capture->is_pipe ? PC_D_PAYLOAD_CUT : PC_D_AUXTRACE_BEYOND;
        f.expected = pc_uint_value(r->w->end - here);
        if (!r->w->cut)
            pc_report_add(r->report, &f);
        size = r->w->end - here;
        r->w->cut = true;
        if (!trace)
            pc_reader_learn(r)->tracing_damaged = true;
    }
    r->payload.size_at = f.offset;
    r->payload.left = size;
    r->w->last_size = 0;
}

/* Makes r->file.section hold need bytes, of which got are there, of a payload of size bytes. Of what a stream
 * only promises no more than four times as much as came gets memory. False: there is none. */
static bool payload_room(struct pc_reader *r, uint64_t got, uint64_t need, uint64_t size)
{
    if (need <= r->file.section_cap)
        return true;
    uint64_t room = r->w->end != UINT64_MAX ? size : PC_WINDOW / 16;
    while (room < need)
        room *= 4;
    room = room < size ? room : size;
    room = room < r->limits->section ? room : r->limits->section;
    if (got == 0) {
        pc_free(r->mem, r->file.section, r->file.section_cap);
        r->file.section = NULL;
        r->file.section_cap = 0;
    }
    unsigned char *section = pc_resize(r->mem, r->file.section, r->file.section_cap, room);
    if (!section)
        return false;
    r->file.section = section;
    r->file.section_cap = room;
    return true;
}

/* The input ended inside the payload. */
static void say_payload_cut(struct pc_reader *r, uint64_t missing)
{
    bool trace = r->payload.type == PC_AUXTRACE;
    struct pc_context record =
        pc_record_context(r->payload.type, r->records - 1, r->streams.where, r->payload.size_at);
    record.name = "size";
    pc_report_say(r->report, &record, PC_D_PAYLOAD_CUT, 0, trace ? 8 : 4, pc_uint_value(r->payload.size),
                  pc_uint_value(r->payload.size - missing));
    if (!trace)
        pc_reader_learn(r)->tracing_damaged = true;
}

/* AUX trace in chunks. */
static bool next_chunk(struct pc_reader *r, struct pc_item *item)
{
    size_t have = pc_reader_available(r, 1);
    if (have == 0)
        return false;
    size_t n = r->payload.left < have ? (size_t)r->payload.left : have;
    item->bytes = (struct pc_span){ r->w->bytes + r->w->at, n };
    item->size = n;
    r->w->at += n;
    r->payload.left -= n;
    return true;
}

/* TRACING_DATA as a whole; without bytes when it is too large to be held, or cut. */
static bool next_tracing_data(struct pc_reader *r, struct pc_item *item)
{
    const uint64_t limit = r->limits->section, size = r->payload.left;
    bool held = !r->capture->tracing_damaged && (r->w->end == UINT64_MAX || size <= limit);
    uint64_t got = 0;
    while (got < size) {
        size_t have = pc_reader_available(r, 1), n = size - got < have ? (size_t)(size - got) : have;
        if (n == 0)
            break;
        held = held && n <= limit - got && payload_room(r, got, got + n, size);
        if (held)
            memcpy(r->file.section + got, r->w->bytes + r->w->at, n);
        r->w->at += n;
        r->payload.left -= n;
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
        item->bytes = (struct pc_span){ r->file.section, (size_t)size };
        pc_set_bit(pc_reader_learn(r)->seen, PC_TRACING_DATA);
        pc_capture_feature(pc_reader_learn(r), PC_TRACING_DATA, pc_cursor(item->bytes, r->capture->order));
    } else if (got <= limit && !r->capture->tracing_damaged) {
        pc_reader_say_out_of_memory(r, "a section was read");
    }
    return true;
}

bool pc_reader_next_payload(struct pc_reader *r, struct pc_item *item)
{
    *item = (struct pc_item){ .kind = PC_ITEM_PAYLOAD,
                              .type = r->payload.type,
                              .where = r->streams.where,
                              .offset = pc_reader_offset(r),
                              .number = r->records - 1,
                              .entry = r->payload.size_at };
    if (r->payload.type == PC_AUXTRACE ? next_chunk(r, item) : next_tracing_data(r, item))
        return true;
    if (!r->w->cut)
        say_payload_cut(r, r->payload.left);
    r->w->cut = true;
    r->payload.left = 0;
    return item->size != 0; /* what is there of it */
}

/* Where the fields of a record before a payload end, which has bytes behind them, and the size of the
 * payload. False: it has none, or its fields are not there. */
static bool has_more(struct pc_reader *r, struct pc_span record, size_t *end, uint64_t *size)
{
    const struct pc_record_info *info = pc_record_info(pc_load_head(record.ptr, r->capture->order).type);
    struct pc_cursor c = pc_record_body(record, r->capture->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    if (!info || !(info->flags & PC_HAS_PAYLOAD) || !pc_walk_table(&walk, info->fields))
        return false;
    *end = c.pos;
    *size = walk.slot[PC_REC_SIZE];
    return c.pos != record.len;
}

size_t pc_reader_find_payload(struct pc_reader *r, struct pc_span record)
{
    size_t end;
    uint64_t size, next;
    if (!has_more(r, record, &end, &size))
        return 0;
    const size_t ends[] = { end, pc_record_info(pc_load_head(record.ptr, r->capture->order).type)->min };
    for (size_t i = 0; i < PC_COUNT_OF(ends); i++) {
        if (pc_add(ends[i], size, &next) && next <= PC_LOOK_AHEAD && pc_records_follow(r, (size_t)next))
            return ends[i];
    }
    return 0;
}

bool pc_reader_doubts_payload(struct pc_reader *r, struct pc_span record)
{
    size_t end;
    uint64_t size;
    return r->w->end != UINT64_MAX && has_more(r, record, &end, &size) &&
           size > r->w->end - pc_reader_offset(r) - record.len;
}

/* SPDX-License-Identifier: MIT */
#include "read/reader.h"
#include "read/extent.h"
#include "read/fits.h"
#include "read/parts.h"
#include "read/plausible.h"
#include "read/resync.h"

#include <string.h>

void pc_limits_init(struct pc_limits *limits)
{
    /* 64 MiB for the process, less what the program itself, its libraries and the report need. */
    *limits = (struct pc_limits){ .memory = (uint64_t)54 << 20,
                                  .section = (uint64_t)32 << 20,
                                  .spool = PC_SPOOL_MAX,
                                  .inflated = (uint64_t)64 << 30,
                                  .ahead = UINT64_MAX,
                                  .threads = 1 };
}

void pc_reader_init(struct pc_reader *reader, struct pc_input *in, struct pc_mem *mem,
                    struct pc_report *report, struct pc_capture *capture, const struct pc_limits *limits)
{
    *reader = (struct pc_reader){
        .mem = mem, .in = in, .report = report, .capture = capture, .model = capture, .limits = limits
    };
    reader->outer.end = UINT64_MAX;
    reader->w = &reader->outer;
    reader->given = in;
    reader->member.fd = -1;
    pc_inflate_init(&reader->packed.inflate, mem);
    pc_directory_init(&reader->directory, mem);
}

void pc_reader_clear(struct pc_reader *reader)
{
    pc_ahead_end(&reader->ahead, &reader->outer);
    pc_inflate_clear(&reader->packed.inflate);
    pc_directory_clear(&reader->directory);
    pc_input_close(&reader->member);
    pc_join_clear(reader->mem, &reader->join);
    pc_free(reader->mem, reader->outer.bytes, reader->outer.room);
    pc_free(reader->mem, reader->inner.bytes, reader->inner.room);
    pc_free(reader->mem, reader->file.section, reader->file.section_cap);
    pc_free(reader->mem, reader->file.range, reader->file.cap_ranges * sizeof(*reader->file.range));
    reader->outer.bytes = reader->inner.bytes = reader->file.section = NULL;
    reader->file.range = NULL;
}

/* perf does not read the payload of a feature whose reader needs a file. */
static void take_header_feature(struct pc_reader *r, struct pc_item *item)
{
    struct pc_cursor c = pc_record_body(item->bytes, r->capture->order);
    uint64_t bit;
    if (!pc_uint(&c, 8, &bit))
        return;
    if (pc_left(&c) != 0 && bit < PC_FEATURE_BITS && !pc_feature_is(bit, PC_NEEDS_FILE))
        pc_capture_feature(pc_reader_learn(r), bit, c);
    item->news = pc_capture_count_feature(pc_reader_learn(r), bit, pc_left(&c) == 0);
}

static void take_once(bool *has, struct pc_item *item)
{
    item->news = *has ? PC_REPEATS_RECORD : PC_NO_NEWS;
    *has = true;
}

/* More ids of events, if there is room. */
static void take_ids(struct pc_reader *r, const struct pc_item *item)
{
    struct pc_capture *capture = pc_reader_learn(r);
    const struct pc_context record = pc_item_context(item);
    const bool missing = capture->ids_missing;
    pc_capture_ids(capture, pc_record_body(item->bytes, pc_item_order(item, capture->order)));
    if (missing || !capture->ids_missing)
        return;
    if (capture->ids.nr < PC_IDS_HELD_MAX)
        pc_reader_say_out_of_memory(r, "ids were read");
    else
        pc_report_say(r->report, &record, PC_D_TOO_MANY_IDS_HELD, 0, item->bytes.len, pc_none,
                      pc_uint_value(PC_IDS_HELD_MAX));
}

/* What only simpleperf makes up. A record may come in pieces. */
static void take_android(struct pc_reader *r, struct pc_item *item)
{
    struct pc_cursor trace;
    if (!pc_join_record(r->mem, &r->join, item, r->limits->section))
        pc_reader_say_out_of_memory(r, "split records were joined");
    if (r->join.too_large != 0)
        pc_reader_section_room(r, item->offset, r->join.too_large);
    item->unused = r->join.unused;
    if (r->join.record.bytes.len != 0)
        item->joined = &r->join.record;
    if (pc_item_whole(item)->type == PC_EVENT_ID)
        take_ids(r, pc_item_whole(item));
    if (pc_item_trace(item, r->capture->order, &trace)) {
        pc_capture_feature(pc_reader_learn(r), PC_TRACING_DATA, trace);
        pc_reader_learn(r)->tracing_kept = true;
    }
}

/* What user records bring into the model, before anyone sees them. */
static void take_user_record(struct pc_reader *r, struct pc_item *item)
{
    if (pc_is_android_type(item->type))
        pc_reader_learn(r)->by_simpleperf = true;
    switch (item->type) {
    case PC_HEADER_ATTR:
        if (r->capture->is_pipe)
            pc_reader_take_header_attr(r, item);
        break;
    case PC_HEADER_FEATURE:
        take_header_feature(r, item);
        break;
    case PC_EVENT_UPDATE:
    case PC_CPU_MAP:
    case PC_THREAD_MAP:
    case PC_STAT:
        pc_capture_record(pc_reader_learn(r), item->type, item->bytes);
        break;
    case PC_SPLIT:
    case PC_SPLIT_END:
    case PC_EVENT_ID:
    case PC_ANDROID_TRACING_DATA:
        take_android(r, item);
        break;
    case PC_AUXTRACE_INFO:
        take_once(&pc_reader_learn(r)->has_trace_info, item);
        break;
    case PC_HEADER_TRACING_DATA:
        take_once(&pc_reader_learn(r)->has_trace_data, item);
        if (r->w == &r->outer)
            pc_reader_expect_payload(r, item);
        break;
    case PC_AUXTRACE:
        if (r->w == &r->outer) /* else there is no telling where the payload is */
            pc_reader_expect_payload(r, item);
        break;
    case PC_COMPRESSED:
    case PC_COMPRESSED2:
        if (r->w == &r->outer)
            pc_reader_open_content(r, item);
        else
            pc_reader_meet_nested(r);
        break;
    default: /* an impossible type may be that of a compressed record, damaged */
        r->packed.missed |= pc_is_impossible_type(item->type) && r->w == &r->outer;
        break;
    }
}

/* The first record that shows how MMAP2 records of the capture are laid out decides. */
static void learn_mmap2_layout(struct pc_reader *r, struct pc_item *item)
{
    const struct pc_capture *capture = r->capture;
    if (capture->mmap2_old >= 0 || capture->nr_attrs == 0 || item->bytes.len < pc_record_info(PC_MMAP2)->min)
        return;
    pc_reader_learn(r)->mmap2_old = pc_mmap2_is_old(item->misc, item->bytes);
    item->news = capture->mmap2_old >= 0 ? PC_SHOWS_LAYOUT : PC_NO_NEWS;
}

/* The record at the current place becomes an item. judged: its plan has found it sound. */
static void take_record(struct pc_reader *r, const struct pc_record_head *head, size_t size,
                        bool size_wrapped, bool judged, struct pc_item *item)
{
    *item = r->blank;
    item->kind = PC_ITEM_RECORD;
    item->type = head->type;
    item->misc = head->misc;
    item->size_wrapped = size_wrapped;
    item->bytes = (struct pc_span){ r->w->bytes + r->w->at, size };
    item->number = r->records++;
    pc_reader_where(r, pc_reader_offset(r), &item->where, &item->offset);
    r->w->at += size;
    r->w->last_size = size_wrapped ? 0 : size;
    if (judged)
        item->judged = &r->judged;
    if (!pc_is_kernel_type(head->type))
        take_user_record(r, item);
    else if (head->type == PC_MMAP2)
        learn_mmap2_layout(r, item);
    if (item->news == PC_SHOWS_LAYOUT && r->capture->mmap2_old == 1)
        item->judged = NULL; /* which was by the other layout */
}

/* Whether another capture begins where a record should. It is reported, and all that is left is skipped. */
static bool ends_at_capture(struct pc_reader *r)
{
    struct pc_window *w = &r->outer;
    if (r->w != w || r->streams.where.stream != 0 ||
        pc_reader_available(r, PC_PIPE_HEADER_SIZE) < PC_PIPE_HEADER_SIZE ||
        !pc_begins_capture(w->bytes + w->at))
        return false;
    uint64_t at = pc_reader_offset(r);
    do
        w->at = w->len;
    while (pc_reader_available(r, 1) != 0);
    w->last_size = 0;
    uint64_t skipped = pc_reader_offset(r) - at;
    pc_reader_say(r, PC_D_SECOND_CAPTURE, PC_AT_END, at, skipped, pc_uint_value(at), pc_uint_value(at + 1));
    pc_reader_skip(r, at, skipped);
    return true;
}

/* The record at the current place, all of which is there. */
static struct pc_span record_here(const struct pc_reader *r, const struct pc_record_head *head)
{
    return (struct pc_span){ r->w->bytes + r->w->at, head->size };
}

/* What is at the current place. */
struct place {
    bool is_end;        /* nothing, or less than a header, which others report or add to */
    enum pc_diag fault; /* why it can be no record; PC_NO_DIAG: it can ... */
    uint64_t seen, expected;
    struct pc_record_head head;
    size_t size; /* ... of so many bytes */
    bool size_wrapped;
};

static void set_fault(struct place *place, enum pc_diag id, uint64_t seen, uint64_t expected)
{
    place->fault = id;
    place->seen = seen;
    place->expected = expected;
}

static inline void look(struct pc_reader *r, struct place *place)
{
    bool inside = r->w == &r->inner, pipe = r->capture->is_pipe;
    size_t have = pc_reader_available(r, PC_RECORD_HEADER_SIZE);
    place->is_end = have == 0 || (have < PC_RECORD_HEADER_SIZE && (r->w->cut || inside));
    place->fault = PC_NO_DIAG;
    place->size_wrapped = false;
    if (have < PC_RECORD_HEADER_SIZE) {
        place->head.type = 0;
        set_fault(place, pipe ? PC_D_STREAM_CUT : PC_D_DATA_LEFTOVER, have,
                  pipe ? have : PC_RECORD_HEADER_SIZE);
        return;
    }
    place->head = pc_load_head(r->w->bytes + r->w->at, r->capture->order);
    place->size = place->head.size;
    if (!inside && (place->head.type == PC_COMPRESSED2 || r->packed.push_left != 0)) {
        size_t size = pc_reader_size_wrapped(r);
        place->size_wrapped = size != 0;
        place->size = size != 0 ? size : place->size;
    }
    if (place->size < PC_RECORD_HEADER_SIZE) {
        set_fault(place, PC_D_RECORD_SIZE, place->size, PC_RECORD_HEADER_SIZE);
        return;
    }
    have = pc_reader_available(r, place->size);
    if (place->size > have) {
        place->is_end = inside; /* the rest of a record may be in the next compressed one */
        set_fault(place, pipe ? PC_D_STREAM_CUT : PC_D_RECORD_CROSSES_END, place->size, have);
        return;
    }
    bool sure = place->size_wrapped || r->literal;
    enum pc_diag doubt = sure ? PC_NO_DIAG : pc_reader_doubtful_size(r, &place->head, have);
    if (doubt)
        set_fault(place, doubt, doubt == PC_D_RECORD_UNALIGNED ? place->size : place->head.type, 0);
}

/* Whether the record at the current place leads to what is none, and records go on from a place inside it:
 * its size is wrong, which is reported, and reading goes on there. Its table lets it be so long. Without some
 * records later bytes cannot be read: they stay. */
static bool ends_inside(struct pc_reader *r, const struct pc_record_head *head)
{
    struct pc_window *w = r->w;
    const struct pc_record_info *info = pc_record_info(head->type);
    uint64_t begin = pc_reader_offset(r);
    size_t last_size = w->last_size;
    if (!info || head->size <= info->min || (info->flags & PC_MENDED) || r->packed.push_left != 0)
        return false;
    w->at += head->size;
    w->last_size = head->size;
    r->records++;
    bool inside = w == &r->inner, back = false;
    size_t have = pc_reader_available(r, PC_PIPE_HEADER_SIZE);
    bool begins = have >= PC_RECORD_HEADER_SIZE &&
                  (pc_load_head(w->bytes + w->at, r->capture->order).type == PC_COMPRESSED2 ||
                   (have >= PC_PIPE_HEADER_SIZE && pc_begins_capture(w->bytes + w->at)));
    if (!begins && (have >= PC_RECORD_HEADER_SIZE || !inside)) {
        struct place next;
        look(r, &next);
        back = !next.is_end && next.fault && pc_reader_go_back(r, next.fault);
    }
    size_t size = (size_t)(pc_reader_offset(r) - begin);
    w->at -= size;
    r->records--;
    w->last_size = last_size;
    if (back)
        pc_reader_leave_out(r, head->type, size);
    return back;
}

/* Whether a record, or the end of the data, is at this offset of a file. */
static bool is_boundary(struct pc_reader *r, uint64_t at)
{
    unsigned char head[PC_RECORD_HEADER_SIZE];
    uint64_t size;
    return at == r->w->end ||
           (r->w->end - at >= sizeof(head) && pc_reader_look(r, at, head, sizeof(head)) == sizeof(head) &&
            pc_plausible_header(r, head, &size));
}

/* Whether a record of simpleperf that it did not split begins at the current place of a file: both halves of
 * its size lead to a record or to the end, and the low half does not. It is reported, and passed. */
static bool pass_large(struct pc_reader *r, const struct pc_record_head *head)
{
    struct pc_window *w = r->w;
    const uint64_t at = pc_reader_offset(r), size = (uint64_t)head->misc << 16 | head->size;
    if (head->misc == 0 || w != &r->outer || r->capture->is_pipe || size > w->end - at ||
        !pc_capture_has_android_type(r->capture, head->type) || is_boundary(r, at + head->size) ||
        !is_boundary(r, at + size))
        return false;
    const struct pc_context record = pc_reader_context(r, head->type, r->records++);
    pc_report_say(r->report, &record, PC_D_ANDROID_SIZE, PC_RECORD_MISC_AT, 2, pc_uint_value(head->misc),
                  pc_uint_value(size));
    pc_reader_skip(r, at, size);
    for (uint64_t left = size; left != 0;) {
        size_t have = pc_reader_available(r, 1), n = have < left ? have : (size_t)left;
        w->at += n;
        left -= n;
        if (have == 0)
            break;
    }
    w->last_size = 0;
    return true;
}

/* Whether the plan of a record of the kernel, all of which is here, finds it sound, and so as long as its
 * content: the quick question. r->judged is what it has found. */
PC_INLINE bool judge(struct pc_reader *r, const struct pc_record_head *head)
{
    const struct pc_capture *capture = r->capture;
    const struct pc_span record = record_here(r, head);
    if (!pc_is_kernel_type(head->type) || !pc_record_info(head->type))
        return false;
    struct pc_chosen chosen = pc_capture_choose(capture, head->type, record);
    if (chosen.choice != PC_CHOSEN)
        return false;
    struct pc_sample_layout *samples = capture->layout[capture->attr[chosen.attr].layout];
    if (head->type == PC_SAMPLE && !samples->tried[PC_SAMPLE])
        pc_reader_learn(r); /* threads judge by these plans */
    const struct pc_plan *plan = pc_layouts_plan(capture, samples, head->type, head->misc);
    r->judged.attr = chosen.attr;
    if (plan && pc_plan_run(plan, record, r->judged.slot, r->judged.slot_at))
        return true;
    if (head->type == PC_SAMPLE)
        pc_layouts_plan_others(capture, samples);
    return false;
}

static bool next_record(struct pc_reader *r, struct pc_item *item)
{
    for (;;) {
        struct place place;
        look(r, &place);
        size_t have = r->w->len - r->w->at;
        if (place.is_end) {
            if (have != 0 && r->w != &r->inner)
                pc_reader_say_cut(r, 0, r->records, pc_reader_offset(r), have);
            return false;
        }
        if (have >= PC_RECORD_HEADER_SIZE && !r->literal && pass_large(r, &place.head))
            continue;
        if (r->w->doubtful && have >= PC_RECORD_HEADER_SIZE) {
            pc_reader_skip_doubtful(r);
            if (r->w->doubtful)
                return false;
            continue;
        }
        if (place.fault) {
            size_t size = ends_at_capture(r) ? 0
                                             : pc_reader_damaged(r, place.fault, place.head.type, place.seen,
                                                                 place.expected);
            if (size == 0)
                continue;
            take_record(r, &place.head, size, false, false, item);
            return true;
        }
        const struct pc_record_head *head = &place.head;
        bool judged = !place.size_wrapped && judge(r, head);
        if (!judged && !r->literal && !place.size_wrapped && !pc_reader_is_exact(r, record_here(r, head)) &&
            ((pc_reader_doubts_payload(r, record_here(r, head)) &&
              pc_reader_go_back(r, PC_D_TYPE_AND_SIZE)) ||
             pc_reader_wrong_size(r, head, &place.size) ||
             (place.size == head->size && ends_inside(r, head))))
            continue;
        /* A look ahead may have moved it. */
        take_record(r, head, place.size, place.size_wrapped, judged, item);
        return true;
    }
}

/* Nothing but the next record decides what the next item is. */
static bool goes_on(const struct pc_reader *r)
{
    return (r->stage == PC_READ_DATA || r->stage == PC_READ_CONTENT) && r->payload.left == 0 &&
           !r->w->doubtful && r->packed.push_left == 0;
}

struct pc_span pc_reader_ahead(const struct pc_reader *r)
{
    return (struct pc_span){ r->w->bytes + r->w->at, goes_on(r) ? r->w->len - r->w->at : 0 };
}

/* The next item, when it is a record like those of pc_reader_pass, and sound by its plan if that is not known
 * yet. */
static bool take(struct pc_reader *r, bool is_known, struct pc_item *item)
{
    const struct pc_window *w = r->w;
    size_t have = w->len - w->at;
    if (have < PC_RECORD_HEADER_SIZE || !goes_on(r))
        return false;
    struct pc_record_head head = pc_load_head(w->bytes + w->at, r->capture->order);
    if (!pc_is_kernel_type(head.type) || !pc_kernel_records[head.type].name || head.size % 8 != 0 ||
        head.size < PC_RECORD_HEADER_SIZE || head.size > have)
        return false;
    bool judged = !is_known && judge(r, &head);
    if (!judged && !is_known)
        return false;
    take_record(r, &head, head.size, false, judged, item);
    return true;
}

bool pc_reader_take(struct pc_reader *r, struct pc_item *item)
{
    return take(r, false, item);
}

bool pc_reader_take_known(struct pc_reader *r, bool follows, struct pc_item *item)
{
    struct pc_window *w = r->w;
    if (!follows || w == &r->inner) { /* where each may be of another compressed record */
        bool taken = take(r, true, item);
        assert(taken);
        return !taken;
    }
    struct pc_record_head head = pc_load_head(w->bytes + w->at, r->capture->order);
    item->misc = head.misc;
    item->offset += item->bytes.len;
    item->bytes = (struct pc_span){ w->bytes + w->at, head.size };
    item->number = r->records++;
    w->at += head.size;
    w->last_size = head.size;
    return true;
}

void pc_reader_pass(struct pc_reader *r, uint64_t nr, size_t bytes, size_t last_size, struct pc_item *item)
{
    assert(nr != 0 && last_size <= bytes && bytes <= r->w->len - r->w->at);
    r->records += nr - 1;
    r->w->at += bytes - last_size;
    pc_reader_take_known(r, false, item);
}

static bool end(struct pc_reader *r, struct pc_item *item)
{
    r->stage = PC_READ_OVER;
    pc_reader_check_kcore(r);
    *item = (struct pc_item){ .kind = PC_ITEM_END, .offset = pc_reader_offset(r) };
    return true;
}

bool pc_reader_next(struct pc_reader *r, struct pc_item *item)
{
    for (;;) {
        switch (r->stage) {
        case PC_READ_DATA:
        case PC_READ_CONTENT:
            if (take(r, false, item)) /* as nearly all records are */
                return true;
            if (r->payload.left != 0 && pc_reader_next_payload(r, item))
                return true;
            if (next_record(r, item))
                return true;
            if (r->stage == PC_READ_CONTENT) {
                pc_reader_close_content(r);
                break;
            }
            if (pc_reader_resume_content(r))
                break;
            pc_reader_end_content(r);
            if (!pc_reader_next_stream(r))
                return end(r, item);
            break;
        case PC_READ_START:
            return pc_reader_open_capture(r, item);
        case PC_READ_ATTRS:
            if (pc_reader_next_attr(r, item))
                return true;
            pc_reader_check_ranges(r);
            r->file.nr_ranges = 0;
            r->file.index = 0;
            r->stage = PC_READ_FEATURES;
            break;
        case PC_READ_FEATURES:
            if (pc_reader_next_feature(r, item))
                return true;
            /* Sections of a file whose attrs cannot be read were not compared yet. */
            pc_reader_check_ranges(r);
            pc_reader_expect_streams(r);
            r->stage = PC_READ_DATA;
            break;
        case PC_READ_OVER:
            return false;
        }
    }
}

/* SPDX-License-Identifier: MIT */
#include "check/whole.h"

#include "bytes/cursor.h"
#include "bytes/inflate.h"
#include "read/extent.h"
#include "read/fits.h"
#include "read/plausible.h"

#include <string.h>

/* What is asked about, and memory for that. */
struct asked {
    const struct pc_before *before;
    struct pc_scan *scan;
    struct pc_mem *mem;
    bool *no_memory;
};

/* --- how the last record ends, which has no error --- */

/* What the kernel adds to records ends with one of these; 0: with none. */
static uint64_t last_of_sample_id(const struct pc_before *b, const struct pc_capture *capture)
{
    static const uint64_t fields[] = { PC_S_IDENTIFIER, PC_S_CPU, PC_S_STREAM_ID, PC_S_ID, PC_S_TIME };
    if (capture->nr_attrs == 0 || b->item.where.inside || !pc_is_kernel_type(b->item.type) ||
        b->item.type == PC_SAMPLE ||
        !(pc_attr_get(pc_capture_first(capture), PC_ATTR_FLAGS) & PC_FLAG_SAMPLE_ID_ALL))
        return 0;
    for (size_t i = 0; i < PC_COUNT_OF(fields); i++) {
        if (pc_attr_get(pc_capture_first(capture), PC_ATTR_SAMPLE_TYPE) & fields[i])
            return fields[i];
    }
    return 0;
}

/* Whether eight bytes are the number of a CPU, and zeros. */
static bool is_cpu(uint64_t word, enum pc_order order)
{
    const uint64_t most = UINT16_MAX;
    return order == PC_LITTLE ? word <= most : (word & UINT32_MAX) == 0 && word >> 32 <= most;
}

/* With the id of its event, which no other bytes are by chance, or with that and a CPU. If zeros follow, CPU
 * 0 may be some of them. */
static bool ends_with_id(const struct pc_before *b, const struct pc_capture *capture, bool zeros_follow)
{
    const uint64_t last = last_of_sample_id(b, capture);
    if (last == PC_S_CPU) {
        const uint64_t type = pc_attr_get(pc_capture_first(capture), PC_ATTR_SAMPLE_TYPE);
        return (type & (PC_S_ID | PC_S_STREAM_ID)) == PC_S_ID && is_cpu(b->end[0], capture->order) &&
               (b->end[0] != 0 || !zeros_follow) && pc_tree_find(&capture->ids, b->end[1]);
    }
    return (last == PC_S_IDENTIFIER || last == PC_S_ID) && pc_tree_find(&capture->ids, b->end[0]);
}

/* Whether a time is less than 17 s from another one. The upper bytes come last in little-endian captures:
 * they would not fit if damage began before. In big-endian ones this says nothing of the last four bytes, but
 * that no zeros begin there. */
static bool is_near(uint64_t now, uint64_t before, enum pc_order order)
{
    const uint64_t near = UINT64_C(1) << 34;
    return (order == PC_LITTLE || (now & 0xff) != 0) && (now > before ? now - before : before - now) < near;
}

/* With its time, and that is near the time of an earlier record. */
static bool ends_with_time(const struct pc_before *b, const struct pc_capture *capture)
{
    return b->time != 0 && b->end[0] != 0 && last_of_sample_id(b, capture) == PC_S_TIME &&
           is_near(b->end[0], b->time, capture->order);
}

static size_t hash_end(const struct pc_before *b)
{
    uint64_t hash = (b->end[0] + b->item.type) * UINT64_C(0x9e3779b97f4a7c15);
    return (hash >> 32) % PC_COUNT_OF(b->ends);
}

/* With the same eight bytes as an earlier one of its type: with its period, its CPU, where its thread began.
 * Not if it has the payload of a tracepoint, which repeats some in other places. */
static bool ends_like_another(const struct pc_before *b, const struct pc_capture *capture)
{
    const struct pc_record_end *end = &b->ends[hash_end(b)];
    if (b->item.type == PC_SAMPLE &&
        (capture->nr_attrs == 0 || !capture->common.same_layout ||
         (pc_attr_get(pc_capture_first(capture), PC_ATTR_SAMPLE_TYPE) & PC_S_RAW)))
        return false;
    return b->end[0] != 0 && end->word == b->end[0] && end->type == b->item.type;
}

/* An attr of a pipe, then at least one id. */
static bool ends_with_ids(const struct pc_capture *capture, const struct pc_item *record)
{
    struct pc_cursor in = pc_record_body(record->bytes, capture->order);
    uint64_t size, id, last = 0;
    struct pc_span attr;
    if (record->type != PC_HEADER_ATTR || !pc_peek(&in, PC_ATTR_SIZE_AT, 4, &size) ||
        !pc_take(&in, pc_attr_size(size), &attr))
        return false;
    while (pc_uint(&in, 8, &id)) {
        if (!pc_may_be_id(last, id))
            return false;
        last = id;
    }
    return last != 0 && pc_left(&in) == 0;
}

/* So that no byte of it can be damaged: bytes that were lost or inserted in it would have changed its end. */
static bool ends_whole(const struct pc_before *b, const struct pc_capture *capture, bool zeros_follow)
{
    if (b->item.where.inside || pc_record_is(b->item.type, PC_HAS_PAYLOAD | PC_HOLDS_RECORDS))
        return false;
    bool is_header = b->item.bytes.len == PC_RECORD_HEADER_SIZE;
    /* The event was counted all the time for which it was enabled. */
    bool is_count = b->item.type == PC_STAT && b->end[0] != 0 && b->end[0] == b->end[1];
    return is_header || is_count || b->has_ids || ends_with_id(b, capture, zeros_follow) ||
           ends_with_time(b, capture) || ends_like_another(b, capture);
}

/* --- the zeros with which it may end --- */

struct tail {
    size_t zeros; /* where they begin */
    size_t id;    /* where its sample id begins, or its end */
    bool is_fork;
    bool is_text;   /* the last field is a text */
    bool is_full;   /* which fills its words, so that its NUL needs another one */
    bool is_narrow; /* the last field is a number of two bytes */
    bool hollow;    /* a field is in the zeros that is neither a text nor padding, or it is none with them */
};

static bool see_tail(void *ctx, const struct pc_leaf *leaf)
{
    struct tail *tail = ctx;
    const struct pc_field *field = leaf->field;
    if (leaf->raw.len == 0 || leaf->at >= tail->id || pc_is_padding(field))
        return true;
    tail->is_text = field->kind == PC_CSTR || field->kind == PC_TEXT;
    tail->is_full = field->kind == PC_CSTR && tail->zeros % 8 == 0;
    tail->is_narrow = field->kind == PC_UINT && field->width == 2;
    const bool is_start = tail->is_fork && field->save == PC_REC_START;
    tail->hollow |= (leaf->at >= tail->zeros && field->kind != PC_TEXT && !is_start) ||
                    (field->show == PC_AS_DOUBLE && leaf->value >> 52 == 0);
    return true;
}

/* Reads that of a record, which ends with a sample id of so many bytes. Parents of tasks that perf found are
 * processes: their numbers are there twice. */
static struct tail tail_of(const struct pc_capture *capture, const struct pc_before *b, struct pc_span record,
                           size_t id)
{
    struct tail tail = { .zeros = record.len, .id = record.len - id, .is_fork = b->item.type == PC_FORK };
    const struct pc_layout layout =
        pc_record_layout(NULL, b->item.type, b->item.misc, capture->mmap2_old == 1);
    struct pc_cursor c = pc_record_body(pc_part(record, 0, tail.id), capture->order);
    struct pc_walk walk;
    while (tail.zeros > PC_RECORD_HEADER_SIZE && record.ptr[tail.zeros - 1] == 0)
        tail.zeros--;
    pc_walk_init(&walk, &layout, &c, see_tail, &tail);
    pc_walk_table(&walk, pc_item_info(&b->item)->fields);
    if (tail.is_fork)
        tail.hollow |= walk.slot[PC_REC_START] != 0 || walk.slot[PC_REC_PPID] != walk.slot[PC_REC_PTID];
    return tail;
}

/* How long the sample id is with which the last record ends; 0: it has none. */
static size_t sample_id_of(const struct asked *a)
{
    const struct pc_capture *capture = &a->scan->capture;
    if (last_of_sample_id(a->before, capture) == 0)
        return 0;
    return pc_sample_id_size(capture->layout[capture->attr[0].layout]->layout.mask | PC_LAYOUT_SAMPLE_ID);
}

/* The bytes of the last record, which is one of the file; NULL: they are not there any more, or there is no
 * memory. The caller frees them. */
static unsigned char *load_last(const struct asked *a)
{
    const struct pc_item *item = &a->before->item;
    const size_t n = item->bytes.len;
    unsigned char *bytes = pc_alloc_buffer(a->mem, n);
    *a->no_memory |= !bytes;
    if (bytes && (pc_input_read_at(a->scan->reader.in, item->offset, bytes, n) != n ||
                  pc_load_head(bytes, a->scan->capture.order).size != n)) {
        pc_free(a->mem, bytes, n);
        bytes = NULL;
    }
    return bytes;
}

/* Whether a record of the file has fields that may tell where it ends. */
static bool has_fields(const struct pc_item *item)
{
    return !item->where.inside && pc_record_info(item->type) &&
           item->bytes.len >= (size_t)2 * PC_RECORD_HEADER_SIZE &&
           !pc_record_is(item->type, PC_HAS_PAYLOAD | PC_HOLDS_RECORDS);
}

/* Whether the name with which a record of the kernel ends, but for the sample id, may have been longer: it is
 * empty, or has more room than it needs. */
static bool lost_name(const struct asked *a)
{
    const struct pc_item *item = &a->before->item;
    const size_t n = item->bytes.len, id = sample_id_of(a);
    if (a->before->end[0] != 0 || !pc_is_kernel_type(item->type) || !has_fields(item) ||
        id > n - PC_RECORD_HEADER_SIZE)
        return false;
    unsigned char *bytes = load_last(a);
    if (!bytes)
        return false;
    const struct pc_span record = { bytes, n };
    const struct tail tail = tail_of(&a->scan->capture, a->before, record, id);
    bool lost = tail.is_text && (tail.hollow || !pc_reader_is_exact(&a->scan->reader, record));
    pc_free(a->mem, bytes, n);
    return lost;
}

/* --- what comes behind it --- */

/* Whether a record is of a known type and has the size of its content. */
static bool is_as_long(struct pc_reader *r, struct pc_span record)
{
    const uint32_t type = pc_load_head(record.ptr, r->capture->order).type;
    size_t end;
    if (type == PC_HEADER_FEATURE)
        return pc_reader_feature_tells(r, record, &end) && end == record.len;
    return pc_record_info(type) && pc_reader_fits(r, record);
}

/* Whether n bytes at a place of the file are a record of the type that they begin with, but for its size. */
static bool is_record(const struct asked *a, uint64_t start, uint64_t n)
{
    if (n > PC_RECORD_SIZE_MAX || a->scan->capture.nr_attrs == 0)
        return false;
    unsigned char *bytes = pc_alloc_buffer(a->mem, n);
    if (!bytes) {
        *a->no_memory = true;
        return false;
    }
    const struct pc_span record = { bytes, (size_t)n };
    bool fits = pc_input_read_at(a->scan->reader.in, start, bytes, record.len) == n;
    fits = fits && is_as_long(&a->scan->reader, record);
    pc_free(a->mem, bytes, n);
    return fits;
}

/* Lost blocks of disks begin at multiples of this. */
#define BLOCK 512
/* More zeros than records have in a row, but for stacks and padding. */
#define ZEROS 256

/* As many bytes that are all the same are no rest of a record, which ends with what the kernel adds to it. */
#define SAME 64

/* Whether a gap that begins so is one byte again and again, with which the record before does not end. */
static bool is_filled(const struct pc_before *b, enum pc_order order, struct pc_span next)
{
    unsigned char last = (unsigned char)(order == PC_LITTLE ? b->end[0] >> 56 : b->end[0]);
    return next.len >= SAME && !b->item.where.inside && next.ptr[0] != last &&
           memcmp(next.ptr, next.ptr + 1, next.len - 1) == 0;
}

/* Whether many zeros are in the bytes from this place on. */
static bool are_zeros(struct pc_span next, size_t from)
{
    return next.len == ZEROS && pc_first_nonzero(pc_part(next, from, ZEROS - from)) == ZEROS - from;
}

/* Of a header and eight more bytes, all are zeros but the type. */
#define CLEARED (PC_RECORD_HEADER_SIZE + 8)

/* Whether the record before a gap ends with two words of zeros, and the next one is perf's own and has zeros
 * from its size on. Had the first one lost bytes, it would end with some of those that follow it, of which
 * hardly any are so many zeros before a word that looks like a type. */
static bool is_cleared(const struct pc_before *b, struct pc_record_head head, struct pc_span next)
{
    return next.len >= CLEARED && b->end[0] == 0 && b->end[1] == 0 && !b->item.where.inside &&
           !pc_is_kernel_type(head.type) &&
           pc_first_nonzero(pc_part(next, PC_RECORD_SIZE_AT, CLEARED - PC_RECORD_SIZE_AT)) ==
               CLEARED - PC_RECORD_SIZE_AT;
}

/* Whether the record before a gap of n bytes ends where its size says, so that no byte of it is damaged. It
 * does when the next record begins there, of which a part is damaged: its type, or its size, is that of a
 * record, or many zeros begin with its size. A cut takes a part of the next record, too. Before many zeros
 * it does when it does not end with some itself, or when a block begins there or a few bytes later; where it
 * begins there, few are enough. */
static bool ends_at(const struct asked *a, uint64_t start, uint64_t n, bool at_end)
{
    struct pc_reader *r = &a->scan->reader;
    unsigned char bytes[ZEROS] = { 0 };
    uint64_t size;
    if (n < PC_RECORD_HEADER_SIZE)
        return at_end;
    const struct pc_span next = { bytes, n < ZEROS ? (size_t)n : ZEROS };
    if (pc_input_read_at(r->in, start, bytes, next.len) != next.len)
        return false;
    const bool payload = pc_record_is(a->before->item.type, PC_HAS_PAYLOAD); /* which may end with zeros */
    size_t zeros = pc_first_nonzero(next);
    size_t block = (size_t)(-start % BLOCK);
    bool in_block = (block < PC_RECORD_HEADER_SIZE && are_zeros(next, block)) ||
                    (block == 0 && zeros >= PC_RECORD_HEADER_SIZE);
    if (!payload && in_block && (zeros == 0 || !lost_name(a)))
        return true;
    if (!payload && is_filled(a->before, a->scan->capture.order, next))
        return true;
    if (zeros >= PC_RECORD_HEADER_SIZE)
        return zeros == ZEROS && !payload && !a->before->item.where.inside && a->before->end[0] != 0;
    struct pc_record_head head = pc_load_head(bytes, a->scan->capture.order);
    const struct pc_record_info *info = pc_record_info(head.type);
    if (pc_capture_has_android_type(&a->scan->capture, head.type) &&
        ((uint64_t)head.misc << 16 | head.size) == n)
        return true; /* a record of simpleperf, which is passed (PC0696) */
    if (pc_is_android_type(head.type) && is_record(a, start, n))
        return true; /* whichever half of its size is wrong */
    bool typed = info && (head.misc & ~(unsigned)info->misc) == 0 &&
                 (head.size >= PC_RECORD_HEADER_SIZE || are_zeros(next, PC_RECORD_SIZE_AT) ||
                  (!payload && is_cleared(a->before, head, next)) || is_record(a, start, n) ||
                  ((info->flags & PC_HAS_PAYLOAD) && n > info->min && is_record(a, start, info->min)));
    return typed ||
           (!payload && (head.size == n || (at_end && pc_plausible_header(r, bytes, &size) && size > n)));
}

/* --- what its fields tell --- */

/* Whether zeros that go on behind the record begin where it has some of its own. */
static bool may_have_zeros(const struct pc_before *b, const struct tail *tail)
{
    return !tail->hollow && !tail->is_full && (b->item.offset + tail->zeros) % BLOCK != 0;
}

/* Fewer zeros may be a field. */
#define ZERO_ID 16

/* Whether a record that perf has made itself, about what ran before, ends with zeros as its sample id: perf
 * does not know any. */
static bool ends_with_no_id(const struct asked *a, struct pc_span record, bool zeros_follow)
{
    const struct pc_capture *capture = &a->scan->capture;
    const size_t id = sample_id_of(a);
    if (!pc_record_is(a->before->item.type, PC_SYNTHESIZED) || id < ZERO_ID ||
        id > record.len - PC_RECORD_HEADER_SIZE ||
        pc_first_nonzero(pc_part(record, record.len - id, id)) != id ||
        !pc_reader_is_exact(&a->scan->reader, record))
        return false;
    const struct tail tail = tail_of(capture, a->before, record, id);
    return zeros_follow ? may_have_zeros(a->before, &tail) : !tail.hollow;
}

/* Whether a record that only perf writes, and that has more than numbers, has values of its type in all
 * fields, and ends with a text or with a small number, as other bytes hardly do. */
static bool is_of_perf(const struct asked *a, struct pc_span record, bool zeros_follow)
{
    const struct pc_capture *capture = &a->scan->capture;
    if (pc_is_kernel_type(a->before->item.type) || pc_is_android_type(a->before->item.type) ||
        !pc_record_is(a->before->item.type, PC_LASTING) || !pc_reader_is_known(&a->scan->reader, record))
        return false;
    const struct tail tail = tail_of(capture, a->before, record, 0);
    const uint64_t last = a->before->end[0];
    if (zeros_follow)
        return last == 0 && may_have_zeros(a->before, &tail);
    return tail.is_text || tail.is_narrow || last <= UINT32_MAX;
}

/* Whether the record before a gap is whole by its own fields, so that bytes which were lost, inserted or
 * cleared in it would show. */
static bool is_whole_inside(const struct asked *a, bool zeros_follow)
{
    unsigned char *bytes = has_fields(&a->before->item) ? load_last(a) : NULL;
    if (!bytes)
        return false;
    const struct pc_span record = { bytes, a->before->item.bytes.len };
    bool whole = ends_with_no_id(a, record, zeros_follow) || is_of_perf(a, record, zeros_follow);
    pc_free(a->mem, bytes, record.len);
    return whole;
}

bool pc_whole_before(const struct pc_before *b, struct pc_scan *scan, const struct pc_item *item,
                     struct pc_mem *mem, bool *no_memory)
{
    const struct asked a = { b, scan, mem, no_memory };
    uint64_t end = pc_add_saturated(b->item.offset + b->item.bytes.len, b->payload);
    uint64_t next = item->offset;
    if (b->item.where.stream != item->where.stream)
        return false;
    if (item->where.inside) /* of the content, unless the stream goes on elsewhere */
        return !b->item.where.inside && scan->reader.outer.offset + scan->reader.outer.at == end;
    if (b->item.where.inside) { /* what is left of the content begins like a record */
        if (pc_whole_is_odd(b, scan))
            return false;
        if (scan->reader.packed.passed == b->packed + 1 || scan->reader.packed.ended == b->packed + 1)
            return true; /* its last block is whole: of damage in it zstd would have said something */
        end = b->packed_end;
    }
    if (end >= next)
        return end == next;
    unsigned char first = 0;
    const bool zeros_follow = pc_input_read_at(scan->reader.in, end, &first, 1) != 1 || first == 0;
    return ends_whole(b, &scan->capture, zeros_follow) ||
           ends_at(&a, end, next - end, item->kind == PC_ITEM_END) || is_whole_inside(&a, zeros_follow);
}

bool pc_whole_is_odd(const struct pc_before *b, const struct pc_scan *scan)
{
    return scan->reader.packed.odd != 0 && scan->reader.packed.odd == b->packed + 1;
}

/* Whether the kernel writes no record like this one: of a type that only the kernel writes, at time 0. */
static bool is_timeless(struct pc_capture *capture, const struct pc_item *item)
{
    if (!pc_is_kernel_type(item->type) || !pc_record_info(item->type) || item->type == PC_LOST_SAMPLES ||
        capture->nr_attrs == 0 || pc_record_is(item->type, PC_SYNTHESIZED))
        return false;
    struct pc_chosen chosen = pc_capture_choose(capture, item->type, item->bytes);
    uint32_t attr = chosen.choice == PC_CHOSEN ? chosen.attr : 0;
    const struct pc_layout layout = pc_capture_fit(capture, attr, item->type, item->misc, item->bytes).layout;
    struct pc_cursor c = pc_record_body(item->bytes, capture->order);
    struct pc_walk walk;
    size_t excess = 0;
    pc_walk_init(&walk, &layout, &c, NULL, NULL);
    return pc_walk_record(&walk, pc_item_info(item), &excess) && walk.slot_at[PC_SLOT_TIME] != 0 &&
           walk.slot[PC_SLOT_TIME] == 0;
}

bool pc_whole_is_other(struct pc_scan *scan, const struct pc_item *item, uint64_t gap, struct pc_mem *mem,
                       bool *no_memory)
{
    const struct asked a = { NULL, scan, mem, no_memory };
    if (!is_timeless(&scan->capture, item))
        return false;
    bool may_be = gap >= PC_RECORD_HEADER_SIZE && !item->where.inside && item->where.stream == 0;
    return !(may_be && is_record(&a, item->offset - gap, gap)) && !*no_memory;
}

/* --- features --- */

/* So many zeros up to the end of a file are no end of a feature. */
#define LAST_ZEROS 128

/* How many zeros begin here, up to two blocks of them. */
static size_t zeros_from(struct pc_scan *scan, uint64_t offset)
{
    unsigned char bytes[2 * BLOCK];
    const size_t n = pc_reader_look(&scan->reader, offset, bytes, sizeof(bytes));
    return pc_first_nonzero((struct pc_span){ bytes, n });
}

/* How many are before a place, up to one block. */
static size_t zeros_before(struct pc_scan *scan, uint64_t offset)
{
    unsigned char bytes[BLOCK];
    const size_t most = offset < BLOCK ? (size_t)offset : BLOCK;
    size_t n = 0;
    if (pc_reader_look(&scan->reader, offset - most, bytes, most) == most)
        while (n < most && bytes[most - 1 - n] == 0)
            n++;
    return n;
}

bool pc_whole_is_blank(struct pc_scan *scan, const struct pc_item *feature)
{
    if (feature->size == 0 || feature->size > BLOCK) /* no sound one has so many zeros */
        return false;
    const size_t n = zeros_from(scan, feature->offset);
    if (n < feature->size)
        return false;
    const size_t all = n + zeros_before(scan, feature->offset);
    return all >= BLOCK || (all >= LAST_ZEROS && feature->offset + n == scan->reader.in->size);
}

bool pc_whole_begins_frame(const struct pc_capture *capture, const struct pc_item *item)
{
    struct pc_cursor c = pc_record_body(item->bytes, capture->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    return pc_walk_table(&walk, pc_item_info(item)->fields) && walk.slot_at[PC_REC_RAW] != 0 &&
           pc_inflate_is_frame(pc_part(item->bytes, walk.slot_at[PC_REC_RAW], (size_t)walk.slot[PC_REC_RAW]));
}

void pc_before_note(struct pc_before *b, const struct pc_scan *scan, const struct pc_item *record)
{
    const struct pc_capture *capture = &scan->capture;
    const unsigned n = sizeof(uint64_t);
    if (b->item.bytes.len != 0)
        b->ends[hash_end(b)] = (struct pc_record_end){ b->end[0], b->item.type };
    if (b->end[0] != 0 && last_of_sample_id(b, capture) == PC_S_TIME)
        b->time = b->end[0];
    b->item = *record;
    b->payload = pc_record_is(record->type, PC_HAS_PAYLOAD) ? scan->reader.payload.size : 0;
    b->has_ids = ends_with_ids(capture, record);
    for (size_t i = 0; i < PC_COUNT_OF(b->end); i++) {
        bool there = record->bytes.len >= n * (i + 1);
        b->end[i] =
            there ? pc_load(record->bytes.ptr + record->bytes.len - n * (i + 1), n, capture->order) : 0;
    }
    if (pc_record_is(record->type, PC_HOLDS_RECORDS)) {
        b->packed = record->number;
        b->packed_end = record->offset + record->bytes.len;
    }
}

/* SPDX-License-Identifier: MIT */
#include "check/whole.h"

#include "bytes/cursor.h"
#include "bytes/inflate.h"
#include "read/extent.h"
#include "read/plausible.h"

#include <string.h>

/* What is asked about, and memory for that. */
struct asked {
    const struct pc_before *before;
    struct pc_scan *scan;
    struct pc_mem *mem;
    bool *no_memory;
};

/* Whether the last record, which has no error, ends with the id of its event, which no other bytes are by
 * chance. */
static bool ends_with_id(const struct pc_before *b, const struct pc_capture *capture)
{
    if (capture->nr_attrs == 0 || b->item.where.inside || !pc_is_kernel_type(b->item.type) ||
        b->item.type == PC_SAMPLE)
        return false;
    uint64_t id = pc_load(b->tail, sizeof(b->tail), capture->order);
    return (pc_attr_get(&capture->attr[0], PC_ATTR_FLAGS) & PC_FLAG_SAMPLE_ID_ALL) &&
           (pc_attr_get(&capture->attr[0], PC_ATTR_SAMPLE_TYPE) & PC_S_IDENTIFIER) &&
           pc_tree_find(&capture->ids, id);
}

/* Whether n bytes at a place of the file are a record of the type that they begin with, but for its size. */
static bool is_record(const struct asked *a, uint64_t start, uint64_t n)
{
    struct pc_capture *capture = &a->scan->capture;
    if (n > PC_RECORD_SIZE_MAX || capture->nr_attrs == 0)
        return false;
    unsigned char *bytes = pc_alloc_buffer(a->mem, n);
    if (!bytes) {
        *a->no_memory = true;
        return false;
    }
    bool fits = pc_input_read_at(a->scan->reader.in, start, bytes, (size_t)n) == n &&
                pc_record_info(pc_load_head(bytes, capture->order).type) &&
                pc_reader_fits(&a->scan->reader, (struct pc_span){ bytes, (size_t)n });
    pc_free(a->mem, bytes, n);
    return fits;
}

/* Lost blocks of disks begin at multiples of this. */
#define BLOCK 512
/* More zeros than records have in a row, but for stacks and padding. */
#define ZEROS 256

/* Whether the record before a gap of n bytes ends where its size says, so that no byte of it is damaged. It
 * does when the next record begins there, of which a part is damaged: its type, or its size, is that of a
 * record. A cut takes a part of the next record, too. Before many zeros it does when it does not end with
 * some itself, or when a block begins there or a few bytes later. */
static bool ends_at(const struct asked *a, uint64_t start, uint64_t n, bool at_end)
{
    struct pc_reader *r = &a->scan->reader;
    unsigned char next[ZEROS] = { 0 };
    const struct pc_span end = { a->before->tail, sizeof(a->before->tail) };
    uint64_t size;
    if (n < PC_RECORD_HEADER_SIZE)
        return at_end;
    size_t have = n < ZEROS ? (size_t)n : ZEROS;
    if (pc_input_read_at(r->in, start, next, have) != have)
        return false;
    size_t zeros = pc_first_nonzero((struct pc_span){ next, have });
    size_t block = (size_t)(-start % BLOCK);
    if (have == ZEROS && block < PC_RECORD_HEADER_SIZE &&
        pc_first_nonzero((struct pc_span){ next + block, ZEROS - block }) == ZEROS - block)
        return true;
    if (zeros >= PC_RECORD_HEADER_SIZE)
        return zeros == ZEROS && !a->before->item.where.inside && pc_first_nonzero(end) != end.len;
    struct pc_record_head head = pc_load_head(next, a->scan->capture.order);
    const struct pc_record_info *info = pc_record_info(head.type);
    bool typed = info && (head.misc & ~(unsigned)info->misc) == 0 &&
                 (head.size >= PC_RECORD_HEADER_SIZE || is_record(a, start, n));
    return typed || head.size == n || ends_with_id(a->before, &a->scan->capture) ||
           (at_end && pc_plausible_header(r, next, &size) && size > n);
}

bool pc_whole_before(const struct pc_before *b, struct pc_scan *scan, const struct pc_item *item,
                     struct pc_mem *mem, bool *no_memory)
{
    const struct asked a = { b, scan, mem, no_memory };
    uint64_t end = b->item.offset + b->item.bytes.len;
    uint64_t next = item->offset;
    if (b->item.where.stream != item->where.stream)
        return false;
    if (item->where.inside) /* of the content, unless the stream goes on elsewhere */
        return !b->item.where.inside && scan->reader.outer.offset + scan->reader.outer.at == end;
    if (b->item.where.inside) { /* what is left of the content begins like a record */
        if (pc_whole_is_odd(b, scan))
            return false;
        end = b->packed_end;
    }
    return end <= next && (end == next || ends_at(&a, end, next - end, item->kind == PC_ITEM_END));
}

bool pc_whole_is_odd(const struct pc_before *b, const struct pc_scan *scan)
{
    return scan->reader.packed.odd != 0 && scan->reader.packed.odd == b->packed + 1;
}

bool pc_whole_is_timeless(struct pc_capture *capture, const struct pc_item *item)
{
    if (!pc_is_kernel_type(item->type) || item->type == PC_LOST_SAMPLES || capture->nr_attrs == 0 ||
        pc_record_is(item->type, PC_SYNTHESIZED))
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

bool pc_whole_begins_frame(const struct pc_capture *capture, const struct pc_item *item)
{
    struct pc_cursor c = pc_record_body(item->bytes, capture->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    return pc_walk_table(&walk, pc_item_info(item)->fields) && walk.slot_at[PC_REC_RAW] != 0 &&
           pc_inflate_is_frame(pc_part(item->bytes, walk.slot_at[PC_REC_RAW], (size_t)walk.slot[PC_REC_RAW]));
}

void pc_before_note(struct pc_before *b, const struct pc_item *record)
{
    b->item = *record;
    memcpy(b->tail, record->bytes.ptr + record->bytes.len - sizeof(b->tail), sizeof(b->tail));
    if (pc_record_is(record->type, PC_HOLDS_RECORDS)) {
        b->packed = record->number;
        b->packed_end = record->offset + record->bytes.len;
    }
}

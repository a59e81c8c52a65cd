/* SPDX-License-Identifier: MIT
 *
 * The parts of files and pipes: integers, attrs, features; and features that have no place in the copy.
 */
#include "write/writer_parts.h"

#include "write/make.h"

#include "bytes/cursor.h"

enum pc_order pc_writer_order(const struct pc_writer *w)
{
    return w->content->own.to;
}

void pc_writer_bytes(struct pc_writer *w, const void *bytes, size_t n)
{
    pc_sink_put(w->to, bytes, n);
}

void pc_writer_uint(struct pc_writer *w, unsigned width, uint64_t value)
{
    unsigned char bytes[8];
    pc_store(bytes, width, value, pc_writer_order(w));
    pc_writer_bytes(w, bytes, width);
}

void pc_writer_zeros(struct pc_writer *w, uint64_t n)
{
    static const unsigned char zeros[64];
    for (; n > sizeof(zeros); n -= sizeof(zeros))
        pc_writer_bytes(w, zeros, sizeof(zeros));
    pc_writer_bytes(w, zeros, (size_t)n);
}

static void take_feature(void *ctx, const unsigned char *bytes, size_t n)
{
    struct pc_writer *w = ctx;
    w->feature_size += n;
    pc_writer_bytes(w, bytes, n);
}

void pc_writer_no_memory(struct pc_writer *w)
{
    pc_content_no_memory(w->content);
    w->failed = true;
}

uint64_t pc_writer_feature(struct pc_writer *w, uint64_t bit)
{
    w->feature_size = 0;
    if (!pc_content_feature(w->content, bit, take_feature, w))
        pc_writer_no_memory(w);
    return w->feature_size;
}

void pc_writer_record_head(struct pc_writer *w, uint32_t type, uint16_t misc, uint64_t size)
{
    unsigned char head[PC_RECORD_HEADER_SIZE];
    assert(size <= PC_RECORD_SIZE_MAX);
    pc_store_head(head, (struct pc_record_head){ type, misc, (uint16_t)size }, pc_writer_order(w));
    pc_writer_bytes(w, head, sizeof(head));
}

void pc_writer_attr(struct pc_writer *w, size_t i)
{
    struct pc_span attr = pc_content_attr(w->content, i);
    pc_writer_bytes(w, attr.ptr, attr.len);
}

void pc_writer_ids(struct pc_writer *w, const struct pc_content_attr *a)
{
    for (size_t k = 0; k < a->nr_ids; k++)
        pc_writer_uint(w, 8, w->content->ids[a->ids + k]);
}

/* What perf record writes into the feature by default; more than PC_PACK_CHUNK, which is the most that comes
 * out of one record. */
#define MMAP_LEN 528384

uint64_t pc_writer_mmap_len(const struct pc_writer *w)
{
    uint64_t own = w->content->scan->capture.mmap_len;
    return own > MMAP_LEN ? own : MMAP_LEN;
}

void pc_writer_compression(struct pc_writer *w, uint64_t ratio)
{
    unsigned char out[64];
    struct pc_make make = { .order = pc_writer_order(w), .out = out };
    make.slot[PC_COMPRESSED_TYPE] = PC_COMPRESSION_ZSTD;
    make.slot[PC_COMPRESSED_LEVEL] = (uint64_t)w->pack.deflate.level;
    make.slot[PC_COMPRESSED_RATIO] = ratio;
    make.slot[PC_COMPRESSED_MMAP_LEN] = pc_writer_mmap_len(w);
    pc_make_table(&make, pc_compression);
    pc_writer_bytes(w, out, make.len);
}

void pc_writer_leave_out(struct pc_writer *w, uint64_t bit, enum pc_diag id, struct pc_value seen)
{
    const struct pc_context feature = pc_feature_context(bit, (struct pc_where){ 0 }, 0);
    char option[64];
    pc_content_name_feature(bit, option, sizeof(option));
    if (pc_content_refuse_in(w->content, &feature, id, 0, 0, seen, option))
        pc_content_drop(w->content, bit);
    else
        w->failed = true;
}

void pc_writer_leave_out_for(struct pc_writer *w, uint64_t bit, const char *why)
{
    pc_writer_leave_out(w, bit, PC_D_REWRITE_FEATURE, pc_text_value(why));
}

bool pc_writer_has_stat_mark(const struct pc_content *c)
{
    return pc_bit(c->scan->capture.features, PC_STAT_FEATURE);
}

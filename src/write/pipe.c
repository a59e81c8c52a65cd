/* SPDX-License-Identifier: MIT
 *
 * The front of the canonical pipe, in the order of tools/perf/util/synthetic-events.c:
 * perf_event__synthesize_for_pipe.
 */
#include "write/writer_parts.h"

#include "bytes/cursor.h"
#include "read/extent.h"

#include <string.h>

/* The number in the end mark is the HEADER_LAST_FEATURE of its writer, and perf report refuses one that is
 * larger than its own. So pipes whose attrs are older than those of 7.2 get that of 6.1 and 6.12, which 7.2
 * reads too; that of 5.10 is a feature to 6.1 and 6.12 (FORMAT.md 6.3). */
static uint64_t end_mark(const struct pc_content *c)
{
    uint64_t highest = 0;
    if (c->reader)
        return c->reader->feature + 1u;
    for (uint64_t bit = 0; bit < PC_FEATURES; bit++) {
        const struct pc_feature_info *info = pc_feature_info(bit);
        if (pc_bit(c->parts.present, bit) && !(info && (info->flags & PC_NEEDS_FILE)))
            highest = bit;
    }
    if (c->own.attr_size <= pc_version_knows(PC_BY_6_12)->attr_size && highest < PC_CPU_DOMAIN_INFO)
        return PC_CPU_DOMAIN_INFO;
    return (highest > PC_CLN_SIZE ? highest : PC_CLN_SIZE) + 1; /* of 7.2, which must not refuse it */
}

static void put_header_attr(struct pc_writer *w, size_t i)
{
    const struct pc_content_attr *a = &w->content->attr[i];
    uint64_t size = PC_RECORD_HEADER_SIZE + w->content->own.attr_size + 8 * (uint64_t)a->nr_ids;
    if (size > PC_RECORD_SIZE_MAX) {
        struct pc_finding f = { .id = PC_D_REWRITE_ATTR_TOO_LARGE,
                                .place = PC_IN_ATTR,
                                .number = i,
                                .offset = a->offset,
                                .seen = pc_uint_value(size) };
        w->failed |= !pc_content_refuse(w->content, &f, NULL);
        return;
    }
    pc_writer_record_head(w, PC_HEADER_ATTR, 0, size);
    pc_writer_attr(w, i);
    pc_writer_ids(w, a);
}

/* A record that is made. */
struct record {
    struct pc_writer *w;
    unsigned char *bytes; /* RECORD_ROOM */
    size_t len;
};

#define RECORD_ROOM (PC_RECORD_SIZE_MAX + 1)

static void take_content(void *ctx, const unsigned char *bytes, size_t n)
{
    struct record *r = ctx;
    memcpy(r->bytes + r->len, bytes, n);
    r->len += n;
}

/* Whether the record of a feature seems to have a wrong size, because the content ends with what reads like
 * records. Bytes after the content keep their order, and are refused in a copy of the other one. */
static bool ends_like_records(const struct record *r, enum pc_order order)
{
    struct pc_scan *scan = r->w->content->scan;
    return order == scan->capture.order &&
           pc_reader_find_swallowed(&scan->reader, (struct pc_span){ r->bytes, r->len }) != 0;
}

enum fit { FITS, EMPTY, TOO_LARGE, LIKE_RECORDS };

/* Makes the record of a feature, if it can be one. */
static enum fit make_record(struct record *r, uint64_t bit)
{
    struct pc_writer *w = r->w;
    const enum pc_order order = pc_writer_order(w);
    const uint64_t size = PC_FEATURE_HEAD + pc_content_size(w->content, bit);
    if (size == PC_FEATURE_HEAD || size > PC_RECORD_SIZE_MAX)
        return size == PC_FEATURE_HEAD ? EMPTY : TOO_LARGE;
    pc_store_head(r->bytes, (struct pc_record_head){ PC_HEADER_FEATURE, 0, (uint16_t)size }, order);
    pc_store(r->bytes + PC_RECORD_HEADER_SIZE, 8, bit, order);
    r->len = PC_FEATURE_HEAD;
    if (!pc_content_feature(w->content, bit, take_content, r)) {
        pc_writer_no_memory(w);
        return FITS; /* nothing more is written */
    }
    return ends_like_records(r, order) ? LIKE_RECORDS : FITS;
}

/* fit: of the record that was just made of it. */
static void put_header_feature(struct record *r, uint64_t bit, enum fit fit)
{
    struct pc_writer *w = r->w;
    switch (fit) {
    case EMPTY:
        pc_writer_leave_out_for(w, bit, "it is empty, which in a pipe would be the end of the features");
        break;
    case TOO_LARGE:
        pc_writer_leave_out(w, bit, PC_D_REWRITE_TOO_LARGE,
                            pc_uint_value(PC_FEATURE_HEAD + pc_content_size(w->content, bit)));
        break;
    case LIKE_RECORDS:
        pc_writer_leave_out_for(w, bit, "its last bytes read like records, which they would be in a pipe");
        break;
    case FITS:
        pc_writer_bytes(w, r->bytes, r->len);
        break;
    }
}

/* The files of DEBUG_UNWIND_FILE and the list of them: both are in a pipe, or neither is. */
static void put_unwind(struct record *r)
{
    static const uint64_t list = PC_DEBUG_UNWIND, files = PC_DEBUG_UNWIND_FILE;
    const uint64_t *present = r->w->content->parts.present;
    const bool both = pc_bit(present, list) && pc_bit(present, files);
    if (!both) {
        const uint64_t one = pc_bit(present, list) ? list : files;
        put_header_feature(r, one, make_record(r, one));
        return;
    }
    const enum fit of_files = make_record(r, files), of_list = make_record(r, list);
    if (of_list == FITS && (of_files == TOO_LARGE || of_files == LIKE_RECORDS))
        pc_writer_leave_out_for(r->w, list, "a pipe cannot have DEBUG_UNWIND_FILE, whose files it lists");
    else
        put_header_feature(r, list, of_list);
    if (of_list != FITS && of_files == FITS) {
        pc_writer_leave_out_for(r->w, files, "a pipe cannot have DEBUG_UNWIND, which lists its files");
        return;
    }
    if (of_files == FITS)
        make_record(r, files);
    put_header_feature(r, files, of_files);
}

static void put_header_compression(struct pc_writer *w)
{
    pc_writer_record_head(w, PC_HEADER_FEATURE, 0, PC_FEATURE_HEAD + pc_least_size(pc_compression, 0));
    pc_writer_uint(w, 8, PC_COMPRESSED_FEATURE);
    pc_writer_compression(w, 0);
}

/* Without the 4 bytes of padding that perf has since 6.1: perf reads both forms, other readers only this one
 * (hotspot, perfparser, quipper). What follows is then off the grid of 8 bytes. */
static void put_tracing_data(struct pc_writer *w)
{
    uint64_t size = w->content->size[PC_TRACING_DATA];
    pc_writer_record_head(w, PC_HEADER_TRACING_DATA, 0, PC_RECORD_HEADER_SIZE + 4);
    pc_writer_uint(w, 4, pc_align8(size));
    pc_writer_feature(w, PC_TRACING_DATA);
    pc_writer_zeros(w, pc_align8(size) - size);
}

/* Entries of build ids are records of another type. Theirs end with a name padded to 8 after 36 bytes, which
 * quipper wants of a record too; the record is then padded to 8 itself. */
static void take_build_ids(void *ctx, const unsigned char *bytes, size_t n)
{
    struct record *r = ctx;
    enum pc_order order = pc_writer_order(r->w);
    while (n != 0) {
        size_t wanted =
            r->len < PC_RECORD_HEADER_SIZE ? PC_RECORD_HEADER_SIZE : pc_load_head(r->bytes, order).size;
        size_t more = wanted - r->len < n ? wanted - r->len : n;
        memcpy(r->bytes + r->len, bytes, more);
        r->len += more;
        bytes += more;
        n -= more;
        if (r->len < PC_RECORD_HEADER_SIZE || r->len < pc_load_head(r->bytes, order).size)
            continue;
        size_t size = (size_t)pc_align8(r->len);
        pc_writer_record_head(r->w, PC_HEADER_BUILD_ID, pc_load_head(r->bytes, order).misc, size);
        pc_writer_bytes(r->w, r->bytes + PC_RECORD_HEADER_SIZE, r->len - PC_RECORD_HEADER_SIZE);
        pc_writer_zeros(r->w, size - r->len);
        r->len = 0;
    }
}

void pc_writer_pipe_front(struct pc_writer *w)
{
    struct pc_content *c = w->content;
    struct record record = { .w = w, .bytes = pc_alloc_buffer(c->mem, RECORD_ROOM) };
    bool features = false, unwind = false;
    if (!record.bytes) {
        pc_writer_no_memory(w);
        return;
    }
    pc_writer_bytes(w, pc_magic(pc_writer_order(w)).ptr, 8);
    pc_writer_uint(w, 8, PC_PIPE_HEADER_SIZE);
    for (size_t i = 0; i < c->nr_attrs; i++)
        put_header_attr(w, i);
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        const struct pc_feature_info *info = pc_feature_info(bit);
        if (bit == PC_COMPRESSED_FEATURE && w->packs)
            put_header_compression(w);
        else if (!pc_bit(c->parts.present, bit) || (info && (info->flags & PC_NEEDS_FILE)))
            continue;
        else if (bit != PC_DEBUG_UNWIND && bit != PC_DEBUG_UNWIND_FILE)
            put_header_feature(&record, bit, make_record(&record, bit));
        else if (!unwind)
            put_unwind(&record);
        unwind |= bit == PC_DEBUG_UNWIND || bit == PC_DEBUG_UNWIND_FILE;
        features = true;
    }
    if (features) {
        pc_writer_record_head(w, PC_HEADER_FEATURE, 0, PC_FEATURE_HEAD);
        pc_writer_uint(w, 8, end_mark(c));
    }
    if (pc_bit(c->parts.present, PC_TRACING_DATA) && c->trace_rest)
        pc_writer_leave_out_for(w, PC_TRACING_DATA,
                                "bytes after the trace data, for which a pipe has no place");
    if (pc_bit(c->parts.present, PC_TRACING_DATA))
        put_tracing_data(w);
    if (pc_bit(c->parts.present, PC_BUILD_ID) && c->build_ids_old)
        pc_writer_leave_out_for(w, PC_BUILD_ID,
                                "build ids in the layout of perf 2.6.33, which a pipe does not have");
    record.len = 0;
    if (pc_bit(c->parts.present, PC_BUILD_ID) && !w->failed)
        w->failed |= !pc_content_feature(c, PC_BUILD_ID, take_build_ids, &record);
    pc_free(c->mem, record.bytes, RECORD_ROOM);
}

/* SPDX-License-Identifier: MIT */
#include "write/writer.h"

#include "bytes/cursor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The number in the end mark is the HEADER_LAST_FEATURE of its writer, and perf report refuses one that is
 * larger than its own. So pipes whose attrs are older than those of 7.2 get that of 6.1 and 6.12, which 7.2
 * reads too; that of 5.10 is a feature to 6.1 and 6.12 (FORMAT.md 6.3). */
static uint64_t end_mark(const struct pc_content *c)
{
    const uint64_t attr_size = 136;
    uint64_t highest = 0;
    if (c->reader)
        return c->reader->feature + 1u;
    for (uint64_t bit = 0; bit < PC_FEATURES; bit++) {
        const struct pc_feature_info *info = pc_feature_info(bit);
        if (pc_bit(c->present, bit) && !(info && (info->flags & PC_NEEDS_FILE)))
            highest = bit;
    }
    if (c->own.attr_size <= attr_size && highest < PC_CPU_DOMAIN_INFO)
        return PC_CPU_DOMAIN_INFO;
    return PC_FEATURES;
}

void pc_writer_init(struct pc_writer *w, struct pc_content *content, struct pc_sink *sink,
                    enum pc_container container)
{
    memset(w, 0, sizeof(*w));
    w->content = content;
    w->sink = w->to = sink;
    w->container = container;
    w->scratch.fd = w->scratch.folder = w->index.fd = w->index.folder = -1;
}

void pc_writer_clear(struct pc_writer *w)
{
    if (w->packs)
        pc_pack_clear(&w->pack);
    pc_sink_discard(&w->scratch);
    pc_sink_discard(&w->index);
}

void pc_writer_compress(struct pc_writer *w, enum pc_compression compression, int level)
{
    w->compression = compression;
    w->level = level;
}

static enum pc_order order_of(const struct pc_writer *w)
{
    return w->content->own.to;
}

/* The first error of any of the files is that of the output. */
static void fail(struct pc_writer *w, int error)
{
    if (w->sink->error == 0)
        w->sink->error = error;
}

static void put(struct pc_writer *w, const void *bytes, size_t n)
{
    pc_sink_put(w->to, bytes, n);
}

static void put_uint(struct pc_writer *w, unsigned width, uint64_t value)
{
    unsigned char bytes[8];
    pc_store(bytes, width, value, order_of(w));
    put(w, bytes, width);
}

static void put_zeros(struct pc_writer *w, uint64_t n)
{
    static const unsigned char zeros[64];
    for (; n > sizeof(zeros); n -= sizeof(zeros))
        put(w, zeros, sizeof(zeros));
    put(w, zeros, (size_t)n);
}

static void take_feature(void *ctx, const unsigned char *bytes, size_t n)
{
    struct pc_writer *w = ctx;
    w->feature_size += n;
    put(w, bytes, n);
}

static void say_no_memory(struct pc_writer *w)
{
    pc_content_no_memory(w->content);
    w->failed = true;
}

/* Puts the content of a feature; returns its size. */
static uint64_t put_feature(struct pc_writer *w, uint64_t bit)
{
    w->feature_size = 0;
    if (!pc_content_feature(w->content, bit, take_feature, w))
        say_no_memory(w);
    return w->feature_size;
}

static void put_record_head(struct pc_writer *w, uint32_t type, uint16_t misc, uint64_t size)
{
    assert(size <= PC_RECORD_SIZE_MAX);
    put_uint(w, 4, type);
    put_uint(w, 2, misc);
    put_uint(w, 2, size);
}

static void put_attr(struct pc_writer *w, size_t i)
{
    struct pc_span attr = pc_content_attr(w->content, i);
    put(w, attr.ptr, attr.len);
}

static void put_ids(struct pc_writer *w, const struct pc_content_attr *a)
{
    for (size_t k = 0; k < a->nr_ids; k++)
        put_uint(w, 8, w->content->ids[a->ids + k]);
}

/* --- compression --- */

/* What perf record writes into the feature by default; more than PC_PACK_CHUNK, which is the most that comes
 * out of one record. */
#define MMAP_LEN 528384

static uint64_t mmap_len(const struct pc_writer *w)
{
    uint64_t own = w->content->scan->capture.mmap_len;
    return own > MMAP_LEN ? own : MMAP_LEN;
}

/* The feature COMPRESSED. ratio: 0 in a pipe, whose writer does not know it yet. */
static void put_compression(struct pc_writer *w, uint64_t ratio)
{
    put_uint(w, 4, 0); /* version */
    put_uint(w, 4, PC_COMPRESSION_ZSTD);
    put_uint(w, 4, (uint64_t)w->pack.deflate.level);
    put_uint(w, 4, ratio);
    put_uint(w, 4, mmap_len(w));
}

/* The form of the records that hold others: that of the capture, as more readers know COMPRESSED. */
static uint32_t packed_type(const struct pc_writer *w)
{
    const struct pc_content *c = w->content;
    bool old_reader = c->reader && c->reader->user_type < PC_COMPRESSED2;
    return old_reader ? PC_COMPRESSED : c->compressed ? c->compressed : PC_COMPRESSED2;
}

/* Compresses from here on when that is asked for, or the capture says that it does. */
static void begin_packing(struct pc_writer *w)
{
    const struct pc_capture *capture = &w->content->scan->capture;
    int level = w->level;
    if (w->packs || w->plain || w->compression == PC_COMPRESSION_NONE)
        return;
    if (w->compression == PC_COMPRESSION_KEEP) {
        if (capture->compression != PC_COMPRESSION_ZSTD || capture->mmap_len == 0)
            return;
        level = capture->level > PC_DEFLATE_LEVELS ? PC_DEFLATE_LEVELS : (int)capture->level;
        level = level == 0 ? 1 : level;
    }
    w->packs = true;
    pc_pack_init(&w->pack, w->content->mem, w->sink, order_of(w), packed_type(w), level);
}

/* Whether a record shows that recording has begun. What perf makes up before that it does not compress;
 * perf before 6.0 marks the end of it by nothing. */
static bool is_recorded(uint32_t type)
{
    switch (type) {
    case PC_MMAP:
    case PC_MMAP2:
    case PC_COMM:
    case PC_FORK:
    case PC_NAMESPACES:
    case PC_KSYMBOL:
    case PC_BPF_EVENT:
    case PC_CGROUP:
        return false;
    case PC_FINISHED_ROUND:
    case PC_FINISHED_INIT:
        return true;
    default:
        return pc_is_kernel_type(type);
    }
}

/* Takes a record to be compressed; false: it is put as it is. */
static bool pack(struct pc_writer *w, const struct pc_content_item *item)
{
    if (item->kind == PC_CONTENT_RECORD) {
        if (!w->recording)
            w->recording = is_recorded(item->type);
        if (w->recording && pc_is_kernel_type(item->type)) {
            begin_packing(w);
            w->plain |= !w->packs;
            if (w->packs && w->pack.out == 0) /* LOST_SAMPLES may come before the first compressed record */
                w->pack.type = packed_type(w);
            if (w->packs)
                pc_pack_put(&w->pack, item->bytes);
            return w->packs;
        }
    }
    if (w->packs)
        pc_pack_flush(&w->pack);
    return false;
}

/* Where nothing could be compressed there is no compression. */
static void end_packing(struct pc_writer *w)
{
    if (w->compression == PC_COMPRESSION_KEEP && w->plain && w->content->compressed) {
        struct pc_finding f = { .id = PC_D_REWRITE_COMPRESSED, .place = PC_AT_END };
        pc_content_refuse(w->content, &f, NULL);
    }
    if (!w->packs)
        return;
    pc_pack_flush(&w->pack);
    if (w->pack.failed)
        say_no_memory(w);
    w->packs = w->pack.in != 0;
}

/* --- a file --- */

static void put_file_front(struct pc_writer *w)
{
    const struct pc_content *c = w->content;
    uint64_t ids_at = PC_FILE_HEADER_SIZE;
    put_zeros(w, PC_FILE_HEADER_SIZE); /* written when all is known */
    for (size_t i = 0; i < c->nr_attrs; i++)
        put_ids(w, &c->attr[i]);
    for (size_t i = 0; i < c->nr_attrs; i++) {
        put_attr(w, i);
        put_uint(w, 8, ids_at);
        put_uint(w, 8, 8 * c->attr[i].nr_ids);
        ids_at += 8 * c->attr[i].nr_ids;
    }
}

static bool has_branch_stack(const struct pc_content *c)
{
    const struct pc_capture *capture = &c->scan->capture;
    for (size_t i = 0; i < capture->nr_attrs; i++) {
        if (pc_attr_get(&capture->attr[i], PC_ATTR_SAMPLE_TYPE) & PC_S_BRANCH_STACK)
            return true;
    }
    return false;
}

static void put_index(struct pc_writer *w)
{
    unsigned char at[8];
    put_uint(w, 8, w->nr_index);
    for (uint64_t i = 0; i < w->nr_index; i++) {
        if (!pc_sink_get(&w->index, 8 * i, at, sizeof(at)))
            return;
        put_uint(w, 8, w->head + pc_load(at, 8, PC_LITTLE));
        put_uint(w, 8, pc_record_info(PC_AUXTRACE)->min);
    }
}

/* The header with its bitmap, from the table that the rows of the header describe. */
struct header_walk {
    struct pc_writer *w;
    const uint64_t *value, *bits;
    unsigned char *out;
};

static bool header_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct header_walk *h = ctx;
    enum pc_order order = order_of(h->w);
    if (leaf->field->save == PC_HEAD_FEATURES) {
        for (size_t i = 0; i < PC_FEATURE_BITS / 64; i++)
            pc_store(h->out + leaf->at + 8 * i, 8, h->bits[i], order);
    } else if (leaf->field->save) {
        pc_store(h->out + leaf->at, leaf->field->width, h->value[leaf->field->save - PC_HEAD_SIZE], order);
    } else {
        memcpy(h->out, order == PC_BIG ? PC_MAGIC_BIG : PC_MAGIC_LITTLE, 8);
    }
    return true;
}

static void write_file_header(struct pc_writer *w, uint64_t data_size, const uint64_t *bits)
{
    static const unsigned char zeros[PC_FILE_HEADER_SIZE];
    const struct pc_content *c = w->content;
    unsigned char out[PC_FILE_HEADER_SIZE];
    uint64_t entry = c->own.attr_size + PC_SECTION_SIZE;
    uint64_t value[] = { PC_FILE_HEADER_SIZE,
                         entry,
                         PC_FILE_HEADER_SIZE + 8 * c->nr_ids,
                         entry * c->nr_attrs,
                         w->head,
                         data_size,
                         0,
                         0 };
    struct header_walk h = { w, value, bits, out };
    struct pc_cursor in = pc_cursor((struct pc_span){ zeros, sizeof(zeros) }, order_of(w));
    struct pc_walk walk;
    static_assert(PC_COUNT_OF(value) == PC_HEAD_FEATURES - PC_HEAD_SIZE, "a value for each word");
    pc_walk_init(&walk, NULL, &in, header_visit, &h);
    pc_walk_table(&walk, pc_file_header);
    pc_sink_put_at(w->sink, 0, out, sizeof(out));
}

/* A feature has no place in the container: it is left out, or that was said. */
static void leave_out(struct pc_writer *w, uint64_t bit, enum pc_diag id, struct pc_value seen)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    struct pc_finding f = { .id = id, .place = PC_IN_FEATURE, .number = bit, .seen = seen };
    char option[64];
    f.subject = info ? info->name : NULL;
    pc_content_name_feature(bit, option, sizeof(option));
    if (pc_content_refuse(w->content, &f, option))
        pc_content_forget(w->content, bit);
    else
        w->failed = true;
}

/* The same with a reason. */
static void leave_out_for(struct pc_writer *w, uint64_t bit, const char *why)
{
    leave_out(w, bit, PC_D_REWRITE_FEATURE, pc_text_value(why));
}

/* Readers take the bitmap of a big-endian file for that of a 32-bit machine when it has features that they do
 * not know, and no HOSTNAME (header.c: perf_file_header__read). */
static void leave_out_unreadable(struct pc_writer *w)
{
    const uint64_t *present = w->content->present;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (pc_bit(present, bit) && !pc_feature_info(bit) && order_of(w) == PC_BIG &&
            !pc_bit(present, PC_HOSTNAME))
            leave_out_for(w, bit, "an unknown feature in a big-endian file without HOSTNAME");
    }
}

/* A file that says it is of perf stat, which readers go by (tools/perf/util/session.c: perf_session__open).
 */
static bool has_stat_mark(const struct pc_content *c)
{
    return pc_bit(c->scan->capture.features, PC_STAT_FEATURE);
}

static void put_file_end(struct pc_writer *w)
{
    struct pc_content *c = w->content;
    uint64_t bits[PC_FEATURE_BITS / 64], data_size = w->sink->size - w->head, slots = 0;
    uint64_t table = w->sink->size;
    leave_out_unreadable(w);
    memcpy(bits, c->present, sizeof(bits));
    if (data_size == 0 && pc_any_feature(bits)) {
        struct pc_finding f = { .id = PC_D_REWRITE_EMPTY, .place = PC_AT_END };
        w->failed |= !pc_content_refuse(c, &f, NULL);
        return;
    }
    if (data_size != 0 && has_branch_stack(c))
        pc_set_bit(bits, PC_BRANCH_STACK);
    if (c->has_stat || (data_size != 0 && has_stat_mark(c)))
        pc_set_bit(bits, PC_STAT_FEATURE);
    if (c->has_auxtrace)
        pc_set_bit(bits, PC_AUXTRACE_INDEX);
    if (w->packs)
        pc_set_bit(bits, PC_COMPRESSED_FEATURE);
    for (size_t i = 0; i < PC_COUNT_OF(bits); i++)
        slots += (uint64_t)__builtin_popcountll(bits[i]);
    put_zeros(w, slots * PC_SECTION_SIZE);
    uint64_t slot = 0;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        unsigned char section[PC_SECTION_SIZE];
        if (!pc_bit(bits, bit))
            continue;
        uint64_t start = w->sink->size;
        if (bit == PC_AUXTRACE_INDEX)
            put_index(w);
        else if (bit == PC_COMPRESSED_FEATURE) /* the ratio is rounded */
            put_compression(w, (2 * w->pack.in + w->pack.out) / (2 * w->pack.out));
        else if (!pc_is_derived_feature(bit))
            put_feature(w, bit);
        pc_store(section, 8, start, order_of(w));
        pc_store(section + 8, 8, w->sink->size - start, order_of(w));
        pc_sink_put_at(w->sink, table + PC_SECTION_SIZE * slot++, section, sizeof(section));
    }
    write_file_header(w, data_size, bits);
}

/* --- a pipe: in the order of tools/perf/util/synthetic-events.c: perf_event__synthesize_for_pipe --- */

static void put_header_attr(struct pc_writer *w, size_t i)
{
    const struct pc_content_attr *a = &w->content->attr[i];
    uint64_t size = PC_RECORD_HEADER_SIZE + w->content->own.attr_size + 8 * (uint64_t)a->nr_ids;
    if (size > PC_RECORD_SIZE_MAX) {
        struct pc_finding f = { .id = PC_D_REWRITE_ATTR_TOO_LARGE, .place = PC_IN_ATTR, .number = i };
        f.offset = a->offset;
        f.seen = pc_uint_value(size);
        w->failed |= !pc_content_refuse(w->content, &f, NULL);
        return;
    }
    put_record_head(w, PC_HEADER_ATTR, 0, size);
    put_attr(w, i);
    put_ids(w, a);
}

static void put_header_feature(struct pc_writer *w, uint64_t bit)
{
    const struct pc_version_knows *reader = w->content->reader;
    const struct pc_value none = { 0 };
    uint64_t size = PC_RECORD_HEADER_SIZE + 8 + pc_content_size(w->content, bit);
    bool empty = size == PC_RECORD_HEADER_SIZE + 8; /* would be the end of the features */
    if (reader && bit > reader->feature && pc_feature_info(bit)) {
        leave_out(w, bit, PC_D_REWRITE_FOR_FEATURE, none);
        return;
    }
    if (empty || size > PC_RECORD_SIZE_MAX) {
        leave_out(w, bit, PC_D_REWRITE_TOO_LARGE, pc_uint_value(empty ? UINT64_MAX : size));
        return;
    }
    put_record_head(w, PC_HEADER_FEATURE, 0, size);
    put_uint(w, 8, bit);
    put_feature(w, bit);
}

static void put_header_compression(struct pc_writer *w)
{
    put_record_head(w, PC_HEADER_FEATURE, 0, PC_RECORD_HEADER_SIZE + 8 + 20);
    put_uint(w, 8, PC_COMPRESSED_FEATURE);
    put_compression(w, 0);
}

/* Without the 4 bytes of padding that perf has since 6.1: perf reads both forms, other readers only this one
 * (hotspot, perfparser, quipper). What follows is then off the grid of 8 bytes. */
static void put_tracing_data(struct pc_writer *w)
{
    uint64_t size = w->content->size[PC_TRACING_DATA];
    put_record_head(w, PC_HEADER_TRACING_DATA, 0, PC_RECORD_HEADER_SIZE + 4);
    put_uint(w, 4, pc_align8(size));
    put_feature(w, PC_TRACING_DATA);
    put_zeros(w, pc_align8(size) - size);
}

/* Entries are records of another type. Theirs end with a name padded to 8 behind 36 bytes, which quipper
 * wants of a record too; the record is then padded to 8 itself. */
struct build_ids {
    struct pc_writer *w;
    unsigned char *entry; /* BUILD_ID_ROOM bytes */
    size_t len;
};

#define BUILD_ID_ROOM (PC_RECORD_SIZE_MAX + 1)

static void take_build_ids(void *ctx, const unsigned char *bytes, size_t n)
{
    struct build_ids *b = ctx;
    enum pc_order order = order_of(b->w);
    const size_t misc_at = 4, size_at = 6;
    while (n != 0) {
        size_t wanted = b->len < PC_RECORD_HEADER_SIZE ? PC_RECORD_HEADER_SIZE
                                                       : (size_t)pc_load(b->entry + size_at, 2, order);
        size_t more = wanted - b->len < n ? wanted - b->len : n;
        memcpy(b->entry + b->len, bytes, more);
        b->len += more;
        bytes += more;
        n -= more;
        if (b->len < PC_RECORD_HEADER_SIZE || b->len < (size_t)pc_load(b->entry + size_at, 2, order))
            continue;
        size_t size = (size_t)pc_align8(b->len);
        put_record_head(b->w, PC_HEADER_BUILD_ID, (uint16_t)pc_load(b->entry + misc_at, 2, order), size);
        put(b->w, b->entry + PC_RECORD_HEADER_SIZE, b->len - PC_RECORD_HEADER_SIZE);
        put_zeros(b->w, size - b->len);
        b->len = 0;
    }
}

static void put_build_ids(struct pc_writer *w)
{
    struct pc_mem *mem = w->content->mem;
    struct build_ids b = { .w = w, .entry = pc_alloc_buffer(mem, BUILD_ID_ROOM) };
    if (!b.entry)
        say_no_memory(w);
    else if (!pc_content_feature(w->content, PC_BUILD_ID, take_build_ids, &b))
        w->failed = true;
    pc_free(mem, b.entry, BUILD_ID_ROOM);
}

static void put_pipe_front(struct pc_writer *w)
{
    struct pc_content *c = w->content;
    bool features = false;
    put(w, order_of(w) == PC_BIG ? PC_MAGIC_BIG : PC_MAGIC_LITTLE, 8);
    put_uint(w, 8, PC_PIPE_HEADER_SIZE);
    for (size_t i = 0; i < c->nr_attrs; i++)
        put_header_attr(w, i);
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        const struct pc_feature_info *info = pc_feature_info(bit);
        if (bit == PC_COMPRESSED_FEATURE && w->packs)
            put_header_compression(w);
        else if (pc_bit(c->present, bit) && !(info && (info->flags & PC_NEEDS_FILE)))
            put_header_feature(w, bit);
        else
            continue;
        features = true;
    }
    if (features) {
        put_record_head(w, PC_HEADER_FEATURE, 0, PC_RECORD_HEADER_SIZE + 8);
        put_uint(w, 8, end_mark(c));
    }
    if (pc_bit(c->present, PC_TRACING_DATA) && c->trace_rest)
        leave_out_for(w, PC_TRACING_DATA, "bytes behind the trace data, for which a pipe has no place");
    if (pc_bit(c->present, PC_TRACING_DATA))
        put_tracing_data(w);
    if (pc_bit(c->present, PC_BUILD_ID) && c->build_ids_old)
        leave_out_for(w, PC_BUILD_ID, "build ids in the layout of perf 2.6.33, which a pipe does not have");
    if (pc_bit(c->present, PC_BUILD_ID) && !w->failed)
        put_build_ids(w);
}

/* --- both --- */

/* What stands in front of the records, as far as it is known; into w->to. */
static void put_front(struct pc_writer *w)
{
    struct pc_content *c = w->content;
    w->changes = c->changes;
    w->front_packs = w->packs ? mmap_len(w) : 0;
    c->own.attr_size = pc_content_attr_size(c);
    if (w->container == PC_CONTAINER_FILE)
        put_file_front(w);
    else
        put_pipe_front(w);
}

static void begin(struct pc_writer *w)
{
    w->begun = true;
    begin_packing(w);
    put_front(w);
    w->head = w->sink->size;
}

/* Attrs or features came behind records: puts the front anew, which may have another size. */
static void renew_front(struct pc_writer *w)
{
    unsigned char chunk[4096];
    int error = pc_sink_scratch(&w->scratch, w->content->mem, w->sink);
    if (error) {
        fail(w, error);
        return;
    }
    w->to = &w->scratch;
    put_front(w);
    w->to = w->sink;
    if (w->scratch.size != w->head)
        pc_sink_move(w->sink, w->head, w->scratch.size);
    for (uint64_t at = 0; at < w->scratch.size;) {
        size_t n = w->scratch.size - at < sizeof(chunk) ? (size_t)(w->scratch.size - at) : sizeof(chunk);
        if (!pc_sink_get(&w->scratch, at, chunk, n))
            break;
        pc_sink_put_at(w->sink, at, chunk, n);
        at += n;
    }
    w->head = w->scratch.size;
    if (w->scratch.error)
        fail(w, w->scratch.error);
}

void pc_writer_put(struct pc_writer *w, const struct pc_content_item *item)
{
    /* Rounds of one stream say nothing of others; without them perf sorts the whole. */
    if (item->type == PC_FINISHED_ROUND && w->content->scan->capture.dir_version != 0)
        return;
    if (!w->begun)
        begin(w);
    if (pack(w, item))
        return;
    if (item->kind == PC_CONTENT_RECORD && item->type == PC_AUXTRACE && w->container == PC_CONTAINER_FILE) {
        unsigned char at[8];
        int error = w->index.mem ? 0 : pc_sink_scratch(&w->index, w->content->mem, w->sink);
        if (error)
            fail(w, error);
        pc_store(at, 8, w->sink->size - w->head, PC_LITTLE);
        pc_sink_put(&w->index, at, sizeof(at));
        w->nr_index++;
    }
    put(w, item->bytes.ptr, item->bytes.len);
    if (item->type == PC_FINISHED_ROUND && w->sink->stream) /* a reader need not wait for more */
        pc_sink_flush(w->sink);
}

bool pc_writer_end(struct pc_writer *w)
{
    if (!w->begun)
        begin(w);
    end_packing(w);
    if (w->changes != w->content->changes || w->front_packs != (w->packs ? mmap_len(w) : 0))
        renew_front(w);
    if (w->container == PC_CONTAINER_FILE && !w->failed)
        put_file_end(w);
    else if (w->container == PC_CONTAINER_PIPE && has_stat_mark(w->content) && !w->content->has_stat)
        leave_out_for(w, PC_STAT_FEATURE,
                      "in a pipe it follows from records of perf stat, and there are none");
    if (w->content->store.error || w->index.error)
        fail(w, w->content->store.error ? w->content->store.error : w->index.error);
    return !w->failed && w->sink->error == 0 && pc_content_is_whole(w->content);
}

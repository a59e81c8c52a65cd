/* SPDX-License-Identifier: MIT */
#include "write/writer.h"

#include "bytes/cursor.h"
#include "check/flow.h"
#include "write/writer_parts.h"

#include <string.h>

void pc_writer_init(struct pc_writer *w, struct pc_content *content, struct pc_sink *sink,
                    enum pc_container container)
{
    memset(w, 0, sizeof(*w));
    w->content = content;
    w->sink = w->to = sink;
    w->container = container;
    w->scratch.target = w->index.target = PC_TARGET_CLOSED;
}

void pc_writer_clear(struct pc_writer *w)
{
    if (w->packs)
        pc_pack_clear(&w->pack);
    pc_sink_discard(&w->scratch);
    pc_sink_discard(&w->index);
}

/* The first error of any of the files is that of the output. */
static void fail(struct pc_writer *w, int error)
{
    if (w->sink->error == 0)
        w->sink->error = error;
}

/* --- compression --- */

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
    pc_pack_init(&w->pack, w->content->mem, w->sink, pc_writer_order(w), packed_type(w), level);
}

/* Whether a record shows that recording has begun. What perf makes up before that it does not compress;
 * perf before 6.0 marks the end of it by nothing. */
static bool is_recorded(uint32_t type)
{
    return pc_is_kernel_type(type) ? !pc_record_is(type, PC_SYNTHESIZED) : pc_record_is(type, PC_ENDS_SETUP);
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
        pc_writer_no_memory(w);
    w->packs = w->pack.in != 0;
}

/* --- both containers --- */

/* What precedes the records, as far as it is known; into w->to. */
static void put_front(struct pc_writer *w)
{
    struct pc_content *c = w->content;
    w->changes = c->changes;
    w->front_packs = w->packs ? pc_writer_mmap_len(w) : 0;
    c->own.attr_size = pc_content_attr_size(c);
    if (w->container == PC_CONTAINER_FILE)
        pc_writer_file_front(w);
    else
        pc_writer_pipe_front(w);
}

/* E_MACHINE, which is newer than many perfs, says whether CPUID is of x86. */
static void leave_out_cpuid(struct pc_writer *w)
{
    struct pc_content *c = w->content;
    if (w->failed || !pc_bit(c->parts.present, PC_CPUID) || !pc_edit_lacks(c, PC_E_MACHINE) ||
        !pc_edit_misreads_cpuid(&c->scan->capture))
        return;
    pc_writer_leave_out_for(w, PC_CPUID, "without E_MACHINE, perf reads it as one of x86, which it is not");
    c->changes += !w->failed;
}

static void begin(struct pc_writer *w)
{
    w->begun = true;
    leave_out_cpuid(w);
    begin_packing(w);
    put_front(w);
    w->head = w->sink->size;
}

/* Attrs or features came after records: puts the front anew, which may have another size. */
static void renew_front(struct pc_writer *w)
{
    unsigned char chunk[4096];
    pc_sink_scratch(&w->scratch, w->content->mem, w->sink); /* without memory it takes nothing */
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
    /* Rounds of one stream mean nothing for others. Without them perf sorts the whole. */
    if (item->type == PC_FINISHED_ROUND && w->content->scan->capture.dir_version != 0)
        return;
    if (!w->begun)
        begin(w);
    if (pack(w, item))
        return;
    if (item->kind == PC_CONTENT_RECORD && item->type == PC_AUXTRACE)
        w->payload_at = w->sink->size;
    if (item->kind == PC_CONTENT_RECORD && item->type == PC_AUXTRACE && w->container == PC_CONTAINER_FILE) {
        unsigned char entry[PC_WRITER_ENTRY];
        int error = w->index.mem ? 0 : pc_sink_scratch(&w->index, w->content->mem, w->sink);
        if (error)
            fail(w, error);
        pc_store(entry, 8, w->sink->size - w->head, PC_LITTLE);
        pc_store(entry + 8, 8, item->bytes.len, PC_LITTLE);
        pc_sink_put(&w->index, entry, sizeof(entry));
        w->nr_index++;
    }
    pc_writer_bytes(w, item->bytes.ptr, item->bytes.len);
    if (item->type == PC_FINISHED_ROUND && w->sink->stream) /* a reader need not wait for more */
        pc_sink_flush(w->sink);
}

void pc_writer_take_back(struct pc_writer *w)
{
    pc_sink_move(w->sink, w->sink->size, w->payload_at);
    if (w->nr_index != 0)
        w->nr_index--;
}

bool pc_writer_end(struct pc_writer *w)
{
    if (!w->begun)
        begin(w);
    leave_out_cpuid(w);
    end_packing(w);
    if (w->changes != w->content->changes || w->front_packs != (w->packs ? pc_writer_mmap_len(w) : 0))
        renew_front(w);
    if (w->container == PC_CONTAINER_FILE && !w->failed)
        pc_writer_file_end(w);
    else if (w->container == PC_CONTAINER_PIPE && pc_writer_has_stat_mark(w->content) &&
             !w->content->has_stat)
        pc_writer_leave_out_for(w, PC_STAT_FEATURE,
                                "in a pipe it follows from records of perf stat, and there are none");
    if (w->content->store.error || w->index.error)
        fail(w, w->content->store.error ? w->content->store.error : w->index.error);
    return !w->failed && w->sink->error == 0 && pc_content_is_whole(w->content);
}

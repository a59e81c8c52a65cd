/* SPDX-License-Identifier: MIT
 *
 * The canonical file: header, ids, attrs, then records, then features with their table.
 */
#include "write/writer_parts.h"

#include "bytes/cursor.h"
#include "write/content_parts.h"
#include "write/make.h"
#include "write/salvage.h"

#include <string.h>

/* Makes an entry of the feature table, or that for the ids of an attr. */
static void make_section(const struct pc_writer *w, uint64_t offset, uint64_t size, unsigned char *out)
{
    struct pc_make make = { .order = pc_writer_order(w), .out = out };
    make.slot[PC_SLOT_F0] = offset;
    make.slot[PC_SLOT_F0 + 1] = size;
    pc_make_table(&make, pc_section);
}

void pc_writer_file_front(struct pc_writer *w)
{
    const struct pc_content *c = w->content;
    uint64_t ids_at = PC_FILE_HEADER_SIZE;
    unsigned char section[PC_SECTION_SIZE];
    pc_writer_zeros(w, PC_FILE_HEADER_SIZE); /* written when all is known */
    for (size_t i = 0; i < c->nr_attrs; i++)
        pc_writer_ids(w, &c->attr[i]);
    for (size_t i = 0; i < c->nr_attrs; i++) {
        pc_writer_attr(w, i);
        make_section(w, ids_at, 8 * c->attr[i].nr_ids, section);
        pc_writer_bytes(w, section, sizeof(section));
        ids_at += 8 * c->attr[i].nr_ids;
    }
}

static void put_index(struct pc_writer *w)
{
    unsigned char entry[PC_WRITER_ENTRY];
    pc_writer_uint(w, 8, w->nr_index);
    for (uint64_t i = 0; i < w->nr_index; i++) {
        if (!pc_sink_get(&w->index, sizeof(entry) * i, entry, sizeof(entry)))
            return;
        pc_writer_uint(w, 8, w->head + pc_load(entry, 8, PC_LITTLE));
        pc_writer_uint(w, 8, pc_load(entry + 8, 8, PC_LITTLE));
    }
}

static void write_file_header(struct pc_writer *w, uint64_t data_size, const uint64_t *bits)
{
    const struct pc_content *c = w->content;
    enum pc_order order = pc_writer_order(w);
    unsigned char out[PC_FILE_HEADER_SIZE], bitmap[PC_FEATURE_BITS / 8];
    struct pc_make make = { .order = order, .out = out };
    for (size_t i = 0; i < PC_FEATURE_BITS / 64; i++)
        pc_store(bitmap + 8 * i, 8, bits[i], order);
    make.bytes[PC_SLOT_NONE] = pc_magic(order);
    make.slot[PC_HEAD_SIZE] = PC_FILE_HEADER_SIZE;
    make.slot[PC_HEAD_ATTR_SIZE] = c->own.attr_size + PC_SECTION_SIZE;
    make.slot[PC_HEAD_ATTRS_OFFSET] = PC_FILE_HEADER_SIZE + 8 * c->nr_ids;
    make.slot[PC_HEAD_ATTRS_SIZE] = make.slot[PC_HEAD_ATTR_SIZE] * c->nr_attrs;
    make.slot[PC_HEAD_DATA_OFFSET] = w->head;
    make.slot[PC_HEAD_DATA_SIZE] = data_size;
    make.bytes[PC_HEAD_FEATURES] = (struct pc_span){ bitmap, sizeof(bitmap) };
    pc_make_table(&make, pc_file_header);
    pc_sink_put_at(w->sink, 0, out, make.len);
}

/* Whether EVENT_DESC lists fewer events than there are. */
static bool names_fewer(const struct pc_content *c)
{
    struct pc_cursor in =
        pc_cursor((struct pc_span){ c->event_desc, c->event_desc_len }, c->scan->capture.order);
    uint64_t nr = 0;
    return pc_peek(&in, pc_row_at(pc_event_desc, PC_EVENT_DESC_NR), 4, &nr) && nr < c->nr_attrs;
}

/* Readers take the bitmap of a big-endian file for that of a 32-bit machine when it has features that they do
 * not know, and no HOSTNAME (header.c: perf_file_header__read). */
static void leave_out_unreadable(struct pc_writer *w)
{
    const uint64_t *present = w->content->parts.present;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (pc_bit(present, bit) && !pc_feature_info(bit) && pc_writer_order(w) == PC_BIG &&
            !pc_bit(present, PC_HOSTNAME))
            pc_writer_leave_out_for(w, bit, "an unknown feature in a big-endian file without HOSTNAME");
        else if (pc_bit(present, bit) && pc_is_beyond_features(bit, w->content->scan->capture.by_simpleperf))
            pc_writer_leave_out_for(w, bit, "in a file, a feature with a number that no perf gives");
    }
    if (pc_bit(present, PC_EVENT_DESC) && names_fewer(w->content))
        pc_writer_leave_out_for(w, PC_EVENT_DESC, "in a file, a list of fewer events than there are");
}

/* perf opens no file with a tracepoint and no trace data; a pipe may count one. simpleperf opens it. */
static bool counts_tracepoint(const struct pc_writer *w)
{
    const struct pc_capture *capture = &w->content->scan->capture;
    bool any = false;
    if (!capture->is_pipe || w->content->salvage || capture->by_simpleperf ||
        pc_bit(capture->seen, PC_TRACING_DATA))
        return false;
    for (size_t i = 0; i < capture->nr_attrs; i++)
        any |= pc_attr_get(&capture->attr[i], PC_ATTR_TYPE) == PC_TYPE_TRACEPOINT;
    return any;
}

/* By this feature a perf of the other byte order recognises the bitmap; without it, it drops all others. An
 * empty name says nothing that is not true. */
static void make_lost_hostname(struct pc_writer *w)
{
    struct pc_content *c = w->content;
    const struct pc_item end = { .kind = PC_ITEM_END };
    unsigned char name[8];
    struct pc_make make = { .order = c->scan->capture.order, .out = name };
    if (!c->salvage || pc_writer_order(w) != PC_BIG || !pc_salvage_lost_feature(c->salvage, PC_HOSTNAME))
        return;
    make.bytes[PC_SLOT_NONE] = (struct pc_span){ (const unsigned char *)"", 1 };
    pc_make_table(&make, pc_feature_info(PC_HOSTNAME)->fields);
    pc_fold_made_feature(c, &end, PC_HOSTNAME, (struct pc_span){ name, make.len });
    pc_salvage_note_made(c->salvage, PC_HOSTNAME);
}

void pc_writer_file_end(struct pc_writer *w)
{
    struct pc_content *c = w->content;
    uint64_t bits[PC_FEATURE_BITS / 64], data_size = w->sink->size - w->head;
    uint64_t table = w->sink->size;
    make_lost_hostname(w);
    leave_out_unreadable(w);
    memcpy(bits, c->parts.present, sizeof(bits));
    if (data_size == 0) {
        struct pc_finding f = { .id = PC_D_REWRITE_EMPTY, .place = PC_AT_END };
        w->failed |= !pc_content_refuse(c, &f, NULL);
        return;
    }
    if (counts_tracepoint(w)) {
        struct pc_finding f = { .id = PC_D_REWRITE_COUNTS, .place = PC_AT_END };
        w->failed |= !pc_content_refuse(c, &f, NULL);
        return;
    }
    if (c->has_branches)
        pc_set_bit(bits, PC_BRANCH_STACK);
    if (c->has_stat || pc_writer_has_stat_mark(c))
        pc_set_bit(bits, PC_STAT_FEATURE);
    if (c->has_auxtrace)
        pc_set_bit(bits, PC_AUXTRACE_INDEX);
    if (w->packs)
        pc_set_bit(bits, PC_COMPRESSED_FEATURE);
    uint64_t slots = pc_count_features(bits);
    pc_writer_zeros(w, slots * PC_SECTION_SIZE);
    uint64_t slot = 0;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        unsigned char section[PC_SECTION_SIZE];
        if (!pc_bit(bits, bit))
            continue;
        uint64_t start = w->sink->size;
        if (bit == PC_AUXTRACE_INDEX)
            put_index(w);
        else if (bit == PC_COMPRESSED_FEATURE) /* the ratio is rounded */
            pc_writer_compression(w, (2 * w->pack.in + w->pack.out) / (2 * w->pack.out));
        else if (!pc_feature_is(bit, PC_DERIVED))
            pc_writer_feature(w, bit);
        make_section(w, start, w->sink->size - start, section);
        pc_sink_put_at(w->sink, table + PC_SECTION_SIZE * slot++, section, sizeof(section));
    }
    write_file_header(w, data_size, bits);
}

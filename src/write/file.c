/* SPDX-License-Identifier: MIT
 *
 * The canonical file: header, ids, attrs, then records, then features with their table.
 */
#include "write/file.h"

#include "bytes/cursor.h"
#include "write/put.h"

#include <string.h>

void pc_writer_file_front(struct pc_writer *w)
{
    const struct pc_content *c = w->content;
    uint64_t ids_at = PC_FILE_HEADER_SIZE;
    pc_writer_zeros(w, PC_FILE_HEADER_SIZE); /* written when all is known */
    for (size_t i = 0; i < c->nr_attrs; i++)
        pc_writer_ids(w, &c->attr[i]);
    for (size_t i = 0; i < c->nr_attrs; i++) {
        pc_writer_attr(w, i);
        pc_writer_uint(w, 8, ids_at);
        pc_writer_uint(w, 8, 8 * c->attr[i].nr_ids);
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
    pc_writer_uint(w, 8, w->nr_index);
    for (uint64_t i = 0; i < w->nr_index; i++) {
        if (!pc_sink_get(&w->index, 8 * i, at, sizeof(at)))
            return;
        pc_writer_uint(w, 8, w->head + pc_load(at, 8, PC_LITTLE));
        pc_writer_uint(w, 8, pc_record_info(PC_AUXTRACE)->min);
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
    enum pc_order order = pc_writer_order(h->w);
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
    struct pc_cursor in = pc_cursor((struct pc_span){ zeros, sizeof(zeros) }, pc_writer_order(w));
    struct pc_walk walk;
    static_assert(PC_COUNT_OF(value) == PC_HEAD_FEATURES - PC_HEAD_SIZE, "a value for each word");
    pc_walk_init(&walk, NULL, &in, header_visit, &h);
    pc_walk_table(&walk, pc_file_header);
    pc_sink_put_at(w->sink, 0, out, sizeof(out));
}

/* Readers take the bitmap of a big-endian file for that of a 32-bit machine when it has features that they do
 * not know, and no HOSTNAME (header.c: perf_file_header__read). */
static void leave_out_unreadable(struct pc_writer *w)
{
    const uint64_t *present = w->content->present;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (pc_bit(present, bit) && !pc_feature_info(bit) && pc_writer_order(w) == PC_BIG &&
            !pc_bit(present, PC_HOSTNAME))
            pc_writer_leave_out_for(w, bit, "an unknown feature in a big-endian file without HOSTNAME");
    }
}

void pc_writer_file_end(struct pc_writer *w)
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
    if (c->has_stat || (data_size != 0 && pc_writer_has_stat_mark(c)))
        pc_set_bit(bits, PC_STAT_FEATURE);
    if (c->has_auxtrace)
        pc_set_bit(bits, PC_AUXTRACE_INDEX);
    if (w->packs)
        pc_set_bit(bits, PC_COMPRESSED_FEATURE);
    for (size_t i = 0; i < PC_COUNT_OF(bits); i++)
        slots += (uint64_t)__builtin_popcountll(bits[i]);
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
        pc_store(section, 8, start, pc_writer_order(w));
        pc_store(section + 8, 8, w->sink->size - start, pc_writer_order(w));
        pc_sink_put_at(w->sink, table + PC_SECTION_SIZE * slot++, section, sizeof(section));
    }
    write_file_header(w, data_size, bits);
}

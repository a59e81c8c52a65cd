/* SPDX-License-Identifier: MIT */
#include "write/content_parts.h"
#include "write/salvage.h"
#include "bytes/cursor.h"

#include <string.h>

/* --- features --- */

/* Where the current feature came from. */
struct origin {
    const struct pc_item *item;
    uint64_t bit;
    size_t at; /* of the content in the item */
};

/* Bytes of a feature cannot be carried over, or (no reason) it is there already with another content. */
static void refuse_bytes(struct pc_content *c, const struct origin *from, uint64_t at, uint64_t len,
                         const char *reason)
{
    char option[64];
    const struct pc_context feature =
        pc_feature_context(from->bit, from->item->where, from->item->offset + from->at);
    enum pc_diag id = reason ? PC_D_REWRITE_FEATURE : PC_D_REWRITE_FEATURE_TWICE;
    pc_content_name_feature(from->bit, option, sizeof(option));
    pc_content_refuse_in(c, &feature, id, at, len, reason ? pc_text_value(reason) : pc_none, option);
}

/* The same of all of it. */
static void refuse_feature(struct pc_content *c, const struct origin *from, const char *reason)
{
    const struct pc_item *item = from->item;
    uint64_t size = item->kind == PC_ITEM_RECORD ? item->bytes.len - from->at : item->size;
    refuse_bytes(c, from, 0, size, reason);
}

static void put_store(void *ctx, const unsigned char *bytes, size_t n)
{
    struct pc_content *c = ctx;
    pc_sink_put(&c->store, bytes, n);
}

static void put_nowhere(void *ctx, const unsigned char *bytes, size_t n)
{
    (void)ctx;
    (void)bytes;
    (void)n;
}

static void put_hash(void *ctx, const unsigned char *bytes, size_t n)
{
    struct pc_content *c = ctx;
    pc_hash_put(&c->feature, bytes, n);
}

/* What was put into the store from `start` on is a part of the feature. */
static void add_piece(struct pc_content *c, uint64_t bit, uint64_t start)
{
    uint64_t size = c->store.size - start;
    struct pc_piece *last = c->nr_pieces ? &c->piece[c->nr_pieces - 1] : NULL;
    c->size[bit] += size;
    if (last && last->bit == bit && last->offset + last->size == start) {
        last->size += size;
        return;
    }
    if (!pc_content_grow(c, &c->piece, &c->cap_pieces, c->nr_pieces + 1, sizeof(*c->piece)))
        return;
    c->piece[c->nr_pieces++] = (struct pc_piece){ bit, start, size };
}

static bool open_store(struct pc_content *c)
{
    if (!c->stores)
        return false;
    if (c->store.mem)
        return c->store.error == 0;
    int error = pc_sink_scratch(&c->store, c->mem, c->beside);
    if (error)
        c->store.error = error;
    return error == 0;
}

uint64_t pc_content_attr_size(const struct pc_content *c)
{
    uint64_t size = c->attr_size ? c->attr_size : PC_ATTR_SIZE_KNOWN;
    while (size < PC_ATTR_SIZE_KNOWN && !pc_attr_size_known(size)) /* that of an entry is looked at */
        size++;
    return c->reader && c->reader->attr_size < size ? c->reader->attr_size : size;
}

/* Both forms of a feature: into the store, and its sum. EVENT_DESC is only looked at. */
static bool convert_feature(struct pc_content *c, const struct origin *from, struct pc_span content)
{
    enum pc_outcome outcome = PC_CONVERTED;
    struct pc_cursor in = pc_cursor(content, c->scan->capture.order);
    uint64_t attr_size = c->own.attr_size; /* of the copy, when it has been begun */
    if (from->bit == PC_EVENT_DESC) {
        pc_peek(&in, pc_row_at(pc_event_desc, PC_SLOT_B), 4, &c->own.attr_size);
        /* Unknown members do not make all attrs of a copy larger: see keep_event_desc. */
        if (c->stores && c->own.attr_size > c->attr_size && c->own.attr_size > PC_ATTR_SIZE_KNOWN)
            c->own.attr_size = pc_content_attr_size(c);
    }
    if (c->reader && c->own.attr_size > c->reader->attr_size)
        c->own.attr_size = c->reader->attr_size;
    if (from->bit == PC_EVENT_DESC || open_store(c))
        outcome = pc_convert_feature(&c->own, from->bit, content,
                                     from->bit == PC_EVENT_DESC ? put_nowhere : put_store, c);
    c->own.attr_size = attr_size;
    if (outcome == PC_CONVERTED) {
        pc_hash_init(&c->feature);
        outcome = pc_convert_feature(&c->little, from->bit, content, put_hash, c);
        c->trace_rest |= from->bit == PC_TRACING_DATA && c->little.rest != 0;
        if (outcome != PC_CONVERTED)
            c->own.refusal = c->little.refusal;
    }
    if (outcome == PC_CONVERT_NO_MEMORY)
        pc_content_no_memory(c);
    else if (outcome != PC_CONVERTED)
        refuse_bytes(c, from, c->own.refusal.at, c->own.refusal.len, c->own.refusal.reason);
    return outcome == PC_CONVERTED;
}

/* The feature is known with this sum, or was known before. True: it is new. */
static bool settle_feature(struct pc_content *c, const struct origin *from, struct pc_sum sum)
{
    uint64_t bit = from->bit;
    if (pc_bit(c->parts.present, bit)) {
        if (pc_sum_equal(&c->parts.feature[bit], &sum))
            return false;
        if (c->own.lenient) { /* nothing is written: both count */
            struct pc_hash both;
            pc_hash_init(&both);
            pc_hash_put(&both, c->parts.feature[bit].bytes, sizeof(sum.bytes));
            pc_hash_put(&both, sum.bytes, sizeof(sum.bytes));
            c->parts.feature[bit] = pc_hash_sum(&both);
        } else {
            refuse_feature(c, from, NULL);
        }
        return false;
    }
    pc_set_bit(c->parts.present, bit);
    c->parts.feature[bit] = sum;
    c->changes++;
    return true;
}

/* --- build ids: the section, then what records add --- */

/* Remembers an entry. False: it came before, or there is no memory. */
static bool is_new_build_id(struct pc_content *c, const struct pc_sum *sum)
{
    size_t before = c->seen_build_ids.nr;
    if (!pc_set_add(c->mem, &c->seen_build_ids, sum))
        pc_content_no_memory(c);
    return c->seen_build_ids.nr != before;
}

/* One entry, or a section of the oldest form as a whole. */
static void fold_build_id(struct pc_content *c, const struct origin *from, struct pc_span entry)
{
    uint64_t start = c->store.size;
    if (!convert_feature(c, from, entry))
        return;
    struct pc_sum sum = pc_hash_sum(&c->feature);
    if (!is_new_build_id(c, &sum))
        return;
    pc_hash_put(&c->build_ids, sum.bytes, sizeof(sum.bytes));
    c->parts.feature[PC_BUILD_ID] = pc_hash_sum(&c->build_ids);
    pc_set_bit(c->parts.present, PC_BUILD_ID);
    c->changes++;
    if (c->stores)
        add_piece(c, PC_BUILD_ID, start);
}

static void fold_build_ids(struct pc_content *c, struct origin *from, struct pc_span section)
{
    if (pc_build_ids_are_old(section)) {
        /* Canonical names have zeros after their NUL, where this layout has the text that tells it. */
        const size_t name = pc_build_id_name_at(true), told = pc_build_id_name_at(false);
        if (!c->own.lenient && memchr(section.ptr + name, 0, told - name)) {
            refuse_bytes(c, from, name, told - name,
                         "a name that ends before what shows the layout of 2.6.33");
            return;
        }
        c->build_ids_old = true;
        fold_build_id(c, from, section);
        return;
    }
    for (size_t at = 0; section.len - at >= PC_RECORD_HEADER_SIZE;) {
        size_t size = pc_load_head(section.ptr + at, c->scan->capture.order).size;
        if (size < PC_RECORD_HEADER_SIZE || size > section.len - at)
            return; /* which was reported */
        from->at = at;
        fold_build_id(c, from, pc_part(section, at, size));
        at += size;
    }
}

/* A record is an entry with another type, and perhaps a sample_id after the name. */
void pc_fold_header_build_id(struct pc_content *c, const struct pc_item *item)
{
    const enum pc_order order = c->scan->capture.order;
    struct origin from = { item, PC_BUILD_ID, 0 };
    unsigned char *entry = c->own.record;
    struct pc_walk walk;
    if (!pc_read_table(&walk, pc_record_info(item->type)->fields, pc_record_body(item->bytes, order)))
        return; /* which was reported */
    if (!entry && !(entry = c->own.record = pc_alloc(c->mem, PC_CONVERT_RECORD))) {
        pc_content_no_memory(c);
        return;
    }
    size_t size = walk.slot_at[PC_REC_NAME] + (size_t)walk.slot[PC_REC_NAME] + 1;
    if (c->build_ids_old && !c->own.lenient) {
        refuse_feature(c, &from, "a build id beside those in the layout of 2.6.33");
        return;
    }
    memcpy(entry, item->bytes.ptr, size);
    pc_store(entry + PC_RECORD_SIZE_AT, 2, size, order);
    fold_build_id(c, &from, (struct pc_span){ entry, size });
}

/* --- any feature --- */

static void keep_event_desc(struct pc_content *c, struct pc_span content)
{
    struct pc_cursor in = pc_cursor(content, c->scan->capture.order);
    uint64_t nr, size;
    c->event_desc = pc_alloc(c->mem, content.len);
    if (!c->event_desc) {
        pc_content_no_memory(c);
        return;
    }
    memcpy(c->event_desc, content.ptr, content.len);
    c->event_desc_len = content.len;
    /* Not a size that holds no attr, nor an unknown one that the attrs themselves do not have: then
     * what follows the known members is zero, or refused. */
    if (pc_uint(&in, 4, &nr) && nr != 0 && pc_uint(&in, 4, &size) && size > c->attr_size &&
        size >= PC_ATTR_SIZE_MIN && size <= PC_ATTR_SIZE_KNOWN)
        c->attr_size = pc_align8(size);
}

static void fold_feature(struct pc_content *c, struct origin *from, struct pc_span content)
{
    uint64_t bit = from->bit, start = c->store.size;
    if (pc_feature_is(bit, PC_DERIVED) || content.len == 0)
        return; /* what is empty says nothing, and would end the features of a pipe */
    if (bit == PC_BUILD_ID) {
        fold_build_ids(c, from, content);
        return;
    }
    if (!convert_feature(c, from, content) || !settle_feature(c, from, pc_hash_sum(&c->feature)))
        return;
    if (bit == PC_EVENT_DESC)
        keep_event_desc(c, content);
    else if (c->stores)
        add_piece(c, bit, start);
}

/* A section that no table explains, or that is not held, may be of any size. */
static void fold_long_section(struct pc_content *c, const struct origin *from)
{
    const struct pc_item *item = from->item;
    unsigned char chunk[4096];
    uint64_t start = c->store.size;
    bool zeros_only = c->own.to != c->scan->capture.order && !c->own.lenient && /* as in records */
                      !pc_feature_is(from->bit, PC_ANY_LENGTH);
    pc_hash_init(&c->feature);
    open_store(c);
    for (uint64_t at = 0; at < item->size;) {
        size_t n = item->size - at < sizeof(chunk) ? (size_t)(item->size - at) : sizeof(chunk);
        if (!pc_reader_look_whole(&c->scan->reader, item->offset + at, chunk, n))
            return;
        if (zeros_only && pc_first_nonzero((struct pc_span){ chunk, n }) != n) {
            refuse_feature(c, from, "a feature that no known version explains");
            return;
        }
        pc_hash_put(&c->feature, chunk, n);
        if (c->stores)
            pc_sink_put(&c->store, chunk, n);
        at += n;
    }
    if (settle_feature(c, from, pc_hash_sum(&c->feature)) && c->stores)
        add_piece(c, from->bit, start);
}

void pc_fold_section(struct pc_content *c, const struct pc_item *item)
{
    struct origin from = { item, item->number, 0 };
    const struct pc_feature_info *info = pc_feature_info(item->number);
    if (pc_edit_drops_feature(c, item->number, item->offset))
        return;
    const struct pc_scan *scan = c->scan;
    c->section_bytes = pc_add_saturated(c->section_bytes, item->size);
    uint64_t all = pc_add_saturated(c->section_bytes, pc_header_get(&scan->capture, PC_HEAD_DATA_SIZE));
    if (all > scan->reader.in->size && !c->own.lenient)
        refuse_feature(c, &from, "features share bytes of the file: the copy would be larger");
    else if (info && info->fields && pc_item_is_held(item))
        fold_feature(c, &from, item->bytes);
    else
        fold_long_section(c, &from); /* an empty one may be a flag */
}

void pc_fold_header_feature(struct pc_content *c, const struct pc_item *item)
{
    struct pc_cursor in = pc_record_body(item->bytes, c->scan->capture.order);
    struct origin from = { item, 0, PC_FEATURE_HEAD };
    if (!pc_uint(&in, 8, &from.bit))
        return;                             /* which was reported */
    const bool is_mark = pc_left(&in) == 0; /* the end of the features */
    if (!is_mark && pc_edit_drops_feature(c, from.bit, item->offset))
        return;
    if (from.bit >= PC_FEATURE_BITS) {
        if (!is_mark)
            refuse_feature(c, &from, "a feature of a number that no file has");
        return;
    }
    fold_feature(c, &from, pc_part(item->bytes, in.pos, pc_left(&in)));
}

void pc_fold_tracing_data(struct pc_content *c, const struct pc_item *item)
{
    struct origin from = { item, PC_TRACING_DATA, 0 };
    if (c->uncovered || (!c->own.lenient && pc_flow_has_payloads(&c->scan->check.flow) &&
                         !pc_bit(c->parts.present, PC_TRACING_DATA))) {
        /* Payloads before it were kept as they are; now they would be read by its formats. */
        refuse_feature(c, &from, "trace data after the samples that they describe");
        return;
    }
    fold_feature(c, &from, item->bytes);
}

void pc_content_drop(struct pc_content *c, uint64_t bit)
{
    c->parts.present[bit / 64] &= ~((uint64_t)1 << bit % 64);
    c->size[bit] = 0;
    for (size_t i = 0; i < c->nr_pieces; i++)
        c->piece[i].size = c->piece[i].bit == bit ? 0 : c->piece[i].size;
    if (bit == PC_TRACING_DATA)
        c->trace_rest = false;
}

bool pc_content_feature(struct pc_content *c, uint64_t bit, pc_take_bytes *take, void *ctx)
{
    unsigned char chunk[4096];
    if (bit == PC_EVENT_DESC) {
        struct pc_span raw = { c->event_desc, c->event_desc_len };
        return pc_convert_feature(&c->own, bit, raw, take, ctx) == PC_CONVERTED;
    }
    for (size_t i = 0; i < c->nr_pieces; i++) {
        const struct pc_piece *piece = &c->piece[i];
        for (uint64_t at = 0; piece->bit == bit && at < piece->size;) {
            size_t n = piece->size - at < sizeof(chunk) ? (size_t)(piece->size - at) : sizeof(chunk);
            if (!pc_sink_get(&c->store, piece->offset + at, chunk, n))
                return false;
            take(ctx, chunk, n);
            at += n;
        }
    }
    return true;
}

static void count_bytes(void *ctx, const unsigned char *bytes, size_t n)
{
    uint64_t *size = ctx;
    (void)bytes;
    *size += n;
}

uint64_t pc_content_size(struct pc_content *c, uint64_t bit)
{
    uint64_t size = 0;
    if (bit != PC_EVENT_DESC)
        return c->size[bit];
    return pc_content_feature(c, bit, count_bytes, &size) ? size : 0;
}

void pc_fold_made_feature(struct pc_content *c, const struct pc_item *item, uint64_t bit, struct pc_span made)
{
    struct origin from = { item, bit, 0 };
    made = pc_edit_feature(c, bit, made, item->offset);
    if (c->witness)
        pc_witness_made(c->witness, &c->scan->capture, bit, made,
                        c->salvage && c->salvage->refused[bit] != 0);
    fold_feature(c, &from, made);
}

void pc_fold_made_build_id(struct pc_content *c, const struct pc_item *item, struct pc_span entry)
{
    struct origin from = { item, PC_BUILD_ID, 0 };
    fold_build_id(c, &from, entry);
}

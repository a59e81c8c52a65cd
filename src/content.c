/* SPDX-License-Identifier: MIT */
#include "content.h"

#include "cursor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void pc_content_init(struct pc_content *c, struct pc_scan *scan, enum pc_order to, bool stores,
                     const struct pc_drops *drops)
{
    memset(c, 0, sizeof(*c));
    c->scan = scan;
    c->mem = &scan->mem;
    c->drops = drops;
    c->stores = stores;
    c->store.fd = c->store.folder = -1;
    pc_convert_init(&c->own, &scan->capture, to);
    pc_convert_init(&c->little, &scan->capture, PC_LITTLE);
    c->little.for_digest = c->little.lenient = true;
    pc_hash_init(&c->records);
    pc_hash_init(&c->build_ids);
}

void pc_content_set_order(struct pc_content *c, enum pc_order to)
{
    c->own.to = to;
}

void pc_content_clear(struct pc_content *c)
{
    struct pc_mem *mem = c->mem;
    pc_convert_clear(&c->own);
    pc_convert_clear(&c->little);
    pc_sink_discard(&c->store);
    pc_free(mem, c->attr_bytes, c->attr_cap);
    pc_free(mem, c->attr, c->cap_attrs * sizeof(*c->attr));
    pc_free(mem, c->ids, c->cap_ids * sizeof(*c->ids));
    pc_free(mem, c->piece, c->cap_pieces * sizeof(*c->piece));
    pc_free(mem, c->event_desc, c->event_desc_len);
    pc_free(mem, c->build_id, c->cap_build_ids * sizeof(*c->build_id));
    pc_free(mem, c->types, c->types_cap);
    pc_free(mem, c->blanked, c->blanked ? PC_CONVERT_RECORD : 0);
    c->attr_bytes = c->event_desc = c->types = NULL;
    c->attr = NULL;
    c->ids = NULL;
    c->piece = NULL;
    c->build_id = NULL;
    c->blanked = NULL;
}

/* --- what stands in the way --- */

static void say_no_memory(struct pc_content *c)
{
    if (c->scan->report.by_id[PC_D_OUT_OF_MEMORY] != 0)
        return;
    struct pc_finding f = { .id = PC_D_OUT_OF_MEMORY, .place = PC_AT_END, .number = PC_NO_INDEX };
    f.expected = pc_text_value("a copy was made");
    pc_report_add(&c->scan->report, &f);
}

static void say_store(struct pc_content *c)
{
    struct pc_finding f = { .id = PC_D_STORE_FAILED, .place = PC_AT_END, .number = PC_NO_INDEX };
    f.seen = pc_text_value(strerrordesc_np(c->store.error));
    pc_report_add(&c->scan->report, &f);
}

/* Room for n more elements. */
static bool grow(struct pc_content *c, void **array, size_t nr, size_t n, size_t *cap, size_t size)
{
    if (n <= *cap - nr && (*array || n == 0))
        return true;
    size_t wanted = *cap + *cap / 2 > nr + n ? *cap + *cap / 2 : nr + n;
    void *moved = pc_resize(c->mem, *array, *cap * size, wanted * size);
    if (!moved) {
        say_no_memory(c);
        return false;
    }
    *array = moved;
    *cap = wanted;
    return true;
}

static void count_loss(struct pc_content *c, const char *name, uint64_t offset)
{
    for (size_t i = 0; i < c->nr_losses; i++) {
        if (strcmp(c->loss[i].name, name) == 0) {
            c->loss[i].count++;
            return;
        }
    }
    if (c->nr_losses == PC_LOSSES_MAX) {
        c->more_losses++;
        return;
    }
    struct pc_loss *loss = &c->loss[c->nr_losses++];
    snprintf(loss->name, sizeof(loss->name), "%s", name);
    loss->count = 1;
    loss->offset = offset;
}

bool pc_content_obstacle(struct pc_content *c, struct pc_finding *f, const char *option)
{
    for (size_t i = 0; option && c->drops && i < c->drops->nr; i++) {
        if (strcmp(c->drops->name[i], option) == 0) {
            count_loss(c, option, f->offset);
            return true;
        }
    }
    if (option)
        f->expected = pc_bytes_value((struct pc_span){ (const unsigned char *)option, strlen(option) });
    c->obstacles++;
    pc_report_add(&c->scan->report, f);
    return false;
}

/* The report knows of more errors than those that were made here. */
static bool is_damaged(const struct pc_content *c)
{
    const struct pc_report *report = &c->scan->report;
    return report->unreadable || report->by_severity[PC_ERROR] > c->obstacles;
}

bool pc_content_is_whole(const struct pc_content *c)
{
    return c->ended && c->scan->recognised && !is_damaged(c) && c->obstacles == 0 && c->store.error == 0;
}

static struct pc_finding about_item(const struct pc_item *item, enum pc_diag id, enum pc_place place)
{
    struct pc_finding f = { .id = id, .place = place, .number = item->number, .offset = item->offset };
    const struct pc_record_info *info = pc_record_info(item->type);
    f.length = item->bytes.len;
    if (place == PC_IN_RECORD)
        f.subject = info ? info->name : NULL;
    return f;
}

static void name_record(uint32_t type, char *name, size_t size)
{
    const struct pc_record_info *info = pc_record_info(type);
    if (info)
        snprintf(name, size, "record:%s", info->name);
    else
        snprintf(name, size, "record:TYPE_%" PRIu32, type);
}

static void name_feature(uint64_t bit, char *name, size_t size)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    if (info)
        snprintf(name, size, "feature:%s", info->name);
    else
        snprintf(name, size, "feature:BIT_%" PRIu64, bit);
}

/* A record cannot be converted. True: it is left out. */
static bool refuse_record(struct pc_content *c, const struct pc_item *item, const struct pc_obstacle *o)
{
    char option[64];
    struct pc_finding f = about_item(item, PC_D_REWRITE_RECORD, PC_IN_RECORD);
    f.offset += o->at;
    f.length = o->len;
    f.seen = pc_text_value(o->reason);
    name_record(item->type, option, sizeof(option));
    return pc_content_obstacle(c, &f, option);
}

/* ... or the payload of a sample. True: the payload is left out. */
static bool refuse_payload(struct pc_content *c, const struct pc_item *item)
{
    struct pc_capture *capture = &c->scan->capture;
    const struct pc_obstacle *o = &c->own.obstacle;
    const struct pc_tracepoint *format = pc_capture_format(capture, o->attr);
    const char *event = capture->attr[o->attr].name;
    char option[128];
    struct pc_finding f = about_item(item, PC_D_REWRITE_PAYLOAD, PC_IN_RECORD);
    f.offset += o->at;
    f.length = o->len;
    f.seen = pc_text_value(o->reason);
    pc_finding_name(&f, "raw");
    if (format && o->field < format->nr_fields)
        f.path[f.depth++] = (struct pc_step){ pc_tp_field_name(format, o->field), PC_NO_INDEX };
    if (event)
        snprintf(option, sizeof(option), "payload:%s", event);
    else
        snprintf(option, sizeof(option), "payload:%" PRIu64,
                 pc_attr_get(&capture->attr[o->attr], PC_ATTR_CONFIG));
    return pc_content_obstacle(c, &f, option);
}

/* --- attrs --- */

/* Whether these ids and this attr are there already. */
static bool has_attr(const struct pc_content *c, struct pc_span attr, struct pc_cursor ids)
{
    for (size_t i = 0; i < c->nr_attrs; i++) {
        const struct pc_content_attr *a = &c->attr[i];
        struct pc_cursor in = ids;
        uint64_t id, k = 0;
        if (a->len != attr.len || memcmp(c->attr_bytes + a->at, attr.ptr, attr.len) != 0)
            continue;
        while (k < a->nr_ids && pc_uint(&in, 8, &id) && id == c->ids[a->ids + k])
            k++;
        if (k == a->nr_ids && pc_left(&in) == 0)
            return true;
    }
    return false;
}

static bool add_id(struct pc_content *c, uint64_t id)
{
    void *array = c->ids;
    if (!grow(c, &array, c->nr_ids, 1, &c->cap_ids, sizeof(*c->ids)))
        return false;
    c->ids = array;
    c->ids[c->nr_ids++] = id;
    c->attr[c->nr_attrs - 1].nr_ids++;
    return true;
}

/* Keeps an attr; its ids follow. */
static bool add_attr(struct pc_content *c, const struct pc_item *item, struct pc_span attr, size_t at)
{
    const struct pc_capture *capture = &c->scan->capture;
    void *bytes = c->attr_bytes, *array = c->attr;
    if (!grow(c, &bytes, c->attr_len, attr.len, &c->attr_cap, 1))
        return false;
    c->attr_bytes = bytes;
    if (!grow(c, &array, c->nr_attrs, 1, &c->cap_attrs, sizeof(*c->attr)))
        return false;
    c->attr = array;
    memcpy(c->attr_bytes + c->attr_len, attr.ptr, attr.len);
    c->attr[c->nr_attrs++] = (struct pc_content_attr){
        .at = c->attr_len, .len = attr.len, .ids = c->nr_ids, .offset = item->offset + at
    };
    c->attr_len += attr.len;
    c->attr_size = attr.len > c->attr_size ? attr.len : c->attr_size;
    c->changes++;
    size_t limit = c->reader ? c->reader->attr_size : SIZE_MAX;
    if (attr.len > limit) {
        struct pc_span cut = pc_part(attr, limit, attr.len - limit);
        size_t first = pc_first_nonzero(cut);
        struct pc_finding f = about_item(item, PC_D_REWRITE_FOR_ATTR, PC_IN_ATTR);
        f.number = c->nr_attrs - 1;
        f.offset += at + limit + first;
        f.length = cut.len - first;
        f.seen = pc_bytes_value(pc_part(cut, first, cut.len - first));
        if (first != cut.len)
            pc_content_obstacle(c, &f, NULL);
    }
    uint64_t needs = pc_attr_needs(attr, capture->order);
    if (needs > PC_ATTR_SIZE_KNOWN && capture->order != c->own.to) {
        struct pc_finding f = about_item(item, PC_D_REWRITE_ATTR, PC_IN_ATTR);
        f.number = c->nr_attrs - 1;
        f.offset += at + PC_ATTR_SIZE_KNOWN;
        f.length = needs - PC_ATTR_SIZE_KNOWN;
        f.seen = pc_text_value("members that no known version explains");
        pc_content_obstacle(c, &f, NULL);
    }
    return true;
}

/* The bytes of an attr that say so themselves; at most those that are there. */
static struct pc_span own_size(struct pc_span attr, enum pc_order order)
{
    uint64_t size = pc_load(attr.ptr + PC_ATTR_SIZE_AT, 4, order);
    size = size == 0 ? PC_ATTR_SIZE_MIN : size;
    return pc_part(attr, 0, size < attr.len ? (size_t)size : attr.len);
}

static void fold_section_attr(struct pc_content *c, const struct pc_item *item)
{
    struct pc_capture *capture = &c->scan->capture;
    struct pc_span attr = pc_part(item->bytes, 0, item->bytes.len - PC_SECTION_SIZE);
    const struct pc_attr *known = capture->nr_attrs ? &capture->attr[capture->nr_attrs - 1] : NULL;
    unsigned char chunk[4096];
    if (!known || known->offset != item->offset || !add_attr(c, item, own_size(attr, capture->order), 0))
        return; /* it could not be read, which was said */
    c->attr_size = attr.len > c->attr_size ? attr.len : c->attr_size;
    void *ids = c->ids;
    if (!grow(c, &ids, c->nr_ids, (size_t)known->nr_ids, &c->cap_ids, sizeof(*c->ids)))
        return;
    c->ids = ids;
    for (uint64_t i = 0; i < known->nr_ids;) {
        size_t n = known->nr_ids - i < sizeof(chunk) / 8 ? (size_t)(known->nr_ids - i) * 8 : sizeof(chunk);
        if (pc_reader_look(&c->scan->reader, known->ids_offset + 8 * i, chunk, n) != n)
            return; /* an id less, which the verification would notice; the reader has read it before */
        for (size_t at = 0; at < n; at += 8, i++) {
            if (!add_id(c, pc_load(chunk + at, 8, capture->order)))
                return;
        }
    }
}

static void fold_header_attr(struct pc_content *c, const struct pc_item *item)
{
    struct pc_capture *capture = &c->scan->capture;
    struct pc_cursor in = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = capture->order };
    struct pc_span attr;
    uint64_t size, id;
    if (!pc_peek(&in, PC_ATTR_SIZE_AT, 4, &size) || !pc_take(&in, size == 0 ? PC_ATTR_SIZE_MIN : size, &attr))
        return; /* which was said */
    if (!capture->is_pipe) {
        /* The section has said it, or else no reader would know of it. */
        struct pc_obstacle o = { 0, item->bytes.len, "an attr in the data of a file", 0, 0 };
        if (!has_attr(c, attr, in))
            refuse_record(c, item, &o);
        return;
    }
    if (!add_attr(c, item, attr, PC_RECORD_HEADER_SIZE))
        return;
    while (pc_uint(&in, 8, &id)) {
        if (!add_id(c, id))
            return;
    }
}

uint64_t pc_content_attr_size(const struct pc_content *c)
{
    uint64_t size = c->attr_size ? c->attr_size : PC_ATTR_SIZE_KNOWN;
    return c->reader && c->reader->attr_size < size ? c->reader->attr_size : size;
}

void pc_content_attr_bytes(struct pc_content *c, size_t i, unsigned char *out)
{
    struct pc_span attr = { c->attr_bytes + c->attr[i].at, c->attr[i].len };
    pc_convert_attr(&c->own, attr, out);
}

/* --- features --- */

bool pc_is_derived_feature(uint64_t bit)
{
    return bit == PC_BRANCH_STACK || bit == PC_AUXTRACE_INDEX || bit == PC_DIR_FORMAT ||
           bit == PC_COMPRESSED_FEATURE || bit == PC_STAT_FEATURE;
}

/* Where the feature at hand came from. */
struct origin {
    const struct pc_item *item;
    uint64_t bit;
    size_t at;      /* of the content in the item */
    bool in_record; /* else a section */
};

static struct pc_finding about_feature(const struct origin *from, enum pc_diag id)
{
    struct pc_finding f = about_item(from->item, id, PC_IN_FEATURE);
    const struct pc_feature_info *info = pc_feature_info(from->bit);
    f.number = from->bit;
    f.subject = info ? info->name : NULL;
    f.offset += from->at;
    f.length = from->item->kind == PC_ITEM_RECORD ? from->item->bytes.len - from->at : from->item->size;
    return f;
}

static bool refuse_feature(struct pc_content *c, const struct origin *from, enum pc_diag id,
                           const struct pc_obstacle *o)
{
    char option[64];
    struct pc_finding f = about_feature(from, id);
    name_feature(from->bit, option, sizeof(option));
    if (o) {
        f.offset += o->at;
        f.length = o->len;
        f.seen = pc_text_value(o->reason);
    }
    return pc_content_obstacle(c, &f, option);
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
    void *array = c->piece;
    c->size[bit] += size;
    if (last && last->bit == bit && last->offset + last->size == start) {
        last->size += size;
        return;
    }
    if (!grow(c, &array, c->nr_pieces, 1, &c->cap_pieces, sizeof(*c->piece)))
        return;
    c->piece = array;
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

/* Both forms of a feature: into the store, and its sum. EVENT_DESC is only looked at. */
static bool convert_feature(struct pc_content *c, const struct origin *from, struct pc_span content)
{
    enum pc_outcome outcome = PC_CONVERTED;
    struct pc_cursor in = pc_cursor(content, c->scan->capture.order);
    if (from->bit == PC_EVENT_DESC)
        pc_peek(&in, 4, 4, &c->own.attr_size);
    if (from->bit == PC_EVENT_DESC || open_store(c))
        outcome = pc_convert_feature(&c->own, from->bit, content,
                                     from->bit == PC_EVENT_DESC ? put_nowhere : put_store, c);
    if (outcome == PC_CONVERTED) {
        pc_hash_init(&c->feature);
        outcome = pc_convert_feature(&c->little, from->bit, content, put_hash, c);
        if (outcome != PC_CONVERTED)
            c->own.obstacle = c->little.obstacle;
    }
    if (outcome == PC_CONVERT_NO_MEMORY)
        say_no_memory(c);
    else if (outcome != PC_CONVERTED)
        refuse_feature(c, from, PC_D_REWRITE_FEATURE, &c->own.obstacle);
    return outcome == PC_CONVERTED;
}

/* The feature is known with this sum, or was known before. True: it is new. */
static bool settle_feature(struct pc_content *c, const struct origin *from, struct pc_sum sum)
{
    uint64_t bit = from->bit;
    if (pc_bit(c->present, bit)) {
        if (pc_sum_equal(&c->sum[bit], &sum))
            return false;
        if (c->own.lenient) { /* nothing is written: both count */
            struct pc_hash both;
            pc_hash_init(&both);
            pc_hash_put(&both, c->sum[bit].bytes, sizeof(sum.bytes));
            pc_hash_put(&both, sum.bytes, sizeof(sum.bytes));
            c->sum[bit] = pc_hash_sum(&both);
        } else {
            refuse_feature(c, from, PC_D_REWRITE_FEATURE_TWICE, NULL);
        }
        return false;
    }
    pc_set_bit(c->present, bit);
    c->sum[bit] = sum;
    c->changes++;
    return true;
}

/* --- build ids: the section, then what records add --- */

static size_t place_of(const struct pc_content *c, const struct pc_sum *sum)
{
    static const struct pc_sum none;
    size_t at = (size_t)pc_load(sum->bytes, 8, PC_LITTLE) & (c->cap_build_ids - 1);
    while (!pc_sum_equal(&c->build_id[at], &none) && !pc_sum_equal(&c->build_id[at], sum))
        at = (at + 1) & (c->cap_build_ids - 1);
    return at;
}

/* Remembers an entry. False: it came before, or there is no memory. */
static bool is_new_build_id(struct pc_content *c, const struct pc_sum *sum)
{
    static const struct pc_sum none;
    if (c->nr_build_ids >= c->cap_build_ids / 2) {
        struct pc_sum *old = c->build_id;
        size_t old_cap = c->cap_build_ids, cap = old_cap ? old_cap * 2 : 256;
        struct pc_sum *bigger = pc_alloc(c->mem, cap * sizeof(*bigger));
        if (!bigger) {
            say_no_memory(c);
            return false;
        }
        c->build_id = bigger;
        c->cap_build_ids = cap;
        for (size_t i = 0; i < old_cap; i++) {
            if (!pc_sum_equal(&old[i], &none))
                c->build_id[place_of(c, &old[i])] = old[i];
        }
        pc_free(c->mem, old, old_cap * sizeof(*old));
    }
    struct pc_sum *place = &c->build_id[place_of(c, sum)];
    if (pc_sum_equal(place, sum))
        return false;
    *place = *sum;
    c->nr_build_ids++;
    return true;
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
    c->sum[PC_BUILD_ID] = pc_hash_sum(&c->build_ids);
    pc_set_bit(c->present, PC_BUILD_ID);
    c->changes++;
    if (c->stores)
        add_piece(c, PC_BUILD_ID, start);
}

static void fold_build_ids(struct pc_content *c, struct origin *from, struct pc_span section)
{
    const size_t size_at = 6;
    if (pc_build_ids_are_old(section)) {
        fold_build_id(c, from, section);
        return;
    }
    for (size_t at = 0; section.len - at >= PC_RECORD_HEADER_SIZE;) {
        size_t size = (size_t)pc_load(section.ptr + at + size_at, 2, c->scan->capture.order);
        if (size < PC_RECORD_HEADER_SIZE || size > section.len - at)
            return; /* which was said */
        from->at = at;
        fold_build_id(c, from, pc_part(section, at, size));
        at += size;
    }
}

/* A record is an entry with another type, and perhaps a sample_id behind the name. */
static void fold_header_build_id(struct pc_content *c, const struct pc_item *item)
{
    struct pc_cursor in = { .in = item->bytes,
                            .pos = PC_RECORD_HEADER_SIZE,
                            .order = c->scan->capture.order };
    const size_t size_at = 6;
    struct origin from = { item, PC_BUILD_ID, 0, true };
    unsigned char *entry = c->own.record;
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &in, NULL, NULL);
    if (!pc_walk_table(&walk, pc_record_info(item->type)->fields))
        return; /* which was said */
    if (!entry && !(entry = c->own.record = pc_alloc(c->mem, PC_CONVERT_RECORD))) {
        say_no_memory(c);
        return;
    }
    size_t size = walk.slot_at[PC_REC_NAME] + (size_t)walk.slot[PC_REC_NAME] + 1;
    memcpy(entry, item->bytes.ptr, size);
    pc_store(entry + size_at, 2, size, in.order);
    fold_build_id(c, &from, (struct pc_span){ entry, size });
}

/* --- any feature --- */

static void keep_event_desc(struct pc_content *c, struct pc_span content)
{
    struct pc_cursor in = pc_cursor(content, c->scan->capture.order);
    uint64_t nr, size;
    c->event_desc = pc_alloc(c->mem, content.len);
    if (!c->event_desc) {
        say_no_memory(c);
        return;
    }
    memcpy(c->event_desc, content.ptr, content.len);
    c->event_desc_len = content.len;
    /* Not a size that holds no attr, nor one that the attrs themselves do not have and nobody knows: then
     * what is behind the known members is zero, or refused. */
    if (pc_peek(&in, 0, 4, &nr) && nr != 0 && pc_peek(&in, 4, 4, &size) && size > c->attr_size &&
        size >= PC_ATTR_SIZE_MIN && size <= PC_ATTR_SIZE_KNOWN)
        c->attr_size = pc_align8(size);
}

static void fold_feature(struct pc_content *c, struct origin *from, struct pc_span content)
{
    uint64_t bit = from->bit, start = c->store.size;
    if (pc_is_derived_feature(bit) || content.len == 0)
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

/* A section that no table explains, which may be of any size. */
static void fold_unknown_section(struct pc_content *c, const struct origin *from)
{
    const struct pc_item *item = from->item;
    struct pc_obstacle o = { 0, item->size, "a feature that no known version explains", 0, 0 };
    unsigned char chunk[4096];
    uint64_t start = c->store.size;
    if (c->own.to != c->scan->capture.order && !c->own.lenient) {
        refuse_feature(c, from, PC_D_REWRITE_FEATURE, &o);
        return;
    }
    pc_hash_init(&c->feature);
    open_store(c);
    for (uint64_t at = 0; at < item->size;) {
        size_t n = item->size - at < sizeof(chunk) ? (size_t)(item->size - at) : sizeof(chunk);
        n = pc_reader_look(&c->scan->reader, item->offset + at, chunk, n);
        if (n == 0)
            return;
        pc_hash_put(&c->feature, chunk, n);
        if (c->stores)
            pc_sink_put(&c->store, chunk, n);
        at += n;
    }
    if (settle_feature(c, from, pc_hash_sum(&c->feature)) && c->stores)
        add_piece(c, from->bit, start);
}

static void fold_section(struct pc_content *c, const struct pc_item *item)
{
    struct origin from = { item, item->number, 0, false };
    const struct pc_feature_info *info = pc_feature_info(item->number);
    if (info && info->fields)
        fold_feature(c, &from, item->bytes);
    else
        fold_unknown_section(c, &from); /* an empty one may be a flag */
}

static void fold_header_feature(struct pc_content *c, const struct pc_item *item)
{
    struct pc_cursor in = { .in = item->bytes,
                            .pos = PC_RECORD_HEADER_SIZE,
                            .order = c->scan->capture.order };
    struct origin from = { item, 0, PC_RECORD_HEADER_SIZE + 8, true };
    if (!pc_uint(&in, 8, &from.bit))
        return; /* which was said */
    if (from.bit >= PC_FEATURE_BITS) {
        struct pc_obstacle o = { 0, pc_left(&in), "a feature of a number that no file has", 0, 0 };
        if (pc_left(&in) != 0)
            refuse_feature(c, &from, PC_D_REWRITE_FEATURE, &o);
        return;
    }
    fold_feature(c, &from, pc_part(item->bytes, in.pos, pc_left(&in)));
}

static void fold_tracing_data(struct pc_content *c, const struct pc_item *item)
{
    struct origin from = { item, PC_TRACING_DATA, 0, true };
    if (c->uncovered) {
        /* Payloads before it were kept as they are; now they would be misread. */
        struct pc_obstacle o = { 0, item->bytes.len, "trace data behind the samples that they describe", 0,
                                 0 };
        refuse_feature(c, &from, PC_D_REWRITE_FEATURE, &o);
        return;
    }
    fold_feature(c, &from, item->bytes);
}

void pc_content_forget(struct pc_content *c, uint64_t bit)
{
    c->present[bit / 64] &= ~((uint64_t)1 << bit % 64);
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

/* --- names of events as perf before 3.12 wrote them: they become EVENT_DESC --- */

static void keep_type(struct pc_content *c, uint64_t event_id, struct pc_span name)
{
    const size_t room = PC_EVENT_TYPE_SIZE - 8;
    void *array = c->types;
    if (!grow(c, &array, c->types_len, PC_EVENT_TYPE_SIZE, &c->types_cap, 1))
        return;
    c->types = array;
    unsigned char *p = c->types + c->types_len;
    size_t len = pc_first_zero(name);
    memset(p, 0, PC_EVENT_TYPE_SIZE);
    pc_store(p, 8, event_id, c->scan->capture.order);
    memcpy(p + 8, name.ptr, len < room - 1 ? len : room - 1);
    c->types_len += PC_EVENT_TYPE_SIZE;
}

static void keep_types_of_file(struct pc_content *c)
{
    struct pc_capture *capture = &c->scan->capture;
    uint64_t offset = pc_header_get(capture, PC_HEAD_TYPES_OFFSET),
             size = pc_header_get(capture, PC_HEAD_TYPES_SIZE);
    unsigned char entry[PC_EVENT_TYPE_SIZE];
    if (size != c->nr_attrs * sizeof(entry))
        return;
    for (uint64_t at = 0; at < size; at += sizeof(entry)) {
        if (pc_reader_look(&c->scan->reader, offset + at, entry, sizeof(entry)) != sizeof(entry))
            return;
        keep_type(c, pc_load(entry, 8, capture->order), (struct pc_span){ entry + 8, sizeof(entry) - 8 });
    }
}

/* Whether they are those of the attrs, one for each, as their writers wrote them. */
static bool types_fit_attrs(const struct pc_content *c)
{
    const struct pc_capture *capture = &c->scan->capture;
    if (c->nr_attrs != capture->nr_attrs || c->types_len != c->nr_attrs * PC_EVENT_TYPE_SIZE)
        return false;
    for (size_t i = 0; i < c->nr_attrs; i++) {
        const unsigned char *entry = c->types + i * PC_EVENT_TYPE_SIZE;
        if (pc_load(entry, 8, capture->order) != pc_attr_get(&capture->attr[i], PC_ATTR_CONFIG) ||
            entry[8] == 0)
            return false;
    }
    return true;
}

/* Bytes of an EVENT_DESC in the order of the capture. */
static size_t make_event_desc(const struct pc_content *c, unsigned char *to)
{
    enum pc_order order = c->scan->capture.order;
    size_t at = 8;
    if (to) {
        pc_store(to, 4, c->nr_attrs, order);
        pc_store(to + 4, 4, c->attr_size, order);
    }
    for (size_t i = 0; i < c->nr_attrs; i++) {
        const struct pc_content_attr *a = &c->attr[i];
        const size_t name_len = PC_EVENT_TYPE_SIZE - 8;
        if (to) {
            memcpy(to + at, c->attr_bytes + a->at, a->len);
            pc_store(to + at + c->attr_size, 4, a->nr_ids, order);
            pc_store(to + at + c->attr_size + 4, 4, name_len, order);
            memcpy(to + at + c->attr_size + 8, c->types + i * PC_EVENT_TYPE_SIZE + 8, name_len);
        }
        at += (size_t)c->attr_size + 8 + name_len;
        for (size_t k = 0; k < a->nr_ids; k++, at += 8) {
            if (to)
                pc_store(to + at, 8, c->ids[a->ids + k], order);
        }
    }
    return at;
}

static void fold_types(struct pc_content *c, const struct pc_item *item)
{
    const uint64_t newest =
        120; /* attr sizes of perfs that wrote them: before 3.12, with room for later ones */
    struct origin from = { item, PC_EVENT_DESC, 0, false };
    if (c->attr_size > newest)
        return;
    if (!c->scan->capture.is_pipe)
        keep_types_of_file(c);
    if (c->types_len == 0 || pc_bit(c->present, PC_EVENT_DESC) || !types_fit_attrs(c))
        return;
    size_t size = make_event_desc(c, NULL);
    unsigned char *bytes = pc_alloc(c->mem, size);
    if (bytes) {
        make_event_desc(c, bytes);
        fold_feature(c, &from, (struct pc_span){ bytes, size });
    } else {
        say_no_memory(c);
    }
    pc_free(c->mem, bytes, size);
}

/* --- records --- */

static void fold_record(struct pc_content *c, const struct pc_item *item)
{
    struct pc_cursor in = { .in = item->bytes,
                            .pos = PC_RECORD_HEADER_SIZE,
                            .order = c->scan->capture.order };
    uint64_t event_id;
    switch (item->type) {
    case PC_HEADER_ATTR:
        fold_header_attr(c, item);
        break;
    case PC_HEADER_EVENT_TYPE:
        if (pc_uint(&in, 8, &event_id))
            keep_type(c, event_id, pc_part(item->bytes, in.pos, pc_left(&in)));
        break;
    case PC_HEADER_BUILD_ID:
        fold_header_build_id(c, item);
        break;
    case PC_HEADER_FEATURE:
        fold_header_feature(c, item);
        break;
    default:
        break;
    }
}

static bool belongs_to_container(struct pc_content *c, const struct pc_item *item)
{
    switch (item->type) {
    case PC_COMPRESSED:
    case PC_COMPRESSED2:
        c->compressed = true;
        return true;
    case PC_HEADER_ATTR:
    case PC_HEADER_EVENT_TYPE:
    case PC_HEADER_BUILD_ID:
    case PC_HEADER_FEATURE:
    case PC_HEADER_TRACING_DATA: /* its payload follows */
        return true;
    case PC_STAT_CONFIG:
    case PC_STAT:
    case PC_STAT_ROUND:
        c->has_stat = true;
        return false;
    case PC_AUXTRACE_INFO:
    case PC_AUXTRACE:
        c->has_auxtrace = true;
        return false;
    default:
        return false;
    }
}

/* Payloads that nothing describes stay as they are, which is said once for each event. */
static void note_payload(struct pc_content *c, const struct pc_item *item)
{
    struct pc_capture *capture = &c->scan->capture;
    struct pc_chosen chosen = pc_capture_choose(capture, item->type, item->bytes);
    struct pc_finding f = about_item(item, PC_D_REWRITE_PAYLOAD_KEPT, PC_IN_RECORD);
    if (chosen.choice != PC_CHOSEN || capture->attr[chosen.attr].said_uncovered)
        return;
    capture->attr[chosen.attr].said_uncovered = true;
    c->uncovered |= pc_attr_get(&capture->attr[chosen.attr], PC_ATTR_TYPE) == PC_TYPE_TRACEPOINT;
    const char *name = capture->attr[chosen.attr].name;
    if (name)
        f.seen = pc_bytes_value((struct pc_span){ (const unsigned char *)name, strlen(name) });
    else
        f.seen = pc_uint_value(chosen.attr);
    pc_report_add(&c->scan->report, &f);
}

/* Zeros instead of a payload; its size stays, since readers look for the common fields. The item then has
 * bytes of ours. */
static bool drop_payload(struct pc_content *c, struct pc_item *item)
{
    if (!c->blanked && !(c->blanked = pc_alloc(c->mem, PC_CONVERT_RECORD))) {
        say_no_memory(c);
        return false;
    }
    memcpy(c->blanked, item->bytes.ptr, item->bytes.len);
    memset(c->blanked + c->own.obstacle.at, 0, c->own.obstacle.len);
    c->little.by_plan = false; /* which was said of the whole one */
    item->bytes.ptr = c->blanked;
    return true;
}

/* A record in the wanted order. False: there is none to hand out. */
static bool convert_record(struct pc_content *c, struct pc_item *item, struct pc_span *bytes)
{
    c->own.by_plan = c->little.by_plan = c->scan->check.by_plan;
    enum pc_outcome outcome = pc_convert_record(&c->own, item, bytes);
    c->own.by_plan = false;
    if (outcome == PC_CONVERT_PAYLOAD && refuse_payload(c, item) && drop_payload(c, item))
        outcome = pc_convert_record(&c->own, item, bytes);
    if (c->own.uncovered)
        note_payload(c, item);
    if (outcome == PC_CONVERT_NO_MEMORY)
        say_no_memory(c);
    else if (outcome != PC_CONVERTED && outcome != PC_CONVERT_PAYLOAD)
        refuse_record(c, item, &c->own.obstacle);
    return outcome == PC_CONVERTED;
}

/* Whether those for whom the copy is know the type. What is known to nobody is left to others. */
static bool is_known_to_reader(struct pc_content *c, const struct pc_item *item)
{
    uint16_t last = pc_is_kernel_type(item->type) ? c->reader->kernel_type : c->reader->user_type;
    char option[64];
    if (item->type <= last || !pc_record_info(item->type))
        return true;
    struct pc_finding f = about_item(item, PC_D_REWRITE_FOR_RECORD, PC_IN_RECORD);
    name_record(item->type, option, sizeof(option));
    pc_content_obstacle(c, &f, option);
    return false;
}

static bool take_record(struct pc_content *c, const struct pc_item *given, struct pc_content_item *out)
{
    struct pc_item item = *given;
    if (belongs_to_container(c, &item)) {
        fold_record(c, &item);
        return false;
    }
    if (c->reader && !is_known_to_reader(c, &item))
        return false;
    if (!convert_record(c, &item, &out->bytes))
        return false;
    struct pc_span little = out->bytes;
    if (c->own.to != PC_LITTLE && pc_convert_record(&c->little, &item, &little) == PC_CONVERT_NO_MEMORY) {
        say_no_memory(c);
        return false;
    }
    if (item.type != PC_FINISHED_ROUND)
        pc_hash_put(&c->records, little.ptr, little.len);
    out->kind = PC_CONTENT_RECORD;
    out->type = item.type;
    out->source = item;
    return true;
}

/* --- all of it --- */

static bool next_item(struct pc_content *c, struct pc_item *item)
{
    if (!pc_reader_next(&c->scan->reader, item))
        return false;
    c->scan->recognised = true;
    pc_check_item(&c->scan->check, item);
    return true;
}

bool pc_content_open(struct pc_content *c)
{
    struct pc_item item;
    return next_item(c, &item);
}

static bool take_item(struct pc_content *c, const struct pc_item *item, struct pc_content_item *out)
{
    switch (item->kind) {
    case PC_ITEM_HEADER:
        break;
    case PC_ITEM_ATTR:
        fold_section_attr(c, item);
        break;
    case PC_ITEM_FEATURE:
        fold_section(c, item);
        break;
    case PC_ITEM_RECORD:
        return take_record(c, item, out);
    case PC_ITEM_PAYLOAD:
        if (item->type == PC_HEADER_TRACING_DATA) {
            fold_tracing_data(c, item);
            break;
        }
        pc_hash_put(&c->records, item->bytes.ptr, item->bytes.len);
        *out = (struct pc_content_item){ PC_CONTENT_PAYLOAD, item->type, item->bytes, *item };
        return true;
    case PC_ITEM_END:
        fold_types(c, item);
        break;
    }
    return false;
}

void pc_content_next(struct pc_content *c, struct pc_content_item *out)
{
    struct pc_item item;
    while (next_item(c, &item)) {
        if (is_damaged(c)) /* the rest is only looked at */
            continue;
        if (take_item(c, &item, out) && c->obstacles == 0)
            return;
    }
    c->ended = true;
    if (c->store.error)
        say_store(c);
    struct pc_finding skipped = { .id = PC_D_REWRITE_SKIPPED, .place = PC_AT_END, .number = PC_NO_INDEX };
    skipped.offset = c->scan->reader.skipped_at;
    skipped.length = c->scan->reader.skipped;
    skipped.seen = pc_uint_value(c->scan->reader.skipped);
    if (c->scan->reader.skipped != 0 && !is_damaged(c))
        pc_content_obstacle(c, &skipped, NULL);
    c->scan->check.sum.compressed_in = c->scan->reader.packed_bytes;
    c->scan->check.sum.compressed_out = c->scan->reader.unpacked_bytes;
    pc_report_sort(&c->scan->report);
    *out = (struct pc_content_item){ .kind = PC_CONTENT_END };
}

struct pc_sum pc_content_digest(struct pc_content *c)
{
    struct pc_hash all, attrs;
    unsigned char bytes[UINT16_MAX];
    pc_hash_init(&attrs);
    for (size_t i = 0; i < c->nr_attrs; i++) {
        const struct pc_content_attr *a = &c->attr[i];
        struct pc_span attr = { c->attr_bytes + a->at, a->len };
        uint64_t size = pc_attr_needs(attr, c->scan->capture.order);
        c->little.attr_size = size > PC_ATTR_SIZE_KNOWN ? size : PC_ATTR_SIZE_KNOWN;
        pc_convert_attr(&c->little, attr, bytes);
        pc_hash_put_uint(&attrs, c->little.attr_size);
        pc_hash_put(&attrs, bytes, (size_t)c->little.attr_size);
        pc_hash_put_uint(&attrs, a->nr_ids);
        for (size_t k = 0; k < a->nr_ids; k++)
            pc_hash_put_uint(&attrs, c->ids[a->ids + k]);
    }
    struct pc_sum sum = pc_hash_sum(&attrs);
    pc_hash_init(&all);
    pc_hash_put(&all, sum.bytes, sizeof(sum.bytes));
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (!pc_bit(c->present, bit))
            continue;
        pc_hash_put_uint(&all, bit);
        pc_hash_put(&all, c->sum[bit].bytes, sizeof(c->sum[bit].bytes));
    }
    pc_hash_put_uint(&all, UINT64_MAX);
    sum = pc_hash_sum(&c->records);
    pc_hash_put(&all, sum.bytes, sizeof(sum.bytes));
    return pc_hash_sum(&all);
}

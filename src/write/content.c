/* SPDX-License-Identifier: MIT */
#include "write/content_parts.h"
#include "bytes/cursor.h"
#include "read/window.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ATTR_ROOM UINT16_MAX

/* --- the whole --- */

void pc_content_init(struct pc_content *c, struct pc_scan *scan, enum pc_order to, bool stores,
                     const struct pc_drops *drops)
{
    memset(c, 0, sizeof(*c));
    c->scan = scan;
    c->mem = &scan->mem;
    c->drops = drops;
    c->stores = stores;
    c->store.fd = c->store.folder = -1;
    c->late_attr = PC_NO_INDEX;
    pc_convert_init(&c->own, &scan->capture, to);
    pc_convert_init(&c->little, &scan->capture, PC_LITTLE);
    c->little.for_digest = c->little.lenient = true;
    pc_marks_begin(&c->records);
    pc_marks_begin(&c->rounds);
    pc_marks_begin(&c->updates);
    pc_hash_init(&c->build_ids);
    c->seen_build_ids = (struct pc_set){ .entry_size = sizeof(struct pc_sum),
                                         .key_size = sizeof(struct pc_sum),
                                         .most = UINT32_MAX - 1 };
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
    pc_free(mem, c->attr_room, ATTR_ROOM);
    pc_free(mem, c->attr, c->cap_attrs * sizeof(*c->attr));
    pc_free(mem, c->ids, c->cap_ids * sizeof(*c->ids));
    pc_free(mem, c->piece, c->cap_pieces * sizeof(*c->piece));
    pc_free(mem, c->event_desc, c->event_desc_len);
    pc_set_clear(mem, &c->seen_build_ids);
    pc_free(mem, c->types, c->types_cap);
    pc_free(mem, c->blanked, c->blanked ? PC_CONVERT_RECORD : 0);
    c->attr_bytes = c->attr_room = c->event_desc = c->types = NULL;
    c->attr = NULL;
    c->ids = NULL;
    c->piece = NULL;
    c->blanked = NULL;
}

/* --- what stands in the way --- */

static void say_store(struct pc_content *c)
{
    struct pc_finding f = { .id = PC_D_STORE_FAILED, .place = PC_AT_END };
    f.seen = pc_text_value(pc_text_error(c->store.error));
    pc_report_add(&c->scan->report, &f);
}

uint64_t pc_content_damage(const struct pc_content *c)
{
    const struct pc_report *report = &c->scan->report;
    uint64_t errors = report->by_severity[PC_ERROR] - c->refusals;
    if (pc_report_severity(report, PC_D_COMPRESSED2_WRAPPED) == PC_ERROR)
        errors -= report->by_id[PC_D_COMPRESSED2_WRAPPED];
    return errors;
}

static bool is_damaged(const struct pc_content *c)
{
    return c->scan->report.unreadable || pc_content_damage(c) != 0;
}

bool pc_content_is_whole(const struct pc_content *c)
{
    return c->ended && c->scan->recognised && !is_damaged(c) && c->refusals == 0 && c->store.error == 0;
}

/* A record cannot be converted. True: it is left out. */
static bool refuse_record(struct pc_content *c, const struct pc_item *item, const struct pc_refusal *o)
{
    char option[64];
    struct pc_finding f = pc_content_about(item, PC_D_REWRITE_RECORD, PC_IN_RECORD);
    f.offset += o->at;
    f.length = o->len;
    f.seen = pc_text_value(o->reason);
    pc_content_name_record(item->type, option, sizeof(option));
    return pc_content_refuse(c, &f, option);
}

/* ... or the payload of a sample. True: the payload is left out. */
static bool refuse_payload(struct pc_content *c, const struct pc_item *item)
{
    struct pc_capture *capture = &c->scan->capture;
    const struct pc_refusal *o = &c->own.refusal;
    const struct pc_tracepoint *format = pc_capture_format(capture, o->attr);
    const char *event = capture->attr[o->attr].name;
    char option[128];
    struct pc_finding f = pc_content_about(item, PC_D_REWRITE_PAYLOAD, PC_IN_RECORD);
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
    return pc_content_refuse(c, &f, option);
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
    if (!pc_content_grow(c, &c->ids, &c->cap_ids, c->nr_ids + 1, sizeof(*c->ids)))
        return false;
    c->ids[c->nr_ids++] = id;
    c->attr[c->nr_attrs - 1].nr_ids++;
    return true;
}

/* Records about an event came before its attr: readers gave them to the one that they knew. */
static void refuse_late_attr(struct pc_content *c, const struct pc_item *item, size_t at)
{
    struct pc_finding f = pc_content_about(item, PC_D_REWRITE_LATE_ATTR, PC_IN_ATTR);
    f.number = c->nr_attrs - 1;
    f.offset += at;
    f.length -= at;
    if (!c->own.lenient)
        pc_content_refuse(c, &f, NULL);
}

/* Keeps an attr; its ids follow. */
static bool add_attr(struct pc_content *c, const struct pc_item *item, struct pc_span attr, size_t at)
{
    const struct pc_capture *capture = &c->scan->capture;
    if (!c->attr_room && !(c->attr_room = pc_alloc_buffer(c->mem, ATTR_ROOM))) {
        pc_content_no_memory(c);
        return false;
    }
    if (!pc_content_grow(c, &c->attr_bytes, &c->attr_cap, c->attr_len + attr.len, 1) ||
        !pc_content_grow(c, &c->attr, &c->cap_attrs, c->nr_attrs + 1, sizeof(*c->attr)))
        return false;
    memcpy(c->attr_bytes + c->attr_len, attr.ptr, attr.len);
    c->attr[c->nr_attrs++] = (struct pc_content_attr){
        .at = c->attr_len, .len = attr.len, .ids = c->nr_ids, .offset = item->offset + at
    };
    if (c->has_records && c->late_attr == PC_NO_INDEX)
        c->late_attr = c->nr_attrs - 1;
    if (c->early_update && !c->attr_after_update) {
        c->attr_after_update = true;
        refuse_late_attr(c, item, at);
    }
    c->attr_len += attr.len;
    c->attr_size = attr.len > c->attr_size ? attr.len : c->attr_size;
    c->changes++;
    size_t limit = c->reader ? c->reader->attr_size : SIZE_MAX;
    if (attr.len > limit) {
        struct pc_span cut = pc_part(attr, limit, attr.len - limit);
        size_t first = pc_first_nonzero(cut);
        struct pc_finding f = pc_content_about(item, PC_D_REWRITE_FOR_ATTR, PC_IN_ATTR);
        f.number = c->nr_attrs - 1;
        f.offset += at + limit + first;
        f.length = cut.len - first;
        f.seen = pc_bytes_value(pc_part(cut, first, cut.len - first));
        if (first != cut.len)
            pc_content_refuse(c, &f, NULL);
    }
    uint64_t needs = pc_attr_needs(attr, capture->order);
    if (needs > PC_ATTR_SIZE_KNOWN && capture->order != c->own.to && !c->own.lenient) {
        struct pc_finding f = pc_content_about(item, PC_D_REWRITE_ATTR, PC_IN_ATTR);
        f.number = c->nr_attrs - 1;
        f.offset += at + PC_ATTR_SIZE_KNOWN;
        f.length = needs - PC_ATTR_SIZE_KNOWN;
        f.seen = pc_text_value("members that no known version explains");
        pc_content_refuse(c, &f, NULL);
    }
    return true;
}

static void fold_section_attr(struct pc_content *c, const struct pc_item *item)
{
    struct pc_capture *capture = &c->scan->capture;
    struct pc_span attr = pc_part(item->bytes, 0, item->bytes.len - PC_SECTION_SIZE);
    const struct pc_attr *known = capture->nr_attrs ? &capture->attr[capture->nr_attrs - 1] : NULL;
    struct pc_span whole = pc_attr_whole(attr, capture->order);
    unsigned char chunk[4096];
    if (!known || known->offset != item->offset || !add_attr(c, item, whole, 0))
        return; /* it could not be read, which was said */
    struct pc_span rest = pc_part(attr, whole.len, attr.len - whole.len);
    size_t first = pc_first_nonzero(rest);
    if (first != rest.len) {
        struct pc_finding f = pc_content_about(item, PC_D_REWRITE_ATTR, PC_IN_ATTR);
        f.number = c->nr_attrs - 1;
        f.offset += whole.len + first;
        f.length = rest.len - first;
        f.seen = pc_text_value("bytes behind the attr");
        pc_content_refuse(c, &f, NULL);
    }
    if (!pc_content_grow(c, &c->ids, &c->cap_ids, c->nr_ids + (size_t)known->nr_ids, sizeof(*c->ids)))
        return;
    for (uint64_t i = 0; i < known->nr_ids;) {
        size_t n = known->nr_ids - i < sizeof(chunk) / 8 ? (size_t)(known->nr_ids - i) * 8 : sizeof(chunk);
        if (!pc_reader_look_whole(&c->scan->reader, known->ids_offset + 8 * i, chunk, n))
            return;
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
        struct pc_refusal o = { 0, item->bytes.len, "an attr in the data of a file", 0, 0 };
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

struct pc_span pc_content_attr(struct pc_content *c, size_t i)
{
    struct pc_span attr = { c->attr_bytes + c->attr[i].at, c->attr[i].len };
    pc_convert_attr(&c->own, attr, c->attr_room);
    return (struct pc_span){ c->attr_room, (size_t)c->own.attr_size };
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
            pc_fold_type(c, event_id, pc_part(item->bytes, in.pos, pc_left(&in)));
        break;
    case PC_HEADER_BUILD_ID:
        pc_fold_header_build_id(c, item);
        break;
    case PC_HEADER_FEATURE:
        pc_fold_header_feature(c, item);
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
        c->compressed = c->compressed ? c->compressed : item->type;
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
    struct pc_finding f = pc_content_about(item, PC_D_REWRITE_PAYLOAD_KEPT, PC_IN_RECORD);
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
        pc_content_no_memory(c);
        return false;
    }
    memcpy(c->blanked, item->bytes.ptr, item->bytes.len);
    memset(c->blanked + c->own.refusal.at, 0, (size_t)c->own.refusal.len);
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
        pc_content_no_memory(c);
    else if (outcome != PC_CONVERTED && outcome != PC_CONVERT_PAYLOAD)
        refuse_record(c, item, &c->own.refusal);
    return outcome == PC_CONVERTED;
}

/* Whether those for whom the copy is know the type. What is known to nobody is left to others. */
static bool is_known_to_reader(struct pc_content *c, const struct pc_item *item)
{
    uint16_t last = pc_is_kernel_type(item->type) ? c->reader->kernel_type : c->reader->user_type;
    char option[64];
    if (item->type <= last || !pc_record_info(item->type))
        return true;
    struct pc_finding f = pc_content_about(item, PC_D_REWRITE_FOR_RECORD, PC_IN_RECORD);
    pc_content_name_record(item->type, option, sizeof(option));
    pc_content_refuse(c, &f, option);
    return false;
}

static void count_record(struct pc_content *c, const struct pc_item *item, const struct pc_span *little)
{
    c->has_records = true;
    if (item->type == PC_EVENT_UPDATE) {
        const struct pc_update *update = &c->scan->capture.update;
        c->early_update |= update->early;
        pc_marks_put(&c->updates, item->number);
        pc_hash_put_uint(&c->updates.hash, update->event);
    }
    if (item->type == PC_FINISHED_ROUND) {
        if (c->scan->capture.dir_version == 0) { /* those of a directory are left out of copies */
            pc_marks_put(&c->rounds, item->number);
            pc_hash_put_uint(&c->rounds.hash, c->records.count);
            pc_hash_put(&c->rounds.hash, little->ptr, little->len);
        }
        return;
    }
    pc_marks_put(&c->records, item->number);
    pc_hash_put(&c->records.hash, little->ptr, little->len);
}

/* The reader takes a record of an unknown type for one when another follows it, or, if its type is above all
 * that there are, many. In the copy header records have left, and others may be in compressed ones. False: it
 * is left out. */
static bool may_be_unknown(struct pc_content *c, const struct pc_item *item, struct pc_span bytes)
{
    const struct pc_refusal far = { .reason = "no record has a type above 65535", .len = 4 };
    const bool known = pc_record_info(item->type);
    if (c->own.lenient)
        return true;
    if (!known && item->type >= PC_TYPE_END) {
        refuse_record(c, item, &far);
        return false;
    }
    if (c->unknown.bytes.len != 0 && !pc_may_follow(bytes.ptr, c->own.to)) {
        struct pc_finding f = pc_content_about(&c->unknown, PC_D_REWRITE_UNKNOWN, PC_IN_RECORD);
        f.length = PC_RECORD_HEADER_SIZE;
        f.seen = pc_uint_value(c->unknown.type);
        pc_content_refuse(c, &f, NULL);
    }
    if (known)
        c->unknown.bytes.len = 0;
    else
        c->unknown = *item;
    return true;
}

/* The bytes of prot in the other order may be a name, which would begin there in the old layout. False: it is
 * left out. */
static bool keeps_layout(struct pc_content *c, const struct pc_item *item, struct pc_span bytes)
{
    const struct pc_refusal old = {
        .reason = "in the other byte order it would have the layout of kernels 3.12 to 3.15",
        .at = PC_MMAP2_PROT,
        .len = 8
    };
    if (c->own.lenient || item->type != PC_MMAP2 || c->scan->capture.mmap2_old == 1 ||
        pc_mmap2_is_old(item->misc, bytes) != 1)
        return true;
    refuse_record(c, item, &old);
    return false;
}

static bool take_record(struct pc_content *c, struct pc_content_item *out)
{
    struct pc_item *item = &out->source;
    if (belongs_to_container(c, item)) {
        if (c->verbatim)
            pc_check_item(&c->scan->check, item);
        fold_record(c, item);
        return false;
    }
    if (c->verbatim) {
        count_record(c, item, &item->bytes);
        return false;
    }
    if (c->reader && !is_known_to_reader(c, item))
        return false;
    if (!convert_record(c, item, &out->bytes))
        return false;
    if (!may_be_unknown(c, item, out->bytes) || !keeps_layout(c, item, out->bytes))
        return false;
    struct pc_span other = { NULL, 0 };
    const struct pc_span *little = c->own.to == PC_LITTLE ? &out->bytes : &other;
    if (little == &other && pc_convert_record(&c->little, item, &other) == PC_CONVERT_NO_MEMORY) {
        pc_content_no_memory(c);
        return false;
    }
    count_record(c, item, little);
    out->kind = PC_CONTENT_RECORD;
    out->type = item->type;
    return true;
}

/* --- all of it --- */

bool pc_content_open(struct pc_content *c)
{
    struct pc_item item;
    return pc_scan_next(c->scan, &item);
}

/* What is verbatim is checked as far as it is not a record of the content. */
static bool next_item(struct pc_content *c, struct pc_item *item)
{
    if (!c->verbatim)
        return pc_scan_next(c->scan, item);
    if (!pc_scan_read(c->scan, item))
        return false;
    c->scan->recognised = true;
    if (item->kind < PC_ITEM_RECORD)
        pc_check_item(&c->scan->check, item);
    return true;
}

/* Takes out->source. False: nothing of it is handed out. */
static bool take_item(struct pc_content *c, struct pc_content_item *out)
{
    const struct pc_item *item = &out->source;
    switch (item->kind) {
    case PC_ITEM_HEADER:
        break;
    case PC_ITEM_ATTR:
        fold_section_attr(c, item);
        break;
    case PC_ITEM_FEATURE:
        pc_fold_section(c, item);
        break;
    case PC_ITEM_RECORD:
        return take_record(c, out);
    case PC_ITEM_PAYLOAD:
        if (item->type == PC_HEADER_TRACING_DATA) {
            pc_fold_tracing_data(c, item);
            break;
        }
        pc_hash_put(&c->records.hash, item->bytes.ptr, item->bytes.len);
        out->kind = PC_CONTENT_PAYLOAD;
        out->type = item->type;
        out->bytes = item->bytes;
        return true;
    case PC_ITEM_END:
        pc_fold_types(c, item);
        break;
    }
    return false;
}

/* What the header of a file without data says of features is a plan, which rules go by. */
static void refuse_planned(struct pc_content *c)
{
    const struct pc_capture *capture = &c->scan->capture;
    struct pc_finding f = { .id = PC_D_REWRITE_PLANNED, .place = PC_IN_HEADER };
    if (c->scan->report.by_id[PC_D_DATA_EMPTY] == 0 || !pc_any_feature(capture->features))
        return;
    f.offset = PC_FILE_HEADER_OLD;
    f.length = PC_FEATURE_BITS / 8;
    pc_finding_name(&f, "adds_features");
    pc_content_refuse(c, &f, NULL);
}

void pc_content_next(struct pc_content *c, struct pc_content_item *out)
{
    while (next_item(c, &out->source)) {
        if (is_damaged(c)) /* the rest is only looked at */
            continue;
        if (take_item(c, out) && c->refusals == 0)
            return;
    }
    c->ended = true;
    if (c->store.error)
        say_store(c);
    struct pc_finding skipped = { .id = PC_D_REWRITE_SKIPPED, .place = PC_AT_END };
    skipped.offset = c->scan->reader.skipped_at;
    skipped.length = c->scan->reader.skipped;
    skipped.seen = pc_uint_value(c->scan->reader.skipped);
    if (c->scan->reader.skipped != 0 && !is_damaged(c))
        pc_content_refuse(c, &skipped, NULL);
    if (!c->own.lenient)
        refuse_planned(c);
    pc_scan_end(c->scan);
    *out = (struct pc_content_item){ .kind = PC_CONTENT_END };
}

static void put_attrs(struct pc_content *c, struct pc_marks *attrs)
{
    pc_marks_begin(attrs);
    for (size_t i = 0; i < c->nr_attrs; i++) {
        const struct pc_content_attr *a = &c->attr[i];
        struct pc_span attr = { c->attr_bytes + a->at, a->len };
        uint64_t size = pc_attr_needs(attr, c->scan->capture.order);
        c->little.attr_size = size > PC_ATTR_SIZE_KNOWN ? size : PC_ATTR_SIZE_KNOWN;
        pc_convert_attr(&c->little, attr, c->attr_room);
        pc_marks_put(attrs, i);
        pc_hash_put_uint(&attrs->hash, c->little.attr_size);
        pc_hash_put(&attrs->hash, c->attr_room, (size_t)c->little.attr_size);
        pc_hash_put_uint(&attrs->hash, a->nr_ids);
        for (size_t k = 0; k < a->nr_ids; k++)
            pc_hash_put_uint(&attrs->hash, c->ids[a->ids + k]);
    }
}

static void put_names(const struct pc_capture *capture, struct pc_marks *names)
{
    for (size_t i = 0; i < capture->nr_attrs; i++) {
        const char *name = capture->attr[i].name;
        pc_marks_put(names, i);
        pc_hash_put_uint(&names->hash, name ? strlen(name) : UINT64_MAX);
        if (name)
            pc_hash_put(&names->hash, name, strlen(name));
    }
}

const struct pc_parts *pc_content_parts(struct pc_content *c)
{
    struct pc_parts *parts = &c->parts;
    put_attrs(c, &parts->attrs);
    parts->records = c->records;
    parts->rounds = c->rounds;
    parts->updates = c->updates;
    pc_marks_begin(&parts->names);
    put_names(&c->scan->capture, &parts->names);
    parts->attr_after_update = c->attr_after_update;
    memcpy(parts->present, c->present, sizeof(parts->present));
    memcpy(parts->feature, c->sum, sizeof(parts->feature));
    return parts;
}

struct pc_sum pc_content_digest(struct pc_content *c)
{
    const struct pc_parts *parts = pc_content_parts(c);
    struct pc_hash all;
    struct pc_sum sum = pc_hash_sum(&parts->attrs.hash);
    pc_hash_init(&all);
    pc_hash_put(&all, sum.bytes, sizeof(sum.bytes));
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (!pc_bit(parts->present, bit))
            continue;
        pc_hash_put_uint(&all, bit);
        pc_hash_put(&all, parts->feature[bit].bytes, sizeof(parts->feature[bit].bytes));
    }
    pc_hash_put_uint(&all, UINT64_MAX);
    sum = pc_hash_sum(&parts->records.hash);
    pc_hash_put(&all, sum.bytes, sizeof(sum.bytes));
    struct pc_sum events[2] = { pc_hash_sum(&parts->updates.hash), pc_hash_sum(&parts->names.hash) };
    if (parts->attr_after_update) /* else they follow from the rest */
        pc_hash_put(&all, events, sizeof(events));
    return pc_hash_sum(&all);
}

/* SPDX-License-Identifier: MIT */
#include "write/content_parts.h"
#include "write/salvage.h"
#include "write/symbols.h"
#include "bytes/cursor.h"
#include "check/edited.h"
#include "check/witness_record.h"
#include "read/plausible.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- the whole --- */

void pc_content_init(struct pc_content *c, struct pc_scan *scan, enum pc_order to, bool stores,
                     const struct pc_drops *drops)
{
    memset(c, 0, sizeof(*c));
    c->scan = scan;
    c->mem = &scan->mem;
    c->drops = drops;
    c->stores = stores;
    c->store.target = PC_TARGET_CLOSED;
    c->late_attr = PC_NO_INDEX;
    pc_convert_init(&c->own, &scan->capture, to);
    pc_convert_init(&c->little, &scan->capture, PC_LITTLE);
    c->little.for_digest = c->little.lenient = true;
    pc_marks_begin(&c->parts.records);
    pc_marks_begin(&c->parts.updates);
    pc_hash_init(&c->build_ids);
    pc_plain_init(&c->plain[0], c->mem);
    pc_plain_init(&c->plain[1], c->mem);
    c->seen_build_ids = (struct pc_set){ .entry_size = sizeof(struct pc_sum),
                                         .key_size = sizeof(struct pc_sum),
                                         .most = UINT32_MAX - 1 };
}

void pc_content_clear(struct pc_content *c)
{
    struct pc_mem *mem = c->mem;
    pc_plain_clear(&c->plain[0]);
    pc_plain_clear(&c->plain[1]);
    pc_convert_clear(&c->own);
    pc_convert_clear(&c->little);
    pc_sink_discard(&c->store);
    pc_free(mem, c->attr_bytes, c->attr_cap);
    pc_free(mem, c->attr_room, PC_ATTR_ROOM);
    pc_free(mem, c->attr, c->cap_attrs * sizeof(*c->attr));
    pc_free(mem, c->ids, c->cap_ids * sizeof(*c->ids));
    pc_free(mem, c->piece, c->cap_pieces * sizeof(*c->piece));
    pc_free(mem, c->event_desc, c->event_desc_len);
    pc_set_clear(mem, &c->seen_build_ids);
    pc_edits_clear(c);
    pc_free(mem, c->types, c->cap_types * sizeof(*c->types));
    pc_free(mem, c->blanked, c->blanked ? PC_CONVERT_RECORD : 0);
    pc_free(mem, c->run, PC_CONVERT_RECORD);
    pc_free(mem, c->shapes, PC_SHAPES * sizeof(*c->shapes));
    c->attr_bytes = c->attr_room = c->event_desc = NULL;
    c->types = NULL;
    c->attr = NULL;
    c->ids = NULL;
    c->piece = NULL;
    c->blanked = c->run = NULL;
    c->shapes = NULL;
}

/* --- what prevents a copy --- */

static void say_store(struct pc_content *c)
{
    const struct pc_context end = { .place = PC_AT_END };
    pc_report_say(&c->scan->report, &end, PC_D_STORE_FAILED, 0, 0,
                  pc_text_value(pc_text_error(c->store.error)), pc_none);
}

bool pc_content_is_whole(const struct pc_content *c)
{
    return c->ended && c->scan->recognised && !pc_content_is_damaged(c) && c->refusals == 0 &&
           pc_content_obstacles(c) == 0 && c->store.error == 0 && c->wrong[0] == 0;
}

/* The payload of a sample cannot be converted. True: it is left out. */
static bool refuse_payload(struct pc_content *c, const struct pc_item *item)
{
    const struct pc_capture *capture = &c->scan->capture;
    const struct pc_refusal *o = &c->own.refusal;
    const struct pc_tracepoint *format = pc_capture_format(capture, o->attr);
    const char *event = capture->attr[o->attr].name;
    char option[128];
    const struct pc_context record = pc_item_context(item);
    struct pc_finding f = pc_finding_in(&record, PC_D_REWRITE_PAYLOAD, o->at, o->len);
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

/* --- records --- */

static void fold_record(struct pc_content *c, const struct pc_item *item)
{
    struct pc_cursor in = pc_record_body(item->bytes, c->scan->capture.order);
    const size_t most = PC_EVENT_TYPE_NAME - 1;
    uint64_t event_id;
    switch (item->type) {
    case PC_HEADER_ATTR:
        pc_fold_header_attr(c, item);
        break;
    case PC_HEADER_EVENT_TYPE:
        if (pc_uint(&in, 8, &event_id))
            pc_fold_type(c, event_id,
                         pc_part(item->bytes, in.pos, most < pc_left(&in) ? most : pc_left(&in)));
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

/* Notes what the type says of the capture; true for records that are of the container, not of the content. */
static bool note_type(struct pc_content *c, uint32_t type)
{
    const struct pc_record_info *info = pc_record_info(type);
    if (!info)
        return false;
    if (!c->compressed && (info->flags & PC_HOLDS_RECORDS))
        c->compressed = type;
    c->has_stat |= (info->flags & PC_OF_STAT) != 0;
    c->has_auxtrace |= (info->flags & PC_OF_AUX_TRACE) != 0;
    return info->flags & PC_OF_CONTAINER;
}

/* Payloads that nothing describes stay as they are, which is reported once for each event. */
static void note_payload(struct pc_content *c, const struct pc_item *item)
{
    const struct pc_capture *capture = &c->scan->capture;
    struct pc_chosen chosen = pc_capture_choose(capture, item->type, item->bytes);
    const struct pc_context record = pc_item_context(item);
    struct pc_value event = pc_uint_value(chosen.attr);
    if (chosen.choice != PC_CHOSEN || pc_bit(c->reported_payloads, chosen.attr))
        return;
    pc_set_bit(c->reported_payloads, chosen.attr);
    c->uncovered |= pc_attr_get(&capture->attr[chosen.attr], PC_ATTR_TYPE) == PC_TYPE_TRACEPOINT;
    const char *name = capture->attr[chosen.attr].name;
    if (name)
        event = pc_bytes_value((struct pc_span){ (const unsigned char *)name, strlen(name) });
    pc_report_say(&c->scan->report, &record, PC_D_REWRITE_PAYLOAD_KEPT, 0, item->bytes.len, event, pc_none);
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
    c->little.by_plan = false; /* which was found of the whole one */
    item->bytes.ptr = c->blanked;
    return true;
}

/* A record in the wanted order. False: there is none to hand out. */
static bool convert_record(struct pc_content *c, struct pc_item *item, struct pc_span *bytes)
{
    c->own.by_plan = c->little.by_plan = c->scan->check.judge.facts.by_plan;
    enum pc_outcome outcome = pc_convert_record(&c->own, item, bytes);
    c->own.by_plan = false;
    if (outcome == PC_CONVERT_PAYLOAD && refuse_payload(c, item) && drop_payload(c, item))
        outcome = pc_convert_record(&c->own, item, bytes);
    if (c->own.uncovered)
        note_payload(c, item);
    if (outcome == PC_CONVERT_NO_MEMORY)
        pc_content_no_memory(c);
    else if (outcome != PC_CONVERTED && outcome != PC_CONVERT_PAYLOAD)
        pc_content_refuse_record(c, item, c->own.refusal.at, c->own.refusal.len, c->own.refusal.reason);
    return outcome == PC_CONVERTED;
}

/* Whether the version of perf that the copy is for knows the type, or skips it. */
static bool is_known_to_reader(struct pc_content *c, const struct pc_item *item)
{
    char option[64];
    if (!pc_edit_needs_drop(c->reader, item->type))
        return true;
    const struct pc_context record = pc_item_context(item);
    pc_content_name_record(item->type, option, sizeof(option));
    pc_content_refuse_in(c, &record, PC_D_REWRITE_FOR_RECORD, 0, item->bytes.len,
                         pc_text_value(pc_version_name(c->reader->version)), option);
    return false;
}

/* `bytes` are little-endian, or as they are written. */
static void count_record(struct pc_content *c, const struct pc_item *item, const struct pc_span *bytes)
{
    c->has_records = true;
    if (pc_is_kernel_type(item->type) && pc_content_notes_choices(c))
        pc_content_note_choice(c, item);
    if (item->type == PC_EVENT_UPDATE) {
        const struct pc_update *update = &c->scan->capture.update;
        c->early_update |= update->early;
        pc_marks_put(&c->parts.updates, item->number);
        pc_hash_put_uint(&c->parts.updates.hash, update->event);
    }
    if (item->type == PC_FINISHED_ROUND && (!c->as_written || c->scan->capture.dir_version != 0))
        return; /* those of a directory are left out of copies */
    if (!c->no_sum) {
        pc_marks_put(&c->parts.records, item->number);
        pc_hash_put(&c->parts.records.hash, bytes->ptr, bytes->len);
    }
    if (c->proof)
        pc_proof_handed_out(c->proof);
}

/* Refuses a record of an unknown type that no record follows any more: the reader takes it for damage. In the
 * copy header records have left, and others may be in compressed ones. */
static void check_unknown(struct pc_content *c, const struct pc_item *item, struct pc_span bytes)
{
    if (c->own.lenient)
        return;
    if (c->unknown.bytes.len != 0 && !pc_may_follow(bytes.ptr, c->own.to)) {
        const struct pc_context record = pc_item_context(&c->unknown);
        pc_content_refuse_in(c, &record, PC_D_REWRITE_UNKNOWN, 0, PC_RECORD_HEADER_SIZE,
                             pc_uint_value(c->unknown.type), NULL);
    }
    if (pc_record_info(item->type))
        c->unknown.bytes.len = 0;
    else
        c->unknown = *item;
}

/* The bytes of prot in the other order, or in this one when the copy is converted back, may be a name, which
 * would begin there in the old layout. False: it is left out. */
static bool keeps_layout(struct pc_content *c, const struct pc_item *item, struct pc_span bytes)
{
    if (c->own.lenient || item->type != PC_MMAP2 || c->own.to == c->scan->capture.order ||
        c->scan->capture.mmap2_old == 1 ||
        (pc_mmap2_is_old(item->misc, bytes) != 1 && pc_mmap2_is_old(item->misc, item->bytes) != 1))
        return true;
    pc_content_refuse_record(c, item, PC_MMAP2_PROT, 8,
                             "in the other byte order it would have the layout of kernels 3.12 to 3.15");
    return false;
}

/* Whether the perf that the copy is for has no use for the record, or the bytes after one. */
static bool leaves_out(struct pc_content *c, const struct pc_item *item)
{
    bool out = pc_edit_leaves_out(c, item),
         may = pc_edited_leaves_out(c->reader, item, c->scan->capture.order, &c->no_trace);
    const struct pc_span moved = c->edits.moved;
    c->edits.moved.len = 0;
    if (moved.len != 0 && (c->uncovered || (pc_flow_has_payloads(&c->scan->check.flow) &&
                                            !pc_bit(c->parts.present, PC_TRACING_DATA))))
        pc_content_refuse_record(c, item, 0, item->bytes.len,
                                 "trace data after the samples that they describe");
    else if (moved.len != 0)
        pc_fold_made_feature(c, item, PC_TRACING_DATA, moved);
    if (out && !may)
        pc_content_set_wrong(c, item);
    return out;
}

/* The edit of a record that was converted. False: there is none to hand out. */
static bool edit_record(struct pc_content *c, const struct pc_item *item, struct pc_span *bytes)
{
    struct pc_span before = *bytes;
    if (!pc_edit_record(c, item, bytes))
        return false;
    if (bytes->ptr == before.ptr ||
        pc_edited_record(c->reader, &c->scan->capture, item, before, *bytes, c->own.to))
        return true;
    pc_content_set_wrong(c, item);
    return false;
}

static bool take_record(struct pc_content *c, struct pc_content_item *out)
{
    struct pc_item *item = &out->source;
    if (c->reader && leaves_out(c, item)) {
        c->left_for_reader++;
        return false;
    }
    if (note_type(c, item->type)) {
        if (!c->derived || item->type == PC_HEADER_ATTR)
            fold_record(c, item);
        return false;
    }
    if (c->derived) {
        count_record(c, item, &item->bytes);
        return false;
    }
    if (item->type == PC_MMAP2 && (c->salvage || c->reader))
        pc_fold_mapped_build_id(c, item);
    if (c->reader && !is_known_to_reader(c, item)) {
        c->left_for_reader++;
        return false;
    }
    if (!convert_record(c, item, &out->bytes))
        return false;
    check_unknown(c, item, out->bytes);
    if (!keeps_layout(c, item, out->bytes))
        return false;
    if (c->stores && !c->own.lenient &&
        !pc_witness_record(c->plain, &c->scan->capture, item, c->scan->check.judge.facts.by_plan, out->bytes,
                           c->own.to)) {
        pc_content_set_wrong(c, item);
        return false;
    }
    if (c->reader && !edit_record(c, item, &out->bytes))
        return false;
    struct pc_span other = { NULL, 0 };
    const struct pc_span *little = c->own.to == PC_LITTLE || c->as_written ? &out->bytes : &other;
    if (little == &other && pc_convert_record(&c->little, item, &other) == PC_CONVERT_NO_MEMORY) {
        pc_content_no_memory(c);
        return false;
    }
    if (c->may_be_cut && item->type == PC_AUXTRACE)
        pc_content_begin_payload(c, item);
    count_record(c, item, little);
    out->kind = PC_CONTENT_RECORD;
    out->type = item->type;
    out->run.nr = 0;
    return true;
}

/* --- all of it --- */

bool pc_content_open(struct pc_content *c)
{
    struct pc_item item;
    return pc_scan_next(c->scan, &item);
}

static bool next_item(struct pc_content *c, struct pc_item *item)
{
    if (!pc_scan_next(c->scan, item))
        return false;
    if (c->derived)
        pc_derived_item(c->derived, &c->scan->reader, item);
    return true;
}

/* Names of events. For perf a tracepoint of simpleperf needs trace data too, which have its name; if samples
 * had payloads, they would not be read by these. */
static void fold_names(struct pc_content *c, const struct pc_item *item)
{
    pc_fold_types(c, item);
    if (c->reader && c->scan->capture.by_simpleperf && !pc_flow_has_payloads(&c->scan->check.flow) &&
        !c->looked_for_formats)
        pc_fold_formats(c, item);
}

/* Takes out->source. False: nothing of it is handed out. */
static bool take_item(struct pc_content *c, struct pc_content_item *out)
{
    const struct pc_item *item = &out->source;
    switch (item->kind) {
    case PC_ITEM_HEADER:
        break;
    case PC_ITEM_ATTR:
        pc_fold_section_attr(c, item);
        break;
    case PC_ITEM_FEATURE:
        if (!c->derived)
            pc_fold_section(c, item);
        break;
    case PC_ITEM_RECORD:
        return take_record(c, out);
    case PC_ITEM_PAYLOAD:
        if (item->type == PC_HEADER_TRACING_DATA) {
            if (!c->derived)
                pc_fold_tracing_data(c, item);
            break;
        }
        if (c->reader && leaves_out(c, item))
            return false;
        if (!c->no_sum)
            pc_hash_put(&c->parts.records.hash, item->bytes.ptr, item->bytes.len);
        c->payload.bytes += item->bytes.len;
        out->kind = PC_CONTENT_PAYLOAD;
        out->type = item->type;
        out->bytes = item->bytes;
        return true;
    case PC_ITEM_END:
        pc_edit_join_ids(c);
        if (!c->derived)
            fold_names(c, item);
        pc_edit_end(c);
        break;
    }
    return false;
}

/* In the header of a file that ends where its data begin, features are only planned; rules follow the plan.
 */
static void refuse_planned(struct pc_content *c)
{
    const struct pc_capture *capture = &c->scan->capture;
    const struct pc_context header = { .place = PC_IN_HEADER };
    struct pc_finding f = pc_finding_in(&header, PC_D_REWRITE_PLANNED,
                                        pc_row_at(pc_file_header, PC_HEAD_FEATURES), PC_FEATURE_BITS / 8);
    if (c->scan->report.found[PC_D_DATA_EMPTY] == 0 || pc_count_features(capture->features) == 0 ||
        pc_header_get(capture, PC_HEAD_DATA_OFFSET) < c->scan->reader.in->size)
        return;
    pc_finding_name(&f, "adds_features");
    pc_content_refuse(c, &f, NULL);
}

/* Whether this is where trace data must have come. */
static bool needs_formats(const struct pc_content *c, const struct pc_item *item)
{
    return c->salvage && !c->looked_for_formats && !c->own.lenient &&
           (item->kind == PC_ITEM_END || (item->kind == PC_ITEM_RECORD && item->type == PC_SAMPLE));
}

static void edit_item(struct pc_content *c, struct pc_item *item)
{
    struct pc_item before = *item;
    pc_edit_item(c, item);
    if (item->bytes.ptr != before.bytes.ptr && !pc_edited_item(c->reader, &c->scan->capture, &before, item))
        pc_content_set_wrong(c, item);
}

void pc_content_next(struct pc_content *c, struct pc_content_item *out)
{
    for (;;) {
        if (pc_content_ahead(c, out) && !c->derived)
            return;
        if (!next_item(c, &out->source))
            break;
        if (out->source.kind != PC_ITEM_END && pc_content_is_cut(c)) {
            if (pc_content_is_of_cut_payload(c, &out->source))
                continue;
            c->may_be_cut = false; /* it goes on: this is damage */
        }
        if (pc_content_is_damaged(c)) /* the rest is only looked at */
            continue;
        if (c->tally)
            pc_tally_item(c->tally, &c->scan->capture, &out->source);
        if (needs_formats(c, &out->source))
            pc_fold_formats(c, &out->source);
        if (c->proof)
            pc_proof_item(c->proof, c->scan, &out->source);
        if (c->salvage && !pc_salvage_keeps(c->salvage, &out->source)) {
            pc_proof_left_out(c->proof, c->scan, &out->source);
            continue;
        }
        if (c->symbols)
            pc_symbols_item(c->symbols, &c->scan->capture, &out->source);
        if (c->reader)
            edit_item(c, &out->source);
        if (c->witness && c->salvage && out->source.kind == PC_ITEM_RECORD && out->source.type == PC_MMAP2)
            c->witness->moves_build_ids |= pc_salvage_lost_feature(c->salvage, PC_BUILD_ID);
        if (c->witness)
            pc_witness_item(c->witness, &c->scan->reader, &out->source);
        if (take_item(c, out) && c->refusals == 0)
            return;
    }
    c->ended = true;
    if (c->store.error)
        say_store(c);
    const struct pc_reader *reader = &c->scan->reader;
    struct pc_finding skipped = { .id = PC_D_REWRITE_SKIPPED,
                                  .place = PC_AT_END,
                                  .offset = reader->skipped_at,
                                  .length = reader->skipped,
                                  .seen = pc_uint_value(reader->skipped) };
    if (reader->skipped != 0 && !pc_content_is_damaged(c) && !pc_content_is_cut(c))
        pc_content_refuse(c, &skipped, NULL);
    if (!c->own.lenient)
        refuse_planned(c);
    pc_scan_end(c->scan);
    *out = (struct pc_content_item){ .kind = PC_CONTENT_END };
}

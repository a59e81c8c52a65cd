/* SPDX-License-Identifier: MIT
 *
 * What contents and salvages have in common: no memory, names of what is left out and of events, edits,
 * errors that are damage.
 */
#include "write/content_parts.h"
#include "bytes/cursor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void pc_content_no_memory(struct pc_content *c)
{
    if (c->scan->report.found[PC_D_OUT_OF_MEMORY] != 0)
        return;
    const struct pc_context end = { .place = PC_AT_END };
    pc_report_say(&c->scan->report, &end, PC_D_OUT_OF_MEMORY, 0, 0, pc_none,
                  pc_text_value("a copy was made"));
}

bool pc_content_grow(struct pc_content *c, void *array, size_t *cap, size_t needed, size_t size)
{
    bool grown = pc_grow(c->mem, array, cap, needed, size);
    if (!grown)
        pc_content_no_memory(c);
    return grown;
}

void pc_content_name_record(uint32_t type, char *name, size_t size)
{
    char number[PC_NUMBER_NAME];
    snprintf(name, size, "record:%s", pc_type_name(type, number));
}

void pc_content_name_feature(uint64_t bit, char *name, size_t size)
{
    char number[PC_NUMBER_NAME];
    snprintf(name, size, "feature:%s", pc_feature_name(bit, number));
}

/* Errors with which all content is known: a copy mends them, or only a newer perf reads it. */
static const enum pc_diag no_damage[] = { PC_D_COMPRESSED2_WRAPPED, PC_D_DATA_EMPTY,
                                          PC_D_ATTR_ENTRY_NEWER,    PC_D_ANDROID_BIG_ENDIAN,
                                          PC_D_CORESIGHT_INDEX,     PC_D_CORESIGHT_AUX };

bool pc_content_is_damage(enum pc_diag id)
{
    return !pc_diag_is_one_of(id, no_damage, PC_COUNT_OF(no_damage));
}

/* Errors that say where the stream was cut. */
static const enum pc_diag cuts[] = { PC_D_STREAM_CUT, PC_D_CONTENT_CUT };

bool pc_content_is_damaged(const struct pc_content *c)
{
    return c->scan->report.unreadable || pc_content_damage(c) != 0;
}

bool pc_content_notes_choices(const struct pc_content *c)
{
    const struct pc_capture *capture = &c->scan->capture;
    bool late = capture->is_pipe && capture->order != c->own.to;
    return c->as_written && (c->derived ? c->notes_choices : late || (c->salvage && !c->reader));
}

void pc_content_set_wrong(struct pc_content *c, const struct pc_item *item)
{
    if (c->plain[0].no_memory || c->plain[1].no_memory)
        pc_content_no_memory(c);
    else if (c->wrong[0] == 0)
        snprintf(c->wrong, sizeof(c->wrong), "%s[%" PRIu64 "]",
                 item->kind == PC_ITEM_ATTR      ? "attrs"
                 : item->kind == PC_ITEM_FEATURE ? "features"
                                                 : "records",
                 item->number);
}

/* The layout of a record. */
static uint64_t choice_of(struct pc_content *c, const struct pc_item *item)
{
    struct pc_capture *capture = &c->scan->capture;
    struct pc_chosen chosen = pc_capture_choose(capture, item->type, item->bytes);
    bool described = chosen.choice == PC_CHOSEN && item->type == PC_SAMPLE &&
                     pc_attr_get(&capture->attr[chosen.attr], PC_ATTR_TYPE) == PC_TYPE_TRACEPOINT &&
                     pc_capture_format(capture, chosen.attr);
    uint64_t mask =
        chosen.choice == PC_CHOSEN ? capture->layout[capture->attr[chosen.attr].layout]->layout.mask : 0;
    return described ? ~mask : mask;
}

/* What readers make of a record: a sum of its bytes in little-endian. */
static uint64_t reading_of(struct pc_content *c, const struct pc_item *item)
{
    struct pc_span little;
    struct pc_hash hash;
    if (c->derived) /* else it is set, unless the record was changed */
        c->little.by_plan = c->scan->check.judge.facts.by_plan;
    if (pc_convert_record(&c->little, item, &little) == PC_CONVERT_NO_MEMORY) {
        pc_content_no_memory(c);
        return 0;
    }
    pc_hash_init(&hash);
    pc_hash_put(&hash, little.ptr, little.len);
    struct pc_sum sum = pc_hash_sum(&hash);
    return pc_load(sum.bytes, 8, PC_LITTLE);
}

void pc_content_note_choice(struct pc_content *c, const struct pc_item *item)
{
    const uint64_t prime = 0x100000001b3;
    uint64_t choice = c->salvage ? reading_of(c, item) : choice_of(c, item);
    c->parts.choices = (c->parts.choices ^ choice) * prime;
}

/* Whether it ends in the bytes that follow an AUXTRACE. */
static bool is_payload_cut(const struct pc_content *c)
{
    const struct pc_scan *scan = c->scan;
    return scan->report.found[PC_D_PAYLOAD_CUT] != 0 && scan->reader.payload.type == PC_AUXTRACE;
}

bool pc_content_is_cut(const struct pc_content *c)
{
    return c->may_be_cut &&
           (is_payload_cut(c) || pc_report_count(&c->scan->report, cuts, PC_COUNT_OF(cuts)) != 0);
}

uint64_t pc_content_cut(const struct pc_content *c)
{
    if (!pc_content_is_cut(c))
        return 0;
    return c->scan->reader.skipped + (is_payload_cut(c) ? c->payload.bytes : 0);
}

void pc_content_begin_payload(struct pc_content *c, const struct pc_item *item)
{
    c->payload.bytes = item->bytes.len;
    c->payload.records = c->parts.records.count;
    c->payload.hash = c->parts.records.hash;
    c->payload.handed_out = true;
}

bool pc_content_is_of_cut_payload(struct pc_content *c, const struct pc_item *item)
{
    bool begins = item->kind == PC_ITEM_RECORD && item->type == PC_AUXTRACE;
    if (!is_payload_cut(c) || !(begins || item->kind == PC_ITEM_PAYLOAD))
        return false;
    if (begins) { /* the end was seen before the record was handed out */
        c->payload.bytes = 0;
        c->payload.handed_out = false;
    }
    c->payload.bytes += item->bytes.len;
    return true;
}

bool pc_content_take_back(struct pc_content *c)
{
    if (!pc_content_is_cut(c) || !is_payload_cut(c) || !c->payload.handed_out)
        return false;
    c->parts.records.count = c->payload.records;
    c->parts.records.hash = c->payload.hash;
    return true;
}

void pc_fold_type(struct pc_content *c, uint64_t event_id, struct pc_span name)
{
    if (!pc_content_grow(c, &c->types, &c->cap_types, c->nr_types + 1, sizeof(*c->types)))
        return;
    struct pc_event_name *type = &c->types[c->nr_types++];
    size_t len = pc_first_zero(name), most = sizeof(type->name) - 1;
    *type = (struct pc_event_name){ .event_id = event_id };
    memcpy(type->name, name.ptr, len < most ? len : most);
}

void pc_edit_note(struct pc_content *c, enum pc_edit edit, uint64_t offset)
{
    if (c->edits.count[edit]++ == 0)
        c->edits.first[edit] = offset;
}

uint64_t pc_content_obstacles(const struct pc_content *c)
{
    uint64_t nr = 0;
    for (enum pc_diag id = PC_D_FOR_FINDING; pc_diag_is_for_reader(id); id++)
        nr += pc_report_severity(&c->scan->report, id) == PC_ERROR ? c->scan->report.by_id[id] : 0;
    return nr;
}

uint64_t pc_content_damage(const struct pc_content *c)
{
    const struct pc_report *report = &c->scan->report;
    if (c->salvage || (report->by_severity[PC_ERROR] == 0 && c->refusals == 0))
        return 0;
    uint64_t errors = report->by_severity[PC_ERROR] - c->refusals - pc_content_obstacles(c);
    for (size_t i = 0; i < PC_COUNT_OF(no_damage); i++) {
        if (pc_report_severity(report, no_damage[i]) == PC_ERROR)
            errors -= report->by_id[no_damage[i]];
    }
    for (size_t i = 0; i < PC_COUNT_OF(cuts) && c->may_be_cut; i++) {
        if (pc_report_severity(report, cuts[i]) == PC_ERROR)
            errors -= report->by_id[cuts[i]];
    }
    if (c->may_be_cut && is_payload_cut(c) && pc_report_severity(report, PC_D_PAYLOAD_CUT) == PC_ERROR)
        errors -= report->by_id[PC_D_PAYLOAD_CUT];
    return errors;
}

/* SPDX-License-Identifier: MIT
 *
 * Names of events as perf before 3.12 wrote them, which become EVENT_DESC.
 */
#include "write/content_parts.h"
#include "write/make.h"
#include "write/salvage.h"
#include "bytes/cursor.h"
#include "read/event_name.h"

#include <string.h>

/* Strings of features are filled up to a multiple of this. */
#define NAME_ALIGN 64

static void keep_types_of_file(struct pc_content *c)
{
    struct pc_capture *capture = &c->scan->capture;
    uint64_t offset = pc_header_get(capture, PC_HEAD_TYPES_OFFSET),
             size = pc_header_get(capture, PC_HEAD_TYPES_SIZE);
    unsigned char entry[PC_EVENT_TYPE_SIZE];
    if (size != c->nr_attrs * sizeof(entry))
        return;
    for (uint64_t at = 0; at < size; at += sizeof(entry)) {
        struct pc_walk walk;
        if (!pc_reader_look_whole(&c->scan->reader, offset + at, entry, sizeof(entry)))
            return;
        pc_read_table(&walk, pc_event_type,
                      pc_cursor((struct pc_span){ entry, sizeof(entry) }, capture->order));
        size_t name = walk.slot_at[PC_SLOT_F0 + 1];
        pc_fold_type(c, walk.slot[PC_SLOT_F0], (struct pc_span){ entry + name, PC_EVENT_TYPE_NAME - 1 });
    }
}

static bool is_known_leaf(void *ctx, const struct pc_leaf *leaf)
{
    (void)ctx;
    return !leaf->field->other_diag || pc_leaf_ok(leaf);
}

/* perf takes no names from an EVENT_DESC where one attr has such bits (PC0870; header.c: perf_attr_check). */
static bool has_unknown_bits(const struct pc_content *c, size_t i)
{
    const struct pc_content_attr *a = &c->attr[i];
    struct pc_cursor in =
        pc_cursor((struct pc_span){ c->attr_bytes + a->at, a->len }, c->scan->capture.order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &in, is_known_leaf, NULL);
    return !pc_walk_table(&walk, pc_attr_fields) || walk.slot[PC_ATTR_READ_FORMAT] >> PC_READ_BITS ||
           ((walk.slot[PC_ATTR_SAMPLE_TYPE] & PC_S_BRANCH_STACK) &&
            walk.slot[PC_ATTR_BRANCH_TYPE] >> PC_BRANCH_BITS);
}

/* Whether they are those of the attrs, one for each, as their writers wrote them. */
static bool types_fit_attrs(const struct pc_content *c)
{
    const struct pc_capture *capture = &c->scan->capture;
    if (c->nr_attrs != capture->nr_attrs || c->nr_types != c->nr_attrs)
        return false;
    for (size_t i = 0; i < c->nr_attrs; i++) {
        const struct pc_event_name *type = &c->types[i];
        if (type->event_id != pc_attr_get(&capture->attr[i], PC_ATTR_CONFIG) || type->name[0] == 0 ||
            has_unknown_bits(c, i))
            return false;
    }
    return true;
}

/* An event of EVENT_DESC, or an id of the current one, which then are in `ids`. */
static void make_event(struct pc_make *make, const struct pc_field *array, uint64_t index)
{
    const struct pc_content *c = make->ctx;
    if (array->count == PC_EVENT_DESC_NR_IDS) {
        make->slot[PC_SLOT_NONE] = c->ids[make->slot[PC_EVENT_DESC_IDS] + index];
        return;
    }
    const struct pc_content_attr *a = &c->attr[index];
    make->bytes[PC_SLOT_B] = (struct pc_span){ c->attr_bytes + a->at, a->len };
    const struct pc_span name = { c->types[index].name, sizeof(c->types[index].name) };
    make->bytes[PC_EVENT_DESC_NAME] = pc_part(name, 0, (pc_first_zero(name) / NAME_ALIGN + 1) * NAME_ALIGN);
    make->slot[PC_EVENT_DESC_NR_IDS] = a->nr_ids;
    make->slot[PC_EVENT_DESC_IDS] = a->ids;
}

/* Bytes of an EVENT_DESC in the order of the capture; returns how many. to: NULL, they are only counted. */
static size_t make_event_desc(const struct pc_content *c, unsigned char *to)
{
    struct pc_make make = { .order = c->scan->capture.order, .element = make_event, .ctx = c, .out = to };
    make.slot[PC_EVENT_DESC_NR] = c->nr_attrs;
    make.slot[PC_SLOT_B] = c->attr_size;
    pc_make_table(&make, pc_event_desc);
    return make.len;
}

/* EVENT_DESC with the names of c->types. */
static void fold_event_desc(struct pc_content *c, const struct pc_item *item)
{
    size_t size = make_event_desc(c, NULL);
    unsigned char *bytes = pc_alloc(c->mem, size);
    if (bytes) {
        make_event_desc(c, bytes);
        pc_fold_made_feature(c, item, PC_EVENT_DESC, (struct pc_span){ bytes, size });
        pc_capture_feature(&c->scan->capture, PC_EVENT_DESC,
                           pc_cursor((struct pc_span){ bytes, size }, c->scan->capture.order));
    } else {
        pc_content_no_memory(c);
    }
    pc_free(c->mem, bytes, size);
}

typedef const char *name_of_event(const struct pc_capture *capture, const struct pc_attr *attr,
                                  char made[PC_LINE_NAME]);

/* Takes the names of all events. False: one has none. */
static bool name_events(struct pc_content *c, name_of_event *name_of)
{
    const struct pc_capture *capture = &c->scan->capture;
    c->nr_types = 0;
    for (size_t i = 0; i < capture->nr_attrs; i++) {
        char made[PC_LINE_NAME];
        const char *name = name_of(capture, &capture->attr[i], made);
        if (!name)
            return false;
        pc_fold_type(c, pc_attr_get(&capture->attr[i], PC_ATTR_CONFIG),
                     (struct pc_span){ (const unsigned char *)name, strlen(name) });
    }
    return capture->nr_attrs != 0;
}

static void note_cut_names(struct pc_content *c)
{
    const struct pc_capture *capture = &c->scan->capture;
    for (size_t i = 0; i < capture->nr_attrs; i++) {
        if (pc_line_cuts_name(capture, &capture->attr[i]))
            pc_edit_note(c, PC_EDIT_ANDROID_NAME_CUT, capture->attr[i].offset);
    }
}

void pc_fold_types(struct pc_content *c, const struct pc_item *item)
{
    const uint64_t newest =
        120; /* attr sizes of perfs that wrote them: before 3.12, with room for later ones */
    if (c->attr_size <= newest && !c->scan->capture.is_pipe)
        keep_types_of_file(c);
    if (pc_bit(c->parts.present, PC_EVENT_DESC))
        return;
    if (c->attr_size <= newest && c->nr_types != 0 && types_fit_attrs(c)) {
        fold_event_desc(c, item);
    } else if (c->reader && c->has_event_lines && pc_lines_name_events(&c->scan->capture) &&
               name_events(c, pc_line_or_type_name) && types_fit_attrs(c)) {
        fold_event_desc(c, item);
        pc_edit_note(c, PC_EDIT_ANDROID_NAMES, item->offset);
        note_cut_names(c);
    } else if (c->salvage && pc_salvage_lost_feature(c->salvage, PC_EVENT_DESC) &&
               !c->scan->capture.by_simpleperf && /* which writes none, and whose EVENT_ID adds to it */
               name_events(c, pc_attr_event_name) && types_fit_attrs(c)) {
        fold_event_desc(c, item);
        pc_salvage_note_made(c->salvage, PC_EVENT_DESC);
    }
}

/* SPDX-License-Identifier: MIT
 *
 * Names of events as perf before 3.12 wrote them, which become EVENT_DESC.
 */
#include "write/content_parts.h"
#include "bytes/cursor.h"

#include <string.h>

void pc_fold_type(struct pc_content *c, uint64_t event_id, struct pc_span name)
{
    const size_t room = PC_EVENT_TYPE_SIZE - 8;
    if (!pc_content_grow(c, &c->types, &c->types_cap, c->types_len + PC_EVENT_TYPE_SIZE, 1))
        return;
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
        if (!pc_reader_look_whole(&c->scan->reader, offset + at, entry, sizeof(entry)))
            return;
        pc_fold_type(c, pc_load(entry, 8, capture->order), (struct pc_span){ entry + 8, sizeof(entry) - 8 });
    }
}

/* perf takes no names from an EVENT_DESC where one attr has such bits (PC0870; header.c: perf_attr_check). */
static bool has_unknown_bits(const struct pc_attr *attr)
{
    uint64_t type = pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE);
    return type >> PC_S_BITS || pc_attr_get(attr, PC_ATTR_READ_FORMAT) >> PC_READ_BITS ||
           ((type & PC_S_BRANCH_STACK) && pc_attr_get(attr, PC_ATTR_BRANCH_TYPE) >> PC_BRANCH_BITS);
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
            entry[8] == 0 || has_unknown_bits(&capture->attr[i]))
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

void pc_fold_types(struct pc_content *c, const struct pc_item *item)
{
    const uint64_t newest =
        120; /* attr sizes of perfs that wrote them: before 3.12, with room for later ones */
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
        pc_fold_made_feature(c, item, PC_EVENT_DESC, (struct pc_span){ bytes, size });
        pc_capture_feature(&c->scan->capture, PC_EVENT_DESC,
                           pc_cursor((struct pc_span){ bytes, size }, c->scan->capture.order));
    } else {
        pc_content_no_memory(c);
    }
    pc_free(c->mem, bytes, size);
}

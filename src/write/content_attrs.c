/* SPDX-License-Identifier: MIT
 *
 * Attrs and their ids as a content keeps them, from the attr section of a file or from HEADER_ATTR.
 */
#include "write/content_parts.h"
#include "bytes/cursor.h"

#include <string.h>

static bool add_id(struct pc_content *c, uint64_t id)
{
    if (!pc_content_grow(c, &c->ids, &c->cap_ids, c->nr_ids + 1, sizeof(*c->ids)))
        return false;
    c->ids[c->nr_ids++] = id;
    c->attr[c->nr_attrs - 1].nr_ids++;
    return true;
}

/* Something in the last attr, `at` bytes into the item that it came with, cannot be carried over. */
static void refuse_attr(struct pc_content *c, const struct pc_item *item, enum pc_diag id, size_t at,
                        uint64_t length, struct pc_value seen)
{
    const struct pc_context attr = {
        .place = PC_IN_ATTR, .number = c->nr_attrs - 1, .where = item->where, .offset = item->offset
    };
    pc_content_refuse_in(c, &attr, id, at, length, seen, NULL);
}

/* Keeps an attr; its ids follow. */
static bool add_attr(struct pc_content *c, const struct pc_item *item, struct pc_span attr, size_t at)
{
    const struct pc_capture *capture = &c->scan->capture;
    if (!c->attr_room && !(c->attr_room = pc_alloc_buffer(c->mem, PC_ATTR_ROOM))) {
        pc_content_no_memory(c);
        return false;
    }
    if (!pc_content_grow(c, &c->attr_bytes, &c->attr_cap, c->attr_len + attr.len, 1) ||
        !pc_content_grow(c, &c->attr, &c->cap_attrs, c->nr_attrs + 1, sizeof(*c->attr)))
        return false;
    memcpy(c->attr_bytes + c->attr_len, attr.ptr, attr.len);
    attr.ptr = c->attr_bytes + c->attr_len;
    c->attr[c->nr_attrs++] = (struct pc_content_attr){
        .at = c->attr_len, .len = attr.len, .ids = c->nr_ids, .offset = item->offset + at
    };
    if (c->has_records && c->late_attr == PC_NO_INDEX)
        c->late_attr = c->nr_attrs - 1;
    if (c->early_update && !c->parts.attr_after_update) {
        c->parts.attr_after_update = true;
        if (!c->own.lenient) /* readers gave the update to the event that they knew */
            refuse_attr(c, item, PC_D_REWRITE_LATE_ATTR, at, item->bytes.len - at, pc_none);
    }
    if (capture->nr_attrs != 0)
        c->has_branches |= (pc_attr_get(&capture->attr[capture->nr_attrs - 1], PC_ATTR_SAMPLE_TYPE) &
                            PC_S_BRANCH_STACK) != 0;
    c->attr_len += attr.len;
    c->attr_size = attr.len > c->attr_size ? attr.len : c->attr_size;
    c->changes++;
    size_t limit = c->reader ? c->reader->attr_size : SIZE_MAX;
    if (attr.len > limit) {
        struct pc_span cut = pc_part(attr, limit, attr.len - limit);
        size_t first = pc_first_nonzero(cut);
        if (first != cut.len)
            refuse_attr(c, item, PC_D_REWRITE_FOR_ATTR, at + limit + first, cut.len - first,
                        pc_text_value(pc_version_name(c->reader->version)));
    }
    uint64_t needs = pc_attr_needs(attr, capture->order);
    if (needs > PC_ATTR_SIZE_KNOWN && capture->order != c->own.to && !c->own.lenient)
        refuse_attr(c, item, PC_D_REWRITE_ATTR, at + PC_ATTR_SIZE_KNOWN, needs - PC_ATTR_SIZE_KNOWN,
                    pc_text_value("members that no known version explains"));
    return true;
}

void pc_fold_section_attr(struct pc_content *c, const struct pc_item *item)
{
    struct pc_capture *capture = &c->scan->capture;
    struct pc_span attr = pc_part(item->bytes, 0, item->bytes.len - PC_SECTION_SIZE);
    const struct pc_attr *known = capture->nr_attrs ? &capture->attr[capture->nr_attrs - 1] : NULL;
    struct pc_span whole = pc_attr_whole(attr, capture->order);
    unsigned char chunk[4096];
    if (!known || known->offset != item->offset || !add_attr(c, item, whole, 0))
        return; /* it could not be read, which was reported */
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

void pc_fold_header_attr(struct pc_content *c, const struct pc_item *item)
{
    struct pc_capture *capture = &c->scan->capture;
    struct pc_cursor in = pc_record_body(item->bytes, capture->order);
    struct pc_span attr;
    uint64_t size, id;
    if (!capture->is_pipe || !pc_peek(&in, PC_ATTR_SIZE_AT, 4, &size) ||
        !pc_take(&in, pc_attr_size(size), &attr))
        return; /* which was reported */
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

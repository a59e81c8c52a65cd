/* SPDX-License-Identifier: MIT
 *
 * The digest of a content (CONTRACT.md section 5), and the sums that it is made of.
 */
#include "write/content.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void put_attrs(struct pc_content *c, struct pc_marks *attrs)
{
    pc_marks_begin(attrs);
    for (size_t i = 0; i < c->nr_attrs; i++) {
        const struct pc_content_attr *a = &c->attr[i];
        struct pc_span attr = { c->attr_bytes + a->at, a->len };
        uint64_t size = pc_attr_needs(attr, c->scan->capture.order);
        c->little.attr_size = size > PC_ATTR_SIZE_KNOWN ? size : PC_ATTR_SIZE_KNOWN;
        pc_convert_attr(&c->little, attr, c->attr_room);
        struct pc_span counts = { c->attr_room, (size_t)c->little.attr_size };
        if (c->as_written)
            counts = c->derived ? attr : pc_content_attr(c, i);
        pc_marks_put(attrs, i);
        pc_hash_put_uint(&attrs->hash, counts.len);
        pc_hash_put(&attrs->hash, counts.ptr, counts.len);
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
    pc_marks_begin(&parts->names);
    put_names(&c->scan->capture, &parts->names);
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

static void put_range(char place[PC_PLACE_MAX], const char *whose, const char *what, uint64_t from,
                      uint64_t to)
{
    if (from == PC_NO_INDEX)
        snprintf(place, PC_PLACE_MAX, "%safter the last of the %s", whose, what);
    else if (to == PC_NO_INDEX)
        snprintf(place, PC_PLACE_MAX, "%s%s[%" PRIu64 "] or after it", whose, what, from);
    else if (to > from + 1)
        snprintf(place, PC_PLACE_MAX, "%s%s[%" PRIu64 "] or after it, before %s[%" PRIu64 "]", whose, what,
                 from, what, to);
    else
        snprintf(place, PC_PLACE_MAX, "%s%s[%" PRIu64 "]", whose, what, from);
}

bool pc_content_differs(const struct pc_parts *wanted, struct pc_content *c, bool left_out,
                        char place[PC_PLACE_MAX])
{
    const struct pc_parts *seen = pc_content_parts(c);
    uint64_t from, to;
    place[0] = 0;
    if (pc_marks_part(&wanted->attrs, &seen->attrs, &from, &to)) {
        put_range(place, "", "attrs", from, to);
    } else if (pc_marks_part(&wanted->records, &seen->records, &from, &to)) {
        put_range(place, "", "records", from, to);
    } else if (!left_out && pc_marks_part(&wanted->names, &seen->names, &from, &to)) {
        put_range(place, "the name of ", "attrs", from, to);
    } else if (!left_out && pc_marks_part(&wanted->updates, &seen->updates, &from, &to)) {
        put_range(place, "the event of ", "records", from, to);
    } else if (c->late_attr != PC_NO_INDEX) {
        snprintf(place, PC_PLACE_MAX, "attrs[%" PRIu64 "] comes after records", c->late_attr);
    } else {
        return false;
    }
    return true;
}

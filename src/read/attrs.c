/* SPDX-License-Identifier: MIT
 *
 * Attrs and their ids, from the attr section of a file or from HEADER_ATTR.
 */
#include "read/parts.h"

/* An id that was read. */
struct listed {
    uint32_t attr, other; /* whose it is, and whose it is already */
    uint64_t i, id;       /* its number among those of the attr */
    uint64_t offset;
    const struct pc_item *record; /* the HEADER_ATTR that holds it; NULL: none */
};

/* What adding it to the map came to. */
static void say_id(struct pc_reader *r, enum pc_id_outcome outcome, const struct listed *listed)
{
    static const enum pc_diag diags[] = {
        [PC_ID_ZERO] = PC_D_ID_ZERO,
        [PC_ID_AGAIN] = PC_D_ID_REPEATED,
        [PC_ID_OTHERS] = PC_D_ID_DUPLICATE,
        [PC_ID_FULL] = PC_D_TOO_MANY_IDS_HELD,
    };
    if (outcome == PC_ID_ADDED)
        return;
    if (outcome == PC_ID_FULL && r->capture->ids.nr < PC_IDS_HELD_MAX) {
        pc_reader_say_out_of_memory(r, "ids were read");
        pc_reader_learn(r)->attrs_damaged = true; /* not all ids are known */
        return;
    }
    if (outcome == PC_ID_FULL)
        pc_reader_learn(r)->ids_missing = true;
    struct pc_context about = { .place = PC_IN_ATTR, .number = listed->attr };
    if (listed->record)
        about = pc_item_context(listed->record);
    about.offset = listed->offset;
    struct pc_finding f = pc_finding_in(&about, diags[outcome], 0, 8);
    f.path[0] = (struct pc_step){ "ids", listed->i };
    f.depth = 1;
    f.seen = pc_uint_value(listed->id);
    if (outcome != PC_ID_ZERO)
        f.expected = pc_uint_value(outcome == PC_ID_FULL ? PC_IDS_HELD_MAX : listed->other);
    pc_report_add(r->report, &f);
}

/* False: the map is full. */
static bool add_id(struct pc_reader *r, struct listed listed)
{
    enum pc_id_outcome outcome = pc_capture_add_id(pc_reader_learn(r), listed.id, listed.attr, &listed.other);
    say_id(r, outcome, &listed);
    return outcome != PC_ID_FULL;
}

/* The ids section of an attr: into the map, a chunk at a time. */
static void read_ids(struct pc_reader *r, uint32_t attr, uint64_t entry_end, uint64_t offset, uint64_t size)
{
    const struct pc_context entry = {
        .place = PC_IN_ATTR, .number = attr, .offset = entry_end - PC_SECTION_SIZE, .name = "ids"
    };
    unsigned char chunk[8192];
    uint64_t end;

    if (size % 8 != 0) {
        pc_reader_learn(r)->ids_missing = true;
        pc_report_say(r->report, &entry, PC_D_IDS_UNALIGNED, 8, 8, pc_uint_value(size), pc_none);
    }
    if (!pc_add(offset, size, &end) || end > r->in->size) {
        r->file.lost = true;
        pc_reader_learn(r)->ids_missing = true;
        pc_report_say(r->report, &entry, PC_D_IDS_OUTSIDE, 0, PC_SECTION_SIZE,
                      pc_hex_value(pc_add_saturated(offset, size)), pc_hex_value(r->in->size));
        return;
    }
    pc_reader_add_range(r, PC_RANGE_IDS, attr, offset, end);
    if (size / 8 > PC_ATTR_IDS_MAX) {
        pc_reader_learn(r)->ids_missing = true;
        pc_report_say(r->report, &entry, PC_D_IDS_TOO_MANY, 0, PC_SECTION_SIZE, pc_uint_value(size / 8),
                      pc_uint_value(PC_ATTR_IDS_MAX));
        return;
    }
    pc_reader_learn(r)->attr[attr].ids_offset = offset;
    /* Many more ids than the file can hold share their bytes, which is reported of the ranges; to read them
     * again for every attr would take time without end. One id of such an attr still shows whose they are. */
    const uint64_t times = 4, slack = (uint64_t)1 << 20;
    uint64_t before = r->file.ids_read,
             most = r->in->size / 2 > UINT64_MAX / (2 * times) ? UINT64_MAX : times * r->in->size + slack;
    r->file.ids_read = pc_add_saturated(before, size);
    if (r->file.ids_read > most) {
        if (before <= most)
            pc_report_say(r->report, &entry, PC_D_LIMIT_STATE, 0, PC_SECTION_SIZE, pc_none,
                          pc_uint_value(most / 8));
        pc_reader_learn(r)->attrs_damaged = true; /* not all ids are known */
        size = size < 8 ? size : 8;
    }
    for (uint64_t i = 0; i < size / 8;) {
        uint64_t left = (size / 8 - i) * 8;
        size_t n = left < sizeof(chunk) ? (size_t)left : sizeof(chunk);
        if (pc_input_read_at(r->in, offset + 8 * i, chunk, n) != n) {
            pc_reader_say_short_read(r, offset + 8 * i);
            return;
        }
        for (size_t at = 0; at < n; at += 8, i++) {
            uint64_t id = pc_load(chunk + at, 8, r->capture->order);
            if (!add_id(r, (struct listed){ .attr = attr, .i = i, .id = id, .offset = offset + 8 * i }))
                return;
        }
    }
}

bool pc_reader_next_attr(struct pc_reader *r, struct pc_item *item)
{
    struct pc_capture *capture = pc_reader_learn(r);
    uint64_t entry = pc_header_get(capture, PC_HEAD_ATTR_SIZE);
    uint64_t offset = pc_header_get(capture, PC_HEAD_ATTRS_OFFSET) + r->file.index * entry;
    uint64_t slot[PC_SLOTS];

    if (r->file.index >= pc_header_get(capture, PC_HEAD_ATTRS_SIZE) / entry ||
        !pc_reader_read_section(r, offset, entry))
        return false;
    struct pc_span bytes = { r->file.section, (size_t)entry };
    struct pc_span attr = pc_part(bytes, 0, (size_t)entry - PC_SECTION_SIZE);
    /* After an attr of a wrong size, later ones are in the wrong place and are not read. */
    uint64_t own_size = pc_load(attr.ptr + PC_ATTR_SIZE_AT, 4, capture->order);
    if ((own_size == 0 || own_size == attr.len || pc_attr_ends_early(capture, attr)) &&
        pc_attr_walk(attr, capture->order, slot)) {
        uint32_t number = pc_capture_add_attr(capture, slot, offset);
        if (number == PC_NO_ATTR) {
            pc_reader_say_out_of_memory(r, "attrs were read");
            return false;
        }
        uint64_t ids_offset, ids_size;
        pc_load_section(pc_part(bytes, attr.len, PC_SECTION_SIZE), capture->order, &ids_offset, &ids_size);
        read_ids(r, number, offset + entry, ids_offset, ids_size);
    } else {
        capture->attrs_damaged = true;
    }
    *item =
        (struct pc_item){ .kind = PC_ITEM_ATTR, .bytes = bytes, .offset = offset, .number = r->file.index++ };
    return true;
}

void pc_reader_take_header_attr(struct pc_reader *r, const struct pc_item *item)
{
    struct pc_capture *capture = pc_reader_learn(r);
    struct pc_cursor c = pc_record_body(item->bytes, capture->order);
    uint64_t slot[PC_SLOTS], size;

    if (!pc_peek(&c, PC_ATTR_SIZE_AT, 4, &size))
        return;
    size = pc_attr_size(size);
    struct pc_span attr;
    if (size % 8 != 0 || !pc_take(&c, size, &attr) || !pc_attr_walk(attr, capture->order, slot)) {
        capture->attrs_damaged = true;
        return;
    }
    uint32_t number = pc_capture_add_attr(capture, slot, item->offset + PC_RECORD_HEADER_SIZE);
    if (number == PC_NO_ATTR) {
        bool reported = capture->attrs_damaged;
        capture->attrs_damaged = true;
        if (capture->nr_attrs < PC_ATTRS_MAX) {
            pc_reader_say_out_of_memory(r, "attrs were read");
        } else if (!reported) {
            const struct pc_context end = {
                .place = PC_AT_END, .where = item->where, .offset = item->offset, .name = "attrs"
            };
            pc_report_say(r->report, &end, PC_D_LIMIT_STATE, 0, item->bytes.len, pc_none,
                          pc_uint_value(PC_ATTRS_MAX));
        }
        return;
    }
    struct listed listed = { .attr = number, .record = item };
    for (; pc_uint(&c, 8, &listed.id); listed.i++) {
        listed.offset = item->offset + c.pos - 8;
        if (!add_id(r, listed))
            break;
    }
}

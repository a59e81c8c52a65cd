/* SPDX-License-Identifier: MIT */
#include "write/repair_records.h"
#include "bytes/cursor.h"
#include "read/plausible.h"

#include <string.h>

bool pc_repair_records_lead(struct pc_desc *e, uint64_t from, uint64_t to)
{
    unsigned char head[PC_RECORD_HEADER_SIZE];
    while (from < to) {
        if (pc_input_read_at(&e->in, from, head, sizeof(head)) != sizeof(head) ||
            !pc_may_follow(head, e->order))
            return false;
        from += pc_load_head(head, e->order).size;
    }
    return from == to;
}

/* Whether the attr and the ids of an event stand in the record that begins at this place. */
static bool event_is_at(struct pc_desc *e, size_t i, uint64_t at)
{
    const struct pc_desc_event *event = &e->event[i];
    at += PC_RECORD_HEADER_SIZE;
    return pc_desc_has(e, at, e->bytes + event->attr_at, (size_t)e->attr_size) &&
           pc_desc_has(e, at + e->attr_size, e->bytes + event->ids_at, (size_t)(8 * event->nr_ids));
}

bool pc_repair_record_is_lost(struct pc_desc *e, size_t i, uint64_t at)
{
    unsigned char head[PC_RECORD_HEADER_SIZE];
    if (event_is_at(e, i, at) || pc_input_read_at(&e->in, at, head, sizeof(head)) != sizeof(head))
        return false;
    bool others = pc_load_head(head, e->order).type != PC_HEADER_ATTR &&
                  pc_repair_records_lead(e, at, at + pc_desc_record_size(e, i));
    return others || (i + 1 < e->nr && event_is_at(e, i + 1, at));
}

/* Whether these bytes are at this place, or zeros for some of them. */
static bool has_or_zeros(struct pc_desc *e, uint64_t offset, const unsigned char *bytes, size_t n)
{
    if (pc_input_read_at(&e->in, offset, e->seen, n) != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (e->seen[i] != 0 && e->seen[i] != bytes[i])
            return false;
    }
    return true;
}

void pc_repair_store_head(const struct pc_desc *e, size_t i, unsigned char *head)
{
    pc_store_head(head, (struct pc_record_head){ PC_HEADER_ATTR, 0, (uint16_t)pc_desc_record_size(e, i) },
                  e->order);
}

/* Whether one of the records that follow the feature has an attr. */
static bool has_attrs_behind(struct pc_desc *e)
{
    const unsigned most = 64; /* more than there are features */
    unsigned char head[PC_RECORD_HEADER_SIZE];
    uint64_t at = e->at + e->size;
    for (unsigned i = 0; i < most; i++) {
        if (pc_input_read_at(&e->in, at, head, sizeof(head)) != sizeof(head) ||
            !pc_may_follow(head, e->order))
            return false;
        const struct pc_record_head record = pc_load_head(head, e->order);
        if (record.type == PC_HEADER_ATTR)
            return true;
        at += record.size;
    }
    return false;
}

/* Whether the bytes begin with the record of an event. */
static bool begins_with_event(const struct pc_desc *e, struct pc_span bytes)
{
    const struct pc_record_head head = pc_load_head(bytes.ptr, e->order);
    if (head.type != PC_HEADER_ATTR || head.size > bytes.len)
        return false;
    const unsigned char *attr = bytes.ptr + PC_RECORD_HEADER_SIZE, *ids = attr + e->attr_size;
    for (size_t i = 0; i < e->nr; i++) {
        const struct pc_desc_event *event = &e->event[i];
        if (pc_desc_record_size(e, i) == head.size &&
            memcmp(attr, e->bytes + event->attr_at, (size_t)e->attr_size) == 0 &&
            memcmp(ids, e->bytes + event->ids_at, (size_t)(8 * event->nr_ids)) == 0)
            return true;
    }
    return false;
}

/* Whether an attr stands elsewhere than in the first records: some perfs write others before them, of which
 * some end at no multiple of 8. */
static bool are_elsewhere(struct pc_desc *e, uint64_t end)
{
    const uint64_t n = e->at - PC_FEATURE_HEAD - end;
    unsigned char *bytes = pc_alloc_buffer(&e->s->mem, n);
    if (!bytes) {
        e->s->no_memory = true;
        return true;
    }
    const size_t have = pc_input_read_at(&e->in, end, bytes, (size_t)n);
    bool any = false;
    for (size_t at = 0; !any && at + PC_RECORD_HEADER_SIZE <= have; at++)
        any = begins_with_event(e, (struct pc_span){ bytes + at, have - at });
    pc_free(&e->s->mem, bytes, n);
    return any || has_attrs_behind(e);
}

/* Whether the bytes where the records begin are theirs, or zeros. */
static bool have_or_zeros(struct pc_desc *e)
{
    unsigned char head[PC_RECORD_HEADER_SIZE];
    uint64_t at = PC_PIPE_HEADER_SIZE;
    for (size_t i = 0; i < e->nr; at += pc_desc_record_size(e, i), i++) {
        const struct pc_desc_event *event = &e->event[i];
        const uint64_t attr = at + sizeof(head), ids = attr + e->attr_size;
        pc_repair_store_head(e, i, head);
        if (!has_or_zeros(e, at, head, sizeof(head)) ||
            !has_or_zeros(e, attr, e->bytes + event->attr_at, (size_t)e->attr_size) ||
            !has_or_zeros(e, ids, e->bytes + event->ids_at, (size_t)(8 * event->nr_ids)))
            return false;
    }
    return true;
}

bool pc_repair_records_are_zeros(struct pc_desc *e, uint64_t end)
{
    unsigned char head[PC_RECORD_HEADER_SIZE];
    if (e->at - PC_FEATURE_HEAD < end + sizeof(head) || pc_input_is_shifted(&e->in) ||
        pc_input_read_at(&e->in, end, head, sizeof(head)) != sizeof(head) ||
        pc_load_head(head, e->order).type != 0)
        return false;
    return have_or_zeros(e) && !are_elsewhere(e, end);
}

bool pc_repair_records_begin(struct pc_desc *e)
{
    uint64_t end = PC_PIPE_HEADER_SIZE;
    for (size_t i = 0; i < e->nr; i++) {
        if (pc_desc_record_size(e, i) > PC_RECORD_SIZE_MAX)
            return false;
        end += pc_desc_record_size(e, i);
    }
    return end < e->at && pc_repair_records_lead(e, end, e->at - PC_FEATURE_HEAD) && have_or_zeros(e);
}

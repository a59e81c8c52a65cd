/* SPDX-License-Identifier: MIT */
#include "write/repair_records.h"
#include "bytes/cursor.h"
#include "read/plausible.h"

bool pc_desc_records_lead(struct pc_desc *e, uint64_t from, uint64_t to)
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

bool pc_desc_record_is_lost(struct pc_desc *e, size_t i, uint64_t at)
{
    unsigned char head[PC_RECORD_HEADER_SIZE];
    if (event_is_at(e, i, at) || pc_input_read_at(&e->in, at, head, sizeof(head)) != sizeof(head))
        return false;
    bool others = pc_load_head(head, e->order).type != PC_HEADER_ATTR &&
                  pc_desc_records_lead(e, at, at + pc_desc_record_size(e, i));
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

void pc_desc_store_head(const struct pc_desc *e, size_t i, unsigned char *head)
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

/* Whether an attr stands elsewhere than in the first records: some perfs write others before them. */
static bool are_elsewhere(struct pc_desc *e, uint64_t end)
{
    unsigned char head[PC_RECORD_HEADER_SIZE];
    for (uint64_t at = end; at < e->at - PC_FEATURE_HEAD; at += sizeof(head)) {
        if (pc_input_read_at(&e->in, at, head, sizeof(head)) != sizeof(head))
            return false;
        for (size_t i = 0; i < e->nr && pc_load_head(head, e->order).type == PC_HEADER_ATTR; i++) {
            if (event_is_at(e, i, at))
                return true;
        }
    }
    return has_attrs_behind(e);
}

bool pc_desc_records_are_zeros(struct pc_desc *e, uint64_t end)
{
    unsigned char head[PC_RECORD_HEADER_SIZE];
    uint64_t at = PC_PIPE_HEADER_SIZE;
    if (e->at - PC_FEATURE_HEAD < end + sizeof(head) || pc_input_is_shifted(&e->in) ||
        pc_input_read_at(&e->in, end, head, sizeof(head)) != sizeof(head) ||
        pc_load_head(head, e->order).type != 0)
        return false;
    for (size_t i = 0; i < e->nr; at += pc_desc_record_size(e, i), i++) {
        const struct pc_desc_event *event = &e->event[i];
        const uint64_t attr = at + sizeof(head), ids = attr + e->attr_size;
        pc_desc_store_head(e, i, head);
        if (!has_or_zeros(e, at, head, sizeof(head)) ||
            !has_or_zeros(e, attr, e->bytes + event->attr_at, (size_t)e->attr_size) ||
            !has_or_zeros(e, ids, e->bytes + event->ids_at, (size_t)(8 * event->nr_ids)))
            return false;
    }
    return !are_elsewhere(e, end);
}

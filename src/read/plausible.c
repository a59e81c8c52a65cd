/* SPDX-License-Identifier: MIT */
#include "read/plausible.h"
#include "bytes/cursor.h"

static bool is_plausible(const struct pc_record_head *head, const struct pc_record_info *info)
{
    return head->size >= info->min && (head->misc & ~(unsigned)info->misc) == 0 &&
           ((info->flags & PC_ANY_SIZE) || head->size % 8 == 0);
}

bool pc_plausible_header(const struct pc_reader *r, const unsigned char *p, uint64_t *size)
{
    struct pc_record_head head = pc_load_head(p, r->capture->order);
    const struct pc_record_info *info = pc_record_info(head.type);
    *size = head.size;
    return info && is_plausible(&head, info);
}

/* Unknown types count when they look like a record: newer kernels and other tools have types of their own. */
bool pc_may_follow(const unsigned char *header, enum pc_order order)
{
    struct pc_record_head head = pc_load_head(header, order);
    const struct pc_record_info *info = pc_record_info(head.type);
    if (info)
        return is_plausible(&head, info);
    return head.type > 0 && !pc_is_impossible_type(head.type) && head.size >= PC_RECORD_HEADER_SIZE &&
           head.size % 8 == 0;
}

/* A map of CPUs as long as cpu_map_data__alloc of perf 4.5 to 4.20 made it: no padding, but in CPU_MAP room
 * for the type twice and 2 bytes that fill its struct up to a multiple of 4 (tools/perf/util/event.c). */
static bool is_unpadded_map(uint32_t type, struct pc_cursor body)
{
    struct pc_walk walk;
    return pc_read_table(&walk, pc_record_info(type)->fields, body) && walk.slot_at[PC_REC_RAW] != 0 &&
           walk.slot[PC_REC_MAP] != PC_MAP_RANGE && walk.slot[PC_REC_RAW] == (type == PC_CPU_MAP ? 4 : 0);
}

bool pc_breaks_grid(const struct pc_record_head *head)
{
    const struct pc_record_info *info = pc_record_info(head->type);
    return head->size % 8 != 0 && !(info && (info->flags & PC_ANY_SIZE));
}

bool pc_may_be_unaligned(uint32_t type)
{
    return type == PC_HEADER_BUILD_ID || type == PC_CPU_MAP || type == PC_EVENT_UPDATE;
}

const char *pc_unaligned_writer(uint32_t type, struct pc_span record, enum pc_order order)
{
    if (!pc_may_be_unaligned(type))
        return NULL;
    if (type == PC_HEADER_BUILD_ID)
        return record.len % 8 == 4 ? "perf inject -b up to 6.1" : NULL;
    return is_unpadded_map(type, pc_record_body(record, order)) ? "perf up to 4.20" : NULL;
}

bool pc_plausible_record(const struct pc_reader *r, struct pc_span record, uint64_t *size)
{
    if (pc_plausible_header(r, record.ptr, size))
        return true;
    struct pc_record_head head = pc_load_head(record.ptr, r->capture->order);
    const struct pc_record_info *info = pc_record_info(head.type);
    return info && head.size % 8 != 0 && head.size >= info->min && head.size <= record.len &&
           (head.misc & ~(unsigned)info->misc) == 0 &&
           pc_unaligned_writer(head.type, pc_part(record, 0, head.size), r->capture->order);
}

bool pc_plausible_step(struct pc_reader *r, struct pc_span record, uint64_t *step)
{
    r->work++;
    if (record.len < PC_RECORD_HEADER_SIZE || !pc_may_be_type(record.ptr, r->capture->order) ||
        !pc_plausible_record(r, record, step))
        return false;
    if (!pc_record_is(pc_load_head(record.ptr, r->capture->order).type, PC_HAS_PAYLOAD))
        return true;
    return *step <= record.len && pc_record_step(pc_part(record, 0, (size_t)*step), r->capture->order, step);
}

bool pc_plausible_step_at(struct pc_reader *r, size_t at, size_t have, uint64_t *step)
{
    return pc_plausible_step(r, (struct pc_span){ r->w->bytes + r->w->at + at, have - at }, step);
}

/* SPDX-License-Identifier: MIT */
#include "check/check.h"
#include "read/resync.h"
#include "bytes/cursor.h"

#include <string.h>

static const struct pc_value none;

void pc_check_init(struct pc_check *check, struct pc_mem *mem, struct pc_report *report,
                   const struct pc_capture *capture)
{
    memset(check, 0, sizeof(*check));
    check->mem = mem;
    check->report = report;
    check->capture = capture;
    check->slot = check->own.slot;
    check->slot_at = check->own.slot_at;
    pc_flow_init(&check->flow, mem, report, capture);
}

void pc_check_clear(struct pc_check *check)
{
    pc_flow_clear(&check->flow);
    pc_keys_clear(check->mem, &check->keys);
    pc_free(check->mem, check->draft, sizeof(*check->draft));
    check->draft = NULL;
}

/* --- any record --- */

static void check_misc(struct pc_check *check, const struct pc_item *item, const struct pc_record_info *info)
{
    const size_t at = PC_RECORD_MISC_AT;
    unsigned misc = item->misc, mode = misc & PC_MISC_CPUMODE;
    if (misc == PC_MODE_USER && (info->flags & PC_HAS_CPUMODE))
        return; /* by far the most common: an address of user space */
    if (pc_is_kernel_type(item->type) && !(info->misc & PC_MISC_CPUMODE) &&
        (mode == PC_MODE_GUEST_KERNEL || mode == PC_MODE_GUEST_USER))
        pc_check_say(check, PC_D_CPUMODE_GUEST, at, 2, pc_uint_value(mode), none);
    else if (misc & ~(unsigned)info->misc)
        pc_check_say(check, PC_D_MISC_UNDEFINED, at, 2, pc_hex_value(misc & ~(unsigned)info->misc),
                     pc_hex_value(info->misc));
    if (item->type == PC_HEADER_ATTR && misc != 0)
        pc_check_say(check, PC_D_MISC_HEADER_ATTR, at, 2, pc_hex_value(misc), none);
    if ((info->flags & PC_HAS_CPUMODE) &&
        (mode > PC_MODE_GUEST_USER || (mode == PC_MODE_UNKNOWN && (info->flags & PC_NEEDS_MODE))))
        pc_check_say(check, PC_D_CPUMODE_UNDEFINED, at, 2, pc_uint_value(mode), none);
    if ((item->type == PC_SWITCH || item->type == PC_SWITCH_CPU_WIDE) && (misc & PC_MISC_SWITCH_PREEMPT) &&
        !(misc & PC_MISC_SWITCH_OUT))
        pc_check_say(check, PC_D_PREEMPT_WITHOUT_OUT, at, 2, pc_hex_value(misc), none);
    if (item->type == PC_MMAP && (misc & PC_MISC_MMAP_BUILD_ID))
        pc_check_say(check, PC_D_BUILD_ID_ON_MMAP, at, 2, pc_hex_value(misc), none);
}

static inline void check_alignment(struct pc_check *check, const struct pc_item *item, unsigned flags)
{
    const size_t size_at = PC_RECORD_SIZE_AT;
    size_t size = item->bytes.len;
    if (size % 8 == 0 || (flags & PC_ANY_SIZE))
        return;
    const char *writer = pc_unaligned_writer(item->type, item->bytes, check->capture->order);
    pc_check_say(check, writer ? PC_D_RECORD_UNALIGNED_KNOWN : PC_D_RECORD_UNALIGNED, size_at, 2,
                 pc_uint_value(size), writer ? pc_text_value(writer) : none);
}

static void check_unknown(struct pc_check *check, const struct pc_item *item)
{
    enum pc_diag id = pc_is_kernel_type(item->type) ? PC_D_TYPE_KERNEL_UNKNOWN : PC_D_TYPE_USER_UNKNOWN;
    if (item->type >= PC_TYPE_END)
        id = PC_D_TYPE_IMPOSSIBLE;
    pc_check_say(check, id, 0, 4, pc_uint_value(item->type), none);
    check_alignment(check, item, 0);
}

/* What holds for records of every known type. False: its content is not worth looking at. */
static bool check_frame(struct pc_check *check, const struct pc_item *item, const struct pc_record_info *info)
{
    const size_t size_at = PC_RECORD_SIZE_AT;
    check_alignment(check, item, info->flags);
    check_misc(check, item, info);
    if (item->bytes.len < info->min) {
        pc_check_say(check, PC_D_RECORD_SMALL, size_at, 2, pc_uint_value(item->bytes.len),
                     pc_uint_value(info->min));
        return false;
    }
    return true;
}

static void check_record(struct pc_check *check, const struct pc_item *item)
{
    const struct pc_record_info *info = pc_item_info(item);
    if (item->where.stream != check->flow.stream)
        pc_flow_stream(&check->flow, item->where.stream);
    check->at.number = item->number;
    check->at.where = item->where;
    check->at.offset = item->offset;
    check->by_plan = false;
    check->slot = item->judged ? item->judged->slot : check->own.slot;
    check->slot_at = item->judged ? item->judged->slot_at : check->own.slot_at;
    check->at.subject = info ? info->name : NULL;
    pc_flow_count(&check->flow, item->type, info);
    if (!info) {
        check_unknown(check, item);
        return;
    }
    check->short_diag = info->short_diag;
    check->count_diag = info->count_diag;
    if (!check_frame(check, item, info))
        return;
    if (pc_is_kernel_type(item->type))
        pc_check_kernel_record(check, item, info);
    else
        pc_check_user_record(check, item, info);
}

/* Trace data after their record: checks the content, and that they end where the record says. */
static void check_payload(struct pc_check *check, const struct pc_item *item)
{
    struct pc_cursor c = pc_cursor(item->bytes, check->capture->order);
    if (item->type != PC_HEADER_TRACING_DATA || item->bytes.len == 0)
        return;
    check->at = pc_item_context(item);
    check->size_at = item->entry;
    /* Zeros fill the payload to a multiple of 8, as they do after a feature in a record. */
    pc_check_feature(check, PC_TRACING_DATA, c, true);
}

void pc_check_item(struct pc_check *check, const struct pc_item *item)
{
    check->asked = pc_flow_asked(&check->flow);
    switch (item->kind) {
    case PC_ITEM_HEADER:
        break;
    case PC_ITEM_ATTR:
        check->at = pc_item_context(item);
        pc_check_attr(check, pc_part(item->bytes, 0, item->bytes.len - PC_SECTION_SIZE), 0, false);
        break;
    case PC_ITEM_FEATURE:
        check->at = pc_item_context(item);
        pc_check_feature(check, item->number, pc_cursor(item->bytes, check->capture->order), false);
        break;
    case PC_ITEM_RECORD:
        if (check->at.place != PC_IN_RECORD)
            check->at = (struct pc_context){ .place = PC_IN_RECORD };
        check_record(check, item);
        break;
    case PC_ITEM_PAYLOAD:
        check_payload(check, item);
        break;
    case PC_ITEM_END:
        pc_flow_end(&check->flow, item);
        break;
    }
    if (check->asked == PC_BY_NONE)
        return;
    pc_check_for(check, item);
    if (item->kind == PC_ITEM_RECORD)
        pc_flow_each(&check->flow, &check->at,
                     &(struct pc_sound_record){ .item = item, .slot = check->slot });
}

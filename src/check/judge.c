/* SPDX-License-Identifier: MIT */
#include "check/judge.h"
#include "read/plausible.h"
#include "bytes/cursor.h"

#include <string.h>

void pc_judge_init(struct pc_judge *judge, struct pc_mem *mem, const struct pc_capture *capture)
{
    memset(judge, 0, sizeof(*judge));
    judge->mem = mem;
    judge->capture = capture;
    judge->facts.at = &judge->at;
    judge->facts.slot = judge->own.slot;
    judge->facts.slot_at = judge->own.slot_at;
}

void pc_judge_clear(struct pc_judge *judge)
{
    pc_keys_clear(judge->mem, &judge->keys);
    pc_free(judge->mem, judge->draft, sizeof(*judge->draft));
    judge->draft = NULL;
}

/* --- any record --- */

static void check_misc(struct pc_judge *judge, const struct pc_item *item, const struct pc_record_info *info)
{
    const size_t at = PC_RECORD_MISC_AT;
    unsigned misc = item->misc, mode = misc & PC_MISC_CPUMODE;
    if (info->flags & PC_HAS_CPUMODE ? misc == PC_MODE_USER || misc == PC_MODE_KERNEL : misc == 0)
        return; /* by far the most common: an address, or none */
    if (misc != 0 && pc_has_size_high(item->bytes.ptr, judge->capture->order))
        pc_check_say(judge, PC_D_ANDROID_SIZE, at, 2, pc_uint_value(misc),
                     pc_uint_value((uint64_t)misc << 16 | item->bytes.len));
    else if (pc_is_kernel_type(item->type) && !(info->misc & PC_MISC_CPUMODE) &&
             (mode == PC_MODE_GUEST_KERNEL || mode == PC_MODE_GUEST_USER))
        pc_check_say(judge, PC_D_CPUMODE_GUEST, at, 2, pc_uint_value(mode), pc_none);
    else if (misc & ~(unsigned)info->misc)
        pc_check_say(judge, PC_D_MISC_UNDEFINED, at, 2, pc_hex_value(misc & ~(unsigned)info->misc),
                     pc_hex_value(info->misc));
    if (item->type == PC_HEADER_ATTR && misc != 0)
        pc_check_say(judge, PC_D_MISC_HEADER_ATTR, at, 2, pc_hex_value(misc), pc_none);
    if ((info->flags & PC_HAS_CPUMODE) &&
        (mode > PC_MODE_GUEST_USER || (mode == PC_MODE_UNKNOWN && (info->flags & PC_NEEDS_MODE))))
        pc_check_say(judge, PC_D_CPUMODE_UNDEFINED, at, 2, pc_uint_value(mode), pc_none);
    if ((item->type == PC_SWITCH || item->type == PC_SWITCH_CPU_WIDE) && (misc & PC_MISC_SWITCH_PREEMPT) &&
        !(misc & PC_MISC_SWITCH_OUT))
        pc_check_say(judge, PC_D_PREEMPT_WITHOUT_OUT, at, 2, pc_hex_value(misc), pc_none);
    if (item->type == PC_MMAP && (misc & PC_MISC_MMAP_BUILD_ID))
        pc_check_say(judge, PC_D_BUILD_ID_ON_MMAP, at, 2, pc_hex_value(misc), pc_none);
}

static inline void check_alignment(struct pc_judge *judge, const struct pc_item *item, unsigned flags)
{
    const size_t size_at = PC_RECORD_SIZE_AT;
    size_t size = item->bytes.len;
    if (size % 8 == 0 || (flags & PC_ANY_SIZE))
        return;
    const char *writer = pc_unaligned_writer(item->type, item->bytes, judge->capture->order);
    pc_check_say(judge, writer ? PC_D_RECORD_UNALIGNED_KNOWN : PC_D_RECORD_UNALIGNED, size_at, 2,
                 pc_uint_value(size), writer ? pc_text_value(writer) : pc_none);
}

static __attribute__((noinline)) void check_unknown(struct pc_judge *judge, const struct pc_item *item)
{
    enum pc_diag id = pc_is_kernel_type(item->type) ? PC_D_TYPE_KERNEL_UNKNOWN : PC_D_TYPE_USER_UNKNOWN;
    if (pc_is_impossible_type(item->type))
        id = PC_D_TYPE_IMPOSSIBLE;
    else if (id == PC_D_TYPE_USER_UNKNOWN && pc_item_order(item, judge->capture->order) == PC_BIG)
        id = PC_D_TYPE_BIG_ENDIAN;
    pc_check_say(judge, id, 0, 4, pc_uint_value(item->type), pc_none);
    if (!judge->capture->by_simpleperf || !pc_is_later_android_type(item->type))
        check_alignment(judge, item, 0);
}

/* What holds for records of every known type. False: its content is not worth looking at. */
static bool check_frame(struct pc_judge *judge, const struct pc_item *item, const struct pc_record_info *info)
{
    const size_t size_at = PC_RECORD_SIZE_AT;
    check_alignment(judge, item, info->flags);
    check_misc(judge, item, info);
    if (item->bytes.len < info->min) {
        pc_check_say(judge, PC_D_RECORD_SMALL, size_at, 2, pc_uint_value(item->bytes.len),
                     pc_uint_value(info->min));
        return false;
    }
    return true;
}

PC_INLINE void check_record(struct pc_judge *judge, const struct pc_item *item)
{
    const struct pc_record_info *info = pc_item_info(item);
    judge->at.number = item->number;
    judge->at.where = item->where;
    judge->at.offset = item->offset;
    judge->at.as_whole = item->is_joined ? PC_RECORD_HEADER_SIZE : 0;
    judge->facts.by_plan = false;
    judge->facts.slot = item->judged ? item->judged->slot : judge->own.slot;
    judge->facts.slot_at = item->judged ? item->judged->slot_at : judge->own.slot_at;
    judge->at.subject = info ? info->name : NULL;
    judge->facts.info = info;
    if (!info) {
        check_unknown(judge, item);
        return;
    }
    if (!check_frame(judge, item, info))
        return;
    if (pc_is_kernel_type(item->type))
        pc_check_kernel_record(judge, item, info);
    else
        pc_check_user_record(judge, item, info);
}

/* Trace data after their record: checks the content, and that they end where the record says. */
static void check_payload(struct pc_judge *judge, const struct pc_item *item)
{
    struct pc_cursor c = pc_cursor(item->bytes, judge->capture->order);
    if (item->type != PC_HEADER_TRACING_DATA || item->bytes.len == 0)
        return;
    judge->at = pc_item_context(item);
    judge->size_at = item->entry;
    /* Zeros fill the payload to a multiple of 8, as they do after a feature in a record. */
    pc_check_feature(judge, PC_TRACING_DATA, c, true);
}

/* Any item but a record. */
static __attribute__((noinline)) void check_other(struct pc_judge *judge, const struct pc_item *item)
{
    switch (item->kind) {
    case PC_ITEM_ATTR:
        judge->short_diag = judge->count_diag = 0;
        judge->at = pc_item_context(item);
        pc_check_attr(judge, pc_part(item->bytes, 0, item->bytes.len - PC_SECTION_SIZE), 0, false);
        break;
    case PC_ITEM_FEATURE:
        judge->at = pc_item_context(item);
        pc_check_feature(judge, item->number, pc_cursor(item->bytes, judge->capture->order), false);
        break;
    case PC_ITEM_PAYLOAD:
        check_payload(judge, item);
        break;
    default:
        break;
    }
}

const struct pc_facts *pc_judge_item(struct pc_judge *judge, const struct pc_item *item)
{
    struct pc_facts *facts = &judge->facts;
    facts->item = item;
    facts->came = facts->sound = facts->faulty = false;
    if (item->kind == PC_ITEM_RECORD) {
        judge->at.place = PC_IN_RECORD;
        check_record(judge, item);
    } else {
        check_other(judge, item);
    }
    if (judge->asked != PC_BY_NONE && !item->is_joined) /* its pieces were judged for them */
        pc_check_for(judge, item);
    return facts;
}

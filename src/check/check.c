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
    pc_flow_init(&check->flow, mem, report, capture, &check->sum);
}

void pc_check_clear(struct pc_check *check)
{
    pc_flow_clear(&check->flow);
    pc_check_features_clear(check);
    struct pc_keys *all[] = { &check->auxtrace.index,     &check->keys,
                              &check->features.pmus,      &check->features.pmu_names,
                              &check->features.functions, &check->features.btfs };
    for (size_t i = 0; i < PC_COUNT_OF(all); i++) {
        pc_free(check->mem, all[i]->key, all[i]->cap * sizeof(*all[i]->key));
        *all[i] = (struct pc_keys){ 0 };
    }
}

/* --- any record --- */

static inline void count_record(struct pc_check *check, uint32_t type, const struct pc_record_info *info)
{
    struct pc_summary *sum = &check->sum;
    if (info && (info->flags & PC_HOLDS_RECORDS)) {
        sum->compressed++;
        return;
    }
    sum->total++;
    if (info) {
        sum->by_type[type]++;
        return;
    }
    for (size_t i = 0; i < sum->nr_unknown; i++) {
        if (sum->unknown[i].type == type) {
            sum->unknown[i].count++;
            return;
        }
    }
    if (sum->nr_unknown == PC_UNKNOWN_TYPES)
        sum->unknown_rest++;
    else
        sum->unknown[sum->nr_unknown++] = (struct pc_unknown_type){ type, 1 };
}

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
    count_record(check, item->type, info);
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

/* --- the end --- */

static void check_end(struct pc_check *check, const struct pc_item *item)
{
    const struct pc_capture *capture = check->capture;
    const struct pc_context end = pc_item_context(item);
    const struct pc_context attrs = { .place = PC_AT_END,
                                      .offset = capture->is_pipe
                                                    ? PC_PIPE_HEADER_SIZE
                                                    : pc_row_at(pc_file_header, PC_HEAD_ATTRS_OFFSET) };

    check->sum.size = item->offset;
    pc_check_attr_set(check);
    pc_check_features_end(check);
    pc_check_auxtrace_end(check);
    pc_check_compression_end(check);
    if (capture->nr_attrs == 0 && !capture->attrs_damaged && !pc_check_misses_attrs(check))
        pc_report_say(check->report, &attrs, PC_D_ATTRS_NONE, 0, 0, NULL, none, none);
    if (capture->is_pipe && capture->has_header_features && !capture->features_ended)
        pc_report_say(check->report, &end, PC_D_END_MARK_MISSING, 0, 0, NULL, none, none);
    if (capture->is_pipe && capture->nr_attrs != 0 && !check->features.has_event_names)
        pc_report_say(check->report, &end, PC_D_EVENT_NAMES_MISSING, 0, 0, NULL, none, none);
    pc_flow_end(&check->flow, &check->at);
}

void pc_check_item(struct pc_check *check, const struct pc_item *item)
{
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
        check->at.where = item->where;
        check_end(check, item);
        break;
    }
    if ((check->report->policy->reader | check->report->policy->noted) != PC_BY_NONE)
        pc_check_for(check, item);
}

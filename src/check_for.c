/* SPDX-License-Identifier: MIT
 *
 * What is sound, but not for the version of perf that --for names: each rule here was measured with the real
 * programs (tests/interop). Which versions a rule is about stands in its row of diag.def. The version is
 * taken to run on a little-endian machine.
 */
#include "check.h"
#include "cursor.h"

#define AUXTRACE_TYPES 7 /* that any perf knows */

/* What a version knows: tools/perf/util/header.h, tools/lib/perf/include/perf/event.h of its release. */
static const struct reader {
    enum pc_versions version;
    uint16_t attr_size;
    uint16_t kernel_type, user_type; /* the last of each */
    uint16_t feature, auxtrace;
} readers[] = {
    { PC_BY_5_10, 120, PC_TEXT_POKE, PC_COMPRESSED, PC_CLOCK_DATA, 5 },
    { PC_BY_6_1, 128, PC_AUX_OUTPUT_HW_ID, PC_FINISHED_INIT, PC_PMU_CAPS, 5 },
    { PC_BY_6_12, 136, PC_AUX_OUTPUT_HW_ID, PC_FINISHED_INIT, PC_PMU_CAPS, 6 },
    { PC_BY_7_2, 144, PC_CALLCHAIN_DEFERRED, PC_SCHEDSTAT_DOMAIN, PC_CLN_SIZE, 7 },
};

static enum pc_versions asked(const struct pc_check *check)
{
    return check->report->policy->reader;
}

static const struct reader *find_reader(const struct pc_check *check)
{
    size_t i = 0;
    while (readers[i].version != asked(check))
        i++;
    return &readers[i];
}

/* About bytes of the structure at hand, when the row is about the version asked for. */
static void say(struct pc_check *check, enum pc_diag id, size_t at, uint64_t length, struct pc_value seen)
{
    if (pc_diag_info(id)->refused & asked(check))
        pc_check_say(check, id, at, length, seen, pc_text_value(pc_version_name(asked(check))));
}

/* An attr at `at` in the item. In a file perf refuses one that is longer than its own; in a pipe it leaves
 * out the rest, which matters when something stands there. */
static void check_attr(struct pc_check *check, const struct pc_item *item, size_t at)
{
    struct pc_cursor c = { .in = item->bytes, .pos = at, .order = check->capture->order };
    size_t known = find_reader(check)->attr_size, left = pc_left(&c);
    uint64_t size;
    if (!pc_peek(&c, PC_ATTR_SIZE_AT, 4, &size) || size <= known || size > left)
        return;
    if (item->kind == PC_ITEM_ATTR) {
        say(check, PC_D_FOR_ATTR_SIZE, at + PC_ATTR_SIZE_AT, 4, pc_uint_value(size));
        return;
    }
    struct pc_span cut = pc_part(item->bytes, at + known, (size_t)size - known);
    size_t first = pc_first_nonzero(cut);
    if (first != cut.len)
        say(check, PC_D_FOR_ATTR_CUT, at + known + first, cut.len - first, pc_uint_value(size));
}

/* A feature without content ends the features, by an id that its writer does not know yet. A reader that
 * knows it reads the feature out of nothing; 7.2 looks whether it is empty, but in a pipe only. */
static void check_end_mark(struct pc_check *check, const struct pc_item *item)
{
    uint64_t bit = check->slot[PC_REC_FEATURE];
    const struct pc_feature_info *info = pc_feature_info(bit);
    if (item->bytes.len != PC_RECORD_HEADER_SIZE + 8 || !info || (info->flags & PC_ONLY_A_MARK) ||
        bit > find_reader(check)->feature || (asked(check) == PC_BY_7_2 && check->capture->is_pipe))
        return;
    say(check, PC_D_FOR_END_MARK, check->slot_at[PC_REC_FEATURE], 8, pc_uint_value(bit));
}

/* Rules about the content of user records; their slots are at hand. */
static void check_user(struct pc_check *check, const struct pc_item *item)
{
    const uint64_t range = 2, cpus = 3, *slot = check->slot;
    const size_t *at = check->slot_at;
    bool big = check->capture->order == PC_BIG;
    switch (item->type) {
    case PC_HEADER_ATTR:
        check_attr(check, item, PC_RECORD_HEADER_SIZE);
        break;
    case PC_HEADER_FEATURE:
        check_end_mark(check, item);
        break;
    case PC_HEADER_TRACING_DATA:
        if (check->capture->is_pipe)
            say(check, PC_D_FOR_TRACING_DATA, 0, item->bytes.len, (struct pc_value){ 0 });
        break;
    case PC_AUXTRACE_INFO:
        if (slot[PC_REC_TYPE] > find_reader(check)->auxtrace && slot[PC_REC_TYPE] <= AUXTRACE_TYPES)
            say(check, PC_D_FOR_AUXTRACE_TYPE, at[PC_REC_TYPE], 4, pc_uint_value(slot[PC_REC_TYPE]));
        break;
    case PC_CPU_MAP:
        if (slot[PC_REC_MAP] == range)
            say(check, PC_D_FOR_CPU_RANGE, at[PC_REC_MAP], 2, pc_uint_value(range));
        break;
    case PC_STAT_CONFIG:
        if (big)
            say(check, PC_D_FOR_ORDER_STAT, 0, item->bytes.len, (struct pc_value){ 0 });
        break;
    case PC_EVENT_UPDATE:
        if (slot[PC_REC_TYPE] != cpus)
            break;
        if (slot[PC_REC_MAP] == range)
            say(check, PC_D_FOR_CPU_RANGE, at[PC_REC_MAP], 2, pc_uint_value(range));
        if (big)
            say(check, PC_D_FOR_ORDER_UPDATE, at[PC_REC_MAP], 2, (struct pc_value){ 0 });
        break;
    default:
        break;
    }
}

static void check_record(struct pc_check *check, const struct pc_item *item)
{
    const struct reader *reader = find_reader(check);
    bool kernel = pc_is_kernel_type(item->type);
    if (!pc_record_info(item->type))
        return; /* known to nobody, and judged so */
    if (item->type > (kernel ? reader->kernel_type : reader->user_type))
        say(check, kernel ? PC_D_FOR_KERNEL_TYPE : PC_D_FOR_USER_TYPE, 0, 4, pc_uint_value(item->type));
    if (item->type == PC_SAMPLE && check->capture->is_pipe && check->nr_samples == 1)
        say(check, PC_D_FOR_PIPE_SAMPLE, 0, item->bytes.len, (struct pc_value){ 0 });
    if (!kernel && item->bytes.len >= pc_record_info(item->type)->min)
        check_user(check, item);
}

void pc_check_for(struct pc_check *check, const struct pc_item *item)
{
    if (asked(check) == PC_BY_NONE)
        return;
    if (item->kind == PC_ITEM_ATTR)
        check_attr(check, item, 0);
    else if (item->kind == PC_ITEM_RECORD)
        check_record(check, item);
}

/* SPDX-License-Identifier: MIT
 *
 * What is sound, but not for the version of perf that --for names, in one item: each rule here was measured
 * with the real programs (tests/interop). The row of diag.def says which versions a rule is about. The
 * version is taken to run on a little-endian machine.
 */
#include "check/judge.h"
#include "bytes/cursor.h"

static const struct pc_version_knows readers[] = {
    { .version = PC_BY_5_10,
      .attr_size = 120,
      .kernel_type = PC_TEXT_POKE,
      .user_type = PC_COMPRESSED,
      .feature = PC_CLOCK_DATA,
      .auxtrace = PC_TRACE_S390_CPUMSF,
      .stat_config = PC_STAT_SCALE,
      .sample_type = 0x3fffff,
      .read_format = 0xf,
      .flags = PC_FLAG(34) - 1,
      .branch_type = PC_FLAG(18) - 1 },
    { .version = PC_BY_6_1,
      .attr_size = 128,
      .kernel_type = PC_AUX_OUTPUT_HW_ID,
      .user_type = PC_FINISHED_INIT,
      .feature = PC_PMU_CAPS,
      .auxtrace = PC_TRACE_S390_CPUMSF,
      .stat_config = PC_STAT_SCALE,
      .sample_type = 0x1ffffff,
      .read_format = 0x1f,
      .flags = PC_FLAG(38) - 1,
      .branch_type = PC_FLAG(19) - 1 },
    { .version = PC_BY_6_12,
      .attr_size = 136,
      .kernel_type = PC_AUX_OUTPUT_HW_ID,
      .user_type = PC_FINISHED_INIT,
      .feature = PC_PMU_CAPS,
      .auxtrace = PC_TRACE_HISI_PTT,
      .stat_config = PC_STAT_AGGR_LEVEL,
      .sample_type = 0x1ffffff,
      .read_format = 0x1f,
      .flags = PC_FLAG(38) - 1,
      .branch_type = PC_FLAG(20) - 1 },
    { .version = PC_BY_7_2,
      .attr_size = 144,
      .kernel_type = PC_CALLCHAIN_DEFERRED,
      .user_type = PC_SCHEDSTAT_DOMAIN,
      .feature = PC_CLN_SIZE,
      .auxtrace = PC_TRACE_VPA_DTL,
      .stat_config = PC_STAT_AGGR_LEVEL,
      .sample_type = 0x1ffffff,
      .read_format = 0x1f,
      .flags = PC_FLAG(40) - 1,
      .branch_type = PC_FLAG(20) - 1 },
};

const struct pc_version_knows *pc_version_knows(enum pc_versions version)
{
    for (size_t i = 0; i < PC_COUNT_OF(readers); i++) {
        if (readers[i].version & version)
            return &readers[i];
    }
    return NULL;
}

/* The version that the rules are applied for. */
static enum pc_versions asked(const struct pc_judge *judge)
{
    return judge->version;
}

/* Goes on to the next version that is asked for. False: there is none. */
static bool ask_next(struct pc_judge *judge)
{
    judge->version = pc_version_next(judge->asked, judge->version);
    return judge->version != PC_BY_NONE;
}

static const struct pc_version_knows *find_reader(const struct pc_judge *judge)
{
    const struct pc_version_knows *reader = pc_version_knows(asked(judge));
    assert(reader); /* callers have asked for one */
    return reader;
}

static void add(struct pc_judge *judge, struct pc_finding f, struct pc_value seen)
{
    f.seen = seen;
    f.expected = pc_text_value(pc_version_name(asked(judge)));
    f.reader = asked(judge);
    pc_judge_add(judge, &f);
}

/* About bytes of the current structure, when the row is about the version asked for. */
static void say(struct pc_judge *judge, enum pc_diag id, size_t at, uint64_t length, struct pc_value seen)
{
    if (pc_diag_info(id)->rejected_by & asked(judge))
        add(judge, pc_finding_in(&judge->at, id, at, length), seen);
}

/* A warning: one command of these versions crashes, while they read the capture. */
static void warn(struct pc_judge *judge, enum pc_diag id, enum pc_versions versions, uint64_t length,
                 struct pc_value seen)
{
    if (versions & asked(judge))
        add(judge, pc_finding_in(&judge->at, id, 0, length), seen);
}

/* An attr at `at` in the item. In a file perf refuses one that is longer than its own; in a pipe it leaves
 * out the rest, which matters when the rest is not zero. */
static void check_attr(struct pc_judge *judge, const struct pc_item *item, size_t at)
{
    struct pc_cursor c = { .in = item->bytes, .pos = at, .order = judge->capture->order };
    size_t known = find_reader(judge)->attr_size, left = pc_left(&c);
    uint64_t size, slot[PC_SLOTS];
    if (!pc_peek(&c, PC_ATTR_SIZE_AT, 4, &size) || size > left)
        return;
    if (size == 0 && judge->capture->order == PC_BIG) /* session.c: perf_event__attr_swap */
        say(judge, PC_D_FOR_ORDER_ATTR_SIZE, at + PC_ATTR_SIZE_AT, 4, pc_none);
    if (item->kind == PC_ITEM_ATTR) {
        size_t ids_at = left - PC_SECTION_SIZE;
        uint64_t ids = pc_load(item->bytes.ptr + ids_at, 8, judge->capture->order);
        if (size > known)
            say(judge, PC_D_FOR_ATTR_SIZE, at + PC_ATTR_SIZE_AT, 4, pc_uint_value(size));
        if (pc_attr_size(size) < ids_at && pc_attr_walk(pc_part(item->bytes, 0, ids_at), c.order, slot) &&
            pc_perf_misses_ids(judge->capture, slot))
            say(judge, PC_D_FOR_ATTR_ROOM, at + PC_ATTR_SIZE_AT, 4, pc_uint_value(size));
        if (pc_attr_size(size) + 8 == ids_at && ids % 8 != 0)
            say(judge, PC_D_FOR_ATTR_IDS, ids_at, 8, pc_uint_value(ids));
        return;
    }
    if (size < known && judge->capture->order == PC_BIG && item->bytes.len > at + size)
        say(judge, PC_D_FOR_ORDER_ATTR_IDS, at + (size_t)size, item->bytes.len - at - size,
            pc_uint_value(size));
    if (size <= known)
        return;
    struct pc_span cut = pc_part(item->bytes, at + known, (size_t)size - known);
    size_t first = pc_first_nonzero(cut);
    if (first != cut.len)
        say(judge, PC_D_FOR_ATTR_CUT, at + known + first, cut.len - first, pc_uint_value(size));
}

/* A feature without content ends the features, by an id that its writer does not know yet. A reader that
 * knows it reads the feature out of nothing. In a pipe 7.2 takes it for the end when its id is above those
 * that came. */
static void check_end_mark(struct pc_judge *judge, const struct pc_item *item)
{
    uint64_t bit = judge->facts.slot[PC_REC_FEATURE];
    const struct pc_feature_info *info = pc_feature_info(bit);
    if (item->bytes.len != PC_FEATURE_HEAD || !info || (info->flags & PC_ONLY_A_MARK) ||
        bit > find_reader(judge)->feature ||
        (asked(judge) == PC_BY_7_2 && judge->capture->is_pipe && bit >= judge->capture->next_feature))
        return;
    say(judge, PC_D_FOR_END_MARK, judge->facts.slot_at[PC_REC_FEATURE], 8, pc_uint_value(bit));
}

/* builtin-report.c: process_feature_event refuses a number above its own of the end mark. */
static void check_feature_id(struct pc_judge *judge)
{
    uint64_t bit = judge->facts.slot[PC_REC_FEATURE];
    if (bit > find_reader(judge)->feature + 1u)
        say(judge, PC_D_FOR_FEATURE_ID, judge->facts.slot_at[PC_REC_FEATURE], 8, pc_uint_value(bit));
}

/* Rules about the content of user records; their slots are those of `check`. */
static void check_user(struct pc_judge *judge, const struct pc_item *item)
{
    const uint64_t *slot = judge->facts.slot;
    const size_t *at = judge->facts.slot_at;
    const size_t no_groups = PC_FEATURE_HEAD + 4; /* a count */
    bool big = judge->capture->order == PC_BIG;
    switch (item->type) {
    case PC_HEADER_ATTR:
        check_attr(judge, item, PC_RECORD_HEADER_SIZE);
        break;
    case PC_HEADER_FEATURE:
        check_end_mark(judge, item);
        check_feature_id(judge);
        if (slot[PC_REC_FEATURE] == PC_GROUP_DESC && judge->capture->nr_attrs == 0 &&
            item->bytes.len > no_groups)
            say(judge, PC_D_FOR_GROUP_BEFORE_ATTR, 0, item->bytes.len, pc_none);
        break;
    case PC_HEADER_TRACING_DATA:
        if (judge->capture->is_pipe)
            say(judge, PC_D_FOR_TRACING_DATA, 0, item->bytes.len, pc_none);
        break;
    case PC_AUXTRACE_INFO:
        if (slot[PC_REC_TYPE] > find_reader(judge)->auxtrace && slot[PC_REC_TYPE] <= PC_TRACE_LAST)
            say(judge, PC_D_FOR_AUXTRACE_TYPE, at[PC_REC_TYPE], 4, pc_uint_value(slot[PC_REC_TYPE]));
        if (slot[PC_REC_TYPE] == PC_TRACE_CS_ETM && judge->capture->is_pipe &&
            (asked(judge) & PC_BY_FROM_6_12))
            say(judge, PC_D_FOR_CORESIGHT_PIPE, at[PC_REC_TYPE], 4, pc_none);
        if (slot[PC_REC_TYPE] == PC_TRACE_INTEL_PT && big)
            say(judge, PC_D_FOR_ORDER_INTEL_PT, at[PC_REC_TYPE], 4, pc_uint_value(slot[PC_REC_TYPE]));
        break;
    case PC_CPU_MAP:
        if (slot[PC_REC_MAP] == PC_MAP_RANGE)
            say(judge, PC_D_FOR_CPU_RANGE, at[PC_REC_MAP], 2, pc_uint_value(PC_MAP_RANGE));
        break;
    case PC_STAT_CONFIG:
        if (big)
            say(judge, PC_D_FOR_ORDER_STAT, 0, item->bytes.len, pc_none);
        break;
    case PC_EVENT_UPDATE:
        if (slot[PC_REC_TYPE] != PC_UPDATE_CPUS)
            break;
        if (slot[PC_REC_MAP] == PC_MAP_RANGE)
            say(judge, PC_D_FOR_CPU_RANGE, at[PC_REC_MAP], 2, pc_uint_value(PC_MAP_RANGE));
        if (big)
            say(judge, PC_D_FOR_ORDER_UPDATE, at[PC_REC_MAP], 2, pc_none);
        break;
    default:
        break;
    }
}

static void check_record(struct pc_judge *judge, const struct pc_item *item)
{
    const struct pc_version_knows *reader = find_reader(judge);
    bool kernel = pc_is_kernel_type(item->type);
    if (pc_capture_has_android_type(judge->capture, item->type) && item->bytes.len % 8 != 0)
        say(judge, PC_D_FOR_ANDROID_SIZE, PC_RECORD_SIZE_AT, 2, pc_uint_value(item->bytes.len));
    if (!pc_record_info(item->type))
        return; /* unknown type, already reported */
    if (item->type > (kernel ? reader->kernel_type : reader->user_type))
        say(judge, kernel ? PC_D_FOR_KERNEL_TYPE : PC_D_FOR_USER_TYPE, 0, 4, pc_uint_value(item->type));
    /* session.c: perf_event__swap_ops has no row for these. */
    if ((item->type == PC_KSYMBOL || item->type == PC_BPF_EVENT) && judge->capture->order == PC_BIG &&
        judge->capture->nr_attrs > 1 &&
        (pc_attr_get(&judge->capture->attr[0], PC_ATTR_FLAGS) & PC_FLAG_SAMPLE_ID_ALL))
        say(judge, PC_D_FOR_ORDER_BPF, 0, item->bytes.len, pc_none);
    if (!kernel && item->bytes.len >= pc_record_info(item->type)->min)
        check_user(judge, item);
}

/* --- sound records of the kernel --- */

/* machine.c: resolve_lbr_callchain_sample follows a branch stack that it does not look for, and a call chain:
 * perf inject of 6.12 and later resolves those of all samples. perf record --off-cpu with CALL_STACK takes
 * the branches away from one event, but leaves its branch_sample_type: evsel.c: evsel__config. */
static void check_chain(struct pc_judge *judge, const struct pc_item *item, const struct pc_attr *attr,
                        const struct pc_layout *layout)
{
    uint64_t type = pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE);
    struct pc_cursor c = pc_cursor(item->bytes, judge->capture->order);
    struct pc_walk walk;
    if ((type & PC_S_BRANCH_STACK) || !(pc_attr_get(attr, PC_ATTR_BRANCH_TYPE) & PC_BRANCH_CALL_STACK))
        return;
    if (!(type & PC_S_CALLCHAIN)) {
        warn(judge, PC_D_FOR_INJECT_CALL_STACK, PC_BY_FROM_6_12, item->bytes.len, pc_none);
        return;
    }
    c.pos = PC_RECORD_HEADER_SIZE;
    pc_walk_init(&walk, layout, &c, NULL, NULL);
    pc_walk_table(&walk, pc_record_info(PC_SAMPLE)->fields);
    judge->work += walk.work;
    size_t at = walk.slot_at[PC_REC_CHAIN];
    for (uint64_t i = 0; i < walk.slot[PC_REC_CHAIN]; i++) {
        at += 8;
        if (pc_load(item->bytes.ptr + at, 8, judge->capture->order) == PC_CONTEXT_USER) {
            say(judge, PC_D_FOR_CALL_STACK, at, 8, pc_none);
            return;
        }
    }
}

/* header.c: perf_event__process_attr leaves evsel->needs_swap alone, by which evsel__parse_sample knows where
 * two numbers are one word: right is only what has equal halves. at: of one of the two. */
static void check_halves(struct pc_judge *judge, const struct pc_item *item, size_t at)
{
    enum pc_order order = judge->capture->order;
    at -= at % 8;
    if (pc_load(item->bytes.ptr + at, 4, order) != pc_load(item->bytes.ptr + at + 4, 4, order))
        say(judge, PC_D_FOR_ORDER_PIPE, at, 8, pc_none);
}

/* perf 5.10 counts branches by their types. */
static bool branch_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_judge *judge = ctx;
    if (leaf->field->rule != PC_RULE_BRANCH || pc_branch_type(leaf->value) < PC_BRANCH_TYPES_5_10)
        return true;
    say(judge, PC_D_FOR_BRANCH_FLAGS, leaf->at, leaf->raw.len, pc_uint_value(pc_branch_type(leaf->value)));
    return false;
}

static void check_branches(struct pc_judge *judge, const struct pc_item *item, const struct pc_layout *layout)
{
    struct pc_cursor c = pc_record_body(item->bytes, judge->capture->order);
    struct pc_walk walk;
    if (!(layout->mask & PC_S_BRANCH_STACK) ||
        !(pc_diag_info(PC_D_FOR_BRANCH_FLAGS)->rejected_by & asked(judge)))
        return;
    pc_walk_init(&walk, layout, &c, branch_visit, judge);
    pc_walk_table(&walk, pc_record_info(PC_SAMPLE)->fields);
    judge->work += walk.work;
}

static void check_kernel(struct pc_judge *judge, const struct pc_item *item, uint32_t attr,
                         const struct pc_sample_layout *samples)
{
    bool sample = item->type == PC_SAMPLE;
    uint64_t mask = samples->layout.mask;
    if (item->type == PC_MMAP && (item->misc & PC_MISC_CPUMODE) == PC_MODE_USER)
        warn(judge, PC_D_FOR_INJECT_MMAP, PC_BY_7_2, item->bytes.len, pc_none);
    if (sample) { /* builtin-report.c: process_sample_event; data-convert-bt.c: ctf_stream; hist.c:
                     hists__calc_col_len */
        if ((mask & PC_S_CPU) && judge->facts.slot[PC_SLOT_CPU] == UINT32_MAX)
            warn(judge, PC_D_FOR_NO_CPU, PC_BY_UP_TO_6_12, item->bytes.len, pc_none);
        if ((mask & PC_S_CGROUP) && (item->misc & PC_MISC_CPUMODE) == PC_MODE_HYPERVISOR)
            say(judge, PC_D_FOR_CGROUP_MODE, PC_RECORD_MISC_AT, 2, pc_none);
        check_chain(judge, item, &judge->capture->attr[attr], &samples->layout);
        check_branches(judge, item, &samples->layout);
    }
    if (judge->capture->order != PC_BIG)
        return;
    if (item->type == PC_SWITCH && (mask & PC_LAYOUT_SAMPLE_ID) && item->bytes.len > PC_RECORD_HEADER_SIZE)
        say(judge, PC_D_FOR_ORDER_SWITCH, PC_RECORD_HEADER_SIZE, 8, pc_none);
    if (!judge->capture->is_pipe || (!sample && !(mask & PC_LAYOUT_SAMPLE_ID)))
        return;
    if (mask & PC_S_TID)
        check_halves(judge, item, sample ? samples->tid_at : judge->facts.slot_at[PC_SLOT_TID]);
    if (mask & PC_S_CPU)
        check_halves(judge, item, judge->facts.slot_at[PC_SLOT_CPU]);
    if (sample && (mask & PC_S_RAW))
        check_halves(judge, item, judge->facts.slot_at[PC_REC_RAW]);
}

__attribute__((noinline)) void pc_check_for_kernel(struct pc_judge *judge, const struct pc_item *item,
                                                   uint32_t attr, const struct pc_sample_layout *samples)
{
    while (ask_next(judge))
        check_kernel(judge, item, attr, samples);
}

void pc_check_for_no_hw_idx(struct pc_judge *judge, const struct pc_item *item)
{
    while (ask_next(judge))
        say(judge, PC_D_FOR_HW_INDEX, 0, item->bytes.len, pc_none);
}

void pc_check_for_leaf(struct pc_judge *judge, enum pc_diag id, const struct pc_leaf *leaf)
{
    while (ask_next(judge)) {
        if (pc_diag_info(id)->rejected_by & asked(judge))
            add(judge, pc_leaf_finding(&judge->at, id, leaf, pc_none, pc_none), pc_uint_value(leaf->value));
    }
}

void pc_check_for_bytes(struct pc_judge *judge, enum pc_diag id, size_t at, size_t len)
{
    while (ask_next(judge))
        say(judge, id, at, len, pc_none);
}

__attribute__((noinline)) void pc_check_for(struct pc_judge *judge, const struct pc_item *item)
{
    while (ask_next(judge)) {
        if (item->kind == PC_ITEM_ATTR)
            check_attr(judge, item, 0);
        else if (item->kind == PC_ITEM_RECORD)
            check_record(judge, item);
    }
}

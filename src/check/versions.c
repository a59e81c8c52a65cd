/* SPDX-License-Identifier: MIT
 *
 * What is sound, but not for the version of perf that --for names: each rule here was measured with the real
 * programs (tests/interop). The row of diag.def says which versions a rule is about. The version is
 * taken to run on a little-endian machine.
 */
#include "check/check.h"
#include "bytes/cursor.h"

#define AUXTRACE_TYPES 7 /* that any perf knows */

static const struct pc_version_knows readers[] = {
    { PC_BY_5_10, 120, PC_TEXT_POKE, PC_COMPRESSED, PC_CLOCK_DATA, 5, 0x3fffff, 0xf, PC_FLAG(34) - 1 },
    { PC_BY_6_1, 128, PC_AUX_OUTPUT_HW_ID, PC_FINISHED_INIT, PC_PMU_CAPS, 5, 0x1ffffff, 0x1f,
      PC_FLAG(38) - 1 },
    { PC_BY_6_12, 136, PC_AUX_OUTPUT_HW_ID, PC_FINISHED_INIT, PC_PMU_CAPS, 6, 0x1ffffff, 0x1f,
      PC_FLAG(38) - 1 },
    { PC_BY_7_2, 144, PC_CALLCHAIN_DEFERRED, PC_SCHEDSTAT_DOMAIN, PC_CLN_SIZE, 7, 0x1ffffff, 0x1f,
      PC_FLAG(40) - 1 },
};

const struct pc_version_knows *pc_version_knows(enum pc_versions version)
{
    for (size_t i = 0; i < PC_COUNT_OF(readers); i++) {
        if (readers[i].version == version)
            return &readers[i];
    }
    return NULL;
}

static enum pc_versions asked(const struct pc_check *check)
{
    return check->report->policy->reader;
}

static const struct pc_version_knows *find_reader(const struct pc_check *check)
{
    const struct pc_version_knows *reader = pc_version_knows(asked(check));
    assert(reader); /* callers have asked for one */
    return reader;
}

/* About bytes of the current structure, when the row is about the version asked for. */
static void say(struct pc_check *check, enum pc_diag id, size_t at, uint64_t length, struct pc_value seen)
{
    if (pc_diag_info(id)->refused & asked(check))
        pc_check_say(check, id, at, length, seen, pc_text_value(pc_version_name(asked(check))));
}

/* An attr at `at` in the item. In a file perf refuses one that is longer than its own; in a pipe it leaves
 * out the rest, which matters when the rest is not zero. */
static void check_attr(struct pc_check *check, const struct pc_item *item, size_t at)
{
    struct pc_cursor c = { .in = item->bytes, .pos = at, .order = check->capture->order };
    size_t known = find_reader(check)->attr_size, left = pc_left(&c);
    uint64_t size;
    if (!pc_peek(&c, PC_ATTR_SIZE_AT, 4, &size) || size > left)
        return;
    if (item->kind == PC_ITEM_ATTR) {
        size_t ids_at = left - PC_SECTION_SIZE;
        uint64_t ids = pc_load(item->bytes.ptr + ids_at, 8, check->capture->order);
        if (size > known)
            say(check, PC_D_FOR_ATTR_SIZE, at + PC_ATTR_SIZE_AT, 4, pc_uint_value(size));
        if ((size == 0 ? PC_ATTR_SIZE_MIN : size) + 8 == ids_at && ids % 8 != 0)
            say(check, PC_D_FOR_ATTR_IDS, ids_at, 8, pc_uint_value(ids));
        return;
    }
    if (size < known && check->capture->order == PC_BIG && item->bytes.len > at + size)
        say(check, PC_D_FOR_ORDER_ATTR_IDS, at + (size_t)size, item->bytes.len - at - size,
            pc_uint_value(size));
    if (size <= known)
        return;
    struct pc_span cut = pc_part(item->bytes, at + known, (size_t)size - known);
    size_t first = pc_first_nonzero(cut);
    if (first != cut.len)
        say(check, PC_D_FOR_ATTR_CUT, at + known + first, cut.len - first, pc_uint_value(size));
}

/* A feature without content ends the features, by an id that its writer does not know yet. A reader that
 * knows it reads the feature out of nothing. In a pipe 7.2 takes it for the end when its id is above those
 * that came. */
static void check_end_mark(struct pc_check *check, const struct pc_item *item)
{
    uint64_t bit = check->slot[PC_REC_FEATURE];
    const struct pc_feature_info *info = pc_feature_info(bit);
    if (item->bytes.len != PC_RECORD_HEADER_SIZE + 8 || !info || (info->flags & PC_ONLY_A_MARK) ||
        bit > find_reader(check)->feature ||
        (asked(check) == PC_BY_7_2 && check->capture->is_pipe && bit >= check->next_feature))
        return;
    say(check, PC_D_FOR_END_MARK, check->slot_at[PC_REC_FEATURE], 8, pc_uint_value(bit));
}

/* perf 5.10 takes STAT.cpu for an index into the map of CPUs, as its own record does. */
static void check_stat_index(struct pc_check *check)
{
    uint64_t cpu = check->slot[PC_SLOT_CPU], nr = 0;
    if (!check->stat.has_cpus || cpu == UINT32_MAX ||
        !(pc_diag_info(PC_D_FOR_STAT_INDEX)->refused & asked(check)))
        return;
    for (size_t i = 0; i < PC_COUNT_OF(check->stat.cpus); i++)
        nr += (uint64_t)__builtin_popcountll(check->stat.cpus[i]);
    check->work += PC_COUNT_OF(check->stat.cpus) / 64;
    if (cpu >= nr)
        say(check, PC_D_FOR_STAT_INDEX, check->slot_at[PC_SLOT_CPU], 4, pc_uint_value(cpu));
}

/* Rules about the content of user records; their slots are those of `check`. */
static void check_user(struct pc_check *check, const struct pc_item *item)
{
    const uint64_t range = 2, cpus = 3, intel_pt = 1, *slot = check->slot;
    const size_t *at = check->slot_at;
    const size_t no_groups = PC_RECORD_HEADER_SIZE + 8 + 4; /* the record, feat_id, a count */
    bool big = check->capture->order == PC_BIG;
    switch (item->type) {
    case PC_HEADER_ATTR:
        check_attr(check, item, PC_RECORD_HEADER_SIZE);
        break;
    case PC_HEADER_FEATURE:
        check_end_mark(check, item);
        if (slot[PC_REC_FEATURE] == PC_GROUP_DESC && check->capture->nr_attrs == 0 &&
            item->bytes.len > no_groups)
            say(check, PC_D_FOR_GROUP_BEFORE_ATTR, 0, item->bytes.len, (struct pc_value){ 0 });
        break;
    case PC_HEADER_TRACING_DATA:
        if (check->capture->is_pipe)
            say(check, PC_D_FOR_TRACING_DATA, 0, item->bytes.len, (struct pc_value){ 0 });
        break;
    case PC_AUXTRACE_INFO:
        if (slot[PC_REC_TYPE] > find_reader(check)->auxtrace && slot[PC_REC_TYPE] <= AUXTRACE_TYPES)
            say(check, PC_D_FOR_AUXTRACE_TYPE, at[PC_REC_TYPE], 4, pc_uint_value(slot[PC_REC_TYPE]));
        if (slot[PC_REC_TYPE] == intel_pt && big)
            say(check, PC_D_FOR_ORDER_INTEL_PT, at[PC_REC_TYPE], 4, pc_uint_value(slot[PC_REC_TYPE]));
        break;
    case PC_COMPRESSED:
    case PC_COMPRESSED2:
        /* Nor does it read a feature that inject has left among the records of a file. */
        if (check->sum.compressed == 1 &&
            (check->capture->is_pipe ||
             (check->capture->mmap_len != 0 && !pc_bit(check->capture->features, PC_COMPRESSED_FEATURE))))
            say(check, PC_D_FOR_COMPRESSED_PIPE, 0, item->bytes.len, (struct pc_value){ 0 });
        break;
    case PC_STAT:
        check_stat_index(check);
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

/* session.c: perf_event__read_swap changes a READ with all values, also where there are fewer, and so the
 * header of the next record. In a pipe each record has a buffer of its own. */
static void check_overrun(struct pc_check *check, const struct pc_item *item)
{
    const size_t all = PC_RECORD_HEADER_SIZE + 4 + 4 + 8 + 8 + 8 + 8; /* pid, tid, value, times, id */
    const struct pc_where *where = &check->report->where;
    if (check->overrun && where->stream == check->overrun_in.stream &&
        where->inside == check->overrun_in.inside &&
        (!where->inside || where->wrapper == check->overrun_in.wrapper))
        say(check, PC_D_FOR_ORDER_READ, 0, PC_RECORD_HEADER_SIZE, (struct pc_value){ 0 });
    check->overrun = item->type == PC_READ && item->bytes.len < all && check->capture->order == PC_BIG &&
                     !check->capture->is_pipe;
    check->overrun_in = *where;
}

static void check_record(struct pc_check *check, const struct pc_item *item)
{
    const struct pc_version_knows *reader = find_reader(check);
    bool kernel = pc_is_kernel_type(item->type);
    check_overrun(check, item);
    /* session.c of 5.10 has no perf_session__process_dir_events. */
    if (check->report->where.stream != check->said_stream)
        say(check, PC_D_FOR_DIRECTORY, 0, item->bytes.len, (struct pc_value){ 0 });
    check->said_stream = check->report->where.stream;
    if (!pc_record_info(item->type))
        return; /* unknown type, already reported */
    if (item->type > (kernel ? reader->kernel_type : reader->user_type))
        say(check, kernel ? PC_D_FOR_KERNEL_TYPE : PC_D_FOR_USER_TYPE, 0, 4, pc_uint_value(item->type));
    if (item->type == PC_SAMPLE && check->capture->is_pipe && check->nr_samples == 1)
        say(check, PC_D_FOR_PIPE_SAMPLE, 0, item->bytes.len, (struct pc_value){ 0 });
    /* session.c: perf_event__swap_ops has no row for these. */
    if ((item->type == PC_KSYMBOL || item->type == PC_BPF_EVENT) && check->capture->order == PC_BIG &&
        check->capture->nr_attrs > 1 &&
        (pc_attr_get(&check->capture->attr[0], PC_ATTR_FLAGS) & PC_FLAG_SAMPLE_ID_ALL))
        say(check, PC_D_FOR_ORDER_BPF, 0, item->bytes.len, (struct pc_value){ 0 });
    if (!kernel && item->bytes.len >= pc_record_info(item->type)->min)
        check_user(check, item);
}

/* --- sound records of the kernel --- */

/* machine.c: resolve_lbr_callchain_sample follows a branch stack that it does not look for. */
static void check_chain(struct pc_check *check, const struct pc_item *item, const struct pc_attr *attr,
                        const struct pc_layout *layout)
{
    uint64_t type = pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE);
    struct pc_cursor c = pc_cursor(item->bytes, check->capture->order);
    struct pc_walk walk;
    if (!(type & PC_S_CALLCHAIN) || (type & PC_S_BRANCH_STACK) ||
        !(pc_attr_get(attr, PC_ATTR_BRANCH_TYPE) & PC_BRANCH_CALL_STACK))
        return;
    c.pos = PC_RECORD_HEADER_SIZE;
    pc_walk_init(&walk, layout, &c, NULL, NULL);
    pc_walk_table(&walk, pc_record_info(PC_SAMPLE)->fields);
    check->work += walk.work;
    size_t at = walk.slot_at[PC_REC_CHAIN];
    for (uint64_t i = 0; i < walk.slot[PC_REC_CHAIN]; i++) {
        at += 8;
        if (pc_load(item->bytes.ptr + at, 8, check->capture->order) == PC_CONTEXT_USER) {
            say(check, PC_D_FOR_CALL_STACK, at, 8, (struct pc_value){ 0 });
            return;
        }
    }
}

/* header.c: perf_event__process_attr leaves evsel->needs_swap alone, by which evsel__parse_sample knows where
 * two numbers are one word: right is only what has equal halves. at: of one of the two. */
static void check_halves(struct pc_check *check, const struct pc_item *item, size_t at)
{
    enum pc_order order = check->capture->order;
    at -= at % 8;
    if (pc_load(item->bytes.ptr + at, 4, order) != pc_load(item->bytes.ptr + at + 4, 4, order))
        say(check, PC_D_FOR_ORDER_PIPE, at, 8, (struct pc_value){ 0 });
}

void pc_check_for_kernel(struct pc_check *check, const struct pc_item *item, uint32_t attr,
                         const struct pc_sample_layout *samples)
{
    bool sample = item->type == PC_SAMPLE;
    uint64_t mask = samples->layout.mask;
    if (sample)
        check_chain(check, item, &check->capture->attr[attr], &samples->layout);
    if (check->capture->order != PC_BIG)
        return;
    if (item->type == PC_SWITCH && (mask & PC_LAYOUT_SAMPLE_ID) && item->bytes.len > PC_RECORD_HEADER_SIZE)
        say(check, PC_D_FOR_ORDER_SWITCH, PC_RECORD_HEADER_SIZE, 8, (struct pc_value){ 0 });
    if (!check->capture->is_pipe || (!sample && !(mask & PC_LAYOUT_SAMPLE_ID)))
        return;
    if (mask & PC_S_TID)
        check_halves(check, item, sample ? samples->tid_at : check->slot_at[PC_SLOT_TID]);
    if (mask & PC_S_CPU)
        check_halves(check, item, check->slot_at[PC_SLOT_CPU]);
    if (sample && (mask & PC_S_RAW))
        check_halves(check, item, check->slot_at[PC_REC_RAW]);
}

/* --- all attrs, when they are known --- */

static void say_attr(struct pc_check *check, enum pc_diag id, uint64_t number, unsigned slot,
                     struct pc_value seen)
{
    struct pc_finding f = { .id = id, .place = PC_IN_ATTR, .number = number, .length = 8, .seen = seen };
    if (!(pc_diag_info(id)->refused & asked(check)))
        return;
    f.offset = check->capture->attr[number].offset + pc_row_at(pc_attr_fields, slot);
    f.expected = pc_text_value(pc_version_name(asked(check)));
    pc_report_add(check->report, &f);
}

/* Bits that came later; most of them add fields to samples. */
static void check_bits(struct pc_check *check, uint64_t number)
{
    const struct pc_attr *attr = &check->capture->attr[number];
    const struct pc_version_knows *reader = find_reader(check);
    uint64_t type = pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE), known = ((uint64_t)1 << PC_S_BITS) - 1;
    uint64_t newer = type & known & ~reader->sample_type;
    const uint64_t bpf_output = 10, forced = PC_S_RAW | PC_S_TIME | PC_S_CPU | PC_S_PERIOD;
    const uint64_t table = 7, synthesized = 0x80000000;
    uint64_t event_type = pc_attr_get(attr, PC_ATTR_TYPE);
    if (event_type >= table && event_type != synthesized)
        say_attr(check, PC_D_FOR_EVENT_TYPE, number, PC_ATTR_TYPE, pc_uint_value(event_type));
    if (newer)
        say_attr(check, PC_D_FOR_SAMPLE_TYPE, number, PC_ATTR_SAMPLE_TYPE, pc_hex_value(newer));
    newer = pc_attr_get(attr, PC_ATTR_READ_FORMAT) & PC_READ_LOST & ~reader->read_format;
    if (newer && (type & PC_S_READ))
        say_attr(check, PC_D_FOR_READ_FORMAT, number, PC_ATTR_READ_FORMAT, pc_hex_value(newer));
    newer = pc_attr_get(attr, PC_ATTR_FLAGS) & (PC_FLAG(40) - 1) & ~reader->flags;
    if (newer)
        say_attr(check, PC_D_FOR_ATTR_FLAGS, number, PC_ATTR_FLAGS, pc_hex_value(newer));
    newer = PC_BRANCH_COUNTERS;
    if (asked(check) == PC_BY_5_10 && check->has_event_names) /* header.c: check_attr of EVENT_DESC */
        newer |= PC_BRANCH_PRIV_SAVE;
    newer &= pc_attr_get(attr, PC_ATTR_BRANCH_TYPE);
    if ((type & PC_S_BRANCH_STACK) && newer)
        say_attr(check, PC_D_FOR_BRANCH_TYPE, number, PC_ATTR_BRANCH_TYPE, pc_hex_value(newer));
    if (pc_attr_get(attr, PC_ATTR_TYPE) == PC_TYPE_SOFTWARE &&
        pc_attr_get(attr, PC_ATTR_CONFIG) == bpf_output && (type & forced) != forced)
        say_attr(check, PC_D_FOR_BPF_OUTPUT, number, PC_ATTR_SAMPLE_TYPE, pc_hex_value(type));
}

/* perf script wants to show a symbol for each event but tracepoints: in a file it looks at the first event of
 * each type, in a pipe at each that samples (tools/perf/builtin-script.c: evsel__check_attr). */
static void check_addresses(struct pc_check *check)
{
    const struct pc_capture *capture = check->capture;
    const uint64_t dummy = 9, types = 63;
    uint64_t looked_at = 0;
    if (pc_bit(capture->features, PC_STAT_FEATURE))
        return;
    for (uint64_t i = 0; i < capture->nr_attrs; i++) {
        const struct pc_attr *attr = &capture->attr[i];
        uint64_t type = pc_attr_get(attr, PC_ATTR_TYPE), samples = pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE);
        bool is_dummy = type == PC_TYPE_SOFTWARE && pc_attr_get(attr, PC_ATTR_CONFIG) == dummy;
        uint64_t bit = (uint64_t)1 << (type < types ? type : types);
        if (capture->is_pipe ? samples == 0 : (looked_at & bit) || (is_dummy && asked(check) != PC_BY_5_10))
            continue;
        looked_at |= bit;
        if (type != PC_TYPE_TRACEPOINT && !(samples & (PC_S_IP | PC_S_ADDR)))
            say_attr(check, PC_D_FOR_NO_ADDRESS, i, PC_ATTR_SAMPLE_TYPE, pc_hex_value(samples));
    }
}

/* evlist.c: evlist__find_dup_event_from_prev. */
static void check_counters(struct pc_check *check)
{
    uint64_t counters = 0, last = 0;
    bool nameless = false, branches = false;
    for (uint64_t i = 0; i < check->capture->nr_attrs; i++) {
        const struct pc_attr *attr = &check->capture->attr[i];
        branches |= (pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) & PC_S_BRANCH_STACK) != 0;
        if (!(pc_attr_get(attr, PC_ATTR_BRANCH_TYPE) & PC_BRANCH_COUNTERS))
            continue;
        nameless |= !attr->name;
        last = i;
        counters++;
    }
    if (counters > 1 && nameless && branches && check->nr_samples != 0)
        say_attr(check, PC_D_FOR_COUNTER_NAMES, last, PC_ATTR_BRANCH_TYPE, pc_hex_value(PC_BRANCH_COUNTERS));
}

static void check_end(struct pc_check *check)
{
    const struct pc_capture *capture = check->capture;
    bool branches = false;
    for (uint64_t i = 0; i < capture->nr_attrs; i++) {
        check_bits(check, i);
        branches |= (pc_attr_get(&capture->attr[i], PC_ATTR_SAMPLE_TYPE) & PC_S_BRANCH_STACK) != 0;
    }
    check_addresses(check);
    check_counters(check);
    if (capture->is_pipe || capture->unfinished)
        return;
    check->at =
        (struct pc_context){ .place = PC_IN_HEADER, .offset = 72 }; /* the bitmap in the file header */
    if (pc_bit(capture->features, PC_BRANCH_STACK) && !pc_bit(capture->features, PC_STAT_FEATURE) &&
        !branches)
        say(check, PC_D_FOR_BRANCH_FEATURE, 0, PC_FEATURE_BITS / 8, (struct pc_value){ 0 });
    if (capture->order == PC_BIG && !pc_any_feature(capture->features))
        say(check, PC_D_FOR_ORDER_NO_FEATURES, 0, PC_FEATURE_BITS / 8, (struct pc_value){ 0 });
}

void pc_check_for_no_hw_idx(struct pc_check *check, const struct pc_item *item)
{
    if (asked(check) != PC_BY_NONE)
        say(check, PC_D_FOR_HW_INDEX, 0, item->bytes.len, (struct pc_value){ 0 });
}

void pc_check_for_leaf(struct pc_check *check, enum pc_diag id, const struct pc_leaf *leaf)
{
    if (pc_diag_info(id)->refused & asked(check))
        pc_check_say_leaf(check, id, leaf, pc_uint_value(leaf->value),
                          pc_text_value(pc_version_name(asked(check))));
}

void pc_check_for(struct pc_check *check, const struct pc_item *item)
{
    if (item->kind == PC_ITEM_ATTR)
        check_attr(check, item, 0);
    else if (item->kind == PC_ITEM_RECORD)
        check_record(check, item);
    else if (item->kind == PC_ITEM_END)
        check_end(check);
}

/* SPDX-License-Identifier: MIT
 *
 * What is sound, but not for the version of perf that --for names: each rule here was measured with the real
 * programs (tests/interop). The row of diag.def says which versions a rule is about. The version is
 * taken to run on a little-endian machine.
 */
#include "check/check.h"
#include "bytes/cursor.h"

static const struct pc_version_knows readers[] = {
    { .version = PC_BY_5_10,
      .attr_size = 120,
      .kernel_type = PC_TEXT_POKE,
      .user_type = PC_COMPRESSED,
      .feature = PC_CLOCK_DATA,
      .auxtrace = PC_TRACE_S390_CPUMSF,
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
static enum pc_versions asked(const struct pc_check *check)
{
    return check->versions.asked;
}

/* Goes on to the next version that is asked for, from check->versions.asked on. False: there is none. */
static bool ask_next(struct pc_check *check)
{
    const struct pc_policy *policy = check->report->policy;
    unsigned next = check->versions.asked == PC_BY_NONE ? PC_BY_5_10 : (unsigned)check->versions.asked << 1;
    while (next <= PC_BY_7_2 && !((policy->reader | policy->noted) & next))
        next <<= 1;
    check->versions.asked = next <= PC_BY_7_2 ? (enum pc_versions)next : PC_BY_NONE;
    return check->versions.asked != PC_BY_NONE;
}

/* Whether a finding about the version asked for is reported. */
static bool is_wanted(struct pc_check *check, enum pc_diag id)
{
    if (!(pc_diag_info(id)->refused & asked(check)))
        return false;
    check->report->not_read[id] |= (uint8_t)asked(check);
    return (check->report->policy->reader & asked(check)) != 0;
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
    if (is_wanted(check, id))
        pc_check_say(check, id, at, length, seen, pc_text_value(pc_version_name(asked(check))));
}

/* A warning: one command of these versions crashes, while they read the capture. */
static void warn(struct pc_check *check, enum pc_diag id, enum pc_versions versions, uint64_t length,
                 struct pc_value seen)
{
    if (versions & asked(check) & check->report->policy->reader)
        pc_check_say(check, id, 0, length, seen, pc_text_value(pc_version_name(asked(check))));
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
        if (pc_attr_size(size) + 8 == ids_at && ids % 8 != 0)
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
    if (item->bytes.len != PC_FEATURE_HEAD || !info || (info->flags & PC_ONLY_A_MARK) ||
        bit > find_reader(check)->feature ||
        (asked(check) == PC_BY_7_2 && check->capture->is_pipe && bit >= check->capture->next_feature))
        return;
    say(check, PC_D_FOR_END_MARK, check->slot_at[PC_REC_FEATURE], 8, pc_uint_value(bit));
}

/* builtin-report.c: process_feature_event refuses a number above its own of the end mark; the record came
 * there unswapped until session.c: perf_event__swap_ops got a row for it. */
static void check_feature_id(struct pc_check *check, const struct pc_item *item)
{
    uint64_t bit = check->slot[PC_REC_FEATURE];
    if (bit > find_reader(check)->feature + 1u)
        say(check, PC_D_FOR_FEATURE_ID, check->slot_at[PC_REC_FEATURE], 8, pc_uint_value(bit));
    if (check->capture->order == PC_BIG && check->flow.sum.by_type[PC_HEADER_FEATURE] == 1)
        say(check, PC_D_FOR_ORDER_FEATURE, 0, item->bytes.len, (struct pc_value){ 0 });
}

/* perf 5.10 takes STAT.cpu for an index into the map of CPUs, as its own record does. */
static void check_stat_index(struct pc_check *check)
{
    uint64_t cpu = check->slot[PC_SLOT_CPU];
    if (!check->flow.stat.knows_cpus || cpu == UINT32_MAX ||
        !(pc_diag_info(PC_D_FOR_STAT_INDEX)->refused & asked(check)))
        return;
    if (cpu >= check->flow.stat.nr_cpus)
        say(check, PC_D_FOR_STAT_INDEX, check->slot_at[PC_SLOT_CPU], 4, pc_uint_value(cpu));
}

/* Rules about the content of user records; their slots are those of `check`. */
static void check_user(struct pc_check *check, const struct pc_item *item)
{
    const uint64_t *slot = check->slot;
    const size_t *at = check->slot_at;
    const size_t no_groups = PC_FEATURE_HEAD + 4; /* a count */
    bool big = check->capture->order == PC_BIG;
    switch (item->type) {
    case PC_HEADER_ATTR:
        check_attr(check, item, PC_RECORD_HEADER_SIZE);
        break;
    case PC_HEADER_FEATURE:
        check_end_mark(check, item);
        check_feature_id(check, item);
        if (slot[PC_REC_FEATURE] == PC_GROUP_DESC && check->capture->nr_attrs == 0 &&
            item->bytes.len > no_groups)
            say(check, PC_D_FOR_GROUP_BEFORE_ATTR, 0, item->bytes.len, (struct pc_value){ 0 });
        break;
    case PC_HEADER_TRACING_DATA:
        if (check->capture->is_pipe)
            say(check, PC_D_FOR_TRACING_DATA, 0, item->bytes.len, (struct pc_value){ 0 });
        break;
    case PC_AUXTRACE_INFO:
        if (slot[PC_REC_TYPE] > find_reader(check)->auxtrace && slot[PC_REC_TYPE] <= PC_TRACE_LAST)
            say(check, PC_D_FOR_AUXTRACE_TYPE, at[PC_REC_TYPE], 4, pc_uint_value(slot[PC_REC_TYPE]));
        if (slot[PC_REC_TYPE] == PC_TRACE_ARM_SPE && check->flow.sum.by_type[PC_TIME_CONV] == 0)
            check->versions.spe_without_clock = check->at;
        if (slot[PC_REC_TYPE] == PC_TRACE_INTEL_PT && big)
            say(check, PC_D_FOR_ORDER_INTEL_PT, at[PC_REC_TYPE], 4, pc_uint_value(slot[PC_REC_TYPE]));
        break;
    case PC_COMPRESSED:
    case PC_COMPRESSED2:
        /* Nor does it read a feature that inject has left among the records of a file. */
        if (check->flow.sum.compressed == 1 &&
            (check->capture->is_pipe ||
             (check->capture->mmap_len != 0 && !pc_bit(check->capture->features, PC_COMPRESSED_FEATURE))))
            say(check, PC_D_FOR_COMPRESSED_PIPE, 0, item->bytes.len, (struct pc_value){ 0 });
        break;
    case PC_STAT:
        check_stat_index(check);
        break;
    case PC_CPU_MAP:
        if (slot[PC_REC_MAP] == PC_MAP_RANGE)
            say(check, PC_D_FOR_CPU_RANGE, at[PC_REC_MAP], 2, pc_uint_value(PC_MAP_RANGE));
        break;
    case PC_STAT_CONFIG:
        if (big)
            say(check, PC_D_FOR_ORDER_STAT, 0, item->bytes.len, (struct pc_value){ 0 });
        break;
    case PC_EVENT_UPDATE:
        if (slot[PC_REC_TYPE] != PC_UPDATE_CPUS)
            break;
        if (slot[PC_REC_MAP] == PC_MAP_RANGE)
            say(check, PC_D_FOR_CPU_RANGE, at[PC_REC_MAP], 2, pc_uint_value(PC_MAP_RANGE));
        if (big)
            say(check, PC_D_FOR_ORDER_UPDATE, at[PC_REC_MAP], 2, (struct pc_value){ 0 });
        break;
    default:
        break;
    }
}

/* session.c: perf_event__read_swap swaps a READ as if it had all values. If it has fewer, the header of the
 * next record is swapped too. In a pipe each record has its own buffer. */
static void check_overrun(struct pc_check *check, const struct pc_where *where)
{
    if (check->versions.overrun && where->stream == check->versions.overrun_in.stream &&
        where->inside == check->versions.overrun_in.inside &&
        (!where->inside || where->wrapper == check->versions.overrun_in.wrapper))
        say(check, PC_D_FOR_ORDER_READ, 0, PC_RECORD_HEADER_SIZE, (struct pc_value){ 0 });
}

/* What the rules about the next record need, for all versions. */
static void remember_record(struct pc_check *check, const struct pc_item *item)
{
    const size_t all = PC_RECORD_HEADER_SIZE + 4 + 4 + 8 + 8 + 8 + 8; /* pid, tid, value, times, id */
    check->versions.overrun = item->type == PC_READ && item->bytes.len < all &&
                              check->capture->order == PC_BIG && !check->capture->is_pipe;
    check->versions.overrun_in = item->where;
}

static void check_record(struct pc_check *check, const struct pc_item *item)
{
    const struct pc_version_knows *reader = find_reader(check);
    bool kernel = pc_is_kernel_type(item->type);
    check_overrun(check, &item->where);
    /* session.c of 5.10 has no perf_session__process_dir_events. */
    if (item->where.stream != check->versions.overrun_in.stream)
        say(check, PC_D_FOR_DIRECTORY, 0, item->bytes.len, (struct pc_value){ 0 });
    if (!pc_record_info(item->type))
        return; /* unknown type, already reported */
    if (item->type > (kernel ? reader->kernel_type : reader->user_type))
        say(check, kernel ? PC_D_FOR_KERNEL_TYPE : PC_D_FOR_USER_TYPE, 0, 4, pc_uint_value(item->type));
    if (item->type == PC_SAMPLE && check->capture->is_pipe && check->flow.nr_samples == 1)
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

/* machine.c: resolve_lbr_callchain_sample follows a branch stack that it does not look for, and a call chain:
 * perf inject of 6.12 and later resolves those of all samples. perf record --off-cpu with CALL_STACK takes
 * the branches away from one event, but leaves its branch_sample_type: evsel.c: evsel__config. */
static void check_chain(struct pc_check *check, const struct pc_item *item, const struct pc_attr *attr,
                        const struct pc_layout *layout)
{
    uint64_t type = pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE);
    struct pc_cursor c = pc_cursor(item->bytes, check->capture->order);
    struct pc_walk walk;
    if ((type & PC_S_BRANCH_STACK) || !(pc_attr_get(attr, PC_ATTR_BRANCH_TYPE) & PC_BRANCH_CALL_STACK))
        return;
    if (!(type & PC_S_CALLCHAIN)) {
        warn(check, PC_D_FOR_INJECT_CALL_STACK, PC_BY_FROM_6_12, item->bytes.len, (struct pc_value){ 0 });
        return;
    }
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

/* perf 5.10 counts branches by their types. */
static bool branch_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_check *check = ctx;
    const uint64_t types = 11; /* include/uapi/linux/perf_event.h of 5.10: PERF_BR_MAX */
    if (leaf->field->rule != PC_RULE_BRANCH || pc_branch_type(leaf->value) < types)
        return true;
    say(check, PC_D_FOR_BRANCH_FLAGS, leaf->at, leaf->raw.len, pc_uint_value(pc_branch_type(leaf->value)));
    return false;
}

static void check_branches(struct pc_check *check, const struct pc_item *item, const struct pc_layout *layout)
{
    struct pc_cursor c = pc_record_body(item->bytes, check->capture->order);
    struct pc_walk walk;
    if (!(layout->mask & PC_S_BRANCH_STACK) || !(pc_diag_info(PC_D_FOR_BRANCH_FLAGS)->refused & asked(check)))
        return;
    pc_walk_init(&walk, layout, &c, branch_visit, check);
    pc_walk_table(&walk, pc_record_info(PC_SAMPLE)->fields);
    check->work += walk.work;
}

/* perf 6.12 cuts modules out of the kernel that begins at 0, and does not find what is left of it (maps.c:
 * maps__by_address_index). */
static void check_mapping(struct pc_check *check, const struct pc_item *item)
{
    unsigned mode = item->misc & PC_MISC_CPUMODE;
    if (mode == PC_MODE_USER && item->type == PC_MMAP)
        warn(check, PC_D_FOR_INJECT_MMAP, PC_BY_7_2, item->bytes.len, (struct pc_value){ 0 });
    if (mode != PC_MODE_KERNEL)
        return;
    if (check->slot[PC_REC_ADDR] == 0)
        check->versions.kernel_from_zero = true;
    else if (check->versions.kernel_from_zero)
        say(check, PC_D_FOR_KERNEL_MAP, check->slot_at[PC_REC_ADDR], 8,
            pc_hex_value(check->slot[PC_REC_ADDR]));
}

static void check_kernel(struct pc_check *check, const struct pc_item *item, uint32_t attr,
                         const struct pc_sample_layout *samples)
{
    bool sample = item->type == PC_SAMPLE;
    uint64_t mask = samples->layout.mask;
    check->versions.has_times |= (sample || (mask & PC_LAYOUT_SAMPLE_ID)) && (mask & PC_S_TIME);
    if (item->type == PC_MMAP || item->type == PC_MMAP2)
        check_mapping(check, item);
    if (sample) {
        check_chain(check, item, &check->capture->attr[attr], &samples->layout);
        check_branches(check, item, &samples->layout);
    }
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

void pc_check_for_kernel(struct pc_check *check, const struct pc_item *item, uint32_t attr,
                         const struct pc_sample_layout *samples)
{
    while (ask_next(check))
        check_kernel(check, item, attr, samples);
}

/* --- all attrs, when they are known --- */

static void say_attr(struct pc_check *check, enum pc_diag id, uint64_t number, unsigned slot,
                     struct pc_value seen)
{
    struct pc_finding f = { .id = id, .place = PC_IN_ATTR, .number = number, .length = 8, .seen = seen };
    if (!is_wanted(check, id))
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
    const uint64_t forced = PC_S_RAW | PC_S_TIME | PC_S_CPU | PC_S_PERIOD;
    const uint64_t table = 7;
    uint64_t event_type = pc_attr_get(attr, PC_ATTR_TYPE);
    if (event_type >= table && event_type != PC_TYPE_SYNTH)
        say_attr(check, PC_D_FOR_EVENT_TYPE, number, PC_ATTR_TYPE, pc_uint_value(event_type));
    if (newer)
        say_attr(check, PC_D_FOR_SAMPLE_TYPE, number, PC_ATTR_SAMPLE_TYPE, pc_hex_value(newer));
    newer = pc_attr_get(attr, PC_ATTR_READ_FORMAT) & PC_READ_LOST & ~reader->read_format;
    if (newer && (type & PC_S_READ))
        say_attr(check, PC_D_FOR_READ_FORMAT, number, PC_ATTR_READ_FORMAT, pc_hex_value(newer));
    newer = pc_attr_get(attr, PC_ATTR_FLAGS) & (PC_FLAG(40) - 1) & ~reader->flags;
    if (newer)
        say_attr(check, PC_D_FOR_ATTR_FLAGS, number, PC_ATTR_FLAGS, pc_hex_value(newer));
    newer = pc_attr_get(attr, PC_ATTR_BRANCH_TYPE) & (PC_FLAG(PC_BRANCH_BITS) - 1) & ~reader->branch_type;
    if (!pc_capture_has_names(check->capture)) /* header.c: check_attr of EVENT_DESC */
        newer &= PC_BRANCH_COUNTERS;
    if ((type & PC_S_BRANCH_STACK) && newer)
        say_attr(check, PC_D_FOR_BRANCH_TYPE, number, PC_ATTR_BRANCH_TYPE, pc_hex_value(newer));
    if (pc_attr_get(attr, PC_ATTR_TYPE) == PC_TYPE_SOFTWARE &&
        pc_attr_get(attr, PC_ATTR_CONFIG) == PC_SOFTWARE_BPF_OUTPUT && (type & forced) != forced)
        say_attr(check, PC_D_FOR_BPF_OUTPUT, number, PC_ATTR_SAMPLE_TYPE, pc_hex_value(type));
}

/* perf script wants to show a symbol for each event but tracepoints. It looks at the first event of each
 * type, but for dummies since 6.1; in a pipe at that of the types below 6 alone, if it samples
 * (tools/perf/builtin-script.c: perf_session__check_output_opt, process_attr, evsel__check_attr). */
static void check_addresses(struct pc_check *check)
{
    const struct pc_capture *capture = check->capture;
    const uint64_t types = 63;
    uint64_t looked_at = 0;
    if (pc_bit(capture->features, PC_STAT_FEATURE))
        return;
    for (uint64_t i = 0; i < capture->nr_attrs; i++) {
        const struct pc_attr *attr = &capture->attr[i];
        uint64_t type = pc_attr_get(attr, PC_ATTR_TYPE), samples = pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE);
        bool is_dummy = type == PC_TYPE_SOFTWARE && pc_attr_get(attr, PC_ATTR_CONFIG) == PC_SOFTWARE_DUMMY;
        uint64_t bit = (uint64_t)1 << (type < types ? type : types);
        bool is_first = !(looked_at & bit);
        if (capture->is_pipe && type >= PC_TYPE_DYNAMIC && type != PC_TYPE_SYNTH)
            continue;
        is_dummy &= asked(check) != PC_BY_5_10;
        if (!is_dummy || capture->is_pipe)
            looked_at |= bit;
        if (!is_first || is_dummy || (capture->is_pipe && samples == 0))
            continue;
        if (type != PC_TYPE_TRACEPOINT && !(samples & (PC_S_IP | PC_S_ADDR)))
            say_attr(check, PC_D_FOR_NO_ADDRESS, i, PC_ATTR_SAMPLE_TYPE, pc_hex_value(samples));
    }
}

/* evlist.c: evlist__find_dup_event_from_prev. perf report --stats does not take the names of a pipe from
 * EVENT_DESC. */
static void check_counters(struct pc_check *check)
{
    uint64_t counters = 0, last = 0;
    bool nameless = false, branches = false;
    for (uint64_t i = 0; i < check->capture->nr_attrs; i++) {
        const struct pc_attr *attr = &check->capture->attr[i];
        branches |= (pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) & PC_S_BRANCH_STACK) != 0;
        if (!(pc_attr_get(attr, PC_ATTR_BRANCH_TYPE) & PC_BRANCH_COUNTERS))
            continue;
        nameless |= !attr->name || (check->capture->is_pipe && !attr->updated);
        last = i;
        counters++;
    }
    if (counters > 1 && nameless && branches && check->flow.nr_samples != 0)
        say_attr(check, PC_D_FOR_COUNTER_NAMES, last, PC_ATTR_BRANCH_TYPE, pc_hex_value(PC_BRANCH_COUNTERS));
}

/* perf stat report finds the cores and sockets of CPUs there; without it, it reads them through a NULL. */
static void check_topology(struct pc_check *check)
{
    uint64_t cpus = check->flow.stat.nr_cpus - check->flow.stat.any_cpu;
    if (check->flow.stat.has_config && cpus != 0 && !pc_bit(check->capture->features, PC_CPU_TOPOLOGY))
        say(check, PC_D_FOR_STAT_TOPOLOGY, 0, PC_FEATURE_BITS / 8, (struct pc_value){ 0 });
}

/* header.c: do_write_feat takes what writes a feature from a table, without a look at its end. What follows
 * that kills some programs if the feature is far from it. */
static void check_features(struct pc_check *check)
{
    for (uint64_t bit = PC_FEATURES; bit < PC_FEATURE_BITS; bit++) {
        if (!pc_bit(check->capture->features, bit))
            continue;
        warn(check, PC_D_FOR_INJECT_FEATURE, PC_BY_ALL_BUT_6_12, PC_FEATURE_BITS / 8, pc_uint_value(bit));
        return;
    }
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
    if (check->versions.spe_without_clock.subject && check->versions.has_times) {
        check->at = check->versions.spe_without_clock;
        say(check, PC_D_FOR_SPE_CLOCK, 0, PC_RECORD_HEADER_SIZE, (struct pc_value){ 0 });
    }
    if (capture->is_pipe || capture->unfinished)
        return;
    check->at =
        (struct pc_context){ .place = PC_IN_HEADER, .offset = pc_row_at(pc_file_header, PC_HEAD_FEATURES) };
    if (pc_bit(capture->features, PC_BRANCH_STACK) && !pc_bit(capture->features, PC_STAT_FEATURE) &&
        !branches)
        say(check, PC_D_FOR_BRANCH_FEATURE, 0, PC_FEATURE_BITS / 8, (struct pc_value){ 0 });
    if (capture->order == PC_BIG && pc_count_features(capture->features) == 0)
        say(check, PC_D_FOR_ORDER_NO_FEATURES, 0, PC_FEATURE_BITS / 8, (struct pc_value){ 0 });
    if (check->report->found[PC_D_HOSTNAME_CLEAR] != 0)
        say(check, PC_D_FOR_ORDER_HOSTNAME, 0, PC_FEATURE_BITS / 8, (struct pc_value){ 0 });
    check_topology(check);
    check_features(check);
}

void pc_check_for_no_hw_idx(struct pc_check *check, const struct pc_item *item)
{
    while (ask_next(check))
        say(check, PC_D_FOR_HW_INDEX, 0, item->bytes.len, (struct pc_value){ 0 });
}

void pc_check_for_leaf(struct pc_check *check, enum pc_diag id, const struct pc_leaf *leaf)
{
    while (ask_next(check)) {
        if (is_wanted(check, id))
            pc_check_say_leaf(check, id, leaf, pc_uint_value(leaf->value),
                              pc_text_value(pc_version_name(asked(check))));
    }
}

void pc_check_for(struct pc_check *check, const struct pc_item *item)
{
    while (ask_next(check)) {
        if (item->kind == PC_ITEM_ATTR)
            check_attr(check, item, 0);
        else if (item->kind == PC_ITEM_RECORD)
            check_record(check, item);
        else if (item->kind == PC_ITEM_END)
            check_end(check);
    }
    if (item->kind == PC_ITEM_RECORD)
        remember_record(check, item);
}

/* SPDX-License-Identifier: MIT
 *
 * Rules about attrs: each alone (kernel/events/core.c: perf_copy_attr, perf_event_open), and all together
 * (tools/perf/util/evlist.c: evlist__valid_sample_type, evlist__valid_sample_id_all).
 */
#include "check/check.h"
#include "bytes/cursor.h"

/* A word of an attr by its slot. */
struct member {
    struct pc_check *check;
    const uint64_t *slot;
    const size_t *slot_at;
};

static void say(const struct member *m, enum pc_diag id, unsigned slot, struct pc_value seen,
                struct pc_value expected)
{
    size_t at;
    const struct pc_field *field = pc_find_row(pc_attr_fields, 0, slot, &at);
    pc_check_say_member(m->check, id, m->slot_at[slot], field->width, field->name, seen, expected);
}

/* A bit of sample_type asks for a parameter that the attr is too short to hold. */
static void check_parameter(const struct member *m, uint64_t bit, unsigned slot)
{
    size_t at;
    const struct pc_field *field = pc_find_row(pc_attr_fields, 0, slot, &at);
    uint64_t has = pc_attr_size(m->slot[PC_ATTR_SIZE]);
    if (!(m->slot[PC_ATTR_SAMPLE_TYPE] & bit) || has >= at + field->width)
        return;
    pc_check_say_member(m->check, PC_D_ATTR_PARAMETER_MISSING, m->slot_at[PC_ATTR_SIZE], 4, field->name,
                        pc_uint_value(has), pc_uint_value(pc_attr_size_holding(at + field->width)));
}

static void check_flags(const struct member *m)
{
    uint64_t flags = m->slot[PC_ATTR_FLAGS], type = m->slot[PC_ATTR_SAMPLE_TYPE];
    const struct pc_value none = { 0 };
    static const struct {
        uint64_t has, lacks;
        const char *what;
    } conflicts[] = {
        { PC_FLAG_SIGTRAP, PC_FLAG_REMOVE_ON_EXEC, "sigtrap without remove_on_exec" },
        { PC_FLAG_INHERIT_THREAD, PC_FLAG_INHERIT, "inherit_thread without inherit" },
    };
    for (size_t i = 0; i < PC_COUNT_OF(conflicts); i++) {
        if ((flags & conflicts[i].has) && !(flags & conflicts[i].lacks))
            say(m, PC_D_FLAGS_CONFLICT, PC_ATTR_FLAGS, pc_text_value(conflicts[i].what), none);
    }
    if ((flags & PC_FLAG_REMOVE_ON_EXEC) && (flags & PC_FLAG_ENABLE_ON_EXEC))
        say(m, PC_D_FLAGS_CONFLICT, PC_ATTR_FLAGS, pc_text_value("remove_on_exec with enable_on_exec"), none);
    if ((flags & PC_FLAG_DEFER_CHAIN) && !(type & PC_S_CALLCHAIN))
        say(m, PC_D_DEFER_WITHOUT_CALLCHAIN, PC_ATTR_FLAGS, none, none);
    if (!(flags & PC_FLAG_FREQ) && m->slot[PC_ATTR_PERIOD] >> 63)
        say(m, PC_D_PERIOD_SIGN, PC_ATTR_PERIOD, pc_hex_value(m->slot[PC_ATTR_PERIOD]), none);
    /* include/uapi/linux/time.h: CLOCK_REALTIME ... CLOCK_TAI, less the two that count CPU time */
    if ((flags & PC_FLAG_USE_CLOCKID) && m->slot[PC_ATTR_CLOCKID] > 11)
        say(m, PC_D_CLOCKID_UNKNOWN, PC_ATTR_CLOCKID, pc_uint_value(m->slot[PC_ATTR_CLOCKID]), none);
}

static void check_sampling(const struct member *m)
{
    const uint64_t *slot = m->slot;
    const struct pc_value none = { 0 };
    uint64_t type = slot[PC_ATTR_SAMPLE_TYPE],
             read_unknown = slot[PC_ATTR_READ_FORMAT] >> PC_READ_BITS << PC_READ_BITS;
    uint64_t branch = slot[PC_ATTR_BRANCH_TYPE];

    if (read_unknown)
        say(m, type & PC_S_READ ? PC_D_READ_FORMAT_UNKNOWN : PC_D_READ_FORMAT_UNUSED, PC_ATTR_READ_FORMAT,
            pc_hex_value(read_unknown), none);
    if ((type & PC_S_WEIGHT) && (type & PC_S_WEIGHT_STRUCT))
        say(m, PC_D_WEIGHT_TWICE, PC_ATTR_SAMPLE_TYPE, pc_hex_value(type), none);
    check_parameter(m, PC_S_BRANCH_STACK, PC_ATTR_BRANCH_TYPE);
    check_parameter(m, PC_S_REGS_USER, PC_ATTR_REGS_USER);
    check_parameter(m, PC_S_STACK_USER, PC_ATTR_STACK_USER);
    check_parameter(m, PC_S_REGS_INTR, PC_ATTR_REGS_INTR);
    if ((type & PC_S_BRANCH_STACK) && m->slot_at[PC_ATTR_BRANCH_TYPE]) {
        if (branch >> PC_BRANCH_BITS)
            say(m, PC_D_BRANCH_TYPE_UNKNOWN, PC_ATTR_BRANCH_TYPE,
                pc_hex_value(branch >> PC_BRANCH_BITS << PC_BRANCH_BITS), none);
        if (!(branch & ~(uint64_t)7)) /* USER, KERNEL and HV choose where branches are sampled, not which */
            say(m, PC_D_BRANCH_TYPE_NONE, PC_ATTR_BRANCH_TYPE, none, none);
    }
    if ((type & PC_S_STACK_USER) && (slot[PC_ATTR_STACK_USER] >= 65535 || slot[PC_ATTR_STACK_USER] % 8 != 0))
        say(m, PC_D_STACK_SIZE, PC_ATTR_STACK_USER, pc_uint_value(slot[PC_ATTR_STACK_USER]),
            pc_text_value("a multiple of 8 below 65535"));
    if ((type & PC_S_REGS_USER) && m->slot_at[PC_ATTR_REGS_USER] && slot[PC_ATTR_REGS_USER] == 0)
        say(m, PC_D_REGS_MASK_EMPTY, PC_ATTR_REGS_USER, none, none);
    if ((type & PC_S_REGS_INTR) && m->slot_at[PC_ATTR_REGS_INTR] && slot[PC_ATTR_REGS_INTR] == 0)
        say(m, PC_D_REGS_MASK_EMPTY, PC_ATTR_REGS_INTR, none, none);
}

static void check_size(struct pc_check *check, struct pc_span attr, uint64_t size, size_t at, bool in_pipe)
{
    struct pc_finding f = pc_check_finding(check, PC_D_ATTR_SIZE_ZERO, at + PC_ATTR_SIZE_AT, 4);
    uint64_t effective = pc_attr_size(size);
    pc_finding_name(&f, "size");
    f.seen = pc_uint_value(size);
    if (size == 0)
        pc_report_add(check->report, &f);
    f.id = PC_NO_DIAG;
    if (size != 0 && size < PC_ATTR_SIZE_MIN) {
        f.id = PC_D_ATTR_SIZE_SMALL;
        f.expected = pc_uint_value(PC_ATTR_SIZE_MIN);
    } else if (size % 8 != 0) {
        f.id = PC_D_ATTR_SIZE_UNALIGNED;
    } else if (!in_pipe && effective != attr.len) {
        f.id = pc_attr_ends_early(check->capture, attr) ? PC_D_ATTR_SIZE_ROOM : PC_D_ATTR_SIZE_MISMATCH;
        f.expected = pc_uint_value(attr.len);
    } else if (size > PC_ATTR_SIZE_KNOWN) {
        f.id = PC_D_ATTR_SIZE_NEWER;
        f.expected = pc_uint_value(PC_ATTR_SIZE_KNOWN);
    }
    if (f.id)
        pc_report_add(check->report, &f);
}

void pc_check_attr(struct pc_check *check, struct pc_span attr, size_t at, bool in_pipe)
{
    struct pc_cursor c = pc_cursor(attr, check->capture->order), inner;
    struct pc_walk walk;
    uint64_t size = 0;

    if (pc_peek(&c, PC_ATTR_SIZE_AT, 4, &size))
        check_size(check, attr, size, at, in_pipe);
    uint64_t effective = pc_attr_size(size) & ~(uint64_t)7;
    if (effective < PC_ATTR_SIZE_MIN || !pc_narrow(&c, effective < attr.len ? effective : attr.len, &inner))
        return;
    uint64_t base = check->at.offset;
    check->at.offset += at;
    pc_walk_init(&walk, NULL, &inner, pc_check_visit, check);
    if (pc_walk_table(&walk, pc_attr_fields)) {
        struct member m = { check, walk.slot, walk.slot_at };
        check_flags(&m);
        check_sampling(&m);
        struct pc_span rest = pc_part(attr, inner.pos, attr.len - inner.pos);
        /* A size that is no multiple of 8 does not say where the attr ends. */
        if (size % 8 == 0 && pc_first_nonzero(rest) != rest.len)
            pc_check_say(check, PC_D_ATTR_GAP, inner.pos, rest.len, (struct pc_value){ 0 },
                         (struct pc_value){ 0 });
    }
    check->at.offset = base;
}

/* --- all attrs together --- */

/* Whether perf itself counts all events; these have no ids. */
static bool all_own(const struct pc_capture *capture)
{
    size_t own = 0;
    for (size_t i = 0; i < capture->nr_attrs; i++)
        own += pc_type_is_own(pc_attr_get(&capture->attr[i], PC_ATTR_TYPE));
    return own == capture->nr_attrs;
}

static void say_no_ids(struct pc_check *check)
{
    const struct pc_capture *capture = check->capture;
    struct pc_context attr = { .place = PC_IN_ATTR, .offset = capture->attr[0].offset };
    if (!capture->is_pipe)
        attr.offset += pc_header_get(capture, PC_HEAD_ATTR_SIZE) - 8;
    pc_report_say(check->report, &attr, PC_D_IDS_MISSING, 0, 8, "ids.size", (struct pc_value){ 0 },
                  (struct pc_value){ 0 });
}

/* counts: all that the capture has of the event are counts in a pipe, for which perf needs no format. */
static void check_tracepoint(struct pc_check *check, uint64_t number, bool counts)
{
    const struct pc_capture *capture = check->capture;
    const struct pc_attr *attr = &capture->attr[number];
    uint64_t config = pc_attr_get(attr, PC_ATTR_CONFIG);
    if (pc_attr_get(attr, PC_ATTR_TYPE) != PC_TYPE_TRACEPOINT || capture->unfinished ||
        capture->tracing_damaged)
        return;
    if (!pc_bit(capture->seen, PC_TRACING_DATA) && pc_bit(capture->features, PC_TRACING_DATA))
        return; /* it was there, and its loss was reported */
    const struct pc_value none = { 0 };
    if (!pc_bit(capture->seen, PC_TRACING_DATA) && counts)
        return;
    if (!pc_bit(capture->seen, PC_TRACING_DATA))
        pc_check_say_attr(check, PC_D_TRACEPOINT_WITHOUT_DATA, number, PC_ATTR_TYPE, none, none);
    else if (!pc_capture_has_tracepoint(capture, config))
        pc_check_say_attr(check, PC_D_TRACEPOINT_UNDESCRIBED, number, PC_ATTR_CONFIG, pc_uint_value(config),
                          none);
}

/* Whether the capture is one of perf stat. */
static bool is_stat(const struct pc_check *check)
{
    const uint64_t *records = check->sum.by_type;
    return check->capture->is_pipe
               ? (records[PC_STAT] | records[PC_STAT_CONFIG] | records[PC_STAT_ROUND]) != 0
               : pc_bit(check->capture->features, PC_STAT_FEATURE);
}

bool pc_check_counts_only(const struct pc_check *check)
{
    return check->capture->is_pipe && is_stat(check) && check->sum.by_type[PC_SAMPLE] == 0;
}

void pc_check_attr_set(struct pc_check *check)
{
    const struct pc_capture *capture = check->capture;
    const struct pc_value none = { 0 };
    /* perf stat compares nothing, since no sample has to be credited: evlist__valid_sample_type's callers. */
    bool stat = is_stat(check);

    for (uint64_t i = 0; i < capture->nr_attrs; i++) {
        const struct pc_attr *attr = &capture->attr[i];
        uint64_t type = pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE), read = pc_attr_get(attr, PC_ATTR_READ_FORMAT);
        uint64_t all = pc_attr_get(attr, PC_ATTR_FLAGS) & PC_FLAG_SAMPLE_ID_ALL;
        uint64_t first = pc_attr_get(&capture->attr[0], PC_ATTR_FLAGS) & PC_FLAG_SAMPLE_ID_ALL;
        check_tracepoint(check, i, pc_check_counts_only(check));
        if (!stat && all != first)
            pc_check_say_attr(check, PC_D_SAMPLE_ID_ALL_DIFFERS, i, PC_ATTR_FLAGS, pc_uint_value(all != 0),
                              pc_uint_value(first != 0));
        /* But samples beside the counts are read as in any capture (evsel__parse_sample). */
        if ((!stat || check->read_without_id) && (type & PC_S_READ) && !(read & PC_READ_ID))
            pc_check_say_attr(check, i == 0 && !stat ? PC_D_READ_WITHOUT_ID_FIRST : PC_D_READ_WITHOUT_ID, i,
                              PC_ATTR_READ_FORMAT, pc_hex_value(read), none);
    }
    if (capture->nr_attrs < 2)
        return;
    if (!stat && (capture->id_pos < 0 || capture->is_pos < 0))
        pc_check_say_attr(
            check, PC_D_NO_COMMON_ID, capture->nr_attrs - 1, PC_ATTR_SAMPLE_TYPE,
            pc_hex_value(pc_attr_get(&capture->attr[capture->nr_attrs - 1], PC_ATTR_SAMPLE_TYPE)), none);
    if (capture->nr_ids == 0 && !capture->ids_missing && !all_own(capture))
        say_no_ids(check);
}

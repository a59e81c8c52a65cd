/* SPDX-License-Identifier: MIT
 *
 * Rules about one attr: kernel/events/core.c: perf_copy_attr, perf_event_open.
 */
#include "check/judge.h"
#include "bytes/cursor.h"

/* A word of an attr by its slot. */
struct member {
    struct pc_judge *judge;
    const uint64_t *slot;
    const size_t *slot_at;
};

static void say(const struct member *m, enum pc_diag id, unsigned slot, struct pc_value seen,
                struct pc_value expected)
{
    size_t at;
    const struct pc_field *field = pc_find_row(pc_attr_fields, 0, slot, &at);
    pc_check_say_member(m->judge, id, m->slot_at[slot], field->width, field->name, seen, expected);
}

/* A bit of sample_type asks for a parameter that the attr is too short to hold. */
static void check_parameter(const struct member *m, uint64_t bit, unsigned slot)
{
    size_t at;
    const struct pc_field *field = pc_find_row(pc_attr_fields, 0, slot, &at);
    uint64_t has = pc_attr_size(m->slot[PC_ATTR_SIZE]);
    if (!(m->slot[PC_ATTR_SAMPLE_TYPE] & bit) || has >= at + field->width)
        return;
    pc_check_say_member(m->judge, PC_D_ATTR_PARAMETER_MISSING, m->slot_at[PC_ATTR_SIZE], 4, field->name,
                        pc_uint_value(has), pc_uint_value(pc_attr_size_holding(at + field->width)));
}

static void check_flags(const struct member *m)
{
    uint64_t flags = m->slot[PC_ATTR_FLAGS], type = m->slot[PC_ATTR_SAMPLE_TYPE];
    static const struct {
        uint64_t has, lacks;
        const char *what;
    } conflicts[] = {
        { PC_FLAG_SIGTRAP, PC_FLAG_REMOVE_ON_EXEC, "sigtrap without remove_on_exec" },
        { PC_FLAG_INHERIT_THREAD, PC_FLAG_INHERIT, "inherit_thread without inherit" },
    };
    for (size_t i = 0; i < PC_COUNT_OF(conflicts); i++) {
        if ((flags & conflicts[i].has) && !(flags & conflicts[i].lacks))
            say(m, PC_D_FLAGS_CONFLICT, PC_ATTR_FLAGS, pc_text_value(conflicts[i].what), pc_none);
    }
    if ((flags & PC_FLAG_REMOVE_ON_EXEC) && (flags & PC_FLAG_ENABLE_ON_EXEC))
        say(m, PC_D_FLAGS_CONFLICT, PC_ATTR_FLAGS, pc_text_value("remove_on_exec with enable_on_exec"),
            pc_none);
    if ((flags & PC_FLAG_DEFER_CHAIN) && !(type & PC_S_CALLCHAIN))
        say(m, PC_D_DEFER_WITHOUT_CALLCHAIN, PC_ATTR_FLAGS, pc_none, pc_none);
    if (!(flags & PC_FLAG_FREQ) && m->slot[PC_ATTR_PERIOD] >> 63)
        say(m, PC_D_PERIOD_SIGN, PC_ATTR_PERIOD, pc_hex_value(m->slot[PC_ATTR_PERIOD]), pc_none);
    /* include/uapi/linux/time.h: CLOCK_REALTIME ... CLOCK_TAI, less the two that count CPU time */
    if ((flags & PC_FLAG_USE_CLOCKID) && m->slot[PC_ATTR_CLOCKID] > 11)
        say(m, PC_D_CLOCKID_UNKNOWN, PC_ATTR_CLOCKID, pc_uint_value(m->slot[PC_ATTR_CLOCKID]), pc_none);
}

static void check_sampling(const struct member *m)
{
    const uint64_t *slot = m->slot;
    uint64_t type = slot[PC_ATTR_SAMPLE_TYPE],
             read_unknown = slot[PC_ATTR_READ_FORMAT] >> PC_READ_BITS << PC_READ_BITS;
    uint64_t branch = slot[PC_ATTR_BRANCH_TYPE];

    if (read_unknown)
        say(m, type & PC_S_READ ? PC_D_READ_FORMAT_UNKNOWN : PC_D_READ_FORMAT_UNUSED, PC_ATTR_READ_FORMAT,
            pc_hex_value(read_unknown), pc_none);
    if ((type & PC_S_WEIGHT) && (type & PC_S_WEIGHT_STRUCT))
        say(m, PC_D_WEIGHT_TWICE, PC_ATTR_SAMPLE_TYPE, pc_hex_value(type), pc_none);
    check_parameter(m, PC_S_BRANCH_STACK, PC_ATTR_BRANCH_TYPE);
    check_parameter(m, PC_S_REGS_USER, PC_ATTR_REGS_USER);
    check_parameter(m, PC_S_STACK_USER, PC_ATTR_STACK_USER);
    check_parameter(m, PC_S_REGS_INTR, PC_ATTR_REGS_INTR);
    if ((type & PC_S_BRANCH_STACK) && m->slot_at[PC_ATTR_BRANCH_TYPE]) {
        if (branch >> PC_BRANCH_BITS)
            say(m, PC_D_BRANCH_TYPE_UNKNOWN, PC_ATTR_BRANCH_TYPE,
                pc_hex_value(branch >> PC_BRANCH_BITS << PC_BRANCH_BITS), pc_none);
        if (!(branch & ~(uint64_t)7)) /* USER, KERNEL and HV choose where branches are sampled, not which */
            say(m, PC_D_BRANCH_TYPE_NONE, PC_ATTR_BRANCH_TYPE, pc_none, pc_none);
    }
    /* tools/perf/util/evsel.c: evsel__config takes branches away from these events alone */
    bool may_lack =
        slot[PC_ATTR_TYPE] == PC_TYPE_SOFTWARE &&
        (slot[PC_ATTR_CONFIG] == PC_SOFTWARE_DUMMY || slot[PC_ATTR_CONFIG] == PC_SOFTWARE_BPF_OUTPUT);
    if (!(type & PC_S_BRANCH_STACK) && (branch & PC_BRANCH_CALL_STACK) && !may_lack)
        say(m, PC_D_CALL_STACK_ALONE, PC_ATTR_BRANCH_TYPE, pc_none, pc_none);
    if ((type & PC_S_STACK_USER) && (slot[PC_ATTR_STACK_USER] >= 65535 || slot[PC_ATTR_STACK_USER] % 8 != 0))
        say(m, PC_D_STACK_SIZE, PC_ATTR_STACK_USER, pc_uint_value(slot[PC_ATTR_STACK_USER]),
            pc_text_value("a multiple of 8 below 65535"));
    if ((type & PC_S_REGS_USER) && m->slot_at[PC_ATTR_REGS_USER] && slot[PC_ATTR_REGS_USER] == 0)
        say(m, PC_D_REGS_MASK_EMPTY, PC_ATTR_REGS_USER, pc_none, pc_none);
    if ((type & PC_S_REGS_INTR) && m->slot_at[PC_ATTR_REGS_INTR] && slot[PC_ATTR_REGS_INTR] == 0)
        say(m, PC_D_REGS_MASK_EMPTY, PC_ATTR_REGS_INTR, pc_none, pc_none);
}

static void check_size(struct pc_judge *judge, struct pc_span attr, uint64_t size, size_t at, bool in_pipe)
{
    struct pc_finding f = pc_finding_in(&judge->at, PC_D_ATTR_SIZE_ZERO, at + PC_ATTR_SIZE_AT, 4);
    uint64_t effective = pc_attr_size(size);
    pc_finding_name(&f, "size");
    f.seen = pc_uint_value(size);
    if (size == 0)
        pc_judge_add(judge, &f);
    f.id = PC_NO_DIAG;
    if (size != 0 && size < PC_ATTR_SIZE_MIN) {
        f.id = PC_D_ATTR_SIZE_SMALL;
        f.expected = pc_uint_value(PC_ATTR_SIZE_MIN);
    } else if (size % 8 != 0) {
        f.id = PC_D_ATTR_SIZE_UNALIGNED;
    } else if (!in_pipe && effective != attr.len) {
        f.id = pc_attr_ends_early(judge->capture, attr) ? PC_D_ATTR_SIZE_ROOM : PC_D_ATTR_SIZE_MISMATCH;
        f.expected = pc_uint_value(attr.len);
    } else if (size > PC_ATTR_SIZE_KNOWN) {
        f.id = PC_D_ATTR_SIZE_NEWER;
        f.expected = pc_uint_value(PC_ATTR_SIZE_KNOWN);
    }
    if (f.id)
        pc_judge_add(judge, &f);
}

void pc_check_attr(struct pc_judge *judge, struct pc_span attr, size_t at, bool in_pipe)
{
    struct pc_cursor c = pc_cursor(attr, judge->capture->order), inner;
    struct pc_walk walk;
    uint64_t size = 0;

    if (pc_peek(&c, PC_ATTR_SIZE_AT, 4, &size))
        check_size(judge, attr, size, at, in_pipe);
    uint64_t effective = pc_attr_size(size) & ~(uint64_t)7;
    if (effective < PC_ATTR_SIZE_MIN || !pc_narrow(&c, effective < attr.len ? effective : attr.len, &inner))
        return;
    uint64_t base = judge->at.offset;
    judge->at.offset += at;
    pc_walk_init(&walk, NULL, &inner, pc_check_visit, judge);
    if (pc_walk_table(&walk, pc_attr_fields)) {
        struct member m = { judge, walk.slot, walk.slot_at };
        check_flags(&m);
        check_sampling(&m);
        struct pc_span rest = pc_part(attr, inner.pos, attr.len - inner.pos);
        /* A size that is no multiple of 8 does not say where the attr ends. */
        if (size % 8 == 0 && pc_first_nonzero(rest) != rest.len)
            pc_check_say(judge, PC_D_ATTR_GAP, inner.pos, rest.len, pc_none, pc_none);
    }
    judge->at.offset = base;
}

/* SPDX-License-Identifier: MIT */
#include "faults_map.h"

#include "check/check.h"

#include <string.h>

/* --- one field, by its name --- */

static bool is_kind(const struct site *s, const struct fuzz_fault *fault)
{
    bool record = s->part->kind == IN_RECORD && !s->feature && !s->is_attr;
    switch (fault->in) {
    case ANY_ATTR:
        return s->is_attr;
    case FILE_ATTR:
        return s->is_attr && !fuzz_map.pipe;
    case PIPE_ATTR:
        return s->is_attr && fuzz_map.pipe;
    case A_FEATURE:
        return s->feature == fault->number;
    case A_RECORD:
        return record && s->part->number == fault->number && !s->trailer;
    case A_TRAILER:
        return record && s->trailer;
    default:
        return record && s->part->number == PC_SAMPLE && s->field->when == PC_LAYOUT_READ(PC_READ_ID);
    }
}

static bool takes_named(const struct site *s, const struct fuzz_fault *fault)
{
    uint64_t needs = fault->needs & ~SEVERAL_ATTRS;
    bool number = s->field->kind == PC_UINT || s->field->kind == PC_BITS;
    if (!number || !s->field->name || strcmp(s->field->name, fault->field) != 0 || !is_kind(s, fault))
        return false;
    if (((fault->needs & SEVERAL_ATTRS) && fuzz_map.nr_attrs < 2) ||
        (fault->slot && s->field->save != fault->slot) ||
        (fault->most && (s->attr < fault->least || s->attr >= fault->most)))
        return false;
    uint64_t type = fuzz_map.nr_attrs != 0 ? fuzz_map.sample_type[s->attr] : 0;
    return (type & needs) == needs && !(type & fault->lacks);
}

static bool set_named(const struct site *s, const struct fuzz_fault *fault)
{
    uint64_t value = s->value, max = fuzz_ones(s->field->width);
    switch (fault->op) {
    case SET:
        value = fault->operand;
        break;
    case ADD:
        value += fault->operand;
        break;
    case OR:
        value |= fault->operand;
        break;
    case AND:
        value &= fault->operand;
        break;
    default:
        value ^= fault->operand;
        break;
    }
    /* A size below that of the first perf is another fault. */
    bool small = fault->id == PC_D_ATTR_SIZE_MISMATCH && value < PC_ATTR_SIZE_MIN;
    if ((value & max) == s->value || small)
        return false;
    /* A shorter attr does no harm if no id matters. */
    bool harmless = fault->id == PC_D_ATTR_SIZE_MISMATCH && value < s->value && fuzz_map.nr_attrs == 1 &&
                    !fuzz_map.stat && !(fuzz_map.sample_type[0] & PC_S_READ);
    fuzz_put(s, value & max);
    fuzz_map.f->id = harmless ? PC_D_ATTR_SIZE_ROOM : fault->id;
    return true;
}

/* One of the attrs from `least` on, and before `most` if that is not 0. */
static bool change_attr(const struct fuzz_fault *fault, uint32_t least, uint32_t most)
{
    struct fuzz_fault named = *fault;
    named.takes = takes_named;
    named.change = set_named;
    named.least = least;
    named.most = most;
    if (!fuzz_change_one(&named))
        return false;
    fuzz_map.f->place = PC_IN_ATTR;
    return true;
}

/* perf stat has no samples, so its attrs are not compared. Others are compared when all are known. */
static bool change_compared(const struct fuzz_fault *fault, uint32_t least, uint32_t most)
{
    return !fuzz_map.stat && change_attr(fault, least, most);
}

static bool apply_differs(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    (void)f;
    return change_compared(fault, 1, UINT32_MAX);
}

static bool apply_first_attr(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    (void)f;
    return change_compared(fault, 0, 1);
}

/* --- attrs against each other and against other items --- */

/* An event becomes a tracepoint that has no format. */
static bool apply_tracepoint(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    uint32_t n = 0;
    (void)f;
    if (fault->id == PC_D_TRACEPOINT_WITHOUT_DATA)
        return !fuzz_has_feature(PC_TRACING_DATA) && !fuzz_first(IN_RECORD, PC_HEADER_TRACING_DATA) &&
               (!fuzz_map.pipe || fuzz_first(IN_RECORD, PC_SAMPLE)) && change_attr(fault, 0, 0);
    while (n < fuzz_map.nr_attrs && !fuzz_map.is_tracepoint[n])
        n++;
    return n < fuzz_map.nr_attrs && change_attr(fault, n, n + 1);
}

/* An event loses its ids. The finding is about the last attr. */
static bool apply_no_common_id(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    if (fuzz_map.nr_attrs < 2 || !change_compared(fault, 0, 0))
        return false;
    f->offset = fuzz_attr_at(fuzz_map.nr_attrs - 1) + pc_row_at(pc_attr_fields, PC_ATTR_SAMPLE_TYPE);
    f->elsewhere = true;
    return true;
}

/* A PMU type that PMU_MAPPINGS does not have. */
static bool apply_pmu(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    (void)f;
    return fuzz_has_feature(PC_PMU_MAPPINGS) && change_attr(fault, 0, 0);
}

/* No event asks for these records. */
static bool apply_unexpected(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    bool changed = false;
    if (!fuzz_first(IN_RECORD, PC_CALLCHAIN_DEFERRED) || fuzz_has_feature(PC_EVENT_DESC))
        return false;
    for (uint32_t n = 0; n < fuzz_map.nr_attrs; n++)
        changed |= change_attr(fault, n, n + 1);
    if (!changed)
        return false;
    f->offset = fuzz_first(IN_RECORD, PC_CALLCHAIN_DEFERRED)->at;
    f->place = PC_IN_RECORD;
    f->elsewhere = true;
    return true;
}

/* A bit of sample_type whose parameter is after the end of the attr. */
static bool ask_for_parameter(const struct site *s, const struct fuzz_fault *fault)
{
    static const struct {
        uint64_t bit;
        unsigned parameter;
    } asks[] = {
        { PC_S_BRANCH_STACK, PC_ATTR_BRANCH_TYPE },
        { PC_S_REGS_USER, PC_ATTR_REGS_USER },
        { PC_S_STACK_USER, PC_ATTR_STACK_USER },
        { PC_S_REGS_INTR, PC_ATTR_REGS_INTR },
    };
    size_t n = fuzz_map.f->choice[2] % PC_COUNT_OF(asks), attr = fuzz_attr_at(s->attr);
    if (pc_row_at(pc_attr_fields, asks[n].parameter) < fuzz_load(attr + PC_ATTR_SIZE_AT, 4))
        return false;
    fuzz_put(s, s->value | asks[n].bit);
    fuzz_map.f->id = fault->id;
    fuzz_map.f->offset = attr + PC_ATTR_SIZE_AT;
    fuzz_map.f->elsewhere = true;
    return true;
}

/* A longer bpf_prog_info. */
static bool takes_info(const struct site *s, const struct fuzz_fault *fault)
{
    return s->feature == PC_BPF_PROG_INFO && s->field->rule_diag == fault->id && s->part->kind == IN_FEATURE;
}

static bool lengthen_info(const struct site *s, const struct fuzz_fault *fault)
{
    size_t head = 16, more = (size_t)(s->field->arg + 8 - s->value); /* two lengths and the arrays */
    fuzz_store(s->at, 4, s->field->arg + 8);
    fuzz_store(s->part->slot + 8, 8, s->part->size + more);
    fuzz_map.f->id = fault->id;
    return fuzz_splice(s->at + head + (size_t)s->value, 0, more, NULL, (long)s->part->slot);
}

/* A duplicate number. The finding is about the later one. */
static bool repeat_number(const struct site *s, const struct fuzz_fault *fault)
{
    for (size_t i = 0; i < fuzz_sites.nr; i++) {
        const struct site *other = &fuzz_sites.site[i];
        if (other->field != s->field || other->part != s->part || other->at >= s->at)
            continue;
        fuzz_put(s, other->value);
        fuzz_map.f->id = fault->id;
        return true;
    }
    return false;
}

/* A list of CPUs that contains a letter. */
static bool takes_list(const struct site *s, const struct fuzz_fault *fault)
{
    return s->field->kind == PC_HSTR && s->feature == fault->number &&
           (!fault->field || (s->field->name && strcmp(s->field->name, fault->field) == 0));
}

static bool no_list(const struct site *s, const struct fuzz_fault *fault)
{
    if (s->value == 0)
        return false;
    fuzz_map.f->bytes[s->at + 4 + fuzz_map.f->choice[2] % s->value] = 'x';
    fuzz_map.f->id = fault->id;
    return true;
}

/* The range of a CPU map begins after its end. */
static bool begin_late(const struct site *s, const struct fuzz_fault *fault)
{
    const unsigned end = 7;
    fuzz_store(s->at, 2, end);
    fuzz_map.f->offset = s->at + 2;
    fuzz_map.f->elsewhere = true;
    fuzz_map.f->id = fault->id;
    return true;
}

static bool takes_last_word(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->feature == PC_MEM_TOPOLOGY && !s->field->name && s->index == 1;
}

/* Generated bitmaps have 70 bits. */
static bool set_tail(const struct site *s, const struct fuzz_fault *fault)
{
    fuzz_put(s, s->value | PC_FLAG(6 + fuzz_map.f->choice[2] % 58));
    fuzz_map.f->id = fault->id;
    return true;
}

static bool takes_order(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->feature == PC_TRACING_DATA && s->field->kind == PC_ORDER;
}

static bool turn_order(const struct site *s, const struct fuzz_fault *fault)
{
    fuzz_map.f->bytes[s->at] ^= 1;
    fuzz_map.f->id = fault->id;
    return true;
}

static bool takes_desc_id(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->feature == PC_EVENT_DESC && !s->field->name && s->field->kind == PC_UINT &&
           fuzz_map.nr_attrs > 1;
}

/* The payload of tracepoint number 7 of tests/generate/tracing.c. The word at 12 gives the place of a string.
 * */
static bool takes_payload(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->part->kind == IN_RECORD && s->part->number == PC_SAMPLE && fuzz_map.is_tracepoint[s->attr] &&
           s->field->kind == PC_BYTES && strcmp(s->field->name, "raw") == 0;
}

static bool change_payload(const struct site *s, const struct fuzz_fault *fault)
{
    const size_t word = 12;
    if (fault->id == PC_D_COMMON_TYPE) {
        fuzz_store(s->at, 2, 0);
    } else if (fault->id == PC_D_COMMON_TYPE_UNKNOWN) {
        fuzz_store(s->at, 2, 8 + fuzz_map.f->choice[2] % 1000);
    } else {
        fuzz_map.f->offset = s->at + word;
        fuzz_store((size_t)fuzz_map.f->offset, 4,
                   (uint64_t)11 << 16 | 34); /* one byte more than the payload */
    }
    fuzz_map.f->id = fault->id;
    return true;
}

/* A call chain may have such a marker as its last entry but one. */
static bool takes_chain(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->field->rule == PC_RULE_CHAIN;
}

/* The last entry. After such a marker it would be the cookie. */
static bool put_marker(const struct site *s, const struct fuzz_fault *fault)
{
    const struct site *last = s;
    for (size_t i = 0; i < fuzz_sites.nr; i++) {
        const struct site *other = &fuzz_sites.site[i];
        if (other->part == s->part && other->index > last->index)
            last = other;
    }
    if (last->index != 0 && fuzz_load(last->at - 8, 8) == PC_CONTEXT_USER_DEFERRED)
        return false;
    fuzz_map.f->offset = last->at;
    fuzz_put(last, PC_CONTEXT_USER_DEFERRED);
    fuzz_map.f->id = fault->id;
    return true;
}

/* The mask of a CPU map that has only one word. */
static bool takes_mask(const struct site *s, const struct fuzz_fault *fault)
{
    const unsigned mask = 1;
    (void)fault;
    return s->part->kind == IN_RECORD && s->part->number == PC_CPU_MAP && !s->field->name &&
           fuzz_load(s->part->at + 8, 2) == mask;
}

static bool empty_mask(const struct site *s, const struct fuzz_fault *fault)
{
    for (size_t i = 0; i < fuzz_sites.nr; i++) {
        if (fuzz_sites.site[i].part == s->part)
            fuzz_put(&fuzz_sites.site[i], 0);
    }
    fuzz_map.f->offset = s->part->at;
    fuzz_map.f->elsewhere = true;
    fuzz_map.f->id = fault->id;
    return true;
}

/* The message of an error whose format has one does not fit. The record is shorter than 120 bytes. */
static bool ask_for_message(const struct site *s, const struct fuzz_fault *fault)
{
    const unsigned newest = 2, size = 120;
    if (s->part->size >= size || s->value == newest)
        return false;
    fuzz_put(s, newest);
    fuzz_map.f->id = fault->id;
    fuzz_map.f->offset = s->part->at + 6;
    fuzz_map.f->elsewhere = true;
    return true;
}

/* The payload is empty, with four zeros as its size, or longer than the format describes. */
static bool resize_payload(const struct site *s, const struct fuzz_fault *fault)
{
    const size_t size = 44, none = 4, more = 16; /* of tests/generate/tracing.c */
    bool gone = fault->id == PC_D_RAW_MISSING;
    fuzz_store(s->at - 4, 4, gone ? none : size + more);
    fuzz_map.f->id = fault->id;
    if (gone)
        memset(fuzz_map.f->bytes + s->at, 0, none);
    else
        fuzz_map.f->offset = s->at + 39; /* the end of the string */
    return gone ? fuzz_resize(s->part, s->at + none, size - none, 0)
                : fuzz_resize(s->part, s->at + size, 0, more);
}

/* A trace that has no entry in the ID_INDEX before it. */
static bool leave_index(const struct site *s, const struct fuzz_fault *fault)
{
    const struct part *index = fuzz_first(IN_RECORD, PC_ID_INDEX);
    if (!index || index > s->part)
        return false;
    fuzz_put(s, 77);
    fuzz_map.f->id = fault->id;
    return true;
}

/* A PMU that PMU_MAPPINGS does not have. */
static bool rename_pmu(const struct site *s, const struct fuzz_fault *fault)
{
    if (!fuzz_has_feature(PC_PMU_MAPPINGS))
        return false;
    fuzz_map.f->bytes[s->at + 4] ^= 1;
    fuzz_map.f->id = fault->id;
    return true;
}

/* --- times --- */

static bool takes_time(const struct site *s, const struct fuzz_fault *fault)
{
    bool sample = s->part->number == PC_SAMPLE;
    bool is_time = s->part->kind == IN_RECORD && !s->feature && !s->is_attr &&
                   s->field->save == PC_SLOT_TIME && pc_is_kernel_type(s->part->number);
    return is_time && (fault->id == PC_D_TIME_ORDER ? s->part->late && s->part->released > 1 : sample);
}

static bool set_time(const struct site *s, const struct fuzz_fault *fault)
{
    uint64_t n = fuzz_map.f->choice[2];
    if (fault->id == PC_D_TIME_ORDER)
        fuzz_put(s, 1 + n % (s->part->released - 1));
    else
        fuzz_put(s, n % 2 ? 0 : UINT64_MAX);
    fuzz_map.f->id = fault->id;
    return true;
}

struct clock {
    uint64_t newest, released, next;
    bool rounds;
};

static bool see_time(void *ctx, const struct pc_leaf *leaf)
{
    struct view *v = ctx;
    struct clock *clock = v->ctx;
    if (!v->feature && !v->is_attr && leaf->field->save == PC_SLOT_TIME && leaf->value > clock->newest)
        clock->newest = leaf->value;
    return true;
}

/* After two rounds, nothing older than the time of the first may come: FORMAT.md 9.1. */
static bool apply_time(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    struct clock clock = { 0 };
    struct fuzz_fault timed = *fault;
    (void)f;
    timed.takes = takes_time;
    timed.change = set_time;
    for (size_t i = 0; i < fuzz_map.nr_parts; i++) {
        struct part *p = &fuzz_map.part[i];
        if (p->kind != IN_RECORD)
            continue;
        p->late = true;
        p->released = clock.released;
        if (p->number == PC_FINISHED_ROUND) {
            clock.released = clock.next;
            clock.next = clock.newest;
        } else if (pc_is_kernel_type(p->number)) {
            fuzz_walk_part(p, see_time, &clock);
        }
    }
    return fuzz_change_one(&timed);
}

/* --- the list --- */

#define NAMED(where, n, member, which, how, value, ...)                                                      \
    ROW(member, which, .takes = takes_named, .change = set_named, .in = where, .number = n, .field = member, \
        .op = how, .operand = value, __VA_ARGS__)
#define ATTR(member, which, how, value, ...)                                                                 \
    NAMED(ANY_ATTR, 0, member, which, how, (uint64_t)(value), __VA_ARGS__)
#define IN_FILE(member, which, how, value)          NAMED(FILE_ATTR, 0, member, which, how, (uint64_t)(value), )
#define IN_PIPE(member, which, how, value)          NAMED(PIPE_ATTR, 0, member, which, how, value, )
#define OF_FEATURE(type, member, which, how, value) NAMED(A_FEATURE, PC_##type, member, which, how, value, )
#define OF_RECORD(type, member, which, how, value, ...)                                                      \
    NAMED(A_RECORD, PC_##type, member, which, how, value, __VA_ARGS__)
#define IN_TRAILER(member, which, how, value, ...) NAMED(A_TRAILER, 0, member, which, how, value, __VA_ARGS__)
#define COMPARED(what, member, which, how, value, ...)                                                       \
    ROW(what, which, .capture = how, .in = ANY_ATTR, .field = member, .op = AND, .operand = value,           \
        __VA_ARGS__)
#define TAG_AGAIN(type, member, which)                                                                       \
    ROW(#type " " member, which, .takes = takes_named, .change = repeat_number, .in = A_RECORD,              \
        .number = PC_##type, .field = member)
#define AGAIN(type, member, which)                                                                           \
    ROW(#type " " member, which, .takes = takes_named, .change = repeat_number, .in = A_FEATURE,             \
        .number = PC_##type, .field = member)
#define LIST(type, member, which)                                                                            \
    ROW(#type " list", which, .takes = takes_list, .change = no_list, .number = PC_##type, .field = member)

/* An id that no event has. */
#define NO_ID 0xfeedfeed00000000

static const struct fuzz_fault faults[] = {
    LEAF("no number of a tracepoint", COMMON_TYPE, takes_payload, change_payload),
    LEAF("number of another tracepoint", COMMON_TYPE_UNKNOWN, takes_payload, change_payload),
    LEAF("no payload of a tracepoint", RAW_MISSING, takes_payload, resize_payload),
    LEAF("bytes that no format describes", RAW_UNDESCRIBED, takes_payload, resize_payload),
    ROW("a PMU that is not mapped", HYBRID_NAME, .takes = takes_list, .change = rename_pmu,
        .number = PC_HYBRID_TOPOLOGY, .field = "pmu_name"),
    LEAF("a string of a tracepoint", RAW_FIELD_OUTSIDE, takes_payload, change_payload),
    CAPTURE("time of a sample", TIME_UNSET, apply_time),
    CAPTURE("time before what a round has released", TIME_ORDER, apply_time),
    OF_RECORD(SAMPLE, "identifier", SAMPLE_ID_UNKNOWN, OR, NO_ID, .needs = SEVERAL_ATTRS),
    OF_RECORD(SAMPLE, "id", IDENTIFIER_DIFFERS, OR, NO_ID, .slot = PC_SLOT_ID),
    OF_RECORD(SAMPLE, "cpu", SAMPLE_CPU_BEYOND, SET, CPUS, ),
    NAMED(A_SAMPLE_READ, 0, "id", READ_ID, OR, NO_ID, .needs = SEVERAL_ATTRS),
    IN_TRAILER("identifier", ID_UNKNOWN, OR, NO_ID, .needs = SEVERAL_ATTRS),
    IN_TRAILER("id", IDENTIFIER_DIFFERS, OR, NO_ID, ),
    IN_TRAILER("cpu", CPU_BEYOND, SET, CPUS, ),
    OF_RECORD(AUX, "aux_size", AUX_OVERFLOW, SET, UINT64_MAX, ),
    OF_RECORD(FORK, "tid", FORK_IDLE, SET, 0, ),
    OF_RECORD(MMAP, "len", MMAP_RANGE, SET, 0, ),
    OF_RECORD(MMAP2, "len", MMAP_RANGE, SET, UINT64_MAX, ),
    OF_RECORD(AUXTRACE_INFO, "time_mult", AUXTRACE_CLOCK, SET, (uint64_t)1 << 32, ),
    OF_RECORD(STAT, "id", STAT_ID, OR, NO_ID, .needs = SEVERAL_ATTRS),
    OF_RECORD(STAT, "cpu", STAT_CPU_OUTSIDE, SET, 60000, ),
    OF_RECORD(FORK, "tid", TASK_NUMBER, SET, 4194304, ),
    OF_RECORD(FORK, "ptid", TASK_NUMBER, SET, 0xfffffffe, ),
    OF_RECORD(FORK, "ptid", FORK_OWN_PARENT, SET, 100, ),
    OF_RECORD(STAT, "thread", STAT_THREAD, SET, 1000, ),
    OF_RECORD(EVENT_UPDATE, "id", EVENT_UPDATE_ID, OR, NO_ID, .needs = SEVERAL_ATTRS),
    OF_RECORD(ID_INDEX, "id", ID_INDEX_ID, OR, NO_ID, .needs = SEVERAL_ATTRS),
    OF_RECORD(ID_INDEX, "cpu", ID_INDEX_CPU, SET, CPUS, ),
    OF_RECORD(AUXTRACE_INFO, "type", AUXTRACE_TYPE, SET, 8, ),
    ROW("a trace of no index", AUXTRACE_NOT_INDEXED, .takes = takes_named, .change = leave_index,
        .in = A_RECORD, .number = PC_AUXTRACE, .field = "idx"),
    OF_RECORD(AUXTRACE, "size", AUXTRACE_HUGE, OR, (uint64_t)1 << 63, ),
    OF_RECORD(HEADER_BUILD_ID, "build_id_size", BUILD_ID_SIZE, SET, 21, ),
    ROW("CPU map start", CPU_MAP_RANGE, .takes = takes_named, .change = begin_late, .in = A_RECORD,
        .number = PC_CPU_MAP, .field = "start_cpu"),
    ATTR("type", ATTR_TYPE_IMPOSSIBLE, SET, 65536, ),
    ATTR("size", ATTR_SIZE_ZERO, SET, 0, ),
    IN_FILE("size", ATTR_SIZE_SMALL, SET, 56),
    IN_FILE("size", ATTR_SIZE_UNALIGNED, ADD, 4),
    IN_FILE("size", ATTR_SIZE_MISMATCH, ADD, -8),
    IN_PIPE("size", HEADER_ATTR_SIZE, SET, 56),
    IN_PIPE("size", HEADER_ATTR_SIZE, ADD, 4),
    IN_PIPE("size", HEADER_ATTR_SIZE, ADD, 1024),
    ATTR("sample_period", PERIOD_SIGN, OR, PC_FLAG(63), ),
    ATTR("clockid", CLOCKID_UNKNOWN, SET, 12, ),
    ATTR("read_format", READ_FORMAT_UNKNOWN, OR, 1 << PC_READ_BITS, .needs = PC_S_READ),
    ATTR("read_format", READ_FORMAT_UNUSED, OR, PC_FLAG(63), .lacks = PC_S_READ),
    ATTR("branch_sample_type", BRANCH_TYPE_UNKNOWN, OR, 1 << PC_BRANCH_BITS, .needs = PC_S_BRANCH_STACK),
    ATTR("branch_sample_type", BRANCH_TYPE_NONE, AND, 7, .needs = PC_S_BRANCH_STACK),
    ATTR("sample_type", WEIGHT_TWICE, OR, PC_S_WEIGHT | PC_S_WEIGHT_STRUCT, ),
    ATTR("sample_stack_user", STACK_SIZE, SET, 4097, .needs = PC_S_STACK_USER),
    ATTR("sample_regs_user", REGS_MASK_EMPTY, SET, 0, .needs = PC_S_REGS_USER),
    ATTR("sample_regs_intr", REGS_MASK_EMPTY, SET, 0, .needs = PC_S_REGS_INTR),
    ATTR("flags", FLAGS_CONFLICT, OR, PC_FLAG_SIGTRAP, ),
    ATTR("flags", FLAGS_CONFLICT, OR, PC_FLAG_INHERIT_THREAD, ),
    ATTR("flags", FLAGS_CONFLICT, OR, PC_FLAG_REMOVE_ON_EXEC | PC_FLAG_ENABLE_ON_EXEC, ),
    ATTR("flags", DEFER_WITHOUT_CALLCHAIN, OR, PC_FLAG_DEFER_CHAIN, .lacks = PC_S_CALLCHAIN),
    COMPARED("another sample_id_all", "flags", SAMPLE_ID_ALL_DIFFERS, apply_differs, ~PC_FLAG_SAMPLE_ID_ALL),
    COMPARED("values without ids", "read_format", READ_WITHOUT_ID, apply_differs, ~(uint64_t)PC_READ_ID,
             .needs = PC_S_READ),
    COMPARED("first values without ids", "read_format", READ_WITHOUT_ID_FIRST, apply_first_attr,
             ~(uint64_t)PC_READ_ID, .needs = PC_S_READ),
    ROW("a tracepoint without trace data", TRACEPOINT_WITHOUT_DATA, .capture = apply_tracepoint,
        .in = ANY_ATTR, .field = "type", .op = SET, .operand = PC_TYPE_TRACEPOINT),
    ROW("a tracepoint that is not described", TRACEPOINT_UNDESCRIBED, .capture = apply_tracepoint,
        .in = ANY_ATTR, .field = "config", .op = XOR, .operand = 0x100),
    COMPARED("no id at a common place", "sample_type", NO_COMMON_ID, apply_no_common_id, ~PC_S_IDENTIFIER,
             .lacks = PC_S_ID),
    ROW("a PMU without a name", PMU_UNMAPPED, .capture = apply_pmu, .in = ANY_ATTR, .field = "type",
        .op = SET, .operand = 0x7777777),
    COMPARED("no event that defers its chains", "flags", DEFERRED_UNEXPECTED, apply_unexpected,
             ~PC_FLAG_DEFER_OUTPUT),
    ROW("a parameter that is not there", ATTR_PARAMETER_MISSING, .takes = takes_named,
        .change = ask_for_parameter, .in = ANY_ATTR, .field = "sample_type"),
    LEAF("a marker of a deferred chain", CALLCHAIN_DEFERRED, takes_chain, put_marker),
    LEAF("a map of no CPU", CPU_MAP_EMPTY, takes_mask, empty_mask),
    ROW("an error without its message", AUXTRACE_ERROR_SHORT, .takes = takes_named, .change = ask_for_message,
        .in = A_RECORD, .number = PC_AUXTRACE_ERROR, .field = "fmt"),
    TAG_AGAIN(STAT_CONFIG, "tag", STAT_CONFIG_TWICE),
    OF_RECORD(MMAP2, "build_id_size", MMAP2_BUILD_ID_EMPTY, SET, 0, ),
    LEAF("trace data of the other order", TRACING_ORDER, takes_order, turn_order),
    OF_FEATURE(TRACING_DATA, "long_size", TRACING_MAGIC, SET, 5),
    OF_FEATURE(BUILD_ID, "build_id_size", BUILD_ID_SIZE, SET, 21),
    OF_FEATURE(BUILD_ID, "misc", BUILD_ID_CPUMODE, OR, 7),
    OF_FEATURE(EVENT_DESC, "config", EVENT_DESC_DIFFERS, XOR, 0x100),
    OF_FEATURE(EVENT_DESC, "sample_period", EVENT_DESC_DIFFERS, XOR, 0x100),
    ROW("EVENT_DESC id", EVENT_DESC_IDS, .takes = takes_desc_id, .change = set_named, .op = OR,
        .operand = NO_ID),
    OF_FEATURE(GROUP_DESC, "leader_idx", GROUP_DESC, SET, UINT32_MAX),
    OF_FEATURE(GROUP_DESC, "nr_members", GROUP_DESC, SET, 0),
    OF_FEATURE(AUXTRACE_INDEX, "file_offset", AUXTRACE_INDEX_ENTRY, ADD, 4),
    OF_FEATURE(AUXTRACE_INDEX, "sz", AUXTRACE_INDEX_ENTRY, ADD, 8),
    OF_FEATURE(SAMPLE_TIME, "first", SAMPLE_TIME_ORDER, SET, UINT64_MAX),
    OF_FEATURE(MEM_TOPOLOGY, "size_bits", MEM_TOPOLOGY_BITS, ADD, 1),
    OF_FEATURE(CLOCK_DATA, "clockid", CLOCK_DATA_CLOCKID, SET, 7),
    OF_FEATURE(CPU_DOMAIN_INFO, "cpu", DOMAIN_VALUE, SET, CPUS),
    OF_FEATURE(CPU_DOMAIN_INFO, "domain", DOMAIN_VALUE, SET, 2),
    OF_FEATURE(CLN_SIZE, "bytes", CLN_SIZE, SET, 0),
    OF_FEATURE(BPF_PROG_INFO, "map_ids", BPF_ARRAY, SET, PC_FLAG(40)),
    LEAF("bpf_prog_info of a newer kernel", BPF_INFO_LEN, takes_info, lengthen_info),
    AGAIN(NUMA_TOPOLOGY, "node", NUMA_NODE),
    AGAIN(PMU_MAPPINGS, "type", PMU_TWICE),
    AGAIN(BPF_PROG_INFO, "id", BPF_TWICE),
    AGAIN(BPF_BTF, "id", BPF_TWICE),
    LIST(CPU_TOPOLOGY, NULL, CPU_LIST),
    LIST(NUMA_TOPOLOGY, "cpus", NUMA_CPU_LIST),
    LEAF("a bit after the bitmap", MEM_TOPOLOGY_TAIL, takes_last_word, set_tail),
    OF_FEATURE(COMPRESSED_FEATURE, "type", COMPRESSED_TYPE, SET, 2),
    OF_FEATURE(COMPRESSED_FEATURE, "level", COMPRESSED_LEVEL, SET, 23),
    OF_FEATURE(COMPRESSED_FEATURE, "mmap_len", COMPRESSED_MMAP_LEN, SET, 4095),
};

const struct fuzz_faults fuzz_field_faults = { faults, PC_COUNT_OF(faults) };

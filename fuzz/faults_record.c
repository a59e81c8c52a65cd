/* SPDX-License-Identifier: MIT */
#include "faults_map.h"

#include <string.h>

/* --- headers of records --- */

bool fuzz_is_needed(const struct part *p)
{
    return p->number == PC_AUXTRACE || p->number == PC_HEADER_TRACING_DATA || fuzz_is_packed_record(p) ||
           p->number == PC_HEADER_ATTR ||
           (fuzz_map.pipe &&
            (p->number == PC_STAT || p->number == PC_STAT_CONFIG || p->number == PC_STAT_ROUND));
}

bool fuzz_change_a_record(const struct fuzz_fault *fault)
{
    for (size_t i = 0; i < fuzz_map.nr_parts; i++) {
        const struct part *p = &fuzz_map.part[(i + fuzz_map.f->choice[1]) % fuzz_map.nr_parts];
        if (p->kind != IN_RECORD || !pc_record_info(p->number))
            continue;
        fuzz_map.f->id = fault->id;
        fuzz_map.f->place = PC_IN_RECORD;
        fuzz_map.f->offset = p->at;
        if (fault->record(p, fault))
            return true;
    }
    return false;
}

static bool change_type(const struct part *p, const struct fuzz_fault *fault)
{
    uint32_t first = fault->id == PC_D_TYPE_USER_UNKNOWN ? PC_USER_TYPES : 0;
    uint32_t nr = first ? 65536 - PC_USER_TYPES : PC_USER_TYPES, type = fuzz_map.f->choice[2] % nr;
    if (fuzz_is_needed(p))
        return false;
    while (pc_record_info(first + type))
        type = (type + 1) % nr;
    fuzz_store(p->at, 4, first + type);
    return true;
}

static bool change_size_to_less(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    /* In the attrs of EVENT_DESC a reader may see records that lead somewhere. */
    if (fuzz_is_needed(p) || p->number == PC_HEADER_FEATURE)
        return false;
    fuzz_store(p->at + 6, 2, fuzz_map.f->choice[2] % PC_RECORD_HEADER_SIZE);
    fuzz_map.f->elsewhere = false;
    return true;
}

static bool set_misc(const struct part *p, unsigned misc)
{
    if (misc == p->misc || fuzz_is_packed_record(p))
        return false;
    fuzz_store(p->at + 4, 2, misc);
    fuzz_map.f->offset = p->at + 4;
    return true;
}

static bool change_misc(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    return set_misc(p, p->misc | (unsigned)fuzz_other_bit(pc_record_info(p->number)->misc, 0xffff,
                                                          fuzz_map.f->choice[2]));
}

/* 0 to 5 are the modes there are; a sample has one. */
static bool change_mode(const struct part *p, const struct fuzz_fault *fault)
{
    const struct pc_record_info *info = pc_record_info(p->number);
    unsigned mode = 6 + fuzz_map.f->choice[2] % 2, rest = p->misc & ~(unsigned)PC_MISC_CPUMODE;
    (void)fault;
    if (!(info->flags & PC_HAS_CPUMODE))
        return false;
    return set_misc(p, rest | ((info->flags & PC_NEEDS_MODE) && fuzz_map.f->choice[2] % 3 == 0 ? 0 : mode));
}

/* misc of one type: `operand` is its new value, where 0 in `needs` keeps the other bits. */
static bool change_misc_of(const struct part *p, const struct fuzz_fault *fault)
{
    return p->number == fault->number &&
           set_misc(p, (p->misc & (unsigned)fault->needs) | (unsigned)fault->operand);
}

/* --- bytes that come or go --- */

/* What says where other things lie, after n bytes more (or less) at a place. -1: in the data; else behind the
 * section in this slot. */
static void move_sections(size_t at, long n, long slot)
{
    const struct part *index = NULL;
    if (fuzz_map.pipe)
        return;
    for (size_t i = 0; i < fuzz_map.nr_parts; i++) {
        const struct part *p = &fuzz_map.part[i];
        if (p->kind != IN_FEATURE)
            continue;
        if (p->number == PC_AUXTRACE_INDEX)
            index = p;
        if (slot < 0 || p->slot > (size_t)slot)
            fuzz_store(p->slot, 8, (uint64_t)((long)p->at + n));
    }
    if (slot >= 0)
        return;
    fuzz_store(48, 8, (uint64_t)((long)(fuzz_map.data_end - fuzz_map.data) + n));
    for (size_t i = 0; index && i < fuzz_load(index->at, 8); i++) {
        size_t entry = index->at + 8 + PC_SECTION_SIZE * i;
        if (fuzz_load(entry, 8) >= at)
            fuzz_store(entry, 8, (uint64_t)((long)fuzz_load(entry, 8) + n));
    }
}

/* n bytes of the capture become m others, zeros where `from` is NULL. */
bool fuzz_splice(size_t at, size_t n, size_t m, const unsigned char *from, long slot)
{
    struct fuzz_faulty *f = fuzz_map.f;
    if (m > n && m - n > FUZZ_FAULT_ROOM)
        return false;
    move_sections(at + n, (long)m - (long)n, slot);
    memmove(f->bytes + at + m, f->bytes + at + n, f->len - at - n);
    if (from)
        memcpy(f->bytes + at, from, m);
    else
        memset(f->bytes + at, 0, m);
    f->len = f->len - n + m;
    f->elsewhere = true;
    return true;
}

/* The size of a record, and bytes at a place in it. */
static bool resize(const struct part *p, size_t at, size_t n, size_t m)
{
    size_t size = p->size - n + m;
    if (size > PC_RECORD_SIZE_MAX || (m > n && m - n > FUZZ_FAULT_ROOM))
        return false;
    fuzz_store(p->at + 6, 2, size);
    return fuzz_splice(at, n, m, NULL, -1);
}

static size_t trailer_of(const struct part *p)
{
    if (!pc_is_kernel_type(p->number))
        return 0;
    return pc_sample_id_size(pc_record_layout(&fuzz_map.layout[p->attr], p->number, p->misc, false).mask);
}

/* Whether a word between fields and trailer of a record belongs to neither. */
static bool is_excess(const struct part *p, size_t end)
{
    static unsigned char longer[PC_RECORD_SIZE_MAX + 9];
    struct pc_cursor c = { .in = { longer, p->size + 8 },
                           .pos = PC_RECORD_HEADER_SIZE,
                           .order = fuzz_map.order };
    struct pc_layout layout = { 0 };
    struct pc_walk walk;
    size_t excess = 0;
    memset(longer, 0, sizeof(longer));
    memcpy(longer, fuzz_map.f->bytes + p->at, end);
    memcpy(longer + end + 8, fuzz_map.f->bytes + p->at + end, p->size - end);
    if (pc_is_kernel_type(p->number))
        layout = pc_record_layout(&fuzz_map.layout[p->attr], p->number, p->misc, false);
    pc_walk_init(&walk, &layout, &c, NULL, NULL);
    return pc_walk_record(&walk, pc_record_info(p->number), &excess) && excess == 8;
}

/* A word more than the fields take. A sample with branches may have another form that fits. */
static bool add_word(const struct part *p, const struct fuzz_fault *fault)
{
    const struct pc_record_info *info = pc_record_info(p->number);
    size_t end = p->size - trailer_of(p);
    bool branches = p->number == PC_SAMPLE && (fuzz_map.sample_type[p->attr] & PC_S_BRANCH_STACK);
    if (fault->number && fault->number != p->number)
        return false;
    if (fuzz_is_packed_record(p) || p->number == PC_AUXTRACE || p->number == PC_HEADER_TRACING_DATA ||
        p->number == PC_HEADER_ATTR || p->number == PC_HEADER_FEATURE || branches || !is_excess(p, end) ||
        !resize(p, p->at + end, 0, 8))
        return false;
    fuzz_map.f->id = info->excess ? info->excess : PC_D_RECORD_EXCESS;
    bool whole = fuzz_map.f->id == PC_D_FINISHED_SIZE || fuzz_map.f->id == PC_D_TIME_CONV_SIZE;
    fuzz_map.f->offset = whole ? p->at + 6 : p->at + end;
    return true;
}

static bool make_small(const struct part *p, const struct fuzz_fault *fault)
{
    size_t size = PC_RECORD_HEADER_SIZE, least = pc_record_info(p->number)->min;
    (void)fault;
    if (fuzz_is_needed(p) || least <= size || (p->number == PC_SAMPLE))
        return false;
    size += 8 * (fuzz_map.f->choice[2] % ((least - 1) / 8));
    fuzz_map.f->offset = p->at + 6;
    return size < least && size < p->size && resize(p, p->at + size, p->size - size, 0);
}

static bool make_unaligned(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    if (fuzz_is_needed(p) || (pc_record_info(p->number)->flags & PC_ANY_SIZE) ||
        p->number == PC_HEADER_BUILD_ID || p->number == PC_CPU_MAP)
        return false;
    /* With several attrs, the word at the end says whose trailer it is. */
    if (pc_is_kernel_type(p->number) && p->number != PC_SAMPLE && fuzz_map.nr_attrs > 1)
        return false;
    fuzz_map.f->offset = p->at + 6;
    return resize(p, p->at + p->size, 0, 1 + fuzz_map.f->choice[2] % 7);
}

/* Of a sample only the id is left. */
static bool make_short_sample(const struct part *p, const struct fuzz_fault *fault)
{
    size_t left = PC_RECORD_HEADER_SIZE + (fault->id == PC_D_SAMPLE_SHORT ? 8 : 0);
    const uint64_t fixed =
        PC_S_IP | PC_S_TID | PC_S_TIME | PC_S_ADDR | PC_S_ID | PC_S_STREAM_ID | PC_S_CPU | PC_S_PERIOD;
    if (p->number != PC_SAMPLE || fuzz_map.nr_attrs < 2 || !(fuzz_map.sample_type[p->attr] & fixed))
        return false;
    fuzz_map.f->offset = p->at + 6;
    return resize(p, p->at + left, p->size - left, 0);
}

/* No trailer, though it was promised. With several attrs, other bytes would be taken for the id. */
static bool drop_trailer(const struct part *p, const struct fuzz_fault *fault)
{
    size_t trailer = trailer_of(p), least = pc_record_info(p->number)->min;
    (void)fault;
    if (!pc_is_kernel_type(p->number) || p->number == PC_SAMPLE || trailer == 0 || fuzz_map.nr_attrs != 1)
        return false;
    least = (size_t)pc_align8(least);
    if (least - pc_record_info(p->number)->min % 8 + trailer > p->size && least > p->size)
        return false;
    return least < p->size && least < pc_record_info(p->number)->min / 8 * 8 + trailer &&
           resize(p, p->at + least, p->size - least, 0);
}

static bool takes_name(const struct site *s, const struct fuzz_fault *fault)
{
    return s->part->kind == IN_RECORD && !s->feature && s->field->kind == PC_CSTR &&
           s->field->odd == fault->id && s->field->rule == PC_RULE_MAX;
}

static bool lengthen_name(const struct site *s, const struct fuzz_fault *fault)
{
    size_t n = (size_t)pc_align8(s->field->arg + 1);
    if (fuzz_names_build_id(s) || !resize(s->part, s->at, 0, n))
        return false;
    memset(fuzz_map.f->bytes + s->at, 'n', n);
    fuzz_map.f->id = fault->id;
    return true;
}

/* The record again, right behind itself. */
static bool double_record(const struct part *p, const struct fuzz_fault *fault)
{
    static unsigned char copy[65536];
    size_t size = p->size + p->payload;
    bool wanted = p->number == fault->number;
    if (p->number == PC_HEADER_FEATURE && p->size == 16)
        wanted = false; /* the end mark */
    if (!wanted || size > FUZZ_FAULT_ROOM || size > sizeof(copy))
        return false;
    memcpy(copy, fuzz_map.f->bytes + p->at, size);
    fuzz_map.f->offset = p->at + size + (size_t)fault->operand;
    return fuzz_splice(p->at + size, 0, size, copy, -1);
}

/* --- compressed records --- */

static bool soil_end(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    if (p->number != PC_COMPRESSED2)
        return false;
    size_t end = p->at + 16 + (size_t)fuzz_load(p->at + 8, 8), n = p->at + p->size - end;
    if (n == 0)
        return false;
    fuzz_map.f->bytes[end + fuzz_map.f->choice[2] % n] = 'x';
    fuzz_map.f->offset = end;
    return true;
}

/* --- the list --- */

#define MISC(type, which, value, keep)                                                                       \
    ROW(#type " misc", which, .record = change_misc_of, .number = PC_##type, .operand = value, .needs = keep)
#define TWICE(type, which, at)                                                                               \
    ROW("a second " #type, which, .record = double_record, .number = PC_##type, .operand = at)

static const struct fuzz_fault faults[] = {
    LEAF("a name that is too long", NAME_LONG, takes_name, lengthen_name),
    RECORD("a record of a word more", RECORD_EXCESS, add_word),
    RECORD("a type of the kernel's", TYPE_KERNEL_UNKNOWN, change_type),
    RECORD("a type of perf's", TYPE_USER_UNKNOWN, change_type),
    RECORD("a size below the header's", RECORD_SIZE, change_size_to_less),
    RECORD("a record of less than its fields", RECORD_SMALL, make_small),
    RECORD("a record off the grid", RECORD_UNALIGNED, make_unaligned),
    RECORD("bits of misc", MISC_UNDEFINED, change_misc),
    RECORD("cpumode", CPUMODE_UNDEFINED, change_mode),
    MISC(SWITCH, PREEMPT_WITHOUT_OUT, PC_MISC_SWITCH_PREEMPT, 0),
    MISC(MMAP, BUILD_ID_ON_MMAP, PC_MISC_MMAP_BUILD_ID, 0xffff),
    MISC(HEADER_ATTR, MISC_HEADER_ATTR, 0x777, 0),
    MISC(HEADER_BUILD_ID, BUILD_ID_CPUMODE, 3, PC_MISC_BUILD_ID_SIZE),
    TWICE(CPU_MAP, CPU_MAP_TWICE, 0),
    TWICE(THREAD_MAP, THREAD_MAP_TWICE, 0),
    TWICE(FINISHED_INIT, FINISHED_INIT_TWICE, 0),
    TWICE(HEADER_TRACING_DATA, TRACING_DATA_TWICE, 0),
    TWICE(HEADER_FEATURE, FEATURE_TWICE, PC_RECORD_HEADER_SIZE),
    RECORD("a sample of its id", SAMPLE_SHORT, make_short_sample),
    RECORD("a sample without its id", SAMPLE_NO_ID, make_short_sample),
    RECORD("a record without its trailer", SAMPLE_ID_MISSING, drop_trailer),
    ROW("a sample of a word more", SAMPLE_EXCESS, .record = add_word, .number = PC_SAMPLE),
    RECORD("padding of a compressed record", COMPRESSED2_PADDING, soil_end),
};

const struct fuzz_faults fuzz_record_faults = { faults, PC_COUNT_OF(faults) };

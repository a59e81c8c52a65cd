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

static bool change_type(const struct part *p, const struct fuzz_fault *fault)
{
    uint32_t first = fault->id == PC_D_TYPE_USER_UNKNOWN ? PC_USER_TYPES : 0;
    uint32_t nr = first ? 65536 - PC_USER_TYPES : PC_USER_TYPES, type = fuzz_map.f->choice[2] % nr;
    if (fuzz_is_needed(p))
        return false;
    while (pc_record_info(first + type))
        type = (type + 1) % nr;
    if (fault->id == PC_D_TYPE_IMPOSSIBLE)
        type += 65536;
    fuzz_store(p->at, 4, first + type);
    return true;
}

static bool change_size_to_less(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    /* In the attrs of EVENT_DESC a reader may recognise records. */
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
    return set_misc(p, p->misc | (unsigned)fuzz_other_bit(pc_record_info(p->number)->misc | PC_MISC_CPUMODE,
                                                          0xffff, fuzz_map.f->choice[2]));
}

/* Defined modes are 0 to 5. A sample has one of them. */
static bool change_mode(const struct part *p, const struct fuzz_fault *fault)
{
    const struct pc_record_info *info = pc_record_info(p->number);
    unsigned mode = 6 + fuzz_map.f->choice[2] % 2, rest = p->misc & ~(unsigned)PC_MISC_CPUMODE;
    (void)fault;
    if (!(info->flags & PC_HAS_CPUMODE))
        return false;
    return set_misc(p, rest | ((info->flags & PC_NEEDS_MODE) && fuzz_map.f->choice[2] % 3 == 0 ? 0 : mode));
}

/* misc of one type. `operand` is its new value; if `needs` is 0, it keeps the other bits. */
static bool change_misc_of(const struct part *p, const struct fuzz_fault *fault)
{
    return p->number == fault->number &&
           set_misc(p, (p->misc & (unsigned)fault->needs) | (unsigned)fault->operand);
}

/* --- bytes that are inserted or removed --- */

/* Adjusts offsets after n more (or less) bytes at a place. slot -1: in the data; else after the section in
 * this slot. */
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

/* Replaces n bytes of the capture by m others, or by zeros if `from` is NULL. */
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

bool fuzz_resize(const struct part *p, size_t at, size_t n, size_t m)
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

/* Whether a word between fields and trailer of a record belongs to neither of them. */
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

/* Adds a word after the fields. A sample with branches may then fit another form. */
static bool add_word(const struct part *p, const struct fuzz_fault *fault)
{
    const struct pc_record_info *info = pc_record_info(p->number);
    size_t end = p->size - trailer_of(p);
    bool branches = p->number == PC_SAMPLE && (fuzz_map.sample_type[p->attr] & PC_S_BRANCH_STACK);
    if (fault->number && fault->number != p->number)
        return false;
    if (fuzz_is_packed_record(p) || p->number == PC_AUXTRACE || p->number == PC_HEADER_TRACING_DATA ||
        p->number == PC_HEADER_ATTR || p->number == PC_HEADER_FEATURE || branches || !is_excess(p, end) ||
        !fuzz_resize(p, p->at + end, 0, 8))
        return false;
    fuzz_map.f->id = info->excess_diag ? info->excess_diag : PC_D_RECORD_EXCESS;
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
    return size < least && size < p->size && fuzz_resize(p, p->at + size, p->size - size, 0);
}

static bool make_unaligned(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    if (fuzz_is_needed(p) || (pc_record_info(p->number)->flags & PC_ANY_SIZE) ||
        p->number == PC_HEADER_BUILD_ID || p->number == PC_CPU_MAP)
        return false;
    /* With several attrs the last word is the id. */
    if (pc_is_kernel_type(p->number) && p->number != PC_SAMPLE && fuzz_map.nr_attrs > 1)
        return false;
    fuzz_map.f->offset = p->at + 6;
    return fuzz_resize(p, p->at + p->size, 0, 1 + fuzz_map.f->choice[2] % 7);
}

/* A sample that has only its id. */
static bool make_short_sample(const struct part *p, const struct fuzz_fault *fault)
{
    size_t left = PC_RECORD_HEADER_SIZE + (fault->id == PC_D_SAMPLE_SHORT ? 8 : 0);
    const uint64_t fixed =
        PC_S_IP | PC_S_TID | PC_S_TIME | PC_S_ADDR | PC_S_ID | PC_S_STREAM_ID | PC_S_CPU | PC_S_PERIOD;
    if (p->number != PC_SAMPLE || fuzz_map.nr_attrs < 2 || !(fuzz_map.sample_type[p->attr] & fixed))
        return false;
    fuzz_map.f->offset = p->at + 6;
    return fuzz_resize(p, p->at + left, p->size - left, 0);
}

/* Removes the trailer. With several attrs, other bytes would be taken for the id. */
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
           fuzz_resize(p, p->at + least, p->size - least, 0);
}

/* The fields end early. The finding is about the first missing field, at its place. */
static bool cut_record(const struct part *p, const struct fuzz_fault *fault)
{
    static unsigned char less[PC_RECORD_SIZE_MAX + 1];
    const struct pc_record_info *info = pc_record_info(p->number);
    struct first_fault first = { 0 };
    struct view v = { .part = p, .ctx = &first };
    struct pc_layout layout = { 0 };
    struct pc_walk walk;
    size_t trailer = trailer_of(p), least = info->min, excess = 0;
    bool branches = p->number == PC_SAMPLE && (fuzz_map.sample_type[p->attr] & PC_S_BRANCH_STACK);
    if ((fault->number && fault->number != p->number) || fuzz_is_needed(p) ||
        p->number == PC_HEADER_FEATURE || branches || p->size < PC_RECORD_HEADER_SIZE + 8)
        return false;
    if (pc_is_kernel_type(p->number))
        layout = pc_record_layout(&fuzz_map.layout[p->attr], p->number, p->misc, false);
    if (p->number == PC_SAMPLE) /* its words before READ: fewer findings are about the size */
        least =
            (size_t)(8 + 8 * __builtin_popcountll(fuzz_map.sample_type[p->attr] & (0x3cf | PC_S_IDENTIFIER)));
    size_t size = p->size - 8 * (1 + fuzz_map.f->choice[2] % ((p->size - PC_RECORD_HEADER_SIZE) / 8));
    if (size < least || size < PC_RECORD_HEADER_SIZE + trailer || size < least / 8 * 8 + trailer)
        return false;
    size_t end = size - trailer;
    memcpy(less, fuzz_map.f->bytes + p->at, end);
    memcpy(less + end, fuzz_map.f->bytes + p->at + p->size - trailer, trailer);
    struct pc_cursor c = { .in = { less, size }, .pos = PC_RECORD_HEADER_SIZE, .order = fuzz_map.order };
    pc_walk_init(&walk, &layout, &c, fuzz_see_fault, &v);
    pc_walk_record(&walk, info, &excess);
    bool text = first.fault == PC_FAULT_NO_NUL || first.fault == PC_FAULT_TEXT;
    if (!first.found || text || !fuzz_resize(p, p->at + end, p->size - size, 0))
        return false;
    struct site s = { .short_diag = info->short_diag ? info->short_diag : PC_D_FIELD_CUT,
                      .count_diag = info->count_diag ? info->count_diag : PC_D_FIELD_CUT };
    fuzz_map.f->id = fuzz_id_of(&s, &first);
    fuzz_map.f->offset = p->at + (fuzz_map.f->id == PC_D_AUXTRACE_ERROR_SHORT ? 6 : first.at);
    return true;
}

/* The later parts of TIME_CONV are there or not, but only as a whole: FORMAT.md 9.6. */
static bool cut_time_conv(const struct part *p, const struct fuzz_fault *fault)
{
    const size_t old = 32;
    (void)fault;
    if (p->number != PC_TIME_CONV || p->size <= old + 8)
        return false;
    fuzz_map.f->offset = p->at + 6;
    return fuzz_resize(p, p->at + old + 8, p->size - old - 8, 0);
}

/* A record as long as its name, which old writers wrote. */
static bool cut_event_type(const struct part *p, const struct fuzz_fault *fault)
{
    const size_t left = 32; /* the id and a name shorter than 16 bytes */
    (void)fault;
    if (p->number != PC_HEADER_EVENT_TYPE || p->size <= left)
        return false;
    fuzz_map.f->offset = p->at + 6;
    return fuzz_resize(p, p->at + left, p->size - left, 0);
}

/* Eight zero bytes that no perf writes. */
static bool lengthen_attr(const struct part *p, const struct fuzz_fault *fault)
{
    size_t at = p->at + PC_RECORD_HEADER_SIZE;
    (void)fault;
    if (p->number != PC_HEADER_ATTR || fuzz_load(at + PC_ATTR_SIZE_AT, 4) != PC_ATTR_SIZE_KNOWN)
        return false;
    fuzz_store(at + PC_ATTR_SIZE_AT, 4, PC_ATTR_SIZE_KNOWN + 8);
    fuzz_map.f->offset = at + PC_ATTR_SIZE_AT;
    return fuzz_resize(p, at + PC_ATTR_SIZE_KNOWN, 0, 8);
}

/* A size that ends inside a later record. */
static bool swallow(const struct part *p, const struct fuzz_fault *fault)
{
    const struct part *q = p + 1;
    (void)fault;
    /* The trailer would be at another place. */
    if (pc_is_kernel_type(p->number) || q >= fuzz_map.part + fuzz_map.nr_parts || q->kind != IN_RECORD ||
        fuzz_is_needed(p) || q->size < 24 || fuzz_is_needed(q) || q->number == PC_HEADER_FEATURE ||
        p->number == PC_HEADER_FEATURE || fuzz_load(q->at + 14, 2) >= PC_RECORD_HEADER_SIZE ||
        p->size + 8 > PC_RECORD_SIZE_MAX)
        return false;
    fuzz_store(p->at + 6, 2, p->size + 8);
    fuzz_map.f->offset = p->at + 6;
    return true;
}

/* A record header with impossible values. */
static bool damage_header(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    if (fuzz_is_needed(p) || p->number == PC_HEADER_FEATURE || p->size < 32)
        return false;
    fuzz_store(p->at, 4, 0x70000000u + fuzz_map.f->choice[2]);
    fuzz_store(p->at + 6, 2, 16);
    fuzz_map.f->elsewhere = true;
    return true;
}

/* Another feature number in a pipe. */
static bool change_feature(const struct part *p, const struct fuzz_fault *fault)
{
    uint64_t bit = fuzz_map.f->choice[2];
    if (p->number != PC_HEADER_FEATURE || p->size == 16)
        return false;
    switch (fault->id) {
    case PC_D_FEATURE_ID:
        bit = bit % 2 ? 0 : 0x80000000 + bit;
        break;
    case PC_D_FEATURE_UNKNOWN_RECORD:
        bit = PC_FEATURES + bit;
        break;
    default: /* a feature that needs the file, or that perf does not send; not one that is only a mark */
        for (bit %= PC_FEATURES;; bit = (bit + 1) % PC_FEATURES) {
            const struct pc_feature_info *info = pc_feature_info(bit);
            bool file = info && (info->flags & PC_NEEDS_FILE);
            bool sent = !info || (info->flags & (PC_SENT_IN_PIPE | PC_ONLY_A_MARK));
            if (fault->id == PC_D_FEATURE_IN_PIPE ? file : !file && !sent && bit != PC_DIR_FORMAT)
                break;
        }
        break;
    }
    if (pc_feature_info(bit) && pc_feature_info(bit)->name == NULL)
        return false;
    fuzz_map.f->offset = p->at + PC_RECORD_HEADER_SIZE;
    fuzz_store(p->at + PC_RECORD_HEADER_SIZE, 8, bit);
    return true;
}

/* Zeros that pad the record of a feature. */
static bool fill_feature(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    if (p->number != PC_HEADER_FEATURE || p->size % 8 == 0)
        return false;
    fuzz_map.f->offset = p->at + p->size;
    return fuzz_resize(p, p->at + p->size, 0, 8 - p->size % 8);
}

/* The payload after a record is shorter than the record says, by the padding of trace data. */
static bool change_payload_size(const struct part *p, const struct fuzz_fault *fault)
{
    unsigned width = p->number == PC_AUXTRACE ? 8 : 4;
    bool more = fault->id == PC_D_TRACING_DATA_SIZE;
    if (p->number != fault->number)
        return false;
    fuzz_store(p->at + 8, width, more ? p->payload + 8 : p->payload - 1);
    fuzz_map.f->offset = p->at + 8;
    return more || fuzz_splice(p->at + p->size + p->payload - 1, 1, 0, NULL, -1);
}

static bool takes_name(const struct site *s, const struct fuzz_fault *fault)
{
    return s->part->kind == IN_RECORD && !s->feature && s->field->kind == PC_CSTR &&
           s->field->rule_diag == fault->id && s->field->rule == PC_RULE_MAX;
}

static bool lengthen_name(const struct site *s, const struct fuzz_fault *fault)
{
    size_t n = (size_t)pc_align8(s->field->arg + 1);
    if (fuzz_names_build_id(s) || !fuzz_resize(s->part, s->at, 0, n))
        return false;
    memset(fuzz_map.f->bytes + s->at, 'n', n);
    fuzz_map.f->id = fault->id;
    return true;
}

/* Repeats the record right after itself. */
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

static bool double_build_id(const struct part *p, const struct fuzz_fault *fault)
{
    struct fuzz_fault twice = *fault;
    twice.number = PC_HEADER_BUILD_ID;
    twice.operand = PC_RECORD_HEADER_SIZE + 4; /* after the pid */
    if (!double_record(p, &twice))
        return false;
    fuzz_map.f->bytes[fuzz_map.f->offset] ^= 0x55;
    return true;
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
    LEAF("a name of a task that is too long", COMM_LONG, takes_name, lengthen_name),
    RECORD("a record of a word more", RECORD_EXCESS, add_word),
    RECORD("a record that ends early", FIELD_CUT, cut_record),
    ROW("a sample that ends early", SAMPLE_FIELD_CUT, .record = cut_record, .number = PC_SAMPLE),
    ROW("a READ that ends early", READ_LAYOUT, .record = cut_record, .number = PC_READ),
    ROW("an EVENT_UPDATE that ends early", EVENT_UPDATE_CUT, .record = cut_record, .number = PC_EVENT_UPDATE),
    ROW("a CPU map that ends early", FIELD_CUT, .record = cut_record, .number = PC_CPU_MAP),
    ROW("counters that end early", SCHEDSTAT_CUT, .record = cut_record, .number = PC_SCHEDSTAT_CPU),
    ROW("a READ of a word more", READ_EXCESS, .record = add_word, .number = PC_READ),
    ROW("an index of a word more", ID_INDEX_SIZE, .record = add_word, .number = PC_ID_INDEX),
    ROW("a mark of a word more", FINISHED_SIZE, .record = add_word, .number = PC_FINISHED_ROUND),
    RECORD("an attr of a newer perf", ATTR_SIZE_NEWER, lengthen_attr),
    RECORD("half of what TIME_CONV got later", TIME_CONV_SIZE, cut_time_conv),
    RECORD("a short HEADER_EVENT_TYPE", EVENT_TYPE_SMALL, cut_event_type),
    RECORD("a size of a part of the next record too", RECORD_SWALLOWS, swallow),
    RECORD("a damaged header", TYPE_AND_SIZE, damage_header),
    RECORD("a feature that cannot be", FEATURE_ID, change_feature),
    RECORD("a feature of a newer perf", FEATURE_UNKNOWN_RECORD, change_feature),
    RECORD("a feature of files", FEATURE_IN_PIPE, change_feature),
    RECORD("a feature that perf does not send", FEATURE_IN_PIPE_READ, change_feature),
    RECORD("zeros after a feature", FEATURE_PADDED, fill_feature),
    ROW("more trace data than there is", TRACING_DATA_SIZE, .record = change_payload_size,
        .number = PC_HEADER_TRACING_DATA),
    ROW("trace data off the grid", TRACING_DATA_UNALIGNED, .record = change_payload_size,
        .number = PC_HEADER_TRACING_DATA),
    ROW("a trace off the grid", AUXTRACE_UNALIGNED, .record = change_payload_size, .number = PC_AUXTRACE),
    RECORD("another build id for a file", BUILD_ID_TWICE, double_build_id),
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
    MISC(COMM, CPUMODE_GUEST, 4, 0xfff8),
    MISC(EXIT, CPUMODE_GUEST, 5, 0),
    RECORD("a type that none has", TYPE_IMPOSSIBLE, change_type),
    MISC(HEADER_BUILD_ID, BUILD_ID_CPUMODE, 3, PC_MISC_BUILD_ID_SIZE),
    TWICE(CPU_MAP, CPU_MAP_TWICE, 0),
    TWICE(THREAD_MAP, THREAD_MAP_TWICE, 0),
    TWICE(FINISHED_INIT, FINISHED_INIT_TWICE, 0),
    TWICE(AUXTRACE_INFO, AUXTRACE_INFO_TWICE, 0),
    TWICE(HEADER_TRACING_DATA, TRACING_DATA_TWICE, 0),
    TWICE(HEADER_FEATURE, FEATURE_TWICE, PC_RECORD_HEADER_SIZE),
    RECORD("a sample of its id", SAMPLE_SHORT, make_short_sample),
    RECORD("a sample without its id", SAMPLE_NO_ID, make_short_sample),
    RECORD("a record without its trailer", SAMPLE_ID_MISSING, drop_trailer),
    ROW("a sample of a word more", SAMPLE_EXCESS, .record = add_word, .number = PC_SAMPLE),
    RECORD("padding of a compressed record", COMPRESSED2_PADDING, soil_end),
};

const struct fuzz_faults fuzz_record_faults = { faults, PC_COUNT_OF(faults) };

/* SPDX-License-Identifier: MIT */
#include "faults_map.h"

#include "check/check.h"

#include <string.h>

/* --- records that are missing --- */

static const struct part *first_of(uint64_t type, uint64_t other)
{
    const struct part *p = fuzz_first(IN_RECORD, type), *q = fuzz_first(IN_RECORD, other);
    return p && (!q || p < q) ? p : q;
}

static bool said(struct fuzz_faulty *f, const struct fuzz_fault *fault, enum pc_place place, uint64_t offset)
{
    f->id = fault->id;
    f->place = place;
    f->offset = offset;
    f->elsewhere = true;
    return true;
}

static bool drop(const struct part *p)
{
    return fuzz_splice(p->at, p->size + p->payload, 0, NULL, -1);
}

/* Removes a record of type `number`. The finding is about the first record after it that needs it, of type
 * `operand` or `needs`. */
static bool apply_missing(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const struct part *p = fuzz_first(IN_RECORD, fault->number), *q = first_of(fault->operand, fault->needs);
    if (!p || !q || p > q)
        return false;
    size_t size = p->size + p->payload;
    return drop(p) && said(f, fault, PC_IN_RECORD, q->at - size);
}

/* Removes the only attr. The finding is about the first record of the kernel. */
static bool apply_no_attr(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const struct part *attr = fuzz_attr(0), *p = fuzz_first(IN_RECORD, PC_FORK); /* which comes first */
    bool pipe = fault->id == PC_D_RECORD_BEFORE_ATTR;
    if (fuzz_map.nr_attrs != 1 || fuzz_map.pipe != pipe || !p)
        return false;
    if (!pipe) {
        fuzz_store(32, 8, 0);
        return said(f, fault, PC_IN_RECORD, p->at);
    }
    size_t size = attr->size;
    return drop(attr) && said(f, fault, PC_IN_RECORD, p->at - size);
}

/* Removes the end mark of the features of a pipe. */
static bool apply_no_end_mark(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    for (size_t i = 0; i < fuzz_map.nr_parts; i++) {
        const struct part *p = &fuzz_map.part[i];
        const struct pc_feature_info *info = NULL;
        if (p->kind != IN_RECORD || p->number != PC_HEADER_FEATURE || p->size != 16)
            continue;
        info = pc_feature_info(fuzz_load(p->at + 8, 8));
        if (info && (info->flags & PC_ONLY_A_MARK))
            continue;
        return drop(p) && said(f, fault, PC_AT_END, f->len);
    }
    return false;
}

/* --- features that are added or removed --- */

static void flip_feature(uint64_t bit)
{
    size_t word = PC_FILE_HEADER_OLD + 8 * (size_t)(bit / 64);
    fuzz_store(word, 8, fuzz_load(word, 8) ^ PC_FLAG(bit % 64));
}

/* Removes a feature of a file, with its section and its slot. */
static bool drop_feature(uint64_t bit)
{
    const struct part *p = fuzz_first(IN_FEATURE, bit);
    if (!p)
        return false;
    size_t slot = p->slot;
    fuzz_store(slot + 8, 8, 0);
    fuzz_splice(p->at, p->size, 0, NULL, (long)slot);
    fuzz_read_map(fuzz_map.f);
    fuzz_splice(slot, PC_SECTION_SIZE, 0, NULL, 0);
    flip_feature(bit);
    return true;
}

/* The place for the content of a new feature. 0: there is no room for it. */
static size_t add_feature(uint64_t bit, const unsigned char *bytes, size_t n)
{
    size_t slot = fuzz_map.data_end, at = fuzz_map.f->len;
    if (fuzz_map.pipe || fuzz_first(IN_FEATURE, bit))
        return 0;
    for (size_t i = fuzz_map.nr_parts; i-- > 0;) {
        const struct part *p = &fuzz_map.part[i];
        if (p->kind != IN_FEATURE)
            continue;
        slot += p->number < bit ? PC_SECTION_SIZE : 0;
        at = p->number > bit ? p->at : at;
    }
    fuzz_splice(slot, 0, PC_SECTION_SIZE, NULL, 0);
    flip_feature(bit);
    at += PC_SECTION_SIZE;
    fuzz_store(slot, 8, at);
    if (n != 0) {
        fuzz_read_map(fuzz_map.f);
        fuzz_splice(at, 0, n, bytes, (long)slot);
        fuzz_store(slot + 8, 8, n);
    }
    return at;
}

/* A bit that no perf knows: one of the `needs` bits from `number` on. */
static bool apply_unknown_bit(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    size_t at = add_feature(fault->number + f->choice[2] % fault->needs, NULL, 0);
    return at != 0 && said(f, fault, PC_IN_FEATURE, at);
}

static bool apply_bit_0(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    return add_feature(0, NULL, 0) != 0 && said(f, fault, PC_IN_HEADER, PC_FILE_HEADER_OLD);
}

/* Words of a feature that is moved away. */
static bool apply_feature_more(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const uint64_t compressed[] = { 0, PC_COMPRESSION_ZSTD, 1, 1, 4096 };
    unsigned char words[20] = { 0 };
    for (size_t i = 0; fault->id == PC_D_COMPRESSED_UNUSED && i < PC_COUNT_OF(compressed); i++)
        pc_store(words + 4 * i, 4, compressed[i], fuzz_map.order);
    size_t at = add_feature(fault->number, words, fault->number == PC_DIR_FORMAT ? 8 : sizeof(words));
    bool unused = fault->id == PC_D_COMPRESSED_UNUSED;
    return at != 0 && said(f, fault, unused ? PC_AT_END : PC_IN_FEATURE, at);
}

/* Removes the feature `number`. The finding is about the first record of type `operand`. */
static bool apply_feature_less(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const struct part *p = fuzz_first(IN_RECORD, fault->operand);
    bool at_end = fault->id == PC_D_AUXTRACE_INDEX_MISSING;
    if (fuzz_map.pipe || !p)
        return false;
    size_t at = p->at;
    return drop_feature(fault->number) && said(f, fault, at_end ? PC_AT_END : PC_IN_RECORD, at);
}

static bool apply_no_tracing_data(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    size_t attr = 0;
    while (attr < fuzz_map.nr_attrs && !fuzz_map.is_tracepoint[attr])
        attr++;
    if (fuzz_map.pipe || attr == fuzz_map.nr_attrs)
        return false;
    size_t at = fuzz_map.part[attr].at;
    return drop_feature(PC_TRACING_DATA) && said(f, fault, PC_IN_ATTR, at);
}

/* perf recognises files of the other byte order by this bit. In a bitmap of 32-bit words the bit 32 above
 * stands in its place (FORMAT.md 1.4). */
static bool apply_no_hostname(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    return fuzz_map.order == PC_BIG && !fuzz_map.pipe && !fuzz_first(IN_FEATURE, PC_HOSTNAME + 32) &&
           drop_feature(PC_HOSTNAME) && said(f, fault, PC_IN_HEADER, PC_FILE_HEADER_OLD);
}

/* The first feature that needs the number of CPUs, if there is one. */
static bool apply_no_cpus(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const struct part *needs = NULL;
    if (fuzz_map.pipe)
        return false;
    for (size_t i = fuzz_map.nr_parts; i-- > 0;) {
        const struct part *p = &fuzz_map.part[i];
        if (p->kind == IN_FEATURE && pc_feature_is(p->number, PC_NEEDS_NRCPUS | PC_NEEDS_ONLINE))
            needs = p;
    }
    if ((fault->id == PC_D_NRCPUS_NEEDED) != (needs != NULL))
        return false;
    size_t at = needs ? needs->at - PC_SECTION_SIZE - 8 : 0; /* without two words and a slot */
    return drop_feature(PC_NRCPUS) && said(f, fault, needs ? PC_IN_FEATURE : PC_AT_END, at);
}

/* Swaps two neighbouring sections. */
static bool exchange(const struct part *p, const struct fuzz_fault *fault)
{
    static unsigned char first[65536];
    const struct part *q = p + 1;
    (void)fault;
    if (p->size == 0 || p->size > sizeof(first) || q == fuzz_map.part + fuzz_map.nr_parts ||
        q->kind != IN_FEATURE || q->size == 0)
        return false;
    memcpy(first, fuzz_map.f->bytes + p->at, p->size);
    memmove(fuzz_map.f->bytes + p->at, fuzz_map.f->bytes + q->at, q->size);
    memcpy(fuzz_map.f->bytes + p->at + q->size, first, p->size);
    fuzz_store(p->slot, 8, p->at + q->size);
    fuzz_store(q->slot, 8, p->at);
    fuzz_map.f->offset = q->slot;
    fuzz_map.f->elsewhere = true;
    return true;
}

/* Bytes between two sections that belong to neither of them. */
static bool insert_gap(const struct part *p, const struct fuzz_fault *fault)
{
    size_t n = 1 + fuzz_map.f->choice[2] % 40;
    (void)fault;
    if (p == fuzz_map.part || p[-1].kind != IN_FEATURE)
        return false;
    return fuzz_splice(p->at, 0, n, NULL, (long)p[-1].slot);
}

/* The last of several entries is missing, or all are. */
static bool drop_entries(const struct part *p, const struct fuzz_fault *fault)
{
    bool all = fault->id == PC_D_GROUP_DESC_EMPTY;
    uint64_t nr = fuzz_load(p->at, all ? 4 : 8);
    if (p->number != fault->number || nr == 0)
        return false;
    size_t left = all ? 4 : p->size - PC_SECTION_SIZE;
    fuzz_store(p->at, all ? 4 : 8, all ? 0 : nr - 1);
    fuzz_store(p->slot + 8, 8, left);
    return fuzz_splice(p->at + left, p->size - left, 0, NULL, (long)p->slot);
}

/* Nothing else in a pipe has the names of the events. */
static bool apply_no_names(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const struct part *desc = NULL;
    if (!fuzz_map.pipe || fuzz_map.packed || first_of(PC_EVENT_UPDATE, PC_HEADER_EVENT_TYPE))
        return false;
    for (size_t i = 0; i < fuzz_map.nr_parts; i++) {
        const struct part *p = &fuzz_map.part[i];
        if (p->number == PC_HEADER_FEATURE && fuzz_load(p->at + 8, 8) == PC_EVENT_DESC)
            desc = p;
    }
    return desc && drop(desc) && said(f, fault, PC_AT_END, f->len);
}

/* --- other places of a file --- */

/* Bytes between attrs and data that belong to neither of them. */
static bool apply_gap(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    size_t n = 8 * (1 + (size_t)f->choice[2] % 8), at = fuzz_map.data, size = fuzz_map.data_end - at;
    if (fuzz_map.pipe)
        return false;
    fuzz_splice(at, 0, n, NULL, -1);
    fuzz_store(40, 8, at + n);
    fuzz_store(48, 8, size);
    if (fault->id == PC_D_GAP_NOT_ZERO)
        f->bytes[at + f->choice[1] % n] = 'x';
    return said(f, fault, PC_IN_HEADER, at);
}

/* The file ends at the beginning of its data. */
static bool apply_empty(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    if (fuzz_map.pipe)
        return false;
    fuzz_store(48, 8, 0);
    f->len = fuzz_map.data;
    return said(f, fault, PC_IN_HEADER, 48);
}

static bool apply_version_1(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    if (fuzz_map.pipe)
        return false;
    memcpy(f->bytes, "PERFFILE", 8);
    return said(f, fault, PC_IN_HEADER, 0);
}

/* The first bytes of gzip: RFC 1952, 2.3. */
static bool apply_wrapped(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    memcpy(f->bytes, "\x1f\x8b\x08", 3);
    return said(f, fault, PC_IN_HEADER, 0);
}

static bool apply_header_72(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    if (fuzz_map.pipe)
        return false;
    fuzz_store(8, 8, PC_FILE_HEADER_OLD);
    return said(f, fault, PC_IN_HEADER, 8);
}

/* The attrs lie on the data. */
static bool apply_attrs_on_data(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    size_t entry = fuzz_map.attr_size + PC_SECTION_SIZE;
    if (fuzz_map.pipe || fuzz_map.data_end - fuzz_map.data < entry)
        return false;
    fuzz_store(24, 8, fuzz_load(24, 8) + entry);
    return said(f, fault, PC_IN_HEADER, fuzz_map.data);
}

/* A section of event names, as perf before 3.12 wrote it. It overlaps the data; or it is after all sections,
 * and a name has no end or there is not one for each attr. */
static bool apply_names(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const uint64_t new_entry = 128; /* later perfs write none: FORMAT.md row 27 */
    bool overlap = fault->id == PC_D_SECTIONS_OVERLAP, count = fault->id == PC_D_EVENT_TYPES_COUNT;
    if (fuzz_map.pipe || fuzz_load(16, 8) >= new_entry || (count && fuzz_map.nr_attrs == 1) ||
        (overlap && fuzz_map.data_end - fuzz_map.data < PC_EVENT_TYPE_SIZE))
        return false;
    size_t at = overlap ? fuzz_map.data : f->len;
    fuzz_store(56, 8, at);
    fuzz_store(64, 8, PC_EVENT_TYPE_SIZE);
    if (overlap)
        return said(f, fault, PC_IN_HEADER, at);
    memset(f->bytes + at, count ? 0 : 'n', PC_EVENT_TYPE_SIZE);
    f->len += PC_EVENT_TYPE_SIZE;
    return said(f, fault, PC_IN_HEADER, count ? 64 : at + 8);
}

/* Moves ids outside the file. The finding is at the size of the first section. */
static bool apply_no_ids(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    if (fuzz_map.pipe || fuzz_map.stat || fuzz_map.nr_attrs < 2)
        return false;
    for (uint32_t i = 0; i < fuzz_map.nr_attrs; i++)
        fuzz_store(fuzz_map.part[i].at + fuzz_map.attr_size + 8, 8, 0);
    return said(f, fault, PC_IN_ATTR, fuzz_map.part[0].at + fuzz_map.attr_size + 8);
}

/* --- additional records --- */

/* A copy of a record of the capture, before others. */
static bool insert_record(size_t at, uint32_t type, const unsigned char *body, size_t n)
{
    unsigned char record[256] = { 0 };
    pc_store(record, 4, type, fuzz_map.order);
    pc_store(record + 6, 2, PC_RECORD_HEADER_SIZE + n, fuzz_map.order);
    if (body)
        memcpy(record + PC_RECORD_HEADER_SIZE, body, n);
    return fuzz_splice(at, 0, PC_RECORD_HEADER_SIZE + n, record, -1);
}

static bool apply_attr_in_file(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    if (fuzz_map.pipe)
        return false;
    return insert_record(fuzz_map.data, PC_HEADER_ATTR, f->bytes + fuzz_map.part[0].at, fuzz_map.attr_size) &&
           said(f, fault, PC_IN_RECORD, fuzz_map.data);
}

static bool apply_pipe_record(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    static const unsigned char event[8 + 64];
    if (fuzz_map.pipe)
        return false;
    return insert_record(fuzz_map.data, PC_HEADER_EVENT_TYPE, event, sizeof(event)) &&
           said(f, fault, PC_IN_RECORD, fuzz_map.data);
}

/* A HEADER_ATTR of another event after the first sample. */
static bool apply_late_attr(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    unsigned char body[PC_ATTR_SIZE_KNOWN + 8];
    const struct part *attr = &fuzz_map.part[0], *sample = fuzz_first(IN_RECORD, PC_SAMPLE);
    if (!fuzz_map.pipe || !sample || fuzz_map.nr_attrs < 2 || fuzz_has_feature(PC_EVENT_DESC))
        return false; /* EVENT_DESC would have one event less */
    size_t size = (size_t)fuzz_load(attr->at + PC_RECORD_HEADER_SIZE + PC_ATTR_SIZE_AT, 4);
    size_t at = sample->at + sample->size;
    memcpy(body, f->bytes + attr->at + PC_RECORD_HEADER_SIZE, size);
    pc_store(body + size, 8, (uint64_t)0xfeed << 32 | 1, fuzz_map.order);
    return insert_record(at, PC_HEADER_ATTR, body, size + 8) && said(f, fault, PC_IN_RECORD, at);
}

/* --- the list --- */

#define MISSING(what, which, type, a, b)                                                                     \
    ROW(what, which, .capture = apply_missing, .number = type, .operand = a, .needs = b)
#define BITS(what, which, first, nr)                                                                         \
    ROW(what, which, .capture = apply_unknown_bit, .number = first, .needs = nr)
#define MORE(what, which, bit) ROW(what, which, .capture = apply_feature_more, .number = bit)
#define LESS(what, which, bit, type)                                                                         \
    ROW(what, which, .capture = apply_feature_less, .number = bit, .operand = type)

static const struct fuzz_fault faults[] = {
    MISSING("a trace without AUXTRACE_INFO", AUXTRACE_WITHOUT_INFO, PC_AUXTRACE_INFO, PC_AUXTRACE,
            PC_AUXTRACE),
    MISSING("counts without STAT_CONFIG", STAT_WITHOUT_CONFIG, PC_STAT_CONFIG, PC_STAT, PC_STAT_ROUND),
    MISSING("counts without CPU_MAP", STAT_WITHOUT_MAPS, PC_CPU_MAP, PC_STAT, PC_STAT_ROUND),
    MISSING("counts without THREAD_MAP", STAT_WITHOUT_MAPS, PC_THREAD_MAP, PC_STAT, PC_STAT_ROUND),
    CAPTURE("no attr in a file", ATTRS_NEEDED, apply_no_attr),
    CAPTURE("no attr in a pipe", RECORD_BEFORE_ATTR, apply_no_attr),
    CAPTURE("no end of the features", END_MARK_MISSING, apply_no_end_mark),
    BITS("an unknown feature", FEATURE_UNKNOWN, 40, 80),
    BITS("a feature of Android", FEATURE_ANDROID, PC_ANDROID_FIRST, PC_ANDROID_LAST - PC_ANDROID_FIRST + 1),
    CAPTURE("feature bit 0", FEATURE_BIT_0, apply_bit_0),
    MORE("DIR_FORMAT in a file", DIR_FORMAT, PC_DIR_FORMAT),
    MORE("COMPRESSED without anything compressed", COMPRESSED_UNUSED, PC_COMPRESSED_FEATURE),
    MORE("COMPRESSED of zeros", COMPRESSED_EMPTY, PC_COMPRESSED_FEATURE),
    LESS("no COMPRESSED", COMPRESSED_UNANNOUNCED, PC_COMPRESSED_FEATURE, PC_COMPRESSED2),
    LESS("no index of traces", AUXTRACE_INDEX_MISSING, PC_AUXTRACE_INDEX, PC_AUXTRACE),
    CAPTURE("trace data taken away", TRACEPOINT_WITHOUT_DATA, apply_no_tracing_data),
    CAPTURE("no HOSTNAME", HOSTNAME_CLEAR, apply_no_hostname),
    CAPTURE("no NRCPUS, which is needed", NRCPUS_NEEDED, apply_no_cpus),
    CAPTURE("no NRCPUS", NRCPUS_MISSING, apply_no_cpus),
    SECTION("features in another order", FEATURE_ORDER, exchange),
    SECTION("a gap between features", FEATURE_GAP, insert_gap),
    ROW("no groups", GROUP_DESC_EMPTY, .section = drop_entries, .number = PC_GROUP_DESC),
    ROW("a trace that the index does not have", AUXTRACE_INDEX_CUT, .section = drop_entries,
        .number = PC_AUXTRACE_INDEX),
    CAPTURE("no names of events", EVENT_NAMES_MISSING, apply_no_names),
    CAPTURE("no data", DATA_EMPTY, apply_empty),
    CAPTURE("magic of version 1", VERSION_1, apply_version_1),
    CAPTURE("magic of gzip", WRAPPED, apply_wrapped),
    CAPTURE("size of the header of version 1", HEADER_72, apply_header_72),
    CAPTURE("a gap", GAP, apply_gap),
    CAPTURE("a gap with something in it", GAP_NOT_ZERO, apply_gap),
    CAPTURE("attrs on the data", ATTRS_OVERLAP_DATA, apply_attrs_on_data),
    CAPTURE("event_types on the data", SECTIONS_OVERLAP, apply_names),
    CAPTURE("an event type without an end", EVENT_TYPES_NAME, apply_names),
    CAPTURE("one event type for several attrs", EVENT_TYPES_COUNT, apply_names),
    CAPTURE("no ids", IDS_MISSING, apply_no_ids),
    CAPTURE("HEADER_ATTR in a file", HEADER_ATTR_IN_FILE, apply_attr_in_file),
    CAPTURE("a record of pipes in a file", HEADER_RECORD_IN_FILE, apply_pipe_record),
    CAPTURE("an attr after samples", ATTR_LATE, apply_late_attr),
};

const struct fuzz_faults fuzz_missing_faults = { faults, PC_COUNT_OF(faults) };

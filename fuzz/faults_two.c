/* SPDX-License-Identifier: MIT
 *
 * Two faults at once, for findings that only a damaged capture can have, or that come after another
 * finding.
 */
#include "faults_map.h"

#include <string.h>

/* --- the container --- */

/* A version 1 header with an impossible size of attrs, or with event types after the end of the file. */
static bool version_1(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    bool order = fault->id == PC_D_VERSION_1_ORDER;
    if (fuzz_map.pipe)
        return false;
    memcpy(f->bytes, "PERFFILE", 8);
    fuzz_store(16, 8, order ? 0x1234567 : 80);
    fuzz_store(56, 8, f->len + 1);
    fuzz_store(64, 8, PC_EVENT_TYPE_SIZE);
    return fuzz_expect(PC_IN_HEADER, order ? 16 : 56);
}

/* Records at the place where a file header continues. */
static bool records_in_header(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    (void)f;
    (void)fault;
    if (!fuzz_map.pipe)
        return false;
    fuzz_store(8, 8, PC_FILE_HEADER_SIZE);
    return fuzz_expect(PC_IN_HEADER, PC_PIPE_HEADER_SIZE);
}

/* The data begin with the end of a record, and features of a pipe follow. */
static bool features_in_data(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    unsigned char bytes[24] = { 0 };
    (void)f;
    (void)fault;
    if (fuzz_map.pipe)
        return false;
    pc_store(bytes + 8, 4, PC_HEADER_FEATURE, fuzz_map.order);
    pc_store(bytes + 14, 2, 16, fuzz_map.order);
    pc_store(bytes + 16, 8, PC_FEATURES, fuzz_map.order);
    return fuzz_splice(fuzz_map.data, 0, sizeof(bytes), bytes, -1) &&
           fuzz_expect(PC_IN_RECORD, fuzz_map.data);
}

static bool nothing(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    (void)fault;
    if (fuzz_map.pipe) {
        f->len = PC_PIPE_HEADER_SIZE;
        return fuzz_expect(PC_AT_END, PC_PIPE_HEADER_SIZE);
    }
    fuzz_store(32, 8, 0);
    return fuzz_splice(fuzz_map.data, fuzz_map.data_end - fuzz_map.data, 0, NULL, -1) &&
           fuzz_expect(PC_AT_END, 24);
}

/* Two sections in one place. */
static bool shared_section(const struct part *p, const struct fuzz_fault *fault)
{
    const struct part *q = p + 1;
    (void)fault;
    if (p->size == 0 || q >= fuzz_map.part + fuzz_map.nr_parts || q->kind != IN_FEATURE || q->size == 0)
        return false;
    fuzz_store(q->slot, 8, p->at);
    return fuzz_expect(PC_IN_FEATURE, p->at);
}

static bool shared_ids(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const struct part *p = fuzz_attr(0), *q = fuzz_attr(1);
    (void)f;
    (void)fault;
    if (fuzz_map.pipe || !q)
        return false;
    uint64_t at = fuzz_load(p->at + p->size, 8);
    fuzz_store(q->at + q->size, 8, at);
    return fuzz_expect(PC_IN_ATTR, at);
}

/* --- attrs --- */

/* A word after the end of attr.size. */
static bool gap_in_attr(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const struct part *p = fuzz_attr(0);
    (void)fault;
    if (fuzz_map.pipe || p->size <= PC_ATTR_SIZE_MIN)
        return false;
    fuzz_store(p->at + PC_ATTR_SIZE_AT, 4, p->size - 8);
    memset(f->bytes + p->at + p->size - 8, 'x', 8);
    return fuzz_expect(PC_IN_ATTR, p->at + p->size - 8);
}

static bool half_an_id(const struct part *p, const struct fuzz_fault *fault)
{
    size_t size = (size_t)fuzz_load(p->at + PC_RECORD_HEADER_SIZE + PC_ATTR_SIZE_AT, 4);
    (void)fault;
    return p->number == PC_HEADER_ATTR && fuzz_resize(p, p->at + p->size, 0, 4) &&
           fuzz_expect(PC_IN_RECORD, p->at + PC_RECORD_HEADER_SIZE + size);
}

/* The second event of a group reads values in another form than the first. */
static bool group_reads(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    struct fuzz_wanted leader = { .name = "leader_idx" };
    (void)f;
    (void)fault;
    if (!fuzz_find_leaf(fuzz_first(IN_FEATURE, PC_GROUP_DESC), &leader))
        return false;
    size_t first = fuzz_attr_at((uint32_t)leader.value), second = fuzz_attr_at((uint32_t)leader.value + 1);
    size_t type = pc_row_at(pc_attr_fields, PC_ATTR_SAMPLE_TYPE);
    size_t form = pc_row_at(pc_attr_fields, PC_ATTR_READ_FORMAT);
    fuzz_store(second + type, 8, fuzz_load(second + type, 8) | PC_S_READ);
    fuzz_store(second + form, 8, fuzz_load(first + form, 8) ^ 1);
    return fuzz_expect(PC_IN_ATTR, second + form);
}

static void clear_flags(uint64_t flags)
{
    for (uint32_t n = 0; n < fuzz_map.nr_attrs; n++) {
        struct fuzz_wanted w = { .slot = PC_ATTR_FLAGS };
        if (fuzz_find_leaf(fuzz_attr(n), &w))
            fuzz_put(&(struct site){ .field = w.field, .at = w.at }, w.value & ~flags);
    }
}

/* --- records --- */

static bool no_precise_event(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    if (p->number != PC_SAMPLE)
        return false;
    clear_flags(PC_FLAG_PRECISE_IP);
    fuzz_store(p->at + 4, 2, p->misc | PC_MISC_EXACT_IP);
    return fuzz_expect(PC_IN_RECORD, p->at + 4);
}

static bool no_build_ids(const struct part *p, const struct fuzz_fault *fault)
{
    struct fuzz_wanted w = { .name = "build_id_size" };
    (void)fault;
    if (p->number != PC_MMAP2 || !fuzz_find_leaf(p, &w))
        return false;
    clear_flags(PC_FLAG_BUILD_ID);
    fuzz_store(w.at, 1, 21);
    return fuzz_expect(PC_IN_RECORD, w.at);
}

static bool longer_sample(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    return p->number == PC_SAMPLE && !(fuzz_map.sample_type[p->attr] & PC_S_BRANCH_STACK) &&
           fuzz_resize(p, p->at + p->size, 0, 4) && fuzz_expect(PC_IN_RECORD, p->at + p->size);
}

/* No record begins there, but one begins later. */
static bool no_record(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    if (fuzz_is_needed(p) || p->number == PC_HEADER_FEATURE || p + 1 >= fuzz_map.part + fuzz_map.nr_parts ||
        p[1].kind != IN_RECORD)
        return false;
    fuzz_store(p->at + 6, 2, 0);
    return fuzz_expect(PC_IN_RECORD, p->at);
}

/* After the frame another one begins, with a window of 2 GiB or more: RFC 8878, 3.1.1.1.2. */
static bool large_window(const struct part *p, const struct fuzz_fault *fault)
{
    static const unsigned char end[] = { 1, 0, 0 }, head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0xf8, 1, 0, 0 };
    unsigned char record[32] = { 0 };
    (void)fault;
    if (!fuzz_map.packed || p + 1 != fuzz_map.part + fuzz_map.nr_parts)
        return false;
    for (const struct part *q = fuzz_map.part; q != fuzz_map.part + fuzz_map.nr_parts; q++)
        p = fuzz_is_record(q, PC_COMPRESSED2) ? q : p;
    size_t n = sizeof(end) + sizeof(head);
    pc_store(record, 4, PC_COMPRESSED2, fuzz_map.order);
    pc_store(record + 6, 2, sizeof(record), fuzz_map.order);
    pc_store(record + 8, 8, n, fuzz_map.order);
    memcpy(record + 16, end, sizeof(end));
    memcpy(record + 16 + sizeof(end), head, sizeof(head));
    return fuzz_splice(p->at + p->size, 0, sizeof(record), record, -1) &&
           fuzz_expect(PC_IN_RECORD, p->at + p->size);
}

/* --- trace data of files --- */

/* Replaces n bytes of the trace data at `at` by m others. */
static bool change_trace(const struct part *p, size_t at, size_t n, size_t m, const void *from)
{
    fuzz_store(p->slot + 8, 8, p->size - n + m);
    return fuzz_splice(at, n, m, from, (long)p->slot);
}

static bool format_again(const struct part *p, const struct fuzz_fault *fault)
{
    static const char system[] = "sys", number[] = "ID: ";
    unsigned char copy[4096];
    struct fuzz_wanted w = { .name = "format" };
    (void)fault;
    if (p->number != PC_TRACING_DATA || !fuzz_find_leaf(p, &w))
        return false;
    size_t text = w.at, size = (size_t)fuzz_load(text - 8, 8);
    const unsigned char *name = memmem(fuzz_map.f->bytes + p->at, p->size, system, sizeof(system));
    const unsigned char *id = memmem(fuzz_map.f->bytes + text, size, number, sizeof(number) - 1);
    if (!name || !id || size + 8 > sizeof(copy))
        return false;
    size_t nr = (size_t)(name - fuzz_map.f->bytes) + sizeof(system);
    size_t id_at = (size_t)(id - fuzz_map.f->bytes) + sizeof(number) - 1 + size + 8;
    fuzz_store(nr, 4, 2);
    memcpy(copy, fuzz_map.f->bytes + text - 8, size + 8);
    return change_trace(p, text + size, 0, size + 8, copy) && fuzz_expect(PC_IN_FEATURE, id_at);
}

static bool no_printk(const struct part *p, const struct fuzz_fault *fault)
{
    static const char line[] = "nowhere";
    struct fuzz_wanted w = { .name = "printk" };
    (void)fault;
    if (p->number != PC_TRACING_DATA || !fuzz_find_leaf(p, &w))
        return false;
    fuzz_store(w.at - 4, 4, sizeof(line) - 1);
    return change_trace(p, w.at, 0, sizeof(line) - 1, line) && fuzz_expect(PC_IN_FEATURE, w.at);
}

/* An array of strings with a fixed length. */
static bool second_dimension(const struct part *p, const struct fuzz_fault *fault)
{
    static const char is[] = "char[] name", as[] = "u8[][1] nam";
    (void)fault;
    unsigned char *at =
        p->number == PC_TRACING_DATA ? memmem(fuzz_map.f->bytes + p->at, p->size, is, sizeof(is) - 1) : NULL;
    if (!at)
        return false;
    memcpy(at, as, sizeof(as) - 1);
    return fuzz_expect(PC_IN_FEATURE, (size_t)(at - fuzz_map.f->bytes) + 4);
}

/* --- features --- */

static bool unknown_bits(const struct part *p, const struct fuzz_fault *fault)
{
    struct fuzz_wanted w = { .slot = PC_ATTR_READ_FORMAT };
    (void)fault;
    if (p->number != PC_EVENT_DESC || !fuzz_find_leaf(p, &w))
        return false;
    fuzz_store(w.at, 8, w.value | PC_FLAG(63));
    return fuzz_expect(PC_IN_FEATURE, w.at);
}

/* --- the list --- */

#define TWO(what, which, how)        ROW(what, which, .capture = how, .beside = true)
#define OF_PART(what, which, how)    ROW(what, which, .record = how, .beside = true)
#define OF_SECTION(what, which, how) ROW(what, which, .section = how, .beside = true)

static const struct fuzz_fault faults[] = {
    TWO("version 1 with attrs of no size that it had", VERSION_1_ORDER, version_1),
    TWO("version 1 with event types after the end", EVENT_TYPES_RANGE_V1, version_1),
    TWO("records in the header of a file", HEADER_RECORDS, records_in_header),
    TWO("features of a pipe in the data of a file", DATA_INSIDE_RECORD, features_in_data),
    TWO("neither attrs nor records", ATTRS_NONE, nothing),
    OF_SECTION("two features in one place", FEATURE_OVERLAP, shared_section),
    TWO("ids of two attrs in one place", IDS_SHARED, shared_ids),
    TWO("a word after attr.size", ATTR_GAP, gap_in_attr),
    OF_PART("half an id after an attr", HEADER_ATTR_IDS, half_an_id),
    TWO("another read_format in a group", GROUP_READ_FORMAT, group_reads),
    OF_PART("an exact address of no precise event", EXACT_IP, no_precise_event),
    OF_PART("a build id that no event asks for", MMAP2_LEAKED, no_build_ids),
    OF_PART("a sample of half a word more", SAMPLE_TAIL, longer_sample),
    OF_PART("a record of no size among others", RESYNC, no_record),
    OF_PART("a frame of a large window", LIMIT_WINDOW, large_window),
    OF_SECTION("a format that occurs twice", TRACEPOINT_TWICE, format_again),
    OF_SECTION("text that is no trace_printk format", TRACING_PRINTK, no_printk),
    OF_SECTION("a second dimension", FORMAT_DIMENSIONS, second_dimension),
    OF_SECTION("unknown bits of read_format", EVENT_DESC_UNKNOWN, unknown_bits),
};

const struct fuzz_faults fuzz_two_faults = { faults, PC_COUNT_OF(faults) };

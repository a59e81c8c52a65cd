/* SPDX-License-Identifier: MIT */
#include "capture_bench.h"
#include "bytes/cursor.h"
#include "pc_test.h"

struct pc_scan scan;
struct pc_policy policy;
enum pc_versions asked_for;
struct written in;
struct pc_finding first;

static size_t record_at;

void put_at(uint64_t at, uint64_t value, unsigned width)
{
    pc_store(in.p + at, width, value, in.order);
}

void put(uint64_t value, unsigned width)
{
    assert_true(in.len + width <= sizeof(in.p));
    put_at(in.len, value, width);
    in.len += width;
}

void take_out(uint64_t at, size_t nr)
{
    memmove(in.p + at, in.p + at + nr, in.len - (size_t)at - nr);
    in.len -= nr;
}

void make_room(uint64_t at, size_t nr)
{
    assert_true(in.len + nr <= sizeof(in.p));
    memmove(in.p + at + nr, in.p + at, in.len - (size_t)at);
    memset(in.p + at, 0, nr);
    in.len += nr;
}

void put_text(const char *text, size_t len)
{
    size_t nr = strlen(text);
    assert_true(nr <= len && in.len + len <= sizeof(in.p));
    memset(in.p + in.len, 0, len);
    memcpy(in.p + in.len, text, nr);
    in.len += len;
}

bool in_order(unsigned nr)
{
    in.order = nr == 1 ? PC_BIG : PC_LITTLE;
    return nr < 2;
}

enum pc_diag newer_type(void)
{
    return in.order == PC_BIG ? PC_D_TYPE_BIG_ENDIAN : PC_D_TYPE_USER_UNKNOWN;
}

uint64_t pair(uint64_t one, uint64_t next)
{
    return in.order == PC_LITTLE ? next << 32 | (uint32_t)one : one << 32 | (uint32_t)next;
}

uint64_t chars(const char *text)
{
    unsigned char bytes[8] = { 0 };
    assert_true(strlen(text) <= 8);
    memcpy(bytes, text, strlen(text));
    return pc_load(bytes, 8, in.order);
}

uint64_t begin_record(uint64_t type)
{
    record_at = in.len;
    put(type & UINT32_MAX, 4);
    put(type >> 32, 2);
    put(0, 2);
    return record_at;
}

uint64_t end_record(void)
{
    assert_true(in.len - record_at <= UINT16_MAX);
    put_at(record_at + 6, in.len - record_at, 2);
    return record_at;
}

uint64_t put_record(uint64_t type, const uint64_t *words, size_t nr)
{
    begin_record(type);
    for (size_t i = 0; i < nr; i++)
        put(words[i], 8);
    return end_record();
}

uint64_t begin_feature(uint64_t bit)
{
    begin_record(PC_HEADER_FEATURE);
    put(bit, 8);
    return in.len;
}

void put_string(const char *text)
{
    size_t room = (strlen(text) + 1 + 63) / 64 * 64;
    put(room, 4);
    put_text(text, room);
}

uint64_t begin_with_features(uint64_t nr, uint64_t room)
{
    begin_file(PC_S_TID, 0);
    for (uint64_t i = 0; i < 20; i++)
        RECORD(PC_COMM, pair(i, i), chars("name"), 0, pair(i, i));
    uint64_t table = in.len, bits = 0;
    put_at(AT_DATA + 8, table - FILE_DATA, 8);
    for (uint64_t i = 0; i < nr; i++) {
        put(table + nr * PC_SECTION_SIZE + room + i * 68, 8);
        put(68, 8);
        bits |= (uint64_t)1 << (PC_HOSTNAME + i);
    }
    for (uint64_t i = 0; i < room; i++)
        put(0, 1);
    for (uint64_t i = 0; i < nr; i++)
        put_string("text");
    put_at(AT_FEATURES, bits, 8);
    return table;
}

void begin_empty(void)
{
    in.len = 0;
    in.kind = PC_INPUT_STREAM;
    put(0x32454c4946524550, 8);
    put(16, 8);
}

static uint64_t reversed(uint64_t bits)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < 64; i++)
        result |= (bits >> i & 1) << (63 - i);
    return result;
}

/* An attr of 64 bytes. */
static void put_members(uint64_t sample_type, uint64_t flags)
{
    put(1, 4); /* software */
    put(64, 4);
    flags |= PC_FLAG_SAMPLE_ID_ALL;
    if (in.order == PC_BIG) /* whose compilers begin with the highest bit */
        flags = reversed(flags);
    const uint64_t words[] = { 0, 1, sample_type, 0, flags, 0, 0 };
    for (size_t i = 0; i < PC_COUNT_OF(words); i++)
        put(words[i], 8);
}

uint64_t put_attr(uint64_t sample_type, uint64_t flags)
{
    begin_record(PC_HEADER_ATTR);
    put_members(sample_type, flags);
    put(1, 8);
    return end_record();
}

void begin_file(uint64_t sample_type, uint64_t flags)
{
    const uint64_t head[] = { 0x32454c4946524550, 104, 80, FILE_ATTRS, 80, FILE_DATA, 0, 0, 0, 0, 0, 0, 0 };
    in.len = 0;
    in.kind = PC_INPUT_FILE;
    for (size_t i = 0; i < PC_COUNT_OF(head); i++)
        put(head[i], 8);
    put(1, 8);
    put_members(sample_type, flags);
    put(FILE_IDS, 8);
    put(8, 8);
}

uint64_t end_file(void)
{
    uint64_t table = in.len, name = table + 32;
    put_at(AT_DATA + 8, table - FILE_DATA, 8);
    put_at(AT_FEATURES, (uint64_t)1 << PC_HOSTNAME | (uint64_t)1 << PC_NRCPUS, 8);
    const uint64_t sections[] = { name, 68, name + 68, 8 };
    for (size_t i = 0; i < PC_COUNT_OF(sections); i++)
        put(sections[i], 8);
    put_string("box");
    put(1, 4);
    put(1, 4);
    return table;
}

void begin_with(uint64_t sample_type, uint64_t flags)
{
    begin_empty();
    put_attr(sample_type, flags);
}

void begin(void)
{
    begin_with(PC_S_IDENTIFIER | PC_S_IP | PC_S_TID | PC_S_CALLCHAIN,
               PC_FLAG_DEFER_CHAIN | PC_FLAG_DEFER_OUTPUT);
    RECORD(PC_COMM, pair(0, 1), chars("a"), 0, 1);
}

uint64_t sample(uint64_t tid, uint64_t cookie)
{
    return RECORD(USER | PC_SAMPLE, 1, 0, pair(0, tid), 2, PC_CONTEXT_USER_DEFERRED, cookie);
}

uint64_t deferred(uint64_t cookie)
{
    return RECORD(USER | PC_CALLCHAIN_DEFERRED, cookie, 0, 0, 1);
}

static void init_scan(void)
{
    struct pc_limits limits;
    pc_policy_init(&policy);
    policy.max_per_id = 100000;
    policy.reader = asked_for;
    pc_limits_init(&limits);
    pc_scan_init(&scan, &policy, &limits);
}

void run_at(struct pc_where where)
{
    struct pc_item item;
    init_scan();
    pc_input_memory(&scan.in, (struct pc_span){ in.p, in.len }, PC_INPUT_STREAM);
    while (pc_reader_next(&scan.reader, &item)) {
        item.where = item.kind == PC_ITEM_RECORD ? where : (struct pc_where){ 0 };
        pc_check_item(&scan.check, &item);
    }
}

void run_failing(uint64_t n)
{
    init_scan();
    scan.mem.fail_at = n;
    pc_scan_memory(&scan, (struct pc_span){ in.p, in.len }, in.kind);
}

void run(void)
{
    run_failing(0);
}

void run_unreadable(uint64_t at)
{
    init_scan();
    pc_input_memory(&scan.in, (struct pc_span){ in.p, in.len }, in.kind);
    scan.in.fail_at = at;
    pc_scan_rest(&scan);
    pc_scan_end(&scan);
}

const struct pc_finding *finding(enum pc_diag id)
{
    for (size_t i = 0; i < scan.report.nr; i++) {
        if (scan.report.finding[i].id == id)
            return &scan.report.finding[i];
    }
    return NULL;
}

uint64_t limit_said(const char *what)
{
    assert_int_equal(scan.report.by_id[PC_D_LIMIT_STATE], 1);
    assert_string_equal(finding(PC_D_LIMIT_STATE)->path[0].name, what);
    return finding(PC_D_LIMIT_STATE)->expected.n;
}

void assert_scans_alike(const struct pc_scan *one, const struct pc_scan *other)
{
    for (enum pc_diag id = PC_NO_DIAG; id < PC_DIAG_COUNT; id++)
        assert_int_equal(pc_report_found(&one->report, id), pc_report_found(&other->report, id));
    assert_int_equal(one->report.nr, other->report.nr);
    for (size_t i = 0; i < one->report.nr; i++) {
        const struct pc_finding *f = &one->report.finding[i], *same = &other->report.finding[i];
        assert_int_equal(f->id, same->id);
        assert_int_equal(f->offset, same->offset);
        assert_int_equal(f->length, same->length);
        assert_int_equal(f->number, same->number);
        assert_int_equal(f->seen.n, same->seen.n);
    }
    assert_memory_equal(&one->check.flow.sum, &other->check.flow.sum, sizeof(one->check.flow.sum));
    assert_int_equal(one->reader.work, other->reader.work);
}

uint64_t counted(enum pc_diag id)
{
    run();
    uint64_t nr = scan.report.by_id[id];
    const struct pc_finding *found = finding(id);
    first = found ? *found : (struct pc_finding){ 0 };
    pc_scan_clear(&scan);
    return nr;
}

void expect_at(enum pc_diag id, uint64_t nr, uint64_t at, const char *file, int line)
{
    uint64_t found = counted(id);
    if (found != nr || (nr != 0 && first.offset != at))
        fail_msg("%s:%d: %s-endian: %llu of %s, the first at %llu", file, line,
                 in.order == PC_LITTLE ? "little" : "big", (unsigned long long)found, pc_diag_info(id)->name,
                 (unsigned long long)first.offset);
}

/* SPDX-License-Identifier: MIT
 *
 * 2,000 randomly damaged copies of real captures: always a verdict, always the same one, within the limits
 * of memory and of work. Work is counted, not timed. The damage depends on the seed alone.
 *
 *   test_damage [SEED [COPIES]]
 */
#include "pc_test.h"
#include "accounted.h"
#include "captures.h"
#include "scan_whole.h"

static uint64_t seed = 20261120, copies = 2000;

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Values that break sizes, counts and offsets. */
static uint64_t nasty(uint64_t *random)
{
    static const uint64_t values[] = { 0,
                                       1,
                                       7,
                                       8,
                                       0xff,
                                       0xffff,
                                       0x7fffffff,
                                       0xffffffff,
                                       0x8000000000000000,
                                       UINT64_MAX,
                                       UINT64_MAX - 7,
                                       0x100000000,
                                       0xfff8,
                                       41,
                                       64,
                                       80 };
    return values[next_random(random) % PC_COUNT_OF(values)];
}

/* One act of damage on n bytes; returns the new length. */
static size_t damage(unsigned char *bytes, size_t n, uint64_t *random)
{
    if (n < 16)
        return n;
    /* Half of all damage goes where the structure is: the first bytes and the heads of records. */
    size_t reach = next_random(random) & 1 ? n : n < 1024 ? n : 1024;
    size_t at = (size_t)(next_random(random) % reach);
    size_t width = (size_t)1 << (next_random(random) % 4), len;
    uint64_t value = nasty(random);
    switch (next_random(random) % 8) {
    case 0: /* a bit */
        bytes[at] ^= (unsigned char)(1u << (next_random(random) % 8));
        break;
    case 1: /* a byte */
        bytes[at] = (unsigned char)next_random(random);
        break;
    case 2: /* an integer, aligned */
    case 3:
        at -= at % width;
        for (size_t i = 0; i < width && at + i < n; i++)
            bytes[at + i] = (unsigned char)(value >> 8 * i);
        break;
    case 4: /* a block of zeros or noise */
        len = (size_t)(next_random(random) % 300);
        for (size_t i = at; i < n && i < at + len; i++)
            bytes[i] = value & 1 ? 0 : (unsigned char)next_random(random);
        break;
    case 5: /* the end is missing */
        return n - (size_t)(next_random(random) % (n / 2));
    case 6: /* a block is missing */
        len = (size_t)(next_random(random) % 200);
        len = len < n - at ? len : n - at;
        memmove(bytes + at, bytes + at + len, n - at - len);
        return n - len;
    default: /* a block stands twice */
        len = (size_t)(next_random(random) % 200);
        len = len < n - at ? len : n - at;
        memmove(bytes + at, bytes + (size_t)(next_random(random) % (n - len + 1)), len);
        break;
    }
    return n;
}

static void check_result(const struct pc_scan *scan, const struct real_capture *c, size_t len,
                         uint64_t number)
{
    /* Work: every byte is read at most a few times and looked at a bounded number of times. */
    uint64_t bound = 40 * ((uint64_t)len + scan->check.flow.sum.compressed_out) + 200000;
    uint64_t window = scan->check.flow.sum.compressed != 0 ? PC_INFLATE_MEMORY + ((uint64_t)1 << 19) : 0;
    if (pc_scan_work(scan) > bound)
        fail_msg("%s, copy %llu: work %llu for %zu bytes", c->path, (unsigned long long)number,
                 (unsigned long long)pc_scan_work(scan), len);
    assert_true(scan->mem.peak <= scan->limits.memory + window);
    assert_true(scan->mem.peak <= ((uint64_t)1 << 20) + 4 * (uint64_t)len + ((uint64_t)2 << 20) + window);
    for (int id = 1; id < PC_DIAG_COUNT; id++) {
        uint64_t shown = scan->report.by_id[id] - pc_report_suppressed(&scan->report, (enum pc_diag)id);
        assert_true(shown <= 20);
    }
    for (size_t i = 0; i < scan->report.nr; i++) {
        const struct pc_finding *f = &scan->report.finding[i];
        bool promise = f->id == PC_D_TABLE_OUTSIDE;
        if (f->where.inside ? f->where.wrapper_offset > len
                            : !promise && (f->offset > len || f->length > len - f->offset))
            fail_msg("%s, copy %llu: %s at %zu+%zu of %zu", c->path, (unsigned long long)number,
                     pc_diag_info(f->id)->name, (size_t)f->offset, (size_t)f->length, len);
    }
}

/* As a stream it is the same capture. Only what is wrong with the start of a header is not found: nothing is
 * stored, to compare it with. */
static void check_stream(struct pc_scan *stream, const struct pc_scan *file)
{
    bool is_start = !file->recognised || file->capture.is_pipe;
    uint64_t *by_id = stream->report.by_id, words = file->report.by_id[PC_D_HEADER_WORD];
    uint64_t found = by_id[PC_D_HEADER_WORD];
    if (is_start)
        by_id[PC_D_HEADER_WORD] = words;
    assert_int_equal(stream->report.nr + words - found, file->report.nr);
    assert_int_equal(pc_scan_verdict(stream), pc_scan_verdict(file));
    assert_memory_equal(by_id, file->report.by_id, sizeof(file->report.by_id));
}

static void damaged_captures_get_a_verdict_within_limits(void **state)
{
    (void)state;
    static struct pc_scan scan, again;
    struct pc_policy policy;
    struct pc_limits limits;
    uint64_t random = seed, by_verdict[3] = { 0 };
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    assert_true(nr_real_captures >= 20);
    for (uint64_t number = 0; number < copies; number++) {
        const struct real_capture *c = &real_captures[next_random(&random) % nr_real_captures];
        unsigned char *bytes = malloc(c->len + 1);
        memcpy(bytes, c->bytes, c->len);
        size_t len = c->len;
        for (uint64_t acts = 1 + next_random(&random) % 4; acts > 0; acts--)
            len = damage(bytes, len, &random);
        struct pc_span span = { bytes, len };
        pc_scan_init(&scan, &policy, &limits);
        pc_scan_memory(&scan, span, PC_INPUT_FILE);
        check_result(&scan, c, len, number);
        by_verdict[pc_scan_verdict(&scan)]++;
        pc_scan_init(&again, &policy, &limits);
        struct pc_account account = pc_account_for(&again, span, PC_INPUT_FILE);
        if (account.missing != 0)
            fail_msg("%s, copy %llu: %llu bytes are unaccounted for", c->path, (unsigned long long)number,
                     (unsigned long long)account.missing);
        pc_scan_clear(&again);
        pc_scan_init(&again, &policy, &limits);
        pc_scan_memory(&again, span, PC_INPUT_STREAM);
        check_stream(&again, &scan);
        pc_scan_clear(&again);
        pc_scan_clear(&scan);
        free(bytes);
    }
    assert_true(by_verdict[PC_INVALID] > copies / 4); /* the damage is real */
    print_message("%llu copies: %llu valid, %llu invalid, %llu unreadable\n", (unsigned long long)copies,
                  (unsigned long long)by_verdict[PC_VALID], (unsigned long long)by_verdict[PC_INVALID],
                  (unsigned long long)by_verdict[PC_UNREADABLE]);
}

/* --- one size --- */

enum { WALKED = 4096 };

/* The records of a capture, by their sizes alone: where each begins, and where the last ends. Those of pipes
 * with trace data are not walked. */
static size_t walk(struct pc_span in, uint64_t *at)
{
    bool big = memcmp(in.ptr, "PERFILE2", 8) != 0;
    enum pc_order order = big ? PC_BIG : PC_LITTLE;
    uint64_t next = 16, end = in.len;
    size_t nr = 0;
    if (pc_load(in.ptr + 8, 8, order) == 104) {
        next = pc_load(in.ptr + 40, 8, order);
        end = next + pc_load(in.ptr + 48, 8, order);
    }
    while (nr + 1 < WALKED && next < end) {
        uint64_t type = pc_load(in.ptr + next, 4, order), size = pc_load(in.ptr + next + 6, 2, order);
        if (type == 66 || type == 71 || size < 8)
            return 0;
        at[nr++] = next;
        next += size;
    }
    at[nr] = next;
    return next == end ? nr : 0;
}

/* A wrong size: one that leads far, nowhere, or into a record. */
static uint64_t wrong_size(uint64_t size, uint64_t *random)
{
    const uint64_t sizes[] = { 0,
                               3,
                               0xfff8,
                               0xffff,
                               next_random(random) & 0xffff,
                               next_random(random) & 0xfff8,
                               size + 8 * (1 + next_random(random) % 40),
                               size - 8,
                               4096 };
    return sizes[next_random(random) % PC_COUNT_OF(sizes)] & 0xffff;
}

/* Records that end before `end`, of those from number `from` on. */
static uint64_t whole_after(const uint64_t *at, size_t nr, size_t from, uint64_t end)
{
    uint64_t whole = 0;
    for (size_t i = from; i < nr; i++)
        whole += at[i + 1] <= end;
    return whole;
}

/* One size is wrong, and half of the copies are cut later: of all records but those two, nearly all are read,
 * and no byte is left out without a finding. Compressed records and attrs are no records of this kind: what
 * follows in them depends on them. */
static void after_a_wrong_size_nothing_is_left_out(void **state)
{
    (void)state;
    static struct pc_scan scan;
    static uint64_t at[WALKED];
    struct pc_policy policy;
    struct pc_limits limits;
    uint64_t random = seed, tried = 0, poor = 0;
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    for (uint64_t number = 0; number < copies; number++) {
        const struct real_capture *c = &real_captures[next_random(&random) % nr_real_captures];
        size_t nr = c->len < 104 ? 0 : walk((struct pc_span){ c->bytes, c->len }, at);
        if (nr < 4)
            continue;
        enum pc_order order = memcmp(c->bytes, "PERFILE2", 8) == 0 ? PC_LITTLE : PC_BIG;
        size_t hit = (size_t)(next_random(&random) % nr), len = c->len;
        uint64_t type = pc_load(c->bytes + at[hit], 4, order), size = at[hit + 1] - at[hit];
        uint64_t wrong = wrong_size(size, &random);
        bool cut = next_random(&random) & 1, plain = number % 8 == 0;
        if (cut && at[nr] > at[hit] + 1)
            len = (size_t)(at[hit] + 1 + next_random(&random) % (at[nr] - at[hit] - 1));
        if (type == 64 || type == 81 || type == 83 || wrong == size || len < at[hit] + 8)
            continue;
        unsigned char *bytes = malloc(len);
        memcpy(bytes, c->bytes, len);
        if (!plain)
            pc_store(bytes + at[hit] + 6, 2, wrong, order);
        pc_scan_init(&scan, &policy, &limits);
        enum pc_input_kind kind = number & 2 ? PC_INPUT_STREAM : PC_INPUT_FILE;
        struct pc_account account = pc_account_for(&scan, (struct pc_span){ bytes, len }, kind);
        uint64_t end = len < at[nr] ? len : at[nr], before = hit;
        uint64_t whole = before + whole_after(at, nr, plain ? hit : hit + 1, end);
        if (account.missing != 0)
            fail_msg("%s, copy %llu: %llu bytes are unaccounted for", c->path, (unsigned long long)number,
                     (unsigned long long)account.missing);
        if (plain && account.records != whole)
            fail_msg("%s, copy %llu: %llu records, but %llu are whole", c->path, (unsigned long long)number,
                     (unsigned long long)account.records, (unsigned long long)whole);
        poor += account.records + 2 < whole;
        tried++;
        pc_scan_clear(&scan);
        free(bytes);
    }
    print_message("%llu sizes: after %llu more than two records are missed\n", (unsigned long long)tried,
                  (unsigned long long)poor);
    assert_true(tried > copies / 4);
    assert_true(poor <= tried / 100);
}

static int set_up(void **state)
{
    (void)state;
    char **argument = test_arguments;
    if (*argument)
        seed = strtoull(*argument++, NULL, 10);
    if (*argument)
        copies = strtoull(*argument, NULL, 10);
    load_captures(true);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free_captures();
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(damaged_captures_get_a_verdict_within_limits),
    cmocka_unit_test(after_a_wrong_size_nothing_is_left_out),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

/* SPDX-License-Identifier: MIT
 *
 * Rules about records against each other where recipes do not reach: full tables, several streams, records
 * in compressed ones.
 */
#include "pc_test.h"
#include "check/scan.h"

static struct pc_scan scan;
static struct pc_policy policy;

static struct {
    unsigned char p[8 << 20];
    size_t len;
} in;

static void put(uint64_t value, unsigned width)
{
    assert_true(in.len + width <= sizeof(in.p));
    for (unsigned i = 0; i < width; i++)
        in.p[in.len++] = (unsigned char)(value >> 8 * i);
}

/* A record: misc in the upper half of the type. Returns where it begins. */
static uint64_t put_record(uint64_t type, const uint64_t *words, size_t nr)
{
    uint64_t at = in.len;
    put(type & UINT32_MAX, 4);
    put(type >> 32, 2);
    put(8 + 8 * nr, 2);
    for (size_t i = 0; i < nr; i++)
        put(words[i], 8);
    return at;
}
#define RECORD(type, ...)                                                                                    \
    put_record(type, (const uint64_t[]){ __VA_ARGS__ }, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8)
#define USER ((uint64_t)2 << 32)

/* A pipe with one attr, whose records have a trailer. */
static void begin_with(uint64_t sample_type, uint64_t flags)
{
    in.len = 0;
    put(0x32454c4946524550, 8);
    put(16, 8);
    RECORD(PC_HEADER_ATTR, (uint64_t)64 << 32 | 1, 0, 1, sample_type, 0, PC_FLAG_SAMPLE_ID_ALL | flags, 0, 0,
           1);
}

/* ... IDENTIFIER, IP, TID, CALLCHAIN and deferred call chains. */
static void begin(void)
{
    begin_with(PC_S_IDENTIFIER | PC_S_IP | PC_S_TID | PC_S_CALLCHAIN,
               PC_FLAG_DEFER_CHAIN | PC_FLAG_DEFER_OUTPUT);
    RECORD(PC_COMM, (uint64_t)1 << 32, 'a', 0, 1);
}

static uint64_t sample(uint64_t tid, uint64_t cookie)
{
    return RECORD(USER | PC_SAMPLE, 1, 0, tid << 32, 2, PC_CONTEXT_USER_DEFERRED, cookie);
}

static uint64_t deferred(uint64_t cookie)
{
    return RECORD(USER | PC_CALLCHAIN_DEFERRED, cookie, 0, 0, 1);
}

/* Scans what was put; `where` is that of every record. */
static void run_at(struct pc_where where)
{
    struct pc_limits limits;
    struct pc_item item;
    pc_policy_init(&policy);
    policy.max_per_id = 100000;
    pc_limits_init(&limits);
    pc_scan_init(&scan, &policy, &limits);
    pc_input_memory(&scan.in, (struct pc_span){ in.p, in.len }, PC_INPUT_STREAM);
    while (pc_reader_next(&scan.reader, &item)) {
        if (item.kind == PC_ITEM_RECORD)
            scan.report.where = where;
        else
            scan.report.where = (struct pc_where){ 0 };
        pc_check_item(&scan.check, &item);
    }
}

static void run(void)
{
    run_at((struct pc_where){ 0 });
}

static const struct pc_finding *finding(enum pc_diag id)
{
    for (size_t i = 0; i < scan.report.nr; i++) {
        if (scan.report.finding[i].id == id)
            return &scan.report.finding[i];
    }
    return NULL;
}

static void every_unknown_thread_is_named_once(void **state)
{
    (void)state;
    begin();
    for (uint64_t i = 0; i < 3000; i++)
        sample(2 + i % 1000, i);
    run();
    assert_int_equal(scan.report.by_id[PC_D_THREAD_UNKNOWN], 1000);
    pc_scan_clear(&scan);
}

static void the_number_of_reported_unknown_threads_is_limited(void **state)
{
    (void)state;
    begin();
    for (uint64_t i = 0; i < 20000; i++)
        sample(2 + i, 7);
    run();
    assert_int_equal(scan.report.by_id[PC_D_THREAD_UNKNOWN], 4096);
    assert_int_equal(scan.report.by_id[PC_D_LIMIT_STATE], 0);
    assert_false(scan.report.unreadable);
    pc_scan_clear(&scan);
}

static void an_impossible_thread_number_is_unknown(void **state)
{
    (void)state;
    begin();
    uint64_t at = sample(0x7fffffff, 7);
    run();
    assert_non_null(finding(PC_D_THREAD_UNKNOWN));
    assert_int_equal(finding(PC_D_THREAD_UNKNOWN)->offset, at + 8 + 8 + 8 + 4);
    pc_scan_clear(&scan);
}

/* Numbers on both sides of each border between pages of the table, and the highest that can be. */
static void a_thread_of_any_number_is_known(void **state)
{
    (void)state;
    const uint64_t tids[] = { 0x7fff, 0x8000, 0xffff, 0x10000, 0x1fffff, 0x200000, 0x3fffff };
    for (size_t left_out = 0; left_out <= PC_COUNT_OF(tids); left_out++) {
        begin();
        for (size_t i = 0; i < PC_COUNT_OF(tids); i++) {
            if (i != left_out)
                RECORD(PC_COMM, tids[i] << 32, 'a', 0, 1);
        }
        for (size_t i = 0; i < PC_COUNT_OF(tids); i++)
            sample(tids[i], 7);
        run();
        assert_int_equal(scan.report.by_id[PC_D_THREAD_UNKNOWN], left_out < PC_COUNT_OF(tids));
        if (left_out < PC_COUNT_OF(tids))
            assert_int_equal(finding(PC_D_THREAD_UNKNOWN)->seen.n, tids[left_out]);
        pc_scan_clear(&scan);
    }
}

static void an_unknown_thread_is_found_even_after_many_samples(void **state)
{
    (void)state;
    in.len = 0; /* without deferred call chains */
    put(0x32454c4946524550, 8);
    put(16, 8);
    RECORD(PC_HEADER_ATTR, (uint64_t)64 << 32 | 1, 0, 1, PC_S_TID, 0, PC_FLAG_SAMPLE_ID_ALL, 0, 0);
    RECORD(PC_COMM, (uint64_t)1 << 32, 'a', 0);
    for (uint64_t i = 0; i < PC_SAMPLES_MANY + 1000; i++)
        RECORD(USER | PC_SAMPLE, (uint64_t)1 << 32);
    for (uint64_t i = 0; i <= PC_SAMPLES_SKIPPED; i++)
        RECORD(USER | PC_SAMPLE, (uint64_t)2 << 32);
    run();
    assert_int_equal(scan.report.by_id[PC_D_THREAD_UNKNOWN], 1);
    pc_scan_clear(&scan);
}

/* So many samples of a known thread, after `flags` of their attr, and then one of a thread that is not
 * known: whether it is looked at. */
static bool is_looked_at(uint64_t number, uint64_t flags, bool init)
{
    in.len = 0;
    put(0x32454c4946524550, 8);
    put(16, 8);
    RECORD(PC_HEADER_ATTR, (uint64_t)64 << 32 | 1, 0, 1, PC_S_TID, 0, PC_FLAG_SAMPLE_ID_ALL | flags, 0, 0);
    RECORD(PC_COMM, (uint64_t)1 << 32, 'a', 0);
    for (uint64_t i = 1; i < number; i++) {
        if (init && i + 1 == number)
            put_record(PC_FINISHED_INIT, NULL, 0);
        RECORD(USER | PC_SAMPLE, (uint64_t)1 << 32);
    }
    RECORD(USER | PC_SAMPLE, (uint64_t)2 << 32);
    run();
    bool found = scan.report.by_id[PC_D_THREAD_UNKNOWN] == 1;
    pc_scan_clear(&scan);
    return found;
}

static void after_many_samples_every_64th_is_checked(void **state)
{
    (void)state;
    assert_true(is_looked_at(PC_SAMPLES_MANY - 1, 0, false));
    assert_true(is_looked_at(PC_SAMPLES_MANY, 0, false));
    assert_false(is_looked_at(PC_SAMPLES_MANY + 1, 0, false));
    assert_false(is_looked_at(PC_SAMPLES_MANY + 32, 0, false));
    assert_false(is_looked_at(PC_SAMPLES_MANY + 63, 0, false));
    assert_true(is_looked_at(PC_SAMPLES_MANY + 64, 0, false));
    /* Each where samples wait for others, and after FINISHED_INIT up to the first with a time. */
    assert_true(is_looked_at(PC_SAMPLES_MANY + 1, PC_FLAG_DEFER_CHAIN | PC_FLAG_DEFER_OUTPUT, false));
    assert_true(is_looked_at(PC_SAMPLES_MANY + 3, 0, true));
}

static void several_streams_have_no_common_order(void **state)
{
    (void)state;
    begin();
    sample(2, 7);
    deferred(8);
    run();
    assert_non_null(finding(PC_D_THREAD_UNKNOWN));
    assert_non_null(finding(PC_D_DEFERRED_ALONE));
    pc_scan_clear(&scan);
    run_at((struct pc_where){ .stream = 1 });
    assert_null(finding(PC_D_THREAD_UNKNOWN));
    assert_null(finding(PC_D_DEFERRED_ALONE));
    pc_scan_clear(&scan);
}

static void a_record_in_a_compressed_one_is_located_by_the_outer_one(void **state)
{
    (void)state;
    begin();
    sample(2, 7);
    deferred(8);
    run_at((struct pc_where){ .inside = true, .wrapper = 5, .wrapper_offset = 0x200 });
    assert_int_equal(finding(PC_D_THREAD_UNKNOWN)->offset, 0x200);
    assert_int_equal(finding(PC_D_THREAD_UNKNOWN)->number, 5);
    assert_int_equal(finding(PC_D_DEFERRED_ALONE)->offset, 0x200);
    assert_false(finding(PC_D_DEFERRED_ALONE)->where.inside);
    pc_scan_clear(&scan);
}

/* Cookies that found their record make room; the oldest of the others are kept. */
static void cookies_come_and_go(void **state)
{
    (void)state;
    begin();
    sample(1, 1);
    for (uint64_t i = 2; i < 4 * PC_COOKIES; i++) {
        sample(1, i);
        deferred(i);
    }
    deferred(1);
    run();
    assert_null(finding(PC_D_DEFERRED_ALONE));
    assert_null(finding(PC_D_LIMIT_STATE));
    pc_scan_clear(&scan);
}

static void a_forgotten_cookie_is_not_a_missing_sample(void **state)
{
    (void)state;
    begin();
    for (uint64_t i = 1; i < 2 * PC_COOKIES; i++)
        sample(1, i);
    deferred(UINT64_MAX);
    run();
    assert_null(finding(PC_D_DEFERRED_ALONE));
    assert_int_equal(scan.report.by_id[PC_D_LIMIT_STATE], 1);
    assert_true(scan.report.unreadable);
    pc_scan_clear(&scan);
    begin();
    for (uint64_t i = 1; i < 2 * PC_COOKIES; i++)
        sample(1, i);
    run();
    assert_int_equal(scan.report.by_id[PC_D_LIMIT_STATE], 0); /* nothing asked for what was forgotten */
    pc_scan_clear(&scan);
}

static void put_build_id(uint64_t id)
{
    RECORD(USER | PC_HEADER_BUILD_ID, id << 32 | UINT32_MAX, id >> 32, 0, (uint64_t)'a' << 32);
}

static void too_many_build_ids_are_reported(void **state)
{
    (void)state;
    begin();
    for (uint64_t i = 1; i < 40000; i++)
        put_build_id(i);
    RECORD(USER | (uint64_t)PC_MISC_MMAP_BUILD_ID << 32 | PC_MMAP2, 0, 0x1000, 0x1000, 0,
           8 | (uint64_t)77 << 32, 0, 0, 0, 'a', 0, 1);
    run();
    assert_null(finding(PC_D_BUILD_ID_DIFFERS));
    assert_int_equal(scan.report.by_id[PC_D_LIMIT_STATE], 1);
    pc_scan_clear(&scan);
}

/* The only finding about a limit, and how many there may be. */
static uint64_t limit_said(const char *what)
{
    assert_int_equal(scan.report.by_id[PC_D_LIMIT_STATE], 1);
    assert_string_equal(finding(PC_D_LIMIT_STATE)->path[0].name, what);
    return finding(PC_D_LIMIT_STATE)->expected.n;
}

static void the_number_of_files_with_build_ids_is_limited(void **state)
{
    (void)state;
    for (uint64_t more = 0; more < 2; more++) { /* one name, with so many build ids */
        begin();
        for (uint64_t i = 1; i < 32768 + more; i++)
            put_build_id(i);
        RECORD(USER | (uint64_t)PC_MISC_MMAP_BUILD_ID << 32 | PC_MMAP2, 0, 0x1000, 0x1000, 0,
               8 | (uint64_t)1 << 48, 0, 0, 0, 'a', 0, 1);
        run();
        if (more)
            assert_int_equal(limit_said("build ids"), 32768);
        assert_int_equal(scan.report.by_id[PC_D_LIMIT_STATE], more);
        assert_int_equal(scan.report.by_id[PC_D_BUILD_ID_DIFFERS], !more);
        pc_scan_clear(&scan);
    }
    for (uint64_t more = 0; more < 2; more++) {
        begin();
        put_build_id(1);
        for (uint64_t i = 1; i <= 8192 + more; i++)
            RECORD(USER | (uint64_t)PC_MISC_MMAP_BUILD_ID << 32 | PC_MMAP2, 0, 0x1000, 0x1000, 0, 8 | i << 32,
                   i, 0, 0, 'b', 0, 1);
        run();
        if (more)
            assert_int_equal(limit_said("build ids"), 8192);
        assert_int_equal(scan.report.by_id[PC_D_LIMIT_STATE], more);
        pc_scan_clear(&scan);
    }
    for (uint64_t more = 0; more < 2; more++) { /* so many names */
        begin();
        for (uint64_t i = 1; i <= 65536 + more; i++)
            RECORD(USER | PC_HEADER_BUILD_ID, (uint64_t)1 << 32 | UINT32_MAX, 0, 0,
                   (uint64_t)(1 + i % 250) << 32 | (uint64_t)(1 + i / 250 % 250) << 40 |
                       (uint64_t)(1 + i / 62500) << 48);
        run();
        if (more)
            assert_int_equal(limit_said("files with build ids"), 65536);
        assert_int_equal(scan.report.by_id[PC_D_LIMIT_STATE], more);
        pc_scan_clear(&scan);
    }
}

static void the_number_of_reported_unmapped_pages_is_limited(void **state)
{
    (void)state;
    begin();
    RECORD(USER | PC_MMAP, 0, 0x1000, 0x1000, 0, 'a', 0, 1);
    for (uint64_t i = 2; i < 20000; i++)
        RECORD(USER | PC_SAMPLE, 1, i << 12, (uint64_t)1 << 32, 0);
    run();
    assert_int_equal(scan.report.by_id[PC_D_IP_UNMAPPED], 8192);
    pc_scan_clear(&scan);
}

static void the_number_of_followed_states_is_limited(void **state)
{
    (void)state;
    begin();
    for (uint64_t i = 0; i < 10000; i++)
        RECORD(PC_THROTTLE, 1, 1, i % 5000, 0, 1);
    run();
    assert_int_equal(scan.report.by_id[PC_D_THROTTLE_TWICE], 4096);
    pc_scan_clear(&scan);
    begin_with(PC_S_TID | PC_S_CPU, 0);
    for (uint64_t i = 0; i < 20000; i++) /* in, of so many tasks on CPU 0 */
        RECORD(PC_SWITCH, (1 + i % 10000) << 32, 0);
    run();
    assert_int_equal(scan.report.by_id[PC_D_SWITCH_IN_TWICE], 8192);
    pc_scan_clear(&scan);
}

static void put_symbol(uint64_t address, bool goes)
{
    RECORD(PC_KSYMBOL, address, (uint64_t)goes << 48 | (uint64_t)1 << 32 | 64, 'a', 0, 1);
}

static void with_too_many_symbols_none_is_reported_missing(void **state)
{
    (void)state;
    for (uint64_t more = 0; more < 2; more++) {
        begin();
        put_symbol(1, true); /* which never came */
        for (uint64_t i = 2; i <= 8192 + more; i++)
            put_symbol(i, false);
        run();
        assert_int_equal(scan.report.by_id[PC_D_KSYMBOL_UNREGISTER], !more);
        pc_scan_clear(&scan);
    }
}

/* Addresses chosen so that their places collide: as many as a search looks at, and one more. */
static void a_symbol_is_not_forgotten_when_many_collide(void **state)
{
    (void)state;
    static uint64_t address[300];
    uint64_t inverse = 1;
    size_t nr = 0;
    const uint64_t factor = 0x9e3779b97f4a7c15; /* of base/set.c */
    for (int i = 0; i < 6; i++)
        inverse *= 2 - factor * inverse;
    assert_true(inverse * factor == 1);
    for (uint64_t i = 0; i < 65; i++)
        address[nr++] = inverse * ((uint64_t)192 << 56 | (1 + i));
    for (uint64_t i = 100; nr < PC_COUNT_OF(address); i++)
        address[nr++] = inverse * (i % 190 << 56 | i << 40);
    begin();
    for (size_t i = 0; i < nr; i++)
        put_symbol(address[i], false);
    for (size_t i = 0; i < nr; i++)
        put_symbol(address[i], true);
    run();
    assert_int_equal(scan.report.by_id[PC_D_KSYMBOL_UNREGISTER], 0);
    assert_true(scan.check.work < 100 * nr); /* it is full, and nothing is tried again */
    pc_scan_clear(&scan);
    /* While there is room, symbols that never came are reported; afterwards they may have come unnoticed. */
    for (size_t more = 0; more < 2; more++) {
        begin();
        put_symbol(1, true);
        for (size_t i = 0; i < 64 + more; i++)
            put_symbol(address[i], false);
        put_symbol(2, true);
        run();
        assert_int_equal(scan.report.by_id[PC_D_KSYMBOL_UNREGISTER], more ? 0 : 2);
        pc_scan_clear(&scan);
    }
}

static void the_number_of_id_index_entries_is_limited(void **state)
{
    (void)state;
    for (uint64_t more = 0; more < 2; more++) {
        begin();
        /* cpu and tid are the same in all entries */
        uint64_t words[1 + 4 * 2000] = { 0 };
        for (uint64_t done = 0, all = 16384 - 2 + more; done < all;) {
            uint64_t nr = all - done < 2000 ? all - done : 2000;
            words[0] = nr;
            for (uint64_t i = 0; i < nr; i++) {
                words[1 + 4 * i] = 1;
                words[2 + 4 * i] = done++;
                words[3 + 4 * i] = 0;
                words[4 + 4 * i] = 1;
            }
            put_record(PC_ID_INDEX, words, (size_t)(1 + 4 * nr));
        }
        RECORD(PC_AUXTRACE, 0, 0, 0, (uint64_t)1 << 32 | 0x7fff0000, 0);
        run();
        if (more)
            assert_int_equal(limit_said("entries of ID_INDEX"), 16384);
        assert_int_equal(scan.report.by_id[PC_D_LIMIT_STATE], more);
        assert_int_equal(scan.report.by_id[PC_D_AUXTRACE_NOT_INDEXED], !more); /* idx */
        pc_scan_clear(&scan);
    }
}

static void no_memory_for_a_rule_is_no_finding(void **state)
{
    (void)state;
    begin();
    sample(2, 7);
    deferred(7);
    RECORD(USER | PC_MMAP, 0, 0x1000, 0x1000, 0, 'a', 0, 1);
    for (uint64_t n = 1; n < 60; n++) {
        struct pc_limits limits;
        pc_policy_init(&policy);
        pc_limits_init(&limits);
        pc_scan_init(&scan, &policy, &limits);
        scan.mem.fail_at = n;
        pc_scan_memory(&scan, (struct pc_span){ in.p, in.len }, PC_INPUT_STREAM);
        assert_null(finding(PC_D_DEFERRED_ALONE));
        pc_scan_clear(&scan);
    }
}

/* A COMM introduces its thread even if there was no memory for it. */
static void no_memory_for_a_thread_is_no_unknown_thread(void **state)
{
    (void)state;
    begin();
    RECORD(PC_COMM, (uint64_t)2 << 32, 'a', 0, 1);
    RECORD(PC_COMM, (uint64_t)0x100000 << 32, 'a', 0, 1);
    RECORD(PC_COMM, (uint64_t)1 << 32, 'a', 0, 1);
    for (uint64_t tid = 1; tid < 3; tid++)
        sample(tid, 7);
    sample(0x100000, 7);
    sample(3, 7);
    for (uint64_t n = 1; n < 60; n++) {
        struct pc_limits limits;
        pc_policy_init(&policy);
        pc_limits_init(&limits);
        pc_scan_init(&scan, &policy, &limits);
        scan.mem.fail_at = n;
        pc_scan_memory(&scan, (struct pc_span){ in.p, in.len }, PC_INPUT_STREAM);
        /* Either it is reported that something could not be stored, or nothing was missed. */
        if (!scan.report.unreadable)
            assert_int_equal(finding(PC_D_THREAD_UNKNOWN)->seen.n, 3);
        assert_true(scan.report.by_id[PC_D_THREAD_UNKNOWN] == !scan.report.unreadable);
        pc_scan_clear(&scan);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_unknown_thread_is_named_once),
    cmocka_unit_test(the_number_of_reported_unknown_threads_is_limited),
    cmocka_unit_test(an_impossible_thread_number_is_unknown),
    cmocka_unit_test(a_thread_of_any_number_is_known),
    cmocka_unit_test(an_unknown_thread_is_found_even_after_many_samples),
    cmocka_unit_test(after_many_samples_every_64th_is_checked),
    cmocka_unit_test(several_streams_have_no_common_order),
    cmocka_unit_test(a_record_in_a_compressed_one_is_located_by_the_outer_one),
    cmocka_unit_test(cookies_come_and_go),
    cmocka_unit_test(a_forgotten_cookie_is_not_a_missing_sample),
    cmocka_unit_test(too_many_build_ids_are_reported),
    cmocka_unit_test(the_number_of_files_with_build_ids_is_limited),
    cmocka_unit_test(the_number_of_reported_unmapped_pages_is_limited),
    cmocka_unit_test(the_number_of_followed_states_is_limited),
    cmocka_unit_test(with_too_many_symbols_none_is_reported_missing),
    cmocka_unit_test(a_symbol_is_not_forgotten_when_many_collide),
    cmocka_unit_test(the_number_of_id_index_entries_is_limited),
    cmocka_unit_test(no_memory_for_a_rule_is_no_finding),
    cmocka_unit_test(no_memory_for_a_thread_is_no_unknown_thread),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

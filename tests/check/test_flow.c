/* SPDX-License-Identifier: MIT
 *
 * How records reach the rules between them: every sample or one in 64, several streams, records in compressed
 * ones.
 */
#include "pc_test.h"
#include "capture_bench.h"

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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_unknown_thread_is_found_even_after_many_samples),
    cmocka_unit_test(after_many_samples_every_64th_is_checked),
    cmocka_unit_test(several_streams_have_no_common_order),
    cmocka_unit_test(a_record_in_a_compressed_one_is_located_by_the_outer_one),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

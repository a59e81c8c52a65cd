/* SPDX-License-Identifier: MIT
 *
 * Cookies of deferred call chains: they are kept until their other half comes, up to a limit.
 */
#include "pc_test.h"
#include "capture_bench.h"

/* Cookies that found their record make room; the oldest of the others are kept. */
static void cookies_are_added_and_removed(void **state)
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

static void each_chain_belongs_to_a_sample_before_or_after_it(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin();
        sample(1, 5);
        deferred(5);
        deferred(6);
        sample(1, 6);
        sample(1, 9); /* its chain may come after the end */
        assert_int_equal(counted(PC_D_DEFERRED_ALONE), 0);
        uint64_t at = deferred(7);
        deferred(7);
        assert_int_equal(counted(PC_D_DEFERRED_ALONE), 1);
        assert_int_equal(first.offset, at + 8);
        assert_int_equal(first.length, 8);
        assert_int_equal(first.seen.n, 7);
        /* The cookie is the word after the marker, and only if that is the last but one. */
        RECORD(USER | PC_SAMPLE, 1, 0, pair(0, 1), 3, PC_CONTEXT_USER_DEFERRED, 7, 8);
        RECORD(USER | PC_SAMPLE, 1, 0, pair(0, 1), 1, PC_CONTEXT_USER_DEFERRED);
        assert_int_equal(counted(PC_D_DEFERRED_ALONE), 1);
        RECORD(USER | PC_SAMPLE, 1, 0, pair(0, 1), 3, 8, PC_CONTEXT_USER_DEFERRED, 7);
        assert_int_equal(counted(PC_D_DEFERRED_ALONE), 0);
    }
}

static void an_attr_without_defer_output_has_no_cookies(void **state)
{
    (void)state;
    begin_with(PC_S_IDENTIFIER | PC_S_IP | PC_S_TID | PC_S_CALLCHAIN, PC_FLAG_DEFER_CHAIN);
    deferred(7);
    assert_int_equal(counted(PC_D_DEFERRED_ALONE), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(cookies_are_added_and_removed),
    cmocka_unit_test(a_forgotten_cookie_is_not_a_missing_sample),
    cmocka_unit_test(each_chain_belongs_to_a_sample_before_or_after_it),
    cmocka_unit_test(an_attr_without_defer_output_has_no_cookies),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

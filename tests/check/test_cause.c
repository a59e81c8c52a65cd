/* SPDX-License-Identifier: MIT
 *
 * The cause of errors: which finding it is, and what is attached to it.
 */
#include "pc_test.h"
#include "capture_bench.h"

static enum pc_role role_of(enum pc_diag id)
{
    assert_non_null(finding(id));
    return finding(id)->role;
}

static void what_comes_before_a_cause_does_not_follow_from_it(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_empty();
        put_attr(PC_S_TID, 0);
        RECORD(PC_AUXTRACE, 0, 0, 0, 0, 0); /* without an AUXTRACE_INFO */
        RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
        in.len -= 8;
        run();
        assert_int_equal(role_of(PC_D_STREAM_CUT), PC_CAUSE);
        assert_int_equal(role_of(PC_D_AUXTRACE_WITHOUT_INFO), PC_ALONE);
        pc_scan_clear(&scan);
    }
}

static void without_errors_there_is_no_cause(void **state)
{
    (void)state;
    begin_empty();
    put_attr(PC_S_TID, 0);
    run();
    for (size_t i = 0; i < scan.report.nr; i++)
        assert_int_equal(scan.report.finding[i].role, PC_ALONE);
    pc_scan_clear(&scan);
}

/* As a recorder leaves data.size that was killed; but then there is no feature table either. */
static void a_derived_cause_comes_before_a_reported_one(void **state)
{
    (void)state;
    begin_file(PC_S_TID, 0);
    for (uint64_t i = 0; i < 40; i++)
        RECORD(PC_COMM, pair(i, i), chars("name"), pair(i, i));
    end_file();
    put_at(AT_DATA + 8, 0, 8);
    run();
    assert_int_equal(role_of(PC_D_HEADER_WORD), PC_CAUSE);
    assert_int_equal(finding(PC_D_HEADER_WORD)->offset, AT_DATA + 8);
    assert_int_equal(finding(PC_D_HEADER_WORD)->expected.n, 40 * 32);
    assert_int_equal(role_of(PC_D_UNFINISHED), PC_RELATED);
    pc_scan_clear(&scan);
    take_out(FILE_DATA + 32 * 40, in.len - FILE_DATA - 32 * 40);
    run();
    assert_null(finding(PC_D_HEADER_WORD));
    assert_int_equal(role_of(PC_D_UNFINISHED), PC_CAUSE);
    pc_scan_clear(&scan);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_comes_before_a_cause_does_not_follow_from_it),
    cmocka_unit_test(without_errors_there_is_no_cause),
    cmocka_unit_test(a_derived_cause_comes_before_a_reported_one),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

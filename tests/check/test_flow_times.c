/* SPDX-License-Identifier: MIT
 *
 * Times: FINISHED_ROUND releases those of the round before, FINISHED_INIT ends the first part, and
 * SAMPLE_TIME is the range of all samples (FORMAT.md 9.1).
 */
#include "pc_test.h"
#include "capture_bench.h"

static uint64_t sample_at(uint64_t time)
{
    return RECORD(USER | PC_SAMPLE, pair(0, 0), time);
}

static void end_of(uint32_t round_or_init)
{
    put_record(round_or_init, NULL, 0);
}

/* Records from 20 on are released when the round after theirs ends. */
static void a_time_is_older_than_what_was_released(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (uint64_t time = 19; time < 21; time++) {
            begin_with(PC_S_TID | PC_S_TIME, 0);
            sample_at(10);
            sample_at(20);
            end_of(PC_FINISHED_ROUND);
            sample_at(15); /* only the first round has ended */
            end_of(PC_FINISHED_ROUND);
            uint64_t at = sample_at(time);
            sample_at(0); /* no time */
            assert_int_equal(counted(PC_D_TIME_ORDER), time == 19);
            assert_int_equal(first.offset, time == 19 ? at + 16 : 0);
            assert_int_equal(first.seen.n, time == 19 ? 19 : 0);
            assert_int_equal(first.expected.n, time == 19 ? 20 : 0);
        }
    }
}

static void a_buffer_written_backwards_has_no_order(void **state)
{
    (void)state;
    begin_with(PC_S_TID | PC_S_TIME, PC_FLAG_WRITE_BACKWARD);
    sample_at(20);
    end_of(PC_FINISHED_ROUND);
    end_of(PC_FINISHED_ROUND);
    sample_at(10);
    end_of(PC_FINISHED_INIT);
    sample_at(5);
    run();
    assert_int_equal(scan.report.by_id[PC_D_TIME_ORDER], 0);
    assert_int_equal(scan.report.by_id[PC_D_TIME_BEFORE_INIT], 0);
    pc_scan_clear(&scan);
}

static void the_first_time_after_init_is_not_older(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (uint64_t time = 49; time < 51; time++) {
            begin_with(PC_S_TID | PC_S_TIME, 0);
            sample_at(50);
            end_of(PC_FINISHED_INIT);
            sample_at(0); /* 0 and the largest number are no times */
            sample_at(UINT64_MAX);
            uint64_t at = sample_at(time);
            sample_at(48); /* only the first one is judged */
            assert_int_equal(counted(PC_D_TIME_BEFORE_INIT), time == 49);
            assert_int_equal(first.offset, time == 49 ? at + 16 : 0);
            assert_int_equal(first.expected.n, time == 49 ? 50 : 0);
        }
    }
}

/* A sample that names neither a task nor an address is looked at too. */
static void a_sample_with_nothing_but_a_time_is_judged(void **state)
{
    (void)state;
    begin_with(PC_S_TIME, 0);
    RECORD(USER | PC_SAMPLE, 50);
    end_of(PC_FINISHED_INIT);
    RECORD(USER | PC_SAMPLE, 49);
    assert_int_equal(counted(PC_D_TIME_BEFORE_INIT), 1);
}

static void init_is_finished_once(void **state)
{
    (void)state;
    begin_with(PC_S_TID | PC_S_TIME, 0);
    end_of(PC_FINISHED_INIT);
    assert_int_equal(counted(PC_D_FINISHED_INIT_TWICE), 0);
    uint64_t at = put_record(PC_FINISHED_INIT, NULL, 0);
    assert_int_equal(counted(PC_D_FINISHED_INIT_TWICE), 1);
    assert_int_equal(first.offset, at);
    assert_int_equal(first.length, 8);
}

/* Samples from 10 to 20. */
static void sample_time_is_the_range_of_the_samples(void **state)
{
    (void)state;
    static const struct {
        uint64_t first, last;
        enum pc_diag id;
        bool last_differs;
    } rows[] = {
        { 10, 20, PC_NO_DIAG, false },
        { 11, 20, PC_D_SAMPLE_TIME_OUTSIDE, false },
        { 10, 19, PC_D_SAMPLE_TIME_OUTSIDE, true },
        { 9, 20, PC_D_SAMPLE_TIME_WIDER, false },
        { 10, 21, PC_D_SAMPLE_TIME_WIDER, true },
        { 9, 19, PC_D_SAMPLE_TIME_OUTSIDE, true },
        { 0, 0, PC_NO_DIAG, false },   /* perf wrote no range */
        { 21, 20, PC_NO_DIAG, false }, /* which is reported otherwise */
        { 0, 15, PC_D_SAMPLE_TIME_OUTSIDE, true },
        { UINT64_MAX, UINT64_MAX, PC_NO_DIAG, false },
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_with(PC_S_TID | PC_S_TIME, 0);
            uint64_t at = begin_feature(PC_SAMPLE_TIME);
            put(rows[i].first, 8);
            put(rows[i].last, 8);
            end_record();
            sample_at(20);
            sample_at(10);
            assert_int_equal(counted(PC_D_SAMPLE_TIME_OUTSIDE), rows[i].id == PC_D_SAMPLE_TIME_OUTSIDE);
            struct pc_finding outside = first;
            assert_int_equal(counted(PC_D_SAMPLE_TIME_WIDER), rows[i].id == PC_D_SAMPLE_TIME_WIDER);
            if (rows[i].id == PC_D_SAMPLE_TIME_OUTSIDE)
                first = outside;
            if (rows[i].id == PC_NO_DIAG)
                continue;
            assert_int_equal(first.offset, at + (rows[i].last_differs ? 8 : 0));
            assert_int_equal(first.seen.n, rows[i].last_differs ? rows[i].last : rows[i].first);
            assert_int_equal(first.expected.n, rows[i].last_differs ? 20 : 10);
            assert_string_equal(first.path[0].name, rows[i].last_differs ? "last" : "first");
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_time_is_older_than_what_was_released),
    cmocka_unit_test(a_buffer_written_backwards_has_no_order),
    cmocka_unit_test(the_first_time_after_init_is_not_older),
    cmocka_unit_test(a_sample_with_nothing_but_a_time_is_judged),
    cmocka_unit_test(init_is_finished_once),
    cmocka_unit_test(sample_time_is_the_range_of_the_samples),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

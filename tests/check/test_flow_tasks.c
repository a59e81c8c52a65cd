/* SPDX-License-Identifier: MIT
 *
 * Tasks that no record introduces: one finding each, up to a limit, with any number that a task can have.
 */
#include "pc_test.h"
#include "capture_bench.h"

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

/* A COMM introduces its thread even if there was no memory for it. */
static void without_memory_no_thread_is_reported_unknown(void **state)
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
        run_failing(n);
        /* Either it is reported that something could not be stored, or nothing was missed. */
        if (!scan.report.unreadable)
            assert_int_equal(finding(PC_D_THREAD_UNKNOWN)->seen.n, 3);
        assert_true(scan.report.by_id[PC_D_THREAD_UNKNOWN] == !scan.report.unreadable);
        pc_scan_clear(&scan);
    }
}

static uint64_t task(uint32_t type, uint64_t ppid, uint64_t tid, uint64_t time)
{
    return RECORD(type, pair(tid, ppid), pair(tid, ppid), time, 0, 1);
}

static void a_fork_has_a_parent(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin();
        task(PC_FORK, 1, 5, 9);
        task(PC_FORK, 0, 6, 0); /* made up by perf */
        assert_int_equal(counted(PC_D_FORK_PARENT), 0);
        uint64_t at = task(PC_FORK, 0, 7, 9);
        assert_int_equal(counted(PC_D_FORK_PARENT), 1);
        assert_int_equal(first.offset, at + 12);
        sample(5, 7);
        sample(7, 7);
        assert_int_equal(counted(PC_D_THREAD_UNKNOWN), 0);
    }
}

/* Until the first round ends, perf may still list the tasks that were there. */
static void an_exit_is_that_of_a_known_task(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin();
        task(PC_EXIT, 1, 5, 9);
        put_record(PC_FINISHED_ROUND, NULL, 0);
        task(PC_EXIT, 1, 1, 9);
        assert_int_equal(counted(PC_D_EXIT_UNKNOWN), 0);
        uint64_t at = task(PC_EXIT, 1, 6, 9);
        assert_int_equal(counted(PC_D_EXIT_UNKNOWN), 1);
        assert_int_equal(first.offset, at + 16);
        assert_int_equal(first.seen.n, 6);
    }
}

/* Task 0 idles, and perf writes -1 where it does not know the task. Numbers end at PID_MAX_LIMIT. */
static void some_numbers_are_no_tasks(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin();
        sample(0, 7);
        sample(UINT32_MAX, 7);
        expect(PC_D_THREAD_UNKNOWN, 0, 0);
        RECORD(PC_COMM, pair(0, 1 << 22), chars("a"), 0, 1); /* too large to be noted */
        uint64_t at = sample(1 << 22, 7);
        expect(PC_D_THREAD_UNKNOWN, 1, at + 8 + 8 + 8 + 4);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_unknown_thread_is_named_once),
    cmocka_unit_test(the_number_of_reported_unknown_threads_is_limited),
    cmocka_unit_test(an_impossible_thread_number_is_unknown),
    cmocka_unit_test(a_thread_of_any_number_is_known),
    cmocka_unit_test(without_memory_no_thread_is_reported_unknown),
    cmocka_unit_test(a_fork_has_a_parent),
    cmocka_unit_test(an_exit_is_that_of_a_known_task),
    cmocka_unit_test(some_numbers_are_no_tasks),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * States that alternate.
 */
#include "pc_test.h"
#include "capture_bench.h"

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

static uint64_t throttle(uint32_t type, uint64_t stream)
{
    return RECORD(type, 1, 1, stream, 1);
}

static void a_stream_is_throttled_and_released_in_turn(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_IDENTIFIER, 0);
        throttle(PC_THROTTLE, 7);
        throttle(PC_THROTTLE, 8);
        throttle(PC_UNTHROTTLE, 7);
        throttle(PC_THROTTLE, 7);
        assert_int_equal(counted(PC_D_THROTTLE_TWICE), 0);
        uint64_t at = throttle(PC_THROTTLE, 8);
        assert_int_equal(counted(PC_D_THROTTLE_TWICE), 1);
        assert_int_equal(first.offset, at + 24);
        assert_int_equal(first.seen.n, 8);
        throttle(PC_UNTHROTTLE, 7);
        throttle(PC_UNTHROTTLE, 7);
        assert_int_equal(counted(PC_D_THROTTLE_TWICE), 2);
        in.len -= 80;
        RECORD(PC_LOST, 0, 1, 1);
        throttle(PC_THROTTLE, 7); /* its UNTHROTTLE may be among the lost ones */
        assert_int_equal(counted(PC_D_THROTTLE_TWICE), 1);
        throttle(PC_THROTTLE, 7);
        assert_int_equal(counted(PC_D_THROTTLE_TWICE), 2);
    }
}

static uint64_t in_or_out(bool out, uint64_t tid, uint64_t cpu)
{
    return RECORD(MISC(out ? 0x2000 : 0) | PC_SWITCH, pair(1, tid), pair(cpu, 0));
}

static void a_task_is_switched_in_once_on_each_cpu(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID | PC_S_CPU, 0);
        in_or_out(false, 3, 0);
        in_or_out(false, 3, 1);
        in_or_out(false, 4, 0);
        in_or_out(true, 3, 0);
        in_or_out(true, 3, 0); /* twice out is usual: a task may be woken elsewhere */
        in_or_out(false, 3, 0);
        assert_int_equal(counted(PC_D_SWITCH_IN_TWICE), 0);
        uint64_t at = in_or_out(false, 4, 0);
        assert_int_equal(counted(PC_D_SWITCH_IN_TWICE), 1);
        assert_int_equal(first.offset, at + 4);
        assert_int_equal(first.length, 2);
        /* SWITCH_CPU_WIDE names the other task: only the CPU counts */
        RECORD(PC_SWITCH_CPU_WIDE, pair(1, 5), pair(1, 5), pair(2, 0));
        assert_int_equal(counted(PC_D_SWITCH_IN_TWICE), 1);
        RECORD(PC_SWITCH_CPU_WIDE, pair(1, 6), pair(1, 6), pair(2, 0));
        assert_int_equal(counted(PC_D_SWITCH_IN_TWICE), 2);
    }
}

static void without_a_task_or_a_cpu_nothing_is_judged(void **state)
{
    (void)state;
    static const uint64_t sample_types[] = { PC_S_TID, PC_S_CPU };
    for (size_t i = 0; i < PC_COUNT_OF(sample_types); i++) {
        begin_with(sample_types[i], 0);
        RECORD(PC_SWITCH, pair(1, 0));
        RECORD(PC_SWITCH, pair(1, 0));
        assert_int_equal(counted(PC_D_SWITCH_IN_TWICE), 0);
    }
    begin_with(PC_S_TID | PC_S_CPU, 0);
    for (int i = 0; i < 2; i++)
        in_or_out(false, 3, 1 << 20); /* more CPUs than Linux can have */
    assert_int_equal(counted(PC_D_SWITCH_IN_TWICE), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_number_of_followed_states_is_limited),
    cmocka_unit_test(a_stream_is_throttled_and_released_in_turn),
    cmocka_unit_test(a_task_is_switched_in_once_on_each_cpu),
    cmocka_unit_test(without_a_task_or_a_cpu_nothing_is_judged),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

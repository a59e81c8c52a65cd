/* SPDX-License-Identifier: MIT
 *
 * Counts of perf stat: their times do not become less from one round to the next.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void begin_counts(void)
{
    begin_with(PC_S_TID, 0);
    RECORD(PC_STAT_CONFIG, 1, 0, 0);
}

static uint64_t count(uint64_t cpu, uint64_t thread, uint64_t enabled, uint64_t running)
{
    return RECORD(PC_STAT, 1, pair(cpu, thread), 5, enabled, running);
}

static void end_round(void)
{
    RECORD(PC_STAT_ROUND, 0, 1);
}

/* The first round has 10 and 8 ns. */
static void times_of_a_count_grow(void **state)
{
    (void)state;
    static const struct {
        uint64_t enabled, running;
        enum pc_diag id;
        uint64_t at;
    } rows[] = {
        { 10, 8, PC_NO_DIAG, 0 },           { 12, 10, PC_NO_DIAG, 0 },
        { 9, 8, PC_D_STAT_LESS, 32 },       { 10, 7, PC_D_STAT_LESS, 40 },
        { 12, 11, PC_D_STAT_RUN_MORE, 40 }, { 12, 13, PC_NO_DIAG, 0 }, /* which STAT_RUN is about */
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_counts();
            count(0, 0, 10, 8);
            end_round();
            uint64_t at = count(0, 0, rows[i].enabled, rows[i].running);
            expect(PC_D_STAT_LESS, rows[i].id == PC_D_STAT_LESS, at + rows[i].at);
            expect(PC_D_STAT_RUN_MORE, rows[i].id == PC_D_STAT_RUN_MORE, at + rows[i].at);
        }
    }
}

static void each_cpu_and_thread_has_counts_of_its_own(void **state)
{
    (void)state;
    begin_counts();
    count(0, 0, 10, 8);
    end_round();
    count(1, 0, 1, 1);
    count(0, 1, 1, 1);
    expect(PC_D_STAT_LESS, 0, 0);
    end_round();
    uint64_t at = count(0, 0, 9, 8); /* also after a round without it */
    expect(PC_D_STAT_LESS, 1, at + 32);
    assert_int_equal(first.seen.n, 9);
    assert_int_equal(first.expected.n, 10);
}

/* Twice in one round: both are compared with the round before. */
static void counts_of_one_round_are_not_compared(void **state)
{
    (void)state;
    begin_counts();
    count(0, 0, 10, 8);
    count(0, 0, 5, 5);
    expect(PC_D_STAT_LESS, 0, 0);
    end_round();
    count(0, 0, 5, 5);
    expect(PC_D_STAT_LESS, 0, 0);
    uint64_t at = count(0, 0, 4, 4);
    expect(PC_D_STAT_LESS, 1, at + 32);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(times_of_a_count_grow),
    cmocka_unit_test(each_cpu_and_thread_has_counts_of_its_own),
    cmocka_unit_test(counts_of_one_round_are_not_compared),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

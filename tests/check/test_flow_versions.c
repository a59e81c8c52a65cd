/* SPDX-License-Identifier: MIT
 *
 * What a version of perf cannot read by what came before.
 */
#include "pc_test.h"
#include "capture_bench.h"

static int ask_for_all(void **state)
{
    (void)state;
    asked_for = PC_BY_ALL;
    return 0;
}

static int ask_for_none(void **state)
{
    (void)state;
    asked_for = PC_BY_NONE;
    return 0;
}

static void a_sample_in_a_pipe_is_reported_once(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    uint64_t at = RECORD(USER | PC_SAMPLE, pair(1, 1));
    RECORD(USER | PC_SAMPLE, pair(1, 1));
    expect(PC_D_FOR_PIPE_SAMPLE, 1, at);
    assert_string_equal(first.expected.text, "perf 5.10");
    asked_for = PC_BY_FROM_6_1;
    expect(PC_D_FOR_PIPE_SAMPLE, 0, 0);
}

/* perf 6.12 does not find what is left of a kernel that begins at 0. */
static void modules_come_after_a_kernel_from_zero(void **state)
{
    (void)state;
    for (uint64_t from = 0; from < 2; from++) {
        begin_with(PC_S_TID, 0);
        RECORD(MISC(1) | PC_MMAP, pair(UINT32_MAX, 0), from * 4096, 4096, 0, chars("kernel"), pair(0, 0));
        uint64_t at = RECORD(MISC(1) | PC_MMAP, pair(UINT32_MAX, 0), 8192, 4096, 0, chars("mod"), pair(0, 0));
        expect(PC_D_FOR_KERNEL_MAP, from == 0, at + 16);
    }
}

/* Whatever comes first, the clock or a record with a time. */
static void arm_spe_has_a_clock(void **state)
{
    (void)state;
    for (unsigned clock = 0; clock < 2; clock++) {
        begin_with(PC_S_TIME, 0);
        if (clock)
            RECORD(PC_TIME_CONV, 0, 1, 0);
        uint64_t at = RECORD(PC_AUXTRACE_INFO, pair(4, 0), 0, 0);
        expect(PC_D_FOR_SPE_CLOCK, 0, 0);
        RECORD(PC_COMM, 0, chars("a"), 5);
        expect(PC_D_FOR_SPE_CLOCK, clock ? 0 : 3, at);
    }
}

/* perf up to 6.12 swaps a READ of a file as if it had all values, and with it what follows. */
static void a_short_read_swallows_the_header_after_it(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (unsigned is_short = 0; is_short < 2; is_short++) {
            begin_file(0, 0);
            if (is_short)
                RECORD(PC_READ, pair(1, 1), 1);
            else
                RECORD(PC_READ, pair(1, 1), 1, 1, 1, 1);
            uint64_t at = RECORD(PC_COMM, pair(1, 1), chars("a"));
            RECORD(PC_COMM, pair(1, 1), chars("a"));
            end_file();
            expect(PC_D_FOR_ORDER_READ, is_short && in.order == PC_BIG ? 3 : 0, at);
        }
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, ask_for_all, ask_for_none)

static const struct CMUnitTest tests[] = {
    TEST(a_sample_in_a_pipe_is_reported_once),
    TEST(modules_come_after_a_kernel_from_zero),
    TEST(arm_spe_has_a_clock),
    TEST(a_short_read_swallows_the_header_after_it),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

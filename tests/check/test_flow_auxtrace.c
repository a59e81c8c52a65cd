/* SPDX-License-Identifier: MIT
 *
 * AUX traces: what comes before them, and the numbers that their decoders divide by.
 */
#include "pc_test.h"
#include "capture_bench.h"

/* INTEL_PT and INTEL_BTS: type, then the PMU, time_shift, time_mult, time_zero, cap_user_time_zero, and more.
 */
static uint64_t info(uint64_t type, uint64_t mult, uint64_t cap)
{
    return RECORD(PC_AUXTRACE_INFO, pair(type, 0), 1, 0, mult, 0, cap, 0, 0, 0, 0, 0);
}

static void the_lower_half_of_time_mult_divides(void **state)
{
    (void)state;
    static const struct {
        uint64_t type, mult, cap;
        bool said;
    } rows[] = {
        { 1, 1, 1, false },
        { 1, (uint64_t)1 << 32, 1, true },
        { 1, 0, 1, true },
        { 1, 0, 0, false }, /* Intel PT does without a clock */
        { 1, (uint64_t)1 << 32, 0, true },
        { 2, 1, 0, false },
        { 2, 0, 0, true }, /* Intel BTS does not */
        { 6, 0, 0, false },
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_with(PC_S_TID, 0);
            uint64_t at = info(rows[i].type, rows[i].mult, rows[i].cap);
            expect(PC_D_AUXTRACE_CLOCK, rows[i].said, at + 32);
        }
    }
}

/* TIME_CONV: time_shift, time_mult, time_zero. */
static void arm_spe_divides_by_that_of_time_conv(void **state)
{
    (void)state;
    for (uint64_t mult = 0; mult < 2; mult++) {
        begin_with(PC_S_TID, 0);
        uint64_t at = RECORD(PC_TIME_CONV, 0, mult | (uint64_t)1 << 32, 0);
        RECORD(PC_AUXTRACE_INFO, pair(4, 0), 1, 0);
        expect(PC_D_AUXTRACE_CLOCK, mult == 0, at + 16);
    }
}

static void types_of_traces_are_1_to_7(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (uint64_t type = 0; type < 9; type++) {
            begin_with(PC_S_TID, 0);
            uint64_t at = info(type, 1, 1);
            expect(PC_D_AUXTRACE_TYPE, type == 0 || type == 8, at + 8);
        }
    }
}

static void vpa_dtl_looks_for_the_name_of_an_event(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    RECORD(PC_AUXTRACE_INFO, pair(6, 0), 1);
    expect(PC_D_AUXTRACE_NAMES, 0, 0);
    uint64_t at = RECORD(PC_AUXTRACE_INFO, pair(7, 0), 1);
    expect(PC_D_AUXTRACE_NAMES, 1, at + 8);
    begin_with(PC_S_TID, 0);
    RECORD(PC_EVENT_UPDATE, 2, 1, chars("vpa")); /* NAME */
    RECORD(PC_AUXTRACE_INFO, pair(7, 0), 1);
    expect(PC_D_AUXTRACE_NAMES, 0, 0);
}

static void an_info_comes_before_each_trace(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    uint64_t at = RECORD(PC_AUXTRACE, 0, 0, 0, 0, 0);
    expect(PC_D_AUXTRACE_WITHOUT_INFO, 1, at);
    at = info(1, 1, 1);
    RECORD(PC_AUXTRACE, 0, 0, 0, 0, 0);
    expect(PC_D_AUXTRACE_WITHOUT_INFO, 1, at - 48);
    expect(PC_D_AUXTRACE_INFO_TWICE, 0, 0);
    at = info(1, 1, 1);
    expect(PC_D_AUXTRACE_INFO_TWICE, 1, at);
    expect(PC_D_AUXTRACE_INDEX_MISSING, 0, 0); /* a pipe has none */
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_lower_half_of_time_mult_divides),
    cmocka_unit_test(arm_spe_divides_by_that_of_time_conv),
    cmocka_unit_test(types_of_traces_are_1_to_7),
    cmocka_unit_test(vpa_dtl_looks_for_the_name_of_an_event),
    cmocka_unit_test(an_info_comes_before_each_trace),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * What simpleperf does not read, when --for names it, and that no perf is meant.
 */
#include "pc_test.h"
#include "capture_bench.h"

static int ask_for_simpleperf(void **state)
{
    (void)state;
    asked_for = PC_BY_SIMPLEPERF;
    return 0;
}

static int ask_for_none(void **state)
{
    (void)state;
    asked_for = PC_BY_NONE;
    return 0;
}

/* Findings of the rules about simpleperf, of those of these ids. */
static uint64_t found(enum pc_diag from, enum pc_diag to)
{
    uint64_t nr = 0;
    for (unsigned id = from; id <= (unsigned)to; id++)
        nr += scan.report.by_id[id];
    return nr;
}

static void a_pipe_is_said_once_and_nothing_else(void **state)
{
    (void)state;
    begin();
    RECORD(PC_AUXTRACE_INFO, pair(PC_TRACE_INTEL_PT, 0), 0);
    run();
    assert_int_equal(found(PC_D_FOR_SIMPLEPERF_CONTAINER, PC_D_FOR_SIMPLEPERF_EVENT_NAMES), 1);
    assert_int_equal(scan.report.by_id[PC_D_FOR_SIMPLEPERF_CONTAINER], 1);
    assert_string_equal(finding(PC_D_FOR_SIMPLEPERF_CONTAINER)->seen.text, "a pipe");
    assert_string_equal(finding(PC_D_FOR_SIMPLEPERF_CONTAINER)->expected.text, "simpleperf");
    pc_scan_clear(&scan);
    in.order = PC_BIG;
    begin_file(PC_S_TID, 0);
    end_file();
    expect(PC_D_FOR_SIMPLEPERF_CONTAINER, 1, 0);
    in.order = PC_LITTLE;
}

/* All that a perf does not read is asked for other readers alone, and the other way round. */
static void each_reader_is_told_of_its_own(void **state)
{
    (void)state;
    static const enum pc_versions readers[] = { PC_BY_NONE, PC_BY_ALL, PC_BY_SIMPLEPERF };
    for (size_t i = 0; i < PC_COUNT_OF(readers); i++) {
        asked_for = readers[i];
        begin_file(PC_S_TID, 0);
        uint64_t info = RECORD(PC_AUXTRACE_INFO, pair(PC_TRACE_VPA_DTL, 0), 8);
        RECORD(PC_EVENT_ID, 0);
        end_file();
        run();
        bool simpleperf = readers[i] == PC_BY_SIMPLEPERF;
        assert_int_equal(found(PC_D_FOR_ATTR_SIZE, PC_D_FOR_AUXTRACE_INDEX) != 0, readers[i] == PC_BY_ALL);
        assert_int_equal(found(PC_D_FOR_SIMPLEPERF_CONTAINER, PC_D_FOR_SIMPLEPERF_EVENT_NAMES), simpleperf);
        if (simpleperf)
            assert_int_equal(finding(PC_D_FOR_SIMPLEPERF_AUXTRACE)->offset, info + 8);
        pc_scan_clear(&scan);
    }
    asked_for = PC_BY_SIMPLEPERF;
}

static void a_name_takes_the_fewest_words(void **state)
{
    (void)state;
    for (unsigned words = 1; words <= 3; words++) {
        for (size_t len = 0; len < 8 * words; len++) {
            char text[24] = "";
            memset(text, 'x', len);
            begin_file(PC_S_TID, PC_FLAG_SAMPLE_ID_ALL);
            uint64_t at = begin_record(PC_COMM);
            put(pair(1, 1), 8);
            put_text(text, 8 * words);
            put(pair(1, 1), 8);
            end_record();
            end_file();
            bool wrong = len + 1 <= 8 * (words - 1);
            expect(PC_D_FOR_SIMPLEPERF_NAME, wrong, wrong ? at + 16 : 0);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_pipe_is_said_once_and_nothing_else),
    cmocka_unit_test(each_reader_is_told_of_its_own),
    cmocka_unit_test(a_name_takes_the_fewest_words),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), ask_for_simpleperf, ask_for_none };

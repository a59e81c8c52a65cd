/* SPDX-License-Identifier: MIT
 *
 * What a capture has once, and has to have.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void some_records_come_once(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        RECORD(PC_AUXTRACE_INFO, pair(1, 0), 0, 0, 0, 0);
        expect(PC_D_AUXTRACE_INFO_TWICE, 0, 0);
        uint64_t at = RECORD(PC_AUXTRACE_INFO, pair(1, 0), 0, 0, 0, 0);
        expect(PC_D_AUXTRACE_INFO_TWICE, 1, at);
        begin_with(PC_S_TID, 0);
        RECORD(PC_HEADER_TRACING_DATA, 0);
        expect(PC_D_TRACING_DATA_TWICE, 0, 0);
        at = RECORD(PC_HEADER_TRACING_DATA, 0);
        expect(PC_D_TRACING_DATA_TWICE, 1, at);
    }
}

static void a_pipe_has_attrs_names_and_an_end_of_its_features(void **state)
{
    (void)state;
    begin_empty();
    expect(PC_D_ATTRS_NONE, 1, 16);
    expect(PC_D_EVENT_NAMES_MISSING, 0, 0);
    put_attr(PC_S_TID, 0);
    expect(PC_D_ATTRS_NONE, 0, 0);
    expect(PC_D_EVENT_NAMES_MISSING, 1, in.len);
    expect(PC_D_NRCPUS_MISSING, 1, 0);
    expect(PC_D_END_MARK_MISSING, 0, 0);
    RECORD(PC_EVENT_UPDATE, 2, 1, chars("cycles")); /* NAME */
    expect(PC_D_EVENT_NAMES_MISSING, 0, 0);
    begin_feature(PC_NRCPUS);
    put(1, 4);
    put(1, 4);
    end_record();
    expect(PC_D_NRCPUS_MISSING, 0, 0);
    expect(PC_D_END_MARK_MISSING, 1, in.len);
    begin_feature(PC_FEATURES);
    end_record();
    expect(PC_D_END_MARK_MISSING, 0, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(some_records_come_once),
    cmocka_unit_test(a_pipe_has_attrs_names_and_an_end_of_its_features),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

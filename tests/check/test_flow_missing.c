/* SPDX-License-Identifier: MIT
 *
 * What a capture has to have.
 */
#include "pc_test.h"
#include "capture_bench.h"

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
    cmocka_unit_test(a_pipe_has_attrs_names_and_an_end_of_its_features),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

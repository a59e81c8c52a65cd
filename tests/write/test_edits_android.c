/* SPDX-License-Identifier: MIT
 *
 * What a copy for perf has of a capture of simpleperf: trace data in pieces, and what is refused.
 */
#include "edits_bench.h"

#define ATTR(type)                                                                                           \
    "attr size=120 type=" type                                                                               \
    " config=47 sample_period=1000 sample_type=IP|TID|TIME|RAW flags=disabled ids=11\n"
#define SAMPLE "record SAMPLE misc=USER ; u64 0x400123 ; u32 100 100 ; u64 1000 ; u32 4 0 ; end\n"
#define META   "feature META_INFO ; text \"a\\0b\\0\" ; end\n"

static enum pc_rewritten copy(const char *front, const char *data)
{
    return copy_recipe(PC_BY_7_2, PC_TO_FILE, "little", front, data, out_path);
}

static void a_split_record_without_trace_data_is_left_out(void **state)
{
    (void)state;
    if (copy(ATTR("1"),
             "record SPLIT ; u32 32769 ; u16 0 20 ; end\nrecord SPLIT ; u32 4 ; u64 0 ; end\nrecord "
             "SPLIT_END ; end\n" SAMPLE) != PC_WRITTEN)
        fail_msg("%s", said);
    assert_true(said_edit(PC_EDIT_ANDROID));
    assert_false(said_edit(PC_EDIT_ANDROID_TRACE));
}

static void a_payload_needs_its_trace_data(void **state)
{
    (void)state;
    if (copy(ATTR("2"), SAMPLE META) != PC_REFUSED ||
        !strstr(said, "a tracepoint without trace data, which no perf reads"))
        fail_msg("%s", said);
    assert_int_equal(copy(ATTR("1"), SAMPLE META), PC_WRITTEN);
}

static void no_trace_data_are_made_for_the_id_0(void **state)
{
    (void)state;
    for (int id = 0; id < 2; id++) {
        char attr[200];
        snprintf(
            attr, sizeof(attr),
            "attr size=120 type=2 config=%d sample_period=1000 sample_type=IP|TID flags=disabled ids=11\n",
            id);
        assert_int_equal(copy(attr, "record SAMPLE misc=USER ; u64 0x400123 ; u32 100 100 ; end\n" META),
                         id == 0 ? PC_REFUSED : PC_WRITTEN);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_split_record_without_trace_data_is_left_out),
    cmocka_unit_test(a_payload_needs_its_trace_data),
    cmocka_unit_test(no_trace_data_are_made_for_the_id_0),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, scratch_tear_down };

/* SPDX-License-Identifier: MIT
 *
 * Ids of events in records of simpleperf: when a copy for perf has them with the attrs, and when it is
 * refused.
 */
#include "edits_bench.h"

#define LAYOUT "sample_period=1000 sample_type=IP|TID|TIME|ID flags=disabled|sample_id_all "
#define FRONT                                                                                                \
    "attr size=120 type=1 config=0 " LAYOUT "ids=11\nattr size=120 type=1 config=1 " LAYOUT "ids=12\n"
#define SAMPLE(id) "record SAMPLE misc=USER ; u64 0x400123 ; u32 100 100 ; u64 1000 " id " ; end\n"
#define IDS(pairs) "record EVENT_ID ; " pairs " ; end\n"

static enum pc_rewritten copy(enum pc_container_choice to, const char *front, const char *data)
{
    return copy_recipe(PC_BY_7_2, to, "big", front, data, out_path);
}

static void assert_copied(const char *data, bool joined)
{
    for (enum pc_container_choice to = PC_TO_FILE; to <= PC_TO_PIPE; to++) {
        if (copy(to, FRONT, data) != PC_WRITTEN)
            fail_msg("%s", said);
        assert_int_equal(said_edit(PC_EDIT_ANDROID_IDS), joined);
    }
}

static void assert_refused(const char *front, const char *data, const char *why)
{
    if (copy(PC_TO_FILE, front, data) != PC_REFUSED || !strstr(said, why))
        fail_msg("%s", said);
}

static void ids_join_those_of_the_attrs(void **state)
{
    (void)state;
    assert_copied(IDS("u64 2 1 77 1 78") SAMPLE("77") IDS("u64 1 0 79") SAMPLE("79") SAMPLE("78"), true);
    assert_copied(IDS("u64 1 1 77") IDS("u64 1 1 77") SAMPLE("12"), true);
}

static void ids_that_are_known_are_only_left_out(void **state)
{
    (void)state;
    assert_copied(IDS("u64 2 1 12 0 11") SAMPLE("12"), false);
    assert_copied(IDS("u64 0") SAMPLE("12"), false);
    assert_copied(IDS("u64 1 0 0") SAMPLE("11"), false); /* it is the first event's */
}

static void an_id_of_two_events_has_no_place(void **state)
{
    (void)state;
    assert_refused(FRONT, IDS("u64 1 1 11") SAMPLE("12"), "PC1320");
    assert_refused(FRONT, IDS("u64 1 1 77") IDS("u64 1 0 77") SAMPLE("12"), "PC1320");
    assert_refused(FRONT, IDS("u64 1 1 0") SAMPLE("12"), "PC1320");
}

static void names_in_event_desc_have_their_own_ids(void **state)
{
    (void)state;
    const char *names =
        "feature EVENT_DESC ; u32 2 120 ; event \"a\" copy=attr0 ; event \"b\" copy=attr1 ; end\n";
    char data[1024];
    snprintf(data, sizeof(data), "%s%s", IDS("u64 1 1 77") SAMPLE("12"), names);
    assert_refused(FRONT, data, "PC1301 more ids than EVENT_DESC has");
    snprintf(data, sizeof(data), "%s%s", IDS("u64 1 1 12") SAMPLE("12"), names);
    assert_int_equal(copy(PC_TO_FILE, FRONT, data), PC_WRITTEN);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(ids_join_those_of_the_attrs),
    cmocka_unit_test(ids_that_are_known_are_only_left_out),
    cmocka_unit_test(an_id_of_two_events_has_no_place),
    cmocka_unit_test(names_in_event_desc_have_their_own_ids),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, scratch_tear_down };

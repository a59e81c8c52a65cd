/* SPDX-License-Identifier: MIT
 *
 * Options whose values are lists of names: where a name ends, and what is said of one that is wrong.
 */
#include "options_bench.h"

static void a_wrong_name_is_refused_with_what_was_meant(void **state)
{
    (void)state;
    static const struct refused rows[] = {
        { "require", "header:ACRH",
          "'require' takes header: with the name of a feature, not header:ACRH; did you mean header:ARCH?" },
        { "require", "sampels",
          "'require' takes samples, callchains, branch-stacks, timestamps, cpu, build-ids, header:FEATURE, "
          "event:NAME or arch:NAME, not sampels; did you mean samples?" },
        { "require", "time-stamps",
          "'require' takes samples, callchains, branch-stacks, timestamps, cpu, build-ids, header:FEATURE, "
          "event:NAME or arch:NAME, not time-stamps; did you mean timestamps?" },
        { "drop", "sample", "'drop' takes record:TYPE, feature:NAME, payload:EVENT or kcore, not sample" },
        { "drop", "kcore,sample",
          "'drop' takes record:TYPE, feature:NAME, payload:EVENT or kcore, not sample" },
        { "drop", "record:", "'drop' takes record:TYPE, feature:NAME, payload:EVENT or kcore, not record:" },
        { "drop", "kcroe",
          "'drop' takes record:TYPE, feature:NAME, payload:EVENT or kcore, not kcroe; did you mean kcore?" },
        { "drop", "record:MMAPP", "'drop' knows no type of record MMAPP; did you mean record:MMAP?" },
        { "drop", "record:no-such-type", "'drop' knows no type of record no-such-type" },
        { "drop", "feature:META_INF", "'drop' knows no feature META_INF; did you mean feature:META_INFO?" },
        { "drop", "feature:HOSTNAM", "'drop' knows no feature HOSTNAM; did you mean feature:HOSTNAME?" },
    };
    assert_refused(rows, PC_COUNT_OF(rows));
}

/* Names of events may hold commas: a payload ends where another kind begins. */
static void a_list_of_names_to_drop_is_cut_at_its_kinds(void **state)
{
    (void)state;
    static const char *const names[] = { "record:AUX", "payload:sys:a,b", "kcore", "feature:ARCH",
                                         "payload:c" };
    assert_true(set("drop", "record:AUX,payload:sys:a,b,kcore,feature:ARCH"));
    assert_true(set("drop", "payload:c"));
    assert_int_equal(options.rewrite.drops.nr, PC_COUNT_OF(names));
    for (size_t i = 0; i < PC_COUNT_OF(names); i++)
        assert_string_equal(options.rewrite.drops.name[i], names[i]);
}

static void there_is_room_for_256_names(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PC_LOSSES_MAX; i++)
        assert_true(set("drop", "kcore"));
    assert_false(set("drop", "kcore"));
    assert_string_equal(why.text, "'drop' takes 256 names, not also kcore");
}

static const struct CMUnitTest tests[] = {
    TEST(a_wrong_name_is_refused_with_what_was_meant),
    TEST(a_list_of_names_to_drop_is_cut_at_its_kinds),
    TEST(there_is_room_for_256_names),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

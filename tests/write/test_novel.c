/* SPDX-License-Identifier: MIT
 *
 * A finding that only the copy has is named, unless it belongs to the container.
 */
#include "pc_test.h"
#include "write/novel.h"

static struct pc_found original, copy;

static enum pc_diag novel(bool from_pipe, bool to_pipe, enum pc_diag had, enum pc_diag has)
{
    original = (struct pc_found){ .pipe = from_pipe };
    copy = (struct pc_found){ .pipe = to_pipe };
    if (had != PC_NO_DIAG)
        original.by_id[had] = 1;
    copy.by_id[has] = 2;
    return pc_find_novel(&original, &copy);
}

static void what_only_the_copy_has_is_named(void **state)
{
    (void)state;
    assert_int_equal(novel(false, false, PC_D_RESERVED, PC_D_RESERVED), PC_NO_DIAG);
    assert_int_equal(novel(false, false, PC_NO_DIAG, PC_D_RESERVED), PC_D_RESERVED);
    assert_int_equal(novel(false, true, PC_NO_DIAG, PC_D_EVENT_NAMES_MISSING), PC_NO_DIAG);
    assert_int_equal(novel(true, true, PC_NO_DIAG, PC_D_EVENT_NAMES_MISSING), PC_D_EVENT_NAMES_MISSING);
    assert_int_equal(novel(true, false, PC_NO_DIAG, PC_D_EVENT_NAMES_MISSING), PC_D_EVENT_NAMES_MISSING);
    assert_int_equal(novel(false, true, PC_NO_DIAG, PC_D_FEATURE_UNKNOWN_RECORD),
                     PC_D_FEATURE_UNKNOWN_RECORD);
    assert_int_equal(novel(false, true, PC_D_FEATURE_UNKNOWN, PC_D_FEATURE_UNKNOWN_RECORD), PC_NO_DIAG);
    assert_int_equal(novel(false, false, PC_NO_DIAG, PC_D_HOSTNAME_CLEAR), PC_NO_DIAG);
}

/* What a rule that needs all records says of the copy, it may not have been able to say of the original. */
static void rules_may_begin_to_judge(void **state)
{
    (void)state;
    assert_int_equal(novel(false, false, PC_NO_DIAG, PC_D_IP_UNMAPPED), PC_NO_DIAG);
    original.complete = true;
    assert_int_equal(pc_find_novel(&original, &copy), PC_D_IP_UNMAPPED);
}

/* An index is no number of the map, which is a warning of later perfs. */
static void only_an_edit_makes_indices(void **state)
{
    (void)state;
    assert_int_equal(novel(false, false, PC_NO_DIAG, PC_D_STAT_CPU), PC_D_STAT_CPU);
    original.edited = true;
    assert_int_equal(pc_find_novel(&original, &copy), PC_NO_DIAG);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_only_the_copy_has_is_named),
    cmocka_unit_test(rules_may_begin_to_judge),
    cmocka_unit_test(only_an_edit_makes_indices),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

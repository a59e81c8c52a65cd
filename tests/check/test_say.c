/* SPDX-License-Identifier: MIT
 *
 * Findings about the current item: where they are placed, and the path of a leaf.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "check/flow_rule.h"

static void bytes_after_the_last_field_are_named_by_their_record(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        uint64_t at = RECORD(PC_ITRACE_START, pair(1, 1), 0, 0, pair(1, 1));
        expect(PC_D_RECORD_EXCESS, 1, at + 16);
        assert_int_equal(first.length, 16);
        assert_int_equal(first.seen.n, 16);
        assert_string_equal(first.subject, "ITRACE_START");
        assert_int_equal(first.number, 1);
        begin_with(PC_S_TID, 0);
        at = RECORD(PC_FINISHED_ROUND, 0); /* the size as a whole is judged */
        expect(PC_D_FINISHED_SIZE, 1, at + 6);
        assert_int_equal(first.seen.n, 16);
        assert_int_equal(first.expected.n, 8);
        begin_with(PC_S_TID, 0);
        begin_record(USER | PC_SAMPLE);
        put(1, 4);
        put(1, 4);
        put(0, 4);
        at = end_record();
        put_record(PC_FINISHED_ROUND, NULL, 0);
        put_record(PC_FINISHED_ROUND, NULL, 0);
        expect(PC_D_SAMPLE_TAIL, 1, at + 16); /* less than a word */
        assert_int_equal(first.length, 4);
    }
}

/* THREAD_MAP: nr, then a pid and a name of 16 bytes for each. */
static void a_leaf_has_the_path_of_its_array(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        begin_record(PC_THREAD_MAP);
        put(2, 8);
        put(1, 8);
        put_text("one", 16);
        put(2, 8);
        put_text("two456789abcdefg", 16);
        uint64_t at = end_record();
        expect(PC_D_THREAD_MAP_COMM, 1, at + 8 + 8 + 24 + 8);
        assert_int_equal(first.depth, 2);
        assert_string_equal(first.path[0].name, "entries");
        assert_int_equal(first.path[0].index, 1);
        assert_string_equal(first.path[1].name, "comm");
        assert_int_equal(first.path[1].index, PC_NO_INDEX);
        assert_int_equal(first.length, 16);
    }
}

/* About an attr from anywhere: the offset of its member, and its number. */
static void a_member_of_an_attr_is_found_by_its_number(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        struct pc_value none = { 0 };
        begin_with(PC_S_TID, 0);
        put_attr(PC_S_TID, 0);
        run();
        pc_flow_say_attr(&scan.check.flow, PC_D_WEIGHT_TWICE, 1, PC_ATTR_READ_FORMAT, pc_hex_value(5), none);
        const struct pc_finding *f = finding(PC_D_WEIGHT_TWICE);
        assert_int_equal(f->place, PC_IN_ATTR);
        assert_int_equal(f->number, 1);
        assert_int_equal(f->offset, 16 + 80 + 8 + 32);
        assert_int_equal(f->length, 8);
        assert_string_equal(f->path[0].name, "read_format");
        pc_scan_clear(&scan);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bytes_after_the_last_field_are_named_by_their_record),
    cmocka_unit_test(a_leaf_has_the_path_of_its_array),
    cmocka_unit_test(a_member_of_an_attr_is_found_by_its_number),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

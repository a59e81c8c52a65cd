/* SPDX-License-Identifier: MIT
 *
 * All attrs of a capture together.
 */
#include "pc_test.h"
#include "capture_bench.h"

/* Returns where the attr begins. */
static uint64_t another(uint64_t sample_type, uint64_t read_format)
{
    uint64_t at = put_attr(sample_type, 0) + 8;
    put_at(at + 32, read_format, 8);
    return at;
}

static void attrs_have_the_same_sample_id_all_and_a_common_id(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_empty();
        another(PC_S_TID | PC_S_ID, 0);
        another(PC_S_TID | PC_S_ID, 0);
        size_t before = in.len;
        expect(PC_D_SAMPLE_ID_ALL_DIFFERS, 0, 0);
        expect(PC_D_NO_COMMON_ID, 0, 0);
        uint64_t at = another(PC_S_TID | PC_S_ID, 0);
        put_at(at + 40, 0, 8); /* flags */
        expect(PC_D_SAMPLE_ID_ALL_DIFFERS, 1, at + 40);
        assert_int_equal(first.number, 2);
        assert_int_equal(first.seen.n, 0);
        assert_int_equal(first.expected.n, 1);
        in.len = before;
        at = another(PC_S_TID, 0);
        expect(PC_D_NO_COMMON_ID, 1, at + 24);
    }
}

/* Most attrs are right: which have no id, or have it elsewhere, are told. */
static void attrs_that_differ_from_most_are_told(void **state)
{
    (void)state;
    begin_empty();
    uint64_t at = another(PC_S_TID, 0);
    another(PC_S_TID | PC_S_ID, 0);
    another(PC_S_TID | PC_S_ID, 0);
    expect(PC_D_NO_COMMON_ID, 1, at + 24);
    assert_int_equal(first.number, 0);
    another(PC_S_TID | PC_S_TIME | PC_S_ID, 0);
    expect(PC_D_NO_COMMON_ID, 2, at + 24);
    begin_empty();
    at = another(0, 0);
    another(PC_S_TID | PC_S_ID, 0);
    expect(PC_D_NO_COMMON_ID, 1, at + 24);
    begin_empty();
    another(PC_S_TID | PC_S_ID, 0);
    at = another(PC_S_TID | PC_S_IDENTIFIER, 0);
    expect(PC_D_NO_COMMON_ID, 1, at + 24);
    begin_empty();
    another(PC_S_TID, 0);
    at = another(PC_S_TID, 0);
    expect(PC_D_NO_COMMON_ID, 1, at + 24);
}

static void values_that_are_read_have_ids(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_empty();
        another(PC_S_TID | PC_S_ID, 0);
        size_t before = in.len;
        uint64_t at = another(PC_S_TID | PC_S_ID | PC_S_READ, 0);
        expect(PC_D_READ_WITHOUT_ID, 1, at + 32);
        expect(PC_D_READ_WITHOUT_ID_FIRST, 0, 0);
        in.len = before;
        another(PC_S_TID | PC_S_ID | PC_S_READ, PC_READ_ID);
        expect(PC_D_READ_WITHOUT_ID, 0, 0);
        begin_empty();
        at = another(PC_S_TID | PC_S_ID | PC_S_READ, 0);
        expect(PC_D_READ_WITHOUT_ID_FIRST, 1, at + 32);
        /* perf stat compares them for samples alone. */
        RECORD(PC_STAT_ROUND, 0, 0);
        expect(PC_D_READ_WITHOUT_ID_FIRST, 0, 0);
        expect(PC_D_READ_WITHOUT_ID, 0, 0);
        RECORD(USER | PC_SAMPLE, pair(1, 1), 1, 0);
        expect(PC_D_READ_WITHOUT_ID, 1, at + 32);
    }
}

static void a_tracepoint_is_described(void **state)
{
    (void)state;
    for (uint64_t type = 2; type < 4; type++) {
        begin_empty();
        uint64_t at = another(PC_S_TID, 0);
        put_at(at, type, 4);
        expect(PC_D_TRACEPOINT_WITHOUT_DATA, type == 2, at);
    }
}

static void attrs_come_before_samples(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_empty();
        another(PC_S_TID | PC_S_IDENTIFIER, 0);
        another(PC_S_TID | PC_S_IDENTIFIER, 0);
        expect(PC_D_ATTR_LATE, 0, 0);
        RECORD(USER | PC_SAMPLE, 1, pair(1, 1));
        uint64_t at = another(PC_S_TID | PC_S_IDENTIFIER, 0);
        expect(PC_D_ATTR_LATE, 1, at - 8);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(attrs_have_the_same_sample_id_all_and_a_common_id),
    cmocka_unit_test(attrs_that_differ_from_most_are_told),
    cmocka_unit_test(values_that_are_read_have_ids),
    cmocka_unit_test(a_tracepoint_is_described),
    cmocka_unit_test(attrs_come_before_samples),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

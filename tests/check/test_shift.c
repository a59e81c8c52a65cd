/* SPDX-License-Identifier: MIT
 *
 * Where bytes were lost in the header of a file, or in its attrs, and how many.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "check/shift.h"

#define FEATURES 5

static uint64_t begin_sound(void)
{
    return begin_with_features(FEATURES, 0);
}

static bool find(struct pc_shift *shift)
{
    struct pc_input file;
    pc_input_memory(&file, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
    return pc_find_shift(&file, shift);
}

static void what_is_where_it_should_be_is_no_loss(void **state)
{
    (void)state;
    struct pc_shift shift;
    IN_BOTH_ORDERS
    {
        uint64_t table = begin_sound();
        assert_false(find(&shift));
        take_out(table - 40, 40); /* a record: the attrs are there */
        assert_false(find(&shift));
        begin_sound();
        put_at(104 + 4, 0, 4); /* the size of the attr: nothing was moved */
        assert_false(find(&shift));
        begin_sound();
        in.len = table; /* without a table nothing shows it */
        take_out(AT_DATA, 8);
        assert_false(find(&shift));
    }
}

static void a_loss_in_the_header_is_placed(void **state)
{
    (void)state;
    struct pc_shift shift;
    IN_BOTH_ORDERS
    {
        for (uint64_t at = AT_ATTR_SIZE; at <= AT_DATA + 8; at += 8) {
            uint64_t table = begin_sound();
            take_out(at, 8);
            assert_true(find(&shift));
            assert_int_equal(shift.at, at);
            assert_int_equal(shift.size, 8);
            assert_int_equal(shift.table, table - 8);
        }
        for (size_t size = 1; size < 16; size++) { /* and among zeros */
            begin_sound();
            take_out(AT_DATA + 16, size);
            assert_true(find(&shift));
            assert_int_equal(shift.size, size);
            assert_in_range(shift.at, AT_DATA + 8, AT_FEATURES);
        }
    }
}

static void a_loss_in_the_attrs_is_placed(void **state)
{
    (void)state;
    struct pc_shift shift;
    IN_BOTH_ORDERS
    {
        uint64_t table = begin_sound();
        take_out(FILE_DATA - 60, 120);
        put_at(104 + 4, 0, 4); /* the attr begins at 104 in such a file, or behind its ids */
        put_at(112 + 4, 0, 4);
        assert_true(find(&shift));
        assert_int_equal(shift.at, 104);
        assert_int_equal(shift.size, 120);
        assert_int_equal(shift.table, table - 120);
        put_at(AT_DATA + 8, 1, 8); /* the header does not say where the table was */
        assert_false(find(&shift));
    }
}

static void nothing_is_read_as_lost_that_is_too_much(void **state)
{
    (void)state;
    struct pc_shift shift;
    IN_BOTH_ORDERS
    {
        uint64_t table = begin_sound();
        take_out(AT_DATA, 8);
        for (uint64_t i = 0; i < FEATURES; i++) /* as if 2 MiB were missing */
            put_at(table - 8 + i * 16, table + FEATURES * 16 + i * 68 + ((uint64_t)2 << 20), 8);
        assert_false(find(&shift));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_where_it_should_be_is_no_loss),
    cmocka_unit_test(a_loss_in_the_header_is_placed),
    cmocka_unit_test(a_loss_in_the_attrs_is_placed),
    cmocka_unit_test(nothing_is_read_as_lost_that_is_too_much),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

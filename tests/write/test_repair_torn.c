/* SPDX-License-Identifier: MIT
 *
 * Feature tables in which bytes were lost or inserted.
 */
#include "repair_bench.h"

enum { END = TABLE + PC_SECTION_SIZE * NR };

/* All is read as it was, but for entries that are unsure. Returns their bits. */
static uint64_t left_out(void)
{
    static unsigned char copy[sizeof(sound)];
    const size_t size = read_repaired(copy);
    uint64_t left = NAMED_STRINGS | NAMED_NUMBERS;
    assert_int_equal(size, pc_load(sound + END - 16, 8, in.order) + 16);
    for (uint64_t at = TABLE; at < END; at += PC_SECTION_SIZE, left &= left - 1) {
        if (!(left & (0 - left) & repaired.unsure[0]))
            assert_memory_equal(copy + at, sound + at, PC_SECTION_SIZE);
    }
    assert_memory_equal(copy + END, sound + END, size - END);
    return repaired.unsure[0];
}

static void what_was_inserted_is_left_out(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 3, 8, 16, 17, 64, 500 };
    IN_BOTH_ORDERS
    {
        for (uint64_t at = TABLE + 1; at < END; at++) {
            for (size_t i = 0; i < PC_COUNT_OF(sizes); i++) {
                begin_with_names();
                put_in(at, 'y', sizes[i]);
                assert_int_equal(left_out(), 0);
                assert_int_equal(repaired.in.left_out, sizes[i]);
            }
        }
    }
}

/* Of two entries next to each other, what both have left may not tell where the second section begins. */
static void what_was_lost_follows_from_the_rest(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        unsigned out = 0;
        for (uint64_t at = TABLE + 1; at < END; at++) {
            for (size_t nr = 1; nr <= 16 && at + nr <= END; nr++) {
                begin_with_names();
                take_out(at, nr);
                if (left_out())
                    out += left_out() != 0;
                assert_int_equal(repaired.in.filled, nr);
            }
        }
        assert_in_range(out, 0, 80);
    }
}

/* Three entries are touched: nobody knows where the sections of two of them began. */
static void entries_that_are_gone_are_left_out(void **state)
{
    (void)state;
    const uint64_t gone = 1 << PC_OSRELEASE | 1 << PC_VERSION;
    IN_BOTH_ORDERS
    {
        begin_with_names();
        take_out(TABLE + PC_SECTION_SIZE, 2 * PC_SECTION_SIZE);
        assert_int_equal(left_out() & gone, gone);
        assert_int_equal(repaired.unsure[0] & NAMED_NUMBERS, 0);
    }
}

/* Bytes were lost or inserted in the last record, which the table then follows too early or too late. */
static void a_table_that_is_elsewhere_is_not_torn(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with_names();
        take_out(TABLE - 20, 16);
        repair(NULL);
        assert_false(pc_input_is_shifted(&repaired.in));
        begin_with_names();
        put_in(TABLE - 8, 'y', 16);
        repair(NULL);
        assert_false(pc_input_is_shifted(&repaired.in));
    }
}

/* The file was cut behind it: whatever the sections are, all entries are what they were. */
static void a_whole_table_is_not_torn(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with_names();
        const size_t size = in.len;
        for (uint64_t at = END + 1; at < size; at++) {
            begin_with_names();
            in.len = at;
            repair(NULL);
            if (pc_input_is_shifted(&repaired.in))
                fail_msg("cut at 0x%x", (unsigned)at);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_was_inserted_is_left_out),
    cmocka_unit_test(what_was_lost_follows_from_the_rest),
    cmocka_unit_test(entries_that_are_gone_are_left_out),
    cmocka_unit_test(a_table_that_is_elsewhere_is_not_torn),
    cmocka_unit_test(a_whole_table_is_not_torn),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * Bytes that were lost or inserted in features, behind a table that is whole.
 */
#include "repair_bench.h"

enum { FIRST = TABLE + PC_SECTION_SIZE * NR, BROKEN = 2, AT = FIRST + BROKEN * STRING };

/* Sections that are kept have the bytes that they had. Returns the bits of the others. */
static uint64_t left_out(void)
{
    static unsigned char copy[sizeof(sound)];
    const size_t size = read_repaired(copy);
    uint64_t left = NAMED_STRINGS | NAMED_NUMBERS;
    for (uint64_t i = 0; i < NR; i++, left &= left - 1) {
        const unsigned char *entry = sound + TABLE + i * PC_SECTION_SIZE;
        const uint64_t offset = pc_load(entry, 8, in.order), end = offset + pc_load(entry + 8, 8, in.order);
        if (left & (0 - left) & repaired.unsure[0])
            continue;
        assert_true(end <= size);
        assert_memory_equal(copy + offset, sound + offset, end - offset);
    }
    return repaired.unsure[0];
}

/* Those before it are in their places, and those behind it, too, once the bytes are zeros. */
static void a_feature_that_lost_bytes_is_left_out(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t nr = 1; nr < 4; nr++) {
            begin_with_names();
            take_out(AT + 3, nr);
            assert_int_equal(left_out(), 1 << PC_VERSION);
            assert_int_equal(repaired.in.filled, nr);
        }
    }
}

static void a_feature_with_more_bytes_is_left_out(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 3, 8, 16, 68, 500 };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(sizes); i++) {
            begin_with_names();
            put_in(AT + 5, 'y', sizes[i]); /* in its text, which is then another one, and sound */
            assert_int_equal(left_out(), 1 << PC_VERSION);
            assert_int_equal(repaired.in.left_out, sizes[i]);
        }
    }
}

/* A number may be any. So it is left out where it is not known on which side of it bytes came or went. */
static void a_number_beside_is_left_out(void **state)
{
    (void)state;
    enum { NUMBER = FIRST + 4 * STRING };
    IN_BOTH_ORDERS
    {
        begin_with_names();
        put_in(NUMBER + 4, 4, 4);
        assert_int_equal(left_out(), 1 << PC_NRCPUS);
        begin_with_names();
        take_out(NUMBER + 2, 4);
        assert_int_equal(left_out(), 1 << PC_NRCPUS);
    }
}

/* Between two strings they belong to none of them: zeros would be behind their text, not other bytes. */
static void what_is_between_is_left_out_alone(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with_names();
        put_in(AT, 'y', 5);
        assert_int_equal(left_out(), 0);
        assert_int_equal(repaired.in.left_out, 5);
    }
}

static void bytes_behind_the_features_move_no_string(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with_names();
        put_in(in.len, 'y', 5);
        assert_int_equal(left_out() & NAMED_STRINGS, 0);
    }
}

/* The last sections are not there, or not whole: none has moved. */
static void a_cut_moves_none(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with_names();
        in.len = FIRST + 4 * STRING + 8 + 20; /* in CPUDESC */
        repair(NULL);
        assert_false(pc_input_is_shifted(&repaired.in));
        assert_int_equal(repaired.unsure[0], 1 << PC_CPUDESC | 1 << PC_SAMPLE_TIME);
    }
}

/* Each place: no feature has other bytes than it had. */
static void no_feature_has_other_content(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with_names();
        const uint64_t end = in.len;
        for (uint64_t at = FIRST; at < end; at++) {
            for (size_t nr = 1; nr <= 17; nr += 4) {
                begin_with_names();
                put_in(at, 'y', nr);
                assert_in_range(__builtin_popcountll(left_out()), 0, 2);
                begin_with_names();
                if (end - at <= nr)
                    continue;
                take_out(at, nr);
                assert_in_range(__builtin_popcountll(left_out()), 1, 3);
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_feature_that_lost_bytes_is_left_out),
    cmocka_unit_test(a_feature_with_more_bytes_is_left_out),
    cmocka_unit_test(a_number_beside_is_left_out),
    cmocka_unit_test(what_is_between_is_left_out_alone),
    cmocka_unit_test(bytes_behind_the_features_move_no_string),
    cmocka_unit_test(a_cut_moves_none),
    cmocka_unit_test(no_feature_has_other_content),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

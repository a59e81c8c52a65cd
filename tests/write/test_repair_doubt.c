/* SPDX-License-Identifier: MIT
 *
 * Entries of the feature table that nothing shows to be right, and others.
 */
#include "repair_bench.h"

#define STRINGS_3 ((uint64_t)(1 << PC_HOSTNAME | 1 << PC_OSRELEASE | 1 << PC_VERSION))

enum { ENTRY_2 = TABLE + 2 * PC_SECTION_SIZE };

static void entries_that_follow_each_other_are_right(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with_names();
        assert_int_equal(repair("nothing"), 0);
        assert_int_equal(repaired.unsure[0], 0);
    }
}

/* Nothing tells where the sections of two entries were. */
static void entries_of_zeros_are_left_out(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with_names();
        memset(in.p + TABLE + PC_SECTION_SIZE, 0, 2 * PC_SECTION_SIZE);
        repair(NULL);
        assert_int_equal(repaired.unsure[0], STRINGS_3 & ~((uint64_t)1 << PC_HOSTNAME));
        assert_int_equal(repaired.unsure_why, PC_D_FEATURE_ENTRY);
    }
}

/* It shares bytes with two others, and begins and ends where no other does. */
static void a_section_that_is_elsewhere_is_left_out(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with_names();
        const uint64_t at = pc_load(sound + ENTRY_2, 8, in.order);
        put_at(ENTRY_2, at + 10, 8);
        put_at(ENTRY_2 + 8, 20, 8);
        repair(NULL);
        assert_int_equal(repaired.unsure[0], 1 << PC_VERSION);
    }
}

/* Bytes between the sections, and none of them begins where another one ends. */
static void content_shows_that_a_section_is_right(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with_names();
        for (uint64_t i = 1; i < NR; i++) {
            const uint64_t entry = TABLE + PC_SECTION_SIZE * i, at = pc_load(in.p + entry, 8, in.order);
            put_in(at + 4 * (i - 1), 'x', 4);
            put_at(entry, at + 4 * i, 8);
        }
        repair(NULL);
        assert_int_equal(repaired.unsure[0], 0);
    }
}

/* The strings around two numbers are none, so what is there moved. */
static void numbers_among_other_bytes_are_left_out(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with_names();
        for (uint64_t i = 3; i <= 5; i++) /* ARCH, NRCPUS, CPUDESC */
            memset(in.p + pc_load(in.p + TABLE + PC_SECTION_SIZE * i, 8, in.order), i == 4 ? 0 : 255, 8);
        repair(NULL);
        assert_int_equal(repaired.unsure[0], 1 << PC_NRCPUS);
        assert_int_equal(repaired.unsure_why, PC_D_FEATURE_ENTRY);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(entries_that_follow_each_other_are_right),
    cmocka_unit_test(entries_of_zeros_are_left_out),
    cmocka_unit_test(a_section_that_is_elsewhere_is_left_out),
    cmocka_unit_test(content_shows_that_a_section_is_right),
    cmocka_unit_test(numbers_among_other_bytes_are_left_out),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * Feature tables that are not where the header says, and bytes that are none.
 */
#include "repair_bench.h"

/* Zeros near the end of a file look like a table that moved: each of its sections is empty, and ends where
 * the next one begins. Inside a record, or in what follows one, they are none. */
static void zeros_in_a_record_are_no_table(void **state)
{
    (void)state;
    enum { ROOM = PC_SECTION_SIZE * FEATURES + 64, IN_RECORD, IN_PAYLOAD, IN_CUT_PAYLOAD, CASES };
    static const uint64_t sizes[] = { 0, UINT64_MAX / 2 }; /* data.size: not written; more than is there */
    IN_BOTH_ORDERS
    {
        for (int i = 2 * IN_RECORD; i < 2 * CASES; i++) {
            begin_sound();
            in.len = TABLE;
            if (i / 2 == IN_RECORD)
                begin_record(PC_SAMPLE);
            else
                RECORD(PC_AUXTRACE, ROOM, 0, 0, 0, 0);
            for (uint64_t k = 0; k < ROOM; k += 8)
                put(0, 8);
            if (i / 2 == IN_RECORD)
                end_record();
            in.len -= i / 2 == IN_CUT_PAYLOAD ? 8 : 0;
            put_at(AT_DATA + 8, sizes[i % 2], 8);
            repair(NULL);
            assert_int_equal(pc_load(in.p + AT_DATA + 8, 8, in.order), in.len - FILE_DATA);
        }
    }
}

/* Nor are they when the data seem to end in them: no section begins with the file. */
static void zeros_at_the_end_are_no_table(void **state)
{
    (void)state;
    enum { ROOM = PC_SECTION_SIZE * FEATURES + 64 };
    IN_BOTH_ORDERS
    {
        begin_sound();
        in.len = TABLE;
        RECORD(PC_AUXTRACE, ROOM, 0, 0, 0, 0);
        for (uint64_t k = 0; k < ROOM; k += 8)
            put(0, 8);
        put_at(AT_DATA + 8, in.len - FILE_DATA - 8, 8);
        memcpy(sound, in.p, in.len);
        assert_int_equal(repair("zeros"), 0);
    }
}

static void sections_that_moved_are_found_with_their_table(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        take_out(FILE_DATA + 32, 64); /* two records */
        repair(NULL);
        assert_int_equal(pc_load(in.p + AT_DATA + 8, 8, in.order), (RECORDS - 2) * 32);
        for (uint64_t i = 0; i < FEATURES; i++)
            assert_int_equal(pc_load(in.p + TABLE - 64 + 16 * i, 8, in.order),
                             TABLE - 64 + FEATURES * 16 + 8 * i);
    }
}

/* Behind the last section are other bytes, so that nothing tells how far the table was moved. The first
 * section does not begin behind others. */
static void sections_that_begin_late_are_not_those_of_a_table(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        take_out(FILE_DATA + 32, 32); /* a record */
        for (size_t i = 0; i < 100; i++)
            put('x', 1);
        repair(NULL);
        assert_int_equal(pc_load(in.p + AT_DATA + 8, 8, in.order), RECORDS * 32);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(zeros_in_a_record_are_no_table),
    cmocka_unit_test(zeros_at_the_end_are_no_table),
    cmocka_unit_test(sections_that_moved_are_found_with_their_table),
    cmocka_unit_test(sections_that_begin_late_are_not_those_of_a_table),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

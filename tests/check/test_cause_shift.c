/* SPDX-License-Identifier: MIT
 *
 * Bytes that were lost in the header, in the attrs or in the feature table are the cause of the rest.
 */
#include "pc_test.h"
#include "capture_bench.h"

#define FEATURES 8

static uint64_t begin_with_room(uint64_t room)
{
    return begin_with_features(FEATURES, room);
}

static uint64_t begin_sound(void)
{
    return begin_with_room(0);
}

static void a_loss_in_the_header_is_the_cause_of_all(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        take_out(AT_DATA, 8);
        expect(PC_D_BYTES_LOST, 1, AT_DATA);
        assert_int_equal(first.seen.n, 8);
        assert_int_equal(first.role, PC_CAUSE);
        assert_int_equal(counted(PC_D_RECORDS_EARLY), 0);
    }
}

static void records_before_the_data_are_counted(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        take_out(FILE_ATTRS - 2, FILE_DATA - FILE_ATTRS + 2); /* all of the attr, and no record */
        /* the first two records, of 40 bytes each, are where the attr was */
        expect(PC_D_RECORDS_EARLY, 1, FILE_ATTRS - 2);
        assert_int_equal(first.seen.n, 3);
        assert_int_equal(first.expected.n, FILE_DATA - FILE_ATTRS + 2);
        assert_int_equal(first.role, PC_RELATED);
        assert_int_equal(counted(PC_D_BYTES_LOST), 1);
        assert_int_equal(first.seen.n, FILE_DATA - FILE_ATTRS + 2);
        assert_int_equal(first.role, PC_CAUSE);
    }
}

static void what_the_table_lost_or_got_is_counted(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        uint64_t table = begin_sound();
        take_out(table + 16, 24);
        expect(PC_D_BYTES_LOST, 1, table + 16);
        assert_int_equal(first.seen.n, 24);
        begin_sound();
        make_room(table + 32, 100);
        expect(PC_D_BYTES_ADDED, 1, table + 32);
        assert_int_equal(first.seen.n, 100);
        begin_sound();
        take_out(table + 40, 400); /* and so the rest of the table */
        expect(PC_D_TABLE_BROKEN, 1, table + 48);
        assert_int_equal(first.seen.n, 3);
        assert_int_equal(first.expected.n, FEATURES);
        assert_int_equal(first.role, PC_CAUSE);
        begin_sound();
        take_out(table - 2, 400); /* all of it; what is there are texts, with zeros behind them */
        assert_int_equal(counted(PC_D_TABLE_BROKEN), 1);
        assert_int_equal(first.seen.n, 0);
    }
}

/* The table is where it was, though with room for as many entries as bytes are missing it may look moved. */
static void a_loss_in_a_feature_is_no_wrong_data_size(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        const uint64_t room = 64, table = begin_with_room(room),
                       third = table + FEATURES * 16 + room + 2 * 68;
        assert_int_equal(counted(PC_D_BYTES_LOST), 0);
        begin_with_room(room);
        take_out(third + 20, room);
        assert_int_equal(counted(PC_D_DATA_SIZE), 0);
        begin_with_room(room);
        take_out(third + 20, room);
        assert_int_equal(counted(PC_D_BYTES_LOST), 1);
        assert_int_equal(first.seen.n, room);
    }
}

#define SIZE 40 /* of a record */

/* Nothing shows where they were. */
static void whole_records_were_lost_somewhere(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        uint64_t table = begin_sound();
        take_out(FILE_DATA + 3 * SIZE, 2 * SIZE);
        expect(PC_D_RECORDS_LOST, 1, table - 2 * SIZE);
        assert_int_equal(first.seen.n, 2 * SIZE);
        assert_int_equal(first.role, PC_CAUSE);
        assert_int_equal(counted(PC_D_BYTES_LOST), 0);
    }
}

static void two_losses_are_not_one(void **state)
{
    (void)state;
    const uint64_t early = FILE_DATA + 2 * SIZE + 12, late = FILE_DATA + 15 * SIZE + 12;
    IN_BOTH_ORDERS
    {
        begin_sound();
        take_out(late, 12);
        take_out(early, 20);
        assert_int_equal(counted(PC_D_BYTES_LOST_TWICE), 1);
        assert_int_equal(first.seen.n, 32);
        assert_in_range(first.offset, early - 12, early + SIZE);
        assert_in_range(first.expected.n, late - 20 - 12, late - 20 + SIZE);
        assert_int_equal(first.role, PC_CAUSE);
        assert_int_equal(counted(PC_D_BYTES_LOST), 0);
    }
}

/* Of few entries, the feature table is read where the header says, and not where it is: what it seems to say
 * lies over the ids of a sound attr. */
static void ids_that_overlap_a_false_section_are_sound(void **state)
{
    (void)state;
    const uint64_t at = FILE_DATA + 5 * SIZE + 12, lost = 48, few = 3;
    IN_BOTH_ORDERS
    {
        const uint64_t table = begin_with_features(few, 0), text = table + few * 16;
        put_at(text, FILE_IDS - 8, 8);
        put_at(text + 8, 200, 8);
        take_out(at, lost);
        assert_int_not_equal(counted(PC_D_SECTIONS_OVERLAP), 0);
        assert_int_equal(counted(PC_D_BYTES_LOST), 1);
        assert_int_equal(first.seen.n, lost);
        assert_in_range(first.offset, at - 12, at + SIZE);
    }
}

/* As simpleperf may write them. */
static void sections_in_another_order_are_no_broken_table(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        const uint64_t table = begin_sound(), first_text = table + FEATURES * 16;
        for (uint64_t i = 0; i < 2; i++)
            put_at(table + i * 16, first_text + (1 - i) * 68, 8);
        put_at(first_text, 4000, 4); /* longer than its section */
        run();
        assert_int_not_equal(scan.report.by_severity[PC_ERROR], 0);
        assert_int_equal(scan.report.by_id[PC_D_TABLE_BROKEN], 0);
        pc_scan_clear(&scan);
    }
}

/* The table shows where it is: all records up to it are read, and its features. */
static void what_was_moved_with_the_table_is_read(void **state)
{
    (void)state;
    static const int moved[] = { 600, 1, -9, -605 };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(moved); i++) {
            begin_sound();
            if (moved[i] > 0)
                make_room(FILE_DATA + 3 * SIZE + 12, (size_t)moved[i]);
            else
                take_out(FILE_DATA + 3 * SIZE + 12, (size_t)-moved[i]);
            run();
            const uint64_t nr = scan.check.flow.sum.by_type[PC_COMM];
            assert_in_range(nr, 20 - 2 + (moved[i] < 0 ? moved[i] / SIZE : 0), 20);
            assert_int_equal(scan.report.by_id[PC_D_DATA_END_MOVED], 1);
            assert_int_equal(scan.report.by_id[PC_D_FEATURE_OUTSIDE], 0);
            assert_int_equal(scan.report.by_id[PC_D_RECORDS_LATE], 0);
            pc_scan_clear(&scan);
            assert_int_equal(counted(moved[i] > 0 ? PC_D_BYTES_ADDED : PC_D_BYTES_LOST), 1);
            assert_int_equal(first.role, PC_CAUSE);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_loss_in_the_header_is_the_cause_of_all),
    cmocka_unit_test(records_before_the_data_are_counted),
    cmocka_unit_test(what_the_table_lost_or_got_is_counted),
    cmocka_unit_test(a_loss_in_a_feature_is_no_wrong_data_size),
    cmocka_unit_test(whole_records_were_lost_somewhere),
    cmocka_unit_test(two_losses_are_not_one),
    cmocka_unit_test(ids_that_overlap_a_false_section_are_sound),
    cmocka_unit_test(sections_in_another_order_are_no_broken_table),
    cmocka_unit_test(what_was_moved_with_the_table_is_read),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

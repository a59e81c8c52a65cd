/* SPDX-License-Identifier: MIT
 *
 * What the header of a file says of its sections: each word below, at and above its bounds.
 */
#include "pc_test.h"
#include "capture_bench.h"

/* A file with ten records of 32 bytes; returns the offset of its feature table. */
static uint64_t begin_sound(void)
{
    begin_file(PC_S_TID, 0);
    for (uint64_t i = 0; i < 10; i++)
        RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
    return end_file();
}

enum { TABLE = FILE_DATA + 10 * 32, END = TABLE + 32 + 68 + 8 };

static void each_word_has_its_bounds(void **state)
{
    (void)state;
    static const struct {
        uint64_t at, value;
        enum pc_diag id;
        uint64_t said_at; /* 0: nothing is said */
    } rows[] = {
        { AT_ATTR_SIZE, 0, PC_D_ATTR_ENTRY_ZERO, AT_ATTR_SIZE },
        { AT_ATTR_SIZE, 72, PC_D_ATTR_ENTRY_BAD, AT_ATTR_SIZE },
        { AT_ATTR_SIZE, 80, PC_D_ATTR_ENTRY_BAD, 0 },
        { AT_ATTR_SIZE, 81, PC_D_ATTR_ENTRY_BAD, AT_ATTR_SIZE },
        { AT_ATTR_SIZE, 4112, PC_D_ATTR_ENTRY_BAD, 0 }, /* attrs of a page */
        { AT_ATTR_SIZE, 4120, PC_D_ATTR_ENTRY_BAD, AT_ATTR_SIZE },
        { AT_ATTR_SIZE, 160, PC_D_ATTR_ENTRY_NEWER, 0 },
        { AT_ATTR_SIZE, 168, PC_D_ATTR_ENTRY_NEWER, AT_ATTR_SIZE },
        { AT_ATTR_SIZE, 104, PC_D_ATTR_ENTRY_ODD, AT_ATTR_SIZE }, /* no attr has 88 bytes */
        { AT_ATTR_SIZE, 112, PC_D_ATTR_ENTRY_ODD, 0 },
        { AT_ATTRS, END - 80, PC_D_ATTRS_OUTSIDE, 0 },
        { AT_ATTRS, END - 79, PC_D_ATTRS_OUTSIDE, AT_ATTRS },
        { AT_ATTRS, UINT64_MAX, PC_D_ATTRS_OUTSIDE, AT_ATTRS },
        { AT_ATTRS, 104, PC_D_ATTRS_OVERLAP_HEADER, 0 },
        { AT_ATTRS, 103, PC_D_ATTRS_OVERLAP_HEADER, AT_ATTRS },
        { AT_ATTRS + 8, 81, PC_D_ATTRS_REMAINDER, AT_ATTRS + 8 },
        { AT_ATTRS + 8, 160, PC_D_ATTRS_REMAINDER, 0 },
        { AT_DATA, UINT64_MAX - 319, PC_D_DATA_OVERFLOW, AT_DATA },
        { AT_DATA, UINT64_MAX - 320, PC_D_DATA_OVERFLOW, 0 },
        { AT_DATA + 8, END - FILE_DATA, PC_D_DATA_OUTSIDE, 0 },
        { AT_DATA + 8, END - FILE_DATA + 1, PC_D_DATA_OUTSIDE, AT_DATA },
        { AT_DATA + 8, 0, PC_D_UNFINISHED, AT_DATA + 8 },
        { AT_DATA, 103, PC_D_DATA_OVERLAPS_HEADER, AT_DATA },
        { AT_DATA, 104, PC_D_DATA_OVERLAPS_HEADER, 0 },
        { AT_DATA, FILE_DATA + 4, PC_D_DATA_UNALIGNED, AT_DATA },
        { AT_DATA, FILE_DATA + 8, PC_D_DATA_UNALIGNED, 0 },
        { AT_TYPES + 8, END + 1, PC_D_EVENT_TYPES_RANGE, AT_TYPES },
        { AT_TYPES + 8, 71, PC_D_EVENT_TYPES_RANGE, AT_TYPES + 8 },
        { AT_TYPES + 8, 72, PC_D_EVENT_TYPES_RANGE, 0 },
        { AT_TYPES + 8, 72, PC_D_EVENT_TYPES_COUNT, 0 }, /* one, as there are attrs */
        { AT_TYPES + 8, 144, PC_D_EVENT_TYPES_COUNT, AT_TYPES + 8 },
        { TABLE + 8, END - TABLE - 32, PC_D_FEATURE_OUTSIDE, 0 },
        { TABLE + 8, END - TABLE - 31, PC_D_FEATURE_OUTSIDE, TABLE },
        { TABLE + 16, UINT64_MAX, PC_D_FEATURE_OUTSIDE, TABLE + 16 },
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            assert_int_equal(begin_sound(), TABLE);
            assert_int_equal(in.len, END);
            put_at(rows[i].at, rows[i].value, 8);
            if (counted(rows[i].id) != (rows[i].said_at != 0) || first.offset != rows[i].said_at)
                fail_msg("row %zu, %s-endian", i, in.order == PC_LITTLE ? "little" : "big");
        }
    }
}

static void the_feature_table_is_in_the_file(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        in.len = TABLE + 32;
        expect(PC_D_TABLE_OUTSIDE, 0, 0);
        in.len--;
        expect(PC_D_TABLE_OUTSIDE, 1, TABLE);
        assert_int_equal(first.length, 32);
        begin_sound();
        put_at(AT_FEATURES, 1 | (uint64_t)1 << PC_NRCPUS, 8);
        expect(PC_D_FEATURE_BIT_0, 1, AT_FEATURES);
        begin_sound(); /* every perf sets HOSTNAME, by which it tells the order of a bitmap */
        put_at(AT_FEATURES, 1 << PC_VERSION | (uint64_t)1 << PC_NRCPUS, 8);
        expect(PC_D_HOSTNAME_CLEAR, in.order == PC_BIG, AT_FEATURES);
    }
}

/* Writers store longs: of 4 bytes on a 32-bit machine, whose words have another order when it is big-endian.
 */
static void a_bitmap_of_32_bit_words_is_recognised(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        put_at(AT_FEATURES, 1 << PC_HOSTNAME | 1 << PC_NRCPUS, 4);
        put_at(AT_FEATURES + 4, 0, 4);
        run();
        assert_true(pc_bit(scan.capture.features, PC_HOSTNAME));
        assert_true(pc_bit(scan.capture.seen, PC_NRCPUS));
        assert_int_equal(pc_count_features(scan.capture.features), 2);
        assert_int_equal(scan.report.by_severity[PC_ERROR], 0);
        pc_scan_clear(&scan);
    }
}

static void a_header_without_a_bitmap_has_72_bytes(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        put_at(AT_SIZE, 72, 8);
        expect(PC_D_HEADER_72, 1, AT_SIZE);
        run();
        assert_int_equal(pc_count_features(scan.capture.features), 0);
        assert_int_equal(scan.check.flow.sum.by_type[PC_COMM], 10);
        pc_scan_clear(&scan);
    }
}

static void a_sound_file_is_read_as_a_whole(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        run();
        assert_int_equal(scan.report.by_severity[PC_ERROR], 0);
        assert_int_equal(scan.capture.nr_attrs, 1);
        assert_int_equal(scan.check.flow.sum.by_type[PC_COMM], 10);
        assert_false(scan.capture.attrs_damaged);
        pc_scan_clear(&scan);
        put_at(AT_TYPES, END - 72, 8); /* the last bytes of the file */
        put_at(AT_TYPES + 8, 72, 8);
        expect(PC_D_EVENT_TYPES_RANGE, 0, 0);
        put_at(AT_TYPES, END - 71, 8);
        expect(PC_D_EVENT_TYPES_RANGE, 1, AT_TYPES);
    }
}

static void findings_say_what_is_expected(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        put_at(AT_DATA + 8, 0, 8);
        expect(PC_D_UNFINISHED, 1, AT_DATA + 8);
        assert_int_equal(first.expected.n, END - FILE_DATA);
        begin_sound();
        put_at(AT_ATTR_SIZE, 168, 8);
        expect(PC_D_ATTR_ENTRY_NEWER, 1, AT_ATTR_SIZE);
        assert_int_equal(first.expected.n, 160);
        begin_sound(); /* perf inject -b alone leaves BUILD_ID, which perf sets without HOSTNAME */
        put_at(AT_FEATURES, 1 << PC_BUILD_ID, 8);
        expect(PC_D_HOSTNAME_CLEAR, 0, 0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_word_has_its_bounds),
    cmocka_unit_test(the_feature_table_is_in_the_file),
    cmocka_unit_test(a_bitmap_of_32_bit_words_is_recognised),
    cmocka_unit_test(a_header_without_a_bitmap_has_72_bytes),
    cmocka_unit_test(a_sound_file_is_read_as_a_whole),
    cmocka_unit_test(findings_say_what_is_expected),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

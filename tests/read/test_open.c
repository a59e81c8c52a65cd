/* SPDX-License-Identifier: MIT
 *
 * The first bytes of a capture: magic, version, byte order, and a header that is cut.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void sound_file(void)
{
    begin_file(PC_S_TID, 0);
    RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
    end_file();
}

static void each_prefix_of_a_header_is_named(void **state)
{
    (void)state;
    static const enum pc_diag all[] = { PC_D_INPUT_EMPTY, PC_D_INPUT_SHORT, PC_D_HEADER_CUT };
    static const enum pc_input_kind kinds[] = { PC_INPUT_FILE, PC_INPUT_STREAM };
    IN_BOTH_ORDERS
    {
        for (size_t len = 0; len < 105; len++) {
            for (size_t k = 0; k < PC_COUNT_OF(kinds); k++) {
                sound_file();
                in.kind = kinds[k];
                in.len = len;
                enum pc_diag id = len == 0    ? PC_D_INPUT_EMPTY
                                  : len < 16  ? PC_D_INPUT_SHORT
                                  : len < 104 ? PC_D_HEADER_CUT
                                              : PC_NO_DIAG;
                for (size_t i = 0; i < PC_COUNT_OF(all); i++)
                    expect(all[i], id == all[i], 0);
            }
        }
    }
}

static void a_file_from_a_stream_is_read_like_a_file(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        sound_file();
        in.kind = PC_INPUT_STREAM;
        run();
        assert_int_equal(scan.report.by_severity[PC_ERROR], 0);
        assert_int_equal(scan.check.flow.sum.by_type[PC_COMM], 1);
        assert_true(pc_bit(scan.capture.seen, PC_NRCPUS));
        assert_int_equal(scan.capture.order, in.order);
        assert_false(scan.capture.is_pipe);
        pc_scan_clear(&scan);
    }
}

static void the_size_of_the_header_is_16_72_or_104(void **state)
{
    (void)state;
    static const uint64_t sizes[] = { 0, 15, 17, 71, 73, 103, 105, UINT64_MAX };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(sizes); i++) {
            sound_file();
            put_at(AT_SIZE, sizes[i], 8);
            expect(PC_D_HEADER_SIZE, 1, AT_SIZE);
        }
    }
}

/* Version 1: the magic is the same in both orders, and the size of the attrs tells them apart. */
static void version_1_tells_its_order_by_the_size_of_attrs(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        sound_file();
        memcpy(in.p, "PERFFILE", 8);
        expect(PC_D_VERSION_1, 1, 0);
        run();
        assert_int_equal(scan.capture.order, in.order);
        assert_int_equal(scan.capture.version, 1);
        assert_int_equal(scan.check.flow.sum.by_type[PC_COMM], 1);
        pc_scan_clear(&scan);
        put_at(AT_ATTR_SIZE, 81, 8);
        expect(PC_D_VERSION_1_ORDER, 1, AT_ATTR_SIZE);
        put_at(AT_ATTR_SIZE, 120, 8); /* the largest of version 1 */
        expect(PC_D_VERSION_1_ORDER, 0, 0);
        put_at(AT_ATTR_SIZE, 128, 8);
        expect(PC_D_VERSION_1_ORDER, 1, AT_ATTR_SIZE);
    }
}

/* perf 5.10 inject: a header of a file, and then the records of a pipe, 16 bytes after its begin. */
static void records_where_a_header_goes_on_are_reported(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_empty();
        put_attr(PC_S_TID, 0);
        put_at(AT_SIZE, 104, 8);
        in.kind = PC_INPUT_FILE;
        expect(PC_D_HEADER_RECORDS, 1, AT_ATTR_SIZE);
    }
}

/* In a pipe of version 1 the size of the header, 16, tells the order. */
static void a_pipe_of_version_1_has_an_order(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
        memcpy(in.p, "PERFFILE", 8);
        run();
        assert_int_equal(scan.capture.order, in.order);
        assert_true(scan.capture.is_pipe);
        assert_int_equal(scan.check.flow.sum.by_type[PC_COMM], 1);
        pc_scan_clear(&scan);
    }
}

/* Attrs of version 1 have 64, 72, 80, 96 or 104 bytes, and ids of 16 bytes follow each. */
static void sizes_of_attrs_of_version_1_are_known(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (uint64_t entry = 64; entry < 136; entry += 8) {
            bool known = entry == 80 || entry == 88 || entry == 96 || entry == 112 || entry == 120;
            sound_file();
            memcpy(in.p, "PERFFILE", 8);
            put_at(AT_ATTR_SIZE, entry, 8);
            expect(PC_D_VERSION_1_ORDER, !known, AT_ATTR_SIZE);
        }
    }
}

/* A header and one record of 8 bytes: 24 bytes show what follows. */
static void one_record_shows_that_records_follow(void **state)
{
    (void)state;
    static const enum pc_input_kind kinds[] = { PC_INPUT_FILE, PC_INPUT_STREAM };
    IN_BOTH_ORDERS
    {
        for (size_t k = 0; k < PC_COUNT_OF(kinds); k++) {
            begin_empty();
            put_at(AT_SIZE, 104, 8);
            put_record(PC_FINISHED_ROUND, NULL, 0);
            in.kind = kinds[k];
            expect(PC_D_HEADER_RECORDS, 1, AT_ATTR_SIZE);
            expect(PC_D_HEADER_CUT, 0, 0);
            in.len--;
            expect(PC_D_HEADER_RECORDS, 0, 0);
            expect(PC_D_HEADER_CUT, 1, 0);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_prefix_of_a_header_is_named),
    cmocka_unit_test(a_file_from_a_stream_is_read_like_a_file),
    cmocka_unit_test(the_size_of_the_header_is_16_72_or_104),
    cmocka_unit_test(version_1_tells_its_order_by_the_size_of_attrs),
    cmocka_unit_test(records_where_a_header_goes_on_are_reported),
    cmocka_unit_test(a_pipe_of_version_1_has_an_order),
    cmocka_unit_test(sizes_of_attrs_of_version_1_are_known),
    cmocka_unit_test(one_record_shows_that_records_follow),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

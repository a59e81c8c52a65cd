/* SPDX-License-Identifier: MIT
 *
 * Split records of simpleperf: what stands where their end should be, and what size their pieces have.
 */
#include "pc_test.h"
#include "capture_bench.h"

/* The head of a record of so many bytes, little-endian, and n bytes of it. */
static void put_piece(uint64_t whole, size_t n)
{
    begin_record(PC_SPLIT);
    put(PC_KERNEL_SYMBOL | (whole >> 16) << 32 | (whole & 0xffff) << 48, 8);
    for (size_t i = 8; i < n; i++)
        put(0, 1);
    end_record();
}

static void expect_said(uint64_t open, uint64_t size)
{
    run();
    assert_int_equal(scan.report.by_id[PC_D_ANDROID_SPLIT_OPEN], open);
    assert_int_equal(scan.report.by_id[PC_D_ANDROID_SPLIT_SIZE], size);
    pc_scan_clear(&scan);
}

static void pieces_have_the_size_of_the_record(void **state)
{
    (void)state;
    for (uint64_t whole = 15; whole <= 17; whole++) {
        begin();
        put_piece(whole, 16);
        put_record(PC_SPLIT_END, NULL, 0);
        expect_said(0, whole != 16);
    }
    begin(); /* the high half counts */
    put_piece(65536 + 16, 16);
    put_record(PC_SPLIT_END, NULL, 0);
    expect_said(0, 1);
    begin(); /* two records, one after the other */
    put_piece(8, 8);
    put_record(PC_SPLIT_END, NULL, 0);
    put_piece(24, 16);
    put_piece(0, 8); /* which is no head */
    put_record(PC_SPLIT_END, NULL, 0);
    expect_said(0, 0);
}

static void a_piece_after_a_whole_record_begins_another(void **state)
{
    (void)state;
    begin();
    put_piece(16, 16);
    put_piece(16, 16);
    put_record(PC_SPLIT_END, NULL, 0);
    expect_said(1, 0);
}

static void an_end_stands_alone_or_is_missing(void **state)
{
    (void)state;
    begin();
    put_record(PC_SPLIT_END, NULL, 0);
    expect_said(0, 1);
    begin();
    put_piece(16, 16);
    expect_said(1, 0);
    begin();
    put_piece(16, 16);
    RECORD(PC_DEBUG, 1, 0);
    put_record(PC_SPLIT_END, NULL, 0);
    expect_said(1, 1);
}

/* The first one is named, once; an old record of trace data has a type of perf's. */
static void records_of_its_own_are_little_endian(void **state)
{
    (void)state;
    for (unsigned nr = 0; in_order(nr); nr++) {
        begin();
        RECORD(PC_DEBUG, 1, 0);
        RECORD(PC_DEBUG, 2, 0);
        run();
        assert_int_equal(scan.report.by_id[PC_D_ANDROID_BIG_ENDIAN], nr);
        pc_scan_clear(&scan);
        begin();
        begin_record(PC_HEADER_TRACING_DATA);
        put(64, 4);
        for (int i = 0; i < 64; i++)
            put(0, 1);
        end_record();
        run();
        assert_int_equal(scan.report.by_id[PC_D_ANDROID_BIG_ENDIAN], 0);
        pc_scan_clear(&scan);
    }
    in_order(0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(pieces_have_the_size_of_the_record),
    cmocka_unit_test(a_piece_after_a_whole_record_begins_another),
    cmocka_unit_test(an_end_stands_alone_or_is_missing),
    cmocka_unit_test(records_of_its_own_are_little_endian),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

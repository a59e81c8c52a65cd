/* SPDX-License-Identifier: MIT
 *
 * Where records go on after damage: as many bytes as are damaged are skipped, and no record after them.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "read/resync.h"

static void records(uint64_t nr)
{
    for (uint64_t i = 0; i < nr; i++)
        RECORD(PC_COMM, pair(UINT32_MAX - 1, 1), chars("name"), pair(1, 1));
}

/* How many records of this type a scan finds. */
static uint64_t records_of(uint32_t type)
{
    run();
    uint64_t nr = scan.check.flow.sum.by_type[type];
    pc_scan_clear(&scan);
    return nr;
}

static void foreign_bytes_between_records_are_skipped(void **state)
{
    (void)state;
    static const size_t lengths[] = { 1, 7, 8, 13, 4096, 70000, 3 << 20 };
    static const int values[] = { 0xee, 0 };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(lengths); i++) {
            for (size_t k = 0; k < PC_COUNT_OF(values); k++) {
                begin_with(PC_S_TID, 0);
                records(5);
                uint64_t at = in.len;
                memset(in.p + in.len, values[k], lengths[i]);
                in.len += lengths[i];
                records(10);
                expect(PC_D_RESYNC, 1, at);
                assert_int_equal(first.seen.n, lengths[i]);
                assert_int_equal(records_of(PC_COMM), 15);
            }
        }
    }
}

/* Records must follow each other three times, or up to the end, before they count. */
static void few_plausible_headers_are_no_records(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        records(2);
        uint64_t at = in.len;
        for (int i = 0; i < 40; i++)
            put(0xee, 1);
        records(2);
        for (int i = 0; i < 40; i++)
            put(0xee, 1);
        records(3);
        expect(PC_D_RESYNC, 1, at);
        assert_int_equal(first.seen.n, 40 + 2 * 32 + 40);
        assert_int_equal(records_of(PC_COMM), 5);
    }
}

/* The size of one record says that it ends in the next one. */
static void a_size_that_takes_the_next_record_is_corrected(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        records(3);
        uint64_t at = in.len;
        records(7);
        put_at(at + 6, 40, 2);
        expect(PC_D_RECORD_SWALLOWS, 1, at);
        assert_int_equal(first.seen.n, 40);
        assert_int_equal(first.expected.n, 32);
        put_at(at + 6, 7, 2); /* less than a header */
        expect(PC_D_RECORD_SWALLOWS, 0, 0);
        expect(PC_D_RECORD_SIZE, 1, at);
        expect(PC_D_RESYNC, 1, at);
        assert_int_equal(first.seen.n, 32);
        assert_int_equal(records_of(PC_COMM), 9);
    }
}

static void a_type_that_nobody_knows_leads_on_if_its_size_does(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        records(3);
        uint64_t at = RECORD(60, 0, 0, 0);
        records(5);
        expect(PC_D_TYPE_KERNEL_UNKNOWN, 1, at);
        expect(PC_D_RESYNC, 0, 0);
        put_at(at, 0x10000, 4);
        expect(PC_D_TYPE_IMPOSSIBLE, 1, at);
        put_at(at, 100, 4);
        expect(newer_type(), 1, at);
        put_at(at + 6, 40, 2); /* the next record does not begin there */
        expect(newer_type(), 0, 0);
        expect(PC_D_TYPE_AND_SIZE, 1, at);
        assert_int_equal(records_of(PC_COMM), 8);
    }
}

static void the_rest_of_a_stream_is_searched_for_records(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        records(3);
        uint64_t at = in.len;
        records(6);
        put_at(at + 6, 6 * 32 + 8, 2); /* crosses the end: but the content ends after 32 bytes */
        expect(PC_D_STREAM_CUT, 0, 0);
        expect(PC_D_RECORD_CROSSES_END, 1, at);
        expect(PC_D_RESYNC, 1, at);
        assert_int_equal(first.seen.n, 32);
        assert_int_equal(records_of(PC_COMM), 8);
        in.len -= 4; /* the last record is cut, too */
        expect(PC_D_STREAM_CUT, 1, in.len - 28);
        expect(PC_D_RECORD_CROSSES_END, 1, at);
        assert_int_equal(records_of(PC_COMM), 7);
    }
}

static void without_memory_it_is_said(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    records(9);
    put_at(in.len - 6 * 32 + 6, 6 * 32 + 8, 2);
    bool said = false;
    for (uint64_t n = 1; n < 60; n++) {
        run_failing(n);
        assert_true(scan.report.unreadable || scan.check.flow.sum.by_type[PC_COMM] == 8);
        said |= scan.report.unreadable;
        pc_scan_clear(&scan);
    }
    assert_true(said);
}

static void the_last_record_is_followed_to_the_end(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_file(PC_S_TID, 0);
        records(3);
        uint64_t at = RECORD(100, 0, 0);
        end_file();
        expect(newer_type(), 1, at);
        expect(PC_D_TYPE_AND_SIZE, 0, 0);
        put_at(at + 6, 32, 2); /* leads past the end */
        expect(newer_type(), 0, 0);
    }
}

/* Of a header that is there as a whole the size is known. */
static void what_is_left_of_a_stream_is_shown(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        records(3);
        uint64_t at = in.len;
        records(1);
        in.len = (size_t)at + 8;
        expect(PC_D_STREAM_CUT, 1, at);
        assert_int_equal(first.length, 8);
        assert_int_equal(first.seen.n, 32);
        in.len--;
        expect(PC_D_STREAM_CUT, 1, at);
        assert_int_equal(first.length, 7);
        assert_string_equal(first.seen.text, "unknown");
    }
}

/* perf inject -b up to 6.1 writes sizes that are no multiples of 8. */
static void records_may_go_on_with_one_of_an_odd_size(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        records(3);
        uint64_t at = in.len;
        for (int i = 0; i < 24; i++)
            put(0xee, 1);
        begin_record(USER | PC_HEADER_BUILD_ID);
        put_text("", 28);
        put_text("name", 8);
        end_record();
        records(5);
        expect(PC_D_RESYNC, 1, at);
        assert_int_equal(first.seen.n, 24);
        assert_int_equal(records_of(PC_HEADER_BUILD_ID), 1);
        assert_int_equal(records_of(PC_COMM), 8);
    }
}

/* Its call chain reaches past the end, as its size does: it may be cut, unless no writer makes that size. */
static void a_record_of_an_odd_size_is_not_cut(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID | PC_S_CALLCHAIN, 0);
        records(3);
        uint64_t at = RECORD(USER | PC_SAMPLE, pair(1, 1), 1000, 1, 2);
        records(5);
        put_at(at + 6, 60000, 2);
        expect(PC_D_STREAM_CUT, 1, at);
        put_at(at + 6, 60001, 2);
        expect(PC_D_STREAM_CUT, 0, 0);
        expect(PC_D_RECORD_CROSSES_END, 1, at);
        expect(PC_D_RESYNC, 1, at);
        assert_int_equal(first.seen.n, 40);
        assert_int_equal(records_of(PC_COMM), 8);
    }
}

/* The size of a damaged header leads to a later record, by chance. A type that a later perf may know can hold
 * whatever it likes, unless the record before it is damaged too. */
static void an_impossible_type_hides_no_records(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        records(3);
        uint64_t at = in.len;
        records(6);
        put_at(at + 6, 4 * 32, 2);
        put_at(at, 0x12345678, 4);
        expect(PC_D_TYPE_IMPOSSIBLE, 1, at);
        expect(PC_D_RESYNC, 1, at);
        assert_int_equal(first.seen.n, 32);
        assert_int_equal(records_of(PC_COMM), 8);
        put_at(at, 90, 4);
        expect(newer_type(), 1, at);
        assert_int_equal(records_of(PC_COMM), 5);
        put_at(at, 27, 4);
        expect(PC_D_TYPE_KERNEL_UNKNOWN, 1, at);
        put_at(at - 16, UINT64_MAX, 8); /* the name of the record before it does not end */
        expect(PC_D_RECORD_SWALLOWS, 1, at);
        assert_int_equal(records_of(PC_COMM), 8);
    }
}

/* A sample with an id of the capture may hold any bytes; one of no event is damaged. */
static void a_sample_of_no_event_hides_no_records(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_IDENTIFIER | PC_S_TID | PC_S_RAW, 0);
        put_at(put_attr(PC_S_IDENTIFIER | PC_S_TID | PC_S_RAW, 0) + 8 + 64, 2, 8);
        uint64_t at = RECORD(USER | PC_SAMPLE, 1, pair(1, 1), pair(3 * 40 + 4, 0));
        for (uint64_t i = 0; i < 5; i++)
            RECORD(PC_COMM, pair(UINT32_MAX - 1, 1), chars("name"), pair(1, 1), 1);
        put_at(at + 6, 32 + 3 * 40, 2);
        put_at(at + 24, 1000, 4); /* this damage may be in the sample alone */
        assert_int_equal(records_of(PC_COMM), 2);
        put_at(at + 8, 77, 8);
        expect(PC_D_RECORD_SWALLOWS, 1, at);
        assert_int_equal(records_of(PC_COMM), 5);
    }
}

/* What stands for a length after a loss leads far, to where a record happens to begin. */
static void the_nearest_records_behind_a_loss_count(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t grid = 8; grid > 6; grid--) { /* so many bytes are lost */
            begin_with(PC_S_TID | PC_S_RAW, 0);
            uint64_t at = RECORD(USER | PC_SAMPLE, pair(1, 1), pair(4 + 5 * 32 + 8 - grid, 0), 0);
            records(8);
            take_out(at + 24, grid);
            expect(PC_D_RECORD_SWALLOWS, 1, at);
            assert_int_equal(first.expected.n, 32 - grid);
            assert_int_equal(records_of(PC_COMM), 8);
        }
    }
}

/* A size that ends among records which the sample holds: they do not lead to where its content ends. */
static void records_in_a_sample_stay_in_it(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (uint64_t held = 4; held < 40; held += 5) {
            begin_with(PC_S_TID | PC_S_RAW, 0);
            uint64_t at = RECORD(USER | PC_SAMPLE, pair(1, 1), pair(4 + held * 32 + 16, 0));
            records(held);
            for (int i = 0; i < 16; i++)
                put(0xee, 1);
            records(8);
            put_at(at + 6, 24 + 32, 2);
            assert_int_equal(records_of(PC_COMM), 8);
            expect(PC_D_RECORD_SWALLOWS, 1, at);
            assert_int_equal(first.expected.n, 24 + held * 32 + 16);
        }
    }
}

/* The last record lacks eight bytes and ends with the header of the next one, behind which a task looks like
 * an unknown type. */
static void a_record_that_overlaps_whole_ones_lacks_bytes(void **state)
{
    (void)state;
    in.order = PC_BIG;
    begin_with(PC_S_TID, 0);
    records(3);
    uint64_t at = RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
    RECORD(PC_COMM, pair(300, 24 + 2 * 32), chars("name"), pair(1, 1));
    records(5);
    take_out(at + 24, 8);
    expect(PC_D_RECORD_SWALLOWS, 1, at);
    assert_int_equal(first.expected.n, 24);
    assert_int_equal(records_of(PC_COMM), 10);
    expect(newer_type(), 0, 0);
}

/* The last record lacks bytes: what stands where the next one should begin looks like trace data, which have
 * more bytes than are left. */
static void trace_data_without_end_are_no_record(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_file(PC_S_TID, 0);
        for (uint64_t i = 0; i < 3; i++)
            RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
        uint64_t at = RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
        RECORD(PC_COMM, 0, 0, pair(1, 1));
        put_at(in.len - 24, pair(PC_HEADER_TRACING_DATA, 0), 8);
        put_at(in.len - 24 + 6, 40, 2);
        put_at(in.len - 16, pair(1 << 30, 0), 8);
        for (uint64_t i = 0; i < 5; i++)
            RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
        take_out(at + 24, 8);
        end_file();
        expect(PC_D_RECORD_SWALLOWS, 1, at);
        assert_int_equal(records_of(PC_COMM), 10);
    }
}

/* It begins where bytes were lost in the one before, and ends where the data do. */
static void the_last_record_of_a_whole_file_is_read(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t lost = 3; lost < 30; lost += 9) {
            begin_file(PC_S_TID, 0);
            RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
            uint64_t at = RECORD(USER | PC_MMAP, pair(1, 1), 0x1000, 0x1000, 0, chars("/a/name/"),
                                 chars("of"), pair(1, 1));
            RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
            take_out(at + 12, lost);
            end_file();
            assert_int_equal(records_of(PC_COMM), 2);
        }
    }
}

/* They may begin anywhere, and show where they end. */
static void features_of_a_pipe_follow_an_inserted_byte(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        uint64_t at = 0;
        begin_with(PC_S_TID, 0);
        for (uint64_t bit = PC_HOSTNAME; bit <= PC_ARCH; bit++) {
            at = bit == PC_OSRELEASE ? in.len : at;
            begin_feature(bit);
            put_string("text");
            end_record();
        }
        records(3);
        make_room(at, 1);
        assert_int_equal(records_of(PC_HEADER_FEATURE), 4);
        assert_int_equal(records_of(PC_COMM), 3);
        expect(PC_D_RESYNC, 1, at);
        assert_int_equal(first.seen.n, 1);
    }
}

/* Numbers that look like headers of long records are soon passed: what is searched lasts up to the end. */
static void numbers_that_look_like_long_records_hide_none(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        const uint64_t number = in.order == PC_LITTLE ? 40000ULL << 48 | PC_COMM : 40000 | 3ULL << 32;
        begin_file(PC_S_TID, 0);
        records(3);
        uint64_t at = in.len;
        put(0x900, 4); /* a type that nobody knows, which reaches past the end */
        put(0x100, 2);
        put(65000, 2);
        put(0, 1);
        for (uint64_t i = 0; i < 800; i++)
            RECORD(USER | PC_MMAP, pair(1, 1), number, number, number, chars("name"), pair(1, 1));
        end_file();
        expect(PC_D_RESYNC, 1, at);
        assert_int_equal(first.seen.n, 9);
        assert_int_equal(records_of(PC_MMAP), 800);
    }
}

/* The next record begins in what was its header. */
static void a_record_that_is_a_header_may_lack_bytes_of_it(void **state)
{
    (void)state;
    in.order = PC_LITTLE;
    for (size_t lost = 1; lost < 4; lost++) {
        begin_with(PC_S_TID, 0);
        records(3);
        uint64_t at = in.len;
        put(PC_FINISHED_ROUND, 4);
        put(8 << 16, 4);
        for (uint64_t i = 0; i < 200; i++)
            RECORD(MISC(0x2000) | PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
        take_out(at + 4, lost);
        assert_int_equal(records_of(PC_COMM), 203);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(foreign_bytes_between_records_are_skipped),
    cmocka_unit_test(few_plausible_headers_are_no_records),
    cmocka_unit_test(a_size_that_takes_the_next_record_is_corrected),
    cmocka_unit_test(a_type_that_nobody_knows_leads_on_if_its_size_does),
    cmocka_unit_test(the_rest_of_a_stream_is_searched_for_records),
    cmocka_unit_test(without_memory_it_is_said),
    cmocka_unit_test(the_last_record_is_followed_to_the_end),
    cmocka_unit_test(what_is_left_of_a_stream_is_shown),
    cmocka_unit_test(records_may_go_on_with_one_of_an_odd_size),
    cmocka_unit_test(a_record_of_an_odd_size_is_not_cut),
    cmocka_unit_test(an_impossible_type_hides_no_records),
    cmocka_unit_test(a_sample_of_no_event_hides_no_records),
    cmocka_unit_test(the_nearest_records_behind_a_loss_count),
    cmocka_unit_test(records_in_a_sample_stay_in_it),
    cmocka_unit_test(a_record_that_overlaps_whole_ones_lacks_bytes),
    cmocka_unit_test(trace_data_without_end_are_no_record),
    cmocka_unit_test(the_last_record_of_a_whole_file_is_read),
    cmocka_unit_test(features_of_a_pipe_follow_an_inserted_byte),
    cmocka_unit_test(numbers_that_look_like_long_records_hide_none),
    cmocka_unit_test(a_record_that_is_a_header_may_lack_bytes_of_it),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

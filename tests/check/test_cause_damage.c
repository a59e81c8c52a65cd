/* SPDX-License-Identifier: MIT
 *
 * Causes that change a part of a capture: blocks of one value, text and other bytes among the records.
 */
#include "pc_test.h"
#include "capture_bench.h"

enum { RECORDS = 100, SIZE = 40 }; /* of records */

static uint64_t begin_sound(void)
{
    begin_file(PC_S_TID, 0);
    for (uint64_t i = 1; i <= RECORDS; i++)
        RECORD(PC_COMM, pair(i, i), chars("namename"), chars("nam"), pair(i, i));
    return end_file();
}

/* A block of a disk is 512 bytes, at a multiple of that. */
static void a_lost_block_is_found_with_its_borders(void **state)
{
    (void)state;
    static const struct {
        uint64_t from, to, nr; /* nr: bytes of whole blocks */
    } rows[] = {
        { 1024, 1536, 512 }, { 1000, 1540, 512 }, { 1024, 2560, 1536 }, { 1030, 1536, 0 }, { 1024, 1529, 0 },
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            for (unsigned fill = 0; fill < 256; fill += 255) {
                begin_sound();
                memset(in.p + rows[i].from, (int)fill, (size_t)(rows[i].to - rows[i].from));
                expect(PC_D_ZEROED, rows[i].nr != 0, 1024);
                assert_int_equal(first.seen.n, rows[i].nr);
                if (rows[i].nr)
                    assert_string_equal(first.expected.text, fill ? "0xff" : "zero");
            }
        }
    }
}

static void all_attrs_may_be_lost(void **state)
{
    (void)state;
    begin_sound();
    memset(in.p + FILE_ATTRS, 0, 80);
    expect(PC_D_ZEROED, 1, FILE_ATTRS);
    assert_int_equal(first.seen.n, 80);
}

static void messages_among_the_records_are_shown(void **state)
{
    (void)state;
    static const char text[] = "perf: interrupted while reading\n";
    IN_BOTH_ORDERS
    {
        begin_empty();
        put_attr(PC_S_TID, 0);
        RECORD(PC_COMM, pair(1, UINT32_MAX), chars("name"), pair(1, 1));
        uint64_t at = in.len;
        put_text(text, sizeof(text) - 1);
        for (uint64_t i = 0; i < 20; i++)
            RECORD(PC_COMM, pair(1, UINT32_MAX), chars("name"), pair(1, 1));
        expect(PC_D_TEXT_IN_RECORDS, 1, at);
        assert_int_equal(first.seen.n, sizeof(text) - 1);
        assert_memory_equal(first.expected.bytes, text, sizeof(text) - 2);
    }
}

static void bytes_between_two_records_are_counted(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t nr = 1; nr < 18; nr += 4) {
            begin_empty();
            put_attr(PC_S_TID, 0);
            RECORD(PC_COMM, pair(1, UINT32_MAX), chars("name"), pair(1, 1));
            uint64_t at = in.len;
            put_text("", nr);
            memset(in.p + at, 0xee, nr);
            for (uint64_t i = 0; i < 20; i++)
                RECORD(PC_COMM, pair(1, UINT32_MAX), chars("name"), pair(1, 1));
            expect(PC_D_BYTES_ADDED, nr < 8, at);
            assert_int_equal(first.seen.n, nr < 8 ? nr : 0);
            expect(PC_D_RECORDS_BROKEN, nr >= 8, at);
            assert_int_equal(first.seen.n, nr >= 8 ? nr : 0);
            assert_int_equal(first.expected.n, nr >= 8 ? at + nr : 0);
        }
    }
}

/* A record of a pipe is three bytes short. */
static void bytes_that_a_record_lacks_are_counted(void **state)
{
    (void)state;
    begin_empty();
    put_attr(PC_S_TID, 0);
    uint64_t at = RECORD(PC_COMM, pair(1, UINT32_MAX), chars("name"), pair(1, 1));
    for (uint64_t i = 0; i < 20; i++)
        RECORD(PC_COMM, pair(1, UINT32_MAX), chars("name"), pair(1, 1));
    take_out(at + 20, 3);
    expect(PC_D_BYTES_LOST_LEAST, 1, at);
    assert_int_equal(first.seen.n, 3);
    take_out(at + 29, 64); /* two whole records behind it: nothing tells */
    expect(PC_D_BYTES_LOST_LEAST, 1, at);
    assert_int_equal(first.seen.n, 3);
}

/* The size of a record that perf inject -b wrote, 100 bytes long, is wrong: no bytes were lost. */
static void a_wrong_size_off_the_grid_is_not_a_loss(void **state)
{
    (void)state;
    for (unsigned grown = 0; grown < 2; grown++) {
        begin_empty();
        put_attr(PC_S_TID, 0);
        RECORD(PC_COMM, pair(1, UINT32_MAX), chars("name"), pair(1, 1));
        uint64_t at = in.len;
        put_text("", 100);
        memset(in.p + at, 0, 100);
        pc_store(in.p + at, 4, PC_HEADER_BUILD_ID, PC_LITTLE);
        pc_store(in.p + at + 4, 2, 2, PC_LITTLE);
        pc_store(in.p + at + 6, 2, grown ? 440 : 100, PC_LITTLE);
        memset(in.p + at + 36, 0x2f, 30); /* and 34 zeros, as in real ones */
        for (uint64_t i = 0; i < 40; i++)
            RECORD(PC_COMM, pair(1, UINT32_MAX), chars("name"), pair(1, 1));
        expect(PC_D_BYTES_LOST, 0, at);
        expect(PC_D_RECORD_SWALLOWS, grown, at);
    }
}

/* Eight bytes that look like the header of a record, which is never so short, whatever their size says. */
static void a_header_alone_is_no_record(void **state)
{
    (void)state;
    static const uint64_t sizes[] = { 40, 0, 16 };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(sizes); i++) {
            begin_empty();
            put_attr(PC_S_TID, 0);
            for (uint64_t k = 0; k < 8; k++)
                RECORD(PC_COMM, pair(1, UINT32_MAX), chars("name"), 0, pair(1, 1));
            uint64_t at = in.len;
            put(PC_COMM, 4);
            put(0, 2);
            put(sizes[i], 2);
            for (uint64_t k = 0; k < 20; k++)
                RECORD(PC_COMM, pair(1, UINT32_MAX), chars("name"), 0, pair(1, 1));
            expect(PC_D_RECORDS_BROKEN, 1, at);
            assert_int_equal(first.seen.n, 8);
            assert_int_equal(first.expected.n, at + 8);
            assert_int_equal(first.role, PC_CAUSE);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_header_alone_is_no_record),
    cmocka_unit_test(a_wrong_size_off_the_grid_is_not_a_loss),
    cmocka_unit_test(a_lost_block_is_found_with_its_borders),
    cmocka_unit_test(all_attrs_may_be_lost),
    cmocka_unit_test(messages_among_the_records_are_shown),
    cmocka_unit_test(bytes_between_two_records_are_counted),
    cmocka_unit_test(bytes_that_a_record_lacks_are_counted),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

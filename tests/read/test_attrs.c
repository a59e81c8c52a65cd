/* SPDX-License-Identifier: MIT
 *
 * Ids of attrs: in a file and in a pipe, whose they are, and where they lie.
 */
#include "pc_test.h"
#include "capture_bench.h"

/* A file with two attrs of 64 bytes, whose ids are these: two of the first one, one of the second. */
static void begin_two(uint64_t a, uint64_t b, uint64_t c)
{
    begin_file(PC_S_TID | PC_S_ID, 0);
    uint64_t ids = FILE_DATA + 80;
    make_room(FILE_DATA, 80 + 24);
    memcpy(in.p + FILE_DATA, in.p + FILE_ATTRS, 80);
    put_at(AT_ATTRS + 8, 160, 8);
    put_at(AT_DATA, ids + 24, 8);
    put_at(FILE_ATTRS + 64, ids, 8);
    put_at(FILE_ATTRS + 72, 16, 8);
    put_at(FILE_DATA + 64, ids + 16, 8);
    put_at(ids, a, 8);
    put_at(ids + 8, b, 8);
    put_at(ids + 16, c, 8);
    RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1), c);
    put_at(AT_DATA + 8, in.len - ids - 24, 8);
}

enum { IDS = FILE_DATA + 80 };

static void each_id_is_that_of_one_attr(void **state)
{
    (void)state;
    static const struct {
        uint64_t a, b, c;
        enum pc_diag id;
        uint64_t at;
    } rows[] = {
        { 1, 2, 3, PC_NO_DIAG, 0 },
        { 1, 1, 3, PC_D_ID_REPEATED, IDS + 8 },
        { 1, 2, 2, PC_D_ID_DUPLICATE, IDS + 16 },
        { 0, 2, 3, PC_D_ID_ZERO, IDS },
    };
    static const enum pc_diag all[] = { PC_D_ID_REPEATED, PC_D_ID_DUPLICATE, PC_D_ID_ZERO };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_two(rows[i].a, rows[i].b, rows[i].c);
            for (size_t k = 0; k < PC_COUNT_OF(all); k++)
                expect(all[k], rows[i].id == all[k], rows[i].at);
            run();
            assert_int_equal(scan.capture.nr_attrs, 2);
            assert_int_equal(pc_capture_attr_of(&scan.capture, rows[i].b), rows[i].b == 1 ? 0 : 0);
            if (rows[i].c == 3)
                assert_int_equal(pc_capture_attr_of(&scan.capture, 3), 1);
            pc_scan_clear(&scan);
        }
    }
}

static void the_section_of_ids_is_in_the_file(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_two(1, 2, 3);
        put_at(FILE_ATTRS + 64, in.len - 16, 8);
        expect(PC_D_IDS_OUTSIDE, 0, 0);
        put_at(FILE_ATTRS + 64, in.len - 15, 8);
        expect(PC_D_IDS_OUTSIDE, 1, FILE_ATTRS + 64);
        put_at(FILE_ATTRS + 64, UINT64_MAX, 8);
        expect(PC_D_IDS_OUTSIDE, 1, FILE_ATTRS + 64);
        begin_two(1, 2, 3);
        put_at(FILE_ATTRS + 72, 15, 8);
        expect(PC_D_IDS_UNALIGNED, 1, FILE_ATTRS + 72);
        begin_two(1, 2, 3);
        put_at(FILE_DATA + 64, IDS + 8, 8); /* that of the first one too */
        expect(PC_D_IDS_SHARED, 1, IDS + 8);
    }
}

/* More ids than the buffer holds with which they are read. */
static void each_of_many_ids_is_known(void **state)
{
    (void)state;
    begin_file(PC_S_TID, 0);
    uint64_t at = in.len;
    for (uint64_t i = 1; i <= 5000; i++)
        put(3 * i, 8);
    put_at(FILE_ATTRS + 64, at, 8);
    put_at(FILE_ATTRS + 72, 40000, 8);
    run();
    for (uint64_t i = 1; i <= 5000; i++)
        assert_int_equal(pc_capture_attr_of(&scan.capture, 3 * i), 0);
    assert_int_equal(pc_capture_attr_of(&scan.capture, 3 * 5001), PC_NO_ATTR);
    assert_int_equal(scan.capture.attr[0].nr_ids, 5000);
    pc_scan_clear(&scan);
}

static void ids_of_a_pipe_are_placed_in_their_record(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_empty();
        put_attr(PC_S_TID | PC_S_ID, 0);
        uint64_t at = put_attr(PC_S_TID | PC_S_ID, 0); /* with id 1 too */
        expect(PC_D_ID_DUPLICATE, 1, at + 72);
        assert_int_equal(first.place, PC_IN_RECORD);
        put_at(at + 72, 0, 8);
        expect(PC_D_ID_ZERO, 1, at + 72);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_id_is_that_of_one_attr),
    cmocka_unit_test(the_section_of_ids_is_in_the_file),
    cmocka_unit_test(each_of_many_ids_is_known),
    cmocka_unit_test(ids_of_a_pipe_are_placed_in_their_record),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

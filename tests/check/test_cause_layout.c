/* SPDX-License-Identifier: MIT
 *
 * What the sections of a file tell about its errors: one wrong word, bytes that are missing or too many, a
 * cut.
 */
#include "pc_test.h"
#include "capture_bench.h"

/* A file with 40 records of 40 bytes. */
static uint64_t begin_sound(void)
{
    begin_file(PC_S_TID, 0);
    for (uint64_t i = 0; i < 40; i++)
        RECORD(PC_COMM, pair(i, i), chars("name"), 0, pair(i, i));
    return end_file();
}

static void a_sound_file_has_no_cause(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        run();
        assert_int_equal(scan.report.by_severity[PC_ERROR], 0);
        pc_scan_clear(&scan);
    }
}

static void one_wrong_word_of_the_header_is_named(void **state)
{
    (void)state;
    static const struct {
        uint64_t at;
        uint64_t wrong[2];
        const char *name;
    } rows[] = {
        { AT_SIZE, { 16 + 1, 0 }, "size" },
        { AT_ATTR_SIZE, { 88, 144 }, "attr_size" },
        { AT_ATTRS, { 120, 0 }, "attrs.offset" },
        { AT_ATTRS + 8, { 160, 72 }, "attrs.size" },
        { AT_DATA, { FILE_DATA + 8, FILE_DATA - 80 }, "data.offset" },
        { AT_DATA + 8, { 1608, 1592 }, "data.size" },
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            for (size_t k = 0; k < 2; k++) {
                begin_sound();
                uint64_t right = pc_load(in.p + rows[i].at, 8, in.order);
                put_at(rows[i].at, rows[i].wrong[k], 8);
                expect(PC_D_HEADER_WORD, 1, rows[i].at);
                assert_string_equal(first.path[0].name, rows[i].name);
                assert_int_equal(first.seen.n, rows[i].wrong[k]);
                assert_int_equal(first.expected.n, right);
                assert_int_equal(first.role, PC_CAUSE);
            }
        }
        begin_sound();
        put_at(0, 0x32454c4946524551, 8); /* the magic */
        expect(PC_D_HEADER_WORD, 1, 0);
        assert_string_equal(first.path[0].name, "magic");
    }
}

static void bytes_that_are_missing_or_too_many_are_counted(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        const uint64_t at = FILE_DATA + 400 + 8; /* in the eleventh record */
        begin_sound();
        take_out(at, 100);
        assert_int_equal(counted(PC_D_BYTES_LOST), 1);
        assert_int_equal(first.seen.n, 100);
        assert_in_range(first.offset, FILE_DATA + 400, FILE_DATA + 400 + 40);
        begin_sound();
        make_room(at, 3);
        assert_int_equal(counted(PC_D_BYTES_ADDED), 1);
        assert_int_equal(first.seen.n, 3);
        assert_in_range(first.offset, FILE_DATA + 400, FILE_DATA + 400 + 40);
    }
}

static void the_end_of_a_cut_file_is_placed(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        uint64_t table = begin_sound();
        size_t whole = in.len;
        const struct {
            uint64_t end;
            enum pc_diag id;
        } rows[] = {
            { whole - 1, PC_D_CUT_FEATURES }, { table + 1, PC_D_CUT_FEATURES },
            { table, PC_D_CUT_FEATURES },     { table - 1, PC_D_CUT_DATA },
            { FILE_DATA, PC_D_CUT_DATA },     { FILE_DATA - 1, PC_D_CUT_ATTRS },
        };
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            static const enum pc_diag all[] = { PC_D_CUT_FEATURES, PC_D_CUT_DATA, PC_D_CUT_ATTRS };
            in.len = (size_t)rows[i].end;
            for (size_t k = 0; k < PC_COUNT_OF(all); k++)
                expect(all[k], rows[i].id == all[k], rows[i].end);
            counted(rows[i].id);
            /* of the whole file, or of all up to the features: where these end is not known any more */
            assert_int_equal(first.seen.n, (rows[i].end < table + 32 ? table + 32 : whole) - rows[i].end);
        }
    }
}

static void one_wrong_entry_or_bit_of_the_features_is_named(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        uint64_t table = begin_sound();
        put_at(table, table, 8); /* HOSTNAME */
        expect(PC_D_FEATURE_ENTRY, 1, table);
        assert_int_equal(first.number, PC_HOSTNAME);
        begin_sound();
        put_at(table + 24, 9, 8); /* the size of NRCPUS */
        expect(PC_D_FEATURE_ENTRY, 0, 0);
        begin_sound();
        put_at(AT_FEATURES, (uint64_t)1 << PC_HOSTNAME | 1 << PC_NRCPUS | 1 << PC_VERSION, 8);
        expect(PC_D_FEATURE_BITS, 1, AT_FEATURES);
        assert_int_equal(first.seen.n, 3);
        assert_int_equal(first.expected.kind, PC_V_BYTES);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_sound_file_has_no_cause),
    cmocka_unit_test(one_wrong_word_of_the_header_is_named),
    cmocka_unit_test(bytes_that_are_missing_or_too_many_are_counted),
    cmocka_unit_test(the_end_of_a_cut_file_is_placed),
    cmocka_unit_test(one_wrong_entry_or_bit_of_the_features_is_named),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

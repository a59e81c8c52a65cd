/* SPDX-License-Identifier: MIT
 *
 * Bytes from any place of a file: as many as are there, with what is read otherwise than it is.
 */
#include "pc_test.h"
#include "read/reader.h"

static const unsigned char content[] = { 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 };
static struct pc_input in;
static struct pc_reader reader = { .in = &in };

static void open_as(enum pc_input_kind kind)
{
    pc_input_memory(&in, (struct pc_span){ content, sizeof(content) }, kind);
}

static void bytes_of_a_file_are_read_up_to_its_end(void **state)
{
    (void)state;
    static const struct {
        uint64_t offset;
        size_t n, got;
    } rows[] = { { 0, 10, 10 }, { 3, 4, 4 }, { 8, 4, 2 }, { 10, 4, 0 }, { 11, 1, 0 }, { UINT64_MAX, 8, 0 } };
    open_as(PC_INPUT_FILE);
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        unsigned char bytes[12] = { 0 };
        assert_int_equal(pc_reader_look(&reader, rows[i].offset, bytes, rows[i].n), rows[i].got);
        for (size_t at = 0; at < rows[i].got; at++)
            assert_int_equal(bytes[at], 10 + rows[i].offset + at);
    }
    pc_input_close(&in);
}

/* What lies behind the end is no error: the reader says what is wrong with such a section. */
static void bytes_behind_the_end_are_missed_in_silence(void **state)
{
    (void)state;
    unsigned char bytes[8];
    open_as(PC_INPUT_FILE);
    assert_true(pc_reader_look_whole(&reader, 2, bytes, 8));
    assert_int_equal(bytes[7], 19);
    assert_false(pc_reader_look_whole(&reader, 3, bytes, 8));
    assert_false(pc_reader_look_whole(&reader, UINT64_MAX, bytes, 8));
    pc_input_close(&in);
}

static void patches_are_seen(void **state)
{
    (void)state;
    static const struct pc_patch patch = { .offset = 4, .len = 2, .bytes = { 90, 91 } };
    unsigned char bytes[4];
    open_as(PC_INPUT_FILE);
    in.patch = &patch;
    in.nr_patches = 1;
    assert_int_equal(pc_reader_look(&reader, 3, bytes, 4), 4);
    assert_memory_equal(bytes, ((const unsigned char[]){ 13, 90, 91, 16 }), 4);
    pc_input_close(&in);
}

static void a_stream_cannot_be_looked_at(void **state)
{
    (void)state;
    unsigned char bytes[4];
    open_as(PC_INPUT_STREAM);
    assert_int_equal(pc_reader_look(&reader, 0, bytes, 4), 0);
    pc_input_close(&in);
}

/* While records are read, those of the window come from there; all others, and all before and after, do not.
 */
static void bytes_that_the_reader_has_are_not_read_again(void **state)
{
    (void)state;
    static const struct {
        enum pc_reader_stage stage;
        uint64_t offset;
        size_t n, got;
        unsigned char first;
    } rows[] = {
        { PC_READ_DATA, 3, 4, 4, 73 }, { PC_READ_CONTENT, 4, 3, 3, 74 },
        { PC_READ_DATA, 2, 4, 4, 12 }, { PC_READ_DATA, 4, 4, 4, 14 },
        { PC_READ_DATA, 8, 4, 2, 18 }, { PC_READ_FEATURES, 3, 4, 4, 13 },
        { PC_READ_OVER, 3, 4, 4, 13 }, { PC_READ_DATA, UINT64_MAX, 4, 0, 0 },
    };
    unsigned char window[] = { 73, 74, 75, 76 };
    open_as(PC_INPUT_FILE);
    reader.outer.bytes = window;
    reader.outer.offset = 3;
    reader.outer.len = sizeof(window);
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        unsigned char bytes[4] = { 0 };
        reader.stage = rows[i].stage;
        assert_int_equal(pc_reader_look_back(&reader, rows[i].offset, bytes, rows[i].n), rows[i].got);
        assert_int_equal(bytes[0], rows[i].first);
    }
    reader = (struct pc_reader){ .in = &in };
    pc_input_close(&in);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bytes_of_a_file_are_read_up_to_its_end),
    cmocka_unit_test(bytes_behind_the_end_are_missed_in_silence),
    cmocka_unit_test(patches_are_seen),
    cmocka_unit_test(a_stream_cannot_be_looked_at),
    cmocka_unit_test(bytes_that_the_reader_has_are_not_read_again),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * The window of the reader: headers that a writer can have written, and bytes that are skipped.
 */
#include "read/window.h"
#include "pc_test.h"
#include "read/reader.h"

static struct pc_capture capture;
static struct pc_reader reader = { .capture = &capture };

/* A header, by hand, in both byte orders: type, misc, size. */
static void a_header_is_plausible_if_its_type_allows_it(void **state)
{
    (void)state;
    static const struct {
        unsigned char little[8], big[8];
        bool plausible, may_follow;
    } rows[] = {
        /* FORK of 32 bytes; of 24, of 36; with a bit of misc that FORK does not have; of 40, with a trailer
         */
        { { 7, 0, 0, 0, 0, 0, 32, 0 }, { 0, 0, 0, 7, 0, 0, 0, 32 }, true, true },
        { { 7, 0, 0, 0, 0, 0, 24, 0 }, { 0, 0, 0, 7, 0, 0, 0, 24 }, false, false },
        { { 7, 0, 0, 0, 0, 0, 36, 0 }, { 0, 0, 0, 7, 0, 0, 0, 36 }, false, false },
        { { 7, 0, 0, 0, 1, 0, 32, 0 }, { 0, 0, 0, 7, 0, 1, 0, 32 }, false, false },
        { { 7, 0, 0, 0, 0, 0, 40, 0 }, { 0, 0, 0, 7, 0, 0, 0, 40 }, true, true },
        /* COMPRESSED (81) may have any size */
        { { 81, 0, 0, 0, 0, 0, 13, 0 }, { 0, 0, 0, 81, 0, 0, 0, 13 }, true, true },
        /* type 60, which nothing writes: follows, but is not plausible by itself */
        { { 60, 0, 0, 0, 0, 0, 16, 0 }, { 0, 0, 0, 60, 0, 0, 0, 16 }, false, true },
        { { 60, 0, 0, 0, 0, 0, 12, 0 }, { 0, 0, 0, 60, 0, 0, 0, 12 }, false, false },
        { { 60, 0, 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 60, 0, 0, 0, 0 }, false, false },
        /* type 0, and a type that is no number of a record */
        { { 0, 0, 0, 0, 0, 0, 16, 0 }, { 0, 0, 0, 0, 0, 0, 0, 16 }, false, false },
        { { 0, 0, 1, 0, 0, 0, 16, 0 }, { 0, 1, 0, 0, 0, 0, 0, 16 }, false, false },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        for (int big = 0; big < 2; big++) {
            const unsigned char *header = big ? rows[i].big : rows[i].little;
            uint64_t size = 0;
            capture.order = big ? PC_BIG : PC_LITTLE;
            if (pc_plausible_header(&reader, header, &size) != rows[i].plausible ||
                pc_may_follow(header, capture.order) != rows[i].may_follow)
                fail_msg("row %zu, %s-endian", i, big ? "big" : "little");
            assert_int_equal(size, rows[i].little[6]);
        }
    }
}

static void skipped_bytes_are_counted_from_the_first_one(void **state)
{
    (void)state;
    struct pc_reader r = { .skipped = 0 };
    pc_reader_skip(&r, 100, 8);
    pc_reader_skip(&r, 108, 3);
    assert_int_equal(r.skipped_at, 100);
    assert_int_equal(r.skipped, 11);
}

static void the_window_moves_its_bytes_and_keeps_the_last_record(void **state)
{
    (void)state;
    unsigned char bytes[16];
    struct pc_window window = {
        .bytes = bytes, .room = 16, .len = 16, .at = 12, .last_size = 2, .offset = 50
    };
    struct pc_reader r = { .w = &window };
    memcpy(bytes, "0123456789abcdef", 16);
    pc_reader_make_room(&r, 4);
    assert_int_equal(window.at, 2);
    assert_int_equal(window.len, 6);
    assert_int_equal(window.offset, 60);
    assert_memory_equal(bytes, "abcdef", 6);
    pc_reader_make_room(&r, 14); /* nothing is before the last record */
    assert_int_equal(window.at, 2);
    assert_int_equal(window.offset, 60);
}

/* The buffer is larger than the window, so that what is too much is seen and not written elsewhere. */
static unsigned char file[3 * PC_WINDOW], bytes_of_window[4 * PC_WINDOW];

/* The bytes asked for end behind the part that is filled at once. */
static void a_window_is_filled_up_to_its_room(void **state)
{
    (void)state;
    const size_t kib = 1024;
    struct pc_input in;
    pc_input_memory(&in, (struct pc_span){ file, sizeof(file) }, PC_INPUT_FILE);
    struct pc_window window = { .bytes = bytes_of_window,
                                .room = PC_WINDOW,
                                .at = 130 * kib,
                                .len = 257 * kib,
                                .last_size = 64 * kib,
                                .end = sizeof(file) };
    struct pc_reader r = { .w = &window, .in = &in };
    size_t n = 128 * kib;
    assert_true(pc_reader_refill(&r, n) >= n);
    assert_int_equal(window.at, 130 * kib);
    assert_int_equal(window.len, PC_WINDOW);
}

static void an_error_is_reported_where_it_came(void **state)
{
    (void)state;
    struct pc_mem mem;
    struct pc_policy policy;
    struct pc_report report;
    struct pc_input in;
    pc_mem_init(&mem, 1 << 20);
    pc_policy_init(&policy);
    pc_report_init(&report, &mem, &policy);
    pc_input_memory(&in, (struct pc_span){ file, sizeof(file) }, PC_INPUT_STREAM);
    in.at_most = 4;
    in.fail_at = 11; /* after two reads */
    struct pc_window window = {
        .bytes = bytes_of_window, .room = PC_WINDOW, .offset = 16, .end = UINT64_MAX
    };
    struct pc_reader r = { .w = &window, .in = &in, .report = &report };
    assert_int_equal(pc_reader_refill(&r, 12), 8);
    assert_int_equal(report.nr, 1);
    assert_int_equal(report.finding[0].id, PC_D_READ_FAILED);
    assert_int_equal(report.finding[0].offset, 16 + 8);
    pc_report_clear(&report);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_header_is_plausible_if_its_type_allows_it),
    cmocka_unit_test(skipped_bytes_are_counted_from_the_first_one),
    cmocka_unit_test(the_window_moves_its_bytes_and_keeps_the_last_record),
    cmocka_unit_test(a_window_is_filled_up_to_its_room),
    cmocka_unit_test(an_error_is_reported_where_it_came),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

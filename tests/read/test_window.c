/* SPDX-License-Identifier: MIT
 *
 * The window of the reader: its bytes, and those that are skipped.
 */
#include "read/window.h"
#include "report/report.h"
#include "pc_test.h"
#include "read/reader.h"

static void skipped_bytes_are_counted_from_the_first_one(void **state)
{
    (void)state;
    struct pc_reader r = { .skipped = 0 };
    pc_reader_skip(&r, 100, 8);
    pc_reader_skip(&r, 108, 3);
    assert_int_equal(r.skipped_at, 100);
    assert_int_equal(r.skipped, 11);
    assert_int_equal(r.skipped_run.offset, 100);
    assert_int_equal(r.skipped_run.size, 11);
    r.streams.where.stream = 3; /* of another member */
    pc_reader_skip(&r, 0, 5);
    pc_reader_skip(&r, 7, 0);
    assert_int_equal(r.skipped_at, 100);
    assert_int_equal(r.skipped_run.where.stream, 3);
    assert_int_equal(r.skipped_run.offset, 0);
    assert_int_equal(r.skipped_run.size, 5);
    assert_int_equal(r.skipped_run.before, 11);
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

static const struct pc_limits limits = { .ahead = UINT64_MAX };

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
    struct pc_reader r = { .w = &window, .in = &in, .limits = &limits };
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
    struct pc_reader r = { .w = &window, .in = &in, .limits = &limits, .report = &report };
    assert_int_equal(pc_reader_refill(&r, 12), 8);
    assert_int_equal(report.nr, 1);
    assert_int_equal(report.finding[0].id, PC_D_READ_FAILED);
    assert_int_equal(report.finding[0].offset, 16 + 8);
    pc_report_clear(&report);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(skipped_bytes_are_counted_from_the_first_one),
    cmocka_unit_test(the_window_moves_its_bytes_and_keeps_the_last_record),
    cmocka_unit_test(a_window_is_filled_up_to_its_room),
    cmocka_unit_test(an_error_is_reported_where_it_came),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

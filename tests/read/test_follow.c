/* SPDX-License-Identifier: MIT
 *
 * Whether records follow each other from a place on.
 */
#include "read/follow.h"
#include "capture_bench.h"
#include "pc_test.h"
#include "read/reader.h"

#define SIZE 32
#define NR   16

static struct pc_capture capture;
static struct pc_reader reader = { .capture = &capture };

/* Records, and nothing behind them. */
static void put_records(void)
{
    begin_empty();
    in.len = 0;
    for (uint64_t i = 0; i < NR; i++)
        RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
    capture.order = in.order;
    reader.outer = (struct pc_window){ .bytes = in.p, .len = in.len, .end = in.len };
    reader.w = &reader.outer;
}

static void three_headers_or_those_up_to_the_end_count(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        put_records();
        assert_true(pc_records_begin(&reader, 0, in.len));
        assert_true(pc_records_follow(&reader, SIZE));
        assert_false(pc_records_begin(&reader, 8, in.len));
        assert_false(pc_records_follow(&reader, 8));
        assert_true(pc_records_begin(&reader, (NR - 1) * SIZE, in.len)); /* the last one leads to the end */
        put_at(2 * SIZE, 0, 4);                                          /* the third has no type */
        assert_false(pc_records_begin(&reader, 0, in.len));
        assert_false(pc_records_follow(&reader, SIZE));
        assert_true(pc_records_begin(&reader, 3 * SIZE, in.len));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(three_headers_or_those_up_to_the_end_count),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * Records of attrs at the beginning of a pipe, for which zeros stand.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "write/repair_records.h"

enum { ATTR = 64, RECORD = 8 + ATTR + 8, EVENT = ATTR + 4 + 68 + 8, END = PC_PIPE_HEADER_SIZE + 2 * RECORD };

static void put_head(uint64_t type, uint64_t size)
{
    put(type, 4);
    put(size << (in.order == PC_LITTLE ? 16 : 0), 4);
}

static void put_config(uint64_t config)
{
    put(0, 4);
    put(ATTR, 4);
    put(config, 8);
    put_text("", ATTR - 16);
}

static void put_own_record(uint64_t i)
{
    put_head(PC_HEADER_ATTR, RECORD);
    put_config(i);
    put(70 + i, 8);
}

/* Two attrs with an id each, a record of `room` bytes, and EVENT_DESC. */
static void put_pipe(uint64_t room)
{
    in.len = 0;
    put_text("", PC_PIPE_HEADER_SIZE); /* nobody looks at it */
    for (uint64_t i = 1; i <= 2; i++)
        put_own_record(i);
    put_head(PC_COMM, room);
    for (uint64_t at = 8; at < room; at += 8)
        put(0x7878787878787878, 8);
    put_head(PC_HEADER_FEATURE, PC_FEATURE_HEAD + 8 + 2 * EVENT);
    put(PC_EVENT_DESC, 8);
    put(2, 4);
    put(ATTR, 4);
    for (uint64_t i = 1; i <= 2; i++) {
        put_config(i);
        put(1, 4);
        put_string("cycles");
        put(70 + i, 8);
    }
}

static bool are_zeros(void)
{
    static struct pc_salvage salvage;
    salvage = (struct pc_salvage){ .no_memory = false };
    struct pc_desc desc = { .s = &salvage, .order = in.order };
    pc_mem_init(&salvage.mem, 1 << 20);
    pc_input_memory(&desc.in, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
    assert_true(pc_desc_find_record(&desc, PC_PIPE_HEADER_SIZE));
    const bool zeros = pc_repair_records_are_zeros(&desc, END);
    pc_desc_forget(&desc);
    pc_free(&salvage.mem, desc.event, desc.cap * sizeof(*desc.event));
    assert_int_equal(salvage.mem.used, 0);
    return zeros;
}

static void zero(size_t from, size_t to)
{
    memset(in.p + from, 0, to - from);
}

/* From any of their bytes on, into the record behind them. */
static void zeros_may_begin_anywhere(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t from = 0; from <= END; from++) {
            put_pipe(80);
            zero(from, END + 20);
            assert_true(are_zeros());
        }
    }
}

static void other_bytes_are_no_zeros(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        put_pipe(80);
        assert_false(are_zeros()); /* the record behind them is there */
        for (size_t at = PC_PIPE_HEADER_SIZE; at < END; at++) {
            put_pipe(80);
            zero(PC_PIPE_HEADER_SIZE, END + 20);
            in.p[at] = 0xa5;
            assert_false(are_zeros());
        }
    }
}

/* Zeros stand for other records, which came first. */
static void attrs_are_not_made_twice(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        put_pipe(8 + RECORD);
        zero(PC_PIPE_HEADER_SIZE, END + 8);
        const size_t behind = in.len;
        in.len = END + 8;
        put_own_record(2); /* which was not the first record */
        in.len = behind;
        assert_false(are_zeros());
        put_pipe(80);
        zero(PC_PIPE_HEADER_SIZE, END + 20);
        assert_true(are_zeros());
        put_head(PC_FINISHED_ROUND, 8);
        assert_true(are_zeros());
        put_own_record(1);
        assert_false(are_zeros());
    }
}

/* A feature of 4 bytes came first. */
static void attrs_need_no_multiple_of_8(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        put_pipe(8 + 4 + RECORD);
        zero(PC_PIPE_HEADER_SIZE, END + 12);
        assert_true(are_zeros());
        const size_t behind = in.len;
        in.len = END + 12;
        put_own_record(2);
        in.len = behind;
        assert_false(are_zeros());
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(zeros_may_begin_anywhere),
    cmocka_unit_test(other_bytes_are_no_zeros),
    cmocka_unit_test(attrs_are_not_made_twice),
    cmocka_unit_test(attrs_need_no_multiple_of_8),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

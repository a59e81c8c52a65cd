/* SPDX-License-Identifier: MIT */
#include "pc_test.h"
#include "bytes/cursor.h"

static void take_moves_exactly_n_or_not_at_all(void **state)
{
    (void)state;
    struct pc_cursor c = pc_cursor(SPAN(1, 2, 3, 4, 5), PC_LITTLE);
    struct pc_span s;
    assert_true(pc_take(&c, 2, &s));
    assert_int_equal(s.len, 2);
    assert_int_equal(s.ptr[0], 1);
    assert_false(pc_take(&c, 4, &s));
    assert_false(pc_take(&c, UINT64_MAX, &s));
    assert_int_equal(c.pos, 2);
    assert_true(pc_take(&c, 3, &s));
    assert_int_equal(pc_left(&c), 0);
    assert_true(pc_take(&c, 0, &s));
    assert_false(pc_take(&c, 1, &s));
}

static void integers_are_read_in_the_order_of_the_file(void **state)
{
    (void)state;
    static const unsigned char bytes[] = { 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0xf8 };
    static const struct {
        unsigned width;
        uint64_t little, big;
    } cases[] = {
        { 1, 0x01, 0x01 },
        { 2, 0x0201, 0x0102 },
        { 4, 0x04030201, 0x01020304 },
        { 8, 0xf807060504030201, 0x01020304050607f8 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(cases); i++) {
        struct pc_cursor little = pc_cursor((struct pc_span){ bytes, 8 }, PC_LITTLE);
        struct pc_cursor big = pc_cursor((struct pc_span){ bytes, 8 }, PC_BIG);
        uint64_t n;
        assert_true(pc_peek(&little, 0, cases[i].width, &n) && n == cases[i].little && little.pos == 0);
        assert_true(pc_uint(&little, cases[i].width, &n) && n == cases[i].little);
        assert_true(pc_uint(&big, cases[i].width, &n) && n == cases[i].big);
        assert_int_equal(big.pos, cases[i].width);
    }
}

static void no_integer_reaches_past_the_end(void **state)
{
    (void)state;
    struct guarded g = guarded_new(64);
    for (unsigned width = 1; width <= 8; width *= 2) {
        for (unsigned have = 0; have < width; have++) {
            struct pc_cursor c = pc_cursor(guarded_put(&g, "\1\2\3\4\5\6\7", have), PC_BIG);
            uint64_t n = 77;
            assert_false(pc_uint(&c, width, &n));
            assert_false(pc_peek(&c, 0, width, &n));
            assert_false(pc_peek(&c, 1, width, &n));
            assert_int_equal(n, 77);
            assert_int_equal(c.pos, 0);
        }
    }
    struct pc_cursor c = pc_cursor(guarded_put(&g, "\1\2\3\4\5\6\7\10", 8), PC_LITTLE);
    uint64_t n;
    assert_false(pc_peek(&c, UINT64_MAX, 1, &n));
    assert_false(pc_peek(&c, 8, 1, &n));
    assert_true(pc_peek(&c, 7, 1, &n) && n == 8);
    guarded_free(&g);
}

static void a_narrowed_cursor_ends_early_and_keeps_its_offsets(void **state)
{
    (void)state;
    struct pc_cursor c = pc_cursor(SPAN(1, 2, 3, 4, 5, 6), PC_LITTLE), sub;
    uint64_t n;
    assert_true(pc_uint(&c, 2, &n));
    assert_true(pc_narrow(&c, 3, &sub));
    assert_int_equal(sub.pos, 2);
    assert_int_equal(pc_left(&sub), 3);
    assert_false(pc_uint(&sub, 4, &n));
    assert_false(pc_narrow(&c, 5, &sub));
    assert_int_equal(c.pos, 2);
}

static void a_string_is_taken_with_its_nul_or_not_at_all(void **state)
{
    (void)state;
    struct pc_cursor c = pc_cursor(SPAN('a', 'b', 0, 'c', 'd'), PC_LITTLE);
    struct pc_span s;
    assert_true(pc_take_string(&c, &s));
    assert_int_equal(s.len, 3);
    assert_false(pc_take_string(&c, &s));
    assert_int_equal(c.pos, 3);
}

static void zeros_are_found(void **state)
{
    (void)state;
    assert_int_equal(pc_first_zero(SPAN(1, 2, 0, 3)), 2);
    assert_int_equal(pc_first_zero(SPAN(1, 2)), 2);
    assert_int_equal(pc_first_zero(SPAN(7)), 1);
    assert_int_equal(pc_first_zero(SPAN(0)), 0);
    assert_int_equal(pc_first_zero((struct pc_span){ NULL, 0 }), 0);
    assert_int_equal(pc_first_nonzero(SPAN(0, 0, 5)), 2);
    assert_int_equal(pc_first_nonzero(SPAN(0, 0)), 2);
}

static void sums_and_products_report_overflow(void **state)
{
    (void)state;
    uint64_t n;
    assert_true(pc_add(UINT64_MAX - 1, 1, &n) && n == UINT64_MAX);
    assert_false(pc_add(UINT64_MAX, 1, &n));
    assert_true(pc_mul((uint64_t)1 << 32, UINT32_MAX, &n));
    assert_false(pc_mul((uint64_t)1 << 32, (uint64_t)1 << 32, &n));
    assert_true(pc_add_saturated(UINT64_MAX, 5) == UINT64_MAX);
    assert_int_equal(pc_align8(0), 0);
    assert_int_equal(pc_align8(1), 8);
    assert_int_equal(pc_align8(8), 8);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(take_moves_exactly_n_or_not_at_all),
    cmocka_unit_test(integers_are_read_in_the_order_of_the_file),
    cmocka_unit_test(no_integer_reaches_past_the_end),
    cmocka_unit_test(a_narrowed_cursor_ends_early_and_keeps_its_offsets),
    cmocka_unit_test(a_string_is_taken_with_its_nul_or_not_at_all),
    cmocka_unit_test(zeros_are_found),
    cmocka_unit_test(sums_and_products_report_overflow),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

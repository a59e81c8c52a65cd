/* SPDX-License-Identifier: MIT
 *
 * Findings and other texts, escaped and in pieces.
 */
#include "lib_bench.h"

/* All pieces together. */
static void expect_escaped(const char *text, int keep, size_t size, const char *expected)
{
    char piece[64], whole[600] = "";
    size_t n;
    while ((n = perfcheck_escape(text, keep, piece, size)) != 0) {
        assert_true(strlen(piece) < size);
        strcat(whole, piece);
        text += n;
    }
    assert_int_equal(*text, 0);
    assert_string_equal(whole, expected);
}

static void text_is_escaped_in_pieces(void **state)
{
    (void)state;
    char long_text[150], same[400] = "", *to = long_text;
    for (size_t size = 33; size <= 64; size++) {
        expect_escaped("", 0, size, "");
        expect_escaped("a\x1b[31m\xff", 0, size, "a\\x1b[31m\\xff");
        expect_escaped("a\x1b[31m\xff", 1, size, "a\x1b[31m\\xff");
        expect_escaped("1234567\\x41", 0, size, "1234567\\x5cx41");
    }
    for (size_t i = 0; i < 40; i++) /* characters of three bytes stay whole, wherever a piece ends */
        to = stpcpy(to, "\xe2\x82\xac");
    for (size_t size = 33; size <= 64; size++) {
        snprintf(same, sizeof(same), "%.*s%s", (int)(size % 3), "xx", long_text);
        expect_escaped(same, 0, size, same);
    }
    assert_true(perfcheck_escape("text", 0, long_text, 32) == 0);
    assert_true(perfcheck_escape(NULL, 0, long_text, 64) == 0);
    assert_true(perfcheck_escape("text", 0, NULL, 64) == 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(text_is_escaped_in_pieces),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

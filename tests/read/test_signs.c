/* SPDX-License-Identifier: MIT
 *
 * Signs of a transfer as text: line ends, and characters of UTF-8 (RFC 3629), also across pieces.
 */
#include "pc_test.h"
#include "read/signs.h"

static struct pc_signs signs_of(const char *text, size_t len, size_t piece, uint64_t most)
{
    struct pc_signs signs = { 0 };
    for (size_t at = 0; at < len; at += piece) {
        size_t n = len - at < piece ? len - at : piece;
        pc_signs_add(&signs, (struct pc_span){ (const unsigned char *)text + at, n }, most);
    }
    return signs;
}

static void each_sequence_of_utf_8_counts_once(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t sequences, not_latin;
        bool is;
    } rows[] = {
        { "abc", 0, 0, true },
        { "\xc2\x80\xc3\xbf", 2, 0, true },  /* U+0080, U+00FF: Latin-1 */
        { "\xc4\x80", 1, 1, true },          /* U+0100 */
        { "\xe2\x82\xac", 1, 1, true },      /* three bytes */
        { "\xf4\x8f\xbf\xbf", 1, 1, true },  /* four */
        { "\xc1\x80", 1, 0, false },         /* longer than needed */
        { "\xf5\x80\x80\x80", 2, 1, false }, /* above U+10FFFF */
        { "\xc3"
          "a",
          1, 0, false }, /* ends early */
        { "\xc3\xc3\xa4", 2, 0, false },
        { "\x80", 1, 0, false },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        for (size_t piece = 1; piece < 5; piece++) {
            struct pc_signs s = signs_of(rows[i].text, strlen(rows[i].text), piece, UINT64_MAX);
            if (s.not_utf_8 == rows[i].is)
                fail_msg("row %zu", i);
            if (rows[i].is) {
                assert_int_equal(s.sequences, rows[i].sequences);
                assert_int_equal(s.not_latin, rows[i].not_latin);
            }
        }
    }
}

static void line_feeds_after_a_carriage_return_are_counted(void **state)
{
    (void)state;
    static const char text[] = "\r\na\n\r\r\n\n\r";
    for (size_t piece = 1; piece < sizeof(text); piece++) {
        struct pc_signs s = signs_of(text, sizeof(text) - 1, piece, UINT64_MAX);
        assert_int_equal(s.returned, 2);
        assert_int_equal(s.count['\n'], 4);
        assert_int_equal(s.count['\r'], 4);
        assert_int_equal(s.bytes, sizeof(text) - 1);
    }
}

static void no_more_bytes_than_asked_for_are_looked_at(void **state)
{
    (void)state;
    for (uint64_t most = 0; most < 6; most++) {
        struct pc_signs s = signs_of("\n\n\n\n", 4, 3, most);
        assert_int_equal(s.bytes, most < 4 ? most : 4);
        assert_int_equal(s.count['\n'], s.bytes);
    }
}

/* Sixteen characters and a line end after them are text, from the first one on. */
static void lines_of_text_begin_at_the_place_or_before_it(void **state)
{
    (void)state;
    static const unsigned char bytes[] = "\x01\x02"
                                         "Warning: events were lost\n"
                                         "\x03"
                                         "short\n";
    const struct pc_span all = { bytes, sizeof(bytes) - 1 };
    size_t from = 0, to = 0;
    assert_true(pc_signs_find_lines(all, 10, &from, &to));
    assert_int_equal(from, 2);
    assert_int_equal(to, 28);
    assert_true(pc_signs_find_lines(all, 4, &from, &to)); /* what is before the place may be a number */
    assert_int_equal(from, 4);
    assert_false(pc_signs_find_lines(all, 1, &from, &to));
    assert_false(pc_signs_find_lines((struct pc_span){ bytes + 28, 7 }, 6, &from, &to));
}

/* Words of zeros and of ASCII are taken as such; pieces of one byte are none. */
static void pieces_of_any_size_tell_the_same(void **state)
{
    (void)state;
    static const char some[] = "\0\0\0\0a\n\r\xc3\xa4\xe2";
    char text[4096];
    uint64_t random = 1;
    for (size_t i = 0; i < sizeof(text); i++) {
        random = random * 6364136223846793005 + 1442695040888963407;
        /* One byte in 16 at first, so that words are of zeros; later each. */
        const bool any = (random >> 33) % 16 <= i / 256;
        text[i] = any ? some[(random >> 40) % (sizeof(some) - 1)] : '\0';
    }
    const struct pc_signs each = signs_of(text, sizeof(text), 1, sizeof(text) - 5);
    for (size_t piece = 7; piece < sizeof(text); piece += 500) {
        const struct pc_signs s = signs_of(text, sizeof(text), piece, sizeof(text) - 5);
        assert_memory_equal(s.count, each.count, sizeof(s.count));
        assert_int_equal(s.bytes, each.bytes);
        assert_int_equal(s.returned, each.returned);
        assert_int_equal(s.sequences, each.sequences);
        assert_int_equal(s.not_latin, each.not_latin);
        assert_int_equal(s.not_utf_8, each.not_utf_8);
        assert_int_equal(s.last, each.last);
        assert_int_equal(s.expected, each.expected);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_sequence_of_utf_8_counts_once),
    cmocka_unit_test(line_feeds_after_a_carriage_return_are_counted),
    cmocka_unit_test(lines_of_text_begin_at_the_place_or_before_it),
    cmocka_unit_test(pieces_of_any_size_tell_the_same),
    cmocka_unit_test(no_more_bytes_than_asked_for_are_looked_at),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

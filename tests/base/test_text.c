/* SPDX-License-Identifier: MIT
 *
 * Escaping of text from captures: what is valid UTF-8 (RFC 3629), and what is a control character.
 */
#include "base/text.h"
#include "pc_test.h"

#include <errno.h>

static struct pc_span span_of(const char *text)
{
    return (struct pc_span){ (const unsigned char *)text, strlen(text) };
}

/* `plain` is the text for people, `other` for JSON; NULL: the same. */
static void escaping_keeps_valid_text_only(void **state)
{
    (void)state;
    static const struct {
        const char *text, *plain, *other;
    } rows[] = {
        { "", "", NULL },
        { "abc ~", "abc ~", NULL },
        { "\xc3\xa9", "\xc3\xa9", NULL },                     /* U+00E9 */
        { "\xff", "\\xff", NULL },                            /* never a first byte */
        { "\xa9", "\\xa9", NULL },                            /* a second byte alone */
        { "\xc0\x80", "\\xc0\\x80", NULL },                   /* 0 in two bytes */
        { "\xc1\xbf", "\\xc1\\xbf", NULL },                   /* 0x7f in two */
        { "\xe0\x9f\xbf", "\\xe0\\x9f\\xbf", NULL },          /* 0x7ff in three */
        { "\xe0\xa0\x80", "\xe0\xa0\x80", NULL },             /* U+0800, the first of three */
        { "\xed\x9f\xbf", "\xed\x9f\xbf", NULL },             /* U+D7FF */
        { "\xed\xa0\x80", "\\xed\\xa0\\x80", NULL },          /* U+D800, the first surrogate */
        { "\xed\xb0\x80", "\\xed\\xb0\\x80", NULL },          /* U+DC00, the first low one */
        { "\xed\xbf\xbf", "\\xed\\xbf\\xbf", NULL },          /* U+DFFF, the last one */
        { "\xee\x80\x80", "\xee\x80\x80", NULL },             /* U+E000 */
        { "\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf", NULL }, /* 0xffff in four */
        { "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf", NULL },     /* U+10FFFF, the last one */
        { "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", NULL }, /* after it */
        { "\xe2\x82", "\\xe2\\x82", NULL },                   /* cut */
        { "\xe2\x82z", "\\xe2\\x82z", NULL },                 /* not a second byte */
        { "\\x41", "\\x5cx41", NULL },                        /* looks like an escape */
        { "\\n\\", "\\n\\", NULL },                           /* does not */
        { "a\nb\x1b", "a\\x0ab\\x1b", "a\nb\x1b" },           /* C0 */
        { "\x7f", "\\x7f", "\x7f" },                          /* DEL */
        { "\xc2\x80\xc2\x9f\xc2\xa0", "\\xc2\\x80\\xc2\\x9f\xc2\xa0",
          "\xc2\x80\xc2\x9f\xc2\xa0" }, /* C1 and U+00A0 */
        { "\xe2\x80\x8d\xe2\x80\x8e", "\xe2\x80\x8d\\xe2\\x80\\x8e",
          "\xe2\x80\x8d\xe2\x80\x8e" }, /* U+200D, U+200E */
        { "\xe2\x80\x8f\xe2\x80\x90", "\\xe2\\x80\\x8f\xe2\x80\x90",
          "\xe2\x80\x8f\xe2\x80\x90" }, /* U+200F, U+2010 */
        { "\xe2\x80\xa7\xe2\x80\xa8", "\xe2\x80\xa7\\xe2\\x80\\xa8",
          "\xe2\x80\xa7\xe2\x80\xa8" }, /* U+2027, U+2028 */
        { "\xe2\x80\xae\xe2\x80\xaf", "\\xe2\\x80\\xae\xe2\x80\xaf",
          "\xe2\x80\xae\xe2\x80\xaf" }, /* U+202E, U+202F */
        { "\xe2\x81\xa5\xe2\x81\xa6", "\xe2\x81\xa5\\xe2\\x81\\xa6",
          "\xe2\x81\xa5\xe2\x81\xa6" }, /* U+2065, U+2066 */
        { "\xe2\x81\xa9\xe2\x81\xaa", "\\xe2\\x81\\xa9\xe2\x81\xaa",
          "\xe2\x81\xa9\xe2\x81\xaa" }, /* U+2069, U+206A */
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        char to[PC_ESCAPED_MAX(16)];
        assert_int_equal(pc_text_escape(span_of(rows[i].text), true, to), strlen(rows[i].plain));
        assert_string_equal(to, rows[i].plain);
        pc_text_escape(span_of(rows[i].text), false, to);
        assert_string_equal(to, rows[i].other ? rows[i].other : rows[i].plain);
    }
}

static void a_nul_is_always_escaped(void **state)
{
    (void)state;
    char to[PC_ESCAPED_MAX(3)];
    assert_int_equal(pc_text_escape(SPAN('a', 0, 'b'), true, to), 6);
    assert_string_equal(to, "a\\x00b");
    assert_int_equal(pc_text_escape(SPAN('a', 0, 'b'), false, to), 6);
    assert_string_equal(to, "a\\x00b");
}

/* \xNN for each. */
static void a_text_grows_to_four_times_its_length(void **state)
{
    (void)state;
    char text[16] = "", to[65] = "";
    assert_int_equal(pc_text_escape((struct pc_span){ (const unsigned char *)text, sizeof(text) }, true, to),
                     64);
    assert_int_equal(strlen(to), 64);
    assert_int_equal(PC_ESCAPED_MAX(sizeof(text)), sizeof(to));
}

static void escaping_reads_no_byte_after_the_text(void **state)
{
    (void)state;
    struct guarded g = guarded_new(16);
    static const char *const texts[] = { "\xe2\x82", "\xf0\x90", "\xc3", "\\" };
    for (size_t i = 0; i < PC_COUNT_OF(texts); i++) {
        char to[PC_ESCAPED_MAX(4)];
        struct pc_span text = guarded_put(&g, texts[i], strlen(texts[i]));
        assert_int_equal(pc_text_escape(text, true, to),
                         text.len == 1 && *text.ptr == '\\' ? 1 : 4 * text.len);
    }
    guarded_free(&g);
}

static void the_length_of_a_sequence_is_that_of_its_first_character(void **state)
{
    (void)state;
    assert_int_equal(pc_text_utf8_length(span_of("ab")), 1);
    assert_int_equal(pc_text_utf8_length(span_of("\xc3\xa9z")), 2);
    assert_int_equal(pc_text_utf8_length(span_of("\xe2\x80\xa8z")), 3);
    assert_int_equal(pc_text_utf8_length(span_of("\xf0\x90\x80\x80z")), 4);
    assert_int_equal(pc_text_utf8_length(span_of("\x80")), 0);
    assert_int_equal(pc_text_utf8_length(span_of("\xf0\x90\x80")), 0);
}

static void text_is_utf8_to_its_end(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_utf8;
    } rows[] = {
        { "", true },
        { "ab\n", true },
        { "\xc3\xa9z\xf0\x90\x80\x80", true },
        { "ab\xe9", false },
        { "\xe9"
          "ab",
          false },
        { "ab\xe2\x80", false },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++)
        assert_int_equal(pc_text_is_utf8(span_of(rows[i].text)), rows[i].is_utf8);
}

/* ASCII is looked at in words; what is none is found wherever it is. */
static void a_wrong_byte_is_found_at_each_place(void **state)
{
    (void)state;
    unsigned char text[40];
    struct guarded g = guarded_new(sizeof(text));
    for (size_t len = 0; len <= sizeof(text); len++) {
        memset(text, 'a', sizeof(text));
        assert_true(pc_text_is_utf8(guarded_put(&g, text, len)));
        for (size_t at = 0; at < len; at++) {
            text[at] = 0xe9;
            assert_false(pc_text_is_utf8(guarded_put(&g, text, len)));
            if (at + 1 < len) {
                text[at] = 0xc3;
                text[at + 1] = 0xa9;
                assert_true(pc_text_is_utf8(guarded_put(&g, text, len)));
                text[at + 1] = 'a';
            }
            text[at] = 'a';
        }
    }
    guarded_free(&g);
}

static void every_errno_has_a_text(void **state)
{
    (void)state;
    assert_string_equal(pc_text_error(ENOENT), "No such file or directory");
    assert_string_equal(pc_text_error(512), "kernel error 512 (ERESTARTSYS)");
    assert_string_equal(pc_text_error(524), "kernel error 524 (ENOTSUPP)");
    assert_string_equal(pc_text_error(530), "kernel error 530 (ERECALLCONFLICT)");
    assert_string_equal(pc_text_error(511), "an error without a name");
    assert_string_equal(pc_text_error(531), "an error without a name");
    assert_string_equal(pc_text_error(-1), "an error without a name");
}

/* Each byte may become four characters; a NUL ends them. */
static void the_room_is_that_of_the_longest_text(void **state)
{
    (void)state;
    enum { N = 16 };
    char bytes[N + 1], to[5 * N];
    memset(bytes, 1, N);
    bytes[N] = 0;
    assert_int_equal(pc_text_escape(span_of(bytes), true, to), 4 * N);
    assert_int_equal(PC_ESCAPED_MAX(N), strlen(to) + 1);
    assert_int_equal(PC_ESCAPED_MAX(0), 1);
}

static void a_distance_counts_mistakes(void **state)
{
    (void)state;
    char long_word[65], longer[70];
    static const struct {
        const char *a, *b;
        size_t distance;
    } rows[] = {
        { "", "", 0 },
        { "check", "check", 0 },
        { "CHECK", "check", 0 },
        { "", "dump", 4 },
        { "dump", "", 4 },
        { "chek", "check", 1 },      /* left out */
        { "checck", "check", 1 },    /* added */
        { "dimp", "dump", 1 },       /* exchanged */
        { "rewriet", "rewrite", 1 }, /* swapped */
        { "ca", "abc", 3 },          /* a letter takes part in one swap only */
        { "split", "join", 4 },      /* the i is in both */
        { "kitten", "sitting", 3 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        assert_int_equal(pc_text_distance(rows[i].a, rows[i].b), rows[i].distance);
        assert_int_equal(pc_text_distance(rows[i].b, rows[i].a), rows[i].distance);
    }
    memset(long_word, 'x', sizeof(long_word));
    memset(longer, 'x', sizeof(longer));
    long_word[63] = longer[69] = 0;
    assert_int_equal(pc_text_distance(long_word, long_word), 0);
    long_word[63] = 'x';
    long_word[64] = 0;
    assert_int_equal(pc_text_distance(long_word, "x"), 64);
    assert_int_equal(pc_text_distance(long_word, longer), 69);
}

static void the_word_that_is_most_alike_is_suggested(void **state)
{
    static const char *const words[] = { "little", "file", "pipe", "native", "PC0201", "files0-from" };
    static const struct {
        const char *mistake, *meant;
    } rows[] = {
        { "fiel", "file" },     { "litle", "little" },
        { "pile", "file" }, /* the first of two */
        { "ntvie", NULL },      { "x", NULL },
        { "", NULL },           { "pc0201", "PC0201" },
        { "PCO201", "PC0201" }, { "PC0202", NULL },
        { "PC02011", NULL },    { "PC020", NULL }, /* other numbers */
        { "file1", "file" },    { "files-from", "files0-from" },
        { "nat", "native" },    { "little-endian", "little" },
        { "PC0", NULL },        { "na", NULL },
        { "FILE", "file" },     { "Files0", "files0-from" },
    };
    (void)state;
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        const char *best = NULL;
        for (size_t k = 0; k < PC_COUNT_OF(words); k++)
            pc_text_suggest(rows[i].mistake, words[k], &best);
        assert_true(best == rows[i].meant || (best && rows[i].meant && strcmp(best, rows[i].meant) == 0));
    }
}

static void a_list_has_whole_words(void **state)
{
    static const char list[] = "csv|jsonl|sql", *const there[] = { "csv", "jsonl", "sql" },
                      *const missing[] = { "cs", "json", "sqlite", "l", "csv|jsonl", "|", "sql|" };
    (void)state;
    for (size_t i = 0; i < PC_COUNT_OF(there); i++)
        assert_true(pc_text_has_word(list, there[i]));
    for (size_t i = 0; i < PC_COUNT_OF(missing); i++)
        assert_false(pc_text_has_word(list, missing[i]));
}

static void a_number_or_size_is_read_as_a_whole(void **state)
{
    static const struct {
        const char *text;
        bool is_number, is_size;
        uint64_t n;
    } rows[] = {
        { "0", true, true, 0 },
        { "18446744073709551615", true, true, UINT64_MAX },
        { "18446744073709551616", false, false, 0 },
        { "2K", false, true, 2048 },
        { "3M", false, true, 3145728 },
        { "16G", false, true, 17179869184 },
        { "17179869184G", false, false, 0 },
        { "", false, false, 0 },
        { "-1", false, false, 0 },
        { " 1", false, false, 0 },
        { "1k", false, false, 0 },
        { "1KB", false, false, 0 },
        { "K", false, false, 0 },
    };
    (void)state;
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        uint64_t number = 77, size = 77; /* which stays */
        assert_int_equal(pc_text_number(rows[i].text, false, &number), rows[i].is_number);
        assert_true(number == (rows[i].is_number ? rows[i].n : 77));
        assert_int_equal(pc_text_number(rows[i].text, true, &size), rows[i].is_size);
        assert_true(size == (rows[i].is_size ? rows[i].n : 77));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_room_is_that_of_the_longest_text),
    cmocka_unit_test(escaping_keeps_valid_text_only),
    cmocka_unit_test(a_nul_is_always_escaped),
    cmocka_unit_test(a_text_grows_to_four_times_its_length),
    cmocka_unit_test(escaping_reads_no_byte_after_the_text),
    cmocka_unit_test(the_length_of_a_sequence_is_that_of_its_first_character),
    cmocka_unit_test(text_is_utf8_to_its_end),
    cmocka_unit_test(a_wrong_byte_is_found_at_each_place),
    cmocka_unit_test(every_errno_has_a_text),
    cmocka_unit_test(a_distance_counts_mistakes),
    cmocka_unit_test(the_word_that_is_most_alike_is_suggested),
    cmocka_unit_test(a_list_has_whole_words),
    cmocka_unit_test(a_number_or_size_is_read_as_a_whole),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

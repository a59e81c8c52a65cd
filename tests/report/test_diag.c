/* SPDX-License-Identifier: MIT */
#include "pc_test.h"
#include "report/diag.h"
#include "lib/describe.h"
#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

static void ids_and_names_are_unique_and_well_formed(void **state)
{
    (void)state;
    for (int i = 1; i < PC_DIAG_COUNT; i++) {
        const struct pc_diag_info *a = pc_diag_info((enum pc_diag)i);
        assert_int_equal(strlen(a->id), 6);
        assert_true(strncmp(a->id, "PC", 2) == 0 && strspn(a->id + 2, "0123456789") == 4);
        assert_int_equal(strspn(a->name, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(a->name));
        assert_true(strlen(a->message) > 5 && strlen(a->explanation) > 15);
        for (int k = i + 1; k < PC_DIAG_COUNT; k++) {
            const struct pc_diag_info *b = pc_diag_info((enum pc_diag)k);
            assert_string_not_equal(a->name, b->name);
            assert_true(strcmp(a->id, b->id) < 0); /* in order, so that a gap or a reuse is seen in review */
        }
        assert_int_equal(pc_diag_find(a->id), i);
        assert_int_equal(pc_diag_find(a->name), i);
        assert_int_equal(pc_diag_is_unreadable((enum pc_diag)i), a->id[2] == '0' && a->id[3] == '0');
        assert_int_equal(pc_diag_is_for_reader((enum pc_diag)i), a->id[2] == '1' && a->id[3] == '1');
        assert_int_equal(pc_diag_is_for_copy((enum pc_diag)i), a->id[2] == '1' && a->id[3] == '3');
    }
    assert_int_equal(pc_diag_find("PC9999"), PC_NO_DIAG);
    assert_int_equal(pc_diag_find(""), PC_NO_DIAG);
    assert_string_equal(pc_diag_like("magic-unkonwn"), "magic-unknown");
    assert_string_equal(pc_diag_like("class:unsave"), "class:unsafe");
    assert_null(pc_diag_like("PC9999"));
}

/* What no perf may be given is an error, and says what it does. */
static void unsafe_findings_are_errors_and_say_what_they_harm(void **state)
{
    (void)state;
    size_t nr = 0;
    for (int i = 1; i < PC_DIAG_COUNT; i++) {
        const struct pc_unsafe_info *harm = pc_diag_unsafe((enum pc_diag)i);
        if (!harm)
            continue;
        nr++;
        assert_int_equal(pc_diag_info((enum pc_diag)i)->severity, PC_ERROR);
        assert_true(harm->versions != PC_BY_NONE && !pc_diag_is_for_reader((enum pc_diag)i));
        assert_true(harm->commands[0] >= 'a' && harm->commands[0] <= 'z');
        assert_int_equal(strspn(harm->commands, "abcdefghijklmnopqrstuvwxyz0123456789-, "),
                         strlen(harm->commands));
        assert_true(*harm->cve == 0 || strncmp(harm->cve, "CVE-", 4) == 0);
        assert_true(strlen(harm->harm) > 15 && harm->harm[strlen(harm->harm) - 1] == '.');
    }
    assert_true(nr > 0);
}

static void assert_short_sentences(const char *id, const char *text)
{
    size_t n = strlen(text), words = 1, most = 0;
    for (size_t i = 0; i < n; i++) {
        words += text[i] == ' ';
        most = words > most ? words : most;
        if (text[i] == '.' && (i + 1 == n || text[i + 1] == ' '))
            words = 0;
    }
    if (n == 0 || text[n - 1] != '.' || text[0] == ' ' || strstr(text, "  ") || most > 25)
        fail_msg("%s: one space between words, sentences of at most 25 words, and full stops, not: %s", id,
                 text);
}

static void texts_are_short_sentences_and_each_error_has_a_next_step(void **state)
{
    (void)state;
    for (int i = 1; i < PC_DIAG_COUNT; i++) {
        const struct pc_diag_info *info = pc_diag_info((enum pc_diag)i);
        assert_short_sentences(info->id, info->explanation);
        if (*info->next || info->severity == PC_ERROR)
            assert_short_sentences(info->id, info->next);
    }
}

/* Copies of captures with errors are refused, except of those that they mend. */
static void next_steps_fit_the_kind_of_finding(void **state)
{
    (void)state;
    for (int i = 1; i < PC_DIAG_COUNT; i++) {
        enum pc_diag id = (enum pc_diag)i;
        const struct pc_diag_info *info = pc_diag_info(id);
        if (strstr(info->next, "perf-X.Y") || strstr(info->next, "No copy can be made for this version"))
            assert_true(pc_diag_is_for_reader(id));
        if (strstr(info->next, "Do not open the capture"))
            assert_true(pc_diag_unsafe(id) || id == PC_D_LIMIT_RATIO);
        if (strstr(info->next, "perfcheck rewrite IN OUT") && info->severity == PC_ERROR)
            assert_true(id == PC_D_COMPRESSED2_WRAPPED || id == PC_D_CORESIGHT_INDEX ||
                        pc_diag_is_for_reader(id));
        if (strstr(info->next, "start the reader of the pipe"))
            assert_true(id == PC_D_STREAM_CUT || id == PC_D_PAYLOAD_CUT);
    }
}

static void messages_use_known_placeholders_only(void **state)
{
    (void)state;
    for (int i = 1; i < PC_DIAG_COUNT; i++) {
        for (const char *t = pc_diag_info((enum pc_diag)i)->message; (t = strchr(t, '{')) != NULL; t++)
            assert_true((t[1] == 'f' || t[1] == 's' || t[1] == 'e') && t[2] == '}');
    }
}

static void published_ids_do_not_change(void **state)
{
    (void)state;
    /* those of CONTRACT.md, and the ends of each area as they were first given out */
    assert_string_equal(pc_diag_info(pc_diag_find("PC0203"))->name, "record-size-too-small");
    assert_string_equal(pc_diag_info(pc_diag_find("PC0412"))->name, "mmap-filename-unterminated");
    assert_string_equal(pc_diag_info(pc_diag_find("PC0125"))->name, "unfinished-capture");
    assert_string_equal(pc_diag_info(pc_diag_find("PC0308"))->name, "sample-type-unknown");
    assert_string_equal(pc_diag_info(pc_diag_find("PC0520"))->name, "sample-layout");
    assert_string_equal(pc_diag_info(pc_diag_find("PC0812"))->name, "header-string-length");
    assert_string_equal(pc_diag_info(pc_diag_find("PC0903"))->name, "stream-cut");
}

static void assert_escaped(struct pc_span text, bool plain, const char *expected)
{
    char to[200];
    size_t n = pc_text_escape(text, plain, to);
    assert_string_equal(to, expected);
    assert_int_equal(n, strlen(expected));
}

static void no_control_byte_passes(void **state)
{
    (void)state;
    assert_escaped(SPAN('a', 27, '[', '3', '1', 'm'), true, "a\\x1b[31m");
    assert_escaped(SPAN('a', '\n', 0x7f, 0), true, "a\\x0a\\x7f\\x00");
    assert_escaped(SPAN(0xc2, 0x9b), true, "\\xc2\\x9b"); /* U+009B: a control sequence introducer */
    assert_escaped(SPAN(0xc2, 0x9b), false, "\xc2\x9b");  /* JSON escapes for itself */
    for (unsigned c = 0; c < 256; c++) {
        char to[8];
        unsigned char byte = (unsigned char)c;
        pc_text_escape((struct pc_span){ &byte, 1 }, true, to);
        for (const char *t = to; *t; t++)
            assert_true(*t >= 0x20 && *t < 0x7f);
    }
}

static void utf_8_stays_and_other_bytes_are_escaped(void **state)
{
    (void)state;
    assert_escaped(SPAN(0xc3, 0xa4, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80), true,
                   "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    assert_escaped(SPAN(0xff, 'a'), false, "\\xffa");
    assert_escaped(SPAN(0xc0, 0x80), false, "\\xc0\\x80");                       /* overlong NUL */
    assert_escaped(SPAN(0xe0, 0x80, 0x80), false, "\\xe0\\x80\\x80");            /* overlong */
    assert_escaped(SPAN(0xed, 0xa0, 0x80), false, "\\xed\\xa0\\x80");            /* surrogate */
    assert_escaped(SPAN(0xf4, 0x90, 0x80, 0x80), false, "\\xf4\\x90\\x80\\x80"); /* above U+10FFFF */
    assert_escaped(SPAN(0xe2, 0x82), false, "\\xe2\\x82");                       /* cut */
}

static void text_that_looks_like_an_escape_is_escaped(void **state)
{
    (void)state;
    assert_escaped(SPAN('\\', 'x', 'f', 'f'), false, "\\x5cxff");
    assert_escaped(SPAN('\\', '\\', 'x'), true, "\\\\x5cx");
    assert_escaped(SPAN('\\', 0xff), true, "\\\\xff"); /* a backslash, and the escape of a byte */
    assert_escaped(SPAN('\\', 'X', '\\'), true, "\\X\\");
}

static void long_text_is_not_cut_after_a_backslash(void **state)
{
    (void)state;
    for (size_t at = 240; at < 260; at++) {
        char text[300], expected[310];
        struct pc_buffer b;
        memset(text, 'a', sizeof(text));
        memset(expected, 'a', sizeof(expected));
        memcpy(text + at, "\\x", 2);
        memcpy(expected + at, "\\x5cx", 5);
        text[280] = expected[283] = 0;
        pc_buffer_init(&b);
        pc_put_escaped(&b, text, true);
        assert_string_equal(b.text, expected);
    }
}

static void versions_are_found_by_their_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is_one;
        enum pc_versions found, before;
    } rows[] = {
        { "perf-5.10", true, PC_BY_5_10, PC_BY_NONE },
        { "perf-7.2", true, PC_BY_7_2, PC_BY_6_12 },
        { "6.1", true, PC_BY_6_1, PC_BY_5_10 },
        { "6.12.9999", true, PC_BY_6_12, PC_BY_6_1 },
        { "perf-6.10", true, PC_BY_NONE, PC_BY_6_1 },
        { "6.0", true, PC_BY_NONE, PC_BY_5_10 },
        { "5.9", true, PC_BY_NONE, PC_BY_NONE },
        { "10.1", true, PC_BY_NONE, PC_BY_7_2 },
        { "all", true, PC_BY_ALL, PC_BY_NONE },
        { "simpleperf", true, PC_BY_SIMPLEPERF, PC_BY_NONE },
        { "simpleperf-1", false, 0, 0 },
        { "", false, 0, 0 },
        { "perf-", false, 0, 0 },
        { "7", false, 0, 0 },
        { "7.", false, 0, 0 },
        { "7.2.", false, 0, 0 },
        { "7.2.1.1", false, 0, 0 },
        { "perf 7.2", false, 0, 0 },
        { "7.22222", false, 0, 0 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        enum pc_versions found, before;
        assert_int_equal(pc_version_find(rows[i].name, &found, &before), rows[i].is_one);
        assert_int_equal(found, rows[i].found);
        assert_int_equal(before, rows[i].before);
    }
    assert_string_equal(pc_version_name(PC_BY_6_12), "perf 6.12");
    assert_string_equal(pc_version_name(PC_BY_SIMPLEPERF), "simpleperf");
    assert_int_equal(pc_version_next(PC_BY_ALL, PC_BY_7_2), PC_BY_NONE);
    assert_int_equal(pc_version_next(PC_BY_ALL | PC_BY_SIMPLEPERF, PC_BY_7_2), PC_BY_SIMPLEPERF);
}

/* What none of the measured perfs reads is an error, unless it is a finding about one of them. */
static void what_no_perf_reads_is_an_error(void **state)
{
    (void)state;
    for (int i = 1; i < PC_DIAG_COUNT; i++) {
        const struct pc_diag_info *info = pc_diag_info((enum pc_diag)i);
        if (info->rejected_by == PC_BY_ALL && info->severity != PC_ERROR)
            fail_msg("%s: no perf reads such a capture, and it is no error", info->id);
    }
}

/* Each errno has a text, those that only the kernel knows too, which some file systems let out. */
static void every_errno_has_a_text(void **state)
{
    (void)state;
    for (int error = -1; error < 5000; error++)
        assert_true(strlen(pc_text_error(error)) > 4);
    assert_string_equal(pc_text_error(ENOSPC), "No space left on device");
    assert_string_equal(pc_text_error(512), "kernel error 512 (ERESTARTSYS)");
    assert_string_equal(pc_text_error(524), "kernel error 524 (ENOTSUPP)");
    assert_string_equal(pc_text_error(530), "kernel error 530 (ERECALLCONFLICT)");
    for (int error = 512; error <= 530; error++) {
        char number[32];
        snprintf(number, sizeof(number), "kernel error %d", error);
        assert_memory_equal(pc_text_error(error), number, strlen(number));
    }
    assert_string_equal(pc_text_error(511), pc_text_error(531));
    assert_string_equal(pc_text_error(INT_MAX), pc_text_error(INT_MIN));
}

/* A text in a finding may be of any length, and all of it is shown. */
static void a_text_of_any_length_is_shown(void **state)
{
    (void)state;
    static struct pc_buffer message;
    char text[3001], *escaped = test_malloc(4 * sizeof(text));
    struct pc_finding f = { .id = PC_D_READ_FAILED, .place = PC_IN_HEADER, .number = PC_NO_INDEX };
    for (size_t len = 150; len < sizeof(text); len += 95) {
        memset(text, 1, len);
        text[len] = 0;
        f.seen = pc_text_value(text);
        pc_buffer_init(&message);
        pc_put_message(&message, &f, true);
        for (size_t i = 0; i < len; i++)
            memcpy(escaped + 4 * i, "\\x01", 5);
        assert_non_null(strstr(message.text, escaped));
    }
    test_free(escaped);
}

static void numbers_and_nouns_agree(void **state)
{
    (void)state;
    static const struct {
        enum pc_diag id;
        uint64_t seen, expected;
        const char *text;
    } cases[] = {
        { PC_D_DATA_LEFTOVER, 1, 8,
          "1 byte is left at the end of the data section, less than a record header" },
        { PC_D_DATA_LEFTOVER, 0, 8,
          "0 bytes are left at the end of the data section, less than a record header" },
        { PC_D_DATA_LEFTOVER, 2, 8,
          "2 bytes are left at the end of the data section, less than a record header" },
        { PC_D_NAMESPACES_NR, 1, 0, ": 1 entry does not fit the bytes that are left (at most 0)" },
        { PC_D_NAMESPACES_NR, 11, 1, ": 11 entries do not fit the bytes that are left (at most 1)" },
        { PC_D_NAMESPACES_COUNT, 1, 7, "1 namespace, known kernels write 7" },
        { PC_D_CONTENT_TOO_LONG, 2, 1, "the record decompresses to more than 1 byte" },
        { PC_D_FEATURE_GAP, 1, 0, "1 unused byte before " },
        { PC_D_FEATURE_PADDED, 1, 0, "1 zero byte after the content" },
        { PC_D_AUXTRACE_INDEX_CUT, 1, 1, "the index has 1 entry, the data 1 AUXTRACE record" },
        { PC_D_LOST_MANY, 1, 1, "1 record was lost, 1 sample is here" },
        { PC_D_LOST_SAMPLES_MANY, 1, 2, "1 sample was lost, 2 samples are here" },
        { PC_D_TOO_MANY_IDS_HELD, 0, 1, "more than 1 event id: the id map is full" },
        { PC_D_EVENT_TYPES_COUNT, 1, 2, "1 event type for 2 attrs" },
        { PC_D_ATTRS_TOO_MANY, 1, 1, "1 attr, at most 1 is read" },
        { PC_D_DIR_UNKNOWN, 1, 3, "1 entry that belongs to no capture; the first is 3" },
        { PC_D_UNFINISHED, 1, 1,
          "the recording was not finished: data size is 1, but 1 byte follows the header" },
        { PC_D_RECORD_SIZE, 1, 8, "size 1 is less than the record header of 8 bytes" },
    };
    for (size_t i = 0; i < PC_COUNT_OF(cases); i++) {
        struct pc_finding f = { .id = cases[i].id,
                                .place = PC_AT_END,
                                .seen = pc_uint_value(cases[i].seen),
                                .expected = pc_uint_value(cases[i].expected) };
        struct pc_buffer message;
        pc_buffer_init(&message);
        pc_put_message(&message, &f, true);
        assert_string_equal(message.text, cases[i].text);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(ids_and_names_are_unique_and_well_formed),
    cmocka_unit_test(unsafe_findings_are_errors_and_say_what_they_harm),
    cmocka_unit_test(texts_are_short_sentences_and_each_error_has_a_next_step),
    cmocka_unit_test(next_steps_fit_the_kind_of_finding),
    cmocka_unit_test(messages_use_known_placeholders_only),
    cmocka_unit_test(published_ids_do_not_change),
    cmocka_unit_test(no_control_byte_passes),
    cmocka_unit_test(utf_8_stays_and_other_bytes_are_escaped),
    cmocka_unit_test(text_that_looks_like_an_escape_is_escaped),
    cmocka_unit_test(long_text_is_not_cut_after_a_backslash),
    cmocka_unit_test(versions_are_found_by_their_names),
    cmocka_unit_test(what_no_perf_reads_is_an_error),
    cmocka_unit_test(every_errno_has_a_text),
    cmocka_unit_test(a_text_of_any_length_is_shown),
    cmocka_unit_test(numbers_and_nouns_agree),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

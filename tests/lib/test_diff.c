/* SPDX-License-Identifier: MIT
 *
 * Where two structures differ, and how this is told.
 */
#include "lib/diff.h"
#include "pc_test.h"

#include <string.h>

static struct pc_span span(const char *text)
{
    return (struct pc_span){ (const unsigned char *)text, strlen(text) };
}

static void the_first_byte_that_differs_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        size_t first;
        bool equal;
    } rows[] = {
        { "", "", 0, true },        { "", "x", 0, false },       { "abc", "abc", 3, true },
        { "abc", "abd", 2, false }, { "abc", "abcd", 3, false }, { "xbc", "abc", 0, false },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        const struct pc_span a = span(rows[i].a), b = span(rows[i].b);
        assert_int_equal(pc_diff_first(a, b), rows[i].first);
        assert_int_equal(pc_diff_first(b, a), rows[i].first);
        assert_int_equal(pc_diff_is_equal(a, b), rows[i].equal);
    }
    assert_true(pc_diff_is_equal((struct pc_span){ NULL, 0 }, span("")));
}

struct told {
    perfcheck_kind_t kind;
    char text[100];
};

static void take(void *ctx, perfcheck_kind_t kind, const char *where, const char *a, const char *b)
{
    struct told *told = ctx;
    told->kind = kind;
    snprintf(told->text, sizeof(told->text), "%s: %s | %s", where, a, b);
}

static void a_difference_is_told_with_its_place_and_values(void **state)
{
    (void)state;
    static struct pc_diff d;
    struct told told;
    d = (struct pc_diff){ .callback = take, .ctx = &told, .kind = PERFCHECK_FEATURE };
    for (uint64_t n = 1; n < 3; n++) {
        pc_diff_begin(&d);
        pc_put(&d.path, "features.NRCPUS.online");
        pc_diff_put_numbers(&d, n, UINT64_MAX);
        pc_diff_end(&d);
        assert_int_equal(d.differences, n);
    }
    assert_int_equal(told.kind, PERFCHECK_FEATURE);
    assert_string_equal(told.text, "features.NRCPUS.online: 2 | 18446744073709551615");
    d.callback = NULL;
    pc_diff_begin(&d);
    pc_diff_end(&d);
    assert_int_equal(d.differences, 3);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_first_byte_that_differs_is_found),
    cmocka_unit_test(a_difference_is_told_with_its_place_and_values),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

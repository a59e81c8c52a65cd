/* SPDX-License-Identifier: MIT
 *
 * What differs in two captures, by kind.
 */
#include "lib_bench.h"

struct differences {
    char text[400];
    size_t len;
};

static void take_difference(void *ctx, perfcheck_kind_t kind, const char *where, const char *a, const char *b)
{
    struct differences *d = ctx;
    d->len += (size_t)snprintf(d->text + d->len, sizeof(d->text) - d->len, "%d %s: %s | %s\n", (int)kind,
                               where, a, b);
}

static void differences_are_told_by_kind(void **state)
{
    (void)state;
    struct differences d = { .len = 0 };
    assemble(RECIPE("0x400100", "box"), one_path);
    assemble(RECIPE("0x400200", "den"), other_path);
    perfcheck_t *a = open_path(one_path), *b = open_path(other_path);
    assert_int_equal(perfcheck_diff(a, b, take_difference, &d), PERFCHECK_OK);
    assert_string_equal(d.text, "3 records[1].SAMPLE.ip: 0x400100 | 0x400200\n"
                                "2 features.HOSTNAME.value: box | den\n");
    assert_true(perfcheck_summary(a)->samples == 2 && perfcheck_verdict(b) == PERFCHECK_VALID);
    assert_int_equal(perfcheck_diff(a, b, take_difference, &d), PERFCHECK_MISUSE); /* they were read */
    assert_int_equal(perfcheck_open_path(a, one_path), PERFCHECK_OK);
    assert_int_equal(perfcheck_diff(a, a, NULL, NULL), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_open_memory(b, "no capture", 10), PERFCHECK_OK);
    assert_int_equal(perfcheck_diff(a, b, NULL, NULL), PERFCHECK_REFUSED);
    assert_string_equal(perfcheck_error(a), "");
    assert_string_equal(perfcheck_error(b), "the capture has errors");
    assert_non_null(perfcheck_finding(b, 0));
    assert_int_equal(perfcheck_diff(a, NULL, NULL, NULL), PERFCHECK_MISUSE);
    perfcheck_free(a);
    perfcheck_free(b);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(differences_are_told_by_kind),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

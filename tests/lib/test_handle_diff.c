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

static int stop_at_once(void *ctx, const char *doing, uint64_t done, uint64_t total)
{
    (void)ctx, (void)doing, (void)done, (void)total;
    return 1;
}

static int stop_at_finding(void *ctx, const perfcheck_finding_t *finding)
{
    (void)ctx, (void)finding;
    return 1;
}

static void a_callback_stops_a_comparison(void **state)
{
    (void)state;
    const struct real_capture *c = capture_named("5.10-pipe2file");
    for (int side = 0; side < 3; side++) {
        perfcheck_t *pc[2] = { perfcheck_new(), perfcheck_new() };
        if (side == 2)
            assert_int_equal(perfcheck_on_progress(pc[0], stop_at_once, NULL), PERFCHECK_OK);
        else
            assert_int_equal(perfcheck_on_finding(pc[side], stop_at_finding, NULL), PERFCHECK_OK);
        for (int k = 0; k < 2; k++)
            assert_int_equal(perfcheck_open_memory(pc[k], c->bytes, c->len), PERFCHECK_OK);
        assert_int_equal(perfcheck_diff(pc[0], pc[1], NULL, NULL), PERFCHECK_STOPPED);
        assert_string_equal(perfcheck_error(pc[side % 2]), "a callback ended it");
        assert_string_equal(perfcheck_error(pc[1 - side % 2]), "");
        perfcheck_free(pc[0]);
        perfcheck_free(pc[1]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_callback_stops_a_comparison),
    cmocka_unit_test(differences_are_told_by_kind),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

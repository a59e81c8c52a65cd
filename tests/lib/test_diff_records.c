/* SPDX-License-Identifier: MIT
 *
 * Records that are compared many at once differ as they do one by one.
 */
#include "lib_bench.h"

enum { SAMPLES = 300 };

/* A capture of equal samples, but for those with these numbers; so many of them are left out at the end. */
static void make(const char *path, bool big, const unsigned other[2], unsigned less)
{
    static char recipe[SAMPLES * 100 + 1000];
    size_t n = (size_t)snprintf(recipe, sizeof(recipe),
                                "expect: valid\norder %s\nfile\n"
                                "attr type=1 config=2 sample_period=5 sample_type=IP|TID|TIME|CALLCHAIN "
                                "flags=disabled|sample_id_all\ndata\n",
                                big ? "big" : "little");
    for (unsigned i = 0; i < SAMPLES - less; i++) {
        bool differs = i == other[0] || i == other[1];
        n += (size_t)snprintf(recipe + n, sizeof(recipe) - n,
                              "record SAMPLE misc=USER ; u64 0x400%s ; u32 100 100 ; u64 1000 %s ; end\n",
                              differs ? "200" : "100", i % 7 == 3 ? "2 1 2" : "0");
    }
    snprintf(recipe + n, sizeof(recipe) - n, "feature NRCPUS ; u32 4 2 ; end\n");
    assemble(recipe, path);
}

struct told {
    char text[2][64];
    size_t nr;
};

static void take_difference(void *ctx, perfcheck_kind_t kind, const char *where, const char *a, const char *b)
{
    struct told *told = ctx;
    assert_int_equal(kind, PERFCHECK_RECORD);
    assert_true(told->nr < 2);
    snprintf(told->text[told->nr++], sizeof(told->text[0]), "%s: %s | %s", where, a, b);
}

static struct told compare(void)
{
    struct told told = { .nr = 0 };
    perfcheck_t *a = open_path(one_path), *b = open_path(other_path);
    assert_int_equal(perfcheck_diff(a, b, take_difference, &told), PERFCHECK_OK);
    assert_int_equal(perfcheck_verdict(a), PERFCHECK_VALID);
    assert_int_equal(perfcheck_verdict(b), PERFCHECK_VALID);
    perfcheck_free(a);
    perfcheck_free(b);
    return told;
}

static void a_sample_among_many_is_named(void **state)
{
    (void)state;
    static const unsigned none[2] = { SAMPLES, SAMPLES };
    static const unsigned changed[][2] = {
        { 0, SAMPLES - 1 }, { 1, 2 }, { 3, 10 }, { 150, 151 }, { 298, 299 }
    };
    for (unsigned orders = 0; orders < 4; orders++) {
        make(one_path, orders & 1, none, 0);
        make(other_path, orders & 2, none, 0);
        assert_int_equal(compare().nr, 0);
        for (size_t i = 0; i < PC_COUNT_OF(changed); i++) {
            make(other_path, orders & 2, changed[i], 0);
            struct told told = compare();
            assert_int_equal(told.nr, 2);
            for (unsigned k = 0; k < 2; k++) {
                char wanted[64];
                snprintf(wanted, sizeof(wanted), "records[%u].SAMPLE.ip: 0x400100 | 0x400200", changed[i][k]);
                assert_string_equal(told.text[k], wanted);
            }
        }
        make(other_path, orders & 2, none, 1);
        struct told told = compare();
        assert_int_equal(told.nr, 1);
        assert_string_equal(told.text[0], "records: 300 | 299");
    }
}

/* Records of tasks, which come many at once up to the first that is not sound. */
static void make_tasks(const char *path, unsigned other, bool sound)
{
    static char recipe[10000];
    size_t n = (size_t)snprintf(recipe, sizeof(recipe),
                                "expect: %s\nfile\n"
                                "attr type=1 config=2 sample_period=5 sample_type=IP|TID|TIME "
                                "flags=disabled|sample_id_all\ndata\n",
                                sound ? "valid" : "invalid");
    for (unsigned i = 0; i < 40; i++)
        n += (size_t)snprintf(recipe + n, sizeof(recipe) - n,
                              "record FORK ; u32 %u 99 %u %u ; u64 1000 ; u32 99 99 ; u64 1000 ; end\n",
                              100 + i, 100 + i,
                              i == 30 && !sound ? 100 + i
                              : i == other      ? 98
                                                : 99);
    snprintf(recipe + n, sizeof(recipe) - n, "feature NRCPUS ; u32 4 2 ; end\n");
    assemble(recipe, path);
}

static void records_before_one_that_is_not_sound_are_those_that_differ(void **state)
{
    (void)state;
    make_tasks(one_path, 40, false);
    make_tasks(other_path, 20, true);
    for (unsigned k = 0; k < 2; k++) {
        struct told told = { .nr = 0 };
        perfcheck_t *a = open_path(k == 0 ? one_path : other_path),
                    *b = open_path(k == 0 ? other_path : one_path);
        assert_int_equal(perfcheck_diff(a, b, take_difference, &told), PERFCHECK_REFUSED);
        assert_string_equal(told.text[0],
                            k == 0 ? "records[20].FORK.ptid: 99 | 98" : "records[20].FORK.ptid: 98 | 99");
        perfcheck_free(a);
        perfcheck_free(b);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_sample_among_many_is_named),
    cmocka_unit_test(records_before_one_that_is_not_sound_are_those_that_differ),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

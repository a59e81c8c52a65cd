/* SPDX-License-Identifier: MIT
 *
 * Samples of a file with the same bytes are not judged again, and nothing is told otherwise than if they
 * were.
 */
#include "lib_bench.h"
#include "lib/handle.h"

enum { SAMPLES = 3000, PART = 30 };

/* A capture of samples; those from `odd` on have another address. A COMM comes before every 500 of them. */
static void make(const char *path, unsigned odd, const char *host)
{
    static char recipe[SAMPLES * 100 + 2000];
    size_t n = (size_t)snprintf(recipe, sizeof(recipe),
                                "expect: valid\nfile\n"
                                "attr type=1 config=2 sample_period=5 sample_type=IP|TID|TIME "
                                "flags=disabled|sample_id_all\ndata\n");
    for (unsigned i = 0; i < SAMPLES; i++) {
        if (i % 500 == 0)
            n += (size_t)snprintf(recipe + n, sizeof(recipe) - n,
                                  "record COMM ; u32 100 100 ; str \"one\" ; u32 100 100 ; u64 900 ; end\n");
        n += (size_t)snprintf(recipe + n, sizeof(recipe) - n,
                              "record SAMPLE misc=USER ; u64 0x400%s ; u32 100 100 ; u64 1000 ; end\n",
                              i >= odd ? "200" : "100");
    }
    snprintf(recipe + n, sizeof(recipe) - n, "feature HOSTNAME ; hstr \"%s\" ; end\n", host);
    assemble(recipe, path);
}

struct told {
    char first[100];
    size_t nr;
};

static void take_difference(void *ctx, perfcheck_kind_t kind, const char *where, const char *a, const char *b)
{
    struct told *told = ctx;
    (void)kind;
    if (told->nr++ == 0)
        snprintf(told->first, sizeof(told->first), "%s: %s | %s", where, a, b);
}

/* Both are told of as if each was checked alone. */
static void expect_summary(perfcheck_t *pc, const char *path)
{
    perfcheck_t *alone = open_path(path);
    assert_int_equal(perfcheck_check(alone), PERFCHECK_OK);
    const perfcheck_summary_t *a = perfcheck_summary(alone), *b = perfcheck_summary(pc);
    assert_true(a->records == b->records && a->samples == b->samples && a->size == b->size);
    assert_true(a->first_time == b->first_time && a->last_time == b->last_time);
    assert_int_equal(perfcheck_verdict(pc), perfcheck_verdict(alone));
    for (perfcheck_severity_t s = PERFCHECK_NOTE; s <= PERFCHECK_ERROR; s++)
        assert_true(perfcheck_count(pc, s) == perfcheck_count(alone, s));
    perfcheck_free(alone);
}

/* Compares the files. Samples that were judged for the second one are more than `least` and at most `most`.
 */
static struct told compare(const char *reader, uint64_t least, uint64_t most)
{
    struct told told = { .nr = 0 };
    perfcheck_t *a = perfcheck_new(), *b = perfcheck_new();
    if (reader)
        assert_int_equal(perfcheck_set(b, "for", reader), PERFCHECK_OK);
    assert_int_equal(perfcheck_open_path(a, one_path), PERFCHECK_OK);
    assert_int_equal(perfcheck_open_path(b, other_path), PERFCHECK_OK);
    assert_int_equal(perfcheck_diff(a, b, take_difference, &told), PERFCHECK_OK);
    const uint64_t spared = pc_scan_work(&a->scan) - pc_scan_work(&b->scan);
    if (SAMPLES - spared <= least || SAMPLES - spared > most)
        fail_msg("%u of %u were judged", (unsigned)(SAMPLES - spared), (unsigned)SAMPLES);
    expect_summary(a, one_path);
    if (!reader)
        expect_summary(b, other_path);
    perfcheck_free(a);
    perfcheck_free(b);
    return told;
}

static void samples_of_the_same_bytes_are_judged_once(void **state)
{
    (void)state;
    make(one_path, SAMPLES, "box");
    make(other_path, SAMPLES, "box");
    assert_int_equal(compare(NULL, 0, SAMPLES / PART).nr, 0);
}

static void they_are_judged_from_the_first_difference_on(void **state)
{
    (void)state;
    make(one_path, SAMPLES, "box");
    make(other_path, 1700, "box");
    struct told told = compare(NULL, SAMPLES - 1700, SAMPLES - 1500 + SAMPLES / PART);
    assert_int_equal(told.nr, SAMPLES - 1700);
    assert_string_equal(told.first, "records[1704].SAMPLE.ip: 0x400100 | 0x400200");
}

static void they_are_judged_when_anything_else_differs(void **state)
{
    (void)state;
    make(one_path, SAMPLES, "box");
    make(other_path, SAMPLES, "den"); /* behind the records */
    struct told told = compare(NULL, SAMPLES - 1, SAMPLES);
    assert_int_equal(told.nr, 1);
    assert_string_equal(told.first, "features.HOSTNAME.value: box | den");
    make(other_path, SAMPLES, "box");
    assert_int_equal(compare("perf-6.1", SAMPLES - 1, SAMPLES).nr, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(samples_of_the_same_bytes_are_judged_once),
    cmocka_unit_test(they_are_judged_from_the_first_difference_on),
    cmocka_unit_test(they_are_judged_when_anything_else_differs),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

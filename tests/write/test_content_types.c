/* SPDX-License-Identifier: MIT
 *
 * Names of events as perf before 3.12 wrote them become EVENT_DESC: its bytes, and when there is none.
 */
#include "check/scan.h"
#include "scratch.h"
#include "write/content.h"

static char path[SCRATCH_PATH];
static struct pc_scan scan;
static struct pc_content content;
static unsigned char made[2048];
static size_t made_len;

static void take(void *ctx, const unsigned char *bytes, size_t n)
{
    (void)ctx;
    assert_true(n <= sizeof(made) - made_len);
    memcpy(made + made_len, bytes, n);
    made_len += n;
}

/* Whether the capture has an EVENT_DESC, whose bytes are then in `made`, in little-endian order. */
static bool makes(const char *recipe)
{
    struct pc_policy policy;
    struct pc_limits limits;
    struct pc_content_item item;
    char text[2048];
    snprintf(text, sizeof(text), "expect: valid\n%s", recipe);
    assemble(text, path);
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    pc_scan_init(&scan, &policy, &limits);
    assert_true(pc_scan_open(&scan, path));
    pc_content_init(&content, &scan, PC_LITTLE, true, NULL);
    do {
        pc_content_next(&content, &item);
    } while (item.kind != PC_CONTENT_END);
    assert_true(pc_content_is_whole(&content));
    bool there = pc_bit(content.parts.present, PC_EVENT_DESC);
    made_len = 0;
    content.own.attr_size = pc_content_attr_size(&content);
    if (there)
        assert_true(pc_content_feature(&content, PC_EVENT_DESC, take, NULL));
    pc_content_clear(&content);
    pc_scan_clear(&scan);
    return there;
}

static uint64_t get(size_t at, size_t n)
{
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++)
        value |= (uint64_t)made[at + i] << 8 * i;
    return value;
}

#define ATTR(size, config, ids)                                                                              \
    "attr size=" size " type=1 config=" config " sample_period=1 sample_type=IP|TID|ID flags=disabled "      \
    "ids=" ids "\n"
#define BITS(word)                                                                                           \
    "attr size=96 type=1 config=5 sample_period=1 sample_type=IP|TID|ID " word " flags=disabled ids=21\n"
#define NAME(config, name) "record HEADER_EVENT_TYPE ; u64 " config " ; str 64 \"" name "\" ; end\n"
#define SAMPLE             "record SAMPLE misc=USER ; u64 0x400123 ; u32 100 100 ; u64 21 ; end\n"
/* 63 letters, as many as there is room for */
#define LONG "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk"

/* nr, attr size; of each event the attr, the number of ids, the name with its size, the ids. */
static void each_event_has_its_attr_its_name_and_its_ids(void **state)
{
    (void)state;
    static const char *const orders[] = { "little", "big" };
    enum { SIZE = 96, ROOM = 64, FIRST = 8, SECOND = FIRST + SIZE + 4 + 4 + ROOM + 8 };
    for (size_t i = 0; i < PC_COUNT_OF(orders); i++) {
        for (int file = 0; file < 2; file++) {
            char recipe[1024];
            snprintf(recipe, sizeof(recipe),
                     file ? "order %s\nfile\n" ATTR("96", "5", "21")
                                ATTR("96", "7", "22,23") "event_types\nevent_type 5 \"" LONG
                                                         "\" ; event_type 7 \"second\"\ndata\n" SAMPLE
                          : "order %s\npipe\n" ATTR("96", "5", "21") ATTR("96", "7", "22,23") NAME("5", LONG)
                                NAME("7", "second") SAMPLE,
                     orders[i]);
            assert_true(makes(recipe));
            assert_int_equal(get(0, 4), 2);
            assert_int_equal(get(4, 4), SIZE);
            const size_t at[] = { FIRST, SECOND };
            for (size_t k = 0; k < 2; k++) {
                size_t name = at[k] + SIZE + 4 + 4;
                assert_int_equal(get(at[k], 4), 1);             /* type */
                assert_int_equal(get(at[k] + 4, 4), SIZE);      /* size */
                assert_int_equal(get(at[k] + 8, 8), 5 + 2 * k); /* config */
                assert_int_equal(get(at[k] + 16, 8), 1);        /* sample_period */
                assert_int_equal(get(at[k] + SIZE, 4), 1 + k);  /* ids */
                assert_int_equal(get(at[k] + SIZE + 4, 4), ROOM);
                assert_string_equal((const char *)made + name, k ? "second" : LONG);
                for (size_t n = 0; n <= k; n++)
                    assert_int_equal(get(name + ROOM + 8 * n, 8), 21 + k + n);
            }
            assert_int_equal(made_len, SECOND + SIZE + 4 + 4 + ROOM + 2 * 8);
        }
    }
}

static void names_that_are_not_those_of_the_attrs_are_no_event_desc(void **state)
{
    (void)state;
    static const struct {
        const char *recipe;
        bool makes;
    } rows[] = {
        { "pipe\n" ATTR("96", "5", "21") NAME("5", "one") SAMPLE, true },
        { "pipe\n" ATTR("120", "5", "21") NAME("5", "one") SAMPLE, true },
        { "pipe\n" ATTR("128", "5", "21") NAME("5", "one") SAMPLE,
          false }, /* no perf that wrote them had such */
        { "pipe\n" ATTR("96", "5", "21") NAME("6", "one") SAMPLE, false },
        { "pipe\n" ATTR("96", "5", "21") NAME("5", "") SAMPLE, false },
        { "pipe\n" ATTR("96", "5", "21") NAME("5", "one") NAME("5", "one") SAMPLE, false },
        { "pipe\n" ATTR("96", "5", "21") ATTR("96", "7", "22") NAME("5", "one") SAMPLE, false },
        { "pipe\n" ATTR("96", "5", "21") ATTR("96", "7", "22") NAME("7", "one") NAME("5", "two") SAMPLE,
          false },
        { "pipe\n" ATTR("96", "5", "21") SAMPLE, false },
        /* perf looks at the bits of branches when there are branches, and at the others (header.c:
         * perf_attr_check). */
        { "pipe\n" BITS("branch_sample_type=0x1000000") NAME("5", "one") SAMPLE, true },
        { "pipe\n" BITS("read_format=0x80") NAME("5", "one") SAMPLE, false },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        if (makes(rows[i].recipe) != rows[i].makes)
            fail_msg("row %zu", i);
    }
}

static int set_up(void **state)
{
    (void)state;
    scratch_path(path, "capture");
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_event_has_its_attr_its_name_and_its_ids),
    cmocka_unit_test(names_that_are_not_those_of_the_attrs_are_no_event_desc),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, scratch_tear_down };

/* SPDX-License-Identifier: MIT
 *
 * Lists of keys: order, search, and keys that come twice.
 */
#include "check/judge.h"
#include "report/report.h"
#include "pc_test.h"

static struct pc_mem mem;
static struct pc_policy policy;
static struct pc_report report;
static struct pc_judge judge;
static struct pc_keys keys;

static void take(void *ctx, const struct pc_finding *finding)
{
    (void)ctx;
    pc_report_add(&report, finding);
}

static int set_up(void **state)
{
    (void)state;
    pc_mem_init(&mem, (uint64_t)64 << 20);
    pc_policy_init(&policy);
    pc_report_init(&report, &mem, &policy);
    pc_judge_init(&judge, &mem, NULL);
    judge.on_finding = take;
    keys = (struct pc_keys){ .nr = 0 };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pc_keys_clear(&mem, &keys);
    pc_judge_clear(&judge);
    pc_report_clear(&report);
    return mem.used != 0;
}

static void each_key_is_found_after_sorting(void **state)
{
    (void)state;
    static const uint64_t values[] = { 30, 10, UINT64_MAX, 20, 0 };
    for (size_t i = 0; i < PC_COUNT_OF(values); i++)
        pc_keys_add(&mem, &keys, values[i], 100 + i);
    pc_keys_sort(&keys);
    for (size_t i = 0; i < PC_COUNT_OF(values); i++) {
        struct pc_key *key = pc_keys_find(&keys, values[i]);
        assert_non_null(key);
        assert_int_equal(key->value, values[i]);
        assert_int_equal(key->offset, 100 + i);
    }
    assert_null(pc_keys_find(&keys, 1));
    assert_null(pc_keys_find(&keys, 31));
    assert_null(pc_keys_find(&(struct pc_keys){ .nr = 0 }, 0));
}

/* 5 at offsets 8, 32 and 40; 7 at 16; 9 at 24: each 5 but the first is reported. */
static void keys_that_come_twice_are_reported_at_the_later_place(void **state)
{
    (void)state;
    static const struct pc_key rows[] = { { 5, 40 }, { 7, 16 }, { 5, 8 }, { 9, 24 }, { 5, 32 } };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++)
        pc_check_key(&judge, rows[i].value, rows[i].offset);
    pc_check_duplicates(&judge, PC_D_IDS_SHARED, 8);
    assert_int_equal(report.nr, 2);
    assert_int_equal(report.finding[0].offset, 32);
    assert_int_equal(report.finding[1].offset, 40);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(report.finding[i].id, PC_D_IDS_SHARED);
        assert_int_equal(report.finding[i].length, 8);
        assert_int_equal(report.finding[i].seen.n, 5);
    }
}

static void a_lack_of_memory_is_reported_once(void **state)
{
    (void)state;
    mem.limit = mem.used + 2048; /* as little as a report and a few keys need */
    for (uint64_t i = 0; i < 10000; i++)
        pc_check_key(&judge, i, 8 * i);
    assert_true(judge.keys.full && judge.keys.nr > 0 && judge.keys.nr < 10000);
    assert_int_equal(report.by_id[PC_D_OUT_OF_MEMORY], 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static const struct CMUnitTest tests[] = {
    TEST(each_key_is_found_after_sorting),
    TEST(keys_that_come_twice_are_reported_at_the_later_place),
    TEST(a_lack_of_memory_is_reported_once),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

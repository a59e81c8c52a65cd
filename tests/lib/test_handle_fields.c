/* SPDX-License-Identifier: MIT
 *
 * A field of the current item, by its path.
 */
#include "lib_bench.h"

static int stop_at_once(void *ctx, const perfcheck_field_t *field)
{
    (void)field;
    ++*(int *)ctx;
    return 1;
}

static void a_field_is_found_by_its_path(void **state)
{
    (void)state;
    perfcheck_t *pc = open_capture(capture_named("7.2-cpuclock"));
    const perfcheck_item_t *item;
    uint64_t ip, tid, samples = 0;
    while (perfcheck_next(pc, &item) == PERFCHECK_OK) {
        if (strcmp(item->name, "SAMPLE") != 0)
            continue;
        ip = tid = 0;
        assert_int_equal(perfcheck_number(pc, "ip", &ip), PERFCHECK_OK);
        assert_int_equal(perfcheck_number(pc, "tid", &tid), PERFCHECK_OK);
        assert_true(ip != 0 && tid == strtoull(perfcheck_text(pc, "tid"), NULL, 10));
        assert_int_equal(perfcheck_number(pc, "comm", &ip), PERFCHECK_NOT_FOUND);
        assert_null(perfcheck_text(pc, "comm"));
        assert_string_not_equal(perfcheck_error(pc), "");
        assert_string_not_equal(item->event, "");
        int calls = 0;
        assert_int_equal(perfcheck_fields(pc, stop_at_once, &calls), PERFCHECK_STOPPED);
        assert_int_equal(calls, 1);
        samples++;
    }
    assert_true(samples > 0 && samples == perfcheck_summary(pc)->samples);
    perfcheck_free(pc);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_field_is_found_by_its_path),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

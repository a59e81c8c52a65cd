/* SPDX-License-Identifier: MIT
 *
 * The fields of each item of a capture: together they are all of its bytes.
 */
#include "lib_bench.h"

static void items_and_their_fields_cover_a_capture(void **state)
{
    (void)state;
    for (size_t i = 0; i < nr_real_captures; i++) {
        const perfcheck_item_t *item = NULL;
        perfcheck_t *pc = open_capture(&real_captures[i]);
        perfcheck_kind_t last = PERFCHECK_LAST;
        uint64_t records = 0;
        uint64_t next = 0; /* number of a record: one that damage hides has one too */
        while (perfcheck_next(pc, &item) == PERFCHECK_OK) {
            assert_true(records != 0 || item->kind != PERFCHECK_LAST);
            struct coverage cover = { .next = item->offset, .record = item->kind == PERFCHECK_RECORD };
            cover.end = item->offset + item->size;
            assert_int_equal(perfcheck_fields(pc, take_field, &cover), PERFCHECK_OK);
            if (cover.record) {
                assert_true(cover.next == cover.end);
                assert_true(item->number >= next);
                next = item->number + 1;
                records++;
            }
            assert_true((item->kind == PERFCHECK_LAST) == (cover.nr == 0));
            last = item->kind;
        }
        assert_null(item);
        assert_int_equal(last, PERFCHECK_LAST);
        assert_true(records >= perfcheck_summary(pc)->records); /* without the compressed ones */
        assert_int_equal(perfcheck_next(pc, &item), PERFCHECK_END);
        assert_int_equal(perfcheck_fields(pc, take_field, NULL), PERFCHECK_MISUSE);
        perfcheck_free(pc);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(items_and_their_fields_cover_a_capture),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

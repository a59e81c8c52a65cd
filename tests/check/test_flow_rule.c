/* SPDX-License-Identifier: MIT
 *
 * What rules between records share: memory that runs out.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void a_rule_without_memory_reports_nothing(void **state)
{
    (void)state;
    begin();
    sample(2, 7);
    deferred(7);
    RECORD(USER | PC_MMAP, 0, 0x1000, 0x1000, 0, 'a', 0, 1);
    for (uint64_t n = 1; n < 60; n++) {
        run_failing(n);
        assert_null(finding(PC_D_DEFERRED_ALONE));
        assert_null(finding(PC_D_LIMIT_STATE)); /* it is told as what it is */
        pc_scan_clear(&scan);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_rule_without_memory_reports_nothing),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

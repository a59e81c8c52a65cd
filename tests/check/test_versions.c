/* SPDX-License-Identifier: MIT
 *
 * What each version of perf knows: numbers from its sources.
 */
#include "check/check.h"
#include "pc_test.h"

static void each_version_knows_what_its_release_has(void **state)
{
    (void)state;
    static const struct pc_version_knows rows[] = {
        /* size of attrs, last kernel, perf and feature number, last AUXTRACE type and term of STAT_CONFIG */
        { PC_BY_5_10, 120, 20, 81, 29, 5, 2, (1 << 22) - 1, 15, ((uint64_t)1 << 34) - 1, (1 << 18) - 1 },
        { PC_BY_6_1, 128, 21, 82, 31, 5, 2, (1 << 25) - 1, 31, ((uint64_t)1 << 38) - 1, (1 << 19) - 1 },
        { PC_BY_6_12, 136, 21, 82, 31, 6, 3, (1 << 25) - 1, 31, ((uint64_t)1 << 38) - 1, (1 << 20) - 1 },
        { PC_BY_7_2, 144, 22, 86, 34, 7, 3, (1 << 25) - 1, 31, ((uint64_t)1 << 40) - 1, (1 << 20) - 1 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        const struct pc_version_knows *knows = pc_version_knows(rows[i].version);
        assert_non_null(knows);
        assert_int_equal(knows->attr_size, rows[i].attr_size);
        assert_int_equal(knows->kernel_type, rows[i].kernel_type);
        assert_int_equal(knows->user_type, rows[i].user_type);
        assert_int_equal(knows->feature, rows[i].feature);
        assert_int_equal(knows->auxtrace, rows[i].auxtrace);
        assert_int_equal(knows->stat_config, rows[i].stat_config);
        assert_int_equal(knows->sample_type, rows[i].sample_type);
        assert_int_equal(knows->read_format, rows[i].read_format);
        assert_int_equal(knows->flags, rows[i].flags);
        assert_int_equal(knows->branch_type, rows[i].branch_type);
    }
    assert_null(pc_version_knows(PC_BY_NONE));
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(each_version_knows_what_its_release_has) };

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

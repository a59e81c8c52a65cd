/* SPDX-License-Identifier: MIT
 *
 * A capture has one number of CPUs.
 */
#include "pc_test.h"
#include "capture_bench.h"

static uint64_t put_cpus(uint32_t nr)
{
    uint64_t at = begin_feature(PC_NRCPUS);
    put(nr, 4);
    put(1, 4);
    end_record();
    return at;
}

static void each_number_is_the_first_one(void **state)
{
    (void)state;
    static const struct {
        uint32_t first, second, third;
        unsigned wrong;
    } rows[] = {
        { 4, 4, 4, 0 }, { 4, 5, 4, 1 }, { 4, 3, 4, 1 }, { 4, 5, 5, 2 }, { 4, 5, 3, 2 }, { 4, 4, 1048576, 1 },
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_empty();
            put_cpus(rows[i].first);
            uint64_t second = put_cpus(rows[i].second), third = put_cpus(rows[i].third);
            expect(PC_D_NRCPUS_DIFFERS, rows[i].wrong, rows[i].second != rows[i].first ? second : third);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_number_is_the_first_one),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

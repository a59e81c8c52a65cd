/* SPDX-License-Identifier: MIT
 *
 * The second statistics of the scheduler are about CPUs and domains of the first.
 */
#include "pc_test.h"
#include "capture_bench.h"

/* A digit is a CPU, `d` a domain of the CPU before it. Returns the offset of the last record. */
static uint64_t put_statistics(const char *spec)
{
    uint64_t at = 0;
    for (; *spec; spec++) {
        const bool domain = *spec == 'd';
        at = begin_record(domain ? PC_SCHEDSTAT_DOMAIN : PC_SCHEDSTAT_CPU);
        put(1, 8);
        put(domain ? 0 : (uint64_t)(*spec - '0'), 4);
        put(17, 2);
        put(0, 2);
        for (unsigned i = 0; i < (domain ? 46 : 12); i++)
            put(0, 4);
        end_record();
    }
    return at;
}

static void the_last_record_is_of_the_first_statistics(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        enum pc_diag id; /* 0: it is */
    } rows[] = {
        { "0d1d0d1d", 0 },
        { "0d1d0d1", 0 },
        { "0d1d0d", 0 },
        { "0d1d01", 0 },
        { "0dd1d0dd", 0 },
        { "d", PC_D_SCHEDSTAT_NO_CPU },
        { "0d2d0d1", PC_D_SCHEDSTAT_CPU },
        { "001", PC_D_SCHEDSTAT_CPU },
        { "0d1d0dd", PC_D_SCHEDSTAT_DOMAIN },
        { "0d10d1d", PC_D_SCHEDSTAT_DOMAIN },
        { "0d1dd2d1dd", 0 },
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_empty();
            uint64_t at = put_statistics(rows[i].spec);
            expect(PC_D_SCHEDSTAT_CPU, rows[i].id == PC_D_SCHEDSTAT_CPU, at + 16);
            expect(PC_D_SCHEDSTAT_NO_CPU, rows[i].id == PC_D_SCHEDSTAT_NO_CPU, at);
            expect(PC_D_SCHEDSTAT_DOMAIN, rows[i].id == PC_D_SCHEDSTAT_DOMAIN, at);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_last_record_is_of_the_first_statistics),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * CPUs and NRCPUS, which may come later.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void nrcpus(uint64_t nr)
{
    begin_feature(PC_NRCPUS);
    put(nr, 4);
    put(nr, 4);
    end_record();
}

static uint64_t sample_on(uint64_t cpu)
{
    return RECORD(USER | PC_SAMPLE, pair(cpu, 0));
}

static void cpus_are_compared_with_a_later_nrcpus(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (uint64_t nr = 8; nr < 10; nr++) {
            begin_with(PC_S_CPU, 0);
            sample_on(3);
            uint64_t at = sample_on(8); /* the largest is kept */
            sample_on(5);
            sample_on(UINT32_MAX); /* no CPU */
            uint64_t comm = RECORD(PC_COMM, 0, chars("a"), pair(8, 0));
            uint64_t index = RECORD(PC_ID_INDEX, 1, 1, 0, 8, 0);
            nrcpus(nr);
            expect(PC_D_SAMPLE_CPU_BEYOND, nr == 8, at + 8);
            assert_int_equal(first.seen.n, nr == 8 ? 8 : 0);
            assert_int_equal(first.expected.n, nr == 8 ? 8 : 0);
            expect(PC_D_CPU_BEYOND, nr == 8, comm + 24);
            expect(PC_D_ID_INDEX_CPU, nr == 8, index + 32);
        }
    }
}

/* perf sched has room for 4,096 CPUs. */
static void without_nrcpus_a_cpu_is_below_4096(void **state)
{
    (void)state;
    begin_with(PC_S_CPU, 0);
    RECORD(PC_COMM, 0, chars("a"), pair(5000, 0)); /* no sample */
    sample_on(4095);
    expect(PC_D_SAMPLE_CPU_LARGE, 0, 0);
    uint64_t at = sample_on(4096);
    expect(PC_D_SAMPLE_CPU_LARGE, 1, at + 8);
    assert_int_equal(first.expected.n, 4095);
    nrcpus(5001);
    expect(PC_D_SAMPLE_CPU_LARGE, 0, 0);
}

/* The largest CPU of a map, whatever its encoding; any CPU is none. */
static void cpus_of_maps_are_compared_with_nrcpus(void **state)
{
    static const struct {
        unsigned words[5], nr, width; /* words of 2 bytes, and one of so many */
        uint64_t last;
        unsigned at; /* of the leaf with CPU 9 */
    } rows[] = {
        { { 0, 4, 3, 9, 8 }, 5, 2, 65535, 6 },
        { { 1, 1, 4 }, 3, 4, 0x201, 6 },
        { { 1, 1, 8, 0, 0 }, 5, 8, 0x201, 10 },
    };
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < 2 * 2 * PC_COUNT_OF(rows); i++) {
            const bool late = i % 2, beyond = i / 2 % 2;
            begin_with(PC_S_CPU, 0);
            if (!late)
                nrcpus(beyond ? 9 : 10);
            uint64_t at = begin_record(PC_CPU_MAP);
            for (unsigned k = 0; k < rows[i / 4].nr; k++)
                put(rows[i / 4].words[k], 2);
            put(rows[i / 4].last, rows[i / 4].width);
            end_record();
            if (late)
                nrcpus(beyond ? 9 : 10);
            expect(PC_D_MAP_CPU_BEYOND, beyond, at + 8 + rows[i / 4].at);
            assert_int_equal(first.seen.n, beyond ? 9 : 0);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(cpus_of_maps_are_compared_with_nrcpus),
    cmocka_unit_test(cpus_are_compared_with_a_later_nrcpus),
    cmocka_unit_test(without_nrcpus_a_cpu_is_below_4096),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * With --for, the CPU of each sample is in a NUMA node.
 */
#include "pc_test.h"
#include "capture_bench.h"

#define READERS 3 /* 5.10, 6.1, 6.12 */

static int ask(void **state)
{
    (void)state;
    asked_for = PC_BY_ALL;
    return 0;
}

static int ask_no_more(void **state)
{
    (void)state;
    asked_for = PC_BY_NONE;
    return 0;
}

static void put_cpus(uint32_t nr)
{
    begin_feature(PC_NRCPUS);
    put(nr, 4);
    put(nr, 4);
    end_record();
}

static void put_nodes(const char *one, const char *next)
{
    begin_feature(PC_NUMA_TOPOLOGY);
    put(2, 4);
    for (unsigned i = 0; i < 2; i++) {
        put(i, 4);
        put(8, 8);
        put(4, 8);
        put_string(i == 0 ? one : next);
    }
    end_record();
}

/* A sample of this CPU. */
static uint64_t sample_on(uint64_t cpu)
{
    return RECORD(USER | PC_SAMPLE, pair((uint32_t)cpu, 0));
}

static void a_cpu_of_samples_is_in_a_node(void **state)
{
    (void)state;
    static const struct {
        const char *one, *next;
        uint64_t cpu;
        bool said;
    } rows[] = {
        { "0-7", "8-15", 15, false },       { "0-7", "8-14", 15, true },
        { "", "0-14", 15, true },           { "1,3,5", "7-8,10", 3, false },
        { "1,3,5", "7-8,10", 4, true },     { "1,3,5", "7-8,10", 8, false },
        { "1,3,5", "7-8,10", 9, true },     { "1-2,4\n", "6", 4, false },
        { "1-2,4\n", "6", 0, true },        { "1-2,4", "0", UINT32_MAX, false },
        { "1-2,4", "3", UINT32_MAX, true },
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_with(PC_S_CPU, 0);
            put_cpus(16);
            put_nodes(rows[i].one, rows[i].next);
            sample_on(rows[i].one[0] == '0' ? 0 : 1); /* samples after the first are passed in runs */
            sample_on(rows[i].one[0] == '0' ? 0 : 1);
            uint64_t at = sample_on(rows[i].cpu);
            sample_on(rows[i].cpu);
            expect(PC_D_FOR_NO_NODE, rows[i].said ? READERS : 0, at);
        }
    }
}

static void a_sample_without_a_cpu_is_of_the_first(void **state)
{
    (void)state;
    for (unsigned has = 0; has < 2; has++) {
        begin_with(PC_S_TID, 0);
        put_cpus(16);
        put_nodes("1-8", has ? "0" : "");
        uint64_t at = RECORD(USER | PC_SAMPLE, pair(1, 1));
        expect(PC_D_FOR_NO_NODE, has ? 0 : READERS, at);
    }
}

static void only_versions_that_take_the_node_are_told(void **state)
{
    (void)state;
    begin_with(PC_S_CPU, 0);
    put_nodes("1-8", "");
    uint64_t at = sample_on(9);
    expect(PC_D_FOR_NO_NODE, READERS, at); /* also when NRCPUS is missing */
    asked_for = PC_BY_7_2;
    expect(PC_D_FOR_NO_NODE, 0, 0);
    asked_for = PC_BY_NONE;
    expect(PC_D_FOR_NO_NODE, 0, 0);
    asked_for = PC_BY_ALL;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_cpu_of_samples_is_in_a_node),
    cmocka_unit_test(a_sample_without_a_cpu_is_of_the_first),
    cmocka_unit_test(only_versions_that_take_the_node_are_told),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), ask, ask_no_more };

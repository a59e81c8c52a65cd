/* SPDX-License-Identifier: MIT
 *
 * Records of perf stat, and the maps that their values belong to.
 */
#include "pc_test.h"
#include "capture_bench.h"

/* CPU_MAP of type 0 (CPUS), 1 (MASK of one word) or 2 (RANGE_CPUS). */
static uint64_t cpu_map(unsigned type, const uint64_t *values, size_t nr)
{
    begin_record(PC_CPU_MAP);
    put(type, 2);
    if (type == 0)
        put(nr, 2);
    if (type == 1) {
        put(1, 2);
        put(8, 2);
        put(0, 4); /* padding */
    }
    if (type == 2)
        put(0, 2); /* any_cpu, pad */
    for (size_t i = 0; i < nr; i++)
        put(values[i], type == 1 ? 8 : 2);
    put_text("", (8 - in.len % 8) % 8);
    return end_record();
}
#define CPU_MAP(type, ...)                                                                                   \
    cpu_map(type, (const uint64_t[]){ __VA_ARGS__ }, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8)

static uint64_t thread_map(uint64_t nr)
{
    begin_record(PC_THREAD_MAP);
    put(nr, 8);
    put_text("", (size_t)nr * 24);
    return end_record();
}

static uint64_t stat_of(uint64_t cpu, uint64_t thread)
{
    return RECORD(PC_STAT, 1, pair(cpu, thread), 5, 5, 5);
}

static void begin_stat(void)
{
    begin_with(PC_S_TID, 0);
    RECORD(PC_STAT_CONFIG, 1, 0, 0);
}

/* CPUs 2, 3 and 5, in each encoding that can say so. */
static void a_value_belongs_to_a_cpu_of_the_map(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (unsigned type = 0; type < 3; type++) {
            static const struct {
                uint64_t cpu;
                bool in_map;
            } rows[] = { { 1, false }, { 2, true }, { 3, true }, { 4, false }, { 5, true }, { 6, false } };
            for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
                bool in_map = rows[i].in_map || (type == 2 && rows[i].cpu == 4);
                begin_stat();
                if (type == 0)
                    CPU_MAP(0, 2, 3, 5);
                else if (type == 1)
                    CPU_MAP(1, 0x2c);
                else
                    CPU_MAP(2, 2, 5);
                thread_map(1);
                uint64_t nr = type == 2 ? 4 : 3, at = stat_of(rows[i].cpu, 0);
                expect(PC_D_STAT_CPU, !in_map && rows[i].cpu < nr, at + 16);
                expect(PC_D_STAT_CPU_OUTSIDE, !in_map && rows[i].cpu >= nr, at + 16);
            }
        }
    }
}

static void ranges_cross_the_words_of_the_map(void **state)
{
    (void)state;
    for (uint64_t cpu = 62; cpu < 194; cpu++) {
        begin_stat();
        CPU_MAP(2, 63, 192);
        thread_map(1);
        uint64_t at = stat_of(cpu, 0);
        expect(PC_D_STAT_CPU, cpu == 62, at + 16);
        expect(PC_D_STAT_CPU_OUTSIDE, cpu == 193, at + 16);
    }
}

static void a_value_belongs_to_a_thread_of_the_map(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_stat();
        CPU_MAP(0, 0);
        thread_map(2);
        stat_of(0, 1);
        expect(PC_D_STAT_THREAD, 0, 0);
        uint64_t at = stat_of(0, 2);
        expect(PC_D_STAT_THREAD, 1, at + 20);
        assert_int_equal(first.expected.n, 2);
    }
}

static void configuration_and_maps_come_before_values(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    uint64_t at = stat_of(0, 0);
    expect(PC_D_STAT_WITHOUT_CONFIG, 1, at);
    expect(PC_D_STAT_WITHOUT_MAPS, 1, at);
    assert_string_equal(first.expected.text, "CPU_MAP");
    begin_stat();
    CPU_MAP(0, 0);
    at = RECORD(PC_STAT_ROUND, 1, 5);
    expect(PC_D_STAT_WITHOUT_CONFIG, 0, 0);
    expect(PC_D_STAT_WITHOUT_MAPS, 1, at);
    assert_string_equal(first.expected.text, "THREAD_MAP");
    thread_map(1);
    RECORD(PC_STAT_ROUND, 1, 5);
    expect(PC_D_STAT_WITHOUT_MAPS, 1, at);
}

static void maps_come_once_and_hold_something(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_stat();
        CPU_MAP(0, 0);
        thread_map(1);
        expect(PC_D_CPU_MAP_TWICE, 0, 0);
        uint64_t cpus = CPU_MAP(0, 0), threads = thread_map(1);
        expect(PC_D_CPU_MAP_TWICE, 1, cpus);
        expect(PC_D_THREAD_MAP_TWICE, 1, threads);
        begin_stat();
        CPU_MAP(1, 1);
        expect(PC_D_CPU_MAP_EMPTY, 0, 0);
        begin_stat();
        uint64_t at = CPU_MAP(1, 0);
        expect(PC_D_CPU_MAP_EMPTY, 1, at);
        begin_stat();
        CPU_MAP(2, 5, 5);
        expect(PC_D_CPU_MAP_RANGE, 0, 0);
        begin_stat();
        at = CPU_MAP(2, 5, 4);
        expect(PC_D_CPU_MAP_RANGE, 1, at + 14);
        begin_stat();
        CPU_MAP(0, 32766, UINT16_MAX); /* any CPU */
        expect(PC_D_CPU_MAP_VALUE, 0, 0);
        begin_stat();
        at = CPU_MAP(0, 32766, 32767);
        expect(PC_D_CPU_MAP_VALUE, 1, at + 14);
    }
}

static void each_tag_of_the_configuration_comes_once(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    uint64_t at = RECORD(PC_STAT_CONFIG, 3, 0, 5, 1, 5, 0, 5);
    expect(PC_D_STAT_CONFIG_TWICE, 1, at + 48);
    begin_with(PC_S_TID, 0);
    RECORD(PC_STAT_CONFIG, 3, 0, 5, 1, 5, 2, 5);
    expect(PC_D_STAT_CONFIG_TWICE, 0, 0);
}

/* RANGE_CPUS with any_cpu. */
static void any_cpu_is_one_if_the_map_says_so(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (uint64_t any = 0; any < 2; any++) {
            begin_stat();
            uint64_t map = CPU_MAP(2, 0, 3);
            in.p[map + 10] = (unsigned char)any;
            thread_map(1);
            stat_of(2, 0);
            uint64_t at = stat_of(UINT32_MAX, 0);
            expect(PC_D_STAT_CPU_OUTSIDE, !any, at + 16);
            expect(PC_D_STAT_CPU, 0, 0);
        }
    }
}

/* "Any" is 65535 in a list of the map, and -1 in a count. */
static void any_cpu_is_minus_1_in_counts(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_stat();
        CPU_MAP(0, UINT16_MAX);
        thread_map(1);
        stat_of(UINT32_MAX, 0);
        expect(PC_D_STAT_CPU_OUTSIDE, 0, 0);
        uint64_t at = stat_of(UINT16_MAX, 0);
        expect(PC_D_STAT_CPU_OUTSIDE, 1, at + 16);
    }
}

/* Type 3: a map of CPUs, here MASK with one word of 4 bytes. */
static void the_map_of_one_event_holds_something_too(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (uint64_t mask = 0; mask < 2; mask++) {
            begin_with(PC_S_TID, 0);
            begin_record(PC_EVENT_UPDATE);
            put(3, 8);
            put(1, 8);
            put(1, 2);
            put(1, 2);
            put(4, 2);
            put(mask, 4);
            put_text("", 6);
            uint64_t at = end_record();
            expect(PC_D_CPU_MAP_EMPTY, mask == 0, at);
        }
    }
}

/* Counts of 32767 CPUs, be they those of all events or of this one. */
static void counts_of_all_cpus_and_threads_have_room(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (unsigned way = 0; way < 3; way++) {
            for (uint64_t threads = 512; threads < 514; threads++) {
                begin_stat();
                if (way == 2) {
                    begin_record(PC_EVENT_UPDATE);
                    put(3, 8);
                    put(1, 8);
                    put(2, 2);
                    put(0, 2);
                    put(0, 2);
                    put(32766, 2);
                    end_record();
                }
                if (way == 1)
                    CPU_MAP(2, 0, 32766);
                uint64_t last = thread_map(threads);
                if (way != 1)
                    last = way == 0 ? CPU_MAP(2, 0, 32766) : CPU_MAP(0, 1);
                expect(PC_D_STAT_ROOM, threads == 513, last);
                thread_map(1000);
                expect(PC_D_STAT_ROOM, threads == 513, last); /* once */
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(counts_of_all_cpus_and_threads_have_room),
    cmocka_unit_test(a_value_belongs_to_a_cpu_of_the_map),
    cmocka_unit_test(ranges_cross_the_words_of_the_map),
    cmocka_unit_test(a_value_belongs_to_a_thread_of_the_map),
    cmocka_unit_test(configuration_and_maps_come_before_values),
    cmocka_unit_test(maps_come_once_and_hold_something),
    cmocka_unit_test(each_tag_of_the_configuration_comes_once),
    cmocka_unit_test(any_cpu_is_one_if_the_map_says_so),
    cmocka_unit_test(any_cpu_is_minus_1_in_counts),
    cmocka_unit_test(the_map_of_one_event_holds_something_too),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

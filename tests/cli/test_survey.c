/* SPDX-License-Identifier: MIT
 *
 * What a survey counts, of captures that are written here.
 */
#include "cli/survey.h"
#include "survey_bench.h"
#include "captures.h"

#define TYPE (PC_S_TID | PC_S_TIME | PC_S_CPU | PC_S_PERIOD)

/* A sample of task 7 with its period; what follows others in a trailer. */
static void put_sample(uint64_t tid, uint64_t time, uint64_t cpu, uint64_t period)
{
    RECORD(PC_SAMPLE, pair(7, tid), time, pair(cpu, 0), period);
}

static const struct pc_cpu_facts *cpu_with(uint64_t cpu)
{
    return &s->cpus[s->cpu_at[cpu]];
}

static void records_count_by_cpu_task_and_time(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(TYPE, PC_FLAG_SAMPLE_ID_ALL);
        RECORD(PC_COMM, pair(7, 8), chars("eight"), pair(7, 8), 1000000, pair(2, 0));
        put_sample(8, 2000000, 2, 10);
        put_sample(8, 2000001, 2, 11);
        put_sample(9, 9000000000, 5, 12);
        RECORD(PC_LOST, 1, 40, pair(7, 9), 9000000001, pair(5, 0));
        survey();
        assert_int_equal(s->nr_cpus, PC_CPU_FIRST + 2);
        assert_int_equal(cpu_with(2)->sum[PC_TIME_SAMPLES], 2);
        assert_int_equal(cpu_with(2)->sum[PC_TIME_OTHERS], 1);
        assert_int_equal(cpu_with(5)->sum[PC_TIME_SAMPLES], 1);
        assert_int_equal(cpu_with(5)->sum[PC_TIME_LOST], 40);
        uint64_t at = 9000000000 >> s->times.shift, column = s->cpu_at[5] * PC_TIME_COLUMNS;
        assert_int_equal(pc_buckets_get(&s->times, (size_t)column + PC_TIME_LOST, at), 40);
        assert_int_equal(s->type[PC_SAMPLE].records, 3);
        assert_int_equal(s->type[PC_SAMPLE].bytes, 3 * 40);
        assert_int_equal(s->event[0].period, 33);
        assert_int_equal(s->tasks.nr, 2);
        assert_string_equal(pc_tasks_get(&s->tasks, 0)->name, "eight");
        assert_int_equal(pc_tasks_get(&s->tasks, 0)->samples, 2);
        assert_int_equal(pc_tasks_get(&s->tasks, 1)->period, 12);
    }
}

/* No released perf writes such names. */
static void a_name_that_is_too_long_ends_with_a_whole_character(void **state)
{
    (void)state;
    for (size_t before = 1; before <= 3; before++) {
        char name[PC_TASK_NAME + 20] = "aaa";
        for (size_t at = before; at + 3 < sizeof(name); at += 3)
            memcpy(name + at, "\xe2\x82\xac", 4);
        begin_with(TYPE, PC_FLAG_SAMPLE_ID_ALL);
        begin_record(PC_COMM);
        put(pair(7, 8), 8);
        put_text(name, 96);
        put(pair(7, 8), 8);
        put(1000000, 8);
        put(pair(2, 0), 8);
        end_record();
        put_sample(8, 2000000, 2, 10);
        survey();
        const char *kept = pc_tasks_get(&s->tasks, 0)->name;
        assert_int_equal(strlen(kept), before + (PC_TASK_NAME - 1 - before) / 3 * 3);
        assert_int_equal(strncmp(kept, name, strlen(kept)), 0);
    }
}

/* Records of perf have the time 0; a damaged one may have any. */
static void a_time_that_is_none_does_not_widen_the_range(void **state)
{
    (void)state;
    begin_with(TYPE, PC_FLAG_SAMPLE_ID_ALL);
    RECORD(PC_COMM, pair(7, 8), chars("eight"), pair(0, 0), 0, pair(0, 0));
    put_sample(8, 5000000000, 0, 1);
    put_sample(8, 5000001000, 0, 1);
    put_sample(8, UINT64_MAX, 0, 1);
    survey();
    assert_int_equal(s->times.shift, 10);
    assert_true(s->times.last - s->times.first <= 1);
    assert_int_equal(cpu_with(0)->sum[PC_TIME_SAMPLES], 3);
    assert_int_equal(cpu_with(0)->sum[PC_TIME_OTHERS], 1);
}

static void each_byte_of_a_file_is_in_the_map_once(void **state)
{
    (void)state;
    begin_file(TYPE, PC_FLAG_SAMPLE_ID_ALL);
    RECORD(PC_COMM, pair(7, 8), chars("eight"), pair(7, 8), 1, pair(0, 0));
    put_sample(8, 2, 0, 10);
    put_sample(8, 3, 0, 10);
    uint64_t table = end_file(), all = 0;
    survey();
    const struct pc_map *map = pc_survey_map(s, "data");
    assert_non_null(map);
    assert_int_equal(map->end, in.len);
    assert_int_equal(map->bytes[PC_GROUP_HEADER], FILE_IDS);
    assert_int_equal(map->bytes[PC_GROUP_ATTRS], FILE_DATA - FILE_IDS);
    assert_int_equal(map->bytes[PC_GROUP_SAMPLES], 80);
    assert_int_equal(map->first[PC_GROUP_SAMPLES], table - 80);
    assert_int_equal(map->records[PC_GROUP_SAMPLES], 2);
    assert_int_equal(map->first[PC_GROUP_FEATURES], table);
    for (size_t g = 0; g < PC_GROUPS; g++) {
        uint64_t sum = 0;
        for (uint64_t n = 0; n << map->at.shift < map->end; n++)
            sum += pc_buckets_get(&map->at, g, n);
        assert_int_equal(sum, map->bytes[g]);
        all += sum;
    }
    assert_int_equal(all, in.len);
    assert_null(pc_survey_map(s, "data.1"));
}

static void more_cpus_than_there_is_room_for_count_together(void **state)
{
    (void)state;
    begin_with(TYPE, 0);
    for (uint64_t cpu = 0; cpu < PC_CPUS_MAX + 10; cpu++)
        put_sample(8, 1000 + cpu, cpu * 3, 1);
    put_sample(8, 2000, 70000, 1);
    survey();
    assert_int_equal(s->nr_cpus, PC_CPU_FIRST + PC_CPUS_MAX);
    assert_int_equal(s->cpus[PC_CPU_OTHERS].sum[PC_TIME_SAMPLES], 11);
    begin_with(PC_S_TID, 0); /* nothing of the last capture is left */
    RECORD(PC_SAMPLE, pair(1, 2));
    survey();
    assert_int_equal(s->nr_cpus, PC_CPU_FIRST);
    assert_int_equal(s->cpus[PC_CPU_UNKNOWN].sum[PC_TIME_SAMPLES], 1);
    assert_false(s->times.any);
    assert_int_equal(s->tasks.nr, 1);
}

/* Each has its own place as long as there is one, the first that came. */
static void types_of_any_number_are_told_apart(void **state)
{
    (void)state;
    begin_with(TYPE, 0);
    for (uint64_t round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < PC_TYPES_MORE + 5; i++)
            RECORD(32895 - i, i);
    }
    survey();
    for (uint32_t i = 0; i < PC_TYPES_MORE; i++) {
        const struct pc_type_facts *type = &s->type[PC_TYPES_MAX + i];
        char name[32];
        snprintf(name, sizeof(name), "TYPE_%u", 32895 - i);
        assert_string_equal(type->name, name);
        assert_true(type->records == 2 && type->bytes == 32);
    }
    assert_string_equal(s->type[PC_TYPE_OTHERS].name, "TYPE_OTHERS");
    assert_int_equal(s->type[PC_TYPE_OTHERS].records, 10);
}

/* Samples of a task that has ended, whose numbers are -1, and those without TID. */
static void samples_of_no_task_count_too(void **state)
{
    (void)state;
    begin_with(TYPE, 0);
    put_sample(8, 1000, 2, 10);
    RECORD(PC_SAMPLE, pair(UINT32_MAX, UINT32_MAX), 1001, pair(2, 0), 5);
    RECORD(PC_COMM, pair(UINT32_MAX, UINT32_MAX), chars("none"));
    survey();
    assert_int_equal(s->tasks.nr, 2);
    assert_int_equal(s->tasks.unknown.records, 0);
    const struct pc_task_facts *ended = pc_tasks_find(&s->tasks, UINT32_MAX, UINT32_MAX);
    assert_true(ended && ended->samples == 1 && ended->period == 5 && !*ended->name);
    begin_with(PC_S_TIME | PC_S_PERIOD, 0);
    for (unsigned i = 0; i < 20; i++)
        RECORD(PC_SAMPLE, 1000 + i, 3);
    survey();
    assert_int_equal(s->tasks.nr, 0);
    assert_int_equal(s->tasks.unknown.samples, 20);
    assert_int_equal(s->tasks.unknown.period, 60);
}

/* Surveys a capture item by item. */
static void survey_items(struct pc_survey *one)
{
    const perfcheck_item_t *item;
    pc_survey_begin(one);
    while (perfcheck_next(pc, &item) == PERFCHECK_OK)
        assert_true(pc_survey_take(one, item));
    pc_survey_end(one);
}

static void expect_same_buckets(const struct pc_buckets *a, const struct pc_buckets *b)
{
    assert_true(a->nr == b->nr && a->columns == b->columns && a->shift == b->shift && a->any == b->any);
    assert_true(a->first == b->first && a->last == b->last);
    assert_memory_equal(a->cell, b->cell, a->nr * a->columns * sizeof(*a->cell));
}

static void expect_same(const struct pc_survey *a, const struct pc_survey *b)
{
    assert_true(a->nr_maps == b->nr_maps && a->nr_events == b->nr_events && a->nr_cpus == b->nr_cpus);
    for (size_t i = 0; i < a->nr_maps; i++) {
        const struct pc_map *one = a->map[i], *other = b->map[i];
        assert_string_equal(one->name, other->name);
        assert_memory_equal(one->bytes, other->bytes, sizeof(one->bytes));
        assert_memory_equal(one->records, other->records, sizeof(one->records));
        assert_memory_equal(one->first, other->first, sizeof(one->first));
        assert_memory_equal(one->past, other->past, sizeof(one->past));
        expect_same_buckets(&one->at, &other->at);
    }
    assert_memory_equal(a->type, b->type, sizeof(a->type));
    assert_memory_equal(a->event, b->event, sizeof(a->event));
    assert_memory_equal(a->cpus, b->cpus, sizeof(a->cpus));
    assert_memory_equal(a->cpu_at, b->cpu_at, sizeof(a->cpu_at));
    expect_same_buckets(&a->times, &b->times);
    assert_memory_equal(a->tasks.slot, b->tasks.slot, sizeof(a->tasks.slot));
    assert_memory_equal(&a->tasks.others, &b->tasks.others, sizeof(a->tasks.others));
    assert_memory_equal(&a->tasks.unknown, &b->tasks.unknown, sizeof(a->tasks.unknown));
}

/* The survey item by item is the definition. */
static void samples_in_runs_count_as_one_by_one(void **state)
{
    (void)state;
    struct pc_survey *one = pc_survey_new(pc);
    load_captures(true);
    assert_true(one && nr_real_captures > 15);
    for (size_t i = 0; i < nr_real_captures; i++) {
        const struct real_capture *c = &real_captures[i];
        assert_int_equal(perfcheck_open_memory(pc, c->bytes, c->len), PERFCHECK_OK);
        survey_items(one);
        assert_int_equal(perfcheck_open_memory(pc, c->bytes, c->len), PERFCHECK_OK);
        assert_true(pc_survey_read(s));
        expect_same(one, s);
    }
    perfcheck_close(pc);
    free_captures();
    pc_survey_free(one);
}

/* Over several cells of the map and of time, with samples of no time, of no task and of CPUs for which there
 * is no place; sizes differ. */
static void made_samples_in_runs_count_as_one_by_one(void **state)
{
    (void)state;
    struct pc_survey *one = pc_survey_new(pc);
    IN_BOTH_ORDERS
    {
        begin_with(TYPE | PC_S_CALLCHAIN, 0);
        for (uint64_t i = 0; i < 20000; i++) {
            begin_record(PC_SAMPLE);
            put(i % 500 == 77 ? pair(UINT32_MAX, 5) : pair(7, i / 100 % 9), 8);
            put(i % 300 == 13 ? 0 : i * i, 8);
            put(pair(i % 200 == 1 ? 70000 : i % 5, 0), 8);
            put(i, 8);
            put(i % 4, 8);
            for (uint64_t k = 0; k < i % 4; k++)
                put(0x400000 + k, 8);
            end_record();
        }
        assert_int_equal(perfcheck_open_memory(pc, in.p, in.len), PERFCHECK_OK);
        survey_items(one);
        survey();
        assert_int_equal(s->type[PC_SAMPLE].records, 20000);
        expect_same(one, s);
    }
    perfcheck_close(pc);
    pc_survey_free(one);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(records_count_by_cpu_task_and_time),
    cmocka_unit_test(a_name_that_is_too_long_ends_with_a_whole_character),
    cmocka_unit_test(a_time_that_is_none_does_not_widen_the_range),
    cmocka_unit_test(each_byte_of_a_file_is_in_the_map_once),
    cmocka_unit_test(more_cpus_than_there_is_room_for_count_together),
    cmocka_unit_test(types_of_any_number_are_told_apart),
    cmocka_unit_test(samples_of_no_task_count_too),
    cmocka_unit_test(samples_in_runs_count_as_one_by_one),
    cmocka_unit_test(made_samples_in_runs_count_as_one_by_one),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

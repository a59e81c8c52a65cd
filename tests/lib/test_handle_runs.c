/* SPDX-License-Identifier: MIT
 *
 * Samples that are read many at once are those that come one by one.
 */
#include "lib_bench.h"

/* From the front, from the end, of another width, and one that no record has. */
static const char *const paths[] = { "tid", "time", "period", "ip", "cpu", "weight", "data_src", "none" };
enum { PATHS = PC_COUNT_OF(paths) };

/* What is asked of each sample. */
struct sums {
    uint64_t samples, bytes, with[PATHS], number[PATHS], in_runs;
};

static void take_sample(struct sums *sums, uint64_t offset, uint64_t size)
{
    sums->samples++;
    sums->bytes += size * (offset % 1009 + sums->samples % 31);
}

static void take_number(struct sums *sums, size_t i, uint64_t number)
{
    sums->with[i]++;
    sums->number[i] += number * (1 + sums->samples % 31);
}

static void take_item(struct sums *sums, perfcheck_t *pc, const perfcheck_item_t *item,
                      perfcheck_field_handle_t *const field[PATHS])
{
    uint64_t number;
    take_sample(sums, item->offset, item->size);
    for (size_t i = 0; i < PATHS; i++) {
        if (perfcheck_number_of(pc, field[i], &number) == PERFCHECK_OK)
            take_number(sums, i, number);
    }
}

static void take_run(struct sums *sums, const perfcheck_run_t *run)
{
    uint64_t at = run->offset;
    assert_in_range(run->nr, 1, PERFCHECK_RUN_MAX);
    for (size_t k = 0; k < run->nr; at += run->size[k++]) {
        take_sample(sums, at, run->size[k]);
        for (size_t i = 0; i < PATHS; i++) {
            if (run->number[i])
                take_number(sums, i, run->number[i][k]);
        }
    }
    assert_true(at == run->offset + run->bytes);
    sums->in_runs += run->nr;
}

/* Reads a capture; runs: by them, too, as far as they go, but after some a sample comes by itself. */
static struct sums read_all(const struct real_capture *c, bool runs, uint64_t *summary)
{
    struct sums sums = { 0 };
    const perfcheck_item_t *item;
    const perfcheck_run_t *run;
    perfcheck_field_handle_t *field[PATHS];
    perfcheck_t *pc = open_capture(c);
    for (size_t i = 0; i < PATHS; i++)
        field[i] = perfcheck_field_handle(pc, paths[i]);
    while (perfcheck_next(pc, &item) == PERFCHECK_OK) {
        if (item->kind != PERFCHECK_RECORD || item->type != PERFCHECK_SAMPLE)
            continue;
        take_item(&sums, pc, item, field);
        while (runs && perfcheck_next_run(pc, field, PATHS, &run) == PERFCHECK_OK) {
            uint64_t tid = run->number[0] ? run->number[0][run->nr - 1] : 0, last;
            take_run(&sums, run);
            assert_true(perfcheck_number_of(pc, field[0], &last) != PERFCHECK_OK || last == tid);
            if (sums.samples % 3 == 0)
                break;
        }
    }
    *summary = perfcheck_summary(pc)->records * 16 + (uint64_t)perfcheck_verdict(pc);
    perfcheck_free(pc);
    return sums;
}

static void samples_in_runs_are_those_one_by_one(void **state)
{
    (void)state;
    uint64_t in_runs = 0, samples = 0;
    for (size_t k = 0; k < nr_real_captures; k++) {
        uint64_t summary[2];
        struct sums one = read_all(&real_captures[k], false, &summary[0]);
        struct sums many = read_all(&real_captures[k], true, &summary[1]);
        in_runs += many.in_runs;
        samples += one.samples;
        many.in_runs = 0;
        if (memcmp(&one, &many, sizeof(one)) != 0 || summary[0] != summary[1])
            fail_msg("%s", real_captures[k].path);
    }
    assert_true(in_runs > samples / 4);
}

static void a_run_needs_a_sample_and_fields_with_places(void **state)
{
    (void)state;
    const struct real_capture *c = capture_named("6.1-fp");
    perfcheck_t *pc = open_capture(c), *other = open_capture(c);
    perfcheck_field_handle_t *ip = perfcheck_field_handle(pc, "ip");
    perfcheck_field_handle_t *array = perfcheck_field_handle(pc, "callchain[0]"), *many[9];
    perfcheck_field_handle_t *foreign = perfcheck_field_handle(other, "ip");
    const perfcheck_item_t *item;
    const perfcheck_run_t *run = NULL;
    uint64_t samples = 0, in_arrays = 0;
    for (size_t i = 0; i < PC_COUNT_OF(many); i++)
        many[i] = ip;
    assert_int_equal(perfcheck_next_run(NULL, &ip, 1, &run), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_next_run(pc, &ip, 1, NULL), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_next_run(pc, many, 9, &run), PERFCHECK_MISUSE);
    assert_string_equal(perfcheck_error(pc), "more than 8 fields are asked for");
    assert_int_equal(perfcheck_next_run(pc, &foreign, 1, &run), PERFCHECK_MISUSE);
    assert_string_equal(perfcheck_error(pc), "this is no field of this handle");
    assert_int_equal(perfcheck_next_run(pc, &ip, 1, &run), PERFCHECK_NOT_FOUND);
    while (perfcheck_next(pc, &item) == PERFCHECK_OK) {
        bool sample = item->kind == PERFCHECK_RECORD && item->type == PERFCHECK_SAMPLE;
        samples += sample;
        in_arrays += perfcheck_next_run(pc, &array, 1, &run) == PERFCHECK_OK;
        assert_true(sample || perfcheck_next_run(pc, &ip, 1, &run) == PERFCHECK_NOT_FOUND);
        assert_null(run);
        while (samples > 10 && sample && perfcheck_next_run(pc, &ip, 1, &run) == PERFCHECK_OK) {
            samples += run->nr;
            assert_int_equal(item->type, PERFCHECK_SAMPLE);
            assert_string_equal(item->event, "cpu-clock");
        }
    }
    assert_int_equal(in_arrays, 0);
    assert_true(samples == perfcheck_summary(pc)->samples);
    assert_int_equal(perfcheck_next_run(pc, &ip, 1, &run), PERFCHECK_NOT_FOUND);
    perfcheck_free(other);
    perfcheck_free(pc);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(samples_in_runs_are_those_one_by_one),
    cmocka_unit_test(a_run_needs_a_sample_and_fields_with_places),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

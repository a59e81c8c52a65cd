/* SPDX-License-Identifier: MIT
 *
 * A capture whose samples threads judge before their turn gives what it gives without: findings, counts and
 * work.
 */
#include "capture_bench.h"
#include "pc_test.h"
#include "read/window.h"
#include "tracing_bench.h"

#include <stdlib.h>

enum { SIZE = sizeof(in.p) - 100000, SAMPLE = 32 }; /* bytes */

static struct pc_scan ahead; /* another scan of the same bytes */

/* More samples than those of which rules between records look at each, and a few other records; from attr_at
 * on, if that is not 0, there is a second attr. Returns where they begin. */
static uint64_t begin_samples_with_attr(uint64_t attr_at)
{
    begin_with(PC_S_IP | PC_S_TID | PC_S_TIME, 0);
    in.kind = PC_INPUT_FILE;
    RECORD(PC_COMM, pair(1, 1), chars("name"));
    uint64_t at = in.len;
    for (uint64_t i = 0; in.len < SIZE; i++) {
        if (i != 0 && in.len >= attr_at && attr_at != 0) {
            put_attr(PC_S_IP | PC_S_TID | PC_S_TIME | PC_S_CPU, 0);
            attr_at = 0;
        }
        if (i % 1000 == 999)
            put_record(PC_FINISHED_ROUND, NULL, 0);
        else if (i % 77 == 76)
            RECORD(PC_COMM, pair(1, 1), chars("name"));
        else
            RECORD(USER | PC_SAMPLE, 0x1000 * (i % 5000), pair(1, (uint32_t)(i % 7)), 100 + i);
    }
    return at;
}

static uint64_t begin_samples(void)
{
    return begin_samples_with_attr(0);
}

/* The first sample at or after an offset of them. */
static uint64_t sample_at(uint64_t from, uint64_t at)
{
    at = from + at / 8 * 8;
    while (pc_load(in.p + at, 8, in.order) !=
           ((uint64_t)SAMPLE << 48 | (uint64_t)PC_MODE_USER << 32 | PC_SAMPLE))
        at += 8;
    return at;
}

static void begin_scan(struct pc_scan *how, unsigned threads)
{
    struct pc_limits limits;
    pc_limits_init(&limits);
    limits.ahead = threads != 0 ? 0 : UINT64_MAX;
    limits.threads = threads;
    pc_scan_init(how, &policy, &limits);
    pc_input_memory(&how->in, (struct pc_span){ in.p, in.len }, in.kind);
}

static void scan_with(struct pc_scan *how, unsigned threads)
{
    begin_scan(how, threads);
    pc_scan_input(how);
}

/* The same of those who want each item. */
static uint64_t judged_in_steps(unsigned threads)
{
    struct pc_item item = { 0 };
    begin_scan(&ahead, threads);
    while (pc_scan_step(&ahead, &item)) {
    }
    pc_scan_end(&ahead);
    uint64_t passed = ahead.workers.taken;
    pc_scan_clear(&ahead);
    return passed;
}

/* Returns how many samples were passed as threads had judged them. */
static uint64_t assert_judged_alike(unsigned threads)
{
    scan_with(&scan, 0);
    scan_with(&ahead, threads);
    assert_scans_alike(&scan, &ahead);
    assert_memory_equal(&scan.check.flow.seen, &ahead.check.flow.seen, sizeof(scan.check.flow.seen));
    assert_int_equal(scan.check.flow.nr_samples, ahead.check.flow.nr_samples);
    assert_int_equal(pc_scan_work(&scan), pc_scan_work(&ahead));
    uint64_t passed = ahead.workers.taken;
    pc_scan_clear(&scan);
    pc_scan_clear(&ahead);
    return passed;
}

static void sound_samples_are_judged_before_their_turn(void **state)
{
    (void)state;
    begin_samples();
    assert_int_equal(assert_judged_alike(1), 0);
    for (unsigned threads = 2; threads < 9; threads += 3)
        assert_true(assert_judged_alike(threads) > 10000);
}

/* A sample that is too short for its fields makes the numbers of those behind it others than the threads
 * expect. */
static void numbers_are_put_right_after_a_sample_that_is_not_sound(void **state)
{
    (void)state;
    uint64_t from = begin_samples();
    for (uint64_t nr = 0; nr < 20; nr++) {
        uint64_t at = sample_at(from, SIZE / 10 * 7 + nr * 200000);
        put_at(at + 6, SAMPLE / 2, 2);
        put_at(at + SAMPLE / 2, PC_COMM, 4);
        put_at(at + SAMPLE / 2 + 4, 0, 2);
        put_at(at + SAMPLE / 2 + 6, SAMPLE / 2, 2);
    }
    assert_true(assert_judged_alike(3) > 1000);
}

/* Rules between records want all of them. */
static void late_samples_are_found(void **state)
{
    (void)state;
    uint64_t from = begin_samples();
    for (uint64_t nr = 0; nr < 20; nr++)
        put_at(sample_at(from, SIZE / 10 * 7 + nr * 200000) + 24, 50 + nr, 8);
    assert_true(assert_judged_alike(3) > 1000);
    assert_int_equal(counted(PC_D_TIME_ORDER), 20);
}

/* Values at random in words, most of which are IPs, times, tasks, counts or headers. */
static void damage_is_found_alike(void **state)
{
    (void)state;
    srand(11);
    uint64_t passed = 0;
    for (unsigned round = 0; round < 12; round++) {
        uint64_t from = begin_samples();
        for (unsigned i = 0; i < 6; i++) {
            uint64_t at = from + (uint64_t)rand() % (in.len - from - 16) / 8 * 8;
            static const uint64_t values[] = { 0, 1, 50, 0x10000, UINT64_MAX };
            if (i == round)
                put_at(at, (uint64_t)rand() % 0x10000, 2);
            else
                put_at(at, values[(size_t)rand() % PC_COUNT_OF(values)], 8);
        }
        passed += assert_judged_alike(2 + round % 4);
    }
    assert_true(passed > 0);
}

/* What threads judged of samples begins behind a record of another type, and so does the check. */
static void samples_behind_other_records_are_not_judged_again(void **state)
{
    (void)state;
    begin_with(PC_S_IP | PC_S_TID | PC_S_TIME, 0);
    in.kind = PC_INPUT_FILE;
    uint64_t samples = 0;
    for (uint64_t i = 0; in.len < SIZE; i++) {
        if (i % 40 == 39)
            RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1), 100 + i);
        else
            RECORD(USER | PC_SAMPLE, 0x1000 * (i % 50), pair(1, 1), 100 + i);
        samples += i % 40 != 39;
    }
    assert_true(assert_judged_alike(2) > (samples - PC_SAMPLES_MANY) / 2);
    assert_true(judged_in_steps(2) > (samples - PC_SAMPLES_MANY) / 2);
}

/* Their traces are as large as part of a block, or larger than several, and hold what looks like records. */
static void samples_behind_aux_traces_are_judged_before_their_turn(void **state)
{
    (void)state;
    begin_with(PC_S_IP | PC_S_TID | PC_S_TIME, 0);
    in.kind = PC_INPUT_FILE;
    uint64_t samples = 0;
    for (uint64_t nr = 0; in.len < SIZE - (2 << 20); nr++) {
        const size_t size = nr == 50 ? 1200000 : 8 * (nr % 5000);
        for (uint64_t i = 0; i < 3000; i++)
            RECORD(USER | PC_SAMPLE, 0x1000 * (i % 50), pair(1, 1), 100 + i);
        samples += 3000;
        RECORD(PC_AUXTRACE, size, 0, 0, 0, pair(1, 0));
        for (size_t at = 0; at < size; at += 8)
            put_at(in.len + at, nr % 2 == 0 ? 16ull << 48 | PC_COMM : nr * at, 8);
        in.len += size;
    }
    assert_true(assert_judged_alike(2) > (samples - PC_SAMPLES_MANY) / 2);
}

/* As soon as they come to a sound sample behind it. */
static void samples_behind_damage_are_judged_before_their_turn(void **state)
{
    (void)state;
    for (unsigned threads = 2; threads < 4; threads++) {
        const uint64_t from = begin_samples(), at = sample_at(from, 5 << 20);
        memset(in.p + at, 0, 10000);
        const uint64_t behind = (SIZE - at - 10000) / SAMPLE, ring = (threads + 4) * PC_WINDOW / SAMPLE;
        assert_true(assert_judged_alike(threads) > behind - ring - behind / 20);
    }
}

/* Samples are read by another attr from there on: what was judged is judged again. */
static void a_record_that_is_learned_from_ends_what_was_judged(void **state)
{
    (void)state;
    begin_samples_with_attr(SIZE / 10 * 7);
    assert_true(assert_judged_alike(3) > 1000);
}

/* TRACING_DATA with this format and so many bytes of symbols, which look like records. */
static void put_formats(const char *format, size_t symbols)
{
    static unsigned char data[4 << 20];
    memset(data, 0, sizeof(data));
    size_t len = tracing_data(data, &format, 1) - 8, at = pc_load_head(data, PC_LITTLE).size;
    const size_t all = (len + symbols + 8) / 8 * 8, short_of = all - len - 8;
    memcpy(data + len, &(uint32_t){ (uint32_t)short_of }, 4);
    for (size_t size; at < all; at += size) {
        size = all - at < 2000 ? all - at : 1000;
        memcpy(data + at, &(uint64_t){ (uint64_t)size << 48 }, 8);
    }
    begin_record(PC_HEADER_TRACING_DATA);
    put(all, 8);
    end_record();
    memcpy(in.p + in.len, data, all);
    in.len += all;
}

/* ... also when threads have followed bytes that are no records. */
static void a_later_format_ends_what_was_judged(void **state)
{
    (void)state;
    in.order = PC_LITTLE;
    begin_with(PC_S_IP | PC_S_TID | PC_S_TIME | PC_S_RAW, 0);
    in.kind = PC_INPUT_FILE;
    put_at(16 + 8, PC_TYPE_TRACEPOINT, 4);
    put_at(16 + 16, 5, 8);
    put_formats(FORMAT("5", ""), 30000);
    for (uint64_t i = 0; in.len < SIZE; i++) {
        if (i == 230000)
            put_formats(FORMAT("5", "\tfield:char x[40];\toffset:8;\tsize:40;\tsigned:0;\n"), 1 << 20);
        RECORD(USER | PC_SAMPLE, 0x1000 * (i % 5000), pair(1, 1), 100 + i, pair(12, 5), pair(1, 0));
    }
    for (unsigned round = 0; round < 4; round++)
        assert_true(assert_judged_alike(2 + round % 2) > 1000);
    assert_true(counted(PC_D_RAW_FIELD_OUTSIDE) > 1000);
}

/* Samples of which few fit into the window are judged by threads, too. */
static void large_samples_are_judged_before_their_turn(void **state)
{
    (void)state;
    uint64_t chain[505] = { 0 };
    begin_samples();
    in.len = 0;
    begin_with(PC_S_IP | PC_S_TID | PC_S_TIME | PC_S_CALLCHAIN, 0);
    in.kind = PC_INPUT_FILE;
    for (uint64_t i = 0; in.len < SIZE; i++) {
        memcpy(chain, (uint64_t[]){ 0x1000 * (i % 50), pair(1, 1), 100 + i, i < 140000 ? 0 : 501 }, 32);
        put_record(USER | PC_SAMPLE, chain, 4 + (size_t)chain[3]);
    }
    assert_true(assert_judged_alike(3) > 500);
}

/* The plan of a layout is made when its first sample comes. */
static void samples_of_another_layout_may_come_late(void **state)
{
    (void)state;
    begin_with(PC_S_IDENTIFIER | PC_S_IP | PC_S_TID | PC_S_TIME, 0);
    in.kind = PC_INPUT_FILE;
    put_attr(PC_S_IDENTIFIER | PC_S_IP | PC_S_TID | PC_S_TIME | PC_S_CPU, 0);
    put_at(in.len - 8, 2, 8); /* its id */
    for (uint64_t i = 0; in.len < SIZE; i++) {
        if (i < 280000 || i % 3 != 0)
            RECORD(USER | PC_SAMPLE, 1, 0x1000 * (i % 5000), pair(1, 1), 100 + i);
        else
            RECORD(USER | PC_SAMPLE, 2, 0x1000 * (i % 5000), pair(1, 1), 100 + i, pair(0, 0));
    }
    assert_true(assert_judged_alike(3) > 1000);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(sound_samples_are_judged_before_their_turn),
    cmocka_unit_test(numbers_are_put_right_after_a_sample_that_is_not_sound),
    cmocka_unit_test(late_samples_are_found),
    cmocka_unit_test(damage_is_found_alike),
    cmocka_unit_test(samples_behind_other_records_are_not_judged_again),
    cmocka_unit_test(samples_behind_aux_traces_are_judged_before_their_turn),
    cmocka_unit_test(samples_behind_damage_are_judged_before_their_turn),
    cmocka_unit_test(a_record_that_is_learned_from_ends_what_was_judged),
    cmocka_unit_test(a_later_format_ends_what_was_judged),
    cmocka_unit_test(large_samples_are_judged_before_their_turn),
    cmocka_unit_test(samples_of_another_layout_may_come_late),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

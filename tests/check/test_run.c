/* SPDX-License-Identifier: MIT
 *
 * A run ends before the first sample that is not plainly sound, or that a hint asks for, and says what its
 * samples have in common. The numbers expected are those of the samples that begin_samples() writes.
 */
#include "pc_test.h"
#include "capture_bench.h"

enum { NR = 40, SIZE = 40 };

static struct pc_span samples;
static struct pc_hints hints;
static struct pc_seen seen;

/* Samples of ip, pid and tid, time, CPU, read into `scan`. */
static void begin_samples(void)
{
    begin_with(PC_S_IP | PC_S_TID | PC_S_TIME | PC_S_CPU, 0);
    for (unsigned i = 0; i < NR; i++) {
        uint64_t words[] = { 0x5000 + i, pair(1, 7), 100 + i, pair(i % 4, 0) };
        put_record(USER | PC_SAMPLE, words, 4);
    }
    run();
    samples = (struct pc_span){ in.p + in.len - NR * SIZE, NR * SIZE };
    hints = (struct pc_hints){ .many = UINT64_MAX, .cpus = 4 };
    memset(&seen, 0, sizeof(seen));
    seen.tid[7] = 7;
    seen.page[5] = 5;
}

static struct pc_run judged(void)
{
    return pc_judge_run(&scan.check.judge, samples, &hints, &seen);
}

static void assert_run(unsigned nr, uint64_t oldest, uint64_t newest)
{
    struct pc_run run = judged();
    assert_int_equal(run.nr, nr);
    assert_int_equal(run.bytes, nr * SIZE);
    assert_int_equal(run.last_size, nr == 0 ? 0 : SIZE);
    assert_int_equal(run.oldest, nr == 0 ? UINT64_MAX : oldest);
    assert_int_equal(run.newest, nr == 0 ? 0 : newest);
}

static void a_run_has_all_sound_samples(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_samples();
        assert_run(NR, 100, 100 + NR - 1);
        samples.len -= 1;
        assert_run(NR - 1, 100, 100 + NR - 2);
        samples = pc_part(samples, 3 * SIZE, 2 * SIZE);
        assert_run(2, 103, 104);
        pc_scan_clear(&scan);
    }
}

static void a_run_ends_before_what_a_hint_asks_for(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_samples();
        hints.cpus = 2;
        assert_run(2, 100, 101);
        hints.cpus = 4;
        hints.released = 101;
        assert_run(0, 0, 0);
        hints.released = 100;
        hints.many = 11;
        assert_run(10, 100, 109);
        hints.nr_samples = 4;
        assert_run(6, 100, 105);
        pc_scan_clear(&scan);
    }
}

static void samples_of_a_task_that_is_new_end_a_run_unless_they_are_skipped(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_samples();
        seen.page[5] = 6;
        assert_run(0, 0, 0);
        seen.page[5] = 5;
        seen.tid[7] = 0;
        assert_run(0, 0, 0);
        hints.skip = 7; /* the eighth sample is looked at */
        assert_run(7, 100, 106);
        hints.nr_samples = 7;
        assert_run(0, 0, 0);
        pc_scan_clear(&scan);
    }
}

/* One attr of 80 bytes, samples of it as above, and a period or an empty branch stack. */
static void begin_branches(uint64_t sample_type, uint64_t branch_type)
{
    const uint64_t last = sample_type & PC_S_PERIOD ? 5 : 0;
    begin_empty();
    begin_record(PC_HEADER_ATTR);
    put(PC_TYPE_SOFTWARE, 4);
    put(80, 4);
    const uint64_t words[] = { 0, 1, sample_type, 0, 0, pair(1, 0), 0, 0, branch_type, 1 };
    for (size_t i = 0; i < PC_COUNT_OF(words); i++)
        put(words[i], 8);
    end_record();
    for (unsigned i = 0; i < NR; i++)
        RECORD(USER | PC_SAMPLE, 0x5000 + i, pair(1, 7), 100 + i, pair(i % 4, 0), last);
    run();
    samples = (struct pc_span){ in.p + in.len - (size_t)NR * (SIZE + 8), (size_t)NR * (SIZE + 8) };
}

/* check/versions.c looks at each such sample. */
static void samples_with_branches_are_no_run_when_versions_are_asked_for(void **state)
{
    (void)state;
    const uint64_t type = PC_S_IP | PC_S_TID | PC_S_TIME | PC_S_CPU;
    static const struct {
        uint64_t type, branches;
        bool passes;
    } rows[] = { { PC_S_BRANCH_STACK, 1, false },
                 { PC_S_PERIOD, PC_BRANCH_CALL_STACK, false },
                 { PC_S_PERIOD, 1, true } };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_samples();
            pc_scan_clear(&scan);
            begin_branches(type | rows[i].type, rows[i].branches);
            assert_int_equal(judged().nr, NR);
            scan.check.judge.asked = PC_BY_ALL;
            assert_int_equal(judged().nr, rows[i].passes ? NR : 0);
            pc_scan_clear(&scan);
        }
    }
}

/* check/flow_versions.c looks at the first sample of a pipe, and at what follows a READ in another byte
 * order; check/versions.c at the halves of words there. */
static void the_first_sample_and_big_endian_ones_are_no_run_when_versions_are_asked_for(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_samples();
        struct pc_flow *flow = &scan.check.flow;
        assert_true(pc_flow_hints(flow, &hints));
        flow->asked = PC_BY_6_1;
        assert_int_equal(pc_flow_hints(flow, &hints), in.order == PC_LITTLE);
        flow->nr_samples = 0;
        assert_false(pc_flow_hints(flow, &hints));
        flow->asked = PC_BY_NONE;
        assert_true(pc_flow_hints(flow, &hints));
        pc_scan_clear(&scan);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_run_has_all_sound_samples),
    cmocka_unit_test(a_run_ends_before_what_a_hint_asks_for),
    cmocka_unit_test(samples_of_a_task_that_is_new_end_a_run_unless_they_are_skipped),
    cmocka_unit_test(samples_with_branches_are_no_run_when_versions_are_asked_for),
    cmocka_unit_test(the_first_sample_and_big_endian_ones_are_no_run_when_versions_are_asked_for),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

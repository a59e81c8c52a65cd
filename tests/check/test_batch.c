/* SPDX-License-Identifier: MIT
 *
 * Samples that are judged many at once get the findings that each alone gets, wherever one of them is not
 * sound.
 */
#include "pc_test.h"
#include "capture_bench.h"

enum { NR = 40 };

/* Samples of ip, pid and tid, time, CPU; `odd` of them has another value in one of these words. */
static void begin_samples(unsigned odd, unsigned word, uint64_t value)
{
    begin_with(PC_S_IP | PC_S_TID | PC_S_TIME | PC_S_CPU, 0);
    begin_feature(PC_NRCPUS);
    put(4, 4);
    put(4, 4);
    end_record();
    RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1), 1, pair(0, 0));
    RECORD(USER | PC_MMAP, pair(1, 1), 0x1000, 0x1000, 0, chars("name"), pair(1, 1), 1, pair(0, 0));
    put_record(PC_FINISHED_ROUND, NULL, 0);
    put_record(PC_FINISHED_ROUND, NULL, 0);
    for (unsigned i = 0; i < NR; i++) {
        uint64_t words[] = { 0x1000 + i, pair(1, 1), 100 + i, pair(i % 4, 0) };
        if (i == odd)
            words[word] = value;
        put_record(USER | PC_SAMPLE, words, 4);
    }
}

static struct pc_scan alone;

static void judge_alone(void)
{
    struct pc_limits limits;
    pc_limits_init(&limits);
    pc_scan_init(&alone, &policy, &limits);
    alone.one_by_one = true;
    pc_scan_memory(&alone, (struct pc_span){ in.p, in.len }, in.kind);
}

static void assert_judged_alike(void)
{
    run();
    judge_alone();
    assert_scans_alike(&scan, &alone);
    assert_int_equal(scan.check.flow.sum.by_type[PC_SAMPLE], NR);
    pc_scan_clear(&scan);
    pc_scan_clear(&alone);
}

static void a_sample_that_is_not_sound_is_found_wherever_it_is(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        const struct {
            unsigned word;
            uint64_t value;
            enum pc_diag id;
        } rows[] = {
            { 0, 0x9000, PC_D_IP_UNMAPPED },
            { 1, pair(1, 2), PC_D_THREAD_UNKNOWN },
            { 2, 0, PC_D_TIME_UNSET },
            { 2, UINT64_MAX, PC_D_TIME_UNSET },
            { 3, pair(4, 0), PC_D_SAMPLE_CPU_BEYOND },
            { 3, pair(0, 1), PC_D_SAMPLE_ID_RESERVED },
        };
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            for (unsigned odd = 0; odd <= NR; odd++) { /* NR: none */
                begin_samples(odd, rows[i].word, rows[i].value);
                uint64_t at = in.len - (NR - odd) * 40 + 8 + 8 * rows[i].word;
                assert_int_equal(counted(rows[i].id), odd < NR);
                assert_in_range(first.offset, odd < NR ? at : 0, at + 4);
                assert_judged_alike();
            }
        }
    }
}

/* The times of samples that were passed count, too. */
static void times_of_all_samples_are_known(void **state)
{
    (void)state;
    for (unsigned odd = 0; odd < NR; odd++) {
        begin_samples(odd, 2, 7);
        run();
        assert_int_equal(scan.check.flow.sum.first_time, 7);
        assert_int_equal(scan.check.flow.sum.last_time, odd == NR - 1 ? 100 + NR - 2 : 100 + NR - 1);
        pc_scan_clear(&scan);
        begin_samples(odd, 2, 700);
        put_record(PC_FINISHED_ROUND, NULL, 0);
        put_record(PC_FINISHED_ROUND, NULL, 0);
        uint64_t at = RECORD(USER | PC_SAMPLE, 0x1000, pair(1, 1), 699, pair(0, 0));
        expect(PC_D_TIME_ORDER, 1, at + 24);
        assert_int_equal(first.expected.n, 700);
    }
}

/* What is cut, damaged or of another type ends a batch. */
static void a_batch_ends_before_what_is_no_sample(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (unsigned odd = 0; odd < NR; odd++) {
            begin_samples(NR, 0, 0);
            uint64_t at = in.len - (NR - odd) * 40;
            make_room(at, 8);
            put_at(at, PC_FINISHED_ROUND, 4);
            put_at(at + 6, 8, 2);
            assert_judged_alike();
            put_at(at + 6, 7, 2);
            run();
            judge_alone();
            assert_int_equal(scan.report.nr, alone.report.nr);
            assert_memory_equal(&scan.check.flow.sum, &alone.check.flow.sum, sizeof(scan.check.flow.sum));
            pc_scan_clear(&scan);
            pc_scan_clear(&alone);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_sample_that_is_not_sound_is_found_wherever_it_is),
    cmocka_unit_test(times_of_all_samples_are_known),
    cmocka_unit_test(a_batch_ends_before_what_is_no_sample),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

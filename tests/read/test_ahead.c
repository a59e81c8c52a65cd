/* SPDX-License-Identifier: MIT
 *
 * A capture that threads read ahead gives what it gives without: findings, counts and bytes read.
 */
#include "capture_bench.h"
#include "pc_test.h"
#include "read/window.h"

#include <stdlib.h>

static struct pc_scan ahead; /* another scan of the same bytes */

/* Seven megabytes of samples, each with a call chain, so that the ring of buffers begins anew three times. */
static uint64_t begin_samples(void)
{
    begin_with(PC_S_IP | PC_S_TID | PC_S_TIME | PC_S_CALLCHAIN, 0);
    in.kind = PC_INPUT_FILE;
    RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1), 1);
    RECORD(USER | PC_MMAP, pair(1, 1), 0x1000, 0x1000, 0, chars("name"), pair(1, 1), 1);
    uint64_t at = in.len;
    for (uint64_t i = 0; in.len < (size_t)7 << 20; i++)
        RECORD(USER | PC_SAMPLE, 0x1000 + i % 0x1000, pair(1, 1), 100 + i, 3, UINT64_MAX - 511, 0x1000,
               0x1004);
    return at;
}

static void scan_with(struct pc_scan *how, uint64_t least, unsigned threads, uint64_t fail_at)
{
    struct pc_limits limits;
    pc_limits_init(&limits);
    limits.ahead = least;
    limits.threads = threads;
    pc_scan_init(how, &policy, &limits);
    pc_input_memory(&how->in, (struct pc_span){ in.p, in.len }, in.kind);
    how->in.fail_at = fail_at;
    pc_scan_input(how);
}

static void assert_read_alike_by(unsigned threads, uint64_t fail_at)
{
    scan_with(&scan, UINT64_MAX, 1, fail_at);
    scan_with(&ahead, 0, threads, fail_at);
    assert_scans_alike(&scan, &ahead);
    assert_int_equal(pc_scan_work(&scan), pc_scan_work(&ahead));
    pc_scan_clear(&scan);
    pc_scan_clear(&ahead);
}

static void assert_read_alike(uint64_t fail_at)
{
    assert_read_alike_by(1, fail_at);
    assert_read_alike_by(3, fail_at);
}

static void a_sound_capture_is_read_alike(void **state)
{
    (void)state;
    begin_samples();
    assert_read_alike(0);
}

/* Zeros, a wrong size, bytes that are lost, and the end, at many places. */
static void damage_is_found_alike(void **state)
{
    (void)state;
    uint64_t from = begin_samples();
    srand(7);
    for (unsigned i = 0; i < 60; i++) {
        uint64_t at = from + (uint64_t)rand() % (in.len - from - 600000);
        switch (i % 4) {
        case 0:
            memset(in.p + at, 0, 100 + (size_t)rand() % 9000);
            break;
        case 1:
            put_at(at - (at - from) % 64 + 6, (uint64_t)rand() % 0x10000, 2);
            break;
        case 2:
            take_out(at, 1 + (size_t)rand() % 300);
            break;
        default:
            memset(in.p + at, 0xff, (size_t)rand() % 100);
            break;
        }
        if (i % 3 == 0)
            assert_read_alike(0);
    }
    for (unsigned i = 0; i < 12; i++) {
        in.len -= 1 + (size_t)rand() % 300000;
        assert_read_alike(0);
    }
}

static void a_read_that_fails_is_told_alike(void **state)
{
    (void)state;
    begin_samples();
    for (uint64_t at = 100000; at < in.len; at += 400000)
        assert_read_alike(at);
}

/* Who stops early ends the thread. */
static void reading_may_stop_anywhere(void **state)
{
    (void)state;
    begin_samples();
    for (unsigned nr = 4; nr < 90000; nr += nr) {
        struct pc_limits limits;
        struct pc_item item;
        pc_limits_init(&limits);
        limits.ahead = 0;
        pc_scan_init(&ahead, &policy, &limits);
        pc_input_memory(&ahead.in, (struct pc_span){ in.p, in.len }, in.kind);
        for (unsigned i = 0; i < nr && pc_scan_next(&ahead, &item); i++) {
        }
        assert_true(ahead.reader.ahead.works);
        pc_scan_clear(&ahead);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_sound_capture_is_read_alike),
    cmocka_unit_test(damage_is_found_alike),
    cmocka_unit_test(a_read_that_fails_is_told_alike),
    cmocka_unit_test(reading_may_stop_anywhere),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * Trials of a salvage, of captures that are written here: the number of records is theirs, and what a trial
 * costs is known from what the captures have.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "cli/trial.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *path;
static perfcheck_t *pc;

static int make_path(void **state)
{
    static char name[] = "/tmp/test_trial.XXXXXX";
    (void)state;
    const int fd = mkstemp(name);
    path = name;
    return fd < 0 || close(fd) != 0;
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_file(void)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(in.p, 1, in.len, file), in.len);
    assert_int_equal(fclose(file), 0);
}

/* Checks what was put. */
static void check(void)
{
    write_file();
    pc = perfcheck_new();
    assert_int_equal(perfcheck_open_path(pc, path), PERFCHECK_OK);
    assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
    assert_int_equal(perfcheck_verdict(pc), PERFCHECK_INVALID);
}

/* A file of so many samples, of which one has a size that is too large, by a few bytes. */
static void put_samples(size_t nr)
{
    begin_file(PC_S_IP | PC_S_TID | PC_S_TIME, PC_FLAG_SAMPLE_ID_ALL);
    for (size_t i = 0; i < nr; i++)
        RECORD(PC_SAMPLE, 4096 + i, pair(7, 7), 1000000 + i);
    put_at(FILE_DATA + nr / 2 * 32 + 6, 40, 2);
    end_file();
}

/* A record that seems to have many others in it, which do so too, so many times. */
static void put_swallowing(size_t nr)
{
    begin_file(PC_S_IP | PC_S_TID | PC_S_TIME, PC_FLAG_SAMPLE_ID_ALL);
    RECORD(PC_SAMPLE, 4096, pair(7, 7), 1000000);
    for (size_t i = 0; i < nr; i++) {
        RECORD(PC_COMM, 0, 0, 0);
        put_at(FILE_DATA + (i + 1) * 32 + 6, 60016, 2);
    }
    end_file();
}

static int take_bytes(void *ctx, const void *bytes, size_t size)
{
    (void)ctx;
    memcpy(in.p + in.len, bytes, size);
    in.len += size;
    return 0;
}

/* So many samples in compressed records, and a FINISHED_ROUND behind them, of which the size is 3. Returns
 * how many bytes come out. */
static uint64_t put_compressed(size_t nr)
{
    begin_file(PC_S_IP | PC_S_TID | PC_S_TIME, PC_FLAG_SAMPLE_ID_ALL);
    for (size_t i = 0; i < nr; i++)
        RECORD(PC_SAMPLE, 4096 + i, pair(7, 7), 1000000 + i);
    put_record(PC_FINISHED_ROUND, NULL, 0);
    end_file();
    write_file();
    pc = perfcheck_new();
    assert_int_equal(perfcheck_set(pc, "compress", NULL), PERFCHECK_OK);
    assert_int_equal(perfcheck_open_path(pc, path), PERFCHECK_OK);
    in.len = 0;
    assert_int_equal(perfcheck_rewrite_to(pc, take_bytes, NULL), PERFCHECK_OK);
    perfcheck_free(pc);
    uint64_t data[2];
    memcpy(data, in.p + AT_DATA, sizeof(data));
    put_at(data[0] + data[1] - 2, 3, 2);
    return nr * 32;
}

/* A record that is shorter than any perf writes it, so many times. */
static void put_errors(size_t nr)
{
    begin_file(PC_S_IP | PC_S_TID | PC_S_TIME, PC_FLAG_SAMPLE_ID_ALL);
    RECORD(PC_SAMPLE, 4096, pair(7, 7), 1000000);
    for (size_t i = 0; i < nr; i++)
        RECORD(PC_THROTTLE, 0);
    end_file();
}

static void what_a_salvage_saves_is_tried(void **state)
{
    (void)state;
    put_samples(100);
    check();
    assert_true(pc_trial_is_possible(pc, path));
    assert_false(pc_trial_is_possible(pc, "-"));
    const struct pc_trial trial = pc_trial_run(pc, path, pc_trial_affords(pc));
    assert_int_equal(trial.saves, 99);
    assert_true(trial.mends);
    perfcheck_free(pc);
}

static void a_trial_stops_when_it_has_read_so_much(void **state)
{
    (void)state;
    static const size_t sizes[] = { 100, 40000 };
    for (size_t i = 0; i < PC_COUNT_OF(sizes); i++) {
        put_samples(sizes[i]);
        check();
        assert_int_equal(pc_trial_run(pc, path, in.len).saves, PC_TRIAL_NOT_KNOWN);
        assert_int_equal(pc_trial_run(pc, path, 2 * in.len).saves, PC_TRIAL_NOT_KNOWN);
        assert_int_equal(pc_trial_run(pc, path, 20 * in.len).saves, sizes[i] - 1);
        perfcheck_free(pc);
    }
}

static void what_compressed_records_hold_counts_as_read(void **state)
{
    (void)state;
    const size_t nr = 40000;
    const uint64_t opened = put_compressed(nr);
    check();
    assert_int_equal(perfcheck_summary(pc)->compressed_out, opened);
    assert_true(in.len < opened / 4);
    assert_int_equal(pc_trial_run(pc, path, 2 * opened).saves, PC_TRIAL_NOT_KNOWN);
    assert_int_equal(pc_trial_run(pc, path, 8 * opened).saves, nr);
    assert_true(pc_trial_affords(pc) > 2 * opened);
    perfcheck_free(pc);
}

/* Each byte of one that is sound but for one record affords some readings, of one of errors none, nor
 * of one in which many places were looked at to find records. */
static void what_is_expensive_to_check_affords_no_trial(void **state)
{
    (void)state;
    put_samples(30000);
    check();
    const uint64_t sound = in.len;
    assert_in_range(pc_trial_affords(pc), 2 * sound, 6 * sound);
    perfcheck_free(pc);
    put_swallowing(30000);
    check();
    assert_true(perfcheck_summary(pc)->searched > in.len);
    assert_int_equal(pc_trial_affords(pc), 0);
    perfcheck_free(pc);
    put_errors(60000);
    check();
    assert_in_range(in.len, sound / 2, 2 * sound);
    assert_int_equal(pc_trial_affords(pc), 0);
    perfcheck_free(pc);
    put_errors(100);
    check();
    assert_true(pc_trial_affords(pc) > 10 * in.len);
    perfcheck_free(pc);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_trial_stops_when_it_has_read_so_much),
    cmocka_unit_test(what_a_salvage_saves_is_tried),
    cmocka_unit_test(what_compressed_records_hold_counts_as_read),
    cmocka_unit_test(what_is_expensive_to_check_affords_no_trial),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), make_path, remove_path };

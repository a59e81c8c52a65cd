/* SPDX-License-Identifier: MIT
 *
 * The header of another file: what of it is taken, from what kinds of input, and within which limit. That the
 * capture is then saved is tested by tests/test_salvage.
 */
#include "edits_bench.h"
#include "bytes/cursor.h"
#include "format/header.h"
#include "write/header_from.h"

static unsigned char whole[4096], headless[4096];
static size_t len, data_at;

/* A capture at want_path, and its bytes, with and without its header. */
static int make_captures(void **state)
{
    set_up(state);
    assemble("expect: valid\nfile\nattr size=120 type=1 config=0 sample_period=1000 sample_type=IP|TID "
             "flags=disabled ids=11\ndata\nrecord SAMPLE misc=USER ; u64 0x400123 ; u32 100 100 ; end\n",
             want_path);
    FILE *f = fopen(want_path, "r");
    assert_non_null(f);
    len = fread(whole, 1, sizeof(whole), f);
    fclose(f);
    data_at = pc_load(whole + pc_row_at(pc_file_header, PC_HEAD_DATA_OFFSET), 8, PC_LITTLE);
    memcpy(headless, whole, len);
    memset(headless, 0, data_at);
    return 0;
}

static enum pc_rewritten take(struct pc_input *in, uint64_t spool)
{
    struct pc_rewrite how = { .header_from = want_path };
    struct pc_mem mem;
    pc_limits_init(&how.limits);
    how.limits.spool = spool;
    how.callbacks = (struct pc_callbacks){ .message = take_message, .errors = take_errors };
    said[0] = 0;
    pc_mem_init(&mem, (uint64_t)8 << 20);
    struct pc_job *job = pc_job_new(&how, NULL, "in");
    enum pc_rewritten result = PC_WRITTEN;
    assert_non_null(job);
    assert_true(pc_header_open(&job->header, &how));
    pc_job_open_scan(job, PC_BY_NONE, "rewriting");
    const bool taken = pc_header_take(job, in, &mem, "in", &result);
    assert_int_equal(mem.used, 0);
    pc_job_close_scan(job);
    pc_job_free(job);
    return taken ? PC_WRITTEN : result;
}

static void all_but_the_end_of_the_data_and_the_features_is_taken(void **state)
{
    (void)state;
    unsigned char got[sizeof(whole)], wanted[sizeof(whole)];
    const size_t size_at = pc_row_at(pc_file_header, PC_HEAD_DATA_SIZE),
                 bits_at = pc_row_at(pc_file_header, PC_HEAD_FEATURES);
    struct pc_input in;
    memcpy(wanted, whole, len);
    memset(wanted + size_at, 0, 8);
    headless[bits_at + 1] = 0x10; /* which the other file has not */
    memset(wanted + bits_at, 0, PC_FILE_HEADER_SIZE - bits_at);
    wanted[bits_at + 1] = 0x10;
    pc_input_memory(&in, (struct pc_span){ headless, len }, PC_INPUT_FILE);
    assert_int_equal(take(&in, 1 << 20), PC_WRITTEN);
    assert_int_equal(in.size, len);
    assert_int_equal(pc_input_read_at(&in, 0, got, sizeof(got)), len);
    assert_memory_equal(got, wanted, len);
    pc_input_close(&in);
    headless[bits_at + 1] = 0;
}

static void what_does_not_fit_is_not_taken(void **state)
{
    (void)state;
    struct pc_input in;
    pc_input_memory(&in, (struct pc_span){ headless, len }, PC_INPUT_FILE);
    assert_int_equal(take(&in, len - 1), PC_TROUBLE);
    assert_non_null(strstr(said, "cannot be stored"));
    pc_input_memory(&in, (struct pc_span){ headless, len }, PC_INPUT_FILE);
    assert_int_equal(take(&in, len), PC_WRITTEN);
    pc_input_close(&in);
    pc_input_memory(&in, (struct pc_span){ headless, data_at + 7 }, PC_INPUT_FILE);
    assert_int_equal(take(&in, len), PC_REFUSED);
    assert_non_null(strstr(said, "the capture has no data"));
    in = (struct pc_input){ .kind = PC_INPUT_DIRECTORY, .fd = -1 };
    assert_int_equal(take(&in, len), PC_REFUSED);
    assert_non_null(strstr(said, "the capture is a directory"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_but_the_end_of_the_data_and_the_features_is_taken),
    cmocka_unit_test(what_does_not_fit_is_not_taken),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), make_captures, scratch_tear_down };

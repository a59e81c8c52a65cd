/* SPDX-License-Identifier: MIT
 *
 * What a refusal says, and of what.
 */
#include "scratch.h"
#include "write/repair.h"
#include "write/rewrite_job.h"

static char said[1024];

static void take_message(void *ctx, const char *path, const char *what, const char *why)
{
    (void)ctx;
    size_t used = strlen(said);
    snprintf(said + used, sizeof(said) - used, "%s: %s: %s\n", path, what, why ? why : "");
}

static void take_errors(void *ctx, const char *path, const struct pc_scan *scan)
{
    take_message(ctx, path, "errors", scan->report.nr == 0 ? "none" : "some");
}

/* Reads all that the job has to read, and refuses it. */
static enum pc_rewritten read_and_refuse(struct pc_job *j, const char *recipe, bool stream, bool *whole)
{
    char path[SCRATCH_PATH];
    scratch_path(path, "in");
    assemble(recipe, path);
    said[0] = 0;
    pc_job_open_scan(j, PC_BY_NONE, "reading");
    pc_content_init(&j->content, &j->scan, PC_LITTLE, false, NULL);
    assert_true(pc_scan_open(&j->scan, path));
    j->is_stream = stream;
    *whole = pc_job_take_content(j);
    enum pc_rewritten result = pc_job_refuse(j, "in");
    pc_job_close_scan(j);
    return result;
}

#define ATTR "pipe\nattr type=1 config=0 sample_period=1000 sample_type=IP|TID flags=disabled\n"

static void a_refusal_says_what_helps(void **state)
{
    (void)state;
    struct pc_rewrite how = { .callbacks = { .message = take_message, .errors = take_errors } };
    pc_limits_init(&how.limits);
    struct pc_job *j = pc_job_new(&how, NULL, "in");
    bool whole;
    assert_non_null(j);
    assert_int_equal(read_and_refuse(j, "expect: valid\n" ATTR, false, &whole), PC_REFUSED);
    assert_true(whole);
    assert_null(strstr(said, "refused"));
    assert_int_equal(read_and_refuse(j, "expect: valid\n" ATTR, true, &whole), PC_REFUSED);
    assert_non_null(strstr(said, "in: a stream comes once: give --keep-partial=FILE to keep its bytes\n"));
    const char *damaged = "expect: invalid\n" ATTR "bytes 0102030405060708\n";
    assert_int_equal(read_and_refuse(j, damaged, false, &whole), PC_REFUSED);
    assert_false(whole);
    assert_string_equal(said, "in: errors: some\n"
                              "in: refused: the capture has errors ('perfcheck check' shows all)\n");
    assert_int_equal(read_and_refuse(j, damaged, true, &whole), PC_REFUSED);
    assert_non_null(strstr(said, "in: a stream comes once: give --salvage to copy what is sound of it, "
                                 "--keep-partial=FILE to keep its bytes\n"));
    how.keep_partial = "kept";
    assert_int_equal(read_and_refuse(j, damaged, true, &whole), PC_REFUSED);
    assert_null(strstr(said, "a stream comes once"));
    pc_job_free(j);
}

/* What is left out without a reason is a defect, unless the search for records had to end. */
static void what_has_no_reason_is_refused(void **state)
{
    (void)state;
    struct pc_rewrite how = { .callbacks = { .message = take_message, .errors = take_errors } };
    pc_limits_init(&how.limits);
    struct pc_job *j = pc_job_new(&how, NULL, "in");
    assert_non_null(j);
    j->salvage = &j->left_out;
    assert_int_equal(pc_job_prove(j, "in", "out"), PC_WRITTEN);
    j->proof.wrong = true;
    j->proof.place = PC_IN_RECORD;
    j->proof.number = 5;
    said[0] = 0;
    assert_int_equal(pc_job_prove(j, "in", "out"), PC_TROUBLE);
    assert_string_equal(said, "out: not written: it lacks what is sound in the capture; this is a defect of "
                              "perfcheck: records[5]\n");
    j->left_out.settling = 1;
    j->left_out.passes = 17;
    said[0] = 0;
    assert_int_equal(pc_job_prove(j, "in", "out"), PC_REFUSED);
    assert_string_equal(
        said, "in: cannot be saved: each of 17 passes found other damage ('perfcheck check' shows it)\n");
    pc_job_free(j);
}

#define WRONG "record LOST ; u64 7 ; end\n"

/* As many errors as the capture has, and no more than are asked for: the rest is not read. */
static void a_capture_is_judged_as_far_as_it_matters(void **state)
{
    (void)state;
    char path[SCRATCH_PATH];
    struct pc_rewrite how = { .salvage = true };
    struct pc_input in;
    uint64_t all = 0, some = 0;
    pc_limits_init(&how.limits);
    struct pc_job *j = pc_job_new(&how, NULL, "in");
    assert_non_null(j);
    scratch_path(path, "in");
    assemble("expect: invalid\n" ATTR WRONG WRONG WRONG, path);
    pc_job_open_scan(j, PC_BY_NONE, "reading");
    assert_int_equal(pc_input_open(&in, path), 0);
    assert_false(pc_job_judge(j, in, PC_NOT_JUDGED, &all));
    assert_int_equal(all / PC_JUDGED_ERROR, 3);
    assert_int_equal(pc_input_open(&in, path), 0);
    assert_false(pc_job_judge(j, in, 2 * PC_JUDGED_ERROR, &some));
    assert_int_equal(some / PC_JUDGED_ERROR, 2);
    assert_int_equal(pc_input_open(&in, path), 0);
    assert_false(pc_job_judge(j, in, 0, NULL));
    assemble("expect: valid\n" ATTR, path);
    assert_int_equal(pc_input_open(&in, path), 0);
    assert_true(pc_job_judge(j, in, 0, NULL));
    assert_false(j->left_out.no_memory);
    assert_int_equal(pc_input_open(&in, path), 0);
    j->scan.mem.failed = true; /* before its end said so */
    assert_int_equal(pc_job_judge(j, in, 0, &some), false);
    assert_true(j->left_out.no_memory);
    pc_job_close_scan(j);
    pc_job_free(j);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_capture_is_judged_as_far_as_it_matters),
    cmocka_unit_test(a_refusal_says_what_helps),
    cmocka_unit_test(what_has_no_reason_is_refused),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, scratch_tear_down };

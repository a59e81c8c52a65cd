/* SPDX-License-Identifier: MIT
 *
 * What is counted of a capture in each container.
 */
#include "scratch.h"
#include "check/tally.h"
#include "check/scan.h"

#include <string.h>

static struct pc_scan scan;
static struct pc_policy policy;

static struct pc_tally count(const char *recipe)
{
    char path[SCRATCH_PATH];
    struct pc_limits limits;
    struct pc_item item;
    struct pc_tally tally = { 0 };
    scratch_path(path, "in");
    assemble(recipe, path);
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    pc_scan_init(&scan, &policy, &limits);
    assert_true(pc_scan_open(&scan, path));
    while (pc_scan_next(&scan, &item))
        pc_tally_item(&tally, &scan.capture, &item);
    pc_tally_end(&tally, &scan.report, &scan.reader);
    pc_scan_end(&scan);
    pc_scan_clear(&scan);
    return tally;
}

#define ATTRS                                                                                                \
    "attr type=1 config=0 sample_period=1000 sample_type=IP|TID ids=11\n"                                    \
    "attr type=1 config=2 sample_period=1000 sample_type=IP|TID ids=12\n"
#define RECORDS                                                                                              \
    "record COMM ; u32 1 1 ; str \"one\" ; end\nrecord FINISHED_ROUND ; end\n"                               \
    "record COMM ; u32 1 1 ; str \"two\" ; end\n"
#define FEATURES "feature HOSTNAME ; hstr \"box\" ; end\nfeature BRANCH_STACK ; end\n"

static void each_kind_is_counted_in_each_container(void **state)
{
    (void)state;
    struct pc_tally file = count("expect: valid\nfile\n" ATTRS "data\n" RECORDS FEATURES),
                    pipe = count("expect: valid\npipe\n" ATTRS FEATURES
                                 "record HEADER_BUILD_ID misc=USER ; u32 -1 ; zero 20 ; u8 20 0 0 0 ; str "
                                 "\"/bin/a\" ; end\n" RECORDS);
    assert_int_equal(file.records, 2);
    assert_int_equal(pipe.records, 2);
    assert_int_equal(file.attrs, 2);
    assert_int_equal(file.header_attrs, 0);
    assert_int_equal(pipe.attrs, 0);
    assert_int_equal(pipe.header_attrs, 2);
    assert_true(file.features[0] == (uint64_t)1 << PC_HOSTNAME);
    assert_true(pipe.features[0] == ((uint64_t)1 << PC_HOSTNAME | (uint64_t)1 << PC_BUILD_ID));
    assert_true(file.gaps == 0 && file.skipped == 0 && pipe.gaps == 0 && pipe.skipped == 0);
}

static void bytes_that_belong_to_nothing_are_counted(void **state)
{
    (void)state;
    struct pc_tally tally = count("expect: valid\nfile\n" ATTRS "data\n" RECORDS
                                  "bytes ffffffffffffffff\n" RECORDS RECORDS RECORDS
                                  "feature HOSTNAME ; hstr \"box\" ; end\nappend u32 5\n");
    assert_int_equal(tally.gaps, 1);
    assert_int_equal(tally.skipped, 8);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_kind_is_counted_in_each_container),
    cmocka_unit_test(bytes_that_belong_to_nothing_are_counted),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, scratch_tear_down };

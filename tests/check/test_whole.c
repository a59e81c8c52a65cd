/* SPDX-License-Identifier: MIT
 *
 * Whether the record before bytes that belong to none is whole.
 */
#include "scratch.h"
#include "check/whole.h"

#define ATTR "attr type=1 config=0 sample_period=1000 sample_type=IP|TID ids=11\n"
#define COMM "record COMM ; u32 1 1 ; str \"one\" ; end\n"

static struct pc_scan scan;
static struct pc_policy policy;

/* Whether that before the first gap is, in a capture with this attr and these records before. */
static bool is_whole_after(const char *attr, const char *records, const char *gap)
{
    char path[SCRATCH_PATH], recipe[2048];
    struct pc_limits limits;
    struct pc_item item;
    struct pc_before before = { .item = { .kind = PC_ITEM_HEADER } };
    bool whole = false, no_memory = false, seen = false;
    scratch_path(path, "in");
    snprintf(recipe, sizeof(recipe),
             "expect: valid\nfile\n%sdata\n" COMM "%s%s" COMM COMM COMM
             "feature HOSTNAME ; hstr \"box\" ; end\n",
             attr, records, gap);
    assemble(recipe, path);
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    pc_scan_init(&scan, &policy, &limits);
    assert_true(pc_scan_open(&scan, path));
    while (pc_scan_next(&scan, &item)) {
        if (scan.reader.skipped != 0 && !seen) {
            seen = true;
            whole = pc_whole_before(&before, &scan, &item, &scan.mem, &no_memory);
        }
        if (item.kind == PC_ITEM_RECORD)
            pc_before_note(&before, &scan, &item);
    }
    if (!seen || no_memory)
        fail_msg("no gap: %s", gap);
    pc_scan_end(&scan);
    pc_scan_clear(&scan);
    return whole;
}

static bool is_whole(const char *gap)
{
    return is_whole_after(ATTR, "", gap);
}

#define NOTHING    "bytes 6162636465666768 6162636465666768\n"
#define TIMED      "attr type=1 config=0 sample_period=1000 sample_type=IP|TID|TIME flags=sample_id_all ids=11\n"
#define AT(second) "record COMM ; u32 1 1 ; str \"one\" ; u32 1 1 ; u64 " #second "000000000 ; end\n"
#define COUNT(n)   "record STAT ; u64 11 ; u32 0 0 ; u64 7 8 " #n " ; end\n"

/* The eight bytes at its end show it. */
static void the_end_of_a_record_may_be_that_of_another(void **state)
{
    (void)state;
    static const char sample[] = "record SAMPLE misc=USER ; u64 4096 ; u32 1 2 ; end\n",
                      other[] = "record SAMPLE misc=USER ; u64 4096 ; u32 1 3 ; end\n";
    char records[512];
    snprintf(records, sizeof(records), "%s%s", sample, sample);
    assert_true(is_whole_after(ATTR, records, NOTHING));
    snprintf(records, sizeof(records), "%s%s", sample, other);
    assert_false(is_whole_after(ATTR, records, NOTHING));
    assert_true(is_whole_after(TIMED, AT(100) AT(116), NOTHING));
    assert_true(is_whole_after(TIMED, AT(116) AT(100), NOTHING));
    assert_false(is_whole_after(TIMED, AT(100) AT(118), NOTHING));
    assert_false(is_whole_after(TIMED, AT(100), NOTHING));
    assert_true(is_whole_after(ATTR, "record FINISHED_ROUND ; end\n", NOTHING));
    assert_true(is_whole_after(ATTR, COUNT(8), NOTHING));
    assert_false(is_whole_after(ATTR, COUNT(7), NOTHING));
}

static void the_end_of_a_record_is_certain_or_not(void **state)
{
    (void)state;
    assert_false(is_whole("bytes 6162636465666768 6162636465666768\n"));
    assert_true(is_whole("bytes 0300000000000040 6162636465666768\n")); /* the type is right */
    assert_false(is_whole("bytes 0300000000ff0040 6162636465666768\n"));
    assert_false(is_whole("zero 64\n"));
}

/* A thread without a name, then the type of a CPU_MAP before zeros. */
static void a_record_that_ends_with_zeros_is_whole_before_a_cleared_header(void **state)
{
    (void)state;
    static const char map[] = "record THREAD_MAP ; u64 1 7 0 0 ; end\n",
                      named[] = "record THREAD_MAP ; u64 1 7 0 97 ; end\n",
                      cleared[] = "bytes 4a00000000000000 0000000000000000 6162636465666768\n",
                      content[] = "bytes 4a00000000000000 0000000000000001 6162636465666768\n",
                      exit[] = "bytes 0400000000000000 0000000000000000 6162636465666768\n";
    assert_true(is_whole_after(ATTR, map, cleared));
    assert_false(is_whole_after(ATTR, named, cleared));
    assert_false(is_whole_after(ATTR, map, content));
    assert_false(is_whole_after(ATTR, map, exit));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_end_of_a_record_is_certain_or_not),
    cmocka_unit_test(the_end_of_a_record_may_be_that_of_another),
    cmocka_unit_test(a_record_that_ends_with_zeros_is_whole_before_a_cleared_header),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, scratch_tear_down };

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

/* Whether that before the first gap is. */
static bool is_whole(const char *gap)
{
    char path[SCRATCH_PATH], recipe[2048];
    struct pc_limits limits;
    struct pc_item item;
    struct pc_before before = { .item = { .kind = PC_ITEM_HEADER } };
    bool whole = false, no_memory = false, seen = false;
    scratch_path(path, "in");
    snprintf(recipe, sizeof(recipe),
             "expect: valid\nfile\n" ATTR "data\n" COMM "%s" COMM COMM COMM
             "feature HOSTNAME ; hstr \"box\" ; end\n",
             gap);
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
            pc_before_note(&before, &item);
    }
    if (!seen || no_memory)
        fail_msg("no gap: %s", gap);
    pc_scan_end(&scan);
    pc_scan_clear(&scan);
    return whole;
}

static void the_end_of_a_record_is_certain_or_not(void **state)
{
    (void)state;
    assert_false(is_whole("bytes 6162636465666768 6162636465666768\n"));
    assert_true(is_whole("bytes 0300000000000040 6162636465666768\n")); /* the type is right */
    assert_false(is_whole("bytes 0300000000ff0040 6162636465666768\n"));
    assert_false(is_whole("zero 64\n"));
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(the_end_of_a_record_is_certain_or_not) };

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, scratch_tear_down };

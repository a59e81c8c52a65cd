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
static const char *order = "little";
static uint64_t end; /* of the record before the gap */

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
             "expect: valid\norder %s\nfile\n%sdata\n" COMM "%s%s" COMM COMM COMM
             "feature HOSTNAME ; hstr \"box\" ; end\n",
             order, attr, records, gap);
    assemble(recipe, path);
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    pc_scan_init(&scan, &policy, &limits);
    assert_true(pc_scan_open(&scan, path));
    while (pc_scan_next(&scan, &item)) {
        if (scan.reader.skipped != 0 && !seen) {
            seen = true;
            end = before.item.offset + before.item.bytes.len;
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

/* A count without times, then the type of a CPU_MAP before zeros. */
static void a_record_that_ends_with_zeros_is_whole_before_a_cleared_header(void **state)
{
    (void)state;
    static const char none[] = "record STAT ; u64 11 ; u32 0 0 ; u64 7 0 0 ; end\n",
                      cleared[] = "bytes 4a00000000000000 0000000000000000 6162636465666768\n",
                      content[] = "bytes 4a00000000000000 0000000000000001 6162636465666768\n",
                      exit[] = "bytes 0400000000000000 0000000000000000 6162636465666768\n";
    assert_true(is_whole_after(ATTR, none, cleared));
    assert_false(is_whole_after(ATTR, COUNT(7), cleared));
    assert_false(is_whole_after(ATTR, none, content));
    assert_false(is_whole_after(ATTR, none, exit));
}

#define ZEROS "bytes 0000000000000000 6162636465666768\n"
#define NO_ID "u32 0 0 ; u64 0 ; end\n"

/* perf makes records about what ran before, and knows no time for them. */
static void a_record_that_perf_made_ends_with_zeros(void **state)
{
    (void)state;
    static const char one[] = "record COMM ; u32 1 1 ; str \"one\" ; " NO_ID,
                      full[] = "record COMM ; u32 1 1 ; str \"fullname\" ; " NO_ID,
                      nameless[] = "record COMM ; u32 1 1 ; str \"\" ; " NO_ID,
                      task[] = "record COMM ; u32 1 1 ; str \"one\" ; u32 1 0 ; u64 0 ; end\n",
                      process[] = "record FORK ; u32 2 1 2 1 ; u64 0 ; " NO_ID,
                      other[] = "record FORK ; u32 2 1 2 3 ; u64 0 ; " NO_ID,
                      timed[] = "record FORK ; u32 2 1 2 1 ; u64 9 ; " NO_ID,
                      exit[] = "record EXIT ; u32 2 1 2 1 ; u64 0 ; " NO_ID;
    assert_true(is_whole_after(TIMED, one, NOTHING));
    assert_true(is_whole_after(TIMED, one, ZEROS));
    assert_true(is_whole_after(TIMED, full, NOTHING));
    assert_false(is_whole_after(TIMED, full, ZEROS)); /* a longer name may have been */
    assert_false(is_whole_after(TIMED, nameless, NOTHING));
    assert_false(is_whole_after(TIMED, task, NOTHING));
    assert_true(is_whole_after(TIMED, process, NOTHING));
    assert_true(is_whole_after(TIMED, process, ZEROS));
    assert_false(is_whole_after(TIMED, other, NOTHING));
    assert_false(is_whole_after(TIMED, timed, NOTHING));
    assert_false(is_whole_after(TIMED, exit, NOTHING)); /* which perf does not make */
    assert_false(is_whole_after(ATTR, one, NOTHING));
}

/* Whether an MMAP2 is that ends with this and where a block does, before zeros: a name before it is so long.
 */
static bool is_whole_at_block(const char *rest)
{
    static const char mmap[] = "record MMAP2 misc=USER ; u32 1 1 ; u64 4096 4096 0 ; u32 8 1 ; ";
    char records[1024], name[512];
    bool whole = false;
    int length = 7;
    memset(name, '.', sizeof(name));
    for (int i = 0; i < 2; i++) {
        snprintf(records, sizeof(records),
                 "record COMM ; u32 1 1 ; str \"%.*s\" ; " NO_ID
                 "%su64 5 0 ; u32 5 2 ; str \"/bin/sh\" ; " NO_ID "%s%s ; " NO_ID,
                 length, name, mmap, mmap, rest);
        whole = is_whole_after(TIMED, records, "zero 1024\n");
        length += (int)(-end % 512);
    }
    assert_int_equal(end % 512, 0);
    return whole;
}

static void a_record_whose_name_became_zeros_is_not_whole(void **state)
{
    (void)state;
    assert_true(is_whole_at_block("u64 5 0 ; u32 5 2 ; str \"/lib\""));
    assert_false(is_whole_at_block("u64 5 0 ; u32 5 2 ; str \"/lib\" ; zero 8"));
    assert_false(is_whole_at_block("u64 5 0 ; u32 5 2 ; zero 8"));
    assert_false(is_whole_at_block("u64 0 0 ; u32 0 0 ; zero 8"));
}

static void a_record_of_perf_ends_with_a_text_or_a_small_number(void **state)
{
    (void)state;
    static const char unit[] = "record EVENT_UPDATE ; u64 0 11 ; str \"msec\" ; zero 16 ; end\n",
                      scale[] = "record EVENT_UPDATE ; u64 1 11 ; f64 1e-06 ; zero 16 ; end\n",
                      no_scale[] = "record EVENT_UPDATE ; u64 1 11 ; u64 5 ; zero 16 ; end\n",
                      cpus[] = "record EVENT_UPDATE ; u64 3 11 ; u16 2 ; u8 0 0 ; u16 0 3 ; end\n",
                      map[] = "record THREAD_MAP ; u64 1 7 0 0 ; end\n",
                      nobody[] = "record THREAD_MAP ; u64 1 0 0 0 ; end\n",
                      index[] = "record ID_INDEX ; u64 1 11 0 0 7 ; end\n",
                      large[] = "record ID_INDEX ; u64 1 11 0 0 5000000000 ; end\n",
                      round[] = "record STAT_ROUND ; u64 1 1000000 ; end\n";
    assert_true(is_whole_after(ATTR, unit, NOTHING));
    assert_true(is_whole_after(ATTR, unit, ZEROS));
    assert_true(is_whole_after(ATTR, scale, NOTHING));
    assert_true(is_whole_after(ATTR, scale, ZEROS));
    assert_false(is_whole_after(ATTR, no_scale, ZEROS));
    assert_true(is_whole_after(ATTR, cpus, NOTHING));
    assert_false(is_whole_after(ATTR, cpus, ZEROS));
    assert_true(is_whole_after(ATTR, map, ZEROS));
    assert_false(is_whole_after(ATTR, nobody, ZEROS));
    assert_true(is_whole_after(ATTR, index, NOTHING));
    assert_false(is_whole_after(ATTR, index, ZEROS));
    assert_false(is_whole_after(ATTR, large, NOTHING));
    assert_false(is_whole_after(ATTR, round, NOTHING)); /* nothing but numbers */
}

#define WITH(fields)                                                                                         \
    "attr type=1 config=0 sample_period=1000 sample_type=IP|TID|" fields " flags=sample_id_all ids=11\n"
#define ID(words) "record COMM ; u32 1 1 ; str \"one\" ; u32 1 1 ; " words " ; end\n"

static void an_id_may_be_before_a_cpu(void **state)
{
    (void)state;
    assert_true(is_whole_after(WITH("ID"), ID("u64 11"), NOTHING));
    assert_false(is_whole_after(WITH("ID"), ID("u64 12"), NOTHING));
    assert_true(is_whole_after(WITH("ID|CPU"), ID("u64 11 ; u32 3 0"), NOTHING));
    assert_false(is_whole_after(WITH("ID|CPU"), ID("u64 12 ; u32 3 0"), NOTHING));
    assert_false(is_whole_after(WITH("ID|CPU"), ID("u64 11 ; u32 3 1"), NOTHING));
    assert_true(is_whole_after(WITH("ID|CPU"), ID("u64 11 ; u32 3 0"), ZEROS));
    assert_true(is_whole_after(WITH("ID|CPU"), ID("u64 11 ; u32 0 0"), NOTHING));
    assert_false(is_whole_after(WITH("ID|CPU"), ID("u64 11 ; u32 0 0"), ZEROS)); /* which may be of CPU 3 */
    assert_false(is_whole_after(WITH("ID|STREAM_ID|CPU"), ID("u64 5 11 ; u32 3 0"), NOTHING));
    order = "big";
    assert_true(is_whole_after(WITH("ID|CPU"), ID("u64 11 ; u32 3 0"), NOTHING));
    assert_false(is_whole_after(WITH("ID|CPU"), ID("u64 11 ; u32 3 1"), NOTHING));
    order = "little";
}

/* The low half of a time comes last, in which zeros would begin. */
static void a_time_may_be_big_endian(void **state)
{
    (void)state;
    order = "big";
    assert_true(is_whole_after(WITH("TIME"), ID("u64 100000000001") ID("u64 116000000001"), NOTHING));
    assert_false(is_whole_after(WITH("TIME"), ID("u64 100000000001") ID("u64 118000000001"), NOTHING));
    assert_false(is_whole_after(WITH("TIME"), ID("u64 100000000001") ID("u64 100000000000"), NOTHING));
    order = "little";
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_record_that_perf_made_ends_with_zeros),
    cmocka_unit_test(a_record_whose_name_became_zeros_is_not_whole),
    cmocka_unit_test(a_record_of_perf_ends_with_a_text_or_a_small_number),
    cmocka_unit_test(an_id_may_be_before_a_cpu),
    cmocka_unit_test(a_time_may_be_big_endian),
    cmocka_unit_test(the_end_of_a_record_is_certain_or_not),
    cmocka_unit_test(the_end_of_a_record_may_be_that_of_another),
    cmocka_unit_test(a_record_that_ends_with_zeros_is_whole_before_a_cleared_header),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, scratch_tear_down };

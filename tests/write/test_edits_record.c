/* SPDX-License-Identifier: MIT
 *
 * Edits of records that may fail, or that change nothing. tests/write/test_edits.c has one of each kind.
 */
#include "edits_bench.h"

#define ATTR "attr size=120 type=1 config=0 sample_period=1000 sample_type=IP|TID flags=disabled\n"

/* A record has 16 bits for its size, which a list of CPUs needs and a range does not. */
static void a_list_of_cpus_has_to_fit_into_a_record(void **state)
{
    (void)state;
    static const struct {
        unsigned last; /* of the CPUs from 0 on; the list has 12 bytes before them */
        bool fits;
    } rows[] = { { 5, true }, { (65528 - 12) / 2 - 1, true }, { (65528 - 12) / 2, false }, { 32766, false } };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        char data[128];
        snprintf(data, sizeof(data), "record CPU_MAP ; u16 2 ; u8 0 0 ; u16 0 %u ; end\n", rows[i].last);
        enum pc_rewritten result = copy_recipe(PC_BY_5_10, PC_TO_FILE, "little", ATTR, data, out_path);
        if (result != (rows[i].fits ? PC_WRITTEN : PC_REFUSED) ||
            !strstr(said, rows[i].fits ? "edited: ranges of CPUs became lists"
                                       : "a list of so many CPUs is too long"))
            fail_msg("row %zu: %d: %s", i, (int)result, said);
    }
}

/* A perf that knows what the record has gets it as it is. */
static void what_a_perf_knows_stays(void **state)
{
    (void)state;
    static const char map[] = "record CPU_MAP ; u16 2 ; u8 0 0 ; u16 0 5 ; end\n";
    assert_int_equal(copy_recipe(PC_BY_6_1, PC_TO_FILE, "little", ATTR, map, out_path), PC_WRITTEN);
    assert_null(strstr(said, "edited"));
    static const char mapping[] = "record MMAP2 misc=USER ; u32 100 100 ; u64 0x400000 0x1000 0 ; u32 8 1 ; "
                                  "u64 7 0 ; u32 5 2 ; str \"/bin/one\" ; end\n";
    assert_int_equal(copy_recipe(PC_BY_5_10, PC_TO_FILE, "little", ATTR, mapping, out_path), PC_WRITTEN);
    assert_null(strstr(said, "edited"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_list_of_cpus_has_to_fit_into_a_record),
    cmocka_unit_test(what_a_perf_knows_stays),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, scratch_tear_down };

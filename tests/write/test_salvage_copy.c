/* SPDX-License-Identifier: MIT
 *
 * What becomes of an error that only the copy has: what it is about is left out of the next copy, unless the
 * writer made it.
 */
#include "salvage_rows.h"
#include "write/salvage.h"

/* An entry of the feature: an id of 16 bytes. */
#define BUILD_ID(name)                                                                                       \
    "u32 0 ; u16 misc.USER|misc.BUILD_ID_SIZE " name "_end-" name "+8 ; " name ": u32 -1\n"                  \
    "bytes a0a1a2a3a4a5a6a7a8a9aaabacadaeaf 00000000 ; u8 16 0 0 0 ; str \"/bin/" name "\" ; " name          \
    "_end:\n"

/* An error that the writer makes is not taken for one of the capture, whatever that has lost. */
static void defects_of_the_copy_are_no_damage(void **state)
{
    (void)state;
    static const char two[] = "size=136 type=1 config=0 sample_type=IP|TID|IDENTIFIER ids=11\n"
                              "attr copy=attr0 config=2 ids=21,22\n";
    static const char ends[] = "feature HOSTNAME ; hstr \"box\" ; end\n"
                               "feature NRCPUS ; u32 4 4 ; end\n"
                               "feature EVENT_DESC ; u32 2 136 ; event \"cpu-clock\" copy=attr0\n"
                               "event \"page-faults\" copy=attr1 ; end\n"
                               "feature BUILD_ID\n" BUILD_ID("one") BUILD_ID("two") "end\n";
    static const struct {
        const char *begins, *records;
    } recipes[] = {
        { "file\nattr ", "data\n" SAMPLE(0x401000) ROUND },
        { "file\nattr ", "data\n" SAMPLE(0x401000) "bad: " SAMPLE(0x402000) ROUND SAMPLE(0x403000) ROUND },
        { "pipe\nattr ", "record HEADER_FEATURE ; u64 3 ; hstr \"box\" ; end\n" SAMPLE(0x401000)
                             ROUND SAMPLE(0x402000) ROUND },
    };
    static unsigned char clean[16384];
    char recipe[4096];
    for (size_t i = 0; i < PC_COUNT_OF(recipes); i++) {
        snprintf(recipe, sizeof(recipe), "%s%s%s%s%s", recipes[i].begins, two, recipes[i].records,
                 i == 2 ? "" : ends, strstr(recipes[i].records, "bad:") ? "patch bad.size 3\n" : "");
        assert_int_equal(copy(recipe, true, out_path), PC_WRITTEN);
        size_t n = load(out_path, clean, sizeof(clean));
        for (size_t k = 0; k < 2 * n; k++) {
            defect.at = (off_t)(k / 2);
            defect.mask = k % 2 ? 0x80 : 1;
            enum pc_rewritten result = copy_again(true, out_path);
            if (result != PC_TROUBLE || access(out_path, F_OK) == 0)
                fail_msg("recipe %zu, 0x%zx: %d%s", i, k / 2, result, said);
        }
        defect.mask = 0;
    }
}

/* A pipe may count a tracepoint without trace data, a file may not: the attr is left out, and its counts. */
static void the_other_container_may_have_no_place_for_counts(void **state)
{
    (void)state;
    static const char counts[] = "pipe\nattr type=2 config=300 sample_type=0 flags=disabled ids=11\n"
                                 "attr type=1 config=0 sample_type=0 ids=21\n"
                                 "record STAT_CONFIG ; u64 3  0 1  1 100  2 1 ; end\n"
                                 "record STAT ; u64 11 ; u32 0 0 ; u64 5000 300 200 ; end\n"
                                 "record STAT ; u64 21 ; u32 0 0 ; u64 5000 300 200 ; end\n";
    container = PC_TO_FILE;
    enum pc_rewritten result = copy(counts, true, out_path);
    container = PC_TO_KEEP;
    if (result != PC_WRITTEN || !strstr(said, "left out: attr 0"))
        fail_msg("%d%s", result, said);
    assert_int_equal(unlink(out_path), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(defects_of_the_copy_are_no_damage),
    cmocka_unit_test(the_other_container_may_have_no_place_for_counts),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), salvage_set_up, scratch_tear_down };

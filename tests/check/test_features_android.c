/* SPDX-License-Identifier: MIT
 *
 * Features of simpleperf: symbols, files of unwinding.
 */
#include "pc_test.h"
#include "capture_bench.h"

#include <string.h>

static uint64_t in_feature(uint64_t bit, const char *bytes, size_t n)
{
    uint64_t at = begin_feature(bit);
    for (size_t i = 0; i < n; i++)
        put((unsigned char)bytes[i], 1);
    end_record();
    return at;
}
#define FEATURE(bit, bytes) in_feature(bit, bytes, sizeof(bytes) - 1)

static void files_of_unwinding_lie_in_their_feature(void **state)
{
    (void)state;
    for (unsigned size = 0; size < 9; size++) {
        char list[] = "\x0a\x02\x10\x02\x0a\x02\x10\x00"; /* sizes 2 and ... */
        list[7] = (char)size;
        begin_with(PC_S_TID, 0);
        in_feature(PC_DEBUG_UNWIND, list, sizeof(list) - 1);
        uint64_t at = FEATURE(PC_DEBUG_UNWIND_FILE, "12345678");
        expect(PC_D_ANDROID_UNWIND, size > 6, at);
    }
}

static void a_list_that_is_damaged_says_nothing(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    FEATURE(PC_DEBUG_UNWIND, "\x0a\x02\x10\x09\x0a\x09xx");
    FEATURE(PC_DEBUG_UNWIND_FILE, "12345678");
    expect(PC_D_ANDROID_UNWIND, 0, 0);
}

static void all_of_their_feature_is_listed(void **state)
{
    (void)state;
    for (unsigned size = 0; size < 9; size++) {
        char list[] = "\x0a\x02\x10\x00";
        list[3] = (char)size;
        begin_with(PC_S_TID, 0);
        if (size != 0)
            in_feature(PC_DEBUG_UNWIND, list, sizeof(list) - 1);
        uint64_t at = FEATURE(PC_DEBUG_UNWIND_FILE, "12345678");
        expect(PC_D_ANDROID_UNWIND_MORE, size < 8, at);
    }
}

static void lists_of_branches_have_a_magic(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        size_t size;
        unsigned wrong;
    } rows[] = {
#define LIST(text, wrong) { text, sizeof(text) - 1, wrong }
        LIST("\x0a\x18simpleperf:EtmBranchList", 0),
        LIST("\x12\x00\x0a\x18simpleperf:EtmBranchList", 0),
        LIST("\x0a\x18simpleperf:EtmBranchList\x12\x0e\x0a\x02/a\x1a\x06\x08\x10\x12\x02\x10\x03\x20\x01", 0),
        LIST("\x0a\x18simpleperf:EtmBranchlist", 1),
        LIST("\x0a\x17simpleperf:EtmBranchLis", 1),
        LIST("\x0a\x19simpleperf:EtmBranchListx", 1),
        LIST("\x0a\x00", 1),
        LIST("\x12\x00", 1),
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        begin_with(PC_S_TID, 0);
        uint64_t at = in_feature(PC_ETM_BRANCH_LIST, rows[i].list, rows[i].size);
        expect(PC_D_ANDROID_MAGIC, rows[i].wrong, at);
    }
}

static void symbols_end_before_all_addresses(void **state)
{
    (void)state;
    for (unsigned len = 0; len < 20; len++) {
        char file[] = "\x14\0\0\0\x22\x0d\x10\0\x08\xf0\xff\xff\xff\xff\xff\xff\xff\xff\x01\x32\x03xyz";
        file[7] = (char)len;
        begin_with(PC_S_TID, 0);
        uint64_t at = in_feature(PC_FILE2, file, sizeof(file) - 1);
        expect(PC_D_ANDROID_SYMBOL, len > 16, at + 8);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(files_of_unwinding_lie_in_their_feature),
    cmocka_unit_test(a_list_that_is_damaged_says_nothing),
    cmocka_unit_test(all_of_their_feature_is_listed),
    cmocka_unit_test(lists_of_branches_have_a_magic),
    cmocka_unit_test(symbols_end_before_all_addresses),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

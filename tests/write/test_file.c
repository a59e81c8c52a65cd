/* SPDX-License-Identifier: MIT
 *
 * A copy that is a file, when allocations, reads and writes fail: it is whole, or it is known not to be.
 */
#include "copy_bench.h"

/* A build id after the records: the copy, which begins with its front, gets another one that is longer. */
static void a_copy_whose_front_grows_is_whole_or_reported(void **state)
{
    (void)state;
    enum { SIZE = 48, NAME_AT = 36 };
    static const unsigned char name[] = "/late", id[20] = { 1 };
    make(true, PC_LITTLE);
    g.bytes = realloc(g.bytes, g.len + SIZE);
    assert_non_null(g.bytes);
    unsigned char *record = g.bytes + g.len;
    memset(record, 0, SIZE);
    pc_store(record, 4, PC_HEADER_BUILD_ID, PC_LITTLE);
    pc_store(record + 4, 2, 2, PC_LITTLE); /* USER */
    pc_store(record + 6, 2, SIZE, PC_LITTLE);
    memcpy(record + 12, id, sizeof(id));
    memcpy(record + NAME_AT, name, sizeof(name));
    g.len += SIZE;
    struct attempt good = { .compress = false };
    copy(&good, PC_LITTLE);
    assert_true(good.whole);
    for (uint64_t n = 1; n <= good.allocations; n++) {
        struct attempt a = { .alloc = n };
        copy(&a, PC_LITTLE);
        if (a.whole) {
            struct pc_sum sum = digest_of_copy();
            assert_true(pc_sum_equal(&sum, &good.sum));
        } else {
            assert_true(a.unreadable);
        }
    }
    free(g.bytes);
}

static void a_copy_of_a_file_is_whole_or_reported(void **state)
{
    (void)state;
    nothing_fails_unsaid(false, false);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_copy_whose_front_grows_is_whole_or_reported),
    cmocka_unit_test(a_copy_of_a_file_is_whole_or_reported),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

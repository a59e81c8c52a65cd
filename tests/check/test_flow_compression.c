/* SPDX-License-Identifier: MIT
 *
 * Compressed records, and the feature that announces them.
 */
#include "pc_test.h"
#include "capture_bench.h"

static uint64_t announce(uint64_t type, uint64_t level, uint64_t mmap_len)
{
    uint64_t at = begin_feature(PC_COMPRESSED_FEATURE);
    put(0, 4); /* version */
    put(type, 4);
    put(level, 4);
    put(0, 4); /* ratio */
    put(mmap_len, 4);
    end_record();
    return at;
}

static uint64_t compressed(uint32_t type)
{
    return type == PC_COMPRESSED ? RECORD(type, 1) : RECORD(type, 8, 1);
}

static void compressed_records_are_announced_once(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    uint64_t at = compressed(PC_COMPRESSED);
    compressed(PC_COMPRESSED);
    expect(PC_D_COMPRESSED_UNANNOUNCED, 1, at);
    expect(PC_D_COMPRESSED_MIXED, 0, 0);
    at = compressed(PC_COMPRESSED2);
    compressed(PC_COMPRESSED2);
    expect(PC_D_COMPRESSED_MIXED, 1, at);
}

/* The type of the compression matters when something is compressed. */
static void the_type_is_reported_with_the_first_record(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        uint64_t at = announce(2, 1, 4096);
        expect(PC_D_COMPRESSED_TYPE, 0, 0);
        compressed(PC_COMPRESSED);
        compressed(PC_COMPRESSED);
        expect(PC_D_COMPRESSED_TYPE, 1, at + 4);
        assert_int_equal(first.seen.n, 2);
    }
}

static void promised_records_come(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    uint64_t at = announce(1, 1, 4096);
    expect(PC_D_COMPRESSED_UNUSED, 1, at);
    compressed(PC_COMPRESSED);
    expect(PC_D_COMPRESSED_UNUSED, 0, 0);
    expect(PC_D_COMPRESSED_UNANNOUNCED, 0, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(compressed_records_are_announced_once),
    cmocka_unit_test(the_type_is_reported_with_the_first_record),
    cmocka_unit_test(promised_records_come),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * User addresses that no mapping covers.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void the_number_of_reported_unmapped_pages_is_limited(void **state)
{
    (void)state;
    begin();
    RECORD(USER | PC_MMAP, 0, 0x1000, 0x1000, 0, 'a', 0, 1);
    for (uint64_t i = 2; i < 20000; i++)
        RECORD(USER | PC_SAMPLE, 1, i << 12, (uint64_t)1 << 32, 0);
    run();
    assert_int_equal(scan.report.by_id[PC_D_IP_UNMAPPED], 8192);
    pc_scan_clear(&scan);
}

static void map(uint64_t misc, uint64_t addr, uint64_t len)
{
    RECORD(MISC(misc) | PC_MMAP, pair(0, 0), addr, len, 0, chars("a"), 0, 1);
}

static uint64_t sample_of(uint64_t mode, uint64_t ip)
{
    return RECORD(MISC(mode) | PC_SAMPLE, 1, ip, pair(0, 1), 0);
}

/* Pages 5 to 7, then 8 and 9, and 11: the one between is in none. */
static void each_page_of_a_mapping_is_covered_and_no_other(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin();
        map(2, 0x8000, 0x2000);
        map(2, 0x5000, 0x2001);
        map(2, 0xb000, 1);
        map(2, 0xd000, 0); /* empty */
        const uint64_t covered[] = { 0x5000, 0x7fff, 0x8000, 0x9fff, 0xbfff };
        for (size_t i = 0; i < PC_COUNT_OF(covered); i++)
            sample_of(2, covered[i]);
        sample_of(2, 0xfff);             /* page 0, */
        sample_of(2, (uint64_t)1 << 63); /* addresses of the kernel */
        sample_of(1, 0x4fff);            /* and those of other modes are not judged */
        assert_int_equal(counted(PC_D_IP_UNMAPPED), 0);
        const uint64_t open[] = { 0x4fff, 0xa123, 0xc000, 0xd000 };
        for (size_t i = 0; i < PC_COUNT_OF(open); i++) {
            uint64_t at = sample_of(2, open[i]);
            sample_of(2, open[i] ^ 1); /* each page once */
            assert_int_equal(counted(PC_D_IP_UNMAPPED), i + 1);
            if (i == 0)
                assert_int_equal(first.offset, at + 16);
            if (i == 0)
                assert_int_equal(first.seen.n, 0x4fff);
        }
    }
}

static void where_mappings_are_missing_nothing_is_judged(void **state)
{
    (void)state;
    begin();
    sample_of(2, 0x1000);
    assert_int_equal(counted(PC_D_IP_UNMAPPED), 0); /* there is no mapping at all */
    map(2, 0x5000, 1);
    assert_int_equal(counted(PC_D_IP_UNMAPPED), 1);
    size_t before = in.len;
    RECORD(MISC(0x1002) | PC_MMAP2, pair(0, 0), 0x6000, 1, 0, pair(0, 0), 0, 0, pair(0, 0), chars("a"), 0, 1);
    assert_int_equal(counted(PC_D_IP_UNMAPPED), 0); /* PROC_MAP_PARSE_TIMEOUT: perf gave up */
    in.len = before;
    RECORD(PC_LOST, 0, 1, 0, 1);
    assert_int_equal(counted(PC_D_IP_UNMAPPED), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_number_of_reported_unmapped_pages_is_limited),
    cmocka_unit_test(each_page_of_a_mapping_is_covered_and_no_other),
    cmocka_unit_test(where_mappings_are_missing_nothing_is_judged),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

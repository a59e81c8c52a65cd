/* SPDX-License-Identifier: MIT
 *
 * Sections: how large one may be, the feature table, and a file that ends early.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void begin_sound(void)
{
    begin_file(PC_S_TID, 0);
    RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
    end_file();
}

enum { TABLE = FILE_DATA + 32, NAME = TABLE + 32 };

/* The largest section is HOSTNAME, of 68 bytes; an entry of the attr section has 80. */
static void a_section_is_at_most_as_large_as_the_limit(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (uint64_t limit = 79; limit < 81; limit++) {
            struct pc_limits limits;
            begin_sound();
            pc_policy_init(&policy);
            pc_limits_init(&limits);
            limits.section = limit;
            pc_scan_init(&scan, &policy, &limits);
            pc_scan_memory(&scan, (struct pc_span){ in.p, in.len }, in.kind);
            assert_int_equal(scan.report.by_id[PC_D_SECTION_TOO_LARGE], limit == 79);
            if (limit == 79) {
                assert_int_equal(finding(PC_D_SECTION_TOO_LARGE)->offset, FILE_ATTRS);
                assert_int_equal(finding(PC_D_SECTION_TOO_LARGE)->seen.n, 80);
            }
            pc_scan_clear(&scan);
        }
    }
}

/* Features come in the order of their bits, each with the bytes of its section. */
static void features_come_by_their_bits(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        struct pc_limits limits;
        struct pc_item item;
        uint64_t bits[3] = { 0 }, nr = 0;
        begin_sound();
        put_at(TABLE, NAME + 68, 8); /* exchanged: HOSTNAME is after NRCPUS */
        put_at(TABLE + 8, 8, 8);
        put_at(TABLE + 16, NAME, 8);
        put_at(TABLE + 24, 68, 8);
        pc_policy_init(&policy);
        pc_limits_init(&limits);
        pc_scan_init(&scan, &policy, &limits);
        pc_input_memory(&scan.in, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
        while (pc_scan_next(&scan, &item)) {
            if (item.kind != PC_ITEM_FEATURE)
                continue;
            assert_int_equal(item.offset, nr == 0 ? NAME + 68 : NAME);
            assert_int_equal(item.bytes.len, nr == 0 ? 8 : 68);
            assert_int_equal(item.entry, TABLE + 16 * nr);
            bits[nr++] = item.number;
        }
        pc_scan_end(&scan);
        assert_int_equal(nr, 2);
        assert_int_equal(bits[0], PC_HOSTNAME);
        assert_int_equal(bits[1], PC_NRCPUS);
        pc_scan_clear(&scan);
    }
}

/* It was longer when it was opened. */
static void a_file_that_ends_early_is_reported_at_its_end(void **state)
{
    (void)state;
    static const uint64_t ends[] = { TABLE + 16, NAME, NAME + 67 };
    for (size_t i = 0; i < PC_COUNT_OF(ends); i++) {
        struct pc_limits limits;
        begin_sound();
        pc_policy_init(&policy);
        pc_limits_init(&limits);
        pc_scan_init(&scan, &policy, &limits);
        pc_input_memory(&scan.in, (struct pc_span){ in.p, (size_t)ends[i] }, PC_INPUT_FILE);
        scan.in.size = in.len;
        pc_scan_input(&scan);
        assert_true(scan.report.by_id[PC_D_SHRANK] > 0);
        assert_int_equal(finding(PC_D_SHRANK)->offset, ends[i]);
        pc_scan_clear(&scan);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_section_is_at_most_as_large_as_the_limit),
    cmocka_unit_test(features_come_by_their_bits),
    cmocka_unit_test(a_file_that_ends_early_is_reported_at_its_end),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * What holds for records of every type: size, misc, types that are not known, and the sum of all.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void a_record_has_the_least_size_of_its_type(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        RECORD(PC_THROTTLE, 1, 1, 1, pair(1, 1));
        expect(PC_D_RECORD_SMALL, 0, 0);
        uint64_t at = RECORD(PC_ITRACE_START, pair(1, 1), pair(1, 1));
        put_record(PC_ITRACE_START, NULL, 0);
        expect(PC_D_RECORD_SMALL, 1, at + 24 + 6);
        assert_int_equal(first.seen.n, 8);
        assert_int_equal(first.expected.n, 16);
    }
}

static void misc_has_the_bits_of_its_type(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        uint64_t misc;
        enum pc_diag id;
    } rows[] = {
        { PC_COMM, 0x2000, PC_NO_DIAG },
        { PC_COMM, 0x4000, PC_D_MISC_UNDEFINED },
        { PC_COMM, 3, PC_D_MISC_UNDEFINED },
        { PC_COMM, 4, PC_D_CPUMODE_GUEST },
        { PC_COMM, 5, PC_D_CPUMODE_GUEST },
        { PC_SWITCH, 0x6000, PC_NO_DIAG },
        { PC_SWITCH, 0x4000, PC_D_PREEMPT_WITHOUT_OUT },
        { PC_SAMPLE, 5, PC_NO_DIAG },
        { PC_SAMPLE, 6, PC_D_CPUMODE_UNDEFINED },
        { PC_SAMPLE, 0, PC_D_CPUMODE_UNDEFINED },
        { PC_MMAP, 0, PC_NO_DIAG },
        { PC_MMAP, 6, PC_D_CPUMODE_UNDEFINED },
        { PC_MMAP, 0x4002, PC_D_BUILD_ID_ON_MMAP },
        { PC_HEADER_ATTR, 1, PC_D_MISC_HEADER_ATTR },
    };
    static const enum pc_diag all[] = { PC_D_MISC_UNDEFINED,      PC_D_CPUMODE_GUEST,
                                        PC_D_PREEMPT_WITHOUT_OUT, PC_D_CPUMODE_UNDEFINED,
                                        PC_D_BUILD_ID_ON_MMAP,    PC_D_MISC_HEADER_ATTR };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_with(PC_S_TID, 0);
            uint64_t at = in.len, type = MISC(rows[i].misc) | rows[i].type;
            if (rows[i].type == PC_COMM)
                RECORD(type, pair(1, 1), chars("name"), pair(1, 1));
            else if (rows[i].type == PC_MMAP)
                RECORD(type, pair(1, 1), 0x1000, 1, 0, chars("name"), pair(1, 1));
            else if (rows[i].type == PC_HEADER_ATTR)
                put_at(put_attr(PC_S_TID, 0) + 4, rows[i].misc, 2);
            else
                RECORD(type, pair(1, 1));
            for (size_t k = 0; k < PC_COUNT_OF(all); k++)
                expect(all[k], rows[i].id == all[k], at + 4);
        }
    }
}

static void sizes_are_multiples_of_8(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t more = 0; more < 9; more += 4) {
            begin_with(PC_S_TID, 0);
            begin_record(USER | PC_HEADER_BUILD_ID);
            put_text("", 28);
            put_text("name", 4 + more);
            uint64_t at = end_record();
            put_record(PC_FINISHED_ROUND, NULL, 0);
            put_record(PC_FINISHED_ROUND, NULL, 0);
            size_t size = 8 + 28 + 4 + more;
            expect(PC_D_RECORD_UNALIGNED_KNOWN, size % 8 != 0, at + 6);
            expect(PC_D_RECORD_UNALIGNED, 0, 0);
        }
    }
}

static void types_that_are_not_known_are_counted(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        for (uint32_t type = 30; type < 62; type++) { /* as many as are kept */
            RECORD(type, 0);
            RECORD(type, 0);
        }
        RECORD(100, 0);
        run();
        assert_int_equal(scan.check.flow.sum.nr_unknown, PC_UNKNOWN_TYPES);
        for (size_t i = 0; i < PC_UNKNOWN_TYPES; i++) {
            assert_int_equal(scan.check.flow.sum.unknown[i].type, 30 + i);
            assert_int_equal(scan.check.flow.sum.unknown[i].count, 2);
        }
        assert_int_equal(scan.check.flow.sum.unknown_rest, 1);
        assert_int_equal(scan.check.flow.sum.total, 66);
        assert_int_equal(scan.report.by_id[PC_D_TYPE_KERNEL_UNKNOWN], 64);
        assert_int_equal(scan.report.by_id[newer_type()], 1);
        pc_scan_clear(&scan);
    }
}

static void the_sum_has_times_and_losses(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TIME, 0);
        RECORD(PC_LOST, 1, 7, 5);
        run();
        assert_false(scan.check.flow.sum.has_time); /* of samples */
        pc_scan_clear(&scan);
        RECORD(USER | PC_SAMPLE, 20);
        RECORD(USER | PC_SAMPLE, 10);
        RECORD(PC_LOST, 1, 8, 40);
        RECORD(PC_LOST_SAMPLES, 9, 40);
        run();
        assert_true(scan.check.flow.sum.has_time);
        assert_int_equal(scan.check.flow.sum.first_time, 10);
        assert_int_equal(scan.check.flow.sum.last_time, 20);
        assert_int_equal(scan.check.flow.sum.lost_events, 15);
        assert_int_equal(scan.check.flow.sum.lost_samples, 9);
        assert_int_equal(scan.check.flow.sum.size, in.len);
        pc_scan_clear(&scan);
    }
}

static void a_capture_without_attrs_says_so(void **state)
{
    (void)state;
    begin_empty();
    expect(PC_D_ATTRS_NONE, 1, 16);
    put_attr(PC_S_TID, 0);
    expect(PC_D_ATTRS_NONE, 0, 0);
    expect(PC_D_EVENT_NAMES_MISSING, 1, in.len);
    RECORD(PC_EVENT_UPDATE, 2, 1, chars("name"));
    expect(PC_D_EVENT_NAMES_MISSING, 0, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_record_has_the_least_size_of_its_type),
    cmocka_unit_test(misc_has_the_bits_of_its_type),
    cmocka_unit_test(sizes_are_multiples_of_8),
    cmocka_unit_test(types_that_are_not_known_are_counted),
    cmocka_unit_test(the_sum_has_times_and_losses),
    cmocka_unit_test(a_capture_without_attrs_says_so),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

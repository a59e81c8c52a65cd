/* SPDX-License-Identifier: MIT
 *
 * Rules of the records that perf makes up.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void an_attr_fits_its_record(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_empty();
        uint64_t at = put_attr(PC_S_TID, 0);
        put_at(at + 12, 72, 4); /* as long as the record */
        expect(PC_D_HEADER_ATTR_SIZE, 0, 0);
        put_at(at + 12, 80, 4);
        expect(PC_D_HEADER_ATTR_SIZE, 1, at + 12);
        put_at(at + 12, 56, 4);
        expect(PC_D_HEADER_ATTR_SIZE, 1, at + 12);
        put_at(at + 12, 68, 4);
        expect(PC_D_HEADER_ATTR_SIZE, 1, at + 12);
        begin_file(PC_S_TID, 0);
        at = put_attr(PC_S_TID, 0);
        end_file();
        expect(PC_D_HEADER_ATTR_IN_FILE, 1, at);
        begin_with(PC_S_TID, 0);
        RECORD(USER | PC_SAMPLE, pair(1, 1));
        at = put_attr(PC_S_TID, 0);
        expect(PC_D_ATTR_LATE, 1, at);
    }
}

static void features_of_a_pipe_have_ids(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        static const struct {
            uint64_t bit;
            enum pc_diag id;
        } rows[] = {
            { 0, PC_D_FEATURE_ID },
            { (uint64_t)1 << 31, PC_D_FEATURE_ID },
            { ((uint64_t)1 << 31) - 1, PC_D_FEATURE_UNKNOWN_RECORD },
            { PC_FEATURES, PC_D_FEATURE_UNKNOWN_RECORD },
            { PC_BUILD_ID, PC_D_FEATURE_IN_PIPE },
            { PC_CACHE, PC_D_FEATURE_IN_PIPE_READ },
        };
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_with(PC_S_TID, 0);
            uint64_t at = begin_feature(rows[i].bit);
            put(0, 8);
            end_record();
            expect(rows[i].id, 1, at - 8);
        }
        begin_with(PC_S_TID, 0);
        for (int i = 0; i < 2; i++) {
            begin_feature(PC_TOTAL_MEM);
            put(1, 8);
            end_record();
        }
        expect(PC_D_FEATURE_TWICE, 1, in.len - 16);
    }
}

/* Its id is above those of all features before it, or at least the number of features of perf 5.10. */
static void an_end_mark_has_no_content(void **state)
{
    (void)state;
    for (uint64_t bit = 9; bit < 32; bit++) {
        begin_with(PC_S_TID, 0);
        begin_feature(PC_TOTAL_MEM); /* 10 */
        put(1, 8);
        end_record();
        expect(PC_D_END_MARK_MISSING, 1, in.len);
        begin_feature(bit);
        end_record();
        bool is_end = bit > PC_TOTAL_MEM;
        expect(PC_D_END_MARK_MISSING, !is_end, in.len);
    }
}

static void records_for_a_pipe_are_in_none_else(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_file(PC_S_TID, 0);
        uint64_t at = begin_feature(PC_TOTAL_MEM) - 16;
        put(1, 8);
        end_record();
        end_file();
        expect(PC_D_HEADER_RECORD_IN_FILE, 1, at);
        begin_file(PC_S_TID, 0);
        at = RECORD(PC_EVENT_UPDATE, 2, 1, chars("name")); /* NAME */
        end_file();
        expect(PC_D_HEADER_RECORD_IN_FILE, 1, at);
    }
}

static void time_conv_has_one_of_two_sizes(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t words = 3; words < 8; words++) {
            static const uint64_t values[8] = { 0, 1 };
            begin_with(PC_S_TID, 0);
            uint64_t at = put_record(PC_TIME_CONV, values, words);
            expect(PC_D_TIME_CONV_SIZE, words != 3 && words != 6, at + 6);
        }
        begin_with(PC_S_TID, 0); /* cap_user_time_zero is 1, so time_mult divides */
        uint64_t cap = in.order == PC_LITTLE ? 1 : (uint64_t)1 << 56;
        uint64_t at = RECORD(PC_TIME_CONV, 0, 0, 0, 0, 0, cap);
        expect(PC_D_TIME_CONV_VALUE, 1, at + 16);
        begin_with(PC_S_TID, 0);
        RECORD(PC_TIME_CONV, 63, 1, 0, 0, 0, cap);
        expect(PC_D_TIME_CONV_VALUE, 0, 0);
        begin_with(PC_S_TID, 0);
        at = RECORD(PC_TIME_CONV, 64, 1, 0);
        expect(PC_D_TIME_CONV_VALUE, 1, at + 8);
    }
}

static uint64_t build_id(uint64_t misc, uint64_t size)
{
    begin_record(MISC(misc) | PC_HEADER_BUILD_ID);
    put(1, 4);
    put_text("id", 20);
    put(size, 1);
    put_text("", 3);
    put_text("name", 8);
    return end_record();
}

static void a_build_id_has_a_mode_and_a_size(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (uint64_t mode = 0; mode < 6; mode++) {
            begin_with(PC_S_TID, 0);
            uint64_t at = build_id(mode, 20);
            expect(PC_D_BUILD_ID_CPUMODE, mode == 0 || mode == 3, at + 4);
        }
        for (uint64_t size = 20; size < 22; size++) {
            begin_with(PC_S_TID, 0);
            uint64_t at = build_id(0x8002, size);
            expect(PC_D_BUILD_ID_SIZE, size == 21, at + 8 + 24);
            begin_with(PC_S_TID, 0);
            build_id(2, size); /* no size: the byte is padding */
            expect(PC_D_BUILD_ID_SIZE, 0, 0);
        }
    }
}

static void ids_of_an_index_are_those_of_attrs(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        uint64_t at = RECORD(PC_ID_INDEX, 2, 1, 0, 0, 0, 7, 1, UINT64_MAX, 0);
        expect(PC_D_ID_INDEX_ID, 1, at + 48);
        assert_int_equal(first.seen.n, 7);
        at = RECORD(PC_ID_INDEX, 2, 1, 0, 0, 0);
        expect(PC_D_ID_INDEX_NR, 1, at + 8);
    }
}

static void cpus_of_an_index_are_those_of_nrcpus(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        begin_feature(PC_NRCPUS);
        put(4, 4);
        put(4, 4);
        end_record();
        RECORD(PC_ID_INDEX, 2, 1, 0, 3, 0, 1, 0, UINT64_MAX, 0); /* any CPU */
        expect(PC_D_ID_INDEX_CPU, 0, 0);
        uint64_t at = RECORD(PC_ID_INDEX, 1, 1, 0, 4, 0);
        expect(PC_D_ID_INDEX_CPU, 1, at + 32);
        begin_with(PC_S_TID, 0); /* of those before it, the largest */
        RECORD(PC_ID_INDEX, 1, 1, 0, 5, 0);
        at = RECORD(PC_ID_INDEX, 2, 1, 0, 7, 0, 1, 0, 6, 0);
        begin_feature(PC_NRCPUS);
        put(4, 4);
        put(4, 4);
        end_record();
        expect(PC_D_ID_INDEX_CPU, 1, at + 32);
        assert_int_equal(first.seen.n, 7);
    }
}

static void some_records_come_once(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        RECORD(PC_AUXTRACE_INFO, pair(1, 0), 0, 0, 0, 0);
        expect(PC_D_AUXTRACE_INFO_TWICE, 0, 0);
        uint64_t at = RECORD(PC_AUXTRACE_INFO, pair(1, 0), 0, 0, 0, 0);
        expect(PC_D_AUXTRACE_INFO_TWICE, 1, at);
        begin_with(PC_S_TID, 0);
        RECORD(PC_HEADER_TRACING_DATA, 0);
        expect(PC_D_TRACING_DATA_TWICE, 0, 0);
        at = RECORD(PC_HEADER_TRACING_DATA, 0);
        expect(PC_D_TRACING_DATA_TWICE, 1, at);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(some_records_come_once),
    cmocka_unit_test(an_attr_fits_its_record),
    cmocka_unit_test(features_of_a_pipe_have_ids),
    cmocka_unit_test(an_end_mark_has_no_content),
    cmocka_unit_test(records_for_a_pipe_are_in_none_else),
    cmocka_unit_test(time_conv_has_one_of_two_sizes),
    cmocka_unit_test(a_build_id_has_a_mode_and_a_size),
    cmocka_unit_test(ids_of_an_index_are_those_of_attrs),
    cmocka_unit_test(cpus_of_an_index_are_those_of_nrcpus),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

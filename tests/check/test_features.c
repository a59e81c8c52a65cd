/* SPDX-License-Identifier: MIT
 *
 * Rules of features as a whole: what their walk needs, what is after it, and build ids.
 */
#include "pc_test.h"
#include "capture_bench.h"

static uint64_t words(uint64_t bit, size_t nr, unsigned width, uint64_t value)
{
    uint64_t at = begin_feature(bit);
    for (size_t i = 0; i < nr; i++)
        put(value, width);
    end_record();
    return at;
}

static void bytes_after_a_feature_are_padding_or_too_many(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        words(PC_TOTAL_MEM, 8, 1, 1);
        expect(PC_D_FEATURE_PADDED, 0, 0);
        begin_with(PC_S_TID, 0); /* E_MACHINE is 8 bytes, of which 4 are not there */
        uint64_t at = words(PC_CLN_SIZE, 2, 4, 0) + 4;
        in.p[at - (in.order == PC_LITTLE ? 4 : 1)] = 64;
        expect(PC_D_FEATURE_PADDED, 1, at);
        expect(PC_D_FEATURE_TRAILING, 0, 0);
        in.p[at] = 1;
        expect(PC_D_FEATURE_PADDED, 0, 0);
        expect(PC_D_FEATURE_TRAILING, 1, at);
        assert_int_equal(first.length, 4);
        begin_with(PC_S_TID, 0);
        at = words(PC_TOTAL_MEM, 2, 8, 0) + 8;
        expect(PC_D_FEATURE_TRAILING, 1, at);
    }
}

static void a_mark_has_no_content_and_a_text_has_some(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    words(PC_BRANCH_STACK, 0, 1, 0);
    expect(PC_D_FEATURE_NOT_EMPTY, 0, 0);
    begin_with(PC_S_TID, 0);
    uint64_t at = words(PC_BRANCH_STACK, 1, 8, 0);
    expect(PC_D_FEATURE_NOT_EMPTY, 1, at);
}

static void lists_of_cpus_need_nrcpus(void **state)
{
    (void)state;
    for (unsigned has = 0; has < 2; has++) {
        begin_with(PC_S_TID, 0);
        if (has)
            words(PC_NRCPUS, 2, 4, 1);
        uint64_t at = begin_feature(PC_CPU_TOPOLOGY);
        for (int i = 0; i < 2; i++) {
            put(1, 4);
            put_string("0");
        }
        put(0, 8);
        end_record();
        expect(PC_D_NRCPUS_NEEDED, !has, at);
    }
}

static void values_of_features_have_limits(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        uint64_t at = words(PC_CLN_SIZE, 1, 4, 0);
        expect(PC_D_CLN_SIZE, 1, at);
        begin_with(PC_S_TID, 0);
        words(PC_CLN_SIZE, 1, 4, 64);
        expect(PC_D_CLN_SIZE, 0, 0);
        begin_with(PC_S_TID, 0);
        at = words(PC_NUMA_TOPOLOGY, 1, 4, 0);
        expect(PC_D_NUMA_NONE, 1, at);
        begin_with(PC_S_TID, 0);
        at = words(PC_SAMPLE_TIME, 2, 8, 5);
        expect(PC_D_SAMPLE_TIME_ORDER, 0, 0);
        in.p[at + (in.order == PC_LITTLE ? 0 : 7)] = 6;
        expect(PC_D_SAMPLE_TIME_ORDER, 1, at);
        begin_with(PC_S_TID, 0);
        at = words(PC_DIR_FORMAT, 1, 8, 1);
        expect(PC_D_DIR_FORMAT, 1, at); /* this is no directory */
        begin_with(PC_S_TID, 0);
        expect(PC_D_NRCPUS_MISSING, 1, 0);
        words(PC_NRCPUS, 2, 4, 1);
        expect(PC_D_NRCPUS_MISSING, 0, 0);
    }
}

/* One program whose data are 8 bytes: two ids of maps fit, three do not. */
static void arrays_of_a_program_lie_in_its_data(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (uint64_t nr = 2; nr < 4; nr++) {
            for (uint64_t start = 0; start < 2; start++) {
                begin_with(PC_S_TID, 0);
                begin_feature(PC_BPF_PROG_INFO);
                put(1, 4);
                put(64, 4);
                put(8, 4);
                put(1 << 2, 8); /* map_ids */
                uint64_t info = in.len;
                put_text("", 52);
                put(nr, 4);
                put(start, 8);
                put_text("", 8);
                end_record();
                expect(PC_D_BPF_ARRAY, nr == 3 || start == 1, info + 56);
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bytes_after_a_feature_are_padding_or_too_many),
    cmocka_unit_test(a_mark_has_no_content_and_a_text_has_some),
    cmocka_unit_test(lists_of_cpus_need_nrcpus),
    cmocka_unit_test(values_of_features_have_limits),
    cmocka_unit_test(arrays_of_a_program_lie_in_its_data),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * Which features a table is of, when the header has other bits than it has entries.
 */
#include "repair_bench.h"

static void one_bit_is_found(void **state)
{
    (void)state;
    static const unsigned bits[] = { PC_HOSTNAME, PC_ARCH, PC_NRCPUS, PC_SAMPLE_TIME, PC_BRANCH_STACK, 63 };
    IN_BOTH_ORDERS
    {
        begin_named(0);
        const uint64_t named = pc_load(sound + AT_FEATURES, 8, in.order);
        for (size_t i = 0; i < PC_COUNT_OF(bits); i++) {
            begin_named(named ^ (uint64_t)1 << bits[i]);
            assert_int_equal(repair("a bit"), 1);
        }
    }
}

/* Nothing else than the bits tells which of two strings an entry is. */
static void what_may_be_several_is_unsure(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_named(0);
        begin_named(pc_load(sound + AT_FEATURES, 8, in.order) & ~((uint64_t)1 << PC_CPUDESC));
        assert_int_equal(repair(NULL), 1);
        const uint64_t named = pc_load(in.p + AT_FEATURES, 8, in.order);
        assert_int_equal(repaired.unsure[0], named & (1 << PC_CPUDESC | 1 << PC_CPUID));
        assert_true(repaired.unsure[0] == 1 << PC_CPUDESC || repaired.unsure[0] == 1 << PC_CPUID);
    }
}

/* An entry is of no feature: only the bits of trace data would be kept. */
static void what_is_none_has_no_bits(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_named(0);
        put_at(TABLE + PC_SECTION_SIZE * NR, UINT32_MAX, 4);
        repair(NULL);
        assert_int_equal(pc_load(in.p + AT_FEATURES, 8, in.order), 0);
        assert_int_equal(repaired.unsure[0], 0);
    }
}

/* When what was mended is given up, these are the features that the header names. */
static void a_header_that_is_not_mended_names_its_own(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_named(0);
        const uint64_t named = pc_load(sound + AT_FEATURES, 8, in.order), bits = named ^ 1 << PC_HOSTNAME;
        begin_named(bits);
        repair("a bit");
        assert_int_equal(repaired.named[0], named);
        pc_salvage_unmend(&repaired);
        assert_int_equal(repaired.named[0], bits);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_bit_is_found),
    cmocka_unit_test(what_may_be_several_is_unsure),
    cmocka_unit_test(what_is_none_has_no_bits),
    cmocka_unit_test(a_header_that_is_not_mended_names_its_own),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

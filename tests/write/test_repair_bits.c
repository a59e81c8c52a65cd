/* SPDX-License-Identifier: MIT
 *
 * Which features a table is of, when the header has other bits than it has entries.
 */
#include "repair_bench.h"

enum { NR = 7, STRING = 68 };

/* A file with features that show what they are, and these bits for them. A string may be of several. */
static void begin_named(uint64_t bits)
{
    static const size_t sizes[NR] = { STRING, STRING, STRING, STRING, 8, STRING, 16 };
    static const uint64_t named = 1 << PC_HOSTNAME | 1 << PC_OSRELEASE | 1 << PC_VERSION | 1 << PC_ARCH |
                                  1 << PC_NRCPUS | 1 << PC_CPUDESC | 1 << PC_SAMPLE_TIME;
    begin_sound();
    in.len = TABLE;
    put_at(AT_FEATURES, named, 8);
    uint64_t at = TABLE + PC_SECTION_SIZE * NR;
    for (size_t i = 0; i < NR; at += sizes[i], i++) {
        put(at, 8);
        put(sizes[i], 8);
    }
    for (size_t i = 0; i < NR; i++) {
        put(sizes[i] == STRING ? STRING - 4 : 4, 4);
        put(sizes[i] == STRING ? 'x' : 4, 4);
        for (size_t k = 8; k < sizes[i]; k += 4)
            put(0, 4);
    }
    memcpy(sound, in.p, in.len);
    put_at(AT_FEATURES, bits, 8);
}

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

/* Those before it are in their places, and those behind it, too, once the bytes are zeros. */
static void a_feature_that_lost_bytes_is_unsure(void **state)
{
    (void)state;
    enum { BROKEN = 2, AT = TABLE + PC_SECTION_SIZE * NR + BROKEN * STRING };
    IN_BOTH_ORDERS
    {
        begin_named(0);
        put_at(AT_FEATURES, pc_load(sound + AT_FEATURES, 8, in.order), 8);
        take_out(AT + 1, 1);
        assert_int_equal(repair(NULL), 0);
        assert_true(pc_bit(repaired.unsure, PC_VERSION));
        assert_false(pc_bit(repaired.unsure, PC_NRCPUS));
        assert_int_equal(repaired.in.filled, 1);
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_bit_is_found),
    cmocka_unit_test(what_may_be_several_is_unsure),
    cmocka_unit_test(a_feature_that_lost_bytes_is_unsure),
    cmocka_unit_test(what_is_none_has_no_bits),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

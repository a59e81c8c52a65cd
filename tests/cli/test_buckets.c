/* SPDX-License-Identifier: MIT
 *
 * Buckets, compared with a sum over all that was added.
 */
#include "cli/buckets.h"
#include "pc_test.h"

#define NR 16

static uint64_t cell[3 * NR];

static void values_on_both_sides_make_buckets_wider(void **state)
{
    (void)state;
    struct pc_buckets b;
    pc_buckets_init(&b, cell, NR, 2, 4);
    pc_buckets_add(&b, 0, 1000, 1);
    assert_int_equal(b.shift, 4);
    pc_buckets_add(&b, 0, 1000 + 15 * 16, 2);
    assert_int_equal(b.shift, 4);
    pc_buckets_add(&b, 0, 1000 + 16 * 16, 4);
    assert_int_equal(b.shift, 5);
    pc_buckets_add(&b, 1, 0, 8);
    assert_int_equal(b.shift, 7);
    assert_int_equal(pc_buckets_get(&b, 1, 0), 8);
    assert_int_equal(pc_buckets_get(&b, 0, 1000 >> 7), 1);
    assert_int_equal(pc_buckets_get(&b, 0, 1240 >> 7), 6);
    assert_int_equal(pc_buckets_get(&b, 0, 100), 0);
    pc_buckets_add(&b, 1, UINT64_MAX, 16);
    assert_int_equal(b.shift, 60);
    assert_int_equal(pc_buckets_get(&b, 0, 0), 7);
    assert_int_equal(pc_buckets_get(&b, 1, 15), 16);
}

/* Any values in any order: the sum of each bucket is that of the values in it. */
static void sums_are_those_of_the_values(void **state)
{
    (void)state;
    uint64_t seed = 1, value[200];
    for (unsigned round = 0; round < 64; round++) {
        struct pc_buckets b;
        pc_buckets_init(&b, cell, NR, 1, 0);
        for (size_t i = 0; i < PC_COUNT_OF(value); i++) {
            seed = seed * UINT64_C(6364136223846793005) + 1;
            value[i] = seed >> (round % 60);
            pc_buckets_add(&b, 0, value[i], i + 1);
        }
        for (uint64_t n = b.first; n <= b.last; n++) {
            uint64_t sum = 0;
            for (size_t i = 0; i < PC_COUNT_OF(value); i++)
                sum += value[i] >> b.shift == n ? i + 1 : 0;
            assert_int_equal(pc_buckets_get(&b, 0, n), sum);
        }
        assert_true(b.last - b.first < NR);
    }
}

static void ranges_are_divided(void **state)
{
    (void)state;
    struct pc_buckets b;
    pc_buckets_init(&b, cell, NR, 3, 3);
    pc_buckets_add_range(&b, 2, 5, 5);
    assert_false(b.any);
    pc_buckets_add_range(&b, 2, 5, 21);
    assert_int_equal(pc_buckets_get(&b, 2, 0), 3);
    assert_int_equal(pc_buckets_get(&b, 2, 1), 8);
    assert_int_equal(pc_buckets_get(&b, 2, 2), 5);
    pc_buckets_add_range(&b, 1, 0, (uint64_t)1 << 40);
    assert_int_equal(b.shift, 36);
    assert_int_equal(pc_buckets_get(&b, 2, 0), 16);
    for (uint64_t n = 0; n < NR; n++)
        assert_int_equal(pc_buckets_get(&b, 1, n), (uint64_t)1 << 36);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_on_both_sides_make_buckets_wider),
    cmocka_unit_test(sums_are_those_of_the_values),
    cmocka_unit_test(ranges_are_divided),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

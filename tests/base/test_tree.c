/* SPDX-License-Identifier: MIT */
#include "pc_test.h"
#include "base/tree.h"

static void an_empty_tree_has_no_key(void **state)
{
    (void)state;
    struct pc_tree tree = { 0 };
    assert_null(pc_tree_find(&tree, 0));
    assert_null(pc_tree_find(&tree, UINT64_MAX));
}

static void a_key_keeps_its_first_value(void **state)
{
    (void)state;
    struct pc_mem mem;
    struct pc_tree tree = { 0 };
    pc_mem_init(&mem, 1 << 20);
    assert_int_equal(pc_tree_add(&mem, &tree, 7, 1)->value, 1);
    assert_int_equal(pc_tree_add(&mem, &tree, 7, 2)->value, 1);
    assert_int_equal(tree.nr, 1);
    assert_int_equal(pc_tree_find(&tree, 7)->value, 1);
    assert_null(pc_tree_find(&tree, 6));
    pc_tree_clear(&mem, &tree);
    assert_null(pc_tree_find(&tree, 7));
    assert_int_equal(mem.used, 0);
}

/* Numbers in a row, numbers that differ in one bit, and numbers all over the range; 0 and the largest are
 * keys too.
 */
static void every_key_is_found_and_no_other(void **state)
{
    (void)state;
    struct pc_mem mem;
    struct pc_tree tree = { 0 };
    pc_mem_init(&mem, 1 << 20);
    for (uint64_t i = 0; i < 1000; i++)
        pc_tree_add(&mem, &tree, 2 * i, (uint32_t)i);
    for (unsigned bit = 11; bit < 64; bit++)
        pc_tree_add(&mem, &tree, (uint64_t)1 << bit, 1000 + bit);
    for (uint64_t i = 1; i < 1000; i++)
        pc_tree_add(&mem, &tree, i * 0x9e3779b97f4a7c15 | 1, (uint32_t)(2000 + i));
    pc_tree_add(&mem, &tree, UINT64_MAX, 9);
    assert_int_equal(tree.nr, 1000 + 53 + 999 + 1);
    for (uint64_t i = 0; i < 1000; i++) {
        assert_int_equal(pc_tree_find(&tree, 2 * i)->value, i);
        assert_null(pc_tree_find(&tree, 2 * i + 1));
    }
    for (unsigned bit = 11; bit < 64; bit++) {
        assert_int_equal(pc_tree_find(&tree, (uint64_t)1 << bit)->value, 1000 + bit);
        assert_null(pc_tree_find(&tree, ((uint64_t)1 << bit) + 5001));
    }
    for (uint64_t i = 1; i < 1000; i++)
        assert_int_equal(pc_tree_find(&tree, i * 0x9e3779b97f4a7c15 | 1)->value, 2000 + i);
    assert_int_equal(pc_tree_find(&tree, UINT64_MAX)->value, 9);
    pc_tree_clear(&mem, &tree);
}

static void without_memory_the_tree_stays_as_it_is(void **state)
{
    (void)state;
    struct pc_mem mem;
    struct pc_tree tree = { 0 };
    uint64_t nr = 0;
    pc_mem_init(&mem, 4096);
    while (pc_tree_add(&mem, &tree, nr, (uint32_t)nr))
        nr++;
    assert_int_equal(tree.nr, nr);
    assert_int_equal(pc_tree_add(&mem, &tree, nr - 1, 0)->value, nr - 1); /* there already: needs none */
    for (uint64_t i = 0; i < nr; i++)
        assert_int_equal(pc_tree_find(&tree, i)->value, i);
    assert_null(pc_tree_find(&tree, nr));
    pc_tree_clear(&mem, &tree);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_empty_tree_has_no_key),
    cmocka_unit_test(a_key_keeps_its_first_value),
    cmocka_unit_test(every_key_is_found_and_no_other),
    cmocka_unit_test(without_memory_the_tree_stays_as_it_is),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

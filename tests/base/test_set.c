/* SPDX-License-Identifier: MIT */
#include "pc_test.h"
#include "base/set.h"

struct entry {
    uint64_t key, value;
};

static struct pc_set new_set(size_t most)
{
    return (struct pc_set){ .entry_size = sizeof(struct entry), .key_size = sizeof(uint64_t), .most = most };
}

static struct entry *add(struct pc_mem *mem, struct pc_set *set, uint64_t key)
{
    return pc_set_add(mem, set, &key);
}

static struct entry *find(struct pc_set *set, uint64_t key)
{
    return pc_set_find(set, &key);
}

static void an_empty_set_has_no_key(void **state)
{
    (void)state;
    struct pc_set set = new_set(10);
    assert_null(find(&set, 0));
    assert_int_equal(set.work, 0);
}

static void new_entries_are_zeroed_and_old_ones_kept(void **state)
{
    (void)state;
    struct pc_mem mem;
    struct pc_set set = new_set(10);
    pc_mem_init(&mem, 1 << 20);
    struct entry *entry = add(&mem, &set, 0);
    assert_int_equal(entry->key, 0);
    assert_int_equal(entry->value, 0);
    entry->value = 5;
    assert_int_equal(add(&mem, &set, 0)->value, 5);
    assert_int_equal(set.nr, 1);
    assert_null(find(&set, 1));
    pc_set_clear(&mem, &set);
    assert_null(find(&set, 0));
    assert_int_equal(mem.used, 0);
    /* It is as it was at the beginning. */
    add(&mem, &set, 3)->value = 6;
    add(&mem, &set, 4)->value = 8;
    assert_int_equal(find(&set, 3)->value, 6);
    assert_int_equal(find(&set, 4)->value, 8);
    pc_set_clear(&mem, &set);
}

static void entries_keep_the_order_of_insertion(void **state)
{
    (void)state;
    struct pc_mem mem;
    struct pc_set set = new_set(100000);
    pc_mem_init(&mem, 64 << 20);
    for (uint64_t i = 0; i < 100000; i++)
        add(&mem, &set, i * i + i)->value = i;
    assert_int_equal(set.nr, 100000);
    const struct entry *entries = set.entry;
    for (uint64_t i = 0; i < 100000; i++) {
        assert_int_equal(entries[i].value, i);
        assert_int_equal(find(&set, i * i + i)->value, i);
        assert_null(find(&set, i * i + i + 1));
    }
    pc_set_clear(&mem, &set);
}

static void keys_differ_if_their_last_byte_differs(void **state)
{
    (void)state;
    struct pc_mem mem;
    struct pc_set set = { .entry_size = 16, .key_size = 16, .most = 10 };
    pc_mem_init(&mem, 1 << 20);
    assert_non_null(pc_set_add(&mem, &set, "0123456789abcdeX"));
    assert_null(pc_set_find(&set, "0123456789abcdeY"));
    assert_non_null(pc_set_add(&mem, &set, "0123456789abcdeY"));
    assert_int_equal(set.nr, 2);
    pc_set_clear(&mem, &set);
}

static void a_set_with_most_entries_is_full(void **state)
{
    (void)state;
    struct pc_mem mem;
    struct pc_set set = new_set(100);
    pc_mem_init(&mem, 1 << 20);
    for (uint64_t i = 0; i < 100; i++)
        assert_non_null(add(&mem, &set, i));
    assert_false(set.full);
    assert_null(add(&mem, &set, 100));
    assert_true(set.full && !set.no_memory);
    assert_non_null(add(&mem, &set, 99));
    pc_set_clear(&mem, &set);
    assert_false(set.full);
}

static void without_memory_a_set_is_full(void **state)
{
    (void)state;
    for (uint64_t fail_at = 1; fail_at <= 4; fail_at++) { /* index, entries, then the larger ones */
        struct pc_mem mem;
        struct pc_set set = new_set(100);
        uint64_t i = 0;
        pc_mem_init(&mem, 1 << 20);
        mem.fail_at = fail_at;
        while (add(&mem, &set, i))
            i++;
        assert_true(i < 100 && set.full && set.no_memory);
        assert_int_equal(set.nr, i);
        for (uint64_t k = 0; k < i; k++)
            assert_non_null(find(&set, k));
        assert_null(add(&mem, &set, 1000)); /* and stays full */
        pc_set_clear(&mem, &set);
        assert_int_equal(mem.used, 0);
    }
}

/* Multiples of the inverse of the factor have hashes 0, 1, 2 ... of 64 bits, which begin with the same bits.
 */
static void keys_that_collide_fill_a_set(void **state)
{
    (void)state;
    const uint64_t inverse = 0xf1de83e19937733d;
    struct pc_mem mem;
    struct pc_set set = new_set(100000);
    uint64_t i = 0;
    pc_mem_init(&mem, 64 << 20);
    assert_int_equal(inverse * 0x9e3779b97f4a7c15, 1);
    while (add(&mem, &set, i * inverse))
        i++;
    assert_int_equal(i, 64);
    assert_true(set.full && !set.no_memory);
    assert_null(add(&mem, &set, 12345));
    pc_set_clear(&mem, &set);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_empty_set_has_no_key),
    cmocka_unit_test(new_entries_are_zeroed_and_old_ones_kept),
    cmocka_unit_test(entries_keep_the_order_of_insertion),
    cmocka_unit_test(keys_differ_if_their_last_byte_differs),
    cmocka_unit_test(a_set_with_most_entries_is_full),
    cmocka_unit_test(without_memory_a_set_is_full),
    cmocka_unit_test(keys_that_collide_fill_a_set),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

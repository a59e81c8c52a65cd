/* SPDX-License-Identifier: MIT */
#include "pc_test.h"
#include "base/mem.h"

static void the_budget_is_never_exceeded(void **state)
{
    (void)state;
    struct pc_mem mem;
    pc_mem_init(&mem, 100);
    void *a = pc_alloc(&mem, 60);
    assert_non_null(a);
    assert_null(pc_alloc(&mem, 41));
    void *b = pc_alloc(&mem, 40);
    assert_non_null(b);
    assert_int_equal(mem.used, 100);
    pc_free(&mem, a, 60);
    assert_int_equal(mem.used, 40);
    assert_int_equal(mem.peak, 100);
    void *c = pc_alloc(&mem, 30);
    assert_non_null(c);
    assert_int_equal(mem.peak, 100); /* the most so far, not what is used now */
    pc_free(&mem, c, 30);
    pc_free(&mem, b, 40);
    assert_int_equal(mem.used, 0);
    assert_null(pc_alloc(&mem, UINT64_MAX));
    assert_int_equal(mem.used, 0);
}

/* The budget allows more than the machine has: all of 32 bits, and half of 64, since valgrind complains of
 * sizes that would be negative. */
#define TOO_MUCH ((SIZE_MAX > UINT32_MAX ? SIZE_MAX / 2 : SIZE_MAX) - 65536)

static void what_the_system_refuses_is_not_counted(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    lacks("a malloc that returns NULL");
#else
    struct pc_mem mem;
    pc_mem_init(&mem, UINT64_MAX);
    assert_false(mem.failed);
    assert_null(pc_alloc(&mem, TOO_MUCH));
    assert_true(mem.failed);
    assert_null(pc_alloc_buffer(&mem, TOO_MUCH));
    assert_int_equal(mem.used, 0);
    pc_mem_init(&mem, 8);
    assert_null(pc_alloc(&mem, 9)); /* the budget refuses this, not the system */
    assert_false(mem.failed);
#endif
}

static void new_bytes_are_zero_and_old_ones_kept(void **state)
{
    (void)state;
    struct pc_mem mem;
    pc_mem_init(&mem, 1000);
    unsigned char *p = pc_alloc(&mem, 4);
    assert_memory_equal(p, "\0\0\0\0", 4);
    memcpy(p, "abcd", 4);
    p = pc_resize(&mem, p, 4, 8);
    assert_memory_equal(p, "abcd\0\0\0\0", 8);
    p = pc_resize(&mem, p, 8, 2);
    assert_memory_equal(p, "ab", 2);
    assert_int_equal(mem.used, 2);
    pc_free(&mem, p, 2);
}

static void buffers_count_against_the_budget_and_can_fail(void **state)
{
    (void)state;
    struct pc_mem mem;
    pc_mem_init(&mem, 10);
    unsigned char *p = pc_alloc_buffer(&mem, 6);
    memcpy(p, "abcdef", 6);
    assert_int_equal(mem.used, 6);
    assert_null(pc_alloc_buffer(&mem, 5));
    mem.fail_at = mem.calls + 1;
    assert_null(pc_alloc_buffer(&mem, 1));
    assert_int_equal(mem.used, 6);
    pc_free(&mem, p, 6);
    assert_int_equal(mem.used, 0);
}

static void a_resize_that_fails_leaves_the_block(void **state)
{
    (void)state;
    struct pc_mem mem;
    pc_mem_init(&mem, 10);
    unsigned char *p = pc_alloc(&mem, 6);
    memcpy(p, "abcdef", 6);
    assert_null(pc_resize(&mem, p, 6, 8)); /* both would exist at once */
    assert_memory_equal(p, "abcdef", 6);
    assert_int_equal(mem.used, 6);
    pc_free(&mem, p, 6);
}

static void an_array_doubles_and_keeps_its_elements(void **state)
{
    (void)state;
    struct pc_mem mem;
    uint32_t *array = NULL;
    size_t cap = 0;
    pc_mem_init(&mem, 2000);
    assert_true(pc_grow(&mem, &array, &cap, 0, sizeof(*array)));
    assert_null(array);
    assert_true(pc_grow(&mem, &array, &cap, 1, sizeof(*array)));
    assert_int_equal(cap, 16);
    for (uint32_t i = 0; i < 100; i++) {
        assert_true(pc_grow(&mem, &array, &cap, i + 1, sizeof(*array)));
        assert_true(i < cap);
        assert_int_equal(array[i], 0);
        array[i] = i;
    }
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(array[i], i);
    assert_int_equal(cap, 128);
    assert_int_equal(mem.used, cap * sizeof(*array));
    assert_false(pc_grow(&mem, &array, &cap, 373, sizeof(*array)));
    assert_int_equal(cap, 128);
    assert_int_equal(array[99], 99);
    pc_free(&mem, array, cap * sizeof(*array));
}

static void an_array_grows_to_what_is_needed_at_once(void **state)
{
    (void)state;
    struct pc_mem mem;
    char *array = NULL;
    size_t cap = 0;
    pc_mem_init(&mem, 2000);
    assert_true(pc_grow(&mem, &array, &cap, 1, 1));
    assert_int_equal(cap, 16);
    assert_true(pc_grow(&mem, &array, &cap, 1000, 1));
    assert_int_equal(cap, 1000);
    assert_true(pc_grow(&mem, &array, &cap, 999, 1));
    assert_int_equal(mem.used, 1000);
    pc_free(&mem, array, cap);
}

static void a_line_has_an_address_that_vector_instructions_accept(void **state)
{
    (void)state;
    static const unsigned char zeros[100];
    struct pc_mem mem;
    void *line[8];
    pc_mem_init(&mem, sizeof(zeros) * 8 + PC_MEM_LINE * 8);
    for (size_t i = 0; i < PC_COUNT_OF(line); i++) {
        line[i] = pc_alloc_line(&mem, sizeof(zeros));
        assert_non_null(line[i]);
        assert_int_equal((uintptr_t)line[i] % PC_MEM_LINE, 0);
        assert_memory_equal(line[i], zeros, sizeof(zeros));
        memset(line[i], 0xff, sizeof(zeros));
    }
    assert_null(pc_alloc_line(&mem, 1));
    for (size_t i = 0; i < PC_COUNT_OF(line); i++)
        pc_free_line(&mem, line[i], sizeof(zeros));
    pc_free_line(&mem, NULL, 1);
    assert_int_equal(mem.used, 0);
}

static void the_chosen_call_fails_once_or_from_then_on(void **state)
{
    (void)state;
    struct pc_mem mem;
    pc_mem_init(&mem, 100);
    mem.fail_on = true; /* says nothing while no call is chosen */
    void *first = pc_alloc(&mem, 1);
    assert_non_null(first);
    pc_free(&mem, first, 1);
    mem.fail_on = false;
    mem.fail_at = mem.calls + 2;
    void *a = pc_alloc(&mem, 1);
    assert_non_null(a);
    assert_null(pc_alloc(&mem, 1));
    void *c = pc_alloc(&mem, 1);
    assert_non_null(c);
    mem.fail_at = mem.calls + 1;
    mem.fail_on = true;
    assert_null(pc_alloc(&mem, 1));
    assert_null(pc_alloc(&mem, 1));
    pc_free(&mem, a, 1);
    pc_free(&mem, c, 1);
    pc_free(&mem, NULL, 77);
    assert_int_equal(mem.used, 0);
}

static void a_text_is_copied_up_to_its_length(void **state)
{
    (void)state;
    struct pc_mem mem;
    pc_mem_init(&mem, 8);
    char *text = pc_alloc_text(&mem, "samples,cpu", 7);
    assert_string_equal(text, "samples");
    assert_int_equal(mem.used, 8);
    assert_null(pc_alloc_text(&mem, "", 0));
    pc_free_text(&mem, text);
    pc_free_text(&mem, NULL);
    assert_int_equal(mem.used, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_text_is_copied_up_to_its_length),
    cmocka_unit_test(the_budget_is_never_exceeded),
    cmocka_unit_test(what_the_system_refuses_is_not_counted),
    cmocka_unit_test(new_bytes_are_zero_and_old_ones_kept),
    cmocka_unit_test(buffers_count_against_the_budget_and_can_fail),
    cmocka_unit_test(a_resize_that_fails_leaves_the_block),
    cmocka_unit_test(an_array_doubles_and_keeps_its_elements),
    cmocka_unit_test(an_array_grows_to_what_is_needed_at_once),
    cmocka_unit_test(a_line_has_an_address_that_vector_instructions_accept),
    cmocka_unit_test(the_chosen_call_fails_once_or_from_then_on),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

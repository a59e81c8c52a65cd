/* SPDX-License-Identifier: MIT
 *
 * Mappings that overlap, compared with a table of all addresses, and what is too much; tests/test_tables has
 * whole captures.
 */
#include "cli/results.h"
#include "pc_test.h"

#include <string.h>

static perfcheck_t *pc;
static struct pc_results *r;

static uint32_t name(unsigned i)
{
    char text[16];
    snprintf(text, sizeof(text), "%u", i);
    return pc_results_name(r, text);
}

static void map(uint32_t pid, uint64_t at, uint64_t size, unsigned i)
{
    pc_results_do(
        r, &(struct pc_act){ .kind = PC_ACT_MAP, .pid = pid, .at = at, .amount = size, .name = name(i) });
}

static void sample(uint32_t pid, uint64_t at)
{
    pc_results_do(
        r, &(struct pc_act){ .kind = PC_ACT_SAMPLE, .pid = pid, .at = at, .known = true, .amount = 2 });
}

/* The binary at an address; 0: unknown. */
static unsigned binary_at(uint32_t pid, uint64_t at)
{
    sample(pid, at);
    assert_int_equal(pc_results_end(r), 1);
    const char *binary = pc_results_get(r, 0).binary;
    return strcmp(binary, "[unknown]") == 0 ? 0 : (unsigned)atoi(binary);
}

static void the_newest_mapping_holds_an_address(void **state)
{
    enum { ADDRESSES = 40 };
    uint32_t seed = 1;
    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        struct {
            uint64_t at, size;
        } done[12];
        unsigned at[ADDRESSES] = { 0 };
        for (unsigned i = 0; i < 12; i++) {
            seed = seed * 1664525 + 1013904223;
            done[i].at = seed >> 8 & 31;
            done[i].size = (seed >> 16 & 7) + 1;
            for (uint64_t k = done[i].at; k < done[i].at + done[i].size; k++)
                at[k] = i + 1;
        }
        for (unsigned k = 0; k < ADDRESSES; k++) {
            assert_true(pc_results_begin(r));
            for (unsigned i = 0; i < 12; i++)
                map(7, done[i].at, done[i].size, i + 1);
            assert_int_equal(binary_at(7, k), at[k]);
        }
    }
}

static void a_mapping_may_end_at_the_last_address(void **state)
{
    (void)state;
    static const uint64_t sizes[] = { 16, 17, UINT64_MAX };
    for (size_t i = 0; i < PC_COUNT_OF(sizes); i++) {
        assert_true(pc_results_begin(r));
        map(7, UINT64_MAX - 15, sizes[i], 3);
        assert_int_equal(binary_at(7, UINT64_MAX), 3);
    }
}

/* Without room nothing is known where a mapping is; what was there before is not taken for it. */
static void mappings_without_room_are_not_known(void **state)
{
    (void)state;
    for (unsigned there = 0; there < 2; there++) {
        assert_true(pc_results_begin(r));
        for (uint64_t i = 0; i < PC_RESULT_MAPS + 10; i++)
            map(7, i * 16, 16, 1);
        assert_int_equal(binary_at(7, 16 * (PC_RESULT_MAPS + 5)), 0);
        assert_true(pc_results_begin(r));
        for (uint64_t i = 0; i < PC_RESULT_MAPS - 1; i++)
            map(7, i * 16, 16, 1);
        if (there)
            map(7, 64, 8, 2);
        assert_int_equal(binary_at(7, 64), there ? 0 : 1);
    }
    assert_true(pc_results_begin(r));
    for (uint32_t pid = 1; pid < 3 * PC_ALL_MAPS / PC_RESULT_MAPS; pid++) {
        map(pid, 0, 1 << 20, 1);
        for (uint64_t i = 0; i < PC_RESULT_MAPS / 2; i++)
            map(pid, i * 32, 16, 2);
    }
    assert_int_equal(binary_at(3 * PC_ALL_MAPS / PC_RESULT_MAPS - 1, 1), 0);
    pc_results_do(r, &(struct pc_act){ .kind = PC_ACT_EXIT, .pid = 1 });
    map(5000, 0, 16, 4);
    sample(5000, 1);
    assert_int_equal(pc_results_end(r), 2);
    assert_string_equal(pc_results_get(r, 1).binary[0] == '[' ? pc_results_get(r, 0).binary
                                                              : pc_results_get(r, 1).binary,
                        "4");
}

static void what_has_no_room_counts_together(void **state)
{
    (void)state;
    assert_true(pc_results_begin(r));
    for (unsigned i = 0; i < 9000; i++) {
        map(7, 16 * (uint64_t)(i & 1023), 16, i);
        for (uint32_t tid = 0; tid < 3; tid++)
            sample(7, 16 * (uint64_t)(i & 1023));
    }
    size_t nr = pc_results_end(r);
    uint64_t all = pc_results_others(r).samples, unknown = 0;
    for (size_t i = 0; i < nr; i++) {
        struct pc_result one = pc_results_get(r, i);
        all += one.samples;
        unknown += strcmp(one.binary, "[unknown]") == 0 ? one.samples : 0;
        assert_int_equal(one.period, 2 * one.samples);
    }
    assert_int_equal(all, 27000);
    assert_int_equal(nr, 8190);
    assert_int_equal(unknown, 3 * (9000 - 8189));
    assert_string_equal(pc_results_get(r, 0).binary, "[unknown]");
    assert_string_equal(pc_results_get(r, 0).build_id, "");
}

static int set_up(void **state)
{
    (void)state;
    pc = perfcheck_new();
    r = pc_results_new(pc, NULL);
    return r ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pc_results_free(r);
    perfcheck_free(pc);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_newest_mapping_holds_an_address),
    cmocka_unit_test(a_mapping_may_end_at_the_last_address),
    cmocka_unit_test(mappings_without_room_are_not_known),
    cmocka_unit_test(what_has_no_room_counts_together),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

/* SPDX-License-Identifier: MIT
 *
 * Features about the machine: CPUs and their domains, memory.
 */
#include "pc_test.h"
#include "capture_bench.h"

static uint64_t in_feature(uint64_t bit, const uint32_t *words, size_t nr)
{
    uint64_t at = begin_feature(bit);
    for (size_t i = 0; i < nr; i++)
        put(words[i], 4);
    end_record();
    return at;
}
#define FEATURE(bit, ...)                                                                                    \
    in_feature(bit, (const uint32_t[]){ __VA_ARGS__ }, sizeof((uint32_t[]){ __VA_ARGS__ }) / 4)

/* CPU_DOMAIN_INFO for two CPUs, version 15: of each its number, how many domains, and of each of these its
 * number, a mask and a list. Returns where the third number is: that of the last domain, or of the last CPU.
 */
static uint64_t domains(uint64_t cpu, uint64_t one, uint64_t other)
{
    FEATURE(PC_NRCPUS, 2, 2);
    uint64_t at = begin_feature(PC_CPU_DOMAIN_INFO);
    put(15, 4);
    put(3, 4); /* max_sched_domains */
    put(0, 4);
    put(2, 4);
    uint64_t last = 0;
    for (int i = 0; i < 2; i++) {
        last = in.len;
        put(i ? other : one, 4);
        put_string("3");
        put_string("0-1");
    }
    put(cpu, 4);
    put(0, 4);
    end_record();
    (void)at;
    return last;
}

static void a_domain_of_a_cpu_is_one_of_those_that_are_there(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        domains(1, 0, 2);
        expect(PC_D_DOMAIN_VALUE, 0, 0);
        begin_with(PC_S_TID, 0);
        uint64_t at = domains(1, 0, 3); /* as many as max_sched_domains */
        expect(PC_D_DOMAIN_VALUE, 1, at);
        begin_with(PC_S_TID, 0);
        at = domains(1, 2, 2);
        expect(PC_D_DOMAIN_VALUE, 1, at);
        assert_string_equal(first.expected.text, "once only");
        begin_with(PC_S_TID, 0);
        at = domains(2, 0, 1);
        expect(PC_D_DOMAIN_VALUE, 1, at + 4 + 2 * 68);
        assert_string_equal(first.expected.text, "an available CPU");
    }
}

/* MEM_TOPOLOGY: version, block size, one node: its number, size_bits, how many bits there are, the bitmap. */
static uint64_t memory(uint64_t size_bits, uint64_t bits, uint64_t last_word)
{
    uint64_t at = begin_feature(PC_MEM_TOPOLOGY), words = (bits + 63) / 64;
    const uint64_t head[] = { 1, 4096, 1, 0, size_bits, bits };
    for (size_t i = 0; i < PC_COUNT_OF(head); i++)
        put(head[i], 8);
    for (uint64_t i = 1; i < words; i++)
        put(UINT64_MAX, 8);
    put(last_word, 8);
    end_record();
    return at;
}

static void a_bitmap_of_memory_ends_with_its_last_bit(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        memory(70, 70, 0x3f);
        expect(PC_D_MEM_TOPOLOGY_TAIL, 0, 0);
        begin_with(PC_S_TID, 0);
        uint64_t at = memory(70, 70, 0x40);
        expect(PC_D_MEM_TOPOLOGY_TAIL, 1, at + 56);
        expect(PC_D_MEM_TOPOLOGY_BITS, 0, 0);
        begin_with(PC_S_TID, 0);
        at = memory(70, 71, 0x3f);
        expect(PC_D_MEM_TOPOLOGY_BITS, 1, at + 32);
        begin_with(PC_S_TID, 0);
        memory(128, 128, UINT64_MAX);
        expect(PC_D_MEM_TOPOLOGY_TAIL, 0, 0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_domain_of_a_cpu_is_one_of_those_that_are_there),
    cmocka_unit_test(a_bitmap_of_memory_ends_with_its_last_bit),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

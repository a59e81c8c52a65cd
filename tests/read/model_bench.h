/* SPDX-License-Identifier: MIT
 *
 * model_bench.h: a capture model that is empty at the start of each test, and must be so at its end.
 */
#ifndef PC_MODEL_BENCH_H
#define PC_MODEL_BENCH_H

#include "pc_test.h"
#include "read/capture.h"

static struct pc_mem mem;
static struct pc_capture capture;

static inline int set_up(void **state)
{
    (void)state;
    pc_mem_init(&mem, (uint64_t)64 << 20);
    pc_capture_init(&capture, &mem);
    capture.order = PC_LITTLE;
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    pc_capture_clear(&capture);
    assert_int_equal(mem.used, 0);
    return 0;
}

/* Adds an attr; returns its number. */
static inline uint32_t add_attr(uint64_t type, uint64_t config, uint64_t sample_type, uint64_t flags)
{
    uint64_t slot[PC_SLOTS] = { 0 };
    slot[PC_ATTR_TYPE] = type;
    slot[PC_ATTR_CONFIG] = config;
    slot[PC_ATTR_SAMPLE_TYPE] = sample_type;
    slot[PC_ATTR_FLAGS] = flags;
    return pc_capture_add_attr(&capture, slot, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif

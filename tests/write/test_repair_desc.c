/* SPDX-License-Identifier: MIT
 *
 * EVENT_DESC is found in its record, whatever is before it.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "write/repair_desc.h"

enum { CONTENT = 8 + 64 + 4 + 68 + 8 };

/* The record of the feature: one event, the size of an attr, the attr, one id, its name, the id. */
static void put_desc(uint64_t attr_size)
{
    put(PC_HEADER_FEATURE, 4);
    put((uint64_t)(PC_FEATURE_HEAD + CONTENT) << (in.order == PC_LITTLE ? 16 : 0), 4);
    put(PC_EVENT_DESC, 8);
    put(1, 4);
    put(64, 4);
    put(0, 4);
    put(attr_size, 4);
    put_text("", 64 - 8);
    put(1, 4);
    put_string("cycles");
    put(77, 8);
}

static struct pc_salvage salvage;

/* Where the bytes of the feature are, behind a place; 0: nowhere. */
static uint64_t find(uint64_t from)
{
    salvage = (struct pc_salvage){ .no_memory = false };
    struct pc_desc desc = { .s = &salvage, .order = in.order };
    pc_mem_init(&salvage.mem, 1 << 20);
    pc_input_memory(&desc.in, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
    const bool found = pc_desc_find_record(&desc, from);
    assert_int_equal(desc.nr, found ? 1 : 0);
    if (found) {
        assert_int_equal(desc.attr_size, 64);
        assert_int_equal(desc.event[0].nr_ids, 1);
        assert_int_equal(pc_load(desc.bytes + desc.event[0].ids_at, 8, in.order), 77);
    }
    pc_desc_forget(&desc);
    pc_free(&salvage.mem, desc.event, desc.cap * sizeof(*desc.event));
    assert_int_equal(salvage.mem.used, 0);
    return found ? desc.at : 0;
}

static void the_first_whole_one_is_found(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t before = 0; before < 24; before++) {
            in.len = 0;
            for (size_t i = 0; i < before; i++)
                put(0xa5, 1);
            put_desc(64);
            assert_int_equal(find(0), before + PC_FEATURE_HEAD);
            assert_int_equal(find(before + 1), 0);
            const size_t next = in.len;
            put_desc(64);
            assert_int_equal(find(before + 1), next + PC_FEATURE_HEAD);
            put_at(before + PC_FEATURE_HEAD + 8 + PC_ATTR_SIZE_AT, 72, 4); /* of the first one */
            assert_int_equal(find(0), next + PC_FEATURE_HEAD);
        }
    }
}

static void one_that_is_not_whole_is_none(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        in.len = 0;
        put_desc(64);
        for (size_t size = in.len; in.len != 0; in.len--)
            assert_int_equal(find(0), in.len == size ? PC_FEATURE_HEAD : 0);
        put_desc(72);
        assert_int_equal(find(0), 0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_first_whole_one_is_found),
    cmocka_unit_test(one_that_is_not_whole_is_none),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

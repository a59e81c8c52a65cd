/* SPDX-License-Identifier: MIT
 *
 * Layouts of records: each is made once, with the places of its fields and its plans.
 */
#include "read/layouts.h"
#include "read/model_bench.h"

static void a_trailer_has_the_members_of_sample_type(void **state)
{
    (void)state;
    assert_int_equal(pc_sample_id_size(PC_S_TID | PC_S_TIME), 0); /* without sample_id_all */
    assert_int_equal(pc_sample_id_size(PC_LAYOUT_SAMPLE_ID | PC_S_TID | PC_S_TIME | PC_S_IP | PC_S_ADDR), 16);
    assert_int_equal(pc_sample_id_size(PC_LAYOUT_SAMPLE_ID | PC_S_TID | PC_S_TIME | PC_S_ID | PC_S_STREAM_ID |
                                       PC_S_CPU | PC_S_IDENTIFIER),
                     48);
}

static void attrs_of_one_layout_share_it(void **state)
{
    (void)state;
    uint32_t a = add_attr(0, 1, PC_S_IP | PC_S_TID, PC_FLAG_SAMPLE_ID_ALL);
    uint32_t b = add_attr(0, 2, PC_S_IP | PC_S_TID, PC_FLAG_SAMPLE_ID_ALL);
    uint32_t c = add_attr(0, 1, PC_S_IP | PC_S_TID, 0);
    assert_int_equal(capture.attr[a].layout, capture.attr[b].layout);
    assert_int_not_equal(capture.attr[a].layout, capture.attr[c].layout);
    assert_int_equal(capture.nr_layouts, 2);
    assert_int_equal(capture.layout[capture.attr[a].layout]->sample_id_size, 8);
    assert_int_equal(capture.layout[capture.attr[c].layout]->sample_id_size, 0);
}

/* Places count from the header of the record, which has 8 bytes. */
static void fields_at_fixed_places_are_known(void **state)
{
    (void)state;
    static const struct {
        uint64_t sample_type;
        unsigned ip, tid, chain;
    } rows[] = {
        { PC_S_IP | PC_S_TID | PC_S_CALLCHAIN, 8, 20, 24 },
        { PC_S_IDENTIFIER | PC_S_IP | PC_S_TID, 16, 28, 0 },
        { PC_S_TID | PC_S_TIME | PC_S_CALLCHAIN, 0, 12, 24 },
        { PC_S_IP | PC_S_READ | PC_S_CALLCHAIN, 8, 0, 0 }, /* after the values, of which there are many */
        { PC_S_TIME, 0, 0, 0 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        uint32_t attr = add_attr(0, 0, rows[i].sample_type, 0);
        const struct pc_sample_layout *layout = capture.layout[capture.attr[attr].layout];
        assert_int_equal(layout->ip_at, rows[i].ip);
        assert_int_equal(layout->tid_at, rows[i].tid);
        assert_int_equal(layout->chain_at, rows[i].chain);
        assert_false(layout->defers);
    }
}

static void chains_are_deferred_where_there_are_some(void **state)
{
    (void)state;
    uint32_t attr = add_attr(0, 0, PC_S_IP | PC_S_CALLCHAIN, PC_FLAG_DEFER_OUTPUT);
    assert_false(capture.layout[capture.attr[attr].layout]->defers);
    attr = add_attr(0, 0, PC_S_IP | PC_S_CALLCHAIN, PC_FLAG_DEFER_CHAIN);
    assert_true(capture.layout[capture.attr[attr].layout]->defers);
    attr = add_attr(0, 0, PC_S_IP, PC_FLAG_DEFER_CHAIN | PC_FLAG_DEFER_OUTPUT);
    assert_false(capture.layout[capture.attr[attr].layout]->defers);
}

static void a_plan_is_made_once(void **state)
{
    (void)state;
    uint32_t attr = add_attr(0, 0, PC_S_IP | PC_S_TID, PC_FLAG_SAMPLE_ID_ALL);
    struct pc_sample_layout *layout = capture.layout[capture.attr[attr].layout];
    const struct pc_plan *sample = pc_layouts_plan(&capture, layout, PC_SAMPLE, 0);
    uint64_t calls = mem.calls;
    assert_non_null(sample);
    assert_ptr_equal(pc_layouts_plan(&capture, layout, PC_SAMPLE, 2), sample);
    assert_int_equal(mem.calls, calls);
    const struct pc_plan *mmap2 = pc_layouts_plan(&capture, layout, PC_MMAP2, 0);
    assert_ptr_not_equal(pc_layouts_plan(&capture, layout, PC_MMAP2, PC_MISC_MMAP_BUILD_ID), mmap2);
    assert_ptr_equal(pc_layouts_plan(&capture, layout, PC_MMAP2, 2), mmap2);
}

/* Where there was none for the first try, no second one is made. */
static void a_plan_that_found_no_memory_is_not_tried_again(void **state)
{
    (void)state;
    uint32_t attr = add_attr(0, 0, PC_S_IP | PC_S_TID, PC_FLAG_SAMPLE_ID_ALL);
    struct pc_sample_layout *layout = capture.layout[capture.attr[attr].layout];
    mem.calls = 0;
    mem.fail_at = 1;
    assert_null(pc_layouts_plan(&capture, layout, PC_SAMPLE, 0));
    mem.fail_at = 0;
    assert_null(pc_layouts_plan(&capture, layout, PC_SAMPLE, 0));
}

static void without_memory_there_is_no_layout(void **state)
{
    (void)state;
    struct pc_layout layout = { .mask = PC_S_IP };
    for (uint64_t n = 1; n < 3; n++) {
        mem.calls = 0;
        mem.fail_at = n;
        uint32_t index = pc_layouts_add(&capture, &layout);
        assert_true(index == PC_NO_ATTR || mem.calls < n);
        assert_int_equal(capture.nr_layouts, index == PC_NO_ATTR ? 0 : 1);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(a_trailer_has_the_members_of_sample_type),
    TEST(attrs_of_one_layout_share_it),
    TEST(fields_at_fixed_places_are_known),
    TEST(chains_are_deferred_where_there_are_some),
    TEST(a_plan_is_made_once),
    TEST(a_plan_that_found_no_memory_is_not_tried_again),
    TEST(without_memory_there_is_no_layout),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

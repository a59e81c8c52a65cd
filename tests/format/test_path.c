/* SPDX-License-Identifier: MIT
 *
 * Paths of fields, and their places in records, which are counted by hand.
 */
#include "format/path.h"
#include "pc_test.h"

static void a_path_is_compared_as_a_whole(void **state)
{
    (void)state;
    const struct pc_step outer = { "ids", PC_NO_INDEX }, values = { "values", 3 };
    const char path[] = "ids.values[3].id";
    assert_true(pc_path_is(path, &outer, &values, 1, "id"));
    assert_false(pc_path_is(path, NULL, &values, 1, "id"));
    assert_false(pc_path_is(path, &outer, &values, 1, NULL));
    assert_false(pc_path_is(path, &outer, &values, 1, "i"));
    assert_false(pc_path_is(path, &outer, &values, 1, "id2"));
    const struct pc_step fourth = { "values", 4 }, none = { "values", PC_NO_INDEX };
    assert_false(pc_path_is(path, &outer, &fourth, 1, "id"));
    assert_false(pc_path_is(path, &outer, &none, 1, "id"));
    assert_true(pc_path_is("attrs.offset", NULL, NULL, 0, "attrs.offset"));
    assert_true(pc_path_is("callchain[12]", NULL, &(struct pc_step){ "callchain", 12 }, 1, NULL));
    assert_false(pc_path_is("callchain[12]", NULL, &(struct pc_step){ "callchain", 1 }, 1, NULL));
    assert_false(pc_path_is("callchain[012]", NULL, &(struct pc_step){ "callchain", 12 }, 1, NULL));
    assert_false(pc_path_is("", NULL, NULL, 0, NULL));
    assert_false(pc_path_is("", NULL, NULL, 0, "ip"));
}

static void is_at(uint32_t type, uint64_t mask, const char *text, int how, size_t at)
{
    struct pc_field_place place = pc_place_in_record(pc_record_info(type), mask, text);
    assert_int_equal(place.how, how);
    if (how == PC_PLACE_NONE || how == PC_PLACE_WALK) {
        assert_null(place.field);
    } else {
        assert_int_equal(place.at, at);
        assert_non_null(place.field);
    }
}

static void text_is_at(uint32_t type, uint64_t mask, const char *text, size_t at, size_t behind)
{
    is_at(type, mask, text, PC_PLACE_TEXT, at);
    assert_int_equal(pc_place_in_record(pc_record_info(type), mask, text).behind, behind);
}

static void places_are_counted_from_where_nothing_varies(void **state)
{
    (void)state;
    const uint64_t plain = PC_S_IP | PC_S_TID | PC_S_TIME | PC_S_PERIOD;
    is_at(PC_SAMPLE, plain, "misc", PC_PLACE_FRONT, 4);
    is_at(PC_SAMPLE, plain, "ip", PC_PLACE_FRONT, 8);
    is_at(PC_SAMPLE, plain, "tid", PC_PLACE_FRONT, 20);
    is_at(PC_SAMPLE, plain, "period", PC_PLACE_FRONT, 32);
    is_at(PC_SAMPLE, plain, "addr", PC_PLACE_NONE, 0);
    is_at(PC_SAMPLE, plain, "callchain[0]", PC_PLACE_NONE, 0);
    const uint64_t chain = plain | PC_S_CALLCHAIN | PC_S_WEIGHT | PC_S_DATA_SRC;
    is_at(PC_SAMPLE, chain, "callchain_nr", PC_PLACE_FRONT, 40);
    is_at(PC_SAMPLE, chain, "callchain[0]", PC_PLACE_WALK, 0);
    is_at(PC_SAMPLE, chain, "weight", PC_PLACE_BACK, 16);
    is_at(PC_SAMPLE, chain, "data_src", PC_PLACE_BACK, 8);
    /* Registers are there if the word before them says so, and AUX data end the record. */
    const uint64_t regs = plain | PC_S_REGS_USER | PC_S_WEIGHT | PC_S_REGS_INTR | PC_S_PHYS_ADDR;
    is_at(PC_SAMPLE, regs, "regs_user_abi", PC_PLACE_FRONT, 40);
    is_at(PC_SAMPLE, regs, "weight", PC_PLACE_WALK, 0);
    is_at(PC_SAMPLE, regs, "phys_addr", PC_PLACE_BACK, 8);
    is_at(PC_SAMPLE, regs | PC_S_AUX, "phys_addr", PC_PLACE_WALK, 0);
    const uint64_t group = PC_S_READ | PC_LAYOUT_READ(PC_READ_GROUP) | PC_LAYOUT_READ(PC_READ_ENABLED);
    is_at(PC_SAMPLE, group, "read.nr", PC_PLACE_FRONT, 8);
    is_at(PC_SAMPLE, group, "read.time_enabled", PC_PLACE_FRONT, 16);
    is_at(PC_SAMPLE, group, "read.values[1].value", PC_PLACE_WALK, 0);
    is_at(PC_SAMPLE, group, "values[1].value", PC_PLACE_NONE, 0);
    const uint64_t id = PC_S_TID | PC_S_TIME | PC_S_CPU | PC_LAYOUT_SAMPLE_ID;
    is_at(PC_COMM, id, "tid", PC_PLACE_FRONT, 12);
    is_at(PC_COMM, id, "sample_id.tid", PC_PLACE_BACK, 20);
    is_at(PC_COMM, id, "sample_id.time", PC_PLACE_BACK, 16);
    is_at(PC_COMM, id, "sample_id.cpu", PC_PLACE_BACK, 8);
    is_at(PC_COMM, id & ~PC_LAYOUT_SAMPLE_ID, "sample_id.cpu", PC_PLACE_NONE, 0);
    is_at(PC_COMM, id, "sample_id", PC_PLACE_NONE, 0);
    is_at(PC_FORK, id, "sample_id.time", PC_PLACE_FRONT, 40);
    is_at(PC_FORK, id, "time", PC_PLACE_FRONT, 24);
}

static void a_string_is_between_what_does_not_vary(void **state)
{
    (void)state;
    const uint64_t id = PC_S_TID | PC_S_TIME | PC_S_CPU | PC_LAYOUT_SAMPLE_ID;
    text_is_at(PC_COMM, 0, "comm", 16, 0);
    text_is_at(PC_COMM, id, "comm", 16, 24);
    text_is_at(PC_MMAP, id, "filename", 40, 24);
    text_is_at(PC_MMAP2, id | PC_LAYOUT_BUILD_ID | PC_LAYOUT_PROT, "filename", 72, 24);
    text_is_at(PC_MMAP2, PC_LAYOUT_INODE, "filename", 64, 0);
    text_is_at(PC_KSYMBOL, id, "name", 24, 24);
    text_is_at(PC_CGROUP, id, "path", 16, 24);
    is_at(PC_COMM, id, "filename", PC_PLACE_NONE, 0);
    is_at(PC_TEXT_POKE, id, "old_bytes", PC_PLACE_WALK, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_path_is_compared_as_a_whole),
    cmocka_unit_test(places_are_counted_from_where_nothing_varies),
    cmocka_unit_test(a_string_is_between_what_does_not_vary),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

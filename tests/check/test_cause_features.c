/* SPDX-License-Identifier: MIT
 *
 * What the sections of the features tell, when their table is where the header says: a cut, or bytes that
 * were lost in one of them.
 */
#include "pc_test.h"
#include "capture_bench.h"

#define RECORDS 8

/* A file whose only features are a text of 76 bytes and PMU_MAPPINGS with three names. Behind the table is a
 * slot that perf left: the end of the file, and size 0. Returns the offset of the table. */
static uint64_t begin_sound(void)
{
    static const char *const names[] = { "software", "tracepoint", "cpu" };
    const uint64_t text = 76, names_size = 4 + 3 * (4 + 68);
    begin_file(PC_S_TID, 0);
    for (uint64_t i = 0; i < RECORDS; i++)
        RECORD(PC_COMM, pair(i, i), chars("name"), 0, pair(i, i));
    const uint64_t table = in.len, sections = table + 3 * PC_SECTION_SIZE;
    put_at(AT_DATA + 8, table - FILE_DATA, 8);
    put(sections, 8);
    put(4 + text, 8);
    put(sections + 4 + text, 8);
    put(names_size, 8);
    put(sections + 4 + text + names_size, 8);
    put(0, 8);
    put(text, 4);
    put_text("box", text);
    put(PC_COUNT_OF(names), 4);
    for (size_t i = 0; i < PC_COUNT_OF(names); i++) {
        put(i, 4);
        put_string(names[i]);
    }
    put_at(AT_FEATURES, (uint64_t)1 << PC_HOSTNAME | 1 << PC_PMU_MAPPINGS, 8);
    return table;
}

static void a_loss_in_the_last_feature_is_no_cut(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        const uint64_t table = begin_sound(), names = table + 48 + 80, second = names + 4 + 72;
        assert_int_equal(counted(PC_D_BYTES_LOST), 0);
        begin_sound();
        take_out(second, 8); /* its type, and how long its name is */
        assert_int_equal(counted(PC_D_CUT_FEATURES), 0);
        begin_sound();
        take_out(second, 8);
        assert_int_equal(counted(PC_D_BYTES_LOST), 1);
        assert_int_equal(first.seen.n, 8);
        assert_in_range(first.offset, second, second + 8);
        assert_int_equal(first.role, PC_CAUSE);
    }
}

static void a_cut_at_any_byte_is_no_loss(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        for (uint64_t end = begin_sound() + 48; end < in.len; end++) {
            const size_t missing = in.len - (size_t)end;
            take_out(end, missing);
            assert_int_equal(counted(PC_D_CUT_FEATURES), 1);
            assert_int_equal(first.seen.n, missing);
            begin_sound();
        }
    }
}

static void bytes_at_the_end_were_not_inserted_in_a_feature(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        const uint64_t text = begin_sound() + 48;
        put_text("", 40);
        put_at(text, 4000, 4); /* longer than its section */
        assert_int_equal(counted(PC_D_BYTES_ADDED), 0);
        begin_sound();
        make_room(text + 40, 40);
        put_at(text, 4000, 4);
        assert_int_equal(counted(PC_D_BYTES_ADDED), 1);
        assert_int_equal(first.seen.n, 40);
    }
}

/* A file with a text of 72 bytes, E_MACHINE and CLN_SIZE. Returns the offset of the text. */
static uint64_t begin_numbers(void)
{
    const uint64_t sizes[] = { 4 + 72, 8, 4 };
    begin_file(PC_S_TID, 0);
    for (uint64_t i = 0; i < RECORDS; i++)
        RECORD(PC_COMM, pair(i, i), chars("name"), 0, pair(i, i));
    const uint64_t text = in.len + PC_COUNT_OF(sizes) * PC_SECTION_SIZE;
    put_at(AT_DATA + 8, in.len - FILE_DATA, 8);
    for (uint64_t i = 0, at = text; i < PC_COUNT_OF(sizes); at += sizes[i++]) {
        put(at, 8);
        put(sizes[i], 8);
    }
    put(72, 4);
    put_text("a name", 72);
    put(62, 4); /* x86-64 */
    put(0, 4);
    put(64, 4);
    put_at(AT_FEATURES, (uint64_t)1 << PC_HOSTNAME | (uint64_t)1 << PC_E_MACHINE | (uint64_t)1 << PC_CLN_SIZE,
           8);
    return text;
}

static void numbers_that_came_earlier_show_a_loss(void **state)
{
    (void)state;
    in.order = PC_LITTLE;
    begin_numbers();
    assert_int_equal(counted(PC_D_CUT_FEATURES), 0);
    assert_int_equal(scan.report.errors, 0);
    for (size_t lost = 1; lost <= 16; lost++) {
        const uint64_t text = begin_numbers();
        take_out(text + 50, lost);
        assert_int_equal(counted(PC_D_BYTES_LOST), 1);
        assert_int_equal(first.seen.n, lost);
        begin_numbers();
        in.len -= lost;
        assert_int_equal(counted(PC_D_BYTES_LOST), 0);
        begin_numbers();
        in.len -= lost;
        assert_int_equal(counted(PC_D_CUT_FEATURES), 1);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_loss_in_the_last_feature_is_no_cut),
    cmocka_unit_test(a_cut_at_any_byte_is_no_loss),
    cmocka_unit_test(numbers_that_came_earlier_show_a_loss),
    cmocka_unit_test(bytes_at_the_end_were_not_inserted_in_a_feature),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

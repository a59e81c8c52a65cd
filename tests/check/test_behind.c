/* SPDX-License-Identifier: MIT
 *
 * Attrs behind the data, as perf inject of a pipe writes them, and where they are when bytes before them were
 * lost or inserted.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "check/behind.h"

#define ENTRY   (64 + PC_SECTION_SIZE)
#define DATA    104
#define RECORDS 40
#define ATTRS   (DATA + 8 * RECORDS + 8 * 3)

static struct pc_behind header;

/* Records of 8 bytes, three ids, and two attrs. */
static void begin_sound(void)
{
    in.len = 0;
    while (in.len < DATA)
        put(0, 8);
    for (unsigned i = 0; i < RECORDS; i++) {
        put(PC_FINISHED_ROUND, 4);
        put(8 << 16, 4);
    }
    for (uint64_t id = 1; id <= 3; id++)
        put(id, 8);
    for (unsigned i = 0; i < 2; i++) {
        put(0, 4);
        put(64, 4);
        put_text("", 64 - 8);
        put(i == 0 ? ATTRS - 24 : ATTRS - 8, 8);
        put(i == 0 ? 16 : 8, 8);
    }
    header = (struct pc_behind){ in.order, ENTRY, ATTRS, 2 * ENTRY, DATA, 8 * RECORDS };
}

static uint64_t find(void)
{
    struct pc_input file;
    pc_input_memory(&file, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
    return pc_find_behind(&file, &header);
}

static void what_the_header_says_counts_first(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        assert_true(pc_is_behind(&header));
        assert_int_equal(find(), ATTRS);
        header.attrs = DATA - 8; /* inside of the header */
        assert_false(pc_is_behind(&header));
        assert_int_equal(find(), 0);
    }
}

static void lost_and_inserted_bytes_move_them(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t n = 1; n <= 24; n++) {
            begin_sound();
            take_out(DATA + 16, n);
            assert_int_equal(find(), ATTRS - n);
            begin_sound();
            make_room(DATA + 16, n);
            assert_int_equal(find(), ATTRS + n);
        }
    }
}

/* The ids show where the data end, whatever the header says. */
static void ids_are_found_without_the_end_of_the_data(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        struct pc_input file;
        begin_sound();
        pc_input_memory(&file, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
        for (uint64_t size = 0; size <= 16 * RECORDS; size += 8) {
            header.data_size = size;
            assert_int_equal(pc_ids_behind(&file, &header), ATTRS - 24);
        }
        header.data = ATTRS - 16; /* the data begin behind them */
        assert_int_equal(pc_ids_behind(&file, &header), 0);
        header.data = DATA;
        header.attrs += 8;
        assert_int_equal(pc_ids_behind(&file, &header), 0);
        header.attrs = UINT64_MAX - 8;
        assert_int_equal(pc_ids_behind(&file, &header), 0);
    }
}

static void attrs_begin_with_a_size(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        struct pc_input file;
        for (unsigned i = 0; i < 5; i++) {
            begin_sound();
            if (i < 2)
                put_at(ATTRS + i * ENTRY + PC_ATTR_SIZE_AT, 72, 4); /* for which the entry has no room */
            in.len -= i == 2 ? ENTRY - 4 : i == 3 ? 1 : 0;          /* the last one is cut */
            pc_input_memory(&file, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
            assert_int_equal(pc_begin_attrs(&file, &header), i == 4);
        }
    }
}

static void attrs_whose_ids_do_not_end_at_their_place_are_others(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        take_out(DATA + 16, 8);
        put_at(ATTRS - 8 + 2 * ENTRY - 8, 16, 8); /* the size of the last ids */
        assert_int_equal(find(), 0);
        begin_sound();
        in.len -= 1; /* the last entry is not whole */
        assert_int_equal(find(), 0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_the_header_says_counts_first),
    cmocka_unit_test(lost_and_inserted_bytes_move_them),
    cmocka_unit_test(ids_are_found_without_the_end_of_the_data),
    cmocka_unit_test(attrs_begin_with_a_size),
    cmocka_unit_test(attrs_whose_ids_do_not_end_at_their_place_are_others),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

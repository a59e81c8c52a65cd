/* SPDX-License-Identifier: MIT
 *
 * Where bytes were lost or inserted in the header of a file, or in its attrs, and how many.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "check/shift.h"

#define FEATURES 5

/* The names in the records fill their room, as those of a kernel do. */
static uint64_t begin_sound(void)
{
    const uint64_t table = begin_with_features(FEATURES, 0);
    for (uint64_t at = FILE_DATA; at < table; at += 40)
        put_at(at + 20, UINT32_MAX / 255 * 'x', 4);
    return table;
}

static bool find(struct pc_shift *shift)
{
    struct pc_input file;
    pc_input_memory(&file, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
    return pc_find_shift(&file, shift);
}

static void what_is_where_it_should_be_is_no_loss(void **state)
{
    (void)state;
    struct pc_shift shift;
    IN_BOTH_ORDERS
    {
        uint64_t table = begin_sound();
        assert_false(find(&shift));
        take_out(table - 40, 40); /* a record: the attrs are there */
        assert_false(find(&shift));
        begin_sound();
        put_at(104 + 4, 0, 4); /* the size of the attr: nothing was moved */
        assert_false(find(&shift));
        begin_sound();
        in.len = (size_t)table; /* without a table nothing shows it */
        take_out(AT_DATA, 8);
        assert_false(find(&shift));
    }
}

static void a_loss_in_the_header_is_placed(void **state)
{
    (void)state;
    struct pc_shift shift;
    IN_BOTH_ORDERS
    {
        for (uint64_t at = AT_ATTR_SIZE; at <= AT_DATA + 8; at += 8) {
            begin_sound();
            take_out(at, 8);
            assert_true(find(&shift));
            assert_int_equal(shift.at, at);
            assert_int_equal(shift.lost, 8);
        }
        for (size_t size = 1; size < 16; size++) { /* and among zeros */
            begin_sound();
            take_out(AT_DATA + 16, size);
            assert_true(find(&shift));
            assert_int_equal(shift.lost, size);
            assert_in_range(shift.at, AT_DATA + 8, AT_FEATURES);
        }
    }
}

static void a_loss_in_the_attrs_is_placed(void **state)
{
    (void)state;
    struct pc_shift shift;
    IN_BOTH_ORDERS
    {
        begin_sound();
        take_out(FILE_DATA - 60, 120);
        put_at(104 + 4, 0, 4); /* the attr begins at 104 in such a file, or behind its ids */
        put_at(112 + 4, 0, 4);
        assert_true(find(&shift));
        assert_int_equal(shift.at, 104);
        assert_int_equal(shift.lost, 120);
        put_at(AT_DATA + 8, 1, 8); /* the header does not say where the table was */
        assert_false(find(&shift));
    }
}

/* perf 5.10 leaves an entry behind those of the features. */
static void a_loss_is_placed_before_a_table_with_an_entry_left_over(void **state)
{
    (void)state;
    struct pc_shift shift;
    IN_BOTH_ORDERS
    {
        for (uint64_t at = AT_ATTR_SIZE; at <= AT_DATA + 8; at++) {
            const uint64_t table = begin_sound(), behind = table + FEATURES * PC_SECTION_SIZE;
            make_room(behind, PC_SECTION_SIZE);
            for (uint64_t i = 0; i < FEATURES; i++)
                put_at(table + i * PC_SECTION_SIZE, behind + PC_SECTION_SIZE + 68 * i, 8);
            put_at(behind, in.len, 8);
            put_at(behind + 8, 0, 8);
            assert_false(find(&shift));
            take_out(at, 8);
            assert_true(find(&shift));
            assert_int_equal(shift.lost, 8);
            assert_in_range(shift.at, at / 8 * 8, at / 8 * 8 + 8);
        }
    }
}

/* Bytes of which no eight are an id, or a word of a header. */
static void insert(uint64_t at, size_t nr)
{
    make_room(at, nr);
    memset(in.p + at, 0xa5, nr);
}

static void what_was_inserted_is_placed(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 3, 8, 20, 500 };
    struct pc_shift shift;
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(sizes); i++) {
            for (uint64_t at = AT_ATTR_SIZE; at <= FILE_DATA; at++) {
                begin_sound();
                unsigned char sound[FILE_DATA];
                memcpy(sound, in.p, sizeof(sound));
                insert(at, sizes[i]);
                if (at > FILE_DATA - 16) /* the rest of the place of ids, of which the end is zeros */
                    continue;
                assert_true(find(&shift));
                assert_int_equal(shift.lost, 0);
                assert_int_equal(shift.added, sizes[i]);
                take_out(shift.at, sizes[i]);
                assert_memory_equal(in.p, sound, sizeof(sound)); /* among equal bytes any place is right */
            }
        }
    }
}

enum { IDS = 40, MORE = (IDS - 1) * 8 };

/* So many ids, which follow each other. */
static void begin_with_ids(void)
{
    const uint64_t table = begin_sound() + MORE;
    make_room(FILE_IDS, MORE);
    put_at(AT_ATTRS, FILE_ATTRS + MORE, 8);
    put_at(AT_DATA, FILE_DATA + MORE, 8);
    put_at(FILE_DATA + MORE - 8, IDS * 8, 8);
    for (uint64_t i = 0; i < IDS; i++)
        put_at(FILE_IDS + 8 * i, 1000 + i, 8);
    for (uint64_t i = 0; i < FEATURES; i++)
        put_at(table + 16 * i, table + 16 * FEATURES + 68 * i, 8);
}

static void what_was_inserted_among_ids_is_placed(void **state)
{
    (void)state;
    struct pc_shift shift;
    IN_BOTH_ORDERS
    {
        for (uint64_t at = FILE_IDS; at <= FILE_IDS + IDS * 8; at++) {
            begin_with_ids();
            assert_false(find(&shift));
            insert(at, 3 + 5 * (size_t)(at % 2));
            assert_true(find(&shift));
            assert_int_equal(shift.added, 3 + 5 * (at % 2));
            assert_int_equal(shift.at, at);
        }
    }
}

static void zeros_that_ids_lost_are_placed(void **state)
{
    (void)state;
    static const unsigned char none[8];
    unsigned char sound[IDS * 8];
    struct pc_shift shift;
    IN_BOTH_ORDERS
    {
        for (uint64_t i = 0; i < IDS * 8; i++) {
            for (size_t size = 1; size <= 5; size++) {
                begin_with_ids();
                memcpy(sound, in.p + FILE_IDS, sizeof(sound));
                if (size > IDS * 8 - i || memcmp(sound + i, none, size) != 0)
                    continue;
                take_out(FILE_IDS + i, size);
                assert_true(find(&shift));
                assert_int_equal(shift.lost, size);
                make_room(shift.at, size);
                memset(in.p + shift.at, 0, size);
                assert_memory_equal(in.p + FILE_IDS, sound, sizeof(sound));
            }
        }
    }
}

/* Records of which a few were lost are not where they were, though the attrs are damaged, too. */
static void what_happened_in_the_records_is_not_placed_before_them(void **state)
{
    (void)state;
    struct pc_shift shift;
    IN_BOTH_ORDERS
    {
        begin_sound();
        put_at(FILE_ATTRS + 4, 7, 4);
        insert(FILE_DATA + 200, 16);
        assert_false(find(&shift));
    }
}

static void nothing_is_read_as_lost_that_is_too_much(void **state)
{
    (void)state;
    struct pc_shift shift;
    IN_BOTH_ORDERS
    {
        uint64_t table = begin_sound();
        take_out(AT_DATA, 8);
        for (uint64_t i = 0; i < FEATURES; i++) /* as if 2 MiB were missing */
            put_at(table - 8 + i * 16, table + FEATURES * 16 + i * 68 + ((uint64_t)2 << 20), 8);
        assert_false(find(&shift));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_where_it_should_be_is_no_loss),
    cmocka_unit_test(a_loss_in_the_header_is_placed),
    cmocka_unit_test(a_loss_is_placed_before_a_table_with_an_entry_left_over),
    cmocka_unit_test(a_loss_in_the_attrs_is_placed),
    cmocka_unit_test(what_was_inserted_is_placed),
    cmocka_unit_test(what_was_inserted_among_ids_is_placed),
    cmocka_unit_test(zeros_that_ids_lost_are_placed),
    cmocka_unit_test(what_happened_in_the_records_is_not_placed_before_them),
    cmocka_unit_test(nothing_is_read_as_lost_that_is_too_much),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * Words of the header and of the feature table that are wrong: each gets the value that it had before.
 */
#include "pc_test.h"
#include "repair_bench.h"

static void a_sound_file_is_left_alone(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        assert_int_equal(repair("nothing"), 0);
    }
}

static void each_wrong_word_gets_its_value_back(void **state)
{
    (void)state;
    static const struct {
        uint64_t at;
        const char *name;
    } words[] = {
        { 0, "magic" },
        { AT_SIZE, "size" },
        { AT_ATTR_SIZE, "attr_size" },
        { AT_ATTRS, "attrs.offset" },
        { AT_ATTRS + 8, "attrs.size" },
        { AT_DATA, "data.offset" },
        { AT_DATA + 8, "data.size" },
        { TABLE, "offset of the first feature" },
        { TABLE + 8, "size of the first feature" },
        { TABLE + 32, "offset of a feature" },
        { TABLE + 40, "size of a feature" },
        { TABLE + 112, "offset of the last feature" },
    };
    static const uint64_t wrong[] = { 1, 9, 5000, (uint64_t)1 << 40, UINT64_MAX };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(words); i++) {
            for (size_t k = 0; k < PC_COUNT_OF(wrong); k++) {
                begin_sound();
                put_at(words[i].at, wrong[k], 8);
                assert_int_equal(repair(words[i].name), 1);
            }
        }
    }
}

/* A bit of data.offset and one of attrs.offset: the first follows from the records, the other from it. */
static void what_follows_from_a_repaired_word_is_repaired_too(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        put_at(0, 7, 8);
        put_at(AT_DATA + 8, 7, 8);
        assert_int_equal(repair("magic and data.size"), 2);
        begin_sound();
        put_at(AT_ATTR_SIZE, 7, 8);
        put_at(AT_DATA + 8, UINT64_MAX, 8);
        assert_int_equal(repair("attr_size and data.size"), 2);
    }
}

/* As a recorder leaves a file that was killed: the data end with it, and it has no features. */
static void without_a_table_the_data_end_with_the_file(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        in.len = TABLE;
        put_at(AT_DATA + 8, 0, 8);
        memcpy(sound, in.p, in.len);
        repair(NULL);
        assert_int_equal(pc_load(in.p + AT_DATA + 8, 8, in.order), RECORDS * 32);
        for (size_t i = 0; i < 32; i++)
            assert_int_equal(in.p[AT_FEATURES + i], 0);
    }
}

static void attrs_prove_magic_and_size(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        put_at(0, 7, 8);
        put_at(AT_SIZE, 7, 8);
        repair("no magic, no size");
    }
}

static void what_cannot_be_proved_stays(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound(); /* neither magic nor size, nor the place of attrs */
        put_at(0, 7, 8);
        put_at(AT_SIZE, 7, 8);
        put_at(AT_SIZE + 8, 7, 8);
        assert_int_equal(repair(NULL), 0);
        begin_sound();
        in.len = 20; /* not even a header */
        put_at(0, 7, 8);
        assert_int_equal(repair(NULL), 0);
    }
}

static void without_memory_nothing_is_repaired(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 4; n++) {
        struct pc_salvage s = { .no_memory = false };
        begin_sound();
        put_at(AT_DATA + 8, 7, 8);
        pc_mem_init(&s.mem, 1 << 20);
        s.mem.fail_at = n;
        pc_input_memory(&s.in, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
        pc_repair(&s);
        assert_int_equal(s.no_memory, s.mem.calls >= n);
        assert_int_equal(s.nr_patches, s.no_memory ? 0 : 1);
        pc_free(&s.mem, s.patch, s.cap_patches * sizeof(*s.patch));
    }
}

/* Bytes that cannot be read are not taken for bytes that are not there. */
static void what_cannot_be_read_is_said(void **state)
{
    (void)state;
    size_t failed = 0;
    for (uint64_t place = 8; place < in.len; place += 8) {
        struct pc_salvage s = { .no_memory = false };
        begin_sound();
        put_at(AT_DATA + 8, 7, 8);
        pc_mem_init(&s.mem, 1 << 20);
        pc_input_memory(&s.in, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
        s.in.fail_at = place;
        pc_repair(&s);
        assert_true(s.not_judged || s.nr_patches == 1);
        failed += s.not_judged;
        pc_free(&s.mem, s.patch, s.cap_patches * sizeof(*s.patch));
    }
    assert_true(failed > 10);
}

/* perf inject --strip leaves zeros between the attrs and the data. */
static void the_room_before_the_data_is_found(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (uint64_t room = 0; room <= 64; room += 8) {
            begin_sound();
            make_room(FILE_DATA, (size_t)room);
            put_at(AT_DATA, FILE_DATA + room, 8);
            for (uint64_t i = 0; i < FEATURES; i++)
                put_at(TABLE + room + 16 * i, TABLE + room + 16 * FEATURES + 8 * i, 8);
            memcpy(sound, in.p, in.len);
            put_at(AT_DATA, 7, 8);
            assert_int_equal(repair("data.offset, after room"), 1);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_sound_file_is_left_alone),
    cmocka_unit_test(each_wrong_word_gets_its_value_back),
    cmocka_unit_test(what_follows_from_a_repaired_word_is_repaired_too),
    cmocka_unit_test(without_a_table_the_data_end_with_the_file),
    cmocka_unit_test(attrs_prove_magic_and_size),
    cmocka_unit_test(what_cannot_be_proved_stays),
    cmocka_unit_test(without_memory_nothing_is_repaired),
    cmocka_unit_test(what_cannot_be_read_is_said),
    cmocka_unit_test(the_room_before_the_data_is_found),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * The records of simpleperf: where their fields end, in each form and for each size.
 */
#include "pc_test.h"
#include "bytes/cursor.h"
#include "format/records.h"

/* Walks a body of n words, all zeros but word `at`; the bytes after its fields, or SIZE_MAX. */
static size_t walk_words(uint32_t type, size_t n, size_t at, uint64_t value, enum pc_order order)
{
    unsigned char bytes[512] = { 0 };
    struct pc_cursor c = pc_record_body((struct pc_span){ bytes, PC_RECORD_HEADER_SIZE + n }, order);
    struct pc_walk walk;
    size_t excess;
    assert_true(PC_RECORD_HEADER_SIZE + n <= sizeof(bytes));
    if (at + 8 <= n)
        pc_store(bytes + PC_RECORD_HEADER_SIZE + at, 8, value, order);
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    return pc_walk_record(&walk, pc_record_info(type), &excess) ? excess : SIZE_MAX;
}

static void bytes_have_room_up_to_a_multiple(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        size_t unit;
    } rooms[] = { { PC_KERNEL_SYMBOL, 8 }, { PC_ANDROID_TRACING_DATA, 64 } };
    for (size_t i = 0; i < PC_COUNT_OF(rooms); i++) {
        for (unsigned n = 0; n <= 130; n++) {
            unsigned char bytes[256] = { 0 };
            size_t room = (n + rooms[i].unit - 1) / rooms[i].unit * rooms[i].unit, excess;
            for (size_t len = 12; len <= 12 + room + 3; len++) {
                struct pc_cursor c = pc_record_body((struct pc_span){ bytes, len }, PC_BIG);
                struct pc_walk walk;
                pc_store(bytes + 8, 4, n, PC_BIG);
                pc_walk_init(&walk, NULL, &c, NULL, NULL);
                bool sound = pc_walk_record(&walk, pc_record_info(rooms[i].type), &excess);
                if (rooms[i].type == PC_KERNEL_SYMBOL && len % 8 == 0)
                    continue; /* the old form: another word is the number */
                assert_int_equal(sound, len >= 12 + room);
                if (sound)
                    assert_int_equal(excess, len - 12 - room);
            }
        }
    }
    unsigned char most[] = { 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0 };
    struct pc_cursor c = pc_record_body((struct pc_span){ most, sizeof(most) }, PC_LITTLE);
    struct pc_walk walk;
    size_t excess;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    assert_false(pc_walk_record(&walk, pc_record_info(PC_ANDROID_TRACING_DATA), &excess));
}

/* 32, 48 and 72 bytes, then entries of the call chain. */
static void a_result_of_unwinding_has_three_forms(void **state)
{
    (void)state;
    for (unsigned order = 0; order < 2; order++) {
        enum pc_order to = order ? PC_BIG : PC_LITTLE;
        for (size_t n = 32; n <= 80; n += 8)
            assert_int_equal(walk_words(PC_UNWINDING_RESULT, n, n, 0, to),
                             n == 32 || n == 48 || n >= 72 ? 0 : SIZE_MAX);
        assert_int_equal(walk_words(PC_UNWINDING_RESULT, 31, 31, 0, to), SIZE_MAX);
        assert_int_equal(walk_words(PC_UNWINDING_RESULT, 36, 36, 0, to), SIZE_MAX);
        /* A mask of three registers, which follow it, before the size of the stack. */
        assert_int_equal(walk_words(PC_UNWINDING_RESULT, 96, 56, 0x8000000000000003, to), 0);
        assert_int_equal(walk_words(PC_UNWINDING_RESULT, 88, 56, 0x8000000000000003, to), SIZE_MAX);
        assert_int_equal(walk_words(PC_UNWINDING_RESULT, 80, 56, 0x8000000000000003, to), SIZE_MAX);
        /* A stack of 5 bytes, and how much of it was used. */
        assert_int_equal(walk_words(PC_UNWINDING_RESULT, 72 + 5 + 8, 64, 5, to), 0);
        assert_int_equal(walk_words(PC_UNWINDING_RESULT, 72 + 5 + 7, 64, 5, to), SIZE_MAX);
        assert_int_equal(walk_words(PC_UNWINDING_RESULT, 72, 64, UINT64_MAX, to), SIZE_MAX);
        /* Two entries. */
        assert_int_equal(walk_words(PC_UNWINDING_RESULT, 80 + 32, 72, 2, to), 0);
        assert_int_equal(walk_words(PC_UNWINDING_RESULT, 80 + 31, 72, 2, to), SIZE_MAX);
        assert_int_equal(walk_words(PC_UNWINDING_RESULT, 80 + 32, 72, UINT64_MAX / 8, to), SIZE_MAX);
    }
}

static void arrays_end_where_their_counts_say(void **state)
{
    (void)state;
    assert_int_equal(walk_words(PC_CALLCHAIN, 32 + 48, 24, 3, PC_LITTLE), 0);
    assert_int_equal(walk_words(PC_CALLCHAIN, 32 + 40, 24, 3, PC_LITTLE), SIZE_MAX);
    assert_int_equal(walk_words(PC_CALLCHAIN, 32 + 49, 24, 3, PC_LITTLE), 1);
    assert_int_equal(walk_words(PC_EVENT_ID, 8 + 32, 0, 2, PC_BIG), 0);
    assert_int_equal(walk_words(PC_EVENT_ID, 8 + 31, 0, 2, PC_BIG), SIZE_MAX);
    assert_int_equal(walk_words(PC_EVENT_ID, 8 + 48, 0, 2, PC_BIG), 16);
    assert_int_equal(walk_words(PC_EVENT_ID, 8, 0, UINT64_MAX, PC_BIG), SIZE_MAX);
}

static void numbers_of_types_are_dense_in_arrays(void **state)
{
    (void)state;
    unsigned own = 0;
    for (uint32_t index = 1; index < PC_TYPE_ROWS; index++) {
        uint32_t type = pc_type_at(index);
        assert_int_equal(pc_type_index(type), index);
        own += pc_is_android_type(type) && pc_record_info(type);
    }
    assert_int_equal(own, 10);
    assert_int_equal(pc_type_index(PC_TYPES), 0);
    assert_int_equal(pc_type_index(PC_ANDROID_TYPES_END), 0);
    assert_int_equal(pc_type_index(UINT32_MAX), 0);
}

/* Of KERNEL_SYMBOL by its size; of DSO by the eight bytes where the least address would be. */
static void old_forms_are_told(void **state)
{
    (void)state;
    for (size_t n = 8; n <= 40; n += 8) {
        assert_int_equal(walk_words(PC_KERNEL_SYMBOL, n, 0, 1, PC_LITTLE), n - 8); /* the last, no text */
        assert_int_equal(walk_words(PC_KERNEL_SYMBOL, n, 0, (uint64_t)(n - 8) << 32 | 1, PC_LITTLE), 0);
    }
    static const struct {
        uint64_t word;
        bool address;
    } words[] = { { 0, true },
                  { 0x0101010101010100, true },
                  { 0x0101010101010101, false },
                  { 0xfeffffffffffffff, false },
                  { 0xff00000000000000, true },
                  { UINT64_MAX, true } };
    for (size_t i = 0; i < PC_COUNT_OF(words); i++) {
        for (enum pc_order order = PC_LITTLE; order <= PC_BIG; order++) {
            unsigned char bytes[48] = { 0 };
            struct pc_cursor c = pc_record_body((struct pc_span){ bytes, sizeof(bytes) }, order);
            struct pc_walk walk;
            size_t excess;
            pc_store(bytes + 24, 8, words[i].word, order);
            pc_walk_init(&walk, NULL, &c, NULL, NULL);
            assert_true(pc_walk_record(&walk, pc_record_info(PC_DSO), &excess));
            assert_int_equal(walk.slot_at[PC_REC_TEXT], words[i].address ? 32 : 24);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(old_forms_are_told),
    cmocka_unit_test(bytes_have_room_up_to_a_multiple),
    cmocka_unit_test(a_result_of_unwinding_has_three_forms),
    cmocka_unit_test(arrays_end_where_their_counts_say),
    cmocka_unit_test(numbers_of_types_are_dense_in_arrays),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

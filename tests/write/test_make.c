/* SPDX-License-Identifier: MIT
 *
 * Structures made from their tables: each kind of row in both orders, counted and written alike.
 */
#include "pc_test.h"
#include "format/rows.h"
#include "write/make.h"

static const struct pc_field element[] = { U16(number, .save = PC_SLOT_F0 + 3), END };
static const struct pc_field table[] = {
    U32(one, .save = PC_SLOT_F0),
    PC_ROW("magic", PC_LITERAL, .text = "ab", .arg = 2),
    PC_ROW("name", PC_ZSTR, .save = PC_SLOT_F0 + 1),
    U64(len, .save = PC_SLOT_A),
    PC_ROW("text", PC_TEXT, .count = PC_SLOT_A, .save = PC_SLOT_F0 + 2),
    PC_ROW("hstr", PC_HSTR, .save = PC_SLOT_F0 + 4),
    PC_ROW("fixed", PC_BYTES, .arg = 3, .save = PC_SLOT_F0 + 5),
    U8(nr, .save = PC_SLOT_B),
    REPEAT(elements, PC_SLOT_B, element),
    END,
};

static void set_element(struct pc_make *make, const struct pc_field *array, uint64_t index)
{
    assert_string_equal(array->name, "elements");
    make->slot[PC_SLOT_F0 + 3] = *(const uint64_t *)make->ctx + index;
}

static void each_row_has_its_bytes(void **state)
{
    (void)state;
    static const unsigned char little[] = {
        4,   3,   2,   1, 'a', 'b', 'x', 'y', 0, 3,   0, 0, 0, 0, 0, 0, 0,
        't', 'u', 'v', 2, 0,   0,   0,   'h', 0, 'f', 0, 0, 2, 1, 2, 2, 2
    };
    static const unsigned char big[] = { 1,   2,   3,   4, 'a', 'b', 'x', 'y', 0, 0,   0, 0, 0, 0, 0, 0, 3,
                                         't', 'u', 'v', 0, 0,   0,   2,   'h', 0, 'f', 0, 0, 2, 2, 1, 2, 2 };
    const uint64_t first = 0x201;
    for (unsigned order = PC_LITTLE; order <= PC_BIG; order++) {
        unsigned char out[64];
        struct pc_make make = { .order = (enum pc_order)order, .element = set_element, .ctx = &first };
        make.slot[PC_SLOT_F0] = 0x01020304;
        make.slot[PC_SLOT_B] = 2;
        make.bytes[PC_SLOT_F0 + 1] = SPAN('x', 'y');
        make.bytes[PC_SLOT_F0 + 2] = SPAN('t', 'u', 'v');
        make.bytes[PC_SLOT_F0 + 4] = SPAN('h', 0);
        make.bytes[PC_SLOT_F0 + 5] = SPAN('f');
        pc_make_table(&make, table); /* without room it counts */
        assert_int_equal(make.len, sizeof(little));
        make.len = 0;
        make.out = out;
        memset(out, 0xee, sizeof(out));
        pc_make_table(&make, table);
        assert_int_equal(make.len, sizeof(little));
        assert_memory_equal(out, order == PC_LITTLE ? little : big, sizeof(little));
        assert_int_equal(out[sizeof(little)], 0xee);
    }
}

static void an_array_may_be_empty(void **state)
{
    (void)state;
    const uint64_t first = 0;
    unsigned char out[64];
    struct pc_make make = { .order = PC_LITTLE, .element = set_element, .ctx = &first, .out = out };
    pc_make_table(&make, table);
    assert_int_equal(make.len, 4 + 2 + 1 + 8 + 0 + 4 + 3 + 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_row_has_its_bytes),
    cmocka_unit_test(an_array_may_be_empty),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

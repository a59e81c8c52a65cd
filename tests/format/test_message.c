/* SPDX-License-Identifier: MIT
 *
 * Messages of protobuf: heads, forms, numbers, what is unknown, what must be there.
 */
#include "pc_test.h"
#include "bytes/cursor.h"
#include "format/field.h"
#include "format/rows.h"

#include <string.h>

#define NEEDED PC_DYNAMIC(0)
static const struct pc_case cases[] = { CASE(1, NEEDED), END_OF_CASES };
static const struct pc_field inner[] = {
    PC_ROW("n", PC_VARINT, .number = 1, .save = PC_SLOT_A),
    PC_ROW("b", PC_BLOB, .number = 2),
    END,
};
static const struct pc_field fields[] = {
    PC_ROW("text", PC_STRING, .number = 1),
    PC_ROW("type", PC_VARINT, .number = 2, .cases = cases, .save = PC_SLOT_B),
    PC_ROW("each", PC_REPEAT, .number = 3, .sub = inner),
    PC_ROW("one", PC_SUB, .number = 4, .sub = inner, .when = NEEDED),
    PC_ROW("numbers", PC_PACKED, .number = 5),
    END,
};
static const struct pc_field message[] = { PC_ROW("message", PC_MESSAGE, .sub = fields), END };

/* What was shown: path, value and length of each leaf, as text; a fault ends it with its place. */
static char seen[1024];

static bool note(void *ctx, const struct pc_leaf *leaf)
{
    size_t *end = ctx, n = strlen(seen);
    assert_int_equal(leaf->at, *end); /* every byte is shown, in order */
    for (unsigned i = 0; i < leaf->walk->depth; i++) {
        const struct pc_step *step = &leaf->walk->path[i];
        n += (size_t)snprintf(seen + n, sizeof(seen) - n, "%s", step->name);
        if (step->index != PC_NO_INDEX)
            n += (size_t)snprintf(seen + n, sizeof(seen) - n, "%d", (int)step->index);
        n += (size_t)snprintf(seen + n, sizeof(seen) - n, ".");
    }
    const char *name = leaf->field->name ? leaf->field->name : "";
    if (leaf->fault != PC_SOUND) {
        snprintf(seen + n, sizeof(seen) - n, "%s!%zu", name, leaf->at);
        return false;
    }
    *end += leaf->raw.len;
    snprintf(seen + n, sizeof(seen) - n, "%s=%llx/%zu ", name, (unsigned long long)leaf->value,
             leaf->raw.len);
    return true;
}

static const char *shown(const char *bytes, size_t n)
{
    struct pc_cursor c = pc_cursor((struct pc_span){ (const unsigned char *)bytes, n }, PC_BIG);
    struct pc_walk walk;
    size_t end = 0;
    seen[0] = '\0';
    pc_walk_init(&walk, NULL, &c, note, &end);
    if (pc_walk_table(&walk, message))
        assert_int_equal(end, n);
    else
        assert_non_null(strchr(seen, '!'));
    assert_int_equal(walk.depth, strchr(seen, '!') ? walk.depth : 0);
    return seen;
}
#define SHOWN(bytes) shown(bytes, sizeof(bytes) - 1)

static void fields_are_shown_with_their_heads(void **state)
{
    (void)state;
    assert_string_equal(SHOWN(""), "");
    assert_string_equal(SHOWN("\x0a\x02"
                              "ab"),
                        "text=2/4 ");
    assert_string_equal(SHOWN("\x10\x96\x01"), "type=96/3 ");
    assert_string_equal(SHOWN("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "type=ffffffffffffffff/11 ");
    assert_string_equal(SHOWN("\x1a\x02\x08\x07\x1a\x00\x0a\x00\x1a\x03\x12\x01z"),
                        "each0.size=2/2 each0.n=7/2 each1.size=0/2 text=0/2 each2.size=3/2 each2.b=1/3 ");
    assert_string_equal(SHOWN("\x2a\x03\x05\x80\x01"), "numbers.size=3/2 numbers0.=5/1 numbers1.=80/2 ");
}

static void numbers_need_not_be_packed(void **state)
{
    (void)state;
    assert_string_equal(SHOWN("\x28\x05\x28\x80\x01"), "numbers0.=5/2 numbers1.=80/3 ");
    assert_string_equal(
        SHOWN("\x28\x05\x2a\x02\x06\x07\x2a\x00\x10\x02\x28\x08"),
        "numbers0.=5/2 numbers.size=2/2 numbers1.=6/1 numbers2.=7/1 numbers.size=0/2 type=2/2 "
        "numbers3.=8/2 ");
    assert_string_equal(SHOWN("\x28\x80"), "message!0");
}

static void what_is_unknown_is_bytes(void **state)
{
    (void)state;
    assert_string_equal(SHOWN("\x30\x05\x31"
                              "12345678"
                              "\x35"
                              "1234"
                              "\x32\x01x"),
                        "unknown=2/2 unknown=9/9 unknown=5/5 unknown=3/3 ");
    assert_string_equal(SHOWN("\x08\x05\x12\x01x"), "unknown=2/2 unknown=3/3 "); /* of another form */
}

/* Readers skip groups, also in groups, and of a number that a field has. */
static void a_group_ends_where_its_number_does(void **state)
{
    (void)state;
    assert_string_equal(SHOWN("\x33\x34\x10\x05"), "unknown=2/2 type=5/2 ");
    assert_string_equal(SHOWN("\x33\x08\x01\x33\x3b\x3c\x34\x0a\x01\x34\x34"), "unknown=b/11 ");
    assert_string_equal(SHOWN("\x13\x10\x05\x14"), "unknown=4/4 "); /* type is no group */
    assert_string_equal(SHOWN("\x33\x3c"), "message!0");
    assert_string_equal(SHOWN("\x33\x08\x01"), "message!0");
    assert_string_equal(SHOWN("\x33\x0a\x01\x34"), "message!0"); /* the end is content */
    assert_string_equal(SHOWN("\x33\x3b\x34\x3c"), "message!0");
    char groups[2 * 101];
    for (unsigned depth = 99; depth <= 101; depth++) {
        memset(groups, 0x33, depth);
        memset(groups + depth, 0x34, depth);
        assert_string_equal(shown(groups, (size_t)2 * depth), depth == 99    ? "unknown=c6/198 "
                                                              : depth == 100 ? "unknown=c8/200 "
                                                                             : "message!0");
    }
}

static void what_is_no_field_is_a_fault(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\x80",      /* a head without an end */
        "\x0a\x02x", /* a length past the end */
        "\x10",      /* no value */
        "\x10\x80",  /* a value without an end */
        "\x31"
        "12345", /* fewer than eight bytes */
        "\x35"
        "123",
        "\x0b",
        "\x0c",
        "\x0e",
        "\x0f",                                             /* other forms */
        "\x02\x01x",                                        /* the number 0 */
        "\x82\x80\x80\x80\x10\x01x",                        /* 2^29 */
        "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", /* eleven bytes */
    };
    for (size_t i = 0; i < PC_COUNT_OF(bad); i++)
        assert_string_equal(shown(bad[i], strlen(bad[i])), "message!0");
    assert_string_equal(SHOWN("\x10\x05\x80"), "type=5/2 message!2");
    assert_string_equal(SHOWN("\x1a\x03\x08\x07\x08"), "each0.size=3/2 each0.n=7/2 each0.message!4");
    assert_string_equal(SHOWN("\x2a\x02\x05\x80"), "numbers.size=2/2 numbers0.=5/1 numbers1.message!3");
    assert_string_equal(SHOWN("\xfa\xff\xff\xff\x0f\x00"), "unknown=6/6 "); /* the last number */
}

static void what_its_type_has_must_be_there(void **state)
{
    (void)state;
    assert_string_equal(SHOWN("\x10\x01"), "type=1/2 one!2");
    assert_string_equal(SHOWN("\x10\x01\x22\x00"), "type=1/2 one.size=0/2 ");
    assert_string_equal(SHOWN("\x22\x00\x10\x01"), "one.size=0/2 type=1/2 ");
    assert_string_equal(SHOWN("\x22\x00"), "one.size=0/2 ");
}

/* A value that is not there is 0, whatever an earlier message had. */
static void values_begin_at_zero(void **state)
{
    (void)state;
    static const unsigned char two[] = { 0x1a, 2, 8, 7, 0x1a, 0 };
    struct pc_cursor c = pc_cursor((struct pc_span){ two, sizeof(two) }, PC_LITTLE);
    struct pc_walk walk;
    assert_true(pc_read_table(&walk, message, c));
    assert_int_equal(walk.slot[PC_SLOT_A], 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(fields_are_shown_with_their_heads),
    cmocka_unit_test(numbers_need_not_be_packed),
    cmocka_unit_test(what_is_unknown_is_bytes),
    cmocka_unit_test(a_group_ends_where_its_number_does),
    cmocka_unit_test(what_is_no_field_is_a_fault),
    cmocka_unit_test(what_its_type_has_must_be_there),
    cmocka_unit_test(values_begin_at_zero),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

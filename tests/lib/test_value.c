/* SPDX-License-Identifier: MIT
 *
 * The value of one field as text.
 */
#include "lib/value.h"
#include "pc_test.h"
#include "perfcheck.h"

static struct pc_capture capture;
static const struct pc_item item = { .kind = PC_ITEM_HEADER };
static struct pc_shown shown;

static void show(const struct pc_field *field, uint64_t value)
{
    const struct pc_leaf leaf = { .field = field, .value = value };
    shown = (struct pc_shown){ .capture = &capture, .item = &item };
    pc_show_leaf(&shown, &leaf);
}

static void a_number_is_shown_as_its_row_says(void **state)
{
    (void)state;
    static const struct {
        unsigned char width, show;
        uint64_t value;
        const char *type, *text;
    } rows[] = {
        { 4, PC_AS_DECIMAL, 0xffffffff, "uint", "4294967295" },
        { 8, PC_AS_DECIMAL, 0x1fffffffffffff, "uint", "9007199254740991" },
        { 8, PC_AS_DECIMAL, 0x20000000000000, "uint", "9007199254740992" },
        { 8, PC_AS_DECIMAL, 0x20000000000001, "uint", "9007199254740993" },
        { 8, PC_AS_HEX, 0x1000, "uint", "0x1000" },
        { 1, PC_AS_SIGNED, 0xff, "int", "-1" },
        { 4, PC_AS_SIGNED, 0x80000000, "int", "-2147483648" },
        { 8, PC_AS_SIGNED, 0x8000000000000000, "int", "-9223372036854775808" },
        { 8, PC_AS_SIGNED, 0x20000000000000, "int", "9007199254740992" },
        { 8, PC_AS_SIGNED, 0x20000000000001, "int", "9007199254740993" },
        { 8, PC_AS_SIGNED, 0xffe0000000000000, "int", "-9007199254740992" },
        { 8, PC_AS_SIGNED, 0xffdfffffffffffff, "int", "-9007199254740993" },
        { 8, PC_AS_DOUBLE, 0x3ff8000000000000, "double", "1.5" },
        { 8, PC_AS_DOUBLE, 0x7ff0000000000000, "double", "inf" },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        const struct pc_field field = { .kind = PC_UINT, .width = rows[i].width, .show = rows[i].show };
        show(&field, rows[i].value);
        assert_string_equal(shown.value.text, rows[i].text);
        assert_string_equal(shown.type, rows[i].type);
        assert_string_equal(shown.meaning.text, "");
    }
}

static void values_and_bits_have_their_names(void **state)
{
    (void)state;
    static const struct pc_name names[] = { { 1, "ONE" }, { 4, "FOUR" }, { 0, NULL } };
    struct pc_field field = { .kind = PC_UINT, .width = 8, .names = names };
    show(&field, 4);
    assert_string_equal(shown.meaning.text, "FOUR");
    show(&field, 5);
    assert_string_equal(shown.meaning.text, ""); /* a value, not bits */
    field.flags = PC_NAMES_OF_BITS;
    show(&field, 0x15);
    assert_string_equal(shown.meaning.text, "ONE|FOUR|0x10");
    show(&field, 0);
    assert_string_equal(shown.meaning.text, "");
}

/* The bitmap of the header shows those of its features; a field of another item does not. */
static void features_of_the_header_have_their_names(void **state)
{
    (void)state;
    static const struct pc_item record = { .kind = PC_ITEM_RECORD };
    const struct pc_field field = { .kind = PC_BYTES, .save = PC_HEAD_FEATURES };
    const struct pc_leaf leaf = { .field = &field, .raw = SPAN(9, 0, 0, 0, 0, 0, 0, 0x80) };
    capture.features[0] = 9 | (uint64_t)1 << 63;
    for (int i = 0; i < 2; i++) {
        shown = (struct pc_shown){ .capture = &capture, .item = i ? &record : &item };
        pc_show_leaf(&shown, &leaf);
        assert_string_equal(shown.value.text, "0900000000000080");
        assert_string_equal(shown.meaning.text, i ? "" : "BIT_0|HOSTNAME|BIT_63");
    }
    memset(capture.features, 0, sizeof(capture.features));
}

/* The id of a feature has its name; a number of the feature's content, in the same slot, has none. */
static void only_the_id_of_a_feature_is_one(void **state)
{
    (void)state;
    static const struct pc_item record = { .kind = PC_ITEM_RECORD, .type = PC_HEADER_FEATURE };
    static const struct pc_field field = { .kind = PC_UINT, .width = 8, .save = PC_REC_FEATURE };
    const uint64_t hostname = 3;
    for (size_t at = 8; at <= 24; at += 8) {
        const struct pc_leaf leaf = { .field = &field, .value = hostname, .at = at };
        shown = (struct pc_shown){ .capture = &capture, .item = &record };
        pc_show_leaf(&shown, &leaf);
        assert_string_equal(shown.meaning.text, at == 8 ? "HOSTNAME" : "");
    }
}

static void misc_has_the_names_of_its_record_type(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        uint16_t misc;
        const char *names;
    } rows[] = {
        { PC_COMM, 0x2000, "COMM_EXEC" },
        { PC_FORK, 0x2000, "FORK_EXEC" },
        { PC_MMAP, 0x2002, "USER|MMAP_DATA" },
        { PC_MMAP, 0x8001, "KERNEL|0x8000" },
        { PC_COMM, 0, "" },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        struct pc_buffer b;
        pc_buffer_init(&b);
        pc_put_misc(&b, pc_record_info(rows[i].type), rows[i].misc);
        assert_string_equal(b.text, rows[i].names);
    }
}

static void text_ends_at_its_nul_and_is_safe(void **state)
{
    (void)state;
    const struct pc_field field = { .kind = PC_TEXT };
    const struct pc_leaf leaf = { .field = &field, .raw = SPAN('a', '\n', 'b', 0, 0, 0) };
    shown = (struct pc_shown){ .capture = &capture, .item = &item };
    pc_show_leaf(&shown, &leaf);
    assert_string_equal(shown.value.text, "a\\x0ab");
    assert_string_equal(shown.type, "text");
    assert_string_equal(shown.meaning.text, "");
    shown.keep_controls = true;
    pc_show_leaf(&shown, &leaf);
    assert_string_equal(shown.value.text, "a\nb"); /* the printer of JSON escapes it */
}

static void bytes_are_shown_in_hex_up_to_a_limit(void **state)
{
    (void)state;
    shown = (struct pc_shown){ .capture = &capture, .item = &item };
    pc_show_bytes(&shown, SPAN(0x01, 0xab), 2, "padding");
    assert_string_equal(shown.value.text, "01ab");
    assert_string_equal(shown.meaning.text, "padding");
    unsigned char bytes[PC_BYTES_SHOWN + 1] = { 0 };
    pc_show_bytes(&shown, (struct pc_span){ bytes, sizeof(bytes) }, 100, "");
    assert_int_equal(shown.value.len, 2 * PC_BYTES_SHOWN);
    assert_string_equal(shown.meaning.text, "the first 64 of 100 bytes");
}

static void the_public_types_of_records_are_ours(void **state)
{
    (void)state;
#define TYPE(name) assert_int_equal(PERFCHECK_##name, PC_##name)
    TYPE(MMAP), TYPE(LOST), TYPE(COMM), TYPE(EXIT), TYPE(FORK), TYPE(SAMPLE), TYPE(MMAP2);
    TYPE(LOST_SAMPLES), TYPE(USER_TYPES), TYPE(HEADER_BUILD_ID), TYPE(FINISHED_ROUND);
    TYPE(COMPRESSED), TYPE(COMPRESSED2), TYPE(MISC_CPUMODE), TYPE(MISC_COMM_EXEC), TYPE(MISC_MMAP_BUILD_ID);
#undef TYPE
    assert_int_equal(PERFCHECK_MISC_KERNEL, PC_MODE_KERNEL);
    assert_int_equal(PERFCHECK_MISC_USER, PC_MODE_USER);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_public_types_of_records_are_ours),
    cmocka_unit_test(a_number_is_shown_as_its_row_says),
    cmocka_unit_test(values_and_bits_have_their_names),
    cmocka_unit_test(features_of_the_header_have_their_names),
    cmocka_unit_test(only_the_id_of_a_feature_is_one),
    cmocka_unit_test(misc_has_the_names_of_its_record_type),
    cmocka_unit_test(text_ends_at_its_nul_and_is_safe),
    cmocka_unit_test(bytes_are_shown_in_hex_up_to_a_limit),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

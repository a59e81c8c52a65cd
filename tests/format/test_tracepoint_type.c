/* SPDX-License-Identifier: MIT
 *
 * What the type of a field says: its class, and how wide its elements are.
 */
#include "tracepoint_bench.h"

static void every_field_has_a_class_and_the_width_of_its_elements(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t offset, size;
        enum pc_tp_class cls;
        uint8_t element; /* of a recorder with longs of 8 bytes */
    } expected[] = {
        { "common_type", 0, 2, PC_TP_INTEGER, 2 },
        { "common_flags", 2, 1, PC_TP_INTEGER, 1 },
        { "common_preempt_count", 3, 1, PC_TP_INTEGER, 1 },
        { "common_pid", 4, 4, PC_TP_INTEGER, 4 },
        { "common_lock_depth", 8, 4, PC_TP_INTEGER, 4 },
        { "counts", 12, 4, PC_TP_DATA_LOC, 4 },
        { "bytes", 16, 4, PC_TP_REL_LOC, 1 },
        { "cpumask", 20, 4, PC_TP_DATA_LOC, 8 },
        { "argv", 24, 8, PC_TP_POINTER, 8 },
        { "comm", 32, 16, PC_TP_TEXT, 1 },
        { "args", 48, 48, PC_TP_ARRAY, 8 },
        { "addr", 96, 16, PC_TP_ARRAY, 1 },
        { "words", 112, 68, PC_TP_ARRAY, 4 },
        { "things", 180, 8, PC_TP_ARRAY, 4 },
        { "thing", 192, 8, PC_TP_OPAQUE, 0 },
        { "large", 200, 24, PC_TP_OPAQUE, 0 },
        { "zone", 224, 4, PC_TP_INTEGER, 4 },
        { "flag", 228, 1, PC_TP_INTEGER, 1 },
        { "name", 232, 8, PC_TP_POINTER, 8 },
        { "table", 240, 32, PC_TP_ARRAY, 0 },
        { "rest", 272, 0, PC_TP_FLEXIBLE, 8 },
    };
    struct pc_mem mem;
    pc_mem_init(&mem, 1 << 20);
    struct pc_tracepoint *t = keep(&mem, every_class, 8);
    assert_int_equal(t->nr_common, 5);
    assert_int_equal(t->nr_fields, PC_COUNT_OF(expected));
    assert_int_equal(t->end, 272);
    assert_true(t->is_open);
    assert_int_equal(t->nr_dynamic, 3);
    for (uint32_t i = 0; i < t->nr_fields; i++) {
        const struct pc_tp_field *f = &t->field[i];
        assert_string_equal(pc_tp_field_name(t, i), expected[i].name);
        if (f->offset != expected[i].offset || f->size != expected[i].size || f->cls != expected[i].cls ||
            f->element != expected[i].element)
            fail_msg("%s: %u %u, class %u, elements of %u", expected[i].name, f->offset, f->size, f->cls,
                     f->element);
    }
    pc_tp_free(&mem, t);
    assert_int_equal(mem.used, 0);
}

static unsigned type_width(const char *text, unsigned long_size)
{
    struct pc_tp_type type = { 0 };
    for (size_t len; *text != 0; text += len) {
        for (len = 0; pc_tp_is_word(text[len]); len++)
            ;
        struct pc_tp_name word = { (const unsigned char *)text, len };
        type.pointer |= *text == '*';
        if (len != 0)
            pc_tp_see_word(&type, &word, long_size);
        else
            len = 1;
    }
    return pc_tp_width(&type, long_size);
}

static void widths_follow_from_the_words_of_a_type(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        unsigned width4, width8; /* by the size of long */
    } types[] = {
        { "char", 1, 1 },
        { "unsigned char", 1, 1 },
        { "signed char", 1, 1 },
        { "bool", 1, 1 },
        { "__u8", 1, 1 },
        { "__s8", 1, 1 },
        { "u8", 1, 1 },
        { "s8", 1, 1 },
        { "uint8_t", 1, 1 },
        { "unchar", 1, 1 },
        { "_Bool", 1, 1 },
        { "int8_t", 1, 1 },
        { "short", 2, 2 },
        { "unsigned short int", 2, 2 },
        { "u16", 2, 2 },
        { "s16", 2, 2 },
        { "__u16", 2, 2 },
        { "__s16", 2, 2 },
        { "uint16_t", 2, 2 },
        { "int16_t", 2, 2 },
        { "__le16", 2, 2 },
        { "__be16", 2, 2 },
        { "ushort", 2, 2 },
        { "int", 4, 4 },
        { "unsigned", 4, 4 },
        { "const unsigned int", 4, 4 },
        { "s32", 4, 4 },
        { "u32", 4, 4 },
        { "__s32", 4, 4 },
        { "__u32", 4, 4 },
        { "int32_t", 4, 4 },
        { "uint32_t", 4, 4 },
        { "__le32", 4, 4 },
        { "__be32", 4, 4 },
        { "uint", 4, 4 },
        { "pid_t", 4, 4 },
        { "gfp_t", 4, 4 },
        { "dev_t", 4, 4 },
        { "long", 4, 8 },
        { "unsigned long", 4, 8 },
        { "long unsigned int", 4, 8 },
        { "size_t", 4, 8 },
        { "ssize_t", 4, 8 },
        { "ulong", 4, 8 },
        { "long long", 8, 8 },
        { "unsigned long long", 8, 8 },
        { "u64", 8, 8 },
        { "s64", 8, 8 },
        { "__u64", 8, 8 },
        { "__s64", 8, 8 },
        { "uint64_t", 8, 8 },
        { "int64_t", 8, 8 },
        { "__le64", 8, 8 },
        { "__be64", 8, 8 },
        { "loff_t", 8, 8 },
        { "char *", 4, 8 },
        { "struct foo *", 4, 8 },
        { "void __user *", 4, 8 },
        { "struct foo", 0, 0 },
        { "foo_t", 0, 0 },
        { "long u32", 0, 0 },
        { "", 0, 0 },
        { "9", 0, 0 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(types); i++) {
        unsigned four = type_width(types[i].type, 4);
        unsigned eight = type_width(types[i].type, 8);
        if (four != types[i].width4 || eight != types[i].width8)
            fail_msg("%s: %u and %u", types[i].type, four, eight);
    }
}

static void elements_of_longs_have_four_bytes_on_a_32_bit_recorder(void **state)
{
    (void)state;
    static const char text[] = "name: a\nID: 1\nformat:\n" COMMON "\n"
                               "\tfield:unsigned long args[3];\toffset:8;\tsize:12;\tsigned:0;\n\n"
                               "print fmt: \"%lx\", REC->args[0]\n";
    struct pc_tp_fault fault;
    assert_true(check(span_of(text), 4, &fault));
    assert_int_equal(draft.field[4].element, 4);
    assert_false(check(span_of(text), 8, &fault));
    assert_string_equal(fault.reason, "the size is not that of the elements");
}

static void arrays_of_strings_have_a_word_for_each(void **state)
{
    (void)state;
    static const char strings[] = "name: probe\nID: 7\nformat:\n" COMMON "\n"
                                  "\tfield:__data_loc char[][3] s;\toffset:8;\tsize:12;\tsigned:1;\n\n"
                                  "print fmt: \"%s\", __get_str(s[1])\n";
    static const struct edit edits[] = {
        { strings, "[1]", "", PC_TP_SOUND, 0, NULL },
        { every_class, "((user)) * name;", "((user));", PC_TP_BAD_TEXT, 8, "expected the name of the field" },
        { process_fork, "pid_t parent_pid;", "unsigned int *;", PC_TP_BAD_TEXT, 14,
          "expected the name of the field" },
        { every_class, "[6]", "[0x6]", PC_TP_SOUND, 0, NULL },
        { strings, "[1]", "[1]", PC_TP_UNPRINTABLE, 0, "an element of an array of arrays" },
        { strings, "[1]", "[s]", PC_TP_BAD_PRINT, 1, "expected a number" },
        { strings, "[1]", "[1", PC_TP_BAD_PRINT, 2, "expected \"]\"" },
        { strings, "[3]", "[0]", PC_TP_BAD_FIELD, 0, "an array of 0 elements" },
        { strings, "[3]", "[]", PC_TP_BAD_TEXT, 1, "expected the number of elements" },
        { strings, "[3]", "[3", PC_TP_BAD_TEXT, 2, "expected \"]\"" },
        { strings, "[3] s", "[3]s", PC_TP_BAD_TEXT, 3, "expected \"[] \" after the type" },
        { strings, "[3]", "[3][2]", PC_TP_BAD_TEXT, 3, "expected \"[] \" after the type" },
        { strings, "size:12", "size:4", PC_TP_BAD_FIELD, 5, "the words of dynamic arrays have 4 bytes each" },
        { strings, "__data_loc", "__rel_loc", PC_TP_BAD_TEXT, 16, "expected \"[] \" after the type" },
        { process_fork, "__get_str(parent_comm)", "__get_str(parent_comm[0])", PC_TP_BAD_PRINT, 21,
          "expected \")\"" },
    };
    for (size_t i = 0; i < PC_COUNT_OF(edits); i++)
        run_edit(&edits[i]);
    struct pc_tp_fault fault;
    assert_true(pc_tp_read(&draft, span_of(strings), 8, &fault));
    assert_int_equal(draft.second_at, strstr(strings, "[3]") - strings);
    assert_int_equal(draft.field[4].cls, PC_TP_DATA_LOC);
    assert_true(draft.field[4].of_arrays);
    assert_true(pc_tp_read(&draft, span_of(process_fork), 8, &fault));
    assert_int_equal(draft.second_at, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_field_has_a_class_and_the_width_of_its_elements),
    cmocka_unit_test(widths_follow_from_the_words_of_a_type),
    cmocka_unit_test(elements_of_longs_have_four_bytes_on_a_32_bit_recorder),
    cmocka_unit_test(arrays_of_strings_have_a_word_for_each),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

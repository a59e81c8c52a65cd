/* SPDX-License-Identifier: MIT */
#include "pc_test.h"
#include "format/field.h"
#include "format/tables.h"
#include "format/rows.h"

/* --- bit-fields: the worked examples of FORMAT.md 2.7, bytes computed by hand --- */

static const struct pc_field *field_of(const struct pc_field *table, const char *name)
{
    for (; table->kind != PC_END; table++) {
        if (table->name && strcmp(table->name, name) == 0)
            return table;
    }
    return NULL;
}

static const struct pc_bits branch_members[] = {
    { "mispred", 0, 1 }, { "cycles", 4, 16 }, { "type", 20, 4 },
    { "spec", 24, 2 },   { "priv", 30, 3 },   { NULL, 0, 0 },
};
static const struct pc_field branch_word = { .kind = PC_BITS, .width = 8, .bits = branch_members };

static void attr_flags_mean_the_same_in_both_orders(void **state)
{
    (void)state;
    const struct pc_field *flags = field_of(pc_attr_fields, "flags");
    /* disabled, inherit, precise_ip = 2, sample_id_all */
    static const unsigned char little[] = { 0x03, 0x00, 0x05, 0, 0, 0, 0, 0 };
    static const unsigned char big[] = { 0xc0, 0x01, 0x20, 0, 0, 0, 0, 0 };
    uint64_t expected = 1 | 2 | (uint64_t)2 << 15 | 1 << 18;
    assert_true(pc_bits_value(flags, pc_load(little, 8, PC_LITTLE), PC_LITTLE) == expected);
    assert_true(pc_bits_value(flags, pc_load(big, 8, PC_BIG), PC_BIG) == expected);
    /* a real s390x attr with precise_ip 1: bytes c0 ec a1 86 20 00 00 00 (FORMAT.md 0.6) */
    static const unsigned char real[] = { 0xc0, 0xec, 0xa1, 0x86, 0x20, 0, 0, 0 };
    uint64_t value = pc_bits_value(flags, pc_load(real, 8, PC_BIG), PC_BIG);
    assert_int_equal(value >> 15 & 3, 1);
    assert_true(value & PC_FLAG_SAMPLE_ID_ALL);
}

static void other_bit_fields_mean_the_same_in_both_orders(void **state)
{
    (void)state;
    const struct pc_field *action = field_of(pc_attr_fields, "aux_action");
    static const unsigned char action_little[] = { 0x02, 0, 0, 0 }, action_big[] = { 0x40, 0, 0, 0 };
    assert_int_equal(pc_bits_value(action, pc_load(action_little, 4, PC_LITTLE), PC_LITTLE), 2);
    assert_int_equal(pc_bits_value(action, pc_load(action_big, 4, PC_BIG), PC_BIG), 2);

    /* mispred, cycles = 0x1234, type = 4, spec = 1, priv = 1 */
    static const unsigned char little[] = { 0x41, 0x23, 0x41, 0x41, 0, 0, 0, 0 };
    static const unsigned char big[] = { 0x81, 0x23, 0x44, 0x40, 0x80, 0, 0, 0 };
    uint64_t expected = 1 | 0x1234 << 4 | 4 << 20 | 1 << 24 | (uint64_t)1 << 30;
    assert_true(pc_bits_value(&branch_word, pc_load(little, 8, PC_LITTLE), PC_LITTLE) == expected);
    assert_true(pc_bits_value(&branch_word, pc_load(big, 8, PC_BIG), PC_BIG) == expected);
}

static void rules_about_bits_use_the_byte_order_of_the_file(void **state)
{
    (void)state;
    struct pc_field flags = *field_of(pc_attr_fields, "flags");
    /* reserved is the last member: 24 bits at the top in little-endian, at the bottom in big-endian */
    assert_true(pc_bits_word(&flags, flags.arg, PC_LITTLE) == 0x000000ffffffffff);
    assert_true(pc_bits_word(&flags, flags.arg, PC_BIG) == 0xffffffffff000000);
}

/* --- the walker --- */

struct seen {
    unsigned nr;
    uint64_t value[32];
    size_t at[32];
    const char *name[32];
    unsigned depth[32];
    uint64_t of[32]; /* elements of the array around it */
    enum pc_fault fault;
    const struct pc_field *at_fault;
    uint64_t need;
};

static bool record_leaf(void *ctx, const struct pc_leaf *leaf)
{
    struct seen *s = ctx;
    s->fault = leaf->fault;
    if (leaf->fault != PC_SOUND) {
        s->at_fault = leaf->field;
        s->need = leaf->need;
        return true;
    }
    assert_true(s->nr < 32);
    s->value[s->nr] = leaf->value;
    s->at[s->nr] = leaf->at;
    s->depth[s->nr] = leaf->walk->depth;
    s->of[s->nr] = leaf->walk->nr;
    s->name[s->nr++] = leaf->field->name;
    return true;
}

static bool walk(const struct pc_field *table, uint64_t mask, struct pc_span bytes, struct seen *seen,
                 size_t *left)
{
    struct pc_cursor c = pc_cursor(bytes, PC_LITTLE);
    struct pc_layout layout = { .mask = mask };
    struct pc_walk walk;
    memset(seen, 0, sizeof(*seen));
    pc_walk_init(&walk, &layout, &c, record_leaf, seen);
    bool sound = pc_walk_table(&walk, table);
    if (left)
        *left = pc_left(&c);
    return sound;
}

static const struct pc_field pair[] = { U8(a), U8(b), END };
static const struct pc_field counted[] = {
    U64(nr, .save = PC_SLOT_A),
    REPEAT(items, PC_SLOT_A, pair),
    END,
};

static void a_count_is_checked_against_the_bytes_left_before_use(void **state)
{
    (void)state;
    struct seen s;
    size_t left;
    assert_true(walk(counted, 0, SPAN(2, 0, 0, 0, 0, 0, 0, 0, 5, 6, 7, 8, 9), &s, &left));
    assert_int_equal(s.nr, 5);
    assert_int_equal(s.value[3], 7);
    assert_int_equal(s.at[4], 11);
    assert_int_equal(left, 1);
    for (unsigned i = 1; i < 5; i++)
        assert_int_equal(s.of[i], 2);
    assert_false(walk(counted, 0, SPAN(3, 0, 0, 0, 0, 0, 0, 0, 5, 6, 7, 8, 9), &s, NULL));
    assert_int_equal(s.fault, PC_FAULT_COUNT);
    assert_int_equal(s.need, 2);
    /* 2^64 - 1 elements of 2 bytes: refused before any arithmetic */
    assert_false(walk(counted, 0, SPAN(255, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4), &s, NULL));
    assert_int_equal(s.fault, PC_FAULT_COUNT);
    assert_int_equal(s.nr, 1);
}

static const struct pc_case cases[] = { { 1, 1, PC_DYNAMIC(0) }, { 2, 9, PC_DYNAMIC(1) }, { 0, 0, 0 } };
static const struct pc_field selecting[] = {
    U8(kind, .cases = cases),
    U8(one, .when = PC_DYNAMIC(0)),
    U16(two, .when = PC_DYNAMIC(1)),
    U8(fixed, .when = 4),
    END,
};

static void a_row_is_present_by_its_layout_and_by_selection(void **state)
{
    (void)state;
    struct seen s;
    size_t left;
    assert_true(walk(selecting, 0, SPAN(1, 7, 8), &s, &left));
    assert_int_equal(left, 1);
    assert_string_equal(s.name[1], "one");
    assert_true(walk(selecting, 0, SPAN(5, 7, 8), &s, &left));
    assert_int_equal(s.value[1], 0x0807);
    assert_true(walk(selecting, 0, SPAN(0, 7, 8), &s, &left));
    assert_int_equal(left, 2);
    assert_true(walk(selecting, 4, SPAN(0, 7, 8), &s, &left));
    assert_string_equal(s.name[1], "fixed");
    assert_true(pc_select(&selecting[0], 0, 1) == PC_DYNAMIC(0));
    assert_true(pc_select(&selecting[0], PC_DYNAMIC(0) | 4, 9) == (PC_DYNAMIC(1) | 4));
    assert_true(pc_select(&selecting[0], PC_DYNAMIC(1), 10) == 0);
}

static const struct pc_field inner[] = { U16(x), U16(y, .flags = PC_OPTIONAL), END };
static const struct pc_field framed[] = {
    U8(len, .save = PC_SLOT_A),
    PC_ROW("body", PC_FRAME, .count = PC_SLOT_A, .arg = 1, .sub = inner),
    U8(after),
    END,
};

static void a_frame_ends_at_its_end_and_the_rest_is_left(void **state)
{
    (void)state;
    struct seen s;
    assert_true(walk(framed, 0, SPAN(3, 1, 0, 9), &s, NULL)); /* y is absent */
    assert_int_equal(s.nr, 3);
    assert_int_equal(s.value[2], 9);
    assert_true(walk(framed, 0, SPAN(6, 1, 0, 2, 0, 77, 9), &s, NULL));
    assert_string_equal(s.name[3], "rest");
    assert_int_equal(s.value[4], 9);
    for (unsigned i = 0; i < 5; i++) /* only what is in the frame has its name in the path */
        assert_int_equal(s.depth[i], i >= 1 && i <= 3);
    assert_false(walk(framed, 0, SPAN(9, 1, 0, 2, 0), &s, NULL)); /* longer than the input */
    assert_int_equal(s.fault, PC_FAULT_SHORT);
    assert_false(walk(framed, 0, SPAN(0, 1, 0), &s, NULL)); /* shorter than what was taken of it */
    assert_int_equal(s.fault, PC_FAULT_COUNT);
    assert_false(walk(framed, 0, SPAN(2, 1, 0), &s, NULL)); /* too short for x */
    assert_int_equal(s.fault, PC_FAULT_SHORT);
}

struct entered {
    unsigned nr;
    struct pc_span raw[2];
    size_t at[2];
};

static bool note_frame(void *ctx, const struct pc_leaf *whole)
{
    struct entered *e = ctx;
    assert_true(e->nr < 2);
    e->at[e->nr] = whole->at;
    e->raw[e->nr++] = whole->raw;
    return true;
}

static void a_frame_is_announced_with_all_its_bytes(void **state)
{
    (void)state;
    struct pc_span bytes = SPAN(6, 1, 0, 2, 0, 77, 9);
    struct pc_cursor c = pc_cursor(bytes, PC_LITTLE);
    struct entered e = { .nr = 0 };
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, &e);
    walk.enter = walk.leave = note_frame;
    assert_true(pc_walk_table(&walk, framed));
    assert_int_equal(e.nr, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(e.at[i], 1);
        assert_ptr_equal(e.raw[i].ptr, bytes.ptr + 1);
        assert_int_equal(e.raw[i].len, 5);
    }
    assert_int_equal(walk.depth, 0);
}

static const struct pc_field strings[] = { HSTR(h), PC_ROW("z", PC_ZSTR), CSTR(c), END };

static void strings_need_their_nul_inside(void **state)
{
    (void)state;
    struct seen s;
    assert_true(walk(strings, 0, SPAN(3, 0, 0, 0, 'a', 0, 0, 'z', 0, 'c', 'd', 0, 0), &s, NULL));
    assert_int_equal(s.value[0], 1);
    assert_int_equal(s.value[1], 1);
    assert_int_equal(s.value[2], 2);
    assert_false(walk(strings, 0, SPAN(0, 0, 0, 0, 'a', 0), &s, NULL)); /* a length of 0 */
    assert_int_equal(s.fault, PC_FAULT_COUNT);
    assert_false(walk(strings, 0, SPAN(3, 0, 0, 0, 'a', 0), &s, NULL)); /* longer than what is left */
    assert_int_equal(s.fault, PC_FAULT_COUNT);
    assert_false(walk(strings, 0, SPAN(1, 0, 0, 0, 0, 'z', 'z'), &s, NULL));
    assert_int_equal(s.fault, PC_FAULT_NO_NUL);
    assert_false(walk(strings, 0, SPAN(1, 0, 0, 0, 0, 'z', 0, 'c', 'c'), &s, NULL));
    assert_string_equal(s.at_fault->name, "c");
    assert_int_equal(s.fault, PC_FAULT_NO_NUL);
}

static void each_rule_accepts_and_rejects_values(void **state)
{
    (void)state;
    struct pc_position where = { .index = 0, .nr = 3, .mask = PC_LAYOUT_DEFER };
    struct pc_field f = { .rule = PC_RULE_MASK, .arg = 6 };
    assert_true(pc_rule_ok(&f, 4, &where) && !pc_rule_ok(&f, 5, &where));
    f = (struct pc_field){ .rule = PC_RULE_MAX, .arg = 6 };
    assert_true(pc_rule_ok(&f, 6, &where) && !pc_rule_ok(&f, 7, &where));
    f = (struct pc_field){ .rule = PC_RULE_POWER_2, .arg = 100 };
    assert_true(pc_rule_ok(&f, 64, &where) && pc_rule_ok(&f, 0, &where) && pc_rule_ok(&f, 100, &where));
    assert_false(pc_rule_ok(&f, 96, &where));
    f = (struct pc_field){ .rule = PC_RULE_FINITE };
    assert_true(pc_rule_ok(&f, 0x3ff0000000000000, &where) && !pc_rule_ok(&f, 0x7ff0000000000000, &where));
    assert_false(pc_rule_ok(&f, 0xfff8000000000000, &where)); /* NaN */
    f = (struct pc_field){ .rule = PC_RULE_MOD8, .arg = 4 };
    assert_true(pc_rule_ok(&f, 12, &where) && !pc_rule_ok(&f, 8, &where));
    f = (struct pc_field){ .rule = PC_RULE_DATA_SRC, .arg = 0xffffff };
    assert_true(pc_rule_ok(&f, 0x32e0 << 5, &where) &&
                !pc_rule_ok(&f, 0x338 << 5, &where)); /* 63 bytes, and 64 */
    assert_true(pc_rule_ok(&f, 0x32e6 << 5, &where) && !pc_rule_ok(&f, 1 << 24, &where));
    f = (struct pc_field){ .rule = PC_RULE_PAGES, .arg = 4096 };
    assert_true(pc_rule_ok(&f, 8192, &where) && !pc_rule_ok(&f, 0, &where) && !pc_rule_ok(&f, 100, &where));

    const struct pc_name markers[] = { { PC_CONTEXT_USER, "USER" }, { 0, NULL } };
    f = (struct pc_field){ .rule = PC_RULE_CHAIN, .names = markers };
    assert_true(pc_rule_ok(&f, (uint64_t)-512, &where));   /* USER */
    assert_true(pc_rule_ok(&f, (uint64_t)-4096, &where));  /* below the markers */
    assert_false(pc_rule_ok(&f, (uint64_t)-4095, &where)); /* the first value that is one */
    assert_false(pc_rule_ok(&f, UINT64_MAX, &where));
    assert_false(pc_rule_ok(&f, PC_CONTEXT_USER_DEFERRED, &where));
    where.index = 1; /* the last but one */
    assert_true(pc_rule_ok(&f, PC_CONTEXT_USER_DEFERRED, &where));
    where.mask = 0; /* not asked for */
    assert_false(pc_rule_ok(&f, PC_CONTEXT_USER_DEFERRED, &where));
}

static void a_row_is_found_where_a_walk_finds_it(void **state)
{
    static const unsigned char zeros[256];
    (void)state;
    for (unsigned bits = 0; bits < 1u << 10; bits++) {
        /* Samples whose fields before the call chain are integers, READ among them or not. */
        struct pc_layout layout = { .mask = bits & 0x1ff };
        layout.mask |= bits >> 9 ? PC_S_CALLCHAIN | PC_LAYOUT_READ_SINGLE : PC_S_IDENTIFIER;
        struct pc_cursor c = pc_cursor((struct pc_span){ zeros, sizeof(zeros) }, PC_LITTLE);
        struct pc_walk walk;
        const unsigned slots[] = { PC_SLOT_IDENTIFIER, PC_SLOT_ID, PC_SLOT_CPU, PC_REC_IP, PC_REC_CHAIN };
        pc_walk_init(&walk, &layout, &c, NULL, NULL);
        assert_true(pc_walk_table(&walk, pc_record_info(PC_SAMPLE)->fields));
        for (size_t i = 0; i < PC_COUNT_OF(slots); i++) {
            size_t at;
            const struct pc_field *row =
                pc_find_row(pc_record_info(PC_SAMPLE)->fields, layout.mask, slots[i], &at);
            assert_int_equal(row != NULL, walk.slot_width[slots[i]] != 0);
            assert_true(!row || (row->save == slots[i] && at == walk.slot_at[slots[i]]));
        }
    }
}

static void fields_after_an_array_have_no_fixed_offset(void **state)
{
    size_t at;
    (void)state;
    const struct pc_field *table = pc_record_info(PC_SAMPLE)->fields;
    assert_null(pc_find_row(table, PC_S_CALLCHAIN | PC_S_RAW, PC_REC_RAW, &at));
    assert_null(
        pc_find_row(table, PC_S_READ | PC_LAYOUT_READ(PC_READ_GROUP) | PC_S_CALLCHAIN, PC_REC_CHAIN, &at));
    assert_null(pc_find_row(pc_sample_id, PC_S_TID | PC_S_CPU, PC_SLOTS, &at));
    assert_int_equal(at, 16);
    assert_int_equal(pc_row_at(pc_file_header, PC_HEAD_FEATURES), PC_FILE_HEADER_OLD);
    static const struct pc_field rows[] = {
        U32(one),
        PC_ROW("six", PC_BYTES, .arg = 6),
        PC_ROW("two", PC_TEXT, .arg = 2),
        U16(saved, .save = PC_SLOT_A),
        END,
    };
    assert_int_equal(pc_row_at(rows, PC_SLOT_A), 4 + 6 + 2);
}

static void the_least_size_counts_what_is_always_there(void **state)
{
    (void)state;
    static const struct pc_field inner_rows[] = { U16(a), HSTR(text), END };
    static const struct pc_field table[] = {
        U32(one, .when = 1),
        PC_ROW("eight", PC_BYTES, .arg = 8),
        PC_ROW("counted", PC_BYTES, .count = PC_SLOT_A),
        PC_ROW("inner", PC_FRAME, .count = PC_SLOT_A, .sub = inner_rows),
        REPEAT(items, PC_SLOT_A, pair),
        U64(chosen, .when = PC_DYNAMIC(0)),
        PC_ROW("string", PC_CSTR),
        U64(later, .flags = PC_OPTIONAL),
        END,
    };
    assert_int_equal(pc_least_size(table, 0), 8 + 2 + 5 + 1);
    assert_int_equal(pc_least_size(table, 1 | PC_DYNAMIC(0)), 4 + 8 + 2 + 5 + 1);
    assert_int_equal(pc_least_size(pc_attr_fields, 0), PC_ATTR_SIZE_MIN);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(attr_flags_mean_the_same_in_both_orders),
    cmocka_unit_test(other_bit_fields_mean_the_same_in_both_orders),
    cmocka_unit_test(rules_about_bits_use_the_byte_order_of_the_file),
    cmocka_unit_test(a_count_is_checked_against_the_bytes_left_before_use),
    cmocka_unit_test(a_row_is_present_by_its_layout_and_by_selection),
    cmocka_unit_test(a_frame_ends_at_its_end_and_the_rest_is_left),
    cmocka_unit_test(a_frame_is_announced_with_all_its_bytes),
    cmocka_unit_test(strings_need_their_nul_inside),
    cmocka_unit_test(each_rule_accepts_and_rejects_values),
    cmocka_unit_test(a_row_is_found_where_a_walk_finds_it),
    cmocka_unit_test(fields_after_an_array_have_no_fixed_offset),
    cmocka_unit_test(the_least_size_counts_what_is_always_there),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

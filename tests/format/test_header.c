/* SPDX-License-Identifier: MIT
 *
 * The header of a file, its magic in both orders, and heads of records.
 */
#include "pc_test.h"
#include "format/header.h"

static void a_magic_is_one_of_three(void **state)
{
    (void)state;
    static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE" };
    assert_memory_equal(pc_magic(PC_LITTLE).ptr, "PERFILE2", 8);
    assert_memory_equal(pc_magic(PC_BIG).ptr, "2ELIFREP", 8);
    for (size_t i = 0; i < PC_COUNT_OF(magics); i++) {
        for (size_t k = 0; k < 8; k++) {
            unsigned char bytes[8];
            memcpy(bytes, magics[i], 8);
            assert_true(pc_is_magic(bytes));
            bytes[k] ^= 1;
            assert_false(pc_is_magic(bytes));
        }
    }
}

/* struct perf_file_header: tools/perf/util/header.h */
static void each_word_of_the_header_is_at_its_place(void **state)
{
    (void)state;
    static const struct {
        unsigned slot;
        size_t at;
        const char *name;
    } rows[] = {
        { PC_HEAD_SIZE, 8, "size" },
        { PC_HEAD_ATTR_SIZE, 16, "attr_size" },
        { PC_HEAD_ATTRS_OFFSET, 24, "attrs.offset" },
        { PC_HEAD_ATTRS_SIZE, 32, "attrs.size" },
        { PC_HEAD_DATA_OFFSET, 40, "data.offset" },
        { PC_HEAD_DATA_SIZE, 48, "data.size" },
        { PC_HEAD_TYPES_OFFSET, 56, "event_types.offset" },
        { PC_HEAD_TYPES_SIZE, 64, "event_types.size" },
        { PC_HEAD_FEATURES, 72, "adds_features" },
    };
    unsigned char head[104] = { 0 };
    for (unsigned order = PC_LITTLE; order <= PC_BIG; order++) {
        for (size_t i = 0; i + 1 < PC_COUNT_OF(rows); i++)
            head[rows[i].at + (order == PC_LITTLE ? 0 : 7)] = (unsigned char)(i + 1);
        for (size_t len = 72; len <= 104; len += 32) { /* without the bitmap, and with it */
            struct pc_walk walk;
            struct pc_span in = { head, len };
            assert_true(pc_read_table(&walk, pc_file_header, pc_cursor(in, (enum pc_order)order)));
            for (size_t i = 0; i + 1 < PC_COUNT_OF(rows); i++)
                assert_int_equal(walk.slot[rows[i].slot], i + 1);
        }
        memset(head, 0, sizeof(head));
    }
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        size_t at;
        const struct pc_field *row = pc_find_row(pc_file_header, 0, rows[i].slot, &at);
        assert_int_equal(at, rows[i].at);
        assert_string_equal(row->name, rows[i].name);
    }
}

/* perf_event_header: type in 4 bytes, misc and size in 2 each. */
static void the_head_of_a_record_is_the_same_after_storing(void **state)
{
    (void)state;
    static const unsigned char little[] = { 9, 0, 0, 0, 2, 0x40, 0x28, 1 },
                               big[] = { 0, 0, 0, 9, 0x40, 2, 1, 0x28 };
    for (unsigned order = PC_LITTLE; order <= PC_BIG; order++) {
        const unsigned char *bytes = order == PC_LITTLE ? little : big;
        unsigned char back[8];
        struct pc_record_head head = pc_load_head(bytes, (enum pc_order)order);
        assert_int_equal(head.type, 9);
        assert_int_equal(head.misc, 0x4002);
        assert_int_equal(head.size, 0x128);
        pc_store_head(back, head, (enum pc_order)order);
        assert_memory_equal(back, bytes, 8);
    }
}

/* The name has 64 bytes, of which one is a NUL. */
static void the_name_of_an_event_type_ends(void **state)
{
    (void)state;
    for (unsigned end = 0; end < 2; end++) {
        unsigned char entry[72] = { 1 };
        struct pc_walk walk;
        memset(entry + 8, 'n', 64);
        entry[71] = end ? 0 : 'n';
        assert_true(pc_read_table(&walk, pc_event_type,
                                  pc_cursor((struct pc_span){ entry, sizeof(entry) }, PC_LITTLE)));
        assert_int_equal(walk.slot[PC_SLOT_F0], 1);
        size_t at;
        const struct pc_field *name = pc_find_row(pc_event_type, 0, PC_SLOT_F0 + 1, &at);
        assert_int_equal(at, 8);
        assert_int_equal(name->arg, 64);
        assert_int_equal(name->rule, PC_RULE_NUL);
    }
}

/* Offset and size. */
struct section {
    uint64_t at, size;
};

static void put_sections(unsigned char *to, const struct section *s, size_t nr, enum pc_order order)
{
    for (size_t i = 0; i < nr; i++) {
        pc_store(to + 16 * i, 8, s[i].at, order);
        pc_store(to + 16 * i + 8, 8, s[i].size, order);
    }
}

static void sections_follow_each_other_in_any_order(void **state)
{
    (void)state;
    static const struct {
        struct section s[5];
        bool follow;
        uint64_t first, end;
    } rows[] = {
        { { { 100, 10 }, { 110, 5 }, { 115, 0 }, { 115, 3 }, { 118, 0 } }, true, 100, 118 },
        { { { 118, 0 }, { 115, 3 }, { 115, 0 }, { 110, 5 }, { 100, 10 } }, true, 100, 118 },
        { { { 100, 10 }, { 115, 3 }, { 110, 5 }, { 100, 0 }, { 118, 1 } }, true, 100, 119 },
        { { { 100, 10 }, { 111, 5 }, { 116, 0 }, { 116, 3 }, { 119, 0 } }, false, 0, 0 }, /* a gap */
        { { { 100, 10 }, { 109, 6 }, { 115, 0 }, { 115, 3 }, { 118, 0 } }, false, 0, 0 }, /* they overlap */
        { { { 100, 10 }, { 110, 5 }, { 112, 0 }, { 115, 3 }, { 118, 0 } }, false, 0, 0 }, /* inside of one */
        { { { 100, 10 }, { 110, UINT64_MAX }, { 115, 0 }, { 115, 3 }, { 109, 0 } }, false, 0, 0 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        for (unsigned order = PC_LITTLE; order <= PC_BIG; order++) {
            unsigned char table[5 * 16];
            uint64_t first, end;
            put_sections(table, rows[i].s, 5, (enum pc_order)order);
            assert_int_equal(pc_sections_follow(table, 5, (enum pc_order)order, &first, &end),
                             rows[i].follow);
            assert_true(!rows[i].follow || (first == rows[i].first && end == rows[i].end));
            assert_false(pc_sections_follow(table, 0, (enum pc_order)order, &first, &end));
            assert_false(pc_sections_follow(table, PC_FEATURE_BITS + 1, (enum pc_order)order, &first, &end));
        }
    }
}

static void entries_of_a_table_are_counted(void **state)
{
    (void)state;
    static const struct section s[] = { { 100, 10 }, { 115, 3 }, { 110, 5 }, { 118, 2 }, { 7, 1 << 20 } };
    unsigned char table[sizeof(s) / sizeof(*s) * 16];
    uint64_t first, end;
    put_sections(table, s, PC_COUNT_OF(s), PC_LITTLE);
    assert_int_equal(pc_count_sections(table, 5, PC_LITTLE, 100, 1000, &first, &end), 4);
    assert_int_equal(first, 100);
    assert_int_equal(end, 120);
    assert_int_equal(pc_count_sections(table, 5, PC_LITTLE, 120, 120, &first, &end), 4);
    assert_int_equal(pc_count_sections(table, 3, PC_LITTLE, 100, 1000, &first, &end), 3);
    assert_int_equal(pc_count_sections(table, 5, PC_LITTLE, 100, 119, &first, &end), 3);
    assert_int_equal(pc_count_sections(table, 2, PC_LITTLE, 100, 1000, &first, &end), 1);
    assert_int_equal(pc_count_sections(table, 5, PC_LITTLE, 121, 1000, &first, &end), 0);
    assert_int_equal(pc_count_sections(table, 0, PC_LITTLE, 0, 1000, &first, &end), 0);
    assert_true(pc_begins_sections(table, 5, PC_LITTLE, 100, 120)); /* the last entry is not looked at */
    assert_false(pc_begins_sections(table, 5, PC_LITTLE, 101, 120));
    assert_false(pc_begins_sections(table, 5, PC_LITTLE, 100, 119));
    assert_true(pc_begins_sections(table, 3, PC_LITTLE, 100, 118));
    pc_store(table + 32 + 8, 8, 6, PC_LITTLE);
    assert_false(pc_begins_sections(table, 3, PC_LITTLE, 100, 118)); /* two overlap */
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(sections_follow_each_other_in_any_order),
    cmocka_unit_test(entries_of_a_table_are_counted),
    cmocka_unit_test(a_magic_is_one_of_three),
    cmocka_unit_test(each_word_of_the_header_is_at_its_place),
    cmocka_unit_test(the_head_of_a_record_is_the_same_after_storing),
    cmocka_unit_test(the_name_of_an_event_type_ends),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

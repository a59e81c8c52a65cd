/* SPDX-License-Identifier: MIT
 *
 * Plans of records that are written here by hand. That plans and walks agree on every table is tested by
 * test_records.
 */
#include "format/plan.h"
#include "pc_test.h"
#include "format/rows.h"
#include "format/tables.h"

static struct pc_mem mem;

static int set_up(void **state)
{
    (void)state;
    pc_mem_init(&mem, 1 << 20);
    return 0;
}

static uint64_t slot[PC_SLOTS];
static size_t slot_at[PC_SLOTS];

static bool run_info(const struct pc_record_info *info, uint64_t mask, enum pc_order order,
                     struct pc_span record)
{
    const struct pc_layout layout = { .mask = mask };
    struct guarded g = guarded_new(256);
    struct pc_plan *plan = pc_plan_new(&mem, info, &layout, order);
    assert_non_null(plan);
    memset(slot, 0xee, sizeof(slot));
    memset(slot_at, 0, sizeof(slot_at));
    bool sound = pc_plan_run(plan, guarded_put(&g, record.ptr, record.len), slot, slot_at);
    pc_plan_free(&mem, plan);
    guarded_free(&g);
    assert_int_equal(mem.used, 0);
    return sound;
}

static bool run(uint32_t type, uint64_t mask, enum pc_order order, struct pc_span record)
{
    return run_info(pc_record_info(type), mask, order, record);
}

/* FORK: pid 100, ppid 99, tid 101, ptid 98, time 0x1122; then tid 100, 101 and time 0x1122 of the trailer. */
static const unsigned char fork_little[48] = {
    [0] = 7,     [6] = 48,    [8] = 100,  [12] = 99,  [16] = 101,  [20] = 98,
    [24] = 0x22, [25] = 0x11, [32] = 100, [36] = 101, [40] = 0x22, [41] = 0x11,
};
static const unsigned char fork_big[32] = {
    [3] = 7, [7] = 32, [11] = 100, [15] = 99, [19] = 101, [23] = 98, [30] = 0x11, [31] = 0x22,
};

static void a_sound_record_saves_its_values(void **state)
{
    (void)state;
    assert_true(run(PC_FORK, 0, PC_BIG, (struct pc_span){ fork_big, 32 }));
    assert_int_equal(slot[PC_REC_PPID], 99);
    assert_int_equal(slot_at[PC_REC_PPID], 12);
    assert_int_equal(slot[PC_REC_TID], 101);
    assert_int_equal(slot_at[PC_REC_TID], 16);
    assert_int_equal(slot[PC_REC_START], 0x1122);
    assert_int_equal(slot[PC_SLOT_TIME], 0xeeeeeeeeeeeeeeee); /* no row of this layout fills it */

    const uint64_t trailer = PC_LAYOUT_SAMPLE_ID | PC_S_TID | PC_S_TIME;
    assert_true(run(PC_FORK, trailer, PC_LITTLE, (struct pc_span){ fork_little, 48 }));
    assert_int_equal(slot[PC_REC_PPID], 99);
    assert_int_equal(slot[PC_SLOT_TIME], 0x1122);
    assert_int_equal(slot_at[PC_SLOT_TIME], 40);
}

static void a_record_of_another_size_is_not_sound(void **state)
{
    (void)state;
    const uint64_t trailer = PC_LAYOUT_SAMPLE_ID | PC_S_TID | PC_S_TIME;
    for (size_t len = 8; len < sizeof(fork_little); len++) {
        bool sound = run(PC_FORK, 0, PC_LITTLE, (struct pc_span){ fork_little, len });
        assert_int_equal(sound, len == 32);
        assert_false(run(PC_FORK, trailer, PC_LITTLE, (struct pc_span){ fork_little, len }));
    }
}

static void a_name_must_end_and_be_short(void **state)
{
    (void)state;
    static const struct {
        const char *name; /* with the zeros that pad it */
        size_t len;
        bool sound;
    } rows[] = {
        { "cat\0\0\0\0", 8, true },
        { "\0\0\0\0\0\0\0", 8, true },
        { "catcatc", 8, true },
        { "catcatca", 8, false },                        /* no NUL */
        { "catcatcatcatcat", 16, true },                 /* 15 letters, as many as a comm has */
        { "catcatcatcatcatc\0\0\0\0\0\0\0", 24, false }, /* 16 */
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        unsigned char record[64] = { [0] = 3, [8] = 100, [12] = 101 };
        record[6] = (unsigned char)(16 + rows[i].len);
        memcpy(record + 16, rows[i].name, rows[i].len);
        bool sound = run(PC_COMM, 0, PC_LITTLE, (struct pc_span){ record, 16 + rows[i].len });
        if (sound != rows[i].sound)
            fail_msg("row %zu", i);
        if (sound)
            assert_int_equal(slot[PC_REC_TID], 101);
    }
}

/* SAMPLE with IP and CALLCHAIN: nr and ips; the count must fit. */
static void an_array_has_as_many_elements_as_its_count(void **state)
{
    (void)state;
    unsigned char record[48] = { [0] = 9, [6] = 48, [8] = 0x10, [16] = 3, [24] = 1, [32] = 2, [40] = 3 };
    const uint64_t mask = PC_S_IP | PC_S_CALLCHAIN;
    assert_true(run(PC_SAMPLE, mask, PC_LITTLE, (struct pc_span){ record, 48 }));
    for (unsigned count = 0; count < 256; count++) {
        record[16] = (unsigned char)count;
        assert_int_equal(run(PC_SAMPLE, mask, PC_LITTLE, (struct pc_span){ record, 48 }), count == 3);
    }
    memset(record + 16, 0xff, 8); /* its bytes are more than 64 bits can count */
    assert_false(run(PC_SAMPLE, mask, PC_LITTLE, (struct pc_span){ record, 48 }));
}

/* Rows around one that a value selects: what follows is where it was, or behind that one. */
static void a_selected_row_moves_what_follows(void **state)
{
    (void)state;
    static const struct pc_case cases[] = { { 1, 1, PC_DYNAMIC(0) }, { 2, 2, PC_DYNAMIC(1) }, { 0, 0, 0 } };
    static const struct pc_field rows[] = {
        U32(before),
        U32(kind, .cases = cases),
        U64(one, .when = PC_DYNAMIC(0), .save = PC_REC_START),
        U16(two, .when = PC_DYNAMIC(1)),
        U16(three, .when = PC_DYNAMIC(1), .save = PC_REC_PPID),
        U32(after, .save = PC_REC_TID),
        U32(last),
        END,
    };
    static const struct pc_record_info info = { .name = "TEST", .fields = rows };
    static const struct {
        unsigned char kind;
        size_t len, after_at;
    } kinds[] = { { 0, 24, 16 }, { 1, 32, 24 }, { 2, 28, 20 }, { 3, 24, 16 } };
    for (size_t i = 0; i < PC_COUNT_OF(kinds); i++) {
        unsigned char record[64] = { [12] = kinds[i].kind, [16] = 5, [18] = 6, [20] = 7, [24] = 8 };
        for (size_t len = 8; len <= 40; len++) {
            bool sound = run_info(&info, 0, PC_LITTLE, (struct pc_span){ record, len });
            assert_int_equal(sound, len == kinds[i].len);
            if (!sound)
                continue;
            const unsigned char *after = record + kinds[i].after_at;
            assert_int_equal(slot[PC_REC_TID], after[0] | after[2] << 16);
            assert_int_equal(slot_at[PC_REC_TID], kinds[i].after_at);
            if (kinds[i].kind == 1)
                assert_int_equal(slot_at[PC_REC_START], 16);
            if (kinds[i].kind == 2)
                assert_int_equal(slot[PC_REC_PPID], 6);
        }
    }
}

/* Bit-fields, zeros, masks and numbers that must not be zero, each next to a row without a rule. */
static void each_row_applies_its_own_rule(void **state)
{
    (void)state;
    static const struct pc_bits members[] = { { "low", 0, 4 }, { "high", 4, 4 }, { NULL, 0, 0 } };
    static const struct pc_field rows[] = {
        U8(any),
        U8(masked, RULE(MASK, 0x0f, RECORD_SIZE)),
        U8(nonzero, RULE(NONZERO, 0, RECORD_SIZE)),
        U8(most, RULE(MAX, 9, RECORD_SIZE)),
        PC_ROW("bits", PC_BITS, .width = 1, .bits = members),
        U8(is, RULE(IS, 3, RECORD_SIZE)),
        U8(zero, RULE(IS, 0, RECORD_SIZE)),
        U8(end),
        END,
    };
    static const struct pc_record_info info = { .name = "TEST", .fields = rows };
    static const unsigned char good[16] = { 0, 0, 0, 0, 0, 0, 0, 0, 255, 15, 1, 9, 255, 3, 0, 255 };
    static const struct {
        unsigned at, from, to; /* a byte, and its values that are sound */
    } ranges[] = { { 8, 0, 255 },  { 9, 0, 15 }, { 10, 1, 255 }, { 11, 0, 9 },
                   { 12, 0, 255 }, { 13, 3, 3 }, { 14, 0, 0 },   { 15, 0, 255 } };
    for (size_t i = 0; i < PC_COUNT_OF(ranges); i++) {
        for (unsigned value = 0; value < 256; value++) {
            unsigned char record[16];
            memcpy(record, good, sizeof(record));
            record[ranges[i].at] = (unsigned char)value;
            assert_int_equal(run_info(&info, 0, PC_LITTLE, (struct pc_span){ record, 16 }),
                             value >= ranges[i].from && value <= ranges[i].to);
        }
    }
}

/* Declared first is lowest in little-endian, and highest in big-endian. */
static void a_mask_of_bits_is_that_of_its_byte_order(void **state)
{
    (void)state;
    static const struct pc_bits members[] = { { "low", 0, 3 }, { "high", 3, 5 }, { NULL, 0, 0 } };
    static const struct pc_field rows[] = {
        PC_ROW("bits", PC_BITS, .width = 1, .bits = members, RULE(MASK, 7, RECORD_SIZE)),
        U8(any),
        U16(more),
        U32(end),
        END,
    };
    static const struct pc_record_info info = { .name = "TEST", .fields = rows };
    for (unsigned value = 0; value < 256; value++) {
        unsigned char record[16] = { [8] = (unsigned char)value };
        struct pc_span bytes = { record, sizeof(record) };
        assert_int_equal(run_info(&info, 0, PC_LITTLE, bytes), (value & 0xf8) == 0);
        assert_int_equal(run_info(&info, 0, PC_BIG, bytes), (value & 0x1f) == 0);
    }
}

/* Of one word: at most 20, three zeros, at most 300, and any. */
static void rules_of_a_word_are_about_their_own_bytes(void **state)
{
    (void)state;
    static const struct pc_field rows[] = {
        U8(most, RULE(MAX, 20, RECORD_SIZE)),
        PC_ROW("zeros", PC_BYTES, .arg = 3, .rule = PC_RULE_ZEROS, .rule_diag = PC_D_RECORD_SIZE),
        U16(more, RULE(MAX, 300, RECORD_SIZE)),
        U16(any),
        END,
    };
    static const struct pc_record_info info = { .name = "TEST", .fields = rows };
    static const unsigned most[2][8] = { { 20, 0, 0, 0, 255, 1, 255, 255 },
                                         { 20, 0, 0, 0, 1, 255, 255, 255 } };
    for (unsigned i = 0; i < 16; i++) {
        for (unsigned value = 0; value < 256; value++) {
            unsigned char record[16] = { 0 };
            const enum pc_order order = i < 8 ? PC_LITTLE : PC_BIG;
            record[8 + i % 8] = (unsigned char)value;
            assert_int_equal(run_info(&info, 0, order, (struct pc_span){ record, 16 }),
                             value <= most[order == PC_BIG][i % 8]);
        }
    }
    unsigned char more[16] = { [12] = 0x2c, [13] = 1 };
    assert_true(run_info(&info, 0, PC_LITTLE, (struct pc_span){ more, 16 }));
    more[12]++;
    assert_false(run_info(&info, 0, PC_LITTLE, (struct pc_span){ more, 16 }));
}

/* NAMESPACES: pid, tid, and seven of two words. */
static void an_array_of_structures_is_followed_by_nothing(void **state)
{
    (void)state;
    unsigned char record[144] = { [0] = 16, [6] = 136, [8] = 100, [12] = 101, [16] = 7 };
    for (size_t len = 8; len <= sizeof(record); len += 8)
        assert_int_equal(run(PC_NAMESPACES, 0, PC_LITTLE, (struct pc_span){ record, len }), len == 136);
}

static void without_memory_there_is_no_plan(void **state)
{
    (void)state;
    struct pc_mem none;
    const struct pc_layout layout = { .mask = 0 };
    pc_mem_init(&none, 1);
    assert_null(pc_plan_new(&none, pc_record_info(PC_FORK), &layout, PC_LITTLE));
    assert_int_equal(none.used, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_sound_record_saves_its_values),
    cmocka_unit_test(a_record_of_another_size_is_not_sound),
    cmocka_unit_test(a_name_must_end_and_be_short),
    cmocka_unit_test(an_array_has_as_many_elements_as_its_count),
    cmocka_unit_test(a_selected_row_moves_what_follows),
    cmocka_unit_test(each_row_applies_its_own_rule),
    cmocka_unit_test(rules_of_a_word_are_about_their_own_bytes),
    cmocka_unit_test(a_mask_of_bits_is_that_of_its_byte_order),
    cmocka_unit_test(an_array_of_structures_is_followed_by_nothing),
    cmocka_unit_test(without_memory_there_is_no_plan),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, NULL };

/* SPDX-License-Identifier: MIT
 *
 * Plans of records that are written here by hand. That plans and walks agree on every table is tested by
 * test_records.
 */
#include "format/plan.h"
#include "pc_test.h"
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

static bool run(uint32_t type, uint64_t mask, enum pc_order order, struct pc_span record)
{
    const struct pc_layout layout = { .mask = mask };
    struct guarded g = guarded_new(256);
    struct pc_plan *plan = pc_plan_new(&mem, pc_record_info(type), &layout, order);
    assert_non_null(plan);
    memset(slot, 0xee, sizeof(slot));
    memset(slot_at, 0, sizeof(slot_at));
    bool sound = pc_plan_run(plan, guarded_put(&g, record.ptr, record.len), slot, slot_at);
    pc_plan_free(&mem, plan);
    guarded_free(&g);
    assert_int_equal(mem.used, 0);
    return sound;
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
    cmocka_unit_test(without_memory_there_is_no_plan),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, NULL };

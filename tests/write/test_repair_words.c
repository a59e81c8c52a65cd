/* SPDX-License-Identifier: MIT
 *
 * Bytes that were lost or inserted in the header of a file, and what it said follows from EVENT_DESC.
 */
#include "repair_bench.h"

enum { PLAIN = 7, EVENT = 64 + 4 + 68 + 8, END = 72 };

/* A file with features of 8 bytes and EVENT_DESC behind them: one event, its attr, one id, its name, the id.
 */
static void begin_with_events(void)
{
    const uint64_t begin = TABLE + (PLAIN + 1) * PC_SECTION_SIZE;
    begin_sound();
    in.len = TABLE;
    put_at(FILE_IDS, 77, 8);
    put_at(AT_FEATURES, 0x3f8 | (uint64_t)1 << PC_EVENT_DESC, 8);
    for (uint64_t i = 0; i <= PLAIN; i++) {
        put(begin + 8 * i, 8);
        put(i < PLAIN ? 8 : 8 + EVENT, 8);
    }
    for (uint64_t i = 0; i < PLAIN; i++)
        put(1, 8);
    put(1, 4);
    put(64, 4);
    memcpy(in.p + in.len, in.p + FILE_ATTRS, 64);
    in.len += 64;
    put(1, 4);
    put_string("cycles");
    put(77, 8);
    memcpy(sound, in.p, in.len);
}

static void expect_sound(size_t size, const char *what, size_t at, size_t n)
{
    unsigned char now[sizeof(sound)];
    if (read_repaired(now) != size || memcmp(now, sound, END) != 0 ||
        memcmp(now + FILE_DATA, sound + FILE_DATA, size - FILE_DATA) != 0)
        fail_msg("%zu bytes %s at %zu", n, what, at);
}

static void what_was_lost_follows(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 3, 8, 16, 33, END };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(sizes) * END; i++) {
            const size_t at = i % END, n = sizes[i / END];
            if (at + n > END)
                continue;
            begin_with_events();
            const size_t size = in.len;
            take_out(at, n);
            expect_sound(size, "lost", at, n);
        }
    }
}

/* Before all else they are in front of a capture, which check names. */
static void what_was_inserted_is_left_out(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 3, 8, 16, 33, 200 };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(sizes) * END; i++) {
            const size_t at = 1 + i % END, n = sizes[i / END];
            begin_with_events();
            const size_t size = in.len;
            put_in(at, 0xa5, n);
            expect_sound(size, "inserted", at, n);
        }
        begin_with_events();
        put_in(0, 0xa5, 8);
        repair(NULL);
        assert_false(pc_input_is_shifted(&repaired.in));
    }
}

/* EVENT_DESC is damaged, or no records lead to the table, or other bytes are damaged, too. */
static void nothing_follows_without_proof(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with_events();
        const size_t size = in.len;
        in.p[size - 8 - 68 - 4]++; /* the number of ids */
        take_out(0, 12);
        repair(NULL);
        assert_false(pc_input_is_shifted(&repaired.in));
        begin_with_events();
        memset(in.p + FILE_DATA, 0xa5, TABLE - FILE_DATA);
        take_out(0, 12);
        repair(NULL);
        assert_false(pc_input_is_shifted(&repaired.in));
        begin_with_events();
        in.p[FILE_ATTRS + 40] ^= 1;
        take_out(0, 12);
        repair(NULL);
        assert_false(pc_input_is_shifted(&repaired.in));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_was_lost_follows),
    cmocka_unit_test(what_was_inserted_is_left_out),
    cmocka_unit_test(nothing_follows_without_proof),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

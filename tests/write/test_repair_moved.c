/* SPDX-License-Identifier: MIT
 *
 * Bytes that were lost or inserted among the records of attrs at the beginning of a pipe.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "write/repair_moved.h"

enum { ATTR = 64, RECORD = 8 + ATTR + 8, EVENT = ATTR + 4 + 68 + 8 };

static void put_head(uint64_t type, uint64_t size)
{
    put(type, 4);
    put(size << (in.order == PC_LITTLE ? 16 : 0), 4);
}

static void put_config(uint64_t config)
{
    put(0, 4);
    put(ATTR, 4);
    put(config, 8);
    put_text("", ATTR - 16);
}

/* Two attrs with an id each, a record, and EVENT_DESC. */
static void put_pipe(void)
{
    in.len = 0;
    put_text("", PC_PIPE_HEADER_SIZE); /* nobody looks at it */
    for (uint64_t i = 1; i <= 2; i++) {
        put_head(PC_HEADER_ATTR, RECORD);
        put_config(i * 0x0101010101010101);
        put(70 + i, 8);
    }
    put_head(PC_FINISHED_ROUND, 8);
    put_head(PC_HEADER_FEATURE, PC_FEATURE_HEAD + 8 + 2 * EVENT);
    put(PC_EVENT_DESC, 8);
    put(2, 4);
    put(ATTR, 4);
    for (uint64_t i = 1; i <= 2; i++) {
        put_config(i * 0x0101010101010101);
        put(1, 4);
        put_string("cycles");
        put(70 + i, 8);
    }
}

static struct pc_salvage salvage;

/* Whether the attrs were moved, and then are read as they were. */
static bool is_shifted(const unsigned char *sound)
{
    unsigned char now[2 * RECORD];
    salvage = (struct pc_salvage){ .no_memory = false };
    struct pc_desc desc = { .s = &salvage, .order = in.order };
    pc_mem_init(&salvage.mem, 1 << 20);
    pc_input_memory(&salvage.in, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
    desc.in = salvage.in;
    assert_true(pc_desc_find_record(&desc, PC_PIPE_HEADER_SIZE));
    const bool shifted = pc_desc_shift_records(&desc, 2 * RECORD);
    if (shifted) {
        assert_int_equal(desc.in.size, salvage.in.size);
        assert_int_equal(pc_input_read_at(&desc.in, PC_PIPE_HEADER_SIZE, now, sizeof(now)), sizeof(now));
        const size_t at = (size_t)desc.in.shift_at - PC_PIPE_HEADER_SIZE;
        memcpy(now + at, sound + at, (size_t)desc.in.filled); /* which EVENT_DESC has */
        assert_memory_equal(now, sound, sizeof(now));
    } else {
        assert_false(pc_input_is_shifted(&salvage.in) || pc_input_is_shifted(&desc.in));
    }
    pc_desc_forget(&desc);
    pc_free(&salvage.mem, desc.event, desc.cap * sizeof(*desc.event));
    assert_int_equal(salvage.mem.used, 0);
    return shifted;
}

static void what_was_inserted_is_not_read(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 7, 8, 37, 100 };
    unsigned char sound[2 * RECORD];
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(sizes) * 2 * RECORD; i++) {
            const size_t at = PC_PIPE_HEADER_SIZE + i % (2 * RECORD), n = sizes[i / (2 * RECORD)];
            put_pipe();
            memcpy(sound, in.p + PC_PIPE_HEADER_SIZE, sizeof(sound));
            make_room(at, n);
            memset(in.p + at, 0xa5, n);
            assert_true(is_shifted(sound));
            assert_true(salvage.in.left_out == n && salvage.in.filled == 0);
        }
    }
}

static void what_was_lost_is_read_as_zeros(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 7, 8, 37, 100 };
    unsigned char sound[2 * RECORD];
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(sizes) * RECORD; i++) {
            const size_t at = PC_PIPE_HEADER_SIZE + 1 + i % RECORD, n = sizes[i / RECORD];
            if (at + n > PC_PIPE_HEADER_SIZE + 2 * RECORD)
                continue;
            put_pipe();
            memcpy(sound, in.p + PC_PIPE_HEADER_SIZE, sizeof(sound));
            take_out(at, n);
            assert_true(is_shifted(sound));
            assert_true(salvage.in.filled == n && salvage.in.left_out == 0);
        }
    }
}

/* Nothing moved, or not at one place alone, or what is more is a record. */
static void else_all_stays(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        put_pipe();
        assert_false(is_shifted(NULL));
        in.p[PC_PIPE_HEADER_SIZE + 20] ^= 1;
        assert_false(is_shifted(NULL));
        make_room(PC_PIPE_HEADER_SIZE + 50, 7);
        assert_false(is_shifted(NULL));
        put_pipe();
        make_room(PC_PIPE_HEADER_SIZE + 2 * RECORD, 7); /* behind the attrs */
        assert_false(is_shifted(NULL));
        put_pipe();
        make_room(PC_PIPE_HEADER_SIZE, 8);
        put_at(PC_PIPE_HEADER_SIZE, PC_FINISHED_ROUND, 4);
        put_at(PC_PIPE_HEADER_SIZE + 4, in.order == PC_LITTLE ? 8 << 16 : 8, 4);
        assert_false(is_shifted(NULL));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_was_inserted_is_not_read),
    cmocka_unit_test(what_was_lost_is_read_as_zeros),
    cmocka_unit_test(else_all_stays),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

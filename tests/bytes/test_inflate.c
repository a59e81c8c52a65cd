/* SPDX-License-Identifier: MIT */
#include "bytes/inflate.h"
#include "pc_test.h"

#include <string.h>

/* A frame by hand (RFC 8878): magic, header (window 1 KiB, no checksum), a stored block of 5 bytes, then one
 * that repeats a byte 1,000 times. Block header: size * 8 + type * 2 + last, in three bytes. */
static const unsigned char frame[] = {
    0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x00, 5 * 8, 0, 0, 'h', 'e', 'l', 'l', 'o', 0x42, 0x1f, 0, 'x'
}; /* 1000 * 8 + 2 = 0x1f42 */
#define FRAME_OUT 1005

static const uint64_t plenty = (uint64_t)200 << 20;

static void check_output(const unsigned char *out, size_t len)
{
    assert_int_equal(len, FRAME_OUT);
    assert_memory_equal(out, "hello", 5);
    for (size_t i = 5; i < len; i++)
        assert_int_equal(out[i], 'x');
}

static void a_frame_is_decompressed_from_pieces_of_any_size(void **state)
{
    (void)state;
    static const size_t pieces[] = { 1, 2, 7, sizeof(frame) }, rooms[] = { 1, 3, 256, 4096 };
    for (size_t p = 0; p < PC_COUNT_OF(pieces); p++) {
        for (size_t q = 0; q < PC_COUNT_OF(rooms); q++) {
            struct pc_mem mem;
            struct pc_inflate inflate;
            unsigned char out[4096];
            size_t len = 0;
            pc_mem_init(&mem, plenty);
            pc_inflate_init(&inflate, &mem);
            for (size_t at = 0; at < sizeof(frame); at += pieces[p]) {
                size_t n = sizeof(frame) - at < pieces[p] ? sizeof(frame) - at : pieces[p], got;
                struct pc_span in = { frame + at, n };
                do {
                    assert_int_equal(pc_inflate(&inflate, &in, out + len, rooms[q], &got), PC_INFLATE_GOOD);
                    len += got;
                    assert_true(len <= FRAME_OUT);
                } while (got == rooms[q]);
                assert_int_equal(in.len, 0);
            }
            check_output(out, len);
            assert_int_equal(inflate.frames, 1);
            pc_inflate_clear(&inflate);
            assert_int_equal(mem.used, 0);
        }
    }
}

static void a_second_frame_is_for_the_next_call(void **state)
{
    (void)state;
    struct pc_mem mem;
    struct pc_inflate inflate;
    unsigned char both[2 * sizeof(frame)], out[4096];
    size_t got;
    memcpy(both, frame, sizeof(frame));
    memcpy(both + sizeof(frame), frame, sizeof(frame));
    both[14] |= 1; /* the last block of the first frame */
    struct pc_span in = { both, sizeof(both) };
    pc_mem_init(&mem, plenty);
    pc_inflate_init(&inflate, &mem);
    assert_int_equal(pc_inflate(&inflate, &in, out, sizeof(out), &got), PC_INFLATE_GOOD);
    assert_int_equal(got, FRAME_OUT);
    assert_int_equal(in.len, sizeof(frame));
    assert_int_equal(inflate.frames, 1);
    assert_int_equal(pc_inflate(&inflate, &in, out, sizeof(out), &got), PC_INFLATE_GOOD);
    assert_int_equal(got, FRAME_OUT);
    assert_int_equal(in.len, 0);
    assert_int_equal(inflate.frames, 2);
    pc_inflate_clear(&inflate);
}

static void damage_is_reported_and_reset(void **state)
{
    (void)state;
    struct pc_mem mem;
    struct pc_inflate inflate;
    unsigned char out[4096];
    size_t got;
    struct pc_span tail = { frame + 4, sizeof(frame) - 4 }, whole = { frame, sizeof(frame) };
    pc_mem_init(&mem, plenty);
    pc_inflate_init(&inflate, &mem);
    assert_int_equal(pc_inflate(&inflate, &tail, out, sizeof(out), &got), PC_INFLATE_BAD);
    assert_non_null(inflate.error);
    pc_inflate_restart(&inflate);
    assert_int_equal(pc_inflate(&inflate, &whole, out, sizeof(out), &got), PC_INFLATE_GOOD);
    check_output(out, got);
    pc_inflate_clear(&inflate);
}

static void windows_are_limited(void **state)
{
    (void)state;
    struct pc_mem mem;
    struct pc_inflate inflate;
    unsigned char out[16], large[sizeof(frame)];
    size_t got;
    memcpy(large, frame, sizeof(frame));
    /* Window descriptor: exponent in the upper five bits, 1 KiB << exponent. 17: 128 MiB, 18: 256 MiB. */
    large[5] = 18 << 3;
    struct pc_span in = { large, sizeof(large) };
    pc_mem_init(&mem, plenty);
    pc_inflate_init(&inflate, &mem);
    assert_int_equal(pc_inflate(&inflate, &in, out, sizeof(out), &got), PC_INFLATE_WINDOW);
    pc_inflate_clear(&inflate);
    large[5] = 17 << 3;
    in = (struct pc_span){ large, sizeof(large) };
    pc_mem_init(&mem, PC_INFLATE_MEMORY);
    pc_inflate_init(&inflate, &mem);
    assert_int_equal(pc_inflate(&inflate, &in, out, sizeof(out), &got), PC_INFLATE_GOOD);
    assert_true(mem.peak >= (uint64_t)1 << 27);
    pc_inflate_clear(&inflate);
    assert_int_equal(mem.used, 0);
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    for (uint64_t k = 1;; k++) {
        struct pc_mem mem;
        struct pc_inflate inflate;
        unsigned char out[4096];
        size_t got;
        struct pc_span in = { frame, sizeof(frame) };
        pc_mem_init(&mem, plenty);
        mem.fail_at = k;
        pc_inflate_init(&inflate, &mem);
        enum pc_inflate_outcome outcome = pc_inflate(&inflate, &in, out, sizeof(out), &got);
        uint64_t calls = mem.calls;
        pc_inflate_clear(&inflate);
        assert_int_equal(mem.used, 0);
        if (calls < k) {
            assert_int_equal(outcome, PC_INFLATE_GOOD);
            assert_true(k > 1);
            return;
        }
        assert_int_equal(outcome, PC_INFLATE_NO_MEMORY);
    }
}

/* RFC 8878, 3.1.2: the magic numbers are 0x184d2a50 to 0x184d2a5f, then comes a length. */
static void frames_to_be_skipped_have_sixteen_magic_numbers(void **state)
{
    (void)state;
    for (unsigned first = 0; first < 256; first++) {
        const unsigned char skipped[] = { (unsigned char)first, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 'x' };
        struct pc_span in = { skipped, sizeof(skipped) };
        struct pc_inflate inflate;
        struct pc_mem mem;
        unsigned char out[8];
        size_t got;
        pc_mem_init(&mem, plenty);
        pc_inflate_init(&inflate, &mem);
        enum pc_inflate_outcome outcome = pc_inflate(&inflate, &in, out, sizeof(out), &got);
        assert_int_equal(outcome == PC_INFLATE_GOOD, first >= 0x50 && first <= 0x5f);
        if (outcome == PC_INFLATE_GOOD)
            assert_true(got == 0 && in.len == 0);
        pc_inflate_clear(&inflate);
    }
}

static void a_frame_is_recognised(void **state)
{
    (void)state;
    assert_true(pc_inflate_is_frame((struct pc_span){ frame, sizeof(frame) }));
    assert_false(pc_inflate_is_frame((struct pc_span){ frame, 3 }));
    assert_false(pc_inflate_is_frame((struct pc_span){ frame + 1, 8 }));
}

/* Of the frame above: header, 3 + 5 bytes, 3 + 1 bytes. */
static void a_block_ends_where_the_next_one_begins(void **state)
{
    (void)state;
    size_t pos = 0;
    for (size_t at = 0; at <= sizeof(frame); at++) {
        size_t anew = 0;
        bool ends = at == 6 || at == 14 || at == 18;
        assert_int_equal(pc_inflate_ends_block((struct pc_span){ frame, sizeof(frame) }, at, &anew), ends);
        assert_int_equal(pc_inflate_ends_block((struct pc_span){ frame, sizeof(frame) }, at, &pos), ends);
    }
    pos = 0;
    for (size_t at = 0; at <= sizeof(frame) - 6; at++) /* without the header of the frame */
        assert_int_equal(pc_inflate_ends_block((struct pc_span){ frame + 6, sizeof(frame) - 6 }, at, &pos),
                         at == 0 || at == 8 || at == 12);
    pos = 0;
    assert_false(pc_inflate_ends_block((struct pc_span){ frame + 6, 5 }, 5, &pos)); /* it is longer */
}

static void blocks_are_passed_by_their_headers_alone(void **state)
{
    (void)state;
    size_t at = 0;
    struct pc_span bytes = { frame, 8 };
    assert_true(pc_inflate_pass(bytes, &at));
    assert_int_equal(at, 6);
    assert_false(pc_inflate_pass(bytes, &at)); /* a byte of the header is missing */
    assert_int_equal(at, 6);
    bytes.len = 9;
    assert_true(pc_inflate_pass(bytes, &at));
    assert_int_equal(at, 14); /* none of the content is there */
    bytes.len = 17;
    assert_true(pc_inflate_pass(bytes, &at));
    assert_int_equal(at, 18);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_frame_is_decompressed_from_pieces_of_any_size),
    cmocka_unit_test(a_second_frame_is_for_the_next_call),
    cmocka_unit_test(damage_is_reported_and_reset),
    cmocka_unit_test(windows_are_limited),
    cmocka_unit_test(every_failed_allocation_is_reported),
    cmocka_unit_test(frames_to_be_skipped_have_sixteen_magic_numbers),
    cmocka_unit_test(a_frame_is_recognised),
    cmocka_unit_test(a_block_ends_where_the_next_one_begins),
    cmocka_unit_test(blocks_are_passed_by_their_headers_alone),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

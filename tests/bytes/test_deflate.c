/* SPDX-License-Identifier: MIT
 *
 * What comes out is opened again by pc_inflate, whose own tests have frames by hand. */
#include "bytes/deflate.h"
#include "bytes/inflate.h"
#include "pc_test.h"

#include <string.h>

static const uint64_t plenty = (uint64_t)200 << 20;

enum { CONTENT = 300000, OUTPUT = 400000, RECORD = 65512 };

/* Bytes that repeat themselves; of six random bits, which shrink by a quarter; random, which do not. */
enum kind { REPEATS, SIX_BITS, RANDOM, KINDS };

static unsigned char *content(enum kind kind)
{
    unsigned char *bytes = malloc(CONTENT);
    uint32_t x = 2463534242; /* xorshift */
    assert_non_null(bytes);
    for (size_t i = 0; i < CONTENT; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        bytes[i] = (unsigned char)(kind == REPEATS ? i / 7 : kind == RANDOM ? x >> 11 : x >> 11 & 0x3f);
    }
    return bytes;
}

/* Flushes portions into pieces of at most `room` bytes, each of which is opened at once. Returns the length
 * of what came out. */
static size_t round_trip(int level, const unsigned char *bytes, size_t portion, size_t room,
                         unsigned char *out)
{
    struct pc_mem mem;
    struct pc_deflate deflate;
    struct pc_inflate inflate;
    unsigned char *back = malloc(CONTENT + 1);
    size_t len = 0, back_len = 0, got, opened;
    assert_non_null(back);
    pc_mem_init(&mem, plenty);
    pc_deflate_init(&deflate, &mem, level);
    pc_inflate_init(&inflate, &mem);
    for (size_t at = 0; at < CONTENT; at += portion) {
        struct pc_span in = { bytes + at, CONTENT - at < portion ? CONTENT - at : portion };
        size_t end = at + in.len;
        do {
            assert_true(len + room <= OUTPUT);
            assert_true(pc_deflate(&deflate, &in, out + len, room, &got));
            struct pc_span piece = { out + len, got };
            assert_int_equal(pc_inflate(&inflate, &piece, back + back_len, CONTENT + 1 - back_len, &opened),
                             PC_INFLATE_GOOD);
            if (room == RECORD && got != 0)
                assert_true(opened != 0); /* perf takes a record without content for damage */
            len += got;
            back_len += opened;
        } while (got == room);
        assert_int_equal(in.len, 0);
        assert_int_equal(back_len, end); /* a portion is there as a whole when it is flushed */
    }
    assert_memory_equal(back, bytes, CONTENT);
    assert_int_equal(inflate.frames, 1);
    assert_false(inflate.between); /* the frame is never ended */
    pc_deflate_clear(&deflate);
    pc_inflate_clear(&inflate);
    assert_int_equal(mem.used, 0);
    free(back);
    return len;
}

static void portions_decompress_with_any_buffer_size(void **state)
{
    (void)state;
    static const size_t portions[] = { 1000, PC_DEFLATE_BLOCK, PC_DEFLATE_BLOCK + 1, 262144, CONTENT };
    static const size_t rooms[] = { 1, 100, RECORD };
    unsigned char *out = malloc(OUTPUT);
    assert_non_null(out);
    for (enum kind kind = REPEATS; kind < KINDS; kind++) {
        unsigned char *bytes = content(kind);
        for (size_t p = 0; p < PC_COUNT_OF(portions); p++) {
            size_t len = 0;
            for (size_t q = 0; q < PC_COUNT_OF(rooms); q++) {
                size_t own = round_trip(1, bytes, portions[p], rooms[q], out);
                assert_true(q == 0 || own == len);
                len = own;
            }
            if (kind == REPEATS)
                assert_true(len < CONTENT / 4);
            else if (kind == SIX_BITS)
                assert_true(len > CONTENT / 2 && len < CONTENT);
            else
                assert_true(len >= CONTENT);
        }
        free(bytes);
    }
    free(out);
}

/* What came 1.5 MiB before is in the window of 2 MiB. */
static void a_distant_repeat_is_found(void **state)
{
    (void)state;
    enum { DISTANCE = 3 << 19, PORTION = 60000 };
    unsigned char *bytes = malloc(2 * DISTANCE), *out = malloc(OUTPUT);
    struct pc_mem mem;
    struct pc_deflate deflate;
    size_t got, first = 0, second = 0;
    uint32_t x = 2463534242;
    assert_true(bytes && out);
    for (size_t i = 0; i < DISTANCE; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        bytes[i] = bytes[i + DISTANCE] = (unsigned char)(x >> 11);
    }
    pc_mem_init(&mem, plenty);
    pc_deflate_init(&deflate, &mem, 3);
    for (size_t at = 0; at < (size_t)2 * DISTANCE; at += PORTION) {
        size_t left = (size_t)2 * DISTANCE - at;
        struct pc_span in = { bytes + at, left < PORTION ? left : PORTION };
        assert_true(pc_deflate(&deflate, &in, out, OUTPUT, &got));
        assert_int_equal(in.len, 0);
        *(at < DISTANCE ? &first : &second) += got;
    }
    assert_true(first > DISTANCE && second < DISTANCE / 4);
    pc_deflate_clear(&deflate);
    free(bytes);
    free(out);
}

static void equal_input_compresses_to_equal_bytes(void **state)
{
    (void)state;
    unsigned char *bytes = content(SIX_BITS), *one = malloc(OUTPUT), *other = malloc(OUTPUT);
    assert_true(one && other);
    size_t len = round_trip(3, bytes, 262144, RECORD, one);
    assert_int_equal(len, round_trip(3, bytes, 262144, RECORD, other));
    assert_memory_equal(one, other, len);
    free(bytes);
    free(one);
    free(other);
}

static void every_level_is_within_20_mib(void **state)
{
    (void)state;
    unsigned char *bytes = content(REPEATS), *out = malloc(OUTPUT);
    assert_non_null(out);
    for (int level = 1; level <= PC_DEFLATE_LEVELS; level++) {
        struct pc_mem mem;
        struct pc_deflate deflate;
        struct pc_span in = { bytes, 100000 };
        size_t got;
        pc_mem_init(&mem, (uint64_t)20 << 20);
        pc_deflate_init(&deflate, &mem, level);
        assert_true(pc_deflate(&deflate, &in, out, OUTPUT, &got));
        /* RFC 8878, 3.1.1: no checksum, no content size, no dictionary; a window of 2^(10 + exponent) bytes,
         * perf's own at level 1. */
        static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd, 0 };
        assert_memory_equal(out, magic, sizeof(magic));
        assert_true(out[5] <= (21 - 10) << 3);
        if (level == 1)
            assert_int_equal(out[5], (19 - 10) << 3);
        if (level == PC_DEFLATE_LEVELS)
            assert_int_equal(out[5], (21 - 10) << 3);
        pc_deflate_clear(&deflate);
        assert_int_equal(mem.used, 0);
    }
    free(bytes);
    free(out);
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    unsigned char *bytes = content(REPEATS), *out = malloc(OUTPUT);
    assert_non_null(out);
    for (uint64_t k = 1;; k++) {
        struct pc_mem mem;
        struct pc_deflate deflate;
        struct pc_span in = { bytes, CONTENT };
        size_t got;
        pc_mem_init(&mem, plenty);
        mem.fail_at = k;
        pc_deflate_init(&deflate, &mem, 1);
        bool good = pc_deflate(&deflate, &in, out, OUTPUT, &got);
        uint64_t calls = mem.calls;
        pc_deflate_clear(&deflate);
        assert_int_equal(mem.used, 0);
        assert_int_equal(good, calls < k);
        if (good) {
            assert_true(k > 2); /* the context and its tables */
            break;
        }
    }
    free(bytes);
    free(out);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(portions_decompress_with_any_buffer_size),
    cmocka_unit_test(a_distant_repeat_is_found),
    cmocka_unit_test(equal_input_compresses_to_equal_bytes),
    cmocka_unit_test(every_level_is_within_20_mib),
    cmocka_unit_test(every_failed_allocation_is_reported),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

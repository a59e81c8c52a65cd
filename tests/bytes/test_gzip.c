/* SPDX-License-Identifier: MIT
 *
 * The streams are made by hand from RFC 1951 and RFC 1952, or by gzip, as the comment says.
 */
#include "bytes/gzip.h"
#include "pc_test.h"

#include <string.h>

/* Magic, deflate, no flags, no time, of no system. */
#define HEADER 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3

static void gives(const unsigned char *bytes, size_t len, const char *expected)
{
    unsigned char out[64];
    size_t n = pc_gunzip_start((struct pc_span){ bytes, len }, out, sizeof(out));
    assert_int_equal(n, strlen(expected));
    assert_memory_equal(out, expected, n);
}

/* A last block of kind 0: its length, and the same with all bits inverted. */
static const unsigned char stored[] = { HEADER, 1, 5, 0, 0xfa, 0xff, 'h', 'e', 'l', 'l', 'o' };

static void stored_bytes_are_copied(void **state)
{
    (void)state;
    gives(stored, sizeof(stored), "hello");
    gives(stored, sizeof(stored) - 2, "hel");
    unsigned char wrong[sizeof(stored)];
    memcpy(wrong, stored, sizeof(wrong));
    wrong[13] ^= 1; /* the inverted length */
    gives(wrong, sizeof(wrong), "");
    wrong[10] = 7; /* a kind that there is not */
    gives(wrong, sizeof(wrong), "");
}

/* "aaaaaaa" with the fixed codes: 1, 01 (lowest first); a is 0x91 in 8 bits, highest first; a length of 6 is
 * code 260, 0000100 in 7 bits; a distance of 1 is 00000; the end 0000000. Bits in their order: 1 10 10010001
 * 0000100 00000 0000000 */
static void fixed_codes_repeat_bytes(void **state)
{
    (void)state;
    static const unsigned char bytes[] = { HEADER, 0x4b, 0x84, 0x00, 0x00 };
    gives(bytes, sizeof(bytes), "aaaaaaa");
    /* A distance of 2 reaches before the first byte: 00001 in place of 00000. */
    static const unsigned char far[] = { HEADER, 0x4b, 0x84, 0x40, 0x00 };
    gives(far, sizeof(far), "a");
}

/* seq -s, 1 150 | gzip -9n */
static void codes_of_their_own_are_read(void **state)
{
    (void)state;
    static const unsigned char bytes[] = {
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x1d, 0xd1, 0xbb, 0x95, 0x44, 0x21, 0x0c,
        0x04, 0x51, 0x7f, 0x63, 0x29, 0x43, 0xad, 0x1f, 0x90, 0x7f, 0x62, 0xdb, 0x6f, 0xfc, 0x3a, 0x20, 0x5d,
        0x89, 0xa4, 0x68, 0x86, 0xe5, 0x70, 0x79, 0x28, 0x90, 0x50, 0xa2, 0x42, 0x8d, 0x06, 0x2d, 0x3a, 0xe8,
        0xa2, 0x47, 0x06, 0x29, 0x32, 0xc9, 0x22, 0x9b, 0x1c, 0x72, 0xc9, 0x43, 0x5e, 0xf2, 0x51, 0x41, 0x89,
        0xf2, 0x93, 0x45, 0x35, 0x35, 0xd4, 0x52, 0x87, 0xba, 0xd4, 0xa3, 0x83, 0x16, 0x9d, 0xb4, 0x7f, 0x6c,
        0x7a, 0xe8, 0xa5, 0x0f, 0x7d, 0xe9, 0xc7, 0x04, 0x23, 0x26, 0x99, 0x62, 0x3c, 0xd0, 0x30, 0xcb, 0x1c,
        0xe6, 0x32, 0x8f, 0x0d, 0x56, 0x6c, 0xb2, 0xc5, 0x36, 0xeb, 0x79, 0x97, 0x3d, 0xec, 0x65, 0x1f, 0x27,
        0x38, 0xe2, 0x24, 0xa7, 0x38, 0xcd, 0x19, 0x8e, 0xd7, 0x39, 0x9c, 0xcb, 0x79, 0xdc, 0xe0, 0x8a, 0x9b,
        0xdc, 0xe2, 0x36, 0x77, 0xb8, 0xcb, 0xf5, 0xb6, 0x97, 0xfb, 0x78, 0xc1, 0x13, 0x2f, 0x79, 0xc5, 0x6b,
        0xde, 0xf0, 0x96, 0x77, 0x78, 0xc6, 0xf8, 0x34, 0xcc, 0x11, 0xf6, 0x08, 0x83, 0x84, 0x45, 0xc2, 0x24,
        0x61, 0x93, 0x30, 0x4a, 0x58, 0x25, 0xcc, 0x12, 0xee, 0x7e, 0x6c, 0xee, 0x3e, 0xb8, 0x4f, 0xee, 0xa3,
        0xfb, 0xec, 0x3e, 0xbc, 0x4f, 0xef, 0xe3, 0xb3, 0x9f, 0x0c, 0xa8, 0xfc, 0x7c, 0xdd, 0xd9, 0x50, 0x46,
        0x94, 0x15, 0x65, 0x46, 0xd9, 0x51, 0x86, 0x94, 0x25, 0x65, 0x4a, 0xd9, 0x52, 0xf5, 0x1d, 0xc2, 0x9d,
        0x39, 0x65, 0x4f, 0x19, 0x54, 0x16, 0x95, 0x49, 0x65, 0x53, 0x19, 0x55, 0x56, 0x95, 0x59, 0xd5, 0xdf,
        0xc5, 0xdc, 0x59, 0x56, 0xa6, 0x95, 0x6d, 0x65, 0x5c, 0x59, 0x57, 0x13, 0x7f, 0xff, 0x9f, 0x44, 0xea,
        0x60, 0xec, 0x01, 0x00, 0x00
    };
    unsigned char out[1024], part[1024];
    char text[1024];
    size_t len = 0;
    for (int i = 1; i <= 150; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%d%c", i, i < 150 ? ',' : '\n');
    assert_int_equal(pc_gunzip_start((struct pc_span){ bytes, sizeof(bytes) }, out, sizeof(out)), len);
    assert_memory_equal(out, text, len);
    /* The beginning of the bytes gives the beginning of the text. What is damaged gives no more than there is
     * room for. */
    for (size_t at = 0; at < sizeof(bytes); at++) {
        unsigned char other[sizeof(bytes)];
        size_t n = pc_gunzip_start((struct pc_span){ bytes, at }, part, sizeof(part));
        assert_true(n <= len);
        assert_memory_equal(part, text, n);
        memcpy(other, bytes, sizeof(other));
        for (unsigned bit = 0; bit < 8; bit++) {
            other[at] = (unsigned char)(bytes[at] ^ 1U << bit);
            assert_true(pc_gunzip_start((struct pc_span){ other, sizeof(other) }, part, 100) <= 100);
        }
    }
}

static void parts_of_the_header_are_passed(void **state)
{
    (void)state;
    /* All of them: 3 bytes of extra fields, a name, a comment, a check of the header. */
    static const unsigned char bytes[] = { 0x1f, 0x8b, 8,   0x1e, 0, 0, 0, 0, 0, 3, 3,    0,    1,   2,  3,
                                           'n',  0,    'c', 'o',  0, 9, 9, 1, 2, 0, 0xfd, 0xff, 'o', 'k' };
    gives(bytes, sizeof(bytes), "ok");
    for (size_t len = 0; len < sizeof(bytes) - 2; len++)
        gives(bytes, len, "");
    unsigned char other[sizeof(stored)];
    for (size_t i = 0; i < 3; i++) { /* the magic, and the only method */
        memcpy(other, stored, sizeof(other));
        other[i] ^= 1;
        gives(other, sizeof(other), "");
    }
}

static void no_more_than_the_room_is_written(void **state)
{
    (void)state;
    unsigned char out[4] = { 0, 0, 0, 77 };
    assert_int_equal(pc_gunzip_start((struct pc_span){ stored, sizeof(stored) }, out, 3), 3);
    assert_memory_equal(out, "hel\x4d", 4);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(stored_bytes_are_copied),          cmocka_unit_test(fixed_codes_repeat_bytes),
    cmocka_unit_test(codes_of_their_own_are_read),      cmocka_unit_test(parts_of_the_header_are_passed),
    cmocka_unit_test(no_more_than_the_room_is_written),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * The hash in its canonical form: digests that users store may never change.
 */
#include "bytes/hash.h"
#include "pc_test.h"

static struct pc_sum sum_of(const void *bytes, size_t n)
{
    struct pc_hash hash;
    pc_hash_init(&hash);
    pc_hash_put(&hash, bytes, n);
    return pc_hash_sum(&hash);
}

/* XXH3-128 of no bytes with seed 0, as xxHash publishes it. */
static void the_empty_input_has_the_published_hash(void **state)
{
    (void)state;
    static const unsigned char expected[PC_HASH_SIZE] = { 0x99, 0xaa, 0x06, 0xd3, 0x01, 0x47, 0x98, 0xd8,
                                                          0x60, 0x01, 0xc3, 0x24, 0x46, 0x8d, 0x49, 0x7f };
    struct pc_sum sum = sum_of("", 0);
    assert_memory_equal(sum.bytes, expected, sizeof(expected));
}

static void the_size_of_pieces_does_not_matter(void **state)
{
    (void)state;
    unsigned char bytes[1000];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * 7);
    struct pc_sum whole = sum_of(bytes, sizeof(bytes));
    for (size_t cut = 0; cut <= sizeof(bytes); cut += 37) {
        struct pc_hash hash;
        pc_hash_init(&hash);
        pc_hash_put(&hash, bytes, cut);
        pc_hash_sum(&hash); /* asking changes nothing */
        pc_hash_put(&hash, bytes + cut, sizeof(bytes) - cut);
        struct pc_sum sum = pc_hash_sum(&hash);
        assert_true(pc_sum_equal(&sum, &whole));
    }
    bytes[999] ^= 1;
    struct pc_sum other = sum_of(bytes, sizeof(bytes));
    assert_false(pc_sum_equal(&other, &whole));
}

/* Where libxxhash has code of its own for this CPU, it is taken for a state that lies as it needs. */
static void the_instructions_of_the_cpu_do_not_matter(void **state)
{
    (void)state;
    static unsigned char bytes[5000];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * i / 7);
    for (size_t n = 0; n <= sizeof(bytes); n += n < 600 ? 1 : 217) {
        struct pc_sum sum = sum_of(bytes, n);
        XXH128_canonical_t plain;
        XXH128_canonicalFromHash(&plain, XXH3_128bits(bytes, n));
        assert_memory_equal(sum.bytes, plain.digest, sizeof(sum.bytes));
    }
}

static void an_integer_is_eight_little_endian_bytes(void **state)
{
    (void)state;
    struct pc_hash hash;
    pc_hash_init(&hash);
    pc_hash_put_uint(&hash, 0x0102030405060708);
    struct pc_sum sum = pc_hash_sum(&hash), expected = sum_of("\x08\x07\x06\x05\x04\x03\x02\x01", 8);
    assert_true(pc_sum_equal(&sum, &expected));
}

/* XXH3-64 of no bytes with seed 0, as xxHash publishes it; a seed and a byte make another one. */
static void the_hash_for_tables_is_xxh3(void **state)
{
    (void)state;
    const struct pc_span none = { (const unsigned char *)"", 0 }, zero = { (const unsigned char *)"", 1 };
    assert_true(pc_hash_of(0, none) == 0x2d06800538d394c2);
    assert_true(pc_hash_of(1, none) != pc_hash_of(0, none));
    assert_true(pc_hash_of(0, zero) != pc_hash_of(0, none));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_hash_for_tables_is_xxh3),
    cmocka_unit_test(the_empty_input_has_the_published_hash),
    cmocka_unit_test(the_size_of_pieces_does_not_matter),
    cmocka_unit_test(the_instructions_of_the_cpu_do_not_matter),
    cmocka_unit_test(an_integer_is_eight_little_endian_bytes),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * The feature COMPRESSED, and the compressed records that it announces.
 */
#include "pc_test.h"
#include "capture_bench.h"

static uint64_t announce(uint64_t type, uint64_t level, uint64_t mmap_len)
{
    uint64_t at = begin_feature(PC_COMPRESSED_FEATURE);
    put(0, 4); /* version */
    put(type, 4);
    put(level, 4);
    put(0, 4); /* ratio */
    put(mmap_len, 4);
    end_record();
    return at;
}

static void the_words_of_the_feature_make_sense(void **state)
{
    (void)state;
    static const struct {
        uint64_t level, mmap_len;
        enum pc_diag id;
        uint64_t at;
    } rows[] = {
        { 1, 4096, PC_NO_DIAG, 0 },
        { 22, 8192, PC_NO_DIAG, 0 },
        { 0, 4096, PC_D_COMPRESSED_LEVEL, 8 },
        { 23, 4096, PC_D_COMPRESSED_LEVEL, 8 },
        { 1, 4095, PC_D_COMPRESSED_MMAP_LEN, 16 },
        { 1, 4097, PC_D_COMPRESSED_MMAP_LEN, 16 },
        { 1, 0, PC_D_COMPRESSED_MMAP_LEN, 16 },
    };
    static const enum pc_diag all[] = { PC_D_COMPRESSED_LEVEL, PC_D_COMPRESSED_MMAP_LEN,
                                        PC_D_COMPRESSED_EMPTY };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_with(PC_S_TID, 0);
            uint64_t at = announce(1, rows[i].level, rows[i].mmap_len);
            for (size_t k = 0; k < PC_COUNT_OF(all); k++)
                expect(all[k], rows[i].id == all[k], at + rows[i].at);
        }
        begin_with(PC_S_TID, 0);
        uint64_t at = announce(0, 0, 0); /* as perf stat record leaves it */
        expect(PC_D_COMPRESSED_EMPTY, 1, at);
        expect(PC_D_COMPRESSED_UNUSED, 0, 0); /* nothing was promised */
        begin_with(PC_S_TID, 0);
        at = announce(1, 1, 4096);
        expect(PC_D_COMPRESSED_UNUSED, 1, at);
    }
}

/* The skippable frame of zstd that has no content (RFC 8878, 3.1.2). */
static const char frame[] = "\x50\x2a\x4d\x18\0\0\0";

static uint64_t compressed(uint32_t type, size_t data_size, size_t padding)
{
    begin_record(type);
    if (type == PC_COMPRESSED2)
        put(data_size, 8);
    put_text("", data_size + padding);
    if (data_size >= 8)
        memcpy(in.p + in.len - data_size - padding, frame, 8);
    return end_record();
}

static void a_compressed_record_holds_data_and_ends_after_them(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        announce(1, 1, 4096);
        size_t before = in.len;
        compressed(PC_COMPRESSED2, 9, 7);
        expect(PC_D_COMPRESSED2_EXCESS, 0, 0);
        expect(PC_D_COMPRESSED2_PADDING, 0, 0);
        in.len = before;
        uint64_t at = compressed(PC_COMPRESSED2, 8, 8);
        expect(PC_D_COMPRESSED2_EXCESS, 1, at + 6);
        in.len = before;
        at = compressed(PC_COMPRESSED2, 9, 7);
        in.p[in.len - 1] = 1;
        expect(PC_D_COMPRESSED2_PADDING, 1, at + 25);
        in.len = before;
        at = compressed(PC_COMPRESSED2, 0, 0);
        expect(PC_D_COMPRESSED2_EMPTY, 1, at + 8);
        in.len = before;
        at = compressed(PC_COMPRESSED, 0, 0);
        expect(PC_D_COMPRESSED_NO_DATA, 1, at + 6);
    }
}

/* A block of 512 zeros at a multiple of 512 was lost: not one of 511, nor one elsewhere, nor one of another
 * record. */
static void a_block_of_zeros_was_lost(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        announce(1, 1, 4096);
        size_t before = in.len;
        uint64_t at = compressed(PC_COMPRESSED, 4000, 0);
        memset(in.p + at + 16, 0xee, 4000 - 8);
        expect(PC_D_COMPRESSED_ZEROS, 0, 0);
        size_t block = (size_t)((at + 16 + 511) / 512 * 512);
        memset(in.p + block + 1, 0, 1022);
        expect(PC_D_COMPRESSED_ZEROS, 0, 0);
        in.p[block] = 0;
        expect(PC_D_COMPRESSED_ZEROS, 1, block);
        assert_int_equal(first.length, 512);
        in.p[block + 1023] = 0;
        expect(PC_D_COMPRESSED_ZEROS, 1, block);
        assert_int_equal(first.length, 1024);
        in.len = before;
        at = compressed(PC_COMPRESSED2, 1024, 1024); /* padding is no data */
        memset(in.p + at + 24, 0xee, 1024 - 8);
        expect(PC_D_COMPRESSED_ZEROS, 0, 0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_words_of_the_feature_make_sense),
    cmocka_unit_test(a_compressed_record_holds_data_and_ends_after_them),
    cmocka_unit_test(a_block_of_zeros_was_lost),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * Pieces of a record: their end gives it, if it is all there.
 */
#include "pc_test.h"
#include "read/join.h"

#include <string.h>

static struct pc_mem mem;
static struct pc_join join;
static uint64_t number, offset;

static bool take(uint32_t type, const void *piece, size_t n, uint64_t most)
{
    unsigned char bytes[256] = { 0 };
    struct pc_item item = { .kind = PC_ITEM_RECORD,
                            .type = type,
                            .number = number++,
                            .offset = offset,
                            .bytes = { bytes, PC_RECORD_HEADER_SIZE + n } };
    memcpy(bytes + PC_RECORD_HEADER_SIZE, piece, n);
    offset += item.bytes.len;
    return pc_join_record(&mem, &join, &item, most);
}

static void pieces_are_joined(void **state)
{
    (void)state;
    pc_mem_init(&mem, 1 << 20);
    assert_true(take(PC_SPLIT, "\1\200\0\0\0\0", 6, 100));
    assert_true(take(PC_SPLIT, "\014\0", 2, 100));
    assert_true(take(PC_SPLIT, "abcd", 4, 100));
    assert_int_equal(join.record.bytes.len, 0);
    assert_true(take(PC_SPLIT_END, "", 0, 100));
    assert_int_equal(join.record.bytes.len, 12);
    assert_memory_equal(join.record.bytes.ptr, "\1\200\0\0\0\0\014\0abcd", 12);
    assert_true(take(PC_SPLIT_END, "", 0, 100));
    assert_int_equal(join.record.bytes.len, 0);
    pc_join_clear(&mem, &join);
    assert_int_equal(mem.used, 0);
}

static void what_is_not_whole_is_no_record(void **state)
{
    (void)state;
    static const char head[] = "\1\200\0\0\0\0\014\0";
    pc_mem_init(&mem, 1 << 20);
    assert_true(take(PC_SPLIT, head, 8, 100) && take(PC_SPLIT_END, "", 0, 100));
    assert_int_equal(join.record.bytes.len, 0);
    assert_true(take(PC_SPLIT, head, 8, 100) && take(PC_SAMPLE, "", 0, 100));
    assert_true(take(PC_SPLIT, "abcd", 4, 100) && take(PC_SPLIT_END, "", 0, 100));
    assert_int_equal(join.record.bytes.len, 0);
    assert_true(take(PC_SPLIT, head, 8, 100));
    number++; /* a record of another kind */
    assert_true(take(PC_SPLIT, "abcd", 4, 100) && take(PC_SPLIT_END, "", 0, 100));
    assert_int_equal(join.record.bytes.len, 0);
    assert_true(take(PC_SPLIT, head, 8, 100));
    offset++; /* a byte that belongs to no record */
    assert_true(take(PC_SPLIT, "abcd", 4, 100) && take(PC_SPLIT_END, "", 0, 100));
    assert_int_equal(join.record.bytes.len, 0);
    assert_true(take(PC_SPLIT, head, 8, 11) && take(PC_SPLIT, "abcd", 4, 11) &&
                take(PC_SPLIT_END, "", 0, 11));
    assert_int_equal(join.record.bytes.len, 0); /* it is too long */
    assert_true(take(PC_SPLIT, "\1\200\0\0\1\0\014\0abcd", 12, 100) && take(PC_SPLIT_END, "", 0, 100));
    assert_int_equal(join.record.bytes.len, 0); /* its size has a high half */
    pc_join_clear(&mem, &join);
    mem.fail_at = mem.calls + 1;
    assert_false(take(PC_SPLIT, head, 8, 100));
    pc_join_clear(&mem, &join);
}

/* What is too long is said, when it is whole. One that is not takes no memory that it does not need. */
static void memory_is_that_of_the_record(void **state)
{
    (void)state;
    static const char head[] = "\1\200\0\0\0\0\200\1abcd"; /* 384 bytes */
    static const char piece[48];
    pc_mem_init(&mem, 1 << 20);
    for (unsigned most = 383; most <= 384; most++) {
        assert_true(take(PC_SPLIT, head, 12, most));
        assert_int_equal(mem.used, most < 384 ? 0 : 8 * 12);
        for (unsigned n = 12; n < 384; n += 31)
            assert_true(take(PC_SPLIT, piece, 384 - n < 31 ? 384 - n : 31, most));
        assert_int_equal(mem.used, most < 384 ? 0 : 384);
        assert_int_equal(join.too_large, 0);
        assert_true(take(PC_SPLIT_END, "", 0, most));
        assert_int_equal(join.too_large, most < 384 ? 384 : 0);
        assert_int_equal(join.record.bytes.len, most < 384 ? 0 : 384);
    }
    assert_true(take(PC_SPLIT, head, 12, 383) && take(PC_SPLIT_END, "", 0, 383));
    assert_int_equal(join.too_large, 0);
    pc_join_clear(&mem, &join);
}

static void a_piece_after_a_whole_record_begins_another(void **state)
{
    (void)state;
    static const char whole[] = "\1\200\0\0\0\0\014\0abcd";
    pc_mem_init(&mem, 1 << 20);
    assert_true(take(PC_SPLIT, whole, 12, 100) && take(PC_SPLIT, whole, 12, 100));
    assert_true(take(PC_SPLIT_END, "", 0, 100));
    assert_int_equal(join.record.bytes.len, 12);
    pc_join_clear(&mem, &join);
}

/* However a record was cut, the bytes after its text, or after those that it counts, are no part of it. */
static void what_fills_a_record_up_is_told(void **state)
{
    (void)state;
    static const struct {
        unsigned char type, fields[24], has;
        unsigned text, unused;
    } records[] = {
        { PC_KERNEL_SYMBOL & 255, { 93 }, 4, 93, 3 },
        { PC_KERNEL_SYMBOL & 255, { 1, 0, 0, 0, 93 }, 8, 93, 3 },
        { PC_DSO & 255, { 2, [8] = 1 }, 24, 93, 2 },
        { PC_DSO & 255, { 2, [8] = 1 }, 16, 93, 2 },
        { PC_SYMBOL & 255, { 2, [8] = 1 }, 24, 93, 2 },
        { PC_DEBUG & 255, { 1 }, 8, 93, 17 },
        { PC_ANDROID_TRACING_DATA & 255, { 93 }, 4, 93, 35 },
        { PC_EVENT_ID & 255, { 5 }, 8, 80, 0 },
    };
    pc_mem_init(&mem, 1 << 20);
    for (size_t i = 0; i < PC_COUNT_OF(records); i++) {
        unsigned char record[200] = { records[i].type, 128 };
        const bool string = records[i].unused != 0 && records[i].fields[0] < 93 && records[i].fields[4] < 93;
        const unsigned text = PC_RECORD_HEADER_SIZE + records[i].has, last = text + records[i].text + string,
                       size = last + records[i].unused;
        record[PC_RECORD_SIZE_AT] = (unsigned char)size;
        memcpy(record + PC_RECORD_HEADER_SIZE, records[i].fields, records[i].has);
        memset(record + text, 'a', records[i].text);
        memset(record + last, 'x', records[i].unused);
        for (unsigned cut = 1; cut <= size; cut++) {
            for (unsigned at = 0; at < size; at += cut) {
                const unsigned n = size - at < cut ? size - at : cut;
                const unsigned unused = at >= last ? n : at + n > last ? at + n - last : 0;
                assert_true(take(PC_SPLIT, record + at, n, 200));
                assert_int_equal(join.unused, unused);
                assert_true(take(PC_SPLIT, "", 0, 200) && join.unused == 0);
            }
            assert_true(take(PC_SPLIT_END, "", 0, 200) && join.unused == 0);
        }
    }
    pc_join_clear(&mem, &join);
}

static struct pc_finding at_record(enum pc_diag id, uint64_t nr, uint64_t at)
{
    return (struct pc_finding){ .id = id, .number = nr, .offset = at };
}

static void findings_are_about_the_pieces_before(void **state)
{
    (void)state;
    unsigned char bytes[16] = { 0 };
    struct pc_pieces pieces = { 0 };
    struct pc_item piece = {
        .type = PC_SPLIT, .number = 5, .offset = 100, .bytes = { bytes, sizeof(bytes) }
    };
    struct pc_finding open = at_record(PC_D_ANDROID_SPLIT_OPEN, 9, 900),
                      size = at_record(PC_D_ANDROID_SPLIT_SIZE, 6, 116),
                      alone = at_record(PC_D_ANDROID_SPLIT_SIZE, 7, 124);
    assert_false(pc_pieces_are_of(&pieces, &open) || pc_pieces_are_of(&pieces, &size));
    assert_false(pc_pieces_note(&pieces, &piece));
    assert_true(pc_pieces_are_of(&pieces, &open) && pc_pieces_are_of(&pieces, &size));
    assert_false(pc_pieces_are_of(&pieces, &alone));
    assert_false(pc_pieces_note(&pieces, &(struct pc_item){ .type = PC_DEBUG, .number = 6, .offset = 116 }));
    assert_true(pc_pieces_are_of(&pieces, &open)); /* although another record came */
    piece.number = 7;
    piece.offset = 132;
    assert_false(pc_pieces_note(&pieces, &piece));
    assert_int_equal(pieces.number, 7);
    piece = (struct pc_item){ .type = PC_SPLIT_END, .number = 8, .offset = 148, .bytes = { bytes, 8 } };
    assert_true(pc_pieces_note(&pieces, &piece));
    assert_int_equal(pieces.number, 7);
    assert_int_equal(pieces.have, 8);
    assert_false(pc_pieces_are_of(&pieces, &open));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_fills_a_record_up_is_told),
    cmocka_unit_test(pieces_are_joined),
    cmocka_unit_test(memory_is_that_of_the_record),
    cmocka_unit_test(a_piece_after_a_whole_record_begins_another),
    cmocka_unit_test(findings_are_about_the_pieces_before),
    cmocka_unit_test(what_is_not_whole_is_no_record),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

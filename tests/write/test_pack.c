/* SPDX-License-Identifier: MIT */
#include "bytes/cursor.h"
#include "bytes/inflate.h"
#include "write/pack.h"
#include "pc_test.h"

#include <string.h>

static const uint64_t plenty = (uint64_t)200 << 20;

enum { RECORDS = 600, LARGEST = 65528 };

/* Records of many sizes, some as large as can be; of six random bits a byte, so that a portion needs several
 * records. */
struct records {
    unsigned char *bytes; /* one after the other */
    size_t len, size[RECORDS];
};

static struct records records_new(void)
{
    struct records r = { .bytes = malloc((size_t)RECORDS * LARGEST) };
    uint32_t x = 2463534242; /* xorshift */
    assert_non_null(r.bytes);
    for (size_t i = 0; i < RECORDS; i++) {
        r.size[i] = i % 50 == 49 ? LARGEST : 8 + i % 40 * 8;
        for (size_t k = 0; k < r.size[i]; k++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            r.bytes[r.len++] = (unsigned char)(x >> 11 & 0x3f);
        }
    }
    return r;
}

static struct pc_sink scratch(struct pc_mem *mem)
{
    struct pc_sink sink;
    pc_mem_init(mem, plenty);
    assert_int_equal(pc_sink_scratch(&sink, mem, NULL), 0);
    return sink;
}

/* Decompresses the content of the sink, which has `records` records, all of this type. */
static size_t open_all(struct pc_sink *sink, enum pc_order order, uint32_t type, unsigned char *out,
                       size_t room, size_t *records)
{
    static unsigned char record[65536];
    struct pc_mem mem;
    struct pc_inflate inflate;
    size_t len = 0, got;
    pc_mem_init(&mem, plenty);
    pc_inflate_init(&inflate, &mem);
    *records = 0;
    for (uint64_t at = 0; at < sink->size; ++*records) {
        assert_true(pc_sink_get(sink, at, record, (size_t)(sink->size - at < 16 ? sink->size - at : 16)));
        size_t size = (size_t)pc_load(record + 6, 2, order), head = type == 83 ? 16 : 8;
        size_t data = type == 83 ? (size_t)pc_load(record + 8, 8, order) : size - 8;
        assert_int_equal(pc_load(record, 4, order), type);
        assert_int_equal(pc_load(record + 4, 2, order), 0);
        assert_true(data > 0 && data <= 65512);
        if (type == 83)
            assert_int_equal(size, (16 + data + 7) / 8 * 8);
        assert_true(pc_sink_get(sink, at, record, size));
        for (size_t i = head + data; i < size; i++)
            assert_int_equal(record[i], 0);
        struct pc_span in = { record + head, data };
        assert_int_equal(pc_inflate(&inflate, &in, out + len, room - len, &got), PC_INFLATE_GOOD);
        assert_in_range(got, 1, 528384); /* what the feature promises: its mmap_len */
        len += got;
        at += size;
    }
    pc_inflate_clear(&inflate);
    return len;
}

static void records_are_decompressed(void **state)
{
    (void)state;
    struct records r = records_new();
    unsigned char *out = malloc(r.len + 1);
    assert_non_null(out);
    for (unsigned form = 0; form < 4; form++) {
        enum pc_order order = form % 2 ? PC_BIG : PC_LITTLE;
        uint32_t type = form / 2 ? 81 : 83;
        struct pc_mem mem;
        struct pc_pack pack;
        struct pc_sink sink = scratch(&mem);
        size_t at = 0, records;
        pc_pack_init(&pack, &mem, &sink, order, type, 1);
        pc_pack_flush(&pack);
        assert_int_equal(sink.size, 0);
        for (size_t i = 0; i < RECORDS; i++) {
            pc_pack_put(&pack, (struct pc_span){ r.bytes + at, r.size[i] });
            at += r.size[i];
            if (i % 100 == 50) { /* all that was put is there */
                pc_pack_flush(&pack);
                assert_int_equal(open_all(&sink, order, type, out, r.len + 1, &records), at);
            }
        }
        pc_pack_flush(&pack);
        pc_pack_flush(&pack);
        assert_int_equal(open_all(&sink, order, type, out, r.len + 1, &records), r.len);
        assert_memory_equal(out, r.bytes, r.len);
        assert_int_equal(pack.in, r.len);
        assert_int_equal(pack.out, sink.size);
        assert_true(records > r.len / PC_PACK_CHUNK + 7); /* more than there are portions */
        pc_pack_clear(&pack);
        pc_sink_discard(&sink);
        assert_int_equal(mem.used, 0);
    }
    free(out);
    free(r.bytes);
}

/* After any failure nothing more is written. */
static void nothing_is_put_without_records_or_memory_taken(void **state)
{
    (void)state;
    struct pc_mem mem, none;
    struct pc_pack pack;
    struct pc_sink sink = scratch(&mem);
    pc_mem_init(&none, 1);
    pc_pack_init(&pack, &none, &sink, PC_LITTLE, PC_COMPRESSED2, 1);
    pc_pack_flush(&pack);
    assert_false(pack.failed);
    assert_int_equal(pack.out, 0);
    assert_int_equal(sink.size, 0);
    assert_int_equal(none.calls, 0);
    pc_pack_clear(&pack);
    pc_sink_discard(&sink);
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    struct records r = records_new();
    unsigned char *out = malloc(r.len + 1);
    assert_non_null(out);
    for (uint64_t k = 1;; k++) {
        struct pc_mem mem, own;
        struct pc_pack pack;
        struct pc_sink sink = scratch(&own);
        size_t at = 0, records;
        pc_mem_init(&mem, plenty);
        mem.fail_at = k;
        pc_pack_init(&pack, &mem, &sink, PC_LITTLE, 83, 1);
        for (size_t i = 0; i < 200; i++) {
            pc_pack_put(&pack, (struct pc_span){ r.bytes + at, r.size[i] });
            at += r.size[i];
        }
        pc_pack_flush(&pack);
        bool failed = pack.failed;
        size_t opened = open_all(&sink, PC_LITTLE, 83, out, r.len + 1, &records);
        assert_true(failed ? opened < at : opened == at);
        assert_memory_equal(out, r.bytes, opened);
        assert_int_equal(failed, mem.calls >= k);
        pc_pack_clear(&pack);
        pc_sink_discard(&sink);
        assert_int_equal(mem.used, 0);
        if (!failed) {
            assert_true(k > 3); /* the portion, the context and its tables */
            break;
        }
    }
    free(out);
    free(r.bytes);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(records_are_decompressed),
    cmocka_unit_test(nothing_is_put_without_records_or_memory_taken),
    cmocka_unit_test(every_failed_allocation_is_reported),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

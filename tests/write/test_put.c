/* SPDX-License-Identifier: MIT
 *
 * Parts of files and pipes in both orders: integers, zeros, heads of records, the feature COMPRESSED.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "write/writer_parts.h"

static struct pc_mem mem;
static struct pc_sink sink;
static struct pc_content content;
static struct pc_writer writer;

static void begin_writer(enum pc_order order)
{
    pc_mem_init(&mem, (uint64_t)64 << 20);
    assert_int_equal(pc_sink_scratch(&sink, &mem, NULL), 0);
    content = (struct pc_content){ .scan = &scan };
    content.own.to = order;
    writer = (struct pc_writer){ .content = &content, .to = &sink };
}

static void sink_is(struct pc_span expected)
{
    unsigned char bytes[256];
    assert_true(expected.len <= sizeof(bytes));
    assert_int_equal(sink.size, expected.len);
    assert_true(pc_sink_get(&sink, 0, bytes, expected.len));
    assert_memory_equal(bytes, expected.ptr, expected.len);
    pc_sink_discard(&sink);
    assert_int_equal(mem.used, 0);
}

static void integers_have_the_order_of_the_copy(void **state)
{
    (void)state;
    for (unsigned order = PC_LITTLE; order <= PC_BIG; order++) {
        begin_writer((enum pc_order)order);
        pc_writer_uint(&writer, 2, 0x0102);
        pc_writer_uint(&writer, 4, 0x03040506);
        pc_writer_record_head(&writer, PC_COMM, 0x2001, 65528);
        sink_is(order == PC_LITTLE ? SPAN(2, 1, 6, 5, 4, 3, 3, 0, 0, 0, 1, 0x20, 0xf8, 0xff)
                                   : SPAN(1, 2, 3, 4, 5, 6, 0, 0, 0, 3, 0x20, 1, 0xff, 0xf8));
    }
}

static void as_many_zeros_are_put_as_asked_for(void **state)
{
    (void)state;
    static const unsigned char zeros[256];
    static const size_t sizes[] = { 0, 1, 63, 64, 65, 128, 129 };
    for (size_t i = 0; i < PC_COUNT_OF(sizes); i++) {
        begin_writer(PC_LITTLE);
        pc_writer_zeros(&writer, sizes[i]);
        sink_is((struct pc_span){ zeros, sizes[i] });
    }
}

/* version, type (1: zstd), level, ratio, mmap_len: never less than perf's own 528,384 (0x81000). */
static void the_feature_compressed_says_how(void **state)
{
    (void)state;
    scan.capture.mmap_len = 0;
    begin_writer(PC_LITTLE);
    writer.pack.deflate.level = 3;
    pc_writer_compression(&writer, 7);
    sink_is(SPAN(0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 7, 0, 0, 0, 0, 0x10, 8, 0));
    scan.capture.mmap_len = 528384;
    begin_writer(PC_BIG);
    assert_int_equal(pc_writer_mmap_len(&writer), 528384);
    scan.capture.mmap_len = 528385;
    assert_int_equal(pc_writer_mmap_len(&writer), 528385);
    pc_writer_compression(&writer, 0);
    sink_is(SPAN(0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0x10, 1));
    scan.capture.mmap_len = 0;
}

static void the_mark_of_perf_stat_is_a_feature(void **state)
{
    (void)state;
    begin_writer(PC_LITTLE);
    memset(scan.capture.features, 0, sizeof(scan.capture.features));
    assert_false(pc_writer_has_stat_mark(&content));
    pc_set_bit(scan.capture.features, PC_STAT_FEATURE);
    assert_true(pc_writer_has_stat_mark(&content));
    memset(scan.capture.features, 0, sizeof(scan.capture.features));
    pc_sink_discard(&sink);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(integers_have_the_order_of_the_copy),
    cmocka_unit_test(as_many_zeros_are_put_as_asked_for),
    cmocka_unit_test(the_feature_compressed_says_how),
    cmocka_unit_test(the_mark_of_perf_stat_is_a_feature),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * Compressed records, whose frames are written by hand (RFC 8878): their content, where it is, and where it
 * is cut.
 */
#include "pc_test.h"
#include "capture_bench.h"

/* Bytes that are compressed: records, before they go into frames. */
static unsigned char content[1 << 16];
static size_t content_len;

/* Moves what was put since `from` into the content. */
static void take(size_t from)
{
    content_len = in.len - from;
    memcpy(content, in.p + from, content_len);
    in.len = from;
}

static void three_records(void)
{
    size_t from = in.len;
    for (uint64_t i = 0; i < 3; i++)
        RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
    take(from);
}

/* A frame: magic, one byte that says that the size of the content follows in 4 bytes, the size. */
static void begin_frame(uint64_t size)
{
    const unsigned char head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0xa0 };
    for (size_t i = 0; i < sizeof(head); i++)
        put(head[i], 1);
    for (unsigned i = 0; i < 4; i++)
        put(size >> 8 * i & 0xff, 1);
}

/* A block that holds these bytes of the content as they are. */
static void block(size_t at, size_t nr, bool last)
{
    uint64_t head = nr << 3 | last;
    for (unsigned i = 0; i < 3; i++)
        put(head >> 8 * i & 0xff, 1);
    memcpy(in.p + in.len, content + at, nr);
    in.len += nr;
}

static void announce(uint64_t mmap_len)
{
    begin_feature(PC_COMPRESSED_FEATURE);
    put(0, 4);
    put(1, 4);
    put(1, 4);
    put(0, 4);
    put(mmap_len, 4);
    end_record();
}

/* One frame with all of the content in one record, or cut into two records at `cut` bytes of it. */
static uint64_t packed(size_t cut)
{
    uint64_t at = begin_record(PC_COMPRESSED);
    begin_frame(content_len);
    if (cut != 0) {
        block(0, cut, false);
        end_record();
        begin_record(PC_COMPRESSED);
    }
    block(cut, content_len - cut, true);
    end_record();
    return at;
}

static void a_record_may_lie_in_two_compressed_ones(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t cut = 0; cut < 96; cut++) {
            begin_with(PC_S_TID, 0);
            announce(4096);
            three_records();
            packed(cut);
            run();
            assert_int_equal(scan.check.flow.sum.by_type[PC_COMM], 3);
            assert_int_equal(scan.check.flow.sum.compressed, cut ? 2 : 1);
            assert_int_equal(scan.check.flow.sum.total, 5); /* the attr and the feature too */
            assert_int_equal(scan.report.by_severity[PC_ERROR], 0);
            pc_scan_clear(&scan);
        }
    }
}

static void a_finding_tells_the_record_and_the_place_in_its_content(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        announce(4096);
        three_records();
        content[32 + 8 + 8] = 0; /* the name of the second is empty, with bytes after it */
        uint64_t at = packed(40), number = 2;
        expect(PC_D_STRING_PADDING, 1, 32 + 16);
        assert_true(first.where.inside);
        assert_int_equal(first.where.wrapper, number);
        assert_int_equal(first.where.wrapper_offset, at);
    }
}

static void content_that_ends_inside_a_record_is_cut(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        announce(4096);
        three_records();
        content_len -= 5;
        packed(0);
        expect(PC_D_CONTENT_CUT, 1, 64);
        assert_int_equal(first.length, 27);
        run();
        assert_int_equal(scan.check.flow.sum.by_type[PC_COMM], 2);
        pc_scan_clear(&scan);
    }
}

static void damage_of_a_frame_is_reported_at_its_record(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        announce(4096);
        three_records();
        uint64_t at = packed(0), other;
        in.p[at + 8 + 9] = 7; /* a block of the type 3, which is reserved */
        other = packed(0);    /* the next frame is read */
        (void)other;
        expect(PC_D_ZSTD_DAMAGED, 1, at);
        expect(PC_D_ZSTD_BEGINS_INSIDE, 0, 0);
        run();
        assert_int_equal(scan.check.flow.sum.by_type[PC_COMM], 3);
        pc_scan_clear(&scan);
        in.p[at + 8] = 0; /* no magic of a frame */
        expect(PC_D_ZSTD_BEGINS_INSIDE, 1, at);
    }
}

static void a_record_holds_at_most_as_much_as_was_announced(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        begin_with(PC_S_TID, 0);
        announce(4096);
        size_t from = in.len;
        for (uint64_t i = 0; i < 128 + more; i++)
            RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
        take(from);
        uint64_t at = packed(0);
        expect(PC_D_CONTENT_TOO_LONG, more, at);
        if (more)
            continue;
        run();
        assert_int_equal(scan.check.flow.sum.by_type[PC_COMM], 128);
        pc_scan_clear(&scan);
    }
}

static void a_record_whose_content_is_nothing_is_reported(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    announce(4096);
    content_len = 0;
    uint64_t at = packed(0);
    expect(PC_D_CONTENT_NONE, 1, at);
}

static void each_allocation_can_fail(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    announce(4096);
    three_records();
    packed(40);
    bool said = false;
    for (uint64_t n = 1; n < 60; n++) {
        run_failing(n);
        assert_true(scan.report.unreadable || scan.check.flow.sum.by_type[PC_COMM] == 3);
        said |= scan.report.unreadable;
        pc_scan_clear(&scan);
    }
    assert_true(said);
}

/* More pieces than there are places to remember them: one byte in each compressed record. */
static void content_may_come_byte_by_byte(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        announce(4096);
        three_records();
        begin_record(PC_COMPRESSED);
        begin_frame(content_len);
        for (size_t i = 0; i < content_len; i++) {
            block(i, 1, i + 1 == content_len);
            end_record();
            if (i + 1 < content_len)
                begin_record(PC_COMPRESSED);
        }
        run();
        assert_int_equal(scan.check.flow.sum.by_type[PC_COMM], 3);
        assert_int_equal(scan.check.flow.sum.compressed, 96);
        assert_int_equal(scan.check.flow.sum.compressed_out, 96);
        assert_int_equal(scan.report.by_severity[PC_ERROR], 0);
        pc_scan_clear(&scan);
    }
}

static void no_more_comes_out_than_the_limit(void **state)
{
    (void)state;
    for (uint64_t limit = 95; limit < 97; limit++) {
        struct pc_limits limits;
        begin_with(PC_S_TID, 0);
        announce(4096);
        three_records();
        packed(0);
        pc_policy_init(&policy);
        pc_limits_init(&limits);
        limits.inflated = limit;
        pc_scan_init(&scan, &policy, &limits);
        pc_scan_memory(&scan, (struct pc_span){ in.p, in.len }, PC_INPUT_STREAM);
        assert_int_equal(scan.report.by_id[PC_D_LIMIT_INFLATED], limit == 95);
        assert_int_equal(scan.report.unreadable, limit == 95);
        pc_scan_clear(&scan);
    }
}

/* 3,000 times bytes of nothing, each after four records. What was skipped counts for the limit of the search,
 * not how much more could have been. */
static void all_records_between_much_damage_are_read(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    announce(1 << 20);
    size_t from = in.len;
    for (int i = 0; i < 300; i++) {
        for (int k = 0; k < 4; k++)
            RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
        for (int k = 0; k < 32; k++)
            put(0xee, 1);
    }
    take(from);
    for (int i = 0; i < 10; i++)
        packed(0);
    run();
    assert_int_equal(scan.check.flow.sum.by_type[PC_COMM], 12000);
    pc_scan_clear(&scan);
}

/* Its blocks show where it ends: all of it is read, so no bytes belong to no record. */
static void a_wrong_size_of_a_compressed_record_costs_nothing(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        announce(4096);
        three_records();
        const uint64_t at = packed(0);
        for (int i = 0; i < 4; i++)
            packed(0);
        put_at(at + 6, 4000, 2);
        expect(PC_D_RECORD_CROSSES_END, 1, at);
        expect(PC_D_RECORDS_BROKEN, 0, 0);
        run();
        assert_int_equal(scan.check.flow.sum.by_type[PC_COMM], 15);
        pc_scan_clear(&scan);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_records_between_much_damage_are_read),
    cmocka_unit_test(a_record_may_lie_in_two_compressed_ones),
    cmocka_unit_test(a_wrong_size_of_a_compressed_record_costs_nothing),
    cmocka_unit_test(a_finding_tells_the_record_and_the_place_in_its_content),
    cmocka_unit_test(content_that_ends_inside_a_record_is_cut),
    cmocka_unit_test(damage_of_a_frame_is_reported_at_its_record),
    cmocka_unit_test(a_record_holds_at_most_as_much_as_was_announced),
    cmocka_unit_test(a_record_whose_content_is_nothing_is_reported),
    cmocka_unit_test(each_allocation_can_fail),
    cmocka_unit_test(content_may_come_byte_by_byte),
    cmocka_unit_test(no_more_comes_out_than_the_limit),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

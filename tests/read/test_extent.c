/* SPDX-License-Identifier: MIT
 *
 * How long a record is by its content: agreement with its size, and where it ends instead. All lengths are by
 * hand, from the layouts of FORMAT.md.
 */
#include "read/extent.h"
#include "capture_bench.h"
#include "pc_test.h"

/* What a record is, of which `there` bytes are in the input; its size says `size`. */
static void expect_extent(uint64_t at, size_t size, size_t there, enum pc_agreement agreement, size_t end)
{
    put_at(at + 6, size, 2);
    run();
    struct pc_extent extent = pc_reader_extent(&scan.reader, (struct pc_span){ in.p + at, there });
    pc_scan_clear(&scan);
    if (extent.agreement != agreement || extent.end != end)
        fail_msg("size %zu, %zu there: %d, %zu", size, there, (int)extent.agreement, extent.end);
}

/* TID and a call chain of three entries: 8 + 8 + 8 + 24 bytes. */
static void a_sample_ends_with_its_call_chain(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID | PC_S_CALLCHAIN, 0);
        uint64_t at = RECORD(PC_SAMPLE, pair(1, 1), 3, 1, 2, 3);
        for (int i = 0; i < 4; i++)
            RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
        expect_extent(at, 48, 48, PC_AGREES, 0);
        expect_extent(at, 48, 176, PC_AGREES, 0);
        expect_extent(at, 48, 30, PC_AGREES, 0); /* cut */
        expect_extent(at, 40, 176, PC_CONTRARY, 48);
        expect_extent(at, 65528, 176, PC_CONTRARY, 48);
        expect_extent(at, 65528, 30, PC_AGREES, 0);
    }
}

/* COMM: 8 + 8, the name and a trailer of 8. */
static void a_text_ends_with_its_nul(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        uint64_t at = RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
        RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
        expect_extent(at, 32, 64, PC_AGREES, 0);
        expect_extent(at, 32, 18, PC_AGREES, 0);
        expect_extent(at, 48, 64, PC_CONTRARY, 32);
        expect_extent(at, 24, 64, PC_CONTRARY, 32);
        put_at(at + 16, UINT64_MAX, 8); /* no name: it may go on anywhere */
        expect_extent(at, 48, 64, PC_CONTRARY, 0);
    }
}

static void some_types_show_no_end(void **state)
{
    (void)state;
    static const uint32_t types[] = { PC_HEADER_ATTR, PC_HEADER_FEATURE, PC_COMPRESSED, PC_AUXTRACE,
                                      PC_AUXTRACE_INFO };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(types); i++) {
            begin_with(PC_S_TID, 0);
            uint64_t at = RECORD(types[i], 0, 0, 0, 0, 0);
            expect_extent(at, 48, 40, PC_OPAQUE, 0);
        }
        begin_with(PC_S_TID, 0);
        uint64_t at = RECORD(60, 0, 0, 0);
        expect_extent(at, 48, 32, PC_OPAQUE, 0); /* of a newer perf */
        expect_extent(at, 47, 32, PC_CONTRARY, 0);
        put_at(at, 0xffff1234, 4); /* of none */
        expect_extent(at, 48, 32, PC_CONTRARY, 0);
        put_at(at, PC_COMPRESSED2, 4);
        put_at(at + 8, 11, 8);
        expect_extent(at, 48, 32, PC_CONTRARY, 32); /* 16 bytes, 11 of zstd, padding */
        expect_extent(at, 32, 32, PC_AGREES, 0);
        put_at(at, PC_FINISHED_ROUND, 4);
        expect_extent(at, 16, 32, PC_CONTRARY, 8);
    }
}

/* perf has appended fields to TIME_CONV, and the guests to ID_INDEX: where a record is cut before them it may
 * have had them. */
static void what_later_versions_appended_may_be_missing(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        uint64_t at = RECORD(PC_TIME_CONV, 31, 2, 3, 4, 5, 0);
        expect_extent(at, 56, 32, PC_AGREES, 0);
        expect_extent(at, 56, 40, PC_AGREES, 0);
        expect_extent(at, 64, 32, PC_CONTRARY, 32);
        begin_with(PC_S_TID, 0);
        at = RECORD(PC_ID_INDEX, 1, 1, 0, 0, 0, 7, 8);
        expect_extent(at, 64, 48, PC_AGREES, 0);
        expect_extent(at, 64, 56, PC_AGREES, 0);
        expect_extent(at, 72, 48, PC_CONTRARY, 48);
    }
}

/* BPF_METADATA without entries ends with room for an id: it may have been cut where that begins. */
static void padding_may_be_missing(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        uint64_t at = begin_record(PC_BPF_METADATA);
        put_text("name", 512);
        put(0, 8);
        put_text("", 32);
        end_record();
        expect_extent(at, 560, 528, PC_AGREES, 0);
        expect_extent(at, 560, 540, PC_AGREES, 0);
        expect_extent(at, 560, 520, PC_AGREES, 0);
    }
}

/* The CPUs and the scale of an EVENT_UPDATE end before its padding, which is zeros: no other record. */
static void an_update_ends_before_other_records(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        uint64_t at = begin_record(PC_EVENT_UPDATE);
        put(PC_UPDATE_CPUS, 8);
        put(86, 8);
        put(PC_MAP_RANGE, 2);
        put(0, 2);
        put(1, 2);
        put(3, 2);
        end_record();
        RECORD(PC_STAT_ROUND, 1, 2);
        expect_extent(at, 32, 56, PC_AGREES, 0);
        expect_extent(at, 16416, 56, PC_CONTRARY, 32);
        begin_with(PC_S_TID, 0);
        at = RECORD(PC_EVENT_UPDATE, PC_UPDATE_SCALE, 86, 0);
        RECORD(PC_STAT_ROUND, 1, 2);
        expect_extent(at, 16416, 56, PC_CONTRARY, 32);
    }
}

/* A push of perf record -z of 6.15: its first record has the low 16 bits of the size of all, 65,536 + 120. */
static void a_size_that_wrapped_is_none_of_damage(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        uint64_t at = RECORD(PC_COMPRESSED2, 65536 + 120 - 16, 0, 0);
        expect_extent(at, 120, 32, PC_AGREES, 0);
        expect_extent(at, 128, 32, PC_CONTRARY, 0);
    }
}

/* Where records begin in one of this size. */
static size_t swallowed(uint64_t at, size_t size)
{
    put_at(at + 6, size, 2);
    run();
    size_t end = pc_reader_find_swallowed(&scan.reader, (struct pc_span){ in.p + at, size });
    pc_scan_clear(&scan);
    return end;
}

/* AUXTRACE_INFO: 8 + 8, then any words; COMM: 8 + 8, the name and a trailer of 8. */
static void records_behind_the_content_end_it(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        uint64_t at = RECORD(PC_AUXTRACE_INFO, pair(2, 0), 1, 2, 3);
        for (int i = 0; i < 3; i++)
            RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
        assert_int_equal(swallowed(at, 40), 0);
        assert_int_equal(swallowed(at, 40 + 32), 40);
        assert_int_equal(swallowed(at, 40 + 3 * 32), 40);
        assert_int_equal(swallowed(at, 40 + 24), 0);         /* not all of a record */
        assert_int_equal(swallowed(at, 40 + 2 * 32 + 8), 0); /* nor of the third */
        put_at(at + 40 + 6, 40, 2);                          /* it leads elsewhere */
        assert_int_equal(swallowed(at, 40 + 2 * 32), 72);
        put_at(at + 40 + 6, 32, 2);
        put_at(at + 40 + 16, UINT64_MAX, 8); /* a name that is none */
        put_at(at + 40 + 24, UINT64_MAX, 8);
        assert_int_equal(swallowed(at, 40 + 32), 0);
    }
}

/* A HEADER_FEATURE may end with two words that read like a FINISHED_ROUND: here they are its fields. */
static void fields_of_a_feature_are_no_record(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        uint64_t at = begin_record(PC_HEADER_FEATURE);
        put(PC_NRCPUS, 8);
        put(PC_FINISHED_ROUND, 4);
        put(in.order == PC_LITTLE ? 8 << 16 : 8, 4);
        end_record();
        RECORD(PC_FINISHED_ROUND, 0);
        assert_int_equal(swallowed(at, 24), 0);
        put_at(at + 24 + 6, 8, 2);
        assert_int_equal(swallowed(at, 32), 24);
    }
}

/* A feature that is not known may hold anything, and so may one of which each byte is content. */
static void bytes_of_an_unknown_feature_are_no_records(void **state)
{
    const uint64_t any[] = { 40, 200, PC_DEBUG_UNWIND_FILE }, text[] = { PC_HOSTNAME, PC_META_INFO };
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(any) + PC_COUNT_OF(text); i++) {
            bool is_any = i < PC_COUNT_OF(any);
            begin_with(PC_S_TID, 0);
            uint64_t at = begin_record(PC_HEADER_FEATURE);
            put(is_any ? any[i] : text[i - PC_COUNT_OF(any)], 8);
            end_record();
            RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
            RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
            assert_int_equal(swallowed(at, 16 + 2 * 32), is_any ? 0 : 16);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(records_behind_the_content_end_it),
    cmocka_unit_test(bytes_of_an_unknown_feature_are_no_records),
    cmocka_unit_test(fields_of_a_feature_are_no_record),
    cmocka_unit_test(what_later_versions_appended_may_be_missing),
    cmocka_unit_test(padding_may_be_missing),
    cmocka_unit_test(an_update_ends_before_other_records),
    cmocka_unit_test(a_size_that_wrapped_is_none_of_damage),
    cmocka_unit_test(a_sample_ends_with_its_call_chain),
    cmocka_unit_test(a_text_ends_with_its_nul),
    cmocka_unit_test(some_types_show_no_end),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * A capture as a stream of items: each in its order, with its bytes, offset and number, however the bytes
 * come.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void items_come_in_the_order_of_the_reader(void **state)
{
    (void)state;
    static const struct {
        enum pc_item_kind kind;
        uint64_t offset, size, number;
    } rows[] = {
        { PC_ITEM_HEADER, 0, 104, 0 },
        { PC_ITEM_ATTR, FILE_ATTRS, 80, 0 },
        { PC_ITEM_FEATURE, FILE_DATA + 128 + 32, 68, PC_HOSTNAME },
        { PC_ITEM_FEATURE, FILE_DATA + 128 + 32 + 68, 8, PC_NRCPUS },
        { PC_ITEM_RECORD, FILE_DATA, 32, 0 },
        { PC_ITEM_RECORD, FILE_DATA + 32, 48, 1 },
        { PC_ITEM_PAYLOAD, FILE_DATA + 80, 16, 1 },
        { PC_ITEM_RECORD, FILE_DATA + 96, 32, 2 },
        { PC_ITEM_END, FILE_DATA + 128, 0, 0 },
    };
    IN_BOTH_ORDERS
    {
        for (size_t at_most = 0; at_most < 9; at_most += 4) {
            struct pc_limits limits;
            struct pc_item item;
            size_t nr = 0;
            begin_file(PC_S_TID, 0);
            RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
            RECORD(PC_AUXTRACE, 16, 0, 0, 0, 0);
            put_text("", 16);
            RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
            end_file();
            pc_policy_init(&policy);
            pc_limits_init(&limits);
            pc_scan_init(&scan, &policy, &limits);
            pc_input_memory(&scan.in, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
            scan.in.at_most = at_most;
            while (pc_scan_next(&scan, &item)) {
                assert_true(nr < PC_COUNT_OF(rows));
                assert_int_equal(item.kind, rows[nr].kind);
                assert_int_equal(item.offset, rows[nr].offset);
                assert_int_equal(item.number, rows[nr].number);
                assert_int_equal(item.bytes.len, rows[nr].size);
                if (item.kind != PC_ITEM_END)
                    assert_memory_equal(item.bytes.ptr, in.p + item.offset, item.bytes.len);
                nr++;
            }
            assert_int_equal(nr, PC_COUNT_OF(rows));
            pc_scan_end(&scan);
            pc_scan_clear(&scan);
        }
    }
}

/* A record has 8 to 65,528 bytes; the window holds many of the largest. */
static void records_of_any_size_are_whole(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        uint64_t bytes = 0;
        begin_with(PC_S_TID, 0);
        for (size_t i = 0; i < 60; i++) {
            begin_record(PC_HEADER_FEATURE);
            put(200, 8); /* of no known feature */
            put_text("", i % 2 ? 65512 : 8);
            end_record();
            put_record(PC_FINISHED_ROUND, NULL, 0);
            bytes++;
        }
        run();
        assert_int_equal(scan.check.flow.sum.by_type[PC_HEADER_FEATURE], 60);
        assert_int_equal(scan.check.flow.sum.by_type[PC_FINISHED_ROUND], bytes);
        assert_int_equal(scan.check.flow.sum.size, in.len);
        pc_scan_clear(&scan);
    }
}

static void another_capture_ends_the_first_one(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        uint64_t at = in.len;
        put(0x32454c4946524550, 8);
        put(16, 8);
        put_attr(PC_S_TID, 0);
        expect(PC_D_SECOND_CAPTURE, 1, at);
        run();
        assert_int_equal(scan.capture.nr_attrs, 1);
        pc_scan_clear(&scan);
    }
}

static void a_stream_that_ends_in_a_header_is_cut(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        uint64_t at = put_record(PC_FINISHED_ROUND, NULL, 0);
        for (size_t len = 1; len < 9; len++) {
            in.len = (size_t)at + len;
            expect(PC_D_STREAM_CUT, len < 8, at);
        }
        begin_file(PC_S_TID, 0);
        at = put_record(PC_FINISHED_ROUND, NULL, 0);
        in.len -= 3;
        end_file();
        expect(PC_D_DATA_LEFTOVER, 1, at);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(items_come_in_the_order_of_the_reader),
    cmocka_unit_test(records_of_any_size_are_whole),
    cmocka_unit_test(another_capture_ends_the_first_one),
    cmocka_unit_test(a_stream_that_ends_in_a_header_is_cut),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

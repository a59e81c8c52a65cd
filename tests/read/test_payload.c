/* SPDX-License-Identifier: MIT
 *
 * Bytes after a record, outside of its size: AUX trace, and trace data of a pipe.
 */
#include "pc_test.h"
#include "capture_bench.h"

static uint64_t trace(uint64_t size, size_t there)
{
    uint64_t at = RECORD(PC_AUXTRACE, size, 0, 0, 0, 0);
    put_text("", there);
    return at;
}

static void after(void)
{
    for (int i = 0; i < 5; i++)
        RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
}

static uint64_t comms(void)
{
    run();
    uint64_t nr = scan.check.flow.sum.by_type[PC_COMM];
    pc_scan_clear(&scan);
    return nr;
}

static void records_go_on_after_the_trace(void **state)
{
    (void)state;
    static const uint64_t sizes[] = { 0, 8, 65528, 65536, (1 << 20) + 8, 3 << 20 };
    IN_BOTH_ORDERS
    {
        for (unsigned file = 0; file < 2; file++) {
            for (size_t i = 0; i < PC_COUNT_OF(sizes); i++) {
                if (file)
                    begin_file(PC_S_TID, 0);
                else
                    begin_with(PC_S_TID, 0);
                trace(sizes[i], (size_t)sizes[i]);
                after();
                if (file)
                    end_file();
                assert_int_equal(comms(), 5);
                expect(PC_D_RESYNC, 0, 0);
            }
        }
    }
}

static void a_size_that_is_no_size_is_reported(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        uint64_t at = trace((uint64_t)1 << 63, 16);
        after();
        expect(PC_D_AUXTRACE_HUGE, 1, at + 8);
        assert_int_equal(comms(), 5);
        begin_with(PC_S_TID, 0);
        at = trace(12, 12);
        after();
        expect(PC_D_AUXTRACE_UNALIGNED, 1, at + 8);
        assert_int_equal(comms(), 5);
        begin_with(PC_S_TID, 0);
        at = trace(((uint64_t)1 << 63) - 8, 16); /* the rest of a stream may be as long */
        expect(PC_D_AUXTRACE_HUGE, 0, 0);
        expect(PC_D_PAYLOAD_CUT, 1, at + 8);
        assert_int_equal(first.expected.n, 16);
    }
}

static void a_trace_ends_with_the_data(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t there = 16; there <= 24; there += 8) {
            begin_file(PC_S_TID, 0);
            uint64_t at = trace(24, there);
            end_file();
            expect(PC_D_AUXTRACE_BEYOND, there == 16, at + 8);
            assert_int_equal(first.expected.n, there == 16 ? 16 : 0);
            begin_with(PC_S_TID, 0);
            at = trace(24, there);
            expect(PC_D_PAYLOAD_CUT, there == 16, at + 8);
            assert_int_equal(first.expected.n, there == 16 ? 16 : 0);
        }
    }
}

/* HEADER_TRACING_DATA of a pipe: its size has 4 bytes. */
static void trace_data_that_are_cut_are_reported(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        begin_record(PC_HEADER_TRACING_DATA);
        put(100000, 4);
        uint64_t at = end_record();
        put_text("", 99999);
        expect(PC_D_PAYLOAD_CUT, 1, at + 8);
        assert_int_equal(first.expected.n, 99999);
        expect(PC_D_TRACING_DATA_UNALIGNED, 0, 0);
        put_at(at + 8, 100004, 4);
        expect(PC_D_TRACING_DATA_UNALIGNED, 1, at + 8);
    }
}

static void without_memory_the_trace_data_are_left_out(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    begin_record(PC_HEADER_TRACING_DATA);
    put(1 << 20, 4);
    end_record();
    put_text("", 1 << 20);
    after();
    for (uint64_t n = 1; n < 40; n++) {
        run_failing(n);
        assert_true(scan.report.unreadable || scan.check.flow.sum.by_type[PC_COMM] == 5);
        pc_scan_clear(&scan);
    }
}

/* Trace data come as one item, up to the limit of a section. */
static void trace_data_come_as_a_whole(void **state)
{
    (void)state;
    static const size_t sizes[] = { 8, 4096, 65528, 300000, 1 << 20 };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(sizes); i++) {
            for (size_t over = 0; over < 2; over++) {
                struct pc_limits limits;
                struct pc_item item;
                unsigned seen = 0;
                begin_with(PC_S_TID, 0);
                begin_record(PC_HEADER_TRACING_DATA);
                put(sizes[i], 4);
                end_record();
                uint64_t at = in.len;
                for (size_t k = 0; k < sizes[i]; k++)
                    in.p[in.len++] = (unsigned char)(k * 5 >> 2);
                after();
                pc_policy_init(&policy);
                pc_limits_init(&limits);
                limits.section = sizes[i] - over;
                pc_scan_init(&scan, &policy, &limits);
                pc_input_memory(&scan.in, (struct pc_span){ in.p, in.len }, PC_INPUT_STREAM);
                while (pc_scan_next(&scan, &item)) {
                    if (item.kind != PC_ITEM_PAYLOAD)
                        continue;
                    seen++;
                    assert_int_equal(item.offset, at);
                    assert_int_equal(item.size, sizes[i]);
                    assert_int_equal(item.bytes.len, over ? 0 : sizes[i]);
                    if (!over)
                        assert_memory_equal(item.bytes.ptr, in.p + at, sizes[i]);
                }
                assert_int_equal(seen, 1);
                assert_int_equal(scan.report.by_id[PC_D_SECTION_TOO_LARGE], over);
                assert_int_equal(scan.check.flow.sum.by_type[PC_COMM], 5);
                pc_scan_end(&scan);
                pc_scan_clear(&scan);
            }
        }
    }
}

/* What is there of a trace is handed out. */
static void a_cut_trace_is_handed_out_to_its_end(void **state)
{
    (void)state;
    for (unsigned file = 0; file < 2; file++) {
        struct pc_limits limits;
        struct pc_item item;
        uint64_t bytes = 0;
        if (file)
            begin_file(PC_S_TID, 0);
        else
            begin_with(PC_S_TID, 0);
        trace(1 << 20, 70000);
        if (file)
            end_file();
        pc_policy_init(&policy);
        pc_limits_init(&limits);
        pc_scan_init(&scan, &policy, &limits);
        pc_input_memory(&scan.in, (struct pc_span){ in.p, in.len }, in.kind);
        while (pc_scan_next(&scan, &item))
            bytes += item.kind == PC_ITEM_PAYLOAD ? item.bytes.len : 0;
        assert_int_equal(bytes, 70000);
        pc_scan_end(&scan);
        pc_scan_clear(&scan);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(records_go_on_after_the_trace),
    cmocka_unit_test(a_size_that_is_no_size_is_reported),
    cmocka_unit_test(a_trace_ends_with_the_data),
    cmocka_unit_test(trace_data_that_are_cut_are_reported),
    cmocka_unit_test(without_memory_the_trace_data_are_left_out),
    cmocka_unit_test(trace_data_come_as_a_whole),
    cmocka_unit_test(a_cut_trace_is_handed_out_to_its_end),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

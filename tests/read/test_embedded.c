/* SPDX-License-Identifier: MIT
 *
 * Captures in other inputs: in archives, after other bytes, without their header, after zeros.
 */
#include "pc_test.h"
#include "capture_bench.h"

/* A member of a tar archive: its header of 512 bytes with name, size in octal digits and magic. */
static void tar_member(const char *name, const char *size)
{
    size_t at = in.len;
    put_text(name, 124);
    put_text(size, 12);
    put_text("", 121);
    put_text("ustar", 255);
    assert_int_equal(in.len - at, 512);
}

static void pad(size_t to)
{
    put_text("", (to - in.len % to) % to);
}

static void a_member_of_a_tar_archive_is_named(void **state)
{
    (void)state;
    static const enum pc_input_kind kinds[] = { PC_INPUT_FILE, PC_INPUT_STREAM };
    for (size_t i = 0; i < PC_COUNT_OF(kinds); i++) {
        for (size_t before = 0; before < 3; before++) {
            static const char *const sizes[] = { "00000000000", "00000000001", "00000020000" };
            static const size_t bytes[] = { 0, 1, 8192 };
            in.len = 0;
            in.kind = kinds[i];
            tar_member("readme", sizes[before]);
            put_text("", bytes[before]);
            pad(512);
            /* blanks before the digits, and after them */
            tar_member("perf.data", before == 1 ? "00000044100 " : "       44100");
            uint64_t at = in.len;
            put_text("PERFILE2", 8);
            put(104, 8);
            put_text("", 1008);
            expect(PC_D_ARCHIVED, 1, at);
            assert_memory_equal(first.seen.bytes, "perf.data", 9);
            assert_int_equal(first.seen.len, 9);
            assert_int_equal(first.expected.n, at);
            in.p[at] = 'p';
            expect(PC_D_ARCHIVED, 0, 0);
            in.p[at] = 'P';
            memcpy(in.p + at - 512 + 124, "00000000017", 12); /* 15 bytes are no capture */
            expect(PC_D_ARCHIVED, 0, 0);
            memcpy(in.p + at - 512 + 124, "00000000028", 12); /* 8 is no octal digit */
            expect(PC_D_ARCHIVED, 0, 0);
        }
    }
}

/* The first 8,192 bytes are looked at. */
static void a_capture_may_begin_late(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        static const size_t before[] = { 1, 16, 8176, 8177 };
        for (size_t i = 0; i < PC_COUNT_OF(before); i++) {
            in.len = 0;
            in.kind = PC_INPUT_FILE;
            memset(in.p, 0xe1, before[i]);
            in.len = before[i];
            put(0x32454c4946524550, 8);
            put(16, 8);
            expect(PC_D_CAPTURE_LATE, before[i] <= 8176, 0);
            assert_int_equal(first.seen.n, before[i] <= 8176 ? before[i] : 0);
            put_at(before[i] + 8, 17, 8); /* no header has 17 bytes */
            expect(PC_D_CAPTURE_LATE, 0, 0);
        }
    }
}

/* At the beginning of the input three known records in a row are enough; after other bytes, six. */
static void records_without_a_header_are_recognised(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t before = 0; before < 9; before += 4) {
            for (uint64_t nr = 2; nr < 8; nr++) {
                in.len = 0;
                in.kind = PC_INPUT_FILE;
                memset(in.p, 0xe1, before);
                in.len = before;
                for (uint64_t i = 0; i < nr; i++)
                    RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
                for (int i = 0; i < 16; i++)
                    put(0xe1, 1);
                bool found = nr >= (before == 0 ? 3 : 6);
                expect(PC_D_HEADER_LOST, found, 0);
                assert_int_equal(first.seen.n, found ? before : 0);
            }
        }
    }
}

static void zeros_in_place_of_the_header_are_counted(void **state)
{
    (void)state;
    static const enum pc_input_kind kinds[] = { PC_INPUT_FILE, PC_INPUT_STREAM };
    static const size_t zeros[] = { 1, 63, 64, 4095, 4096, 4097, 100000 };
    for (size_t k = 0; k < PC_COUNT_OF(kinds); k++) {
        for (size_t i = 0; i < PC_COUNT_OF(zeros); i++) {
            memset(in.p, 0, zeros[i]);
            in.kind = kinds[k];
            in.len = zeros[i];
            expect(PC_D_BEGINS_ZERO, 1, 0); /* there is nothing else */
            assert_int_equal(first.seen.n, zeros[i]);
            memset(in.p + in.len, 0xe1, 40);
            in.len += 40;
            expect(PC_D_BEGINS_ZERO, zeros[i] >= 64, 0);
            assert_int_equal(first.seen.n, zeros[i] >= 64 ? zeros[i] : 0);
        }
    }
}

/* Up to the end of the input two records are enough. */
static void the_shortest_records_are_recognised(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (unsigned nr = 1; nr < 5; nr++) {
            in.len = 0;
            in.kind = PC_INPUT_FILE;
            for (unsigned i = 0; i < nr; i++)
                put_record(PC_FINISHED_ROUND, NULL, 0);
            expect(PC_D_HEADER_LOST, nr > 1, 0);
        }
        in.len = 31; /* the last one is cut */
        expect(PC_D_HEADER_LOST, 1, 0);
    }
}

/* What cannot be read may be a capture. */
static void an_archive_that_cannot_be_read_is_not_named(void **state)
{
    (void)state;
    in.len = 0;
    in.kind = PC_INPUT_FILE;
    tar_member("readme", "00000020000");
    put_text("", 8192);
    const uint64_t at = in.len;
    tar_member("other", "00000000000");
    run_unreadable(at);
    assert_int_equal(scan.report.by_id[PC_D_READ_FAILED], 1);
    assert_int_equal(scan.report.by_id[PC_D_FOREIGN], 0);
    pc_scan_clear(&scan);
    run_unreadable(0);
    assert_int_equal(scan.report.by_id[PC_D_FOREIGN], 1);
    pc_scan_clear(&scan);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_member_of_a_tar_archive_is_named),
    cmocka_unit_test(an_archive_that_cannot_be_read_is_not_named),
    cmocka_unit_test(a_capture_may_begin_late),
    cmocka_unit_test(records_without_a_header_are_recognised),
    cmocka_unit_test(zeros_in_place_of_the_header_are_counted),
    cmocka_unit_test(the_shortest_records_are_recognised),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

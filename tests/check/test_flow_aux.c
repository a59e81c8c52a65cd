/* SPDX-License-Identifier: MIT
 *
 * AUX traces: what ID_INDEX knows, and how many bytes came.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void the_number_of_id_index_entries_is_limited(void **state)
{
    (void)state;
    for (uint64_t more = 0; more < 2; more++) {
        begin();
        /* cpu and tid are the same in all entries */
        uint64_t words[1 + 4 * 2000] = { 0 };
        for (uint64_t done = 0, all = 16384 - 2 + more; done < all;) {
            uint64_t nr = all - done < 2000 ? all - done : 2000;
            words[0] = nr;
            for (uint64_t i = 0; i < nr; i++) {
                words[1 + 4 * i] = 1;
                words[2 + 4 * i] = done++;
                words[3 + 4 * i] = 0;
                words[4 + 4 * i] = 1;
            }
            put_record(PC_ID_INDEX, words, (size_t)(1 + 4 * nr));
        }
        RECORD(PC_AUXTRACE, 0, 0, 0, (uint64_t)1 << 32 | 0x7fff0000, 0);
        run();
        if (more)
            assert_int_equal(limit_said("entries of ID_INDEX"), 16384);
        assert_int_equal(scan.report.by_id[PC_D_LIMIT_STATE], more);
        assert_int_equal(scan.report.by_id[PC_D_AUXTRACE_NOT_INDEXED], !more); /* idx */
        pc_scan_clear(&scan);
    }
}

static uint64_t trace(uint64_t size, uint64_t idx, uint64_t tid, uint64_t cpu)
{
    uint64_t at = RECORD(PC_AUXTRACE, size, 0, 0, pair(idx, tid), pair(cpu, 0));
    put_text("", (size_t)size);
    return at;
}

static void each_trace_is_in_id_index(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin();
        RECORD(PC_AUXTRACE_INFO, pair(5, 0));
        size_t before = in.len;
        trace(0, 9, 9, 9);
        assert_int_equal(counted(PC_D_AUXTRACE_NOT_INDEXED), 0); /* there is no ID_INDEX */
        in.len = before;
        RECORD(PC_ID_INDEX, 1, 1, 3, 2, 7);
        trace(0, 3, 7, 2);
        trace(0, 3, UINT32_MAX, UINT32_MAX); /* any task, any CPU */
        assert_int_equal(counted(PC_D_AUXTRACE_NOT_INDEXED), 0);
        static const struct {
            uint64_t idx, tid, cpu, at;
            const char *name;
        } rows[] = { { 4, 7, 2, 32, "idx" }, { 3, 8, 2, 36, "tid" }, { 3, 7, 3, 40, "cpu" } };
        before = in.len;
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            in.len = before;
            uint64_t at = trace(0, rows[i].idx, rows[i].tid, rows[i].cpu);
            assert_int_equal(counted(PC_D_AUXTRACE_NOT_INDEXED), 1);
            assert_int_equal(first.offset, at + rows[i].at);
            assert_string_equal(first.path[0].name, rows[i].name);
        }
    }
}

/* AUX promises 100 bytes; each of the traces may be filled up with 7 bytes. */
static void as_many_bytes_come_as_aux_promised(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        static const struct {
            uint64_t first, second, flags;
            bool said;
            uint64_t more; /* bytes that AUX promises beyond 100 */
        } rows[] = {
            { 104, 0, 0, false, 4 }, { 96, 0, 0, true, 0 },  { 96, 0, 0, true, 0 },
            { 104, 0, 0, false, 0 }, { 112, 0, 0, true, 0 }, { 56, 56, 0, false, 0 },
            { 56, 64, 0, true, 0 },  { 96, 0, 2, false, 0 }, /* OVERWRITE */
        };
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin();
            RECORD(PC_AUXTRACE_INFO, pair(5, 0));
            RECORD(PC_AUX, 0, 60, 0, 0, 1);
            RECORD(PC_AUX, 60, 40 + rows[i].more, rows[i].flags, 0, 1);
            assert_int_equal(counted(PC_D_AUX_TOTAL), 0); /* no trace at all: perf was told to leave it out */
            uint64_t at = trace(rows[i].first, 0, 0, 0);
            if (rows[i].second)
                trace(rows[i].second, 0, 0, 0);
            if (counted(PC_D_AUX_TOTAL) != rows[i].said)
                fail_msg("row %zu", i);
            if (!rows[i].said)
                continue;
            assert_int_equal(first.offset, at);
            assert_int_equal(first.seen.n, rows[i].first + rows[i].second);
            assert_int_equal(first.expected.n, 100 + rows[i].more);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_number_of_id_index_entries_is_limited),
    cmocka_unit_test(each_trace_is_in_id_index),
    cmocka_unit_test(as_many_bytes_come_as_aux_promised),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

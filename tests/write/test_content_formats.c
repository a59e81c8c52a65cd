/* SPDX-License-Identifier: MIT
 *
 * Formats of tracepoints that were lost: the copy describes each event once, by its name if that is one.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "write/rewrite.h"

static unsigned char copied[1 << 16];
static size_t nr_copied;

static int take(void *ctx, const void *bytes, size_t n)
{
    (void)ctx;
    assert_true(nr_copied + n <= sizeof(copied));
    memcpy(copied + nr_copied, bytes, n);
    nr_copied += n;
    return 0;
}

static void take_message(void *ctx, const char *path, const char *what, const char *why)
{
    (void)ctx;
    print_message("%s: %s: %s\n", path, what, why ? why : "");
}

static void take_errors(void *ctx, const char *path, const struct pc_scan *failed)
{
    for (size_t i = 0; i < failed->report.nr; i++)
        take_message(ctx, path, pc_diag_info(failed->report.finding[i].id)->name, NULL);
}

/* A tracepoint with this config, and the name of its event. */
static void tracepoint(uint64_t config, uint64_t id, const char *name)
{
    uint64_t at = put_attr(PC_S_IDENTIFIER | PC_S_RAW, 0);
    put_at(at + 8, 2, 4);
    put_at(at + 16, config, 8);
    put_at(at + 72, id, 8);
    if (!name)
        return;
    begin_record(PC_EVENT_UPDATE);
    put(2, 8);
    put(id, 8);
    put_text(name, (strlen(name) / 8 + 1) * 8);
    end_record();
}

/* The copy of what is there, which is a salvage. */
static void copy(void)
{
    struct pc_rewrite how = { .salvage = true, .compression = PC_COMPRESSION_NONE, .take = take };
    struct pc_input input;
    pc_limits_init(&how.limits);
    how.callbacks = (struct pc_callbacks){ .message = take_message, .errors = take_errors };
    pc_input_memory(&input, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
    nr_copied = 0;
    assert_int_equal(pc_rewrite_capture(&how, &input, "input", NULL), PC_WRITTEN);
}

static size_t times(const char *text)
{
    size_t nr = 0;
    const unsigned char *at = copied;
    while ((at = memmem(at, nr_copied - (size_t)(at - copied), text, strlen(text)))) {
        nr++;
        at++;
    }
    return nr;
}

static void each_tracepoint_of_a_copy_is_described(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_empty();
        tracepoint(7, 1, "sched:sched_switch");
        tracepoint(7, 2, "sched:sched_switch");
        tracepoint(8, 3, "no_colon");
        tracepoint(9, 4, "a:b c");
        tracepoint(65535, 5, NULL);
        for (uint64_t id = 1; id < 6; id++) {
            begin_record(USER | PC_SAMPLE);
            put(id, 8);
            put(12, 4);
            put(id < 3 ? 7 : id < 5 ? 5 + id : 65535, 2);
            put_text("", 10);
            end_record();
        }
        copy();
        assert_int_equal(times("name: sched_switch\nID: 7\nformat:\n"), 1);
        assert_int_equal(times("name: id_8\nID: 8\nformat:\n"), 1);
        assert_int_equal(times("name: id_9\nID: 9\nformat:\n"), 1);
        assert_int_equal(times("name: id_65535\nID: 65535\nformat:\n"), 1);
        assert_int_equal(times("field:int common_pid;\toffset:4;\tsize:4;\tsigned:1;"), 4);
        assert_int_equal(times("field: u64 timestamp;"), 1);
        /* tracing_data_header: three bytes, "tracing", the version, the order, the size of a long */
        static const char head[] = "\x17\x08\x44tracing0.6";
        const unsigned char *at = memmem(copied, nr_copied, head, sizeof(head));
        assert_non_null(at);
        assert_int_equal(at[14], in.order == PC_BIG);
        assert_int_equal(at[15], 8);
        struct pc_limits limits;
        pc_limits_init(&limits);
        pc_policy_init(&policy);
        pc_scan_init(&scan, &policy, &limits);
        pc_scan_memory(&scan, (struct pc_span){ copied, nr_copied }, PC_INPUT_FILE);
        assert_int_equal(scan.report.by_severity[PC_ERROR], 0);
        for (size_t i = 0; i < scan.capture.nr_attrs; i++)
            assert_non_null(pc_capture_format(&scan.capture, (uint32_t)i));
        pc_scan_clear(&scan);
    }
}

static void without_tracepoints_nothing_is_made(void **state)
{
    (void)state;
    begin_empty();
    put_attr(PC_S_IDENTIFIER | PC_S_TID, 0);
    RECORD(USER | PC_SAMPLE, 1, pair(1, 1));
    copy();
    assert_int_equal(times("tracing"), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_tracepoint_of_a_copy_is_described),
    cmocka_unit_test(without_tracepoints_nothing_is_made),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

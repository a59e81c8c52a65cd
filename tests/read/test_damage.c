/* SPDX-License-Identifier: MIT
 *
 * What is remembered of the first damage: where it is, what lies around it, where records go on.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void comms(unsigned nr)
{
    for (unsigned i = 0; i < nr; i++)
        RECORD(PC_COMM, pair(UINT32_MAX - 1, 1), chars("name"), pair(1, 1));
}

static void zeros_between_records_have_two_ends(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        comms(3);
        uint64_t at = in.len;
        put_text("", 40);
        comms(5);
        put_text("", 40); /* only the first counts */
        comms(5);
        run();
        const struct pc_damage *d = &scan.reader.damage;
        assert_true(d->any);
        assert_int_equal(d->id, PC_D_RECORD_SIZE);
        assert_int_equal(d->before, at - 32);
        assert_int_equal(d->offset, at);
        assert_int_equal(d->head.size, 0);
        assert_true(d->zeros <= at); /* the last record may end with some */
        /* the type of the next one begins with three in big-endian captures */
        assert_int_equal(d->zeros_end, at + 40 + (in.order == PC_BIG ? 3 : 0));
        assert_int_equal(d->end, at + 40);
        assert_int_equal(d->swallowed, 0);
        assert_int_equal(d->text_end - d->text, 0);
        assert_int_equal(d->trace, 0);
        pc_scan_clear(&scan);
    }
}

/* The size of one record says that it ends in the next one. */
static void a_size_too_large_is_remembered_with_the_excess(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    comms(3);
    uint64_t at = begin_feature(PC_HOSTNAME) - 16;
    put_string("box");
    end_record();
    comms(5);
    put_at(at + 6, in.len - at - 5 * 32 + 40, 2);
    run();
    const struct pc_damage *d = &scan.reader.damage;
    assert_true(d->any);
    assert_int_equal(d->before, at);
    assert_int_equal(d->swallowed, 40);
    assert_int_equal(d->end, 0);
    pc_scan_clear(&scan);
}

static void text_and_trace_data_are_found(void **state)
{
    (void)state;
    static const char text[] = "Warning: events were lost, and here are 100 more characters\n";
    static const char trace[] = PC_TRACING_MAGIC;
    for (unsigned i = 0; i < 2; i++) {
        begin_with(PC_S_TID, 0);
        comms(3);
        uint64_t at = in.len;
        if (i == 0)
            put_text(text, sizeof(text) - 1);
        for (size_t k = 0; i == 1 && k < PC_TRACING_MAGIC_SIZE; k++)
            put((unsigned char)trace[k], 1);
        comms(5);
        run();
        const struct pc_damage *d = &scan.reader.damage;
        assert_int_equal(d->text_end - d->text, i == 0 ? sizeof(text) - 1 : 0);
        assert_int_equal(d->text, i == 0 ? at : 0);
        assert_int_equal(d->trace, i == 0 ? 0 : at);
        pc_scan_clear(&scan);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(zeros_between_records_have_two_ends),
    cmocka_unit_test(a_size_too_large_is_remembered_with_the_excess),
    cmocka_unit_test(text_and_trace_data_are_found),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

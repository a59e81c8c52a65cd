/* SPDX-License-Identifier: MIT
 *
 * Whether the fields of a record take all of its bytes, and how much may be looked at to tell.
 */
#include "read/fits.h"
#include "capture_bench.h"
#include "pc_test.h"
#include "bytes/cursor.h"

static struct pc_span record_at(uint64_t at, size_t size)
{
    return (struct pc_span){ in.p + at, size };
}

/* FORK: 8 + 8 + 8 + 8, and the ids of the trailer. COMM: 8 + 8, the name, and these ids. */
static void all_bytes_belong_to_fields(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        uint64_t fork = RECORD(PC_FORK, pair(1, 1), pair(1, 1), 0, pair(1, 1));
        uint64_t comm = RECORD(PC_COMM, pair(1, 1), chars("name"), 0, pair(1, 1));
        run();
        assert_true(pc_reader_fits(&scan.reader, record_at(fork, 40)));
        assert_false(pc_reader_fits(&scan.reader, record_at(fork, 32)));
        assert_false(pc_reader_fits(&scan.reader, record_at(fork, 48)));
        assert_true(pc_reader_is_exact(&scan.reader, record_at(fork, 40)));
        assert_true(pc_reader_fits(&scan.reader, record_at(comm, 40))); /* zeros behind the name */
        assert_false(pc_reader_is_exact(&scan.reader, record_at(comm, 40)));
        pc_scan_clear(&scan);
        put_at(comm + 24, 1, 8);
        run();
        assert_false(pc_reader_fits(&scan.reader, record_at(comm, 40)));
        pc_scan_clear(&scan);
    }
}

/* Any bytes fill the text of DEBUG up. Behind them nothing but zeros may be, and nothing of which it is
 * unknown. */
static void what_fills_up_is_any_bytes(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        uint64_t debug = RECORD(PC_DEBUG, 900, chars("name"), 0);
        uint64_t result = RECORD(PC_UNWINDING_RESULT, 900, 20, 3, 0x7000, 1, 2, 0, 0, 0, 0, 7);
        put_at(debug + 21, 0xa5, 1);
        run();
        assert_true(pc_reader_fits(&scan.reader, record_at(debug, 24)));
        assert_false(pc_reader_fits(&scan.reader, record_at(debug, 32)));
        assert_true(pc_reader_is_known(&scan.reader, record_at(result, 8 + 80)));
        assert_true(pc_reader_fits(&scan.reader, record_at(result, 8 + 88)));
        assert_false(pc_reader_is_known(&scan.reader, record_at(result, 8 + 88)));
        pc_scan_clear(&scan);
    }
}

/* Numbers look like headers of long records again and again. A few fields of each show that it is none. */
static void a_long_size_costs_no_more_than_what_is_looked_at(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        uint64_t at = RECORD(PC_FORK, pair(1, 1), pair(1, 1), 0, pair(1, 1));
        for (int i = 0; i < 1000; i++)
            RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
        run();
        for (int i = 0; i < 1000; i++)
            assert_false(pc_reader_may_fit(&scan.reader, record_at(at, 32000)));
        assert_true(pc_reader_may_scan(&scan.reader, (size_t)1 << 30));
        assert_false(pc_reader_may_scan(&scan.reader, 1));
        assert_true(pc_reader_may_fit(&scan.reader, record_at(at, 32000))); /* nobody may look any more */
        pc_scan_clear(&scan);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_bytes_belong_to_fields),
    cmocka_unit_test(what_fills_up_is_any_bytes),
    cmocka_unit_test(a_long_size_costs_no_more_than_what_is_looked_at),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

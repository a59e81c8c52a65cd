/* SPDX-License-Identifier: MIT
 *
 * Values that are compared with attrs that come later: a clock, and a room for ids.
 */
#include "pc_test.h"
#include "capture_bench.h"

/* BPF_METADATA: a name, the number of entries, and zeros as long as the trailer of an attr that comes later.
 */
static void a_room_for_ids_is_as_long_as_those_of_a_later_attr(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t area = 8; area <= 24; area += 8) {
            begin_empty();
            begin_record(PC_BPF_METADATA);
            put_text("name", 512);
            put(0, 8);
            put_text("", area);
            uint64_t at = end_record();
            put_attr(PC_S_TID | PC_S_CPU, 0);
            expect(PC_D_RECORD_EXCESS, area > 16, at + 8 + 512 + 8 + 16);
            assert_int_equal(first.length, area > 16 ? 8 : 0);
            assert_int_equal(first.seen.n, area > 16 ? 8 : 0);
        }
    }
}

static void clock_data_has_the_clock_of_the_attrs(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (uint64_t clock = 0; clock < 2; clock++) {
            for (uint64_t uses = 0; uses < 2; uses++) {
                begin_empty();
                uint64_t at = begin_feature(PC_CLOCK_DATA);
                put(1, 4);
                put(clock, 4);
                put(1, 8);
                put(1, 8);
                end_record();
                put_attr(PC_S_TID, uses ? PC_FLAG_USE_CLOCKID : 0); /* clockid is 0 */
                expect(PC_D_CLOCK_DATA_CLOCKID, clock == 1 && uses == 1, at + 4);
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_room_for_ids_is_as_long_as_those_of_a_later_attr),
    cmocka_unit_test(clock_data_has_the_clock_of_the_attrs),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

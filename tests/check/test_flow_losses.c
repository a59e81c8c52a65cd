/* SPDX-License-Identifier: MIT
 *
 * Losses: a tenth of all samples or more.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void many_losses_are_reported_once(void **state)
{
    (void)state;
    static const struct {
        uint64_t events[2], samples[2]; /* of two LOST, of two LOST_SAMPLES; 0: no such record */
        uint64_t misc, kept, lost;      /* lost: in the finding; 0: none */
        enum pc_diag id;
    } rows[] = {
        { .id = PC_D_LOST_MANY, .events = { 1 }, .lost = 1 },
        { .id = PC_D_LOST_MANY, .events = { 1 }, .kept = 9, .lost = 1 },
        { .id = PC_D_LOST_MANY, .events = { 1 }, .kept = 10 }, /* less than a tenth */
        { .id = PC_D_LOST_MANY, .events = { 100 }, .kept = 900, .lost = 100 },
        { .id = PC_D_LOST_MANY, .events = { 100 }, .kept = 901 },
        { .id = PC_D_LOST_MANY, .events = { 60, 60 }, .lost = 120 },
        { .id = PC_D_LOST_MANY, .events = { 61 }, .samples = { 60 }, .lost = 61 },
        /* Newer perfs count the same losses in both. */
        { .id = PC_D_LOST_SAMPLES_MANY, .events = { 60 }, .samples = { 60 }, .kept = 540, .lost = 60 },
        { .id = PC_D_LOST_SAMPLES_MANY, .events = { 60 }, .samples = { 60 }, .kept = 541 },
        { .id = PC_D_LOST_SAMPLES_MANY, .events = { 60 }, .samples = { 60, 61 }, .lost = 121 },
        /* What a filter dropped is not lost. */
        { .id = PC_D_LOST_SAMPLES_MANY, .samples = { 100 }, .misc = 0x8000 },
        { .id = PC_D_LOST_MANY, .events = { UINT64_MAX, 1 }, .lost = UINT64_MAX },
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            uint64_t at = 0;
            begin_with(PC_S_TID, 0);
            for (uint64_t n = 0; n < rows[i].kept; n++)
                RECORD(USER | PC_SAMPLE, pair(0, 0));
            for (unsigned k = 0; k < 2; k++) {
                if (rows[i].samples[1 - k])
                    at = RECORD(MISC(rows[i].misc) | PC_LOST_SAMPLES, rows[i].samples[1 - k], pair(0, 0));
            }
            for (unsigned k = 0; k < 2; k++) {
                if (rows[i].events[k])
                    RECORD(PC_LOST, 0, rows[i].events[k], pair(0, 0));
            }
            if (counted(rows[i].id) != (rows[i].lost != 0))
                fail_msg("row %zu", i);
            assert_int_equal(first.seen.n, rows[i].lost);
            assert_int_equal(first.expected.n, rows[i].lost ? rows[i].kept : 0);
            (void)at;
        }
    }
}

static void losses_are_located_at_their_first_record(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    uint64_t at = RECORD(PC_LOST_SAMPLES, 7, pair(0, 0));
    RECORD(PC_LOST, 0, 1000, pair(0, 0));
    assert_int_equal(counted(PC_D_LOST_MANY), 1);
    assert_int_equal(first.offset, at);
    assert_int_equal(first.length, 8);
    assert_int_equal(first.place, PC_AT_END);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(many_losses_are_reported_once),
    cmocka_unit_test(losses_are_located_at_their_first_record),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * What looks like a record: headers that a writer can have written, odd sizes of known writers, and payloads.
 */
#include "read/plausible.h"
#include "capture_bench.h"
#include "pc_test.h"
#include "read/reader.h"

static struct pc_capture capture;
static struct pc_reader reader = { .capture = &capture };

/* A header, by hand, in both byte orders: type, misc, size. */
static void a_header_is_plausible_if_its_type_allows_it(void **state)
{
    (void)state;
    static const struct {
        unsigned char little[8], big[8];
        bool plausible, may_follow;
    } rows[] = {
        /* FORK of 32 bytes; of 24, of 36; with a bit of misc that FORK does not have; of 40, with a trailer
         */
        { { 7, 0, 0, 0, 0, 0, 32, 0 }, { 0, 0, 0, 7, 0, 0, 0, 32 }, true, true },
        { { 7, 0, 0, 0, 0, 0, 24, 0 }, { 0, 0, 0, 7, 0, 0, 0, 24 }, false, false },
        { { 7, 0, 0, 0, 0, 0, 36, 0 }, { 0, 0, 0, 7, 0, 0, 0, 36 }, false, false },
        { { 7, 0, 0, 0, 1, 0, 32, 0 }, { 0, 0, 0, 7, 0, 1, 0, 32 }, false, false },
        { { 7, 0, 0, 0, 0, 0, 40, 0 }, { 0, 0, 0, 7, 0, 0, 0, 40 }, true, true },
        /* COMPRESSED (81) may have any size */
        { { 81, 0, 0, 0, 0, 0, 13, 0 }, { 0, 0, 0, 81, 0, 0, 0, 13 }, true, true },
        /* type 60, which nothing writes: follows, but is not plausible by itself */
        { { 60, 0, 0, 0, 0, 0, 16, 0 }, { 0, 0, 0, 60, 0, 0, 0, 16 }, false, true },
        { { 60, 0, 0, 0, 0, 0, 12, 0 }, { 0, 0, 0, 60, 0, 0, 0, 12 }, false, false },
        { { 60, 0, 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 60, 0, 0, 0, 0 }, false, false },
        /* type 0, and a type that is no number of a record */
        { { 0, 0, 0, 0, 0, 0, 16, 0 }, { 0, 0, 0, 0, 0, 0, 0, 16 }, false, false },
        { { 0, 0, 1, 0, 0, 0, 16, 0 }, { 0, 1, 0, 0, 0, 0, 0, 16 }, false, false },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        for (int big = 0; big < 2; big++) {
            const unsigned char *header = big ? rows[i].big : rows[i].little;
            uint64_t size = 0;
            capture.order = big ? PC_BIG : PC_LITTLE;
            if (pc_plausible_header(&reader, header, &size) != rows[i].plausible ||
                pc_may_follow(header, capture.order) != rows[i].may_follow)
                fail_msg("row %zu, %s-endian", i, big ? "big" : "little");
            assert_int_equal(size, rows[i].little[6]);
        }
    }
}

static void writers_of_odd_sizes_are_known(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        static const struct {
            uint32_t type;
            size_t len;
            bool known;
        } rows[] = { { PC_HEADER_BUILD_ID, 44, true },
                     { PC_HEADER_BUILD_ID, 42, false },
                     { PC_COMM, 44, false } };
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            in.len = 0;
            put(rows[i].type, 4);
            put(0, 2);
            put(rows[i].len, 2);
            put_text("", rows[i].len - 8);
            const char *writer =
                pc_unaligned_writer(rows[i].type, (struct pc_span){ in.p, rows[i].len }, in.order);
            assert_int_equal(writer != NULL, rows[i].known);
        }
        in.len = 0; /* CPU_MAP of perf 4.5 to 4.20: type, two CPUs, and 4 bytes more */
        put(PC_CPU_MAP, 4);
        put(0, 2);
        put(18, 2);
        put(0, 2);
        put(2, 2);
        put(0, 2);
        put(1, 2);
        put_text("", 4);
        for (size_t len = 16; len < 24; len++) {
            const char *writer = pc_unaligned_writer(PC_CPU_MAP, (struct pc_span){ in.p, len }, in.order);
            assert_int_equal(writer != NULL, len == 20);
        }
    }
}

/* AUXTRACE: 48 bytes, of which the first word is the size of what follows. */
static void a_payload_is_part_of_the_step(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        uint64_t step = 0;
        in.len = 0;
        capture.order = in.order;
        RECORD(PC_AUXTRACE, 100, 0, 0, 0, 0);
        assert_true(pc_plausible_step(&reader, (struct pc_span){ in.p, 48 }, &step));
        assert_int_equal(step, 148);
        assert_false(pc_plausible_step(&reader, (struct pc_span){ in.p, 40 }, &step)); /* not there */
        in.len = 0;
        RECORD(PC_FORK, 1, 2, 3);
        assert_true(pc_plausible_step(&reader, (struct pc_span){ in.p, 8 }, &step));
        assert_int_equal(step, 32);
        assert_false(pc_plausible_step(&reader, (struct pc_span){ in.p, 7 }, &step));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_header_is_plausible_if_its_type_allows_it),
    cmocka_unit_test(writers_of_odd_sizes_are_known),
    cmocka_unit_test(a_payload_is_part_of_the_step),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

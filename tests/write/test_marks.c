/* SPDX-License-Identifier: MIT
 *
 * Where two sequences begin to differ, from their marks.
 */
#include "write/marks.h"
#include "pc_test.h"
#include "report/diag.h"

static struct pc_marks left, right;

/* Things 0 to nr - 1, each of one byte; their numbers are 10 apart. Thing `odd` has another byte. */
static void put_things(struct pc_marks *marks, uint64_t nr, uint64_t odd)
{
    pc_marks_begin(marks);
    for (uint64_t i = 0; i < nr; i++) {
        unsigned char byte = (unsigned char)(i + (i == odd));
        pc_marks_put(marks, 10 * i);
        pc_hash_put(&marks->hash, &byte, 1);
    }
}

#define NONE UINT64_MAX

static void equal_sequences_never_differ(void **state)
{
    (void)state;
    static const uint64_t sizes[] = { 0, 1, 1024, 1025, 5000 };
    for (size_t i = 0; i < PC_COUNT_OF(sizes); i++) {
        uint64_t from, to;
        put_things(&left, sizes[i], NONE);
        put_things(&right, sizes[i], NONE);
        assert_false(pc_marks_part(&left, &right, &from, &to));
    }
}

/* The range begins at a thing that has a mark and ends at the next one, in the numbers of the first sequence.
 */
static void the_range_holds_the_first_difference(void **state)
{
    (void)state;
    static const struct {
        uint64_t left, right; /* things */
        uint64_t odd;         /* of the right one */
        uint64_t from, to;
    } rows[] = {
        { 10, 10, 4, 40, 50 },                    /* every thing has a mark */
        { 10, 10, 0, 0, 10 },                     /* the first */
        { 10, 10, 9, 90, PC_NO_INDEX },           /* the last */
        { 3, 5, NONE, PC_NO_INDEX, PC_NO_INDEX }, /* the other goes on */
        { 5, 3, NONE, 30, 40 },                   /* the other has ended */
        { 0, 1, NONE, PC_NO_INDEX, PC_NO_INDEX }, /* nothing at all */
        { 1024, 1024, 1001, 10010, 10020 },       /* as many as there is room for */
        { 1025, 1025, 1001, 10000, 10020 },       /* every second thing has one */
        { 2049, 2049, 1001, 10000, 10040 },       /* every fourth */
        { 2049, 1024, 101, 1000, 1040 },          /* the coarser of the two counts */
        { 1024, 2049, 101, 1000, 1040 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        uint64_t from = 1, to = 1;
        put_things(&left, rows[i].left, NONE);
        put_things(&right, rows[i].right, rows[i].odd);
        assert_true(pc_marks_part(&left, &right, &from, &to));
        if (from != rows[i].from || to != rows[i].to)
            fail_msg("row %zu: from %llu to %llu", i, (unsigned long long)from, (unsigned long long)to);
    }
}

static void full_marks_are_thinned_out(void **state)
{
    (void)state;
    put_things(&left, PC_MARKS_MAX, NONE);
    assert_int_equal(left.every, 1);
    assert_int_equal(left.mark[PC_MARKS_MAX - 1].number, 10 * (PC_MARKS_MAX - 1));
    put_things(&left, PC_MARKS_MAX + 1, NONE);
    assert_int_equal(left.every, 2);
    assert_int_equal(left.mark[1].number, 20);
    assert_int_equal(left.mark[PC_MARKS_MAX / 2].number, 10 * PC_MARKS_MAX);
}

static void things_without_marks_can_be_passed(void **state)
{
    (void)state;
    put_things(&left, PC_MARKS_MAX, NONE);
    assert_int_equal(pc_marks_ahead(&left), 0); /* every other one goes, and the next one gets one */
    pc_marks_put(&left, 0);
    assert_int_equal(pc_marks_ahead(&left), 1);
    pc_marks_pass(&left, 1);
    assert_int_equal(left.count, PC_MARKS_MAX + 2);
    assert_int_equal(pc_marks_ahead(&left), 0);
    pc_marks_begin(&right);
    pc_marks_only_hash(&right);
    assert_int_equal(pc_marks_ahead(&right), 0);
    pc_marks_put(&right, 0);
    assert_true(pc_marks_ahead(&right) > UINT32_MAX);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(equal_sequences_never_differ),
    cmocka_unit_test(the_range_holds_the_first_difference),
    cmocka_unit_test(full_marks_are_thinned_out),
    cmocka_unit_test(things_without_marks_can_be_passed),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

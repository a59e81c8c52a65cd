/* SPDX-License-Identifier: MIT
 *
 * What of a pipe does not follow from its items. Files are in tests/write/test_rewrite.c, where each bit of a
 * copy is changed.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "check/derived.h"

static struct pc_derived derived;

/* A pipe with an attr of 64 bytes, HOSTNAME, an end mark, and what `more` says. */
static const char *wrong_of(uint64_t end_mark, enum pc_versions reader, bool more)
{
    struct pc_limits limits;
    struct pc_item item;
    begin_with(PC_S_TID, 0);
    begin_feature(PC_HOSTNAME);
    put_string("box");
    end_record();
    begin_feature(end_mark);
    end_record();
    if (more) {
        begin_feature(PC_OSRELEASE);
        put_string("6.1");
        end_record();
    }
    pc_limits_init(&limits);
    pc_policy_init(&policy);
    pc_scan_init(&scan, &policy, &limits);
    pc_input_memory(&scan.in, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
    pc_derived_init(&derived);
    derived.reader = pc_version_knows(reader);
    while (pc_scan_next(&scan, &item))
        pc_derived_item(&derived, &scan.reader, &item);
    const char *wrong = pc_derived_wrong(&derived, &scan.reader);
    pc_scan_end(&scan);
    pc_scan_clear(&scan);
    return wrong;
}

static void the_end_mark_is_that_of_a_reader(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        assert_null(wrong_of(PC_CPU_DOMAIN_INFO, PC_BY_NONE, false));
        assert_string_equal(wrong_of(PC_CPU_DOMAIN_INFO + 1, PC_BY_NONE, false), "the end mark");
        assert_null(wrong_of(PC_CLN_SIZE + 1, PC_BY_7_2, false));
        assert_null(wrong_of(PC_CLOCK_DATA + 1, PC_BY_5_10, false));
        assert_string_equal(wrong_of(PC_CPU_DOMAIN_INFO, PC_BY_5_10, false), "the end mark");
    }
}

static void nothing_follows_the_end_mark(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        assert_string_equal(wrong_of(PC_CPU_DOMAIN_INFO, PC_BY_NONE, true), "sizes and offsets");
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_end_mark_is_that_of_a_reader),
    cmocka_unit_test(nothing_follows_the_end_mark),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * What of a pipe does not follow from its items. Files are in tests/write/test_rewrite.c, where each bit of a
 * copy is changed.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "check/derived.h"

static struct pc_derived derived;
static uint64_t attr_needs = PC_ATTR_SIZE_MIN; /* of the original */

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
    derived.attr_needs = attr_needs;
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

static void attrs_have_the_size_of_a_perf_that_has_room_for_them(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (attr_needs = 65; attr_needs <= 72; attr_needs++)
            assert_string_equal(wrong_of(PC_CPU_DOMAIN_INFO, PC_BY_NONE, false), "sizes and offsets");
        attr_needs = 0; /* there is none: all that is known */
        assert_string_equal(wrong_of(PC_CPU_DOMAIN_INFO, PC_BY_NONE, false), "sizes and offsets");
        attr_needs = PC_ATTR_SIZE_MIN;
        assert_null(wrong_of(PC_CPU_DOMAIN_INFO, PC_BY_NONE, false));
    }
}

/* Sees a capture of real perf with compressed records, whose type is to be this. */
static void see_compressed(uint32_t type)
{
    struct pc_limits limits;
    struct pc_item item;
    pc_limits_init(&limits);
    pc_policy_init(&policy);
    pc_scan_init(&scan, &policy, &limits);
    assert_true(pc_scan_open(&scan, "corpus/real/6.12-z3.data"));
    pc_derived_init(&derived);
    derived.packed_type = type;
    while (pc_scan_next(&scan, &item))
        pc_derived_item(&derived, &scan.reader, &item);
    pc_scan_end(&scan);
    pc_scan_clear(&scan);
    assert_true(derived.packed != 0);
}

static void compressed_records_have_one_type_and_whole_blocks(void **state)
{
    (void)state;
    see_compressed(PC_COMPRESSED);
    assert_false(derived.other_type || derived.blocks.wrong);
    see_compressed(PC_COMPRESSED2);
    assert_true(derived.other_type);
}

/* Trace data that were made describe each tracepoint. */
static void a_tracepoint_is_described(void **state)
{
    (void)state;
    struct pc_attr attr = { .format = PC_NO_ATTR };
    struct pc_capture capture = { .attr = &attr, .nr_attrs = 1 };
    derived.made_formats = true;
    attr.value[PC_ATTR_TYPE - PC_ATTR_TYPE] = PC_TYPE_SOFTWARE;
    assert_true(pc_derived_formats(&derived, &capture));
    attr.value[PC_ATTR_TYPE - PC_ATTR_TYPE] = PC_TYPE_TRACEPOINT;
    assert_false(pc_derived_formats(&derived, &capture));
    derived.made_formats = false;
    assert_true(pc_derived_formats(&derived, &capture));
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
    cmocka_unit_test(attrs_have_the_size_of_a_perf_that_has_room_for_them),
    cmocka_unit_test(compressed_records_have_one_type_and_whole_blocks),
    cmocka_unit_test(a_tracepoint_is_described),
    cmocka_unit_test(nothing_follows_the_end_mark),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * Findings about a structure.
 */
#include "pc_test.h"
#include "report/report.h"

static const struct pc_context structure = {
    .place = PC_IN_FEATURE, .number = 5, .subject = "ARCH", .offset = 1000
};

static void a_finding_is_placed_in_its_structure(void **state)
{
    (void)state;
    struct pc_finding f = pc_finding_in(&structure, PC_D_GAP, 24, 8);
    assert_int_equal(f.id, PC_D_GAP);
    assert_int_equal(f.place, PC_IN_FEATURE);
    assert_int_equal(f.number, 5);
    assert_string_equal(f.subject, "ARCH");
    assert_int_equal(f.offset, 1024);
    assert_int_equal(f.length, 8);
    assert_int_equal(f.depth, 0);
    assert_int_equal(f.seen.kind, PC_V_NONE);
    assert_int_equal(f.expected.kind, PC_V_NONE);
}

/* With a member, and without one. */
static void a_report_gets_the_finding_with_its_values(void **state)
{
    (void)state;
    struct pc_mem mem;
    struct pc_policy policy;
    struct pc_report report;
    pc_policy_init(&policy);
    pc_mem_init(&mem, 1 << 20);
    pc_report_init(&report, &mem, &policy);
    struct pc_context member = structure;
    member.name = "size";
    pc_report_say(&report, &member, PC_D_GAP, 0, 4, pc_uint_value(7), pc_text_value("9"));
    pc_report_say(&report, &structure, PC_D_GAP, 4, 4, pc_uint_value(7), pc_text_value("9"));
    assert_int_equal(report.nr, 2);
    const struct pc_finding *first = &report.finding[0];
    assert_int_equal(first->depth, 1);
    assert_string_equal(first->path[0].name, "size");
    assert_int_equal(first->offset, 1000);
    assert_int_equal(first->seen.n, 7);
    assert_string_equal(first->expected.text, "9");
    assert_int_equal(report.finding[1].depth, 0);
    assert_int_equal(report.finding[1].offset, 1004);
    pc_report_clear(&report);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_finding_is_placed_in_its_structure),
    cmocka_unit_test(a_report_gets_the_finding_with_its_values),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

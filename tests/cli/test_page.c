/* SPDX-License-Identifier: MIT
 *
 * Sections and rows of captures that are written here; tests/test_report parses whole pages.
 */
#include "cli/page.h"
#include "survey_bench.h"

static void print(bool whole, bool row)
{
    FILE *out = begin_text();
    struct pc_charted c = { .out = out, .pc = pc, .survey = s, .number = 3 };
    if (row)
        pc_page_row(&c, "a<b");
    else
        pc_page_section(&c, "a<b", whole);
    fclose(out);
}

static void put_capture(void)
{
    begin_with(PC_S_TID | PC_S_TIME, 0);
    for (unsigned i = 0; i < 10; i++)
        RECORD(PC_SAMPLE, pair(1, 2), 1000 + i);
}

static void a_short_section_says_what_is_wrong(void **state)
{
    (void)state;
    put_capture();
    print(false, false);
    assert_non_null(strstr(text, "<h2 id=\"h3\">a&#60;b</h2>"));
    assert_non_null(strstr(text, "<span class=\"v valid\">valid</span>: 0 errors"));
    assert_null(strstr(text, "<svg"));
    assert_true(size < 700);
    for (unsigned i = 0; i < 10; i++)
        put_at(RECORD(PC_SAMPLE, pair(1, 2), 1000 + i) + 6, 4, 2);
    print(false, false);
    assert_non_null(strstr(text, "<svg class=\"map keys\""));
    assert_non_null(strstr(text, "<li id=\"f3-0\">"));
    assert_null(strstr(text, "<li id=\"f3-3\">"));
    assert_null(strstr(text, "<details>"));
}

static void a_short_section_counts_what_it_leaves_out(void **state)
{
    (void)state;
    put_capture();
    for (unsigned i = 0; i < 30; i++)
        RECORD(PC_SAMPLE | MISC(0x800), pair(1, 2), 1000 + i);
    put_at(RECORD(PC_SAMPLE, pair(1, 2), 1030) + 6, 4, 2);
    survey();
    uint64_t all = 0;
    char more[64];
    for (int severity = PERFCHECK_NOTE; severity <= PERFCHECK_ERROR; severity++)
        all += perfcheck_count(pc, (perfcheck_severity_t)severity);
    assert_true(all > 20);
    snprintf(more, sizeof(more), "<p class=\"soft\">and %u more</p>", (unsigned)all - 3);
    print(false, false);
    assert_non_null(strstr(text, more));
    perfcheck_set(pc, "max-per-id", "1");
    print(false, false);
    unsigned shown = 0;
    while (shown < 3 && perfcheck_finding(pc, shown))
        shown++;
    snprintf(more, sizeof(more), "<p class=\"soft\">and %u more</p>", (unsigned)all - shown);
    assert_non_null(strstr(text, more));
    perfcheck_set(pc, "max-per-id", "20");
}

static void a_whole_section_has_all_parts(void **state)
{
    (void)state;
    static const char *const parts[] = { "Capture", "Map",   "Over time",       "Records",
                                         "Events",  "Tasks", "Versions of perf" };
    put_capture();
    print(true, false);
    for (size_t i = 0; i < PC_COUNT_OF(parts); i++) {
        char head[64];
        snprintf(head, sizeof(head), "<h3>%s</h3>", parts[i]);
        assert_non_null(strstr(text, head));
    }
}

static void samples_of_no_task_have_a_row(void **state)
{
    (void)state;
    put_capture();
    print(true, false);
    assert_null(
        strstr(text, "<th scope=\"row\">not recorded</th><td class=\"n\"></td><td class=\"n\"></td>"));
    begin_with(PC_S_IP | PC_S_TIME, 0);
    for (unsigned i = 0; i < 10; i++)
        RECORD(PC_SAMPLE, 4096, 1000 + i);
    print(true, false);
    assert_non_null(strstr(text, "<h3>Tasks</h3>"));
    assert_non_null(strstr(text,
                           "<th scope=\"row\">not recorded</th><td class=\"n\"></td><td class=\"n\"></td>"
                           "<td class=\"n\">10</td>"));
}

static void a_row_has_the_first_finding(void **state)
{
    (void)state;
    put_capture();
    print(false, true);
    assert_non_null(strstr(text, "<a href=\"#c3\">a&#60;b</a>"));
    assert_non_null(strstr(text, "<td class=\"v valid\">valid</td>"));
    put_at(RECORD(PC_SAMPLE, pair(1, 2), 1000) + 6, 4, 2);
    print(false, true);
    assert_non_null(strstr(text, "<td class=\"v invalid\">invalid</td><td class=\"n\">"));
    assert_non_null(strstr(text, "<td class=\"w\">PC"));
}

static int set_up_page(void **state)
{
    return set_up(state) == 0 ? perfcheck_set(pc, "readers", NULL) : -1;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_short_section_says_what_is_wrong),
    cmocka_unit_test(a_short_section_counts_what_it_leaves_out),
    cmocka_unit_test(a_whole_section_has_all_parts),
    cmocka_unit_test(samples_of_no_task_have_a_row),
    cmocka_unit_test(a_row_has_the_first_finding),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up_page, tear_down };

/* SPDX-License-Identifier: MIT
 *
 * Maps and charts of captures that are written here; tests/test_report parses whole pages.
 */
#include "cli/charts.h"
#include "survey_bench.h"

#define TYPE (PC_S_TID | PC_S_TIME | PC_S_CPU)

static void chart(void (*print)(const struct pc_charted *c))
{
    FILE *out = begin_text();
    const struct pc_charted c = { .out = out, .pc = pc, .survey = s, .number = 3, .findings = 10 };
    print(&c);
    fclose(out);
}

static void print_maps(const struct pc_charted *c)
{
    pc_chart_maps(c, true);
}

static void a_mark_is_at_its_offset(void **state)
{
    (void)state;
    char mark[200];
    begin_with(TYPE, 0);
    for (unsigned i = 0; i < 100; i++)
        RECORD(PC_SAMPLE, pair(1, 2), 1000 + i, 0);
    uint64_t at = RECORD(PC_SAMPLE, pair(1, 2), 2000, 0);
    put_at(at + 6, 4, 2); /* less than a header */
    chart(print_maps);
    snprintf(mark, sizeof(mark), " x=\"%u\" y=\"0\" width=\"1\" height=\"64\" data-offset=\"0x%x\">", 0, 0);
    assert_null(strstr(text, mark));
    snprintf(mark, sizeof(mark), " data-offset=\"0x%x\">", (unsigned)at);
    assert_non_null(strstr(text, mark));
    snprintf(mark, sizeof(mark), "class=\"m error\" x=\"%u\"",
             (unsigned)((double)at / (double)in.len * 10000));
    assert_non_null(strstr(text, mark));
    assert_non_null(strstr(text, "<a href=\"#f3-0\"><rect id=\"m3-0\""));
    assert_non_null(strstr(text, "bytes of samples; "));
}

static void losses_have_their_own_line(void **state)
{
    (void)state;
    begin_with(TYPE, PC_FLAG_SAMPLE_ID_ALL);
    RECORD(PC_SAMPLE, pair(1, 2), 1000, 1);
    RECORD(PC_LOST, 1, 40, pair(1, 2), 1000000, pair(1, 0));
    chart(pc_chart_times);
    assert_non_null(strstr(text, "1 samples, 0 other records, 0 lost"));
    assert_non_null(strstr(text, "0 samples, 1 other records, 40 lost"));
    assert_non_null(strstr(text, "<th scope=\"row\">CPU 1</th>"));
    assert_non_null(strstr(text, "<path class=\"lost\""));
    begin_with(PC_S_TID, 0);
    RECORD(PC_SAMPLE, pair(1, 2));
    chart(pc_chart_times);
    assert_non_null(strstr(text, "No record has a time."));
    assert_null(strstr(text, "<path"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_mark_is_at_its_offset),
    cmocka_unit_test(losses_have_their_own_line),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

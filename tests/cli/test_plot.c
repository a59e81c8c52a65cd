/* SPDX-License-Identifier: MIT
 *
 * Plots of captures that are written here.
 */
#include "cli/plot.h"
#include "survey_bench.h"

#define TYPE (PC_S_TID | PC_S_TIME | PC_S_CPU)

static void plot(unsigned width, bool utf8)
{
    FILE *out = begin_text();
    pc_plot_print(out, s, (struct pc_plot_style){ width, utf8 });
    fclose(out);
}

/* Buckets are 1024 ns wide at least: 4 of them here, and as many columns. */
static void a_column_is_as_high_as_it_has_samples(void **state)
{
    static const unsigned samples[] = { 8, 0, 4, 1 };
    (void)state;
    begin_with(TYPE, 0);
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned k = 0; k < samples[i]; k++)
            RECORD(PC_SAMPLE, pair(1, 2), 1024 * (10 + i) + k, 3);
    }
    RECORD(PC_SAMPLE, pair(1, 2), (uint64_t)1024 * 10, 1);
    plot(80, true);
    assert_string_equal(text, "plot        samples from 0.000010240 s, 0.000001024 s in a column, at most 8\n"
                              "  cpu 1     ▁\n"
                              "  cpu 3     █ ▄▁\n");
    plot(80, false);
    assert_non_null(strstr(text, "\n  cpu 1     .\n  cpu 3     @ =.\n"));
}

static void columns_are_no_more_than_fit(void **state)
{
    (void)state;
    begin_with(TYPE, 0);
    for (unsigned i = 0; i < 100; i++)
        RECORD(PC_SAMPLE, pair(1, 2), 1024 * (10 + i), 3);
    char wanted[128];
    for (unsigned width = 32; width < 140; width++) {
        unsigned in_one = (100 + width - 13) / (width - 12), whole = 100 / in_one, rest = 100 % in_one;
        plot(width, false);
        snprintf(wanted, sizeof(wanted), "at most %u\n  cpu 3     @", in_one);
        assert_non_null(strstr(text, wanted));
        const char *row = strstr(text, "  cpu 3     ") + 12;
        assert_int_equal(strspn(row, "@"), whole);
        assert_int_equal(strlen(row), whole + (rest != 0) + 1);
        assert_true(whole + (rest != 0) <= width - 12);
    }
    plot(5, false); /* nobody can read that */
    assert_int_equal(strlen(strstr(text, "  cpu 3     ") + 12), 20 + 1);
}

static void losses_are_marked(void **state)
{
    (void)state;
    begin_with(TYPE, PC_FLAG_SAMPLE_ID_ALL);
    RECORD(PC_SAMPLE, pair(1, 2), (uint64_t)1024 * 10, pair(1, 0));
    RECORD(PC_SAMPLE, pair(1, 2), (uint64_t)1024 * 13, pair(2, 0));
    RECORD(PC_LOST, 1, 40, pair(1, 2), (uint64_t)1024 * 12, pair(1, 0));
    plot(80, false);
    assert_non_null(strstr(text, "\n  cpu 1     @\n    lost      x\n  cpu 2        @\n"));
}

static void without_cpus_times_or_samples(void **state)
{
    (void)state;
    begin_with(PC_S_TID | PC_S_TIME, 0);
    RECORD(PC_SAMPLE, pair(1, 2), (uint64_t)1024 * 10);
    plot(80, false);
    assert_non_null(strstr(text, ", at most 1\n  all       @\n"));
    begin_with(PC_S_TID, 0);
    RECORD(PC_SAMPLE, pair(1, 2));
    plot(80, false);
    assert_string_equal(text, "plot        no record has a time\n");
    begin_with(TYPE, PC_FLAG_SAMPLE_ID_ALL);
    RECORD(PC_LOST, 1, 40, pair(1, 2), (uint64_t)1024 * 12, pair(1, 0));
    plot(80, false);
    assert_non_null(strstr(text, "plot        records from"));
    assert_non_null(strstr(text, "\n  cpu 1     @\n    lost    x\n"));
}

static void of_many_cpus_some_have_rows(void **state)
{
    (void)state;
    begin_with(TYPE, 0);
    for (unsigned i = 0; i < 40; i++)
        RECORD(PC_SAMPLE, pair(1, 2), 1024, i);
    plot(80, false);
    assert_non_null(strstr(text, "\n  cpu 31    @\n  and 8 more\n"));
    assert_null(strstr(text, "cpu 32"));
}

static void a_stream_that_is_no_terminal_has_80_columns(void **state)
{
    FILE *file = tmpfile();
    (void)state;
    assert_int_equal(pc_plot_style_of(file).width, 80);
    fclose(file);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_column_is_as_high_as_it_has_samples),
    cmocka_unit_test(columns_are_no_more_than_fit),
    cmocka_unit_test(losses_are_marked),
    cmocka_unit_test(without_cpus_times_or_samples),
    cmocka_unit_test(of_many_cpus_some_have_rows),
    cmocka_unit_test(a_stream_that_is_no_terminal_has_80_columns),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

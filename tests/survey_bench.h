/* SPDX-License-Identifier: MIT
 *
 * survey_bench.h: a survey of the capture that a test has written (capture_bench.h), and the text that is
 * printed about it.
 */
#ifndef PC_SURVEY_BENCH_H
#define PC_SURVEY_BENCH_H

#include "cli/survey.h"
#include "capture_bench.h"
#include "pc_test.h"

static perfcheck_t *pc;
static struct pc_survey *s;
static char *text; /* the last one, once its stream is closed */
static size_t size;

static inline void survey(void)
{
    assert_int_equal(perfcheck_open_memory(pc, in.p, in.len), PERFCHECK_OK);
    assert_true(pc_survey_read(s));
}

/* Surveys the capture, and begins a text about it. */
static inline FILE *begin_text(void)
{
    survey();
    free(text);
    return open_memstream(&text, &size);
}

static int set_up(void **state)
{
    (void)state;
    pc = perfcheck_new();
    s = pc_survey_new(pc);
    return s ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pc_survey_free(s);
    perfcheck_free(pc);
    free(text);
    return 0;
}

#endif

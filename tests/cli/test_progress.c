/* SPDX-License-Identifier: MIT
 *
 * Lines of progress, by hand; that they are shown, and go away, is in test_cli.
 */
#include "cli/progress.h"
#include "pc_test.h"

#include <limits.h>

static void a_line_shows_amount_speed_and_time(void **state)
{
    (void)state;
    const uint64_t mib = 1 << 20, most = UINT64_MAX;
    static const struct {
        uint64_t done, total;
        double elapsed;
        const char *line;
    } rows[] = {
        { 0, 0, 0, "x: 0.0 MiB, 0 MiB/s" },
        { 3 * mib + mib / 2, 0, 0.5, "x: 3.5 MiB, 7 MiB/s" },
        { 0, 10 * mib, 1, "x: 0.0 of 10.0 MiB (0%), 0 MiB/s, 0:00 left" },
        { 5 * mib, 10 * mib, 10, "x: 5.0 of 10.0 MiB (50%), 0 MiB/s, 0:10 left" }, /* half of one is even */
        { mib, 100 * mib, 1, "x: 1.0 of 100.0 MiB (1%), 1 MiB/s, 1:39 left" },
        { mib, 10001 * mib, 1, "x: 1.0 of 10001.0 MiB (0%), 1 MiB/s, 2:46:40 left" },
        { 999 * mib, 1000 * mib, 999, "x: 999.0 of 1000.0 MiB (99%), 1 MiB/s, 0:01 left" },
        { 11 * mib, 10 * mib, 11, "x: 10.0 of 10.0 MiB (100%), 1 MiB/s, 0:00 left" },
        { 1, most, 1000, "x: 0.0 of 17592186044416.0 MiB (0%), 0 MiB/s, 99:59:59 left" },
        { most, most, 0, "x: 17592186044416.0 of 17592186044416.0 MiB (100%), 0 MiB/s, 0:00 left" },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        char line[PC_PROGRESS_TEXT];
        pc_progress_text(line, "x", rows[i].done, rows[i].total, rows[i].elapsed);
        assert_string_equal(line, rows[i].line);
    }
}

static void long_names_are_cut(void **state)
{
    (void)state;
    char name[200], line[PC_PROGRESS_TEXT];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = 0;
    for (int total = 0; total < 2; total++) {
        pc_progress_text(line, name, 1, (uint64_t)total, 1);
        assert_int_equal(strlen(line), PC_PROGRESS_TEXT - 1);
    }
}

static size_t shown(struct pc_progress_line *p)
{
    char *text = NULL;
    size_t len = 0;
    p->out = open_memstream(&text, &len);
    assert_non_null(p->out);
    pc_progress_line_tell(p, "x", 5, 10);
    size_t now = len; /* what was flushed */
    assert_int_equal(fclose(p->out), 0);
    free(text);
    assert_int_equal(now, len);
    return len;
}

/* With clocks that are far from now, so that it does not matter how long the test takes. */
static void progress_appears_late_and_rarely(void **state)
{
    (void)state;
    const time_t far = 100000;
    struct pc_progress_line p = { .out = stdout };
    pc_progress_line_tell(&p, "x", 0, 0);
    assert_true(p.begun);
    const struct timespec now = p.start;
    p.start = (struct timespec){ now.tv_sec + far, 0 };
    assert_int_equal(shown(&p), 0);
    p.start = (struct timespec){ now.tv_sec, LONG_MAX - 1000000000 };
    assert_int_equal(shown(&p), 0);
    p.start = (struct timespec){ now.tv_sec - far, 0 };
    assert_true(shown(&p) > 0);
    p.last = (struct timespec){ now.tv_sec + far, 0 };
    assert_int_equal(shown(&p), 0);
    p.last = (struct timespec){ now.tv_sec - far, 0 };
    assert_true(shown(&p) > 0);
}

/* Of many small captures none takes half a second. */
static void the_number_of_a_capture_is_shown(void **state)
{
    (void)state;
    char *text = NULL;
    size_t len = 0;
    struct pc_progress_line p = { .doing = "checking", .number = 1, .of = 1000 };
    p.out = open_memstream(&text, &len);
    assert_non_null(p.out);
    pc_progress_line_tell(&p, "x", 0, 0);
    fflush(p.out);
    assert_int_equal(len, 0);
    p.first.tv_sec -= 1;
    p.number = 2;
    pc_progress_line_tell(&p, "x", 0, 0);
    pc_progress_line_tell(&p, "x", 0, 0); /* too soon for another line */
    p.last.tv_sec -= 1;
    p.number = 3;
    pc_progress_line_tell(&p, "x", 0, 0);
    pc_progress_line_tell(&p, NULL, 0, 0);
    assert_int_equal(fclose(p.out), 0);
    assert_string_equal(text, "\rchecking 2 of 1000\033[K\r\033[K\rchecking 3 of 1000\033[K\r\033[K");
    free(text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_line_shows_amount_speed_and_time),
    cmocka_unit_test(long_names_are_cut),
    cmocka_unit_test(progress_appears_late_and_rarely),
    cmocka_unit_test(the_number_of_a_capture_is_shown),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * options_bench.h: options that a test sets by name, and why one could not be set.
 */
#ifndef OPTIONS_BENCH_H
#define OPTIONS_BENCH_H

#include "lib/options.h"
#include "pc_test.h"

static struct pc_options options;
static struct pc_buffer why;

static int set_up(void **state)
{
    (void)state;
    pc_options_init(&options);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pc_options_clear(&options);
    assert_int_equal(options.mem.used, 0);
    return 0;
}

static bool set(const char *name, const char *value)
{
    return pc_options_set(&options, name, value, &why);
}

struct refused {
    const char *name, *value, *why;
};

static void assert_refused(const struct refused *rows, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        set_up(NULL);
        assert_false(set(rows[i].name, rows[i].value));
        assert_string_equal(why.text, rows[i].why);
        pc_options_clear(&options);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif

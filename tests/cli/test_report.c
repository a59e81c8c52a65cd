/* SPDX-License-Identifier: MIT
 *
 * Where the page goes when it cannot be made; all else is in tests/test_report.
 */
#include "cli/command.h"
#include "pc_test.h"

static char folder[] = "/tmp/test_report.XXXXXX";

static enum pc_status run(const char *capture, const char *output)
{
    static char program[] = "report", option[] = "-o", quiet[] = "--no-policy";
    char to[200], from[200];
    char *argv[] = { program, quiet, option, to, from, NULL };
    static struct pc_arguments arguments;
    snprintf(to, sizeof(to), "%s/%s", folder, output);
    snprintf(from, sizeof(from), "%s/%s", folder, capture);
    optind = 0;
    int first = pc_arguments_read(&arguments, "report", 5, argv);
    assert_int_equal(first, 4);
    enum pc_status status = pc_command_report(&arguments, argv + first, 1);
    pc_arguments_clear(&arguments);
    return status;
}

static const char *path_of(const char *name)
{
    static char path[200];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static bool exists(const char *name)
{
    return access(path_of(name), F_OK) == 0;
}

static void a_page_appears_only_where_it_may(void **state)
{
    (void)state;
    assert_int_equal(run("none", "page"), PC_STATUS_TROUBLE);
    assert_false(exists("page"));
    FILE *page = fopen(path_of("page"), "w");
    assert_non_null(page);
    fclose(page);
    assert_int_equal(run("page", "page"), PC_STATUS_TROUBLE); /* it exists, and is the input */
    assert_int_equal(run("page", "no/page"), PC_STATUS_TROUBLE);
    assert_int_equal(run("page", "other"), PC_STATUS_FINDINGS); /* no capture */
    assert_true(exists("other"));
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path_of("page"));
    unlink(path_of("other"));
    return rmdir(folder);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_page_appears_only_where_it_may),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

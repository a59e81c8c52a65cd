/* SPDX-License-Identifier: MIT
 *
 * Targets of both kinds: their paths, and how they appear. test_sink and test_folder do the same with calls
 * of the system that fail, and at the moment of a signal.
 */
#include "pc_test.h"
#include "bytes/target.h"
#include "base/text.h"

#include <sys/stat.h>

static char folder[] = "/tmp/perfcheck-target-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1; /* which is empty again */
}

static bool is_there(const char *name)
{
    struct stat st;
    return lstat(name, &st) == 0;
}

static void paths_without_a_name_are_refused(void **state)
{
    (void)state;
    struct pc_target t;
    char name[PC_SINK_NAME + 1];
    static const struct {
        const char *path;
        int file, directory;
    } paths[] = {
        { "", ENOENT, ENOENT },     { "/", EISDIR, EISDIR }, { ".", EISDIR, EISDIR },
        { "a/..", EISDIR, EISDIR }, { "out/", EISDIR, 0 },   { "none/out", ENOENT, ENOENT },
        { "./out", 0, 0 },          { "//tmp///out", 0, 0 }, { "/tmp/out", 0, 0 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(paths); i++) {
        assert_int_equal(pc_target_open(&t, paths[i].path, false, NULL), paths[i].file);
        pc_target_close(&t);
        assert_int_equal(pc_target_open(&t, paths[i].path, true, NULL), paths[i].directory);
        pc_target_close(&t);
    }
    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = 0;
    assert_int_equal(pc_target_open(&t, name, false, NULL), ENAMETOOLONG);
    assert_int_equal(pc_target_open(&t, name + 1, false, NULL), 0);
    assert_string_equal(t.name, name + 1);
    pc_target_close(&t);
}

static void a_target_has_a_temporary_name_until_it_appears(void **state)
{
    (void)state;
    for (int directory = 0; directory < 2; directory++) {
        struct pc_target t, second;
        assert_int_equal(pc_target_open(&t, "out", directory, NULL), 0);
        assert_int_equal(pc_target_make(&t, 0700), 0);
        assert_true(is_there(t.temporary) && !is_there("out"));
        assert_int_equal(pc_target_open(&second, "out", directory, NULL), 0);
        assert_int_equal(pc_target_make(&second, 0700), 0);
        assert_int_equal(pc_target_appear(&t, NULL, NULL), 0);
        assert_true(!is_there(t.temporary) && is_there("out"));
        assert_int_equal(pc_target_appear(&second, NULL, NULL), EEXIST);
        pc_target_close(&t);
        pc_target_close(&second); /* removes it */
        assert_false(is_there(second.temporary));
        assert_true(is_there("out"));
        assert_int_equal(directory ? rmdir("out") : unlink("out"), 0);
    }
}

static int replace_nothing(void *ctx, bool *was_there)
{
    *was_there = false;
    return *(int *)ctx;
}

static void a_target_stays_hidden_if_the_old_one_cannot_be_replaced(void **state)
{
    (void)state;
    struct pc_target t;
    int error = EPERM;
    assert_int_equal(pc_target_open(&t, "out", false, NULL), 0);
    assert_int_equal(pc_target_make(&t, 0600), 0);
    assert_int_equal(pc_target_appear(&t, replace_nothing, &error), EPERM);
    assert_true(is_there(t.temporary));
    pc_target_close(&t);
    assert_false(is_there(t.temporary));
}

static void a_directory_at_the_temporary_name_is_left_alone(void **state)
{
    (void)state;
    struct pc_target t;
    assert_int_equal(pc_target_open(&t, "out", false, NULL), 0);
    assert_int_equal(pc_target_make(&t, 0600), 0);
    assert_int_equal(unlink(t.temporary), 0);
    assert_int_equal(mkdir(t.temporary, 0700), 0);
    assert_int_equal(pc_target_appear(&t, NULL, NULL), ESTALE);
    pc_target_close(&t);
    assert_int_equal(rmdir(t.temporary), 0);
}

static void errors_are_told_in_words_of_users(void **state)
{
    (void)state;
    assert_non_null(strstr(pc_output_error_text(EEXIST), "--force"));
    assert_non_null(strstr(pc_output_error_text(ESPIPE), "--no-verify"));
    assert_non_null(strstr(pc_output_error_text(ECANCELED), "refused"));
    assert_string_equal(pc_output_error_text(ENOSPC), pc_text_error(ENOSPC));
    assert_non_null(strstr(pc_output_error_text(PC_NOT_REGULAR), "(- writes to standard output)"));
    assert_null(strstr(pc_output_file_error_text(PC_NOT_REGULAR), "standard output"));
    assert_string_equal(pc_output_file_error_text(EEXIST), pc_output_error_text(EEXIST));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(paths_without_a_name_are_refused),
    cmocka_unit_test(a_target_has_a_temporary_name_until_it_appears),
    cmocka_unit_test(a_target_stays_hidden_if_the_old_one_cannot_be_replaced),
    cmocka_unit_test(a_directory_at_the_temporary_name_is_left_alone),
    cmocka_unit_test(errors_are_told_in_words_of_users),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

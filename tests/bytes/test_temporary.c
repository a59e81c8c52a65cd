/* SPDX-License-Identifier: MIT
 *
 * Temporary files and directories: their names, the table of them, and that nothing else is removed.
 */
#include "bytes/temporary.h"
#include "pc_test.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static int folder;

static int set_up(void **state)
{
    (void)state;
    char path[SCRATCH_PATH];
    scratch_path(path, "");
    folder = open(path, O_RDONLY | O_DIRECTORY);
    return folder < 0;
}

static int tear_down(void **state)
{
    close(folder);
    return scratch_tear_down(state);
}

/* Makes a file of that name, and notes it when there is an entry for it. */
static void make_file(struct pc_temporary *entry, const char *name)
{
    struct stat st;
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    close(fd);
    char whole[PC_SINK_NAME] = { 0 };
    snprintf(whole, sizeof(whole), "%s", name);
    if (entry)
        pc_temporary_note(entry, folder, -1, whole, st.st_dev, st.st_ino);
}

static void names_are_hidden_random_and_no_longer_than_names_can_be(void **state)
{
    (void)state;
    char target[PC_SINK_NAME], one[PC_SINK_NAME], two[PC_SINK_NAME];
    memset(target, 'x', sizeof(target) - 1);
    target[sizeof(target) - 1] = 0;
    for (size_t len = 1; len < sizeof(target); len *= 3) {
        const char *name = target + sizeof(target) - 1 - len;
        assert_int_equal(pc_temporary_name(name, one), 0);
        assert_int_equal(pc_temporary_name(name, two), 0);
        assert_string_not_equal(one, two);
        assert_true(one[0] == '.' && strlen(one) <= 1 + 64 + strlen(".perfcheck-") + 6);
        assert_int_equal(strncmp(one + 1, name, len < 64 ? len : 64), 0);
    }
}

static void all_that_is_noted_is_removed_and_nothing_else(void **state)
{
    (void)state;
    struct pc_temporary *entry[3];
    for (size_t i = 0; i < PC_COUNT_OF(entry); i++)
        entry[i] = pc_temporary_take();
    make_file(entry[0], "noted");
    make_file(entry[1], "released");
    make_file(entry[2], "replaced");
    make_file(NULL, "other");
    pc_temporary_release(entry[1]);
    assert_int_equal(renameat(folder, "replaced", folder, "ours"), 0);
    make_file(NULL, "replaced");
    errno = EXDEV;
    pc_temporary_remove_all();
    assert_int_equal(errno, EXDEV);
    pc_temporary_remove(entry[2]);
    assert_int_equal(faccessat(folder, "noted", F_OK, 0), -1);
    assert_int_equal(scratch_entries(), 4);
    pc_temporary_release(entry[0]);
    pc_temporary_release(entry[2]);
    assert_int_equal(scratch_look(true), 4);
}

static void a_directory_goes_with_its_files_and_their_folders(void **state)
{
    (void)state;
    const char name[PC_SINK_NAME] = "directory";
    struct pc_temporary *entry = pc_temporary_take();
    struct stat st;
    assert_int_equal(mkdirat(folder, name, 0700), 0);
    assert_int_equal(mkdirat(folder, "directory/in", 0700), 0);
    make_file(NULL, "directory/file");
    make_file(NULL, "directory/in/file");
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(pc_temporary_is_ours(folder, name, st.st_dev, st.st_ino), 0);
    assert_int_equal(pc_temporary_is_ours(folder, name, st.st_dev, st.st_ino + 1), ESTALE);
    assert_int_equal(pc_temporary_is_ours(folder, "none", st.st_dev, st.st_ino), ENOENT);
    pc_temporary_note(entry, folder, fd, name, st.st_dev, st.st_ino);
    pc_temporary_remove(entry);
    pc_temporary_release(entry);
    close(fd);
    assert_int_equal(scratch_entries(), 0);
}

static void the_table_has_an_end(void **state)
{
    (void)state;
    struct pc_temporary *taken[PC_TEMPORARIES_MAX];
    for (size_t i = 0; i < PC_TEMPORARIES_MAX; i++) {
        taken[i] = pc_temporary_take();
        assert_non_null(taken[i]);
    }
    assert_null(pc_temporary_take());
    pc_temporary_release(taken[5]);
    assert_ptr_equal(pc_temporary_take(), taken[5]);
    pc_temporary_remove_all(); /* none is noted */
    for (size_t i = 0; i < PC_TEMPORARIES_MAX; i++)
        pc_temporary_release(taken[i]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_are_hidden_random_and_no_longer_than_names_can_be),
    cmocka_unit_test(all_that_is_noted_is_removed_and_nothing_else),
    cmocka_unit_test(a_directory_goes_with_its_files_and_their_folders),
    cmocka_unit_test(the_table_has_an_end),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

/* SPDX-License-Identifier: MIT
 *
 * Calls that take the names of files: what each one asks the system, or another process that does it.
 */
#include "pc_test.h"
#include "bytes/names.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>

static char path[SCRATCH_PATH];
static struct pc_name_call asked;
static int answer;

static int ask(const struct pc_name_call *call)
{
    asked = *call;
    errno = EXDEV;
    return answer;
}

static void another_process_gets_each_call_as_it_is(void **state)
{
    (void)state;
    struct stat st;
    pc_name_through(ask);
    answer = 17;
    assert_int_equal(pc_name_create(3, "a", O_CREAT | O_RDWR, 0640), 17);
    assert_int_equal(asked.kind, PC_NAME_OPEN);
    assert_int_equal(asked.at, 3);
    assert_string_equal(asked.name, "a");
    assert_int_equal(asked.flags, O_CREAT | O_RDWR);
    assert_int_equal(asked.mode, 0640);
    assert_null(asked.to);
    assert_int_equal(pc_name_open(4, "b", O_RDONLY), 17);
    assert_int_equal(asked.mode, 0);
    assert_int_equal(pc_name_open_beneath(9, "j/k", O_DIRECTORY), 17);
    assert_int_equal(asked.kind, PC_NAME_OPEN_BENEATH);
    assert_int_equal(asked.flags, O_DIRECTORY);
    answer = -1;
    assert_int_equal(pc_name_stat(5, "c", &st, AT_SYMLINK_NOFOLLOW), -1);
    assert_int_equal(errno, EXDEV);
    assert_int_equal(asked.kind, PC_NAME_STAT);
    assert_ptr_equal(asked.st, &st);
    assert_int_equal(asked.flags, AT_SYMLINK_NOFOLLOW);
    pc_name_make_directory(6, "d", 0700);
    assert_int_equal(asked.kind, PC_NAME_MAKE_DIRECTORY);
    assert_int_equal(asked.mode, 0700);
    pc_name_remove(7, "e", AT_REMOVEDIR);
    assert_int_equal(asked.kind, PC_NAME_REMOVE);
    assert_int_equal(asked.flags, AT_REMOVEDIR);
    pc_name_rename(8, "f", "g", RENAME_NOREPLACE);
    assert_int_equal(asked.kind, PC_NAME_RENAME);
    assert_string_equal(asked.to, "g");
    assert_int_equal(asked.flags, RENAME_NOREPLACE);
    pc_name_link(9, "h", "i");
    assert_int_equal(asked.kind, PC_NAME_LINK);
    assert_string_equal(asked.to, "i");
    pc_name_through(NULL);
}

static void the_system_does_each_call(void **state)
{
    (void)state;
    struct stat st;
    char whole[SCRATCH_PATH + 8];
    scratch_path(path, "dir");
    assert_int_equal(pc_name_make_directory(AT_FDCWD, path, 0700), 0);
    int at = pc_name_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(at >= 0);
    int fd = pc_name_create(at, "one", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(pc_name_create(at, "one", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600), -1);
    assert_int_equal(errno, EEXIST);
    assert_int_equal(pc_name_link(at, "one", "two"), 0);
    assert_int_equal(pc_name_stat(at, "two", &st, 0), 0);
    assert_int_equal(st.st_nlink, 2);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(pc_name_rename(at, "one", "three", 0), 0);
    assert_int_equal(pc_name_rename(at, "three", "two", RENAME_NOREPLACE), -1);
    assert_int_equal(errno, EEXIST);
    assert_int_equal(pc_name_stat(at, "one", &st, 0), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(pc_name_remove(at, "two", 0), 0);
    assert_int_equal(pc_name_remove(at, "three", 0), 0);
    snprintf(whole, sizeof(whole), "%s/one", path);
    assert_int_equal(access(whole, F_OK), -1);
    close(at);
    assert_int_equal(pc_name_remove(AT_FDCWD, path, AT_REMOVEDIR), 0);
    struct pc_name_call unknown = { .kind = (enum pc_name_kind)99, .at = AT_FDCWD, .name = path };
    assert_int_equal(pc_name_do(&unknown), -1);
    assert_int_equal(errno, EINVAL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(another_process_gets_each_call_as_it_is),
    cmocka_unit_test(the_system_does_each_call),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, scratch_tear_down };

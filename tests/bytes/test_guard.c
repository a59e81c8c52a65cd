/* SPDX-License-Identifier: MIT
 *
 * What an output may not be: an input, a file in one, or a directory that holds one.
 */
#include "bytes/guard.h"
#include "pc_test.h"
#include "scratch.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* What reading a directory ends with; 0: it is read. */
static int read_error;

struct dirent *readdir(DIR *stream)
{
    /* The name of the function for files of any size; 32-bit systems have another one for small ones. */
    void *symbol = dlsym(RTLD_NEXT, sizeof(long) < sizeof(off_t) ? "readdir64" : "readdir");
    struct dirent *(*real)(DIR *);
    memcpy(&real, &symbol, sizeof(real));
    if (read_error == 0)
        return real(stream);
    errno = read_error;
    return NULL;
}

/*
 *  in           the input, a file
 *  hard, soft   links to it
 *  other        another file
 *  near/in      a link to the input in a directory
 *  deep/a/in    one level further
 *  deeper/a/b/in
 *  capture/     an input that is a directory, with data and sub/file
 */
static int folder = -1;

static void make_file(const char *name)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    close(fd);
}

static int set_up(void **state)
{
    char path[SCRATCH_PATH];
    static const char *const directories[] = { "near",     "deep",       "deep/a",  "deeper",
                                               "deeper/a", "deeper/a/b", "capture", "capture/sub" };
    static const char *const links[] = { "hard", "near/in", "deep/a/in", "deeper/a/b/in" };
    (void)state;
    scratch_path(path, "");
    folder = open(path, O_RDONLY | O_DIRECTORY);
    make_file("in");
    make_file("other");
    for (size_t i = 0; i < PC_COUNT_OF(directories); i++)
        assert_int_equal(mkdirat(folder, directories[i], 0700), 0);
    for (size_t i = 0; i < PC_COUNT_OF(links); i++)
        assert_int_equal(linkat(folder, "in", folder, links[i], 0), 0);
    assert_int_equal(symlinkat("in", folder, "soft"), 0);
    make_file("capture/data");
    make_file("capture/sub/file");
    return 0;
}

static int tear_down(void **state)
{
    static const char *const names[] = { "near/in",       "deep/a/in",        "deep/a",
                                         "deeper/a/b/in", "deeper/a/b",       "deeper/a",
                                         "capture/data",  "capture/sub/file", "capture/sub" };
    for (size_t i = 0; i < PC_COUNT_OF(names); i++) {
        if (unlinkat(folder, names[i], 0) != 0)
            unlinkat(folder, names[i], AT_REMOVEDIR);
    }
    close(folder);
    return scratch_tear_down(state);
}

static int open_in(const char *name, int flags)
{
    int fd = openat(folder, name, flags);
    assert_true(fd >= 0);
    return fd;
}

struct row {
    const char *folder, *name;
    int expected;
};

static void check_names(const char *input, const struct row *rows, size_t nr)
{
    const int fd = open_in(input, O_RDONLY);
    const struct pc_inputs inputs = { &fd, 1 };
    for (size_t i = 0; i < nr; i++) {
        int at = open_in(rows[i].folder, O_RDONLY | O_DIRECTORY);
        int got = pc_guard_name(at, rows[i].name, &inputs);
        if (got != rows[i].expected)
            fail_msg("%s in %s: %d", rows[i].name, rows[i].folder, got);
        close(at);
    }
    close(fd);
}

static void an_input_is_not_an_output_under_any_of_its_names(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { ".", "in", PC_IS_INPUT },    { ".", "hard", PC_IS_INPUT }, { ".", "soft", PC_IS_INPUT },
        { "near", "in", PC_IS_INPUT }, { ".", "other", 0 },          { ".", "missing", 0 },
        { "capture", "data", 0 },
    };
    check_names("in", rows, PC_COUNT_OF(rows));
}

/* What cannot be looked at may be the input. */
static void a_directory_that_cannot_be_read_is_no_output(void **state)
{
    (void)state;
    static const struct row rows[] = { { ".", "near", EIO }, { ".", "deeper", EIO } };
    read_error = EIO;
    check_names("in", rows, PC_COUNT_OF(rows));
    read_error = 0;
}

/* A directory capture has files and directories of files, but no deeper levels. */
static void a_directory_that_contains_an_input_is_not_an_output(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { ".", "near", PC_IS_INPUT },
        { ".", "deep", PC_IS_INPUT },
        { ".", "deeper", 0 },
        { ".", "capture", 0 },
    };
    check_names("in", rows, PC_COUNT_OF(rows));
}

static void nothing_is_written_into_an_input_directory(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { ".", "capture", PC_IS_INPUT },
        { "capture", "data", PC_IS_INPUT },
        { "capture", "missing", PC_IS_INPUT },
        { "capture/sub", "missing", PC_IS_INPUT },
        { ".", "other", 0 },
        { "near", "missing", 0 },
    };
    check_names("capture", rows, PC_COUNT_OF(rows));
}

static void every_input_with_a_descriptor_is_guarded(void **state)
{
    (void)state;
    const int fd[] = { -1, open_in("other", O_RDONLY), open_in("in", O_RDONLY) };
    assert_int_equal(pc_guard_name(folder, "in", &(struct pc_inputs){ fd, 1 }), 0);
    assert_int_equal(pc_guard_name(folder, "in", &(struct pc_inputs){ fd, 2 }), 0);
    assert_int_equal(pc_guard_name(folder, "in", &(struct pc_inputs){ fd, 3 }), PC_IS_INPUT);
    assert_int_equal(pc_guard_name(folder, "in", NULL), 0);
    assert_int_equal(pc_guard_file(fd[2], &(struct pc_inputs){ fd, 2 }), 0);
    assert_int_equal(pc_guard_file(fd[2], &(struct pc_inputs){ fd, 3 }), PC_IS_INPUT);
    assert_int_equal(pc_guard_file(fd[2], NULL), 0);
    close(fd[1]);
    close(fd[2]);
}

static void an_open_output_must_not_be_an_input(void **state)
{
    (void)state;
    const int file = open_in("in", O_RDONLY), directory = open_in("capture", O_RDONLY);
    const struct pc_inputs inputs = { (const int[]){ file, directory }, 2 };
    static const struct {
        const char *name;
        int expected;
    } rows[] = { { "hard", PC_IS_INPUT },
                 { "other", 0 },
                 { "capture/data", PC_IS_INPUT },
                 { "capture/sub/file", PC_IS_INPUT } };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        int out = open_in(rows[i].name, O_WRONLY);
        assert_int_equal(pc_guard_file(out, &inputs), rows[i].expected);
        close(out);
    }
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pc_guard_file(ends[1], &(struct pc_inputs){ ends, 1 }), 0); /* a pipe is no file */
    close(ends[0]);
    close(ends[1]);
    close(file);
    close(directory);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_input_is_not_an_output_under_any_of_its_names),
    cmocka_unit_test(a_directory_that_cannot_be_read_is_no_output),
    cmocka_unit_test(a_directory_that_contains_an_input_is_not_an_output),
    cmocka_unit_test(nothing_is_written_into_an_input_directory),
    cmocka_unit_test(every_input_with_a_descriptor_is_guarded),
    cmocka_unit_test(an_open_output_must_not_be_an_input),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

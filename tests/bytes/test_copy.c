/* SPDX-License-Identifier: MIT
 *
 * Copies of files: all bytes, holes as holes, permission bits, and what cannot be copied.
 */
#include "pc_test.h"
#include "bytes/copy.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static struct pc_mem mem;
static char source[SCRATCH_PATH], copied[SCRATCH_PATH];

/* A file of so many bytes, with these at a place; the rest is a hole. */
static int make(size_t size, size_t at, const char *bytes)
{
    scratch_path(source, "source");
    int fd = open(source, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    assert_int_equal(pwrite(fd, bytes, strlen(bytes), (off_t)at), (ssize_t)strlen(bytes));
    return fd;
}

/* Whether the copy has the bytes of the file, or an errno. */
static int compare(int from)
{
    int to = open(copied, O_RDONLY | O_CLOEXEC);
    assert_true(to >= 0);
    int error = pc_copy_compare(&mem, NULL, to, from);
    assert_int_equal(mem.used, 0);
    close(to);
    return error;
}

static int copy(int from, bool verify)
{
    scratch_path(copied, "copied");
    pc_mem_init(&mem, 1 << 20);
    int folder = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = pc_copy_file(&mem, NULL, from, folder, "copied");
    assert_int_equal(mem.used, 0);
    close(folder);
    if (error == 0 && verify)
        error = compare(from);
    return error;
}

static void all_bytes_are_copied_wherever_they_are(void **state)
{
    (void)state;
    static const size_t chunk = 256 << 10, sizes[] = { 4, 4096, (256 << 10) + 1, 9 << 20 };
    for (size_t i = 0; i < PC_COUNT_OF(sizes); i++) {
        const size_t places[] = { 0, sizes[i] / 2, sizes[i] - 4 };
        for (size_t k = 0; k < PC_COUNT_OF(places); k++) {
            char back[4];
            struct stat st;
            size_t at = places[k] < sizes[i] - 4 ? places[k] : sizes[i] - 4;
            int fd = make(sizes[i], at, "data");
            assert_int_equal(copy(fd, true), 0);
            int to = open(copied, O_RDONLY | O_CLOEXEC);
            assert_int_equal(fstat(to, &st), 0);
            assert_int_equal(st.st_size, sizes[i]);
            assert_int_equal(st.st_mode & 0137, 0);
            assert_int_equal(pread(to, back, 4, (off_t)at), 4);
            assert_memory_equal(back, "data", 4);
            if (sizes[i] > 8 * chunk) /* the hole is one in the copy too */
                assert_true((size_t)st.st_blocks * 512 < sizes[i] / 2);
            close(to);
            close(fd);
            unlink(copied);
        }
    }
}

static void an_empty_file_has_an_empty_copy(void **state)
{
    (void)state;
    struct stat st;
    int fd = make(0, 0, "");
    assert_int_equal(copy(fd, true), 0);
    assert_int_equal(stat(copied, &st), 0);
    assert_int_equal(st.st_size, 0);
    close(fd);
    unlink(copied);
}

static void what_cannot_be_copied_is_an_error(void **state)
{
    (void)state;
    int fd = make(4, 0, "data"), ends[2];
    assert_int_equal(copy(fd, false), 0);
    assert_int_equal(copy(fd, false), EEXIST); /* never over a file that is there */
    unlink(copied);
    assert_int_equal(symlink("elsewhere", copied), 0);
    assert_int_equal(copy(fd, false), EEXIST);
    unlink(copied);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(copy(ends[0], false), EINVAL);
    assert_int_equal(copy(-1, false), EBADF);
    assert_int_equal(access(copied, F_OK), -1);
    pc_mem_init(&mem, 1 << 20);
    mem.fail_at = 1;
    int folder = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(pc_copy_file(&mem, NULL, fd, folder, "copied"), ENOMEM);
    mem.fail_at = 2;
    assert_int_equal(pc_copy_compare(&mem, NULL, fd, fd), ENOMEM);
    close(folder);
    close(ends[0]);
    close(ends[1]);
    close(fd);
}

static void each_byte_and_the_size_count(void **state)
{
    (void)state;
    static const size_t size = (512 << 10) + 1;
    int fd = make(size, size - 4, "data");
    assert_int_equal(copy(fd, true), 0);
    int to = open(copied, O_RDWR | O_CLOEXEC);
    static const size_t places[] = { 0, (128 << 10) - 1, 128 << 10, size - 5, size - 4, size - 1 };
    for (size_t i = 0; i < PC_COUNT_OF(places); i++) {
        char was;
        assert_int_equal(pread(to, &was, 1, (off_t)places[i]), 1);
        assert_int_equal(pwrite(to, "x", 1, (off_t)places[i]), 1);
        assert_int_equal(compare(fd), ESTALE);
        assert_int_equal(pwrite(to, &was, 1, (off_t)places[i]), 1);
        assert_int_equal(compare(fd), 0);
    }
    assert_int_equal(ftruncate(to, (off_t)size - 1), 0);
    assert_int_equal(compare(fd), ESTALE);
    assert_int_equal(ftruncate(to, (off_t)size + 1), 0);
    assert_int_equal(compare(fd), ESTALE);
    close(to);
    close(fd);
    unlink(copied);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_bytes_are_copied_wherever_they_are),
    cmocka_unit_test(each_byte_and_the_size_count),
    cmocka_unit_test(an_empty_file_has_an_empty_copy),
    cmocka_unit_test(what_cannot_be_copied_is_an_error),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, scratch_tear_down };

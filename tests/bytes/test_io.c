/* SPDX-License-Identifier: MIT
 *
 * What is read and written whole, on real files. test_sink and test_folder make the calls fail and be
 * interrupted.
 */
#include "pc_test.h"
#include "bytes/io.h"

#include <errno.h>
#include <sys/syscall.h>

/* What fsync returns instead of what it does; 0: it does it. */
static int sync_error;

int fsync(int fd)
{
    if (sync_error == 0)
        return (int)syscall(SYS_fsync, fd);
    errno = sync_error;
    return -1;
}

/* Whether pread fails and says no reason. */
static bool no_reason;

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
    if (!no_reason)
        return syscall(SYS_pread64, fd, to, n, at);
    errno = 0;
    return -1;
}

static int new_file(void)
{
    int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        lacks("files without a name in /tmp");
    return fd;
}

static void bytes_are_written_and_read_at_offsets(void **state)
{
    (void)state;
    unsigned char back[6] = { 0 };
    int fd = new_file();
    assert_int_equal(pc_io_write(fd, 3, (const unsigned char *)"def", 3), 0);
    assert_int_equal(pc_io_write(fd, 0, (const unsigned char *)"abc", 3), 0);
    assert_int_equal(pc_io_read(fd, 0, back, 6), 0);
    assert_memory_equal(back, "abcdef", 6);
    assert_int_equal(lseek(fd, 0, SEEK_CUR), 0); /* the position of the descriptor is not used */
    close(fd);
}

static void a_stream_is_written_at_its_current_position(void **state)
{
    (void)state;
    unsigned char back[2];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pc_io_write(ends[1], PC_IO_STREAM, (const unsigned char *)"ab", 2), 0);
    assert_int_equal(read(ends[0], back, 2), 2);
    assert_memory_equal(back, "ab", 2);
    assert_int_equal(pc_io_write(ends[1], 0, (const unsigned char *)"ab", 2), ESPIPE);
    close(ends[0]);
    close(ends[1]);
}

static void a_read_after_the_end_of_a_file_is_cut(void **state)
{
    (void)state;
    unsigned char back[8];
    int fd = new_file();
    assert_int_equal(pc_io_set_length(fd, 7), 0);
    assert_int_equal(pc_io_read(fd, 0, back, 7), 0);
    assert_int_equal(pc_io_read(fd, 0, back, 8), PC_IO_CUT);
    assert_int_equal(pc_io_read(fd, 9, back, 0), 0);
    close(fd);
    assert_int_equal(pc_io_read(fd, 0, back, 1), EBADF);
    assert_int_equal(pc_io_set_length(fd, 7), EBADF);
}

static void files_and_directories_are_flushed(void **state)
{
    (void)state;
    int fd = new_file(), ends[2];
    assert_int_equal(pc_io_sync(fd), 0);
    close(fd);
    assert_int_equal(pc_io_sync(fd), EBADF);
    assert_int_equal(pc_io_sync_directory(fd), EBADF);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pc_io_sync(ends[0]), EINVAL);
    assert_int_equal(pc_io_sync_directory(ends[0]), 0); /* it needs none */
    close(ends[0]);
    close(ends[1]);
}

static void a_disk_that_fails_is_no_directory_without_fsync(void **state)
{
    (void)state;
    static const int errors[] = { EIO, ENOSPC, EROFS, EDQUOT };
    for (size_t i = 0; i < PC_COUNT_OF(errors); i++) {
        sync_error = errors[i];
        assert_int_equal(pc_io_sync(0), errors[i]);
        assert_int_equal(pc_io_sync_directory(0), errors[i]);
    }
    sync_error = 0;
}

static void a_failure_without_a_reason_is_an_error(void **state)
{
    (void)state;
    unsigned char byte;
    no_reason = true;
    assert_int_equal(pc_io_read(0, 0, &byte, 1), EIO);
    no_reason = false;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bytes_are_written_and_read_at_offsets),
    cmocka_unit_test(a_stream_is_written_at_its_current_position),
    cmocka_unit_test(a_read_after_the_end_of_a_file_is_cut),
    cmocka_unit_test(files_and_directories_are_flushed),
    cmocka_unit_test(a_disk_that_fails_is_no_directory_without_fsync),
    cmocka_unit_test(a_failure_without_a_reason_is_an_error),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * Inputs: files, streams, memory; offsets, short reads, errors, holes, spooling.
 */
#include "bytes/input.h"
#include "pc_test.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* Whether pread fails and says no reason. */
static bool no_reason;

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
    if (!no_reason)
        return syscall(SYS_pread64, fd, to, n, at);
    errno = 0;
    return -1;
}

static const char digits[] = "0123456789";
static unsigned char got[64];

static struct pc_span ten_digits(void)
{
    return (struct pc_span){ (const unsigned char *)digits, 10 };
}

/* A file of ten digits, open at its third one. */
static int open_file(void)
{
    char path[SCRATCH_PATH];
    scratch_path(path, "input");
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(fd, digits, 10), 10);
    assert_int_equal(lseek(fd, 2, SEEK_SET), 2);
    return fd;
}

static int full_pipe(void)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], digits, 10), 10);
    close(ends[1]);
    return ends[0];
}

static void a_file_begins_at_the_position_of_its_descriptor(void **state)
{
    (void)state;
    struct pc_input in;
    assert_int_equal(pc_input_adopt(&in, open_file(), true), 0);
    assert_int_equal(in.kind, PC_INPUT_FILE);
    assert_int_equal(in.size, 8);
    assert_int_equal(pc_input_read_at(&in, 1, got, 3), 3);
    assert_memory_equal(got, "345", 3);
    assert_int_equal(pc_input_read(&in, got, 4, 4), 4); /* read_at left the position alone */
    assert_memory_equal(got, "2345", 4);
    assert_int_equal(pc_input_read(&in, got, 9, 9), 4); /* the end */
    assert_memory_equal(got, "6789", 4);
    assert_int_equal(in.error, 0);
    assert_int_equal(in.bytes_read, 11);
    assert_int_equal(pc_input_read_at(&in, 8, got, 1), 0);
    assert_int_equal(pc_input_read_at(&in, UINT64_MAX - 1, got, 1), 0);
    for (uint64_t left = 0; left < 8; left++) /* no read goes past what a descriptor has */
        assert_int_equal(pc_input_read_at(&in, (uint64_t)INT64_MAX - left, got, sizeof(got)), 0);
    assert_int_equal(in.error, 0);
    pc_input_close(&in);
}

static void only_an_adopted_descriptor_is_closed(void **state)
{
    (void)state;
    struct pc_input in;
    int fd = open_file();
    assert_int_equal(pc_input_adopt(&in, fd, false), 0);
    pc_input_close(&in);
    assert_int_not_equal(fcntl(fd, F_GETFD), -1);
    assert_int_equal(pc_input_adopt(&in, fd, true), 0);
    pc_input_close(&in);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static void a_failed_open_returns_its_errno(void **state)
{
    (void)state;
    struct pc_input in;
    char path[SCRATCH_PATH];
    scratch_path(path, "missing");
    assert_int_equal(pc_input_open(&in, path), ENOENT);
    assert_int_equal(pc_input_adopt(&in, -1, true), EBADF);
    scratch_path(path, "");
    assert_int_equal(pc_input_open(&in, path), 0);
    assert_int_equal(in.kind, PC_INPUT_DIRECTORY);
    pc_input_close(&in);
}

static void a_stream_has_no_size_and_cannot_seek(void **state)
{
    (void)state;
    struct pc_input in;
    assert_int_equal(pc_input_adopt(&in, full_pipe(), true), 0);
    assert_int_equal(in.kind, PC_INPUT_STREAM);
    assert_int_equal(in.size, 0);
    in.at_most = 3;
    assert_int_equal(pc_input_read(&in, got, 4, 8), 6); /* two reads are enough for 4 bytes */
    assert_memory_equal(got, "012345", 6);
    assert_int_equal(pc_input_read(&in, got, 8, 8), 4);
    assert_memory_equal(got, "6789", 4);
    assert_int_equal(in.pos, 10);
    pc_input_close(&in);
}

static void memory_is_read_like_a_file_or_a_stream(void **state)
{
    (void)state;
    struct pc_input in;
    pc_input_memory(&in, ten_digits(), PC_INPUT_FILE);
    assert_int_equal(in.size, 10);
    assert_int_equal(pc_input_read_at(&in, 7, got, 9), 3);
    assert_memory_equal(got, "789", 3);
    pc_input_memory(&in, ten_digits(), PC_INPUT_STREAM);
    assert_int_equal(in.size, 0);
    assert_int_equal(pc_input_read(&in, got, 1, 64), 10);
    assert_int_equal(pc_input_read(&in, got, 1, 64), 0);
    pc_input_close(&in);
}

static void an_error_delivers_what_was_read_before_it(void **state)
{
    (void)state;
    struct pc_input in;
    pc_input_memory(&in, ten_digits(), PC_INPUT_FILE);
    in.fail_at = 6;
    in.at_most = 4;
    assert_int_equal(pc_input_read(&in, got, 8, 8), 4);
    assert_int_equal(in.error, EIO);
    assert_int_equal(pc_input_read(&in, got, 1, 1), 0); /* the error stays */
}

static void a_hole_ends_where_data_begin(void **state)
{
    (void)state;
    struct pc_input in;
    int fd = open_file();
    const off_t far = 1 << 20;
    assert_int_equal(ftruncate(fd, 4 * far), 0);
    assert_int_equal(pwrite(fd, "x", 1, 2 * far), 1);
    if (lseek(fd, far, SEEK_DATA) != 2 * far)
        lacks("holes in files");
    lseek(fd, 0, SEEK_SET);
    assert_int_equal(pc_input_adopt(&in, fd, true), 0);
    assert_int_equal(pc_input_pass_hole(&in, 5), 5);
    assert_int_equal(pc_input_pass_hole(&in, (uint64_t)far), 2 * far);
    assert_int_equal(pc_input_pass_hole(&in, (uint64_t)(3 * far)), 4 * far); /* a hole to the end */
    assert_int_equal(pc_input_pass_hole(&in, (uint64_t)(5 * far)), 5 * far);
    pc_input_close(&in);
    pc_input_memory(&in, ten_digits(), PC_INPUT_FILE);
    assert_int_equal(pc_input_pass_hole(&in, 3), 3);
}

static void a_spooled_stream_becomes_a_file_with_its_first_bytes(void **state)
{
    (void)state;
    struct pc_input in;
    struct pc_mem mem;
    pc_mem_init(&mem, 1 << 24);
    assert_int_equal(pc_input_adopt(&in, full_pipe(), true), 0);
    assert_int_equal(pc_input_read(&in, got, 4, 4), 4);
    assert_int_equal(pc_input_spool(&in, &mem, SPAN('0', '1', '2', '3'), 10), 0);
    assert_int_equal(in.kind, PC_INPUT_FILE);
    assert_int_equal(in.size, 10);
    assert_int_equal(pc_input_read_at(&in, 2, got, 8), 8);
    assert_memory_equal(got, "23456789", 8);
    assert_int_equal(pc_input_read(&in, got, 2, 2), 2);
    assert_memory_equal(got, "01", 2);
    pc_input_close(&in);
    assert_int_equal(mem.used, 0);
}

static void spooling_ends_at_its_limit(void **state)
{
    (void)state;
    struct pc_input in;
    struct pc_mem mem;
    pc_mem_init(&mem, 1 << 24);
    assert_int_equal(pc_input_adopt(&in, full_pipe(), true), 0);
    assert_int_equal(pc_input_spool(&in, &mem, SPAN('-'), 10), EFBIG); /* 11 bytes */
    pc_input_close(&in);
    pc_mem_init(&mem, 100);
    assert_int_equal(pc_input_adopt(&in, full_pipe(), true), 0);
    assert_int_equal(pc_input_spool(&in, &mem, SPAN('-'), 100), ENOMEM);
    pc_input_close(&in);
    assert_int_equal(mem.used, 0);
}

/* The file ends before the stream: what was stored is no capture. */
static void a_full_disk_ends_spooling(void **state)
{
    (void)state;
    struct pc_input in;
    struct pc_mem mem;
    struct rlimit before, small;
    pc_mem_init(&mem, 1 << 24);
    assert_int_equal(pc_input_adopt(&in, full_pipe(), true), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){ 5, before.rlim_max };
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int error = pc_input_spool(&in, &mem, SPAN('-'), 100);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(error, ENOSPC);
    assert_int_equal(in.kind, PC_INPUT_STREAM);
    pc_input_close(&in);
    assert_int_equal(mem.used, 0);
}

static void patches_replace_bytes_wherever_a_read_begins(void **state)
{
    (void)state;
    static const struct pc_patch patches[] = { { 1, 2, "ab" }, { 5, 3, "cde" } };
    static const char wanted[] = "0ab34cde89";
    struct pc_input in;
    pc_input_memory(&in, ten_digits(), PC_INPUT_FILE);
    in.patch = patches;
    in.nr_patches = PC_COUNT_OF(patches);
    for (size_t from = 0; from < 10; from++) {
        for (size_t n = 1; n <= 10 - from; n++) {
            assert_int_equal(pc_input_read_at(&in, from, got, n), n);
            assert_memory_equal(got, wanted + from, n);
        }
    }
}

/* Any part of the file is read as these bytes, and each is where `place` says. */
static void expect_at_each_place(struct pc_input *in, const char *wanted, const unsigned *place, size_t len)
{
    assert_int_equal(in->size, len);
    for (size_t from = 0; from < len; from++) {
        assert_int_equal(pc_input_place(in, from), place[from]);
        for (size_t n = 1; n <= len - from; n++) {
            assert_int_equal(pc_input_read_at(in, from, got, n), n);
            assert_memory_equal(got, wanted + from, n);
        }
    }
}

static void zeros_are_read_where_bytes_were_lost(void **state)
{
    (void)state;
    static const struct pc_patch patch = { 4, 2, "ab" };
    static const char wanted[] = "012\0ab\0003456789";
    static const unsigned place[] = { 0, 1, 2, 3, 3, 3, 3, 3, 4, 5, 6, 7, 8, 9 };
    struct pc_input in;
    pc_input_memory(&in, ten_digits(), PC_INPUT_FILE);
    pc_input_shift(&in, 3, 9, 0);
    pc_input_shift(&in, 3, 4, 0);
    in.patch = &patch;
    in.nr_patches = 1;
    expect_at_each_place(&in, wanted, place, 14);
    assert_int_equal(pc_input_read_at(&in, 12, got, 9), 2);
    assert_int_equal(pc_input_pass_hole(&in, 2), 2);
    assert_int_equal(pc_input_pass_hole(&in, 3), 7);
    assert_int_equal(pc_input_pass_hole(&in, 7), 7);
    pc_input_shift(&in, 0, 0, 0);
    assert_int_equal(in.size, 10);
    assert_int_equal(pc_input_place(&in, 5), 5);
}

static void bytes_that_were_inserted_are_left_out(void **state)
{
    (void)state;
    static const struct pc_patch patch = { 2, 2, "ab" };
    static const char wanted[] = "01ab789";
    static const unsigned place[] = { 0, 1, 2, 6, 7, 8, 9 };
    struct pc_input in;
    pc_input_memory(&in, ten_digits(), PC_INPUT_FILE);
    pc_input_shift(&in, 1, 5, 0);
    pc_input_shift(&in, 3, 0, 3);
    in.patch = &patch;
    in.nr_patches = 1;
    expect_at_each_place(&in, wanted, place, 7);
    assert_int_equal(pc_input_read_at(&in, 5, got, 9), 2);
    assert_int_equal(pc_input_pass_hole(&in, 3), 3);
}

static void memory_is_read_without_the_bytes_before(void **state)
{
    (void)state;
    static const unsigned place[] = { 3, 4, 5, 6, 7, 8, 9 };
    struct pc_input in;
    pc_input_memory(&in, ten_digits(), PC_INPUT_FILE);
    pc_input_begin(&in, 3);
    assert_int_equal(in.size, 7);
    expect_at_each_place(&in, "3456789", place, 7);
}

static void patches_are_put_into_the_order_of_their_offsets(void **state)
{
    (void)state;
    struct pc_patch patches[] = { { 9, 1, "c" }, { 0, 1, "a" }, { 4, 1, "b" } };
    pc_patches_sort(patches, 3);
    assert_int_equal(patches[0].bytes[0], 'a');
    assert_int_equal(patches[1].bytes[0], 'b');
    assert_int_equal(patches[2].bytes[0], 'c');
}

static void a_failure_without_a_reason_is_one_and_ends(void **state)
{
    (void)state;
    struct pc_input in;
    assert_int_equal(pc_input_adopt(&in, open_file(), true), 0);
    no_reason = true;
    assert_int_equal(pc_input_read_at(&in, 0, got, 1), 0);
    no_reason = false;
    assert_int_equal(in.error, EIO);
    pc_input_close(&in);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(patches_replace_bytes_wherever_a_read_begins),
    cmocka_unit_test(zeros_are_read_where_bytes_were_lost),
    cmocka_unit_test(bytes_that_were_inserted_are_left_out),
    cmocka_unit_test(memory_is_read_without_the_bytes_before),
    cmocka_unit_test(patches_are_put_into_the_order_of_their_offsets),
    cmocka_unit_test(a_file_begins_at_the_position_of_its_descriptor),
    cmocka_unit_test(only_an_adopted_descriptor_is_closed),
    cmocka_unit_test(a_failed_open_returns_its_errno),
    cmocka_unit_test(a_stream_has_no_size_and_cannot_seek),
    cmocka_unit_test(memory_is_read_like_a_file_or_a_stream),
    cmocka_unit_test(an_error_delivers_what_was_read_before_it),
    cmocka_unit_test(a_failure_without_a_reason_is_one_and_ends),
    cmocka_unit_test(a_hole_ends_where_data_begin),
    cmocka_unit_test(a_spooled_stream_becomes_a_file_with_its_first_bytes),
    cmocka_unit_test(spooling_ends_at_its_limit),
    cmocka_unit_test(a_full_disk_ends_spooling),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, scratch_tear_down };

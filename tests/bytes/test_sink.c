/* SPDX-License-Identifier: MIT
 *
 * The bytes of a sink, and scratch files.
 */
#include "sink_bench.h"

#include <sys/syscall.h>

/* --- bytes --- */

static void check_content(struct pc_sink *sink, size_t size)
{
    assert_int_equal(sink->error, 0);
    assert_int_equal(sink->size, size);
    memset(back, 0xee, sizeof(back));
    assert_true(pc_sink_get(sink, 0, back, size));
    assert_memory_equal(back, model, size);
    assert_false(pc_sink_get(sink, size, back, 1));
    assert_false(pc_sink_get(sink, UINT64_MAX, back, 2));
    assert_false(pc_sink_get(sink, 0, back, size + 1));
    assert_true(pc_sink_get(sink, size, back, 0));
    assert_int_equal(sink->error, 0);
}

/* Sizes around those of the buffer, in pieces of all kinds, into targets and scratch files. */
static void what_was_put_comes_back(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0,
                                    1,
                                    PC_SINK_BUFFER - 1,
                                    PC_SINK_BUFFER,
                                    PC_SINK_BUFFER + 1,
                                    2 * PC_SINK_BUFFER,
                                    2 * PC_SINK_BUFFER + 100 };
    static const size_t pieces[] = {
        997, 65536, PC_SINK_BUFFER - 1, PC_SINK_BUFFER, PC_SINK_BUFFER + 7, MODEL
    };
    memcpy(model, pattern, MODEL);
    for (size_t s = 0; s < PC_COUNT_OF(sizes); s++) {
        for (size_t p = 0; p < PC_COUNT_OF(pieces); p++) {
            for (int scratch = 0; scratch < 2; scratch++) {
                struct pc_sink sink;
                assert_int_equal(scratch ? pc_sink_scratch(&sink, &mem, NULL)
                                         : pc_sink_create(&sink, &mem, "out", true, 0600, NULL),
                                 0);
                if (s % 2)
                    sink.at_most = 100003;
                for (size_t at = 0; at < sizes[s]; at += pieces[p])
                    pc_sink_put(&sink, pattern + at, sizes[s] - at < pieces[p] ? sizes[s] - at : pieces[p]);
                check_content(&sink, sizes[s]);
                assert_int_equal(pc_sink_flush(&sink), 0);
                assert_int_equal(sink.held, 0);
                check_content(&sink, sizes[s]);
                assert_int_equal(syscall(SYS_pread64, sink.target.fd, back, sizeof(back), 0), sizes[s]);
                assert_memory_equal(back, pattern, sizes[s]);
                if (scratch) {
                    pc_sink_discard(&sink);
                } else {
                    assert_int_equal(pc_sink_commit(&sink), 0);
                    assert_true(file_is("out", pattern, sizes[s]));
                }
            }
        }
    }
}

static void bytes_can_be_written_over(void **state)
{
    (void)state;
    struct pc_sink sink;
    const size_t size = PC_SINK_BUFFER + 1000;
    assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
    memcpy(model, pattern, size);
    pc_sink_put(&sink, pattern, 1000);
    pc_sink_put(&sink, pattern + 1000, PC_SINK_BUFFER - 1000);
    pc_sink_put(&sink, pattern + PC_SINK_BUFFER, 1000);
    assert_int_equal(sink.held, 1000);
    /* In the file, over both parts, in the buffer, at the end, everything, nothing. */
    static const size_t at[] = { 0, 500, PC_SINK_BUFFER - 10, PC_SINK_BUFFER, PC_SINK_BUFFER + 990, 0, 7 };
    static const size_t len[] = { 1, 100, 20, 1, 10, PC_SINK_BUFFER + 1000, 0 };
    for (size_t i = 0; i < PC_COUNT_OF(at); i++) {
        memcpy(model + at[i], pattern + 12345 * i + 1, len[i]);
        pc_sink_put_at(&sink, at[i], pattern + 12345 * i + 1, len[i]);
        check_content(&sink, size);
    }
    assert_int_equal(pc_sink_commit(&sink), 0);
    assert_true(file_is("out", model, size));
    assert_int_equal(pc_sink_create(&sink, &mem, "out", true, 0600, NULL), 0);
    pc_sink_put(&sink, "abc", 3);
    pc_sink_put_at(&sink, 2, "xy", 2);
    assert_int_equal(pc_sink_commit(&sink), EINVAL);
    assert_int_equal(pc_sink_create(&sink, &mem, "out", true, 0600, NULL), 0);
    pc_sink_put_at(&sink, 1, "", 0);
    assert_int_equal(pc_sink_commit(&sink), EINVAL);
    assert_true(file_is("out", model, size));
}

static void bytes_move_up_and_down(void **state)
{
    (void)state;
    const size_t big = 2 * PC_SINK_BUFFER + 300, buffer = PC_SINK_BUFFER;
    const struct {
        size_t size, from, to;
    } moves[] = {
        { 10, 3, 5 },           { 10, 3, 3 },        { 10, 5, 3 },     { 10, 3, 20 },
        { 10, 10, 15 },         { 10, 10, 4 },       { 10, 0, 1 },     { 0, 0, 5 },
        { 0, 0, big },          { 10, 10, big },     { 10, 0, big },   { buffer, 0, 1 },
        { buffer, 1, 0 },       { big, 0, 1 },       { big, 1, 0 },    { big, 0, buffer + 1 },
        { big, buffer + 1, 0 }, { big, 17, big },    { big, big, 17 }, { big, 100, big + 50 },
        { big, big, big + 9 },  { big, big - 5, 3 }, { big, 104, 96 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(moves); i++) {
        for (int way = 0; way < 4; way++) {
            struct pc_sink sink;
            size_t size = moves[i].size, from = moves[i].from, to = moves[i].to, n = size - from;
            assert_int_equal(way & 1 ? pc_sink_scratch(&sink, &mem, NULL)
                                     : pc_sink_create(&sink, &mem, "out", false, 0600, NULL),
                             0);
            sink.at_most = way & 2 ? 65537 : 0;
            pc_sink_put(&sink, pattern, size);
            memset(model, 0, sizeof(model));
            memcpy(model, pattern, size);
            memcpy(model + to, pattern + from, n);
            memset(model + to + n, 0, sizeof(model) - to - n);
            pc_sink_move(&sink, from, to);
            check_content(&sink, to + n);
            if ((way & 1) && to + n <= PC_SINK_BUFFER && size <= PC_SINK_BUFFER && size + to < PC_SINK_BUFFER)
                assert_int_equal(sink.target.fd, -1);
            pc_sink_put(&sink, "the end", 7);
            memcpy(model + to + n, "the end", 7);
            check_content(&sink, to + n + 7);
            assert_int_equal(pc_sink_flush(&sink), 0);
            struct stat st;
            assert_int_equal(fstat(sink.target.fd, &st), 0);
            assert_int_equal(st.st_size, to + n + 7);
            pc_sink_discard(&sink);
        }
    }
    /* Zeros come where the buffer has leftovers. */
    struct pc_sink sink;
    assert_int_equal(pc_sink_scratch(&sink, &mem, NULL), 0);
    pc_sink_put(&sink, pattern, 1000);
    pc_sink_move(&sink, 500, 0);
    pc_sink_move(&sink, 400, 900);
    memset(model, 0, 1000);
    memcpy(model, pattern + 500, 500);
    memcpy(model + 900, pattern + 900, 100);
    check_content(&sink, 1000);
    pc_sink_discard(&sink);
    assert_int_equal(pc_sink_scratch(&sink, &mem, NULL), 0);
    pc_sink_put(&sink, "abc", 3);
    pc_sink_move(&sink, 4, 0);
    assert_int_equal(sink.error, EINVAL);
    pc_sink_discard(&sink);
    assert_int_equal(pc_sink_scratch(&sink, &mem, NULL), 0);
    pc_sink_put(&sink, "abc", 3);
    pc_sink_move(&sink, 0, UINT64_MAX - 1);
    assert_int_equal(sink.error, EFBIG);
    pc_sink_discard(&sink);
}

/* --- scratch files --- */

static void a_small_scratch_file_is_none(void **state)
{
    (void)state;
    struct pc_sink sink, scratch, second;
    assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
    assert_int_equal(pc_sink_scratch(&scratch, &mem, &sink), 0);
    assert_int_equal(pc_sink_scratch(&second, &mem, &scratch), 0);
    sys.error = EACCES;
    sys.every = BIT(CALL_OPEN) | BIT(CALL_WRITE) | BIT(CALL_READ);
    pc_sink_put(&scratch, pattern, PC_SINK_BUFFER);
    pc_sink_put_at(&scratch, 10, "abc", 3);
    memcpy(model, pattern, PC_SINK_BUFFER);
    memcpy(model + 10, "abc", 3);
    check_content(&scratch, PC_SINK_BUFFER);
    assert_true(pc_sink_get(&scratch, 10, back, 5));
    pc_sink_put(&second, back, 5);
    memcpy(model, model + 10, 5);
    check_content(&second, 5);
    assert_int_equal(scratch.target.fd, -1);
    pc_sink_put(&scratch, "x", 1); /* one byte too many */
    assert_int_equal(scratch.error, EACCES);
    assert_false(pc_sink_get(&scratch, 0, back, 1));
    sys.every = 0;
    pc_sink_put(&second, pattern, PC_SINK_BUFFER);
    assert_true(second.target.fd >= 0);
    memcpy(model + 5, pattern, PC_SINK_BUFFER);
    check_content(&second, PC_SINK_BUFFER + 5);
    assert_int_equal(entries_of("."), 1);
    assert_int_equal(pc_sink_commit(&second), EINVAL);
    pc_sink_discard(&scratch);
    pc_sink_discard(&sink);
    assert_int_equal(entries_of("."), 0);
}

static void a_scratch_file_has_no_name(void **state)
{
    (void)state;
    if (access("/proc/self/fd", F_OK) != 0)
        lacks("no /proc");
    for (int old = 0; old < 2; old++) {
        struct pc_sink sink;
        struct stat st;
        sys.old_kernel = old;
        umask(0);
        setenv("TMPDIR", folder, 1);
        assert_int_equal(pc_sink_scratch(&sink, &mem, NULL), 0);
        unsetenv("TMPDIR");
        pc_sink_put(&sink, pattern, MODEL);
        assert_int_equal(sink.error, 0);
        assert_int_equal(entries_of("."), 0);
        assert_int_equal(fstat(sink.target.fd, &st), 0);
        assert_int_equal(st.st_nlink, 0);
        assert_int_equal(st.st_mode & 07777, 0600);
        char link[64], name[256] = { 0 };
        snprintf(link, sizeof(link), "/proc/self/fd/%d", sink.target.fd);
        assert_true(readlink(link, name, sizeof(name) - 1) > 0);
        assert_int_equal(strncmp(name, folder, strlen(folder)), 0);
        memcpy(model, pattern, MODEL);
        check_content(&sink, MODEL);
        pc_sink_discard(&sink);
        assert_int_equal(mem.used, 0);
    }
}

/* A target of more than a buffer is written by another thread where there can be one and its buffer; what
 * becomes of it is the same. */
static void a_thread_writes_unless_there_is_none(void **state)
{
    (void)state;
    enum { THREAD, NO_THREAD, NO_MEMORY, WAYS };
    const size_t n = 1500 * 500; /* nearly three buffers */
    for (int way = 0; way < WAYS; way++) {
        for (int fails = 0; fails < 2; fails++) {
            struct pc_sink sink;
            sys.no_threads = way == NO_THREAD;
            sys.threads = 0;
            assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
            mem.calls = 0;
            mem.fail_at = way == NO_MEMORY ? 1 : 0;
            sink.fail_at = fails ? PC_SINK_BUFFER + 10 : 0;
            for (size_t at = 0; at < n; at += 500)
                pc_sink_put(&sink, pattern + at % 100000, 500);
            mem.fail_at = 0;
            pc_sink_put_at(&sink, 77, "abc", 3); /* which left long ago */
            for (size_t at = 0; at < n; at += 500)
                memcpy(model + at, pattern + at % 100000, 500);
            memcpy(model + 77, "abc", 3);
            if (!fails)
                check_content(&sink, n);
            assert_int_equal(sink.works, way == THREAD);
            assert_int_equal(sys.threads, way != NO_MEMORY);
            assert_int_equal(pc_sink_commit(&sink), fails ? ENOSPC : 0);
            assert_int_equal(entries_of("."), !fails);
            if (!fails) {
                assert_true(file_is("out", model, n));
                assert_int_equal(unlink("out"), 0);
            }
            assert_int_equal(mem.used, 0);
        }
    }
}

static void a_stream_has_no_way_back(void **state)
{
    (void)state;
    enum { PUT_AT, MOVE, GET, WAYS };
    for (int way = 0; way <= WAYS; way++) {
        struct pc_sink sink, beside;
        int fd = openat(AT_FDCWD, "stream", O_RDWR | O_CREAT | O_APPEND | O_TRUNC, 0600);
        assert_int_equal(syscall(SYS_write, fd, "old", 3), 3);
        assert_int_equal(pc_sink_stream(&sink, &mem, fd), 0);
        setenv("TMPDIR", "/nonexistent/folder", 1);
        assert_int_equal(pc_sink_scratch(&beside, &mem, &sink), 0);
        unsetenv("TMPDIR");
        /* What is in the buffer still can be changed. */
        pc_sink_put(&sink, pattern, PC_SINK_BUFFER - 6);
        pc_sink_put_at(&sink, 10, "abc", 3);
        pc_sink_move(&sink, 20, 26);
        pc_sink_put_at(&sink, 20, "abcdef", 6);
        memcpy(model, "old", 3);
        memcpy(model + 3, pattern, 20);
        memcpy(model + 13, "abc", 3);
        memcpy(model + 23, "abcdef", 6);
        memcpy(model + 29, pattern + 20, PC_SINK_BUFFER - 26);
        assert_int_equal(sink.error, 0);
        assert_int_equal(sink.size, PC_SINK_BUFFER);
        /* More than the buffer, partly from another one. */
        sys.interruptions = 1;
        pc_sink_put(&beside, pattern, 2 * PC_SINK_BUFFER);
        assert_true(pc_sink_get(&beside, 0, back, 2 * PC_SINK_BUFFER));
        pc_sink_put(&sink, back, 2 * PC_SINK_BUFFER);
        memcpy(model + 3 + PC_SINK_BUFFER, pattern, 2 * PC_SINK_BUFFER);
        assert_int_equal(pc_sink_flush(&sink), 0);
        assert_true(file_is("stream", model, 3 + 3 * PC_SINK_BUFFER));
        if (way == PUT_AT)
            pc_sink_put_at(&sink, 5, "x", 1);
        else if (way == MOVE)
            pc_sink_move(&sink, 5, 4);
        else if (way == GET)
            assert_false(pc_sink_get(&sink, 0, back, 1));
        else
            pc_sink_put(&sink, "end", 3);
        memcpy(model + 3 + 3 * PC_SINK_BUFFER, "end", 3);
        assert_int_equal(pc_sink_commit(&sink), way == WAYS ? 0 : ESPIPE);
        assert_true(file_is("stream", model, 3 + 3 * PC_SINK_BUFFER + (way == WAYS ? 3 : 0)));
        assert_int_equal(fcntl(fd, F_GETFD), 0); /* which stays the caller's */
        close(fd);
        pc_sink_discard(&beside);
        assert_int_equal(mem.used, 0);
        assert_int_equal(unlink("stream"), 0);
    }
    struct pc_sink sink;
    assert_int_equal(pc_sink_stream(&sink, &mem, -1), EBADF);
    assert_int_equal(mem.used, 0);
}

static void a_missing_folder_matters_when_it_is_needed(void **state)
{
    (void)state;
    struct pc_sink sink;
    setenv("TMPDIR", "/nonexistent/folder", 1);
    assert_int_equal(pc_sink_scratch(&sink, &mem, NULL), 0);
    unsetenv("TMPDIR");
    pc_sink_put(&sink, "abc", 3);
    memcpy(model, "abc", 3);
    check_content(&sink, 3);
    struct pc_sink second;
    assert_int_equal(pc_sink_scratch(&second, &mem, &sink), 0);
    pc_sink_put(&second, pattern, MODEL);
    assert_int_equal(second.error, ENOENT);
    assert_int_equal(pc_sink_flush(&sink), ENOENT);
    pc_sink_discard(&sink);
    pc_sink_discard(&second);
    setenv("TMPDIR", "", 1);
    assert_int_equal(pc_sink_scratch(&sink, &mem, NULL), 0);
    unsetenv("TMPDIR");
    assert_int_equal(pc_sink_flush(&sink), 0);
    pc_sink_discard(&sink);
}

static int set_up(void **state)
{
    (void)state;
    fill_pattern();
    return 0;
}

static const struct CMUnitTest tests[] = {
    TEST(what_was_put_comes_back),    TEST(bytes_can_be_written_over),
    TEST(bytes_move_up_and_down),     TEST(a_small_scratch_file_is_none),
    TEST(a_scratch_file_has_no_name), TEST(a_thread_writes_unless_there_is_none),
    TEST(a_stream_has_no_way_back),   TEST(a_missing_folder_matters_when_it_is_needed),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, NULL };

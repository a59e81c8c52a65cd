/* SPDX-License-Identifier: MIT
 *
 * Every call of the system that a sink makes fails once.
 */
#include "sink_bench.h"

/* --- what can go wrong --- */

static void every_offset_can_fail(void **state)
{
    (void)state;
    const size_t size = expect_everything(false);
    for (uint64_t at = 1; at <= size + 11; at++) { /* it is 10 bytes longer before it moves down */
        for (int way = 0; way < 4; way++) {
            bool replace = way & 1, good = at > size + 10;
            begin(replace);
            int error = everything(replace, false, at, way & 2 ? 13 : 0);
            assert_int_equal(error, good ? 0 : ENOSPC);
            assert_int_equal(is_new(replace, size), good);
            assert_int_equal(mem.used, 0);
        }
    }
}

static void every_offset_can_fail_in_a_large_file(void **state)
{
    (void)state;
    const size_t size = expect_everything(true);
    for (uint64_t at = 1; at <= size + 11; at += at < size - 10 ? 9973 : 1) {
        for (int old = 0; old < 2; old++) {
            sys.old_kernel = old;
            sys.old_error = ENOSYS;
            begin(false);
            int error = everything(false, true, at, 0);
            assert_int_equal(error, at > size + 10 ? 0 : ENOSPC);
            assert_int_equal(is_new(false, size), at > size + 10);
        }
    }
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    const size_t size = expect_everything(true);
    unsigned before = open_descriptors();
    for (uint64_t k = 1;; k++) {
        mem.calls = 0;
        mem.fail_at = k;
        begin(true);
        int error = everything(true, true, 0, 0);
        mem.fail_at = 0;
        assert_int_equal(mem.used, 0);
        assert_int_equal(open_descriptors(), before);
        assert_int_equal(is_new(true, size), error == 0);
        if (mem.calls < k) {
            assert_int_equal(error, 0);
            assert_true(k > 2);
            return;
        }
        assert_int_equal(error, ENOMEM);
    }
}

/* Each system call fails once, on new and old kernels, with and without an old target. */
static void every_call_can_fail(void **state)
{
    (void)state;
    const size_t size = expect_everything(true);
    unsigned before = open_descriptors(), ran = 0;
    for (int way = 0; way < 4; way++) {
        bool replace = way & 1, over = false;
        for (unsigned k = 1; !over; k++) {
            begin(replace);
            memset(&sys, 0, sizeof(sys));
            sys.old_kernel = way & 2;
            sys.old_error = EINVAL;
            sys.error = EIO;
            sys.hit = k;
            sys.watched = ~BIT(CALL_UNLINK);
            int error = everything(replace, true, 0, 0);
            over = sys.count < k;
            memset(&sys, 0, sizeof(sys));
            bool new = is_new(replace, size);
            if (error == 0)
                assert_true(new);
            else if (!replace)
                assert_false(new);
            if (over)
                assert_int_equal(error, 0);
            assert_int_equal(open_descriptors(), before);
            assert_int_equal(mem.used, 0);
            ran++;
        }
    }
    assert_true(ran > 60);
}

static void what_cannot_be_flushed_is_no_target(void **state)
{
    (void)state;
    for (int replace = 0; replace < 2; replace++) {
        for (unsigned k = 1; k <= 3; k++) { /* the file, the folder, none */
            begin(replace);
            sys.watched = BIT(CALL_FSYNC);
            sys.error = EIO;
            sys.count = 0;
            sys.hit = k;
            assert_int_equal(write_whole("out", replace, 0600, "new"), k == 3              ? 0
                                                                       : k == 2 && replace ? PC_NOT_FLUSHED
                                                                                           : EIO);
            assert_int_equal(sys.count, k == 1 ? 1 : 2);
            sys.watched = 0;
            if (k == 3 || (k == 2 && replace)) /* the old one cannot come back, but the new one is whole */
                assert_true(HAS("out", "new"));
            else if (replace)
                assert_true(HAS("out", "old"));
            assert_int_equal(entries_of("."), replace || k == 3);
        }
    }
    /* What may replace, but did not, can go again. */
    begin(false);
    sys.watched = BIT(CALL_FSYNC);
    sys.error = EIO;
    sys.count = 0;
    sys.hit = 2;
    assert_int_equal(write_whole("out", true, 0600, "new"), EIO);
    sys.watched = 0;
    assert_int_equal(entries_of("."), 0);
    assert_int_equal(write_whole("out", true, 0600, "new"), 0);
    /* A folder that does not support fsync is not an error; a file is. */
    sys.watched = BIT(CALL_FSYNC);
    sys.error = EINVAL;
    for (unsigned k = 1; k <= 2; k++) {
        sys.count = 0;
        sys.hit = k;
        assert_int_equal(write_whole("out", true, 0600, "newer"), k == 1 ? EINVAL : 0);
    }
    assert_true(HAS("out", "newer"));
    /* The close that is asked before the rename. */
    sys.watched = BIT(CALL_CLOSE);
    sys.error = EDQUOT;
    sys.count = 0;
    sys.hit = 1;
    assert_int_equal(write_whole("out", true, 0600, "newest"), EDQUOT);
    sys.watched = 0;
    assert_true(HAS("out", "newer"));
    assert_int_equal(entries_of("."), 1);
    /* A link was made but the temporary name cannot go: then the target is not there either. */
    begin(false);
    sys.old_kernel = true;
    sys.old_error = EINVAL;
    sys.watched = BIT(CALL_UNLINK);
    sys.error = EIO;
    sys.count = 0;
    assert_int_equal(write_whole("out", false, 0600, "new"), EIO);
    assert_int_equal(entries_of("."), 0);
    sys.every = BIT(CALL_LINK); /* no links at all */
    sys.error = EPERM;
    assert_int_equal(write_whole("out", false, 0600, "new"), EPERM);
    assert_int_equal(entries_of("."), 0);
}

static void large_put(struct pc_sink *sink)
{
    pc_sink_put(sink, pattern, MODEL);
}

static void put_over_file(struct pc_sink *sink)
{
    pc_sink_put_at(sink, 5, "abc", 3);
}

static void get_from_file(struct pc_sink *sink)
{
    unsigned char byte;
    assert_false(pc_sink_get(sink, 5, &byte, 1));
}

static void move_up(struct pc_sink *sink)
{
    pc_sink_move(sink, 100, 200);
}

static void move_down(struct pc_sink *sink)
{
    pc_sink_move(sink, 200, 100);
}

static void move_the_end(struct pc_sink *sink)
{
    pc_sink_move(sink, sink->size, sink->size + PC_SINK_BUFFER);
}

static void flush(struct pc_sink *sink)
{
    pc_sink_flush(sink);
}

static void an_error_sticks_wherever_it_came_from(void **state)
{
    (void)state;
    static const struct {
        void (*step)(struct pc_sink *);
        unsigned every; /* 0: writes take nothing */
        bool flushed;
    } steps[] = {
        { large_put, BIT(CALL_WRITE), false },
        { large_put, BIT(CALL_WRITE), true },
        { large_put, 0, true },
        { put_over_file, BIT(CALL_WRITE), false },
        { put_over_file, 0, false },
        { get_from_file, BIT(CALL_READ), false },
        { move_up, BIT(CALL_READ), false },
        { move_up, BIT(CALL_WRITE), false },
        { move_up, BIT(CALL_WRITE), true },
        { move_down, BIT(CALL_READ), true },
        { move_down, BIT(CALL_WRITE), true },
        { move_down, BIT(CALL_TRUNCATE), true },
        { move_the_end, BIT(CALL_TRUNCATE), true },
        { flush, BIT(CALL_WRITE), false },
        { flush, 0, false },
    };
    for (size_t i = 0; i < PC_COUNT_OF(steps); i++) {
        struct pc_sink sink;
        unsigned char byte;
        assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
        pc_sink_put(&sink, pattern, PC_SINK_BUFFER);
        pc_sink_put(&sink, pattern, 10);
        if (steps[i].flushed)
            assert_int_equal(pc_sink_flush(&sink), 0);
        assert_int_equal(sink.error, 0);
        sys.every = steps[i].every;
        sys.error = EIO;
        sys.takes_nothing = steps[i].every == 0;
        steps[i].step(&sink);
        sys.every = 0;
        sys.takes_nothing = false;
        assert_int_equal(sink.error, EIO);
        put_text(&sink, "more");
        pc_sink_put_at(&sink, UINT64_MAX, "x", 1);
        pc_sink_move(&sink, UINT64_MAX, 0);
        assert_false(pc_sink_get(&sink, 0, &byte, 1));
        assert_int_equal(pc_sink_flush(&sink), EIO);
        assert_int_equal(pc_sink_commit(&sink), EIO);
        assert_int_equal(entries_of("."), 0);
    }
    /* The test hook reaches lengths too. */
    struct pc_sink sink;
    assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
    sink.fail_at = PC_SINK_BUFFER + 1;
    pc_sink_move(&sink, 0, PC_SINK_BUFFER + 1);
    assert_int_equal(pc_sink_commit(&sink), ENOSPC);
    /* A scratch file that would keep a name is none. */
    sys.old_kernel = true;
    sys.every = BIT(CALL_UNLINK);
    setenv("TMPDIR", folder, 1);
    assert_int_equal(pc_sink_scratch(&sink, &mem, NULL), 0);
    unsetenv("TMPDIR");
    assert_int_equal(pc_sink_flush(&sink), EIO);
    sys.every = 0;
    pc_sink_discard(&sink);
}

static void interruptions_are_no_errors(void **state)
{
    (void)state;
    const size_t size = expect_everything(true);
    for (int old = 0; old < 2; old++) {
        begin(false);
        sys.old_kernel = old;
        sys.old_error = ENOSYS;
        struct pc_sink sink;
        sys.interruptions = 3;
        assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
        assert_int_equal(sys.interruptions, 0);
        for (size_t at = 0; at < size; at += 50000) {
            sys.interruptions = 3;
            pc_sink_put(&sink, pattern + at, 50000);
        }
        sys.interruptions = 3;
        pc_sink_move(&sink, 0, 0);
        pc_sink_move(&sink, 100, 0);
        sys.interruptions = 3;
        assert_int_equal(pc_sink_commit(&sink), 0);
        assert_int_equal(sys.interruptions, 0);
        assert_true(file_is("out", pattern + 100, (size + 49999) / 50000 * 50000 - 100));
    }
}

static void names_are_tried_until_one_is_free(void **state)
{
    (void)state;
    sys.watched = BIT(CALL_OPEN);
    sys.error = EEXIST;
    sys.hit = 1;
    assert_int_equal(write_whole("out", false, 0600, "x"), 0);
    assert_int_equal(sys.count, 2);
    sys.watched = 0;
    sys.every = BIT(CALL_OPEN); /* but not forever */
    assert_int_equal(write_whole("out2", false, 0600, "x"), EEXIST);
    sys.every = BIT(CALL_RANDOM);
    sys.error = ENOSYS;
    assert_int_equal(write_whole("out2", false, 0600, "x"), ENOSYS);
    sys.every = 0;
    assert_int_equal(entries_of("."), 1);
}

static int set_up(void **state)
{
    (void)state;
    fill_pattern();
    return 0;
}

static const struct CMUnitTest tests[] = {
    TEST(every_offset_can_fail),
    TEST(every_offset_can_fail_in_a_large_file),
    TEST(every_allocation_can_fail),
    TEST(every_call_can_fail),
    TEST(what_cannot_be_flushed_is_no_target),
    TEST(an_error_sticks_wherever_it_came_from),
    TEST(interruptions_are_no_errors),
    TEST(names_are_tried_until_one_is_free),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, NULL };

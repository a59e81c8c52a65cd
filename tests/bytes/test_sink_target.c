/* SPDX-License-Identifier: MIT
 *
 * Targets: a file appears whole at the commit, and only where nothing is lost.
 */
#include "sink_bench.h"

#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

/* --- the target --- */

static void a_target_appears_whole_at_the_commit(void **state)
{
    (void)state;
    struct pc_sink sink;
    unsigned before = open_descriptors();
    assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0644, NULL), 0);
    put_text(&sink, "hello ");
    assert_int_equal(pc_sink_flush(&sink), 0);
    assert_int_not_equal(access("out", F_OK), 0);
    assert_int_equal(entries_of("."), 1);
    assert_int_equal(strncmp(sink.target.temporary, ".out.perfcheck-", 15), 0);
    assert_int_equal(strlen(sink.target.temporary), 21);
    assert_true(file_is(sink.target.temporary, "hello ", 6));
    assert_int_equal(fcntl(sink.target.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(fcntl(sink.target.folder, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    put_text(&sink, "world");
    assert_int_equal(sink.size, 11);
    assert_int_equal(pc_sink_commit(&sink), 0);
    assert_true(HAS("out", "hello world"));
    assert_int_equal(entries_of("."), 1);
    assert_int_equal(open_descriptors(), before);
    assert_int_equal(mem.used, 0);
    pc_sink_discard(&sink);
    assert_true(HAS("out", "hello world"));
    put_text(&sink, "more");
    assert_int_not_equal(pc_sink_commit(&sink), 0);
    assert_true(HAS("out", "hello world"));
}

static void a_discarded_target_never_was(void **state)
{
    (void)state;
    struct pc_sink sink;
    unsigned before = open_descriptors();
    assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0644, NULL), 0);
    pc_sink_put(&sink, pattern, sizeof(pattern));
    pc_sink_discard(&sink);
    pc_sink_discard(&sink);
    assert_int_equal(sink.error, 0);
    assert_int_not_equal(pc_sink_commit(&sink), 0);
    assert_int_equal(entries_of("."), 0);
    assert_int_equal(open_descriptors(), before);
    assert_int_equal(mem.used, 0);
}

static void a_target_lies_where_its_path_says(void **state)
{
    (void)state;
    char whole[128];
    assert_int_equal(mkdir("sub", 0700), 0);
    assert_int_equal(symlink("sub", "link"), 0);
    assert_int_equal(write_whole("sub/one", false, 0600, "1"), 0);
    assert_int_equal(write_whole("link/two", false, 0600, "2"), 0); /* a folder may be a link */
    assert_int_equal(write_whole("sub//three", false, 0600, "3"), 0);
    snprintf(whole, sizeof(whole), "%s/sub/../four", folder);
    assert_int_equal(write_whole(whole, false, 0600, "4"), 0);
    assert_true(HAS("sub/one", "1") && HAS("sub/two", "2") && HAS("sub/three", "3") && HAS("four", "4"));
    assert_int_equal(entries_of("sub"), 3);
}

static void a_path_that_names_no_file_is_an_error(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int error;
    } bad[] = {
        { "", ENOENT },     { "/", EISDIR },       { "sub/", EISDIR },  { "new/", EISDIR },
        { ".", EISDIR },    { "..", EISDIR },      { "sub/.", EISDIR }, { "sub/..", EISDIR },
        { "no/x", ENOENT }, { "file/x", ENOTDIR }, { "sub", EISDIR },   { "loop/x", ELOOP },
        { "/tmp", EISDIR }, { "sock/x", ENOTDIR },
    };
    assert_int_equal(mkdir("sub", 0700), 0);
    assert_int_equal(symlink("loop", "loop"), 0);
    make_file("file", "x");
    assert_int_equal(mknod("sock", S_IFSOCK | 0600, 0), 0); /* is not even opened */
    unsigned before = open_descriptors();
    for (size_t i = 0; i < PC_COUNT_OF(bad); i++) {
        struct pc_sink sink;
        assert_int_equal(pc_sink_create(&sink, &mem, bad[i].path, false, 0600, NULL), bad[i].error);
        assert_int_equal(sink.error, bad[i].error);
        put_text(&sink, "nothing");
        assert_int_equal(pc_sink_commit(&sink), bad[i].error);
        pc_sink_discard(&sink);
    }
    static char far[5000];
    memset(far, 'x', 4990);
    for (size_t i = 99; i < 4990; i += 100)
        far[i] = '/';
    assert_int_equal(write_whole(far, false, 0600, "x"), ENAMETOOLONG);
    assert_int_equal(open_descriptors(), before);
    assert_int_equal(entries_of("."), 4);
    assert_int_equal(entries_of("sub"), 0);
}

static void a_long_name_has_a_short_temporary_one(void **state)
{
    (void)state;
    char name[300];
    struct pc_sink sink;
    memset(name, 'n', sizeof(name));
    name[256] = '\0';
    assert_int_equal(write_whole(name, false, 0600, "x"), ENAMETOOLONG);
    name[255] = '\0';
    assert_int_equal(write_whole(name, false, 0600, "long"), 0);
    assert_true(HAS(name, "long"));
    assert_int_equal(entries_of("."), 1);
    /* 63 letters and then characters of three bytes: the cut is after the 63. */
    for (size_t i = 63; i + 3 < 255; i += 3)
        memcpy(name + i, "\xe2\x82\xac", 4);
    assert_int_equal(pc_sink_create(&sink, &mem, name, false, 0600, NULL), 0);
    assert_int_equal(strncmp(sink.target.temporary + 1 + 63, ".perfcheck-", 11), 0);
    assert_int_equal(pc_sink_commit(&sink), 0);
    assert_int_equal(access(name, F_OK), 0);
    assert_int_equal(entries_of("."), 2);
}

static void permission_bits_are_at_most_those_asked_for(void **state)
{
    (void)state;
    static const struct {
        mode_t mask, mode, got;
    } bits[] = {
        { 022, 0644, 0644 }, { 022, 0666, 0644 },    { 027, 0666, 0640 }, { 0, 0666, 0666 },
        { 077, 0755, 0700 }, { 022, 0400, 0400 },    { 0, 07777, 0777 },  { 0, 0, 0 },
        { 0777, 0600, 0 },   { 022, 0100600, 0600 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(bits); i++) {
        struct pc_sink sink;
        umask(bits[i].mask);
        assert_int_equal(pc_sink_create(&sink, &mem, "out", true, bits[i].mode, NULL), 0);
        assert_int_equal(mode_of(sink.target.temporary), bits[i].got);
        assert_int_equal(sys.asked & ~(bits[i].mode & 0777), 0);
        pc_sink_put(&sink, pattern, PC_SINK_BUFFER + 1); /* also where it may not be opened for writing */
        assert_int_equal(mode_of(sink.target.temporary), bits[i].got);
        unsigned char byte;
        assert_true(pc_sink_get(&sink, 5, &byte, 1));
        assert_int_equal(byte, pattern[5]);
        assert_int_equal(pc_sink_commit(&sink), 0);
        assert_int_equal(mode_of("out"), bits[i].got);
    }
}

/* --- what is there already --- */

static void an_existing_target_is_kept(void **state)
{
    (void)state;
    make_file("out", "old");
    make_file("other", "other");
    assert_int_equal(symlink("other", "link"), 0);
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(mkdir("sub", 0700), 0);
    static const struct {
        const char *name;
        int error; /* EEXIST tells users that --force replaces it */
    } is[] = { { "out", EEXIST },          { "link", EEXIST }, { "dangling", EEXIST },
               { "fifo", PC_NOT_REGULAR }, { "sub", EISDIR },  { "/dev/null", PC_NOT_REGULAR } };
    for (size_t i = 0; i < PC_COUNT_OF(is); i++)
        assert_int_equal(write_whole(is[i].name, false, 0600, "new"), is[i].error);
    assert_true(HAS("out", "old") && HAS("other", "other"));
    assert_int_equal(access("nowhere", F_OK), -1);
    assert_int_equal(entries_of("."), 6);
}

static void with_replace_a_file_or_a_link_itself_is_replaced(void **state)
{
    (void)state;
    struct stat st;
    make_file("out", "old and longer");
    make_file("other", "other");
    assert_int_equal(link("out", "second"), 0);
    assert_int_equal(symlink("other", "link"), 0);
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    static const char *const names[] = { "out", "link", "dangling", "fresh" };
    for (size_t i = 0; i < PC_COUNT_OF(names); i++) {
        assert_int_equal(write_whole(names[i], true, 0600, "new"), 0);
        assert_true(HAS(names[i], "new"));
        assert_int_equal(lstat(names[i], &st), 0);
        assert_true(S_ISREG(st.st_mode));
    }
    assert_true(HAS("other", "other") && HAS("second", "old and longer"));
    assert_int_equal(access("nowhere", F_OK), -1);
    assert_int_equal(entries_of("."), 6);
}

static void with_replace_nothing_else_is(void **state)
{
    (void)state;
    struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "socket" };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(mkdir("sub", 0700), 0);
    assert_int_equal(symlink("fifo", "to_fifo"), 0);
    assert_int_equal(symlink("/dev/null", "to_null"), 0);
    assert_int_equal(symlink("/proc/self/fd/2", "to_stream"), 0);
    static const char *const names[] = { "socket",  "fifo",    "/dev/null", "/dev/zero",
                                         "to_fifo", "to_null", "to_stream" };
    for (size_t i = 0; i < PC_COUNT_OF(names); i++)
        assert_int_equal(write_whole(names[i], true, 0600, "new"), PC_NOT_REGULAR);
    assert_int_equal(write_whole("sub", true, 0600, "new"), EISDIR);
    assert_int_equal(entries_of("."), 6);
    struct stat st;
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(lstat("fifo", &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
}

/* A target that comes between create and commit. */
static void what_comes_meanwhile_is_left_alone(void **state)
{
    (void)state;
    static const int refusals[] = { 0, ENOSYS, EINVAL, EOPNOTSUPP };
    struct pc_sink sink;
    for (size_t i = 0; i < PC_COUNT_OF(refusals); i++) {
        sys.old_kernel = refusals[i] != 0;
        sys.old_error = refusals[i];
        assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
        put_text(&sink, "ours");
        sys.appears = "out"; /* at the last moment */
        assert_int_equal(pc_sink_commit(&sink), EEXIST);
        sys.appears = NULL;
        assert_true(HAS("out", "theirs"));
        assert_int_equal(entries_of("."), 1);
        assert_int_equal(unlink("out"), 0);

        assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
        assert_int_equal(symlink("nowhere", "out"), 0);
        assert_int_equal(pc_sink_commit(&sink), EEXIST);
        assert_int_equal(entries_of("."), 1);
        assert_int_equal(unlink("out"), 0);

        assert_int_equal(write_whole("out", false, 0600, "alone"), 0); /* and without it, it works */
        assert_true(HAS("out", "alone"));
        assert_int_equal(entries_of("."), 1);
        assert_int_equal(unlink("out"), 0);
    }
    sys.old_kernel = false;
    /* With replace: another file is replaced, anything else is not. */
    assert_int_equal(pc_sink_create(&sink, &mem, "out", true, 0600, NULL), 0);
    put_text(&sink, "ours");
    make_file("out", "theirs");
    assert_int_equal(pc_sink_commit(&sink), 0);
    assert_true(HAS("out", "ours"));
    assert_int_equal(pc_sink_create(&sink, &mem, "out", true, 0600, NULL), 0);
    assert_int_equal(unlink("out"), 0);
    assert_int_equal(mkfifo("out", 0600), 0);
    assert_int_equal(pc_sink_commit(&sink), PC_NOT_REGULAR);
    assert_int_equal(entries_of("."), 1);
}

static void a_strangers_file_is_never_removed_or_renamed(void **state)
{
    (void)state;
    char name[256];
    struct pc_sink sink;
    for (int way = 0; way < 3; way++) {
        assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
        put_text(&sink, "ours");
        assert_int_equal(pc_sink_flush(&sink), 0);
        strcpy(name, sink.target.temporary);
        assert_int_equal(unlink(name), 0);
        make_file(name, "theirs");
        if (way == 0)
            assert_int_equal(pc_sink_commit(&sink), ESTALE);
        if (way == 1)
            pc_temporary_remove_all();
        pc_sink_discard(&sink);
        assert_true(HAS(name, "theirs"));
        assert_int_equal(entries_of("."), 1);
        assert_int_equal(unlink(name), 0);
    }
    assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
    assert_int_equal(unlink(sink.target.temporary), 0);
    assert_int_equal(pc_sink_commit(&sink), ENOENT);
    assert_int_equal(entries_of("."), 0);
    /* A link to the file is not the file. */
    assert_int_equal(pc_sink_create(&sink, &mem, "out", false, 0600, NULL), 0);
    assert_int_equal(rename(sink.target.temporary, "aside"), 0);
    assert_int_equal(symlink("aside", sink.target.temporary), 0);
    assert_int_equal(pc_sink_commit(&sink), ESTALE);
    assert_int_equal(entries_of("."), 2);
}

/* Somebody guessed the temporary name and put a file, which is locked, or a link there. */
static void a_name_that_was_guessed_is_not_used(void **state)
{
    (void)state;
    make_file("victim", "theirs");
    for (int way = 0; way < 3; way++) {
        int trap = -1;
        if (way == 0) {
            make_file(".out.perfcheck-aaaaaa", "trap");
            trap = open(".out.perfcheck-aaaaaa", O_RDONLY);
            assert_int_equal(flock(trap, LOCK_EX), 0);
        } else {
            assert_int_equal(symlink(way == 1 ? "victim" : "nowhere", ".out.perfcheck-aaaaaa"), 0);
        }
        sys.guessed = 2;
        assert_int_equal(write_whole("out", true, 0600, "ours"), 0);
        assert_int_equal(sys.guessed, 0);
        assert_true(HAS("out", "ours") && HAS("victim", "theirs"));
        assert_int_equal(entries_of("."), 3);
        assert_int_equal(unlink(".out.perfcheck-aaaaaa"), 0);
        if (trap >= 0)
            close(trap);
    }
}

static void a_folder_may_be_moved_or_vanish(void **state)
{
    (void)state;
    struct pc_sink sink;
    assert_int_equal(mkdir("sub", 0700), 0);
    assert_int_equal(pc_sink_create(&sink, &mem, "sub/out", false, 0600, NULL), 0);
    assert_int_equal(rename("sub", "moved"), 0);
    put_text(&sink, "x");
    assert_int_equal(pc_sink_commit(&sink), 0);
    assert_true(HAS("moved/out", "x"));
    assert_int_equal(unlink("moved/out"), 0);

    assert_int_equal(pc_sink_create(&sink, &mem, "moved/out", false, 0600, NULL), 0);
    assert_int_equal(unlinkat(sink.target.folder, sink.target.temporary, 0), 0);
    assert_int_equal(rmdir("moved"), 0);
    put_text(&sink, "x");
    assert_int_equal(pc_sink_commit(&sink), ENOENT);
    assert_int_equal(entries_of("."), 0);

    assert_int_equal(mkdir("sub", 0700), 0);
    assert_int_equal(pc_sink_create(&sink, &mem, "sub/out", true, 0600, NULL), 0);
    struct pc_sink scratch;
    assert_int_equal(pc_sink_scratch(&scratch, &mem, &sink), 0);
    pc_sink_discard(&sink);
    assert_int_equal(rmdir("sub"), 0);
    int error = pc_sink_flush(&scratch);
    assert_true(error == ENOENT || error == 0); /* tmpfs makes files without a name even there */
    pc_sink_discard(&scratch);
}

static void there_is_a_limit_of_targets_at_once(void **state)
{
    (void)state;
    struct pc_sink sink[PC_TEMPORARIES_MAX + 1];
    char name[16];
    for (unsigned i = 0; i <= PC_TEMPORARIES_MAX; i++) {
        snprintf(name, sizeof(name), "out%u", i);
        assert_int_equal(pc_sink_create(&sink[i], &mem, name, false, 0600, NULL),
                         i < PC_TEMPORARIES_MAX ? 0 : EMFILE);
    }
    assert_int_equal(entries_of("."), PC_TEMPORARIES_MAX);
    pc_sink_discard(&sink[3]);
    assert_int_equal(pc_sink_create(&sink[3], &mem, "again", false, 0600, NULL), 0);
    pc_temporary_remove_all();
    assert_int_equal(entries_of("."), 0);
    for (unsigned i = 0; i < PC_TEMPORARIES_MAX; i++)
        assert_int_equal(pc_sink_commit(&sink[i]), ENOENT);
}

static int set_up(void **state)
{
    (void)state;
    fill_pattern();
    return 0;
}

static const struct CMUnitTest tests[] = {
    TEST(a_target_appears_whole_at_the_commit),
    TEST(a_discarded_target_never_was),
    TEST(a_target_lies_where_its_path_says),
    TEST(a_path_that_names_no_file_is_an_error),
    TEST(a_long_name_has_a_short_temporary_one),
    TEST(permission_bits_are_at_most_those_asked_for),
    TEST(an_existing_target_is_kept),
    TEST(with_replace_a_file_or_a_link_itself_is_replaced),
    TEST(with_replace_nothing_else_is),
    TEST(what_comes_meanwhile_is_left_alone),
    TEST(a_strangers_file_is_never_removed_or_renamed),
    TEST(a_name_that_was_guessed_is_not_used),
    TEST(a_folder_may_be_moved_or_vanish),
    TEST(there_is_a_limit_of_targets_at_once),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, NULL };

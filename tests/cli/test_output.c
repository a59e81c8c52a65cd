/* SPDX-License-Identifier: MIT
 *
 * Outputs that lie in inputs, and streams into sinks.
 */
#include "cli/output.h"
#include "pc_test.h"

#include <fcntl.h>
#include <sys/stat.h>

static char folder[] = "/tmp/test_output.XXXXXX";

static char *path_of(const char *name)
{
    static char path[2][200];
    static int last;
    last = !last;
    snprintf(path[last], sizeof(path[last]), "%s/%s", folder, name);
    return path[last];
}

static int guarded(const char *output, bool is_directory, const char *input)
{
    char *operand[] = { path_of("missing"), path_of(input) };
    char path[200];
    struct pc_target target;
    snprintf(path, sizeof(path), "%s/%s", folder, output);
    assert_int_equal(pc_target_open(&target, path, is_directory, NULL), 0);
    int error = pc_output_guard(&target, operand, 2);
    pc_target_close(&target);
    return error;
}

static void an_output_is_no_input(void **state)
{
    (void)state;
    assert_int_equal(guarded("out", false, "in"), 0);
    assert_int_equal(guarded("in", false, "in"), PC_IS_INPUT);
    assert_int_equal(guarded("link", false, "in"), PC_IS_INPUT);
    assert_int_equal(guarded("dir", true, "in"), 0);
    assert_int_equal(guarded("dir", true, "dir/in"), PC_IS_INPUT);
    assert_int_equal(guarded("dir/out", false, "dir"), PC_IS_INPUT);
}

static void what_is_printed_arrives_or_the_sink_has_the_error(void **state)
{
    (void)state;
    for (uint64_t fail_at = 0; fail_at < 2; fail_at++) {
        struct pc_mem mem;
        struct pc_sink sink;
        char bytes[7] = { 0 };
        pc_mem_init(&mem, 4 * PC_SINK_BUFFER);
        assert_int_equal(pc_sink_create(&sink, &mem, path_of("new"), false, 0600, NULL), 0);
        sink.fail_at = fail_at;
        FILE *out = pc_output_stream(&sink);
        assert_non_null(out);
        assert_int_equal(fprintf(out, "%s\n", "a line"), 7);
        assert_int_equal(fclose(out), 0);
        assert_true(pc_sink_get(&sink, 0, bytes, 7) && memcmp(bytes, "a line\n", 7) == 0);
        assert_int_equal(pc_sink_commit(&sink), fail_at ? ENOSPC : 0);
        assert_int_equal(unlink(path_of("new")), fail_at ? -1 : 0);
    }
}

static int make(void **state)
{
    (void)state;
    static const char *const files[] = { "in", "dir/in" };
    if (!mkdtemp(folder) || mkdir(path_of("dir"), 0700) != 0)
        return -1;
    for (size_t i = 0; i < PC_COUNT_OF(files); i++)
        close(open(path_of(files[i]), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    return link(path_of("in"), path_of("link"));
}

static int drop(void **state)
{
    (void)state;
    static const char *const names[] = { "in", "link", "dir/in" };
    for (size_t i = 0; i < PC_COUNT_OF(names); i++)
        unlink(path_of(names[i]));
    return rmdir(path_of("dir")) != 0 || rmdir(folder) != 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_output_is_no_input),
    cmocka_unit_test(what_is_printed_arrives_or_the_sink_has_the_error),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), make, drop };

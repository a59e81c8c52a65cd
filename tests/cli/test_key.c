/* SPDX-License-Identifier: MIT
 *
 * The key of a capture: its digest, or a sum of what is left of it.
 */
#include "cli/key.h"
#include "cli/show.h"
#include "pc_test.h"

#include <fcntl.h>
#include <unistd.h>

#define CAPTURE "corpus/real/7.2-cpuclock.data"

static char path[] = "/tmp/test_key.XXXXXX";
static struct pc_arguments arguments;

/* The key of this many bytes of a capture, after which all its items can be read. */
static const char *key_of(size_t size, const char *name)
{
    static struct pc_capture_key key;
    static unsigned char bytes[32768];
    FILE *in = fopen(CAPTURE, "rb"), *out = fopen(path, "wb");
    assert_true(in && out);
    size_t n = fread(bytes, 1, size < sizeof(bytes) ? size : sizeof(bytes), in);
    assert_int_equal(fwrite(bytes, 1, n, out), n);
    fclose(in);
    fclose(out);
    assert_true(pc_key_open(&key, &arguments, name));
    assert_int_equal(perfcheck_check(arguments.pc), PERFCHECK_OK);
    pc_key_close(&key);
    return key.text;
}

static void a_key_is_that_of_the_content(void **state)
{
    char whole[PC_CAPTURE_KEY_MAX], cut[PC_CAPTURE_KEY_MAX];
    (void)state;
    pc_copy_text(whole, sizeof(whole), key_of(SIZE_MAX, path));
    assert_memory_equal(whole, "pc1:", 4);
    assert_int_equal(strlen(whole), PC_CAPTURE_KEY_MAX - 1);
    assert_int_equal(perfcheck_verdict(arguments.pc), PERFCHECK_VALID);
    pc_copy_text(cut, sizeof(cut), key_of(6000, path));
    assert_memory_equal(cut, "raw:", 4);
    assert_int_equal(strlen(cut), PC_CAPTURE_KEY_MAX - 1);
    assert_string_equal(cut, key_of(6000, path));
    assert_string_not_equal(cut, key_of(6100, path));
    assert_string_equal(whole, key_of(SIZE_MAX, path));
}

static void what_is_no_file_has_no_key(void **state)
{
    (void)state;
    assert_string_equal(key_of(1, "/nowhere/at.all"), "");
    assert_int_equal(perfcheck_verdict(arguments.pc), PERFCHECK_UNREADABLE);
}

static int set_up(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    arguments.pc = perfcheck_new();
    arguments.other = perfcheck_new();
    close(fd);
    return fd < 0 || !arguments.pc || !arguments.other;
}

static int tear_down(void **state)
{
    (void)state;
    perfcheck_free(arguments.pc);
    perfcheck_free(arguments.other);
    return unlink(path);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_key_is_that_of_the_content),
    cmocka_unit_test(what_is_no_file_has_no_key),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

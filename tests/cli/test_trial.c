/* SPDX-License-Identifier: MIT
 *
 * Salvages on trial, of a capture whose records are counted here.
 */
#include "cli/trial.h"
#include "bytes/cursor.h"
#include "pc_test.h"

#include <unistd.h>

#define CAPTURE     "corpus/real/7.2-cpuclock.data"
#define DATA_OFFSET 0x28
#define DATA_SIZE   0x30

static char path[] = "/tmp/test_trial.XXXXXX";
static unsigned char whole[65536];
static size_t size;
static perfcheck_t *pc;

static void check(const unsigned char *bytes, size_t n)
{
    FILE *out = fopen(path, "wb");
    assert_true(out && fwrite(bytes, 1, n, out) == n);
    fclose(out);
    assert_int_equal(perfcheck_open_path(pc, path), PERFCHECK_OK);
    assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
}

/* How many records the capture has; *middle: where one of them begins. */
static uint64_t count_records(size_t *middle)
{
    uint64_t nr = 0, at = pc_load(whole + DATA_OFFSET, 8, PC_LITTLE);
    const uint64_t end = at + pc_load(whole + DATA_SIZE, 8, PC_LITTLE);
    for (; at < end; at += pc_load(whole + at + 6, 2, PC_LITTLE)) {
        if (at < end / 2)
            *middle = (size_t)at;
        nr++;
    }
    return nr;
}

static void a_trial_counts_what_is_saved(void **state)
{
    static unsigned char damaged[sizeof(whole)];
    size_t middle = 0;
    const uint64_t nr = count_records(&middle);
    bool mends = false;
    (void)state;
    memcpy(damaged, whole, size);
    memset(damaged + middle, 0x5a, 4); /* no type of a record */
    check(damaged, size);
    assert_true(pc_trial_can(pc, path));
    assert_int_equal(pc_trial(pc, path, 0, &mends), nr - 1);
    assert_int_equal(pc_trial(pc, path, 1, &mends), nr - 1);
    assert_true(mends);
    assert_true(pc_trial(pc, path, UINT32_MAX, &mends) == PC_TRIAL_NOT_KNOWN);
}

static void what_is_no_capture_saves_nothing(void **state)
{
    static const unsigned char text[] = "These lines are of no capture.\nNor is this.\n";
    (void)state;
    bool mends = true;
    check(text, sizeof(text) - 1);
    assert_int_equal(pc_trial(pc, path, 1, &mends), 0);
    assert_false(mends);
}

static void nothing_of_a_sound_capture_is_mended(void **state)
{
    bool mends = true;
    size_t middle = 0;
    (void)state;
    check(whole, size);
    assert_int_equal(pc_trial(pc, path, 0, &mends), count_records(&middle));
    assert_false(mends);
}

static void only_files_and_directories_are_tried(void **state)
{
    (void)state;
    check(whole, size);
    assert_true(pc_trial_can(pc, path) && pc_trial_can(pc, "/tmp"));
    assert_false(pc_trial_can(pc, "-"));
    assert_false(pc_trial_can(pc, "/dev/null"));
    assert_false(pc_trial_can(pc, "/nowhere/at.all"));
}

static int set_up(void **state)
{
    (void)state;
    FILE *in = fopen(CAPTURE, "rb");
    int fd = mkstemp(path);
    pc = perfcheck_new();
    if (!in || fd < 0 || !pc)
        return 1;
    size = fread(whole, 1, sizeof(whole), in);
    fclose(in);
    return close(fd);
}

static int tear_down(void **state)
{
    (void)state;
    perfcheck_free(pc);
    return unlink(path);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_trial_counts_what_is_saved),
    cmocka_unit_test(what_is_no_capture_saves_nothing),
    cmocka_unit_test(nothing_of_a_sound_capture_is_mended),
    cmocka_unit_test(only_files_and_directories_are_tried),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

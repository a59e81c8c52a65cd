/* SPDX-License-Identifier: MIT
 *
 * A digest is of all bytes that count, in records of 64 KiB, in payloads of 128 KiB and in features of 70,000
 * bytes too: one that changes makes another digest, and diff names its path.
 */
#include "scratch.h"
#include "cli/diff.h"
#include "cli/print.h"
#include "write/rewrite.h"

#include <fcntl.h>
#include <stdio.h>

static char one_path[SCRATCH_PATH], other_path[SCRATCH_PATH];
static struct pc_limits limits;

/* Offsets as the recipe gives them: by hand from the sizes of headers, attrs and fields. */
static const struct area {
    size_t at, len;
    const char *path; /* with the offset from `base`, when it has one */
    size_t base;
} areas[] = {
    { 0x244, 65468, "records[2].SAMPLE.raw+0x%zx:", 0x244 },
    { 0x10270, 0x20000, "records[4].data+0x%zx:", 0 },
    { 0x30324, 70000, "features.BIT_40:", 0 },
};

static const char recipe[] =
    "expect: valid\nfile\n"
    "attr type=8 config=0x300e601 sample_period=1 sample_type=IP|TID|TIME|CPU|IDENTIFIER read_format=ID "
    "flags=disabled|inherit|sample_id_all ids=11,12\n"
    "attr type=1 config=10 sample_period=1 sample_type=IP|TID|TIME|CPU|IDENTIFIER|RAW read_format=ID "
    "flags=disabled|inherit|mmap|comm|task|sample_id_all|mmap2|comm_exec|context_switch ids=21,22\n"
    "data\n"
    "record AUXTRACE_INFO ; u32 4 0 ; u64 0 0 0 0 0 0 ; end\n"
    "record COMM misc=COMM_EXEC ; u32 100 100 ; str \"one\" ; u32 100 100 ; u64 900 ; u32 0 0 ; u64 21 ; "
    "end\n"
    "record SAMPLE misc=USER ; u64 21 0x400123 ; u32 100 100 ; u64 1000 ; u32 0 0 ; sized u32 ; fill 65468 "
    "0x41 ; "
    "end ; end\n"
    "record AUX ; u64 0 0x20000 0 ; u32 100 100 ; u64 1100 ; u32 0 0 ; u64 11 ; end\n"
    "record AUXTRACE ; u64 0x20000 0 0x1234 ; u32 0 -1 0 0 ; end\n"
    "fill 0x20000 0x43\n"
    "record COMM ; u32 100 100 ; str \"two\" ; u32 100 100 ; u64 1900 ; u32 0 0 ; u64 21 ; end\n"
    "feature HOSTNAME ; hstr \"box\" ; end\n"
    "feature NRCPUS ; u32 2 2 ; end\n"
    "feature 40 ; fill 70000 0x42 ; end\n";

static struct pc_sum digest(const char *path)
{
    struct pc_printer printer = { .out = stderr, .err = stderr };
    struct pc_rewrite how = { .limits = limits, .tell = pc_print_tell(&printer) };
    struct pc_sum sum;
    assert_int_equal(pc_digest_path(&how, path, &sum), PC_WRITTEN);
    return sum;
}

static void flip(int fd, size_t at, unsigned bit)
{
    unsigned char byte;
    assert_int_equal(pread(fd, &byte, 1, (off_t)at), 1);
    byte ^= (unsigned char)(1U << bit);
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
}

static void expect_path(const struct area *area, size_t at)
{
    char *text = NULL, path[80];
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    struct pc_printer printer = { .out = out, .err = stderr };
    assert_int_equal(pc_diff_paths(&printer, &limits, one_path, other_path), PC_DIFFERENT);
    fclose(out);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(path, sizeof(path), area->path, at - area->base);
#pragma GCC diagnostic pop
    assert_memory_equal(text, path, strlen(path));
    assert_ptr_equal(strchr(text, '\n'), text + len - 1);
    free(text);
}

/* Every byte near the ends and near powers of two, counted from the beginning, and one of 61 between. */
static bool is_tried(size_t i, size_t len)
{
    size_t power = 1;
    while (2 * power <= i + 2)
        power *= 2;
    return i < 16 || len - i <= 16 || i % 61 == 0 || i - power + 2 <= 4;
}

static void each_byte_counts(void **state)
{
    (void)state;
    assemble(recipe, one_path);
    assemble(recipe, other_path);
    struct pc_sum own = digest(one_path), other;
    int fd = open(other_path, O_RDWR);
    for (size_t k = 0; k < PC_COUNT_OF(areas); k++) {
        const struct area *area = &areas[k];
        unsigned tried = 0;
        for (size_t i = 0; i < area->len; i++) {
            size_t at = area->at + i;
            unsigned bit = (unsigned)(i / 61 % 8);
            if (!is_tried(i, area->len))
                continue;
            flip(fd, at, bit);
            other = digest(other_path);
            if (pc_sum_equal(&own, &other))
                fail_msg("0x%zx does not count", at);
            if (tried++ % 32 == 0 || area->len - i <= 2)
                expect_path(area, at);
            flip(fd, at, bit);
        }
        assert_true(tried > area->len / 61);
    }
    other = digest(other_path);
    assert_true(pc_sum_equal(&own, &other));
    close(fd);
}

static int set_up(void **state)
{
    (void)state;
    scratch_path(one_path, "one");
    scratch_path(other_path, "other");
    pc_limits_init(&limits);
    return 0;
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(each_byte_counts) };

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, scratch_tear_down };

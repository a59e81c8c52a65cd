/* SPDX-License-Identifier: MIT
 *
 * A digest is of all bytes that count, in records of 64 KiB, in payloads of 128 KiB and in features of 70,000
 * bytes too: one that changes makes another digest, and diff names its path. So does each part of the
 * content.
 */
#include "scratch.h"
#include "lib/handle.h"
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
    "record AUXTRACE_INFO ; u32 2 0 ; u64 8 0 1 0 0 0 ; end\n"
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

static perfcheck_t *open_path(const char *path)
{
    perfcheck_t *pc = perfcheck_new();
    assert_non_null(pc);
    pc->options.limits = limits;
    assert_int_equal(perfcheck_open_path(pc, path), PERFCHECK_OK);
    return pc;
}

static struct pc_sum digest(const char *path)
{
    struct pc_sum sum = { 0 };
    perfcheck_t *pc = open_path(path);
    const char *text = perfcheck_digest(pc);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof(sum.bytes); i++)
        assert_int_equal(sscanf(text + strlen("pc1:") + 2 * i, "%2hhx", &sum.bytes[i]), 1);
    perfcheck_free(pc);
    return sum;
}

static void flip(int fd, size_t at, unsigned bit)
{
    unsigned char byte;
    assert_int_equal(pread(fd, &byte, 1, (off_t)at), 1);
    byte ^= (unsigned char)(1U << bit);
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
}

/* The path of the only difference. */
static void take_path(void *ctx, perfcheck_kind_t kind, const char *path, const char *a, const char *b)
{
    char *only = ctx;
    (void)kind, (void)a, (void)b;
    assert_string_equal(only, "");
    snprintf(only, 80, "%s:", path);
}

static void expect_path(const struct area *area, size_t at)
{
    char path[80], found[80] = "";
    perfcheck_t *one = open_path(one_path), *other = open_path(other_path);
    assert_int_equal(perfcheck_diff(one, other, take_path, found), PERFCHECK_OK);
    perfcheck_free(one);
    perfcheck_free(other);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(path, sizeof(path), area->path, at - area->base);
#pragma GCC diagnostic pop
    assert_memory_equal(found, path, strlen(path));
}

/* Every byte near the ends and near powers of two, counted from the beginning, and one of 61 between. */
static bool is_tried(size_t i, size_t len)
{
    size_t power = 1;
    while (2 * power <= i + 2)
        power *= 2;
    return i < 16 || len - i <= 16 || i % 61 == 0 || i - power + 2 <= 4;
}

static void every_byte_of_the_content_changes_the_digest(void **state)
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

/* --- the parts --- */

#define EVENT(config, ids)                                                                                   \
    "attr type=1 config=" config " sample_period=1 sample_type=IP|TID|IDENTIFIER read_format=ID "            \
    "flags=disabled ids=" ids "\n"
#define SAMPLE(id)      "record SAMPLE misc=USER ; u64 " id " 0x400123 ; u32 100 100 ; end\n"
#define ROUND           "record FINISHED_ROUND ; end\n"
#define TEXT(bit, text) "record HEADER_FEATURE ; u64 " bit " ; hstr \"" text "\" ; end\n"
#define UNIT(id, text)  "record EVENT_UPDATE ; u64 0 " id " ; text \"" text "\" ; zero 4 ; end\n"
#define NAME(id, text)  "record EVENT_UPDATE ; u64 2 " id " ; text \"" text "\" ; zero 4 ; end\n"
#define EVENT_OF(name, id)                                                                                   \
    "event \"" name "\" type=1 config=0 sample_period=1 sample_type=IP|TID|IDENTIFIER read_format=ID "       \
    "flags=disabled ids=" id " ; "
#define DESC "feature EVENT_DESC ; u32 2 120 ; " EVENT_OF("real", "11") EVENT_OF("flat", "12") "end\n"
#define END  "record HEADER_FEATURE ; u64 35 ; end\n"

static const struct pair {
    const char *what, *one, *other;
    bool same;
} pairs[] = {
    { "the event", EVENT("0", "11"), EVENT("1", "11"), false },
    { "the number of events", EVENT("0", "11"), EVENT("0", "11") EVENT("0", "12"), false },
    { "their order", EVENT("0", "11") EVENT("1", "12"), EVENT("1", "12") EVENT("0", "11"), false },
    { "the first id", EVENT("0", "11,12"), EVENT("0", "13,12"), false },
    { "the last id", EVENT("0", "11,12"), EVENT("0", "11,13"), false },
    { "the number of ids", EVENT("0", "11,12"), EVENT("0", "11"), false },
    { "whose an id is", EVENT("0", "11,12") EVENT("0", "13"), EVENT("0", "11") EVENT("0", "12,13"), false },
    { "a record", EVENT("0", "11") SAMPLE("11"), EVENT("0", "11") SAMPLE("11") SAMPLE("11"), false },
    { "the text of a feature", EVENT("0", "11") TEXT("3", "one") END, EVENT("0", "11") TEXT("3", "two") END,
      false },
    { "which feature", EVENT("0", "11") TEXT("3", "one") END, EVENT("0", "11") TEXT("4", "one") END, false },
    { "the number of features", EVENT("0", "11") TEXT("3", "one") END,
      EVENT("0", "11") TEXT("3", "one") TEXT("4", "one") END, false },
    { "whose text is whose", EVENT("0", "11") TEXT("3", "one") TEXT("4", "two") END,
      EVENT("0", "11") TEXT("3", "two") TEXT("4", "one") END, false },
    { "the order of features", EVENT("0", "11") TEXT("3", "one") TEXT("4", "two") END,
      EVENT("0", "11") TEXT("4", "two") TEXT("3", "one") END, true },
    { "where rounds end", EVENT("0", "11") SAMPLE("11") ROUND SAMPLE("11") ROUND,
      EVENT("0", "11") SAMPLE("11") SAMPLE("11") ROUND, true },
    { "where an attr is", EVENT("0", "11") SAMPLE("11") EVENT("0", "12"),
      EVENT("0", "11") EVENT("0", "12") SAMPLE("11"), true },
    { "where the names of events are", EVENT("0", "11") UNIT("12", "msec") DESC EVENT("0", "12"),
      EVENT("0", "11") UNIT("12", "msec") EVENT("0", "12") DESC, true },
    { "the event of an update", EVENT("0", "11") UNIT("12", "msec") EVENT("1", "12"),
      EVENT("0", "11") EVENT("1", "12") UNIT("12", "msec"), false },
};

static void every_part_of_the_content_changes_the_digest(void **state)
{
    (void)state;
    char text[2048];
    for (size_t i = 0; i < PC_COUNT_OF(pairs); i++) {
        const struct pair *pair = &pairs[i];
        snprintf(text, sizeof(text), "expect: valid\npipe\n%s", pair->one);
        assemble(text, one_path);
        snprintf(text, sizeof(text), "expect: valid\npipe\n%s", pair->other);
        assemble(text, other_path);
        struct pc_sum one = digest(one_path), other = digest(other_path);
        if (pc_sum_equal(&one, &other) != pair->same)
            fail_msg("%s", pair->what);
    }
}

/* What a copy is compared by, besides the digest. */
static void read_parts(const char *text, struct pc_parts *parts)
{
    static struct pc_scan scan;
    static struct pc_content content;
    struct pc_content_item item;
    struct pc_policy policy;
    char whole[2048];
    snprintf(whole, sizeof(whole), "expect: valid\npipe\n%s", text);
    assemble(whole, one_path);
    pc_policy_init(&policy);
    pc_scan_init(&scan, &policy, &limits);
    assert_int_equal(pc_input_open(&scan.in, one_path), 0);
    pc_content_init(&content, &scan, PC_LITTLE, false, NULL);
    content.own.lenient = true;
    do {
        pc_content_next(&content, &item);
    } while (item.kind != PC_CONTENT_END);
    assert_true(pc_content_is_whole(&content));
    *parts = *pc_content_parts(&content);
    pc_content_clear(&content);
    pc_scan_clear(&scan);
}

/* An attr after an EVENT_UPDATE that may be about it. A digest is kept in lists and compared later: all that
 * is said to count is in it, also what follows from the rest. */
static void events_and_their_names_count_where_an_attr_was_late(void **state)
{
    (void)state;
    static struct pc_parts parts;
    struct pc_hash all;
    read_parts(EVENT("0", "11") NAME("21", "real") EVENT("1", "21"), &parts);
    assert_true(parts.attr_after_update);
    const struct pc_hash *counted[] = { &parts.attrs.hash, NULL, &parts.records.hash, &parts.updates.hash,
                                        &parts.names.hash };
    pc_hash_init(&all);
    for (size_t i = 0; i < PC_COUNT_OF(counted); i++) {
        if (counted[i]) {
            struct pc_sum sum = pc_hash_sum(counted[i]);
            pc_hash_put(&all, sum.bytes, sizeof(sum.bytes));
        } else { /* the end of the features */
            pc_hash_put_uint(&all, UINT64_MAX);
        }
    }
    struct pc_sum sum = digest(one_path), expected = pc_hash_sum(&all);
    assert_true(pc_sum_equal(&sum, &expected));
}

static void the_first_difference_of_two_parts_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *what, *one, *other;
        size_t part;
        uint64_t number; /* of the record or attr in the first one; what both have in front has no number */
    } rows[] = {
        { "attrs", EVENT("0", "11") EVENT("1", "12"), EVENT("0", "11") EVENT("2", "12"),
          offsetof(struct pc_parts, attrs), 1 },
        { "records", EVENT("0", "11,12") SAMPLE("11") SAMPLE("11"),
          EVENT("0", "11,12") SAMPLE("11") SAMPLE("12"), offsetof(struct pc_parts, records), 2 },
        { "names", EVENT("0", "11") NAME("11", "real"), EVENT("0", "11") NAME("11", "flat"),
          offsetof(struct pc_parts, names), 0 },
        { "empty names", EVENT("0", "11") "record EVENT_UPDATE ; u64 2 11 ; zero 8 ; end\n",
          EVENT("0", "11") UNIT("11", "msec"), offsetof(struct pc_parts, names), 0 },
        { "updates", EVENT("0", "11") EVENT("0", "12") UNIT("11", "msec"),
          EVENT("0", "11") EVENT("0", "12") UNIT("12", "msec"), offsetof(struct pc_parts, updates), 2 },
    };
    static struct pc_parts one, other;
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        uint64_t from = 0, to = 0;
        read_parts(rows[i].one, &one);
        read_parts(rows[i].other, &other);
        for (size_t k = 0; k < PC_COUNT_OF(rows); k++) {
            const struct pc_marks *a =
                (const struct pc_marks *)(const void *)((const char *)&one + rows[k].part);
            const struct pc_marks *b =
                (const struct pc_marks *)(const void *)((const char *)&other + rows[k].part);
            bool part = pc_marks_part(a, b, &from, &to);
            /* updates and names are made by records */
            if (rows[k].part != rows[i].part && part != (k == 1 && i >= 2))
                fail_msg("%s: %s", rows[i].what, rows[k].what);
            if (k == i && (!part || from != rows[i].number))
                fail_msg("%s: %d, %d", rows[i].what, part, (int)from);
        }
    }
}

static int set_up(void **state)
{
    (void)state;
    scratch_path(one_path, "one");
    scratch_path(other_path, "other");
    pc_limits_init(&limits);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_byte_of_the_content_changes_the_digest),
    cmocka_unit_test(every_part_of_the_content_changes_the_digest),
    cmocka_unit_test(events_and_their_names_count_where_an_attr_was_late),
    cmocka_unit_test(the_first_difference_of_two_parts_is_found),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, scratch_tear_down };

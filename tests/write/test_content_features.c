/* SPDX-License-Identifier: MIT
 *
 * Features that a content keeps: all their bytes in the wanted order, build ids from sections and records
 * once each, and nothing else said after a file for them could not be written.
 */
#include "check/scan.h"
#include "scratch.h"
#include "write/content.h"

#include <errno.h>

static char path[SCRATCH_PATH];
static struct pc_policy policy;
static struct pc_limits limits;
static struct pc_scan scan;
static struct pc_content content;
static unsigned char bytes[65536];
static size_t len;

#define ATTR                                                                                                 \
    "attr type=1 config=0 sample_period=1 sample_type=IP|TID|IDENTIFIER read_format=ID flags=disabled "      \
    "ids=11\n"
#define SAMPLE "record SAMPLE misc=USER ; u64 11 0x400123 ; u32 100 100 ; end\n"
#define FILE_  "file\n" ATTR "data\n" SAMPLE

static void take(void *ctx, const unsigned char *from, size_t n)
{
    (void)ctx;
    assert_true(n <= sizeof(bytes) - len);
    memcpy(bytes + len, from, n);
    len += n;
}

static void begin(const char *recipe, enum pc_order to)
{
    char text[4096];
    snprintf(text, sizeof(text), "expect: valid\norder little\n%s", recipe);
    assemble(text, path);
    pc_scan_init(&scan, &policy, &limits);
    assert_true(pc_scan_open(&scan, path));
    pc_content_init(&content, &scan, to, true, NULL);
}

static void read_all(void)
{
    struct pc_content_item item;
    do {
        pc_content_next(&content, &item);
    } while (item.kind != PC_CONTENT_END);
}

/* The bytes of a feature, as many as its size says. */
static void load(uint64_t bit)
{
    assert_true(pc_content_is_whole(&content));
    len = 0;
    assert_true(pc_content_feature(&content, bit, take, NULL));
    assert_int_equal(len, pc_content_size(&content, bit));
}

static void end(void)
{
    pc_content_clear(&content);
    pc_scan_clear(&scan);
}

static void a_long_feature_comes_back_whole(void **state)
{
    (void)state;
    enum { LEN = 10000 };
    char recipe[4096];
    snprintf(recipe, sizeof(recipe),
             FILE_ "feature HOSTNAME ; hstr 8 \"box\" ; end\nfeature NRCPUS ; u32 3 2 ; end\n"
                   "feature 40 ; fill 4096 1 ; fill 4096 2 ; fill %d 3 ; end\n",
             LEN - 2 * 4096);
    begin(recipe, PC_LITTLE);
    read_all();
    load(40);
    assert_int_equal(len, LEN);
    for (size_t i = 0; i < LEN; i++)
        assert_int_equal(bytes[i], i / 4096 + 1);
    load(PC_NRCPUS);
    assert_int_equal(len, 8);
    assert_memory_equal(bytes, "\3\0\0\0\2\0\0\0", 8);
    end();
}

static void numbers_get_the_wanted_order(void **state)
{
    (void)state;
    begin(FILE_ "feature NRCPUS ; u32 3 2 ; end\nfeature CLOCKID ; u64 0x0102030405060708 ; end\n", PC_BIG);
    read_all();
    load(PC_NRCPUS);
    assert_memory_equal(bytes, "\0\0\0\3\0\0\0\2", 8);
    load(PC_CLOCKID);
    assert_memory_equal(bytes, "\1\2\3\4\5\6\7\10", 8);
    end();
}

/* The entries of a section, then what records add. */
#define ENTRY(misc, id, name)                                                                                \
    "u32 0 ; u16 misc." misc " 100 ; u32 -1 ; bytes " id " ; zero 23 ; str 64 \"" name "\" ; "
#define RECORD(misc, id, name)                                                                               \
    "record HEADER_BUILD_ID misc=" misc " ; u32 -1 ; bytes " id " ; zero 23 ; str 64 \"" name "\" ; end\n"

static void each_build_id_is_kept_once(void **state)
{
    (void)state;
    static unsigned char whole[4096];
    begin(FILE_ "feature BUILD_ID ; " ENTRY("USER", "11", "/a") ENTRY("USER", "22", "/b")
              ENTRY("USER", "33", "/c") "end\n",
          PC_LITTLE);
    read_all();
    load(PC_BUILD_ID);
    struct pc_sum sum = content.parts.feature[PC_BUILD_ID];
    size_t size = len;
    assert_true(size >= 3 * (36 + 3) && size <= sizeof(whole));
    memcpy(whole, bytes, size);
    end();
    static const char *const others[] = {
        /* a record that repeats an entry, and one that adds one */
        FILE_ RECORD("USER", "11", "/a")
            RECORD("USER", "33", "/c") "feature BUILD_ID ; " ENTRY("USER", "11", "/a")
                ENTRY("USER", "22", "/b") "end\n",
        /* all from records, one of them twice */
        "pipe\n" ATTR RECORD("USER", "11", "/a") RECORD("USER", "22", "/b") RECORD("USER", "11", "/a")
            RECORD("USER", "33", "/c") SAMPLE,
    };
    for (size_t i = 0; i < PC_COUNT_OF(others); i++) {
        begin(others[i], PC_LITTLE);
        read_all();
        load(PC_BUILD_ID);
        assert_int_equal(len, size);
        assert_memory_equal(bytes, whole, size);
        assert_true(pc_sum_equal(&content.parts.feature[PC_BUILD_ID], &sum));
        end();
    }
    /* Another name, or another id, is another entry. */
    begin("pipe\n" ATTR RECORD("USER", "11", "/a") RECORD("USER", "11", "/b") RECORD("USER", "12", "/b")
              SAMPLE,
          PC_LITTLE);
    read_all();
    load(PC_BUILD_ID);
    assert_int_equal(len, size);
    end();
}

/* A feature that could not be converted either is not said: there is one reason. */
static void a_failed_store_is_the_only_reason(void **state)
{
    (void)state;
    for (int failed = 0; failed < 2; failed++) {
        begin(FILE_ "feature NRCPUS ; u32 1 1 7 ; end\n", PC_BIG);
        if (failed) {
            content.store.mem = &scan.mem;
            content.store.error = ENOSPC;
        }
        read_all();
        assert_false(pc_content_is_whole(&content));
        assert_int_equal(scan.report.by_id[PC_D_STORE_FAILED], failed);
        assert_int_equal(scan.report.by_id[PC_D_REWRITE_FEATURE], !failed);
        if (failed)
            content.store.mem = NULL;
        end();
    }
}

static int set_up(void **state)
{
    (void)state;
    scratch_path(path, "capture");
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_long_feature_comes_back_whole),
    cmocka_unit_test(numbers_get_the_wanted_order),
    cmocka_unit_test(each_build_id_is_kept_once),
    cmocka_unit_test(a_failed_store_is_the_only_reason),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, scratch_tear_down };

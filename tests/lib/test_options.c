/* SPDX-License-Identifier: MIT
 *
 * Options by name: the values that each one takes, and the reason when it does not take one.
 */
#include "options_bench.h"

#include <errno.h>

static void what_cannot_be_set_has_a_reason(void **state)
{
    (void)state;
    static const struct refused rows[] = {
        { "color", "red", "unknown option color" },
        { "to", NULL, "no value for option to" },
        { "force", "1", "a value for option force" },
        { "to", "tape", "'to' takes keep, file, pipe or directory, not tape" },
        { "byte-order", "Big",
          "'byte-order' takes keep, little, big, native or swap, not Big; did you mean big?" },
        { "max-per-id", "", "'max-per-id' takes a number below 2^64, not ''" },
        { "max-per-id", "-1", "'max-per-id' takes a number below 2^64, not -1" },
        { "max-per-id", "1K", "'max-per-id' takes a number below 2^64, not 1K" },
        { "max-per-id", "18446744073709551616",
          "'max-per-id' takes a number below 2^64, not 18446744073709551616" },
        { "max-spool", "1KB", "'max-spool' takes a size, in bytes or with K, M or G (100M), not 1KB" },
        { "max-spool", "17179869184G",
          "'max-spool' takes a size, in bytes or with K, M or G (100M), not 17179869184G" }, /* 2^64 */
        { "max-inflated", " 1", "'max-inflated' takes a size, in bytes or with K, M or G (100M), not  1" },
        { "max-memory", "1023K", "'max-memory' is at least 1M, not 1023K" },
        { "compress", "0", "'compress' takes a level from 1 to 22, not 0" },
        { "compress", "23", "'compress' takes a level from 1 to 22, not 23" },
        { "for", "perf-6",
          "'for' takes perf-5.10, perf-6.1, perf-6.12, perf-7.2, all or simpleperf, not perf-6; did you mean "
          "perf-6.1?" },
        { "for", "6.1.",
          "'for' takes perf-5.10, perf-6.1, perf-6.12, perf-7.2, all or simpleperf, not 6.1.; did you mean "
          "6.1?" },
        { "for", "6.1.7x",
          "'for' takes perf-5.10, perf-6.1, perf-6.12, perf-7.2, all or simpleperf, not 6.1.7x" },
        { "for", "6.00001",
          "'for' takes perf-5.10, perf-6.1, perf-6.12, perf-7.2, all or simpleperf, not 6.00001" },
        { "for", "4.19", "'for': perf 4.19 was not measured; the oldest measured one is perf 5.10" },
        { "disable", "no-such", "unknown finding no-such; 'perfcheck explain --all' lists all" },
        { "severity", "PC9999=note", "unknown finding PC9999; 'perfcheck explain --all' lists all" },
        { "disable", "hostname-claer", "unknown finding hostname-claer; did you mean hostname-clear?" },
        { "to", "\x1b[1m", "'to' takes keep, file, pipe or directory, not \\x1b[1m" }, /* safe to print */
    };
    assert_refused(rows, PC_COUNT_OF(rows));
}

/* Values whose first part is one, and so was set. */
static void a_refused_value_sets_nothing(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "max-memory", "1K" },
        { "max-per-id", "1x" },
        { "max-spool", "2x" },
        { "max-inflated", "2x" },
        { "disable", "PC0209,nope" },
        { "severity", "PC0209=error,PC0523=bad" },
        { "accept", "PC0209:100,nope" },
        { "min-samples", "9x" },
        { "max-size", "1z" },
        { "max-lost", "101%" },
        { "max-lost", "0.12345%" },
        { "compress", "23" },
        { "rotate", "5x" },
        { "drop", "kcore,record:NOPE" },
        { "require", "samples,nope" },
        { "require", "arch:arm64,nope" },
    };
    assert_true(set("accept", "PC0523:7"));
    assert_true(set("drop", "kcore"));
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        const struct pc_options before = options;
        bool is_set = set(rows[i][0], rows[i][1]);
        if (is_set || options.mem.used != before.mem.used ||
            memcmp(&before.policy, &options.policy, sizeof(before.policy)) != 0 ||
            memcmp(&before.limits, &options.limits, sizeof(before.limits)) != 0 ||
            memcmp(&before.demands, &options.demands, sizeof(before.demands)) != 0 ||
            memcmp(&before.rewrite, &options.rewrite, sizeof(before.rewrite)) != 0)
            fail_msg("%s %s", rows[i][0], rows[i][1]);
    }
}

static void sizes_have_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t size;
    } rows[] = {
        { "0", 0 },
        { "4095", 4095 },
        { "3K", 3 << 10 },
        { "5M", 5 << 20 },
        { "2G", (uint64_t)2 << 30 },
        { "17179869183G", 0xffffffffc0000000 },
        { "18446744073709551615", UINT64_MAX },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        assert_true(set("max-spool", rows[i].text));
        assert_int_equal(options.limits.spool, rows[i].size);
        assert_true(set("max-inflated", rows[i].text));
        assert_int_equal(options.limits.inflated, rows[i].size);
    }
    assert_true(set("max-memory", "1M"));
    assert_int_equal(options.limits.memory, 1 << 20);
    assert_int_equal(options.limits.section, 1 << 19); /* half of it */
    assert_true(set("max-per-id", "0"));
    assert_int_equal(options.policy.max_per_id, 0);
}

/* strtoull reports in errno that a number is too large. An earlier call may have set errno too. */
static void an_old_error_is_none_of_the_number(void **state)
{
    (void)state;
    errno = ERANGE;
    assert_true(set("max-spool", "5M"));
    assert_int_equal(options.limits.spool, 5 << 20);
}

static void each_option_sets_its_member(void **state)
{
    (void)state;
    assert_true(set("byte-order", "swap"));
    assert_int_equal(options.rewrite.order, PC_ORDER_SWAP);
    assert_true(set("to", "pipe"));
    assert_int_equal(options.rewrite.to, PC_TO_PIPE);
    assert_true(!options.rewrite.force && set("force", NULL) && options.rewrite.force);
    assert_true(!options.rewrite.no_verify && set("no-verify", NULL) && options.rewrite.no_verify);
    assert_true(set("for", "perf-6.1"));
    assert_int_equal(options.policy.reader, PC_BY_6_1);
    assert_int_equal(options.rewrite.reader, PC_BY_6_1);
    assert_false(set("for", "perf-6.1"));
    assert_string_equal(why.text, "'for' may be given once");
    assert_true(set("disable", "gap,,trailing-bytes"));
    assert_true(options.policy.disabled[PC_D_GAP] && options.policy.disabled[PC_D_TRAILING_BYTES]);
    assert_false(options.policy.disabled[PC_D_GAP_NOT_ZERO]);
}

/* Which were measured: tests/interop. */
static void other_versions_are_taken_for_the_older_one(void **state)
{
    (void)state;
    static const struct {
        const char *value, *says;
        enum pc_versions taken;
    } rows[] = {
        { "5.15", "perf 5.10 are used (the next measured one is perf 6.1)", PC_BY_5_10 },
        { "perf-6.6", "perf 6.1 are used (the next measured one is perf 6.12)", PC_BY_6_1 },
        { "perf-6.8.12", "perf 6.1 are used (the next measured one is perf 6.12)", PC_BY_6_1 },
        { "7.1", "perf 6.12 are used (the next measured one is perf 7.2)", PC_BY_6_12 },
        { "7.10", "perf 7.2 are used", PC_BY_7_2 },
        { "6.1.176", NULL, PC_BY_6_1 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        char text[160];
        set_up(NULL);
        pc_buffer_init(&why);
        assert_true(set("for", rows[i].value));
        assert_int_equal(options.policy.reader, rows[i].taken);
        assert_int_equal(options.rewrite.reader, rows[i].taken);
        snprintf(text, sizeof(text), "'for': perf %s was not measured; the rules for %s",
                 rows[i].value + strcspn(rows[i].value, "567"), rows[i].says ? rows[i].says : "");
        assert_string_equal(why.text, rows[i].says ? text : "");
        pc_options_clear(&options);
    }
}

static void compression_is_chosen_one_way(void **state)
{
    (void)state;
    assert_true(set("compress", NULL));
    assert_int_equal(options.rewrite.level, 1);
    assert_true(set("compress", "22"));
    assert_int_equal(options.rewrite.level, 22);
    assert_int_equal(options.rewrite.compression, PC_COMPRESSION_LEVEL);
    assert_false(set("decompress", NULL));
    assert_string_equal(why.text, "'compress' or 'decompress', not both");
    set_up(NULL);
    assert_true(set("decompress", NULL));
    assert_int_equal(options.rewrite.compression, PC_COMPRESSION_NONE);
    assert_false(set("compress", NULL));
}

static const struct CMUnitTest tests[] = {
    TEST(what_cannot_be_set_has_a_reason),
    TEST(a_refused_value_sets_nothing),
    TEST(sizes_have_units),
    TEST(an_old_error_is_none_of_the_number),
    TEST(each_option_sets_its_member),
    TEST(other_versions_are_taken_for_the_older_one),
    TEST(compression_is_chosen_one_way),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

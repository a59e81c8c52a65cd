/* SPDX-License-Identifier: MIT
 *
 * What cannot be carried over is named exactly: the finding, the bytes, the reason, and the option that
 * leaves them out, with which the rest is copied.
 */
#include "scratch.h"
#include "cli/print.h"
#include "write/rewrite.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char in_path[SCRATCH_PATH], out_path[SCRATCH_PATH];

/* A pipe begins with 16 bytes; this attr takes a record of 8 + 120 + 8. */
#define ATTR                                                                                                 \
    "attr type=1 config=0 sample_period=1000 sample_type=IP|TID|IDENTIFIER read_format=ID flags=disabled "   \
    "ids=11\n"
#define PIPE   "pipe\n" ATTR
#define FIRST  (16 + 8 + 120 + 8)
#define SAMPLE "record SAMPLE misc=USER ; u64 11 0x400123 ; u32 100 100 ; end\n" /* 8 + 24 bytes */
#define ROUND  "record FINISHED_ROUND ; end\n"
#define END    "record HEADER_FEATURE ; u64 35 ; end\n"

struct row {
    const char *recipe;
    struct pc_rewrite how;
    enum pc_diag id;
    enum pc_place place;
    uint64_t number, offset, length;
    const char *seen, *option; /* NULL: none. seen: text, or a number */
};

static const struct row rows[] = {
    /* kernel 5.10 ends at TEXT_POKE (20); perf 5.10 reads no samples from a pipe */
    { PIPE ROUND "record CALLCHAIN_DEFERRED misc=USER ; u64 7 1 0x400123 ; end\n",
      { .reader = PC_BY_5_10 },
      PC_D_REWRITE_FOR_RECORD,
      PC_IN_RECORD,
      2,
      FIRST + 8,
      32,
      "perf 5.10",
      "record:CALLCHAIN_DEFERRED" },
    /* no version knows it; perf before 7.2 stops there */
    { PIPE "record 127 ; u64 1 ; end\n" ROUND,
      { .reader = PC_BY_6_12 },
      PC_D_REWRITE_FOR_RECORD,
      PC_IN_RECORD,
      1,
      FIRST,
      16,
      "perf 6.12",
      "record:TYPE_127" },
    /* prot is after the header and 56 bytes: pid, tid, addr, len, pgoff, maj, min, ino, ino_generation */
    { PIPE
      "record MMAP2 ; u32 100 100 ; u64 0x1000 0x1000 0 ; u32 8 1 ; u64 1 0 ; u32 0x6e6f0000 0 ; str \"a\" ; "
      "end\n" SAMPLE,
      { .order = PC_ORDER_BIG },
      PC_D_REWRITE_RECORD,
      PC_IN_RECORD,
      1,
      FIRST + 64,
      8,
      "in the other byte order it would have the layout of kernels 3.12 to 3.15",
      "record:MMAP2" },
    /* the feature leaves the row of records, and what follows then is no record of a known type */
    { "pipe\nrecord 116 ; u64 1 ; end\nrecord HEADER_FEATURE ; u64 3 ; hstr \"box\" ; end\nrecord "
      "FINISHED_INIT "
      "misc=0x8 ; end\n",
      { .order = PC_ORDER_KEEP },
      PC_D_REWRITE_UNKNOWN,
      PC_IN_RECORD,
      0,
      16,
      8,
      "116",
      NULL },
    { PIPE SAMPLE "record HEADER_FEATURE ; u64 300 ; u64 1 2 ; end\n" END,
      { .order = PC_ORDER_KEEP },
      PC_D_REWRITE_FEATURE,
      PC_IN_FEATURE,
      300,
      FIRST + 32 + 16,
      16,
      "a feature of a number that no file has",
      "feature:BIT_300" },
    { PIPE SAMPLE
      "record HEADER_FEATURE ; u64 3 ; hstr 12 \"box\" ; end\nrecord HEADER_FEATURE ; u64 3 ; hstr 12 "
      "\"bax\" ; end\n" END,
      { .order = PC_ORDER_KEEP },
      PC_D_REWRITE_FEATURE_TWICE,
      PC_IN_FEATURE,
      3,
      FIRST + 32 + 32 + 16,
      16,
      NULL,
      "feature:HOSTNAME" },
    /* the update of an event whose attr is not there yet has 8 + 16 + 16 bytes */
    { PIPE
      "record EVENT_UPDATE ; u64 2 12 ; text \"page-faults\" ; zero 5 ; end\n"
      "attr type=1 config=2 sample_period=1000 sample_type=IP|TID|IDENTIFIER read_format=ID flags=disabled "
      "ids=12\n" SAMPLE,
      { .order = PC_ORDER_KEEP },
      PC_D_REWRITE_LATE_ATTR,
      PC_IN_ATTR,
      1,
      FIRST + 40 + 8,
      120 + 8,
      NULL,
      NULL },
    /* 32 bytes after config4, which 5.10 does not know; nor does perfcheck know the last eight */
    { "pipe\nattr room=168 size=168 type=1 config=0 sample_period=1000 sample_type=IP|TID|IDENTIFIER "
      "read_format=ID flags=disabled ids=11\npatch attr0+160 u64 1\n" ROUND,
      { .reader = PC_BY_5_10 },
      PC_D_REWRITE_FOR_ATTR,
      PC_IN_ATTR,
      0,
      16 + 8 + 160,
      8,
      "perf 5.10",
      NULL },
    /* 32 bytes after config4; the last eight are set */
    { "pipe\nattr room=168 size=168 type=1 config=0 sample_period=1000 sample_type=IP|TID|IDENTIFIER "
      "read_format=ID "
      "flags=disabled ids=11\npatch attr0+160 u64 1\n" SAMPLE,
      { .order = PC_ORDER_BIG },
      PC_D_REWRITE_ATTR,
      PC_IN_ATTR,
      0,
      16 + 8 + 144,
      24,
      "members that no known version explains",
      NULL },
    /* header, id and attr, sample, table of one feature */
    { "file\n" ATTR "data\n" SAMPLE "feature 40 ; u64 0 1 ; end\n",
      { .order = PC_ORDER_BIG },
      PC_D_REWRITE_FEATURE,
      PC_IN_FEATURE,
      40,
      104 + 8 + 136 + 32 + 16,
      16,
      "a feature that no known version explains",
      "feature:BIT_40" },
};

/* --- what was said --- */

struct heard {
    struct pc_finding error; /* the last one */
    unsigned errors;
    unsigned lines;
    char text[512]; /* messages, a line each, as far as there is room */
    char last[256]; /* the last one */
};

static void take_message(void *ctx, const char *path, const char *what, const char *why)
{
    struct heard *heard = ctx;
    size_t used = strlen(heard->text);
    heard->lines++;
    snprintf(heard->last, sizeof(heard->last), "%s: %s: %s\n", path, what, why ? why : "");
    snprintf(heard->text + used, sizeof(heard->text) - used, "%s", heard->last);
}

static void take_errors(void *ctx, const char *path, const struct pc_scan *scan)
{
    struct heard *heard = ctx;
    (void)path;
    for (size_t i = 0; i < scan->report.nr; i++) {
        if (scan->report.finding[i].severity != PC_ERROR)
            continue;
        heard->error = scan->report.finding[i];
        heard->errors++;
    }
}

static enum pc_rewritten rewrite(const struct pc_rewrite *as, struct pc_drops drops, struct heard *heard)
{
    struct pc_rewrite how = *as;
    *heard = (struct heard){ .errors = 0 };
    pc_limits_init(&how.limits);
    how.callbacks = (struct pc_callbacks){ .ctx = heard, .message = take_message, .errors = take_errors };
    how.drops = drops;
    return pc_rewrite_capture(&how, NULL, in_path, out_path);
}

static enum pc_rewritten rewrite_row(const struct row *row, const char *drop, struct heard *heard)
{
    char *const drops[] = { (char *)(uintptr_t)drop };
    return rewrite(&row->how, (struct pc_drops){ drops, drop ? 1 : 0 }, heard);
}

static void compare_value(const struct row *row, const struct pc_value *value, const char *text)
{
    char number[24];
    snprintf(number, sizeof(number), "%llu", (unsigned long long)value->n);
    bool same = value->kind == PC_V_NONE ? !text
                : value->kind == PC_V_BYTES
                    ? text && memcmp(value->bytes, text, value->len) == 0
                    : text && strcmp(value->kind == PC_V_TEXT ? value->text : number, text) == 0;
    if (!same)
        fail_msg("row %zu: kind %d, %s, not %s", (size_t)(row - rows), (int)value->kind,
                 value->kind == PC_V_TEXT ? value->text : number, text ? text : "none");
}

static void what_is_refused_is_named_exactly(void **state)
{
    (void)state;
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        const struct row *row = &rows[i];
        char recipe[1024];
        struct heard heard;
        snprintf(recipe, sizeof(recipe), "expect: valid\n%s", row->recipe);
        assemble(recipe, in_path);
        enum pc_rewritten result = rewrite_row(row, NULL, &heard);
        const struct pc_finding *f = &heard.error;
        if (result != PC_REFUSED || heard.errors != 1 || f->id != row->id || f->place != row->place ||
            f->number != row->number || f->offset != row->offset || f->length != row->length)
            fail_msg("row %zu: %d, %u errors, %s, place %d, number %llu, offset %llu, length %llu: %s", i,
                     (int)result, heard.errors, f->id ? pc_diag_info(f->id)->id : "", (int)f->place,
                     (unsigned long long)f->number, (unsigned long long)f->offset,
                     (unsigned long long)f->length, heard.text);
        compare_value(row, &f->seen, row->seen);
        compare_value(row, &f->expected, row->option);
        assert_int_equal(scratch_entries(), 1);
        if (!row->option)
            continue;
        /* What the option names is left out, and only that. */
        char line[256];
        result = rewrite_row(row, row->option, &heard);
        snprintf(line, sizeof(line), "%s: left out: %s, 1 time, first at 0x%llx\n", in_path, row->option,
                 (unsigned long long)row->offset);
        if (result != PC_WRITTEN || heard.errors != 0 || strcmp(heard.text, line) != 0)
            fail_msg("row %zu without %s: %d, %s: %s", i, row->option, (int)result,
                     heard.errors ? pc_diag_info(heard.error.id)->id : "", heard.text);
        /* It is not in the copy any more. */
        assert_int_equal(rename(out_path, in_path), 0);
        assert_int_equal(rewrite_row(row, NULL, &heard), PC_WRITTEN);
        assert_int_equal(unlink(out_path), 0);
        assemble(recipe, in_path);
        rewrite_row(row, "feature:HOSTNAMF", &heard);
        assert_int_equal(heard.errors, 1);
    }
}

/* The records of the row above about prot: each is left out, and the second one adds to the first's line. */
static void a_loss_that_repeats_is_counted(void **state)
{
    (void)state;
    static const char mmap2[] = "record MMAP2 ; u32 100 100 ; u64 0x1000 0x1000 0 ; u32 8 1 ; u64 1 0 ; u32 "
                                "0x6e6f0000 0 ; str \"a\" ; "
                                "end\n";
    static char name[] = "record:MMAP2";
    static char *drops[] = { name };
    struct pc_rewrite big = { .order = PC_ORDER_BIG };
    struct heard heard;
    char recipe[1024], line[256];
    snprintf(recipe, sizeof(recipe), "expect: valid\n%s%s%s%s", PIPE, mmap2, mmap2, SAMPLE);
    assemble(recipe, in_path);
    assert_int_equal(rewrite(&big, (struct pc_drops){ drops, 1 }, &heard), PC_WRITTEN);
    snprintf(line, sizeof(line), "%s: left out: %s, 2 times, first at 0x%x\n", in_path, name, FIRST + 64);
    assert_string_equal(heard.text, line);
    assert_int_equal(unlink(out_path), 0);
}

static void that_memory_ran_out_is_reported_once(void **state)
{
    (void)state;
    static struct pc_scan scan;
    static struct pc_content content;
    struct pc_policy policy;
    struct pc_limits limits;
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    pc_scan_init(&scan, &policy, &limits);
    pc_content_init(&content, &scan, PC_LITTLE, false, NULL);
    for (unsigned i = 0; i < 3; i++)
        pc_content_no_memory(&content);
    assert_int_equal(scan.report.by_id[PC_D_OUT_OF_MEMORY], 1);
    assert_int_equal(scan.report.nr, 1);
    assert_int_equal(scan.report.finding[0].place, PC_AT_END);
    assert_true(scan.report.unreadable);
    pc_content_clear(&content);
    pc_scan_clear(&scan);
}

/* 256 losses are known by name; the others are counted. */
static void losses_beyond_the_last_name_are_counted(void **state)
{
    (void)state;
    enum { NR = 256 + 3, BIT = 300 };
    static char names[NR][32];
    static char *drops[NR];
    struct pc_rewrite keep = { .order = PC_ORDER_KEEP };
    struct heard heard;
    char *recipe = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&recipe, &len);
    fputs("expect: valid\n" PIPE, f);
    for (int i = 0; i < NR; i++) {
        fprintf(f, "record HEADER_FEATURE ; u64 %d ; u64 1 ; end\n", BIT + i);
        snprintf(names[i], sizeof(names[i]), "feature:BIT_%d", BIT + i);
        drops[i] = names[i];
    }
    fputs(END SAMPLE, f);
    fclose(f);
    assemble(recipe, in_path);
    free(recipe);
    enum pc_rewritten result = rewrite(&keep, (struct pc_drops){ drops, NR }, &heard);
    if (result != PC_WRITTEN)
        fail_msg("%u errors, %s: %s", heard.errors, heard.errors ? pc_diag_info(heard.error.id)->id : "",
                 heard.last);
    assert_int_equal(heard.lines, 256 + 1);
    assert_non_null(strstr(heard.last, ": left out: 3 more\n"));
    assert_int_equal(unlink(out_path), 0);
}

/* A feature that comes twice with the same content is one. */
static void the_same_feature_twice_is_one(void **state)
{
    (void)state;
    static const char once[] = "record HEADER_FEATURE ; u64 3 ; hstr 12 \"box\" ; end\n";
    struct pc_rewrite keep = { .order = PC_ORDER_KEEP };
    struct heard heard;
    struct stat one, two;
    char recipe[1024];
    for (unsigned n = 1; n <= 2; n++) {
        snprintf(recipe, sizeof(recipe), "expect: valid\n%s%s%s%s%s", PIPE, once, n == 2 ? once : "", END,
                 SAMPLE);
        assemble(recipe, in_path);
        assert_int_equal(rewrite(&keep, (struct pc_drops){ NULL, 0 }, &heard), PC_WRITTEN);
        assert_string_equal(heard.text, "");
        assert_int_equal(stat(out_path, n == 1 ? &one : &two), 0);
        assert_int_equal(unlink(out_path), 0);
    }
    assert_int_equal(one.st_size, two.st_size);
}

/* The system has no memory for the work: it says so, and closes the input that it took over. */
static void without_memory_the_input_is_closed(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    lacks("a limit of the address space");
#else
    const char *loaded = getenv("LD_PRELOAD");
    if (loaded != NULL && strstr(loaded, "vgpreload") != NULL) /* valgrind itself needs memory, and ends */
        lacks("a limit of the address space");
    struct pc_rewrite how = { .order = PC_ORDER_KEEP };
    struct heard heard = { .errors = 0 };
    struct pc_sum sum;
    struct rlimit before;
    pc_limits_init(&how.limits);
    how.callbacks = (struct pc_callbacks){ .ctx = &heard, .message = take_message, .errors = take_errors };
    assemble("expect: valid\n" PIPE SAMPLE, in_path);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    for (int what = 0; what < 3; what++) {
        struct pc_input in;
        struct pc_sink sink = { .target = PC_TARGET_CLOSED };
        heard = (struct heard){ .errors = 0 };
        assert_int_equal(pc_input_open(&in, in_path), 0);
        int fd = in.fd;
        assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){ 1 << 20, before.rlim_max }), 0);
        enum pc_rewritten result = what == 0   ? pc_rewrite_capture(&how, &in, "the input", out_path)
                                   : what == 1 ? pc_rewrite_into(&how, &in, "the input", &sink, out_path)
                                               : pc_digest_capture(&how, &in, "the input", &sum);
        assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
        assert_int_equal(result, PC_TROUBLE);
        assert_string_equal(heard.text, "the input: cannot be read: Cannot allocate memory\n");
        assert_int_equal(fcntl(fd, F_GETFD), -1);
        assert_int_equal(scratch_entries(), 1);
    }
#endif
}

static int set_up(void **state)
{
    (void)state;
    scratch_path(in_path, "in");
    scratch_path(out_path, "out");
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_refused_is_named_exactly),
    cmocka_unit_test(losses_beyond_the_last_name_are_counted),
    cmocka_unit_test(a_loss_that_repeats_is_counted),
    cmocka_unit_test(that_memory_ran_out_is_reported_once),
    cmocka_unit_test(without_memory_the_input_is_closed),
    cmocka_unit_test(the_same_feature_twice_is_one),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, scratch_tear_down };

/* SPDX-License-Identifier: MIT
 *
 * How many passes over a capture a salvage makes. They are counted, so that the test says the same on every
 * machine.
 */
#include "salvage_rows.h"
#include "write/salvage_parts.h"

/* After 16 passes, or much work for so few bytes, eight more only leave out. */
static void a_salvage_settles(void **state)
{
    (void)state;
    struct pc_scan scan = { .capture = { 0 } };
    struct pc_content content = { .scan = &scan };
    struct pc_salvage s = { .again = true, .passes = 15, .work = (uint64_t)4 << 20 };
    pc_salvage_begin(&s, &content);
    assert_int_equal(s.settling, 0);
    for (s.passes = 16; s.passes < 24;) {
        s.again = true;
        assert_true(pc_salvage_again(&s));
        pc_salvage_begin(&s, &content);
    }
    s.again = true;
    assert_int_equal(s.settling, 8);
    assert_true(pc_salvage_is_unsettled(&s) && !pc_salvage_again(&s));
    s.hopeless = true;
    assert_false(pc_salvage_is_unsettled(&s));
    s = (struct pc_salvage){ .work = ((uint64_t)4 << 20) + 40 };
    pc_salvage_begin(&s, &content);
    assert_int_equal(s.settling, 1);
}

/* A capture of any size, once its compressed records are opened, is read six times with its copies, or as
 * often as a few MiB allow. */
static void a_large_capture_is_read_fewer_times(void **state)
{
    (void)state;
    static const struct {
        uint64_t size, opened;
        unsigned passes, searches;
    } rows[] = {
        { 1000, 0, 24, 16 },
        { (uint64_t)1 << 20, 0, 7, 4 },
        { (uint64_t)1 << 18, (uint64_t)3 << 18, 7, 4 },
        { (uint64_t)1 << 30, 0, 6, 4 },
        { (uint64_t)1 << 20, (uint64_t)1 << 30, 6, 4 },
    };
    static struct pc_scan scan;
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        struct pc_content content = { .scan = &scan };
        struct pc_salvage s = { .content = &content };
        unsigned searches = 0;
        scan.in.kind = PC_INPUT_FILE;
        scan.in.size = rows[i].size;
        scan.check.flow.sum.compressed_out = rows[i].opened;
        do {
            pc_salvage_begin_pass(&s);
            pc_salvage_end_pass(&s);
            s.read += s.once; /* of the copy */
            s.again = true;
            searches += s.settling == 0;
        } while (pc_salvage_again(&s));
        assert_int_equal(s.passes, rows[i].passes);
        assert_int_equal(searches, rows[i].searches);
        assert_int_equal(pc_salvage_passes_left(&s), 0);
    }
}

static unsigned copies;

static void count_copy(void *ctx, int fd)
{
    (void)ctx;
    (void)fd;
    copies++;
}

/* The first record that lacks an attr is left out of the next copy. When they are more than a salvage can
 * leave out, it is refused at once. */
static void records_without_attrs_are_not_tried_in_vain(void **state)
{
    (void)state;
    static const struct {
        unsigned samples, copies;
        enum pc_rewritten result;
    } rows[] = { { 3, 3, PC_WRITTEN }, { 24, 24, PC_WRITTEN }, { 25, 1, PC_REFUSED }, { 60, 1, PC_REFUSED } };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        char text[5120] = "expect: invalid\npipe\nrecord THREAD_MAP ; u64 1 -1 ; zero 16 ; end\n";
        for (unsigned k = 0; k < rows[i].samples; k++)
            strcat(text, SAMPLE(0x401000));
        assemble(text, in_path);
        copies = 0;
        struct pc_rewrite how = { .salvage = true, .written = count_copy };
        pc_limits_init(&how.limits);
        said[0] = 0;
        how.callbacks = (struct pc_callbacks){ .message = take_message, .errors = take_errors };
        const enum pc_rewritten result = pc_rewrite_capture(&how, NULL, in_path, out_path);
        if (result != rows[i].result || copies != rows[i].copies)
            fail_msg("%u samples: result %d, %u copies%s", rows[i].samples, result, copies, said);
        assert_true((strstr(said, "no attr is left by which its records could be read") != NULL) ==
                    (result == PC_REFUSED));
        unlink(out_path);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_large_capture_is_read_fewer_times),
    cmocka_unit_test(a_salvage_settles),
    cmocka_unit_test(records_without_attrs_are_not_tried_in_vain),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), salvage_set_up, scratch_tear_down };

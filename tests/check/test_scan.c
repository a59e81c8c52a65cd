/* SPDX-License-Identifier: MIT
 *
 * Whole captures through the library: verdicts, and that the result does not depend on how the bytes come.
 */
#include "pc_test.h"
#include "captures.h"
#include "scan_whole.h"

static struct pc_policy policy;
static struct pc_limits limits;

static int set_up(void **state)
{
    (void)state;
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    load_captures(true);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free_captures();
    return 0;
}

static struct pc_span bytes_of(const struct real_capture *c)
{
    return (struct pc_span){ c->bytes, c->len };
}

static void scan_as(struct pc_scan *scan, const struct real_capture *c, enum pc_input_kind kind)
{
    pc_scan_init(scan, &policy, &limits);
    pc_scan_memory(scan, bytes_of(c), kind);
}

/* Findings and summary must be the same, byte for byte. */
static void assert_same(const struct pc_scan *a, const struct pc_scan *b)
{
    assert_int_equal(a->report.nr, b->report.nr);
    for (size_t i = 0; i < a->report.nr; i++) {
        const struct pc_finding *x = &a->report.finding[i], *y = &b->report.finding[i];
        assert_int_equal(x->id, y->id);
        assert_int_equal(x->offset, y->offset);
        assert_int_equal(x->length, y->length);
        assert_int_equal(x->number, y->number);
        assert_int_equal(x->seen.n, y->seen.n);
        assert_int_equal(x->expected.n, y->expected.n);
        assert_int_equal(x->depth, y->depth);
    }
    assert_memory_equal(a->report.by_id, b->report.by_id, sizeof(a->report.by_id));
    assert_memory_equal(a->check.flow.sum.by_type, b->check.flow.sum.by_type,
                        sizeof(a->check.flow.sum.by_type));
    assert_int_equal(a->check.flow.sum.total, b->check.flow.sum.total);
    assert_int_equal(a->check.flow.sum.first_time, b->check.flow.sum.first_time);
    assert_int_equal(a->check.flow.sum.last_time, b->check.flow.sum.last_time);
    assert_int_equal(pc_scan_verdict(a), pc_scan_verdict(b));
}

static void real_captures_get_the_verdict_of_their_index(void **state)
{
    (void)state;
    static struct pc_scan scan;
    assert_true(nr_real_captures >= 20);
    for (size_t i = 0; i < nr_real_captures; i++) {
        const struct real_capture *c = &real_captures[i];
        scan_as(&scan, c, PC_INPUT_FILE);
        enum pc_verdict expected = strcmp(c->expect, "valid") == 0 ? PC_VALID : PC_INVALID;
        if (pc_scan_verdict(&scan) != expected)
            fail_msg("%s: verdict %d, expected %d", c->path, pc_scan_verdict(&scan), expected);
        /* What is valid has no warning, but for the writers' defects D1 and D11 of FORMAT.md 12.5. */
        uint64_t known = scan.report.by_id[PC_D_RECORD_UNALIGNED_KNOWN] + scan.report.by_id[PC_D_STAT_CPU];
        if (expected == PC_VALID && scan.report.by_severity[PC_WARNING] != known)
            fail_msg("%s: %llu warnings", c->path, (unsigned long long)scan.report.by_severity[PC_WARNING]);
        assert_int_equal(scan.capture.is_pipe, strcmp(c->mode, "pipe") == 0);
        assert_int_equal(scan.capture.order, strcmp(c->order, "big") == 0 ? PC_BIG : PC_LITTLE);
        pc_scan_clear(&scan);
    }
}

static void invalid_captures_have_their_finding_at_their_offset(void **state)
{
    (void)state;
    /* Offsets by hand: 48 is data.size of the header; the others were found in hexdumps (FORMAT.md 12.5). */
    static const struct {
        const char *path;
        enum pc_diag id;
        uint64_t offset;
    } known[] = {
        { "corpus/real/6.12-kill9.data", PC_D_UNFINISHED, 48 },
        { "corpus/real/5.10-pipe2file.data", PC_D_DATA_INSIDE_RECORD, 0x100 }, /* D3: data.offset */
        { "corpus/real/x86_64-72-modifiers.data", PC_D_SAMPLE_OTHER_EVENT,
          0xae8 },                                                                /* D6: perf names it too */
        { "corpus/real/s390x-72-pipe2file.data", PC_D_SECTIONS_OVERLAP, 0x37d0 }, /* D2: end of the table */
    };
    static struct pc_scan scan;
    for (size_t k = 0; k < PC_COUNT_OF(known); k++) {
        bool found = false;
        for (size_t i = 0; i < nr_real_captures; i++) {
            if (strcmp(real_captures[i].path, known[k].path) != 0)
                continue;
            scan_as(&scan, &real_captures[i], PC_INPUT_FILE);
            for (size_t n = 0; n < scan.report.nr; n++)
                found |= scan.report.finding[n].id == known[k].id &&
                         scan.report.finding[n].offset == known[k].offset;
            pc_scan_clear(&scan);
        }
        if (!found)
            fail_msg("%s: %s is missing", known[k].path, pc_diag_info(known[k].id)->name);
    }
}

static void a_second_reading_gives_the_same_report(void **state)
{
    (void)state;
    static struct pc_scan a, b;
    for (size_t i = 0; i < nr_real_captures; i++) {
        scan_as(&a, &real_captures[i], PC_INPUT_FILE);
        scan_as(&b, &real_captures[i], PC_INPUT_FILE);
        assert_same(&a, &b);
        pc_scan_clear(&a);
        pc_scan_clear(&b);
    }
}

/* Of captures that are cut in the middle, too. */
static void the_cause_is_said_when_it_is_asked_for(void **state)
{
    (void)state;
    static struct pc_scan at_once, later;
    uint64_t causes = 0, left_out;
    for (size_t i = 0; i < 2 * nr_real_captures; i++) {
        struct real_capture c = real_captures[i / 2];
        c.len /= 1 + i % 2;
        scan_as(&at_once, &c, PC_INPUT_FILE);
        pc_scan_init(&later, &policy, &limits);
        later.no_cause = true;
        pc_scan_memory(&later, bytes_of(&c), PC_INPUT_FILE);
        left_out = 0;
        for (enum pc_diag id = 0; id < PC_DIAG_COUNT; id++)
            left_out += at_once.report.by_id[id] - later.report.by_id[id];
        causes += left_out;
        assert_true(later.lacks_cause);
        pc_scan_say_cause(&later);
        assert_same(&at_once, &later);
        pc_scan_say_cause(&later);
        assert_same(&at_once, &later);
        pc_scan_clear(&at_once);
        pc_scan_clear(&later);
    }
    assert_true(causes > 10);
}

static void a_stream_in_pieces_of_any_size_is_read_like_a_file(void **state)
{
    (void)state;
    static struct pc_scan a, b;
    static const size_t pieces[] = { 0, 1, 7, 4096 };
    for (size_t i = 0; i < nr_real_captures; i++) {
        if (real_captures[i].len > 70000 && i % 4 != 0)
            continue;
        scan_as(&a, &real_captures[i], PC_INPUT_FILE);
        for (size_t k = 0; k < PC_COUNT_OF(pieces); k++) {
            if (pieces[k] == 1 && real_captures[i].len > 30000)
                continue;
            pc_scan_init(&b, &policy, &limits);
            pc_input_memory(&b.in, bytes_of(&real_captures[i]), PC_INPUT_STREAM);
            b.in.at_most = pieces[k];
            pc_scan_input(&b);
            assert_same(&a, &b);
            pc_scan_clear(&b);
        }
        pc_scan_clear(&a);
    }
}

static void a_plan_never_changes_the_result(void **state)
{
    (void)state;
    static struct pc_scan a, b;
    for (size_t i = 0; i < nr_real_captures; i++) {
        scan_as(&a, &real_captures[i], PC_INPUT_FILE);
        pc_scan_init(&b, &policy, &limits);
        b.capture.no_plans = true;
        pc_scan_memory(&b, bytes_of(&real_captures[i]), PC_INPUT_FILE);
        assert_same(&a, &b);
        pc_scan_clear(&a);
        pc_scan_clear(&b);
    }
}

static void many_records_at_once_are_judged_like_one(void **state)
{
    (void)state;
    static struct pc_scan a, b;
    for (size_t i = 0; i < nr_real_captures; i++) {
        for (unsigned kind = PC_INPUT_FILE; kind <= PC_INPUT_STREAM; kind++) {
            scan_as(&a, &real_captures[i], (enum pc_input_kind)kind);
            pc_scan_init(&b, &policy, &limits);
            b.one_by_one = true;
            pc_scan_memory(&b, bytes_of(&real_captures[i]), (enum pc_input_kind)kind);
            assert_same(&a, &b);
            assert_int_equal(pc_scan_work(&a), pc_scan_work(&b));
            pc_scan_clear(&a);
            pc_scan_clear(&b);
        }
    }
}

static void every_failed_allocation_ends_cleanly(void **state)
{
    (void)state;
    static struct pc_scan whole, scan;
    for (size_t i = 0; i < nr_real_captures; i++) {
        if (strncmp(real_captures[i].path, "corpus/", 7) != 0)
            continue;
        scan_as(&whole, &real_captures[i], PC_INPUT_FILE);
        uint64_t calls = whole.mem.calls, records = whole.check.flow.sum.total;
        assert_true(calls > 0);
        pc_scan_clear(&whole);
        for (uint64_t k = 1; k <= calls; k++) {
            for (unsigned on = 0; on < 2; on++) {
                pc_scan_init(&scan, &policy, &limits);
                scan.mem.fail_at = k;
                scan.mem.fail_on = on;
                pc_scan_memory(&scan, bytes_of(&real_captures[i]), PC_INPUT_FILE);
                /* Without the memory for a name or a plan the answer is still whole; else it says so. */
                assert_true(scan.report.unreadable || scan.check.flow.sum.total == records);
                pc_scan_clear(&scan); /* asserts that nothing leaked */
            }
        }
    }
}

static void every_failed_read_is_reported(void **state)
{
    (void)state;
    static struct pc_scan scan;
    for (size_t i = 0; i < nr_real_captures; i += 5) {
        const struct real_capture *c = &real_captures[i];
        size_t step = c->len / 50 + 1;
        for (size_t at = 1; at < c->len; at += at < 100 ? 33 : step) { /* also in the header */
            for (unsigned kind = PC_INPUT_FILE; kind <= PC_INPUT_STREAM; kind++) {
                pc_scan_init(&scan, &policy, &limits);
                pc_input_memory(&scan.in, bytes_of(c), (enum pc_input_kind)kind);
                scan.in.fail_at = at;
                scan.in.at_most = 64;
                pc_scan_input(&scan);
                if (scan.in.error != 0) {
                    assert_int_equal(pc_scan_verdict(&scan), PC_UNREADABLE);
                    assert_true(scan.report.by_id[PC_D_READ_FAILED] > 0);
                }
                assert_int_equal(scan.report.by_id[PC_D_HEADER_CUT], 0);
                pc_scan_clear(&scan);
            }
        }
    }
}

static void a_file_that_shrinks_is_a_finding(void **state)
{
    (void)state;
    static struct pc_scan scan;
    const struct real_capture *c = &real_captures[0];
    pc_scan_init(&scan, &policy, &limits);
    struct pc_span half = bytes_of(c);
    half.len /= 2;
    pc_input_memory(&scan.in, half, PC_INPUT_FILE);
    scan.in.size = c->len; /* what it was when it was opened */
    pc_scan_input(&scan);
    assert_int_equal(pc_scan_verdict(&scan), PC_INVALID);
    assert_true(scan.report.by_id[PC_D_SHRANK] > 0);
    for (size_t i = 0; i < scan.report.nr; i++) {
        if (scan.report.finding[i].id == PC_D_SHRANK)
            assert_int_equal(scan.report.finding[i].length, 0);
    }
    pc_scan_clear(&scan);
}

static void every_prefix_is_checked_and_findings_are_inside(void **state)
{
    (void)state;
    static struct pc_scan scan;
    for (size_t i = 0; i < nr_real_captures; i++) {
        const struct real_capture *c = &real_captures[i];
        if (strncmp(c->path, "corpus/", 7) != 0)
            continue;
        size_t step = c->len > 8000 ? c->len / 997 : 1;
        for (size_t len = 0; len < c->len; len += step) {
            pc_scan_init(&scan, &policy, &limits);
            pc_scan_memory(&scan, (struct pc_span){ c->bytes, len }, PC_INPUT_FILE);
            for (size_t n = 0; n < scan.report.nr; n++) {
                const struct pc_finding *f = &scan.report.finding[n];
                /* A section after the end of the file is reported where it should be. */
                bool promise = f->id == PC_D_TABLE_OUTSIDE;
                if (!promise && !f->where.inside && !(f->offset <= len && f->length <= len - f->offset))
                    fail_msg("%s cut to %zu: %s at %zu+%zu", c->path, len, pc_diag_info(f->id)->name,
                             (size_t)f->offset, (size_t)f->length);
            }
            pc_scan_clear(&scan);
        }
    }
}

static void a_cut_file_is_never_valid(void **state)
{
    (void)state;
    static struct pc_scan scan;
    for (size_t i = 0; i < nr_real_captures; i++) {
        const struct real_capture *c = &real_captures[i];
        if (strncmp(c->path, "corpus/", 7) != 0 || strcmp(c->mode, "file") != 0 ||
            strcmp(c->expect, "valid") != 0)
            continue;
        for (size_t cut = 1; cut < c->len; cut += cut < 300 ? 1 : c->len / 50) {
            pc_scan_init(&scan, &policy, &limits);
            pc_scan_memory(&scan, (struct pc_span){ c->bytes, c->len - cut }, PC_INPUT_FILE);
            if (pc_scan_verdict(&scan) == PC_VALID)
                fail_msg("%s: valid without its last %zu bytes", c->path, cut);
            pc_scan_clear(&scan);
        }
    }
}

static void a_policy_changes_severity_and_never_the_rest(void **state)
{
    (void)state;
    static struct pc_scan scan;
    struct pc_policy own;
    const char killed[] = "corpus/real/6.12-kill9.data";
    pc_policy_init(&own);
    own.severity[PC_D_UNFINISHED] = PC_WARNING + 1;
    pc_scan_init(&scan, &own, &limits);
    pc_scan_path(&scan, killed);
    assert_int_equal(pc_scan_verdict(&scan), PC_VALID);
    assert_int_equal(scan.report.by_severity[PC_WARNING], 1);
    pc_scan_clear(&scan);

    pc_policy_init(&own);
    own.disabled[PC_D_UNFINISHED] = true;
    pc_scan_init(&scan, &own, &limits);
    pc_scan_path(&scan, killed);
    assert_int_equal(scan.report.nr, 0);
    assert_int_equal(pc_scan_verdict(&scan), PC_VALID);
    pc_scan_clear(&scan);

    pc_policy_init(&own);
    own.disabled[PC_D_READ_FAILED] = true; /* has no effect */
    pc_scan_init(&scan, &own, &limits);
    pc_scan_path(&scan, "corpus/real/no-such-file");
    assert_int_equal(pc_scan_verdict(&scan), PC_UNREADABLE);
    pc_scan_clear(&scan);
}

static void findings_of_one_id_are_capped_and_counted(void **state)
{
    (void)state;
    struct pc_mem mem;
    struct pc_report report;
    struct pc_policy own;
    pc_policy_init(&own);
    own.max_per_id = 3;
    pc_mem_init(&mem, 1 << 20);
    pc_report_init(&report, &mem, &own);
    for (uint64_t i = 0; i < 10; i++) {
        struct pc_finding f = { .id = PC_D_LOST_ZERO, .place = PC_IN_RECORD, .offset = 100 - i };
        pc_report_add(&report, &f);
    }
    struct pc_finding first = { .id = PC_D_MAGIC_UNKNOWN, .place = PC_IN_HEADER, .offset = 500 };
    pc_report_add(&report, &first);
    pc_report_sort(&report);
    assert_int_equal(report.nr, 4);
    assert_int_equal(report.finding[0].id, PC_D_MAGIC_UNKNOWN); /* the header comes before the records */
    assert_int_equal(report.finding[1].offset, 98);
    assert_int_equal(pc_report_suppressed(&report, PC_D_LOST_ZERO), 7);
    assert_int_equal(report.by_severity[PC_NOTE], 10);
    pc_report_clear(&report);
    assert_int_equal(mem.used, 0);
}

/* A pipe with so many records of an unknown type that not all findings have room. Rules and verdict do not
 * depend on how many are kept. */
static void findings_that_are_kept_change_nothing(void **state)
{
    (void)state;
    enum { NR = 4000, SIZE = 8 };
    static const uint8_t unknown[SIZE] = { 100, 0, 0, 0, 0, 0, SIZE, 0 };
    static struct pc_scan few, many;
    struct real_capture pipe = { .path = "corpus/real/7.2-pipe.pipe" };
    struct pc_limits small = limits;
    struct pc_policy all = policy;
    assert_true(load_bytes(&pipe));
    size_t len = pipe.len + (size_t)NR * SIZE;
    uint8_t *bytes = realloc(pipe.bytes, len);
    assert_non_null(bytes);
    for (size_t at = pipe.len; at < len; at += SIZE)
        memcpy(bytes + at, unknown, SIZE);
    small.memory = (uint64_t)1 << 20;
    all.max_per_id = UINT32_MAX;
    pc_scan_init(&few, &policy, &small);
    pc_scan_init(&many, &all, &small);
    pc_scan_memory(&few, (struct pc_span){ bytes, len }, PC_INPUT_STREAM);
    pc_scan_memory(&many, (struct pc_span){ bytes, len }, PC_INPUT_STREAM);
    uint64_t found = many.report.found[PC_D_TYPE_USER_UNKNOWN];
    assert_int_equal(found, NR);
    assert_in_range(many.report.kept[PC_D_TYPE_USER_UNKNOWN], policy.max_per_id + 1, NR - 1);
    assert_memory_equal(many.report.found, few.report.found, sizeof(few.report.found));
    assert_int_equal(pc_scan_verdict(&many), pc_scan_verdict(&few));
    pc_scan_clear(&few);
    pc_scan_clear(&many);
    free(bytes);
}

static void begin_scan(struct pc_scan *scan, const struct real_capture *c)
{
    pc_scan_init(scan, &policy, &limits);
    pc_input_memory(&scan->in, bytes_of(c), PC_INPUT_FILE);
}

/* Reads both to the end, at most `steps` items of the second by steps. Returns how many were judged ahead. */
static size_t read_both(struct pc_scan *alone, struct pc_scan *stepped, size_t steps)
{
    struct pc_item a, b = { .number = 0 };
    size_t ahead = 0;
    for (size_t i = 0; pc_scan_next(alone, &a); i++) {
        if (i >= steps)
            continue;
        assert_true(pc_scan_step(stepped, &b));
        ahead += stepped->from_ahead;
        assert_int_equal(a.kind, b.kind);
        assert_int_equal(a.type, b.type);
        assert_int_equal(a.misc, b.misc);
        assert_int_equal(a.number, b.number);
        assert_int_equal(a.offset, b.offset);
        assert_int_equal(a.size, b.size);
        assert_int_equal(a.news, b.news);
        assert_int_equal(a.where.stream, b.where.stream);
        assert_int_equal(a.where.inside, b.where.inside);
        assert_int_equal(a.where.wrapper_offset, b.where.wrapper_offset);
        assert_int_equal(a.bytes.len, b.bytes.len);
        if (a.bytes.len != 0)
            assert_memory_equal(a.bytes.ptr, b.bytes.ptr, a.bytes.len);
        uint32_t attr = pc_scan_attr(stepped, &b);
        assert_true(!a.judged || attr == a.judged->attr);
        assert_true(attr == PC_NO_ATTR || a.judged);
    }
    pc_scan_rest(stepped);
    pc_scan_end(alone);
    pc_scan_end(stepped);
    return ahead;
}

static void items_are_the_same_when_samples_are_judged_ahead(void **state)
{
    (void)state;
    size_t ahead = 0;
    for (size_t i = 0; i < nr_real_captures; i++) {
        for (size_t steps = 30; steps < 100000; steps *= 3) {
            struct pc_scan alone, stepped;
            begin_scan(&alone, &real_captures[i]);
            begin_scan(&stepped, &real_captures[i]);
            ahead += read_both(&alone, &stepped, steps);
            assert_same(&alone, &stepped);
            pc_scan_clear(&alone);
            pc_scan_clear(&stepped);
        }
    }
    assert_true(ahead > 10000);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(items_are_the_same_when_samples_are_judged_ahead),
    cmocka_unit_test(real_captures_get_the_verdict_of_their_index),
    cmocka_unit_test(invalid_captures_have_their_finding_at_their_offset),
    cmocka_unit_test(a_second_reading_gives_the_same_report),
    cmocka_unit_test(the_cause_is_said_when_it_is_asked_for),
    cmocka_unit_test(a_stream_in_pieces_of_any_size_is_read_like_a_file),
    cmocka_unit_test(a_plan_never_changes_the_result),
    cmocka_unit_test(many_records_at_once_are_judged_like_one),
    cmocka_unit_test(every_failed_allocation_ends_cleanly),
    cmocka_unit_test(every_failed_read_is_reported),
    cmocka_unit_test(a_file_that_shrinks_is_a_finding),
    cmocka_unit_test(every_prefix_is_checked_and_findings_are_inside),
    cmocka_unit_test(a_cut_file_is_never_valid),
    cmocka_unit_test(a_policy_changes_severity_and_never_the_rest),
    cmocka_unit_test(findings_of_one_id_are_capped_and_counted),
    cmocka_unit_test(findings_that_are_kept_change_nothing),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

/* SPDX-License-Identifier: MIT */
#include "pc_test.h"
#include "report/report.h"

#include <stdio.h>

static struct pc_mem mem;
static struct pc_policy policy;
static struct pc_report report;

/* A report with so much memory and the default policy, which may be changed before a finding is added. */
static void begin_report(uint64_t limit)
{
    pc_mem_init(&mem, limit);
    pc_policy_init(&policy);
    pc_report_init(&report, &mem, &policy);
}

static void end_report(void)
{
    pc_report_clear(&report);
    assert_int_equal(mem.used, 0);
}

static size_t findings_for(enum pc_versions reader, enum pc_diag id, void (*change)(void),
                           struct pc_finding *last)
{
    begin_report(1 << 20);
    policy.reader = reader;
    if (change)
        change();
    pc_report_add(&report,
                  &(struct pc_finding){ .id = id, .place = PC_IN_RECORD, .offset = 40, .length = 2 });
    size_t nr = report.nr;
    if (nr != 0)
        *last = report.finding[nr - 1];
    end_report();
    return nr;
}

static void disable_it(void)
{
    policy.disabled[PC_D_RECORD_UNALIGNED_KNOWN] = true;
}

static void make_it_an_error(void)
{
    policy.severity[PC_D_RECORD_UNALIGNED_KNOWN] = PC_ERROR + 1;
}

static void for_reports_what_the_named_perf_refuses(void **state)
{
    (void)state;
    const enum pc_diag id = PC_D_RECORD_UNALIGNED_KNOWN; /* a warning that perf 7.2 refuses */
    struct pc_finding last;
    assert_int_equal(findings_for(PC_BY_7_2, id, NULL, &last), 2);
    assert_int_equal(last.id, PC_D_FOR_FINDING);
    assert_int_equal(last.severity, PC_ERROR);
    assert_int_equal(last.offset, 40);
    assert_string_equal(last.seen.text, "record-unaligned-known-writer");
    assert_string_equal(last.expected.text, "perf 7.2");
    assert_int_equal(findings_for(PC_BY_6_12, id, NULL, &last), 1);
    assert_int_equal(findings_for(PC_BY_NONE, id, NULL, &last), 1);
    assert_int_equal(findings_for(PC_BY_7_2, id, disable_it, &last), 0);
    assert_int_equal(findings_for(PC_BY_7_2, id, make_it_an_error, &last), 2); /* its row says it is less */
    assert_int_equal(findings_for(PC_BY_7_2, PC_D_RECORD_UNALIGNED, NULL, &last), 1); /* an error for all */
}

static void each_version_reads_a_capture_without_findings(void **state)
{
    (void)state;
    begin_report(1 << 20);
    for (int i = 1; i < PC_DIAG_COUNT; i++) {
        for (unsigned version = PC_BY_5_10; version <= PC_BY_7_2; version <<= 1)
            assert_int_equal(pc_report_reading(&report, (enum pc_diag)i, (enum pc_versions)version),
                             PC_READS);
    }
    end_report();
}

/* By severity, place, stream and offset; findings inside a compressed record come after those of the record.
 */
static void findings_are_shown_in_the_order_of_the_capture(void **state)
{
    (void)state;
    static const struct {
        enum pc_place place;
        uint32_t stream;
        bool inside;
        uint64_t wrapper, offset;
        enum pc_diag id;
        uint64_t number;
    } rows[] = {
        { PC_IN_HEADER, 0, false, 0, 900, PC_D_UNFINISHED, 0 },
        { PC_IN_RECORD, 0, false, 0, 100, PC_D_RECORD_SIZE, 3 },      /* PC0201 */
        { PC_IN_RECORD, 0, false, 0, 100, PC_D_RECORD_UNALIGNED, 3 }, /* PC0205 */
        { PC_IN_RECORD, 0, false, 0, 100, PC_D_RECORD_UNALIGNED, 4 },
        { PC_IN_RECORD, 0, false, 0, 200, PC_D_RECORD_SIZE, 5 },
        { PC_IN_RECORD, 0, true, 200, 0, PC_D_RECORD_SIZE, 6 },
        { PC_IN_RECORD, 0, true, 200, 16, PC_D_RECORD_SIZE, 7 },
        { PC_IN_RECORD, 0, false, 0, 201, PC_D_RECORD_SIZE, 8 },
        { PC_IN_RECORD, 1, false, 0, 50, PC_D_RECORD_SIZE, 2 },
        { PC_AT_END, 0, false, 0, 0, PC_D_DATA_LEFTOVER, 0 },
        { PC_IN_ATTR, 0, false, 0, 800, PC_D_ID_ZERO, 0 }, /* a warning */
    };
    for (size_t first = 0; first < PC_COUNT_OF(rows); first++) {
        for (size_t step = 1; step < PC_COUNT_OF(rows); step++) { /* their number is a prime: all come */
            begin_report(1 << 20);
            for (size_t i = 0, k = first; i < PC_COUNT_OF(rows); i++, k = (k + step) % PC_COUNT_OF(rows)) {
                pc_report_add(&report, &(struct pc_finding){ .id = rows[k].id,
                                                             .where = { .stream = rows[k].stream,
                                                                        .inside = rows[k].inside,
                                                                        .wrapper_offset = rows[k].wrapper },
                                                             .place = rows[k].place,
                                                             .offset = rows[k].offset,
                                                             .number = rows[k].number });
            }
            pc_report_sort(&report);
            assert_int_equal(report.nr, PC_COUNT_OF(rows));
            for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
                const struct pc_finding *f = &report.finding[i];
                assert_int_equal(f->id, rows[i].id);
                assert_int_equal(f->place, rows[i].place);
                assert_int_equal(f->offset, rows[i].offset);
                assert_int_equal(f->number, rows[i].number);
                assert_int_equal(f->where.stream, rows[i].stream);
                assert_int_equal(f->where.inside, rows[i].inside);
            }
            end_report();
        }
    }
}

/* The cause is first, then what is attached to it: what is about the header or the end, or lies in its range
 * of the capture itself. What a perf does not know follows from nothing. */
static void what_follows_from_a_cause_is_attached_to_it(void **state)
{
    (void)state;
    const struct pc_finding findings[] = {
        { .id = PC_D_RECORD_SIZE, .place = PC_IN_RECORD, .offset = 999 },
        { .id = PC_D_RECORD_SIZE, .place = PC_IN_RECORD, .offset = 2000 },
        { .id = PC_D_RESYNC, .place = PC_IN_RECORD, .offset = 1000 },
        { .id = PC_D_RECORD_SIZE, .place = PC_IN_RECORD, .offset = 1999 },
        { .id = PC_D_DATA_OUTSIDE, .place = PC_IN_HEADER, .offset = 40 },
        { .id = PC_D_ZEROED, .place = PC_AT_END, .offset = 1000 },
        { .id = PC_D_FOR_ATTR_SIZE, .place = PC_IN_RECORD, .offset = 1500, .reader = PC_BY_6_1 },
    };
    static const struct {
        enum pc_diag id;
        enum pc_role role;
        uint64_t offset;
    } expected[] = {
        { PC_D_ZEROED, PC_CAUSE, 1000 },        { PC_D_DATA_OUTSIDE, PC_RELATED, 40 },
        { PC_D_RECORD_SIZE, PC_RELATED, 1999 }, { PC_D_RESYNC, PC_RELATED, 1000 },
        { PC_D_RECORD_SIZE, PC_ALONE, 999 },    { PC_D_FOR_ATTR_SIZE, PC_ALONE, 1500 },
        { PC_D_RECORD_SIZE, PC_ALONE, 2000 },
    };
    begin_report(1 << 20);
    policy.reader = PC_BY_6_1;
    for (size_t i = 0; i < PC_COUNT_OF(findings); i++)
        pc_report_add(&report, &findings[i]);
    pc_report_attach(&report, PC_D_ZEROED, (struct pc_reach){ .from = 1000, .to = 2000 });
    pc_report_sort(&report);
    for (size_t i = 0; i < PC_COUNT_OF(expected); i++) {
        assert_int_equal(report.finding[i].id, expected[i].id);
        assert_int_equal(report.finding[i].role, expected[i].role);
        assert_int_equal(report.finding[i].offset, expected[i].offset);
    }
    end_report();
}

/* A cause needs the first errors of records, and those of features come before them. */
static void errors_of_features_leave_room_for_the_first_of_records(void **state)
{
    (void)state;
    begin_report(1 << 20);
    for (uint64_t i = 0; i < PC_EARLY_MAX + 5; i++) {
        const struct pc_finding feature = { .id = PC_D_FEATURE_OUTSIDE,
                                            .place = PC_IN_FEATURE,
                                            .offset = 9000 + i };
        pc_report_add(&report, &feature);
    }
    for (uint64_t i = 0; i < PC_EARLY_MAX + 5; i++) {
        const struct pc_finding record = { .id = PC_D_RECORD_SIZE,
                                           .place = PC_IN_RECORD,
                                           .offset = 1000 + i };
        pc_report_add(&report, &record);
    }
    assert_int_equal(report.nr_early, 2 * PC_EARLY_MAX);
    assert_int_equal(report.early[PC_EARLY_MAX - 1].offset, 9000 + PC_EARLY_MAX - 1);
    assert_int_equal(report.early[PC_EARLY_MAX].offset, 1000);
    end_report();
}

static void memory_exhaustion_can_always_be_reported(void **state)
{
    (void)state;
    begin_report(1 << 20);
    uint64_t others = mem.limit - mem.used;
    void *all = pc_alloc(&mem, others);
    assert_non_null(all);
    pc_report_add(&report, &(struct pc_finding){ .id = PC_D_OUT_OF_MEMORY, .place = PC_AT_END, .offset = 7 });
    assert_int_equal(report.nr, 1);
    assert_int_equal(report.finding[0].id, PC_D_OUT_OF_MEMORY);
    assert_int_equal(report.finding[0].offset, 7);
    pc_free(&mem, all, others);
    end_report();
}

/* The user asked for one of each; but why the work ended is shown up to 20 times. */
static void what_could_not_be_done_is_shown_whatever_the_cap(void **state)
{
    (void)state;
    begin_report(1 << 20);
    policy.max_per_id = 1;
    policy.disabled[PC_D_READ_FAILED] = true;
    for (unsigned i = 0; i < 25; i++) {
        pc_report_add(&report, &(struct pc_finding){ .id = PC_D_READ_FAILED, .offset = i });
        pc_report_add(&report, &(struct pc_finding){ .id = PC_D_RECORD_SIZE, .offset = i });
    }
    assert_int_equal(report.nr, 20 + 1);
    assert_int_equal(report.by_id[PC_D_READ_FAILED], 25);
    assert_int_equal(pc_report_suppressed(&report, PC_D_READ_FAILED), 5);
    assert_int_equal(pc_report_suppressed(&report, PC_D_RECORD_SIZE), 24);
    assert_true(report.unreadable);
    end_report();
}

static void note_finding(void *ctx, const struct pc_finding *finding)
{
    struct pc_finding *last = ctx;
    *last = *finding;
}

static void a_finding_is_handed_on_with_its_place_and_severity(void **state)
{
    (void)state;
    struct pc_finding last = { .id = PC_NO_DIAG };
    begin_report(1 << 20);
    report.on_finding = note_finding;
    report.ctx = &last;
    const struct pc_where where = { .stream = 3, .inside = true, .wrapper = 4, .wrapper_offset = 500 };
    pc_report_add(&report, &(struct pc_finding){ .id = PC_D_RECORD_SIZE, .where = where, .offset = 7 });
    assert_int_equal(last.id, PC_D_RECORD_SIZE);
    assert_int_equal(last.severity, PC_ERROR);
    assert_int_equal(last.offset, 7);
    assert_int_equal(last.where.stream, 3);
    assert_true(last.where.inside);
    assert_int_equal(last.where.wrapper, 4);
    assert_int_equal(last.where.wrapper_offset, 500);
    assert_int_equal(report.nr, 0);
    end_report();
}

static void keep_first_two(void *ctx, const struct pc_finding *finding)
{
    (void)ctx;
    if (finding->offset < 2 || pc_diag_is_unreadable(finding->id))
        pc_report_keep(&report, finding);
}

/* It was counted when it was added; none of an id of which none is kept is suppressed. */
static void a_finding_that_was_handed_on_can_be_kept(void **state)
{
    (void)state;
    begin_report(1 << 20);
    report.on_finding = keep_first_two;
    for (unsigned i = 0; i < 5; i++) {
        pc_report_add(&report, &(struct pc_finding){ .id = PC_D_RECORD_SIZE, .offset = i });
        pc_report_add(&report, &(struct pc_finding){ .id = PC_D_LOST_ZERO, .offset = 2 + i });
    }
    assert_int_equal(report.nr, 2);
    assert_int_equal(report.finding[1].offset, 1);
    assert_int_equal(report.finding[1].severity, PC_ERROR);
    assert_int_equal(report.by_id[PC_D_RECORD_SIZE], 5);
    assert_int_equal(report.found[PC_D_RECORD_SIZE], 5);
    assert_int_equal(report.by_severity[PC_ERROR], 5);
    assert_int_equal(pc_report_suppressed(&report, PC_D_RECORD_SIZE), 3);
    assert_int_equal(pc_report_suppressed(&report, PC_D_LOST_ZERO), 0);
    end_report();

    begin_report(1 << 20); /* without room, it takes the place of one that was kept */
    report.on_finding = keep_first_two;
    pc_report_add(&report, &(struct pc_finding){ .id = PC_D_RECORD_SIZE, .offset = 2 });
    const size_t others = mem.limit - mem.used;
    void *all = pc_alloc(&mem, others);
    for (size_t i = 0; i < report.cap; i++)
        pc_report_add(&report, &(struct pc_finding){ .id = (enum pc_diag)(PC_D_RECORD_SIZE + i) });
    pc_report_add(&report, &(struct pc_finding){ .id = PC_D_READ_FAILED, .offset = 7 });
    assert_int_equal(report.nr, report.cap);
    assert_int_equal(report.finding[report.nr - 1].id, PC_D_READ_FAILED);
    pc_free(&mem, all, others);
    end_report();
}

/* There is room for the first findings only: what is kept changes nothing that rules and verdict see. */
static void findings_without_room_are_counted(void **state)
{
    (void)state;
    enum { NR = 1000 };
    begin_report(32768);
    policy.max_per_id = NR;
    for (unsigned i = 0; i < NR; i++)
        pc_report_add(&report,
                      &(struct pc_finding){ .id = PC_D_RECORD_SIZE, .place = PC_IN_RECORD, .offset = i });
    size_t kept = report.nr;
    assert_true(kept > 1 && kept < NR);
    assert_int_equal(report.by_id[PC_D_RECORD_SIZE], NR);
    assert_int_equal(report.found[PC_D_OUT_OF_MEMORY], 0);
    assert_int_equal(report.by_severity[PC_ERROR], NR);
    assert_int_equal(pc_report_suppressed(&report, PC_D_RECORD_SIZE), NR - kept);
    assert_false(report.unreadable);

    /* The first ones of another id take the place of some. */
    for (unsigned i = 0; i < 21; i++)
        pc_report_add(&report, &(struct pc_finding){ .id = PC_D_LOST_ZERO, .place = PC_IN_RECORD });
    assert_int_equal(report.kept[PC_D_LOST_ZERO], 20);
    assert_int_equal(report.kept[PC_D_RECORD_SIZE], kept - 20);
    pc_report_add(&report, &(struct pc_finding){ .id = PC_D_READ_FAILED, .place = PC_AT_END });
    assert_true(report.unreadable);
    assert_int_equal(report.nr, kept);
    assert_int_equal(report.finding[kept - 1].id, PC_D_READ_FAILED);
    assert_int_equal(pc_report_suppressed(&report, PC_D_READ_FAILED), 0);
    size_t of_id[PC_DIAG_COUNT] = { 0 };
    for (size_t i = 0; i < report.nr; i++)
        of_id[report.finding[i].id]++;
    for (size_t i = 0; i < PC_DIAG_COUNT; i++)
        assert_int_equal(of_id[i], report.kept[i]);
    end_report();
}

enum { IDS = 20, ADDED = 600 };

/* Which of the ids comes next: in turn, one after the other, or in some disorder. */
static unsigned next_id(unsigned order, unsigned i, uint32_t *seed)
{
    *seed = *seed * 1103515245 + 12345;
    return order == 0   ? i % IDS
           : order == 1 ? i / (ADDED / IDS)
                        : (*seed >> 16) % (1 + (i * order / 40) % IDS);
}

/* Each keeps its first ones, and those of which there are many keep about as many. */
static void ids_share_what_room_there_is(void **state)
{
    (void)state;
    for (unsigned order = 0; order < 40; order++) {
        uint32_t seed = order;
        uint64_t nr[IDS] = { 0 }, end[PC_DIAG_COUNT] = { 0 }, most = 0;
        begin_report(32768);
        for (unsigned i = 0; i < ADDED; i++) {
            const unsigned of = next_id(order, i, &seed);
            pc_report_add(&report, &(struct pc_finding){ .id = (enum pc_diag)(PC_D_RECORD_SIZE + of),
                                                         .place = PC_IN_RECORD,
                                                         .offset = nr[of]++ });
        }
        for (size_t i = 0; i < report.nr; i++) {
            const struct pc_finding *f = &report.finding[i];
            end[f->id] = f->offset >= end[f->id] ? f->offset + 1 : end[f->id];
            most = end[f->id] > most ? end[f->id] : most;
        }
        assert_true(report.nr >= 2 * (size_t)IDS && most < ADDED / IDS);
        for (unsigned of = 0; of < IDS; of++) {
            const enum pc_diag id = (enum pc_diag)(PC_D_RECORD_SIZE + of);
            assert_int_equal(end[id], report.kept[id]);
            assert_true(report.kept[id] + 2 >= (nr[of] < most ? nr[of] : most));
            assert_int_equal(report.by_id[id], nr[of]);
        }
        end_report();
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(for_reports_what_the_named_perf_refuses),
    cmocka_unit_test(each_version_reads_a_capture_without_findings),
    cmocka_unit_test(findings_are_shown_in_the_order_of_the_capture),
    cmocka_unit_test(what_follows_from_a_cause_is_attached_to_it),
    cmocka_unit_test(errors_of_features_leave_room_for_the_first_of_records),
    cmocka_unit_test(memory_exhaustion_can_always_be_reported),
    cmocka_unit_test(what_could_not_be_done_is_shown_whatever_the_cap),
    cmocka_unit_test(a_finding_is_handed_on_with_its_place_and_severity),
    cmocka_unit_test(a_finding_that_was_handed_on_can_be_kept),
    cmocka_unit_test(findings_without_room_are_counted),
    cmocka_unit_test(ids_share_what_room_there_is),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * What the public interface says of a capture as a whole: numbers, events, lists, findings.
 */
#include "lib_bench.h"

static void a_capture_has_numbers_events_and_lists(void **state)
{
    (void)state;
    struct stat st;
    assemble(RECIPE("0x400100", "b\x1bx"), one_path);
    perfcheck_t *pc = open_path(one_path);
    assert_null(perfcheck_event(pc, 0)); /* nothing was read */
    assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
    const perfcheck_summary_t *sum = perfcheck_summary(pc);
    assert_int_equal(stat(one_path, &st), 0);
    assert_true(sum->recognised && !sum->big_endian && !sum->unfinished && sum->version == 2);
    assert_true(sum->size == (uint64_t)st.st_size && sum->attrs == 2 && sum->records == 5 &&
                sum->samples == 2);
    assert_true(sum->compressed == 0 && sum->lost_events == 3 && sum->lost_samples == 0);
    assert_true(sum->has_time && sum->first_time == 1000 && sum->last_time == 1500);
    assert_true(sum->cpus_online == 2 && sum->cpus == 4);
    assert_string_equal(sum->reader, "");

    const perfcheck_event_t *e = perfcheck_event(pc, 0);
    assert_true(e && e->type == 1 && e->config == 2 && e->period == 5 && !e->is_freq && e->ids == 2);
    assert_true(e->sample_type == (1 | 2 | 4 | 0x10000) && !e->name);
    assert_string_equal(e->type_name, "SOFTWARE");
    assert_string_equal(e->sample_types, "IP|TID|TIME|IDENTIFIER");
    e = perfcheck_event(pc, 1);
    assert_true(e && e->type == 0 && e->config == 1 && e->period == 7 && e->is_freq && e->ids == 1);
    assert_string_equal(e->type_name, "HARDWARE");
    assert_null(perfcheck_event(pc, 2));

    expect_entry(pc, PERFCHECK_RECORD_TYPES, 0, "LOST", 1, "none");
    expect_entry(pc, PERFCHECK_RECORD_TYPES, 1, "COMM", 1, "none");
    expect_entry(pc, PERFCHECK_RECORD_TYPES, 2, "SAMPLE", 2, "none");
    expect_entry(pc, PERFCHECK_RECORD_TYPES, 3, "TYPE_100", 1, "none");
    assert_null(perfcheck_entry(pc, PERFCHECK_RECORD_TYPES, 4));
    expect_entry(pc, PERFCHECK_FEATURES, 0, "HOSTNAME", 3, "b\\x1bx");
    expect_entry(pc, PERFCHECK_FEATURES, 1, "NRCPUS", 7, "none");
    expect_entry(pc, PERFCHECK_FEATURES, 2, "CMDLINE", 11, "perf record -a");
    assert_null(perfcheck_entry(pc, PERFCHECK_FEATURES, 3));
    assert_null(perfcheck_entry(pc, PERFCHECK_MEMBERS, 0));
    assert_null(perfcheck_entry(pc, PERFCHECK_SUPPRESSED, 0));
    assert_non_null(perfcheck_entry(pc, PERFCHECK_READERS, 0));
    assert_null(perfcheck_entry(pc, (perfcheck_list_t)(PERFCHECK_DEMANDS + 1), 0));

    assert_int_equal(perfcheck_keep_controls(pc, 1), PERFCHECK_OK);
    expect_entry(pc, PERFCHECK_FEATURES, 0, "HOSTNAME", 3, "b\x1bx");
    perfcheck_free(pc);
}

static void findings_that_are_not_kept_are_counted(void **state)
{
    (void)state;
    char id[16];
    assemble(RECIPE("0x400100", "box"), one_path);
    perfcheck_t *pc = perfcheck_new();
    assert_int_equal(perfcheck_set(pc, "max-per-id", "0"), PERFCHECK_OK);
    assert_int_equal(perfcheck_set(pc, "for", "perf-6.1"), PERFCHECK_OK);
    assert_int_equal(perfcheck_open_path(pc, one_path), PERFCHECK_OK);
    assert_string_equal(perfcheck_summary(pc)->reader, "perf 6.1");
    assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
    assert_null(perfcheck_finding(pc, 0));
    uint64_t all = 0, counted = 0;
    const perfcheck_entry_t *e;
    for (size_t i = 0; (e = perfcheck_entry(pc, PERFCHECK_SUPPRESSED, i)) != NULL; i++) {
        all += e->number;
        snprintf(id, sizeof(id), "%s", e->name);
        const char *text = e->text;
        assert_string_equal(perfcheck_explain(pc, id, 0)->name, text);
    }
    for (int severity = PERFCHECK_NOTE; severity <= PERFCHECK_ERROR; severity++)
        counted += perfcheck_count(pc, (perfcheck_severity_t)severity);
    assert_true(all == counted && all > 0);
    perfcheck_free(pc);
}

static void a_finding_says_what_it_is_about(void **state)
{
    (void)state;
    static const char counts[] =
        "expect: invalid\nfile\n"
        "attr type=1 config=0 sample_type=IDENTIFIER read_format=TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING "
        "flags=disabled|inherit ids=101\n"
        "data\n"
        "record THREAD_MAP ; u64 1 -1 ; zero 16 ; end\n"
        "record CPU_MAP ; u16 0 2 0 5 ; end\n"
        "record STAT_CONFIG ; u64 3 0 0 1 0 2 1 ; end\n"
        "record STAT ; u64 101 ; u32 1 0 ; u64 5000 300 200 ; end\n"
        "feature HOSTNAME ; hstr \"box\" ; end\n"
        "feature STAT ; end\n";
    static const struct {
        const char *id;
        perfcheck_kind_t kind;
        uint64_t number;
        const char *repeats;
    } rows[] = {
        { "PC0637", PERFCHECK_RECORD, 3, "" },
        { "PC1101", PERFCHECK_RECORD, 3, "PC0637" },
        { "PC1501", PERFCHECK_LAST, 0, "" },
    };
    assemble(counts, one_path);
    perfcheck_t *pc = perfcheck_new();
    assert_int_equal(perfcheck_set(pc, "for", "perf-7.2"), PERFCHECK_OK);
    assert_int_equal(perfcheck_set(pc, "require", "samples"), PERFCHECK_OK);
    assert_int_equal(perfcheck_open_path(pc, one_path), PERFCHECK_OK);
    assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
    for (size_t i = 0; i < 3; i++) {
        const perfcheck_finding_t *f;
        size_t n = 0;
        while ((f = perfcheck_finding(pc, n)) != NULL && strcmp(f->id, rows[i].id) != 0)
            n++;
        assert_non_null(f);
        assert_int_equal(f->kind, rows[i].kind);
        assert_true(f->number == rows[i].number);
        assert_string_equal(f->repeats, rows[i].repeats);
        assert_int_equal(f->is_for_reader, *rows[i].repeats != 0);
        assert_int_equal(f->is_demand, f->kind == PERFCHECK_LAST);
    }
    assert_true(perfcheck_explain(pc, "PC1147", 0)->is_for_reader);
    perfcheck_free(pc);
}

static void records_that_a_copy_cannot_hold_are_listed(void **state)
{
    (void)state;
    static const char deferred[] =
        "expect: valid\nfile\n"
        "attr size=144 type=1 config=0 sample_period=5 sample_type=IP|TID|TIME|CALLCHAIN|IDENTIFIER "
        "flags=disabled|sample_id_all|defer_callchain|defer_output ids=11\n"
        "data\n"
        "record SAMPLE misc=KERNEL ; u64 11 0xffffffff81001234 ; u32 100 100 ; u64 1000 "
        "5 -128 0xffffffff81001234 0xffffffff81005678 -640 0x700000001 ; end\n"
        "record CALLCHAIN_DEFERRED misc=USER ; u64 0x700000001 2 -512 0x400123 ; u32 100 100 ; u64 1100 11 ; "
        "end\n"
        "record FINISHED_INIT ; end\n";
    static const char *const readers[] = { NULL, "perf-7.2", "perf-6.1" };
    assemble(deferred, one_path);
    for (size_t i = 0; i < 3; i++) {
        perfcheck_t *pc = perfcheck_new();
        if (readers[i])
            assert_int_equal(perfcheck_set(pc, "for", readers[i]), PERFCHECK_OK);
        assert_int_equal(perfcheck_open_path(pc, one_path), PERFCHECK_OK);
        assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
        if (i == 2)
            expect_entry(pc, PERFCHECK_DROPS, 0, "record:CALLCHAIN_DEFERRED", 1, "none");
        assert_null(perfcheck_entry(pc, PERFCHECK_DROPS, i == 2));
        perfcheck_free(pc);
    }
}

static void a_feature_that_older_perfs_misread_is_listed(void **state)
{
    (void)state;
    static const char machine[] =
        "expect: valid\nfile\n"
        "attr size=112 type=1 config=0 sample_period=5 sample_type=IP|TID|TIME ids=11\n"
        "data\n"
        "record SAMPLE misc=USER ; u64 0x400123 ; u32 100 100 ; u64 1000 ; end\n"
        "feature ARCH ; hstr \"x86_64\" ; end\n"
        "feature CPUID ; hstr \"0x00000000000f0510\" ; end\n"
        "feature E_MACHINE ; u32 183 0 ; end\n";
    static const char *const readers[] = { "perf-7.2", "perf-6.12", "all" };
    assemble(machine, one_path);
    for (size_t i = 0; i < 3; i++) {
        perfcheck_t *pc = perfcheck_new();
        assert_int_equal(perfcheck_set(pc, "for", readers[i]), PERFCHECK_OK);
        assert_int_equal(perfcheck_open_path(pc, one_path), PERFCHECK_OK);
        assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
        if (i != 0)
            expect_entry(pc, PERFCHECK_DROPS, 0, "feature:CPUID", 0, "none");
        assert_null(perfcheck_entry(pc, PERFCHECK_DROPS, i != 0));
        perfcheck_free(pc);
    }
}

static void options_change_the_severity_that_is_explained(void **state)
{
    (void)state;
    perfcheck_t *pc = perfcheck_new();
    assert_int_equal(perfcheck_explain(pc, "PC0203", 0)->severity, PERFCHECK_ERROR);
    assert_int_equal(perfcheck_set(pc, "severity", "PC0203=note"), PERFCHECK_OK);
    assert_int_equal(perfcheck_explain(pc, "PC0203", 0)->severity, PERFCHECK_NOTE);
    assert_false(perfcheck_explain(pc, "PC0203", 0)->about_copy);
    assert_true(perfcheck_explain(pc, "rewrite-kcore", 0)->about_copy);
    perfcheck_free(pc);
}

static void without_a_handle_there_are_no_facts(void **state)
{
    (void)state;
    perfcheck_t *pc = perfcheck_new();
    perfcheck_t *const none[] = { NULL, pc };
    for (size_t i = 0; i < 2; i++) {
        assert_null(perfcheck_event(none[i], 0));
        assert_null(perfcheck_entry(none[i], PERFCHECK_FEATURES, 0));
        assert_null(perfcheck_summary(none[i]));
        assert_int_equal(perfcheck_diff(none[i], pc, NULL, NULL), PERFCHECK_MISUSE);
        assert_int_equal(perfcheck_split(none[i], "x"), PERFCHECK_MISUSE);
        assert_int_equal(perfcheck_join(none[i], NULL, 0, "x"), PERFCHECK_MISUSE);
    }
    assert_int_equal(perfcheck_keep_controls(NULL, 0), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_on_report(NULL, NULL, NULL), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_split(pc, NULL), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_join(pc, NULL, 1, "x"), PERFCHECK_MISUSE);
    perfcheck_free(pc);
}

/* Each but event:, which lacks its name, is a value of the option. */
static void every_demand_can_be_required(void **state)
{
    (void)state;
    const perfcheck_entry_t *demand;
    bool seen_samples = false, seen_header = false;
    perfcheck_t *pc = perfcheck_new();
    for (size_t i = 0; (demand = perfcheck_entry(pc, PERFCHECK_DEMANDS, i)) != NULL; i++) {
        char word[64];
        snprintf(word, sizeof(word), "%s%s", demand->name,
                 strchr("=:", demand->name[strlen(demand->name) - 1]) ? "x" : "");
        seen_samples |= strcmp(word, "samples") == 0;
        seen_header |= strcmp(word, "header:HOSTNAME") == 0;
        assert_int_equal(perfcheck_set(pc, "require", word), PERFCHECK_OK);
    }
    assert_true(seen_samples && seen_header);
    assert_null(perfcheck_entry(NULL, PERFCHECK_DEMANDS, 0));
    perfcheck_free(pc);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_demand_can_be_required),
    cmocka_unit_test(a_capture_has_numbers_events_and_lists),
    cmocka_unit_test(findings_that_are_not_kept_are_counted),
    cmocka_unit_test(a_finding_says_what_it_is_about),
    cmocka_unit_test(records_that_a_copy_cannot_hold_are_listed),
    cmocka_unit_test(a_feature_that_older_perfs_misread_is_listed),
    cmocka_unit_test(options_change_the_severity_that_is_explained),
    cmocka_unit_test(without_a_handle_there_are_no_facts),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

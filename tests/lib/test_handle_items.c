/* SPDX-License-Identifier: MIT
 *
 * Items that are read and checked in two steps, and the findings of each.
 */
#include "lib_bench.h"

/* Between two whole records is one of 8 bytes of zeros and 16 that are no record. */
static const char damaged[] =
    "expect: invalid\nfile\n"
    "attr type=1 config=0 sample_freq=999 sample_type=IP|TID|TIME|PERIOD flags=disabled|freq\n"
    "data\n"
    "record COMM misc=0x2000 ; u32 100 100 ; str \"o\x1bne\" ; end\n"
    "bytes 0000000000000000 ffffffffffffffff ffffffffffffffff\n"
    "record SAMPLE misc=USER ; u64 0x400123 ; u32 100 100 ; u64 1000 1000000 ; end\n"
    "record SAMPLE misc=USER ; u64 0x400123 ; u32 200 200 ; u64 1000 1000000 ; end\n";

/* Findings that were told, with a letter before each that says when. */
struct told {
    char when;
    char text[4000];
    unsigned skipped, causes;
    uint64_t nr;
};

static int take_finding(void *ctx, const perfcheck_finding_t *f)
{
    struct told *told = ctx;
    size_t len = strlen(told->text), message = strlen(f->message), statement = strlen(f->statement);
    snprintf(told->text + len, sizeof(told->text) - len, "%c%s ", told->when, f->id);
    told->nr++;
    told->causes += f->is_cause != 0;
    assert_true(message >= statement && strcmp(f->message + message - statement, f->statement) == 0);
    assert_true(statement == message || f->message[message - statement - 2] == ':');
    assert_true(told->when == 'r' || !f->skipped);
    if (f->skipped) {
        assert_string_equal(f->skipped->path, "skipped");
        assert_true(f->skipped->offset == f->offset && f->skipped->size == f->length);
        assert_int_equal(f->skipped->type, PERFCHECK_OPAQUE);
        assert_int_equal(f->skipped->nr_bytes, f->length < 64 ? f->length : 64);
        told->skipped++;
    }
    return 0;
}

static int count_finding(void *ctx, const perfcheck_finding_t *f)
{
    *(uint64_t *)ctx += f->offset + 1;
    return 0;
}

static int stop(void *ctx, const perfcheck_finding_t *f)
{
    (void)ctx, (void)f;
    return 1;
}

static perfcheck_t *listening(perfcheck_on_finding_t *callback, void *ctx)
{
    perfcheck_t *pc = perfcheck_new();
    assert_non_null(pc);
    assert_int_equal(perfcheck_on_finding(pc, callback, ctx), PERFCHECK_OK);
    return pc;
}

static void each_finding_is_told_in_its_place(void **state)
{
    (void)state;
    static struct told told;
    const perfcheck_item_t *item;
    assemble(damaged, one_path);
    perfcheck_t *pc = listening(take_finding, &told);
    assert_int_equal(perfcheck_open_path(pc, one_path), PERFCHECK_OK);
    for (told.when = 'r'; perfcheck_read_item(pc, &item) == PERFCHECK_OK; told.when = 'r') {
        snprintf(told.text + strlen(told.text), 100, "%s ", *item->name ? item->name : "-");
        told.when = 'c';
        assert_int_equal(perfcheck_check_item(pc), PERFCHECK_OK);
        assert_int_equal(perfcheck_check_item(pc), PERFCHECK_OK); /* it is checked */
        assert_int_equal(perfcheck_item_findings(pc), 0);
    }
    assert_string_equal(told.text, "file - COMM rPC0201 rPC0222 SAMPLE SAMPLE - cPC0818 cPC1412 ");
    assert_int_equal(told.skipped, 1);
    assert_int_equal(told.causes, 1);
    assert_int_equal(perfcheck_verdict(pc), PERFCHECK_INVALID);
    assert_int_equal(perfcheck_read_item(pc, &item), PERFCHECK_END);
    assert_null(item);
    perfcheck_free(pc);
}

/* All that is told of a capture: 0 item by item, 1 in steps, 2 in steps but the last, 3 in turns. */
static uint64_t read_all(const struct real_capture *c, int how, uint64_t *items)
{
    uint64_t told = 0, samples = 0;
    const perfcheck_item_t *item;
    perfcheck_t *pc = listening(count_finding, &told);
    assert_int_equal(perfcheck_open_memory(pc, c->bytes, c->len), PERFCHECK_OK);
    *items = 0;
    for (;;) {
        bool in_steps = how == 1 || how == 2 || (how == 3 && *items / 3 % 2 == 1);
        perfcheck_status_t status = in_steps ? perfcheck_read_item(pc, &item) : perfcheck_next(pc, &item);
        if (status != PERFCHECK_OK)
            break;
        ++*items;
        if (strcmp(item->name, "SAMPLE") == 0 && item->kind == PERFCHECK_RECORD) {
            const perfcheck_event_t *event = perfcheck_event(pc, (size_t)item->attr);
            assert_true(event || item->attr == UINT64_MAX);
            samples++;
        } else {
            assert_true(item->attr == UINT64_MAX);
        }
        if (in_steps && how != 2)
            assert_int_equal(perfcheck_check_item(pc), PERFCHECK_OK);
    }
    assert_true(samples == perfcheck_summary(pc)->samples);
    told += (uint64_t)perfcheck_verdict(pc) << 60;
    perfcheck_free(pc);
    return told;
}

static void two_steps_find_what_one_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < nr_real_captures; i++) {
        uint64_t items, other;
        uint64_t told = read_all(&real_captures[i], 0, &items);
        for (int how = 1; how <= 3; how++) {
            assert_true(read_all(&real_captures[i], how, &other) == told);
            assert_true(other == items);
        }
    }
}

/* More findings than wait for an item, about features that are all read before the first of them is shown. */
static void no_finding_is_lost(void **state)
{
    (void)state;
    static char recipe[20000];
    static uint64_t told[2];
    const perfcheck_item_t *item;
    size_t len = (size_t)snprintf(
        recipe, sizeof(recipe),
        "expect: invalid\nfile\nattr type=1 config=0 sample_period=5 sample_type=IP flags=disabled\ndata\n");
    for (int i = 100; i < 200; i++)
        len += (size_t)snprintf(recipe + len, sizeof(recipe) - len, "feature %d ; u64 0 ; end\n", i);
    assemble(recipe, one_path);
    for (int in_steps = 0; in_steps < 2; in_steps++) {
        perfcheck_t *pc = listening(count_finding, &told[in_steps]);
        assert_int_equal(perfcheck_open_path(pc, one_path), PERFCHECK_OK);
        while ((in_steps ? perfcheck_read_item(pc, &item) : perfcheck_next(pc, &item)) == PERFCHECK_OK)
            assert_non_null(item);
        perfcheck_free(pc);
    }
    assert_true(told[0] > 100 && told[0] == told[1]);
}

static int take_type(void *ctx, const perfcheck_finding_t *f)
{
    char *types = ctx;
    size_t len = strlen(types);
    snprintf(types + len, 100 - len, "%s=%s ", f->id, f->type);
    return 0;
}

static void a_finding_knows_the_type_of_its_record(void **state)
{
    (void)state;
    char types[100] = "";
    perfcheck_t *pc = listening(take_type, types);
    assemble(
        "expect: invalid\nfile\nattr type=1 config=0 sample_period=5 sample_type=IP flags=disabled\ndata\n"
        "record FINISHED_ROUND misc=1 ; end\nrecord 110 ; end\nrecord SAMPLE ; end\n",
        one_path);
    assert_int_equal(perfcheck_open_path(pc, one_path), PERFCHECK_OK);
    assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
    assert_string_equal(types, "PC0209=FINISHED_ROUND PC0208= PC0211=SAMPLE PC0501=SAMPLE PC0818= ");
    perfcheck_free(pc);
}

static void what_is_no_capture_has_no_item(void **state)
{
    (void)state;
    static const char text[] =
        "this is no capture of perf, but long enough to have its header. Nobody would take it "
        "for one, whatever comes after it; and nothing does.";
    static struct told told;
    const perfcheck_item_t *item;
    perfcheck_t *pc = listening(take_finding, &told);
    told.when = 'r';
    assert_int_equal(perfcheck_open_memory(pc, text, sizeof(text)), PERFCHECK_OK);
    assert_int_equal(perfcheck_read_item(pc, &item), PERFCHECK_END);
    assert_true(told.nr != 0 && told.causes <= 1 && !item);
    assert_int_equal(perfcheck_check_item(pc), PERFCHECK_MISUSE);
    assert_string_equal(perfcheck_error(pc), "no item was read");
    perfcheck_close(pc);
    assert_int_equal(perfcheck_read_item(pc, &item), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_read_item(NULL, NULL), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_check_item(NULL), PERFCHECK_MISUSE);
    assert_string_equal(perfcheck_misc_names(NULL), "");
    perfcheck_free(pc);
}

static void a_callback_ends_either_step(void **state)
{
    (void)state;
    assemble(damaged, one_path);
    perfcheck_t *pc = listening(stop, NULL);
    assert_int_equal(perfcheck_open_path(pc, one_path), PERFCHECK_OK);
    for (int i = 0; i < 4; i++) {
        perfcheck_status_t status = perfcheck_read_item(pc, NULL);
        assert_int_equal(status, i < 3 ? PERFCHECK_OK : PERFCHECK_STOPPED);
    }
    assert_int_equal(perfcheck_verdict(pc), PERFCHECK_UNREADABLE);
    perfcheck_free(pc);
}

static int take_comm(void *ctx, const perfcheck_field_t *f)
{
    if (strcmp(f->path, "comm") == 0)
        snprintf(ctx, 20, "%s", f->value);
    return 0;
}

/* Texts of fields keep control characters when those of findings do. */
static void misc_and_texts_of_a_record(void **state)
{
    (void)state;
    const perfcheck_item_t *item;
    assemble(damaged, one_path);
    for (int keep = 0; keep < 2; keep++) {
        char misc[100] = "", comm[20] = "";
        perfcheck_t *pc = perfcheck_new();
        assert_int_equal(perfcheck_keep_controls(pc, keep), PERFCHECK_OK);
        assert_int_equal(perfcheck_open_path(pc, one_path), PERFCHECK_OK);
        assert_string_equal(perfcheck_misc_names(pc), "");
        while (perfcheck_read_item(pc, &item) == PERFCHECK_OK) {
            snprintf(misc + strlen(misc), 30, "%s,", perfcheck_misc_names(pc));
            assert_int_equal(perfcheck_fields(pc, take_comm, comm), PERFCHECK_OK);
        }
        assert_string_equal(misc, ",,COMM_EXEC,USER,USER,,");
        assert_string_equal(comm, keep ? "o\x1bne" : "o\\x1bne");
        assert_true(perfcheck_count(pc, PERFCHECK_ERROR) != 0 &&
                    perfcheck_finding(pc, 0)); /* they are kept */
        perfcheck_free(pc);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_finding_is_told_in_its_place),
    cmocka_unit_test(two_steps_find_what_one_does),
    cmocka_unit_test(no_finding_is_lost),
    cmocka_unit_test(a_finding_knows_the_type_of_its_record),
    cmocka_unit_test(what_is_no_capture_has_no_item),
    cmocka_unit_test(a_callback_ends_either_step),
    cmocka_unit_test(misc_and_texts_of_a_record),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

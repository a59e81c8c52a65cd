/* SPDX-License-Identifier: MIT
 *
 * A field of the current item, by its path.
 */
#include "lib_bench.h"

static int stop_at_once(void *ctx, const perfcheck_field_t *field)
{
    (void)field;
    ++*(int *)ctx;
    return 1;
}

static void a_field_is_found_by_its_path(void **state)
{
    (void)state;
    perfcheck_t *pc = open_capture(capture_named("7.2-cpuclock"));
    const perfcheck_item_t *item;
    uint64_t ip, tid, samples = 0;
    while (perfcheck_next(pc, &item) == PERFCHECK_OK) {
        if (strcmp(item->name, "SAMPLE") != 0)
            continue;
        ip = tid = 0;
        assert_int_equal(perfcheck_number(pc, "ip", &ip), PERFCHECK_OK);
        assert_int_equal(perfcheck_number(pc, "tid", &tid), PERFCHECK_OK);
        assert_true(ip != 0 && tid == strtoull(perfcheck_text(pc, "tid"), NULL, 10));
        assert_int_equal(perfcheck_number(pc, "comm", &ip), PERFCHECK_NOT_FOUND);
        assert_null(perfcheck_text(pc, "comm"));
        assert_string_not_equal(perfcheck_error(pc), "");
        assert_string_not_equal(item->event, "");
        int calls = 0;
        assert_int_equal(perfcheck_fields(pc, stop_at_once, &calls), PERFCHECK_STOPPED);
        assert_int_equal(calls, 1);
        samples++;
    }
    assert_true(samples > 0 && samples == perfcheck_summary(pc)->samples);
    perfcheck_free(pc);
}

struct joined {
    uint64_t nr, next; /* fields of the joined record, and where the next one is in it */
    bool after;        /* one that is not of it came after them */
};

static int take_joined(void *ctx, const perfcheck_field_t *field)
{
    struct joined *joined = ctx;
    joined->after |= joined->nr != 0 && !field->in_joined;
    if (!field->in_joined)
        return 0;
    assert_true(field->offset == joined->next);
    joined->next += field->size;
    joined->nr++;
    return 0;
}

static void fields_of_a_joined_record_are_marked(void **state)
{
    (void)state;
    static const char split[] =
        "expect: valid\nfile\n"
        "attr size=112 type=0 config=0 sample_freq=999 sample_type=IP|TID|TIME|PERIOD flags=disabled|freq\n"
        "data\n"
        "record SPLIT ; bytes 01800000 0000 1c00 0f000000 ; end\n"
        "record SPLIT ; text \"0 t f\\n0 t ggg\\n\\0\\0\" ; end\n"
        "record SPLIT_END ; end\n";
    uint64_t joined_records = 0;
    assemble(split, one_path);
    perfcheck_t *pc = open_path(one_path);
    const perfcheck_item_t *item;
    while (perfcheck_next(pc, &item) == PERFCHECK_OK) {
        struct joined joined = { 0 };
        assert_int_equal(perfcheck_fields(pc, take_joined, &joined), PERFCHECK_OK);
        assert_true(joined.nr == 0 || (joined.next == 0x1c && !joined.after));
        joined_records += joined.nr != 0;
    }
    assert_true(joined_records == 1);
    perfcheck_free(pc);
}

/* Fields of one item, as perfcheck_fields shows them: the first with each path. */
enum { FIELDS_MAX = 4000, PATHS_MAX = 300 };

struct shown {
    char path[64], *value;
    perfcheck_type_t type;
    uint64_t number;
};
static struct shown shown[FIELDS_MAX];
static size_t nr_shown;

static const struct shown *shown_as(const char *path)
{
    for (size_t i = 0; i < nr_shown; i++) {
        if (strcmp(shown[i].path, path) == 0)
            return &shown[i];
    }
    return NULL;
}

static int keep_field(void *ctx, const perfcheck_field_t *f)
{
    (void)ctx;
    if (nr_shown == FIELDS_MAX || strlen(f->path) >= sizeof(shown->path) || shown_as(f->path))
        return 0;
    shown[nr_shown] = (struct shown){ .value = strdup(f->value), .type = f->type, .number = f->number };
    strcpy(shown[nr_shown++].path, f->path);
    return 0;
}

/* All ways to ask for a field give what perfcheck_fields has shown. */
static void ask_all_ways(perfcheck_t *pc, const char *path, perfcheck_field_handle_t *field)
{
    const struct shown *is = shown_as(path);
    bool number = is && is->type < PERFCHECK_TEXT;
    for (int way = 0; way < 2; way++) {
        uint64_t n = 17;
        perfcheck_status_t status =
            way == 0 ? perfcheck_number(pc, path, &n) : perfcheck_number_of(pc, field, &n);
        if (status != (number ? PERFCHECK_OK : PERFCHECK_NOT_FOUND))
            fail_msg("%d %s", way, path);
        assert_true(n == (number ? is->number : 17));
        assert_true((perfcheck_error(pc)[0] != 0) == !number);
        const char *text = way == 0 ? perfcheck_text(pc, path) : perfcheck_text_of(pc, field);
        assert_string_equal(text ? text : "none", is ? is->value : "none");
    }
}

/* Every path that the items so far had, asked for in each of the first items. */
static void a_field_is_the_same_whoever_asks(void **state)
{
    (void)state;
    for (size_t k = 0; k < nr_real_captures; k++) {
        perfcheck_t *pc = open_capture(&real_captures[k]);
        const perfcheck_item_t *item;
        perfcheck_field_handle_t *field[PATHS_MAX];
        char path[PATHS_MAX][sizeof(shown->path)];
        size_t nr = 0;
        for (int items = 0; items < 150 && perfcheck_next(pc, &item) == PERFCHECK_OK; items++) {
            assert_int_equal(perfcheck_fields(pc, keep_field, NULL), PERFCHECK_OK);
            for (size_t i = 0; i < nr_shown && nr < PATHS_MAX; i++) {
                perfcheck_field_handle_t *one = perfcheck_field_handle(pc, shown[i].path);
                bool is_new = true;
                for (size_t j = 0; j < nr; j++)
                    is_new = is_new && field[j] != one;
                if (is_new) {
                    strcpy(path[nr], shown[i].path);
                    field[nr++] = one;
                }
            }
            for (size_t i = 0; i < nr; i++)
                ask_all_ways(pc, path[i], field[i]);
            while (nr_shown > 0)
                free(shown[--nr_shown].value);
        }
        assert_true(nr > 5);
        perfcheck_free(pc);
    }
}

static void a_handle_outlives_captures(void **state)
{
    (void)state;
    perfcheck_t *pc = perfcheck_new(), *other = perfcheck_new();
    perfcheck_field_handle_t *ip = perfcheck_field_handle(pc, "ip");
    const struct real_capture *const captures[] = { capture_named("7.2-cpuclock"), capture_named("7.2-regs"),
                                                    capture_named("s390x-72-bpf") };
    uint64_t by_handle, by_path;
    assert_non_null(ip);
    assert_ptr_equal(perfcheck_field_handle(pc, "ip"), ip);
    assert_int_equal(perfcheck_number_of(pc, ip, &by_handle), PERFCHECK_MISUSE);
    for (size_t i = 0; i < PC_COUNT_OF(captures); i++) {
        const perfcheck_item_t *item;
        size_t samples = 0;
        assert_int_equal(perfcheck_open_memory(pc, captures[i]->bytes, captures[i]->len), PERFCHECK_OK);
        while (perfcheck_next(pc, &item) == PERFCHECK_OK) {
            perfcheck_status_t status = perfcheck_number(pc, "ip", &by_path);
            assert_int_equal(perfcheck_number_of(pc, ip, &by_handle), status);
            assert_true(status != PERFCHECK_OK || by_handle == by_path);
            samples += status == PERFCHECK_OK;
        }
        assert_true(samples > 10);
    }
    perfcheck_open_memory(other, captures[0]->bytes, captures[0]->len);
    assert_int_equal(perfcheck_next(other, NULL), PERFCHECK_OK);
    assert_int_equal(perfcheck_number_of(other, ip, &by_handle), PERFCHECK_MISUSE);
    assert_null(perfcheck_text_of(other, ip));
    assert_int_equal(perfcheck_number_of(other, NULL, &by_handle), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_number_of(NULL, ip, &by_handle), PERFCHECK_MISUSE);
    assert_null(perfcheck_field_handle(pc, NULL));
    assert_null(perfcheck_field_handle(NULL, "ip"));
    assert_string_equal(perfcheck_error(pc), "no field is named");
    perfcheck_free(other);
    perfcheck_free(pc);
}

static void handles_are_limited_by_memory(void **state)
{
    (void)state;
    char path[101];
    perfcheck_t *pc = perfcheck_new();
    size_t nr = 0;
    do
        snprintf(path, sizeof(path), "%0100zu", nr++);
    while (perfcheck_field_handle(pc, path));
    assert_in_range(nr, 1000, 10000);
    assert_string_equal(perfcheck_error(pc), "Cannot allocate memory");
    snprintf(path, sizeof(path), "%0100u", 7u);
    assert_non_null(perfcheck_field_handle(pc, path));
    perfcheck_free(pc);
}

static int take_message(void *ctx, const perfcheck_field_t *field)
{
    uint64_t *numbers = ctx;
    if (field->type == PERFCHECK_UINT && strcmp(field->path, "binaries[0].size") == 0)
        numbers[0] = field->number;
    return 0;
}

/* Those of protobuf have no width of their own. */
static void numbers_in_messages_are_numbers(void **state)
{
    (void)state;
    static const char android[] =
        "expect: valid\nfile\n"
        "attr size=112 type=0 config=0 sample_freq=999 sample_type=IP|TID|TIME|PERIOD flags=disabled|freq\n"
        "data\n"
        "record SAMPLE misc=USER ; u64 0x400123 ; u32 100 100 ; u64 1000 1000000 ; end\n"
        "feature HOSTNAME ; hstr \"box\" ; end\n"
        "feature ETM_BRANCH_LIST ; bytes 0a18 ; text \"simpleperf:EtmBranchList\" ; "
        "bytes 1210 0a0161 1a0b 0810 1207 0a0105 1008 1801 ; end\n";
    const perfcheck_item_t *item;
    uint64_t numbers[2] = { 0 };
    assemble(android, one_path);
    perfcheck_t *pc = open_path(one_path);
    while (perfcheck_next(pc, &item) == PERFCHECK_OK) {
        assert_int_equal(perfcheck_fields(pc, take_message, numbers), PERFCHECK_OK);
        perfcheck_number(pc, "binaries[0].size", &numbers[1]);
    }
    assert_true(numbers[0] == 16 && numbers[1] == 16);
    perfcheck_free(pc);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_field_is_found_by_its_path),
    cmocka_unit_test(fields_of_a_joined_record_are_marked),
    cmocka_unit_test(a_field_is_the_same_whoever_asks),
    cmocka_unit_test(a_handle_outlives_captures),
    cmocka_unit_test(handles_are_limited_by_memory),
    cmocka_unit_test(numbers_in_messages_are_numbers),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

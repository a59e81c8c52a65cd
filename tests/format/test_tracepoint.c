/* SPDX-License-Identifier: MIT
 *
 * Format texts of tracepoints: their fields, damage at each byte, limits.
 */
#include "tracepoint_bench.h"

static void a_text_becomes_a_list_of_fields(void **state)
{
    (void)state;
    struct pc_mem mem;
    pc_mem_init(&mem, 1 << 20);
    struct pc_tracepoint *t = keep(&mem, process_fork, 8);
    assert_int_equal(t->id, 366);
    assert_int_equal(t->nr_common, 4);
    assert_int_equal(t->nr_fields, 8);
    assert_int_equal(t->end, 24);
    assert_int_equal(t->nr_dynamic, 2);
    assert_int_equal(t->dynamic[0], 4);
    assert_int_equal(t->dynamic[1], 6);
    assert_false(t->is_open);
    assert_string_equal(pc_tp_field_name(t, 0), "common_type");
    assert_string_equal(pc_tp_field_name(t, 4), "parent_comm");
    assert_string_equal(pc_tp_field_name(t, 7), "child_pid");
    pc_tp_free(&mem, t);
    pc_tp_free(&mem, NULL);
    assert_int_equal(mem.used, 0);
}

static void damaged_lines_are_reported_at_their_byte(void **state)
{
    (void)state;
#define COMMON_NAMES "expected common_type, common_flags, common_preempt_count and common_pid"
    static const struct edit edits[] = {
        { process_fork, "name: ", "nane: ", PC_TP_BAD_TEXT, 2, "expected \"name: \"" },
        { process_fork, "sched_process_fork\n", "\n", PC_TP_BAD_TEXT, 0, "expected the name of the event" },
        { process_fork, "_fork\n", "-fork\n", PC_TP_BAD_TEXT, 0, "expected the end of the line" },
        { process_fork, "ID: ", "Id: ", PC_TP_BAD_TEXT, 1, "expected \"ID: \"" },
        { process_fork, "366", "", PC_TP_BAD_TEXT, 0, "expected a number after \"ID:\"" },
        { process_fork, "366", "0366", PC_TP_BAD_TEXT, 0, "expected a number after \"ID:\"" },
        { process_fork, "366", "65536", PC_TP_BAD_FIELD, 0, "the number is too large" },
        { process_fork, "366", "0", PC_TP_BAD_FIELD, 0, "no event has the id 0" },
        { process_fork, "format:\n", "format: ", PC_TP_BAD_TEXT, 7, "expected \"format:\\n\"" },
        { process_fork, "\tfield:int", " field:int", PC_TP_BAD_TEXT, 0, "expected \"\\tfield:\"" },
        { process_fork, "unsigned short c", ";", PC_TP_BAD_TEXT, 0, "expected a type" },
        { process_fork, "unsigned char common_flags", "unsignet char common_flags", PC_TP_BAD_TEXT, 0,
          "no type is spelled so" },
        { process_fork, "pid_t parent_pid;", "enum foo __bar parent_pid;", PC_TP_SOUND, 0, NULL },
        { process_fork, "pid_t parent_pid;", "pid_t;", PC_TP_BAD_TEXT, 5, "expected the name of the field" },
        { process_fork, "parent_pid;", "*;", PC_TP_BAD_TEXT, 1, "expected the name of the field" },
        { process_fork, "parent_pid;", "9arent_pid;", PC_TP_BAD_TEXT, 0, "expected the name of the field" },
        { process_fork, "parent_pid;", "parent-pid;", PC_TP_BAD_TEXT, 6,
          "expected \";\" after the declaration" },
        { process_fork, "__data_loc char[] p", "__data_loc char p", PC_TP_BAD_TEXT, 27,
          "expected \"[] \" after the type" },
        { process_fork, "__data_loc char[] p", "__data_loc char[]p", PC_TP_BAD_TEXT, 17,
          "expected \"[] \" after the type" },
        { process_fork, "__data_loc char[] p", "__data_loc[] p", PC_TP_BAD_TEXT, 10, "expected a type" },
        { process_fork, "__data_loc char[] p", "__data_lok char[] p", PC_TP_BAD_TEXT, 17,
          "expected \";\" after the declaration" },
        { process_fork, "\toffset:12", "\toffset=12", PC_TP_BAD_TEXT, 7, "expected \"\\toffset:\"" },
        { process_fork, "offset:12", "offset:", PC_TP_BAD_TEXT, 7, "expected a number after \"offset:\"" },
        { process_fork, "offset:12;", "offset:12", PC_TP_BAD_TEXT, 9, "expected \";\\tsize:\"" },
        { process_fork, "size:4;\tsigned:1", "size:x;\tsigned:1", PC_TP_BAD_TEXT, 5,
          "expected a number after \"size:\"" },
        { process_fork, "size:4;\tsigned:1", "size:99999;\tsigned:1", PC_TP_BAD_FIELD, 5,
          "the number is too large" },
        { process_fork, "size:2;", "size:2,", PC_TP_BAD_TEXT, 6, "expected \";\"" },
        { process_fork, "signed:0", "sigmed:0", PC_TP_BAD_TEXT, 3, "expected \"\\tsigned:\"" },
        { process_fork, "signed:0", "signed:2", PC_TP_BAD_TEXT, 7, "expected 0 or 1 after \"signed:\"" },
        { process_fork, "signed:0;\n", "signed:0;", PC_TP_BAD_TEXT, 9, "expected the end of the line" },
        { process_fork, "common_flags", "common_flagz", PC_TP_BAD_TEXT, 0, COMMON_NAMES },
        { process_fork, COMMON, "", PC_TP_BAD_TEXT, 0, COMMON_NAMES },
        { every_class, "common_lock_depth", "lock_depth", PC_TP_BAD_TEXT, 0,
          "expected an empty line after the common fields" },
        { process_fork, "print fmt: ", "print fmt:\"", PC_TP_BAD_TEXT, 10, "expected \"print fmt: \"" },
        { every_class, "[6]", "[6a]", PC_TP_BAD_TEXT, 2, "expected \"]\"" },
        { every_class, "[6]", "[6;", PC_TP_BAD_TEXT, 2, "expected \"]\"" },
        { every_class, "[6]", "[06]", PC_TP_BAD_TEXT, 1, "expected the number of elements" },
        { every_class, "((user))", "((user)", PC_TP_BAD_TEXT, 0, "the parenthesis is not closed" },
    };
    for (size_t i = 0; i < PC_COUNT_OF(edits); i++)
        run_edit(&edits[i]);
}

static void impossible_fields_are_reported_at_their_byte(void **state)
{
    (void)state;
    static const struct edit edits[] = {
        { process_fork, "offset:12", "offset:11", PC_TP_BAD_FIELD, 7, "the field overlaps the one before" },
        { process_fork, "offset:20", "offset:0", PC_TP_BAD_FIELD, 7, "the field overlaps the one before" },
        { process_fork, "child_pid;", "parent_pid;", PC_TP_BAD_FIELD, 0, "a second field of this name" },
        { process_fork, "child_pid;\toffset:20;\tsize:4", "child_pid;\toffset:20;\tsize:3", PC_TP_BAD_FIELD,
          27, "no integer has this size" },
        { process_fork, "child_pid;\toffset:20;\tsize:4", "child_pid;\toffset:20;\tsize:0", PC_TP_BAD_FIELD,
          27, "a field without bytes" },
        { process_fork, "child_pid;\toffset:20;\tsize:4", "child_pid;\toffset:65534;\tsize:4",
          PC_TP_BAD_FIELD, 30, "the field ends beyond 64 KiB" },
        { process_fork, "child_comm;\toffset:16;\tsize:4", "child_comm;\toffset:16;\tsize:2", PC_TP_BAD_FIELD,
          28, "the word of a dynamic array has 4 bytes" },
        { process_fork, "common_flags;\toffset:2;\tsize:1", "common_flags;\toffset:2;\tsize:2",
          PC_TP_BAD_FIELD, 29, "not the size of this common field" },
        { process_fork, "common_type;\toffset:0", "common_type;\toffset:1", PC_TP_BAD_FIELD, 20,
          "common_type is at offset 0" },
        { every_class, "[6]", "[0]", PC_TP_BAD_FIELD, 0, "an array of 0 elements" },
        { every_class, "[6];\toffset:48;\tsize:48", "[7];\toffset:48;\tsize:48", PC_TP_BAD_FIELD, 21,
          "the size is not that of the elements" },
        { every_class, "[6];\toffset:48;\tsize:48", "[6];\toffset:48;\tsize:0", PC_TP_BAD_FIELD, 21,
          "an array without bytes" },
        { every_class, "[16 + 1];\toffset:112;\tsize:68", "[16 + 1];\toffset:112;\tsize:67", PC_TP_BAD_FIELD,
          27, "the size is not that of whole elements" },
        { every_class, "\n\nprint", "\n\tfield:int last;\toffset:272;\tsize:4;\tsigned:1;\n\nprint",
          PC_TP_BAD_FIELD, 12, "a field after an array that takes the rest" },
    };
    for (size_t i = 0; i < PC_COUNT_OF(edits); i++)
        run_edit(&edits[i]);
}

static void header_page_has_its_fields_in_order(void **state)
{
    (void)state;
    static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                               "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                               "\tfield: char overwrite;\toffset:8;\tsize:1;\tsigned:0;\n"
                               "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
    struct pc_tp_fault fault;
    size_t line = strlen("\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n");
    assert_true(pc_tp_check_header_page(span_of(page), &fault));
    assert_true(pc_tp_check_header_page(span_of(""), &fault));
    assert_false(pc_tp_check_header_page((struct pc_span){ (const unsigned char *)page, line }, &fault));
    assert_int_equal(fault.at, line);
    assert_false(pc_tp_check_header_page(span_of(page + line), &fault)); /* commit comes first */
    assert_int_equal(fault.at, 16);
    for (size_t len = 1; len < sizeof(page) - 1; len++)
        assert_false(pc_tp_check_header_page((struct pc_span){ (const unsigned char *)page, len }, &fault));
}

static void no_prefix_is_sound_or_read_past_its_end(void **state)
{
    (void)state;
    static const char *const texts[] = { process_fork, contention_begin, every_class };
    struct guarded g = guarded_new(8192);
    for (size_t i = 0; i < PC_COUNT_OF(texts); i++) {
        size_t whole = strlen(texts[i]);
        const char *print = strstr(texts[i], "print fmt: ");
        for (size_t len = 0; len <= whole; len++) {
            struct pc_tp_fault fault;
            bool sound = check(guarded_put(&g, texts[i], len), 8, &fault);
            /* After the text in quotes a print fmt may end where an argument does. */
            if (len <= (size_t)(print - texts[i]) + 11)
                assert_false(sound);
            if (!sound)
                assert_true(fault.at <= len && fault.reason);
        }
        struct pc_tp_fault fault;
        assert_true(check(guarded_put(&g, texts[i], whole), 8, &fault));
        assert_true(check(guarded_put(&g, texts[i], whole - 1), 8, &fault)); /* no line end */
    }
    guarded_free(&g);
}

static void any_value_of_any_byte_is_parsed_within_bounds(void **state)
{
    (void)state;
    static const char *const texts[] = { process_fork, contention_begin, every_class };
    struct guarded g = guarded_new(8192);
    struct pc_mem mem;
    pc_mem_init(&mem, 1 << 20);
    for (size_t i = 0; i < PC_COUNT_OF(texts); i++) {
        size_t len = strlen(texts[i]);
        struct pc_span text = guarded_put(&g, texts[i], len);
        unsigned char *bytes = g.map + g.size - len;
        for (size_t at = 0; at < len; at++) {
            unsigned char old = bytes[at];
            for (unsigned value = 0; value < 256; value += 5) {
                struct pc_tp_fault fault;
                bytes[at] = (unsigned char)value;
                if (pc_tp_read(&draft, text, 8, &fault)) {
                    struct pc_tracepoint *t = pc_tp_new(&mem, &draft);
                    assert_true(t->end <= PC_TP_END_MAX);
                    pc_tp_free(&mem, t);
                    pc_print_fmt_check(&draft, &fault);
                }
            }
            bytes[at] = old;
        }
    }
    assert_int_equal(mem.used, 0);
    guarded_free(&g);
}

/* `nr` times a line of a field, or an opening bracket. */
static struct pc_span many(unsigned fields, unsigned brackets)
{
    static char text[65536];
    size_t len = (size_t)snprintf(text, sizeof(text), "name: many\nID: 1\nformat:\n%s\n", COMMON);
    for (unsigned i = 0; i < fields; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len,
                                "\tfield:u8 f%u;\toffset:%u;\tsize:1;\tsigned:0;\n", fields - i, 8 + i);
    len += (size_t)snprintf(text + len, sizeof(text) - len, "\nprint fmt: \"%%d\", ");
    for (unsigned i = 0; i < brackets; i++)
        text[len++] = '(';
    text[len++] = '7';
    for (unsigned i = 0; i < brackets; i++)
        text[len++] = ')';
    return (struct pc_span){ (const unsigned char *)text, len };
}

/* perf sched and perf timechart take these integers for indices. */
static void fields_that_are_an_index_of_perf_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *event, *field;
        enum pc_tp_index index;
    } rows[] = {
        { "sched_switch", "prev_pid", PC_TP_TASK },        { "sched_switch", "next_pid", PC_TP_TASK },
        { "sched_switch", "pid", PC_TP_NO_INDEX },         { "sched_wakeup", "pid", PC_TP_TASK },
        { "sched_wakeup_new", "pid", PC_TP_TASK },         { "sched_waking", "pid", PC_TP_TASK },
        { "sched_migrate_task", "pid", PC_TP_TASK },       { "sched_stat_runtime", "pid", PC_TP_TASK },
        { "sched_stat_sleep", "pid", PC_TP_NO_INDEX },     { "sched_process_fork", "parent_pid", PC_TP_TASK },
        { "sched_process_fork", "child_pid", PC_TP_TASK }, { "cpu_idle", "cpu_id", PC_TP_CPU },
        { "cpu_frequency", "cpu_id", PC_TP_CPU },          { "cpu_idle", "state", PC_TP_NO_INDEX },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        char text[1024];
        struct pc_tp_fault fault;
        snprintf(text, sizeof(text),
                 "name: %s\nID: 7\nformat:\n" COMMON
                 "\n\tfield:u32 %s;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n",
                 rows[i].event, rows[i].field);
        assert_true(pc_tp_read(&draft, span_of(text), 8, &fault));
        assert_int_equal(draft.nr_fields, 5);
        assert_int_equal(draft.field[4].index, rows[i].index);
    }
}

static void limits_are_reported(void **state)
{
    (void)state;
    struct pc_tp_fault fault;
    assert_true(check(many(PC_TP_FIELDS_MAX - 4, PC_PRINT_FMT_DEPTH), 8, &fault));
    assert_int_equal(draft.nr_fields, PC_TP_FIELDS_MAX);
    assert_false(check(many(PC_TP_FIELDS_MAX - 3, 0), 8, &fault));
    assert_int_equal(fault.kind, PC_TP_LIMIT);
    assert_int_equal(fault.limit, PC_TP_FIELDS_MAX);
    assert_false(check(many(1, PC_PRINT_FMT_DEPTH + 1), 8, &fault));
    assert_int_equal(fault.kind, PC_TP_LIMIT);
    assert_int_equal(fault.limit, PC_PRINT_FMT_DEPTH);

    static char text[1024];
    char name[300], brackets[PC_PRINT_FMT_DEPTH];
    memset(brackets, '(', sizeof(brackets));
    for (int nr = PC_PRINT_FMT_DEPTH - 2; nr < PC_PRINT_FMT_DEPTH; nr++) { /* after two brackets */
        snprintf(text, sizeof(text), "name: a\nID: 1\nformat:\n%s\n\nprint fmt: \"%%d\", ({%.*s", COMMON, nr,
                 brackets);
        assert_false(check(span_of(text), 8, &fault));
        assert_int_equal(fault.kind, nr + 2 <= PC_PRINT_FMT_DEPTH ? PC_TP_BAD_PRINT : PC_TP_LIMIT);
    }
    memset(name, 'a', sizeof(name));
    for (int len = PC_TP_NAME_MAX; len <= PC_TP_NAME_MAX + 1; len++) {
        snprintf(
            text, sizeof(text),
            "name: a\nID: 1\nformat:\n%s\n\tfield:u8 %.*s;\toffset:8;\tsize:1;\tsigned:0;\n\nprint fmt: \"\"",
            COMMON, len, name);
        assert_int_equal(check(span_of(text), 8, &fault), len == PC_TP_NAME_MAX);
        assert_int_equal(fault.kind, len == PC_TP_NAME_MAX ? PC_TP_SOUND : PC_TP_LIMIT);
    }
}

static void without_memory_nothing_is_stored(void **state)
{
    (void)state;
    struct pc_mem mem;
    struct pc_tp_fault fault;
    pc_mem_init(&mem, 1 << 20);
    mem.fail_at = 1;
    assert_true(check(span_of(process_fork), 8, &fault));
    assert_null(pc_tp_new(&mem, &draft));
    assert_int_equal(mem.used, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_text_becomes_a_list_of_fields),
    cmocka_unit_test(damaged_lines_are_reported_at_their_byte),
    cmocka_unit_test(impossible_fields_are_reported_at_their_byte),
    cmocka_unit_test(header_page_has_its_fields_in_order),
    cmocka_unit_test(no_prefix_is_sound_or_read_past_its_end),
    cmocka_unit_test(any_value_of_any_byte_is_parsed_within_bounds),
    cmocka_unit_test(fields_that_are_an_index_of_perf_are_known),
    cmocka_unit_test(limits_are_reported),
    cmocka_unit_test(without_memory_nothing_is_stored),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * The "print fmt" line: expressions that readers of perf can parse, and those that none can.
 */
#include "tracepoint_bench.h"

static void expressions_are_parsed_as_far_as_readers_parse_them(void **state)
{
    (void)state;
#define ARG "REC->parent_pid"
#define BAD(with, at, reason)                                                                                \
    {                                                                                                        \
        process_fork, ARG, with, PC_TP_BAD_PRINT, at, reason                                                 \
    }
#define GOOD(with)                                                                                           \
    {                                                                                                        \
        process_fork, ARG, with, PC_TP_SOUND, 0, NULL                                                        \
    }
#define ODD(with, at, reason)                                                                                \
    {                                                                                                        \
        process_fork, ARG, with, PC_TP_UNPRINTABLE, at, reason                                               \
    }
    static const struct edit edits[] = {
        { process_fork, "\"comm", "comm", PC_TP_BAD_PRINT, 0, "expected a text in quotes" },
        { process_fork, "child_pid=%d\"", "child_pid=%d", PC_TP_BAD_PRINT, 0, NULL },
        { process_fork, "pid=%d\", ", "pid=%d\"; ", PC_TP_BAD_PRINT, 7, "expected \",\"" },
        { process_fork, "pid=%d", "pid=%;", PC_TP_BAD_PRINT, 4, "not a conversion" },
        { process_fork, "pid=%d", "pid=%Lld", PC_TP_BAD_PRINT, 4, "not a conversion" },
        { process_fork, "=%d\", ", "=%d %d\", ", PC_TP_BAD_PRINT, 4, "a conversion without an argument" },
        { process_fork, "pid=%d", "pid=%\x01", PC_TP_BAD_PRINT, 5, "a character that no text has" },
        { process_fork, "pid=%d", "pid\xff%d", PC_TP_BAD_PRINT, 3, "a character that no text has" },
        { process_fork, "pid=%d", "pid=\xc2\xb5%d", PC_TP_SOUND, 0, NULL },
        { process_fork, "pid=%d", "pid=%-08lld%%\t\n\\\"", PC_TP_SOUND, 0, NULL },
        { process_fork, "pid=%d", "pid=%\" \"llu", PC_TP_SOUND, 0, NULL },
        { process_fork, "pid=%d", "pid=%.*s", PC_TP_BAD_PRINT, 30, NULL },
        GOOD("REC->common_pid"),
        GOOD("(unsigned long)(REC->parent_pid)"),
        GOOD("((struct foo **)(u64) REC->parent_pid)"),
        GOOD("(int)'a'"), /* libtraceevent (process_paren): a quoted token after a bracket makes it a cast */
        GOOD("__print_symbolic(REC->parent_pid, { 0, 'a' })"),
        GOOD("(REC)->parent_pid"),
        GOOD("-1 + ~0x1fUL * !010 - 'a' - '\\n'"),
        GOOD("REC->parent_pid ? 1 ? \"a\" : \"b\" \"c\" : \"d\""),
        GOOD("(REC->parent_pid & ~3) && !(REC->child_pid >= 3)"),
        GOOD("REC->parent_comm[REC->child_pid % 2]"),
        GOOD("__get_str(parent_comm)[0]"),
        GOOD("__print_symbolic(REC->parent_pid, { 0, \"a\" }, { -1, ((void *)0) })"),
        GOOD("__print_flags(REC->parent_pid & 7, \"|\", { 1 << 2, \"a\" })"),
        GOOD("__print_array(__get_dynamic_array(parent_comm), __get_dynamic_array_len(parent_comm) / 4, 4)"),
        GOOD("__print_hex(REC->parent_comm, 6)"),
        { process_fork, ARG, "sizeof(unsigned long) + sizeof(REC->parent_pid) + sizeof(struct foo *)",
          PC_TP_NEW_PRINT, 0, "perf up to 6.1" },
        GOOD("__builtin_expect(!!(REC->parent_pid), 1)"),
        BAD("REC->parent_pip", 5, "expected the name of a field"),
        BAD("REC>parent_pid", 3, "expected \"->\" after REC"),
        BAD("RFC->parent_pid", 3, "only REC has members"),
        BAD("REC->parent_pid REC->child_pid", 16, "an operator is missing"),
        BAD("foo bar", 4, "an operator is missing"),
        BAD("(REC->parent_pid)7", 17, "an operator is missing"),
        BAD("REC->parent_pid 7", 16, "an operator is missing"),
        BAD("REC->parent_pid ; 7", 16, "an operator is missing"),
        BAD("REC->parent_pid +", 17, "an operand is missing"),
        BAD("", 0, "an operand is missing"),
        BAD("* 7", 0, "an operand is missing"),
        BAD("(REC->parent_pid", 0, "this bracket is not closed"),
        BAD("REC->parent_pid)", 15, "this bracket was not opened"),
        BAD("REC->parent_comm[1", 16, "this bracket is not closed"),
        BAD("(REC->parent_comm[1)", 19, "this bracket was not opened"),
        BAD("REC->parent_comm 1]", 17, "an operator is missing"),
        BAD("REC->parent_comm]", 16, "this bracket was not opened"),
        BAD("REC->parent_comm}", 16, "this bracket was not opened"),
        BAD("REC->parent_pid : 1", 16, "\":\" without \"?\""),
        BAD("REC->parent_pid ? 1", 16, "this bracket is not closed"),
        BAD("0x", 0, "not a number"),
        BAD("09", 0, "not a number"),
        BAD("1O", 0, "not a number"),
        GOOD("1ull + 0x1fLLU"),
        BAD("1ulll", 0, "not a number"),
        BAD("@", 0, "a character that no expression has"),
        BAD("''", 0, "nothing is between the quotes"),
        BAD("'a", 0, NULL),
        BAD("__get_stt(parent_comm)", 0, "not the name of a function"),
        BAD("__get_str(parent_com)", 10, "expected the name of a field"),
        BAD("__get_str(parent_comm, 1)", 21, "expected \")\""),
        BAD("__print_hex(REC->parent_comm)", 28, "not the arguments that the function has"),
        BAD("__print_symbolic(REC->parent_pid)", 32, "expected a list of { value, text }"),
        BAD("__print_symbolic(REC->parent_pid, 1)", 34, "expected a list of { value, text }"),
        BAD("__print_symbolic(REC->parent_pid, { 1 })", 38, "expected \",\" and a text"),
        BAD("__print_symbolic(REC->parent_pid, { 1, -\"a\" })", 39, "expected a text"),
        BAD("__print_symbolic(REC->parent_pid, { 1, \"a\", 2 })", 42, "expected \"}\""),
        BAD("__print_symbolic(REC->parent_pid, { 1, \"a\" } + 1)", 45, "expected \")\""),
        BAD("__print_flags(REC->parent_pid, + { 1, \"a\" })", 31, "expected a text"),
        BAD("__print_flags(REC->parent_pid, \"|\" { 1, \"a\" })", 35, "expected \",\""),
        BAD("sizeof()", 7, "expected a type in sizeof"),
        ODD("jiffies_to_msecs(REC->parent_pid)", 0, "a function that perf does not know"),
        ODD("REC->parent_pid ?: 7", 16, "a question without its first answer"),
        ODD("sizeof(REC->parent_comm[0])", 23, "the size of an expression"),
        BAD("sizeof(REC->parent_comm[0)", 25, "this bracket was not opened"),
        ODD("foo()", 0, "a function that perf does not know"),
        ODD("({ int x = 7; x < 8 ? x : 8; })", 0, "a statement"),
        BAD("({ int x = 7; x < 8 ? x : 8; )", 29, "this bracket was not opened"),
        BAD("({ int x = 7;", 0, "the bracket is not closed"),
        BAD("({ int x = \"7;", 11, "the quotes are not closed"),
        BAD("REC->parent_pid \"a\" \"b\"", 16, "an operator is missing"),
        BAD("({ int x = 7 @; })", 13, "a character that no expression has"),
        ODD("__print_symbolic(REC->parent_pid, { })", 34, "an empty list of values"),
        ODD("*(u64 *)REC->parent_pid", 0, "an address or what it points to"),
        ODD("&REC->parent_pid", 0, "an address or what it points to"),
        ODD("((struct foo *)REC->parent_pid)->member", 31, "a member of a structure"),
        BAD("((struct foo *)REC->parent_pid)->7", 33, "expected the name of a member"),
        ODD("(u8)~REC->parent_pid", 4, "a cast of an operator"),
        ODD("(struct foo){ 1 }", 12, "a statement"),
    };
    for (size_t i = 0; i < PC_COUNT_OF(edits); i++) {
        struct edit e = edits[i];
        if (e.kind == PC_TP_SOUND || e.reason) {
            run_edit(&e);
            continue;
        }
        /* Open quotes and counts: that there is a fault, whatever it is. */
        char text[2048];
        const char *place = strstr(e.base, e.find);
        struct pc_tp_fault fault;
        snprintf(text, sizeof(text), "%.*s%s%s", (int)(place - e.base), e.base, e.with,
                 place + strlen(e.find));
        assert_false(check(span_of(text), 8, &fault));
        assert_int_equal(fault.kind, PC_TP_BAD_PRINT);
    }
    static const struct edit last[] = {
        { process_fork, ", REC->child_pid\n", ", REC->child_pid ? 1\n", PC_TP_BAD_PRINT, 17,
          "\"?\" without \":\"" },
        { process_fork, ", REC->child_pid\n", ", (1\n", PC_TP_BAD_PRINT, 2, "the bracket is not closed" },
        { contention_begin, " )", "", PC_TP_BAD_PRINT, 1, "expected \")\"" },
    };
    for (size_t i = 0; i < PC_COUNT_OF(last); i++)
        run_edit(&last[i]);
}

static void a_nul_ends_no_quotes(void **state)
{
    (void)state;
    char text[1024];
    struct pc_tp_fault fault;
    size_t len = strlen(process_fork), at = (size_t)(strstr(process_fork, "pid=%d") - process_fork);
    memcpy(text, process_fork, len);
    text[at] = 0;
    assert_false(check((struct pc_span){ (const unsigned char *)text, len }, 8, &fault));
    assert_int_equal(fault.kind, PC_TP_BAD_PRINT);
    assert_int_equal(fault.at, at);
    assert_string_equal(fault.reason, "a character that no text has");
}

/* Nothing behind the quotes belongs to it, not even what is behind the text. */
static void a_conversion_ends_with_its_quotes(void **state)
{
    (void)state;
    static const char text[] = "name: a\nID: 1\nformat:\n" COMMON "\n\nprint fmt: \"%l\"";
    struct guarded g = guarded_new(sizeof(text));
    struct pc_tp_fault fault;
    size_t len = sizeof(text) - 1;
    assert_false(check(guarded_put(&g, (const unsigned char *)text, len), 8, &fault));
    assert_int_equal(fault.kind, PC_TP_BAD_PRINT);
    assert_int_equal(fault.at, len - strlen("%l\""));
    assert_string_equal(fault.reason, "not a conversion");
    guarded_free(&g);
}

static void functions_newer_than_the_reader_are_named(void **state)
{
    (void)state;
    static const struct edit edits[] = {
        { process_fork, "__get_str(parent", "__get_rel_str(parent", PC_TP_NEW_PRINT, 0, "perf 5.10" },
        { process_fork, "__get_str(parent", "__get_cpumask(parent", PC_TP_NEW_PRINT, 0, "perf up to 6.1" },
        { process_fork, "__get_str(parent", "__get_bitmask(parent", PC_TP_SOUND, 0, NULL },
        /* The one that more versions do not know; but first what is worse. */
        { process_fork, "__get_str(parent_comm), REC->parent_pid", "__get_rel_str(parent_comm), sizeof(int)",
          PC_TP_NEW_PRINT, 28, "perf up to 6.1" },
        { process_fork, "__get_str(parent_comm), REC->parent_pid", "sizeof(int), __get_rel_str(parent_comm)",
          PC_TP_NEW_PRINT, 0, "perf up to 6.1" },
        { process_fork, "__get_str(parent_comm), REC->parent_pid", "sizeof(int), foo(REC->parent_pid)",
          PC_TP_UNPRINTABLE, 13, "a function that perf does not know" },
        { process_fork, "__get_str(parent_comm), REC->parent_pid", "sizeof(int), )", PC_TP_BAD_PRINT, 13,
          "an operand is missing" },
    };
    for (size_t i = 0; i < PC_COUNT_OF(edits); i++)
        run_edit(&edits[i]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(expressions_are_parsed_as_far_as_readers_parse_them),
    cmocka_unit_test(a_nul_ends_no_quotes),
    cmocka_unit_test(a_conversion_ends_with_its_quotes),
    cmocka_unit_test(functions_newer_than_the_reader_are_named),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

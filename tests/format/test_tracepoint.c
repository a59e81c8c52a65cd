/* SPDX-License-Identifier: MIT */
#include "pc_test.h"
#include "format/print_fmt.h"
#include "format/tracepoint.h"
#include "format/tracepoint_type.h"

#include <stdio.h>

#define COMMON                                                                                               \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                                   \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                                   \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                           \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"

/* As kernel 6.18 prints it. */
static const char process_fork[] =
    "name: sched_process_fork\nID: 366\nformat:\n" COMMON "\n"
    "\tfield:__data_loc char[] parent_comm;\toffset:8;\tsize:4;\tsigned:0;\n"
    "\tfield:pid_t parent_pid;\toffset:12;\tsize:4;\tsigned:1;\n"
    "\tfield:__data_loc char[] child_comm;\toffset:16;\tsize:4;\tsigned:0;\n"
    "\tfield:pid_t child_pid;\toffset:20;\tsize:4;\tsigned:1;\n\n"
    "print fmt: \"comm=%s pid=%d child_comm=%s child_pid=%d\", __get_str(parent_comm), REC->parent_pid, "
    "__get_str(child_comm), REC->child_pid\n";

/* The same, with a shorter list. */
static const char contention_begin[] =
    "name: contention_begin\nID: 408\nformat:\n" COMMON "\n"
    "\tfield:void * lock_addr;\toffset:8;\tsize:8;\tsigned:0;\n"
    "\tfield:unsigned int flags;\toffset:16;\tsize:4;\tsigned:0;\n\n"
    "print fmt: \"%p (flags=%s)\", REC->lock_addr, __print_flags(REC->flags, \"|\", { (1U << 0), \"SPIN\" }, "
    "{ (1U << 1), \"READ\" }, { (1U << 2), \"WRITE\" } )\n";

/* A field of every class, in forms that kernels print. */
static const char every_class[] =
    "name: every_class\nID: 65535\nformat:\n" COMMON
    "\tfield:int common_lock_depth;\toffset:8;\tsize:4;\tsigned:1;\n\n"
    "\tfield:__data_loc unsigned int[] counts;\toffset:12;\tsize:4;\tsigned:0;\n"
    "\tfield:__rel_loc u8[] bytes;\toffset:16;\tsize:4;\tsigned:0;\n"
    "\tfield:__data_loc cpumask_t cpumask;\toffset:20;\tsize:4;\tsigned:0;\n"
    "\tfield:const char *const * argv;\toffset:24;\tsize:8;\tsigned:0;\n"
    "\tfield:char comm[TASK_COMM_LEN];\toffset:32;\tsize:16;\tsigned:0;\n"
    "\tfield:unsigned long args[6];\toffset:48;\tsize:48;\tsigned:0;\n"
    "\tfield:__u8 addr[16];\toffset:96;\tsize:16;\tsigned:0;\n"
    "\tfield:u32 words[16 + 1];\toffset:112;\tsize:68;\tsigned:0;\n"
    "\tfield:foo_t things[2];\toffset:180;\tsize:8;\tsigned:0;\n"
    "\tfield:struct foo thing;\toffset:192;\tsize:8;\tsigned:0;\n"
    "\tfield:foo_t large;\toffset:200;\tsize:24;\tsigned:0;\n"
    "\tfield:enum zone_type zone;\toffset:224;\tsize:4;\tsigned:1;\n"
    "\tfield:bool flag;\toffset:228;\tsize:1;\n"
    "\tfield:const char __attribute__((user)) * name;\toffset:232;\tsize:8;\tsigned:0;\n"
    "\tfield:struct foo table[4];\toffset:240;\tsize:32;\tsigned:0;\n"
    "\tfield:unsigned long rest[];\toffset:272;\tsize:0;\tsigned:0;\n\n"
    "print fmt: \"none\"\n";

static struct pc_tp_draft draft;

static struct pc_span span_of(const char *text)
{
    return (struct pc_span){ (const unsigned char *)text, strlen(text) };
}

/* Reads the text and its print fmt. */
static bool check(struct pc_span text, unsigned long_size, struct pc_tp_fault *fault)
{
    return pc_tp_read(&draft, text, long_size, fault) && pc_print_fmt_check(&draft, fault);
}

static struct pc_tracepoint *keep(struct pc_mem *mem, const char *text, unsigned long_size)
{
    struct pc_tp_fault fault;
    if (!check(span_of(text), long_size, &fault))
        fail_msg("%s at %zu", fault.reason, fault.at);
    struct pc_tracepoint *t = pc_tp_new(mem, &draft);
    assert_non_null(t);
    return t;
}

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

static void every_field_has_a_class_and_the_width_of_its_elements(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t offset, size;
        enum pc_tp_class cls;
        uint8_t element; /* of a recorder with longs of 8 bytes */
        bool is_signed;
    } expected[] = {
        { "common_type", 0, 2, PC_TP_INTEGER, 2, false },
        { "common_flags", 2, 1, PC_TP_INTEGER, 1, false },
        { "common_preempt_count", 3, 1, PC_TP_INTEGER, 1, false },
        { "common_pid", 4, 4, PC_TP_INTEGER, 4, true },
        { "common_lock_depth", 8, 4, PC_TP_INTEGER, 4, true },
        { "counts", 12, 4, PC_TP_DATA_LOC, 4, false },
        { "bytes", 16, 4, PC_TP_REL_LOC, 1, false },
        { "cpumask", 20, 4, PC_TP_DATA_LOC, 8, false },
        { "argv", 24, 8, PC_TP_POINTER, 8, false },
        { "comm", 32, 16, PC_TP_TEXT, 1, false },
        { "args", 48, 48, PC_TP_ARRAY, 8, false },
        { "addr", 96, 16, PC_TP_ARRAY, 1, false },
        { "words", 112, 68, PC_TP_ARRAY, 4, false },
        { "things", 180, 8, PC_TP_ARRAY, 4, false },
        { "thing", 192, 8, PC_TP_OPAQUE, 0, false },
        { "large", 200, 24, PC_TP_OPAQUE, 0, false },
        { "zone", 224, 4, PC_TP_INTEGER, 4, true },
        { "flag", 228, 1, PC_TP_INTEGER, 1, false },
        { "name", 232, 8, PC_TP_POINTER, 8, false },
        { "table", 240, 32, PC_TP_ARRAY, 0, false },
        { "rest", 272, 0, PC_TP_FLEXIBLE, 8, false },
    };
    struct pc_mem mem;
    pc_mem_init(&mem, 1 << 20);
    struct pc_tracepoint *t = keep(&mem, every_class, 8);
    assert_int_equal(t->nr_common, 5);
    assert_int_equal(t->nr_fields, PC_COUNT_OF(expected));
    assert_int_equal(t->end, 272);
    assert_true(t->is_open);
    assert_int_equal(t->nr_dynamic, 3);
    for (uint32_t i = 0; i < t->nr_fields; i++) {
        const struct pc_tp_field *f = &t->field[i];
        assert_string_equal(pc_tp_field_name(t, i), expected[i].name);
        if (f->offset != expected[i].offset || f->size != expected[i].size || f->cls != expected[i].cls ||
            f->element != expected[i].element || f->is_signed != expected[i].is_signed)
            fail_msg("%s: %u %u, class %u, elements of %u, signed %u", expected[i].name, f->offset, f->size,
                     f->cls, f->element, f->is_signed);
    }
    pc_tp_free(&mem, t);
    assert_int_equal(mem.used, 0);
}

static unsigned type_width(const char *text, unsigned long_size)
{
    struct pc_tp_type type = { 0 };
    for (size_t len; *text != 0; text += len) {
        for (len = 0; pc_tp_is_word(text[len]); len++)
            ;
        struct pc_tp_name word = { (const unsigned char *)text, len };
        type.pointer |= *text == '*';
        if (len != 0)
            pc_tp_see_word(&type, &word, long_size);
        else
            len = 1;
    }
    return pc_tp_width(&type, long_size);
}

static void widths_follow_from_the_words_of_a_type(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        unsigned width4, width8; /* by the size of long */
    } types[] = {
        { "char", 1, 1 },
        { "unsigned char", 1, 1 },
        { "signed char", 1, 1 },
        { "bool", 1, 1 },
        { "__u8", 1, 1 },
        { "int8_t", 1, 1 },
        { "short", 2, 2 },
        { "unsigned short int", 2, 2 },
        { "u16", 2, 2 },
        { "int", 4, 4 },
        { "unsigned", 4, 4 },
        { "const unsigned int", 4, 4 },
        { "s32", 4, 4 },
        { "pid_t", 4, 4 },
        { "gfp_t", 4, 4 },
        { "long", 4, 8 },
        { "unsigned long", 4, 8 },
        { "long unsigned int", 4, 8 },
        { "size_t", 4, 8 },
        { "long long", 8, 8 },
        { "unsigned long long", 8, 8 },
        { "u64", 8, 8 },
        { "char *", 4, 8 },
        { "struct foo *", 4, 8 },
        { "void __user *", 4, 8 },
        { "struct foo", 0, 0 },
        { "foo_t", 0, 0 },
        { "long u32", 0, 0 },
        { "", 0, 0 },
        { "9", 0, 0 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(types); i++) {
        unsigned four = type_width(types[i].type, 4);
        unsigned eight = type_width(types[i].type, 8);
        if (four != types[i].width4 || eight != types[i].width8)
            fail_msg("%s: %u and %u", types[i].type, four, eight);
    }
}

static void a_recorder_with_longs_of_four_bytes_has_other_elements(void **state)
{
    (void)state;
    static const char text[] = "name: a\nID: 1\nformat:\n" COMMON "\n"
                               "\tfield:unsigned long args[3];\toffset:8;\tsize:12;\tsigned:0;\n\n"
                               "print fmt: \"%lx\", REC->args[0]\n";
    struct pc_tp_fault fault;
    assert_true(check(span_of(text), 4, &fault));
    assert_int_equal(draft.field[4].element, 4);
    assert_false(check(span_of(text), 8, &fault));
    assert_string_equal(fault.reason, "the size is not that of the elements");
}

/* --- what is wrong --- */

struct edit {
    const char *base, *find, *with;
    enum pc_tp_fault_kind kind;
    size_t at; /* of the fault, from the place of `find` */
    const char *reason;
};

static void run_edit(const struct edit *e)
{
    static char text[sizeof(every_class) + 200];
    const char *place = strstr(e->base, e->find);
    assert_non_null(place);
    size_t before = (size_t)(place - e->base);
    int len =
        snprintf(text, sizeof(text), "%.*s%s%s", (int)before, e->base, e->with, place + strlen(e->find));
    assert_true(len > 0 && (size_t)len < sizeof(text));
    struct pc_tp_fault fault;
    bool sound = check((struct pc_span){ (const unsigned char *)text, (size_t)len }, 8, &fault);
    if (e->kind == PC_TP_SOUND) {
        if (!sound)
            fail_msg("\"%s\" for \"%s\": %s at %zu", e->with, e->find, fault.reason, fault.at);
        return;
    }
    if (sound || fault.kind != e->kind || fault.at != before + e->at || strcmp(fault.reason, e->reason) != 0)
        fail_msg("\"%s\" for \"%s\": %s at %zd", e->with, e->find, sound ? "sound" : fault.reason,
                 (ssize_t)(fault.at - before));
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

static void expressions_are_followed_as_far_as_readers_do(void **state)
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

/* --- hostile texts --- */

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

static void every_byte_may_have_any_value(void **state)
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

static void arrays_of_strings_have_a_word_for_each(void **state)
{
    (void)state;
    static const char strings[] = "name: probe\nID: 7\nformat:\n" COMMON "\n"
                                  "\tfield:__data_loc char[][3] s;\toffset:8;\tsize:12;\tsigned:1;\n\n"
                                  "print fmt: \"%s\", __get_str(s[1])\n";
    static const struct edit edits[] = {
        { strings, "[1]", "", PC_TP_SOUND, 0, NULL },
        { strings, "[1]", "[1]", PC_TP_UNPRINTABLE, 0, "an element of an array of arrays" },
        { strings, "[1]", "[s]", PC_TP_BAD_PRINT, 1, "expected a number" },
        { strings, "[1]", "[1", PC_TP_BAD_PRINT, 2, "expected \"]\"" },
        { strings, "[3]", "[0]", PC_TP_BAD_FIELD, 0, "an array of 0 elements" },
        { strings, "[3]", "[]", PC_TP_BAD_TEXT, 1, "expected the number of elements" },
        { strings, "[3]", "[3", PC_TP_BAD_TEXT, 2, "expected \"]\"" },
        { strings, "[3] s", "[3]s", PC_TP_BAD_TEXT, 3, "expected \"[] \" after the type" },
        { strings, "[3]", "[3][2]", PC_TP_BAD_TEXT, 3, "expected \"[] \" after the type" },
        { strings, "size:12", "size:4", PC_TP_BAD_FIELD, 5, "the words of dynamic arrays have 4 bytes each" },
        { strings, "__data_loc", "__rel_loc", PC_TP_BAD_TEXT, 16, "expected \"[] \" after the type" },
        { process_fork, "__get_str(parent_comm)", "__get_str(parent_comm[0])", PC_TP_BAD_PRINT, 21,
          "expected \")\"" },
    };
    for (size_t i = 0; i < PC_COUNT_OF(edits); i++)
        run_edit(&edits[i]);
    struct pc_tp_fault fault;
    assert_true(pc_tp_read(&draft, span_of(strings), 8, &fault));
    assert_int_equal(draft.second_at, strstr(strings, "[3]") - strings);
    assert_int_equal(draft.field[4].cls, PC_TP_DATA_LOC);
    assert_true(draft.field[4].of_arrays);
    assert_true(pc_tp_read(&draft, span_of(process_fork), 8, &fault));
    assert_int_equal(draft.second_at, 0);
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
    char name[300];
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
    cmocka_unit_test(every_field_has_a_class_and_the_width_of_its_elements),
    cmocka_unit_test(widths_follow_from_the_words_of_a_type),
    cmocka_unit_test(a_recorder_with_longs_of_four_bytes_has_other_elements),
    cmocka_unit_test(damaged_lines_are_reported_at_their_byte),
    cmocka_unit_test(impossible_fields_are_reported_at_their_byte),
    cmocka_unit_test(expressions_are_followed_as_far_as_readers_do),
    cmocka_unit_test(header_page_has_its_fields_in_order),
    cmocka_unit_test(no_prefix_is_sound_or_read_past_its_end),
    cmocka_unit_test(every_byte_may_have_any_value),
    cmocka_unit_test(arrays_of_strings_have_a_word_for_each),
    cmocka_unit_test(functions_newer_than_the_reader_are_named),
    cmocka_unit_test(limits_are_reported),
    cmocka_unit_test(without_memory_nothing_is_stored),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

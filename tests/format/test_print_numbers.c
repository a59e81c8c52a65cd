/* SPDX-License-Identifier: MIT
 *
 * Numbers of a print fmt that perf dies of, and fields that are used as such.
 */
#include "tracepoint_bench.h"

#define ARG "REC->parent_pid"
#define GOOD(with)                                                                                           \
    {                                                                                                        \
        process_fork, ARG, with, PC_TP_SOUND, 0, NULL                                                        \
    }

static void what_perf_dies_of_is_named(void **state)
{
    (void)state;
    static const struct edit edits[] = {
        { process_fork, "REC->parent_pid", "REC->parent_pid / 0", PC_TP_DEADLY, 18, "a division by 0" },
        { process_fork, "REC->parent_pid", "REC->parent_pid % 0x0UL", PC_TP_DEADLY, 18, "a division by 0" },
        { process_fork, "REC->parent_pid", "REC->parent_pid / 10", PC_TP_SOUND, 0, NULL },
        { process_fork, "REC->parent_pid", "1 / (u64)0", PC_TP_DEADLY, 4, "a division by 0" },
        { process_fork, "pid=%d", "pid=%10000d", PC_TP_DEADLY, 4, "a conversion of many characters" },
        { process_fork, "pid=%d", "pid=%9999.9999d", PC_TP_SOUND, 0, NULL },
        { process_fork, "__get_str(parent_comm)", "__print_hex(REC->parent_pid, 100000)", PC_TP_DEADLY, 29,
          "a width or length that may be huge" },
        { process_fork, "__get_str(parent_comm)", "__print_hex(REC->parent_pid, 99999)", PC_TP_SOUND, 0,
          NULL },
#define MAY(with, at) { process_fork, ARG, with, PC_TP_DEADLY, at, "a divisor that may be 0" }
        MAY("1 / (0)", 4),
        MAY("1 / (0 | REC->child_pid)", 4),
        MAY("1 / 99999999999999999999999", 4),
        MAY("1 / 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * "
            "1 * 1 "
            "* 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 0",
            4),
        MAY("1 / (REC->parent_pid * REC->child_pid)", 4),
        MAY("1 / (REC->parent_pid * 0)", 4),
        MAY("1 / !REC->parent_pid", 4),
        MAY("8 / 2 % 2", 4),
        MAY("8 / 1 / 2", 4),
        MAY("8 / (0 + 1)", 4),
        MAY("8 / NAME", 4),
        MAY("8 / -1", 4),
        MAY("8 / +1", 4),
        MAY("8 / (u8)256", 4),
        MAY("8 / (unsigned int)0x100000000", 4),
        MAY("8 / (unsigned short)(256 * 256)", 4),
        MAY("8 / (s8)1000 / 1000", 4),
        MAY("8 / (u64)1 / 2", 4),
        MAY("8 / (u64)-1", 4),
        MAY("8 / (int)REC->parent_pid", 4),
        MAY("8 % (65536 * 65536 * 65536 * 65536)", 4),
        MAY("8 / REC->parent_pid[1]", 4),
        MAY("8 / REC->parent_pid * 2", 4),
        GOOD("8 / 4 * 2"),
        GOOD("8 / 1000 / 1000"),
        GOOD("8 / (1000 * 1000) + 3 ? 1 : 2"),
        GOOD("8 / ((((1UL))) << (12)) - 1"),
        GOOD("8 / (4 << 31 << 1)"),
        GOOD("8 / (u64)1000"),
        GOOD("8 / (unsigned long long)(1000 * 1000)"),
        GOOD("8 / ((int)1000 * (u64)1000)"),
        GOOD("8 / (u8)100"),
        GOOD("8 / (size_t)256 + 0"),
        GOOD("8 / (1 + REC->parent_pid)"),
        GOOD("8 / (REC->parent_pid)"),
        GOOD("8 / (REC->parent_pid | 1)"),
        GOOD("8 / (REC->parent_pid ? REC->parent_pid : 1)"),
#define HUGE(with, at)                                                                                       \
    { process_fork, ARG,       "__print_hex(REC->parent_comm, " with ")",                                    \
      PC_TP_DEADLY, 30 + (at), "a width or length that may be huge" }
#define SMALL(with) GOOD("__print_hex(REC->parent_comm, " with ")")
        HUGE("REC->child_pid * 10", 15),
        HUGE("REC->child_pid * 2 * 2", 19),
        HUGE("REC->child_pid << 1", 15),
        HUGE("REC->parent_comm", 0),
        HUGE("~REC->child_pid", 0),
        HUGE("(1 - REC->child_pid) / 2", 21),
        HUGE("REC->child_pid ? 1 : REC->parent_comm ? 1 : 2", 21),
        HUGE("1+1+1+1+1+1+1+1+1", 16),
        HUGE("1 << 10", 2),
        HUGE("(1 << 16)", 3),
        HUGE("(2 << 15)", 3),
        HUGE("(1 << 64)", 3),
        HUGE("(1 << 10 << 10)", 3),
        HUGE("((1 << 10) << 10)", 11),
        HUGE("(1 << 10) << 10", 10),
        HUGE("(1 << REC->child_pid)", 3),
        HUGE("(1 << 10) * (1 << 10)", 10),
        SMALL("(1 << 10)"), /* MAX_NUMNODES */
        SMALL("((1 << 15) + 1)"),
        SMALL("REC->parent_comm ? 4 * REC->child_pid : 0"),
        SMALL("(int)REC->child_pid - 4"),
        SMALL("__get_dynamic_array_len(parent_comm) / 4"),
        { process_fork, "comm=%s pid=%d", "comm=%*d", PC_TP_DEADLY, 38,
          "a width or length that may be huge" },
        { process_fork, "__get_str(parent_comm)", "__get_str(child_pid)", PC_TP_DEADLY, 10,
          "a field without a place" },
    };
    for (size_t i = 0; i < PC_COUNT_OF(edits); i++)
        run_edit(&edits[i]);
}

static void fields_that_perf_computes_with_are_marked(void **state)
{
    (void)state;
    static const struct {
        const char *with;
        uint8_t use; /* of parent_pid */
    } cases[] = {
        { "REC->parent_pid", 0 },
        { "8 / REC->parent_pid", PC_TP_DIVISOR },
        { "8 % (REC->parent_pid)", PC_TP_DIVISOR },
        { "8 / (u64)REC->parent_pid", PC_TP_DIVISOR },
        { "8 / (long)(REC->parent_pid)", PC_TP_DIVISOR },
        { "8 / (REC->parent_pid | 1)", PC_TP_DIVISOR },
        { "8 / (REC->parent_pid ? REC->child_pid : 1)", PC_TP_DIVISOR },
        { "8 / (1 + REC->parent_pid)", 0 },
        { "REC->parent_pid ? 8 / REC->parent_pid : 0", 0 },
        { "REC->parent_pid == 0 ? 0 : (8 * 3) / REC->parent_pid", PC_TP_ASKED },
        { "(REC->parent_pid != 0 ? 8 / REC->parent_pid : 0)", 0 },
        { "REC->parent_pid > 0 ? 8 / REC->parent_pid : 0", 0 },
        { "REC->child_pid ? 8 / REC->parent_pid : 0", PC_TP_DIVISOR },
        { "REC->parent_pid == 0 ? 8 / REC->parent_pid : 1", PC_TP_DIVISOR },
        { "REC->parent_pid ? 1 : 8 / REC->parent_pid", PC_TP_DIVISOR },
        { "REC->parent_pid + 1 ? 8 / REC->parent_pid : 1", PC_TP_DIVISOR },
        { "REC->parent_pid > 1 ? 0 : 8 / REC->parent_pid", PC_TP_DIVISOR },
        { "REC->parent_pid / REC->parent_pid", PC_TP_DIVISOR },
        { "__print_hex(REC->parent_comm, REC->parent_pid * 4)", PC_TP_LENGTH },
        { "__print_hex(REC->parent_comm, REC->parent_pid ? 1 : 2)", 0 },
        { "__print_hex(REC->parent_comm, 1 ? REC->parent_pid : 2)", PC_TP_LENGTH },
        { "__print_array(REC->parent_comm, 1, REC->parent_pid)", 0 },
        { "__print_hex(REC->parent_comm, 1) + REC->parent_pid", 0 },
        { "unknown(8 / REC->parent_pid)", 0 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(cases); i++) {
        struct pc_tp_fault fault;
        char text[4096];
        const char *at = strstr(process_fork, ARG);
        snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - process_fork), process_fork, cases[i].with,
                 at + strlen(ARG));
        assert_true(pc_tp_read(&draft, span_of(text), 8, &fault));
        pc_print_fmt_check(&draft, &fault);
        int field = pc_tp_draft_field(&draft, (struct pc_tp_name){ (const unsigned char *)"parent_pid", 10 });
        assert_int_equal(draft.field[field].use, cases[i].use);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_perf_dies_of_is_named),
    cmocka_unit_test(fields_that_perf_computes_with_are_marked),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * Symbols of simpleperf as text: names that would be other lines; what a message leaves out or has in another
 * order; records that say what others were. The files that hold them are tested by tests/test_simpleperf.
 */
#include "edits_bench.h"

static void assert_symbols(const char *data, const char *wanted)
{
    char got[2048] = "";
    struct pc_rewrite how = { .force = true, .symbols_out = want_path };
    char recipe[4096];
    snprintf(recipe, sizeof(recipe),
             "expect: valid\nfile\nattr size=120 type=1 config=0 sample_period=1000 sample_type=IP|TID "
             "flags=disabled "
             "ids=11\ndata\nrecord SAMPLE misc=USER ; u64 0x400123 ; u32 100 100 ; end\n%s",
             data);
    assemble(recipe, in_path);
    pc_limits_init(&how.limits);
    how.callbacks = (struct pc_callbacks){ .message = take_message, .errors = take_errors };
    said[0] = 0;
    if (pc_rewrite_capture(&how, NULL, in_path, out_path) != PC_WRITTEN)
        fail_msg("%s", said);
    FILE *f = fopen(want_path, "r");
    assert_non_null(f);
    got[fread(got, 1, sizeof(got) - 1, f)] = 0;
    fclose(f);
    assert_string_equal(got, wanted);
}

static void records_have_a_line_for_each_symbol(void **state)
{
    (void)state;
    assert_symbols("record DSO ; u64 2 1 0 ; str \"/a\" ; end\nrecord DSO ; u64 2 2 0 ; str \"/b\" ; end\n"
                   "record SYMBOL ; u64 0x10 0x20 2 ; str \"one\" ; end\n"
                   "record SYMBOL ; u64 0x30 0x20 2 ; str \"two\" ; end\n"
                   "record SYMBOL ; u64 0x10 0x20 1 ; str \"three\" ; end\n",
                   "# /b\n10 20 one\n30 20 two\n# /a\n10 20 three\n");
    assert_symbols("record KERNEL_SYMBOL ; sized u32 ; text \"ffff0 T a\\nffff8 t b\\t[m]\\nbad\\n T c\\n10 "
                   "T d\" ; end ; zero 1 "
                   "; end\n",
                   "# [kernel.kallsyms]\nffff0 0 a\nffff8 0 b\n10 0 d\n");
}

static void a_name_is_one_line(void **state)
{
    (void)state;
    assert_symbols("record SYMBOL ; u64 1 2 3 ; str \"a\\nb\" ; end\n", "# dso 3\n1 2 a\\x0ab\n");
    char data[2048], wanted[2048];
    int n = snprintf(data, sizeof(data), "record SYMBOL ; u64 1 2 3 ; str \"");
    int m = snprintf(wanted, sizeof(wanted), "# dso 3\n1 2 ");
    data[n++] = wanted[m++] = 'x';
    for (int i = 0; i < 600; i++) /* in pieces of an even length */
        data[n++] = wanted[m++] = "\u00e9"[i % 2];
    snprintf(data + n, sizeof(data) - (size_t)n, "z\" ; end\n");
    snprintf(wanted + m, sizeof(wanted) - (size_t)m, "z\n");
    assert_symbols(data, wanted);
}

static void members_of_a_message_come_in_any_order(void **state)
{
    (void)state;
    /* path "/a"; symbols { name "f", len 3, addr 5 }, { name "g" } and {}; path "/b" and { addr 7 } */
    assert_symbols("feature FILE2 ; sized u32 ; bytes 0a022f61 ; bytes 2207 1a0166 1003 0805 ; bytes 2203 "
                   "1a0167 ; bytes 2200 ; end ; "
                   "sized u32 ; bytes 0a022f62 ; bytes 2202 0807 ; end ; end\n",
                   "# /a\n5 3 f\n0 0 g\n# /b\n7 0 \n");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(records_have_a_line_for_each_symbol),
    cmocka_unit_test(a_name_is_one_line),
    cmocka_unit_test(members_of_a_message_come_in_any_order),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, scratch_tear_down };

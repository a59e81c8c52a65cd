/* SPDX-License-Identifier: MIT */
#include "cli/baseline.h"
#include "pc_test.h"

/* Writes the text to a file and reads it as a baseline. */
static bool read_text(struct pc_baseline *b, const char *text)
{
    char name[] = "/tmp/baseline.XXXXXX";
    int fd = mkstemp(name);
    perfcheck_t *pc = perfcheck_new();
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    memset(b, 0, sizeof(*b));
    bool good = pc_baseline_read(b, "", name, pc);
    perfcheck_free(pc);
    unlink(name);
    return good;
}

static void each_path_has_its_own_list(void **state)
{
    (void)state;
    struct pc_baseline b;
    assert_true(
        read_text(&b, "# accepted\n\nPC0520:3  b.data\nPC0818:1,PC0905:2  a \\x0a.data\nPC0520:1  c.data"));
    assert_int_equal(b.nr, 6); /* each is by either folder */
    assert_string_equal(pc_baseline_list(&b, "a \n.data"), "PC0818:1,PC0905:2");
    assert_string_equal(pc_baseline_list(&b, "b.data"), "PC0520:3");
    assert_string_equal(pc_baseline_list(&b, "c.data"), "PC0520:1");
    assert_string_equal(pc_baseline_list(&b, "a"), "");
    assert_string_equal(pc_baseline_list(&b, ""), "");
    pc_baseline_clear(&b);
}

static void an_empty_file_accepts_nothing(void **state)
{
    (void)state;
    struct pc_baseline b;
    assert_true(read_text(&b, ""));
    assert_string_equal(pc_baseline_list(&b, "b.data"), "");
    pc_baseline_clear(&b);
}

static void a_line_of_another_form_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = { "PC0520:3 b.data\n",  "PC0520:3  \n",    "PC0520  b.data\n",
                                         "PC0520:x  b.data\n", "bla:3  b.data\n", "PC0001:3  b.data\n" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct pc_baseline b;
        assert_false(read_text(&b, texts[i]));
        pc_baseline_clear(&b);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_path_has_its_own_list),
    cmocka_unit_test(an_empty_file_accepts_nothing),
    cmocka_unit_test(a_line_of_another_form_is_refused),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

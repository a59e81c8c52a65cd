/* SPDX-License-Identifier: MIT
 *
 * Pieces of HTML; whole pages are in tests/test_report.
 */
#include "cli/html.h"
#include "pc_test.h"

static char *text;
static size_t size;

static FILE *begin(void)
{
    free(text);
    return open_memstream(&text, &size);
}

static void no_character_leaves_its_element(void **state)
{
    (void)state;
    for (int byte = 1; byte < 256; byte++) {
        const char path[] = { (char)byte, 'x', 0 };
        FILE *out = begin();
        pc_html_path(out, path);
        fclose(out);
        assert_null(strpbrk(text, "<>\"'`"));
        assert_true(*text != '&' || strncmp(text, "&#", 2) == 0);
        for (const char *t = text; *t; t++)
            assert_true((unsigned char)*t >= 0x20 && (unsigned char)*t < 0x7f);
    }
    FILE *out = begin();
    pc_html_text(out, "<a href=\"'`&\xc3\xa4");
    fclose(out);
    assert_string_equal(text, "&#60;a href=&#34;&#39;&#96;&#38;\xc3\xa4");
}

static void sizes_have_units(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *shown;
    } rows[] = { { 0, "0 bytes" },
                 { 1, "1 byte" },
                 { 1023, "1023 bytes" },
                 { 1024, "1024 bytes (1.0 KiB)" },
                 { 1536, "1536 bytes (1.5 KiB)" },
                 { 1 << 20, "1048576 bytes (1.0 MiB)" },
                 { UINT64_MAX, "18446744073709551615 bytes (15.9 EiB)" } };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        FILE *out = begin();
        pc_html_size(out, rows[i].bytes);
        fclose(out);
        assert_string_equal(text, rows[i].shown);
    }
}

static void columns_of_a_table_have_names(void **state)
{
    (void)state;
    FILE *out = begin();
    pc_html_table(out, "Name", "One|>Two|");
    fclose(out);
    assert_non_null(strstr(text, "<tr><th scope=\"col\">One</th>"
                                 "<th scope=\"col\" class=\"n\" colspan=\"2\">Two</th></tr>"));
    out = begin();
    pc_html_table(out, "Name", "One||Two");
    fclose(out);
    assert_non_null(
        strstr(text, "<tr><th scope=\"col\" colspan=\"2\">One</th><th scope=\"col\">Two</th></tr>"));
}

static int tear_down(void **state)
{
    (void)state;
    free(text);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_character_leaves_its_element),
    cmocka_unit_test(sizes_have_units),
    cmocka_unit_test(columns_of_a_table_have_names),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, tear_down };

/* SPDX-License-Identifier: MIT
 *
 * Rows in each form, with texts that hold what the form gives a meaning.
 */
#include "cli/row.h"
#include "pc_test.h"

#include <stdlib.h>

static const struct pc_column columns[] = {
    { "capture", PC_CELL_TEXT }, { "order", PC_CELL_NUMBER }, { "time", PC_CELL_WIDE }, { NULL, PC_CELL_TEXT }
};
static const struct pc_table table = { "things", columns, "time" };

static char *said;
static size_t size;

static FILE *begin(void)
{
    free(said);
    return open_memstream(&said, &size);
}

static void put_row(enum pc_row_form form, const char *text)
{
    FILE *out = begin();
    struct pc_row row = pc_row_begin(out, form, &table, "k'");
    pc_row_text(&row, text);
    pc_row_signed(&row, -1);
    pc_row_number(&row, UINT64_MAX);
    pc_row_end(&row);
    row = pc_row_begin(out, form, &table, "");
    pc_row_hex(&row, 255);
    pc_row_none(&row);
    pc_row_none(&row);
    pc_row_end(&row);
    fclose(out);
}

static void each_form_has_its_rows(void **state)
{
    (void)state;
    put_row(PC_ROW_CSV, "a");
    assert_string_equal(said, "a,-1,18446744073709551615\n0xff,,\n");
    put_row(PC_ROW_CSV, "a,\"b\" 'c'");
    assert_string_equal(said, "\"a,\"\"b\"\" 'c'\",-1,18446744073709551615\n0xff,,\n");
    put_row(PC_ROW_JSONL, "a\"b\\");
    assert_string_equal(said, "{\"capture\":\"a\\\"b\\\\\",\"order\":-1,\"time\":\"18446744073709551615\"}\n"
                              "{\"capture\":\"0xff\",\"order\":null,\"time\":null}\n");
    put_row(PC_ROW_SQL, "'a','b\\''");
    assert_string_equal(said, "INSERT INTO things VALUES('k''','''a'',''b\\''''',-1,18446744073709551615);\n"
                              "INSERT INTO things VALUES('','0xff',NULL,NULL);\n");
}

static void a_table_begins_with_the_names_of_its_columns(void **state)
{
    static const char *const wanted[PC_ROW_FORMS] = {
        [PC_ROW_CSV] = "capture,order,time\n",
        [PC_ROW_JSONL] = "",
        [PC_ROW_SQL] = "CREATE TABLE IF NOT EXISTS things (\"digest\" TEXT, \"capture\" TEXT, "
                       "\"order\" BIGINT, "
                       "\"time\" NUMERIC(20));\n"
                       "CREATE INDEX IF NOT EXISTS things_of ON things (\"digest\", \"time\");\n",
    };
    (void)state;
    for (enum pc_row_form form = 0; form < PC_ROW_FORMS; form++) {
        FILE *out = begin();
        pc_table_begin(out, form, &table);
        fclose(out);
        assert_string_equal(said, wanted[form]);
    }
    FILE *out = begin();
    pc_table_remove(out, &table, "it's");
    fclose(out);
    assert_string_equal(said, "DELETE FROM things WHERE \"digest\" = 'it''s';\n");
}

static int drop(void **state)
{
    (void)state;
    free(said);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_form_has_its_rows),
    cmocka_unit_test(a_table_begins_with_the_names_of_its_columns),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, drop };

/* SPDX-License-Identifier: MIT
 *
 * The tables of captures: each has the columns that its index and the views ask for.
 */
#include "cli/schema.h"
#include "pc_test.h"

static bool has_column(const struct pc_table *table, const char *name)
{
    const struct pc_column *c = table->column;
    while (c->name && strcmp(c->name, name) != 0)
        c++;
    return c->name;
}

static void each_table_has_its_columns(void **state)
{
    (void)state;
    for (size_t i = 0; i < PC_TABLES; i++) {
        assert_true(has_column(&pc_tables[i], "capture"));
        assert_true(has_column(&pc_tables[i], pc_tables[i].order));
        assert_int_equal(has_column(&pc_tables[i], PC_KEY_COLUMN), i == PC_TABLE_DIGESTS);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(pc_tables[i].name, pc_tables[k].name);
    }
}

static void each_view_is_made_anew(void **state)
{
    static const char *const views[] = { "samples", "commands", "captures" };
    char line[64];
    (void)state;
    for (size_t i = 0; i < PC_COUNT_OF(views); i++) {
        snprintf(line, sizeof(line), "DROP VIEW IF EXISTS %s;\nCREATE VIEW %s AS SELECT digest, capture,",
                 views[i], views[i]);
        assert_non_null(strstr(pc_views, line));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_table_has_its_columns),
    cmocka_unit_test(each_view_is_made_anew),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

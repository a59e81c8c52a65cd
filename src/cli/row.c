/* SPDX-License-Identifier: MIT */
#include "cli/row.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* Between quotes, of which one in the text is written twice. */
static void print_quoted(FILE *out, const char *text, char quote)
{
    fputc(quote, out);
    for (const char *next; (next = strchr(text, quote)) != NULL; text = next + 1) {
        fwrite(text, 1, (size_t)(next + 1 - text), out);
        fputc(quote, out);
    }
    fputs(text, out);
    fputc(quote, out);
}

/* --- tables --- */

/* Whether the column of the key comes before those that are listed. */
static bool is_key_added(const struct pc_table *table)
{
    const struct pc_column *c = table->column;
    while (c->name && strcmp(c->name, PC_KEY_COLUMN) != 0)
        c++;
    return !c->name;
}

static void create_table(FILE *out, const struct pc_table *table)
{
    static const char *const types[] = {
        [PC_CELL_TEXT] = "TEXT", [PC_CELL_NUMBER] = "BIGINT", [PC_CELL_WIDE] = "NUMERIC(20)"
    };
    fprintf(out, "CREATE TABLE IF NOT EXISTS %s (%s", table->name,
            is_key_added(table) ? "\"" PC_KEY_COLUMN "\" TEXT, " : "");
    for (const struct pc_column *c = table->column; c->name; c++)
        fprintf(out, "%s\"%s\" %s", c == table->column ? "" : ", ", c->name, types[c->cell]);
    fprintf(out, ");\nCREATE INDEX IF NOT EXISTS %s_of ON %s (\"" PC_KEY_COLUMN "\", \"%s\");\n", table->name,
            table->name, table->order);
}

void pc_table_begin(FILE *out, enum pc_row_form form, const struct pc_table *table)
{
    if (form == PC_ROW_SQL)
        create_table(out, table);
    for (const struct pc_column *c = table->column; form == PC_ROW_CSV && c->name; c++)
        fprintf(out, "%s%c", c->name, c[1].name ? ',' : '\n');
}

void pc_table_remove(FILE *out, const struct pc_table *table, const char *key)
{
    fprintf(out, "DELETE FROM %s WHERE \"" PC_KEY_COLUMN "\" = ", table->name);
    print_quoted(out, key, '\'');
    fputs(";\n", out);
}

/* --- rows --- */

struct pc_row pc_row_begin(FILE *out, enum pc_row_form form, const struct pc_table *table, const char *key)
{
    struct pc_row row = { .out = out, .next = table->column, .form = form };
    if (form == PC_ROW_JSONL)
        row.object = pc_json_open(out, '{', true);
    if (form == PC_ROW_SQL)
        fprintf(out, "INSERT INTO %s VALUES(", table->name);
    if (form == PC_ROW_SQL && is_key_added(table)) {
        print_quoted(out, key, '\'');
        row.begun = true;
    }
    return row;
}

/* Begins a cell; returns the name of its column. */
static const char *begin_cell(struct pc_row *row)
{
    const char *name = row->next->name;
    assert(name);
    row->next++;
    if (row->form != PC_ROW_JSONL && row->begun)
        fputc(',', row->out);
    row->begun = true;
    return name;
}

void pc_row_text(struct pc_row *row, const char *text)
{
    const char *name = begin_cell(row);
    if (row->form == PC_ROW_JSONL)
        pc_json_text(&row->object, name, text);
    else if (row->form == PC_ROW_SQL)
        print_quoted(row->out, text, '\'');
    else if (strpbrk(text, ",\""))
        print_quoted(row->out, text, '"');
    else
        fputs(text, row->out);
}

void pc_row_number(struct pc_row *row, uint64_t number)
{
    const char *name = begin_cell(row);
    if (row->form == PC_ROW_JSONL)
        pc_json_number(&row->object, name, number);
    else
        fprintf(row->out, "%" PRIu64, number);
}

void pc_row_signed(struct pc_row *row, int32_t number)
{
    const char *name = begin_cell(row);
    if (row->form == PC_ROW_JSONL)
        pc_json_name(&row->object, name);
    fprintf(row->out, "%" PRId32, number);
}

void pc_row_hex(struct pc_row *row, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof(text), "0x%" PRIx64, number);
    pc_row_text(row, text);
}

void pc_row_none(struct pc_row *row)
{
    const char *name = begin_cell(row);
    if (row->form == PC_ROW_JSONL)
        pc_json_null(&row->object, name);
    else if (row->form == PC_ROW_SQL)
        fputs("NULL", row->out);
}

void pc_row_end(struct pc_row *row)
{
    assert(!row->next->name);
    if (row->form == PC_ROW_JSONL)
        pc_json_close(&row->object);
    fputs(row->form == PC_ROW_SQL ? ");\n" : "\n", row->out);
}

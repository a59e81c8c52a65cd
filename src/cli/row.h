/* SPDX-License-Identifier: MIT
 *
 * row.h: rows of tables as CSV (RFC 4180), as lines of JSON, or as SQL that SQLite, DuckDB and PostgreSQL
 * read. Texts come escaped (perfcheck.h): they have no NUL, no control character and no byte that is not
 * UTF-8.
 */
#ifndef PC_ROW_H
#define PC_ROW_H

#include "cli/show.h"

#include <stddef.h>

enum pc_row_form { PC_ROW_CSV, PC_ROW_JSONL, PC_ROW_SQL, PC_ROW_FORMS };

struct pc_column {
    const char *name;
    enum pc_cell {
        PC_CELL_TEXT,
        PC_CELL_NUMBER, /* below 2^63, so that each database has an integer for it */
        PC_CELL_WIDE    /* of 64 bits: what the capture says, or a sum of it */
    } cell;
};

/* The column of the key of a capture. In SQL each table has it: as its first one, unless it is one of those
 * that are listed. */
#define PC_KEY_COLUMN "digest"

struct pc_table {
    const char *name;
    const struct pc_column *column; /* with {NULL} after them */
    const char *order;              /* the column by which the rows of one capture are looked up */
};

struct pc_row {
    FILE *out;
    const struct pc_column *next; /* of the table */
    enum pc_row_form form;
    struct pc_json object;
    bool begun;
};

/* The names of the columns; in SQL, the statements that make the table unless it is there. */
void pc_table_begin(FILE *out, enum pc_row_form form, const struct pc_table *table);

/* In SQL: the statement that removes the rows of this key. */
void pc_table_remove(FILE *out, const struct pc_table *table, const char *key);

/* A row has a cell for each column, in their order. */
struct pc_row pc_row_begin(FILE *out, enum pc_row_form form, const struct pc_table *table, const char *key);
void pc_row_text(struct pc_row *row, const char *text);
void pc_row_number(struct pc_row *row, uint64_t number);
void pc_row_signed(struct pc_row *row, int32_t number);
void pc_row_hex(struct pc_row *row, uint64_t number); /* a text */
void pc_row_none(struct pc_row *row);
void pc_row_end(struct pc_row *row);

#endif

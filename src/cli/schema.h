/* SPDX-License-Identifier: MIT
 *
 * schema.h: the tables of captures, their columns, and the views of a database that has them.
 */
#ifndef PC_SCHEMA_H
#define PC_SCHEMA_H

#include "cli/row.h"

enum { PC_TABLE_RECORDS, PC_TABLE_TYPES, PC_TABLE_PROCESSES, PC_TABLE_RESULTS, PC_TABLE_DIGESTS, PC_TABLES };

extern const struct pc_table pc_tables[PC_TABLES];

/* Statements that replace all views: no database has one that makes a view unless it is there and that the
 * others have too. */
extern const char pc_views[];

#endif

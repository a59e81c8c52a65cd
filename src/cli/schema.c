/* SPDX-License-Identifier: MIT */
#include "cli/schema.h"

static const struct pc_column record_columns[] = {
    { "capture", PC_CELL_TEXT },  { "nr", PC_CELL_NUMBER },   { "stream", PC_CELL_TEXT },
    { "offset", PC_CELL_NUMBER }, { "type", PC_CELL_TEXT },   { "event", PC_CELL_TEXT },
    { "time", PC_CELL_WIDE },     { "pid", PC_CELL_NUMBER },  { "tid", PC_CELL_NUMBER },
    { "cpu", PC_CELL_NUMBER },    { "period", PC_CELL_WIDE }, { "ip", PC_CELL_TEXT },
    { "info", PC_CELL_TEXT },     { NULL, PC_CELL_TEXT },
};

static const struct pc_column type_columns[] = {
    { "capture", PC_CELL_TEXT }, { "type", PC_CELL_TEXT }, { "records", PC_CELL_NUMBER },
    { "bytes", PC_CELL_NUMBER }, { NULL, PC_CELL_TEXT },
};

static const struct pc_column process_columns[] = {
    { "capture", PC_CELL_TEXT }, { "pid", PC_CELL_NUMBER },     { "tid", PC_CELL_NUMBER },
    { "name", PC_CELL_TEXT },    { "mmaps", PC_CELL_NUMBER },   { "forked", PC_CELL_WIDE },
    { "exited", PC_CELL_WIDE },  { "samples", PC_CELL_NUMBER }, { "period", PC_CELL_WIDE },
    { NULL, PC_CELL_TEXT },
};

static const struct pc_column result_columns[] = {
    { "capture", PC_CELL_TEXT }, { "event", PC_CELL_TEXT },     { "comm", PC_CELL_TEXT },
    { "binary", PC_CELL_TEXT },  { "build_id", PC_CELL_TEXT },  { "function", PC_CELL_TEXT },
    { "source", PC_CELL_TEXT },  { "samples", PC_CELL_NUMBER }, { "period", PC_CELL_WIDE },
    { NULL, PC_CELL_TEXT },
};

static const struct pc_column digest_columns[] = {
    { "capture", PC_CELL_TEXT },
    { "digest", PC_CELL_TEXT },
    { NULL, PC_CELL_TEXT },
};

const struct pc_table pc_tables[PC_TABLES] = {
    [PC_TABLE_RECORDS] = { "records", record_columns, "time" },
    [PC_TABLE_TYPES] = { "types", type_columns, "type" },
    [PC_TABLE_PROCESSES] = { "processes", process_columns, "pid" },
    [PC_TABLE_RESULTS] = { "results", result_columns, "binary" },
    [PC_TABLE_DIGESTS] = { "digests", digest_columns, "capture" },
};

const char pc_views[] =
    "DROP VIEW IF EXISTS samples;\n"
    "CREATE VIEW samples AS SELECT digest, capture, nr, event, time, pid, tid, cpu, period, ip\n"
    "  FROM records WHERE type = 'SAMPLE';\n"
    "DROP VIEW IF EXISTS commands;\n"
    "CREATE VIEW commands AS SELECT digest, capture, name, COUNT(*) AS tasks, SUM(mmaps) AS mmaps,\n"
    "  SUM(samples) AS samples, SUM(period) AS period FROM processes GROUP BY digest, capture, name;\n"
    "DROP VIEW IF EXISTS captures;\n"
    "CREATE VIEW captures AS SELECT digest, capture,\n"
    "  SUM(CASE WHEN type LIKE 'COMPRESSED%' THEN 0 ELSE records END) AS records,\n"
    "  SUM(CASE WHEN type LIKE 'COMPRESSED%' THEN 0 ELSE bytes END) AS bytes,\n"
    "  SUM(CASE WHEN type = 'SAMPLE' THEN records ELSE 0 END) AS samples FROM types\n"
    "  GROUP BY digest, capture;\n";

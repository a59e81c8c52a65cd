/* SPDX-License-Identifier: MIT
 *
 * dump.h: a capture field by field: every header, attr, feature and record with offsets, values and
 * what they mean, through the same tables that the check walks. Findings are printed where they belong, and
 * the dump continues. Memory does not grow with the capture.
 */
#ifndef PC_DUMP_H
#define PC_DUMP_H

#include "cli/print.h"

/* Dumps the path ("-": standard input) as text or, when the format is PC_FORMAT_JSONL, one object a line. The
 * scan was prepared with pc_scan_init; its verdict holds afterwards, its findings are printed and not kept.
 */
void pc_dump_path(const struct pc_printer *printer, const char *path, struct pc_scan *scan);

/* The same for scan->in, which the caller has opened. */
void pc_dump_input(const struct pc_printer *printer, const char *path, struct pc_scan *scan);

#endif

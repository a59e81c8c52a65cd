/* SPDX-License-Identifier: MIT
 *
 * print.h: the result of a scan, as text for people and as JSON for programs. Output depends on the input
 * alone: no clock, no locale.
 */
#ifndef PC_PRINT_H
#define PC_PRINT_H

#include <stdio.h>

#include "check/scan.h"
#include "write/rewrite.h"

enum pc_format { PC_FORMAT_TEXT, PC_FORMAT_JSON, PC_FORMAT_JSONL };

struct pc_printer {
    enum pc_format format;
    FILE *out, *err;
    bool quiet;
    bool notes;                   /* text: notes are shown too */
    bool colour;                  /* text */
    uint64_t printed;             /* captures so far */
    struct pc_progress *progress; /* NULL: none is shown */
};

/* Before the first and after the last capture. */
void pc_print_begin(struct pc_printer *printer);
void pc_print_end(struct pc_printer *printer);

/* The findings and the verdict of one capture. */
void pc_print_check(struct pc_printer *printer, const char *path, const struct pc_scan *scan);

/* To err: findings of at least this severity, and all of a rewriter. False: the input is no
 * capture, and that was printed instead. */
bool pc_print_findings(const struct pc_printer *printer, const char *path, const struct pc_scan *scan,
                       enum pc_severity least);

/* Prints messages and findings of a rewriter to err. */
struct pc_tell pc_print_tell(struct pc_printer *printer);

/* What the capture is (info.c). */
void pc_print_info(const struct pc_printer *printer, const char *path, const struct pc_scan *scan);

/* Prints the capture as one JSON object. info: with the members that only the command `info` shows. */
void pc_print_json(FILE *out, const char *path, const struct pc_scan *scan, bool info);

/* The same with the last finding of the report. */
bool pc_print_nothing(const struct pc_printer *printer, const char *path, const struct pc_scan *scan);

/* Prints one line about an input that is no capture or could not be read: its last finding, if there is one.
 * False: it is a capture, and nothing was printed. */
bool pc_print_no_capture(const struct pc_printer *printer, const char *path, const struct pc_scan *scan,
                         const struct pc_finding *last);

/* The last line about a capture. */
void pc_print_verdict(const struct pc_printer *printer, const char *path, const struct pc_scan *scan);

#endif

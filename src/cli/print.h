/* SPDX-License-Identifier: MIT
 *
 * print.h: what a handle knows of a capture, as text for people and as JSON for programs. Output depends on
 * the input alone: no clock, no locale.
 */
#ifndef PC_PRINT_H
#define PC_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "perfcheck.h"

enum pc_status {
    PC_STATUS_GOOD,
    PC_STATUS_FINDINGS, /* also: refused, different, no capture */
    PC_STATUS_TROUBLE,  /* the work could not be done */
};

/* Those after JSONL are of check alone (forms.c). */
enum pc_format {
    PC_FORMAT_TEXT,
    PC_FORMAT_JSON,
    PC_FORMAT_JSONL,
    PC_FORMAT_GITHUB,
    PC_FORMAT_GITLAB,
    PC_FORMAT_JUNIT,
    PC_FORMAT_MARKDOWN,
    PC_FORMAT_SARIF,
    PC_FORMATS
};

#define PC_RULES_MAX 2048 /* ids of findings; the numbers in them are below */

struct pc_printer {
    enum pc_format format;
    FILE *out, *err;
    bool quiet;
    bool notes;              /* text: notes are shown too */
    bool all;                /* text: all findings that follow from the cause, or are equal, are shown */
    bool folds;              /* text of a rewrite: equal findings about the copy are one line, too */
    bool colour;             /* text */
    uint64_t printed;        /* captures so far; of forms.c: findings */
    bool trouble;            /* SARIF: a capture could not be read */
    int error;               /* why not all arrived that was printed; 0: not known */
    bool used[PC_RULES_MAX]; /* SARIF: ids that results had, by the number in them */
};

/* Before the first and after the last capture. */
void pc_print_begin(struct pc_printer *printer);
void pc_print_end(struct pc_printer *printer);

/* The findings and the verdict of one capture. */
void pc_print_check(struct pc_printer *printer, const char *path, perfcheck_t *pc);

/* The command to run next on a capture with errors; pc_hint says false if it has none. The longest fits. It
 * may take a trial of a salvage. */
#define PC_HINT_MAX 20000
struct pc_hint {
    char command[PC_HINT_MAX];
    uint64_t saves; /* records in the copy of a salvage; 0: not known */
};
bool pc_hint(perfcheck_t *pc, const char *path, struct pc_hint *hint);

/* The message of a finding that ends with the command to run next, with the path in that; false: it does not.
 */
bool pc_hint_in_message(const perfcheck_finding_t *f, const char *path, char message[PC_HINT_MAX]);

/* Whether the first error asks for a salvage, which is not tried. */
bool pc_hint_salvages(perfcheck_t *pc);

/* To err: that an unfinished capture grows, or which process writes to it (live.c). */
void pc_print_live(const struct pc_printer *printer, const char *path, perfcheck_t *pc);

/* The same of a file that had this size when it was opened, whatever it holds. */
void pc_print_live_file(const struct pc_printer *printer, const char *path, uint64_t size);

/* To err: findings of at least this severity, and all about copies. False: the input is no capture, and that
 * was printed instead. */
bool pc_print_findings(const struct pc_printer *printer, const char *path, perfcheck_t *pc,
                       perfcheck_severity_t least);

/* Messages and findings of rewrites go to err. */
void pc_print_listen(struct pc_printer *printer, perfcheck_t *pc);

/* What the capture is (info.c). */
void pc_print_info(const struct pc_printer *printer, const char *path, perfcheck_t *pc);

/* Features whose text it shows, by the names that it gives them; the last one is NULL. */
struct pc_info_text {
    const char *name, *feature;
};
extern const struct pc_info_text pc_info_texts[];

/* Prints the capture as one JSON object. info: with the members that only the command `info` shows. */
void pc_print_json(FILE *out, const char *path, perfcheck_t *pc, bool info);

/* Where errors go. What was printed before is written first: both may be one file. */
FILE *pc_print_err(const struct pc_printer *printer);

/* To err: one line about an input that is no capture or could not be read: the first finding that is kept.
 * False: it is a capture, and nothing was printed. */
bool pc_print_no_capture(const struct pc_printer *printer, const char *path, perfcheck_t *pc);

/* The same line of another finding. */
void pc_print_why(const struct pc_printer *printer, const char *path, const perfcheck_finding_t *why);

/* The last line about a capture. */
void pc_print_verdict(const struct pc_printer *printer, const char *path, perfcheck_t *pc);

/* Prints a capture field by field, as text or, when the format is PC_FORMAT_JSONL, one object a line
 * (dump.c). The capture is opened, and stays open: these bytes, or the path when they are NULL. False: there
 * was no memory for some of it. */
bool pc_print_dump(const struct pc_printer *printer, const char *path, perfcheck_t *pc, const void *bytes,
                   size_t size);

/* The exit status of a command that shows a capture: good also for a damaged one. */
enum pc_status pc_status_shown(perfcheck_t *pc);

#endif

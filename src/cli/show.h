/* SPDX-License-Identifier: MIT
 *
 * show.h: pieces of output that several commands share: names, escaped text, JSON that is printed
 * member by member.
 */
#ifndef PC_SHOW_H
#define PC_SHOW_H

#include <stdbool.h>
#include <stdio.h>

#include "perfcheck.h"

/* A text that may hold any bytes, such as a path. What a CI service would take for a command is escaped too.
 */
void pc_print_escaped(FILE *out, const char *text);

/* The same of a text that the library has escaped. */
void pc_print_message(FILE *out, const char *message);

/* Undoes it in place. */
void pc_unescape(char *text);

const char *pc_severity_name(perfcheck_severity_t severity);

/* "valid", "invalid" or "unreadable". */
const char *pc_verdict_name(perfcheck_verdict_t verdict);

/* "little" or "big". */
const char *pc_order_name(const perfcheck_summary_t *sum);

/* How many times larger the content of compressed records is, in hundredths. */
uint64_t pc_ratio_of(const perfcheck_summary_t *sum);

/* "s" unless there is one of it. */
const char *pc_plural(uint64_t n);

/* Copies a text into `size` bytes. What does not fit ends before a character, never in one. */
void pc_copy_text(char *to, size_t size, const char *text);

/* To err: "perfcheck: DOING ABOUT: WHAT: WHY". doing is "" or ends where about begins, why may be NULL; about
 * may hold any bytes. */
void pc_print_about(FILE *err, const char *doing, const char *about, const char *what, const char *why);

/* Where a finding is in its member: "0x1f40"; "0x1f40+0x8" in the content of a compressed record there. */
void pc_print_offset(FILE *out, const perfcheck_finding_t *f);

/* How many captures have each verdict: ": 1 valid, 0 invalid, 0 unreadable". */
void pc_print_verdicts(FILE *out, const uint64_t verdicts[PERFCHECK_UNREADABLE + 1]);

/* How many findings of the baseline there are, if any: ", 3 accepted". */
void pc_print_accepted(FILE *out, perfcheck_t *pc);

/* Nanoseconds: "1.000000001 s". */
void pc_print_seconds(FILE *out, uint64_t ns);

/* The entry of a list that has this name; NULL: there is none. */
const perfcheck_entry_t *pc_entry(perfcheck_t *pc, perfcheck_list_t list, const char *name);

/* What this feature says of the writer and its machine. META_INFO: that it was simpleperf, and its version,
 * also where that feature has none, or did not come. NULL: nothing. */
const char *pc_writer_text(perfcheck_t *pc, const char *name);

/* An object or array of JSON that is printed member by member, so that a long one is never held as a whole.
 */
struct pc_json {
    FILE *out;
    bool compact; /* without spaces */
    char end;     /* the bracket */
    bool first;
};

/* begin: '{' or '['. `_in` is a member of another one. */
struct pc_json pc_json_open(FILE *out, char begin, bool compact);
struct pc_json pc_json_open_in(struct pc_json *outer, const char *name, char begin, bool compact);
void pc_json_close(struct pc_json *json);

/* Begin a member, whose value is printed next, and print whole ones. name is NULL in an array. Numbers above
 * 2^53 are strings: programs that hold numbers as doubles keep integers up to there exactly. */
void pc_json_name(struct pc_json *json, const char *name);
void pc_json_null(struct pc_json *json, const char *name);
void pc_json_number(struct pc_json *json, const char *name, uint64_t n);
void pc_json_text(struct pc_json *json, const char *name, const char *text); /* NULL: null */
/* A path, which may hold any bytes (json.c). */
void pc_json_path(struct pc_json *json, const char *name, const char *path);
/* The same with short escapes (\n): for names and texts of a whole capture. */
void pc_json_short_text(struct pc_json *json, const char *name, const char *text);
/* An array of the elements of a list with ", " between them, without the word that each begins with. */
void pc_json_list(struct pc_json *json, const char *name, const char *list, const char *word);
void pc_json_finding(struct pc_json *json, const perfcheck_finding_t *f);
/* What a finding means in general: perfcheck_explain. */
void pc_json_explanation(struct pc_json *json, const perfcheck_finding_t *f);
/* The same, for more members. */
struct pc_json pc_json_open_finding(struct pc_json *json, const perfcheck_finding_t *f);

/* Findings by severity (json.c). */
void pc_json_counts(struct pc_json *object, perfcheck_t *pc, bool compact);

#endif

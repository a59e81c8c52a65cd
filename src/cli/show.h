/* SPDX-License-Identifier: MIT
 *
 * show.h: pieces of output that several commands share: escaped text, JSON that is printed member by member.
 */
#ifndef PC_SHOW_H
#define PC_SHOW_H

#include <jansson.h>
#include <stdio.h>

#include "lib/describe.h"

void pc_print_escaped(FILE *out, const char *text);

/* Numbers above PC_JSON_EXACT are strings. */
json_t *pc_json_number(uint64_t n);
json_t *pc_json_string(const char *text);

/* The same without an object in memory: numbers, text that is UTF-8, a finding. */
void pc_print_json_number(FILE *out, uint64_t n);
void pc_print_json_string(FILE *out, const char *text);
void pc_print_json_finding(FILE *out, const struct pc_finding *f);

/* An object or array that is printed member by member, so that a long one is never held as a whole. */
struct pc_stream {
    FILE *out;
    bool first;
};

struct pc_stream pc_stream_open(FILE *out, char bracket);
void pc_stream_key(struct pc_stream *s, const char *name);
/* Prints the value and gives it back; name is NULL in an array. */
void pc_stream_member(struct pc_stream *s, const char *name, json_t *value);

#endif

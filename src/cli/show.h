/* SPDX-License-Identifier: MIT
 *
 * show.h: pieces of output that several commands share: text in a buffer of fixed size, places and
 * messages of findings, JSON that is printed member by member. All that comes from a capture is escaped.
 */
#ifndef PC_SHOW_H
#define PC_SHOW_H

#include <jansson.h>
#include <stdio.h>

#include "report/diag.h"
#include "format/tables.h"

/* Room for a message, or for a path of the file system with every byte escaped. */
#define PC_BUFFER_MAX 20000

/* Text; what does not fit is left out. */
struct pc_buffer {
    char text[PC_BUFFER_MAX];
    size_t len;
};

void pc_buffer_init(struct pc_buffer *b);
void pc_put(struct pc_buffer *b, const char *text);
__attribute__((format(printf, 2, 3))) void pc_put_format(struct pc_buffer *b, const char *format, ...);

/* Text that may hold any bytes. plain: for people, without control characters. */
void pc_put_escaped(struct pc_buffer *b, const char *text, bool plain);
void pc_print_escaped(FILE *out, const char *text);

const char *pc_severity_name(enum pc_severity severity);

/* "s" unless there is one of it. */
const char *pc_plural(uint64_t n);

/* The name of a feature, or BIT_n. */
void pc_put_bit(struct pc_buffer *b, uint64_t bit);

/* The stream that offsets count in: data, data.3, data/records[17] for what a compressed record holds. */
void pc_put_stream(struct pc_buffer *b, const struct pc_where *where, bool plain);

/* entries[3].id */
void pc_put_steps(struct pc_buffer *b, const struct pc_step *path, size_t depth);

/* The place in the whole capture: records[17].entries[3].id. */
void pc_put_path(struct pc_buffer *b, const struct pc_finding *f);

/* The row's template with field and values filled in, behind the place as people say it ("record #17 MMAP: ")
 * or without that. */
void pc_put_message(struct pc_buffer *b, const struct pc_finding *f, bool plain);
void pc_put_plain_message(struct pc_buffer *b, const struct pc_finding *f, bool plain);

/* Programs that hold numbers as doubles keep 2^53 exactly; larger ones are strings. */
#define PC_JSON_EXACT ((uint64_t)1 << 53)
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

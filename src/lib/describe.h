/* SPDX-License-Identifier: MIT
 *
 * describe.h: findings in words: place, path, values, message; text in a buffer of fixed size. All that comes
 * from a capture is escaped.
 */
#ifndef PC_DESCRIBE_H
#define PC_DESCRIBE_H

#include "report/diag.h"

/* Room for a message, or for a path of the file system with every byte escaped. */
#define PC_BUFFER_MAX 20000

/* Programs that hold numbers as doubles keep integers up to 2^53 exactly. */
#define PC_JSON_EXACT ((uint64_t)1 << 53)

/* Text; what does not fit is left out. */
struct pc_buffer {
    char text[PC_BUFFER_MAX];
    size_t len;
};

/* Empties the buffer, and returns its text. */
const char *pc_buffer_init(struct pc_buffer *b);
void pc_put(struct pc_buffer *b, const char *text);
__attribute__((format(printf, 2, 3))) void pc_put_format(struct pc_buffer *b, const char *format, ...);

/* Text that may hold any bytes; NULL: none. plain: for people, without control characters. */
void pc_put_escaped(struct pc_buffer *b, const char *text, bool plain);

/* Returns false, and puts into `why` what is wrong with a value, and what was probably meant. value, like:
 * NULL for none. */
bool pc_refuse(struct pc_buffer *why, const char *what, const char *value, const char *like);

/* Escapes as many bytes of the text as surely fit into `to`, but neither parts of a character nor of an
 * escape; returns how many. size: 33 at least. */
size_t pc_escape_some(const char *text, bool plain, char *to, size_t size);

/* The stream that offsets count in: data, data.3, data/records[17] for what a compressed record holds. */
void pc_put_stream(struct pc_buffer *b, const struct pc_where *where, bool plain);

/* entries[3].id */
void pc_put_steps(struct pc_buffer *b, const struct pc_step *path, size_t depth);

/* The place in the whole capture: records[17].entries[3].id. */
void pc_put_path(struct pc_buffer *b, const struct pc_finding *f);

/* A value seen or expected. */
void pc_put_value(struct pc_buffer *b, const struct pc_value *value, bool plain);

/* The row's message with field and values, after the place ("record #17 MMAP: "). Returns it without that. */
const char *pc_put_message(struct pc_buffer *b, const struct pc_finding *f, bool plain);

/* The row's message with ... in place of field and values. */
void pc_put_template(struct pc_buffer *b, const struct pc_diag_info *info);

#endif

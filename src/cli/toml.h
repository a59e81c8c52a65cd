/* SPDX-License-Identifier: MIT
 *
 * toml.h: the part of TOML that policies need: tables, and keys with texts, integers, booleans, and arrays of
 * these. What it takes means what TOML 1.0 says; other TOML is refused by name.
 */
#ifndef PC_TOML_H
#define PC_TOML_H

#include <stdbool.h>
#include <stddef.h>

#define PC_TOML_KEYS_MAX 256 /* keys and tables */

enum pc_toml_kind { PC_TOML_TEXT, PC_TOML_INTEGER, PC_TOML_BOOLEAN, PC_TOML_ARRAY };

struct pc_toml_value {
    enum pc_toml_kind kind; /* PC_TOML_ARRAY: one without elements */
    const char *text;       /* "true" and "false" too */
    bool in_array;          /* it is an element of one */
};

/* Receives a key of a table ("": before the first one) with its value, once for each element if that is an
 * array, at its line; or, with no key and no value, the name of a table. False: it does not take it, and has
 * said why. */
typedef bool pc_toml_take(void *ctx, unsigned line, const char *table, const char *key,
                          const struct pc_toml_value *value);

/* Reads `size` bytes of text. room: at least 2 * size + 2 bytes, in which the texts that are passed on stay.
 * False: at *line something is not right, which *why says; *why is NULL if `take` said it. */
bool pc_toml_read(const char *text, size_t size, char *room, pc_toml_take *take, void *ctx, unsigned *line,
                  const char **why);

#endif

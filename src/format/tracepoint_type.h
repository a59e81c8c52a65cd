/* SPDX-License-Identifier: MIT
 *
 * tracepoint_type.h: the types of fields in format texts, as C writes them.
 */
#ifndef PC_TRACEPOINT_TYPE_H
#define PC_TRACEPOINT_TYPE_H

#include "format/tracepoint.h"

/* What the words of a type say. */
struct pc_tp_type {
    bool pointer, composite, other, integer, is_char, is_mask;
    bool tag, keyword;            /* struct, union or enum; one of C's own words for integers ... */
    const unsigned char *strange; /* ... and a word that cannot stand beside those */
    unsigned longs, named;        /* `named`: width of a type of the table, or 0 */
};

/* Adds what a word says. long_size: bytes of a long of the recorder. */
void pc_tp_see_word(struct pc_tp_type *type, const struct pc_tp_name *word, unsigned long_size);

/* Bytes of one value of the type; 0: not known. */
unsigned pc_tp_width(const struct pc_tp_type *type, unsigned long_size);

#endif

/* SPDX-License-Identifier: MIT
 *
 * value.h: the value of one field and what it means to people: flags and values by the names
 * in its row, ids by their event, text escaped, bytes in hex and not without end.
 */
#ifndef PC_VALUE_H
#define PC_VALUE_H

#include "read/reader.h"
#include "lib/describe.h"

#define PC_BYTES_SHOWN 64 /* of bytes without a meaning */

struct pc_shown {
    bool keep_controls; /* in text */
    const struct pc_capture *capture;
    const struct pc_item *item;        /* in which the field stands ... */
    const struct pc_record_info *info; /* ... its type, when it is a record; NULL: not known */
    bool in_head;                      /* the field is of the record header */

    const char *type; /* uint, int, double, bits, text, bytes */
    struct pc_buffer value, meaning;
};

/* Fills the lower part from a leaf, or from bytes that no table explains (all: how many there are). */
void pc_show_leaf(struct pc_shown *shown, const struct pc_leaf *leaf);
void pc_show_bytes(struct pc_shown *shown, struct pc_span bytes, uint64_t all, const char *meaning);

/* The bits of misc by the names that they have in this type of record. */
void pc_put_misc(struct pc_buffer *b, const struct pc_record_info *info, uint16_t misc);

#endif

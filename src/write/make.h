/* SPDX-License-Identifier: MIT
 *
 * make.h: makes the bytes of a structure from the values of its rows, by a walk over its table.
 */
#ifndef PC_MAKE_H
#define PC_MAKE_H

#include "format/field.h"

struct pc_make {
    enum pc_order order;
    /* By the slot that a row saves: integers, and the bytes of texts, strings and the like, which are filled
     * up with zeros. Rows without a slot have PC_SLOT_NONE's; a frame has that of its count. */
    uint64_t slot[PC_SLOTS];
    struct pc_span bytes[PC_SLOTS];
    /* Fills them in for an element of an array; NULL when the table has none. */
    void (*element)(struct pc_make *make, const struct pc_field *array, uint64_t index);
    const void *ctx;    /* for `element` */
    unsigned char *out; /* NULL: the bytes are only counted */
    size_t len;
};

/* Appends a structure to `out`. Its table has rows of PC_UINT, PC_ORDER, PC_BYTES, PC_TEXT, PC_HSTR, PC_ZSTR,
 * PC_LITERAL, PC_FRAME and PC_REPEAT, all of them present. An integer in front of the PC_TEXT that it counts
 * is the length of that. */
void pc_make_table(struct pc_make *make, const struct pc_field *table);

#endif

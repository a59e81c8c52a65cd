/* SPDX-License-Identifier: MIT
 *
 * signs.h: signs in the bytes of a capture that it was transferred as text: line ends, characters that were
 * stripped, changed or left out, a character set.
 */
#ifndef PC_SIGNS_H
#define PC_SIGNS_H

#include "base/base.h"

/* So many bytes are looked at, unless they show signs. */
#define PC_SIGNS_MAX ((size_t)1 << 20)

struct pc_signs {
    uint64_t bytes;
    uint64_t count[256]; /* of each value */
    uint64_t returned;   /* line feeds after a carriage return */
    uint64_t sequences;  /* of UTF-8, with more than one byte ... */
    uint64_t not_latin;  /* ... and those that are no character of Latin-1 */
    bool not_utf_8;
    unsigned char last;
    unsigned expected; /* bytes that end the sequence */
};

/* The bytes follow those that were added before; no more than `most` are looked at. */
void pc_signs_add(struct pc_signs *signs, struct pc_span bytes, uint64_t most);

/* Where lines of text are in these bytes that begin at `here` or before it; false: nowhere. */
bool pc_signs_find_lines(struct pc_span bytes, size_t here, size_t *from, size_t *to);

#endif

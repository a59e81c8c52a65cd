/* SPDX-License-Identifier: MIT
 *
 * convert_leaf.h: among the files of convert.h: one leaf in canonical bytes.
 */
#ifndef PC_CONVERT_LEAF_H
#define PC_CONVERT_LEAF_H

#include "write/convert.h"

/* Whether integers keep their byte order. */
bool pc_convert_same_order(const struct pc_convert *c);

/* Ends the conversion; returns false. */
bool pc_convert_stop(struct pc_convert *c, enum pc_outcome outcome, size_t at, size_t len,
                     const char *reason);

/* Bytes that no table explains: zeros mean the same in both orders. False: the conversion ends. */
bool pc_convert_may_keep(struct pc_convert *c, struct pc_span bytes, size_t at);

/* How many of the leaf's bytes are content; those after them become zero. Not for strings with a length. */
size_t pc_convert_content_of(const struct pc_leaf *leaf);

/* The canonical bytes of a leaf whose size stays, which the caller has copied to `to`. */
void pc_convert_store_leaf(struct pc_convert *c, const struct pc_leaf *leaf, unsigned char *to);

#endif

/* SPDX-License-Identifier: MIT
 *
 * gzip.h: the first bytes that a gzip file (RFC 1952) holds, to tell what it is. It needs no memory.
 */
#ifndef PC_GZIP_H
#define PC_GZIP_H

#include "base/base.h"

/* Decompresses from the beginning of a file of which `in` has the first bytes, to at most `room` bytes.
 * Returns how many there are: up to where `in` ends, or the first member, or what is damaged begins. */
size_t pc_gunzip_start(struct pc_span in, unsigned char *to, size_t room);

/* The same of what such a member, or that of a zip archive, holds as "deflate" alone (RFC 1951). */
size_t pc_inflate_start(struct pc_span in, unsigned char *to, size_t room);

#endif

/* SPDX-License-Identifier: MIT
 *
 * reader.h: a capture as a stream of items, front to back: header, attrs, features, records,
 * bytes after records, end. The reader finds the structure, updates the capture model before it hands out
 * an item, and reports what is wrong with the structure; whether the content is right is not its business.
 * After damage it goes on at the next place where records can be recognised.
 *
 * A file is read in the order of understanding (attrs and features before the records, wherever they
 * lie), a pipe in the order it comes. Records pass through one window of fixed size.
 */
#ifndef PC_READER_H
#define PC_READER_H

#include "read/state.h"

/* What a capture may take: the defaults. */
void pc_limits_init(struct pc_limits *limits);

/* Prepares to read the opened input. Nothing is read before the first pc_reader_next. */
void pc_reader_init(struct pc_reader *reader, struct pc_input *in, struct pc_mem *mem,
                    struct pc_report *report, struct pc_capture *capture, const struct pc_limits *limits);
void pc_reader_clear(struct pc_reader *reader);

/* The next item; false when there is none (the item before was PC_ITEM_END, or the input is no capture). */
bool pc_reader_next(struct pc_reader *reader, struct pc_item *item);

/* Bytes of a file from any place, for those who show what the reader did not have to look at; returns how
 * many there are, 0 in a stream. */
size_t pc_reader_look(struct pc_reader *reader, uint64_t offset, unsigned char *to, size_t n);

/* All n of them, or false. Where the file has them, but no longer gives them, that is a finding: else
 * a copy would lack them without notice. */
bool pc_reader_look_whole(struct pc_reader *reader, uint64_t offset, unsigned char *to, size_t n);

#endif

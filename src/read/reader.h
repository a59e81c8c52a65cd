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

/* The bytes that are there already, from the current place on, when the next item would be a record; else
 * none. They are valid until the next item. */
struct pc_span pc_reader_ahead(const struct pc_reader *reader);

/* Passes so many records of the kernel that lie one after the other ahead, of known types and with sound
 * sizes; `bytes` are all of theirs. *item: the last of them, as pc_reader_next would have returned it. */
void pc_reader_pass(struct pc_reader *reader, uint64_t nr, size_t bytes, size_t last_size,
                    struct pc_item *item);

/* The next item, when it is a record like those of pc_reader_pass; false: ask pc_reader_next. */
bool pc_reader_take(struct pc_reader *reader, struct pc_item *item);
/* The same, when it is known to be one of those. follows: *item is still the record right before, which is of
 * the same type; true when the stream is the same, too. */
bool pc_reader_take_known(struct pc_reader *reader, bool follows, struct pc_item *item);

/* Bytes of a file from any place, for those who show what the reader did not have to look at; returns how
 * many there are, 0 in a stream. */
size_t pc_reader_look(struct pc_reader *reader, uint64_t offset, unsigned char *to, size_t n);

/* The same of the stream that is read now, for those who look at many places around damage: bytes that the
 * reader still has are not read again. */
size_t pc_reader_look_back(struct pc_reader *reader, uint64_t offset, unsigned char *to, size_t n);

/* Of a directory: pc_reader_look and findings are about this stream from here on. False: it is not there any
 * more. */
bool pc_reader_return(struct pc_reader *reader, uint32_t stream);

/* All n of them, or false. Where the file has them, but no longer gives them, that is a finding: else
 * a copy would lack them without notice. */
bool pc_reader_look_whole(struct pc_reader *reader, uint64_t offset, unsigned char *to, size_t n);

#endif

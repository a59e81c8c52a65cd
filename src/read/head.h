/* SPDX-License-Identifier: MIT
 *
 * head.h: header, attrs and features of a file.
 */
#ifndef PC_HEAD_H
#define PC_HEAD_H

#include "read/state.h"

/* Makes r->section hold size bytes, those of the stream from offset; false after saying why it can't. */
bool pc_reader_section_room(struct pc_reader *r, uint64_t offset, uint64_t size);

/* What adding an id to the map came to; record: the HEADER_ATTR it stands in, or NULL. */
void pc_reader_say_id(struct pc_reader *r, enum pc_id_outcome outcome, uint32_t attr, uint64_t i, uint64_t id,
                      uint32_t other, uint64_t offset, const struct pc_item *record);

/* The header: everything that it says is checked against the input. False: there is no capture to read. */
bool pc_reader_open_capture(struct pc_reader *r, struct pc_item *item);

/* The next entry of the attr section, or feature section, of a file; false: there is none. */
bool pc_reader_next_attr(struct pc_reader *r, struct pc_item *item);
bool pc_reader_next_feature(struct pc_reader *r, struct pc_item *item);

#endif

/* SPDX-License-Identifier: MIT
 *
 * compressed.h: compressed records, opened into a window of their own.
 */
#ifndef PC_COMPRESSED_H
#define PC_COMPRESSED_H

#include "read/state.h"

/* The offset that findings tell of a place in the current window; where the report places them is set. */
uint64_t pc_reader_place(struct pc_reader *r, uint64_t pos);

/* Begins with the content of a compressed record; the stage changes when there is any. */
void pc_reader_open_content(struct pc_reader *r, const struct pc_item *item);
/* The current window is that of the stream again, and offsets count there. */
void pc_reader_leave_content(struct pc_reader *r);
/* The size of the compressed record at the current place of the stream, where a known defect of perf made its
 * size field wrong; 0: the field is right. */
size_t pc_reader_size_wrapped(struct pc_reader *r);
/* The end of the record, and of the stream. */
void pc_reader_close_content(struct pc_reader *r);
void pc_reader_end_content(struct pc_reader *r);

#endif

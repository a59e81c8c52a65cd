/* SPDX-License-Identifier: MIT
 *
 * header.h: what the header of a file says of its sections.
 */
#ifndef PC_READ_HEADER_H
#define PC_READ_HEADER_H

#include "read/state.h"

/* The word of the header in r->file.head that a walk of pc_file_header saves in this slot. */
uint64_t pc_reader_head_word(const struct pc_reader *r, unsigned slot);
/* Reports something about that word. */
void pc_reader_say_header(struct pc_reader *r, enum pc_diag id, unsigned slot, struct pc_value seen,
                          struct pc_value expected);

/* Checks all sections of the file whose header is in r->file.head, and sets where its attrs, features and
 * records are read. */
void pc_reader_open_sections(struct pc_reader *r);

#endif

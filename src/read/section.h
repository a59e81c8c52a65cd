/* SPDX-License-Identifier: MIT
 *
 * section.h: the bytes of one section of a file, and the table of those of features.
 */
#ifndef PC_READ_SECTION_H
#define PC_READ_SECTION_H

#include "read/state.h"

/* Makes r->file.section hold size bytes, those of the stream from offset; false after saying why it can't. */
bool pc_reader_section_room(struct pc_reader *r, uint64_t offset, uint64_t size);
/* Reads them there; false and a finding when that cannot be. */
bool pc_reader_read_section(struct pc_reader *r, uint64_t offset, uint64_t size);

/* Offset and size of a section, in bytes that a walk of pc_section reads. */
void pc_load_section(struct pc_span raw, enum pc_order order, uint64_t *offset, uint64_t *size);
/* Those of an entry of the feature table; false: it cannot be read, which is reported. */
bool pc_reader_table_slot(struct pc_reader *r, uint64_t slot, uint64_t *offset, uint64_t *size);

/* The next feature section of a file; false: there is none. */
bool pc_reader_next_feature(struct pc_reader *r, struct pc_item *item);

#endif

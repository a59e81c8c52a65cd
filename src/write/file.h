/* SPDX-License-Identifier: MIT
 *
 * file.h: the canonical file.
 */
#ifndef PC_WRITE_FILE_H
#define PC_WRITE_FILE_H

#include "write/writer.h"

/* What comes before the records; the header is zeros until the end. */
void pc_writer_file_front(struct pc_writer *w);
/* The features after the records, and the header. */
void pc_writer_file_end(struct pc_writer *w);

#endif

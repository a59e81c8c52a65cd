/* SPDX-License-Identifier: MIT
 *
 * resync.h: where the next record begins after damage.
 */
#ifndef PC_RESYNC_H
#define PC_RESYNC_H

#include "read/window.h"

/* The record header at the current place is wrong: reports it and goes on at the next place where records can
 * be recognised. Returns 0; or of how many bytes the record is, when only its size is wrong, and later bytes
 * cannot be read without it. */
size_t pc_reader_damaged(struct pc_reader *r, enum pc_diag id, uint32_t type, uint64_t seen,
                         uint64_t expected);
/* Whether nothing that is a record begins at the current place, for this reason, but records go on from a
 * place inside the last one: reports that the size of that is wrong, and goes on there. */
bool pc_reader_go_back(struct pc_reader *r, enum pc_diag id);
/* The record at the current place, of so many bytes, becomes no item. */
void pc_reader_leave_out(struct pc_reader *r, uint32_t type, size_t size);
/* Where the next record begins is not known: goes on where one can be recognised. */
void pc_reader_skip_doubtful(struct pc_reader *r);
/* The content of compressed records ended inside a record. When other records lead from a place in it to the
 * very end, its size is wrong: reports it, goes on there and returns true. */
bool pc_reader_resume_content(struct pc_reader *r);
/* A size that breaks the grid of 8 bytes, or that of an unknown type, is followed only when it leads to
 * another record. Else the record is damage: returns what to call it, or PC_NO_DIAG when there is no doubt.
 */
enum pc_diag pc_reader_doubtful_size(struct pc_reader *r, const struct pc_record_head *head, size_t have);

/* Whether the content of the record at the current place, all of which is there, ends elsewhere than its size
 * says, and records go on there: reports it, sets *size and goes on there. False: the record is one, of *size
 * bytes, as is one with a wrong size without which later bytes cannot be read. */
bool pc_reader_wrong_size(struct pc_reader *r, const struct pc_record_head *head, size_t *size);

#endif

/* SPDX-License-Identifier: MIT
 *
 * follow.h: whether records follow each other.
 */
#ifndef PC_READ_FOLLOW_H
#define PC_READ_FOLLOW_H

#include "read/state.h"

/* Whether records follow each other from a place on, and the first is as its table says, unless it is perf's:
 * small numbers and zeros may look like headers at odd places, again and again. The work is bounded; after
 * that the headers count alone. */
bool pc_records_begin(struct pc_reader *r, size_t at, size_t have);

/* Whether the record that begins at the current place ends where its content does: records follow each other
 * from there, as far as there are any. The last may be cut off. */
bool pc_records_follow(struct pc_reader *r, size_t at);

/* Whether records lead from a place to another one, or nobody may look any more. */
bool pc_records_lead(struct pc_reader *r, size_t at, size_t end);

/* Of any record, so many bytes tell how far it reaches. */
#define PC_RECORD_HEAD 64

#endif

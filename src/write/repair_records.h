/* SPDX-License-Identifier: MIT
 *
 * repair_records.h: the records of attrs with which a pipe begins, as EVENT_DESC repeats them: what is left
 * of them.
 */
#ifndef PC_REPAIR_RECORDS_H
#define PC_REPAIR_RECORDS_H

#include "write/repair_desc.h"

/* Whether headers lead from a place to another one. */
bool pc_repair_records_lead(struct pc_desc *desc, uint64_t from, uint64_t to);

/* The header of the record of an event. */
void pc_repair_store_head(const struct pc_desc *desc, size_t i, unsigned char *head);

/* Whether the record of an event, due at this place, was lost, and others are there: nothing is written over
 * these. */
bool pc_repair_record_is_lost(struct pc_desc *desc, size_t i, uint64_t at);

/* Whether zeros, and nothing else, stand for some of these records, which ended here, and for the type of the
 * record that followed them, in front of the feature. */
bool pc_repair_records_are_zeros(struct pc_desc *desc, uint64_t end);

/* Whether these records are behind the header of a pipe, with zeros for some of their bytes, and others lead
 * from them to the feature. */
bool pc_repair_records_begin(struct pc_desc *desc);

#endif

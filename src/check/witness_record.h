/* SPDX-License-Identifier: MIT
 *
 * witness_record.h: whether two records have the same content, compared by their tables: leaf by leaf where
 * their places are the same, else by their plain forms (plain.h).
 */
#ifndef PC_WITNESS_RECORD_H
#define PC_WITNESS_RECORD_H

#include "base/base.h"
#include "check/plain.h"
#include "read/item.h"

/* Whether the canonical record `made`, in the order `to`, has the content of the record. by_plan: its plan
 * found it sound. plain: two of them, initialised. */
bool pc_witness_record(struct pc_plain plain[2], struct pc_capture *capture, const struct pc_item *record,
                       bool by_plan, struct pc_span made, enum pc_order to);

/* Whether two records of two captures have the same content. */
bool pc_witness_same(struct pc_plain plain[2], struct pc_capture *a, const struct pc_item *left,
                     struct pc_capture *b, const struct pc_item *right);

#endif

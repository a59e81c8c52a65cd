/* SPDX-License-Identifier: MIT
 *
 * plan.h: a record table compiled for one layout. A plan answers one question fast: would a walk of this
 * record find no defect? It is made from the table: runs of fields without a rule become one length. When it
 * says no, a walk tells what is wrong.
 */
#ifndef PC_PLAN_H
#define PC_PLAN_H

#include "base/base.h"
#include "format/tables.h"
#include "base/mem.h"

struct pc_plan;

/* The plan of a record type under a layout; NULL when the table has rows that plans do not
 * know, or without memory. */
struct pc_plan *pc_plan_new(struct pc_mem *mem, const struct pc_record_info *info,
                            const struct pc_layout *layout, enum pc_order order);
void pc_plan_free(struct pc_mem *mem, struct pc_plan *plan);

/* True when the record is sound; then slot and slot_at hold what a walk would have left in them.
 * Slots that no row of this layout fills keep what they held. */
bool pc_plan_run(const struct pc_plan *plan, struct pc_span record, uint64_t *slot, size_t *slot_at);

#endif

/* SPDX-License-Identifier: MIT
 *
 * batch.h: many sound samples checked at once, for those who want no items.
 */
#ifndef PC_CHECK_BATCH_H
#define PC_CHECK_BATCH_H

#include "check/workers.h"

/* Checks samples at the beginning of `ahead`, which are the next records, as pc_check_item would, up to the
 * first that is not plainly sound, or that a rule between records wants to see. The first begins at this
 * offset of the stream. workers: NULL, no thread has these bytes. */
struct pc_run pc_check_pass(struct pc_check *check, struct pc_span ahead, uint32_t stream,
                            struct pc_workers *workers, uint64_t offset);

/* The last record that was passed becomes the current one. */
void pc_check_passed(struct pc_check *check, const struct pc_item *last);

#endif

/* SPDX-License-Identifier: MIT
 *
 * repair_moved.h: bytes that were lost or inserted among the records of attrs with which a pipe begins, so
 * that all behind them comes too early or too late.
 */
#ifndef PC_REPAIR_MOVED_H
#define PC_REPAIR_MOVED_H

#include "write/repair_desc.h"

/* Where EVENT_DESC, to which records lead from behind those of the attrs, shows what these had before one
 * place and behind it: bytes that were lost there are read as zeros, and those that were inserted are not
 * read. `size`: of the records of all attrs. False: it was not so. Work is linear in the bytes up to the
 * feature. */
bool pc_desc_shift_records(struct pc_desc *desc, uint64_t size);

#endif

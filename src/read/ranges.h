/* SPDX-License-Identifier: MIT
 *
 * ranges.h: what the sections of a file say of each other: they may not overlap.
 */
#ifndef PC_RANGES_H
#define PC_RANGES_H

#include "read/state.h"

enum pc_range_kind {
    PC_RANGE_HEADER,
    PC_RANGE_ATTRS,
    PC_RANGE_IDS,
    PC_RANGE_TYPES,
    PC_RANGE_DATA,
    PC_RANGE_TABLE,
    PC_RANGE_FEATURE
};

/* Bytes of the file that a section claims. */
struct pc_range {
    uint64_t start, end;
    enum pc_range_kind kind;
    uint64_t number; /* attr or feature bit */
};

/* Bytes start..end of the file belong to a section. */
void pc_reader_add_range(struct pc_reader *r, enum pc_range_kind kind, uint64_t number, uint64_t start,
                         uint64_t end);

/* Compares all of them: what overlaps, what belongs to no section. */
void pc_reader_check_ranges(struct pc_reader *r);

#endif

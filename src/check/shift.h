/* SPDX-License-Identifier: MIT
 *
 * shift.h: bytes that were lost in the header of a file, or in its attrs, so that all that follows comes too
 * early, or were inserted there, so that it comes too late. The feature table shows how many they were: it
 * still says where its sections were.
 */
#ifndef PC_SHIFT_H
#define PC_SHIFT_H

#include "bytes/input.h"

struct pc_shift {
    uint64_t at;   /* where it happened, or a little later; all before is sound, or nearly */
    uint64_t lost; /* so many; 0: as many as `added` were inserted there */
    uint64_t added;
};

/* Finds it. False: nothing was lost or inserted before the records, or nothing proves it; or in->error. */
bool pc_find_shift(struct pc_input *in, struct pc_shift *shift);

#endif

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
    bool whole; /* the header and the attrs are sound, and records begin behind them: there was nothing */
};

/* Finds it. False: nothing was lost or inserted before the records, or nothing proves it; or in->error. */
bool pc_find_shift(struct pc_input *in, struct pc_shift *shift);

/* A feature table that still says where its sections were, so that it shows how many bytes were lost or
 * inserted before it, whatever the header says. */
struct pc_moved {
    struct pc_shift shift; /* but for the place */
    uint64_t table;        /* where it was ... */
    uint64_t nr, least;    /* ... with so many entries, or fewer, as some at its end are empty */
};

/* Finds it. False: there is none; or in->error. */
bool pc_find_moved_table(struct pc_input *in, enum pc_order order, struct pc_moved *moved);

#endif

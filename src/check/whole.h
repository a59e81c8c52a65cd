/* SPDX-License-Identifier: MIT
 *
 * whole.h: which records around bytes that belong to none are whole, by rule 3 of salvages, and which
 * features lie in lost blocks. Who leaves out records and features asks, and so does who proves that they
 * were left out for a reason.
 */
#ifndef PC_WHOLE_H
#define PC_WHOLE_H

#include "check/scan.h"

/* The last record, and the last compressed one. */
struct pc_before {
    struct pc_item item;         /* of size 0: none. Its bytes are gone */
    uint64_t payload;            /* bytes that follow it outside of its size */
    uint64_t end[2];             /* its last eight bytes as a number, and those before; 0: there are none */
    bool has_ids;                /* it is a HEADER_ATTR, and ends with ids of its event */
    uint64_t time;               /* with which the last of those before it ends that does; 0: with none */
    uint64_t packed, packed_end; /* the number of the compressed record, and where it ends */
    struct pc_record_end {
        uint64_t word;
        uint32_t type;
    } ends[256]; /* the last eight bytes of records before it: the last ones of each hash */
};

/* Notes a record, which was just read. */
void pc_before_note(struct pc_before *before, const struct pc_scan *scan, const struct pc_item *record);

/* Whether the last record is whole, though bytes between it and this item belong to none. mem: for a record.
 * *no_memory is set when it has no room. */
bool pc_whole_before(const struct pc_before *before, struct pc_scan *scan, const struct pc_item *item,
                     struct pc_mem *mem, bool *no_memory);

/* Whether zstd has not noticed that the bytes that came out of the last compressed record are damaged. */
bool pc_whole_is_odd(const struct pc_before *before, const struct pc_scan *scan);

/* Whether the first byte of a record may be a damaged one, which turns another record into it: the kernel
 * writes no such record, and the `gap` bytes before it are no record of which only the size is wrong. */
bool pc_whole_is_other(struct pc_scan *scan, const struct pc_item *record, uint64_t gap, struct pc_mem *mem,
                       bool *no_memory);

/* Whether the section of a feature is zero, as are so many bytes around it that it is a part of a lost block.
 * A number of 0 and an empty list are sound, so it may have no error. */
bool pc_whole_is_blank(struct pc_scan *scan, const struct pc_item *feature);

/* Whether the bytes of a compressed record begin a zstd stream anew. */
bool pc_whole_begins_frame(const struct pc_capture *capture, const struct pc_item *record);

#endif

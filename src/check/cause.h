/* SPDX-License-Identifier: MIT
 *
 * cause.h: what happened to a capture that has errors: it was cut, damaged or changed in one place, and most
 * errors follow from that.
 */
#ifndef PC_CAUSE_H
#define PC_CAUSE_H

#include "check/scan.h"

/* The finding that names the cause, and what follows from it. */
struct pc_cause {
    struct pc_finding finding;
    struct pc_reach reach;
};

/* At the end of a scan with errors: adds the finding of the cause, if there is one, and attaches to it, or to
 * the finding that is the cause already, what follows from it. */
void pc_cause_find(struct pc_scan *scan);

/* --- one kind of cause each; false: it is another --- */

/* A section of the file is not where its header says, or is missing. */
bool pc_cause_in_layout(struct pc_scan *scan, struct pc_cause *cause);

/* The magic or the size of the header is wrong: each shows the other. Of two sizes of files, the table behind
 * the data shows which one is right. */
bool pc_cause_in_start(struct pc_scan *scan, struct pc_cause *cause);

/* Bytes were lost in the header. Also reports the records that a loss in the attrs has moved before the data.
 */
bool pc_cause_in_shift(struct pc_scan *scan, struct pc_cause *cause);

/* `moved` bytes were lost here, or, when that is negative, came in. */
void pc_cause_say_moved(struct pc_cause *cause, uint64_t at, uint64_t moved);

/* The feature table is here now, `moved` bytes before its place: says where they were lost, or came in. */
void pc_cause_place_moved(struct pc_scan *scan, struct pc_cause *cause, uint64_t table, uint64_t moved);

/* Bytes were inserted: reports the records that are behind the data section now. */
void pc_cause_say_late_records(struct pc_scan *scan, const struct pc_cause *cause);

/* The entries of the feature table do not follow each other. */
bool pc_cause_in_table(struct pc_scan *scan, struct pc_cause *cause);

/* perf inject wrote something in a wrong place. */
bool pc_cause_in_writer(struct pc_scan *scan, struct pc_cause *cause);

/* All bytes were changed on their way. */
bool pc_cause_in_transfer(struct pc_scan *scan, struct pc_cause *cause);

/* So many bytes of a file are missing before its feature table: each place of damage lacks no more than it
 * has line feeds. */
bool pc_cause_in_line_feeds(struct pc_scan *scan, struct pc_cause *cause, uint64_t table, uint64_t missing);

/* A block of zeros, or of bytes 0xff, lies over the place of the first damage. */
bool pc_cause_in_block(struct pc_scan *scan, struct pc_cause *cause);

/* Records do not follow each other. */
bool pc_cause_in_records(struct pc_scan *scan, struct pc_cause *cause);

#endif

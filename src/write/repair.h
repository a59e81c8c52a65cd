/* SPDX-License-Identifier: MIT
 *
 * repair.h: words of the header and of the feature table that are wrong, when the rest of a file proves what
 * they were. Writers of perf.data put the sections of a file one behind the other: so each word follows from
 * its neighbours.
 */
#ifndef PC_REPAIR_H
#define PC_REPAIR_H

#include "write/salvage.h"

/* Finds the words, and has them read as they must have been; before the first pass. */
void pc_repair(struct pc_salvage *salvage);

/* Judges a capture. True: it was read to its end, and has no error, and its feature table is such as writers
 * make. errors: NULL, or gets a number that is the larger, the more of them there are that are not about a
 * feature, and then, the more warnings about records; PC_NOT_JUDGED: it could not be read, or there was no
 * memory. Where that number has got to `most`, or the first error is found and errors is NULL, the rest is
 * not read. */
#define PC_NOT_JUDGED   UINT64_MAX
#define PC_JUDGED_ERROR ((uint64_t)1 << 32) /* one more error */
typedef bool pc_judge(void *ctx, struct pc_input in, uint64_t most, uint64_t *errors);

/* Has damaged attrs and ids read as the feature EVENT_DESC repeats them, when the capture then has fewer
 * errors, or as many and fewer warnings. After pc_repair, before the first pass. */
void pc_repair_events(struct pc_salvage *salvage, pc_judge *judge, void *ctx);

/* Where the attrs of a file differ in whether samples begin with an id, and no feature repeats them, has them
 * all read as one of them, when the capture then has fewer errors. After pc_repair_events. */
void pc_repair_places(struct pc_salvage *salvage, pc_judge *judge, void *ctx);

#endif

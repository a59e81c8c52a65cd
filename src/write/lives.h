/* SPDX-License-Identifier: MIT
 *
 * lives.h: of records about tasks, those that later samples may need. A task needs its FORK, its COMM, and
 * the mappings of its process; where it has none of its own, those of the task that it was forked from, be
 * that at its end or not. A COMM takes the place of the one before; exec ends the mappings. A task ends with
 * its EXIT, and when another one gets its number.
 */
#ifndef PC_LIVES_H
#define PC_LIVES_H

#include "base/mem.h"
#include "check/scan.h"
#include "write/content.h"

/* What is known of a record that later ones may need. It has no padding: it is stored as it is. */
struct pc_life_note {
    uint64_t number; /* in the capture */
    uint64_t time;   /* by which perf puts it among others */
    uint32_t size;   /* of the record */
    uint32_t type;   /* 0: it is about no task, or about one that never ends */
    uint32_t pid, tid, ppid, ptid;
    uint32_t age;     /* when it came: see pc_lives_choose */
    uint32_t is_exec; /* COMM: exec. FORK: the child has none of the mappings of its parent */
};

/* Fills all but the age. scan: it has judged the record last. */
void pc_life_note(struct pc_life_note *note, const struct pc_scan *scan, const struct pc_content_item *item);

struct pc_life {
    struct pc_life_note note;
    uint32_t index; /* among all records, as they came */
    uint32_t owner; /* see lives.c */
    bool kept;
};

/* Chooses which of the records to keep: those that are about no task, and those that a task may need that has
 * not ended before the age `now` - 1. Their order becomes another one. Time: n log n. False: there is no
 * memory for that, or their numbers are made to collide. */
bool pc_lives_choose(struct pc_mem *mem, struct pc_life *lives, size_t nr, uint32_t now);

#endif

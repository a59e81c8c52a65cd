/* SPDX-License-Identifier: MIT
 *
 * run.h: samples in a row that are plainly sound: what judging them tells the rules between records, and what
 * these tell the judge, so that it stops at samples that they want to see.
 */
#ifndef PC_CHECK_RUN_H
#define PC_CHECK_RUN_H

#include "bytes/cursor.h"
#include "read/capture.h"

#define PC_PAGE       4096
#define PC_SEEN_TIDS  256
#define PC_SEEN_PAGES 1024

/* Tasks and pages of samples that rules between records had, by their low bits. What is in stays in. */
struct pc_seen {
    uint32_t tid[PC_SEEN_TIDS];
    uint64_t page[PC_SEEN_PAGES];
};

/* What of the records before decides which samples rules between records want to see. */
struct pc_hints {
    uint64_t nr_samples;  /* sound ones */
    uint64_t skip;        /* samples are looked at when their number has none of these bits ... */
    uint64_t many;        /* ... and from this number on, each; 0: none */
    uint64_t released;    /* times before it are late */
    uint64_t cpus;        /* CPUs from here on are news */
    bool read_without_id; /* values of samples without ids are no news */
};

/* Samples of one stream, one after the other. */
struct pc_run {
    uint64_t nr;
    size_t bytes, last_size; /* of all, of the last */
    uint64_t oldest, newest; /* times; oldest is above newest: none has one */
};

/* Whether task and page of a sample were seen, and it has no deferred call chain. Both are read whether they
 * are there or not (a record is longer than what is read at 0) and nothing branches on them: a branch that is
 * guessed wrong costs more than all the rest. */
PC_INLINE bool pc_seen_sample(const struct pc_seen *seen, const unsigned char *record, uint16_t misc,
                              const struct pc_sample_layout *layout, const enum pc_order order)
{
    uint32_t tid = (uint32_t)pc_load(record + layout->tid_at, 4, order);
    uint64_t page = pc_load(record + layout->ip_at, 8, order) / PC_PAGE;
    bool no_tid = layout->tid_at == 0,
         no_page = (layout->ip_at == 0) | ((misc & PC_MISC_CPUMODE) != PC_MODE_USER);
    return (no_tid | (seen->tid[tid % PC_SEEN_TIDS] == tid)) &
           (no_page | (seen->page[page % PC_SEEN_PAGES] == page)) & !layout->defers;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * behind.h: attrs that perf inject put behind the data, when it made a file of a pipe (FORMAT.md 1.6): the
 * ids follow the feature table, and the attrs the ids. Bytes that were lost or inserted before them moved
 * them.
 */
#ifndef PC_BEHIND_H
#define PC_BEHIND_H

#include "bytes/input.h"
#include "format/header.h"

/* The words of the header that say where the sections are. */
struct pc_behind {
    enum pc_order order;
    uint64_t entry, attrs, size; /* of an attr and its section of ids; the attr section */
    uint64_t data, data_size;
};

/* The same from a header whose words begin here, with the size of an entry. */
struct pc_behind pc_behind_of(enum pc_order order, const uint64_t *words);

/* Whether the header says that the attrs are behind the data. */
bool pc_is_behind(const struct pc_behind *header);

/* Whether an attr begins in each entry where the header says, all of which are there. */
bool pc_begin_attrs(struct pc_input *in, const struct pc_behind *header);

/* Where the ids begin that end where the header says that the attrs begin, when these are there, wherever it
 * says that the data end. 0: they are not. */
uint64_t pc_ids_behind(struct pc_input *in, const struct pc_behind *header);

/* Where they are now: entries whose ids, by the places that the entries have, ended where the header says
 * that the attrs begin. 0: nowhere. Work is linear in the bytes that are searched. */
uint64_t pc_find_behind(struct pc_input *in, const struct pc_behind *header);

#endif

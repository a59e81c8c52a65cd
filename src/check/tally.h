/* SPDX-License-Identifier: MIT
 *
 * tally.h: how much a capture has, counted item by item. One sees all of a damaged capture, another one the
 * copy; what the copy lacks has to be in the list of losses.
 */
#ifndef PC_TALLY_H
#define PC_TALLY_H

#include "read/reader.h"

struct pc_tally {
    uint64_t records; /* that are content in any container: without FINISHED_ROUND */
    uint64_t attrs, header_attrs;
    uint64_t features[PC_FEATURE_BITS / 64]; /* with content that a copy does not make anew */
    uint64_t gaps;    /* between sections and behind them, unless all their bytes are zero ... */
    uint64_t skipped; /* bytes among the records that belong to none ... */
    uint64_t broken;  /* compressed records of which not all came out; these are set at the end */
};

/* Whether a record of the type counts as one. */
bool pc_tally_counts(uint32_t type);

void pc_tally_item(struct pc_tally *tally, const struct pc_capture *capture, const struct pc_item *item);

/* Whether the finding is about bytes that no section has. */
bool pc_tally_is_gap(enum pc_diag id);

void pc_tally_end(struct pc_tally *tally, const struct pc_report *report, const struct pc_reader *reader);

#endif

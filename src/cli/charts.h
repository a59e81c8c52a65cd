/* SPDX-License-Identifier: MIT
 *
 * charts.h: the map of a capture, and its records over time, as SVG.
 */
#ifndef PC_CHARTS_H
#define PC_CHARTS_H

#include "cli/survey.h"

#include <stdio.h>

/* What the page says about one capture. */
struct pc_charted {
    FILE *out;
    perfcheck_t *pc;
    const struct pc_survey *survey;
    uint64_t number;   /* of the capture on the page; part of ids */
    uint64_t findings; /* so many are listed, so that marks can link to them */
    bool brief;        /* one of many captures: its maps are those with a mark, of few cells, without a key */
};

/* The map of each file, with marks where findings are. parts: also the table of what is where. */
void pc_chart_maps(const struct pc_charted *c, bool parts);

/* What the colours of all maps mean; for a page with brief ones. */
void pc_chart_key(FILE *out);

/* Whether a mark of the finding is in a map. */
bool pc_chart_has(const struct pc_charted *c, const perfcheck_finding_t *f);

/* Records, samples and losses over time: of all CPUs, and of each. */
void pc_chart_times(const struct pc_charted *c);

#endif

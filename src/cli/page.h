/* SPDX-License-Identifier: MIT
 *
 * page.h: what a report says about one capture: a row of the overview, and a section.
 */
#ifndef PC_PAGE_H
#define PC_PAGE_H

#include "cli/charts.h"

#define PC_PAGE_WHOLE 8 /* so many captures have whole sections; those of more are short */

/* All of so many captures are listed; of more, so many of those that are not valid. */
#define PC_PAGE_LISTED 1000

#define PC_PAGE_NUMBERS 6

/* Errors, warnings, records, samples, losses and bytes of some captures. */
struct pc_page_numbers {
    uint64_t captures, each[PC_PAGE_NUMBERS];
};

/* The row in the table of captures. */
void pc_page_row(const struct pc_charted *c, const char *path);

/* Captures that are not listed: one more, and the row of them all. */
void pc_page_add(struct pc_page_numbers *to, const struct pc_charted *c);
void pc_page_others(FILE *out, const struct pc_page_numbers *others);

/* The section; whole: all that is known, else what is wrong. */
void pc_page_section(struct pc_charted *c, const char *path, bool whole);

#endif

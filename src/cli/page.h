/* SPDX-License-Identifier: MIT
 *
 * page.h: what a report says about one capture: a row of the overview, and a section.
 */
#ifndef PC_PAGE_H
#define PC_PAGE_H

#include "cli/charts.h"

#define PC_PAGE_WHOLE 8 /* so many captures have whole sections; those of more are short */

/* The row in the table of all captures. */
void pc_page_row(const struct pc_charted *c, const char *path);

/* The section; whole: all that is known, else what is wrong. */
void pc_page_section(struct pc_charted *c, const char *path, bool whole);

#endif

/* SPDX-License-Identifier: MIT
 *
 * plot.h: samples over time, drawn on a terminal: a row for each CPU, and below it where samples were lost.
 */
#ifndef PC_PLOT_H
#define PC_PLOT_H

#include "cli/survey.h"

#include <stdio.h>

struct pc_plot_style {
    unsigned width; /* columns, all of them */
    bool utf8;      /* else ASCII alone */
};

/* What suits the terminal of a stream, or 80 columns; and the locale of the environment. */
struct pc_plot_style pc_plot_style_of(FILE *out);

void pc_plot_print(FILE *out, const struct pc_survey *survey, struct pc_plot_style style);

#endif

/* SPDX-License-Identifier: MIT
 *
 * options_lists.h: the options whose values are lists of names.
 */
#ifndef PC_OPTIONS_LISTS_H
#define PC_OPTIONS_LISTS_H

#include "lib/options.h"

/* Set --drop=KIND[:NAME],... and --require=DEMAND,... False: see `why`. */
bool pc_option_drop(struct pc_options *options, const char *list, struct pc_buffer *why);
bool pc_option_require(struct pc_options *options, const char *list, struct pc_buffer *why);

#define PC_DEMAND_MAX 64

/* Word `number` of --require: "samples", "header:ARCH", or "event:", which a name follows. False: there are
 * no more. */
bool pc_option_demand(size_t number, char word[PC_DEMAND_MAX]);

#endif

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

#endif

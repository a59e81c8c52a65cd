/* SPDX-License-Identifier: MIT
 *
 * options_parts.h: what options.c and options_lists.c share.
 */
#ifndef PC_OPTIONS_PARTS_H
#define PC_OPTIONS_PARTS_H

#include "lib/options.h"

/* A copy of the first len bytes; NULL: no memory. pc_option_free takes it or NULL. */
char *pc_option_copy(struct pc_options *options, const char *text, size_t len);
void pc_option_free(struct pc_options *options, char *text);

/* False, and in `why`, that the value of an option is wrong and what was probably meant; like may be NULL. */
bool pc_option_refuse_unlike(struct pc_buffer *why, const char *what, const char *value, const char *like);

/* Set --drop=KIND[:NAME],... and --require=DEMAND,... False: see `why`. */
bool pc_option_drop(struct pc_options *options, const char *list, struct pc_buffer *why);
bool pc_option_require(struct pc_options *options, const char *list, struct pc_buffer *why);

#endif

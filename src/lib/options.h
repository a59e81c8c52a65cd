/* SPDX-License-Identifier: MIT
 *
 * options.h: what a caller chose for a check or a rewrite. Options have the names and values that the
 * program has on its command line; CONTRACT.md describes them.
 */
#ifndef PC_OPTIONS_H
#define PC_OPTIONS_H

#include "check/demands.h"
#include "lib/describe.h"
#include "write/rewrite.h"

#define PC_EVENTS_MAX 64 /* that may be demanded */

struct pc_options {
    struct pc_mem mem; /* of names */
    struct pc_policy policy;
    struct pc_limits limits;
    struct pc_rewrite rewrite; /* but for its limits */
    char *drop[PC_LOSSES_MAX];
    char *keep_partial; /* NULL: none */
    char *symbols_out;  /* NULL: none */
    char *header_from;  /* NULL: none */
    struct pc_demands demands;
    char *event[PC_EVENTS_MAX], *arch; /* names in it */
};

/* The defaults. The options must stay where they are. */
void pc_options_init(struct pc_options *options);
void pc_options_clear(struct pc_options *options);

/* Sets the option of this name ("max-memory") to a value, which is NULL for one that takes none. False, and
 * in `why` the reason, when there is no such option, or the value is not one of its values; then nothing is
 * set. */
bool pc_options_set(struct pc_options *options, const char *name, const char *value, struct pc_buffer *why);

/* The value of that name, in a list whose last member is NULL; -1: there is none. */
int pc_option_value(const char *text, const char *const *names);

extern const char *const pc_severity_names[]; /* by enum pc_severity; the last one is NULL */

#endif

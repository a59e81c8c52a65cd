/* SPDX-License-Identifier: MIT
 *
 * obstacles.h: what stands in the way of a copy, and the options that accept it.
 */
#ifndef PC_OBSTACLES_H
#define PC_OBSTACLES_H

#include "write/cures.h"
#include "write/rewrite.h"

/* What a message is about that names what helps: options, or a command of another kind. */
#define PC_SAY_NEXT "next"

struct pc_obstacles {
    const struct pc_rewrite *how;
    const struct pc_scan *scan;      /* of the input, or of the copy */
    const struct pc_copy_form *form; /* of the copy */
    bool refused;                    /* something cannot be carried over */
    bool unread;                     /* the perf that the copy is for would not read it */
};

/* Says about the input what is in the way, with all options that accept it. */
void pc_obstacles_say(const struct pc_obstacles *obstacles, const char *input);

/* Says about a copy, which goes away, why the perf that it is for would not read it: each finding once. */
void pc_obstacles_say_copy(const struct pc_obstacles *obstacles, const char *output);

#endif

/* SPDX-License-Identifier: MIT
 *
 * captures.h: the captures that a command line means: its operands, names in a list, what directories hold.
 */
#ifndef PC_CAPTURES_H
#define PC_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>

struct pc_captures {
    char **path; /* nr of them, in `names` */
    size_t nr;
    char *names; /* one after the other, each with a NUL: `size` bytes */
    size_t size;
    bool recursive;                         /* -r: look into all directories */
    const char *list;                       /* --files0-from: NULL: none */
    void (*on_walk)(const char *directory); /* NULL: none */
    const char *walked; /* what it gets with the first capture found there; NULL: nothing */
    size_t passed_over; /* files in directories that were not taken for captures */
    char *first_passed_over;
    const char *wrong; /* after a failure: why ... */
    const char *where; /* ... and about which file; NULL: none */
};

/* Adds the captures that the operands and the list mean. A directory that is no capture stands for the
 * captures in it, in the order of their names; on_walk gets the first one that is looked into without being
 * asked to. In a directory, a capture is what begins with the magic of one, a file with the word ".data" in
 * its name that is not made of one (perf.data.svg), and a directory with data.0, or data and kcore_dir. Other
 * files are counted; links are not followed. False: see `wrong`. */
bool pc_captures_collect(struct pc_captures *captures, char **operand, int nr);
void pc_captures_clear(struct pc_captures *captures);

#endif

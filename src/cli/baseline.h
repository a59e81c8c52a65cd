/* SPDX-License-Identifier: MIT
 *
 * baseline.h: findings that a project has accepted. A line of the file has, for one capture, how many of each
 * id, two spaces and the path, escaped: "PC0818:1,PC0905:1  captures/a.data".
 */
#ifndef PC_BASELINE_H
#define PC_BASELINE_H

#include "perfcheck.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pc_baseline {
    char *text; /* the lines of a file that was read, cut into lists and paths */
    struct pc_accepted {
        const char *path, *list;
    } * of; /* by path */
    size_t nr;
    FILE *out; /* collects the lines that are written at the end; NULL: none are */
    char *made;
    size_t size;
    int fd; /* of the file that gets them */
};

/* Reads the file, whose lists the handle must take. False after reporting what is wrong. */
bool pc_baseline_read(struct pc_baseline *baseline, const char *name, perfcheck_t *pc);

/* Opens the file for writing, and leaves it as it is until pc_baseline_finish. False after reporting why not.
 */
bool pc_baseline_create(struct pc_baseline *baseline, const char *name);

/* What is accepted of a capture, as the option "accept" takes it. */
const char *pc_baseline_list(const struct pc_baseline *baseline, const char *path);

/* Adds the line of a checked capture. */
void pc_baseline_put(struct pc_baseline *baseline, perfcheck_t *pc, const char *path);

/* Writes the file, if there is one to be written. False after reporting why it could not be. */
bool pc_baseline_finish(struct pc_baseline *baseline);
void pc_baseline_clear(struct pc_baseline *baseline);

#endif

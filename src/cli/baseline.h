/* SPDX-License-Identifier: MIT
 *
 * baseline.h: findings that a project has accepted. A line of the file has, for one capture, how many of each
 * id, two spaces and the path from the folder of the file, escaped: "PC0818:1,PC0905:1  captures/a.data".
 * "./captures//a.data" is the same path. Lines may end with CR LF.
 */
#ifndef PC_BASELINE_H
#define PC_BASELINE_H

#include "cli/output.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pc_baseline {
    char *text; /* the lines of a file that was read, cut into lists and paths */
    struct pc_accepted {
        const char *path; /* from the root */
        const char *list;
        bool second; /* what the path may mean too, if no other one is it */
    } * of;          /* by path */
    size_t nr;
    char *paths;         /* those of them, one after the other ... */
    size_t size;         /* ... which take so many bytes */
    char *folder, *here; /* of the file, and that in which the captures were given */
    struct pc_mem mem;
    bool is_there, is_one; /* what is written replaces a file, and that is a baseline */
    struct pc_sink sink;   /* the file that is written */
    FILE *out;             /* to it; NULL: none is */
    uint64_t accepted;     /* findings in it */
    bool no_memory;        /* for a line of it */
};

/* Reads the file, whose lists the handle must take. place: "FILE:LINE: " of what names it, or "". False after
 * reporting what is wrong. */
bool pc_baseline_read(struct pc_baseline *baseline, const char *place, const char *name, perfcheck_t *pc);

/* Finds out where the file is, before pc_baseline_create, which can no longer. False, with errno: no
 * memory, or the working folder is gone. */
bool pc_baseline_locate(struct pc_baseline *baseline, const char *name);

/* Looks, before that too, whether there is a file of this name, and whether perfcheck wrote it. */
void pc_baseline_look(struct pc_baseline *baseline, const char *name);

/* Begins a file that takes the place of this one when pc_baseline_finish ends it. False after reporting why
 * it cannot: it is one of the captures, for example, or no baseline. force: whatever it is else. */
bool pc_baseline_create(struct pc_baseline *baseline, const char *name, bool force, char **capture, int nr);

/* What is accepted of a capture, as the option "accept" takes it. NULL: there is no memory to find it. */
const char *pc_baseline_list(const struct pc_baseline *baseline, const char *path);

/* Sets that option of a handle without a capture. False: there is no memory. */
bool pc_baseline_tell(const struct pc_baseline *baseline, const char *path, perfcheck_t *pc);

/* Prints what is accepted of each capture, by its path from the root. */
void pc_baseline_show(const struct pc_baseline *baseline, FILE *out);

/* Adds the line of a checked capture. */
void pc_baseline_put(struct pc_baseline *baseline, perfcheck_t *pc, const char *path);

/* The file appears, if one is written. unreadable: how many captures could not be checked; then it does not,
 * as their findings are not known. False after reporting why it is not written. */
bool pc_baseline_finish(struct pc_baseline *baseline, const char *name, uint64_t unreadable);
void pc_baseline_clear(struct pc_baseline *baseline);

#endif

/* SPDX-License-Identifier: MIT
 *
 * opener.h: splits the program in two. This process, which parses, gives up its rights (confine.h). Another
 * one, the opener, does for it what is done with files by their names (bytes/names.h), hands over
 * descriptors, and reads no byte of any file. It trusts this process with nothing but its task:
 *
 * - It opens the inputs, and what is in a directory that it opened, to read them. It follows no link there.
 * - It opens what is in the folder of binaries or below it, to read it; links lead nowhere else.
 * - In the folders of the outputs and of temporary files it makes, renames and removes what has the name of
 * an output or of a temporary file; in directories of these names anything. It opens only new files to write
 *   them.
 */
#ifndef PC_OPENER_H
#define PC_OPENER_H

#include <stdbool.h>
#include <stdint.h>

#define PC_OUTPUTS_MAX 3

/* The task. Paths stay the caller's. */
struct pc_task {
    char **input;
    int nr;
    const char *header;                 /* one more input; NULL: there is none */
    const char *binaries;               /* a folder of binaries; NULL: there is none */
    bool any_input;                     /* and others, which a list names */
    const char *output[PC_OUTPUTS_MAX]; /* NULL: there is none */
    bool parts;                         /* and parts of these: a number follows the name */
    void (*tell_live)(const char *path, uint64_t size);
};

/* Starts the opener and gives up rights. False: all stays as it was, because there is no opener. */
bool pc_opener_start(const struct pc_task *task);

/* Ends it, and waits for that. */
void pc_opener_stop(void);

/* Has the opener call tell_live. False: there is no opener. */
bool pc_opener_tell_live(const char *path, uint64_t size);

#endif

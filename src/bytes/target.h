/* SPDX-License-Identifier: MIT
 *
 * target.h: a file or directory that appears whole or not at all under its name. It is made under a random
 * temporary name beside the target (O_EXCL, no link followed) and renamed when it is complete; then its
 * folder is flushed to the disk. The folder is opened once: what becomes of its path meanwhile does not
 * matter.
 */
#ifndef PC_TARGET_H
#define PC_TARGET_H

#include <errno.h>
#include <limits.h>
#include <sys/types.h>

#include "bytes/guard.h"
#include "bytes/temporary.h"

struct pc_target {
    int folder; /* the folder that it is in; below 0: none is open, and that is -errno */
    int fd;     /* of the new file or directory; -1: none, or none yet */
    bool is_directory;
    char name[PC_SINK_NAME], temporary[PC_SINK_NAME]; /* in the folder */
    dev_t device; /* of the new file or directory: nothing else is ever removed */
    ino_t inode;
    struct pc_temporary *slot; /* until it is renamed or removed; NULL: none */
};

/* A target without a file, whose folder is not open. */
#define PC_TARGET_CLOSED ((struct pc_target){ .folder = -EBADF, .fd = -1 })

/* The folder of a path and the last name in it, after which slashes are left out when it is a directory.
 * Returns 0 or an errno. */
int pc_target_split(const char *path, bool is_directory, char folder[PATH_MAX], char name[PC_SINK_NAME]);

/* Opens the folder of a path, of which nothing is made yet. The path of a directory may end with slashes.
 * inputs: see pc_guard_name. Returns 0 or an errno. */
int pc_target_open(struct pc_target *target, const char *path, bool is_directory,
                   const struct pc_inputs *inputs);

/* Makes the new file or directory under a temporary name. Signals that end the program from now on remove it
 * (temporary.h). Returns 0 or an errno. */
int pc_target_make(struct pc_target *target, mode_t mode);

/* Makes a file in the folder that has no name. Returns 0 or an errno. */
int pc_target_make_nameless(struct pc_target *target);

/* The target appears, unless there is something of its name (EEXIST). Then `replace`, which may be NULL, puts
 * it in the place of that, or gives it its name; it sets *was_there when something was replaced. Returns 0 or
 * an errno; then nothing of the new one is there, except after PC_NOT_FLUSHED. */
int pc_target_appear(struct pc_target *target, int (*replace)(void *ctx, bool *was_there), void *ctx);

/* Gives it the name of the target unless that is taken. Returns 0 or an errno. */
int pc_target_rename(struct pc_target *target);

/* Removes what was made, unless it has appeared, and closes the descriptors. */
void pc_target_close(struct pc_target *target);

/* Why an output cannot be written: what an errno of a target, a sink or a folder means to the user. */
const char *pc_output_error_text(int error);

/* The same of an output that is always a file: "-" is no standard output there. */
const char *pc_output_file_error_text(int error);

#endif

/* SPDX-License-Identifier: MIT
 *
 * folder.h: a directory that appears whole or not at all, as sink.h does for a file: made under a
 * temporary name beside the target (0700), filled through descriptors, flushed to the disk, renamed. Whatever
 * goes wrong, a signal included, nothing of it stays. No symbolic link is followed.
 *
 * An existing target is replaced only by the caller's wish, and only when all that it holds is known by name
 * to be part of a capture: nothing else is ever removed.
 */
#ifndef PC_FOLDER_H
#define PC_FOLDER_H

#include "base/base.h"
#include "bytes/directory.h"
#include "bytes/guard.h"
#include "base/mem.h"
#include "base/progress.h"
#include "bytes/sink.h"

#include <sys/types.h>

struct pc_folder {
    struct pc_mem *mem;
    int parent, fd; /* of what the target lies in, and of the new directory; -1: the folder is closed */
    bool replace;
    bool left_behind; /* the one that was replaced could not be removed: it is `temporary` now */
    char target[PC_SINK_NAME], temporary[PC_SINK_NAME]; /* names in the parent */
    struct pc_temporary *slot;
    dev_t device; /* of the new directory */
    ino_t inode;
    struct pc_progress *progress; /* of copies; set by the caller; NULL: none is shown */
};

/* Prepares to make the target. inputs: see pc_guard_name. Returns 0, or an errno, and then the
 * folder is closed: EEXIST: there is something of that name, and `replace` is not set; EINVAL: it is no
 * directory; ENOTEMPTY: it holds what is no part of a capture; PC_IS_INPUT: it lies in an input, or holds
 * one. */
int pc_folder_create(struct pc_folder *folder, struct pc_mem *mem, const char *path, bool replace,
                     const struct pc_inputs *inputs);

/* Makes a directory in it, which may hold files only. Returns a descriptor, or -errno. */
int pc_folder_make(const struct pc_folder *folder, const char *name);

/* Copies an open regular file into a directory of the folder, holes as holes, with its permission bits at
 * most. verify: both are then read again and compared. Returns 0 or an errno; ESTALE: they differ. */
int pc_folder_copy(const struct pc_folder *folder, int directory, const char *name, int from, bool verify);

/* Flushes a directory of the folder, and closes it. Returns 0 or an errno. */
int pc_folder_finish(int directory);

/* The target appears. Returns 0 or an errno, as pc_folder_create does; then nothing of it is there, but for
 * one that replaced another when only the parent could not be flushed. The folder is closed. */
int pc_folder_commit(struct pc_folder *folder);

/* Removes what was made; does nothing on a closed folder. */
void pc_folder_discard(struct pc_folder *folder);

#endif

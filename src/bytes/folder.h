/* SPDX-License-Identifier: MIT
 *
 * folder.h: a directory that appears whole or not at all (target.h) and is filled through its descriptor.
 * Whatever goes wrong, a signal included, nothing of it stays. No symbolic link is followed.
 *
 * An existing target is replaced only when the caller asks for it, and only when all that it contains is
 * known by name to be of the same kind, a capture or files that the caller names: nothing else is ever
 * removed.
 */
#ifndef PC_FOLDER_H
#define PC_FOLDER_H

#include "base/mem.h"
#include "bytes/target.h"

struct pc_folder {
    struct pc_mem *mem;
    struct pc_target target;
    bool replace;
    const char *const
        *files;       /* that a directory of its kind may hold, with NULL after them; NULL: a capture */
    bool left_behind; /* the one that was replaced could not be removed: it is `target.temporary` now */
};

/* Prepares to make the target, a directory capture with the permissions 0700, as perf makes it. inputs: see
 * pc_guard_name. Returns 0, or an errno, and then the folder is closed: EEXIST: there is something of that
 * name, and `replace` is not set; ENOTDIR: it is no directory; ENOTEMPTY: it holds what is not of its kind;
 * PC_IS_INPUT: it lies in an input, or holds one. */
int pc_folder_create(struct pc_folder *folder, struct pc_mem *mem, const char *path, bool replace,
                     const struct pc_inputs *inputs);

/* The same for a directory of files with these names, NULL after them, and what the umask leaves. */
int pc_folder_create_of(struct pc_folder *folder, struct pc_mem *mem, const char *path, bool replace,
                        const char *const *files);

/* Makes a directory in it, which may hold files only. Returns a descriptor, or -errno. */
int pc_folder_make(const struct pc_folder *folder, const char *name);

/* Flushes a directory of the folder, and closes it. Returns 0 or an errno. */
int pc_folder_finish(int directory);

/* The target appears. Returns 0 or an errno, as pc_folder_create does; then nothing of it is there, except
 * after PC_NOT_FLUSHED. The folder is closed. */
int pc_folder_commit(struct pc_folder *folder);

/* Removes what was made; does nothing on a closed folder. */
void pc_folder_discard(struct pc_folder *folder);

#endif

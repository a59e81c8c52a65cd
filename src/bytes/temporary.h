/* SPDX-License-Identifier: MIT
 *
 * temporary.h: the temporary files and directories that outputs are written to before they get their
 * names: their random names, and a table of them, so that a handler of signals can remove them. The table
 * belongs to the whole process. Threads may use it at the same time.
 */
#ifndef PC_TEMPORARY_H
#define PC_TEMPORARY_H

#include <signal.h>
#include <sys/types.h>

#include "base/base.h"

#define PC_TEMPORARIES_MAX 64 /* at the same time */
#define PC_SINK_NAME       256

struct pc_temporary; /* an entry of the table */

/* An entry for one that is to be made; NULL: all are taken. */
struct pc_temporary *pc_temporary_take(void);

/* It was made: its folder and its name there, and what tells it from anything else of this name. directory:
 * its descriptor, or -1 for a file. Both descriptors stay open until it is released. Signals are blocked from
 * before it is made until after it is noted. */
void pc_temporary_note(struct pc_temporary *temporary, int parent, int directory,
                       const char name[PC_SINK_NAME], dev_t device, ino_t inode);

/* Frees the entry: the file or directory has the name of the target, is removed, or was never made. */
void pc_temporary_release(struct pc_temporary *temporary);

/* Blocks all signals in this thread. */
void pc_temporary_block_signals(sigset_t *before);

/* Removes what was noted, unless it has the name of the target now. */
void pc_temporary_remove(const struct pc_temporary *temporary);

/* The same for all of the process. Async-signal-safe: a handler may call it. */
void pc_temporary_remove_all(void);

/* A random name for what will be renamed to the target. Returns 0 or an errno. */
int pc_temporary_name(const char *target, char name[PC_SINK_NAME]);

/* Whether a name is like those that pc_temporary_name makes, of whatever target. */
bool pc_temporary_is_name(const char *name);

/* Locks a file or directory that was just made under such a name, until the last descriptor of it is closed:
 * what nobody has locked was left by a process that SIGKILL ended. Returns 0, or EEXIST if another process
 * has taken it for that; a file system without locks is no error. */
int pc_temporary_lock(int fd);

/* Removes what killed processes left beside the target: files and directories of this user, with a name that
 * pc_temporary_name makes for the target, and without a lock. Of a directory it removes what belongs to a
 * capture, and nothing else. What cannot be removed stays. */
void pc_temporary_remove_left(int folder, const char *target);

/* Whether the name is (still) that of the file or directory: 0, ESTALE, or an errno. Another process that may
 * write to the folder may have put something else in its place. */
int pc_temporary_is_ours(int parent, const char *name, dev_t device, ino_t inode);

/* Removes all that is in a directory of ours; its own directories hold files only. No more than what
 * signal-safety(7) allows, and getdents64, which is a plain system call. */
void pc_temporary_empty(int fd);

#endif

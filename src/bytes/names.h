/* SPDX-License-Identifier: MIT
 *
 * names.h: what is done with files by their names. No other code of the library opens, looks up, makes,
 * removes or renames files, so that a program that gives up its rights can have another process do this.
 */
#ifndef PC_NAMES_H
#define PC_NAMES_H

#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

#ifndef RENAME_NOREPLACE /* of <stdio.h>, in some C libraries */
#define RENAME_NOREPLACE 1
#define RENAME_EXCHANGE  2
#endif

enum pc_name_kind {
    PC_NAME_OPEN,
    PC_NAME_OPEN_BENEATH,
    PC_NAME_STAT,
    PC_NAME_MAKE_DIRECTORY,
    PC_NAME_REMOVE,
    PC_NAME_RENAME,
    PC_NAME_LINK,
};

/* One system call. All names are those of one folder. */
struct pc_name_call {
    enum pc_name_kind kind;
    int at;           /* the folder, or AT_FDCWD */
    const char *name; /* in it */
    const char *to;   /* the new name in the same folder; NULL: there is none */
    int flags;
    mode_t mode;
    struct stat *st;
};

/* The system calls openat, openat2, fstatat, mkdirat, unlinkat, renameat2 and linkat: -1 and errno, or what
 * they return. */
int pc_name_open(int at, const char *name, int flags);
int pc_name_create(int at, const char *name, int flags, mode_t mode); /* openat of what may be new */
/* What a path names in a folder or below it, also through links; the path may have slashes. */
int pc_name_open_beneath(int at, const char *path, int flags);

int pc_name_stat(int at, const char *name, struct stat *st, int flags);
int pc_name_make_directory(int at, const char *name, mode_t mode);
int pc_name_remove(int at, const char *name, int flags);
int pc_name_rename(int at, const char *name, const char *to, unsigned flags);
int pc_name_link(int at, const char *name, const char *to);

/* Does a call in this process. */
int pc_name_do(const struct pc_name_call *call);

/* From now on `ask` does all calls; NULL: this process does. A handler of signals may be what calls it. */
void pc_name_through(int (*ask)(const struct pc_name_call *call));

#endif

/* SPDX-License-Identifier: MIT
 *
 * directory.h: the entries of a directory capture: `data`, `data.N`, kcore_dir and what is in it.
 * All is opened below the directory's own descriptor, by names that the directory listed, and no symbolic
 * link is followed.
 */
#ifndef PC_DIRECTORY_H
#define PC_DIRECTORY_H

#include <limits.h>

#include "base/base.h"
#include "bytes/input.h"
#include "bytes/member.h"
#include "base/mem.h"

#define PC_MEMBERS_MAX 65536

struct pc_member {
    char *name; /* below the directory: "data.3", "kcore_dir/modules" */
    uint64_t name_size;
    enum pc_member_kind kind;
    uint32_t number; /* of data.N */
    uint32_t mode;   /* st_mode; a link is one */
    int error;       /* errno when it is a kcore_dir that cannot be listed */
    uint64_t size;
};

struct pc_directory {
    struct pc_mem *mem;
    int fd;
    uint32_t mode;
    struct pc_member *member; /* sorted by kind, number, name */
    size_t nr, cap;
    bool full;                           /* there are more members than the limit */
    uint64_t entries;                    /* looked at */
    uint64_t unknown;                    /* entries that are no members ... */
    char unknown_name[2 * NAME_MAX + 2]; /* ... and the first of their names, in the order of bytes */
};

void pc_directory_init(struct pc_directory *dir, struct pc_mem *mem);
void pc_directory_clear(struct pc_directory *dir);

/* Lists an open directory, which stays the caller's. Returns 0 or an errno. */
int pc_directory_list(struct pc_directory *dir, int fd);

/* Opens a member for reading. Returns 0 or an errno; ELOOP: it is a symbolic link; ENXIO: no regular file. */
int pc_directory_open(const struct pc_directory *dir, const struct pc_member *member, struct pc_input *in);

/* The first member of a kind, or NULL. */
const struct pc_member *pc_directory_first(const struct pc_directory *dir, enum pc_member_kind kind);

/* The file of this name in a kcore_dir, or NULL. */
const struct pc_member *pc_directory_kcore_file(const struct pc_directory *dir, const struct pc_member *kcore,
                                                const char *file);

#endif

/* SPDX-License-Identifier: MIT
 *
 * bundled.h: whether a directory that was written has what it was made of: names, sizes, bytes, and no
 * permissions that its origins do not have. All is listed and opened anew, by code that shares nothing with
 * what writes.
 */
#ifndef PC_BUNDLED_H
#define PC_BUNDLED_H

#include "base/mem.h"
#include "base/progress.h"
#include "bytes/directory.h"

struct pc_bundled {
    struct pc_mem *mem;
    struct pc_progress *progress; /* NULL: none is shown */
    struct pc_directory out;
    size_t explained;             /* members of it so far */
    char place[2 * NAME_MAX + 2]; /* in it, that was looked at last; "": the directory itself */
};

/* An open output holds the records under a name, and the kcore_dirs of the open input, if it is a directory
 * (-1: its bytes are in memory). Returns 0 or an errno; ESTALE: the output is otherwise at `place`. */
int pc_bundled_begin(struct pc_bundled *bundled, struct pc_mem *mem, struct pc_progress *progress, int output,
                     const char *records, int input);

/* ... and this one, under a name. */
int pc_bundled_kcore(struct pc_bundled *bundled, int kcore, const char *name);

/* ... and nothing else. error: what the functions before have returned; it is returned if it is not 0. */
int pc_bundled_end(struct pc_bundled *bundled, int error);

#endif

/* SPDX-License-Identifier: MIT
 *
 * mended.h: whether words of a damaged file that are read otherwise than they are (struct pc_patch) follow
 * from the rest of the file. It does not know how they were found.
 */
#ifndef PC_MENDED_H
#define PC_MENDED_H

#include "base/mem.h"
#include "bytes/input.h"

/* Looks at the patches of a file that are no words of its records. Returns the name of what does not follow;
 * NULL: nothing, or that cannot be seen: there is no memory, which is set in *no_memory, or file->error. */
const char *pc_mended_wrong(struct pc_mem *mem, struct pc_input *file, bool *no_memory);

#endif

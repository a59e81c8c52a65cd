/* SPDX-License-Identifier: MIT
 *
 * apart.h: does a piece of work in a copy of this process, so that a library that crashes, does not end or
 * takes all memory spoils only that piece. The copy has the rights of this process (confine.h) and no more.
 */
#ifndef PC_APART_H
#define PC_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory that a copy and this process have in common; NULL: there is none. It is zero, and takes room only
 * where something is written. */
void *pc_apart_share(size_t size);
void pc_apart_unshare(void *shared, size_t size);

/* Has the copy call work, and waits for it. The copy ends after so many seconds of processor time, and has at
 * most so many bytes of address space (not in builds for sanitizers, which need more). False: it did not come
 * to its end, or work returned false, or there is no copy. */
bool pc_apart_run(bool (*work)(void *ctx), void *ctx, unsigned seconds, uint64_t memory);

#endif

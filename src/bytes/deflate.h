/* SPDX-License-Identifier: MIT
 *
 * deflate.h: compresses into one zstd frame that is flushed and never ended, as perf writes it. It takes
 * 20 MiB of mem.h at every level, since the window and the tables of the high levels are limited. The same
 * bytes in the same portions, with the same room for the output, give the same stream.
 */
#ifndef PC_DEFLATE_H
#define PC_DEFLATE_H

#include "base/base.h"
#include "base/mem.h"

#define PC_DEFLATE_LEVELS 22

/* Window of 2 MiB, and tables of 2^21 entries. Level 22 would need 128 MiB and 640 MiB of memory in all. */
#define PC_DEFLATE_WINDOW_LOG 21

/* Readers report a record without output as damage, so no block may be longer than a record. Blocks
 * hold at most so many bytes, and never grow by more than their head of 3. */
#define PC_DEFLATE_BLOCK ((size_t)60 << 10)

struct pc_deflate {
    struct pc_mem *mem;
    void *stream; /* ZSTD_CCtx; NULL before the first byte */
    int level;
    size_t block; /* bytes that are left of the current block */
    bool held;    /* libzstd has more output than there was room for */
};

/* level is 1 to PC_DEFLATE_LEVELS. Nothing is allocated before the first byte. */
void pc_deflate_init(struct pc_deflate *deflate, struct pc_mem *mem, int level);
void pc_deflate_clear(struct pc_deflate *deflate);

/* Compresses from the front of *in, of which it takes what it used, to at most `room` bytes. *got says how
 * many there are; fewer than room when all of *in was used and all of it came out. Until then the rest of the
 * same bytes must be given. False: no memory, and the stream cannot be continued. */
bool pc_deflate(struct pc_deflate *deflate, struct pc_span *in, unsigned char *to, size_t room, size_t *got);

#endif

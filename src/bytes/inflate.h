/* SPDX-License-Identifier: MIT
 *
 * inflate.h: decompresses a zstd stream that arrives in pieces, flushed and never ended, as perf writes it.
 * Memory is that of mem.h; a window is at most 128 MiB.
 */
#ifndef PC_INFLATE_H
#define PC_INFLATE_H

#include "base/base.h"
#include "base/mem.h"

#define PC_INFLATE_WINDOW_LOG 27
/* Memory for a stream with the largest window. */
#define PC_INFLATE_MEMORY (((uint64_t)1 << PC_INFLATE_WINDOW_LOG) + ((uint64_t)1 << 20))

struct pc_inflate {
    struct pc_mem *mem;
    void *stream;      /* ZSTD_DCtx; NULL before the first byte */
    bool between;      /* no frame is open */
    bool at_block;     /* the next byte begins a block, or a frame */
    uint64_t frames;   /* frames begun */
    const char *error; /* message of libzstd; a static string */
};

/* What a block has at least: its header. RFC 8878, 3.1.1.2: last block, 2 bits of type, 21 bits of size. */
#define PC_INFLATE_BLOCK_MIN 3

enum pc_inflate_outcome {
    PC_INFLATE_GOOD,
    PC_INFLATE_BAD,    /* not a zstd stream, or damaged; see error */
    PC_INFLATE_WINDOW, /* a window above the limit */
    PC_INFLATE_NO_MEMORY,
};

/* Nothing is allocated before the first byte. */
void pc_inflate_init(struct pc_inflate *inflate, struct pc_mem *mem);
void pc_inflate_clear(struct pc_inflate *inflate);

/* Forgets the current frame: the next byte begins a new one. */
void pc_inflate_restart(struct pc_inflate *inflate);

/* Decompresses from the front of *in, of which it takes what it used, to at most `room` bytes, and not beyond
 * the end of a frame. *got says how many there are; fewer than room when the frame ended or all of *in was
 * used. */
enum pc_inflate_outcome pc_inflate(struct pc_inflate *inflate, struct pc_span *in, unsigned char *to,
                                   size_t room, size_t *got);

/* Whether these bytes begin a zstd frame. */
bool pc_inflate_is_frame(struct pc_span bytes);

/* Moves a place in these bytes, where the header of a frame or a block of zstd begins, to where that ends,
 * which may be behind all of them. False: the header of the block is not there. */
bool pc_inflate_pass(struct pc_span bytes, size_t *at);

/* Whether a block of zstd ends at a place in these bytes, which begin with a frame or a block. *pos: where
 * the last block before it ends; 0 at first, and moved on, so that places that follow each other cost one
 * pass. */
bool pc_inflate_ends_block(struct pc_span bytes, size_t at, size_t *pos);

#endif

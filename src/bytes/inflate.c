/* SPDX-License-Identifier: MIT
 *
 * Decompresses a zstd stream that arrives in pieces.
 */
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_createDCtx_advanced: memory of our own */
#include "bytes/inflate.h"

#include "bytes/cursor.h"
#include "bytes/zmem.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/* A frame of zstd, or one to be skipped. Those of zstd before 0.8, which libzstd may know as well, are
 * refused: it reads them with memory that is not ours and windows of any size. */
static bool may_begin_frame(unsigned char first)
{
    return first == 0x28 || (first & 0xf0) == 0x50;
}

void pc_inflate_init(struct pc_inflate *inflate, struct pc_mem *mem)
{
    *inflate = (struct pc_inflate){ .mem = mem, .between = true, .at_block = true };
}

void pc_inflate_clear(struct pc_inflate *inflate)
{
    ZSTD_freeDCtx(inflate->stream);
    pc_inflate_init(inflate, inflate->mem);
}

void pc_inflate_restart(struct pc_inflate *inflate)
{
    if (inflate->stream)
        ZSTD_DCtx_reset(inflate->stream, ZSTD_reset_session_only);
    inflate->between = true;
    inflate->at_block = true;
}

enum pc_inflate_outcome pc_inflate(struct pc_inflate *inflate, struct pc_span *in, unsigned char *to,
                                   size_t room, size_t *got)
{
    ZSTD_inBuffer from = { in->ptr, in->len, 0 };
    ZSTD_outBuffer out = { to, room, 0 };
    *got = 0;
    if (!inflate->stream) {
        inflate->stream =
            ZSTD_createDCtx_advanced((ZSTD_customMem){ pc_zstd_alloc, pc_zstd_free, inflate->mem });
        if (!inflate->stream)
            return PC_INFLATE_NO_MEMORY;
        ZSTD_DCtx_setParameter(inflate->stream, ZSTD_d_windowLogMax, PC_INFLATE_WINDOW_LOG);
    }
    /* A call may use all input and still hold output back: it is asked again as long as the output is full.
     */
    while (out.pos < room) {
        bool had_input = from.pos < from.size;
        if (inflate->between && !had_input)
            break;
        if (inflate->between)
            inflate->frames++;
        if (inflate->between && !may_begin_frame(in->ptr[from.pos])) {
            inflate->error = "Unknown frame descriptor";
            *got = out.pos;
            return PC_INFLATE_BAD;
        }
        size_t before = out.pos;
        size_t left = ZSTD_decompressStream(inflate->stream, &out, &from);
        if (ZSTD_isError(left)) {
            inflate->error = ZSTD_getErrorName(left);
            inflate->between = true;
            inflate->at_block = false;
            *got = out.pos;
            switch (ZSTD_getErrorCode(left)) {
            case ZSTD_error_memory_allocation:
                return PC_INFLATE_NO_MEMORY;
            case ZSTD_error_frameParameter_windowTooLarge:
                return PC_INFLATE_WINDOW;
            default:
                return PC_INFLATE_BAD;
            }
        }
        inflate->between = left == 0;
        inflate->at_block = left == 0 || (left == PC_INFLATE_BLOCK_MIN && /* no byte of its header is taken */
                                          ZSTD_nextInputType(inflate->stream) == ZSTDnit_blockHeader);
        if (inflate->between || (!had_input && out.pos == before))
            break;
    }
    *got = out.pos;
    in->ptr += from.pos;
    in->len -= from.pos;
    return PC_INFLATE_GOOD;
}

bool pc_inflate_is_frame(struct pc_span bytes)
{
    static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
    return bytes.len >= sizeof(magic) && memcmp(bytes.ptr, magic, sizeof(magic)) == 0;
}

bool pc_inflate_pass(struct pc_span bytes, size_t *at)
{
    const size_t head = PC_INFLATE_BLOCK_MIN;
    const unsigned run = 1; /* the type whose block is one byte, so many times */
    struct pc_span rest = pc_part(bytes, *at, bytes.len - *at);
    size_t frame = pc_inflate_is_frame(rest) ? ZSTD_frameHeaderSize(rest.ptr, rest.len) : 0;
    if (frame != 0 && !ZSTD_isError(frame)) {
        *at += frame;
        return true;
    }
    if (rest.len < head)
        return false;
    uint64_t word = pc_load(rest.ptr, 2, PC_LITTLE) | (uint64_t)rest.ptr[2] << 16;
    *at += head + ((word >> 1 & 3) == run ? 1 : (size_t)(word >> 3));
    return true;
}

bool pc_inflate_ends_block(struct pc_span bytes, size_t at, size_t *pos)
{
    if (*pos == 0 && pc_inflate_is_frame(bytes))
        pc_inflate_pass(bytes, pos);
    while (*pos < at && *pos <= bytes.len && pc_inflate_pass(bytes, pos))
        ;
    return *pos == at;
}

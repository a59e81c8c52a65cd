/* SPDX-License-Identifier: MIT
 *
 * Compresses records into a zstd stream, as perf does.
 */
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_createCCtx_advanced: memory of our own */
#include "bytes/deflate.h"

#include "bytes/zmem.h"

#include <zstd.h>

void pc_deflate_init(struct pc_deflate *deflate, struct pc_mem *mem, int level)
{
    assert(level >= 1 && level <= PC_DEFLATE_LEVELS);
    *deflate = (struct pc_deflate){ .mem = mem, .level = level };
}

void pc_deflate_clear(struct pc_deflate *deflate)
{
    ZSTD_freeCCtx(deflate->stream);
    pc_deflate_init(deflate, deflate->mem, deflate->level);
}

static int at_most(unsigned log)
{
    return log < PC_DEFLATE_WINDOW_LOG ? (int)log : PC_DEFLATE_WINDOW_LOG;
}

static bool begin(struct pc_deflate *deflate)
{
    /* Without a known size, only the level decides how large the tables are. */
    ZSTD_compressionParameters own = ZSTD_getCParams(deflate->level, 0, 0);
    ZSTD_CCtx *stream =
        ZSTD_createCCtx_advanced((ZSTD_customMem){ pc_zstd_alloc, pc_zstd_free, deflate->mem });
    if (!stream)
        return false;
    deflate->stream = stream;
    ZSTD_CCtx_setParameter(stream, ZSTD_c_compressionLevel, deflate->level);
    ZSTD_CCtx_setParameter(stream, ZSTD_c_windowLog, at_most(own.windowLog));
    ZSTD_CCtx_setParameter(stream, ZSTD_c_hashLog, at_most(own.hashLog));
    ZSTD_CCtx_setParameter(stream, ZSTD_c_chainLog, at_most(own.chainLog));
    return true;
}

bool pc_deflate(struct pc_deflate *deflate, struct pc_span *in, unsigned char *to, size_t room, size_t *got)
{
    ZSTD_outBuffer out = { to, room, 0 };
    *got = 0;
    if (!deflate->stream && !begin(deflate))
        return false;
    while (out.pos < room && (in->len != 0 || deflate->held)) {
        if (!deflate->held && deflate->block == 0)
            deflate->block = in->len < PC_DEFLATE_BLOCK ? in->len : PC_DEFLATE_BLOCK;
        assert(deflate->block <= in->len);
        ZSTD_inBuffer from = { in->ptr, deflate->block, 0 };
        size_t left = ZSTD_compressStream2(deflate->stream, &out, &from, ZSTD_e_flush);
        if (ZSTD_isError(left)) /* out of memory: nothing else can fail */
            return false;
        in->ptr += from.pos;
        in->len -= from.pos;
        deflate->block -= from.pos;
        deflate->held = left != 0;
    }
    *got = out.pos;
    return true;
}

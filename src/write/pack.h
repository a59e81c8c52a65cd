/* SPDX-License-Identifier: MIT
 *
 * pack.h: records into COMPRESSED2 records, or COMPRESSED
 * ones for perf before 6.15 (FORMAT.md 7). Whole records are collected and then
 * compressed as one portion of one zstd stream, so that the order among those that are not compressed stays.
 */
#ifndef PC_PACK_H
#define PC_PACK_H

#include "base/base.h"
#include "bytes/deflate.h"
#include "format/tables.h"
#include "base/mem.h"
#include "bytes/sink.h"

#define PC_PACK_CHUNK ((size_t)256 << 10)

struct pc_pack {
    struct pc_mem *mem;
    struct pc_sink *sink;
    enum pc_order order;
    uint32_t type; /* PC_COMPRESSED or PC_COMPRESSED2; until something is in the sink it may change */
    struct pc_deflate deflate;
    unsigned char *chunk; /* PC_PACK_CHUNK bytes, `len` of them used; then room for what comes out */
    size_t len;
    uint64_t in, out; /* bytes of records: taken, and put into the sink for them */
    bool failed;      /* no memory; nothing more comes out */
};

void pc_pack_init(struct pc_pack *pack, struct pc_mem *mem, struct pc_sink *sink, enum pc_order order,
                  uint32_t type, int level);
void pc_pack_clear(struct pc_pack *pack);

/* Takes a record, of at most PC_RECORD_SIZE_MAX bytes. */
void pc_pack_put(struct pc_pack *pack, struct pc_span record);

/* What was taken is in the sink when this is done: before anything else is put there. */
void pc_pack_flush(struct pc_pack *pack);

#endif

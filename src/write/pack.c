/* SPDX-License-Identifier: MIT */
#include "write/pack.h"

#include "bytes/cursor.h"

#include <string.h>

/* The header of a COMPRESSED2 record: data_size comes with it. */
#define HEAD ((size_t)PC_RECORD_HEADER_SIZE + 8)
/* What fits into the largest such record, whose size is a multiple of 8; no more in a COMPRESSED one. */
#define DATA_MAX ((size_t)65528 - HEAD)

void pc_pack_init(struct pc_pack *pack, struct pc_mem *mem, struct pc_sink *sink, enum pc_order order,
                  uint32_t type, int level)
{
    *pack = (struct pc_pack){ .mem = mem, .sink = sink, .order = order, .type = type };
    pc_deflate_init(&pack->deflate, mem, level);
}

void pc_pack_clear(struct pc_pack *pack)
{
    pc_deflate_clear(&pack->deflate);
    pc_free(pack->mem, pack->chunk, PC_PACK_CHUNK + HEAD + DATA_MAX + 7);
    pack->chunk = NULL;
    pack->len = 0;
}

/* Puts a record around so many bytes, which follow room for its header. */
static void put_record(struct pc_pack *pack, unsigned char *record, size_t data_size)
{
    bool second = pack->type == PC_COMPRESSED2;
    size_t size = HEAD + data_size;
    if (second) {
        size = (size_t)pc_align8(size);
        pc_store(record + PC_RECORD_HEADER_SIZE, 8, data_size, pack->order);
        memset(record + HEAD + data_size, 0, size - HEAD - data_size);
    } else { /* has no data_size, and no padding */
        record += HEAD - PC_RECORD_HEADER_SIZE;
        size -= HEAD - PC_RECORD_HEADER_SIZE;
    }
    pc_store_head(record, (struct pc_record_head){ pack->type, 0, (uint16_t)size }, pack->order);
    pc_sink_put(pack->sink, record, size);
    pack->out += size;
}

void pc_pack_flush(struct pc_pack *pack)
{
    struct pc_span in = { pack->chunk, pack->len };
    if (pack->len == 0 || pack->failed)
        return;
    unsigned char *record = pack->chunk + PC_PACK_CHUNK;
    size_t got;
    do {
        if (!pc_deflate(&pack->deflate, &in, record + HEAD, DATA_MAX, &got)) {
            pack->failed = true;
            return;
        }
        if (got != 0)
            put_record(pack, record, got);
    } while (got == DATA_MAX);
    pack->len = 0;
}

void pc_pack_put(struct pc_pack *pack, struct pc_span record)
{
    assert(record.len <= PC_PACK_CHUNK);
    if (pack->failed)
        return;
    if (!pack->chunk && !(pack->chunk = pc_alloc_buffer(pack->mem, PC_PACK_CHUNK + HEAD + DATA_MAX + 7))) {
        pack->failed = true;
        return;
    }
    if (record.len > PC_PACK_CHUNK - pack->len)
        pc_pack_flush(pack);
    if (pack->failed)
        return;
    memcpy(pack->chunk + pack->len, record.ptr, record.len);
    pack->len += record.len;
    pack->in += record.len;
}

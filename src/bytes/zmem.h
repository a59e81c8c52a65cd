/* SPDX-License-Identifier: MIT
 *
 * zmem.h: mem.h in the form that libzstd needs. libzstd frees a block without its size, so the size is
 * stored before the block.
 */
#ifndef PC_ZMEM_H
#define PC_ZMEM_H

#include "base/base.h"
#include "base/mem.h"

union pc_zstd_block {
    uint64_t size;
    max_align_t align;
};

static inline void *pc_zstd_alloc(void *mem, size_t size)
{
    uint64_t whole = (uint64_t)size + sizeof(union pc_zstd_block);
    union pc_zstd_block *block = pc_alloc_buffer(mem, whole);
    if (!block)
        return NULL;
    block->size = whole;
    return block + 1;
}

static inline void pc_zstd_free(void *mem, void *address)
{
    if (!address)
        return;
    union pc_zstd_block *block = (union pc_zstd_block *)address - 1;
    pc_free(mem, block, block->size);
}

#endif

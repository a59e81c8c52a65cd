/* SPDX-License-Identifier: MIT
 *
 * The only allocator: blocks, their budget and growing arrays.
 */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void pc_mem_init(struct pc_mem *mem, uint64_t limit)
{
    *mem = (struct pc_mem){ .limit = limit };
}

/* Counts the call and reserves size bytes of the budget. */
static bool reserve(struct pc_mem *mem, uint64_t size)
{
    mem->calls++;
    if (mem->fail_at != 0 && (mem->calls == mem->fail_at || (mem->fail_on && mem->calls > mem->fail_at)))
        return false;
    if (size > SIZE_MAX || mem->used > mem->limit || size > mem->limit - mem->used)
        return false;
    mem->used += size;
    if (mem->used > mem->peak)
        mem->peak = mem->used;
    return true;
}

static void *allocate(struct pc_mem *mem, uint64_t size, bool zeroed)
{
    assert(size != 0);
    if (!reserve(mem, size))
        return NULL;
    void *block = zeroed ? calloc(1, (size_t)size) : malloc((size_t)size);
    if (!block) {
        mem->used -= size;
        mem->failed = true;
    }
    return block;
}

void *pc_alloc(struct pc_mem *mem, uint64_t size)
{
    return allocate(mem, size, true);
}

void *pc_alloc_buffer(struct pc_mem *mem, uint64_t size)
{
    return allocate(mem, size, false);
}

/* Before the struct stands how far it is from the block that the system gave. */
void *pc_alloc_line(struct pc_mem *mem, uint64_t size)
{
    unsigned char *block = pc_alloc(mem, size + PC_MEM_LINE);
    if (!block)
        return NULL;
    size_t skip = PC_MEM_LINE - (uintptr_t)block % PC_MEM_LINE;
    block[skip - 1] = (unsigned char)skip;
    return block + skip;
}

void pc_free_line(struct pc_mem *mem, void *block, uint64_t size)
{
    unsigned char *line = block;
    if (line)
        pc_free(mem, line - line[-1], size + PC_MEM_LINE);
}

void *pc_resize(struct pc_mem *mem, void *block, uint64_t old_size, uint64_t new_size)
{
    /* Both blocks exist for a moment, and the budget counts them so. */
    void *moved = pc_alloc(mem, new_size);
    if (!moved)
        return NULL;
    if (block)
        memcpy(moved, block, (size_t)(old_size < new_size ? old_size : new_size));
    pc_free(mem, block, old_size);
    return moved;
}

bool pc_grow(struct pc_mem *mem, void *array, size_t *cap, size_t needed, size_t size)
{
    const size_t first = 16;
    void *block;
    if (needed <= *cap)
        return true;
    size_t wanted = *cap ? *cap * 2 : first;
    wanted = wanted > needed ? wanted : needed;
    memcpy(&block, array, sizeof(block));
    block = pc_resize(mem, block, (uint64_t)*cap * size, (uint64_t)wanted * size);
    if (!block)
        return false;
    memcpy(array, &block, sizeof(block));
    *cap = wanted;
    return true;
}

void pc_free(struct pc_mem *mem, void *block, uint64_t size)
{
    if (!block)
        return;
    assert(mem->used >= size);
    mem->used -= size;
    free(block);
}

char *pc_alloc_text(struct pc_mem *mem, const char *text, size_t len)
{
    char *copy = pc_alloc(mem, (uint64_t)len + 1);
    return copy ? memcpy(copy, text, len) : NULL;
}

void pc_free_text(struct pc_mem *mem, char *text)
{
    pc_free(mem, text, text ? strlen(text) + 1 : 0);
}

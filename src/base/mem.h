/* SPDX-License-Identifier: MIT
 *
 * mem.h: the only allocator. It keeps a budget and a peak. A test can make the n-th call fail, and so each
 * allocation of the program once. Callers remember the size of their blocks.
 */
#ifndef PC_MEM_H
#define PC_MEM_H

#include "base/base.h"

struct pc_mem {
    uint64_t limit;   /* bytes that may be in use at once */
    uint64_t used;    /* bytes in use */
    uint64_t peak;    /* the most bytes that were in use at once */
    uint64_t calls;   /* allocations that were asked for */
    uint64_t fail_at; /* test hook: this call fails (1 is the first; 0: none) ... */
    bool fail_on;     /* ... and all later ones too */
    bool failed;      /* the system had no memory, within the budget, for one call at least */
};

void pc_mem_init(struct pc_mem *mem, uint64_t limit);

/* Returns size zeroed bytes, or NULL: over the budget, no memory, or a test makes it fail. size is not 0. */
void *pc_alloc(struct pc_mem *mem, uint64_t size);

/* The same, uninitialised: for buffers that are written before they are read. */
void *pc_alloc_buffer(struct pc_mem *mem, uint64_t size);

/* The same as pc_alloc, for a struct whose address must be a multiple of PC_MEM_LINE; it costs PC_MEM_LINE
 * bytes more of the budget. pc_free_line frees it. */
#define PC_MEM_LINE 64
void *pc_alloc_line(struct pc_mem *mem, uint64_t size);
void pc_free_line(struct pc_mem *mem, void *block, uint64_t size);

/* Moves a block to one of new_size bytes, whose new bytes are zero. NULL: no memory, and the old block is as
 * it was. */
void *pc_resize(struct pc_mem *mem, void *block, uint64_t old_size, uint64_t new_size);

/* Makes room in a growing array. array: the address of the pointer to its first element, which is NULL while
 * *cap is 0. *cap: elements that there is room for; size: bytes of an element; needed: elements that must
 * fit. New elements are zeroed. False: no memory, and the array is as before. The owner frees *cap * size
 * bytes. */
bool pc_grow(struct pc_mem *mem, void *array, size_t *cap, size_t needed, size_t size);

/* A copy of the first len bytes of a text, and a NUL; NULL: no memory. pc_free_text frees it. */
char *pc_alloc_text(struct pc_mem *mem, const char *text, size_t len);
void pc_free_text(struct pc_mem *mem, char *text);

/* Frees a block of pc_alloc, pc_resize or pc_grow; NULL is allowed. */
void pc_free(struct pc_mem *mem, void *block, uint64_t size);

#endif

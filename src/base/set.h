/* SPDX-License-Identifier: MIT
 *
 * set.h: a hash set with open addressing. Entries lie in one array, in the order in which they were added;
 * each begins with its key, and what follows the key is the caller's.
 */
#ifndef PC_SET_H
#define PC_SET_H

#include "base/mem.h"

struct pc_set {
    /* Set by the owner of an empty set, whose other members are zero. */
    size_t entry_size; /* bytes of an entry */
    size_t key_size;   /* bytes of the key that it begins with, 8 at least; they are hashed by the first 8 */
    size_t most;       /* entries that it may have, less than 2^32 */

    void *entry; /* nr of them */
    size_t nr, cap;
    uint32_t *index; /* by hash: the number of an entry, plus 1; 0: free */
    size_t index_cap;
    bool full;      /* an entry had no room: a key that is not found may have been there */
    bool no_memory; /* that is why */
    uint64_t work;  /* entries that all searches have looked at */
};

/* The entry of a key, or NULL. It is valid until the next pc_set_add. */
void *pc_set_find(struct pc_set *set, const void *key);

/* The entry of a key, which is added with zeros after the key when there is none (set->nr then grows). NULL:
 * the set is full, and stays so: it has `most` entries, there is no memory, or too many keys have similar
 * hashes. */
void *pc_set_add(struct pc_mem *mem, struct pc_set *set, const void *key);

/* Frees the memory. The set is then empty. */
void pc_set_clear(struct pc_mem *mem, struct pc_set *set);

#endif

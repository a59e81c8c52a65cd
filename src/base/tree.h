/* SPDX-License-Identifier: MIT
 *
 * tree.h: a map from 64-bit keys to 32-bit values, as a binary tree on the bits of the keys. A look-up takes
 * at most 64 steps, whatever the keys are.
 */
#ifndef PC_TREE_H
#define PC_TREE_H

#include "base/mem.h"

/* A key with its value, and one inner node of the tree, which has nothing to do with that key. */
struct pc_tree_entry {
    uint64_t key;
    uint32_t value;
    uint32_t child[2]; /* index of an entry, or of a node when the highest bit is set */
    uint8_t bit;       /* the highest bit in which the keys below the node differ */
};

/* Zeroed, it is an empty tree. */
struct pc_tree {
    struct pc_tree_entry *entry; /* in the order in which they were added */
    size_t nr, cap;
    uint32_t root;
};

/* The entry of a key; NULL: there is none. Valid until the next pc_tree_add. */
const struct pc_tree_entry *pc_tree_find(const struct pc_tree *tree, uint64_t key);

/* The entry of a key, added with this value when there is none (tree->nr then grows). NULL: no memory. The
 * tree holds less than 2^31 keys. */
const struct pc_tree_entry *pc_tree_add(struct pc_mem *mem, struct pc_tree *tree, uint64_t key,
                                        uint32_t value);

/* Frees the memory; the tree is then empty. */
void pc_tree_clear(struct pc_mem *mem, struct pc_tree *tree);

#endif

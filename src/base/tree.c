/* SPDX-License-Identifier: MIT
 *
 * A crit-bit tree: an inner node tests the highest bit in which the keys below it differ.
 */
#include "base/tree.h"

#define IS_NODE ((uint32_t)1 << 31)

/* The entry at which a search for the key ends. The tree is not empty. */
static struct pc_tree_entry *nearest(const struct pc_tree *tree, uint64_t key)
{
    uint32_t at = tree->root;
    while (at & IS_NODE) {
        const struct pc_tree_entry *node = &tree->entry[at & ~IS_NODE];
        at = node->child[key >> node->bit & 1];
    }
    return &tree->entry[at];
}

const struct pc_tree_entry *pc_tree_find(const struct pc_tree *tree, uint64_t key)
{
    const struct pc_tree_entry *near = tree->nr != 0 ? nearest(tree, key) : NULL;
    return near && near->key == key ? near : NULL;
}

/* Links the newest entry; `bit` is the highest in which its key differs from the nearest. */
static void insert(struct pc_tree *tree, uint8_t bit)
{
    uint32_t leaf = (uint32_t)tree->nr, *place = &tree->root;
    struct pc_tree_entry *added = &tree->entry[leaf];
    while ((*place & IS_NODE) && tree->entry[*place & ~IS_NODE].bit > bit) {
        struct pc_tree_entry *node = &tree->entry[*place & ~IS_NODE];
        place = &node->child[added->key >> node->bit & 1];
    }
    unsigned side = added->key >> bit & 1;
    added->bit = bit;
    added->child[side] = leaf;
    added->child[!side] = *place;
    *place = leaf | IS_NODE;
}

const struct pc_tree_entry *pc_tree_add(struct pc_mem *mem, struct pc_tree *tree, uint64_t key,
                                        uint32_t value)
{
    uint64_t differs = 0;
    if (tree->nr != 0) {
        const struct pc_tree_entry *near = nearest(tree, key);
        differs = near->key ^ key;
        if (differs == 0)
            return near;
    }
    assert(tree->nr < IS_NODE);
    if (!pc_grow(mem, &tree->entry, &tree->cap, tree->nr + 1, sizeof(*tree->entry)))
        return NULL;
    struct pc_tree_entry *entry = &tree->entry[tree->nr];
    *entry = (struct pc_tree_entry){ .key = key, .value = value };
    if (tree->nr != 0)
        insert(tree, (uint8_t)(63 - __builtin_clzll(differs)));
    tree->nr++;
    return entry;
}

void pc_tree_clear(struct pc_mem *mem, struct pc_tree *tree)
{
    pc_free(mem, tree->entry, tree->cap * sizeof(*tree->entry));
    *tree = (struct pc_tree){ 0 };
}

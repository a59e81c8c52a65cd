/* SPDX-License-Identifier: MIT */
#include "read/ids.h"

#include <string.h>

#define PC_ID_IS_NODE ((uint32_t)1 << 31)

void pc_ids_clear(struct pc_mem *mem, struct pc_id_map *map)
{
    pc_free(mem, map->id, map->cap * sizeof(*map->id));
    pc_free(mem, map->attr, map->cap * sizeof(*map->attr));
    pc_free(mem, map->node, map->cap * sizeof(*map->node));
}

static bool grow_ids(struct pc_mem *mem, struct pc_id_map *map)
{
    if (map->nr < map->cap)
        return true;
    if (map->nr >= PC_IDS_HELD_MAX)
        return false;
    struct pc_id_map bigger = *map;
    bigger.cap = map->cap ? map->cap * 2 : 64;
    bigger.id = pc_alloc(mem, bigger.cap * sizeof(*bigger.id));
    bigger.attr = pc_alloc(mem, bigger.cap * sizeof(*bigger.attr));
    bigger.node = pc_alloc(mem, bigger.cap * sizeof(*bigger.node));
    if (!bigger.id || !bigger.attr || !bigger.node) {
        pc_ids_clear(mem, &bigger);
        return false;
    }
    if (map->nr != 0) {
        memcpy(bigger.id, map->id, map->nr * sizeof(*map->id));
        memcpy(bigger.attr, map->attr, map->nr * sizeof(*map->attr));
        memcpy(bigger.node, map->node, map->nr * sizeof(*map->node));
    }
    pc_ids_clear(mem, map);
    *map = bigger;
    return true;
}

/* The id that shares most leading bits with this one along the tree's tests. The map is not empty. */
static uint32_t nearest(const struct pc_id_map *map, uint64_t id)
{
    uint32_t at = map->root;
    while (at & PC_ID_IS_NODE) {
        const struct pc_id_node *node = &map->node[at & ~PC_ID_IS_NODE];
        at = node->child[id >> node->bit & 1];
    }
    return at;
}

/* Puts the id, which is in no leaf, into the tree; `bit` is the highest in which it differs from the nearest.
 */
static void insert(struct pc_id_map *map, uint64_t id, uint32_t attr, uint8_t bit)
{
    uint32_t leaf = (uint32_t)map->nr, *place = &map->root;
    map->id[leaf] = id;
    map->attr[leaf] = attr;
    while ((*place & PC_ID_IS_NODE) && map->node[*place & ~PC_ID_IS_NODE].bit > bit) {
        struct pc_id_node *node = &map->node[*place & ~PC_ID_IS_NODE];
        place = &node->child[id >> node->bit & 1];
    }
    unsigned side = id >> bit & 1;
    map->node[leaf].bit = bit;
    map->node[leaf].child[side] = leaf;
    map->node[leaf].child[!side] = *place;
    *place = leaf | PC_ID_IS_NODE;
    map->nr++;
}

enum pc_id_outcome pc_ids_add(struct pc_mem *mem, struct pc_id_map *map, uint64_t id, uint32_t attr,
                              uint32_t *other)
{
    if (id == 0)
        return PC_ID_ZERO;
    if (map->nr != 0) {
        uint32_t near = nearest(map, id);
        if (map->id[near] == id) {
            *other = map->attr[near];
            return *other == attr ? PC_ID_AGAIN : PC_ID_OTHERS;
        }
        uint8_t bit = (uint8_t)(63 - __builtin_clzll(map->id[near] ^ id));
        if (!grow_ids(mem, map))
            return PC_ID_FULL;
        insert(map, id, attr, bit);
        return PC_ID_ADDED;
    }
    if (!grow_ids(mem, map))
        return PC_ID_FULL;
    map->id[0] = id;
    map->attr[0] = attr;
    map->root = 0;
    map->nr = 1;
    return PC_ID_ADDED;
}

uint32_t pc_ids_find(const struct pc_id_map *map, uint64_t id)
{
    if (map->nr == 0)
        return PC_NO_ATTR;
    uint32_t near = nearest(map, id);
    return map->id[near] == id ? map->attr[near] : PC_NO_ATTR;
}

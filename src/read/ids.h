/* SPDX-License-Identifier: MIT
 *
 * ids.h: a map from ids to the index of what they belong to: attrs, or tracepoints.
 */
#ifndef PC_IDS_H
#define PC_IDS_H

#include "base/base.h"
#include "base/mem.h"

#define PC_IDS_HELD_MAX ((uint64_t)1 << 20)
#define PC_NO_ATTR      UINT32_MAX

/* Ids as a tree on their bits (crit-bit): a look-up takes at most 64 steps whatever the ids are. */
struct pc_id_node {
    uint32_t child[2]; /* an id, or a node when PC_ID_IS_NODE is set */
    uint8_t bit;       /* the highest bit in which ids below differ */
};
struct pc_id_map {
    uint64_t *id;
    uint32_t *attr;
    struct pc_id_node *node; /* one less than ids */
    size_t nr, cap;
    uint32_t root;
    struct pc_recent {
        uint64_t id;
        uint32_t attr;
    } recent[64]; /* by the low bits of the id; an id of 0 is none */
};

enum pc_id_outcome { PC_ID_ADDED, PC_ID_ZERO, PC_ID_AGAIN, PC_ID_OTHERS, PC_ID_FULL };

/* Adds an id that is not 0. *other: the index that it has already (PC_ID_OTHERS). */
enum pc_id_outcome pc_ids_add(struct pc_mem *mem, struct pc_id_map *map, uint64_t id, uint32_t index,
                              uint32_t *other);

/* The index of an id, or PC_NO_ATTR. */
uint32_t pc_ids_find(const struct pc_id_map *map, uint64_t id);

void pc_ids_clear(struct pc_mem *mem, struct pc_id_map *map);

#endif

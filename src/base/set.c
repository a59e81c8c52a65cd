/* SPDX-License-Identifier: MIT
 *
 * Linear probing in an index of which a quarter is used at most. Random keys then have searches of about 20
 * steps at the worst; a longer search means keys that were made to collide.
 */
#include "base/set.h"

#include <string.h>

#define STEPS_MAX   64
#define INDEX_FIRST 64

static unsigned char *entry_at(const struct pc_set *set, size_t i)
{
    return (unsigned char *)set->entry + i * set->entry_size;
}

/* The slot of the index that has the key, or the free one where it belongs. NULL: the search takes too long.
 */
static uint32_t *search(struct pc_set *set, const void *key)
{
    const unsigned bits = (unsigned)__builtin_ctzll(set->index_cap);
    uint64_t word;
    memcpy(&word, key, sizeof(word));
    size_t at = (size_t)((word * 0x9e3779b97f4a7c15) >> (64 - bits));
    for (unsigned i = 0; i < STEPS_MAX; i++) {
        uint32_t *slot = &set->index[(at + i) & (set->index_cap - 1)];
        set->work++;
        if (*slot == 0 || memcmp(entry_at(set, *slot - 1), key, set->key_size) == 0)
            return slot;
    }
    return NULL;
}

/* Doubles the index when the next entry would need more than a quarter of it. */
static bool grow_index(struct pc_mem *mem, struct pc_set *set)
{
    if ((set->nr + 1) * 4 <= set->index_cap)
        return true;
    struct pc_set larger = *set;
    larger.index_cap = set->index_cap ? set->index_cap * 2 : INDEX_FIRST;
    larger.index = pc_alloc(mem, larger.index_cap * sizeof(*larger.index));
    if (!larger.index) {
        set->no_memory = true;
        return false;
    }
    pc_free(mem, set->index, set->index_cap * sizeof(*set->index));
    *set = larger;
    for (size_t i = 0; i < set->nr; i++) {
        uint32_t *slot = search(set, entry_at(set, i));
        assert(slot); /* places are twice as far apart, so no search is longer than it was */
        *slot = (uint32_t)i + 1;
    }
    return true;
}

void *pc_set_find(struct pc_set *set, const void *key)
{
    const uint32_t *slot = set->index_cap ? search(set, key) : NULL;
    return slot && *slot != 0 ? entry_at(set, *slot - 1) : NULL;
}

/* Makes an entry of a key that is not in the set. */
static void *append(struct pc_mem *mem, struct pc_set *set, const void *key)
{
    if (set->nr >= set->most || !grow_index(mem, set))
        return NULL;
    uint32_t *slot = search(set, key);
    if (!slot)
        return NULL;
    if (!pc_grow(mem, &set->entry, &set->cap, set->nr + 1, set->entry_size)) {
        set->no_memory = true;
        return NULL;
    }
    unsigned char *entry = entry_at(set, set->nr);
    memcpy(entry, key, set->key_size);
    *slot = (uint32_t)++set->nr;
    return entry;
}

void *pc_set_add(struct pc_mem *mem, struct pc_set *set, const void *key)
{
    void *entry = pc_set_find(set, key);
    if (entry || set->full)
        return entry;
    entry = append(mem, set, key);
    set->full = !entry;
    return entry;
}

void pc_set_clear(struct pc_mem *mem, struct pc_set *set)
{
    pc_free(mem, set->entry, set->cap * set->entry_size);
    pc_free(mem, set->index, set->index_cap * sizeof(*set->index));
    *set = (struct pc_set){ .entry_size = set->entry_size, .key_size = set->key_size, .most = set->most };
}

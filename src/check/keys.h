/* SPDX-License-Identifier: MIT
 *
 * keys.h: lists of numbers and where each is: for rules about numbers that may occur only once.
 */
#ifndef PC_KEYS_H
#define PC_KEYS_H

#include "base/mem.h"
#include "report/diag.h"

#define PC_KEYS_MAX 65536

struct pc_key {
    uint64_t value, offset;
};

struct pc_keys {
    struct pc_key *key;
    size_t nr, cap;
    bool full;
};

/* False: there is no room, for the first time; pc_keys_full is the finding about that. */
bool pc_keys_add(struct pc_mem *mem, struct pc_keys *keys, uint64_t value, uint64_t offset);
struct pc_finding pc_keys_full(const struct pc_keys *keys, const struct pc_context *structure,
                               uint64_t offset);

void pc_keys_sort(struct pc_keys *keys);
/* The first of this value in a sorted list, or NULL. */
struct pc_key *pc_keys_find(struct pc_keys *keys, uint64_t value);
void pc_keys_clear(struct pc_mem *mem, struct pc_keys *keys);

#endif

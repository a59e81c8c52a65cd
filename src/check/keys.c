/* SPDX-License-Identifier: MIT */
#include "check/keys.h"

#include <stdlib.h>

bool pc_keys_add(struct pc_mem *mem, struct pc_keys *keys, uint64_t value, uint64_t offset)
{
    if (keys->nr == PC_KEYS_MAX || !pc_grow(mem, &keys->key, &keys->cap, keys->nr + 1, sizeof(*keys->key))) {
        bool first = !keys->full;
        keys->full = true;
        return !first;
    }
    keys->key[keys->nr++] = (struct pc_key){ value, offset };
    return true;
}

struct pc_finding pc_keys_full(const struct pc_keys *keys, const struct pc_context *structure,
                               uint64_t offset)
{
    struct pc_finding f = { .id = PC_D_LIMIT_STATE,
                            .place = PC_AT_END,
                            .where = structure->where,
                            .offset = offset,
                            .expected = pc_uint_value(keys->nr) };
    if (keys->nr < PC_KEYS_MAX) { /* there is no memory */
        f.id = PC_D_OUT_OF_MEMORY;
        f.expected = pc_text_value("values were compared");
    }
    pc_finding_name(&f, structure->subject ? structure->subject : "entries");
    return f;
}

void pc_keys_clear(struct pc_mem *mem, struct pc_keys *keys)
{
    pc_free(mem, keys->key, keys->cap * sizeof(*keys->key));
    *keys = (struct pc_keys){ 0 };
}

static int compare_keys(const void *a, const void *b)
{
    const struct pc_key *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void pc_keys_sort(struct pc_keys *keys)
{
    if (keys->nr > 1)
        qsort(keys->key, keys->nr, sizeof(*keys->key), compare_keys);
}

struct pc_key *pc_keys_find(struct pc_keys *keys, uint64_t value)
{
    size_t at =
        pc_lower_bound(keys->key, keys->nr, sizeof(*keys->key), offsetof(struct pc_key, value), value);
    return at < keys->nr && keys->key[at].value == value ? &keys->key[at] : NULL;
}

/* SPDX-License-Identifier: MIT
 *
 * hash.h: XXH3-128 of bytes that arrive in pieces, and XXH3-64 of some bytes, by libxxhash.
 */
#ifndef PC_HASH_H
#define PC_HASH_H

#include "base/base.h"

#define XXH_STATIC_LINKING_ONLY /* for the size of its state, so that it needs no allocation */
#include <xxhash.h>

#define PC_HASH_SIZE 16

struct pc_hash {
    XXH3_state_t state;
};

/* The sum in its canonical form, most significant byte first. */
struct pc_sum {
    unsigned char bytes[PC_HASH_SIZE];
};

void pc_hash_init(struct pc_hash *hash);
void pc_hash_put(struct pc_hash *hash, const void *bytes, size_t n);
/* Integers are hashed as eight little-endian bytes. */
void pc_hash_put_uint(struct pc_hash *hash, uint64_t value);
struct pc_sum pc_hash_sum(const struct pc_hash *hash);

/* For tables in memory: other bytes, or another seed, most likely have another number. */
uint64_t pc_hash_of(uint64_t seed, struct pc_span bytes);

static inline bool pc_sum_equal(const struct pc_sum *a, const struct pc_sum *b)
{
    return __builtin_memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * XXH3 by libxxhash.
 */
#include "bytes/hash.h"

#include "bytes/cursor.h"

#if defined(__x86_64__) && !defined(XXH_INLINE_ALL)
/* The same with the widest instructions of this CPU, in a libxxhash that has it. They need the alignment of
 * the type, which libxxhash itself does not ask for. */
extern XXH_errorcode XXH3_128bits_update_dispatch(XXH3_state_t *state, const void *bytes, size_t n)
    __attribute__((weak));
#define LINE_MASK ((uintptr_t)63)

static inline bool put_fast(struct pc_hash *hash, const void *bytes, size_t n)
{
    if (!XXH3_128bits_update_dispatch || ((uintptr_t)hash & LINE_MASK) != 0)
        return false;
    XXH3_128bits_update_dispatch(&hash->state, bytes, n);
    return true;
}
#else
static inline bool put_fast(struct pc_hash *hash, const void *bytes, size_t n)
{
    (void)hash, (void)bytes, (void)n;
    return false;
}
#endif

void pc_hash_init(struct pc_hash *hash)
{
    XXH3_INITSTATE(&hash->state);
    XXH3_128bits_reset(&hash->state);
}

void pc_hash_put(struct pc_hash *hash, const void *bytes, size_t n)
{
    if (!put_fast(hash, bytes, n))
        XXH3_128bits_update(&hash->state, bytes, n);
}

void pc_hash_put_uint(struct pc_hash *hash, uint64_t value)
{
    unsigned char bytes[8];
    pc_store(bytes, 8, value, PC_LITTLE);
    pc_hash_put(hash, bytes, sizeof(bytes));
}

struct pc_sum pc_hash_sum(const struct pc_hash *hash)
{
    struct pc_sum sum;
    XXH128_canonical_t canonical;
    static_assert(sizeof(canonical.digest) == PC_HASH_SIZE, "the canonical form is what digests show");
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&hash->state));
    __builtin_memcpy(sum.bytes, canonical.digest, PC_HASH_SIZE);
    return sum;
}

uint64_t pc_hash_of(uint64_t seed, struct pc_span bytes)
{
    return XXH3_64bits_withSeed(bytes.ptr, bytes.len, seed);
}

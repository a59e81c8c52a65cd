/* SPDX-License-Identifier: MIT
 *
 * mutator.h: changes captures where they mean something. What stands where is read from the library's own
 * tables, so that a new record type, feature or member of an attr is mutated the day it has a row. Depends on
 * the seed alone.
 */
#ifndef PC_FUZZ_MUTATOR_H
#define PC_FUZZ_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

/* A change that knows nothing of captures: what the engine has. Returns the new size. */
typedef size_t fuzz_raw_mutation(uint8_t *data, size_t size, size_t max_size);

/* Changes the bytes in place; `raw` takes one of eight. Returns the new size. */
size_t fuzz_mutate(uint8_t *data, size_t size, size_t max_size, uint64_t seed, fuzz_raw_mutation *raw);

/* Records of `other` in the frame of `data`. Returns the size of what is in `out`. */
size_t fuzz_cross(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size, uint8_t *out,
                  size_t max_size, uint64_t seed);

#endif

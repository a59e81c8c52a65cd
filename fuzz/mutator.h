/* SPDX-License-Identifier: MIT
 *
 * mutator.h: changes captures where they mean something. What stands where is read from the library's own
 * tables, so that a new record type, feature or member of an attr is mutated the day it has a row. Depends on
 * the seed alone.
 */
#ifndef PC_FUZZ_MUTATOR_H
#define PC_FUZZ_MUTATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A change that knows nothing of captures: what the engine has. Returns the new size. */
typedef size_t fuzz_raw_mutation(uint8_t *data, size_t size, size_t max_size);

/* Changes the bytes in place; `raw` takes one of eight. Now and then, and more often from what is no capture,
 * there is one that the generator makes instead. Returns the new size. */
size_t fuzz_mutate(uint8_t *data, size_t size, size_t max_size, uint64_t seed, fuzz_raw_mutation *raw);

/* Records of `other` in the frame of `data`. Returns the size of what is in `out`. */
size_t fuzz_cross(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size, uint8_t *out,
                  size_t max_size, uint64_t seed);

/* Makes sections end in the file and records in the data, where they do not; seven times in eight, by the
 * bytes. For engines that change captures without knowledge. */
void fuzz_settle(uint8_t *data, size_t size);

/* The operations of fuzz_mutate one by one, for tests; sizes and offsets are made consistent. Returns the new
 * size. */
unsigned fuzz_operations(void);
const char *fuzz_operation_name(unsigned n);
/* The one that is chosen, in a pipe or a file, with records or without. */
unsigned fuzz_chosen(bool pipe, bool records, uint64_t seed);
/* Whether the seed makes sizes and offsets consistent again: seven of eight do. */
bool fuzz_is_consistent(uint64_t seed);
size_t fuzz_operate(unsigned n, uint8_t *data, size_t size, size_t max_size, uint64_t seed);

#endif

/* SPDX-License-Identifier: MIT
 *
 * mutator.h: changes captures at places with a meaning. It finds them by the library's own tables, so a new
 * record type, feature or member of an attr is mutated as soon as it has a row. The result depends on the
 * seed only.
 */
#ifndef PC_FUZZ_MUTATOR_H
#define PC_FUZZ_MUTATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A change without knowledge of captures, by the engine. Returns the new size. */
typedef size_t fuzz_raw_mutation(uint8_t *data, size_t size, size_t max_size);

/* Changes the bytes in place; one time in eight `raw` does it. Sometimes, and more often if the input is not
 * a capture, the generator replaces it. Returns the new size. */
size_t fuzz_mutate(uint8_t *data, size_t size, size_t max_size, uint64_t seed, fuzz_raw_mutation *raw);

/* Puts records of `other` into the frame of `data`. Returns the size of the result in `out`. */
size_t fuzz_cross(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size, uint8_t *out,
                  size_t max_size, uint64_t seed);

/* Corrects sizes and offsets so that sections end inside the file and records inside the data; seven times in
 * eight, chosen by the bytes. For engines that change captures without knowledge. */
void fuzz_settle(uint8_t *data, size_t size);

/* The operations of fuzz_mutate one by one, for tests. Sizes and offsets are made consistent. Returns the new
 * size. */
unsigned fuzz_operations(void);
const char *fuzz_operation_name(unsigned n);
/* The operation that is chosen for a pipe or a file, with records or without. */
unsigned fuzz_chosen(bool pipe, bool records, uint64_t seed);
/* Whether the seed makes sizes and offsets consistent again: seven of eight seeds do. */
bool fuzz_is_consistent(uint64_t seed);
size_t fuzz_operate(unsigned n, uint8_t *data, size_t size, size_t max_size, uint64_t seed);

#endif

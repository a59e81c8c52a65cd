/* SPDX-License-Identifier: MIT
 *
 * mutator.c for libFuzzer.
 */
#include "mutator.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t max_size, unsigned seed);

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
const char *__asan_default_options(void);

/* Freed memory is used again after 8 MiB, which is many inputs. The default of 256 MiB would touch new pages
 * all the time. */
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=8:malloc_context_size=12";
}
#endif
#endif

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return fuzz_mutate(data, size, max_size, seed, LLVMFuzzerMutate);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t max_size, unsigned seed)
{
    return fuzz_cross(data, size, other, other_size, out, max_size, seed);
}

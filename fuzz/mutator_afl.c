/* SPDX-License-Identifier: MIT
 *
 * mutator.c for AFL++, as AFL_CUSTOM_MUTATOR_LIBRARY. AFL has mutations without knowledge of its own; those
 * here are one byte.
 */
#include "mutator.h"

#include <stdlib.h>
#include <string.h>

struct mutator {
    uint64_t seed;
    uint8_t *bytes;
    size_t room;
};

void *afl_custom_init(void *afl, unsigned seed);
void afl_custom_deinit(void *data);
size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t buf_size, uint8_t **out_buf, uint8_t *add_buf,
                       size_t add_buf_size, size_t max_size);

void *afl_custom_init(void *afl, unsigned seed)
{
    (void)afl;
    struct mutator *m = calloc(1, sizeof(*m));
    if (m)
        m->seed = seed;
    return m;
}

void afl_custom_deinit(void *data)
{
    struct mutator *m = data;
    free(m->bytes);
    free(m);
}

static size_t change_byte(uint8_t *data, size_t size, size_t max_size)
{
    (void)max_size;
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if (size != 0)
        data[state % size] ^= (uint8_t)(1u << (state >> 40) % 8);
    return size;
}

size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t buf_size, uint8_t **out_buf, uint8_t *add_buf,
                       size_t add_buf_size, size_t max_size)
{
    struct mutator *m = data;
    if (m->room < max_size) {
        uint8_t *bigger = realloc(m->bytes, max_size);
        if (!bigger) {
            *out_buf = buf;
            return buf_size;
        }
        m->bytes = bigger;
        m->room = max_size;
    }
    *out_buf = m->bytes;
    buf_size = buf_size < max_size ? buf_size : max_size;
    m->seed++;
    if (add_buf && add_buf_size != 0 && m->seed % 8 == 0)
        return fuzz_cross(buf, buf_size, add_buf, add_buf_size, m->bytes, max_size, m->seed);
    memcpy(m->bytes, buf, buf_size);
    return fuzz_mutate(m->bytes, buf_size, max_size, m->seed, change_byte);
}

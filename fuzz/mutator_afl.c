/* SPDX-License-Identifier: MIT
 *
 * mutator.c for AFL++, as AFL_CUSTOM_MUTATOR_LIBRARY. AFL has its own mutations without knowledge of
 * captures; here such a change is one byte.
 */
#include "mutator.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct mutator {
    uint64_t seed;
    struct buffer {
        uint8_t *bytes;
        size_t room;
    } mutated, settled; /* AFL may free one of them to make the other */
};

void *afl_custom_init(void *afl, unsigned seed);
void afl_custom_deinit(void *data);
size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t buf_size, uint8_t **out_buf, uint8_t *add_buf,
                       size_t add_buf_size, size_t max_size);
size_t afl_custom_post_process(void *data, uint8_t *buf, size_t buf_size, uint8_t **out_buf);

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
    free(m->mutated.bytes);
    free(m->settled.bytes);
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

static bool make_room(struct buffer *b, size_t size)
{
    if (b->room >= size)
        return true;
    uint8_t *bigger = realloc(b->bytes, size);
    if (!bigger)
        return false;
    b->bytes = bigger;
    b->room = size;
    return true;
}

size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t buf_size, uint8_t **out_buf, uint8_t *add_buf,
                       size_t add_buf_size, size_t max_size)
{
    struct mutator *m = data;
    if (!make_room(&m->mutated, max_size)) {
        *out_buf = buf;
        return buf_size;
    }
    *out_buf = m->mutated.bytes;
    buf_size = buf_size < max_size ? buf_size : max_size;
    m->seed++;
    if (add_buf && add_buf_size != 0 && m->seed % 8 == 0)
        return fuzz_cross(buf, buf_size, add_buf, add_buf_size, m->mutated.bytes, max_size, m->seed);
    memcpy(m->mutated.bytes, buf, buf_size);
    return fuzz_mutate(m->mutated.bytes, buf_size, max_size, m->seed, change_byte);
}

/* Before each execution, also of the results of AFL's own mutations. */
size_t afl_custom_post_process(void *data, uint8_t *buf, size_t buf_size, uint8_t **out_buf)
{
    struct mutator *m = data;
    *out_buf = buf;
    if (buf_size == 0 || !make_room(&m->settled, buf_size))
        return buf_size;
    memcpy(m->settled.bytes, buf, buf_size);
    fuzz_settle(m->settled.bytes, buf_size);
    *out_buf = m->settled.bytes;
    return buf_size;
}

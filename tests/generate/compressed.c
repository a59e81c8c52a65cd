/* SPDX-License-Identifier: MIT
 *
 * The members of a directory, and compressed records.
 */
#include "generate/parts.h"

#include <string.h>

/* Later records go to another member. */
void gen_select(struct generate *g, unsigned member)
{
    g->member[g->out].bytes = g->bytes;
    g->member[g->out].len = g->len;
    if (!g->member[member].bytes)
        g->member[member].bytes = gen_room();
    g->out = member;
    g->bytes = g->member[member].bytes;
    g->len = g->member[member].len;
}

/* Bytes of the stream that goes on in each compressed record: a block that only stores them (RFC
 * 8878, 3.1.1), or what libzstd makes of them. */
static size_t gen_zstd(struct generate *g, const unsigned char *in, size_t n, unsigned char *to, size_t room)
{
    struct generate_member *m = &g->member[g->out];
    size_t len = 0;
    if (g->libzstd) {
        ZSTD_inBuffer from = { in, n, 0 };
        ZSTD_outBuffer out = { to, room, 0 };
        m->zstd = m->zstd ? m->zstd : ZSTD_createCCtx();
        GENERATE_MUST(m->zstd && ZSTD_compressStream2(m->zstd, &out, &from, ZSTD_e_flush) == 0, "zstd");
        return out.pos;
    }
    if (!m->begun) { /* magic, a descriptor without anything, a window of 128 KiB */
        memcpy(to, "\x28\xb5\x2f\xfd\x00\x38", 6);
        len = 6;
    }
    m->begun = true;
    synth_store_as(to + len, 3, n << 3, PC_LITTLE); /* not the last block, stored */
    memcpy(to + len + 3, in, n);
    return len + 3 + n;
}

static void gen_wrapper(struct generate *g, const unsigned char *in, size_t n)
{
    static unsigned char packed[GENERATE_CONTENT * 2];
    size_t len = gen_zstd(g, in, n, packed, sizeof(packed)), head = PC_RECORD_HEADER_SIZE, pad = 0;
    if (g->compress == PC_COMPRESSED2) {
        head += 8;
        pad = (8 - len % 8) % 8;
    }
    gen_int(g, 4, g->compress);
    gen_int(g, 2, 0);
    gen_int(g, 2, head + len + pad);
    if (g->compress == PC_COMPRESSED2)
        gen_int(g, 8, len);
    gen_put(g, packed, len);
    memset(g->bytes + g->len, 0, pad);
    g->len += pad;
}

/* The records since the last time become one or two compressed ones. */
void gen_pack(struct generate *g)
{
    static unsigned char in[GENERATE_CONTENT + SYNTH_MAX];
    struct generate_member *m = &g->member[g->out];
    size_t n = g->compress ? g->len - m->run : 0, first = g->straddle && n > 1 ? n / 2 | 1 : n;
    if (n == 0)
        return;
    GENERATE_MUST(n <= sizeof(in), "content");
    memcpy(in, g->bytes + m->run, n);
    g->len = m->run;
    gen_wrapper(g, in, first);
    if (first < n)
        gen_wrapper(g, in + first, n - first);
    m->run = g->len;
}

/* What follows an AUXTRACE record is in the file itself. */
bool gen_is_packed(const struct generate *g, uint32_t type)
{
    return type != PC_AUXTRACE && type != PC_HEADER_EVENT_TYPE &&
           (pc_is_kernel_type(type) || g->compress_all);
}

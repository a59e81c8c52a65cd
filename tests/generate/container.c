/* SPDX-License-Identifier: MIT
 *
 * The containers of generated captures: a file, a pipe, a directory.
 */
#include "generate/parts.h"

#include <string.h>

/* A record whose size is known when it ends. */
static size_t gen_open(struct generate *g, uint32_t type, uint16_t misc)
{
    size_t at = g->len;
    gen_int(g, 4, type);
    gen_int(g, 2, misc);
    gen_int(g, 2, 0);
    return at;
}

static void gen_close(struct generate *g, size_t at)
{
    GENERATE_MUST(g->len - at <= PC_RECORD_SIZE_MAX, "record size");
    synth_store_as(g->bytes + at + 6, 2, g->len - at, g->order);
}

void gen_file(struct generate *g)
{
    uint64_t bitmap[4] = { 0 }, table[PC_FEATURES][2] = { { 0 } };
    size_t ids, attrs, data, end, at;
    gen_put(g, NULL, PC_FILE_HEADER_SIZE);
    ids = g->len;
    for (uint32_t i = 0; i < g->nr_attrs; i++) {
        for (unsigned k = 0; k < GENERATE_IDS; k++)
            gen_int(g, 8, gen_id(i, k));
    }
    attrs = g->len;
    for (uint32_t i = 0; i < g->nr_attrs; i++) {
        gen_put(g, g->attr[i], g->attr_size);
        gen_int(g, 8, ids + 8 * GENERATE_IDS * i);
        gen_int(g, 8, 8 * GENERATE_IDS);
    }
    data = g->len;
    gen_records(g);
    end = g->len;
    for (uint64_t bit = 1; bit < PC_FEATURES; bit++)
        g->len += gen_has(g, bit) ? PC_SECTION_SIZE : 0;
    for (uint64_t bit = 1; bit < PC_FEATURES; bit++) {
        if (!gen_has(g, bit))
            continue;
        bitmap[bit / 64] |= PC_FLAG(bit % 64);
        table[bit][0] = g->len;
        gen_feature(g, bit);
        table[bit][1] = g->len - table[bit][0];
    }
    size_t whole = g->len;
    g->len = end;
    for (uint64_t bit = 1; bit < PC_FEATURES; bit++) {
        if (gen_has(g, bit)) {
            gen_int(g, 8, table[bit][0]);
            gen_int(g, 8, table[bit][1]);
        }
    }
    g->len = 0;
    gen_int(g, 8, 0x32454c4946524550);
    const uint64_t words[] = {
        PC_FILE_HEADER_SIZE, g->attr_size + PC_SECTION_SIZE, attrs, data - attrs, data, end - data, 0, 0
    };
    for (at = 0; at < PC_COUNT_OF(words); at++)
        gen_int(g, 8, words[at]);
    for (at = 0; at < PC_COUNT_OF(bitmap); at++)
        gen_int(g, 8, bitmap[at]);
    g->len = whole;
}

/* With room for a name padded to 8 after 36 bytes, and a size that is a multiple of 8. */
static void gen_header_build_id(struct generate *g)
{
    const size_t name_at = 36, at = g->len;
    gen_record(g, PC_HEADER_BUILD_ID, 0, 0);
    size_t name = strlen((const char *)g->bytes + at + name_at) + 1;
    size_t wanted = (name_at + (name + 7) / 8 * 8 + 7) / 8 * 8;
    GENERATE_MUST(g->len - at <= wanted, "a build id without surplus");
    gen_put(g, NULL, wanted - (g->len - at));
    gen_close(g, at);
}

void gen_pipe(struct generate *g)
{
    size_t at;
    uint64_t newest = 0, mark;
    gen_int(g, 8, 0x32454c4946524550);
    gen_int(g, 8, PC_PIPE_HEADER_SIZE);
    for (uint32_t i = 0; i < g->nr_attrs; i++) {
        at = gen_open(g, PC_HEADER_ATTR, 0);
        gen_put(g, g->attr[i], g->attr_size);
        for (unsigned k = 0; k < GENERATE_IDS; k++)
            gen_int(g, 8, gen_id(i, k));
        gen_close(g, at);
    }
    g->first_sample = g->last_sample = 0; /* a pipe does not know them yet */
    for (uint64_t bit = 1; bit < PC_FEATURES; bit++) {
        if (!gen_has(g, bit))
            continue;
        newest = bit;
        at = gen_open(g, PC_HEADER_FEATURE, 0);
        gen_int(g, 8, bit);
        gen_feature(g, bit);
        gen_close(g, at);
    }
    at = gen_open(g, PC_HEADER_FEATURE, 0); /* the end mark of perf 6.12 or 7.2 */
    mark = newest < PC_CPU_DOMAIN_INFO && g->attr_size <= 136
               ? PC_CPU_DOMAIN_INFO
               : (newest > PC_CLN_SIZE ? newest : PC_CLN_SIZE) + 1;
    gen_int(g, 8, g->reader ? g->reader->feature + 1u : mark);
    gen_close(g, at);
    if (!g->plan || gen_planned_feature(g, PC_TRACING_DATA)) {
        size_t record = gen_open(g, PC_HEADER_TRACING_DATA, 0);
        gen_int(g, 4, 0);
        gen_close(g, record);
        at = g->len;
        gen_tracing_data(g);
        gen_put(g, NULL, (8 - (g->len - at) % 8) % 8);
        synth_store_as(g->bytes + record + 8, 4, g->len - at, g->order);
    }
    g->member[0].run = g->len; /* nothing before is ever compressed */
    if (!g->plan || gen_planned_feature(g, PC_BUILD_ID))
        gen_header_build_id(g);
    gen_records(g);
}

/* A kcore_dir: an ELF core with one segment, symbols, modules. */
static void gen_kcore(struct generate *g, bool guest)
{
    static const char *const names[2][3] = {
        { "kcore_dir/kcore", "kcore_dir/kallsyms", "kcore_dir/modules" },
        { "kcore_dir__7/kcore", "kcore_dir__7/kallsyms", "kcore_dir__7/modules" },
    };
    static const unsigned phoff = 64, segment = 120;
    for (unsigned i = 0; i < 3; i++) {
        gen_select(g, 1 + GENERATE_STREAMS + i);
        g->member[g->out].name = names[guest][i];
        switch (i) {
        case 0: /* elf.h: Elf64_Ehdr, Elf64_Phdr */
            gen_put(g, "\177ELF", 4);
            gen_int(g, 1, 2);
            gen_int(g, 1, g->order == PC_BIG ? 2 : 1);
            gen_int(g, 1, 1);
            gen_put(g, "\0\0\0\0\0\0\0\0", 9);
            gen_int(g, 2, 4);                            /* a core */
            gen_int(g, 2, g->order == PC_BIG ? 22 : 62); /* s390, or x86-64 */
            gen_int(g, 4, 1);
            gen_int(g, 8, 0);
            gen_int(g, 8, phoff);
            gen_int(g, 8, 0);
            gen_int(g, 4, 0);
            gen_int(g, 2, 64);
            gen_int(g, 2, 56);
            gen_int(g, 2, 1);
            gen_put(g, "\0\0\0\0\0\0", 6);
            gen_int(g, 4, 1); /* PT_LOAD */
            gen_int(g, 4, 7);
            gen_int(g, 8, segment);
            gen_int(g, 8, 0xffffffff81000000);
            gen_int(g, 8, 0);
            gen_int(g, 8, 16);
            gen_int(g, 8, 16);
            gen_int(g, 8, 4096);
            gen_put(g, "code of a kernel", 16);
            break;
        case 1:
            gen_put(g, "ffffffff81000000 T _text\n", 25);
            break;
        default:
            gen_put(g, "demo 16384 0 - Live 0xffffffffc0000000\n", 39);
            break;
        }
    }
    gen_select(g, 0);
}

void gen_directory(struct generate *g)
{
    static const char *const names[1 + GENERATE_STREAMS] = { "data", "data.0", "data.1", "data.2" };
    for (unsigned i = 0; i <= GENERATE_STREAMS; i++)
        g->member[i].name = names[i];
    g->stream = 1;
    gen_file(g);
    if (g->directory == GENERATE_DIR_KCORE || g->variant % 2)
        gen_kcore(g, g->variant % 4 > 1);
    gen_select(g, 0);
    g->bytes = NULL;
}

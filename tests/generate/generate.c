/* SPDX-License-Identifier: MIT
 *
 * Bytes and attrs of a generated capture, and its one entry.
 */
#include "generate/parts.h"

#include <stdlib.h>
#include <string.h>

/* Room for a file: only the bytes used are ever written, so that nothing zeroes the megabytes after
 * it. */
unsigned char *gen_room(void)
{
    unsigned char *room = malloc(GENERATE_ROOM);
    GENERATE_MUST(room, "memory");
    return room;
}

/* Bytes, which have no order; zeros without any. */
size_t gen_put(struct generate *g, const void *bytes, size_t n)
{
    size_t at = g->len;
    GENERATE_MUST(n <= GENERATE_ROOM - g->len, "room");
    if (n != 0 && bytes)
        memcpy(g->bytes + at, bytes, n);
    else if (n != 0)
        memset(g->bytes + at, 0, n);
    g->len += n;
    return at;
}

void gen_int(struct generate *g, unsigned width, uint64_t value)
{
    unsigned char bytes[8];
    synth_store_as(bytes, width, value, g->order);
    gen_put(g, bytes, width);
}

void gen_string(struct generate *g, const char *text)
{
    char room[64] = { 0 };
    snprintf(room, sizeof(room), "%s", text);
    gen_int(g, 4, sizeof(room));
    gen_put(g, room, sizeof(room));
}

uint64_t gen_id(uint32_t attr, unsigned which)
{
    return 0x100000001u * (attr + 1) + which;
}

void gen_begin(struct generate *g)
{
    static struct synth_known known[SYNTH_KNOWN];
    unsigned variant = g->variant;
    struct synth *s = &g->synth;
    memset(s, 0, sizeof(*s));
    s->known = known;
    s->variant = variant;
    s->order = g->order;
    s->attr_size = g->attr_size;
}

/* --- attrs --- */

static void gen_attr(struct generate *g, uint64_t sample_type, uint64_t read_format, uint64_t branch)
{
    uint64_t slot[PC_SLOTS];
    uint32_t nr = g->nr_attrs, size = g->attr_size;
    const uint64_t all_flags =
        PC_FLAG_SAMPLE_ID_ALL | PC_FLAG_USE_CLOCKID | PC_FLAG_BUILD_ID | PC_FLAG(14) | PC_FLAG(16) |
        PC_FLAG(33) | (sample_type & PC_S_CALLCHAIN ? PC_FLAG_DEFER_CHAIN | PC_FLAG_DEFER_OUTPUT : 0);
    const uint64_t flags = all_flags & (g->reader ? g->reader->flags : UINT64_MAX);
    bool tracepoint = nr == g->tracepoint;
    const struct synth_want want[] = {
        { "type", tracepoint ? PC_TYPE_TRACEPOINT : PC_TYPE_SOFTWARE, NULL },
        { "config", tracepoint ? 7 : 100 + nr, NULL },
        { "sample_period", 1000 + nr, NULL },
        { "sample_type", sample_type | PC_S_IDENTIFIER, NULL },
        { "read_format", read_format, NULL },
        { "flags", flags, NULL },
        { "branch_sample_type", branch | 8, NULL },
        { "sample_regs_user", 0x8000000000000005, NULL },
        { "sample_regs_intr", 0x11, NULL },
        { "sample_stack_user", 4096, NULL },
        { "clockid", 1, NULL },
        { g->reader ? "aux_action" : " ", 0, NULL }, /* not all read it */
        { NULL, 0, NULL },
    };
    GENERATE_MUST(nr < GENERATE_ATTRS, "attrs");
    gen_begin(g);
    g->synth.want = want;
    synth_attr(&g->synth, size, g->seed * 1000 + nr);
    memcpy(g->attr[nr], g->synth.bytes, size);
    GENERATE_MUST(pc_attr_walk((struct pc_span){ g->attr[nr], size }, g->order, slot), "attr");
    g->layout[nr] = pc_attr_layout(slot);
    g->nr_attrs++;
}

static void gen_planned_attrs(struct generate *g)
{
    g->tracepoint = GENERATE_ATTRS;
    for (uint32_t i = 0; i < g->plan->nr_attrs; i++) {
        const struct generate_attr *a = &g->plan->attr[i];
        bool first = a->tracepoint && g->tracepoint == GENERATE_ATTRS;
        g->tracepoint = first ? i : g->tracepoint;
        g->seed = a->seed;
        gen_attr(g, first ? GENERATE_TRACEPOINT : a->sample_type, first ? 0 : a->read_format,
                 first ? 0 : a->branch);
    }
}

static void gen_attrs(struct generate *g)
{
    const uint64_t all = ((uint64_t)1 << PC_S_BITS) - 1;
    g->tracepoint = 1;
    if (g->plan) {
        gen_planned_attrs(g);
        return;
    }
    gen_attr(g, all ^ PC_S_WEIGHT, 31, 0xfffff);
    gen_attr(g, GENERATE_TRACEPOINT, 0, 0);
    gen_attr(g, all ^ PC_S_WEIGHT_STRUCT, 23, 0);
    for (unsigned bit = 0; bit < PC_S_BITS; bit++)
        gen_attr(g, PC_FLAG(bit), PC_READ_ID, 0);
    for (unsigned k = 1; k < 4; k++)
        gen_attr(g, PC_S_BRANCH_STACK, PC_READ_ID,
                 (k & 1 ? PC_BRANCH_HW_INDEX : 0) | (k & 2 ? PC_BRANCH_COUNTERS : 0));
    for (uint64_t read = 0; read < 32; read++)
        gen_attr(g, PC_S_READ | PC_S_TIME, read, 0);
}

/* Fills g->bytes, or g->member; what comes before them is given. */
void generate(struct generate *g)
{
    g->bytes = gen_room();
    memset(g->member, 0, sizeof(g->member));
    g->out = 0;
    g->len = 0;
    g->canonical = !g->compress && !g->directory;
    g->nr_attrs = g->nr_auxtrace = 0;
    g->nr_records = g->nr_rounds = 0;
    g->has_stat = g->has_auxtrace = false;
    g->first_sample = g->last_sample = 0;
    g->attr_size = g->attr_size ? g->attr_size : PC_ATTR_SIZE_KNOWN;
    g->time = GENERATE_TIME;
    gen_attrs(g);
    if (g->pipe)
        gen_pipe(g);
    else if (g->directory)
        gen_directory(g);
    else
        gen_file(g);
}

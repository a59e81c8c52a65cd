/* SPDX-License-Identifier: MIT
 *
 * Tracing data: formats of tracepoints.
 */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* `ID: ` at the beginning of a line of the format text */
static void format_id(struct cursor *c, size_t start, size_t size)
{
    struct model *m = c->m;

    for (size_t i = start; i + 4 <= start + size; i++) {
        if (memcmp(c->base + i, "ID: ", 4) || (i > start && c->base[i - 1] != '\n'))
            continue;
        uint64_t id = 0;
        for (i += 4; i < start + size && c->base[i] >= '0' && c->base[i] <= '9'; i++)
            id = 10 * id + (uint64_t)(c->base[i] - '0');
        if (md_grow(m, (void **)&m->tracepoints, &m->tracepoint_cap, m->tracepoint_count,
                    sizeof *m->tracepoints))
            m->tracepoints[m->tracepoint_count++] = id;
        return;
    }
}

static void sized_text(struct cursor *c, unsigned width, bool format)
{
    uint64_t size = md_unsigned(c, width);
    size_t start = c->pos;

    md_bytes(c, size, MODEL_TEXT);
    if (!c->cut && format && !c->quiet)
        format_id(c, start, (size_t)size);
}

static void name_text(struct cursor *c)
{
    size_t n = md_length_to_nul(c, md_left(c));

    if (c->cut)
        return;
    if (n == md_left(c)) {
        md_fault(c, 263, c->pos);
        c->cut = true;
        return;
    }
    md_bytes(c, n + 1, MODEL_TEXT);
}

static void literal(struct cursor *c, const char *text, size_t size)
{
    size_t at = c->pos;

    md_bytes(c, size, MODEL_TEXT);
    if (!c->cut && memcmp(c->base + at, text, size)) {
        md_fault(c, 263, at);
        c->cut = true;
    }
}

void md_tracing_data(struct cursor *c)
{
    bool big = c->big;

    c->condition = 266;
    literal(c, "\x17\x08\x44", 3);
    literal(c, "tracing", 7);
    size_t version = c->pos;
    name_text(c);
    if (c->cut)
        return;
    size_t order = c->pos;
    if (md_u8(c) > 1)
        md_fault(c, 263, order);
    c->big = !c->cut && c->base[order] == 1;
    c->m->tracing_big = c->big;
    if (c->big != big)
        md_warn(c, 264);
    size_t at = c->pos;
    uint8_t longs = md_u8(c);
    if (!c->cut && longs != 4 && longs != 8)
        md_fault(c, 263, at);
    at = c->pos;
    if (md_u32(c) == 0 && !c->cut)
        md_fault(c, 263, at);
    literal(c, "header_page", 12);
    if (md_left(c) >= 8 && md_number_at(c->base + c->pos, 8, c->big) == 0)
        md_fault(c, 263, c->pos);
    sized_text(c, 8, false);
    literal(c, "header_event", 13);
    sized_text(c, 8, false);
    uint32_t n = md_u32(c);
    for (uint32_t i = 0; i < n && !c->cut && !c->m->limit; i++)
        sized_text(c, 8, true);
    n = md_u32(c);
    for (uint32_t i = 0; i < n && !c->cut && !c->m->limit; i++) {
        name_text(c);
        uint32_t events = md_u32(c);
        for (uint32_t k = 0; k < events && !c->cut && !c->m->limit; k++)
            sized_text(c, 8, true);
    }
    sized_text(c, 4, false);
    sized_text(c, 4, false);
    /* Of the width of a double, also where the machine computes with more. */
    const double least = 0.6;
    double number = c->cut ? 0 : strtod((const char *)c->base + version, NULL);
    if (number >= least)
        sized_text(c, 8, false);
    c->big = big;
}

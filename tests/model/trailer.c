/* SPDX-License-Identifier: MIT
 *
 * Which attr governs a record, and the trailer that sample_id_all adds.
 */
#include "parts.h"

bool md_is_one_layout(const struct model *m, bool read)
{
    const struct attr *first = &m->attrs[0];

    for (size_t i = 1; i < m->attr_count; i++) {
        const struct attr *a = &m->attrs[i];
        uint64_t s = a->sample_type;
        if (((s ^ first->sample_type) & SAMPLE_KNOWN) || ((a->flags ^ first->flags) & FLAG_SAMPLE_ID_ALL) ||
            (((s & SAMPLE_READ) || read) && ((a->read_format ^ first->read_format) & 31)) ||
            ((s & SAMPLE_CALLCHAIN) && (a->flags ^ first->flags) & FLAG_DEFER_CHAIN) ||
            ((s & SAMPLE_BRANCH_STACK) &&
             (a->branch_type ^ first->branch_type) & (BRANCH_HW_INDEX | BRANCH_COUNTERS)) ||
            ((s & SAMPLE_REGS_USER) && md_ones(a->regs_user) != md_ones(first->regs_user)) ||
            ((s & SAMPLE_REGS_INTR) && md_ones(a->regs_intr) != md_ones(first->regs_intr)))
            return false;
    }
    return true;
}

bool md_attr_there(struct cursor *c, size_t start)
{
    struct model *m = c->m;

    if (m->attr_count)
        return true;
    if (!m->said_no_attr && !m->has_attr_fault)
        md_fault(c, m->pipe ? 268 : 14, start);
    m->said_no_attr = true;
    return false;
}

const struct attr *md_attr_of_trailer(struct cursor *c, size_t start, bool read)
{
    struct model *m = c->m;

    if (!md_attr_there(c, start)) {
        c->cut = true;
        return NULL;
    }
    const struct attr *first = &m->attrs[0];
    if (m->attr_count == 1 || !(first->flags & FLAG_SAMPLE_ID_ALL))
        return first;
    int back = m->id_back;
    if (back < 0)
        return md_is_one_layout(m, read) ? first : NULL;
    if (c->end - start < 8 + 8 * (size_t)back) {
        md_fault(c, 90, start);
        c->cut = true;
        return NULL;
    }
    uint64_t id = md_number_at(c->base + c->end - 8 * (size_t)back, 8, c->big);
    if (id == 0)
        return first;
    const struct id_slot *slot = md_find_id(m, id);
    if (!slot) {
        md_fault(c, 91, c->end - 8 * (size_t)back);
        c->cut = true;
        return NULL;
    }
    return &m->attrs[slot->attr];
}

void md_trailer(struct cursor *c, const struct attr *a)
{
    uint64_t s = a->sample_type;

    if (c->cut || !md_trailer_size(a))
        return;
    if (s & SAMPLE_TID) {
        md_u32(c);
        md_u32(c);
    }
    if (s & SAMPLE_TIME)
        md_u64(c);
    c->m->id_at = c->pos;
    if (s & SAMPLE_ID)
        md_u64(c);
    if (s & SAMPLE_STREAM_ID)
        md_u64(c);
    c->m->cpu_at = c->pos;
    if (s & SAMPLE_CPU) {
        md_u32(c);
        if (md_u32(c))
            md_warn(c, 92);
    }
    c->m->identifier_at = c->pos;
    if (s & SAMPLE_IDENTIFIER)
        md_u64(c);
}

/* The CPU must be one that the machine has, or unknown. Of those before the number is known the largest
 * counts. */
static void judge_cpu(struct cursor *c, bool sample)
{
    struct model *m = c->m;
    uint32_t cpu = (uint32_t)md_number_at(c->base + m->cpu_at, 4, c->big);

    if (cpu == UINT32_MAX)
        return;
    if (m->available && cpu >= m->available)
        md_fault(c, 94, m->cpu_at);
    if (!m->available && cpu > m->early_cpu[sample]) {
        m->early_cpu[sample] = cpu;
        m->early_cpu_row[sample] = (struct model_fault){ 94, c->member, c->wrapper, m->cpu_at - c->origin };
    }
}

void md_judge_ids_and_cpu(struct cursor *c, const struct attr *a, bool sample)
{
    const struct model *m = c->m;

    if (!sample && !md_trailer_size(a))
        return;
    if ((a->sample_type & SAMPLE_ID) && (a->sample_type & SAMPLE_IDENTIFIER) &&
        md_number_at(c->base + m->id_at, 8, c->big) != md_number_at(c->base + m->identifier_at, 8, c->big))
        md_fault(c, 93, m->id_at);
    if (a->sample_type & SAMPLE_CPU)
        judge_cpu(c, sample);
}

void md_finish(struct cursor *c, const struct attr *a)
{
    if (c->cut || !a)
        return;
    if (md_left(c) < md_trailer_size(a)) {
        md_fault(c, 90, c->pos);
        c->cut = true;
        return;
    }
    if (md_left(c) > md_trailer_size(a))
        md_bytes(c, md_left(c) - md_trailer_size(a), MODEL_BYTES);
    md_trailer(c, a);
}

/* Whether bytes follow the padding of a string of n bytes that fills `area`: the next records, most likely.
 * Where it may have grown (row 300), up to 32 words are trailers. */
static bool covers_more(const struct cursor *c, size_t n, size_t area, bool grows)
{
    size_t own = (size_t)md_align8(n + 1);

    if (area == own || !md_is_any_set(c->base + c->pos + n, area - n))
        return false;
    return !grows || area < own || area - own > 256 || (area - own) % 8;
}

void md_string_and_finish(struct cursor *c, const struct attr *a, bool grows)
{
    if (c->cut)
        return;
    size_t n = md_length_to_nul(c, md_left(c)), size = a ? md_trailer_size(a) : 0;
    if (size > md_left(c)) {
        md_fault(c, 90, c->pos);
        c->cut = true;
        return;
    }
    if (n == md_left(c)) {
        md_fault(c, 83, c->pos);
        c->cut = true;
        return;
    }
    if (!a)
        return;
    if (n >= md_left(c) - size) {
        md_fault(c, 84, c->pos);
        c->cut = true;
        return;
    }
    if (covers_more(c, n, md_left(c) - size, grows))
        md_fault(c, 298, c->pos);
    md_bytes(c, md_left(c) - size, MODEL_TEXT);
    md_trailer(c, a);
}

size_t md_narrow(struct cursor *c, const struct attr *a)
{
    size_t end = c->end;

    if (a && md_left(c) >= md_trailer_size(a))
        c->end -= md_trailer_size(a);
    return end;
}

static void read_id(struct cursor *c)
{
    size_t at = c->pos;
    uint64_t id = md_u64(c);

    if (!c->cut && !c->m->strange_read && !md_id_resolves(c->m, id))
        c->m->strange_read = at;
}

void md_read_values(struct cursor *c, const struct attr *a)
{
    uint64_t f = a->read_format;

    if (f & READ_GROUP) {
        uint64_t nr = md_u64(c);
        if (f & READ_ENABLED)
            md_u64(c);
        if (f & READ_RUNNING)
            md_u64(c);
        if (!md_fits(c, nr, 8 * (1 + (f & READ_ID ? 1u : 0) + (f & READ_LOST ? 1u : 0))))
            return;
        for (uint64_t i = 0; i < nr && !c->m->limit; i++) {
            md_u64(c);
            if (f & READ_ID)
                read_id(c);
            if (f & READ_LOST)
                md_u64(c);
        }
        return;
    }
    md_u64(c);
    if (f & READ_ENABLED)
        md_u64(c);
    if (f & READ_RUNNING)
        md_u64(c);
    if (f & READ_ID)
        read_id(c);
    if (f & READ_LOST)
        md_u64(c);
}

uint64_t md_count_of(struct cursor *c, unsigned width)
{
    unsigned condition = c->condition;

    c->condition = condition > 116 && condition < 132 ? 130 : condition;
    uint64_t n = md_unsigned(c, width);
    c->condition = condition;
    return n;
}

void md_many_u64(struct cursor *c, uint64_t nr)
{
    if (md_fits(c, nr, 8))
        for (uint64_t i = 0; i < nr && !c->m->limit; i++)
            md_u64(c);
}

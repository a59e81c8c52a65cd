/* SPDX-License-Identifier: MIT
 *
 * Attrs, their ids, and what all attrs of a capture must have in common.
 */
#include "parts.h"

#include <stdlib.h>

size_t md_id_place(const struct model *m, uint64_t id)
{
    uint64_t h = id * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(h >> 20) & (m->id_cap - 1);
    while (m->ids[i].used && m->ids[i].id != id)
        i = (i + 1) & (m->id_cap - 1);
    return i;
}

const struct id_slot *md_find_id(const struct model *m, uint64_t id)
{
    if (m->id_count == 0)
        return NULL;
    const struct id_slot *slot = &m->ids[md_id_place(m, id)];
    return slot->used ? slot : NULL;
}

bool md_add_id(struct model *m, uint64_t id, uint32_t attr)
{
    if (2 * m->id_count >= m->id_cap) {
        size_t cap = m->id_cap ? 2 * m->id_cap : 64;
        struct id_slot *old = m->ids;
        size_t old_cap = m->id_cap;
        if (m->limit || m->memory + cap * sizeof *old > MEMORY_LIMIT) {
            m->limit = true;
            return false;
        }
        struct id_slot *ids = calloc(cap, sizeof *ids);
        if (!ids) {
            m->limit = true;
            return false;
        }
        m->memory += cap * sizeof *old;
        m->ids = ids;
        m->id_cap = cap;
        for (size_t i = 0; i < old_cap; i++)
            if (old[i].used)
                m->ids[md_id_place(m, old[i].id)] = old[i];
        free(old);
    }
    struct id_slot *slot = &m->ids[md_id_place(m, id)];
    if (id == 0)
        m->warned[63] = true;
    if (slot->used) {
        if (slot->attr == attr && id)
            m->warned[62] = true;
        return slot->attr != attr;
    }
    *slot = (struct id_slot){ id, attr, true };
    m->id_count++;
    return false;
}

void md_give_id(struct model *m, uint64_t id, uint32_t attr)
{
    if (md_add_id(m, id, attr))
        m->ids[md_id_place(m, id)].attr = attr;
}

bool md_id_resolves(const struct model *m, uint64_t id)
{
    return md_find_id(m, id) != NULL;
}

unsigned md_ones(uint64_t v)
{
    unsigned n = 0;
    for (; v; v >>= 1)
        n += (unsigned)(v & 1);
    return n;
}

/* The types of GPUs, sensors and the tool. */
static bool counted_by_perf(uint64_t type)
{
    return type >= 0xfffe0000 && type != 0xffffffff;
}

struct attr md_attr_fields(struct cursor *c, uint64_t size, uint64_t room)
{
    struct attr a = { 0 };
    size_t start = c->pos, end = c->end;

    if (!md_need(c, room))
        return a;
    if (size > room)
        size = room;
    c->end = start + (size_t)size;
    a.type = md_u32(c);
    if (a.type > 65535 && a.type != 0x80000000 && !counted_by_perf(a.type))
        md_fault(c, 349, c->pos - 4);
    a.size = md_u32(c);
    a.config = md_u64(c);
    a.period = md_u64(c); /* or frequency */
    a.sample_type = md_u64(c);
    a.read_format = md_u64(c);
    a.flags = md_bit_word(c, 8, md_attr_bits);
    md_u32(c); /* wakeup */
    md_u32(c); /* bp_type */
    md_u64(c); /* config1 */
    /* An attr in EVENT_DESC may end anywhere, in a member too: what is left of that is no member. */
    static const unsigned char widths[] = { 8, 8, 8, 4, 4, 8, 4, 2, 2, 4, 4, 8, 8, 8 };
    for (unsigned i = 0; i < sizeof widths && md_left(c) >= widths[i]; i++) {
        if (i == 4) /* clockid */
            md_signed(c, 4);
        else if (i == 10)
            md_bit_word(c, 4, md_aux_action_bits);
        else if (i == 1)
            a.branch_type = md_u64(c);
        else if (i == 2)
            a.regs_user = md_u64(c);
        else if (i == 3)
            a.stack = md_u32(c);
        else if (i == 5)
            a.regs_intr = md_u64(c);
        else
            md_unsigned(c, widths[i]);
    }
    md_rest(c);
    c->end = end;
    c->pos = start + (size_t)size;
    if (!c->cut && size < room)
        md_bytes(c, room - size, MODEL_BYTES);
    return a;
}

static void warn_of_attr(struct cursor *c, const struct attr *a)
{
    uint64_t s = a->sample_type;
    bool inherit = a->flags >> 1 & 1, freq = a->flags >> 10 & 1, on_exec = a->flags >> 12 & 1;
    bool inherit_thread = a->flags >> 35 & 1, removed = a->flags >> 36 & 1, sigtrap = a->flags >> 37 & 1;

    if (a->size == 0)
        md_warn(c, 33);
    if ((a->read_format & ~(uint64_t)31) && !(s & SAMPLE_READ))
        md_warn(c, 41);
    if ((s & SAMPLE_STACK_USER) && (a->stack >= 65535 || a->stack % 8))
        md_warn(c, 45);
    if (((s & SAMPLE_REGS_USER) && !a->regs_user) || ((s & SAMPLE_REGS_INTR) && !a->regs_intr))
        md_warn(c, 46);
    if (!freq && a->period >> 63)
        md_warn(c, 48);
    if ((sigtrap && !removed) || (inherit_thread && !inherit) || (removed && on_exec))
        md_warn(c, 49);
    if ((a->flags >> 38 & 1) && !(s & SAMPLE_CALLCHAIN))
        md_warn(c, 50);
    c->m->defer_output = c->m->defer_output || (a->flags >> 39 & 1);
}

void md_judge_attr(struct cursor *c, const struct attr *a, uint64_t size, size_t start)
{
    uint64_t s = a->sample_type;

    if (s & ~SAMPLE_KNOWN)
        md_fault(c, 40, start + 24);
    if ((a->read_format & ~(uint64_t)31) && (s & SAMPLE_READ))
        md_fault(c, 41, start + 32);
    if ((s & SAMPLE_BRANCH_STACK) && a->branch_type >> 20)
        md_fault(c, 42, start + 72);
    if ((s & SAMPLE_WEIGHT) && (s & SAMPLE_WEIGHT_PAIR))
        md_fault(c, 44, start + 24);
    if (!(s & SAMPLE_BRANCH_STACK) && (a->branch_type >> 11 & 1) &&
        !(a->type == 1 && (a->config == 9 || a->config == 10)))
        md_fault(c, 405, start + 72);
    warn_of_attr(c, a);
    if (((s & SAMPLE_BRANCH_STACK) && size < 80) || ((s & SAMPLE_REGS_USER) && size < 88) ||
        ((s & SAMPLE_STACK_USER) && size < 92) || ((s & SAMPLE_REGS_INTR) && size < 104))
        md_fault(c, 47, start + 24);
}

/* Index of the word of a sample that holds the id, counted from the record header; -1: none */
static int id_position(const struct attr *a)
{
    uint64_t s = a->sample_type;

    if (s & SAMPLE_IDENTIFIER)
        return 0;
    if (s & SAMPLE_ID)
        return (int)md_ones(s & (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR));
    return -1;
}

/* The same in the trailer of other records, counted from its end; 1 is the last */
static int id_position_back(const struct attr *a)
{
    uint64_t s = a->sample_type;

    if (s & SAMPLE_IDENTIFIER)
        return 1;
    if (s & SAMPLE_ID)
        return 1 + (int)md_ones(s & (SAMPLE_CPU | SAMPLE_STREAM_ID));
    return -1;
}

unsigned md_trailer_size(const struct attr *a)
{
    if (!(a->flags & FLAG_SAMPLE_ID_ALL))
        return 0;
    return 8 * md_ones(a->sample_type & (SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID |
                                         SAMPLE_CPU | SAMPLE_IDENTIFIER));
}

bool md_has_bit(const struct model *m, unsigned bit)
{
    return m->features[bit / 8] >> bit % 8 & 1;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

void md_judge_attrs(struct model *m, uint64_t at)
{
    /* What perf stat writes has no samples; its events need nothing in common. A pipe tells by its records.
     */
    bool stat = m->pipe ? m->stat_seen : md_has_bit(m, 19);
    size_t with_ids = 0, by_kernel = 0;

    if (m->tracepoint_count)
        qsort(m->tracepoints, m->tracepoint_count, sizeof *m->tracepoints, by_number);

    for (size_t i = 0; i < m->attr_count; i++)
        with_ids += m->attrs[i].ids != 0, by_kernel += !counted_by_perf(m->attrs[i].type);
    if (m->attr_count > 1 && with_ids == 0 && by_kernel != 0)
        md_fault_at(m, 64, 0, -1, at);
    for (size_t i = 0; i < m->attr_count; i++) {
        const struct attr *a = &m->attrs[i], *first = &m->attrs[0];
        if (!stat && m->attr_count > 1 &&
            (id_position(a) < 0 || id_position(a) != id_position(first) ||
             id_position_back(a) != id_position_back(first)))
            md_fault_at(m, 52, 0, -1, at);
        if (!stat && (a->flags ^ first->flags) & FLAG_SAMPLE_ID_ALL)
            md_fault_at(m, 53, 0, -1, at);
        if ((!stat || m->sampled_without_id) && (a->sample_type & SAMPLE_READ) && !(a->read_format & READ_ID))
            md_fault_at(m, i || stat ? 55 : 54, 0, -1, at);
        if (a->type == 2 && !m->has_tracing_data) {
            if ((!m->pipe || !stat || m->sampled) && !m->by_simpleperf)
                md_fault_at(m, 65, 0, -1, at);
        } else if (a->type == 2 && !m->tracing_data_bad) {
            if (m->tracepoint_count == 0 ||
                !bsearch(&a->config, m->tracepoints, m->tracepoint_count, sizeof *m->tracepoints, by_number))
                md_fault_at(m, 66, 0, -1, at);
        }
    }
}

void md_add_attr(struct model *m, struct attr a)
{
    int place = id_position(&a), back = id_position_back(&a);

    m->id_place = m->attr_count == 0 || m->id_place == place ? place : -1;
    m->id_back = m->attr_count == 0 || m->id_back == back ? back : -1;
    if (md_grow(m, (void **)&m->attrs, &m->attr_cap, m->attr_count, sizeof *m->attrs))
        m->attrs[m->attr_count++] = a;
}

/* SPDX-License-Identifier: MIT
 *
 * SAMPLE records.
 */
#include "parts.h"

/* hw_index: 0 no, 1 yes, 2 left out because there are no branches (a sample without branch data) */
static void branch_stack(struct cursor *c, int hw_index, bool counters)
{
    c->condition = 123;
    uint64_t nr = md_count_of(c, 8);
    if (hw_index == 1 || (hw_index == 2 && nr))
        md_count_of(c, 8);
    if (!md_fits(c, nr, 24))
        return;
    for (uint64_t i = 0; i < nr && !c->m->limit; i++) {
        md_u64(c);
        md_u64(c);
        uint64_t flags = md_bit_word(c, 8, md_branch_bits);
        if ((flags >> 20 & 15) == 15 && (flags >> 26 & 15) >= 8 && !c->quiet) /* says nothing of the layout */
            md_fault(c, 321, c->pos - 8);
        else if (flags >> 33)
            md_warn(c, 124);
    }
    if (counters && md_fits(c, nr, 8))
        md_many_u64(c, nr);
}

/* data_src */
static void memory(struct cursor *c, uint64_t word)
{
    static const struct {
        unsigned bit, letters;
    } levels[] = { { 5, 3 },   { 8, 2 },   { 9, 7 },   { 10, 2 },  { 11, 2 }, { 12, 9 },
                   { 13, 18 }, { 14, 19 }, { 15, 20 }, { 16, 21 }, { 17, 3 }, { 18, 8 } };
    unsigned text = 0;
    for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++)
        if (word >> levels[i].bit & 1)
            text += levels[i].letters + 4;
    if (text > 63 + 4 && !c->quiet)
        md_fault(c, 382, c->pos - 8);
    else if (word >> 51)
        md_warn(c, 135);
}

static void registers(struct cursor *c, uint64_t mask)
{
    c->condition = 127;
    uint64_t abi = md_count_of(c, 8);
    if (abi > 2)
        md_warn(c, 126);
    if (abi)
        md_many_u64(c, md_ones(mask));
}

static void sample_fields(struct cursor *c, const struct attr *a, int hw_index, bool counters)
{
    uint64_t s = a->sample_type;
    size_t at;

    c->condition = 114;
    c->m->identifier_at = c->pos;
    if (s & SAMPLE_IDENTIFIER)
        md_u64(c);
    if (s & SAMPLE_IP)
        md_u64(c);
    if (s & SAMPLE_TID) {
        md_u32(c);
        md_u32(c);
    }
    if (s & SAMPLE_TIME) {
        c->m->time = md_u64(c);
        if (c->m->time == 0 || c->m->time == UINT64_MAX)
            md_warn(c, 133);
    }
    if (s & SAMPLE_ADDR)
        md_u64(c);
    c->m->id_at = c->pos;
    if (s & SAMPLE_ID)
        md_u64(c);
    if (s & SAMPLE_STREAM_ID)
        md_u64(c);
    if (s & SAMPLE_CPU) {
        c->m->cpu_at = c->pos;
        md_u32(c);
        if (md_u32(c))
            md_warn(c, 92);
    }
    if (s & SAMPLE_PERIOD)
        md_u64(c);
    c->condition = 117;
    if (s & SAMPLE_READ)
        md_read_values(c, a);
    c->condition = 118;
    if (s & SAMPLE_CALLCHAIN)
        md_many_u64(c, md_count_of(c, 8));
    if (s & SAMPLE_RAW) {
        c->condition = 121;
        at = c->pos;
        uint32_t size = (uint32_t)md_count_of(c, 4);
        if (!c->cut && (size + (uint64_t)4) % 8)
            md_fault(c, 122, at);
        c->m->raw_at = c->pos;
        c->m->raw_size = size;
        md_bytes(c, size, MODEL_BYTES);
    }
    if (s & SAMPLE_BRANCH_STACK)
        branch_stack(c, hw_index, counters);
    if (s & SAMPLE_REGS_USER)
        registers(c, a->regs_user);
    if (s & SAMPLE_STACK_USER) {
        c->condition = 128;
        at = c->pos;
        uint64_t size = md_count_of(c, 8);
        if (size) {
            if (size % 8)
                md_fault(c, 129, at);
            md_bytes(c, size, MODEL_BYTES);
            at = c->pos;
            if (md_u64(c) > size && !c->cut)
                md_fault(c, 128, at);
        }
    }
    c->condition = 130;
    if (s & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_PAIR))
        md_u64(c);
    if (s & SAMPLE_DATA_SRC)
        memory(c, md_u64(c));
    if ((s & SAMPLE_TRANSACTION) && (md_u64(c) & 0xffffff00u))
        md_warn(c, 135);
    if (s & SAMPLE_REGS_INTR)
        registers(c, a->regs_intr);
    c->condition = 130;
    if (s & SAMPLE_PHYS_ADDR)
        md_u64(c);
    if (s & SAMPLE_CGROUP)
        md_u64(c);
    if (s & SAMPLE_DATA_PAGE)
        md_u64(c);
    if (s & SAMPLE_CODE_PAGE)
        md_u64(c);
    if (s & SAMPLE_AUX) {
        c->condition = 131;
        md_bytes(c, md_count_of(c, 8), MODEL_BYTES);
    }
}

static bool any_counters(const struct model *m)
{
    for (size_t i = 0; i < m->attr_count; i++)
        if ((m->attrs[i].sample_type & SAMPLE_BRANCH_STACK) && (m->attrs[i].branch_type & BRANCH_COUNTERS))
            return true;
    return false;
}

/* Whether the sample ends where the record does when it is read so. */
static bool sample_fits(struct cursor *c, const struct attr *a, int hw_index, bool counters)
{
    struct cursor try = *c;

    try.quiet = true;
    sample_fields(&try, a, hw_index, counters);
    return !try.cut && md_left(&try) == 0;
}

static bool is_described(const struct model *m, uint64_t id)
{
    for (size_t i = 0; i < m->tracepoint_count; i++)
        if (m->tracepoints[i] == id)
            return true;
    return false;
}

/* The payload of a tracepoint begins with the id of its format; perf inject leaves 0 there. That of an Intel
 * EVT event has a number of entries. */
static void judge_raw(struct cursor *c, const struct attr *a)
{
    const struct model *m = c->m;

    if (a->type == 0x80000000 && a->config == 7 && m->raw_size >= 4 &&
        4 + 16 * md_number_at(c->base + m->raw_at + 2, 2, false) > m->raw_size)
        md_fault(c, 406, m->raw_at);
    if (a->type == 1 && a->config == 10 && (a->sample_type & SAMPLE_CALLCHAIN) && m->raw_size >= 24) {
        uint64_t nr = md_number_at(c->base + m->raw_at + 16, 8, c->big);
        if (nr >> 61 && nr * 8 <= m->raw_size)
            md_fault(c, 408, m->raw_at);
    }
    if (a->type != 2 || m->raw_size < 8 || m->tracing_data_bad)
        return;
    uint64_t type = md_number_at(c->base + m->raw_at, 2, m->tracing_big);
    if (type && type != (a->config & 0xffff) && is_described(m, a->config) && !is_described(m, type))
        md_fault(c, 319, m->raw_at);
}

/* A sample that could be read whole. */
static void judge_sample(struct cursor *c, const struct attr *a, size_t start)
{
    struct model *m = c->m;
    uint64_t mode = md_number_at(c->base + start + 4, 2, c->big) & 7;

    if ((a->sample_type & SAMPLE_CGROUP) && (mode == 0 || mode > 5))
        md_fault(c, 472, start + 4);
    md_judge_ids_and_cpu(c, a, true);
    if (a->sample_type & SAMPLE_RAW)
        judge_raw(c, a);
    if ((a->sample_type & SAMPLE_READ) && m->strange_read && !m->has_attr_fault)
        md_fault(c, 301, m->strange_read);
}

void md_sample(struct cursor *c, size_t start)
{
    struct model *m = c->m;

    if (!md_attr_there(c, start)) {
        md_rest(c);
        return;
    }
    const struct attr *a = &m->attrs[0];
    int place = m->id_place;
    /* If all attrs have one layout, a sample without an id can be read all the same. */
    if (m->attr_count > 1 && !(place < 0 && md_is_one_layout(m, false))) {
        if (place < 0) {
            if (m->part_open)
                m->parts[m->part_count - 1].faulty = true;
            md_rest(c);
            return;
        }
        if (md_left(c) < 8 * ((size_t)place + 1)) {
            md_fault(c, 115, start);
            c->cut = true;
            return;
        }
        size_t at = c->pos + 8 * (size_t)place;
        uint64_t id = md_number_at(c->base + at, 8, c->big);
        const struct id_slot *slot = id ? md_find_id(m, id) : NULL;
        if (id && !slot) {
            md_fault(c, 116, at);
            c->cut = true;
            return;
        }
        if (slot)
            a = &m->attrs[slot->attr];
    }
    if (a->sample_type & ~SAMPLE_KNOWN) {
        md_rest(c);
        return;
    }
    int hw_index = (a->branch_type & BRANCH_HW_INDEX) != 0;
    bool counters = (a->branch_type & BRANCH_COUNTERS) != 0;
    bool other = !counters && any_counters(m); /* of an attr of its group, and groups may be unknown (4.8) */
    if (!sample_fits(c, a, hw_index, counters)) {
        if (hw_index && sample_fits(c, a, 2, counters)) {
            hw_index = 2;
        } else if ((counters || other) && sample_fits(c, a, hw_index, !counters)) {
            counters = !counters;
        } else if (hw_index && (counters || other) && sample_fits(c, a, 2, !counters)) {
            hw_index = 2;
            counters = !counters;
        }
    }
    m->strange_read = 0;
    sample_fields(c, a, hw_index, counters);
    if (!c->cut && (a->sample_type & SAMPLE_READ) && !(a->read_format & READ_ID))
        m->sampled_without_id = true;
    if (!c->cut && md_left(c) >= 8)
        md_fault(c, 132, c->pos);
    else if (!c->cut && md_left(c))
        md_warn(c, 132);
    if (!c->cut && md_left(c) < 8)
        judge_sample(c, a, start);
    md_rest(c);
}

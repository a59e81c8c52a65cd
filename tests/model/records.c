/* SPDX-License-Identifier: MIT
 *
 * Records other than SAMPLE.
 */
#include "parts.h"

#include <string.h>

static void add_cpu(unsigned char *cpus, uint64_t cpu)
{
    if (cpus && cpu <= NO_CPU)
        cpus[cpu / 8] |= (unsigned char)(1 << cpu % 8);
}

/* The CPU of a map must be one that the machine has; of those before the number is known the largest counts.
 */
static void judge_map_cpu(struct cursor *c, size_t at, uint32_t cpu)
{
    struct model *m = c->m;

    if (c->cut)
        return;
    if (m->available && cpu >= m->available)
        md_fault(c, 420, at);
    if (!m->available && cpu > m->early_cpu[2]) {
        m->early_cpu[2] = cpu;
        m->early_cpu_row[2] = (struct model_fault){ 420, c->member, c->wrapper, at - c->origin };
    }
}

/* cpus: a bit for each CPU that is in the map; NULL: nobody wants to know. */
static void cpu_map(struct cursor *c, unsigned char *cpus)
{
    size_t at = c->pos;
    uint16_t type = md_u16(c);

    if (c->cut)
        return;
    if (type == 0) {
        uint16_t nr = md_u16(c);
        if (md_fits(c, nr, 2))
            for (unsigned i = 0; i < nr; i++) {
                at = c->pos;
                uint16_t cpu = md_u16(c);
                if (cpu > 32766 && cpu != 65535)
                    md_fault(c, 171, at);
                if (cpu <= 32766)
                    judge_map_cpu(c, at, cpu);
                add_cpu(cpus, cpu);
            }
    } else if (type == 1) {
        uint16_t nr = md_u16(c);
        at = c->pos;
        uint16_t width = md_u16(c);
        if (c->cut)
            return;
        if (width != 4 && width != 8) {
            md_fault(c, 169, at);
            c->cut = true;
            return;
        }
        if (width == 8)
            md_bytes(c, 4, MODEL_BYTES);
        if (md_fits(c, nr, width))
            for (unsigned i = 0; i < nr; i++) {
                uint32_t largest = 0;
                at = c->pos;
                uint64_t word = md_unsigned(c, width);
                for (unsigned bit = 0; bit < 8u * width; bit++)
                    if (word >> bit & 1) {
                        largest = 8u * width * i + bit;
                        add_cpu(cpus, largest);
                    }
                judge_map_cpu(c, at, largest);
            }
    } else if (type == 2) {
        at = c->pos;
        uint8_t any = md_u8(c);
        if (!c->cut && any > 1)
            md_fault(c, 407, at);
        if (any)
            add_cpu(cpus, NO_CPU);
        md_u8(c);
        uint16_t first = md_u16(c);
        at = c->pos;
        uint16_t last = md_u16(c);
        if (!c->cut && (last < first || last > 32766))
            md_fault(c, 171, at);
        if (last <= 32766)
            judge_map_cpu(c, at, last);
        for (unsigned cpu = first; cpu <= last && !c->cut; cpu++)
            add_cpu(cpus, cpu);
    } else {
        md_fault(c, 170, at);
        c->cut = true;
    }
    md_rest(c);
}

/* Kernels 3.12 to 3.15 had neither prot nor flags: 1 when text stands where they should be, 0 when numbers
 * do, -1 when nothing does. */
static int shows_old_mmap2(const struct cursor *c)
{
    if (md_left(c) < 8)
        return -1;
    size_t n = md_length_to_nul(c, 8);
    for (size_t i = 0; i < n; i++)
        if (c->base[c->pos + i] < 0x20 || c->base[c->pos + i] > 0x7e)
            return 0;
    if (n)
        return 1;
    for (size_t i = 0; i < 8; i++)
        if (c->base[c->pos + i])
            return 0;
    return -1;
}

/* Whether a string after `skip` bytes ends before the trailer. */
static bool string_fits(const struct cursor *c, size_t skip, const struct attr *a)
{
    size_t end = c->end - c->pos < md_trailer_size(a) ? c->pos : c->end - md_trailer_size(a);
    for (size_t p = c->pos + skip; p < end; p++)
        if (c->base[p] == 0)
            return true;
    return false;
}

/* Where a mapping has what the kernel's cannot have; 0: it does not. */
struct odd_mapping {
    size_t text; /* pgoff behind the end */
    size_t len;  /* more than there are addresses */
};

static struct odd_mapping mapping(struct cursor *c)
{
    struct odd_mapping odd = { 0, 0 };
    uint64_t start = md_u64(c), len = md_u64(c), end = start + len < start ? UINT64_MAX : start + len;

    if (len == 0 || start + (len - 1) < start)
        md_warn(c, 95);
    if (len != 0 && start + (len - 1) < start)
        odd.len = c->pos - 8;
    if (md_u64(c) > end)
        odd.text = c->pos - 8;
    return odd;
}

/* Before the name of a mapping. */
static void kernel_mapping(struct cursor *c, uint16_t misc, struct odd_mapping odd)
{
    static const char kernel[] = "[kernel.kallsyms]";
    size_t size = sizeof kernel - 1;

    if ((misc & 7) != 1 || c->cut || c->end - c->pos < size || memcmp(c->base + c->pos, kernel, size))
        return;
    if (odd.text)
        md_fault(c, 471, odd.text);
    if (odd.len)
        md_fault(c, 481, odd.len);
}

static void mmap2(struct cursor *c, uint16_t misc, const struct attr *a)
{
    struct model *m = c->m;
    bool old = false;

    md_u32(c);
    md_u32(c);
    struct odd_mapping odd = mapping(c);
    if (misc & 0x4000) {
        size_t at = c->pos;
        uint8_t size = md_u8(c);
        if (size > 20)
            md_fault(c, 96, at);
        md_bytes(c, 3, MODEL_BYTES);
        md_bytes(c, 20, MODEL_BYTES);
        if (!c->cut && (md_is_any_set(c->base + at + 1, 3) ||
                        (size && size <= 20 && md_is_any_set(c->base + at + 4 + size, 20u - size))))
            md_warn(c, 97);
    } else {
        md_u32(c);
        md_u32(c);
        md_u64(c);
        md_u64(c);
        if (m->old_mmap2 < 0)
            old = a && !string_fits(c, 8, a) && string_fits(c, 0, a);
        else
            old = m->old_mmap2;
    }
    if (!old) {
        md_u32(c);
        md_u32(c);
    }
    kernel_mapping(c, misc, odd);
    size_t at = c->pos;
    md_string_and_finish(c, a, false);
    md_judge_name(c, at, 1158);
}

/* simpleperf: each trace of a CPU begins behind all earlier ones. */
static void auxtrace_offset(struct cursor *c, uint64_t from, uint64_t size, uint32_t cpu, size_t at)
{
    struct model *m = c->m;
    uint64_t end = from + size < from ? UINT64_MAX : from + size;
    for (size_t i = 0; i < m->traced_count; i++)
        if (m->traced[i].kind == (int)cpu && from < m->traced[i].end) {
            md_fault(c, 451, at);
            break;
        }
    if (md_grow(m, (void **)&m->traced, &m->traced_cap, m->traced_count, sizeof *m->traced))
        m->traced[m->traced_count++] = (struct section){ .start = from, .end = end, .kind = (int)cpu };
}

/* size: how much of the trace data follows the record; an impossible size is reported */
static uint64_t auxtrace(struct cursor *c, size_t start)
{
    struct model *m = c->m;
    size_t at = c->pos;
    uint64_t size = md_u64(c);
    uint64_t from = md_u64(c);

    bool untimed = md_u64(c) == 0;
    if (untimed && m->is_pt && m->pt_has_tsc && !c->cut)
        md_fault(c, 389, c->pos - 8);
    if (md_u32(c) >= 1u << 20)
        md_fault(c, 342, c->pos - 4);
    md_u32(c);
    uint32_t cpu = md_u32(c);
    if (m->available && cpu >= m->available && cpu != UINT32_MAX)
        md_fault(c, 384, c->pos - 4);
    if (m->is_etm && m->by_simpleperf && !c->cut)
        auxtrace_offset(c, from, size, cpu, at + 8);
    md_u32(c);
    md_rest(c);
    if (c->wrapper >= 0)
        return 0;
    if (!m->has_auxtrace_info)
        md_fault(c, 157, start);
    if (size >> 63)
        md_fault(c, 159, at);
    else if (size % 8)
        md_fault(c, 160, at);
    if (c->member == 0 &&
        md_grow(m, (void **)&m->auxtraces, &m->auxtrace_cap, m->auxtrace_count, sizeof *m->auxtraces))
        m->auxtraces[m->auxtrace_count++] =
            (struct section){ .start = start - c->origin, .end = c->end - c->origin };
    return size;
}

/* The blocks of CPUs, which CS_ETM and ARM_SPE have. */
static void auxtrace_cpus(struct cursor *c, uint64_t nr)
{
    for (uint64_t i = 0; i < nr && !c->cut && !c->m->limit; i++) {
        md_u64(c);
        if (md_u64(c) > 32766)
            md_fault(c, 347, c->pos - 8);
        md_many_u64(c, md_u64(c));
    }
}

/* So many words, of which the third and the fifth are time_mult and cap_user_time_zero. */
static void auxtrace_clock(struct cursor *c, unsigned nr)
{
    uint64_t word[10] = { 0 };
    size_t at = c->pos;
    for (unsigned i = 0; i < nr; i++)
        word[i] = md_u64(c);
    if (!c->cut && (uint32_t)word[2] == 0 && (nr == 6 || word[2] || word[4]))
        md_fault(c, 356, at + 16);
}

/* Intel PT: perf takes the ratio, or makes one of the frequency, and divides by it. Each of its words is
 * narrower than that of the record. */
static void auxtrace_ratio(struct cursor *c, size_t words, size_t end)
{
    uint16_t shift = (uint16_t)md_number_at(c->base + words + 8, 8, c->big);
    uint32_t mult = (uint32_t)md_number_at(c->base + words + 16, 8, c->big);
    uint32_t ratio = end - words >= 128 ? (uint32_t)md_number_at(c->base + words + 120, 8, c->big) : 0;
    if (mult == 0 || ratio)
        return;
    uint64_t whole = 1000000000 / mult, rest = 1000000000 % mult;
    for (unsigned i = 0; i < shift % 64; i++)
        whole *= 2, rest *= 2;
    ratio = (uint32_t)((whole + rest / mult + 50000000) / 100000000);
    if (!ratio)
        md_fault(c, 385, words + 8);
}

static void auxtrace_info(struct cursor *c)
{
    const size_t words = c->pos + 8, end = c->end;
    c->condition = 155;
    uint32_t type = md_u32(c);
    md_u32(c);
    if (c->cut)
        return;
    if (type == 0 || type > 7)
        md_fault(c, 154, c->pos - 8);
    c->m->is_pt = c->m->pt_has_tsc = false;
    if (type != 3 && c->m->by_simpleperf)
        md_fault(c, 450, c->pos - 8);
    if (type == 1) {
        auxtrace_clock(c, 10);
        for (int i = 10; i < 16 && md_left(c) >= 8; i++)
            md_u64(c);
        if (!c->cut && md_left(c) >= 8) {
            size_t at = c->pos;
            uint64_t len = md_u64(c);
            c->condition = 156;
            if (len > md_left(c)) {
                md_fault(c, 156, at);
                c->cut = true;
                return;
            }
            size_t text = c->pos;
            md_bytes(c, len ? md_align8(len + 1) : 0, MODEL_TEXT);
            if (!c->cut && len && c->base[c->pos - 1])
                md_fault(c, 156, text);
            if (!c->cut && md_left(c) >= 8)
                md_u64(c); /* event trace */
        }
        if (!c->cut)
            auxtrace_ratio(c, words, end);
        c->m->is_pt = !c->cut;
        for (size_t i = 0; i < c->m->attr_count && !c->cut; i++)
            if (c->m->attrs[i].type == md_number_at(c->base + words, 8, c->big) &&
                (c->m->attrs[i].config & md_number_at(c->base + words + 40, 8, c->big)) &&
                md_number_at(c->base + words + 32, 8, c->big))
                c->m->pt_has_tsc = true;
    } else if (type == 2) {
        auxtrace_clock(c, 6);
    } else if (type == 3) {
        uint64_t version = md_u64(c);
        uint64_t nr = md_u64(c) & 0xffffffffu;
        md_u64(c);
        if (nr == 0 && !c->cut)
            md_fault(c, 433, c->pos - 16);
        if (version > 1)
            md_warn(c, 398);
        if (version != 1 && c->m->by_simpleperf && !c->cut)
            md_fault(c, 450, c->pos - 24);
        for (uint64_t i = 0; version && i < nr && !c->cut && !c->m->limit; i++) {
            static const uint64_t v3 = 0x3030303030303030, v4 = 0x4040404040404040, ete = 0x5050505050505050;
            uint64_t magic = md_left(c) < 8 ? v3 : md_number_at(c->base + c->pos, 8, c->big);
            if (magic != v3 && magic != v4 && magic != ete)
                md_warn(c, 398);
            size_t cpu = c->pos;
            uint64_t parameters = md_left(c) < 24 ? 0 : md_number_at(c->base + cpu + 16, 8, c->big);
            if (c->m->by_simpleperf && !(magic == v4 && parameters == 7) &&
                !(magic == ete && parameters == 8))
                md_fault(c, 450, cpu);
            auxtrace_cpus(c, 1);
        }
        if (version && !c->cut && md_left(c) >= 8) {
            md_warn(c, 399);
            if (c->m->by_simpleperf)
                if (version == 1)
                    md_fault(c, 450, c->pos);
        }
    } else if (type == 4) {
        /* The first version has no version word; perf 7.2 tells it by its size. */
        bool first = md_left(c) <= 16;
        md_u64(c);
        if (md_u64(c) != 4 && !first && !c->cut)
            md_fault(c, 348, c->pos - 8);
        if (!first && !c->cut) {
            md_u64(c);
            auxtrace_cpus(c, md_u64(c));
        }
        if (!c->cut && c->m->no_clock_at)
            md_fault(c, 356, c->m->no_clock_at);
    } else if (type == 6 || type == 7) {
        md_u64(c);
    }
    while (!c->cut && md_left(c) >= 8 && !c->m->limit)
        md_u64(c);
    md_rest(c);
    if (!c->cut) /* one that is cut tells nothing */
        c->m->is_etm = type == 3;
}

static void auxtrace_error(struct cursor *c)
{
    if (md_u32(c) >> 31)
        md_fault(c, 343, c->pos - 4);
    for (int i = 1; i < 5; i++)
        md_u32(c);
    uint32_t fmt = md_u32(c);
    if (fmt > 2)
        md_warn(c, 163);
    md_u64(c);
    if (fmt)
        md_u64(c);
    if (fmt >= 2 && md_left(c) >= 72) {
        md_bytes(c, 64, MODEL_TEXT);
        md_u32(c);
        md_u32(c);
        md_rest(c);
        return;
    }
    if (!c->cut)
        md_bytes(c, md_left(c) < 64 ? md_left(c) : 64, MODEL_TEXT);
    md_rest(c);
}

static void text_with_nul(struct cursor *c, size_t size, unsigned condition)
{
    if (!md_need(c, size))
        return;
    if (md_length_to_nul(c, size) == size)
        md_fault(c, condition, c->pos);
    md_bytes(c, size, MODEL_TEXT);
}

static bool has_more_than_zeros(const struct cursor *c)
{
    size_t at = c->pos;
    while (at < c->end && c->base[at] == 0)
        at++;
    return at < c->end;
}

static void header_attr(struct cursor *c, size_t start)
{
    struct model *m = c->m;

    c->condition = 140;
    if (!md_need(c, 8)) {
        m->has_attr_fault = true;
        return;
    }
    uint64_t own = md_number_at(c->base + c->pos + 4, 4, c->big), size = own ? own : 64;
    if (!m->pipe) {
        md_fault(c, 142, start);
        md_rest(c);
        return;
    }
    if (size < 64 || size % 8 || size > md_left(c)) {
        md_fault(c, 140, c->pos + 4);
        m->has_attr_fault = true;
        c->cut = true;
        return;
    }
    size_t at = c->pos;
    struct attr a = md_attr_fields(c, size, size);
    if (c->cut)
        return;
    md_judge_attr(c, &a, size, at);
    if (md_left(c) % 8)
        md_fault(c, 141, c->pos);
    a.ids = md_left(c) / 8;
    while (md_left(c) >= 8 && !m->limit) {
        at = c->pos;
        uint64_t id = md_u64(c);
        if (md_add_id(m, id, (uint32_t)m->attr_count) && id)
            md_fault(c, 61, at);
    }
    md_rest(c);
    md_add_attr(m, a);
}

/* What inject leaves after the name, a sample_id or zeros, is padding. */
static void header_build_id(struct cursor *c, uint16_t misc)
{
    md_signed(c, 4);
    md_bytes(c, 20, MODEL_BYTES);
    size_t at = c->pos;
    if (md_u8(c) > 20 && (misc & 0x8000))
        md_fault(c, 146, at);
    md_bytes(c, 3, MODEL_BYTES);
    if (c->cut)
        return;
    size_t n = md_length_to_nul(c, md_left(c));
    if (n == md_left(c)) {
        md_fault(c, 83, c->pos);
        c->cut = true;
        return;
    }
    md_bytes(c, n + 1, MODEL_TEXT);
    md_rest(c);
}

static void header_feature(struct cursor *c, size_t start, uint16_t size)
{
    struct model *m = c->m;
    size_t at = c->pos;
    uint64_t bit = md_u64(c);

    if (bit == 0 || bit >> 31) {
        md_fault(c, 183, at);
        return;
    }
    /* The end mark of 5.10, 6.1 and 7.2 is 30, 32 or 35: its size tells it from these features. */
    if (size == 16 && (bit >= m->last_feature || bit >= 30)) {
        m->last_feature = bit < 35 ? bit : 35;
        return;
    }
    if (size == 16 && bit != 1 && bit != 2 && bit != 15 && bit != 18 && bit != 19) {
        md_fault(c, 1000 + (unsigned)bit, at); /* nothing to read it from */
        return;
    }
    if (bit >= m->last_feature)
        m->last_feature = bit + 1;
    if (bit == 1 || bit == 2 || bit == 18) {
        md_fault(c, 187, at);
        return;
    }
    (void)start;
    if (bit >= 35 && (bit < 128 || bit >= FEATURES_END)) {
        md_warn(c, 184);
        md_rest(c);
        return;
    }
    if (m->features_seen[bit])
        md_warn(c, 185);
    m->features_seen[bit] = true;
    if (bit < 35)
        md_feature(c, (unsigned)bit);
    else
        md_android_feature(c, (unsigned)bit);
}

static void unknown_id(struct cursor *c, uint64_t id, size_t at, unsigned condition)
{
    if (!c->cut && !md_id_resolves(c->m, id))
        md_fault(c, condition, at);
}

/* What must precede the records of perf stat that hold counts. */
static void stat_begins(struct cursor *c, size_t start)
{
    if (!c->m->has_cpu_map || !c->m->has_thread_map)
        md_fault(c, 305, start);
    if (!c->m->has_stat_config)
        md_fault(c, 304, start);
}

static bool any_without_ids(const struct model *m)
{
    for (size_t i = 0; i < m->attr_count; i++)
        if (m->attrs[i].ids == 0)
            return true;
    return false;
}

/* CPU and thread of a STAT. Both must be in the maps, but perf 5.10 wrote an index for the CPU. */
static void stat_place(struct cursor *c)
{
    struct model *m = c->m;
    size_t at = c->pos;
    uint32_t cpu = md_u32(c), thread = md_u32(c), known = 0;
    uint32_t bit = cpu == UINT32_MAX ? NO_CPU : cpu;

    for (size_t i = 0; i < sizeof m->stat_cpus; i++)
        known += md_ones(m->stat_cpus[i]);
    if (m->has_cpu_map && !m->bad_cpu_map && cpu >= known &&
        !(cpu != NO_CPU && bit <= NO_CPU && m->stat_cpus[bit / 8] >> bit % 8 & 1))
        md_fault(c, 322, at);
    if (m->has_thread_map && !m->bad_thread_map && thread >= m->stat_threads)
        md_fault(c, 322, at + 4);
}

/* FORK, whose numbers begin at `at`: outside of the recorder's pid namespace a task has none. */
static bool is_own_parent(const struct cursor *c, size_t at)
{
    const unsigned char *p = c->base + at;
    uint64_t ppid = md_number_at(p + 4, 4, c->big), tid = md_number_at(p + 8, 4, c->big);
    return tid == md_number_at(p + 12, 4, c->big) && (tid != 0 || ppid != 0);
}

/* perf 4.5 to 4.20 wrote CPU maps without padding: lists of 4 + 2 * nr bytes, masks of 6 + 4 * nr or 10 + 8 *
 * nr, and in CPU_MAP 4 bytes more. */
static bool is_old_map(const struct cursor *c, uint32_t type, size_t start, size_t size)
{
    size_t at = type == 74 ? 8 : 24, more = type == 74 ? 4 : 0;
    if ((type != 74 && type != 78) || size < at + 4 ||
        (type == 78 && md_number_at(c->base + start + 8, 8, c->big) != 3))
        return false;
    const unsigned char *map = c->base + start + at;
    uint64_t kind = md_number_at(map, 2, c->big), nr = md_number_at(map + 2, 2, c->big);
    if (kind == 0)
        return size == at + more + 4 + 2 * nr;
    if (kind != 1 || size < at + 6)
        return false;
    uint64_t width = md_number_at(map + 4, 2, c->big);
    return (width == 4 && size == at + more + 6 + 4 * nr) || (width == 8 && size == at + more + 10 + 8 * nr);
}

uint64_t md_record(struct cursor *c, uint32_t type, uint16_t misc, uint16_t size)
{
    struct model *m = c->m;
    size_t start = c->pos, at, end;
    const struct attr *a;
    uint64_t nr, behind = 0;
    static const unsigned short least[] = {
        0,  41, 24, 17, 32, 32, 32, 32, 24, 8,  73, 32,
        16, 16, 8,  16, 24, 25, 24, 17, 24, 16, 24, /* 22: its fields, not the 16 of 3.5 */
    };
    static const unsigned short least_user[] = {
        72, 16, 12, 36, 8,  16, 16, 48, 49,  16, 16, 16,
        48, 24, 24, 32, 16, 8,  8,  16, 528, 24, 24, /* 86; [95 - 64] = N adds one, and 0 is none */
    };

    c->cut = false;
    md_u32(c);
    md_u16(c);
    md_u16(c);
    if (md_android_record(c, type, size, start))
        return 0;
    if (size % 8 && type != 66 && type != 80 && type != 81 && !is_old_map(c, type, start, size) &&
        !(type == 67 && size % 8 == 4) && !(c->m->by_simpleperf && type > 32778 && type < 32896))
        md_fault(c, 73, start);
    if (type == 0 || (type > 22 && type < 64)) {
        md_fault(c, 76, start);
        md_rest(c);
        return 0;
    }
    if (type >= 64 && (type - 64 >= sizeof(least_user) / sizeof(*least_user) || !least_user[type - 64])) {
        if ((type > 127 && type < 32768) || type > 32895)
            md_fault(c, 350, start);
        else if (c->big)
            md_fault(c, 394, start);
        else
            md_warn(c, 77);
        md_rest(c);
        return 0;
    }
    if (type >= 75 && type <= 77)
        m->stat_seen = true; /* whatever is in it */
    m->sampled |= type == 9;
    if (type == 1 && (misc & 0x4000))
        md_fault(c, 82, start + 4);
    if (size < (type < 64 ? least[type] : least_user[type - 64])) {
        md_fault(c, 74, start);
        return 0;
    }
    /* SAMPLE, MMAP and others have addresses, and so a cpumode. */
    if (type < 23 && !(1u << type & (1u << 1 | 1u << 9 | 1u << 10 | 1u << 20 | 1u << 22)) && (misc & 6) == 4)
        md_fault(c, 351, start + 4);
    if (type == 10 && !(misc & 0x4000) && m->old_mmap2 < 0 &&
        m->attr_count) { /* whose it is does not matter */
        struct cursor prot = *c;
        prot.pos = start + 64;
        m->old_mmap2 = shows_old_mmap2(&prot);
    }
    c->condition = 74;
    a = NULL;
    if (type < 23 && type != 9) {
        a = md_attr_of_trailer(c, start, type == 8);
        if (!a) { /* nothing says what is in it */
            c->cut = false;
            if (m->part_open)
                m->parts[m->part_count - 1].faulty = true;
            md_rest(c);
            return 0;
        }
    }
    switch (type) {
    case 1: /* MMAP */
        md_u32(c);
        md_u32(c);
        kernel_mapping(c, misc, mapping(c));
        at = c->pos;
        md_string_and_finish(c, a, false);
        md_judge_name(c, at, 1158);
        break;
    case 2: /* LOST */
        md_u64(c);
        c->m->lost = md_u64(c);
        md_finish(c, a);
        break;
    case 3: /* COMM */
        md_u32(c);
        md_u32(c);
        at = c->pos;
        size_t name = md_length_to_nul(c, md_left(c));
        md_string_and_finish(c, a, false);
        md_judge_name(c, at, 1158);
        if (!c->cut && name > 15)
            md_fault(c, 317, at);
        break;
    case 4: /* EXIT, FORK */
    case 7:
        at = c->pos;
        for (int i = 0; i < 4; i++)
            md_u32(c);
        md_u64(c);
        md_finish(c, a);
        for (size_t i = 8; i < 16 && !c->cut && type == 7; i += 4)
            if (md_number_at(c->base + at + i, 4, c->big) >= 4194304)
                md_fault(c, 318, at + i);
        if (!c->cut && type == 7 && is_own_parent(c, at))
            md_fault(c, 358, at + 12);
        break;
    case 5: /* THROTTLE, UNTHROTTLE */
    case 6:
        md_u64(c);
        md_u64(c);
        md_u64(c);
        md_finish(c, a);
        break;
    case 8: /* READ */
        md_u32(c);
        md_u32(c);
        if (!a)
            break;
        if (md_left(c) < md_trailer_size(a)) {
            md_fault(c, 90, c->pos);
            c->cut = true;
            break;
        }
        c->condition = a->read_format & READ_GROUP ? 108 : 107;
        at = md_narrow(c, a);
        md_read_values(c, a);
        if (!c->cut && md_left(c))
            md_fault(c, 107, c->pos);
        md_rest(c);
        c->end = at;
        md_trailer(c, a);
        break;
    case 9:
        md_sample(c, start);
        break;
    case 10:
        mmap2(c, misc, a);
        break;
    case 11: /* AUX */
        at = c->pos;
        nr = md_u64(c);
        if (nr + md_u64(c) < nr)
            md_fault(c, 106, at);
        md_u64(c);
        md_finish(c, a);
        break;
    case 12: /* ITRACE_START, SWITCH_CPU_WIDE */
    case 15:
        if (type == 15 && (misc & 0x6000) == 0x4000)
            md_warn(c, 81);
        md_u32(c);
        md_u32(c);
        md_finish(c, a);
        break;
    case 13: /* LOST_SAMPLES, AUX_OUTPUT_HW_ID */
    case 21:
        c->m->lost = md_u64(c);
        if (misc & 0x8000) /* dropped by a filter */
            c->m->lost = 0;
        md_finish(c, a);
        break;
    case 14: /* SWITCH */
        if ((misc & 0x6000) == 0x4000)
            md_warn(c, 81);
        md_finish(c, a);
        break;
    case 16: /* NAMESPACES */
        c->condition = 99;
        end = md_narrow(c, a);
        md_u32(c);
        md_u32(c);
        nr = md_u64(c);
        if (md_fits(c, nr, 16))
            for (uint64_t i = 0; i < nr; i++) {
                md_u64(c);
                md_u64(c);
            }
        c->end = end;
        md_finish(c, a);
        break;
    case 17: /* KSYMBOL */
        md_u64(c);
        md_u32(c);
        if (md_u16(c) > 2)
            md_warn(c, 101);
        if (md_u16(c) > 1)
            md_warn(c, 101);
        at = c->pos;
        nr = m->fault_count;
        md_string_and_finish(c, a, true);
        if (m->fault_count == nr)
            md_judge_utf8(c, at, 448);
        break;
    case 18: /* BPF_EVENT */
        if (md_u16(c) > 2)
            md_warn(c, 102);
        md_u16(c);
        at = c->pos;
        nr = md_u32(c);
        md_bytes(c, 8, MODEL_BYTES);
        md_finish(c, a);
        if (!c->cut && nr >> 31)
            md_fault(c, 352, at);
        break;
    case 19: /* CGROUP */
        md_u64(c);
        md_string_and_finish(c, a, false);
        break;
    case 20: /* TEXT_POKE */
        c->condition = 103;
        end = md_narrow(c, a);
        md_u64(c);
        nr = md_u16(c);
        at = md_u16(c);
        md_bytes(c, nr, MODEL_BYTES);
        md_bytes(c, at, MODEL_BYTES);
        nr = md_align8(4 + nr + at) - (4 + nr + at);
        if (nr)
            md_bytes(c, nr, MODEL_BYTES);
        if (!c->cut && md_is_any_set(c->base + c->pos - nr, (size_t)nr))
            md_warn(c, 104);
        c->end = end;
        md_finish(c, a);
        break;
    case 22: /* CALLCHAIN_DEFERRED */
        if (!m->defer_output)
            md_warn(c, 51);
        c->condition = 109;
        end = md_narrow(c, a);
        md_u64(c);
        md_many_u64(c, md_u64(c));
        c->end = end;
        md_finish(c, a);
        break;
    case 64:
        header_attr(c, start);
        break;
    case 65: /* HEADER_EVENT_TYPE: the name may lack a NUL */
        if (md_left(c) >= 8)
            md_u64(c);
        md_rest(c);
        break;
    case 66:
        if (m->trace_seen)
            md_warn(c, 145);
        m->trace_seen = true;
        at = c->pos;
        behind = md_u32(c);
        if (behind != 0 || c->cut)
            m->has_tracing_data = m->tracing_data_bad = true; /* until it has been read */
        if (md_left(c))                                       /* padding, or not */
            md_u32(c);
        md_rest(c);
        if (c->cut)
            behind = 0;
        if (c->wrapper < 0 && behind % 8)
            md_fault(c, 144, at);
        break;
    case 67:
        header_build_id(c, misc);
        break;
    case 68: /* FINISHED_ROUND, FINISHED_INIT */
    case 82:
        if (md_left(c))
            md_warn(c, 148);
        if (type == 82 && m->init_seen)
            md_warn(c, 149);
        m->init_seen = m->init_seen || type == 82;
        md_rest(c);
        break;
    case 69: /* ID_INDEX */
        c->condition = 150;
        nr = md_u64(c);
        if (nr != 0 && !md_attr_there(c, start)) /* no id, no event of it */
            c->cut = true;
        if (!md_fits(c, nr, 32))
            break;
        for (uint64_t i = 0; i < nr && !m->limit; i++) {
            at = c->pos;
            unknown_id(c, md_u64(c), at, 151);
            md_u64(c);
            md_signed(c, 8);
            md_signed(c, 8);
        }
        if (md_left(c) / 16 >= nr)
            for (uint64_t i = 0; i < nr && !m->limit; i++) {
                md_u64(c);
                md_u64(c);
            }
        md_rest(c);
        break;
    case 70:
        if (m->has_auxtrace_info)
            md_fault(c, 346, start);
        m->has_auxtrace_info = true;
        auxtrace_info(c);
        break;
    case 71:
        behind = auxtrace(c, start);
        break;
    case 72:
        auxtrace_error(c);
        break;
    case 73: /* THREAD_MAP */
        c->condition = 166;
        nr = md_u64(c);
        if (md_fits(c, nr, 24))
            for (uint64_t i = 0; i < nr; i++) {
                md_signed(c, 8);
                md_bytes(c, 16, MODEL_TEXT);
            }
        md_rest(c);
        m->has_thread_map = true;
        m->bad_thread_map = m->bad_thread_map || c->cut;
        m->stat_threads = nr;
        break;
    case 74:
        c->condition = 168;
        m->has_cpu_map = true;
        at = m->fault_count;
        cpu_map(c, m->stat_cpus);
        m->bad_cpu_map = m->bad_cpu_map || at != m->fault_count;
        break;
    case 75: /* STAT_CONFIG */
        m->has_stat_config = true;
        c->condition = 173;
        nr = md_u64(c);
        if (md_fits(c, nr, 16))
            for (uint64_t i = 0; i < nr; i++) {
                uint64_t tag = md_u64(c);
                if (tag > 3 || nr > 4)
                    md_warn(c, 174);
                for (uint64_t k = 1; k <= i && nr <= 4; k++)
                    if (md_number_at(c->base + c->pos - 8 - 16 * k, 8, c->big) == tag)
                        md_warn(c, 174);
                md_u64(c);
            }
        md_rest(c);
        break;
    case 76: /* STAT */
        at = c->pos;
        nr = md_u64(c);
        if (md_attr_there(c, start) && (nr != 0 || !any_without_ids(m)))
            unknown_id(c, nr, at, 175);
        stat_place(c);
        stat_begins(c, start);
        md_u64(c);
        nr = md_u64(c);
        if (md_u64(c) > nr)
            md_fault(c, 344, c->pos - 8);
        md_rest(c);
        break;
    case 77: /* STAT_ROUND */
        if (md_u64(c) > 1)
            md_warn(c, 176);
        stat_begins(c, start);
        if (md_u64(c) == 0 && !c->cut)
            md_fault(c, 345, c->pos - 8);
        md_rest(c);
        break;
    case 78: /* EVENT_UPDATE */
        c->condition = 178;
        nr = md_u64(c);
        at = c->pos;
        {
            uint64_t id = md_u64(c);
            if (m->attr_count > 1 && id) /* before the first attr every perf skips it */
                unknown_id(c, id, at, 179);
        }
        if (nr == 0 || nr == 2) {
            at = c->pos;
            text_with_nul(c, md_left(c), 178);
            if (nr == 2)
                md_judge_utf8(c, at, 446);
        } else if (nr == 1) {
            if ((md_u64(c) >> 52 & 0x7ff) == 0x7ff)
                md_warn(c, 180);
            md_rest(c);
        } else if (nr == 3) {
            cpu_map(c, NULL);
        } else {
            md_warn(c, 177);
            md_rest(c);
        }
        break;
    case 79: /* TIME_CONV */
        if (size != 32 && size != 56)
            md_warn(c, 181);
        md_u64(c);
        at = c->pos;
        c->m->no_clock_at = (uint32_t)md_u64(c) == 0 ? at : 0;
        md_u64(c);
        if (md_left(c) >= 8)
            md_u64(c);
        if (md_left(c) >= 8)
            md_u64(c);
        if (md_left(c) >= 8) {
            md_u8(c);
            md_u8(c);
            md_bytes(c, 6, MODEL_BYTES);
        }
        md_rest(c);
        break;
    case 80:
        c->m->has_header_feature = true;
        header_feature(c, start, size);
        break;
    case 81:
        md_rest(c);
        break;
    case 83:
        at = c->pos;
        nr = md_u64(c);
        if (nr > md_left(c)) {
            md_fault(c, 199, at);
            break;
        }
        md_bytes(c, nr, MODEL_BYTES);
        if (md_left(c) != (8 - nr % 8) % 8 && has_more_than_zeros(c))
            md_fault(c, 410, c->pos);
        md_rest(c);
        break;
    case 84: /* BPF_METADATA */
        text_with_nul(c, 512, 188);
        c->condition = 189;
        nr = md_u64(c);
        if (md_fits(c, nr, 320))
            for (uint64_t i = 0; i < nr; i++) {
                text_with_nul(c, 64, 188);
                text_with_nul(c, 256, 188);
            }
        md_rest(c);
        break;
    case 85: /* SCHEDSTAT_CPU */
    case 86: /* SCHEDSTAT_DOMAIN */
        c->condition = 190;
        m->has_schedstat = m->has_schedstat || type == 85;
        md_u64(c);
        md_u32(c);
        at = c->pos;
        nr = md_u16(c);
        md_u16(c);
        if (nr < 15 || nr > 17) {
            md_fault(c, 190, at);
            md_rest(c);
            break;
        }
        if (type == 85) {
            for (int i = 0; i < 6; i++)
                md_u32(c);
            for (int i = 0; i < 3; i++)
                md_u64(c);
        } else {
            for (int i = 0; i < (nr == 17 ? 45 : 36); i++)
                md_u32(c);
            if (!c->cut && !m->has_schedstat)
                md_fault(c, 421, start);
        }
        md_rest(c);
        break;
    default:
        md_rest(c);
        break;
    }
    if (a && !c->cut)
        md_judge_ids_and_cpu(c, a, false);
    return behind;
}

/* SPDX-License-Identifier: MIT
 *
 * The content of features.
 */
#include "parts.h"

#include <string.h>

static void feature_build_ids(struct cursor *c)
{
    bool old = false;

    c->condition = 259;
    for (size_t p = c->pos; c->end - p >= 36 && !old;) {
        uint64_t size = md_number_at(c->base + p + 6, 2, c->big);
        if (size < 36 || size > c->end - p)
            break;
        old = size >= 36 + 13 && memcmp(c->base + p + 36, "nel.kallsyms]", 13) == 0;
        p += (size_t)size;
    }
    while (md_left(c) && !c->cut && !c->m->limit) {
        size_t start = c->pos, fixed = old ? 32 : 36, end = c->end;
        if (!md_need(c, fixed))
            return;
        uint64_t size = md_number_at(c->base + start + 6, 2, c->big);
        if (size < fixed || size > md_left(c) || size - fixed >= 4096) {
            md_fault(c, 259, start);
            c->cut = true;
            return;
        }
        c->end = start + (size_t)size;
        md_u32(c);
        uint16_t misc = md_u16(c);
        md_u16(c);
        if (old) {
            md_bytes(c, 24, MODEL_BYTES);
        } else {
            md_signed(c, 4);
            md_bytes(c, 20, MODEL_BYTES);
            if (md_u8(c) > 20 && (misc & 0x8000))
                md_fault(c, 260, start + 32);
            md_bytes(c, 3, MODEL_BYTES);
        }
        if (md_length_to_nul(c, md_left(c)) == md_left(c)) {
            md_fault(c, 83, c->pos);
            c->cut = true;
            return;
        }
        md_bytes(c, md_left(c), MODEL_TEXT);
        c->end = end;
    }
}

/* Of an attr in EVENT_DESC, which begins at `start` and is `size` bytes long: row 39. */
static bool has_unknown_bits(const struct cursor *c, const struct attr *a, size_t start, uint64_t size)
{
    bool branches = a->sample_type & SAMPLE_BRANCH_STACK;
    uint64_t reserved_2 = size >= 112 ? md_number_at(c->base + start + 110, 2, c->big) : 0;
    uint64_t aux_action = size >= 120 ? md_number_at(c->base + start + 116, 4, c->big) : 0;

    return a->sample_type >> 25 || a->read_format >> 5 || a->flags >> 40 ||
           (branches && a->branch_type >> 20) || reserved_2 ||
           (aux_action & (c->big ? 0x1fffffff : 0xfffffff8));
}

static void feature_event_desc(struct cursor *c)
{
    uint32_t nr = md_u32(c), size = md_u32(c);

    if (!md_fits(c, nr, 64 + 4 + HSTR_LEAST))
        return;
    for (uint32_t i = 0; i < nr && !c->cut && !c->m->limit; i++) {
        size_t start = c->pos;
        if (!md_need(c, size) || !md_need(c, 64))
            return;
        if (size < 64) {
            md_fault(c, c->condition, start);
            c->cut = true;
            return;
        }
        uint64_t own = md_number_at(c->base + start + 4, 4, c->big);
        if (own > size) {
            md_fault(c, 228, start + 4);
            c->cut = true;
            return;
        }
        own = own ? own : 64;
        struct attr a = md_attr_fields(c, own, size);
        if (has_unknown_bits(c, &a, start, own))
            md_fault(c, 39, start);
        uint32_t ids = md_u32(c);
        size_t name = c->pos + 4;
        md_hstr(c);
        md_judge_utf8(c, name, 446);
        if (md_fits(c, ids, 8))
            for (uint32_t k = 0; k < ids; k++)
                md_u64(c);
    }
}

static void count_of_hstrs(struct cursor *c, uint32_t n, unsigned each)
{
    if (!md_fits(c, n, HSTR_LEAST * each))
        return;
    for (uint32_t i = 0; i < n && !c->cut && !c->m->limit; i++)
        for (unsigned k = 0; k < each; k++)
            md_hstr(c);
}

static void feature_cpu_topology(struct cursor *c)
{
    struct model *m = c->m;

    c->condition = 229;
    if (!m->has_nrcpus) {
        if (!m->nrcpus_bad)
            md_fault(c, m->pipe ? 274 : 229, c->pos);
        c->cut = true;
        return;
    }
    for (int list = 0; list < 2; list++) {
        size_t at = c->pos;
        uint32_t n = md_u32(c);
        if (!c->cut && n > m->available) {
            md_fault(c, 229, at);
            c->cut = true;
        }
        count_of_hstrs(c, n, 1);
    }
    if (c->cut || !md_left(c))
        return;
    if (md_fits(c, m->available, 8))
        for (uint32_t i = 0; i < m->available; i++) {
            md_u32(c);
            md_u32(c);
        }
    if (c->cut || !md_left(c))
        return;
    size_t at = c->pos;
    uint32_t n = md_u32(c);
    if (!c->cut && n > m->available) {
        md_fault(c, 229, at);
        c->cut = true;
    }
    count_of_hstrs(c, n, 1);
    if (md_fits(c, m->available, 4))
        for (uint32_t i = 0; i < m->available; i++)
            md_u32(c);
}

/* One that is cut leaves the numbers of one before it. */
static void feature_nrcpus(struct cursor *c, size_t at)
{
    struct model *m = c->m;
    uint32_t available = md_u32(c);

    if (!c->cut) {
        if (m->knows_cpus && available != m->first_cpus)
            md_fault(c, 274, at);
        m->first_cpus = m->knows_cpus ? m->first_cpus : available;
        m->knows_cpus = true;
    }
    uint32_t online = md_u32(c);
    m->nrcpus_bad = c->cut;
    m->has_nrcpus = !c->cut && available; /* to perf 7.2 none is as if there were no feature */
    if (!c->cut) {
        m->available = available;
        m->online = online;
    }
    if (available > 1u << 20 || online > available) {
        md_fault(c, 223, at);
        m->has_nrcpus = false;
        m->nrcpus_bad = true;
    }
}

static bool is_digit(unsigned char b)
{
    return b >= '0' && b <= '9';
}

/* N or N-M with M not below N, separated by commas */
static bool is_cpu_list(const unsigned char *p, size_t n)
{
    size_t i = 0;

    if (n == 0)
        return true;
    for (;;) {
        uint64_t v[2] = { 0, 0 };
        int k = 0;
        for (;; i++, k++) {
            size_t from = i;
            while (i < n && is_digit(p[i]) && v[k] < 1u << 30)
                v[k] = 10 * v[k] + (uint64_t)(p[i++] - '0');
            if (i == from)
                return false;
            if (k || i == n || p[i] != '-')
                break;
        }
        if (k && v[1] < v[0])
            return false;
        if (i == n || (p[i] == '\n' && i + 1 == n)) /* as the kernel ends its files */
            return true;
        if (p[i++] != ',')
            return false;
    }
}

static uint64_t largest_number(const unsigned char *p, size_t n)
{
    uint64_t now = 0, most = 0;

    for (size_t i = 0; i < n; i++) {
        now = is_digit(p[i]) ? 10 * now + (uint64_t)(p[i] - '0') : 0;
        most = now > most ? now : most;
    }
    return most;
}

static uint32_t limited(struct cursor *c, uint32_t most, unsigned condition)
{
    size_t at = c->pos;
    uint32_t n = md_u32(c);

    if (n > most) {
        md_fault(c, condition, at);
        c->cut = true;
    }
    return n;
}

static void feature_domains(struct cursor *c)
{
    struct model *m = c->m;
    unsigned char seen[65536 / 8] = { 0 };

    c->condition = 255;
    if (!m->has_nrcpus || m->online == 0) {
        if (!m->nrcpus_bad)
            md_fault(c, m->pipe ? 274 : 256, c->pos);
        c->cut = true;
        return;
    }
    uint32_t version = md_u32(c);
    size_t at = c->pos;
    uint32_t most = md_u32(c);
    if (most > 64)
        md_fault(c, 256, at);
    if (!md_fits(c, m->online, 8))
        return;
    for (uint32_t i = 0; i < m->online && !c->cut && !m->limit; i++) {
        at = c->pos;
        uint32_t cpu = md_u32(c);
        if (!c->cut && cpu >= m->available)
            md_fault(c, 256, at);
        if (!c->cut && cpu < 65536) {
            if (seen[cpu / 8] >> cpu % 8 & 1)
                md_fault(c, 256, at);
            seen[cpu / 8] = (unsigned char)(seen[cpu / 8] | 1u << cpu % 8);
        }
        at = c->pos;
        uint32_t n = md_u32(c);
        uint64_t domains = 0;
        if (!c->cut && n > most)
            md_fault(c, 256, at);
        if (!md_fits(c, n, 4 + HSTR_LEAST * (version >= 17 ? 3 : 2)))
            return;
        for (uint32_t k = 0; k < n && !c->cut && !m->limit; k++) {
            at = c->pos;
            uint32_t domain = md_u32(c);
            if (!c->cut && (domain >= most || (domain < 64 && domains >> domain & 1)))
                md_fault(c, 256, at);
            if (domain < 64)
                domains |= (uint64_t)1 << domain;
            if (version >= 17)
                md_hstr(c);
            md_hstr(c);
            md_hstr(c);
        }
    }
}

/* Members of struct bpf_prog_info by their index in widths below: pointer, count, size of an element. */
static void judge_bpf_arrays(struct cursor *c, size_t at, uint64_t arrays, const uint64_t *value, unsigned nr,
                             uint32_t data)
{
    static const struct {
        unsigned char pointer, count, size_at, size;
    } array[9] = { { 5, 3, 0, 1 },    { 6, 4, 0, 1 },    { 10, 9, 0, 4 },
                   { 18, 16, 0, 8 },  { 19, 17, 0, 4 },  { 22, 23, 21, 0 },
                   { 25, 24, 28, 0 }, { 26, 27, 29, 0 }, { 31, 30, 0, 8 } };

    for (unsigned i = 0; i < 9; i++) {
        if (array[i].pointer >= nr || array[i].count >= nr || array[i].size_at >= nr)
            continue;
        uint64_t start = value[array[i].pointer], count = value[array[i].count];
        uint64_t size = array[i].size ? array[i].size : value[array[i].size_at];
        /* Each of count and size is below 2^32. */
        if (arrays >> i & 1 ? count * size > data || start > data - count * size : count && (start || i >= 3))
            md_fault(c, arrays >> i & 1 ? 340 : 341, at);
    }
}

/* value: what the members hold, numbers only; returns how many of them there are */
static unsigned feature_bpf_info(struct cursor *c, uint64_t len, uint64_t *value)
{
    static const unsigned char widths[] = { 4, 4, 0, 4, 4, 8, 8, 8, 4, 4, 8, 0, 4, 0, 8, 8, 4, 4, 8,
                                            8, 4, 4, 8, 4, 4, 8, 8, 4, 4, 4, 4, 8, 8, 8, 8, 4, 4, 4 };
    size_t end = c->end;
    unsigned i;

    if (!md_need(c, len))
        return 0;
    c->end = c->pos + (size_t)len;
    for (i = 0; i < sizeof widths; i++) {
        unsigned width = widths[i] ? widths[i] : i == 2 ? 8 : i == 11 ? 16 : 4;
        if (md_left(c) < width)
            break;
        if (i == 2)
            md_bytes(c, 8, MODEL_BYTES); /* tag */
        else if (i == 11)
            md_bytes(c, 16, MODEL_TEXT); /* name */
        else if (i == 13)
            md_bit_word(c, 4, md_bpf_bits);
        else
            value[i] = md_unsigned(c, width);
    }
    md_rest(c);
    c->end = end;
    return i;
}

void md_judge_groups(struct model *m, size_t first, uint64_t at)
{
    uint64_t least = 0;

    for (size_t i = first; i < m->group_count; i++) {
        const struct section *g = &m->groups[i];
        if (g->start < least || g->end == 0 || g->start + g->end > m->attr_count) {
            md_fault_at(m, 234, 0, -1, at);
            return;
        }
        least = g->start + g->end;
    }
}

static void feature_numa(struct cursor *c)
{
    struct model *m = c->m;
    unsigned char nodes[512] = { 0 }; /* numbers of nodes that were there */
    size_t begin = c->pos, longest = 0;
    c->condition = 231;
    uint32_t n = limited(c, 4096, 231);
    if (!c->cut && n == 0)
        md_fault(c, 361, begin);
    if (!md_fits(c, n, 20 + HSTR_LEAST))
        return;
    for (uint32_t i = 0; i < n && !c->cut && !m->limit; i++) {
        uint32_t node = md_u32(c);
        if (node < sizeof nodes * 8) {
            if (nodes[node / 8] >> node % 8 & 1)
                md_warn(c, 232);
            nodes[node / 8] = (unsigned char)(nodes[node / 8] | 1u << node % 8);
        }
        uint64_t total = md_u64(c);
        if (md_u64(c) > total)
            md_warn(c, 232);
        size_t at = c->pos + 4, len = 0;
        md_hstr(c);
        if (c->cut)
            return;
        while (at + len < c->pos && c->base[at + len])
            len++;
        longest = len > longest ? len : longest;
        if (!is_cpu_list(c->base + at, len))
            md_fault(c, 231, at - 4);
        else if (m->has_nrcpus && largest_number(c->base + at, len) >= m->available)
            md_fault(c, 386, at - 4);
    }
    if (!c->cut && !m->limit && n && longest == 0)
        md_fault(c, 386, begin);
}

void md_feature(struct cursor *c, unsigned bit)
{
    struct model *m = c->m;
    size_t at = c->pos, first;
    uint32_t n;
    uint64_t wide;

    c->condition = 1000 + bit;
    switch (bit) {
    case 1:
        m->has_tracing_data = true;
        md_tracing_data(c);
        m->tracing_data_bad = c->cut;
        break;
    case 2:
        feature_build_ids(c);
        break;
    case 3:
    case 4:
    case 5:
    case 6:
    case 8:
    case 9:
        if (md_left(c))
            md_hstr(c);
        else
            md_warn(c, 222);
        if (bit == 6)
            md_judge_machine(c, at + 4, 447);
        if (bit == 6 || bit == 9)
            md_note_machine(c, (unsigned)bit, at + 4);
        break;
    case 7:
        feature_nrcpus(c, at);
        break;
    case 10:
    case 23:
        md_u64(c);
        break;
    case 11:
        c->condition = 225;
        count_of_hstrs(c, limited(c, 1u << 20, 225), 1);
        break;
    case 12:
        feature_event_desc(c);
        break;
    case 13:
        feature_cpu_topology(c);
        break;
    case 14:
        feature_numa(c);
        break;
    case 15:
    case 19:
        if (md_left(c))
            md_warn(c, 217);
        break;
    case 16:
        c->condition = 233;
        n = limited(c, 4096, 233);
        if (!md_fits(c, n, 4 + HSTR_LEAST))
            break;
        for (uint32_t i = 0; i < n && !c->cut && !m->limit; i++) {
            md_u32(c);
            md_hstr(c);
        }
        break;
    case 17:
        c->condition = 234;
        n = limited(c, 32768, 234);
        if (!m->pipe) /* a second one, or one in a record: each is judged */
            md_judge_groups(m, 0, m->groups_at);
        /* In a pipe attrs after it do not count (5.1), but one before all attrs waits for them. */
        first = m->pipe && m->attr_count ? m->group_count : 0;
        if (!m->pipe || !m->attr_count) {
            m->group_count = 0;
            m->groups_at = at - c->origin;
        }
        if (!md_fits(c, n, 8 + HSTR_LEAST))
            break;
        for (uint32_t i = 0; i < n && !c->cut && !m->limit; i++) {
            md_hstr(c);
            uint32_t leader = md_u32(c), members = md_u32(c);
            if (!c->cut && md_grow(m, (void **)&m->groups, &m->group_cap, m->group_count, sizeof *m->groups))
                m->groups[m->group_count++] = (struct section){ leader, members, 0 };
        }
        if (m->pipe && m->attr_count) {
            md_judge_groups(m, first, at - c->origin);
            m->group_count = first;
        }
        break;
    case 18:
        c->condition = 236;
        if (md_left(c) && md_left(c) % 16 == 0 &&
            (md_number_at(c->base + c->pos + 8, 8, true) == 48 ||
             md_number_at(c->base + c->pos + 8, 8, false) == 48)) {
            wide = md_left(c) / 16; /* 16.4: no count */
            m->auxtrace_index_at = at - c->origin - 8;
        } else {
            wide = md_u64(c);
            m->auxtrace_index_at = at - c->origin;
        }
        if (!md_fits(c, wide, 16))
            break;
        uint64_t before = 0;
        for (uint64_t i = 0; i < wide && !m->limit; i++) {
            uint64_t offset = md_u64(c), size = md_u64(c);
            if (offset < before && !m->directory)
                md_warn(c, 400);
            before = offset;
            if (!md_grow(m, (void **)&m->auxtrace_index, &m->auxtrace_index_cap, m->auxtrace_index_count + 1,
                         sizeof *m->auxtrace_index))
                break;
            m->auxtrace_index[m->auxtrace_index_count++] = offset;
            m->auxtrace_index[m->auxtrace_index_count++] = size;
        }
        if (md_left(c))
            md_warn(c, 236);
        break;
    case 20:
        c->condition = 240;
        if (md_u32(c) != 1 && !c->cut) {
            md_fault(c, 240, at);
            break;
        }
        n = limited(c, 32768, 240);
        if (!md_fits(c, n, 16 + 3 * HSTR_LEAST))
            break;
        for (uint32_t i = 0; i < n && !c->cut && !m->limit; i++) {
            for (int k = 0; k < 4; k++)
                md_u32(c);
            count_of_hstrs(c, 3, 1);
        }
        break;
    case 21:
        wide = md_u64(c);
        if (md_u64(c) < wide)
            md_warn(c, 241);
        break;
    case 22:
        c->condition = 242;
        if (md_u64(c) != 1 && !c->cut) {
            md_fault(c, 242, at);
            break;
        }
        md_u64(c);
        at = c->pos;
        wide = md_u64(c);
        if (wide > 4096) {
            md_fault(c, 242, at);
            break;
        }
        if (!md_fits(c, wide, 24))
            break;
        for (uint64_t i = 0; i < wide && !c->cut && !m->limit; i++) {
            at = c->pos;
            if (md_u64(c) > 1023)
                md_fault(c, 395, at);
            md_u64(c);
            at = c->pos;
            uint64_t bits = md_u64(c);
            if (bits > 0x7fffffff) {
                md_fault(c, 242, at);
                break;
            }
            uint64_t words = (bits + 63) / 64;
            if (md_fits(c, words, 8))
                for (uint64_t k = 0; k < words; k++)
                    md_u64(c);
        }
        break;
    case 24:
        m->dir_version = md_u64(c);
        m->has_dir_format = !c->cut;
        if (!m->directory && !c->cut)
            md_fault(c, 246, at);
        else if (m->dir_version > 1)
            md_fault(c, 247, at);
        break;
    case 25:
        n = limited(c, 131072, 1025);
        if (!md_fits(c, n, 16))
            break;
        for (uint32_t i = 0; i < n && !c->cut && !m->limit; i++) {
            uint32_t info = md_u32(c);
            at = c->pos;
            uint32_t data = md_u32(c);
            size_t arrays_at = c->pos;
            uint64_t arrays = md_u64(c), value[38] = { 0 };
            if (!c->cut && arrays >> 9)
                md_fault(c, 250, arrays_at);
            unsigned nr = feature_bpf_info(c, info, value);
            if (!c->cut && data > 256u << 20)
                md_fault(c, 1025, at);
            md_bytes(c, data, MODEL_BYTES);
            if (!c->cut)
                judge_bpf_arrays(c, arrays_at, arrays, value, nr, data);
        }
        break;
    case 26:
        c->condition = 252;
        n = limited(c, 131072, 252);
        if (!md_fits(c, n, 8))
            break;
        for (uint32_t i = 0; i < n && !c->cut && !m->limit; i++) {
            md_u32(c);
            uint32_t data = md_u32(c);
            md_bytes(c, data, MODEL_BYTES);
        }
        break;
    case 27:
        wide = md_u32(c);
        if (wide)
            md_warn(c, 196);
        n = md_u32(c);
        if (!m->has_compressed || m->compressed_zeros ||
            m->compressed_type == 1) /* a second feature does not mend the first */
            m->compressed_type = (uint32_t)n;
        wide |= n;
        wide |= md_u32(c);
        wide |= md_u32(c);
        m->compressed_mmap_len = md_u32(c);
        wide |= m->compressed_mmap_len;
        for (size_t i = 0; i < md_left(c); i++) /* perf stat record writes nothing but zeros */
            wide |= c->base[c->pos + i];
        m->compressed_zeros = wide == 0;
        if (wide && !c->cut && (m->compressed_mmap_len < 4096 || m->compressed_mmap_len % 4096)) {
            m->compressed_bad = true;
            m->compressed_at = at - c->origin;
        }
        m->has_compressed = !c->cut;
        m->said_compressed = c->cut; /* it is there, whatever it says */
        break;
    case 28:
        c->condition = 253;
        count_of_hstrs(c, limited(c, 512, 253), 2);
        break;
    case 29:
        if (md_u32(c) != 1 && !c->cut) {
            md_fault(c, 244, at);
            break;
        }
        md_u32(c);
        md_u64(c);
        md_u64(c);
        break;
    case 30:
        count_of_hstrs(c, limited(c, 4096, 1030), 2);
        break;
    case 31:
        c->condition = 253;
        n = limited(c, 4096, 253);
        if (!md_fits(c, n, 4 + HSTR_LEAST))
            break;
        for (uint32_t i = 0; i < n && !c->cut && !m->limit; i++) {
            count_of_hstrs(c, limited(c, 512, 253), 2);
            md_hstr(c);
        }
        break;
    case 32:
        feature_domains(c);
        break;
    case 33:
        n = md_u32(c);
        if (n > 0xffff)
            md_warn(c, 257);
        if (!c->cut)
            c->m->e_machine = (uint32_t)n;
        md_u32(c);
        break;
    case 34:
        n = md_u32(c);
        if (n == 0 || (n != 0xffffffffu && (n & (n - 1))))
            md_warn(c, 258);
        break;
    default:
        break;
    }
    md_rest(c);
}

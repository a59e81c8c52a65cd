/* SPDX-License-Identifier: MIT
 *
 * Memory with a limit, reports, and bytes read one field after the other.
 */
#include "parts.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool md_grow(struct model *m, void **array, size_t *cap, size_t count, size_t width)
{
    if (count < *cap)
        return true;
    size_t more = *cap ? *cap * 2 : 16;
    if (m->limit || more * width > MEMORY_LIMIT || m->memory + (more - *cap) * width > MEMORY_LIMIT) {
        m->limit = true;
        return false;
    }
    void *p = realloc(*array, more * width);
    if (!p) {
        m->limit = true;
        return false;
    }
    m->memory += (more - *cap) * width;
    *array = p;
    *cap = more;
    return true;
}

void md_fault_at(struct model *m, unsigned condition, uint32_t member, int64_t wrapper, uint64_t offset)
{
    m->rejected = true;
    if (m->part_open)
        m->parts[m->part_count - 1].faulty = true;
    if (m->fault_count >= FAULT_LIMIT && m->said[condition])
        return;
    m->said[condition] = true;
    if (!md_grow(m, (void **)&m->faults, &m->fault_cap, m->fault_count, sizeof *m->faults))
        return;
    m->faults[m->fault_count++] = (struct model_fault){ condition, member, wrapper, offset };
}

static bool breaks_framing(unsigned condition)
{
    return (condition >= 69 && condition <= 72) || condition == 158 || condition == 159 || condition == 271 ||
           condition == 272;
}

void md_fault(struct cursor *c, unsigned condition, size_t pos)
{
    c->m->damaged = c->m->damaged || breaks_framing(condition);
    if (!c->quiet)
        md_fault_at(c->m, condition, c->member, c->wrapper, pos - c->origin);
    c->cut = c->cut || c->quiet;
}

void md_warn(struct cursor *c, unsigned condition)
{
    if (!c->quiet && !c->cut)
        c->m->warned[condition] = true;
}

bool md_is_any_set(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return true;
    return false;
}

void md_open_part(struct model *m, struct model_part part)
{
    part.first_leaf = m->leaf_count;
    m->part_open = false;
    if (!md_grow(m, (void **)&m->parts, &m->part_cap, m->part_count, sizeof *m->parts))
        return;
    m->parts[m->part_count++] = part;
    m->part_open = true;
}

void md_close_part(struct model *m)
{
    if (m->part_open)
        m->parts[m->part_count - 1].leaves = m->leaf_count - m->parts[m->part_count - 1].first_leaf;
    m->part_open = false;
}

static void add_leaf(struct cursor *c, enum model_leaf_kind kind, size_t pos, uint64_t size, uint64_t value)
{
    struct model *m = c->m;

    if (c->quiet || !m->part_open ||
        !md_grow(m, (void **)&m->leaves, &m->leaf_cap, m->leaf_count, sizeof *m->leaves))
        return;
    m->leaves[m->leaf_count++] = (struct model_leaf){ pos - c->origin, size, value, c->source, kind };
}

uint64_t md_number_at(const unsigned char *p, unsigned width, bool big)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < width; i++)
        v |= (uint64_t)p[i] << 8 * (big ? width - 1 - i : i);
    return v;
}

size_t md_left(const struct cursor *c)
{
    return c->end - c->pos;
}

bool md_need(struct cursor *c, uint64_t size)
{
    if (c->cut)
        return false;
    if (size <= md_left(c))
        return true;
    md_fault(c, c->condition, c->pos);
    c->cut = true;
    return false;
}

uint64_t md_unsigned(struct cursor *c, unsigned width)
{
    if (!md_need(c, width))
        return 0;
    uint64_t v = md_number_at(c->base + c->pos, width, c->big);
    add_leaf(c, MODEL_UINT, c->pos, width, v);
    c->pos += width;
    return v;
}

uint8_t md_u8(struct cursor *c)
{
    return (uint8_t)md_unsigned(c, 1);
}

uint16_t md_u16(struct cursor *c)
{
    return (uint16_t)md_unsigned(c, 2);
}

uint32_t md_u32(struct cursor *c)
{
    return (uint32_t)md_unsigned(c, 4);
}

uint64_t md_u64(struct cursor *c)
{
    return md_unsigned(c, 8);
}

int64_t md_signed(struct cursor *c, unsigned width)
{
    if (!md_need(c, width))
        return 0;
    uint64_t v = md_number_at(c->base + c->pos, width, c->big);
    if (width == 4 && (v & 0x80000000u))
        v |= 0xffffffff00000000u;
    add_leaf(c, MODEL_INT, c->pos, width, v);
    c->pos += width;
    return (int64_t)v;
}

void md_bytes(struct cursor *c, uint64_t size, enum model_leaf_kind kind)
{
    if (!md_need(c, size))
        return;
    add_leaf(c, kind, c->pos, size, c->pos);
    c->pos += (size_t)size;
}

void md_rest(struct cursor *c)
{
    if (!c->cut && md_left(c))
        md_bytes(c, md_left(c), MODEL_BYTES);
}

size_t md_length_to_nul(const struct cursor *c, size_t size)
{
    size_t n = 0;
    while (n < size && c->base[c->pos + n])
        n++;
    return n;
}

uint64_t md_align8(uint64_t x)
{
    return (x + 7) / 8 * 8;
}

bool md_fits(struct cursor *c, uint64_t count, uint64_t width)
{
    if (c->cut)
        return false;
    if (count <= md_left(c) / width)
        return true;
    md_fault(c, c->condition, c->pos);
    c->cut = true;
    return false;
}

void md_hstr(struct cursor *c)
{
    if (!md_need(c, 4))
        return;
    uint64_t len = md_number_at(c->base + c->pos, 4, c->big);
    if (len == 0 || len > md_left(c) - 4) {
        md_fault(c, 218, c->pos);
        c->cut = true;
        return;
    }
    add_leaf(c, MODEL_HSTR, c->pos, 4 + len, c->pos + 4);
    c->pos += 4;
    size_t text = md_length_to_nul(c, (size_t)len);
    if (text == len)
        md_fault(c, 219, c->pos - 4);
    else if (md_is_any_set(c->base + c->pos + text, (size_t)len - text))
        md_warn(c, 220);
    c->pos += (size_t)len;
}

static bool is_utf8(const unsigned char *p, size_t len)
{
    static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
    for (size_t i = 0; i < len;) {
        unsigned more = p[i] < 0x80 ? 0 : p[i] >> 5 == 6 ? 1 : p[i] >> 4 == 14 ? 2 : p[i] >> 3 == 30 ? 3 : 4;
        uint32_t point = more == 0 ? p[i] : p[i] & (0x3fu >> more);
        if (more == 4 || more >= len - i)
            return false;
        for (unsigned k = 1; k <= more; k++) {
            if (p[i + k] >> 6 != 2)
                return false;
            point = point << 6 | (p[i + k] & 0x3fu);
        }
        if (point < least[more] || point > 0x10ffff || point >> 11 == 0x1b)
            return false;
        i += more + 1;
    }
    return true;
}

void md_judge_utf8(struct cursor *c, size_t from, unsigned condition)
{
    size_t len = 0;
    while (!c->cut && from + len < c->pos && c->base[from + len])
        len++;
    if (!c->cut && from < c->pos && !is_utf8(c->base + from, len))
        md_fault(c, condition, from);
}

void md_judge_name(struct cursor *c, size_t from, unsigned condition)
{
    size_t len = 0;
    while (!c->cut && from + len < c->pos && c->base[from + len])
        len++;
    if (!c->cut && !is_utf8(c->base + from, len))
        md_warn(c, condition);
}

/* Machines that perf 6.12 has instructions for: 11. */
static bool is_annotated(const unsigned char *name)
{
    static const char *const names[] = { "x86",      "x86_64", "arc",        "csky",  "riscv64", "sun4u",
                                         "aarch64*", "arm*",   "sa110*",     "s390*", "sparc*",  "powerpc*",
                                         "ppc*",     "mips*",  "loongarch*", "i?86" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fnmatch(names[i], (const char *)name, 0) == 0)
            return true;
    return false;
}

void md_judge_machine(struct cursor *c, size_t from, unsigned condition)
{
    size_t at = from;
    while (!c->cut && at < c->pos && c->base[at] && (isalnum(c->base[at]) || strchr("_-.", c->base[at])))
        at++;
    if (!c->cut && from < c->pos && (at == from || (at < c->pos && c->base[at])))
        md_fault(c, condition, from);
    else if (!c->cut && at < c->pos && !is_annotated(c->base + from))
        md_warn(c, 1157);
}

/* VENDOR, then three numbers, each with a comma before it: blanks, a sign, digits, as sscanf takes %u. */
static bool is_cpuid_of_x86(const char *text)
{
    unsigned numbers[3];
    return sscanf(text, "%*[^,],%u,%u,%u", &numbers[0], &numbers[1], &numbers[2]) == 3;
}

void md_note_machine(struct cursor *c, unsigned bit, size_t from)
{
    char text[4096] = ""; /* a longer one names nothing */
    size_t len =
        c->cut || from >= c->pos ? sizeof(text) : strnlen((const char *)c->base + from, c->pos - from);
    bool whole = len < sizeof(text);
    if (whole)
        memcpy(text, c->base + from, len);
    if (bit == 6)
        c->m->arch_is_x86 =
            whole && (strncmp(text, "x86", 3) == 0 || (text[0] == 'i' && text[1] && !strcmp(text + 2, "86")));
    else {
        c->m->has_cpuid = whole;
        c->m->cpuid_is_x86 = is_cpuid_of_x86(text);
        c->m->cpuid_at = (struct model_fault){ 445, c->member, c->wrapper, from - c->origin };
    }
}

void md_judge_cpuid(struct model *m)
{
    const struct model_fault *at = &m->cpuid_at;
    bool is_x86 =
        m->e_machine ? m->e_machine == 3 || m->e_machine == 62 : !m->features_seen[6] || m->arch_is_x86;
    if (m->has_cpuid && !m->cpuid_is_x86 && is_x86)
        md_fault_at(m, 445, at->member, at->wrapper, at->offset);
}

/* A bit-field word: member at declaration offset p of width w */
static uint64_t member_of(uint64_t word, bool big, unsigned bits, unsigned p, unsigned w)
{
    uint64_t mask = w == 64 ? ~(uint64_t)0 : ((uint64_t)1 << w) - 1;
    return (word >> (big ? bits - p - w : p) & mask) << p;
}

uint64_t md_bit_word(struct cursor *c, unsigned width, uint64_t (*normal)(uint64_t word, bool big))
{
    if (!md_need(c, width))
        return 0;
    uint64_t v = normal(md_number_at(c->base + c->pos, width, c->big), c->big);
    add_leaf(c, MODEL_BITS, c->pos, width, v);
    c->pos += width;
    return v;
}

uint64_t md_attr_bits(uint64_t word, bool big)
{
    uint64_t v = 0;
    for (unsigned p = 0; p < 15; p++)
        v |= member_of(word, big, 64, p, 1);
    v |= member_of(word, big, 64, 15, 2);
    for (unsigned p = 17; p < 40; p++)
        v |= member_of(word, big, 64, p, 1);
    return v | member_of(word, big, 64, 40, 24);
}

uint64_t md_aux_action_bits(uint64_t word, bool big)
{
    uint64_t v = 0;
    for (unsigned p = 0; p < 3; p++)
        v |= member_of(word, big, 32, p, 1);
    return v | member_of(word, big, 32, 3, 29);
}

uint64_t md_branch_bits(uint64_t word, bool big)
{
    uint64_t v = 0;
    for (unsigned p = 0; p < 4; p++)
        v |= member_of(word, big, 64, p, 1);
    v |= member_of(word, big, 64, 4, 16);
    v |= member_of(word, big, 64, 20, 4);
    v |= member_of(word, big, 64, 24, 2);
    v |= member_of(word, big, 64, 26, 4);
    v |= member_of(word, big, 64, 30, 3);
    return v | member_of(word, big, 64, 33, 31);
}

uint64_t md_bpf_bits(uint64_t word, bool big)
{
    return member_of(word, big, 32, 0, 1) | member_of(word, big, 32, 1, 31);
}

/* SPDX-License-Identifier: MIT
 *
 * Records one after the other: in a file, a member of a directory, and in compressed content.
 */
#include "parts.h"

#include <stdlib.h>
#include <string.h>
#include <zstd_errors.h>

struct cursor md_cursor_of(struct model *m, uint32_t member, size_t pos, size_t end)
{
    return (struct cursor){ .m = m,
                            .base = m->members[member].bytes,
                            .pos = pos,
                            .end = end,
                            .member = member,
                            .source = 2 * member,
                            .wrapper = -1,
                            .big = m->big };
}

static uint64_t sum_or_most(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* A sample that has no time has 0 or all ones there (row 133). */
static void add_to_sums(struct model *m, uint32_t type)
{
    struct model_sums *s = &m->sums;

    if (type == 2)
        s->lost_events = sum_or_most(s->lost_events, m->lost);
    if (type == 13)
        s->lost_samples = sum_or_most(s->lost_samples, m->lost);
    if (type != 9 || m->time == 0 || m->time == UINT64_MAX)
        return;
    if (s->first_time == 0 || m->time < s->first_time)
        s->first_time = m->time;
    if (m->time > s->last_time)
        s->last_time = m->time;
}

/* One record in a part of its own. */
static uint64_t whole_record(struct cursor *c, uint32_t type, uint16_t misc, uint16_t size)
{
    struct model *m = c->m;

    md_open_part(m, (struct model_part){ .kind = MODEL_RECORD,
                                         .misc = misc,
                                         .type = type,
                                         .member = c->member,
                                         .wrapper = c->wrapper,
                                         .number = m->records++,
                                         .offset = c->pos - c->origin,
                                         .size = size });
    m->time = m->lost = 0;
    uint64_t behind = md_record(c, type, misc, size);
    if (m->part_open && !m->parts[m->part_count - 1].faulty)
        add_to_sums(m, type);
    md_close_part(m);
    return behind;
}

/* The records that are complete in the content that has come out so far. */
static void walk_content(struct model *m, uint32_t member)
{
    struct member *mb = &m->members[member];

    while (!mb->content_broken && !m->limit && mb->content_len - mb->walked >= 8) {
        const unsigned char *p = mb->content + mb->walked;
        uint32_t type = md_type(p, m->big);
        uint16_t misc = (uint16_t)md_number_at(p + 4, 2, m->big),
                 size = (uint16_t)md_number_at(p + 6, 2, m->big);
        while (mb->mark_now + 1 < mb->mark_count && mb->marks[mb->mark_now + 1].start <= mb->walked)
            mb->mark_now++;
        const struct mark *mark = &mb->marks[mb->mark_now];
        struct cursor c = { .m = m,
                            .base = mb->content,
                            .pos = mb->walked,
                            .end = mb->walked + size,
                            .origin = mark->start,
                            .member = member,
                            .source = 2 * member + 1,
                            .wrapper = (int64_t)mark->number,
                            .big = m->big };
        if (size < 8) {
            md_fault(&c, 69, c.pos);
            mb->content_broken = true;
            return;
        }
        if (size > mb->content_len - mb->walked)
            return;
        if (type == 81 || type == 83)
            md_fault(&c, 205, c.pos);
        if (type == 66 || type == 71)
            md_fault(&c, 207, c.pos);
        whole_record(&c, type, misc, size);
        mb->walked += size;
    }
}

/* Whether a block of 512 bytes of the member, at a multiple of 512, is among these bytes, and is zero. */
static bool has_zero_block(const unsigned char *bytes, size_t pos, size_t end)
{
    for (size_t at = (pos + 511) / 512 * 512; at + 512 <= end; at += 512) {
        size_t zeros = 0;
        while (zeros < 512 && bytes[at + zeros] == 0)
            zeros++;
        if (zeros == 512)
            return true;
    }
    return false;
}

static void decompress(struct model *m, uint32_t member, uint64_t number, size_t record_pos, size_t pos,
                       size_t size)
{
    struct member *mb = &m->members[member];
    struct cursor c = md_cursor_of(m, member, pos, pos + size);
    ZSTD_inBuffer in = { mb->bytes + pos, size, 0 };
    size_t before = mb->content_len, n = 1;

    m->compressed_seen = true;
    m->packed[mb->bytes[record_pos + (m->big ? 3 : 0)] == 83] = true;
    if (m->packed[0] && m->packed[1])
        md_warn(&c, 206);
    if (has_zero_block(mb->bytes, pos, pos + size))
        md_warn(&c, 363);
    if (!m->said_compressed && !m->unfinished) {
        if (!m->has_compressed || m->compressed_mmap_len == 0)
            md_fault(&c, 192, record_pos);
        m->said_compressed = true;
    }
    if (size == 0) {
        md_fault(&c, mb->bytes[record_pos + (m->big ? 3 : 0)] == 81 ? 198 : 201, record_pos);
        return;
    }
    if (mb->zstd_broken || m->limit)
        return;
    if (!mb->zstd) {
        mb->zstd = ZSTD_createDStream();
        if (!mb->zstd || ZSTD_isError(ZSTD_DCtx_setParameter(mb->zstd, ZSTD_d_windowLogMax, 27))) {
            m->limit = true;
            return;
        }
    }
    if (!md_grow(m, (void **)&mb->marks, &mb->mark_cap, mb->mark_count, sizeof *mb->marks))
        return;
    mb->marks[mb->mark_count++] = (struct mark){ before, number };
    bool ended = false, again = false;
    while (in.pos < in.size || n) {
        if (mb->content_len == mb->content_cap) {
            size_t cap = mb->content_cap ? 2 * mb->content_cap : 4096;
            unsigned char *p = cap <= CONTENT_LIMIT ? realloc(mb->content, cap) : NULL;
            if (!p) {
                m->limit = true;
                return;
            }
            mb->content = p;
            mb->content_cap = cap;
        }
        ZSTD_outBuffer out = { mb->content + mb->content_len, mb->content_cap - mb->content_len, 0 };
        /* without input, only what is left of the first comes out */
        again = again || (ended && in.pos < in.size && mb->content_len > before);
        size_t r = ZSTD_decompressStream(mb->zstd, &out, &in);
        if (ZSTD_isError(r)) {
            if (ZSTD_getErrorCode(r) == ZSTD_error_frameParameter_windowTooLarge ||
                ZSTD_getErrorCode(r) == ZSTD_error_memory_allocation)
                m->limit = true;
            mb->zstd_broken = true;
            md_fault(&c, 202, pos);
            break;
        }
        /* Up to 6.12, perf puts what comes out of a second frame of a record after the end of the first. */
        if (again && out.pos > 0)
            md_fault(&c, 208, record_pos);
        mb->content_len += out.pos;
        ended = r == 0;
        if (in.pos == in.size && out.pos < out.size)
            break;
    }
    if (m->has_compressed && m->compressed_mmap_len > 0 &&
        mb->content_len - before > m->compressed_mmap_len) {
        md_fault(&c, 203, record_pos);
        mb->content_broken = true;
    }
    if (mb->content_len == before && !mb->zstd_broken)
        md_fault(&c, 198, record_pos);
    walk_content(m, member);
}

static bool begins(const unsigned char *p, size_t left, unsigned first, unsigned second)
{
    return left >= 2 && p[0] == first && p[1] == second;
}

/* A packet of the state of the processor; 0: it is another one; more than is left: it is cut. */
static size_t state_packet(const unsigned char *p, size_t left)
{
    static const struct {
        unsigned char second;
        size_t size;
    } rows[] = { { 3, 4 }, { 0x43, 8 }, { 0x73, 7 }, { 0x82, 16 }, { 0xc3, 11 }, { 0xc8, 7 } };
    size_t n = 1;
    switch (*p) {
    case 0:
        return 1;
    case 0x19:
        return 8;
    case 0x59:
        return 2;
    case 0x99:
        return left < 2 || p[1] < 0x40 ? 2 : 0;
    case 0x1d:
        return 1;
    case 0x3d:
        return 3;
    case 0x5d:
        return 5;
    case 0x7d:
    case 0x9d:
        return 7;
    case 0xdd:
        return 9;
    case 2:
        if (left < 2)
            return 2;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (p[1] == rows[i].second && (p[1] != 0xc3 || left < 11 || p[2] == 0x88) &&
                (p[1] != 0x82 || left < 16 || !memcmp(p, p + 2, 14)))
                return rows[i].size;
        return 0;
    default:
        if (*p % 4 != 3)
            return 0;
        if (*p & 4)
            do
                n++;
            while (n <= left && p[n - 1] % 2);
        return n <= 16 ? n : 0;
    }
}

/* Intel PT: what follows the first PSB, up to PSBEND or an overflow. */
static void pt_trace(struct cursor *c)
{
    struct model *m = c->m;
    const unsigned char *p = c->base + c->pos;
    size_t left = c->end - c->pos, at = 0;
    bool has_time = false;
    while (left - at >= 16 && !(begins(p + at, 2, 2, 0x82) && !memcmp(p + at, p + at + 2, 14)))
        at++;
    if (left - at < 16)
        return;
    for (at += 16; at < left && !begins(p + at, left - at, 2, 0xf3);) {
        bool ends = begins(p + at, left - at, 2, 0x23);
        size_t size = ends ? 2 : state_packet(p + at, left - at);
        if (size > left - at)
            return;
        if (size == 0 || (ends && m->pt_has_tsc && !has_time)) {
            md_fault(c, 387, c->pos + at);
            return;
        }
        if (ends)
            return;
        if (p[at] == 0x19)
            for (size_t i = 1; i < 8; i++)
                has_time = has_time || p[at + i];
        at += size;
    }
}

void md_payload(struct model *m, uint32_t member, uint32_t type, uint64_t number, size_t record_pos,
                size_t pos, size_t size)
{
    struct cursor c = md_cursor_of(m, member, pos, pos + size);

    md_open_part(m, (struct model_part){ .kind = MODEL_PAYLOAD,
                                         .type = type,
                                         .member = member,
                                         .wrapper = -1,
                                         .number = number,
                                         .offset = pos,
                                         .size = size });
    if (type == 66) {
        m->has_tracing_data = true;
        md_tracing_data(&c);
        m->tracing_data_bad = c.cut;
        if (!c.cut && md_left(&c) >= 8)
            md_fault(&c, 143, record_pos + 8);
    } else if (m->is_pt) {
        pt_trace(&c);
    }
    md_rest(&c);
    md_close_part(m);
}

void md_walk(struct model *m, uint32_t member, size_t pos, size_t end)
{
    struct member *mb = &m->members[member];

    while (pos < end && !m->limit) {
        struct cursor c = md_cursor_of(m, member, pos, end);
        if (end - pos < 8) {
            if (!m->unfinished)
                md_fault(&c, m->pipe ? 271 : 72, pos);
            break;
        }
        const unsigned char *p = mb->bytes + pos;
        uint32_t type = md_type(p, m->big);
        uint16_t misc = (uint16_t)md_number_at(p + 4, 2, m->big),
                 size = (uint16_t)md_number_at(p + 6, 2, m->big);
        if (member == 0 && md_begins_capture(p, end - pos)) {
            md_fault(&c, 360, pos);
            break;
        }
        if (size < 8) {
            md_fault(&c, size ? 69 : 70, pos);
            break;
        }
        if (size > end - pos) {
            if (!m->unfinished)
                md_fault(&c, m->pipe ? 271 : 71, pos);
            break;
        }
        c.end = pos + size;
        uint64_t number = m->records, behind = whole_record(&c, type, misc, size);
        size_t start = pos;
        pos += size;
        if (type == 81) {
            decompress(m, member, number, start, start + 8, size - 8);
        } else if (type == 83 && size >= 16) {
            uint64_t data = md_number_at(p + 8, 8, m->big);
            if (data <= (uint64_t)size - 16)
                decompress(m, member, number, start, start + 16, (size_t)data);
        }
        if (behind > end - pos) {
            c.pos = start;
            if (!m->unfinished && !(behind >> 63))
                md_fault(&c, m->pipe ? 272 : 158, start + 8);
            break;
        }
        if (behind) {
            md_payload(m, member, type, number, start, pos, (size_t)behind);
            pos += (size_t)behind;
        }
    }
}

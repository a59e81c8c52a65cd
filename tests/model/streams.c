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

/* What a packet of Intel PT is, and its size; more than is left: it is cut.
 * S: state, B: branch, F: FUP, G: TIP.PGE, O: any other, 0: no packet. */
static char pt_packet(const unsigned char *p, size_t left, size_t *size)
{
    static const char long_ones[] = /* second byte, size, what it is */
        "\x03\x04S\x23\x02S\x43\x08S\x73\x07S\x82\x10S\xc3\x0bS\xc8\x07S\xf3\x02S\xa3\x08"
        "B\x63\x03O\x12\x06O\x92\x06O\x32\x0aO\xb2\x0aO\x13\x04O\x93\x04O\x62\x02O\xe2\x02O\x22\x04O"
        "\xa2\x07O\xc2\x0aO\x53\x0bO\x83\x02O";
    static const unsigned char with_address[8] = { 1, 3, 5, 7, 7, 0, 9, 0 };
    *size = 2;
    if (*p == 2 && left < 2)
        return 'S';
    for (const char *row = long_ones; *p == 2; row += 3) {
        if (!*row)
            return 0;
        *size = (unsigned char)row[1];
        if ((unsigned char)*row == p[1])
            return (p[1] == 0xc3 && left >= 11 && p[2] != 0x88) ||
                           (p[1] == 0x82 && left >= 16 && memcmp(p, p + 2, 14))
                       ? 0
                       : row[2];
    }
    if (*p == 0x59)
        return 'S';
    if (*p == 0x99)
        return left < 2 || p[1] < 0x40 ? 'S' : 0;
    *size = with_address[*p / 32];
    switch (*p % 32) {
    case 1:
    case 13:
        return *size ? 'B' : 0;
    case 17:
        return *size ? 'G' : 0;
    case 29:
        return *size ? 'F' : 0;
    default:
        break;
    }
    *size = *p == 0x19 ? 8 : 1;
    if (*p == 0x19 || *p % 2 == 0)
        return *p == 0x19 || *p == 0 ? 'S' : 'B';
    if (*p % 4 != 3)
        return 0;
    for (bool more = *p & 4; more; more = *size <= left && p[*size - 1] % 2)
        ++*size;
    return *size <= 16 ? 'S' : 0;
}

/* Intel PT: what follows the first PSB, until perf has a state, or meets a branch without one. */
static void pt_trace(struct cursor *c)
{
    const unsigned char *p = c->base + c->pos;
    size_t left = c->end - c->pos, at = 0, size;
    bool timed = !c->m->pt_has_tsc, lost = false, untimed = false;
    while (left - at >= 16 && !(begins(p + at, 2, 2, 0x82) && !memcmp(p + at, p + at + 2, 14)))
        at++;
    if (left - at < 16)
        return;
    for (at += 16; at < left; at += size) {
        const unsigned char *now = p + at;
        char is = pt_packet(now, left - at, &size);
        bool psb_end = begins(now, left - at, 2, 0x23) && !lost && !untimed;
        if (untimed && (is == 'B' || is == 'F'))
            return;
        if (is == 0 || is == 'B' || ((is == 'O' || is == 'G') && !lost && !untimed) || (psb_end && !timed)) {
            md_fault(c, 387, c->pos + at);
            return;
        }
        if (size > left - at || psb_end || begins(now, left - at, 2, 0x63))
            return;
        for (size_t i = 1; i < 8 && *now == 0x19; i++)
            timed = timed || now[i];
        if ((is == 'F' || is == 'G') && lost && *now >= 32) {
            if (timed)
                return;
            lost = false;
            untimed = true;
        }
        if (begins(now, left - at, 2, 0xf3) || begins(now, left - at, 2, 0x82)) {
            lost = now[1] == 0xf3;
            untimed = false;
        }
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

/* SPDX-License-Identifier: MIT */
#include "read/signs.h"

#include <limits.h>
#include <string.h>

/* How many bytes follow the first one of a sequence; 0: it begins none. */
static unsigned sequence_rest(unsigned char first)
{
    if (first >= 0xc2 && first < 0xe0)
        return 1;
    if (first >= 0xe0 && first < 0xf0)
        return 2;
    return first >= 0xf0 && first < 0xf5 ? 3 : 0;
}

static void add_high(struct pc_signs *s, unsigned char byte)
{
    if (s->expected != 0 && byte < 0xc0) {
        s->expected--;
        return;
    }
    s->not_utf_8 |= s->expected != 0 || sequence_rest(byte) == 0;
    s->expected = sequence_rest(byte);
    s->sequences++;
    s->not_latin += byte > 0xc3;
}

#define WORD sizeof(uint64_t)

/* A word of eight times this byte. */
static inline uint64_t all(unsigned char byte)
{
    return byte * (UINT64_MAX / UCHAR_MAX);
}

/* Whether a byte of the word is 0. */
static inline bool has_zero(uint64_t word)
{
    return ((word - all(1)) & ~word & all(0x80)) != 0;
}

/* Takes words that are zero, and then one of ASCII without a carriage return, which all end no sequence. Of a
 * capture most are such. Returns how many bytes. */
static size_t add_plain(struct pc_signs *s, const unsigned char *p, size_t len)
{
    size_t n = 0;
    for (uint64_t word; len - n >= WORD; n += WORD) {
        memcpy(&word, p + n, WORD);
        if (word == 0)
            continue;
        s->count[0] += n;
        if ((word & all(0x80)) != 0 || has_zero(word ^ all('\r')))
            return n;
        for (size_t i = 0; i < WORD; i++)
            s->count[p[n + i]]++;
        return n + WORD;
    }
    s->count[0] += n;
    return n;
}

void pc_signs_add(struct pc_signs *s, struct pc_span bytes, uint64_t most)
{
    const uint64_t room = s->bytes < most ? most - s->bytes : 0;
    const size_t len = bytes.len < room ? bytes.len : (size_t)room;
    for (size_t i = 0; i < len;) {
        const size_t plain = s->expected == 0 && s->last != '\r' ? add_plain(s, bytes.ptr + i, len - i) : 0;
        if (plain != 0) {
            i += plain;
            s->last = bytes.ptr[i - 1];
            continue;
        }
        for (const size_t end = len - i < WORD ? len : i + WORD; i < end; i++) {
            const unsigned char byte = bytes.ptr[i];
            if (byte >= 0x80) {
                add_high(s, byte);
            } else {
                s->not_utf_8 |= s->expected != 0;
                s->expected = 0;
            }
            s->count[byte]++;
            s->returned += byte == '\n' && s->last == '\r';
            s->last = byte;
        }
    }
    s->bytes += len;
}

static bool is_text(unsigned char c)
{
    return (c >= ' ' && c < 0x7f) || c == '\t' || c == '\r' || c == '\n';
}

bool pc_signs_find_lines(struct pc_span bytes, size_t here, size_t *from, size_t *to)
{
    const size_t least = 16;
    for (size_t at = 0, end; at <= here; at = end + 1) {
        for (end = at; end < bytes.len && is_text(bytes.ptr[end]);)
            end++;
        if (end - at < least || !memchr(bytes.ptr + at + least, '\n', end - at - least))
            continue;
        if (at + 8 > here && at < here && end >= here + least) /* the end of a number, by chance */
            at = here;
        *from = at;
        *to = end;
        return true;
    }
    return false;
}

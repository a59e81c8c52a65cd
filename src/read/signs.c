/* SPDX-License-Identifier: MIT */
#include "read/signs.h"

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

void pc_signs_add(struct pc_signs *s, struct pc_span bytes, uint64_t most)
{
    static const unsigned char zeros[8];
    for (size_t i = 0; i < bytes.len && s->bytes < most; i++, s->bytes++) {
        unsigned char byte = bytes.ptr[i];
        /* Of a capture many are zeros in a row. */
        while (byte == 0 && s->last == 0 && s->expected == 0 && bytes.len - i > sizeof(zeros) &&
               most - s->bytes > sizeof(zeros) && memcmp(bytes.ptr + i, zeros, sizeof(zeros)) == 0) {
            i += sizeof(zeros);
            s->bytes += sizeof(zeros);
            s->count[0] += sizeof(zeros);
            byte = bytes.ptr[i];
        }
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

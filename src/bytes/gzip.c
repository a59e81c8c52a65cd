/* SPDX-License-Identifier: MIT
 *
 * Deflate as RFC 1951 describes it. Codes are read bit by bit: there are few bytes.
 */
#include "bytes/gzip.h"

#include <string.h>

#define BITS_MAX  15 /* of a code */
#define LITERALS  288
#define DISTANCES 32
#define END       256

struct bits {
    struct pc_span in;
    size_t at;     /* the next byte */
    unsigned held; /* bits that were taken from it */
    bool over;     /* the bytes ended, or are damaged */
    unsigned char *to;
    size_t len, room;
};

/* Lengths of codes: how many there are of each, and the symbols in the order of their codes. */
struct code {
    uint16_t count[BITS_MAX + 1];
    uint16_t symbol[LITERALS];
};

/* The next bits, the lowest first; 0 after the end. */
static unsigned take(struct bits *b, unsigned n)
{
    unsigned value = 0;
    for (unsigned i = 0; i < n; i++) {
        if (b->at >= b->in.len) {
            b->over = true;
            return 0;
        }
        value |= (unsigned)(b->in.ptr[b->at] >> b->held & 1) << i;
        b->at += ++b->held / 8;
        b->held %= 8;
    }
    return value;
}

static void put(struct bits *b, unsigned char byte)
{
    if (b->len < b->room)
        b->to[b->len++] = byte;
    b->over |= b->len == b->room;
}

static void make_code(struct code *code, const unsigned char *lengths, unsigned n)
{
    uint16_t first[BITS_MAX + 2] = { 0 };
    memset(code, 0, sizeof(*code));
    for (unsigned i = 0; i < n; i++)
        code->count[lengths[i]]++;
    code->count[0] = 0;
    for (unsigned bits = 1; bits <= BITS_MAX; bits++)
        first[bits + 1] = (uint16_t)(first[bits] + code->count[bits]);
    for (unsigned i = 0; i < n; i++) {
        if (lengths[i] != 0)
            code->symbol[first[lengths[i]]++] = (uint16_t)i;
    }
}

/* The next symbol; 0 when no code matches. */
static unsigned decode(struct bits *b, const struct code *code)
{
    unsigned value = 0, first = 0, index = 0;
    for (unsigned bits = 1; bits <= BITS_MAX && !b->over; bits++) {
        value |= take(b, 1);
        if (value >= first && value - first < code->count[bits])
            return code->symbol[index + value - first];
        index += code->count[bits];
        first = (first + code->count[bits]) << 1;
        value <<= 1;
    }
    b->over = true;
    return 0;
}

static void copy_stored(struct bits *b)
{
    b->at += b->held != 0;
    b->held = 0;
    unsigned n = take(b, 16), complement = take(b, 16);
    b->over |= (n ^ complement) != 0xffff;
    while (n-- > 0 && !b->over) {
        unsigned byte = take(b, 8);
        if (!b->over)
            put(b, (unsigned char)byte);
    }
}

/* Bytes that came before, once more: RFC 1951, 3.2.5. */
static void copy_before(struct bits *b, unsigned symbol, const struct code *distances)
{
    unsigned n = symbol - END - 1, extra = n < 8 ? 0 : n / 4 - 1;
    unsigned length = n == 28 ? 258 : n < 8 ? n + 3 : ((4 + n % 4) << extra) + 3;
    length += n == 28 ? 0 : take(b, extra);
    unsigned d = decode(b, distances), more = d < 4 ? 0 : d / 2 - 1;
    size_t back = d < 4 ? d + 1 : ((size_t)(2 + d % 2) << more) + 1;
    b->over |= n > 28 || d > 29;
    if (b->over)
        return;
    back += take(b, more);
    b->over |= back > b->len;
    while (length-- > 0 && !b->over)
        put(b, b->to[b->len - back]);
}

static void inflate_block(struct bits *b, const struct code *literals, const struct code *distances)
{
    while (!b->over) {
        unsigned symbol = decode(b, literals);
        if (b->over || symbol == END)
            return;
        if (symbol < END)
            put(b, (unsigned char)symbol);
        else
            copy_before(b, symbol, distances);
    }
}

static void set_fixed(unsigned char lengths[LITERALS + DISTANCES])
{
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 256 - 144);
    memset(lengths + 256, 7, 280 - 256);
    memset(lengths + 280, 8, LITERALS - 280);
    memset(lengths + LITERALS, 5, DISTANCES);
}

/* The lengths of both codes, themselves coded: RFC 1951, 3.2.7. */
static void read_lengths(struct bits *b, unsigned char lengths[LITERALS + DISTANCES])
{
    static const unsigned char order[] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
    unsigned char read[LITERALS + DISTANCES] = { 0 }, of_lengths[sizeof(order)] = { 0 };
    struct code code;
    unsigned nr_literals = take(b, 5) + 257, nr_distances = take(b, 5) + 1, nr = take(b, 4) + 4;
    if (nr_literals > LITERALS)
        b->over = true;
    for (unsigned i = 0; i < nr; i++)
        of_lengths[order[i]] = (unsigned char)take(b, 3);
    make_code(&code, of_lengths, sizeof(order));
    for (unsigned i = 0; i < nr_literals + nr_distances && !b->over;) {
        unsigned symbol = decode(b, &code), times = 1, length = symbol;
        if (symbol >= 16) {
            length = symbol == 16 && i != 0 ? read[i - 1] : 0;
            times = symbol == 16 ? 3 + take(b, 2) : symbol == 17 ? 3 + take(b, 3) : 11 + take(b, 7);
        }
        b->over |= times > nr_literals + nr_distances - i;
        while (times-- > 0 && !b->over)
            read[i++] = (unsigned char)length;
    }
    memset(lengths, 0, LITERALS + DISTANCES);
    if (b->over)
        return;
    memcpy(lengths, read, nr_literals);
    memcpy(lengths + LITERALS, read + nr_literals, nr_distances);
}

static void skip_text(struct bits *b)
{
    while (!b->over && take(b, 8) != 0) {
    }
}

/* The header of a member: RFC 1952, 2.3. */
static void skip_header(struct bits *b)
{
    enum { CHECK = 2, EXTRA = 4, NAME = 8, COMMENT = 16 };
    const unsigned magic = 0x8b1f, deflate = 8;
    b->over |= take(b, 16) != magic || take(b, 8) != deflate;
    unsigned flags = take(b, 8);
    for (unsigned i = 0; i < 6; i++)
        take(b, 8);
    for (unsigned n = flags & EXTRA ? take(b, 16) : 0; n > 0 && !b->over; n--)
        take(b, 8);
    if (flags & NAME)
        skip_text(b);
    if (flags & COMMENT)
        skip_text(b);
    if (flags & CHECK)
        take(b, 16);
}

/* Returns how many bytes there are. */
static size_t inflate_blocks(struct bits *b)
{
    enum { STORED, FIXED, DYNAMIC, NONE };
    for (bool last = false; !last && !b->over;) {
        last = take(b, 1) != 0;
        unsigned kind = take(b, 2);
        unsigned char lengths[LITERALS + DISTANCES];
        struct code literals, distances;
        if (kind == STORED) {
            copy_stored(b);
            continue;
        }
        b->over |= kind == NONE;
        set_fixed(lengths);
        if (kind == DYNAMIC)
            read_lengths(b, lengths);
        make_code(&literals, lengths, LITERALS);
        make_code(&distances, lengths + LITERALS, DISTANCES);
        inflate_block(b, &literals, &distances);
    }
    return b->len;
}

size_t pc_inflate_start(struct pc_span in, unsigned char *to, size_t room)
{
    struct bits b = { .in = in, .to = to, .room = room };
    return inflate_blocks(&b);
}

size_t pc_gunzip_start(struct pc_span in, unsigned char *to, size_t room)
{
    struct bits b = { .in = in, .to = to, .room = room };
    skip_header(&b);
    return inflate_blocks(&b);
}

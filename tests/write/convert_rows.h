/* SPDX-License-Identifier: MIT
 *
 * convert_rows.h: bytes in both orders, which were computed by hand from FORMAT.md: a row of hex digits for
 * each field; and bytes that are refused, or are their own canonical form.
 */
#ifndef PC_CONVERT_ROWS_H
#define PC_CONVERT_ROWS_H

#include "convert_bench.h"

/* The same field in both orders, as hex digits. */
struct row {
    const char *little, *big;
};

static inline unsigned digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static inline void put_hex(struct bytes *b, const char *hex)
{
    for (; *hex; hex++) {
        if (*hex == ' ')
            continue;
        unsigned char byte = (unsigned char)(digit(hex[0]) << 4 | digit(hex[1]));
        put(b, &byte, 1);
        hex++;
    }
}

static struct bytes by_hand[2]; /* little, big */

static inline void begin_hand(void)
{
    by_hand[0].len = by_hand[1].len = 0;
}

static inline void add_rows(const struct row *rows, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        put_hex(&by_hand[0], rows[i].little);
        put_hex(&by_hand[1], rows[i].big);
    }
}

#define ROWS(...)                                                                                            \
    add_rows((const struct row[]){ __VA_ARGS__ }, PC_COUNT_OF(((const struct row[]){ __VA_ARGS__ })))
#define SAME(hex)                                                                                            \
    {                                                                                                        \
        hex, hex                                                                                             \
    } /* bytes, which have no order */

/* nr integers that count up. */
static inline void add_numbers(unsigned nr, unsigned width, uint64_t first)
{
    for (unsigned i = 0; i < nr; i++) {
        unsigned char little[8], big[8];
        for (unsigned k = 0; k < width; k++)
            little[k] = big[width - 1 - k] = (unsigned char)((first + i) >> 8 * k);
        put(&by_hand[0], little, width);
        put(&by_hand[1], big, width);
    }
}

/* A text and zeros, room bytes together. */
static inline void add_text(const char *text, size_t room)
{
    static const unsigned char zeros[512];
    for (unsigned i = 0; i < 2; i++) {
        put(&by_hand[i], text, strlen(text));
        put(&by_hand[i], zeros, room - strlen(text));
    }
}

/* Either becomes the other, and stays itself. */
static inline void end_hand_with(struct bench *b, struct subject s)
{
    static struct bytes out;
    for (unsigned from = 0; from < 2; from++) {
        for (unsigned to = 0; to < 2; to++) {
            s.order = orders[from];
            if (convert_to(b, &s, span_of(&by_hand[from]), orders[to], &out) != PC_CONVERTED)
                fail_msg("%s: not converted: %s at %zu", name_of(&s),
                         b->convert.refusal.reason ? b->convert.refusal.reason : "?", b->convert.refusal.at);
            assert_bytes(&s, &out, span_of(&by_hand[to]), to ? "big-endian" : "little-endian");
        }
    }
}

static inline void end_hand(struct subject s, const uint64_t *slot)
{
    struct bench b;
    bench_open(&b, slot);
    end_hand_with(&b, s);
    bench_close(&b);
}

static inline void canonical_is(struct subject s, const uint64_t *slot, struct pc_span in,
                                struct pc_span expected)
{
    static struct bytes out;
    struct bench b;
    bench_open(&b, slot);
    assert_int_equal(convert_to(&b, &s, in, s.order, &out), PC_CONVERTED);
    assert_bytes(&s, &out, expected, "canonical");
    bench_close(&b);
}

/* Bytes from `at` on are unknown, and the one at `odd` is not zero. */
static inline void is_refused(struct subject s, const uint64_t *slot, struct pc_span in, size_t at,
                              size_t odd)
{
    static struct bytes out;
    static unsigned char copy[ROOM];
    struct bench b;
    bench_open(&b, slot);
    memcpy(copy, in.ptr, in.len);
    struct pc_span bytes = { copy, in.len };
    /* The order stays: so do the bytes. */
    assert_int_equal(convert_to(&b, &s, bytes, s.order, &out), PC_CONVERTED);
    assert_bytes(&s, &out, in, "kept");
    /* It changes: they are named. */
    assert_int_equal(convert_to(&b, &s, bytes, other(s.order), &out), PC_CONVERT_UNKNOWN);
    const struct pc_refusal *refusal = &b.convert.refusal;
    assert_non_null(refusal->reason);
    assert_true(refusal->at >= at && refusal->at <= odd && odd < refusal->at + refusal->len);
    assert_true(refusal->at + refusal->len <= in.len);
    /* Unless the caller accepts it. */
    struct pc_convert convert;
    setup(&convert, &b, &s, other(s.order));
    convert.lenient = true;
    assert_int_equal(run(&convert, &s, bytes, &out), PC_CONVERTED);
    assert_int_equal(out.ptr[odd], copy[odd]);
    pc_convert_clear(&convert);
    /* Zeros are the same in both orders. */
    copy[odd] = 0;
    assert_int_equal(convert_to(&b, &s, bytes, other(s.order), &out), PC_CONVERTED);
    assert_int_equal(out.len, in.len);
    bench_close(&b);
}

struct pieces {
    unsigned char *ptr;
    size_t len, room;
    unsigned nr;
};

static inline void take_piece(void *ctx, const unsigned char *bytes, size_t n)
{
    struct pieces *p = ctx;
    assert_true(n <= p->room - p->len);
    memcpy(p->ptr + p->len, bytes, n);
    p->len += n;
    p->nr++;
}

#define TEST(f) cmocka_unit_test_setup(f, begin_test)

#endif

/* SPDX-License-Identifier: MIT
 *
 * The arrays of a BPF program in another byte order, by hand.
 */
#include "format/payload.h"
#include "pc_test.h"

#define ALL_ARRAYS 0x1ff

static void store(unsigned char *p, unsigned width, uint64_t value, enum pc_order order)
{
    for (unsigned k = 0; k < width; k++)
        p[k] = (unsigned char)(value >> 8 * (order == PC_BIG ? width - 1 - k : k));
}

struct bpf {
    unsigned char info[232], data[160];
};

/* Offsets of members of struct bpf_prog_info: FORMAT.md 5.4.7. */
static const struct {
    unsigned pointer, count, size_at;
} bpf_words[9] = { { 24, 16, 0 },     { 32, 20, 0 },     { 56, 52, 0 },     { 112, 104, 0 }, { 120, 108, 0 },
                   { 136, 144, 132 }, { 152, 148, 172 }, { 160, 168, 176 }, { 184, 180, 0 } };

static void bpf_set(struct bpf *b, unsigned array, uint64_t at, uint32_t count, uint32_t size,
                    enum pc_order order)
{
    store(b->info + bpf_words[array].pointer, 8, at, order);
    store(b->info + bpf_words[array].count, 4, count, order);
    if (bpf_words[array].size_at != 0)
        store(b->info + bpf_words[array].size_at, 4, size, order);
}

static void bpf_init(struct bpf *b, enum pc_order order)
{
    memset(b->info, 0, sizeof(b->info));
    for (unsigned i = 0; i < sizeof(b->data); i++)
        b->data[i] = (unsigned char)i;
    bpf_set(b, 0, 0, 8, 0, order);   /* jited_insns: 8 bytes at 0 */
    bpf_set(b, 1, 8, 16, 0, order);  /* xlated_insns: 16 at 8 */
    bpf_set(b, 2, 24, 2, 0, order);  /* map_ids: 2 u32 at 24 */
    bpf_set(b, 3, 32, 2, 0, order);  /* jited_ksyms: 2 u64 at 32 */
    bpf_set(b, 4, 48, 2, 0, order);  /* jited_func_lens: 2 u32 at 48 */
    bpf_set(b, 5, 56, 2, 8, order);  /* func_info: 2 × 2 u32 at 56 */
    bpf_set(b, 6, 72, 1, 16, order); /* line_info: 4 u32 at 72 */
    bpf_set(b, 7, 88, 2, 8, order);  /* jited_line_info: 2 u64 at 88 */
    bpf_set(b, 8, 104, 2, 0, order); /* prog_tags: 2 × 8 bytes at 104 */
}

static bool bpf_swap(struct bpf *b, size_t info_len, uint64_t arrays, enum pc_order order, size_t len)
{
    struct guarded g = guarded_new(sizeof(b->info)), page = guarded_new(sizeof(b->data));
    guarded_put(&page, b->data, len);
    unsigned char *data = page.map + page.size - len;
    bool done = pc_bpf_data_swap(guarded_put(&g, b->info, info_len), arrays, order, data, len);
    memcpy(b->data, data, len);
    guarded_free(&g);
    guarded_free(&page);
    return done;
}

static void expect_ascending(const struct bpf *b, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++) {
        if (b->data[i] != i)
            fail_msg("byte %u is %u", i, b->data[i]);
    }
}

static void expect_reversed(const struct bpf *b, unsigned from, unsigned to, unsigned width)
{
    for (unsigned i = from; i < to; i++) {
        unsigned start = from + (i - from) / width * width;
        if (b->data[i] != start + width - 1 - (i - start))
            fail_msg("byte %u is %u", i, b->data[i]);
    }
}

static void every_array_of_a_bpf_program_is_swapped_by_its_integers(void **state)
{
    (void)state;
    struct bpf b;
    for (int order = PC_LITTLE; order <= PC_BIG; order++) {
        bpf_init(&b, (enum pc_order)order);
        assert_true(bpf_swap(&b, 232, ALL_ARRAYS, (enum pc_order)order, 120));
        expect_ascending(&b, 0, 24);
        expect_reversed(&b, 24, 32, 4);
        expect_reversed(&b, 32, 48, 8);
        expect_reversed(&b, 48, 88, 4);
        expect_reversed(&b, 88, 104, 8);
        expect_ascending(&b, 104, 160);
        assert_true(bpf_swap(&b, 232, ALL_ARRAYS, (enum pc_order)order, 120));
        expect_ascending(&b, 0, 160);

        /* Only those of the mask. */
        for (unsigned i = 0; i < 9; i++) {
            static const unsigned at[] = { 0, 8, 24, 32, 48, 56, 72, 88, 104, 120 };
            static const unsigned word[] = { 1, 1, 4, 8, 4, 4, 4, 8, 1 };
            bpf_init(&b, (enum pc_order)order);
            assert_true(bpf_swap(&b, 232, (uint64_t)1 << i, (enum pc_order)order, 120));
            expect_ascending(&b, 0, at[i]);
            expect_reversed(&b, at[i], at[i + 1], word[i]);
            expect_ascending(&b, at[i + 1], 160);
        }
        bpf_init(&b, (enum pc_order)order);
        assert_true(bpf_swap(&b, 232, 0, (enum pc_order)order, 0));
        expect_ascending(&b, 0, 160);
    }
}

static void arrays_beyond_an_older_info_are_absent(void **state)
{
    (void)state;
    /* From this length of the info on an array is there: the end of its last word. */
    static const unsigned from[9] = { 32, 40, 64, 120, 128, 148, 176, 180, 192 };
    static const unsigned at[10] = { 0, 8, 24, 32, 48, 56, 72, 88, 104, 120 };
    static const unsigned word[9] = { 1, 1, 4, 8, 4, 4, 4, 8, 1 };
    for (unsigned len = 0; len <= 232; len++) {
        struct bpf b;
        bpf_init(&b, PC_BIG);
        assert_true(bpf_swap(&b, len, ALL_ARRAYS, PC_BIG, 120));
        for (unsigned i = 0; i < 9; i++)
            expect_reversed(&b, at[i], at[i + 1], len >= from[i] ? word[i] : 1);
    }
}

static void arrays_that_cannot_be_swapped_leave_the_data_alone(void **state)
{
    (void)state;
    static const struct {
        unsigned array;
        uint64_t at;
        uint32_t count, size;
        bool good;
    } cases[] = {
        { 2, 116, 1, 0, false },            /* 4 bytes at 116, but 104 to 120 are tags */
        { 8, 105, 2, 0, false },            /* 16 bytes at 105: one too many */
        { 8, 121, 0, 0, false },            /* nothing, but outside */
        { 8, 120, 0, 0, true },             /* nothing, at the end */
        { 2, UINT64_MAX - 3, 1, 0, false }, /* the end does not fit 64 bits */
        { 3, 32, 0x20000001, 0, false },    /* 8 bytes, if 32 bits were all */
        { 8, 60, 0, 0, true },              /* nothing, in the middle of func_info */
        { 2, 60, 0, 0, true },              /* the same, before it in the list */
        { 3, 0, UINT32_MAX, 0, false },     /* too many */
        { 5, 56, UINT32_MAX, UINT32_MAX, false },
        { 5, 56, 2, 6, false }, /* elements of a word and a half */
        { 5, 56, 0, 6, true },  /* ... but there are none */
        { 5, 56, 4, 4, true },  /* one word */
        { 5, 56, 1, 16, true }, /* newer kernels may have more words */
        { 5, 56, 7, 0, true },  /* elements of nothing */
        { 7, 88, 4, 4, false }, /* half a word */
        { 3, 33, 2, 0, false }, /* the last byte is that of func_lens, */
        { 3, 32, 3, 0, false }, /* ... eight are */
        { 4, 56, 2, 0, false }, /* in func_info, */
        { 4, 56, 4, 0, false }, /* ... all of it */
        { 2, 22, 1, 0, false }, /* two of insns */
        { 8, 96, 1, 0, false }, /* tags in jited_line_info */
        { 0, 8, 16, 0, true },  /* insns are bytes, and never swapped */
        { 8, 8, 2, 0, true },   /* ... nor tags */
    };
    for (size_t i = 0; i < PC_COUNT_OF(cases); i++) {
        struct bpf b;
        bpf_init(&b, PC_LITTLE);
        bpf_set(&b, cases[i].array, cases[i].at, cases[i].count, cases[i].size, PC_LITTLE);
        bool done = bpf_swap(&b, 232, ALL_ARRAYS, PC_LITTLE, 120);
        if (done != cases[i].good)
            fail_msg("case %zu", i);
        if (!done)
            expect_ascending(&b, 0, 160);
    }
    struct bpf b;
    bpf_init(&b, PC_LITTLE);
    assert_false(bpf_swap(&b, 232, 0x3ff, PC_LITTLE, 120)); /* an unknown array */
    expect_ascending(&b, 0, 160);
    for (size_t len = 0; len < 120; len++) {
        bpf_init(&b, PC_LITTLE);
        assert_false(bpf_swap(&b, 232, ALL_ARRAYS, PC_LITTLE, len));
        expect_ascending(&b, 0, 160);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_array_of_a_bpf_program_is_swapped_by_its_integers),
    cmocka_unit_test(arrays_beyond_an_older_info_are_absent),
    cmocka_unit_test(arrays_that_cannot_be_swapped_leave_the_data_alone),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

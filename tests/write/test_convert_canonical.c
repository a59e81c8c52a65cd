/* SPDX-License-Identifier: MIT
 *
 * What conversion makes of sound bytes that are not canonical, of bytes without a meaning, and of large
 * features.
 */
#include "convert_bench.h"

/* --- what is no canonical form yet --- */

static void canonical_is(struct subject s, const uint64_t *slot, struct pc_span in, struct pc_span expected)
{
    static struct bytes out;
    struct bench b;
    bench_open(&b, slot);
    assert_int_equal(convert_to(&b, &s, in, s.order, &out), PC_CONVERTED);
    assert_bytes(&s, &out, expected, "canonical");
    bench_close(&b);
}

static void strings_get_the_padding_of_perf(void **state)
{
    (void)state;
    /* FORMAT.md 5.1: a string in 8 bytes, as other tools write it; also one that fills its room */
    static unsigned char expected[4 + 64] = { 64, 0, 0, 0, 'h', 'o', 's', 't' };
    struct subject s = { .kind = FEATURE, .number = PC_HOSTNAME };
    canonical_is(s, NULL, SPAN(8, 0, 0, 0, 'h', 'o', 's', 't', 0, 'x', 'y', 'z'),
                 (struct pc_span){ expected, sizeof(expected) });
    canonical_is(s, NULL, SPAN(4, 0, 0, 0, 'h', 'o', 's', 't'),
                 (struct pc_span){ expected, sizeof(expected) });
    /* 63 letters and a NUL fit 64 bytes, 64 letters do not. */
    for (unsigned n = 63; n <= 64; n++) {
        static unsigned char in[4 + 200], out[4 + 128];
        memset(in, 0, sizeof(in));
        memset(out, 0, sizeof(out));
        in[0] = 200;
        out[0] = n == 63 ? 64 : 128;
        memset(in + 4, 'a', n);
        memset(out + 4, 'a', n);
        canonical_is(s, NULL, (struct pc_span){ in, sizeof(in) },
                     (struct pc_span){ out, 4 + (size_t)out[0] });
    }
}

static void left_overs_behind_strings_go(void **state)
{
    (void)state;
    uint64_t slot[PC_SLOTS];
    fill_slots(slot, PC_S_TID, 0, 0, PC_FLAG_SAMPLE_ID_ALL);
    canonical_is((struct subject){ .kind = RECORD, .number = PC_COMM }, slot,
                 SPAN(3, 0, 0, 0, 0, 0, 32, 0, 1, 0, 0, 0, 2, 0, 0, 0, 'a', 'b', 0, 'd', 'e', 'f', 0, 'h', 3,
                      0, 0, 0, 4, 0, 0, 0),
                 SPAN(3, 0, 0, 0, 0, 0, 32, 0, 1, 0, 0, 0, 2, 0, 0, 0, 'a', 'b', 0, 0, 0, 0, 0, 0, 3, 0, 0, 0,
                      4, 0, 0, 0));
    /* Zeros between the padding of a name and the trailer go, too. */
    canonical_is((struct subject){ .kind = RECORD, .number = PC_COMM }, slot,
                 SPAN(3, 0, 0, 0, 0, 0, 40, 0, 1, 0, 0, 0, 2, 0, 0, 0, 'a', 'b', 0, 'd', 'e', 'f', 0, 'h', 0,
                      0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0),
                 SPAN(3, 0, 0, 0, 0, 0, 32, 0, 1, 0, 0, 0, 2, 0, 0, 0, 'a', 'b', 0, 0, 0, 0, 0, 0, 3, 0, 0, 0,
                      4, 0, 0, 0));
    /* After a build id of 8 bytes, and reserved ones. */
    fill_slots(slot, PC_S_TID, 0, 0, 0);
    canonical_is((struct subject){ .kind = RECORD, .number = PC_MMAP2, .misc = PC_MISC_MMAP_BUILD_ID | 2 },
                 slot,
                 SPAN(10, 0, 0, 0, 2, 64, 80, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0,
                      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 9, 9, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                      13, 14, 15, 16, 17, 18, 19, 20, 5, 0, 0, 0, 2, 0, 0, 0, 'a', 0, 0, 0, 0, 0, 0, 0),
                 SPAN(10, 0, 0, 0, 2, 64, 80, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0,
                      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0,
                      0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0, 'a', 0, 0, 0, 0, 0, 0, 0));
    /* THREAD_MAP: comm has room for 16 characters, and needs no NUL. */
    canonical_is((struct subject){ .kind = RECORD, .number = PC_THREAD_MAP }, NULL,
                 SPAN(73, 0, 0, 0, 0, 0, 40, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 's', 'h', 0,
                      1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4),
                 SPAN(73, 0, 0, 0, 0, 0, 40, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 's', 'h', 0,
                      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

/* Of each record for itself: what the one before had too many is not missing here. */
static void left_overs_of_one_record_are_not_those_of_the_next(void **state)
{
    (void)state;
    static struct bytes out;
    struct subject comm = { .kind = RECORD, .number = PC_COMM };
    struct subject lost = { .kind = RECORD, .number = PC_LOST };
    uint64_t slot[PC_SLOTS];
    struct pc_convert convert;
    struct bench b;
    fill_slots(slot, PC_S_TID, 0, 0, PC_FLAG_SAMPLE_ID_ALL);
    bench_open(&b, slot);
    setup(&convert, &b, &comm, PC_BIG);
    assert_int_equal(run(&convert, &comm,
                         SPAN(3, 0, 0, 0, 0, 0, 40, 0, 1, 0, 0, 0, 2, 0, 0, 0, 'a', 0, 0, 0, 0, 0, 0, 0, 0, 0,
                              0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0),
                         &out),
                     PC_CONVERTED);
    assert_bytes(&comm, &out,
                 SPAN(0, 0, 0, 3, 0, 0, 0, 32, 0, 0, 0, 1, 0, 0, 0, 2, 'a', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3,
                      0, 0, 0, 4),
                 "with eight zeros too many");
    assert_int_equal(run(&convert, &lost,
                         SPAN(2, 0, 0, 0, 0, 0, 32, 0, 11, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 5, 0,
                              0, 0, 6, 0, 0, 0),
                         &out),
                     PC_CONVERTED);
    assert_bytes(&lost, &out,
                 SPAN(0, 0, 0, 2, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 5, 0,
                      0, 0, 6),
                 "without");
    pc_convert_clear(&convert);
    bench_close(&b);
}

/* A record that grew (KSYMBOL, whose name ends with its padding at 32) has zeros there, or unknown bytes.
 */
static void left_overs_that_are_not_zero_are_refused_where_they_begin(void **state)
{
    (void)state;
    static struct bytes out;
    struct subject s = { .kind = RECORD, .number = PC_KSYMBOL };
    struct pc_span grown = SPAN(17, 0, 0, 0, 0, 0, 40, 0, 1, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 1, 0, 0, 0,
                                'a', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 8, 0, 0, 0);
    struct pc_convert convert;
    struct bench b;
    bench_open(&b, NULL);
    assert_int_equal(convert_to(&b, &s, grown, PC_BIG, &out), PC_CONVERT_UNKNOWN);
    assert_int_equal(b.convert.refusal.at, 35);
    assert_int_equal(b.convert.refusal.len, 5);
    setup(&convert, &b, &s, PC_BIG);
    convert.lenient = true;
    assert_int_equal(run(&convert, &s, grown, &out), PC_CONVERTED);
    assert_bytes(&s, &out,
                 SPAN(0, 0, 0, 17, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 64, 0, 1, 0, 0, 'a', 0, 0, 0,
                      0, 0, 0, 0, 0, 0, 0, 9, 8, 0, 0, 0),
                 "kept behind the name");
    pc_convert_clear(&convert);
    bench_close(&b);
}

/* The size of a record is 16 bits wide, so 65,528 is the largest that is a multiple of 8. */
static void a_record_without_room_for_its_padding_is_refused(void **state)
{
    (void)state;
    static unsigned char record[65535];
    struct subject s = { .kind = RECORD, .number = PC_COMM };
    static const size_t sizes[] = { 65529, 65535 };
    static struct bytes out;
    struct bench b;
    bench_open(&b, NULL);
    for (size_t i = 0; i < PC_COUNT_OF(sizes); i++) {
        record[0] = PC_COMM;
        synth_store_as(record + 6, 2, sizes[i], PC_LITTLE);
        assert_int_equal(convert_to(&b, &s, (struct pc_span){ record, sizes[i] }, PC_LITTLE, &out),
                         PC_CONVERT_UNKNOWN);
        /* its header is 4 bytes of type, 2 of misc, 2 of size */
        assert_int_equal(b.convert.refusal.at, 6);
        assert_int_equal(b.convert.refusal.len, 2);
    }
    bench_close(&b);
}

/* Most of a capture: for these no leaf of a record is looked at. */
static void samples_of_integers_are_swapped_without_a_walk(void **state)
{
    (void)state;
    static struct bytes out;
    struct subject s = { .kind = RECORD, .number = PC_SAMPLE, .misc = 2 };
    uint64_t slot[PC_SLOTS];
    struct pc_convert convert;
    struct bench b;
    fill_slots(slot, PC_S_IP | PC_S_TID | PC_S_CPU | PC_S_CALLCHAIN, 0, 0, 0);
    bench_open(&b, slot);
    setup(&convert, &b, &s, PC_BIG);
    convert.by_plan = true;
    assert_int_equal(run(&convert, &s,
                         SPAN(9, 0, 0, 0, 2, 0, 48, 0, 1, 2, 3, 4, 5, 6, 7, 8, 100, 0, 0, 0, 101, 0, 0, 0, 3,
                              0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 8, 7, 6, 5, 4, 3, 2),
                         &out),
                     PC_CONVERTED);
    assert_bytes(&s, &out,
                 SPAN(0, 0, 0, 9, 0, 2, 0, 48, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 100, 0, 0, 0, 101, 0, 0, 0, 3,
                      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
                 "swapped");
    assert_true(convert.fixed[0].known && convert.fixed[0].usable);
    pc_convert_clear(&convert);
    bench_close(&b);
}

static void sizes_become_multiples_of_8(void **state)
{
    (void)state;
    static struct bytes out;
    static unsigned char unknown[64];
    struct bench b;
    struct pc_convert convert;
    struct subject map = { .kind = RECORD, .number = PC_CPU_MAP }, other_record = { .kind = RECORD };
    bench_open(&b, NULL);
    setup(&convert, &b, &map, PC_LITTLE);
    /* What a longer record left behind is not seen. */
    memset(unknown, 0xff, sizeof(unknown));
    other_record.number = PC_TYPES - 1;
    assert_int_equal(run(&convert, &other_record, (struct pc_span){ unknown, sizeof(unknown) }, &out),
                     PC_CONVERTED);
    /* CPU_MAP of perf 4.16: 20 bytes for two CPUs */
    assert_int_equal(
        run(&convert, &map, SPAN(74, 0, 0, 0, 0, 0, 20, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0), &out),
        PC_CONVERTED);
    assert_bytes(&map, &out, SPAN(74, 0, 0, 0, 0, 0, 24, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                 "canonical");
    pc_convert_clear(&convert);
    bench_close(&b);
}

static void an_attr_grows_to_the_size_of_the_largest(void **state)
{
    (void)state;
    static unsigned char in[64], out[144];
    for (unsigned size_is_0 = 0; size_is_0 < 2; size_is_0++) {
        struct subject s = { .kind = ATTR, .attr_size = 144 };
        memset(in, 0x11, sizeof(in));
        memset(out, 0, sizeof(out));
        memcpy(out, in, sizeof(in));
        memset(in + 4, 0, 4);
        in[4] = size_is_0 ? 0 : 64;
        memset(out + 4, 0, 4);
        out[4] = 144;
        canonical_is(s, NULL, (struct pc_span){ in, 64 }, (struct pc_span){ out, 144 });
        s.for_digest = true;
        out[4] = 0;
        canonical_is(s, NULL, (struct pc_span){ in, 64 }, (struct pc_span){ out, 144 });
    }
    struct pc_span attr = { in, 64 };
    in[4] = 64;
    assert_int_equal(pc_attr_needs(attr, PC_LITTLE), 64);
}

/* Each attr in EVENT_DESC has the size of all attrs of the copy: later members can only be dropped if they
 * are 0. */
static void an_attr_in_event_desc_loses_no_member_that_is_set(void **state)
{
    (void)state;
    static struct bytes out;
    static unsigned char desc[4 + 4 + 144 + 4 + 4 + 64];
    const size_t attr = 8, config4 = attr + 136;
    struct bench b;
    bench_open(&b, NULL);
    for (unsigned i = 0; i < 2; i++) {
        struct subject s = { .kind = FEATURE, .number = PC_EVENT_DESC, .order = orders[i], .attr_size = 136 };
        memset(desc, 0, sizeof(desc));
        synth_store_as(desc, 4, 1, s.order);
        synth_store_as(desc + 4, 4, 144, s.order);
        synth_store_as(desc + attr + 4, 4, 144, s.order);
        synth_store_as(desc + attr + 144 + 4, 4, 64, s.order); /* room of the name, which is "" */
        struct pc_span in = { desc, sizeof(desc) };
        for (unsigned to = 0; to < 2; to++) {
            assert_int_equal(convert_to(&b, &s, in, orders[to], &out), PC_CONVERTED);
            assert_int_equal(out.len, sizeof(desc) - 8);
            desc[config4 + 7] = 1;
            assert_int_equal(convert_to(&b, &s, in, orders[to], &out), PC_CONVERT_UNKNOWN);
            assert_int_equal(b.convert.refusal.at, attr);
            assert_int_equal(b.convert.refusal.len, 144);
            desc[config4 + 7] = 0;
        }
    }
    bench_close(&b);
}

/* In the digest an attr is its known fields, however long it is and wherever it stands. */
static void the_digest_does_not_see_the_size_of_attrs(void **state)
{
    (void)state;
    static struct bytes shorter, longer;
    static struct synth bytes;
    struct bench b;
    bench_open(&b, NULL);
    for (unsigned i = 0; i < 2; i++) {
        struct subject s = {
            .kind = FEATURE, .number = PC_EVENT_DESC, .order = orders[i], .for_digest = true
        };
        static unsigned char desc[2][4 + 4 + 152 + 4 + 4 + 64 + 8];
        for (unsigned k = 0; k < 2; k++) {
            uint32_t size = k ? 152 : 80;
            unsigned char *p = desc[k];
            memset(p, 0, sizeof(desc[k]));
            synth_store_as(p, 4, 1, s.order);
            synth_store_as(p + 4, 4, size, s.order);
            bytes.order = s.order;
            synth_attr(&bytes, 80, 99); /* the longer one has zeros after it */
            memcpy(p + 8, bytes.bytes, 80);
            synth_store_as(p + 8 + 4, 4, size, s.order);
            p += 8 + size;
            synth_store_as(p, 4, 1, s.order);      /* nr_ids */
            synth_store_as(p + 4, 4, 64, s.order); /* name */
            memcpy(p + 8, "cycles", 6);
            synth_store_as(p + 72, 8, 42, s.order);
        }
        s.attr_size = 144;
        struct pc_span one = { desc[0], sizeof(desc[0]) - 72 }, two = { desc[1], sizeof(desc[1]) };
        assert_int_equal(convert_to(&b, &s, one, PC_LITTLE, &shorter), PC_CONVERTED);
        assert_int_equal(convert_to(&b, &s, two, PC_LITTLE, &longer), PC_CONVERTED);
        assert_bytes(&s, &shorter, span_of(&longer), "digest");
        assert_int_equal(shorter.len, 8 + 144 + 4 + 68 + 8);
        s.kind = ATTR;
        s.table = pc_attr_fields;
        one = (struct pc_span){ desc[0] + 8, 80 };
        two = (struct pc_span){ desc[1] + 8, 152 };
        assert_int_equal(pc_attr_needs(two, s.order), 144);
        assert_int_equal(convert_to(&b, &s, one, PC_LITTLE, &shorter), PC_CONVERTED);
        assert_int_equal(convert_to(&b, &s, two, PC_LITTLE, &longer), PC_CONVERTED);
        assert_bytes(&s, &shorter, span_of(&longer), "digest");
    }
    bench_close(&b);
}

/* --- unknown parts --- */

/* Bytes from `at` on are unknown, and the one at `odd` is not zero. */
static void is_refused(struct subject s, const uint64_t *slot, struct pc_span in, size_t at, size_t odd)
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

static void unknown_bytes_of_records(void **state)
{
    (void)state;
    uint64_t slot[PC_SLOTS];
    fill_slots(slot, PC_S_TIME, 0, 0, PC_FLAG_SAMPLE_ID_ALL);
    /* EVENT_UPDATE of type 9 */
    is_refused((struct subject){ .kind = RECORD, .number = PC_EVENT_UPDATE }, NULL,
               SPAN(78, 0, 0, 0, 0, 0, 32, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0,
                    0, 0, 0),
               24, 27);
    /* CPU_MAP of type 9 */
    is_refused((struct subject){ .kind = RECORD, .number = PC_CPU_MAP }, NULL,
               SPAN(74, 0, 0, 0, 0, 0, 16, 0, 9, 0, 0, 0, 0, 0, 0, 1), 10, 15);
    /* CPU_MAP: a mask of words of 2 bytes */
    is_refused((struct subject){ .kind = RECORD, .number = PC_CPU_MAP }, NULL,
               SPAN(74, 0, 0, 0, 0, 0, 16, 0, 1, 0, 1, 0, 2, 0, 1, 0), 14, 14);
    /* LOST with a word that came later, before the time of its trailer */
    is_refused((struct subject){ .kind = RECORD, .number = PC_LOST }, slot,
               SPAN(2, 0, 0, 0, 0, 0, 40, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5,
                    0, 0, 3, 0, 0, 0, 0, 0, 0, 0),
               24, 29);
    /* the same after a user record */
    is_refused((struct subject){ .kind = RECORD, .number = PC_STAT_ROUND }, NULL,
               SPAN(77, 0, 0, 0, 0, 0, 32, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                    5, 0, 0),
               24, 29);
    /* SCHEDSTAT_DOMAIN of an unknown version */
    is_refused((struct subject){ .kind = RECORD, .number = PC_SCHEDSTAT_DOMAIN }, NULL,
               SPAN(86, 0, 0, 0, 0, 0, 32, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 18, 0, 1, 0, 0, 0, 0, 0, 5,
                    0, 0, 0),
               24, 28);
}

/* The same, but without these bytes when they are zeros. */
static void is_refused_few(struct subject s, struct pc_span in)
{
    static struct bytes out;
    static const unsigned char zeros[12];
    struct bench b;
    bench_open(&b, NULL);
    assert_int_equal(convert_to(&b, &s, in, s.order, &out), PC_CONVERTED);
    assert_bytes(&s, &out, in, "kept");
    assert_int_equal(convert_to(&b, &s, in, other(s.order), &out), PC_CONVERT_UNKNOWN);
    for (unsigned to = 0; to < 2; to++) {
        assert_int_equal(convert_to(&b, &s, (struct pc_span){ zeros, 12 }, orders[to], &out), PC_CONVERTED);
        assert_int_equal(out.len, 8);
    }
    bench_close(&b);
}

static void unknown_records_and_features(void **state)
{
    (void)state;
    static struct bytes out;
    static const uint32_t types[] = { 0, PC_USER_TYPES - 1, PC_TYPES - 1, 1000000 };
    static const uint64_t bits[] = { PC_FEATURES, 127, 128, 132, 255 };
    struct bench b;
    struct subject s = { .kind = RECORD };
    struct pc_span record = SPAN(0, 0, 0, 0, 5, 0, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8);
    unsigned char bytes[16];
    bench_open(&b, NULL);
    for (size_t i = 0; i < PC_COUNT_OF(types); i++) {
        memcpy(bytes, record.ptr, 16);
        synth_store_as(bytes, 4, types[i], PC_LITTLE);
        struct pc_span in = { bytes, 16 };
        s.number = types[i];
        s.misc = 5;
        assert_int_equal(convert_to(&b, &s, in, PC_LITTLE, &out), PC_CONVERTED);
        assert_int_equal(out.len, 16);
        assert_memory_equal(out.ptr, bytes, 16);
        assert_int_equal(convert_to(&b, &s, in, PC_BIG, &out), PC_CONVERT_UNKNOWN);
        assert_int_equal(b.convert.refusal.at, 0);
        assert_int_equal(b.convert.refusal.len, 16);
    }
    s = (struct subject){ .kind = FEATURE };
    for (size_t i = 0; i < PC_COUNT_OF(bits); i++) {
        s.number = bits[i];
        assert_int_equal(convert_to(&b, &s, record, PC_LITTLE, &out), PC_CONVERTED);
        assert_int_equal(out.len, 16);
        assert_memory_equal(out.ptr, record.ptr, 16);
        assert_int_equal(convert_to(&b, &s, record, PC_BIG, &out), PC_CONVERT_UNKNOWN);
    }
    bench_close(&b);
    /* A list of CPUs whose number is not known. */
    bench_open(&b, NULL);
    b.capture[0].nr_cpus = 0;
    s.number = PC_CPU_TOPOLOGY;
    assert_int_equal(convert_to(&b, &s, record, PC_LITTLE, &out), PC_CONVERTED);
    assert_memory_equal(out.ptr, record.ptr, 16);
    assert_int_equal(convert_to(&b, &s, record, PC_BIG, &out), PC_CONVERT_UNKNOWN);
    /* Nothing is the same in both orders. */
    s.number = PC_CPUDESC;
    assert_int_equal(convert_to(&b, &s, (struct pc_span){ record.ptr, 0 }, PC_BIG, &out), PC_CONVERTED);
    assert_int_equal(out.len, 0);
    bench_close(&b);
}

static void unknown_bytes_of_attrs_and_features(void **state)
{
    (void)state;
    static struct synth bytes;
    static unsigned char feature[4 + 16 + 240];
    for (unsigned i = 0; i < 2; i++) {
        struct subject s = { .kind = ATTR, .order = orders[i], .attr_size = 160 };
        s.table = pc_attr_fields;
        bytes.order = s.order;
        synth_attr(&bytes, 160, 7);
        bytes.bytes[153] = 0x40; /* 144 bytes are known */
        is_refused(s, NULL, (struct pc_span){ bytes.bytes, 160 }, 144, 153);
        assert_int_equal(pc_attr_needs((struct pc_span){ bytes.bytes, 160 }, s.order), 160);
        bytes.bytes[153] = 0;
        bytes.bytes[151] = 1;
        assert_int_equal(pc_attr_needs((struct pc_span){ bytes.bytes, 160 }, s.order), 152);

        /* The info of a BPF program that is longer than 232 bytes; no data. */
        s = (struct subject){ .kind = FEATURE, .number = PC_BPF_PROG_INFO, .order = orders[i] };
        memset(feature, 0, sizeof(feature));
        synth_store_as(feature, 4, 1, s.order);
        synth_store_as(feature + 4, 4, 240, s.order);
        feature[20 + 235] = 1;
        is_refused(s, NULL, (struct pc_span){ feature, sizeof(feature) }, 20 + 232, 20 + 235);

        /* NRCPUS with bytes after it */
        s.number = PC_NRCPUS;
        memset(feature, 0, sizeof(feature));
        synth_store_as(feature, 4, 8, s.order);
        synth_store_as(feature + 4, 4, 7, s.order);
        feature[17] = 3;
        is_refused(s, NULL, (struct pc_span){ feature, 18 }, 8, 17);
        feature[17] = 0;
        feature[9] = 3; /* fewer than 8 bytes are as unknown */
        is_refused_few(s, (struct pc_span){ feature, 12 });
    }
}

static void what_is_cut_is_damaged(void **state)
{
    (void)state;
    static struct bytes out;
    struct bench b;
    bench_open(&b, NULL);
    for (unsigned to = 0; to < 2; to++) {
        struct subject string = { .kind = FEATURE, .number = PC_HOSTNAME };
        struct subject config = { .kind = RECORD, .number = PC_STAT_CONFIG };
        struct subject attr = { .kind = ATTR, .attr_size = 144 };
        struct pc_span record = SPAN(75, 0, 0, 0, 0, 0, 16, 0, 1, 0, 0, 0, 0, 0, 0, 0);
        unsigned char bytes[66] = { 1, 0, 0, 0, 66 };
        assert_int_equal(convert_to(&b, &string, SPAN(9, 0, 0, 0, 'h', 'o', 's', 't', 0), orders[to], &out),
                         PC_CONVERT_DAMAGED);
        assert_int_equal(convert_to(&b, &attr, (struct pc_span){ bytes, 66 }, orders[to], &out),
                         PC_CONVERT_DAMAGED);
        /* A record stays as it is while its order stays. */
        enum pc_outcome outcome = convert_to(&b, &config, record, orders[to], &out);
        assert_int_equal(outcome, orders[to] == PC_LITTLE ? PC_CONVERTED : PC_CONVERT_DAMAGED);
        if (outcome == PC_CONVERTED)
            assert_bytes(&config, &out, record, "kept");
    }
    bench_close(&b);
}

/* --- large features --- */

struct pieces {
    unsigned char *ptr;
    size_t len, room;
    unsigned nr;
};

static void take_piece(void *ctx, const unsigned char *bytes, size_t n)
{
    struct pieces *p = ctx;
    assert_true(n <= p->room - p->len);
    memcpy(p->ptr + p->len, bytes, n);
    p->len += n;
    p->nr++;
}

/* BPF_BTF with entries of all sizes around the size of one piece. */
static void large_features_come_in_pieces(void **state)
{
    (void)state;
    static const uint32_t sizes[] = { 0, 1, 65535, 65536, 65537, 3, 400000, 8 };
    const size_t room = 1 << 20;
    unsigned char *in = calloc(1, room), *expected = calloc(1, room), *out = calloc(1, room);
    struct bench b;
    struct pc_convert convert;
    size_t at = 4;
    uint64_t random = 77;
    assert_true(in && expected && out);
    synth_store_as(in, 4, PC_COUNT_OF(sizes), PC_LITTLE);
    synth_store_as(expected, 4, PC_COUNT_OF(sizes), PC_BIG);
    for (uint32_t i = 0; i < PC_COUNT_OF(sizes); i++) {
        synth_store_as(in + at, 4, 100 + i, PC_LITTLE);
        synth_store_as(in + at + 4, 4, sizes[i], PC_LITTLE);
        synth_store_as(expected + at, 4, 100 + i, PC_BIG);
        synth_store_as(expected + at + 4, 4, sizes[i], PC_BIG);
        at += 8;
        for (uint32_t k = 0; k < sizes[i]; k++, at++)
            in[at] = expected[at] = (unsigned char)synth_random(&random);
    }
    bench_open(&b, NULL);
    uint64_t before = mem.used;
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        struct pieces pieces = { out, 0, room, 0 };
        pc_convert_init(&convert, &b.capture[0], PC_BIG);
        mem.calls = 0;
        mem.fail_at = n;
        enum pc_outcome outcome =
            pc_convert_feature(&convert, PC_BPF_BTF, (struct pc_span){ in, at }, take_piece, &pieces);
        done = mem.calls < n;
        assert_int_equal(outcome, done ? PC_CONVERTED : PC_CONVERT_NO_MEMORY);
        if (done) {
            assert_true(pieces.nr > 1 && pieces.len == at);
            assert_memory_equal(out, expected, at);
            assert_true(n > 2); /* it did allocate, and more than once */
        }
        pc_convert_clear(&convert);
        assert_int_equal(mem.used, before);
    }
    mem.fail_at = 0;
    bench_close(&b);
    free(in);
    free(expected);
    free(out);
}

/* TRACING_DATA of version 0.5 in an order, with that many bytes of kallsyms and a word of printk after them.
 */
static size_t put_trace_data(unsigned char *to, enum pc_order order, size_t letters)
{
    static const char name[] = "\x17\x08\x44tracing0.5", page[] = "header_page", event[] = "header_event";
    size_t at = sizeof(name);
    memcpy(to, name, at);
    to[at] = order == PC_BIG;
    to[at + 1] = 8;
    synth_store_as(to + at + 2, 4, 4096, order);
    memcpy(to + at + 6, page, sizeof(page)); /* with nothing in it */
    at += 6 + sizeof(page) + 8;
    memcpy(to + at, event, sizeof(event));
    at += sizeof(event) + 8 + 4 + 4; /* neither this, nor events of ftrace, nor systems */
    synth_store_as(to + at, 4, letters, order);
    memset(to + at + 4, 'k', letters);
    at += 4 + letters;
    synth_store_as(to + at, 4, 3, order);
    memcpy(to + at + 4, "p\nq", 3);
    return at + 7;
}

/* Text of any length is no copy of ours; what follows it is converted all the same. */
static void fields_behind_a_large_text_are_converted(void **state)
{
    (void)state;
    const size_t letters[] = { 10, 65536, 65537, 200000 }, room = 1 << 18;
    unsigned char *in = malloc(room), *expected = malloc(room), *out = malloc(room);
    struct bench b;
    assert_true(in && expected && out);
    bench_open(&b, NULL);
    for (size_t i = 0; i < PC_COUNT_OF(letters); i++) {
        struct pieces pieces = { out, 0, room, 0 };
        struct pc_convert convert;
        memset(in, 0, room);
        memset(expected, 0, room);
        size_t len = put_trace_data(in, PC_LITTLE, letters[i]);
        assert_int_equal(put_trace_data(expected, PC_BIG, letters[i]), len);
        pc_convert_init(&convert, &b.capture[0], PC_BIG);
        assert_int_equal(
            pc_convert_feature(&convert, PC_TRACING_DATA, (struct pc_span){ in, len }, take_piece, &pieces),
            PC_CONVERTED);
        assert_int_equal(pieces.len, len);
        assert_memory_equal(out, expected, len);
        pc_convert_clear(&convert);
    }
    bench_close(&b);
    free(in);
    free(expected);
    free(out);
}

#define TEST(f) cmocka_unit_test_setup(f, begin_test)

static const struct CMUnitTest tests[] = {
    TEST(strings_get_the_padding_of_perf),
    TEST(left_overs_behind_strings_go),
    TEST(left_overs_of_one_record_are_not_those_of_the_next),
    TEST(left_overs_that_are_not_zero_are_refused_where_they_begin),
    TEST(a_record_without_room_for_its_padding_is_refused),
    TEST(samples_of_integers_are_swapped_without_a_walk),
    TEST(sizes_become_multiples_of_8),
    TEST(an_attr_grows_to_the_size_of_the_largest),
    TEST(an_attr_in_event_desc_loses_no_member_that_is_set),
    TEST(the_digest_does_not_see_the_size_of_attrs),
    TEST(unknown_bytes_of_records),
    TEST(unknown_records_and_features),
    TEST(unknown_bytes_of_attrs_and_features),
    TEST(what_is_cut_is_damaged),
    TEST(large_features_come_in_pieces),
    TEST(fields_behind_a_large_text_are_converted),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

/* SPDX-License-Identifier: MIT
 *
 * Features in the other byte order and in their canonical form, by hand; large ones come in pieces.
 */
#include "convert_rows.h"

/* A header string in 64 bytes. */
static void add_string(const char *text)
{
    ROWS({ "40 00 00 00", "00 00 00 40" });
    add_text(text, 64);
}

static void lists_of_features(void **state)
{
    (void)state;
    begin_hand();                                                   /* NUMA_TOPOLOGY */
    ROWS({ "01 00 00 00", "00 00 00 01" },                          /* nr */
         { "02 01 00 00", "00 00 01 02" },                          /* node */
         { "08 07 06 05 04 03 02 01", "01 02 03 04 05 06 07 08" },  /* mem_total */
         { "07 06 05 04 03 02 01 00", "00 01 02 03 04 05 06 07" }); /* mem_free */
    add_string("0-3,5");
    end_hand((struct subject){ .kind = FEATURE, .number = PC_NUMA_TOPOLOGY }, NULL);

    begin_hand();                                                  /* MEM_TOPOLOGY */
    ROWS({ "01 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 01" }, /* version */
         { "00 00 00 08 00 00 00 00", "00 00 00 00 08 00 00 00" }, /* block_size */
         { "02 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 02" }, /* nr */
         { "00 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 00" }, /* node 0 */
         { "21 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 21" }, /* 33 bits */
         { "21 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 21" }, /* in a bitmap of 33: one word */
         { "fe 00 00 00 01 00 00 00", "00 00 00 01 00 00 00 fe" },
         { "01 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 01" }, /* node 1 */
         { "41 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 41" }, /* 65 bits: two words */
         { "41 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 41" },
         { "88 77 66 55 44 33 22 11", "11 22 33 44 55 66 77 88" }, /* the low one first */
         { "01 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 01" });
    end_hand((struct subject){ .kind = FEATURE, .number = PC_MEM_TOPOLOGY }, NULL);

    begin_hand(); /* HYBRID_TOPOLOGY */
    ROWS({ "02 00 00 00", "00 00 00 02" });
    add_string("cpu_core");
    add_string("0-7");
    add_string("cpu_atom");
    add_string("8-15");
    end_hand((struct subject){ .kind = FEATURE, .number = PC_HYBRID_TOPOLOGY }, NULL);

    begin_hand(); /* PMU_CAPS */
    ROWS({ "01 00 00 00", "00 00 00 01" }, { "01 00 00 00", "00 00 00 01" });
    add_string("branches");
    add_string("32");
    add_string("cpu_core");
    end_hand((struct subject){ .kind = FEATURE, .number = PC_PMU_CAPS }, NULL);

    begin_hand();                           /* CACHE */
    ROWS({ "01 00 00 00", "00 00 00 01" },  /* version */
         { "01 00 00 00", "00 00 00 01" },  /* nr */
         { "03 00 00 00", "00 00 00 03" },  /* level */
         { "40 00 00 00", "00 00 00 40" },  /* line_size */
         { "00 20 00 00", "00 00 20 00" },  /* sets */
         { "10 00 00 00", "00 00 00 10" }); /* ways */
    add_string("Unified");
    add_string("8192K");
    add_string("0-3");
    end_hand((struct subject){ .kind = FEATURE, .number = PC_CACHE }, NULL);

    begin_hand();                                                   /* AUXTRACE */
    ROWS({ "01 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 01" },  /* nr */
         { "d8 07 00 00 01 00 00 00", "00 00 00 01 00 00 07 d8" },  /* file_offset */
         { "30 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 30" }); /* sz */
    end_hand((struct subject){ .kind = FEATURE, .number = PC_AUXTRACE_INDEX }, NULL);

    begin_hand(); /* CLN_SIZE */
    ROWS({ "00 01 00 00", "00 00 01 00" });
    end_hand((struct subject){ .kind = FEATURE, .number = PC_CLN_SIZE }, NULL);
}

/* Puts an integer of the info at its place (the info begins after 20 bytes). */
static void info_word(size_t at, unsigned width, uint64_t value)
{
    for (unsigned k = 0; k < width; k++)
        by_hand[0].ptr[20 + at + k] = by_hand[1].ptr[20 + at + width - 1 - k] =
            (unsigned char)(value >> 8 * k);
}

/* FORMAT.md 5.4.7; positions in the info are those of its table */
static void programs_of_bpf(void **state)
{
    (void)state;
    begin_hand();
    ROWS({ "01 00 00 00", "00 00 00 01" },                          /* nr */
         { "e8 00 00 00", "00 00 00 e8" },                          /* info_len 232 */
         { "90 00 00 00", "00 00 00 90" },                          /* data_len 144 */
         { "fd 01 00 00 00 00 00 00", "00 00 00 00 00 00 01 fd" }); /* arrays: all but xlated_insns */
    add_text("", 232);
    info_word(0, 4, 5);                                                     /* type */
    info_word(4, 4, 0x0102);                                                /* id */
    memcpy(by_hand[0].ptr + 20 + 8, "\x01\x02\x03\x04\x05\x06\x07\x08", 8); /* tag */
    memcpy(by_hand[1].ptr + 20 + 8, "\x01\x02\x03\x04\x05\x06\x07\x08", 8);
    info_word(16, 4, 8); /* jited_prog_len: 8 bytes at 0 */
    info_word(24, 8, 0);
    info_word(40, 8, 0x1112131415161718); /* load_time */
    info_word(48, 4, 1000);               /* created_by_uid */
    info_word(52, 4, 3);                  /* map ids: 3 of 4 bytes at 8 */
    info_word(56, 8, 8);
    memcpy(by_hand[0].ptr + 20 + 64, "prog", 4); /* name */
    memcpy(by_hand[1].ptr + 20 + 64, "prog", 4);
    by_hand[0].ptr[20 + 84] = 0x01; /* gpl_compatible: the first bit of 32 */
    by_hand[1].ptr[20 + 84] = 0x80;
    info_word(88, 8, 0x2122232425262728); /* netns_dev */
    info_word(104, 4, 1);                 /* ksyms: 1 of 8 bytes at 24 */
    info_word(112, 8, 24);
    info_word(108, 4, 2); /* func_lens: 2 of 4 bytes at 32 */
    info_word(120, 8, 32);
    info_word(128, 4, 77); /* btf_id */
    info_word(132, 4, 8);  /* func_info: 2 of 8 bytes at 40 */
    info_word(144, 4, 2);
    info_word(136, 8, 40);
    info_word(172, 4, 16); /* line_info: 2 of 16 bytes at 56 */
    info_word(148, 4, 2);
    info_word(152, 8, 56);
    info_word(176, 4, 8); /* jited_line_info: 2 of 8 bytes at 88 */
    info_word(168, 4, 2);
    info_word(160, 8, 88);
    info_word(180, 4, 4); /* prog_tags: 4 of 8 bytes at 104 */
    info_word(184, 8, 104);
    info_word(192, 8, 0x3132333435363738);                          /* run_time_ns */
    info_word(216, 4, 0x41424344);                                  /* verified_insns */
    info_word(224, 4, 0x51525354);                                  /* attach_btf_id */
    ROWS(SAME("55 48 89 e5 c3 cc cc cc"));                          /* 0: code */
    add_numbers(3, 4, 0x01020304);                                  /* 8: map ids */
    ROWS(SAME("00 00 00 00"));                                      /* 20: rounding */
    ROWS({ "10 20 30 c0 ff ff ff ff", "ff ff ff ff c0 30 20 10" }); /* 24: address of a symbol */
    add_numbers(2, 4, 0x11121314);                                  /* 32: lengths of functions */
    add_numbers(4, 4, 0x21222324);                                  /* 40: pairs of insn_off, type_id */
    add_numbers(8, 4, 0x31323334);                                  /* 56: four words a line */
    add_numbers(2, 8, 0x4142434445464748);                          /* 88: addresses */
    ROWS(SAME("01 02 03 04 05 06 07 08"), SAME("11 12 13 14 15 16 17 18"), /* 104: tags */
         SAME("21 22 23 24 25 26 27 28"), SAME("31 32 33 34 35 36 37 38"));
    ROWS(SAME("00 00 00 00 00 00 00 00")); /* 136: rounding */
    end_hand((struct subject){ .kind = FEATURE, .number = PC_BPF_PROG_INFO }, NULL);
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

/* The name of a build id gets the room that it needs, and the entry says how long it is then. */
static void an_entry_says_how_long_it_became(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct subject s = { .kind = FEATURE, .number = PC_BUILD_ID, .order = orders[i] };
        unsigned char in[52] = { 0 }, out[44];
        synth_store_as(in + 4, 2, 2, s.order); /* misc: USER */
        synth_store_as(in + 6, 2, sizeof(in), s.order);
        memset(in + 12, 0xab, 20);
        in[36] = '/';
        in[37] = 'x';
        memcpy(out, in, sizeof(out));
        synth_store_as(out + 6, 2, sizeof(out), s.order);
        canonical_is(s, NULL, (struct pc_span){ in, sizeof(in) }, (struct pc_span){ out, sizeof(out) });
    }
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

static const struct CMUnitTest tests[] = {
    TEST(lists_of_features),
    TEST(programs_of_bpf),
    TEST(an_attr_in_event_desc_loses_no_member_that_is_set),
    TEST(an_entry_says_how_long_it_became),
    TEST(large_features_come_in_pieces),
    TEST(fields_behind_a_large_text_are_converted),
    TEST(unknown_bytes_of_attrs_and_features),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

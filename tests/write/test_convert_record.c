/* SPDX-License-Identifier: MIT
 *
 * Records in the other byte order and in their canonical form, by hand.
 */
#include "convert_rows.h"

static void parts_of_a_sample(void **state)
{
    (void)state;
    uint64_t slot[PC_SLOTS];
    fill_slots(slot,
               PC_S_STREAM_ID | PC_S_BRANCH_STACK | PC_S_WEIGHT_STRUCT | PC_S_DATA_SRC | PC_S_TRANSACTION |
                   PC_S_AUX,
               0, PC_BRANCH_HW_INDEX | PC_BRANCH_COUNTERS | 8, 0);
    begin_hand();
    ROWS({ "09 00 00 00 02 00 88 00", "00 00 00 09 00 02 00 88" }, /* SAMPLE, user, 136 bytes */
         { "88 77 66 55 44 33 22 11", "11 22 33 44 55 66 77 88" }, /* stream_id */
         { "02 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 02" }, /* 2 branches */
         { "ff ff ff ff ff ff ff ff", "ff ff ff ff ff ff ff ff" }, /* hw_idx -1 */
         { "10 32 54 76 98 ba 00 00", "00 00 ba 98 76 54 32 10" }, /* from */
         { "11 32 54 76 98 ba 00 00", "00 00 ba 98 76 54 32 11" }, /* to */
         /* FORMAT.md 2.7: mispred, cycles 0x1234, type 4, spec 1, priv 1 */
         { "41 23 41 41 00 00 00 00", "81 23 44 40 80 00 00 00" },
         { "12 32 54 76 98 ba 00 00", "00 00 ba 98 76 54 32 12" }, /* from */
         { "13 32 54 76 98 ba 00 00", "00 00 ba 98 76 54 32 13" }, /* to */
         /* predicted, in_tx, abort, cycles 1, type 15, spec 3, new_type 10, priv 5:
          * 0x16bf0001e, and 7 << 60 | 1 << 44 | 15 << 40 | 3 << 38 | 10 << 34 | 5 << 31 */
         { "1e 00 f0 6b 01 00 00 00", "70 00 1f ea 80 00 00 00" },
         { "01 02 00 00 00 00 00 00", "00 00 00 00 00 00 02 01" }, /* counters of the first */
         { "03 04 00 00 00 00 00 00", "00 00 00 00 00 00 04 03" }, /* ... and the second */
         { "44 33 22 11 66 55 88 77", "77 88 55 66 11 22 33 44" }, /* weights 0x11223344, 0x5566, 0x7788 */
         { "42 01 10 68 00 00 00 00", "00 00 00 00 68 10 01 42" }, /* data_src of FORMAT.md 2.7 */
         { "c1 00 00 00 ef be ad de", "de ad be ef 00 00 00 c1" }, /* transaction: flags, abort code */
         { "08 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 08" }, /* 8 bytes of AUX data */
         SAME("01 02 03 04 05 06 07 08"));
    end_hand((struct subject){ .kind = RECORD, .number = PC_SAMPLE, .misc = 2 }, slot);
}

static void records_of_the_kernel(void **state)
{
    (void)state;
    uint64_t slot[PC_SLOTS];
    fill_slots(slot, PC_S_TID | PC_S_CPU, 0, 0, PC_FLAG_SAMPLE_ID_ALL);
    begin_hand();
    ROWS({ "14 00 00 00 01 00 30 00", "00 00 00 14 00 01 00 30" }, /* TEXT_POKE, kernel, 48 bytes */
         { "10 20 30 81 ff ff ff ff", "ff ff ff ff 81 30 20 10" }, /* addr */
         { "05 00", "00 05" },                                     /* old_len */
         { "01 00", "00 01" },                                     /* new_len */
         SAME("0f 1f 44 00 00"), SAME("cc"),                       /* code */
         SAME("00 00 00 00 00 00"),                                /* padding */
         { "d2 04 00 00", "00 00 04 d2" },                         /* pid 1234 */
         { "d3 04 00 00", "00 00 04 d3" },                         /* tid 1235 */
         { "03 00 00 00", "00 00 00 03" },                         /* cpu 3 */
         SAME("00 00 00 00"));                                     /* reserved */
    end_hand((struct subject){ .kind = RECORD, .number = PC_TEXT_POKE, .misc = 1 }, slot);

    fill_slots(slot, PC_S_STREAM_ID, 0, 0, PC_FLAG_SAMPLE_ID_ALL);
    begin_hand();
    ROWS({ "05 00 00 00 00 00 28 00", "00 00 00 05 00 00 00 28" },  /* THROTTLE, 40 bytes */
         { "08 07 06 05 04 03 02 01", "01 02 03 04 05 06 07 08" },  /* time */
         { "21 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 21" },  /* id */
         { "22 01 00 00 00 00 00 00", "00 00 00 00 00 00 01 22" },  /* stream_id */
         { "23 01 00 00 00 00 00 00", "00 00 00 00 00 00 01 23" }); /* stream_id of the trailer */
    end_hand((struct subject){ .kind = RECORD, .number = PC_THROTTLE }, slot);

    fill_slots(slot, PC_S_TIME, 0, 0, 0);
    begin_hand();
    ROWS({ "0a 00 00 00 02 00 50 00", "00 00 00 0a 00 02 00 50" }, /* MMAP2, user, 80 bytes */
         { "01 02 00 00", "00 00 02 01" },                         /* pid */
         { "03 04 00 00", "00 00 04 03" },                         /* tid */
         { "00 10 40 00 00 00 00 00", "00 00 00 00 00 40 10 00" }, /* addr */
         { "00 20 00 00 00 00 00 00", "00 00 00 00 00 00 20 00" }, /* len */
         { "00 30 00 00 00 00 00 00", "00 00 00 00 00 00 30 00" }, /* pgoff */
         { "08 01 00 00", "00 00 01 08" },                         /* maj 264 */
         { "02 00 00 00", "00 00 00 02" },                         /* min 2 */
         { "05 06 07 00 00 00 00 00", "00 00 00 00 00 07 06 05" }, /* ino */
         { "09 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 09" }, /* ino_generation */
         { "05 00 00 00", "00 00 00 05" },                         /* prot */
         { "02 20 00 00", "00 00 20 02" });                        /* flags */
    add_text("/bin/x", 8);
    end_hand((struct subject){ .kind = RECORD, .number = PC_MMAP2, .misc = 2 }, slot);
}

static void records_of_perf(void **state)
{
    (void)state;
    begin_hand();
    ROWS({ "4f 00 00 00 00 00 38 00", "00 00 00 4f 00 00 00 38" }, /* TIME_CONV, 56 bytes */
         { "1f 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 1f" }, /* time_shift 31 */
         { "78 56 34 12 00 00 00 00", "00 00 00 00 12 34 56 78" }, /* time_mult */
         { "88 77 66 55 44 33 22 11", "11 22 33 44 55 66 77 88" }, /* time_zero */
         { "18 17 16 15 14 13 12 11", "11 12 13 14 15 16 17 18" }, /* time_cycles */
         { "ff ff ff ff ff ff ff 00", "00 ff ff ff ff ff ff ff" }, /* time_mask */
         SAME("01"), SAME("00"),                                   /* cap_user_time_zero, _short */
         SAME("00 00 00 00 00 00"));                               /* reserved */
    end_hand((struct subject){ .kind = RECORD, .number = PC_TIME_CONV }, NULL);

    begin_hand();
    ROWS({ "45 00 00 00 00 00 70 00", "00 00 00 45 00 00 00 70" },  /* ID_INDEX, 112 bytes */
         { "02 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 02" },  /* nr 2 */
         { "41 01 00 00 00 00 00 00", "00 00 00 00 00 00 01 41" },  /* id */
         { "00 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 00" },  /* idx */
         { "03 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 03" },  /* cpu */
         { "ff ff ff ff ff ff ff ff", "ff ff ff ff ff ff ff ff" },  /* tid -1 */
         { "42 01 00 00 00 00 00 00", "00 00 00 00 00 00 01 42" },  /* id */
         { "01 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 01" },  /* idx */
         { "04 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 04" },  /* cpu */
         { "fe ff ff ff ff ff ff ff", "ff ff ff ff ff ff ff fe" },  /* tid -2 */
         { "d2 04 00 00 00 00 00 00", "00 00 00 00 00 00 04 d2" },  /* machine_pid */
         { "05 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 05" },  /* vcpu */
         { "d3 04 00 00 00 00 00 00", "00 00 00 00 00 00 04 d3" },  /* machine_pid */
         { "06 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 06" }); /* vcpu */
    end_hand((struct subject){ .kind = RECORD, .number = PC_ID_INDEX }, NULL);

    begin_hand();
    ROWS({ "47 00 00 00 00 00 30 00", "00 00 00 47 00 00 00 30" }, /* AUXTRACE, 48 bytes */
         { "00 10 00 00 00 00 00 00", "00 00 00 00 00 00 10 00" }, /* size */
         { "00 00 20 00 00 00 00 00", "00 00 00 00 00 20 00 00" }, /* offset */
         { "88 77 66 55 44 33 22 11", "11 22 33 44 55 66 77 88" }, /* reference */
         { "07 00 00 00", "00 00 00 07" },                         /* idx */
         { "d3 04 00 00", "00 00 04 d3" },                         /* tid */
         { "03 00 00 00", "00 00 00 03" },                         /* cpu */
         SAME("00 00 00 00"));                                     /* reserved */
    end_hand((struct subject){ .kind = RECORD, .number = PC_AUXTRACE }, NULL);

    begin_hand();
    ROWS({ "48 00 00 00 00 00 78 00", "00 00 00 48 00 00 00 78" },  /* AUXTRACE_ERROR, 120 bytes */
         { "01 00 00 00", "00 00 00 01" },                          /* type */
         { "08 00 00 00", "00 00 00 08" },                          /* code */
         { "02 00 00 00", "00 00 00 02" },                          /* cpu */
         { "d2 04 00 00", "00 00 04 d2" },                          /* pid */
         { "d3 04 00 00", "00 00 04 d3" },                          /* tid */
         { "02 00 00 00", "00 00 00 02" },                          /* fmt */
         { "18 17 16 15 14 13 12 11", "11 12 13 14 15 16 17 18" },  /* ip */
         { "28 27 26 25 24 23 22 21", "21 22 23 24 25 26 27 28" }); /* time */
    add_text("overflow", 64);
    ROWS({ "39 05 00 00", "00 00 05 39" },  /* machine_pid */
         { "01 00 00 00", "00 00 00 01" }); /* vcpu */
    end_hand((struct subject){ .kind = RECORD, .number = PC_AUXTRACE_ERROR }, NULL);

    begin_hand();
    ROWS({ "46 00 00 00 00 00 a8 00", "00 00 00 46 00 00 00 a8" },  /* AUXTRACE_INFO, 168 bytes */
         { "01 00 00 00", "00 00 00 01" }, SAME("00 00 00 00"));    /* Intel PT, reserved */
    add_numbers(16, 8, 0x0102030405060700);                         /* pmu_type ... max_nonturbo_ratio */
    ROWS({ "07 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 07" },  /* filter_str_len */
         SAME("66 69 6c 74 65 72 21 00"),                           /* "filter!" */
         { "01 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 01" }); /* event_trace */
    end_hand((struct subject){ .kind = RECORD, .number = PC_AUXTRACE_INFO }, NULL);
}

static void maps_of_cpus(void **state)
{
    (void)state;
    const struct subject map = { .kind = RECORD, .number = PC_CPU_MAP };
    begin_hand();
    ROWS({ "4a 00 00 00 00 00 18 00", "00 00 00 4a 00 00 00 18" }, /* CPU_MAP, 24 bytes */
         { "01 00", "00 01" },                                     /* MASK */
         { "02 00", "00 02" },                                     /* 2 words */
         { "04 00", "00 04" },                                     /* of 4 bytes */
         { "44 33 22 11", "11 22 33 44" },                         /* one after the other */
         { "88 77 66 55", "55 66 77 88" }, SAME("00 00"));         /* padding */
    end_hand(map, NULL);

    begin_hand();
    ROWS({ "4a 00 00 00 00 00 28 00", "00 00 00 4a 00 00 00 28" }, /* CPU_MAP, 40 bytes */
         { "01 00", "00 01" },                                     /* MASK */
         { "02 00", "00 02" },                                     /* 2 words */
         { "08 00", "00 08" },                                     /* of 8 bytes */
         SAME("00 00 00 00"),                                      /* padding */
         { "88 77 66 55 44 33 22 11", "11 22 33 44 55 66 77 88" }, /* one after the other */
         { "01 00 00 00 00 00 00 80", "80 00 00 00 00 00 00 01" }, SAME("00 00 00 00 00 00")); /* padding */
    end_hand(map, NULL);

    begin_hand();
    ROWS({ "4a 00 00 00 00 00 10 00", "00 00 00 4a 00 00 00 10" }, /* CPU_MAP, 16 bytes */
         { "02 00", "00 02" },                                     /* RANGE */
         SAME("01"), SAME("00"),                                   /* any_cpu, padding */
         { "02 01", "01 02" }, { "04 03", "03 04" });              /* from 258 to 772 */
    end_hand(map, NULL);

    begin_hand();
    ROWS({ "4e 00 00 00 00 00 28 00", "00 00 00 4e 00 00 00 28" },         /* EVENT_UPDATE, 40 bytes */
         { "03 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 03" },         /* CPUS */
         { "41 01 00 00 00 00 00 00", "00 00 00 00 00 00 01 41" },         /* id */
         { "01 00", "00 01" }, { "01 00", "00 01" }, { "08 00", "00 08" }, /* MASK, 1 word of 8 bytes */
         SAME("00 00 00 00"), { "fe 00 00 00 00 00 00 7f", "7f 00 00 00 00 00 00 fe" });
    /* 42 bytes: up to a multiple of 8 */
    by_hand[0].ptr[6] = by_hand[1].ptr[7] = 48;
    ROWS(SAME("00 00 00 00 00 00"));
    end_hand((struct subject){ .kind = RECORD, .number = PC_EVENT_UPDATE }, NULL);
}

static void counters_of_the_scheduler(void **state)
{
    (void)state;
    for (unsigned version = 15; version <= 17; version++) {
        const char *little = version == 15 ? "0f 00" : version == 16 ? "10 00" : "11 00";
        const char *big = version == 15 ? "00 0f" : version == 16 ? "00 10" : "00 11";
        begin_hand();
        ROWS({ "55 00 00 00 00 00 48 00", "00 00 00 55 00 00 00 48" }, /* SCHEDSTAT_CPU, 72 bytes */
             { "88 77 66 55 44 33 22 11", "11 22 33 44 55 66 77 88" }, /* timestamp */
             { "02 01 00 00", "00 00 01 02" },                         /* cpu */
             { little, big }, SAME("00 00"));                          /* version, padding */
        add_numbers(6, 4, 0x01020304);                                 /* six counters */
        add_numbers(3, 8, 0x0102030405060708);                         /* and three times */
        end_hand((struct subject){ .kind = RECORD, .number = PC_SCHEDSTAT_CPU }, NULL);

        begin_hand();
        ROWS({ "56 00 00 00 00 00 d0 00", "00 00 00 56 00 00 00 d0" }, /* SCHEDSTAT_DOMAIN, 208 bytes */
             { "88 77 66 55 44 33 22 11", "11 22 33 44 55 66 77 88" }, /* timestamp */
             { "02 01 00 00", "00 00 01 02" },                         /* cpu */
             { little, big }, { "04 03", "03 04" });                   /* version, domain */
        unsigned counters = version == 17 ? 45 : 36;                   /* 3 * 11 + 12, or 3 * 8 + 12 */
        add_numbers(counters, 4, 0x05060708);
        add_text("", 208 - 24 - 4 * counters);
        end_hand((struct subject){ .kind = RECORD, .number = PC_SCHEDSTAT_DOMAIN }, NULL);
    }
}

/* TRACING_DATA of version 0.5 with one event. */
static size_t tracing_data(unsigned char *to, const char *text, enum pc_order order)
{
    static const char page[] = "header_page", event[] = "header_event";
    size_t at = 0;
    memcpy(to, "\x17\x08\x44tracing0.5", 14);
    at = 14; /* with the NUL of the version */
    to[at++] = order == PC_BIG;
    to[at++] = 8; /* sizeof(long) */
    synth_store_as(to + at, 4, 4096, order);
    at += 4;
    memcpy(to + at, page, sizeof(page));
    at += sizeof(page) + 8;
    memcpy(to + at, event, sizeof(event));
    at += sizeof(event) + 8;
    at += 4; /* no format of ftrace */
    synth_store_as(to + at, 4, 1, order);
    at += 4;
    memcpy(to + at, "sys", 4);
    at += 4;
    synth_store_as(to + at, 4, 1, order);
    synth_store_as(to + at + 4, 8, strlen(text), order);
    memcpy(to + at + 12, text, strlen(text));
    return at + 12 + strlen(text) + 8; /* kallsyms, printk: none */
}

static const char format_text[] =
    "name: e\nID: 7\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:__rel_loc u16[] words;\toffset:8;\tsize:4;\tsigned:0;\n"
    "\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n"
    "\tfield:u64 value;\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:char comm[4];\toffset:24;\tsize:4;\tsigned:0;\n\n"
    "print fmt: \"\"\n";

static void bench_trace(struct bench *b)
{
    static unsigned char bytes[4096];
    for (unsigned i = 0; i < 2; i++) {
        memset(bytes, 0, sizeof(bytes));
        struct pc_span data = { bytes, tracing_data(bytes, format_text, orders[i]) };
        pc_capture_feature(&b->capture[i], PC_TRACING_DATA, pc_cursor(data, orders[i]));
        assert_non_null(pc_capture_format(&b->capture[i], 0));
    }
}

static void payload_of_a_tracepoint(void **state)
{
    (void)state;
    struct bench b;
    uint64_t slot[PC_SLOTS];
    fill_slots(slot, PC_S_RAW | PC_S_TIME, 0, 0, 0);
    slot[PC_ATTR_TYPE] = PC_TYPE_TRACEPOINT;
    slot[PC_ATTR_CONFIG] = 7;
    bench_open(&b, slot);
    bench_trace(&b);
    begin_hand();
    ROWS({ "09 00 00 00 01 00 40 00", "00 00 00 09 00 01 00 40" }, /* SAMPLE, kernel, 64 bytes */
         { "88 77 66 55 44 33 22 11", "11 22 33 44 55 66 77 88" }, /* time */
         { "2c 00 00 00", "00 00 00 2c" },                         /* 44 bytes */
         { "07 00", "00 07" }, SAME("01"), SAME("02"),             /* common_type, flags, preempt_count */
         { "d2 04 00 00", "00 00 04 d2" },                         /* common_pid */
         /* words: 6 bytes; 28 from the start are 16 from the end of this word */
         { "10 00 06 00", "00 06 00 10" }, { "22 00 05 00", "00 05 00 22" }, /* name: 5 bytes at 34 */
         { "08 07 06 05 04 03 02 01", "01 02 03 04 05 06 07 08" },           /* value */
         SAME("61 62 63 00"),                                                /* comm */
         { "02 01", "01 02" }, { "04 03", "03 04" }, { "06 05", "05 06" },   /* words */
         SAME("6e 61 6d 65 00"),                                             /* name */
         SAME("aa bb cc dd ee"));                                            /* nothing describes them */
    end_hand_with(&b, (struct subject){ .kind = RECORD, .number = PC_SAMPLE, .misc = 1 });
    assert_false(b.convert.uncovered);
    bench_close(&b);
}

static void a_payload_without_a_format_is_said(void **state)
{
    (void)state;
    static struct bytes out;
    struct bench b;
    uint64_t slot[PC_SLOTS];
    struct subject s = { .kind = RECORD, .number = PC_SAMPLE, .misc = 1 };
    fill_slots(slot, PC_S_RAW, 0, 0, 0);
    slot[PC_ATTR_TYPE] = PC_TYPE_TRACEPOINT;
    slot[PC_ATTR_CONFIG] = 8; /* TRACING_DATA describes 7 */
    begin_hand();
    ROWS({ "09 00 00 00 01 00 18 00", "00 00 00 09 00 01 00 18" }, { "0c 00 00 00", "00 00 00 0c" },
         SAME("01 02 03 04 05 06 07 08 09 0a 0b 0c"));
    for (unsigned k = 0; k < 2; k++) {
        bench_open(&b, slot);
        assert_int_equal(convert_to(&b, &s, span_of(&by_hand[0]), PC_BIG, &out), PC_CONVERTED);
        assert_bytes(&s, &out, span_of(&by_hand[1]), "kept");
        /* No format describes it, whatever the kind of event. */
        assert_true(b.convert.uncovered);
        assert_int_equal(convert_to(&b, &s, span_of(&by_hand[0]), PC_LITTLE, &out), PC_CONVERTED);
        assert_false(b.convert.uncovered);
        /* Zeros stand for none. */
        static const unsigned char none[24] = { 9, 0, 0, 0, 1, 0, 24, 0, 12 };
        assert_int_equal(convert_to(&b, &s, (struct pc_span){ none, sizeof(none) }, PC_BIG, &out),
                         PC_CONVERTED);
        assert_false(b.convert.uncovered);
        bench_close(&b);
        slot[PC_ATTR_TYPE] = PC_TYPE_SOFTWARE;
    }
}

static void a_payload_that_would_be_misread_is_refused(void **state)
{
    (void)state;
    static struct bytes out;
    struct bench b;
    uint64_t slot[PC_SLOTS];
    struct subject s = { .kind = RECORD, .number = PC_SAMPLE, .misc = 1 };
    fill_slots(slot, PC_S_RAW, 0, 0, 0);
    slot[PC_ATTR_TYPE] = PC_TYPE_TRACEPOINT;
    slot[PC_ATTR_CONFIG] = 7;
    bench_open(&b, slot);
    bench_trace(&b);
    begin_hand();
    ROWS(SAME("09 00 00 00 01 00 30 00"),
         SAME("24 00 00 00"), /* 36 bytes; only the little-endian form is checked */
         SAME("07 00 01 02 d2 04 00 00"), SAME("10 00 06 00"), /* words: 6 bytes at 28 */
         SAME("22 00 ff 00"),                                  /* name: 255 bytes at 34 */
         SAME("08 07 06 05 04 03 02 01 61 62 63 00 02 01 04 03 06 05 00 00"));
    assert_int_equal(convert_to(&b, &s, span_of(&by_hand[0]), PC_BIG, &out), PC_CONVERT_PAYLOAD);
    assert_non_null(b.convert.refusal.reason);
    assert_int_equal(b.convert.refusal.attr, 0);
    assert_int_equal(b.convert.refusal.field, 5); /* four common fields and `words` come before */
    assert_int_equal(b.convert.refusal.at, 12);   /* after header and raw_size */
    assert_int_equal(b.convert.refusal.len, 36);
    assert_int_equal(convert_to(&b, &s, span_of(&by_hand[0]), PC_LITTLE, &out), PC_CONVERTED);
    assert_bytes(&s, &out, span_of(&by_hand[0]), "kept");
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

/* Most of a capture: for these no leaf of a record is looked at. The program of a type is at its number in
 * the first layout. */
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
    assert_true(convert.program[PC_SAMPLE].key != 0 && convert.program[PC_SAMPLE].usable);
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

/* Nothing of a damaged record changes, though the bytes behind its CPU would be zeros in a sound one. */
static void a_damaged_record_keeps_its_padding(void **state)
{
    (void)state;
    uint64_t slot[PC_SLOTS];
    fill_slots(slot, PC_S_CPU | PC_S_CALLCHAIN, 0, 0, 0);
    struct pc_span in =
        SPAN(9, 0, 0, 0, 2, 0, 24, 0, 1, 0, 0, 0, 0xaa, 0xbb, 0xcc, 0xdd, 9, 0, 0, 0, 0, 0, 0, 0);
    canonical_is((struct subject){ .kind = RECORD, .number = PC_SAMPLE, .misc = 2 }, slot, in, in);
}

static const struct CMUnitTest tests[] = {
    TEST(parts_of_a_sample),
    TEST(records_of_the_kernel),
    TEST(records_of_perf),
    TEST(maps_of_cpus),
    TEST(counters_of_the_scheduler),
    TEST(payload_of_a_tracepoint),
    TEST(a_payload_without_a_format_is_said),
    TEST(a_payload_that_would_be_misread_is_refused),
    TEST(strings_get_the_padding_of_perf),
    TEST(left_overs_behind_strings_go),
    TEST(left_overs_of_one_record_are_not_those_of_the_next),
    TEST(left_overs_that_are_not_zero_are_refused_where_they_begin),
    TEST(a_record_without_room_for_its_padding_is_refused),
    TEST(samples_of_integers_are_swapped_without_a_walk),
    TEST(sizes_become_multiples_of_8),
    TEST(unknown_bytes_of_records),
    TEST(a_damaged_record_keeps_its_padding),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

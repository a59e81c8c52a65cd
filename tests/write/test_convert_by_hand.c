/* SPDX-License-Identifier: MIT
 *
 * Conversions of bytes that were computed by hand from FORMAT.md, for what no big-endian machine has shown
 * yet.
 */
#include "convert_bench.h"

/* --- bytes computed by hand --- */

/* The same field in both orders, as hex digits. */
struct row {
    const char *little, *big;
};

static unsigned digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void put_hex(struct bytes *b, const char *hex)
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

static void begin_hand(void)
{
    by_hand[0].len = by_hand[1].len = 0;
}

static void add_rows(const struct row *rows, size_t nr)
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
static void add_numbers(unsigned nr, unsigned width, uint64_t first)
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
static void add_text(const char *text, size_t room)
{
    static const unsigned char zeros[512];
    for (unsigned i = 0; i < 2; i++) {
        put(&by_hand[i], text, strlen(text));
        put(&by_hand[i], zeros, room - strlen(text));
    }
}

/* A header string in 64 bytes. */
static void add_string(const char *text)
{
    ROWS({ "40 00 00 00", "00 00 00 40" });
    add_text(text, 64);
}

/* Either becomes the other, and stays itself. */
static void end_hand_with(struct bench *b, struct subject s)
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

static void end_hand(struct subject s, const uint64_t *slot)
{
    struct bench b;
    bench_open(&b, slot);
    end_hand_with(&b, s);
    bench_close(&b);
}

static void hand_attr(const char *little_flags, const char *big_flags, const char *little_action,
                      const char *big_action)
{
    begin_hand();
    ROWS({ "01 00 00 00", "00 00 00 01" },                          /* type 1 */
         { "90 00 00 00", "00 00 00 90" },                          /* size 144 */
         { "08 07 06 05 04 03 02 01", "01 02 03 04 05 06 07 08" },  /* config */
         { "a0 86 01 00 00 00 00 00", "00 00 00 00 00 01 86 a0" },  /* sample_period 100000 */
         { "47 01 01 00 00 00 00 00", "00 00 00 00 00 01 01 47" },  /* sample_type */
         { "14 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 14" },  /* read_format ID, LOST */
         { little_flags, big_flags },                               /* the flag word */
         { "11 22 33 44", "44 33 22 11" },                          /* wakeup_events */
         { "03 00 00 00", "00 00 00 03" },                          /* bp_type */
         { "18 17 16 15 14 13 12 11", "11 12 13 14 15 16 17 18" },  /* config1 */
         { "28 27 26 25 24 23 22 21", "21 22 23 24 25 26 27 28" },  /* config2 */
         { "09 00 02 00 00 00 00 00", "00 00 00 00 00 02 00 09" },  /* branch_sample_type */
         { "ff 0f ff 00 00 00 00 00", "00 00 00 00 00 ff 0f ff" },  /* sample_regs_user */
         { "00 20 00 00", "00 00 20 00" },                          /* sample_stack_user 8192 */
         { "fe ff ff ff", "ff ff ff fe" },                          /* clockid -2 */
         { "38 37 36 35 34 33 32 31", "31 32 33 34 35 36 37 38" },  /* sample_regs_intr */
         { "00 10 02 00", "00 02 10 00" },                          /* aux_watermark */
         { "7f 01", "01 7f" },                                      /* sample_max_stack 383 */
         SAME("00 00"),                                             /* reserved_2 */
         { "04 03 02 01", "01 02 03 04" },                          /* aux_sample_size */
         { little_action, big_action },                             /* aux_action */
         { "48 47 46 45 44 43 42 41", "41 42 43 44 45 46 47 48" },  /* sig_data */
         { "58 57 56 55 54 53 52 51", "51 52 53 54 55 56 57 58" },  /* config3 */
         { "68 67 66 65 64 63 62 61", "61 62 63 64 65 66 67 68" }); /* config4 */
    end_hand((struct subject){ .kind = ATTR, .table = pc_attr_fields }, NULL);
}

static void every_word_of_an_attr(void **state)
{
    (void)state;
    /* FORMAT.md 2.7: disabled, inherit, precise_ip 2, sample_id_all; aux_pause */
    hand_attr("03 00 05 00 00 00 00 00", "c0 01 20 00 00 00 00 00", "02 00 00 00", "40 00 00 00");
    /* FORMAT.md 0.6, a real one with precise_ip 1: declaration offsets 0 1, 8 9 10 12 13, 15 (of the low
     * bit), 18 23, 24 29 30, 34; aux_start_paused and aux_resume */
    hand_attr("03 b7 84 61 04 00 00 00", "c0 ec a1 86 20 00 00 00", "05 00 00 00", "a0 00 00 00");
    /* what no big-endian capture has: watermark 14, precise_ip 3 at 15, aux_output 31, text_poke 33,
     * inherit_thread 35, remove_on_exec 36, sigtrap 37, defer_callchain 38, defer_output 39; reserved bits of
     * aux_action: 3 is the lowest, 31 the highest, of one member */
    hand_attr("00 c0 01 80 fa 00 00 00", "00 03 80 01 5f 00 00 00", "08 00 00 80", "10 00 00 01");
}

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

#define TEST(f) cmocka_unit_test_setup(f, begin_test)

static const struct CMUnitTest tests[] = {
    TEST(every_word_of_an_attr),
    TEST(parts_of_a_sample),
    TEST(records_of_the_kernel),
    TEST(records_of_perf),
    TEST(maps_of_cpus),
    TEST(counters_of_the_scheduler),
    TEST(lists_of_features),
    TEST(programs_of_bpf),
    TEST(payload_of_a_tracepoint),
    TEST(a_payload_without_a_format_is_said),
    TEST(a_payload_that_would_be_misread_is_refused),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

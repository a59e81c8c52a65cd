/* SPDX-License-Identifier: MIT
 *
 * Traces of Intel PT: the packets after the first PSB.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "read/window.h"

#define PMU       1 /* that of put_attr(), whose config is 0 */
#define CONFIG_AT 32
#define TIMES     0x400 /* in config */

#define TIME "\x19\1\0\0\0\0\0\0"
#define END  "\x02\x23"
#define PSB  "\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82"

/* FUP, TIP or the like, with 6 bytes of an address. */
#define ADDRESS(first) first "\0\x10\x40\0\0\0"

/* An AUXTRACE of `before` zeros, a PSB, and what follows. Returns the offset after the PSB. */
static uint64_t trace(size_t before, const char *bytes, size_t len)
{
    RECORD(PC_AUXTRACE, (before + 16 + len + 7) / 8 * 8, 0, 1, 0, 0);
    put_text("", before);
    for (unsigned i = 0; i < 8; i++)
        put_text("\x02\x82", 2);
    uint64_t at = in.len;
    for (size_t i = 0; i < len; i++)
        put((unsigned char)bytes[i], 1);
    put_text("", (8 - (before + len) % 8) % 8);
    return at;
}

static void begin_trace(uint64_t type)
{
    begin_with(PC_S_TID, 0);
    RECORD(PC_AUXTRACE_INFO, pair(type, 0), PMU, 0, 1, 0, 1, TIMES, 0x800, 0, 0, 0);
}

static void only_packets_of_state_follow_a_psb(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
        bool said;
        uint64_t at;
    } rows[] = {
#define BYTES(text) text, sizeof(text) - 1
        { BYTES(END), false, 0 },       /* the attr does not ask for times */
        { BYTES("\x44" END), true, 0 }, /* TNT */
        { BYTES(TIME "\x44" END), true, 8 },
        { BYTES(TIME "\x0d\1\1" END), true, 8 },          /* TIP */
        { BYTES(TIME "\x1d" END "\x44"), false, 0 },      /* FUP without an address; the rest is any bytes */
        { BYTES(TIME "\x7d\1\1\1\1\1\1" END), false, 0 }, /* ... with 6 bytes of it */
        { BYTES(TIME "\xbd\1\1\1\1\1\1" END), true, 8 },  /* no FUP has 5 in its upper bits */
        { BYTES(TIME "\x99\x20\x99\x01" END), false, 0 }, /* MODE.TSX, MODE.Exec */
        { BYTES(TIME "\x99\x40" END), true, 8 },
        { BYTES(TIME "\x07\xff\xfe" END), false, 0 }, /* CYC of three bytes */
        { BYTES(TIME "\x03\x44"), true, 9 },          /* CYC of one byte, TNT */
        { BYTES(TIME "\x02\xc3\x88"
                     "12345678" END),
          false, 0 }, /* MNT */
        { BYTES(TIME "\x02\xc3\x87"
                     "12345678" END),
          true, 8 },
        { BYTES(TIME "\x02\xf3\x44"), true, 10 }, /* OVF, TNT */
        { BYTES("\x02\xf3\x44"), true, 2 },
        { BYTES(TIME "\x02\xf3" ADDRESS("\x7d") "\x44"), false, 0 },
        { BYTES(TIME "\x02\xf3" ADDRESS("\x71") "\x44"), false, 0 },
        { BYTES(TIME "\x02\xf3" ADDRESS("\x61") "\x44"), true, 10 }, /* TIP.PGD */
        { BYTES("\x02\xf3" ADDRESS("\x6d")), true, 2 },              /* TIP */
        { BYTES("\x02\xf3\x02\xa3\1\1\1\1\1\1"), true, 2 },          /* TNT of 8 bytes */
        { BYTES("\x02\xf3\x1d\x11\x44"), true, 4 },                  /* neither has an address */
        { BYTES("\x02\xf3\x02\x99"), true, 2 },                      /* no packet */
        { BYTES("\x02\xf3\x02\x62\x02\x22\1\1\x19\1\0\0\0\0\0\0\x44"), true,
          16 },                                          /* EXSTOP, PWRE, TSC, TNT */
        { BYTES("\x02\xf3\x02\x63\x44\x44"), false, 0 }, /* BBP begins other packets */
        { BYTES("\x02\xf3" PSB TIME END "\x44"), false, 0 },
        { BYTES("\x02\xf3" PSB TIME "\x44"), true, 26 },
        { BYTES("\x02\x62"), true, 0 },  /* EXSTOP */
        { BYTES("\x02\x03"), false, 0 }, /* so does the end of the trace */
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_trace(PC_TRACE_INTEL_PT);
            uint64_t at = trace(0, rows[i].bytes, rows[i].len);
            expect(PC_D_AUXTRACE_PSB, rows[i].said, at + rows[i].at);
            begin_trace(PC_TRACE_INTEL_BTS);
            trace(0, rows[i].bytes, rows[i].len);
            expect(PC_D_AUXTRACE_PSB, 0, 0);
        }
    }
}

/* Wherever the pieces end in which the reader hands it on. */
static void a_psb_is_found_anywhere(void **state)
{
    (void)state;
    for (size_t before = 0; before < 24; before++) {
        begin_trace(PC_TRACE_INTEL_PT);
        uint64_t at = trace(before + PC_WINDOW - 256, BYTES(TIME "\x44"));
        expect(PC_D_AUXTRACE_PSB, 1, at + 8);
    }
}

static void each_trace_is_looked_at(void **state)
{
    (void)state;
    begin_trace(PC_TRACE_INTEL_PT);
    uint64_t at = trace(0, BYTES(TIME "\x44"));
    trace(3, BYTES(TIME END));
    trace(3, BYTES(TIME "\x44"));
    expect(PC_D_AUXTRACE_PSB, 2, at + 8);
}

/* perf takes no time of a packet without that of the record; only Intel PT has packets with times. */
static void a_trace_with_times_has_a_reference(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        const bool pt = i & 1, timed = i & 2, has = i & 4;
        begin_trace(pt ? PC_TRACE_INTEL_PT : PC_TRACE_INTEL_BTS);
        put_at(CONFIG_AT, timed ? TIMES : 0, 8);
        uint64_t at = RECORD(PC_AUXTRACE, 8, 0, has ? 1234 : 0, 0, 0);
        put_text("", 8);
        expect(PC_D_AUXTRACE_REFERENCE, pt && timed && !has, at + 24);
    }
}

/* An overflow took the first time away. */
static void perf_5_10_survives_a_branch_without_a_time(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
        bool said;
        uint64_t at;
    } rows[] = {
        { BYTES("\x02\xf3" ADDRESS("\x7d") "\x44"), true, 9 },
        { BYTES("\x02\xf3" ADDRESS("\x7d") TIME "\x44"), true, 17 },
        { BYTES("\x02\xf3" ADDRESS("\x71") ADDRESS("\x7d")), true, 9 },
        { BYTES("\x02\xf3" ADDRESS("\x71") ADDRESS("\x61")), true, 9 },
        { BYTES("\x02\xf3" ADDRESS("\x71") ADDRESS("\x71")), false, 0 },
        { BYTES("\x02\xf3" TIME ADDRESS("\x71") "\x44"), false, 0 },
        { BYTES(TIME "\x02\xf3" ADDRESS("\x71") "\x44"), false, 0 },
        { BYTES("\x02\xf3" ADDRESS("\x71") PSB TIME END "\x44"), false, 0 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        for (unsigned timed = 0; timed < 2; timed++) {
            begin_trace(PC_TRACE_INTEL_PT);
            put_at(CONFIG_AT, timed ? TIMES : 0, 8);
            uint64_t at = trace(0, rows[i].bytes, rows[i].len);
            asked_for = PC_BY_ALL;
            expect(PC_D_FOR_PT_UNTIMED, rows[i].said && timed ? 3 : 0, at + rows[i].at);
            asked_for = PC_BY_5_10;
            expect(PC_D_FOR_PT_UNTIMED, 0, 0);
            expect(PC_D_AUXTRACE_PSB, 0, 0);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(only_packets_of_state_follow_a_psb),
    cmocka_unit_test(a_psb_is_found_anywhere),
    cmocka_unit_test(each_trace_is_looked_at),
    cmocka_unit_test(a_trace_with_times_has_a_reference),
    cmocka_unit_test(perf_5_10_survives_a_branch_without_a_time),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };

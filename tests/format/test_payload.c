/* SPDX-License-Identifier: MIT
 *
 * The byte order of payloads. Expected bytes are computed by hand, or by a model that was written from
 * FORMAT.md 5.4.12 and goes byte by byte.
 */
#include "pc_test.h"
#include "captures.h"
#include "format/payload.h"
#include "check/scan.h"

#include <stdio.h>

#define COMMON                                                                                               \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                                   \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                                   \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                           \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define HEAD             "name: a\nID: 5\nformat:\n" COMMON
#define FIELD(d, at, sz) "\tfield:" d ";\toffset:" #at ";\tsize:" #sz ";\tsigned:0;\n"
#define TAIL             "\nprint fmt: \"\"\n"

static struct pc_mem mem;
static struct pc_tp_draft draft;
static struct guarded page;

static int set_up(void **state)
{
    (void)state;
    pc_mem_init(&mem, 1 << 20);
    page = guarded_new(1 << 17);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    guarded_free(&page);
    return mem.used != 0;
}

static struct pc_tracepoint *format_of(const char *text, unsigned long_size)
{
    struct pc_tp_fault fault;
    if (!pc_tp_read(&draft, (struct pc_span){ (const unsigned char *)text, strlen(text) }, long_size, &fault))
        fail_msg("%s at %zu of %s", fault.reason, fault.at, text);
    struct pc_tracepoint *t = pc_tp_new(&mem, &draft);
    assert_non_null(t);
    return t;
}

/* The bytes before an inaccessible page. */
static unsigned char *place(const void *bytes, size_t len)
{
    guarded_put(&page, bytes, len);
    return page.map + page.size - len;
}

static enum pc_order other(enum pc_order order)
{
    return order == PC_LITTLE ? PC_BIG : PC_LITTLE;
}

static void same_bytes(const unsigned char *got, const unsigned char *expected, size_t len, const char *what)
{
    for (size_t i = 0; i < len; i++) {
        if (got[i] != expected[i])
            fail_msg("%s: byte %zu is %02x, not %02x", what, i, got[i], expected[i]);
    }
}

/* From little to big, and back. */
static void both_ways(const char *text, unsigned long_size, struct pc_span little, struct pc_span big)
{
    struct pc_tracepoint *t = format_of(text, long_size);
    uint32_t field = 7777;
    assert_int_equal(little.len, big.len);
    unsigned char *p = place(little.ptr, little.len);
    assert_null(pc_payload_refusal(t, (struct pc_span){ p, little.len }, PC_LITTLE, &field));
    assert_int_equal(field, t->nr_fields);
    same_bytes(p, little.ptr, little.len, "refusal");
    pc_payload_swap(t, p, little.len, PC_LITTLE);
    same_bytes(p, big.ptr, big.len, "to big");
    assert_null(pc_payload_refusal(t, (struct pc_span){ p, big.len }, PC_BIG, &field));
    pc_payload_swap(t, p, big.len, PC_BIG);
    same_bytes(p, little.ptr, little.len, "to little");
    pc_tp_free(&mem, t);
}

/* --- by hand --- */

#define EVERY_CLASS                                                                                          \
    HEAD FIELD("u64 a", 8, 8) FIELD("void * p", 16, 8) FIELD("char comm[4]", 24, 4)                          \
        FIELD("u16 halves[2]", 28, 4) FIELD("unsigned long longs[2]", 32, 16) FIELD("u8 addr[3]", 48, 3)     \
            FIELD("bool flag", 51, 1) FIELD("short s", 52, 2) FIELD("__data_loc char[] name", 56, 4)         \
                FIELD("__rel_loc u32[] words", 60, 4) FIELD("__data_loc cpumask_t mask", 64, 4)              \
                    FIELD("int last", 68, 4) TAIL

static const unsigned char every_little[] = {
    0x05, 0x00,                                     /* common_type 5 */
    0x12, 0x34,                                     /* common_flags, common_preempt_count */
    0x78, 0x56, 0x34, 0x12,                         /* common_pid 0x12345678 */
    0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, /* a 0x0102030405060708 */
    0x00, 0x10, 0x00, 0x00, 0x80, 0xff, 0xff, 0xff, /* p 0xffffff8000001000 */
    'a',  'b',  'c',  0x00,                         /* comm: text stays */
    0x02, 0x01, 0x04, 0x03,                         /* halves 0x0102, 0x0304 */
    0x11, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* longs[0] 0x11 */
    0x22, 0x33, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* longs[1] 0x3322 */
    0x31, 0x32, 0x33,                               /* addr: bytes stay */
    0x01,                                           /* flag */
    0xfe, 0xff,                                     /* s -2 */
    0xde, 0xad,                                     /* a gap: stays */
    0x48, 0x00, 0x05, 0x00,                         /* name: 5 bytes at 72 */
    0x15, 0x00, 0x08, 0x00,                         /* words: 8 bytes, 21 after 64: at 85 */
    0x4d, 0x00, 0x08, 0x00,                         /* mask: 8 bytes at 77 */
    0xff, 0xff, 0xff, 0x7f,                         /* last 0x7fffffff */
    'n',  'a',  'm',  'e',  0x00,                   /* 72 */
    0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, /* 77: CPU 0, 1 and 63 */
    0x0d, 0x0c, 0x0b, 0x0a, 0x01, 0x00, 0x00, 0x00, /* 85: 0x0a0b0c0d, 1 */
    0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77,       /* a tail: stays */
};
static const unsigned char every_big[] = {
    0x00, 0x05,                                     /* common_type */
    0x12, 0x34,                                     /* common_flags, common_preempt_count */
    0x12, 0x34, 0x56, 0x78,                         /* common_pid */
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* a */
    0xff, 0xff, 0xff, 0x80, 0x00, 0x00, 0x10, 0x00, /* p */
    'a',  'b',  'c',  0x00,                         /* comm */
    0x01, 0x02, 0x03, 0x04,                         /* halves */
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x11, /* longs[0] */
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x33, 0x22, /* longs[1] */
    0x31, 0x32, 0x33,                               /* addr */
    0x01,                                           /* flag */
    0xff, 0xfe,                                     /* s */
    0xde, 0xad,                                     /* gap */
    0x00, 0x05, 0x00, 0x48,                         /* name */
    0x00, 0x08, 0x00, 0x15,                         /* words */
    0x00, 0x08, 0x00, 0x4d,                         /* mask */
    0x7f, 0xff, 0xff, 0xff,                         /* last */
    'n',  'a',  'm',  'e',  0x00,                   /* text */
    0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, /* mask */
    0x0a, 0x0b, 0x0c, 0x0d, 0x00, 0x00, 0x00, 0x01, /* words */
    0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77,       /* tail */
};

static void fields_are_swapped_by_their_class(void **state)
{
    (void)state;
    both_ways(EVERY_CLASS, 8, (struct pc_span){ every_little, sizeof(every_little) },
              (struct pc_span){ every_big, sizeof(every_big) });
}

static void the_payload_of_sched_switch_is_swapped(void **state)
{
    (void)state;
    static const char text[] = "name: sched_switch\nID: 372\nformat:\n" COMMON
                               "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                               "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                               "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
                               "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
                               "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
                               "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
                               "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
                               "print fmt: \"prev_comm=%s prev_pid=%d\", REC->prev_comm, REC->prev_pid\n";
    static const unsigned char little[] = {
        0x74, 0x01, 0x01, 0x02,                         /* common_type 372, flags, preempt_count */
        0x10, 0x27, 0x00, 0x00,                         /* common_pid 10000 */
        'p',  'e',  'r',  'f',  0,    'x',  'y',  'z',  /* prev_comm, with old bytes after the NUL */
        1,    2,    3,    4,    5,    6,    7,    8,    /* ... */
        0x10, 0x27, 0x00, 0x00,                         /* prev_pid 10000 */
        0x78, 0x00, 0x00, 0x00,                         /* prev_prio 120 */
        0x02, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* prev_state 0x102 */
        's',  'w',  'a',  'p',  'p',  'e',  'r',  '/',  /* next_comm */
        '0',  0,    0,    0,    0,    0,    0,    0,    /* ... */
        0x00, 0x00, 0x00, 0x00,                         /* next_pid 0 */
        0x78, 0x00, 0x00, 0x00,                         /* next_prio 120 */
        0xaa, 0xbb, 0xcc, 0xdd,                         /* the rounding of the record */
    };
    static const unsigned char big[] = {
        0x01, 0x74, 0x01, 0x02,                         /* common_type, flags, preempt_count */
        0x00, 0x00, 0x27, 0x10,                         /* common_pid */
        'p',  'e',  'r',  'f',  0,    'x',  'y',  'z',  /* prev_comm */
        1,    2,    3,    4,    5,    6,    7,    8,    /* ... */
        0x00, 0x00, 0x27, 0x10,                         /* prev_pid */
        0x00, 0x00, 0x00, 0x78,                         /* prev_prio */
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, /* prev_state */
        's',  'w',  'a',  'p',  'p',  'e',  'r',  '/',  /* next_comm */
        '0',  0,    0,    0,    0,    0,    0,    0,    /* ... */
        0x00, 0x00, 0x00, 0x00,                         /* next_pid */
        0x00, 0x00, 0x00, 0x78,                         /* next_prio */
        0xaa, 0xbb, 0xcc, 0xdd,                         /* rounding */
    };
    both_ways(text, 8, (struct pc_span){ little, sizeof(little) }, (struct pc_span){ big, sizeof(big) });

    /* perf inject -s overwrites the first four bytes; the attr still decides the format. */
    unsigned char old_little[sizeof(little)], old_big[sizeof(big)];
    memcpy(old_little, little, sizeof(little));
    memcpy(old_big, big, sizeof(big));
    memset(old_little, 0, 4);
    memset(old_big, 0, 4);
    both_ways(text, 8, (struct pc_span){ old_little, sizeof(little) },
              (struct pc_span){ old_big, sizeof(big) });
    memcpy(old_little, "\x34\x12\x00\x00", 4);
    memcpy(old_big, "\x12\x34\x00\x00", 4);
    both_ways(text, 8, (struct pc_span){ old_little, sizeof(little) },
              (struct pc_span){ old_big, sizeof(big) });
}

static void the_arguments_of_sys_enter_are_longs_of_the_recorder(void **state)
{
    (void)state;
    static const unsigned char little[] = {
        0x81, 0x01, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,             /* common: type 385, pid 2 */
        0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,             /* id 1 */
        0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,             /* args[0] 1 */
        0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20,             /* args[1] 0x2000000000000002 */
        0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x30, 0x00,             /* args[2] 0x0030000000000003 */
        0x04, 0x00, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00,             /* args[3] 0x0000400000000004 */
        0x05, 0x00, 0x00, 0x00, 0x50, 0x00, 0x00, 0x00,             /* args[4] 0x0000005000000005 */
        0x06, 0x00, 0x00, 0x60, 0x00, 0x00, 0x00, 0x00, 0, 0, 0, 0, /* args[5] 0x60000006, rounding */
    };
    static const unsigned char big[] = {
        0x01, 0x81, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,             /* common */
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,             /* id */
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,             /* args[0] */
        0x20, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,             /* args[1] */
        0x00, 0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03,             /* args[2] */
        0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00, 0x04,             /* args[3] */
        0x00, 0x00, 0x00, 0x50, 0x00, 0x00, 0x00, 0x05,             /* args[4] */
        0x00, 0x00, 0x00, 0x00, 0x60, 0x00, 0x00, 0x06, 0, 0, 0, 0, /* args[5], rounding */
    };
    both_ways("name: sys_enter\nID: 385\nformat:\n" COMMON "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
              "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\n"
              "print fmt: \"NR %ld (%lx)\", REC->id, REC->args[0]\n",
              8, (struct pc_span){ little, sizeof(little) }, (struct pc_span){ big, sizeof(big) });
    /* A recorder with longs of four bytes: also those that dynamic data is made of. */
    both_ways(HEAD FIELD("unsigned long args[2]", 8, 8) FIELD("void * p", 16, 4)
                  FIELD("__data_loc cpumask_t mask", 20, 4) TAIL,
              4,
              SPAN(5, 0, 0, 0, 2, 0, 0, 0,  /* common */
                   0x11, 0x12, 0x13, 0x14,  /* args[0] 0x14131211 */
                   0x21, 0x22, 0x23, 0x24,  /* args[1] 0x24232221 */
                   0x31, 0x32, 0x33, 0x34,  /* p 0x34333231 */
                   24, 0, 8, 0,             /* mask: 8 bytes at 24 */
                   1, 2, 3, 4, 5, 6, 7, 8), /* 0x04030201, 0x08070605 */
              SPAN(0, 5, 0, 0, 0, 0, 0, 2,  /* common */
                   0x14, 0x13, 0x12, 0x11,  /* args[0] */
                   0x24, 0x23, 0x22, 0x21,  /* args[1] */
                   0x34, 0x33, 0x32, 0x31,  /* p */
                   0, 8, 0, 24,             /* mask */
                   4, 3, 2, 1, 8, 7, 6, 5));
}

static void strings_of_sched_process_fork_stay_at_odd_offsets(void **state)
{
    (void)state;
    both_ways("name: sched_process_fork\nID: 366\nformat:\n" COMMON
              "\tfield:__data_loc char[] parent_comm;\toffset:8;\tsize:4;\tsigned:0;\n"
              "\tfield:pid_t parent_pid;\toffset:12;\tsize:4;\tsigned:1;\n"
              "\tfield:__data_loc char[] child_comm;\toffset:16;\tsize:4;\tsigned:0;\n"
              "\tfield:pid_t child_pid;\toffset:20;\tsize:4;\tsigned:1;\n\n"
              "print fmt: \"comm=%s\", __get_str(parent_comm)\n",
              8,
              SPAN(0x6e, 0x01, 0, 0, 0x01, 0, 0, 0, /* common_type 366, pid 1 */
                   24, 0, 5, 0,                     /* parent_comm: 5 bytes at 24 */
                   0x02, 0x01, 0, 0,                /* parent_pid 0x102 */
                   29, 0, 3, 0,                     /* child_comm: 3 bytes at 29 */
                   0x04, 0x03, 0, 0,                /* child_pid 0x304 */
                   'b', 'a', 's', 'h', 0, 'l', 's', 0, 0x91, 0x92, 0x93, 0x94),
              SPAN(0x01, 0x6e, 0, 0, 0, 0, 0, 0x01, /* common */
                   0, 5, 0, 24,                     /* parent_comm */
                   0, 0, 0x01, 0x02,                /* parent_pid */
                   0, 3, 0, 29,                     /* child_comm */
                   0, 0, 0x03, 0x04,                /* child_pid */
                   'b', 'a', 's', 'h', 0, 'l', 's', 0, 0x91, 0x92, 0x93, 0x94));
}

static void an_array_of_arrays_has_a_word_for_each(void **state)
{
    (void)state;
    both_ways(HEAD FIELD("__data_loc u16[][3] s", 8, 12) TAIL, 8,
              SPAN(5, 0, 0, 0, 2, 0, 0, 0, /* common */
                   25, 0, 2, 0,            /* 2 bytes at 25, */
                   21, 0, 4, 0,            /* 4 at 21: not in the order of the words, */
                   20, 0, 0, 0,            /* none at 20 */
                   0xee,                   /* 20: a gap */
                   1, 2, 3, 4,             /* 21: 0x0201, 0x0403 */
                   5, 6),                  /* 25: 0x0605 */
              SPAN(0, 5, 0, 0, 0, 0, 0, 2, /* common */
                   0, 2, 0, 25,            /* the words */
                   0, 4, 0, 21,            /* ... */
                   0, 0, 0, 20,            /* ... */
                   0xee, 2, 1, 4, 3, 6, 5));
}

static void a_flexible_array_has_whole_elements_to_the_end(void **state)
{
    (void)state;
    static const char function[] =
        "name: function\nID: 1\nformat:\n" COMMON "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
        "\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
        "\tfield:unsigned long args[];\toffset:24;\tsize:0;\tsigned:0;\n\n"
        "print fmt: \" %ps\", (void *)REC->ip\n";
    static const unsigned char little[] = {
        0x01, 0x00, 0,  0,  0x09, 0,  0,  0,  /* common_type 1, pid 9 */
        1,    2,    3,  4,  5,    6,  7,  8,  /* ip 0x0807060504030201 */
        11,   12,   13, 14, 15,   16, 17, 18, /* parent_ip */
        21,   22,   23, 24, 25,   26, 27, 28, /* args[0] */
        31,   32,   33, 34,                   /* no whole element */
    };
    static const unsigned char big[] = {
        0x00, 0x01, 0,  0,  0,  0,  0,  0x09, /* common */
        8,    7,    6,  5,  4,  3,  2,  1,    /* ip */
        18,   17,   16, 15, 14, 13, 12, 11,   /* parent_ip */
        28,   27,   26, 25, 24, 23, 22, 21,   /* args[0] */
        31,   32,   33, 34,                   /* stays */
    };
    for (size_t len = 24; len < 32; len++) { /* no element at all; FORMAT.md has seen 28 */
        unsigned char cut[32];
        memcpy(cut, big, 24);
        memcpy(cut + 24, little + 24, 8);
        both_ways(function, 8, (struct pc_span){ little, len }, (struct pc_span){ cut, len });
    }
    both_ways(function, 8, (struct pc_span){ little, sizeof(little) }, (struct pc_span){ big, sizeof(big) });
}

static void a_missing_payload_is_not_swapped(void **state)
{
    (void)state;
    both_ways(EVERY_CLASS, 8, SPAN(0, 0, 0, 0), SPAN(0, 0, 0, 0));
    both_ways(HEAD FIELD("struct foo x", 8, 16) TAIL, 8, SPAN(0, 0, 0, 0), SPAN(0, 0, 0, 0));
    struct pc_tracepoint *t = format_of(EVERY_CLASS, 8);
    for (unsigned i = 0; i < 4; i++) {
        unsigned char bytes[4] = { 0 };
        uint32_t field;
        bytes[i] = 1;
        assert_non_null(pc_payload_refusal(t, (struct pc_span){ place(bytes, 4), 4 }, PC_LITTLE, &field));
        assert_non_null(pc_payload_refusal(t, (struct pc_span){ place(bytes, i), i }, PC_LITTLE, &field));
    }
    pc_tp_free(&mem, t);
}

/* --- refusals --- */

#define SHARED        "it shares bytes with another field, and one of them is swapped"
#define NO_INTEGER    "a structure, or a size that no integer has"
#define NO_WIDTH      "an array of elements of unknown width"
#define NO_DATA_WIDTH "data of elements of unknown width"
#define ENDS_BEFORE   "the payload ends before it"
#define OUTSIDE       "its data lies outside the payload"
#define UNDESCRIBED   "more than 15 bytes that no field describes"
#define PART_ELEMENT  "its data ends in the middle of an element"
#define COMMON_BYTES  5, 0, 0, 0, 2, 0, 0, 0
#define NO_FIELD      "-"

static const struct refusal {
    const char *text;
    unsigned char bytes[64];
    size_t len;
    const char *why; /* NULL: it can be swapped */
    const char *field;
    bool general; /* holds for every payload of the format */
} refusals[] = {
#define SWAPPED(len, fields, ...)                                                                            \
    { HEAD fields TAIL, { COMMON_BYTES, __VA_ARGS__ }, len, NULL, NO_FIELD, false },
#define REFUSED(len, why, name, fields, ...)                                                                 \
    { HEAD fields TAIL, { COMMON_BYTES, __VA_ARGS__ }, len, why, name, false },
#define NEVER_SWAPPED(len, why, name, fields, ...)                                                           \
    { HEAD fields TAIL, { COMMON_BYTES, __VA_ARGS__ }, len, why, name, true },
#include "payload_refusals.def"
};

/* Turns the words of dynamic fields into the other byte order. */
static void reverse_dynamic(const struct pc_tracepoint *t, const unsigned char *in, unsigned char *out)
{
    for (uint32_t k = 0; k < t->nr_dynamic; k++) {
        const struct pc_tp_field *f = &t->field[t->dynamic[k]];
        for (uint32_t at = f->offset; at < f->offset + f->size; at += 4) {
            for (unsigned n = 0; n < 4; n++)
                out[at + n] = in[at + 3 - n];
        }
    }
}

static void check_refusal(const struct refusal *r, const struct pc_tracepoint *t, enum pc_order order)
{
    uint32_t field = 7777;
    unsigned char bytes[64];
    memcpy(bytes, r->bytes, sizeof(bytes));
    if (order == PC_BIG)
        reverse_dynamic(t, r->bytes, bytes);
    struct pc_span payload = { place(bytes, r->len), r->len };
    const char *why = pc_payload_refusal(t, payload, order, &field);
    const char *name = field < t->nr_fields ? pc_tp_field_name(t, field) : NO_FIELD;
    assert_true(field <= t->nr_fields);
    if ((why == NULL) != (r->why == NULL) || (why && strcmp(why, r->why) != 0) || strcmp(name, r->field) != 0)
        fail_msg("case %td: %s, of %s", r - refusals, why ? why : "none", name);
}

static void every_refusal_names_its_field(void **state)
{
    (void)state;
    for (const struct refusal *r = refusals; r < refusals + PC_COUNT_OF(refusals); r++) {
        struct pc_tracepoint *t = format_of(r->text, 8);
        uint32_t field = 7777;
        check_refusal(r, t, PC_LITTLE);
        check_refusal(r, t, PC_BIG);
        const char *general = pc_payload_refusal(t, (struct pc_span){ NULL, 0 }, PC_LITTLE, &field);
        if (r->general) {
            assert_string_equal(general, r->why);
            assert_string_equal(pc_tp_field_name(t, field), r->field);
        } else {
            assert_null(general);
            assert_int_equal(field, t->nr_fields);
        }
        pc_tp_free(&mem, t);
    }
}

static void fields_of_a_format_never_overlap(void **state)
{
    (void)state;
    static const char text[] = HEAD FIELD("int x", 8, 4) FIELD("int y", 11, 4) TAIL;
    struct pc_tp_fault fault;
    assert_false(
        pc_tp_read(&draft, (struct pc_span){ (const unsigned char *)text, strlen(text) }, 8, &fault));
    assert_int_equal(fault.kind, PC_TP_BAD_FIELD);
}

static void a_payload_is_at_most_as_long_as_a_record(void **state)
{
    (void)state;
    static unsigned char bytes[65536 + 1];
    struct pc_tracepoint *t = format_of(HEAD FIELD("__data_loc u64[] x", 8, 4)
                                            FIELD("__data_loc u8[][2] y", 12, 8) FIELD("u16 z[]", 20, 0) TAIL,
                                        8);
    uint32_t field;
    memset(bytes, 0, sizeof(bytes));
    /* 65535 bytes: z has 32757 elements, and one byte at 65534 is left over, which is the text of y. */
    memcpy(bytes + 12, "\xfe\xff\x01\x00", 4);
    assert_null(pc_payload_refusal(t, (struct pc_span){ place(bytes, 65535), 65535 }, PC_LITTLE, &field));
    assert_non_null(pc_payload_refusal(t, (struct pc_span){ place(bytes, 65536), 65536 }, PC_LITTLE, &field));
    unsigned char *p = place(bytes, 65535);
    p[65532] = 7;
    pc_payload_swap(t, p, 65535, PC_LITTLE);
    assert_int_equal(p[65532], 0);
    assert_int_equal(p[65533], 7);
    assert_int_equal(p[15], 0xfe);
    /* One byte earlier it belongs to the last element too. */
    memcpy(bytes + 12, "\xfd\xff\x01\x00", 4);
    assert_string_equal(
        pc_payload_refusal(t, (struct pc_span){ place(bytes, 65535), 65535 }, PC_LITTLE, &field), SHARED);
    assert_string_equal(pc_tp_field_name(t, field), "y");
    pc_tp_free(&mem, t);
}

/* --- a model, from FORMAT.md 5.4.12 --- */

enum kind { M_PLAIN, M_OPAQUE, M_REST, M_DATA_LOC, M_REL_LOC };

/* element: bytes that are reversed together; 0: unknown. */
struct piece {
    enum kind kind;
    unsigned at, size, element;
};
struct model {
    struct piece piece[PC_TP_FIELDS_MAX];
    unsigned nr;
};

static unsigned char model_out[1 << 17], times_described[1 << 17], times_swapped[1 << 17];

static void model_bytes(const unsigned char *in, unsigned at, unsigned size, unsigned element)
{
    for (unsigned i = 0; i + element <= size; i += element) {
        for (unsigned k = 0; k < element; k++) {
            if (element > 1) {
                model_out[at + i + k] = in[at + i + element - 1 - k];
                times_swapped[at + i + k] |= 1;
            }
            if (times_described[at + i + k] < 2)
                times_described[at + i + k]++;
        }
    }
}

/* False: it cannot be converted. */
static bool model_swap(const struct model *m, const unsigned char *in, unsigned len, enum pc_order order)
{
    bool open = false;
    unsigned last = 0;
    memcpy(model_out, in, len);
    memset(times_described, 0, len);
    memset(times_swapped, 0, len);
    if (len == 4 && (in[0] | in[1] | in[2] | in[3]) == 0)
        return true;
    if (len > 65535)
        return false;
    for (unsigned i = 0; i < m->nr; i++) {
        const struct piece *p = &m->piece[i];
        if (p->at + p->size > len)
            return false;
        last = p->at + p->size > last ? p->at + p->size : last;
        if (p->kind == M_OPAQUE || (p->kind == M_PLAIN && p->element == 0))
            return false;
        if (p->kind == M_PLAIN)
            model_bytes(in, p->at, p->size, p->element);
        if (p->kind == M_REST) {
            open = true;
            if (p->element == 0 && p->at != len)
                return false;
            if (p->element != 0)
                model_bytes(in, p->at, len - p->at, p->element);
        }
        for (unsigned w = p->at; p->kind >= M_DATA_LOC && w < p->at + p->size; w += 4) {
            const unsigned char *b = in + w;
            unsigned offset = order == PC_BIG ? b[2] * 256u + b[3] : b[1] * 256u + b[0];
            unsigned bytes = order == PC_BIG ? b[0] * 256u + b[1] : b[3] * 256u + b[2];
            if (p->kind == M_REL_LOC)
                offset += w + 4;
            if (offset > len || bytes > len - offset)
                return false;
            if (bytes != 0 && (p->element == 0 || bytes % p->element != 0))
                return false;
            model_bytes(in, w, 4, 4);
            if (bytes != 0)
                model_bytes(in, offset, bytes, p->element);
            /* An empty place counts too, as it does for check. */
            last = offset + bytes > last ? offset + bytes : last;
        }
    }
    for (unsigned i = 0; i < len; i++) {
        if (times_swapped[i] && times_described[i] > 1)
            return false;
    }
    return open || len - last <= 15;
}

/* The model and the source agree about a payload. True when it can be converted. */
static bool agree(const struct pc_tracepoint *t, const struct model *m, const unsigned char *bytes,
                  unsigned len, enum pc_order order, const char *what)
{
    uint32_t field;
    unsigned char *p = place(bytes, len);
    bool possible = model_swap(m, bytes, len, order);
    const char *why = pc_payload_refusal(t, (struct pc_span){ p, len }, order, &field);
    assert_true(field <= t->nr_fields);
    same_bytes(p, bytes, len, "refusal");
    if (possible != (why == NULL))
        fail_msg("%s: %s, the model says %s", what, why ? why : "not refused", possible ? "none" : "some");
    if (why)
        return false;
    pc_payload_swap(t, p, len, order);
    same_bytes(p, model_out, len, what);
    if (pc_payload_refusal(t, (struct pc_span){ p, len }, other(order), &field))
        fail_msg("%s: no way back", what);
    pc_payload_swap(t, p, len, other(order));
    same_bytes(p, bytes, len, what);
    return true;
}

static void add_piece(struct model *m, enum kind kind, unsigned at, unsigned size, unsigned element)
{
    m->piece[m->nr++] = (struct piece){ kind, at, size, element };
}

static void add_common(struct model *m)
{
    m->nr = 0;
    add_piece(m, M_PLAIN, 0, 2, 2);
    add_piece(m, M_PLAIN, 2, 1, 1);
    add_piece(m, M_PLAIN, 3, 1, 1);
    add_piece(m, M_PLAIN, 4, 4, 4);
}

static struct model model;

static void a_cut_payload_is_judged_without_reading_after_it(void **state)
{
    (void)state;
    static const struct piece pieces[] = {
        { M_PLAIN, 8, 8, 8 },    { M_PLAIN, 16, 8, 8 },    { M_PLAIN, 24, 4, 1 }, { M_PLAIN, 28, 4, 2 },
        { M_PLAIN, 32, 16, 8 },  { M_PLAIN, 48, 4, 1 },    { M_PLAIN, 52, 2, 2 }, { M_DATA_LOC, 56, 4, 1 },
        { M_REL_LOC, 60, 4, 4 }, { M_DATA_LOC, 64, 4, 8 }, { M_PLAIN, 68, 4, 4 },
    };
    struct pc_tracepoint *t = format_of(EVERY_CLASS, 8);
    add_common(&model);
    for (size_t i = 0; i < PC_COUNT_OF(pieces); i++)
        model.piece[model.nr++] = pieces[i];
    for (unsigned len = 0; len <= sizeof(every_little); len++) {
        /* The last dynamic byte is the 93rd. */
        assert_int_equal(agree(t, &model, every_little, len, PC_LITTLE, "little"), len >= 93);
        assert_int_equal(agree(t, &model, every_big, len, PC_BIG, "big"), len >= 93);
        agree(t, &model, every_big, len, PC_LITTLE, "big as little");
    }
    pc_tp_free(&mem, t);
}

static void store_word(unsigned char *p, unsigned offset, unsigned bytes, enum pc_order order)
{
    unsigned word = bytes << 16 | offset;
    for (unsigned k = 0; k < 4; k++)
        p[k] = (unsigned char)(word >> 8 * (order == PC_BIG ? 3 - k : k));
}

static void two_dynamic_fields_with_any_offsets_are_swapped_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned first, second; /* elements */
    } formats[] = {
        { HEAD FIELD("__data_loc u16[] x", 8, 4) FIELD("__data_loc u8[] y", 12, 4) FIELD("u8 z", 17, 1) TAIL,
          2, 1 },
        { HEAD FIELD("__data_loc u16[] x", 8, 4) FIELD("__data_loc u32[] y", 12, 4) FIELD("u8 z", 17, 1) TAIL,
          2, 4 },
        { HEAD FIELD("__data_loc char[] x", 8, 4) FIELD("__data_loc u8[] y", 12, 4) FIELD("u8 z", 17, 1) TAIL,
          1, 1 },
    };
    unsigned char bytes[26];
    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * 7 + 1);
    for (size_t i = 0; i < PC_COUNT_OF(formats); i++) {
        struct pc_tracepoint *t = format_of(formats[i].text, 8);
        unsigned good = 0;
        add_common(&model);
        add_piece(&model, M_DATA_LOC, 8, 4, formats[i].first);
        add_piece(&model, M_DATA_LOC, 12, 4, formats[i].second);
        add_piece(&model, M_PLAIN, 17, 1, 1);
        for (unsigned a = 0; a <= 27; a++) {
            for (unsigned la = 0; la <= 6; la++) {
                for (unsigned b = 0; b <= 27; b++) {
                    for (unsigned lb = 0; lb <= 8; lb += lb < 2 ? 1 : 2) {
                        enum pc_order order = (a + b) % 2 ? PC_BIG : PC_LITTLE;
                        store_word(bytes + 8, a, la, order);
                        store_word(bytes + 12, b, lb, order);
                        good += agree(t, &model, bytes, sizeof(bytes), order, formats[i].text);
                    }
                }
            }
        }
        assert_true(good > 100);
        pc_tp_free(&mem, t);
    }
}

/* --- random formats, random payloads --- */

static uint64_t seed = 0x9e3779b97f4a7c15;

static unsigned rnd(unsigned below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33) % below;
}

static char random_text[8192];

/* A format: its text for the parser, its pieces for the model. Returns where its fixed fields end. */
static unsigned random_format(void)
{
    static const struct {
        const char *type;
        unsigned width;
    } scalars[] = { { "u8", 1 },  { "bool", 1 },   { "short", 2 },         { "__u16", 2 },
                    { "int", 4 }, { "u32", 4 },    { "unsigned long", 8 }, { "long long", 8 },
                    { "u64", 8 }, { "void *", 8 }, { "size_t", 8 } };
    size_t len = (size_t)snprintf(random_text, sizeof(random_text), "%s", HEAD);
    unsigned end = 8, nr = rnd(9);
    add_common(&model);
    for (unsigned i = 0; i < nr; i++) {
        unsigned at = end + (rnd(4) == 0 ? rnd(6) : 0), kind = rnd(100), s = rnd(PC_COUNT_OF(scalars));
        unsigned width = scalars[s].width, count = 1 + rnd(4), size = width;
        const char *type = scalars[s].type;
        char decl[100];
        if (kind < 30) {
            snprintf(decl, sizeof(decl), "%s f%u", type, i);
            add_piece(&model, M_PLAIN, at, size, width);
        } else if (kind < 45) {
            size = width * count;
            snprintf(decl, sizeof(decl), rnd(2) ? "%s f%u[%u]" : "%s f%u[N + %u]", type, i, count);
            add_piece(&model, M_PLAIN, at, size, width);
        } else if (kind < 55) {
            size = count;
            snprintf(decl, sizeof(decl), "char f%u[%u]", i, count);
            add_piece(&model, M_PLAIN, at, size, 1);
        } else if (kind < 58) {
            size = width * count;
            snprintf(decl, sizeof(decl), "foo_t f%u[%u]", i, count);
            add_piece(&model, M_PLAIN, at, size, width);
        } else if (kind < 60) {
            unsigned what = rnd(3);
            size = what == 0 ? width : 12;
            snprintf(decl, sizeof(decl),
                     what == 0   ? "struct foo f%u"
                     : what == 1 ? "foo_t f%u"
                                 : "struct foo f%u[2]",
                     i);
            add_piece(&model, M_OPAQUE, at, size, 0);
        } else {
            bool rel = kind >= 85, text = rnd(3) == 0, unknown = rnd(20) == 0;
            size = 4;
            if (!rel && rnd(4) == 0) {
                size = 4 * count;
                snprintf(decl, sizeof(decl), "__data_loc %s[][%u] f%u",
                         unknown ? "foo_t"
                         : text  ? "char"
                                 : type,
                         count, i);
            } else {
                snprintf(decl, sizeof(decl), "%s %s[] f%u", rel ? "__rel_loc" : "__data_loc",
                         unknown ? "foo_t"
                         : text  ? "char"
                                 : type,
                         i);
            }
            add_piece(&model, rel ? M_REL_LOC : M_DATA_LOC, at, size, unknown ? 0 : text ? 1 : width);
        }
        len += (size_t)snprintf(random_text + len, sizeof(random_text) - len,
                                "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:0;\n", decl, at, size);
        end = at + size;
    }
    if (rnd(8) == 0) {
        unsigned s = rnd(PC_COUNT_OF(scalars)), what = rnd(6), at = end + rnd(3);
        len += (size_t)snprintf(random_text + len, sizeof(random_text) - len,
                                "\tfield:%s rest[];\toffset:%u;\tsize:0;\tsigned:0;\n",
                                what == 0   ? "foo_t"
                                : what == 1 ? "char"
                                            : scalars[s].type,
                                at);
        add_piece(&model, M_REST, at, 0, what == 0 ? 0 : what == 1 ? 1 : scalars[s].width);
        end = at;
    }
    snprintf(random_text + len, sizeof(random_text) - len, "%s", TAIL);
    return end;
}

/* A payload, in most cases a likely one; returns its length. */
static unsigned random_payload(unsigned char *bytes, unsigned end, enum pc_order order)
{
    unsigned next = end + rnd(3), wild = rnd(6);
    bool backward = rnd(4) == 0, hidden = rnd(8) == 0;
    for (unsigned i = 0; i < 1024; i++)
        bytes[i] = (unsigned char)rnd(256);
    if (backward)
        next += 200;
    for (unsigned i = 0; i < model.nr; i++) {
        const struct piece *p = &model.piece[i];
        for (unsigned w = p->at; p->kind >= M_DATA_LOC && w < p->at + p->size; w += 4) {
            unsigned size = (p->element ? p->element : 1) * rnd(4);
            if (p->element == 0 && rnd(4) != 0)
                size = 0;
            unsigned at = backward && next - size > end ? (next -= size) : next;
            if (!backward)
                next += size;
            if (hidden && rnd(3) == 0)
                at = rnd(next + 1);
            unsigned base = p->kind == M_REL_LOC ? w + 4 : 0;
            at = at < base ? 0 : at - base;
            if (wild == 0 && rnd(4) == 0)
                size = rnd(20);
            store_word(bytes + w, at, size, order);
            if (wild == 1 && rnd(10) == 0)
                store_word(bytes + w, rnd(65536), rnd(65536), order);
        }
    }
    if (backward)
        next = end + 200 + rnd(2) * 3;
    if (rnd(12) == 0)
        return rnd(next + 1);
    return next + rnd(rnd(8) == 0 ? 24 : 16);
}

static void random_formats_and_payloads_agree_with_the_model(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    unsigned good = 0, bad = 0;
    for (unsigned i = 0; i < 30000; i++) {
        unsigned end = random_format();
        struct pc_tracepoint *t = format_of(random_text, 8);
        assert_int_equal(t->end, end);
        for (unsigned k = 0; k < 4; k++) {
            enum pc_order order = k % 2 ? PC_BIG : PC_LITTLE;
            unsigned len = random_payload(bytes, end, order);
            *(agree(t, &model, bytes, len, order, random_text) ? &good : &bad) += 1;
        }
        pc_tp_free(&mem, t);
    }
    assert_true(good > 30000 && bad > 30000);
}

/* --- real captures --- */

/* The model of a format of a capture: from the list that the parser made, which test_tracepoint.c covers. */
static void model_of(const struct pc_tracepoint *t)
{
    model.nr = 0;
    for (uint32_t i = 0; i < t->nr_fields; i++) {
        const struct pc_tp_field *f = &t->field[i];
        enum kind kind = f->cls == PC_TP_OPAQUE     ? M_OPAQUE
                         : f->cls == PC_TP_FLEXIBLE ? M_REST
                         : f->cls == PC_TP_DATA_LOC ? M_DATA_LOC
                         : f->cls == PC_TP_REL_LOC  ? M_REL_LOC
                                                    : M_PLAIN;
        add_piece(&model, kind, f->offset, f->size, f->element);
    }
}

/* Integers of a payload before, read in its order, are those after, read in the other. */
static void same_integers(const struct pc_tracepoint *t, const unsigned char *before,
                          const unsigned char *after, enum pc_order order)
{
    for (uint32_t i = 0; i < t->nr_fields; i++) {
        const struct pc_tp_field *f = &t->field[i];
        if (f->cls == PC_TP_TEXT)
            assert_memory_equal(before + f->offset, after + f->offset, f->size);
        else if (f->cls != PC_TP_ARRAY && f->size != 0)
            assert_int_equal(pc_load(before + f->offset, f->size, order),
                             pc_load(after + f->offset, f->size, other(order)));
        if (f->cls == PC_TP_DATA_LOC && f->is_char) {
            uint64_t word = pc_load(before + f->offset, 4, order);
            assert_memory_equal(before + (word & 0xffff), after + (word & 0xffff), (size_t)(word >> 16));
        }
    }
}

struct tally {
    uint64_t payloads[2]; /* by order */
    uint64_t words;
};

/* Goes through the payloads of scan->in. */
static void check_payloads(struct pc_scan *scan, const char *path, bool valid, struct tally *tally)
{
    static unsigned char copy[65536];
    struct pc_item item;
    while (pc_reader_next(&scan->reader, &item)) {
        pc_check_item(&scan->check, &item);
        if (item.kind != PC_ITEM_RECORD || item.type != PC_SAMPLE)
            continue;
        struct pc_chosen chosen = pc_capture_choose(&scan->capture, item.type, item.bytes);
        if (chosen.choice != PC_CHOSEN ||
            !(pc_attr_get(&scan->capture.attr[chosen.attr], PC_ATTR_SAMPLE_TYPE) & PC_S_RAW))
            continue;
        const struct pc_tracepoint *t = pc_capture_format(&scan->capture, chosen.attr);
        if (!t)
            continue;
        const unsigned char *raw = item.bytes.ptr + scan->check.judge.facts.slot_at[PC_REC_RAW];
        unsigned len = (unsigned)scan->check.judge.facts.slot[PC_REC_RAW];
        enum pc_order order = scan->capture.tracing_order;
        uint32_t field;
        const char *why = pc_payload_refusal(t, (struct pc_span){ raw, len }, order, &field);
        if (why && valid)
            fail_msg("%s: %s, field %u of event %u", path, why, field, t->id);
        model_of(t);
        if (!agree(t, &model, raw, len, order, path))
            continue;
        memcpy(copy, raw, len);
        pc_payload_swap(t, copy, len, order);
        if (len >= t->end)
            same_integers(t, raw, copy, order);
        tally->payloads[order == PC_BIG]++;
        tally->words += t->nr_dynamic;
    }
}

static void no_payload_of_a_real_capture_is_refused(void **state)
{
    (void)state;
    static struct pc_scan scan;
    const char *set = getenv("PC_CAPTURES");
    char folder[2][512] = { "corpus/real/s390x-612-threads.dir" };
    bool beside = false;
    struct pc_policy policy;
    struct pc_limits limits;
    struct tally tally = { { 0, 0 }, 0 };
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    load_captures(true);
    snprintf(folder[1], sizeof(folder[1]), "%s/s390x/s390x-72-threads-tp.dir", set ? set : "corpus/real");
    for (size_t i = 0; i < nr_real_captures; i++) {
        const struct real_capture *c = &real_captures[i];
        pc_scan_init(&scan, &policy, &limits);
        pc_input_memory(&scan.in, (struct pc_span){ c->bytes, c->len },
                        strcmp(c->mode, "pipe") == 0 ? PC_INPUT_STREAM : PC_INPUT_FILE);
        check_payloads(&scan, c->path, strcmp(c->expect, "valid") == 0, &tally);
        pc_scan_clear(&scan);
        beside |= strncmp(c->path, "corpus/", 7) != 0;
    }
    free_captures();
    for (size_t i = 0; i < PC_COUNT_OF(folder); i++) {
        pc_scan_init(&scan, &policy, &limits);
        if (pc_input_open(&scan.in, folder[i]) == 0)
            check_payloads(&scan, folder[i], true, &tally);
        pc_scan_clear(&scan);
    }
    /* The bundled captures alone have so many; all others are in PC_CAPTURES. */
    assert_true(tally.payloads[PC_BIG] > 500);
    if (beside)
        assert_true(tally.payloads[PC_LITTLE] > 20000 && tally.payloads[PC_BIG] > 6000 &&
                    tally.words > 10000);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(fields_are_swapped_by_their_class),
    cmocka_unit_test(the_payload_of_sched_switch_is_swapped),
    cmocka_unit_test(the_arguments_of_sys_enter_are_longs_of_the_recorder),
    cmocka_unit_test(strings_of_sched_process_fork_stay_at_odd_offsets),
    cmocka_unit_test(an_array_of_arrays_has_a_word_for_each),
    cmocka_unit_test(a_flexible_array_has_whole_elements_to_the_end),
    cmocka_unit_test(a_missing_payload_is_not_swapped),
    cmocka_unit_test(every_refusal_names_its_field),
    cmocka_unit_test(fields_of_a_format_never_overlap),
    cmocka_unit_test(a_payload_is_at_most_as_long_as_a_record),
    cmocka_unit_test(a_cut_payload_is_judged_without_reading_after_it),
    cmocka_unit_test(two_dynamic_fields_with_any_offsets_are_swapped_or_refused),
    cmocka_unit_test(random_formats_and_payloads_agree_with_the_model),
    cmocka_unit_test(no_payload_of_a_real_capture_is_refused),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };

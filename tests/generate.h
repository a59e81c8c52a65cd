/* SPDX-License-Identifier: MIT
 *
 * generate.h: whole sound captures in memory, made from the tables by synth.h: a file, a pipe or the members
 * of a directory, in either byte order, with attrs for every bit of sample_type and every read_format,
 * records of every type, every feature that the container may have; or with those that a plan names;
 * compressed, if that is asked for, into stored blocks or by libzstd. What the check compares across
 * structures (ids, times, CPUs, names) is given here by name; everything else is random.
 *
 * Files and pipes without compression and HEADER_EVENT_TYPE are canonical, and captures that differ in
 * nothing but the byte order that is asked for have the same content: one is what the rewriter must make of
 * the other.
 */
#ifndef PC_GENERATE_H
#define PC_GENERATE_H

#include "check/check.h"
#include "synth.h"

#include <stdio.h>
#include <zstd.h>

/* What is not so is a defect of the generator. */
#define GENERATE_MUST(holds, what)                                                                           \
    do {                                                                                                     \
        if (!(holds)) {                                                                                      \
            fprintf(stderr, "%s:%d: generator: %s\n", __FILE__, __LINE__, what);                             \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

#define GENERATE_ROOM    ((size_t)4 << 20)
#define GENERATE_ATTRS   80
#define GENERATE_RECORDS 256
#define GENERATE_CPUS    3
/* Not a multiple of 4096, so that no rule about pages is met by accident. */
#define GENERATE_TIME     1000000123u
#define GENERATE_STREAMS  3
#define GENERATE_MEMBERS  (1 + GENERATE_STREAMS + 3) /* data, data.0 ..., and what is in a kcore_dir */
#define GENERATE_CONTENT  30000                      /* bytes that are compressed together */
#define GENERATE_MMAP_LEN 0x81000

/* What a capture consists of. */
struct generate_plan {
    uint64_t features; /* bits; those that follow from the rest come by themselves */
    struct generate_attr {
        uint64_t sample_type, read_format, branch, seed;
        bool tracepoint; /* its samples have a payload that the trace data describe; the first one only */
    } attr[GENERATE_ATTRS];
    uint32_t nr_attrs;
    struct generate_record {
        uint32_t type, attr;
        unsigned variant;
        uint64_t seed;
    } record[GENERATE_RECORDS];
    size_t nr_records;
};

/* A file of a directory. */
struct generate_member {
    const char *name;
    unsigned char *bytes; /* free() */
    size_t len;
    /* Private: of what becomes compressed. */
    size_t run; /* where records begin that are not compressed yet */
    ZSTD_CCtx *zstd;
    bool begun; /* there is a frame */
};

enum generate_directory { GENERATE_NO_DIRECTORY, GENERATE_DIR_KCORE, GENERATE_DIR_STREAMS };

struct generate {
    enum pc_order order;
    bool pipe;
    enum generate_directory directory;     /* instead of a file */
    uint32_t compress;                     /* 0, PC_COMPRESSED or PC_COMPRESSED2 */
    bool libzstd;                          /* else stored blocks */
    bool straddle;                         /* a record begins in one piece and ends in the next */
    bool compress_all;                     /* what perf makes up, too */
    unsigned variant;                      /* which forms records take */
    uint64_t seed;                         /* of the content */
    uint32_t attr_size;                    /* 0: 144 */
    const struct generate_plan *plan;      /* NULL: all there is */
    const struct pc_version_knows *reader; /* nothing that this perf does not know; NULL: whatever there is */
    /* The result. */
    unsigned char *bytes; /* free(); of a directory: NULL */
    size_t len;
    struct generate_member member[GENERATE_MEMBERS]; /* of a directory; without bytes: there is none */
    bool canonical;
    /* Private. */
    unsigned out, stream; /* the member that bytes and len are of; that of kernel records */
    struct synth synth;
    unsigned char attr[GENERATE_ATTRS][PC_ATTR_SIZE_KNOWN];
    struct pc_layout layout[GENERATE_ATTRS];
    uint32_t nr_attrs, tracepoint;
    uint64_t time;
    uint64_t auxtrace[64]; /* where AUXTRACE records stand */
    unsigned nr_auxtrace;
    size_t rounds[16]; /* where FINISHED_ROUND records stand, which are no content */
    unsigned nr_rounds;
    bool has_stat, has_auxtrace;
    uint64_t nr_records;
    uint64_t first_sample, last_sample;
};

/* Room for a file: what is put there is all that is ever written, so that nobody zeroes the megabytes behind
 * it. */
static inline unsigned char *gen_room(void)
{
    unsigned char *room = malloc(GENERATE_ROOM);
    GENERATE_MUST(room, "memory");
    return room;
}

/* Bytes, which have no order; zeros without any. */
static inline size_t gen_put(struct generate *g, const void *bytes, size_t n)
{
    size_t at = g->len;
    GENERATE_MUST(n <= GENERATE_ROOM - g->len, "room");
    if (n != 0 && bytes)
        memcpy(g->bytes + at, bytes, n);
    else if (n != 0)
        memset(g->bytes + at, 0, n);
    g->len += n;
    return at;
}

static inline void gen_int(struct generate *g, unsigned width, uint64_t value)
{
    unsigned char bytes[8];
    synth_store_as(bytes, width, value, g->order);
    gen_put(g, bytes, width);
}

static inline void gen_string(struct generate *g, const char *text)
{
    char room[64] = { 0 };
    snprintf(room, sizeof(room), "%s", text);
    gen_int(g, 4, sizeof(room));
    gen_put(g, room, sizeof(room));
}

static inline uint64_t gen_id(uint32_t attr, unsigned which)
{
    return 0x100000001u * (attr + 1) + which;
}

#define GENERATE_IDS 2

static inline void gen_begin(struct generate *g)
{
    static struct synth_known known[SYNTH_KNOWN];
    unsigned variant = g->variant;
    struct synth *s = &g->synth;
    memset(s, 0, sizeof(*s));
    s->known = known;
    s->variant = variant;
    s->order = g->order;
    s->attr_size = g->attr_size;
}

/* --- attrs --- */

static inline void gen_attr(struct generate *g, uint64_t sample_type, uint64_t read_format, uint64_t branch)
{
    uint64_t slot[PC_SLOTS];
    uint32_t nr = g->nr_attrs, size = g->attr_size;
    const uint64_t all_flags =
        PC_FLAG_SAMPLE_ID_ALL | PC_FLAG_USE_CLOCKID | PC_FLAG_BUILD_ID | PC_FLAG(14) | PC_FLAG(16) |
        PC_FLAG(33) | (sample_type & PC_S_CALLCHAIN ? PC_FLAG_DEFER_CHAIN | PC_FLAG_DEFER_OUTPUT : 0);
    const uint64_t flags = all_flags & (g->reader ? g->reader->flags : UINT64_MAX);
    bool tracepoint = nr == g->tracepoint;
    const struct synth_want want[] = {
        { "type", tracepoint ? PC_TYPE_TRACEPOINT : PC_TYPE_SOFTWARE, NULL },
        { "config", tracepoint ? 7 : 100 + nr, NULL },
        { "sample_period", 1000 + nr, NULL },
        { "sample_type", sample_type | PC_S_IDENTIFIER, NULL },
        { "read_format", read_format, NULL },
        { "flags", flags, NULL },
        { "branch_sample_type", branch | 8, NULL },
        { "sample_regs_user", 0x8000000000000005, NULL },
        { "sample_regs_intr", 0x11, NULL },
        { "sample_stack_user", 4096, NULL },
        { "clockid", 1, NULL },
        { g->reader ? "aux_action" : " ", 0, NULL }, /* not all read it */
        { NULL, 0, NULL },
    };
    GENERATE_MUST(nr < GENERATE_ATTRS, "attrs");
    gen_begin(g);
    g->synth.want = want;
    synth_attr(&g->synth, size, g->seed * 1000 + nr);
    memcpy(g->attr[nr], g->synth.bytes, size);
    GENERATE_MUST(pc_attr_walk((struct pc_span){ g->attr[nr], size }, g->order, slot), "attr");
    g->layout[nr] = pc_attr_layout(slot);
    g->nr_attrs++;
}

#define GENERATE_TRACEPOINT (PC_S_RAW | PC_S_TIME) /* the sample_type that gen_payload is for */

static inline void gen_planned_attrs(struct generate *g)
{
    g->tracepoint = GENERATE_ATTRS;
    for (uint32_t i = 0; i < g->plan->nr_attrs; i++) {
        const struct generate_attr *a = &g->plan->attr[i];
        bool first = a->tracepoint && g->tracepoint == GENERATE_ATTRS;
        g->tracepoint = first ? i : g->tracepoint;
        g->seed = a->seed;
        gen_attr(g, first ? GENERATE_TRACEPOINT : a->sample_type, first ? 0 : a->read_format,
                 first ? 0 : a->branch);
    }
}

static inline void gen_attrs(struct generate *g)
{
    const uint64_t all = ((uint64_t)1 << PC_S_BITS) - 1;
    g->tracepoint = 1;
    if (g->plan) {
        gen_planned_attrs(g);
        return;
    }
    gen_attr(g, all ^ PC_S_WEIGHT, 31, 0xfffff);
    gen_attr(g, GENERATE_TRACEPOINT, 0, 0);
    gen_attr(g, all ^ PC_S_WEIGHT_STRUCT, 23, 0);
    for (unsigned bit = 0; bit < PC_S_BITS; bit++)
        gen_attr(g, PC_FLAG(bit), PC_READ_ID, 0);
    for (unsigned k = 1; k < 4; k++)
        gen_attr(g, PC_S_BRANCH_STACK, PC_READ_ID,
                 (k & 1 ? PC_BRANCH_HW_INDEX : 0) | (k & 2 ? PC_BRANCH_COUNTERS : 0));
    for (uint64_t read = 0; read < 32; read++)
        gen_attr(g, PC_S_READ | PC_S_TIME, read, 0);
}

/* --- members, compressed records --- */

/* What follows goes into another member. */
static inline void gen_select(struct generate *g, unsigned member)
{
    g->member[g->out].bytes = g->bytes;
    g->member[g->out].len = g->len;
    if (!g->member[member].bytes)
        g->member[member].bytes = gen_room();
    g->out = member;
    g->bytes = g->member[member].bytes;
    g->len = g->member[member].len;
}

/* Bytes of the stream that goes on in each compressed record: a block that only stores them (RFC
 * 8878, 3.1.1), or what libzstd makes of them. */
static inline size_t gen_zstd(struct generate *g, const unsigned char *in, size_t n, unsigned char *to,
                              size_t room)
{
    struct generate_member *m = &g->member[g->out];
    size_t len = 0;
    if (g->libzstd) {
        ZSTD_inBuffer from = { in, n, 0 };
        ZSTD_outBuffer out = { to, room, 0 };
        m->zstd = m->zstd ? m->zstd : ZSTD_createCCtx();
        GENERATE_MUST(m->zstd && ZSTD_compressStream2(m->zstd, &out, &from, ZSTD_e_flush) == 0, "zstd");
        return out.pos;
    }
    if (!m->begun) { /* magic, a descriptor without anything, a window of 128 KiB */
        memcpy(to, "\x28\xb5\x2f\xfd\x00\x38", 6);
        len = 6;
    }
    m->begun = true;
    synth_store_as(to + len, 3, n << 3, PC_LITTLE); /* not the last block, stored */
    memcpy(to + len + 3, in, n);
    return len + 3 + n;
}

static inline void gen_wrapper(struct generate *g, const unsigned char *in, size_t n)
{
    static unsigned char packed[GENERATE_CONTENT * 2];
    size_t len = gen_zstd(g, in, n, packed, sizeof(packed)), head = PC_RECORD_HEADER_SIZE, pad = 0;
    if (g->compress == PC_COMPRESSED2) {
        head += 8;
        pad = (8 - len % 8) % 8;
    }
    gen_int(g, 4, g->compress);
    gen_int(g, 2, 0);
    gen_int(g, 2, head + len + pad);
    if (g->compress == PC_COMPRESSED2)
        gen_int(g, 8, len);
    gen_put(g, packed, len);
    memset(g->bytes + g->len, 0, pad);
    g->len += pad;
}

/* The records since the last time become one or two compressed ones. */
static inline void gen_pack(struct generate *g)
{
    static unsigned char in[GENERATE_CONTENT + SYNTH_MAX];
    struct generate_member *m = &g->member[g->out];
    size_t n = g->compress ? g->len - m->run : 0, first = g->straddle && n > 1 ? n / 2 | 1 : n;
    if (n == 0)
        return;
    GENERATE_MUST(n <= sizeof(in), "content");
    memcpy(in, g->bytes + m->run, n);
    g->len = m->run;
    gen_wrapper(g, in, first);
    if (first < n)
        gen_wrapper(g, in + first, n - first);
    m->run = g->len;
}

/* What stands behind an AUXTRACE record is in the file itself. */
static inline bool gen_is_packed(const struct generate *g, uint32_t type)
{
    return type != PC_AUXTRACE && type != PC_HEADER_EVENT_TYPE &&
           (pc_is_kernel_type(type) || g->compress_all);
}

/* --- records --- */

static const char generate_format[] =
    "name: e\nID: 7\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:__rel_loc u16[] words;\toffset:8;\tsize:4;\tsigned:0;\n"
    "\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n"
    "\tfield:u64 value;\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:char comm[4];\toffset:24;\tsize:4;\tsigned:0;\n\n"
    "print fmt: \"%d\", REC->value\n";

/* A payload of the event above: 44 bytes. */
static inline void gen_payload(struct generate *g, unsigned char *to)
{
    uint64_t random = g->seed * 2 + g->time;
    memset(to, 0, 44);
    synth_store_as(to, 2, 7, g->order);
    to[2] = to[3] = 1;
    synth_store_as(to + 4, 4, 100, g->order);
    synth_store_as(to + 8, 4, 6 << 16 | 16, g->order); /* 6 bytes at 12 + 16 */
    synth_store_as(to + 12, 4, 5 << 16 | 34, g->order);
    synth_store_as(to + 16, 8, synth_random(&random), g->order);
    memcpy(to + 24, "abc", 3);
    for (unsigned i = 0; i < 3; i++)
        synth_store_as(to + 28 + 2 * i, 2, synth_random(&random) & 0xffff, g->order);
    memcpy(to + 34, "name", 4);
}

static inline uint16_t gen_misc(uint32_t type, unsigned variant)
{
    switch (type) {
    case PC_SAMPLE:
    case PC_MMAP:
        return 1 + variant % 2;
    case PC_MMAP2:
        return variant % 2 ? PC_MISC_MMAP_BUILD_ID | 2 : 2;
    case PC_TEXT_POKE:
        return 1;
    case PC_CALLCHAIN_DEFERRED:
        return 2;
    case PC_HEADER_BUILD_ID:
        return PC_MISC_BUILD_ID_SIZE | 2;
    case PC_SWITCH:
    case PC_SWITCH_CPU_WIDE:
        return variant % 2 ? PC_MISC_SWITCH_OUT : 0;
    default:
        return 0;
    }
}

/* Values that are compared across structures. */
static inline void gen_record(struct generate *g, uint32_t type, unsigned variant, uint32_t attr)
{
    struct synth *s = &g->synth;
    uint64_t id = gen_id(attr, variant % GENERATE_IDS), number = g->time;
    uint16_t misc = gen_misc(type, variant);
    bool is_map = type == PC_CPU_MAP || type == PC_EVENT_UPDATE;
    uint64_t unnamed = variant % 3 == 1 ? 2 : 1; /* a mask, or CPUs: 1 is among them */
    /* Decoders of perf divide and shift by the words of AUXTRACE_INFO and TIME_CONV, as recorders write them.
     */
    bool is_trace = type == PC_AUXTRACE_INFO || type == PC_TIME_CONV;
#define TRACE_WORD(name, value)                                                                              \
    {                                                                                                        \
        is_trace ? name : " ", value, NULL                                                                   \
    }
    const struct synth_want want[] = {
        { "id", id, NULL },
        { "identifier", id, NULL },
        { "time", number, NULL },
        { "cpu", 1, NULL },
        { "pid", 100, NULL },
        { "tid", 100, NULL },
        { "ppid", 99, NULL },
        { "addr", (uint64_t)0x400000 + 0x10000 * (number % 1000), NULL },
        { "len", 0x1000, NULL },
        { "prot", 5, NULL },
        { "flags",
          type == PC_AUX       ? 1
          : type == PC_KSYMBOL ? 0
                               : 2,
          NULL },
        { "build_id_size", 20 - 4 * (variant % 3 == 1), NULL },
        { "aux_offset", 0x1000, NULL },
        { "start_cpu", 0, NULL },
        { "end_cpu", 2, NULL },
        { "any_cpu", 1, NULL },
        { "thread", 0, NULL },
        { "idx", 3, NULL },
        /* The record behind which the bytes of a trace stand. */
        { type == PC_AUXTRACE ? "size" : " ", 24, NULL },
        { is_map ? "" : " ", unnamed, NULL },
        TRACE_WORD("time_shift", 10),
        TRACE_WORD("time_mult", 1 << 10),
        TRACE_WORD("cap_user_time_zero", 1),
        TRACE_WORD("tsc_bit", 1 << 10),
        TRACE_WORD("noretcomp_bit", 1 << 11),
        TRACE_WORD("have_sched_switch", 0),
        TRACE_WORD("snapshot_mode", 0),
        TRACE_WORD("snapshot", 0),
        TRACE_WORD("per_cpu_mmaps", 1),
        TRACE_WORD("mtc_bit", 1 << 9),
        TRACE_WORD("mtc_freq_bits", 0x3c000),
        TRACE_WORD("tsc_ctc_n", 2),
        TRACE_WORD("tsc_ctc_d", 1),
        TRACE_WORD("cyc_bit", 2),
        TRACE_WORD("max_nonturbo_ratio", 30),
        TRACE_WORD("pmu_type", PC_TYPE_SOFTWARE), /* that of the attrs */
        { is_trace ? "filter" : " ", 0, "stop 1" },
        TRACE_WORD("magic", variant % 5 == 2 ? 0x4040404040404040 : 0x1010101010101010), /* CS_ETM, ARM_SPE */
        TRACE_WORD("header_size", 4),
        { type == PC_HEADER_EVENT_TYPE ? "event_id" : " ", 100 + attr, NULL },
        { NULL, 0, NULL },
    };
    const struct pc_layout layout = pc_record_layout(&g->layout[attr], type, misc, false);
    gen_begin(g);
    s->variant = variant;
    s->want = want;
    GENERATE_MUST(synth_record(s, type, misc, &layout), pc_record_info(type)->name);
    if (type == PC_HEADER_EVENT_TYPE) { /* the name has 64 bytes */
        s->len = PC_RECORD_HEADER_SIZE + PC_EVENT_TYPE_SIZE;
        synth_store(s, 6, 2, s->len);
        snprintf((char *)s->bytes + 16, 64, "old-name-%u", variant);
        g->canonical = false; /* becomes the name of an event */
    }
    if (type == PC_BPF_METADATA) { /* room for a trailer, zero */
        s->len += pc_sample_id_size(g->layout[0].mask);
        synth_store(s, 6, 2, s->len);
    }
    synth_fill_record(s, type, &layout, g->seed * 1000003 + g->nr_records++ * 256 + type);
    if (type == PC_STAT_CONFIG && variant != 7) /* tags of its two entries */
        synth_store(s, 32, 8, (pc_load(s->bytes + 16, 8, g->order) + 1) % 4);
    if (type == PC_SAMPLE && attr == g->tracepoint) {
        /* identifier, time, size, payload */
        memset(s->bytes + 24, 0, SYNTH_MAX - 24);
        s->len = 24 + 4 + 44;
        synth_store(s, 24, 4, 44);
        gen_payload(g, s->bytes + 28);
        synth_store(s, 6, 2, s->len);
    }
    bool packs = g->compress != 0 && gen_is_packed(g, type);
    if (!packs)
        gen_pack(g);
    if (type == PC_AUXTRACE) {
        GENERATE_MUST(g->nr_auxtrace < PC_COUNT_OF(g->auxtrace), "auxtrace");
        g->auxtrace[g->nr_auxtrace++] = g->len;
    }
    g->has_auxtrace |= type == PC_AUXTRACE || type == PC_AUXTRACE_INFO;
    g->has_stat |= type == PC_STAT_CONFIG || type == PC_STAT || type == PC_STAT_ROUND;
    if (type == PC_FINISHED_ROUND) {
        GENERATE_MUST(g->nr_rounds < PC_COUNT_OF(g->rounds), "rounds");
        g->rounds[g->nr_rounds++] = g->len;
    }
    if (type == PC_SAMPLE && (layout.mask & PC_S_TIME)) {
        g->first_sample = g->first_sample ? g->first_sample : number;
        g->last_sample = number;
    }
    gen_put(g, s->bytes, s->len);
    if (type == PC_AUXTRACE)
        gen_put(g, "trace bytes of hardware", 24);
    if (!packs)
        g->member[g->out].run = g->len;
    else if (g->len - g->member[g->out].run > GENERATE_CONTENT)
        gen_pack(g);
    g->time += 1000;
}

static inline bool gen_is_header(uint32_t type)
{
    return (type >= PC_HEADER_ATTR && type <= PC_HEADER_BUILD_ID) || type == PC_HEADER_FEATURE ||
           type == PC_COMPRESSED || type == PC_COMPRESSED2;
}

/* Records that come early, and once. */
static const uint32_t generate_first[] = { PC_ID_INDEX,   PC_TIME_CONV, PC_AUXTRACE_INFO,
                                           PC_THREAD_MAP, PC_CPU_MAP,   PC_STAT_CONFIG };

static inline bool gen_is_first(uint32_t type)
{
    for (size_t i = 0; i < PC_COUNT_OF(generate_first); i++) {
        if (type == generate_first[i])
            return true;
    }
    return false;
}

/* Whether a record of the type may stand behind those that came. */
static inline bool gen_can_stand(const struct generate *g, uint32_t type, const uint64_t *came)
{
    bool once = gen_is_first(type) || type == PC_FINISHED_INIT;
    if (g->reader && type > (pc_is_kernel_type(type) ? g->reader->kernel_type : g->reader->user_type))
        return false;
    if (type == PC_HEADER_EVENT_TYPE)
        return g->pipe;
    if (type == PC_FINISHED_ROUND && g->directory == GENERATE_DIR_STREAMS)
        return false; /* there are none among streams */
    if (!pc_record_info(type) || gen_is_header(type) || (once && (came[type / 64] >> type % 64 & 1)))
        return false;
    if ((type == PC_AUXTRACE && g->nr_auxtrace == PC_COUNT_OF(g->auxtrace)) ||
        (type == PC_FINISHED_ROUND && g->nr_rounds == PC_COUNT_OF(g->rounds)))
        return false;
    if (type == PC_CALLCHAIN_DEFERRED) {
        uint64_t types = 0;
        for (uint32_t i = 0; i < g->nr_attrs; i++)
            types |= g->layout[i].mask;
        return types & PC_S_CALLCHAIN;
    }
    return true;
}

/* Values without their ids are counts of perf stat: there are no samples of them. */
static inline bool gen_samples(const struct generate *g, uint32_t attr)
{
    uint64_t mask = g->layout[attr].mask;
    return !(mask & PC_S_READ) || (mask & PC_LAYOUT_READ(PC_READ_ID));
}

/* The record of a type that has this form in a sound capture. */
static inline void gen_form(struct generate *g, uint32_t type, unsigned form, uint32_t attr)
{
    if (type == PC_EVENT_UPDATE && form == 7)
        form = 23; /* its map is not empty */
    if (type == PC_BPF_METADATA)
        form &= ~1u; /* nothing behind its trailer */
    gen_record(g, type, form, attr);
}

static inline void gen_first(struct generate *g, uint32_t type, unsigned v)
{
    unsigned form = v == 7 ? 8 : v; /* not empty */
    if (type == PC_TIME_CONV)       /* of either size */
        form = v % 2 ? 5 : 0;
    gen_record(g, type, form, 0);
}

/* What records of the type need to have come before. */
static const struct generate_need {
    uint32_t type, needed;
} generate_needs[] = {
    { PC_AUXTRACE, PC_TIME_CONV },      { PC_AUXTRACE, PC_AUXTRACE_INFO }, { PC_AUXTRACE_INFO, PC_TIME_CONV },
    { PC_STAT, PC_STAT_CONFIG },        { PC_STAT, PC_CPU_MAP },           { PC_STAT, PC_THREAD_MAP },
    { PC_STAT_ROUND, PC_STAT_CONFIG },  { PC_STAT_ROUND, PC_CPU_MAP },     { PC_STAT_ROUND, PC_THREAD_MAP },
    { PC_CALLCHAIN_DEFERRED, PC_LOST },
};

static inline void gen_planned_record(struct generate *g, uint64_t *came, uint32_t type, unsigned variant,
                                      uint32_t attr)
{
    came[type / 64] |= PC_FLAG(type % 64);
    if (g->directory == GENERATE_DIR_STREAMS) {
        /* What perf makes up is in `data`; the streams come one after the other, as they are read. */
        g->stream += variant >> 5 == 7 && g->stream < GENERATE_STREAMS && g->member[g->stream].bytes;
        gen_select(g, pc_is_kernel_type(type) ? g->stream : 0);
    }
    if (gen_is_first(type))
        gen_first(g, type, variant % 8);
    else
        gen_form(g, type, variant % 32, attr);
}

static inline void gen_planned_records(struct generate *g)
{
    uint64_t came[PC_TYPES / 64] = { 0 };
    gen_record(g, PC_FORK, 0, 0);
    gen_record(g, PC_COMM, 0, 0);
    for (size_t i = 0; i < g->plan->nr_records; i++) {
        const struct generate_record *r = &g->plan->record[i];
        uint32_t type = r->type % PC_TYPES, attr = r->attr % g->nr_attrs;
        if (!gen_can_stand(g, type, came) || (type == PC_SAMPLE && !gen_samples(g, attr)))
            continue;
        g->seed = r->seed;
        g->nr_records = 0; /* what stands before a record does not change it */
        for (size_t k = 0; k < PC_COUNT_OF(generate_needs); k++) {
            uint32_t needed = generate_needs[k].needed;
            if (generate_needs[k].type == type && !(came[needed / 64] >> needed % 64 & 1))
                gen_planned_record(g, came, needed, 0, 0);
        }
        gen_planned_record(g, came, type, r->variant, attr);
    }
    if (g->directory == GENERATE_DIR_STREAMS && !g->member[1].bytes)
        gen_planned_record(g, came, PC_COMM, 0, 0); /* without any there is no such directory */
}

/* One or more of each type: in the order in which later ones need earlier ones. */
static inline void gen_all_records(struct generate *g)
{
    unsigned v = g->variant;
    gen_record(g, PC_FORK, 0, 0);
    gen_record(g, PC_COMM, 0, 0);
    for (size_t i = 0; i < PC_COUNT_OF(generate_first); i++)
        gen_first(g, generate_first[i], v);
    for (uint32_t type = 1; type < PC_TYPES; type++) {
        if (!pc_record_info(type) || gen_is_header(type) || gen_is_first(type) || type == PC_SAMPLE)
            continue;
        for (unsigned k = 0; k < 4; k++) {
            unsigned form = v * 4 + k;
            if (type == PC_EVENT_UPDATE && !g->pipe && form % 4 == 2)
                continue; /* NAME belongs to pipes */
            if (type == PC_FINISHED_INIT && k > 0)
                continue; /* comes once */
            gen_form(g, type, form, (v + k) % g->nr_attrs);
        }
    }
    for (uint32_t attr = 0; attr < g->nr_attrs; attr++) {
        if (gen_samples(g, attr)) {
            gen_record(g, PC_SAMPLE, v, attr);
            gen_record(g, PC_SAMPLE, v + 1, attr);
        }
        if (pc_sample_id_size(g->layout[attr].mask) != 0)
            gen_record(g, PC_LOST, v, attr);
        gen_record(g, PC_READ, v, attr);
    }
    gen_record(g, PC_FINISHED_ROUND, v, 0);
}

static inline void gen_records(struct generate *g)
{
    g->member[0].run = g->len;
    if (g->plan)
        gen_planned_records(g);
    else
        gen_all_records(g);
    for (unsigned i = GENERATE_STREAMS + 1; i-- > 0;) {
        if (i != 0 && !g->member[i].bytes)
            continue;
        gen_select(g, i); /* `data` at last */
        gen_pack(g);
        ZSTD_freeCCtx(g->member[i].zstd);
        g->member[i].zstd = NULL;
    }
}

/* --- features --- */

static inline void gen_tracing_data(struct generate *g)
{
    static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                               "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                               "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                               "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
    gen_put(g, "\x17\x08\x44tracing0.6", 14);
    gen_put(g, g->order == PC_BIG ? "\1\10" : "\0\10", 2); /* order, sizeof(long) */
    gen_int(g, 4, 4096);
    gen_put(g, "header_page", 12);
    gen_int(g, 8, sizeof(page) - 1);
    gen_put(g, page, sizeof(page) - 1);
    gen_put(g, "header_event", 13);
    gen_int(g, 8, 5);
    gen_put(g, "event", 5);
    gen_int(g, 4, 0); /* formats of ftrace */
    gen_int(g, 4, 1); /* systems */
    gen_put(g, "sys", 4);
    gen_int(g, 4, 1);
    gen_int(g, 8, sizeof(generate_format) - 1);
    gen_put(g, generate_format, sizeof(generate_format) - 1);
    gen_int(g, 4, 0); /* kallsyms */
    gen_int(g, 4, 0); /* printk */
    gen_int(g, 8, 7); /* cmdlines */
    gen_put(g, "100 cat", 7);
}

static inline void gen_event_desc(struct generate *g)
{
    gen_int(g, 4, g->nr_attrs);
    gen_int(g, 4, g->attr_size);
    for (uint32_t i = 0; i < g->nr_attrs; i++) {
        char name[24];
        snprintf(name, sizeof(name), "event-%u", i);
        gen_put(g, g->attr[i], g->attr_size);
        gen_int(g, 4, GENERATE_IDS);
        gen_string(g, name);
        for (unsigned k = 0; k < GENERATE_IDS; k++)
            gen_int(g, 8, gen_id(i, k));
    }
}

/* The first of two attrs of a group: none of them has READ. nr_attrs: there are none. */
static inline uint32_t gen_group(const struct generate *g)
{
    for (uint32_t i = 0; i + 1 < g->nr_attrs; i++) {
        if (!((g->layout[i].mask | g->layout[i + 1].mask) & PC_S_READ))
            return i;
    }
    return g->nr_attrs;
}

static inline void gen_lists(struct generate *g, uint64_t bit)
{
    switch (bit) {
    case PC_GROUP_DESC: {
        uint32_t leader = gen_group(g);
        gen_int(g, 4, 1);
        gen_string(g, "{anon_group}");
        gen_int(g, 4, leader);
        gen_int(g, 4, 2); /* nr_members */
        break;
    }
    case PC_CPU_DOMAIN_INFO:
        gen_int(g, 4, g->variant % 2 ? 17 : 15); /* schedstat_version */
        gen_int(g, 4, 2);                        /* max_sched_domains */
        for (unsigned cpu = 0; cpu < GENERATE_CPUS; cpu++) {
            gen_int(g, 4, cpu);
            gen_int(g, 4, 2);
            for (unsigned domain = 0; domain < 2; domain++) {
                gen_int(g, 4, domain);
                if (g->variant % 2)
                    gen_string(g, domain ? "PKG" : "SMT");
                gen_string(g, "00000007");
                gen_string(g, "0-2");
            }
        }
        break;
    case PC_DIR_FORMAT:
        gen_int(g, 8, g->directory == GENERATE_DIR_STREAMS);
        break;
    case PC_COMPRESSED_FEATURE:
        gen_int(g, 4, 0); /* version */
        gen_int(g, 4, PC_COMPRESSION_ZSTD);
        gen_int(g, 4, 1); /* level */
        gen_int(g, 4, 1); /* ratio */
        gen_int(g, 4, GENERATE_MMAP_LEN);
        break;
    case PC_AUXTRACE_INDEX:
        gen_int(g, 8, g->nr_auxtrace);
        for (unsigned i = 0; i < g->nr_auxtrace; i++) {
            gen_int(g, 8, g->auxtrace[i]);
            gen_int(g, 8, 48);
        }
        break;
    default:
        break;
    }
}

static inline void gen_feature(struct generate *g, uint64_t bit)
{
    const struct synth_want want[] = {
        { "available", GENERATE_CPUS, NULL },
        { "online", GENERATE_CPUS, NULL },
        { "cpus", 0, "0-2" },
        { "pmu_name", 0, "cpu" },
        { "size_bits", 70, NULL },
        { "clockid", 1, NULL },
        { "misc", PC_MISC_BUILD_ID_SIZE | 2, NULL },
        { "build_id_size", 20, NULL },
        { "bytes", 64, NULL },
        { g->reader ? "socket_id" : " ", 1, NULL }, /* nor this, where it is high */
        { NULL, 0, NULL },
    };
    struct synth_want more[PC_COUNT_OF(want) + 3];
    struct pc_layout layout = {
        .slot = { [PC_SLOT_NR_CPUS] = GENERATE_CPUS, [PC_SLOT_NR_ONLINE] = GENERATE_CPUS }
    };
    memcpy(more + 3, want, sizeof(want));
    more[0] = (struct synth_want){ bit == PC_PMU_MAPPINGS ? "name" : " ", 0, "cpu" };
    more[1] = (struct synth_want){ bit == PC_CPU_TOPOLOGY || bit == PC_MEM_TOPOLOGY ? "" : " ", 1, "0-1" };
    more[2] = (struct synth_want){ bit == PC_SAMPLE_TIME ? "first" : " ", g->first_sample, NULL };
    if (bit == PC_SAMPLE_TIME)
        more[1] = (struct synth_want){ "last", g->last_sample, NULL };
    if (bit == PC_TRACING_DATA) {
        gen_tracing_data(g);
    } else if (bit == PC_EVENT_DESC) {
        gen_event_desc(g);
    } else if (bit == PC_GROUP_DESC || bit == PC_CPU_DOMAIN_INFO || bit == PC_AUXTRACE_INDEX ||
               bit == PC_DIR_FORMAT || bit == PC_COMPRESSED_FEATURE) {
        gen_lists(g, bit);
    } else {
        gen_begin(g);
        /* No counts of 0, all parts of what may end early, and room for strings as perf makes it. */
        g->synth.variant = bit == PC_CPU_TOPOLOGY ? 0 : g->variant % 2;
        g->synth.want = more;
        bool made = synth_feature(&g->synth, pc_feature_info(bit)->fields, &layout, g->seed * 10000 + bit);
        GENERATE_MUST(made, pc_feature_info(bit)->name);
        if (bit == PC_BUILD_ID) {
            for (size_t at = 0; at < g->synth.len; at += g->synth.variant % 2 ? 100 : 44)
                memset(g->synth.bytes + at, 0, 4); /* the type says nothing */
        }
        gen_put(g, g->synth.bytes, g->synth.len);
    }
}

static inline bool gen_planned_feature(const struct generate *g, uint64_t bit)
{
    uint64_t branches = 0;
    switch (bit) {
    case PC_HOSTNAME: /* tells the byte order */
    case PC_NRCPUS:   /* others need it */
        return true;
    case PC_TRACING_DATA:
        return g->tracepoint < g->nr_attrs;
    case PC_BRANCH_STACK:
        for (uint32_t i = 0; i < g->nr_attrs; i++)
            branches |= g->layout[i].mask & PC_S_BRANCH_STACK;
        return branches != 0;
    case PC_AUXTRACE_INDEX:
        return g->has_auxtrace;
    case PC_STAT_FEATURE:
        return g->has_stat;
    case PC_SAMPLE_TIME:
        if (!g->pipe && g->first_sample == 0)
            return false;
        break;
    case PC_GROUP_DESC:
        if (gen_group(g) == g->nr_attrs)
            return false;
        break;
    case PC_CLOCK_DATA: /* of the clock that attrs name */
        if (g->attr_size <= pc_row_at(pc_attr_fields, PC_ATTR_CLOCKID))
            return false;
        break;
    default:
        break;
    }
    return g->plan->features >> bit & 1;
}

static inline bool gen_has(const struct generate *g, uint64_t bit)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    if (g->reader && bit > g->reader->feature)
        return false;
    if (bit == PC_DIR_FORMAT)
        return g->directory != GENERATE_NO_DIRECTORY;
    if (bit == PC_COMPRESSED_FEATURE)
        return g->compress != 0;
    return info && (!g->pipe || (info->flags & PC_SENT_IN_PIPE)) && (!g->plan || gen_planned_feature(g, bit));
}

/* --- containers --- */

/* A record whose size is known when it ends. */
static inline size_t gen_open(struct generate *g, uint32_t type, uint16_t misc)
{
    size_t at = g->len;
    gen_int(g, 4, type);
    gen_int(g, 2, misc);
    gen_int(g, 2, 0);
    return at;
}

static inline void gen_close(struct generate *g, size_t at)
{
    GENERATE_MUST(g->len - at <= PC_RECORD_SIZE_MAX, "record size");
    synth_store_as(g->bytes + at + 6, 2, g->len - at, g->order);
}

static inline void gen_file(struct generate *g)
{
    uint64_t bitmap[4] = { 0 }, table[PC_FEATURES][2] = { { 0 } };
    size_t ids, attrs, data, end, at;
    gen_put(g, NULL, PC_FILE_HEADER_SIZE);
    ids = g->len;
    for (uint32_t i = 0; i < g->nr_attrs; i++) {
        for (unsigned k = 0; k < GENERATE_IDS; k++)
            gen_int(g, 8, gen_id(i, k));
    }
    attrs = g->len;
    for (uint32_t i = 0; i < g->nr_attrs; i++) {
        gen_put(g, g->attr[i], g->attr_size);
        gen_int(g, 8, ids + 8 * GENERATE_IDS * i);
        gen_int(g, 8, 8 * GENERATE_IDS);
    }
    data = g->len;
    gen_records(g);
    end = g->len;
    for (uint64_t bit = 1; bit < PC_FEATURES; bit++)
        g->len += gen_has(g, bit) ? PC_SECTION_SIZE : 0;
    for (uint64_t bit = 1; bit < PC_FEATURES; bit++) {
        if (!gen_has(g, bit))
            continue;
        bitmap[bit / 64] |= PC_FLAG(bit % 64);
        table[bit][0] = g->len;
        gen_feature(g, bit);
        table[bit][1] = g->len - table[bit][0];
    }
    size_t whole = g->len;
    g->len = end;
    for (uint64_t bit = 1; bit < PC_FEATURES; bit++) {
        if (gen_has(g, bit)) {
            gen_int(g, 8, table[bit][0]);
            gen_int(g, 8, table[bit][1]);
        }
    }
    g->len = 0;
    gen_int(g, 8, 0x32454c4946524550);
    const uint64_t words[] = {
        PC_FILE_HEADER_SIZE, g->attr_size + PC_SECTION_SIZE, attrs, data - attrs, data, end - data, 0, 0
    };
    for (at = 0; at < PC_COUNT_OF(words); at++)
        gen_int(g, 8, words[at]);
    for (at = 0; at < PC_COUNT_OF(bitmap); at++)
        gen_int(g, 8, bitmap[at]);
    g->len = whole;
}

/* With room for a name padded to 8 behind 36 bytes, and a size that is a multiple of 8. */
static inline void gen_header_build_id(struct generate *g)
{
    const size_t name_at = 36, at = g->len;
    gen_record(g, PC_HEADER_BUILD_ID, 0, 0);
    size_t name = strlen((const char *)g->bytes + at + name_at) + 1;
    size_t wanted = (name_at + (name + 7) / 8 * 8 + 7) / 8 * 8;
    GENERATE_MUST(g->len - at <= wanted, "a build id without surplus");
    gen_put(g, NULL, wanted - (g->len - at));
    gen_close(g, at);
}

static inline void gen_pipe(struct generate *g)
{
    size_t at;
    uint64_t newest = 0, mark;
    gen_int(g, 8, 0x32454c4946524550);
    gen_int(g, 8, PC_PIPE_HEADER_SIZE);
    for (uint32_t i = 0; i < g->nr_attrs; i++) {
        at = gen_open(g, PC_HEADER_ATTR, 0);
        gen_put(g, g->attr[i], g->attr_size);
        for (unsigned k = 0; k < GENERATE_IDS; k++)
            gen_int(g, 8, gen_id(i, k));
        gen_close(g, at);
    }
    g->first_sample = g->last_sample = 0; /* a pipe does not know them yet */
    for (uint64_t bit = 1; bit < PC_FEATURES; bit++) {
        if (!gen_has(g, bit))
            continue;
        newest = bit;
        at = gen_open(g, PC_HEADER_FEATURE, 0);
        gen_int(g, 8, bit);
        gen_feature(g, bit);
        gen_close(g, at);
    }
    at = gen_open(g, PC_HEADER_FEATURE, 0); /* the end mark of perf 6.12 or 7.2 */
    mark = newest < PC_CPU_DOMAIN_INFO && g->attr_size <= 136 ? PC_CPU_DOMAIN_INFO : PC_FEATURES;
    gen_int(g, 8, g->reader ? g->reader->feature + 1u : mark);
    gen_close(g, at);
    if (!g->plan || gen_planned_feature(g, PC_TRACING_DATA)) {
        size_t record = gen_open(g, PC_HEADER_TRACING_DATA, 0);
        gen_int(g, 4, 0);
        gen_close(g, record);
        at = g->len;
        gen_tracing_data(g);
        gen_put(g, NULL, (8 - (g->len - at) % 8) % 8);
        synth_store_as(g->bytes + record + 8, 4, g->len - at, g->order);
    }
    g->member[0].run = g->len; /* nothing before is ever compressed */
    if (!g->plan || gen_planned_feature(g, PC_BUILD_ID))
        gen_header_build_id(g);
    gen_records(g);
}

/* The copy of a kernel: an ELF core of one segment, symbols, modules. */
static inline void gen_kcore(struct generate *g, bool guest)
{
    static const char *const names[2][3] = {
        { "kcore_dir/kcore", "kcore_dir/kallsyms", "kcore_dir/modules" },
        { "kcore_dir__7/kcore", "kcore_dir__7/kallsyms", "kcore_dir__7/modules" },
    };
    static const unsigned phoff = 64, segment = 120;
    for (unsigned i = 0; i < 3; i++) {
        gen_select(g, 1 + GENERATE_STREAMS + i);
        g->member[g->out].name = names[guest][i];
        switch (i) {
        case 0: /* elf.h: Elf64_Ehdr, Elf64_Phdr */
            gen_put(g, "\177ELF", 4);
            gen_int(g, 1, 2);
            gen_int(g, 1, g->order == PC_BIG ? 2 : 1);
            gen_int(g, 1, 1);
            gen_put(g, "\0\0\0\0\0\0\0\0", 9);
            gen_int(g, 2, 4);                            /* a core */
            gen_int(g, 2, g->order == PC_BIG ? 22 : 62); /* s390, or x86-64 */
            gen_int(g, 4, 1);
            gen_int(g, 8, 0);
            gen_int(g, 8, phoff);
            gen_int(g, 8, 0);
            gen_int(g, 4, 0);
            gen_int(g, 2, 64);
            gen_int(g, 2, 56);
            gen_int(g, 2, 1);
            gen_put(g, "\0\0\0\0\0\0", 6);
            gen_int(g, 4, 1); /* PT_LOAD */
            gen_int(g, 4, 7);
            gen_int(g, 8, segment);
            gen_int(g, 8, 0xffffffff81000000);
            gen_int(g, 8, 0);
            gen_int(g, 8, 16);
            gen_int(g, 8, 16);
            gen_int(g, 8, 4096);
            gen_put(g, "code of a kernel", 16);
            break;
        case 1:
            gen_put(g, "ffffffff81000000 T _text\n", 25);
            break;
        default:
            gen_put(g, "demo 16384 0 - Live 0xffffffffc0000000\n", 39);
            break;
        }
    }
    gen_select(g, 0);
}

static inline void gen_directory(struct generate *g)
{
    static const char *const names[1 + GENERATE_STREAMS] = { "data", "data.0", "data.1", "data.2" };
    for (unsigned i = 0; i <= GENERATE_STREAMS; i++)
        g->member[i].name = names[i];
    g->stream = 1;
    gen_file(g);
    if (g->directory == GENERATE_DIR_KCORE || g->variant % 2)
        gen_kcore(g, g->variant % 4 > 1);
    gen_select(g, 0);
    g->bytes = NULL;
}

/* Fills g->bytes, or g->member; what stands in front of them is given. */
static inline void generate(struct generate *g)
{
    g->bytes = gen_room();
    memset(g->member, 0, sizeof(g->member));
    g->out = 0;
    g->len = 0;
    g->canonical = !g->compress && !g->directory;
    g->nr_attrs = g->nr_auxtrace = 0;
    g->nr_records = g->nr_rounds = 0;
    g->has_stat = g->has_auxtrace = false;
    g->first_sample = g->last_sample = 0;
    g->attr_size = g->attr_size ? g->attr_size : PC_ATTR_SIZE_KNOWN;
    g->time = GENERATE_TIME;
    gen_attrs(g);
    if (g->pipe)
        gen_pipe(g);
    else if (g->directory)
        gen_directory(g);
    else
        gen_file(g);
}

#endif

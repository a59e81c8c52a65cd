/* SPDX-License-Identifier: MIT
 *
 * Records of generated captures: what they consist of, and in which order they come.
 */
#include "generate/parts.h"

#include <string.h>

static uint16_t gen_misc(uint32_t type, unsigned variant)
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
void gen_record(struct generate *g, uint32_t type, unsigned variant, uint32_t attr)
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
        { "ptid", 99, NULL },
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
        /* Times of counts, which never become less. */
        { type == PC_STAT ? "ena" : " ", g->time, NULL },
        { type == PC_STAT ? "run" : " ", g->time, NULL },
        /* The record that the bytes of a trace follow. */
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
    if (type == PC_AUXTRACE_INFO && variant % 5 == 2) { /* CS_ETM: nothing follows the CPUs */
        s->len -= 16;
        synth_store(s, 6, 2, s->len);
        g->is_coresight = true;
    }
    if (type == PC_BPF_METADATA) { /* room for a trailer, zero */
        s->len += pc_sample_id_size(g->layout[0].mask);
        synth_store(s, 6, 2, s->len);
    }
    synth_fill_record(s, type, &layout, g->seed * 1000003 + g->nr_records++ * 256 + type);
    size_t name = type == PC_MMAP && misc == PC_MODE_KERNEL
                      ? PC_RECORD_HEADER_SIZE + pc_row_at(pc_record_info(type)->fields, PC_REC_NAME)
                      : 0;
    if (name != 0 && s->bytes[name] != 0)
        s->bytes[name] = 'K';                   /* no name in user space has this letter */
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

bool gen_is_header(uint32_t type)
{
    return (type >= PC_HEADER_ATTR && type <= PC_HEADER_BUILD_ID) || type == PC_HEADER_FEATURE ||
           type == PC_COMPRESSED || type == PC_COMPRESSED2;
}

/* Records that come early, and once. */
static const uint32_t generate_first[] = { PC_ID_INDEX,   PC_TIME_CONV, PC_AUXTRACE_INFO,
                                           PC_THREAD_MAP, PC_CPU_MAP,   PC_STAT_CONFIG };

static bool gen_is_first(uint32_t type)
{
    for (size_t i = 0; i < PC_COUNT_OF(generate_first); i++) {
        if (type == generate_first[i])
            return true;
    }
    return false;
}

/* A second SCHEDSTAT_CPU begins the second statistics, which have only what the first have. */
static bool gen_is_once(uint32_t type)
{
    return gen_is_first(type) || type == PC_FINISHED_INIT || type == PC_SCHEDSTAT_CPU;
}

/* Whether a record of the type may follow the records so far. */
static bool gen_can_stand(const struct generate *g, uint32_t type, const uint64_t *came)
{
    bool once = gen_is_once(type);
    if (g->reader && type > (pc_is_kernel_type(type) ? g->reader->kernel_type : g->reader->user_type))
        return false;
    if (type == PC_HEADER_EVENT_TYPE)
        return g->pipe;
    if (type == PC_FINISHED_ROUND && g->directory == GENERATE_DIR_STREAMS)
        return false; /* there are none among streams */
    if (!pc_record_info(type) || gen_is_header(type) || (once && (came[type / 64] >> type % 64 & 1)))
        return false;
    if ((type == PC_AUXTRACE && (g->is_coresight || g->nr_auxtrace == PC_COUNT_OF(g->auxtrace))) ||
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
static bool gen_samples(const struct generate *g, uint32_t attr)
{
    uint64_t mask = g->layout[attr].mask;
    return !(mask & PC_S_READ) || (mask & PC_LAYOUT_READ(PC_READ_ID));
}

/* The record of a type that has this form in a sound capture. */
static void gen_form(struct generate *g, uint32_t type, unsigned form, uint32_t attr)
{
    if (type == PC_EVENT_UPDATE && form == 7)
        form = 23; /* its map is not empty */
    if (type == PC_BPF_METADATA)
        form &= ~1u; /* nothing after its trailer */
    gen_record(g, type, form, attr);
}

static void gen_first(struct generate *g, uint32_t type, unsigned v)
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
    { PC_AUXTRACE, PC_TIME_CONV },
    { PC_AUXTRACE, PC_AUXTRACE_INFO },
    { PC_AUXTRACE_INFO, PC_TIME_CONV },
    { PC_STAT, PC_STAT_CONFIG },
    { PC_STAT, PC_CPU_MAP },
    { PC_STAT, PC_THREAD_MAP },
    { PC_STAT_ROUND, PC_STAT_CONFIG },
    { PC_STAT_ROUND, PC_CPU_MAP },
    { PC_STAT_ROUND, PC_THREAD_MAP },
    { PC_CALLCHAIN_DEFERRED, PC_LOST },
    { PC_SCHEDSTAT_DOMAIN, PC_SCHEDSTAT_CPU },
};

static void gen_planned_record(struct generate *g, uint64_t *came, uint32_t type, unsigned variant,
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

static void gen_planned_records(struct generate *g)
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
        g->nr_records = 0; /* what comes before a record does not change it */
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
static void gen_all_records(struct generate *g)
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
            if (gen_is_once(type) && k > 0)
                continue;
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

void gen_records(struct generate *g)
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

/* SPDX-License-Identifier: MIT
 *
 * Features of generated captures.
 */
#include "generate/parts.h"

#include <string.h>

static void gen_event_desc(struct generate *g)
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
static uint32_t gen_group(const struct generate *g)
{
    for (uint32_t i = 0; i + 1 < g->nr_attrs; i++) {
        if (!((g->layout[i].mask | g->layout[i + 1].mask) & PC_S_READ))
            return i;
    }
    return g->nr_attrs;
}

static void gen_lists(struct generate *g, uint64_t bit)
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

void gen_feature(struct generate *g, uint64_t bit)
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
    if (bit == PC_CPUID)
        more[1] = (struct synth_want){ "value", 0, "AuthenticAMD,25,1,1" };
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
        /* No counts of 0, all optional parts, and strings padded as perf does. */
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

bool gen_planned_feature(const struct generate *g, uint64_t bit)
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

bool gen_has(const struct generate *g, uint64_t bit)
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

/* SPDX-License-Identifier: MIT
 *
 * Records of perf stat: their values belong to the CPUs and threads of the maps before them.
 */
#include "check/flow_rule.h"

struct stat {
    bool has_config, has_room; /* has_room: perf made it, as both maps came */
    bool knows_cpus;           /* those of all maps so far */
    uint64_t cpu_maps, sound_cpu_maps, thread_maps, sound_thread_maps; /* sound: without an error */
    uint64_t nr_threads, most_threads; /* of the last map; of the largest one */
    struct pc_cpu_set set;             /* the CPUs of CPU_MAP; "any" is one of them */
};

/* The CPUs of a map, whatever its encoding; they come as leaves of its array. */
static void learn_map_leaf(struct pc_flow *flow, void *state, const struct pc_leaf *leaf)
{
    struct stat *own = state;
    struct pc_cpus cpus;
    uint64_t before = own->set.work;
    if (pc_cpus_of_leaf(leaf, &cpus))
        pc_cpu_set_add(&own->set, &cpus);
    flow->work += own->set.work - before;
}

/* perf has room for counts once both maps are there: builtin-script.c: set_maps. */
static void say_no_maps(struct pc_flow *flow, const struct stat *own, size_t length)
{
    if (own->cpu_maps == 0 || own->thread_maps == 0)
        pc_flow_say(flow, PC_D_STAT_WITHOUT_MAPS, 0, length, pc_none,
                    pc_text_value(own->cpu_maps != 0 ? "THREAD_MAP" : "CPU_MAP"));
}

static void check_stat(struct pc_flow *flow, const struct stat *own, const struct pc_facts *record)
{
    uint64_t cpu = record->slot[PC_SLOT_CPU], thread = record->slot[PC_REC_THREAD], index;
    say_no_maps(flow, own, record->slot_at[PC_SLOT_ID] + 8);
    bool any = cpu == UINT32_MAX && pc_bit(own->set.cpus, PC_CPU_ANY);
    if (own->knows_cpus && !any && (cpu >= PC_CPU_ANY || !pc_bit(own->set.cpus, cpu))) {
        bool outside = cpu >= own->set.nr;
        pc_flow_say_slot(flow, record, outside ? PC_D_STAT_CPU_OUTSIDE : PC_D_STAT_CPU, PC_SLOT_CPU,
                         pc_uint_value(cpu), pc_none);
    }
    uint32_t attr = pc_capture_event_of(flow->capture, record->slot[PC_SLOT_ID]);
    if (own->knows_cpus && (!pc_stat_index(flow->capture, attr, cpu, &index) || index != cpu))
        pc_flow_say_for(flow, PC_D_FOR_STAT_INDEX, pc_diag_info(PC_D_FOR_STAT_INDEX)->rejected_by,
                        record->slot_at[PC_SLOT_CPU], 4, pc_uint_value(cpu));
    bool knows_threads = own->thread_maps != 0 && own->sound_thread_maps == own->thread_maps;
    if (knows_threads && thread >= own->nr_threads)
        pc_flow_say_slot(flow, record, PC_D_STAT_THREAD, PC_REC_THREAD, pc_uint_value(thread),
                         pc_uint_value(own->nr_threads));
}

/* --- how much room counts take --- */

enum { COUNTS_MOST = 1 << 24, CPUS_MOST = PC_CPU_MAX + 1 };

static uint64_t cpus_of(const struct pc_cpu_map *map)
{
    return map && map->sound ? map->set.nr : CPUS_MOST;
}

/* Once both maps are there, perf has some 80 bytes for each event, CPU and thread: stat.c:
 * evlist__alloc_stats. */
static void check_room(struct pc_flow *flow, struct stat *own, const struct pc_item *item)
{
    const struct pc_capture *capture = flow->capture;
    const uint64_t cpus = cpus_of(capture->cpu_maps.all);
    uint64_t counts = 0;
    if (own->has_room || own->cpu_maps == 0 || own->thread_maps == 0)
        return;
    own->has_room = true;
    for (uint32_t i = 0; i < capture->nr_attrs; i++) {
        uint64_t events = capture->attr[i].has_cpus ? cpus_of(capture->attr[i].cpus) : 0;
        counts += (events > cpus ? events : cpus) * own->most_threads;
    }
    if (counts > COUNTS_MOST)
        pc_flow_say(flow, PC_D_STAT_ROOM, 0, item->bytes.len, pc_uint_value(counts),
                    pc_uint_value(COUNTS_MOST));
}

static void note_stat(struct pc_flow *flow, void *state, const struct pc_item *item)
{
    (void)flow;
    struct stat *own = state;
    own->has_config |= item->type == PC_STAT_CONFIG;
    own->cpu_maps += item->type == PC_CPU_MAP;
    own->thread_maps += item->type == PC_THREAD_MAP;
    own->knows_cpus &= item->type != PC_CPU_MAP;
}

static void record_stat(struct pc_flow *flow, void *state, const struct pc_facts *record)
{
    struct stat *own = state;
    const struct pc_item *item = record->item;
    switch (item->type) {
    case PC_THREAD_MAP:
        if (own->thread_maps > 1)
            pc_flow_say(flow, PC_D_THREAD_MAP_TWICE, 0, item->bytes.len, pc_none, pc_none);
        own->sound_thread_maps += !record->faulty;
        own->nr_threads = record->slot[PC_REC_NR];
        if (own->nr_threads > own->most_threads)
            own->most_threads = own->nr_threads;
        check_room(flow, own, item);
        return;
    case PC_CPU_MAP:
        if (own->cpu_maps > 1)
            pc_flow_say(flow, PC_D_CPU_MAP_TWICE, 0, item->bytes.len, pc_none, pc_none);
        own->sound_cpu_maps += !record->faulty;
        own->knows_cpus = own->sound_cpu_maps == own->cpu_maps;
        check_room(flow, own, item);
        return;
    case PC_STAT:
        check_stat(flow, own, record);
        break;
    case PC_STAT_ROUND:
        say_no_maps(flow, own, item->bytes.len);
        break;
    default:
        return;
    }
    if (!own->has_config)
        pc_flow_say(flow, PC_D_STAT_WITHOUT_CONFIG, 0, item->bytes.len, pc_none, pc_none);
}

/* perf stat report finds the cores and sockets of CPUs there; without it, it reads them through a NULL. */
static void judge_topology(struct pc_flow *flow, void *state)
{
    const struct stat *own = state;
    const struct pc_capture *capture = flow->capture;
    if (capture->is_pipe || capture->unfinished || !own->has_config ||
        own->set.nr == pc_bit(own->set.cpus, PC_CPU_ANY) || pc_bit(capture->features, PC_CPU_TOPOLOGY))
        return;
    flow->at =
        (struct pc_context){ .place = PC_IN_HEADER, .offset = pc_row_at(pc_file_header, PC_HEAD_FEATURES) };
    pc_flow_say_for(flow, PC_D_FOR_STAT_TOPOLOGY, pc_diag_info(PC_D_FOR_STAT_TOPOLOGY)->rejected_by, 0,
                    PC_FEATURE_BITS / 8, pc_none);
}

const struct pc_flow_rule pc_flow_rule_stat = {
    .size = sizeof(struct stat),
    .types = (const uint16_t[]){ PC_STAT_CONFIG, PC_CPU_MAP, PC_THREAD_MAP, PC_STAT, PC_STAT_ROUND, 0 },
    .came = note_stat,
    .record = record_stat,
    .fields = (const uint16_t[]){ PC_CPU_MAP, 0 },
    .field = learn_map_leaf,
    .end = judge_topology,
};

/* SPDX-License-Identifier: MIT
 *
 * Statistics of the scheduler come twice, before and after the workload, each CPU with its domains behind it.
 * tools/perf/builtin-sched.c: perf_sched__process_schedstat looks up those of the second time among those of
 * the first, without a test.
 */
#include "check/flow_rule.h"

enum { CPU_BITS = 13 };

struct schedstat {
    bool has_cpu;          /* sound or not */
    bool any_came, second; /* second: the first CPU came again */
    uint64_t first_cpu;
    struct pc_set cpus; /* of the first time; extra: how many domains it has */
    uint64_t cpu;       /* the last one ... */
    uint64_t domains;   /* ... and how many of its came */
};

static void take_cpu(struct pc_flow *flow, struct schedstat *own, const struct pc_facts *record)
{
    uint64_t cpu = record->slot[PC_SLOT_CPU];
    own->second |= own->any_came && cpu == own->first_cpu;
    if (!own->any_came)
        own->first_cpu = cpu;
    own->any_came = true;
    own->cpu = cpu;
    own->domains = 0;
    if (!own->second)
        pc_flow_add(flow, &own->cpus, CPU_BITS, cpu);
    else if (!own->cpus.full && !pc_flow_find(flow, &own->cpus, cpu))
        pc_flow_say_slot(flow, record, PC_D_SCHEDSTAT_CPU, PC_SLOT_CPU, pc_uint_value(cpu), pc_none);
}

static void take_domain(struct pc_flow *flow, struct schedstat *own, const struct pc_facts *record)
{
    struct pc_entry *entry = own->any_came ? pc_flow_find(flow, &own->cpus, own->cpu) : NULL;
    own->domains++;
    if (!own->has_cpu && !record->faulty)
        pc_flow_say(flow, PC_D_SCHEDSTAT_NO_CPU, 0, record->item->bytes.len, pc_none, pc_none);
    if (entry && !own->second)
        entry->extra = own->domains;
    else if (entry && own->domains > entry->extra)
        pc_flow_say(flow, PC_D_SCHEDSTAT_DOMAIN, 0, record->item->bytes.len, pc_uint_value(own->domains),
                    pc_uint_value(entry->extra));
}

static void note(struct pc_flow *flow, void *state, const struct pc_item *item)
{
    struct schedstat *own = state;
    (void)flow;
    own->has_cpu |= item->type == PC_SCHEDSTAT_CPU;
}

static void take_record(struct pc_flow *flow, void *state, const struct pc_facts *record)
{
    if (record->item->type == PC_SCHEDSTAT_CPU)
        take_cpu(flow, state, record);
    else
        take_domain(flow, state, record);
}

static void clear(struct pc_flow *flow, void *state)
{
    struct schedstat *own = state;
    pc_set_clear(flow->mem, &own->cpus);
}

const struct pc_flow_rule pc_flow_rule_schedstat = {
    .size = sizeof(struct schedstat),
    .types = (const uint16_t[]){ PC_SCHEDSTAT_CPU, PC_SCHEDSTAT_DOMAIN, 0 },
    .came = note,
    .record = take_record,
    .clear = clear,
};

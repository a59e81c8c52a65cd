/* SPDX-License-Identifier: MIT
 *
 * Tasks: COMM or FORK introduces each task before other records name it (FORMAT.md 10, rows 113 and 288).
 */
#include "check/flow_rule.h"

#define TIDS     ((uint64_t)1 << 22) /* include/linux/threads.h: PID_MAX_LIMIT */
#define TID_PAGE ((uint64_t)1 << 15) /* most captures have tids of one or two pages */

struct tasks {
    bool knows_any;
    uint64_t *known[TIDS / TID_PAGE]; /* tids that COMM or FORK told of, a page of bits for each run */
    struct pc_set named;              /* others, by tid: where they are in the first record that names them */
};

static void know_tid(struct pc_flow *flow, struct tasks *tasks, uint64_t tid)
{
    tasks->knows_any = true;
    if (tid >= TIDS)
        return;
    uint64_t **page = &tasks->known[tid / TID_PAGE];
    if (!*page && !(*page = pc_alloc(flow->mem, TID_PAGE / 8)))
        flow->no_memory = true;
    else
        pc_set_bit(*page, tid % TID_PAGE);
}

static bool is_known(const struct tasks *tasks, uint64_t tid)
{
    const uint64_t *page = tid < TIDS ? tasks->known[tid / TID_PAGE] : NULL;
    return tid == 0 || tid == UINT32_MAX || (page && pc_bit(page, tid % TID_PAGE));
}

/* A record names a task. At the end it is known whether a COMM or FORK introduces it. */
static void name_tid(struct pc_flow *flow, struct tasks *tasks, uint64_t tid, uint32_t type, size_t at)
{
    const unsigned bits = 12;
    if (tasks->knows_any && is_known(tasks, tid))
        return;
    struct pc_entry *entry = pc_flow_add(flow, &tasks->named, bits, tid);
    if (entry && entry->extra == 0)
        entry->extra = (uint64_t)pc_flow_place_in(flow, at) << 8 | type;
}

static void record_task(struct pc_flow *flow, void *own, const struct pc_facts *record)
{
    const uint64_t *slot = record->slot;
    size_t tid_at;
    switch (record->item->type) {
    case PC_SAMPLE:
        tid_at = record->layout->tid_at;
        if (tid_at != 0)
            name_tid(flow, own, pc_load(record->item->bytes.ptr + tid_at, 4, flow->capture->order), PC_SAMPLE,
                     tid_at);
        break;
    case PC_COMM:
        know_tid(flow, own, slot[PC_REC_TID]);
        break;
    case PC_FORK:
        know_tid(flow, own, slot[PC_REC_TID]);
        /* Records that perf makes up have no time; init and the kernel's first thread have no parent there.
         */
        if (slot[PC_REC_PPID] == 0 && slot[PC_REC_START] != 0)
            pc_flow_say_slot(flow, record, PC_D_FORK_PARENT, PC_REC_PPID, pc_uint_value(0), pc_none);
        break;
    default: /* EXIT */
        /* A task may end while perf still lists those that were there: its records come in the first round.
         */
        if (flow->rounds != 0)
            name_tid(flow, own, slot[PC_REC_TID], PC_EXIT, record->slot_at[PC_REC_TID]);
        break;
    }
}

static void judge_tasks(struct pc_flow *flow, void *own)
{
    const struct tasks *tasks = own;
    if (!tasks->knows_any)
        return;
    flow->work += tasks->named.nr;
    for (size_t i = 0; i < tasks->named.nr; i++) {
        const struct pc_entry *entry = (const struct pc_entry *)tasks->named.entry + i;
        uint32_t type = (uint32_t)(entry->extra & 0xff);
        if (is_known(tasks, entry->key))
            continue;
        pc_flow_say_entry(flow, type == PC_EXIT ? PC_D_EXIT_UNKNOWN : PC_D_THREAD_UNKNOWN, entry, type,
                          (size_t)(entry->extra >> 8), 4, pc_uint_value(entry->key));
    }
}

static void clear_tasks(struct pc_flow *flow, void *own)
{
    struct tasks *tasks = own;
    for (size_t i = 0; i < PC_COUNT_OF(tasks->known); i++)
        pc_free(flow->mem, tasks->known[i], TID_PAGE / 8);
    pc_set_clear(flow->mem, &tasks->named);
}

const struct pc_flow_rule pc_flow_rule_tasks = {
    .size = sizeof(struct tasks),
    .types = (const uint16_t[]){ PC_SAMPLE, PC_COMM, PC_FORK, PC_EXIT, 0 },
    .needs_all = true,
    .record = record_task,
    .end = judge_tasks,
    .clear = clear_tasks,
};

/* SPDX-License-Identifier: MIT */
#include "cli/tasks.h"

#include <stdlib.h>
#include <string.h>

void pc_tasks_clear(struct pc_tasks *tasks)
{
    memset(tasks, 0, sizeof(*tasks));
    tasks->last = &tasks->others;
}

/* The slot of a task, which is empty if it has none yet. */
static size_t slot_of(const struct pc_tasks *tasks, uint32_t pid, uint32_t tid)
{
    uint64_t hash = ((uint64_t)pid << 32 | tid) * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (size_t)(hash >> 32) % PC_TASK_SLOTS;
    while (tasks->slot[i].records != 0 && (tasks->slot[i].tid != tid || tasks->slot[i].pid != pid))
        i = (i + 1) % PC_TASK_SLOTS;
    return i;
}

const struct pc_task_facts *pc_tasks_find(const struct pc_tasks *tasks, uint32_t pid, uint32_t tid)
{
    const struct pc_task_facts *task = &tasks->slot[slot_of(tasks, pid, tid)];
    return task->records != 0 ? task : NULL;
}

struct pc_task_facts *pc_tasks_of(struct pc_tasks *tasks, uint32_t pid, uint32_t tid)
{
    struct pc_task_facts *task = tasks->last;
    if (task != &tasks->others && task->tid == tid && task->pid == pid)
        return task;
    task = &tasks->slot[slot_of(tasks, pid, tid)];
    if (task->records == 0 && tasks->nr == PC_TASKS_MAX)
        return tasks->last = &tasks->others;
    if (task->records == 0) {
        tasks->nr++;
        task->pid = pid;
        task->tid = tid;
        if (pid == 0 && tid == 0)
            strcpy(task->name, PC_IDLE_TASK);
    }
    return tasks->last = task;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare(const void *a, const void *b, void *ctx)
{
    const struct pc_tasks *tasks = ctx;
    const struct pc_task_facts *one = &tasks->slot[*(const uint16_t *)a],
                               *two = &tasks->slot[*(const uint16_t *)b];
    int order = compare_numbers(two->samples, one->samples);
    if (order == 0)
        order = compare_numbers(two->mmaps, one->mmaps);
    if (order == 0)
        order = compare_numbers(one->pid, two->pid);
    return order != 0 ? order : compare_numbers(one->tid, two->tid);
}

void pc_tasks_sort(struct pc_tasks *tasks)
{
    size_t nr = 0;
    for (size_t i = 0; i < PC_TASK_SLOTS; i++) {
        if (tasks->slot[i].records != 0)
            tasks->order[nr++] = (uint16_t)i;
    }
    qsort_r(tasks->order, nr, sizeof(*tasks->order), compare, tasks);
}

const struct pc_task_facts *pc_tasks_get(const struct pc_tasks *tasks, size_t i)
{
    return &tasks->slot[tasks->order[i]];
}

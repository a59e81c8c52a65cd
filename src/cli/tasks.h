/* SPDX-License-Identifier: MIT
 *
 * tasks.h: what a capture says about each task, in bounded memory.
 */
#ifndef PC_TASKS_H
#define PC_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PC_TASK_SLOTS ((size_t)1 << 14)
#define PC_TASKS_MAX  (PC_TASK_SLOTS / 4 * 3) /* then new ones are not told apart */
#define PC_TASK_NAME  72                      /* 16 bytes, each escaped */

/* The task 0 of each CPU, until a record names it: tools/perf/util/session.c,
 * perf_session__register_idle_thread. */
#define PC_IDLE_TASK "swapper"

struct pc_task_facts {
    uint32_t pid, tid;
    char name[PC_TASK_NAME]; /* the last one; "": none */
    uint64_t records;        /* those that name it; 0: an empty slot */
    uint64_t samples, period, mmaps;
    uint64_t forked, exited; /* times; 0: not known */
    bool has_forked, has_exited;
};

struct pc_tasks {
    struct pc_task_facts slot[PC_TASK_SLOTS];
    struct pc_task_facts others;  /* all tasks for which there was no slot */
    struct pc_task_facts unknown; /* samples that tell no task */
    struct pc_task_facts *last;
    size_t nr;
    uint16_t order[PC_TASKS_MAX]; /* see pc_tasks_sort */
};

void pc_tasks_clear(struct pc_tasks *tasks);

/* The task of a record; `others` when there is no room. */
struct pc_task_facts *pc_tasks_of(struct pc_tasks *tasks, uint32_t pid, uint32_t tid);

/* The same, but NULL if there was no record of it. */
const struct pc_task_facts *pc_tasks_find(const struct pc_tasks *tasks, uint32_t pid, uint32_t tid);

/* Orders them: most samples first, then most mmaps, then by numbers. */
void pc_tasks_sort(struct pc_tasks *tasks);

/* The task at a place of that order. */
const struct pc_task_facts *pc_tasks_get(const struct pc_tasks *tasks, size_t i);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The records are looked at in the order of their times, as perf does: the buffers of the CPUs are written
 * one after the other, so that an EXIT may come before the FORK of the same task.
 */
#include "write/lives.h"

#include "base/set.h"
#include "format/path.h"

#include <stdlib.h>

#define NONE      UINT32_MAX
#define TASKS_MAX ((size_t)1 << 22) /* include/linux/threads.h: PID_MAX_LIMIT */

/* What records belong to: the life of a task (FORK, NAMESPACES, EXIT), a name of it (COMM), the mappings of a
 * process. It needs what was made before it. */
struct owner {
    uint32_t life; /* of a name or of mappings: whose they are */
    uint32_t from; /* what a forked task had of this when it was made */
    uint32_t ended;
    bool kept;
};

/* Each is the last one that had this number. */
struct task {
    uint64_t tid;
    uint32_t pid, life, name;
    uint32_t image; /* of its process: how many it had. Exec ends all other tasks. */
};
struct process {
    uint64_t pid;
    uint32_t maps;
    uint32_t image, since; /* since: the age of the last exec */
    uint32_t living;       /* tasks */
};

struct lives {
    struct pc_mem *mem;
    struct pc_set tasks, processes;
    struct owner *owner; /* nr of them */
    size_t nr, cap;
    bool failed;
};

/* --- what a record tells --- */

static uint32_t number_of(const struct pc_content_item *item, const char *path, enum pc_order order)
{
    struct pc_field_place place = pc_place_in_record(pc_record_info(item->type), 0, path);
    return place.how == PC_PLACE_FRONT ? (uint32_t)pc_load(item->bytes.ptr + place.at, 4, order) : 0;
}

static bool is_of_a_task(const struct pc_item *record)
{
    const unsigned mode = record->misc & PC_MISC_CPUMODE;
    switch (record->type) {
    case PC_MMAP:
    case PC_MMAP2:
    case PC_COMM:
    case PC_FORK:
    case PC_EXIT:
    case PC_NAMESPACES:
        return mode == PC_MODE_USER || mode == PC_MODE_UNKNOWN;
    default:
        return false;
    }
}

void pc_life_note(struct pc_life_note *note, const struct pc_scan *scan, const struct pc_content_item *item)
{
    const struct pc_item *record = &item->source;
    const struct pc_capture *capture = &scan->capture;
    *note = (struct pc_life_note){ .number = record->number, .size = (uint32_t)item->bytes.len };
    note->time = scan->check.flow.times.released; /* without one, perf takes it at once */
    if (!is_of_a_task(record) || !record->judged || record->judged->attr >= capture->nr_attrs)
        return;
    const uint64_t mask = capture->layout[capture->attr[record->judged->attr].layout]->layout.mask;
    const uint64_t time = record->judged->slot[PC_SLOT_TIME];
    if ((mask & PC_LAYOUT_SAMPLE_ID) && (mask & PC_S_TIME) && time != 0 && time != UINT64_MAX)
        note->time = time;
    note->pid = number_of(item, "pid", capture->order);
    note->tid = number_of(item, "tid", capture->order);
    if (note->pid == 0 || note->tid == 0 || note->pid == UINT32_MAX || note->tid == UINT32_MAX)
        return;
    note->type = record->type;
    if (record->type == PC_FORK) {
        note->ppid = number_of(item, "ppid", capture->order);
        note->ptid = number_of(item, "ptid", capture->order);
        note->is_exec = (record->misc & PC_MISC_FORK_EXEC) != 0;
    } else if (record->type == PC_COMM) {
        note->is_exec = (record->misc & PC_MISC_COMM_EXEC) != 0;
    }
}

/* --- tasks begin and end --- */

static uint32_t make_owner(struct lives *l, uint32_t life, uint32_t from)
{
    if (l->nr >= NONE || !pc_grow(l->mem, &l->owner, &l->cap, l->nr + 1, sizeof(*l->owner))) {
        l->failed = true;
        return NONE;
    }
    l->owner[l->nr] = (struct owner){ .life = life, .from = from, .ended = NONE };
    return (uint32_t)l->nr++;
}

static void end_owner(struct lives *l, uint32_t i, uint32_t age)
{
    if (i != NONE && l->owner[i].ended == NONE)
        l->owner[i].ended = age;
}

static struct task *find_task(struct lives *l, uint32_t tid)
{
    uint64_t key = tid;
    return pc_set_find(&l->tasks, &key);
}

static struct process *find_process(struct lives *l, uint32_t pid)
{
    uint64_t key = pid;
    return pc_set_find(&l->processes, &key);
}

static bool is_alive(const struct lives *l, const struct task *task)
{
    return task && task->life != NONE && l->owner[task->life].ended == NONE;
}

static void end_task(struct lives *l, const struct task *task, uint32_t age)
{
    struct process *process = find_process(l, task->pid);
    end_owner(l, task->life, age);
    end_owner(l, task->name, age);
    if (process && process->image == task->image && process->living != 0 && --process->living == 0)
        end_owner(l, process->maps, age);
}

/* A task of this number begins, and one that has it ends. NULL: it failed. */
static struct task *begin_task(struct lives *l, uint32_t pid, uint32_t tid, uint32_t name, uint32_t age)
{
    uint64_t key = tid;
    struct task *task = find_task(l, tid);
    if (is_alive(l, task))
        end_task(l, task, age);
    task = pc_set_add(l->mem, &l->tasks, &key);
    if (!task) {
        l->failed = true;
        return NULL;
    }
    task->pid = pid;
    task->life = make_owner(l, NONE, NONE);
    task->name = make_owner(l, task->life, name);
    return task;
}

/* The same of a process and its first task. */
static struct process *begin_process(struct lives *l, uint32_t pid, uint32_t maps, uint32_t name,
                                     uint32_t age)
{
    uint64_t key = pid;
    struct process *process = find_process(l, pid);
    if (process) { /* those of its tasks that have not ended are no more */
        end_owner(l, process->maps, age);
        process->image++;
        process->since = age;
    }
    struct task *task = begin_task(l, pid, pid, name, age);
    process = task ? pc_set_add(l->mem, &l->processes, &key) : NULL;
    if (!process) {
        l->failed = true;
        return NULL;
    }
    process->maps = make_owner(l, task->life, maps);
    process->living = 1;
    task->image = process->image;
    return process;
}

/* The process, which a record may be the first to name. */
static struct process *process_of(struct lives *l, const struct pc_life_note *note)
{
    struct process *process = find_process(l, note->pid);
    if (process && process->living != 0)
        return process;
    return begin_process(l, note->pid, NONE, NONE, note->age);
}

static struct task *begin_thread(struct lives *l, const struct pc_life_note *note, uint32_t name)
{
    if (!process_of(l, note))
        return NULL;
    struct task *task = begin_task(l, note->pid, note->tid, name, note->age);
    struct process *process = find_process(l, note->pid);
    if (task && process) {
        process->living++;
        task->image = process->image;
    }
    return task;
}

static struct task *task_of(struct lives *l, const struct pc_life_note *note)
{
    if (!process_of(l, note))
        return NULL;
    struct task *task = find_task(l, note->tid);
    if (is_alive(l, task) && task->pid == note->pid)
        return task;
    return begin_thread(l, note, NONE);
}

/* --- one record each: what it belongs to --- */

static uint32_t take_fork(struct lives *l, const struct pc_life_note *note)
{
    const struct task *parent = find_task(l, note->ptid), *child;
    const struct process *process = find_process(l, note->ppid);
    uint32_t name = parent ? parent->name : NONE;
    uint32_t maps = process && !note->is_exec ? process->maps : NONE;
    if (note->pid == note->tid) {
        begin_process(l, note->pid, maps, name, note->age);
        child = find_task(l, note->tid);
    } else {
        child = begin_thread(l, note, name);
    }
    return child ? child->life : NONE;
}

static uint32_t take_comm(struct lives *l, const struct pc_life_note *note)
{
    struct task *task = task_of(l, note);
    struct process *process = find_process(l, note->pid);
    if (!task || !process)
        return NONE;
    end_owner(l, task->name, note->age);
    task->name = make_owner(l, task->life, NONE);
    if (note->is_exec) {
        end_owner(l, process->maps, note->age);
        process->maps = make_owner(l, task->life, NONE);
        process->since = note->age;
        process->living = 1;
        task->image = ++process->image;
    }
    return task->name;
}

static uint32_t take_exit(struct lives *l, const struct pc_life_note *note)
{
    const struct task *task = find_task(l, note->tid);
    if (!task) { /* nothing else is known of it */
        uint32_t life = make_owner(l, NONE, NONE);
        end_owner(l, life, note->age);
        return life;
    }
    if (is_alive(l, task))
        end_task(l, task, note->age);
    return task->life;
}

static uint32_t take_record(struct lives *l, const struct pc_life_note *note)
{
    const struct process *process;
    const struct task *task;
    switch (note->type) {
    case PC_FORK:
        return take_fork(l, note);
    case PC_COMM:
        return take_comm(l, note);
    case PC_EXIT:
        return take_exit(l, note);
    case PC_NAMESPACES:
        task = task_of(l, note);
        return task ? task->life : NONE;
    case 0:
        return NONE;
    default: /* MMAP, MMAP2 */
        process = process_of(l, note);
        return process ? process->maps : NONE;
    }
}

/* --- all of them --- */

static int by_time(const void *a, const void *b)
{
    const struct pc_life *one = a, *other = b;
    if (one->note.time != other->note.time)
        return one->note.time < other->note.time ? -1 : 1;
    return one->index < other->index ? -1 : 1;
}

/* Tasks of a process that has replaced them all. */
static void end_replaced(struct lives *l)
{
    for (size_t i = 0; i < l->tasks.nr; i++) {
        const struct task *task = (const struct task *)l->tasks.entry + i;
        const struct process *process = find_process(l, task->pid);
        if (process && process->image != task->image) {
            end_owner(l, task->life, process->since);
            end_owner(l, task->name, process->since);
        }
    }
}

/* What is needed was made before what needs it. */
static void keep_needed(struct lives *l, uint32_t now)
{
    for (size_t i = l->nr; i-- > 0;) {
        struct owner *owner = &l->owner[i];
        owner->kept |= owner->ended == NONE || (uint64_t)owner->ended + 2 > now;
        if (owner->kept && owner->life != NONE)
            l->owner[owner->life].kept = true;
        if (owner->kept && owner->from != NONE)
            l->owner[owner->from].kept = true;
    }
}

bool pc_lives_choose(struct pc_mem *mem, struct pc_life *lives, size_t nr, uint32_t now)
{
    struct lives l = {
        .mem = mem,
        .tasks = { .entry_size = sizeof(struct task), .key_size = 8, .most = TASKS_MAX },
        .processes = { .entry_size = sizeof(struct process), .key_size = 8, .most = TASKS_MAX },
    };
    if (nr != 0)
        qsort(lives, nr, sizeof(*lives), by_time);
    for (size_t i = 0; i < nr && !l.failed; i++)
        lives[i].owner = take_record(&l, &lives[i].note);
    if (!l.failed) {
        end_replaced(&l);
        keep_needed(&l, now);
    }
    for (size_t i = 0; i < nr && !l.failed; i++)
        lives[i].kept = lives[i].owner == NONE || l.owner[lives[i].owner].kept;
    pc_set_clear(mem, &l.tasks);
    pc_set_clear(mem, &l.processes);
    pc_free(mem, l.owner, l.cap * sizeof(*l.owner));
    return !l.failed;
}

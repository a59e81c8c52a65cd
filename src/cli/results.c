/* SPDX-License-Identifier: MIT */
#include "cli/results.h"

#include "base/set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* linux/perf_event.h, and perf: util/event.h */
enum { MMAP = 1, COMM = 3, EXIT = 4, FORK = 7, SAMPLE = 9, MMAP2 = 10, HEADER_BUILD_ID = 67 };
enum { MODES = 7, KERNEL = 1, USER = 2, COMM_EXEC = 1 << 13, MMAP_BUILD_ID = 1 << 14 };

enum { NO_NAME, UNKNOWN }; /* the first names */

#define NAMES_MAX     8192
#define THREADS_MAX   32768
#define PROCESSES_MAX 16384
#define MEMORY_MAX    ((uint64_t)24 << 20)

struct name {
    struct {
        uint64_t hash; /* of all of it */
        char text[248];
    } key;
    char build_id[2 * 20 + 1];
};

struct thread {
    uint64_t ids; /* pid and tid */
    uint32_t name;
};

/* Addresses up to the last one. */
struct map {
    uint64_t first, last;
    uint32_t name;
};

struct process {
    uint64_t pid;
    struct map *map; /* in the order of addresses; none overlaps another one */
    size_t nr, cap;
};

struct count {
    uint64_t names; /* event, command, binary: 16 bits each */
    uint64_t samples, period;
};

struct pc_results {
    perfcheck_t *pc;
    perfcheck_field_handle_t *pid, *tid, *ppid, *ptid, *ip, *period, *addr, *len, *comm, *filename;
    struct pc_mem mem;
    struct pc_set name, thread, process, count;
    size_t nr_maps;
    struct count others;
    char build_id[2 * 20 + 1]; /* of the file that is named next */
    uint64_t build_id_size;
};

static void clear(struct pc_results *r)
{
    const struct process *p = r->process.entry;
    for (size_t i = 0; i < r->process.nr; i++)
        pc_free(&r->mem, p[i].map, p[i].cap * sizeof(*p[i].map));
    pc_set_clear(&r->mem, &r->name);
    pc_set_clear(&r->mem, &r->thread);
    pc_set_clear(&r->mem, &r->process);
    pc_set_clear(&r->mem, &r->count);
    r->nr_maps = 0;
    r->others = (struct count){ 0 };
}

struct pc_results *pc_results_new(perfcheck_t *pc)
{
    struct pc_results *r = calloc(1, sizeof(*r));
    if (!r)
        return NULL;
    r->pc = pc;
    r->pid = perfcheck_field_handle(pc, "pid");
    r->tid = perfcheck_field_handle(pc, "tid");
    r->ppid = perfcheck_field_handle(pc, "ppid");
    r->ptid = perfcheck_field_handle(pc, "ptid");
    r->ip = perfcheck_field_handle(pc, "ip");
    r->period = perfcheck_field_handle(pc, "period");
    r->addr = perfcheck_field_handle(pc, "addr");
    r->len = perfcheck_field_handle(pc, "len");
    r->comm = perfcheck_field_handle(pc, "comm");
    r->filename = perfcheck_field_handle(pc, "filename");
    pc_mem_init(&r->mem, MEMORY_MAX);
    r->name = (struct pc_set){ .entry_size = sizeof(struct name),
                               .key_size = sizeof(((struct name *)0)->key),
                               .most = NAMES_MAX };
    r->thread = (struct pc_set){ .entry_size = sizeof(struct thread), .key_size = 8, .most = THREADS_MAX };
    r->process =
        (struct pc_set){ .entry_size = sizeof(struct process), .key_size = 8, .most = PROCESSES_MAX };
    r->count = (struct pc_set){ .entry_size = sizeof(struct count), .key_size = 8, .most = PC_RESULTS_MAX };
    return r;
}

void pc_results_free(struct pc_results *r)
{
    if (r)
        clear(r);
    free(r);
}

/* --- names --- */

/* FNV-1a. A text that does not fit ends before a character; what is left out is in the hash. */
uint32_t pc_results_name(struct pc_results *r, const char *text)
{
    struct name name = { .key.hash = UINT64_C(0xcbf29ce484222325) };
    size_t len = strnlen(text, sizeof(name.key.text));
    for (const char *t = text; *t; t++)
        name.key.hash = (name.key.hash ^ (unsigned char)*t) * UINT64_C(0x100000001b3);
    while (len == sizeof(name.key.text) || (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80))
        len--;
    memcpy(name.key.text, text, len);
    const struct name *found = pc_set_add(&r->mem, &r->name, &name.key);
    return found ? (uint32_t)(found - (const struct name *)r->name.entry) : UNKNOWN;
}

static const struct name *name_at(const struct pc_results *r, uint64_t number)
{
    return (const struct name *)r->name.entry + number;
}

bool pc_results_begin(struct pc_results *r)
{
    clear(r);
    return pc_results_name(r, "") == NO_NAME && pc_results_name(r, "[unknown]") == UNKNOWN && r->name.nr == 2;
}

/* --- what records do --- */

/* A mapping of the kernel is named after its first symbol too, in its build id it is not. */
static uint32_t name_file(struct pc_results *r, const char *text)
{
    static const char kernel[] = "[kernel.kallsyms]";
    return pc_results_name(r, strncmp(text, kernel, strlen(kernel)) == 0 ? kernel : text);
}

/* A build id, then the file that has it. */
static int take_build_id(void *ctx, const perfcheck_field_t *field)
{
    struct pc_results *r = ctx;
    if (strcmp(field->name, "build_id") == 0)
        snprintf(r->build_id, sizeof(r->build_id), "%s", field->value);
    if (strcmp(field->name, "build_id_size") == 0)
        r->build_id_size = field->number;
    if (strcmp(field->name, "filename") != 0)
        return 0;
    uint32_t name = name_file(r, field->value);
    if (name != UNKNOWN && r->build_id_size != 0 && 2 * r->build_id_size < sizeof(r->build_id))
        r->build_id[2 * r->build_id_size] = 0; /* 0: all of it, as before there were sizes */
    if (name != UNKNOWN)
        memcpy(((struct name *)r->name.entry)[name].build_id, r->build_id, sizeof(r->build_id));
    *r->build_id = 0;
    r->build_id_size = 0;
    return 0;
}

static bool get(struct pc_results *r, perfcheck_field_handle_t *field, uint64_t *number)
{
    return perfcheck_number_of(r->pc, field, number) == PERFCHECK_OK;
}

/* A number of a task. */
static uint32_t get_id(struct pc_results *r, perfcheck_field_handle_t *field)
{
    uint64_t id;
    return get(r, field, &id) ? (uint32_t)id : UINT32_MAX;
}

static bool look_at_map(struct pc_results *r, unsigned mode, struct pc_act *act)
{
    const char *file = perfcheck_text_of(r->pc, r->filename);
    act->kind = PC_ACT_MAP;
    act->name = file ? name_file(r, file) : UNKNOWN;
    if (mode == KERNEL)
        act->pid = PC_RESULT_KERNEL;
    return (mode == KERNEL || mode == USER) && get(r, r->addr, &act->at) && get(r, r->len, &act->amount) &&
           act->amount != 0;
}

static uint32_t name_command(struct pc_results *r)
{
    const char *text = perfcheck_text_of(r->pc, r->comm);
    return text ? pc_results_name(r, text) : UNKNOWN;
}

static bool look_at_sample(struct pc_results *r, const perfcheck_item_t *item, unsigned mode,
                           struct pc_act *act)
{
    act->kind = PC_ACT_SAMPLE;
    act->name = pc_results_name(r, item->event);
    act->kernel = mode == KERNEL;
    act->known = (mode == KERNEL || mode == USER) && get(r, r->ip, &act->at);
    if (!get(r, r->period, &act->amount))
        act->amount = 0;
    return true;
}

bool pc_results_look(struct pc_results *r, const perfcheck_item_t *item, struct pc_act *act)
{
    unsigned mode = item->misc & MODES;
    bool is_record = item->kind == PERFCHECK_RECORD;
    bool names_builds =
        is_record ? item->type == HEADER_BUILD_ID || (item->type == MMAP2 && (item->misc & MMAP_BUILD_ID))
                  : item->kind == PERFCHECK_FEATURE && strcmp(item->name, "BUILD_ID") == 0;
    if (names_builds)
        perfcheck_fields(r->pc, take_build_id, r);
    if (!is_record || item->type > MMAP2)
        return false;
    *act = (struct pc_act){ .pid = get_id(r, r->pid), .tid = get_id(r, r->tid) };
    switch (item->type) {
    case MMAP:
    case MMAP2:
        return look_at_map(r, mode, act);
    case COMM:
        act->kind = item->misc & COMM_EXEC ? PC_ACT_EXEC : PC_ACT_NAME;
        act->name = name_command(r);
        return true;
    case FORK:
        act->kind = PC_ACT_FORK;
        act->ppid = get_id(r, r->ppid);
        act->ptid = get_id(r, r->ptid);
        return true;
    case EXIT:
        act->kind = PC_ACT_EXIT;
        return act->pid == act->tid; /* of the whole process */
    case SAMPLE:
        return look_at_sample(r, item, mode, act);
    default:
        return false;
    }
}

/* --- mappings --- */

static void drop_maps(struct pc_results *r, struct process *p)
{
    pc_free(&r->mem, p->map, p->cap * sizeof(*p->map));
    r->nr_maps -= p->nr;
    p->map = NULL;
    p->nr = p->cap = 0;
}

/* Whether so many more fit. */
static bool has_room(struct pc_results *r, struct process *p, size_t more)
{
    return more <= PC_RESULT_MAPS - p->nr && more <= PC_ALL_MAPS - r->nr_maps &&
           ((p->map && p->nr + more <= p->cap) ||
            pc_grow(&r->mem, &p->map, &p->cap, p->nr + more, sizeof(*p->map)));
}

/* The first mapping that ends at or after an address. */
static size_t find_map(const struct process *p, uint64_t address)
{
    return pc_lower_bound(p->map, p->nr, sizeof(*p->map), offsetof(struct map, last), address);
}

/* Replaces the mappings from i to j. */
static void replace(struct pc_results *r, struct process *p, size_t i, size_t j, const struct map *with,
                    size_t nr)
{
    if (j < p->nr)
        memmove(p->map + i + nr, p->map + j, (p->nr - j) * sizeof(*p->map));
    memcpy(p->map + i, with, nr * sizeof(*p->map));
    p->nr += nr - (j - i);
    r->nr_maps += nr - (j - i);
}

/* A new mapping takes the place of what it overlaps. Without room for it nothing is known there. */
static void add_map(struct pc_results *r, const struct pc_act *act)
{
    const uint64_t pid = act->pid;
    struct process *p = pc_set_add(&r->mem, &r->process, &pid);
    struct map with[3];
    size_t nr = 0;
    if (!p)
        return;
    uint64_t last = act->amount - 1 > UINT64_MAX - act->at ? UINT64_MAX : act->at + act->amount - 1;
    size_t i = find_map(p, act->at), j = i;
    while (j < p->nr && p->map[j].first <= last)
        j++;
    if (!has_room(r, p, 2)) {
        if (j != i)
            replace(r, p, i, j, with, 0);
        return;
    }
    if (j != i && p->map[i].first < act->at)
        with[nr++] = (struct map){ p->map[i].first, act->at - 1, p->map[i].name };
    with[nr++] = (struct map){ act->at, last, act->name };
    if (j != i && p->map[j - 1].last > last)
        with[nr++] = (struct map){ last + 1, p->map[j - 1].last, p->map[j - 1].name };
    replace(r, p, i, j, with, nr);
}

/* The binary at an address. */
static uint32_t binary_at(struct pc_results *r, uint64_t pid, uint64_t address)
{
    const struct process *p = pc_set_find(&r->process, &pid);
    size_t i = p ? find_map(p, address) : 0;
    return p && i < p->nr && p->map[i].first <= address ? p->map[i].name : UNKNOWN;
}

/* --- tasks --- */

static uint64_t ids_of(uint32_t pid, uint32_t tid)
{
    return (uint64_t)pid << 32 | tid;
}

static uint32_t command_of(struct pc_results *r, uint32_t pid, uint32_t tid)
{
    const uint64_t ids = ids_of(pid, tid);
    const struct thread *thread = pc_set_find(&r->thread, &ids);
    return thread ? thread->name : NO_NAME;
}

static void name_thread(struct pc_results *r, uint32_t pid, uint32_t tid, uint32_t name)
{
    const uint64_t ids = ids_of(pid, tid);
    struct thread *thread = pc_set_add(&r->mem, &r->thread, &ids);
    if (thread)
        thread->name = name;
}

/* A new process has the mappings of its parent. */
static void fork_maps(struct pc_results *r, uint64_t pid, uint64_t ppid)
{
    struct process *child = pc_set_add(&r->mem, &r->process, &pid);
    const struct process *parent = pc_set_find(&r->process, &ppid);
    if (!child || child == parent)
        return;
    drop_maps(r, child);
    if (parent && parent->nr != 0 && has_room(r, child, parent->nr))
        replace(r, child, 0, 0, parent->map, parent->nr);
}

static void forget_maps(struct pc_results *r, uint64_t pid)
{
    struct process *p = pc_set_find(&r->process, &pid);
    if (p)
        drop_maps(r, p);
}

static void count_sample(struct pc_results *r, const struct pc_act *act)
{
    uint64_t command = command_of(r, act->pid, act->tid), names;
    uint64_t binary = act->known ? binary_at(r, act->kernel ? PC_RESULT_KERNEL : act->pid, act->at) : UNKNOWN;
    names = binary << 32 | command << 16 | act->name;
    struct count *count = pc_set_add(&r->mem, &r->count, &names);
    count = count ? count : &r->others;
    count->samples++;
    count->period += act->amount;
}

void pc_results_do(struct pc_results *r, const struct pc_act *act)
{
    switch (act->kind) {
    case PC_ACT_MAP:
        add_map(r, act);
        break;
    case PC_ACT_EXEC:
        forget_maps(r, act->pid);
        name_thread(r, act->pid, act->tid, act->name);
        break;
    case PC_ACT_NAME:
        name_thread(r, act->pid, act->tid, act->name);
        break;
    case PC_ACT_FORK:
        name_thread(r, act->pid, act->tid, command_of(r, act->ppid, act->ptid));
        if (act->pid != act->ppid)
            fork_maps(r, act->pid, act->ppid);
        break;
    case PC_ACT_EXIT:
        forget_maps(r, act->pid);
        break;
    case PC_ACT_SAMPLE:
        count_sample(r, act);
        break;
    }
}

/* --- the results --- */

static int compare(const void *a, const void *b)
{
    const struct count *one = a, *two = b;
    if (one->samples != two->samples)
        return one->samples > two->samples ? -1 : 1;
    return (one->names > two->names) - (one->names < two->names);
}

size_t pc_results_end(struct pc_results *r)
{
    if (r->count.nr != 0) /* it is a list from now on */
        qsort(r->count.entry, r->count.nr, sizeof(struct count), compare);
    return r->count.nr;
}

struct pc_result pc_results_get(const struct pc_results *r, size_t i)
{
    const struct count *c = (const struct count *)r->count.entry + i;
    const struct name *binary = name_at(r, c->names >> 32);
    return (struct pc_result){ name_at(r, c->names & UINT16_MAX)->key.text,
                               name_at(r, c->names >> 16 & UINT16_MAX)->key.text,
                               binary->key.text,
                               binary->build_id,
                               c->samples,
                               c->period };
}

struct pc_result pc_results_others(const struct pc_results *r)
{
    return (struct pc_result){ "others", "others", "others", "", r->others.samples, r->others.period };
}

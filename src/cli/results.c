/* SPDX-License-Identifier: MIT */
#include "cli/results.h"
#include "cli/show.h"
#include "cli/tasks.h"

#include "base/set.h"
#include "bytes/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_NAME, UNKNOWN }; /* the first names */

#define NAMES_MAX     8192
#define THREADS_MAX   32768
#define PROCESSES_MAX 16384
#define MEMORY_MAX    ((uint64_t)24 << 20)

/* With functions: */
#define ADDRESSES_MAX    ((size_t)1 << 18)
#define TEXTS_MAX        32768 /* names and functions */
#define FUNCTIONS_MAX    65536
#define LARGE_MEMORY_MAX ((uint64_t)72 << 20)
#define NO_ADDRESS       UINT64_MAX

struct name {
    struct {
        uint64_t hash; /* of all of it */
        char text[248];
    } key;
    char build_id[2 * 20 + 1];
    struct pc_code code; /* of a file: the first mapping that has a sample */
};

struct thread {
    uint64_t ids; /* pid and tid */
    uint32_t name;
};

/* Addresses up to the last one. */
struct map {
    uint64_t first, last;
    uint64_t pgoff; /* where it begins in the file */
    uint32_t name;
};

struct process {
    uint64_t pid;
    struct map *map; /* in the order of addresses; none overlaps another one */
    size_t nr, cap;
};

struct count {
    uint64_t key;   /* names and place mixed: entries of a set need different first words */
    uint64_t names; /* event, command, binary: 16 bits each */
    uint64_t place; /* the address in the file, or NO_ADDRESS; at the end function and source, 32 bits each */
    uint64_t samples, period;
};

struct pc_results {
    perfcheck_t *pc;
    struct pc_binaries *binaries;
    perfcheck_field_handle_t *pid, *tid, *ppid, *ptid, *ip, *period, *addr, *len, *pgoff, *comm, *filename;
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

/* Of names and places. */
static struct pc_set new_counts(size_t most)
{
    return (struct pc_set){ .entry_size = sizeof(struct count),
                            .key_size = offsetof(struct count, samples),
                            .most = most };
}

static bool take_handles(struct pc_results *r)
{
    const struct {
        perfcheck_field_handle_t **handle;
        const char *path;
    } fields[] = {
        { &r->pid, "pid" },     { &r->tid, "tid" },       { &r->ppid, "ppid" },         { &r->ptid, "ptid" },
        { &r->ip, "ip" },       { &r->period, "period" }, { &r->addr, "addr" },         { &r->len, "len" },
        { &r->pgoff, "pgoff" }, { &r->comm, "comm" },     { &r->filename, "filename" },
    };
    bool good = true;
    for (size_t i = 0; i < PC_COUNT_OF(fields); i++)
        good = (*fields[i].handle = perfcheck_field_handle(r->pc, fields[i].path)) != NULL && good;
    return good;
}

struct pc_results *pc_results_new(perfcheck_t *pc, struct pc_binaries *binaries)
{
    struct pc_results *r = calloc(1, sizeof(*r));
    if (!r)
        return NULL;
    r->pc = pc;
    r->binaries = binaries;
    pc_mem_init(&r->mem, binaries ? LARGE_MEMORY_MAX : MEMORY_MAX);
    r->name = (struct pc_set){ .entry_size = sizeof(struct name),
                               .key_size = sizeof(((struct name *)0)->key),
                               .most = NAMES_MAX };
    r->thread = (struct pc_set){ .entry_size = sizeof(struct thread), .key_size = 8, .most = THREADS_MAX };
    r->process =
        (struct pc_set){ .entry_size = sizeof(struct process), .key_size = 8, .most = PROCESSES_MAX };
    r->count = new_counts(binaries ? ADDRESSES_MAX + PC_RESULTS_MAX : PC_RESULTS_MAX);
    if (take_handles(r))
        return r;
    pc_results_free(r);
    return NULL;
}

void pc_results_free(struct pc_results *r)
{
    if (r)
        clear(r);
    free(r);
}

/* --- names --- */

/* What is left out of a long text is in the hash. */
uint32_t pc_results_name(struct pc_results *r, const char *text)
{
    struct name name = {
        .key.hash = pc_hash_of(0, (struct pc_span){ (const unsigned char *)text, strlen(text) }),
    };
    pc_copy_text(name.key.text, sizeof(name.key.text), text);
    const struct name *found = pc_set_add(&r->mem, &r->name, &name.key);
    return found ? (uint32_t)(found - (const struct name *)r->name.entry) : UNKNOWN;
}

static const struct name *name_at(const struct pc_results *r, uint64_t number)
{
    return (const struct name *)r->name.entry + number;
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
    if (mode == PERFCHECK_MISC_KERNEL)
        act->pid = PC_RESULT_KERNEL;
    if (!get(r, r->pgoff, &act->pgoff))
        act->pgoff = 0;
    return (mode == PERFCHECK_MISC_KERNEL || mode == PERFCHECK_MISC_USER) && get(r, r->addr, &act->at) &&
           get(r, r->len, &act->amount) && act->amount != 0;
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
    act->kernel = mode == PERFCHECK_MISC_KERNEL;
    act->known = (mode == PERFCHECK_MISC_KERNEL || mode == PERFCHECK_MISC_USER) && get(r, r->ip, &act->at);
    if (!get(r, r->period, &act->amount))
        act->amount = item->fixed_period;
    return true;
}

bool pc_results_look(struct pc_results *r, const perfcheck_item_t *item, struct pc_act *act)
{
    unsigned mode = item->misc & PERFCHECK_MISC_CPUMODE;
    bool is_record = item->kind == PERFCHECK_RECORD;
    bool has_build_ids =
        is_record ? item->type == PERFCHECK_HEADER_BUILD_ID ||
                        (item->type == PERFCHECK_MMAP2 && (item->misc & PERFCHECK_MISC_MMAP_BUILD_ID))
                  : item->kind == PERFCHECK_FEATURE && strcmp(item->name, "BUILD_ID") == 0;
    if (has_build_ids)
        perfcheck_fields(r->pc, take_build_id, r);
    if (!is_record || item->type > PERFCHECK_MMAP2)
        return false;
    *act = (struct pc_act){ .pid = get_id(r, r->pid), .tid = get_id(r, r->tid) };
    switch (item->type) {
    case PERFCHECK_MMAP:
    case PERFCHECK_MMAP2:
        return look_at_map(r, mode, act);
    case PERFCHECK_COMM:
        act->kind = item->misc & PERFCHECK_MISC_COMM_EXEC ? PC_ACT_EXEC : PC_ACT_NAME;
        act->name = name_command(r);
        return true;
    case PERFCHECK_FORK:
        act->kind = PC_ACT_FORK;
        act->ppid = get_id(r, r->ppid);
        act->ptid = get_id(r, r->ptid);
        return true;
    case PERFCHECK_EXIT:
        act->kind = PC_ACT_EXIT;
        return act->pid == act->tid; /* of the whole process */
    case PERFCHECK_SAMPLE:
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

/* What is left of a mapping from an address on. */
static struct map rest_of(const struct map *map, uint64_t first)
{
    return (struct map){ first, map->last, map->pgoff + (first - map->first), map->name };
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
        with[nr++] = (struct map){ p->map[i].first, act->at - 1, p->map[i].pgoff, p->map[i].name };
    with[nr++] = (struct map){ act->at, last, act->pgoff, act->name };
    if (j != i && p->map[j - 1].last > last)
        with[nr++] = rest_of(&p->map[j - 1], last + 1);
    replace(r, p, i, j, with, nr);
}

/* The mapping at an address; NULL: none is known. */
static const struct map *map_at(struct pc_results *r, uint64_t pid, uint64_t address)
{
    const struct process *p = pc_set_find(&r->process, &pid);
    size_t i = p ? find_map(p, address) : 0;
    return p && i < p->nr && p->map[i].first <= address ? &p->map[i] : NULL;
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

bool pc_results_begin(struct pc_results *r)
{
    clear(r);
    r->name.most = NAMES_MAX;
    r->count.most = r->binaries ? ADDRESSES_MAX + PC_RESULTS_MAX : PC_RESULTS_MAX;
    if (pc_results_name(r, "") != NO_NAME || pc_results_name(r, "[unknown]") != UNKNOWN || r->name.nr != 2)
        return false;
    name_thread(r, 0, 0, pc_results_name(r, PC_IDLE_TASK));
    return true;
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

/* Where a sample was in the file of a mapping. */
static uint64_t place_in(struct pc_results *r, const struct map *map, uint64_t address)
{
    struct name *name = (struct name *)r->name.entry + map->name;
    if (name->code.size == 0)
        name->code = (struct pc_code){ map->pgoff, map->last - map->first + 1 };
    return map->pgoff + (address - map->first);
}

static struct count *count_of(struct pc_results *r, struct pc_set *counts, uint64_t names, uint64_t place)
{
    struct count key = { place ^ names * UINT64_C(0x9e3779b97f4a7c15), names, place, 0, 0 };
    return pc_set_add(&r->mem, counts, &key);
}

static void count_sample(struct pc_results *r, const struct pc_act *act)
{
    const struct map *map = act->known ? map_at(r, act->kernel ? PC_RESULT_KERNEL : act->pid, act->at) : NULL;
    uint64_t command = command_of(r, act->pid, act->tid), binary = map ? map->name : UNKNOWN;
    uint64_t names = binary << 32 | command << 16 | act->name, place = NO_ADDRESS;
    if (r->binaries && map && !act->kernel && r->count.nr < ADDRESSES_MAX)
        place = place_in(r, map, act->at);
    struct count *count = count_of(r, &r->count, names, place);
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

/* Those of one binary together. */
static int compare_binaries(const void *a, const void *b)
{
    const struct count *one = a, *two = b;
    if (one->names != two->names)
        return one->names > two->names ? 1 : -1;
    return (one->place > two->place) - (one->place < two->place);
}

static int compare(const void *a, const void *b)
{
    const struct count *one = a, *two = b;
    if (one->samples != two->samples)
        return one->samples > two->samples ? -1 : 1;
    return compare_binaries(a, b);
}

/* The number of a text that comes from a binary. */
static uint64_t name_text(struct pc_results *r, const char *text)
{
    char escaped[4096];
    perfcheck_escape(text, 0, escaped, sizeof(escaped));
    uint32_t name = pc_results_name(r, escaped);
    return name == UNKNOWN ? NO_NAME : name;
}

/* to: NULL: there is no room for it. */
static void add_count(struct pc_results *r, struct count *to, const struct count *from)
{
    to = to ? to : &r->others;
    to->samples += from->samples;
    to->period += from->period;
}

/* Adds counts of one binary, of which the address is looked up, to those by function. */
static void name_functions(struct pc_results *r, struct pc_set *functions, const struct count *count,
                           size_t nr, struct pc_address *address)
{
    const struct name *binary = name_at(r, count->names >> 32);
    size_t known = 0;
    for (size_t i = 0; i < nr; i++) {
        if (count[i].place != NO_ADDRESS)
            address[known++] = (struct pc_address){ .at = count[i].place, .tag = i };
    }
    pc_binaries_find(r->binaries, binary->build_id, binary->code, address, known);
    for (size_t i = 0; i < nr; i++) {
        if (count[i].place == NO_ADDRESS)
            address[known++] = (struct pc_address){ .tag = i, .function = "", .source = "" };
    }
    for (size_t i = 0; i < nr; i++) {
        const struct count *from = &count[address[i].tag];
        uint64_t place = name_text(r, address[i].function) << 32 | name_text(r, address[i].source);
        add_count(r, count_of(r, functions, from->names, place), from);
    }
}

/* Counts by function instead of address. */
static void find_functions(struct pc_results *r)
{
    struct pc_set functions = new_counts(FUNCTIONS_MAX);
    struct count *count = r->count.entry;
    struct pc_address *address = calloc(r->count.nr + 1, sizeof(*address));
    r->name.most = TEXTS_MAX;
    if (r->count.nr != 0)
        qsort(count, r->count.nr, sizeof(*count), compare_binaries);
    for (size_t i = 0; !address && i < r->count.nr; i++)
        add_count(r, NULL, &count[i]);
    for (size_t i = 0, nr; address && i < r->count.nr; i += nr) {
        for (nr = 1; i + nr < r->count.nr && count[i + nr].names >> 32 == count[i].names >> 32;)
            nr++;
        name_functions(r, &functions, count + i, nr, address);
    }
    r->mem.failed = r->mem.failed || !address;
    free(address);
    pc_set_clear(&r->mem, &r->count);
    r->count = functions;
}

size_t pc_results_end(struct pc_results *r)
{
    if (r->binaries)
        find_functions(r);
    if (r->count.nr != 0) /* it is a list from now on */
        qsort(r->count.entry, r->count.nr, sizeof(struct count), compare);
    return r->count.nr;
}

struct pc_result pc_results_get(const struct pc_results *r, size_t i)
{
    const struct count *c = (const struct count *)r->count.entry + i;
    const struct name *binary = name_at(r, c->names >> 32);
    const char *function = r->binaries ? name_at(r, c->place >> 32)->key.text : "";
    const char *source = r->binaries ? name_at(r, c->place & UINT32_MAX)->key.text : "";
    return (struct pc_result){ name_at(r, c->names & UINT16_MAX)->key.text,
                               name_at(r, c->names >> 16 & UINT16_MAX)->key.text,
                               binary->key.text,
                               binary->build_id,
                               function,
                               source,
                               c->samples,
                               c->period };
}

struct pc_result pc_results_others(const struct pc_results *r)
{
    return (
        struct pc_result){ "others", "others", "others", "", "", "", r->others.samples, r->others.period };
}

bool pc_results_whole(const struct pc_results *r)
{
    return !r->mem.failed;
}

/* SPDX-License-Identifier: MIT */
#include "cli/survey.h"
#include "cli/show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pc_survey *pc_survey_new(perfcheck_t *pc)
{
    struct pc_survey *s = calloc(1, sizeof(*s));
    bool good =
        s && (s->time = perfcheck_field_handle(pc, "time")) &&
        (s->id_time = perfcheck_field_handle(pc, "sample_id.time")) &&
        (s->cpu = perfcheck_field_handle(pc, "cpu")) &&
        (s->id_cpu = perfcheck_field_handle(pc, "sample_id.cpu")) &&
        (s->pid = perfcheck_field_handle(pc, "pid")) && (s->tid = perfcheck_field_handle(pc, "tid")) &&
        (s->ppid = perfcheck_field_handle(pc, "ppid")) && (s->ptid = perfcheck_field_handle(pc, "ptid")) &&
        (s->period = perfcheck_field_handle(pc, "period")) &&
        (s->lost = perfcheck_field_handle(pc, "lost")) && (s->comm = perfcheck_field_handle(pc, "comm"));
    if (good) {
        s->pc = pc;
        return s;
    }
    free(s);
    return NULL;
}

static void free_maps(struct pc_survey *s)
{
    while (s->nr_maps > 0)
        free(s->map[--s->nr_maps]);
}

void pc_survey_free(struct pc_survey *s)
{
    if (s)
        free_maps(s);
    free(s);
}

/* --- what is where --- */

static struct pc_map *find_map(const struct pc_survey *s, const char *stream)
{
    for (size_t i = 0; i < s->nr_maps; i++) {
        if (strcmp(s->map[i]->name, stream) == 0)
            return s->map[i];
    }
    return NULL;
}

const struct pc_map *pc_survey_map(const struct pc_survey *s, const char *stream)
{
    return find_map(s, stream);
}

/* Without a call, as almost all items are asked. */
static inline bool is_data(const char *s)
{
    return s[0] == 'd' && s[1] == 'a' && s[2] == 't' && s[3] == 'a' && s[4] == 0;
}

/* The content of a compressed record has no place in a file. False: there was no memory. */
static bool find_stream(struct pc_survey *s, const char *stream)
{
    bool in_data = is_data(stream);
    if (in_data ? s->in_data : strcmp(stream, s->stream) == 0)
        return true;
    s->in_data = in_data;
    snprintf(s->stream, sizeof(s->stream), "%s", stream);
    s->at = find_map(s, stream);
    if (s->at || strstr(stream, "/records["))
        return true;
    s->more_maps |= s->nr_maps == PC_MAPS_MAX;
    if (s->nr_maps == PC_MAPS_MAX)
        return true;
    s->at = malloc(sizeof(*s->at));
    if (!s->at)
        return false;
    s->map[s->nr_maps++] = s->at;
    memset(s->at, 0, sizeof(*s->at));
    snprintf(s->at->name, sizeof(s->at->name), "%s", stream);
    pc_buckets_init(&s->at->at, s->at->cell, PC_MAP_CELLS, PC_GROUPS + 1, 3);
    return true;
}

static void place(struct pc_map *map, enum pc_group group, uint64_t from, uint64_t to)
{
    if (from >= to)
        return;
    pc_buckets_add_range(&map->at, group, from, to);
    if (map->bytes[group] == 0 || from < map->first[group])
        map->first[group] = from;
    if (to > map->past[group])
        map->past[group] = to;
    if (to > map->end)
        map->end = to;
    map->bytes[group] += to - from;
}

/* A payload may be longer than what is left of the file: it ends where something else begins, or there. */
static void place_payload(struct pc_survey *s, uint64_t limit)
{
    struct pc_map *map = s->payload.map;
    s->payload.map = NULL;
    if (map && s->payload.from < limit)
        place(map, PC_GROUP_PAYLOAD, s->payload.from, s->payload.to < limit ? s->payload.to : limit);
}

/* A section that the header or an attr names, as far as it is in the file. */
static void place_section(struct pc_survey *s, enum pc_group group, uint64_t from, uint64_t size)
{
    uint64_t end = perfcheck_summary(s->pc)->size;
    if (s->at && from < end)
        place(s->at, group, from, size < end - from ? from + size : end);
}

static void place_run(struct pc_survey *s)
{
    struct pc_map *map = s->run.map;
    if (!map)
        return;
    place(map, s->run.group, s->run.from, s->run.to);
    pc_buckets_add(&map->at, PC_GROUPS, s->run.from, s->run.records);
    map->records[s->run.group] += s->run.records;
    s->run.map = NULL;
}

/* Records without a gap, of which the last begins there: all of them, or none if some have another place. */
static bool join_run(struct pc_survey *s, enum pc_group group, uint64_t from, uint64_t last, uint64_t to,
                     uint64_t records)
{
    if (s->run.map != s->at || s->run.group != group || from != s->run.to || last >= s->run.limit)
        return false;
    s->run.to = to;
    s->run.records += records;
    return true;
}

static void place_record(struct pc_survey *s, enum pc_group group, uint64_t from, uint64_t to)
{
    if (join_run(s, group, from, from, to, 1))
        return;
    place_run(s);
    s->run.map = s->at;
    s->run.group = group;
    s->run.from = from;
    s->run.to = to;
    s->run.limit = ((from >> s->at->at.shift) + 1) << s->at->at.shift;
    s->run.records = 1;
}

static void place_item(struct pc_survey *s, const perfcheck_item_t *item, enum pc_group group)
{
    if (s->payload.map && s->at == s->payload.map)
        place_payload(s, item->offset);
    if (!s->at)
        return;
    if (item->kind != PERFCHECK_RECORD)
        place(s->at, group, item->offset, item->offset + item->size);
    else
        place_record(s, group, item->offset, item->offset + item->size);
}

static void place_samples(struct pc_survey *s, const perfcheck_run_t *run)
{
    uint64_t at = run->offset, end = at + run->bytes;
    if (!s->at || join_run(s, PC_GROUP_SAMPLES, at, end - run->size[run->nr - 1], end, run->nr))
        return;
    for (size_t i = 0; i < run->nr; at += run->size[i++])
        place_record(s, PC_GROUP_SAMPLES, at, at + run->size[i]);
}

/* --- records --- */

enum pc_record_role pc_record_role(uint32_t type)
{
    switch (type) {
    case PERFCHECK_SAMPLE:
        return PC_ROLE_SAMPLE;
    case PERFCHECK_COMM:
        return PC_ROLE_NAME;
    case PERFCHECK_FORK:
        return PC_ROLE_FORK;
    case PERFCHECK_EXIT:
        return PC_ROLE_EXIT;
    case PERFCHECK_MMAP:
    case PERFCHECK_MMAP2:
        return PC_ROLE_MAP;
    case PERFCHECK_LOST:
    case PERFCHECK_LOST_SAMPLES:
        return PC_ROLE_LOST;
    default:
        return PC_ROLE_NONE;
    }
}

static void name_type(struct pc_type_facts *type, const perfcheck_item_t *item)
{
    bool compressed = item->type == PERFCHECK_COMPRESSED || item->type == PERFCHECK_COMPRESSED2;
    type->number = item->type;
    snprintf(type->name, sizeof(type->name), "%s", item->name);
    type->role = pc_record_role(item->type);
    type->group = type->role == PC_ROLE_SAMPLE                               ? PC_GROUP_SAMPLES
                  : type->role != PC_ROLE_NONE && type->role != PC_ROLE_LOST ? PC_GROUP_TASKS
                  : compressed                                               ? PC_GROUP_COMPRESSED
                  : item->type >= PERFCHECK_USER_TYPES                       ? PC_GROUP_PERF
                                                                             : PC_GROUP_KERNEL;
}

static size_t place_of_type(const struct pc_survey *s, uint32_t number)
{
    size_t i = PC_TYPES_MAX;
    if (number < PC_TYPES_MAX)
        return number;
    while (i < PC_TYPE_OTHERS && *s->type[i].name && s->type[i].number != number)
        i++;
    return i;
}

static struct pc_type_facts *type_of(struct pc_survey *s, const perfcheck_item_t *item)
{
    size_t place = place_of_type(s, item->type);
    struct pc_type_facts *type = &s->type[place];
    if (*type->name)
        return type;
    name_type(type, item);
    if (place == PC_TYPE_OTHERS)
        snprintf(type->name, sizeof(type->name), "%s", "TYPE_OTHERS");
    return type;
}

static bool get(struct pc_survey *s, perfcheck_field_handle_t *field, uint64_t *number)
{
    return perfcheck_number_of(s->pc, field, number) == PERFCHECK_OK;
}

static size_t place_of_cpu(struct pc_survey *s, uint64_t cpu)
{
    if (cpu >= sizeof(s->cpu_at))
        return PC_CPU_OTHERS;
    if (s->cpu_at[cpu] != 0)
        return s->cpu_at[cpu];
    if (s->nr_cpus == PC_CPU_PLACES)
        return PC_CPU_OTHERS;
    s->cpus[s->nr_cpus].cpu = cpu;
    s->cpu_at[cpu] = (uint8_t)s->nr_cpus++;
    s->times.columns = s->nr_cpus * PC_TIME_COLUMNS;
    return s->cpu_at[cpu];
}

/* Whether the item has an error, or a warning about its time. */
static bool is_doubtful(struct pc_survey *s)
{
    const perfcheck_finding_t *f;
    static const char word[] = "time";
    for (size_t i = 0; (f = perfcheck_item_finding(s->pc, i)) != NULL; i++) {
        size_t len = strlen(f->path);
        if (f->severity == PERFCHECK_ERROR || (f->severity == PERFCHECK_WARNING && len >= sizeof(word) &&
                                               strcmp(f->path + len + 1 - sizeof(word), word) == 0))
            return true;
    }
    return false;
}

/* False: there is none, or it would spoil the range of all. What perf makes up has 0. */
static bool time_of(struct pc_survey *s, bool sample, uint64_t *time)
{
    return get(s, sample ? s->time : s->id_time, time) && *time != 0 &&
           (perfcheck_item_findings(s->pc) == 0 || !is_doubtful(s));
}

static void count_at(struct pc_survey *s, size_t cpu, size_t column, uint64_t time, uint64_t amount)
{
    s->cpus[cpu].sum[column] += amount;
    if (time != 0)
        pc_buckets_add(&s->times, cpu * PC_TIME_COLUMNS + column, time, amount);
}

/* When and where a record of the kernel was made. */
static void take_moment(struct pc_survey *s, const struct pc_type_facts *type)
{
    bool sample = type->role == PC_ROLE_SAMPLE;
    uint64_t time = 0, cpu, lost;
    size_t at = get(s, sample ? s->cpu : s->id_cpu, &cpu) ? place_of_cpu(s, cpu) : PC_CPU_UNKNOWN;
    if (!time_of(s, sample, &time))
        time = 0;
    count_at(s, at, sample ? PC_TIME_SAMPLES : PC_TIME_OTHERS, time, 1);
    if (time != 0)
        s->last_time = time;
    if (type->role == PC_ROLE_LOST && get(s, s->lost, &lost))
        count_at(s, at, PC_TIME_LOST, time != 0 ? time : s->last_time, lost);
}

/* A name that did not fit is that of all with the same beginning. */
static bool is_event(const struct pc_event_facts *event, const char *name)
{
    if (strcmp(event->name, name) == 0)
        return true;
    size_t len = strlen(event->name);
    return len > sizeof(event->name) - 5 && strncmp(event->name, name, len) == 0;
}

/* Samples of the event of an item. */
static void take_event(struct pc_survey *s, const perfcheck_item_t *item, uint64_t samples, uint64_t bytes,
                       uint64_t period)
{
    size_t i = s->last_event;
    if (i == s->nr_events || !is_event(&s->event[i], item->event)) {
        i = 0;
        while (i < s->nr_events && !is_event(&s->event[i], item->event))
            i++;
        s->last_event = i < PC_EVENTS_MAX ? i : 0;
    }
    if (i == s->nr_events && i < PC_EVENTS_MAX)
        pc_copy_text(s->event[s->nr_events++].name, sizeof(s->event[i].name), item->event);
    s->event[i].samples += samples;
    s->event[i].bytes += bytes;
    s->event[i].period += period;
}

/* A new task has the name of its parent until it gets its own: tools/perf/util/thread.c, thread__fork. */
static void inherit_name(struct pc_survey *s, struct pc_task_facts *task)
{
    uint64_t pid, tid;
    const struct pc_task_facts *parent = NULL;
    if (get(s, s->ppid, &pid) && get(s, s->ptid, &tid))
        parent = pc_tasks_find(&s->tasks, (uint32_t)pid, (uint32_t)tid);
    if (parent && parent != task && !*task->name && task != &s->tasks.others)
        memcpy(task->name, parent->name, sizeof(task->name));
}

static void take_task(struct pc_survey *s, enum pc_record_role role, uint64_t period)
{
    uint64_t pid, tid, time;
    struct pc_task_facts *task = &s->tasks.unknown;
    bool is_known = get(s, s->tid, &tid) && get(s, s->pid, &pid);
    if (role != PC_ROLE_SAMPLE && (!is_known || pid == UINT32_MAX)) /* a map of the kernel */
        return;
    if (is_known)
        task = pc_tasks_of(&s->tasks, (uint32_t)pid, (uint32_t)tid);
    task->records++;
    task->samples += role == PC_ROLE_SAMPLE;
    task->period += period;
    task->mmaps += role == PC_ROLE_MAP;
    const char *name = role == PC_ROLE_NAME ? perfcheck_text_of(s->pc, s->comm) : NULL;
    if (name)
        pc_copy_text(task->name, sizeof(task->name), name);
    if (role == PC_ROLE_FORK)
        inherit_name(s, task);
    if ((role != PC_ROLE_FORK && role != PC_ROLE_EXIT) || !get(s, s->time, &time))
        return;
    if (role == PC_ROLE_FORK) {
        task->has_forked = true;
        task->forked = time;
    } else {
        task->has_exited = true;
        task->exited = time;
    }
}

static void take_record(struct pc_survey *s, const perfcheck_item_t *item)
{
    struct pc_type_facts *type = type_of(s, item);
    uint64_t period = 0;
    type->records++;
    type->bytes += item->size;
    place_item(s, item, type->group);
    if (item->type >= PERFCHECK_USER_TYPES)
        return;
    take_moment(s, type);
    if (type->role == PC_ROLE_SAMPLE) {
        if (!get(s, s->period, &period))
            period = item->fixed_period;
        take_event(s, item, 1, item->size, period);
    }
    if (type->group == PC_GROUP_SAMPLES || type->group == PC_GROUP_TASKS)
        take_task(s, type->role, period);
}

/* --- samples in a row --- */

/* Fields of samples that are taken many at once. */
enum { RUN_TIME, RUN_CPU, RUN_PID, RUN_TID, RUN_PERIOD, RUN_FIELDS };

static void take_moments(struct pc_survey *s, const perfcheck_run_t *run)
{
    const uint64_t *time = run->number[RUN_TIME], *cpu = run->number[RUN_CPU];
    for (size_t i = 0; i < run->nr; i++) {
        count_at(s, cpu ? place_of_cpu(s, cpu[i]) : PC_CPU_UNKNOWN, PC_TIME_SAMPLES, time ? time[i] : 0, 1);
        if (time && time[i] != 0)
            s->last_time = time[i];
    }
}

/* Samples of one task. */
static void take_samples(struct pc_task_facts *task, uint64_t samples, uint64_t period)
{
    task->records += samples;
    task->samples += samples;
    task->period += period;
}

/* Returns the period of all. */
static uint64_t take_tasks(struct pc_survey *s, const perfcheck_item_t *item, const perfcheck_run_t *run)
{
    const uint64_t *pid = run->number[RUN_PID], *tid = run->number[RUN_TID], *own = run->number[RUN_PERIOD];
    uint64_t sum = 0;
    for (size_t from = 0, i = 0; i < run->nr; from = i) {
        uint64_t period = 0;
        do
            period += own ? own[i] : item->fixed_period;
        while (++i < run->nr && (!tid || (tid[i] == tid[from] && pid[i] == pid[from])));
        sum += period;
        take_samples(tid ? pc_tasks_of(&s->tasks, (uint32_t)pid[from], (uint32_t)tid[from])
                         : &s->tasks.unknown,
                     i - from, period);
    }
    return sum;
}

/* Samples right after the one that the item is, as take_record takes each. */
static void take_run(struct pc_survey *s, const perfcheck_item_t *item, const perfcheck_run_t *run)
{
    struct pc_type_facts *type = type_of(s, item);
    type->records += run->nr;
    type->bytes += run->bytes;
    place_samples(s, run);
    take_moments(s, run);
    take_event(s, item, run->nr, run->bytes, take_tasks(s, item, run));
}

static void take_samples_after(struct pc_survey *s, const perfcheck_item_t *item)
{
    perfcheck_field_handle_t *const field[RUN_FIELDS] = { s->time, s->cpu, s->pid, s->tid, s->period };
    const perfcheck_run_t *run;
    while (perfcheck_next_run(s->pc, field, RUN_FIELDS, &run) == PERFCHECK_OK)
        take_run(s, item, run);
}

/* --- other items --- */

static void take_other(struct pc_survey *s, const perfcheck_item_t *item)
{
    uint64_t from, size;
    switch (item->kind) {
    case PERFCHECK_HEADER:
        place_item(s, item, PC_GROUP_HEADER);
        if (perfcheck_number(s->pc, "data.offset", &from) == PERFCHECK_OK &&
            perfcheck_number(s->pc, "data.size", &size) == PERFCHECK_OK && size <= UINT64_MAX - from)
            s->table_from = from + size;
        break;
    case PERFCHECK_ATTR:
        place_item(s, item, PC_GROUP_ATTRS);
        if (perfcheck_number(s->pc, "ids.offset", &from) == PERFCHECK_OK &&
            perfcheck_number(s->pc, "ids.size", &size) == PERFCHECK_OK)
            place_section(s, PC_GROUP_ATTRS, from, size);
        break;
    case PERFCHECK_FEATURE:
        place_item(s, item, PC_GROUP_FEATURES);
        if (s->table_from != 0) /* an entry of the table for each */
            place_section(s, PC_GROUP_FEATURES, s->table_from + 16 * s->features, 16);
        s->features++;
        break;
    case PERFCHECK_BYTES:
        if (s->at) {
            s->payload.map = s->at;
            s->payload.from = item->offset;
            s->payload.to = item->size > UINT64_MAX - item->offset ? UINT64_MAX : item->offset + item->size;
        }
        break;
    case PERFCHECK_RECORD:
    case PERFCHECK_LAST:
        break;
    }
}

/* A map goes up to the end of its file, whatever is there. */
static void end_maps(struct pc_survey *s)
{
    const perfcheck_summary_t *sum = perfcheck_summary(s->pc);
    uint64_t size = sum->size;
    s->is_directory = strcmp(sum->container, "directory") == 0;
    for (size_t i = 0; i < s->nr_maps; i++) {
        const perfcheck_entry_t *e =
            s->is_directory ? pc_entry(s->pc, PERFCHECK_MEMBERS, s->map[i]->name) : NULL;
        uint64_t end = s->is_directory ? (e ? e->number : 0) : size;
        if (end > s->map[i]->end) {
            pc_buckets_reach(&s->map[i]->at, end - 1);
            s->map[i]->end = end;
        }
    }
}

void pc_survey_begin(struct pc_survey *s)
{
    free_maps(s);
    s->more_maps = false;
    s->at = s->payload.map = s->run.map = NULL;
    *s->stream = 0;
    s->in_data = false;
    s->table_from = s->features = s->last_time = 0;
    memset(s->type, 0, sizeof(s->type));
    memset(s->event, 0, sizeof(s->event));
    memset(s->cpus, 0, sizeof(s->cpus));
    memset(s->cpu_at, 0, sizeof(s->cpu_at));
    memset(s->time_cell, 0, sizeof(s->time_cell));
    s->nr_events = s->last_event = 0;
    s->nr_cpus = PC_CPU_FIRST;
    pc_buckets_init(&s->times, s->time_cell, PC_TIME_CELLS, s->nr_cpus * PC_TIME_COLUMNS, 10);
    pc_tasks_clear(&s->tasks);
}

bool pc_survey_take(struct pc_survey *s, const perfcheck_item_t *item)
{
    bool good = item->kind == PERFCHECK_LAST || find_stream(s, item->stream);
    if (item->kind == PERFCHECK_RECORD)
        take_record(s, item);
    else
        take_other(s, item);
    return good;
}

void pc_survey_end(struct pc_survey *s)
{
    place_run(s);
    place_payload(s, perfcheck_summary(s->pc)->size);
    end_maps(s);
    pc_tasks_sort(&s->tasks);
}

bool pc_survey_read(struct pc_survey *s)
{
    const perfcheck_item_t *item;
    bool good = true;
    pc_survey_begin(s);
    while (good && perfcheck_next(s->pc, &item) == PERFCHECK_OK) {
        good = pc_survey_take(s, item);
        if (good && item->kind == PERFCHECK_RECORD && item->type == PERFCHECK_SAMPLE)
            take_samples_after(s, item);
    }
    pc_survey_end(s);
    return good;
}

static void add_place(const struct pc_survey *s, size_t cpu, size_t *place, size_t *nr)
{
    const uint64_t *sum = s->cpus[cpu].sum;
    if (sum[PC_TIME_OTHERS] != 0 || sum[PC_TIME_SAMPLES] != 0 || sum[PC_TIME_LOST] != 0)
        place[(*nr)++] = cpu;
}

size_t pc_survey_cpus(const struct pc_survey *s, size_t place[PC_CPU_PLACES])
{
    size_t nr = 0;
    for (size_t number = 0; number < sizeof(s->cpu_at); number++) {
        if (s->cpu_at[number] != 0)
            add_place(s, s->cpu_at[number], place, &nr);
    }
    add_place(s, PC_CPU_OTHERS, place, &nr);
    add_place(s, PC_CPU_UNKNOWN, place, &nr);
    return nr;
}

uint64_t pc_survey_amount(const struct pc_survey *s, size_t cpu, size_t column, uint64_t bucket)
{
    uint64_t sum = 0;
    if (cpu < s->nr_cpus)
        return pc_buckets_get(&s->times, cpu * PC_TIME_COLUMNS + column, bucket);
    for (size_t i = 0; i < s->nr_cpus; i++)
        sum += pc_buckets_get(&s->times, i * PC_TIME_COLUMNS + column, bucket);
    return sum;
}

uint64_t pc_survey_shown(const struct pc_survey *s, size_t cpu, size_t column, uint64_t bucket)
{
    uint64_t samples = column == PC_TIME_OTHERS ? pc_survey_amount(s, cpu, PC_TIME_SAMPLES, bucket) : 0;
    return samples + pc_survey_amount(s, cpu, column, bucket);
}

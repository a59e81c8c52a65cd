/* SPDX-License-Identifier: MIT
 *
 * survey.h: what one pass over a capture counts for its report: what is where, when, on which CPU, by which
 * task, of which type and event. Memory is bounded: what is too many is counted together.
 */
#ifndef PC_SURVEY_H
#define PC_SURVEY_H

#include "cli/buckets.h"
#include "cli/tasks.h"
#include "perfcheck.h"

#define PC_MAPS_MAX   16 /* members of a directory that have a map each */
#define PC_MAP_CELLS  512
#define PC_TIME_CELLS 256
#define PC_CPUS_MAX   128
#define PC_EVENTS_MAX 64
#define PC_TYPES_MAX  256 /* types up to this number have a place each ... */
#define PC_TYPES_MORE 64  /* ... and as many others, in the order in which they come */

/* What the bytes of a capture are. */
enum pc_group {
    PC_GROUP_HEADER,
    PC_GROUP_ATTRS, /* ids too */
    PC_GROUP_SAMPLES,
    PC_GROUP_TASKS,
    PC_GROUP_KERNEL, /* other records of the kernel */
    PC_GROUP_PERF,   /* records that perf makes up */
    PC_GROUP_COMPRESSED,
    PC_GROUP_PAYLOAD,
    PC_GROUP_FEATURES,
    PC_GROUPS
};

/* Bytes of each group by offset, in one file. */
struct pc_map {
    char name[64]; /* of the stream: "data", "data.3" */
    uint64_t end;  /* of the last byte that something has */
    struct pc_buckets at;
    uint64_t bytes[PC_GROUPS], records[PC_GROUPS], first[PC_GROUPS], past[PC_GROUPS];
    uint64_t cell[(PC_GROUPS + 1) * PC_MAP_CELLS]; /* the last column counts records */
};

enum pc_record_role {
    PC_ROLE_NONE,
    PC_ROLE_SAMPLE,
    PC_ROLE_NAME,
    PC_ROLE_FORK,
    PC_ROLE_EXIT,
    PC_ROLE_MAP,
    PC_ROLE_LOST
};

enum pc_record_role pc_record_role(uint32_t type);

struct pc_type_facts {
    uint32_t number;
    char name[32]; /* as of each record; "": there is none */
    uint64_t records, bytes;
    enum pc_group group;
    enum pc_record_role role;
};

struct pc_event_facts {
    char name[128]; /* "": not known */
    uint64_t samples, bytes, period;
};

/* Other records than samples, samples, and what was lost. */
enum { PC_TIME_OTHERS, PC_TIME_SAMPLES, PC_TIME_LOST, PC_TIME_COLUMNS };

struct pc_cpu_facts {
    uint64_t cpu;
    uint64_t sum[PC_TIME_COLUMNS]; /* those without a time too */
};

/* Places in the list of types. The last one: all for which there was none. */
enum { PC_TYPE_OTHERS = PC_TYPES_MAX + PC_TYPES_MORE, PC_TYPE_PLACES };

/* Places in the list of CPUs that are none. */
enum { PC_CPU_UNKNOWN, PC_CPU_OTHERS, PC_CPU_FIRST, PC_CPU_PLACES = PC_CPU_FIRST + PC_CPUS_MAX };

struct pc_survey {
    perfcheck_t *pc;
    perfcheck_field_handle_t *time, *id_time, *cpu, *id_cpu, *pid, *tid, *ppid, *ptid, *period, *lost, *comm;
    struct pc_map *map[PC_MAPS_MAX];
    size_t nr_maps;
    bool is_directory, more_maps; /* than there is room for */
    bool in_data;                 /* the last item is in the stream "data" */
    char stream[128];             /* of the last item ... */
    struct pc_map *at;            /* ... and its map; NULL: it has none */
    struct {
        struct pc_map *map; /* NULL: none */
        enum pc_group group;
        uint64_t from, to, limit; /* records are added as long as they begin before the limit */
        uint64_t records;
    } run; /* records without a gap that are not in the map yet */
    struct {
        struct pc_map *map; /* NULL: none */
        uint64_t from, to;
    } payload;           /* the last one: what comes next shows whether it is all there */
    uint64_t table_from; /* of features; 0: not known */
    uint64_t features;   /* how many came */
    struct pc_type_facts type[PC_TYPE_PLACES];
    struct pc_event_facts event[PC_EVENTS_MAX + 1];
    size_t nr_events, last_event;
    struct pc_cpu_facts cpus[PC_CPU_PLACES];
    size_t nr_cpus;
    uint8_t cpu_at[4096]; /* places of CPUs with such a number; 0: none yet */
    struct pc_buckets times;
    uint64_t time_cell[PC_CPU_PLACES * PC_TIME_COLUMNS * PC_TIME_CELLS];
    uint64_t last_time;
    struct pc_tasks tasks;
};

/* For captures that this handle opens; NULL: no memory. */
struct pc_survey *pc_survey_new(perfcheck_t *pc);
void pc_survey_free(struct pc_survey *survey);

/* Reads the capture that is open, from its first item to its last. False: there was no memory. */
bool pc_survey_read(struct pc_survey *survey);

/* The same for a caller that reads the items itself: it takes each in turn. False: there was no memory. */
void pc_survey_begin(struct pc_survey *survey);
bool pc_survey_take(struct pc_survey *survey, const perfcheck_item_t *item);
void pc_survey_end(struct pc_survey *survey);

/* Places of the CPUs that have records, in the order of their numbers, then what is no CPU. Returns how many.
 */
size_t pc_survey_cpus(const struct pc_survey *survey, size_t place[PC_CPU_PLACES]);

/* A column of a bucket of times. cpu: a place, or nr_cpus: all of them together. */
uint64_t pc_survey_amount(const struct pc_survey *survey, size_t cpu, size_t column, uint64_t bucket);

/* What a chart shows of it: all records in the column of others, since samples are drawn over them. */
uint64_t pc_survey_shown(const struct pc_survey *survey, size_t cpu, size_t column, uint64_t bucket);

/* The map of a stream; NULL: it has none. */
const struct pc_map *pc_survey_map(const struct pc_survey *survey, const char *stream);

#endif

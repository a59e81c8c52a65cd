/* SPDX-License-Identifier: MIT
 *
 * cpus.h: the CPU maps of perf stat. A STAT record of Linux 5.17 and later has the number of a CPU, an
 * earlier one its index in the map of the event.
 */
#ifndef PC_CPUS_H
#define PC_CPUS_H

#include "base/base.h"
#include "base/mem.h"
#include "format/tables.h"

#define PC_CPU_WORD     64
#define PC_CPU_WORDS    (65536 / PC_CPU_WORD)
#define PC_CPU_MAPS_MAX 64 /* different ones */

/* What one leaf of a map adds: a range of CPUs, or those of one word of a set. */
struct pc_cpus {
    bool is_range;
    uint64_t first, last;
    uint64_t word, bits;
};

/* False: the leaf says nothing of CPUs. */
bool pc_cpus_of_leaf(const struct pc_leaf *leaf, struct pc_cpus *cpus);

struct pc_cpu_set {
    uint64_t nr;
    uint64_t cpus[PC_CPU_WORDS];
    uint16_t after[PC_CPU_WORDS + 1]; /* of a word that a range filled: one behind it that may not be full; 0:
                                         it is not */
    uint64_t work;                    /* words looked at */
};

/* Adds them. False: one of them was in the set, or no set can have it. */
bool pc_cpu_set_add(struct pc_cpu_set *set, const struct pc_cpus *cpus);

struct pc_cpu_map {
    unsigned char *bytes; /* as the capture has them, by which equal maps are found */
    size_t size;
    bool sound; /* without a fault, and in the order of numbers, "any" first */
    uint64_t last;
    struct pc_cpu_set set;
    uint16_t before[PC_CPU_WORDS]; /* CPUs of all words before, for a word that has some */
};

struct pc_cpu_maps {
    struct pc_cpu_map *map[PC_CPU_MAPS_MAX];
    size_t nr;
    const struct pc_cpu_map *all; /* the first CPU_MAP; NULL: not known */
    bool has_all, has_threads;    /* once both maps came, those of events do not change */
    bool by_index;                /* a STAT had what is an index and no number of its map */
};

struct pc_capture;

void pc_cpu_maps_clear(struct pc_mem *mem, struct pc_cpu_maps *maps);

/* CPU_MAP, THREAD_MAP, or an EVENT_UPDATE with a map, of this attr or PC_NO_ATTR. */
void pc_capture_maps(struct pc_capture *capture, uint32_t type, struct pc_span record, uint32_t attr);

/* A STAT of this event came: whether its writer wrote indices. */
void pc_stat_learn(struct pc_capture *capture, uint32_t attr, uint64_t cpu);

/* What perf before Linux 5.17 has to find in a STAT of this event. False: nobody knows. */
bool pc_stat_index(const struct pc_capture *capture, uint32_t attr, uint64_t cpu, uint64_t *index);

/* The reverse, found in another way: the CPU with this index in the map of the event. */
bool pc_stat_cpu(const struct pc_capture *capture, uint32_t attr, uint64_t index, uint64_t *cpu);

#endif

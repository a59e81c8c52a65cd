/* SPDX-License-Identifier: MIT
 *
 * results.h: samples and period by event, command and binary: the mapping of the process, or of the kernel,
 * that holds the ip at the time of the sample; with a folder of binaries also by function. Memory is bounded:
 * what is too much is not known, or counts together.
 */
#ifndef PC_RESULTS_H
#define PC_RESULTS_H

#include "cli/binaries.h"

#include "perfcheck.h"

#include <stdbool.h>
#include <stddef.h>

#define PC_RESULTS_MAX   16384
#define PC_RESULT_MAPS   2048              /* of one process ... */
#define PC_ALL_MAPS      ((size_t)1 << 17) /* ... and of all */
#define PC_RESULT_KERNEL UINT32_MAX        /* the pid of mappings of the kernel */

/* What a record does to results, once all before it in time have done so. Names are numbers: pc_results_name.
 */
struct pc_act {
    enum pc_act_kind { PC_ACT_MAP, PC_ACT_NAME, PC_ACT_EXEC, PC_ACT_FORK, PC_ACT_EXIT, PC_ACT_SAMPLE } kind;
    uint32_t pid, tid;
    uint32_t ppid, ptid; /* of a fork */
    uint32_t name;       /* of the file, the command, the event */
    bool kernel, known;  /* of a sample: where it was; whether that is known */
    uint64_t at;         /* the address */
    uint64_t amount;     /* bytes of a mapping, period of a sample */
    uint64_t pgoff;      /* of a mapping */
};

struct pc_result {
    const char *event, *command, *binary, *build_id; /* "[unknown]"; build_id: "" */
    const char *function, *source;                   /* "": not known */
    uint64_t samples, period;
};

struct pc_results;

/* For captures that this handle opens; NULL: no memory. binaries: the caller's; NULL: functions are not asked
 * for. */
struct pc_results *pc_results_new(perfcheck_t *pc, struct pc_binaries *binaries);
void pc_results_free(struct pc_results *results);

/* Begins with a capture. False: no memory. */
bool pc_results_begin(struct pc_results *results);

/* The number of a text; 0 is "". */
uint32_t pc_results_name(struct pc_results *results, const char *text);

/* What the item of the handle does, if it does something. */
bool pc_results_look(struct pc_results *results, const perfcheck_item_t *item, struct pc_act *act);

/* Does it. */
void pc_results_do(struct pc_results *results, const struct pc_act *act);

/* Orders results: most samples first, then by what came first. Returns how many there are. */
size_t pc_results_end(struct pc_results *results);

/* False: the system had no memory for some of it. */
bool pc_results_whole(const struct pc_results *results);

struct pc_result pc_results_get(const struct pc_results *results, size_t i);

/* All for which there was no room: no sample, or the event, command and binary are "others". */
struct pc_result pc_results_others(const struct pc_results *results);

#endif

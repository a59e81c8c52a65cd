/* SPDX-License-Identifier: MIT
 *
 * facts.h: what judging an item tells beside findings, for the rules between records.
 */
#ifndef PC_CHECK_FACTS_H
#define PC_CHECK_FACTS_H

#include "read/capture.h"

#include <string.h>

/* The fields of features, among those of types. */
#define PC_FACTS_OF_FEATURE(bit) (PC_TYPE_ROWS + (bit))

/* Pointers are valid until the next item is judged. */
struct pc_facts {
    const struct pc_item *item;
    const struct pc_context *at;           /* the structure */
    const struct pc_record_info *info;     /* of a record of a known type */
    bool came;                             /* a user record that may be read, sound or not */
    bool by_plan;                          /* its plan found it sound: no reserved bit, no byte after a NUL */
    bool sound;                            /* a record with all its fields ... */
    bool faulty;                           /* ... in one of which an error was found; of user records alone */
    const uint64_t *slot;                  /* what was read of a record ... */
    const size_t *slot_at;                 /* ... and where it is */
    const struct pc_sample_layout *layout; /* of a sound record of the kernel ... */
    uint32_t attr;                         /* ... and its attr */
    unsigned of;                           /* whose fields are shown: a type or PC_FACTS_OF_FEATURE */
};

/* Whether a sound MMAP or MMAP2 is the kernel itself: tools/perf/util/machine.c:
 * machine__process_kernel_mmap_event. */
static inline bool pc_is_kernel_mapping(const struct pc_facts *record)
{
    static const char kernel[] = "[kernel.kallsyms]"; /* the symbol that it begins at follows */
    const size_t len = sizeof(kernel) - 1;
    return (record->item->misc & PC_MISC_CPUMODE) == PC_MODE_KERNEL && record->slot[PC_REC_NAME] >= len &&
           memcmp(pc_part(record->item->bytes, record->slot_at[PC_REC_NAME], len).ptr, kernel, len) == 0;
}

/* Receives a sound field of a user record or of a feature, before the facts of it are complete. */
typedef void pc_take_field(void *ctx, const struct pc_facts *facts, const struct pc_leaf *leaf);

#endif

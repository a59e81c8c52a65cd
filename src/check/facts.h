/* SPDX-License-Identifier: MIT
 *
 * facts.h: what judging an item tells beside findings, for the rules between records.
 */
#ifndef PC_CHECK_FACTS_H
#define PC_CHECK_FACTS_H

#include "read/capture.h"

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
    bool maps_kernel;                      /* a sound MMAP or MMAP2, of the kernel itself */
    unsigned of;                           /* whose fields are shown: a type or PC_FACTS_OF_FEATURE */
};

/* Receives a sound field of a user record or of a feature, before the facts of it are complete. */
typedef void pc_take_field(void *ctx, const struct pc_facts *facts, const struct pc_leaf *leaf);

#endif

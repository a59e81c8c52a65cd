/* SPDX-License-Identifier: MIT
 *
 * What the files of the generator share.
 */
#ifndef PC_GENERATE_PARTS_H
#define PC_GENERATE_PARTS_H

#include "generate/generate.h"

#include <stdio.h>
#include <stdlib.h>

/* Stops the program when the generator itself is wrong. */
#define GENERATE_MUST(holds, what)                                                                           \
    do {                                                                                                     \
        if (!(holds)) {                                                                                      \
            fprintf(stderr, "%s:%d: generator: %s\n", __FILE__, __LINE__, what);                             \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

#define GENERATE_IDS 2 /* of each attr */

#define GENERATE_TRACEPOINT                                                                                  \
    (PC_S_RAW | PC_S_TIME) /* the sample_type of samples with gen_payload's payload                          \
                            */

/* Memory for a file, not initialised: most of these megabytes are never written. */
unsigned char *gen_room(void);

/* Appends n bytes as they are, or n zeros when bytes is NULL; returns their offset. */
size_t gen_put(struct generate *g, const void *bytes, size_t n);

/* Appends an integer of `width` bytes; a string with its length, in 64 bytes. */
void gen_int(struct generate *g, unsigned width, uint64_t value);
void gen_string(struct generate *g, const char *text);

/* The id of an attr: `which` is below GENERATE_IDS. */
uint64_t gen_id(uint32_t attr, unsigned which);

/* Empties g->synth, for the next table. */
void gen_begin(struct generate *g);

/* Later records go to another member. */
void gen_select(struct generate *g, unsigned member);

/* The records since the last call become one or two compressed ones. */
void gen_pack(struct generate *g);

/* Whether records of the type are compressed. */
bool gen_is_packed(const struct generate *g, uint32_t type);

/* A record of the type with what is compared across structures; all records that are asked for. */
void gen_record(struct generate *g, uint32_t type, unsigned variant, uint32_t attr);
void gen_records(struct generate *g);

/* A payload of the tracepoint: 44 bytes. */
void gen_payload(struct generate *g, unsigned char *to);
void gen_tracing_data(struct generate *g);

/* The content of a feature; whether the capture has it; whether the plan asks for it, or for what needs it.
 */
void gen_feature(struct generate *g, uint64_t bit);
bool gen_has(const struct generate *g, uint64_t bit);
bool gen_planned_feature(const struct generate *g, uint64_t bit);

/* The containers. */
void gen_file(struct generate *g);
void gen_pipe(struct generate *g);
void gen_directory(struct generate *g);

#endif

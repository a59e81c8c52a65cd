/* SPDX-License-Identifier: MIT
 *
 * synth.h: sound bytes for any table, made from the table alone. First the structure: counts and lengths
 * become small numbers, selecting rows take one of their cases, strings get room, everything else is zero.
 * Then, if asked for, the content: whatever is free gets a random value that its rule allows, strings get
 * random text, padding stays zero. So a loop over all tables needs no list of cases, and a new record type is
 * in it as soon as it has a row.
 */
#ifndef PC_SYNTH_H
#define PC_SYNTH_H

#include "bytes/cursor.h"
#include "format/field.h"
#include "format/tables.h"

#define SYNTH_MAX      8192
#define SYNTH_PLACES   32
#define SYNTH_BPF_DATA 256

/* What a leaf of this name ("": without one) gets instead of a random value: a number, or a text. */
struct synth_want {
    const char *name; /* NULL ends the list */
    uint64_t value;
    const char *text;
};

/* The structure that a table has once been given, for the same layout and variant: it does not depend on the
 * content, and finding it takes a walk for each of its words. */
struct synth_known {
    const struct pc_field *table;
    struct pc_layout layout;
    unsigned variant;
    enum pc_order order;
    uint32_t attr_size;
    size_t start, end;
    bool sound, has_tail, tail_is_rest;
    size_t pos, tail_at, until_at, cut[SYNTH_PLACES], nr_cuts;
    size_t len;           /* bytes that are not zero end here, or those that are done */
    unsigned char *bytes; /* len of them, and len of what is done */
};

#define SYNTH_KNOWN 1024

struct synth {
    struct synth_known
        *known; /* SYNTH_KNOWN of them, where bytes and done are zero before each table; or NULL */
    unsigned char bytes[SYNTH_MAX];
    size_t len;
    unsigned variant; /* which case selecting rows take; which optional rows are there; 7: counts are 0 */
    enum pc_order order;
    uint32_t attr_size; /* of attrs in it; 0: 128 */
    const struct synth_want *want;
    /* Of the current walk. */
    const struct pc_field *table;
    uint64_t counts; /* slots that the table uses as counts */
    size_t end;
    bool changed, has_tail, tail_is_rest;
    size_t tail_at;                    /* where a row that takes the rest begins */
    size_t until_at;                   /* where the third element of a row begins that takes the rest */
    size_t cut[SYNTH_PLACES], nr_cuts; /* where optional rows begin */
    bool done[SYNTH_MAX];              /* structure: not to be filled */
    uint64_t random;
    unsigned pass;
    size_t bpf_at; /* of the current info */
};

/* The arrays of a BPF program, in its info and in the data that synth makes: positions of pointer, count and
 * size of an element in the info (FORMAT.md 5.4.7), begin and element size in the data, bytes of its
 * integers. */
extern const struct synth_bpf {
    unsigned pointer, count, size_at, start, size, word;
} synth_bpf[9];

/* A pseudo-random word. */
uint64_t synth_random(uint64_t *state);

/* Stores an integer of `width` bytes: in a byte order; in that of s, at an offset of its bytes. */
void synth_store_as(unsigned char *to, unsigned width, uint64_t value, enum pc_order order);
void synth_store(struct synth *s, size_t at, unsigned width, uint64_t value);

/* Whether the row of the leaf has this name. */
bool synth_is(const struct pc_leaf *leaf, const char *name);

/* The structure of a sound record of the type under the layout; false when this variant gives none. */
bool synth_record(struct synth *s, uint32_t type, uint16_t misc, const struct pc_layout *layout);

/* Fills the record that synth_record made. */
void synth_fill_record(struct synth *s, uint32_t type, const struct pc_layout *layout, uint64_t seed);

/* Fills in the sound content of a feature; false if this variant has none. */
bool synth_feature(struct synth *s, const struct pc_field *table, const struct pc_layout *layout,
                   uint64_t seed);

/* An attr of this size, filled. */
void synth_attr(struct synth *s, uint32_t size, uint64_t seed);

/* Private: gives a leaf its content in pass 0 or 1; a visitor of struct synth. */
bool synth_fill_leaf(void *ctx, const struct pc_leaf *leaf);

#endif

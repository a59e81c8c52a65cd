/* SPDX-License-Identifier: MIT
 *
 * synth.h: sound bytes for any table, made from the table alone: counts and lengths become small numbers,
 * selecting rows take one of their cases, everything else is zero. So a loop over all tables needs no list
 * of cases, and a new record type is in it the day it has a row.
 */
#ifndef PC_SYNTH_H
#define PC_SYNTH_H

#include <stdlib.h>
#include <string.h>

#include "field.h"
#include "format.h"

#define SYNTH_MAX 8192

struct synth {
    unsigned char bytes[SYNTH_MAX];
    size_t len;
    unsigned variant; /* which case selecting rows take; whether optional rows are there */
    enum pc_order order;
    bool changed, has_tail;
    size_t tail_at; /* where a row that takes the rest begins */
    bool done[SYNTH_MAX];
};

static inline void synth_store(struct synth *s, size_t at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++) {
        unsigned shift = 8 * (s->order == PC_LITTLE ? i : width - 1 - i);
        s->bytes[at + i] = (unsigned char)(value >> shift);
    }
}

static inline bool synth_is_count(const struct pc_field *field)
{
    return (field->save >= PC_SLOT_A && field->save <= PC_SLOT_D) || field->save == PC_REC_NR;
}

static inline bool synth_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct synth *s = ctx;
    const struct pc_field *field = leaf->field;
    if (leaf->fault == PC_FAULT_TEXT) { /* a literal: write it and walk again */
        memcpy(s->bytes + leaf->at, field->text, leaf->raw.len);
        s->changed = true;
        return false;
    }
    if (leaf->fault != PC_SOUND)
        return true;
    if (field->kind == PC_CSTR || field->kind == PC_REST) {
        if (!s->has_tail) {
            s->has_tail = true;
            s->tail_at = leaf->at;
        }
        return true;
    }
    if ((field->kind == PC_REST) || s->done[leaf->at])
        return true;
    uint64_t value = leaf->value;
    if (field->kind == PC_HSTR && leaf->raw.len == 4)
        value = 0;
    if (field->kind == PC_UINT && field->cases && (field->rule != PC_RULE_MOD8)) {
        unsigned nr = 0;
        while (field->cases[nr].bits)
            nr++;
        value = field->cases[s->variant % nr].lo;
    } else if (field->kind == PC_UINT && (synth_is_count(field) || field->rule == PC_RULE_MOD8)) {
        /* Lengths of text that is padded, of raw data, of anything else. */
        value = field->rule == PC_RULE_MOD8 ? 8 + field->arg : field->as == PC_AS_WORDS ? 70 : 2;
        if (s->variant == 7)
            value = field->rule == PC_RULE_MOD8 ? field->arg : 0;
        if (field->as == PC_AS_ATTR_SIZE)
            value = 128;
    } else if (field->kind == PC_UINT && (field->rule == PC_RULE_NONZERO || field->rule == PC_RULE_IS)) {
        value = field->rule == PC_RULE_IS ? field->arg : 1;
    } else {
        return true;
    }
    s->done[leaf->at] = true;
    if (value != leaf->value) {
        synth_store(s, leaf->at, field->width, value);
        s->changed = true;
        return false;
    }
    return true;
}

#endif

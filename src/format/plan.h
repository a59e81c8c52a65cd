/* SPDX-License-Identifier: MIT
 *
 * plan.h: a record table compiled for one layout. A plan answers one question fast: would a walk of this
 * record find no defect? It is made from the table: runs of fields without a rule become one length. When it
 * says no, a walk tells what is wrong.
 */
#ifndef PC_PLAN_H
#define PC_PLAN_H

#include "base/base.h"
#include "format/tables.h"
#include "base/mem.h"

struct pc_plan;

/* Bytes at a fixed place, and what must hold for them: most of the work for most records. */
#define PC_PART_SAVES 5
#define PC_PART_TESTS 4
struct pc_part {
    uint16_t len; /* bytes */
    uint8_t nr_saves, nr_tests;
    struct {
        uint16_t at;
        uint8_t width, slot;
    } save[PC_PART_SAVES];
    struct {
        uint16_t at;
        bool nonzero;        /* the word must not be 0 ... */
        uint64_t bits, most; /* ... else these bits of it may be at most this */
    } test[PC_PART_TESTS];
};

/* A plan that has no other steps than these: a part after the header of the record, perhaps a call chain
 * whose count is in it or a string, and a second part. */
struct pc_simple_plan {
    struct pc_part head, tail;
    uint16_t chain_at;             /* of the count, in the head */
    const struct pc_field *chain;  /* an entry; NULL: there is no chain */
    const struct pc_field *string; /* NULL: there is none */
    uint64_t mask;                 /* the layout */
};

/* The plan of a record type under a layout; NULL when the table has rows that plans do not
 * know, or without memory. */
struct pc_plan *pc_plan_new(struct pc_mem *mem, const struct pc_record_info *info,
                            const struct pc_layout *layout, enum pc_order order);
void pc_plan_free(struct pc_mem *mem, struct pc_plan *plan);

/* True when the record is sound; then slot and slot_at hold what a walk would have left in them.
 * Slots that no row of this layout fills keep what they held. */
bool pc_plan_run(const struct pc_plan *plan, struct pc_span record, uint64_t *slot, size_t *slot_at);

/* The same plan as a simple one without a string, which lives as long; NULL: it is none. */
const struct pc_simple_plan *pc_plan_simple(const struct pc_plan *plan);

/* Whether a part is sound; `base` is its place in the bytes, where all of it is. */
PC_INLINE bool pc_part_ok(const struct pc_part *part, const unsigned char *bytes, size_t base,
                          const enum pc_order order)
{
    for (unsigned i = 0; i < part->nr_tests; i++) {
        uint64_t value = pc_load(bytes + base + part->test[i].at, 8, order);
        if (part->test[i].nonzero ? value == 0 : (value & part->test[i].bits) > part->test[i].most)
            return false;
    }
    return true;
}

/* Whether entry i of a call chain, in a layout, keeps its rule. */
bool pc_chain_marker_ok(const unsigned char *first, uint64_t nr, const struct pc_field *entry, uint64_t mask,
                        enum pc_order order, uint64_t i);

/* Whether all nr entries of a call chain keep their rule. Nearly all are below the markers, which is sound;
 * of the markers two are sound anywhere. */
PC_INLINE bool pc_chain_ok(const unsigned char *first, uint64_t nr, const struct pc_field *entry,
                           uint64_t mask, const enum pc_order order)
{
    uint64_t i = 0, value = 0;
    for (;;) {
        while (nr - i >= 4 && pc_load(first + 8 * i, 8, order) < PC_CONTEXT_MAX &&
               pc_load(first + 8 * i + 8, 8, order) < PC_CONTEXT_MAX &&
               pc_load(first + 8 * i + 16, 8, order) < PC_CONTEXT_MAX &&
               pc_load(first + 8 * i + 24, 8, order) < PC_CONTEXT_MAX)
            i += 4;
        while (i < nr && (value = pc_load(first + 8 * i, 8, order)) < PC_CONTEXT_MAX)
            i++;
        if (i == nr)
            return true;
        if (value != PC_CONTEXT_USER && value != PC_CONTEXT_KERNEL &&
            !pc_chain_marker_ok(first, nr, entry, mask, order, i))
            return false;
        i++;
    }
}

/* Whether a record is sound by its simple plan. *tail: where its second part begins. */
PC_INLINE bool pc_simple_ok(const struct pc_simple_plan *simple, struct pc_span record, size_t *tail,
                            const enum pc_order order)
{
    const size_t base = PC_RECORD_HEADER_SIZE;
    size_t pos = base + simple->head.len, fixed = pos + simple->tail.len;
    if (record.len < fixed || !pc_part_ok(&simple->head, record.ptr, base, order))
        return false;
    if (simple->chain) {
        uint64_t nr = pc_load(record.ptr + base + simple->chain_at, 8, order);
        if (nr > PC_RECORD_SIZE_MAX || 8 * nr != record.len - fixed ||
            !pc_chain_ok(record.ptr + pos, nr, simple->chain, simple->mask, order))
            return false;
        pos += 8 * (size_t)nr;
    } else if (record.len != fixed) {
        return false;
    }
    *tail = pos;
    return pc_part_ok(&simple->tail, record.ptr, pos, order);
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * witness_record.h: whether two records have the same content, compared by their tables: leaf by leaf where
 * their places are the same, else by their plain forms (plain.h).
 */
#ifndef PC_WITNESS_RECORD_H
#define PC_WITNESS_RECORD_H

#include "base/base.h"
#include "check/plain.h"
#include "read/item.h"

/* Whether the canonical record `made`, in the order `to`, has the content of the record. by_plan: its plan
 * found it sound. plain: two of them, initialised. */
bool pc_witness_record(struct pc_plain plain[2], struct pc_capture *capture, const struct pc_item *record,
                       bool by_plan, struct pc_span made, enum pc_order to);

/* Where integers are in samples of one size, under a layout with a simple plan: in these nothing but the
 * length of the call chain varies. The walk of one has shown it. */
#define PC_SHAPE_STEPS 24
#define PC_SHAPES      64
struct pc_shape {
    const struct pc_sample_layout *layout; /* NULL: of none */
    size_t size;                           /* of the samples */
    size_t nr;                             /* of steps, which fill the sample after its header */
    struct {
        uint8_t width; /* of integers; 0: zeros */
        uint32_t n;    /* bytes */
    } step[PC_SHAPE_STEPS];
};

/* The same of samples in another order, one after the other, that their plans found sound. shapes: PC_SHAPES
 * of them, zeros at first, for this capture and order alone. */
bool pc_witness_samples(struct pc_shape *shapes, struct pc_plain plain[2], struct pc_capture *capture,
                        struct pc_span samples, const unsigned char *made, enum pc_order to);

/* Whether two records of two captures have the same content. */
bool pc_witness_same(struct pc_plain plain[2], struct pc_capture *a, const struct pc_item *left,
                     struct pc_capture *b, const struct pc_item *right);

#endif

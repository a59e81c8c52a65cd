/* SPDX-License-Identifier: MIT
 *
 * layouts.h: the layouts of the records of all attrs, each held once, and the plans that check them.
 */
#ifndef PC_LAYOUTS_H
#define PC_LAYOUTS_H

#include "format/plan.h"
#include "format/tables.h"

struct pc_capture;

/* Plans of one layout: by type, then the variants that misc and content choose. */
enum {
    PC_PLAN_MMAP2_BUILD_ID = PC_USER_TYPES,
    PC_PLAN_MMAP2_OLD,
    PC_PLAN_SAMPLE_OTHERS, /* without hw_idx, with counters, both */
    PC_PLANS = PC_PLAN_SAMPLE_OTHERS + 3
};

/* A layout of records, shared by all attrs that have it. */
struct pc_sample_layout {
    struct pc_layout layout;
    unsigned sample_id_size;
    /* In samples; 0: none, or (a chain after read values) no fixed place. */
    uint16_t ip_at, tid_at, time_at, cpu_at, id_at, identifier_at, chain_at;
    int id_word;    /* u64 index of the id in a SAMPLE from its first field; -1: no fixed place */
    int trailer_id; /* ... in other records from their end, 1 is the last; -1: there is none */
    bool defers;    /* call chains may end with the cookie of a later record */
    struct pc_plan *plan[PC_PLANS];
    bool tried[PC_PLANS];
    const struct pc_simple_plan *simple; /* plan[PC_SAMPLE] when it is simple */
};

/* The index of a layout in capture->layout, where it is added when it is new; PC_NO_ATTR: no memory. */
uint32_t pc_layouts_add(struct pc_capture *capture, const struct pc_layout *layout);
void pc_layouts_clear(struct pc_capture *capture);

/* The plan of a kernel record under a layout, by which the reader has judged it; NULL: there is none. */
const struct pc_plan *pc_capture_plan(const struct pc_capture *capture,
                                      const struct pc_sample_layout *samples, uint32_t type, uint16_t misc);
/* The same, made when first asked for. */
const struct pc_plan *pc_layouts_plan(const struct pc_capture *capture, struct pc_sample_layout *samples,
                                      uint32_t type, uint16_t misc);

/* One of the other layouts that a SAMPLE may have (hw_idx left out, counters added): which is 0, 1 or 2.
 * False: this layout does not apply. *plan may be NULL. */
bool pc_capture_other_layout(const struct pc_capture *capture, const struct pc_sample_layout *samples,
                             unsigned which, struct pc_layout *layout, const struct pc_plan **plan);
/* Makes the plans of these, for a sample that its plan does not find sound. */
void pc_layouts_plan_others(const struct pc_capture *capture, struct pc_sample_layout *samples);

#endif

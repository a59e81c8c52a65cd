/* SPDX-License-Identifier: MIT
 *
 * Layouts of records, each made once for all attrs that have it, with their plans.
 */
#include "read/layouts.h"
#include "read/capture.h"

#include <string.h>

/* How many of the newest layouts are compared before a new one is made. */
#define LAYOUTS_COMPARED 64

/* The place of a field that is at the same place in every sample of the layout; 0: there is none. */
static uint16_t place_in_sample(const struct pc_layout *layout, unsigned slot)
{
    size_t at;
    bool fixed = pc_find_row(pc_record_info(PC_SAMPLE)->fields, layout->mask, slot, &at) != NULL;
    return fixed ? (uint16_t)(PC_RECORD_HEADER_SIZE + at) : 0;
}

/* The slot of the id by which an attr's records are told from others. */
static unsigned id_slot(uint64_t mask)
{
    return mask & PC_S_IDENTIFIER ? PC_SLOT_IDENTIFIER : PC_SLOT_ID;
}

/* Words before the id in samples: tools/perf/util/evsel.c: __perf_evsel__calc_id_pos. */
static int id_position(uint64_t mask)
{
    size_t at;
    return pc_find_row(pc_record_info(PC_SAMPLE)->fields, mask, id_slot(mask), &at) ? (int)(at / 8) : -1;
}

/* Words from the id to the end of other records: __perf_evsel__calc_is_pos. */
static int trailer_position(uint64_t mask)
{
    size_t at;
    if (!pc_find_row(pc_sample_id, mask, id_slot(mask), &at))
        return -1;
    return (int)(pc_sample_id_size(mask | PC_LAYOUT_SAMPLE_ID) - at) / 8;
}

/* The bytes that each sample has, also when the kernel leaves out what it may. */
static size_t least_sample(const struct pc_layout *layout)
{
    const uint64_t mask = layout->mask & ~(PC_LAYOUT_HW_INDEX | PC_LAYOUT_COUNTERS);
    return PC_RECORD_HEADER_SIZE + (size_t)pc_least_size(pc_record_info(PC_SAMPLE)->fields, mask);
}

uint32_t pc_layouts_add(struct pc_capture *capture, const struct pc_layout *layout)
{
    size_t oldest = capture->nr_layouts > LAYOUTS_COMPARED ? capture->nr_layouts - LAYOUTS_COMPARED : 0;
    for (size_t i = capture->nr_layouts; i > oldest; i--) {
        if (memcmp(&capture->layout[i - 1]->layout, layout, sizeof(*layout)) == 0)
            return (uint32_t)(i - 1);
    }
    if (!pc_grow(capture->mem, &capture->layout, &capture->cap_layouts, capture->nr_layouts + 1,
                 sizeof(struct pc_sample_layout *)))
        return PC_NO_ATTR;
    struct pc_sample_layout *samples = pc_alloc(capture->mem, sizeof(*samples));
    if (!samples)
        return PC_NO_ATTR;
    samples->layout = *layout;
    samples->sample_id_size = pc_sample_id_size(layout->mask);
    samples->ip_at = place_in_sample(layout, PC_REC_IP);
    samples->tid_at = place_in_sample(layout, PC_REC_SAMPLE_TID);
    samples->time_at = place_in_sample(layout, PC_SLOT_TIME);
    samples->cpu_at = place_in_sample(layout, PC_SLOT_CPU);
    samples->id_at = place_in_sample(layout, PC_SLOT_ID);
    samples->identifier_at = place_in_sample(layout, PC_SLOT_IDENTIFIER);
    samples->id_word = id_position(layout->mask);
    samples->trailer_id = trailer_position(layout->mask);
    samples->defers = (layout->mask & PC_LAYOUT_DEFER) != 0;
    if (!(layout->mask & PC_S_READ))
        samples->chain_at = place_in_sample(layout, PC_REC_CHAIN);
    size_t least = least_sample(layout);
    capture->least_sample =
        capture->nr_layouts == 0 || least < capture->least_sample ? least : capture->least_sample;
    capture->layout[capture->nr_layouts] = samples;
    return (uint32_t)capture->nr_layouts++;
}

/* Plans are for the common layouts; a capture with thousands of layouts is walked without. */
#define LAYOUTS_WITH_PLANS 256

static void make_plan(const struct pc_capture *capture, struct pc_sample_layout *samples, unsigned which,
                      uint32_t type, const struct pc_layout *layout)
{
    samples->tried[which] = true;
    if (capture->nr_layouts <= LAYOUTS_WITH_PLANS && !capture->no_plans)
        samples->plan[which] = pc_plan_new(capture->mem, pc_record_info(type), layout, capture->order);
    if (which == PC_SAMPLE && samples->plan[which])
        samples->simple = pc_plan_simple(samples->plan[which]);
}

/* Which of the plans of a layout is that of a record. */
static inline unsigned which_plan(const struct pc_capture *capture, uint32_t type, uint16_t misc)
{
    if (type != PC_MMAP2)
        return type;
    if (misc & PC_MISC_MMAP_BUILD_ID)
        return PC_PLAN_MMAP2_BUILD_ID;
    return capture->mmap2_old == 1 ? (unsigned)PC_PLAN_MMAP2_OLD : type;
}

const struct pc_plan *pc_capture_plan(const struct pc_capture *capture,
                                      const struct pc_sample_layout *samples, uint32_t type, uint16_t misc)
{
    return samples->plan[which_plan(capture, type, misc)];
}

static __attribute__((noinline)) void make_first(const struct pc_capture *capture,
                                                 struct pc_sample_layout *samples, unsigned which,
                                                 uint32_t type, uint16_t misc)
{
    struct pc_layout layout = pc_record_layout(&samples->layout, type, misc, which == PC_PLAN_MMAP2_OLD);
    make_plan(capture, samples, which, type, &layout);
}

const struct pc_plan *pc_layouts_plan(const struct pc_capture *capture, struct pc_sample_layout *samples,
                                      uint32_t type, uint16_t misc)
{
    unsigned which = which_plan(capture, type, misc);
    if (!samples->tried[which])
        make_first(capture, samples, which, type, misc);
    return samples->plan[which];
}

bool pc_capture_other_layout(const struct pc_capture *capture, const struct pc_sample_layout *samples,
                             unsigned which, struct pc_layout *layout, const struct pc_plan **plan)
{
    bool no_index = which == 0 || which == 2, counters = which == 1 || which == 2;
    uint64_t mask = samples->layout.mask;
    if (!(mask & PC_S_BRANCH_STACK) || (no_index && !(mask & PC_LAYOUT_HW_INDEX)) ||
        (counters && !capture->counters))
        return false;
    *layout = pc_record_layout(&samples->layout, PC_SAMPLE, 0, false);
    /* The kernel writes counters only when the PMU delivered them, and leaves hw_idx out with an empty stack.
     */
    if (counters)
        layout->mask ^= PC_LAYOUT_COUNTERS;
    if (no_index)
        layout->mask &= ~PC_LAYOUT_HW_INDEX;
    *plan = samples->plan[PC_PLAN_SAMPLE_OTHERS + which];
    return true;
}

void pc_layouts_plan_others(const struct pc_capture *capture, struct pc_sample_layout *samples)
{
    struct pc_layout layout;
    const struct pc_plan *plan;
    for (unsigned which = 0; which < 3; which++) {
        unsigned index = PC_PLAN_SAMPLE_OTHERS + which;
        if (!samples->tried[index] && pc_capture_other_layout(capture, samples, which, &layout, &plan))
            make_plan(capture, samples, index, PC_SAMPLE, &layout);
    }
}

void pc_layouts_clear(struct pc_capture *capture)
{
    struct pc_mem *mem = capture->mem;
    for (size_t i = 0; i < capture->nr_layouts; i++) {
        for (size_t k = 0; k < PC_PLANS; k++)
            pc_plan_free(mem, capture->layout[i]->plan[k]);
        pc_free(mem, capture->layout[i], sizeof(struct pc_sample_layout));
    }
    pc_free(mem, capture->layout, capture->cap_layouts * sizeof(*capture->layout));
}

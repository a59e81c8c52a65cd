/* SPDX-License-Identifier: MIT
 *
 * Which features a salvage leaves out.
 */
#include "write/salvage_parts.h"

void pc_salvage_leave_out_unsure(struct pc_salvage *s)
{
    const enum pc_diag why = s->unsure_why ? s->unsure_why : PC_D_FEATURE_BITS;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (pc_bit(s->unsure, bit))
            pc_salvage_leave_out(s, &s->features, bit, &(struct pc_finding){ .id = why });
    }
}

/* A pipe names no features, and perf sends this one in each: without it, it may be what was left out. */
static bool may_have_lost(const struct pc_salvage *s, uint64_t bit)
{
    return bit == PC_HOSTNAME && s->content->scan->capture.is_pipe && (s->lost.records | s->lost.bytes) != 0;
}

bool pc_salvage_lost_feature(struct pc_salvage *s, uint64_t bit)
{
    if (s->of_copy || pc_bit(s->content->parts.present, bit))
        return false;
    return may_have_lost(s, bit) || pc_bit(s->named, bit) || s->end_why ||
           (s->features.nr != 0 && pc_set_find(&s->features, &bit));
}

/* So many samples beyond the last CPU are more than one place that is damaged: the number of CPUs is. */
#define BEYOND_FEW 3

bool pc_salvage_blames_nrcpus(struct pc_salvage *s, const struct pc_finding *f)
{
    const struct pc_capture *capture = &s->content->scan->capture;
    const bool none = capture->nr_cpus == 0 || capture->nr_online == 0;
    if (!pc_bit(capture->seen, PC_NRCPUS))
        return false;
    s->beyond += pc_proof_is_beyond(f->id);
    return (f->id == PC_D_NRCPUS_NEEDED && none) || s->beyond == BEYOND_FEW;
}

void pc_salvage_lose_feature(struct pc_salvage *s, uint64_t bit, const struct pc_finding *f)
{
    if (!pc_salvage_leave_out(s, &s->features, bit, f))
        return;
    s->again |= bit < PC_FEATURE_BITS && pc_bit(s->content->parts.present, bit);
    if (bit == PC_NRCPUS)
        s->restart = s->again = true;
}

/* A feature that is left out is listed at the place of the error in it; at its section, or at its entry in
 * the feature table if that names none, when the error was found elsewhere. */
static void place_feature(struct pc_salvage *s, const struct pc_item *item)
{
    struct left_out *entry = pc_set_find(&s->features, &item->number);
    if (!entry) /* there was no memory for it */
        return;
    if (entry->offset < item->offset || entry->offset - item->offset >= item->size)
        entry->offset = item->size != 0 && item->offset != 0 ? item->offset : item->entry;
}

bool pc_salvage_keeps_feature(struct pc_salvage *s, const struct pc_item *item)
{
    const struct pc_finding zeros = { .id = PC_D_ZEROED, .offset = item->offset };
    if (!pc_salvage_find(&s->features, item->number) && !pc_whole_is_blank(s->content->scan, item))
        return true;
    pc_salvage_leave_out(s, &s->features, item->number, &zeros);
    place_feature(s, item);
    pc_capture_forget_feature(&s->content->scan->capture, item->number);
    return false;
}

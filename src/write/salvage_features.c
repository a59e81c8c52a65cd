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

/* So many samples that contradict a feature are more than one place that is damaged: the feature is. */
#define FEW 3

bool pc_salvage_blames_nrcpus(struct pc_salvage *s, const struct pc_finding *f)
{
    const struct pc_capture *capture = &s->content->scan->capture;
    const bool none = capture->nr_cpus == 0 || capture->nr_online == 0;
    if (!pc_bit(capture->seen, PC_NRCPUS))
        return false;
    s->beyond += pc_proof_is_beyond(f->id);
    return (f->id == PC_D_NRCPUS_NEEDED && none) || s->beyond == FEW;
}

void pc_salvage_lose_feature(struct pc_salvage *s, uint64_t bit, const struct pc_finding *f)
{
    if (!pc_salvage_leave_out(s, &s->features, bit, f))
        return;
    s->again |= bit < PC_FEATURE_BITS && pc_bit(s->content->parts.present, bit);
    if (bit == PC_NRCPUS || bit == PC_TRACING_DATA)
        s->restart = s->again = true;
}

/* --- TRACING_DATA --- */

void pc_salvage_see_payload(struct pc_salvage *s, const struct pc_finding *f)
{
    if (f->place != PC_IN_RECORD)
        return;
    const uint64_t key = pc_salvage_key(&f->where, f->number);
    if (f->id == PC_D_COMMON_TYPE || f->id == PC_D_COMMON_TYPE_UNKNOWN)
        s->foreign = key;
    if (pc_proof_is_of_format(f->id))
        s->against = key;
}

void pc_salvage_count_payload(struct pc_salvage *s, const struct pc_item *item)
{
    const struct pc_capture *capture = &s->content->scan->capture;
    const uint64_t key = pc_salvage_key(&item->where, item->number);
    if (item->type != PC_SAMPLE || capture->nr_tracing == 0 || (item->where.inside && s->frame))
        return;
    const struct pc_chosen chosen = pc_capture_choose(capture, item->type, item->bytes);
    const uint64_t attr = chosen.attr;
    if (chosen.choice != PC_CHOSEN || pc_attr_get(&capture->attr[attr], PC_ATTR_TYPE) != PC_TYPE_TRACEPOINT)
        return;
    struct of_event *event = pc_set_add(&s->mem, &s->events, &attr);
    if (!event) {
        pc_content_no_memory(s->content);
        return;
    }
    if (key == s->foreign)
        event->foreign++;
    else if (key == s->against)
        event->against++;
    else
        event->fit++;
}

bool pc_salvage_is_event(struct pc_salvage *s, uint64_t attr)
{
    const struct of_event *event = s->events.nr != 0 ? pc_set_find(&s->events, &attr) : NULL;
    return event && event->fit + event->against > event->foreign;
}

void pc_salvage_judge_formats(struct pc_salvage *s)
{
    const struct of_event *event = s->events.entry;
    const struct pc_finding why = { .id = PC_D_RAW_FIELD_OUTSIDE };
    uint64_t against = 0;
    for (size_t i = 0; i < s->events.nr; i++)
        against += event[i].against > event[i].fit ? event[i].against : 0;
    if (against >= FEW)
        pc_salvage_lose_feature(s, PC_TRACING_DATA, &why);
}

bool pc_salvage_blames_trace(const struct pc_salvage *s, const struct pc_finding *f)
{
    const struct pc_item *last = &s->last.item;
    return s->content->scan->capture.is_pipe && last->type == PC_HEADER_TRACING_DATA &&
           last->number == f->number && last->bytes.len != 0 && last->where.stream == f->where.stream &&
           !f->where.inside;
}

const struct left_out *pc_salvage_place_trace(struct pc_salvage *s, const struct pc_item *item)
{
    const uint64_t bit = PC_TRACING_DATA;
    struct left_out *entry = s->features.nr != 0 ? pc_set_find(&s->features, &bit) : NULL;
    if (entry)
        entry->offset = item->offset;
    return entry;
}

bool pc_salvage_keeps_payload(struct pc_salvage *s, const struct pc_item *item)
{
    const bool trace = item->type == PC_HEADER_TRACING_DATA && s->content->scan->capture.is_pipe,
               kept =
                   s->last_kept && !(trace && pc_salvage_find(&s->features, PC_TRACING_DATA)) &&
                   (s->last_mended || !pc_salvage_why_record(s, pc_salvage_key(&item->where, item->number)));
    if (trace && !kept)
        pc_capture_forget_feature(&s->content->scan->capture, PC_TRACING_DATA);
    return kept;
}

/* --- what is kept --- */

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

/* SPDX-License-Identifier: MIT
 *
 * Judges samples one after the other in the bytes that the reader has. It passes those that pc_judge_item
 * would find sound and that no rule between records wants to see. It has no rules of its own: layouts and
 * plans are made of the tables.
 */
#include "check/judge.h"

/* What changes with each sample. */
struct state {
    const struct pc_attr *attr; /* of the last one, and its layout */
    const struct pc_sample_layout *layout;
    uint64_t nr_samples;
    uint64_t oldest, newest;
};

static inline size_t recent_place(const struct pc_judge *judge, uint64_t id)
{
    return (size_t)(id % PC_COUNT_OF(judge->recent_id));
}

static __attribute__((noinline)) bool look_up(const struct pc_capture *capture, struct pc_recent_id *recent,
                                              uint64_t id)
{
    uint32_t attr = pc_capture_attr_of(capture, id);
    if (attr != PC_NO_ATTR)
        *recent = (struct pc_recent_id){ id, attr };
    return attr != PC_NO_ATTR;
}

/* The attr of a sample, as pc_capture_choose finds it; NULL: pc_judge_item finds it out. */
PC_INLINE const struct pc_attr *attr_of(struct pc_judge *judge, struct pc_span record,
                                        const enum pc_order order)
{
    const struct pc_capture *capture = judge->capture;
    if (capture->nr_attrs == 1)
        return capture->attr;
    size_t at = PC_RECORD_HEADER_SIZE + 8 * (size_t)capture->common.id_pos;
    if (capture->common.id_pos < 0 || at + 8 > record.len)
        return NULL;
    uint64_t id = pc_load(record.ptr + at, 8, order);
    struct pc_recent_id *recent = &judge->recent_id[recent_place(judge, id)];
    if (id == 0 || (recent->id != id && !look_up(capture, recent, id)))
        return NULL;
    return &capture->attr[recent->attr];
}

uint32_t pc_judge_attr(const struct pc_judge *judge, struct pc_span sample)
{
    const struct pc_capture *capture = judge->capture;
    if (capture->nr_attrs == 1)
        return 0;
    size_t at = PC_RECORD_HEADER_SIZE + 8 * (size_t)capture->common.id_pos;
    uint64_t id = pc_load(sample.ptr + at, 8, capture->order);
    const struct pc_recent_id *recent = &judge->recent_id[recent_place(judge, id)];
    return recent->id == id ? recent->attr : pc_capture_attr_of(capture, id);
}

/* Whether rules for versions of perf look at samples of an attr: at their branches. */
PC_INLINE bool has_branches(const struct pc_attr *attr, uint64_t mask)
{
    return (mask & PC_S_BRANCH_STACK) || (pc_attr_get(attr, PC_ATTR_BRANCH_TYPE) & PC_BRANCH_CALL_STACK);
}

/* What holds for all samples of an attr. False: they are not plainly sound. */
PC_INLINE bool begin_attr(const struct pc_judge *judge, const struct pc_attr *attr, bool read_without_id,
                          struct state *s)
{
    const struct pc_sample_layout *layout = judge->capture->layout[attr->layout];
    const uint64_t mask = layout->layout.mask;
    s->attr = attr;
    s->layout = layout;
    return !(pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) >> PC_S_BITS) &&
           (judge->asked == PC_BY_NONE || !has_branches(attr, mask)) &&
           (!(mask & PC_S_READ) || (!(mask & PC_LAYOUT_READ(PC_READ_ID)) && read_without_id));
}

/* Whether the fields of a sample are sound, and so is what they hold of a tracepoint. */
PC_INLINE bool fields_ok(struct pc_judge *judge, const struct state *s, struct pc_span record,
                         const enum pc_order order)
{
    const struct pc_sample_layout *layout = s->layout;
    size_t tail;
    if (layout->simple)
        return pc_simple_ok(layout->simple, record, &tail, order);
    const struct pc_plan *plan = layout->plan[PC_SAMPLE];
    return plan && pc_plan_run(plan, record, judge->own.slot, judge->own.slot_at) &&
           (!(layout->layout.mask & PC_S_BRANCH_STACK) || pc_check_branches(judge, s->attr, false)) &&
           (!(layout->layout.mask & PC_S_RAW) ||
            pc_check_raw(judge, record, (uint32_t)(s->attr - judge->capture->attr), false));
}

/* Whether a sample needs no more than to be counted, which is done then. */
PC_INLINE bool passes(struct pc_judge *judge, const struct pc_hints *hints, const struct pc_seen *seen,
                      struct state *s, struct pc_span record, uint16_t misc, const enum pc_order order)
{
    const unsigned char *bytes = record.ptr;
    const struct pc_attr *attr = attr_of(judge, record, order);
    if (!attr || ((attr != s->attr || !s->layout) && !begin_attr(judge, attr, hints->read_without_id, s)) ||
        !fields_ok(judge, s, record, order))
        return false;
    const struct pc_sample_layout *layout = s->layout;
    if (layout->cpu_at != 0 && pc_load(bytes + layout->cpu_at, 4, order) >= hints->cpus)
        return false;
    if (layout->id_at != 0 && layout->identifier_at != 0 &&
        pc_load(bytes + layout->id_at, 8, order) != pc_load(bytes + layout->identifier_at, 8, order))
        return false;
    uint64_t nr = s->nr_samples + 1;
    if ((nr & hints->skip) == 0 && (nr >= hints->many || !pc_seen_sample(seen, bytes, misc, layout, order)))
        return false;
    if (layout->time_at != 0) {
        uint64_t time = pc_load(bytes + layout->time_at, 8, order);
        if (time == 0 || time == UINT64_MAX || time < hints->released)
            return false;
        s->oldest = time < s->oldest ? time : s->oldest;
        s->newest = time > s->newest ? time : s->newest;
    }
    s->nr_samples = nr;
    return true;
}

PC_INLINE struct pc_run judge_run(struct pc_judge *judge, struct pc_span ahead, const struct pc_hints *hints,
                                  const struct pc_seen *seen, const enum pc_order order)
{
    struct pc_run run = { 0 };
    struct state s = { .nr_samples = hints->nr_samples, .oldest = UINT64_MAX };
    size_t left = ahead.len;
    const unsigned char *at = ahead.ptr;
    while (left >= PC_RECORD_HEADER_SIZE) {
        /* As pc_load_head has them, which makes an exception of another type. */
        const uint32_t type = (uint32_t)pc_load(at, 4, order);
        const uint16_t misc = (uint16_t)pc_load(at + PC_RECORD_MISC_AT, 2, order),
                       size = (uint16_t)pc_load(at + PC_RECORD_SIZE_AT, 2, order);
        /* In user space or in the kernel, with no other bit: sound by pc_kernel_records. */
        if (type != PC_SAMPLE || (misc != PC_MODE_KERNEL && misc != PC_MODE_USER) || size % 8 != 0 ||
            size < 2 * PC_RECORD_HEADER_SIZE || size > left ||
            !passes(judge, hints, seen, &s, (struct pc_span){ at, size }, misc, order))
            break;
        at += size;
        left -= size;
        run.last_size = size;
    }
    run.nr = s.nr_samples - hints->nr_samples;
    run.bytes = ahead.len - left;
    run.oldest = s.oldest;
    run.newest = s.newest;
    return run;
}

struct pc_run pc_judge_run(struct pc_judge *judge, struct pc_span ahead, const struct pc_hints *hints,
                           const struct pc_seen *seen)
{
    if (judge->capture->nr_attrs == 0)
        return (struct pc_run){ 0 };
    judge->facts.slot = judge->own.slot;
    judge->facts.slot_at = judge->own.slot_at;
    return judge->capture->order == PC_LITTLE ? judge_run(judge, ahead, hints, seen, PC_LITTLE)
                                              : judge_run(judge, ahead, hints, seen, PC_BIG);
}

/* SPDX-License-Identifier: MIT
 *
 * batch.c: judges samples one after the other in the bytes that the reader has. It passes those that
 * pc_check_item would find sound and that no rule between records has to see; what it cannot tell goes there.
 * It has no rules of its own: layouts and plans are made of the tables, and what it does to the state is what
 * pc_check_item does.
 */
#include "check/batch.h"
#include "bytes/cursor.h"

/* What changes with each record, kept here during a batch. */
struct state {
    uint64_t first, last; /* times of samples; none yet: first is above last */
    uint64_t released;
    uint64_t nr_samples, skip;
    uint64_t cpus; /* a CPU below it is no news */
    bool may_skip; /* flow->skip is not set yet, and may be with a later sample */
};

static struct state begin(const struct pc_check *check)
{
    const struct pc_flow *flow = &check->flow;
    const struct pc_flow_cpu *largest = &flow->cpu[PC_CPU_OF_SAMPLE];
    struct state s = { .first = UINT64_MAX, .released = flow->times.released };
    if (check->flow.sum.has_time) {
        s.first = check->flow.sum.first_time;
        s.last = check->flow.sum.last_time;
    }
    s.nr_samples = flow->nr_samples;
    s.skip = flow->skip;
    s.cpus = check->judge.capture->nr_cpus != 0 ? check->judge.capture->nr_cpus
             : largest->known                   ? largest->value + 1
                                                : 0;
    s.may_skip =
        flow->skip == 0 && !(check->judge.capture->flags & PC_FLAG_DEFER_OUTPUT) && flow->watching == 0;
    return s;
}

static void end(struct pc_check *check, const struct state *s, uint64_t nr)
{
    struct pc_flow_times *times = &check->flow.times;
    if (s->first <= s->last) {
        check->flow.sum.has_time = true;
        check->flow.sum.first_time = s->first;
        check->flow.sum.last_time = s->last;
        times->newest = s->last > times->newest ? s->last : times->newest;
    }
    check->flow.nr_samples = s->nr_samples;
    check->flow.sum.total += nr;
    check->flow.sum.by_type[PC_SAMPLE] += nr;
    check->judge.work += nr;
}

static __attribute__((noinline)) bool look_up(const struct pc_capture *capture, struct pc_recent_id *recent,
                                              uint64_t id)
{
    uint32_t attr = pc_capture_attr_of(capture, id);
    if (attr != PC_NO_ATTR)
        *recent = (struct pc_recent_id){ id, attr };
    return attr != PC_NO_ATTR;
}

/* The attr of a sample, as pc_capture_choose finds it; NULL: pc_check_item finds it out. */
PC_INLINE const struct pc_attr *attr_of(struct pc_check *check, struct pc_span record,
                                        const enum pc_order order)
{
    const struct pc_capture *capture = check->judge.capture;
    if (capture->nr_attrs == 1)
        return capture->attr;
    size_t at = PC_RECORD_HEADER_SIZE + 8 * (size_t)capture->id_pos;
    if (capture->id_pos < 0 || at + 8 > record.len)
        return NULL;
    uint64_t id = pc_load(record.ptr + at, 8, order);
    struct pc_recent_id *recent = &check->recent_id[id % PC_COUNT_OF(check->recent_id)];
    if (id == 0 || (recent->id != id && !look_up(capture, recent, id)))
        return NULL;
    return &capture->attr[recent->attr];
}

/* Whether the fields of a sample are sound, and so is what they hold of a tracepoint. */
PC_INLINE bool fields_ok(struct pc_check *check, const struct pc_attr *attr,
                         const struct pc_sample_layout *layout, struct pc_span record,
                         const enum pc_order order)
{
    const uint64_t mask = layout->layout.mask;
    size_t tail;
    if (pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) >> PC_S_BITS)
        return false;
    if ((mask & PC_S_READ) && ((mask & PC_LAYOUT_READ(PC_READ_ID)) || !check->flow.read_without_id))
        return false;
    if (layout->simple)
        return pc_simple_ok(layout->simple, record, &tail, order);
    const struct pc_plan *plan = layout->plan[PC_SAMPLE];
    return plan && pc_plan_run(plan, record, check->judge.own.slot, check->judge.own.slot_at) &&
           (!(mask & PC_S_RAW) ||
            pc_check_raw(&check->judge, record, (uint32_t)(attr - check->judge.capture->attr), false));
}

/* Whether a sample needs no more than to be counted, which is done then. */
PC_INLINE bool passes(struct pc_check *check, struct state *s, struct pc_span record, uint16_t misc,
                      const enum pc_order order)
{
    const unsigned char *bytes = record.ptr;
    const struct pc_attr *attr = attr_of(check, record, order);
    if (!attr)
        return false;
    const struct pc_sample_layout *layout = check->judge.capture->layout[attr->layout];
    if (!fields_ok(check, attr, layout, record, order))
        return false;
    if (layout->cpu_at != 0 && pc_load(bytes + layout->cpu_at, 4, order) >= s->cpus)
        return false;
    if (layout->id_at != 0 && layout->identifier_at != 0 &&
        pc_load(bytes + layout->id_at, 8, order) != pc_load(bytes + layout->identifier_at, 8, order))
        return false;
    uint64_t nr = s->nr_samples + 1;
    if ((nr & s->skip) == 0 && ((s->may_skip && nr >= PC_SAMPLES_MANY) ||
                                !pc_flow_seen_lately(&check->flow, bytes, misc, layout, order)))
        return false;
    if (layout->time_at != 0) {
        uint64_t time = pc_load(bytes + layout->time_at, 8, order);
        if (time == 0 || time == UINT64_MAX || time < s->released)
            return false;
        s->first = time < s->first ? time : s->first;
        s->last = time > s->last ? time : s->last;
    }
    s->nr_samples = nr;
    return true;
}

PC_INLINE struct pc_passed pass(struct pc_check *check, struct pc_span ahead, const enum pc_order order)
{
    struct pc_passed passed = { 0 };
    struct state s = begin(check);
    check->judge.facts.slot = check->judge.own.slot;
    check->judge.facts.slot_at = check->judge.own.slot_at;
    size_t left = ahead.len;
    const unsigned char *at = ahead.ptr;
    while (left >= PC_RECORD_HEADER_SIZE) {
        struct pc_record_head head = pc_load_head(at, order);
        /* In user space or in the kernel, with no other bit: sound by pc_kernel_records. */
        if (head.type != PC_SAMPLE || (head.misc != PC_MODE_KERNEL && head.misc != PC_MODE_USER) ||
            head.size % 8 != 0 || head.size < 2 * PC_RECORD_HEADER_SIZE || head.size > left ||
            !passes(check, &s, (struct pc_span){ at, head.size }, head.misc, order))
            break;
        at += head.size;
        left -= head.size;
        passed.last_size = head.size;
        passed.nr++;
    }
    passed.bytes = ahead.len - left;
    end(check, &s, passed.nr);
    return passed;
}

struct pc_passed pc_check_pass(struct pc_check *check, struct pc_span ahead, uint32_t stream)
{
    const struct pc_capture *capture = check->judge.capture;
    const struct pc_policy *policy = check->flow.report->policy;
    if (ahead.len < PC_RECORD_HEADER_SIZE || pc_load_head(ahead.ptr, capture->order).type != PC_SAMPLE)
        return (struct pc_passed){ 0 };
    if (capture->nr_attrs == 0 || check->flow.stream != stream || check->flow.watching != 0 ||
        check->judge.at.place != PC_IN_RECORD || (policy->reader | policy->noted) != PC_BY_NONE)
        return (struct pc_passed){ 0 };
    return capture->order == PC_LITTLE ? pass(check, ahead, PC_LITTLE) : pass(check, ahead, PC_BIG);
}

void pc_check_passed(struct pc_check *check, const struct pc_item *last)
{
    check->judge.at = pc_item_context(last);
    check->judge.by_plan = true;
}
